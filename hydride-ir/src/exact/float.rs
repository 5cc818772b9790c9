//! Floating-point operators on exact integers: nodes, and their values for literals.
//!
//! A number is `±magnitude · 2^exponent` with an unbounded magnitude, so that every operation is exact until it is
//! rounded, once.

use dashu_int::UBig;
use dashu_int::ops::{BitTest, SquareRootRem};

use super::Int;
use super::dag::{Dag, Node, NodeId};
use super::range::{Range, power};
use crate::float::{Float, FloatOp, NanRule, Rounding};

/// A bit pattern of a format, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Number {
    /// The pattern is kept, for its payload.
    Nan {
        signaling: bool,
        pattern: Int,
    },
    Infinite {
        negative: bool,
    },
    Finite(Finite),
}

/// `±magnitude · 2^exponent`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Finite {
    negative: bool,
    magnitude: Int,
    exponent: i64,
    /// Whether the number is above the magnitude by less than one unit.
    sticky: bool,
}

/// A binary interchange format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Format {
    exponent: u32,
    width: u32,
}

impl Format {
    fn fraction(self) -> u32 {
        self.width - 1 - self.exponent
    }

    /// The exponent of a subnormal's lowest bit.
    fn least(self) -> i64 {
        2 - (1i64 << (self.exponent - 1)) - i64::from(self.fraction())
    }

    fn signed(self, negative: bool, pattern: Int) -> Int {
        if negative { pattern + power(self.width - 1) } else { pattern }
    }

    fn infinity(self, negative: bool) -> Int {
        self.signed(negative, (power(self.exponent) - Int::ONE) << self.fraction() as usize)
    }

    fn quiet(self, pattern: Int) -> Int {
        pattern | power(self.fraction() - 1)
    }

    fn read(self, pattern: &Int) -> Number {
        let fraction = pattern & (power(self.fraction()) - Int::ONE);
        let biased: Int = (pattern >> self.fraction() as usize) & (power(self.exponent) - Int::ONE);
        let negative = pattern >= &power(self.width - 1);
        if biased == power(self.exponent) - Int::ONE {
            return match fraction == Int::ZERO {
                true => Number::Infinite { negative },
                false => {
                    Number::Nan { signaling: fraction < power(self.fraction() - 1), pattern: pattern.clone() }
                }
            };
        }
        let biased = i64::try_from(&biased).unwrap_or(0);
        let magnitude = if biased == 0 { fraction } else { fraction + power(self.fraction()) };
        Number::Finite(Finite::exact(negative, magnitude, self.least() + (biased - 1).max(0)))
    }

    /// The nearest pattern by the rounding mode.
    fn round(self, number: &Finite, rounding: Rounding) -> Int {
        let Finite { negative, ref magnitude, exponent, sticky } = *number;
        if number.is_zero() {
            return self.signed(negative, Int::ZERO);
        }
        // Two bits more make room for the sticky one.
        let magnitude: Int = (magnitude << 2) + Int::from(u8::from(sticky));
        let exponent = exponent - 2;
        let precision = i64::from(self.fraction()) + 1;
        let unit = (exponent + magnitude.bit_len() as i64 - precision).max(self.least());
        let kept = round_at(&magnitude, unit - exponent, negative, rounding);
        // The leading bit of a normal number counts in the exponent, as a carry out of the fraction does.
        let pattern = kept + (Int::from(unit - self.least()) << self.fraction() as usize);
        let infinity = self.infinity(false);
        let pattern = if pattern < infinity {
            pattern
        } else if overflows(negative, rounding) {
            infinity
        } else {
            infinity - Int::ONE
        };
        self.signed(negative, pattern)
    }
}

/// Whether a number beyond the greatest finite one becomes an infinity.
fn overflows(negative: bool, rounding: Rounding) -> bool {
    match rounding {
        Rounding::NearestEven | Rounding::NearestAway => true,
        Rounding::Down => negative,
        Rounding::Up => !negative,
        Rounding::Zero | Rounding::Odd => false,
    }
}

/// `magnitude / 2^shift` as an integer.
fn round_at(magnitude: &Int, shift: i64, negative: bool, rounding: Rounding) -> Int {
    let Ok(shift) = usize::try_from(shift) else {
        return magnitude << shift.unsigned_abs() as usize;
    };
    let kept: Int = magnitude >> shift;
    let rest: Int = magnitude - (&kept << shift);
    if rest == Int::ZERO {
        return kept;
    }
    let twice: Int = rest << 1;
    let half = Int::ONE << shift;
    let odd = kept.bit(0);
    let up = match rounding {
        Rounding::NearestEven => twice > half || twice == half && odd,
        Rounding::NearestAway => twice >= half,
        Rounding::Down => negative,
        Rounding::Up => !negative,
        Rounding::Zero => false,
        Rounding::Odd => !odd,
    };
    if up { kept + Int::ONE } else { kept }
}

