//! One question to the solver in a form that does not know which lane it came from.
//!
//! `a[71:64] + b[71:64]` and `a[7:0] + b[7:0]` become the same question over two 8-bit variables: each
//! argument is cut at the ends of the slices that are read, and each used segment is a separate variable,
//! numbered in the order of first use.

use hydride_ir::Bits;
use rustc_hash::FxHashMap;

use crate::signature::{Range, Signature};
use crate::term::{Term, TermId, Terms, deposit};

/// Where a query's variable comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Segment {
    arg: u32,
    low: u32,
    width: u32,
}

/// Are the two roots equal for all values of the variables within their ranges?
pub struct Query {
    /// The terms of only this query.
    pub terms: Terms,
    /// The variables' widths and ranges, by number.
    pub variables: Vec<(u32, Option<Range>)>,
    /// The two sides.
    pub roots: [TermId; 2],
    segments: Vec<Segment>,
}

impl Query {
    /// Cuts the arguments (variables of `terms`) down to what the two roots read.
    pub fn new(terms: &Terms, roots: [TermId; 2], signature: &Signature) -> Query {
        let order = terms.reachable(&roots);
        let cuts = cut_arguments(terms, &order, roots, signature);
        let mut query =
            Query { terms: terms.empty_copy(), variables: Vec::new(), roots, segments: Vec::new() };
        let mut places: FxHashMap<Segment, TermId> = FxHashMap::default();
        let mut copies: FxHashMap<TermId, TermId> = FxHashMap::default();
        for id in depth_first(terms, roots) {
            let copy = query.copy(terms, id, &cuts, &mut places, &copies, signature);
            copies.insert(id, copy);
        }
        query.roots = roots.map(|root| copies[&root]);
        query
    }

    fn copy(
        &mut self,
        from: &Terms,
        id: TermId,
        cuts: &[Vec<u32>],
        places: &mut FxHashMap<Segment, TermId>,
        copies: &FxHashMap<TermId, TermId>,
        signature: &Signature,
    ) -> TermId {
        let width = from.width(id);
        let argument = match from.term(id) {
            Term::Var(arg) => Some((*arg, 0)),
            Term::Extract { of, low } => match from.term(*of) {
                Term::Var(arg) => Some((*arg, *low)),
                _ => None,
            },
            _ => None,
        };
        if let Some((arg, low)) = argument {
            let mut parts = Vec::new();
            let ends = &cuts[arg as usize];
            for pair in ends.windows(2).filter(|pair| pair[0] < low + width && low < pair[1]) {
                let segment = Segment { arg, low: pair[0], width: pair[1] - pair[0] };
                let next = u32::try_from(self.variables.len()).expect("fewer variables than bits");
                let place = *places.entry(segment).or_insert_with(|| {
                    self.segments.push(segment);
                    self.variables.push((segment.width, signature.ranges[arg as usize]));
                    self.terms.variable(next, segment.width)
                });
                // A slice ends where segments end, but for an argument with a range, which stays whole.
                let (start, end) = (low.max(pair[0]), (low + width).min(pair[1]));
                parts.push(self.terms.extract(place, start - pair[0], end - start));
            }
            parts.reverse();
            return self.terms.concat(parts);
        }
        let of = |operand: &TermId| copies[operand];
        match from.term(id) {
            Term::Var(_) => unreachable!("copied above"),
            Term::Const(bits) => self.terms.constant(bits.clone()),
            Term::Extract { of: inner, low } => self.terms.extract(of(inner), *low, width),
            Term::Concat(parts) => self.terms.concat(parts.iter().map(of).collect()),
            Term::SignExtend(inner) => self.terms.sign_extend(of(inner), width),
            Term::Not(inner) => self.terms.not(of(inner)),
            Term::Neg(inner) => self.terms.neg(of(inner)),
            Term::Binary(operator, left, right) => self.terms.binary(*operator, of(left), of(right)),
            Term::Compare(relation, left, right) => self.terms.compare(*relation, of(left), of(right)),
            Term::Select(condition, then, otherwise) => {
                self.terms.select(of(condition), of(then), of(otherwise))
            }
            Term::Float(float, operands) => {
                self.terms.float(*float, operands.iter().map(of).collect(), width)
            }
        }
    }

