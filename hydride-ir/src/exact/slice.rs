//! Constructors of slices and concatenations, and the demand for low bits.

use dashu_int::ops::BitTest;

use super::Int;
use super::dag::{Dag, Node, NodeId, Part};
use super::range::power;

impl Dag {
    /// Bits `low .. low + width` of `of` in two's complement, read as `signed` says. An empty slice
    /// is 0; argument bits beyond the argument are 0.
    pub fn slice(&mut self, of: NodeId, low: u32, width: u32, signed: bool) -> NodeId {
        if width == 0 {
            return self.int(0);
        }
        if let Some(known) = self.slices.get(&(of, low, width, signed)) {
            return *known;
        }
        let result = self.slice_uncached(of, low, width, signed);
        self.slices.insert((of, low, width, signed), result);
        result
    }

    /// The boolean of which this is the negation.
    fn negated_flag(&self, of: NodeId) -> Option<NodeId> {
        match self.node(of) {
            Node::Sum { terms, constant } if constant == &Int::ZERO => match **terms {
                [(flag, ref factor)] if factor == &Int::from(-1) && self.is_boolean(flag) => Some(flag),
                _ => None,
            },
            _ => None,
        }
    }

    fn slice_uncached(&mut self, of: NodeId, low: u32, width: u32, signed: bool) -> NodeId {
        let is_arg = matches!(self.node(of), Node::Arg(_));
        if !is_arg && low == 0 && self.range(of).fits(width, signed) {
            return of;
        }
        if !is_arg && self.natural(of).is_some_and(|(own, signed)| !signed && own <= low) {
            return self.int(0);
        }
        // All bits of 0 and of -1 are alike.
        if let Some(flag) = self.negated_flag(of) {
            match (signed, width) {
                (true, _) => return of,
                (false, 1) => return flag,
                (false, _) if low > 0 => return self.slice(of, 0, width, false),
                _ => {}
            }
        }
        match self.node(of).clone() {
            Node::Const(value) => {
                let bits = (value >> low as usize) & (power(width) - Int::ONE);
                let negative = signed && bits >= power(width - 1);
                self.int(if negative { bits - power(width) } else { bits })
            }
            Node::Arg(arg) => {
                let available = self.arg_widths()[arg as usize];
                if low >= available {
                    self.int(0)
                } else if low + width > available {
                    self.intern(Node::Slice { of, low, width: available - low, signed: false })
                } else {
                    self.intern(Node::Slice { of, low, width, signed })
                }
            }
            Node::Slice { of: inner, low: inner_low, width: inner_width, signed: inner_signed } => {
                if low + width <= inner_width {
                    self.slice(inner, inner_low + low, width, signed)
                } else if !inner_signed {
                    if low >= inner_width {
                        self.int(0)
                    } else {
                        self.slice(inner, inner_low + low, inner_width - low, false)
                    }
                } else if low >= inner_width - 1 && signed {
                    self.slice(inner, inner_low + inner_width - 1, 1, true)
                } else if low > 0 {
                    let shifted = if low < inner_width {
                        self.slice(inner, inner_low + low, inner_width - low, true)
                    } else {
                        self.slice(inner, inner_low + inner_width - 1, 1, true)
                    };
                    self.slice(shifted, 0, width, signed)
                } else {
                    self.intern(Node::Slice { of, low, width, signed })
                }
            }
            Node::Concat(parts) => self.slice_concat(&parts, low, width, signed),
            Node::Sum { terms, constant } if terms.len() == 1 && constant == Int::ZERO => {
                // A value shifted left by a constant.
                let (term, factor) = terms[0].clone();
                let shift = trailing_zeros(&factor);
                if shift == 0 {
                    return self.slice_general(of, low, width, signed);
                }
                let rest = self.linear(&[(term, factor >> shift as usize)], Int::ZERO);
                if low >= shift {
                    self.slice(rest, low - shift, width, signed)
                } else if low + width <= shift {
                    self.int(0)
                } else if low > 0 {
                    let count = self.int(shift - low);
                    let moved = self.shl(rest, count);
                    self.slice(moved, 0, width, signed)
                } else if !signed && width > shift {
                    let kept = self.slice(rest, 0, width - shift, false);
                    let zero = self.int(0);
                    self.concat(&[
                        Part { node: zero, width: shift },
                        Part { node: kept, width: width - shift },
                    ])
                } else {
                    self.slice_general(of, low, width, signed)
                }
            }
            Node::Sum { terms, constant } if low > 0 => {
                let demanded = self.demand(of, low + width);
                if demanded != of {
                    return self.slice(demanded, low, width, signed);
                }
                let moved = self.slice_scaled_sum(&terms, &constant, (low, width, signed));
                moved
                    .or_else(|| self.slice_moved_sum(&terms, &constant, (low, width, signed)))
                    .or_else(|| self.slice_with_whole_terms(of, (low, width, signed)))
                    .unwrap_or_else(|| self.slice_general(of, low, width, signed))
            }
            // Bits of registers side by side that are moved up by less than where the slice begins.
            Node::Shl(value, count)
                if matches!(self.node(value), Node::Concat(_))
                    && self.range(count).is_non_negative()
                    && self.range(count).high.as_ref().is_some_and(|high| high <= &Int::from(low)) =>
            {
                let position = self.linear(&[(count, Int::from(-1))], Int::from(low));
                self.slice_at(value, position, width, signed)
            }
            // The upper bits of a clamp are a clamp of the upper bits.
            Node::Saturate { of: inner, width: whole, signed: clamped }
                if low > 0 && low + width == whole =>
            {
                let Some((own, own_signed)) = self.natural(inner).filter(|(own, _)| *own > low) else {
                    return self.slice_general(of, low, width, signed);
                };
                let upper = self.slice(inner, low, own - low, own_signed);
                let clamp = self.saturate(upper, width, clamped);
                self.slice(clamp, 0, width, signed)
            }
            Node::Shr(value, count) if low > 0 || self.as_i64(count).is_some() => {
                match self.as_i64(count).and_then(|count| u32::try_from(count).ok()) {
                    Some(count) if count <= crate::MAX_WIDTH => self.slice(value, low + count, width, signed),
                    _ => self.slice_shifted(of, value, count, (low, width, signed)),
                }
            }
            Node::Shr(value, count) => self.slice_shifted(of, value, count, (low, width, signed)),
            Node::SliceAt { of: inner, base, low: position, width: inner_width, .. }
                if low + width <= inner_width =>
            {
                self.slice_from(inner, base + low, position, width, signed)
            }
            Node::Select(condition, then, otherwise) => {
                let then = self.slice(then, low, width, signed);
                let otherwise = self.slice(otherwise, low, width, signed);
                self.select(condition, then, otherwise)
            }
            Node::And(operands) if !signed => self.slice_bitwise(&operands, low, width, Self::and),
            Node::Or(operands) if !signed => self.slice_bitwise(&operands, low, width, Self::or),
            Node::Xor(operands) if !signed => self.slice_bitwise(&operands, low, width, Self::xor),
            Node::Not(operand) if !signed => {
                let inner = self.slice(operand, low, width, false);
                if width == 1 {
                    return self.complement(inner);
                }
                let complement = self.not(inner);
                self.intern(Node::Slice { of: complement, low: 0, width, signed: false })
            }
            _ => self.slice_general(of, low, width, signed),
        }
    }

