//! From exact integers to bit-vector expressions: where widths are chosen.

use std::cmp::Ordering;

use rustc_hash::FxHashMap;

use super::Int;
use super::dag::{Dag, Node, NodeId};
use crate::bits::Bits;
use crate::expr::{BinaryOp, CompareOp, ExprId, Op, UnaryOp};
use crate::float::{Float, FloatOp, ROUNDING_WIDTH};
use crate::function::{ArgId, Function};
use crate::num::Num;

/// A value needs more bits than the IR admits ([`crate::MAX_WIDTH`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a value needs more than {} bits", crate::MAX_WIDTH)]
pub struct TooWide;

/// Lowers nodes of one [`Dag`] into the arena of one [`Function`], sharing what is shared.
#[derive(Default)]
pub struct Lowering {
    memo: FxHashMap<(NodeId, u32), ExprId>,
    interned: FxHashMap<(Op, u32), ExprId>,
    too_wide: bool,
}

impl Lowering {
    /// An expression of `width` bits that equals `node` modulo 2^width.
    ///
    /// Operators that commute with truncation are computed at `width` (or their own width where that
    /// is less), others at the width that their operands' ranges need.
    pub fn lower(
        &mut self,
        dag: &Dag,
        node: NodeId,
        width: u32,
        function: &mut Function,
    ) -> Result<ExprId, TooWide> {
        let expr = Lower { dag, function, state: self }.lower(node, width);
        if self.too_wide { Err(TooWide) } else { Ok(expr) }
    }
}

struct Lower<'a> {
    dag: &'a Dag,
    function: &'a mut Function,
    state: &'a mut Lowering,
}

/// The low `width` bits of an integer.
pub(crate) fn literal(value: &Int, width: u32) -> Bits {
    use dashu_int::ops::BitTest;
    let words = (0..width.div_ceil(64)).map(|word| {
        (0..64).fold(0u64, |bits, bit| bits | u64::from(value.bit((word * 64 + bit) as usize)) << bit)
    });
    Bits::from_words(width, words)
}

