//! What LLVM's operators make of sets of numbers. The results hold every number that operands from the sets give where that
//! is not poison; `None` where there is none.

use refine::ast::Flags;

use super::Facts;
use crate::element::{One, Two, ones, signed};

/// Bounds that are moved into others.
type Bounds = (i128, i128);

fn unsigned(of: Facts) -> Bounds {
    let (low, high) = of.unsigned();
    (i128::from(low), i128::from(high))
}

fn with_sign(of: Facts) -> Bounds {
    let (low, high) = of.signed();
    (i128::from(low), i128::from(high))
}

/// The least and the greatest number of a width.
fn limits(width: u32, is_signed: bool) -> Bounds {
    let all = i128::from(ones(width));
    if is_signed { (-(all >> 1) - 1, all >> 1) } else { (0, all) }
}

/// The whole numbers between bounds that a width has.
fn inside(width: u32, is_signed: bool, (low, high): Bounds) -> Option<Facts> {
    let (least, greatest) = limits(width, is_signed);
    let (low, high) = (low.max(least), high.min(greatest));
    (low <= high).then(|| Facts::whole(width, low, high))
}

/// Bounds whose ends outside of a width are its own.
fn clamped(width: u32, is_signed: bool, (low, high): Bounds) -> Facts {
    let (least, greatest) = limits(width, is_signed);
    Facts::whole(width, low.clamp(least, greatest), high.clamp(least, greatest))
}

fn sum((a, b): Bounds, (c, d): Bounds) -> Bounds {
    (a + c, b + d)
}

fn difference((a, b): Bounds, (c, d): Bounds) -> Bounds {
    (a - d, b - c)
}

/// `None` beyond 128 bits.
fn product((a, b): Bounds, (c, d): Bounds) -> Option<Bounds> {
    let all = [(a, c), (a, d), (b, c), (b, d)].map(|(x, y)| x.checked_mul(y));
    let all: Vec<i128> = all.into_iter().collect::<Option<_>>()?;
    Some((*all.iter().min()?, *all.iter().max()?))
}

/// The operators that are instructions, with their flags. What is undefined is as poison.
pub fn binary(name: &str, flags: Flags, a: Facts, b: Facts) -> Option<Facts> {
    let width = a.width;
    let Some(operator) = Two::named(name).filter(|own| !own.is_intrinsic()) else {
        return divided(name, a, b);
    };
    let known = two(operator, a, b)?;
    let bounds = |is_signed: bool| {
        let (a, b) = if is_signed { (with_sign(a), with_sign(b)) } else { (unsigned(a), unsigned(b)) };
        match operator {
            Two::Add => Some(sum(a, b)),
            Two::Sub => Some(difference(a, b)),
            Two::Mul => product(a, b),
            _ => None,
        }
    };
    let mut known = known;
    for (is_set, is_signed) in [(flags.nuw, false), (flags.nsw, true)] {
        if let (true, Some(bounds)) = (is_set, bounds(is_signed)) {
            known = known.meet(inside(width, is_signed, bounds)?)?;
        }
    }
    Some(known)
}

fn divided(name: &str, a: Facts, b: Facts) -> Option<Facts> {
    let (width, (low, high), (least, most)) = (a.width, a.unsigned(), b.unsigned());
    let is_positive = a.signed().0 >= 0 && b.signed().0 >= 0;
    match name {
        "udiv" | "sdiv" if name == "udiv" || is_positive => {
            (most > 0).then(|| Facts::between(width, low / most, high / least.max(1)))
        }
        "urem" | "srem" if name == "urem" || is_positive => {
            let rest = Facts::between(width, 0, high.min(most.checked_sub(1)?));
            match b.single().filter(|by| by.is_power_of_two()) {
                Some(by) => two(Two::And, a, Facts::point(width, by - 1)),
                None => Some(rest),
            }
        }
        // A remainder has its dividend's sign, and is no greater.
        "srem" => inside(width, true, (with_sign(a).0.min(0), with_sign(a).1.max(0))),
        _ => Some(Facts::all(width)),
    }
}