    /// Upper bits of a sum of multiples: `⌊(2^k·x + c) / 2^n⌋ = ⌊(x + ⌊c / 2^k⌋) / 2^(n - k)⌋`.
    fn slice_scaled_sum(
        &mut self,
        terms: &[(NodeId, Int)],
        constant: &Int,
        slice: (u32, u32, bool),
    ) -> Option<NodeId> {
        let (low, width, signed) = slice;
        let scale = terms.iter().map(|(_, factor)| trailing_zeros(factor)).min()?.min(low);
        if scale == 0 {
            return None;
        }
        let terms: Vec<_> = terms.iter().map(|(term, factor)| (*term, factor >> scale as usize)).collect();
        let rest = self.linear(&terms, constant >> scale as usize);
        Some(self.slice(rest, low - scale, width, signed))
    }

    /// Upper bits of upper bits and a constant: `⌊(⌊x / 2^k⌋ + c) / 2^n⌋ = ⌊(x + 2^k·c) / 2^(n + k)⌋`, as far as
    /// the bits of `⌊x / 2^k⌋` that are there reach.
    fn slice_moved_sum(
        &mut self,
        terms: &[(NodeId, Int)],
        constant: &Int,
        slice: (u32, u32, bool),
    ) -> Option<NodeId> {
        let (low, width, signed) = slice;
        let [(term, factor)] = terms else { return None };
        let Node::Slice { of, low: inner_low, width: inner_width, signed: inner_signed } = *self.node(*term)
        else {
            return None;
        };
        if factor != &Int::ONE || inner_low == 0 || matches!(self.node(of), Node::Arg(_)) {
            return None;
        }
        let is_whole = self.range(of).fits(inner_low + inner_width, inner_signed);
        if !is_whole && low + width > inner_width {
            return None;
        }
        let moved = self.linear(&[(of, Int::ONE)], constant << inner_low as usize);
        Some(self.slice(moved, inner_low + low, width, signed))
    }

