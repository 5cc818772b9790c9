//! Other views of the same bits: registers as halves of pairs, containers as two of half the width, and every other container
//! as one of twice the width.

use hydride_ir::exact::{Dag, Int, Node, NodeId, Part};
use search::{Class, Type};

use crate::clamps::one_too_many;
use crate::contents::{Content, Entry, Place, States, Wanted, gather, in_order};
use crate::forms::{is_condition, sliced};
use crate::options::{Finder, MAX_CONTAINER, Way};
use crate::table::{Template, TemplateId};
use crate::unify::Binding;

impl Wanted {
    /// Each register as a state of its own.
    pub(crate) fn apart(&self, states: &mut States, moves: u8) -> Way {
        let (ty, container) = (self.ty, self.container);
        let one = |content: &Content| Wanted { ty, container, registers: vec![content.clone()] };
        Way::Each(self.registers.iter().map(|content| states.intern(one(content), moves)).collect())
    }
}

impl Finder<'_, '_> {
    /// Pairs of registers as one register, and one as two.
    pub(crate) fn pairs(&mut self, states: &mut States, wanted: &Wanted, moves: u8, ways: &mut Vec<Way>) {
        let Some(widest) = self.widths.last().copied() else { return };
        let pair = Type { class: Class::Vector, width: 2 * widest };
        let pairs = self.table.instructions.iter().any(|own| own.result == pair);
        if wanted.ty.class != Class::Vector || !pairs {
            return;
        }
        if wanted.ty.width == widest && wanted.registers.len().is_multiple_of(2) {
            let joined = wanted.registers.chunks(2).map(|two| two.concat()).collect();
            let state = Wanted { ty: pair, container: wanted.container, registers: joined };
            ways.push(Way::Halves(states.intern(state, moves)));
        }
        if wanted.ty == pair {
            let split = |content: &Content| {
                content.chunks(content.len() / 2).map(<[Entry]>::to_vec).collect::<Vec<_>>()
            };
            let state = Wanted {
                ty: Type { width: widest, ..wanted.ty },
                container: wanted.container,
                registers: wanted.registers.iter().flat_map(split).collect(),
            };
            ways.push(Way::Pairs(states.intern(state, moves)));
        }
    }

    /// Whether a value of this width is a choice by a mask that no operation of the width makes, and one of narrower
    /// containers does, as where masks have a bit for each byte.
    fn is_chosen_in_parts(&mut self, value: NodeId, width: u32) -> bool {
        let table = self.table;
        let chooses = |template: TemplateId| table.template(template).slots.contains(&1);
        let half = width / 2;
        if half < 8 || table.templates(width).iter().any(|own| chooses(*own)) {
            return false;
        }
        let low = self.meaning.dag.slice(value, 0, half, false);
        self.is_chosen_in_parts(low, half)
            || table.templates(half).iter().any(|own| chooses(*own))
                && self.matching(low, half).iter().any(|(template, _)| chooses(*template))
    }

