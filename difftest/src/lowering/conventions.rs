//! An instruction set's conventions for programs in LLVM assembly: how values are passed, how the tools are called, and
//! how machine instructions are named.

use llvm_text::{Scalar, Statement, Type, Value};
use parsers::{Argument, Form, Instruction};

use super::program::{Setting, Surroundings};
use super::toolchain::Processor;
use crate::error::OracleError;
use crate::target::Machine;
use crate::wrapper::Dialect;

/// How LLVM's programs use an instruction set.
#[derive(Clone, Copy, Debug)]
pub struct Conventions {
    /// The C with which its intrinsics are called.
    pub dialect: &'static Dialect,
    /// What runs its programs, once it is known to be available.
    pub machine: fn() -> Result<Machine, OracleError>,
    /// Options of the compiler for extracting intrinsics: all features.
    pub read_options: fn() -> Vec<&'static str>,
    /// What assembly to inspect is generated for.
    pub inspected: Processor,
    /// What code to run is generated for.
    pub runs: Processor,
    /// LLVM's options for the syntax of assembly.
    pub syntax: &'static [&'static str],
    /// Names of its instructions.
    pub names: Names,
    /// The CPU features that an instruction needs, in LLVM's spelling.
    pub features: fn(&Instruction) -> Vec<String>,
    /// Whether LLVM inlines a function into one that has all of its features and others, and not only into one with the
    /// same list of features.
    pub inlined_by_features: bool,
    /// The attributes of a function that has an instruction in it.
    pub attributes: fn(&Instruction) -> String,
    /// The location of the argument at a position, which is not an immediate, and has that type in the definition.
    pub place: fn(&Instruction, usize, &Type, Setting) -> Place,
    /// The interface of a one-call program.
    pub prototype: Prototype,
    /// Context that an instruction can need in order to be selected.
    pub surroundings: fn(&Instruction) -> Vec<Surroundings>,
    /// Whether a vector type of C has elements that are not the instruction's, so that both are tried.
    pub element_types: bool,
    /// Whether parts of registers are in memory as the whole register.
    pub whole_registers: bool,
    /// Predicates that are stored in memory in another form.
    pub predicates: Option<Predicates>,
}

/// The interface of a one-call program.
#[derive(Clone, Copy, Debug)]
pub enum Prototype {
    /// The vendor's C prototype.
    OfC {
        /// The place of the only result, which has that type in the definition, where C's type determines it.
        result: fn(&Instruction, &Argument, &Type, Setting) -> Option<Place>,
    },
    /// Operands in the definition's order; results are left in registers.
    Registers {
        /// The register class of a result's type in LLVM's words, and the type that is left there.
        class: fn(&Type) -> (&'static str, Type),
    },
}

/// Predicates that are converted on their way to memory and back.
#[derive(Clone, Copy, Debug)]
pub struct Predicates {
    /// How many bits they have.
    pub bits: u32,
    /// The line at the start of a function that has some.
    pub frame: &'static str,
    /// Declarations of what `load` and `store` call.
    pub declarations: &'static str,
    /// Their C code, after the dialect's preamble.
    pub helpers: &'static str,
    /// The lines that give the value of that name from what is in memory at an address.
    pub load: fn(&str, &Value) -> Vec<Statement>,
    /// The lines that write a value to memory at the address of that name.
    pub store: fn(&Value, &str) -> Vec<Statement>,
}

/// How instructions are named, in documents and by LLVM.
#[derive(Clone, Copy, Debug)]
pub struct Names {
    /// The name of a documented instruction; `None` where it does nothing.
    pub own: fn(&Form) -> Option<String>,
    /// The name of a line of assembly, comments in it but for those behind `//`; `None` where it is no instruction or
    /// only leaves the function.
    pub code: fn(&str) -> Option<String>,
    /// Whether a name is that of a move.
    pub is_move: fn(&str) -> bool,
    /// Whether a documented instruction is the one of a name that LLVM prints.
    pub same: fn(&str, &str) -> bool,
    /// Whether a documented instruction does the same as one that LLVM prints.
    pub twins: fn(&str, &str) -> bool,
    /// Whether documented instructions can be what the assembler calls a move, so that there may be nothing to do.
    pub copies: fn(&[String]) -> bool,
}

/// Where a value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A parameter of the function, or what it returns.
    Parameter {
        /// Its type.
        ty: Type,
    },
    /// A register that no C type has, by its constraint in LLVM's words.
    Register {
        /// Its type.
        ty: Type,
        /// The constraint.
        constraint: String,
    },
    /// Memory, where the instruction reads nothing else.
    Memory {
        /// Its type.
        ty: Type,
    },
    /// Several registers, each a parameter.
    Tuple {
        /// The number of elements of each, and their type.
        vector: (u32, Scalar),
        /// How many there are.
        count: u32,
    },
    /// What the definition returns, as it is.
    Unchanged,
}

/// The name of a documented instruction in lower case; `None` where it does nothing.
pub fn documented(form: &Form) -> Option<String> {
    let name = form.mnemonic.to_ascii_lowercase();
    (!name.is_empty() && name != "nop").then_some(name)
}

/// A definition's type as a parameter: bits and wide numbers are vectors of words.
pub fn passed(ty: &Type) -> Type {
    match ty.bit_count().or(ty.integer_width()) {
        Some(count) if count > 64 && count.is_multiple_of(64) => {
            Type::Vector(count / 64, Scalar::Integer(64))
        }
        Some(count) => Type::integer(count),
        None => ty.clone(),
    }
}
