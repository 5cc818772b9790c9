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

/// `count` loops inside each other, with one iteration each.
fn nested(count: u32) -> Function {
    let (mut function, arg) = with_arg(8u32);
    let assign = Stmt::Assign { result: ResultId(0), low: Num::constant(0), value: arg };
    let around = |body, index| Stmt::For { index: IndexId(index), count: Num::constant(1), body: vec![body] };
    function.body = vec![(0..count).fold(assign, around)];
    function
}

#[test]
fn loops_and_folds_may_be_nested_up_to_a_limit() {
    let bound = Limit::Nesting.bound() as u32;
    let too_deep = Err(EvalError::Limit { limit: Limit::Nesting });
    for (depth, fits) in [(bound, true), (bound + 1, false), (bound + 9, false)] {
        let found = Program::new(&nested(depth)).map(|_| ());
        assert_eq!(found, if fits { Ok(()) } else { too_deep.clone() }, "{depth} loops");
        let (mut function, mut value) = with_arg(8u32);
        for index in 0..depth {
            let (op, signed, count) = (BinaryOp::Add, Num::constant(0), Num::constant(1));
            value = function.push(Op::Fold { op, signed, index: IndexId(index), count, body: value }, 8u32);
        }
        assign(&mut function, value);
        let found = Program::new(&function).map(|_| ());
        assert_eq!(found, if fits { Ok(()) } else { too_deep.clone() }, "{depth} folds");
    }
}

#[test]
fn loops_have_an_iteration_at_least() {
    for (count, is_legal) in [(-1, false), (0, false), (1, true)] {
        let (mut function, arg) = with_arg(8u32);
        let assign = Stmt::Assign { result: ResultId(0), low: Num::constant(0), value: arg };
        function.body =
            vec![Stmt::For { index: IndexId(0), count: Num::constant(count), body: vec![assign] }];
        assert_eq!(Program::new(&function).is_ok(), is_legal, "{count} iterations");
    }
}

#[test]
fn the_last_iteration_that_is_allowed_is_done() {
    let (mut function, arg) = with_arg(8u32);
    let assign = Stmt::Assign { result: ResultId(0), low: Num::constant(0), value: arg };
    for (count, fits) in [(Limit::Iterations.bound(), true), (Limit::Iterations.bound() + 1, false)] {
        let count = Num::constant(i64::try_from(count).unwrap());
        function.body = vec![Stmt::For { index: IndexId(0), count, body: vec![assign.clone()] }];
        assert_eq!(Program::new(&function).is_ok(), fits);
    }
}

/// After a loop over an index, the index of that name around it has its value again.
#[test]
fn an_inner_index_hides_an_outer_one_only_inside() {
    let (mut function, arg) = with_arg(32u32);
    let low = Num::index(IndexId(0)) * Num::constant(8);
    let slice = function.push(Op::Extract { of: arg, low: low.clone() }, 8u32);
    let write = |low| Stmt::Assign { result: ResultId(0), low, value: slice };
    let inner =
        Stmt::For { index: IndexId(0), count: Num::constant(2), body: vec![write(Num::constant(24))] };
    let body = vec![inner, write(low)];
    function.body = vec![Stmt::For { index: IndexId(0), count: Num::constant(3), body }];
    let found = evaluate(&function, &[Bits::from_u64(32, 0x4433_2211)]);
    assert_eq!(found, Ok(vec![Bits::from_u64(32, 0x2233_2211)]));
}

#[test]
fn slices_and_extensions_that_are_words_already_take_no_step() {
    // The step that remains writes the result.
    for (width, low, sliced, steps) in [
        (128u32, 0, 64u32, 1),
        (128, 64, 64, 1),
        (100, 64, 36, 1),
        (256, 64, 128, 1),
        (100, 64, 20, 2),
        (128, 32, 64, 2),
        (128, 8, 8, 2),
    ] {
        let mut function = Function::new("f");
        function.args = vec![Arg { name: "a".into(), width: width.into(), role: Role::Register }];
        function.results = vec![ResultSlot { name: "r".into(), width: sliced.into() }];
        let arg = function.push(Op::Arg(ArgId(0)), width);
        let value = function.push(Op::Extract { of: arg, low: Num::constant(low) }, sliced);
        assign(&mut function, value);
        assert_eq!(Program::new(&function).unwrap().steps(), steps, "{sliced} bits from {low} on of {width}");
    }
    for (from, to, signed, steps) in [(8u32, 64u32, 0, 1), (65, 128, 0, 1), (8, 65, 0, 2), (8, 64, 1, 2)] {
        let mut function = Function::new("f");
        function.args = vec![Arg { name: "a".into(), width: from.into(), role: Role::Register }];
        function.results = vec![ResultSlot { name: "r".into(), width: to.into() }];
        let arg = function.push(Op::Arg(ArgId(0)), from);
        let value = function.push(Op::Cast { of: arg, signed: Num::constant(signed) }, to);
        assign(&mut function, value);
        assert_eq!(Program::new(&function).unwrap().steps(), steps, "{from} to {to} bits");
    }
}
