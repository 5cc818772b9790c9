//! Floating-point operators on bit patterns, computed by LLVM's `APFloat` (`rustc_apfloat`).
//!
//! What a NaN becomes is decided on bits before anything is computed. Approximations have the correctly rounded value,
//! or a bound of what they may be.

use std::cmp::Ordering;

use hydride_ir::{ERROR_FRACTION, Float, FloatOp, NanRule, Rounding};
use rustc_apfloat::ieee::{BFloat, Double, Half, Quad, Single};
use rustc_apfloat::{Float as ApFloat, FloatConvert, Round, Status, StatusAnd};
use smallvec::SmallVec;

/// A floating-point operator with the widths of its operands and of its value in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FloatStep {
    pub(crate) float: Float<u32>,
    /// Width of the first operand.
    pub(crate) operand: u32,
    /// Width of the value.
    pub(crate) value: u32,
    /// What becomes of what the operator leaves open.
    pub(crate) choice: Choice,
}

/// What a program computes where operators leave a choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Choice {
    /// NaNs that are left open are positive with an empty payload; approximations have the correctly rounded value.
    #[default]
    Usual,
    /// NaNs that are left open have the other sign and the other payload bits: bits of results that differ from the usual
    /// ones are open.
    OtherNans,
    /// Approximations have the value with the least magnitude that their error allows.
    Least,
    /// Approximations have the value with the greatest magnitude that their error allows.
    Greatest,
    /// Approximations take subnormal operands as zeros, and have zeros where a value within the error is subnormal.
    Flushed,
}

/// The formats that are evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Half,
    BFloat,
    Single,
    Double,
}

impl Format {
    fn new(exponent: u32, width: u32) -> Option<Self> {
        match (exponent, width) {
            (5, 16) => Some(Self::Half),
            (8, 16) => Some(Self::BFloat),
            (8, 32) => Some(Self::Single),
            (11, 64) => Some(Self::Double),
            _ => None,
        }
    }

    fn width(self) -> u32 {
        match self {
            Self::Half | Self::BFloat => 16,
            Self::Single => 32,
            Self::Double => 64,
        }
    }

    fn fraction(self) -> u32 {
        match self {
            Self::Half => 10,
            Self::BFloat => 7,
            Self::Single => 23,
            Self::Double => 52,
        }
    }

    fn quiet_bit(self) -> u64 {
        1 << (self.fraction() - 1)
    }

    fn infinity(self) -> u64 {
        (1 << (self.width() - 1)) - (1 << self.fraction())
    }

    fn is_nan(self, bits: u64) -> bool {
        bits & !self.sign_bit() > self.infinity()
    }

    fn sign_bit(self) -> u64 {
        1 << (self.width() - 1)
    }

    fn is_signaling(self, bits: u64) -> bool {
        self.is_nan(bits) && bits & self.quiet_bit() == 0
    }

    /// The signaling NaN with all other payload bits.
    fn signaling_nan(self) -> u64 {
        self.infinity() | (self.quiet_bit() - 1)
    }
}

impl FloatStep {
    /// Whether the formats and widths are such that [`FloatStep::execute`] can be called.
    pub(crate) fn is_supported(&self) -> bool {
        let Float { op, exponent, target, .. } = self.float;
        let own = if op == FloatOp::FromInt { self.value } else { self.operand };
        let second = op != FloatOp::Convert || Format::new(target, self.value).is_some();
        let widest = if op == FloatOp::FromInt { 128 } else { 64 };
        Format::new(exponent, own).is_some() && second && self.operand <= widest && self.value <= 64
    }

    fn format(&self) -> Format {
        let own = if self.float.op == FloatOp::FromInt { self.value } else { self.operand };
        Format::new(self.float.exponent, own).unwrap_or(Format::Double)
    }

    /// The value at operands, the last of which is the rounding mode where there is one.
    pub(crate) fn execute(&self, operands: &[u128]) -> u64 {
        let (values, mode) = operands.split_at(self.float.op.arity());
        let rounding = Rounding::numbered(mode.first().copied().unwrap_or(0) as u64);
        if self.float.op == FloatOp::FromInt {
            return self.converted_integer(values[0], rounding);
        }
        let values: SmallVec<[u64; 3]> = values.iter().map(|value| *value as u64).collect();
        let values = values.as_slice();
        match self.format() {
            Format::Half => self.at::<Half>(values, rounding),
            Format::BFloat => self.at::<BFloat>(values, rounding),
            Format::Single => self.at::<Single>(values, rounding),
            Format::Double => self.at::<Double>(values, rounding),
        }
    }

