//! Constructors of comparisons and selects, in one form each.

use super::Int;
use super::dag::{Dag, Node, NodeId};
use super::range::{Range, power};

/// Bits of the widest numbers that count elements.
const COUNT_BITS: u32 = 8;

impl Dag {
    /// 1 when equal, else 0.
    pub fn eq(&mut self, left: NodeId, right: NodeId) -> NodeId {
        if left == right {
            return self.int(1);
        }
        let (left, right) = if self.as_int(left).is_some() { (right, left) } else { (left, right) };
        if let Some(constant) = self.as_int(right).cloned() {
            if !Range::point(constant.clone()).within(self.range(left)) {
                return self.int(0);
            }
            if self.is_boolean(left) {
                return if constant == Int::ONE { left } else { self.complement(left) };
            }
            // A sign-extended bit is compared as the bit.
            if let Node::Slice { of, low, width: 1, signed: true } = *self.node(left) {
                let bit = self.slice(of, low, 1, false);
                return if constant == Int::ZERO { self.complement(bit) } else { bit };
            }
        } else if let (Some(_), Some(_)) = (self.natural(left), self.natural(right)) {
            let (a, b) = (self.range(left), self.range(right));
            if a.high < b.low || b.high < a.low {
                return self.int(0);
            }
        }
        if let Some((left, right)) = self.balanced(left, right) {
            return self.eq(left, right);
        }
        // A multiple is compared as what it is a multiple of.
        if let Some(constant) = self.as_int(right).cloned()
            && let Node::Sum { terms, .. } = self.node(left)
            && let [(term, factor)] = &**terms
            && factor > &Int::ONE
        {
            let (term, factor) = (*term, factor.clone());
            if &constant % &factor != Int::ZERO {
                return self.int(0);
            }
            let quotient = self.int(constant / factor);
            return self.eq(term, quotient);
        }
        self.intern(Node::Eq(left.min(right), left.max(right)))
    }

    /// A comparison of `x + c` with a constant as one of `x`.
    fn balanced(&mut self, left: NodeId, right: NodeId) -> Option<(NodeId, NodeId)> {
        let without = |dag: &mut Self, id: NodeId| match dag.node(id).clone() {
            Node::Sum { terms, constant } if constant != Int::ZERO => {
                Some((dag.linear(&terms, Int::ZERO), constant))
            }
            _ => None,
        };
        if let Some(bound) = self.as_int(right).cloned() {
            let (rest, constant) = without(self, left)?;
            return Some((rest, self.int(bound - constant)));
        }
        if let Some(bound) = self.as_int(left).cloned() {
            let (rest, constant) = without(self, right)?;
            return Some((self.int(bound - constant), rest));
        }
        None
    }

    /// 1 when not equal, else 0.
    pub fn ne(&mut self, left: NodeId, right: NodeId) -> NodeId {
        let equal = self.eq(left, right);
        self.complement(equal)
    }

    /// 1 when `left < right`, else 0.
    pub fn lt(&mut self, left: NodeId, right: NodeId) -> NodeId {
        if left == right {
            return self.int(0);
        }
        let (a, b) = (self.range(left).clone(), self.range(right).clone());
        if let (Some(high), Some(low)) = (&a.high, &b.low)
            && high < low
        {
            return self.int(1);
        }
        if let (Some(low), Some(high)) = (&a.low, &b.high)
            && low >= high
        {
            return self.int(0);
        }
        if let Some((left, right)) = self.balanced(left, right) {
            return self.lt(left, right);
        }
        if let Some(bound) = self.as_int(right).cloned() {
            if bound == Int::ZERO
                && let Node::Slice { of, low, width, signed: true } = *self.node(left)
            {
                return self.slice(of, low + width - 1, 1, false);
            }
            // One boundary away from the only value below (or the top), order is equality.
            if a.low == Some(&bound - Int::ONE) {
                let least = self.int(bound - Int::ONE);
                return self.eq(left, least);
            }
        }
        if let Some(bound) = self.as_int(left).cloned() {
            if bound == Int::from(-1)
                && let Node::Slice { of, low, width, signed: true } = *self.node(right)
            {
                let sign = self.slice(of, low + width - 1, 1, false);
                return self.complement(sign);
            }
            if b.low.as_ref() == Some(&bound) {
                let equal = self.eq(right, left);
                return self.complement(equal);
            }
            // c < x is not x < c + 1.
            let above = self.int(bound + Int::ONE);
            let below = self.lt(right, above);
            return self.complement(below);
        }
        // A multiple of a count is compared as the count; of other numbers not, whose clamps are told by the bound.
        if let Some(bound) = self.as_int(right).cloned()
            && let Node::Sum { terms, constant } = self.node(left)
            && let [(term, factor)] = &**terms
            && factor > &Int::ONE
            && constant == &Int::ZERO
            && bound >= Int::ZERO
            && matches!(self.range(*term).natural(), Some((width, false)) if width <= COUNT_BITS)
        {
            let term = *term;
            let quotient = self.int((bound + factor - Int::ONE) / factor);
            return self.lt(term, quotient);
        }
        // a - b compared with 0 is a compared with b.
        self.intern(Node::Lt(left, right))
    }

