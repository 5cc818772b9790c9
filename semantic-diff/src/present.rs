//! A report in words: the numbers first, then what needs a reader, then what is only listed.

mod blocks;

use std::collections::BTreeMap;

use blocks::Block;

use crate::{
    Change, Counterexample, EntryName, ErratumChange, Found, Hardware, Lanes, OperationCount, Operations,
    Outcome, Proof, Renamed, Report, Run, SideSummary, Value, Verdict,
};

/// How a report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// For a terminal.
    Text,
    /// For a review.
    Markdown,
    /// One page.
    Html,
}

/// A report in words; `commands` are the beginnings of the command lines that evaluate an instruction of the old and of
/// the new side.
pub fn present(report: &Report, commands: &[String; 2], style: Style) -> String {
    let blocks = blocks(report, commands);
    match style {
        Style::Text => blocks::text(&blocks),
        Style::Markdown => blocks::markdown(&blocks),
        Style::Html => blocks::html(&blocks),
    }
}

fn blocks(report: &Report, commands: &[String; 2]) -> Vec<Block> {
    let mut blocks = vec![
        Block::Heading(1, "Differences in meaning".into()),
        Block::Paragraph(format!("Old: {}.", side(&report.old))),
        Block::Paragraph(format!("New: {}.", side(&report.new))),
    ];
    if report.is_empty() {
        blocks.push(Block::Paragraph("Nothing differs.".into()));
        return blocks;
    }
    numbers(report, &mut blocks);
    different(report, commands, &mut blocks);
    other_access(report, &mut blocks);
    unsettled(report, &mut blocks);
    modelling(report, &mut blocks);
    same(report, &mut blocks);
    signatures(report, &mut blocks);
    names(report, &mut blocks);
    errata(report, &mut blocks);
    if let Some(found) = &report.operations {
        operations(found, &mut blocks);
    }
    blocks
}

fn side(side: &SideSummary) -> String {
    let mut text = format!("{} ({})", side.name, side.kind);
    if !side.versions.is_empty() {
        text.push_str(&format!(", version {}", side.versions.join(", ")));
    }
    if side.entries > 0 {
        text.push_str(&format!(", {} entries, {} modelled", side.entries, side.modelled));
    }
    text
}

/// The outcomes in the order of the table, in words.
const OUTCOMES: &[(&str, &str)] = &[
    ("same", "same meaning, proved"),
    ("different", "different meaning, with a counterexample"),
    ("other-access", "the same results, other accesses to memory"),
    ("unknown", "unknown"),
    ("other-shape", "arguments or results of other widths"),
    ("newly-modelled", "newly modelled"),
    ("no-longer-modelled", "no longer modelled"),
    ("not-modelled", "modelled on neither side"),
];

fn numbers(report: &Report, blocks: &mut Vec<Block>) {
    let modelled = |names: &[EntryName]| names.iter().filter(|name| name.reason.is_none()).count();
    let mut rows = Vec::new();
    let mut row = |what: &str, count: usize| rows.push(vec![what.to_owned(), count.to_string()]);
    row("entries added", report.added.len());
    row("  of them modelled", modelled(&report.added));
    row("entries removed", report.removed.len());
    row("  of them modelled", modelled(&report.removed));
    row("entries renamed, proved", report.renamed.len());
    row("removed entries that another one replaces, proved", report.replaced.len());
    row("signatures changed", report.signatures.len());
    row("  of them in types", report.signatures.iter().filter(|change| change.types).count());
    row("errata with another state", report.errata.len());
    blocks.push(Block::Table { header: vec!["", "number"], rows, numbers: true });
    if report.changes.is_empty() {
        return;
    }
    let known = report.changes.iter().any(|change| change.text_differs.is_some());
    let count = |name: &str, text: bool| {
        let own = report.changes.iter().filter(|change| change.outcome.name() == name);
        own.filter(|change| (change.text_differs == Some(true)) == text).count()
    };
    let mut rows = Vec::new();
    let mut sums = [0; 2];
    for (name, words) in OUTCOMES {
        let columns = match known {
            true => vec![count(name, true), count(name, false)],
            false => vec![count(name, false)],
        };
        for (sum, column) in sums.iter_mut().zip(&columns) {
            *sum += column;
        }
        if columns.iter().sum::<usize>() > 0 {
            let cells = columns.iter().map(ToString::to_string);
            rows.push(std::iter::once((*words).to_owned()).chain(cells).collect());
        }
    }
    let columns = if known { 2 } else { 1 };
    let totals = sums[..columns].iter().map(ToString::to_string);
    rows.push(std::iter::once("all".to_owned()).chain(totals).collect());
    let all = report.changes.iter().all(|change| change.text_differs.is_some());
    let header = match known {
        true if all => vec!["changed entries", "text changed", "text unchanged"],
        true => vec!["changed entries", "text changed", "text unchanged or not at hand"],
        false => vec!["changed entries", "number"],
    };
    blocks.push(Block::Table { header, rows, numbers: true });
}

