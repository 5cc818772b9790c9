//! The plots of the first page: what became of the entries, how far they are trusted, how large operations are, and
//! which instruction sets share them.

use std::collections::BTreeMap;

use autoir::Op;

use crate::input::{Input, InstructionSet, Status};
use crate::svg::{Anchor, Svg, query, thousands};

const WIDTH: usize = 560;
/// Where bars begin, and how long the longest is.
const LEFT: usize = 64;
const LENGTH: usize = 420;
const ROW: usize = 30;
const BAR: usize = 18;
/// Segments narrower than this have no number in them.
const MIN_LABELLED: usize = 34;
/// Operations in the plot of the largest ones.
const LARGEST: usize = 20;

/// All plots, as HTML.
pub(crate) fn plots(input: &Input<'_>) -> String {
    [entries(input), trust(input), overlap(input), largest(input), sizes(input)].concat()
}

/// A part of a bar: how much, its class, its name, and the query that finds it.
struct Part {
    value: usize,
    class: String,
    name: String,
    query: String,
}

/// `value` of `total` on `length`; something that is there is seen.
fn scaled(value: usize, total: usize, length: usize) -> usize {
    if value == 0 || total == 0 { 0 } else { (value * length / total).max(1) }
}

/// One row of adjacent parts.
fn stacked(svg: &mut Svg, y: usize, parts: &[Part], total: usize, length: usize) {
    let mut x = LEFT;
    for part in parts.iter().filter(|part| part.value > 0) {
        let width = scaled(part.value, total, length);
        let tip = format!("{}: {}", part.name, thousands(part.value));
        svg.link(&format!("/search?q={}", query(&part.query)), &tip, |svg| {
            svg.bar([x, y, width, BAR], &part.class, &tip);
            if width >= MIN_LABELLED {
                svg.text(x + width / 2, y + 13, Anchor::Middle, "in", &thousands(part.value));
            }
        });
        x += width;
    }
}

/// Coloured squares with names, in one line.
fn legend(svg: &mut Svg, y: usize, names: &[(String, String)]) {
    let mut x = LEFT;
    for (class, name) in names {
        svg.bar([x, y, 10, 10], class, name);
        svg.text(x + 15, y + 9, Anchor::Start, "muted", name);
        x += 34 + 7 * name.chars().count();
    }
}

fn isa_class(input: &Input<'_>, isa: &str) -> String {
    let position = input.isas.iter().position(|other| other.name == isa).unwrap_or(0);
    format!("isa{position}")
}

fn status(isa: &InstructionSet<'_>) -> [usize; 3] {
    let mut counts = [0; 3];
    for entry in &isa.entries {
        counts[match entry.status {
            Status::Modelled(_) => 0,
            Status::Excluded { .. } => 1,
            Status::Failed { .. } => 2,
        }] += 1;
    }
    counts
}

/// What became of the entries of each instruction set.
fn entries(input: &Input<'_>) -> String {
    let kinds = [("modelled", "good"), ("excluded", "rest"), ("failed", "bad")];
    let most = input.isas.iter().map(|isa| isa.entries.len()).max().unwrap_or(0);
    let mut svg = Svg::new(WIDTH);
    let mut y = 8;
    for isa in &input.isas {
        let parts: Vec<Part> = kinds
            .iter()
            .zip(status(isa))
            .map(|((name, class), value)| Part {
                value,
                class: (*class).to_owned(),
                name: format!("{} {name}", isa.name),
                query: format!("isa:{} status:{name}", isa.name),
            })
            .collect();
        svg.text(LEFT - 8, y + 13, Anchor::End, "label", isa.name);
        stacked(&mut svg, y, &parts, most, LENGTH);
        let end = LEFT + scaled(isa.entries.len(), most, LENGTH) + 8;
        svg.text(end, y + 13, Anchor::Start, "muted", &thousands(isa.entries.len()));
        y += ROW;
    }
    legend(&mut svg, y + 4, &kinds.map(|(name, class)| (class.to_owned(), name.to_owned())));
    svg.figure(y + 22, "Entries of the documents.", "What became of each instruction set's entries.")
}

