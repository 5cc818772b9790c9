//! Registers for the values of a sequence whose order is settled.
//!
//! Most machine forms take any registers, and the first free one does. Some do not: tables are in consecutive
//! registers, and SSE4.1's blends read their mask from `xmm0`. Inputs and results are placed where such operands are
//! needed; everything else is copied, with as few copies as possible.

use crate::value::File;

/// The register-related part of a step.
#[derive(Clone, Debug)]
pub struct Use {
    /// Values read: inputs first, then results of steps.
    pub operands: Vec<usize>,
    /// Positions among `operands` of which the machine form overwrites one; none when the result has a
    /// separate register.
    pub destroys: Vec<usize>,
    /// What the machine form asks of the operands' registers.
    pub placement: Placement,
    /// The registers of which the result takes one.
    pub(crate) file: File,
}

/// What a machine form asks of the registers of its operands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Placement {
    /// The first of the operands in consecutive registers, and their number.
    pub consecutive: Option<(usize, usize)>,
    /// The operand that is in register 0.
    pub implied: Option<usize>,
}

impl Placement {
    /// The operands that cannot be in any register, in order.
    pub(crate) fn operands(self) -> impl Iterator<Item = usize> {
        let list = self.consecutive.map_or(0..0, |(first, count)| first..first + count);
        list.chain(self.implied)
    }

    /// How often a list of registers repeats a value: each time it is a copy that is needed.
    pub(crate) fn repeated(self, operands: &[u8]) -> usize {
        let Some((first, count)) = self.consecutive else { return 0 };
        let list = &operands[first..first + count];
        (0..count).filter(|at| list[..*at].contains(&list[*at])).count()
    }
}

/// Where a step's result goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A separate register.
    Fresh,
    /// The register of this operand, which is dead.
    Over(usize),
    /// A copy of this operand.
    Copy(usize),
}

/// Registers of a sequence.
pub(crate) struct Allocation {
    /// Of the inputs, then of the results in the order of execution.
    pub(crate) registers: Vec<usize>,
    /// For each step the operands that are copied before it, each with the copy's register.
    pub(crate) copies: Vec<Vec<(usize, usize)>>,
}

/// Number of registers tried for one choice of copies; most choices fail or succeed immediately.
const MAX_TRIED: usize = 20_000;

/// Number of operands with a fixed register beyond which either all of them or none are copied.
const MAX_CHOSEN: usize = 10;

/// Chooses registers with the fewest copies. `places` says for each step of `order` where its result goes.
pub(crate) fn allocate(
    inputs: &[File],
    steps: &[Use],
    outputs: &[usize],
    order: &[usize],
    places: &[Place],
) -> Option<Allocation> {
    let placed: Vec<(usize, usize)> = order
        .iter()
        .enumerate()
        .flat_map(|(at, step)| steps[*step].placement.operands().map(move |operand| (at, operand)))
        .collect();
    let mut choices: Vec<u32> = match placed.len() {
        count @ 0..=MAX_CHOSEN => (0..1 << count).collect(),
        _ => vec![0, u32::MAX],
    };
    choices.sort_by_key(|choice| choice.count_ones());
    choices.into_iter().find_map(|choice| {
        let chosen = placed.iter().enumerate().filter(|(at, _)| choice >> at & 1 != 0);
        let copied: Vec<(usize, usize)> = chosen.map(|(_, place)| *place).collect();
        Cells::new(inputs, steps, outputs, order, places, &copied).solve(&copied, order.len())
    })
}

/// Something that is in a register for a while: a value, or a copy for one step. Step `at` makes its copies at
/// time `3 * at`, reads at `3 * at + 1` and writes at `3 * at + 2`.
struct Cell {
    file: File,
    from: i64,
    to: i64,
    /// The cell whose register it takes over.
    over: Option<usize>,
}

struct Cells {
    cells: Vec<Cell>,
    /// The cell of each value in the order of execution.
    values: Vec<usize>,
    /// The cell of each copy.
    copies: Vec<usize>,
    /// Cells in registers that follow each other.
    lists: Vec<Vec<usize>>,
    /// Cells in register 0.
    first: Vec<usize>,
}

impl Cells {
    fn new(
        inputs: &[File],
        steps: &[Use],
        outputs: &[usize],
        order: &[usize],
        places: &[Place],
        copied: &[(usize, usize)],
    ) -> Self {
        let time = |at: usize| 3 * at as i64;
        // The value of an input, or the position of a step, as the steps name it.
        let last_read = |value: usize, made: i64| {
            let read = order.iter().rposition(|step| steps[*step].operands.contains(&value));
            if outputs.contains(&value) { i64::MAX } else { read.map_or(made, |at| time(at) + 1) }
        };
        let value = |cells: &mut Vec<Cell>, file, value, from, over| {
            cells.push(Cell { file, from, to: last_read(value, from), over });
            cells.len() - 1
        };
        let mut cells = Vec::new();
        let mut of_value = vec![0; inputs.len() + steps.len()];
        for (input, file) in inputs.iter().enumerate() {
            of_value[input] = value(&mut cells, *file, input, -1, None);
        }
        let (mut copies, mut lists, mut first) = (Vec::new(), Vec::new(), Vec::new());
        for (at, position) in order.iter().enumerate() {
            let step = &steps[*position];
            let mut read: Vec<usize> = step.operands.iter().map(|operand| of_value[*operand]).collect();
            for (_, operand) in copied.iter().filter(|(step, _)| *step == at) {
                let file = cells[read[*operand]].file;
                cells.push(Cell { file, from: time(at), to: time(at) + 1, over: None });
                read[*operand] = cells.len() - 1;
                copies.push(cells.len() - 1);
            }
            lists
                .extend(step.placement.consecutive.map(|(start, count)| read[start..start + count].to_vec()));
            first.extend(step.placement.implied.map(|operand| read[operand]));
            let (from, over) = match places[at] {
                Place::Fresh => (time(at) + 2, None),
                Place::Over(operand) => (time(at) + 2, Some(of_value[step.operands[operand]])),
                Place::Copy(_) => (time(at), None),
            };
            let own = inputs.len() + position;
            of_value[own] = value(&mut cells, step.file, own, from, over);
        }
        let results = order.iter().map(|position| of_value[inputs.len() + position]);
        let values = of_value[..inputs.len()].iter().copied().chain(results).collect();
        Self { cells, values, copies, lists, first }
    }

