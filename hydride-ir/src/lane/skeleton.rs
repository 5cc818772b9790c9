//! Views of graph nodes with numbers separated from structure, and the order of commutative operands.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHasher};

use super::kind::{Coefficient, FoldOp, Kind, Slice};
use crate::exact::{Dag, Int, Node, NodeId};

/// Number of an operand's numbers that are compared to decide whether a fold joins it with similar operands.
const MAX_COMPARED: usize = 256;

/// A decomposed node: operator with numbers, operands in canonical order.
#[derive(Debug)]
pub(super) struct View {
    pub kind: Kind<i64>,
    pub children: Vec<Child>,
    /// Hash of the structure without numbers and without the arguments' identity.
    pub shape: u64,
    /// The same with the arguments' identity.
    pub structure: u64,
    /// Whether it contains numbers that templates cannot represent.
    pub opaque: bool,
}

impl View {
    fn numbers(&self) -> impl Iterator<Item = i64> {
        self.kind.numbers().map(|(_, number)| *number)
    }
}

/// An operand, or operands of the same shape that a fold joins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Child {
    One(NodeId),
    Many(FoldOp, Vec<NodeId>),
}

impl Child {
    pub fn first(&self) -> NodeId {
        match self {
            Child::One(node) => *node,
            Child::Many(_, nodes) => nodes[0],
        }
    }
}

/// Views of one graph's nodes, made once each.
#[derive(Default)]
pub(super) struct Skeletons {
    views: FxHashMap<NodeId, Rc<View>>,
}

impl Skeletons {
    pub fn view(&mut self, dag: &Dag, id: NodeId) -> Rc<View> {
        if let Some(view) = self.views.get(&id) {
            return view.clone();
        }
        let view = Rc::new(self.make(dag, id));
        self.views.insert(id, view.clone());
        view
    }

    fn make(&mut self, dag: &Dag, id: NodeId) -> View {
        let (kind, children) = self.take_apart(dag, id);
        let mut shape = FxHasher::default();
        let mut structure = FxHasher::default();
        match &kind {
            Kind::Leaf { arg, .. } => {
                "leaf".hash(&mut shape);
                ("leaf", arg).hash(&mut structure);
            }
            Kind::Arg(arg) => {
                "arg".hash(&mut shape);
                ("arg", arg).hash(&mut structure);
            }
            // The value of the literal distinguishes nothing within an instruction.
            Kind::AllOnes { .. } => {
                hash_operator(&Kind::Const(0), &mut shape);
                hash_operator(&Kind::Const(0), &mut structure);
            }
            kind => {
                hash_operator(kind, &mut shape);
                hash_operator(kind, &mut structure);
            }
        }
        for child in &children {
            let fold = match child {
                Child::One(_) => None,
                Child::Many(op, _) => Some(*op),
            };
            let view = self.view(dag, child.first());
            (fold, view.shape).hash(&mut shape);
            (fold, view.structure).hash(&mut structure);
        }
        let fits = |value: &Int| i64::try_from(value).is_ok_and(|value| value != i64::MIN);
        let opaque = match dag.node(id) {
            Node::Sum { terms, constant } => {
                !fits(constant) || terms.iter().any(|(_, coefficient)| !fits(coefficient))
            }
            _ => false,
        };
        View { kind, children, shape: shape.finish(), structure: structure.finish(), opaque }
    }

