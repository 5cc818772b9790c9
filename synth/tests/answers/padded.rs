//! Windows whose lanes do not fill registers.

use memo::Memo;
use search::Instruction;
use synth::synthesize::{Status, Target, prover, synthesize};
use synth::table::{Op, Table};
use synth::window::Window;

use crate::support;

/// A register.
const WIDTH: u32 = 128;

/// An instruction on two registers with lanes of 8 or 16 bits.
fn instruction(id: &str, width: u32, lane: impl Fn(u32) -> String) -> Instruction {
    support::instruction(id, &[WIDTH, WIDTH], WIDTH, width, lane)
}

/// Bytes of one half of two registers in turn, sums and quotients of words, and words as bytes.
fn table() -> Table {
    let in_turn = |first: u32| {
        move |at: u32| {
            let of = if at.is_multiple_of(2) { "a" } else { "b" };
            format!("%{of}[{} +: 8]", first + 8 * (at / 2))
        }
    };
    let word = |of: &str, at: u32| format!("%{of}[{} +: 16]", 16 * at);
    Table::new(vec![
        instruction("low", 8, in_turn(0)),
        instruction("high", 8, in_turn(64)),
        instruction("add", 16, |at| format!("add({}, {})", word("a", at), word("b", at))),
        instruction("down", 16, |at| format!("shr.u({}, %b[0 +: 16])", word("a", at))),
        instruction("bytes", 8, |at| {
            let (of, at) = if at < 8 { ("a", at) } else { ("b", at - 8) };
            format!("saturate.s.u({}, 8)", word(of, at))
        }),
    ])
}

/// How many instructions take the mean of three bytes' sum and four.
fn length(lanes: u32) -> usize {
    let leaf = |name| format!(r#"{{"name":"{name}","type":"u8x{lanes}","kind":"dense"}}"#);
    let word = |name| format!("(cast:u16x{lanes} {name}:u8x{lanes})");
    let sum = format!("(add:u16x{lanes} (add:u16x{lanes} {} {}) {})", word("a"), word("b"), word("c"));
    let expr = format!("(cast:u8x{lanes} (shift_right:u16x{lanes} {sum} (broadcast:u16x{lanes} 2:u16)))");
    let leaves = ["a", "b", "c"].map(leaf).join(",");
    let line = format!(r#"{{"name":"w","lanes":{lanes},"bits":8,"leaves":[{leaves}],"expr":"{expr}"}}"#);
    let window = Window::read(&line, 1).expect("a window");
    let mut table = table();
    let cost = |_: &Op| 1000;
    let target = Target { widths: vec![WIDTH], cost: &cost, constant: 0, most: None, key: [0; 32] };
    let answer = synthesize(&window, &mut table, &target, &Memo::default(), &|| false, &mut prover());
    assert_eq!(answer.status, Status::Proved, "{:?}", answer.notes);
    answer.program.map_or(0, |(program, _)| program.steps.len())
}

#[test]
fn lanes_that_fill_no_register_are_computed_among_others() {
    let full = length(16);
    assert_eq!(full, 2 * (3 + 2 + 1) + 1);
    assert_eq!(length(32), 2 * full);
    // Half a register takes one half of each step, but the same packing.
    assert_eq!(length(8), 3 + 2 + 1 + 1);
    for lanes in [15, 13, 7, 3] {
        assert_eq!(length(lanes), length(lanes.next_power_of_two()), "{lanes}");
    }
    for lanes in [17, 20, 23, 24] {
        assert_eq!(length(lanes), full + length(8), "{lanes}");
    }
    assert_eq!(length(31), 2 * full);
}
