//! The same bits in containers of another width, where lanes that compute alike are lanes of one value.
//!
//! What is composed of instructions whose elements differ in width is seen in the width of the last one's lanes. An operand
//! of it, put together from what its lanes need, has as many values as there are places in the wider element: four bytes of
//! one product are four values. Over whole leaves and in the width of the inner instruction's lanes they are one value
//! again, whose samples are the elements that each lane reads.

use hydride_ir::exact::{Dag, Int, Node, NodeId, Part, Replacements};
use search::Class;

use crate::contents::{Content, Entry, Source, Wanted};
use crate::forms::{joined, merged, merged_from_above};
use crate::moves::BLOCK;
use crate::options::{Finder, MAX_CONTAINER};
use crate::window::{Element, Meaning};

/// Containers of a state that are looked at, at most.
const MAX_LANES: usize = 64;

/// Elements that one lane reads, at most.
const MAX_ELEMENTS: usize = 64;

/// Lanes that compute alike.
struct Group {
    /// The first lane's value, over whole leaves.
    value: NodeId,
    /// For each lane the elements that it reads, in order.
    lanes: Vec<Vec<Element>>,
}

impl Finder<'_, '_> {
    /// Views of several values in other widths, and in their own where lanes of several are alike; of one value in which
    /// others stand side by side the narrower views.
    pub(crate) fn regrouped(&mut self, wanted: &Wanted) -> Vec<Wanted> {
        let lanes: usize = wanted.registers.iter().map(Vec::len).sum();
        let values = wanted.values();
        let held = |entry: &Entry| matches!(entry, Entry::Uniform(_));
        let constants = wanted.registers.iter().flatten().any(held);
        if lanes > MAX_LANES || values.is_empty() && !constants {
            return Vec::new();
        }
        let Some(bits) = self.over_leaves(wanted) else { return Vec::new() };
        let lane = |entry: &Entry| matches!(entry, Entry::Value(..));
        let one = values.len() == 1 && wanted.registers.iter().flatten().all(lane);
        // Neighbors that hold the same, as parts of a mask do.
        let repeated = |content: &Content| content.chunks(2).all(|two| two.iter().all(|own| own == &two[0]));
        let repeats = wanted.registers.iter().all(repeated);
        let mut found = Vec::new();
        for container in [8, 16, 32, MAX_CONTAINER] {
            let wider = container > wanted.container;
            // A number in a general register is one lane.
            let number = wanted.ty.class == Class::Scalar && container == wanted.ty.width;
            if !wanted.ty.width.is_multiple_of(container)
                || one && container >= wanted.container && !(wider && repeats)
            {
                continue;
            }
            let Some(lanes) = self.in_containers(&bits, wanted.container, container) else { continue };
            let dag = &self.meaning.dag;
            let side_by_side = |lane: &&Vec<Option<NodeId>>| {
                lane.iter().flatten().any(|lane| matches!(dag.node(*lane), Node::Concat(_)))
            };
            // Values side by side below zeros are a narrower number.
            let computes = |lane: &NodeId| match dag.node(*lane) {
                Node::Concat(parts) => parts.iter().map(|part| part.width).sum::<u32>() < container,
                Node::Const(_) => false,
                _ => !is_read(dag, *lane),
            };
            // Wider lanes are of use where some are computed as a whole, narrower ones where several values stand in one.
            let serves = if wider {
                let mut held = lanes.iter().flatten().flatten();
                number || held.clone().any(computes) || held.all(|lane| is_read(dag, *lane))
            } else {
                let parts = |lane: &Option<NodeId>| lane.is_some_and(|lane| is_read(dag, lane));
                let read = container < wanted.container && bits.iter().flatten().any(parts);
                container == wanted.container || read || bits.iter().any(|lane| side_by_side(&lane))
            };
            if !serves {
                continue;
            }
            let Some(registers) = self.grouped(lanes, container) else { continue };
            let view = Wanted { ty: wanted.ty, container, registers };
            let fewer = container != wanted.container || view.values().len() < values.len();
            if fewer && view != *wanted && !found.contains(&view) {
                found.push(view);
            }
        }
        found
    }

    /// What each container holds, over whole leaves; `None` where something is read that is no leaf.
    fn over_leaves(&mut self, wanted: &Wanted) -> Option<Vec<Vec<Option<NodeId>>>> {
        let mut registers = Vec::new();
        for content in &wanted.registers {
            let mut lanes = Vec::new();
            for entry in content {
                lanes.push(match *entry {
                    Entry::Any => None,
                    Entry::Uniform(value) => Some(self.meaning.at(value, 0)),
                    Entry::Element(element) => Some(self.meaning.element_bits(element)),
                    Entry::Value(value, lane) => Some(self.meaning.at(value, lane)),
                });
            }
            registers.push(lanes);
        }
        Some(registers)
    }