    /// 1 when `left <= right`, else 0.
    pub fn le(&mut self, left: NodeId, right: NodeId) -> NodeId {
        if left == right {
            return self.int(1);
        }
        if let Some(bound) = self.as_int(right).cloned() {
            let above = self.int(bound + Int::ONE);
            return self.lt(left, above);
        }
        if self.as_int(left).is_some() {
            let below = self.lt(right, left);
            return self.complement(below);
        }
        let (a, b) = (self.range(left).clone(), self.range(right).clone());
        if let (Some(high), Some(low)) = (&a.high, &b.low)
            && high <= low
        {
            return self.int(1);
        }
        if let (Some(low), Some(high)) = (&a.low, &b.high)
            && low > high
        {
            return self.int(0);
        }
        self.intern(Node::Le(left, right))
    }

    /// 1 for 0 and 0 for 1; the operand is boolean.
    pub fn complement(&mut self, operand: NodeId) -> NodeId {
        match self.node(operand).clone() {
            Node::Const(value) => self.int(Int::ONE - value),
            Node::Lt(left, right) if self.as_int(right).is_none() => self.le(right, left),
            Node::Le(left, right) => self.lt(right, left),
            Node::Select(condition, then, otherwise)
                if self.as_int(then).is_some() || self.as_int(otherwise).is_some() =>
            {
                let then = self.complement(then);
                let otherwise = self.complement(otherwise);
                self.select(condition, then, otherwise)
            }
            Node::Xor(operands) => {
                let one = self.int(1);
                match operands.iter().position(|id| *id == one) {
                    Some(position) if operands.len() == 2 => operands[1 - position],
                    _ => self.xor_one(operand),
                }
            }
            _ => self.xor_one(operand),
        }
    }

    fn xor_one(&mut self, operand: NodeId) -> NodeId {
        let one = self.int(1);
        let mut operands = match self.node(operand) {
            Node::Xor(inner) => inner.to_vec(),
            _ => vec![operand],
        };
        match operands.iter().position(|id| *id == one) {
            Some(position) => {
                operands.remove(position);
            }
            None => operands.push(one),
        }
        operands.sort_unstable();
        self.intern(Node::Xor(operands.into()))
    }

    /// The operand of which this is the complement, for the forms that have no positive twin.
    fn complemented(&self, operand: NodeId) -> Option<NodeId> {
        let Node::Xor(operands) = self.node(operand) else { return None };
        let [left, right] = **operands else { return None };
        if self.as_int(left) == Some(&Int::ONE) {
            Some(right)
        } else if self.as_int(right) == Some(&Int::ONE) {
            Some(left)
        } else {
            None
        }
    }

