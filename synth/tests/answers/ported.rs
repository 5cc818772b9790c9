//! Functions that other instruction sets have as one instruction, of those of one that has none for bytes or for doubled products.

use hydride_ir::{Function, Role};
use memo::Memo;
use search::{Instruction, Operand};
use synth::synthesize::{Status, Target, prover, synthesize};
use synth::table::{Op, Table};
use synth::window::{Input, Window};

use crate::support::instruction;

/// How many instructions compute lanes of `lane` bits, with the number of states that were looked at.
fn length(
    args: usize,
    lane: u32,
    body: impl Fn(u32) -> String,
    instructions: Vec<Instruction>,
) -> (usize, usize) {
    let names = &["%a: 128", "%b: 128"][..args];
    let lanes: String =
        (0..128 / lane).map(|i| format!("  %r[{} +: {lane}] = {}\n", i * lane, body(i))).collect();
    let text = format!("func @f({}) -> (%r: 128) {{\n{lanes}}}\n", names.join(", "));
    let (steps, states) = found(&text, instructions, &[128], 0);
    (steps.len(), states)
}

/// The instructions that compute a function of registers of some widths, where a constant costs so many thousandths of a cycle and
/// each instruction 1,000, with the number of states that were looked at.
fn found(text: &str, instructions: Vec<Instruction>, widths: &[u32], constant: u64) -> (Vec<String>, usize) {
    let function = Function::parse(text).expect("a function");
    let inputs = vec![Input::Vector; function.args.len()];
    let window = Window::of_function(&function, &inputs).expect("a window");
    let cost = |_: &Op| 1000;
    let target = Target { widths: widths.to_vec(), cost: &cost, constant, key: [0; 32], most: None };
    let mut table = Table::new(instructions);
    let answer = synthesize(&window, &mut table, &target, &Memo::default(), &|| false, &mut prover());
    assert_eq!(answer.status, Status::Proved, "{:?} after {}", answer.notes, answer.states);
    let (program, _) = answer.program.expect("a program");
    let steps: Vec<_> =
        program.steps.iter().map(|step| (&table.instruction(step.op).id, &step.operands)).collect();
    println!("{steps:?}, {} states", answer.states);
    (program.steps.iter().map(|step| table.instruction(step.op).id.clone()).collect(), answer.states)
}

/// An instruction on lanes of two registers.
fn binary(id: &str, lane: u32) -> Instruction {
    instruction(id, &[128, 128], 128, lane, |i| {
        format!("{id}(%a[{0} +: {lane}], %b[{0} +: {lane}])", lane * i)
    })
}

/// An instruction on lanes of `%a` and an immediate of eight bits, `%b`.
fn by_immediate(id: &str, lane: u32, body: impl Fn(u32) -> String) -> Instruction {
    let mut own = instruction(id, &[128, 8], 128, lane, body);
    own.function.args[1].role = Role::Immediate { low: 0, high: 255 };
    own.operands[1] = Operand::Choice { width: 8, values: (0..256).collect() };
    own
}

/// A shift of lanes by an immediate.
fn shift(id: &str, lane: u32) -> Instruction {
    let mut shift = by_immediate(id, lane, |i| format!("{id}(%a[{} +: {lane}], %b[0 +: 8])", lane * i));
    shift.id = format!("{id}{lane}");
    shift
}

fn mean(lane: u32) -> Instruction {
    let own = |name: &str, i: u32| format!("cast.u(%{name}[{} +: {lane}], {})", lane * i, lane + 2);
    let body = |i: u32| format!("add(add({}, {}), 0x1:{})[1 +: {lane}]", own("a", i), own("b", i), lane + 2);
    instruction("mean", &[128, 128], 128, lane, body)
}

/// A lookup of bytes in 16 others, 0 for an index beyond them.
fn lookup() -> Instruction {
    instruction("lookup", &[128, 128], 128, 8, |i| {
        let index = format!("%b[{} +: 8]", 8 * i);
        format!("select(lt.u({index}, 0x10:8), %a[at mul(cast.u({index}, 11), 0x8:11) +: 8], 0x0:8)")
    })
}