impl Finite {
    fn exact(negative: bool, magnitude: Int, exponent: i64) -> Self {
        Self { negative, magnitude, exponent, sticky: false }
    }

    fn is_zero(&self) -> bool {
        self.magnitude == Int::ZERO
    }

    fn value(&self) -> Int {
        if self.negative { -&self.magnitude } else { self.magnitude.clone() }
    }

    fn of(value: Int, exponent: i64) -> Self {
        let negative = value < Int::ZERO;
        Self::exact(negative, if negative { -value } else { value }, exponent)
    }

    fn times(&self, other: &Self) -> Self {
        Self::exact(
            self.negative != other.negative,
            &self.magnitude * &other.magnitude,
            self.exponent + other.exponent,
        )
    }

    /// The sum; a zero has the sign of both operands, or else the one of the rounding mode.
    fn plus(&self, other: &Self, rounding: Rounding) -> Self {
        let exponent = self.exponent.min(other.exponent);
        let at = |number: &Self| number.value() << (number.exponent - exponent) as usize;
        let sum = Self::of(at(self) + at(other), exponent);
        let negative = match (sum.is_zero(), self.negative == other.negative) {
            (false, _) => sum.negative,
            (true, true) => self.negative,
            (true, false) => rounding == Rounding::Down,
        };
        Self { negative, ..sum }
    }

    fn over(&self, other: &Self, precision: u32) -> Self {
        let bits = |number: &Self| number.magnitude.bit_len() as i64;
        let shift = (i64::from(precision) + 2 + bits(other) - bits(self)).max(0);
        let dividend = &self.magnitude << shift as usize;
        let quotient = &dividend / &other.magnitude;
        Self {
            negative: self.negative != other.negative,
            sticky: &quotient * &other.magnitude != dividend,
            magnitude: quotient,
            exponent: self.exponent - other.exponent - shift,
        }
    }

    fn square_root(&self, precision: u32) -> Self {
        let needed = 2 * (i64::from(precision) + 2) - self.magnitude.bit_len() as i64;
        let shift = needed.max(0);
        // The exponent must be even.
        let shift = shift + (self.exponent - shift).rem_euclid(2);
        let radicand = UBig::try_from(&self.magnitude << shift as usize).unwrap_or_default();
        let (root, rest) = radicand.sqrt_rem();
        Self {
            negative: self.negative,
            magnitude: Int::from(root),
            exponent: (self.exponent - shift) / 2,
            sticky: rest != UBig::ZERO,
        }
    }

    /// The nearest integer by the rounding mode.
    fn integer(&self, rounding: Rounding) -> Int {
        let magnitude = round_at(&self.magnitude, -self.exponent, self.negative, rounding);
        if self.negative { -magnitude } else { magnitude }
    }
}

/// An operator at numbers: the widths of its floating-point operands and of its value in bits.
#[derive(Clone, Copy, Debug)]
struct Operation {
    float: Float<u32>,
    format: Format,
    width: u32,
}

impl Operation {
    fn nan(&self, operands: &[Number]) -> Option<Int> {
        let nans: Vec<(bool, &Int)> = operands
            .iter()
            .filter_map(|number| match number {
                Number::Nan { signaling, pattern } => Some((*signaling, pattern)),
                _ => None,
            })
            .collect();
        let (_, first) = nans.first()?;
        let chosen = match self.float.nan {
            NanRule::SignalingFirst => {
                nans.iter().find(|(signaling, _)| *signaling).map_or(first, |nan| &nan.1)
            }
            _ => first,
        };
        Some(self.format.quiet((*chosen).clone()))
    }

    /// The NaN of an operation without a value.
    fn invalid(&self) -> Int {
        self.format.quiet(self.format.infinity(self.float.nan == NanRule::First))
    }

    fn compute(&self, operands: &[Number], rounding: Rounding) -> Int {
        use Number::{Finite as Real, Infinite};
        let format = self.format;
        let (infinity, round) =
            (|sign| format.infinity(sign), |number: &Finite| format.round(number, rounding));
        let precision = format.fraction() + 1;
        match (self.float.op, operands) {
            (FloatOp::Add, [left, right]) => self.sum(left, right, rounding),
            (FloatOp::Sub, [left, right]) => self.sum(left, &negated(right), rounding),
            (FloatOp::Mul, [left, right]) => match product(left, right) {
                Some(Infinite { negative }) => infinity(negative),
                Some(Real(product)) => round(&product),
                _ => self.invalid(),
            },
            (FloatOp::MulAdd, [left, right, addend]) => match product(left, right) {
                Some(product) => self.sum(&product, addend, rounding),
                None => self.invalid(),
            },
            (FloatOp::Div, [Real(left), Real(right)]) if right.is_zero() => match left.is_zero() {
                true => self.invalid(),
                false => infinity(left.negative != right.negative),
            },
            (FloatOp::Div, [Real(left), Real(right)]) => round(&left.over(right, precision)),
            (FloatOp::Div, [Infinite { negative }, Real(right)]) => infinity(*negative != right.negative),
            (FloatOp::Div, [Real(left), Infinite { negative }]) => {
                round(&Finite::exact(left.negative != *negative, Int::ZERO, 0))
            }
            (FloatOp::Sqrt, [Real(of)]) if of.is_zero() || !of.negative => round(&of.square_root(precision)),
            (FloatOp::Sqrt | FloatOp::RoundToInt, [Infinite { negative: false }]) => infinity(false),
            (FloatOp::RoundToInt, [Infinite { negative }]) => infinity(*negative),
            (FloatOp::RoundToInt, [Real(of)]) => {
                let magnitude = round_at(&of.magnitude, -of.exponent, of.negative, rounding);
                round(&Finite::exact(of.negative, magnitude, 0))
            }
            _ => self.invalid(),
        }
    }

