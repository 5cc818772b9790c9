//! Intrinsics that a compiler turns into something else than the instruction (`specs/miscompiled.toml`).

use parsers::Instruction;
use serde::Deserialize;

use crate::error::OracleError;

/// The checked-in ones.
const BUILT_IN: &str = include_str!("../../specs/miscompiled.toml");

/// What a compiler gets wrong.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Miscompiled {
    #[serde(rename = "miscompiled")]
    groups: Vec<Group>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    isa: String,
    compiler: String,
    ids: Vec<String>,
    reason: String,
}

impl Miscompiled {
    /// What the compiler of this version gets wrong.
    pub(crate) fn by(version: &str) -> Result<Self, OracleError> {
        let fault = |error: toml::de::Error| OracleError::Equals { message: error.to_string() };
        let mut all: Self = toml::from_str(BUILT_IN).map_err(fault)?;
        all.groups.retain(|group| version.contains(&group.compiler));
        Ok(all)
    }

    /// What it makes of an instruction's intrinsic, if not the instruction.
    pub(crate) fn reason(&self, instruction: &Instruction) -> Option<&str> {
        let is_named =
            |group: &&Group| group.isa == instruction.isa.name() && group.ids.contains(&instruction.id);
        self.groups.iter().find(is_named).map(|group| group.reason.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_compiler_that_is_wrong_is_named() {
        let wrong = |version: &str| Miscompiled::by(version).expect("it can be read").groups.len();
        assert!(wrong("Debian clang version 19.1.7 (3~deb12u1)") > 0 && wrong("clang version 22.1.8") > 0);
        assert_eq!(wrong("gcc (Debian 12.2.0-14) 12.2.0"), 0);
        assert!(
            Miscompiled::by("clang version 19").unwrap().groups.iter().all(|group| group.reason.len() > 20)
        );
    }
}