    /// Each container as two of half the width, low bits first; `None` where high bits are nothing that an operation
    /// gives.
    pub(crate) fn halves(&mut self, wanted: &Wanted) -> Option<Wanted> {
        let half = wanted.container / 2;
        if wanted.registers.iter().flatten().any(|entry| matches!(entry, Entry::Element(_))) {
            return None;
        }
        for value in wanted.values() {
            let high = self.meaning.dag.slice(value, half, half, false);
            let there = !matches!(self.entry(high, half, 0), Entry::Value(..));
            let table = self.table;
            let given = |template: TemplateId| {
                table.template(template).slots.iter().all(|slot| *slot <= half || *slot > MAX_CONTAINER)
            };
            // What is bitwise, or chosen by one condition, is computed as a whole.
            let bitwise = matches!(
                self.meaning.dag.node(high),
                Node::And(_) | Node::Or(_) | Node::Xor(_) | Node::Not(_) | Node::Select(..)
            );
            let chosen = !there && self.is_chosen_in_parts(value, wanted.container);
            // Narrower containers have no bits of wider products.
            let wide = self.product_width(value).is_some_and(|width| width > wanted.container);
            let computed = !bitwise
                && !wide
                && !self.is_converted(value, wanted.container)
                && self.matching(high, half).iter().any(|(template, _)| given(*template));
            if !there && !computed && !chosen && !self.is_side_by_side(value, half) {
                return None;
            }
        }
        let mut registers = Vec::new();
        for content in &wanted.registers {
            let mut halves = Vec::with_capacity(2 * content.len());
            for entry in content {
                match *entry {
                    Entry::Any => halves.extend([Entry::Any, Entry::Any]),
                    Entry::Uniform(value) | Entry::Value(value, _) => {
                        let lane = if let Entry::Value(_, lane) = *entry { lane } else { 0 };
                        halves.push(self.entry(value, half, lane));
                        let high = self.meaning.dag.slice(value, half, half, false);
                        halves.push(self.entry(high, half, lane));
                    }
                    Entry::Element(element) => {
                        let (value, lane) = self.meaning.value_of(element);
                        let low = self.meaning.dag.slice(value, 0, half, false);
                        let high = self.meaning.dag.slice(value, half, half, false);
                        halves.extend([Entry::Value(low, lane), Entry::Value(high, lane)]);
                    }
                }
            }
            registers.push(halves);
        }
        Some(Wanted { ty: wanted.ty, container: half, registers })
    }

    /// Each two containers as one of twice the width, where they hold the bits of one value; and whether these values are what no
    /// narrower operation gives, as they do halves of products.
    pub(crate) fn joined(&mut self, wanted: &Wanted) -> Option<(Wanted, bool)> {
        let half = wanted.container;
        if wanted.ty.class != Class::Vector || half >= MAX_CONTAINER || wanted.ty.width == half {
            return None;
        }
        let (mut registers, mut computes) = (Vec::new(), true);
        for content in &wanted.registers {
            let mut wide = Vec::new();
            for two in content.chunks(2) {
                wide.push(match *two {
                    [Entry::Any, Entry::Any] => Entry::Any,
                    [Entry::Uniform(low), Entry::Uniform(high)] => Entry::Uniform(
                        self.meaning.dag.concat(&[low, high].map(|node| Part { node, width: half })),
                    ),
                    [Entry::Value(low, lane), Entry::Value(high, _) | Entry::Uniform(high)]
                        if !matches!(two[1], Entry::Value(_, other) if other != lane) =>
                    {
                        let whole = self.joined_value(low, high, half)?;
                        computes &= !is_bitwise(&self.meaning.dag, whole) && !self.is_of_product(whole);
                        self.entry(whole, 2 * half, lane)
                    }
                    [Entry::Element(element), Entry::Uniform(high)]
                        if self.meaning.window().in_registers
                            && self.meaning.dag.as_i64(high) == Some(0) =>
                    {
                        // An element is extended by zeros.
                        let (value, lane) = self.meaning.value_of(element);
                        let bits = self.meaning.dag.slice(value, 0, half, false);
                        self.entry(bits, 2 * half, lane)
                    }
                    [Entry::Value(value, lane), Entry::Any] => self.part_of_whole(value, 0, half, lane)?,
                    [Entry::Any, Entry::Value(value, lane)] => self.part_of_whole(value, half, half, lane)?,
                    _ => return None,
                });
            }
            registers.push(wide);
        }
        Some((Wanted { ty: wanted.ty, container: 2 * half, registers }, computes))
    }

    /// What a container of `2·half` bits holds that has `value` from bit `from` on, where that is a part of what is computed as a
    /// whole: a floating-point number, or what a computed count shifts.
    fn part_of_whole(&mut self, value: NodeId, from: u32, half: u32, lane: u32) -> Option<Entry> {
        let dag = &mut self.meaning.dag;
        let whole = match *dag.node(value) {
            Node::Slice { of, low, .. } => {
                let width = match *dag.node(of) {
                    Node::Float { value: width, .. } => width,
                    Node::Shr(of, count) if dag.as_int(count).is_none() => dag.natural(of)?.0,
                    _ => return None,
                };
                let low = low.checked_sub(from).filter(|low| low + 2 * half <= width)?;
                dag.slice(of, low, 2 * half, false)
            }
            Node::SliceAt { of, base, low, .. } if base >= from => {
                let position = dag.linear(&[(low, Int::ONE)], Int::from(base - from));
                dag.slice_at(of, position, 2 * half, false)
            }
            _ => return None,
        };
        Some(self.entry(whole, 2 * half, lane))
    }

