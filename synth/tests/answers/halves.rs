//! Halves of computed registers, and lanes that are moved by a number in a general register.

use memo::Memo;
use search::{Class, Instruction, Operand, Type};
use synth::synthesize::{Status, Target, prover, synthesize};
use synth::table::{Op, Table};
use synth::window::Window;

use crate::support::instruction;

/// The instructions of the answer for an expression over leaves of one type, which is proved.
fn found(instructions: Vec<Instruction>, widths: &[u32], ty: &str, expression: &str) -> Vec<String> {
    let leaf = |name: &str| format!(r#"{{"name":"{name}","type":"{ty}","kind":"dense"}}"#);
    let leaves = ["a", "b", "c"].map(leaf).join(",");
    let line = format!(r#"{{"name":"w","leaves":[{leaves}],"expr":"{expression}"}}"#);
    let window = Window::read(&line, 1).expect("a window");
    let mut table = Table::new(instructions);
    let cost = |op: &Op| 1000 + op.instruction as u64;
    let target = Target { widths: widths.to_vec(), cost: &cost, constant: 0, most: None, key: [0; 32] };
    let answer = synthesize(&window, &mut table, &target, &Memo::default(), &|| false, &mut prover());
    assert_eq!(answer.status, Status::Proved, "{:?}", answer.notes);
    let (program, _) = answer.program.expect("a program");
    program.steps.iter().map(|step| table.instruction(step.op).id.clone()).collect()
}

fn add(id: &str, width: u32, lane: u32) -> Instruction {
    instruction(id, &[width; 2], width, lane, |at| {
        let at = lane * at;
        format!("add(%a[{at} +: {lane}], %b[{at} +: {lane}])")
    })
}

/// Products of the lanes of two registers of 64 bits, and of the upper halves of two of 128.
fn products() -> [Instruction; 2] {
    let product = |at: u32| format!("mul(cast.u(%a[{at} +: 16], 32), cast.u(%b[{at} +: 16], 32))");
    let [narrow, whole] = [("product", 64, 0), ("product_of_upper", 128, 64)]
        .map(|(id, width, from)| instruction(id, &[width; 2], 128, 32, |lane| product(from + 16 * lane)));
    [narrow, whole]
}

#[test]
fn the_lower_half_of_a_sum_is_there_for_nothing() {
    let expression = "(widening_mul:u32x8 (add:u16x8 a:u16x8 b:u16x8) c:u16x8)";
    let all = || [add("add", 128, 16), add("add_of_halves", 64, 16)].into_iter().chain(products()).collect();
    assert_eq!(found(all(), &[64, 128], "u16x8", expression), ["add", "product", "product_of_upper"]);
}

#[test]
fn upper_halves_of_products_are_packed() {
    let pack = instruction("pack", &[128; 2], 128, 16, |lane| {
        let (operand, lane) = if lane < 4 { ("a", lane) } else { ("b", lane - 4) };
        format!("%{operand}[{} +: 16]", 32 * lane + 16)
    });
    let expression = "(cast:u16x8 (shift_right:u32x8 (widening_mul:u32x8 (add:u16x8 a:u16x8 b:u16x8) c:u16x8) (broadcast:u32x8 16:u32)))";
    let all = [add("add", 128, 16), pack].into_iter().chain(products()).collect();
    let expected = ["add", "product", "product_of_upper", "pack"];
    assert_eq!(found(all, &[64, 128], "u16x8", expression), expected);
}

#[test]
fn a_sum_is_computed_once_and_its_upper_half_moved_down() {
    let extend =
        instruction("extend", &[128], 256, 32, |lane| format!("cast.u(%a[{} +: 16], 32)", 16 * lane));
    let upper = instruction("upper", &[256], 128, 16, |lane| format!("%a[{} +: 16]", 128 + 16 * lane));
    let all = vec![add("add", 256, 16), add("add_of_halves", 128, 16), extend, upper];
    let expression = "(cast:u32x16 (add:u16x16 a:u16x16 (add:u16x16 b:u16x16 c:u16x16)))";
    let expected = ["add", "add", "upper", "extend", "extend"];
    assert_eq!(found(all, &[128, 256], "u16x16", expression), expected);
}

#[test]
fn wrapped_sums_are_rotated_by_bytes() {
    let mut rotate = instruction("rotate", &[128, 32], 128, 8, |byte| {
        format!("%a[at shl(cast.u(add(%b[0 +: 4], 0x{byte:x}:4), 7), 0x3:3) +: 8]")
    });
    rotate.operands[1] = Operand::Register(Type { class: Class::Scalar, width: 32 });
    let all = vec![rotate, add("add", 128, 32)];
    let expression = "(vector_reduce_add:i32 a:i32x4)";
    assert_eq!(found(all, &[128], "i32x4", expression), ["rotate", "add", "rotate", "add"]);
}

/// What two registers hold in turn is gathered in one, of which the halves are multiplied, rather than narrowed register by register.
#[test]
fn every_other_element_is_gathered_in_whole_registers() {
    let element = |name: &str, at: u32| format!("%{name}[{} +: 16]", 32 * at);
    let gather = instruction("gather", &[128; 2], 128, 16, |lane| match lane {
        0..4 => element("a", lane),
        _ => element("b", lane - 4),
    });
    let narrow = instruction("narrow", &[128], 64, 16, |lane| element("a", lane));
    let even = |name: &str| format!("(shuffle:u16x8 {name}:u16x16 [0,2,4,6,8,10,12,14])");
    let expression = format!("(widening_mul:u32x8 {} {})", even("a"), even("b"));
    let all = [gather, narrow].into_iter().chain(products()).collect();
    let expected = ["gather", "gather", "product", "product_of_upper"];
    assert_eq!(found(all, &[64, 128], "u16x16", &expression), expected);
}
