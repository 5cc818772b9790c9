//! Where the statements write every bit of every result exactly once: they tile it.
//!
//! A statement under loops is a block of a width that is repeated in steps. A loop whose step is the width makes the
//! block wider; two adjacent blocks with the same repetition are merged. In the end one block is left, the result. The
//! order of the loops and the adjacency of blocks are read off the known values; the conditions for them become
//! constraints.

use std::collections::BTreeSet;

use super::{Constraint, by_indices, equal, param_value};
use crate::function::{Function, ParamId};
use crate::num::{Atom, Num};
use crate::visit::{Assignment, Event, Loop};

/// A written slice, repeated.
#[derive(Clone)]
struct Block {
    low: Num,
    width: Num,
    /// Count and step of each loop.
    loops: Vec<(Num, Num)>,
}

/// Constraints under which every result is written exactly once, given values at which it is.
pub(super) fn coverage(function: &Function, known: &[&[i64]]) -> Vec<Constraint> {
    let mut found = Vec::new();
    for (position, result) in function.results.iter().enumerate() {
        let tiled = blocks(function, position).and_then(|blocks| {
            let mut tiling = Tiling { known, blocks, found: Vec::new() };
            tiling.run(&result.width)?;
            Some(tiling.found)
        });
        match tiled {
            Some(constraints) => found.extend(constraints),
            None => found.extend(points(function, position, known)),
        }
    }
    found
}

/// The statements that write a result; none where a number is not affine in the indices.
fn blocks(function: &Function, result: usize) -> Option<Vec<Block>> {
    let mut blocks = Vec::new();
    let mut walk = function.walk();
    while let Some(event) = walk.next() {
        let Event::Assign(Assignment { result: own, low, value }) = event else { continue };
        if own.0 as usize != result {
            continue;
        }
        let mut parts = by_indices(low);
        let width = function.expr(value).width.clone();
        if width.atoms().any(|atom| matches!(atom, Atom::Index(_))) {
            return None;
        }
        let low = parts.remove(&Vec::new()).unwrap_or_default();
        let step =
            |around: &Loop<'_>| (around.count.clone(), parts.remove(&vec![around.index]).unwrap_or_default());
        let loops = walk.scope().iter().map(step).collect();
        if !parts.is_empty() {
            return None;
        }
        blocks.push(Block { low, width, loops });
    }
    Some(blocks)
}

struct Tiling<'a> {
    known: &'a [&'a [i64]],
    blocks: Vec<Block>,
    found: Vec<Constraint>,
}

impl Tiling<'_> {
    fn run(&mut self, whole: &Num) -> Option<()> {
        while self.widen() || self.join() {}
        let [Block { low, width, loops }] = self.blocks.as_slice() else { return None };
        let (low, width) = (low.clone(), width.clone());
        if !loops.is_empty() || !self.everywhere(|at| at(&low) == Some(0) && at(&width) == at(whole)) {
            return None;
        }
        self.equal(low, Num::constant(0), None);
        self.equal(width, whole.clone(), None);
        Some(())
    }

    /// Whether something holds at all known values.
    fn everywhere(&self, holds: impl Fn(&dyn Fn(&Num) -> Option<i64>) -> bool) -> bool {
        self.known.iter().all(|values| holds(&|num: &Num| num.eval(|atom| param_value(atom, values))))
    }

    fn equal(&mut self, left: Num, right: Num, unless: Option<Num>) {
        self.found.push(equal(left, right, unless));
    }

    /// Takes a loop whose step is the width into the block.
    fn widen(&mut self) -> bool {
        for position in 0..self.blocks.len() {
            let block = &self.blocks[position];
            let fits = |(count, step): &(Num, Num)| {
                *step == block.width
                    || self.everywhere(|at| at(count) == Some(1) || at(step) == at(&block.width))
            };
            // Steps that are the width itself first: they need no constraint.
            let exact = block.loops.iter().position(|(_, step)| *step == block.width);
            let Some(place) = exact.or_else(|| block.loops.iter().rposition(fits)) else { continue };
            let block = &mut self.blocks[position];
            let (count, step) = block.loops.remove(place);
            let width = block.width.clone();
            block.width = width.clone() * count.clone();
            self.equal(step, width, Some(count));
            return true;
        }
        false
    }

    /// Merges two adjacent blocks with the same repetition.
    fn join(&mut self) -> bool {
        for left in 0..self.blocks.len() {
            for right in 0..self.blocks.len() {
                let (low, high) = (&self.blocks[left], &self.blocks[right]);
                if left == right || low.loops.len() != high.loops.len() {
                    continue;
                }
                let end = low.low.clone() + low.width.clone();
                let alike = self.everywhere(|at| {
                    at(&end) == at(&high.low)
                        && low.loops.iter().zip(&high.loops).all(|(one, other)| {
                            at(&one.0) == at(&other.0)
                                && (at(&one.0) == Some(1) || at(&one.1) == at(&other.1))
                        })
                });
                if !alike {
                    continue;
                }
                let high = self.blocks[right].clone();
                let low = self.blocks[left].clone();
                self.equal(end, high.low, None);
                for (one, other) in low.loops.iter().zip(high.loops) {
                    self.equal(one.0.clone(), other.0, None);
                    self.equal(one.1.clone(), other.1, Some(one.0.clone()));
                }
                self.blocks[left].width = low.width + high.width;
                self.blocks.remove(right);
                return true;
            }
        }
        false
    }
}

/// The known values of the parameters that say where a result is written.
fn points(function: &Function, result: usize, known: &[&[i64]]) -> Option<Constraint> {
    let mut params: BTreeSet<ParamId> = BTreeSet::new();
    let mut add = |num: &Num| {
        params.extend(num.atoms().filter_map(|atom| match atom {
            Atom::Param(param) => Some(param),
            Atom::Index(_) => None,
        }));
    };
    add(&function.results[result].width);
    for event in function.walk() {
        match event {
            Event::Enter(around) => add(around.count),
            Event::Assign(Assignment { result: own, low, value }) if own.0 as usize == result => {
                add(low);
                add(&function.expr(value).width);
            }
            Event::Assign(_) | Event::Leave(_) => {}
        }
    }
    let params: Vec<ParamId> = params.into_iter().collect();
    if params.is_empty() {
        return None;
    }
    let own = |values: &&[i64]| params.iter().map(|param| values[param.0 as usize]).collect();
    let values = known.iter().map(own).collect();
    Some(Constraint::OneOf { params, values })
}
