//! Demand for low bits: what agrees with a node in its low `w` bits has one representative, without the truncations
//! and signs that do not matter there.

use super::slice::trailing_zeros;
use super::{Law, Subject, instances::*};
use crate::exact::Int;
use crate::exact::dag::{Dag, Node, NodeId};

/// The low `width` bits of `of`, whatever is above them.
#[derive(Clone, Copy)]
pub(super) struct Demand {
    pub of: NodeId,
    pub width: u32,
}

impl Dag {
    /// One representative of the nodes that agree with `id` in the low `width` bits.
    pub fn demand(&mut self, id: NodeId, width: u32) -> NodeId {
        if let Some(known) = self.demands.get(&(id, width)) {
            return *known;
        }
        let result = self.simplify(&Demand { of: id, width }).unwrap_or(id);
        self.demands.insert((id, width), result);
        // A representative represents itself, whatever order its parts were rebuilt in.
        self.demands.insert((result, width), result);
        result
    }
}

impl Subject for Demand {
    const FAMILY: &'static str = "demand";

    const LAWS: &'static [Law<Self>] = &[
        Law::new("slice-of-value", slice_of_value, |dag| {
            let value = square(dag, 5);
            [false, true]
                .map(|signed| dag.intern(Node::Slice { of: value, low: 0, width: 6, signed }))
                .demands()
        }),
        Law::new("narrower-slice", narrower_slice, |dag| raw_slices(dag).demands()),
        Law::new("narrower-slice-at", narrower_slice_at, |dag| {
            let (of, low) = (dag.arg(0), unsigned(dag, 3, 3));
            [false, true]
                .map(|signed| dag.intern(Node::SliceAt { of, base: 1, low, width: 5, signed }))
                .demands()
        }),
        Law::new("concat", concat, |dag| concats(dag).demands()),
        Law::new("sum", of_sum, |dag| {
            let mut of = scaled_sums(dag);
            let (zeros, x) = (dag.int(0), unsigned(dag, 0, 4));
            let width = scaled(dag, 0, 4);
            let above = dag.intern(Node::Concat([part(zeros, 3), part(x, width)].into()));
            of.push(plus(dag, above, 5));
            of.demands()
        }),
        Law::new("product", product, |dag| [square(dag, 5), signed_product(dag, 5)].demands()),
        Law::new("shift", shift, |dag| {
            let (value, count) = (signed(dag, 0, 6), unsigned(dag, 3, 2));
            [dag.intern(Node::Shl(value, count))].demands()
        }),
        Law::new("bitwise", of_bitwise, |dag| bitwise(dag).demands()),
        Law::new("not", not, |dag| {
            let value = signed(dag, 0, 6);
            [dag.intern(Node::Not(value))].demands()
        }),
        Law::new("select", select, |dag| {
            let (condition, then, otherwise) = (unsigned(dag, 3, 1), signed(dag, 0, 7), unsigned(dag, 1, 9));
            [dag.intern(Node::Select(condition, then, otherwise))].demands()
        }),
    ];

    fn raw(&self, dag: &mut Dag) -> NodeId {
        self.result(dag, self.of)
    }

    fn result(&self, dag: &mut Dag, rewritten: NodeId) -> NodeId {
        dag.intern(Node::Slice { of: rewritten, low: 0, width: self.width, signed: false })
    }
}

/// `x[0 +: v] ≡ x (mod 2^w)` where `v ≥ w`.
fn slice_of_value(dag: &mut Dag, demand: &Demand) -> Option<NodeId> {
    let Node::Slice { of, low: 0, width, .. } = *dag.node(demand.of) else { return None };
    (width >= demand.width && !dag.is_arg(of)).then(|| dag.demand(of, demand.width))
}

/// `x[n +: v] ≡ x[n +: w] (mod 2^w)`, the latter unsigned, where `v ≥ w`; `x` is an argument or `n > 0`.
fn narrower_slice(dag: &mut Dag, demand: &Demand) -> Option<NodeId> {
    let Node::Slice { of, low, width, signed } = *dag.node(demand.of) else { return None };
    let is_narrower = width > demand.width || (width == demand.width && signed);
    (is_narrower && (low > 0 || dag.is_arg(of))).then(|| dag.slice(of, low, demand.width, false))
}