#[test]
fn a_sign_that_clears_what_is_looked_up_is_a_bit_of_the_index() {
    let mask = instruction("mask", &[128], 128, 8, |i| format!("cast.s(not(%a[{} +: 1]), 8)", 8 * i + 7));
    let lane = |i: u32| {
        let index = format!("mul(cast.u(%b[{} +: 4], 7), 0x8:7)", 8 * i);
        format!("select(%b[{} +: 1], 0x0:8, %a[at {index} +: 8])", 8 * i + 7)
    };
    assert_eq!(length(2, 8, lane, vec![lookup(), mask, binary("and", 8)]).0, 2);
}

#[test]
fn constants_cost_instructions_in_functions_by_themselves() {
    let widen = |id: &str, lane: u32| {
        instruction(id, &[64], 128, 2 * lane, |i| format!("cast.u(%a[{} +: {lane}], {})", lane * i, 2 * lane))
    };
    let text = "func @f(%a: 128) -> (%r: 128) {\n  for i in 0..4 {\n    %r[32*i +: 32] = cast.u(%a[8*i +: 8], 32)\n  }\n}\n";
    let steps = |constant| {
        let all = vec![lookup(), widen("bytes", 8), widen("words", 16)];
        found(text, all, &[64, 128], constant).0
    };
    assert_eq!(steps(0), ["lookup"]);
    assert_eq!(steps(1500), ["bytes", "words"]);
}

#[test]
fn bytes_are_shifted_up_in_pairs() {
    let shifted = |i: u32| format!("shl(%a[{} +: 8], 0x3:8)", 8 * i);
    let instructions = || vec![binary("and", 8), shift("shl", 16), shift("shr.u", 16)];
    assert_eq!(length(1, 8, shifted, instructions()).0, 2);
    let shifted = |i: u32| format!("shr.u(%a[{} +: 8], 0x3:8)", 8 * i);
    assert_eq!(length(1, 8, shifted, instructions()).0, 2);
}

#[test]
fn bytes_are_multiplied_in_words() {
    let product = |i: u32| format!("mul(%a[{0} +: 8], %b[{0} +: 8])", 8 * i);
    let instructions =
        vec![binary("mul", 16), binary("and", 8), binary("or", 8), shift("shr.u", 16), shift("shl", 16)];
    assert_eq!(length(2, 8, product, instructions).0, 6);
}

#[test]
fn bits_are_moved_down_and_packed() {
    let from = |i: u32| format!("%{}[{} +: 32]", if i < 4 { "a" } else { "b" }, 32 * (i % 4));
    let bits = |i: u32| format!("{}[3 +: 16]", from(i));
    let pack = instruction("pack", &[128, 128], 128, 16, |i| format!("saturate.s.u({}, 16)", from(i)));
    let instructions =
        vec![pack, binary("and", 64), shift("shr.s", 32), shift("shr.u", 32), shift("shl", 32)];
    assert_eq!(length(2, 16, bits, instructions).0, 5);
}

#[test]
fn means_and_rounding_of_signed_bytes() {
    let all = || {
        vec![
            binary("and", 8),
            binary("xor", 8),
            binary("add", 8),
            binary("sub", 8),
            mean(8),
            shift("shr.u", 16),
        ]
    };
    let own = |name: &str, i: u32| format!("cast.s(%{name}[{} +: 8], 10)", 8 * i);
    let sum = |i: u32| format!("add(add({}, {}), 0x1:10)[1 +: 8]", own("a", i), own("b", i));
    assert_eq!(length(2, 8, sum, all()).0, 4);
    let difference = |i: u32| format!("sub({}, {})[1 +: 8]", own("a", i), own("b", i));
    assert_eq!(length(2, 8, difference, all()).0, 4);
    let rounded = |i: u32| format!("shr.s(add({}, 0x4:10), 0x3:4)[0 +: 8]", own("a", i));
    assert_eq!(length(1, 8, rounded, all()).0, 5);
}

