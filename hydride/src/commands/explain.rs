//! `hydride explain`: what an instruction or an operation is, in one page.

mod pair;
mod uses;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use anyhow::Result;
use catalog::record::{MemoryAccess, MemoryRecord, PartRecord, SignatureRecord, SourceRecord};
use catalog::{Certificate, MemberRecord, OperationRecord, Proof};
use clap::Args;
use hydride_ir::Function;

use crate::Session;
use crate::console;
use crate::dictionary::{Dictionary, DictionaryArgs};

/// Arguments of `hydride explain`.
#[derive(Args)]
pub struct ExplainArgs {
    #[command(flatten)]
    dictionary: DictionaryArgs,
    /// An instruction's id (`arm:ID` where several instruction sets have it), or an operation's name.
    first: String,
    /// Another instruction: describe what the two have in common and how they differ.
    second: Option<String>,
}

/// Siblings listed for one instruction set.
const LISTED: usize = 6;

/// Prints the explanation.
pub fn run(session: &Session, args: &ExplainArgs) -> Result<u8> {
    let dictionary = args.dictionary.read(session)?;
    console::print(page(session, &dictionary, &args.first, args.second.as_deref())?.as_bytes())?;
    Ok(0)
}

/// The explanation of an instruction or operation, or of how two instructions differ.
pub fn page(session: &Session, dictionary: &Dictionary, first: &str, second: Option<&str>) -> Result<String> {
    let mut page = String::new();
    match second {
        Some(second) => pair::explain(&mut page, dictionary, first, second)?,
        None => explain(&mut page, session, dictionary, first)?,
    }
    Ok(page)
}

fn explain(page: &mut String, session: &Session, dictionary: &Dictionary, name: &str) -> Result<()> {
    let found = dictionary.instructions(name);
    for (class, member) in &found {
        instruction(page, session, dictionary, class, member)?;
    }
    if let Some(class) = dictionary.operations.iter().find(|class| class.name == name) {
        return operation(page, dictionary, class);
    }
    if found.is_empty() {
        let lines = dictionary.ledger(name)?;
        if lines.is_empty() {
            return Err(dictionary.unknown(name));
        }
        for line in lines {
            let reason = line.reason.unwrap_or_default();
            let message = line.message.map_or(String::new(), |message| format!(": {message}"));
            writeln!(
                page,
                "{} ({}) is in no operation: {}, {reason}{message}",
                line.id, line.isa, line.status
            )?;
        }
    }
    Ok(())
}

fn instruction(
    page: &mut String,
    session: &Session,
    dictionary: &Dictionary,
    class: &OperationRecord,
    member: &MemberRecord,
) -> Result<()> {
    writeln!(page, "{} ({})", member.id, member.isa)?;
    let lowering = dictionary.lowering(member)?;
    let function = dictionary.parsed(member)?;
    row(page, "signature", &signature(&lowering.signature, &function));
    row(page, "mnemonic", &lowering.mnemonics.join(", "));
    row(page, "needs", &lowering.extensions.join(", "));
    row(page, "operation", &class.name);
    row(page, "parameters", &params(class, member));
    row(page, "arguments", &arguments(member));
    row(page, "masking", &masking(member));
    row(page, "part", &part(member));
    row(page, "memory", &memory(member));
    row(page, "membership", &proof(member));
    row(page, "trust", &trust(dictionary, member)?);
    row(page, "legal where", &class.constraints.join(", "));
    for (name, use_of_it) in uses::rows(&dictionary.uses(session, member)?, lowering, &function) {
        row(page, name, &use_of_it);
    }
    page.push('\n');
    write!(page, "{}", dictionary.canonical(member)?.unwrap_or(function))?;
    page.push('\n');
    siblings(page, class, member)
}

fn operation(page: &mut String, dictionary: &Dictionary, class: &OperationRecord) -> Result<()> {
    writeln!(page, "operation {}", class.name)?;
    let counts: Vec<String> =
        by_isa(class).into_iter().map(|(isa, members)| format!("{} {isa}", members.len())).collect();
    row(page, "members", &counts.join(", "));
    for param in &class.params {
        let values: BTreeSet<i64> =
            class.members.iter().filter_map(|member| member.params.get(param)).copied().collect();
        let values: Vec<String> = values.iter().map(i64::to_string).collect();
        row(page, param, &values.join(" "));
    }
    row(page, "legal where", &class.constraints.join(", "));
    page.push('\n');
    write!(page, "{}", dictionary.formula(class)?)?;
    page.push('\n');
    for (isa, members) in by_isa(class) {
        let ids: Vec<&str> = members.iter().take(LISTED).map(|member| member.id.as_str()).collect();
        row(page, isa, &listed(&ids, members.len()));
    }
    Ok(())
}