    /// The NaN of an operation that has no value.
    fn default_nan(&self, format: Format) -> u64 {
        match self.float.nan {
            NanRule::Open if self.choice == Choice::OtherNans => format.sign_bit() | format.signaling_nan(),
            NanRule::First => format.sign_bit() | format.infinity() | format.quiet_bit(),
            NanRule::Open | NanRule::SignalingFirst => format.infinity() | format.quiet_bit(),
        }
    }

    fn converted_integer(&self, integer: u128, rounding: Rounding) -> u64 {
        match self.format() {
            Format::Half => self.converted_to::<Half>(integer, rounding),
            Format::BFloat => self.converted_to::<BFloat>(integer, rounding),
            Format::Single => self.converted_to::<Single>(integer, rounding),
            Format::Double => self.converted_to::<Double>(integer, rounding),
        }
    }

    fn converted_to<F: ApFloat>(&self, integer: u128, rounding: Rounding) -> u64 {
        let unused = 128 - self.operand;
        match self.float.target == 1 {
            true => rounded(rounding, |round| F::from_i128_r((integer as i128) << unused >> unused, round)),
            false => rounded(rounding, |round| F::from_u128_r(integer, round)),
        }
    }

    /// The NaN that an operand makes the value, if one does.
    fn nan(&self, values: &[u64]) -> Option<u64> {
        let format = self.format();
        if self.float.nan == NanRule::Open && values.iter().any(|bits| format.is_nan(*bits)) {
            return Some(self.default_nan(format));
        }
        let order: &[usize] = match (self.float.op, self.float.nan) {
            (FloatOp::MulAdd, NanRule::SignalingFirst) => &[2, 0, 1],
            _ => &[0, 1, 2],
        };
        let in_order = || order.iter().filter_map(|place| values.get(*place)).copied();
        let first = in_order().find(|bits| format.is_nan(*bits))?;
        let signaling = in_order().find(|bits| format.is_signaling(*bits));
        Some(match (self.float.nan, signaling) {
            (NanRule::SignalingFirst, Some(signaling)) => signaling | format.quiet_bit(),
            (NanRule::SignalingFirst, None) if self.adds_quiet_to_invalid(values) => self.default_nan(format),
            _ => first | format.quiet_bit(),
        })
    }

    /// Whether a quiet NaN is added to an infinity times zero.
    fn adds_quiet_to_invalid(&self, values: &[u64]) -> bool {
        let (FloatOp::MulAdd, [left, right, _]) = (self.float.op, values) else { return false };
        let format = self.format();
        let [left, right] = [left, right].map(|bits| bits & !format.sign_bit());
        let infinity = format.infinity();
        left == infinity && right == 0 || left == 0 && right == infinity
    }

    fn at<F>(&self, values: &[u64], rounding: Rounding) -> u64
    where
        F: ApFloat + FloatConvert<Half> + FloatConvert<BFloat> + FloatConvert<Single> + FloatConvert<Double>,
        Double: FloatConvert<F>,
        Quad: FloatConvert<F>,
    {
        let op = self.float.op;
        let numbers: Vec<F> = values.iter().map(|bits| F::from_bits(u128::from(*bits))).collect();
        match op {
            FloatOp::ToInt => return self.nearest_integer(numbers[0], rounding),
            FloatOp::Eq => return u64::from(numbers[0] == numbers[1]),
            FloatOp::Lt => return u64::from(numbers[0] < numbers[1]),
            FloatOp::Le => return u64::from(numbers[0] <= numbers[1]),
            FloatOp::Unordered => return u64::from(numbers.iter().any(|number| number.is_nan())),
            FloatOp::Convert => return self.convert(values[0], numbers[0], rounding),
            _ => {}
        }
        if let Some(nan) = self.nan(values) {
            return nan;
        }
        let result = match (op, numbers.as_slice()) {
            (FloatOp::Min | FloatOp::Max, [left, right]) => {
                let below = match left.partial_cmp(right) {
                    Some(order) if order.is_ne() => order.is_lt(),
                    _ => left.is_negative(),
                };
                return values[usize::from(below != (op == FloatOp::Min))];
            }
            (FloatOp::Add, &[left, right]) => rounded(rounding, |round| left.add_r(right, round)),
            (FloatOp::Sub, &[left, right]) => rounded(rounding, |round| left.sub_r(right, round)),
            (FloatOp::Mul, &[left, right]) => rounded(rounding, |round| left.mul_r(right, round)),
            (FloatOp::Div, &[left, right]) => rounded(rounding, |round| left.div_r(right, round)),
            (FloatOp::MulAdd, &[left, right, addend]) => {
                rounded(rounding, |round| left.mul_add_r(right, addend, round))
            }
            (FloatOp::RoundToInt, &[of]) => integral(of, rounding).to_bits() as u64,
            (FloatOp::Sqrt, &[of]) => square_root(of, rounding),
            (FloatOp::Reciprocal | FloatOp::ReciprocalSqrt, &[of]) => self.approximation(of),
            _ => 0,
        };
        if self.format().is_nan(result) { self.default_nan(self.format()) } else { result }
    }

