//! The `hydride` command line, as a library that takes the instruction sets as a value.
//!
//! Here and only here are files read and written, threads started and results printed. Exit codes: 0
//! done; 1 findings; 2 wrong usage; 3 input that cannot be read at all.
//!
//! ```
//! let code = hydride::run(hydride::isa::built_in(), ["hydride", "lint", "--rules"]);
//! assert_eq!(code, 0);
//! ```

#![forbid(unsafe_code)]

mod cache;
mod check_lowering;
mod classified;
mod console;
mod convert;
mod definitions;
mod dictionary;
mod diff;
mod difference;
mod doctor;
mod documents;
mod errata;
mod eval;
mod explain;
mod generate;
pub mod isa;
mod join;
mod lint;
mod lowering_data;
mod manifest;
mod manual;
mod merges;
mod names;
mod outputs;
mod pair;
mod pipeline;
mod prove;
mod prove_rules;
mod query;
mod read_lowering;
mod report;
mod reuse;
mod search;
mod summary;
mod through_mlir;
mod trust;
mod validate;

use std::ffi::OsString;
use std::io::Write as _;
use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};

/// Turns vendor instruction-set documents into a compiler IR.
#[derive(Parser)]
#[command(name = "hydride", version, about, max_term_width = 100)]
struct Cli {
    /// Say more: once for what is done, twice for why.
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    verbose: u8,
    #[command(flatten)]
    errata: errata::ErrataChoice,
    #[command(flatten)]
    read: documents::ReadChoice,
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
    /// Say what differs in meaning between two documents, folders of documents, outputs or sources.
    Diff(diff::DiffArgs),
    /// List the errata with their state against the documents.
    Errata(errata::ErrataArgs),
    /// Join what packages hold of Arm's documents into intrinsics.json and operations.json.
    JoinArm(join::JoinArgs),
    /// Find what is wrong in a document before anything is run.
    Lint(lint::LintArgs),
    /// Check every membership again, and write it out for other solvers.
    Prove(prove::ProveArgs),
    /// Say what an instruction or operation is, or what tells two instructions apart.
    Explain(explain::ExplainArgs),
    /// List the operations and instructions that have given properties.
    Query(query::QueryArgs),
    /// Read off a compiler what each intrinsic is in LLVM.
    ReadLowering(read_lowering::ReadLoweringArgs),
    /// Compile each definition of a generated folder with a stock LLVM and look at what comes out.
    CheckLowering(check_lowering::CheckLoweringArgs),
    /// Find the shortest sequence of instructions for a goal.
    Search(Box<search::SearchArgs>),
    /// Say which outside tools are there.
    Doctor,
    /// Print completions for a shell.
    Completions(manual::CompletionsArgs),
    /// Write manual pages.
    Man(manual::ManArgs),
}

/// Where the documents are.
#[derive(Args, Clone)]
struct SpecArgs {
    /// Folder with one folder of documents for each instruction set; else specs/vendor, else specs/sample.
    #[arg(long, value_name = "DIR")]
    specs: Option<PathBuf>,
}

/// Runs one command over these instruction sets; the first of `args` is the program's name. The result is the
/// exit code.
///
/// Some options hold for the whole process, so that a process runs one command.
pub fn run(
    sets: Vec<&'static isa::InstructionSet>,
    args: impl IntoIterator<Item = impl Into<OsString> + Clone>,
) -> u8 {
    console::end_when_output_fails();
    isa::register(sets);
    let parsed = command().try_get_matches_from(args).and_then(|matches| {
        let cli = Cli::from_arg_matches(&matches)?;
        Ok((cli, matches))
    });
    let (cli, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) if error.use_stderr() => {
            let _ = error.print();
            return 2;
        }
        // Help and version.
        Err(text) => return exit(console::written(text.print()).map(|()| 0)),
    };
    console::start_log(cli.verbose);
    documents::choose(&cli.read);
    let chosen = choose(&matches).and_then(|()| errata::choose(&cli.errata));
    let outcome = chosen.and_then(|()| match cli.command {
        Command::Errata(args) => errata::run(&args),
        Command::GenerateIr(args) => generate::run(&args),
        Command::Eval(args) => eval::run(&args),
        Command::Validate(args) => validate::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Lint(args) => lint::run(&args),
        Command::JoinArm(args) => join::run(&args),
        Command::Prove(args) => prove::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Query(args) => query::run(&args),
        Command::ReadLowering(args) => read_lowering::run(&args),
        Command::CheckLowering(args) => check_lowering::run(&args),
        Command::Search(args) => search::run(&args),
        Command::Doctor => doctor::run(),
        Command::Completions(args) => manual::completions(&args),
        Command::Man(args) => manual::man(&args),
    });
    // Data still in the buffer would be lost silently.
    exit(outcome.and_then(|code| console::print(b"").map(|()| code)))
}

/// The command line, with the options and names of all instruction sets.
fn command() -> clap::Command {
    let names = isa::all().map(|set| set.name).collect::<Vec<_>>().join(", ");
    let options = isa::all().filter_map(|set| set.options.as_ref());
    let command = options.fold(Cli::command(), |command, options| (options.add)(command));
    command.mut_subcommands(|command| {
        if command.get_arguments().all(|arg| arg.get_id() != "isa") {
            return command;
        }
        command.mut_arg("isa", |arg| {
            let help = format!("{} [{names}]", arg.get_help().cloned().unwrap_or_default());
            arg.help(help)
        })
    })
}

/// Takes the options of all instruction sets.
fn choose(matches: &clap::ArgMatches) -> Result<()> {
    isa::all().filter_map(|set| set.options.as_ref()).try_for_each(|options| (options.choose)(matches))
}

/// The exit code for a command's outcome; an error is reported.
fn exit(outcome: Result<u8>) -> u8 {
    match outcome {
        Ok(code) => code,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: {error:#}");
            error.downcast_ref::<Failure>().map_or(3, |failure| failure.code)
        }
    }
}

/// An error with its own exit code.
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
