//! Floating-point operators: the interpreter's, which are LLVM's, against the folding of literals in `hydride-ir`, which
//! is exact arithmetic on integers.

use hydride_ir::exact::{Int, raise};
use hydride_ir::{
    Bits, ERROR_FRACTION, Float, FloatOp, Function, NanRule, Num, Op, ROUNDING_WIDTH, Random, ResultId,
    ResultSlot, Stmt,
};
use interp::{Choice, Program};

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
    let exact: Vec<FloatOp> =
        FloatOp::NAMES.iter().map(|(op, _)| *op).filter(|op| !op.approximates()).collect();
    for _ in 0..60_000 {
        let op = random.pick(&exact);
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

/// An approximation with an error at a number, by each choice.
fn approximations(op: FloatOp, (exponent, width): (u32, u32), error: u32, of: u64) -> [u64; 4] {
    let float = Float { op, nan: NanRule::First, exponent, target: error };
    let function = function(float, width, &[(width, of)]);
    [Choice::Usual, Choice::Least, Choice::Greatest, Choice::Flushed].map(|choice| {
        let program = Program::with_choice(&function, &[], choice).expect("it compiles");
        program.run(&[]).expect("it runs")[0].to_u64().expect("it is narrow")
    })
}

/// A positive normal number: its digits and the exponent of the last one.
fn digits((exponent, width): (u32, u32), of: u64) -> (Int, i64) {
    let fraction = width - 1 - exponent;
    let bias = (1i64 << (exponent - 1)) - 1;
    (
        Int::from(of & ((1 << fraction) - 1) | 1 << fraction),
        (of >> fraction) as i64 - bias - i64::from(fraction),
    )
}

/// How an approximation compares with the exact value, of which it is `ratio / 2^32`: by their powers times the operand.
fn compared(power: usize, value: &(Int, i64), of: &(Int, i64), ratio: i64) -> std::cmp::Ordering {
    let left = value.0.pow(power) * &of.0;
    let right = Int::from(ratio).pow(power);
    let apart = power as i64 * (value.1 + i64::from(ERROR_FRACTION)) + of.1;
    let shift = apart.unsigned_abs() as usize;
    if apart < 0 { left.cmp(&(right << shift)) } else { (left << shift).cmp(&right) }
}

#[test]
fn approximations_are_correctly_rounded_and_within_their_bounds() {
    let mut random = Random::new(29);
    for _ in 0..4_000 {
        let format = random.pick(&FORMATS);
        let (exponent, width) = format;
        let fraction = width - 1 - exponent;
        // Neither the operand nor the value is near to subnormal numbers.
        let biased = 3 + random.below((1 << exponent) - 6) as u64;
        let of = biased << fraction | random.word() & ((1 << fraction) - 1);
        let (op, power) = random.pick(&[(FloatOp::Reciprocal, 1), (FloatOp::ReciprocalSqrt, 2)]);
        let error = random.pick(&[1u32 << 18, 3 << 19, 1 << 4, 1 << 25]);
        let [usual, least, greatest, flushed] = approximations(op, format, error, of);
        let text = format!("{op:?} {format:?} {error} {of:x}: {least:x} {usual:x} {greatest:x}");
        assert_eq!(usual, flushed, "{text}");
        let x = digits(format, of);
        let one = 1i64 << ERROR_FRACTION;
        let order = |value: u64, ratio: i64| compared(power, &digits(format, value), &x, ratio);
        let middle = |above: i32| {
            let (digits, last) = digits(format, usual);
            compared(power, &(digits * 2 + above, last - 1), &x, one)
        };
        assert!(middle(-1).is_le() && middle(1).is_ge(), "{text}");
        let [low, high] = [one - i64::from(error), one + i64::from(error)];
        // The outermost numbers within the error, or the neighbors of the exact value.
        assert!(order(least - 1, low).is_lt() && order(greatest + 1, high).is_gt(), "{text}");
        assert!(order(least, low).is_ge() || order(least + 1, one).is_gt(), "{text}");
        assert!(order(greatest, high).is_le() || order(greatest - 1, one).is_lt(), "{text}");
        let quotient = Float { op: FloatOp::Div, nan: NanRule::First, exponent, target: 0 };
        let operands = [(width, ((1 << (exponent - 1)) - 1) << fraction), (width, of), (ROUNDING_WIDTH, 0)];
        let quotient = Program::new(&function(quotient, width, &operands)).expect("it compiles");
        let quotient = quotient.run(&[]).expect("it runs")[0].to_u64();
        assert!(power == 2 || quotient == Some(usual), "{text}");
    }
}

#[test]
fn approximations_have_special_values() {
    let (infinity, zero, least, nan, sign) = (0x7f80_0000, 0, 1, 0x7fc0_0000, 1u64 << 31);
    let of = |op, of| approximations(op, (8, 32), 1 << 18, of);
    for sign in [0, sign] {
        assert_eq!(of(FloatOp::Reciprocal, sign | zero), [sign | infinity; 4]);
        assert_eq!(of(FloatOp::Reciprocal, sign | infinity), [sign; 4]);
        assert_eq!(
            of(FloatOp::Reciprocal, sign | least),
            [0, 1, 2, 3].map(|place| {
                // The greatest finite number is a neighbor of a value beyond it.
                if place == 1 { sign | (infinity - 1) } else { sign | infinity }
            })
        );
        assert_eq!(of(FloatOp::ReciprocalSqrt, sign | zero), [sign | infinity; 4]);
        assert_eq!(of(FloatOp::Reciprocal, sign | 0x7f80_0001), [sign | 0x7fc0_0001; 4]);
    }
    // 2^-127 is subnormal: it may be taken as a zero.
    let [usual, low, high, flushed] = of(FloatOp::Reciprocal, 0x7f00_0000);
    assert_eq!((usual, flushed), (0x0040_0000, 0));
    assert!(low < usual && usual < high && high < 0x0040_0200, "{low:x} {high:x}");
    // Of 2^-126, which is normal, an approximation may be subnormal.
    assert_eq!(of(FloatOp::Reciprocal, 0x7e80_0000)[3], 0);
    assert_eq!(of(FloatOp::Reciprocal, 0x7e00_0000)[3], 0x0100_0000);
    assert_eq!(of(FloatOp::ReciprocalSqrt, infinity), [0; 4]);
    assert_eq!(of(FloatOp::ReciprocalSqrt, sign | 0x3f80_0000), [sign | nan; 4]);
    assert_eq!(
        of(FloatOp::ReciprocalSqrt, sign | least),
        [sign | nan, sign | nan, sign | nan, sign | infinity]
    );
    assert_eq!(of(FloatOp::ReciprocalSqrt, 0x4080_0000)[0], 0x3f00_0000);
}

#[test]
fn a_format_without_evaluator_is_refused() {
    let float = Float { op: FloatOp::Sqrt, nan: NanRule::Open, exponent: 4, target: 0 };
    let function = function(float, 8, &[(8, 0x38), (ROUNDING_WIDTH, 0)]);
    let error = Program::new(&function).expect_err("no evaluator has it");
    assert!(error.to_string().contains("an exponent of 4 bits in 8"), "{error}");
}