    /// An approximation at a number: the bits that the choice says.
    fn approximation<F>(&self, of: F) -> u64
    where
        F: ApFloat + FloatConvert<Double>,
        Double: FloatConvert<F>,
        Quad: FloatConvert<F>,
    {
        let format = self.format();
        let is_root = self.float.op == FloatOp::ReciprocalSqrt;
        let sign = if of.is_negative() { format.sign_bit() } else { 0 };
        if of.is_zero() || self.choice == Choice::Flushed && of.is_denormal() {
            return sign | format.infinity();
        }
        if is_root && of.is_negative() {
            return F::qnan(None).to_bits() as u64;
        }
        if of.is_infinite() {
            return sign;
        }
        let of = wide(of.abs());
        let one = Quad::from_u128(1).value;
        // How far a square is from the root's, relative to it.
        let excess = |number: Quad| (number * number).value.mul_add(quad(of), -one).value;
        let exact = match is_root {
            // Quad has enough bits for a quotient of doubles to be rounded twice.
            false => (one / quad(of)).value,
            true => placed(1.0 / of.sqrt(), |number| excess(number).partial_cmp(&Quad::ZERO)),
        };
        let magnitude = |number: Quad, rounding: Rounding| converted::<Quad, F>(number, rounding);
        let error = Quad::from_u128(u128::from(self.float.target)).value.scalbn(-(ERROR_FRACTION as i32));
        let correction = if is_root { (exact * excess(exact)).value.scalbn(-1) } else { Quad::ZERO };
        let center = (exact - correction).value;
        let apart = (center * error).value;
        let least = || magnitude((center - apart).value, Rounding::Up).min(magnitude(exact, Rounding::Down));
        sign | match self.choice {
            Choice::Least => least(),
            Choice::Greatest => {
                magnitude((center + apart).value, Rounding::Down).max(magnitude(exact, Rounding::Up))
            }
            Choice::Flushed if least() >> format.fraction() == 0 => 0,
            _ => magnitude(exact, Rounding::NearestEven),
        }
    }

    fn convert<F>(&self, bits: u64, number: F, rounding: Rounding) -> u64
    where
        F: ApFloat + FloatConvert<Half> + FloatConvert<BFloat> + FloatConvert<Single> + FloatConvert<Double>,
    {
        let from = self.format();
        let to = Format::new(self.float.target, self.value).unwrap_or(from);
        if from.is_nan(bits) {
            let payload = bits & ((1 << from.fraction()) - 1);
            let payload = match to.fraction().checked_sub(from.fraction()) {
                Some(more) => payload << more,
                None => payload >> (from.fraction() - to.fraction()),
            };
            let sign = if bits & from.sign_bit() == 0 { 0 } else { to.sign_bit() };
            return match self.float.nan {
                NanRule::Open => self.default_nan(to),
                _ => sign | to.infinity() | to.quiet_bit() | payload,
            };
        }
        match to {
            Format::Half => converted::<F, Half>(number, rounding),
            Format::BFloat => converted::<F, BFloat>(number, rounding),
            Format::Single => converted::<F, Single>(number, rounding),
            Format::Double => converted::<F, Double>(number, rounding),
        }
    }

