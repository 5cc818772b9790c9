//! The x86 oracle: C intrinsics compiled by clang and run on this machine.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use parsers::Instruction;

use crate::error::OracleError;
use crate::oracle::{Entry, Oracle};
use crate::report::Outcome;
use crate::runner::{RunnerCommand, WrapperId};

mod build;
mod features;
mod source;

pub use features::CpuFeatures;

use build::Compiler;
use source::Wrapper;

/// How an x86 oracle is built.
#[derive(Clone, Debug)]
pub struct Options {
    /// The compiler, a clang.
    pub compiler: PathBuf,
    /// What the CPU has; this machine is asked where it is `None`.
    pub features: Option<CpuFeatures>,
}

impl Default for Options {
    fn default() -> Self {
        Self { compiler: "clang-19".into(), features: None }
    }
}

/// Builds [`Oracle`]s for x86.
#[derive(Clone, Copy, Debug)]
pub struct X86Oracle;

impl X86Oracle {
    /// Compiles a runner with a wrapper for each instruction whose features the CPU has. Where an id
    /// occurs twice the first instruction counts.
    ///
    /// Immediates are compiled in for every documented value, up to [`crate::inputs::MAX_IMMEDIATES`].
    /// What the compiler refuses is taken out and reported by [`Oracle::validate`]. Object files
    /// are kept in `work_dir`, which is created where needed, under hashes of their content.
    /// Results whose C type is a pointer are passed as pointers behind the arguments.
    pub fn prepare<'a>(
        instructions: impl IntoIterator<Item = &'a Instruction>,
        work_dir: &Path,
        options: &Options,
    ) -> Result<Oracle, OracleError> {
        if std::env::consts::ARCH != "x86_64" || std::env::consts::OS != "linux" {
            return Err(OracleError::Host { isa: "x86" });
        }
        let features = match &options.features {
            Some(features) => features.clone(),
            None => CpuFeatures::of_this_machine()?,
        };
        let mut compiler_options = vec!["-march=x86-64"];
        compiler_options.extend(features.compiler_options());
        let compiler = Compiler::new(&options.compiler, compiler_options, work_dir)?;

        let mut entries = BTreeMap::new();
        let (mut ids, mut wrappers) = (Vec::new(), Vec::new());
        let mut seen = BTreeSet::new();
        for instruction in instructions {
            if !seen.insert(instruction.id.as_str()) {
                continue;
            }
            let missing = features.missing(&instruction.extensions);
            let outcome = match Wrapper::new(instruction) {
                _ if !missing.is_empty() => Outcome::NotRunnable { missing },
                Ok(wrapper) => {
                    ids.push(instruction.id.clone());
                    wrappers.push(wrapper);
                    continue;
                }
                Err(message) => Outcome::NotBuildable { message },
            };
            entries.insert(instruction.id.clone(), Entry::Unavailable(outcome));
        }
        let chunks = compiler.build(wrappers)?;
        let program = compiler.link(&chunks)?;
        for (chunk, number) in chunks.iter().zip(0u32..) {
            let ids = &ids[chunk.first..];
            for ((wrapper, id), index) in chunk.wrappers.iter().zip(ids).zip(0u32..) {
                let entry = match &wrapper.refusal {
                    Some(message) => Entry::Unavailable(Outcome::NotBuildable { message: message.clone() }),
                    None => Entry::Ready {
                        wrapper: WrapperId { chunk: number, index },
                        immediates: wrapper
                            .immediates
                            .iter()
                            .enumerate()
                            .map(|(case, values)| wrapper.has(case).then(|| values.clone()))
                            .collect(),
                    },
                };
                entries.insert(id.clone(), entry);
            }
        }
        let command = RunnerCommand { program, args: Vec::new() };
        Ok(Oracle::new("x86", command, entries))
    }
}
