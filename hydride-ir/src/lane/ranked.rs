//! Elements that a mask packs into the low positions, and those that it spreads from there.
//!
//! The rank of a position is the number of ones of the mask below it.
//!
//! ```text
//! packed   dst[i] = popcount(m) < i + 1 ? c[i] : or over j of (m[j] & popcount(m[0 +: j]) == i ? a[j] : 0)
//! spread   dst[i] = m[i] ? a[popcount(m[0 +: i])] : c[i]
//! ```
//!
//! What elements compute is recognized by their arguments alone; that it is this, the form's elements show.

use super::kind::{Coefficient, FoldOp, Kind, Slice};
use super::partition::{Elements, statement};
use super::template::{Form, ResultForm, Statement};
use super::unify::RawTerm;
use crate::exact::{Dag, Node, NodeId};

/// Which way elements move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Move {
    /// From the positions of the mask's ones to the lowest positions.
    Packed,
    /// From the lowest positions to those of the mask's ones.
    Spread,
}

/// Elements moved by rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ranked {
    way: Move,
    /// Number of elements, and of the mask's bits.
    count: i64,
    /// Width of an element in bits.
    width: i64,
    /// The mask's argument.
    mask: u32,
    /// The argument whose elements move.
    data: u32,
    /// The argument whose elements are where none is moved to; they are 0 if there is none.
    rest: Option<u32>,
}

impl Ranked {
    /// What the elements may be; the form has to be compared with them.
    pub(super) fn of_elements(dag: &Dag, elements: &Elements) -> Option<Self> {
        let (first, last) = (*elements.values.first()?, *elements.values.last()?);
        let (count, width) = (elements.values.len() as i64, i64::from(elements.width));
        if count < 2 {
            return None;
        }
        let ranked = |way, (mask, data, rest)| Self { way, count, width, mask, data, rest };
        let spread = spread_arguments(dag, last).map(|found| ranked(Move::Spread, found));
        spread.or_else(|| Some(ranked(Move::Packed, packed_arguments(dag, first)?)))
    }

    /// Elements that `form` moves by rank, 0 where there is none.
    pub fn of_form(form: &Form<i64>) -> Option<Self> {
        let [ResultForm { statements, .. }] = form.results.as_slice() else { return None };
        let [statement] = statements.as_slice() else { return None };
        let (count, width) = (statement.extents[2], statement.template.element()?.width.base);
        let mut args = statement.template.terms.iter().filter_map(|term| match term.kind {
            Kind::Leaf { arg, .. } => Some(arg),
            _ => None,
        });
        let mask = args.next()?;
        let data = args.find(|arg| *arg != mask)?;
        let ranked = |way| Self { way, count, width, mask, data, rest: None };
        let mut both = [Move::Packed, Move::Spread].into_iter().map(ranked);
        both.find(|ranked| ranked.form(&form.arg_widths).is_some_and(|own| computes_the_same(&own, form)))
    }

    /// The same elements next to others of a further argument.
    pub fn with_rest(self, rest: u32) -> Self {
        Self { rest: Some(rest), ..self }
    }

    /// The form that reads the given numbers of bits of its arguments; all of an argument behind them that
    /// [`Self::with_rest`] added.
    pub fn form(&self, arg_widths: &[i64]) -> Option<Form<i64>> {
        let mut arg_widths = arg_widths.to_vec();
        if let Some(rest) = self.rest
            && arg_widths.len() <= rest as usize
        {
            arg_widths.resize(rest as usize + 1, self.count * self.width);
        }
        let widths: Option<Vec<u32>> = arg_widths.iter().map(|width| u32::try_from(*width).ok()).collect();
        let results = vec![self.result(&widths?)?];
        Some(Form { arg_widths, results })
    }

    /// The form of the result.
    pub(super) fn result(&self, arg_widths: &[u32]) -> Option<ResultForm<i64>> {
        if i64::from(*arg_widths.get(self.mask as usize)?) < self.count {
            return None;
        }
        let terms = match self.way {
            Move::Packed => self.packed(),
            Move::Spread => self.spread(),
        };
        let positions: Vec<i64> = (0..self.count).map(|element| element * self.width).collect();
        let extents = [1, 1, self.count as u32];
        let statement = statement(&terms, &positions, extents, u32::try_from(self.width).ok()?, arg_widths)?;
        Some(ResultForm { width: self.count * self.width, statements: vec![statement] })
    }

