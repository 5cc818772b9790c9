//! The Arm oracle on hand-made instructions; skipped without clang or QEMU.

use std::path::Path;

use difftest::{ArmOracle, Checked, EmulatorOptions, OracleError, Outcome};
use hydride_ir::{BinaryOp, ExprId, Function, Num, Op};
use parsers::{Argument, Instruction, Kind};

use crate::hand_made::{
    SIGNED, UNSIGNED, available, binary, immediate, instruction, lanes, one_of_each_pair_agrees, operand,
};

fn vector(name: &str, c_type: &str, width: u32) -> Argument {
    operand(name, c_type, width, Kind::Vector)
}

fn byte_sum(id: &str, op: BinaryOp) -> Instruction {
    let args = vec![vector("a", "int8x16_t", 128), vector("b", "int8x16_t", 128)];
    let results = vec![vector("result", "int8x16_t", 128)];
    let build = |f: &mut Function, args: &[ExprId]| {
        vec![lanes(f, args, 8, 128, |f, args| binary(f, op, UNSIGNED, args[0], args[1], 8))]
    };
    Instruction { id: id.into(), ..instruction("vaddq_s8", &[], args, results, build) }
}

/// Even elements of both arguments, then odd ones, or the other way round.
fn unzip(id: &str, odd_first: bool) -> Instruction {
    let args = vec![vector("a", "int32x2_t", 64), vector("b", "int32x2_t", 64)];
    let results = ["result0", "result1"].map(|name| vector(name, "int32x2_t", 64)).to_vec();
    let build = |f: &mut Function, args: &[ExprId]| {
        [u32::from(odd_first), u32::from(!odd_first)]
            .map(|element| {
                let mut part = |of| f.push(Op::Extract { of, low: (32 * element).into() }, 32u32);
                let parts = vec![part(args[1]), part(args[0])];
                f.push(Op::Concat(parts), 64u32)
            })
            .to_vec()
    };
    Instruction { id: id.into(), ..instruction("vuzp_s32", &[], args, results, build) }
}

/// The document says up to `high`; the compiler takes 1 to 16.
fn shift(id: &str, signed: i64, high: i64) -> Instruction {
    let args = vec![vector("a", "int16x4_t", 64), immediate(1, high)];
    let results = vec![vector("result", "int16x4_t", 64)];
    let build = |f: &mut Function, args: &[ExprId]| {
        let count = f.push(Op::Extract { of: args[1], low: 0u32.into() }, 16u32);
        vec![lanes(f, &args[..1], 16, 64, |f, args| binary(f, BinaryOp::Shr, signed, args[0], count, 16))]
    };
    Instruction { id: id.into(), ..instruction("vshr_n_s16", &[], args, results, build) }
}

/// The first vector of a pair, looked up with no index in range: always zero.
fn lookup(id: &str, value: u32) -> Instruction {
    let args = vec![vector("a", "uint8x16x2_t", 256), vector("b", "uint8x8_t", 64)];
    let results = vec![vector("result", "uint8x8_t", 64)];
    let build = |f: &mut Function, args: &[ExprId]| {
        vec![lanes(f, &args[1..], 8, 64, |f, index| {
            let zero = f.push(Op::Int(0u32.into()), 8u32);
            let limit = f.push(Op::Int(32u32.into()), 8u32);
            let low = f.push(Op::Int(value.into()), 8u32);
            let less = hydride_ir::CompareOp::Lt;
            let signed = Num::constant(UNSIGNED);
            let inside = f.push(Op::Compare { op: less, signed, left: index[0], right: limit }, 1u32);
            let inside = f.push(Op::Cast { of: inside, signed: Num::constant(SIGNED) }, 8u32);
            // Byte `index` of the pair: 8 * index, in enough bits.
            let wide = f.push(Op::Cast { of: index[0], signed: Num::constant(UNSIGNED) }, 16u32);
            let three = f.push(Op::Int(3u32.into()), 16u32);
            let bit = binary(f, BinaryOp::Shl, UNSIGNED, wide, three, 16);
            let mask = f.push(Op::Int(255u32.into()), 16u32);
            let bit = binary(f, BinaryOp::And, UNSIGNED, bit, mask, 16);
            let byte = f.push(Op::ExtractAt { of: args[0], low: bit }, 8u32);
            let byte = binary(f, BinaryOp::And, UNSIGNED, byte, inside, 8);
            let byte = binary(f, BinaryOp::Or, UNSIGNED, byte, zero, 8);
            binary(f, BinaryOp::Xor, UNSIGNED, byte, low, 8)
        })]
    };
    Instruction { id: id.into(), ..instruction("vqtbl2_u8", &[], args, results, build) }
}

fn validate(instructions: &[Instruction]) -> Option<Vec<Checked>> {
    let folder = tempfile::tempdir().unwrap();
    let oracle = available(ArmOracle::prepare(instructions, folder.path(), &EmulatorOptions::default()))?;
    assert!(oracle.machine().is_some_and(|machine| machine.ends_with("-cpu max")));
    Some(crate::hand_made::validate(&oracle, instructions))
}

#[test]
fn right_semantics_agree_and_wrong_ones_are_caught() {
    let instructions = [
        byte_sum("right sum", BinaryOp::Add),
        byte_sum("wrong sum", BinaryOp::Or),
        unzip("right tuple", false),
        unzip("wrong tuple", true),
        shift("right shift", SIGNED, 16),
        shift("wrong shift", UNSIGNED, 16),
        lookup("right pair", 0),
        lookup("wrong pair", 1),
    ];
    let Some(checked) = validate(&instructions) else { return };
    one_of_each_pair_agrees(&checked);
}

#[test]
fn what_cannot_be_built_is_named_and_other_immediates_run() {
    let unknown = Instruction { intrinsic: "vfrobq_s8".into(), ..byte_sum("unknown", BinaryOp::Add) };
    let mut tuple = unzip("no tuple", false);
    tuple.signature.results[1].c_type = "int16x4_t".into();
    let Some(checked) = validate(&[unknown, tuple, shift("far shift", SIGNED, 20)]) else { return };
    for (checked, part) in checked.iter().zip(["vfrobq_s8", "tuple"]) {
        let Outcome::NotBuildable { message } = &checked.outcome else { panic!("{checked:?}") };
        assert!(message.contains(part), "{message}");
    }
    assert_eq!(checked[2].outcome, Outcome::Agrees { inputs: 1000 });
    assert_eq!(checked[2].refused_immediates, 4);
}

#[test]
fn missing_tools_are_named() {
    let options = EmulatorOptions { emulator: Some("no-such-emulator".into()), ..EmulatorOptions::default() };
    let error = ArmOracle::prepare([], Path::new("unused"), &options).unwrap_err();
    assert!(matches!(error, OracleError::Emulator { .. }), "{error:?}");
    assert!(error.to_string().contains("no-such-emulator"));

    // A compiler that does not know the machine rejects no particular instruction. Both stand-ins are files of the
    // repository: executing a file that was just written can fail while another thread is starting a process.
    let folder = tempfile::tempdir().unwrap();
    let stand_in = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracles").join(name);
    let (compiler, emulator) = (stand_in("knows_no_machine.sh"), stand_in("tells_its_version.sh"));
    let instruction = byte_sum("sum", BinaryOp::Add);
    let options = EmulatorOptions { compiler, emulator: Some(emulator), ..EmulatorOptions::default() };
    let error = ArmOracle::prepare([&instruction], folder.path(), &options).unwrap_err();
    assert_eq!(error.to_string(), "cannot build anything for arm: error: unknown target");
}
