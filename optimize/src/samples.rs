//! Arguments to tell functions apart: edges and random numbers, the same in every run.

use refine::Intrinsics;
use refine::ast::{Action, Body, Element, Operand, Parameter, Value};

use crate::element::ones;
use crate::facts::Facts;
use crate::operands::operands;
use crate::run::{Elements, Run, Stop, is_generic, run, width_of, widths};

/// A generator of numbers (splitmix64, Steele and others, OOPSLA 2014).
pub struct Random(u64);

impl Random {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut value = self.0;
        value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        value ^ (value >> 31)
    }

    /// A number below a limit that is not 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.number() % limit.max(1)
    }

    /// An element: often one at an edge, or one of those given.
    pub fn element(&mut self, width: u32, given: &[u64]) -> u64 {
        let all = ones(width);
        let value = match self.below(8) {
            0 => [0, 1, 2, all, all >> 1, (all >> 1) + 1][self.below(6) as usize],
            1 => self.below(16),
            2 if !given.is_empty() => {
                given[self.below(given.len() as u64) as usize].wrapping_add(self.below(3)).wrapping_sub(1)
            }
            _ => self.number(),
        };
        value & all
    }
}

/// The numbers that a function's constants have as elements.
pub fn constants(body: &Body) -> Vec<u64> {
    let operand = |operand: &Operand| match &operand.value {
        Value::Constant(parts) => parts
            .iter()
            .filter_map(|part| if let Element::Bits(bits) = part { bits.to_u64() } else { None })
            .collect(),
        Value::Local(_) => Vec::new(),
    };
    let instructions = body.blocks.iter().flat_map(|block| &block.instructions);
    let mut all: Vec<u64> = instructions.flat_map(|own| operands(own)).flat_map(operand).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Arguments for a function, none of them poison: the first ones at edges, the others at random.
pub fn arguments(body: &Body, count: usize, seed: u64) -> Result<Vec<Vec<Elements>>, Stop> {
    let mut random = Random::new(seed);
    let given = constants(body);
    let known = |own: &Parameter| Facts::of_attributes(width_of(&own.ty)?, &own.attributes);
    let shape = |own: &Parameter| Ok((widths(&own.ty)?, known(own)));
    let shapes: Vec<(Vec<u32>, Option<Facts>)> =
        body.parameters.iter().map(shape).collect::<Result<_, Stop>>()?;
    let sample = |at: usize| {
        let mut lane = |width: u32| match at {
            0 => 0,
            1 => ones(width),
            2 => 1,
            3 => ones(width) >> 1,
            4 => (ones(width) >> 1) + 1,
            _ => random.element(width, &given),
        };
        let mut element = |width: u32, known: &Option<Facts>| {
            let value = lane(width);
            known.map_or(value, |known| known.nearest(value))
        };
        let mut parameter = |(widths, known): &(Vec<u32>, _)| -> Elements {
            widths.iter().map(|width| Some(element(*width, known))).collect()
        };
        shapes.iter().map(&mut parameter).collect()
    };
    let sample: Vec<Vec<Elements>> = (0..count).map(sample).collect();
    Ok(sample)
}

/// The same arguments with one element in eight, at random, as poison.
pub fn with_poison(mut given: Vec<Vec<Elements>>, random: &mut Random) -> Vec<Vec<Elements>> {
    for lane in given.iter_mut().flatten().flatten() {
        if random.below(8) == 0 {
            *lane = None;
        }
    }
    given
}

/// Whether what a function does for arguments with poison can be judged by a run: of a target's intrinsic a run has more
/// elements as poison than there may be, and one of all the values that a `freeze` may give.
pub fn is_judged(before: &Body, after: &Body) -> bool {
    let any = |body: &Body, is: fn(&Action) -> bool| {
        body.blocks.iter().flat_map(|block| &block.instructions).any(|own| is(&own.action))
    };
    let freezes = any(before, |action| matches!(action, Action::Freeze(_)));
    let calls = any(after, |action| matches!(action, Action::Call { function, .. } if !is_generic(function)));
    !freezes && !calls
}

/// What a function does for arguments where its behavior is defined.
pub fn runs(body: &Body, given: &[Vec<Elements>], intrinsics: &dyn Intrinsics) -> Result<Vec<Run>, Stop> {
    let mut all = Vec::new();
    for arguments in given {
        match run(body, arguments, intrinsics) {
            Ok(run) => all.push(run),
            Err(Stop::Undefined) => {}
            Err(outside) => return Err(outside),
        }
    }
    Ok(all)
}

/// Whether a function does what another one may do, for given arguments.
pub fn agrees(before: &Body, after: &Body, given: &[Vec<Elements>], intrinsics: &dyn Intrinsics) -> bool {
    given.iter().all(|arguments| {
        let expected = match run(before, arguments, intrinsics) {
            Ok(run) => run.result,
            Err(Stop::Undefined) => return true,
            Err(Stop::Outside(_)) => return false,
        };
        let Ok(found) = run(after, arguments, intrinsics) else { return false };
        expected.len() == found.result.len()
            && expected.iter().zip(&found.result).all(|(own, other)| own.is_none() || own == other)
    })
}