fn with(report: &Report, outcome: &str) -> Vec<Change> {
    report.changes.iter().filter(|change| change.outcome.name() == outcome).cloned().collect()
}

/// Characters of arguments beyond which a command line is of no use to a reader.
const MAX_ARGUMENTS: usize = 200;

fn different(report: &Report, commands: &[String; 2], blocks: &mut Vec<Block>) {
    let changes = with(report, "different");
    if changes.is_empty() {
        return;
    }
    blocks.push(Block::Heading(2, "Different meaning".into()));
    blocks.push(Block::Paragraph(
        "Each with a counterexample, made small, that both sides were evaluated on. Lanes are counted from the least \
         significant; lanes of arguments that are not shown are 0. The first command gives the old side's results, \
         the second one the new side's."
            .into(),
    ));
    for change in changes {
        let Outcome::Different { counterexample } = &change.outcome else { continue };
        blocks.push(Block::Heading(3, format!("{} {}", change.isa.name(), title(&change))));
        let mut lines = listing(counterexample);
        if change.undefined_bits_differ {
            lines.push("the bits that are left undefined differ, too".to_owned());
        }
        let args: Vec<String> = counterexample.args.iter().map(argument).collect();
        let args = args.join(" ");
        // Longer ones are in the serialized form.
        if args.len() <= MAX_ARGUMENTS {
            let ids = [change.old_id.as_ref().unwrap_or(&change.id), &change.id];
            for (command, id) in commands.iter().zip(ids) {
                lines.push(format!("{command} --isa {} --id {id} {args}", change.isa.name()));
            }
        }
        blocks.push(Block::Listing(lines));
    }
}

fn other_access(report: &Report, blocks: &mut Vec<Block>) {
    let changes = with(report, "other-access");
    if changes.is_empty() {
        return;
    }
    blocks.push(Block::Heading(2, "Other accesses to memory".into()));
    blocks.push(Block::Paragraph(
        "The results are proved to be the same. Each with a counterexample: for each pointer one bit for each byte that \
         is accessed, or the distances of elements from it."
            .into(),
    ));
    for change in changes {
        let Outcome::OtherAccess { access, counterexample } = &change.outcome else { continue };
        blocks.push(Block::Heading(3, format!("{} {}", change.isa.name(), title(&change))));
        let mut lines = vec![access.words().to_owned()];
        lines.extend(listing(counterexample));
        blocks.push(Block::Listing(lines));
    }
}

fn title(change: &Change) -> String {
    let mut text = change.id.clone();
    if let Some(old) = &change.old_id {
        text.push_str(&format!(" (formerly {old})"));
    }
    match change.erratum.as_deref() {
        Some("old") => text.push_str(" (an erratum applies to the old side alone)"),
        Some(_) => text.push_str(" (an erratum applies to the new side alone)"),
        None => {}
    }
    text
}

/// An argument as `hydride eval` takes it; leading zeros may be left out.
fn argument(value: &Value) -> String {
    match value.immediate {
        Some(integer) => integer.to_string(),
        None => {
            let digits = value.bits.trim_start_matches('0');
            if digits.is_empty() { "0".to_owned() } else { digits.to_owned() }
        }
    }
}

/// A counterexample line by line.
fn listing(example: &Counterexample) -> Vec<String> {
    let names = example.args.iter().map(|value| value.name.len());
    let width = names.chain(example.new.iter().map(|value| value.name.len() + 4)).max().unwrap_or(0);
    let mut lines = Vec::new();
    for value in &example.args {
        let shown = match (
            value.immediate,
            Lanes::of(value, example.lane, |_, lane| lane.bytes().any(|digit| digit != b'0')),
        ) {
            (Some(integer), _) => integer.to_string(),
            (None, Some(lanes)) => in_lanes(&lanes, example.lane),
            (None, None) => format!("0x{}", value.bits),
        };
        lines.push(format!("{:<width$}  {shown}", value.name));
    }
    for (old, new) in example.old.iter().zip(&example.new).filter(|(old, new)| old != new) {
        let other = Lanes::of(new, example.lane, |_, _| true);
        let differing = |lane: u32, text: &str| {
            other
                .as_ref()
                .is_none_or(|other| other.shown.get(lane as usize).is_none_or(|(_, own)| own != text))
        };
        let lanes = Lanes::of(old, example.lane, differing);
        for (side, value) in [("old", old), ("new", new)] {
            let shown = match &lanes {
                Some(lanes) => {
                    let places: Vec<u32> = lanes.shown.iter().map(|(place, _)| *place).collect();
                    let own = Lanes::of(value, example.lane, |place, _| places.contains(&place));
                    own.map_or_else(String::new, |own| in_lanes(&own, example.lane))
                }
                None => format!("0x{}", value.bits),
            };
            lines.push(format!("{:<width$}  {shown}", format!("{side} {}", value.name)));
        }
    }
    if example.found_by == Found::Solver {
        lines.push("found by the solver".to_owned());
    }
    if let Some(hardware) = &example.hardware {
        lines.push(self::hardware(hardware));
    }
    lines
}

