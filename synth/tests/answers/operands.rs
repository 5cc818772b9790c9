//! What operands are: scalars that are put into lanes, what an instruction overwrites, and those of which nothing counts.

use hydride_ir::Function;
use memo::Memo;
use search::{Class, Instruction, Type};
use synth::program::{Program, Value};
use synth::synthesize::{Status, Target, prover, synthesize};
use synth::table::{Op, Table};
use synth::window::{Input, Window};

use crate::support::instruction;

/// The cheapest program for registers of 128 bits, with the instructions' names in order.
fn program(text: &str, inputs: &[Input], instructions: Vec<Instruction>) -> (Program, Vec<String>) {
    program_in(&[128], text, inputs, instructions)
}

/// The same for registers of these widths in bits; an instruction costs a cycle for each of its micro-operations.
fn program_in(
    widths: &[u32],
    text: &str,
    inputs: &[Input],
    instructions: Vec<Instruction>,
) -> (Program, Vec<String>) {
    let function = Function::parse(text).expect("a function");
    let window = Window::of_function(&function, inputs).expect("a window");
    let uops: Vec<u64> = instructions.iter().map(|own| u64::from(own.uops)).collect();
    let cost = |op: &Op| 1000 * uops[op.instruction];
    let target = Target { widths: widths.to_vec(), cost: &cost, constant: 0, key: [0; 32], most: None };
    let mut table = Table::new(instructions);
    let answer = synthesize(&window, &mut table, &target, &Memo::default(), &|| false, &mut prover());
    assert_eq!(answer.status, Status::Proved, "{:?} after {}", answer.notes, answer.states);
    let (program, _) = answer.program.expect("a program");
    let names = program.steps.iter().map(|step| table.instruction(step.op).id.clone()).collect();
    (program, names)
}

/// `%a` with one lane of 32 bits from `%b`: of a vector, or of a general register.
fn inserted(id: &str, lane: u32, class: Class) -> Instruction {
    let scalar = class == Class::Scalar;
    let width = if scalar { 32 } else { 128 };
    let from = if scalar { 0 } else { 32 * lane };
    let body = |i: u32| if i == lane { format!("%b[{from} +: 32]") } else { format!("%a[{} +: 32]", 32 * i) };
    let mut own = instruction(&format!("{id}{lane}"), &[128, width], 128, 32, body);
    own.operands[1] = search::Operand::Register(Type { class, width });
    own.uops = if scalar { 2 } else { 1 };
    own
}

#[test]
fn scalars_are_put_into_lanes_and_not_broadcast_before() {
    let text = "func @f(%a: 128, %m: 32) -> (%r: 128) {\n  %r[0 +: 32] = %a[0 +: 32]\n  %r[32 +: 32] = %m\n  %r[64 +: 64] = %a[64 \
                +: 64]\n}\n";
    let instructions = || vec![inserted("blend", 1, Class::Vector), inserted("insert", 1, Class::Scalar)];
    for input in [Input::Scalar, Input::Scalars(1)] {
        assert_eq!(program(text, &[Input::Vector, input], instructions()).1, ["insert1"]);
    }
    // What is there as a vector costs nothing to bring there.
    let text = text.replace("%m: 32", "%m: 128").replace("= %m\n", "= %m[32 +: 32]\n");
    assert_eq!(program(&text, &[Input::Vector, Input::Vector], instructions()).1, ["blend1"]);
}

#[test]
fn registers_that_are_not_computed_alike_are_computed_each_by_itself() {
    // Two scalars go into the first register, one into the second.
    let lanes = ["%a[0 +: 32]", "%m[0 +: 32]", "%m[32 +: 32]", "%a[96 +: 32]"];
    let more = ["%a[128 +: 32]", "%a[160 +: 32]", "%m[64 +: 32]", "%a[224 +: 32]"];
    let body: String = (0..)
        .zip(lanes.into_iter().chain(more))
        .map(|(i, lane)| format!("  %r[{} +: 32] = {lane}\n", 32 * i))
        .collect();
    let text = format!("func @f(%a: 256, %m: 96) -> (%r: 256) {{\n{body}}}\n");
    let instructions = vec![inserted("insert", 1, Class::Scalar), inserted("insert", 2, Class::Scalar)];
    let mut found = program(&text, &[Input::Vector, Input::Scalars(3)], instructions).1;
    found.sort();
    assert_eq!(found, ["insert1", "insert2", "insert2"]);
}

#[test]
fn what_is_overwritten_is_where_the_result_goes() {
    let halves = |id: &str, one: &str, other: &str| {
        let body = |i: u32| format!("%{}[0 +: 64]", if i == 0 { one } else { other });
        Instruction { destroys: Some(0), ..instruction(id, &[128, 128], 128, 64, body) }
    };
    let text = "func @f(%a: 128, %b: 128) -> (%r: 128) {\n  %r[0 +: 64] = %a[0 +: 64]\n  %r[64 +: 64] = %b[0 +: 64]\n}\n";
    let all = [halves("lows", "a", "b"), halves("swapped", "b", "a")];
    for instructions in [all.to_vec(), all.iter().rev().cloned().collect()] {
        assert_eq!(program(text, &[Input::Vector; 2], instructions).1, ["lows"]);
    }
}

