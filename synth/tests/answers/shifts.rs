//! Shifts by a count that is known only at run time, down or up, with few instructions of a target.

use memo::Memo;
use search::Instruction;
use synth::synthesize::{Status, Target, prover, synthesize};
use synth::table::{Op, Table};
use synth::window::Window;

use crate::support;

/// A register.
const WIDTH: u32 = 128;

/// An instruction on two registers with lanes of 32 bits, of which the function is given the lowest bit.
fn instruction(id: &str, lane: impl Fn(u32) -> String) -> Instruction {
    support::instruction(id, &[WIDTH, WIDTH], WIDTH, 32, |index| lane(32 * index))
}

fn difference() -> Instruction {
    instruction("difference", |at| format!("sub(%a[{at} +: 32], %b[{at} +: 32])"))
}

/// Down by counts from 0 to 31, up by the others of six bits.
fn down() -> Instruction {
    instruction("down", |at| {
        format!(
            "select(%b[{} +: 1], shl(%a[{at} +: 32], neg(%b[{at} +: 6])), shr.s(%a[{at} +: 32], %b[{at} +: 5]))",
            at + 5
        )
    })
}

/// Up by counts from 0 to 127, down by the others of eight bits, rounded.
fn rounded() -> Instruction {
    instruction("rounded", |at| {
        let by = format!("cast.s(%b[{at} +: 8], 9)");
        let half = format!("shl(0x1:129, saturate.s.u(sub(0xff:8, %b[{at} +: 8]), 7))");
        let down = format!("shr.s(add({half}, cast.s(%a[{at} +: 32], 129)), cast.u(neg({by}), 8))");
        format!("select(%b[{} +: 1], cast.u({down}, 32), shl(%a[{at} +: 32], %b[{at} +: 8]))", at + 7)
    })
}

/// The instructions for a rounding shift of numbers in a range by a count in another one.
fn found(range: &str, counts: &str, instructions: Vec<Instruction>) -> Vec<String> {
    let line = format!(
        r#"{{"name":"w","lanes":4,"bits":32,"leaves":[{{"name":"a","type":"i32x4","kind":"dense"{range}}},
        {{"name":"c","type":"i32","kind":"scalar"{counts}}}],
        "expr":"(rounding_shift_right:i32x4 a:i32x4 (broadcast:i32x4 c:i32))"}}"#
    );
    let window = Window::read(&line.replace('\n', ""), 1).expect("a window");
    let mut table = Table::new(instructions);
    let cost = |_: &Op| 1000;
    let target = Target { widths: vec![WIDTH], cost: &cost, constant: 0, most: None, key: [0; 32] };
    let answer = synthesize(&window, &mut table, &target, &Memo::default(), &|| false, &mut prover());
    assert_eq!(answer.status == Status::Proved, answer.program.is_some(), "{:?}", answer.notes);
    let steps = answer.program.into_iter().flat_map(|(program, _)| program.steps);
    steps.map(|step| table.instruction(step.op).id.clone()).collect()
}

const RANGES: [&str; 2] = ["", r#","range":[-1073741824,1073741824]"#];
const COUNTS: [&str; 3] = ["", r#","range":[0,31]"#, r#","range":[-200,40]"#];

#[test]
fn a_rounding_shift_either_way_is_one_instruction() {
    for (range, counts) in RANGES.iter().flat_map(|range| COUNTS.map(|counts| (range, counts))) {
        assert_eq!(
            found(range, counts, vec![down(), rounded(), difference()]),
            ["rounded"],
            "{range} {counts}"
        );
    }
}

#[test]
fn a_rounding_shift_is_a_difference_where_none_rounds() {
    for (range, counts) in RANGES.iter().flat_map(|range| COUNTS.map(|counts| (range, counts))) {
        let found = found(range, counts, vec![down(), difference()]);
        assert_eq!(found, ["down", "down", "difference"], "{range} {counts}");
    }
}
