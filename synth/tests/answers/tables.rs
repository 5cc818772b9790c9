//! Elements that an index chooses, and shifts by counts that differ from lane to lane, with few instructions of a target.

use search::Instruction;
use synth::table::Table;

use crate::support::{self, registers};

/// An instruction on two registers of 128 bits whose lanes are given by the positions of their lowest bits.
fn instruction(id: &str, width: u32, lane: impl Fn(u32) -> String) -> Instruction {
    support::instruction(id, &[128, 128], 128, width, |index| lane(width * index))
}

fn instructions() -> Vec<Instruction> {
    let extended = |of: &str, at: u32, width: u32| format!("cast.u(%{of}[{at} +: {width}], {})", 2 * width);
    vec![
        instruction("choose", 8, |at| {
            let index = format!("mul(cast.u(%b[{at} +: 4], 7), 0x8:7)");
            format!("select(%b[{} +: 1], 0x0:8, %a[at {index} +: 8])", at + 7)
        }),
        instruction("add_saturating", 8, |at| {
            let sum = format!("add({}, {})", extended("a", at, 8), extended("b", at, 8));
            format!("cast.u(min.u({sum}, 0xff:16), 8)")
        }),
        instruction("or", 128, |_| "or(%a, %b)".into()),
        instruction("add", 8, |at| format!("add(%a[{at} +: 8], %b[{at} +: 8])")),
        instruction("difference", 8, |at| format!("sub(%a[{at} +: 8], %b[{at} +: 8])")),
        instruction("up", 64, |at| format!("shl(%a[{at} +: 64], %b[0 +: 64])")),
        instruction("down", 64, |at| format!("shr.u(%a[{at} +: 64], %b[0 +: 64])")),
        instruction("blend", 64, |at| format!("%{}[{at} +: 64]", if at == 0 { "a" } else { "b" })),
        instruction("low", 16, |at| format!("mul(%a[{at} +: 16], %b[{at} +: 16])")),
        instruction("high", 16, |at| {
            format!("cast.u(shr.u(mul({}, {}), 0x10:32), 16)", extended("a", at, 16), extended("b", at, 16))
        }),
    ]
}

/// How many instructions compute a function of two registers.
fn length(text: &str) -> usize {
    registers::found(text, 128, Table::new(instructions())).len()
}

#[test]
fn an_index_that_is_too_large_chooses_zero() {
    let text = "func @f(%t: 128, %i: 128) -> (%r: 128) {\n  for i in 0..16 {\n    %r[8*i +: 8] = select(lt.u(%i[8*i +: 8], \
                0x10:8), %t[at mul(cast.u(%i[8*i +: 8], 11), 0x8:11) +: 8], 0x0:8)\n  }\n}\n";
    assert_eq!(length(text), 2);
}

#[test]
fn a_table_of_half_a_register_is_read_within_it() {
    let text = "func @f(%t: 64, %i: 128) -> (%r: 128) {\n  for i in 0..16 {\n    %r[8*i +: 8] = select(lt.u(%i[8*i +: 8], \
                0x8:8), %t[at mul(cast.u(%i[8*i +: 8], 11), 0x8:11) +: 8], 0x0:8)\n  }\n}\n";
    assert_eq!(length(text), 3);
}

#[test]
fn two_registers_of_a_table_are_read_one_by_one() {
    let text = "func @f(%t: 256, %i: 128) -> (%r: 128) {\n  for i in 0..16 {\n    %r[8*i +: 8] = select(lt.u(%i[8*i +: 8], \
                0x20:8), %t[at mul(cast.u(%i[8*i +: 8], 11), 0x8:11) +: 8], 0x0:8)\n  }\n}\n";
    assert_eq!(length(text), 6);
}

