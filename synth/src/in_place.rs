//! Values whose every bit is a constant or the bit of one other value in the same place, kept or flipped: what one or two
//! bitwise instructions with constants compute.

use hydride_ir::exact::{Dag, Int, Node, NodeId, Part};

/// What neighboring bits are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bits {
    /// Zeros.
    Zeros,
    /// Ones.
    Ones,
    /// The source's bits.
    Kept,
    /// The complement of the source's bits.
    Flipped,
}

/// A value of bits in their places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InPlace {
    /// The other value.
    source: NodeId,
    /// Kinds of bits with their number, lowest first.
    runs: Vec<(Bits, u32)>,
}

impl InPlace {
    /// Reads the low `width` bits of a value so; `None` where some bit is from elsewhere.
    pub(crate) fn read(dag: &mut Dag, value: NodeId, width: u32) -> Option<Self> {
        let Node::Concat(parts) = dag.node(value).clone() else { return None };
        let mut parts = parts.to_vec();
        let taken: u32 = parts.iter().map(|part| part.width).sum();
        if taken > width {
            return None;
        }
        if taken < width {
            parts.push(Part { node: dag.int(0), width: width - taken });
        }
        let (mut low, mut source, mut runs, mut is_moved) = (0, None, Vec::new(), false);
        for part in parts {
            let ones = (Int::ONE << part.width as usize) - Int::ONE;
            let bits = match dag.as_int(part.node) {
                Some(literal) if *literal == Int::ZERO => Bits::Zeros,
                Some(literal) if *literal == ones => Bits::Ones,
                Some(_) => return None,
                None => {
                    source = source.or_else(|| source_of(dag, part, low));
                    if source.is_none() {
                        source = moved(dag, part, low);
                        is_moved = true;
                    }
                    bits_of(dag, source?, part, low)?
                }
            };
            runs.push((bits, part.width));
            low += part.width;
        }
        let source = dag.slice(source?, 0, width, false);
        let own = Self { source, runs };
        // What is moved is moved with zeros: only bits that are flipped then are another operation.
        (source != value && (!is_moved || own.has(Bits::Flipped))).then_some(own)
    }

    /// Whether it has such bits.
    pub(crate) fn has(&self, bits: Bits) -> bool {
        self.runs.iter().any(|(own, _)| *own == bits)
    }

    /// Ones where such bits are, zeros elsewhere.
    pub(crate) fn mask(&self, bits: Bits) -> Int {
        let (mut low, mut mask) = (0, Int::ZERO);
        for (own, width) in &self.runs {
            if *own == bits {
                mask += ((Int::ONE << *width as usize) - Int::ONE) << low;
            }
            low += *width as usize;
        }
        mask
    }

    /// The value with the source's bits where it has such ones.
    pub(crate) fn without(&self, dag: &mut Dag, bits: Bits) -> NodeId {
        let (mut low, mut parts) = (0, Vec::new());
        for (own, width) in &self.runs {
            let kept = dag.slice(self.source, low, *width, false);
            let node = match own {
                own if *own == bits => kept,
                Bits::Kept => kept,
                Bits::Flipped => dag.not(kept),
                Bits::Zeros => dag.int(0),
                Bits::Ones => dag.int(-1),
            };
            parts.push(Part { node, width: *width });
            low += width;
        }
        dag.concat(&parts)
    }
}

/// The value of which a part has the bits from `low` on.
fn source_of(dag: &Dag, part: Part, low: u32) -> Option<NodeId> {
    dag.reachable([part.node]).into_iter().find_map(|node| match *dag.node(node) {
        Node::Slice { of, low: own, .. } if own == low => Some(of),
        _ => None,
    })
}

/// The bits of an argument that a part has from `low` on, where these are moved down.
fn moved(dag: &mut Dag, part: Part, low: u32) -> Option<NodeId> {
    let (arg, by) = dag.reachable([part.node]).into_iter().find_map(|node| match *dag.node(node) {
        Node::Slice { of, low: own, .. } if own > low => match *dag.node(of) {
            Node::Arg(arg) => Some((arg, own - low)),
            _ => None,
        },
        _ => None,
    })?;
    let width = dag.arg_widths()[arg as usize];
    Some(dag.arg_slice(arg, by, width - by, false))
}

fn bits_of(dag: &mut Dag, source: NodeId, part: Part, low: u32) -> Option<Bits> {
    let kept = dag.slice(source, low, part.width, false);
    let own = dag.slice(part.node, 0, part.width, false);
    if own == kept {
        return Some(Bits::Kept);
    }
    let flipped = dag.not(kept);
    let flipped = dag.slice(flipped, 0, part.width, false);
    let opposite = if part.width == 1 { dag.complement(kept) } else { flipped };
    (own == flipped || own == opposite).then_some(Bits::Flipped)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::equal::assert_equal;

    const ALL: [Bits; 4] = [Bits::Zeros, Bits::Ones, Bits::Kept, Bits::Flipped];

    /// Every value of three runs of bits is read, and each of its masks with the rest gives it back.
    #[test]
    fn bits_in_their_places_are_one_operation_with_a_mask() {
        let mut read = 0;
        for runs in (0..64).map(|at| [(ALL[at % 4], 3), (ALL[at / 4 % 4], 4), (ALL[at / 16], 1)]) {
            let mut dag = Dag::new(vec![8]);
            let source = dag.arg_slice(0, 0, 8, false);
            let value = InPlace { source, runs: runs.to_vec() }.without(&mut dag, Bits::Kept);
            let Some(found) = InPlace::read(&mut dag, value, 8) else { continue };
            read += 1;
            for bits in [Bits::Zeros, Bits::Ones, Bits::Flipped].into_iter().filter(|bits| found.has(*bits)) {
                let rest = found.without(&mut dag, bits);
                let mask = found.mask(bits);
                let other = dag.int(Int::from(255) - &mask);
                let mask = dag.int(mask);
                let made = match bits {
                    Bits::Zeros => dag.and(rest, other),
                    Bits::Ones => dag.or(rest, mask),
                    _ => dag.xor(rest, mask),
                };
                let made = dag.slice(made, 0, 8, false);
                assert_equal(&dag, value, made);
            }
        }
        // All but what is a constant, the source or its complement as a whole, or is a narrower value.
        assert!(read >= 40, "{read}");
    }

    #[test]
    fn bits_that_were_moved_are_flipped() {
        let mut dag = Dag::new(vec![8]);
        let (bits, sign) = (dag.arg_slice(0, 2, 5, false), dag.arg_slice(0, 7, 1, false));
        let flipped = dag.complement(sign);
        let value = dag.concat(&[Part { node: bits, width: 5 }, Part { node: flipped, width: 1 }]);
        let found = InPlace::read(&mut dag, value, 8).expect("bits in their places");
        assert_eq!(found.mask(Bits::Flipped), Int::from(32));
        let moved = dag.arg_slice(0, 2, 6, false);
        assert_eq!(found.without(&mut dag, Bits::Flipped), moved);
    }

    #[test]
    fn bits_from_elsewhere_are_not_in_their_places() {
        let mut dag = Dag::new(vec![8]);
        let (low, high) = (dag.arg_slice(0, 0, 4, false), dag.arg_slice(0, 4, 4, false));
        let swapped = dag.concat(&[Part { node: high, width: 4 }, Part { node: low, width: 4 }]);
        assert_eq!(InPlace::read(&mut dag, swapped, 8), None);
    }
}
