//! Any bytes as Intel's document: diagnostics, never a panic, and functions that keep the laws of the IR.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let parsed = parsers::intel::parse("fuzz.xml", bytes, &Default::default());
    for instruction in &parsed.instructions {
        instruction.function.verify().expect("a modelled instruction is legal");
    }
});
