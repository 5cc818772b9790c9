//! Instructions whose lanes do not share one expression: sums and differences in turn, or one computed lane beside those that are
//! an operand's.

use std::sync::Arc;

use hydride_ir::exact::{Node, raise};
use hydride_ir::passes::open_nans;
use search::{Class, Instruction, specialize};

use super::CONTAINERS;
use super::extract::{Lanewise, Slot, approximates, element, lane, leaves, slots, template};

/// Expressions of an instruction, at most.
const MAX_KINDS: usize = 3;

/// An instruction seen as lanes of one width with several expressions.
pub struct Mixed {
    /// The expressions, without reads.
    pub kinds: Vec<Lanewise>,
    /// For each lane its expression's position in `kinds`.
    pub lanes: Vec<usize>,
    /// For each lane and slot the operand and lowest bit.
    pub reads: Vec<Vec<(u32, u32)>>,
    /// For each operand the width of its elements; the whole operand's where it is not read.
    pub containers: Vec<Option<u32>>,
}

/// An instruction as lanes of two or three expressions, of the least width at which it has them.
pub fn mixed(instruction: &Instruction, choices: &[i64], widths: &[u32]) -> Option<Mixed> {
    if instruction.result.class != Class::Vector || approximates(instruction) {
        return None;
    }
    let function = specialize(instruction, choices)?;
    CONTAINERS.iter().rev().find_map(|container| of_width(instruction, &function, *container, widths))
}

fn of_width(
    instruction: &Instruction,
    function: &hydride_ir::Function,
    container: u32,
    widths: &[u32],
) -> Option<Mixed> {
    let (mut dag, raised) = raise(&open_nans(function)).ok()?;
    let segments = raised.results.first()?;
    let (mut kinds, mut lanes, mut reads) = (Vec::<Lanewise>::new(), Vec::new(), Vec::new());
    let mut containers: Vec<Option<u32>> = vec![None; widths.len()];
    let mut ended = false;
    for number in 0..instruction.result.width / container {
        let own = lane(&mut dag, segments, number * container, container)?;
        // Zeros above what is computed are no lanes.
        if dag.as_i64(own) == Some(0) {
            ended = true;
            continue;
        }
        if ended || matches!(dag.node(own), Node::Const(_) | Node::Concat(_)) {
            return None;
        }
        // Signs are read as parts of their elements.
        let mut slots: Vec<Slot> =
            slots(&dag, own)?.into_iter().map(|slot| element(slot, None, container)).collect();
        slots.dedup();
        for (arg, low, width) in &slots {
            let is_element = width.is_power_of_two() && *width >= 8 && low.is_multiple_of(*width);
            let held = containers.get_mut(*arg as usize)?.get_or_insert(*width);
            if !is_element || *held != *width || widths[*arg as usize] < container {
                return None;
            }
        }
        let leaves = leaves(&dag, own);
        let (function, moves) = template(&mut dag, own, &slots, &leaves, container)?;
        let text: Arc<str> = function.to_string().into();
        let kind = match kinds.iter().position(|kind| kind.text == text) {
            Some(kind) => kind,
            None if kinds.len() == MAX_KINDS => return None,
            None => {
                kinds.push(Lanewise { function, text, container, moves, reads: Vec::new(), keeps: None });
                kinds.len() - 1
            }
        };
        lanes.push(kind);
        reads.push(slots.iter().map(|slot| (slot.0, slot.1)).collect());
    }
    for (held, width) in containers.iter_mut().zip(widths) {
        held.get_or_insert(*width);
    }
    (kinds.len() > 1).then_some(Mixed { kinds, lanes, reads, containers })
}
