//! Which values an operation's operands could have so that it gives a wanted value: proposals, not proofs.
//!
//! A pattern, the template of an operation, is laid over a value of a window's graph. Sums, products and extrema are flat
//! and sorted in both, so that a pattern with two operands stands for every way to part the value's. What is proposed is
//! put back into the pattern and compared afterwards; a wrong proposal costs time and nothing else.

mod choices;
mod flips;
mod shifts;
mod sums;
mod wholes;

use hydride_ir::exact::{Dag, Int, Node, NodeId, Part};

use self::flips::unflipped;
use self::shifts::is_step;
use self::sums::partings;
use crate::forms::{shifted_bits, with_sign};
use crate::in_place::{Bits, InPlace};
use crate::normal::saturated;

/// Values for slots, by number.
pub type Binding = Vec<Option<NodeId>>;

/// Proposals for one pattern and value, at most.
const MAX_PROPOSALS: usize = 48;

/// Operands of a flat operator that are parted in every way.
const MAX_PARTED: usize = 4;

/// Widths of halves of containers.
pub const HALVES: [i64; 3] = [8, 16, 32];

/// How many bits of a value count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Demand {
    /// All of them.
    Exact,
    /// The lowest.
    Low(u32),
}

impl Demand {
    /// How many bits of a value count if so many of its product by a factor do.
    fn of_multiple(self, factor: &Int) -> Self {
        match self {
            Self::Exact => Self::Exact,
            Self::Low(bits) => {
                let zeros = factor.trailing_zeros().map_or(0, |zeros| zeros as u32);
                Self::Low(bits.saturating_sub(zeros).max(1))
            }
        }
    }
}

/// The values that slots could have so that the pattern has the low `width` bits of `value`; in compositions also those that
/// need less to be alike.
pub fn proposals(
    (pattern, root): (&Dag, NodeId),
    slots: &[u32],
    dag: &mut Dag,
    value: NodeId,
    width: u32,
    composing: bool,
) -> Vec<Binding> {
    let is_slot = |node: NodeId| matches!(pattern.node(node), Node::Slice { of, .. } if matches!(pattern.node(*of), Node::Arg(_)));
    let adds = match pattern.node(root) {
        Node::Slice { of, low: 0, .. } => match pattern.node(*of) {
            Node::Sum { terms, constant } => {
                *constant == Int::ZERO
                    && terms.iter().all(|(term, factor)| *factor == Int::ONE && is_slot(*term))
            }
            _ => false,
        },
        _ => false,
    };
    let mut unify = Unify { pattern, slots, dag, joins: !adds, counting: false, signs: false, composing };
    let mut found = unify.node(root, value, Demand::Low(width), vec![None; slots.len()]);
    if let Some(multiple) = multiple(unify.dag, value, width) {
        found.extend(unify.node(root, multiple, Demand::Low(width), vec![None; slots.len()]));
    }
    found
}

/// Whether each of some parts is one or several of others side by side.
fn are_joined(parts: &[Part], others: &[Part]) -> bool {
    let ends = |parts: &[Part]| -> Vec<u32> {
        let end = |below: &mut u32, part: &Part| {
            *below += part.width;
            Some(*below)
        };
        parts.iter().scan(0, end).collect()
    };
    let others = ends(others);
    ends(parts).iter().all(|end| others.contains(end))
}

/// A value with the same low `width` bits as one of bits above zeros: a multiple of what the bits are of.
fn multiple(dag: &mut Dag, value: NodeId, width: u32) -> Option<NodeId> {
    let shifted = shifted_bits(dag, value)?;
    let Node::Sum { terms, .. } = dag.node(shifted).clone() else { return None };
    let [(bits, factor)] = &terms[..] else { return None };
    match (dag.node(*bits).clone(), Demand::Low(width).of_multiple(factor)) {
        (Node::Slice { of, low: 0, width: kept, .. }, Demand::Low(needed))
            if needed <= kept && !matches!(dag.node(of), Node::Arg(_)) =>
        {
            Some(dag.linear(&[(of, factor.clone())], Int::ZERO))
        }
        _ => Some(shifted),
    }
}

