//! Templates: element expressions with numbers that are affine in loop indices.

use serde::{Deserialize, Serialize};

use crate::exact::Int;

use super::LOOPS;

/// The loop nests that write the results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Form<N> {
    /// For each argument the number of low bits that the form reads; 0 where it reads none.
    pub arg_widths: Vec<N>,
    /// One for each result.
    pub results: Vec<ResultForm<N>>,
}

/// The statements that write one result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultForm<N> {
    /// Bits that the statements cover, from bit 0; result bits above are zero.
    pub width: N,
    /// The statements, in order of the positions that they write first.
    pub statements: Vec<Statement<N>>,
}

/// One write under [`LOOPS`] loops.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statement<N> {
    /// Iterations of each loop, outermost first.
    pub extents: [N; LOOPS],
    /// Lowest bit written; it depends only on the loops.
    pub position: Hole<N>,
    /// What is written; the root's width is that of the element.
    pub template: Template<N>,
}

/// An expression; terms precede their users, and the root comes last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Template<N> {
    /// The terms.
    pub terms: Vec<Term<N>>,
}

/// A term of a template.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Term<N> {
    /// The operator.
    pub kind: Kind,
    /// Operands, by position.
    pub children: Vec<usize>,
    /// The operator's numbers; the kind determines their meaning.
    pub numbers: Vec<Hole<N>>,
    /// Widths in bits at which operands are computed that are not truncated with the term: the value and the
    /// count of a right shift, the count of a left shift, source and position of a slice at a computed
    /// position, else one width for all operands. Any greater widths do as well.
    pub working: Vec<N>,
    /// Whether operands (a shift's value) are read signed there.
    pub working_signed: bool,
    /// The folds around the term, outermost first, by the positions of their terms.
    pub folds: Vec<usize>,
}

/// A number `base + Σ stride·index` over the loops and then the enclosing folds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Hole<N> {
    /// The value at all indices 0.
    pub base: N,
    /// Change with each loop's index, outermost first, and then with each enclosing fold's.
    pub strides: Vec<N>,
}

/// Operators of templates; the comment gives their numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Kind {
    /// `[value]`.
    Const,
    /// The greatest unsigned value of a width, one that is the greatest of an element: `[width]`.
    AllOnes,
    /// Another literal beyond 64 bits.
    Literal(Int),
    /// A slice of an argument: `[low, width, signed]`.
    Leaf(u32),
    /// A whole argument.
    Arg(u32),
    /// A slice of the operand: `[low, width, signed]`.
    Slice,
    /// A slice of the first operand at the position that the second gives: `[constant
    /// part of the position, width, signed]`.
    SliceAt,
    /// Concatenated operands, least significant first: their widths.
    Concat,
    /// A sum; `[magnitude of each coefficient that is not ±1 …, constant if there is one]`.
    Sum {
        /// One for each operand.
        coefficients: Vec<Coefficient>,
        /// Whether a constant is added.
        constant: bool,
    },
    /// A product.
    Mul,
    /// A shift up by a computed count.
    Shl,
    /// A shift down.
    Shr,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Complement.
    Not,
    /// Equality.
    Eq,
    /// Less than.
    Lt,
    /// Not greater than.
    Le,
    /// Least operand.
    Min,
    /// Greatest operand.
    Max,
    /// Magnitude.
    Abs,
    /// Clamp to a width's range: `[width, signed]`.
    Saturate,
    /// A choice.
    Select,
    /// Quotient.
    Div,
    /// Remainder.
    Rem,
    /// One bits.
    PopCount,
    /// Zero bits above: `[width]`.
    LeadingZeros,
    /// Zero bits below: `[width]`.
    TrailingZeros,
    /// The operand for each value of an index, joined: `[count]`.
    Fold(FoldOp),
}

/// Sign and unit magnitude of a coefficient; other magnitudes are numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Coefficient {
    /// Whether the operand is subtracted.
    pub negative: bool,
    /// Whether the magnitude is 1.
    pub unit: bool,
}

/// Operators that fold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FoldOp {
    /// Sum.
    Add,
    /// Product.
    Mul,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Minimum.
    Min,
    /// Maximum.
    Max,
}

/// What a number of a form is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// Width of an element (the root's width).
    ElementWidth,
    /// Iterations of a loop, by depth.
    Extent(usize),
    /// Repetitions of a fold.
    Count,
    /// Width of a slice of an argument.
    SliceWidth,
    /// Another width (concatenated part, saturation, inner slice).
    Width,
    /// Whether something is read as two's complement.
    Signed,
    /// A literal.
    Value,
    /// Lowest bit of a slice at indices 0.
    Offset,
    /// Change of a slice's lowest bit with a loop (or, from [`LOOPS`] on, fold) index.
    Stride(usize),
    /// Position written at indices 0.
    WriteOffset,
    /// Change of the position written with a loop index.
    WriteStride(usize),
    /// Width of an argument.
    ArgWidth,
    /// Width of a result.
    ResultWidth,
    /// Width at which operands are computed; any greater one does as well.
    Working,
}

impl<N> Form<N> {
    /// The same form with every number replaced; `free` says that the number does not matter (the stride of a
    /// loop that runs once). Numbers are visited in one fixed order.
    pub fn map<M>(&self, f: &mut impl FnMut(Role, &N, bool) -> M, is_one: &impl Fn(&N) -> bool) -> Form<M> {
        let results = self
            .results
            .iter()
            .map(|result| {
                let statements =
                    result.statements.iter().map(|statement| statement.map(f, is_one)).collect::<Vec<_>>();
                ResultForm { width: f(Role::ResultWidth, &result.width, false), statements }
            })
            .collect();
        let arg_widths = self.arg_widths.iter().map(|width| f(Role::ArgWidth, width, false)).collect();
        Form { arg_widths, results }
    }
}

