//! Sums: which terms of a value each term of a pattern takes.

use dashu_int::ops::Gcd;
use hydride_ir::exact::{Dag, Int, Node, NodeId};

use super::{Binding, Demand, MAX_PARTED, MAX_PROPOSALS, Unify};

/// Operands of a sum that slots share, at most: a set of them is a word's bits.
const MAX_OPERANDS: usize = 63;

/// Terms of a pattern, at least, for which the first ones of a longer sum are tried too.
const IN_ORDER: usize = 3;

impl Unify<'_> {
    /// Terms of a sum: those of the pattern that are not plain slots take one each, plain slots share the rest.
    pub(super) fn sum(
        &mut self,
        own: &[(NodeId, Int)],
        constant: Int,
        value: NodeId,
        demand: Demand,
        bound: Binding,
    ) -> Vec<Binding> {
        let (terms, theirs) = match self.dag.node(value).clone() {
            Node::Sum { terms, constant } => (terms.to_vec(), constant),
            Node::Const(value) => (Vec::new(), value),
            _ => (vec![(value, Int::ONE)], Int::ZERO),
        };
        let (mut open, mut plain) = (Vec::new(), Vec::new());
        for (term, factor) in own {
            let is_slot = matches!(self.pattern.node(*term), Node::Slice { of, .. }
                if matches!(self.pattern.node(*of), Node::Arg(_)));
            if is_slot { plain.push((*term, factor.clone())) } else { open.push((*term, factor.clone())) }
        }
        if open.is_empty() && plain.len() == 1 && plain[0].1 == Int::ONE && constant == Int::ZERO {
            return vec![];
        }
        let mut terms = terms;
        terms.sort_by_key(|(_, factor)| factor < &Int::ZERO);
        let rest = Rest { terms, constant: theirs - constant };
        let mut all = Vec::new();
        self.open_terms(&open, &plain, rest, demand, bound, &mut all);
        all.truncate(MAX_PROPOSALS);
        all
    }

    fn open_terms(
        &mut self,
        open: &[(NodeId, Int)],
        plain: &[(NodeId, Int)],
        rest: Rest,
        demand: Demand,
        bound: Binding,
        all: &mut Vec<Binding>,
    ) {
        if all.len() >= MAX_PROPOSALS {
            return;
        }
        let Some(((pattern, factor), later)) = open.split_first() else {
            return self.plain_terms(plain, rest, demand, bound, all);
        };
        let count = rest.terms.len();
        let near = count.saturating_sub(if count > MAX_PARTED { 2 } else { MAX_PARTED });
        // Of as many alike the first is as good as any.
        let alike = self.composing && open.len() == count && count > MAX_PARTED;
        let (first, last) = match (alike, open.len() >= IN_ORDER) {
            (true, _) => (1, count..count),
            // Products of neighbors are in order more often than not.
            (false, true) => (near.min(2), near..count),
            (false, false) => (0, near..count),
        };
        for at in (0..first).chain(last) {
            let (term, own) = rest.terms[at].clone();
            let (by, left) = (&own / factor, &own % factor);
            if left != Int::ZERO {
                continue;
            }
            let scaled = self.dag.linear(&[(term, by)], Int::ZERO);
            let mut found = self.node(*pattern, scaled, Demand::Exact, bound.clone());
            // Of an even multiple fewer bits count.
            if found.is_empty() || demand.of_multiple(&own) != demand {
                found.extend(self.node(*pattern, scaled, demand, bound.clone()));
            }
            // A product of slots takes a plain term with a coefficient.
            if found.is_empty() {
                found = self.scaled(*pattern, scaled, bound.clone());
            }
            // A number that is not negative is the magnitude of its difference from zero.
            if let (true, true, Node::Abs(of)) =
                (found.is_empty(), self.slots.len() >= 2 * IN_ORDER, self.pattern.node(*pattern).clone())
                && self.dag.range(scaled).is_non_negative()
            {
                found = self.node(of, scaled, Demand::Exact, bound.clone());
            }
            for bound in found {
                let mut rest = rest.clone();
                rest.terms.remove(at);
                self.open_terms(later, plain, rest, demand, bound, all);
            }
        }
        // Nothing: a product with zero.
        if rest.terms.len() < open.len()
            && let Node::Mul(factors) = self.pattern.node(*pattern).clone()
        {
            let zero = self.dag.int(0);
            // One factor is enough; the others do not matter.
            for factor in &factors {
                for bound in self.node(*factor, zero, Demand::Exact, bound.clone()) {
                    self.open_terms(later, plain, rest.clone(), demand, bound, all);
                }
            }
            let found = vec![bound];
            let found =
                factors.iter().fold(found, |found, factor| self.then(found, *factor, zero, Demand::Exact));
            for bound in found {
                self.open_terms(later, plain, rest.clone(), demand, bound, all);
            }
        }
    }

    /// The factor that all terms of a sum have, and the sum without it.
    pub(super) fn common_factor(&mut self, value: NodeId) -> Option<(NodeId, Int)> {
        let Node::Sum { terms, constant } = self.dag.node(value).clone() else { return None };
        if let [(term, factor)] = &terms[..] {
            return (constant == Int::ZERO).then(|| (*term, factor.clone()));
        }
        let factor = terms.iter().fold(constant.clone(), |common, (_, own)| Int::from(common.gcd(own)));
        let rest = Rest { terms: terms.to_vec(), constant };
        (factor > Int::ONE).then(|| rest.over(self.dag, &factor)).flatten().map(|rest| (rest, factor))
    }

    /// A product of which the low half is wanted in the upper half of the bits that count: one factor has it there.
    pub(super) fn in_upper_half(
        &mut self,
        own: &[NodeId],
        product: NodeId,
        factor: &Int,
        demand: Demand,
        bound: &Binding,
    ) -> Vec<Binding> {
        let Demand::Low(bits) = demand else { return vec![] };
        let Node::Mul(factors) = self.dag.node(product).clone() else { return vec![] };
        let ([first, second], true) = (&factors[..], *factor == Int::ONE << (bits / 2) as usize) else {
            return vec![];
        };
        let mut all = Vec::new();
        for (one, other) in [(*first, *second), (*second, *first)] {
            let moved = self.dag.linear(&[(one, factor.clone())], Int::ZERO);
            all.extend(self.pair((own[0], own[1]), (moved, other), bound.clone()));
        }
        all
    }

    /// A sum times a power of two for a pattern with a product: one that is shifted down was divided by what its factors have in
    /// common.
    pub(super) fn scaled_up(&mut self, pattern: NodeId, value: NodeId, by: i64) -> Option<NodeId> {
        let is_product = |node: &NodeId| matches!(self.pattern.node(*node), Node::Mul(_));
        let fits = matches!(self.dag.node(value), Node::Sum { .. })
            && self.pattern.reachable([pattern]).iter().any(is_product);
        let factor = Int::ONE << usize::try_from(by).ok().filter(|by| fits && *by < 64)?;
        Some(self.dag.linear(&[(value, factor)], Int::ZERO))
    }

    /// A value times one as a product of two slots.
    fn scaled(&mut self, pattern: NodeId, value: NodeId, bound: Binding) -> Vec<Binding> {
        let Node::Mul(factors) = self.pattern.node(pattern).clone() else { return vec![] };
        let [left, right] = factors[..] else { return vec![] };
        let one = self.dag.int(1);
        let mut all = self.pair((left, right), (value, one), bound.clone());
        all.extend(self.pair((left, right), (one, value), bound));
        all
    }

    fn plain_terms(
        &mut self,
        plain: &[(NodeId, Int)],
        rest: Rest,
        demand: Demand,
        bound: Binding,
        all: &mut Vec<Binding>,
    ) {
        let Some(((pattern, factor), later)) = plain.split_first() else {
            let zero = match demand {
                Demand::Exact => rest.constant == Int::ZERO,
                Demand::Low(bits) => self.agree(&rest.constant, &Int::ZERO, Demand::Low(bits)),
            };
            if rest.terms.is_empty() && zero {
                all.push(bound);
            }
            return;
        };
        let count = rest.terms.len() + usize::from(rest.constant != Int::ZERO);
        if count > MAX_OPERANDS {
            return;
        }
        // An even sum is another one and the same again.
        if let [(other, their)] = later
            && their == factor
            && !rest.terms.is_empty()
        {
            let twice = factor + factor;
            if let Some(half) = rest.over(self.dag, &twice) {
                let of_half = demand.of_multiple(&twice);
                let found = self.node(*pattern, half, of_half, bound.clone());
                all.extend(self.then(found, *other, half, of_half));
            }
        }
        let mut take = |unify: &mut Self, taken: u64| {
            let (mine, others) = rest.part(taken);
            let Some(whole) = mine.over(unify.dag, factor) else { return };
            let negative = |(_, own): &(NodeId, Int)| (own < &Int::ZERO) != (factor < &Int::ZERO);
            if !unify.counting && !mine.terms.is_empty() && mine.terms.iter().all(negative) {
                return;
            }
            let mut found = unify.node(*pattern, whole, Demand::Exact, bound.clone());
            if found.is_empty() {
                found = unify.node(*pattern, whole, demand.of_multiple(factor), bound.clone());
            }
            for bound in found {
                unify.plain_terms(later, others.clone(), demand, bound, all);
            }
        };
        let everything = (1u64 << count) - 1;
        if later.is_empty() {
            return take(self, everything);
        }
        // One slot too many is zero, where the pattern does more than add.
        if count == later.len() && (self.joins || count == 0) {
            take(self, everything);
            if count > 0 {
                take(self, 0);
            }
        }
        for taken in partings(count, later.len()) {
            take(self, u64::from(taken));
        }
        if count > MAX_PARTED && later.len() == 1 {
            for taken in rest.with_equal_factors() {
                take(self, taken);
                take(self, everything & !taken);
            }
        }
    }
}

