//! Straight-line LLVM code under construction: equal instructions are emitted once, unused ones not at all.
//!
//! Vectors of one element do not occur: such a value is a scalar.

use std::collections::HashMap;
use std::fmt::Write as _;

use hydride_ir::Bits;
use llvm_text::{Instruction, Operand, Statement, Type, Value};

/// The type of `lanes` elements of `width` bits.
pub(super) fn lanes_type(lanes: usize, width: u32) -> Type {
    Type::lanes(lanes as u32, width)
}

/// A literal without its type: decimal up to 64 bits, else hexadecimal.
pub(super) fn literal(bits: &Bits) -> Value {
    match bits.to_u64() {
        Some(value) if bits.width() == 1 => Value::bool(value == 1),
        Some(value) => Value::number(value),
        None => Value::Constant(format!("u0x{bits:x}")),
    }
}

/// The vector (or scalar, for one lane) of the given elements.
pub(super) fn constant(width: u32, elements: &[Bits]) -> Value {
    let element = |bits: &Bits| Operand::new(Type::integer(width), literal(bits));
    match elements {
        [single] => literal(single),
        [first, rest @ ..] if rest.iter().all(|element| element == first) => match first.to_u64() {
            Some(0) => Value::zeros(),
            _ => Value::Constant(format!("splat ({})", element(first))),
        },
        _ => Value::elements(&elements.iter().map(element).collect::<Vec<_>>()),
    }
}

/// Instructions of one block.
pub(super) struct Code {
    /// The function's name.
    symbol: String,
    /// The instructions; number `n` gives the value `%n`.
    lines: Vec<Instruction>,
    known: HashMap<Instruction, usize>,
    /// Constant tables: type and elements.
    tables: Vec<String>,
}

impl Code {
    pub(super) fn new(symbol: &str) -> Self {
        Self { symbol: symbol.to_owned(), lines: Vec::new(), known: HashMap::new(), tables: Vec::new() }
    }

