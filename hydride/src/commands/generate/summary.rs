//! `summary.json` and `ledger.jsonl`; `docs/src/outputs.md` describes both.

use std::collections::{BTreeMap, BTreeSet};

use catalog::record::{MaskingKind, MemberRecord, SourceRecord};
use catalog::{Proof, Trust};
use parsers::{Isa, LedgerEntry, Status};
use serde::{Deserialize, Serialize};

use crate::console::Phases;
use crate::documents::Documents;
use crate::pipeline::Pipeline;
use crate::{Session, manifest};

#[derive(Serialize, Deserialize)]
struct Summary {
    schema: u32,
    specs: Vec<Spec>,
    ledger: BTreeMap<String, Ledger>,
    classes: BTreeMap<String, usize>,
    classes_masking_separate: BTreeMap<String, usize>,
    classes_modifiers_separate: BTreeMap<String, usize>,
    members: Members,
    phases: Vec<PhaseTime>,
    seconds: f64,
    peak_rss_mib: u64,
    jobs: usize,
}

#[derive(Serialize, Deserialize)]
struct Spec {
    isa: String,
    file: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    blake3: String,
    entries: usize,
}

#[derive(Serialize, Deserialize, Default)]
struct Ledger {
    entries: usize,
    modelled: usize,
    excluded: BTreeMap<String, usize>,
    failed: usize,
}

#[derive(Serialize, Deserialize)]
struct Members {
    total: usize,
    proved_structural: usize,
    proved_smt: usize,
    /// Of the proved ones, those that leave the choice among NaNs open.
    up_to_nan: usize,
    unknown: usize,
}

#[derive(Serialize, Deserialize)]
struct PhaseTime {
    name: String,
    seconds: f64,
}

/// What is done with the arguments and the result of an operation.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Modifiers {
    masking: &'static str,
    inverted_mask: bool,
    part: bool,
    rest_is_zero: bool,
    broadcast: bool,
    constant: bool,
    masked_argument: bool,
    repeated: bool,
}

impl Modifiers {
    fn of(member: &MemberRecord) -> Self {
        let args = &member.args;
        Self {
            masking: member.masking.name(),
            inverted_mask: member.mask_layout.is_some_and(|layout| layout.negated),
            part: member.part.is_some(),
            rest_is_zero: member.rest_is_zero,
            broadcast: args.iter().any(|source| matches!(source, SourceRecord::Broadcast { .. })),
            constant: args.iter().any(|source| matches!(source, SourceRecord::Constant { .. })),
            masked_argument: args.iter().any(|source| matches!(source, SourceRecord::Masked { .. })),
            repeated: args.iter().enumerate().any(|(at, source)| args[..at].contains(source)),
        }
    }
}

