//! Data movements on labels: what a state is when every step only moves whole units of bytes.
//!
//! ```text
//! unpacklo on four 32-bit elements, 16 bytes     ->  pieces (0, 0) (1, 0) (0, 1) (1, 1), 4 labels
//! x = bytes 0 to 15, of which 4 to 7 are wanted  ->  x = 0 1 0 0
//! ```
//!
//! The unit is the greatest number of bytes that no step, input or output splits. Each unit of an input that an output
//! needs has a unique label, and so does each constant that is needed; all others have label 0, so that states that
//! differ only in them are merged. Two labels are equal exactly when the bytes are equal for all inputs: what is found
//! on labels needs no further samples.

use std::collections::BTreeMap;

use crate::goal::Goal;
use crate::movement::{Source, movement};
use crate::transition::Transition;
use crate::value::Type;

/// Units that are tried, in bytes.
const UNITS: [usize; 5] = [16, 8, 4, 2, 1];

/// Where a unit comes from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Unit {
    /// Of a register operand or input.
    Of(u8, u16),
    /// Known bytes.
    Known(Vec<u8>),
}

/// A unit of a step's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Piece {
    /// A unit of a register operand.
    Of(u8, u16),
    /// The same label for all inputs.
    Label(u16),
}

/// A goal and its steps on labels.
pub(crate) struct Units {
    /// Bytes of a unit.
    pub(crate) unit: usize,
    /// Labels of each input.
    pub(crate) inputs: Vec<Vec<u16>>,
    /// Labels of each output, lowest first; 0 where nothing is wanted.
    pub(crate) outputs: Vec<Vec<u16>>,
    /// For each transition where the units of its result come from.
    pub(crate) pieces: Vec<Vec<Piece>>,
    /// Bytes of a label: 1, or 2 where there are more than 255 of them.
    pub(crate) label_bytes: usize,
}

impl Units {
    /// `None` when a step or the goal does more than move bytes.
    pub(crate) fn new(goal: &Goal, transitions: &[Transition]) -> Option<Self> {
        let wanted: Vec<Vec<Option<Source>>> = wanted(goal)?;
        UNITS.iter().find_map(|unit| Self::at(*unit, goal, &wanted, transitions))
    }

    fn at(
        unit: usize,
        goal: &Goal,
        wanted: &[Vec<Option<Source>>],
        transitions: &[Transition],
    ) -> Option<Self> {
        let sizes =
            goal.inputs.iter().map(|input| input.ty).chain(goal.outputs.iter().map(|output| output.ty));
        if sizes.into_iter().any(|ty: Type| !ty.bytes().is_multiple_of(unit)) {
            return None;
        }
        // What the units of an input are: themselves, or known.
        let own = |input: u8, at: u16| match &goal.inputs[usize::from(input)].constant {
            None => Unit::Of(input, at),
            Some(bits) => {
                let bytes = bits.words().iter().flat_map(|word| word.to_le_bytes());
                Unit::Known(bytes.skip(usize::from(at) * unit).take(unit).collect())
            }
        };
        let mut labels: BTreeMap<Unit, u16> = BTreeMap::new();
        let mut outputs = Vec::new();
        for output in wanted {
            let mut units = Vec::new();
            for chunk in output.chunks(unit) {
                let sources: Option<Vec<Source>> = chunk.iter().copied().collect();
                units.push(match sources {
                    None if chunk.iter().all(Option::is_none) => 0,
                    None => return None,
                    Some(sources) => {
                        let source = match whole(&sources)? {
                            Unit::Of(input, at) => own(input, at),
                            known => known,
                        };
                        let next = u16::try_from(labels.len() + 1).ok()?;
                        *labels.entry(source).or_insert(next)
                    }
                });
            }
            outputs.push(units);
        }
        let label = |unit: &Unit| labels.get(unit).copied().unwrap_or(0);
        let inputs = goal
            .inputs
            .iter()
            .enumerate()
            .map(|(input, shape)| {
                let count = (shape.ty.bytes() / unit) as u16;
                (0..count).map(|at| label(&own(input as u8, at))).collect()
            })
            .collect();
        let pieces: Option<Vec<Vec<Piece>>> = transitions
            .iter()
            .map(|transition| {
                let sources = transition.movement.as_ref()?;
                if transition.args.iter().any(|ty| !ty.bytes().is_multiple_of(unit))
                    || !sources.len().is_multiple_of(unit)
                {
                    return None;
                }
                let piece = |chunk: &[Source]| {
                    Some(match whole(chunk)? {
                        Unit::Of(operand, at) => Piece::Of(operand, at),
                        known => Piece::Label(label(&known)),
                    })
                };
                sources.chunks(unit).map(piece).collect()
            })
            .collect();
        let label_bytes = if labels.len() < 256 { 1 } else { 2 };
        Some(Self { unit, inputs, outputs, pieces: pieces?, label_bytes })
    }
}

/// For each byte of each output where it comes from, where it is wanted.
fn wanted(goal: &Goal) -> Option<Vec<Vec<Option<Source>>>> {
    goal.outputs
        .iter()
        .enumerate()
        .map(|(position, output)| {
            let mut packed = movement(&goal.packed(position))?.into_iter();
            let mut bytes = vec![None; output.ty.bytes()];
            for wanted in &output.wanted {
                if wanted.low % 8 != 0 || wanted.width % 8 != 0 {
                    return None;
                }
                let (low, width) = (wanted.low as usize / 8, wanted.width as usize / 8);
                for byte in &mut bytes[low..low + width] {
                    *byte = Some(packed.next()?);
                }
            }
            Some(bytes)
        })
        .collect()
}

/// The unit that consecutive bytes are, if they are one.
fn whole(sources: &[Source]) -> Option<Unit> {
    match sources[0] {
        Source::Byte { operand, byte } => {
            let follows =
                |(at, source): (usize, &Source)| *source == Source::Byte { operand, byte: byte + at as u16 };
            let aligned = usize::from(byte).is_multiple_of(sources.len());
            let unit = Unit::Of(operand, byte / sources.len() as u16);
            (aligned && sources.iter().enumerate().all(follows)).then_some(unit)
        }
        Source::Constant(_) => {
            let known = |source: &Source| match source {
                Source::Constant(value) => Some(*value),
                Source::Byte { .. } => None,
            };
            sources.iter().map(known).collect::<Option<Vec<u8>>>().map(Unit::Known)
        }
    }
}
