//! Bounds of values, to leave out guards that cannot matter: the greatest value read unsigned, and how many low
//! bits are always 0.

use hydride_ir::{BinaryOp, Expr, ExprId, Function, Op};

use crate::space::Indices;

/// Bounds of each expression of a function, over all inputs and lanes.
pub(crate) struct Bounds {
    /// Least numbers that are known to be large enough; `None` beyond 64 bits.
    most: Vec<Option<u64>>,
    zeros: Vec<u32>,
}

impl Bounds {
    /// `None` when a width depends on an index.
    pub(crate) fn of(function: &Function, indices: &Indices) -> Option<Self> {
        let mut bounds = Self { most: Vec::new(), zeros: Vec::new() };
        for expr in function.exprs() {
            let width = u32::try_from(expr.width.as_constant()?).ok()?;
            let (most, zeros) = bounds.expression(expr, width, indices);
            let limit = (width <= 64).then(|| u64::MAX >> (64 - width));
            // A result that may wrap can be anything.
            let most = match (most, limit) {
                (Some(most), Some(limit)) if most > limit => Some(limit),
                (most, limit) => most.or(limit),
            };
            bounds.most.push(most);
            bounds.zeros.push(zeros.min(width));
        }
        Some(bounds)
    }

    /// The greatest value, where it is known to fit 64 bits.
    pub(crate) fn most(&self, id: ExprId) -> Option<u64> {
        self.most[id.0 as usize]
    }

    /// How many low bits are always 0.
    pub(crate) fn zeros(&self, id: ExprId) -> u32 {
        self.zeros[id.0 as usize]
    }

    fn expression(&self, expr: &Expr, width: u32, indices: &Indices) -> (Option<u64>, u32) {
        let most = |id: &ExprId| self.most(*id);
        let zeros = |id: &ExprId| self.zeros(*id);
        match &expr.op {
            Op::Const(bits) => {
                let value = bits.to_u64();
                (value, value.map_or(0, |value| if value == 0 { width } else { value.trailing_zeros() }))
            }
            Op::Int(num) => {
                let Some(values) = indices.values(num, &indices.space(num)) else { return (None, 0) };
                let zeros = values.iter().map(|value| value.trailing_zeros()).min().unwrap_or(0);
                let most =
                    values.iter().map(|value| u64::try_from(*value).ok()).collect::<Option<Vec<u64>>>();
                (most.and_then(|values| values.into_iter().max()), zeros)
            }
            Op::Cast { of, signed } if signed.as_constant() == Some(0) => (most(of), zeros(of)),
            Op::Cast { of, .. } => (None, zeros(of)),
            Op::Concat(parts) => {
                let last = parts.last().map_or(0, |last| self.zeros(*last));
                (None, last)
            }
            Op::Select { then, otherwise, .. } => {
                let most = most(then).zip(most(otherwise)).map(|(left, right)| left.max(right));
                (most, zeros(then).min(zeros(otherwise)))
            }
            Op::Binary { op, signed, left, right } => {
                let both = most(left).zip(most(right));
                let unsigned = signed.as_constant() == Some(0);
                let common = zeros(left).min(zeros(right));
                match op {
                    BinaryOp::Add => (both.and_then(|(left, right)| left.checked_add(right)), common),
                    BinaryOp::Mul => {
                        let product = both.and_then(|(left, right)| left.checked_mul(right));
                        (product, zeros(left) + zeros(right))
                    }
                    BinaryOp::And => {
                        (both.map(|(left, right)| left.min(right)), zeros(left).max(zeros(right)))
                    }
                    BinaryOp::Min if unsigned => (both.map(|(left, right)| left.min(right)), common),
                    BinaryOp::Max if unsigned => (both.map(|(left, right)| left.max(right)), common),
                    BinaryOp::Shl => {
                        let shifted = both.and_then(|(left, count)| {
                            let count = u32::try_from(count).ok()?;
                            (count < 64 && left.leading_zeros() >= count).then(|| left << count)
                        });
                        (shifted, zeros(left))
                    }
                    BinaryOp::Shr if unsigned => (most(left), 0),
                    BinaryOp::Sub | BinaryOp::Or | BinaryOp::Xor => (None, common),
                    _ => (None, 0),
                }
            }
            _ => (None, 0),
        }
    }
}
