//! The inputs of a validation: deterministic for a seed and an instruction, alternating between directed and
//! mixed ones.
//!
//! For instructions that compute with floating-point numbers most inputs are numbers ([`floats`]): zeros, subnormals,
//! infinities, both kinds of NaN, halfway cases, values at the ends of integers' ranges, and operands that cancel.
//!
//! Directed inputs put each extreme of each element width (the documented one, 8, 16, 32 and 64
//! bits) into each lane of each argument, and pairs of extremes into the same lane of the first two
//! arguments; the others mix random words, equal operands, small numbers, shift counts and sparse
//! bits.

use catalog::{Argument, Element, Immediate, Kind};
use hydride_ir::{Bits, Function, Op, Random};

use crate::Bv;

mod floats;

/// The version of the patterns: a seed gives the same inputs as long as it stays the same. Version 1 began with
/// eight inputs whose lanes are all equal.
pub const PATTERNS: u32 = 2;

/// The least number of inputs that each combination of immediates gets.
const INPUTS_PER_IMMEDIATE: usize = 2;

/// The most values of an immediate, and combinations of several immediates, that are tried.
pub const MAX_IMMEDIATES: usize = 256;

/// The inputs of one instruction, flat: for each input the position of its immediates in
/// [`immediates`], then the arguments in `width.div_ceil(64)` words each, least significant first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inputs {
    /// The words.
    pub records: Vec<u64>,
    /// Words of one input.
    pub record: usize,
}

/// The combinations of immediate values to try, in the order of the immediate arguments: all of them up to
/// [`MAX_IMMEDIATES`], else enough that every value of each occurs. One empty combination if there is no
/// immediate.
pub fn immediates(args: &[Argument]) -> Vec<Vec<i64>> {
    let values: Vec<Vec<i64>> = args
        .iter()
        .filter_map(|arg| match &arg.kind {
            Kind::Immediate(range) => Some(immediate_values(range.low, range.high)),
            _ => None,
        })
        .collect();
    let all = values.iter().try_fold(1usize, |all, values| all.checked_mul(values.len()));
    let all = all.unwrap_or(usize::MAX);
    let combination = |mut position: usize| {
        let mut shift = 0;
        values
            .iter()
            .map(|values| {
                // Beyond the limit the later values advance with the earlier ones, and once more at
                // each of their turns, so that all values and many pairs occur.
                let value = values[(position + shift) % values.len()];
                if all > MAX_IMMEDIATES {
                    shift += position / values.len();
                } else {
                    position /= values.len();
                }
                value
            })
            .collect()
    };
    (0..all.min(MAX_IMMEDIATES)).map(combination).collect()
}

/// Of the combinations of immediate values to try `most` at most: the first, the last and what lies evenly between.
pub fn some_immediates(args: &[Argument], most: usize) -> Vec<Vec<i64>> {
    let mut all = immediates(args);
    if all.len() > most {
        let (last, steps) = (all.len() - 1, most.saturating_sub(1).max(1));
        all = (0..most).map(|step| all[step * last / steps].clone()).collect();
    }
    all
}

/// The values of a range, or the extremes, the powers of two and evenly spread ones of a large one.
fn immediate_values(low: i64, high: i64) -> Vec<i64> {
    let high = high.max(low);
    let span = low.abs_diff(high);
    if span < MAX_IMMEDIATES as u64 {
        return (low..=high).collect();
    }
    let mut values = vec![low, low + 1, high - 1, high, -1, 0, 1];
    values.extend((1..63).flat_map(|bit| [1 << bit, (1 << bit) - 1]));
    let step = (span / 96) as i64;
    values.extend((0..96i64).map(|position| low.wrapping_add(step.wrapping_mul(position))));
    values.retain(|value| (low..=high).contains(value));
    values.sort_unstable();
    values.dedup();
    values.truncate(MAX_IMMEDIATES);
    values
}

/// Whether an instruction computes with floating-point numbers, and does not just move them.
pub fn computes_with_floats(function: &Function) -> bool {
    function.exprs().iter().any(|expr| matches!(expr.op, Op::Float { .. }))
}

