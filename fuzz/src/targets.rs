//! What each fuzz target does with its bytes: a document reader parses them, and the result must obey the laws of the
//! IR. A panic is a finding, and so are a hang and more than 4 GiB.
//!
//! The targets below `fuzz_targets/` and the replay in the tests of `parsers` share this file.

#![forbid(unsafe_code)]

use hydride_ir::Function;
use parsers::errata::Errata;
use parsers::{Document, Parsed, Status, arm, hexagon, intel};

/// A fuzz target: its name and what it does with an input.
pub type Target = (&'static str, fn(&[u8]));

/// All of them.
pub const TARGETS: &[Target] = &[
    ("intel_document", intel_document),
    ("arm_json", arm_json),
    ("asl", asl),
    ("hvx_documents", hvx_documents),
    ("ir_text", ir_text),
    ("errata", errata),
];

/// Intel's document.
pub fn intel_document(bytes: &[u8]) {
    check(&intel::parse("fuzz.xml", bytes, &Default::default()));
}

/// Arm's JSON documents and page, with the ASL of one instruction. The input is cut at zero bytes: intrinsics,
/// operations, decode facts, page, newer data; a document whose part is empty is missing.
pub fn arm_json(bytes: &[u8]) {
    let mut parts = bytes.split(|byte| *byte == 0);
    let mut document =
        |name| parts.next().filter(|part| !part.is_empty()).map(|bytes| Document { name, bytes });
    let mut documents = arm::Documents {
        intrinsics: document("intrinsics.json"),
        operations: document("operations.json"),
        decode: document("a64.json"),
        page: document("arm-intrinsics.html"),
        newer: document("intrinsics-no-operations.json"),
        instructions: Some(Document { name: "arch_instrs.asl", bytes: ADD }),
        library: None,
    };
    documents.decode = documents.decode.or(Some(Document { name: "a64.json", bytes: DECODE }));
    check(&arm::parse(&documents, &Default::default()));
}

/// Arm's ASL for one fixed intrinsic. The input is cut at a zero byte: instructions, library.
pub fn asl(bytes: &[u8]) {
    let mut parts = bytes.split(|byte| *byte == 0);
    let mut document = |name| parts.next().map(|bytes| Document { name, bytes });
    let documents = arm::Documents {
        instructions: document("arch_instrs.asl"),
        library: document("arch.asl"),
        intrinsics: Some(Document { name: "intrinsics.json", bytes: INTRINSICS }),
        decode: Some(Document { name: "a64.json", bytes: DECODE }),
        ..Default::default()
    };
    check(&arm::parse(&documents, &Default::default()));
}

/// The HVX documents. The input is cut at zero bytes: semantics, macros, manual, prototypes; a document whose part is
/// empty is missing.
pub fn hvx_documents(bytes: &[u8]) {
    let mut parts = bytes.split(|byte| *byte == 0);
    let mut document =
        |name| parts.next().filter(|part| !part.is_empty()).map(|bytes| Document { name, bytes });
    let documents = hexagon::Documents {
        semantics: document("ext.idef"),
        macros: document("macros.def"),
        manual: document("hvx-prm.json"),
        prototypes: document("hvx_hexagon_protos.h"),
        errata: None,
    };
    // Half as many elements run faster and take the same paths.
    check(&hexagon::parse(&documents, &hexagon::Options { vector_length: hexagon::VectorLength::Bytes64 }));
}

/// IR: what parses is verified, and what is legal prints and parses back.
pub fn ir_text(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for function in Function::parse_all(text).unwrap_or_default() {
        if function.verify().is_ok() {
            let printed = function.to_string();
            let again = Function::parse(&printed).expect("what is printed can be parsed");
            assert_eq!(again.to_string(), printed);
        }
    }
}

/// Errata, and their application to a small document of each vendor.
pub fn errata(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let digest = |bytes: &[u8]| format!("{:016x}", bytes.len());
    let Ok(errata) = Errata::parse("fuzz.toml", text, digest) else { return };
    let options = intel::Options { errata: Some(&errata), ..Default::default() };
    check(&intel::parse("fuzz.xml", INTEL, &options));
    let intrinsics = Some(Document { name: "intrinsics.json", bytes: INTRINSICS });
    let documents = arm::Documents { intrinsics, ..Default::default() };
    check(&arm::parse(&documents, &arm::Options { errata: Some(&errata), ..Default::default() }));
    let manual = Some(Document { name: "hvx-prm.json", bytes: MANUAL });
    let documents = hexagon::Documents { manual, errata: Some(&errata), ..Default::default() };
    check(&hexagon::parse(&documents, &Default::default()));
}

/// Each entry has one ledger line, and what is modelled is legal.
fn check(parsed: &Parsed) {
    let modelled = parsed.ledger.iter().filter(|line| line.status == Status::Modelled);
    assert!(modelled.map(|line| &line.id).eq(parsed.instructions.iter().map(|instruction| &instruction.id)));
    for instruction in &parsed.instructions {
        instruction.function.verify().expect("a modelled instruction is legal");
    }
}

/// The intrinsics for the ASL: one of two vectors, and one with an immediate.
const INTRINSICS: &[u8] = br#"[
{"name": "f", "return_type": {"value": "int16x4_t"}, "arguments": ["int16x4_t a", "int16x4_t b"],
 "results": [{"Vd.4H": "result"}], "Arguments_Preparation": {"a": {"register": "Vn.4H"}, "b": {"register": "Vm.4H"}},
 "Operation": "", "base_instruction": ["ADD"], "operands": "Vd.4H,Vn.4H,Vm.4H"},
{"name": "g", "return_type": {"value": "int8x8_t"}, "arguments": ["int8x8_t a", "const int n"],
 "results": [{"Vd.8B": "result"}], "Operation": "", "base_instruction": ["SSHR"],
 "Arguments_Preparation": {"a": {"register": "Vn.8B"}, "n": {"minimum": "1", "maximum": "2"}},
 "operands": "Vd.8B,Vn.8B,#n"}]"#;

const DECODE: &[u8] = br#"{"schema": 1, "words": {"add v0.4h, v1.4h, v8.4h": "0e688420",
 "sshr v0.8b, v1.8b, #{1..2}": "0f0f0420 0f0e0420"}}"#;

/// An instruction with the word of [`DECODE`].
const ADD: &[u8] = b"__instruction add
    __encoding add
        __instruction_set A64
        __field Rm 16 +: 5
        __field Rn 5 +: 5
        __field Rd 0 +: 5
        __opcode '0xx01110 xx1xxxxx 100001xx xxxxxxxx'
        __guard TRUE
        __decode
            integer d = UInt(Rd);

    __execute
        x = 1;
";

const INTEL: &[u8] = br#"<intrinsics_list version="3">
<intrinsic tech="SSE_ALL" name="f"><CPUID>SSE2</CPUID>
<return type="__m128i" varname="dst" etype="UI8"/><parameter type="__m128i" varname="a" etype="UI8"/>
<operation>
dst[63:0] := a[63:0]
dst[127:64] := 0
</operation>
</intrinsic>
</intrinsics_list>"#;

const MANUAL: &[u8] =
    br#"[{"intrinsic": "hexagon_V6_f_128B", "syntax": "Vd.b=f(Vu.b)", "pseudocode": "Vd = Vu;"}]"#;