fn in_lanes(lanes: &Lanes, width: u32) -> String {
    if lanes.shown.is_empty() {
        return "0".to_owned();
    }
    let lane = |(place, digits): &(u32, String)| format!("[{place}] = 0x{digits}");
    let shown: Vec<String> = lanes.shown.iter().take(8).map(lane).collect();
    let more = match lanes.shown.len().saturating_sub(8) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}  (lanes of {width} bits)", shown.join("  "))
}

fn hardware(hardware: &Hardware) -> String {
    let further = |run: &Run| {
        format!(
            " (of {} further inputs it contradicts the old side on {}, the new one on {})",
            run.inputs, run.old_differs, run.new_differs
        )
    };
    let machine = &hardware.machine;
    match &hardware.verdict {
        Verdict::Old(run) => format!("{machine} agrees with the old side{}", further(run)),
        Verdict::New(run) => format!("{machine} agrees with the new side{}", further(run)),
        Verdict::Neither(run) => {
            format!("{machine} agrees with neither side, it gives {}{}", run.results.join(" "), further(run))
        }
        Verdict::Unasked { reason } => format!("the hardware was not asked: {reason}"),
    }
}

fn unsettled(report: &Report, blocks: &mut Vec<Block>) {
    for (name, heading) in [("unknown", "Unknown"), ("other-shape", "Other arguments or results")] {
        let rows: Vec<Vec<String>> = with(report, name)
            .iter()
            .map(|change| {
                let why = match &change.outcome {
                    Outcome::Unknown { reason, seconds } => format!("{reason}, after {seconds} s"),
                    Outcome::OtherShape { reason } => reason.clone(),
                    _ => String::new(),
                };
                vec![change.isa.name().to_owned(), title(change), why]
            })
            .collect();
        if !rows.is_empty() {
            blocks.push(Block::Heading(2, heading.into()));
            blocks.push(Block::Table { header: vec!["", "entry", "why"], rows, numbers: false });
        }
    }
}

fn modelling(report: &Report, blocks: &mut Vec<Block>) {
    let mut groups: BTreeMap<(&str, String), Vec<String>> = BTreeMap::new();
    for change in &report.changes {
        let (kind, why) = match &change.outcome {
            Outcome::NewlyModelled { was } => ("Newly modelled", was.clone()),
            Outcome::NoLongerModelled { now } => ("No longer modelled", now.clone()),
            Outcome::NotModelled { was, now } if was == now => {
                ("Changed, modelled on neither side", was.clone())
            }
            Outcome::NotModelled { was, now } => {
                ("Changed, modelled on neither side", format!("{was}, now {now}"))
            }
            _ => continue,
        };
        groups.entry((kind, why)).or_default().push(format!("{}:{}", change.isa.name(), change.id));
    }
    let mut shown = "";
    for ((kind, why), ids) in groups {
        if kind != shown {
            blocks.push(Block::Heading(2, kind.to_owned()));
            shown = kind;
        }
        blocks.push(Block::Names(format!("{} ({why})", ids.len()), ids));
    }
}

fn same(report: &Report, blocks: &mut Vec<Block>) {
    let mut groups: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for change in &report.changes {
        if let Outcome::Same { proof } = &change.outcome {
            let words = match proof {
                Proof::Identical => "the same function",
                Proof::Structural => "one expression after simplification",
                Proof::Smt => "proved by the solver",
            };
            groups.entry(words).or_default().push(format!("{}:{}", change.isa.name(), title(change)));
        }
    }
    if !groups.is_empty() {
        blocks.push(Block::Heading(2, "Same meaning".into()));
    }
    for (words, ids) in groups {
        blocks.push(Block::Names(format!("{} ({words})", ids.len()), ids));
    }
}

