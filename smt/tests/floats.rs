//! Floating-point operators: those of Z3's theory against the interpreter's, which are LLVM's, on random numbers; and what is
//! decided with and without the theory.

mod support;

use hydride_ir::{
    Arg, ArgId, Bits, Float, FloatOp, Function, NanRule, Num, Op, ROUNDING_WIDTH, Random, ResultId,
    ResultSlot, Role, Stmt,
};
use interp::Program;
use smt::{Prover, Verdict};

const FORMATS: [(u32, u32); 2] = [(5, 16), (8, 32)];

/// The operator on a function's arguments, the rounding mode a literal.
fn on_arguments(float: Float<u32>, widths: &[u32], value: u32, mode: u64) -> Function {
    let mut function = Function::new("f");
    let mut operands = Vec::new();
    for (position, width) in (0..).zip(widths) {
        function.args.push(Arg {
            name: format!("a{position}"),
            width: (*width).into(),
            role: Role::Register,
        });
        operands.push(function.push(Op::Arg(ArgId(position)), *width));
    }
    if float.op.rounds() {
        operands.push(function.push(Op::Const(Bits::from_u64(ROUNDING_WIDTH, mode)), ROUNDING_WIDTH));
    }
    let float = float.map(|number| Num::from(*number));
    let result = function.push(Op::Float { float, operands }, value);
    finish(&mut function, result, value);
    function
}

fn finish(function: &mut Function, value: hydride_ir::ExprId, width: u32) {
    function.results.push(ResultSlot { name: "r".into(), width: width.into() });
    function.body.push(Stmt::Assign { result: ResultId(0), low: Num::constant(0), value });
    function.verify().expect("it is legal");
}

/// `function` with its arguments fixed, and what it gives for them; both have an argument that is not read.
fn fixed(function: &Function, args: &[Bits]) -> (Function, Function) {
    let start = || {
        let mut copy = Function::new("f");
        copy.args.push(Arg { name: "unread".into(), width: 1u32.into(), role: Role::Register });
        copy
    };
    let mut applied = start();
    let mut ids = Vec::new();
    for expr in function.exprs() {
        let op = match &expr.op {
            Op::Arg(arg) => Op::Const(args[arg.0 as usize].clone()),
            op => op.map_operands(|operand| ids[operand.0 as usize]),
        };
        ids.push(applied.push(op, expr.width.clone()));
    }
    let width =
        function.results[0].width.as_constant().and_then(|width| u32::try_from(width).ok()).unwrap_or(1);
    let last = *ids.last().expect("there is a value");
    finish(&mut applied, last, width);
    let result = Program::new(function).expect("it compiles").run(args).expect("it runs");
    let mut constant = start();
    let value = constant.push(Op::Const(result[0].clone()), width);
    finish(&mut constant, value, width);
    (applied, constant)
}

fn number(random: &mut Random, (exponent, width): (u32, u32)) -> Bits {
    let fraction = width - 1 - exponent;
    let ones = |bits: u32| (1u64 << bits) - 1;
    let biased = match random.below(5) {
        0 => 0,
        1 => ones(exponent),
        2 => ones(exponent - 1) + random.below(12) as u64,
        _ => random.word() & ones(exponent),
    };
    let mantissa = match random.below(4) {
        0 => 0,
        1 => 1 << random.below(fraction as usize),
        _ => random.word() & ones(fraction),
    };
    Bits::from_u64(width, (random.word() & 1) << (width - 1) | biased << fraction | mantissa)
}

#[test]
fn the_theory_agrees_with_the_interpreter() {
    let mut random = Random::new(5);
    let mut prover = Prover::new();
    let exact: Vec<FloatOp> =
        FloatOp::NAMES.iter().map(|(op, _)| *op).filter(|op| !op.approximates()).collect();
    for round in 0..400 {
        let op = exact[round % exact.len()];
        let format = random.pick(&FORMATS);
        let (exponent, width) = format;
        let nan = random.pick(&[NanRule::First, NanRule::SignalingFirst]);
        let mut float = Float { op, nan, exponent, target: 0 };
        let mut args: Vec<Bits> = (0..op.arity()).map(|_| number(&mut random, format)).collect();
        let mut value = if op.compares() { 1 } else { width };
        match op {
            FloatOp::Convert => (float.target, value) = random.pick(&[(5, 16), (8, 16), (8, 32), (11, 64)]),
            FloatOp::ToInt => {
                float.target = random.below(2) as u32;
                value = random.pick(&[8, 16, 34, 64]);
            }
            FloatOp::FromInt => {
                float.target = random.below(2) as u32;
                args[0] = Bits::from_u64(32, random.word() >> (32 + random.below(30)));
            }
            _ => {}
        }
        let widths: Vec<u32> = args.iter().map(Bits::width).collect();
        let function = on_arguments(float, &widths, value, random.below(5) as u64);
        let (applied, constant) = fixed(&function, &args);
        assert_eq!(prover.equal(&applied, &constant), Verdict::Equal, "{applied}{constant}");
    }
}

