//! Each operator at small widths against the interpreter's whole truth table.

mod support;

use hydride_ir::{BinaryOp, CompareOp, IndexId, Num, Op, UnaryOp};
use support::*;

#[test]
fn binary_operators_have_the_interpreters_truth_table() {
    for (op, name) in BinaryOp::NAMES {
        for signed in [false, true] {
            if signed && !op.has_sign() {
                continue;
            }
            for width in [1, 2, 4] {
                let operator = function(&[width, width], |f, a| binary(f, *op, signed, a[0], a[1]));
                println!("{name} signed {signed} at {width}");
                assert_equal(&operator, &table(&operator));
            }
        }
    }
}

#[test]
fn shifts_take_counts_of_any_width() {
    for op in [BinaryOp::Shl, BinaryOp::Shr] {
        for signed in [false, true] {
            if signed && op == BinaryOp::Shl {
                continue;
            }
            for (width, count) in [(5, 1), (5, 3), (3, 5), (1, 4), (4, 6)] {
                let operator = function(&[width, count], |f, a| {
                    f.push(Op::Binary { op, signed: num(signed.into()), left: a[0], right: a[1] }, width)
                });
                println!("{op:?} signed {signed} of {width} by {count}");
                assert_equal(&operator, &table(&operator));
            }
        }
    }
}

#[test]
fn unary_operators_have_the_interpreters_truth_table() {
    for (op, name) in UnaryOp::NAMES {
        for width in [1, 2, 3, 5, 8] {
            let operator = function(&[width], |f, a| unary(f, *op, a[0]));
            println!("{name} at {width}");
            assert_equal(&operator, &table(&operator));
        }
    }
}

#[test]
fn a_loop_that_counts_bits_is_the_operator() {
    let counted = function(&[64], |f, a| {
        let (mut count, one) = (int(f, 64, 0), int(f, 64, 1));
        for position in 0..64 {
            let bit = extract(f, a[0], position, 1);
            let more = binary(f, BinaryOp::Add, false, count, one);
            count = select(f, bit, more, count);
        }
        count
    });
    assert_equal(&counted, &function(&[64], |f, a| unary(f, UnaryOp::PopCount, a[0])));
}

#[test]
fn comparisons_have_the_interpreters_truth_table() {
    for (op, name) in CompareOp::NAMES {
        for signed in [false, true] {
            if signed && !op.has_sign() {
                continue;
            }
            let operator = function(&[3, 3], |f, a| compare(f, *op, signed, a[0], a[1]));
            println!("{name} signed {signed}");
            assert_equal(&operator, &table(&operator));
        }
    }
}

#[test]
fn width_changes_have_the_interpreters_truth_table() {
    for from in [1, 3, 5, 7] {
        for to in [1, 2, 3, 5, 7, 9] {
            for signed in [false, true] {
                let operator = function(&[from], |f, a| cast(f, a[0], to, signed));
                assert_equal(&operator, &table(&operator));
                for to_signed in [false, true] {
                    let operator = function(&[from], |f, a| {
                        let (from_signed, to_signed) = (num(signed.into()), num(to_signed.into()));
                        f.push(Op::Saturate { of: a[0], from_signed, to_signed }, to)
                    });
                    println!("saturate {from} (signed {signed}) to {to} (signed {to_signed})");
                    assert_equal(&operator, &table(&operator));
                }
            }
        }
    }
}

#[test]
fn slices_at_computed_positions_have_the_interpreters_truth_table() {
    for (of, low, width) in [(5, 3, 2u32), (5, 3, 5), (3, 2, 6), (2, 4, 1), (6, 2, 3)] {
        let operator = function(&[of, low], |f, a| f.push(Op::ExtractAt { of: a[0], low: a[1] }, width));
        println!("{width} bits of {of} at a {low}-bit position");
        assert_equal(&operator, &table(&operator));
    }
}

#[test]
fn folds_are_expanded() {
    for (op, _) in BinaryOp::NAMES.iter().filter(|(op, _)| op.folds()) {
        for signed in [false, true] {
            if signed && !op.has_sign() {
                continue;
            }
            let operator = function(&[8], |f, a| {
                let low = Num::index(IndexId(0)) * num(2);
                let item = f.push(Op::Extract { of: a[0], low }, 2u32);
                let signed = num(signed.into());
                f.push(Op::Fold { op: *op, signed, index: IndexId(0), count: num(4), body: item }, 2u32)
            });
            assert_equal(&operator, &table(&operator));
        }
    }
}

#[test]
fn selects_and_concatenations_have_the_interpreters_truth_table() {
    let operator = function(&[1, 3, 3], |f, a| {
        let chosen = select(f, a[0], a[1], a[2]);
        f.push(Op::Concat(vec![a[2], chosen, a[0]]), 7u32)
    });
    assert_equal(&operator, &table(&operator));
}
