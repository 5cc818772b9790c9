//! The x86 oracle on hand-made instructions; skipped without clang or x86 Linux.

use std::path::Path;

use difftest::x86::CpuFeatures;
use difftest::{Case, Checked, Oracle, Outcome, X86Oracle, x86};
use hydride_ir::{BinaryOp, Bits, CompareOp, Function, Num, Op};
use parsers::{Argument, Instruction, Kind, UndefinedBits};

use crate::hand_made::{SIGNED, UNSIGNED, available, binary, immediate, instruction, lanes, operand};

fn vector(name: &str, width: u32) -> Argument {
    operand(name, &format!("__m{width}i"), width, Kind::Vector)
}

fn add_epi8(id: &str, op: BinaryOp) -> Instruction {
    let args = vec![vector("a", 128), vector("b", 128)];
    let mut instruction =
        instruction("_mm_add_epi8", &["SSE2"], args, vec![vector("dst", 128)], |f, args| {
            vec![lanes(f, args, 8, 128, |f, args| binary(f, op, UNSIGNED, args[0], args[1], 8))]
        });
    instruction.id = id.into();
    instruction
}

/// `(a + b + 1) >> 1`, in nine bits when it is right.
fn avg_epu8(id: &str, width: u32) -> Instruction {
    let args = vec![vector("a", 128), vector("b", 128)];
    let mut instruction =
        instruction("_mm_avg_epu8", &["SSE2"], args, vec![vector("dst", 128)], |f, args| {
            vec![lanes(f, args, 8, 128, |f, args| {
                let zero = || Num::constant(0);
                let left = f.push(Op::Cast { of: args[0], signed: zero() }, width);
                let right = f.push(Op::Cast { of: args[1], signed: zero() }, width);
                let one = f.push(Op::Int(1u32.into()), width);
                let sum = binary(f, BinaryOp::Add, UNSIGNED, left, right, width);
                let sum = binary(f, BinaryOp::Add, UNSIGNED, sum, one, width);
                let of = binary(f, BinaryOp::Shr, UNSIGNED, sum, one, width);
                f.push(Op::Cast { of, signed: zero() }, 8u32)
            })]
        });
    instruction.id = id.into();
    instruction
}

fn shift(intrinsic: &str, op: BinaryOp, signed: i64) -> Instruction {
    let args = vec![vector("a", 128), immediate(0, 255)];
    instruction(intrinsic, &["SSE2"], args, vec![vector("dst", 128)], |f, args| {
        let count = args[1];
        vec![lanes(f, &args[..1], 16, 128, |f, args| binary(f, op, signed, args[0], count, 16))]
    })
}

fn prepare(instructions: &[Instruction], work_dir: &Path) -> Option<Oracle> {
    available(X86Oracle::prepare(instructions, work_dir, &x86::Options::default()))
}

fn validate(instructions: &[Instruction]) -> Option<Vec<Checked>> {
    let folder = tempfile::tempdir().unwrap();
    let oracle = prepare(instructions, folder.path())?;
    Some(crate::hand_made::validate(&oracle, instructions))
}

#[test]
fn right_semantics_agree_and_wrong_ones_are_caught() {
    let instructions = [
        add_epi8("right add", BinaryOp::Add),
        add_epi8("wrong add", BinaryOp::Or),
        avg_epu8("right average", 9),
        avg_epu8("narrow average", 8),
        shift("_mm_slli_epi16", BinaryOp::Shl, UNSIGNED),
        shift("_mm_srai_epi16", BinaryOp::Shr, SIGNED),
        // Logical in the semantics, arithmetic in the CPU.
        Instruction { id: "wrong shift".into(), ..shift("_mm_srai_epi16", BinaryOp::Shr, UNSIGNED) },
    ];
    let Some(checked) = validate(&instructions) else { return };
    for right in [0, 2, 4, 5] {
        assert_eq!(checked[right].outcome, Outcome::Agrees { inputs: 1000 }, "{}", checked[right].id);
    }
    for wrong in [1, 3, 6] {
        let Outcome::Mismatch(mismatch) = &checked[wrong].outcome else { panic!("{:?}", checked[wrong]) };
        assert!(mismatch.parsed_differs > 100 && mismatch.inputs == 1000);
        assert_ne!(mismatch.parsed, mismatch.expected);
        assert_eq!(mismatch.args.len(), 2);
    }
}

