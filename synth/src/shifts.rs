//! Shifts by counts that differ from lane to lane, up or down by their sign, where instructions shift by counts without sign, by one
//! count for all lanes or not at all. A count that is read without its sign is beyond every width where it is negative, and shifts
//! all bits out; what is shifted by a count is a product with a power of two, which a lookup gives byte by byte.

use hydride_ir::exact::{Dag, Int, Node, NodeId, Part};

use crate::forms::sliced;

/// Bits of a count.
const COUNT: u32 = 8;

/// Where the powers of two begin in their table, so that no byte of an index is the count itself.
const FIRST: u32 = 3;

/// What is added to an index so that one beyond the 16 elements of a table has its sign set.
const BEYOND: i64 = 128 - 16;

/// A shift by a count with a sign in other ways.
pub fn shifts(dag: &mut Dag, value: NodeId) -> Vec<NodeId> {
    let Some(shift) = Shift::read(dag, value) else { return Vec::new() };
    let mut found = Vec::new();
    if shift.width >= 16 {
        found.extend(shift.by_counts(dag));
    }
    if shift.width <= 32 {
        found.push(shift.by_products(dag));
    }
    found
}

/// `a · 2^c` for a count from -128 to 127, rounded down.
#[derive(Clone, Copy)]
struct Shift {
    /// What is shifted, a number of `width` bits.
    of: NodeId,
    /// The count.
    count: NodeId,
    /// Bits of the result.
    width: u32,
    /// Whether what is shifted is signed.
    signed: bool,
}

impl Shift {
    fn read(dag: &mut Dag, value: NodeId) -> Option<Self> {
        let (of, kept) = sliced(dag, value);
        let Node::Select(condition, down, up) = *dag.node(of) else { return None };
        let (width, _) = kept.or_else(|| dag.natural(value))?;
        let Node::Slice { of: number, low, width: 1, signed: false } = *dag.node(condition) else {
            return None;
        };
        let count = dag.slice(number, (low + 1).checked_sub(COUNT)?, COUNT, true);
        let ((down, _), (up, _)) = (sliced(dag, down), sliced(dag, up));
        let (Node::Shr(number, by), Node::Shl(same, up_by)) = (dag.node(down).clone(), dag.node(up).clone())
        else {
            return None;
        };
        let (zero, negated) = (dag.int(0), dag.neg(count));
        let counts = [dag.max(negated, zero), dag.max(count, zero)];
        let (own, signed) = dag.natural(number)?;
        let bits = [number, same].map(|node| dag.slice(node, 0, width, false));
        let fits = [8, 16, 32, 64].contains(&width) && own == width && bits[0] == bits[1];
        (fits && counts == [by, up_by]).then_some(Self { of: number, count, width, signed })
    }

    /// What is shifted down as a number without sign, and the signs that its complement was made of where it was negative.
    fn magnitude(self, dag: &mut Dag) -> (NodeId, NodeId) {
        let bits = dag.slice(self.of, 0, self.width, false);
        if !self.signed {
            return (bits, dag.int(0));
        }
        let sign = dag.slice(self.of, self.width - 1, 1, true);
        let signs = dag.slice(sign, 0, self.width, false);
        (dag.xor(bits, signs), signs)
    }

    /// What is shifted up, or what is shifted down, with its signs: without them one of the two is zero, or both are the number.
    fn joined(self, dag: &mut Dag, up: NodeId, down: NodeId, signs: NodeId) -> NodeId {
        let (up, down) = (dag.slice(up, 0, self.width, false), dag.slice(down, 0, self.width, false));
        if !self.signed {
            return dag.or(up, down);
        }
        let (down, sign) = (dag.xor(down, signs), dag.slice(self.count, COUNT - 1, 1, false));
        dag.select(sign, down, up)
    }

    /// By counts without sign; what is signed by an instruction that shifts signs in, or as a magnitude.
    fn by_counts(self, dag: &mut Dag) -> Vec<NodeId> {
        let negated = dag.neg(self.count);
        let (up_by, by) = (dag.slice(self.count, 0, COUNT, false), dag.slice(negated, 0, COUNT, false));
        let bits = dag.slice(self.of, 0, self.width, false);
        let up = dag.shl(bits, up_by);
        let (magnitude, signs) = self.magnitude(dag);
        let down = dag.shr(magnitude, by);
        let mut found = vec![self.joined(dag, up, down, signs)];
        if self.signed {
            let (down, sign) = (dag.shr(self.of, by), dag.slice(self.count, COUNT - 1, 1, false));
            let (up, down) = (dag.slice(up, 0, self.width, false), dag.slice(down, 0, self.width, false));
            found.push(dag.select(sign, down, up));
        }
        found
    }

