//! Zeta's assembly and C.

use search::{Class, Syntax, Type, Written, c_integer};

// ANCHOR: syntax
/// `zaddb v2, v0, v1`.
pub struct Zeta;

impl Syntax for Zeta {
    fn register(&self, ty: Type, number: usize) -> String {
        match ty.class {
            Class::Vector => format!("v{number}"),
            Class::Scalar | Class::Mask | Class::Memory => format!("r{number}"),
        }
    }

    fn copy(&self, _: Type, to: &str, from: &str) -> String {
        format!("zmov {to}, {from}")
    }

    fn step(&self, written: &Written<'_>) -> String {
        let sources = written.operands(written.registers).join(", ");
        format!("{} {}, {sources}", written.instruction.mnemonic, written.result)
    }

    fn c_type(&self, ty: Type, _: u32) -> String {
        match ty.class {
            Class::Vector => "zeta_v".to_owned(),
            Class::Scalar | Class::Mask | Class::Memory => c_integer(ty.width),
        }
    }
}
// ANCHOR_END: syntax