    /// The value that has these low bits and those above them, where it is not just the two side by side.
    fn joined_value(&mut self, low: NodeId, high: NodeId, half: u32) -> Option<NodeId> {
        let dag = &mut self.meaning.dag;
        match (dag.node(low).clone(), dag.node(high).clone()) {
            (Node::Select(condition, then, otherwise), Node::Select(other, this, that))
                if condition == other =>
            {
                let then = self.joined_value(then, this, half)?;
                let otherwise = self.joined_value(otherwise, that, half)?;
                return Some(self.meaning.dag.select(condition, then, otherwise));
            }
            (
                Node::SliceAt { of, base, low: at, .. },
                Node::SliceAt { of: other, base: above, low: next, .. },
            ) if (of, at, base + half) == (other, next, above) => {
                let position = dag.linear(&[(at, Int::ONE)], Int::from(base));
                return Some(dag.slice_at(of, position, 2 * half, false));
            }
            (first, second) => {
                let first = if let Node::Slice { of, low, .. } = first { Some((of, low)) } else { None };
                let second = match second {
                    Node::Slice { of, low, .. } => low.checked_sub(half).map(|low| (of, low)),
                    _ => None,
                };
                for (of, from) in first.into_iter().chain(second) {
                    let whole = dag.slice(of, from, 2 * half, false);
                    if dag.slice(whole, half, half, false) != high {
                        continue;
                    }
                    let below = dag.slice(whole, 0, half, false);
                    // Low bits may be computed from low bits.
                    if below == low || self.meaning.agree(below, low) {
                        return Some(whole);
                    }
                    return None;
                }
            }
        }
        let dag = &mut self.meaning.dag;
        let whole = dag.concat(&[low, high].map(|node| Part { node, width: half }));
        (whole != low && !matches!(dag.node(whole), Node::Concat(_))).then_some(whole)
    }

    /// Whether a value is bytes side by side that tables give, with as many of them in either half.
    pub(crate) fn is_lookups(&self, value: NodeId, half: u32) -> bool {
        let dag = &self.meaning.dag;
        let Node::Concat(parts) = dag.node(value) else { return false };
        let looked_up = |part: &Part| match *dag.node(part.node) {
            Node::Select(_, zero, chosen) => {
                dag.as_i64(zero) == Some(0) && matches!(dag.node(chosen), Node::SliceAt { .. })
            }
            _ => false,
        };
        half.is_multiple_of(8) && parts.iter().all(|part| part.width == 8 && looked_up(part))
    }

    /// Whether a value is as many values side by side in either half.
    fn is_side_by_side(&self, value: NodeId, half: u32) -> bool {
        let dag = &self.meaning.dag;
        let Node::Concat(parts) = dag.node(value) else { return false };
        let width = parts[0].width;
        let computed = |part: &Part| match *dag.node(part.node) {
            Node::Const(_) => false,
            Node::Slice { of, .. } => !matches!(*dag.node(of), Node::Arg(arg) if !self.meaning.is_named(arg)),
            _ => true,
        };
        half.is_multiple_of(width)
            && parts.iter().all(|part| part.width == width)
            && parts.len() as u32 * width == 2 * half
            && parts.iter().all(computed)
    }

    /// Whether a value is the sign extension of its lower half, and the target extends.
    fn is_converted(&mut self, value: NodeId, container: u32) -> bool {
        let half = container / 2;
        let low = self.meaning.dag.slice(value, 0, half, true);
        let table = self.table;
        self.meaning.dag.slice(low, 0, container, false) == value
            && self.matching(value, container).iter().any(|(template, _)| {
                let slots = &table.template(*template).slots;
                matches!(slots[..], [slot] if slot <= half)
            })
    }

