//! The HVX oracle on hand-made instructions; skipped without clang or QEMU.

use difftest::{Checked, EmulatorOptions, HvxOracle, Outcome};
use hydride_ir::{BinaryOp, ExprId, Function, Num, Op};
use parsers::{Argument, Instruction, Kind};

use crate::hand_made::{UNSIGNED, available, binary, instruction, lanes, one_of_each_pair_agrees, operand};

fn vector(name: &str) -> Argument {
    operand(name, "HVX_Vector", 1024, Kind::Vector)
}

fn pair(name: &str) -> Argument {
    operand(name, "HVX_VectorPair", 2048, Kind::Vector)
}

fn predicate(name: &str) -> Argument {
    operand(name, "HVX_VectorPred", 128, Kind::Mask)
}

fn word(name: &str) -> Argument {
    operand(name, "Word32", 32, Kind::Scalar)
}

/// Byte-wise sums of pairs of vectors.
fn pair_sum(id: &str, op: BinaryOp) -> Instruction {
    let args = vec![pair("Vuu"), pair("Vvv")];
    let build = |f: &mut Function, args: &[ExprId]| {
        vec![lanes(f, args, 8, 2048, |f, args| binary(f, op, UNSIGNED, args[0], args[1], 8))]
    };
    Instruction {
        id: id.into(),
        ..instruction("Q6_Wb_vadd_WbWb", &["hvxv60"], args, vec![pair("Vdd")], build)
    }
}

/// A predicate of predicates.
fn both(id: &str, op: BinaryOp) -> Instruction {
    let args = vec![predicate("Qs"), predicate("Qt")];
    let build = |f: &mut Function, args: &[ExprId]| vec![binary(f, op, UNSIGNED, args[0], args[1], 128)];
    Instruction {
        id: id.into(),
        ..instruction("Q6_Q_and_QQ", &["hvxv60"], args, vec![predicate("Qd")], build)
    }
}

/// An accumulator, a vector and a scalar.
fn multiply_add(id: &str, op: BinaryOp) -> Instruction {
    let args = vec![vector("Vx"), vector("Vu"), word("Rt")];
    let build = |f: &mut Function, args: &[ExprId]| {
        let scalar = args[2];
        vec![lanes(f, &args[..2], 32, 1024, |f, args| {
            let even = |f: &mut Function, of| f.push(Op::Extract { of, low: 0u32.into() }, 16u32);
            let (left, right) = (even(f, args[1]), even(f, scalar));
            let wide = |f: &mut Function, of| f.push(Op::Cast { of, signed: Num::constant(UNSIGNED) }, 32u32);
            let (left, right) = (wide(f, left), wide(f, right));
            let product = binary(f, BinaryOp::Mul, UNSIGNED, left, right, 32);
            binary(f, op, UNSIGNED, args[0], product, 32)
        })]
    };
    let name = "Q6_Vuw_vmpyeacc_VuwVuhRuh";
    Instruction { id: id.into(), ..instruction(name, &["hvxv65"], args, vec![vector("Vx")], build) }
}

/// Words with a carry in and out, which is one argument.
fn carry(id: &str, op: BinaryOp) -> Instruction {
    let args = vec![vector("Vu"), vector("Vv"), predicate("Qx")];
    let build = |f: &mut Function, args: &[ExprId]| {
        let (mut sums, mut carries) = (Vec::new(), Vec::new());
        for lane in (0..32u32).rev() {
            let wide = |f: &mut Function, of, low: u32, width: u32| {
                let part = f.push(Op::Extract { of, low: low.into() }, width);
                f.push(Op::Cast { of: part, signed: Num::constant(UNSIGNED) }, 33u32)
            };
            let left = wide(f, args[0], 32 * lane, 32);
            let right = wide(f, args[1], 32 * lane, 32);
            let carry = wide(f, args[2], 4 * lane, 1);
            let sum = binary(f, BinaryOp::Add, UNSIGNED, left, right, 33);
            let sum = binary(f, op, UNSIGNED, sum, carry, 33);
            sums.push(f.push(Op::Extract { of: sum, low: 0u32.into() }, 32u32));
            let carry = f.push(Op::Extract { of: sum, low: 32u32.into() }, 1u32);
            carries.extend([carry; 4]);
        }
        vec![f.push(Op::Concat(sums), 1024u32), f.push(Op::Concat(carries), 128u32)]
    };
    let results = vec![vector("Vd"), predicate("Qx")];
    Instruction { id: id.into(), ..instruction("Q6_Vw_vadd_VwVwQ_carry", &["hvxv62"], args, results, build) }
}

fn validate(instructions: &[Instruction]) -> Option<Vec<Checked>> {
    let folder = tempfile::tempdir().unwrap();
    let oracle = available(HvxOracle::prepare(instructions, folder.path(), &EmulatorOptions::default()))?;
    assert!(oracle.machine().is_some_and(|machine| machine.contains("hexagon")));
    Some(crate::hand_made::validate(&oracle, instructions))
}

#[test]
fn right_semantics_agree_and_wrong_ones_are_caught() {
    let instructions = [
        pair_sum("right pair", BinaryOp::Add),
        pair_sum("wrong pair", BinaryOp::Sub),
        both("right predicate", BinaryOp::And),
        both("wrong predicate", BinaryOp::Or),
        multiply_add("right accumulator", BinaryOp::Add),
        multiply_add("wrong accumulator", BinaryOp::Sub),
        carry("right carry", BinaryOp::Add),
        carry("wrong carry", BinaryOp::Sub),
    ];
    let Some(checked) = validate(&instructions) else { return };
    one_of_each_pair_agrees(&checked);
}

#[test]
fn what_cannot_be_run_is_named() {
    let like = |id: &str, change: &dyn Fn(&mut Instruction)| {
        let mut instruction = pair_sum(id, BinaryOp::Add);
        change(&mut instruction);
        instruction
    };
    let instructions = [
        like("newer", &|i| i.extensions = vec!["hvxv68".into()]),
        like("no name", &|i| i.intrinsic.clear()),
        like("unknown", &|i| i.intrinsic = "Q6_Wb_vfrob_WbWb".into()),
        like("good", &|_| {}),
    ];
    let Some(checked) = validate(&instructions) else { return };
    assert_eq!(checked[0].outcome, Outcome::NotRunnable { missing: vec!["hvxv68".into()] });
    for (checked, part) in checked[1..].iter().zip(["no C intrinsic", "Q6_Wb_vfrob_WbWb"]) {
        let Outcome::NotBuildable { message } = &checked.outcome else { panic!("{checked:?}") };
        assert!(message.contains(part), "{message}");
    }
    assert_eq!(checked[3].outcome, Outcome::Agrees { inputs: 1000 });
}
