/// Floating-point numbers are computed with integers, in any format with a sign bit, 2 to 15 bits of exponent and at most
/// 55 of fraction. Rounding modes: 0 nearest even, 1 down, 2 up, 3 toward zero, 4 nearest away from zero, 5 odd. Rules for
/// a NaN as the result: 1 for x86's, 2 for Arm's; 0 leaves the choice open, and here it is the positive one without payload.
#[derive(Clone, Copy)]
struct Number {
    bits: u64,
    sign: bool,
    nan: bool,
    infinite: bool,
    /// The magnitude of a number is `significand * 2^scale`.
    significand: u64,
    scale: i64,
}

impl Number {
    fn is_zero(self) -> bool {
        !self.nan && !self.infinite && self.significand == 0
    }
}

#[derive(Clone, Copy)]
struct Format {
    exponent: i64,
    width: i64,
    fraction: i64,
    bias: i64,
    infinity: u64,
    quiet: u64,
}

impl Format {
    fn new(exponent: i64, width: i64) -> Self {
        let fraction = width - 1 - exponent;
        let infinity = mask(exponent) << fraction;
        Self { exponent, width, fraction, bias: mask(exponent - 1).cast_signed(), infinity, quiet: 1 << (fraction - 1) }
    }

    fn unpack(self, x: u64) -> Number {
        let (biased, rest) = (x >> self.fraction & mask(self.exponent), x & mask(self.fraction));
        let special = biased == mask(self.exponent);
        let (nan, infinite) = (special && rest != 0, special && rest == 0);
        let mut number = Number {
            bits: x,
            sign: sign(x, self.width),
            nan,
            infinite,
            significand: rest,
            scale: 1 - self.bias - self.fraction,
        };
        if !special && biased != 0 {
            number.significand |= 1 << self.fraction;
            number.scale += biased.cast_signed() - 1;
        }
        number
    }

    fn signed(self, sign: bool, magnitude: u64) -> u64 {
        u64::from(sign) << (self.width - 1) | magnitude
    }

    /// The number `x * 2^scale`.
    fn pack(self, sign: bool, x: u128, scale: i64, mode: u64) -> u64 {
        if x == 0 {
            return self.signed(sign, 0);
        }
        let zeros = x.leading_zeros();
        let x = x << zeros;
        let high = (x >> 64) as u64 | u64::from(x as u64 != 0);
        let above = scale - i64::from(zeros) + 127 - (1 - self.bias);
        let mut bits = self.infinity;
        if above < 2 * self.bias {
            bits = rounded(high, 63 - self.fraction + (-above).max(0), sign, mode);
            bits += if above < 0 { 0 } else { above.cast_unsigned() << self.fraction };
        }
        if bits >= self.infinity {
            let finite = mode == 3 || mode == 5 || mode == 1 && !sign || mode == 2 && sign;
            bits = self.infinity - u64::from(finite);
        }
        self.signed(sign, bits)
    }

    fn no_number(self, rule: i64) -> u64 {
        self.signed(rule == 1, self.infinity | self.quiet)
    }

    /// The NaN that an operand makes the result, if one does.
    fn nan(self, x: &[Number], rule: i64) -> Option<u64> {
        let signaling = x.iter().find(|number| rule == 2 && number.nan && number.bits & self.quiet == 0);
        let chosen = signaling.or_else(|| x.iter().find(|number| number.nan))?;
        Some(if rule == 0 { self.no_number(rule) } else { chosen.bits | self.quiet })
    }

    /// `a * b + c`, none of which is a NaN.
    fn sum(self, a: Number, b: Number, c: Number, mode: u64, rule: i64) -> u64 {
        let infinite = a.infinite || b.infinite;
        let mut sign = a.sign != b.sign;
        if infinite && (a.is_zero() || b.is_zero() || c.infinite && sign != c.sign) {
            return self.no_number(rule);
        }
        if infinite {
            return self.signed(sign, self.infinity);
        }
        if c.infinite {
            return c.bits;
        }
        let (mut x, mut y) = (u128::from(a.significand) * u128::from(b.significand), u128::from(c.significand));
        let (mut x_scale, mut y_scale) = (a.scale + b.scale, c.scale);
        match (x, y) {
            (0, 0) => return self.signed(if sign == c.sign { sign } else { mode == 1 }, 0),
            (0, _) => return self.pack(c.sign, y, y_scale, mode),
            (_, 0) => return self.pack(sign, x, x_scale, mode),
            _ => {}
        }
        for (x, scale) in [(&mut x, &mut x_scale), (&mut y, &mut y_scale)] {
            let more = x.leading_zeros() - 1;
            *x <<= more;
            *scale -= i64::from(more);
        }
        let same = sign == c.sign;
        if (x_scale, x) < (y_scale, y) {
            (x, x_scale, y, y_scale) = (y, y_scale, x, x_scale);
            sign = c.sign;
        }
        let drop = x_scale - y_scale;
        let rest = if drop < 128 { y & ((1 << drop) - 1) } else { y };
        y = if drop < 128 { y >> drop } else { 0 } | u128::from(rest != 0);
        x = if same { x + y } else { x - y };
        self.pack(if x == 0 { mode == 1 } else { sign }, x, x_scale, mode)
    }