/// What is left of a sum.
#[derive(Clone)]
struct Rest {
    terms: Vec<(NodeId, Int)>,
    constant: Int,
}

impl Rest {
    /// The terms whose bit is set, and the others; the constant is the last one.
    fn part(&self, taken: u64) -> (Self, Self) {
        let empty = || Self { terms: Vec::new(), constant: Int::ZERO };
        let (mut mine, mut others) = (empty(), empty());
        for (at, term) in self.terms.iter().enumerate() {
            let to = if taken >> at & 1 == 1 { &mut mine } else { &mut others };
            to.terms.push(term.clone());
        }
        let to = if taken >> self.terms.len() & 1 == 1 { &mut mine } else { &mut others };
        to.constant = self.constant.clone();
        (mine, others)
    }

    /// For each factor that several terms have, and not all, these.
    fn with_equal_factors(&self) -> Vec<u64> {
        let same = |factor: &Int| {
            let terms = self.terms.iter().enumerate();
            terms.filter(|(_, (_, own))| own == factor).fold(0u64, |taken, (at, _)| taken | 1 << at)
        };
        let mut found: Vec<u64> = self.terms.iter().map(|(_, factor)| same(factor)).collect();
        found.sort_unstable();
        found.dedup();
        found.retain(|taken| taken.count_ones() > 1 && (taken.count_ones() as usize) < self.terms.len());
        found
    }

    /// The sum divided by a factor, where it divides every term.
    fn over(&self, dag: &mut Dag, factor: &Int) -> Option<NodeId> {
        let divides = |value: &Int| value % factor == Int::ZERO;
        if !divides(&self.constant) || !self.terms.iter().all(|(_, own)| divides(own)) {
            return None;
        }
        let terms: Vec<(NodeId, Int)> = self.terms.iter().map(|(term, own)| (*term, own / factor)).collect();
        Some(dag.linear(&terms, &self.constant / factor))
    }
}

/// Sets of `count` operands of which one operand takes those and `others` share the rest, as bits: all of them where
/// there are few, else those at either end.
pub(super) fn partings(count: usize, others: usize) -> Vec<u32> {
    if count <= others || count > 30 {
        return Vec::new();
    }
    let everything = (1u32 << count) - 1;
    if count <= MAX_PARTED {
        let fits = |taken: &u32| count - taken.count_ones() as usize >= others;
        return (1..everything).filter(fits).collect();
    }
    let prefix = |length: usize| (1u32 << length) - 1;
    (1..count).flat_map(|length| [everything & !prefix(length), prefix(length)]).collect()
}
