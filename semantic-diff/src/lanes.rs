//! A value as lanes: only those worth printing.

use hydride_ir::visit::Assignment;
use hydride_ir::{Function, Op};
use interp::Bv;

use crate::report::Value;

/// The widths that lanes are shown at.
pub(crate) const WIDTHS: [u32; 4] = [8, 16, 32, 64];

/// The lanes of a value that satisfy a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lanes {
    /// Position and value of each lane, in hexadecimal with all digits.
    pub shown: Vec<(u32, String)>,
}

impl Lanes {
    /// The lanes of `width` bits of a value for which `wanted` holds; nothing where the value is not made of
    /// several such lanes.
    pub fn of(value: &Value, width: u32, wanted: impl Fn(u32, &str) -> bool) -> Option<Self> {
        if width == 0
            || value.width <= width
            || !value.width.is_multiple_of(width)
            || value.immediate.is_some()
        {
            return None;
        }
        let bits = Bv::from(&hydride_ir::Bits::from_hex(value.width, &value.bits).ok()?);
        let lane = |lane: u32| format!("{:x}", hydride_ir::Bits::from(&bits.extract(lane * width, width)));
        let lanes = (0..value.width / width).map(|position| (position, lane(position)));
        Some(Self { shown: lanes.filter(|(position, text)| wanted(*position, text)).collect() })
    }
}

/// The width of the elements that a function writes at a bit of a result: that of the assignment, or of the
/// part of a concatenation, that holds the bit, as a width that lanes are shown at.
pub(crate) fn element_width(function: &Function, result: usize, bit: u32) -> u32 {
    let mut found = None;
    let assignments: Vec<Assignment<'_>> = function.assignments().collect();
    for Assignment { result: written, low, value } in assignments.into_iter().rev() {
        let Some(width) = constant(&function.expr(value).width) else { continue };
        let Some(low) = low.as_constant().and_then(|low| u32::try_from(low).ok()) else {
            // Inside a loop all elements have the same shape.
            found.get_or_insert(width);
            continue;
        };
        if written.0 as usize == result && (low..low + width).contains(&bit) {
            let mut offset = bit - low;
            let mut own = width;
            if let Op::Concat(parts) = &function.expr(value).op {
                for part in parts.iter().rev() {
                    let Some(width) = constant(&function.expr(*part).width) else { break };
                    own = width;
                    if offset < width {
                        break;
                    }
                    offset -= width;
                }
            }
            found = Some(own);
        }
    }
    let width = found.unwrap_or(8);
    WIDTHS.into_iter().find(|shown| *shown >= width).unwrap_or(64)
}

fn constant(num: &hydride_ir::Num) -> Option<u32> {
    num.as_constant().and_then(|width| u32::try_from(width).ok())
}