    /// By products with powers of two, of which the lower half is what is shifted up, and the upper one what is shifted down.
    fn by_products(self, dag: &mut Dag) -> NodeId {
        let moved = dag.linear(&[(self.count, Int::ONE)], Int::from(self.width));
        let (up_by, by) = (power_of_two(dag, self.count, self.width), power_of_two(dag, moved, self.width));
        let bits = dag.slice(self.of, 0, self.width, false);
        let up = dag.mul(bits, up_by);
        let (magnitude, signs) = self.magnitude(dag);
        let down = dag.mul(magnitude, by);
        let down = dag.slice(down, self.width, self.width, false);
        self.joined(dag, up, down, signs)
    }
}

/// `2^c` for a count from 0 to one less than `width`, 0 for others, which are from -128 on to less than 168; each byte an element
/// of a table.
fn power_of_two(dag: &mut Dag, count: NodeId, width: u32) -> NodeId {
    let powers = (0..8).fold(Int::ZERO, |all, at: u32| all + (Int::ONE << (8 * (FIRST + at) + at) as usize));
    let table = dag.int(powers);
    let parts: Vec<Part> = (0..width)
        .step_by(8)
        .map(|low| {
            let index = dag.linear(&[(count, Int::ONE)], Int::from(FIRST) - Int::from(low));
            let index = dag.slice(index, 0, COUNT, false);
            let index = dag.linear(&[(index, Int::ONE)], Int::from(BEYOND));
            let index = dag.saturate(index, COUNT, false);
            let (sign, low, zero) =
                (dag.slice(index, COUNT - 1, 1, false), dag.slice(index, 0, 4, false), dag.int(0));
            let position = dag.linear(&[(low, Int::from(8))], Int::ZERO);
            let power = dag.slice_at(table, position, 8, false);
            Part { node: dag.select(sign, zero, power), width: 8 }
        })
        .collect();
    match parts[..] {
        [only] => only.node,
        _ => dag.concat(&parts),
    }
}

#[cfg(test)]
mod tests {
    use hydride_ir::exact::Replacements;

    use super::*;

    /// The solver takes too long for products: all counts with numbers at the ends and in between are put in.
    #[test]
    fn shifts_by_signed_counts_are_sums_of_two_shifts() {
        for width in [8, 16, 32, 64] {
            for signed in [false, true] {
                let mut dag = Dag::new(vec![width, 8]);
                let (of, count) = (dag.arg_slice(0, 0, width, signed), dag.arg_slice(1, 0, 8, true));
                let (zero, negated, sign) = (dag.int(0), dag.neg(count), dag.arg_slice(1, 7, 1, false));
                let (by, up_by) = (dag.max(negated, zero), dag.max(count, zero));
                let (down, up) = (dag.shr(of, by), dag.shl(of, up_by));
                let shifted = dag.select(sign, down, up);
                let value = dag.slice(shifted, 0, width, false);
                let found = shifts(&mut dag, value);
                let by_counts = if width == 8 { 0 } else { 1 + usize::from(signed) };
                let count = by_counts + usize::from(width <= 32);
                assert_eq!(found.len(), count, "{}", dag.show(value));
                let ones = u64::MAX >> (64 - width);
                for number in [0, 1, 2, 3, ones, ones >> 1, (ones >> 1) + 1, 0x5a96_c369_1e87_d24b & ones] {
                    for count in 0..256u64 {
                        let mut replacements = Replacements::default();
                        for (arg, bits) in [(0, number), (1, count)] {
                            let (arg, bits) = (dag.arg(arg), dag.int(bits));
                            replacements.insert(arg, bits);
                        }
                        let wanted = dag.replace(value, &mut replacements);
                        assert!(dag.as_int(wanted).is_some());
                        for other in &found {
                            let own = dag.replace(*other, &mut replacements);
                            assert_eq!(own, wanted, "{number} by {count} of {width} bits, {signed}");
                        }
                    }
                }
            }
        }
    }
}
