//! Comparisons, in one form each, and complements of booleans.

use super::{Law, Subject, instances::*};
use crate::exact::Int;
use crate::exact::dag::{Dag, Node, NodeId};
use crate::exact::range::Range;

/// Bits of the widest numbers that count elements.
const COUNT_BITS: u32 = 8;

/// 1 when equal, else 0; a literal is on the right.
#[derive(Clone, Copy)]
pub(super) struct Eq {
    pub left: NodeId,
    pub right: NodeId,
}

/// 1 when `left` is less, else 0.
#[derive(Clone, Copy)]
pub(super) struct Lt {
    pub left: NodeId,
    pub right: NodeId,
}

/// 1 when `left` is not greater, else 0.
#[derive(Clone, Copy)]
pub(super) struct Le {
    pub left: NodeId,
    pub right: NodeId,
}

/// 1 for 0 and 0 for 1.
#[derive(Clone, Copy)]
pub(super) struct Complement(pub NodeId);

impl Dag {
    /// 1 when equal, else 0.
    pub fn eq(&mut self, left: NodeId, right: NodeId) -> NodeId {
        if left == right {
            return self.int(1);
        }
        let (left, right) = if self.as_int(left).is_some() { (right, left) } else { (left, right) };
        self.make(&Eq { left, right })
    }

    /// 1 when not equal, else 0.
    pub fn ne(&mut self, left: NodeId, right: NodeId) -> NodeId {
        let equal = self.eq(left, right);
        self.complement(equal)
    }

    /// 1 when `left < right`, else 0.
    pub fn lt(&mut self, left: NodeId, right: NodeId) -> NodeId {
        if left == right {
            return self.int(0);
        }
        self.make(&Lt { left, right })
    }

    /// 1 when `left <= right`, else 0.
    pub fn le(&mut self, left: NodeId, right: NodeId) -> NodeId {
        if left == right {
            return self.int(1);
        }
        self.make(&Le { left, right })
    }

    /// 1 for 0 and 0 for 1; the operand is boolean.
    pub fn complement(&mut self, operand: NodeId) -> NodeId {
        match self.as_int(operand) {
            Some(value) => {
                let complement = Int::ONE - value;
                self.int(complement)
            }
            None => self.make(&Complement(operand)),
        }
    }

    /// The operand of which this is the complement, for the forms that have no positive twin.
    pub(crate) fn complemented(&self, operand: NodeId) -> Option<NodeId> {
        let Node::Xor(operands) = self.node(operand) else { return None };
        match **operands {
            [left, right] if self.as_int(left) == Some(&Int::ONE) => Some(right),
            [left, right] if self.as_int(right) == Some(&Int::ONE) => Some(left),
            _ => None,
        }
    }
}

/// Whether every value of the one is less than every value of the other.
fn is_below(low: &Range, high: &Range, or_equal: bool) -> bool {
    match (&low.high, &high.low) {
        (Some(most), Some(least)) => most < least || (or_equal && most == least),
        _ => false,
    }
}

/// A sum with a constant part: the sum without it, and the constant.
fn without_constant(dag: &mut Dag, id: NodeId) -> Option<(NodeId, Int)> {
    let Node::Sum { terms, constant } = dag.node(id) else { return None };
    if constant == &Int::ZERO {
        return None;
    }
    let (terms, constant) = (terms.clone(), constant.clone());
    Some((dag.linear(&terms, Int::ZERO), constant))
}

/// `f·x` for a factor of at least 2.
fn multiple(dag: &Dag, id: NodeId) -> Option<(NodeId, Int)> {
    let Node::Sum { terms, constant } = dag.node(id) else { return None };
    let [(term, factor)] = &**terms else { return None };
    (constant == &Int::ZERO && factor > &Int::ONE).then(|| (*term, factor.clone()))
}

impl Subject for Eq {
    const FAMILY: &'static str = "equal";

    const LAWS: &'static [Law<Self>] = &[
        Law::new("apart", apart, |dag| {
            let (x, y) = (unsigned(dag, 0, 4), unsigned(dag, 1, 4));
            let (moved, far, below) = (plus(dag, y, 16), dag.int(16), dag.int(-1));
            [(x, moved), (moved, x), (x, far), (x, below)].map(|(left, right)| Eq { left, right }).to_vec()
        }),
        Law::new("boolean", boolean, |dag| {
            [unsigned(dag, 0, 1), comparison(dag)].with_literals(dag, -1..3, |left, right| Eq { left, right })
        }),
        Law::new("sign-bit", sign_bit, |dag| {
            [signed(dag, 0, 1)].with_literals(dag, -1..1, |left, right| Eq { left, right })
        }),
        Law::new("constant", eq_constant, |dag| {
            sums(dag).with_literals(dag, -20..20, |left, right| Eq { left, right })
        }),
        Law::new("multiple", eq_multiple, |dag| {
            multiples(dag).with_literals(dag, -9..20, |left, right| Eq { left, right })
        }),
    ];

    fn raw(&self, dag: &mut Dag) -> NodeId {
        dag.intern(Node::Eq(self.left.min(self.right), self.left.max(self.right)))
    }
}

