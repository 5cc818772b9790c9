//! What the modifiers' tests share: readings of an instruction by one modifier, and the check that such a reading is
//! the instruction.

use catalog::Application;
use hydride_ir::exact::raise;
use hydride_ir::lane::{Form, emit};
use hydride_ir::{Arg, Function, Num, ResultSlot, Role};

use super::{Reading, Recognize, RecognizeForm, form_shapes, variants};
use crate::shape::{Shape, lane_form};
use crate::{analyze, apply, certify};

pub(super) fn parsed(text: &str) -> Function {
    let function = Function::parse(text).expect("it is well-formed");
    function.verify().expect("it is legal");
    function
}

/// The shapes of what a modifier finds in an instruction.
pub(super) fn readings(recognize: Recognize, instruction: &str) -> Vec<Shape> {
    let function = parsed(instruction);
    let (mut dag, raised) = raise(&function).expect("it is legal");
    let plain = Reading::plain(raised, &function);
    let found = recognize(&mut dag, &function, &plain);
    found.iter().filter_map(|reading| reading.shape(&mut dag, &function)).collect()
}

/// The shapes of what a modifier of lane forms finds in an instruction.
pub(super) fn forms(recognize: RecognizeForm, instruction: &str) -> Vec<Shape> {
    let function = parsed(instruction);
    let (mut dag, raised) = raise(&function).expect("it is legal");
    let canonical = lane_form(&mut dag, &raised, &function).expect("a lane form");
    form_shapes(recognize, &canonical, &function)
}

/// The shape among `shapes` whose operation is that of `operation`. Applied to that operation it is `instruction`: the
/// solver proves this of what is written in the IR, and the certificate of what the exact integers say.
pub(super) fn check(shapes: &[Shape], instruction: &str, operation: &str) -> Shape {
    let key = analyze(&parsed(operation)).expect("it is legal").shape.key;
    let shape = shapes.iter().find(|shape| shape.key == key).expect("a reading as the operation");
    let class = function(shape.form.as_ref().expect("a lane form"));
    let Shape { args, masking, part, .. } = shape.clone();
    let application = Application { params: Vec::new(), args, masking, part };
    let member = parsed(instruction);
    let applied = apply(&class, &application, &member).expect("it can be applied");
    applied.verify().expect("it is legal");
    let mut prover = smt::Prover::new();
    assert_eq!(prover.equal(&applied, &member), smt::Verdict::Equal, "{applied}");
    certify(&class, &member, &application, &mut prover).expect("a certificate");
    shape.clone()
}

fn function(form: &Form<i64>) -> Function {
    let mut function = Function::new("operation");
    for (position, width) in form.arg_widths.iter().enumerate() {
        let name = format!("a{position}");
        function.args.push(Arg { name, width: (*width).into(), role: Role::Register });
    }
    for (position, result) in form.results.iter().enumerate() {
        function.results.push(ResultSlot { name: format!("r{position}"), width: result.width.into() });
    }
    emit(&form.map(&mut |_, number, _| Num::constant(*number), &|number| *number == 1), None, &mut function);
    function
}

/// Every one of 200 values that are slices of one register could be an operand that all elements share.
#[test]
fn the_search_for_readings_ends() {
    let value = (1..200).fold("%a[0 +: 32]".to_owned(), |value, low| {
        let operator = if low % 2 == 0 { "add" } else { "xor" };
        format!("{operator}({value}, %a[{low} +: 32])")
    });
    let long = parsed(&format!("func @long(%a: 256) -> (%dst: 32) {{ %dst[0 +: 32] = {value} }}"));
    let readings = variants(&long).len();
    assert!(readings < 199, "{readings}");
}
