//! Two-address form: in which order a sequence needs the fewest register moves.

use crate::allocation::{Allocation, Place, Placement, Use, allocate};
use crate::value::File;

/// An order of execution with its moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Positions of the steps in the order of execution.
    pub order: Vec<usize>,
    /// For each entry of `order` the value that is copied before, if any, and the operand position whose
    /// register the result takes.
    pub places: Vec<Place>,
    /// For each entry of `order` the operands that are copied to where the machine form wants them, each with the
    /// copy's register.
    pub copies: Vec<Vec<(usize, usize)>>,
    /// The registers of the inputs, then of the results in the order of execution.
    pub registers: Vec<usize>,
    /// Number of moves.
    pub moves: u32,
    /// Values alive at once, at most.
    pub pressure: usize,
}

/// Sequences longer than this are only considered in the given order.
const MAX_ORDERED: usize = 8;

/// The order with the fewest moves, then the fewest registers, then the first one. `None` when each needs
/// more than `registers`.
pub(crate) fn schedule(
    inputs: &[File],
    steps: &[Use],
    outputs: &[usize],
    registers: usize,
) -> Option<Schedule> {
    let placed = steps.iter().any(|step| step.placement != Placement::default());
    let mut best: Option<Schedule> = None;
    let mut consider = |order: &[usize]| {
        let mut schedule = count(inputs.len(), steps, outputs, order);
        if placed {
            let Some(settled) = settle(schedule, inputs, steps, outputs) else { return };
            schedule = settled;
        }
        let better = best
            .as_ref()
            .is_none_or(|best| (schedule.moves, schedule.pressure) < (best.moves, best.pressure));
        if schedule.pressure <= registers && better {
            best = Some(schedule);
        }
    };
    if steps.len() > MAX_ORDERED {
        consider(&(0..steps.len()).collect::<Vec<_>>());
    } else {
        orders(inputs.len(), steps, &mut Vec::new(), &mut consider);
    }
    // If any registers can be used, the order does not depend on the choice.
    if placed { best } else { settle(best?, inputs, steps, outputs) }
}

/// Steps in a given order.
pub(crate) fn place(inputs: &[File], steps: &[Use], outputs: &[usize], order: &[usize]) -> Option<Schedule> {
    settle(count(inputs.len(), steps, outputs, order), inputs, steps, outputs)
}

/// Chooses the registers, with the copies that these need.
fn settle(schedule: Schedule, inputs: &[File], steps: &[Use], outputs: &[usize]) -> Option<Schedule> {
    let Allocation { registers, copies } =
        allocate(inputs, steps, outputs, &schedule.order, &schedule.places)?;
    let made: usize = copies.iter().map(Vec::len).sum();
    let beside = copies.iter().map(Vec::len).max().unwrap_or(0);
    let (moves, pressure) = (schedule.moves + made as u32, schedule.pressure + beside);
    Some(Schedule { registers, copies, moves, pressure, ..schedule })
}

/// Calls `consider` with each order in which steps follow what they read.
fn orders(inputs: usize, steps: &[Use], order: &mut Vec<usize>, consider: &mut impl FnMut(&[usize])) {
    if order.len() == steps.len() {
        consider(order);
        return;
    }
    for (position, step) in steps.iter().enumerate() {
        let ready = |operand: &usize| *operand < inputs || order.contains(&(operand - inputs));
        if !order.contains(&position) && step.operands.iter().all(ready) {
            order.push(position);
            orders(inputs, steps, order, consider);
            order.pop();
        }
    }
}

/// Where results go in a given order; registers are not chosen.
fn count(inputs: usize, steps: &[Use], outputs: &[usize], order: &[usize]) -> Schedule {
    let needed_after = |value: usize, at: usize| {
        outputs.contains(&value)
            || order[at + 1..].iter().any(|later| steps[*later].operands.contains(&value))
    };
    let mut alive: Vec<usize> = (0..inputs).collect();
    let (mut moves, mut pressure) = (0, alive.len());
    let mut places = Vec::new();
    for (at, position) in order.iter().enumerate() {
        let step = &steps[*position];
        let free = step.destroys.iter().find(|operand| !needed_after(step.operands[**operand], at));
        let chosen = match (step.destroys.first(), free) {
            (None, _) => Place::Fresh,
            (Some(_), Some(operand)) => Place::Over(*operand),
            (Some(first), None) => {
                // The copy is live together with everything that is live before.
                pressure = pressure.max(alive.len() + 1);
                moves += 1;
                Place::Copy(*first)
            }
        };
        places.push(chosen);
        alive.retain(|value| needed_after(*value, at));
        alive.push(inputs + position);
        pressure = pressure.max(alive.len());
    }
    let (copies, registers) = (Vec::new(), Vec::new());
    Schedule { order: order.to_vec(), places, copies, registers, moves, pressure }
}

