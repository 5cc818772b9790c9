//! Every operator of `Bv` against num-bigint, at widths around the word boundaries.

use interp::Bv;
use num_bigint::{BigInt, BigUint, Sign};
use num_traits::{One, Signed, Zero};
use proptest::prelude::*;

const WIDTHS: [u32; 12] = [1, 2, 7, 32, 63, 64, 65, 127, 128, 129, 512, 1000];

/// A value whose words are often all zeros, all ones or a single bit.
fn value(width: u32) -> impl Strategy<Value = Bv> {
    let word = prop_oneof![
        3 => any::<u64>(),
        2 => Just(0u64),
        2 => Just(u64::MAX),
        1 => (0..64u32).prop_map(|bit| 1 << bit),
    ];
    let words = proptest::collection::vec(word, width.div_ceil(64) as usize);
    prop_oneof![
        8 => words.prop_map(move |words| Bv::from_words(width, words)),
        1 => (0..8u64).prop_map(move |small| Bv::from_u64(width, small)),
        1 => (-4..4i64).prop_map(move |small| Bv::from_i64(width, small)),
        1 => Just(Bv::signed_min(width)),
        1 => Just(Bv::signed_max(width)),
    ]
}

fn width() -> impl Strategy<Value = u32> {
    proptest::sample::select(&WIDTHS[..])
}

fn pair() -> impl Strategy<Value = (Bv, Bv)> {
    width().prop_flat_map(|width| (value(width), value(width)))
}

fn unsigned(value: &Bv) -> BigInt {
    let digits = value.words().iter().flat_map(|word| [*word as u32, (*word >> 32) as u32]).collect();
    BigInt::from(BigUint::new(digits))
}

fn signed(value: &Bv) -> BigInt {
    let number = unsigned(value);
    if value.sign() { number - (BigInt::one() << value.width()) } else { number }
}

fn read(value: &Bv, is_signed: bool) -> BigInt {
    if is_signed { signed(value) } else { unsigned(value) }
}

/// The low `width` bits of a number.
fn bv(width: u32, number: &BigInt) -> Bv {
    let modulus = BigInt::one() << width;
    let low = ((number % &modulus) + &modulus) % &modulus;
    let (sign, digits) = low.to_u64_digits();
    assert_ne!(sign, Sign::Minus);
    Bv::from_words(width, digits)
}