    fn take_apart(&mut self, dag: &Dag, id: NodeId) -> (Kind<i64>, Vec<Child>) {
        let one = |ids: &[NodeId]| ids.iter().map(|id| Child::One(*id)).collect::<Vec<_>>();
        let slice = |low: u32, width: u32, signed: bool| Slice {
            low: i64::from(low),
            width: i64::from(width),
            signed: i64::from(signed),
        };
        match dag.node(id) {
            Node::Const(value) => match (all_ones(value), i64::try_from(value)) {
                (Some(width), _) => (Kind::AllOnes { width: i64::from(width) }, vec![]),
                (None, Ok(value)) => (Kind::Const(value), vec![]),
                (None, Err(_)) => (Kind::Literal(value.clone()), vec![]),
            },
            Node::Arg(arg) => (Kind::Arg(*arg), vec![]),
            Node::Slice { of, low, width, signed } => {
                let slice = slice(*low, *width, *signed);
                match dag.node(*of) {
                    Node::Arg(arg) => (Kind::Leaf { arg: *arg, slice }, vec![]),
                    _ => (Kind::Slice(slice), one(&[*of])),
                }
            }
            Node::SliceAt { of, base, low, width, signed } => {
                (Kind::SliceAt(slice(*base, *width, *signed)), one(&[*of, *low]))
            }
            Node::Concat(parts) => {
                let widths = parts.iter().map(|part| i64::from(part.width)).collect();
                (Kind::Concat { widths }, parts.iter().map(|part| Child::One(part.node)).collect())
            }
            Node::Sum { terms, constant } => self.sum(dag, terms, constant),
            // Two factors are a product; more of one kind are a reduction.
            Node::Mul(operands) if operands.len() > 2 => {
                self.commutative(dag, Kind::Mul, FoldOp::Mul, operands)
            }
            Node::Mul(operands) => {
                let mut sorted = operands.to_vec();
                sorted.sort_by(|a, b| self.compare(dag, *a, *b));
                (Kind::Mul, one(&sorted))
            }
            Node::And(operands) => self.commutative(dag, Kind::And, FoldOp::And, operands),
            Node::Or(operands) => self.commutative(dag, Kind::Or, FoldOp::Or, operands),
            Node::Xor(operands) => self.commutative(dag, Kind::Xor, FoldOp::Xor, operands),
            Node::Min(operands) => self.commutative(dag, Kind::Min, FoldOp::Min, operands),
            Node::Max(operands) => self.commutative(dag, Kind::Max, FoldOp::Max, operands),
            Node::Shl(left, right) => (Kind::Shl, one(&[*left, *right])),
            Node::Shr(left, right) => (Kind::Shr, one(&[*left, *right])),
            Node::Not(operand) => (Kind::Not, one(&[*operand])),
            Node::Eq(left, right) => {
                let mut sorted = [*left, *right];
                sorted.sort_by(|a, b| self.compare(dag, *a, *b));
                (Kind::Eq, one(&sorted))
            }
            Node::Lt(left, right) => (Kind::Lt, one(&[*left, *right])),
            Node::Le(left, right) => (Kind::Le, one(&[*left, *right])),
            Node::Abs(operand) => (Kind::Abs, one(&[*operand])),
            Node::Saturate { of, width, signed } => {
                (Kind::Saturate { width: i64::from(*width), signed: i64::from(*signed) }, one(&[*of]))
            }
            Node::Select(condition, then, otherwise) => (Kind::Select, one(&[*condition, *then, *otherwise])),
            Node::Div(left, right) => (Kind::Div, one(&[*left, *right])),
            Node::Rem(left, right) => (Kind::Rem, one(&[*left, *right])),
            Node::PopCount(operand) => (Kind::PopCount, one(&[*operand])),
            Node::LeadingZeros(operand, width) => {
                (Kind::LeadingZeros { width: i64::from(*width) }, one(&[*operand]))
            }
            Node::TrailingZeros(operand, width) => {
                (Kind::TrailingZeros { width: i64::from(*width) }, one(&[*operand]))
            }
            Node::Float { float, width, value, operands } => {
                let mut operands = operands.to_vec();
                if float.commutes() {
                    operands[..2].sort_by(|a, b| self.compare(dag, *a, *b));
                }
                let float = float.map(|number| i64::from(*number));
                let kind = Kind::Float { float, width: i64::from(*width), value: i64::from(*value) };
                (kind, one(&operands))
            }
        }
    }

    /// Operands sorted and grouped by structure.
    fn grouped(&mut self, dag: &Dag, op: FoldOp, operands: &[NodeId]) -> Vec<Child> {
        let mut sorted = operands.to_vec();
        sorted.sort_by(|a, b| self.compare(dag, *a, *b));
        let mut children: Vec<Child> = Vec::new();
        for operand in sorted {
            let structure = self.view(dag, operand).structure;
            if let Some(last) = children.last_mut()
                && self.view(dag, last.first()).structure == structure
            {
                match last {
                    Child::Many(_, nodes) => nodes.push(operand),
                    Child::One(node) => *last = Child::Many(op, vec![*node, operand]),
                }
            } else {
                children.push(Child::One(operand));
            }
        }
        // Positions that are not affine in a fold index stay separate.
        children
            .into_iter()
            .flat_map(|child| match child {
                Child::Many(_, nodes) if !self.progress_evenly(dag, &nodes) => {
                    nodes.into_iter().map(Child::One).collect()
                }
                child => vec![child],
            })
            .collect()
    }