/// Generates at least `count` inputs for arguments of an instruction; more if otherwise some combinations of
/// immediates would get fewer than two. `numbers`: whether it computes with floating-point numbers
/// ([`computes_with_floats`]).
pub fn generate(
    args: &[Argument],
    numbers: bool,
    immediates: &[Vec<i64>],
    count: usize,
    seed: u64,
    id: &str,
) -> Inputs {
    let mut random = random_of(seed, id);
    let count = count.max(INPUTS_PER_IMMEDIATE * immediates.len() * usize::from(immediates.len() > 1));
    let mut directed = directed(args, &mut random).into_iter();
    // Immediates must not always meet the same patterns.
    let skipped = immediates.len() / 2 + 1;
    let mut inputs = Inputs { records: Vec::new(), record: 0 };
    let mut turn = 0;
    for position in 0..count {
        // A short run must not consist only of directed inputs, nor a long one lack them: about one in four is mixed,
        // including the first.
        let pattern = if position == 0 || random.below(4) == 0 { None } else { directed.next() };
        let values = match pattern {
            _ if numbers && position % 4 != 3 => floats::values(args, &mut random),
            Some(pattern) => pattern.values(args, &mut random),
            None => {
                turn += 1;
                mixed(args, turn - 1, &mut random)
            }
        };
        let selector = match immediates.len() {
            0 | 1 => 0,
            all => (position + position / all * skipped) % all,
        };
        let before = inputs.records.len();
        inputs.records.push(selector as u64);
        let mut chosen = immediates.get(selector).into_iter().flatten();
        for (arg, value) in args.iter().zip(values) {
            let value = match arg.kind {
                Kind::Immediate(_) => Bv::from_i64(arg.width.max(1), *chosen.next().unwrap_or(&0)),
                _ => value,
            };
            inputs.records.extend(value.words());
        }
        inputs.record = inputs.records.len() - before;
    }
    inputs
}

/// The width in bits of the narrowest floating-point numbers that a function computes with, if it does with any of 16, 32
/// or 64 bits.
pub fn number_width(function: &Function) -> Option<u32> {
    let numbers = function.exprs().iter().filter(|expr| matches!(expr.op, Op::Float { .. }));
    let operands = numbers.filter_map(|expr| expr.op.operands().first().copied());
    let widths =
        operands.filter_map(|operand| u32::try_from(function.expr(operand).width.as_constant()?).ok());
    widths.filter(|width| matches!(width, 16 | 32 | 64)).min()
}

/// An argument of which only the width in bits is known and, of an immediate, the least and the greatest documented value.
pub type Operand = (u32, Option<(i64, i64)>);

/// At least `count` inputs for such arguments, most of them made of floating-point numbers of `numbers` bits if there are any.
pub fn examples(args: &[Operand], numbers: Option<u32>, count: usize, seed: u64) -> Vec<Vec<Bits>> {
    let argument = |(position, (width, range)): (usize, &Operand)| Argument {
        name: format!("a{position}"),
        c_type: String::new(),
        width: *width,
        kind: match range {
            Some((low, high)) => Kind::Immediate(Immediate { low: *low, high: *high }),
            None => Kind::Vector,
        },
        element: numbers.map(|width| Element { width, signed: true, float: true }),
    };
    let arguments: Vec<Argument> = args.iter().enumerate().map(argument).collect();
    let inputs = generate(&arguments, numbers.is_some(), &immediates(&arguments), count, seed, "");
    let values = |record: &[u64]| {
        let mut words = record[1..].iter().copied();
        let value = |(width, _): &Operand| {
            let own: Vec<u64> = words.by_ref().take(width.div_ceil(64) as usize).collect();
            Bits::from_words(*width, own)
        };
        args.iter().map(value).collect()
    };
    inputs.records.chunks_exact(inputs.record).map(values).collect()
}

/// A directed input: how every argument is filled.
enum Pattern {
    /// All arguments are the same lanes of the same number.
    Equal { lane: u32, extreme: usize },
    /// Lane `j` of argument `k` is the extreme numbered `j + first + k * step`.
    Rotated { lane: u32, first: usize, step: usize },
    /// One argument is a small number, a shift count, the others are random.
    Count { arg: usize, count: u64 },
}

const EXTREMES: usize = 8;

/// Shift counts at and around the widths of elements.
const COUNTS: [u64; 19] = [0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256];