    /// The address of a constant table with the elements of `unit` bits of `bits`.
    pub(super) fn table(&mut self, bits: &Bits, unit: u32) -> Value {
        let element = |place: u32| {
            let element = (0..unit).map(|bit| u64::from(bits.bit(place * unit + bit)) << bit).sum::<u64>();
            Operand::index(unit, element).to_string()
        };
        let count = bits.width() / unit;
        let elements: Vec<String> = (0..count).map(element).collect();
        let ty = Type::Array(count, Box::new(Type::integer(unit)));
        let text = format!("{ty} [{}]", elements.join(", "));
        let place = self.tables.iter().position(|table| *table == text).unwrap_or_else(|| {
            self.tables.push(text);
            self.tables.len() - 1
        });
        Value::Constant(format!("@{}.table{place}", self.symbol))
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
    pub(super) fn emit(&mut self, instruction: Instruction) -> Value {
        let next = self.lines.len();
        let number = match self.known.get(&instruction) {
            Some(number) => *number,
            None => {
                self.known.insert(instruction.clone(), next);
                self.lines.push(instruction);
                next
            }
        };
        Value::Numbered(number)
    }

    /// The same bits as another type of the same total width.
    pub(super) fn bitcast(&mut self, value: Value, from: (usize, u32), to: (usize, u32)) -> Value {
        if from == to {
            return value;
        }
        let of = Operand::new(lanes_type(from.0, from.1), value);
        self.emit(Instruction::cast("bitcast", of, lanes_type(to.0, to.1)))
    }

    /// A vector with another element at a position.
    pub(super) fn with_element(&mut self, vector: Operand, element: Operand, position: usize) -> Value {
        let index = Operand::index(32, position as u64);
        self.emit(Instruction::InsertElement { vector, element, index })
    }

    /// The elements of `value` (`lanes` of `width` bits) at the positions of `mask`, negative for any value.
    pub(super) fn shuffle(&mut self, value: &Value, lanes: usize, width: u32, mask: &[i64]) -> Value {
        if mask.len() == lanes && mask.iter().zip(0..).all(|(from, to)| *from == to) {
            return value.clone();
        }
        let of = Operand::new(lanes_type(lanes, width), value.clone());
        if let [position] = mask {
            let index = Operand::index(32, *position);
            return self.emit(Instruction::ExtractElement { vector: of, index });
        }
        if lanes == 1 {
            return self.broadcast(value, width, mask.len());
        }
        self.emit(Instruction::shuffle(of, Value::poison(), chosen(mask)))
    }

    /// Elements of two vectors of one type.
    pub(super) fn blend(
        &mut self,
        [left, right]: [&Value; 2],
        lanes: usize,
        width: u32,
        mask: &[i64],
    ) -> Value {
        let left = Operand::new(lanes_type(lanes, width), left.clone());
        self.emit(Instruction::shuffle(left, right.clone(), chosen(mask)))
    }

    /// A scalar in every lane.
    pub(super) fn broadcast(&mut self, value: &Value, width: u32, lanes: usize) -> Value {
        let any = Operand::new(lanes_type(lanes, width), Value::poison());
        let element = Operand::new(Type::integer(width), value.clone());
        let first = self.with_element(any.clone(), element, 0);
        let mask = Operand::new(lanes_type(lanes, 32), Value::zeros());
        let left = Operand::new(any.ty.clone(), first);
        self.emit(Instruction::Shuffle { left, right: any, mask })
    }

    /// The lines that give `results` and those of the values that these need, numbered from 1 (0 is the block itself),
    /// with the results' new numbers.
    pub(super) fn finish(mut self, mut results: Vec<Value>) -> (Vec<Statement>, Vec<Value>) {
        let number = |value: &Value| match value {
            Value::Numbered(number) => Some(*number),
            Value::Local(_) | Value::Constant(_) => None,
        };
        let mut needed = vec![false; self.lines.len()];
        for result in results.iter().filter_map(number) {
            needed[result] = true;
        }
        for position in (0..self.lines.len()).rev() {
            if needed[position] {
                for used in self.lines[position].locals().iter().filter_map(number) {
                    needed[used] = true;
                }
            }
        }
        let mut new_numbers = vec![0; self.lines.len()];
        let renumbered = |value: &Value, new_numbers: &[usize]| match number(value) {
            Some(number) => Value::Numbered(new_numbers[number]),
            None => value.clone(),
        };
        let mut lines = Vec::new();
        let kept = self.lines.drain(..).enumerate().filter(|(position, _)| needed[*position]);
        for (next, (position, mut instruction)) in (1..).zip(kept) {
            new_numbers[position] = next;
            instruction.replace_locals(|value| renumbered(value, &new_numbers));
            lines.push(Statement { result: Some(Value::Numbered(next)), instruction });
        }
        for result in &mut results {
            *result = renumbered(result, &new_numbers);
        }
        (lines, results)
    }
}

/// The lanes of a shuffle: a negative position is any element.
fn chosen(mask: &[i64]) -> impl Iterator<Item = Option<u32>> {
    mask.iter().map(|position| u32::try_from(*position).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unused_and_equal_instructions_are_left_out() {
        let mut code = Code::new("f");
        let byte = || Type::integer(8);
        let add = || Instruction::binary("add", byte(), Value::local("a"), Value::local("b"));
        let sum = code.emit(add());
        let unused = code.emit(Instruction::binary("xor", byte(), sum.clone(), Value::number(-1)));
        let twice = code.emit(Instruction::binary("shl", byte(), sum.clone(), Value::number(1)));
        assert_eq!(code.emit(add()), sum);
        assert_eq!((unused, twice.clone()), (Value::Numbered(1), Value::Numbered(2)));
        let (lines, results) = code.finish(vec![twice]);
        let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
        assert_eq!(lines, ["%1 = add i8 %a, %b", "%2 = shl i8 %1, 1"]);
        assert_eq!(results, [Value::Numbered(2)]);
    }

    #[test]
    fn constants_are_as_short_as_they_can_be() {
        let bits = |value| Bits::from_u64(9, value);
        let text = |elements: &[Bits]| constant(9, elements).to_string();
        assert_eq!(text(&[bits(3)]), "3");
        assert_eq!(text(&[bits(3), bits(3)]), "splat (i9 3)");
        assert_eq!(text(&[bits(0), bits(0)]), "zeroinitializer");
        assert_eq!(text(&[bits(1), bits(2)]), "<i9 1, i9 2>");
        assert_eq!(literal(&Bits::ones(1)), Value::bool(true));
        assert_eq!(literal(&Bits::ones(68)).to_string(), "u0xfffffffffffffffff");
    }
}
