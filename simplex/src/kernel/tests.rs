//! The vector forms against the scalar ones.

use proptest::prelude::*;

use super::*;

fn forms_i16() -> Vec<(&'static str, Combine<i16>)> {
    #[cfg(target_arch = "x86_64")]
    return x86::all_i16();
    #[cfg(target_arch = "aarch64")]
    return vec![("Neon", neon::combine_i16)];
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    Vec::new()
}

fn forms_i32() -> Vec<(&'static str, Combine<i32>)> {
    #[cfg(target_arch = "x86_64")]
    return x86::all_i32();
    #[cfg(target_arch = "aarch64")]
    return vec![("Neon", neon::combine_i32)];
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    Vec::new()
}

/// Small numbers, numbers around the square root of the limit, the limits themselves, and any.
macro_rules! number {
    ($type:ty) => {
        prop_oneof![
            4 => -9 as $type..=9,
            2 => -(1 << (<$type>::BITS / 2)) as $type..=(1 << (<$type>::BITS / 2)),
            1 => Just(<$type>::MAX),
            1 => Just(-<$type>::MAX),
            1 => -<$type>::MAX..=<$type>::MAX,
        ]
    };
}

macro_rules! compare {
    ($forms:expr, $scalar:path, $row:expr, $a:expr, $operand:expr, $b:expr) => {
        let mut expected = $row.clone();
        let fits = $scalar(&$row, &$a, &$operand, &$b, &mut expected);
        for (name, form) in $forms {
            let mut out = $row.clone();
            prop_assert_eq!(form(&$row, &$a, &$operand, &$b, &mut out), fits, "{}", name);
            if fits {
                prop_assert_eq!(&out, &expected, "{}", name);
            }
        }
    };
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn vectors_of_16_bits_compute_what_the_scalar_form_does(
        pairs in prop::collection::vec((number!(i16), number!(i16)), 96), lines in 1usize..=3, a in number!(i16), b in number!(i16)
    ) {
        let (row, operand): (Vec<i16>, Vec<i16>) = pairs[..32 * lines].iter().copied().unzip();
        compare!(forms_i16(), scalar::combine_i16, row, a, operand, b);
    }

    #[test]
    fn vectors_of_32_bits_compute_what_the_scalar_form_does(
        pairs in prop::collection::vec((number!(i32), number!(i32)), 48), lines in 1usize..=3, a in number!(i32), b in number!(i32)
    ) {
        let (row, operand): (Vec<i32>, Vec<i32>) = pairs[..16 * lines].iter().copied().unzip();
        compare!(forms_i32(), scalar::combine_i32, row, a, operand, b);
    }

    /// One element is at the edge of what fits; a lane that a vector form forgets would let it pass.
    #[test]
    fn each_lane_is_checked(lane in 0usize..32, beyond: bool, negative: bool) {
        let sign = if negative { -1 } else { 1 };
        let mut row = vec![0i16; 32];
        row[lane] = sign * if beyond { 16384 } else { 16383 };
        compare!(forms_i16(), scalar::combine_i16, row, 2, [0i16; 32], 1);
        let mut expected = row.clone();
        prop_assert_eq!(scalar::combine_i16(&row, &2, &[0; 32], &1, &mut expected), !beyond);

        let lane = lane % 16;
        let mut row = vec![0i32; 16];
        row[lane] = i32::from(sign) * ((1 << 30) - i32::from(!beyond));
        compare!(forms_i32(), scalar::combine_i32, row, 2, [0i32; 16], 1);
        let mut expected = row.clone();
        prop_assert_eq!(scalar::combine_i32(&row, &2, &[0; 16], &1, &mut expected), !beyond);
    }
}
