//! The `hydride` command line, as a library that takes the instruction sets as a value.
//!
//! Here and only here are files read and written, threads started and results printed. Exit codes: 0
//! done; 1 findings; 2 wrong usage; 3 input that cannot be read at all.
//!
//! ```
//! let code = hydride::run(&hydride::isa::built_in(), ["hydride", "lint", "--rules"]);
//! assert_eq!(code, 0);
//! ```

#![forbid(unsafe_code)]

mod batch;
mod cache;
mod classified;
mod clock;
mod commands;
mod console;
mod convert;
mod costs;
mod deferred;
mod definitions;
mod dictionary;
mod difference;
mod documents;
mod emit;
mod error;
mod families;
pub mod isa;
mod library;
mod machine;
mod manifest;
mod outputs;
mod page;
mod pipeline;
mod reuse;
mod reviews;
mod session;
mod synonyms;
mod trust;

pub use batch::{evaluate_rows, input_rows};
pub use commands::diff::differences;
pub use commands::search::{
    Domain, Measure, Report as SearchReport, SearchOptions, Sequence, StepReport, shortest_sequences,
};
pub use documents::Documents;
pub use error::{BrokenDocument, Problem, is_usage};
pub use library::{Entry, Library};
pub use session::{Session, SessionArgs};

use std::ffi::OsString;
use std::io::Write as _;
use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};

use commands::{
    cc, check_lowering, diff, doctor, errata, eval, explain, generate, join, lint, manual, optimize, port,
    prove, query, read_lowering, rules, search, select, synth, translate, validate, verify,
};

pub use console::end_when_output_fails;

use deferred::Deferred;
use error::{Failure, usage};