#[test]
fn masks_scalars_and_several_results() {
    let mask = |name: &str| operand(name, "__mmask16", 16, Kind::Mask);
    let scalar = |name: &str, c_type: &str| operand(name, c_type, 64, Kind::Scalar);
    let compare = instruction(
        "_mm512_mask_cmplt_epu32_mask",
        &["AVX512F"],
        vec![mask("k1"), vector("a", 512), vector("b", 512)],
        vec![mask("k")],
        |f, args| {
            let parts = (0..16u32).rev().map(|lane| {
                let left = f.push(Op::Extract { of: args[1], low: (32 * lane).into() }, 32u32);
                let right = f.push(Op::Extract { of: args[2], low: (32 * lane).into() }, 32u32);
                let signed = Num::constant(UNSIGNED);
                let less = f.push(Op::Compare { op: CompareOp::Lt, signed, left, right }, 1u32);
                let bit = f.push(Op::Extract { of: args[0], low: lane.into() }, 1u32);
                binary(f, BinaryOp::And, UNSIGNED, less, bit, 1)
            });
            let parts = parts.collect();
            vec![f.push(Op::Concat(parts), 16u32)]
        },
    );
    let product = instruction(
        "_mulx_u64",
        &["BMI2"],
        vec![scalar("a", "unsigned __int64"), scalar("b", "unsigned __int64")],
        vec![scalar("dst", "unsigned __int64"), scalar("hi", "unsigned __int64*")],
        |f, args| {
            let wide = |f: &mut Function, of| f.push(Op::Cast { of, signed: Num::constant(0) }, 128u32);
            let (left, right) = (wide(f, args[0]), wide(f, args[1]));
            let of = binary(f, BinaryOp::Mul, UNSIGNED, left, right, 128);
            [0u32, 64].map(|low| f.push(Op::Extract { of, low: low.into() }, 64u32)).to_vec()
        },
    );
    let Some(checked) = validate(&[compare, product]) else { return };
    for checked in checked {
        match checked.outcome {
            Outcome::NotRunnable { missing } => eprintln!("skipped: {} needs {missing:?}", checked.id),
            outcome => assert_eq!(outcome, Outcome::Agrees { inputs: 1000 }, "{}", checked.id),
        }
    }
}

#[test]
fn what_cannot_be_run_is_named() {
    let like = |id: &str, change: &dyn Fn(&mut Instruction)| {
        let mut instruction = add_epi8(id, BinaryOp::Add);
        change(&mut instruction);
        instruction
    };
    let instructions = [
        like("good", &|_| {}),
        like("unknown name", &|i| i.intrinsic = "_mm_frobnicate_epi8".into()),
        like("unknown type", &|i| i.signature.args[0].c_type = "__m129i".into()),
        like("no type", &|i| i.signature.args[0].c_type = "int; } int evil() {".into()),
        like("pointer", &|i| i.signature.args[0].c_type = "void const*".into()),
        like("narrow type", &|i| i.signature.args[0].c_type = "int".into()),
        like("missing feature", &|i| i.extensions.push("AVX512ER".into())),
        like("wrong form", &|i| i.function.args[0].width = Num::constant(64)),
    ];
    let Some(checked) = validate(&instructions) else { return };
    let message = |number: usize| match &checked[number].outcome {
        Outcome::NotBuildable { message } => message.clone(),
        outcome => panic!("{}: {outcome:?}", checked[number].id),
    };
    assert_eq!(checked[0].outcome, Outcome::Agrees { inputs: 1000 });
    assert!(message(1).contains("_mm_frobnicate_epi8"), "{}", message(1));
    assert!(message(2).contains("__m129i"), "{}", message(2));
    assert!(message(3).contains("no C type"), "{}", message(3));
    assert!(message(4).contains("pointer"), "{}", message(4));
    assert!(message(5).contains("128 bits"), "{}", message(5));
    assert_eq!(checked[6].outcome, Outcome::NotRunnable { missing: vec!["AVX512ER".into()] });
    assert!(matches!(checked[7].outcome, Outcome::NotEvaluated { .. }), "{:?}", checked[7]);
}

#[test]
fn refused_immediates_are_counted_and_the_others_run() {
    // The document says 8 bits, the compiler takes four.
    let mut extract = instruction(
        "_mm_extract_epi8",
        &["SSE4.1"],
        vec![vector("a", 128), immediate(0, 255)],
        vec![operand("dst", "int", 32, Kind::Scalar)],
        |f, args| {
            let index = f.push(Op::Extract { of: args[1], low: 0u32.into() }, 4u32);
            let zeros = f.push(Op::Int(0u32.into()), 3u32);
            let low = f.push(Op::Concat(vec![index, zeros]), 7u32);
            let of = f.push(Op::ExtractAt { of: args[0], low }, 8u32);
            vec![f.push(Op::Cast { of, signed: Num::constant(0) }, 32u32)]
        },
    );
    extract.id = "extract@256".into();
    let Some(checked) = validate(&[extract]) else { return };
    assert_eq!(checked[0].outcome, Outcome::Agrees { inputs: 1000 });
    assert_eq!(checked[0].refused_immediates, 240);
}

