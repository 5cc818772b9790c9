//! From instructions to a runner with a wrapper for each that can be built, for every machine.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use parsers::Instruction;

use crate::compiler::{Compiler, Object};
use crate::error::OracleError;
use crate::miscompiled::Miscompiled;
use crate::oracle::{Entry, Oracle};
use crate::report::Outcome;
use crate::runner::{FREESTANDING_SOURCE, RUNNER_SOURCE, RunnerCommand, WrapperId};
use crate::wrapper::{Dialect, Wrapper, WrapperOptions};

/// A runner program and its wrappers.
struct Prepared {
    program: PathBuf,
    entries: BTreeMap<String, Entry>,
}

/// Builds a runner from the C source `runner` with a wrapper for each instruction that is not `unavailable`
/// from the start. If an id occurs twice, the first instruction is used.
fn prepare<'a>(
    compiler: &Compiler<'_>,
    runner: &str,
    instructions: impl IntoIterator<Item = &'a Instruction>,
    unavailable: impl Fn(&Instruction) -> Option<Outcome>,
) -> Result<Prepared, OracleError> {
    let mut entries = BTreeMap::new();
    let (mut ids, mut wrappers) = (Vec::new(), Vec::new());
    let mut seen = BTreeSet::new();
    let miscompiled = Miscompiled::by(&compiler.version)?;
    for instruction in instructions {
        if !seen.insert(instruction.id.as_str()) {
            continue;
        }
        let unavailable = unavailable(instruction).or_else(|| {
            let message = format!("compiled to something else: {}", miscompiled.reason(instruction)?);
            Some(Outcome::NotBuildable { message })
        });
        let outcome =
            match (unavailable, Wrapper::new(compiler.dialect, instruction, compiler.wrappers.immediates)) {
                (Some(outcome), _) => outcome,
                (None, Ok(wrapper)) => {
                    ids.push(instruction.id.clone());
                    wrappers.push(wrapper);
                    continue;
                }
                (None, Err(message)) => Outcome::NotBuildable { message },
            };
        entries.insert(instruction.id.clone(), Entry::Unavailable(outcome));
    }
    let chunks = compiler.build(wrappers)?;
    let objects: Vec<Object> = chunks.iter().map(Object::from).collect();
    let program = compiler.link(runner, &objects)?;
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
    Ok(Prepared { program, entries })
}

/// Builds an oracle for an instruction set whose C runs on this machine, with these options of the compiler.
pub fn native<'a>(
    isa: &'static str,
    dialect: &'static Dialect,
    options: &[&'static str],
    instructions: impl IntoIterator<Item = &'a Instruction>,
    wrappers: &WrapperOptions,
    work_dir: &Path,
) -> Result<Oracle, OracleError> {
    let compiler = Compiler::new(Path::new("clang-19"), dialect, options.to_vec(), &[], wrappers, work_dir)?;
    on_this_machine(isa, &compiler, instructions, |_| None)
}

/// Builds an oracle whose runner is started directly.
pub(crate) fn on_this_machine<'a>(
    isa: &'static str,
    compiler: &Compiler<'_>,
    instructions: impl IntoIterator<Item = &'a Instruction>,
    unavailable: impl Fn(&Instruction) -> Option<Outcome>,
) -> Result<Oracle, OracleError> {
    let Prepared { program, entries } = prepare(compiler, RUNNER_SOURCE, instructions, unavailable)?;
    let command = RunnerCommand { program, args: Vec::new() };
    Ok(Oracle::new(isa, None, command, entries, compiler.dialect.max_width()))
}

/// How an oracle for a machine that only an emulator has is built.
#[derive(Clone, Debug)]
pub struct EmulatorOptions {
    /// The compiler, a clang with the machine as a target.
    pub compiler: PathBuf,
    /// The emulator, QEMU's for user programs; if there is none, the machine's name for it.
    pub emulator: Option<PathBuf>,
    /// What the wrappers are made of.
    pub wrappers: WrapperOptions,
}

impl Default for EmulatorOptions {
    fn default() -> Self {
        Self { compiler: "clang-19".into(), emulator: None, wrappers: WrapperOptions::default() }
    }
}

/// A machine that only an emulator has, as data.
#[derive(Debug)]
pub struct Emulated {
    /// The instruction set's name.
    pub isa: &'static str,
    /// Its C.
    pub dialect: &'static Dialect,
    /// The compiler's options for the machine.
    pub options: &'static [&'static str],
    /// The emulator's name.
    pub emulator: &'static str,
    /// Arguments of the emulator before the program.
    pub emulator_args: &'static [&'static str],
}

/// Further options of the link: the program is freestanding and the emulator loads it directly.
pub(crate) const LINK: &[&str] = &["-nostdlib", "-static", "-fuse-ld=lld", "-Wl,-e,_start"];

impl Emulated {
    /// Builds the oracle with a compiler and an emulator, after checking that both exist and support the
    /// machine.
    pub fn prepare<'a>(
        &self,
        instructions: impl IntoIterator<Item = &'a Instruction>,
        work_dir: &Path,
        options: &EmulatorOptions,
        unavailable: impl Fn(&Instruction) -> Option<Outcome>,
    ) -> Result<Oracle, OracleError> {
        let emulator = options.emulator.as_deref().unwrap_or(Path::new(self.emulator));
        let machine = self.machine(emulator)?;
        let (own, wrappers) = (self.options.to_vec(), &options.wrappers);
        let compiler = Compiler::new(&options.compiler, self.dialect, own, LINK, wrappers, work_dir)?;
        // Only the runner, to distinguish a compiler without the target from one that rejects every
        // instruction.
        compiler.link(FREESTANDING_SOURCE, &[]).map_err(|error| match error {
            OracleError::Build { message } => {
                let message = message.lines().next().unwrap_or_default().to_owned();
                OracleError::Toolchain { isa: self.isa, message }
            }
            error => error,
        })?;
        let prepared = prepare(&compiler, FREESTANDING_SOURCE, instructions, unavailable)?;
        let mut args: Vec<_> = self.emulator_args.iter().map(Into::into).collect();
        args.push(prepared.program.into_os_string());
        let command = RunnerCommand { program: emulator.to_path_buf(), args };
        Ok(Oracle::new(self.isa, Some(machine), command, prepared.entries, self.dialect.max_width()))
    }

    /// The emulator's name, version and arguments: `qemu-aarch64 7.2.22 -cpu max`.
    pub(crate) fn machine(&self, emulator: &Path) -> Result<String, OracleError> {
        let output = Command::new(emulator)
            .arg("--version")
            .stdin(Stdio::null())
            .output()
            .map_err(|source| OracleError::Emulator { program: emulator.to_path_buf(), source })?;
        let text = String::from_utf8_lossy(&output.stdout);
        // `qemu-aarch64 version 7.2.22 (…)`
        let mut words = text.lines().next().unwrap_or_default().split_whitespace();
        let name = words.next().unwrap_or("unknown emulator");
        let version = words.find(|word| word.starts_with(|first: char| first.is_ascii_digit()));
        let parts = [name, version.unwrap_or("of unknown version")];
        Ok(parts.iter().chain(self.emulator_args).copied().collect::<Vec<_>>().join(" "))
    }
}
