//! What a document says about an instruction besides its semantics: types, immediates, extensions.

pub use catalog::{Argument, Element, Elements, Immediate, Kind, Signature};
use hydride_ir::Function;
use serde::{Deserialize, Serialize};

use crate::Isa;
use crate::ledger::Span;

/// A modelled instruction.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Instruction {
    /// Unique within its ISA; the vendor's intrinsic name, with `@EXTENSION` on a twin.
    pub id: String,
    /// The instruction set.
    pub isa: Isa,
    /// The vendor's intrinsic name as a C program writes it.
    pub intrinsic: String,
    /// The semantics as parsed: flat, one assignment per written slice of a result. Its arguments
    /// are the signature's, in order, each as wide as the argument.
    pub function: Function,
    /// Which bytes of memory the instruction accesses, where it does not always access all of them: one result for
    /// each memory argument, in order, with one bit for each byte.
    pub accessed: Option<Function>,
    /// The addresses of elements that are gathered or scattered: for each memory argument that consists of such elements,
    /// one after another in the order of the accesses, a result of the same name with the distance of each from the
    /// pointer, in bytes, as 64 bits. Of stores to one address the last one counts.
    pub addresses: Option<Function>,
    /// Bits of the results that the document leaves undefined; the function writes 0 there.
    pub undefined: Vec<UndefinedBits>,
    /// Arguments for which the document leaves the results undefined; the function has some value there.
    pub undefined_for: Vec<UndefinedFor>,
    /// Types of the arguments and results.
    pub signature: Signature,
    /// CPU features that the instruction needs, in document order.
    pub extensions: Vec<String>,
    /// Machine instructions that the document names.
    pub forms: Vec<Form>,
    /// The location of the entry.
    pub span: Span,
}

/// Bits `low .. low + width` of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndefinedBits {
    /// The result's position.
    pub result: usize,
    /// Lowest bit.
    pub low: u32,
    /// Number of bits.
    pub width: u32,
}

/// An argument's value for which the results are undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndefinedFor {
    /// The argument's position.
    pub argument: usize,
    /// Its value, read unsigned.
    pub value: u64,
}

/// A machine instruction with its operand form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Form {
    /// The mnemonic, upper case as documented.
    pub mnemonic: String,
    /// The operand kinds, as documented.
    pub operands: String,
    /// The line that an assembler takes, where the document says which operand each argument is: `{d}` stands
    /// for the number of the result's register, `{2}` for the number of the register that holds argument 2 or
    /// for its value, `{2*8}` for eight times its value, `{2+1}` for the register after it where argument 2 is in
    /// several.
    pub template: Option<String>,
    /// The argument whose register the result overwrites, where the document says so.
    pub destroys: Option<usize>,
}