#[test]
fn a_table_may_have_an_odd_number_of_registers() {
    let byte = |table: &str, index: &str, at: u32| {
        format!(
            "select(lt.u(%{index}[{at} +: 8], 0x18:8), %{table}[at mul(cast.u(%{index}[{at} +: 8], 11), 0x8:11) +: 8], 0x0:8)"
        )
    };
    let lookup = support::instruction("lookup", &[192, 64], 64, 8, |lane| byte("a", "b", 8 * lane));
    let sum = support::instruction("sum", &[64, 64], 64, 16, |lane| {
        format!("add(%a[{0} +: 16], %b[{0} +: 16])", 16 * lane)
    });
    let lanes = |lane: &dyn Fn(u32) -> String| -> String {
        (0..4).map(|at| format!("  %r[{} +: 16] = {}\n", 16 * at, lane(16 * at))).collect()
    };
    let word = |at: u32| format!("concat({}, {})", byte("t", "i", at + 8), byte("t", "i", at));
    for (body, names) in [
        (lanes(&word), &["lookup"][..]),
        (lanes(&|at| format!("add({}, %c[{at} +: 16])", word(at))), &["lookup", "sum"]),
    ] {
        let text = format!("func @f(%t: 192, %i: 64, %c: 64) -> (%r: 64) {{\n{body}}}\n");
        assert_eq!(registers::found(&text, 64, Table::new(vec![lookup.clone(), sum.clone()])), names);
    }
}

#[test]
fn words_are_shifted_by_products() {
    let text = "func @f(%a: 128, %b: 128) -> (%r: 128) {\n  for i in 0..8 {\n    %r[16*i +: 16] = select(%b[16*i + 7 +: 1], \
                shr.u(%a[16*i +: 16], cast.u(max.s(0x0:9, neg(cast.s(%b[16*i +: 8], 9))), 16)), shl(%a[16*i +: 16], \
                cast.u(max.s(0x0:8, %b[16*i +: 8]), 16)))\n  }\n}\n";
    assert_eq!(length(text), 10);
}

#[test]
fn two_lanes_are_shifted_by_counts_of_their_own() {
    let text = "func @f(%a: 128, %b: 128) -> (%r: 128) {\n  for i in 0..2 {\n    %r[64*i +: 64] = select(%b[64*i + 7 +: 1], \
                shr.u(%a[64*i +: 64], cast.u(max.s(0x0:9, neg(cast.s(%b[64*i +: 8], 9))), 64)), shl(%a[64*i +: 64], \
                cast.u(max.s(0x0:8, %b[64*i +: 8]), 64)))\n  }\n}\n";
    assert_eq!(length(text), 12);
}

#[test]
fn a_table_of_some_instructions_has_the_operations_of_these() {
    let whole = Table::new(instructions());
    let position = |id: &str| whole.instructions.iter().position(|own| own.id == id).expect("an instruction");
    let some = whole.only([position("add"), position("or")].into());
    let there = |table: &Table| -> std::collections::BTreeSet<String> {
        let templates = [8, 16, 32, 64].into_iter().flat_map(|container| table.templates(container));
        let members = templates.flat_map(|template| table.members(*template));
        members.map(|op| table.instruction(*op).id.clone()).collect()
    };
    assert_eq!(there(&some), ["add", "or"].map(String::from).into());
    assert!(there(&whole).len() > 2);
    let text = |operator: &str| {
        format!(
            "func @f(%a: 128, %b: 128) -> (%r: 128) {{\n  for i in 0..16 {{\n    %r[8*i +: 8] = {operator}(%a[8*i +: 8], \
             %b[8*i +: 8])\n  }}\n}}\n"
        )
    };
    assert_eq!(registers::found(&text("add"), 128, some), ["add"]);
    assert_eq!(registers::found(&text("sub"), 128, whole), ["difference"]);
}

#[test]
fn halves_of_sums_are_moved_together_by_one_index() {
    let text = "func @f(%a: 128, %b: 128) -> (%r: 64) {\n  for i in 0..8 {\n    %r[8*i +: 8] = add(%a[16*i +: 16], \
                %b[16*i +: 16])[8 +: 8]\n  }\n}\n";
    let add = instruction("add_words", 16, |at| format!("add(%a[{at} +: 16], %b[{at} +: 16])"));
    let all = instructions().into_iter().chain([add]).collect();
    assert_eq!(registers::found(text, 128, Table::new(all)), ["add_words", "choose"]);
}