    /// Whether every number that may vary changes by the same amount from node to node, and no other does.
    fn progress_evenly(&mut self, dag: &Dag, nodes: &[NodeId]) -> bool {
        let mut lists: Vec<Vec<(i64, bool)>> = Vec::with_capacity(nodes.len());
        for node in nodes {
            let mut numbers = Vec::new();
            if !self.flatten(dag, *node, &mut numbers) {
                return false;
            }
            lists.push(numbers);
        }
        let same_length = lists.windows(2).all(|pair| pair[0].len() == pair[1].len());
        same_length
            && (0..lists[0].len()).all(|place| {
                let (first, may_vary) = lists[0][place];
                let step = lists[1][place].0.checked_sub(first);
                let even =
                    lists.windows(2).all(|pair| pair[1][place].0.checked_sub(pair[0][place].0) == step);
                even && (may_vary || step == Some(0))
            })
    }

    /// The numbers of an expression in order, and whether each may vary within a fold; false when there are too
    /// many to compare.
    fn flatten(&mut self, dag: &Dag, id: NodeId, numbers: &mut Vec<(i64, bool)>) -> bool {
        let view = self.view(dag, id);
        view.kind.map(|field, number| numbers.push((*number, field.may_vary())));
        numbers.len() <= MAX_COMPARED
            && view.children.iter().all(|child| match child {
                Child::One(node) => self.flatten(dag, *node, numbers),
                Child::Many(_, nodes) => nodes.iter().all(|node| self.flatten(dag, *node, numbers)),
            })
    }

    fn commutative(
        &mut self,
        dag: &Dag,
        kind: Kind<i64>,
        op: FoldOp,
        operands: &[NodeId],
    ) -> (Kind<i64>, Vec<Child>) {
        let children = self.grouped(dag, op, operands);
        match children.as_slice() {
            [Child::Many(op, nodes)] => (Kind::Fold { op: *op, count: nodes.len() as i64 }, children),
            _ => (kind, children),
        }
    }

    fn sum(&mut self, dag: &Dag, terms: &[(NodeId, Int)], constant: &Int) -> (Kind<i64>, Vec<Child>) {
        // `make` has ensured that the numbers fit.
        let constant = i64::try_from(constant).unwrap_or(0);
        let mut by_coefficient: Vec<(i64, Vec<NodeId>)> = Vec::new();
        for (term, factor) in terms {
            let factor = i64::try_from(factor).unwrap_or(0);
            match by_coefficient.iter_mut().find(|(known, _)| *known == factor) {
                Some((_, nodes)) => nodes.push(*term),
                None => by_coefficient.push((factor, vec![*term])),
            }
        }
        let mut entries: Vec<(i64, Child)> = Vec::new();
        for (factor, nodes) in by_coefficient {
            for child in self.grouped(dag, FoldOp::Add, &nodes) {
                entries.push((factor, child));
            }
        }
        if let ([(1, Child::Many(op, nodes))], 0) = (entries.as_slice(), constant) {
            let fold = Kind::Fold { op: *op, count: nodes.len() as i64 };
            return (fold, entries.into_iter().map(|(_, child)| child).collect());
        }
        // Added before subtracted, units before multiples, then by operand.
        entries.sort_by(|(left, a), (right, b)| {
            let key = |factor: i64| (factor < 0, factor.unsigned_abs() != 1);
            key(*left)
                .cmp(&key(*right))
                .then_with(|| self.compare_children(dag, a, b))
                .then(left.unsigned_abs().cmp(&right.unsigned_abs()))
        });
        let coefficients = entries
            .iter()
            .map(|(factor, _)| Coefficient {
                negative: *factor < 0,
                magnitude: Some(factor.abs()).filter(|magnitude| *magnitude != 1),
            })
            .collect();
        let children = entries.into_iter().map(|(_, child)| child).collect();
        (Kind::Sum { coefficients, constant: Some(constant).filter(|constant| *constant != 0) }, children)
    }

