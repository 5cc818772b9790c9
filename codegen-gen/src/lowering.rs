//! `llvm/lowering.json` and `llvm/AutoLLVMLowering.td`: which vendor intrinsic implements an instance.
//!
//! An instance is an operation at given types and parameter values; it has a row for each member.

use std::collections::BTreeMap;

use autoir::{Facts, Member};
use catalog::record::{
    MaskLayout, MaskingKind, MemoryRecord, PartRecord, SignatureRecord, SourceRecord, is_false,
};
use catalog::{Broadcast, Masked, Proof, Source, constant};
use llvm_text::Type;
use rayon::prelude::*;
use serde::Serialize;

use crate::definitions::{Definitions, Signature};
use crate::identifier::{llvm_type, word};
use crate::mlir::example::Example;
use crate::mlir::memory::MemoryOperation;
use crate::operation::Operation;
use crate::render::Renderer;
use crate::{GenerateError, GeneratedFile, Options};

#[derive(Serialize)]
pub(crate) struct Row<'a> {
    op: &'a str,
    isa: &'a str,
    id: &'a str,
    intrinsic: &'a str,
    instance: String,
    /// A use of the operation in MLIR: with operands in memory where the dialect has it so, else without the member's mask.
    mlir: String,
    /// Its definition in `lowering/ISA.ll`, where it has one.
    function: Option<&'a Signature>,
    /// The definition at the operation's types, on the row of the member that it is derived from.
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<&'a Signature>,
    params: BTreeMap<&'a str, i64>,
    types: Types,
    args: Vec<SourceRecord>,
    masking: MaskingJson,
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<PartRecord>,
    /// Whether the member's result is wider than the operation's, with zeros above.
    #[serde(skip_serializing_if = "is_false")]
    rest_is_zero: bool,
    /// The member's operands in memory.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    memory: Vec<MemoryRecord>,
    proof: Proof,
    mnemonics: Vec<&'a str>,
    extensions: Vec<&'a str>,
    /// The same in LLVM's spelling, with what the types of operands need.
    features: &'a [String],
    signature: SignatureRecord,
}

/// The LLVM types of the instance.
#[derive(Serialize)]
struct Types {
    results: Vec<Type>,
    args: Vec<Type>,
}

#[derive(Serialize)]
struct MaskingJson {
    kind: MaskingKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    mask: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pass_through: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    layout: Option<MaskLayout>,
}

#[derive(Serialize)]
struct Table {
    llvm: u32,
    /// The current name for each former name of an operation, as a JSON object.
    aliases: String,
    rows: Vec<String>,
}

/// The table as JSON: an object whose first line gives its origin, with the current name for each former name
/// of an operation, and one row per line, sorted by operation, instruction set and id.
pub(crate) fn json(
    renderer: &Renderer,
    operations: &[Operation<'_>],
    definitions: &Definitions,
    options: &Options,
) -> Result<GeneratedFile, GenerateError> {
    let rows_of = |operation: &Operation<'_>| -> Result<Vec<String>, serde_json::Error> {
        let rows = operation.op.instances();
        let rows = rows.map(|(member, facts)| row(operation, member, facts, definitions, options));
        rows.map(|row| serde_json::to_string(&row)).collect()
    };
    let rows: Vec<Vec<String>> = operations.par_iter().map(rows_of).collect::<Result<_, _>>()?;
    let rows = rows.into_iter().flatten().collect();
    let aliases = operations.iter().map(|operation| operation.op);
    let aliases: BTreeMap<&String, &String> =
        aliases.flat_map(|op| op.aliases.iter().map(move |alias| (alias, &op.name))).collect();
    let table = Table { llvm: options.llvm.number(), aliases: serde_json::to_string(&aliases)?, rows };
    renderer.render("llvm/lowering.json", &table)
}

