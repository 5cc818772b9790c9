//! What runs in place of intrinsics that a compiler or CPU lacks; skipped without clang or x86 Linux.

use difftest::{Checked, Outcome, X86Oracle, x86};
use hydride_ir::{BinaryOp, ExprId, Function, Num, Op, UnaryOp};
use parsers::{Argument, Instruction, Kind, UndefinedFor};

use crate::hand_made::{
    SIGNED, UNSIGNED, available, binary, instruction, lanes, one_of_each_pair_agrees, operand, validate,
};

fn vector(name: &str, width: u32) -> Argument {
    // Hand-made operands say that their elements have no sign, as Intel's document does of signed remainders.
    let c_type = if width == 128 { "__m128i".into() } else { format!("__m{width}i") };
    operand(name, &c_type, width, Kind::Vector)
}

fn checked(instructions: &[Instruction]) -> Option<Vec<Checked>> {
    let folder = tempfile::tempdir().unwrap();
    let oracle = X86Oracle::prepare(instructions, folder.path(), &x86::Options::default());
    Some(validate(&available(oracle)?, instructions))
}

/// A division with and without sign.
fn divisions(intrinsic: &str, op: BinaryOp, element: u32, signs: [i64; 2]) -> [Instruction; 2] {
    signs.map(|signed| {
        let args = vec![vector("a", 128), vector("b", 128)];
        let divided = instruction(intrinsic, &["SSE2"], args, vec![vector("dst", 128)], |f, args| {
            vec![lanes(f, args, element, 128, |f, args| binary(f, op, signed, args[0], args[1], element))]
        });
        Instruction { id: format!("{intrinsic} {signed}"), ..divided }
    })
}

#[test]
fn the_sign_of_a_division_is_that_of_the_name() {
    let instructions = [
        divisions("_mm_rem_epi8", BinaryOp::Rem, 8, [SIGNED, UNSIGNED]),
        divisions("_mm_rem_epu64", BinaryOp::Rem, 64, [UNSIGNED, SIGNED]),
        divisions("_mm_div_epi16", BinaryOp::Div, 16, [SIGNED, UNSIGNED]),
        divisions("_mm_irem_epi32", BinaryOp::Rem, 32, [SIGNED, UNSIGNED]),
        divisions("_mm_udiv_epi32", BinaryOp::Div, 32, [UNSIGNED, SIGNED]),
    ];
    let Some(checked) = checked(&instructions.concat()) else { return };
    one_of_each_pair_agrees(&checked);
    assert_eq!(checked[0].through.as_deref(), Some("C's % on signed char"));
}

/// `a` rotated to the left by `count` modulo 64, or the other way.
fn rotation(id: &str, left: bool) -> Instruction {
    let args =
        vec![operand("a", "unsigned __int64", 64, Kind::Scalar), operand("shift", "int", 32, Kind::Scalar)];
    let results = vec![operand("dst", "unsigned __int64", 64, Kind::Scalar)];
    let build = |f: &mut Function, args: &[ExprId]| {
        let count = f.push(Op::Extract { of: args[1], low: 0u32.into() }, 6u32);
        let count = f.push(Op::Cast { of: count, signed: Num::constant(UNSIGNED) }, 64u32);
        let all = f.push(Op::Int(64u32.into()), 64u32);
        let rest = binary(f, BinaryOp::Sub, UNSIGNED, all, count, 64);
        let (up, down) = if left { (count, rest) } else { (rest, count) };
        let up = binary(f, BinaryOp::Shl, UNSIGNED, args[0], up, 64);
        let down = binary(f, BinaryOp::Shr, UNSIGNED, args[0], down, 64);
        vec![binary(f, BinaryOp::Or, UNSIGNED, up, down, 64)]
    };
    Instruction { id: id.into(), ..instruction(id, &[], args, results, build) }
}

#[test]
fn an_alias_runs_as_its_equal() {
    let right = [rotation("_rotl64", true), rotation("_rotr64", false)];
    let wrong = [rotation("_rotl64", false), rotation("_rotr64", true)];
    for (instructions, agree) in [(right, true), (wrong, false)] {
        let Some(checked) = checked(&instructions) else { return };
        for (checked, through) in checked.iter().zip(["_lrotl", "_lrotr"]) {
            assert_eq!(matches!(checked.outcome, Outcome::Agrees { .. }), agree, "{checked:?}");
            assert_eq!(checked.through.as_deref(), Some(through));
        }
    }
}

#[test]
fn sixty_four_arguments_are_passed() {
    let intrinsic = "_mm512_set_epi8";
    let set = |id: &str, reversed: bool| {
        let args = (0..64).rev().map(|at| operand(&format!("e{at}"), "char", 8, Kind::Scalar)).collect();
        let set = instruction(intrinsic, &["AVX512F"], args, vec![vector("dst", 512)], |f, args| {
            let mut parts = args.to_vec();
            if reversed {
                parts.reverse();
            }
            vec![f.push(Op::Concat(parts), 512u32)]
        });
        Instruction { id: id.into(), ..set }
    };
    let Some(checked) = checked(&[set("right", false), set("wrong", true)]) else { return };
    if matches!(checked[0].outcome, Outcome::NotRunnable { .. }) {
        return eprintln!("skipped: this CPU has no AVX-512");
    }
    one_of_each_pair_agrees(&checked);
}

#[test]
fn inputs_with_an_undefined_result_are_not_compared() {
    let scan = |id: &str, undefined_for: Vec<UndefinedFor>, top: u32| {
        let args = vec![operand("a", "int", 32, Kind::Scalar)];
        let results = vec![operand("dst", "int", 32, Kind::Scalar)];
        let scan = instruction("_bit_scan_reverse", &[], args, results, |f, args| {
            let zeros = f.push(Op::Unary(UnaryOp::LeadingZeros, args[0]), 32u32);
            let top = f.push(Op::Int(top.into()), 32u32);
            let place = binary(f, BinaryOp::Sub, UNSIGNED, top, zeros, 32);
            // For 0, a number that no CPU returns.
            let none = f.push(Op::Int(0u32.into()), 32u32);
            let op = hydride_ir::CompareOp::Eq;
            let signed = Num::constant(UNSIGNED);
            let zero = f.push(Op::Compare { op, signed, left: args[0], right: none }, 1u32);
            let odd = f.push(Op::Int(0x1234_5678u32.into()), 32u32);
            vec![f.push(Op::Select { condition: zero, then: odd, otherwise: place }, 32u32)]
        });
        Instruction { id: id.into(), undefined_for, ..scan }
    };
    let zero = vec![UndefinedFor { argument: 0, value: 0 }];
    let instructions =
        [scan("right", zero.clone(), 31), scan("wrong", zero, 32), scan("compared for 0", Vec::new(), 31)];
    let Some(checked) = checked(&instructions) else { return };
    one_of_each_pair_agrees(&checked[..2]);
    assert!(matches!(checked[2].outcome, Outcome::Mismatch(_)), "{:?}", checked[2]);
}
