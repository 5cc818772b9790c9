//! The `hydride` command line.
//!
//! Here and only here are files read and written, threads started and results printed. Exit codes: 0
//! done; 1 findings; 2 wrong usage; 3 input that cannot be read at all.

#![forbid(unsafe_code)]

mod console;
mod convert;
mod doctor;
mod documents;
mod errata;
mod eval;
mod generate;
mod lint;
mod outputs;
mod pipeline;
mod summary;
mod trust;
mod validate;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

/// Turns vendor instruction-set documents into a compiler IR.
#[derive(Parser)]
#[command(name = "hydride", version, about, max_term_width = 100)]
struct Cli {
    /// Say more: once for what is done, twice for why.
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    verbose: u8,
    #[command(flatten)]
    errata: errata::ErrataChoice,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Write Hydride IR, equivalence classes and AutoLLVM for the documents.
    GenerateIr(generate::GenerateArgs),
    /// Evaluate one instruction on given arguments.
    Eval(eval::EvalArgs),
    /// Compare the semantics with hardware or an emulator.
    Validate(validate::ValidateArgs),
    /// List the errata with their state against the documents.
    Errata(errata::ErrataArgs),
    /// Find what is wrong in a document before anything is run.
    Lint(lint::LintArgs),
    /// Say which outside tools are there.
    Doctor,
}

/// Where the documents are.
#[derive(Args, Clone)]
struct SpecArgs {
    /// Folder with x86/*.xml, arm/*, hvx/*; else specs/vendor, else specs/sample.
    #[arg(long, value_name = "DIR")]
    specs: Option<PathBuf>,
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let usage = error.use_stderr();
            let _ = error.print();
            return ExitCode::from(if usage { 2 } else { 0 });
        }
    };
    console::start_log(cli.verbose);
    let outcome = errata::choose(&cli.errata).and_then(|()| match cli.command {
        Command::Errata(args) => errata::run(&args),
        Command::GenerateIr(args) => generate::run(&args),
        Command::Eval(args) => eval::run(&args),
        Command::Validate(args) => validate::run(&args),
        Command::Lint(args) => lint::run(&args),
        Command::Doctor => doctor::run(),
    });
    match outcome {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(error.downcast_ref::<Failure>().map_or(3, |failure| failure.code))
        }
    }
}

/// An error with an exit code of its own.
#[derive(Debug)]
struct Failure {
    code: u8,
    message: String,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

/// An error for wrong usage: exit code 2.
fn usage(message: impl Into<String>) -> anyhow::Error {
    Failure { code: 2, message: message.into() }.into()
}