struct Unify<'a> {
    pattern: &'a Dag,
    slots: &'a [u32],
    dag: &'a mut Dag,
    /// Whether the pattern does more than add slots.
    joins: bool,
    /// Whether the value is a count of a shift, which can be negated.
    counting: bool,
    /// Whether a condition is meant as the sign of what it is computed from.
    signs: bool,
    /// Whether values are what instructions compute of others, so that proposals may be far from what is there.
    composing: bool,
}

impl Unify<'_> {
    fn node(&mut self, pattern: NodeId, value: NodeId, demand: Demand, bound: Binding) -> Vec<Binding> {
        let own = self.pattern.node(pattern).clone();
        if let Node::Slice { of, low, width, signed } = own {
            if let Node::Arg(slot) = *self.pattern.node(of) {
                return self.slot(slot, low, width, signed, value, demand, bound);
            }
            // Fewer bits than are wanted do where the others follow from them.
            if let Demand::Low(bits) = demand
                && let Node::Slice { of: inner, low: 0, width: kept, .. } = *self.dag.node(value)
                && width < bits
                && bits <= kept
                && self.dag.range(inner).fits(width, signed)
            {
                return self.slice(of, low, width, signed, inner, demand, bound);
            }
            return self.slice(of, low, width, signed, value, demand, bound);
        }
        // What the value's low bits are of.
        if let Demand::Low(bits) = demand
            && let Node::Slice { of, low: 0, width, .. } = *self.dag.node(value)
            && bits <= width
            && !matches!(self.dag.node(of), Node::Arg(_))
            // What is narrowed with saturation is taken with its high bits cleared, where it does not saturate itself and
            // may not fit.
            && match own {
                Node::Saturate { width, signed, .. } => {
                    matches!(self.dag.node(of), Node::Saturate { .. }) || self.dag.range(of).fits(width, signed)
                }
                _ => true,
            }
        {
            return self.node(pattern, of, demand, bound);
        }
        let target = self.dag.node(value).clone();
        if let Demand::Low(width) = demand
            && let Some(mut found) = self.in_place(&own, value, width, &bound)
        {
            if let (Node::And(own), Node::And(their)) = (&own, &target)
                && self.composing
            {
                found.extend(self.conjunction(own, their, demand, bound));
            }
            return found;
        }
        if self.composing
            && let Some(slot) = self.flipped(&own)
            && let Some(value) = unflipped(self.dag, value, self.slots[slot as usize])
        {
            return self.slot(slot, 0, self.slots[slot as usize], false, value, Demand::Exact, bound);
        }
        match (own, target) {
            (Node::Const(wanted), _) => match self.dag.as_int(value) {
                Some(found) if self.agree(&wanted, &found.clone(), demand) => vec![bound],
                _ => vec![],
            },
            (Node::Sum { terms, constant }, _) => self.sum(&terms, constant, value, demand, bound),
            (Node::Mul(factors), _) => self.product(&factors, value, demand, bound),
            (Node::Shr(of, count), _) => self.shift_down(of, count, value, demand, bound),
            (Node::Shl(of, count), Node::Shl(their, by)) => {
                let found = self.node(of, their, demand, bound);
                self.then(found, count, by, Demand::Exact)
            }
            (Node::Shl(of, count), Node::Sum { .. }) => {
                let Some((rest, factor)) = self.common_factor(value) else { return vec![] };
                let Some(by) = power_of_two(&factor) else { return vec![] };
                let by = self.dag.int(by);
                let found = self.node(of, rest, demand, bound);
                self.then(found, count, by, Demand::Exact)
            }
            (Node::And(own), Node::And(their)) => self.conjunction(&own, &their, demand, bound),
            (Node::And(own), Node::Slice { of, low: 0, width, signed: false }) if own.len() == 2 => {
                let mask = self.dag.int((Int::ONE << width as usize) - Int::ONE);
                // The whole element where it is bits of one.
                let whole = match *self.dag.node(of) {
                    Node::Arg(arg) => self.dag.slice(of, 0, self.dag.arg_widths()[arg as usize], false),
                    _ => of,
                };
                let mut found = self.node(own[0], whole, Demand::Low(width), bound.clone());
                found = self.then(found, own[1], mask, demand);
                found
            }
            (Node::Or(own), Node::Or(their)) => self.parted(&own, &their, demand, bound, Dag::or),
            (Node::Xor(own), Node::Not(their)) if own.len() == 2 => {
                let ones = self.dag.int(-1);
                let found = self.node(own[0], their, demand, bound);
                self.then(found, own[1], ones, demand)
            }
            (Node::Concat(own), Node::Concat(their)) if are_joined(&own, &their) => {
                // Of bits the value that each is the sign of is meant.
                let bits = own.iter().all(|part| part.width == 1);
                let signs = std::mem::replace(&mut self.signs, bits);
                let (mut found, mut at) = (vec![bound], 0);
                for part in own {
                    let their = self.dag.slice(value, at, part.width, false);
                    found = self.then(found, part.node, their, Demand::Low(part.width));
                    at += part.width;
                }
                self.signs = signs;
                found
            }
            // Values side by side are the lower one, or the upper one shifted up.
            (Node::Or(own), Node::Concat(their)) if own.len() == 2 && their.len() == 2 => {
                let zeros = Part { node: self.dag.int(0), width: their[0].width };
                let shifted = self.dag.concat(&[zeros, their[1]]);
                self.either(own[0], own[1], shifted, their[0].node, bound)
            }
            // Zeros below a value are a shift.
            (Node::Concat(own), target) if own.len() == 2 && self.pattern.as_i64(own[0].node) == Some(0) => {
                let width = own[0].width;
                if let Node::Concat(their) = &target
                    && self.dag.as_i64(their[0].node) == Some(0)
                    && !is_step(i64::from(width), i64::from(their[0].width))
                {
                    return vec![];
                }
                let count = self.dag.int(width);
                let shifted = self.dag.shr(value, count);
                // A value without bits above that count is not shifted up to there.
                if self.dag.as_int(shifted).is_some() {
                    return vec![];
                }
                self.node(own[1].node, shifted, Demand::Low(own[1].width), bound)
            }
            (Node::Xor(own), Node::Xor(their)) => self.parted(&own, &their, demand, bound, Dag::xor),
            (Node::Min(own), Node::Min(their)) => {
                let found = self.parted(&own, &their, Demand::Exact, bound.clone(), Dag::min);
                if found.is_empty() { self.bounded(&own, true, value, demand, bound) } else { found }
            }
            (Node::Max(own), Node::Max(their)) => {
                let found = self.parted(&own, &their, Demand::Exact, bound.clone(), Dag::max);
                if found.is_empty() { self.bounded(&own, false, value, demand, bound) } else { found }
            }
            // One-sided clamps are written as saturations where they are powers of two.
            (Node::Min(own), Node::Saturate { of, width, signed })
                if own.len() == 2 && self.is_bounded(of, &least_of(width, signed), false) =>
            {
                let most = self.dag.int((Int::ONE << (width - u32::from(signed)) as usize) - Int::ONE);
                self.either(own[0], own[1], of, most, bound)
            }
            (Node::Max(own), Node::Saturate { of, width, signed })
                if own.len() == 2
                    && self.is_bounded(of, &(Int::ONE << (width - u32::from(signed)) as usize), true) =>
            {
                let least = self.dag.int(least_of(width, signed));
                self.either(own[0], own[1], of, least, bound)
            }
            (Node::Min(own), _) => self.bounded(&own, true, value, demand, bound),
            (Node::Max(own), _) => self.bounded(&own, false, value, demand, bound),
            (Node::Saturate { of, width, signed }, target) => {
                if let Node::Saturate { of: their, width: own_width, signed: own_signed } = target
                    && (own_width, own_signed) == (width, signed)
                {
                    let found = self.node(of, their, Demand::Exact, bound.clone());
                    if !found.is_empty() {
                        return found;
                    }
                    // What is clamped may be clamped to the slot's range before.
                    return self.clamped(of, their, bound);
                }
                if self.dag.range(value).fits(width, signed) {
                    return self.node(of, value, Demand::Exact, bound);
                }
                // Upper halves of products are clamped where no others are there.
                let of_product = |node: NodeId| matches!(self.pattern.node(node), Node::Mul(_));
                if self.pattern.reachable([of]).into_iter().any(of_product)
                    && let Some(whole) = self.shifted_whole(value, demand)
                    && self.dag.range(whole).fits(width, signed)
                {
                    return self.node(of, whole, Demand::Exact, bound);
                }
                // What fits is not clamped.
                match (self.dag.node(value).clone(), demand) {
                    (Node::Slice { of: their, low: 0, width: own, .. }, Demand::Low(bits))
                        if self.composing
                            && bits <= own.min(width)
                            && self.dag.range(their).fits(width, signed) =>
                    {
                        self.node(of, their, Demand::Exact, bound)
                    }
                    _ => vec![],
                }
            }
            (Node::Abs(of), Node::Abs(their)) => {
                let found = self.node(of, their, Demand::Exact, bound.clone());
                if !found.is_empty() {
                    return found;
                }
                let negated = self.dag.neg(their);
                self.node(of, negated, Demand::Exact, bound)
            }
            (Node::Select(own, then, otherwise), Node::Select(their, this, that)) => {
                self.choice([own, then, otherwise], [their, this, that], demand, bound)
            }
            (Node::Eq(a, b), Node::Eq(c, d)) => {
                let mut found = self.pair((a, b), (c, d), bound.clone());
                found.extend(self.pair((a, b), (d, c), bound));
                found
            }
            (Node::Lt(a, b), Node::Lt(c, d)) | (Node::Le(a, b), Node::Le(c, d)) => {
                let found = self.pair((a, b), (c, d), bound.clone());
                if !found.is_empty() {
                    return found;
                }
                // Unsigned numbers are in the order of signed ones when both are moved down by half the range.
                match (self.moved_down(a, c), self.moved_down(b, d)) {
                    (Some(c), Some(d)) => self.pair((a, b), (c, d), bound),
                    _ => vec![],
                }
            }
            // What is not less than a literal is greater than the one before it.
            (Node::Lt(a, b), Node::Xor(operands)) if self.composing && operands.len() == 2 => {
                let Some(&condition) = operands.iter().find(|own| self.dag.as_int(**own).is_none()) else {
                    return vec![];
                };
                let Node::Lt(less, than) = *self.dag.node(condition) else { return vec![] };
                let by = |unify: &mut Self, node, by: i64| unify.dag.linear(&[(node, Int::ONE)], by.into());
                let (low, high) = match (self.dag.as_int(less).is_some(), self.dag.as_int(than).is_some()) {
                    (_, true) => (by(self, than, -1), less),
                    (true, _) => (than, by(self, less, 1)),
                    _ => return vec![],
                };
                self.pair((a, b), (low, high), bound)
            }
            // A sign is whether a number is less than zero.
            (Node::Lt(a, b), Node::Slice { of, low, width: 1, .. }) => {
                match self.number_with_sign(a, of, low) {
                    Some(number) => {
                        let zero = self.dag.int(0);
                        self.pair((a, b), (number, zero), bound)
                    }
                    None => vec![],
                }
            }
            // With what is known of a condition only one branch may count.
            (Node::Select(own, then, otherwise), _) => {
                let mut found = self.node(then, value, demand, bound.clone());
                found.extend(self.node(otherwise, value, demand, bound.clone()));
                if let Some(their) = self.chosen(value) {
                    found.extend(self.choice([own, then, otherwise], their, demand, bound));
                }
                found
            }
            (Node::Not(of), Node::Not(their)) => self.node(of, their, demand, bound),
            (
                Node::Float { float: own, width, value: bits, operands },
                Node::Float { float, width: from, value: to, operands: their },
            ) if (&own, width, bits) == (&float, from, to) && operands.len() == their.len() => {
                let in_order = |unify: &mut Self, their: &[NodeId], bound: Binding| {
                    operands.iter().zip(their).fold(vec![bound], |found, (own, their)| {
                        unify.then(found, *own, *their, Demand::Exact)
                    })
                };
                let mut found = in_order(self, &their, bound.clone());
                if own.commutes() {
                    let mut swapped = their.to_vec();
                    swapped.swap(0, 1);
                    found.extend(in_order(self, &swapped, bound));
                }
                found
            }
            // A table with an index.
            (
                Node::SliceAt { of, base, low, width, signed },
                Node::SliceAt { of: table, base: start, low: at, width: own, signed: own_signed },
            ) if (base, width, signed) == (start, own, own_signed) => {
                let found = self.table(of, table, bound);
                self.then(found, low, at, Demand::Exact)
            }
            (Node::PopCount(of), Node::PopCount(their)) => self.node(of, their, Demand::Exact, bound),
            (Node::LeadingZeros(of, own), Node::LeadingZeros(their, width))
            | (Node::TrailingZeros(of, own), Node::TrailingZeros(their, width))
                if own == width =>
            {
                self.node(of, their, Demand::Low(width), bound)
            }
            _ => vec![],
        }
    }

    /// Operands of a conjunction, in all ways; of elements whose upper bits another one clears the whole ones.
    fn conjunction(
        &mut self,
        own: &[NodeId],
        their: &[NodeId],
        demand: Demand,
        bound: Binding,
    ) -> Vec<Binding> {
        let whole = if self.composing { wholes::of_conjunction(self.dag, their) } else { their.to_vec() };
        self.parted(own, &whole, demand, bound, Dag::and)
    }

    /// A table in registers of which bits at computed positions are read.
    fn table(&mut self, pattern: NodeId, value: NodeId, mut bound: Binding) -> Vec<Binding> {
        let whole = match *self.dag.node(value) {
            Node::Arg(arg) => self.dag.slice(value, 0, self.dag.arg_widths()[arg as usize], false),
            _ => value,
        };
        let Node::Arg(slot) = *self.pattern.node(pattern) else {
            return self.node(pattern, whole, Demand::Exact, bound);
        };
        let slot = slot as usize;
        if !self.dag.range(whole).fits(self.slots[slot], false)
            || bound[slot].is_some_and(|known| known != whole)
        {
            return vec![];
        }
        bound[slot] = Some(whole);
        vec![bound]
    }

    /// An operation with a constant for bits that are in their places; `None` where it has no such bits.
    fn in_place(&mut self, own: &Node, value: NodeId, width: u32, bound: &Binding) -> Option<Vec<Binding>> {
        let (bits, operands) = match own {
            Node::And(operands) => (Bits::Zeros, operands),
            Node::Or(operands) => (Bits::Ones, operands),
            Node::Xor(operands) => (Bits::Flipped, operands),
            _ => return None,
        };
        let [first, second] = operands[..] else { return None };
        let places = InPlace::read(self.dag, value, width).filter(|places| places.has(bits))?;
        let mask = places.mask(bits);
        let all = (Int::ONE << width as usize) - Int::ONE;
        let mask = self.dag.int(if bits == Bits::Zeros { all - mask } else { mask });
        let rest = places.without(self.dag, bits);
        let found = self.node(first, rest, Demand::Low(width), bound.clone());
        Some(self.then(found, second, mask, Demand::Low(width)))
    }

    /// For a slot that is read as signed an unsigned value of its width less half the range.
    fn moved_down(&mut self, slot: NodeId, value: NodeId) -> Option<NodeId> {
        let Node::Slice { of, low: 0, width, signed: true } = *self.pattern.node(slot) else { return None };
        let fits = matches!(self.pattern.node(of), Node::Arg(_)) && self.dag.range(value).fits(width, false);
        fits.then(|| self.dag.linear(&[(value, Int::ONE)], -(Int::ONE << (width - 1) as usize)))
    }

    /// Whether a value is at least a number, or less than it.
    fn is_bounded(&self, value: NodeId, by: &Int, above: bool) -> bool {
        let range = self.dag.range(value);
        match above {
            true => range.high.as_ref().is_some_and(|high| high < by),
            false => range.low.as_ref().is_some_and(|low| low >= by),
        }
    }

    /// The number of a slot's width that has its sign in this bit.
    fn number_with_sign(&mut self, slot: NodeId, of: NodeId, low: u32) -> Option<NodeId> {
        let Node::Slice { of: arg, low: 0, width, signed: true } = *self.pattern.node(slot) else {
            return None;
        };
        let is_whole = matches!(*self.pattern.node(arg), Node::Arg(at) if self.slots[at as usize] == width);
        (is_whole && low + 1 >= width).then(|| self.dag.slice(of, low + 1 - width, width, true))
    }

    /// The least or the greatest of an operand and a literal that the value keeps anyway.
    fn bounded(
        &mut self,
        own: &[NodeId],
        least: bool,
        value: NodeId,
        demand: Demand,
        bound: Binding,
    ) -> Vec<Binding> {
        let [first, second] = *own else { return vec![] };
        let keeps = |literal: &Int| match least {
            true => self.is_bounded(value, &(literal + Int::ONE), true),
            false => self.is_bounded(value, literal, false),
        };
        let other = [(first, second), (second, first)]
            .into_iter()
            .find_map(|(literal, other)| self.pattern.as_int(literal).is_some_and(keeps).then_some(other));
        match other {
            Some(other) => self.node(other, value, demand, bound),
            None => vec![],
        }
    }

    fn agree(&self, wanted: &Int, found: &Int, demand: Demand) -> bool {
        match demand {
            Demand::Exact => wanted == found,
            Demand::Low(bits) => {
                let difference = wanted - found;
                (&difference >> bits as usize) << bits as usize == difference
            }
        }
    }

    /// Goes on from every binding.
    fn then(&mut self, found: Vec<Binding>, pattern: NodeId, value: NodeId, demand: Demand) -> Vec<Binding> {
        let mut all = Vec::new();
        for bound in found {
            all.extend(self.node(pattern, value, demand, bound));
            if all.len() >= MAX_PROPOSALS {
                break;
            }
        }
        all.truncate(MAX_PROPOSALS);
        all
    }

    fn pair(&mut self, own: (NodeId, NodeId), their: (NodeId, NodeId), bound: Binding) -> Vec<Binding> {
        let found = self.node(own.0, their.0, Demand::Exact, bound);
        self.then(found, own.1, their.1, Demand::Exact)
    }

    fn either(&mut self, a: NodeId, b: NodeId, c: NodeId, d: NodeId, bound: Binding) -> Vec<Binding> {
        let mut found = self.pair((a, b), (c, d), bound.clone());
        found.extend(self.pair((a, b), (d, c), bound));
        found
    }

    #[expect(clippy::too_many_arguments)]
    fn slot(
        &mut self,
        slot: u32,
        low: u32,
        mut width: u32,
        signed: bool,
        value: NodeId,
        demand: Demand,
        mut bound: Binding,
    ) -> Vec<Binding> {
        let at = slot as usize;
        let enough = match demand {
            Demand::Low(bits) => bits <= width,
            Demand::Exact => false,
        };
        let mut value = value;
        // A condition is the sign of a mask.
        if width == 1 && low > 0 && low + 1 == self.slots[at] && self.dag.is_boolean(value) {
            let ones = self.dag.slice(value, 0, 1, true);
            let mask = self.dag.slice(ones, 0, self.slots[at], false);
            let mut signs = vec![mask];
            signs.extend(with_sign(self.dag, value, self.slots[at]).filter(|sign| *sign != mask));
            if self.signs {
                signs = signs.split_off(signs.len() - 1);
            }
            if let Some(known) = bound[at] {
                return if signs.contains(&known) { vec![bound] } else { vec![] };
            }
            let with = |sign| {
                bound[at] = Some(sign);
                bound.clone()
            };
            return signs.into_iter().map(with).collect();
        }
        // What the value's low bits are of, where a slot holds that.
        if !enough
            && let Demand::Low(bits) = demand
            && let Node::Slice { of, low: 0, width: own, .. } = *self.dag.node(value)
            && bits <= own
            && self.dag.range(of).fits(width, signed)
        {
            value = of;
        }
        // A slot can hold more of an element than counts.
        if low == 0
            && let Demand::Low(bits) = demand
            && bits < self.slots[at]
        {
            let whole = wholes::of_whole_elements(self.dag, value, bits, self.slots[at], self.composing);
            if whole != value {
                value = self.dag.slice(whole, 0, self.slots[at], false);
            }
        }
        // So it can of elements side by side.
        if low == 0
            && matches!(demand, Demand::Low(_))
            && width < self.slots[at]
            && let Some(whole) = self.completed(value, width, self.slots[at])
        {
            (value, width) = whole;
        }
        // A slot of which low bits are read holds the element that these are of.
        if low == 0
            && width < self.slots[at]
            && let Some(element) = self.element_of(value, width, self.slots[at])
        {
            (value, width) = element;
        }
        // The low bits of a slot are those of what it holds.
        if low == 0
            && width < self.slots[at]
            && let Node::Slice { of, low: 0, width: own, signed: false } = *self.dag.node(value)
            && own == width
            && !matches!(self.dag.node(of), Node::Arg(_))
            && self.dag.range(of).fits(self.slots[at], false)
        {
            value = of;
        } else if low == 0
            && enough
            && width < self.slots[at]
            && let Node::Slice { of, low: 0, width: own, signed: false } = *self.dag.node(value)
            && own == width
            && matches!(self.dag.node(of), Node::Mul(_))
        {
            // A product's bits above these do not matter.
            value = self.dag.slice(of, 0, self.slots[at], false);
        } else if !(enough || self.dag.range(value).fits(width, signed)) {
            return vec![];
        }
        if low > 0 {
            // What is left of the slot when its low bits are shifted out.
            let Some(whole) = self.before(value, low) else { return vec![] };
            let bits = low + width;
            (value, width) = self.element_of(whole, bits, self.slots[at]).unwrap_or((whole, bits));
            if !(self.dag.range(value).fits(width, signed)
                || matches!(demand, Demand::Low(bits) if low + bits <= width))
            {
                return vec![];
            }
        }
        match bound[at] {
            Some(known) if known == value => vec![bound],
            Some(known) => {
                let bits = self.slots[at].min(width);
                let (left, right) =
                    (self.dag.slice(known, 0, bits, false), self.dag.slice(value, 0, bits, false));
                if left == right { vec![bound] } else { vec![] }
            }
            None => {
                bound[at] = Some(value);
                vec![bound]
            }
        }
    }

    /// The element of which a value is the low `width` bits, as far as a slot holds it, with its width.
    fn element_of(&mut self, value: NodeId, width: u32, slot: u32) -> Option<(NodeId, u32)> {
        let Node::Slice { of, low: 0, width: own, signed: false } = *self.dag.node(value) else {
            return None;
        };
        let Node::Arg(arg) = *self.dag.node(of) else { return None };
        let whole = slot.min(self.dag.arg_widths()[arg as usize]);
        (own == width && whole > width).then(|| (self.dag.slice(of, 0, whole, false), whole))
    }

    /// Elements side by side, of the last of which a value of `width` bits has the low bits, with all of that one as far as a slot
    /// holds them, and their width.
    fn completed(&mut self, value: NodeId, width: u32, slot: u32) -> Option<(NodeId, u32)> {
        let Node::Concat(parts) = self.dag.node(value).clone() else { return None };
        let (last, rest) = parts.split_last()?;
        let below: u32 = rest.iter().map(|part| part.width).sum();
        if below + last.width != width {
            return None;
        }
        let (node, own) = self.element_of(last.node, last.width, slot - below)?;
        let mut parts = rest.to_vec();
        parts.push(Part { node, width: own });
        Some((self.dag.concat(&parts), below + own))
    }

    /// A value that a slot cannot hold, clamped to what it can.
    fn clamped(&mut self, pattern: NodeId, value: NodeId, bound: Binding) -> Vec<Binding> {
        let Node::Slice { of, low: 0, width, signed } = *self.pattern.node(pattern) else { return vec![] };
        if !matches!(self.pattern.node(of), Node::Arg(_)) {
            return vec![];
        }
        let mut clamped =
            vec![self.dag.saturate(value, width, signed), saturated(self.dag, value, width, signed)];
        clamped.dedup();
        clamped.into_iter().flat_map(|own| self.node(pattern, own, Demand::Exact, bound.clone())).collect()
    }

    /// Every way to part the operands of a flat operator among two of the pattern's.
    fn parted(
        &mut self,
        own: &[NodeId],
        their: &[NodeId],
        demand: Demand,
        bound: Binding,
        join: fn(&mut Dag, NodeId, NodeId) -> NodeId,
    ) -> Vec<Binding> {
        if own.len() > their.len() {
            return vec![];
        }
        let [first, rest @ ..] = own else { return vec![] };
        if rest.is_empty() {
            let whole = their[1..].iter().fold(their[0], |joined, next| join(self.dag, joined, *next));
            return self.node(*first, whole, demand, bound);
        }
        let mut all = Vec::new();
        // For what is the same in any order one way to part many is enough.
        let ways = if their.len() > MAX_PARTED { 1 } else { usize::MAX };
        for taken in partings(their.len(), rest.len()).into_iter().take(ways) {
            let (mut mine, mut others) = (Vec::new(), Vec::new());
            for (at, operand) in their.iter().enumerate() {
                if taken >> at & 1 == 1 { mine.push(*operand) } else { others.push(*operand) }
            }
            let whole = mine[1..].iter().fold(mine[0], |joined, next| join(self.dag, joined, *next));
            for bound in self.node(*first, whole, demand, bound.clone()) {
                all.extend(self.parted(rest, &others, demand, bound, join));
            }
            if all.len() >= MAX_PROPOSALS {
                break;
            }
        }
        all
    }

    fn product(&mut self, own: &[NodeId], value: NodeId, demand: Demand, bound: Binding) -> Vec<Binding> {
        match self.dag.node(value).clone() {
            Node::Mul(their) => self
                .parted(own, &their, Demand::Exact, bound.clone(), Dag::mul)
                .into_iter()
                .chain(if matches!(demand, Demand::Low(_)) {
                    self.parted(own, &their, demand, bound, Dag::mul)
                } else {
                    Vec::new()
                })
                .collect(),
            Node::Sum { .. } if own.len() == 2 => {
                let Some((term, factor)) = self.common_factor(value) else { return vec![] };
                // Of an even multiple fewer bits of the rest count.
                let of_term = demand.of_multiple(&factor);
                let mut all = self.in_upper_half(own, term, &factor, demand, &bound);
                let factor = self.dag.int(factor);
                for (left, right) in [(own[0], own[1]), (own[1], own[0])] {
                    let mut found = self.node(left, term, Demand::Exact, bound.clone());
                    if found.is_empty() || of_term != demand {
                        found.extend(self.node(left, term, of_term, bound.clone()));
                    }
                    let exact = self.then(found.clone(), right, factor, Demand::Exact);
                    all.extend(if exact.is_empty() {
                        self.then(found, right, factor, demand)
                    } else {
                        exact
                    });
                }
                all
            }
            _ => vec![],
        }
    }
}

/// Slots that are zero, all of them or one alone.
pub(crate) fn zeros(dag: &mut Dag, count: usize) -> Vec<Binding> {
    let zero = dag.int(0);
    let alone = (0..count).map(|at| (0..count).map(|own| (own == at).then_some(zero)).collect());
    std::iter::once(vec![Some(zero); count]).chain(alone).collect()
}

/// The least number of a width.
fn least_of(width: u32, signed: bool) -> Int {
    if signed { -(Int::ONE << (width - 1) as usize) } else { Int::ZERO }
}

/// The exponent of a power of two.
fn power_of_two(value: &Int) -> Option<u32> {
    (0..64).find(|exponent| *value == Int::ONE << *exponent as usize)
}
