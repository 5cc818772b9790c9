//! What runs in place of an intrinsic that this compiler or CPU lacks: an equivalent under another name or encoding
//! (`specs/equals/x86.toml`), or C's operators for a division.

use std::collections::BTreeMap;

use interp::Bv;
use parsers::Instruction;
use serde::Deserialize;

use super::CpuFeatures;
use super::division::Division;
use crate::error::OracleError;

/// The checked-in equals.
const BUILT_IN: &str = include_str!("../../../specs/equals/x86.toml");

/// Intrinsics that are the same function as others.
#[derive(Clone, Debug)]
pub(super) struct Equals {
    by_id: BTreeMap<String, Equal>,
}

/// What an intrinsic is the same function as.
#[derive(Clone, Debug)]
struct Equal {
    runs: String,
    lacks: Lacks,
    extensions: Vec<String>,
    types: BTreeMap<String, String>,
    define: Option<String>,
}

/// What lacks the intrinsic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Lacks {
    /// No compiler has it under its name: the equivalent always runs.
    Compiler,
    /// Some CPUs have it: the equivalent runs on the others.
    Cpu,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    equal: Vec<Table>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    runs: BTreeMap<String, String>,
    lacks: Lacks,
    extensions: Vec<String>,
    #[serde(default)]
    types: BTreeMap<String, String>,
    define: Option<String>,
    reason: String,
}

impl Equals {
    /// Those that were checked in when the program was built.
    pub(super) fn built_in() -> Result<Self, OracleError> {
        Self::parse(BUILT_IN)
    }

    fn parse(text: &str) -> Result<Self, OracleError> {
        let fault = |message: String| OracleError::Equals { message };
        let file: File = toml::from_str(text).map_err(|error| fault(error.to_string()))?;
        let mut by_id = BTreeMap::new();
        for Table { runs, lacks, extensions, types, define, reason } in file.equal {
            if reason.trim().is_empty() {
                return Err(fault(format!("there is no reason for {runs:?}")));
            }
            for (id, runs) in runs {
                let equal = Equal {
                    runs,
                    lacks,
                    extensions: extensions.clone(),
                    types: types.clone(),
                    define: define.clone(),
                };
                if by_id.insert(id.clone(), equal).is_some() {
                    return Err(fault(format!("{id} has two equals")));
                }
            }
        }
        Ok(Self { by_id })
    }
}

/// What runs in place of an instruction.
#[derive(Clone, Debug)]
pub(crate) struct StandIn {
    /// In words.
    pub(crate) runs: String,
    division: Option<Division>,
}

impl StandIn {
    /// What runs in place of an instruction, and the instruction as it is called then; `None` if it can be called
    /// itself, or if the CPU also lacks what its equivalent needs. C functions for it go to `definitions`.
    pub(super) fn of(
        instruction: &Instruction,
        equals: &Equals,
        features: &CpuFeatures,
        definitions: &mut Vec<String>,
    ) -> Option<(Self, Instruction)> {
        let has = |extensions: &[String]| features.missing(extensions).is_empty();
        let mut define = |line: String| {
            if !definitions.contains(&line) {
                definitions.push(line);
            }
        };
        if let Some(division) = Division::of(instruction) {
            if !has(&instruction.extensions) {
                return None;
            }
            define(division.definition(&instruction.intrinsic));
            let intrinsic = Division::function(&instruction.intrinsic);
            let called = Instruction { intrinsic, ..instruction.clone() };
            return Some((Self { runs: division.describe(), division: Some(division) }, called));
        }
        let equal = equals.by_id.get(&instruction.id)?;
        if !has(&equal.extensions) || equal.lacks == Lacks::Cpu && has(&instruction.extensions) {
            return None;
        }
        equal.define.iter().for_each(|line| define(line.clone()));
        let mut called = Instruction {
            intrinsic: equal.runs.clone(),
            extensions: equal.extensions.clone(),
            ..instruction.clone()
        };
        for operand in called.signature.args.iter_mut().chain(&mut called.signature.results) {
            if let Some(c_type) = equal.types.get(&operand.c_type) {
                operand.c_type.clone_from(c_type);
            }
        }
        Some((Self { runs: equal.runs.clone(), division: None }, called))
    }

    /// Replaces values for which the stand-in leaves the result undefined.
    pub(crate) fn avoid_undefined(&self, args: &mut [Bv]) {
        if let Some(division) = &self.division {
            division.avoid_undefined(args);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checked_in_equals_are_legal() {
        assert!(Equals::built_in().unwrap().by_id.contains_key("_rotl64"));
    }

    #[test]
    fn an_equal_needs_a_reason_and_is_the_only_one() {
        let entry = |id: &str, reason: &str| {
            format!(
                "[[equal]]\nruns = {{ {id} = \"g\" }}\nlacks = \"cpu\"\nextensions = []\nreason = \"{reason}\"\n"
            )
        };
        assert!(Equals::parse(&entry("f", "same")).is_ok());
        assert!(Equals::parse(&entry("f", " ")).is_err());
        assert!(Equals::parse(&(entry("f", "same") + &entry("f", "same"))).is_err());
    }
}
