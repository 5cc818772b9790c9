//! Arm: the intrinsics' JSON with operations and ASL, and QEMU.

mod steps;
mod syntax;

use parsers::Parsed;
use parsers::arm::{self, Documents, Options};

use super::{BuiltInErrata, Document, FrontEnd, InstructionSet, Kind, Reading, Source};

pub const SET: InstructionSet = InstructionSet {
    name: arm::ISA,
    front_end: FrontEnd {
        endings: &["json", "asl", "html"],
        select: |_| {},
        missing,
        parse: |reading| parse(&documents(reading.documents), reading),
        outline: |own| arm::outline(&documents(own)),
        states_version: false,
        kinds: KINDS,
        sources: SOURCES,
    },
    options: &[],
    errata: Some(BuiltInErrata {
        file: "specs/errata/arm.toml",
        text: include_str!("../../../../specs/errata/arm.toml"),
        check: |own, errata, _| arm::check_errata(&documents(own), errata),
        // The documents are of one version; the page next to them is read if the intrinsics are missing.
        #[cfg(test)]
        readings: |documents| {
            let without = documents.iter().filter(|document| !document.name.ends_with("/intrinsics.json"));
            vec![documents.iter().collect(), without.collect()]
        },
    }),
    records: Some(include_str!("../../../../specs/validation/arm.json")),
    vendor_ir: &[
        include_str!("../../../../specs/lowering/llvm-19/arm.json"),
        include_str!("../../../../specs/lowering/llvm-22/arm.json"),
    ],
    target: Some(&difftest::arm::TARGET),
    search: Some(steps::SEARCH),
    c_types: include_str!("types.h"),
    c_headers: &["arm_neon.h"],
    c_features: &["__ARM_", "__aarch64__", "__arm__"],
};

const KINDS: &[Kind] = &[
    Kind {
        name: "older Arm page with its operations, with the newer data next to it",
        is: |head| head.contains("<div class=\"intrinsic\">"),
        file: Some(PAGE),
        companions: &[NEWER],
    },
    Kind {
        name: "Arm intrinsics, with the operations and ASL next to them",
        is: |head| head.contains("\"Arguments_Preparation\"") && head.contains("\"operands\""),
        file: Some("intrinsics.json"),
        companions: &["operations.json", ".asl"],
    },
    Kind {
        name: "newer Arm data without operations",
        is: |head| head.contains("\"Arguments_Preparation\""),
        file: Some(NEWER),
        companions: &[],
    },
];

const SOURCES: &[Source] = &[
    Source {
        name: "operations",
        words: "intrinsics with their operations",
        parse: |reading| {
            let own = documents(reading.documents);
            Ok(parse(&Documents { instructions: None, ..own }, reading))
        },
    },
    Source {
        name: "asl",
        words: "intrinsics with the instructions' ASL",
        parse: |reading| Ok(parse(&documents(reading.documents), reading)),
    },
    Source {
        name: "page",
        words: "older page with its operations",
        parse: |reading| {
            let own = documents(reading.documents);
            if own.page.is_none() {
                return Err(format!("arm/{PAGE}"));
            }
            let alone = Documents { intrinsics: None, operations: None, instructions: None, ..own };
            Ok(parse(&alone, reading))
        },
    },
];

fn missing(own: &[&Document]) -> Option<&'static str> {
    let Documents { intrinsics, page, newer, .. } = documents(own);
    intrinsics.or(page).or(newer).is_none().then_some("intrinsics.json or reference page")
}

fn parse(documents: &Documents<'_>, reading: &Reading<'_>) -> Parsed {
    arm::parse(documents, &Options { errata: reading.errata, ..Options::default() })
}

/// The decode facts of A64 encodings, as checked in.
const DECODE: &str = include_str!("../../../../specs/decode/a64.json");

/// The functions that Arm's operations call, for documents without `arch.asl`.
const LIBRARY: &str = include_str!("../../../../specs/arm/library.asl");

/// The older reference page, as packages hold it.
pub const PAGE: &str = "arm-intrinsics.html";
/// The newer data, as packages hold them.
pub const NEWER: &str = "intrinsics-no-operations.json";

/// The documents by their names.
fn documents<'a>(own: &[&'a Document]) -> Documents<'a> {
    let named = |file: &str| {
        let document = own.iter().find(|document| document.name.ends_with(&format!("/{file}")))?;
        Some(arm::Document { name: &document.name, bytes: &document.bytes })
    };
    let built_in = |name: &'static str, text: &'static str| arm::Document { name, bytes: text.as_bytes() };
    Documents {
        intrinsics: named("intrinsics.json"),
        operations: named("operations.json"),
        instructions: named("arch_instrs.asl"),
        library: named("arch.asl").or(Some(built_in("specs/arm/library.asl", LIBRARY))),
        decode: Some(built_in("specs/decode/a64.json", DECODE)),
        page: named(PAGE),
        newer: named(NEWER),
    }
}
