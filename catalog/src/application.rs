//! How a member applies its class's function: parameter values, origins of the arguments, and what is done
//! with the result.

use hydride_ir::Bits;
use hydride_ir::lane::Masking;
use serde::{Deserialize, Serialize};

/// How a member applies its class's function.
#[derive(Clone, Debug, PartialEq, Hash, Eq)]
pub struct Application {
    /// Values of the class's parameters.
    pub params: Vec<i64>,
    /// The origin of each of the class's arguments.
    pub args: Vec<Source>,
    /// The lane select that the result passes through.
    pub masking: Option<Masking>,
    /// The part of the member's result that the class's function writes, if that is not the whole result.
    pub part: Option<Part>,
}

impl Application {
    /// Parameter values and argument order, nothing else.
    pub fn plain(params: Vec<i64>, args: &[u32]) -> Self {
        Self { params, args: args.iter().copied().map(Source::Own).collect(), masking: None, part: None }
    }

    /// All positions of the member's arguments that it reads.
    pub fn positions(&self) -> impl Iterator<Item = u32> {
        let masking = self.masking.into_iter().flat_map(|masking| [Some(masking.mask), masking.pass]);
        let part = self.part.map(|part| part.pass);
        self.args.iter().flat_map(|source| source.positions()).chain(masking.flatten()).chain(part)
    }
}

/// The origin of a class's argument in a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Source {
    /// The member's argument at that position.
    Own(u32),
    /// A number that the member fixes, as the low bits of its two's complement.
    Constant(i64),
    /// The same value in every element.
    Broadcast(Broadcast),
    /// An argument of which a mask selects lanes.
    Masked(Masked),
}

/// A slice of an argument that is repeated in every element of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Broadcast {
    /// Position of the member's argument.
    pub arg: u32,
    /// Lowest bit of the slice, before the lane is counted.
    pub low: u32,
    /// Position of the immediate that chooses the slice, in multiples of `width`, where there is one, and the
    /// number of its low bits that are used.
    pub lane: Option<(u32, u32)>,
    /// Width of the slice in bits.
    pub width: u32,
    /// Distance of its copies in bits, at least `width`; the bits between are zero.
    pub stride: u32,
}

/// An argument of which only the lanes that a mask selects are passed; the others hold a number that the operation
/// ignores, such as 0 in a sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Masked {
    /// Position of the member's argument.
    pub arg: u32,
    /// Position of the mask: its bit `i` selects lane `i`.
    pub mask: u32,
    /// Width of the lanes in bits.
    pub lane: u32,
    /// What the other lanes hold: the low bits of this number's two's complement.
    pub inactive: i64,
}

/// A slice of a result that an operation writes; the other bits are those of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Part {
    /// Lowest bit written.
    pub low: u32,
    /// Number of bits written.
    pub width: u32,
    /// The argument that provides the other bits, each at the same position.
    pub pass: u32,
}

impl Source {
    /// The position of the member's argument, where it is passed as it is.
    pub fn own(self) -> Option<u32> {
        match self {
            Source::Own(arg) => Some(arg),
            Source::Constant(_) | Source::Broadcast(_) | Source::Masked(_) => None,
        }
    }

    /// All positions of the member's arguments that it reads.
    pub fn positions(self) -> impl Iterator<Item = u32> {
        let read = match self {
            Source::Own(arg) => [Some(arg), None],
            Source::Constant(_) => [None, None],
            Source::Broadcast(Broadcast { arg, lane, .. }) => [Some(arg), lane.map(|(lane, _)| lane)],
            Source::Masked(Masked { arg, mask, .. }) => [Some(arg), Some(mask)],
        };
        read.into_iter().flatten()
    }
}

/// A number as an argument of `width` bits.
pub fn constant(value: i64, width: u32) -> Bits {
    let words = (0..width.div_ceil(64)).map(|word| if word == 0 { value } else { value >> 63 });
    Bits::from_words(width, words.map(i64::cast_unsigned).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_sign_extended_to_their_width() {
        assert_eq!(format!("{:x}", constant(-2, 70)), "3ffffffffffffffffe");
        assert_eq!(format!("{:x}", constant(5, 3)), "5");
    }

    #[test]
    fn an_application_reads_what_its_parts_read() {
        let mut application = Application::plain(vec![], &[3, 1]);
        application.args.push(Source::Broadcast(Broadcast {
            arg: 4,
            low: 0,
            lane: Some((5, 3)),
            width: 8,
            stride: 8,
        }));
        application.args.push(Source::Masked(Masked { arg: 7, mask: 8, lane: 16, inactive: -1 }));
        application.masking = Some(Masking { mask: 2, stride: 1, lane: 8, pass: Some(0), negated: false });
        application.part = Some(Part { low: 0, width: 64, pass: 6 });
        assert_eq!(application.positions().collect::<Vec<_>>(), [3, 1, 4, 5, 7, 8, 2, 0, 6]);
    }
}