#[test]
fn another_operand_serves_where_nothing_counts() {
    let unpack = instruction("unpack", &[128, 128], 128, 16, |i| {
        format!("%{}[{} +: 16]", if i % 2 == 0 { "a" } else { "b" }, 16 * (i / 2))
    });
    let multiply = instruction("multiply", &[128, 128], 128, 32, |i| {
        format!("mul(cast.s(%a[{0} +: 16], 32), cast.s(%b[{0} +: 16], 32))", 32 * i)
    });
    let text = "func @f(%a: 128, %b: 128) -> (%r: 128) {\n  for i in 0..4 {\n    %r[32*i +: 32] = mul(cast.s(%a[16*i +: 16], 32), \
                cast.s(%a[16*i +: 16], 32))\n  }\n}\n";
    let (program, names) = program(text, &[Input::Vector; 2], vec![unpack, multiply]);
    assert_eq!(names, ["unpack", "multiply"]);
    assert!(program.inputs.iter().all(|input| input.load.is_some()), "{:?}", program.inputs);
    let operands = &program.steps[0].operands;
    assert!(matches!(operands[..], [Value::Input(one), Value::Input(other)] if one == other));
}

#[test]
fn numbers_are_widened_in_steps() {
    let widen = |id: &str, lane: u32, signed: &str| {
        let half = lane / 2;
        instruction(id, &[64], 128, lane, |i| format!("cast.{signed}(%a[{} +: {half}], {lane})", half * i))
    };
    let bytes: String =
        (0..4).map(|i| format!("  %r[{} +: 32] = cast.s(%a[{} +: 8], 32)\n", 32 * i, 8 * i)).collect();
    let text = format!("func @f(%a: 128) -> (%r: 128) {{\n{bytes}}}\n");
    let instructions = vec![widen("of_bytes", 16, "s"), widen("of_words", 32, "s")];
    assert_eq!(program_in(&[64, 128], &text, &[Input::Vector], instructions).1, ["of_bytes", "of_words"]);
    // The lower half of two numbers is one of them, and not the register that they are read from.
    let text = "func @f(%a: 128) -> (%r: 128) {\n  %r[0 +: 64] = cast.u(%a[0 +: 32], 64)\n  %r[64 +: 64] = cast.u(%a[32 +: 32], \
                64)\n}\n";
    let instructions = vec![widen("of_doublewords", 64, "u")];
    assert_eq!(program_in(&[64, 128], text, &[Input::Vector], instructions).1, ["of_doublewords"]);
}

#[test]
fn a_number_in_memory_is_loaded_into_all_lanes() {
    let lanes: String = (0..4).map(|i| format!("  %r[{} +: 32] = %a\n", 32 * i)).collect();
    let text = format!("func @f(%a: 32) -> (%r: 128) {{\n{lanes}}}\n");
    let broadcast = || {
        let mut own = instruction("broadcast", &[32], 128, 32, |_| "%a".to_owned());
        own.operands = vec![search::Operand::Register(Type { class: Class::Scalar, width: 32 })];
        vec![own]
    };
    assert_eq!(program(&text, &[Input::Scalar], broadcast()).1, ["broadcast"]);
    let (loaded, names) = program(&text, &[Input::Scalars(1)], broadcast());
    assert!(names.is_empty() && loaded.inputs.len() == 1, "{loaded:?}");
}

#[test]
fn a_result_is_computed_in_one_register_where_it_fits_one() {
    let lanes: String = (0..4).map(|i| format!("  %r[{} +: 32] = %a[0 +: 32]\n", 32 * i)).collect();
    let text = format!("func @f(%a: 128) -> (%r: 128) {{\n{lanes}}}\n");
    let copy = |id: &str, width: u32| instruction(id, &[width], width, 32, |_| "%a[0 +: 32]".to_owned());
    let instructions = vec![copy("half", 64), copy("whole", 128)];
    assert_eq!(program_in(&[64, 128], &text, &[Input::Vector], instructions).1, ["whole"]);
}

#[test]
fn what_is_refused_is_left_out_and_another_one_found() {
    let sum = |i: u32| format!("add(%a[{0} +: 64], %b[{0} +: 64])", 64 * i);
    let text = format!(
        "func @f(%a: 128, %b: 128) -> (%r: 128) {{\n  %r[0 +: 64] = {}\n  %r[64 +: 64] = {}\n}}\n",
        sum(0),
        sum(1)
    );
    // Another value for one number alone, which no input that is tried has.
    let almost = instruction("almost", &[128, 128], 128, 64, |i| {
        format!(
            "add(%a[{0} +: 64], select(eq(%b[{0} +: 64], 0x1234567890abcdf1:64), 0x0:64, %b[{0} +: 64]))",
            64 * i
        )
    });
    let mut add = instruction("add", &[128, 128], 128, 64, sum);
    add.uops = 2;
    assert_eq!(program(&text, &[Input::Vector, Input::Vector], vec![almost, add]).1, ["add"]);
}