/// The bits of a number, for operators that are defined on bits.
fn bits(value: &Bv) -> Vec<bool> {
    (0..value.width()).map(|index| (unsigned(value) >> index) % 2u32 == BigInt::one()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn single_bits(a in width().prop_flat_map(value)) {
        prop_assert_eq!((0..a.width()).map(|index| a.bit(index)).collect::<Vec<_>>(), bits(&a));
        prop_assert!(!a.bit(a.width()));
    }

    #[test]
    fn sums_and_products((a, b) in pair()) {
        let width = a.width();
        prop_assert_eq!(a.add(&b), bv(width, &(unsigned(&a) + unsigned(&b))));
        prop_assert_eq!(a.sub(&b), bv(width, &(unsigned(&a) - unsigned(&b))));
        prop_assert_eq!(a.mul(&b), bv(width, &(unsigned(&a) * unsigned(&b))));
        prop_assert_eq!(a.neg(), bv(width, &-unsigned(&a)));
        prop_assert_eq!(a.abs(), bv(width, &signed(&a).abs()));
    }

    #[test]
    fn quotients_and_remainders((a, b) in pair(), is_signed in any::<bool>()) {
        let width = a.width();
        let (x, y) = (read(&a, is_signed), read(&b, is_signed));
        if y.is_zero() {
            // SMT-LIB: bvudiv gives all ones; bvsdiv is defined through it.
            let quotient = if is_signed && a.sign() { Bv::from_u64(width, 1) } else { Bv::ones(width) };
            prop_assert_eq!(a.div(&b, is_signed), quotient);
            prop_assert_eq!(a.rem(&b, is_signed), a);
        } else {
            prop_assert_eq!(a.div(&b, is_signed), bv(width, &(&x / &y)));
            prop_assert_eq!(a.rem(&b, is_signed), bv(width, &(&x % &y)));
        }
    }

    #[test]
    fn bitwise_operators((a, b) in pair()) {
        let width = a.width();
        prop_assert_eq!(a.and(&b), bv(width, &(unsigned(&a) & unsigned(&b))));
        prop_assert_eq!(a.or(&b), bv(width, &(unsigned(&a) | unsigned(&b))));
        prop_assert_eq!(a.xor(&b), bv(width, &(unsigned(&a) ^ unsigned(&b))));
        prop_assert_eq!(a.not(), bv(width, &(-unsigned(&a) - 1)));
    }

    #[test]
    fn shifts(a in width().prop_flat_map(value), amount in prop_oneof![0..70u64, 0..1100u64, Just(u64::MAX)]) {
        let width = a.width();
        let places = amount.min(2000) as usize;
        prop_assert_eq!(a.shl(amount), bv(width, &(unsigned(&a) << places)));
        prop_assert_eq!(a.shr(amount, false), bv(width, &(unsigned(&a) >> places)));
        prop_assert_eq!(a.shr(amount, true), bv(width, &(signed(&a) >> places)));
    }

    #[test]
    fn orders((a, b) in pair(), is_signed in any::<bool>()) {
        let (x, y) = (read(&a, is_signed), read(&b, is_signed));
        prop_assert_eq!(a.compare(&b, is_signed), x.cmp(&y));
        prop_assert_eq!(read(&a.min(&b, is_signed), is_signed), x.clone().min(y.clone()));
        prop_assert_eq!(read(&a.max(&b, is_signed), is_signed), x.max(y));
    }

    #[test]
    fn counts_of_bits(a in width().prop_flat_map(value)) {
        let bits = bits(&a);
        let count = |number: usize| Bv::from_u64(a.width(), number as u64);
        prop_assert_eq!(a.popcount(), count(bits.iter().filter(|bit| **bit).count()));
        prop_assert_eq!(a.leading_zeros(), count(bits.iter().rev().take_while(|bit| !**bit).count()));
        prop_assert_eq!(a.trailing_zeros(), count(bits.iter().take_while(|bit| !**bit).count()));
    }

    #[test]
    fn widths_change(a in width().prop_flat_map(value), to in width(), is_signed in any::<bool>(), to_signed in any::<bool>()) {
        let number = read(&a, is_signed);
        prop_assert_eq!(a.cast(to, is_signed), bv(to, &number));
        let one = BigInt::one();
        let (least, greatest) = match to_signed {
            true => (-(one.clone() << (to - 1)), (one.clone() << (to - 1)) - 1),
            false => (BigInt::zero(), (one << to) - 1),
        };
        prop_assert_eq!(a.saturate(to, is_signed, to_signed), bv(to, &number.clamp(least, greatest)));
    }

    #[test]
    fn slices((a, low, width) in width().prop_flat_map(value).prop_flat_map(|a| {
        let all = a.width();
        (Just(a), 0..all).prop_flat_map(move |(a, low)| (Just(a), Just(low), 1..=all - low))
    }), beyond in 0..1100u64) {
        prop_assert_eq!(a.extract(low, width), bv(width, &(unsigned(&a) >> low)));
        prop_assert_eq!(a.extract_at(beyond, width), bv(width, &(unsigned(&a) >> beyond)));
        let mut changed = a.clone();
        changed.insert(low, &a.extract(low, width).not());
        let mask = ((BigInt::one() << width) - 1) << low;
        prop_assert_eq!(changed, bv(a.width(), &(unsigned(&a) ^ mask)));
    }

    #[test]
    fn concatenations(a in width().prop_flat_map(value), b in width().prop_flat_map(value)) {
        let both = a.concat(&b);
        prop_assert_eq!(both.width(), a.width() + b.width());
        prop_assert_eq!(unsigned(&both), (unsigned(&a) << b.width()) + unsigned(&b));
    }

    #[test]
    fn literals_and_texts(a in width().prop_flat_map(value)) {
        prop_assert_eq!(&Bv::from(&hydride_ir::Bits::from(&a)), &a);
        let text = format!("{:x}", unsigned(&a));
        let shown = a.to_string();
        let digits = shown[2..].trim_start_matches('0');
        prop_assert_eq!(if digits.is_empty() { "0" } else { digits }, text);
        prop_assert_eq!(a.to_u64().map(BigInt::from).unwrap_or_else(|| unsigned(&a)), unsigned(&a));
    }
}

#[test]
fn division_examples_of_smt_lib() {
    let byte = |value: i64| Bv::from_i64(8, value);
    assert_eq!(byte(-7).div(&byte(2), true), byte(-3));
    assert_eq!(byte(-7).rem(&byte(2), true), byte(-1));
    assert_eq!(byte(-128).div(&byte(-1), true), byte(-128));
    assert_eq!(byte(-128).rem(&byte(-1), true), byte(0));
    assert_eq!(byte(5).div(&byte(0), true), byte(-1));
    assert_eq!(byte(-5).div(&byte(0), true), byte(1));
}

#[test]
fn counts_are_limited_to_a_word() {
    let wide = |words: [u64; 3]| Bv::from_words(192, words);
    for (value, count, is_zero) in [
        (wide([0, 0, 0]), 0, true),
        (wide([7, 0, 0]), 7, false),
        (wide([7, 1, 0]), u64::MAX, false),
        (wide([0, 0, 1]), u64::MAX, false),
        (Bv::from_u64(8, 255), 255, false),
    ] {
        assert_eq!((value.to_count(), value.is_zero()), (count, is_zero), "{value}");
        assert_eq!(value.to_u64(), (count < u64::MAX).then_some(count), "{value}");
    }
}
