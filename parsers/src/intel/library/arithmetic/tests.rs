use super::*;

fn number(dag: &mut Dag, format: Format, bits: u64) -> Value {
    let node = dag.int(bits);
    format.value(node)
}

/// The bits of `x * POW(2.0, FLOOR(exponent))`.
fn scaled_bits(width: u32, x: u64, exponent: u64, mode: u8) -> u64 {
    let dag = &mut Dag::new(Vec::new());
    let format = Format::of_width(width).expect("a format");
    let [x, exponent] = [x, exponent].map(|bits| number(dag, format, bits));
    let mode = dag.int(mode);
    let product = scaled(dag, x, exponent, mode).expect("numbers of one format");
    let bits = dag.as_int(product.node).expect("a constant");
    u64::try_from(bits).expect("64 bits at most")
}

#[test]
fn a_product_with_a_power_of_two_is_rounded_once() {
    let numbers =
        [1.0, -1.5, f32::MAX, f32::MIN_POSITIVE, f32::from_bits(1), f32::from_bits(0x7f_ffff), 0.0, -0.0];
    for x in numbers {
        for exponent in
            [-300.5, -150.0, -149.0, -148.75, -24.0, -1.0, -0.5, 0.0, 0.5, 1.0, 127.0, 276.5, 400.0_f32]
        {
            // Binary64 has all of these products.
            let expected = (f64::from(x) * 2f64.powi(exponent.floor() as i32)) as f32;
            let found = scaled_bits(32, x.to_bits().into(), exponent.to_bits().into(), 0);
            assert_eq!(found, u64::from(expected.to_bits()), "{x} and {exponent}");
        }
    }
    // 1.5 and the least and the greatest exponents that matter, in binary16.
    assert_eq!(scaled_bits(16, 0x3e00, 0xce00, 0), 0x0002, "a tie between 1 and 2 units at -24");
    assert_eq!(scaled_bits(16, 0x0001, 0x50e0, 0), 0x7800, "2^-24 and 2^39");
}

/// VRNDSCALEPH: the powers of its fraction bits, of which those below 2^-14 are subnormal, are no NaNs, so that the NaN of a
/// product is the number's.
#[test]
fn a_subnormal_power_of_two_is_no_nan() {
    let format = Format::of_width(16).expect("a format");
    let dag = &mut Dag::new(vec![4]);
    let digits = dag.arg(0);
    let power = power_of_two(dag, Value::sized(digits, 4), true, Some(16)).expect("a power");
    assert!(!format.can_be_nan(dag, power.node));
    for (exponent, bits) in [(0, 0x3c00), (14, 0x0400), (15, 0x0200), (24, 0x0001)] {
        let exponent = dag.int(exponent);
        let power = power_of_two(dag, Value::sized(exponent, 5), true, Some(16)).expect("a power");
        assert_eq!(dag.as_int(power.node), Some(&Int::from(bits)));
    }
}

#[test]
fn a_product_that_needs_several_factors_is_rounded_once() {
    let (nearest, down, up) = (0, 1, 2);
    let bits = f64::to_bits;
    for (x, exponent, mode, expected) in [
        (1.5, -1074.0, nearest, 2),
        (1.25, -1074.0, nearest, 1),
        (1.25, -1074.0, up, 2),
        (f64::MAX, -2098.0, nearest, 1),
        (f64::MAX, -2099.0, nearest, 0),
        (f64::MAX, -2099.0, up, 1),
        (-f64::MAX, -2200.0, down, bits(-f64::from_bits(1))),
        (f64::from_bits(1), 2097.0, nearest, bits(2f64.powi(1023))),
        (f64::from_bits(1), 2098.0, nearest, bits(f64::INFINITY)),
        (f64::from_bits(3), 2096.5, nearest, bits(1.5 * 2f64.powi(1023))),
        (f64::MAX, 1.0, down, bits(f64::MAX)),
        (1.0 + f64::EPSILON, -1022.0, nearest, bits(f64::MIN_POSITIVE) + 1),
        // Powers of infinities.
        (f64::MIN_POSITIVE, f64::INFINITY, down, bits(f64::INFINITY)),
        (-f64::MAX, f64::NEG_INFINITY, down, bits(-0.0)),
        (f64::INFINITY, -2200.0, nearest, bits(f64::INFINITY)),
    ] {
        assert_eq!(scaled_bits(64, bits(x), bits(exponent), mode), expected, "{x:e} and {exponent}");
    }
    let indefinite = 0xfff8_0000_0000_0000;
    assert_eq!(scaled_bits(64, bits(0.0), bits(f64::INFINITY), nearest), indefinite);
    assert_eq!(scaled_bits(64, bits(f64::INFINITY), bits(f64::NEG_INFINITY), nearest), indefinite);
}
