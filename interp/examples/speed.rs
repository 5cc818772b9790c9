//! Measures evaluation: a byte-wise saturating multiply-add of 64 lanes, as flat as parsed.

use std::time::Instant;

use hydride_ir::{Arg, ArgId, BinaryOp, Function, Num, Op, ResultId, ResultSlot, Role, Stmt};
use interp::{Machine, Program};

fn main() -> Result<(), interp::EvalError> {
    let mut function = Function::new("speed");
    for name in ["a", "b", "c"] {
        function.args.push(Arg { name: name.into(), width: 512u32.into(), role: Role::Register });
    }
    function.results.push(ResultSlot { name: "r".into(), width: 512u32.into() });
    let args: Vec<_> = (0..3).map(|arg| function.push(Op::Arg(ArgId(arg)), 512u32)).collect();
    let zero = || Num::constant(0);
    for lane in 0..64 {
        let low = Num::constant(8 * lane);
        let wide: Vec<_> = args
            .iter()
            .map(|of| {
                let of = function.push(Op::Extract { of: *of, low: low.clone() }, 8u32);
                function.push(Op::Cast { of, signed: Num::constant(1) }, 17u32)
            })
            .collect();
        let op = BinaryOp::Mul;
        let product = function.push(Op::Binary { op, signed: zero(), left: wide[0], right: wide[1] }, 17u32);
        let op = BinaryOp::Add;
        let sum = function.push(Op::Binary { op, signed: zero(), left: product, right: wide[2] }, 17u32);
        let of = sum;
        let one = Num::constant(1);
        let value = function.push(Op::Saturate { of, from_signed: one.clone(), to_signed: one }, 8u32);
        function.body.push(Stmt::Assign { result: ResultId(0), low, value });
    }
    let started = Instant::now();
    let program = Program::new(&function)?;
    let compiled = started.elapsed();
    let mut machine = Machine::new();
    let mut words = vec![0x0123_4567_89ab_cdef; 24];
    let started = Instant::now();
    let runs = 20_000;
    for run in 0..runs {
        words[run % 24] ^= run as u64;
        program.run_words(&mut machine, &words)?;
    }
    let nanoseconds = started.elapsed().as_nanos() as f64;
    println!(
        "{} expressions, {} steps, compiled in {compiled:?}, {:.2} ns a step",
        function.exprs().len(),
        program.steps(),
        nanoseconds / (runs * program.steps()) as f64,
    );
    Ok(())
}
