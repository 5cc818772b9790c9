//! Ported functions beside those of another header: how many instructions a compiler makes of both, by the same means, and
//! inputs on which the other one computes something else than the vendor's document says.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, Result, bail};
use difftest::Outcome;
use parsers::{Argument, Kind};
use serde::Serialize;

use super::call::{Written, names, parameters};
use super::machine::{self, Other};
use crate::commands::synth::compile::CLANG;
use crate::commands::synth::targets::Ground;
use crate::isa::InstructionSet;

/// Choices of immediates of a function that are compared: the first, the middle and the last one.
const CHOICES: usize = 3;

/// What SIMDe's names begin with.
const PREFIX: &str = "simde_";

/// A function of both headers.
#[derive(Serialize)]
pub struct Pair<'a> {
    /// The vendor's name.
    pub id: &'a str,
    /// Its immediates.
    #[serde(skip_serializing_if = "<[i64]>::is_empty")]
    pub immediates: &'a [i64],
    /// Instructions of the ported function, without returning.
    pub own: usize,
    /// Instructions of the other one.
    pub other: usize,
    /// Whether the other one's code has branches, so that more are executed than are counted, or fewer.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub branches: bool,
    /// Whether it was run.
    pub run: bool,
    /// Inputs on which the other one differs from the document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub differs: Option<Difference>,
}

/// Another value than the document says.
#[derive(Serialize)]
pub struct Difference {
    /// The arguments in hexadecimal, immediates too.
    pub args: Vec<String>,
    /// What the other function gives.
    pub other: Vec<String>,
    /// What the document says.
    pub document: Vec<String>,
}

/// Both headers' functions.
pub struct Comparison<'a> {
    /// All that both have, one for each choice of immediates that was compared.
    pub pairs: Vec<Pair<'a>>,
    /// Functions with a sequence that the other header does not have, or has with other types.
    pub without: usize,
}

/// Compares the functions of a header that have sequences with SIMDe's, whose headers are in `folder`, and runs SIMDe's on
/// `inputs` inputs each.
pub fn compare<'a>(
    header: &str,
    functions: &'a [Written<'a>],
    (from, ground): (&InstructionSet, &Ground),
    folder: &Path,
    inputs: usize,
    work: &Path,
) -> Result<Comparison<'a>> {
    std::fs::create_dir_all(work).with_context(|| format!("cannot make {}", work.display()))?;
    let (names, includes) = declared(from, folder)?;
    let mut calls = Vec::new();
    let proved = || functions.iter().filter(|own| own.scalar.is_none());
    for written in proved() {
        let other = format!("{PREFIX}{}", written.instruction.intrinsic.trim_start_matches('_'));
        if names.contains(&other) {
            calls.extend(chosen(&written.choices).into_iter().map(|choices| call(written, choices, &other)));
        }
    }
    let head = format!("{header}\n{includes}\n{AS}");
    let calls = compiled(&head, calls, ground, work)?;
    let counts = counts(&head, &calls, ground, work)?;
    let definitions = head.lines().map(str::to_owned).collect();
    let outcomes = match inputs {
        0 => None,
        inputs => machine::outcomes(definitions, &calls, ground, inputs, work)?,
    };
    let mut outcomes = outcomes.map(Vec::into_iter);
    let pairs = calls.iter().zip(counts).map(|(call, (own, other, branches))| {
        let found = outcomes.as_mut().and_then(Iterator::next).unwrap_or_default();
        let agrees =
            |outcome: &Outcome| matches!(outcome, Outcome::Agrees { .. } | Outcome::WithinError { .. });
        Pair {
            id: &call.written.instruction.id,
            immediates: call.choices,
            own,
            other,
            branches,
            run: !found.is_empty()
                && found.iter().all(|outcome| agrees(outcome) || matches!(outcome, Outcome::Mismatch(_))),
            differs: found.into_iter().find_map(|outcome| match outcome {
                Outcome::Mismatch(mismatch) => Some(Difference {
                    args: mismatch.args,
                    other: mismatch.expected,
                    document: mismatch.parsed,
                }),
                _ => None,
            }),
        }
    });
    let pairs: Vec<Pair<'_>> = pairs.collect();
    let shared: BTreeSet<&str> = pairs.iter().map(|pair| pair.id).collect();
    let without = proved().count() - shared.len();
    Ok(Comparison { pairs, without })
}

