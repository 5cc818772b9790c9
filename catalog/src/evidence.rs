//! The evidence for a member: the certificate of its membership, and the basis of its semantics.

use hydride_ir::Function;
use hydride_ir::passes::gives_nans;
use serde::{Deserialize, Serialize};

/// How the equality of a member with its class's instance was established. There is no member without a certificate: an
/// instruction that the solver cannot decide becomes a separate class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Proof {
    /// Both sides are one expression after simplification of exact integers, in each case of a small number.
    Structural,
    /// The solver proved every element equal.
    Smt,
}

impl Proof {
    /// The word used in output files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Structural => "structural",
            Self::Smt => "smt",
        }
    }
}

/// What the certificate of a membership says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Certificate {
    /// The member equals its class's instance.
    #[default]
    #[serde(rename = "exact")]
    Exact,
    /// They are equal up to the choice among NaNs, which a class leaves open: where one gives a NaN, so does the other.
    #[serde(rename = "up to NaN")]
    UpToNan,
}

impl Certificate {
    /// The certificate of a member by its function.
    pub fn of(function: &Function) -> Self {
        if gives_nans(function) { Self::UpToNan } else { Self::Exact }
    }

    /// Whether nothing is left open.
    pub fn is_exact(&self) -> bool {
        *self == Self::Exact
    }
}

/// How far an instruction's semantics can be trusted.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trust {
    /// Read from the document; there is no canonical form.
    Parsed,
    /// The canonical form is proved equal to what the document says.
    Proved,
    /// It agrees with a CPU or emulator as well.
    Run {
        /// The CPU.
        cpu: String,
        /// Inputs compared.
        inputs: usize,
        /// Seed of the inputs.
        seed: u64,
    },
}

impl Trust {
    /// The number of inputs compared with a machine.
    pub fn inputs(&self) -> Option<usize> {
        match self {
            Self::Run { inputs, .. } => Some(*inputs),
            Self::Parsed | Self::Proved => None,
        }
    }

    /// The trust in one word.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Parsed => "parsed",
            Self::Proved => "proved",
            Self::Run { .. } => "run",
        }
    }
}
