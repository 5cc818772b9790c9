//! Hand-written instructions, and the common tests of all oracles.

use difftest::{Case, Checked, Oracle, OracleError, Outcome};
use hydride_ir::{Arg, ArgId, BinaryOp, ExprId, Function, Num, Op, ResultId, ResultSlot, Role, Stmt};
use parsers::{Argument, Element, Immediate, Instruction, Isa, Kind, Signature, Span};

pub const SIGNED: i64 = 1;
pub const UNSIGNED: i64 = 0;

pub fn operand(name: &str, c_type: &str, width: u32, kind: Kind) -> Argument {
    let element = Some(Element { width: 8, signed: false, float: false });
    Argument { name: name.into(), c_type: c_type.into(), width, kind, element }
}

pub fn immediate(low: i64, high: i64) -> Argument {
    operand("imm8", "const int", 32, Kind::Immediate(Immediate { low, high }))
}

/// An instruction whose results are computed whole by `build` from its whole arguments.
pub fn instruction(
    intrinsic: &str,
    extensions: &[&str],
    args: Vec<Argument>,
    results: Vec<Argument>,
    build: impl FnOnce(&mut Function, &[ExprId]) -> Vec<ExprId>,
) -> Instruction {
    let mut function = Function::new(intrinsic);
    for arg in &args {
        let role = match &arg.kind {
            Kind::Immediate(range) => Role::Immediate { low: range.low, high: range.high },
            _ => Role::Register,
        };
        function.args.push(Arg { name: arg.name.clone(), width: arg.width.into(), role });
    }
    for result in &results {
        function.results.push(ResultSlot { name: result.name.clone(), width: result.width.into() });
    }
    let ids: Vec<ExprId> = (0u32..)
        .zip(&args)
        .map(|(position, arg)| function.push(Op::Arg(ArgId(position)), arg.width))
        .collect();
    let values = build(&mut function, &ids);
    for (position, value) in (0u32..).zip(values) {
        function.body.push(Stmt::Assign { result: ResultId(position), low: Num::constant(0), value });
    }
    Instruction {
        id: intrinsic.into(),
        isa: Isa::register("x86"),
        intrinsic: intrinsic.into(),
        function,
        accessed: None,
        addresses: None,
        undefined: Vec::new(),
        undefined_for: Vec::new(),
        signature: Signature { args, results },
        extensions: extensions.iter().map(|name| name.to_string()).collect(),
        forms: Vec::new(),
        span: Span::default(),
    }
}

pub fn binary(
    f: &mut Function,
    op: BinaryOp,
    signed: i64,
    left: ExprId,
    right: ExprId,
    width: u32,
) -> ExprId {
    f.push(Op::Binary { op, signed: Num::constant(signed), left, right }, width)
}

/// `element` on each lane of the arguments, as a concatenation.
pub fn lanes(
    f: &mut Function,
    args: &[ExprId],
    lane: u32,
    total: u32,
    mut element: impl FnMut(&mut Function, &[ExprId]) -> ExprId,
) -> ExprId {
    let mut parts = Vec::new();
    for low in (0..total).step_by(lane as usize).rev() {
        let extract = |of: &ExprId| f.push(Op::Extract { of: *of, low: low.into() }, lane);
        let elements: Vec<ExprId> = args.iter().map(extract).collect();
        parts.push(element(f, &elements));
    }
    f.push(Op::Concat(parts), total)
}

/// The oracle, or `None` and a word where a tool is missing.
pub fn available(oracle: Result<Oracle, OracleError>) -> Option<Oracle> {
    match oracle {
        Ok(oracle) => Some(oracle),
        Err(
            error @ (OracleError::Compiler { .. }
            | OracleError::Host { .. }
            | OracleError::Emulator { .. }
            | OracleError::Toolchain { .. }),
        ) => {
            eprintln!("skipped: {error}");
            None
        }
        Err(error) => panic!("{error:?}"),
    }
}

/// 1000 inputs for each instruction.
pub fn validate(oracle: &Oracle, instructions: &[Instruction]) -> Vec<Checked> {
    let cases: Vec<Case<'_>> = instructions.iter().map(Case::new).collect();
    oracle.validate(&cases, 1000, 42, |_| {}).unwrap().cases
}

/// In each pair, the first instruction has the right semantics, and the wrong semantics of the second are
/// caught.
pub fn one_of_each_pair_agrees(checked: &[Checked]) {
    for pair in checked.chunks(2) {
        assert_eq!(pair[0].outcome, Outcome::Agrees { inputs: 1000 }, "{}", pair[0].id);
        let Outcome::Mismatch(mismatch) = &pair[1].outcome else { panic!("{:?}", pair[1]) };
        assert!(mismatch.parsed_differs > 100 && mismatch.expected != mismatch.parsed, "{}", pair[1].id);
    }
}