    fn sum_of(self, a: Number, mut b: Number, flip: bool, mode: u64, rule: i64) -> u64 {
        if let Some(nan) = self.nan(&[a, b], rule) {
            return nan;
        }
        b.sign ^= flip;
        b.bits ^= u64::from(flip) << (self.width - 1);
        let one = Number { bits: 0, sign: false, nan: false, infinite: false, significand: 1, scale: 0 };
        self.sum(a, one, b, mode, rule)
    }

    fn below(self, a: Number, b: Number) -> bool {
        let (x, y) = (low(a.bits, self.width - 1), low(b.bits, self.width - 1));
        match (a.sign, b.sign) {
            (false, false) => x < y,
            (true, true) => y < x,
            (a_sign, _) => a_sign && (x | y) != 0,
        }
    }

    /// The smaller operand, or the other one.
    fn extremum(self, a: u64, b: u64, least: bool, rule: i64) -> u64 {
        let (x, y) = (self.unpack(a), self.unpack(b));
        if let Some(nan) = self.nan(&[x, y], rule) {
            return nan;
        }
        let first = self.below(x, y) || !self.below(y, x) && x.sign;
        if first == least { a } else { b }
    }
}

/// A magnitude without its lowest bits, of which there is at least one.
fn rounded(x: u64, drop: i64, sign: bool, mode: u64) -> u64 {
    let kept = if drop < 64 { x >> drop } else { 0 };
    let half = drop <= 64 && x >> (drop - 1) & 1 == 1;
    let rest = if drop <= 64 { x & mask(drop - 1) != 0 } else { x != 0 };
    let up = match mode {
        1 => (half || rest) && sign,
        2 => (half || rest) && !sign,
        3 => false,
        4 => half,
        5 => (half || rest) && kept & 1 == 0,
        _ => half && (rest || kept & 1 == 1),
    };
    kept + u64::from(up)
}

pub fn fma(a: u64, b: u64, c: u64, mode: u64, exponent: i64, width: i64, rule: i64) -> u64 {
    let format = Format::new(exponent, width);
    let (x, y, z) = (format.unpack(a), format.unpack(b), format.unpack(c));
    let invalid = x.infinite && y.is_zero() || x.is_zero() && y.infinite;
    if rule == 2 && invalid && z.nan && c & format.quiet != 0 {
        return format.no_number(rule);
    }
    let order = if rule == 2 { [z, x, y] } else { [x, y, z] };
    format.nan(&order, rule).unwrap_or_else(|| format.sum(x, y, z, mode, rule))
}

pub fn fadd(a: u64, b: u64, mode: u64, exponent: i64, width: i64, rule: i64) -> u64 {
    let format = Format::new(exponent, width);
    format.sum_of(format.unpack(a), format.unpack(b), false, mode, rule)
}

pub fn fsub(a: u64, b: u64, mode: u64, exponent: i64, width: i64, rule: i64) -> u64 {
    let format = Format::new(exponent, width);
    format.sum_of(format.unpack(a), format.unpack(b), true, mode, rule)
}

pub fn fmul(a: u64, b: u64, mode: u64, exponent: i64, width: i64, rule: i64) -> u64 {
    let format = Format::new(exponent, width);
    let (x, y) = (format.unpack(a), format.unpack(b));
    let zero =
        Number { bits: 0, sign: x.sign != y.sign, nan: false, infinite: false, significand: 0, scale: 0 };
    format.nan(&[x, y], rule).unwrap_or_else(|| format.sum(x, y, zero, mode, rule))
}

pub fn fdiv(a: u64, b: u64, mode: u64, exponent: i64, width: i64, rule: i64) -> u64 {
    let format = Format::new(exponent, width);
    let (x, y) = (format.unpack(a), format.unpack(b));
    if let Some(nan) = format.nan(&[x, y], rule) {
        return nan;
    }
    let sign = x.sign != y.sign;
    if x.infinite && y.infinite || x.is_zero() && y.is_zero() {
        return format.no_number(rule);
    }
    if x.infinite || y.is_zero() {
        return format.signed(sign, format.infinity);
    }
    if y.infinite || x.is_zero() {
        return format.signed(sign, 0);
    }
    let more = x.significand.leading_zeros();
    let dividend = u128::from(x.significand << more) << 63;
    let divisor = u128::from(y.significand);
    let quotient = dividend / divisor << 1 | u128::from(dividend % divisor != 0);
    format.pack(sign, quotient, x.scale - y.scale - i64::from(more) - 64, mode)
}