    fn solve(&self, copied: &[(usize, usize)], steps: usize) -> Option<Allocation> {
        let mut numbers = Vec::new();
        let mut left = MAX_TRIED;
        if !self.assign(&mut numbers, &mut left) {
            return None;
        }
        let mut copies = vec![Vec::new(); steps];
        for ((at, operand), cell) in copied.iter().zip(&self.copies) {
            copies[*at].push((*operand, numbers[*cell]));
        }
        Some(Allocation { registers: self.values.iter().map(|cell| numbers[*cell]).collect(), copies })
    }

    /// Gives registers to all cells from `numbers.len()` on.
    fn assign(&self, numbers: &mut Vec<usize>, left: &mut usize) -> bool {
        let Some(cell) = self.cells.get(numbers.len()) else { return true };
        // More registers than cells are never needed: those between used ones can be left out.
        let candidates = match cell.over {
            Some(other) => numbers[other]..numbers[other] + 1,
            None => 0..self.cells.len(),
        };
        for number in candidates {
            if !self.fits(numbers, number) {
                continue;
            }
            let Some(rest) = left.checked_sub(1) else { return false };
            *left = rest;
            numbers.push(number);
            if self.assign(numbers, left) {
                return true;
            }
            numbers.pop();
        }
        false
    }

    /// Whether the next cell can be in a register.
    fn fits(&self, numbers: &[usize], number: usize) -> bool {
        let next = numbers.len();
        let cell = &self.cells[next];
        let taken = self.cells.iter().zip(numbers).any(|(other, own)| {
            *own == number && other.file == cell.file && other.from <= cell.to && cell.from <= other.to
        });
        let listed = self.lists.iter().all(|list| {
            let own = list.iter().enumerate().filter(|(_, member)| **member == next);
            own.into_iter().all(|(at, _)| {
                list.iter().enumerate().all(|(other_at, other)| match numbers.get(*other) {
                    Some(other) => other + at == number + other_at,
                    None => *other != next || other_at == at,
                })
            })
        });
        !taken && listed && (number == 0 || !self.first.contains(&next))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registers::place;
    use crate::value::Class;

    const VECTOR: File = (Class::Vector, false);

    fn step(operands: &[usize], destroys: &[usize], placement: Placement) -> Use {
        Use { operands: operands.to_vec(), destroys: destroys.to_vec(), placement, file: VECTOR }
    }

    fn table(first: usize, count: usize) -> Placement {
        Placement { consecutive: Some((first, count)), implied: None }
    }

    #[test]
    fn inputs_are_where_a_table_wants_them() {
        // The table is the third input and the first one, the index the second.
        let schedule = place(&[VECTOR; 3], &[step(&[2, 0, 1], &[], table(0, 2))], &[3], &[0]).unwrap();
        assert_eq!(schedule.moves, 0);
        assert_eq!(schedule.registers[2] + 1, schedule.registers[0]);
    }

    #[test]
    fn a_table_that_repeats_a_register_needs_a_copy() {
        let schedule = place(&[VECTOR; 2], &[step(&[0, 0, 1], &[], table(0, 2))], &[2], &[0]).unwrap();
        assert_eq!((schedule.moves, schedule.copies[0].len()), (1, 1));
    }

    #[test]
    fn two_tables_that_contradict_each_other_need_a_copy() {
        let steps = [step(&[0, 1, 2], &[], table(0, 2)), step(&[1, 0, 2], &[], table(0, 2))];
        let schedule = place(&[VECTOR; 3], &steps, &[3, 4], &[0, 1]).unwrap();
        assert_eq!((schedule.moves, schedule.copies.concat().len()), (1, 1));
    }

    #[test]
    fn an_operand_that_is_not_shown_is_in_register_0() {
        let placement = Placement { consecutive: None, implied: Some(2) };
        let schedule = place(&[VECTOR; 3], &[step(&[0, 1, 2], &[0], placement)], &[3], &[0]).unwrap();
        assert_eq!((schedule.moves, schedule.registers[2], schedule.places[0]), (0, 0, Place::Over(0)));
        // Two masks that are outputs as well: the one that stays in register 0 would block the other.
        let steps = [step(&[0, 1, 2], &[0], placement), step(&[3, 1, 1], &[0], placement)];
        let schedule = place(&[VECTOR; 3], &steps, &[4, 1, 2], &[0, 1]).unwrap();
        assert_eq!(schedule.moves, 2);
    }
}