#[test]
fn doubled_products_of_odd_and_even_lanes() {
    let own = |name: &str, i: u32| format!("cast.s(%{name}[{} +: 32], 64)", 32 * i);
    let product = |i: u32| format!("mul({}, {})", own("a", 2 * i), own("b", 2 * i));
    let turns = |from: &'static str| {
        move |i: u32| format!("%{}[{} +: 32]", if i.is_multiple_of(2) { "a" } else { from }, 32 * i)
    };
    let odd = |i: u32| format!("%a[{} +: 32]", 32 * (i | 1));
    let all = vec![
        instruction("product", &[128, 128], 128, 64, product),
        instruction("blend", &[128, 128], 128, 32, turns("b")),
        instruction("odd", &[128], 128, 32, odd),
        shift("shl", 64),
        shift("shr.u", 64),
        binary("xor", 32),
        binary("and", 32),
        binary("add", 32),
        binary("sub", 32),
        binary("add", 64),
        binary("sub", 64),
        instruction("same", &[128, 128], 128, 32, |i| {
            format!("cast.s(eq(%a[{0} +: 32], %b[{0} +: 32]), 32)", 32 * i)
        }),
        instruction("greater", &[128, 128], 128, 32, |i| {
            format!("cast.s(lt.s(%b[{0} +: 32], %a[{0} +: 32]), 32)", 32 * i)
        }),
    ];
    let doubled = |i: u32| {
        let product = format!("cast.s(mul({}, {}), 65)", own("a", i), own("b", i));
        format!("saturate.s.s(cast.u(shr.s(shl({product}, 0x1:1), 0x20:6), 33), 32)")
    };
    let upper = |i: u32| format!("mul({}, {})[31 +: 32]", own("a", i), own("b", i));
    assert_eq!(length(2, 32, upper, all.clone()).0, 7);
    assert_eq!(length(2, 32, doubled, all).0, 9);
}

/// Up, with the bits that fall out below, or the other way around: a rotation, or two shifts put together.
#[test]
fn a_rotation_by_bits_is_one_instruction() {
    let rotated = |by: u32| {
        move |i: u32| {
            let at = 32 * i;
            format!("concat(%a[{at} +: {}], %a[{} +: {by}])", 32 - by, at + 32 - by)
        }
    };
    let rotate = by_immediate("rotate", 32, |i| {
        let lane = format!("%a[{} +: 32]", 32 * i);
        format!("concat({lane}, {lane})[at sub(0x20:6, cast.u(%b[0 +: 5], 6)) +: 32]")
    });
    for by in [1, 7, 31] {
        let shifts = vec![shift("shl", 32), shift("shr.u", 32), binary("or", 32)];
        assert_eq!(length(1, 32, rotated(by), shifts.clone()).0, 3, "shifts by {by}");
        assert_eq!(length(1, 32, rotated(by), [shifts, vec![rotate.clone()]].concat()).0, 1, "by {by}");
    }
}

/// A number times two to the power of some digits, rounded to an integer in some mode: one immediate holds both.
#[test]
fn a_number_rounded_to_fraction_bits_is_one_instruction() {
    let rounded = |i: u32, power: &str, mode: &str| {
        format!("fround.{{8}}(fmul.{{8}}({power}, %a[{} +: 32], 0x0:3), {mode})", 32 * i)
    };
    let round = by_immediate("round", 32, |i| {
        let power = "add(mul(cast.u(%b[4 +: 4], 32), 0x800000:32), 0x3f800000:32)";
        rounded(i, power, "cast.u(%b[0 +: 2], 3)")
    });
    for (power, mode) in [("0x3f800000:32", "0x0:3"), ("0x40800000:32", "0x1:3"), ("0x47000000:32", "0x3:3")]
    {
        let found = length(1, 32, |i| rounded(i, power, mode), vec![round.clone()]);
        assert_eq!(found.0, 1, "times {power} in mode {mode}");
    }
}

/// One product by an instruction that adds up two: of the other one a zero factor is enough, so that the same number in all
/// lanes needs no zeros between.
#[test]
fn a_zero_factor_is_enough() {
    let own = |name: &str, i: u32| format!("cast.s(%{name}[{} +: 16], 32)", 16 * i);
    let product = |i: u32, j: u32| format!("mul({}, {})", own("a", i), own("b", j));
    let pairs = instruction("pairs", &[128, 128], 128, 32, |i| {
        format!("add({}, {})", product(2 * i, 2 * i), product(2 * i + 1, 2 * i + 1))
    });
    let widen = instruction("widen", &[128], 128, 32, |i| format!("cast.u(%a[{} +: 16], 32)", 16 * i));
    let spread = instruction("spread", &[128], 128, 16, |_| "%a[0 +: 16]".to_owned());
    let found = length(2, 32, |i| product(i, 0), vec![pairs, widen, spread]);
    assert_eq!(found.0, 3);
}
