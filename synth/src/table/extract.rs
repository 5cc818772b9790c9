//! From an instruction's function to the one expression that its lanes share.

use std::collections::BTreeMap;
use std::sync::Arc;

use hydride_ir::exact::{Dag, Lowering, Node, NodeId, Part, Replacements, Segment, raise};
use hydride_ir::passes::open_nans;
use hydride_ir::{Arg, ArgId, Function, Num, Op, ResultId, ResultSlot, Role, Stmt};
use search::{Class, Instruction, specialize};

use super::CONTAINERS;

/// Slots of a template, at most; bits of a register that become a number are as many.
const MAX_SLOTS: usize = 16;

/// The same of a result that is no vector.
const MAX_SCALAR_SLOTS: usize = 32;

/// An instruction seen as lanes of one width.
pub struct Lanewise {
    /// The expression of a lane over its slots.
    pub function: Function,
    /// Its text.
    pub text: Arc<str>,
    /// Width of a lane in bits.
    pub container: u32,
    /// Whether it is its only slot.
    pub moves: bool,
    /// For each lane and slot the operand and lowest bit; nothing for lanes that are kept.
    pub reads: Vec<Vec<(u32, u32)>>,
    /// The operand that the lower half of the result is.
    pub keeps: Option<u32>,
}

/// Bits of an operand that an expression reads together: operand, lowest bit, width.
pub(crate) type Slot = (u32, u32, u32);

/// All ways to see an instruction with these immediates as lanes; which NaN a NaN is that a floating-point operator gives is
/// left open. Approximations have none.
pub fn extract(instruction: &Instruction, choices: &[i64]) -> Vec<Lanewise> {
    if approximates(instruction) {
        return Vec::new();
    }
    let Some(function) = specialize(instruction, choices) else { return Vec::new() };
    let Ok((mut dag, raised)) = raise(&open_nans(&function)) else { return Vec::new() };
    let Some(segments) = raised.results.first() else { return Vec::new() };
    let width = instruction.result.width;
    let containers: &[u32] = match instruction.result.class {
        Class::Mask => &[1],
        Class::Vector => CONTAINERS,
        Class::Scalar => &[8, 16, 32, 64],
        Class::Memory => &[],
    };
    containers
        .iter()
        .filter(|container| width.is_multiple_of(**container))
        .filter(|container| instruction.result.class != Class::Scalar || **container == width)
        .filter_map(|container| {
            let keeps = kept(&mut dag, segments, width, *container);
            let first = if keeps.is_some() { width / 2 } else { 0 };
            let lanes = match instruction.result.class {
                Class::Scalar => whole(&mut dag, segments, *container)?,
                _ => lanes(&mut dag, segments, (first, width), *container)?,
            };
            // What moves both halves is a movement as a whole.
            match keeps.is_some() && lanes.moves {
                true => self::lanes(&mut dag, segments, (0, width), *container),
                false => Some(Lanewise { keeps, ..lanes }),
            }
        })
        .collect()
}

/// Whether an instruction computes approximations.
pub(crate) fn approximates(instruction: &Instruction) -> bool {
    let approximates = |op: &Op| matches!(op, Op::Float { float, .. } if float.op.approximates());
    instruction.function.exprs().iter().any(|expr| approximates(&expr.op))
}

/// The operand of half the result's width that the lower half of the result is, as instructions have that narrow to the
/// upper half of a register.
fn kept(dag: &mut Dag, segments: &[Segment], width: u32, container: u32) -> Option<u32> {
    if width < 2 * container {
        return None;
    }
    let low = lane(dag, segments, 0, width / 2)?;
    let Node::Slice { of, low: 0, width: own, .. } = *dag.node(low) else { return None };
    let Node::Arg(arg) = *dag.node(of) else { return None };
    (own == width / 2 && dag.arg_widths()[arg as usize] == own).then_some(arg)
}

/// A result in a general register, as one lane.
fn whole(dag: &mut Dag, segments: &[Segment], width: u32) -> Option<Lanewise> {
    let root = lane(dag, segments, 0, width)?;
    let raw = reads(dag, root)?;
    let slots: Vec<Slot> = match raw.len() {
        1..=MAX_SCALAR_SLOTS => {
            (0..raw.len()).map(|at| element(raw[at], neighbor(&raw, at), width)).collect()
        }
        _ => return None,
    };
    let overlap = |two: &[Slot]| two[0].0 == two[1].0 && two[0].1 + two[0].2 > two[1].1;
    if slots.windows(2).any(overlap) {
        return None;
    }
    let leaves = leaves(dag, root);
    let (function, moves) = template(dag, root, &slots, &leaves, width)?;
    let reads = vec![slots.iter().map(|slot| (slot.0, slot.1)).collect()];
    Some(Lanewise {
        text: function.to_string().into(),
        function,
        container: width,
        moves,
        reads,
        keeps: None,
    })
}