/// Adds a line to the page; nothing if it is empty.
pub fn row(page: &mut String, name: &str, what: &str) {
    if !what.is_empty() {
        page.push_str(&format!("  {name:<13} {what}\n"));
    }
}

fn signature(signature: &SignatureRecord, function: &Function) -> String {
    let args: Vec<&str> = signature.args.iter().map(|operand| operand.c_type.as_str()).collect();
    let results: Vec<&str> =
        uses::returned(signature, function).map(|(result, _)| result.c_type.as_str()).collect();
    let results = if results.is_empty() { "void".to_owned() } else { results.join(", ") };
    format!("{results} ({})", args.join(", "))
}

/// The instruction's operands in memory.
fn memory(member: &MemberRecord) -> String {
    let one = |memory: &MemoryRecord| {
        let access = match (memory.access, memory.element) {
            (MemoryAccess::Load, None) => "is read".to_owned(),
            (MemoryAccess::Store, None) => "is written".to_owned(),
            (MemoryAccess::Load, Some(width)) => format!("are elements of {width} bits that are gathered"),
            (MemoryAccess::Store, Some(width)) => format!("are elements of {width} bits that are scattered"),
        };
        let align =
            if memory.align > 1 { format!(", aligned to {} bytes", memory.align) } else { String::new() };
        let hint = if memory.non_temporal { ", not kept in caches" } else { "" };
        format!("what is at argument {} {access}{align}{hint}", memory.arg)
    };
    member.memory.iter().map(one).collect::<Vec<_>>().join("; ")
}

/// Parameter values in words, in the operation's order.
pub fn params(class: &OperationRecord, member: &MemberRecord) -> String {
    let values = class.params.iter().filter_map(|name| Some((name, member.params.get(name)?)));
    let all: Vec<String> = values.map(|(name, value)| format!("{name} = {value}")).collect();
    all.join(", ")
}

/// Which of the instruction's arguments the operation's are.
pub fn arguments(member: &MemberRecord) -> String {
    let all: Vec<String> = member
        .args
        .iter()
        .enumerate()
        .map(|(position, source)| {
            let name = char::from(b'a' + (position % 26) as u8);
            format!("{name} = {}", origin(source))
        })
        .collect();
    all.join(", ")
}

/// Where an argument comes from, in words.
fn origin(source: &SourceRecord) -> String {
    match source {
        SourceRecord::Position(own) => format!("argument {own}"),
        SourceRecord::Constant { constant } => format!("0x{constant}"),
        SourceRecord::Broadcast { broadcast, lane, low, width, stride } => {
            let lane = lane.map_or_else(String::new, |lane| format!(" + {width}*argument {lane}"));
            let gap = if width == stride { String::new() } else { format!(", {stride} bits apart") };
            format!("every element: argument {broadcast} [{low}{lane} +: {width}]{gap}")
        }
        SourceRecord::Masked { masked, mask, lane, inactive } => {
            format!(
                "argument {masked}, with 0x{inactive} in lanes of {lane} bits whose bit of argument {mask} is 0"
            )
        }
    }
}

/// Masking in words.
pub fn masking(member: &MemberRecord) -> String {
    let kind = member.masking.name();
    let Some(mask) = member.mask_arg else { return kind.to_owned() };
    let mut text = format!("{kind}, mask is argument {mask}");
    if let Some(layout) = member.mask_layout {
        let bits = match layout.stride {
            1 => "a bit".to_owned(),
            stride => format!("each bit at a multiple of {stride}"),
        };
        text.push_str(&format!(", {bits} for {} bits of the result", layout.lane));
        if layout.negated {
            text.push_str(", which is 0 where the operation's value is taken");
        }
    }
    if let Some(kept) = member.pass_arg {
        text.push_str(&format!(", argument {kept} passes through"));
    }
    text
}

