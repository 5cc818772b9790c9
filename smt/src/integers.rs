//! Nodes of exact integers as bit vectors in which nothing is lost.
//!
//! Each node is a vector in two's complement that is wide enough for every value: its width follows from the operator
//! and the operands' widths alone. Ranges, simplification and lowering of `hydride_ir::exact` have no part in it, so
//! that it can check these.

use hydride_ir::Bits;
use hydride_ir::exact::{Dag, Int, Node, NodeId};
use hydride_ir::{Float, FloatOp, ROUNDING_WIDTH};
use rustc_hash::FxHashMap;

use crate::query::Query;
use crate::signature::Signature;
use crate::term::{Operator, Relation, TermId, Terms};

/// Bits beyond which a question is not asked.
const MAX_WIDTH: u32 = 512;

/// A value that is too wide to ask about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a value of more than {MAX_WIDTH} bits")]
pub struct TooWide;

/// The question whether two nodes have one value for all arguments.
pub fn question(dag: &Dag, left: NodeId, right: NodeId) -> Result<(Query, Signature), TooWide> {
    let mut integers = Integers { dag, terms: Terms::verbatim(), known: FxHashMap::default() };
    let sides = [integers.integer(left)?, integers.integer(right)?];
    let sides = integers.same_width(sides);
    let widths = dag.arg_widths().to_vec();
    let signature = Signature { ranges: vec![None; widths.len()], results: Vec::new(), widths };
    Ok((Query::new(&integers.terms, sides, &signature), signature))
}

struct Integers<'a> {
    dag: &'a Dag,
    terms: Terms,
    known: FxHashMap<NodeId, TermId>,
}

