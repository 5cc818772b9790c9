//! Arithmetic in GF(2) polynomials: the byte field of AES and remainders for CRC.

use std::sync::LazyLock;

use dashu_int::ops::BitTest;
use hydride_ir::exact::{Dag, Int, NodeId, Part};

use super::{CallError, Called, lookup};
use crate::intel::run::Value;

/// The polynomial of the byte field of AES and of the GFNI instructions: x^8 + x^4 + x^3 + x + 1.
const POLYNOMIAL: u16 = 0x11B;

/// The product in the byte field.
fn product(left: u8, right: u8) -> u8 {
    let mut shifted = u16::from(left);
    let mut product = 0;
    for bit in 0..8 {
        if right >> bit & 1 == 1 {
            product ^= shifted;
        }
        shifted <<= 1;
        if shifted & 0x100 != 0 {
            shifted ^= POLYNOMIAL;
        }
    }
    product as u8
}

/// The inverse of each element of the byte field; 0 for 0.
pub(super) static INVERSES: LazyLock<[u8; 256]> = LazyLock::new(|| {
    std::array::from_fn(|element| {
        // x^254 = x^-1.
        (0..254).fold(1, |power, _| product(power, element as u8)) * u8::from(element != 0)
    })
});

/// The inverse of a byte.
pub(super) fn inverse(dag: &mut Dag, byte: NodeId) -> Value {
    Value::sized(lookup(dag, &INVERSES, byte), 8)
}

/// A byte times a constant of the byte field.
pub(super) fn multiple(dag: &mut Dag, byte: NodeId, factor: u8) -> NodeId {
    // Each bit of the byte contributes a constant; gather them by the bit of the result.
    let parts: Vec<Part> = (0..8)
        .map(|bit| {
            let mut node = dag.int(0);
            for from in 0..8u32 {
                if product(1 << from, factor) >> bit & 1 == 1 {
                    let source = dag.slice(byte, from, 1, false);
                    node = dag.xor(node, source);
                }
            }
            Part { node, width: 1 }
        })
        .collect();
    dag.concat(&parts)
}

/// `MOD2(value, polynomial)`: the remainder of a division of polynomials over GF(2).
pub(super) fn remainder(dag: &mut Dag, _: u32, args: &[Value]) -> Called {
    let [value, polynomial] = args else { return Err(CallError::Arguments) };
    let polynomial =
        dag.as_int(polynomial.node).cloned().filter(|p| p > &Int::ONE).ok_or(CallError::DivisionByZero)?;
    let degree = polynomial.bit_len() - 1;
    let Some((width, false)) = dag.natural(value.node) else { return Err(CallError::Width) };
    if width as usize * degree > 1 << 16 {
        return Err(CallError::Width);
    }
    // x^n mod polynomial for each bit n of the value.
    let mut power = Int::ONE;
    let mut bits = vec![dag.int(0); degree];
    for position in 0..width {
        let source = dag.slice(value.node, position, 1, false);
        for (bit, sum) in bits.iter_mut().enumerate() {
            if power.bit(bit) {
                *sum = dag.xor(*sum, source);
            }
        }
        power <<= 1;
        if power.bit(degree) {
            power ^= &polynomial;
        }
    }
    let parts: Vec<Part> = bits.into_iter().map(|node| Part { node, width: 1 }).collect();
    Ok(Value::sized(dag.concat(&parts), degree as u32))
}