/// `x = y` is 0 where no value of the one is a value of the other.
fn apart(dag: &mut Dag, &Eq { left, right }: &Eq) -> Option<NodeId> {
    let (a, b) = (dag.range(left), dag.range(right));
    (is_below(a, b, false) || is_below(b, a, false)).then(|| dag.int(0))
}

/// `b = 1` is `b`, `b = 0` is its complement, for a boolean `b`.
fn boolean(dag: &mut Dag, &Eq { left, right }: &Eq) -> Option<NodeId> {
    match dag.as_i64(right).filter(|_| dag.is_boolean(left))? {
        0 => Some(dag.complement(left)),
        1 => Some(left),
        _ => None,
    }
}

/// `x[n +: 1] = -1`, signed, is the bit unsigned, `x[n +: 1] = 0` its complement.
fn sign_bit(dag: &mut Dag, &Eq { left, right }: &Eq) -> Option<NodeId> {
    let literal = dag.as_i64(right).filter(|literal| [0, -1].contains(literal))?;
    let Node::Slice { of, low, width: 1, signed: true } = *dag.node(left) else { return None };
    let bit = dag.slice(of, low, 1, false);
    Some(if literal == 0 { dag.complement(bit) } else { bit })
}

/// `x + c = d` is `x = d - c`.
fn eq_constant(dag: &mut Dag, &Eq { left, right }: &Eq) -> Option<NodeId> {
    let bound = dag.as_int(right)?.clone();
    let (rest, constant) = without_constant(dag, left)?;
    let bound = dag.int(bound - constant);
    Some(dag.eq(rest, bound))
}

/// `f·x = c` is `x = c / f`; 0 where `c` is no multiple of `f`.
fn eq_multiple(dag: &mut Dag, &Eq { left, right }: &Eq) -> Option<NodeId> {
    let bound = dag.as_int(right)?.clone();
    let (term, factor) = multiple(dag, left)?;
    if &bound % &factor != Int::ZERO {
        return Some(dag.int(0));
    }
    let quotient = dag.int(bound / factor);
    Some(dag.eq(term, quotient))
}

impl Subject for Lt {
    const FAMILY: &'static str = "less";

    const LAWS: &'static [Law<Self>] = &[
        Law::new("always", always, |dag| order_pairs(dag, |left, right| Lt { left, right })),
        Law::new("never", never, |dag| order_pairs(dag, |left, right| Lt { left, right })),
        Law::new("constant-left", constant_left, |dag| {
            sums(dag).with_literals(dag, -20..20, |left, right| Lt { left, right })
        }),
        Law::new("constant-right", constant_right, |dag| {
            sums(dag).with_literals(dag, -20..20, |right, left| Lt { left, right })
        }),
        Law::new("sign", sign, |dag| {
            raw_slices(dag).with_literals(dag, -1..2, |left, right| Lt { left, right })
        }),
        Law::new("no-sign", no_sign, |dag| {
            raw_slices(dag).with_literals(dag, -2..1, |right, left| Lt { left, right })
        }),
        Law::new("least-value", least_value, |dag| {
            [unsigned(dag, 0, 4), signed(dag, 1, 4), sum(dag, 3)]
                .with_literals(dag, -9..9, |left, right| Lt { left, right })
        }),
        Law::new("not-least-value", not_least_value, |dag| {
            [unsigned(dag, 0, 4), signed(dag, 1, 4), sum(dag, 3)]
                .with_literals(dag, -9..9, |right, left| Lt { left, right })
        }),
        Law::new("literal-on-the-left", literal_on_the_left, |dag| {
            [unsigned(dag, 0, 4), signed(dag, 1, 4), sum(dag, 3)]
                .with_literals(dag, -9..9, |right, left| Lt { left, right })
        }),
        Law::new("multiple", lt_multiple, |dag| {
            multiples(dag).with_literals(dag, -1..20, |left, right| Lt { left, right })
        }),
    ];

    fn raw(&self, dag: &mut Dag) -> NodeId {
        dag.intern(Node::Lt(self.left, self.right))
    }
}

