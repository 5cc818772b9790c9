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
    let wholes = |dag: &mut Dag, of: &[NodeId]| -> Vec<NodeId> {
        of.iter().map(|own| of_whole_elements(dag, *own, bits, width, composing)).collect()
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
        Node::Mul(factors) => {
            let wholes = wholes(dag, &factors);
            wholes[1..].iter().fold(wholes[0], |product, own| dag.mul(product, *own))
        }
        Node::Sum { terms, constant } => {
            let whole = |dag: &mut Dag, (term, factor): &(NodeId, Int)| {
                let zeros = factor.trailing_zeros().map_or(0, |zeros| zeros as u32);
                let left = bits.saturating_sub(zeros);
                (of_whole_elements(dag, *term, left, width, composing), factor.clone())
            };
            let terms: Vec<(NodeId, Int)> = terms.iter().map(|own| whole(dag, own)).collect();
            dag.linear(&terms, constant)
        }
        Node::And(operands) if composing => {
            wholes(dag, &operands).into_iter().reduce(|a, b| dag.and(a, b)).unwrap_or(value)
        }
        Node::Or(operands) if composing => {
            wholes(dag, &operands).into_iter().reduce(|a, b| dag.or(a, b)).unwrap_or(value)
        }
        Node::Xor(operands) if composing => {
            wholes(dag, &operands).into_iter().reduce(|a, b| dag.xor(a, b)).unwrap_or(value)
        }
        _ => value,
    }
}

/// Operands of a conjunction with whole elements where these have low bits of some: another one is zero above them.
pub(super) fn masked(dag: &mut Dag, operands: &[NodeId]) -> Vec<NodeId> {
    let element = |dag: &Dag, value: NodeId| match *dag.node(value) {
        Node::Slice { of, low: 0, width, signed: false } => match *dag.node(of) {
            Node::Arg(arg) => Some((of, width, dag.arg_widths()[arg as usize])),
            _ => None,
        },
        _ => None,
    };
    let computed: Vec<NodeId> =
        operands.iter().copied().filter(|value| element(dag, *value).is_none()).collect();
    let whole = |value: &NodeId| match element(dag, *value) {
        Some((of, width, all)) if computed.iter().any(|own| dag.range(*own).fits(width, false)) => {
            dag.slice(of, 0, all, false)
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
        assert_eq!(masked(&mut dag, &[low, bits]), [whole, bits]);
        assert_eq!(masked(&mut dag, &[low, number]), [low, number]);
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