pub(crate) fn row<'a>(
    operation: &'a Operation<'_>,
    member: &'a Member,
    facts: &Facts,
    definitions: &'a Definitions,
    options: &'a Options,
) -> Row<'a> {
    let application = &member.application;
    let masking = application.masking;
    let key = (member.isa.clone(), member.id.clone());
    Row {
        op: &operation.op.name,
        isa: &member.isa,
        id: &member.id,
        intrinsic: &member.intrinsic,
        instance: instance(operation, member, facts),
        mlir: in_mlir(operation, member, facts, options),
        function: definitions.signatures.get(&key),
        operation: definitions.operations.get(&key),
        params: operation.op.param_names().zip(member.application.params.iter().copied()).collect(),
        types: Types {
            results: facts.results.iter().copied().map(llvm_type).collect(),
            args: facts.args.iter().copied().map(llvm_type).collect(),
        },
        args: facts.sources(application).collect(),
        masking: MaskingJson {
            kind: MaskingKind::of(masking),
            mask: masking.map(|masking| masking.mask),
            pass_through: masking.and_then(|masking| masking.pass),
            layout: masking.map(Into::into),
        },
        part: application.part.map(Into::into),
        rest_is_zero: rest_is_zero(member, facts),
        memory: member.signature.memory().collect(),
        proof: member.proof,
        mnemonics: sorted(&member.mnemonics),
        extensions: sorted(&member.extensions),
        features: options.features.of(&member.isa, &member.id),
        signature: (&member.signature).into(),
    }
}

/// A use of the operation in MLIR: with operands in memory where the dialect has the member so, else without its mask.
fn in_mlir(operation: &Operation<'_>, member: &Member, facts: &Facts, options: &Options) -> String {
    let operand = |name: &str| format!("%{name}");
    match MemoryOperation::of_member(operation, member, facts, options) {
        Some((own, instance)) => Example::of_memory(&own, &instance).custom(operand),
        None => Example::of(operation, &member.application.params, facts).custom(operand),
    }
}

fn rest_is_zero(member: &Member, facts: &Facts) -> bool {
    member.rest_is_zero(facts.results.iter().map(|result| result.width()))
}

/// The mangled intrinsic with the values of its attributes.
fn instance(operation: &Operation<'_>, member: &Member, facts: &Facts) -> String {
    let params = operation.attribute_values(&member.application.params);
    format!("{}({})", operation.instance_name(facts), params.join(","))
}

fn sorted(words: &[String]) -> Vec<&str> {
    let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
    words.sort_unstable();
    words.dedup();
    words
}

#[derive(Serialize)]
struct Tables {
    ops: Vec<String>,
    isas: Vec<IsaRecord>,
    rows: Vec<TableRow>,
}

#[derive(Serialize)]
struct IsaRecord {
    record: String,
}

/// The table's position of an argument that does not exist (TableGen tables hold unsigned numbers).
const NO_POSITION: u32 = 255;

#[derive(Serialize)]
struct TableRow {
    op: String,
    isa: String,
    instance: String,
    intrinsic: String,
    args: String,
    masking: String,
    mask: u32,
    pass_through: u32,
    rest: u32,
    extensions: String,
}

