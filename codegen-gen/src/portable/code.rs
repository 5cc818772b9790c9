//! Straight-line LLVM code under construction: equal instructions are emitted once, unused ones not at all.
//!
//! Vectors of one element do not occur: such a value is a scalar.

use std::collections::HashMap;
use std::fmt::Write as _;

use hydride_ir::Bits;

/// The type of `lanes` elements of `width` bits.
pub(super) fn type_text(lanes: usize, width: u32) -> String {
    if lanes == 1 { format!("i{width}") } else { format!("<{lanes} x i{width}>") }
}

/// A type as intrinsics' names hold it.
pub(super) fn type_suffix(lanes: usize, width: u32) -> String {
    if lanes == 1 { format!("i{width}") } else { format!("v{lanes}i{width}") }
}

/// A literal without its type: decimal up to 64 bits, else hexadecimal.
pub(super) fn literal(bits: &Bits) -> String {
    match bits.to_u64() {
        Some(value) if bits.width() == 1 => if value == 1 { "true" } else { "false" }.to_owned(),
        Some(value) => value.to_string(),
        None => format!("u0x{bits:x}"),
    }
}

/// The vector (or scalar, for one lane) of the given elements.
pub(super) fn constant(width: u32, elements: &[Bits]) -> String {
    match elements {
        [element] => literal(element),
        [first, rest @ ..] if rest.iter().all(|element| element == first) => match first.to_u64() {
            Some(0) => "zeroinitializer".to_owned(),
            _ => format!("splat (i{width} {})", literal(first)),
        },
        _ => {
            let elements: Vec<String> =
                elements.iter().map(|element| format!("i{width} {}", literal(element))).collect();
            format!("<{}>", elements.join(", "))
        }
    }
}

/// Instructions of one block.
pub(super) struct Code {
    /// The function's name.
    symbol: String,
    /// The right sides; number `n` is the value `%n`.
    lines: Vec<String>,
    known: HashMap<String, usize>,
    /// Constant tables: type and elements.
    tables: Vec<String>,
}

impl Code {
    pub(super) fn new(symbol: &str) -> Self {
        Self { symbol: symbol.to_owned(), lines: Vec::new(), known: HashMap::new(), tables: Vec::new() }
    }

    /// The name of a constant table with the elements of `unit` bits of `bits`.
    pub(super) fn table(&mut self, bits: &Bits, unit: u32) -> String {
        let element = |place: u32| {
            let element = (0..unit).map(|bit| u64::from(bits.bit(place * unit + bit)) << bit).sum::<u64>();
            format!("i{unit} {element}")
        };
        let count = bits.width() / unit;
        let elements: Vec<String> = (0..count).map(element).collect();
        let text = format!("[{count} x i{unit}] [{}]", elements.join(", "));
        let place = self.tables.iter().position(|table| *table == text).unwrap_or_else(|| {
            self.tables.push(text);
            self.tables.len() - 1
        });
        format!("@{}.table{place}", self.symbol)
    }

    /// The definitions of the tables.
    pub(super) fn tables(&self) -> String {
        let mut text = String::new();
        for (place, table) in self.tables.iter().enumerate() {
            let _ = writeln!(text, "@{}.table{place} = private unnamed_addr constant {table}", self.symbol);
        }
        text
    }

    /// The value of an instruction without side effects.
    pub(super) fn emit(&mut self, instruction: String) -> String {
        let next = self.lines.len();
        let number = match self.known.get(&instruction) {
            Some(number) => *number,
            None => {
                self.known.insert(instruction.clone(), next);
                self.lines.push(instruction);
                next
            }
        };
        format!("%{number}")
    }

    /// The same bits as another type of the same total width.
    pub(super) fn bitcast(&mut self, value: String, from: (usize, u32), to: (usize, u32)) -> String {
        if from == to {
            return value;
        }
        self.emit(format!("bitcast {} {value} to {}", type_text(from.0, from.1), type_text(to.0, to.1)))
    }

    /// The elements of `value` (`lanes` of `width` bits) at the positions of `mask`, negative for any value.
    pub(super) fn shuffle(&mut self, value: &str, lanes: usize, width: u32, mask: &[i64]) -> String {
        if mask.len() == lanes && mask.iter().zip(0..).all(|(from, to)| *from == to) {
            return value.to_owned();
        }
        if let [position] = mask {
            return self.emit(format!("extractelement {} {value}, i32 {position}", type_text(lanes, width)));
        }
        if lanes == 1 {
            return self.broadcast(value, width, mask.len());
        }
        let source = type_text(lanes, width);
        self.emit(format!("shufflevector {source} {value}, {source} poison, {}", mask_text(mask)))
    }