    /// Containers of twice the width, where every other one is open, in each way to fill the upper halves: with the bits that
    /// follow in what the value is bits of, with zeros, or with signs.
    pub(crate) fn wide(&mut self, wanted: &Wanted) -> Vec<Wanted> {
        let container = 2 * wanted.container;
        let open = |content: &Content| content.iter().skip(1).step_by(2).all(|entry| *entry == Entry::Any);
        let filled = |content: &Content| content.iter().step_by(2).any(|entry| *entry != Entry::Any);
        let fits = wanted.ty.class == Class::Vector && container <= 64;
        if !fits
            || !wanted.registers.iter().all(|content| content.len() > 1 && open(content))
            || !wanted.registers.iter().any(filled)
        {
            return Vec::new();
        }
        let mut found: Vec<Wanted> = Vec::new();
        let products = self.are_of_products(&wanted.values(), container);
        let dag = &self.meaning.dag;
        let parts = wanted.values().iter().all(|value| match dag.node(*value) {
            Node::Slice { of, .. } => matches!(dag.node(*of), Node::Arg(_)),
            _ => false,
        });
        let fillings: &[Filling] = match (products, parts) {
            (true, _) => &[Filling::Following, Filling::Zeros, Filling::Signs],
            (_, true) => &[Filling::Following, Filling::Signs],
            _ => &[Filling::Signs],
        };
        for filling in fillings {
            let registers: Option<Vec<Content>> = wanted
                .registers
                .iter()
                .map(|content| {
                    content
                        .iter()
                        .step_by(2)
                        .map(|entry| self.filled(*entry, wanted.container, *filling))
                        .collect()
                })
                .collect();
            let Some(registers) = registers else { continue };
            let wide = Wanted { ty: wanted.ty, container, registers };
            if !found.contains(&wide) {
                found.push(wide);
            }
        }
        found
    }

    /// The width of the product, or of the sum with one, that a value is bits of.
    fn product_width(&self, value: NodeId) -> Option<u32> {
        let dag = &self.meaning.dag;
        let mut of = value;
        for _ in 0..3 {
            of = match *dag.node(of) {
                Node::Slice { of, .. } | Node::Shr(of, _) | Node::Saturate { of, .. } => of,
                _ => of,
            };
        }
        let product = |node: NodeId| matches!(dag.node(node), Node::Mul(_));
        let is = match dag.node(of) {
            Node::Sum { terms, .. } => terms.iter().any(|(term, _)| product(*term)) || self.has_factor(of),
            _ => product(of),
        };
        dag.natural(of).filter(|_| is).map(|(width, _)| width)
    }

    /// Whether a value is bits of a product, or of a sum with one.
    pub(crate) fn is_of_product(&self, value: NodeId) -> bool {
        self.product_width(value).is_some()
    }

    /// The wrapped bits of whole products that saturate at one value, with what is different there, where nothing saturates so.
    pub(crate) fn wrapped_product(&mut self, wanted: &Wanted, value: NodeId) -> Option<NodeId> {
        let is_open = self.is_of_whole_products(wanted) && self.matching(value, wanted.container).is_empty();
        is_open.then(|| one_too_many(&mut self.meaning.dag, value)).flatten()
    }

    /// Leaves of the operations that give a mask those that compare, where there are some: no narrower mask is extended then.
    pub(crate) fn keep_comparisons(
        &self,
        value: NodeId,
        container: u32,
        found: &mut Vec<(TemplateId, Binding)>,
    ) {
        let table = self.table;
        let compares = |id: TemplateId| {
            let Template { slots, dag, root, .. } = table.template(id);
            (slots.len() > 1 || is_condition(dag, *root)) && slots.iter().all(|slot| *slot == container)
        };
        let is_mask = is_condition(&self.meaning.dag, value) && self.meaning.window().in_registers;
        if is_mask && found.iter().any(|(id, _)| compares(*id)) {
            found.retain(|(id, _)| compares(*id));
        }
    }

