//! The line of a member in a dictionary.
//!
//! ```text
//! member x86 _mm_mask_add_epi8 at 8,16 of 2,3 in 128,128 mask 1/1/8 pass 0 commutes
//! ```
//!
//! | part | what |
//! |---|---|
//! | `at V,V,…` | the parameter values |
//! | `of S,S,…` | the origins of the function's arguments: `3`, the instruction's argument 3; `=0`, a number that it fixes; `3:LOW/WIDTH/STRIDE`, a slice of argument 3 in every element, and with `@LANE/BITS` the one that so many low bits of argument `LANE` choose; `3:MASK/LANE/INACTIVE?`, argument 3 in lanes of `LANE` bits, each with a bit of argument `MASK`, and the number `INACTIVE` where that is 0 |
//! | `in W,W,…` | the widths of the registers that are passed as they are; `1..16`, the documented values of an immediate; 0, or nothing at all, for others |
//! | `mask ARG/STRIDE/LANE` | the mask: its argument, the distance of its bits, and the width of the lanes; `/negated` where lanes are written whose bit is 0 |
//! | `pass ARG` | the argument that the other lanes keep; without it they are zero |
//! | `part LOW/WIDTH/ARG` | the bits of the result that are written; the others are those of the argument |
//! | `commutes` | the first two arguments can be exchanged |

use std::fmt::Write as _;
use std::str::FromStr;

use catalog::{Application, Broadcast, Immediate, Known, Masked, Masking, Operand, Part, Source};
use hydride_ir::Function;

/// The line of a member.
pub(crate) fn member_line(isa: &str, id: &str, known: &Known) -> String {
    let Known { application: Application { params, args, masking, part }, operands, commutes } = known;
    let mut line = format!("member {} {}", escape(isa), escape(id));
    let mut add = |word: &str, what: String| {
        if !what.is_empty() {
            let _ = write!(line, " {word} {what}");
        }
    };
    add("at", params.iter().map(i64::to_string).collect::<Vec<_>>().join(","));
    add("of", args.iter().map(|source| source_text(*source)).collect::<Vec<_>>().join(","));
    add("in", operands.iter().map(|operand| operand_text(*operand)).collect::<Vec<_>>().join(","));
    if let Some(Masking { mask, stride, lane, pass, negated }) = masking {
        add("mask", format!("{mask}/{stride}/{lane}{}", if *negated { "/negated" } else { "" }));
        add("pass", pass.map_or(String::new(), |pass| pass.to_string()));
    }
    if let Some(Part { low, width, pass }) = part {
        add("part", format!("{low}/{width}/{pass}"));
    }
    if *commutes {
        line.push_str(" commutes");
    }
    line
}

fn source_text(source: Source) -> String {
    match source {
        Source::Own(arg) => arg.to_string(),
        Source::Constant(value) => format!("={value}"),
        Source::Broadcast(Broadcast { arg, low, lane, width, stride }) => {
            let lane = lane.map_or(String::new(), |(lane, bits)| format!("@{lane}/{bits}"));
            format!("{arg}:{low}/{width}/{stride}{lane}")
        }
        Source::Masked(Masked { arg, mask, lane, inactive }) => format!("{arg}:{mask}/{lane}/{inactive}?"),
    }
}

fn operand_text(operand: Operand) -> String {
    match operand {
        Operand::Whole(width) => width.to_string(),
        Operand::Immediate(Immediate { low, high }) => format!("{low}..{high}"),
        Operand::Other => "0".to_owned(),
    }
}

/// An instruction set and an id.
type Name = (String, String);

