//! What code costs that takes one instruction for each operation and register: what rules are measured against.

use std::collections::BTreeSet;

use synth::window::{ExpressionId, Kind, Operator, Window};

use crate::sequence::Shape;

/// The number of instructions of a window if each of its operations was one for each register of its result, or of its operands
/// where these are more. Names for the same bits (`cast` between signs) count nothing, a reduction as many halvings as there are.
pub fn plain(window: &Window, widths: &[u32]) -> u32 {
    let (mut pending, mut seen, mut total) = (vec![window.root], BTreeSet::new(), 0);
    let registers = |id: ExpressionId| {
        let ty = window.expressions.ty(id);
        // Conditions are in registers of what is compared.
        let width = if ty.kind == Kind::Condition { 8 } else { ty.width };
        Shape::of(ty.lanes.next_power_of_two(), width, widths).map_or(1, |shape| shape.count)
    };
    while let Some(id) = pending.pop() {
        if !seen.insert(id) {
            continue;
        }
        let node = window.expressions.get(id);
        pending.extend(&node.operands);
        let most =
            node.operands.iter().map(|operand| registers(*operand)).chain([registers(id)]).max().unwrap_or(1);
        let same_bits = |operand: &ExpressionId| window.expressions.ty(*operand).width == node.ty.width;
        total += match &node.operator {
            Operator::Leaf(_) | Operator::Literal(_) | Operator::Broadcast => 0,
            Operator::Lanewise(synth::window::Lanewise::Cast | synth::window::Lanewise::Reinterpret)
                if node.operands.iter().all(same_bits) =>
            {
                0
            }
            Operator::Reduce(_) => {
                let group = window.expressions.ty(node.operands[0]).lanes / node.ty.lanes;
                // Registers are joined, then halves, quarters and so on.
                let count = registers(node.operands[0]);
                count - 1 + group.div_ceil(count).next_power_of_two().trailing_zeros()
            }
            _ => most,
        };
    }
    total
}
