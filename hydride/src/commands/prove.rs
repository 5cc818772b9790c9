//! `hydride prove`: every membership checked again, by two ways, and written out for other solvers.
//!
//! The first way is the one by which classes are made: class and member as exact integers
//! ([`similarity::certify`]). The second shares nothing with it: the class's function is written out on the
//! member's arguments in the IR ([`similarity::apply`]) and compared as bit vectors ([`smt::Prover`]).

mod rules;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result};
use autoir::{Member, Op};
use catalog::Proof;
use clap::Args;
use globset::Glob;
use hydride_ir::passes::open_nans;
use parsers::Instruction;
use rayon::prelude::*;
use serde::Serialize;
use similarity::Refusal;
use smt::{Prover, Verdict};

use crate::classified::{ClassifyArgs, start_threads};
use crate::console::Phases;
use crate::outputs::{Files, Mark, check_writable, replace};
use crate::pipeline::{Pipeline, TIME_LIMIT};
use crate::{Session, usage};

/// Arguments of `hydride prove`.
#[derive(Args)]
pub struct ProveArgs {
    #[command(flatten)]
    classify: ClassifyArgs,
    /// Instruction sets to read.
    #[arg(long, value_delimiter = ',', value_name = "LIST")]
    isa: Vec<String>,
    /// Only operations whose names match; each gets a line.
    #[arg(long, value_name = "GLOB")]
    class: Option<String>,
    /// Only so many memberships, drawn at random; with --rules, so many instances of each rule.
    #[arg(long, value_name = "N")]
    sample: Option<usize>,
    /// Prove the laws of exact integers instead, each by Z3 on all of its instances.
    #[arg(long, conflicts_with_all = ["specs", "dictionary", "records", "isa", "class", "seed", "export"])]
    rules: bool,
    /// Seed of the draw; one seed draws the same from the same memberships on every machine.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Write each question as SMT-LIB 2 below this folder, with index.json; it is replaced as a whole.
    #[arg(long, value_name = "DIR")]
    export: Option<PathBuf>,
}

/// The list of an export's questions.
const INDEX: Mark = Mark("index.json", &["schema", "logic", "queries"]);

/// Steps after which the second way is given up: what is decided at all is decided long before.
const DIRECT_STEPS: u32 = 1_000_000;

/// A session for each way.
struct Provers {
    exact: Prover,
    direct: Prover,
}

/// What was found of one membership.
struct Checked {
    exact: Result<Proof, Refusal>,
    /// By bit vectors.
    direct: Verdict,
    question: Option<Question>,
}

/// A question for another solver.
struct Question {
    file: String,
    script: smt::Script,
}

impl Checked {
    /// What makes the certificate invalid, if anything does.
    fn failure(&self) -> Option<String> {
        match (&self.exact, &self.direct) {
            (Err(refusal), _) => Some(refusal.to_string()),
            (Ok(_), Verdict::Different(model)) => {
                let args: Vec<String> = model.args.iter().map(|bits| format!("{bits:x}")).collect();
                Some(format!("as bit vectors they differ at {}", args.join(" ")))
            }
            (Ok(_), Verdict::Equal | Verdict::Unknown(_)) => None,
        }
    }
}

/// A membership by name.
struct Membership<'a> {
    op: &'a Op,
    member: &'a Member,
    instruction: &'a Instruction,
}

/// Checks all memberships; exit code 1 when one does not hold.
pub fn run(session: &Session, args: &ProveArgs) -> Result<u8> {
    if args.rules {
        start_threads(args.classify.jobs)?;
        return rules::run(args.sample);
    }
    let isas = session.all_asked(&args.isa)?;
    let wanted = match &args.class {
        Some(glob) => Some(
            Glob::new(glob).map_err(|error| usage(format!("--class {glob}: {error}")))?.compile_matcher(),
        ),
        None => None,
    };
    if let Some(folder) = &args.export {
        check_writable(folder, &INDEX)?;
    }
    let (_, pipeline) = args.classify.run(session, &isas)?;
    let mut memberships = memberships(&pipeline)?;
    memberships.retain(|membership| wanted.as_ref().is_none_or(|glob| glob.is_match(&membership.op.name)));
    if memberships.is_empty() {
        return Err(usage("no operation has such a name"));
    }
    if let Some(count) = args.sample {
        memberships = draw(memberships, count, args.seed);
    }
    let mut phases = Phases::default();
    let phase = phases.start("prove", memberships.len());
    let done = AtomicUsize::new(0);
    let checked: Vec<Checked> = memberships
        .par_iter()
        .map_init(
            || Provers {
                exact: Prover::with_time_limit(TIME_LIMIT),
                direct: Prover::with_time_limit(TIME_LIMIT).step_limit(DIRECT_STEPS),
            },
            |provers, membership| {
                let checked = check(membership, args.export.is_some(), provers);
                phase.set(done.fetch_add(1, Ordering::Relaxed) + 1, memberships.len());
                checked
            },
        )
        .collect();
    phases.end(phase, &format!("{} memberships", memberships.len()));
    let failures = print_results(&memberships, &checked, wanted.is_some());
    if let Some(folder) = &args.export {
        export(folder, &memberships, &checked)?;
    }
    // What was refused before there were classes has no membership to check.
    for (entry, refusal) in &pipeline.partition.unknown {
        println!("alone: {}: {refusal}", pipeline.instructions()[*entry].id);
    }
    Ok(u8::from(failures > 0))
}

