//! A tableau at the narrowest width that has sufficed so far.

use dashu_int::IBig;

use crate::tableau::Tableau;

/// How wide the numbers of a tableau are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Precision {
    /// 16 bits.
    Bits16,
    /// 32 bits.
    Bits32,
    /// 64 bits.
    Bits64,
    /// As many bits as a number has.
    Arbitrary,
}

/// A tableau of any width.
#[derive(Debug, Clone)]
pub(crate) enum AnyTableau {
    Bits16(Tableau<i16>),
    Bits32(Tableau<i32>),
    Bits64(Tableau<i64>),
    Arbitrary(Box<Tableau<IBig>>),
}

impl AnyTableau {
    pub(crate) fn new(variables: usize, precision: Precision, room: usize) -> Self {
        match precision {
            Precision::Bits16 => Self::Bits16(Tableau::new(variables, room)),
            Precision::Bits32 => Self::Bits32(Tableau::new(variables, room)),
            Precision::Bits64 => Self::Bits64(Tableau::new(variables, room)),
            Precision::Arbitrary => Self::Arbitrary(Box::new(Tableau::new(variables, room))),
        }
    }

    pub(crate) fn precision(&self) -> Precision {
        match self {
            Self::Bits16(_) => Precision::Bits16,
            Self::Bits32(_) => Precision::Bits32,
            Self::Bits64(_) => Precision::Bits64,
            Self::Arbitrary(_) => Precision::Arbitrary,
        }
    }

    /// Moves to the next width.
    pub(crate) fn widen(&mut self) {
        *self = match self {
            Self::Bits16(tableau) => Self::Bits32(tableau.converted()),
            Self::Bits32(tableau) => Self::Bits64(tableau.converted()),
            Self::Bits64(tableau) => Self::Arbitrary(Box::new(tableau.converted())),
            Self::Arbitrary(_) => unreachable!("nothing overflows at arbitrary precision"),
        };
    }
}

/// Evaluates an expression on the tableau, at the present width.
macro_rules! at_any_width {
    ($any:expr, $tableau:ident => $expression:expr) => {
        match $any {
            $crate::precision::AnyTableau::Bits16($tableau) => $expression,
            $crate::precision::AnyTableau::Bits32($tableau) => $expression,
            $crate::precision::AnyTableau::Bits64($tableau) => $expression,
            $crate::precision::AnyTableau::Arbitrary($tableau) => $expression,
        }
    };
}

/// Evaluates an operation that can overflow, and again at the next width whenever it does.
macro_rules! widening {
    ($any:expr, $tableau:ident => $expression:expr) => {
        loop {
            match $crate::precision::at_any_width!(&mut $any, $tableau => $expression) {
                Ok(value) => break value,
                Err($crate::element::Overflow) => $any.widen(),
            }
        }
    };
}

pub(crate) use {at_any_width, widening};