/// The extremes of a lane.
fn extreme(width: u32, number: usize) -> Bv {
    match number % EXTREMES {
        0 => Bv::zero(width),
        1 => Bv::ones(width),
        2 => Bv::signed_min(width),
        3 => Bv::signed_max(width),
        4 => Bv::from_u64(width, 1),
        5 => Bv::signed_min(width).add(&Bv::from_u64(width, 1)),
        6 => Bv::from_u64(width, 0x5555_5555_5555_5555),
        _ => Bv::from_u64(width, 0xaaaa_aaaa_aaaa_aaaa),
    }
}

/// The lane widths to try, the documented ones first.
fn lane_widths(args: &[Argument]) -> Vec<u32> {
    let mut widths: Vec<u32> = Vec::new();
    let documented = args.iter().filter_map(|arg| arg.element).map(|element| element.width);
    for width in documented.chain([8, 16, 32, 64]) {
        if (1..=512).contains(&width) && !widths.contains(&width) {
            widths.push(width);
        }
    }
    widths
}

fn directed(args: &[Argument], random: &mut Random) -> Vec<Pattern> {
    let lanes = lane_widths(args);
    // Each extreme in each lane of each argument at every lane width, and for the first width all pairs of
    // extremes; then pairs of the other widths while there is room.
    let single = random.below(EXTREMES);
    let rotated = |lane, step| (0..EXTREMES).map(move |first| Pattern::Rotated { lane, first, step });
    let steps = || (0..EXTREMES).filter(|step| *step != single);
    let equal =
        lanes.iter().flat_map(|&lane| (0..EXTREMES).map(move |extreme| Pattern::Equal { lane, extreme }));
    let singles = lanes.iter().flat_map(|lane| rotated(*lane, single));
    let pairs = steps().flat_map(|step| rotated(lanes[0], step));
    let registers = (0..args.len()).filter(|arg| !matches!(args[*arg].kind, Kind::Immediate(_)));
    let counts = registers.flat_map(|arg| COUNTS.map(|count| Pattern::Count { arg, count }));
    let mut patterns = in_turns([singles.collect(), pairs.collect(), counts.collect(), equal.collect()]);
    for lane in &lanes[1..] {
        patterns.extend(steps().flat_map(|step| rotated(*lane, step)));
    }
    patterns
}

/// The first of each list, then the second of each, and so on.
fn in_turns<const N: usize>(lists: [Vec<Pattern>; N]) -> Vec<Pattern> {
    let mut patterns = Vec::new();
    let mut lists = lists.map(Vec::into_iter);
    loop {
        let before = patterns.len();
        patterns.extend(lists.iter_mut().filter_map(Iterator::next));
        if patterns.len() == before {
            return patterns;
        }
    }
}

impl Inputs {
    /// Lets `change` put other values in place of those of an input that it finds unfit.
    pub fn rewrite(&mut self, args: &[Argument], mut change: impl FnMut(&mut [Bv])) {
        for record in self.records.chunks_exact_mut(self.record) {
            let mut words = record[1..].iter().copied();
            let value = |arg: &Argument| {
                let width = arg.width.max(1);
                Bv::from_words(width, words.by_ref().take(width.div_ceil(64) as usize).collect::<Vec<u64>>())
            };
            let mut values: Vec<Bv> = args.iter().map(value).collect();
            change(&mut values);
            let changed = values.iter().flat_map(|value| value.words());
            record[1..].iter_mut().zip(changed).for_each(|(word, changed)| *word = *changed);
        }
    }
}

impl Pattern {
    fn values(&self, args: &[Argument], random: &mut Random) -> Vec<Bv> {
        let fill = |(position, arg): (usize, &Argument)| {
            let width = arg.width.max(1);
            match *self {
                Pattern::Equal { lane, extreme: number } => lanes(width, lane, |_| extreme(lane, number)),
                Pattern::Rotated { lane, first, step } => {
                    lanes(width, lane, |index| extreme(lane, index + first + position * step))
                }
                Pattern::Count { arg, count } if arg == position => Bv::from_u64(width, count),
                Pattern::Count { .. } => value(random, width),
            }
        };
        args.iter().enumerate().map(fill).collect()
    }
}

