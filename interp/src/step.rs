//! The tape's steps: operators whose operands and value have at most 64 bits.
//!
//! Memory is one array of words. A narrow value is one word with zeros above its width; the words
//! of a wide one are consecutive. Each step writes a place that no earlier step read.

use crate::wide::WideStep;
use crate::words::overwrite;

/// One step. What `a`, `b` and `c` mean depends on the opcode; mostly they are the word positions
/// of the operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Step {
    pub(crate) op: Opcode,
    /// Width in bits of the value, 1 to 64; of the operands for comparisons.
    pub(crate) width: u8,
    /// A shift amount below 64 or the operand's width, by opcode.
    pub(crate) small: u8,
    /// Position of the word written.
    pub(crate) dst: u32,
    pub(crate) a: u32,
    pub(crate) b: u32,
    pub(crate) c: u32,
}

/// What a step computes. `U` and `S` end the operators that depend on signedness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Opcode {
    Add,
    Sub,
    Mul,
    DivU,
    DivS,
    RemU,
    RemS,
    And,
    Or,
    Xor,
    Shl,
    ShrU,
    ShrS,
    MinU,
    MinS,
    MaxU,
    MaxS,
    Eq,
    LtU,
    LtS,
    LeU,
    LeS,
    Not,
    Neg,
    Abs,
    PopCount,
    LeadingZeros,
    TrailingZeros,
    /// `b` where the word at `a` is 1, else `c`.
    Select,
    /// The bits from `small` on of the word at `a`.
    Field,
    /// The bits from `small` on of the two words at `a`; `small` is not 0.
    Straddle,
    /// `a` of `small` bits, sign-extended.
    SignExtend,
    /// `a` of `small` bits, clamped; the first letter is the source's signedness.
    SaturateUU,
    SaturateUS,
    SaturateSU,
    SaturateSS,
    /// The bits of the `c` words at `a` from the position at `b` on.
    ExtractAt,
    /// The `c` words at `a`, the greatest 64-bit number when they do not fit one.
    ClampCount,
    /// Overwrites bits from `small` on in the word at `dst` with the word at `a`.
    Insert,
    /// The same across the words at `dst` and `dst + 1`.
    InsertStraddle,
    /// The wide step numbered `a`.
    Wide,
}

/// The low `width` bits, 1 to 64.
fn mask(width: u8) -> u64 {
    u64::MAX >> (64 - u32::from(width))
}

/// The two's complement reading of the low `width` bits.
fn signed(word: u64, width: u8) -> i64 {
    let unused = 64 - u32::from(width);
    (word << unused) as i64 >> unused
}

/// Runs steps in order over `memory`; `wide` are the wide steps that they refer to.
pub(crate) fn execute(steps: &[Step], wide: &[WideStep], memory: &mut [u64]) {
    for step in steps {
        let (a, b) = (step.a as usize, step.b as usize);
        let width = step.width;
        let value = match step.op {
            Opcode::Add => memory[a].wrapping_add(memory[b]) & mask(width),
            Opcode::Sub => memory[a].wrapping_sub(memory[b]) & mask(width),
            Opcode::Mul => memory[a].wrapping_mul(memory[b]) & mask(width),
            Opcode::DivU => memory[a].checked_div(memory[b]).unwrap_or(mask(width)),
            Opcode::DivS => match (signed(memory[a], width), signed(memory[b], width)) {
                (dividend, 0) => {
                    if dividend < 0 {
                        1
                    } else {
                        mask(width)
                    }
                }
                (dividend, divisor) => dividend.wrapping_div(divisor) as u64 & mask(width),
            },
            Opcode::RemU => memory[a].checked_rem(memory[b]).unwrap_or(memory[a]),
            Opcode::RemS => match (signed(memory[a], width), signed(memory[b], width)) {
                (_, 0) => memory[a],
                (dividend, divisor) => dividend.wrapping_rem(divisor) as u64 & mask(width),
            },
            Opcode::And => memory[a] & memory[b],
            Opcode::Or => memory[a] | memory[b],
            Opcode::Xor => memory[a] ^ memory[b],
            Opcode::Shl => match memory[b] {
                amount if amount < u64::from(width) => memory[a] << amount & mask(width),
                _ => 0,
            },
            Opcode::ShrU => match memory[b] {
                amount if amount < u64::from(width) => memory[a] >> amount,
                _ => 0,
            },
            Opcode::ShrS => (signed(memory[a], width) >> memory[b].min(63)) as u64 & mask(width),
            Opcode::MinU => memory[a].min(memory[b]),
            Opcode::MaxU => memory[a].max(memory[b]),
            Opcode::MinS => signed(memory[a], width).min(signed(memory[b], width)) as u64 & mask(width),
            Opcode::MaxS => signed(memory[a], width).max(signed(memory[b], width)) as u64 & mask(width),
            Opcode::Eq => u64::from(memory[a] == memory[b]),
            Opcode::LtU => u64::from(memory[a] < memory[b]),
            Opcode::LeU => u64::from(memory[a] <= memory[b]),
            Opcode::LtS => u64::from(signed(memory[a], width) < signed(memory[b], width)),
            Opcode::LeS => u64::from(signed(memory[a], width) <= signed(memory[b], width)),
            Opcode::Not => !memory[a] & mask(width),
            Opcode::Neg => memory[a].wrapping_neg() & mask(width),
            Opcode::Abs => signed(memory[a], width).unsigned_abs(),
            Opcode::PopCount => u64::from(memory[a].count_ones()),
            Opcode::LeadingZeros => u64::from(memory[a].leading_zeros()) - (64 - u64::from(width)),
            Opcode::TrailingZeros => u64::from(memory[a].trailing_zeros()).min(u64::from(width)),
            Opcode::Select => {
                let chosen = if memory[a] == 1 { b } else { step.c as usize };
                memory[chosen]
            }
            Opcode::Field => memory[a] >> step.small & mask(width),
            Opcode::Straddle => (memory[a] >> step.small | memory[a + 1] << (64 - step.small)) & mask(width),
            Opcode::SignExtend => signed(memory[a], step.small) as u64 & mask(width),
            Opcode::SaturateUU => memory[a].min(mask(width)),
            Opcode::SaturateUS => memory[a].min(mask(width) >> 1),
            Opcode::SaturateSU => match signed(memory[a], step.small) {
                negative if negative < 0 => 0,
                value => (value as u64).min(mask(width)),
            },
            Opcode::SaturateSS => {
                let greatest = (mask(width) >> 1) as i64;
                signed(memory[a], step.small).clamp(-greatest - 1, greatest) as u64 & mask(width)
            }
            Opcode::ExtractAt => {
                crate::words::window(&memory[a..a + step.c as usize], memory[b]) & mask(width)
            }
            Opcode::ClampCount => crate::words::clamp_count(&memory[a..a + step.c as usize]),
            Opcode::Insert => {
                let bits = memory[a] << step.small;
                overwrite(&mut memory[step.dst as usize], bits, mask(width) << step.small);
                continue;
            }
            Opcode::InsertStraddle => {
                let (bits, above, dst) = (memory[a], 64 - step.small, step.dst as usize);
                overwrite(&mut memory[dst], bits << step.small, mask(width) << step.small);
                overwrite(&mut memory[dst + 1], bits >> above, mask(width) >> above);
                continue;
            }
            Opcode::Wide => {
                wide[a].execute(step.dst as usize, memory);
                continue;
            }
        };
        memory[step.dst as usize] = value;
    }
}
