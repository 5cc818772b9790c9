//! Ranges as laws: `low ≤ x ≤ high` is 1 for the range that is kept with `x`. No constructor asks these; they are here
//! to be checked, operator by operator, since the conditions of other laws rest on ranges.

use super::{Law, Subject, instances::*};
use crate::exact::dag::{Dag, Node, NodeId};

/// A node whose range is looked at.
#[derive(Clone, Copy)]
pub(super) struct InRange(pub NodeId);

impl Subject for InRange {
    const FAMILY: &'static str = "range";

    const LAWS: &'static [Law<Self>] = &[
        Law::new("slice", holds, |dag| raw_slices(dag).into_iter().map(InRange).collect()),
        Law::new("slice-at", holds, |dag| {
            let (of, low) = (dag.arg(0), unsigned(dag, 3, 3));
            nodes(dag, [false, true].map(|signed| Node::SliceAt { of, base: 1, low, width: 5, signed }))
        }),
        Law::new("concat", holds, |dag| concats(dag).into_iter().map(InRange).collect()),
        Law::new("sum", holds, |dag| {
            let mut of = sums(dag);
            of.extend(scaled_sums(dag));
            of.extend(multiples(dag));
            of.into_iter().map(InRange).collect()
        }),
        Law::new("product", holds, |dag| {
            let (x, y) = (unsigned(dag, 0, 3), signed(dag, 1, 3));
            let moved = plus(dag, y, -5);
            let pairs = [[x, x], [y, y], [x, y], [x, moved], [y, moved]];
            let mut products = pairs.map(|factors| Node::Mul(factors.into())).to_vec();
            products.push(Node::Mul([x, y, y].into()));
            nodes(dag, products)
        }),
        Law::new("shift", holds, |dag| {
            let (small, negative) = (unsigned(dag, 3, 2), sum_signed(dag, 5));
            let (positive, low) = (unsigned(dag, 0, 5), plus(dag, small, 1));
            let shifts = [small, low].into_iter().flat_map(|count| {
                [positive, negative]
                    .into_iter()
                    .flat_map(move |value| [Node::Shl(value, count), Node::Shr(value, count)])
            });
            nodes(dag, shifts.collect::<Vec<_>>())
        }),
        Law::new("bitwise", holds, |dag| {
            let mut of = bitwise(dag);
            let (x, y) = (signed(dag, 0, 4), signed(dag, 1, 6));
            of.extend(
                [Node::And([x, y].into()), Node::Not(x), Node::Or([x, y].into())]
                    .map(|node| dag.intern(node)),
            );
            of.into_iter().map(InRange).collect()
        }),
        Law::new("comparison", holds, |dag| {
            let (x, y) = (unsigned(dag, 0, 4), signed(dag, 1, 4));
            nodes(dag, [Node::Eq(x, y), Node::Lt(x, y), Node::Le(x, y)])
        }),
        Law::new("extremum", holds, |dag| {
            let (x, y) = (unsigned(dag, 0, 4), signed(dag, 1, 4));
            let z = plus(dag, x, -20);
            let triples = [[x, y, z], [y, y, z], [x, x, y]];
            nodes(dag, triples.into_iter().flat_map(|ids| [Node::Min(ids.into()), Node::Max(ids.into())]))
        }),
        Law::new("magnitude", holds, |dag| {
            let (x, y) = (signed(dag, 0, 4), sum_signed(dag, 4));
            let moved = [3, -20, 30].map(|constant| plus(dag, y, constant));
            nodes(dag, [x, y].into_iter().chain(moved).map(Node::Abs))
        }),
        Law::new("saturate", holds, |dag| {
            let values = [unsigned(dag, 0, 5), signed(dag, 1, 5), sum_signed(dag, 5)];
            let mut of = values.to_vec();
            of.extend([40, -40].map(|constant| plus(dag, values[2], constant)));
            let clamps = of.into_iter().flat_map(|of| {
                [(3, true), (3, false), (7, true)].map(|(width, signed)| Node::Saturate { of, width, signed })
            });
            nodes(dag, clamps.collect::<Vec<_>>())
        }),
        Law::new("select", holds, |dag| {
            let (c, x, y) = (unsigned(dag, 3, 1), unsigned(dag, 0, 4), signed(dag, 1, 6));
            nodes(dag, [Node::Select(c, x, y), Node::Select(c, y, x)])
        }),
        Law::new("quotient", holds, |dag| {
            let (x, y, three, minus) = (unsigned(dag, 0, 4), signed(dag, 1, 4), dag.int(3), dag.int(-1));
            let divisor = plus(dag, x, 1);
            nodes(
                dag,
                [(x, three), (y, three), (y, minus), (x, divisor), (y, divisor)]
                    .map(|(l, r)| Node::Div(l, r)),
            )
        }),
        Law::new("remainder", holds, |dag| {
            let (x, y, three, minus) = (unsigned(dag, 0, 4), signed(dag, 1, 4), dag.int(3), dag.int(-7));
            let divisor = plus(dag, x, 1);
            nodes(
                dag,
                [(x, three), (y, three), (y, minus), (x, divisor), (y, divisor)]
                    .map(|(l, r)| Node::Rem(l, r)),
            )
        }),
        Law::new("count", holds, |dag| {
            let (x, wide, width) = (unsigned(dag, 0, 5), sum(dag, 4), scaled(dag, 0, 5));
            nodes(
                dag,
                [
                    Node::PopCount(x),
                    Node::PopCount(wide),
                    Node::LeadingZeros(x, width),
                    Node::LeadingZeros(x, width + 3),
                    Node::TrailingZeros(x, width),
                ],
            )
        }),
    ];

    fn raw(&self, dag: &mut Dag) -> NodeId {
        let range = dag.range(self.0).clone();
        let (low, high) = (range.low.unwrap_or_default(), range.high.unwrap_or_default());
        let (low, high) = (dag.int(low), dag.int(high));
        let bounds = [Node::Le(low, self.0), Node::Le(self.0, high)].map(|node| dag.intern(node));
        dag.intern(Node::And(bounds.into()))
    }
}

/// `low ≤ x ≤ high` is 1 for the range `low..=high` of `x`.
fn holds(dag: &mut Dag, &InRange(node): &InRange) -> Option<NodeId> {
    dag.natural(node).map(|_| dag.int(1))
}

fn nodes(dag: &mut Dag, nodes: impl IntoIterator<Item = Node>) -> Vec<InRange> {
    nodes.into_iter().map(|node| InRange(dag.intern(node))).collect()
}