impl Integers<'_> {
    fn integer(&mut self, id: NodeId) -> Result<TermId, TooWide> {
        if let Some(known) = self.known.get(&id) {
            return Ok(*known);
        }
        let term = self.node(self.dag.node(id))?;
        if self.terms.width(term) > MAX_WIDTH {
            return Err(TooWide);
        }
        self.known.insert(id, term);
        Ok(term)
    }

    fn integers(&mut self, ids: &[NodeId]) -> Result<Vec<TermId>, TooWide> {
        ids.iter().map(|id| self.integer(*id)).collect()
    }

    fn node(&mut self, node: &Node) -> Result<TermId, TooWide> {
        Ok(match node {
            Node::Const(value) => self.literal(value),
            Node::Arg(arg) => {
                let whole = self.terms.variable(*arg, self.dag.arg_widths()[*arg as usize]);
                self.non_negative(whole)
            }
            Node::Slice { of, low, width, signed } => {
                let of = self.integer(*of)?;
                self.bits(of, *low, *width, *signed)
            }
            Node::SliceAt { of, base, low, width, signed } => {
                let (of, low, base) =
                    (self.integer(*of)?, self.integer(*low)?, self.literal(&Int::from(*base)));
                let position = self.add(low, base);
                let moved = self.shift_right(of, position);
                self.bits(moved, 0, *width, *signed)
            }
            Node::Concat(parts) => {
                let mut sum = self.literal(&Int::ZERO);
                let mut position = 0;
                for part in parts {
                    let value = self.integer(part.node)?;
                    let moved = self.shift_left(value, position);
                    sum = self.add(sum, moved);
                    position += part.width;
                }
                sum
            }
            Node::Sum { terms, constant } => {
                let mut sum = self.literal(constant);
                for (term, factor) in terms {
                    let (term, factor) = (self.integer(*term)?, self.literal(factor));
                    let product = self.multiply(term, factor);
                    sum = self.add(sum, product);
                }
                sum
            }
            Node::Mul(factors) => {
                let factors = self.integers(factors)?;
                self.fold(&factors, Self::multiply)
            }
            Node::Shl(value, count) => {
                let (value, count) = (self.integer(*value)?, self.integer(*count)?);
                let longest = 1u32.checked_shl(self.terms.width(count) - 1).unwrap_or(MAX_WIDTH) - 1;
                let width = self.terms.width(value) + longest;
                if width > MAX_WIDTH {
                    return Err(TooWide);
                }
                let width = width.max(self.terms.width(count));
                let [value, count] = [value, count].map(|term| self.terms.sign_extend(term, width));
                self.terms.binary(Operator::ShiftLeft, value, count)
            }
            Node::Shr(value, count) => {
                let (value, count) = (self.integer(*value)?, self.integer(*count)?);
                self.shift_right(value, count)
            }
            Node::And(operands) => self.bitwise(Operator::And, operands)?,
            Node::Or(operands) => self.bitwise(Operator::Or, operands)?,
            Node::Xor(operands) => self.bitwise(Operator::Xor, operands)?,
            Node::Not(operand) => {
                let operand = self.integer(*operand)?;
                self.terms.not(operand)
            }
            Node::Eq(left, right) => self.relation(Relation::Equal, *left, *right)?,
            Node::Lt(left, right) => self.relation(Relation::SignedLess, *left, *right)?,
            Node::Le(left, right) => self.relation(Relation::SignedLessEqual, *left, *right)?,
            Node::Min(operands) => {
                let operands = self.integers(operands)?;
                self.fold(&operands, |integers, left, right| integers.extremum(left, right, true))
            }
            Node::Max(operands) => {
                let operands = self.integers(operands)?;
                self.fold(&operands, |integers, left, right| integers.extremum(left, right, false))
            }
            Node::Abs(operand) => {
                let operand = self.integer(*operand)?;
                let operand = self.terms.sign_extend(operand, self.terms.width(operand) + 1);
                let negated = self.terms.neg(operand);
                self.extremum(operand, negated, false)
            }
            Node::Saturate { of, width, signed } => {
                let of = self.integer(*of)?;
                let power = |exponent: u32| Int::ONE << exponent as usize;
                let (low, high) = match signed {
                    true => (-power(width - 1), power(width - 1) - Int::ONE),
                    false => (Int::ZERO, power(*width) - Int::ONE),
                };
                let (low, high) = (self.literal(&low), self.literal(&high));
                let raised = self.extremum(of, low, false);
                let clamped = self.extremum(raised, high, true);
                self.bits(clamped, 0, *width, *signed)
            }
            Node::Select(condition, then, otherwise) => {
                let (condition, one) = (self.integer(*condition)?, self.literal(&Int::ONE));
                let [condition, one] = self.same_width([condition, one]);
                let holds = self.terms.compare(Relation::Equal, condition, one);
                let sides = [self.integer(*then)?, self.integer(*otherwise)?];
                let [then, otherwise] = self.same_width(sides);
                self.terms.select(holds, then, otherwise)
            }
            Node::Div(left, right) => self.division(Operator::SignedDiv, *left, *right)?,
            Node::Rem(left, right) => self.division(Operator::SignedRem, *left, *right)?,
            Node::PopCount(operand) => {
                let operand = self.integer(*operand)?;
                let mut count = self.literal(&Int::ZERO);
                for bit in 0..self.terms.width(operand) {
                    let bit = self.bits(operand, bit, 1, false);
                    count = self.add(count, bit);
                }
                count
            }
            Node::LeadingZeros(operand, width) => {
                let bits = (0..*width).map(|bit| (bit, width - 1 - bit));
                self.last_one(*operand, *width, bits)?
            }
            Node::TrailingZeros(operand, width) => {
                let bits = (0..*width).rev().map(|bit| (bit, bit));
                self.last_one(*operand, *width, bits)?
            }
            Node::Float { float, width, value, operands } => self.float(*float, *width, *value, operands)?,
        })
    }

    fn float(
        &mut self,
        float: Float<u32>,
        width: u32,
        value: u32,
        operands: &[NodeId],
    ) -> Result<TermId, TooWide> {
        let from_int = float.op == FloatOp::FromInt;
        let mut patterns = Vec::with_capacity(operands.len());
        for (place, operand) in operands.iter().enumerate() {
            let operand = self.integer(*operand)?;
            let own = match place < float.op.arity() {
                true if from_int => self.terms.width(operand),
                true => width,
                false => ROUNDING_WIDTH,
            };
            let wide = self.terms.sign_extend(operand, own.max(self.terms.width(operand)));
            patterns.push(self.terms.extract(wide, 0, own));
        }
        let float = if from_int { Float { target: 1, ..float } } else { float };
        let result = self.terms.float(float, patterns, value);
        let signed = float.op == FloatOp::ToInt && float.target == 1;
        Ok(if signed { result } else { self.non_negative(result) })
    }

    /// A literal in as few bits as hold it and its sign.
    fn literal(&mut self, value: &Int) -> TermId {
        let fits = |width: &u32| {
            let bound = Int::ONE << (*width as usize - 1);
            value < &bound && value >= &-bound
        };
        let width = (1..).find(fits).expect("integers are finite");
        let ones = Int::from(u64::MAX);
        let words = (0..width.div_ceil(64)).map(|word| {
            let word = (value >> (64 * word as usize)) & &ones;
            u64::try_from(word).expect("64 bits of it")
        });
        self.terms.constant(Bits::from_words(width, words))
    }

    /// An unsigned vector with a sign bit of 0.
    fn non_negative(&mut self, term: TermId) -> TermId {
        self.terms.zero_extend(term, self.terms.width(term) + 1)
    }

    fn same_width(&mut self, sides: [TermId; 2]) -> [TermId; 2] {
        let width = self.terms.width(sides[0]).max(self.terms.width(sides[1]));
        sides.map(|side| self.terms.sign_extend(side, width))
    }

    fn bits(&mut self, of: TermId, low: u32, width: u32, signed: bool) -> TermId {
        let of = self.terms.sign_extend(of, self.terms.width(of).max(low + width));
        let bits = self.terms.extract(of, low, width);
        if signed { bits } else { self.non_negative(bits) }
    }

    fn fold(&mut self, operands: &[TermId], join: impl Fn(&mut Self, TermId, TermId) -> TermId) -> TermId {
        let (first, rest) = operands.split_first().expect("n-ary nodes have operands");
        rest.iter().fold(*first, |joined, operand| join(self, joined, *operand))
    }

    fn add(&mut self, left: TermId, right: TermId) -> TermId {
        let width = self.terms.width(left).max(self.terms.width(right)) + 1;
        let [left, right] = [left, right].map(|term| self.terms.sign_extend(term, width));
        self.terms.binary(Operator::Add, left, right)
    }

    fn multiply(&mut self, left: TermId, right: TermId) -> TermId {
        let width = self.terms.width(left) + self.terms.width(right);
        let [left, right] = [left, right].map(|term| self.terms.sign_extend(term, width));
        self.terms.binary(Operator::Mul, left, right)
    }

    fn shift_left(&mut self, of: TermId, count: u32) -> TermId {
        if count == 0 {
            return of;
        }
        let zeros = self.terms.zero(count);
        self.terms.concat(vec![of, zeros])
    }

    /// `⌊of / 2^count⌋` for a count that is not negative.
    fn shift_right(&mut self, of: TermId, count: TermId) -> TermId {
        let [of, count] = self.same_width([of, count]);
        self.terms.binary(Operator::ArithmeticShiftRight, of, count)
    }

    fn bitwise(&mut self, operator: Operator, operands: &[NodeId]) -> Result<TermId, TooWide> {
        let operands = self.integers(operands)?;
        Ok(self.fold(&operands, |integers, left, right| {
            let [left, right] = integers.same_width([left, right]);
            integers.terms.binary(operator, left, right)
        }))
    }

    fn relation(&mut self, relation: Relation, left: NodeId, right: NodeId) -> Result<TermId, TooWide> {
        let sides = [self.integer(left)?, self.integer(right)?];
        let [left, right] = self.same_width(sides);
        let holds = self.terms.compare(relation, left, right);
        Ok(self.non_negative(holds))
    }

    fn extremum(&mut self, left: TermId, right: TermId, least: bool) -> TermId {
        let [left, right] = self.same_width([left, right]);
        let less = self.terms.compare(Relation::SignedLess, left, right);
        let (then, otherwise) = if least { (left, right) } else { (right, left) };
        self.terms.select(less, then, otherwise)
    }

    fn division(&mut self, operator: Operator, left: NodeId, right: NodeId) -> Result<TermId, TooWide> {
        let sides = [self.integer(left)?, self.integer(right)?];
        // The least value over -1 needs one bit more.
        let width = self.terms.width(sides[0]).max(self.terms.width(sides[1])) + 1;
        let [left, right] = sides.map(|side| self.terms.sign_extend(side, width));
        Ok(self.terms.binary(operator, left, right))
    }

    /// The number of the last of these bits that is 1; `width` when none is.
    fn last_one(
        &mut self,
        of: NodeId,
        width: u32,
        bits: impl Iterator<Item = (u32, u32)>,
    ) -> Result<TermId, TooWide> {
        let of = self.integer(of)?;
        let of = self.terms.sign_extend(of, self.terms.width(of).max(width));
        let mut count = self.literal(&Int::from(width));
        for (bit, number) in bits {
            let number = self.literal(&Int::from(number));
            let [number, known] = self.same_width([number, count]);
            let bit = self.terms.extract(of, bit, 1);
            count = self.terms.select(bit, number, known);
        }
        Ok(count)
    }
}
