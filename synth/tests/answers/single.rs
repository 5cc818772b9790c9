//! Windows that are one instruction, which samples find.

use hydride_ir::Function;
use memo::Memo;
use search::{Class, Instruction, Operand, Type};
use synth::synthesize::{Answer, Status, Target, prover, synthesize};
use synth::table::{Op, Table};
use synth::window::{Input, Meaning, Window};

use crate::support;

/// `(a ^ n) & b` of bytes, `n` an immediate.
fn chosen() -> Instruction {
    let mut own = support::instruction("chosen", &[128, 128, 8], 128, 8, |lane| {
        format!("and(xor(%a[{0} +: 8], %c), %b[{0} +: 8])", 8 * lane)
    });
    own.operands[2] = Operand::Choice { width: 8, values: (0..256).collect() };
    own
}

/// The window of a function of two registers, whose lanes of a width are an expression of `A` and `B`.
fn window(width: u32, lane: &str) -> Window {
    window_of(128, Input::Vector, width, lane)
}

/// The same of arguments of as many bits.
fn window_of(bits: u32, input: Input, width: u32, lane: &str) -> Window {
    let lane = |at: u32| {
        let read = |name: &str| format!("%{name}[{at} +: {width}]");
        format!("  %r[{at} +: {width}] = {}\n", lane.replace('A', &read("a")).replace('B', &read("b")))
    };
    let lanes: String = (0..bits).step_by(width as usize).map(lane).collect();
    let function =
        Function::parse(&format!("func @f(%a: {bits}, %b: {bits}) -> (%r: {bits}) {{\n{lanes}}}\n"));
    Window::of_function(&function.expect("a function"), &[input; 2]).expect("a window")
}

fn answer<'w>(window: &'w Window, table: &mut Table) -> Answer<'w> {
    let cost = |_: &Op| 1000;
    let target = Target { widths: vec![128], cost: &cost, constant: 0, key: [0; 32], most: None };
    synthesize(window, table, &target, &Memo::default(), &|| false, &mut prover())
}

#[test]
fn an_immediate_that_nothing_asks_for_is_solved_for() {
    let window = window(8, "and(xor(A, 0xb1:8), B)");
    let mut table = Table::new(vec![chosen()]);
    let answer = answer(&window, &mut table);
    let (program, _) = answer.program.as_ref().expect("a program");
    let steps: Vec<&[i64]> = program.steps.iter().map(|step| &table.op(step.op).choices[..]).collect();
    assert_eq!(steps, [[0xb1]]);
    // What is kept of it names an operation that another table has to add.
    let kept = answer.kept(&table).expect("an answer");
    let mut fresh = Table::new(vec![chosen()]);
    let read = kept.read(&mut Meaning::new(&window), &mut fresh).expect("a program");
    assert_eq!(fresh.op(read.steps[0].op).choices, [0xb1]);
}

#[test]
fn an_immediate_that_the_instruction_cannot_have_is_no_operation() {
    let mut own = chosen();
    own.operands[2] = Operand::Choice { width: 8, values: (0..100).collect() };
    let mut table = Table::new(vec![own]);
    assert_eq!(answer(&window(8, "and(xor(A, 0xb1:8), B)"), &mut table).status, Status::Exhausted);
    assert!(
        table.take(0, &[0xb1]).is_none() && table.take(0, &[]).is_none() && table.take(1, &[1]).is_none()
    );
    assert!(table.take(0, &[99]).is_some());
}

#[test]
fn operands_are_found_in_any_order() {
    let mut table = Table::new(vec![chosen()]);
    let window = window(8, "and(A, xor(B, 0xc7:8))");
    let answer = answer(&window, &mut table);
    let (program, _) = answer.program.expect("a program");
    let leaves: Vec<u32> = program.inputs.iter().filter_map(|input| Some(input.load?.0)).collect();
    assert_eq!((program.steps.len(), leaves), (1, vec![1, 0]));
}

#[test]
fn what_agrees_on_samples_alone_is_refused() {
    // The instruction differs from the window for one number of 2^64.
    let other = support::instruction("other", &[128, 128], 128, 64, |lane| {
        let a = format!("%a[{} +: 64]", 64 * lane);
        format!("xor({a}, select(eq({a}, 0x8123456789abcdef:64), 0x1:64, %b[{} +: 64]))", 64 * lane)
    });
    let mut table = Table::new(vec![other]);
    let window = window(64, "xor(A, B)");
    let answer = answer(&window, &mut table);
    assert!(answer.program.is_none() && answer.status == Status::Exhausted, "{:?}", answer.notes);
}

#[test]
fn what_scalars_make_is_an_instruction_too() {
    let scalar = Type { class: Class::Scalar, width: 32 };
    let mut sum = support::instruction("sum", &[32, 32], 32, 32, |_| "add(%a[0 +: 32], %b[0 +: 32])".into());
    sum.operands = vec![Operand::Register(scalar); 2];
    sum.result = scalar;
    let mut table = Table::new(vec![sum]);
    let window = window_of(32, Input::Scalar, 32, "add(A, B)");
    let answer = answer(&window, &mut table);
    let (program, _) = answer.program.expect("a program");
    assert_eq!((program.steps.len(), program.output_type), (1, Some(scalar)));
}

#[test]
fn an_operand_that_is_ignored_may_be_a_leaf_that_nothing_reads() {
    let scalar = Type { class: Class::Scalar, width: 32 };
    let mut own = support::instruction("flipped", &[128, 32, 8], 128, 8, |lane| {
        format!("xor(%a[{} +: 8], %c)", 8 * lane)
    });
    own.operands[1] = Operand::Register(scalar);
    own.operands[2] = Operand::Choice { width: 8, values: (0..256).collect() };
    let lanes: String =
        (0..16).map(|at| format!("  %r[{0} +: 8] = xor(%a[{0} +: 8], 0xb1:8)\n", 8 * at)).collect();
    let function = Function::parse(&format!("func @f(%a: 128, %n: 32) -> (%r: 128) {{\n{lanes}}}\n"));
    let inputs = [Input::Vector, Input::Scalar];
    let window = Window::of_function(&function.expect("a function"), &inputs).expect("a window");
    let mut table = Table::new(vec![own]);
    let answer = answer(&window, &mut table);
    let (program, _) = answer.program.expect("a program");
    assert_eq!((program.steps.len(), program.inputs.len()), (1, 2));
}

/// Products that are rounded to odd are not products that are rounded to the nearest number.
#[test]
fn an_operator_that_nothing_rounds_in_the_same_way_is_not_searched() {
    let multiply = support::instruction("multiply", &[128, 128], 128, 32, |lane| {
        format!("fmul.{{8}}(%a[{0} +: 32], %b[{0} +: 32], 0x0:3)", 32 * lane)
    });
    let mut table = Table::new(vec![multiply]);
    let nearest = window(32, "fmul.{8}(A, B, 0x0:3)");
    assert_eq!(answer(&nearest, &mut table).status, Status::Proved);
    let odd = window(32, "fmul.{8}(A, B, 0x5:3)");
    let answer = answer(&odd, &mut table);
    assert_eq!((answer.status, answer.states), (Status::Exhausted, 0));
    assert_eq!(answer.notes, ["no instruction has its floating-point operator fmul"]);
}