    /// The nearest integer within the value's range.
    fn nearest_integer(&self, number: impl ApFloat, rounding: Rounding) -> u64 {
        if number.is_nan() {
            return 0;
        }
        let width = self.value as usize;
        let mask = u64::MAX >> (64 - self.value);
        let integral = integral(number, rounding);
        let mut exact = false;
        let value = match self.float.target == 1 {
            true => integral.to_i128_r(width, Round::TowardZero, &mut exact).value as u64,
            false => integral.to_u128_r(width, Round::TowardZero, &mut exact).value as u64,
        };
        value & mask
    }
}

fn round_of(rounding: Rounding) -> Round {
    match rounding {
        Rounding::NearestEven => Round::NearestTiesToEven,
        Rounding::Down => Round::TowardNegative,
        Rounding::Up => Round::TowardPositive,
        Rounding::Zero | Rounding::Odd => Round::TowardZero,
        Rounding::NearestAway => Round::NearestTiesToAway,
    }
}

/// The nearest integer.
fn integral<F: ApFloat>(number: F, rounding: Rounding) -> F {
    let StatusAnd { value, status } = number.round_to_integral(round_of(rounding));
    // An inexact value has less than 2^precision, so that the next even one is an integer.
    let is_even = || value.to_i128_r(128, Round::TowardZero, &mut false).value % 2 == 0;
    if rounding != Rounding::Odd || !status.contains(Status::INEXACT) || !is_even() {
        return value;
    }
    let away = if number.is_negative() { Round::TowardNegative } else { Round::TowardPositive };
    number.round_to_integral(away).value
}

/// The bits of what is computed with a rounding mode; to odd by truncation.
fn rounded<F: ApFloat>(rounding: Rounding, compute: impl Fn(Round) -> StatusAnd<F>) -> u64 {
    let StatusAnd { value, status } = compute(round_of(rounding));
    let odd = u64::from(rounding == Rounding::Odd && status.contains(Status::INEXACT));
    value.to_bits() as u64 | odd
}

fn converted<F: FloatConvert<T>, T: ApFloat>(number: F, rounding: Rounding) -> u64 {
    rounded(rounding, |round| number.convert_r(round, &mut false))
}

/// The square root: the machine's own, corrected in a format that holds its square.
fn square_root<F>(of: F, rounding: Rounding) -> u64
where
    F: ApFloat + FloatConvert<Double>,
    Double: FloatConvert<F>,
    Quad: FloatConvert<F>,
{
    if of.is_zero() || of.is_pos_infinity() {
        return of.to_bits() as u64;
    }
    if of.is_negative() {
        return F::qnan(None).to_bits() as u64;
    }
    let of = wide(of);
    let radicand = quad(of);
    let root = placed(of.sqrt(), |number| (number * number).value.partial_cmp(&radicand));
    converted::<Quad, F>(root, rounding)
}

/// A number that every format up to double rounds as it rounds an exact one, of which `near` is an approximation and
/// `order` how a number compares with it.
fn placed(near: f64, order: impl Fn(Quad) -> Option<Ordering>) -> Quad {
    let is_above = |number: f64| order(quad(number)) == Some(Ordering::Greater);
    // The greatest double that is not above the exact number.
    let mut low = near;
    while is_above(low) {
        low = low.next_down();
    }
    while !is_above(low.next_up()) {
        low = low.next_up();
    }
    let unit = (quad(low.next_up()) - quad(low)).value;
    let quarter = unit.scalbn(-2);
    let middle = (quad(low) + unit.scalbn(-1)).value;
    // Any number between the same neighbors among doubles and their midpoints rounds as the exact one does.
    match order(quad(low)) {
        Some(Ordering::Equal) => quad(low),
        _ if order(middle) == Some(Ordering::Greater) => (middle - quarter).value,
        _ => (middle + quarter).value,
    }
}

fn wide(number: impl FloatConvert<Double>) -> f64 {
    let wide: Double = number.convert(&mut false).value;
    f64::from_bits(wide.to_bits() as u64)
}

fn quad(number: f64) -> Quad {
    FloatConvert::<Quad>::convert(Double::from_bits(u128::from(number.to_bits())), &mut false).value
}
