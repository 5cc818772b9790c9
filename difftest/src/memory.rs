//! Memory operands of a call: which bytes a runner makes accessible, and where.
//!
//! A runner gets the plan of each memory operand after the arguments (`memory.c` describes it). Bytes that an
//! instruction may not access lie in pages that cannot be accessed, as far as pages allow: in turns the first byte is
//! the first one of a page, and the last byte the last one.

use std::collections::HashMap;

use hydride_ir::Function;
use interp::inputs::Inputs;
use interp::{EvalError, Machine, Program};
use parsers::Instruction;

/// A page of memory, as the runners have it.
const PAGE: i64 = 1 << 16;

/// How far from the pointer a runner has memory, in bytes.
const FARTHEST: u64 = 1 << 34;

/// The memory operands of an instruction and their places in a runner's slots.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) operands: Vec<Operand>,
    /// Slots of the arguments and plans.
    pub(crate) slots: usize,
    /// Bytes of a slot.
    slot_bytes: u32,
}

/// A memory operand.
#[derive(Clone, Debug)]
pub(crate) struct Operand {
    /// The argument's position.
    pub(crate) argument: usize,
    pub(crate) bytes: u32,
    align: i64,
    /// The position of the result that says what is there afterwards.
    pub(crate) result: Option<usize>,
    /// The number of elements at computed addresses, and the result of the addresses' function that has them.
    elements: Option<(usize, usize)>,
    /// The first slot of the plan, and the number of its slots.
    pub(crate) plan: usize,
    plan_slots: usize,
}

impl Layout {
    /// The layout for slots of some bytes.
    pub(crate) fn new(instruction: &Instruction, slot_bytes: u32) -> Self {
        let signature = &instruction.signature;
        let mut layout = Self { operands: Vec::new(), slots: signature.args.len(), slot_bytes };
        let addresses = instruction.addresses.as_ref();
        for (argument, arg) in signature.args.iter().enumerate() {
            let parsers::Kind::Memory { align, .. } = arg.kind else { continue };
            let named = |name: &str| name == arg.name;
            let elements = addresses.and_then(|addresses| {
                let position = addresses.results.iter().position(|result| named(&result.name))?;
                let width = addresses.results[position].width.as_constant()?;
                Some((usize::try_from(width).ok()? / 64, position))
            });
            let words = 2 + 2 * elements.map_or(1, |(count, _)| count);
            let plan_slots = (8 * words).div_ceil(slot_bytes as usize);
            layout.operands.push(Operand {
                argument,
                bytes: arg.width / 8,
                align: i64::from(align),
                result: signature.results.iter().position(|result| result.is_memory() && named(&result.name)),
                elements,
                plan: layout.slots,
                plan_slots,
            });
            layout.slots += plan_slots;
        }
        layout
    }

    /// The sizes of the plans' slots in words.
    pub(crate) fn plan_words(&self) -> impl Iterator<Item = u32> {
        let slots = self.operands.iter().map(|operand| operand.plan_slots).sum();
        std::iter::repeat_n(self.slot_bytes / 8, slots)
    }
}

/// Which memory a call accesses.
#[derive(Debug)]
pub(crate) struct Memory {
    layout: Layout,
    accessed: Option<Program>,
    addresses: Option<Program>,
    /// Offset of each argument among the arguments' words, and of their end.
    words: Vec<usize>,
    /// Arguments that addresses are computed from.
    indices: Vec<usize>,
}

