//! Which instructions only move bytes, and from where to where.

use hydride_ir::Function;
use hydride_ir::exact::{Dag, Int, Node, NodeId, Raised, raise};

/// Where a byte of a result comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
    /// A byte of a register operand, counted from the least significant one.
    Byte {
        /// The register operand.
        operand: u8,
        /// The byte.
        byte: u16,
    },
    /// A constant.
    Constant(u8),
}

/// The source of each byte of a function's first result, lowest first, when each is a byte of an argument
/// or a constant for all inputs.
pub fn movement(function: &Function) -> Option<Vec<Source>> {
    let (dag, raised) = raise(function).ok()?;
    of_raised(&dag, &raised)
}

/// The same for a function that was raised.
pub(crate) fn of_raised(dag: &Dag, raised: &Raised) -> Option<Vec<Source>> {
    let mut sources = Vec::new();
    for segment in raised.results.first()? {
        if segment.low as usize != 8 * sources.len() || !segment.width.is_multiple_of(8) {
            return None;
        }
        bytes(dag, segment.value, segment.width, &mut sources)?;
    }
    Some(sources)
}

/// Appends the bytes of a value within `0..2^width`.
fn bytes(dag: &Dag, node: NodeId, width: u32, sources: &mut Vec<Source>) -> Option<()> {
    let zeros = |sources: &mut Vec<Source>, from: u32| {
        (from..width).step_by(8).for_each(|_| sources.push(Source::Constant(0)));
    };
    match dag.node(node) {
        Node::Const(value) => {
            for byte in 0..width / 8 {
                let low = (value >> (8 * byte) as usize) & Int::from(0xff);
                sources.push(Source::Constant(u8::try_from(low).ok()?));
            }
        }
        // Read unsigned, or the segment would not be within its width.
        Node::Slice { of, low, width: own, signed: false } if low % 8 == 0 && own % 8 == 0 => {
            let Node::Arg(arg) = dag.node(*of) else { return None };
            for byte in low / 8..(low + own.min(&width)) / 8 {
                sources.push(Source::Byte {
                    operand: u8::try_from(*arg).ok()?,
                    byte: u16::try_from(byte).ok()?,
                });
            }
            zeros(sources, *own);
        }
        Node::Concat(parts) => {
            let mut end = 0;
            for part in parts {
                if part.width % 8 != 0 || end + part.width > width {
                    return None;
                }
                bytes(dag, part.node, part.width, sources)?;
                end += part.width;
            }
            zeros(sources, end);
        }
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shift_by_whole_bytes_is_a_movement_and_others_are_not() {
        let shift = |count: u32| {
            let text = format!(
                "func @f(%a: 32) -> (%r: 32) {{\n  %r[0 +: 32] = shr.u(%a[0 +: 32], 0x{count:x}:8)\n}}\n"
            );
            movement(&Function::parse(&text).unwrap())
        };
        let byte = |byte| Source::Byte { operand: 0, byte };
        let zero = Source::Constant(0);
        assert_eq!(shift(16), Some(vec![byte(2), byte(3), zero, zero]));
        assert_eq!(shift(0), Some((0..4).map(byte).collect()));
        assert_eq!(shift(3), None);
    }
}
