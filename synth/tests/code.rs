//! The C of a program.

mod support;

use hydride_ir::Function;
use memo::Memo;
use search::{Syntax, Type, Written};
use support::instruction;
use synth::c_function;
use synth::synthesize::{Target, prover, synthesize};
use synth::table::{Op, Table};
use synth::window::{Input, Window};

/// Registers are arrays of numbers in C.
struct Plain;

impl Syntax for Plain {
    fn register(&self, _: Type, number: usize) -> String {
        format!("r{number}")
    }

    fn copy(&self, _: Type, to: &str, from: &str) -> String {
        format!("{to} = {from}")
    }

    fn step(&self, _: &Written<'_>) -> String {
        String::new()
    }

    fn c_type(&self, ty: Type, _: u32) -> String {
        format!("uint{}_t", ty.width)
    }
}

#[test]
fn floating_point_numbers_are_copied_and_not_converted() {
    let mut flip = instruction("flip", &[32], 32, 32, |_| "not(%a[0 +: 32])".into());
    (flip.result_c_type, flip.c_types) = ("float32_t".into(), vec!["uint32_t".into()]);
    let mut add = instruction("add", &[32, 32], 32, 32, |_| "add(%a[0 +: 32], %b[0 +: 32])".into());
    (add.result_c_type, add.c_types) = ("uint32_t".into(), vec!["uint32_t".into(), "uint32_t".into()]);
    let text =
        "func @f(%a: 32, %b: 32) -> (%r: 32) {\n  %r[0 +: 32] = add(not(%a[0 +: 32]), %b[0 +: 32])\n}\n";
    let function = Function::parse(text).expect("a function");
    let window = Window::of_function(&function, &[Input::Vector; 2]).expect("a window");
    let mut table = Table::new(vec![flip, add]);
    let cost = |_: &Op| 1000;
    let target = Target { widths: vec![32], cost: &cost, key: [0; 32], most: None };
    let mut answer = synthesize(&window, &mut table, &target, &Memo::default(), &|| false, &mut prover());
    let (program, _) = answer.program.expect("a program");
    let lines = c_function(&mut answer.meaning, &table, &program, &Plain, "f").expect("C").join("\n");
    assert!(lines.contains("float32_t t0 = flip((uint32_t)("), "{lines}");
    let copied = "({ __typeof__(t0) v_ = t0; uint32_t a_; __builtin_memcpy(&a_, &v_, sizeof a_); a_; })";
    assert!(lines.contains(copied) && !lines.contains("(uint32_t)(t0)"), "{lines}");
}
