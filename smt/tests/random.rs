//! Random small functions: the solver proves each equal to the interpreter's truth table of it, which
//! checks the encoding and every rewrite on the way, and refutes it against a table with one wrong row.

mod support;

use hydride_ir::{BinaryOp, CompareOp, ExprId, Function, Op, Role, UnaryOp};
use proptest::prelude::*;
use smt::Prover;
use support::*;

/// Builds an expression of the function from random numbers; all operands exist already.
fn grow(f: &mut Function, pool: &mut Vec<ExprId>, choice: [u8; 6]) {
    let [kind, operator, first, second, third, size] = choice.map(usize::from);
    let pick = |index: usize| pool[pool.len() - 1 - index % pool.len().min(6)];
    let (a, b, c) = (pick(first), pick(second), pick(third));
    let width_a = width(f, a);
    let wanted = 1 + u32::try_from(size).unwrap() % 9;
    let signed = size % 2 == 1;
    let fitted = cast(f, b, width_a, third % 2 == 0);
    let value = match kind % 9 {
        0 => {
            let low = u32::try_from(second).unwrap() % width_a;
            extract(f, a, low, (wanted - 1) % (width_a - low) + 1)
        }
        1 => cast(f, a, wanted, signed),
        2 => {
            let (from_signed, to_signed) = (num(signed.into()), num(u32::from(third % 2 == 1)));
            f.push(Op::Saturate { of: a, from_signed, to_signed }, wanted)
        }
        3 if width_a + width(f, b) <= 12 => f.push(Op::Concat(vec![a, b]), width_a + width(f, b)),
        4 => unary(f, UnaryOp::NAMES[operator % UnaryOp::NAMES.len()].0, a),
        5 => {
            let (op, _) = CompareOp::NAMES[operator % CompareOp::NAMES.len()];
            compare(f, op, signed && op.has_sign(), a, fitted)
        }
        6 => {
            let condition = extract(f, c, 0, 1);
            select(f, condition, a, fitted)
        }
        7 => f.push(Op::ExtractAt { of: a, low: b }, wanted),
        _ => {
            let (op, _) = BinaryOp::NAMES[operator % BinaryOp::NAMES.len()];
            binary(f, op, signed && op.has_sign(), a, fitted)
        }
    };
    pool.push(value);
}

fn build(choices: &[[u8; 6]]) -> Function {
    function(&[3, 4], |f, args| {
        let mut pool = args.to_vec();
        pool.push(int(f, 4, 5));
        pool.push(int(f, 3, -1));
        for choice in choices {
            grow(f, &mut pool, *choice);
        }
        let parts: Vec<ExprId> = pool.iter().rev().take(3).copied().collect();
        let total = parts.iter().map(|part| width(f, *part)).sum::<u32>();
        f.push(Op::Concat(parts), total)
    })
}

/// The answer of Z3's SMT-LIB parser to the script for other solvers.
fn replay(left: &Function, right: &Function) -> z3::SatResult {
    let script = smt::script(left, right).expect("comparable functions");
    let solver = z3::Solver::new();
    solver.from_string(script.text);
    solver.check()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn formulas_have_the_interpreters_truth_table(choices in prop::collection::vec(any::<[u8; 6]>(), 1..24)) {
        let function = build(&choices);
        let table = table(&function);
        assert_equal(&function, &table);
        assert_eq!(replay(&function, &table), z3::SatResult::Unsat);
    }

    #[test]
    fn immediates_are_compared_over_their_range(
        choices in prop::collection::vec(any::<[u8; 6]>(), 1..16), ends in (0i64..16, 0i64..16), wrong in 0i64..16,
    ) {
        let (low, high) = (ends.0.min(ends.1), ends.0.max(ends.1));
        let role = Role::Immediate { low, high };
        let mut function = build(&choices);
        let mut changed = function.clone();
        let hydride_ir::Stmt::Assign { value, .. } = changed.body[0].clone() else { unreachable!() };
        let here = int(&mut changed, 4, wrong);
        let here = compare(&mut changed, CompareOp::Eq, false, ExprId(1), here);
        let flipped = unary(&mut changed, UnaryOp::Not, value);
        let flipped = select(&mut changed, here, flipped, value);
        let hydride_ir::Stmt::Assign { value, .. } = &mut changed.body[0] else { unreachable!() };
        *value = flipped;
        let (mut right, mut other) = (table(&function), table(&changed));
        for side in [&mut function, &mut changed, &mut right, &mut other] {
            side.args[1].role = role;
            side.verify().unwrap();
        }
        assert_equal(&function, &right);
        if (low..=high).contains(&wrong) {
            for (left, right) in [(&function, &changed), (&function, &other), (&right, &changed)] {
                let args = assert_different_by(&mut Prover::new(), left, right);
                assert_eq!(args[1].to_u64(), Some(wrong.cast_unsigned()));
            }
        } else {
            for (left, right) in [(&function, &changed), (&function, &other), (&right, &changed)] {
                assert_equal(left, right);
            }
        }
    }

    #[test]
    fn one_wrong_bit_is_found(choices in prop::collection::vec(any::<[u8; 6]>(), 1..16), row in 0i64..8) {
        let right = build(&choices);
        let mut wrong = right.clone();
        let hydride_ir::Stmt::Assign { value, .. } = wrong.body[0].clone() else { unreachable!() };
        let here = int(&mut wrong, 3, row);
        let here = compare(&mut wrong, CompareOp::Eq, false, ExprId(0), here);
        let top = width(&wrong, value);
        let flip = cast(&mut wrong, here, top, false);
        let flipped = binary(&mut wrong, BinaryOp::Xor, false, value, flip);
        let hydride_ir::Stmt::Assign { value, .. } = &mut wrong.body[0] else { unreachable!() };
        *value = flipped;
        assert_different(&right, &wrong);
        assert_eq!(replay(&right, &wrong), z3::SatResult::Sat);
    }
}