    /// `then` where the boolean `condition` is 1, else `otherwise`.
    pub fn select(&mut self, condition: NodeId, then: NodeId, otherwise: NodeId) -> NodeId {
        if then == otherwise {
            return then;
        }
        if let Some(known) = self.as_int(condition) {
            return if known == &Int::ZERO { otherwise } else { then };
        }
        if let Some(positive) = self.complemented(condition) {
            return self.select(positive, otherwise, then);
        }
        if let Node::Le(left, right) = *self.node(condition) {
            let condition = self.lt(right, left);
            return self.select(condition, otherwise, then);
        }
        let then = match *self.node(then) {
            Node::Select(inner, kept, _) if inner == condition => kept,
            _ => then,
        };
        let otherwise = match *self.node(otherwise) {
            Node::Select(inner, _, kept) if inner == condition => kept,
            _ => otherwise,
        };
        if then == otherwise {
            return then;
        }
        match (self.as_int(then).cloned(), self.as_int(otherwise).cloned()) {
            (Some(one), Some(zero)) if zero == Int::ZERO => {
                if one == Int::ONE {
                    return condition;
                }
                if one == Int::from(-1) {
                    return self.neg(condition);
                }
                if let Some((width, false)) = Range::point(one.clone()).natural()
                    && one == power(width) - Int::ONE
                {
                    let fill = self.neg(condition);
                    return self.slice(fill, 0, width, false);
                }
            }
            (Some(zero), Some(one)) if zero == Int::ZERO => {
                let opposite = self.complement(condition);
                if one == Int::ONE {
                    return opposite;
                }
                if one == Int::from(-1) {
                    return self.neg(opposite);
                }
                if let Some((width, false)) = Range::point(one.clone()).natural()
                    && one == power(width) - Int::ONE
                {
                    let fill = self.neg(opposite);
                    return self.slice(fill, 0, width, false);
                }
            }
            (None, Some(zero)) if zero == Int::ZERO && self.is_boolean(then) => {
                return self.and(condition, then);
            }
            (Some(one), None) if one == Int::ONE && self.is_boolean(otherwise) => {
                return self.or(condition, otherwise);
            }
            (Some(zero), None) if zero == Int::ZERO && self.is_boolean(otherwise) => {
                let opposite = self.complement(condition);
                return self.and(opposite, otherwise);
            }
            _ => {}
        }
        // A choice between a value and the same value moved by a constant moves it by the condition.
        if self.as_int(then).is_none() && self.as_int(otherwise).is_none() {
            let distance = self.sub(then, otherwise);
            if let Some(distance) = self.as_int(distance).cloned() {
                return self.linear(&[(otherwise, Int::ONE), (condition, distance)], Int::ZERO);
            }
        }
        if let Some(simpler) = self.select_by_order(condition, then, otherwise) {
            return simpler;
        }
        if let Some(simpler) = self.redundant_guard(condition, then, otherwise) {
            return simpler;
        }
        if let Some(simpler) = self.select_by_label(condition, then, otherwise) {
            return simpler;
        }
        if let Some(simpler) = self.select_first_one(condition, then, otherwise) {
            return simpler;
        }
        if let Some(ranked) = self.select_by_rank(condition, then, otherwise) {
            return ranked;
        }
        if self.counts_zero_anyway(condition, then, otherwise) {
            return otherwise;
        }
        self.intern(Node::Select(condition, then, otherwise))
    }