/// `x[p +: v] ≡ x[p +: w] (mod 2^w)` at a computed `p`, the latter unsigned, where `v ≥ w`.
fn narrower_slice_at(dag: &mut Dag, demand: &Demand) -> Option<NodeId> {
    let Node::SliceAt { of, base, low, width, signed } = *dag.node(demand.of) else { return None };
    let is_narrower = width > demand.width || (width == demand.width && signed);
    is_narrower.then(|| dag.slice_from(of, base, low, demand.width, false))
}

/// `{…, y, x} ≡ {y[…], x} (mod 2^w)`: parts above bit `w` are dropped.
fn concat(dag: &mut Dag, demand: &Demand) -> Option<NodeId> {
    let Node::Concat(parts) = dag.node(demand.of) else { return None };
    let total: u32 = parts.iter().map(|part| part.width).sum();
    if total <= demand.width {
        return None;
    }
    let parts = parts.clone();
    Some(dag.low_parts(&parts, demand.width))
}

/// `Σ 2^k·f·x + c ≡ Σ 2^k·f·y + c (mod 2^w)` where `y ≡ x (mod 2^(w - k))`. What `k + z` zeros are below is a
/// multiple of `2^(k + z)`.
fn of_sum(dag: &mut Dag, &Demand { of, width }: &Demand) -> Option<NodeId> {
    let Node::Sum { terms, constant } = dag.node(of).clone() else { return None };
    let terms: Vec<_> = terms
        .iter()
        .map(|(term, factor)| {
            let shift = trailing_zeros(factor);
            let kept = if shift >= width { dag.int(0) } else { dag.demand(*term, width - shift) };
            match above_zeros(dag, kept, width.saturating_sub(shift)) {
                Some((above, zeros)) => (dag.demand(above, width - shift - zeros), factor << zeros as usize),
                None => (kept, factor.clone()),
            }
        })
        .collect();
    Some(dag.linear(&terms, constant))
}

/// What is above zeros where both make up `width` bits, and the number of zeros: a multiple there.
fn above_zeros(dag: &Dag, id: NodeId, width: u32) -> Option<(NodeId, u32)> {
    let Node::Concat(parts) = dag.node(id) else { return None };
    let [zeros, above] = **parts else { return None };
    let is_multiple = dag.as_int(zeros.node) == Some(&Int::ZERO) && zeros.width < width;
    (is_multiple && zeros.width + above.width >= width).then_some((above.node, zeros.width))
}

/// `x·y ≡ x'·y' (mod 2^w)` where `x' ≡ x` and `y' ≡ y`.
fn product(dag: &mut Dag, &Demand { of, width }: &Demand) -> Option<NodeId> {
    let Node::Mul(factors) = dag.node(of).clone() else { return None };
    let mut product = dag.int(1);
    for factor in factors {
        let factor = dag.demand(factor, width);
        product = dag.mul(product, factor);
    }
    Some(product)
}

/// `x << c ≡ x' << c (mod 2^w)` where `x' ≡ x`.
fn shift(dag: &mut Dag, &Demand { of, width }: &Demand) -> Option<NodeId> {
    let Node::Shl(value, count) = *dag.node(of) else { return None };
    let value = dag.demand(value, width);
    Some(dag.shl(value, count))
}

/// `x & y ≡ x' & y' (mod 2^w)` where `x' ≡ x` and `y' ≡ y`; so for `|` and `^`.
fn of_bitwise(dag: &mut Dag, &Demand { of, width }: &Demand) -> Option<NodeId> {
    dag.each_operand(of, |dag, operand| dag.demand(operand, width))
}

/// `~x ≡ ~x' (mod 2^w)` where `x' ≡ x`.
fn not(dag: &mut Dag, &Demand { of, width }: &Demand) -> Option<NodeId> {
    let Node::Not(operand) = *dag.node(of) else { return None };
    let operand = dag.demand(operand, width);
    Some(dag.not(operand))
}

/// `c ? x : y ≡ c ? x' : y' (mod 2^w)` where `x' ≡ x` and `y' ≡ y`.
fn select(dag: &mut Dag, &Demand { of, width }: &Demand) -> Option<NodeId> {
    let Node::Select(condition, then, otherwise) = *dag.node(of) else { return None };
    let then = dag.demand(then, width);
    let otherwise = dag.demand(otherwise, width);
    Some(dag.select(condition, then, otherwise))
}