    fn sum(&self, left: &Number, right: &Number, rounding: Rounding) -> Int {
        match (left, right) {
            (Number::Infinite { negative: left }, Number::Infinite { negative: right }) if left != right => {
                self.invalid()
            }
            (Number::Infinite { negative }, _) | (_, Number::Infinite { negative }) => {
                self.format.infinity(*negative)
            }
            (Number::Finite(left), Number::Finite(right)) => {
                self.format.round(&left.plus(right, rounding), rounding)
            }
            _ => self.invalid(),
        }
    }

    fn convert(&self, of: &Number, rounding: Rounding) -> Int {
        let to = Format { exponent: self.float.target, width: self.width };
        match of {
            Number::Nan { pattern, .. } => {
                let negative = pattern >= &power(self.format.width - 1);
                let payload = pattern & (power(self.format.fraction()) - Int::ONE);
                let (from, fraction) = (self.format.fraction(), to.fraction());
                let payload: Int = match fraction >= from {
                    true => payload << (fraction - from) as usize,
                    false => payload >> (from - fraction) as usize,
                };
                match self.float.nan {
                    NanRule::Open => to.quiet(to.infinity(false)),
                    _ => to.quiet(to.infinity(negative) + payload),
                }
            }
            Number::Infinite { negative } => to.infinity(*negative),
            Number::Finite(number) => to.round(number, rounding),
        }
    }

    fn nearest_integer(&self, of: &Number, rounding: Rounding) -> Int {
        let Range { low: Some(low), high: Some(high) } = Range::of_width(self.width, self.float.target == 1)
        else {
            return Int::ZERO;
        };
        match of {
            Number::Nan { .. } => Int::ZERO,
            Number::Infinite { negative: true } => low,
            Number::Infinite { negative: false } => high,
            Number::Finite(number) => number.integer(rounding).clamp(low, high),
        }
    }

    fn value(&self, operands: &[Int]) -> Int {
        let (values, mode) = operands.split_at(self.float.op.arity());
        let mode = mode.first().and_then(|mode| u64::try_from(mode).ok());
        let rounding = Rounding::numbered(mode.unwrap_or(0));
        if self.float.op == FloatOp::FromInt {
            return self.format.round(&Finite::of(values[0].clone(), 0), rounding);
        }
        let numbers: Vec<Number> = values.iter().map(|pattern| self.format.read(pattern)).collect();
        let truth = |condition: bool| Int::from(u8::from(condition));
        let unordered = numbers.iter().any(|number| matches!(number, Number::Nan { .. }));
        match (self.float.op, numbers.as_slice()) {
            (FloatOp::Convert, [of]) => self.convert(of, rounding),
            (FloatOp::ToInt, [of]) => self.nearest_integer(of, rounding),
            (FloatOp::Unordered, _) => truth(unordered),
            (FloatOp::Eq | FloatOp::Lt | FloatOp::Le, _) if unordered => truth(false),
            (FloatOp::Eq, [..]) => truth(self.order(&values[0]) == self.order(&values[1])),
            (FloatOp::Lt, [..]) => truth(self.order(&values[0]) < self.order(&values[1])),
            (FloatOp::Le, [..]) => truth(self.order(&values[0]) <= self.order(&values[1])),
            (FloatOp::Min | FloatOp::Max, [..]) if !unordered => {
                // -0 is below +0 here.
                let key = |pattern: &Int| (self.order(pattern), pattern < &power(self.format.width - 1));
                let first_is_less = key(&values[0]) < key(&values[1]);
                values[usize::from(first_is_less != (self.float.op == FloatOp::Min))].clone()
            }
            (FloatOp::MulAdd, [left, right, addend]) if self.float.nan == NanRule::SignalingFirst => {
                let quiet = matches!(addend, Number::Nan { signaling: false, .. });
                let no_nan = |number: &Number| !matches!(number, Number::Nan { .. });
                if quiet && no_nan(left) && no_nan(right) && product(left, right).is_none() {
                    return self.invalid();
                }
                let by_precedence = [addend.clone(), left.clone(), right.clone()];
                self.nan(&by_precedence).unwrap_or_else(|| self.compute(&numbers, rounding))
            }
            (_, numbers) => self.nan(numbers).unwrap_or_else(|| self.compute(numbers, rounding)),
        }
    }