/// A read as far from one as its neighbors are, in the same operand.
fn neighbor(raw: &[Slot], at: usize) -> Option<Slot> {
    let (arg, low, width) = raw[at];
    let near = |one: Option<&Slot>, two: Option<&Slot>| {
        let (one, two) = (one?, two?);
        (one.0 == arg && two.0 == arg).then(|| (arg, low + (two.1 - one.1), width))
    };
    let before = at.checked_sub(1).and_then(|before| raw.get(before));
    near(raw.get(at), raw.get(at + 1)).or_else(|| near(before, raw.get(at)))
}

/// Bits `start .. end` of the result as lanes of `container` bits, if they share an expression.
fn lanes(dag: &mut Dag, segments: &[Segment], (start, end): (u32, u32), container: u32) -> Option<Lanewise> {
    let first = lane(dag, segments, start, container)?;
    // Values side by side are lanes of their own; a value and zeros are a shift.
    let is_joined = |parts: &[Part]| {
        !is_moved_by_bits(dag, parts)
            && !parts.iter().any(|part| matches!(dag.node(part.node), Node::Const(_)))
    };
    match dag.node(first) {
        Node::Const(_) => return None,
        Node::Concat(parts) if is_joined(parts) => return None,
        _ => {}
    }
    let raw = slots(dag, first)?;
    // Bits that are no whole element, such as those that a shift leaves, are read as one.
    let second = if end - start > container {
        lane(dag, segments, start + container, container).and_then(|second| self::slots(dag, second))
    } else {
        None
    };
    let wholes: Vec<Slot> = (0..raw.len())
        .map(|at| {
            let next = second.as_ref().filter(|second| second.len() == raw.len()).map(|second| second[at]);
            element(raw[at], next, container)
        })
        .collect();
    // Several parts of one element are read together.
    let mut slots = wholes.clone();
    slots.dedup();
    if (1..slots.len())
        .any(|at| slots[at - 1].0 == slots[at].0 && slots[at - 1].1 + slots[at - 1].2 > slots[at].1)
    {
        return None;
    }
    let leaves = leaves(dag, first);
    let mut reads = vec![Vec::new(); (start / container) as usize];
    reads.push(slots.iter().map(|slot| (slot.0, slot.1)).collect::<Vec<_>>());
    let mut ended = false;
    for number in start / container + 1..end / container {
        let own = lane(dag, segments, number * container, container)?;
        if let Node::Const(_) = dag.node(own) {
            ended = true;
            continue;
        }
        let mut theirs = self::slots(dag, own)?;
        if ended || theirs.len() != raw.len() {
            return None;
        }
        for (own, (raw, whole)) in theirs.iter_mut().zip(raw.iter().zip(&wholes)) {
            if own.2 != raw.2 {
                return None;
            }
            *own = (own.0, own.1.checked_sub(raw.1 - whole.1)?, whole.2);
        }
        theirs.dedup();
        if theirs.len() != slots.len() {
            return None;
        }
        let mut replacements = Replacements::default();
        for leaf in &leaves {
            let ((arg, low, width), signed) = bits_read(dag, *leaf)?;
            let at = slots.iter().position(|slot| holds(slot, (arg, low, width)))?;
            let ((_, from, own_width), (to_arg, to, to_width)) = (slots[at], theirs[at]);
            if own_width != to_width {
                return None;
            }
            let moved = dag.arg_slice(to_arg, to + (low - from), width, signed);
            replacements.insert(*leaf, moved);
        }
        if dag.replace(first, &mut replacements) != own {
            return None;
        }
        reads.push(theirs.iter().map(|slot| (slot.0, slot.1)).collect());
    }
    let (function, moves) = template(dag, first, &slots, &leaves, container)?;
    Some(Lanewise { text: function.to_string().into(), function, container, moves, reads, keeps: None })
}

/// Whether the parts are an element rotated by bits, its upper ones below its lower ones, or bits of one element beside those of
/// another operand's. Whole bytes are moved.
fn is_moved_by_bits(dag: &Dag, parts: &[Part]) -> bool {
    let [below, above] = parts else { return false };
    match (bits_read(dag, below.node), bits_read(dag, above.node)) {
        (Some(((arg, low, width), _)), Some(((other, least, count), _))) => {
            let all = width + count;
            let of_one = |low: u32, width: u32| low / all == (low + width - 1) / all;
            let rotated = low == least + count && least.is_multiple_of(all);
            let inserted = of_one(low, width) && of_one(least, count);
            !count.is_multiple_of(8) && if arg == other { rotated } else { inserted }
        }
        _ => false,
    }
}

