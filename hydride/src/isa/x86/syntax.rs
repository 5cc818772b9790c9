//! Intel's syntax and C types.

use search::{Class, Operand, Place, Syntax, Type, Written, c_integer};

/// What a form shows with a result of which a mask chooses the elements.
pub(super) const MASKED: &str = " {k}";

/// Destination first.
pub struct X86 {
    /// Whether results have registers of their own.
    pub vex: bool,
}

impl Syntax for X86 {
    fn register(&self, ty: Type, number: usize) -> String {
        const SCALARS: [&str; 6] = ["di", "si", "dx", "cx", "ax", "bx"];
        match ty.class {
            Class::Vector => {
                let prefix = match ty.width {
                    512 => "zmm",
                    256 => "ymm",
                    _ => "xmm",
                };
                format!("{prefix}{number}")
            }
            Class::Mask => format!("k{}", number + 1),
            Class::Scalar => {
                let prefix = if ty.width == 64 { "r" } else { "e" };
                SCALARS
                    .get(number)
                    .map_or_else(|| format!("r{}", number + 2), |name| format!("{prefix}{name}"))
            }
            // Pointers are in the general registers that scalars take last.
            Class::Memory => format!("[r{}]", 15 - number),
        }
    }

    fn copy(&self, ty: Type, to: &str, from: &str) -> String {
        let mnemonic = match ty.class {
            Class::Mask => "kmovq",
            Class::Scalar | Class::Memory => "mov",
            Class::Vector if !self.vex => "movdqa",
            Class::Vector if ty.width == 512 => "vmovdqa64",
            Class::Vector => "vmovdqa",
        };
        format!("{mnemonic} {to}, {from}")
    }

    fn step(&self, written: &Written<'_>) -> String {
        let Written { instruction, step, result, place, .. } = *written;
        let mut registers = written.registers.to_vec();
        // The first operand is the one that is overwritten.
        if let Place::Over(operand) | Place::Copy(operand) = place {
            registers.swap(0, operand);
            registers[0] = result.to_owned();
        }
        // `x ^ x` overwrites a source and does not care which.
        let equal = step.operands.iter().all(|operand| *operand == step.operands[0]);
        let idiom = place == Place::Fresh && instruction.destroys.is_some() && equal;
        if idiom {
            registers.fill(result.to_owned());
        }
        let mut operands = written.operands(&registers);
        if let Some(implied) = instruction.implied {
            operands.remove(implied);
        }
        if place == Place::Fresh && !idiom {
            let shown = match instruction.syntax.contains(MASKED) {
                true => format!("{result} {{{}}}", operands.remove(0)),
                false => result.to_owned(),
            };
            operands.insert(0, shown);
        }
        let is_vector = |ty: &Type| ty.class == Class::Vector;
        let reads = instruction.operands.iter().flat_map(Operand::registers).any(|ty| is_vector(&ty));
        let sse = (reads || is_vector(&instruction.result)) && !instruction.mnemonic.starts_with('v');
        let prefix = if self.vex && sse && !instruction.legacy { "v" } else { "" };
        // The VEX form of a scalar operation with one source has the upper elements as a source of their own.
        let scalar = ["sqrt", "rcp", "rsqrt"].iter().any(|name| {
            instruction.mnemonic.strip_prefix(name).is_some_and(|rest| ["ss", "sd"].contains(&rest))
        });
        if !prefix.is_empty() && scalar && operands.len() == 2 {
            operands.insert(1, operands[1].clone());
        }
        format!("{prefix}{} {}", instruction.mnemonic, operands.join(", "))
    }

    fn c_type(&self, ty: Type, _: u32) -> String {
        match ty.class {
            Class::Vector => format!("__m{}i", ty.width),
            Class::Mask => format!("__mmask{}", ty.width),
            Class::Scalar => c_integer(ty.width),
            Class::Memory => "const void *".to_owned(),
        }
    }

    fn c_words(&self) -> &[(&str, &str)] {
        difftest::x86::DIALECT.types
    }
}
