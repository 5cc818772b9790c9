//! Functions for tests: builders, and truth tables made by the interpreter.

#![allow(dead_code)] // each test binary uses its part

use hydride_ir::{
    Arg, ArgId, BinaryOp, Bits, CompareOp, ExprId, Function, Num, Op, ResultId, ResultSlot, Role, Stmt,
    UnaryOp,
};
use smt::{Prover, Verdict};

pub fn num(value: u32) -> Num {
    Num::constant(i64::from(value))
}

/// A function of registers of the given widths whose one result is what `value` builds.
pub fn function(args: &[u32], value: impl FnOnce(&mut Function, &[ExprId]) -> ExprId) -> Function {
    let mut function = Function::new("test");
    let mut ids = Vec::new();
    for (position, width) in (0u32..).zip(args) {
        let name = format!("a{position}");
        function.args.push(Arg { name, width: num(*width), role: Role::Register });
        ids.push(function.push(Op::Arg(ArgId(position)), *width));
    }
    let value = value(&mut function, &ids);
    let width = function.expr(value).width.clone();
    function.results.push(ResultSlot { name: "dst".into(), width });
    function.body.push(Stmt::Assign { result: ResultId(0), low: num(0), value });
    function
}

pub fn width(f: &Function, id: ExprId) -> u32 {
    u32::try_from(f.expr(id).width.as_constant().unwrap()).unwrap()
}

pub fn int(f: &mut Function, width: u32, value: i64) -> ExprId {
    f.push(Op::Int(Num::constant(value)), width)
}

pub fn binary(f: &mut Function, op: BinaryOp, signed: bool, left: ExprId, right: ExprId) -> ExprId {
    let width = width(f, left);
    f.push(Op::Binary { op, signed: num(signed.into()), left, right }, width)
}

pub fn unary(f: &mut Function, op: UnaryOp, of: ExprId) -> ExprId {
    let width = width(f, of);
    f.push(Op::Unary(op, of), width)
}

pub fn compare(f: &mut Function, op: CompareOp, signed: bool, left: ExprId, right: ExprId) -> ExprId {
    f.push(Op::Compare { op, signed: num(signed.into()), left, right }, 1u32)
}

pub fn select(f: &mut Function, condition: ExprId, then: ExprId, otherwise: ExprId) -> ExprId {
    let width = width(f, then);
    f.push(Op::Select { condition, then, otherwise }, width)
}

pub fn cast(f: &mut Function, of: ExprId, width: u32, signed: bool) -> ExprId {
    f.push(Op::Cast { of, signed: num(signed.into()) }, width)
}

pub fn extract(f: &mut Function, of: ExprId, low: u32, width: u32) -> ExprId {
    f.push(Op::Extract { of, low: num(low) }, width)
}

/// The same function as a table over all argument values, filled by the interpreter.
pub fn table(of: &Function) -> Function {
    let widths: Vec<u32> =
        of.args.iter().map(|arg| u32::try_from(arg.width.as_constant().unwrap()).unwrap()).collect();
    let total: u32 = widths.iter().sum();
    assert!(total <= 10, "a table of 2^{total} rows");
    function(&widths, |f, args| {
        let all = match args {
            [only] => *only,
            _ => f.push(Op::Concat(args.iter().rev().copied().collect()), total),
        };
        let mut value = None;
        for row in 0..1u64 << total {
            let mut rest = row;
            let mut inputs = Vec::new();
            for width in &widths {
                inputs.push(Bits::from_u64(*width, rest));
                rest >>= width;
            }
            let output = interp::evaluate(of, &inputs).unwrap().remove(0);
            let width = output.width();
            let output = f.push(Op::Const(output), width);
            value = Some(match value {
                None => output,
                Some(others) => {
                    let key = f.push(Op::Const(Bits::from_u64(total, row)), total);
                    let here = compare(f, CompareOp::Eq, false, all, key);
                    select(f, here, output, others)
                }
            });
        }
        value.unwrap()
    })
}

pub fn assert_equal(left: &Function, right: &Function) {
    assert_eq!(Prover::new().equal(left, right), Verdict::Equal);
}

/// Expects a counterexample and checks it by interpretation.
pub fn assert_different(left: &Function, right: &Function) {
    assert_different_by(&mut Prover::new(), left, right);
}

pub fn assert_different_by(prover: &mut Prover, left: &Function, right: &Function) -> Vec<Bits> {
    let Verdict::Different(model) = prover.equal(left, right) else { panic!("expected a counterexample") };
    let results = [left, right].map(|function| interp::evaluate(function, &model.args).unwrap());
    assert_ne!(results[0], results[1], "the counterexample {:?} is none", model.args);
    model.args
}
