//! Shifts down and slices: values as the upper bits of others.

use hydride_ir::exact::{Int, Node, NodeId, Part};

use super::{Binding, Demand, HALVES, Unify};

impl Unify<'_> {
    /// A value of which `value` is what is above the lowest `low` bits.
    pub(super) fn before(&mut self, value: NodeId, low: u32) -> Option<NodeId> {
        let mut node = self.dag.node(value).clone();
        if let Node::Slice { of, low: 0, .. } = node
            && !matches!(self.dag.node(of), Node::Arg(_))
        {
            node = self.dag.node(of).clone();
        }
        match node {
            Node::Shr(of, count) => {
                let rest = self.dag.as_i64(count)? - i64::from(low);
                let rest = (rest >= 0).then(|| self.dag.int(rest))?;
                Some(self.dag.shr(of, rest))
            }
            Node::Slice { of, low: own, width, signed } if own >= low => {
                Some(self.dag.slice(of, own - low, width + low, signed))
            }
            // Values side by side, of which the lowest one goes on below.
            Node::Concat(parts) => match *self.dag.node(parts[0].node) {
                Node::Slice { of, low: own, width, signed: false } if own >= low => {
                    let mut parts = parts.to_vec();
                    let node = self.dag.slice(of, own - low, width + low, false);
                    parts[0] = Part { node, width: width + low };
                    Some(self.dag.concat(&parts))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// What is shifted down, with all bits above those of a value that it is the low ones of.
    pub(super) fn shifted_whole(&mut self, value: NodeId, demand: Demand) -> Option<NodeId> {
        let (Demand::Low(bits), Node::Slice { of, low, width, .. }) = (demand, self.dag.node(value).clone())
        else {
            return None;
        };
        let is_whole = low > 0 && bits <= width && !matches!(self.dag.node(of), Node::Arg(_));
        let count = is_whole.then(|| self.dag.int(low))?;
        Some(self.dag.shr(of, count))
    }

    /// A slice of something computed.
    #[expect(clippy::too_many_arguments)]
    pub(super) fn slice(
        &mut self,
        of: NodeId,
        low: u32,
        width: u32,
        signed: bool,
        value: NodeId,
        demand: Demand,
        bound: Binding,
    ) -> Vec<Binding> {
        let bits = match demand {
            Demand::Low(bits) if bits <= width => bits,
            _ if self.dag.range(value).fits(width, signed) => width,
            _ => return vec![],
        };
        if low == 0 {
            return self.node(of, value, Demand::Low(bits), bound);
        }
        // The value as high bits of something.
        let mut whole = value;
        if let Node::Slice { of: inner, low: 0, width, .. } = *self.dag.node(value)
            && width >= bits
            && !matches!(self.dag.node(inner), Node::Arg(_))
        {
            whole = inner;
        }
        let (inner, count) = match *self.dag.node(whole) {
            Node::Slice { of: inner, low: own, width: kept, .. } if own > 0 && own <= low && kept >= bits => {
                (inner, i64::from(own))
            }
            Node::Shr(inner, count) => match self.dag.as_i64(count) {
                Some(count) if count > 0 => (inner, count),
                _ => return vec![],
            },
            _ => return vec![],
        };
        match self.moved(of, inner, count, i64::from(low)) {
            Some(inner) => self.node(of, inner, Demand::Low(low + bits), bound),
            None => vec![],
        }
    }

    /// What a pattern that is shifted down by `own` bits has to be, so that it then is `inner` shifted down by `count`.
    fn moved(&mut self, pattern: NodeId, inner: NodeId, count: i64, own: i64) -> Option<NodeId> {
        if own > count {
            return self.scaled_up(pattern, inner, own - count);
        }
        if own == 1 && count > 1 && self.is_mean(pattern) {
            return self.before_rounding(inner, count);
        }
        let rest = is_step(own, count).then(|| self.dag.int(count - own))?;
        Some(self.dag.shr(inner, rest))
    }

    /// Whether a pattern is the sum of two slots and one, half of which is their mean, rounded up.
    fn is_mean(&self, pattern: NodeId) -> bool {
        let Node::Sum { terms, constant } = self.pattern.node(pattern) else { return false };
        let is_plain = |(term, factor): &(NodeId, Int)| {
            let is_slot = matches!(self.pattern.node(*term), Node::Slice { of, .. } if matches!(self.pattern.node(*of), Node::Arg(_)));
            is_slot && *factor == Int::ONE
        };
        terms.len() == 2 && *constant == Int::ONE && terms.iter().all(is_plain)
    }

    /// `⌊x / 2^(n-1)⌋ + 1` for a sum `x + 2^(n-1)` that is shifted down by `n`, of which half is that sum shifted.
    fn before_rounding(&mut self, sum: NodeId, count: i64) -> Option<NodeId> {
        let Node::Sum { terms, constant } = self.dag.node(sum).clone() else { return None };
        let half = Int::ONE << usize::try_from(count - 1).ok()?;
        if constant < half {
            return None;
        }
        let (rest, less) = (self.dag.linear(&terms, constant - half), self.dag.int(count - 1));
        let shifted = self.dag.shr(rest, less);
        // A single bit is its own rounded half.
        if self.dag.range(shifted).fits(1, false) {
            return None;
        }
        Some(self.dag.linear(&[(shifted, Int::ONE)], Int::ONE))
    }

    pub(super) fn shift_down(
        &mut self,
        of: NodeId,
        count: NodeId,
        value: NodeId,
        demand: Demand,
        bound: Binding,
    ) -> Vec<Binding> {
        let inner_demand = |by: i64| match demand {
            Demand::Low(bits) => Demand::Low(bits + by as u32),
            Demand::Exact => Demand::Exact,
        };
        let mut target = self.dag.node(value).clone();
        if let Node::Slice { of: inner, low, width, signed } = target {
            let enough = matches!(demand, Demand::Low(bits) if bits <= width);
            if low == 0 {
                return vec![];
            }
            let by = self.dag.int(low);
            // The upper bits of an element are it, shifted down.
            let inner = match *self.dag.node(inner) {
                Node::Arg(_) if enough => return vec![],
                _ if enough => inner,
                _ => self.dag.slice(inner, 0, low + width, signed),
            };
            target = Node::Shr(inner, by);
        }
        let Node::Shr(inner, by) = target else { return vec![] };
        match (self.pattern.as_i64(count), self.dag.as_i64(by)) {
            (Some(own), Some(their)) if own > 0 => {
                let Some(inner) = self.moved(of, inner, their, own) else { return vec![] };
                let mut found = self.node(of, inner, Demand::Exact, bound.clone());
                if found.is_empty() {
                    found = self.node(of, inner, inner_demand(own), bound);
                }
                found
            }
            (Some(_), _) => vec![],
            (None, _) => {
                let found = self.node(of, inner, Demand::Exact, bound);
                let counting = std::mem::replace(&mut self.counting, true);
                let found = self.then(found, count, by, Demand::Exact);
                self.counting = counting;
                found
            }
        }
    }
}

/// Whether a shift by `own` bits is a step of one by `count`: the whole, or up to a half of a container or from there. To part
/// it in other places is never shorter.
pub(super) fn is_step(own: i64, count: i64) -> bool {
    own == count || own < count && (HALVES.contains(&own) || HALVES.contains(&(count - own)))
}
