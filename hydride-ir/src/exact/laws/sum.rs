//! Sums with integer coefficients, and products: flat, sorted, their literals in one place.

use super::{Law, Subject, instances::*};
use crate::exact::Int;
use crate::exact::dag::{Dag, Node, NodeId};

/// `Σ factor·term + constant`; with sorted terms that are neither sums nor literals but in the law that makes them so.
#[derive(Clone)]
pub(super) struct Sum {
    pub terms: Vec<(NodeId, Int)>,
    pub constant: Int,
}

impl Dag {
    /// The sum of the operands.
    pub fn sum(&mut self, operands: &[NodeId]) -> NodeId {
        let terms: Vec<(NodeId, Int)> = operands.iter().map(|id| (*id, Int::ONE)).collect();
        self.linear(&terms, Int::ZERO)
    }

    /// `left - right`.
    pub fn sub(&mut self, left: NodeId, right: NodeId) -> NodeId {
        self.linear(&[(left, Int::ONE), (right, Int::from(-1))], Int::ZERO)
    }

    /// `-operand`.
    pub fn neg(&mut self, operand: NodeId) -> NodeId {
        self.linear(&[(operand, Int::from(-1))], Int::ZERO)
    }

    /// `Σ coefficient·term + constant`, flat, sorted and without zero coefficients.
    pub fn linear(&mut self, terms: &[(NodeId, Int)], constant: Int) -> NodeId {
        let sum = self.flat_sum(terms, constant);
        match sum.terms.as_slice() {
            [] => self.int(sum.constant),
            [(term, factor)] if sum.constant == Int::ZERO && factor == &Int::ONE => *term,
            _ => self.make(&sum),
        }
    }

    fn flat_sum(&self, terms: &[(NodeId, Int)], mut constant: Int) -> Sum {
        let mut flat: Vec<(NodeId, Int)> = Vec::with_capacity(terms.len());
        for (term, coefficient) in terms {
            match self.node(*term) {
                Node::Const(value) => constant += value * coefficient,
                Node::Sum { terms: inner, constant: own } => {
                    constant += own * coefficient;
                    flat.extend(inner.iter().map(|(node, factor)| (*node, factor * coefficient)));
                }
                _ => flat.push((*term, coefficient.clone())),
            }
        }
        flat.sort_by_key(|(node, _)| *node);
        flat.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += &next.1;
            }
            same
        });
        flat.retain(|(_, coefficient)| coefficient != &Int::ZERO);
        Sum { terms: flat, constant }
    }

    /// The product of two operands.
    pub fn mul(&mut self, left: NodeId, right: NodeId) -> NodeId {
        let mut factors = Vec::new();
        let mut coefficient = Int::ONE;
        for operand in [left, right] {
            match self.node(operand) {
                Node::Const(value) => coefficient *= value,
                Node::Mul(inner) => factors.extend(inner.iter().copied()),
                Node::Sum { terms, constant } if terms.len() == 1 && constant == &Int::ZERO => {
                    let (term, factor) = &terms[0];
                    coefficient *= factor;
                    match self.node(*term) {
                        Node::Mul(inner) => factors.extend(inner.iter().copied()),
                        _ => factors.push(*term),
                    }
                }
                _ => factors.push(operand),
            }
        }
        if coefficient == Int::ZERO {
            return self.int(0);
        }
        factors.sort_unstable();
        let product = match factors.as_slice() {
            [] => return self.int(coefficient),
            [factor] => *factor,
            _ => self.intern(Node::Mul(factors.into())),
        };
        self.linear(&[(product, coefficient)], Int::ZERO)
    }
}

impl Subject for Sum {
    const FAMILY: &'static str = "sum";

    const LAWS: &'static [Law<Self>] = &[
        Law::new("adjacent-bits", adjacent_bits, |dag| {
            let mut bit = |low| (dag.arg_slice(0, low, 1, false), Int::ONE);
            let bits: Vec<_> = (0..5).map(&mut bit).collect();
            let (low, high) = (dag.arg_slice(0, 0, 3, false), unsigned(dag, 1, 4));
            let count = (dag.intern(Node::PopCount(low)), Int::ONE);
            let tripled = |(bit, _): &(NodeId, Int)| (*bit, Int::from(3));
            [
                vec![bits[0].clone(), bits[1].clone()],
                vec![bits[1].clone(), bits[2].clone(), bits[4].clone(), (high, Int::from(-2))],
                vec![bits[3].clone(), count.clone()],
                vec![tripled(&bits[1]), tripled(&bits[2]), count],
            ]
            .map(|terms| Sum { terms, constant: Int::from(7) })
            .to_vec()
        }),
        Law::new("negated-bit", negated_bit, |dag| {
            [false, true]
                .map(|signed| Sum {
                    terms: vec![(dag.arg_slice(0, 3, 1, signed), Int::from(-1))],
                    constant: Int::ZERO,
                })
                .to_vec()
        }),
        Law::new("complement", complement, |dag| {
            let (bit, less) = (unsigned(dag, 0, 1), comparison(dag));
            [bit, less].map(|flag| Sum { terms: vec![(flag, Int::from(-1))], constant: Int::ONE }).to_vec()
        }),
    ];

    fn raw(&self, dag: &mut Dag) -> NodeId {
        dag.intern(Node::Sum { terms: self.terms.clone().into(), constant: self.constant.clone() })
    }
}

