//! Elements moved across the blocks of 128 bits that instructions move within.

use std::fmt::Write as _;

use search::{Instruction, Operand};
use synth::table::Table;

use crate::support::{self, registers};

/// Elements of 16 bits in 256 bits, shifted within each block; what comes in is from the second register's block.
fn align() -> Instruction {
    let mut align = support::instruction("align", &[256, 256, 8], 256, 16, |lane| {
        let (block, place) = (lane / 8, lane % 8);
        let element = |at: u32| match at {
            0..8 => format!("%a[{} +: 16]", 128 * block + 16 * at),
            _ => format!("%b[{} +: 16]", 128 * block + 16 * (at - 8)),
        };
        (0..7).rev().fold(element(place + 7), |otherwise, count| {
            format!("select(eq(%c, {count:#x}:8), {}, {otherwise})", element(place + count))
        })
    });
    align.operands[2] = Operand::Choice { width: 8, values: (0..8).collect() };
    align
}

/// One of four blocks in each half.
fn blocks() -> Instruction {
    let mut blocks = support::instruction("blocks", &[256, 256, 8], 256, 128, |half| {
        let block = |at: u32| format!("%{}[{} +: 128]", if at < 2 { "a" } else { "b" }, 128 * (at % 2));
        (0..3).rev().fold(block(3), |otherwise, at| {
            format!("select(eq(%c[{} +: 2], {at:#x}:2), {}, {otherwise})", 4 * half, block(at))
        })
    });
    blocks.operands[2] = Operand::Choice { width: 8, values: (0..64).collect() };
    blocks
}

fn found(indexes: impl Iterator<Item = u32>, width: u32, table: Table) -> Vec<String> {
    let mut lanes = String::new();
    for (lane, index) in indexes.enumerate() {
        writeln!(lanes, "  %r[{} +: 16] = %a[{} +: 16]", 16 * lane, 16 * index).expect("a string");
    }
    registers::found(&format!("func @f(%a: {}) -> (%r: {width}) {{\n{lanes}}}\n", 2 * width), width, table)
}

#[test]
fn neighbors_of_two_registers_are_aligned_block_by_block() {
    let table = || Table::new(vec![align(), blocks()]);
    for from in [1, 7, 9, 15] {
        assert_eq!(found(from..from + 16, 256, table()), ["blocks", "align"], "from element {from} on");
    }
    assert_eq!(found(8..24, 256, table()), ["blocks"]);
}