/// Every member of every operation, in the order of the dialect.
fn memberships(pipeline: &Pipeline) -> Result<Vec<Membership<'_>>> {
    let instructions = pipeline.instructions();
    let by_name: BTreeMap<(&str, &str), &Instruction> =
        instructions.into_iter().map(|found| ((found.isa.name(), found.id.as_str()), found)).collect();
    let mut memberships = Vec::new();
    for op in pipeline.dialect.ops() {
        for member in &op.class.members {
            let instruction = by_name.get(&(member.isa.as_str(), member.id.as_str())).copied();
            let instruction =
                instruction.with_context(|| format!("the member {} is no instruction", member.id))?;
            memberships.push(Membership { op, member, instruction });
        }
    }
    Ok(memberships)
}

/// `count` of the memberships, in their order: those whose names have the least hashes under the seed.
fn draw<'a>(memberships: Vec<Membership<'a>>, count: usize, seed: u64) -> Vec<Membership<'a>> {
    let lot = |membership: &Membership<'_>| {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&seed.to_le_bytes()).update(membership.instruction.isa.name().as_bytes());
        *hasher.update(membership.instruction.id.as_bytes()).finalize().as_bytes()
    };
    let mut lots: Vec<[u8; 32]> = memberships.iter().map(lot).collect();
    lots.sort_unstable();
    let Some(last) = count.checked_sub(1).and_then(|last| lots.get(last)).copied() else {
        return if count == 0 { Vec::new() } else { memberships };
    };
    memberships.into_iter().filter(|membership| lot(membership) <= last).collect()
}

fn check(membership: &Membership<'_>, export: bool, provers: &mut Provers) -> Checked {
    let Membership { op, member, instruction } = membership;
    let function = &op.class.function;
    let exact = similarity::certify(function, &instruction.function, &member.application, &mut provers.exact);
    let applied = match similarity::apply(function, &member.application, &instruction.function) {
        Ok(applied) => applied,
        Err(error) => return Checked { exact, direct: Verdict::Unknown(error.to_string()), question: None },
    };
    // A member agrees with its class up to NaNs.
    let own = open_nans(&instruction.function);
    let direct = provers.direct.equal(&applied, &own);
    let script = export.then(|| smt::script(&applied, &own).ok()).flatten();
    let question = script.map(|script| Question { file: file(membership), script });
    Checked { exact, direct, question }
}

/// Prints what was found; returns the number of memberships that do not hold.
fn print_results(memberships: &[Membership<'_>], checked: &[Checked], every_class: bool) -> usize {
    let all = || memberships.iter().zip(checked);
    let name = |membership: &Membership<'_>| {
        let Membership { op, instruction, .. } = membership;
        format!("{} {} {}", op.name, instruction.isa.name(), instruction.id)
    };
    let mut failures = 0;
    for (membership, checked) in all() {
        if let Some(failure) = checked.failure() {
            println!("FAILED {}: {failure}", name(membership));
            failures += 1;
        } else if let Verdict::Unknown(reason) = &checked.direct {
            println!("once {}: as bit vectors not decided: {reason}", name(membership));
        }
    }
    let mut classes: BTreeMap<&str, Counts> = BTreeMap::new();
    let mut total = Counts::default();
    for (membership, checked) in all() {
        for counts in [&mut total, classes.entry(&membership.op.name).or_default()] {
            counts.add(checked);
        }
    }
    println!(
        "{:>7} {:>10} {:>6} {:>6} {:>6} {:>6}  operation",
        "members", "structural", "smt", "twice", "once", "failed"
    );
    if every_class {
        classes.iter().for_each(|(class, counts)| counts.print(class));
    }
    total.print(&format!("all {}", classes.len()));
    println!(
        "{} of {} memberships are shown by both ways, {} by the first way alone, {} do not hold",
        total.twice, total.members, total.once, total.failed
    );
    failures
}