    /// Equal keys are equal questions.
    pub fn key(&self) -> Vec<u64> {
        let mut key = self.terms.fingerprint(&self.roots);
        for (width, range) in &self.variables {
            key.push(u64::from(*width) << 1 | u64::from(range.is_some()));
            if let Some(range) = range {
                key.extend([range.low.cast_unsigned(), range.high.cast_unsigned()]);
            }
        }
        key
    }

    /// For each variable the argument, by position, whose bits it is, and the lowest of these.
    pub fn places(&self) -> impl Iterator<Item = (u32, u32)> {
        self.segments.iter().map(|segment| (segment.arg, segment.low))
    }

    /// Argument values from the variables' values; what the query does not read is zero, or the least
    /// documented value of an immediate.
    pub fn arguments(&self, values: &[Bits], signature: &Signature) -> Vec<Bits> {
        let mut words: Vec<Vec<u64>> = Vec::new();
        for (arg, width) in (0u32..).zip(&signature.widths) {
            let read = self.segments.iter().any(|segment| segment.arg == arg);
            let least = signature.ranges[arg as usize].map_or(0, |range| range.low);
            let start = if read { 0 } else { least };
            let extension = if start < 0 { u64::MAX } else { 0 };
            let mut all = vec![extension; width.div_ceil(64) as usize];
            all[0] = start.cast_unsigned();
            words.push(all);
        }
        for (segment, value) in self.segments.iter().zip(values) {
            deposit(&mut words[segment.arg as usize], segment.low, value);
        }
        words
            .into_iter()
            .zip(&signature.widths)
            .map(|(words, width)| Bits::from_words(*width, words))
            .collect()
    }
}

/// The ends of the segments that each argument is cut into; an argument with a range stays whole.
fn cut_arguments(
    terms: &Terms,
    order: &[TermId],
    roots: [TermId; 2],
    signature: &Signature,
) -> Vec<Vec<u32>> {
    let mut cuts: Vec<Vec<u32>> = vec![Vec::new(); signature.widths.len()];
    let mut read = |id: TermId, low: u32, width: u32| {
        if let Term::Var(arg) = terms.term(id) {
            let arg = *arg as usize;
            cuts[arg].extend([low, low + width]);
        }
    };
    for root in roots {
        read(root, 0, terms.width(root));
    }
    for id in order {
        match terms.term(*id) {
            Term::Extract { of, low } => read(*of, *low, terms.width(*id)),
            term => term.operands().iter().for_each(|operand| read(*operand, 0, terms.width(*operand))),
        }
    }
    for ((ends, width), range) in cuts.iter_mut().zip(&signature.widths).zip(&signature.ranges) {
        if range.is_some() && !ends.is_empty() {
            *ends = vec![0, *width];
        }
        ends.sort_unstable();
        ends.dedup();
    }
    cuts
}

/// The terms below the roots, operands before users, in the order of a walk from the left.
fn depth_first(terms: &Terms, roots: [TermId; 2]) -> Vec<TermId> {
    let mut order = Vec::new();
    let mut done: FxHashMap<TermId, bool> = FxHashMap::default();
    let mut stack: Vec<TermId> = roots.iter().rev().copied().collect();
    while let Some(&id) = stack.last() {
        match done.get(&id) {
            Some(true) => {
                stack.pop();
            }
            Some(false) => {
                done.insert(id, true);
                order.push(id);
                stack.pop();
            }
            None => {
                done.insert(id, false);
                let operands = terms.term(id).operands();
                stack.extend(operands.into_iter().rev().filter(|operand| !done.contains_key(operand)));
            }
        }
    }
    order
}