/// An operator on two numbers of one width.
pub fn two(operator: Two, a: Facts, b: Facts) -> Option<Facts> {
    let width = a.width;
    let both = |is_signed: bool| {
        if is_signed { (with_sign(a), with_sign(b)) } else { (unsigned(a), unsigned(b)) }
    };
    let least = |(x, y): (Bounds, Bounds)| (x.0.min(y.0), x.1.min(y.1));
    let greatest = |(x, y): (Bounds, Bounds)| (x.0.max(y.0), x.1.max(y.1));
    let either = |is_signed, bounds| inside(width, is_signed, bounds)?.meet(a.join(b));
    let saturated = |is_signed: bool, of: fn(Bounds, Bounds) -> Bounds| {
        let (x, y) = both(is_signed);
        Some(clamped(width, is_signed, of(x, y)))
    };
    match operator {
        Two::Add | Two::Sub => {
            let is_sum = operator == Two::Add;
            let span = a.span.checked_add(b.span).filter(|span| *span <= ones(width));
            let low = if is_sum {
                a.low.wrapping_add(b.low)
            } else {
                a.low.wrapping_sub(b.low.wrapping_add(b.span))
            };
            let interval =
                span.map_or(Facts::all(width), |span| Facts::between(width, low, low.wrapping_add(span)));
            interval.meet(added(a, b, !is_sum)?)
        }
        Two::Mul => {
            let mut known = low_product(a, b)?;
            for is_signed in [false, true] {
                let (x, y) = both(is_signed);
                if let Some((low, high)) = product(x, y) {
                    known = known.meet(Facts::whole(width, low, high))?;
                }
            }
            Some(known)
        }
        Two::And => Facts::of_bits(width, a.zeros | b.zeros, a.ones & b.ones)?.meet(Facts::between(
            width,
            0,
            a.unsigned().1.min(b.unsigned().1),
        )),
        Two::Or => Facts::of_bits(width, a.zeros & b.zeros, a.ones | b.ones)?.meet(Facts::between(
            width,
            a.unsigned().0.max(b.unsigned().0),
            ones(width),
        )),
        Two::Xor => {
            Facts::of_bits(width, a.zeros & b.zeros | a.ones & b.ones, a.zeros & b.ones | a.ones & b.zeros)
        }
        Two::Shl | Two::LShr | Two::AShr => {
            let by = (0..u64::from(width)).filter(|by| b.has(*by));
            by.filter_map(|by| shifted(operator, a, by as u32)).reduce(Facts::join)
        }
        Two::UMin => either(false, least(both(false))),
        Two::UMax => either(false, greatest(both(false))),
        Two::SMin => either(true, least(both(true))),
        Two::SMax => either(true, greatest(both(true))),
        Two::UAddSat => saturated(false, sum),
        Two::SAddSat => saturated(true, sum),
        Two::USubSat => saturated(false, difference),
        Two::SSubSat => saturated(true, difference),
    }
}

/// A shift by a number of places less than the width.
fn shifted(operator: Two, a: Facts, by: u32) -> Option<Facts> {
    let (width, all) = (a.width, ones(a.width));
    let (zeros, ones) = match operator {
        Two::Shl => (a.zeros << by | ((1 << by) - 1), a.ones << by),
        Two::LShr => (a.zeros >> by | (all & !(all >> by)), a.ones >> by),
        _ => {
            let spread = |bits: u64| (signed(width, bits) >> by).cast_unsigned() & all;
            (spread(a.zeros), spread(a.ones))
        }
    };
    let bits = Facts::of_bits(width, zeros, ones)?;
    let (low, high) = if operator == Two::AShr { with_sign(a) } else { unsigned(a) };
    match operator {
        Two::Shl => match (low.checked_mul(1 << by), high.checked_mul(1 << by)) {
            (Some(low), Some(high)) => bits.meet(Facts::whole(width, low, high)),
            _ => Some(bits),
        },
        _ => bits.meet(Facts::whole(width, low >> by, high >> by)),
    }
}

/// The bits of a sum or of a difference, from the lowest one on; the other operand of a difference is added with its bits
/// turned, and 1.
fn added(a: Facts, b: Facts, is_difference: bool) -> Option<Facts> {
    let (mut zeros, mut set) = (0u64, 0u64);
    let (none, full) = if is_difference { (b.ones, b.zeros) } else { (b.zeros, b.ones) };
    // The least and the greatest carry.
    let mut carry = [u8::from(is_difference); 2];
    for at in 0..a.width {
        let bit = 1u64 << at;
        let possible = |zeros: u64, ones: u64| [u8::from(ones & bit != 0), u8::from(zeros & bit == 0)];
        let ([p, q], [r, s]) = (possible(a.zeros, a.ones), possible(none, full));
        let (least, most) = (p + r + carry[0], q + s + carry[1]);
        if p == q && r == s && carry[0] == carry[1] {
            *(if least & 1 == 1 { &mut set } else { &mut zeros }) |= bit;
        }
        carry = [least >> 1, most >> 1];
    }
    Facts::of_bits(a.width, zeros, set)
}