/// The element that bits of an operand belong to: they themselves where they are one, else as far as lanes are apart.
pub(crate) fn element(slot: Slot, next: Option<Slot>, container: u32) -> Slot {
    let (arg, low, width) = slot;
    // Bits of a mask are side by side; other single bits are signs.
    let is_mask = width == 1 && (container == 1 || next == Some((arg, low + 1, 1)));
    if width.is_power_of_two() && low.is_multiple_of(width) && width >= 8 || is_mask {
        return slot;
    }
    let apart = match next {
        Some((other, place, _)) if other == arg && place > low => place - low,
        _ => container,
    };
    let start = low - low % apart;
    if apart.is_power_of_two() && low + width <= start + apart { (arg, start, apart) } else { slot }
}

fn holds(slot: &Slot, leaf: Slot) -> bool {
    slot.0 == leaf.0 && slot.1 <= leaf.1 && leaf.1 + leaf.2 <= slot.1 + slot.2
}

/// Bits `low .. low + width` of what is written.
pub(crate) fn lane(dag: &mut Dag, segments: &[Segment], low: u32, width: u32) -> Option<NodeId> {
    let from = segments.partition_point(|segment| segment.low + segment.width <= low);
    let mut parts: Vec<Part> = Vec::new();
    for segment in &segments[from..] {
        if segment.low >= low + width {
            break;
        }
        let (start, end) = (segment.low.max(low), (segment.low + segment.width).min(low + width));
        let node = dag.slice(segment.value, start - segment.low, end - start, false);
        let written = match dag.node(node) {
            Node::Concat(parts) if parts.iter().map(|part| part.width).sum::<u32>() == end - start => {
                parts.to_vec()
            }
            _ => vec![Part { node, width: end - start }],
        };
        for part in written {
            match parts.last().copied().and_then(|below| beside(dag, below, part)) {
                Some(joined) => parts.last_mut().into_iter().for_each(|last| *last = joined),
                None => parts.push(part),
            }
        }
    }
    match parts[..] {
        [] => None,
        [only] if only.width == width => Some(only.node),
        _ if parts.iter().map(|part| part.width).sum::<u32>() == width => Some(dag.concat(&parts)),
        _ => None,
    }
}

/// Two neighbors of one bitwise operation as that operation of wider operands: what a document writes for narrower elements
/// than are looked at.
fn beside(dag: &mut Dag, low: Part, high: Part) -> Option<Part> {
    let width = low.width + high.width;
    let is_not = |dag: &Dag, node: NodeId| match *dag.node(node) {
        Node::Slice { of, low: 0, signed: false, .. } => matches!(dag.node(of), Node::Not(_)).then_some(of),
        _ => None,
    };
    let both = |dag: &mut Dag, below: NodeId, above: NodeId| {
        let (low, high) = (Part { node: below, ..low }, Part { node: above, ..high });
        if let Some(joined) = beside(dag, low, high) {
            return Some(joined.node);
        }
        let joined = dag.concat(&[low, high]);
        (!matches!(dag.node(joined), Node::Concat(_))).then_some(joined)
    };
    let node = match (dag.node(low.node).clone(), dag.node(high.node).clone()) {
        (Node::And(below), Node::And(above)) => operands(dag, &below, &above, both, Dag::and),
        (Node::Or(below), Node::Or(above)) => operands(dag, &below, &above, both, Dag::or),
        (Node::Xor(below), Node::Xor(above)) => operands(dag, &below, &above, both, Dag::xor),
        _ => {
            let (below, above) = (is_not(dag, low.node)?, is_not(dag, high.node)?);
            let (Node::Not(below), Node::Not(above)) = (dag.node(below).clone(), dag.node(above).clone())
            else {
                return None;
            };
            let joined = both(dag, below, above)?;
            let not = dag.not(joined);
            Some(dag.slice(not, 0, width, false))
        }
    };
    Some(Part { node: node?, width })
}

/// The operands of two operations side by side, in the order in which all are.
fn operands(
    dag: &mut Dag,
    below: &[NodeId],
    above: &[NodeId],
    both: impl Fn(&mut Dag, NodeId, NodeId) -> Option<NodeId>,
    join: fn(&mut Dag, NodeId, NodeId) -> NodeId,
) -> Option<NodeId> {
    let ([a, b], [c, d]) = (below, above) else { return None };
    let mut pair = |first: [NodeId; 2], second: [NodeId; 2]| {
        let (first, second) = (both(dag, first[0], first[1])?, both(dag, second[0], second[1])?);
        Some(join(dag, first, second))
    };
    pair([*a, *c], [*b, *d]).or_else(|| pair([*a, *d], [*b, *c]))
}