/// Turns vendor instruction-set documents into a compiler IR.
#[derive(Parser)]
#[command(name = "hydride", version, about, max_term_width = 100)]
struct Cli {
    /// Print more: once for what is done, twice for why.
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    verbose: u8,
    #[command(flatten)]
    session: session::SessionArgs,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Write Hydride IR, equivalence classes and AutoLLVM for the documents.
    GenerateIr(Deferred<generate::GenerateArgs>),
    /// Evaluate one instruction on given arguments.
    Eval(Deferred<eval::EvalArgs>),
    /// Compare the semantics with hardware or an emulator.
    Validate(Deferred<validate::ValidateArgs>),
    /// Report what differs in meaning between two documents, folders of documents, outputs or sources.
    Diff(Deferred<diff::DiffArgs>),
    /// List the errata with their state against the documents.
    Errata(Deferred<errata::ErrataArgs>),
    /// Join the Arm documents that packages contain into intrinsics.json and operations.json.
    JoinArm(Deferred<join::JoinArgs>),
    /// Find errors in a document without running anything.
    Lint(Deferred<lint::LintArgs>),
    /// Check every membership again, and export the questions for other solvers.
    Prove(Deferred<prove::ProveArgs>),
    /// Describe an instruction or operation, or how two instructions differ.
    Explain(Deferred<explain::ExplainArgs>),
    /// List the operations and instructions that have given properties.
    Query(Deferred<query::QueryArgs>),
    /// List the families of operations, or make them anew.
    Dictionary(Deferred<commands::dictionary::DictionaryArgs>),
    /// Extract from a compiler what each intrinsic is in LLVM.
    ReadLowering(Deferred<read_lowering::ReadLoweringArgs>),
    /// Compile each definition of a generated folder with a stock LLVM and inspect the result.
    CheckLowering(Deferred<check_lowering::CheckLoweringArgs>),
    /// Find the shortest sequence of instructions for a goal.
    Search(Deferred<search::SearchArgs>),
    /// Find instruction sequences for vector expressions, proved.
    Synth(Deferred<synth::SynthArgs>),
    /// Check rewrite rules, or find them.
    Rules(rules::RulesArgs),
    /// Compile vector expressions by rules alone.
    Select(Deferred<select::SelectArgs>),
    /// Port the instructions of one set to another, proved.
    Port(Deferred<port::PortArgs>),
    /// Prove that functions of one LLVM module do nothing that those of another may not.
    Verify(Deferred<verify::VerifyArgs>),
    /// Put cheaper computations in the place of those in LLVM modules, proved.
    Optimize(Deferred<optimize::OptimizeArgs>),
    /// Compile with a clang whose LLVM assembly is made cheaper first, proved.
    Cc(Deferred<cc::CcArgs>),
    /// Rewrite C files that use the intrinsics of one instruction set for another one, proved.
    Translate(Deferred<translate::TranslateArgs>),
    /// Report which external tools are available.
    Doctor,
    /// Print completions for a shell.
    Completions(Deferred<manual::CompletionsArgs>),
    /// Write manual pages.
    Man(Deferred<manual::ManArgs>),
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
pub fn run(
    sets: &[&'static isa::InstructionSet],
    args: impl IntoIterator<Item = impl Into<OsString> + Clone>,
) -> u8 {
    let args: Vec<OsString> = args.into_iter().map(Into::into).collect();
    // What is printed about the command line names the instruction sets, which takes the options of all commands.
    let matches = command(sets)
        .try_get_matches_from(&args)
        .or_else(|_| described(command(sets), sets).try_get_matches_from(&args));
    let parsed = matches.and_then(|matches| {
        let cli = Cli::from_arg_matches(&matches)?;
        Ok((cli, isa::ReadingOptions::given(sets, &matches)))
    });
    let (cli, options) = match parsed {
        Ok(parsed) => parsed,
        Err(error) if error.use_stderr() => {
            let _ = error.print();
            return 2;
        }
        // Help and version.
        Err(text) => return exit(console::written(text.print()).map(|()| 0)),
    };
    console::start_log(cli.verbose);
    let outcome = Session::with(sets, cli.session, options).and_then(|session| cli.command.run(&session));
    // Data still in the buffer would be lost silently.
    exit(outcome.and_then(|code| console::print(b"").map(|()| code)))
}

impl Command {
    fn run(&self, session: &Session) -> Result<u8> {
        match self {
            Self::Errata(args) => errata::run(session, args),
            Self::GenerateIr(args) => generate::run(session, args),
            Self::Eval(args) => eval::run(session, args),
            Self::Validate(args) => validate::run(session, args),
            Self::Diff(args) => diff::run(session, args),
            Self::Lint(args) => lint::run(session, args),
            Self::JoinArm(args) => join::run(session, args),
            Self::Prove(args) => prove::run(session, args),
            Self::Explain(args) => explain::run(session, args),
            Self::Query(args) => query::run(session, args),
            Self::Dictionary(args) => commands::dictionary::run(session, args),
            Self::ReadLowering(args) => read_lowering::run(session, args),
            Self::CheckLowering(args) => check_lowering::run(session, args),
            Self::Search(args) => search::run(session, args),
            Self::Synth(args) => synth::run(session, args),
            Self::Rules(args) => rules::run(session, args),
            Self::Select(args) => select::run(session, args),
            Self::Port(args) => port::run(session, args),
            Self::Verify(args) => verify::run(session, args),
            Self::Optimize(args) => optimize::run(session, args),
            Self::Cc(args) => cc::run(session, args),
            Self::Translate(args) => translate::run(session, args),
            Self::Doctor => doctor::run(session),
            Self::Completions(args) => {
                let sets: Vec<_> = session.sets().collect();
                manual::completions(described(command(&sets), &sets), args)
            }
            Self::Man(args) => {
                let sets: Vec<_> = session.sets().collect();
                // What prints help needs no pages.
                manual::man(described(command(&sets).disable_help_subcommand(true), &sets), args)
            }
        }
    }
}

/// The command line, with the options of all instruction sets.
fn command(sets: &[&'static isa::InstructionSet]) -> clap::Command {
    let options = sets.iter().flat_map(|set| set.options);
    options.fold(Cli::command(), |command, option| option.add(command))
}

/// The command line with the arguments of all commands, and the names of the instruction sets where one is asked for.
fn described(mut command: clap::Command, sets: &[&'static isa::InstructionSet]) -> clap::Command {
    let names = sets.iter().map(|set| set.name).collect::<Vec<_>>().join(", ");
    command.build();
    command.mut_subcommands(|command| {
        command.mut_args(|arg| {
            if arg.get_id() != "isa" {
                return arg;
            }
            let help = format!("{} [{names}]", arg.get_help().cloned().unwrap_or_default());
            arg.help(help)
        })
    })
}

/// The exit code for a command's outcome; an error is reported.
fn exit(outcome: Result<u8>) -> u8 {
    match outcome {
        Ok(code) => code,
        Err(error) => {
            let snippets = error.downcast_ref::<BrokenDocument>().map_or("", |broken| &broken.snippets);
            let _ = writeln!(std::io::stderr(), "{snippets}error: {error:#}");
            error.downcast_ref::<Failure>().map_or(3, |failure| failure.code)
        }
    }
}
