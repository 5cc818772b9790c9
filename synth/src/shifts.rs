//! Shifts by counts that differ from lane to lane, up or down by their sign, where instructions shift by counts without sign, by one
//! count for all lanes or not at all. A count that is read without its sign is beyond every width where it is negative, and shifts
//! all bits out; what is shifted by a count is a product with a power of two, which a lookup gives byte by byte.

use hydride_ir::exact::{Dag, Int, Node, NodeId, Part, Replacements};

use crate::bidirectional::shifted;
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
    if !shift.up || (shift.counts, dag.arg_widths()[shift.args.1 as usize]) != (COUNT, COUNT) {
        return Vec::new();
    }
    // A shift by a count without sign is in another way already.
    let is_byte = |count: NodeId| matches!(*dag.node(count), Node::Slice { width: COUNT, signed: false, .. });
    let is_other = |node: &NodeId| matches!(*dag.node(*node), Node::Shl(_, count) | Node::Shr(_, count) if is_byte(count));
    if dag.reachable([value]).iter().any(is_other) {
        return Vec::new();
    }
    let mut found = Vec::new();
    if shift.width >= 16 {
        found.extend(shift.by_counts(dag));
    }
    if shift.width <= 32 {
        found.extend(shift.by_products(dag));
    }
    found
}

/// `a · 2^c` or `a / 2^c` for a count with a sign, rounded down or, with halves up, to the next number: all of a function's bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shift {
    /// What is shifted, a number of `width` bits.
    of: NodeId,
    /// The count.
    count: NodeId,
    /// Which arguments these two are.
    pub args: (u32, u32),
    /// Bits of the count, its sign among them.
    pub counts: u32,
    /// Whether a positive count shifts up.
    pub up: bool,
    /// Bits of the result.
    pub width: u32,
    /// Whether what is shifted is signed.
    pub signed: bool,
    /// Whether what is shifted down is rounded to the next number.
    pub rounds: bool,
}

impl Shift {
    /// A function of two arguments as such a shift.
    pub(crate) fn read(dag: &mut Dag, value: NodeId) -> Option<Self> {
        let (of, kept) = sliced(dag, value);
        let Node::Select(condition, ..) = *dag.node(of) else { return None };
        let (width, _) = kept.or_else(|| dag.natural(value))?;
        let Node::Slice { of: number, low, width: 1, signed: false } = *dag.node(condition) else {
            return None;
        };
        let Node::Arg(by) = *dag.node(number) else { return None };
        let widths = |dag: &Dag, arg: u32| dag.arg_widths()[arg as usize];
        let counts = low + 1;
        if !(2..=COUNT).contains(&counts) || ![8, 16, 32, 64].contains(&width) {
            return None;
        }
        let beyond = |node: &NodeId| match *dag.node(*node) {
            Node::Slice { of, low, width, .. } => of == number && low + width > counts,
            Node::SliceAt { of, .. } => of == number,
            _ => false,
        };
        let nodes = dag.reachable([value]);
        if nodes.iter().any(beyond) {
            return None;
        }
        let mut args = nodes.into_iter().filter_map(|node| match *dag.node(node) {
            Node::Arg(arg) if arg != by => Some(arg),
            _ => None,
        });
        let (arg, None) = (args.next()?, args.next()) else { return None };
        if widths(dag, arg) != width {
            return None;
        }
        let count = dag.arg_slice(by, 0, counts, true);
        let kinds = [false, true].into_iter().flat_map(|signed| [(signed, false), (signed, true)]);
        let kinds = kinds.flat_map(|(signed, rounds)| [(signed, rounds, true), (signed, rounds, false)]);
        kinds.into_iter().find_map(|(signed, rounds, up)| {
            let of = dag.arg_slice(arg, 0, width, signed);
            let shift = Self { of, count, args: (arg, by), counts, up, width, signed, rounds };
            shift.is(dag, value).then_some(shift)
        })
    }