/// Masking and part in a few words.
pub fn modifiers(member: &MemberRecord) -> String {
    let mut text = format!("masking {}", member.masking.name());
    if let Some(layout) = member.mask_layout {
        if layout.stride != 1 {
            text.push_str(&format!(" by every bit {}", layout.stride));
        }
        if layout.negated {
            text.push_str(" by bits that are 0");
        }
    }
    if let Some(part) = member.part {
        text.push_str(&format!(", part {} +: {}", part.low, part.width));
    }
    text
}

/// In words the part of the result that the operation writes; empty where it is the whole.
pub fn part(member: &MemberRecord) -> String {
    member.part.map_or_else(String::new, |PartRecord { low, width, pass_through }| {
        format!("bits [{low} +: {width}] of the result, the others are those of argument {pass_through}")
    })
}

/// How the membership is shown, in words.
pub fn proof(member: &MemberRecord) -> String {
    let proof = match member.proof {
        Proof::Structural => "proved: one expression after simplification",
        Proof::Smt => "proved by the solver",
    };
    match member.certificate {
        Certificate::Exact => proof.to_owned(),
        Certificate::UpToNan => format!("{proof}, up to the choice among NaNs"),
    }
}

fn trust(dictionary: &Dictionary, member: &MemberRecord) -> Result<String> {
    let lines = dictionary.ledger(&member.id)?;
    let trust = lines.into_iter().find(|line| line.isa == member.isa).and_then(|line| line.trust);
    let run = trust.as_ref().and_then(|trust| trust.get("run"));
    Ok(match (run, member.trust.as_deref()) {
        (Some(run), _) => {
            format!("agrees with {} on {} inputs", run["cpu"].as_str().unwrap_or("a CPU"), run["inputs"])
        }
        (None, Some("proved")) => "read from the document, canonical form proved; not run on hardware".into(),
        (None, Some("parsed")) => "read from the document; not run on hardware".into(),
        (None, other) => other.unwrap_or("not known").to_owned(),
    })
}

fn by_isa(class: &OperationRecord) -> BTreeMap<&str, Vec<&MemberRecord>> {
    let mut all: BTreeMap<&str, Vec<&MemberRecord>> = BTreeMap::new();
    for member in &class.members {
        all.entry(&member.isa).or_default().push(member);
    }
    all
}

/// Its siblings: for each instruction set the most similar ones.
fn siblings(page: &mut String, class: &OperationRecord, own: &MemberRecord) -> Result<()> {
    if class.members.len() == 1 {
        writeln!(page, "It is the only member of {}.", class.name)?;
        return Ok(());
    }
    for (isa, mut members) in by_isa(class) {
        members.retain(|member| (&member.isa, &member.id) != (&own.isa, &own.id));
        let distance = |member: &&MemberRecord| {
            let other = |name: &&String| member.params.get(*name) != own.params.get(*name);
            (own.params.keys().filter(other).count(), member.masking != own.masking, member.id.clone())
        };
        members.sort_by_cached_key(distance);
        let same: Vec<&str> = members
            .iter()
            .filter(|member| member.params == own.params)
            .map(|member| member.id.as_str())
            .collect();
        let others: Vec<String> = members
            .iter()
            .filter(|member| member.params != own.params)
            .take(LISTED)
            .map(|member| format!("{} ({})", member.id, changed(own, member)))
            .collect();
        if !same.is_empty() {
            row(
                page,
                isa,
                &format!("same parameters: {}", listed(&same[..same.len().min(LISTED)], same.len())),
            );
        }
        let rest = members.len() - same.len();
        if rest > 0 {
            let others: Vec<&str> = others.iter().map(String::as_str).collect();
            row(page, isa, &format!("other parameters: {}", listed(&others, rest)));
        }
    }
    Ok(())
}

/// The parameters in which another member differs.
pub fn changed(own: &MemberRecord, other: &MemberRecord) -> String {
    let differ = other.params.iter().filter(|(name, value)| own.params.get(*name) != Some(*value));
    let differ: Vec<String> = differ.map(|(name, value)| format!("{name} = {value}")).collect();
    differ.join(", ")
}

fn listed(names: &[&str], total: usize) -> String {
    let rest = total - names.len();
    if rest == 0 { names.join(", ") } else { format!("{} and {rest} more", names.join(", ")) }
}
