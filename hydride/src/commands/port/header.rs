//! Ported instructions as a header: functions in C with the names and types that the vendor's header has.

use std::fmt::Write as _;

use ::search::Syntax;
use parsers::{Instruction, Kind};

use super::sources::letter;
use super::table::{Row, by_instruction};
use crate::commands::synth::targets::Ground;
use crate::isa::InstructionSet;

/// The header of all instructions whose every choice of immediates has a sequence; with the instructions, each with the
/// type that its function returns. `syntax` is that of their instruction set.
pub fn header<'a>(
    rows: &[Row<'a>],
    (from, syntax): (&InstructionSet, &dyn Syntax),
    ground: &Ground,
) -> (String, Vec<(&'a Instruction, String)>) {
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
        let Some(result) = result_type(instruction, syntax) else { continue };
        if let Some(lines) = function(instruction, &result, rows) {
            text.push('\n');
            text += &lines;
            written.push((instruction, result));
        }
    }
    text += "\n#undef HYDRIDE_PORT\n#endif\n";
    (text, written)
}

/// The type that the call returns.
fn result_type(instruction: &Instruction, syntax: &dyn Syntax) -> Option<String> {
    let results = &instruction.signature.results;
    let first = &results.first()?.c_type;
    match results.len() {
        1 => Some(first.clone()),
        // Several registers of one type are a structure of them.
        count => {
            syntax.structure(first, count).filter(|_| results.iter().all(|result| result.c_type == *first))
        }
    }
}

/// The parameters' declarations.
pub fn parameters(instruction: &Instruction) -> String {
    let declared = |(arg, name): (&parsers::Argument, String)| format!("{} {name}", arg.c_type);
    let all: Vec<String> = instruction.signature.args.iter().zip(names(instruction)).map(declared).collect();
    if all.is_empty() { "void".into() } else { all.join(", ") }
}

/// The parameters as they are passed on.
pub fn arguments(instruction: &Instruction) -> String {
    names(instruction).collect::<Vec<_>>().join(", ")
}

/// The parameters' names: those that bodies know them by, but for scalars that are no integers an underscore more.
fn names(instruction: &Instruction) -> impl Iterator<Item = String> {
    let name = |(position, arg)| format!("{}{}", letter(position), if is_float(arg) { "_" } else { "" });
    instruction.signature.args.iter().enumerate().map(name)
}

/// Whether an argument is a scalar that is no integer: bodies read its bits.
fn is_float(arg: &parsers::Argument) -> bool {
    arg.kind == Kind::Scalar && arg.element.is_some_and(|element| element.float)
}

fn function(instruction: &Instruction, result: &str, rows: &[Row<'_>]) -> Option<String> {
    let (mut text, name) = (String::new(), &instruction.intrinsic);
    // The compiler's own headers may have functions of such names.
    let own = if name.starts_with("__") { format!("hydride_port{name}") } else { name.clone() };
    if own != *name {
        let _ = writeln!(text, "#define {name} {own}");
    }
    let _ = writeln!(text, "HYDRIDE_PORT {result} {own}({})\n{{", parameters(instruction));
    let immediates: Vec<String> = instruction
        .signature
        .args
        .iter()
        .enumerate()
        .filter(|(_, arg)| matches!(arg.kind, Kind::Immediate(_)))
        .map(|(position, _)| letter(position))
        .collect();
    let _ = writeln!(text, "  {result} result;");
    for (position, arg) in instruction.signature.args.iter().enumerate().filter(|(_, arg)| is_float(arg)) {
        let name = letter(position);
        let _ = writeln!(
            text,
            "  uint{}_t {name}; __builtin_memcpy(&{name}, &{name}_, sizeof {name});",
            arg.width
        );
    }
    for (number, row) in rows.iter().enumerate() {
        let body = row.found?.body.as_ref()?;
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
