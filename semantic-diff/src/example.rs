//! Examples: arguments on which two functions of one shape are evaluated, and small counterexamples.

use hydride_ir::{Bits, Function};
use interp::inputs;
use interp::{Bv, EvalError, Machine, Program};
use parsers::UndefinedBits;

use crate::lanes::WIDTHS;
use crate::shape::Shape;

/// Arguments that distinguish two functions, and the result of each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// One value for each argument.
    pub args: Vec<Bits>,
    /// The first function's results.
    pub old: Vec<Bits>,
    /// The second function's results.
    pub new: Vec<Bits>,
    /// Whether the solver found it, rather than examples.
    pub by_solver: bool,
}

/// Examples tried before the solver is asked.
const EXAMPLES: usize = 192;

/// The seed of the examples.
pub(crate) const SEED: u64 = 1;

/// Two compiled functions.
pub(crate) struct Evaluator<'a> {
    old: Program,
    new: Program,
    shape: &'a Shape,
    /// For each result the bits that count.
    known: Vec<Bv>,
    /// The width of the floating-point numbers that they compute with.
    numbers: Option<u32>,
}

impl<'a> Evaluator<'a> {
    pub(crate) fn new(
        old: &Function,
        new: &Function,
        shape: &'a Shape,
        undefined: &[UndefinedBits],
    ) -> Result<Self, EvalError> {
        let mut known: Vec<Bv> = shape.results.iter().map(|width| Bv::ones(*width)).collect();
        for bits in undefined {
            if let Some(known) = known.get_mut(bits.result).filter(|known| bits.low < known.width()) {
                known.insert(bits.low, &Bv::zero(bits.width.min(known.width() - bits.low)));
            }
        }
        let numbers = [old, new].into_iter().find_map(inputs::number_width);
        Ok(Self { old: Program::new(old)?, new: Program::new(new)?, shape, known, numbers })
    }

    /// Whether the results differ in a bit that counts.
    pub(crate) fn differs(&self, args: &[Bits]) -> bool {
        self.differs_in(args, &mut Machine::new(), &mut Machine::new())
    }

    fn differs_in(&self, args: &[Bits], old: &mut Machine, new: &mut Machine) -> bool {
        if self.old.run_into(old, args).is_err() || self.new.run_into(new, args).is_err() {
            return false;
        }
        self.known.iter().enumerate().any(|(result, known)| {
            let words = self.old.result_words(old, result).iter().zip(self.new.result_words(new, result));
            words.zip(known.words()).any(|((old, new), known)| (old ^ new) & known != 0)
        })
    }

    /// Of the counterexamples, one with few bits set.
    pub(crate) fn search(&self) -> Option<Vec<Bits>> {
        let (mut old, mut new) = (Machine::new(), Machine::new());
        let weight =
            |args: &[Bits]| -> u32 { args.iter().flat_map(Bits::words).map(|word| word.count_ones()).sum() };
        inputs::examples(&self.shape.args, self.numbers, EXAMPLES, SEED)
            .into_iter()
            .filter(|args| self.differs_in(args, &mut old, &mut new))
            .min_by_key(|args| weight(args))
    }

    /// Arguments that distinguish the functions, minimized: immediates take the smallest such value, ever smaller
    /// pieces of the other arguments become zero, the rest moves to the lowest possible lane, and each of its bits to
    /// the lowest possible position.
    pub(crate) fn minimal(&self, mut args: Vec<Bits>) -> Vec<Bits> {
        let (mut old, mut new) = (Machine::new(), Machine::new());
        let mut keep = |args: &[Bits]| self.differs_in(args, &mut old, &mut new);
        for pass in 0..2 {
            for position in 0..args.len() {
                let (width, range) = self.shape.args[position];
                let Some((low, high)) = range else {
                    clear_pieces(&mut args, position, &mut keep);
                    continue;
                };
                let tried = (low..=high).take(if pass == 0 { MAX_IMMEDIATES } else { 0 });
                for value in tried {
                    let value = immediate(width, value);
                    if value == args[position] {
                        break;
                    }
                    let former = std::mem::replace(&mut args[position], value);
                    if keep(&args) {
                        break;
                    }
                    args[position] = former;
                }
            }
            if pass == 0 {
                self.move_to_low_lanes(&mut args, &mut keep);
                for (position, (_, range)) in self.shape.args.iter().enumerate() {
                    if range.is_none() {
                        lower_bits(&mut args, position, &mut keep);
                    }
                }
            }
        }
        args
    }