    /// Whether bits of a whole product are moved from where they were moved to already: of values in registers one shift moves them by
    /// any number of places.
    pub(crate) fn is_moved_in_steps(&self, value: NodeId, slots: &[Option<NodeId>], container: u32) -> bool {
        let dag = &self.meaning.dag;
        if !self.wide_products || !self.meaning.window().in_registers || container != MAX_CONTAINER {
            return false;
        }
        let Some(whole) = moved_down(dag, value).filter(|_| self.is_of_product(value)) else { return false };
        let in_steps = |slot: &Option<NodeId>| slot.and_then(|slot| moved_down(dag, slot)) == Some(whole);
        !slots.is_empty() && slots.iter().all(in_steps)
    }

    /// Whether lanes of a window in registers are bits of products of which the target has every other one as a whole.
    pub(crate) fn is_of_whole_products(&self, wanted: &Wanted) -> bool {
        self.wide_products
            && self.meaning.window().in_registers
            && wanted.container == 32
            && wanted.only_value().is_some_and(|value| self.are_of_products(&[value], 64))
    }

    /// Whether values are bits of products that containers of `width` bits hold.
    fn are_of_products(&self, values: &[NodeId], width: u32) -> bool {
        values.iter().all(|value| self.product_width(*value).is_some_and(|own| own <= width))
    }

    /// Whether a value is a multiple by more than a shift.
    fn has_factor(&self, value: NodeId) -> bool {
        match self.meaning.dag.node(value) {
            Node::Sum { terms, .. } => terms.iter().any(|(_, factor)| {
                let factor = if factor < &Int::ZERO { -factor } else { factor.clone() };
                factor > Int::from(255)
            }),
            _ => false,
        }
    }

    /// A container of `2·half` bits whose low bits are those of an entry of `half` bits.
    fn filled(&mut self, entry: Entry, half: u32, filling: Filling) -> Option<Entry> {
        let (value, lane) = match entry {
            Entry::Any => return Some(Entry::Any),
            Entry::Uniform(value) => (value, 0),
            Entry::Value(value, lane) => (value, lane),
            Entry::Element(element) => self.meaning.value_of(element),
        };
        let dag = &mut self.meaning.dag;
        // What is narrower than its container is followed by zeros already.
        let sliced = match *dag.node(value) {
            Node::Slice { width, .. } if width < half => None,
            Node::Slice { of, low, .. } => match *dag.node(of) {
                Node::Arg(arg) => {
                    let following = dag.arg_widths()[arg as usize].saturating_sub(low).min(2 * half);
                    (following > half).then_some((of, low, following))
                }
                _ => Some((of, low, 2 * half)),
            },
            _ => None,
        };
        let wide = match (filling, sliced) {
            (Filling::Following, Some((of, low, following))) => dag.slice(of, low, following, false),
            (Filling::Zeros, Some((of, low, following))) if low > 0 && low < 2 * half => {
                dag.slice(of, low, following.min(2 * half - low), false)
            }
            (Filling::Zeros, None) if matches!(entry, Entry::Uniform(_) | Entry::Value(..)) => value,
            (Filling::Signs, _) if half == 32 => dag.slice(value, 0, half, true),
            _ => return None,
        };
        Some(self.entry(wide, 2 * half, lane))
    }

    /// Containers of twice the width, where the lower half of each is open: values whose upper half is what is wanted.
    pub(crate) fn with_high_halves(&mut self, wanted: &Wanted) -> Option<Wanted> {
        let half = wanted.container;
        if wanted.ty.class != Class::Vector || half >= 64 {
            return None;
        }
        let mut registers = Vec::new();
        for content in &wanted.registers {
            let mut wide = Vec::new();
            for two in content.chunks(2) {
                wide.push(match *two {
                    [Entry::Any, Entry::Any] => Entry::Any,
                    [Entry::Any, Entry::Value(value, lane)] => {
                        let dag = &mut self.meaning.dag;
                        let (of, low) = match *dag.node(value) {
                            Node::Slice { of, low, width, .. } if width >= half => (of, low),
                            Node::Shr(of, count) => (of, u32::try_from(dag.as_i64(count)?).ok()?),
                            _ => (value, 0),
                        };
                        let whole = if low >= half {
                            dag.slice(of, low - half, 2 * half, false)
                        } else {
                            if matches!(dag.node(of), Node::Arg(_)) {
                                return None;
                            }
                            let moved = dag.linear(&[(of, Int::ONE << (half - low) as usize)], Int::ZERO);
                            dag.slice(moved, 0, 2 * half, false)
                        };
                        self.entry(whole, 2 * half, lane)
                    }
                    // Elements that are one place from where they are in memory.
                    [Entry::Any, Entry::Element(element)] if in_order(content) => {
                        let (value, lane) = self.meaning.value_of(element);
                        let moved = self.meaning.dag.linear(&[(value, Int::ONE << half as usize)], Int::ZERO);
                        self.entry(moved, 2 * half, lane)
                    }
                    _ => return None,
                });
            }
            registers.push(wide);
        }
        let some = registers.iter().flatten().any(|entry| *entry != Entry::Any);
        some.then_some(Wanted { ty: wanted.ty, container: 2 * half, registers })
    }

