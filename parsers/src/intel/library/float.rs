//! Operations on the bits of floating-point numbers that the document names without defining them. None rounds, and
//! none depends on MXCSR in its default state.

use hydride_ir::exact::{Dag, NodeId, Part};

use super::{CallError, Called, one};
use crate::intel::run::Value;

/// Bits of the exponent in IEEE 754's format of that many bits.
pub(super) fn exponent_bits(width: u32) -> Option<u32> {
    match width {
        16 => Some(5),
        32 => Some(8),
        64 => Some(11),
        _ => None,
    }
}

/// `ABS(x)`: the sign bit is cleared, that of a NaN too.
pub(super) fn absolute(dag: &mut Dag, x: Value) -> Called {
    let width = x.width.filter(|width| *width > 1).ok_or(CallError::Width)?;
    Ok(Value { float: true, ..Value::sized(dag.slice(x.node, 0, width - 1, false), width) })
}

/// `Convert_BF16_To_FP32(x)`: the 16 bits of `x` are the upper half.
pub(super) fn widened(dag: &mut Dag, _: u32, args: &[Value]) -> Called {
    let x = one(args)?;
    let half = dag.slice(x.node, 0, 16, false);
    let zero = dag.int(0);
    let node = dag.concat(&[Part { node: zero, width: 16 }, Part { node: half, width: 16 }]);
    Ok(Value { float: true, ..Value::sized(node, 32) })
}

/// `CheckFPClass_FP32(x, classes)`: whether `x` is of one of the classes whose bits are 1. From bit 0 on they are quiet
/// NaN, +0, -0, +infinity, -infinity, subnormal, negative and finite but not zero, signaling NaN (VFPCLASSPS in Intel's
/// Software Developer's Manual, volume 2).
pub(super) fn is_of_class(dag: &mut Dag, width: u32, args: &[Value]) -> Called {
    let [x, classes] = args else { return Err(CallError::Arguments) };
    let exponent_bits = exponent_bits(width).ok_or(CallError::Width)?;
    let fraction_bits = width - 1 - exponent_bits;
    let negative = dag.slice(x.node, width - 1, 1, false);
    let positive = dag.complement(negative);
    let exponent = dag.slice(x.node, fraction_bits, exponent_bits, false);
    let fraction = dag.slice(x.node, 0, fraction_bits, false);
    let [zero, one] = [0, 1].map(|number| dag.int(number));
    // The greatest exponent is the one that has no successor.
    let next = dag.sum(&[exponent, one]);
    let greatest = dag.slice(next, exponent_bits, 1, false);
    let least = dag.eq(exponent, zero);
    let whole = dag.eq(fraction, zero);
    let broken = dag.complement(whole);
    let quiet = dag.slice(x.node, fraction_bits - 1, 1, false);
    let signaling = dag.complement(quiet);
    let is_finite = dag.complement(greatest);
    let is_zero = dag.and(least, whole);
    let is_not_zero = dag.complement(is_zero);
    let of_class = [
        [greatest, broken, quiet],
        [positive, least, whole],
        [negative, least, whole],
        [positive, greatest, whole],
        [negative, greatest, whole],
        [least, broken, broken],
        [negative, is_finite, is_not_zero],
        [greatest, broken, signaling],
    ];
    let mut any = zero;
    for (bit, conditions) in (0..).zip(of_class) {
        let chosen = dag.slice(classes.node, bit, 1, false);
        let holds = conditions.into_iter().fold(chosen, |all, condition: NodeId| dag.and(all, condition));
        any = dag.or(any, holds);
    }
    Ok(Value::sized(any, 1))
}

#[cfg(test)]
mod tests {
    use std::num::FpCategory;

    use super::*;

    fn number(dag: &mut Dag, bits: u64, width: u32) -> Value {
        Value { float: true, ..Value::sized(dag.int(bits), width) }
    }

    /// The classes of a number as the bits of the immediate.
    fn classes(bits: u64, width: u32) -> u8 {
        let dag = &mut Dag::new(Vec::new());
        let x = number(dag, bits, width);
        let of_class = |class: u32| {
            let classes = Value::exact(dag.int(1 << class));
            let found = is_of_class(dag, width, &[x, classes]).expect("a format");
            u8::from(dag.as_i64(found.node).expect("a number") == 1) << class
        };
        (0..8).map(of_class).sum()
    }

    fn expected(category: FpCategory, negative: bool, quiet: bool) -> u8 {
        match (category, negative) {
            (FpCategory::Nan, _) if quiet => 1 << 0,
            (FpCategory::Nan, _) => 1 << 7,
            (FpCategory::Zero, false) => 1 << 1,
            (FpCategory::Zero, true) => 1 << 2,
            (FpCategory::Infinite, false) => 1 << 3,
            (FpCategory::Infinite, true) => 1 << 4,
            (FpCategory::Subnormal, false) => 1 << 5,
            (FpCategory::Subnormal, true) => 1 << 5 | 1 << 6,
            (FpCategory::Normal, negative) => u8::from(negative) << 6,
        }
    }

    #[test]
    fn classes_are_those_of_rust() {
        let fractions = [0, 1, 1 << 21, 1 << 22, (1 << 22) + 1, (1 << 23) - 1];
        for (exponent, fraction) in [0, 1, 127, 254, 255].into_iter().flat_map(|e| fractions.map(|f| (e, f)))
        {
            for sign in [0, 1 << 31] {
                let bits = sign | exponent << 23 | fraction;
                let x = f32::from_bits(bits);
                let quiet = bits >> 22 & 1 == 1;
                assert_eq!(classes(bits.into(), 32), expected(x.classify(), sign != 0, quiet), "{bits:x}");
            }
        }
        assert_eq!(classes((-f64::MIN_POSITIVE / 2.0).to_bits(), 64), 1 << 5 | 1 << 6);
        assert_eq!(classes(0x7e00, 16), 1 << 0, "a quiet NaN of 16 bits");
    }

    #[test]
    fn signs_are_cleared_and_halves_moved() {
        let dag = &mut Dag::new(Vec::new());
        let x = number(dag, (-1.5f32).to_bits().into(), 32);
        let positive = absolute(dag, x).expect("a width");
        assert_eq!(dag.as_i64(positive.node), Some(1.5f32.to_bits().into()));
        let half = number(dag, 0xbfc0, 16);
        let wide = widened(dag, 0, &[half]).expect("a number");
        assert_eq!((dag.as_i64(wide.node), wide.width), (Some((-1.5f32).to_bits().into()), Some(32)));
    }
}
