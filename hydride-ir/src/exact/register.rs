//! Bit-vector variables of pseudocode: written and read by slices, merged where paths join.

use std::collections::BTreeMap;

use super::dag::{Dag, NodeId, Part};

/// The contents of a variable as written so far: disjoint extents with the exact integer assigned
/// to each. Bits never written are undefined.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Register {
    /// Lowest bit to width and value; the extent holds the value's low bits.
    extents: BTreeMap<u32, Extent>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Extent {
    width: u32,
    /// The assigned integer; only its bits `from .. from + width` belong to the extent.
    value: NodeId,
    from: u32,
}

impl Register {
    /// A register with `width` bits holding the low bits of `value`.
    pub fn with_value(width: u32, value: NodeId) -> Self {
        let mut register = Self::default();
        register.write(0, width, value);
        register
    }

    /// Assigns the low `width` bits of `value` to bits `low .. low + width`.
    pub fn write(&mut self, low: u32, width: u32, value: NodeId) {
        if width == 0 {
            return;
        }
        self.clear(low, width);
        self.extents.insert(low, Extent { width, value, from: 0 });
    }

    /// Makes bits `low .. low + width` undefined again.
    pub fn clear(&mut self, low: u32, width: u32) {
        let end = low + width;
        let touched: Vec<(u32, Extent)> = self
            .extents
            .range(..end)
            .rev()
            .take_while(|(start, extent)| **start + extent.width > low)
            .map(|(start, extent)| (*start, *extent))
            .collect();
        for (start, extent) in touched {
            self.extents.remove(&start);
            if start < low {
                self.extents.insert(start, Extent { width: low - start, ..extent });
            }
            let stop = start + extent.width;
            if stop > end {
                let from = extent.from + (end - start);
                self.extents.insert(end, Extent { width: stop - end, from, ..extent });
            }
        }
    }

    /// Bits `low .. low + width` read unsigned, and whether all of them were written; bits that
    /// were not read as 0.
    pub fn read(&self, dag: &mut Dag, low: u32, width: u32) -> (NodeId, bool) {
        let mut parts = Vec::new();
        let mut position = low;
        let mut complete = true;
        let end = low + width;
        let first = self.extents.range(..=low).next_back().map_or(low, |(start, _)| *start);
        let zero = dag.int(0);
        for (start, extent) in self.extents.range(first..end) {
            let stop = (start + extent.width).min(end);
            if stop <= position {
                continue;
            }
            if *start > position {
                complete = false;
                parts.push(Part { node: zero, width: start - position });
                position = *start;
            }
            let from = extent.from + (position - start);
            let node = dag.slice(extent.value, from, stop - position, false);
            parts.push(Part { node, width: stop - position });
            position = stop;
        }
        complete &= position >= end;
        (dag.concat(&parts), complete)
    }

    /// The integer assigned to exactly `low .. low + width`, as it was assigned: not truncated, its
    /// sign kept.
    pub fn assigned(&self, low: u32, width: u32) -> Option<NodeId> {
        let extent = self.extents.get(&low)?;
        (extent.width == width && extent.from == 0).then_some(extent.value)
    }

    /// The written extents: lowest bit and width, ascending.
    pub fn extents(&self) -> impl Iterator<Item = (u32, u32)> {
        self.extents.iter().map(|(low, extent)| (*low, extent.width))
    }

    /// One above the highest written bit.
    pub fn end(&self) -> u32 {
        self.extents.last_key_value().map_or(0, |(low, extent)| low + extent.width)
    }

    /// The register after a branch: `then` where the boolean `condition` is 1, else `otherwise`. A bit
    /// written on one path only takes that path's value.
    pub fn merge(dag: &mut Dag, condition: NodeId, then: &Register, otherwise: &Register) -> Register {
        if then == otherwise {
            return then.clone();
        }
        let mut merged = Register::default();
        let mut cuts: Vec<u32> = [then, otherwise]
            .iter()
            .flat_map(|register| register.extents().flat_map(|(low, width)| [low, low + width]))
            .collect();
        cuts.sort_unstable();
        cuts.dedup();
        for cut in cuts.windows(2) {
            let (low, width) = (cut[0], cut[1] - cut[0]);
            let (left, right) = (then.piece(low, width), otherwise.piece(low, width));
            let extent = match (left, right) {
                (None, None) => continue,
                (Some(only), None) | (None, Some(only)) => only,
                (Some(left), Some(right)) if left == right => left,
                (Some(left), Some(right)) if left.from == 0 && right.from == 0 => {
                    Extent { width, value: dag.select(condition, left.value, right.value), from: 0 }
                }
                (Some(left), Some(right)) => {
                    let left = dag.slice(left.value, left.from, width, false);
                    let right = dag.slice(right.value, right.from, width, false);
                    Extent { width, value: dag.select(condition, left, right), from: 0 }
                }
            };
            // Pieces of one untouched extent grow together again.
            let joined = merged.extents.last_entry().is_some_and(|mut last| {
                let start = *last.key();
                let below = last.get_mut();
                let continues = start + below.width == low
                    && below.value == extent.value
                    && below.from + below.width == extent.from;
                if continues {
                    below.width += extent.width;
                }
                continues
            });
            if !joined {
                merged.extents.insert(low, extent);
            }
        }
        merged
    }