/// `x < y` is 1 where every value of `x` is less than every value of `y`.
fn always(dag: &mut Dag, &Lt { left, right }: &Lt) -> Option<NodeId> {
    is_below(dag.range(left), dag.range(right), false).then(|| dag.int(1))
}

/// `x < y` is 0 where no value of `x` is less than any value of `y`.
fn never(dag: &mut Dag, &Lt { left, right }: &Lt) -> Option<NodeId> {
    is_below(dag.range(right), dag.range(left), true).then(|| dag.int(0))
}

/// `x + c < d` is `x < d - c`.
fn constant_left(dag: &mut Dag, &Lt { left, right }: &Lt) -> Option<NodeId> {
    let bound = dag.as_int(right)?.clone();
    let (rest, constant) = without_constant(dag, left)?;
    let bound = dag.int(bound - constant);
    Some(dag.lt(rest, bound))
}

/// `d < x + c` is `d - c < x`.
fn constant_right(dag: &mut Dag, &Lt { left, right }: &Lt) -> Option<NodeId> {
    let bound = dag.as_int(left)?.clone();
    let (rest, constant) = without_constant(dag, right)?;
    let bound = dag.int(bound - constant);
    Some(dag.lt(bound, rest))
}

/// The sign bit of a signed slice.
fn sign_of(dag: &mut Dag, id: NodeId) -> Option<NodeId> {
    let Node::Slice { of, low, width, signed: true } = *dag.node(id) else { return None };
    Some(dag.slice(of, low + width - 1, 1, false))
}

/// `x[n +: w] < 0`, signed, is `x[n + w - 1 +: 1]`.
fn sign(dag: &mut Dag, &Lt { left, right }: &Lt) -> Option<NodeId> {
    if dag.as_int(right) != Some(&Int::ZERO) {
        return None;
    }
    sign_of(dag, left)
}

/// `-1 < x[n +: w]`, signed, is the complement of `x[n + w - 1 +: 1]`.
fn no_sign(dag: &mut Dag, &Lt { left, right }: &Lt) -> Option<NodeId> {
    if dag.as_i64(left) != Some(-1) {
        return None;
    }
    let sign = sign_of(dag, right)?;
    Some(dag.complement(sign))
}

/// `x < m + 1` is `x = m` where `m` is the least value of `x`.
fn least_value(dag: &mut Dag, &Lt { left, right }: &Lt) -> Option<NodeId> {
    let least = dag.as_int(right)? - Int::ONE;
    if dag.range(left).low.as_ref() != Some(&least) {
        return None;
    }
    let least = dag.int(least);
    Some(dag.eq(left, least))
}

/// `m < x` is the complement of `x = m` where `m` is the least value of `x`.
fn not_least_value(dag: &mut Dag, &Lt { left, right }: &Lt) -> Option<NodeId> {
    let bound = dag.as_int(left)?;
    if dag.range(right).low.as_ref() != Some(bound) {
        return None;
    }
    let equal = dag.eq(right, left);
    Some(dag.complement(equal))
}

/// `c < x` is the complement of `x < c + 1`.
fn literal_on_the_left(dag: &mut Dag, &Lt { left, right }: &Lt) -> Option<NodeId> {
    let above = dag.as_int(left)? + Int::ONE;
    let above = dag.int(above);
    let below = dag.lt(right, above);
    Some(dag.complement(below))
}

/// `f·x < c` is `x < ⌈c / f⌉` where `x` is a count, `c ≥ 0`; of other numbers not, whose clamps show by the bound.
fn lt_multiple(dag: &mut Dag, &Lt { left, right }: &Lt) -> Option<NodeId> {
    let bound = dag.as_int(right).filter(|bound| *bound >= &Int::ZERO)?.clone();
    let (term, factor) = multiple(dag, left)?;
    let (width, false) = dag.natural(term)? else { return None };
    if width > COUNT_BITS {
        return None;
    }
    let quotient = dag.int((bound + &factor - Int::ONE) / factor);
    Some(dag.lt(term, quotient))
}

impl Subject for Le {
    const FAMILY: &'static str = "not-greater";

    const LAWS: &'static [Law<Self>] = &[
        Law::new("literal-on-the-right", literal_on_the_right, |dag| {
            [unsigned(dag, 0, 4), signed(dag, 1, 4)]
                .with_literals(dag, -9..9, |left, right| Le { left, right })
        }),
        Law::new("literal-on-the-left", le_literal_on_the_left, |dag| {
            [unsigned(dag, 0, 4), signed(dag, 1, 4)]
                .with_literals(dag, -9..9, |right, left| Le { left, right })
        }),
        Law::new("always", le_always, |dag| order_pairs(dag, |left, right| Le { left, right })),
        Law::new("never", le_never, |dag| order_pairs(dag, |left, right| Le { left, right })),
    ];

    fn raw(&self, dag: &mut Dag) -> NodeId {
        dag.intern(Node::Le(self.left, self.right))
    }
}

