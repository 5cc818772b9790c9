//! Numbers that instructions are looked at with, beside those that they are known with from the start.

use std::collections::BTreeSet;

use hydride_ir::FloatOp;
use hydride_ir::exact::{Int, Node, NodeId};

use crate::rewrite::rewrites;
use crate::unify::HALVES;
use crate::window::Meaning;

/// Shifts that take what a shift by `count` takes to a container's bottom to the upper half of one: down by less, or up.
fn to_halves(count: i64) -> impl Iterator<Item = i64> {
    HALVES.into_iter().map(move |half| (count - half).abs())
}

/// Numbers that immediates of shifts may need for the values of a window.
pub fn immediates(meaning: &mut Meaning<'_>, roots: &[NodeId]) -> Vec<i64> {
    let (mut found, mut divisions) = (BTreeSet::new(), Vec::new());
    let (mut modes, mut digits) = (BTreeSet::new(), BTreeSet::from([0]));
    if meaning.window().in_registers {
        // Elements of leaves may be high parts of wider ones.
        found.extend(HALVES);
    }
    // Bytes are shifted out of pairs of neighbors.
    if meaning.takes_bytes_apart() {
        found.insert(8);
    }
    for node in meaning.dag.reachable(roots.iter().copied()) {
        match meaning.dag.node(node) {
            Node::Shr(_, count) | Node::Shl(_, count) => {
                if let Some(count) = meaning.dag.as_i64(*count) {
                    found.extend([count, count - 1]);
                    found.extend(to_halves(count));
                }
            }
            Node::Slice { of, low, .. } => {
                let low = i64::from(*low);
                found.insert(low);
                // What is rounded is shifted by one less first, and then by one.
                if matches!(meaning.dag.node(*of), Node::Sum { .. }) {
                    found.extend([low - 1, 1]);
                }
                if low > 0 && !HALVES.contains(&low) {
                    found.extend(to_halves(low));
                }
            }
            Node::Sum { terms, .. } => {
                for (_, factor) in terms {
                    let factor = if factor < &Int::ZERO { -factor } else { factor.clone() };
                    found.extend((1..32).find(|exponent| factor == Int::ONE << *exponent as usize));
                }
            }
            Node::Div(..) => divisions.push(node),
            // Signs, and the places of parts.
            Node::Saturate { width, .. } => {
                found.insert(i64::from(*width) - 1);
            }
            Node::PopCount(_) | Node::LeadingZeros(..) => found.extend((4..32).step_by(4)),
            // Modes of rounding, with the number of fraction bits that are kept above them: products with powers of two.
            Node::Float { float, operands, .. } if float.op == FloatOp::RoundToInt => {
                modes.extend(meaning.dag.as_i64(operands[1]));
            }
            Node::Float { float, width, operands, .. } if float.op == FloatOp::Mul => {
                let (fraction, bias) = (width - 1 - float.exponent, (1 << (float.exponent - 1)) - 1);
                let factors = operands[..2].iter().filter_map(|factor| meaning.dag.as_i64(*factor));
                digits.extend(
                    factors.map(|bits| (bits >> fraction) - bias).filter(|count| (1..16).contains(count)),
                );
            }
            // Predicates of comparisons are immediates.
            Node::Float { float, .. } if float.op.compares() => found.extend(1..32),
            Node::Concat(parts) => found.extend(parts.first().map(|part| i64::from(part.width))),
            _ => {}
        }
    }
    for division in divisions {
        let others = rewrites(&mut meaning.dag, division);
        found.extend(immediates(meaning, &others));
    }
    found.retain(|value| (1..64).contains(value));
    found.extend(modes.iter().flat_map(|mode| digits.iter().map(move |count| 16 * count + mode)));
    found.into_iter().collect()
}