    /// The part of one extent that covers `low .. low + width`.
    fn piece(&self, low: u32, width: u32) -> Option<Extent> {
        let (start, extent) = self.extents.range(..=low).next_back()?;
        (start + extent.width >= low + width).then(|| Extent {
            width,
            value: extent.value,
            from: extent.from + (low - start),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Bits that a register is compared on.
    const WIDTH: usize = 40;

    /// A change of a register: lowest bit, width, and the value that is written, if any.
    type Change = (u32, u32, Option<u64>);

    fn changes() -> impl Strategy<Value = Vec<Change>> {
        let change = (0..24u32, 0..16u32, proptest::option::weighted(0.7, any::<u64>()));
        proptest::collection::vec(change, 0..8)
    }

    /// A register after changes, and each of its bits, if it was written.
    fn changed(dag: &mut Dag, changes: &[Change]) -> (Register, [Option<bool>; WIDTH]) {
        let (mut register, mut bits) = (Register::default(), [None; WIDTH]);
        for (low, width, value) in changes {
            match value {
                Some(value) => register.write(*low, *width, dag.int(*value)),
                None => register.clear(*low, *width),
            }
            for place in 0..*width {
                bits[(low + place) as usize] = value.map(|value| value >> place & 1 == 1);
            }
        }
        (register, bits)
    }

    /// Whether every slice of a register has the given bits.
    fn check(dag: &mut Dag, register: &Register, bits: &[Option<bool>]) -> Result<(), TestCaseError> {
        for low in 0..WIDTH {
            for high in low + 1..=WIDTH {
                let slice = &bits[low..high];
                let ones = slice.iter().enumerate().filter(|(_, bit)| **bit == Some(true));
                let expected = dag.int(ones.map(|(place, _)| 1u64 << place).sum::<u64>());
                let read = register.read(dag, low as u32, (high - low) as u32);
                prop_assert_eq!(read, (expected, slice.iter().all(Option::is_some)), "{}..{}", low, high);
            }
        }
        let written = |place: &usize| {
            register.extents().any(|(low, width)| (low..low + width).contains(&(*place as u32)))
        };
        prop_assert!((0..WIDTH).all(|place| written(&place) == bits[place].is_some()));
        let end = bits.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        prop_assert_eq!(register.end() as usize, end);
        Ok(())
    }

    proptest! {
        #[test]
        fn a_slice_has_the_bits_that_were_written_last(changes in changes()) {
            let mut dag = Dag::new(Vec::new());
            let (register, bits) = changed(&mut dag, &changes);
            check(&mut dag, &register, &bits)?;
        }

        #[test]
        fn a_merged_register_has_the_bits_of_the_path_taken(left in changes(), right in changes(), taken: bool) {
            let mut dag = Dag::new(Vec::new());
            let (then, left) = changed(&mut dag, &left);
            let (otherwise, right) = changed(&mut dag, &right);
            let condition = dag.int(u64::from(taken));
            let merged = Register::merge(&mut dag, condition, &then, &otherwise);
            let [own, other] = if taken { [left, right] } else { [right, left] };
            let bits: Vec<Option<bool>> = own.iter().zip(&other).map(|(own, other)| own.or(*other)).collect();
            check(&mut dag, &merged, &bits)?;
        }
    }

    /// Where both paths write the same bits, the values are chosen from as they were assigned, with their signs.
    #[test]
    fn a_merged_register_keeps_what_was_assigned() {
        let mut dag = Dag::new(vec![8, 8, 1]);
        let [x, y] = [0, 1].map(|arg| dag.arg_slice(arg, 0, 8, true));
        let (sum, condition) = (dag.sum(&[x, y]), dag.arg_slice(2, 0, 1, false));
        let [then, otherwise] = [sum, x].map(|value| Register::with_value(8, value));
        let merged = Register::merge(&mut dag, condition, &then, &otherwise);
        let chosen = dag.select(condition, sum, x);
        assert_eq!(merged.assigned(0, 8), Some(chosen));
    }

    #[test]
    fn a_register_with_a_value_has_its_low_bits() {
        let mut dag = Dag::new(Vec::new());
        let value = dag.int(0x1ff);
        let register = Register::with_value(8, value);
        assert_eq!(register.read(&mut dag, 4, 4), (dag.int(0xf), true));
        assert_eq!(register.read(&mut dag, 0, 9), (dag.int(0xff), false));
        assert_eq!((register.assigned(0, 8), register.assigned(0, 7)), (Some(value), None));
        assert_eq!(register.extents().collect::<Vec<_>>(), [(0, 8)]);
    }
}