    /// The same bits in containers of another width; `None` where some of a wider one's are open and do not follow from the
    /// others.
    fn in_containers(
        &mut self,
        registers: &[Vec<Option<NodeId>>],
        from: u32,
        to: u32,
    ) -> Option<Vec<Vec<Option<NodeId>>>> {
        let mut found = Vec::new();
        for lanes in registers {
            let mut own = Vec::new();
            if to <= from {
                for (lane, at) in lanes.iter().flat_map(|lane| (0..from / to).map(move |at| (lane, at))) {
                    own.push(lane.map(|lane| self.meaning.dag.slice(lane, at * to, to, false)));
                }
            } else {
                for several in lanes.chunks((to / from) as usize) {
                    let held: Option<Vec<NodeId>> = several.iter().copied().collect();
                    own.push(match held {
                        _ if several.iter().all(Option::is_none) => None,
                        Some(held) => Some(self.side_by_side(&held, from)),
                        None => Some(self.completed(several, from)?),
                    });
                }
            }
            found.push(own);
        }
        Some(found)
    }

    /// What values of `width` bits are parts of, some of which do not matter. Low bits may be computed from low bits, so that
    /// any of them may be the one that shows the whole.
    fn completed(&mut self, values: &[Option<NodeId>], width: u32) -> Option<NodeId> {
        let all = width * values.len() as u32;
        for (at, value) in (0..).zip(values) {
            let whole = value.and_then(|value| extended(&mut self.meaning.dag, value, at * width, all));
            if let Some(whole) = whole.filter(|whole| self.has_parts(*whole, values, width)) {
                return Some(whole);
            }
        }
        None
    }

    /// Whether a value has these parts of `width` bits, where they matter.
    fn has_parts(&mut self, whole: NodeId, values: &[Option<NodeId>], width: u32) -> bool {
        (0..).zip(values).all(|(at, value)| {
            let own = self.meaning.dag.slice(whole, at * width, width, false);
            value.is_none_or(|value| own == value || self.meaning.agree(own, value))
        })
    }

    /// Values of `width` bits as one; low bits may be computed from low bits of what the others are bits of.
    fn side_by_side(&mut self, values: &[NodeId], width: u32) -> NodeId {
        let dag = &mut self.meaning.dag;
        let parts: Vec<Part> = values.iter().map(|node| Part { node: *node, width }).collect();
        let whole = joined(dag, &parts);
        if !matches!(dag.node(whole), Node::Concat(_)) {
            return whole;
        }
        if let Some(extended) = self.sign_extended(&parts) {
            return extended;
        }
        let merged = merged_from_above(&parts, |low, high| self.of_one(low, high));
        joined(&mut self.meaning.dag, &merged)
    }

    /// Parts whose upper ones, at least a half, are the sign of what is below.
    fn sign_extended(&mut self, parts: &[Part]) -> Option<NodeId> {
        let (width, all) = (parts[0].width, parts.iter().map(|part| part.width).sum::<u32>());
        let mut count = parts.len() / 2;
        while count > 0 {
            let values: Vec<NodeId> = parts[..count].iter().map(|part| part.node).collect();
            let below = if count == 1 { values[0] } else { self.meaning.dag.concat(&parts[..count]) };
            let dag = &mut self.meaning.dag;
            let sign = dag.slice(below, width * count as u32 - 1, 1, true);
            let signs = dag.slice(sign, 0, width, false);
            if parts[count..].iter().all(|part| part.node == signs) {
                let below = self.side_by_side(&values, width);
                let number = self.meaning.dag.slice(below, 0, width * count as u32, true);
                return Some(self.meaning.dag.slice(number, 0, all, false));
            }
            count /= 2;
        }
        None
    }

    /// Two neighbors as the bits of what the upper one is bits of.
    fn of_one(&mut self, low: Part, high: Part) -> Option<Part> {
        if let Some(joined) = merged(&mut self.meaning.dag, low, high) {
            return Some(joined);
        }
        let (dag, width) = (&mut self.meaning.dag, low.width + high.width);
        match (dag.node(low.node).clone(), dag.node(high.node).clone()) {
            (Node::Select(condition, then, otherwise), Node::Select(other, this, that))
                if condition == other =>
            {
                let part = |node, of: Part| Part { node, width: of.width };
                let join = |finder: &mut Self, one, two| {
                    let dag = &mut finder.meaning.dag;
                    let (one, two) = (part(one, low), part(two, high));
                    let whole = dag.concat(&[one, two]);
                    let joined = matches!(dag.node(whole), Node::Concat(_)).then(|| finder.of_one(one, two));
                    joined.flatten().map_or(whole, |joined| joined.node)
                };
                let (then, otherwise) = (join(self, then, this), join(self, otherwise, that));
                Some(Part { node: self.meaning.dag.select(condition, then, otherwise), width })
            }
            (
                Node::SliceAt { of, base, low: at, .. },
                Node::SliceAt { of: other, base: above, low: next, .. },
            ) if (of, at, base + low.width) == (other, next, above) => {
                let position = dag.linear(&[(at, Int::ONE)], Int::from(base));
                Some(Part { node: dag.slice_at(of, position, width, false), width })
            }
            (_, Node::Slice { of, low: from, .. }) => {
                let from = from.checked_sub(low.width)?;
                if matches!(dag.node(of), Node::Arg(_)) {
                    return None;
                }
                let below = dag.slice(of, from, low.width, false);
                if below != low.node && !self.meaning.agree(below, low.node) {
                    return None;
                }
                Some(Part { node: self.meaning.dag.slice(of, from, width, false), width })
            }
            _ => None,
        }
    }