    /// Every value of a label chooses a slice at a multiple of the label: a slice at a computed position.
    fn select_by_label(&mut self, condition: NodeId, then: NodeId, otherwise: NodeId) -> Option<NodeId> {
        let Node::Slice { of, signed: false, .. } = *self.node(then) else { return None };
        let label_of = |dag: &Self, condition: NodeId| match *dag.node(condition) {
            Node::Eq(left, right) => match (dag.as_i64(left), dag.as_i64(right)) {
                (Some(label), None) => Some((right, label)),
                (None, Some(label)) => Some((left, label)),
                _ => None,
            },
            Node::Slice { width: 1, signed: false, .. } => Some((condition, 1)),
            _ => None,
        };
        let (label, first) = label_of(self, condition)?;
        let (width, false) = self.natural(label)? else { return None };
        if width > 8 {
            return None;
        }
        let mut arms: Vec<Option<NodeId>> = vec![None; 1 << width];
        *arms.get_mut(usize::try_from(first).ok()?)? = Some(then);
        let mut rest = otherwise;
        while let Node::Select(condition, then, otherwise) = *self.node(rest) {
            match label_of(self, condition) {
                Some((same, value)) if same == label => {
                    let arm = arms.get_mut(usize::try_from(value).ok()?)?;
                    arm.get_or_insert(then);
                    rest = otherwise;
                }
                _ => return None,
            }
        }
        let mut missing = arms.iter_mut().filter(|arm| arm.is_none());
        if let Some(last) = missing.next() {
            if missing.next().is_some() {
                return None;
            }
            *last = Some(rest);
        }
        let mut lows = Vec::with_capacity(arms.len());
        let mut slice_width = None;
        for arm in arms.into_iter().flatten() {
            match *self.node(arm) {
                Node::Slice { of: same, low, width, signed: false }
                    if same == of && *slice_width.get_or_insert(width) == width =>
                {
                    lows.push(i64::from(low));
                }
                _ => return None,
            }
        }
        let stride = lows[1] - lows[0];
        let affine = lows.iter().zip(0..).all(|(low, index)| *low == lows[0] + index * stride);
        if !affine || stride <= 0 || !self.range(of).is_non_negative() {
            return None;
        }
        let position = self.linear(&[(label, Int::from(stride))], Int::from(lows[0]));
        Some(self.slice_at(of, position, slice_width?, false))
    }

    /// The place of the first one bit, looked for bit by bit: zero bits above, or below, it.
    fn select_first_one(&mut self, condition: NodeId, then: NodeId, otherwise: NodeId) -> Option<NodeId> {
        if self.as_int(then) != Some(&Int::ZERO) {
            return None;
        }
        let bit_of = |dag: &Self, id: NodeId| match *dag.node(id) {
            Node::Slice { of, low, width: 1, signed: false } => Some((of, low)),
            _ => None,
        };
        let (of, first) = bit_of(self, condition)?;
        let mut step = 0;
        let mut count: u32 = 1;
        let mut rest = otherwise;
        while let Node::Select(condition, then, otherwise) = *self.node(rest) {
            let (same, low) = bit_of(self, condition)?;
            let distance = i64::from(low) - i64::from(first);
            if count == 1 {
                step = distance;
            }
            if same != of || step.abs() != 1 || distance != step * i64::from(count) {
                return None;
            }
            if self.as_i64(then) != Some(i64::from(count)) {
                return None;
            }
            count += 1;
            rest = otherwise;
        }
        if count < 2 || self.as_i64(rest) != Some(i64::from(count)) {
            return None;
        }
        if step < 0 {
            let value = self.slice(of, first + 1 - count, count, false);
            Some(self.leading_zeros(value, count))
        } else {
            let value = self.slice(of, first, count, false);
            Some(self.trailing_zeros(value, count))
        }
    }

    /// Whether `then` is what counting zero bits gives for 0, and 0 is the case that is set apart.
    fn counts_zero_anyway(&self, condition: NodeId, then: NodeId, otherwise: NodeId) -> bool {
        let (Node::LeadingZeros(counted, width) | Node::TrailingZeros(counted, width)) =
            *self.node(otherwise)
        else {
            return false;
        };
        let Node::Eq(left, right) = *self.node(condition) else { return false };
        let is_zero = |id| self.as_int(id) == Some(&Int::ZERO);
        self.as_i64(then) == Some(i64::from(width))
            && ((left == counted && is_zero(right)) || (right == counted && is_zero(left)))
    }

