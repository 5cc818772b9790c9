//! Further readings of an instruction: a more general operation under a modifier (`docs/src/parameters-and-masking.md`).
//!
//! | modifier | the instruction | the operation |
//! |---|---|---|
//! | broadcast | `dst[i] = a[i] * b[lane]` | `dst[i] = a[i] * b[i]` |
//! | scalar | `dst[i] = a[i] << n`, an immediate | `dst[i] = a[i] << n[0]`, a register |
//! | one register twice | `dst[i] = {a[i], a[i]} >> n[i]` | `dst[i] = {a[i], b[i]} >> n[i]` |
//! | part | `dst = {high: a[i] + b[i], low: c}` | `dst[i] = a[i] + b[i]` |
//! | mask | `dst[i] = a[i] < b[i]`, one bit | `dst[i] = a[i] < b[i] ? -1 : 0` |
//! | words | `dst[i] = a[i] | 1 - b[i]`, one bit | `dst[i] = a[i] | !b[i]` |
//! | masking | `dst[i] = k[i / 4] ? f(a, i) : c[i]` | `dst[i] = f(a, i)` |
//!
//! A reading counts only where another instruction is the operation itself; `partition` sees to that.

use hydride_ir::exact::{Dag, Int, Node, NodeId, Part as Piece, Raised, Replacements, Segment, raise};
use hydride_ir::lane::{Canonical, Kind, Masking, elements};
use hydride_ir::{Function, Random, Role};

use crate::analyze::{Shape, form_shape, lane_form};
use catalog::{Broadcast, Part, Source};

/// The readings of `function` that have a lane form, without the plain one.
pub(crate) fn variants(function: &Function) -> Vec<Shape> {
    let Ok((mut dag, raised)) = raise(function) else { return Vec::new() };
    let plain = own(function, function.args.len() as u32);
    let mut shapes = Vec::new();
    if let Some((core, part)) = without_rest(&mut dag, &raised, function) {
        shapes.extend(shape(&mut dag, &core, function, &plain, Some(part)));
        broadcasts(&mut dag, &core, function, &plain, Some(part), &mut shapes);
    }
    for (core, masking) in unmasked(&mut dag, &raised, function) {
        if let Some(mut shape) = shape(&mut dag, &core, function, &plain, None)
            && shape.masking.is_none()
        {
            shape.masking = Some(masking);
            shapes.push(shape);
        }
    }
    if let Some(Canonical { form, masking }) = lane_form(&mut dag, &raised, function) {
        for form in form.flags_as_masks().into_iter().chain(form.flags_as_words()) {
            shapes.push(form_shape(Canonical { form, masking }, function, &plain, None));
        }
    }
    let moved = moved(&mut dag, &raised);
    for core in std::iter::once(&raised).chain(&moved) {
        if let Some((core, sources)) = twice(&mut dag, core, function) {
            shapes.extend(shape(&mut dag, &core, function, &sources, None));
            broadcasts(&mut dag, &core, function, &sources, None, &mut shapes);
        }
        broadcasts(&mut dag, core, function, &plain, None, &mut shapes);
        immediates(&mut dag, core, function, &mut shapes);
    }
    shapes
}

