//! One-to-one lowering: what a one-call program is compiled to.
//!
//! All programs of an instruction set are one module, linked with the definitions, inlined and compiled by the stock
//! tools. An instruction is lowered one to one if only the machine instruction that the document names is left, besides
//! moves.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use parsers::{Form, Instruction};
use rayon::prelude::*;
use serde::Serialize;

use super::conventions::{Conventions, Names};
use super::program::{Definition, Setting, Surroundings, declaration, one_call};
use super::toolchain::{Code, Toolchain};
use crate::error::OracleError;
use crate::target::Target;

/// What a one-call program was compiled to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "lowered", rename_all = "snake_case")]
pub enum Lowered {
    /// The instruction itself.
    Own {
        /// The context of the call in the program in which it was selected.
        program: Surroundings,
    },
    /// The document names no instruction, and this is what is left besides moves.
    Unnamed {
        /// Instructions without operands.
        found: Vec<String>,
    },
    /// An equivalent instruction: of another execution domain (`vandps` for `vpand`), a comparison with its predicate
    /// in the opcode, a zip of two elements for a transposition. LLVM chooses between these.
    Twin {
        /// What the document names.
        named: Vec<String>,
        /// The instruction, without operands.
        found: Vec<String>,
    },
    /// Something else.
    Other {
        /// What the document names.
        named: Vec<String>,
        /// Instructions other than moves, without operands.
        found: Vec<String>,
    },
    /// The compiler ends with an error.
    Refused {
        /// Its message.
        message: String,
    },
}

/// What a definition became.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckedDefinition {
    /// The instruction's id.
    pub id: String,
    /// The definition's name.
    pub name: String,
    /// What it became.
    #[serde(flatten)]
    pub lowered: Lowered,
}

/// Functions of one module: few enough to find a rejected one quickly.
const CHUNK: usize = 1000;

/// Compiles a program of one call for each definition of the file `lowering`, and inspects the resulting
/// assembly. Definitions whose instruction is not among `instructions` are left out. Files are written in
/// `work_dir`.
pub fn check<'a>(
    target: &Target,
    lowering: &Path,
    definitions: &[Definition],
    instructions: impl IntoIterator<Item = &'a Instruction>,
    programs: &Toolchain,
    work_dir: &Path,
) -> Result<Vec<CheckedDefinition>, OracleError> {
    let own = target.lowering()?;
    std::fs::create_dir_all(work_dir).map_err(OracleError::file(work_dir))?;
    let mut known: BTreeMap<&str, &Instruction> = BTreeMap::new();
    for instruction in instructions {
        known.entry(&instruction.id).or_insert(instruction);
    }
    let calls: Vec<Call<'_>> = definitions
        .iter()
        .filter_map(|definition| {
            let instruction = *known.get(definition.id.as_str())?;
            Some(Call { definition, instruction, setting: Setting::FIRST })
        })
        .collect();
    let library = match programs.library(lowering, &own.inspected, work_dir)? {
        Ok(library) => [library],
        Err(message) => return Err(OracleError::Build { message }),
    };
    let bench = Bench { own, isa: target.isa, library: &library, programs, work_dir };
    let mut checked = bench.compile_all(&calls)?;
    // A member lowered to something else at first may become its instruction in another program.
    let others: Vec<Call<'_>> = calls
        .iter()
        .filter(|call| matches!(checked[&call.definition.id], Lowered::Twin { .. } | Lowered::Other { .. }))
        .flat_map(|call| {
            Setting::others(own, call.instruction).into_iter().map(|setting| Call { setting, ..*call })
        })
        .collect();
    for (id, lowered) in bench.compile_all(&others)? {
        if matches!(lowered, Lowered::Own { .. }) {
            checked.insert(id, lowered);
        }
    }
    let named = |definition: &Definition| {
        let lowered = checked.get(&definition.id)?.clone();
        Some(CheckedDefinition { id: definition.id.clone(), name: definition.name.clone(), lowered })
    };
    let mut checked: Vec<CheckedDefinition> = definitions.iter().filter_map(named).collect();
    checked.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(checked)
}

/// A program.
#[derive(Clone, Copy)]
struct Call<'a> {
    definition: &'a Definition,
    instruction: &'a Instruction,
    setting: Setting,
}

/// What programs are compiled with.
struct Bench<'a> {
    own: &'a Conventions,
    isa: &'static str,
    /// The definitions.
    library: &'a [PathBuf],
    programs: &'a Toolchain,
    work_dir: &'a Path,
}

