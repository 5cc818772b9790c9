//! x86: the Intrinsics Guide's XML, and this machine's CPU.

mod steps;
mod syntax;

use parsers::{Parsed, intel};

use super::{BuiltInErrata, Document, FrontEnd, InstructionSet, Kind, Reading};

pub const SET: InstructionSet = InstructionSet {
    name: intel::ISA,
    front_end: FrontEnd {
        endings: &["xml"],
        select: keep_newest,
        missing: |_| None,
        parse,
        outline: |documents| intel::outline(&documents[0].name, &documents[0].bytes),
        states_version: true,
        kinds: KINDS,
        sources: &[],
    },
    options: &[],
    errata: Some(BuiltInErrata {
        file: "specs/errata/x86.toml",
        text: include_str!("../../../../specs/errata/x86.toml"),
        check: |own, errata, _| intel::check_errata(&own[0].name, &own[0].bytes, errata),
        // Each document is a version of its own.
        #[cfg(test)]
        readings: |documents| documents.iter().map(|document| vec![document]).collect(),
    }),
    records: Some(include_str!("../../../../specs/validation/x86.json")),
    vendor_ir: &[
        include_str!("../../../../specs/lowering/llvm-19/x86.json"),
        include_str!("../../../../specs/lowering/llvm-22/x86.json"),
    ],
    target: Some(&difftest::x86::TARGET),
    search: Some(steps::SEARCH),
    c_types: include_str!("types.h"),
    c_headers: &[
        "immintrin.h",
        "x86intrin.h",
        "mmintrin.h",
        "xmmintrin.h",
        "emmintrin.h",
        "pmmintrin.h",
        "tmmintrin.h",
        "smmintrin.h",
        "nmmintrin.h",
        "wmmintrin.h",
        "ammintrin.h",
    ],
    c_features: &["__MMX__", "__SSE", "__SSSE3__", "__AVX", "__x86_64", "__i386", "__amd64"],
};

const KINDS: &[Kind] = &[Kind {
    name: "x86 document",
    is: |head| head.contains("<intrinsics_list") || head.contains("<intrinsic "),
    file: None,
    companions: &[],
}];

/// Several revisions of the document describe one instruction set: the last by name is read.
fn keep_newest(documents: &mut Vec<Document>) {
    let newest = documents.iter().map(|document| document.name.clone()).max();
    documents.retain(|document| Some(&document.name) == newest.as_ref());
}

fn parse(reading: &Reading<'_>) -> Parsed {
    let document = reading.documents[0];
    let options = intel::Options {
        progress: Some(reading.progress),
        errata: reading.errata,
        only: reading.only,
        // They can be evaluated, and are not classified.
        tiles: reading.only.is_some(),
        memo: reading.memo,
    };
    intel::parse(&document.name, &document.bytes, &options)
}
