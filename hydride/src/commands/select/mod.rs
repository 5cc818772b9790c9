//! `hydride select`: code for windows and for LLVM modules by rules alone.

mod module;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ::rules::{ByCases, Equality, Instructions, Lowering, RuleFile, Selector};
use ::synth::certify::Proof;
use ::synth::synthesize::{Answer, Status};
use ::synth::window::{Meaning, Window};
use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use rayon::prelude::*;

use crate::cache::CacheArgs;
use crate::clock::Clock;
use crate::commands::optimize::intrinsics::{Known, Templates};
use crate::commands::synth::functions::Source;
use crate::commands::synth::targets::{Ground, Named};
use crate::commands::synth::{compile, machine, read, report};
use crate::{BrokenDocument, Session, SpecArgs, usage};

/// Arguments of `hydride select`.
#[derive(Args)]
pub struct SelectArgs {
    #[command(flatten)]
    specs: SpecArgs,
    #[command(flatten)]
    cache: CacheArgs,
    /// The rules, as `hydride rules mine` writes them; their target is compiled for.
    #[arg(long, value_name = "RULES.toml")]
    rules: PathBuf,
    /// How answers are printed.
    #[arg(long, value_enum, default_value_t = Emit::Json)]
    emit: Emit,
    /// Windows with another target than the rules' are left out.
    #[arg(long)]
    matching: bool,
    /// Prove each answer at full width besides; one that is not proved is none.
    #[arg(long)]
    certify: bool,
    /// Run each answer on the machine or an emulator on so many inputs.
    #[arg(long, value_name = "INPUTS", default_value_t = 0)]
    run: usize,
    /// Folder for the compiled harness.
    #[arg(long, value_name = "DIR", default_value = "target/select")]
    work: PathBuf,
    /// Windows at a time; 0 for one a processor.
    #[arg(long, value_name = "N", default_value_t = 0)]
    jobs: usize,
    /// Files with one window a line; or LLVM assembly (FILE.ll), of which the result is written beside it as FILE.select.ll.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Emit {
    Json,
    C,
}

struct Printed {
    text: String,
    covered: bool,
    case: Option<machine::Case>,
}

/// Rules from a file, ready for use.
pub struct Loaded {
    /// The target.
    pub target: String,
    /// Equalities.
    pub equalities: Vec<Equality>,
    /// Lowering rules.
    pub lowerings: Vec<Lowering>,
}

impl Loaded {
    /// The instructions of the rules.
    fn instructions(&self) -> BTreeSet<&str> {
        let steps = self.lowerings.iter().flat_map(|rule| &rule.sequence.steps);
        steps.map(|step| step.id.as_str()).collect()
    }
}

/// Reads a file of rules as it is written.
pub fn file(path: &Path) -> Result<RuleFile> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    toml::from_str(&text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let before = &text.as_bytes()[..at.min(text.len())];
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        let column = before.iter().rev().take_while(|byte| **byte != b'\n').count() + 1;
        BrokenDocument::at(path.display(), read::number(line), read::number(column), error.message()).into()
    })
}

/// Reads a file of rules.
pub fn load(path: &Path) -> Result<Loaded> {
    let file = file(path)?;
    let context = || format!("{} holds rules that are none", path.display());
    Ok(Loaded {
        equalities: file.equalities().with_context(context)?,
        lowerings: file.lowerings().with_context(context)?,
        target: file.target,
    })
}

