//! Wrong arguments, functions that break a law, and functions that are too large are errors.

use hydride_ir::{
    Arg, ArgId, BinaryOp, Bits, ExprId, Function, IndexId, Num, Op, Param, ParamId, ResultId, ResultSlot,
    Role, Stmt,
};
use interp::{EvalError, Limit, Program, evaluate};

fn with_arg(width: impl Into<Num>) -> (Function, ExprId) {
    let width = width.into();
    let mut function = Function::new("f");
    function.args = vec![Arg { name: "a".into(), width: width.clone(), role: Role::Register }];
    function.results = vec![ResultSlot { name: "r".into(), width: width.clone() }];
    let arg = function.push(Op::Arg(ArgId(0)), width);
    (function, arg)
}

fn assign(function: &mut Function, value: ExprId) {
    function.body.push(Stmt::Assign { result: ResultId(0), low: Num::constant(0), value });
}

#[test]
fn arguments_must_match() {
    let (mut function, arg) = with_arg(8u32);
    assign(&mut function, arg);
    assert_eq!(evaluate(&function, &[]), Err(EvalError::ArgCount { expected: 1, found: 0 }));
    let wrong = evaluate(&function, &[Bits::zero(16)]);
    assert_eq!(wrong, Err(EvalError::ArgWidth { index: 0, expected: 8, found: 16 }));
    assert_eq!(evaluate(&function, &[Bits::from_u64(8, 7)]), Ok(vec![Bits::from_u64(8, 7)]));
    let program = Program::new(&function).unwrap();
    let mut machine = interp::Machine::new();
    let words = program.run_words(&mut machine, &[1, 2]);
    assert_eq!(words, Err(EvalError::ArgWords { expected: 1, found: 2 }));
    assert!(matches!(Program::with_params(&function, &[1]), Err(EvalError::ParamCount { .. })));
}

#[test]
fn parameters_decide_widths() {
    let width = Num::param(ParamId(0));
    let (mut function, arg) = with_arg(width);
    function.params = vec![Param { name: "w".into(), value: 8 }];
    assign(&mut function, arg);
    assert_eq!(Program::new(&function).unwrap().arg_widths().collect::<Vec<_>>(), [8]);
    let wide = Program::with_params(&function, &[512]).unwrap();
    assert_eq!(wide.run(&[Bits::ones(512)]), Ok(vec![Bits::ones(512)]));
    for width in [0, -1, 65_537, i64::MAX] {
        assert!(matches!(Program::with_params(&function, &[width]), Err(EvalError::Structure { .. })));
    }
}

#[test]
fn broken_laws_are_reported() {
    let broken = |op: &dyn Fn(ExprId) -> Op, width: u32| {
        let (mut function, arg) = with_arg(8u32);
        let value = function.push(op(arg), width);
        assign(&mut function, value);
        Program::new(&function).map(|_| ()).unwrap_err()
    };
    let expression = |error| matches!(error, EvalError::Expression { .. });
    assert!(expression(broken(&|of| Op::Extract { of, low: Num::constant(1) }, 8)));
    assert!(expression(broken(&|of| Op::Extract { of, low: Num::constant(-1) }, 8)));
    assert!(expression(broken(&|of| Op::Extract { of, low: Num::constant(i64::MAX) }, 8)));
    assert!(expression(broken(&|of| Op::Cast { of, signed: Num::constant(2) }, 8)));
    assert!(expression(broken(&|of| Op::Cast { of, signed: Num::index(IndexId(0)) }, 8)));
    assert!(expression(broken(&|of| Op::Concat(vec![of]), 7)));
    assert!(expression(broken(&|_| Op::Arg(ArgId(1)), 8)));
    assert!(expression(broken(&|_| Op::Unary(hydride_ir::UnaryOp::Not, ExprId(1)), 8)));
    assert!(expression(broken(&|of| Op::Select { condition: of, then: of, otherwise: of }, 8)));
    assert!(matches!(broken(&|of| Op::Concat(vec![of, of]), 16), EvalError::Structure { .. }));
}

#[test]
fn loops_are_limited() {
    let (mut function, arg) = with_arg(8u32);
    let assign = Stmt::Assign { result: ResultId(0), low: Num::constant(0), value: arg };
    let inner = Stmt::For { index: IndexId(1), count: Num::constant(1001), body: vec![assign] };
    function.body = vec![Stmt::For { index: IndexId(0), count: Num::constant(1000), body: vec![inner] }];
    let error = Program::new(&function).unwrap_err();
    assert_eq!(error, EvalError::Limit { limit: Limit::Iterations });
    assert_eq!(error.to_string(), "more than 1000000 loop iterations");
}

#[test]
fn long_chains_do_not_overflow_the_stack() {
    let (mut function, arg) = with_arg(8u32);
    let mut sum = arg;
    for _ in 0..200_000 {
        sum = function
            .push(Op::Binary { op: BinaryOp::Add, signed: Num::constant(0), left: sum, right: arg }, 8u32);
    }
    assign(&mut function, sum);
    let expected = Bits::from_u64(8, 3u64.wrapping_mul(200_001));
    assert_eq!(evaluate(&function, &[Bits::from_u64(8, 3)]), Ok(vec![expected]));
}