impl Bench<'_> {
    /// What each instruction becomes, by id; the first program in which it is selected counts, else the last.
    fn compile_all(&self, calls: &[Call<'_>]) -> Result<BTreeMap<String, Lowered>, OracleError> {
        let chunks: Vec<(usize, &[_])> = calls.chunks(CHUNK).enumerate().collect();
        let chunks = chunks.into_par_iter().map(|(number, chunk)| {
            let folder = self.work_dir.join(format!("{}-{number}", self.isa));
            std::fs::create_dir_all(&folder).map_err(OracleError::file(&folder))?;
            let mut checked = Vec::new();
            self.compile(chunk, &folder, &mut checked)?;
            Ok(checked)
        });
        let mut checked: BTreeMap<String, (Surroundings, Lowered)> = BTreeMap::new();
        for (call, lowered) in chunks.collect::<Result<Vec<_>, OracleError>>()?.into_iter().flatten() {
            let surroundings = call.setting.surroundings;
            let better = checked.get(&call.definition.id).is_none_or(|(other, known)| {
                let known = matches!(known, Lowered::Own { .. });
                !known || matches!(lowered, Lowered::Own { .. }) && surroundings < *other
            });
            if better {
                checked.insert(call.definition.id.clone(), (surroundings, lowered));
            }
        }
        Ok(checked.into_iter().map(|(id, (_, lowered))| (id, lowered)).collect())
    }

    /// Compiles calls in a folder; on an error, each half separately.
    fn compile<'a>(
        &self,
        calls: &[Call<'a>],
        folder: &Path,
        checked: &mut Vec<(Call<'a>, Lowered)>,
    ) -> Result<(), OracleError> {
        match self.assembly(calls, folder)? {
            Ok(text) => {
                let functions = functions(&text);
                for (index, call) in calls.iter().enumerate() {
                    let lines = functions.get(format!("call{index}").as_str()).cloned().unwrap_or_default();
                    let lowered = judge(self.own, &call.instruction.forms, &lines, call.setting.surroundings);
                    checked.push((*call, lowered));
                }
            }
            Err(message) if calls.len() == 1 => {
                let message = summary(&message).to_owned();
                checked.push((calls[0], Lowered::Refused { message }));
            }
            Err(message) if named(&message, calls.len()).is_some() => {
                let at = named(&message, calls.len()).unwrap_or_default();
                self.compile(&calls[at..=at], folder, checked)?;
                let others = [&calls[..at], &calls[at + 1..]].concat();
                self.compile(&others, folder, checked)?;
            }
            Err(_) => {
                let (first, second) = calls.split_at(calls.len() / 2);
                self.compile(first, folder, checked)?;
                self.compile(second, folder, checked)?;
            }
        }
        Ok(())
    }

    /// The assembly of the programs, or the message of the tool that fails.
    fn assembly(&self, calls: &[Call<'_>], folder: &Path) -> Result<Result<String, String>, OracleError> {
        let mut declared: BTreeMap<&str, String> = BTreeMap::new();
        let mut text = String::new();
        for (index, Call { definition, instruction, setting }) in calls.iter().enumerate() {
            declared.entry(&definition.name).or_insert_with(|| declaration(definition));
            text.push_str(&one_call(self.own, &format!("call{index}"), definition, instruction, *setting));
        }
        let module: String = declared.into_values().chain([text]).collect();
        let (program, output) = (folder.join("calls.ll"), folder.join("calls.s"));
        std::fs::write(&program, module).map_err(OracleError::file(&program))?;
        let (on, code) = (&self.own.inspected, Code::Assembly(self.own.syntax));
        if let Err(message) = self.programs.generate(on, code, &program, self.library, &output)? {
            return Ok(Err(message));
        }
        let text = std::fs::read_to_string(&output).map_err(OracleError::file(&output))?;
        Ok(Ok(text))
    }
}

/// The line of a tool's messages that says what is wrong.
fn summary(message: &str) -> &str {
    let wrong = |line: &&str| line.contains("error:") || line.contains("ERROR:");
    message.lines().find(wrong).or_else(|| message.lines().next()).unwrap_or_default()
}

/// The call in whose function the compiler says that it gave up.
fn named(message: &str, calls: usize) -> Option<usize> {
    let function = message.lines().find_map(|line| line.strip_prefix("In function: call"))?;
    function.trim().parse().ok().filter(|at| *at < calls)
}

/// The lines of each function that can be instructions.
fn functions(assembly: &str) -> BTreeMap<&str, Vec<&str>> {
    let mut found: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut current = None;
    for line in assembly.lines() {
        let line = line.split_once("//").map_or(line, |(code, _)| code).trim_end();
        let label =
            line.split_once(':').filter(|(_, rest)| rest.is_empty() || rest.trim_start().starts_with('#'));
        if let Some((label, _)) = label.filter(|(label, _)| label.starts_with("call")) {
            current = Some(label);
            found.entry(label).or_default();
            continue;
        }
        let code = line.trim();
        let label = current
            .filter(|_| line.starts_with(['\t', ' ']) && !code.is_empty() && !code.starts_with(['.', '#']));
        if let Some(label) = label {
            found.entry(label).or_default().push(code);
        } else if line.contains("func_end") {
            current = None;
        }
    }
    found
}

/// Compares instructions with those that the document names.
fn judge(own: &Conventions, forms: &[Form], lines: &[&str], program: Surroundings) -> Lowered {
    let Names { own, code, is_move, same, twins, copies } = own.names;
    let named: Vec<String> = forms.iter().filter_map(own).collect();
    let found: Vec<String> = lines.iter().filter_map(|line| code(line)).collect();
    let others: Vec<String> = found.iter().filter(|found| !is_move(found)).cloned().collect();
    if named.is_empty() {
        return Lowered::Unnamed { found: others };
    }
    let same = |found: &String| named.iter().any(|named| same(named, found));
    // Each of its instructions no more often than the document has it, as the zips of both halves, and nothing else.
    let times = |names: &[String], name: &String| names.iter().filter(|other| *other == name).count();
    let as_often = others.iter().all(|found| times(&others, found) <= times(&named, found).max(1));
    let own = !others.is_empty() && others.iter().all(same) && as_often;
    // A move becomes a move, or nothing.
    let moves = others.is_empty() && (named.iter().any(|named| is_move(named)) || copies(&named));
    let twin = |found: &String| named.iter().any(|named| twins(named, found));
    if own || moves {
        Lowered::Own { program }
    } else if others.len() <= named.len()
        && others.iter().all(|found| same(found) || twin(found))
        && found.iter().any(twin)
    {
        Lowered::Twin { named, found: others }
    } else {
        Lowered::Other { named, found: others }
    }
}