    /// `⌊(2^n·x + y) / 2^n⌋ = x + ⌊y / 2^n⌋`, where no upper bits are cut off.
    fn slice_with_whole_terms(&mut self, of: NodeId, slice: (u32, u32, bool)) -> Option<NodeId> {
        let (low, width, signed) = slice;
        let Node::Sum { terms, constant } = self.node(of).clone() else { return None };
        if !self.range(of).fits(low + width, signed) {
            return None;
        }
        let (whole, rest): (Vec<_>, Vec<_>) =
            terms.iter().cloned().partition(|(_, factor)| trailing_zeros(factor) >= low);
        if whole.is_empty() || rest.is_empty() {
            return None;
        }
        let rest = self.linear(&rest, constant);
        let (own, own_signed) = self.natural(rest).filter(|(own, _)| *own > low)?;
        let upper = self.slice(rest, low, own - low, own_signed);
        let mut sum = vec![(upper, Int::ONE)];
        sum.extend(whole.into_iter().map(|(term, factor)| (term, factor >> low as usize)));
        Some(self.linear(&sum, Int::ZERO))
    }

    /// A part of a value shifted down by a computed count is a slice at that position.
    fn slice_shifted(&mut self, of: NodeId, value: NodeId, count: NodeId, slice: (u32, u32, bool)) -> NodeId {
        let (low, width, signed) = slice;
        // Of bits, not of an arithmetic value: signed and unsigned shifts of these keep one form.
        let bits = match self.node(value) {
            Node::Slice { of, .. } => matches!(self.node(*of), Node::Arg(_)),
            Node::Concat(_) | Node::SliceAt { .. } => true,
            _ => false,
        };
        let part = bits && self.natural(value).is_some_and(|(own, signed)| !signed && low + width < own);
        if part && self.range(count).is_non_negative() {
            return self.slice_from(value, low, count, width, signed);
        }
        self.slice_general(of, low, width, signed)
    }

    fn slice_bitwise(
        &mut self,
        operands: &[NodeId],
        low: u32,
        width: u32,
        op: fn(&mut Self, NodeId, NodeId) -> NodeId,
    ) -> NodeId {
        let slices: Vec<NodeId> = operands.iter().map(|id| self.slice(*id, low, width, false)).collect();
        let mut slices = slices.into_iter();
        let first = slices.next().unwrap_or_else(|| self.int(0));
        slices.fold(first, |joined, slice| op(self, joined, slice))
    }

    fn slice_concat(&mut self, parts: &[Part], low: u32, width: u32, signed: bool) -> NodeId {
        let mut kept = Vec::new();
        let mut position = 0;
        for part in parts {
            let (from, to) = (low.max(position), (low + width).min(position + part.width));
            if from < to {
                kept.push((part.node, from - position, to - from));
            }
            position += part.width;
        }
        let total: u32 = kept.iter().map(|(_, _, width)| width).sum();
        if let [(node, from, part_width)] = kept[..]
            && total == width
        {
            return self.slice(node, from, part_width, signed);
        }
        let parts: Vec<Part> = kept
            .into_iter()
            .map(|(node, from, width)| Part { node: self.slice(node, from, width, false), width })
            .collect();
        let joined = self.concat(&parts);
        if signed && total == width {
            if matches!(self.node(joined), Node::Concat(_)) && !self.range(joined).fits(width, true) {
                return self.intern(Node::Slice { of: joined, low: 0, width, signed: true });
            }
            return self.slice(joined, 0, width, true);
        }
        joined
    }

