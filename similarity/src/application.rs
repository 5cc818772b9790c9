//! How a member applies its class's function: parameter values, where arguments come from, and what is done
//! with the result.

use hydride_ir::exact::{Dag, NodeId, Part as Piece};
use hydride_ir::lane::Masking;
use serde::{Deserialize, Serialize};

/// How a member applies its class's function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Application {
    /// Values of the class's parameters.
    pub params: Vec<i64>,
    /// For each of the class's arguments where it comes from.
    pub args: Vec<Source>,
    /// Masking of the result.
    pub masking: Option<Masking>,
    /// Where the result goes when it is not the whole of the member's.
    pub part: Option<Part>,
}

impl Application {
    /// Parameter values and argument order, nothing else.
    pub fn plain(params: Vec<i64>, args: &[u32]) -> Self {
        Self { params, args: args.iter().copied().map(Source::Own).collect(), masking: None, part: None }
    }
}

/// Where a class's argument comes from in a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Source {
    /// The member's own argument at that position.
    Own(u32),
    /// Zero in every bit.
    Zero,
    /// The same value in every element.
    Broadcast(Broadcast),
}

/// A slice of an argument that is repeated in every element of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Broadcast {
    /// Position of the member's own argument.
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

/// A slice of a result that an operation writes; the other bits are those of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Part {
    /// Lowest bit written.
    pub low: u32,
    /// Number of bits written.
    pub width: u32,
    /// The argument that the other bits are read from, at their own places.
    pub pass: u32,
}

impl Source {
    /// The position of the member's own argument, where it is passed as it is.
    pub fn own(self) -> Option<u32> {
        match self {
            Source::Own(arg) => Some(arg),
            Source::Zero | Source::Broadcast(_) => None,
        }
    }

    /// The argument's value of `width` bits.
    pub(crate) fn bind(self, dag: &mut Dag, width: u32) -> NodeId {
        match self {
            Source::Own(arg) => dag.arg(arg),
            Source::Zero => dag.int(0),
            Source::Broadcast(broadcast) => broadcast.fill(dag, width),
        }
    }
}

impl Broadcast {
    /// The repeated value.
    pub(crate) fn value(self, dag: &mut Dag) -> NodeId {
        match self.lane {
            None => dag.arg_slice(self.arg, self.low, self.width, false),
            Some((lane, bits)) => {
                let lane = dag.arg_slice(lane, 0, bits, false);
                let position = dag.linear(&[(lane, self.width.into())], self.low.into());
                let whole = dag.arg_slice(self.arg, 0, dag.arg_widths()[self.arg as usize], false);
                dag.slice_at(whole, position, self.width, false)
            }
        }
    }

    fn fill(self, dag: &mut Dag, width: u32) -> NodeId {
        let value = self.value(dag);
        let zero = dag.int(0);
        let mut parts = Vec::new();
        let mut end = 0;
        while end < width {
            let taken = self.width.min(width - end);
            let node = dag.slice(value, 0, taken, false);
            parts.push(Piece { node, width: taken });
            end += taken;
            let gap = (self.stride - self.width).min(width - end);
            if gap > 0 {
                parts.push(Piece { node: zero, width: gap });
                end += gap;
            }
        }
        dag.concat(&parts)
    }
}