/// The low bits of a product as far as those of both operands are known, and zeros at its end.
fn low_product(a: Facts, b: Facts) -> Option<Facts> {
    let known = |of: Facts| (of.zeros | of.ones).trailing_ones().min(of.width);
    let even = |of: Facts| of.zeros.trailing_ones().min(of.width);
    let below = |count: u32| if count == 0 { 0 } else { ones(count) };
    let (width, count) = (a.width, known(a).min(known(b)));
    let value = a.ones.wrapping_mul(b.ones) & below(count);
    let zeros = below(count) & !value | below((even(a) + even(b)).min(width));
    Facts::of_bits(width, zeros, value)
}

/// An operator on one number.
pub fn one(operator: One, a: Facts) -> Option<Facts> {
    let (width, (low, high)) = (a.width, a.unsigned());
    let leading = |value: u64| u64::from(value.leading_zeros()) - u64::from(64 - width);
    let trailing = |value: u64| u64::from(value.trailing_zeros().min(width));
    let moved = |of: &dyn Fn(u64) -> u64| Facts::of_bits(width, of(a.zeros), of(a.ones));
    // A number of bits does not fit a width of 1 or 2.
    let count = |low: u64, high: u64| {
        Some(if high <= ones(width) { Facts::between(width, low, high) } else { Facts::all(width) })
    };
    match operator {
        One::CtPop => count(u64::from(a.ones.count_ones()), u64::from(width - a.zeros.count_ones())),
        One::CtLz => count(leading(high), leading(low)),
        One::CtTz => count(trailing(!a.zeros & ones(width)), trailing(a.ones)),
        One::Abs => match with_sign(a) {
            (low, high) if low >= 0 => a.meet(Facts::whole(width, low, high)),
            (low, high) if high <= 0 => Some(Facts::whole(width, -high, -low)),
            (low, high) => Some(Facts::whole(width, 0, high.max(-low))),
        },
        One::BSwap if One::BSwap.fits(width) => moved(&|bits| bits.swap_bytes() >> (64 - width)),
        One::BSwap => Some(Facts::all(width)),
        One::BitReverse => moved(&|bits| bits.reverse_bits() >> (64 - width)),
    }
}