    /// A number that orders patterns as their values, both zeros alike.
    fn order(&self, pattern: &Int) -> Int {
        let sign = power(self.format.width - 1);
        if pattern >= &sign { sign - pattern } else { pattern.clone() }
    }
}

fn negated(number: &Number) -> Number {
    match number {
        Number::Infinite { negative } => Number::Infinite { negative: !negative },
        Number::Finite(finite) => Number::Finite(Finite { negative: !finite.negative, ..finite.clone() }),
        nan => nan.clone(),
    }
}

/// The exact product; `None` for an infinity times zero, and for NaNs.
fn product(left: &Number, right: &Number) -> Option<Number> {
    match (left, right) {
        (Number::Finite(left), Number::Finite(right)) => Some(Number::Finite(left.times(right))),
        (Number::Infinite { negative: left }, Number::Infinite { negative: right }) => {
            Some(Number::Infinite { negative: left != right })
        }
        (Number::Infinite { negative }, Number::Finite(finite))
        | (Number::Finite(finite), Number::Infinite { negative })
            if !finite.is_zero() =>
        {
            Some(Number::Infinite { negative: *negative != finite.negative })
        }
        _ => None,
    }
}

/// The value of an operator at bit patterns of `width` bits (an integer for [`FloatOp::FromInt`]) and a rounding mode:
/// a bit pattern of `value` bits, or the integer of [`FloatOp::ToInt`]. Approximations have no such value.
pub(super) fn evaluate(float: Float<u32>, width: u32, value: u32, operands: &[Int]) -> Int {
    let format = Format { exponent: float.exponent, width };
    Operation { float, format, width: value }.value(operands)
}

