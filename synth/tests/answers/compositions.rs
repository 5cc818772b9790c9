//! Instructions of instructions: each composition is found as what it is made of.

use search::{Class, Instruction, Type};
use synth::table::Table;

use crate::support::{self, registers};

/// A register of 128 bits from others, lane by lane.
fn instruction(id: &str, args: usize, width: u32, lane: impl Fn(u32) -> String) -> Instruction {
    support::instruction(id, &vec![128; args], 128, width, lane)
}

/// The names of the instructions that compute a function of registers.
fn found(text: &str, instructions: Vec<Instruction>) -> Vec<String> {
    registers::found(text, 128, Table::new(instructions))
}

/// The text of a function of registers `%a`, `%b` and `%c`.
fn function(args: usize, bits: u32, width: u32, lane: impl Fn(u32) -> String) -> String {
    let args: Vec<String> = (0..args).map(|at| format!("%{}: 128", ["a", "b", "c"][at])).collect();
    let lanes: String =
        (0..bits / width).map(|i| format!("  %r[{} +: {width}] = {}\n", i * width, lane(i))).collect();
    format!("func @f({}) -> (%r: {bits}) {{\n{lanes}}}\n", args.join(", "))
}

fn binary(op: &'static str, width: u32) -> impl Fn(u32) -> String {
    move |i| format!("{op}(%a[{0} +: {width}], %b[{0} +: {width}])", i * width)
}

/// Differences of neighbors in the first operand, then in the second one.
fn differences(i: u32) -> String {
    let (arg, at) = if i < 4 { ("a", i) } else { ("b", i - 4) };
    format!("sub(%{arg}[{} +: 16], %{arg}[{} +: 16])", 32 * at, 32 * at + 16)
}

#[test]
fn lanes_of_one_wide_value_are_read_in_pairs() {
    // Each half of a sum of 32 bits is another value in lanes of 16.
    let sum = |at: u32| format!("add(%a[{0} +: 32], %b[{0} +: 32])", 32 * at);
    let lane = |i: u32| match i {
        0..4 => format!("sub({0}[0 +: 16], {0}[16 +: 16])", sum(i)),
        _ => differences(i).replace("%b", "%c"),
    };
    let instructions =
        vec![instruction("differences", 2, 16, differences), instruction("add", 2, 32, binary("add", 32))];
    assert_eq!(found(&function(3, 128, 16, lane), instructions), ["add", "differences"]);
}

#[test]
fn a_sign_that_is_flipped_is_flipped_back() {
    let flipped = |i: u32| {
        let own = |name: &str| format!("%{name}[{} +: 32]", 32 * i);
        format!("fmul.{{8}}({}, xor({}, 0x80000000:32), 0x0:3)", own("a"), own("b"))
    };
    let least = |i: u32| format!("min.u(%b[{0} +: 16], %c[{0} +: 16])", 16 * i);
    let lane = |i: u32| {
        format!(
            "fmul.{{8}}(%a[{} +: 32], xor(concat({}, {}), 0x80000000:32), 0x0:3)",
            32 * i,
            least(2 * i + 1),
            least(2 * i)
        )
    };
    let instructions =
        vec![instruction("product", 2, 32, flipped), instruction("least", 2, 16, binary("min.u", 16))];
    assert_eq!(found(&function(3, 128, 32, lane), instructions), ["least", "product"]);
}

#[test]
fn signs_become_a_number_in_a_general_register() {
    let signs = |of: &dyn Fn(u32) -> String| {
        let bits: Vec<String> = (0..4).rev().map(|i| format!("{}[31 +: 1]", of(i))).collect();
        format!("cast.u(concat({}), 32)", bits.join(", "))
    };
    let own = |i: u32| format!("%a[{} +: 32]", 32 * i);
    let mut mask = support::instruction("signs", &[128], 32, 32, |_| signs(&own));
    mask.result = Type { class: Class::Scalar, width: 32 };
    let text = function(2, 32, 32, |_| signs(&|i| binary("add", 32)(i)));
    let instructions = vec![mask, instruction("add", 2, 32, binary("add", 32))];
    assert_eq!(found(&text, instructions), ["add", "signs"]);
}

