//! Programs and rewrites that are right at another size, or for other values, are refused.

use hydride_ir::exact::{Dag, NodeId};
use memo::Memo;
use search::Instruction;
use smt::Verdict;
use synth::certify::{Judge, certify};
use synth::contents::{Entry, Wanted};
use synth::program::Program;
use synth::synthesize::{Answer, Status, Target, prover, synthesize};
use synth::table::{Op, OpId, Table};
use synth::window::{Element, Meaning, Window};

use crate::support::{instruction, vector};

fn window(lanes: u32, bits: u32, leaves: &str, expr: &str) -> Window {
    let line = format!(r#"{{"name":"w","lanes":{lanes},"bits":{bits},"leaves":[{leaves}],"expr":"{expr}"}}"#);
    Window::read(&line, 1).expect("a window")
}

fn answer<'w>(window: &'w Window, instructions: Vec<Instruction>, width: u32) -> Answer<'w> {
    let cost = |_: &Op| 1000;
    let target = Target { widths: vec![width], cost: &cost, constant: 0, most: None, key: [0; 32] };
    synthesize(window, &mut Table::new(instructions), &target, &Memo::default(), &|| false, &mut prover())
}

/// The low half of each 128 bits of `a` beside the low half of those of `b`, byte by byte.
fn unpack(width: u32) -> Instruction {
    instruction("unpacklo", &[width, width], width, 8, |i| {
        let (block, at) = (i / 16, i % 16);
        format!("%{}[{} +: 8]", ["a", "b"][at as usize % 2], 8 * (16 * block + at / 2))
    })
}