fn function(text: &str) -> Function {
    let function = Function::parse(text).expect("it parses");
    function.verify().expect("it is legal");
    function
}

#[test]
fn what_the_theory_decides() {
    let mut prover = Prover::new();
    let of = |value: &str| {
        function(&format!("func @f(%a: 16, %b: 16) -> (%r: 16) {{\n  %r[0 +: 16] = {value}\n}}\n"))
    };
    let less = of("cast.u(flt.{5}(%a, %b), 16)");
    let greater = of("cast.u(and(not(fle.{5}(%b, %a)), not(funordered.{5}(%a, %b))), 16)");
    assert_eq!(prover.equal(&less, &greater), Verdict::Equal);
    let with_nans = of("cast.u(not(fle.{5}(%b, %a)), 16)");
    let Verdict::Different(model) = prover.equal(&less, &with_nans) else { panic!("NaNs make them differ") };
    let is_nan = |bits: &Bits| bits.to_u64().is_some_and(|bits| bits & 0x7fff > 0x7c00);
    assert!(model.args.iter().any(is_nan));
    let first = of("fadd.{5}.first(%a, %b, 0x0:3)");
    let exchanged = of("fadd.{5}.first(%b, %a, 0x0:3)");
    assert!(matches!(prover.equal(&first, &exchanged), Verdict::Different(_)));
    let open = of("fadd.{5}(%a, %b, 0x0:3)");
    assert_eq!(prover.equal(&open, &of("fadd.{5}(%b, %a, 0x0:3)")), Verdict::Equal);
    assert!(matches!(prover.equal(&open, &first), Verdict::Unknown(_)));
    let moved = of("fadd.{5}(sub(%b, 0x1:16), %a, 0x5:3)");
    assert_eq!(prover.equal(&of("fadd.{5}(%a, add(%b, 0xffff:16), 0x5:3)"), &moved), Verdict::Equal);
    let odd = of("fadd.{5}.first(%a, %b, 0x5:3)");
    assert!(matches!(prover.equal(&odd, &first), Verdict::Unknown(_)));
}

/// Of an approximation nothing is known but that equal operands have equal values.
#[test]
fn approximations_are_uninterpreted() {
    let mut prover = Prover::new();
    let of = |value: &str| {
        function(&format!("func @f(%a: 16, %b: 16) -> (%r: 16) {{\n  %r[0 +: 16] = {value}\n}}\n"))
    };
    let sum = of("freciprocal.{5}.{262144}(add(%a, %b))");
    assert_eq!(prover.equal(&sum, &of("freciprocal.{5}.{262144}(sub(%a, neg(%b)))")), Verdict::Equal);
    let one = of("freciprocal.{5}.{262144}(0x3c00:16)");
    for other in [
        "freciprocal.{5}.{262145}(add(%a, %b))",
        "freciprocal.{8}.{262144}(add(%a, %b))",
        "frsqrt.{5}.{262144}(add(%a, %b))",
        "freciprocal.{5}.{262144}.first(add(%a, %b))",
    ] {
        assert!(matches!(prover.equal(&sum, &of(other)), Verdict::Unknown(_)), "{other}");
    }
    assert!(matches!(prover.equal(&one, &of("0x3c00:16")), Verdict::Unknown(_)));
    // Beside operators that the theory has to decide.
    let less = of("select(flt.{5}(%a, %b), freciprocal.{5}.{262144}(%a), 0x0:16)");
    let greater = "select(and(not(fle.{5}(%b, %a)), not(funordered.{5}(%a, %b))), freciprocal.{5}.{262144}(%a), 0x0:16)";
    assert_eq!(prover.equal(&less, &of(greater)), Verdict::Equal);
}