#[test]
fn factors_of_products_with_zero_are_whatever_they_are() {
    // Products of neighbors are added; of bytes that are made wider every other one is zero.
    let products = |i: u32| {
        let own = |name: &str, at: u32| format!("cast.u(%{name}[{} +: 8], 16)", 16 * i + 8 * at);
        format!("add(mul({}, {}), mul({}, {}))", own("a", 0), own("b", 0), own("a", 1), own("b", 1))
    };
    let wider = |i: u32| format!("cast.u(%a[{} +: 8], 16)", 8 * i);
    let lane = |i: u32| {
        let byte = format!("max.u(%a[{0} +: 32], %b[{0} +: 32])[{1} +: 8]", i / 2 * 32, i % 2 * 16);
        format!("mul(cast.u({byte}, 16), cast.u(%c[{} +: 8], 16))", 8 * i)
    };
    let instructions = vec![
        instruction("products", 2, 16, products),
        instruction("wider", 1, 16, wider),
        instruction("greatest", 2, 32, binary("max.u", 32)),
    ];
    let mut names = found(&function(3, 128, 16, lane), instructions);
    names.sort_unstable();
    assert_eq!(names, ["greatest", "products", "wider"]);
}

#[test]
fn lanes_of_many_kinds_are_found_as_what_the_instruction_gives() {
    let many = |i: u32| binary(["add", "sub", "min.u", "max.u"][i as usize], 32)(i);
    let instructions =
        || vec![instruction("many", 2, 32, many), instruction("mul", 2, 32, binary("mul", 32))];
    assert_eq!(found(&function(2, 128, 32, many), instructions()), ["many"]);
    let lane = |i: u32| format!("mul({}, %c[{} +: 32])", many(i), 32 * i);
    assert_eq!(found(&function(3, 128, 32, lane), instructions()), ["many", "mul"]);
}

#[test]
fn bitwise_operations_are_of_every_width_whatever_is_written() {
    let instructions = vec![instruction("and", 2, 16, binary("and", 16))];
    assert_eq!(found(&function(2, 128, 64, binary("and", 64)), instructions), ["and"]);
}

#[test]
fn parts_of_a_mask_are_the_mask() {
    // Each lane of 64 bits is ones or zeros, so that both of its halves are.
    let less = |i: u32| format!("cast.s(lt.s(%a[{0} +: 64], %b[{0} +: 64]), 64)", 64 * i);
    let lane = |i: u32| {
        format!("add(cast.s(lt.s(%a[{0} +: 64], %b[{0} +: 64]), 32), %c[{1} +: 32])", i / 2 * 64, 32 * i)
    };
    let instructions = vec![instruction("less", 2, 64, less), instruction("add", 2, 32, binary("add", 32))];
    assert_eq!(found(&function(3, 128, 32, lane), instructions), ["less", "add"]);
}

#[test]
fn the_half_that_is_kept_may_be_computed() {
    let narrowed = |of: &str, i: u32| format!("add(%{of}[{0} +: 32], %{of}[{0} +: 32])[16 +: 16]", 32 * i);
    let lane = |low: &dyn Fn(u32) -> String, i: u32| match i {
        0..4 => low(i),
        _ => narrowed("b", i - 4),
    };
    let kept = |i: u32| lane(&|i| format!("%a[{} +: 16]", 16 * i), i);
    let high = support::instruction("high", &[64, 128], 128, 16, kept);
    let sum = |i: u32| format!("sub(%a[{0} +: 32], %c[{0} +: 32])", 32 * i);
    let halves = |i: u32| format!("{}[{} +: 16]", sum(i / 2), i % 2 * 16);
    let text =
        function(3, 128, 16, |i| lane(&halves, i)).replace("%a: 128", "%a: 64").replace("%c: 128", "%c: 64");
    let difference = support::instruction("difference", &[64, 64], 64, 32, binary("sub", 32));
    assert_eq!(found(&text, vec![high, difference]), ["difference", "high"]);
}

#[test]
fn bits_are_inserted_into_what_is_computed() {
    let inserted = |of: &str, i: u32| format!("concat(%b[{} +: 11], {of}[0 +: 5])", 16 * i);
    let instructions = vec![
        instruction("insert", 2, 16, |i| inserted(&format!("%a[{} +: 16]", 16 * i), i)),
        instruction("difference", 2, 16, binary("sub", 16)),
    ];
    let lane = |i: u32| inserted(&format!("sub(%a[{0} +: 16], %c[{0} +: 16])", 16 * i), i);
    assert_eq!(found(&function(3, 128, 16, lane), instructions), ["difference", "insert"]);
}

#[test]
fn what_another_operand_clears_need_not_be_cleared() {
    let instructions = vec![
        instruction("and", 2, 16, binary("and", 16)),
        instruction("shift", 1, 16, |i| format!("shr.u(%a[{} +: 16], 0x3:16)", 16 * i)),
    ];
    let lane = |i: u32| format!("cast.u(and(%a[{} +: 13], %b[{} +: 13]), 16)", 16 * i + 3, 16 * i);
    assert_eq!(found(&function(2, 128, 16, lane), instructions), ["shift", "and"]);
}
