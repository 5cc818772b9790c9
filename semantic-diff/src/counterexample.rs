//! Counterexamples as the report shows them.

use hydride_ir::{Bits, Function};
use interp::Bv;

use crate::example::Witness;
use crate::lanes::element_width;
use crate::report::{Counterexample, Found, Value};

/// Arguments with which two functions differ, as the report shows them.
pub(crate) fn counterexample(witness: &Witness, old: &Function, new: &Function) -> Counterexample {
    let args = new.args.iter().zip(&witness.args).map(|(arg, bits)| Value {
        name: arg.name.clone(),
        width: bits.width(),
        bits: format!("{bits:x}"),
        immediate: arg.role.range().map(|(low, _)| integer(bits, low < 0)),
    });
    let results = |values: &[Bits]| {
        let value = |(slot, bits): (&hydride_ir::ResultSlot, &Bits)| Value {
            name: slot.name.clone(),
            width: bits.width(),
            bits: format!("{bits:x}"),
            immediate: None,
        };
        new.results.iter().zip(values).map(value).collect()
    };
    let differing = witness.old.iter().zip(&witness.new).enumerate().find_map(|(result, (old, new))| {
        let bit = (0..old.width()).find(|bit| old.bit(*bit) != new.bit(*bit))?;
        Some((result, bit))
    });
    let lane = differing
        .map_or(8, |(result, bit)| element_width(old, result, bit).min(element_width(new, result, bit)));
    Counterexample {
        args: args.collect(),
        old: results(&witness.old),
        new: results(&witness.new),
        lane,
        found_by: if witness.by_solver { Found::Solver } else { Found::Examples },
        hardware: None,
    }
}

/// An immediate's value as an integer.
fn integer(bits: &Bits, signed: bool) -> i64 {
    let wide = Bv::from(bits).cast(64.max(bits.width()), signed);
    wide.words().first().copied().unwrap_or(0).cast_signed()
}
