//! What a validation found, as data that serializes to JSON.

use serde::{Deserialize, Serialize};

/// The outcomes of a validation, in the order of the cases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// The oracle: `x86`, …
    pub oracle: String,
    /// The seed of the inputs.
    pub seed: u64,
    /// The requested number of inputs for each instruction.
    pub inputs: usize,
    /// One line for each case.
    pub cases: Vec<Checked>,
}

/// The result for one instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checked {
    /// The instruction's id.
    pub id: String,
    /// What was found.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// Immediate values, or combinations of them, that the compiler refused.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub refused_immediates: usize,
    /// What ran in the instruction's place: the same function under another name or encoding, or operators of C.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub through: Option<String>,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// The outcome for an instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum Outcome {
    /// All forms gave the oracle's results for every input.
    Agrees {
        /// Inputs compared.
        inputs: usize,
    },
    /// The instruction is an approximation, and all of the oracle's results were within its documented error; what is
    /// not an approximation in them was what all forms gave.
    WithinError {
        /// Inputs compared.
        inputs: usize,
    },
    /// Some form gave another result for some input.
    Mismatch(Box<Mismatch>),
    /// The compiler cannot build a call of the intrinsic.
    NotBuildable {
        /// What the compiler says, or which type is at fault.
        message: String,
    },
    /// The CPU lacks features, or refused the instruction.
    NotRunnable {
        /// The document's names of the features; `SIGILL` when the CPU refused.
        missing: Vec<String>,
    },
    /// The call ended in a signal.
    Signal {
        /// The signal's name, or `exit` when the runner ended.
        name: String,
        /// The arguments of the call in hexadecimal.
        args: Vec<String>,
    },
    /// A form cannot be evaluated, or does not fit the signature.
    NotEvaluated {
        /// Which form, and what is wrong.
        message: String,
    },
}

impl Outcome {
    /// Why nothing was compared, in words; empty where something was.
    pub fn reason(&self) -> String {
        match self {
            Self::Agrees { .. } | Self::WithinError { .. } | Self::Mismatch(_) => String::new(),
            Self::NotBuildable { message } => {
                format!("not buildable: {}", message.lines().next().unwrap_or_default())
            }
            Self::NotRunnable { missing } => format!("not runnable here: it needs {}", missing.join(" ")),
            Self::Signal { name, .. } => format!("the call ended with {name}"),
            Self::NotEvaluated { message } => format!("not evaluated: {message}"),
        }
    }
}

/// The first input for which a form differs, and how many there are.
///
/// Values are hexadecimal, most significant digit first, each as wide as the argument or result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mismatch {
    /// Inputs compared.
    pub inputs: usize,
    /// Inputs for which the parsed form differs.
    pub parsed_differs: usize,
    /// Inputs for which the canonical form differs.
    pub canonical_differs: usize,
    /// The arguments, immediates included.
    pub args: Vec<String>,
    /// What the oracle gives, one for each result.
    pub expected: Vec<String>,
    /// What the parsed form gives.
    pub parsed: Vec<String>,
    /// What the canonical form gives, where there is one.
    pub canonical: Option<Vec<String>>,
}

/// How many cases had which outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// [`Outcome::Agrees`].
    pub agrees: usize,
    /// [`Outcome::WithinError`].
    #[serde(default)]
    pub within_error: usize,
    /// [`Outcome::Mismatch`].
    pub mismatch: usize,
    /// [`Outcome::NotBuildable`].
    pub not_buildable: usize,
    /// [`Outcome::NotRunnable`].
    pub not_runnable: usize,
    /// [`Outcome::Signal`].
    pub signal: usize,
    /// [`Outcome::NotEvaluated`].
    pub not_evaluated: usize,
}

impl Report {
    /// Counts the outcomes.
    pub fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        for case in &self.cases {
            *match case.outcome {
                Outcome::Agrees { .. } => &mut totals.agrees,
                Outcome::WithinError { .. } => &mut totals.within_error,
                Outcome::Mismatch(_) => &mut totals.mismatch,
                Outcome::NotBuildable { .. } => &mut totals.not_buildable,
                Outcome::NotRunnable { .. } => &mut totals.not_runnable,
                Outcome::Signal { .. } => &mut totals.signal,
                Outcome::NotEvaluated { .. } => &mut totals.not_evaluated,
            } += 1;
        }
        totals
    }
}