/// How the memberships of a class were shown.
#[derive(Default)]
struct Counts {
    members: usize,
    structural: usize,
    smt: usize,
    /// Shown as bit vectors as well.
    twice: usize,
    /// Not decided as bit vectors.
    once: usize,
    failed: usize,
}

impl Counts {
    fn add(&mut self, checked: &Checked) {
        self.members += 1;
        match (checked.failure(), &checked.exact) {
            (None, Ok(Proof::Structural)) => self.structural += 1,
            (None, Ok(Proof::Smt)) => self.smt += 1,
            (Some(_), _) | (None, Err(_)) => self.failed += 1,
        }
        if checked.failure().is_none() {
            match checked.direct {
                Verdict::Equal => self.twice += 1,
                Verdict::Unknown(_) | Verdict::Different(_) => self.once += 1,
            }
        }
    }

    fn print(&self, class: &str) {
        let Counts { members, structural, smt, twice, once, failed } = self;
        println!("{members:>7} {structural:>10} {smt:>6} {twice:>6} {once:>6} {failed:>6}  {class}");
    }
}

/// The path of a membership's question below the export's folder.
fn file(membership: &Membership<'_>) -> String {
    let Membership { op, instruction, .. } = membership;
    let safe = |name: &str| -> String {
        name.chars().map(|c| if c.is_ascii_alphanumeric() || "._-+@".contains(c) { c } else { '_' }).collect()
    };
    format!("{}/{}.{}.smt2", safe(&op.name), instruction.isa.name(), safe(&instruction.id))
}

#[derive(Serialize)]
struct Index<'a> {
    schema: u32,
    logic: &'static str,
    unsat: &'static str,
    sat: &'static str,
    queries: Vec<Line<'a>>,
}

#[derive(Serialize)]
struct Line<'a> {
    class: &'a str,
    isa: &'static str,
    member: &'a str,
    file: &'a str,
    expected: &'static str,
    /// How the tool itself showed it.
    proof: &'static str,
    slices: usize,
    questions: usize,
    blake3: String,
}

/// Writes the questions and their index.
fn export(folder: &Path, memberships: &[Membership<'_>], checked: &[Checked]) -> Result<()> {
    let mut files = Files::new();
    let mut queries = Vec::new();
    for (membership, checked) in memberships.iter().zip(checked) {
        let Some(Question { file, script }) = &checked.question else { continue };
        queries.push(Line {
            class: &membership.op.name,
            isa: membership.instruction.isa.name(),
            member: &membership.instruction.id,
            file,
            expected: "unsat",
            proof: match checked.exact {
                Ok(Proof::Structural) => "structural",
                Ok(Proof::Smt) => "smt",
                Err(_) => "none",
            },
            slices: script.slices,
            questions: script.questions,
            blake3: blake3::hash(script.text.as_bytes()).to_hex().to_string(),
        });
        files.insert(file.clone(), script.text.clone());
    }
    let index = Index {
        schema: 1,
        logic: "QF_BV",
        unsat: "the class's function, applied as the member says, equals the member's parsed function for all arguments",
        sat: "they differ at the arguments of the model: the membership is wrong",
        queries,
    };
    let count = index.queries.len();
    files.insert(INDEX.0.into(), serde_json::to_string_pretty(&index)? + "\n");
    replace(folder, &files, &INDEX)?;
    println!("{count} questions in {}", folder.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_membership_is_counted_by_how_often_it_is_shown() {
        let checked = |direct| Checked { exact: Ok(Proof::Structural), direct, question: None };
        let mut counts = Counts::default();
        counts.add(&checked(Verdict::Equal));
        counts.add(&checked(Verdict::Unknown("a limit".to_owned())));
        counts.add(&checked(Verdict::Unknown("a limit".to_owned())));
        assert_eq!((counts.members, counts.twice, counts.once, counts.failed), (3, 1, 2, 0));
        counts.add(&Checked {
            exact: Err(Refusal::Unknown("a limit".to_owned())),
            direct: Verdict::Equal,
            question: None,
        });
        assert_eq!((counts.twice, counts.once, counts.failed), (1, 2, 1));
    }
}