fn signatures(report: &Report, blocks: &mut Vec<Block>) {
    let mut rows = Vec::new();
    for change in &report.signatures {
        let mut what = match change.old == change.new {
            true => Vec::new(),
            false => vec![format!("{} → {}", change.old, change.new)],
        };
        what.extend(change.immediates.iter().cloned());
        let kind = match (change.types, change.immediates.is_empty()) {
            (true, _) => "types",
            (false, false) => "immediates",
            (false, true) => "names",
        };
        rows.push(vec![format!("{}:{}", change.isa.name(), change.id), kind.to_owned(), what.join("; ")]);
    }
    if !rows.is_empty() {
        blocks.push(Block::Heading(2, "Signatures".into()));
        blocks.push(Block::Table { header: vec!["entry", "in", "change"], rows, numbers: false });
    }
}

fn names(report: &Report, blocks: &mut Vec<Block>) {
    for (heading, list) in
        [("Renamed", &report.renamed), ("Removed, with another entry of the same meaning", &report.replaced)]
    {
        if !list.is_empty() {
            blocks.push(Block::Heading(2, heading.into()));
            let row =
                |found: &Renamed| vec![format!("{}:{}", found.isa.name(), found.old), found.new.clone()];
            let rows = list.iter().map(row).collect();
            blocks.push(Block::Table { header: vec!["old", "new"], rows, numbers: false });
        }
    }
    for (heading, entries) in [("Removed", &report.removed), ("Added", &report.added)] {
        let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for EntryName { isa, id, reason } in entries {
            let kind = reason
                .as_ref()
                .map_or_else(|| "modelled".to_owned(), |reason| format!("not modelled: {reason}"));
            groups.entry(format!("{} {kind}", isa.name())).or_default().push(id.clone());
        }
        if !groups.is_empty() {
            blocks.push(Block::Heading(2, heading.into()));
        }
        for (kind, ids) in groups {
            blocks.push(Block::Names(format!("{kind} ({})", ids.len()), ids));
        }
    }
}

fn errata(report: &Report, blocks: &mut Vec<Block>) {
    if report.errata.is_empty() {
        return;
    }
    blocks.push(Block::Heading(2, "Errata".into()));
    let row = |change: &ErratumChange| {
        let settled =
            if change.settled { "the new text means what the erratum made of the old one" } else { "" };
        vec![
            change.entry.clone(),
            change.erratum.clone(),
            change.old.clone(),
            change.new.clone(),
            settled.to_owned(),
        ]
    };
    let rows = report.errata.iter().map(row).collect();
    blocks.push(Block::Table { header: vec!["entry", "erratum", "old", "new", ""], rows, numbers: false });
}

fn operations(found: &Operations, blocks: &mut Vec<Block>) {
    blocks.push(Block::Heading(2, "Operations of the IR".into()));
    blocks.push(Block::Paragraph(format!("{} before, {} now.", found.old, found.new)));
    if found.is_empty() {
        blocks.push(Block::Paragraph("None differs.".into()));
    }
    let counted = |operation: &OperationCount| format!("{} ({})", operation.name, operation.members);
    for (what, list) in [("removed", &found.removed), ("added", &found.added)] {
        if !list.is_empty() {
            let names = list.iter().map(counted).collect();
            blocks.push(Block::Names(format!("{} {what}, with their members", list.len()), names));
        }
    }
    for (what, list) in [("split into", &found.split), ("merged from", &found.merged)] {
        let rows: Vec<Vec<String>> = list
            .iter()
            .map(|split| {
                let parts: Vec<String> = split.parts.iter().map(counted).collect();
                vec![split.name.clone(), what.to_owned(), parts.join(", ")]
            })
            .collect();
        if !rows.is_empty() {
            blocks.push(Block::Table { header: vec!["operation", "", "with members"], rows, numbers: false });
        }
    }
    let list = |values: &[String]| if values.is_empty() { "none".to_owned() } else { values.join(", ") };
    let tables: [(Vec<&'static str>, Vec<Vec<String>>); 3] = [
        (
            vec!["old name", "new name", "cause"],
            found
                .renamed
                .iter()
                .map(|renamed| vec![renamed.old.clone(), renamed.new.clone(), renamed.cause.to_string()])
                .collect(),
        ),
        (
            vec!["operation", "parameters added", "parameters removed"],
            found
                .params
                .iter()
                .map(|change| vec![change.name.clone(), list(&change.added), list(&change.removed)])
                .collect(),
        ),
        (
            vec!["member", "from", "to"],
            found
                .moved
                .iter()
                .map(|moved| {
                    vec![format!("{}:{}", moved.isa, moved.id), moved.from.clone(), moved.to.clone()]
                })
                .collect(),
        ),
    ];
    for (header, rows) in tables {
        if !rows.is_empty() {
            blocks.push(Block::Table { header, rows, numbers: false });
        }
    }
}
