//! Lanes: the iterations of loops and folds, laid out next to each other.
//!
//! A [`Space`] is a set of loop (and fold) indices; its lanes are their combinations of values, the last index
//! running fastest. An expression is computed once for each lane of the indices that it depends on.

use std::collections::BTreeMap;

use hydride_ir::visit::{Loop, Walk};
use hydride_ir::{Atom, Function, IndexId, Num, Op};

/// Positions of indices in [`Indices`], sorted.
pub(crate) type Space = Vec<usize>;

/// The indices of a function that take more than one value, outermost first.
pub(crate) struct Indices {
    counts: Vec<usize>,
    positions: BTreeMap<IndexId, usize>,
}

impl Indices {
    /// `None` when a count is not a constant.
    pub(crate) fn of(function: &Function) -> Option<Self> {
        let mut indices = Self { counts: Vec::new(), positions: BTreeMap::new() };
        for Loop { index, count } in function.loops() {
            indices.add(index, count)?;
        }
        // An enclosing fold comes after those in its body.
        for expr in function.exprs().iter().rev() {
            if let Op::Fold { index, count, .. } = &expr.op {
                indices.add(*index, count)?;
            }
        }
        Some(indices)
    }

    fn add(&mut self, index: IndexId, count: &Num) -> Option<()> {
        let count = usize::try_from(count.as_constant()?).ok()?;
        if count > 1 {
            self.positions.insert(index, self.counts.len());
            self.counts.push(count);
        }
        Some(())
    }

    /// The position of an index; `None` when it is always 0.
    pub(crate) fn position(&self, index: IndexId) -> Option<usize> {
        self.positions.get(&index).copied()
    }

    /// How many values an index takes.
    pub(crate) fn count(&self, index: IndexId) -> usize {
        self.position(index).map_or(1, |position| self.counts[position])
    }

    /// The space of the loops that a walk is in.
    pub(crate) fn around(&self, walk: &Walk<'_>) -> Space {
        walk.scope().iter().filter_map(|around| self.position(around.index)).collect()
    }

    /// The number of lanes of a space.
    pub(crate) fn lanes(&self, space: &[usize]) -> usize {
        space.iter().map(|position| self.counts[*position]).product()
    }

    /// The indices that a number depends on.
    pub(crate) fn space(&self, num: &Num) -> Space {
        let index = |atom| match atom {
            Atom::Index(index) => self.position(index),
            Atom::Param(_) => None,
        };
        let mut space: Space = num.atoms().filter_map(index).collect();
        space.sort_unstable();
        space.dedup();
        space
    }

    /// The values of a number in the lanes of a space that covers its indices; `None` on overflow.
    pub(crate) fn values(&self, num: &Num, space: &[usize]) -> Option<Vec<i64>> {
        (0..self.lanes(space))
            .map(|lane| {
                let values = self.decompose(lane, space);
                num.eval(|atom| match atom {
                    Atom::Index(index) => self
                        .position(index)
                        .and_then(|position| space.iter().position(|other| *other == position))
                        .map_or(0, |place| values[place] as i64),
                    Atom::Param(_) => 0,
                })
            })
            .collect()
    }

    /// For each lane of a space the lane of a part of it.
    pub(crate) fn project(&self, from: &[usize], to: &[usize]) -> Vec<i64> {
        let places: Vec<usize> =
            to.iter().filter_map(|position| from.iter().position(|other| other == position)).collect();
        (0..self.lanes(from))
            .map(|lane| {
                let values = self.decompose(lane, from);
                let lane =
                    places.iter().fold(0, |lane, place| lane * self.counts[from[*place]] + values[*place]);
                lane as i64
            })
            .collect()
    }

    /// The indices' values in a lane.
    fn decompose(&self, mut lane: usize, space: &[usize]) -> Vec<usize> {
        let mut values = vec![0; space.len()];
        for (value, position) in values.iter_mut().zip(space).rev() {
            *value = lane % self.counts[*position];
            lane /= self.counts[*position];
        }
        values
    }
}

/// The indices of either space.
pub(crate) fn union(left: &[usize], right: &[usize]) -> Space {
    let mut space = [left, right].concat();
    space.sort_unstable();
    space.dedup();
    space
}