/// The same bits as another type.
const AS: &str = "#define HYDRIDE_AS(type, value) __extension__({ __typeof__(value) v_ = value; type a_; \
                  _Static_assert(sizeof v_ == sizeof a_, \"types\"); __builtin_memcpy(&a_, &v_, sizeof a_); a_; })";

/// The names that the headers declare, and how C includes them.
fn declared(from: &InstructionSet, folder: &Path) -> Result<(BTreeSet<String>, String)> {
    let own = folder.join(from.name);
    let newest = ["neon.h", "avx2.h"].map(|name| own.join(name)).into_iter().find(|path| path.is_file());
    let Some(newest) = newest else { bail!("{} has no headers for {}", folder.display(), from.name) };
    let (mut pending, mut names): (Vec<PathBuf>, BTreeSet<String>) = (vec![own], BTreeSet::new());
    while let Some(path) = pending.pop() {
        let read = || format!("cannot read {}", path.display());
        if path.is_dir() {
            for entry in std::fs::read_dir(&path).with_context(read)? {
                pending.push(entry.with_context(read)?.path());
            }
            continue;
        }
        let text = std::fs::read_to_string(&path).with_context(read)?;
        let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        names.extend(words.filter(|word| word.starts_with(PREFIX)).map(str::to_owned));
    }
    Ok((names, format!("#include \"{}\"", newest.display())))
}

/// The choices of immediates that are compared.
fn chosen<'a>(choices: &[&'a [i64]]) -> Vec<&'a [i64]> {
    let last = choices.len().saturating_sub(1);
    let mut places: Vec<usize> = (0..CHOICES).map(|at| at * last / (CHOICES - 1)).collect();
    places.dedup();
    places.into_iter().filter_map(|at| choices.get(at).copied()).collect()
}

/// SIMDe's name of a type.
fn other_type(c_type: &str) -> String {
    if c_type.starts_with("__") { format!("simde{c_type}") } else { format!("{PREFIX}{c_type}") }
}

/// A call of the other function with the parameters of the vendor's.
fn call<'a>(written: &'a Written<'a>, choices: &'a [i64], other: &str) -> Other<'a> {
    let signature = &written.instruction.signature;
    let mut immediates = choices.iter();
    let passed = |(arg, name): (&Argument, String)| match arg.kind {
        Kind::Immediate(_) => immediates.next().map(ToString::to_string).unwrap_or_default(),
        Kind::Memory { .. } => format!("(void *)({name})"),
        Kind::Vector => format!("HYDRIDE_AS({}, {name})", other_type(&arg.c_type)),
        Kind::Scalar | Kind::Mask => name,
    };
    let args: Vec<String> = signature.args.iter().zip(names(written.instruction)).map(passed).collect();
    let call = format!("{other}({})", args.join(", "));
    let call = match written.result.as_str() {
        "void" => call,
        result => format!("HYDRIDE_AS({result}, {call})"),
    };
    Other { written, choices, call }
}

/// The calls that the compiler takes: others have types that differ.
fn compiled<'a>(
    head: &str,
    mut calls: Vec<Other<'a>>,
    ground: &Ground,
    work: &Path,
) -> Result<Vec<Other<'a>>> {
    let first = head.lines().count() + 1;
    loop {
        let mut text = format!("{head}\n");
        for (number, call) in calls.iter().enumerate() {
            let _ = writeln!(text, "{}", definition("other", number, call, &call.call));
        }
        let source = work.join("beside.c");
        let output = clang(&source, &text, &["-fsyntax-only", "-ferror-limit=0"], ground)?;
        if output.status.success() {
            return Ok(calls);
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let place = format!("{}:", source.display());
        let line = |line: &str| -> Option<usize> {
            let rest = line.strip_prefix(&place)?;
            let (line, rest) = rest.split_once(':')?;
            rest.contains(" error: ").then(|| line.parse().ok())?
        };
        let broken: BTreeSet<usize> =
            said.lines().filter_map(line).filter_map(|line| line.checked_sub(first)).collect();
        let before = calls.len();
        let mut number = 0;
        calls.retain(|_| {
            number += 1;
            !broken.contains(&(number - 1))
        });
        if calls.len() == before {
            bail!("{CLANG} refuses {}: {said}", source.display());
        }
    }
}

