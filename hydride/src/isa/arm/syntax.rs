//! A64's syntax and Neon's C types.

use search::{Class, Place, Syntax, Type, Written, c_integer};

/// `add v{d}.4s, v{0}.4s, v{1}.4s`: registers and immediates take the places of the operands.
pub struct A64;

impl Syntax for A64 {
    fn register(&self, ty: Type, number: usize) -> String {
        let letter = match ty.class {
            Class::Vector => "v",
            Class::Mask => "q",
            Class::Scalar if ty.width == 64 => "x",
            // Pointers are in the general registers that scalars take last.
            Class::Memory => return format!("x{}", 28 - number),
            Class::Scalar => "w",
        };
        format!("{letter}{number}")
    }

    fn copy(&self, ty: Type, to: &str, from: &str) -> String {
        match ty.class {
            Class::Scalar => format!("mov {to}, {from}"),
            _ => format!("mov {to}.16b, {from}.16b"),
        }
    }

    fn step(&self, written: &Written<'_>) -> String {
        let Written { instruction, result, place, .. } = *written;
        // The letters of registers are in the template.
        let number = |name: &str| name.trim_start_matches(|c: char| c.is_ascii_alphabetic()).to_owned();
        let mut registers: Vec<String> = written.registers.iter().map(|name| number(name)).collect();
        if let Place::Over(operand) | Place::Copy(operand) = place
            && let Some(position) = instruction.destroys
        {
            // A commutative step may overwrite the other source.
            let own = instruction.register_of(position);
            registers.swap(own, operand);
        }
        let mut text = instruction.syntax.replace("{d}", &number(result));
        for (position, value) in written.operands(&registers).into_iter().enumerate() {
            text = text.replace(&format!("{{{position}}}"), &value);
            let value: i64 = value.parse().unwrap_or(0);
            for operator in ['*', '+'] {
                let computed = format!("{{{position}{operator}");
                while let Some(start) = text.find(&computed) {
                    let end = text[start..].find('}').map_or(text.len(), |end| start + end + 1);
                    let by: i64 = text[start + computed.len()..end - 1].parse().unwrap_or(1);
                    let number = if operator == '*' { value * by } else { value + by };
                    text.replace_range(start..end, &number.to_string());
                }
            }
        }
        text
    }

    fn c_type(&self, ty: Type, element: u32) -> String {
        match ty.class {
            Class::Vector => {
                let element = if [8, 16, 32, 64].contains(&element) { element } else { 8 };
                format!("uint{element}x{}_t", ty.width / element)
            }
            Class::Scalar | Class::Mask => c_integer(ty.width),
            Class::Memory => "const void *".to_owned(),
        }
    }

    fn structure(&self, c_type: &str, count: usize) -> Option<String> {
        Some(format!("{}x{count}_t", c_type.trim_end_matches("_t")))
    }

    /// `uint8x16_t` of `uint8x16x3_t`.
    fn part(&self, c_type: &str, count: usize) -> String {
        let part = c_type.strip_suffix(&format!("x{count}_t"));
        part.map_or_else(|| c_type.to_owned(), |part| format!("{part}_t"))
    }
}