    fn packed(&self) -> Vec<RawTerm> {
        let (size, width) = (self.count, self.width);
        let mut terms = Terms { inside: vec![(0, size as u32)], ..Terms::new(size) };
        let bit = terms.leaf(self.mask, &|_, place| place, 1);
        let rank = terms.rank(self.mask, &|_, place| place);
        let own = terms.number(&|element, _| element);
        let equal = terms.push(Kind::Eq, &[rank, own]);
        let is_chosen = terms.push(Kind::And, &[bit, equal]);
        let value = terms.leaf(self.data, &|_, place| place * width, width);
        let zero = terms.number(&|_, _| 0);
        let one = terms.push(Kind::Select, &[is_chosen, value, zero]);
        let joined = terms.joined(FoldOp::Or, one);
        if let Some(rest) = self.rest {
            let all = terms.leaf(self.mask, &|_, _| 0, size);
            let ones = terms.push(Kind::PopCount, &[all]);
            let needed = terms.number(&|element, _| element + 1);
            let is_short = terms.push(Kind::Lt, &[ones, needed]);
            let kept = terms.leaf(rest, &|element, _| element * width, width);
            terms.push(Kind::Select, &[is_short, kept, joined]);
        }
        terms.terms
    }

    fn spread(&self) -> Vec<RawTerm> {
        let (size, width) = (self.count, self.width);
        let mut terms = Terms::new(size);
        let bit = terms.leaf(self.mask, &|element, _| element, 1);
        let rank = terms.rank(self.mask, &|element, _| element);
        let each = Coefficient { negative: false, magnitude: Some(vec![width; size as usize]) };
        let position = terms.push(Kind::Sum { coefficients: vec![each], constant: None }, &[rank]);
        let all = terms.leaf(self.data, &|_, _| 0, size * width);
        let value = terms.push(Kind::SliceAt(terms.slice(&|_, _| 0, width)), &[all, position]);
        let kept = match self.rest {
            Some(rest) => terms.leaf(rest, &|element, _| element * width, width),
            None => terms.number(&|_, _| 0),
        };
        terms.push(Kind::Select, &[bit, value, kept]);
        terms.terms
    }
}

/// The terms of a form as they are written: those of a fold first, and then those around it.
struct Terms {
    terms: Vec<RawTerm>,
    /// The fold that is open. Its position is known once its operands are placed.
    inside: Vec<(usize, u32)>,
    /// Number of elements, and of a fold's repetitions.
    size: i64,
}

impl Terms {
    fn new(size: i64) -> Self {
        Self { terms: Vec::new(), inside: Vec::new(), size }
    }

    fn push(&mut self, kind: Kind<Vec<i64>>, children: &[usize]) -> usize {
        self.terms.push(RawTerm { kind, children: children.to_vec(), folds: self.inside.clone() });
        self.terms.len() - 1
    }

    /// A number of each element, and inside a fold of each repetition.
    fn each(&self, value: &dyn Fn(i64, i64) -> i64) -> Vec<i64> {
        let repetitions = if self.inside.is_empty() { 1 } else { self.size };
        let pairs = (0..self.size).flat_map(|element| (0..repetitions).map(move |place| (element, place)));
        pairs.map(|(element, place)| value(element, place)).collect()
    }

    fn slice(&self, low: &dyn Fn(i64, i64) -> i64, width: i64) -> Slice<Vec<i64>> {
        Slice { low: self.each(low), width: self.each(&|_, _| width), signed: self.each(&|_, _| 0) }
    }

    fn leaf(&mut self, arg: u32, low: &dyn Fn(i64, i64) -> i64, width: i64) -> usize {
        let slice = self.slice(low, width);
        self.push(Kind::Leaf { arg, slice }, &[])
    }

    fn number(&mut self, value: &dyn Fn(i64, i64) -> i64) -> usize {
        self.push(Kind::Const(self.each(value)), &[])
    }