/// How far the members' semantics is checked, in parts of each instruction set's members.
fn trust(input: &Input<'_>) -> String {
    let kinds = [("run", "good"), ("proved", "fair"), ("parsed", "rest")];
    let mut svg = Svg::new(WIDTH);
    let mut y = 8;
    for isa in &input.isas {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for member in input.dialect.ops().iter().flat_map(|op| &op.class.members) {
            if member.isa == isa.name {
                *counts.entry(member.trust.as_ref().map_or("unknown", catalog::Trust::name)).or_default() +=
                    1;
            }
        }
        let total: usize = counts.values().sum();
        // Known words first, in order; others as they come.
        let known = kinds.iter().map(|(name, class)| (*name, *class));
        let others = counts.keys().filter(|name| kinds.iter().all(|(known, _)| known != *name));
        let parts: Vec<Part> = known
            .chain(others.map(|name| (*name, "rest")))
            .map(|(name, class)| Part {
                value: counts.get(name).copied().unwrap_or(0),
                class: class.to_owned(),
                name: format!("{} {name}", isa.name),
                query: format!("isa:{} trust:{name}", isa.name),
            })
            .collect();
        svg.text(LEFT - 8, y + 13, Anchor::End, "label", isa.name);
        stacked(&mut svg, y, &parts, total, LENGTH);
        svg.text(LEFT + LENGTH + 8, y + 13, Anchor::Start, "muted", &thousands(total));
        y += ROW;
    }
    legend(&mut svg, y + 4, &kinds.map(|(name, class)| (class.to_owned(), name.to_owned())));
    let caption = "Parts of each instruction set's members: compared with hardware (run), proved equal to the \
                   document (proved), as read (parsed).";
    svg.figure(y + 22, "Trust in the members.", caption)
}

/// The operations by the instruction sets that have members of them: one column for each combination.
fn overlap(input: &Input<'_>) -> String {
    let mut combinations: BTreeMap<Vec<&str>, (usize, usize)> = BTreeMap::new();
    for op in input.dialect.ops() {
        let found = combinations.entry(op.isas().into_iter().collect()).or_default();
        found.0 += 1;
        found.1 += op.class.members.len();
    }
    let mut columns: Vec<(Vec<&str>, (usize, usize))> = combinations.into_iter().collect();
    columns.sort_by_key(|(isas, (operations, _))| (isas.len(), std::cmp::Reverse(*operations)));
    let most = columns.iter().map(|(_, (operations, _))| *operations).max().unwrap_or(0);
    let (height, step) = (150, (LENGTH / columns.len().max(1)).min(64));
    let base = height + 24;
    let mut svg = Svg::new(WIDTH);
    for (row, isa) in input.isas.iter().enumerate() {
        svg.text(LEFT - 8, base + 26 + 24 * row, Anchor::End, "label", isa.name);
    }
    let below = base + 24 * input.isas.len() + 22;
    svg.text(LEFT - 8, below, Anchor::End, "muted", "members");
    svg.line((LEFT, base), (LEFT + step * columns.len(), base), "axis");
    for (column, (isas, (operations, members))) in columns.iter().enumerate() {
        let x = LEFT + step * column + step / 2;
        let tall = scaled(*operations, most, height);
        let class = match isas.as_slice() {
            [single] => isa_class(input, single),
            _ => "shared".to_owned(),
        };
        let names = isas.join(" and ");
        let tip = format!("{names}: {} operations, {} members", thousands(*operations), thousands(*members));
        let link = format!("/ops?sets={}", query(&isas.join(",")));
        svg.link(&link, &tip, |svg| {
            svg.bar([x - 14, base - tall, 28, tall], &class, &tip);
            svg.text(x, base - tall - 6, Anchor::Middle, "label", &thousands(*operations));
            let mut rows: Vec<usize> = Vec::new();
            for (row, isa) in input.isas.iter().enumerate() {
                let there = isas.contains(&isa.name);
                rows.extend(there.then_some(row));
                svg.dot(x, base + 22 + 24 * row, if there { "on" } else { "off" });
            }
            if let (Some(first), Some(last)) = (rows.first(), rows.last()) {
                svg.line((x, base + 22 + 24 * first), (x, base + 22 + 24 * last), "join");
            }
        });
        svg.text(x, below, Anchor::Middle, "muted", &thousands(*members));
    }
    let caption =
        "Each operation counts once, in the column of exactly the instruction sets that have members of it.";
    svg.figure(below + 10, "Operations by instruction sets.", caption)
}

