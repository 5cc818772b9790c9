//! `llvm/lowering.json` and `llvm/AutoLLVMLowering.td`: which vendor intrinsic an instance stands for.
//!
//! An instance is an operation at given types and parameter values; it has a row for each member.

use std::collections::BTreeMap;

use autoir::{ArgSource, ArgsJson, Facts, Member, Operand};
use serde::Serialize;

use crate::identifier::llvm_type;
use crate::operation::Operation;
use crate::render::{COMMAND, Renderer};
use crate::{GenerateError, GeneratedFile, Options};

#[derive(Serialize)]
struct Row<'a> {
    op: &'a str,
    isa: &'a str,
    id: &'a str,
    intrinsic: &'a str,
    instance: String,
    params: BTreeMap<&'a str, i64>,
    types: Types,
    args: ArgsJson<'a>,
    masking: MaskingJson,
    proof: &'a str,
    mnemonics: Vec<&'a str>,
    extensions: Vec<&'a str>,
    signature: SignatureJson<'a>,
}

/// The LLVM types of the instance.
#[derive(Serialize)]
struct Types {
    results: Vec<String>,
    args: Vec<String>,
}

#[derive(Serialize)]
struct MaskingJson {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    mask: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pass_through: Option<u32>,
}

/// The vendor's C signature.
#[derive(Serialize)]
struct SignatureJson<'a> {
    results: Vec<OperandJson<'a>>,
    args: Vec<OperandJson<'a>>,
}

#[derive(Serialize)]
struct OperandJson<'a> {
    #[serde(rename = "type")]
    c_type: &'a str,
    width: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    immediate: Option<(i64, i64)>,
}

/// The table as JSON: an object whose first line tells its origin, with the current name of each former
/// name of an operation, and one row per line, sorted by operation, instruction set and id.
pub(crate) fn json(operations: &[Operation<'_>], options: &Options) -> Result<GeneratedFile, GenerateError> {
    let mut rows = Vec::new();
    for operation in operations {
        for (member, facts) in operation.op.instances() {
            rows.push(serde_json::to_string(&row(operation, member, facts))?);
        }
    }
    let rows = if rows.is_empty() { String::new() } else { format!("\n{}\n", rows.join(",\n")) };
    let mut aliases = BTreeMap::new();
    for operation in operations {
        aliases.extend(operation.op.aliases.iter().map(|alias| (alias, &operation.op.name)));
    }
    let contents = format!(
        "{{\"generated_by\":\"{COMMAND}\",\n\"llvm\":{},\n\"aliases\":{},\n\"lowerings\":[{rows}]}}\n",
        options.llvm.number(),
        serde_json::to_string(&aliases)?,
    );
    Ok(GeneratedFile { path: "llvm/lowering.json".to_owned(), contents })
}

fn row<'a>(operation: &'a Operation<'_>, member: &'a Member, facts: &Facts) -> Row<'a> {
    let operands = |operands: &'a [Operand]| {
        let operand = |operand: &'a Operand| OperandJson {
            c_type: &operand.c_type,
            width: operand.width,
            immediate: operand.immediate,
        };
        operands.iter().map(operand).collect()
    };
    Row {
        op: &operation.op.name,
        isa: &member.isa,
        id: &member.id,
        intrinsic: &member.intrinsic,
        instance: operation.instance_name(facts),
        params: operation.op.param_names().zip(member.params.iter().copied()).collect(),
        types: Types {
            results: facts.results.iter().copied().map(llvm_type).collect(),
            args: facts.args.iter().copied().map(llvm_type).collect(),
        },
        args: ArgsJson(&member.args),
        masking: MaskingJson {
            kind: member.masking.name(),
            mask: member.masking.mask(),
            pass_through: member.masking.pass_through(),
        },
        proof: member.proof.name(),
        mnemonics: sorted(&member.mnemonics),
        extensions: sorted(&member.extensions),
        signature: SignatureJson {
            results: operands(&member.signature.results),
            args: operands(&member.signature.args),
        },
    }
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
        isas: isas.into_iter().map(|isa| IsaRecord { record: isa_record(isa) }).collect(),
        rows,
    };
    renderer.render("llvm/AutoLLVMLowering.td", &context)
}

fn table_row(operation: &Operation<'_>, member: &Member, facts: &Facts) -> TableRow {
    let params: Vec<String> = member.params.iter().map(i64::to_string).collect();
    let instance = format!("{}({})", operation.instance_name(facts), params.join(","));
    let args: Vec<String> = member.args.iter().map(arg_text).collect();
    let position = |position: Option<u32>| position.map_or(NO_POSITION, |position| position.min(NO_POSITION));
    TableRow {
        op: operation.op.name.clone(),
        isa: isa_record(&member.isa),
        instance: quoted(&instance),
        intrinsic: quoted(&member.intrinsic),
        args: quoted(&args.join(",")),
        masking: quoted(member.masking.name()),
        mask: position(member.masking.mask()),
        pass_through: position(member.masking.pass_through()),
        extensions: quoted(&sorted(&member.extensions).join(",")),
    }
}

/// An argument's origin in one word: a position, `=0x…:width`, or `*position[lane]`.
fn arg_text(source: &ArgSource) -> String {
    match source {
        ArgSource::Position(position) => position.to_string(),
        ArgSource::Constant(bits) => format!("=0x{bits:x}:{}", bits.width()),
        ArgSource::Broadcast { position, lane: None } => format!("*{position}"),
        ArgSource::Broadcast { position, lane: Some(lane) } => format!("*{position}[{lane}]"),
    }
}

/// The part of an instruction set's record name that follows the prefix: its characters that an
/// identifier may hold.
fn isa_record(isa: &str) -> String {
    isa.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
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
            ArgSource::Position(2),
            ArgSource::Broadcast { position: 1, lane: None },
            ArgSource::Broadcast { position: 1, lane: Some(3) },
        ];
        assert_eq!(sources.map(|source| arg_text(&source)), ["2", "*1", "*1[3]"]);
    }
}
