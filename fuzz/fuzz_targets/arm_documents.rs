//! Any bytes as Arm's documents: the input is cut at zero bytes into one part for each document.

#![no_main]

use libfuzzer_sys::fuzz_target;
use parsers::arm::{Document, Documents, parse};

fuzz_target!(|bytes: &[u8]| {
    let mut parts = bytes.split(|byte| *byte == 0);
    let mut document = |name| parts.next().map(|bytes| Document { name, bytes });
    let documents = Documents {
        intrinsics: document("intrinsics.json"),
        operations: document("operations.json"),
        instructions: document("arch_instrs.asl"),
        library: document("arch.asl"),
        decode: document("a64.json"),
        page: document("arm-intrinsics.html"),
        newer: document("intrinsics-no-operations.json"),
    };
    let parsed = parse(&documents, &Default::default());
    for instruction in &parsed.instructions {
        instruction.function.verify().expect("a modelled instruction is legal");
    }
});