/// The fewest moves of any order, whatever the number of registers. Steps that are added later cannot make it
/// less: it bounds all sequences that start with these. Each step is the values that it reads and those of
/// which it overwrites one, as bits; so are the outputs.
pub(crate) fn fewest_moves(
    inputs: usize,
    steps: impl ExactSizeIterator<Item = (u32, u32)>,
    outputs: u32,
) -> u32 {
    let count = steps.len();
    if count > MAX_ORDERED {
        return 0;
    }
    let (mut reads, mut over) = ([0u32; MAX_ORDERED], [0u32; MAX_ORDERED]);
    // For each value its readers, as bits.
    let mut readers = [0u32; u32::BITS as usize];
    for (position, (read, overwritten)) in steps.enumerate() {
        (reads[position], over[position]) = (read, overwritten);
        bits(read).for_each(|value| readers[value] |= 1 << position);
    }
    // What a step costs depends only on the set of steps that are done.
    let mut least = [u8::MAX; 1 << MAX_ORDERED];
    least[0] = 0;
    let all = (1usize << count) - 1;
    for done in 0..all {
        let so_far = least[done];
        if so_far == u8::MAX {
            continue;
        }
        for position in (0..count).filter(|position| done >> position & 1 == 0) {
            if reads[position] >> inputs & !(done as u32) != 0 {
                continue;
            }
            let after = done | 1 << position;
            let dead = |value: usize| readers[value] & !(after as u32) == 0 && outputs >> value & 1 == 0;
            let moves = u8::from(over[position] != 0 && !bits(over[position]).any(dead));
            least[after] = least[after].min(so_far + moves);
        }
    }
    u32::from(least[all])
}

/// The positions of the bits that are set.
fn bits(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let next = (mask != 0).then(|| mask.trailing_zeros() as usize);
        mask &= mask.wrapping_sub(1);
        next
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const VECTOR: File = (crate::value::Class::Vector, false);

    fn step(operands: &[usize], destroys: &[usize]) -> Use {
        let placement = Placement::default();
        Use { operands: operands.to_vec(), destroys: destroys.to_vec(), placement, file: VECTOR }
    }

    fn fewest(inputs: usize, steps: &[Use], outputs: u32) -> u32 {
        let mask = |step: &Use, of: &[usize]| of.iter().fold(0, |mask, at| mask | 1 << step.operands[*at]);
        let all: Vec<usize> = (0..4).collect();
        let masks = |step: &Use| (mask(step, &all[..step.operands.len()]), mask(step, &step.destroys));
        fewest_moves(inputs, steps.iter().map(masks), outputs)
    }

    #[test]
    fn a_sum_over_shifts_needs_a_copy_for_each_shift() {
        // shift x; add x, it; shift that; add
        let steps = [step(&[0], &[0]), step(&[0, 1], &[0, 1]), step(&[2], &[0]), step(&[2, 3], &[0, 1])];
        let schedule = schedule(&[VECTOR], &steps, &[4], 2).unwrap();
        assert_eq!((schedule.moves, schedule.pressure), (2, 2));
        assert_eq!(fewest(1, &steps, 1 << 4), 2);
    }

    #[test]
    fn the_order_is_chosen_so_that_the_last_reader_overwrites() {
        // overwrites x; reads x; joins both
        let steps = [step(&[0], &[0]), step(&[0], &[]), step(&[1, 2], &[0])];
        let schedule = schedule(&[VECTOR], &steps, &[3], 4).unwrap();
        assert_eq!((schedule.moves, schedule.order[0]), (0, 1));
        assert_eq!(fewest(1, &steps, 1 << 3), 0);
    }
}