/// Compiles windows and prints the answers; exit code 1 when rules do not cover one.
pub fn run(session: &Session, args: &SelectArgs) -> Result<u8> {
    let rules = load(&args.rules)?;
    let named = Named::find(&rules.target)?;
    let used = rules.instructions();
    let wanted = |id: &str| used.contains(id);
    let ground = Ground::read_only(session, args.specs.specs.as_deref(), named, &args.cache, &wanted)?;
    let is_module = |file: &&PathBuf| file.extension().is_some_and(|own| own == "ll");
    let (modules, files): (Vec<&PathBuf>, Vec<&PathBuf>) = args.files.iter().partition(is_module);
    if !modules.is_empty() && (args.run > 0 || args.emit == Emit::C) {
        return Err(usage("--run and --emit c are for windows, not for LLVM modules"));
    }
    let files: Vec<PathBuf> = files.into_iter().cloned().collect();
    let windows = read::windows(&files)?;
    let windows: Vec<Window> =
        windows.into_iter().filter(|window| !args.matching || window.target == ground.named.name).collect();
    let selector = Selector::new(&rules.equalities, &rules.lowerings, &ground.named.widths);
    let index = Instructions::new(&ground.table);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.jobs).build()?;
    let printed: Vec<Result<Printed>> = pool.install(|| {
        windows.par_iter().map(|window| answer(args, window, &ground, &selector, &index)).collect()
    });
    let (mut code, mut cases) = (0, Vec::new());
    for printed in printed {
        let printed = printed?;
        print!("{}", printed.text);
        code = code.max(u8::from(!printed.covered));
        cases.extend(printed.case);
    }
    if !modules.is_empty() {
        code = code.max(u8::from(!self::modules(session, args, &modules, &ground, &selector, &index)?));
    }
    if args.run > 0 {
        code = code.max(machine::check(&ground, cases, args.run, &args.work)?);
    }
    Ok(code)
}

/// Compiles modules; whether rules covered all of them.
fn modules(
    session: &Session,
    args: &SelectArgs,
    files: &[&PathBuf],
    ground: &Ground,
    selector: &Selector<'_>,
    index: &Instructions,
) -> Result<bool> {
    let templates = Templates::new(session, &ground.named.isa)?
        .ok_or_else(|| usage(format!("there is no LLVM IR for the instructions of {}", ground.named.isa)))?;
    let known = Known::new(session, args.specs.specs.clone());
    let known = args.certify.then_some(&known);
    let compiler = module::Compiler { ground, selector, index, templates: &templates, known };
    let mut covered = true;
    for file in files {
        covered &= compiler.module(file)?;
    }
    Ok(covered)
}

fn answer(
    args: &SelectArgs,
    window: &Window,
    ground: &Ground,
    selector: &Selector<'_>,
    index: &Instructions,
) -> Result<Printed> {
    let start = Clock::start();
    let mut meaning = Meaning::new(window);
    let mut table = ground.table.clone();
    let selected = selector.select(&mut meaning, &mut table, index);
    let seconds = start.seconds();
    let (mut notes, mut states, mut program, mut rules) = (Vec::new(), 0, None, Vec::new());
    match selected {
        Err(why) => notes.push(why),
        Ok(selected) => {
            (states, rules) = (selected.nodes, selected.rules);
            program = Some((selected.program, Proof::default()));
        }
    }
    if args.certify
        && let Some((own, proof)) = &mut program
    {
        match ::rules::certified(&mut meaning, &table, own, &mut ByCases::default()) {
            Ok(found) => *proof = found,
            Err(why) => {
                notes.push(why);
                program = None;
            }
        }
    }
    let status = if program.is_some() { Status::Proved } else { Status::Exhausted };
    let mut answer = Answer { status, meaning, program, notes, states };
    let source =
        Source { function: window.name.clone(), name: window.name.clone(), window: Ok(window.clone()) };
    let name = compile::c_name(window);
    let c = match &answer.program {
        Some((program, _)) => {
            Some(::synth::c_function(&mut answer.meaning, &table, program, ground.syntax.as_ref(), &name))
        }
        None => None,
    };
    let text = match (args.emit, &c) {
        (Emit::Json, _) => {
            report::by_rules(&source, &answer, &table, ground, &rules, args.certify, seconds)? + "\n"
        }
        (Emit::C, None) => report::missing(&answer, "//"),
        (Emit::C, Some(Err(error))) => format!("// {}: {error}\n", window.name),
        (Emit::C, Some(Ok(lines))) => compile::source(ground, lines),
    };
    let covered = answer.program.is_some();
    let case = match c {
        Some(Ok(lines)) if args.run > 0 => {
            Some(machine::Case::new(window, &mut answer.meaning, name, lines)?)
        }
        _ => None,
    };
    Ok(Printed { text, covered, case })
}