fn definition(name: &str, number: usize, call: &Other<'_>, expression: &str) -> String {
    let (result, parameters) = (&call.written.result, parameters(call.written.instruction));
    let returns = if result == "void" { "" } else { "return " };
    format!("{result} {name}_{number}({parameters}) {{ {returns}{expression}; }}")
}

fn clang(source: &Path, text: &str, options: &[&str], ground: &Ground) -> Result<Output> {
    std::fs::write(source, text).with_context(|| format!("cannot write {}", source.display()))?;
    let mut command = Command::new(CLANG);
    command.args(&ground.named.options).args(["-O2", "-w", "-ffp-contract=off"]).args(options).arg(source);
    command.output().with_context(|| format!("cannot start {CLANG}"))
}

/// For each call how many instructions the ported function and the other one have, and whether that one branches.
fn counts(
    head: &str,
    calls: &[Other<'_>],
    ground: &Ground,
    work: &Path,
) -> Result<Vec<(usize, usize, bool)>> {
    let mut text = format!("{head}\n");
    for (number, call) in calls.iter().enumerate() {
        let instruction = call.written.instruction;
        let mut immediates = call.choices.iter();
        let passed = |(arg, name): (&Argument, String)| match arg.kind {
            Kind::Immediate(_) => immediates.next().map(ToString::to_string).unwrap_or_default(),
            _ => name,
        };
        let args: Vec<String> =
            instruction.signature.args.iter().zip(names(instruction)).map(passed).collect();
        let own = format!("{}({})", instruction.intrinsic, args.join(", "));
        let _ = writeln!(text, "{}", definition("own", number, call, &own));
        let _ = writeln!(text, "{}", definition("other", number, call, &call.call));
    }
    let source = work.join("beside.c");
    let output = clang(&source, &text, &["-S", "-fno-asynchronous-unwind-tables", "-o", "-"], ground)?;
    if !output.status.success() {
        bail!("{CLANG} refuses {}: {}", source.display(), String::from_utf8_lossy(&output.stderr));
    }
    let found = instructions(&String::from_utf8_lossy(&output.stdout));
    let of = |name: String| found.get(&name).copied().with_context(|| format!("no assembly for {name}"));
    (0..calls.len())
        .map(|number| {
            let ((own, _), (other, branches)) =
                (of(format!("own_{number}"))?, of(format!("other_{number}"))?);
            Ok((own, other, branches))
        })
        .collect()
}

/// The instructions of each function of an assembly, without those that return, and whether some branch or call.
fn instructions(assembly: &str) -> BTreeMap<String, (usize, bool)> {
    let (mut found, mut current) = (BTreeMap::new(), None::<String>);
    for line in assembly.lines() {
        let line = line.split(['#', ';']).next().unwrap_or_default();
        let line = line.split("//").next().unwrap_or_default();
        if let Some(label) = line.trim_end().strip_suffix(':').filter(|_| !line.starts_with([' ', '\t'])) {
            if label.starts_with(".Lfunc_end") {
                current = None;
            } else if !label.starts_with('.') {
                current = Some(label.to_owned());
                found.insert(label.to_owned(), (0, false));
            }
            continue;
        }
        let word = line.split_whitespace().next().unwrap_or_default();
        if word.is_empty() || word.starts_with('.') || ["ret", "retq"].contains(&word) {
            continue;
        }
        let Some(own) = current.as_ref().and_then(|name| found.get_mut(name)) else { continue };
        own.0 += 1;
        let branches = word.starts_with('j')
            || word.starts_with("call")
            || ["b", "bl", "br", "cbz", "cbnz", "tbz", "tbnz"].contains(&word)
            || word.starts_with("b.");
        own.1 |= branches;
    }
    found
}

/// How both compare, for each function over all of its immediates.
pub struct Totals {
    /// Functions that both have.
    pub shared: usize,
    /// Those of which the ported one is never longer.
    pub never_longer: usize,
    /// Those of which it is shorter for some immediate, and never longer.
    pub shorter: usize,
    /// Those of which the other one was run.
    pub run: usize,
    /// Those of which the other one differs from the document.
    pub differ: usize,
    /// Those of the others of which the ported one is never longer.
    pub never_longer_of_equal: usize,
}

impl Comparison<'_> {
    /// The sums.
    pub fn totals(&self) -> Totals {
        let all: Vec<&[Pair<'_>]> = self.pairs.chunk_by(|one, next| one.id == next.id).collect();
        let count = |holds: &dyn Fn(&[Pair<'_>]) -> bool| all.iter().filter(|pairs| holds(pairs)).count();
        let never = |pairs: &[Pair<'_>]| pairs.iter().all(|pair| pair.own <= pair.other);
        let differs = |pairs: &[Pair<'_>]| pairs.iter().any(|pair| pair.differs.is_some());
        Totals {
            shared: all.len(),
            never_longer: count(&never),
            shorter: count(&|pairs| never(pairs) && pairs.iter().any(|pair| pair.own < pair.other)),
            run: count(&|pairs| pairs.iter().all(|pair| pair.run)),
            differ: count(&differs),
            never_longer_of_equal: count(&|pairs| never(pairs) && !differs(pairs)),
        }
    }

    /// The sums in words.
    pub fn summary(&self) -> String {
        let Totals { shared, never_longer, shorter, run, differ, never_longer_of_equal } = self.totals();
        format!(
            "{shared} functions beside SIMDe's: never longer {never_longer}, shorter {shorter}; {differ} of {run} of SIMDe's \
             differ from the document, of the other {} never longer {never_longer_of_equal}; {} have none there",
            shared - differ,
            self.without
        )
    }

    /// Lines of JSON.
    pub fn json(&self) -> Result<String> {
        let mut text = String::new();
        for pair in &self.pairs {
            text += &serde_json::to_string(pair)?;
            text.push('\n');
        }
        Ok(text)
    }

    /// What is longer and what differs, as Markdown.
    pub fn markdown(&self) -> String {
        let mut text = format!("\n## Beside SIMDe\n\n{}.\n\n", self.summary());
        text += "Longer than SIMDe's:\n\n| function | instructions | SIMDe's |\n|---|---|---|\n";
        let name = |pair: &Pair<'_>| {
            let choices: String = pair.immediates.iter().map(|choice| format!(", {choice}")).collect();
            format!("`{}{choices}`", pair.id)
        };
        for pair in self.pairs.iter().filter(|pair| pair.own > pair.other) {
            let note = if pair.branches { ", with branches" } else { "" };
            let _ = writeln!(text, "| {} | {} | {}{note} |", name(pair), pair.own, pair.other);
        }
        text += "\nSIMDe's differ from the document:\n\n| function | arguments | SIMDe's result | document's |\n|---|---|---|---|\n";
        for pair in &self.pairs {
            if let Some(Difference { args, other, document }) = &pair.differs {
                let cells = [args, other, document].map(|all| all.join(", "));
                let _ = writeln!(text, "| {} | {} |", name(pair), cells.join(" | "));
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_counted_in_either_syntax() {
        let text = "own_0:  # @own_0\n\tvpaddb\t%xmm1, %xmm0, %xmm0\n.LBB0_1:\n\tjne\t.LBB0_1\n\tretq\n.Lfunc_end0:\n\t.size\town_0, 3\n\
                    other_0:  // @x\n\t.cfi_startproc\n\tadd v0.16b, v0.16b, v1.16b\n\tret\n.Lfunc_end1:\n";
        let found = instructions(text);
        assert_eq!(found["own_0"], (2, true));
        assert_eq!(found["other_0"], (1, false));
    }

    #[test]
    fn the_first_the_middle_and_the_last_choice_are_compared() {
        let all: Vec<Vec<i64>> = (1..=8).map(|value| vec![value]).collect();
        let all: Vec<&[i64]> = all.iter().map(Vec::as_slice).collect();
        assert_eq!(chosen(&all), [[1], [4], [8]]);
        assert_eq!(chosen(&all[..1]).len(), 1);
        assert!(chosen(&[]).is_empty());
    }
}
