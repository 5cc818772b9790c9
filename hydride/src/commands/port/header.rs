//! Ported instructions as a header: functions in C with the names and types that the vendor's header has.

use std::collections::HashSet;
use std::fmt::Write as _;

use ::search::Syntax;
use hydride_ir::passes::gives_nans;
use parsers::{Instruction, Kind};

use super::call::{Written, parameters, reads, result_type};
use super::fallback::Fallback;
use super::sources::{count, inserted, is_float, letter};
use super::table::{Row, by_instruction, certificate};
use crate::commands::synth::targets::Ground;
use crate::isa::InstructionSet;

/// What a header has of instructions without a sequence for all immediates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Nothing, and of those that are not searched for all immediates what was found.
    LeftOut,
    /// Scalar code.
    Scalar,
}

/// The header of instructions, and its functions. `syntax` is that of their instruction set.
pub fn header<'a>(
    rows: &[Row<'a>],
    (from, syntax): (&InstructionSet, &dyn Syntax),
    ground: &Ground,
    missing: Missing,
) -> anyhow::Result<(String, Vec<Written<'a>>)> {
    let (mut functions, mut written) = (String::new(), Vec::new());
    let mut defined = HashSet::new();
    for rows in by_instruction(rows) {
        let instruction = rows[0].source.instruction;
        let Some(result) = result_type(instruction, syntax) else { continue };
        let is_whole = rows.iter().all(|row| row.body().is_some());
        let scalar = match missing {
            Missing::Scalar if !is_whole => Fallback::of(instruction, from.c_types).ok(),
            _ => None,
        };
        // An intrinsic with an entry for each of several features is defined once.
        if !is_whole && scalar.is_none() || !defined.insert(instruction.intrinsic.as_str()) {
            continue;
        }
        functions.push('\n');
        functions += &function(instruction, &result, rows, scalar.as_ref());
        let choices = rows.iter().filter(|row| row.body().is_some());
        written.push(Written {
            instruction,
            result,
            scalar: scalar.map(|scalar| scalar.operators),
            choices: choices.map(|row| row.source.choices.as_slice()).collect(),
        });
    }
    let guard = format!("HYDRIDE_{}_ON_{}_H", from.name, ground.named.name).to_uppercase();
    let mut text = format!(
        "/* Instructions of {} on {}, written by hydride port. Each function is a sequence that is proved to compute what\n   \
         the vendor's document says; its arguments and results are the document's, lane 0 lowest in memory. Needs GNU C\n   \
         (clang or gcc), little-endian, and the options {}{}. Immediates may be any value that is documented; others are\n   \
         undefined. Where a comment says that a function has some immediates only, the program ends at others. */\n#ifndef {guard}\n#define {guard}\n\n#include <stddef.h>\n#include <stdint.h>\n",
        from.name,
        ground.named.name,
        ground.named.options[1..].join(" "),
        if written.iter().any(|own| gives_nans(&own.instruction.function)) {
            " -ffp-contract=off"
        } else {
            ""
        },
    );
    for header in &ground.named.headers {
        let _ = writeln!(text, "#include <{header}>");
    }
    text +=
        "\n#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__\n#error \"little-endian targets only\"\n#endif\n\n";
    text += from.c_types;
    text += "\n#define HYDRIDE_PORT static inline __attribute__((always_inline, unused))\n";
    if written.iter().any(|own| own.scalar.is_some()) {
        text += "\n/* Functions with scalar code compute lane by lane what the document says. They are not proved sequences: their\n   \
                 comments say how many operators they compute. */\n#define HYDRIDE_SCALAR static inline __attribute__((unused))\n\n";
        text += &codegen_gen::c_support()?;
    }
    text += &functions;
    text += "\n#undef HYDRIDE_PORT\n#undef HYDRIDE_SCALAR\n#endif\n";
    Ok((text, written))
}

/// The lines before a body, which make the variables that sequences and scalar code read from the parameters, as far as there are
/// sequences and there is scalar code.
fn prologue(instruction: &Instruction, result: &str, sequences: bool, scalar: bool) -> Vec<String> {
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
            let elements = inserted(instruction, arg);
            if scalar || elements.is_none() {
                lines.push(format!(
                    "unsigned char {name}[{}]; __builtin_memcpy({name}, {name}_, sizeof {name});",
                    arg.width / 8
                ));
            }
            if let Some(count) = elements.filter(|_| sequences) {
                let width = arg.width / count;
                lines.extend((0..count).map(|at| {
                    format!(
                        "uint{width}_t {name}_{at}; __builtin_memcpy(&{name}_{at}, (const char *){name}_ + {}, {});",
                        at * width / 8,
                        width / 8
                    )
                }));
            }
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

/// A function; immediates without a sequence are computed by scalar code, where there is some.
fn function(instruction: &Instruction, result: &str, rows: &[Row<'_>], scalar: Option<&Fallback>) -> String {
    let (mut text, name) = (String::new(), &instruction.intrinsic);
    // The compiler's own headers may have functions of such names.
    let own = if name.starts_with("__") { format!("hydride_port{name}") } else { name.clone() };
    if own != *name {
        let _ = writeln!(text, "#define {name} {own}");
    }
    let rows: Vec<(&Row<'_>, &[String])> = rows.iter().filter_map(|row| Some((row, row.body()?))).collect();
    let is_complete = count(instruction) == Some(rows.len());
    let choices = || {
        let choice = |(row, _): &(&Row<'_>, &[String])| {
            row.source.choices.iter().map(i64::to_string).collect::<Vec<_>>().join(" ")
        };
        rows.iter().map(choice).collect::<Vec<_>>().join(", ")
    };
    match scalar {
        Some(scalar) if rows.is_empty() => {
            let _ = writeln!(text, "/* scalar code: {} operators */", scalar.operators);
        }
        Some(scalar) => {
            let _ = writeln!(text, "/* scalar code, {} operators, except {} */", scalar.operators, choices());
        }
        None if !is_complete => {
            let _ = writeln!(text, "/* only {} */", choices());
        }
        None => {}
    }
    if scalar.is_none()
        && let Some(certificate) = certificate(instruction)
    {
        let _ = writeln!(text, "/* {certificate} */");
    }
    let kind = if scalar.is_some() { "HYDRIDE_SCALAR" } else { "HYDRIDE_PORT" };
    let _ = writeln!(text, "{kind} {result} {own}({})\n{{", parameters(instruction));
    let immediates: Vec<String> = instruction
        .signature
        .args
        .iter()
        .enumerate()
        .filter(|(_, arg)| matches!(arg.kind, Kind::Immediate(_)))
        .map(|(position, _)| letter(position))
        .collect();
    for line in prologue(instruction, result, !rows.is_empty(), scalar.is_some()) {
        let _ = writeln!(text, "  {line}");
    }
    for (number, (row, body)) in rows.iter().enumerate() {
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
    match scalar {
        Some(scalar) if rows.is_empty() => text += &scalar.body,
        Some(scalar) => {
            let _ = writeln!(text, "  else {{\n{}  }}", scalar.body);
        }
        None if !immediates.is_empty() => {
            let other = if is_complete { "unreachable" } else { "trap" };
            let _ = writeln!(text, "  else __builtin_{other}();");
        }
        None => {}
    }
    let _ = writeln!(text, "  {}\n}}", epilogue(instruction));
    text
}
