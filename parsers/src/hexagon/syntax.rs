//! The syntax tree of HVX pseudocode.

/// An expression with its place in the text and the depth of its tree.
#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub kind: ExprKind,
    pub at: usize,
    pub depth: u16,
}

#[derive(Clone, Debug)]
pub(super) enum ExprKind {
    Int(i128),
    /// The sizes of a conversion in bytes, `4_8`: the operand's; the result is exact.
    Sizes(u32),
    Literal,
    Name(String),
    /// An immediate as the manual writes it: `#u`.
    Immediate(bool),
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    Choice(Box<Expr>, Box<Expr>, Box<Expr>),
    Assign(Option<Binary>, Box<Expr>, Box<Expr>),
    /// `++` or `--`; the value is the one before when `after`.
    Step {
        place: Box<Expr>,
        delta: i8,
        after: bool,
    },
    Index(Box<Expr>, Box<Expr>),
    /// Bits `high:low`.
    Slice(Box<Expr>, Box<Expr>, Box<Expr>),
    Field(Box<Expr>, String),
    /// A field of the simulator's state: `insn->slot`.
    Arrow(Box<Expr>, String),
    /// The place of the operand: `&Vd.ub[0]`.
    Address(Box<Expr>),
    Call(String, Vec<Expr>),
    /// Two concatenated values, most significant first.
    Pair(Box<Expr>, Box<Expr>),
    Cast(Type, Box<Expr>),
    Sizeof(Box<Expr>),
    SizeofType(Type),
    /// Statements of which the last one's value counts.
    Statements(Vec<Stmt>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unary {
    Not,
    Complement,
    Negate,
    Plus,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binary {
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Eq,
    Ne,
    Lt,
    Gt,
    Le,
    Ge,
    Shl,
    Shr,
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

/// The operators as written, and how tightly they bind.
pub(super) const OPERATORS: &[(&str, Binary, u8)] = &[
    ("||", Binary::Or, 1),
    ("&&", Binary::And, 2),
    ("|", Binary::BitOr, 3),
    ("^", Binary::BitXor, 4),
    ("&", Binary::BitAnd, 5),
    ("==", Binary::Eq, 6),
    ("!=", Binary::Ne, 6),
    ("<", Binary::Lt, 7),
    (">", Binary::Gt, 7),
    ("<=", Binary::Le, 7),
    (">=", Binary::Ge, 7),
    ("<<", Binary::Shl, 8),
    (">>", Binary::Shr, 8),
    ("+", Binary::Add, 9),
    ("-", Binary::Sub, 9),
    ("*", Binary::Mul, 10),
    ("/", Binary::Div, 10),
    ("%", Binary::Rem, 10),
];

/// A declared type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Integer {
        width: u32,
        signed: bool,
    },
    Vector,
    Pair,
    Predicate,
    /// An address in memory.
    Address,
}

#[derive(Clone, Debug)]
pub(super) struct Stmt {
    pub kind: StmtKind,
    pub at: usize,
}

#[derive(Clone, Debug)]
pub(super) enum StmtKind {
    Block(Vec<Stmt>),
    If(Expr, Box<Stmt>, Option<Box<Stmt>>),
    For(ForInit, Option<Expr>, Option<Expr>, Box<Stmt>),
    Do(Box<Stmt>, Expr),
    Declare(Vec<Declared>),
    Value(Expr),
    Return,
    Empty,
}

#[derive(Clone, Debug)]
pub(super) enum ForInit {
    Nothing,
    Declare(Vec<Declared>),
    Value(Expr),
}

/// A declared variable.
#[derive(Clone, Debug)]
pub(super) struct Declared {
    pub of: Type,
    pub name: String,
    pub value: Initial,
}

#[derive(Clone, Debug)]
pub(super) enum Initial {
    Nothing,
    /// `{0}`: all bits.
    Zero,
    Value(Expr),
}