    /// Minimum, maximum and magnitude written as a choice.
    fn select_by_order(&mut self, condition: NodeId, then: NodeId, otherwise: NodeId) -> Option<NodeId> {
        match *self.node(condition) {
            Node::Lt(left, right) => {
                if (then, otherwise) == (left, right) {
                    return Some(self.min(left, right));
                }
                if (then, otherwise) == (right, left) {
                    return Some(self.max(left, right));
                }
                // x < c: a bound one off is the same choice, also after the opposite clamp of x.
                if let Some(bound) = self.as_int(right).cloned() {
                    let at_bound = |kept: &Int| kept == &bound || kept == &(&bound - Int::ONE);
                    if let Some(kept) = self.as_int(otherwise).cloned()
                        && at_bound(&kept)
                        && self.is_clamp_of(then, left, &kept, false)
                    {
                        return Some(self.min(then, otherwise));
                    }
                    if let Some(kept) = self.as_int(then).cloned()
                        && at_bound(&kept)
                        && self.is_clamp_of(otherwise, left, &kept, true)
                    {
                        return Some(self.max(otherwise, then));
                    }
                }
                // |left - right|
                let difference = self.sub(right, left);
                if then == difference {
                    let negated = self.neg(difference);
                    if otherwise == negated {
                        return Some(self.abs(difference));
                    }
                }
                None
            }
            Node::Slice { of, low, width: 1, signed: false } => {
                // The sign bit of `value` chooses between it and 0.
                if let Node::Slice { of: inner, low: from, width, signed: true } = *self.node(otherwise)
                    && inner == of
                    && from + width - 1 == low
                    && self.as_int(then) == Some(&Int::ZERO)
                {
                    return Some(self.max(otherwise, then));
                }
                // The sign bit of `value` chooses between it and its negation.
                let (value, negated) = match (self.node(then), self.node(otherwise)) {
                    (_, Node::Slice { of: inner, .. }) if *inner == of => (otherwise, then),
                    _ => return None,
                };
                let Node::Slice { low: from, width, signed: true, .. } = *self.node(value) else {
                    return None;
                };
                (from + width - 1 == low && self.neg(value) == negated).then(|| self.abs(value))
            }
            _ => None,
        }
    }

    /// Whether `clamped` is `value`, or `value` with one bound that does not pass `kept`: a greatest value of
    /// at least `kept` (`least`), or a least value of at most it.
    fn is_clamp_of(&self, clamped: NodeId, value: NodeId, kept: &Int, least: bool) -> bool {
        if clamped == value {
            return true;
        }
        if let Node::Saturate { of, width, signed: false } = *self.node(clamped) {
            // With no value above the width's greatest, only the bound 0 is left.
            let high = power(width) - Int::ONE;
            return !least
                && of == value
                && kept >= &Int::ZERO
                && self.range(value).high.as_ref().is_some_and(|most| most <= &high);
        }
        let operands = match (self.node(clamped), least) {
            (Node::Min(operands), true) | (Node::Max(operands), false) => operands,
            _ => return false,
        };
        operands.len() == 2
            && operands.contains(&value)
            && operands
                .iter()
                .filter_map(|id| self.as_int(*id))
                .all(|bound| if least { bound >= kept } else { bound <= kept })
            && operands.iter().any(|id| self.as_int(*id).is_some())
    }

    /// A guard on a shift count beyond which exact shifting gives the guarded value anyway.
    fn redundant_guard(&mut self, condition: NodeId, then: NodeId, otherwise: NodeId) -> Option<NodeId> {
        let Node::Lt(count, bound) = *self.node(condition) else { return None };
        let limit = u32::try_from(self.as_int(bound)?).ok()?;
        // count < limit ? shifted : far
        let far = self.shifted_far(then, count, limit)?;
        (far == otherwise).then_some(then)
    }

    /// What a shift by `count` becomes for every count of at least `limit`, if that is one value.
    fn shifted_far(&mut self, shifted: NodeId, count: NodeId, limit: u32) -> Option<NodeId> {
        if limit > crate::MAX_WIDTH {
            return None;
        }
        match *self.node(shifted) {
            Node::Slice { of, low, width, signed } => match *self.node(of) {
                Node::Shl(_, by) if by == count && limit >= low + width => Some(self.int(0)),
                _ => {
                    let far = self.shifted_far(of, count, limit)?;
                    Some(self.slice(far, low, width, signed))
                }
            },
            Node::SliceAt { of, base, low: by, .. } if by == count => {
                let (width, signed) = self.natural(of)?;
                (!signed && limit + base >= width).then(|| self.int(0))
            }
            Node::Shr(value, by) if by == count => {
                let (width, signed) = self.natural(value)?;
                if limit < width - u32::from(signed) {
                    return None;
                }
                let limit = self.int(limit);
                Some(self.shr(value, limit))
            }
            _ => None,
        }
    }
}
