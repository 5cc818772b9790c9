//! Functions whose lanes differ, and whose values are read in containers of another width than they are computed in.

use hydride_ir::Role;
use search::{Instruction, Operand};
use synth::table::Table;

use crate::support::{self, registers};

/// A register of 128 bits from two others, lane by lane.
fn instruction(id: &str, width: u32, lane: impl Fn(u32) -> String) -> Instruction {
    support::instruction(id, &[128, 128], 128, width, lane)
}

/// The text of a function of two registers, or of three.
fn function(args: &[&str], width: u32, lane: impl Fn(u32) -> String) -> String {
    let args: Vec<String> = args.iter().map(|arg| format!("%{arg}: 128")).collect();
    let lanes: String =
        (0..128 / width).map(|i| format!("  %r[{} +: {width}] = {}\n", i * width, lane(i))).collect();
    format!("func @f({}) -> (%r: 128) {{\n{lanes}}}\n", args.join(", "))
}

/// How many of some instructions compute a function of registers.
fn length(text: &str, instructions: Vec<Instruction>) -> usize {
    registers::found(text, 128, Table::new(instructions)).len()
}

fn binary(op: &'static str, width: u32) -> impl Fn(u32) -> String {
    move |i| format!("{op}(%a[{0} +: {width}], %b[{0} +: {width}])", i * width)
}

/// Differences in even lanes of 32 bits, sums in odd ones.
fn in_turn(i: u32) -> String {
    binary(["sub", "add"][i as usize % 2], 32)(i)
}

#[test]
fn sums_and_differences_in_turn_are_one_instruction() {
    let text = function(&["a", "b"], 32, in_turn);
    let instructions = || {
        vec![
            instruction("add", 32, binary("add", 32)),
            instruction("sub", 32, binary("sub", 32)),
            instruction("blend", 32, |i| format!("%{}[{} +: 32]", ["a", "b"][i as usize % 2], 32 * i)),
        ]
    };
    assert_eq!(length(&text, instructions()), 3);
    let mut all = instructions();
    all.push(instruction("in_turn", 32, in_turn));
    assert_eq!(length(&text, all), 1);
}

#[test]
fn one_lane_is_computed_beside_those_of_an_operand() {
    let first = |i: u32| if i == 0 { binary("add", 32)(0) } else { format!("%a[{} +: 32]", 32 * i) };
    assert_eq!(length(&function(&["a", "b"], 32, first), vec![instruction("first", 32, first)]), 1);
}

/// An instruction with an immediate of 8 bits that says for each lane of 16 bits which operand it is.
fn blend() -> Instruction {
    let lane = |i: u32| format!("select(%c[{i} +: 1], %b[{0} +: 16], %a[{0} +: 16])", 16 * i);
    let mut blend = support::instruction("blend", &[128, 128, 8], 128, 16, lane);
    blend.function.args[2].role = Role::Immediate { low: 0, high: 255 };
    blend.operands[2] = Operand::Choice { width: 8, values: (0..256).collect() };
    blend
}

#[test]
fn an_immediate_is_found_for_the_lanes_that_are_wanted() {
    for choice in [0b0001_0110u32, 0b1110_0001] {
        let lane = |i: u32| format!("%{}[{} +: 16]", if choice >> i & 1 == 1 { "b" } else { "a" }, 16 * i);
        assert_eq!(length(&function(&["a", "b"], 16, lane), vec![blend()]), 1, "{choice:#b}");
    }
}

/// An instruction with two immediates of one bit that puts an element of the second operand in the place of one of the first.
fn copy() -> Instruction {
    let lane = |i: u32| {
        let (own, copied) =
            (format!("%a[{} +: 64]", 64 * i), "select(%d[0 +: 1], %b[64 +: 64], %b[0 +: 64])");
        let [first, second] = if i == 0 { [&own[..], copied] } else { [copied, &own[..]] };
        format!("select(%c[0 +: 1], {first}, {second})")
    };
    let mut copy = support::instruction("copy", &[128, 128, 8, 8], 128, 64, lane);
    for operand in [2, 3] {
        copy.function.args[operand].role = Role::Immediate { low: 0, high: 1 };
        copy.operands[operand] = Operand::Choice { width: 8, values: vec![0, 1] };
    }
    copy
}

