//! Sums and extrema of all lanes of a register.

use search::{Instruction, Operand};
use synth::table::Table;

use crate::support::{self, registers};

/// An instruction on registers of 128 bits, by the positions of its lanes' lowest bits.
fn instruction(id: &str, args: usize, width: u32, lane: impl Fn(u32) -> String) -> Instruction {
    support::instruction(id, &vec![128; args], 128, width, |index| lane(width * index))
}

fn table() -> Table {
    let mut shuffle = support::instruction("shuffle", &[128, 8], 128, 32, |lane| {
        format!("%a[at mul(cast.u(%b[{} +: 2], 7), 0x20:7) +: 32]", 2 * lane)
    });
    shuffle.operands[1] = Operand::Choice { width: 8, values: (0..256).collect() };
    let high = instruction("high", 2, 64, |at| format!("%{}[64 +: 64]", if at == 0 { "a" } else { "b" }));
    Table::new(vec![
        shuffle,
        high,
        instruction("add", 2, 32, |at| format!("add(%a[{at} +: 32], %b[{at} +: 32])")),
        instruction("add64", 2, 64, |at| format!("add(%a[{at} +: 64], %b[{at} +: 64])")),
        instruction("extend", 1, 64, |at| format!("cast.s(%a[{} +: 32], 64)", at / 2)),
    ])
}

#[test]
fn halves_are_exchanged_by_what_keeps_its_operand() {
    let text = "func @f(%a: 128) -> (%r: 32) {\n  %r[0 +: 32] = add(add(%a[0 +: 32], %a[32 +: 32]), add(%a[64 +: 32], %a[96 +: 32]))\n}\n";
    assert_eq!(registers::found(text, 128, table()), ["shuffle", "add", "shuffle", "add"]);
}

#[test]
fn halves_are_extended_one_by_one() {
    let lane = |at: u32| format!("cast.s(%a[{} +: 32], 64)", 32 * at);
    let text = format!(
        "func @f(%a: 128) -> (%r: 64) {{\n  %r[0 +: 64] = add(add({}, {}), add({}, {}))\n}}\n",
        lane(0),
        lane(1),
        lane(2),
        lane(3)
    );
    assert_eq!(registers::found(&text, 128, table()).len(), 6);
}

#[test]
fn bytes_are_added_up_in_wider_containers() {
    // The sums of eight bytes' differences from zero are 64 bits wide, wider than the result.
    let differences = || {
        instruction("differences", 2, 64, |at| {
            let byte = |name: &str, i: u32| format!("cast.u(%{name}[{} +: 8], 10)", at + 8 * i);
            let one = |i: u32| format!("cast.u(abs(sub({}, {})), 64)", byte("a", i), byte("b", i));
            (1..8).fold(one(0), |sum, i| format!("add({sum}, {})", one(i)))
        })
    };
    for width in [8, 16] {
        let byte = |i: u32| format!("cast.u(%a[{} +: 8], {width})", 8 * i);
        let sum = |count: u32| (1..count).fold(byte(0), |sum, i| format!("add({sum}, {})", byte(i)));
        let text = |bits: u32, count: u32| {
            format!("func @f(%a: {bits}) -> (%r: {width}) {{\n  %r[0 +: {width}] = {}\n}}\n", sum(count))
        };
        let table = || {
            let high =
                instruction("high", 2, 64, |at| format!("%{}[64 +: 64]", if at == 0 { "a" } else { "b" }));
            let add = instruction("add64", 2, 64, |at| format!("add(%a[{at} +: 64], %b[{at} +: 64])"));
            Table::new(vec![differences(), high, add])
        };
        assert_eq!(registers::found(&text(128, 16), 128, table()), ["differences", "high", "add64"]);
        assert_eq!(registers::found(&text(64, 8), 128, table()), ["differences"]);
    }
}
