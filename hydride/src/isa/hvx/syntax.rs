//! Hexagon's syntax and C types.

use search::{Class, Syntax, Type, Written, c_integer};

/// `Vd32.w=vadd(Vu32.w,Vv32.w)`: each register is replaced by name, `#u3` by a number.
pub struct Hexagon;

/// Bits of a pair of vectors.
const PAIR: u32 = 2048;

impl Syntax for Hexagon {
    fn register(&self, ty: Type, number: usize) -> String {
        let letter = match ty.class {
            Class::Vector => "v",
            Class::Scalar | Class::Memory => "r",
            Class::Mask => "q",
        };
        // Pairs are beyond the single ones, so that the two share their numbers.
        match (ty.class, ty.width) {
            (Class::Vector, PAIR) | (Class::Scalar, 64) => {
                format!("{letter}{}:{}", 2 * number + 17, 2 * number + 16)
            }
            _ => format!("{letter}{number}"),
        }
    }

    fn copy(&self, ty: Type, to: &str, from: &str) -> String {
        match ty.class {
            Class::Vector if ty.width == PAIR => {
                let halves = from.trim_start_matches('v').replace(':', ", v");
                format!("{to} = vcombine(v{halves})")
            }
            Class::Mask => format!("{to} = and({from}, {from})"),
            _ => format!("{to} = {from}"),
        }
    }

    fn in_register(&self, operand: &str) -> bool {
        operand.starts_with('R')
    }

    fn step(&self, written: &Written<'_>) -> String {
        let Written { instruction, result, .. } = *written;
        // The halves of a pair are registers.
        if let ("lo" | "hi", [pair]) = (instruction.mnemonic.as_str(), written.registers)
            && let Some((high, low)) = pair.split_once(':')
        {
            let half = if instruction.mnemonic == "hi" { high.to_owned() } else { format!("v{low}") };
            return format!("{result} = {half}");
        }
        let mut registers = written.registers.to_vec();
        if let Some(position) = instruction.destroys {
            let own = instruction.register_of(position);
            registers[own] = result.to_owned();
        }
        let values = written.operands(&registers);
        let mut text = String::new();
        let mut rest = instruction.syntax.as_str();
        while let Some(start) = rest.find(|c: char| c.is_ascii_alphabetic() || c == '#') {
            let (before, token) = rest.split_at(start);
            let end =
                token[1..].find(|c: char| !c.is_ascii_alphanumeric()).map_or(token.len(), |end| end + 1);
            let (token, after) = token.split_at(end);
            text.push_str(before);
            rest = after;
            let named = |name: &str| instruction.names.iter().position(|own| own == name);
            let letters = token.trim_end_matches(|c: char| c.is_ascii_digit());
            match token.strip_prefix('#') {
                Some(immediate) => match named(&format!("I{immediate}")) {
                    Some(position) => text.push_str(&format!("#{}", values[position])),
                    None => text.push_str(token),
                },
                None => match named(letters).or_else(|| named(token)) {
                    Some(position) => text.push_str(&values[position]),
                    None if ["Vdd", "Vd", "Qd", "Rd", "Rdd"].contains(&letters) => text.push_str(result),
                    None => text.push_str(token),
                },
            }
        }
        text.push_str(rest);
        // `a=b`, `a+=b`, `a|=b`.
        if let Some(at) = text.find('=') {
            let start = at - usize::from(text[..at].ends_with(['+', '-', '|', '&', '^']));
            text = format!("{} {} {}", &text[..start], &text[start..=at], &text[at + 1..]);
        }
        text.replace(',', ", ")
    }

    fn c_type(&self, ty: Type, _: u32) -> String {
        match ty.class {
            Class::Vector if ty.width == PAIR => "HVX_VectorPair".into(),
            Class::Vector => "HVX_Vector".into(),
            Class::Mask => "HVX_VectorPred".into(),
            Class::Scalar => c_integer(ty.width),
            Class::Memory => "const void *".to_owned(),
        }
    }

    fn c_words(&self) -> &[(&str, &str)] {
        difftest::hvx::DIALECT.types
    }
}