    /// Where an entry is from: its source and its lane, in containers of this width; parts of one value are lanes of it.
    pub(crate) fn home(&self, entry: Entry, container: u32) -> Option<(Source, u32)> {
        let whole = || Some((entry.source()?, entry.lane()));
        let Entry::Value(value, lane) = entry else { return whole() };
        if !self.composing {
            return whole();
        }
        let dag = &self.meaning.dag;
        let Node::Slice { of, low, width, signed: false } = *dag.node(value) else { return whole() };
        if width != container || low % container != 0 {
            return whole();
        }
        let (source, lane, all) = match *dag.node(of) {
            Node::Arg(arg) => {
                let Some(element) = self.meaning.sample(arg).and_then(|own| own.get(lane as usize)) else {
                    return whole();
                };
                (Source::Leaf(element.leaf), element.index, dag.arg_widths()[arg as usize])
            }
            _ => match dag.natural(of) {
                Some((width, _)) => (Source::Value(of), lane, width.next_power_of_two()),
                None => return whole(),
            },
        };
        if all > MAX_CONTAINER || all <= container {
            whole()
        } else {
            Some((source, lane * (all / container) + low / container))
        }
    }

    /// What a movement's operand holds; where these are elements of a leaf in registers, in order from a block between two
    /// registers on, with their neighbors: blocks are moved as wholes.
    pub(crate) fn in_whole_blocks(&mut self, content: Content, container: u32) -> Content {
        self.run_of(&content, container).unwrap_or(content)
    }

    fn run_of(&mut self, content: &Content, container: u32) -> Option<Content> {
        if !self.meaning.window().in_registers || !content.contains(&Entry::Any) {
            return None;
        }
        let mut first = None;
        for (position, entry) in content.iter().enumerate().filter(|(_, entry)| **entry != Entry::Any) {
            let Some((Source::Leaf(leaf), lane)) = self.home(*entry, container) else { return None };
            let start = (leaf, i64::from(lane) - position as i64);
            if *first.get_or_insert(start) != start {
                return None;
            }
        }
        let (leaf, start) = first?;
        let (start, count) = (u32::try_from(start).ok()?, content.len() as u32);
        let ty = self.meaning.window().leaves[leaf as usize].ty;
        let is_between = (start * container).is_multiple_of(BLOCK) && !start.is_multiple_of(count);
        if !is_between || !ty.width.is_multiple_of(container) || (start + count) * container > ty.bits() {
            return None;
        }
        let mut lane = |at: u32| {
            let element = Element { leaf, index: at * container / ty.width };
            let bits = self.meaning.element_bits(element);
            self.meaning.dag.slice(bits, at * container % ty.width, container, false)
        };
        let lanes = (start..start + count).map(|at| Some(lane(at))).collect();
        self.grouped(vec![lanes], container)?.pop()
    }

    /// Lanes over whole leaves as lanes of values over samples.
    fn grouped(&mut self, registers: Vec<Vec<Option<NodeId>>>, container: u32) -> Option<Vec<Content>> {
        let mut groups: Vec<Group> = Vec::new();
        let mut places: Vec<Vec<Option<(usize, u32)>>> = Vec::new();
        for lanes in &registers {
            let mut own = Vec::new();
            for lane in lanes {
                own.push(match lane {
                    None => None,
                    Some(lane) => Some(self.group_of(&mut groups, *lane)?),
                });
            }
            places.push(own);
        }
        let values: Vec<NodeId> =
            groups.iter().map(|group| self.over_samples(group)).collect::<Option<_>>()?;
        let mut found = Vec::new();
        for own in places {
            let entry = |place: Option<(usize, u32)>| match place {
                None => Entry::Any,
                Some((group, lane)) => self.entry(values[group], container, lane),
            };
            found.push(own.into_iter().map(entry).collect());
        }
        Some(found)
    }