    /// Whether a value is this shift for each count.
    fn is(self, dag: &mut Dag, value: NodeId) -> bool {
        let whole = dag.arg(self.args.1);
        (0..1i64 << self.counts).rev().all(|bits| {
            let number = dag.int(bits);
            let mut replacements = Replacements::from_iter([(whole, number)]);
            let found = dag.replace(value, &mut replacements);
            let count = if bits >> (self.counts - 1) == 0 { bits } else { bits - (1 << self.counts) };
            let expected = shifted(dag, self.of, if self.up { -count } else { count }, self.rounds);
            let bits = |dag: &mut Dag, value| dag.slice(value, 0, self.width, false);
            bits(dag, found) == bits(dag, expected)
        })
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
    /// Of what is rounded the number itself has the sign, else its complement.
    fn joined(self, dag: &mut Dag, up: NodeId, down: NodeId, signs: NodeId) -> NodeId {
        let (up, down) = (dag.slice(up, 0, self.width, false), dag.slice(down, 0, self.width, false));
        if !self.signed {
            return dag.or(up, down);
        }
        let (mut down, sign) = (dag.xor(down, signs), dag.slice(self.count, COUNT - 1, 1, false));
        if self.rounds {
            let signed = dag.sub(down, signs);
            down = dag.slice(signed, 0, self.width, false);
        }
        dag.select(sign, down, up)
    }

    /// By counts without sign; what is signed by an instruction that shifts signs in, or as a magnitude. What is rounded is
    /// shifted by one less, and the upper half of that, rounded up, taken.
    fn by_counts(self, dag: &mut Dag) -> Vec<NodeId> {
        let negated = dag.linear(&[(self.count, -Int::ONE)], -Int::from(u8::from(self.rounds)));
        let (up_by, by) = (dag.slice(self.count, 0, COUNT, false), dag.slice(negated, 0, COUNT, false));
        let bits = dag.slice(self.of, 0, self.width, false);
        let up = dag.shl(bits, up_by);
        let (magnitude, signs) = self.magnitude(dag);
        let mut down = dag.shr(magnitude, by);
        if self.rounds {
            let one = dag.int(1);
            let half = dag.shr(down, one);
            down = dag.sub(down, half);
        }
        let mut found = vec![self.joined(dag, up, down, signs)];
        if self.signed && !self.rounds {
            let (down, sign) = (dag.shr(self.of, by), dag.slice(self.count, COUNT - 1, 1, false));
            let (up, down) = (dag.slice(up, 0, self.width, false), dag.slice(down, 0, self.width, false));
            found.push(dag.select(sign, down, up));
        }
        found
    }

    /// By products with powers of two, of which the lower half is what is shifted up, and the upper one what is shifted down.
    fn by_products(self, dag: &mut Dag) -> Vec<NodeId> {
        let moved = dag.linear(&[(self.count, Int::ONE)], Int::from(self.width));
        let (up_by, by) = (power_of_two(dag, self.count, self.width), power_of_two(dag, moved, self.width));
        let bits = dag.slice(self.of, 0, self.width, false);
        let up = dag.mul(bits, up_by);
        let (magnitude, signs) = self.magnitude(dag);
        let product = dag.mul(magnitude, by);
        let high = dag.slice(product, self.width, self.width, false);
        let downs = if self.rounds {
            let half = Int::ONE << (self.width - 1) as usize;
            let sum = dag.linear(&[(product, Int::ONE)], half);
            let carry = dag.slice(product, self.width - 1, 1, false);
            vec![dag.slice(sum, self.width, self.width, false), dag.sum(&[high, carry])]
        } else {
            vec![high]
        };
        downs.into_iter().map(|down| self.joined(dag, up, down, signs)).collect()
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
    use super::*;

    /// The solver takes too long for products: all counts with numbers at the ends and in between are put in.
    #[test]
    fn shifts_by_signed_counts_are_sums_of_two_shifts() {
        let kinds = [8, 16, 32, 64].into_iter().flat_map(|width| {
            [(false, false), (false, true), (true, false), (true, true)]
                .map(|(signed, rounds)| (width, signed, rounds))
        });
        for (width, signed, rounds) in kinds {
            let mut dag = Dag::new(vec![width, 8]);
            let (of, count) = (dag.arg_slice(0, 0, width, signed), dag.arg_slice(1, 0, 8, true));
            let (zero, negated, sign) = (dag.int(0), dag.neg(count), dag.arg_slice(1, 7, 1, false));
            let (by, up_by) = (dag.max(negated, zero), dag.max(count, zero));
            let (one, less) = (dag.int(1), dag.linear(&[(by, Int::ONE)], -Int::ONE));
            let less = dag.max(less, zero);
            let half = dag.shl(one, less);
            let sum = if rounds { dag.sum(&[of, half]) } else { of };
            let (down, up) = (dag.shr(sum, by), dag.shl(of, up_by));
            let shifted = dag.select(sign, down, up);
            let value = dag.slice(shifted, 0, width, false);
            let found = shifts(&mut dag, value);
            let by_counts = if width == 8 { 0 } else { 1 + usize::from(signed && !rounds) };
            let by_products = if width == 64 { 0 } else { 1 + usize::from(rounds) };
            assert_eq!(found.len(), by_counts + by_products, "{}", dag.show(value));
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
                        assert_eq!(own, wanted, "{number} by {count} of {width} bits, {signed}, {rounds}");
                    }
                }
            }
        }
    }
}