    /// A slice of an operator: only the bits below its top are demanded of the operand.
    fn slice_general(&mut self, of: NodeId, low: u32, width: u32, signed: bool) -> NodeId {
        let demanded = self.demand(of, low + width);
        if demanded != of {
            return self.slice(demanded, low, width, signed);
        }
        self.intern(Node::Slice { of, low, width, signed })
    }

    /// One representative of all nodes that agree with `id` in the low `width` bits, as far as it can
    /// be told: truncations and signs that do not matter there are dropped.
    pub fn demand(&mut self, id: NodeId, width: u32) -> NodeId {
        if let Some(known) = self.demands.get(&(id, width)) {
            return *known;
        }
        let result = self.demand_uncached(id, width);
        self.demands.insert((id, width), result);
        // A representative represents itself, whatever order its parts were rebuilt in.
        self.demands.insert((result, width), result);
        result
    }

    fn demand_uncached(&mut self, id: NodeId, width: u32) -> NodeId {
        match self.node(id).clone() {
            Node::Slice { of, low, width: inner, signed } if inner >= width => {
                if low == 0 && !matches!(self.node(of), Node::Arg(_)) {
                    self.demand(of, width)
                } else if inner > width || signed {
                    self.slice(of, low, width, false)
                } else {
                    id
                }
            }
            Node::SliceAt { of, base, low, width: inner, signed }
                if inner > width || (inner == width && signed) =>
            {
                self.slice_from(of, base, low, width, false)
            }
            Node::Concat(parts) => {
                let total: u32 = parts.iter().map(|part| part.width).sum();
                if total > width { self.slice_concat(&parts, 0, width, false) } else { id }
            }
            Node::Sum { terms, constant } => {
                let terms: Vec<_> = terms
                    .iter()
                    .map(|(term, factor)| {
                        let shift = trailing_zeros(factor);
                        let kept =
                            if shift >= width { self.int(0) } else { self.demand(*term, width - shift) };
                        match self.above_zeros(kept, width.saturating_sub(shift)) {
                            Some((above, zeros)) => {
                                (self.demand(above, width - shift - zeros), factor << zeros as usize)
                            }
                            None => (kept, factor.clone()),
                        }
                    })
                    .collect();
                self.linear(&terms, constant)
            }
            Node::Mul(factors) => {
                let mut product = self.int(1);
                for factor in factors {
                    let factor = self.demand(factor, width);
                    product = self.mul(product, factor);
                }
                product
            }
            Node::Shl(value, count) => {
                let value = self.demand(value, width);
                self.shl(value, count)
            }
            Node::And(operands) => self.demand_bitwise(&operands, width, Self::and),
            Node::Or(operands) => self.demand_bitwise(&operands, width, Self::or),
            Node::Xor(operands) => self.demand_bitwise(&operands, width, Self::xor),
            Node::Not(operand) => {
                let operand = self.demand(operand, width);
                self.not(operand)
            }
            Node::Select(condition, then, otherwise) => {
                let then = self.demand(then, width);
                let otherwise = self.demand(otherwise, width);
                self.select(condition, then, otherwise)
            }
            _ => id,
        }
    }

    /// What stands above zeros where both make up `width` bits, and the number of zeros: a multiple there.
    fn above_zeros(&self, id: NodeId, width: u32) -> Option<(NodeId, u32)> {
        let Node::Concat(parts) = self.node(id) else { return None };
        let [zeros, above] = **parts else { return None };
        let is_multiple = self.as_int(zeros.node) == Some(&Int::ZERO) && zeros.width < width;
        (is_multiple && zeros.width + above.width >= width).then_some((above.node, zeros.width))
    }

