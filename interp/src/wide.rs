//! The steps with an operand or a value of more than 64 bits.

use std::cmp::Ordering;

use hydride_ir::{BinaryOp, CompareOp, UnaryOp};
use smallvec::SmallVec;

use crate::float::FloatStep;
use crate::{Bv, words};

/// Where a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Slot {
    /// Position of its first word.
    pub(crate) offset: u32,
    /// Width in bits.
    pub(crate) width: u32,
}

impl Slot {
    pub(crate) fn words(self) -> usize {
        words::count(self.width)
    }

    fn read(self, memory: &[u64]) -> &[u64] {
        &memory[self.offset as usize..self.offset as usize + self.words()]
    }
}

/// A step on wide values; counts, positions and conditions are single words given by position.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct WideStep {
    pub(crate) op: WideOp,
    /// Width in bits of the value.
    pub(crate) width: u32,
}

/// What a wide step computes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum WideOp {
    Unary(UnaryOp, Slot),
    Binary {
        op: BinaryOp,
        signed: bool,
        left: Slot,
        right: Slot,
    },
    Shift {
        op: BinaryOp,
        signed: bool,
        of: Slot,
        amount: u32,
    },
    Compare {
        op: CompareOp,
        signed: bool,
        left: Slot,
        right: Slot,
    },
    Select {
        condition: u32,
        then: Slot,
        otherwise: Slot,
    },
    Extract {
        of: Slot,
        low: u32,
    },
    ExtractAt {
        of: Slot,
        low: u32,
    },
    Cast {
        of: Slot,
        signed: bool,
    },
    Saturate {
        of: Slot,
        from_signed: bool,
        to_signed: bool,
    },
    /// A floating-point operator on operands of at most 64 bits, or on an integer of at most 128.
    Float {
        step: FloatStep,
        operands: SmallVec<[u32; 4]>,
    },
    /// Overwrites the bits from `low` on of the value at the destination.
    Insert {
        value: Slot,
        low: u32,
    },
}

impl WideStep {
    /// Computes the value into the words from `dst` on; they lie above those of the operands, but
    /// for [`WideOp::Insert`].
    pub(crate) fn execute(&self, dst: usize, memory: &mut [u64]) {
        let width = self.width;
        if let WideOp::Insert { value, low } = self.op {
            let value_words: SmallVec<[u64; 8]> = value.read(memory).into();
            words::insert(&mut memory[dst..], low, &value_words, value.width);
            return;
        }
        let (memory, out) = memory.split_at_mut(dst);
        let out = &mut out[..words::count(width)];
        match &self.op {
            WideOp::Unary(op, of) => unary(*op, out, of.read(memory), width),
            WideOp::Binary { op, signed, left, right } => {
                binary(*op, *signed, out, left.read(memory), right.read(memory), width);
            }
            WideOp::Shift { op, signed, of, amount } => {
                let amount = memory[*amount as usize];
                match op {
                    BinaryOp::Shl => words::shl(out, of.read(memory), amount, width),
                    _ => words::shr(out, of.read(memory), amount, width, *signed),
                }
            }
            WideOp::Compare { op, signed, left, right } => {
                let order = words::compare(left.read(memory), right.read(memory), left.width, *signed);
                out[0] = u64::from(match op {
                    CompareOp::Eq => order == Ordering::Equal,
                    CompareOp::Lt => order == Ordering::Less,
                    CompareOp::Le => order != Ordering::Greater,
                });
            }
            WideOp::Select { condition, then, otherwise } => {
                let chosen = if memory[*condition as usize] == 1 { then } else { otherwise };
                out.copy_from_slice(chosen.read(memory));
            }
            WideOp::Extract { of, low } => words::extract(out, of.read(memory), u64::from(*low), width),
            WideOp::ExtractAt { of, low } => {
                words::extract(out, of.read(memory), memory[*low as usize], width);
            }
            WideOp::Cast { of, signed } => words::cast(out, of.read(memory), of.width, width, *signed),
            WideOp::Saturate { of, from_signed, to_signed } => {
                words::saturate(out, of.read(memory), of.width, width, *from_signed, *to_signed);
            }
            WideOp::Float { step, operands } => {
                let first = operands[0];
                let word = |at: u32| u128::from(memory[at as usize]);
                let mut operands: SmallVec<[u128; 4]> = operands.iter().map(|at| word(*at)).collect();
                if step.operand > 64 {
                    operands[0] |= word(first + 1) << 64;
                }
                out[0] = step.execute(&operands);
            }
            WideOp::Insert { .. } => {}
        }
    }
}

fn unary(op: UnaryOp, out: &mut [u64], of: &[u64], width: u32) {
    let number = match op {
        UnaryOp::Not => return words::not(out, of, width),
        UnaryOp::Neg => return words::neg(out, of, width),
        UnaryOp::Abs if words::sign(of, width) => return words::neg(out, of, width),
        UnaryOp::Abs => return out.copy_from_slice(of),
        UnaryOp::PopCount => words::popcount(of),
        UnaryOp::LeadingZeros => words::leading_zeros(of, width),
        UnaryOp::TrailingZeros => words::trailing_zeros(of, width),
    };
    out.fill(0);
    out[0] = number;
}

fn binary(op: BinaryOp, signed: bool, out: &mut [u64], a: &[u64], b: &[u64], width: u32) {
    match op {
        BinaryOp::Add => words::add(out, a, b, width),
        BinaryOp::Sub => words::sub(out, a, b, width),
        BinaryOp::Mul => words::mul(out, a, b, width),
        BinaryOp::And => words::bitwise(out, a, b, |a, b| a & b),
        BinaryOp::Or => words::bitwise(out, a, b, |a, b| a | b),
        BinaryOp::Xor => words::bitwise(out, a, b, |a, b| a ^ b),
        BinaryOp::Div => out.copy_from_slice(value(a, width).div(&value(b, width), signed).words()),
        BinaryOp::Rem => out.copy_from_slice(value(a, width).rem(&value(b, width), signed).words()),
        BinaryOp::Min | BinaryOp::Max => {
            let left_is_less = words::compare(a, b, width, signed).is_lt();
            out.copy_from_slice(if left_is_less == (op == BinaryOp::Min) { a } else { b });
        }
        BinaryOp::Shl => words::shl(out, a, words::clamp_count(b), width),
        BinaryOp::Shr => words::shr(out, a, words::clamp_count(b), width, signed),
    }
}

fn value(words: &[u64], width: u32) -> Bv {
    Bv::from_words(width, words.iter().copied())
}