impl Form<i64> {
    /// The form with 2 for each sign that does not matter: that of a slice as wide as the element of which only the low
    /// bits are used.
    pub fn with_free_signs(&self) -> Self {
        let mut form = self.clone();
        for statement in form.results.iter_mut().flat_map(|result| &mut result.statements) {
            let terms = &mut statement.template.terms;
            let Some(root) = terms.last() else { continue };
            if !matches!(root.kind, Kind::Slice) || root.numbers[0].base != 0 {
                continue;
            }
            let element = root.numbers[1].base;
            let mut truncated = vec![true; terms.len()];
            for user in (0..terms.len()).rev() {
                let keeps = truncated[user]
                    && match terms[user].kind {
                        Kind::Sum { .. } | Kind::Mul | Kind::And | Kind::Or | Kind::Xor | Kind::Not => true,
                        Kind::Fold(op) => !matches!(op, FoldOp::Min | FoldOp::Max),
                        Kind::Slice => user + 1 == terms.len(),
                        _ => false,
                    };
                for child in terms[user].children.clone() {
                    truncated[child] &= keeps;
                }
            }
            for (term, truncated) in terms.iter_mut().zip(truncated) {
                if truncated && matches!(term.kind, Kind::Leaf(_)) && term.numbers[1].base >= element {
                    term.numbers[2].base = 2;
                }
            }
        }
        form
    }
}

impl<N> Statement<N> {
    fn map<M>(&self, f: &mut impl FnMut(Role, &N, bool) -> M, is_one: &impl Fn(&N) -> bool) -> Statement<M> {
        let root = self.template.terms.len() - 1;
        let once: Vec<bool> = self.extents.iter().map(is_one).collect();
        let mut fold_once = vec![false; self.template.terms.len()];
        for (position, term) in self.template.terms.iter().enumerate() {
            if matches!(term.kind, Kind::Fold(_)) {
                fold_once[position] = is_one(&term.numbers[0].base);
            }
        }
        let mut depth = 0;
        let extents = self.extents.each_ref().map(|extent| {
            depth += 1;
            f(Role::Extent(depth - 1), extent, false)
        });
        let position = Hole {
            base: f(Role::WriteOffset, &self.position.base, false),
            strides: self
                .position
                .strides
                .iter()
                .enumerate()
                .map(|(dim, stride)| f(Role::WriteStride(dim), stride, once[dim]))
                .collect(),
        };
        let terms = self
            .template
            .terms
            .iter()
            .enumerate()
            .map(|(place, term)| {
                let numbers = term
                    .numbers
                    .iter()
                    .enumerate()
                    .map(|(index, hole)| {
                        let base_role = term.kind.role(index, place == root);
                        Hole {
                            base: f(base_role, &hole.base, false),
                            strides: hole
                                .strides
                                .iter()
                                .enumerate()
                                .map(|(dim, stride)| {
                                    let free = if dim < LOOPS {
                                        once[dim]
                                    } else {
                                        fold_once[term.folds[dim - LOOPS]]
                                    };
                                    f(Role::Stride(dim), stride, free)
                                })
                                .collect(),
                        }
                    })
                    .collect();
                Term {
                    kind: term.kind.clone(),
                    children: term.children.clone(),
                    numbers,
                    working: term.working.iter().map(|working| f(Role::Working, working, false)).collect(),
                    working_signed: term.working_signed,
                    folds: term.folds.clone(),
                }
            })
            .collect();
        Statement { extents, position, template: Template { terms } }
    }
}

impl Kind {
    /// What the number at a position of this kind is.
    pub fn role(&self, index: usize, is_root: bool) -> Role {
        match (self, index) {
            (Kind::Leaf(_) | Kind::Slice | Kind::SliceAt, 0) => Role::Offset,
            (Kind::Leaf(_), 1) => Role::SliceWidth,
            (Kind::Slice, 1) if is_root => Role::ElementWidth,
            (Kind::Slice | Kind::SliceAt, 1) | (Kind::Saturate, 0) | (Kind::Concat, _) => Role::Width,
            (Kind::Leaf(_) | Kind::Slice, _) | (Kind::SliceAt | Kind::Saturate, _) => Role::Signed,
            (Kind::AllOnes | Kind::LeadingZeros | Kind::TrailingZeros, _) => Role::Width,
            (Kind::Fold(_), _) => Role::Count,
            _ => Role::Value,
        }
    }

    /// Whether the number at `index` of `count` may change from element to element: positions and literals may;
    /// widths, counts and signs may not.
    pub(super) fn may_vary(&self, index: usize, count: usize) -> bool {
        match self {
            Kind::Leaf(_) | Kind::SliceAt => index == 0,
            Kind::Const => true,
            Kind::Sum { constant, .. } => *constant && index + 1 == count,
            _ => false,
        }
    }

    /// Whether operands are computed at a separate width of the term ([`Term::working`]).
    pub fn has_working_width(&self) -> bool {
        matches!(
            self,
            Kind::Shr
                | Kind::Eq
                | Kind::Lt
                | Kind::Le
                | Kind::Min
                | Kind::Max
                | Kind::Abs
                | Kind::Saturate
                | Kind::Div
                | Kind::Rem
                | Kind::PopCount
                | Kind::SliceAt
                | Kind::Shl
                | Kind::Fold(FoldOp::Min | FoldOp::Max)
        )
    }
}
