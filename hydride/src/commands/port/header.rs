//! Ported instructions as a header: functions in C with the names and types that the vendor's header has.

use std::fmt::Write as _;

use ::search::Syntax;
use hydride_ir::Op;
use parsers::{Instruction, Kind};

use super::sources::{count, letter};
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
         undefined. Where a comment says that a function has some immediates only, the program ends at others. */\n#ifndef {guard}\n#define {guard}\n\n#include <stdint.h>\n",
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
pub fn result_type(instruction: &Instruction, syntax: &dyn Syntax) -> Option<String> {
    let results = &instruction.signature.results;
    let first = &results.first()?.c_type;
    match results.len() {
        _ if results.iter().any(parsers::Argument::is_memory) => Some("void".into()),
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

/// The parameters' names: those that bodies know them by, but for scalars that are no integers and for pointers an
/// underscore more.
fn names(instruction: &Instruction) -> impl Iterator<Item = String> {
    let name = |(position, arg): (usize, &parsers::Argument)| {
        format!("{}{}", letter(position), if is_float(arg) || arg.is_memory() { "_" } else { "" })
    };
    instruction.signature.args.iter().enumerate().map(name)
}

/// Whether a function reads an argument.
fn reads(instruction: &Instruction, position: usize) -> bool {
    let exprs = instruction.function.exprs();
    exprs.iter().any(|expr| matches!(expr.op, Op::Arg(arg) if arg.0 as usize == position))
}

/// The lines before a body: what it knows as variables, made of the parameters.
fn prologue(instruction: &Instruction, result: &str) -> Vec<String> {
    let signature = &instruction.signature;
    let mut lines = match signature.results.as_slice() {
        [stored] if stored.is_memory() => vec![format!("unsigned char result[{}];", stored.width / 8)],
        _ => vec![format!("{result} result;")],
    };
    for (position, arg) in signature.args.iter().enumerate() {
        let name = letter(position);
        if is_float(arg) {
            lines.push(format!(
                "uint{}_t {name}; __builtin_memcpy(&{name}, &{name}_, sizeof {name});",
                arg.width
            ));
        } else if arg.is_memory() && reads(instruction, position) {
            lines.push(format!(
                "unsigned char {name}[{}]; __builtin_memcpy({name}, {name}_, sizeof {name});",
                arg.width / 8
            ));
        }
    }
    lines
}

/// The lines after a body.
fn epilogue(instruction: &Instruction) -> String {
    let signature = &instruction.signature;
    let stored = signature.results.iter().find(|result| result.is_memory());
    let pointer = stored
        .and_then(|stored| signature.args.iter().position(|arg| arg.is_memory() && arg.name == stored.name));
    match pointer {
        Some(pointer) => format!("__builtin_memcpy({}_, result, sizeof result);", letter(pointer)),
        None => "return result;".into(),
    }
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
    let is_complete = count(instruction) == Some(rows.len());
    if !is_complete {
        let choice =
            |row: &Row<'_>| row.source.choices.iter().map(i64::to_string).collect::<Vec<_>>().join(" ");
        let _ = writeln!(text, "/* only {} */", rows.iter().map(choice).collect::<Vec<_>>().join(", "));
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
    for line in prologue(instruction, result) {
        let _ = writeln!(text, "  {line}");
    }
    for (number, row) in rows.iter().enumerate() {
        let body = row.body()?;
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
        let other = if is_complete { "unreachable" } else { "trap" };
        let _ = writeln!(text, "  else __builtin_{other}();");
    }
    let _ = writeln!(text, "  {}\n}}", epilogue(instruction));
    Some(text)
}