    fn compare_children(&mut self, dag: &Dag, left: &Child, right: &Child) -> Ordering {
        let fold = |child: &Child| matches!(child, Child::Many(..));
        fold(left).cmp(&fold(right)).then_with(|| self.compare(dag, left.first(), right.first()))
    }

    /// The canonical order: by shape, then by arguments, then by numbers.
    pub fn compare(&mut self, dag: &Dag, left: NodeId, right: NodeId) -> Ordering {
        if left == right {
            return Ordering::Equal;
        }
        let (a, b) = (self.view(dag, left), self.view(dag, right));
        a.shape
            .cmp(&b.shape)
            .then_with(|| self.compare_args(dag, &a, &b))
            .then_with(|| self.compare_numbers(dag, &a, &b))
    }

    fn compare_args(&mut self, dag: &Dag, a: &View, b: &View) -> Ordering {
        if a.structure == b.structure {
            return Ordering::Equal;
        }
        if let (
            Kind::Leaf { arg: left, .. } | Kind::Arg(left),
            Kind::Leaf { arg: right, .. } | Kind::Arg(right),
        ) = (&a.kind, &b.kind)
        {
            return left.cmp(right);
        }
        for (left, right) in a.children.iter().zip(&b.children) {
            let (left, right) = (self.view(dag, left.first()), self.view(dag, right.first()));
            let order = self.compare_args(dag, &left, &right);
            if order != Ordering::Equal {
                return order;
            }
        }
        a.children.len().cmp(&b.children.len())
    }

    fn compare_numbers(&mut self, dag: &Dag, a: &View, b: &View) -> Ordering {
        let order = a.numbers().cmp(b.numbers());
        if order != Ordering::Equal {
            return order;
        }
        for (left, right) in a.children.iter().zip(&b.children) {
            if left == right {
                continue;
            }
            let (left, right) = (self.view(dag, left.first()), self.view(dag, right.first()));
            let order = self.compare_numbers(dag, &left, &right);
            if order != Ordering::Equal {
                return order;
            }
        }
        Ordering::Equal
    }
}

/// Hashes an operator without its numbers. The canonical order compares these hashes: another hash is another order of
/// operands, and with it other keys.
fn hash_operator(kind: &Kind<i64>, state: &mut FxHasher) {
    std::mem::discriminant(kind).hash(state);
    match kind {
        Kind::Literal(value) => value.hash(state),
        Kind::Sum { coefficients, constant } => {
            coefficients.len().hash(state);
            for Coefficient { negative, magnitude } in coefficients {
                (*negative, magnitude.is_none()).hash(state);
            }
            constant.is_some().hash(state);
        }
        Kind::Fold { op, .. } => op.hash(state),
        Kind::Float { float, .. } => (float.op, float.nan).hash(state),
        _ => {}
    }
}