/// `x ≤ c` is `x < c + 1`.
fn literal_on_the_right(dag: &mut Dag, &Le { left, right }: &Le) -> Option<NodeId> {
    let above = dag.as_int(right)? + Int::ONE;
    let above = dag.int(above);
    Some(dag.lt(left, above))
}

/// `c ≤ x` is the complement of `x < c`.
fn le_literal_on_the_left(dag: &mut Dag, &Le { left, right }: &Le) -> Option<NodeId> {
    dag.as_int(left)?;
    let below = dag.lt(right, left);
    Some(dag.complement(below))
}

/// `x ≤ y` is 1 where no value of `x` is greater than any value of `y`.
fn le_always(dag: &mut Dag, &Le { left, right }: &Le) -> Option<NodeId> {
    is_below(dag.range(left), dag.range(right), true).then(|| dag.int(1))
}

/// `x ≤ y` is 0 where every value of `x` is greater than every value of `y`.
fn le_never(dag: &mut Dag, &Le { left, right }: &Le) -> Option<NodeId> {
    is_below(dag.range(right), dag.range(left), false).then(|| dag.int(0))
}

impl Subject for Complement {
    const FAMILY: &'static str = "complement";

    const LAWS: &'static [Law<Self>] = &[
        Law::new("less", not_less, |dag| vec![Complement(comparison(dag))]),
        Law::new("not-greater", not_not_greater, |dag| {
            let (left, right) = (unsigned(dag, 0, 4), signed(dag, 1, 4));
            vec![Complement(dag.intern(Node::Le(left, right)))]
        }),
        Law::new("select", of_select, |dag| {
            let (condition, flag, zero, one) =
                (unsigned(dag, 3, 1), unsigned(dag, 0, 1), dag.int(0), dag.int(1));
            [(zero, flag), (flag, zero), (one, flag), (flag, one)]
                .map(|(then, otherwise)| Complement(dag.intern(Node::Select(condition, then, otherwise))))
                .to_vec()
        }),
        Law::new("twice", twice, |dag| {
            let (x, y, one) = (unsigned(dag, 0, 1), unsigned(dag, 1, 1), dag.int(1));
            [vec![x, one], vec![x, y], vec![x, y, one]]
                .map(|mut operands| {
                    operands.sort_unstable();
                    Complement(dag.intern(Node::Xor(operands.into())))
                })
                .to_vec()
        }),
    ];

    /// `b ^ 1`.
    fn raw(&self, dag: &mut Dag) -> NodeId {
        let one = dag.int(1);
        dag.intern(Node::Xor([self.0.min(one), self.0.max(one)].into()))
    }
}

/// `¬(x < y)` is `y ≤ x`; with a literal `y` it stays.
fn not_less(dag: &mut Dag, &Complement(operand): &Complement) -> Option<NodeId> {
    let Node::Lt(left, right) = *dag.node(operand) else { return None };
    dag.as_int(right).is_none().then(|| dag.le(right, left))
}

/// `¬(x ≤ y)` is `y < x`.
fn not_not_greater(dag: &mut Dag, &Complement(operand): &Complement) -> Option<NodeId> {
    let Node::Le(left, right) = *dag.node(operand) else { return None };
    Some(dag.lt(right, left))
}

/// `¬(c ? x : y)` is `c ? ¬x : ¬y` where `x` or `y` is a literal.
fn of_select(dag: &mut Dag, &Complement(operand): &Complement) -> Option<NodeId> {
    let Node::Select(condition, then, otherwise) = *dag.node(operand) else { return None };
    if dag.as_int(then).is_none() && dag.as_int(otherwise).is_none() {
        return None;
    }
    let then = dag.complement(then);
    let otherwise = dag.complement(otherwise);
    Some(dag.select(condition, then, otherwise))
}

/// `¬(x ^ 1)` is `x`, `¬(x ^ y)` is `x ^ y ^ 1`.
fn twice(dag: &mut Dag, &Complement(operand): &Complement) -> Option<NodeId> {
    let Node::Xor(operands) = dag.node(operand) else { return None };
    let mut operands = operands.to_vec();
    let one = dag.int(1);
    match operands.iter().position(|id| *id == one) {
        Some(position) => {
            operands.remove(position);
        }
        None => operands.push(one),
    }
    if let [only] = operands[..] {
        return Some(only);
    }
    operands.sort_unstable();
    Some(dag.intern(Node::Xor(operands.into())))
}