    /// Elements of two vectors of one type.
    pub(super) fn blend(&mut self, values: [&str; 2], lanes: usize, width: u32, mask: &[i64]) -> String {
        let source = type_text(lanes, width);
        let [left, right] = values;
        self.emit(format!("shufflevector {source} {left}, {source} {right}, {}", mask_text(mask)))
    }

    /// A scalar in every lane.
    pub(super) fn broadcast(&mut self, value: &str, width: u32, lanes: usize) -> String {
        let vector = type_text(lanes, width);
        let first = self.emit(format!("insertelement {vector} poison, i{width} {value}, i32 0"));
        self.emit(format!("shufflevector {vector} {first}, {vector} poison, <{lanes} x i32> zeroinitializer"))
    }

    /// The block that gives `results`, indented, with the values that these need, numbered from 1 (0 is
    /// the block itself). The text of `finish` is the terminator over the results' new names.
    pub(super) fn finish(&self, results: &[String], finish: impl FnOnce(&[String]) -> String) -> String {
        let mut needed = vec![false; self.lines.len()];
        for number in results.iter().flat_map(|text| numbers(text)) {
            needed[number.0] = true;
        }
        for position in (0..self.lines.len()).rev() {
            if needed[position] {
                for (used, _) in numbers(&self.lines[position]) {
                    needed[used] = true;
                }
            }
        }
        let mut new_numbers = vec![0; self.lines.len()];
        let mut text = String::new();
        let kept = self.lines.iter().enumerate().filter(|(position, _)| needed[*position]);
        for (next, (position, line)) in (1..).zip(kept) {
            new_numbers[position] = next;
            let _ = writeln!(text, "  %{next} = {}", renumbered(line, &new_numbers));
        }
        let results: Vec<String> = results.iter().map(|text| renumbered(text, &new_numbers)).collect();
        text.push_str(&finish(&results));
        text
    }
}

fn mask_text(mask: &[i64]) -> String {
    let mut text = format!("<{} x i32> <", mask.len());
    for (position, element) in mask.iter().enumerate() {
        let separator = if position == 0 { "" } else { ", " };
        let _ = match element {
            ..0 => write!(text, "{separator}i32 poison"),
            _ => write!(text, "{separator}i32 {element}"),
        };
    }
    text.push('>');
    text
}

/// The numbered values in a text, with the positions of their digits' ends.
fn numbers(text: &str) -> impl Iterator<Item = (usize, std::ops::Range<usize>)> {
    text.match_indices('%').filter_map(|(at, _)| {
        let digits = text[at + 1..].bytes().take_while(u8::is_ascii_digit).count();
        let range = at + 1..at + 1 + digits;
        Some((text[range.clone()].parse().ok()?, range))
    })
}

fn renumbered(text: &str, new_numbers: &[usize]) -> String {
    let mut result = String::with_capacity(text.len());
    let mut done = 0;
    for (number, range) in numbers(text) {
        result.push_str(&text[done..range.start]);
        let _ = write!(result, "{}", new_numbers[number]);
        done = range.end;
    }
    result.push_str(&text[done..]);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unused_and_equal_instructions_are_left_out() {
        let mut code = Code::new("f");
        let sum = code.emit("add i8 %a, %b".to_owned());
        let unused = code.emit(format!("not {sum}"));
        let twice = code.emit(format!("shl i8 {sum}, 1"));
        assert_eq!(code.emit("add i8 %a, %b".to_owned()), sum);
        assert_eq!((unused.as_str(), twice.as_str()), ("%1", "%2"));
        let text = code.finish(&[twice], |results| format!("  ret i8 {}\n", results[0]));
        assert_eq!(text, "  %1 = add i8 %a, %b\n  %2 = shl i8 %1, 1\n  ret i8 %2\n");
    }

    #[test]
    fn constants_are_as_short_as_they_can_be() {
        let bits = |value| Bits::from_u64(9, value);
        assert_eq!(constant(9, &[bits(3)]), "3");
        assert_eq!(constant(9, &[bits(3), bits(3)]), "splat (i9 3)");
        assert_eq!(constant(9, &[bits(0), bits(0)]), "zeroinitializer");
        assert_eq!(constant(9, &[bits(1), bits(2)]), "<i9 1, i9 2>");
        assert_eq!(literal(&Bits::ones(1)), "true");
        assert_eq!(literal(&Bits::ones(68)), "u0xfffffffffffffffff");
    }
}
