//! Why pseudocode, or an entry around it, has no meaning in the IR.

use serde::{Deserialize, Serialize};

use crate::ledger::Status;

/// Defines [`Reason`] from a table of variants and the codes that the ledger writes.
macro_rules! reasons {
    ($($(#[$doc:meta])* $variant:ident = $code:literal),* $(,)?) => {
        /// What kind of obstacle a [`Fault`] is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Reason {
            $($(#[$doc])* $variant),*
        }

        impl Reason {
            /// All reasons.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The code in the ledger.
            pub fn code(self) -> &'static str {
                match self {
                    $(Self::$variant => $code),*
                }
            }
        }
    };
}

reasons! {
    /// The document only bounds how far the result is from a number.
    Approximation = "approximation",
    /// An assertion of the text does not hold.
    Assertion = "assertion",
    /// The entry returns nothing, or changes the flow of control.
    Control = "control",
    /// The divisor is always zero.
    DivisionByZero = "division-by-zero",
    /// The machine word of an assembly line is not known.
    Encoding = "encoding",
    /// Floating-point arithmetic.
    FloatingPoint = "floating-point",
    /// A histogram.
    Histogram = "histogram",
    /// The text omits lines.
    Incomplete = "incomplete",
    /// An index lies outside of what it selects from.
    Index = "index",
    /// A function of a library of mathematics, which no instruction computes.
    LibraryFunction = "library-function",
    /// A bound of this program was reached.
    Limit = "limit",
    /// A macro is used with the wrong number of arguments.
    MacroArguments = "macro-arguments",
    /// A macro expands to itself.
    MacroRecursion = "macro-recursion",
    /// The entry is not well-formed.
    Malformed = "malformed",
    /// Memory is accessed in a way that the IR does not describe.
    Memory = "memory",
    /// No document has a text.
    NoPseudocode = "no-pseudocode",
    /// The operands of the entry do not fit together.
    Operands = "operands",
    /// A directive of the preprocessor is wrong.
    Preprocessor = "preprocessor",
    /// Random numbers.
    Random = "random",
    /// Calls are nested too deeply.
    Recursion = "recursion",
    /// The entry has another shape than the document's entries have.
    Shape = "shape",
    /// A shift by a negative count.
    Shift = "shift",
    /// Operands and prototype contradict each other.
    Signature = "signature",
    /// A slice begins below bit 0.
    Slice = "slice",
    /// Flags, counters, modes, tiles: state other than the operands.
    State = "state",
    /// A value must be known that depends on an operand.
    Symbolic = "symbolic",
    /// The text does not follow the grammar.
    Syntax = "syntax",
    /// Operands do not fit the operator, or a type is unknown.
    Type = "type",
    /// Bits are read before they are written, or a result is never written.
    Undefined = "undefined",
    /// According to the decode, the encoding is undefined or belongs to another instruction.
    UndefinedEncoding = "undefined-encoding",
    /// A function is not defined, or not for these arguments.
    UnknownCall = "unknown-call",
    /// A name means nothing.
    UnknownName = "unknown-name",
    /// No document defines the operation that the entry names.
    UnknownOperation = "unknown-operation",
    /// A register is no operand, or there is no register of that name.
    UnknownRegister = "unknown-register",
    /// A register is not seen as elements of that kind.
    UnknownView = "unknown-view",
    /// The text leaves the behaviour open.
    Unpredictable = "unpredictable",
    /// A construct that this program does not run.
    Unsupported = "unsupported",
}

/// A bit of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ArgumentBit {
    /// The argument's position.
    pub argument: u32,
    /// The bit, counted from the least significant one.
    pub bit: u32,
}

/// What a [`Fault`] means for the entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// It should have been modelled.
    Failed,
    /// It does what the IR does not describe.
    Excluded,
    /// It can be modelled once these bits are constants.
    NeedsConstants(Vec<ArgumentBit>),
}

/// An obstacle and its place: an offset of type `P` while an entry runs, a [`Span`](crate::Span) in the ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault<P> {
    /// What kind.
    pub reason: Reason,
    /// What it means for the entry.
    pub verdict: Verdict,
    /// What, with names; empty for an exclusion of which the reason says everything.
    pub message: String,
    /// Where.
    pub at: P,
}

impl<P> Fault<P> {
    /// What should have been modelled.
    pub fn failed(reason: Reason, at: P, message: impl Into<String>) -> Self {
        Self { reason, verdict: Verdict::Failed, message: message.into(), at }
    }

    /// What the IR does not describe.
    pub fn excluded(reason: Reason, at: P, message: impl Into<String>) -> Self {
        Self { reason, verdict: Verdict::Excluded, message: message.into(), at }
    }

    /// What depends on bits that must be constants; a failure with [`Reason::Limit`] if nobody fixes them.
    pub fn needs_constants(bits: Vec<ArgumentBit>, at: P, message: impl Into<String>) -> Self {
        Self { verdict: Verdict::NeedsConstants(bits), ..Self::failed(Reason::Limit, at, message) }
    }

    /// Whether the entry is outside of what the IR describes.
    pub fn is_exclusion(&self) -> bool {
        self.verdict == Verdict::Excluded
    }

    /// The same fault at another place, or at the same place in other terms.
    pub fn map_place<Q>(self, place: impl FnOnce(P) -> Q) -> Fault<Q> {
        let Self { reason, verdict, message, at } = self;
        Fault { reason, verdict, message, at: place(at) }
    }

    /// The entry's status in the ledger.
    pub fn into_status(self) -> Status {
        let reason = self.reason.code().to_owned();
        match self.verdict {
            Verdict::Excluded => {
                Status::Excluded { reason, message: Some(self.message).filter(|message| !message.is_empty()) }
            }
            Verdict::Failed | Verdict::NeedsConstants(_) => Status::Failed { reason, message: self.message },
        }
    }
}

/// A fault with a place, where some faults have none.
impl<P> From<Fault<P>> for Fault<Option<P>> {
    fn from(fault: Fault<P>) -> Self {
        fault.map_place(Some)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn codes_are_unique_and_sorted_like_the_reasons() {
        let codes: Vec<&str> = Reason::ALL.iter().map(|reason| reason.code()).collect();
        assert!(codes.is_sorted());
        assert_eq!(codes.iter().collect::<BTreeSet<_>>().len(), codes.len());
    }

    #[test]
    fn status_says_what_the_fault_means_for_the_entry() {
        let failed = Fault::failed(Reason::Index, 3, "bit 8 of 8 bits");
        let reason = "index".to_owned();
        assert_eq!(failed.into_status(), Status::Failed { reason, message: "bit 8 of 8 bits".to_owned() });
        let excluded = Fault::excluded(Reason::Random, (), "");
        let reason = "random".to_owned();
        assert_eq!(excluded.into_status(), Status::Excluded { reason, message: None });
        let bits = vec![ArgumentBit { argument: 1, bit: 0 }];
        let open = Fault::needs_constants(bits, (), "a loop bound");
        let reason = "limit".to_owned();
        assert_eq!(open.into_status(), Status::Failed { reason, message: "a loop bound".to_owned() });
    }

    #[test]
    fn a_place_is_mapped_and_nothing_else() {
        let fault = Fault::excluded(Reason::State, 7, "`MXCSR`");
        let moved = fault.clone().map_place(|at| at + 1);
        assert_eq!(moved, Fault { at: 8, ..fault.clone() });
        assert_eq!(Fault::<Option<i32>>::from(fault).at, Some(7));
    }
}