/// Bits whose ones are counted: `x[low +: width]`.
fn counted_bits(dag: &Dag, id: NodeId) -> Option<(NodeId, u32, u32)> {
    let bits = |id| match *dag.node(id) {
        Node::Slice { of, low, width, signed: false } => Some((of, low, width)),
        _ => None,
    };
    match *dag.node(id) {
        Node::PopCount(counted) => bits(counted),
        _ => bits(id).filter(|(_, _, width)| *width == 1),
    }
}

/// `f·x[n] + f·x[n + 1] + … = f·popcount(x[n +: w])`: adjacent bits that are added with one factor.
fn adjacent_bits(dag: &mut Dag, Sum { terms, constant }: &Sum) -> Option<NodeId> {
    if terms.len() < 2 {
        return None;
    }
    let mut runs: Vec<(Int, (NodeId, u32, u32))> =
        terms.iter().filter_map(|(term, factor)| Some((factor.clone(), counted_bits(dag, *term)?))).collect();
    runs.sort_unstable();
    let count = runs.len();
    runs.dedup_by(|(factor, next), (known, last)| {
        let joins = factor == known && last.0 == next.0 && last.1 + last.2 == next.1;
        if joins {
            last.2 += next.2;
        }
        joins
    });
    if runs.len() == count {
        return None;
    }
    let mut joined: Vec<_> =
        terms.iter().filter(|(term, _)| counted_bits(dag, *term).is_none()).cloned().collect();
    for (factor, (of, low, width)) in runs {
        let slice = dag.slice(of, low, width, false);
        joined.push((dag.popcount(slice), factor));
    }
    Some(dag.linear(&joined, constant.clone()))
}

/// `-x[n +: 1]`, unsigned, is the same bit signed, and the other way round.
fn negated_bit(dag: &mut Dag, Sum { terms, constant }: &Sum) -> Option<NodeId> {
    let [(term, factor)] = terms.as_slice() else { return None };
    let Node::Slice { of, low, width: 1, signed } = *dag.node(*term) else { return None };
    (constant == &Int::ZERO && factor == &Int::from(-1)).then(|| dag.slice(of, low, 1, !signed))
}

/// `1 - b = complement(b)` for a boolean `b`.
fn complement(dag: &mut Dag, Sum { terms, constant }: &Sum) -> Option<NodeId> {
    let [(term, factor)] = terms.as_slice() else { return None };
    (constant == &Int::ONE && factor == &Int::from(-1) && dag.is_boolean(*term))
        .then(|| dag.complement(*term))
}

/// A sum as it is written, of sums and literals, in any order.
#[derive(Clone)]
pub(super) struct Written(pub Sum);

impl Subject for Written {
    const FAMILY: &'static str = "sum";

    const LAWS: &'static [Law<Self>] = &[Law::new("flat", flat, |dag| {
        // At one scale: the solver is slow to regroup wide products.
        let (x, y) = (dag.arg_slice(0, 0, 4, false), dag.arg_slice(1, 0, 4, true));
        let seven = dag.int(7);
        let inner = dag.linear(&[(x, Int::from(3)), (y, Int::from(-2))], Int::from(5));
        [
            vec![(inner, Int::from(2)), (x, Int::from(-6)), (seven, Int::from(3))],
            vec![(y, Int::from(4)), (inner, Int::from(-1)), (y, Int::from(2))],
            vec![(x, Int::from(8)), (x, Int::from(-7))],
            vec![(inner, Int::ONE), (x, Int::from(-3)), (y, Int::from(2))],
        ]
        .map(|terms| Written(Sum { terms, constant: Int::from(-1) }))
        .to_vec()
    })];

    fn raw(&self, dag: &mut Dag) -> NodeId {
        self.0.raw(dag)
    }
}

/// `f·(g·x + c) + h·x + d = (f·g + h)·x + (f·c + d)`.
fn flat(dag: &mut Dag, Written(sum): &Written) -> Option<NodeId> {
    Some(dag.linear(&sum.terms, sum.constant.clone()))
}

/// `left · right`.
#[derive(Clone, Copy)]
pub(super) struct Product {
    pub left: NodeId,
    pub right: NodeId,
}

impl Subject for Product {
    const FAMILY: &'static str = "product";

    const LAWS: &'static [Law<Self>] = &[Law::new("flat", flat_product, |dag| {
        // At one scale: the solver is slow to regroup wide products.
        let (x, y) = (dag.arg_slice(0, 0, 3, false), dag.arg_slice(1, 0, 3, true));
        let (three, zero) = (dag.int(3), dag.int(0));
        let (scaled, xy) = (times(dag, x, -5), dag.mul(x, y));
        let (scaled_product, moved) = (times(dag, xy, 6), plus(dag, y, 1));
        [(three, x), (zero, y), (scaled, y), (y, xy), (scaled, scaled_product), (x, moved), (xy, three)]
            .map(|(left, right)| Product { left, right })
            .to_vec()
    })];

    fn raw(&self, dag: &mut Dag) -> NodeId {
        dag.intern(Node::Mul([self.left, self.right].into()))
    }
}

/// `(f·x)·(g·y) = (f·g)·(x·y)`, `x·(y·z) = x·y·z`.
fn flat_product(dag: &mut Dag, Product { left, right }: &Product) -> Option<NodeId> {
    Some(dag.mul(*left, *right))
}
