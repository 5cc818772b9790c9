//! Functions of LLVM assembly as far as they are modelled.

use hydride_ir::Bits;
use llvm_text::Type;

use crate::error::{Fault, Place};

/// An element of a constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Element {
    /// Its bits.
    Bits(Bits),
    /// Any value, another one at each use.
    Undef,
    /// The result of an erroneous operation.
    Poison,
}

/// A value without its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A parameter or an instruction's result.
    Local(String),
    /// A constant, element by element.
    Constant(Vec<Element>),
}

/// A value with its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    /// Its type.
    pub ty: Type,
    /// The value.
    pub value: Value,
}

/// What an attribute requires of a parameter, argument or result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Attribute {
    /// Poison is undefined behavior.
    NoUndef,
    /// What is not in `low..high`, which may wrap around, is poison.
    Range(Bits, Bits),
    /// What has one of the first bits, or lacks one of the second ones, is poison. LLVM has no such attribute; it is written as
    /// a text, `"known-bits"="xx00"`, from the highest bit on.
    KnownBits(Bits, Bits),
    /// An address that is not a multiple of so many bytes, a power of two, is poison.
    Align(u32),
    /// An address that is none is poison.
    NonNull,
    /// So many bytes behind an address may be read.
    Dereferenceable(u32),
    /// What is accessed through this pointer and written is accessed through no other one.
    NoAlias,
}

/// Poison-generating flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// No unsigned overflow.
    pub nuw: bool,
    /// No signed overflow.
    pub nsw: bool,
    /// No bits that are lost.
    pub exact: bool,
    /// No bits in common.
    pub disjoint: bool,
    /// Not negative.
    pub nneg: bool,
    /// Operands of one sign.
    pub samesign: bool,
}

/// What an instruction does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// An operator on two operands of one type.
    Binary(&'static str, Flags, Operand, Operand),
    /// A comparison of integers by a predicate.
    Compare(&'static str, Flags, Operand, Operand),
    /// A conversion.
    Cast(&'static str, Flags, Operand, Type),
    /// A choice.
    Select(Operand, Operand, Operand),
    /// An arbitrary but fixed value in place of poison.
    Freeze(Operand),
    /// Elements of two vectors; poison where there is no number.
    Shuffle(Operand, Operand, Vec<Option<u32>>),
    /// An element at a position.
    ExtractElement(Operand, Operand),
    /// A vector with another element at a position.
    InsertElement(Operand, Operand, Operand),
    /// A part of a structure or array.
    ExtractValue(Operand, Vec<u32>),
    /// A structure or array with another part.
    InsertValue(Operand, Operand, Vec<u32>),
    /// A call of a function by name.
    Call {
        /// The function's name.
        function: String,
        /// The arguments with their attributes.
        arguments: Vec<(Operand, Vec<Attribute>)>,
        /// The attributes of the result.
        attributes: Vec<Attribute>,
    },
    /// What is behind a pointer, of the instruction's type; the address is a multiple of so many bytes.
    Load(Operand, u32),
    /// A value written behind a pointer; the address is a multiple of so many bytes.
    Store(Operand, Operand, u32),
    /// A pointer with numbers of steps of so many bytes added; whether it must stay in what it leads to.
    Offset(Operand, Vec<(Operand, u32)>, bool),
    /// A pointer to so many bytes that nothing is written to yet, at a multiple of so many bytes.
    Allocate(u32, u32),
    /// For each block before this one the value and the block's label.
    Phi(Vec<(Value, String)>),
    /// A jump.
    Branch(String),
    /// A jump to the first label where the bit is 1, else to the second.
    If(Operand, String, String),
    /// A jump by value; the label is for all others.
    Switch(Operand, String, Vec<(Bits, String)>),
    /// The end, with the result.
    Return(Option<Operand>),
    /// Undefined behavior.
    Unreachable,
}

/// An instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// The name of its result.
    pub result: Option<String>,
    /// The type of its result; `void` if it has none.
    pub ty: Type,
    /// What it does.
    pub action: Action,
    /// Where it begins.
    pub place: Place,
}

/// A block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its label.
    pub label: String,
    /// Its instructions; the last one ends it.
    pub instructions: Vec<Instruction>,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// What it requires.
    pub attributes: Vec<Attribute>,
}

/// A function's parameters and blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// The type of the result.
    pub result: Type,
    /// What the result must be.
    pub attributes: Vec<Attribute>,
    /// The parameters.
    pub parameters: Vec<Parameter>,
    /// The blocks, the first of which is the entry.
    pub blocks: Vec<Block>,
}

/// A function definition of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its bytes in the module's text, from `define` to the closing brace.
    pub span: std::ops::Range<usize>,
    /// What it does, or the first thing in it that is outside of what is modelled.
    pub body: Result<Body, Fault>,
}

/// The number of elements in a type, parts of structures one after the other; `None` where a value is not bits.
pub fn elements(ty: &Type) -> Option<Vec<u32>> {
    Some(match ty {
        Type::Void | Type::Pointer => return None,
        Type::Scalar(scalar) => vec![scalar.width()],
        Type::Vector(count, scalar) => vec![scalar.width(); *count as usize],
        Type::Array(count, part) => elements(part)?.repeat(*count as usize),
        Type::Structure(parts) => parts.iter().map(elements).collect::<Option<Vec<_>>>()?.concat(),
    })
}
