//! One form for values that exact integers have several for.

use hydride_ir::exact::{Dag, Int, Node, NodeId, Range, Replacements};

use crate::forms::shifted_bits;

/// One form for high bits anywhere in a value, a slice up to what is sliced's top is that shifted; for bits above zeros and by masks; and for sums of which low bits
/// are kept, whose factors and constant are as near to zero as can be.
pub fn normal(dag: &mut Dag, value: NodeId) -> NodeId {
    let mut replacements = Replacements::default();
    for node in dag.reachable([value]) {
        if let Some(signs) = only_signs(dag, node) {
            let signs = dag.replace(signs, &mut replacements);
            replacements.insert(node, signs);
            continue;
        }
        if let Some(multiple) = shifted_bits(dag, node) {
            let multiple = dag.replace(multiple, &mut replacements);
            replacements.insert(node, multiple);
            continue;
        }
        if let Some(masked) = masked(dag, node) {
            let masked = dag.replace(masked, &mut replacements);
            replacements.insert(node, masked);
            continue;
        }
        let Node::Slice { of, low, width, signed } = *dag.node(node) else { continue };
        // Above the bits that hold a negative value there are ones.
        let ones = Range::new(-(Int::ONE << low as usize), -1);
        if low > 0 && dag.range(of).within(&ones) {
            let bits = if signed { Int::from(-1) } else { (Int::ONE << width as usize) - Int::ONE };
            let bits = dag.int(bits);
            replacements.insert(node, bits);
            continue;
        }
        if let (0, Node::Sum { terms, constant }) = (low, dag.node(of).clone()) {
            let whole = Int::ONE << width as usize;
            let near = |factor: &Int| {
                let rest: Int = factor - ((factor >> width as usize) << width as usize);
                if &rest + &rest > whole { rest - &whole } else { rest }
            };
            let terms: Vec<(NodeId, Int)> = terms
                .iter()
                .map(|(term, factor)| (dag.replace(*term, &mut replacements), near(factor)))
                .collect();
            let sum = dag.linear(&terms, near(&constant));
            let bits = dag.slice(sum, 0, width, signed);
            replacements.insert(node, bits);
            continue;
        }
        if low > 0 && !matches!(dag.node(of), Node::Arg(_)) && dag.range(of).fits(low + width, signed) {
            let (of, count) = (dag.replace(of, &mut replacements), dag.int(low));
            let shifted = dag.shr(of, count);
            replacements.insert(node, shifted);
        }
    }
    if replacements.is_empty() { value } else { dag.replace(value, &mut replacements) }
}

/// Bits by a mask, of which signs do not count.
fn masked(dag: &mut Dag, value: NodeId) -> Option<NodeId> {
    let Node::And(operands) = dag.node(value).clone() else { return None };
    let mask = operands.iter().find_map(|own| dag.as_int(*own)).filter(|mask| **mask >= Int::ZERO)?.clone();
    let mut unsigned = operands.to_vec();
    for own in &mut unsigned {
        if let Node::Slice { of, low, width, signed: true } = *dag.node(*own)
            && &mask >> width as usize == Int::ZERO
        {
            *own = dag.slice(of, low, width, false);
        }
    }
    (unsigned[..] != operands[..])
        .then(|| unsigned[1..].iter().fold(unsigned[0], |all, own| dag.and(all, *own)))
}

/// A number of which nothing but signs is left, shifted down no further than for that.
fn only_signs(dag: &mut Dag, value: NodeId) -> Option<NodeId> {
    let (of, by) = match *dag.node(value) {
        Node::Slice { of, low, .. } => (of, i64::from(low)),
        Node::Shr(of, count) => (of, dag.as_i64(count)?),
        _ => return None,
    };
    let bits = dag.natural(of).and_then(|(width, signed)| width.checked_sub(u32::from(signed)))?;
    if by <= i64::from(bits) {
        return None;
    }
    let count = dag.int(bits);
    match *dag.node(value) {
        Node::Slice { width, signed, .. } => Some(dag.slice(of, bits, width, signed)),
        _ => Some(dag.shr(of, count)),
    }
}
