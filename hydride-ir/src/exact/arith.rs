//! Constructors of arithmetic nodes: sums, products, shifts, extrema, saturation, division.

use super::Int;
use super::dag::{Dag, Node, NodeId};
use super::range::{Range, power};

impl Dag {
    /// The sum of the operands.
    pub fn sum(&mut self, operands: &[NodeId]) -> NodeId {
        let terms: Vec<(NodeId, Int)> = operands.iter().map(|id| (*id, Int::ONE)).collect();
        self.linear(&terms, Int::ZERO)
    }

    /// `left - right`.
    pub fn sub(&mut self, left: NodeId, right: NodeId) -> NodeId {
        self.linear(&[(left, Int::ONE), (right, Int::from(-1))], Int::ZERO)
    }

    /// `-operand`.
    pub fn neg(&mut self, operand: NodeId) -> NodeId {
        self.linear(&[(operand, Int::from(-1))], Int::ZERO)
    }

    /// `Σ coefficient·term + constant`, flat, sorted and without zero coefficients.
    pub fn linear(&mut self, terms: &[(NodeId, Int)], constant: Int) -> NodeId {
        let mut flat: Vec<(NodeId, Int)> = Vec::with_capacity(terms.len());
        let mut total = constant;
        for (term, coefficient) in terms {
            match self.node(*term) {
                Node::Const(value) => total += value * coefficient,
                Node::Sum { terms: inner, constant } => {
                    total += constant * coefficient;
                    flat.extend(inner.iter().map(|(node, factor)| (*node, factor * coefficient)));
                }
                _ => flat.push((*term, coefficient.clone())),
            }
        }
        flat.sort_by_key(|(node, _)| *node);
        flat.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += &next.1;
            }
            same
        });
        flat.retain(|(_, coefficient)| coefficient != &Int::ZERO);
        self.gather_bits(&mut flat);
        match flat.as_slice() {
            [] => return self.int(total),
            [(term, coefficient)] if total == Int::ZERO && coefficient == &Int::ONE => return *term,
            [(term, coefficient)] if total == Int::ZERO && coefficient == &Int::from(-1) => {
                // The negation of one bit is that bit read as two's complement.
                if let Node::Slice { of, low, width: 1, signed } = *self.node(*term) {
                    return self.slice(of, low, 1, !signed);
                }
            }
            // 1 - b is the complement of a boolean.
            [(term, coefficient)]
                if total == Int::ONE && coefficient == &Int::from(-1) && self.is_boolean(*term) =>
            {
                return self.complement(*term);
            }
            _ => {}
        }
        self.intern(Node::Sum { terms: flat.into(), constant: total })
    }

    /// Adjacent bits that are added, or added with one factor, count the ones of a slice.
    fn gather_bits(&mut self, terms: &mut Vec<(NodeId, Int)>) {
        if terms.len() < 2 {
            return;
        }
        let run_of = |dag: &Self, id: NodeId| match *dag.node(id) {
            Node::Slice { of, low, width: 1, signed: false } => Some((of, low, 1)),
            Node::PopCount(counted) => match *dag.node(counted) {
                Node::Slice { of, low, width, signed: false } => Some((of, low, width)),
                _ => None,
            },
            _ => None,
        };
        let mut runs: Vec<(Int, (NodeId, u32, u32))> =
            terms.iter().filter_map(|(term, factor)| Some((factor.clone(), run_of(self, *term)?))).collect();
        runs.sort_unstable();
        let joins = |left: &(NodeId, u32, u32), right: &(NodeId, u32, u32)| {
            left.0 == right.0 && left.1 + left.2 == right.1
        };
        if !runs.windows(2).any(|pair| pair[0].0 == pair[1].0 && joins(&pair[0].1, &pair[1].1)) {
            return;
        }
        terms.retain(|(term, _)| run_of(self, *term).is_none());
        let mut joined: Vec<(Int, (NodeId, u32, u32))> = Vec::new();
        for (factor, run) in runs {
            match joined.last_mut() {
                Some((known, last)) if *known == factor && joins(last, &run) => last.2 += run.2,
                _ => joined.push((factor, run)),
            }
        }
        for (factor, (of, low, width)) in joined {
            let slice = self.slice(of, low, width, false);
            terms.push((self.popcount(slice), factor));
        }
        terms.sort_by_key(|(term, _)| *term);
    }

    /// The product of two operands.
    pub fn mul(&mut self, left: NodeId, right: NodeId) -> NodeId {
        let mut factors = Vec::new();
        let mut coefficient = Int::ONE;
        for operand in [left, right] {
            match self.node(operand) {
                Node::Const(value) => coefficient *= value,
                Node::Mul(inner) => factors.extend(inner.iter().copied()),
                Node::Sum { terms, constant } if terms.len() == 1 && constant == &Int::ZERO => {
                    let (term, factor) = terms[0].clone();
                    coefficient *= factor;
                    match self.node(term) {
                        Node::Mul(inner) => factors.extend(inner.iter().copied()),
                        _ => factors.push(term),
                    }
                }
                _ => factors.push(operand),
            }
        }
        if coefficient == Int::ZERO {
            return self.int(0);
        }
        factors.sort_unstable();
        let product = match factors.as_slice() {
            [] => return self.int(coefficient),
            [factor] => *factor,
            _ => self.intern(Node::Mul(factors.into())),
        };
        self.linear(&[(product, coefficient)], Int::ZERO)
    }

    /// `value · 2^count`; the count is not negative.
    pub fn shl(&mut self, value: NodeId, count: NodeId) -> NodeId {
        match self.as_i64(count) {
            Some(count) if (0..=i64::from(crate::MAX_WIDTH)).contains(&count) => {
                let factor = power(count as u32);
                self.linear(&[(value, factor)], Int::ZERO)
            }
            _ if self.as_int(value) == Some(&Int::ZERO) => value,
            _ => self.intern(Node::Shl(value, count)),
        }
    }

    /// `⌊value / 2^count⌋`; the count is not negative.
    pub fn shr(&mut self, value: NodeId, count: NodeId) -> NodeId {
        let Some(amount) = self.as_int(count).map(|count| u32::try_from(count).unwrap_or(u32::MAX)) else {
            if self.as_int(value) == Some(&Int::ZERO) {
                return value;
            }
            return self.intern(Node::Shr(value, count));
        };
        if amount == 0 {
            return value;
        }
        if let Some(value) = self.as_int(value) {
            let shifted = value >> amount.min(4 * crate::MAX_WIDTH) as usize;
            return self.int(shifted);
        }
        match self.node(value).clone() {
            Node::Slice { of, low, width, signed } => {
                if amount < width {
                    return self.slice(of, low + amount, width - amount, signed);
                }
                return if signed { self.slice(of, low + width - 1, 1, true) } else { self.int(0) };
            }
            Node::Concat(parts) => {
                let width: u32 = parts.iter().map(|part| part.width).sum();
                return if amount >= width {
                    self.int(0)
                } else {
                    self.slice(value, amount, width - amount, false)
                };
            }
            Node::Sum { terms, constant } => {
                // Exact division where every part is a multiple.
                let unit = power(amount.min(crate::MAX_WIDTH));
                if terms.iter().all(|(_, coefficient)| coefficient % &unit == Int::ZERO)
                    && &constant % &unit == Int::ZERO
                {
                    let quotients: Vec<_> =
                        terms.iter().map(|(term, coefficient)| (*term, coefficient / &unit)).collect();
                    return self.linear(&quotients, constant / unit);
                }
            }
            Node::Shr(inner, by) if self.as_i64(by).is_some() => {
                let amount = self.int(amount);
                let total = self.sum(&[by, amount]);
                return self.shr(inner, total);
            }
            Node::And(_) | Node::Or(_) | Node::Xor(_) => {
                if let Some((width, false)) = self.natural(value)
                    && amount < width
                {
                    return self.slice(value, amount, width - amount, false);
                }
            }
            Node::Select(condition, then, otherwise)
                if self.as_int(then).is_some() || self.as_int(otherwise).is_some() =>
            {
                let then = self.shr(then, count);
                let otherwise = self.shr(otherwise, count);
                return self.select(condition, then, otherwise);
            }
            _ => {}
        }
        if self.natural(value).is_some_and(|(width, signed)| !signed && amount >= width) {
            return self.int(0);
        }
        self.intern(Node::Shr(value, count))
    }

    /// The least of two operands.
    pub fn min(&mut self, left: NodeId, right: NodeId) -> NodeId {
        self.extremum(left, right, true)
    }

    /// The greatest of two operands.
    pub fn max(&mut self, left: NodeId, right: NodeId) -> NodeId {
        self.extremum(left, right, false)
    }

    fn extremum(&mut self, left: NodeId, right: NodeId, least: bool) -> NodeId {
        let mut operands = Vec::new();
        for operand in [left, right] {
            match (self.node(operand), least) {
                (Node::Min(inner), true) | (Node::Max(inner), false) => {
                    operands.extend(inner.iter().copied())
                }
                _ => operands.push(operand),
            }
        }
        operands.sort_unstable();
        operands.dedup();
        let (constants, mut others): (Vec<_>, Vec<_>) =
            operands.into_iter().partition(|operand| self.as_int(*operand).is_some());
        let values = constants.iter().filter_map(|id| self.as_int(*id));
        let constant = if least { values.min() } else { values.max() }.cloned();
        let inner = match others.len() {
            0 => return self.int(constant.unwrap_or_default()),
            1 => others[0],
            _ => self.extremum_of(others.clone(), least),
        };
        let Some(constant) = constant else { return inner };
        let range = self.range(inner);
        let bound = if least { &range.high } else { &range.low };
        if bound.as_ref().is_some_and(|bound| if least { bound <= &constant } else { bound >= &constant }) {
            return inner;
        }
        if let Some(saturated) = self.as_saturation(inner, &constant, least) {
            return saturated;
        }
        let literal = self.int(constant);
        others.push(literal);
        self.extremum_of(others, least)
    }

    fn extremum_of(&mut self, mut operands: Vec<NodeId>, least: bool) -> NodeId {
        operands.sort_unstable();
        if let [left, right] = operands[..]
            && !least
            && self.neg(left) == right
        {
            let (left, right) = (left.min(right), left.max(right));
            let magnitude = if matches!(self.node(left), Node::Sum { .. }) { right } else { left };
            return self.abs(magnitude);
        }
        self.intern(if least { Node::Min(operands.into()) } else { Node::Max(operands.into()) })
    }

    /// Recognises a clamp to the range of a width in the bound that completes it.
    fn as_saturation(&mut self, inner: NodeId, bound: &Int, least: bool) -> Option<NodeId> {
        let is_leaf = |dag: &Dag, id| matches!(dag.node(id), Node::Slice { of, .. } if matches!(dag.node(*of), Node::Arg(_)));
        let range = self.range(inner).clone();
        if least
            && let Node::Saturate { of, width, signed: false } = *self.node(inner)
            && let Some((narrower, false)) = Range::point(bound.clone()).natural()
            && narrower < width
            && bound == &(power(narrower) - Int::ONE)
        {
            return Some(self.saturate(of, narrower, false));
        }
        if least {
            // min(…, high): the value is bounded below by the same type's minimum already.
            let (width, signed) = Range::point(bound.clone()).natural()?;
            let (of, low) = match self.node(inner).clone() {
                Node::Max(operands) if operands.len() == 2 => {
                    let constant = operands.iter().find_map(|id| self.as_int(*id).cloned());
                    let other = operands.iter().copied().find(|id| self.as_int(*id).is_none());
                    match (constant, other) {
                        (Some(constant), Some(other)) => (other, constant),
                        _ => return None,
                    }
                }
                _ => (inner, range.low.clone()?),
            };
            if signed || bound != &(power(width) - Int::ONE) {
                return None;
            }
            if matches!(self.node(inner), Node::Max(_)) {
                // Both bounds are written out.
                if low == Int::ZERO {
                    return Some(self.saturate(of, width, false));
                }
                return (low == -power(width)).then(|| self.saturate(of, width + 1, true));
            }
            if low >= Int::ZERO {
                return Some(self.saturate(of, width, false));
            }
            (low >= -power(width)).then(|| self.saturate(of, width + 1, true))
        } else {
            // max(…, low) where the upper bound was applied before, or cannot be exceeded.
            if let Node::Min(operands) = self.node(inner).clone()
                && operands.len() == 2
            {
                let high = operands.iter().find_map(|id| self.as_int(*id).cloned())?;
                let of = operands.iter().copied().find(|id| self.as_int(*id).is_none())?;
                let (width, _) = Range::point(high.clone()).natural()?;
                if high != power(width) - Int::ONE {
                    return None;
                }
                if bound == &Int::ZERO {
                    return Some(self.saturate(of, width, false));
                }
                return (bound == &-power(width)).then(|| self.saturate(of, width + 1, true));
            }
            if is_leaf(self, inner) || bound != &Int::ZERO {
                return None;
            }
            let high = range.high?;
            let (width, signed) = Range::point(high.clone()).natural()?;
            (!signed && high == power(width) - Int::ONE).then(|| self.saturate(inner, width, false))
        }
    }

    /// `value` clamped into the range of `width` bits.
    pub fn saturate(&mut self, value: NodeId, width: u32, signed: bool) -> NodeId {
        if self.range(value).fits(width, signed) {
            return value;
        }
        if let Some(constant) = self.as_int(value) {
            let bounds = Range::of_width(width, signed);
            let (low, high) = (bounds.low.unwrap_or_default(), bounds.high.unwrap_or_default());
            let clamped = constant.clone().clamp(low, high);
            return self.int(clamped);
        }
        self.intern(Node::Saturate { of: value, width, signed })
    }

    /// The magnitude of `value`.
    pub fn abs(&mut self, value: NodeId) -> NodeId {
        if self.range(value).is_non_negative() {
            return value;
        }
        if self.range(value).high.as_ref().is_some_and(|high| high <= &Int::ZERO) {
            return self.neg(value);
        }
        // |a - b| = |b - a|: the term that reads the earlier argument is the one that is added, whatever its position.
        if let Node::Sum { terms, constant } = self.node(value)
            && terms
                .iter()
                .min_by_key(|(term, _)| self.reading_order(*term))
                .is_some_and(|(_, factor)| factor < &Int::ZERO)
        {
            let negated: Vec<_> = terms.iter().map(|(term, factor)| (*term, -factor)).collect();
            let constant = -constant;
            let value = self.linear(&negated, constant);
            return self.intern(Node::Abs(value));
        }
        self.intern(Node::Abs(value))
    }

    /// An order of terms by what they read first, the same wherever they read it.
    fn reading_order(&self, id: NodeId) -> (u32, u32, NodeId) {
        let mut depth = 0;
        let mut first = id;
        loop {
            match self.node(first) {
                Node::Arg(arg) => return (depth, *arg, id),
                node => match node.operands().first() {
                    Some(operand) => first = *operand,
                    None => return (depth, u32::MAX, id),
                },
            }
            depth += 1;
        }
    }

    /// Quotient rounded toward zero; `None` for a divisor that is always zero.
    pub fn div(&mut self, left: NodeId, right: NodeId) -> Option<NodeId> {
        let divisor = self.as_int(right).cloned();
        if divisor == Some(Int::ZERO) {
            return None;
        }
        if let (Some(dividend), Some(divisor)) = (self.as_int(left), &divisor) {
            let quotient = dividend / divisor;
            return Some(self.int(quotient));
        }
        if divisor == Some(Int::ONE) {
            return Some(left);
        }
        if let Some(divisor) = divisor
            && self.range(left).is_non_negative()
            && let Some((width, false)) = Range::point(divisor.clone()).natural()
            && divisor == power(width - 1)
        {
            let count = self.int(width - 1);
            return Some(self.shr(left, count));
        }
        Some(self.intern(Node::Div(left, right)))
    }

    /// Remainder with the dividend's sign; `None` for a divisor that is always zero.
    pub fn rem(&mut self, left: NodeId, right: NodeId) -> Option<NodeId> {
        let divisor = self.as_int(right).cloned();
        if divisor == Some(Int::ZERO) {
            return None;
        }
        if let (Some(dividend), Some(divisor)) = (self.as_int(left), &divisor) {
            let remainder = dividend % divisor;
            return Some(self.int(remainder));
        }
        if let Some(divisor) = divisor
            && self.range(left).is_non_negative()
            && let Some((width, false)) = Range::point(divisor.clone()).natural()
            && divisor == power(width - 1)
        {
            return Some(self.slice(left, 0, width - 1, false));
        }
        Some(self.intern(Node::Rem(left, right)))
    }

    /// Number of one bits of a value that is not negative.
    pub fn popcount(&mut self, value: NodeId) -> NodeId {
        use dashu_int::ops::BitTest;
        if self.is_boolean(value) {
            return value;
        }
        if let Some(constant) = self.as_int(value) {
            let count = (0..constant.bit_len()).filter(|bit| constant.bit(*bit)).count();
            return self.int(count);
        }
        self.intern(Node::PopCount(value))
    }

    /// Zero bits above the highest one bit among the low `width` bits of `value`.
    pub fn leading_zeros(&mut self, value: NodeId, width: u32) -> NodeId {
        use dashu_int::ops::BitTest;
        let value = self.slice(value, 0, width, false);
        if let Some(constant) = self.as_int(value) {
            let count = width - constant.bit_len() as u32;
            return self.int(count);
        }
        self.intern(Node::LeadingZeros(value, width))
    }

    /// Zero bits below the lowest one bit among the low `width` bits of `value`.
    pub fn trailing_zeros(&mut self, value: NodeId, width: u32) -> NodeId {
        use dashu_int::ops::BitTest;
        let value = self.slice(value, 0, width, false);
        if let Some(constant) = self.as_int(value) {
            let count = (0..width).find(|bit| constant.bit(*bit as usize)).unwrap_or(width);
            return self.int(count);
        }
        self.intern(Node::TrailingZeros(value, width))
    }
}
