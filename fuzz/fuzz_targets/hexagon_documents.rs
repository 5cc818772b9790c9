//! Any bytes as the HVX documents: the input is cut at zero bytes into one part for each document.

#![no_main]

use libfuzzer_sys::fuzz_target;
use parsers::hexagon::{Document, Documents, parse};

fuzz_target!(|bytes: &[u8]| {
    let mut parts = bytes.split(|byte| *byte == 0);
    let mut document = |name| parts.next().map(|bytes| Document { name, bytes });
    let documents = Documents {
        manual: document("hvx-prm.json"),
        semantics: document("ext.idef"),
        macros: document("macros.def"),
        prototypes: document("hvx_hexagon_protos.h"),
        errata: None,
    };
    let parsed = parse(&documents, &Default::default());
    for instruction in &parsed.instructions {
        instruction.function.verify().expect("a modelled instruction is legal");
    }
});
