//! Case distinctions over a small number: what it chooses among is known, one case at a time.
//!
//! This is no law of `laws/`: it looks at a whole result and not at a node that is being made, and it holds because each
//! case is compared when it is used, which is its proof.

use rustc_hash::FxHashSet;

use super::dag::{Dag, Node, NodeId, Part};
use super::{Int, Replacements, Segment};

/// Bits of the widest number whose cases are distinguished.
const MAX_BITS: u32 = 7;

impl Dag {
    /// The nodes that `roots` are made of, themselves included, each once and in order: operands before their users.
    pub fn reachable(&self, roots: impl IntoIterator<Item = NodeId>) -> Vec<NodeId> {
        let (mut seen, mut found) = (FxHashSet::default(), Vec::new());
        let mut stack: Vec<NodeId> = roots.into_iter().collect();
        while let Some(id) = stack.pop() {
            if seen.insert(id) {
                found.push(id);
                stack.extend(self.node(id).operands());
            }
        }
        found.sort_unstable();
        found
    }

    /// For each argument the number of low bits that are read; none where one is read at a computed place.
    pub fn bits_read(&self, nodes: impl IntoIterator<Item = NodeId>) -> Vec<Option<u32>> {
        let arg = |of: NodeId| match *self.node(of) {
            Node::Arg(arg) => Some(arg as usize),
            _ => None,
        };
        let mut bits = vec![Some(0); self.arg_widths().len()];
        for id in nodes {
            match self.node(id) {
                Node::Slice { of, low, width, .. } => {
                    if let Some(known) = arg(*of).and_then(|arg| bits[arg].as_mut()) {
                        *known = (*known).max(low + width);
                    }
                }
                Node::SliceAt { of, .. } => {
                    if let Some(arg) = arg(*of) {
                        bits[arg] = None;
                    }
                }
                _ => {}
            }
        }
        bits
    }

    /// The argument of fewest bits that `roots` read, if it is small, and the number of its low bits that matter.
    fn small_argument(&self, roots: impl IntoIterator<Item = NodeId>) -> Option<(u32, u32)> {
        (0..)
            .zip(self.bits_read(self.reachable(roots)))
            .filter_map(|(arg, bits)| Some((arg, bits?)))
            .filter(|(_, bits)| (1..=MAX_BITS).contains(bits))
            .min_by_key(|(_, bits)| *bits)
    }

    /// Whether two values are one in each case of a small argument that they read.
    pub fn equal_in_all_cases(&mut self, left: NodeId, right: NodeId) -> bool {
        let Some((arg, bits)) = self.small_argument([left, right]) else { return false };
        let whole = self.arg(arg);
        (0..1i64 << bits).all(|case| {
            let mut replacements = Replacements::from_iter([(whole, self.int(case))]);
            self.replace(left, &mut replacements) == self.replace(right, &mut replacements)
        })
    }

