//! Floating-point operators on bit patterns, computed by LLVM's `APFloat` (`rustc_apfloat`).
//!
//! What a NaN becomes is decided on bits before anything is computed.

use hydride_ir::{Float, FloatOp, NanRule, Rounding};
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
    /// Whether open NaNs are the other ones: see [`Program::with_other_nans`](crate::Program::with_other_nans).
    pub(crate) other_nans: bool,
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
            NanRule::Open if self.other_nans => format.sign_bit() | format.signaling_nan(),
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
            _ => 0,
        };
        if self.format().is_nan(result) { self.default_nan(self.format()) } else { result }
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
    let wide: Double = of.convert(&mut false).value;
    let near = f64::from_bits(wide.to_bits() as u64).sqrt();
    let quad = |number: f64| -> Quad {
        FloatConvert::<Quad>::convert(Double::from_bits(u128::from(number.to_bits())), &mut false).value
    };
    let square = |number: Quad| (number * number).value;
    let radicand: Quad = quad(f64::from_bits(wide.to_bits() as u64));
    // The greatest double that is not above the root.
    let low = if square(quad(near)) > radicand { near.next_down() } else { near };
    let unit = (quad(low.next_up()) - quad(low)).value;
    let quarter = unit.scalbn(-2);
    let middle = (quad(low) + unit.scalbn(-1)).value;
    let root = match square(quad(low)) == radicand {
        true => quad(low),
        // Any number between the same neighbors among doubles and their midpoints rounds as the root does.
        false if square(middle) > radicand => (middle - quarter).value,
        false => (middle + quarter).value,
    };
    converted::<Quad, F>(root, rounding)
}
