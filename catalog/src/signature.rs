//! The C signature of an instruction's intrinsic.

use serde::{Deserialize, Serialize};

/// Types of an instruction's arguments and results.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Signature {
    /// Arguments in the order of the intrinsic.
    pub args: Vec<Argument>,
    /// Results; several where an intrinsic returns a tuple.
    pub results: Vec<Argument>,
}

/// An argument or a result.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Argument {
    /// The document's name for it.
    pub name: String,
    /// The type as C source has it.
    pub c_type: String,
    /// Width in bits of the C type.
    pub width: u32,
    /// What kind of operand it is.
    pub kind: Kind,
    /// The element type suggested by the document.
    pub element: Option<Element>,
}

impl Argument {
    /// Whether it is memory that is accessed through a pointer.
    pub fn is_memory(&self) -> bool {
        matches!(self.kind, Kind::Memory { .. })
    }

    /// The least and the greatest documented value, where it is an immediate.
    pub fn immediate(&self) -> Option<(i64, i64)> {
        match &self.kind {
            Kind::Immediate(range) => Some((range.low, range.high)),
            Kind::Vector | Kind::Mask | Kind::Scalar | Kind::Memory { .. } => None,
        }
    }
}

/// What kind of operand an argument is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Kind {
    /// A vector register.
    Vector,
    /// A mask or predicate register.
    Mask,
    /// A scalar held in a general register.
    Scalar,
    /// An integer known at compile time.
    Immediate(Immediate),
    /// Bytes of memory that are accessed through a pointer. A result of the same name is what they are afterwards.
    Memory {
        /// The number of bytes that divides the pointer, a power of two.
        align: u32,
        /// The elements at computed addresses, of which the operand consists where they are gathered or scattered.
        element: Option<Elements>,
        /// Whether the access asks not to fill caches.
        non_temporal: bool,
    },
}

/// Elements at computed addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Elements {
    /// Their width in bits.
    pub width: u32,
    /// The width in bits of the lanes of the one register from which addresses are computed, where lane `i` is all that
    /// the address of element `i` depends on of it.
    pub index: Option<u32>,
}

/// The documented values of an immediate: `low..=high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Immediate {
    /// Least value.
    pub low: i64,
    /// Greatest value.
    pub high: i64,
}

impl Immediate {
    /// How many bits hold every documented value, at least 1; `None` if some are negative.
    pub fn bits(self) -> Option<u32> {
        (self.low >= 0).then(|| (i64::BITS - self.high.leading_zeros()).max(1))
    }

    /// The least range with the values of both.
    pub fn hull(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }
}

/// An element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Element {
    /// Width in bits.
    pub width: u32,
    /// Whether it is read as two's complement.
    pub signed: bool,
    /// Whether it is a floating-point number.
    pub float: bool,
}