#[test]
fn an_unpack_within_128_bits_is_an_unpack_at_128_bits_only() {
    for (width, right) in [(128, true), (256, false)] {
        let lanes = width / 16;
        let leaves = format!(r#"{{"name":"v","type":"u8x{}","kind":"dense"}}"#, width / 8);
        let indices: Vec<String> = (0..lanes).map(|lane| lane.to_string()).collect();
        let expr =
            format!("(cast:u16x{lanes} (shuffle:u8x{lanes} v:u8x{} [{}]))", width / 8, indices.join(","));
        let window = window(lanes, 16, &leaves, &expr);
        let table = Table::new(vec![unpack(width)]);
        let mut meaning = Meaning::new(&window);
        let results = meaning.all(window.root).expect("small");
        let zero = meaning.dag.int(0);
        let mut program = Program::default();
        let content: Vec<Entry> =
            (0..width / 8).map(|index| Entry::Element(Element { leaf: 0, index })).collect();
        let wanted = Wanted { ty: vector(width), container: 8, registers: vec![content.clone()] };
        let value = program.load(0, 0, &wanted, &content);
        let none = vec![Entry::Uniform(zero); (width / 8) as usize];
        let zeros = program.constant(&Wanted { registers: vec![none.clone()], ..wanted }, &none);
        let blank = vec![Entry::Any; lanes as usize];
        let step = program.step(OpId(0), vec![value, zeros], 16, &blank);
        let value = meaning.families(window.root).expect("one family")[0].value;
        let bits = meaning.dag.slice(value, 0, 16, false);
        program.outputs = vec![(step, (0..lanes).map(|lane| Entry::Value(bits, lane)).collect())];
        program.container = 16;
        let proof = certify(&mut meaning, &table, &program, &results, &mut prover());
        assert_eq!(proof.is_ok(), right, "{width}: {proof:?}");
    }
}

/// Saturation is left out: right for all but the least value times itself.
fn rounding_multiply() -> Instruction {
    instruction("mulr", &[64, 64], 64, 16, |i| {
        let operand = |name: &str| format!("cast.s(%{name}[{} +: 16], 32)", 16 * i);
        format!("shr.s(add(mul({}, {}), 0x4000:32), 0xf:8)[0 +: 16]", operand("a"), operand("b"))
    })
}

#[test]
fn the_least_value_squared_needs_its_saturation_or_a_range() {
    let expr = "(rounding_mul_shift_right:i16x4 a:i16x4 b:i16x4 (broadcast:u16x4 15:u16))";
    let leaf = |name: &str, more: &str| format!(r#"{{"name":"{name}","type":"i16x4","kind":"dense"{more}}}"#);
    let open = window(4, 16, &[leaf("a", ""), leaf("b", "")].join(","), expr);
    assert_eq!(answer(&open, vec![rounding_multiply()], 64).status, Status::Exhausted);
    let range = r#","range":[-32767,32767]"#;
    let given = window(4, 16, &[leaf("a", range), leaf("b", "")].join(","), expr);
    assert_eq!(answer(&given, vec![rounding_multiply()], 64).status, Status::Proved);
}

#[test]
fn the_magnitude_of_the_least_value_is_not_the_greatest_one() {
    let magnitude = || instruction("abs", &[64], 64, 8, |i| format!("abs(%a[{} +: 8])", 8 * i));
    let leaves = r#"{"name":"a","type":"i8x8","kind":"dense"}"#;
    let wraps = window(8, 8, leaves, "(abs:u8x8 a:i8x8)");
    assert_eq!(answer(&wraps, vec![magnitude()], 64).status, Status::Proved);
    let clamps = window(8, 8, leaves, "(min:u8x8 (abs:u8x8 a:i8x8) (broadcast:u8x8 127:u8))");
    assert_eq!(answer(&clamps, vec![magnitude()], 64).status, Status::Exhausted);
}

#[test]
fn an_average_of_bytes_is_no_average_of_words() {
    let average = instruction("avgb", &[64, 64], 64, 8, |i| {
        let operand = |name: &str| format!("cast.u(%{name}[{} +: 8], 9)", 8 * i);
        format!("shr.u(add(add({}, {}), 0x1:9), 0x1:1)[0 +: 8]", operand("a"), operand("b"))
    });
    for (bits, status) in [(8, Status::Proved), (16, Status::Exhausted)] {
        let lanes = 64 / bits;
        let ty = format!("u{bits}x{lanes}");
        let leaves =
            ["a", "b"].map(|name| format!(r#"{{"name":"{name}","type":"{ty}","kind":"dense"}}"#)).join(",");
        let window = window(lanes, bits, &leaves, &format!("(rounding_halving_add:{ty} a:{ty} b:{ty})"));
        assert_eq!(answer(&window, vec![average.clone()], 64).status, status, "{bits}");
    }
}

/// A judge that does not know.
struct Undecided;

impl Judge for Undecided {
    fn equal(&mut self, _: &Dag, _: NodeId, _: NodeId) -> Verdict {
        Verdict::Unknown("asked nobody".into())
    }
}

#[test]
fn an_unknown_answer_is_none() {
    let leaves =
        ["a", "b"].map(|name| format!(r#"{{"name":"{name}","type":"u8x8","kind":"dense"}}"#)).join(",");
    let window = window(8, 8, &leaves, "(add:u8x8 a:u8x8 b:u8x8)");
    let add = instruction("add", &[64, 64], 64, 8, |i| format!("add(%a[{0} +: 8], %b[{0} +: 8])", 8 * i));
    let table = Table::new(vec![add]);
    let cost = |_: &Op| 1000;
    let target = Target { widths: vec![64], cost: &cost, constant: 0, most: None, key: [0; 32] };
    let mut answer =
        synthesize(&window, &mut table.clone(), &target, &Memo::default(), &|| false, &mut prover());
    let (program, _) = answer.program.take().expect("an answer");
    let results = answer.meaning.all(window.root).expect("small");
    assert!(certify(&mut answer.meaning, &table, &program, &results, &mut Undecided).is_ok());
    // Lanes in another order are another function, which only the solver could tell.
    let mut edited = program.clone();
    edited.outputs[0].1.swap(0, 1);
    edited.steps[0].content.swap(0, 1);
    assert!(certify(&mut answer.meaning, &table, &edited, &results, &mut Undecided).is_err());
    assert!(certify(&mut answer.meaning, &table, &edited, &results, &mut prover()).is_err());
}

#[test]
fn a_sum_may_have_more_operands_than_a_set_of_them_has_bits() {
    let add = instruction("add", &[64, 64], 64, 8, |i| format!("add(%a[{0} +: 8], %b[{0} +: 8])", 8 * i));
    for count in [31, 32, 33, 64, 65] {
        let names: Vec<String> = (0..count).map(|at| format!("v{at}")).collect();
        let leaf = |name: &String| format!(r#"{{"name":"{name}","type":"u8x8","kind":"dense"}}"#);
        let leaves: Vec<String> = names.iter().map(leaf).collect();
        let typed = |name: &String| format!("{name}:u8x8");
        let sum =
            names[1..].iter().fold(typed(&names[0]), |sum, name| format!("(add:u8x8 {sum} {})", typed(name)));
        let window = window(8, 8, &leaves.join(","), &sum);
        assert_ne!(answer(&window, vec![add.clone()], 64).status, Status::OutOfTime);
    }
}

/// Four lanes of 16 bits in a register of 128: the bits beyond them have no value, and another one each time that they are read.
#[test]
fn nothing_relies_on_what_has_no_value() {
    let lane = |text: &str, at: u32| text.replace('#', &(16 * at).to_string());
    let difference =
        instruction("difference", &[128; 2], 128, 16, |at| lane("sub(%a[# +: 16], %b[# +: 16])", at));
    let add = instruction("add_exchanged", &[128; 2], 128, 16, |at| {
        format!("add(%a[{} +: 16], %b[{} +: 16])", 16 * at, 16 * ((at + 4) % 8))
    });
    let table = Table::new(vec![difference, add]);
    let window =
        window(4, 16, r#"{"name":"v","type":"u16x8","kind":"dense"}"#, "(shuffle:u16x4 v:u16x8 [0,1,2,3])");
    let mut meaning = Meaning::new(&window);
    let results = meaning.all(window.root).expect("small");
    for (lanes, right) in [(4, false), (8, true)] {
        let mut program = Program::default();
        let element = |index| match index < lanes {
            true => Entry::Element(Element { leaf: 0, index }),
            false => Entry::Any,
        };
        let content: Vec<Entry> = (0..8).map(element).collect();
        let wanted = Wanted { ty: vector(128), container: 16, registers: vec![content.clone()] };
        let value = program.load(0, 0, &wanted, &content);
        let blank = vec![Entry::Any; 8];
        let zeros = program.step(OpId(0), vec![value.clone(), value.clone()], 16, &blank);
        let sum = program.step(OpId(1), vec![value, zeros], 16, &blank);
        let results_in = (0..4).map(|index| Entry::Element(Element { leaf: 0, index }));
        program.outputs = vec![(sum, results_in.chain(vec![Entry::Any; 4]).collect())];
        program.container = 16;
        let proof = certify(&mut meaning, &table, &program, &results, &mut prover());
        assert_eq!(proof.is_ok(), right, "{lanes}: {proof:?}");
    }
}