pub fn fsqrt(a: u64, mode: u64, exponent: i64, width: i64, rule: i64) -> u64 {
    let format = Format::new(exponent, width);
    let x = format.unpack(a);
    if let Some(nan) = format.nan(&[x], rule) {
        return nan;
    }
    if x.is_zero() || x.infinite && !x.sign {
        return a;
    }
    if x.sign {
        return format.no_number(rule);
    }
    let more = u128::from(x.significand).leading_zeros() - 2;
    let more = more - u32::from((x.scale - i64::from(more)) % 2 != 0);
    let square = u128::from(x.significand) << more;
    let root = square.isqrt();
    let inexact = u128::from(root * root != square);
    format.pack(false, root << 1 | inexact, (x.scale - i64::from(more)) / 2 - 1, mode)
}

pub fn funordered(a: u64, b: u64, exponent: i64, width: i64) -> u64 {
    let format = Format::new(exponent, width);
    u64::from(format.unpack(a).nan || format.unpack(b).nan)
}

pub fn flt(a: u64, b: u64, exponent: i64, width: i64) -> u64 {
    let format = Format::new(exponent, width);
    let ordered = funordered(a, b, exponent, width) == 0;
    u64::from(ordered && format.below(format.unpack(a), format.unpack(b)))
}

pub fn fle(a: u64, b: u64, exponent: i64, width: i64) -> u64 {
    u64::from(funordered(a, b, exponent, width) == 0 && flt(b, a, exponent, width) == 0)
}

pub fn feq(a: u64, b: u64, exponent: i64, width: i64) -> u64 {
    fle(a, b, exponent, width) & fle(b, a, exponent, width)
}

pub fn fmin(a: u64, b: u64, exponent: i64, width: i64, rule: i64) -> u64 {
    Format::new(exponent, width).extremum(a, b, true, rule)
}

pub fn fmax(a: u64, b: u64, exponent: i64, width: i64, rule: i64) -> u64 {
    Format::new(exponent, width).extremum(a, b, false, rule)
}

pub fn fround(a: u64, mode: u64, exponent: i64, width: i64, rule: i64) -> u64 {
    let format = Format::new(exponent, width);
    let x = format.unpack(a);
    if let Some(nan) = format.nan(&[x], rule) {
        return nan;
    }
    if x.infinite || x.scale >= 0 {
        return a;
    }
    format.pack(x.sign, u128::from(rounded(x.significand, -x.scale, x.sign, mode)), 0, mode)
}

pub fn fconvert(a: u64, mode: u64, exponent: i64, width: i64, target: i64, to: i64, rule: i64) -> u64 {
    let (format, other) = (Format::new(exponent, width), Format::new(target, to));
    let x = format.unpack(a);
    if x.nan && rule == 0 {
        return other.no_number(rule);
    }
    if x.nan {
        let more = other.fraction - format.fraction;
        let payload = if more < 0 { x.significand >> -more } else { x.significand << more };
        return other.signed(x.sign, other.infinity | other.quiet | payload);
    }
    if x.infinite {
        return other.signed(x.sign, other.infinity);
    }
    other.pack(x.sign, u128::from(x.significand), x.scale, mode)
}

pub fn ftoint(a: u64, mode: u64, exponent: i64, width: i64, signed: i64, to: i64) -> u64 {
    let x = Format::new(exponent, width).unpack(a);
    let most = match (signed != 0, x.sign) {
        (true, sign) => mask(to - 1) + u64::from(sign),
        (false, true) => 0,
        (false, false) => mask(to),
    };
    let magnitude = match x.scale {
        _ if x.nan => return 0,
        _ if x.infinite => most,
        ..0 => rounded(x.significand, -x.scale, x.sign, mode),
        0..64 => u64::try_from(u128::from(x.significand) << x.scale).unwrap_or(most),
        _ if x.significand == 0 => 0,
        _ => most,
    };
    let magnitude = magnitude.min(most);
    if x.sign { neg(magnitude, to) } else { magnitude }
}

pub fn ffromint(a: u64, mode: u64, exponent: i64, width: i64, signed: i64, from: i64) -> u64 {
    let negative = signed != 0 && sign(a, from);
    let magnitude = if negative { neg(a, from) } else { a };
    Format::new(exponent, width).pack(negative, u128::from(magnitude), 0, mode)
}
