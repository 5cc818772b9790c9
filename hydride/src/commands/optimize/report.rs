//! What was found, as lines of JSON, as a table in Markdown, and as modules to be tested.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Serialize;

use super::improve::Improved;
use super::measure::Measured;
use super::module::{Changed, Rewrites, Source};
use super::price::Price;
use super::search::Kind;
use crate::outputs;

/// A rewrite with all places of it.
#[derive(Serialize)]
pub struct Line {
    /// How often it was made.
    count: usize,
    kind: Kind,
    /// Instructions of LLVM before and after.
    instructions: (usize, usize),
    before: Cost,
    after: Cost,
    proof: Proof,
    seconds: f64,
    places: Vec<Where>,
}

#[derive(Serialize)]
struct Cost {
    text: String,
    cost: Price,
}

#[derive(Serialize)]
struct Proof {
    structural: u64,
    solver: u64,
}

#[derive(Serialize)]
struct Where {
    file: String,
    line: usize,
    function: String,
    value: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<String>,
}

#[derive(Serialize)]
struct Summary<'a> {
    file: &'a str,
    functions: usize,
    left_alone: usize,
    values: usize,
    slices: usize,
    changed: usize,
    /// Changes that are not made, since their functions would not be cheaper as a whole.
    dearer: usize,
    /// Changed functions that were run.
    #[serde(skip_serializing_if = "Option::is_none")]
    measured: Option<usize>,
    /// Those that are as they were, since they were slower.
    #[serde(skip_serializing_if = "Option::is_none")]
    slower: Option<usize>,
    searched_in_all: usize,
    cached_in_all: usize,
    /// Answers that needed no proof, since this machine has a certificate.
    certified_in_all: usize,
    refused_in_all: usize,
    /// Slices of all modules that were searched to their end.
    reached_in_all: usize,
    /// The processor's seconds that half of these took less than.
    median_seconds: f64,
    seconds: f64,
}

#[derive(Serialize)]
struct Part {
    slices: usize,
    cached: usize,
    refused: usize,
    seconds: f64,
}

/// A line about a shard.
pub fn shard(improved: &Improved) -> Result<String> {
    let Improved { slices, cached, refused, seconds, .. } = *improved;
    Ok(serde_json::to_string(&Part { slices, cached, refused, seconds })?)
}

/// A line about a module.
pub fn summary(
    source: &Source,
    (changed, dearer): (usize, usize),
    times: Option<&[Measured]>,
    improved: &Improved,
) -> Result<String> {
    let file = source.path.display().to_string();
    let line = Summary {
        file: &file,
        functions: source.outlines.len(),
        left_alone: source.left_alone(),
        values: source.values.iter().sum(),
        slices: source.count(),
        changed,
        dearer,
        measured: times.map(<[Measured]>::len),
        slower: times.map(|times| times.iter().filter(|own| own.slower).count()),
        searched_in_all: improved.slices,
        cached_in_all: improved.cached,
        certified_in_all: improved.certified,
        refused_in_all: improved.refused,
        reached_in_all: improved.times.len(),
        median_seconds: improved.times.get(improved.times.len() / 2).copied().unwrap_or_default(),
        seconds: improved.seconds,
    };
    Ok(serde_json::to_string(&line)?)
}

