//! The syntax tree of Intel's pseudocode, every node with its span in the decoded operation text.

use hydride_ir::exact::Int;
use serde::{Deserialize, Serialize};

/// Byte range in the decoded operation text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Extent {
    /// First byte.
    pub(super) start: u32,
    /// One beyond the last byte.
    pub(super) end: u32,
}

/// What is wrong with an operation, and where.
pub(super) type Fault = crate::pseudocode::Fault<Extent>;

/// A name of one program, by position in [`Program::names`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Symbol(pub(super) u32);

/// The operation of one entry.
#[derive(Debug, Default)]
pub(super) struct Program {
    /// Names by symbol.
    pub(super) names: Vec<String>,
    /// Functions defined anywhere in the text.
    pub(super) defines: Vec<Define>,
    /// What runs.
    pub(super) body: Vec<Stmt>,
    /// For each symbol, whether it is read or written by a slice or a view somewhere.
    pub(super) sliced: Vec<bool>,
    /// The fields of symbols (`x.rows`) that are read somewhere, in the order of the text.
    pub(super) fields: Vec<(Symbol, String)>,
}

impl Program {
    /// The name of a symbol.
    pub(super) fn name(&self, symbol: Symbol) -> &str {
        &self.names[symbol.0 as usize]
    }
}

/// A `DEFINE`.
#[derive(Debug)]
pub(super) struct Define {
    pub(super) name: Symbol,
    pub(super) parameters: Vec<Parameter>,
    pub(super) body: Vec<Stmt>,
}

/// A parameter; its width where the text gives one.
#[derive(Debug)]
pub(super) struct Parameter {
    pub(super) name: Symbol,
    pub(super) width: Option<u32>,
}

/// A statement.
#[derive(Debug)]
pub(super) struct Stmt {
    pub(super) kind: StmtKind,
    pub(super) at: Extent,
}

#[derive(Debug)]
pub(super) enum StmtKind {
    /// `place := value`, or `place op= value`.
    Assign { place: Place, op: Option<BinaryOp>, value: Expr },
    /// `FOR index := first to last … ENDFOR`.
    For { index: Symbol, first: Expr, last: Expr, down: bool, body: Vec<Stmt> },
    /// `DO WHILE condition … OD`.
    While { condition: Expr, body: Vec<Stmt> },
    /// `IF … ELSE IF … ELSE … FI`; the `ELSE` arm has no condition.
    If { arms: Vec<(Option<Expr>, Vec<Stmt>)> },
    /// `CASE value OF label: … ESAC`.
    Case { value: Expr, arms: Vec<(Expr, Vec<Stmt>)> },
    /// `RETURN value`.
    Return(Option<Expr>),
    /// `#DE`: the processor faults; what follows is undefined.
    Raise,
    /// `BYTE name[n] = { … }`.
    Table { name: Symbol, entries: Vec<Int> },
    /// A call for its effect.
    Call(Expr),
}

/// A variable with selectors.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) name: Symbol,
    pub(super) selectors: Vec<Selector>,
    pub(super) at: Extent,
}

/// One step into the bits of a value.
#[derive(Debug)]
pub(super) enum Selector {
    /// `[i]`.
    Index(Expr),
    /// `[high:low]`.
    Slice(Expr, Expr),
    /// `.dword[i]`, or `.dword`.
    View { width: u32, float: bool, index: Option<Expr> },
    /// `.name` that is not a view.
    Field(String),
}

/// An expression.
#[derive(Debug)]
pub(super) struct Expr {
    pub(super) kind: ExprKind,
    pub(super) at: Extent,
}

impl Expr {
    /// The number with a fraction that is written here, with its sign.
    pub(super) fn decimal(&self) -> Option<f64> {
        match &self.kind {
            ExprKind::Decimal(number) => Some(*number),
            ExprKind::Unary(UnaryOp::Minus, operand) => operand.decimal().map(|number| -number),
            _ => None,
        }
    }
}

#[derive(Debug)]
pub(super) enum ExprKind {
    Number(Int),
    /// A number with a fraction.
    Decimal(f64),
    Place(Place),
    /// Selectors on anything but a variable.
    Select(Box<Expr>, Vec<Selector>),
    Call {
        name: Symbol,
        arguments: Vec<Expr>,
    },
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    Ternary(Box<[Expr; 3]>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnaryOp {
    Plus,
    Minus,
    /// Every bit; one bit is a truth value.
    Not,
    /// 1 for 0, else 0.
    LogicalNot,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    RotateLeft,
    RotateRight,
    And,
    Or,
    Xor,
    LogicalAnd,
    LogicalOr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    /// The operator that the variable `OP` holds.
    Chosen,
}

/// The views `x.name[i]`: name, width in bits, whether the elements are floating-point numbers.
pub(super) const VIEWS: &[(&str, u32, bool)] = &[
    ("bit", 1, false),
    ("byte", 8, false),
    ("word", 16, false),
    ("dword", 32, false),
    ("qword", 64, false),
    ("m64", 64, false),
    ("m128", 128, false),
    ("m256", 256, false),
    ("fp16", 16, true),
    ("bf16", 16, true),
    ("fp32", 32, true),
    ("fp64", 64, true),
    // A row of a tile.
    ("row", super::tile::ROW_BITS, false),
];

/// Width and element kind of a view.
pub(super) fn view(name: &str) -> Option<(u32, bool)> {
    VIEWS.iter().find(|(known, ..)| *known == name).map(|(_, width, float)| (*width, *float))
}