    /// Values of every other lane in one register each: what is computed in containers of twice the width, and what is shifted by
    /// one count for all lanes.
    pub(crate) fn alternated(
        &mut self,
        states: &mut States,
        wanted: &Wanted,
        moves: u8,
        ways: &mut Vec<Way>,
    ) {
        let both = |content: &Content| {
            let some = |from: usize| content.iter().skip(from).step_by(2).any(|entry| *entry != Entry::Any);
            some(0) && some(1)
        };
        let values = wanted.holds_values_alone();
        if wanted.ty.class != Class::Vector || !values || moves == 0 || !wanted.registers.iter().any(both) {
            return;
        }
        let all = wanted.values();
        if wanted.container <= 32 && !self.are_of_products(&all, 2 * wanted.container)
            || wanted.container > 32 && !self.is_shifted_apart(wanted)
        {
            return;
        }
        let table = self.table;
        for op in table.alternating(wanted.container) {
            let own = table.op(*op);
            if own.result != wanted.ty {
                continue;
            }
            let mut contents = [Vec::new(), Vec::new()];
            for content in &wanted.registers {
                let mut operands = [vec![Entry::Any; content.len()], vec![Entry::Any; content.len()]];
                for (entry, reads) in content.iter().zip(&own.reads) {
                    let (arg, low) = reads[0];
                    operands[arg as usize][(low / wanted.container) as usize] = *entry;
                }
                contents.iter_mut().zip(operands).for_each(|(all, own)| all.push(own));
            }
            // The lanes of each operand are computed in their own way; those of products of registers where they are wanted.
            let stays = self.meaning.window().in_registers && wanted.container <= 32;
            let moves = if stays { 0 } else { moves - 1 };
            let mut held =
                |own: Vec<Content>| gather(states, wanted.ty, wanted.container, own, moves).into_iter();
            // Those of one operand's lanes after the other's are computed together.
            let in_turn = own.reads[0][0].0 != own.reads[1][0].0;
            let [first, second] = contents;
            let places: Vec<Vec<Place>> = match in_turn {
                true => held(first).zip(held(second)).map(|(first, second)| vec![first, second]).collect(),
                false => {
                    let all = first.into_iter().zip(second).flat_map(|(first, second)| [first, second]);
                    held(all.collect()).collect::<Vec<_>>().chunks(2).map(<[Place]>::to_vec).collect()
                }
            };
            ways.push(Way::Apply(places.into_iter().map(|operands| (*op, operands)).collect()));
        }
    }
}

/// What a value has bits of that are not its lowest.
fn moved_down(dag: &Dag, value: NodeId) -> Option<NodeId> {
    match *dag.node(value) {
        Node::Slice { of, low, .. } if low > 0 => Some(of),
        _ => None,
    }
}

/// Whether a value's bits do not depend on each other, so that narrower containers do as well.
fn is_bitwise(dag: &Dag, value: NodeId) -> bool {
    let of = sliced(dag, value).0;
    matches!(
        dag.node(of),
        Node::And(_)
            | Node::Or(_)
            | Node::Xor(_)
            | Node::Not(_)
            | Node::Select(..)
            | Node::Min(_)
            | Node::Max(_)
            | Node::Arg(_)
            | Node::Slice { .. }
    )
}

/// What is above the bits that are wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Filling {
    /// The bits that follow.
    Following,
    /// Zeros.
    Zeros,
    /// The sign.
    Signs,
}
