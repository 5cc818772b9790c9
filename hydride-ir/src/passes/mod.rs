//! Passes over functions: one file each.
//!
//! Every pass takes a function that obeys the laws of the verifier and returns one that does.

mod dead_code;
mod instantiate;
mod nan_bits;
mod open_nans;
pub(crate) mod schedule;
mod trivial;
mod unroll;

pub use dead_code::dead_code;
pub use instantiate::{instantiate, specialize};
pub use nan_bits::from_nan_bits;
pub use open_nans::{gives_nans, open_nans};
pub use trivial::without_trivial;
pub use unroll::{MAX_UNROLLED_EXPRESSIONS, unroll};

use crate::verify::VerifyError;

/// Why a pass could not be carried out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PassError {
    /// The number of values given is not the number of parameters.
    #[error("{given} values for {expected} parameters")]
    ParameterCount {
        /// Parameters of the function.
        expected: usize,
        /// Values given.
        given: usize,
    },
    /// The pass needs a function without parameters ([`instantiate`] makes one).
    #[error("the function has parameters that are not instantiated")]
    Parameters,
    /// A number does not fit 64 bits for some values of the parameters or indices.
    #[error("a number overflows 64 bits")]
    Overflow,
    /// The result would have more expressions than the limit.
    #[error("the result would have more than {limit} expressions")]
    TooLarge {
        /// The limit.
        limit: usize,
    },
    /// The function given breaks a law of the IR.
    #[error(transparent)]
    Invalid(#[from] VerifyError),
}