impl Memory {
    /// The memory of an instruction; `None` where it has none.
    pub(crate) fn new(instruction: &Instruction, slot_bytes: u32) -> Result<Option<Self>, EvalError> {
        let layout = Layout::new(instruction, slot_bytes);
        if layout.operands.is_empty() {
            return Ok(None);
        }
        let program = |function: &Option<Function>| function.as_ref().map(Program::new).transpose();
        let args = &instruction.signature.args;
        let mut words = vec![0];
        for arg in args {
            words.push(words[words.len() - 1] + arg.width.div_ceil(64) as usize);
        }
        let indices = match &instruction.addresses {
            Some(addresses) => {
                let read = addresses.exprs().iter().filter_map(|expr| match expr.op {
                    hydride_ir::Op::Arg(arg) => Some(arg.0 as usize),
                    _ => None,
                });
                let is_register = |arg: &usize| !args[*arg].is_memory() && args[*arg].immediate().is_none();
                read.filter(is_register).collect()
            }
            None => Vec::new(),
        };
        Ok(Some(Self {
            layout,
            accessed: program(&instruction.accessed)?,
            addresses: program(&instruction.addresses)?,
            words,
            indices,
        }))
    }

    /// Sizes of the plans in words, after those of the arguments.
    pub(crate) fn plan_words(&self) -> impl Iterator<Item = u32> {
        self.layout.plan_words()
    }

    /// Adds plans to inputs. Indices are changed where they lead too far away, and elements at one address are made to
    /// have one value.
    pub(crate) fn plan(&self, inputs: &mut Inputs) -> Result<(), EvalError> {
        let mut machine = Machine::default();
        let mut records = Vec::new();
        for (number, record) in inputs.records.chunks_exact_mut(inputs.record).enumerate() {
            let (_, args) = record.split_first_mut().expect("a selector");
            self.bring_near(number, args, &mut machine)?;
            let plans = self.plans(number, args, &mut machine)?;
            records.extend_from_slice(record);
            records.extend(plans);
        }
        let plan: u32 = self.plan_words().sum();
        *inputs = Inputs { records, record: inputs.record + plan as usize };
        Ok(())
    }

    /// Small indices in some inputs, so that addresses coincide; in others such as lead to memory that there is.
    fn bring_near(&self, number: usize, args: &mut [u64], machine: &mut Machine) -> Result<(), EvalError> {
        if number % 4 == 1 {
            self.change_indices(args, |word| word & 0x0000_0007_0000_0007);
        }
        if self.addresses.is_some() && !self.is_near(args, machine)? {
            self.change_indices(args, |word| (word.cast_signed() << 36 >> 36).cast_unsigned());
        }
        Ok(())
    }

    fn change_indices(&self, args: &mut [u64], change: impl Fn(u64) -> u64) {
        for argument in &self.indices {
            for word in &mut args[self.words[*argument]..self.words[argument + 1]] {
                *word = change(*word);
            }
        }
    }

