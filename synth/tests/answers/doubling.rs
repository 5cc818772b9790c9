//! Multiples of elements for which exact integers keep fewer bits of them than instructions read.

use memo::Memo;
use search::Instruction;
use synth::synthesize::{Status, Target, prover, synthesize};
use synth::table::{Op, Table};
use synth::window::Window;

use crate::support;

/// A register.
const WIDTH: u32 = 128;

/// An instruction on registers with lanes of 16 bits, of which the function is given the lowest bit.
fn instruction(id: &str, lane: impl Fn(u32) -> String) -> Instruction {
    support::instruction(id, &[WIDTH, WIDTH], WIDTH, 16, |index| lane(16 * index))
}

/// The instructions, without products or with them, for an expression of `TYPE`, a signed and an unsigned one.
fn found(expression: &str, products: bool) -> Vec<String> {
    let add = instruction("add", |at| format!("add(%a[{at} +: 16], %b[{at} +: 16])"));
    let product = instruction("product", |at| format!("mul(%a[{at} +: 16], %b[{at} +: 16])"));
    let both = ["i16", "u16"].map(|ty| {
        let leaf = |name: &str| format!(r#"{{"name":"{name}","type":"{ty}x8","kind":"dense"}}"#);
        let expression = expression.replace("TYPE", &format!("{ty}x8")).replace("NUMBER", ty);
        let line = format!(r#"{{"name":"w","leaves":[{},{}],"expr":"{expression}"}}"#, leaf("a"), leaf("b"));
        let window = Window::read(&line, 1).expect("a window");
        let instructions = [&add, &product].into_iter().take(1 + usize::from(products)).cloned();
        let mut table = Table::new(instructions.collect());
        let cost = |op: &Op| 1000 + op.instruction as u64;
        let target = Target { widths: vec![WIDTH], cost: &cost, constant: 0, most: None, key: [0; 32] };
        let answer = synthesize(&window, &mut table, &target, &Memo::default(), &|| false, &mut prover());
        assert_eq!(answer.status == Status::Proved, answer.program.is_some(), "{:?}", answer.notes);
        let steps = answer.program.into_iter().flat_map(|(program, _)| program.steps);
        steps.map(|step| table.instruction(step.op).id.clone()).collect::<Vec<_>>()
    });
    assert_eq!(both[0], both[1], "{expression}");
    both[0].clone()
}

#[test]
fn doubles_are_sums_of_a_value_and_itself() {
    assert_eq!(found("(add:TYPE a:TYPE a:TYPE)", false), ["add"]);
    assert_eq!(found("(shift_left:TYPE a:TYPE (broadcast:TYPE 2:NUMBER))", false), ["add", "add"]);
    assert_eq!(found("(add:TYPE (add:TYPE a:TYPE a:TYPE) b:TYPE)", false), ["add", "add"]);
}

#[test]
fn even_multiples_are_one_product() {
    assert_eq!(found("(mul:TYPE a:TYPE (broadcast:TYPE 6:NUMBER))", true), ["product"]);
    assert_eq!(
        found("(mul:TYPE (mul:TYPE a:TYPE b:TYPE) (broadcast:TYPE 6:NUMBER))", true),
        ["product", "product"]
    );
    let twice = "(mul:TYPE (mul:TYPE a:TYPE b:TYPE) (broadcast:TYPE 2:NUMBER))";
    assert_eq!(found(twice, true), ["product", "add"]);
}
