//! Functions of registers as windows.

use hydride_ir::Function;
use memo::Memo;
use synth::synthesize::{Status, Target, prover, synthesize};
use synth::table::{Op, Table};
use synth::window::{Input, Window};

/// The names of the instructions that compute a function of registers of `width` bits, in order; each costs the same.
pub fn found(text: &str, width: u32, table: Table) -> Vec<String> {
    found_in(text, &[width], table)
}

/// The same where registers have several widths.
pub fn found_in(text: &str, widths: &[u32], mut table: Table) -> Vec<String> {
    let function = Function::parse(text).expect("a function");
    let window = Window::of_function(&function, &vec![Input::Vector; function.args.len()]).expect("a window");
    let cost = |_: &Op| 1000;
    let target = Target { widths: widths.to_vec(), cost: &cost, key: [0; 32], constant: 0, most: None };
    let answer = synthesize(&window, &mut table, &target, &Memo::default(), &|| false, &mut prover());
    assert_eq!(answer.status, Status::Proved, "{:?}", answer.notes);
    let (program, _) = answer.program.expect("a program");
    program.steps.iter().map(|step| table.instruction(step.op).id.clone()).collect()
}