    fn demand_bitwise(
        &mut self,
        operands: &[NodeId],
        width: u32,
        op: fn(&mut Self, NodeId, NodeId) -> NodeId,
    ) -> NodeId {
        let operands: Vec<NodeId> = operands.iter().map(|id| self.demand(*id, width)).collect();
        let mut operands = operands.into_iter();
        let first = operands.next().unwrap_or_else(|| self.int(0));
        operands.fold(first, |joined, operand| op(self, joined, operand))
    }

    /// Bits `low .. low + width` of a non-negative `of` at a computed, non-negative position.
    pub fn slice_at(&mut self, of: NodeId, low: NodeId, width: u32, signed: bool) -> NodeId {
        self.slice_from(of, 0, low, width, signed)
    }

    /// Bits from position `base + low` on, both parts not negative.
    fn slice_from(&mut self, of: NodeId, base: u32, low: NodeId, width: u32, signed: bool) -> NodeId {
        if let Some(low) = self.as_int(low) {
            return match u32::try_from(low + Int::from(base)) {
                Ok(low) if low <= crate::MAX_WIDTH => self.slice(of, low, width, signed),
                _ => self.int(0),
            };
        }
        if let Some(found) = self.slice_of_table(of, base, low, width, signed) {
            return found;
        }
        if let Node::Sum { terms, constant } = self.node(low).clone()
            && constant > Int::ZERO
            && let Ok(constant) = u32::try_from(&constant)
            && base.saturating_add(constant) <= crate::MAX_WIDTH
        {
            let rest = self.linear(&terms, Int::ZERO);
            if self.range(rest).is_non_negative() {
                return self.slice_from(of, base + constant, rest, width, signed);
            }
        }
        if let Node::Slice { of: inner, low: inner_low, width: inner_width, signed: false } = *self.node(of)
            && self.range(inner).is_non_negative()
        {
            let reach = self.range(low).high.as_ref().map(|high| high + Int::from(base + width));
            let inside = reach.is_some_and(|reach| reach <= Int::from(inner_width));
            let whole = match *self.node(inner) {
                Node::Arg(arg) => inner_low == 0 && inner_width == self.arg_widths()[arg as usize],
                _ => false,
            };
            if inside || whole {
                return self.slice_from(inner, base + inner_low, low, width, signed);
            }
        }
        self.intern(Node::SliceAt { of, base, low, width, signed })
    }

    /// An entry of a literal table in one form: tables are read from their low end, and one whose entry for `x ^ y`
    /// is the exclusive or of those for `x` and `y` is exclusive ors of the index's bits.
    fn slice_of_table(
        &mut self,
        of: NodeId,
        base: u32,
        low: NodeId,
        width: u32,
        signed: bool,
    ) -> Option<NodeId> {
        let table = self.as_int(of).filter(|table| *table >= &Int::ZERO)?.clone();
        let (terms, constant) = match self.node(low).clone() {
            Node::Sum { terms, constant } => (terms, constant),
            _ => return None,
        };
        let [(index, step)] = &*terms else { return None };
        let (index, step) = (*index, i64::try_from(step).ok()?);
        let start = i64::from(base) + i64::try_from(&constant).ok()?;
        if step < 0 {
            if !self.range(index).is_non_negative() {
                return None;
            }
            return self.slice_of_reversed(&table, (start, index, -step), width, signed);
        }
        let (bits, false) = self.natural(index)? else { return None };
        if constant != Int::ZERO || !(2..=MAX_TABLE_BITS).contains(&bits) || width > MAX_TABLE_BITS {
            return None;
        }
        let mask = power(width) - Int::ONE;
        let entry = |at: u32| (&table >> (base as usize + step as usize * at as usize)) & &mask;
        let units: Vec<Int> = (0..bits).map(|bit| entry(1 << bit)).collect();
        let joined = |at: u32| {
            (0..bits).filter(|bit| at >> bit & 1 == 1).fold(Int::ZERO, |sum, bit| sum ^ &units[bit as usize])
        };
        if units.iter().all(|unit| unit == &Int::ZERO) || (0..1 << bits).any(|at| entry(at) != joined(at)) {
            return None;
        }
        let mut parts = Vec::with_capacity(width as usize);
        for bit in 0..width {
            let mut node = self.int(0);
            for (place, unit) in units.iter().enumerate() {
                if unit.bit(bit as usize) {
                    let read = self.slice(index, place as u32, 1, false);
                    node = self.xor(node, read);
                }
            }
            parts.push(Part { node, width: 1 });
        }
        let entry = self.concat(&parts);
        Some(self.slice(entry, 0, width, signed))
    }

