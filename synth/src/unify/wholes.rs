//! Values of which low bits count, with whole elements where these have low bits of some.

use hydride_ir::exact::{Dag, Int, Node, NodeId};

/// A value with the same low `bits` bits that is computed from elements of up to `width` bits as they are: exact integers keep of an operand
/// what counts, as of `a` in `2·a` for 16 bits the lowest 15, which no instruction leaves alone.
/// Where instructions are composed, so is what is cut of computed values.
pub(super) fn of_whole_elements(
    dag: &mut Dag,
    value: NodeId,
    bits: u32,
    width: u32,
    composing: bool,
) -> NodeId {
    let joined = |dag: &mut Dag, operands: &[NodeId], join: fn(&mut Dag, NodeId, NodeId) -> NodeId| {
        let wholes: Vec<NodeId> =
            operands.iter().map(|own| of_whole_elements(dag, *own, bits, width, composing)).collect();
        wholes[1..].iter().fold(wholes[0], |all, own| join(dag, all, *own))
    };
    match dag.node(value).clone() {
        Node::Slice { of, low: 0, width: own, .. } if bits <= own => match *dag.node(of) {
            Node::Arg(arg) => dag.slice(of, 0, width.min(dag.arg_widths()[arg as usize]).max(own), false),
            _ if composing => {
                let whole = of_whole_elements(dag, of, bits, width, composing);
                dag.slice(whole, 0, width.max(own), false)
            }
            _ => value,
        },
        Node::Sum { terms, constant } => {
            let whole = |dag: &mut Dag, (term, factor): &(NodeId, Int)| {
                let zeros = factor.trailing_zeros().map_or(0, |zeros| zeros as u32);
                let left = bits.saturating_sub(zeros);
                (of_whole_elements(dag, *term, left, width, composing), factor.clone())
            };
            let terms: Vec<(NodeId, Int)> = terms.iter().map(|own| whole(dag, own)).collect();
            dag.linear(&terms, constant)
        }
        Node::Mul(operands) => joined(dag, &operands, Dag::mul),
        Node::And(operands) if composing => joined(dag, &operands, Dag::and),
        Node::Or(operands) if composing => joined(dag, &operands, Dag::or),
        Node::Xor(operands) if composing => joined(dag, &operands, Dag::xor),
        _ => value,
    }
}

/// Operands of a conjunction with whole elements where these have low bits of some: another one is zero above them.
pub(super) fn of_conjunction(dag: &mut Dag, operands: &[NodeId]) -> Vec<NodeId> {
    let low_bits = |dag: &Dag, value: NodeId| match *dag.node(value) {
        Node::Slice { of, low: 0, width, signed: false } if matches!(dag.node(of), Node::Arg(_)) => {
            Some(width)
        }
        _ => None,
    };
    let computed: Vec<NodeId> =
        operands.iter().copied().filter(|value| low_bits(dag, *value).is_none()).collect();
    let whole = |value: &NodeId| match low_bits(dag, *value) {
        Some(width) if computed.iter().any(|own| dag.range(*own).fits(width, false)) => {
            of_whole_elements(dag, *value, width, u32::MAX, true)
        }
        _ => *value,
    };
    operands.iter().map(whole).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_masked_by_another_operand_is_a_whole_element() {
        let mut dag = Dag::new(vec![16; 2]);
        let (low, whole) = (dag.arg_slice(0, 0, 15, false), dag.arg_slice(0, 0, 16, false));
        let number = dag.arg_slice(1, 0, 16, true);
        let magnitude = dag.abs(number);
        let bits = dag.slice(magnitude, 0, 15, false);
        assert_eq!(of_conjunction(&mut dag, &[low, bits]), [whole, bits]);
        assert_eq!(of_conjunction(&mut dag, &[low, number]), [low, number]);
    }

    #[test]
    fn low_bits_of_elements_become_elements() {
        let mut dag = Dag::new(vec![16; 2]);
        let low = [dag.arg_slice(0, 0, 15, true), dag.arg_slice(1, 0, 15, false)];
        let whole = [dag.arg_slice(0, 0, 16, false), dag.arg_slice(1, 0, 16, false)];
        let (product, of_whole) = (dag.mul(low[0], low[1]), dag.mul(whole[0], whole[1]));
        assert_eq!(of_whole_elements(&mut dag, product, 15, 16, false), of_whole);
        let three =
            |dag: &mut Dag, of: [NodeId; 2]| dag.linear(&[(of[0], 3.into()), (of[1], 2.into())], 5.into());
        let (sum, of_whole) = (three(&mut dag, [low[0], low[1]]), three(&mut dag, [whole[0], whole[1]]));
        assert_eq!(of_whole_elements(&mut dag, sum, 15, 16, false), of_whole);
        // What counts is not all there.
        assert_eq!(of_whole_elements(&mut dag, low[1], 16, 16, false), low[1]);
    }
}