    /// The number of ones of the mask below a position.
    fn rank(&mut self, mask: u32, position: &dyn Fn(i64, i64) -> i64) -> usize {
        let size = self.size;
        let all = self.leaf(mask, &|_, _| 0, size);
        let ones = self.push(Kind::AllOnes { width: self.each(&|_, _| size) }, &[]);
        let above = self.number(&|element, place| size - position(element, place));
        let low = self.push(Kind::Shr, &[ones, above]);
        let below = self.push(Kind::And, &[all, low]);
        self.push(Kind::PopCount, &[below])
    }

    /// Closes the fold.
    fn joined(&mut self, op: FoldOp, operand: usize) -> usize {
        self.inside.clear();
        let joined = self.push(Kind::Fold { op, count: self.each(&|_, _| self.size) }, &[operand]);
        for term in &mut self.terms {
            for (position, _) in &mut term.folds {
                *position = joined;
            }
        }
        joined
    }
}

/// Whether forms have the same loops and terms, at whatever widths these are computed.
fn computes_the_same(left: &Form<i64>, right: &Form<i64>) -> bool {
    let statements = |form: &Form<i64>| {
        let each = form.results.iter().flat_map(|result| &result.statements);
        let terms = |statement: &Statement<i64>| {
            let terms = statement.template.terms.iter();
            terms.map(|term| (term.kind.clone(), term.children.clone())).collect::<Vec<_>>()
        };
        each.map(|statement| (statement.extents, statement.position.clone(), terms(statement)))
            .collect::<Vec<_>>()
    };
    statements(left) == statements(right)
}

