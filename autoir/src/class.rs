//! The input: equivalence classes with their members, as similarity checking found them.
//!
//! Everything here is plain data that a caller fills in; `crate::Dialect::build` checks it. Vendors are
//! strings: nothing in this crate depends on which ones there are.

use hydride_ir::{Bits, Function};

use crate::facts::Facts;

/// A set of instructions that compute the same function of their arguments and parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// The semantics over the class's parameters, each with a default value.
    pub function: Function,
    /// Identity of `function` up to names and default values, as lower-case hexadecimal digits; the
    /// same for every run and on every machine.
    pub structural_hash: String,
    /// A name that whoever built the class prefers over the one read off the function.
    pub suggested_name: Option<String>,
    /// Whether exchanging the first two arguments was proved to keep every result, at the parameter
    /// values of every member.
    pub commutative: bool,
    /// The instructions; their order does not matter.
    pub members: Vec<Member>,
}

/// One instruction as an instance of its class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The instruction set it belongs to, for example `x86`.
    pub isa: String,
    /// Its identity within the instruction set (DESIGN section 8).
    pub id: String,
    /// The vendor's C name.
    pub intrinsic: String,
    /// A value for each parameter of the class's function, in that order.
    pub params: Vec<i64>,
    /// Where each argument of the class's function comes from, in that order.
    pub args: Vec<ArgSource>,
    /// Whether the result passes through a lane select.
    pub masking: Masking,
    /// How the mask is laid over the result; present when there is a mask.
    pub mask_layout: Option<MaskLayout>,
    /// The part of the result that the operation writes, where that is not the whole.
    pub part: Option<ResultPart>,
    /// How the membership was certified.
    pub proof: Proof,
    /// How far the instruction's own semantics is trusted, as a word, where that is known.
    pub trust: Option<String>,
    /// Assembly mnemonics (or instruction forms) that implement it.
    pub mnemonics: Vec<String>,
    /// Architecture extensions that it needs.
    pub extensions: Vec<String>,
    /// The vendor's C signature.
    pub signature: Signature,
}

/// Where a class argument comes from in a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgSource {
    /// The member's own argument at this position.
    Position(u32),
    /// A value that the member fixes.
    Constant(Bits),
    /// Every element is one slice of the member's own argument at `position`: `width` bits from bit `low` on,
    /// or, where `lane` is an immediate, from bit `low + width·lane` on. The copies are `stride` bits apart with
    /// zeros between.
    Broadcast {
        /// Position of the register or scalar that is repeated.
        position: u32,
        /// Position of the immediate that chooses the slice.
        lane: Option<u32>,
        /// Lowest bit of the slice.
        low: u32,
        /// Width of the slice in bits.
        width: u32,
        /// Distance of the copies in bits, at least `width`.
        stride: u32,
    },
}

/// The part of a member's result that its operation writes; the other bits are an argument's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResultPart {
    /// Lowest bit written.
    pub low: u32,
    /// Number of bits written.
    pub width: u32,
    /// Position of the argument from which the other bits are taken, each from its own place.
    pub pass_through: u32,
}

/// How the bits of a mask are laid over a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MaskLayout {
    /// Distance in bits from one mask bit that is used to the next; the first is bit 0.
    pub stride: u32,
    /// Bits of the result that one mask bit governs.
    pub lane: u32,
    /// Whether a bit that is 0 selects what the operation computes, and not one that is 1.
    pub negated: bool,
}

impl MaskLayout {
    /// Stride and lane of a mask that has not one bit, right behind the one before, for each element of a result.
    pub fn uneven(self, facts: &Facts) -> Option<(u32, u32)> {
        let plain = self.stride == 1 && facts.results.iter().all(|result| result.element == self.lane);
        (!plain).then_some((self.stride, self.lane))
    }
}

/// What happens to the lanes of the result that a mask leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Masking {
    /// There is no mask.
    None,
    /// They keep the value of another argument.
    Merge {
        /// Position of the mask among the member's own arguments.
        mask: u32,
        /// Position of the argument whose lanes are kept, where there is one.
        pass_through: Option<u32>,
    },
    /// They become zero.
    Zero {
        /// Position of the mask among the member's own arguments.
        mask: u32,
    },
}

impl Masking {
    /// The word used in output files.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Merge { .. } => "merge",
            Self::Zero { .. } => "zero",
        }
    }

    /// Position of the mask among the member's own arguments.
    pub fn mask(self) -> Option<u32> {
        match self {
            Self::None => None,
            Self::Merge { mask, .. } | Self::Zero { mask } => Some(mask),
        }
    }

    /// Position of the argument whose lanes are kept.
    pub fn pass_through(self) -> Option<u32> {
        match self {
            Self::Merge { pass_through, .. } => pass_through,
            Self::None | Self::Zero { .. } => None,
        }
    }
}

/// How the equality of a member with its class's instance was established.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Proof {
    /// The two are the same expression after normalisation.
    Structural,
    /// A solver proved them equal.
    Smt,
    /// Neither; such a member stands alone.
    Unknown,
}

impl Proof {
    /// The word used in output files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Structural => "structural",
            Self::Smt => "smt",
            Self::Unknown => "unknown",
        }
    }
}

/// A C signature.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Signature {
    /// The arguments in the vendor's order.
    pub args: Vec<Operand>,
    /// The results; empty when there is none.
    pub results: Vec<Operand>,
}

/// One argument or result of a C signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    /// The C type as the vendor writes it.
    pub c_type: String,
    /// Width in bits.
    pub width: u32,
    /// The least and greatest documented value, when it is an immediate.
    pub immediate: Option<(i64, i64)>,
}