/// The rewrites that were made, the most frequent ones first.
pub fn lines(sources: &[Source], changes: &[Changed<'_>], found: &Rewrites) -> Vec<Line> {
    let mut places: BTreeMap<&str, Vec<Where>> = BTreeMap::new();
    let mut slices = BTreeMap::new();
    for (source, changed) in sources.iter().zip(changes) {
        for place in changed.made.iter().copied() {
            let (line, origin) = source.position(place);
            slices.insert(place.key.as_str(), &place.slice);
            places.entry(place.key.as_str()).or_default().push(Where {
                file: source.path.display().to_string(),
                line,
                function: source.module.functions[place.function].name.clone(),
                value: place.slice.root().to_owned(),
                origin,
            });
        }
    }
    let mut lines: Vec<Line> = Vec::new();
    for (key, places) in places {
        let (Some(found), Some(slice)) = (found.get(key), slices.get(key)) else { continue };
        lines.push(Line {
            count: places.len(),
            kind: found.kind,
            instructions: (optimize::work(&slice.body), optimize::work(&found.body)),
            before: Cost { text: slice.body.text("before"), cost: found.before },
            after: Cost { text: found.body.text("after"), cost: found.after },
            proof: Proof { structural: found.proof.structural, solver: found.proof.solver },
            seconds: found.seconds,
            places,
        });
    }
    lines.sort_by_key(|line| std::cmp::Reverse(line.count));
    lines
}

/// Writes what is known of functions before and after, a line for each.
pub fn write_functions(folder: &Path, name: &str, all: impl IntoIterator<Item: Serialize>) -> Result<()> {
    let line = |own| Ok(serde_json::to_string(&own)? + "\n");
    let lines: String = all.into_iter().map(line).collect::<Result<_>>()?;
    outputs::replace_file(&folder.join(name), lines)
}

/// Cycles to two digits after the point, as they are read.
fn hundredths(cycles: f64) -> f64 {
    (cycles * 100.0).round() / 100.0
}

/// Writes a report; the folder may be there.
pub fn write(folder: &Path, lines: &[Line], target: &str, tools: String) -> Result<()> {
    let modules = folder.join("rewrites");
    std::fs::create_dir_all(&modules).with_context(|| format!("cannot make {}", modules.display()))?;
    let mut json = String::new();
    let mut text = format!(
        "# Rewrites for {target}\n\nCosts: {tools}; throughput in cycles, micro-operations, latency in cycles. Each rewrite is \
         proved to refine what it replaces.\n"
    );
    for (number, line) in lines.iter().enumerate() {
        json += &(serde_json::to_string(line)? + "\n");
        let cost =
            |cost: &Price| format!("{} / {} / {}", hundredths(cost.throughput), cost.uops, cost.latency);
        let _ = write!(
            text,
            "\n## {}. {} instructions become {}, {} times\n\n{} becomes {}.\n\n```llvm\n{}\n{}```\n\n",
            number + 1,
            line.instructions.0,
            line.instructions.1,
            line.count,
            cost(&line.before.cost),
            cost(&line.after.cost),
            line.before.text,
            line.after.text
        );
        for place in &line.places {
            let origin = place.origin.as_ref().map_or(String::new(), |origin| format!(" ({origin})"));
            let _ = writeln!(
                text,
                "- {}:{}: %{} of @{}{origin}",
                place.file, place.line, place.value, place.function
            );
        }
        outputs::replace_file(&modules.join(format!("{:04}.ll", number + 1)), test(line))?;
    }
    outputs::replace_file(&folder.join("gaps.md"), gaps(lines))?;
    outputs::replace_file(&folder.join("rewrites.jsonl"), json)?;
    outputs::replace_file(&folder.join("rewrites.md"), text)
}

/// Where a rewrite was made first: a place in a source, else in a module.
fn first_place(line: &Line) -> String {
    let own =
        |place: &Where| place.origin.clone().unwrap_or_else(|| format!("{}:{}", place.file, place.line));
    line.places.first().map_or_else(String::new, own)
}

/// A module with a rewrite as the functions `before` and `after`: input of `hydride verify`, and where `after` has no target's
/// intrinsics a test for LLVM, whose optimizer does not make of the one what the other is.
fn test(line: &Line) -> String {
    let mut text = "; RUN: hydride verify --function before=after %s %s\n".to_owned();
    if line.kind == Kind::Generic {
        text += "; RUN: opt -O3 -S %s | FileCheck %s\n";
    }
    let _ = writeln!(text, ";\n; {} times, first at {}", line.count, first_place(line));
    if line.kind == Kind::Generic {
        text += ";\n; CHECK-LABEL: @before(\n";
        line.after.text.lines().filter_map(wanted).for_each(|wanted| {
            let _ = writeln!(text, "; CHECK-NEXT: {wanted}");
        });
    }
    text + &format!("\n{}\n{}", line.before.text, line.after.text)
}

/// What a line of LLVM assembly is to be recognized by: its operator, and the function that it calls.
fn wanted(line: &str) -> Option<String> {
    let line = line.trim();
    if line.starts_with("ret ") {
        return Some("ret".to_owned());
    }
    let (_, instruction) = line.strip_prefix('%')?.split_once(" = ")?;
    let operator = instruction.split(' ').next()?;
    let callee = instruction.split_once('@').and_then(|(_, rest)| rest.split('(').next());
    Some(match callee {
        Some(callee) => format!("= {{{{.*}}}}call {{{{.*}}}}@{callee}("),
        None => format!("= {operator} "),
    })
}

/// What LLVM's optimizer misses: rewrites to generic instructions, the most frequent ones first.
fn gaps(lines: &[Line]) -> String {
    let mut text = "# What LLVM's optimizer misses\n\nRewrites to instructions that LLVM has for all targets, proved. Each \
                    test is in `rewrites`.\n\n| test | times | first at | instructions of LLVM | throughput | \
                    micro-operations | latency |\n|---|---:|---|---:|---:|---:|---:|\n"
        .to_owned();
    for (number, line) in lines.iter().enumerate().filter(|(_, line)| line.kind == Kind::Generic) {
        let (before, after) = (&line.before.cost, &line.after.cost);
        let _ = writeln!(
            text,
            "| {:04}.ll | {} | {} | {} to {} | {} to {} | {} to {} | {} to {} |",
            number + 1,
            line.count,
            first_place(line),
            line.instructions.0,
            line.instructions.1,
            hundredths(before.throughput),
            hundredths(after.throughput),
            before.uops,
            after.uops,
            before.latency,
            after.latency
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::wanted;

    #[test]
    fn tests_look_for_operators_and_functions() {
        let of = |line: &str| wanted(line).unwrap_or_default();
        assert_eq!(of("  %n0 = lshr <4 x i32> %p0, %p1"), "= lshr ");
        assert_eq!(of("  %n1 = call i8 @llvm.ctpop.i8(i8 %p0)"), "= {{.*}}call {{.*}}@llvm.ctpop.i8(");
        assert_eq!(of("  ret i8 %n1"), "ret");
        assert_eq!(wanted("entry:"), None);
    }
}