    /// A slice inside one entry of a table that is read from its high end, at `start - step·index`: the same slice
    /// of the table's entries in opposite order.
    fn slice_of_reversed(
        &mut self,
        table: &Int,
        (start, index, step): (i64, NodeId, i64),
        width: u32,
        signed: bool,
    ) -> Option<NodeId> {
        let (last, inside) = (start.div_euclid(step), start.rem_euclid(step));
        if inside + i64::from(width) > step || last * step > i64::from(crate::MAX_WIDTH) || last < 0 {
            return None;
        }
        let mask = (Int::ONE << step as usize) - Int::ONE;
        let opposite = (0..=last).fold(Int::ZERO, |joined, place| {
            let entry = (table >> ((last - place) * step) as usize) & &mask;
            joined + (entry << (place * step) as usize)
        });
        let of = self.int(opposite);
        let position = self.linear(&[(index, Int::from(step))], Int::ZERO);
        Some(self.slice_from(of, inside as u32, position, width, signed))
    }

    /// Parts side by side, least significant first; each part is its low `width` bits.
    pub fn concat(&mut self, parts: &[Part]) -> NodeId {
        let mut flat: Vec<Part> = Vec::with_capacity(parts.len());
        for part in parts {
            let node = self.slice(part.node, 0, part.width, false);
            match self.node(node).clone() {
                Node::Concat(inner) => {
                    // The value fits the part, its last pieces may have been given more room.
                    let mut room = part.width;
                    for piece in inner {
                        let width = piece.width.min(room);
                        room -= width;
                        self.push_part(&mut flat, Part { node: piece.node, width });
                    }
                    let zero = self.int(0);
                    self.push_part(&mut flat, Part { node: zero, width: room });
                }
                _ => self.push_part(&mut flat, Part { node, width: part.width }),
            }
        }
        while flat.last().is_some_and(|part| self.as_int(part.node) == Some(&Int::ZERO)) {
            flat.pop();
        }
        match flat.as_slice() {
            [] => self.int(0),
            [part] => part.node,
            _ if flat.iter().all(|part| self.as_int(part.node).is_some()) => {
                let mut value = Int::ZERO;
                let mut position = 0;
                for part in &flat {
                    value += self.as_int(part.node).cloned().unwrap_or_default() << position;
                    position += part.width as usize;
                }
                self.int(value)
            }
            _ => self.intern(Node::Concat(flat.into())),
        }
    }

    fn push_part(&mut self, parts: &mut Vec<Part>, part: Part) {
        if part.width == 0 {
            return;
        }
        let Some(last) = parts.last_mut() else {
            parts.push(part);
            return;
        };
        if let (Some(below), Some(above)) = (self.as_int(last.node), self.as_int(part.node)) {
            let value = below + (above << last.width as usize);
            *last = Part { node: self.int(value), width: last.width + part.width };
            return;
        }
        if let (
            &Node::Slice { of, low, width, signed: false },
            &Node::Slice { of: next, low: next_low, width: next_width, signed: false },
        ) = (self.node(last.node), self.node(part.node))
            && of == next
            && width == last.width
            && low + width == next_low
            && next_width <= part.width
        {
            let joined = self.slice(of, low, width + next_width, false);
            // A joined slice that takes less than its place ends the run.
            *last = Part { node: joined, width: last.width + part.width };
            return;
        }
        parts.push(part);
    }
}

/// Bits of an index, and of an entry, of tables that are looked at as a whole.
const MAX_TABLE_BITS: u32 = 8;

/// Zero bits below the lowest one bit; 0 for 0.
pub(super) fn trailing_zeros(value: &Int) -> u32 {
    if value == &Int::ZERO {
        return 0;
    }
    (0..).find(|bit| value.bit(*bit)).unwrap_or(0) as u32
}
