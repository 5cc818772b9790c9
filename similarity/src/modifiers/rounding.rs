//! A rounding immediate that the instruction fixes.
//!
//! ```text
//! instruction   dst[i] = fadd(a[i], b[i], 0)              to the nearest
//! operation     dst[i] = fadd(a[i], b[i], mode of c)      c is an immediate
//! argument c    8
//! ```
//!
//! The immediate is that of x86's `_round_` intrinsics: bits 0 and 1 are the mode, bit 2 asks for the current one, which
//! is the nearest, and bit 3 suppresses exceptions. An instruction that rounds everything in one direction can be
//! the operation at that direction; so can one whose last roundings are in one direction, whatever it rounds before.

use std::collections::BTreeSet;

use catalog::Source;
use hydride_ir::exact::{Dag, Node, NodeId, Raised, Replacements, Segment};
use hydride_ir::{Expr, Function, Op};

use super::Reading;

/// Width of a rounding immediate in bits.
const WIDTH: u32 = 8;

/// The bit of a rounding immediate that suppresses exceptions; it is set in all documented values.
const NO_EXCEPTIONS: i64 = 8;

/// The readings in which a rounding mode is that of an immediate.
pub(super) fn recognize(dag: &mut Dag, function: &Function, reading: &Reading) -> Vec<Reading> {
    let rounds = |expr: &Expr| matches!(&expr.op, Op::Float { float, .. } if float.op.rounds());
    if !function.exprs().iter().any(rounds) {
        return Vec::new();
    }
    let results = &reading.core.results;
    let roots = || results.iter().flatten().map(|segment| segment.value);
    let all = dag.reachable(roots());
    let last = Vec::from_iter(last_roundings(dag, roots()));
    let modes: BTreeSet<i64> = all.iter().filter_map(|id| fixed_mode(dag, *id)).collect();
    let mut found: Vec<Reading> = Vec::new();
    for mode in modes {
        let of_mode = |ids: &[NodeId]| -> Vec<NodeId> {
            ids.iter().copied().filter(|id| fixed_mode(dag, *id) == Some(mode)).collect()
        };
        let (everywhere, at_the_end) = (of_mode(&all), of_mode(&last));
        let only_some = (at_the_end != everywhere && !at_the_end.is_empty()).then_some(at_the_end);
        for roundings in std::iter::once(everywhere).chain(only_some) {
            let fresh = dag.add_arg(WIDTH);
            let core = with_immediate(dag, &reading.core, &roundings, fresh);
            found.push(reading.with_argument(core, fresh, Source::Constant(mode | NO_EXCEPTIONS)));
        }
    }
    found
}

/// The mode that an operator rounds in, where an immediate could say it.
fn fixed_mode(dag: &Dag, id: NodeId) -> Option<i64> {
    let Node::Float { float, operands, .. } = dag.node(id) else { return None };
    let mode = float.op.rounds().then(|| operands.last()).flatten()?;
    dag.as_i64(*mode).filter(|mode| (0..4).contains(mode))
}

/// The operators whose rounded value reaches a result unrounded: as it is, chosen, or as a part.
fn last_roundings(dag: &Dag, roots: impl Iterator<Item = NodeId>) -> BTreeSet<NodeId> {
    let mut seen = BTreeSet::new();
    let mut last = BTreeSet::new();
    let mut stack: Vec<NodeId> = roots.collect();
    while let Some(id) = stack.pop() {
        if !seen.insert(id) {
            continue;
        }
        match dag.node(id) {
            Node::Float { float, .. } if float.op.rounds() => {
                last.insert(id);
            }
            Node::Select(_, then, otherwise) => stack.extend([then, otherwise]),
            Node::Concat(parts) => stack.extend(parts.iter().map(|part| part.node)),
            Node::Slice { of, .. } => stack.push(*of),
            _ => {}
        }
    }
    last
}

/// What is written where `roundings`, operands before their users, are in the mode of the argument `immediate`.
fn with_immediate(dag: &mut Dag, core: &Raised, roundings: &[NodeId], immediate: u32) -> Raised {
    let mode = {
        let current = dag.arg_slice(immediate, 2, 1, false);
        let (nearest, direction) = (dag.int(0), dag.arg_slice(immediate, 0, 2, false));
        dag.select(current, nearest, direction)
    };
    let mut replacements = Replacements::default();
    for id in roundings {
        let Node::Float { float, width, value, operands } = dag.node(*id).clone() else { continue };
        let (_, data) = operands.split_last().expect("an operator that rounds has a mode");
        let mut operands: Vec<NodeId> = data.iter().map(|id| dag.replace(*id, &mut replacements)).collect();
        operands.push(mode);
        let rounded = dag.float(float, width, value, &operands);
        replacements.insert(*id, rounded);
    }
    let mut replaced = |segments: &Vec<Segment>| {
        let replaced =
            |segment: &Segment| Segment { value: dag.replace(segment.value, &mut replacements), ..*segment };
        segments.iter().map(replaced).collect()
    };
    Raised { results: core.results.iter().map(&mut replaced).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::modifiers::tests::{check, readings};

    const IMMEDIATE: &str = "select(%c[2 +: 1], 0x0:3, cast.u(%c[0 +: 2], 3))";

    #[test]
    fn a_sum_that_is_rounded_to_the_nearest_has_the_immediate_for_it() {
        let sum = |args: &str, mode: &str| {
            format!(
                "func @sum(%a: 128, %b: 128{args}) -> (%dst: 128) {{
                   for i in 0..4 {{ %dst[32*i +: 32] = fadd.{{8}}(%a[32*i +: 32], %b[32*i +: 32], {mode}) }}
                 }}"
            )
        };
        let general = sum(", %c: 8 imm 8..=11", IMMEDIATE);
        for (mode, immediate) in [("0x0:3", 8), ("0x3:3", 11)] {
            let nearest = sum("", mode);
            let shape = check(&readings(recognize, &nearest), &nearest, &general);
            assert_eq!(shape.args, [Source::Own(0), Source::Own(1), Source::Constant(immediate)]);
        }
        assert!(readings(recognize, &sum("", "0x4:3")).is_empty(), "no immediate says ties away from zero");
        assert!(readings(recognize, &general).is_empty());
    }

    #[test]
    fn what_is_rounded_before_may_have_a_mode_of_its_own() {
        let scaled = |args: &str, mode: &str| {
            format!(
                "func @scaled(%a: 64{args}) -> (%dst: 64) {{
                   for i in 0..2 {{
                     %dst[32*i +: 32] = fmul.{{8}}(fround.{{8}}(%a[32*i +: 32], 0x1:3), fsqrt.{{8}}(%a[32*i +: 32], 0x0:3), {mode})
                   }}
                 }}"
            )
        };
        let (nearest, general) = (scaled("", "0x0:3"), scaled(", %c: 8 imm 8..=11", IMMEDIATE));
        let shape = check(&readings(recognize, &nearest), &nearest, &general);
        assert_eq!(shape.args, [Source::Own(0), Source::Constant(8)]);
    }
}
