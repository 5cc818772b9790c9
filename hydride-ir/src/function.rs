//! Functions: arguments, results, numeric parameters, and the statements that write the results.

use serde::{Deserialize, Serialize};

use crate::expr::{Expr, ExprId, Op};
use crate::num::{IndexId, Num};

/// How deep loops and folds nest together.
pub(crate) const MAX_NESTING: usize = 16;

/// An argument of a function, by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ArgId(pub u32);

/// A result of a function, by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ResultId(pub u32);

/// A numeric parameter of a function, by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ParamId(pub u32);

/// The semantics of one instruction, or of a class of instructions over its parameters.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Function {
    /// The instruction's or class's name.
    pub name: String,
    /// Numeric parameters; empty for a single instruction.
    pub params: Vec<Param>,
    /// Arguments in the order of the instruction.
    pub args: Vec<Arg>,
    /// Results in the order of the instruction.
    pub results: Vec<ResultSlot>,
    /// Writes to the results; together they write each bit exactly once.
    pub body: Vec<Stmt>,
    exprs: Vec<Expr>,
}

/// A numeric parameter with its default value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Param {
    /// Name in the text form.
    pub name: String,
    /// The default value.
    pub value: i64,
}

/// An argument.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Arg {
    /// Name in the text form.
    pub name: String,
    /// Width in bits.
    pub width: Num,
    /// What kind of operand it is.
    pub role: Role,
}

/// What kind of operand an argument is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Role {
    /// A register or scalar value known at run time.
    Register,
    /// An integer known when the instruction is encoded, within `low..=high` (read unsigned when
    /// `low` is not negative).
    Immediate {
        /// Least documented value.
        low: i64,
        /// Greatest documented value.
        high: i64,
    },
    /// The bytes of memory that the instruction may access through a pointer, as they are before it: byte `i` at the
    /// pointer is bits `8·i .. 8·i + 8`. A result of the same name is what they are after it.
    Memory {
        /// The number of bytes that divides the pointer, a power of two.
        align: u32,
        /// Whether the access asks not to fill caches. It does not change what the function computes.
        non_temporal: bool,
    },
}

impl Role {
    /// Whether it is an integer that is known when the instruction is encoded.
    pub fn is_immediate(self) -> bool {
        matches!(self, Self::Immediate { .. })
    }

    /// The least and the greatest documented value of an immediate.
    pub fn range(self) -> Option<(i64, i64)> {
        match self {
            Self::Immediate { low, high } => Some((low, high)),
            Self::Register | Self::Memory { .. } => None,
        }
    }

    /// The role of an operand with the same value that is not in memory.
    pub fn loaded(self) -> Self {
        if self.is_memory() { Self::Register } else { self }
    }

    /// Whether it is in memory.
    pub fn is_memory(self) -> bool {
        matches!(self, Self::Memory { .. })
    }
}

/// A result.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ResultSlot {
    /// Name in the text form.
    pub name: String,
    /// Width in bits.
    pub width: Num,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Stmt {
    /// Runs the body for `index` = 0, 1, …, `count - 1`; iterations are independent.
    For {
        /// The index, in scope in the body.
        index: IndexId,
        /// The number of iterations, at least 1.
        count: Num,
        /// The repeated statements.
        body: Vec<Stmt>,
    },
    /// Inserts `value` into bits `low .. low + width(value)` of a result.
    Assign {
        /// The result written.
        result: ResultId,
        /// Position of the lowest bit written.
        low: Num,
        /// What is written.
        value: ExprId,
    },
}

impl Stmt {
    /// The statement under loops with these indices and counts, outermost first.
    pub fn under(self, loops: impl DoubleEndedIterator<Item = (IndexId, Num)>) -> Self {
        loops.rev().fold(self, |inner, (index, count)| Self::For { index, count, body: vec![inner] })
    }
}

impl Function {
    /// A function without arguments, results or statements.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            params: Vec::new(),
            args: Vec::new(),
            results: Vec::new(),
            body: Vec::new(),
            exprs: Vec::new(),
        }
    }

    /// Adds an expression to the arena; its operands must be there already.
    pub fn push(&mut self, op: Op, width: impl Into<Num>) -> ExprId {
        let id = ExprId(u32::try_from(self.exprs.len()).expect("fewer than 2^32 expressions"));
        self.exprs.push(Expr { op, width: width.into() });
        id
    }

    /// An expression of the arena.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }

    /// The whole arena, operands before users.
    pub fn exprs(&self) -> &[Expr] {
        &self.exprs
    }

    /// An argument.
    pub fn arg(&self, id: ArgId) -> &Arg {
        &self.args[id.0 as usize]
    }

    /// The memory argument that a result is written to.
    pub fn written(&self, result: &ResultSlot) -> Option<ArgId> {
        let position = self.args.iter().position(|arg| arg.role.is_memory() && arg.name == result.name);
        position.map(|position| ArgId(position as u32))
    }

    /// A result.
    pub fn result(&self, id: ResultId) -> &ResultSlot {
        &self.results[id.0 as usize]
    }

    /// A parameter.
    pub fn param(&self, id: ParamId) -> &Param {
        &self.params[id.0 as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_says_what_kind_of_operand_it_is() {
        let immediate = Role::Immediate { low: -1, high: 3 };
        let memory = Role::Memory { align: 16, non_temporal: false };
        assert_eq!([Role::Register, immediate, memory].map(Role::range), [None, Some((-1, 3)), None]);
        assert_eq!([Role::Register, immediate, memory].map(Role::is_immediate), [false, true, false]);
        assert_eq!([Role::Register, immediate, memory].map(Role::is_memory), [false, false, true]);
        let loaded = [Role::Register, immediate, memory].map(Role::loaded);
        assert_eq!(loaded, [Role::Register, immediate, Role::Register]);
    }

    #[test]
    fn a_result_is_written_to_the_memory_of_its_name() {
        let mut function = Function::new("f");
        for (name, role) in [
            ("a", Role::Register),
            ("p", Role::Memory { align: 1, non_temporal: false }),
            ("b", Role::Register),
        ] {
            function.args.push(Arg { name: name.into(), width: 8u32.into(), role });
        }
        let written = |name: &str| function.written(&ResultSlot { name: name.into(), width: 8u32.into() });
        assert_eq!([written("a"), written("p"), written("q")], [None, Some(ArgId(1)), None]);
    }
}