/// The combinations of instruction sets that are counted: each one, each two, and all. Names of two are in reverse
/// alphabetical order.
fn combinations(names: &[&'static str]) -> Vec<(String, Vec<&'static str>)> {
    let mut combinations = vec![("all".to_owned(), names.to_vec())];
    for (at, one) in names.iter().enumerate() {
        combinations.push(((*one).to_owned(), vec![one]));
        for other in &names[at + 1..] {
            combinations.push((format!("{}+{}", one.max(other), one.min(other)), vec![one, other]));
        }
    }
    combinations
}

/// The summary of a run as JSON.
pub fn summary(
    session: &Session,
    pipeline: &Pipeline,
    documents: &Documents,
    phases: &Phases,
    seconds: f64,
    jobs: usize,
) -> String {
    let specs = documents
        .documents
        .iter()
        .map(|document| {
            let parsed =
                pipeline.parsed.iter().find(|(isa, _)| *isa == document.isa).map(|(_, parsed)| parsed);
            let blake3 = blake3::hash(&document.bytes).to_hex().to_string();
            let stated = session.set(document.isa).front_end.states_version;
            let own = parsed.filter(|parsed| stated && !parsed.version.is_empty());
            let version = own.map(|parsed| parsed.version.clone());
            Spec {
                isa: document.isa.name().to_owned(),
                file: document.name.clone(),
                version: version.or_else(|| manifest::version(&blake3)),
                blake3,
                entries: parsed.map_or(0, |parsed| parsed.ledger.len()),
            }
        })
        .collect();
    let ledger = pipeline.ledgers().map(|(isa, entries)| (isa.name().to_owned(), count(entries))).collect();
    // An instruction set counts each operation once, once for each kind of masking among its members, and once for each
    // combination of modifiers.
    let mut classes = BTreeMap::new();
    let mut separate = BTreeMap::new();
    let mut modified = BTreeMap::new();
    let modifiers: Vec<Vec<(String, Modifiers)>> = pipeline
        .dialect
        .families()
        .iter()
        .map(|family| {
            family.member_records().map(|member| (member.isa.clone(), Modifiers::of(&member))).collect()
        })
        .collect();
    let names: Vec<&str> = session.sets().map(|set| set.name).collect();
    for (name, isas) in combinations(&names) {
        let mut operations = 0;
        let mut masked = 0;
        let mut combined = 0;
        for family in pipeline.dialect.families() {
            let kinds: BTreeSet<&str> = family
                .class
                .members
                .iter()
                .filter(|member| isas.contains(&member.isa.as_str()))
                .map(|member| MaskingKind::of(member.application.masking).name())
                .collect();
            operations += usize::from(!kinds.is_empty());
            masked += kinds.len();
        }
        for members in &modifiers {
            let own = members.iter().filter(|(isa, _)| isas.contains(&isa.as_str()));
            combined += own.map(|(_, modifiers)| modifiers).collect::<BTreeSet<_>>().len();
        }
        classes.insert(name.clone(), operations);
        separate.insert(name.clone(), masked);
        modified.insert(name, combined);
    }
    let proofs =
        || pipeline.partition.classes.iter().flat_map(|class| &class.members).map(|member| &member.proof);
    let undecided = |refusal: &&similarity::Refusal| matches!(refusal, similarity::Refusal::Unknown(_));
    let unknown = pipeline.partition.unknown.iter().map(|(_, refusal)| refusal).filter(undecided).count();
    let smt = proofs().filter(|proof| **proof == Proof::Smt).count();
    let total = proofs().count();
    let members = pipeline.dialect.families().iter().flat_map(|family| &family.class.members);
    let up_to_nan = members.filter(|member| !member.certificate.is_exact()).count();
    let summary = Summary {
        schema: 1,
        specs,
        ledger,
        classes,
        classes_masking_separate: separate,
        classes_modifiers_separate: modified,
        members: Members {
            total,
            proved_structural: total - smt - unknown,
            proved_smt: smt,
            up_to_nan,
            unknown,
        },
        phases: times(phases),
        seconds: rounded(seconds),
        peak_rss_mib: peak_rss_mib(),
        jobs,
    };
    text(&summary)
}

/// The summary of a run that found the outputs of an earlier one, whose summary is `earlier`.
pub fn summary_again(earlier: &str, phases: &Phases, seconds: f64, jobs: usize) -> Option<String> {
    let earlier: Summary = serde_json::from_str(earlier).ok()?;
    let (phases, seconds) = (times(phases), rounded(seconds));
    Some(text(&Summary { phases, seconds, peak_rss_mib: peak_rss_mib(), jobs, ..earlier }))
}

fn text(summary: &Summary) -> String {
    let mut text = serde_json::to_string_pretty(summary).unwrap_or_default();
    text.push('\n');
    text
}

fn times(phases: &Phases) -> Vec<PhaseTime> {
    let time = |(name, duration): &(String, std::time::Duration)| PhaseTime {
        name: name.clone(),
        seconds: rounded(duration.as_secs_f64()),
    };
    phases.durations().iter().map(time).collect()
}

fn rounded(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}

fn count(entries: &[LedgerEntry]) -> Ledger {
    let mut ledger = Ledger { entries: entries.len(), ..Ledger::default() };
    for entry in entries {
        match &entry.status {
            Status::Modelled => ledger.modelled += 1,
            Status::Excluded { reason, .. } => *ledger.excluded.entry(reason.clone()).or_default() += 1,
            Status::Failed { .. } => ledger.failed += 1,
        }
    }
    ledger
}

/// Peak resident memory of this process; 0 where the system does not report it.
fn peak_rss_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix("kB")?.trim().parse::<u64>().ok())
        .map_or(0, |kib| kib / 1024)
}

#[derive(Serialize)]
struct LedgerLine<'a> {
    isa: &'static str,
    id: &'a str,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    span: Option<&'a parsers::Span>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trust: Option<&'a Trust>,
}

/// The ledger of one instruction set, one JSON object a line; `trusts` gives the trust of modelled entries by
/// id.
pub fn ledger_lines(isa: Isa, entries: &[LedgerEntry], trusts: &BTreeMap<&str, &Trust>) -> String {
    let mut text = String::new();
    for entry in entries {
        let trust = match entry.status {
            Status::Modelled => trusts.get(entry.id.as_str()).copied(),
            Status::Excluded { .. } | Status::Failed { .. } => None,
        };
        let (status, reason, message) = match &entry.status {
            Status::Modelled => ("modelled", None, None),
            Status::Excluded { reason, message } => ("excluded", Some(reason.as_str()), message.as_deref()),
            Status::Failed { reason, message } => ("failed", Some(reason.as_str()), Some(message.as_str())),
        };
        let line = LedgerLine {
            isa: isa.name(),
            id: &entry.id,
            status,
            reason,
            message,
            span: Some(&entry.span),
            trust,
        };
        text.push_str(&serde_json::to_string(&line).unwrap_or_default());
        text.push('\n');
    }
    text
}