/// The width of a literal that is the greatest of an element, unsigned or signed.
fn all_ones(value: &Int) -> Option<u32> {
    use dashu_int::ops::BitTest;
    let width = value.bit_len();
    (value > &Int::ZERO
        && width >= 7
        && matches!(width % 8, 0 | 7)
        && value == &((Int::ONE << width) - Int::ONE))
        .then_some(width as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::Part;
    use crate::float::{Float, FloatOp, NanRule};

    /// Expressions over two arguments from bit `low` on that differ in more than numbers.
    fn expressions(dag: &mut Dag, low: u32) -> Vec<NodeId> {
        let (a, b) = (dag.arg_slice(0, low, 8, false), dag.arg_slice(1, low, 8, false));
        let (condition, literal) = (dag.arg_slice(1, low + 7, 1, false), dag.int(i64::from(low) + 3));
        let linear = |dag: &mut Dag, factors: [i64; 2], constant: i64| {
            dag.linear(&[(a, factors[0].into()), (b, factors[1].into())], constant.into())
        };
        let mut made = vec![a, b, literal, dag.mul(a, b), dag.mul(a, a), dag.shl(a, b), dag.shr(a, b)];
        made.extend([dag.and(a, b), dag.or(a, b), dag.xor(a, b), dag.eq(a, b), dag.lt(a, b), dag.lt(b, a)]);
        made.extend([dag.le(a, b), dag.min(a, b), dag.max(a, b), dag.select(condition, a, b)]);
        made.extend([dag.popcount(a), dag.leading_zeros(a, 8), dag.trailing_zeros(a, 8)]);
        for (factors, constant) in
            [([1, 1], 0), ([1, -1], 0), ([1, 1], 5), ([3, 1], 0), ([1, 3], 0), ([3, 5], 7)]
        {
            made.push(linear(dag, factors, constant));
        }
        let parts = [a, b].map(|node| Part { node, width: 8 });
        made.extend([dag.concat(&parts), dag.concat(&[parts[0], parts[1], parts[0]])]);
        let difference = linear(dag, [1, -1], 0);
        made.extend([dag.abs(difference), dag.saturate(difference, 8, true)]);
        let mode = dag.int(0);
        let wide = [0, 1].map(|arg| dag.arg_slice(arg, low, 16, false));
        for op in [FloatOp::Add, FloatOp::Mul, FloatOp::Div] {
            for nan in [NanRule::Open, NanRule::First] {
                let float = Float { op, nan, exponent: 5, target: 0 };
                made.push(dag.float(float, 16, 16, &[wide[0], wide[1], mode]));
            }
        }
        made
    }

    #[test]
    fn structures_are_equal_where_only_numbers_differ() {
        let mut dag = Dag::new(vec![64, 64]);
        let (low, high) = (expressions(&mut dag, 0), expressions(&mut dag, 32));
        let mut skeletons = Skeletons::default();
        for (one, left) in low.iter().enumerate() {
            for (other, right) in high.iter().enumerate() {
                let equal = skeletons.view(&dag, *left).structure == skeletons.view(&dag, *right).structure;
                assert_eq!(equal, one == other, "{} and {}", dag.show(*left), dag.show(*right));
            }
        }
    }

    #[test]
    fn shapes_do_not_see_which_argument_is_read() {
        let mut dag = Dag::new(vec![64, 64]);
        let of = |dag: &mut Dag, arg: u32| {
            let (a, b) = (dag.arg_slice(arg, 0, 8, false), dag.arg_slice(arg, 8, 8, false));
            [a, dag.min(a, b), dag.sub(a, b)]
        };
        let (left, right) = (of(&mut dag, 0), of(&mut dag, 1));
        let mut skeletons = Skeletons::default();
        for (left, right) in left.into_iter().zip(right) {
            let (left, right) = (skeletons.view(&dag, left), skeletons.view(&dag, right));
            assert_eq!(left.shape, right.shape);
            assert_ne!(left.structure, right.structure);
        }
    }

    #[test]
    fn literals_of_all_ones_are_those_of_elements() {
        for width in 1..=70u32 {
            let ones = (Int::ONE << width as usize) - Int::ONE;
            let expected = [7, 8, 15, 16, 23, 24, 31, 32, 39, 40, 47, 48, 55, 56, 63, 64].contains(&width);
            assert_eq!(all_ones(&ones), expected.then_some(width));
            assert_eq!((all_ones(&(&ones - Int::ONE)), all_ones(&-ones)), (None, None), "{width}");
        }
        assert_eq!(all_ones(&Int::ZERO), None);
    }

    #[test]
    fn the_order_is_by_argument_and_then_by_position() {
        let mut dag = Dag::new(vec![64, 64]);
        let leaf = |dag: &mut Dag, (arg, low)| dag.arg_slice(arg, low, 8, false);
        // What was made first is no criterion.
        let places = [(1, 8), (0, 8), (1, 0), (0, 0)];
        let mut leaves = places.map(|place| leaf(&mut dag, place));
        let mut sums = places.map(|(arg, low)| {
            let other = leaf(&mut dag, (arg, low + 16));
            dag.mul(other, other)
        });
        let mut skeletons = Skeletons::default();
        leaves.sort_by(|left, right| skeletons.compare(&dag, *left, *right));
        assert_eq!(leaves, [(0, 0), (0, 8), (1, 0), (1, 8)].map(|place| leaf(&mut dag, place)));
        sums.sort_by(|left, right| skeletons.compare(&dag, *left, *right));
        let squares = [(0, 16), (0, 24), (1, 16), (1, 24)].map(|place| {
            let leaf = leaf(&mut dag, place);
            dag.mul(leaf, leaf)
        });
        assert_eq!(sums, squares);
        assert_eq!(skeletons.compare(&dag, sums[0], sums[0]), Ordering::Equal);
    }
}
