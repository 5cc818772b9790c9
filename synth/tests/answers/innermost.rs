//! Compositions whose innermost instruction is known by what it gives alone.

use hydride_ir::Function;
use memo::Memo;
use search::{Instruction, Operand};
use synth::synthesize::{Answer, Status, Target, prover, synthesize};
use synth::table::{Op, Table};
use synth::window::{Input, Meaning, Window};

use crate::support;

/// `(a ^ n) & b` of bytes, `n` an immediate that a window has no other use for.
fn chosen() -> Instruction {
    let mut own = support::instruction("chosen", &[128, 128, 8], 128, 8, |lane| {
        format!("and(xor(%a[{0} +: 8], %c), %b[{0} +: 8])", 8 * lane)
    });
    own.operands[2] = Operand::Choice { width: 8, values: (9..256).step_by(12).collect() };
    own
}

fn binary(id: &'static str, op: &str, width: u32) -> Instruction {
    support::instruction(id, &[128, 128], 128, width, |lane| {
        format!("{op}(%a[{0} +: {width}], %b[{0} +: {width}])", width * lane)
    })
}

/// A byte of the first instruction for registers `%a` and `%b`.
fn byte(at: u32) -> String {
    format!("and(xor(%a[{0} +: 8], 0xb1:8), %b[{0} +: 8])", 8 * at)
}

/// Its lane of 16 bits.
fn word(lane: u32) -> String {
    format!("concat({}, {})", byte(2 * lane + 1), byte(2 * lane))
}

/// The window of a function of registers `%a` to `%d` with lanes of 16 bits.
fn window(lane: impl Fn(u32) -> String) -> Window {
    let lanes: String = (0..8).map(|at| format!("  %r[{} +: 16] = {}\n", 16 * at, lane(at))).collect();
    let text = format!("func @f(%a: 128, %b: 128, %c: 128, %d: 128) -> (%r: 128) {{\n{lanes}}}\n");
    let function = Function::parse(&text).expect("a function");
    Window::of_function(&function, &[Input::Vector; 4]).expect("a window")
}

fn answer<'w>(window: &'w Window, table: &mut Table) -> Answer<'w> {
    let cost = |_: &Op| 1000;
    let target = Target { widths: vec![128], cost: &cost, constant: 0, key: [0; 32], most: None };
    synthesize(window, table, &target, &Memo::default(), &|| false, &mut prover())
}

/// The names of a program's instructions.
fn names(answer: &Answer<'_>, table: &Table) -> Vec<String> {
    let (program, _) = answer.program.as_ref().expect("a program");
    program.steps.iter().map(|step| table.instruction(step.op).id.clone()).collect()
}

#[test]
fn an_immediate_of_the_innermost_instruction_is_solved_for() {
    let own = window(|lane| format!("min.u({}, %c[{} +: 16])", word(lane), 16 * lane));
    let mut table = Table::new(vec![chosen(), binary("least", "min.u", 16)]);
    let answer = answer(&own, &mut table);
    assert_eq!(names(&answer, &table), ["chosen", "least"]);
    let (program, _) = answer.program.as_ref().expect("a program");
    assert_eq!(table.op(program.steps[0].op).choices, [0xb1]);
    // What is kept of it is a program for another table.
    let kept = answer.kept(&table).expect("an answer");
    let mut fresh = Table::new(vec![chosen(), binary("least", "min.u", 16)]);
    let read = kept.read(&mut Meaning::new(&own), &mut fresh).expect("a program");
    assert_eq!(fresh.op(read.steps[0].op).choices, [0xb1]);
}

#[test]
fn several_are_found_one_after_the_other() {
    // The second one's result is what the third one reads.
    let own = window(|lane| {
        let inner = |at: u32| format!("and(xor({}, 0x2d:8), %c[{} +: 8])", byte(at), 8 * at);
        format!("min.u(concat({}, {}), %d[{} +: 16])", inner(2 * lane + 1), inner(2 * lane), 16 * lane)
    });
    let mut table = Table::new(vec![chosen(), binary("least", "min.u", 16)]);
    assert_eq!(names(&answer(&own, &mut table), &table), ["chosen", "chosen", "least"]);
}

#[test]
fn what_is_given_on_samples_alone_is_refused() {
    // The instruction differs for one number of 2^16 in each lane.
    let other = support::instruction("other", &[128, 128, 128], 128, 64, |lane| {
        let own = |name: &str| format!("%{name}[{} +: 64]", 64 * lane);
        let (a, b) = (own("a"), own("b"));
        format!("mul(xor({a}, select(eq({a}, 0x8123456789abcdef:64), 0x1:64, {b})), {})", own("c"))
    });
    let lane = |at: u32| {
        let (own, low) = (64 * (at / 4), 16 * (at % 4));
        format!(
            "min.u(mul(xor(%a[{own} +: 64], %b[{own} +: 64]), %c[{own} +: 64])[{low} +: 16], %d[{} +: 16])",
            16 * at
        )
    };
    let mut table = Table::new(vec![other, binary("least", "min.u", 16)]);
    assert_eq!(answer(&window(lane), &mut table).status, Status::Exhausted);
}
