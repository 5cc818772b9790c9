//! How strong the hardware comparison is: semantics with one thing changed must be caught.
//!
//! Of 200 parsed semantics chosen at random, and of 200 that compute with floating-point numbers, each gets one changed operator, width,
//! index, literal or signedness. A mutant that the CPU agrees with must be provably equal to the original, but for 1%.

use std::time::Duration;

use difftest::{Case, Outcome, X86Oracle, x86};
use hydride_ir::{BinaryOp, Bits, CompareOp, Expr, ExprId, Float, FloatOp, Function, Num, Op};
use parsers::Instruction;
use smt::{Prover, Verdict};

const MUTANTS: usize = 200;

/// A small generator of repeatable pseudo-random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound
    }
}

/// The function with the operation of one expression replaced.
fn rebuilt(function: &Function, place: usize, op: Op) -> Function {
    let mut mutant = Function::new(&function.name);
    mutant.args = function.args.clone();
    mutant.results = function.results.clone();
    mutant.body = function.body.clone();
    for (position, expr) in function.exprs().iter().enumerate() {
        let op = if position == place { op.clone() } else { expr.op.clone() };
        mutant.push(op, expr.width.clone());
    }
    mutant
}

fn toggled(signed: &Num) -> Num {
    Num::constant(1 - signed.as_constant().unwrap_or(0))
}

/// One change of an operation that keeps every width, if there is one of the drawn kind.
fn changed(function: &Function, expr: &Expr, random: &mut Random) -> Option<Op> {
    let other = |op: BinaryOp| match op {
        BinaryOp::Add => BinaryOp::Sub,
        BinaryOp::Sub => BinaryOp::Add,
        BinaryOp::And => BinaryOp::Or,
        BinaryOp::Or => BinaryOp::Xor,
        BinaryOp::Xor => BinaryOp::And,
        BinaryOp::Min => BinaryOp::Max,
        BinaryOp::Max => BinaryOp::Min,
        BinaryOp::Mul => BinaryOp::Add,
        BinaryOp::Shl | BinaryOp::Shr => {
            if op == BinaryOp::Shl {
                BinaryOp::Shr
            } else {
                BinaryOp::Shl
            }
        }
        BinaryOp::Div => BinaryOp::Rem,
        BinaryOp::Rem => BinaryOp::Div,
    };
    let width = expr.width.as_constant()?;
    Some(match &expr.op {
        Op::Binary { op, signed, left, right } => {
            if op.has_sign() && random.below(2) == 0 {
                Op::Binary { op: *op, signed: toggled(signed), left: *left, right: *right }
            } else {
                let op = other(*op);
                let signed = if op.has_sign() { signed.clone() } else { Num::constant(0) };
                Op::Binary { op, signed, left: *left, right: *right }
            }
        }
        Op::Compare { op, signed, left, right } => {
            let op = match op {
                CompareOp::Lt => CompareOp::Le,
                CompareOp::Le => CompareOp::Lt,
                CompareOp::Eq => CompareOp::Le,
            };
            Op::Compare { op, signed: signed.clone(), left: *left, right: *right }
        }
        Op::Cast { of, signed } => Op::Cast { of: *of, signed: toggled(signed) },
        Op::Saturate { of, from_signed, to_signed } => {
            Op::Saturate { of: *of, from_signed: from_signed.clone(), to_signed: toggled(to_signed) }
        }
        Op::Extract { of, low } => {
            let whole = function.expr(*of).width.as_constant()?;
            let low = low.as_constant()?;
            let step = if random.below(2) == 0 { width } else { 1 };
            let moved = if low + step + width <= whole { low + step } else { low - step };
            if moved < 0 || moved == low {
                return None;
            }
            Op::Extract { of: *of, low: Num::constant(moved) }
        }
        Op::Const(bits) => {
            let flipped = bits
                .words()
                .iter()
                .enumerate()
                .map(|(word, value)| if word == 0 { value ^ 1 } else { *value });
            Op::Const(Bits::from_words(bits.width(), flipped))
        }
        Op::Select { condition, then, otherwise } => {
            Op::Select { condition: *condition, then: *otherwise, otherwise: *then }
        }
        Op::Float { float, operands } => {
            let (float, operands) = changed_float(float, operands)?;
            Op::Float { float, operands }
        }
        _ => return None,
    })
}