/// The table as TableGen records for `-gen-searchable-tables`. Strings in it are quoted and escaped.
pub(crate) fn tables(
    renderer: &Renderer,
    operations: &[&Operation<'_>],
) -> Result<GeneratedFile, GenerateError> {
    let mut isas: Vec<&str> = operations.iter().flat_map(|operation| operation.op.isas()).collect();
    isas.sort_unstable();
    isas.dedup();
    let mut rows = Vec::new();
    for operation in operations {
        for (member, facts) in operation.op.instances() {
            rows.push(table_row(operation, member, facts));
        }
    }
    let context = Tables {
        ops: operations.iter().map(|operation| operation.op.name.clone()).collect(),
        isas: isas.into_iter().map(|isa| IsaRecord { record: word(isa) }).collect(),
        rows,
    };
    renderer.render("llvm/AutoLLVMLowering.td", &context)
}

fn table_row(operation: &Operation<'_>, member: &Member, facts: &Facts) -> TableRow {
    let instance = instance(operation, member, facts);
    let application = &member.application;
    let args = application.args.iter().zip(&facts.args);
    let args: Vec<String> = args.map(|(source, shape)| arg_text(*source, shape.width())).collect();
    let position = |position: Option<u32>| position.map_or(NO_POSITION, |position| position.min(NO_POSITION));
    TableRow {
        op: operation.op.name.clone(),
        isa: word(&member.isa),
        instance: quoted(&instance),
        intrinsic: quoted(&member.intrinsic),
        args: quoted(&args.join(",")),
        masking: quoted(&masking_text(member, facts)),
        mask: position(application.masking.map(|masking| masking.mask)),
        pass_through: position(application.masking.and_then(|masking| masking.pass)),
        rest: position(application.part.map(|part| part.pass)),
        extensions: quoted(&sorted(&member.extensions).join(",")),
    }
}

/// How the operation's result is masked, in one word: `none`, `zero` or `merge`, with `:STRIDE:LANE` if the mask does
/// not have one bit per element and `:not` if a 0 bit selects the value, then `part:LOW+WIDTH` if the operation writes
/// only a part, or `rest:zero` if the member's result has zeros above it, then the operands in memory. A lookup of the
/// plain word finds no other rows.
fn masking_text(member: &Member, facts: &Facts) -> String {
    let mut words = Vec::new();
    let application = &member.application;
    let kind = MaskingKind::of(application.masking).name();
    if let Some(masking) = application.masking {
        let mut word = kind.to_owned();
        if let Some((stride, lane)) = facts.uneven_mask(masking) {
            word.push_str(&format!(":{stride}:{lane}"));
        }
        if masking.negated {
            word.push_str(":not");
        }
        words.push(word);
    }
    words.extend(application.part.map(|part| format!("part:{}+{}", part.low, part.width)));
    words.extend(rest_is_zero(member, facts).then(|| "rest:zero".to_owned()));
    words.extend(member.signature.memory().map(|memory| memory.text()));
    if words.is_empty() { kind.to_owned() } else { words.join(",") }
}

/// The origin of an argument of `bits` bits in one word: a position, `=0x…:width`,
/// `*position[low+width*%lane:width]/stride`, or `position?mask/lane:0x…`.
fn arg_text(source: Source, bits: u32) -> String {
    match source {
        Source::Own(position) => position.to_string(),
        Source::Constant(value) => format!("=0x{:x}:{bits}", constant(value, bits)),
        Source::Broadcast(Broadcast { arg, lane, low, width, stride }) => {
            let lane = lane.map_or_else(String::new, |(lane, _)| format!("+{width}*%{lane}"));
            format!("*{arg}[{low}{lane}:{width}]/{stride}")
        }
        Source::Masked(Masked { arg, mask, lane, inactive }) => {
            format!("{arg}?{mask}/{lane}:0x{:x}", constant(inactive, lane))
        }
    }
}

/// A TableGen string literal.
fn quoted(text: &str) -> String {
    let mut literal = String::from('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => literal.extend(['\\', character]),
            '\n' => literal.push_str("\\n"),
            '\t' => literal.push_str("\\t"),
            _ if character.is_control() => literal.push(' '),
            _ => literal.push(character),
        }
    }
    literal.push('"');
    literal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_escaped() {
        assert_eq!(quoted("a\"b\\c\nd\u{7}"), r#""a\"b\\c\nd ""#);
    }

    #[test]
    fn origins_in_one_word() {
        let sources = [
            Source::Own(2),
            Source::Constant(-1),
            Source::Broadcast(Broadcast { arg: 1, lane: None, low: 0, width: 8, stride: 16 }),
            Source::Broadcast(Broadcast { arg: 1, lane: Some((3, 2)), low: 0, width: 16, stride: 16 }),
            Source::Masked(Masked { arg: 1, mask: 0, lane: 8, inactive: -1 }),
        ];
        let texts = sources.map(|source| arg_text(source, 6));
        assert_eq!(texts, ["2", "=0x3f:6", "*1[0:8]/16", "*1[0+16*%3:16]/16", "1?0/8:0xff"]);
    }
}
