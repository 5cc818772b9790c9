//! `hydride verify`: whether functions of one LLVM module refine those of another.

pub(super) mod targets;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use clap::Args;
use refine::ast::Body;
use refine::{Counterexample, Elements, Limits, Module, Outcome, refines};
use serde::Serialize;

use self::targets::Documents;
use crate::{Session, SpecArgs, usage};

/// Arguments of `hydride verify`.
#[derive(Args)]
pub struct VerifyArgs {
    #[command(flatten)]
    specs: SpecArgs,
    /// The function, or BEFORE=AFTER where the names differ; else each that both modules have.
    #[arg(long = "function", value_name = "NAME")]
    functions: Vec<String>,
    /// The solver's steps for a question: which ones are answered does not depend on the machine.
    #[arg(long, value_name = "N", default_value_t = Limits::default().steps)]
    max_steps: u32,
    /// The solver's time for a question, against steps that take very long.
    #[arg(long, value_name = "SECONDS", default_value_t = Limits::default().time.as_secs())]
    max_seconds: u64,
    /// Iterations after which a loop is given up.
    #[arg(long, value_name = "N", default_value_t = 256)]
    unroll: u32,
    /// LLVM assembly with the functions that say what is right.
    #[arg(value_name = "BEFORE.ll")]
    before: PathBuf,
    /// LLVM assembly with the functions that must do nothing else.
    #[arg(value_name = "AFTER.ll")]
    after: PathBuf,
}

/// A line of the output.
#[derive(Serialize)]
struct Line {
    before: String,
    after: String,
    #[serde(flatten)]
    judged: Judged,
    seconds: f64,
}

/// What is known of whether a function refines another one, as it is printed.
#[derive(Serialize)]
pub(super) struct Judged {
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    proof: Option<Proof>,
    #[serde(skip_serializing_if = "Option::is_none")]
    counterexample: Option<Shown>,
    #[serde(skip_serializing_if = "Option::is_none")]
    open: Option<String>,
}

#[derive(Serialize)]
struct Proof {
    structural: u64,
    solver: u64,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    separate: bool,
}

#[derive(Serialize)]
struct Shown {
    arguments: Vec<Argument>,
    choices: Vec<String>,
    before: String,
    after: String,
}

#[derive(Serialize)]
struct Argument {
    name: String,
    value: String,
}

/// Compares functions and prints a line for each pair; exit code 1 when one is not proved.
pub fn run(session: &Session, args: &VerifyArgs) -> Result<u8> {
    let (before, after) = (read(&args.before)?, read(&args.after)?);
    let pairs = pairs(&before, &after, &args.functions)?;
    let documents = Documents::new(session, args.specs.specs.clone())?;
    let time = Duration::from_secs(args.max_seconds.max(1));
    let limits = Limits { steps: args.max_steps.max(1), time, unroll: args.unroll };
    let mut code = 0;
    for (first, second) in pairs {
        let start = Instant::now();
        let outcome = match (body(&before, &args.before, &first)?, body(&after, &args.after, &second)?) {
            (Ok(before), Ok(after)) => refines(&before, &after, &documents, &limits),
            (Err(open), _) | (_, Err(open)) => Outcome::Unknown(open),
        };
        let seconds = start.elapsed().as_secs_f64();
        code = code.max(u8::from(!matches!(outcome, Outcome::Proved(_))));
        let line = Line { before: first, after: second, judged: outcome.into(), seconds };
        println!("{}", serde_json::to_string(&line)?);
    }
    Ok(code)
}

/// A module in a file.
pub(super) fn read(path: &Path) -> Result<Module> {
    let text =
        std::fs::read_to_string(path).map_err(|error| anyhow!("cannot read {}: {error}", path.display()))?;
    Module::parse(&text).map_err(|fault| anyhow!("{}:{fault}", path.display()))
}

/// A function's body, or what in it is not modelled, with its place.
fn body(module: &Module, path: &Path, name: &str) -> Result<Result<Body, String>> {
    let found = module.function(name);
    let function = found.ok_or_else(|| usage(format!("{} has no definition of @{name}", path.display())))?;
    Ok(module.with_memory(function).map_err(|fault| format!("{}:{fault}", path.display())))
}

fn pairs(before: &Module, after: &Module, asked: &[String]) -> Result<Vec<(String, String)>> {
    if !asked.is_empty() {
        let pair = |name: &String| {
            let (first, second) = name.split_once('=').unwrap_or((name, name));
            (first.to_owned(), second.to_owned())
        };
        return Ok(asked.iter().map(pair).collect());
    }
    let names = before.functions.iter().map(|function| &function.name);
    let both: Vec<_> =
        names.filter(|name| after.function(name).is_some()).map(|n| (n.clone(), n.clone())).collect();
    match (both.is_empty(), &before.functions[..], &after.functions[..]) {
        (false, ..) => Ok(both),
        (true, [first], [second]) => Ok(vec![(first.name.clone(), second.name.clone())]),
        _ => Err(usage("the modules define no function of the same name; pairs are named by --function")),
    }
}

impl From<Outcome> for Judged {
    fn from(outcome: Outcome) -> Self {
        let mut judged = Self { status: "unknown", proof: None, counterexample: None, open: None };
        match outcome {
            Outcome::Proved(refine::Proof { structural, solver, separate }) => {
                judged.status = "proved";
                judged.proof = Some(Proof { structural, solver, separate });
            }
            Outcome::Counterexample(found) => {
                judged.status = "counterexample";
                judged.counterexample = Some(shown(&found));
            }
            Outcome::Unknown(open) => judged.open = Some(open),
        }
        judged
    }
}

fn shown(found: &Counterexample) -> Shown {
    let run = |run: &refine::Run| {
        let returned = (!run.result.is_empty() || run.memory.is_empty()).then(|| value(&run.result));
        let memory = run.memory.iter().map(|(name, elements)| format!("{name} = {}", value(elements)));
        let all: Vec<String> = returned.into_iter().chain(memory).collect();
        if run.undefined { "undefined behavior".to_owned() } else { all.join(", ") }
    };
    let undefined = found.access.as_ref().map(|access| format!("undefined behavior: {access}"));
    Shown {
        arguments: found
            .arguments
            .iter()
            .map(|(name, elements)| Argument { name: name.clone(), value: value(elements) })
            .collect(),
        choices: found.choices.iter().map(|bits| format!("0x{bits:x}")).collect(),
        before: run(&found.before),
        after: undefined.unwrap_or_else(|| run(&found.after)),
    }
}

/// A value in hexadecimal, element by element from the first one.
fn value(elements: &Elements) -> String {
    let element = |bits: &Option<hydride_ir::Bits>| {
        bits.as_ref().map_or_else(|| "poison".to_owned(), |bits| format!("0x{bits:x}"))
    };
    let all: Vec<String> = elements.iter().map(element).collect();
    if all.len() == 1 { all.concat() } else { format!("<{}>", all.join(", ")) }
}
