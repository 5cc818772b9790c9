//! HVX: the semantics file and the manual, and QEMU.

mod steps;
mod syntax;

use parsers::errata::Errata;
use parsers::hexagon::{self, Documents, Options, VectorLength};

use super::{
    BuiltInErrata, Document, FrontEnd, InstructionSet, Kind, Reading, ReadingOption, ReadingOptions, Source,
};

pub const SET: InstructionSet = InstructionSet {
    name: hexagon::ISA,
    front_end: FrontEnd {
        endings: &["json", "txt", "idef", "def", "h"],
        select: |_| {},
        missing,
        parse: |reading| hexagon::parse(&documents(reading), &options(reading.options)),
        outline: |own| hexagon::outline(&named(own, None)),
        states_version: false,
        kinds: KINDS,
        sources: SOURCES,
    },
    options: &[LENGTH],
    errata: Some(BuiltInErrata {
        file: "specs/errata/hvx.toml",
        text: include_str!("../../../../specs/errata/hvx.toml"),
        check: |own, errata, chosen| hexagon::parse(&named(own, Some(errata)), &options(chosen)),
        // The manual is read for what the semantics file does not have.
        #[cfg(test)]
        readings: |documents| {
            let without = documents.iter().filter(|document| !document.name.ends_with(".idef"));
            vec![documents.iter().collect(), without.collect()]
        },
    }),
    records: Some(include_str!("../../../../specs/validation/hvx.json")),
    vendor_ir: &[
        include_str!("../../../../specs/lowering/llvm-19/hvx.json"),
        include_str!("../../../../specs/lowering/llvm-22/hvx.json"),
    ],
    target: Some(&difftest::hvx::TARGET),
    search: Some(steps::SEARCH),
    c_types: "",
    c_headers: &["hexagon_types.h", "hexagon_protos.h", "hvx_hexagon_protos.h"],
    c_features: &["__HVX", "__HEXAGON", "__hexagon__"],
};

/// The length of vectors for which the documents are read.
const LENGTH: ReadingOption = ReadingOption {
    name: "hvx-length",
    help: "Bytes of an HVX vector",
    value_name: "BYTES",
    values: &["64", "128"],
    default: "128",
};

fn options(chosen: &ReadingOptions) -> Options {
    let vector_length = match chosen.get(&LENGTH) {
        "64" => VectorLength::Bytes64,
        _ => VectorLength::Bytes128,
    };
    Options { vector_length }
}

const KINDS: &[Kind] = &[
    Kind {
        name: "HVX manual, with the prototypes next to it",
        is: |head| {
            let text = head.trim_start();
            let records = text.starts_with('[') && head.contains("\"pseudocode\"");
            records || text.starts_with("intrinsic:") || head.contains("\nintrinsic: hexagon_")
        },
        file: Some("manual.json"),
        companions: &[".h"],
    },
    Kind {
        name: "HVX semantics, with macros and prototypes next to it",
        is: |head| head.contains("EXTINSN") || head.contains("ITERATOR_INSN"),
        file: Some("semantics.idef"),
        companions: &[".def", ".h"],
    },
];

const SOURCES: &[Source] = &[
    Source {
        name: "manual",
        words: "manual",
        parse: |reading| Ok(hexagon::parse_manual(&documents(reading), &options(reading.options))),
    },
    Source {
        name: "semantics",
        words: "semantics file",
        parse: |reading| Ok(hexagon::parse_idef(&documents(reading), &options(reading.options))),
    },
];

fn missing(own: &[&Document]) -> Option<&'static str> {
    let Documents { manual, semantics, .. } = named(own, None);
    manual.or(semantics).is_none().then_some("semantics (.idef) or manual (.json, .txt)")
}

fn documents<'a>(reading: &Reading<'a>) -> Documents<'a> {
    named(reading.documents, reading.errata)
}

/// The documents by their endings.
fn named<'a>(own: &[&'a Document], errata: Option<&'a Errata>) -> Documents<'a> {
    let ending = |ending: &str| {
        let document = own.iter().find(|document| document.name.ends_with(ending))?;
        Some(hexagon::Document { name: &document.name, bytes: &document.bytes })
    };
    Documents {
        manual: ending(".json").or_else(|| ending(".txt")),
        semantics: ending(".idef"),
        macros: ending(".def"),
        prototypes: ending(".h"),
        errata,
    }
}
