//! HVX: the semantics file and the manual, and QEMU.

mod options;
mod steps;
mod syntax;

use codegen_gen::LlvmVersion;
use difftest::{OracleError, Target};
use parsers::errata::Errata;
use parsers::hexagon::{self, Documents, VectorLength};

use super::{BuiltInErrata, Document, FrontEnd, InstructionSet, Kind, ReadOptions, Source};

pub const SET: InstructionSet = InstructionSet {
    name: hexagon::ISA,
    front_end: FrontEnd {
        endings: &["json", "txt", "idef", "def", "h"],
        select: |_| {},
        missing,
        parse: |reading| {
            hexagon::parse(&documents(reading.documents, reading.errata), &options::chosen())
        },
        outline: |own| hexagon::outline(&documents(own, None)),
        states_version: false,
        kinds: KINDS,
        sources: SOURCES,
    },
    options: Some(ReadOptions { add: options::add, choose: options::choose, flags: options::flags }),
    errata: Some(BuiltInErrata {
        file: "specs/errata/hvx.toml",
        text: include_str!("../../../../specs/errata/hvx.toml"),
        check: |own, errata| hexagon::parse(&documents(own, Some(errata)), &options::chosen()),
        // The manual is read for what the semantics file does not have.
        #[cfg(test)]
        readings: |documents| {
            let without = documents.iter().filter(|document| !document.name.ends_with(".idef"));
            vec![documents.iter().collect(), without.collect()]
        },
    }),
    records: Some(include_str!("../../../../specs/validation/hvx.json")),
    vendor_ir: &[(
        LlvmVersion::Llvm19,
        include_str!("../../../../specs/lowering/llvm-19/hvx.json"),
    )],
    target: Some(&TARGET),
    search: Some(steps::SEARCH),
};

const TARGET: Target = Target {
    prepare: |instructions, definitions, work| {
        if options::chosen().vector_length != VectorLength::Bytes128 {
            return Err(OracleError::Unlike { message: "QEMU's vectors have 128 bytes".to_owned() });
        }
        (difftest::hvx::TARGET.prepare)(instructions, definitions, work)
    },
    ..difftest::hvx::TARGET
};

const KINDS: &[Kind] = &[
    Kind {
        name: "HVX manual, with the prototypes beside it",
        is: |head| {
            let text = head.trim_start();
            let records = text.starts_with('[') && head.contains("\"pseudocode\"");
            records || text.starts_with("intrinsic:") || head.contains("\nintrinsic: hexagon_")
        },
        file: Some("manual.json"),
        companions: &[".h"],
    },
    Kind {
        name: "HVX semantics, with macros and prototypes beside them",
        is: |head| head.contains("EXTINSN") || head.contains("ITERATOR_INSN"),
        file: Some("semantics.idef"),
        companions: &[".def", ".h"],
    },
];

const SOURCES: &[Source] = &[
    Source {
        name: "manual",
        words: "manual",
        parse: |own, errata| Ok(hexagon::parse_manual(&documents(own, errata), &options::chosen())),
    },
    Source {
        name: "semantics",
        words: "semantics file",
        parse: |own, errata| Ok(hexagon::parse_idef(&documents(own, errata), &options::chosen())),
    },
];

fn missing(own: &[&Document]) -> Option<&'static str> {
    let Documents { manual, semantics, .. } = documents(own, None);
    manual.or(semantics).is_none().then_some("semantics (.idef) or manual (.json, .txt)")
}

/// The documents by their endings.
fn documents<'a>(own: &[&'a Document], errata: Option<&'a Errata>) -> Documents<'a> {
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