    /// A result that is `width` bits of two registers side by side, from a position on that is a multiple of a
    /// small number: `segments` choose among the copies case by case.
    ///
    /// ```text
    /// n == 0 ? a : n == 1 ? {a[30:0], a[31]} : …    is    {a, a}[32 - n +: 32]
    /// ```
    pub fn moved_by_a_small_number(&mut self, segments: &[Segment]) -> Option<Segment> {
        let width = segments.last().map(|segment| segment.low + segment.width)?;
        if segments.iter().all(|segment| self.is_at_computed_position(segment.value)) {
            return None;
        }
        let (number, bits) = self.small_argument(segments.iter().map(|segment| segment.value))?;
        let case = |dag: &mut Self, value: i64| {
            let value = dag.int(value);
            let mut parts = Vec::with_capacity(2 * segments.len());
            let mut end = 0;
            for segment in dag.with_argument(segments, number, value) {
                let zero = dag.int(0);
                parts.push(Part { node: zero, width: segment.low.checked_sub(end)? });
                parts.push(Part { node: segment.value, width: segment.width });
                end = segment.low + segment.width;
            }
            Some(dag.concat(&parts))
        };
        let first = case(self, 0)?;
        let unmoved = self.whole_argument(first, width)?;
        let once = case(self, 1)?;
        let Node::Concat(parts) = self.node(once).clone() else { return None };
        let [low, high] = parts[..] else { return None };
        let of = |dag: &Self, part: Part| match *dag.node(part.node) {
            Node::Slice { of, low, signed: false, .. } => match *dag.node(of) {
                Node::Arg(arg) => Some((arg, low)),
                _ => None,
            },
            _ => None,
        };
        let ((lower, lower_from), (upper, upper_from)) = (of(self, low)?, of(self, high)?);
        // What comes in does so from above or from below; for a rotation the shorter way.
        let is_down = lower == unmoved && upper_from == 0 && lower_from == high.width;
        let (pair, step, start) = if is_down && (upper != unmoved || high.width <= low.width) {
            ([lower, upper], i64::from(high.width), 0)
        } else if upper == unmoved && upper_from == 0 && lower_from + low.width == width {
            ([lower, upper], -i64::from(low.width), width)
        } else {
            return None;
        };
        let parts = pair.map(|arg| Part { node: self.arg_slice(arg, 0, width, false), width });
        let both = self.concat(&parts);
        for value in 0..1i64 << bits {
            let low = u32::try_from(i64::from(start) + step * value).ok()?;
            if low > width || case(self, value)? != self.slice(both, low, width, false) {
                return None;
            }
        }
        let number = self.arg_slice(number, 0, bits, false);
        let low = self.linear(&[(number, Int::from(step))], Int::from(start));
        let value = self.slice_at(both, low, width, false);
        Some(Segment { low: 0, width, value })
    }

    /// Whether this is a slice already, at a position that does not wrap around.
    fn is_at_computed_position(&self, id: NodeId) -> bool {
        let Node::SliceAt { low, .. } = self.node(id) else { return false };
        self.reachable([*low]).into_iter().all(|part| match self.node(part) {
            Node::Slice { of, .. } => !matches!(self.node(*of), Node::Sum { .. }),
            _ => true,
        })
    }