/// A value made of lanes, the top one cut off where it does not fit.
fn lanes(width: u32, lane: u32, mut element: impl FnMut(usize) -> Bv) -> Bv {
    let mut value = Bv::zero(width);
    for (index, low) in (0..width).step_by(lane as usize).enumerate() {
        let element = element(index);
        value.insert(low, &element.extract(0, lane.min(width - low)));
    }
    value
}

/// An input that is random in one of several ways, used in turn.
fn mixed(args: &[Argument], turn: usize, random: &mut Random) -> Vec<Bv> {
    let widths = lane_widths(args);
    let lane = widths[random.below(widths.len())];
    let special = random.below(args.len().max(1));
    let widest = args.iter().map(|arg| arg.width).max().unwrap_or(1).max(1);
    let shared = value(random, widest);
    let fill = |(index, arg): (usize, &Argument)| {
        let width = arg.width.max(1);
        match turn % 8 {
            // Equal operands, but for a bit.
            4 => {
                let value = shared.cast(width, false);
                let bit = Bv::from_u64(width, 1).shl(random.below(width as usize) as u64);
                if index == special && random.below(2) == 0 { value.xor(&bit) } else { value }
            }
            // Extremes in some lanes.
            1 => lanes(width, lane, |_| match random.below(3) {
                0 => value(random, lane),
                _ => extreme(lane, random.below(EXTREMES)),
            }),
            // Small numbers in every lane of one argument: shift counts and indices.
            2 if index == special => {
                lanes(width, lane, |_| Bv::from_u64(lane, random.below(2 * lane as usize + 2) as u64))
            }
            // One small number.
            3 if index == special => Bv::from_u64(width, random.below(80) as u64),
            // Few one bits, or few zero bits.
            6 => {
                let sparse = (0..3).fold(value(random, width), |sparse, _| sparse.and(&value(random, width)));
                if random.below(2) == 0 { sparse } else { sparse.not() }
            }
            // Small magnitudes of both signs.
            5 => lanes(width, lane, |_| Bv::from_i64(lane, random.below(16) as i64 - 8)),
            _ => value(random, width),
        }
    };
    args.iter().enumerate().map(fill).collect()
}

/// The sequence of a seed and an instruction, the same in every run.
fn random_of(seed: u64, id: &str) -> Random {
    let hash = blake3::hash(id.as_bytes());
    let words = hash.as_bytes().as_chunks::<8>().0;
    let mut random = Random::new(seed ^ words.first().map_or(0, |bytes| u64::from_le_bytes(*bytes)));
    random.word();
    random
}

