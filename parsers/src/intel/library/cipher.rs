//! Steps of AES (FIPS 197) and SHA (FIPS 180-4) that the document names without defining them.

use std::sync::LazyLock;

use hydride_ir::exact::{Dag, NodeId, Part};

use super::field::{INVERSES, multiple};
use super::{CallError, Called, lookup, one};
use crate::intel::run::Value;

/// The substitution of AES: the inverse in the byte field under an affine map.
static SUBSTITUTION: LazyLock<[u8; 256]> = LazyLock::new(|| {
    INVERSES.map(|inverse| {
        let rotations = (1..=4).map(|count| inverse.rotate_left(count));
        rotations.fold(inverse, |sum, rotated| sum ^ rotated) ^ 0x63
    })
});

static INVERSE_SUBSTITUTION: LazyLock<[u8; 256]> = LazyLock::new(|| {
    let mut table = [0; 256];
    for (byte, substituted) in (0..=u8::MAX).zip(*SUBSTITUTION) {
        table[usize::from(substituted)] = byte;
    }
    table
});

/// Applies a step to the 16 bytes of an AES state; byte `row + 4·column` of the value is the state's.
pub(super) fn state(dag: &mut Dag, args: &[Value], step: fn(&mut Dag, &[NodeId]) -> Vec<NodeId>) -> Called {
    let value = one(args)?;
    let bytes: Vec<NodeId> = (0..16).map(|byte| dag.slice(value.node, 8 * byte, 8, false)).collect();
    let bytes = step(dag, &bytes);
    Ok(joined(dag, &bytes, 8))
}

fn joined(dag: &mut Dag, nodes: &[NodeId], width: u32) -> Value {
    let parts: Vec<Part> = nodes.iter().map(|node| Part { node: *node, width }).collect();
    Value::sized(dag.concat(&parts), width * nodes.len() as u32)
}

fn permuted(bytes: &[NodeId], step: usize) -> Vec<NodeId> {
    // Row r of column c comes from column c + step·r.
    (0..16).map(|byte| bytes[(byte + 4 * step * (byte % 4)) % 16]).collect()
}

pub(super) fn shift_rows(_: &mut Dag, bytes: &[NodeId]) -> Vec<NodeId> {
    permuted(bytes, 1)
}

pub(super) fn inverse_shift_rows(_: &mut Dag, bytes: &[NodeId]) -> Vec<NodeId> {
    permuted(bytes, 3)
}

pub(super) fn sub_bytes(dag: &mut Dag, bytes: &[NodeId]) -> Vec<NodeId> {
    bytes.iter().map(|byte| lookup(dag, &SUBSTITUTION, *byte)).collect()
}

pub(super) fn inverse_sub_bytes(dag: &mut Dag, bytes: &[NodeId]) -> Vec<NodeId> {
    bytes.iter().map(|byte| lookup(dag, &INVERSE_SUBSTITUTION, *byte)).collect()
}

fn mixed(dag: &mut Dag, bytes: &[NodeId], factors: [u8; 4]) -> Vec<NodeId> {
    (0..16)
        .map(|byte| {
            let (column, row) = (byte / 4 * 4, byte % 4);
            let mut sum = dag.int(0);
            for (from, source) in bytes[column..column + 4].iter().enumerate() {
                let term = multiple(dag, *source, factors[(4 + from - row) % 4]);
                sum = dag.xor(sum, term);
            }
            sum
        })
        .collect()
}

pub(super) fn mix_columns(dag: &mut Dag, bytes: &[NodeId]) -> Vec<NodeId> {
    mixed(dag, bytes, [2, 3, 1, 1])
}

pub(super) fn inverse_mix_columns(dag: &mut Dag, bytes: &[NodeId]) -> Vec<NodeId> {
    mixed(dag, bytes, [14, 11, 13, 9])
}

/// The substitution of each byte of a word.
pub(super) fn sub_word(dag: &mut Dag, words: Vec<NodeId>) -> Called {
    let [word] = words[..] else { return Err(CallError::Arguments) };
    let bytes: Vec<NodeId> = (0..4).map(|byte| dag.slice(word, 8 * byte, 8, false)).collect();
    let bytes = sub_bytes(dag, &bytes);
    Ok(joined(dag, &bytes, 8))
}

/// Exclusive or of right rotations and right shifts of a word.
pub(super) fn rotated(dag: &mut Dag, words: Vec<NodeId>, rotations: &[u32], shifts: &[u32]) -> Called {
    let [word] = words[..] else { return Err(CallError::Arguments) };
    let mut sum = dag.int(0);
    for count in rotations {
        let (low, high) = (dag.slice(word, *count, 32 - count, false), dag.slice(word, 0, *count, false));
        let term = dag.concat(&[Part { node: low, width: 32 - count }, Part { node: high, width: *count }]);
        sum = dag.xor(sum, term);
    }
    for count in shifts {
        let term = dag.slice(word, *count, 32 - count, false);
        sum = dag.xor(sum, term);
    }
    Ok(Value::sized(sum, 32))
}

pub(super) fn choice(dag: &mut Dag, words: Vec<NodeId>) -> Called {
    let [x, y, z] = words[..] else { return Err(CallError::Arguments) };
    let not_x = dag.not(x);
    let (chosen, other) = (dag.and(x, y), dag.and(not_x, z));
    Ok(Value::sized(dag.xor(chosen, other), 32))
}

pub(super) fn majority(dag: &mut Dag, words: Vec<NodeId>) -> Called {
    let [x, y, z] = words[..] else { return Err(CallError::Arguments) };
    let (first, second, third) = (dag.and(x, y), dag.and(x, z), dag.and(y, z));
    let sum = dag.xor(first, second);
    Ok(Value::sized(dag.xor(sum, third), 32))
}

pub(super) fn parity(dag: &mut Dag, words: Vec<NodeId>) -> Called {
    let [x, y, z] = words[..] else { return Err(CallError::Arguments) };
    let sum = dag.xor(x, y);
    Ok(Value::sized(dag.xor(sum, z), 32))
}