/// The reads of operands below a node: slices, and operands of which bits at computed positions are read.
pub(crate) fn leaves(dag: &Dag, root: NodeId) -> Vec<NodeId> {
    let mut found = Vec::new();
    for node in dag.reachable([root]) {
        let read = match *dag.node(node) {
            Node::Slice { of, .. } if matches!(dag.node(of), Node::Arg(_)) => node,
            Node::SliceAt { of, .. } if matches!(dag.node(of), Node::Arg(_)) => of,
            _ => continue,
        };
        if !found.contains(&read) {
            found.push(read);
        }
    }
    found
}

/// The bits of an operand that a read is, and whether they are read as signed.
pub(crate) fn bits_read(dag: &Dag, read: NodeId) -> Option<(Slot, bool)> {
    match *dag.node(read) {
        Node::Arg(arg) => Some(((arg, 0, dag.arg_widths()[arg as usize]), false)),
        Node::Slice { of, low, width, signed } => match *dag.node(of) {
            Node::Arg(arg) => Some(((arg, low, width), signed)),
            _ => None,
        },
        _ => None,
    }
}

/// The bits that a node reads, sorted; those that overlap together.
pub(crate) fn slots(dag: &Dag, root: NodeId) -> Option<Vec<Slot>> {
    reads(dag, root).filter(|slots| (1..=MAX_SLOTS).contains(&slots.len()))
}

fn reads(dag: &Dag, root: NodeId) -> Option<Vec<Slot>> {
    let reads = leaves(dag, root);
    let mut parts: Vec<Slot> =
        reads.into_iter().map(|read| Some(bits_read(dag, read)?.0)).collect::<Option<_>>()?;
    parts.sort_unstable();
    let mut slots: Vec<Slot> = Vec::new();
    for (arg, low, width) in parts {
        match slots.last_mut() {
            Some(last) if last.0 == arg && low < last.1 + last.2 => last.2 = last.2.max(low + width - last.1),
            _ => slots.push((arg, low, width)),
        }
    }
    Some(slots)
}

/// The expression as a function of its slots, and whether it is its only slot.
pub(crate) fn template(
    dag: &mut Dag,
    root: NodeId,
    slots: &[Slot],
    leaves: &[NodeId],
    container: u32,
) -> Option<(Function, bool)> {
    let first = dag.arg_widths().len() as u32;
    // A graph grows with every way to see it; slots of earlier ones are used again.
    let args: Vec<u32> = slots.iter().map(|slot| dag.add_arg(slot.2)).collect();
    let mut replacements = Replacements::default();
    for leaf in leaves {
        let ((arg, low, width), signed) = bits_read(dag, *leaf)?;
        let moved = match slots.iter().position(|slot| holds(slot, (arg, low, width))) {
            Some(at) => dag.arg_slice(args[at], low - slots[at].1, width, signed),
            // A whole operand of several elements.
            None => {
                let own = slots.iter().zip(&args).filter(|(slot, _)| slot.0 == arg);
                let parts: Vec<Part> = own
                    .map(|(slot, arg)| (slot.2, *arg))
                    .map(|(width, arg)| Part { node: dag.arg_slice(arg, 0, width, false), width })
                    .collect();
                if signed || parts.iter().map(|part| part.width).sum::<u32>() != width {
                    return None;
                }
                dag.concat(&parts)
            }
        };
        replacements.insert(*leaf, moved);
    }
    let root = dag.replace(root, &mut replacements);
    let mut written = Function::new("");
    let value = Lowering::default().lower(dag, root, container, &mut written).ok()?;
    let mut function = Function::new("lane");
    let mut map = BTreeMap::new();
    for (position, expr) in (0u32..).zip(written.exprs()) {
        let op = match expr.op {
            Op::Arg(ArgId(arg)) => Op::Arg(ArgId(arg.checked_sub(first)?)),
            _ => expr.op.map_operands(|operand| map[&operand.0]),
        };
        map.insert(position, function.push(op, expr.width.clone()));
    }
    for (number, slot) in slots.iter().enumerate() {
        let arg = Arg { name: format!("s{number}"), width: slot.2.into(), role: Role::Register };
        function.args.push(arg);
    }
    function.results = vec![ResultSlot { name: "lane".into(), width: container.into() }];
    let value = map[&value.0];
    function.body = vec![Stmt::Assign { result: ResultId(0), low: Num::constant(0), value }];
    let moves = slots.len() == 1
        && slots[0].2 == container
        && matches!(dag.node(root), Node::Slice { of, low: 0, width, signed: false }
            if *width == container && matches!(dag.node(*of), Node::Arg(_)));
    Some((function, moves))
}