/// Reads the line of a member of a family, without the first word.
pub(crate) fn parse_member(text: &str, function: &Function) -> Result<(Name, Known), String> {
    let mut words = text.split_whitespace();
    let mut name = || words.next().and_then(unescape);
    let (Some(isa), Some(id)) = (name(), name()) else {
        return Err("`member` takes an instruction set and an id".to_owned());
    };
    let mut application = Application::plain(Vec::new(), &[]);
    let (mut operands, mut commutes) = (Vec::new(), false);
    while let Some(word) = words.next() {
        if word == "commutes" {
            commutes = true;
            continue;
        }
        let what = words.next().ok_or_else(|| format!("`{word}` takes a value"))?;
        let wrong = || format!("`{what}` is no value of `{word}`");
        match word {
            "at" => application.params = numbers(what, ',').ok_or_else(wrong)?,
            "of" => application.args = what.split(',').map(source).collect::<Result<_, _>>()?,
            "in" => operands = what.split(',').map(operand).collect::<Option<_>>().ok_or_else(wrong)?,
            "mask" => application.masking = Some(masking(what).ok_or_else(wrong)?),
            "pass" => {
                let masking = application.masking.as_mut().ok_or("`pass` without `mask`")?;
                masking.pass = Some(what.parse().map_err(|_| wrong())?);
            }
            "part" => {
                let [low, width, pass] = exactly(what).ok_or_else(wrong)?;
                application.part = Some(Part { low, width, pass });
            }
            _ => return Err(format!("unknown word `{word}`")),
        }
    }
    let (params, args) = (application.params.len(), application.args.len());
    if params != function.params.len() {
        return Err(format!("{params} parameter values for {}", function.params.len()));
    }
    if args != function.args.len() {
        return Err(format!("{args} arguments for {}", function.args.len()));
    }
    if operands.is_empty() {
        operands = vec![Operand::Other; args];
    }
    if operands.len() != args {
        return Err(format!("{} operands for {} arguments", operands.len(), args));
    }
    Ok(((isa, id), Known { application, operands, commutes }))
}

fn numbers<T: FromStr>(text: &str, separator: char) -> Option<Vec<T>> {
    text.split(separator).map(|number| number.parse().ok()).collect()
}

fn operand(text: &str) -> Option<Operand> {
    if let Some((low, high)) = text.split_once("..") {
        return Some(Operand::Immediate(Immediate { low: low.parse().ok()?, high: high.parse().ok()? }));
    }
    let width = text.parse().ok()?;
    Some(if width == 0 { Operand::Other } else { Operand::Whole(width) })
}

fn exactly<const COUNT: usize>(text: &str) -> Option<[u32; COUNT]> {
    numbers(text, '/')?.try_into().ok()
}

fn masking(text: &str) -> Option<Masking> {
    let (numbers, negated) = match text.strip_suffix("/negated") {
        Some(numbers) => (numbers, true),
        None => (text, false),
    };
    let [mask, stride, lane] = exactly(numbers)?;
    Some(Masking { mask, stride, lane, pass: None, negated })
}

fn source(text: &str) -> Result<Source, String> {
    let read = || {
        if let Some(value) = text.strip_prefix('=') {
            return Some(Source::Constant(value.parse().ok()?));
        }
        let Some((arg, slice)) = text.split_once(':') else { return Some(Source::Own(text.parse().ok()?)) };
        let arg = arg.parse().ok()?;
        if let Some(lanes) = slice.strip_suffix('?') {
            let (numbers, inactive) = lanes.rsplit_once('/')?;
            let [mask, lane] = exactly(numbers)?;
            return Some(Source::Masked(Masked { arg, mask, lane, inactive: inactive.parse().ok()? }));
        }
        let (slice, lane) = match slice.split_once('@') {
            Some((slice, lane)) => {
                let [lane, bits] = exactly(lane)?;
                (slice, Some((lane, bits)))
            }
            None => (slice, None),
        };
        let [low, width, stride] = exactly(slice)?;
        Some(Source::Broadcast(Broadcast { arg, low, lane, width, stride }))
    };
    read().ok_or_else(|| format!("`{text}` is not the origin of an argument"))
}

/// Escapes a word: white space, `#` and `%` become `%` and two hexadecimal digits per byte.
fn escape(word: &str) -> String {
    let mut escaped = String::with_capacity(word.len());
    for character in word.chars() {
        if character.is_whitespace() || character.is_control() || matches!(character, '#' | '%') {
            let mut buffer = [0; 4];
            for byte in character.encode_utf8(&mut buffer).bytes() {
                let _ = write!(escaped, "%{byte:02x}");
            }
        } else {
            escaped.push(character);
        }
    }
    escaped
}

fn unescape(word: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(word.len());
    let mut rest = word.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digit = |byte: u8| char::from(byte).to_digit(16);
            let value = digit(rest.next()?)? * 16 + digit(rest.next()?)?;
            bytes.push(u8::try_from(value).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}