fn value(random: &mut Random, width: u32) -> Bv {
    Bv::from_words(width, std::iter::repeat_with(|| random.word()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use catalog::{Element, Immediate};

    use super::*;

    fn arg(width: u32, kind: Kind) -> Argument {
        let element = Some(Element { width: 16, signed: true, float: false });
        Argument { name: "a".into(), c_type: String::new(), width, kind, element }
    }

    fn immediate(low: i64, high: i64) -> Argument {
        arg(32, Kind::Immediate(Immediate { low, high }))
    }

    #[test]
    fn every_immediate_value_occurs() {
        assert_eq!(immediates(&[arg(128, Kind::Vector)]), [Vec::<i64>::new()]);
        assert_eq!(immediates(&[immediate(0, 255)]).len(), 256);
        assert_eq!(immediates(&[immediate(0, 15), immediate(-2, 2)]).len(), 80);
        let many = immediates(&[immediate(0, 63), immediate(0, 63)]);
        for position in 0..2 {
            assert_eq!(many.iter().map(|values| values[position]).collect::<BTreeSet<_>>().len(), 64);
        }
        assert_eq!(many.iter().collect::<BTreeSet<_>>().len(), 256);
        let wide = immediates(&[immediate(i64::MIN, i64::MAX)]);
        assert!(wide.len() <= 256 && wide.contains(&vec![i64::MIN]) && wide.contains(&vec![0]));
    }

    #[test]
    fn some_immediates_have_both_ends() {
        let own = |args: &[Argument], most| some_immediates(args, most);
        let few = own(&[immediate(0, 255)], 4);
        assert_eq!(few, [[0], [85], [170], [255]]);
        assert_eq!(own(&[immediate(3, 9)], 1), [[3]]);
        assert_eq!(own(&[immediate(3, 9)], 7), immediates(&[immediate(3, 9)]));
        assert_eq!(own(&[arg(128, Kind::Vector)], 4), [Vec::<i64>::new()]);
    }

    #[test]
    fn inputs_depend_on_seed_and_instruction_alone() {
        let args = [arg(128, Kind::Vector), arg(8, Kind::Mask), immediate(0, 255)];
        let all = immediates(&args);
        let inputs = generate(&args, false, &all, 1000, 7, "f");
        assert_eq!(inputs, generate(&args, false, &all, 1000, 7, "f"));
        assert_ne!(inputs, generate(&args, false, &all, 1000, 8, "f"));
        assert_ne!(inputs, generate(&args, false, &all, 1000, 7, "g"));
        assert_eq!(inputs.record, 1 + 2 + 1 + 1);
        assert_eq!(inputs.records.len(), 1000 * inputs.record);
        let selectors: BTreeSet<u64> = inputs.records.chunks(inputs.record).map(|record| record[0]).collect();
        assert_eq!(selectors.len(), 256);
        for record in inputs.records.chunks(inputs.record) {
            assert_eq!(record[0], record[4]);
            assert!(record[3] < 256);
        }
    }

    #[test]
    fn inputs_are_mixed_from_the_first_one_on() {
        let args = [arg(128, Kind::Vector), arg(128, Kind::Vector)];
        for seed in 0..20 {
            let inputs = generate(&args, false, &immediates(&args), 8, seed, "f");
            let lanes_differ = |record: &[u64]| {
                let value = Bv::from_words(128, record[1..3].to_vec());
                (1..8).any(|lane| value.extract(16 * lane, 16) != value.extract(0, 16))
            };
            let records: Vec<&[u64]> = inputs.records.chunks(inputs.record).collect();
            assert!(lanes_differ(records[0]), "seed {seed}");
            assert!(records.iter().filter(|record| lanes_differ(record)).count() >= 4, "seed {seed}");
        }
    }

    #[test]
    fn rewritten_inputs_keep_everything_else() {
        let args = [arg(128, Kind::Vector), arg(8, Kind::Mask)];
        let mut inputs = generate(&args, false, &immediates(&args), 50, 1, "f");
        let before = inputs.clone();
        inputs.rewrite(&args, |values| {
            assert_eq!((values[0].width(), values[1].width()), (128, 8));
            values[1] = Bv::from_u64(8, 7);
        });
        for (now, then) in inputs.records.chunks(inputs.record).zip(before.records.chunks(before.record)) {
            assert_eq!((&now[..3], now[3]), (&then[..3], 7));
        }
    }

    #[test]
    fn every_lane_meets_every_pair_of_extremes() {
        let args = [arg(256, Kind::Vector), arg(256, Kind::Vector)];
        let inputs = generate(&args, false, &immediates(&args), 1000, 1, "f");
        for (width, pairs) in [(16, true), (8, false), (32, false), (64, false)] {
            for lane in 0..256 / width {
                let element = |record: &[u64], arg: usize| {
                    Bv::from_words(256, record[1 + 4 * arg..5 + 4 * arg].to_vec())
                        .extract(lane * width, width)
                };
                let number = |element: Bv| (0..EXTREMES).find(|number| extreme(width, *number) == element);
                let mut met = BTreeSet::new();
                let mut both = BTreeSet::new();
                for record in inputs.records.chunks(inputs.record) {
                    let (first, second) = (number(element(record, 0)), number(element(record, 1)));
                    met.extend(first.map(|number| (0, number)));
                    met.extend(second.map(|number| (1, number)));
                    both.extend(first.zip(second));
                }
                assert_eq!(met.len(), 2 * EXTREMES, "lane {lane} of {width} bits");
                assert!(!pairs || both.len() == EXTREMES * EXTREMES, "lane {lane} of {width} bits");
            }
        }
    }

    /// As long as [`PATTERNS`] stays the same, so do the inputs.
    #[test]
    fn a_version_of_the_patterns_has_one_set_of_inputs() {
        let cases: [&[Argument]; 4] = [
            &[arg(128, Kind::Vector), arg(128, Kind::Vector)],
            &[arg(512, Kind::Vector), arg(8, Kind::Mask), immediate(0, 255)],
            &[arg(64, Kind::Vector), immediate(0, 7), immediate(-3, 3)],
            &[arg(20, Kind::Vector), arg(300, Kind::Vector), immediate(i64::MIN, i64::MAX)],
        ];
        let mut hash = blake3::Hasher::new();
        for args in cases {
            for (count, seed, id) in [(1, 0, "f"), (300, 1, "f"), (1000, u64::MAX, "g")] {
                let inputs = generate(args, false, &immediates(args), count, seed, id);
                inputs.records.iter().for_each(|word| {
                    hash.update(&word.to_le_bytes());
                });
            }
        }
        assert_eq!((PATTERNS, &hash.finalize().to_hex()[..16]), (2, "38fbc2707ea9cb8d"));
    }

    #[test]
    fn small_ranges_are_tried_in_all_combinations() {
        let all = immediates(&[immediate(0, 1), immediate(5, 7)]);
        assert_eq!(all, [[0, 5], [1, 5], [0, 6], [1, 6], [0, 7], [1, 7]]);
    }

    #[test]
    fn a_large_range_is_tried_at_its_ends_at_powers_of_two_and_in_between() {
        let values: BTreeSet<i64> = immediate_values(-1000, 1000).into_iter().collect();
        for value in [-1000, -999, 999, 1000, -1, 0, 1] {
            assert!(values.contains(&value), "{value}");
        }
        for bit in 1..10 {
            assert!(values.contains(&(1 << bit)) && values.contains(&((1 << bit) - 1)), "bit {bit}");
        }
        for position in 0..96 {
            assert!(values.contains(&(-1000 + 20 * position)), "{position}");
        }
        assert_eq!(immediate_values(0, 255), Vec::from_iter(0..=255));
        assert!(immediate_values(0, 256).len() < 256);
        assert_eq!(immediate_values(7, 3), [7]);
    }

    #[test]
    fn each_combination_of_immediates_gets_inputs_in_changing_order() {
        let args = [arg(8, Kind::Vector), immediate(0, 3)];
        for (values, count, expected) in [(0, 3, 3), (1, 3, 3), (2, 3, 4), (4, 3, 8), (4, 16, 16)] {
            let all: Vec<Vec<i64>> = (0..values).map(|value| vec![value]).collect();
            let inputs = generate(&args, false, &all, count, 0, "f");
            assert_eq!(inputs.records.len(), expected * inputs.record, "{values} values, {count} inputs");
        }
        let inputs = generate(&args, false, &immediates(&args), 16, 0, "f");
        let selectors: Vec<u64> = inputs.records.chunks(inputs.record).map(|record| record[0]).collect();
        assert_eq!(selectors, [0, 1, 2, 3, 3, 0, 1, 2, 2, 3, 0, 1, 1, 2, 3, 0]);
    }

    #[test]
    fn mixed_inputs_take_turns_in_what_they_mix() {
        let args = [arg(64, Kind::Vector), arg(64, Kind::Vector), arg(64, Kind::Vector)];
        let mut random = Random::new(1);
        let (mut alike, mut different) = (0, 0);
        for round in 0..200 {
            let mut words = |turn: usize| -> Vec<u64> {
                let values = mixed(&args, turn + 8 * round, &mut random);
                values.iter().map(|value| value.words()[0]).collect()
            };
            assert!(words(3).iter().filter(|word| **word < 80).count() == 1, "one small number");
            let equal = words(4);
            let bits: u32 =
                [0, 1, 2].map(|arg| (equal[arg] ^ equal[(arg + 1) % 3]).count_ones()).iter().sum();
            assert!(bits == 0 || bits == 2, "equal but for a bit of one argument: {equal:x?}");
            if bits == 0 {
                alike += 1
            } else {
                different += 1
            }
            for word in words(6) {
                assert!(word.count_ones() < 24 || word.count_zeros() < 24, "sparse: {word:x}");
            }
            for word in words(5) {
                let lane = [8, 16, 32, 64].into_iter().any(|lane| {
                    let lanes =
                        (0..64 / lane).map(|index| (word << (64 - lane * (index + 1))) as i64 >> (64 - lane));
                    lanes.into_iter().all(|value| (-8..8).contains(&value))
                });
                assert!(lane, "small magnitudes: {word:x}");
            }
        }
        assert!(alike > 20 && different > 20);
    }
}