#[test]
fn undefined_bits_are_not_compared() {
    // Right only in the lowest byte.
    let undefined = |low| UndefinedBits { result: 0, low, width: 128 - low };
    let with = |id: &str, low| {
        let args = vec![vector("a", 128), vector("b", 128)];
        let results = vec![vector("dst", 128)];
        let mut add = instruction("_mm_add_epi8", &["SSE2"], args, results, |f, args| {
            vec![binary(f, BinaryOp::Add, UNSIGNED, args[0], args[1], 128)]
        });
        add.id = id.into();
        add.undefined = vec![undefined(low)];
        add
    };
    let mut beyond = with("beyond", 8);
    beyond.undefined[0].width += 1;
    let Some(checked) = validate(&[with("byte", 8), with("more", 9), beyond]) else { return };
    assert_eq!(checked[0].outcome, Outcome::Agrees { inputs: 1000 });
    assert!(matches!(checked[1].outcome, Outcome::Mismatch(_)));
    assert!(matches!(checked[2].outcome, Outcome::NotEvaluated { .. }));
}

#[test]
fn signals_do_not_end_the_validation() {
    // There is no control register of that number.
    let args = vec![operand("index", "unsigned int", 32, Kind::Scalar)];
    let results = vec![operand("dst", "unsigned __int64", 64, Kind::Scalar)];
    let fault =
        instruction("_xgetbv", &["XSAVE"], args, results, |f, _| vec![f.push(Op::Int(0u32.into()), 64u32)]);
    let instructions = [add_epi8("before", BinaryOp::Add), fault, add_epi8("after", BinaryOp::Add)];
    let Some(checked) = validate(&instructions) else { return };
    assert_eq!(checked[0].outcome, Outcome::Agrees { inputs: 1000 });
    let Outcome::Signal { name, args } = &checked[1].outcome else { panic!("{:?}", checked[1]) };
    assert_eq!((name.as_str(), args.len()), ("SIGSEGV", 1));
    assert_eq!(checked[2].outcome, Outcome::Agrees { inputs: 1000 });
}

#[test]
fn the_cpu_may_refuse_what_it_should_have() {
    let Ok(cpuinfo) = std::fs::read_to_string("/proc/cpuinfo") else { return };
    if CpuFeatures::from_cpuinfo(&cpuinfo).missing(&["SM4".into()]).is_empty() {
        return eprintln!("skipped: this CPU has SM4");
    }
    let features = CpuFeatures::from_cpuinfo(&cpuinfo.replacen("flags\t\t:", "flags\t\t: sm4", 1));
    let args = vec![vector("a", 128), vector("b", 128)];
    let sm4 = instruction("_mm_sm4key4_epi32", &["SM4"], args, vec![vector("dst", 128)], |_, args| {
        args[..1].to_vec()
    });
    let folder = tempfile::tempdir().unwrap();
    let options = x86::Options { features: Some(features), ..x86::Options::default() };
    let Ok(oracle) = X86Oracle::prepare([&sm4], folder.path(), &options) else {
        return eprintln!("skipped: no compiler");
    };
    let report = oracle.validate(&[Case::new(&sm4)], 10, 0, |_| {}).unwrap();
    assert_eq!(report.cases[0].outcome, Outcome::NotRunnable { missing: vec!["SIGILL".into()] });
}

#[test]
fn canonical_forms_and_known_bits() {
    let instructions = [add_epi8("add", BinaryOp::Add)];
    let folder = tempfile::tempdir().unwrap();
    let Some(oracle) = prepare(&instructions, folder.path()) else { return };
    let right = &instructions[0].function;
    let wrong = add_epi8("wrong", BinaryOp::Xor).function;
    let case = |canonical, known_bits| Case {
        canonical: Some(canonical),
        known_bits,
        ..Case::new(&instructions[0])
    };
    let no_bits = vec![Some(Bits::zero(128))];
    let cases = [
        case(right, vec![]),
        case(&wrong, vec![]),
        case(&wrong, no_bits),
        case(right, vec![Some(Bits::zero(8))]),
    ];
    let seen = std::sync::atomic::AtomicUsize::new(0);
    let count = |_: &Checked| {
        seen.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    };
    let report = oracle.validate(&cases, 200, 1, count).unwrap();
    assert_eq!(seen.into_inner(), 4);
    assert_eq!(report.cases[0].outcome, Outcome::Agrees { inputs: 200 });
    let Outcome::Mismatch(mismatch) = &report.cases[1].outcome else { panic!("{report:?}") };
    assert!(mismatch.parsed_differs == 0 && mismatch.canonical_differs > 20);
    assert_eq!(mismatch.parsed, mismatch.expected);
    assert_eq!(report.cases[2].outcome, Outcome::Agrees { inputs: 200 });
    assert!(matches!(report.cases[3].outcome, Outcome::NotEvaluated { .. }));
    let totals = report.totals();
    assert_eq!((totals.agrees, totals.mismatch, totals.not_evaluated), (2, 1, 1));

    let json = serde_json::to_string(&report).unwrap();
    assert!(json.contains(r#""outcome":"mismatch""#), "{json}");
    assert_eq!(serde_json::from_str::<difftest::Report>(&json).unwrap(), report);

    // The same content is not compiled again, and gives the same report.
    let before: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    let again = prepare(&instructions, folder.path()).unwrap().validate(&cases, 200, 1, |_| {}).unwrap();
    let after: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!((again, after), (report, before));
}
