//! The element expression of a class as a small tree of words, from which its name is read.
//!
//! Positions, widths and signedness are left out: `add(a[8*i +: 8], b[8*i +: 8])` and its 16-bit sibling are
//! both `(add x x)`.

use hydride_ir::{BinaryOp, CompareOp, ExprId, Function, Op, Role, UnaryOp};

use crate::facts::Assignment;

/// A tree of words. The leaves are `x` (part of a register argument), `n` (an immediate) and `c` (a
/// literal number).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Term {
    pub(crate) head: &'static str,
    pub(crate) args: Vec<Term>,
}

/// The term of one written slice, with the widths that it connects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Element {
    pub(crate) term: Term,
    /// Width of the written slice in bits.
    pub(crate) width: u32,
    /// The narrowest and the widest register slice read, when there is one.
    pub(crate) leaves: Option<(u32, u32)>,
}

/// Trees with more words than this get no readable name.
const MAX_WORDS: usize = 60;

impl Term {
    pub(crate) fn leaf(head: &'static str) -> Self {
        Self { head, args: Vec::new() }
    }

    fn new(head: &'static str, args: Vec<Term>) -> Self {
        Self { head, args }
    }
}

/// The term of an expression; `None` when it is too large.
pub(crate) fn element(function: &Function, assignment: &Assignment<'_>, value: ExprId) -> Option<Element> {
    let mut builder = Builder { function, assignment, words: 0, leaves: None };
    let term = builder.term(value)?;
    Some(Element { term, width: assignment.expr_width(value)?, leaves: builder.leaves })
}

struct Builder<'a> {
    function: &'a Function,
    assignment: &'a Assignment<'a>,
    words: usize,
    leaves: Option<(u32, u32)>,
}

impl Builder<'_> {
    fn term(&mut self, id: ExprId) -> Option<Term> {
        self.words += 1;
        if self.words > MAX_WORDS {
            return None;
        }
        if let Some(role) = self.slice_of_argument(id) {
            return Some(match role {
                Role::Immediate { .. } => Term::leaf("n"),
                Role::Register | Role::Memory { .. } => {
                    let width = self.assignment.expr_width(id)?;
                    let (least, most) = self.leaves.unwrap_or((width, width));
                    self.leaves = Some((least.min(width), most.max(width)));
                    Term::leaf("x")
                }
            });
        }
        Some(match &self.function.expr(id).op {
            Op::Arg(_) => Term::leaf("x"),
            Op::Const(_) | Op::Int(_) => Term::leaf("c"),
            // Conversions are recognized by the widths of the leaves and the result.
            Op::Cast { of, .. } => self.term(*of)?,
            Op::Extract { of, low } => {
                let concat = matches!(self.function.expr(*of).op, Op::Concat(_));
                let inner = self.term(*of)?;
                match self.assignment.base(low)? {
                    _ if concat => Term::new("slice", vec![inner]),
                    0 => inner,
                    _ => Term::new("high", vec![inner]),
                }
            }
            Op::ExtractAt { of, low } => Term::new("at", vec![self.term(*of)?, self.term(*low)?]),
            Op::Saturate { of, .. } => Term::new("sat", vec![self.term(*of)?]),
            Op::Concat(parts) => {
                Term::new("concat", parts.iter().map(|part| self.term(*part)).collect::<Option<_>>()?)
            }
            Op::Unary(op, of) => Term::new(unary_word(*op), vec![self.term(*of)?]),
            Op::Binary { op, left, right, .. } => {
                Term::new(binary_word(*op), vec![self.term(*left)?, self.term(*right)?])
            }
            Op::Compare { op, left, right, .. } => {
                Term::new(compare_word(*op), vec![self.term(*left)?, self.term(*right)?])
            }
            Op::Select { condition, then, otherwise } => {
                Term::new("select", vec![self.term(*condition)?, self.term(*then)?, self.term(*otherwise)?])
            }
            Op::Fold { op, body, .. } => Term::new(fold_word(*op), vec![self.term(*body)?]),
            Op::Float { float, operands } => Term::new(
                float.op.name(),
                operands[..float.op.arity()]
                    .iter()
                    .map(|operand| self.term(*operand))
                    .collect::<Option<_>>()?,
            ),
        })
    }

    /// The role of the argument that an expression is a slice of.
    fn slice_of_argument(&self, mut id: ExprId) -> Option<Role> {
        loop {
            match self.function.expr(id).op {
                Op::Arg(arg) => return Some(self.function.arg(arg).role),
                Op::Extract { of, .. } => id = of,
                _ => return None,
            }
        }
    }
}

fn unary_word(op: UnaryOp) -> &'static str {
    UnaryOp::NAMES.iter().find(|(other, _)| *other == op).map_or("unary", |(_, name)| name)
}

fn binary_word(op: BinaryOp) -> &'static str {
    BinaryOp::NAMES.iter().find(|(other, _)| *other == op).map_or("binary", |(_, name)| name)
}

fn compare_word(op: CompareOp) -> &'static str {
    CompareOp::NAMES.iter().find(|(other, _)| *other == op).map_or("compare", |(_, name)| name)
}

fn fold_word(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "fold_add",
        BinaryOp::Mul => "fold_mul",
        BinaryOp::And => "fold_and",
        BinaryOp::Or => "fold_or",
        BinaryOp::Xor => "fold_xor",
        BinaryOp::Min => "fold_min",
        BinaryOp::Max => "fold_max",
        _ => "fold",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_have_at_most_sixty_words() {
        for (operators, fits) in [(MAX_WORDS - 1, true), (MAX_WORDS, false)] {
            let value = format!("{}%a{}", "not(".repeat(operators), ")".repeat(operators));
            let text = format!("func @f(%a: 8) -> (%r: 8) {{ %r[0 +: 8] = {value} }}");
            let function = Function::parse(&text).unwrap();
            let assignment = Assignment::new(&function, &[]);
            let written = function.assignments().next().unwrap();
            assert_eq!(element(&function, &assignment, written.value).is_some(), fits, "{operators}");
        }
    }

    #[test]
    fn leaves_are_the_register_slices_that_are_read() {
        for (value, leaves) in [
            ("add(cast.s(%a[0 +: 4], 16), %b)", Some((4, 16))),
            ("add(%b, cast.s(%a[0 +: 4], 16))", Some((4, 16))),
            ("shl(%b, %n)", Some((16, 16))),
            ("cast.u(%n, 16)", None),
        ] {
            let text =
                format!("func @f(%a: 8, %b: 16, %n: 8 imm 0..=15) -> (%r: 16) {{ %r[0 +: 16] = {value} }}");
            let function = Function::parse(&text).unwrap();
            let assignment = Assignment::new(&function, &[]);
            let written = function.assignments().next().unwrap();
            let found = element(&function, &assignment, written.value).unwrap();
            assert_eq!((found.width, found.leaves), (16, leaves), "{value}");
        }
    }
}
