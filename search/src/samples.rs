//! The inputs on which states are compared.
//!
//! The first two samples label bytes: byte `k` of the start state holds the low and the high byte of `k + 1`,
//! so that two different data movements are always distinguished. The others are random, and random over the
//! corner cases of element operations (zero, all ones, minimum, maximum, equal operands).

use hydride_ir::{Bits, Random};

use crate::value::Type;

/// Samples only for data movements.
pub const MOVEMENT_SAMPLES: usize = 2;

/// Samples for all instructions.
pub const ALL_SAMPLES: usize = 8;

/// For each register its contents in each sample, sample after sample, as bytes, least significant first.
/// `element` is the width in bits at which the special values are set.
pub(crate) fn samples(
    types: &[Type],
    constants: &[Option<Bits>],
    element: u32,
    count: usize,
) -> Vec<Vec<u8>> {
    let mut random = Random::new(0x68_79_64_72_69_64_65);
    let mut registers = vec![Vec::new(); types.len()];
    for sample in 0..count {
        let mut label = 0u16;
        let step = (element as usize / 8).max(1);
        let mut earlier: Vec<u8> = Vec::new();
        for (position, ty) in types.iter().enumerate() {
            let mut bytes: Vec<u8> = Vec::with_capacity(ty.bytes());
            match sample {
                0 | 1 => bytes.extend((0..ty.bytes()).map(|_| {
                    label += 1;
                    label.to_le_bytes()[sample]
                })),
                _ if sample % 2 == 0 => bytes.extend((0..ty.bytes()).map(|_| random.word() as u8)),
                _ => {
                    while bytes.len() < ty.bytes() {
                        let at = bytes.len();
                        let same = earlier.get(at..at + step).map(<[u8]>::to_vec);
                        bytes.extend(special(random.word(), step, same));
                    }
                    bytes.truncate(ty.bytes());
                    earlier.clone_from(&bytes);
                }
            }
            if let Some(constant) = constants.get(position).and_then(Option::as_ref) {
                bytes = constant.words().iter().flat_map(|word| word.to_le_bytes()).collect();
                bytes.truncate(ty.bytes());
            }
            registers[position].extend(bytes);
        }
    }
    registers
}

/// An element of `width` bytes that is a corner case of operations.
fn special(choice: u64, width: usize, same: Option<Vec<u8>>) -> Vec<u8> {
    let filled = |low: u8, high: u8| {
        let mut bytes = vec![low; width];
        bytes[width - 1] = high;
        bytes
    };
    let small = |value: u8, rest: u8| {
        let mut bytes = vec![rest; width];
        bytes[0] = value;
        bytes
    };
    match (choice % 8, same) {
        (0 | 1, Some(same)) => same,
        (0, None) => filled(0, 0),
        (1, None) => small(1, 0),
        (2, _) => filled(0xff, 0xff),
        (3, _) => filled(0, 0x80),
        (4, _) => filled(0xff, 0x7f),
        (5, _) => small((choice >> 8) as u8, 0),
        (6, _) => small((choice >> 8) as u8, 0xff),
        _ => choice.rotate_left(13).to_le_bytes().into_iter().cycle().take(width).collect(),
    }
}
