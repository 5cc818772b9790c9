//! Inputs of instructions that compute with floating-point numbers.

use catalog::{Argument, Element};
use hydride_ir::Random;

use super::{lanes, value};
use crate::Bv;

/// A binary interchange format.
#[derive(Clone, Copy)]
struct Format {
    exponent: u32,
    fraction: u32,
}

impl Format {
    /// The formats of a width; 16 bits have two.
    fn of_width(width: u32, random: &mut Random) -> Option<Self> {
        match width {
            16 if random.below(4) == 0 => Some(Self { exponent: 8, fraction: 7 }),
            16 => Some(Self { exponent: 5, fraction: 10 }),
            32 => Some(Self { exponent: 8, fraction: 23 }),
            64 => Some(Self { exponent: 11, fraction: 52 }),
            _ => None,
        }
    }

    fn pattern(self, negative: bool, exponent: u64, fraction: u64) -> u64 {
        let largest = (1 << self.exponent) - 1;
        u64::from(negative) << (self.exponent + self.fraction)
            | exponent.min(largest) << self.fraction
            | fraction & ((1 << self.fraction) - 1)
    }

    /// A number of one of the kinds that tell implementations apart.
    fn number(self, random: &mut Random) -> u64 {
        let largest = (1u64 << self.exponent) - 1;
        let bias = largest >> 1;
        let any = random.word();
        // Few one bits, or few zero bits: exact values, halfway cases and carries.
        let sparse = match random.below(5) {
            0 => 0,
            1 => 1 << random.below(self.fraction as usize),
            2 => u64::MAX << random.below(self.fraction as usize),
            3 => u64::MAX >> random.below(64),
            _ => any,
        };
        let negative = random.below(2) == 1;
        match random.below(16) {
            0 => self.pattern(negative, 0, 0),
            1 => self.pattern(negative, 0, sparse),
            2 => self.pattern(negative, largest, 0),
            // NaNs of both kinds; without payload they are infinities.
            3 => self.pattern(negative, largest, any >> random.below(64)),
            // At the ends of the range.
            4 => self.pattern(negative, largest - 1 - random.below(3) as u64, sparse),
            5 => self.pattern(negative, 1 + random.below(self.fraction as usize + 2) as u64, sparse),
            // Integers, numbers halfway between two, and the ends of integers' ranges.
            6..=9 => self.pattern(negative, bias - 2 + random.below(68) as u64, sparse),
            10 | 11 => self.pattern(negative, bias - 1 + random.below(3) as u64, sparse),
            _ => self.pattern(negative, any >> 32 & largest, any),
        }
    }
}

/// Numbers in the arguments whose elements are floating-point numbers, and any bits in the others. Lanes of later
/// arguments are often near those of earlier ones, so that sums cancel and comparisons meet equal numbers.
pub(super) fn values(args: &[Argument], random: &mut Random) -> Vec<Bv> {
    let mut earlier: Vec<(u32, Bv)> = Vec::new();
    for arg in args {
        let width = arg.width.max(1);
        let lane = match arg.element {
            Some(Element { width: lane, float: true, .. }) => lane.min(width),
            _ => 0,
        };
        let Some(format) = Format::of_width(lane, random) else {
            let any = match random.below(3) {
                0 => super::extreme(width, random.below(super::EXTREMES)),
                _ => value(random, width),
            };
            earlier.push((0, any));
            continue;
        };
        let filled = lanes(width, lane, |index| {
            let low = index as u32 * lane;
            let before =
                earlier.iter().rev().find(|(own, other)| *own == lane && low + lane <= other.width());
            let near = before
                .filter(|_| random.below(4) == 0)
                .and_then(|(_, other)| other.extract(low, lane).to_u64());
            let bits = match near {
                Some(bits) => {
                    let sign = (random.word() & 1) << (lane - 1);
                    bits ^ sign ^ [0, 0, 1, 2][random.below(4)]
                }
                None => format.number(random),
            };
            Bv::from_u64(lane, bits)
        });
        earlier.push((lane, filled));
    }
    earlier.into_iter().map(|(_, value)| value).collect()
}

#[cfg(test)]
mod tests {
    use catalog::Kind;

    use super::*;

    #[test]
    fn every_kind_of_number_occurs() {
        let element = Some(Element { width: 32, signed: true, float: true });
        let arg =
            Argument { name: "a".into(), c_type: String::new(), width: 128, kind: Kind::Vector, element };
        let args = [arg.clone(), arg];
        let mut random = Random::new(3);
        let mut found: Vec<(f32, f32)> = Vec::new();
        for _ in 0..200 {
            let values = values(&args, &mut random);
            let lane = |value: &Bv, low| f32::from_bits(value.extract(low, 32).to_u64().unwrap_or(0) as u32);
            found.extend([0, 32, 64, 96].map(|low| (lane(&values[0], low), lane(&values[1], low))));
        }
        let has = |kind: &dyn Fn(f32) -> bool| found.iter().filter(|(a, _)| kind(*a)).count() > 5;
        assert!(has(&|x| x == 0.0 && x.is_sign_negative()));
        assert!(has(&|x| x.is_subnormal()) && has(&f32::is_infinite));
        assert!(has(&|x| x.is_nan() && x.to_bits() & 1 << 22 == 0));
        assert!(has(&|x| x.is_nan() && x.to_bits() & 1 << 22 != 0));
        assert!(has(&|x| x.fract().abs() == 0.5) && has(&|x| x.abs() > 1.5 && x.fract() == 0.0));
        assert!(found.iter().filter(|(a, b)| *a == -*b).count() > 5);
    }

    /// As long as [`PATTERNS`](crate::inputs::PATTERNS) stays the same, so do the inputs.
    #[test]
    fn a_version_of_the_patterns_has_one_set_of_numbers() {
        let arg = |width, lane, float| Argument {
            name: "a".into(),
            c_type: String::new(),
            width,
            kind: Kind::Vector,
            element: Some(Element { width: lane, signed: true, float }),
        };
        let mut random = Random::new(9);
        let mut hash = blake3::Hasher::new();
        for lane in [16, 32, 64] {
            let args =
                [arg(192, lane, true), arg(192, lane, true), arg(96, lane, false), arg(64, lane, true)];
            for _ in 0..500 {
                for value in values(&args, &mut random) {
                    value.words().iter().for_each(|word| {
                        hash.update(&word.to_le_bytes());
                    });
                }
            }
        }
        assert_eq!((crate::inputs::PATTERNS, &hash.finalize().to_hex()[..16]), (2, "55c6932dc2863dca"));
    }

    #[test]
    fn sixteen_bits_are_numbers_of_either_format() {
        let mut random = Random::new(1);
        let formats: Vec<Option<Format>> = (0..100).map(|_| Format::of_width(16, &mut random)).collect();
        let brain = formats.iter().flatten().filter(|format| format.exponent == 8).count();
        assert!(formats.iter().all(Option::is_some) && (10..40).contains(&brain), "{brain}");
        let widths: Vec<u32> =
            (1..=80).filter(|width| Format::of_width(*width, &mut random).is_some()).collect();
        assert_eq!(widths, [16, 32, 64]);
    }
}