impl Dag {
    /// A floating-point operator. `width` is that of its floating-point operands in bits, of [`FloatOp::FromInt`] of the
    /// value; `value` is the value's. Operands are bit patterns, read unsigned, and where the operator rounds the
    /// mode.
    pub fn float(&mut self, float: Float<u32>, width: u32, value: u32, operands: &[NodeId]) -> NodeId {
        let mut operands: Box<[NodeId]> = operands.into();
        let float = if float.op.gives_nans() { float } else { float.open() };
        let literals: Option<Vec<Int>> = operands.iter().map(|id| self.as_int(*id).cloned()).collect();
        // An approximation of a literal is as unknown as any other.
        if let Some(literals) = literals.filter(|_| !float.op.approximates()) {
            let known = evaluate(float, width, value, &literals);
            let target = Format {
                exponent: if float.op == FloatOp::Convert { float.target } else { float.exponent },
                width: value,
            };
            let is_nan = float.op.gives_nans() && matches!(target.read(&known), Number::Nan { .. });
            if !(is_nan && float.nan == NanRule::Open) {
                return self.int(known);
            }
        }
        if float.commutes() && operands[1] < operands[0] {
            operands.swap(0, 1);
        }
        if float.op == FloatOp::Convert {
            let fraction = |exponent: u32, width: u32| width - 1 - exponent;
            let exact = float.target >= float.exponent
                && fraction(float.target, value) >= fraction(float.exponent, width);
            if exact {
                operands[1] = self.int(0);
            }
        }
        self.intern(Node::Float { float, width, value, operands })
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use super::*;
    use crate::Random;

    fn float(op: FloatOp, exponent: u32) -> Float<u32> {
        Float { op, nan: NanRule::First, exponent, target: 0 }
    }

    /// The machine's own arithmetic rounds to the nearest even number.
    #[test]
    fn values_are_the_machines() {
        let mut random = Random::new(1);
        let special = [0u64, 1, 0x7ff0 << 48, (0x7fef << 48) | ((1 << 48) - 1), 0x3ff0 << 48, 0x0010 << 48];
        let near = |random: &mut Random| match random.below(3) {
            0 => random.pick(&special) | random.word() << 63,
            // Numbers near each other, so that sums cancel.
            1 => 0x3ff0 << 48 | random.word() & 0x803f_ffff_0000_000f,
            _ => random.word(),
        };
        for _ in 0..20_000 {
            let [a, b, c] = [(); 3].map(|()| near(&mut random));
            let [x, y, z] = [a, b, c].map(f64::from_bits);
            let cases = [
                (FloatOp::Add, x + y),
                (FloatOp::Sub, x - y),
                (FloatOp::Mul, x * y),
                (FloatOp::Div, x / y),
                (FloatOp::Sqrt, x.sqrt()),
                (FloatOp::MulAdd, x.mul_add(y, z)),
                (FloatOp::RoundToInt, x.round_ties_even()),
            ];
            for (op, expected) in cases {
                if expected.is_nan() {
                    continue;
                }
                let values = [a, b, c].map(Int::from);
                let operands: Vec<Int> = values[..op.arity()].iter().cloned().chain([Int::ZERO]).collect();
                let found = evaluate(float(op, 11), 64, 64, &operands);
                assert_eq!(found, Int::from(expected.to_bits()), "{op:?} {a:x} {b:x} {c:x}");
            }
            let narrow = Float { target: 8, ..float(FloatOp::Convert, 11) };
            if !x.is_nan() {
                let found = evaluate(narrow, 64, 32, &[Int::from(a), Int::ZERO]);
                assert_eq!(found, Int::from((x as f32).to_bits()), "{a:x}");
            }
            let truncated = Float { target: 1, ..float(FloatOp::ToInt, 11) };
            let found = evaluate(truncated, 64, 32, &[Int::from(a), Int::from(3)]);
            assert_eq!(found, Int::from(x as i32), "{a:x}");
            let found = evaluate(float(FloatOp::FromInt, 8), 32, 32, &[Int::from(b as i64), Int::ZERO]);
            assert_eq!(found, Int::from((b as i64 as f32).to_bits()), "{b:x}");
            for (op, expected) in [(FloatOp::Eq, x == y), (FloatOp::Lt, x < y), (FloatOp::Le, x <= y)] {
                let found = evaluate(float(op, 11), 64, 1, &[Int::from(a), Int::from(b)]);
                assert_eq!(found, Int::from(u8::from(expected)), "{op:?} {a:x} {b:x}");
            }
        }
    }

    /// Rounds `steps / 2` for `steps` that `order` compares with a number: to a place in a table of numbers in order.
    fn place(table: &[i64], order: impl Fn(i64) -> Ordering, negative: bool, mode: Rounding) -> usize {
        let below = table[..table.len() - 1].iter().rposition(|number| order(2 * number).is_ge()).unwrap();
        if order(2 * table[below]).is_eq() {
            return below;
        }
        let middle = order(table[below] + table[below + 1]);
        let up = match mode {
            Rounding::NearestEven => middle.is_gt() || middle.is_eq() && below % 2 == 1,
            Rounding::NearestAway => middle.is_ge(),
            Rounding::Down => negative,
            Rounding::Up => !negative,
            Rounding::Zero => false,
            Rounding::Odd => below % 2 == 0,
        };
        below + usize::from(up)
    }

    /// The magnitudes of a format with 3 bits of exponent, in units of the least one: the last one is the infinity's.
    fn magnitudes(fraction: u32) -> Vec<i64> {
        let of = |pattern: i64| {
            let (biased, fraction) = (pattern >> fraction, (pattern & ((1 << fraction) - 1), 1 << fraction));
            if biased == 0 { fraction.0 } else { (fraction.0 + fraction.1) << (biased - 1) }
        };
        (0..=7 << fraction).map(of).collect()
    }

    /// All finite numbers of 6 bits, 2 of them fraction. The places in the table of magnitudes are the patterns.
    #[test]
    fn every_mode_rounds_to_a_neighbor_of_the_exact_value() {
        let table = magnitudes(2);
        let wide = magnitudes(3);
        let finite: Vec<(bool, usize)> =
            [false, true].into_iter().flat_map(|sign| (0..28).map(move |at| (sign, at))).collect();
        let pattern = |(negative, at): (bool, usize)| Int::from(at + if negative { 32 } else { 0 });
        for mode in 0..6u8 {
            let rounding = Rounding::numbered(u64::from(mode));
            let found = |op, operands: &[(bool, usize)]| {
                let operands = operands.iter().map(|number| pattern(*number)).chain([Int::from(mode)]);
                evaluate(float(op, 3), 6, 6, &operands.collect::<Vec<_>>())
            };
            // A value in units of the least magnitude times `unit`.
            let rounded = |value: i64, unit: i64, zero: bool| {
                let negative = if value == 0 { zero } else { value < 0 };
                let order = |steps: i64| (2 * value.abs()).cmp(&(steps * unit));
                pattern((negative, place(&table, order, negative, rounding)))
            };
            let number = |(negative, at): (bool, usize)| if negative { -table[at] } else { table[at] };
            for left in &finite {
                let x = number(*left);
                if x >= 0 {
                    let order = |steps: i64| (64 * x).cmp(&(steps * steps));
                    let root = if x == 0 { *left } else { (false, place(&table, order, false, rounding)) };
                    assert_eq!(found(FloatOp::Sqrt, &[*left]), pattern(root), "{rounding:?} {left:?}");
                }
                // A one is 16 units.
                let integers: Vec<i64> = (0..20).map(|number| 16 * number).collect();
                let order = |steps: i64| (2 * x.abs()).cmp(&steps);
                let integer = place(&integers, order, left.0, rounding);
                let at = table.binary_search(&integers[integer]).expect("a number of the format");
                assert_eq!(
                    found(FloatOp::RoundToInt, &[*left]),
                    pattern((left.0, at)),
                    "{rounding:?} {left:?}"
                );
                let integer = if left.0 { -(integer as i64) } else { integer as i64 };
                for (target, width) in [(1, 4), (0, 3), (1, 8)] {
                    let to_int = Float { target, ..float(FloatOp::ToInt, 3) };
                    let found = evaluate(to_int, 6, width, &[pattern(*left), Int::from(mode)]);
                    let greatest = (1 << (width - target)) - 1;
                    let least = if target == 1 { -greatest - 1 } else { 0 };
                    assert_eq!(found, Int::from(integer.clamp(least, greatest)), "{rounding:?} {left:?}");
                }
                for right in &finite {
                    let y = number(*right);
                    let sign = left.0 != right.0;
                    for (op, y, other) in [(FloatOp::Add, y, right.0), (FloatOp::Sub, -y, !right.0)] {
                        let zero = if left.0 == other { other } else { rounding == Rounding::Down };
                        assert_eq!(
                            found(op, &[*left, *right]),
                            rounded(x + y, 1, zero),
                            "{op:?} {left:?} {right:?}"
                        );
                    }
                    let product = found(FloatOp::Mul, &[*left, *right]);
                    assert_eq!(product, rounded(x * y, 16, sign), "{rounding:?} {left:?} {right:?}");
                    let addend = finite[(left.1 * 5 + right.1 * 3) % finite.len()];
                    let zero = if sign == addend.0 { sign } else { rounding == Rounding::Down };
                    let sum = found(FloatOp::MulAdd, &[*left, *right, addend]);
                    let exact = x * y + 16 * number(addend);
                    assert_eq!(sum, rounded(exact, 16, zero), "{rounding:?} {left:?} {right:?} {addend:?}");
                    if y != 0 {
                        let order = |steps: i64| (32 * x.abs()).cmp(&(steps * y.abs()));
                        let quotient = pattern((sign, place(&table, order, sign, rounding)));
                        let found = found(FloatOp::Div, &[*left, *right]);
                        assert_eq!(found, quotient, "{rounding:?} {left:?} {right:?}");
                    }
                }
            }
            for negative in [false, true] {
                for (at, magnitude) in wide.iter().enumerate().take(56) {
                    let order = |steps: i64| magnitude.cmp(&steps);
                    let narrow = pattern((negative, place(&table, order, negative, rounding)));
                    let convert = Float { target: 3, ..float(FloatOp::Convert, 3) };
                    let of = Int::from(at + if negative { 64 } else { 0 });
                    let found = evaluate(convert, 7, 6, &[of, Int::from(mode)]);
                    assert_eq!(found, narrow, "{rounding:?} {at} {negative}");
                }
            }
        }
    }

    /// All numbers of 6 bits, 2 of them fraction, and the infinities: magnitudes in order have patterns in order.
    #[test]
    fn extrema_and_comparisons_are_those_of_the_values() {
        let key = |pattern: i32| if pattern < 32 { (pattern, 1) } else { (32 - pattern, 0) };
        let patterns = || (0..=28).chain(32..=60);
        for (x, y) in patterns().flat_map(|x| patterns().map(move |y| (x, y))) {
            let found = |op, value| evaluate(float(op, 3), 6, value, &[Int::from(x), Int::from(y)]);
            let (least, greatest) = if key(x) < key(y) { (x, y) } else { (y, x) };
            assert_eq!(found(FloatOp::Min, 6), Int::from(least), "{x} and {y}");
            assert_eq!(found(FloatOp::Max, 6), Int::from(greatest), "{x} and {y}");
            // Both zeros are equal.
            let (left, right) = (key(x).0, key(y).0);
            for (op, holds) in
                [(FloatOp::Eq, left == right), (FloatOp::Lt, left < right), (FloatOp::Le, left <= right)]
            {
                assert_eq!(found(op, 1), Int::from(u8::from(holds)), "{op:?} of {x} and {y}");
            }
            assert_eq!(found(FloatOp::Unordered, 1), Int::ZERO);
        }
    }

    /// Two bits more than the precision, and one where the leading bits come out so.
    #[test]
    fn quotients_and_roots_have_the_bits_that_rounding_needs() {
        for (x, y) in (1..70).flat_map(|x| (1..70).map(move |y| (x, y))) {
            let [left, right] = [x, y].map(|magnitude| Finite::exact(false, Int::from(magnitude), -3));
            for precision in [8, 11, 24] {
                let (quotient, root) = (left.over(&right, precision), left.square_root(precision));
                let bits = |number: &Finite| number.magnitude.bit_len() as u32;
                assert!((precision + 2..=precision + 3).contains(&bits(&quotient)), "{x} / {y}");
                assert!((precision + 2..=precision + 3).contains(&bits(&root)), "the root of {x}");
            }
        }
    }

    #[test]
    fn a_nan_follows_its_rule() {
        let (quiet, signaling, one) = (0x7e01, 0xfc02, 0x3c00);
        let sum = |nan, operands: [i32; 2]| {
            let float = Float { nan, ..float(FloatOp::Add, 5) };
            evaluate(float, 16, 16, &[Int::from(operands[0]), Int::from(operands[1]), Int::ZERO])
        };
        assert_eq!(sum(NanRule::First, [quiet, signaling]), Int::from(quiet));
        assert_eq!(sum(NanRule::SignalingFirst, [quiet, signaling]), Int::from(0xfe02));
        assert_eq!(sum(NanRule::First, [one, signaling]), Int::from(0xfe02));
        // The least payload of a quiet NaN is none.
        assert_eq!(sum(NanRule::SignalingFirst, [0x7e01, 0xfe00]), Int::from(0x7e01));
        let infinities = [0x7c00, 0xfc00];
        assert_eq!(sum(NanRule::First, infinities), Int::from(0xfe00));
        assert_eq!(sum(NanRule::SignalingFirst, infinities), Int::from(0x7e00));
    }

    /// Half-precision numbers with their values; of the NaNs the second one is signaling.
    const SPECIAL: [(i32, f64); 8] = [
        (0x7e01, f64::NAN),
        (0xfc02, f64::NAN),
        (0x7c00, f64::INFINITY),
        (0xfc00, f64::NEG_INFINITY),
        (0x0000, 0.0),
        (0x8000, -0.0),
        (0x3c00, 1.0),
        (0xbc00, -1.0),
    ];

    /// The NaN that an operation makes of its operands by the rule; none where it has a value.
    fn expected_nan(op: FloatOp, nan: NanRule, operands: &[(i32, f64)]) -> Option<i32> {
        let default = if nan == NanRule::First { 0xfe00 } else { 0x7e00 };
        let values: Vec<f64> = operands.iter().map(|(_, value)| *value).collect();
        let result = match (op, values[..].first_chunk::<2>()) {
            (FloatOp::Add, Some([x, y])) => x + y,
            (FloatOp::Sub, Some([x, y])) => x - y,
            (FloatOp::Mul, Some([x, y])) => x * y,
            (FloatOp::Div, Some([x, y])) => x / y,
            (FloatOp::MulAdd, Some([x, y])) => x * y + values[2],
            // Neither has an invalid case.
            (FloatOp::Min | FloatOp::Max, Some([x, y])) => {
                if x.is_nan() {
                    *x
                } else {
                    *y
                }
            }
            (FloatOp::Sqrt, _) => values[0].sqrt(),
            _ => values[0],
        };
        if !result.is_nan() {
            return None;
        }
        let mut in_order = operands.to_vec();
        if (op, nan) == (FloatOp::MulAdd, NanRule::SignalingFirst) {
            in_order.rotate_right(1);
            let is_invalid = (values[0] * values[1]).is_nan() && !values[0].is_nan() && !values[1].is_nan();
            if is_invalid && operands[2].0 == 0x7e01 {
                return Some(default);
            }
        }
        let nans = || in_order.iter().filter(|(_, value)| value.is_nan()).map(|(pattern, _)| *pattern);
        let signaling = nans().find(|pattern| nan == NanRule::SignalingFirst && pattern & 0x200 == 0);
        Some(signaling.or_else(|| nans().next()).map_or(default, |pattern| pattern | 0x200))
    }

    #[test]
    fn nans_come_from_operands_and_from_operations_without_a_value() {
        let choices = |count: u32| {
            (0..8usize.pow(count)).map(move |choice| {
                (0..count).map(|place| SPECIAL[choice >> (3 * place) & 7]).collect::<Vec<_>>()
            })
        };
        let computes = |op: &FloatOp| op.gives_nans() && !op.converts() && !op.approximates();
        for op in FloatOp::NAMES.iter().map(|(op, _)| *op).filter(computes) {
            for nan in [NanRule::First, NanRule::SignalingFirst] {
                for operands in choices(op.arity() as u32) {
                    let patterns = operands.iter().map(|(pattern, _)| Int::from(*pattern));
                    let patterns: Vec<Int> = patterns.chain([Int::ZERO]).take(op.operands()).collect();
                    let found = evaluate(Float { nan, ..float(op, 5) }, 16, 16, &patterns);
                    let nan_of = i32::try_from(&found).ok().filter(|found| found & 0x7fff > 0x7c00);
                    assert_eq!(nan_of, expected_nan(op, nan, &operands), "{op:?} {nan:?} {operands:x?}");
                }
            }
        }
    }

    #[test]
    fn a_converted_nan_keeps_its_sign_and_the_upper_bits_of_its_payload() {
        let converted = |nan, [from, to]: [(u32, u32); 2], pattern: u32| {
            let float = Float { nan, target: to.0, ..float(FloatOp::Convert, from.0) };
            evaluate(float, from.1, to.1, &[Int::from(pattern), Int::ZERO])
        };
        let (half, brain, single) = ((5, 16), (8, 16), (8, 32));
        for (formats, pattern, expected) in [
            ([half, single], 0x7c01, 0x7fc0_2000u32),
            ([half, single], 0xfe80, 0xffd0_0000),
            ([single, half], 0x7f80_0001, 0x7e00),
            ([single, half], 0xff80_6001, 0xfe03),
            ([half, brain], 0x7c48, 0x7fc9),
            ([half, half], 0x7d03, 0x7f03),
        ] {
            assert_eq!(converted(NanRule::First, formats, pattern), Int::from(expected), "{pattern:x}");
            let open = if formats[1] == single {
                0x7fc0_0000u32
            } else if formats[1] == half {
                0x7e00
            } else {
                0x7fc0
            };
            assert_eq!(converted(NanRule::Open, formats, pattern), Int::from(open), "{pattern:x}");
        }
    }

    #[test]
    fn a_nan_that_is_left_open_is_no_literal() {
        let mut dag = Dag::new(vec![16]);
        let (zero, one, half) = (dag.int(0), dag.int(0x3c00), dag.int(0x3800));
        let quotient = |dag: &mut Dag, nan, operands: [NodeId; 2]| {
            let mode = dag.int(0);
            dag.float(Float { nan, ..float(FloatOp::Div, 5) }, 16, 16, &[operands[0], operands[1], mode])
        };
        let open = quotient(&mut dag, NanRule::Open, [zero, zero]);
        assert_eq!(dag.as_int(open), None);
        let default = quotient(&mut dag, NanRule::First, [zero, zero]);
        assert_eq!(dag.as_int(default), Some(&Int::from(0xfe00)));
        assert_eq!(quotient(&mut dag, NanRule::Open, [half, one]), half);
        // Integers and truth values are none.
        let nan = dag.int(0x7e00);
        for (op, value, expected) in [(FloatOp::Unordered, 1, 1), (FloatOp::Eq, 1, 0)] {
            let known = dag.float(Float { nan: NanRule::Open, ..float(op, 5) }, 16, value, &[nan, one]);
            assert_eq!(dag.as_int(known), Some(&Int::from(expected)), "{op:?}");
        }
        let to_int = Float { nan: NanRule::Open, target: 0, ..float(FloatOp::ToInt, 5) };
        let (huge, clamped, mode) = (dag.int(0x7bff), dag.int(0x7f), dag.int(0));
        assert_eq!(dag.float(to_int, 16, 7, &[huge, mode]), clamped);
    }

    #[test]
    fn a_conversion_that_is_exact_has_no_mode() {
        for (from, to, is_exact) in [
            ((5, 16), (8, 32), true),
            ((5, 16), (5, 16), true),
            ((8, 16), (8, 32), true),
            ((8, 32), (11, 64), true),
            ((5, 16), (8, 16), false),
            ((8, 16), (5, 16), false),
            ((8, 32), (8, 31), false),
            ((8, 32), (7, 32), false),
            ((8, 32), (5, 16), false),
        ] {
            let mut dag = Dag::new(vec![64, 8]);
            let (of, mode) = (dag.arg_slice(0, 0, from.1, false), dag.arg_slice(1, 0, 3, false));
            let convert = Float { target: to.0, ..float(FloatOp::Convert, from.0) };
            let made = dag.float(convert, from.1, to.1, &[of, mode]);
            let Node::Float { operands, .. } = dag.node(made) else { panic!("{}", dag.show(made)) };
            assert_eq!(operands[1] != mode, is_exact, "{from:?} to {to:?}");
        }
    }

    #[test]
    fn operands_are_exchanged_only_where_no_nan_tells_them_apart() {
        for (op, nan, is_exchanged) in [
            (FloatOp::Add, NanRule::Open, true),
            (FloatOp::MulAdd, NanRule::Open, true),
            (FloatOp::Min, NanRule::Open, true),
            (FloatOp::Add, NanRule::First, false),
            (FloatOp::Sub, NanRule::Open, false),
            (FloatOp::Eq, NanRule::First, true),
            (FloatOp::Lt, NanRule::First, false),
        ] {
            let mut dag = Dag::new(vec![16, 16, 16]);
            let [a, b, c] = [0, 1, 2].map(|arg| dag.arg_slice(arg, 0, 16, false));
            let value = if op.compares() { 1 } else { 16 };
            let mut of = |operands: [NodeId; 2]| {
                let rest = if op.rounds() { vec![c; op.operands() - 2] } else { Vec::new() };
                dag.float(Float { nan, ..float(op, 5) }, 16, value, &[&operands[..], &rest].concat())
            };
            assert_eq!(of([a, b]) == of([b, a]), is_exchanged, "{op:?} {nan:?}");
        }
    }
}
