//! Means of numbers in the one form that many targets have: of two numbers without sign, rounded up. Flipping bits of a number is
//! taking it from a constant, or adding one, and makes any other mean that one.

use hydride_ir::exact::{Dag, Int, Node, NodeId};

use crate::forms::half_of;

/// Widths of numbers that targets have such means of.
const WIDTHS: [u32; 2] = [8, 16];

/// The mean of two numbers, or half of their difference, as a mean of numbers without sign that is rounded up.
pub(crate) fn mean(dag: &mut Dag, value: NodeId) -> Option<NodeId> {
    Halved::read(dag, value)?.mean(dag)
}

/// The low `width` bits of half of a sum.
struct Halved {
    terms: Vec<(NodeId, Int)>,
    constant: Int,
    width: u32,
    /// Whether these bits are read as signed.
    signed: bool,
}

impl Halved {
    fn read(dag: &Dag, value: NodeId) -> Option<Self> {
        let (sum, width, signed) = half_of(dag, value)?;
        let Node::Sum { terms, constant } = dag.node(sum).clone() else { return None };
        let terms = terms.to_vec();
        WIDTHS.contains(&width).then_some(Self { terms, constant, width, signed })
    }

    /// The bits of a number of this width, those of a mask flipped.
    fn flipped(&self, dag: &mut Dag, number: NodeId, mask: &Int) -> NodeId {
        let (bits, mask) = (dag.slice(number, 0, self.width, false), dag.int(mask.clone()));
        let flipped = dag.xor(bits, mask);
        dag.slice(flipped, 0, self.width, false)
    }

    /// `⌈(a + b) / 2⌉` for numbers without sign.
    fn rounded_up(&self, dag: &mut Dag, a: NodeId, b: NodeId) -> NodeId {
        let one = dag.int(1);
        let sum = dag.linear(&[(a, Int::ONE), (b, Int::ONE)], Int::ONE);
        let half = dag.shr(sum, one);
        dag.slice(half, 0, self.width, false)
    }

    /// With `s = 2^(w-1)`, for signed numbers, whose bits with the highest one flipped are `a + s`: `⌊(a + b + 1) / 2⌋` is
    /// `⌈((a + s) + (b + s)) / 2⌉ - s`; `⌊(a + b) / 2⌋` is `-1 - ⌈(-1-a + -1-b) / 2⌉`, and `-1-a` has all bits flipped;
    /// `⌊(a - b) / 2⌋` is `⌊(a + (-1-b) + 1) / 2⌋`. Without sign `2^w-1-a` has all bits flipped, and of a difference the mean is too
    /// large by `s`.
    fn mean(&self, dag: &mut Dag) -> Option<NodeId> {
        let [(first, factor), (second, other)] = &self.terms[..] else { return None };
        let (one, minus) = (Int::ONE, -Int::ONE);
        let (mut a, mut b) = (*first, *second);
        let subtracts = match (*factor == one, *other == one) {
            (true, true) => false,
            (true, false) if *other == minus => true,
            (false, true) if *factor == minus => {
                (a, b) = (b, a);
                true
            }
            _ => return None,
        };
        let fits =
            |dag: &Dag, signed: bool| [a, b].iter().all(|own| dag.range(*own).fits(self.width, signed));
        let signed = if fits(dag, false) { false } else { fits(dag, true).then_some(true)? };
        let (sign, all) =
            (Int::ONE << (self.width - 1) as usize, (Int::ONE << self.width as usize) - Int::ONE);
        let below = &sign - Int::ONE;
        let [of_a, of_b, of_mean] =
            match (signed, subtracts, self.constant == one, self.constant == Int::ZERO) {
                (true, false, true, _) => [sign.clone(), sign.clone(), sign.clone()],
                (true, false, _, true) => [below.clone(), below.clone(), below],
                (true, true, _, true) => [sign.clone(), below, sign.clone()],
                (false, false, _, true) => [all.clone(), all.clone(), all],
                (false, true, _, true) => [Int::ZERO, all, sign.clone()],
                _ => return None,
            };
        let (a, b) = (self.flipped(dag, a, &of_a), self.flipped(dag, b, &of_b));
        let mean = self.rounded_up(dag, a, b);
        let bits = match of_mean == sign {
            true => dag.linear(&[(mean, Int::ONE)], -sign),
            false => self.flipped(dag, mean, &of_mean),
        };
        Some(dag.slice(bits, 0, self.width, self.signed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::equal::assert_equal;

    fn holds(dag: &mut Dag, sum: NodeId, count: u32, width: u32, found: usize) {
        let value = dag.slice(sum, count, width, false);
        let others: Vec<NodeId> = mean(dag, value).into_iter().filter(|other| *other != value).collect();
        assert_eq!(others.len(), found, "{}", dag.show(value));
        for other in others {
            assert_equal(dag, value, other);
        }
    }

    #[test]
    fn means_are_those_of_numbers_without_sign() {
        for width in WIDTHS {
            for signed in [false, true] {
                let mut dag = Dag::new(vec![width; 2]);
                let (a, b) = (dag.arg_slice(0, 0, width, signed), dag.arg_slice(1, 0, width, signed));
                let sums = [(1, 0), (1, 1), (-1, 0)];
                for (factor, constant) in sums {
                    let sum = dag.linear(&[(a, Int::ONE), (b, Int::from(factor))], Int::from(constant));
                    // That of numbers without sign is there.
                    holds(&mut dag, sum, 1, width, usize::from(signed || constant == 0));
                    let one = dag.int(1);
                    let half = dag.shr(sum, one);
                    assert_eq!(mean(&mut dag, half).is_some(), signed || constant == 0);
                }
            }
        }
    }
}