    fn is_near(&self, args: &[u64], machine: &mut Machine) -> Result<bool, EvalError> {
        for operand in &self.layout.operands {
            let offsets = self.offsets(operand, args, machine)?;
            if offsets.is_some_and(|offsets| offsets.iter().any(|offset| offset.unsigned_abs() > FARTHEST)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The words of an input's plans.
    fn plans(&self, number: usize, args: &mut [u64], machine: &mut Machine) -> Result<Vec<u64>, EvalError> {
        let mut plans = Vec::new();
        for (position, operand) in self.layout.operands.iter().enumerate() {
            let start = plans.len();
            let accessed = self.accessed(position, operand, args, machine)?;
            match self.offsets(operand, args, machine)? {
                Some(offsets) => {
                    self.make_consistent(operand, &offsets, &accessed, args);
                    let pieces = self.pieces(operand, &offsets, &accessed);
                    plans.extend([0, pieces.len() as u64]);
                    for (offset, place, length) in pieces {
                        plans.extend([offset.cast_unsigned(), place as u64 | (length as u64) << 32]);
                    }
                }
                None => plans.extend(contiguous(operand, &accessed, number % 2 == 1)),
            }
            plans.resize(start + operand.plan_slots * self.layout.slot_bytes as usize / 8, 0);
        }
        Ok(plans)
    }

    /// Whether each byte of an operand is accessed.
    fn accessed(
        &self,
        position: usize,
        operand: &Operand,
        args: &[u64],
        machine: &mut Machine,
    ) -> Result<Vec<bool>, EvalError> {
        let bytes = operand.bytes as usize;
        let Some(accessed) = &self.accessed else { return Ok(vec![true; bytes]) };
        accessed.run_words(machine, args)?;
        let words = accessed.result_words(machine, position);
        Ok((0..bytes).map(|byte| words[byte / 64] >> (byte % 64) & 1 == 1).collect())
    }

    /// The distance of each element from the pointer, where they are at computed addresses.
    fn offsets(
        &self,
        operand: &Operand,
        args: &[u64],
        machine: &mut Machine,
    ) -> Result<Option<Vec<i64>>, EvalError> {
        let (Some(addresses), Some((_, result))) = (&self.addresses, operand.elements) else {
            return Ok(None);
        };
        addresses.run_words(machine, args)?;
        let words = addresses.result_words(machine, result);
        Ok(Some(words.iter().map(|word| word.cast_signed()).collect()))
    }

    /// The accessed elements: offset, position and length in bytes.
    fn pieces(&self, operand: &Operand, offsets: &[i64], accessed: &[bool]) -> Vec<(i64, usize, usize)> {
        let length = operand.bytes as usize / offsets.len();
        let pieces = offsets.iter().enumerate().map(|(element, offset)| (*offset, element * length, length));
        pieces.filter(|(_, position, _)| accessed[*position]).collect()
    }

    /// Gives the elements the values that they have where their addresses coincide: the last one's.
    fn make_consistent(&self, operand: &Operand, offsets: &[i64], accessed: &[bool], args: &mut [u64]) {
        let pieces = self.pieces(operand, offsets, accessed);
        let contents = &mut args[self.words[operand.argument]..self.words[operand.argument + 1]];
        settle(&pieces, contents);
    }

    /// The words of a result that is memory, after stores in the order of the elements.
    pub(crate) fn settled(
        &self,
        args: &[u64],
        result: usize,
        words: &[u64],
    ) -> Result<Option<Vec<u64>>, EvalError> {
        let operands = self.layout.operands.iter().enumerate();
        let Some((position, operand)) =
            operands.into_iter().find(|(_, operand)| operand.result == Some(result))
        else {
            return Ok(None);
        };
        let mut machine = Machine::default();
        let Some(offsets) = self.offsets(operand, args, &mut machine)? else { return Ok(None) };
        let accessed = self.accessed(position, operand, args, &mut machine)?;
        let mut words = words.to_vec();
        settle(&self.pieces(operand, &offsets, &accessed), &mut words);
        Ok(Some(words))
    }
}

/// Stores pieces in their order and loads them again.
fn settle(pieces: &[(i64, usize, usize)], contents: &mut [u64]) {
    let mut memory: HashMap<i64, u64> = HashMap::new();
    let bytes = |(offset, position, length): (i64, usize, usize)| {
        (0..length).map(move |byte| (offset + byte as i64, position + byte))
    };
    for (address, byte) in pieces.iter().copied().flat_map(bytes) {
        memory.insert(address, contents[byte / 8] >> (8 * (byte % 8)) & 0xff);
    }
    for (address, byte) in pieces.iter().copied().flat_map(bytes) {
        let shift = 8 * (byte % 8);
        contents[byte / 8] = contents[byte / 8] & !(0xff << shift) | memory[&address] << shift;
    }
}

/// The plan of bytes at the pointer: those from the first to the last accessed one.
fn contiguous(operand: &Operand, accessed: &[bool], at_end: bool) -> Vec<u64> {
    let first = accessed.iter().position(|accessed| *accessed);
    let Some(first) = first else { return vec![0, 0] };
    let end = accessed.iter().rposition(|accessed| *accessed).map_or(0, |last| last + 1);
    let base = match (operand.align, at_end) {
        (1, false) => -(first as i64),
        (1, true) => PAGE - end as i64,
        (_, false) => 0,
        (align, true) => (PAGE - i64::from(operand.bytes)) & -align,
    };
    vec![base.cast_unsigned(), 1, first as u64, first as u64 | ((end - first) as u64) << 32]
}