/// How many operations have how many members.
fn sizes(input: &Input<'_>) -> String {
    let bin = |op: &Op| op.class.members.len().max(1).next_power_of_two().trailing_zeros() as usize;
    let bins = input.dialect.ops().iter().map(|op| bin(op) + 1).max().unwrap_or(1);
    let mut counts = vec![(0, 0); bins];
    for op in input.dialect.ops() {
        let found = &mut counts[bin(op)];
        if op.isas().len() > 1 {
            found.1 += 1;
        } else {
            found.0 += 1;
        }
    }
    let most = counts.iter().map(|(single, shared)| single + shared).max().unwrap_or(0);
    let (height, step) = (150, (LENGTH / bins).min(64));
    let base = height + 24;
    let mut svg = Svg::new(WIDTH);
    svg.line((LEFT, base), (LEFT + step * bins, base), "axis");
    for (bin, (single, shared)) in counts.iter().enumerate() {
        let x = LEFT + step * bin + step / 2;
        let (low, high) = (if bin == 0 { 1 } else { (1 << (bin - 1)) + 1 }, 1usize << bin);
        let range = if low == high { low.to_string() } else { format!("{low} to {high}") };
        let (under, over) = (scaled(*shared, most, height), scaled(*single, most, height));
        let tip = format!("{range} members: {shared} shared operations, {single} of one instruction set");
        svg.link(&format!("/ops?size={low}-{high}"), &tip, |svg| {
            svg.bar([x - 14, base - under, 28, under], "shared", &tip);
            svg.bar([x - 14, base - under - over, 28, over], "rest", &tip);
            svg.text(x, base - under - over - 6, Anchor::Middle, "label", &thousands(single + shared));
        });
        svg.text(x, base + 16, Anchor::Middle, "muted", &high.to_string());
    }
    svg.text(LEFT - 8, base + 16, Anchor::End, "muted", "members");
    let names = [("shared", "several instruction sets"), ("rest", "one")];
    legend(&mut svg, base + 28, &names.map(|(class, name)| (class.to_owned(), name.to_owned())));
    svg.figure(
        base + 46,
        "Operations by size.",
        "How many operations have at most so many members, and more than the column before.",
    )
}

/// The operations with the most members.
fn largest(input: &Input<'_>) -> String {
    let mut ops: Vec<&Op> = input.dialect.ops().iter().collect();
    ops.sort_by_key(|op| std::cmp::Reverse(op.class.members.len()));
    ops.truncate(LARGEST);
    let most = ops.first().map_or(0, |op| op.class.members.len());
    // Names are above the start of their bars, since they can have any length.
    let (names, length, row) = (200, 300, 21);
    let mut svg = Svg::new(WIDTH);
    let mut y = 6;
    for op in ops {
        let total = op.class.members.len();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for member in &op.class.members {
            *counts.entry(&member.isa).or_default() += 1;
        }
        let listed: Vec<String> = counts.iter().map(|(isa, count)| format!("{isa} {count}")).collect();
        let tip = format!("{}: {}", op.name, listed.join(", "));
        svg.link(&format!("/op/{}", query(&op.name)), &tip, |svg| {
            svg.text(names - 8, y + 11, Anchor::End, "name", &shortened(&op.name));
            let mut x = names;
            for isa in &input.isas {
                let width = scaled(counts.get(isa.name).copied().unwrap_or(0), most, length);
                if width > 0 {
                    svg.bar([x, y, width, 14], &isa_class(input, isa.name), &tip);
                }
                x += width;
            }
            svg.text(x + 6, y + 11, Anchor::Start, "muted", &thousands(total));
        });
        y += row;
    }
    let isas = input.isas.iter().map(|isa| (isa_class(input, isa.name), isa.name.to_owned()));
    legend(&mut svg, y + 6, &isas.collect::<Vec<_>>());
    svg.figure(y + 24, "The largest operations.", "Members by instruction set.")
}

/// A name shortened to fit next to a bar.
fn shortened(name: &str) -> String {
    const MOST: usize = 26;
    if name.chars().count() <= MOST {
        return name.to_owned();
    }
    name.chars().take(MOST - 1).chain(['…']).collect()
}