/// A conversion to another width.
pub fn cast(name: &str, flags: Flags, a: Facts, to: u32) -> Option<Facts> {
    let from = a.width;
    match name {
        "zext" => {
            let a = if flags.nneg { a.meet(Facts::between(from, 0, ones(from) >> 1))? } else { a };
            let above = ones(to) & !ones(from);
            let (low, high) = a.unsigned();
            Facts::of_bits(to, a.zeros | above, a.ones)?.meet(Facts::between(to, low, high))
        }
        "sext" => {
            let spread = |bits: u64| signed(from, bits).cast_unsigned();
            let (low, high) = with_sign(a);
            Facts::of_bits(to, spread(a.zeros), spread(a.ones))?.meet(Facts::whole(to, low, high))
        }
        "trunc" => {
            let mut known = Facts::of_bits(to, a.zeros, a.ones)?;
            for (is_signed, is_kept) in [(false, flags.nuw), (true, flags.nsw)] {
                let bounds = if is_signed { with_sign(a) } else { unsigned(a) };
                let own = if is_kept {
                    inside(to, is_signed, bounds)?
                } else {
                    Facts::whole(to, bounds.0, bounds.1)
                };
                known = known.meet(own)?;
            }
            Some(known)
        }
        // The same bits.
        _ if from == to => Some(a),
        _ => Some(Facts::all(to)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{numbers, sets};
    use super::*;

    const WIDTH: u32 = 3;

    /// Every number that operands give is in the result, whatever sets they are from.
    fn holds(
        of: &dyn Fn(Facts, Facts) -> Option<Facts>,
        value: &dyn Fn(u64, u64) -> Option<u64>,
        name: &str,
    ) {
        let sets: Vec<(Facts, Vec<u64>)> = sets(WIDTH).into_iter().map(|own| (own, numbers(&own))).collect();
        for (a, xs) in &sets {
            for (b, ys) in &sets {
                let found = of(*a, *b);
                for (x, y) in xs.iter().flat_map(|x| ys.iter().map(move |y| (*x, *y))) {
                    if let Some(value) = value(x, y) {
                        let has = found.is_some_and(|found| found.has(value));
                        assert!(has, "{name} of {x} in {a:?} and {y} in {b:?} is {value}, not in {found:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn operators_on_two_numbers_hold_what_they_give() {
        for operator in Two::ALL {
            let value =
                |x, y| (!operator.is_shift() || y < u64::from(WIDTH)).then(|| operator.of(WIDTH, x, y));
            holds(&|a, b| two(operator, a, b), &value, operator.name());
        }
    }

    #[test]
    fn flags_and_divisions_hold_what_is_not_poison() {
        let number = |is_signed: bool, value: u64| {
            if is_signed { i128::from(signed(WIDTH, value)) } else { i128::from(value) }
        };
        for (name, is_signed) in
            ["add", "sub", "mul"].into_iter().flat_map(|name| [(name, false), (name, true)])
        {
            let flags = Flags { nuw: !is_signed, nsw: is_signed, ..Flags::default() };
            let value = |x, y| {
                let (x, y) = (number(is_signed, x), number(is_signed, y));
                let whole = match name {
                    "add" => x + y,
                    "sub" => x - y,
                    _ => x * y,
                };
                let (low, high) = limits(WIDTH, is_signed);
                (low..=high).contains(&whole).then(|| whole as u64 & ones(WIDTH))
            };
            holds(&|a, b| binary(name, flags, a, b), &value, name);
        }
        for name in ["udiv", "sdiv", "urem", "srem"] {
            let value = |x, y| {
                let (x, y) = (number(name.starts_with('s'), x), number(name.starts_with('s'), y));
                let value = if name.ends_with("div") { x.checked_div(y) } else { x.checked_rem(y) };
                let (low, high) = limits(WIDTH, name.starts_with('s'));
                let whole = x.checked_div(y).filter(|whole| (low..=high).contains(whole));
                whole.and(value).map(|value| value as u64 & ones(WIDTH))
            };
            holds(&|a, b| binary(name, Flags::default(), a, b), &value, name);
        }
    }

    #[test]
    fn operators_on_one_number_and_conversions_hold_what_they_give() {
        for a in sets(4) {
            for x in numbers(&a) {
                for operator in One::ALL.into_iter().filter(|own| own.fits(4)) {
                    let found = one(operator, a);
                    assert!(
                        found.is_some_and(|found| found.has(operator.of(4, x))),
                        "{operator:?} of {x} in {a:?}"
                    );
                }
                for (name, to) in [("zext", 7), ("sext", 7), ("trunc", 2)] {
                    let wide = if name == "sext" { signed(4, x).cast_unsigned() } else { x };
                    for flags in [
                        Flags::default(),
                        Flags { nneg: true, ..Flags::default() },
                        Flags { nuw: true, ..Flags::default() },
                        Flags { nsw: true, ..Flags::default() },
                    ] {
                        let value = wide & ones(to);
                        let is_poison = flags.nneg && signed(4, x) < 0
                            || name == "trunc" && flags.nuw && value != x
                            || name == "trunc" && flags.nsw && signed(to, value) != signed(4, x);
                        let found = cast(name, flags, a, to);
                        assert!(
                            is_poison || found.is_some_and(|found| found.has(value)),
                            "{name} of {x} in {a:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_known_is_as_much_as_there_is() {
        let nibble = Facts::between(8, 0, 15);
        let mul = two(Two::Mul, nibble, Facts::point(8, 16)).expect("numbers");
        assert_eq!((mul.unsigned(), mul.bits()), ((0, 240), (15, 0)));
        let aligned = Facts::of_bits(64, 15, 0).expect("bits");
        let next = two(Two::Add, aligned, Facts::point(64, 32)).expect("numbers");
        assert_eq!(next.bits(), (15, 0));
        let halved =
            two(Two::AShr, Facts::between(16, 0xff00, 0x00ff), Facts::point(16, 4)).expect("numbers");
        assert_eq!(halved.signed(), (-16, 15));
        assert_eq!(one(One::CtPop, nibble).expect("numbers").unsigned(), (0, 4));
    }
}