/// Another floating-point operator with as many operands, or operands in another order.
fn changed_float(float: &Float<Num>, operands: &[ExprId]) -> Option<(Float<Num>, Vec<ExprId>)> {
    let mut operands = operands.to_vec();
    let op = match float.op {
        FloatOp::Add => FloatOp::Sub,
        FloatOp::Sub | FloatOp::Mul => FloatOp::Add,
        FloatOp::Div => FloatOp::Mul,
        FloatOp::Sqrt => FloatOp::RoundToInt,
        FloatOp::RoundToInt => FloatOp::Sqrt,
        FloatOp::Min => FloatOp::Max,
        FloatOp::Max => FloatOp::Min,
        FloatOp::Lt => FloatOp::Le,
        FloatOp::Le | FloatOp::Eq => FloatOp::Lt,
        FloatOp::Unordered => FloatOp::Eq,
        FloatOp::MulAdd => {
            operands.swap(1, 2);
            FloatOp::MulAdd
        }
        FloatOp::ToInt => return Some((Float { target: toggled(&float.target), ..float.clone() }, operands)),
        _ => return None,
    };
    Some((Float { op, ..float.clone() }, operands))
}

fn computes_with_floats(function: &Function) -> bool {
    function.exprs().iter().any(|expr| matches!(expr.op, Op::Float { .. }))
}

fn mutant(function: &Function, random: &mut Random) -> Option<Function> {
    for _ in 0..40 {
        let place = random.below(function.exprs().len());
        if let Some(op) = changed(function, &function.exprs()[place], random) {
            let mutant = rebuilt(function, place, op);
            if mutant.verify().is_ok() {
                return Some(mutant);
            }
        }
    }
    None
}

fn document() -> Option<(String, Vec<u8>)> {
    let folder = crate::support::vendor_documents()?.join("x86");
    let newest = std::fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path())).max()?;
    Some((newest.display().to_string(), std::fs::read(newest).ok()?))
}

#[test]
fn mutants_of_the_semantics_are_caught() {
    mutants_are_caught(|function| !computes_with_floats(function), 1000);
}

/// A mutant often differs at few numbers only: where signs of zeros differ, or between the ends of the ranges of signed and of
/// unsigned integers. At 1,000 inputs 3 of 192 were not noticed.

#[test]
fn mutants_of_floating_point_semantics_are_caught() {
    mutants_are_caught(computes_with_floats, 6000);
}

fn mutants_are_caught(may_change: fn(&Function) -> bool, inputs: usize) {
    let Some((name, bytes)) = document() else { return };
    let parsed = parsers::intel::parse(&name, &bytes, &parsers::intel::Options::default());
    let mut random = Random(0x5eed);
    let work = tempfile::tempdir().unwrap();
    // Enough candidates that 200 of them can run here.
    let mut chosen: Vec<&Instruction> = Vec::new();
    while chosen.len() < 2 * MUTANTS {
        let candidate = &parsed.instructions[random.below(parsed.instructions.len())];
        let function = &candidate.function;
        if !function.exprs().is_empty()
            && may_change(function)
            // What the document leaves undefined is not compared.
            && candidate.undefined.is_empty()
            && !chosen.iter().any(|known| known.id == candidate.id)
        {
            chosen.push(candidate);
        }
    }
    let oracle = match X86Oracle::prepare(chosen.iter().copied(), work.path(), &x86::Options::default()) {
        Ok(oracle) => oracle,
        Err(error) => {
            eprintln!("SKIPPED: {error}");
            return;
        }
    };
    let originals: Vec<Case<'_>> = chosen.iter().map(|instruction| Case::new(instruction)).collect();
    let agreeing = oracle.validate(&originals, 1000, 1, |_| {}).unwrap();
    let mut mutants: Vec<(&Instruction, Instruction)> = Vec::new();
    for (instruction, checked) in chosen.iter().zip(&agreeing.cases) {
        let agrees = matches!(checked.outcome, Outcome::Agrees { .. });
        if agrees
            && mutants.len() < MUTANTS
            && let Some(function) = mutant(&instruction.function, &mut random)
        {
            mutants.push((instruction, Instruction { function, ..(*instruction).clone() }));
        }
    }
    let cases: Vec<Case<'_>> = mutants.iter().map(|(_, mutant)| Case::new(mutant)).collect();
    let report = oracle.validate(&cases, inputs, 1, |_| {}).unwrap();
    let mut prover = Prover::with_time_limit(Duration::from_secs(5));
    let mut caught = 0;
    let mut survivors = Vec::new();
    for ((original, mutant), checked) in mutants.iter().zip(&report.cases) {
        match checked.outcome {
            Outcome::Mismatch(_) => caught += 1,
            Outcome::Agrees { .. } => match prover.equal(&original.function, &mutant.function) {
                Verdict::Equal => {}
                Verdict::Different(_) | Verdict::Unknown(_) => survivors.push(&original.id),
            },
            _ => {}
        }
    }
    let effective = caught + survivors.len();
    println!(
        "{} mutants, {effective} change the meaning, {caught} caught; survivors: {survivors:?}",
        mutants.len()
    );
    assert!(effective >= MUTANTS / 2 || agreeing.totals().agrees < MUTANTS, "too few mutants ran");
    assert!(survivors.len() * 100 <= effective, "survivors: {survivors:?}");
}
