//! Leading zeros of words with few instructions of a target.

use search::Instruction;
use synth::table::Table;

use crate::support::{self, registers};

/// An instruction on registers of 128 bits, by the positions of its lanes' lowest bits.
fn instruction(id: &str, args: usize, width: u32, lane: impl Fn(u32) -> String) -> Instruction {
    support::instruction(id, &vec![128; args], 128, width, |index| lane(width * index))
}

fn table() -> Table {
    let min = |id: &str, width: u32| {
        instruction(id, 2, width, move |at| format!("min.u(%a[{at} +: {width}], %b[{at} +: {width}])"))
    };
    let down = |id: &str, width: u32, by: u32| {
        instruction(id, 1, width, move |at| format!("shr.u(%a[{at} +: {width}], {by:#x}:{width})"))
    };
    Table::new(vec![
        instruction("choose", 2, 8, |at| {
            let index = format!("mul(cast.u(%b[{at} +: 4], 7), 0x8:7)");
            format!("select(%b[{} +: 1], 0x0:8, %a[at {index} +: 8])", at + 7)
        }),
        instruction("and", 2, 128, |_| "and(%a, %b)".into()),
        instruction("or", 2, 128, |_| "or(%a, %b)".into()),
        min("min8", 8),
        min("min16", 16),
        min("min32", 32),
        instruction("xor", 2, 128, |_| "xor(%a, %b)".into()),
        instruction("add", 2, 32, |at| format!("add(%a[{at} +: 32], %b[{at} +: 32])")),
        down("longs1", 32, 1),
        down("words4", 16, 4),
        down("words8", 16, 8),
        down("longs4", 32, 4),
        down("longs8", 32, 8),
        down("longs16", 32, 16),
        down("longs24", 32, 24),
    ])
}

#[test]
fn zeros_of_words_are_those_of_bytes() {
    for (width, length) in [(16, 11), (32, 18)] {
        let count = 128 / width;
        let text = format!(
            "func @f(%a: 128) -> (%r: 128) {{\n  for i in 0..{count} {{\n    %r[{width}*i +: {width}] = \
             leading_zeros(%a[{width}*i +: {width}])\n  }}\n}}\n"
        );
        assert_eq!(registers::found(&text, 128, table()).len(), length);
    }
}

#[test]
fn signs_of_words_are_zeros_of_what_differs_from_its_neighbor() {
    let text = "func @f(%a: 128) -> (%r: 128) {\n  for i in 0..4 {\n    %r[32*i +: 32] = cast.u(leading_zeros(xor(%a[32*i + 1 +: 31], \
                %a[32*i +: 31])), 32)\n  }\n}\n";
    assert_eq!(registers::found(text, 128, table()).len(), 22);
}