impl Lower<'_> {
    fn push(&mut self, op: Op, width: u32) -> ExprId {
        let key = (op, width);
        if let Some(known) = self.state.interned.get(&key) {
            return *known;
        }
        let id = self.function.push(key.0.clone(), width);
        self.state.interned.insert(key, id);
        id
    }

    fn lower(&mut self, node: NodeId, width: u32) -> ExprId {
        if let Some(known) = self.state.memo.get(&(node, width)) {
            return *known;
        }
        let expr = self.node(node, width);
        self.state.memo.insert((node, width), expr);
        expr
    }

    fn cast(&mut self, of: ExprId, from: u32, to: u32, signed: bool) -> ExprId {
        let signed = match to.cmp(&from) {
            Ordering::Equal => return of,
            Ordering::Less => false,
            Ordering::Greater => signed,
        };
        self.push(Op::Cast { of, signed: Num::constant(i64::from(signed)) }, to)
    }

    fn constant(&mut self, value: &Int, width: u32) -> ExprId {
        self.push(Op::Const(literal(value, width)), width)
    }

    fn binary(&mut self, op: BinaryOp, signed: bool, left: ExprId, right: ExprId, width: u32) -> ExprId {
        let signed = Num::constant(i64::from(signed && op.has_sign()));
        self.push(Op::Binary { op, signed, left, right }, width)
    }

    fn natural(&mut self, node: NodeId) -> (u32, bool) {
        let natural = self.dag.natural(node);
        self.bounded(natural)
    }

    fn joint_natural(&mut self, operands: &[NodeId]) -> (u32, bool) {
        let natural = self.dag.joint_natural(operands);
        self.bounded(natural)
    }

    fn bounded(&mut self, natural: Option<(u32, bool)>) -> (u32, bool) {
        match natural {
            Some((width, signed)) if width <= crate::MAX_WIDTH => (width, signed),
            _ => {
                self.state.too_wide = true;
                (1, false)
            }
        }
    }

    /// The width at which a node that commutes with truncation is computed.
    fn working(&self, node: NodeId, width: u32) -> (u32, bool) {
        match self.dag.natural(node) {
            Some((own, signed)) if own < width => (own, signed),
            _ => (width, false),
        }
    }

    fn node(&mut self, id: NodeId, width: u32) -> ExprId {
        match self.dag.node(id).clone() {
            Node::Const(value) => self.constant(&value, width),
            Node::Arg(arg) => {
                let own = self.dag.arg_widths()[arg as usize];
                let whole = self.push(Op::Arg(ArgId(arg)), own);
                self.cast(whole, own, width, false)
            }
            Node::Slice { of, low, width: own, signed } => {
                let kept = own.min(width);
                let slice = match *self.dag.node(of) {
                    Node::Arg(arg) => {
                        let whole = self.push(Op::Arg(ArgId(arg)), self.dag.arg_widths()[arg as usize]);
                        self.push(Op::Extract { of: whole, low: Num::from(low) }, kept)
                    }
                    _ if low == 0 => self.lower(of, kept),
                    _ => {
                        let inner = self.lower(of, low + kept);
                        self.push(Op::Extract { of: inner, low: Num::from(low) }, kept)
                    }
                };
                self.cast(slice, kept, width, signed)
            }
            Node::SliceAt { of, base, low, width: own, signed } => {
                let (of_width, _) = self.natural(of);
                let source = self.lower(of, of_width);
                let reach = self.dag.range(low).add(&super::Range::point(Int::from(base)));
                let (low_width, _) = self.bounded(reach.natural());
                let mut low = self.lower(low, low_width);
                if base > 0 {
                    let base = self.constant(&Int::from(base), low_width);
                    low = self.binary(BinaryOp::Add, false, low, base, low_width);
                }
                let slice = self.push(Op::ExtractAt { of: source, low }, own);
                self.cast(slice, own, width, signed)
            }
            Node::Concat(parts) => {
                let mut high_first = Vec::with_capacity(parts.len());
                let mut total = 0;
                for part in &*parts {
                    if total >= width {
                        break;
                    }
                    let part_width = part.width.min(width - total);
                    high_first.push(self.lower(part.node, part_width));
                    total += part_width;
                }
                high_first.reverse();
                let joined = match high_first.as_slice() {
                    [only] => *only,
                    _ => self.push(Op::Concat(high_first), total),
                };
                self.cast(joined, total, width, false)
            }
            Node::Sum { terms, constant } => self.sum(id, &terms, &constant, width),
            Node::Mul(factors) => {
                let (working, signed) = self.working(id, width);
                let product = self.chain(BinaryOp::Mul, &factors, working, false);
                self.cast(product, working, width, signed)
            }
            Node::And(operands) => self.bitwise(BinaryOp::And, id, &operands, width),
            Node::Or(operands) => self.bitwise(BinaryOp::Or, id, &operands, width),
            Node::Xor(operands) => self.bitwise(BinaryOp::Xor, id, &operands, width),
            Node::Not(operand) => {
                let (working, signed) = self.working(id, width);
                let operand = self.lower(operand, working);
                let complement = self.push(Op::Unary(UnaryOp::Not, operand), working);
                self.cast(complement, working, width, signed)
            }
            Node::Shl(value, count) => {
                let (working, signed) = self.working(id, width);
                let value = self.lower(value, working);
                let count = self.count(count);
                let shifted = self.binary(BinaryOp::Shl, false, value, count, working);
                self.cast(shifted, working, width, signed)
            }
            Node::Shr(value, count) => {
                let (working, signed) = self.natural(value);
                let value = self.lower(value, working);
                let count = self.count(count);
                let shifted = self.binary(BinaryOp::Shr, signed, value, count, working);
                self.cast(shifted, working, width, signed)
            }
            Node::Eq(left, right) => self.compare(CompareOp::Eq, left, right, width),
            Node::Lt(left, right) => self.compare(CompareOp::Lt, left, right, width),
            Node::Le(left, right) => self.compare(CompareOp::Le, left, right, width),
            Node::Min(operands) => self.extremum(BinaryOp::Min, &operands, width),
            Node::Max(operands) => self.extremum(BinaryOp::Max, &operands, width),
            Node::Abs(operand) => {
                let (working, _) = self.natural(operand);
                let operand = self.lower(operand, working);
                let magnitude = self.push(Op::Unary(UnaryOp::Abs, operand), working);
                self.cast(magnitude, working, width, false)
            }
            Node::Saturate { of, width: own, signed } => {
                let (of_width, of_signed) = self.natural(of);
                let of = self.lower(of, of_width);
                let number = |flag: bool| Num::constant(i64::from(flag));
                let clamped = self.push(
                    Op::Saturate { of, from_signed: number(of_signed), to_signed: number(signed) },
                    own,
                );
                self.cast(clamped, own, width, signed)
            }
            Node::Select(condition, then, otherwise) => {
                let (working, signed) = self.working(id, width);
                let condition = self.lower(condition, 1);
                let then = self.lower(then, working);
                let otherwise = self.lower(otherwise, working);
                let chosen = self.push(Op::Select { condition, then, otherwise }, working);
                self.cast(chosen, working, width, signed)
            }
            Node::Div(left, right) => self.division(BinaryOp::Div, left, right, width),
            Node::Rem(left, right) => self.division(BinaryOp::Rem, left, right, width),
            Node::PopCount(operand) => {
                let (working, _) = self.natural(operand);
                let operand = self.lower(operand, working);
                let count = self.push(Op::Unary(UnaryOp::PopCount, operand), working);
                self.cast(count, working, width, false)
            }
            Node::LeadingZeros(operand, own) => self.zeros(UnaryOp::LeadingZeros, operand, own, width),
            Node::TrailingZeros(operand, own) => self.zeros(UnaryOp::TrailingZeros, operand, own, width),
            Node::Float { float, width: own, value, operands } => {
                self.float(float, own, value, &operands, width)
            }
        }
    }

    fn float(&mut self, float: Float<u32>, own: u32, value: u32, operands: &[NodeId], width: u32) -> ExprId {
        let arity = float.op.arity();
        let mut float = float.map(|number| Num::from(*number));
        let mut lowered = Vec::with_capacity(operands.len());
        for (position, operand) in operands.iter().enumerate() {
            let operand_width = match float.op {
                _ if position == arity => ROUNDING_WIDTH,
                FloatOp::FromInt => {
                    let (natural, signed) = self.natural(*operand);
                    float.target = Num::constant(i64::from(signed));
                    natural
                }
                _ => own,
            };
            lowered.push(self.lower(*operand, operand_width));
        }
        let signed = float.op == FloatOp::ToInt && float.target.as_constant() == Some(1);
        let result = self.push(Op::Float { float, operands: lowered }, value);
        self.cast(result, value, width, signed)
    }

    fn sum(&mut self, id: NodeId, terms: &[(NodeId, Int)], constant: &Int, width: u32) -> ExprId {
        let (working, signed) = self.working(id, width);
        // What is added comes before what is subtracted, so that no negation is needed.
        let (added, subtracted): (Vec<_>, Vec<_>) =
            terms.iter().partition(|(_, coefficient)| coefficient > &Int::ZERO);
        let mut sum: Option<ExprId> = None;
        for (term, coefficient) in added {
            let product = self.scaled(*term, coefficient, working);
            sum = Some(match sum {
                None => product,
                Some(sum) => self.binary(BinaryOp::Add, false, sum, product, working),
            });
        }
        let constant_negative = constant < &Int::ZERO;
        if constant > &Int::ZERO || (constant_negative && sum.is_none()) {
            let constant = self.constant(constant, working);
            sum = Some(match sum {
                None => constant,
                Some(sum) => self.binary(BinaryOp::Add, false, sum, constant, working),
            });
        }
        for (term, coefficient) in subtracted {
            let product = self.scaled(*term, &-coefficient, working);
            sum = Some(match sum {
                None => self.push(Op::Unary(UnaryOp::Neg, product), working),
                Some(sum) => self.binary(BinaryOp::Sub, false, sum, product, working),
            });
        }
        let sum = match sum {
            Some(sum) if constant_negative && terms.iter().any(|(_, factor)| factor > &Int::ZERO) => {
                let constant = self.constant(&-constant, working);
                self.binary(BinaryOp::Sub, false, sum, constant, working)
            }
            Some(sum) => sum,
            None => self.constant(constant, working),
        };
        self.cast(sum, working, width, signed)
    }

    fn scaled(&mut self, term: NodeId, coefficient: &Int, width: u32) -> ExprId {
        let value = self.lower(term, width);
        if coefficient == &Int::ONE {
            return value;
        }
        let shift = super::laws::trailing_zeros(coefficient);
        if coefficient == &super::range::power(shift) {
            let (count_width, _) = super::Range::point(Int::from(shift)).natural().unwrap_or((32, false));
            let count = self.constant(&Int::from(shift), count_width);
            return self.binary(BinaryOp::Shl, false, value, count, width);
        }
        let factor = self.constant(coefficient, width);
        self.binary(BinaryOp::Mul, false, value, factor, width)
    }

    fn chain(&mut self, op: BinaryOp, operands: &[NodeId], width: u32, signed: bool) -> ExprId {
        let lowered: Vec<ExprId> = operands.iter().map(|id| self.lower(*id, width)).collect();
        let (first, rest) = lowered.split_first().expect("n-ary nodes have operands");
        rest.iter().fold(*first, |joined, operand| self.binary(op, signed, joined, *operand, width))
    }

    fn bitwise(&mut self, op: BinaryOp, id: NodeId, operands: &[NodeId], width: u32) -> ExprId {
        let (working, signed) = self.working(id, width);
        let joined = self.chain(op, operands, working, false);
        self.cast(joined, working, width, signed)
    }

    fn extremum(&mut self, op: BinaryOp, operands: &[NodeId], width: u32) -> ExprId {
        let (working, signed) = self.joint_natural(operands);
        let joined = self.chain(op, operands, working, signed);
        self.cast(joined, working, width, signed)
    }

    fn division(&mut self, op: BinaryOp, left: NodeId, right: NodeId, width: u32) -> ExprId {
        let (working, signed) = self.joint_natural(&[left, right]);
        // The most negative dividend over -1 needs one bit more.
        let working = working + u32::from(signed);
        let joined = self.chain(op, &[left, right], working, signed);
        self.cast(joined, working, width, signed)
    }

    fn compare(&mut self, op: CompareOp, left: NodeId, right: NodeId, width: u32) -> ExprId {
        let (working, signed) = self.joint_natural(&[left, right]);
        let left = self.lower(left, working);
        let right = self.lower(right, working);
        let signed = Num::constant(i64::from(signed && op.has_sign()));
        let relation = self.push(Op::Compare { op, signed, left, right }, 1);
        self.cast(relation, 1, width, false)
    }

    fn zeros(&mut self, op: UnaryOp, operand: NodeId, own: u32, width: u32) -> ExprId {
        let operand = self.lower(operand, own);
        let count = self.push(Op::Unary(op, operand), own);
        self.cast(count, own, width, false)
    }

    fn count(&mut self, count: NodeId) -> ExprId {
        let (width, _) = self.natural(count);
        self.lower(count, width)
    }
}