    /// The group that a lane belongs to, and its number there.
    fn group_of(&mut self, groups: &mut Vec<Group>, lane: NodeId) -> Option<(usize, u32)> {
        let elements = elements(self.meaning, lane)?;
        for (number, group) in groups.iter_mut().enumerate() {
            if !self.meaning.are_alike(&group.lanes[0], &elements) {
                continue;
            }
            if group.lanes[0] != elements {
                let (meaning, first) = (&mut *self.meaning, &group.lanes[0]);
                let to = |meaning: &mut Meaning<'_>, at: usize| meaning.element_bits(elements[at]);
                if exchanged(meaning, group.value, first, to)? != lane {
                    continue;
                }
            } else if group.value != lane {
                continue;
            }
            let at = group.lanes.iter().position(|own| *own == elements).unwrap_or_else(|| {
                group.lanes.push(elements.clone());
                group.lanes.len() - 1
            });
            return Some((number, at as u32));
        }
        groups.push(Group { value: lane, lanes: vec![elements] });
        Some((groups.len() - 1, 0))
    }

    /// The value of a group's lanes over samples.
    fn over_samples(&mut self, group: &Group) -> Option<NodeId> {
        let mut samples = Vec::new();
        for at in 0..group.lanes[0].len() {
            let elements: Vec<Element> = group.lanes.iter().map(|lane| lane[at]).collect();
            let arg = self.meaning.sample_of(&elements)?;
            let width = self.meaning.dag.arg_widths()[arg as usize];
            samples.push(self.meaning.dag.arg_slice(arg, 0, width, false));
        }
        exchanged(self.meaning, group.value, &group.lanes[0], |_, at| samples[at])
    }
}

/// What a value is bits of from bit `from` on, with `width` bits; `None` where it is not known what is beside them.
fn extended(dag: &mut Dag, value: NodeId, from: u32, width: u32) -> Option<NodeId> {
    match dag.node(value).clone() {
        Node::Slice { of, low, .. } => {
            let low = low.checked_sub(from)?;
            let all = match *dag.node(of) {
                Node::Arg(arg) => dag.arg_widths()[arg as usize],
                _ => low + width,
            };
            (low + width <= all).then(|| dag.slice(of, low, width, false))
        }
        Node::SliceAt { of, base, low, .. } if base >= from => {
            let position = dag.linear(&[(low, Int::ONE)], Int::from(base - from));
            Some(dag.slice_at(of, position, width, false))
        }
        Node::Select(condition, then, otherwise) => {
            let then = extended(dag, then, from, width)?;
            let otherwise = extended(dag, otherwise, from, width)?;
            Some(dag.select(condition, then, otherwise))
        }
        _ => None,
    }
}

/// Whether a node is bits of a leaf.
pub(crate) fn is_read(dag: &Dag, node: NodeId) -> bool {
    matches!(*dag.node(node), Node::Slice { of, .. } if matches!(dag.node(of), Node::Arg(_)))
}

/// The elements that a value over whole leaves reads, in order, besides tables; `None` where it reads what is no leaf.
fn elements(meaning: &Meaning<'_>, value: NodeId) -> Option<Vec<Element>> {
    let mut found = Vec::new();
    for node in meaning.dag.reachable([value]) {
        let Node::Slice { of, low, width, .. } = *meaning.dag.node(node) else { continue };
        let Node::Arg(leaf) = *meaning.dag.node(of) else { continue };
        let ty = meaning.window().leaves.get(leaf as usize)?.ty;
        let read = low / ty.width..(low + width).div_ceil(ty.width);
        found.extend(read.map(|index| Element { leaf, index }));
    }
    found.sort_unstable();
    found.dedup();
    (found.len() <= MAX_ELEMENTS).then_some(found)
}

/// A value over whole leaves with other bits in place of its elements.
fn exchanged(
    meaning: &mut Meaning<'_>,
    value: NodeId,
    from: &[Element],
    mut to: impl FnMut(&mut Meaning<'_>, usize) -> NodeId,
) -> Option<NodeId> {
    let mut replacements = Replacements::default();
    for node in meaning.dag.reachable([value]) {
        let Node::Slice { of, low, width, signed } = *meaning.dag.node(node) else { continue };
        let Node::Arg(leaf) = *meaning.dag.node(of) else { continue };
        let own = meaning.window().leaves.get(leaf as usize)?.ty.width;
        let mut parts = Vec::new();
        for index in low / own..(low + width).div_ceil(own) {
            let at = from.binary_search(&Element { leaf, index }).ok()?;
            parts.push(Part { node: to(meaning, at), width: own });
        }
        let whole = if let [only] = parts[..] { only.node } else { meaning.dag.concat(&parts) };
        let moved = meaning.dag.slice(whole, low % own, width, signed);
        replacements.insert(node, moved);
    }
    Some(meaning.dag.replace(value, &mut replacements))
}
