//! Ported instructions as a header: functions in C with the names and types that the vendor's header has.

use std::fmt::Write as _;

use parsers::{Instruction, Kind};

use super::sources::letter;
use super::table::{Row, by_instruction};
use crate::commands::synth::targets::Ground;
use crate::isa::InstructionSet;

/// The header of all instructions whose every choice of immediates has a sequence; with the instructions.
pub fn header<'a>(
    rows: &[Row<'a>],
    from: &InstructionSet,
    ground: &Ground,
) -> (String, Vec<&'a Instruction>) {
    let guard = format!("HYDRIDE_{}_ON_{}_H", from.name, ground.named.name).to_uppercase();
    let mut text = format!(
        "/* Instructions of {} on {}, written by hydride port. Each function is a sequence that is proved to compute what\n   \
         the vendor's document says; its arguments and results are the document's, lane 0 lowest in memory. Needs GNU C\n   \
         (clang or gcc), little-endian, and the options {}. Immediates may be any value that is documented; others are\n   \
         undefined. */\n#ifndef {guard}\n#define {guard}\n\n#include <stdint.h>\n",
        from.name,
        ground.named.name,
        ground.named.options[1..].join(" ")
    );
    for header in &ground.named.headers {
        let _ = writeln!(text, "#include <{header}>");
    }
    text +=
        "\n#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__\n#error \"little-endian targets only\"\n#endif\n\n";
    text += from.c_types;
    text += "\n#define HYDRIDE_PORT static inline __attribute__((always_inline, unused))\n";
    let mut written = Vec::new();
    for rows in by_instruction(rows) {
        let instruction = rows[0].source.instruction;
        if let Some(lines) = function(instruction, rows) {
            text.push('\n');
            text += &lines;
            written.push(instruction);
        }
    }
    text += "\n#undef HYDRIDE_PORT\n#endif\n";
    (text, written)
}

/// The type that the call returns.
pub fn result_type(instruction: &Instruction) -> Option<String> {
    let results = &instruction.signature.results;
    let first = &results.first()?.c_type;
    match results.len() {
        1 => Some(first.clone()),
        // Several registers of one type are a structure of them.
        count => Some(format!("{}x{count}_t", first.strip_suffix("_t")?))
            .filter(|_| results.iter().all(|result| result.c_type == *first)),
    }
}

/// The parameters, with the names that bodies know them by.
pub fn parameters(instruction: &Instruction) -> String {
    let parameter =
        |(position, arg): (usize, &parsers::Argument)| format!("{} {}", arg.c_type, letter(position));
    let all: Vec<String> = instruction.signature.args.iter().enumerate().map(parameter).collect();
    if all.is_empty() { "void".into() } else { all.join(", ") }
}

fn function(instruction: &Instruction, rows: &[Row<'_>]) -> Option<String> {
    let result = result_type(instruction)?;
    let mut text =
        format!("HYDRIDE_PORT {result} {}({})\n{{\n", instruction.intrinsic, parameters(instruction));
    let immediates: Vec<String> = instruction
        .signature
        .args
        .iter()
        .enumerate()
        .filter(|(_, arg)| matches!(arg.kind, Kind::Immediate(_)))
        .map(|(position, _)| letter(position))
        .collect();
    let _ = writeln!(text, "  {result} result;");
    for (number, row) in rows.iter().enumerate() {
        let body = row.found?.body.as_ref().ok()?;
        // Choices are tried one after the other; a constant leaves one.
        if !immediates.is_empty() {
            let is = |(name, value): (&String, &i64)| format!("{name} == {value}");
            let all: Vec<String> = immediates.iter().zip(&row.source.choices).map(is).collect();
            let word = if number == 0 { "if" } else { "else if" };
            let _ = writeln!(text, "  {word} ({}) {{", all.join(" && "));
        }
        let indent = if immediates.is_empty() { "" } else { "  " };
        body.iter().for_each(|line| {
            let _ = writeln!(text, "{indent}{line}");
        });
        if !immediates.is_empty() {
            text += "  }\n";
        }
    }
    if !immediates.is_empty() {
        text += "  else __builtin_unreachable();\n";
    }
    text += "  return result;\n}\n";
    Some(text)
}