/// A reading in which a register concatenated with itself is two registers, as in a funnel shift: both are the
/// instruction's one argument.
fn twice(dag: &mut Dag, raised: &Raised, function: &Function) -> Option<(Raised, Vec<Source>)> {
    let [segments] = raised.results.as_slice() else { return None };
    let nodes = dag.reachable(segments.iter().map(|segment| segment.value));
    let pairs: Vec<(NodeId, u32, u32, u32)> = nodes
        .into_iter()
        .filter_map(|id| match dag.node(id) {
            Node::Concat(parts) => match **parts {
                [below, above] if below == above => match *dag.node(below.node) {
                    Node::Slice { of, low, width, signed: false } if width == below.width => {
                        match *dag.node(of) {
                            Node::Arg(arg) => Some((id, arg, low, width)),
                            _ => None,
                        }
                    }
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        })
        .collect();
    let arg = pairs.first()?.1;
    let fresh = dag.add_arg(dag.arg_widths()[arg as usize]);
    let mut replacements = Replacements::default();
    for (id, _, low, width) in pairs.into_iter().filter(|(_, own, ..)| *own == arg) {
        let below = dag.arg_slice(arg, low, width, false);
        let above = dag.arg_slice(fresh, low, width, false);
        let both = dag.concat(&[Piece { node: below, width }, Piece { node: above, width }]);
        replacements.insert(id, both);
    }
    let segments = segments
        .iter()
        .map(|segment| Segment { value: dag.replace(segment.value, &mut replacements), ..*segment })
        .collect();
    let mut sources = own(function, fresh);
    sources.push(Source::Own(arg));
    Some((Raised { results: vec![segments] }, sources))
}

/// The result as a slice of concatenated registers.
fn moved(dag: &mut Dag, raised: &Raised) -> Option<Raised> {
    let [segments] = raised.results.as_slice() else { return None };
    let moved = dag.moved_by_a_small_number(segments)?;
    Some(Raised { results: vec![vec![moved]] })
}

/// Readings in which an immediate is a scalar in a register.
fn immediates(dag: &mut Dag, raised: &Raised, function: &Function, shapes: &mut Vec<Shape>) {
    for (arg, operand) in function.args.iter().enumerate() {
        let (Role::Immediate { .. }, Some(width)) = (operand.role, operand.width.as_constant()) else {
            continue;
        };
        let width = width as u32;
        let fresh = dag.add_arg(width);
        let scalar = dag.arg(fresh);
        let results = raised.results.iter().map(|segments| dag.with_argument(segments, arg as u32, scalar));
        let results = Raised { results: results.collect() };
        let mut sources = own(function, fresh);
        sources.push(Source::Broadcast(Broadcast {
            arg: arg as u32,
            low: 0,
            lane: None,
            width,
            stride: width,
        }));
        shapes.extend(shape(dag, &results, function, &sources, None));
    }
}

/// The function's arguments, padded to `count`.
fn own(function: &Function, count: u32) -> Vec<Source> {
    let mut sources: Vec<Source> = (0..function.args.len() as u32).map(Source::Own).collect();
    sources.resize(count as usize, Source::Constant(0));
    sources
}

fn shape(
    dag: &mut Dag,
    raised: &Raised,
    function: &Function,
    sources: &[Source],
    part: Option<Part>,
) -> Option<Shape> {
    let canonical = lane_form(dag, raised, function)?;
    let shape = form_shape(canonical, function, sources, part);
    (!moves_only(&shape)).then_some(shape)
}

/// Whether an operation computes nothing: every copy would be one of it under some modifier.
pub(crate) fn moves_only(shape: &Shape) -> bool {
    let Some(form) = &shape.form else { return false };
    form.results
        .iter()
        .flat_map(|result| &result.statements)
        .flat_map(|statement| &statement.template.terms)
        .all(|term| {
            matches!(
                term.kind,
                Kind::Leaf(_)
                    | Kind::Arg(_)
                    | Kind::Slice
                    | Kind::Concat
                    | Kind::Const
                    | Kind::AllOnes
                    | Kind::Literal(_)
            )
        })
}

/// Takes off the elements at one end of the result that an argument passes through.
fn without_rest(dag: &mut Dag, raised: &Raised, function: &Function) -> Option<(Raised, Part)> {
    let [segments] = raised.results.as_slice() else { return None };
    let cut = elements(dag, segments)?;
    let whole = function.results[0].width.as_constant()?;
    let count = cut.values.len();
    if count < 2 || whole != i64::from(cut.width) * count as i64 {
        return None;
    }
    let passed = |dag: &mut Dag, arg: u32, place: usize| {
        let low = place as u32 * cut.width;
        dag.arg_widths()[arg as usize] >= low + cut.width
            && dag.arg_slice(arg, low, cut.width, false) == cut.values[place]
    };
    for arg in 0..function.args.len() as u32 {
        if function.args[arg as usize].role != Role::Register {
            continue;
        }
        let below = (0..count).take_while(|place| passed(dag, arg, *place)).count();
        let above = (0..count).rev().take_while(|place| passed(dag, arg, *place)).count();
        let kept = match (below, above) {
            (0, 0) => continue,
            (below, _) if below == count => continue,
            (0, above) => 0..count - above,
            (below, 0) => below..count,
            _ => continue,
        };
        let low = kept.start as u32 * cut.width;
        let width = kept.len() as u32 * cut.width;
        let segments = kept
            .enumerate()
            .map(|(place, element)| Segment {
                low: place as u32 * cut.width,
                width: cut.width,
                value: cut.values[element],
            })
            .collect();
        return Some((Raised { results: vec![segments] }, Part { low, width, pass: arg }));
    }
    None
}

/// Takes off masks whose lanes are not the elements: what is written when every mask bit is set, where that
/// and what is written when none is make up the whole.
fn unmasked(dag: &mut Dag, raised: &Raised, function: &Function) -> Vec<(Raised, Masking)> {
    let [segments] = raised.results.as_slice() else { return Vec::new() };
    let Some(whole) = function.results[0].width.as_constant().map(|width| width as u32) else {
        return Vec::new();
    };
    let nodes = dag.reachable(segments.iter().map(|segment| segment.value));
    let mut found = Vec::new();
    for mask in 0..function.args.len() as u32 {
        let Some(bits) = dag.bits_read(nodes.iter().copied(), mask) else { continue };
        if function.args[mask as usize].role != Role::Register
            || !(2..=MAX_MASK).contains(&bits)
            || !whole.is_multiple_of(bits)
        {
            continue;
        }
        let lane = whole / bits;
        let at = |dag: &mut Dag, value: Int| {
            let value = dag.int(value);
            dag.with_argument(segments, mask, value)
        };
        let ones = (Int::ONE << dag.arg_widths()[mask as usize] as usize) - Int::ONE;
        let (set, clear) = (at(dag, ones), at(dag, Int::ZERO));
        for (core, kept, negated) in [(&set, &clear, false), (&clear, &set, true)] {
            let Some(pass) = passed_through(dag, kept, function) else { continue };
            let masking = Masking { mask, stride: 1, lane, pass, negated };
            if core != kept && is_masked(dag, segments, core, &masking) {
                found.push((Raised { results: vec![core.clone()] }, masking));
                break;
            }
        }
    }
    found
}

/// `Some(None)` for zero, `Some(Some(arg))` for an argument as it is.
fn passed_through(dag: &mut Dag, segments: &[Segment], function: &Function) -> Option<Option<u32>> {
    let zero = dag.int(0);
    if segments.iter().all(|segment| segment.value == zero) {
        return Some(None);
    }
    let passes = |dag: &mut Dag, arg: u32| {
        segments.iter().all(|segment| {
            dag.arg_widths()[arg as usize] >= segment.low + segment.width
                && dag.arg_slice(arg, segment.low, segment.width, false) == segment.value
        })
    };
    (0..function.args.len() as u32).find(|arg| passes(dag, *arg)).map(Some)
}

/// Whether `segments` are `core` under the mask, for all that a few arguments tell.
fn is_masked(dag: &mut Dag, segments: &[Segment], core: &[Segment], masking: &Masking) -> bool {
    (0..SAMPLES).all(|sample| {
        let mut replacements = Replacements::default();
        for arg in 0..dag.arg_widths().len() as u32 {
            let mut value = sample_bits(dag.arg_widths()[arg as usize], (sample << 32) + u64::from(arg) + 1);
            // Counts and lengths are distinguishing only while they are small.
            if sample % 2 == 1 {
                value -= &value & Int::from(0xf8);
            }
            let (arg, value) = (dag.arg(arg), dag.int(value));
            replacements.insert(arg, value);
        }
        let mask = dag.arg(masking.mask);
        // Numbers that only look like masks are recognised by small values.
        if sample % 2 == 1 {
            replacements.insert(mask, dag.int(sample));
        }
        let mask = replacements[&mask];
        let kept = masking.pass.map(|arg| dag.arg(arg)).map(|arg| replacements[&arg]);
        segments.iter().zip(core).all(|(segment, core)| {
            let value = dag.replace(segment.value, &mut replacements);
            let written = dag.replace(core.value, &mut replacements);
            let mut low = 0;
            while low < segment.width {
                let place = (segment.low + low) / masking.lane;
                let width = ((place + 1) * masking.lane - segment.low - low).min(segment.width - low);
                let bit = dag.slice(mask, place, 1, false);
                let is_written = (dag.as_i64(bit) == Some(1)) != masking.negated;
                let expected = match (is_written, kept) {
                    (true, _) => dag.slice(written, low, width, false),
                    (false, Some(kept)) => dag.slice(kept, segment.low + low, width, false),
                    (false, None) => dag.int(0),
                };
                if dag.slice(value, low, width, false) != expected {
                    return false;
                }
                low += width;
            }
            true
        })
    })
}

/// Bits of the widest mask that is looked for.
const MAX_MASK: u32 = 128;
/// Arguments on which a mask is tried before it is proved.
const SAMPLES: u64 = 8;

/// Bits that look random and are the same in every run.
fn sample_bits(width: u32, seed: u64) -> Int {
    let mut random = Random::new(seed);
    let words = (0..width.div_ceil(64)).map(|_| random.word());
    let value = words.fold(Int::ZERO, |value, word| (value << 64) + Int::from(word));
    value >> (width.div_ceil(64) * 64 - width) as usize
}

/// Readings in which a value shared by all elements is a separate argument; `known` says where the others come from.
fn broadcasts(
    dag: &mut Dag,
    raised: &Raised,
    function: &Function,
    known: &[Source],
    part: Option<Part>,
    shapes: &mut Vec<Shape>,
) {
    let [segments] = raised.results.as_slice() else { return };
    let Some(cut) = elements(dag, segments) else { return };
    if cut.values.len() < 2 && cut.width < 8 {
        return;
    }
    let first = dag.reachable(cut.values.first().copied());
    let last = dag.reachable(cut.values.last().copied());
    // Nodes by the value that they read; a value that only some elements read is not shared.
    let mut shared: Vec<(Broadcast, Vec<NodeId>)> = Vec::new();
    for node in first {
        let Some(broadcast) = described(dag, node, function, cut.width) else { continue };
        let known = shared.iter().position(|(known, _)| *known == broadcast);
        match known {
            Some(known) => shared[known].1.push(node),
            None => shared.push((broadcast, vec![node])),
        }
    }
    shared.retain(|(_, nodes)| nodes.iter().any(|node| last.contains(node)));
    for (broadcast, nodes) in shared {
        let width = broadcast.stride * cut.values.len() as u32;
        if width > hydride_ir::MAX_WIDTH {
            continue;
        }
        let fresh = dag.add_arg(width);
        let mut values = Vec::with_capacity(cut.values.len());
        for (place, value) in cut.values.iter().enumerate() {
            let low = place as u32 * broadcast.stride;
            let mut replacements = Replacements::default();
            for node in &nodes {
                let slice = dag.arg_slice(fresh, low, broadcast.width, is_signed(dag, *node));
                replacements.insert(*node, slice);
            }
            values.push(Segment {
                low: place as u32 * cut.width,
                width: cut.width,
                value: dag.replace(*value, &mut replacements),
            });
        }
        let mut sources = known.to_vec();
        sources.resize(fresh as usize, Source::Constant(0));
        sources.push(Source::Broadcast(broadcast));
        shapes.extend(shape(dag, &Raised { results: vec![values] }, function, &sources, part));
    }
}

fn is_signed(dag: &Dag, node: NodeId) -> bool {
    matches!(dag.node(node), Node::Slice { signed: true, .. } | Node::SliceAt { signed: true, .. })
}

/// A node as a slice of an argument that is fixed or chosen by an immediate.
fn described(dag: &mut Dag, node: NodeId, function: &Function, element: u32) -> Option<Broadcast> {
    let arg_of = |dag: &Dag, id: NodeId| match *dag.node(id) {
        Node::Arg(arg) => Some(arg),
        Node::Slice { of, low: 0, signed: false, .. } => match *dag.node(of) {
            Node::Arg(arg) => Some(arg),
            _ => None,
        },
        _ => None,
    };
    let own = |arg: u32| function.args.get(arg as usize);
    let broadcast = match *dag.node(node) {
        Node::Slice { of, low, width, .. } => {
            let Node::Arg(arg) = *dag.node(of) else { return None };
            // Elements of registers move; what is shared is a scalar, an immediate or the first element.
            let stride = if width < element { element } else { width };
            Broadcast { arg, low, lane: None, width, stride }
        }
        Node::SliceAt { of, base, low, width, .. } => {
            let arg = arg_of(dag, of)?;
            let (lane, factor) = match dag.node(low) {
                Node::Sum { terms, constant } if terms.len() == 1 && constant == &Int::ZERO => {
                    terms[0].clone()
                }
                _ => (low, Int::ONE),
            };
            let Node::Slice { of: index, low: 0, width: bits, signed: false } = *dag.node(lane) else {
                return None;
            };
            let Node::Arg(immediate) = *dag.node(index) else { return None };
            let is_immediate = matches!(own(immediate)?.role, Role::Immediate { .. });
            if !is_immediate || factor != Int::from(width) {
                return None;
            }
            Broadcast { arg, low: base, lane: Some((immediate, bits)), width, stride: width }
        }
        _ => return None,
    };
    if broadcast.width < 2 || own(broadcast.arg).is_none() {
        return None;
    }
    let value = broadcast.value(dag);
    let unsigned = dag.slice(node, 0, broadcast.width, false);
    (value == unsigned).then_some(broadcast)
}
