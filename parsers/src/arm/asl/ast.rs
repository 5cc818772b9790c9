//! The syntax tree of Arm's specification language.
//!
//! Offsets are bytes from the start of the file that the text came from.

use std::sync::Arc;

use hydride_ir::exact::Int;

/// A byte offset in a source file.
pub type Offset = usize;

/// An identifier.
pub type Name = Arc<str>;

/// A type.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    /// `bits(width)`; `bit` is `bits(1)`.
    Bits(Box<Expr>),
    /// `integer`.
    Integer,
    /// `boolean`.
    Boolean,
    /// Several results.
    Tuple(Vec<Type>),
    /// An enumeration, a record or a type that is not known.
    Named(Name),
}

/// An expression and where it starts.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it starts.
    pub offset: Offset,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// `12`, `0x1F`.
    Int(Int),
    /// `'0101'`: value and width.
    Bits(Int, u32),
    /// `'01xx'`: value and mask of the bits that are given, and the width.
    Mask {
        /// The given bits.
        value: Int,
        /// Ones where a bit is given.
        mask: Int,
        /// Number of bits.
        width: u32,
    },
    /// `TRUE`, `FALSE`.
    Bool(bool),
    /// `0.5`: recognized, never computed with.
    Real,
    /// A string.
    Text,
    /// A variable, constant or enumeration value.
    Name(Name),
    /// `f(x, …)`.
    Call(Name, Vec<Expr>),
    /// `x[…]`: bits of a value, or a getter of that name.
    Bracket(Box<Expr>, Vec<Slice>),
    /// `x.f`.
    Field(Box<Expr>, Name),
    /// `-x`, `!x`, `NOT x`.
    Unary(Unary, Box<Expr>),
    /// Two operands.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `if … then … elsif … else …`: conditions with their values, and the last value.
    If(Vec<(Expr, Expr)>, Box<Expr>),
    /// `(a, b)`.
    Tuple(Vec<Expr>),
    /// `{a, b}`: only after `IN`.
    Set(Vec<Expr>),
    /// `type UNKNOWN`.
    Unknown(Type),
    /// `type IMPLEMENTATION_DEFINED "…"`.
    Implementation(Type),
}

/// A piece of a bracket.
#[derive(Clone, Debug, PartialEq)]
pub enum Slice {
    /// `[i]`: one bit, or an argument of a getter.
    Single(Expr),
    /// `[high:low]`.
    Range(Expr, Expr),
    /// `[low +: width]`.
    Offset(Expr, Expr),
}

/// A prefix operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// `-x`.
    Negate,
    /// `!x` on a boolean.
    Not,
    /// `NOT x` on bits.
    Complement,
}

/// An infix operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// `||`.
    LogicalOr,
    /// `&&`.
    LogicalAnd,
    /// `==`.
    Equal,
    /// `!=`.
    NotEqual,
    /// `<`.
    Less,
    /// `<=`.
    LessEqual,
    /// `>`.
    Greater,
    /// `>=`.
    GreaterEqual,
    /// `IN`.
    Member,
    /// `:`.
    Concat,
    /// `+`.
    Add,
    /// `-`.
    Subtract,
    /// `AND`.
    And,
    /// `OR`.
    Or,
    /// `EOR`.
    Xor,
    /// `*`.
    Multiply,
    /// `DIV`.
    Divide,
    /// `MOD`.
    Modulo,
    /// `<<`.
    ShiftLeft,
    /// `>>`.
    ShiftRight,
    /// `^`.
    Power,
}

/// What can be assigned to.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// `-`: the value is dropped.
    Ignore,
    /// `(a, b)`: a tuple pattern.
    Tuple(Vec<Place>),
    /// `[a, b]`: a bit-slice pattern, most significant first.
    Concat(Vec<Place>),
    /// A variable, a slice of it, a setter, or a field: an expression of names, brackets, fields.
    Expr(Expr),
}

/// A statement and where it starts.
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Where it starts.
    pub offset: Offset,
}

/// What a statement is.
#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    /// Declares variables, perhaps with a value.
    Declare(Type, Vec<Name>, Option<Expr>),
    /// Assigns.
    Assign(Place, Expr),
    /// Calls a procedure.
    Call(Name, Vec<Expr>),
    /// `if`: conditions with their statements, and the rest.
    If(Vec<(Expr, Vec<Stmt>)>, Vec<Stmt>),
    /// `case`: the value, alternatives, and `otherwise`.
    Case(Expr, Vec<(Vec<Pattern>, Vec<Stmt>)>, Option<Vec<Stmt>>),
    /// `for`, upwards or downwards, both ends included.
    For {
        /// The variable.
        variable: Name,
        /// Its first value.
        from: Expr,
        /// Its last value.
        to: Expr,
        /// Whether it counts down.
        down: bool,
        /// What is repeated.
        body: Vec<Stmt>,
    },
    /// `while … do`.
    While(Expr, Vec<Stmt>),
    /// `repeat … until`.
    Repeat(Vec<Stmt>, Expr),
    /// `return`.
    Return(Option<Expr>),
    /// `assert`.
    Assert(Expr),
    /// `UNDEFINED`: no such instruction.
    Undefined,
    /// `SEE`: another encoding.
    See,
    /// `UNPREDICTABLE` and its like.
    Unpredictable,
}

/// An alternative of a `case`.
#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    /// A literal, a mask or an enumeration value.
    Value(Expr),
    /// One for each element of a tuple.
    Tuple(Vec<Pattern>),
    /// `-`.
    Any,
}

/// How a function is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FunctionKind {
    /// `f(x)`.
    Call,
    /// `f[x]` as a value.
    Getter,
    /// `f[x] = …`.
    Setter,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// Its type.
    pub typ: Type,
    /// Its name.
    pub name: Name,
    /// Whether the caller's variable is written.
    pub reference: bool,
}

/// A function, getter or setter.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Its name.
    pub name: Name,
    /// How it is called.
    pub kind: FunctionKind,
    /// The result's type; of a setter: the type of the assigned value.
    pub returns: Option<Type>,
    /// Parameters.
    pub params: Vec<Param>,
    /// A setter's name for the assigned value.
    pub value: Option<Name>,
    /// Statements.
    pub body: Vec<Stmt>,
}
