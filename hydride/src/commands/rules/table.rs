//! `hydride rules table`: what operations cost on targets, and where nothing shorter exists.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ::rules::{Lowering, Selector, constants, lane_counts, parameters, vectors};
use ::synth::window::{Meaning, limits};
use anyhow::{Context, Result};
use clap::Args;
use serde::Deserialize;

use super::check::{Read, parse};
use super::mine::PATTERNS;
use crate::commands::select::{Loaded, load};
use crate::commands::synth::targets::Named;
use crate::usage;

/// Arguments of `hydride rules table`.
#[derive(Args)]
pub struct TableArgs {
    /// What `hydride rules shortest` printed (may be repeated): types are marked for which nothing shorter exists.
    #[arg(long, value_name = "FILE")]
    shortest: Vec<PathBuf>,
    /// Rules for targets, as `hydride rules mine` writes them.
    #[arg(required = true, value_name = "RULES.toml")]
    files: Vec<PathBuf>,
}

/// What is read of a line that `hydride rules shortest` prints.
#[derive(Deserialize)]
struct Line {
    target: String,
    operation: String,
    parameters: BTreeMap<String, String>,
    known: Option<u32>,
    shortest: bool,
    ended: Option<String>,
    shorter: Option<String>,
}

impl Line {
    fn read(path: &Path) -> Result<Vec<Self>> {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let line = |(at, line): (usize, &str)| {
            serde_json::from_str(line).with_context(|| format!("{}:{}", path.display(), at + 1))
        };
        text.lines().enumerate().map(line).collect()
    }

    /// What is known, in words.
    fn state(&self) -> String {
        match (self.known, self.shortest, &self.ended) {
            (Some(0 | 1), ..) => "one instruction".into(),
            (_, true, _) => "nothing shorter".into(),
            _ if self.shorter.is_some() => "something shorter".into(),
            (_, _, Some(ended)) => format!("open ({ended})"),
            (None, ..) => "no rule".into(),
            (Some(_), ..) => "open (instructions)".into(),
        }
    }
}

/// Prints a table in Markdown: for each operation of the built-in patterns and each target what its rules cost. A type is marked where
/// nothing shorter exists; how many there are of each kind is said below.
pub fn table(args: &TableArgs) -> Result<u8> {
    let mut targets: Vec<(Loaded, Vec<u32>)> = Vec::new();
    for file in &args.files {
        let loaded = load(file)?;
        let widths = Named::find(&loaded.target)?.widths;
        targets.push((loaded, widths));
    }
    if targets.is_empty() {
        return Err(usage("there are no rules"));
    }
    let mut lines: Vec<Line> = Vec::new();
    for file in &args.shortest {
        lines.extend(Line::read(file)?);
    }
    let names: Vec<&str> = targets.iter().map(|(loaded, _)| loaded.target.as_str()).collect();
    println!("| operation | {} |", names.join(" | "));
    println!("|---|{}", "---|".repeat(names.len()));
    let (file, text) = PATTERNS[1];
    for read in parse(text, file)? {
        let cell = |(loaded, widths): &(Loaded, Vec<u32>)| cell(&read, loaded, widths, &lines);
        let cells: Vec<String> = targets.iter().map(cell).collect();
        println!("| `{}` | {} |", read.rule.name, cells.join(" | "));
    }
    for name in names {
        let mut states: BTreeMap<String, usize> = BTreeMap::new();
        for line in lines.iter().filter(|line| line.target == name) {
            *states.entry(line.state()).or_default() += 1;
        }
        let all: Vec<String> = states.iter().map(|(state, count)| format!("{count} {state}")).collect();
        if !all.is_empty() {
            println!("\n{name}: {}", all.join(", "));
        }
    }
    Ok(0)
}

/// What the instances of a pattern cost on a target: types by what they cost, at the most lanes that rules are for, with a star where
/// nothing shorter exists.
fn cell(read: &Read, loaded: &Loaded, widths: &[u32], lines: &[Line]) -> String {
    let selector = Selector::new(&loaded.equalities, &loaded.lowerings, widths);
    let mut groups: BTreeMap<(u8, String), BTreeSet<String>> = BTreeMap::new();
    for pattern in &read.instances {
        let Some(lanes) = lane_counts(pattern, widths).into_iter().max() else { continue };
        let own = parameters(pattern);
        let is = |rule: &&Lowering| {
            rule.name == read.rule.name
                && rule.lanes == lanes
                && rule.registers.is_none()
                && parameters(&rule.pattern) == own
        };
        let rules: Vec<&Lowering> = loaded.lowerings.iter().filter(is).collect();
        let ty = pattern.window.leaves.first().map_or(pattern.window.ty(), |leaf| leaf.ty);
        let costs = || rules.iter().map(|rule| rule.cost.uops);
        let mut asked = lines.iter().filter(|line| {
            line.target == loaded.target && line.operation == read.rule.name && line.parameters == own
        });
        let first = asked.next();
        let is_least = first.is_some_and(|first| first.shortest && asked.all(|line| line.shortest));
        let own = (costs().min(), costs().max());
        let middle = constants(pattern).map(|at| {
            let leaf = &pattern.window.leaves[at];
            let (low, high) = leaf.range.unwrap_or(limits(leaf.ty));
            (at, low + (high - low) / 2)
        });
        let window = vectors(pattern, lanes, &middle.collect());
        let together = selector.price(&mut Meaning::new(&window)).map(|price| price / 1000).ok();
        let key = match (own, together) {
            ((Some(least), Some(_)), Some(price)) if price < u64::from(least) => {
                (1, format!("{price} by other rules"))
            }
            ((Some(least), Some(most)), _) if least == most => (0, least.to_string()),
            ((Some(least), Some(most)), _) => (0, format!("{least}–{most}")),
            (_, Some(price)) => (1, format!("{price} by other rules")),
            _ => (2, "none".into()),
        };
        groups.entry(key).or_default().insert(format!("{ty}{}", if is_least { "*" } else { "" }));
    }
    let shown = groups.into_iter().map(|((_, cost), types)| {
        let types: Vec<String> = types.into_iter().collect();
        format!("{cost}: {}", types.join(" "))
    });
    shown.collect::<Vec<_>>().join("; ")
}
