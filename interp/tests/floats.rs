//! Floating-point operators: the interpreter's, which are LLVM's, against the folding of literals in `hydride-ir`, which
//! is exact arithmetic on integers.

use hydride_ir::exact::raise;
use hydride_ir::{
    Bits, Float, FloatOp, Function, NanRule, Num, Op, ROUNDING_WIDTH, Random, ResultId, ResultSlot, Stmt,
};
use interp::Program;

const FORMATS: [(u32, u32); 4] = [(5, 16), (8, 16), (8, 32), (11, 64)];

/// A bit pattern of interest: zeros, subnormals, infinities, both kinds of NaN, ties, near integers, any.
fn pattern(random: &mut Random, (exponent, width): (u32, u32)) -> u64 {
    let fraction = width - 1 - exponent;
    let ones = |bits: u32| (1u64 << bits) - 1;
    let biased = match random.below(8) {
        0 => 0,
        1 => ones(exponent),
        2 => ones(exponent) - 1,
        3 | 4 => ones(exponent - 1) + random.below(2 * fraction as usize) as u64 - u64::from(fraction) / 2,
        _ => random.word() & ones(exponent),
    };
    let mantissa = match random.below(6) {
        0 => 0,
        1 => 1 << (fraction - 1),
        2 => 1 << random.below(fraction as usize),
        3 => ones(fraction),
        _ => random.word() & ones(fraction),
    };
    (random.word() & 1) << (width - 1) | biased.min(ones(exponent)) << fraction | mantissa
}

fn function(float: Float<u32>, value: u32, operands: &[(u32, u64)]) -> Function {
    let mut function = Function::new("f");
    let operands = operands
        .iter()
        .map(|(width, bits)| function.push(Op::Const(Bits::from_u64(*width, *bits)), Num::from(*width)))
        .collect();
    let float = float.map(|number| Num::from(*number));
    let result = function.push(Op::Float { float, operands }, Num::from(value));
    function.results.push(ResultSlot { name: "r".into(), width: Num::from(value) });
    function.body.push(Stmt::Assign { result: ResultId(0), low: Num::constant(0), value: result });
    function.verify().expect("it is legal");
    function
}

fn check(float: Float<u32>, value: u32, operands: &[(u32, u64)]) {
    let function = function(float, value, operands);
    let evaluated = Program::new(&function).expect("it compiles").run(&[]).expect("it runs");
    let (mut dag, raised) = raise(&function).expect("it is raised");
    let Some(folded) = dag.as_int(raised.results[0][0].value).cloned() else {
        assert!(float.nan == NanRule::Open, "not folded: {function}");
        return;
    };
    let evaluated = dag.bits(&evaluated[0]);
    assert_eq!(dag.as_int(evaluated), Some(&folded), "{function}");
}

#[test]
fn both_evaluations_agree() {
    let mut random = Random::new(17);
    let rules = [NanRule::Open, NanRule::First, NanRule::SignalingFirst];
    for _ in 0..60_000 {
        let (op, _) = random.pick(FloatOp::NAMES);
        let format = random.pick(&FORMATS);
        let (exponent, width) = format;
        let rounding = random.below(6) as u64;
        let mut float = Float { op, nan: random.pick(&rules), exponent, target: 0 };
        let mut operands: Vec<(u32, u64)> =
            (0..op.arity()).map(|_| (width, pattern(&mut random, format))).collect();
        let mut value = if op.compares() { 1 } else { width };
        match op {
            FloatOp::Convert => (float.target, value) = random.pick(&FORMATS),
            FloatOp::ToInt => {
                float.target = random.below(2) as u32;
                value = random.pick(&[8, 16, 18, 32, 34, 64]);
            }
            FloatOp::FromInt => {
                float.target = random.below(2) as u32;
                let bits = random.pick(&[8, 16, 32, 64, 65, 128]);
                let narrow = u64::MAX >> 64u32.saturating_sub(bits);
                operands[0] = (bits, random.word() >> random.below(64) & narrow);
            }
            // Results that are near a tie, and cancellation.
            FloatOp::MulAdd if random.below(2) == 0 => operands[2].1 = operands[0].1 ^ 1 << (width - 1),
            _ => {}
        }
        if op.rounds() {
            operands.push((ROUNDING_WIDTH, rounding));
        }
        check(float, value, &operands);
    }
}

#[test]
fn a_format_without_evaluator_is_refused() {
    let float = Float { op: FloatOp::Sqrt, nan: NanRule::Open, exponent: 4, target: 0 };
    let function = function(float, 8, &[(8, 0x38), (ROUNDING_WIDTH, 0)]);
    let error = Program::new(&function).expect_err("no evaluator has it");
    assert!(error.to_string().contains("an exponent of 4 bits in 8"), "{error}");
}
