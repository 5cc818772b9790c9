//! The input: equivalence classes with their members, as similarity checking found them.
//!
//! Everything here is plain data that a caller fills in; `crate::Dialect::build` checks it. Vendors are
//! strings: nothing in this crate depends on which ones there are.

use catalog::{
    Application, Argument, Certificate, Immediate, Known, Operand, Proof, Signature, Source, Trust,
};
use hydride_ir::{Function, Num};

/// A set of instructions that compute the same function of their arguments and parameters.
#[derive(Clone, Debug, PartialEq, Hash, Eq)]
pub struct Class {
    /// The semantics over the class's parameters, each with a default value.
    pub function: Function,
    /// Identity of `function` up to names and default values, as lower-case hexadecimal digits; the
    /// same for every run and on every machine.
    pub structural_hash: String,
    /// Key of the structure of the members' lane forms; see [`catalog::Family::structure`].
    pub structure: String,
    /// The numbers of the members' lane forms; see [`catalog::Family::numbers`].
    pub numbers: Option<Vec<Num>>,
    /// A name that the builder of the class prefers to the one derived from the function.
    pub suggested_name: Option<String>,
    /// The instructions; their order does not matter.
    pub members: Vec<Member>,
}

impl Member {
    /// What a dictionary records of it.
    pub(crate) fn known(&self) -> Known {
        let own = |position: u32| self.signature.args.get(position as usize);
        let immediate =
            |own: &Argument| own.immediate().map(|(low, high)| Operand::Immediate(Immediate { low, high }));
        let operand = |source: &Source| match source {
            Source::Own(position) => {
                own(*position).map(|own| immediate(own).unwrap_or(Operand::Whole(own.width)))
            }
            Source::Broadcast(broadcast) => own(broadcast.arg).and_then(immediate),
            Source::Constant(_) | Source::Masked(_) => None,
        };
        Known {
            application: self.application.clone(),
            operands: self.application.args.iter().map(|s| operand(s).unwrap_or(Operand::Other)).collect(),
            commutes: self.commutes,
        }
    }

    /// Whether the instruction's result has zeros above those of an operation whose results have the given widths.
    pub fn rest_is_zero(&self, widths: impl IntoIterator<Item = u32>) -> bool {
        let own: u32 = self.signature.results.iter().map(|result| result.width).sum();
        self.application.part.is_none() && own > widths.into_iter().sum()
    }
}

/// One instruction as an instance of its class.
#[derive(Clone, Debug, PartialEq, Hash, Eq)]
pub struct Member {
    /// The instruction set it belongs to, for example `x86`.
    pub isa: String,
    /// Its id within the instruction set, as in the ledger.
    pub id: String,
    /// The vendor's C name.
    pub intrinsic: String,
    /// How it applies the class's function.
    pub application: Application,
    /// Whether exchanging the first two arguments of the class's function was proved to keep every result, at the
    /// member's parameter values.
    pub commutes: bool,
    /// How the membership was certified.
    pub proof: Proof,
    /// What was certified.
    pub certificate: Certificate,
    /// How far the instruction's semantics are trusted, if known.
    pub trust: Option<Trust>,
    /// Assembly mnemonics (or instruction forms) that implement it.
    pub mnemonics: Vec<String>,
    /// Architecture extensions that it needs.
    pub extensions: Vec<String>,
    /// The vendor's C signature.
    pub signature: Signature,
}