#[test]
fn several_immediates_are_found_together() {
    for (to, from) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let lane = |i: u32| match i == to {
            true => format!("%b[{} +: 64]", 64 * from),
            false => format!("%a[{} +: 64]", 64 * i),
        };
        assert_eq!(length(&function(&["a", "b"], 64, lane), vec![copy()]), 1, "{to} {from}");
        // What is copied may be computed.
        let sum = |i: u32| match i == to {
            true => format!("add(%b[{0} +: 64], %c[{0} +: 64])", 64 * from),
            false => format!("%a[{} +: 64]", 64 * i),
        };
        let instructions = vec![copy(), instruction("add", 64, binary("add", 64))];
        assert_eq!(length(&function(&["a", "b", "c"], 64, sum), instructions), 2, "{to} {from}");
    }
}

#[test]
fn bytes_of_sums_are_those_of_wider_lanes() {
    let sum = |i: u32| format!("add(%a[{0} +: 32], %b[{0} +: 32])", i / 4 * 32);
    let lane = |i: u32| format!("max.u({}[{} +: 8], %c[{} +: 8])", sum(i), i % 4 * 8, 8 * i);
    let instructions =
        vec![instruction("add", 32, binary("add", 32)), instruction("greatest", 8, binary("max.u", 8))];
    assert_eq!(length(&function(&["a", "b", "c"], 8, lane), instructions), 2);
}

#[test]
fn bytes_side_by_side_are_shifted_as_one_number() {
    let greatest = |i: u32| format!("max.u(%a[{0} +: 8], %b[{0} +: 8])", 8 * i);
    let whole = |i: u32| {
        let bytes: Vec<String> = (0..8).rev().map(|at| greatest(8 * i + at)).collect();
        format!("add(concat({}), %c[{} +: 64])", bytes.join(", "), 64 * i)
    };
    let instructions =
        vec![instruction("add", 64, binary("add", 64)), instruction("greatest", 8, binary("max.u", 8))];
    assert_eq!(length(&function(&["a", "b", "c"], 64, whole), instructions), 2);
}

#[test]
fn an_element_is_as_wide_as_the_lane_that_reads_its_bits() {
    let chosen = |i: u32| format!("select(%c[{} +: 1], %b[{1} +: 32], %a[{1} +: 32])", 32 * i + 31, 32 * i);
    let instruction = support::instruction("choose", &[128, 128, 128], 128, 32, chosen);
    assert_eq!(length(&function(&["a", "b", "c"], 32, chosen), vec![instruction]), 1);
}

/// An instruction with an immediate of four bits that reads two registers side by side from a byte of the lower one on.
fn align() -> Instruction {
    let mut align = support::instruction("align", &[128, 128, 8], 128, 128, |_| {
        "concat(%b[0 +: 128], %a[0 +: 128])[at mul(cast.u(%c[0 +: 4], 7), 0x8:7) +: 128]".to_owned()
    });
    align.function.args[2].role = Role::Immediate { low: 0, high: 15 };
    align.operands[2] = Operand::Choice { width: 8, values: (0..16).collect() };
    align
}

#[test]
fn lanes_of_one_register_are_turned_by_an_immediate() {
    for (lane, by) in [(64, 1), (32, 1), (32, 3), (16, 5)] {
        let lanes = 128 / lane;
        let turned = |i: u32| format!("%a[{} +: {lane}]", (i + by) % lanes * lane);
        assert_eq!(length(&function(&["a"], lane, turned), vec![align()]), 1, "{by} lanes of {lane}");
    }
}
