//! `hydride cc`: a compiler whose LLVM assembly is made cheaper before it becomes code.

mod choice;
mod flags;

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, anyhow};
use clap::Args;

use self::choice::Choice;
use self::flags::{Compilation, Plan, Stage};
use super::optimize::{self, SearchArgs};
use super::port::INTERRUPTED;
use super::synth::targets::Named;
use crate::{Session, is_usage, usage};

/// Arguments of `hydride cc`.
#[derive(Args)]
pub struct CcArgs {
    #[command(flatten)]
    search: SearchArgs,
    /// What is compiled for; else the target that the compiler's options permit: avx2, sse42, avx512, avx512vnni, neon, hvx.
    #[arg(long, value_name = "TARGET")]
    isa: Option<String>,
    /// Say nothing of what was chosen and changed.
    #[arg(long)]
    quiet: bool,
    /// The compiler, a clang, with its arguments.
    #[arg(required = true, last = true, value_name = "COMPILER")]
    compiler: Vec<OsString>,
}

/// A compiler at work.
struct Work<'a> {
    session: &'a Session,
    args: &'a CcArgs,
    program: &'a OsStr,
    interrupted: Arc<AtomicBool>,
    folder: tempfile::TempDir,
}

/// Why a source has no better code.
enum Trouble {
    /// The compiler refused it, and said why.
    Refused(u8),
    /// It can be compiled as it is; the reason.
    Left(anyhow::Error),
}

impl From<anyhow::Error> for Trouble {
    fn from(error: anyhow::Error) -> Self {
        Self::Left(error)
    }
}

/// Compiles; the exit code is the compiler's.
pub fn run(session: &Session, args: &CcArgs) -> Result<u8> {
    let (program, arguments) = args.compiler.split_first().ok_or_else(|| usage("no compiler is given"))?;
    if let Some(isa) = &args.isa {
        Named::find(isa)?;
    }
    let compilation = match Plan::of(arguments) {
        Plan::Compile(compilation) => compilation,
        Plan::Pass(why) => {
            tracing::info!("the command is passed on: {why}");
            return compiler(program, arguments);
        }
    };
    let folder =
        tempfile::Builder::new().prefix("hydride-cc").tempdir().context("a folder for LLVM assembly")?;
    let work = Work { session, args, program, interrupted: optimize::on_interrupt(), folder };
    let (mut objects, mut worst) = (Vec::new(), 0);
    for (at, (_, source)) in compilation.sources.iter().enumerate() {
        let output = match compilation.stage {
            Stage::Linked => work.folder.path().join(format!("{at}.o")),
            Stage::Object | Stage::Assembly => compilation.output(source),
        };
        match work.source(&compilation, source, &output) {
            Ok(()) => objects.push(output),
            Err(Trouble::Refused(code)) => worst = worst.max(code),
            Err(Trouble::Left(_)) if work.is_interrupted() => return Ok(INTERRUPTED),
            Err(Trouble::Left(error)) if is_usage(&error) => return Err(error),
            Err(Trouble::Left(error)) => {
                eprintln!("hydride cc: warning: {} is compiled as it is: {error:#}", source.display());
                // The whole command, as it would have been without this one.
                return compiler(program, arguments);
            }
        }
    }
    match (worst, compilation.stage) {
        (0, Stage::Linked) => compiler(program, &compilation.to_program(&objects)),
        (code, _) => Ok(code),
    }
}

impl Work<'_> {
    fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Makes code of a source.
    fn source(&self, compilation: &Compilation, source: &Path, output: &Path) -> Result<(), Trouble> {
        // Reports name the module.
        let name = source.file_name().unwrap_or(OsStr::new("source"));
        let module = self.folder.path().join(name).with_extension("ll");
        let code = compiler(self.program, &compilation.to_assembly(source, &module))?;
        if code != 0 {
            return Err(match is_clang(self.program) {
                true => Trouble::Refused(code),
                false => Trouble::Left(usage(format!("{} is no clang", self.program.display()))),
            });
        }
        let (text, said) = self.improved(&module)?;
        if self.is_interrupted() {
            return Err(Trouble::Left(anyhow!("interrupted")));
        }
        let changed = module.with_extension("opt.ll");
        std::fs::write(&changed, text).with_context(|| format!("cannot write {}", changed.display()))?;
        let code = compiler(self.program, &compilation.to_code(&changed, output))?;
        if code != 0 {
            return Err(Trouble::Left(anyhow!("the compiler does not take its changed LLVM assembly")));
        }
        if !self.args.quiet {
            eprintln!("hydride cc: {}: {said}", source.display());
        }
        Ok(())
    }

    /// A module with what was found, and what is to be said of it.
    fn improved(&self, module: &PathBuf) -> Result<(String, String)> {
        let text = optimize::text(module)?;
        let choice = match &self.args.isa {
            Some(isa) => Choice { named: Named::find(isa)?, cpu: None },
            None => match Choice::of(&text, Named::all()?) {
                Ok(choice) => choice,
                Err(why) => return Ok((text, format!("compiled as it is: {why}"))),
            },
        };
        let Choice { named, cpu } = choice;
        let files = std::slice::from_ref(module);
        let search = &self.args.search;
        let interrupted = &self.interrupted;
        let work = optimize::Work { cpu: cpu.as_deref(), shard: None, files, whole: false, interrupted };
        let improved = search.improve(self.session, &named, &work)?;
        let source = improved.sources.first().context("a module")?;
        let changed = improved.changed(0, &BTreeSet::new());
        let said = format!(
            "for {}, costs by {}: {} of {} values are cheaper",
            named.name,
            improved.prices.tools(),
            changed.count,
            source.values.iter().sum::<usize>()
        );
        Ok((changed.text, said))
    }
}

/// Whether a program says that it is a clang.
fn is_clang(program: &OsStr) -> bool {
    let output = Command::new(program).arg("--version").output();
    output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("clang"))
}

/// Runs a compiler; its exit code.
fn compiler(program: &OsStr, arguments: &[OsString]) -> Result<u8> {
    let status = Command::new(program).args(arguments).status();
    let status = status.map_err(|error| usage(format!("cannot start {}: {error}", program.display())))?;
    Ok(code(status))
}

/// The exit code as a shell gives it.
fn code(status: ExitStatus) -> u8 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return u8::try_from(128 + signal).unwrap_or(1);
    }
    status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}