    /// Moves all arguments by as many lanes as `keep` allows. How wide lanes are is tried; a mask moves by as many of
    /// its bits.
    fn move_to_low_lanes(&self, args: &mut [Bits], keep: &mut impl FnMut(&[Bits]) -> bool) {
        let result = self.shape.results.first().copied().unwrap_or(0);
        for lane in WIDTHS.iter().rev().filter(|lane| result.is_multiple_of(**lane)) {
            let lanes = result / lane;
            // Bits of a lane of each argument with this many lanes.
            let steps: Vec<Option<u32>> = (self.shape.args.iter())
                .map(|(width, range)| {
                    (range.is_none() && lanes > 0 && width.is_multiple_of(lanes)).then_some(width / lanes)
                })
                .collect();
            let free = (args.iter().zip(&steps))
                .filter_map(|(arg, step)| Some(lowest_bit(arg)? / (*step)?))
                .min()
                .unwrap_or(0);
            let moved = |by: u32| -> Vec<Bits> {
                let one = |(arg, step): (&Bits, &Option<u32>)| match step {
                    Some(step) => shifted_down(arg, by * step),
                    None => arg.clone(),
                };
                args.iter().zip(&steps).map(one).collect()
            };
            if let Some(lower) = (1..=free).rev().map(moved).find(|lower| keep(lower)) {
                args.clone_from_slice(&lower);
            }
        }
    }

    /// What both functions give for arguments.
    pub(crate) fn witness(&self, args: Vec<Bits>, by_solver: bool) -> Witness {
        // They have been evaluated on arguments of this shape before.
        let results = |program: &Program| program.run(&args).unwrap_or_default();
        let (old, new) = (results(&self.old), results(&self.new));
        Witness { args, old, new, by_solver }
    }
}

/// Values of an immediate that are tried in the search for the least one.
const MAX_IMMEDIATES: usize = 256;

/// Makes pieces of one argument zero, halves first, single bits last, as long as `keep` holds.
fn clear_pieces(args: &mut [Bits], position: usize, keep: &mut impl FnMut(&[Bits]) -> bool) {
    let width = args[position].width();
    let mut piece = width.next_power_of_two();
    loop {
        // From the top, so that the remaining bits are low.
        for low in (0..width).step_by(piece as usize).rev() {
            let mut value = Bv::from(&args[position]);
            let size = piece.min(width - low);
            if value.extract(low, size).is_zero() {
                continue;
            }
            value.insert(low, &Bv::zero(size));
            let former = std::mem::replace(&mut args[position], Bits::from(&value));
            if !keep(args) {
                args[position] = former;
            }
        }
        if piece == 1 {
            break;
        }
        piece /= 2;
    }
}

/// The position of the lowest bit that is set.
fn lowest_bit(value: &Bits) -> Option<u32> {
    (0..value.width()).find(|bit| value.bit(*bit))
}

/// A value without its lowest bits.
fn shifted_down(value: &Bits, by: u32) -> Bits {
    let mut moved = Bv::zero(value.width());
    moved.insert(0, &Bv::from(value).extract(by, value.width() - by));
    Bits::from(&moved)
}

/// Moves each bit of one argument, the lowest first, to the lowest place at which `keep` holds.
fn lower_bits(args: &mut [Bits], position: usize, keep: &mut impl FnMut(&[Bits]) -> bool) {
    let set: Vec<u32> = (0..args[position].width()).filter(|bit| args[position].bit(*bit)).collect();
    if set.len() > MAX_MOVED_BITS {
        return;
    }
    for bit in set {
        let former = args[position].clone();
        for place in (0..bit).filter(|place| !former.bit(*place)) {
            let mut value = Bv::from(&former);
            value.insert(bit, &Bv::zero(1));
            value.insert(place, &Bv::ones(1));
            args[position] = Bits::from(&value);
            if keep(args) {
                break;
            }
            args[position].clone_from(&former);
        }
    }
}

/// Number of bits of an argument beyond which they are not moved.
const MAX_MOVED_BITS: usize = 16;

/// An immediate's value as an argument.
fn immediate(width: u32, value: i64) -> Bits {
    Bits::from(&Bv::from_i64(width, value))
}