    /// The argument of which this is the low `width` bits.
    fn whole_argument(&self, id: NodeId, width: u32) -> Option<u32> {
        match *self.node(id) {
            Node::Slice { of, low: 0, width: own, signed: false } if own == width => match *self.node(of) {
                Node::Arg(arg) => Some(arg),
                _ => None,
            },
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A rotation of an argument by selects, one for each count, as a loop that is unrolled leaves it; the other one of
    /// the two arguments is the count.
    fn rotated(dag: &mut Dag, of: u32, bits: u32, down: bool) -> NodeId {
        let width = dag.arg_widths()[of as usize];
        let value = dag.arg_slice(of, 0, width, false);
        let count = dag.arg_slice(1 - of, 0, bits, false);
        (1..width).fold(value, |found, by| {
            let by = if down { by } else { width - by };
            let (low, high) = (dag.arg_slice(of, by, width - by, false), dag.arg_slice(of, 0, by, false));
            let parts = [Part { node: low, width: width - by }, Part { node: high, width: by }];
            let moved = dag.concat(&parts);
            let case = dag.int(if down { by } else { width - by });
            let is_case = dag.eq(count, case);
            dag.select(is_case, moved, found)
        })
    }

    #[test]
    fn rotations_by_cases_are_slices_of_the_register_twice() {
        for (of, down) in [(0, true), (0, false), (1, true), (1, false)] {
            let mut dag = Dag::new(if of == 0 { vec![16, 8] } else { vec![8, 16] });
            let value = rotated(&mut dag, of, 4, down);
            let moved = dag.moved_by_a_small_number(&[Segment { low: 0, width: 16, value }]).unwrap().value;
            assert!(matches!(dag.node(moved), Node::SliceAt { .. }), "{}", dag.show(moved));
            assert!(dag.equal_in_all_cases(value, moved));
        }
    }

    /// A register that is moved by a number of bits or not at all.
    #[test]
    fn what_comes_in_may_be_from_another_register() {
        for (step, down) in [1, 4, 8, 12].into_iter().flat_map(|step| [(step, true), (step, false)]) {
            let mut dag = Dag::new(vec![8, 16, 16]);
            let kept = 16 - step;
            let parts = match down {
                true => [(1, step, kept), (2, 0, step)],
                false => [(2, kept, step), (1, 0, kept)],
            };
            let parts =
                parts.map(|(arg, low, width)| Part { node: dag.arg_slice(arg, low, width, false), width });
            let (moved, unmoved, is_moved) =
                (dag.concat(&parts), dag.arg_slice(1, 0, 16, false), dag.arg_slice(0, 0, 1, false));
            let value = dag.select(is_moved, moved, unmoved);
            let found = dag.moved_by_a_small_number(&[Segment { low: 0, width: 16, value }]);
            let found = found.unwrap_or_else(|| panic!("by {step}, down: {down}")).value;
            assert!(matches!(dag.node(found), Node::SliceAt { .. }), "{}", dag.show(found));
            assert!(dag.equal_in_all_cases(value, found));
        }
    }

    #[test]
    fn what_is_written_in_pieces_is_moved_as_a_whole() {
        let mut dag = Dag::new(vec![16, 8]);
        let value = rotated(&mut dag, 0, 4, true);
        let whole = dag.moved_by_a_small_number(&[Segment { low: 0, width: 16, value }]).unwrap();
        for (gap, expected) in [(0, Some(whole)), (1, None)] {
            let pieces = [(0, 4), (4, 4), (8, 8)].map(|(low, width)| {
                let value = dag.slice(value, low, width, false);
                Segment { low: low + if low == 8 { gap } else { 0 }, width, value }
            });
            assert_eq!(dag.moved_by_a_small_number(&pieces), expected, "a gap of {gap}");
        }
    }

    #[test]
    fn a_wrong_case_is_no_movement() {
        let mut dag = Dag::new(vec![16, 8]);
        let value = rotated(&mut dag, 0, 4, true);
        let (count, seven, zero) = (dag.arg_slice(1, 0, 4, false), dag.int(7), dag.int(0));
        let is_seven = dag.eq(count, seven);
        let wrong = dag.select(is_seven, zero, value);
        assert_eq!(dag.moved_by_a_small_number(&[Segment { low: 0, width: 16, value: wrong }]), None);
        assert!(!dag.equal_in_all_cases(value, wrong));
    }

    #[test]
    fn the_low_bits_of_an_argument_count_where_their_places_are_known() {
        let mut dag = Dag::new(vec![16, 16, 16, 8]);
        let (of, position) = (dag.arg(1), dag.arg_slice(3, 0, 4, false));
        let nodes = [
            dag.arg_slice(0, 2, 3, false),
            dag.arg_slice(0, 0, 4, false),
            dag.slice_at(of, position, 2, false),
            dag.arg_slice(1, 0, 4, false),
            position,
        ];
        assert_eq!(dag.bits_read(nodes), [Some(5), None, Some(0), Some(4)]);
    }

    /// What is at a computed place of one register already stays; at a place that wraps around it is moved.
    #[test]
    fn a_slice_at_a_computed_place_is_no_movement() {
        let mut dag = Dag::new(vec![8, 16]);
        let (of, number, two) = (dag.arg(1), dag.arg_slice(0, 0, 2, false), dag.int(2));
        let moved = dag.slice_at(of, number, 16, false);
        assert_eq!(dag.moved_by_a_small_number(&[Segment { low: 0, width: 16, value: moved }]), None);
        let sum = dag.sum(&[number, two]);
        let wrapped = dag.slice(sum, 0, 2, false);
        let [plain, around] = [number, wrapped].map(|low| dag.slice_at(of, low, 16, false));
        assert!(dag.is_at_computed_position(plain) && !dag.is_at_computed_position(around));
    }

    #[test]
    fn wide_numbers_have_too_many_cases() {
        let mut dag = Dag::new(vec![16, 16]);
        let (a, b) = (dag.arg_slice(0, 0, 16, false), dag.arg_slice(1, 0, 16, false));
        assert!(!dag.equal_in_all_cases(a, b));
    }
}