/// The argument that a slice reads.
fn argument(dag: &Dag, id: NodeId) -> Option<u32> {
    match *dag.node(id) {
        Node::Slice { of, signed: false, .. } | Node::SliceAt { of, signed: false, .. } => {
            match *dag.node(of) {
                Node::Arg(arg) => Some(arg),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The mask, the data and the rest of the last element that a mask spreads.
fn spread_arguments(dag: &Dag, last: NodeId) -> Option<(u32, u32, Option<u32>)> {
    let at = |id: NodeId| matches!(dag.node(id), Node::SliceAt { .. });
    match dag.node(last) {
        Node::Select(bit, value, rest) if at(*value) => {
            let rest = if dag.as_i64(*rest) == Some(0) { None } else { Some(argument(dag, *rest)?) };
            Some((argument(dag, *bit)?, argument(dag, *value)?, rest))
        }
        Node::And(operands) => match operands[..] {
            [value, bit] | [bit, value] if at(value) && !at(bit) => {
                Some((argument(dag, bit)?, argument(dag, value)?, None))
            }
            _ => None,
        },
        _ => None,
    }
}

/// The mask, the data and the rest of the first element that a mask packs.
fn packed_arguments(dag: &Dag, first: NodeId) -> Option<(u32, u32, Option<u32>)> {
    if let Node::Or(terms) = dag.node(first) {
        return packed_over_zeros(dag, terms);
    }
    // The first position of the mask is asked last.
    let mut value = first;
    loop {
        let Node::Select(bit, then, otherwise) = *dag.node(value) else { return None };
        let mask = argument(dag, bit)?;
        if let (Some(data), Some(rest)) = (argument(dag, then), argument(dag, otherwise)) {
            return Some((mask, data, Some(rest)));
        }
        value = otherwise;
    }
}

/// The mask and the data of choices by rank that are joined.
fn packed_over_zeros(dag: &Dag, terms: &[NodeId]) -> Option<(u32, u32, Option<u32>)> {
    // The mask's bits are read in every condition, next to the elements.
    let (mut mask, mut data) = (None, None);
    for term in terms {
        let (condition, value) = match dag.node(*term) {
            Node::Select(condition, value, _) => (*condition, Some(*value)),
            _ => (*term, None),
        };
        let conditions = match dag.node(condition) {
            Node::And(operands) => operands.to_vec(),
            _ => vec![condition],
        };
        let counted = conditions.iter().any(|id| matches!(dag.node(*id), Node::Eq(..)));
        let nested = conditions.iter().copied().filter(|id| argument(dag, *id).is_none());
        for id in dag.reachable(nested) {
            mask = mask.or_else(|| argument(dag, id).filter(|_| counted));
        }
        if let Some(value) = value {
            data = Some(argument(dag, value)?);
            mask = mask.or_else(|| conditions.iter().find_map(|id| argument(dag, *id)));
        } else {
            let mut bits = conditions.iter().filter_map(|id| argument(dag, *id));
            data = data.or_else(|| bits.find(|arg| mask.is_some_and(|mask| mask != *arg)));
        }
    }
    Some((mask?, data?, None))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lane::growing::growing;
    use crate::lane::skeleton::Skeletons;

    /// `count(m[0 +: place]) == rank`, or the comparison that `compare` makes.
    fn compared(
        dag: &mut Dag,
        places: u32,
        number: u32,
        compare: fn(&mut Dag, NodeId, NodeId) -> NodeId,
    ) -> NodeId {
        let mask = dag.arg_slice(0, 0, places, false);
        let (ones, number) = (dag.popcount(mask), dag.int(number));
        compare(dag, ones, number)
    }

    /// Element `rank` of those that a loop packs over `value`.
    fn packed(dag: &mut Dag, count: u32, width: u32, rank: u32, mut value: NodeId) -> NodeId {
        for place in rank..count {
            let is_rank = compared(dag, place, rank, Dag::eq);
            let own = dag.arg_slice(1, place * width, width, false);
            let here = dag.select(is_rank, own, value);
            let bit = dag.arg_slice(0, place, 1, false);
            value = dag.select(bit, here, value);
        }
        value
    }

    fn form(dag: &mut Dag, values: Vec<NodeId>, width: u32) -> Option<ResultForm<i64>> {
        let arg_widths = dag.arg_widths().to_vec();
        let end = width * values.len() as u32;
        growing(dag, &mut Skeletons::default(), &Elements { width, values, end }, &arg_widths)
    }

    #[test]
    fn elements_are_packed_over_others_in_any_way() {
        for (count, width) in [(2u32, 8u32), (4, 4), (8, 2)] {
            let mut dag = Dag::new(vec![8, count * width, count * width]);
            let dag = &mut dag;
            // In memory elements are written over those that are there.
            let rests: Vec<NodeId> =
                (0..count).map(|rank| dag.arg_slice(2, rank * width, width, false)).collect();
            let written: Vec<NodeId> =
                (0..count).map(|rank| packed(dag, count, width, rank, rests[rank as usize])).collect();
            // In a register they are put together first, over anything, and the others are kept at the end.
            let mut kept = Vec::new();
            for rank in 0..count {
                let anything = dag.arg_slice(1, rank * width, width, false);
                let value = packed(dag, count, width, rank, anything);
                let is_short = compared(dag, count, rank + 1, Dag::lt);
                kept.push(dag.select(is_short, rests[rank as usize], value));
            }
            let expected = form(dag, written.clone(), width).expect("elements by rank");
            assert_eq!(form(dag, kept, width), Some(expected));

            let mut wrong = written;
            wrong[1] = rests[0];
            assert_eq!(form(dag, wrong, width), None);
        }
    }

    #[test]
    fn two_elements_are_spread_as_many_are() {
        let kinds = |count: u32| {
            let mut dag = Dag::new(vec![8, count * 8, count * 8]);
            let mut values = Vec::new();
            for place in 0..count {
                let mask = dag.arg_slice(0, 0, place, false);
                let (ones, data) = (dag.popcount(mask), dag.arg(1));
                let low = dag.linear(&[(ones, crate::exact::Int::from(8))], crate::exact::Int::ZERO);
                let (value, rest) =
                    (dag.slice_at(data, low, 8, false), dag.arg_slice(2, place * 8, 8, false));
                let bit = dag.arg_slice(0, place, 1, false);
                values.push(dag.select(bit, value, rest));
            }
            let found = form(&mut dag, values, 8).expect("elements by rank");
            let terms = found.statements[0].template.terms.iter();
            terms.map(|term| std::mem::discriminant(&term.kind)).collect::<Vec<_>>()
        };
        assert_eq!(kinds(2), kinds(8));
    }
}
