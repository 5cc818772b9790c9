//! HVX documents that are wrong: each ends in a diagnostic with a location, none in a panic or a hang.

use crate::hexagon_support::Sample;
use parsers::hexagon::{Document, Documents, Options, parse};
use parsers::{LedgerEntry, Parsed, Status};

/// The sample documents with a custom semantics file.
fn with_semantics(semantics: &str) -> Parsed {
    let sample = Sample::read();
    let semantics = Document { name: "own.idef", bytes: semantics.as_bytes() };
    let documents =
        Documents { semantics: Some(semantics), manual: None, prototypes: None, ..sample.documents() };
    parse(&documents, &Options::default())
}

fn record(body: &str) -> String {
    format!("EXTINSN(V6_own, \"Vd32.w=vown(Vu32.w,Rt32)\", ATTRIBS(A_CVI), \"own\",\n {{ {body} }})\n")
}

/// The one ledger line of one record's body: reason, message, line and column.
fn failure(body: &str) -> (String, String, u32, u32) {
    failed(&with_semantics(&record(body)).ledger)
}

fn failed(ledger: &[LedgerEntry]) -> (String, String, u32, u32) {
    let [line] = ledger else { panic!("{} ledger lines", ledger.len()) };
    match &line.status {
        Status::Failed { reason, message } => {
            (reason.clone(), message.clone(), line.span.line, line.span.column)
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn failures_name_what_and_where() {
    let cases = [
        ("VdV.w[0] = VuV.w[32];", "index", "index 32 is beyond the 32 elements that are there", 15),
        ("VdV.w[-1] = 0;", "index", "index -1 is beyond the 32 elements that are there", 0),
        ("VdV.w[0] = VvV.w[0];", "unknown-register", "VvV is no operand of the instruction", 15),
        ("VdV.q[0] = 1;", "unknown-view", "there is no view .q of a register", 0),
        ("VdV.w[0] = fNEW(VuV.w[0]);", "unknown-call", "fNEW is defined in no document", 15),
        ("VdV.w[0] = VuV.w[0] +;", "syntax", "`;` is not expected here", 25),
        ("VdV.w[VuV.w[0] & 3] = 1;", "symbolic", "the place assigned depends on an operand", 0),
        (
            "int k; for (k = 0; k < RtV; k++) VdV.w[0] = k;",
            "symbolic",
            "the loop's condition depends on an operand",
            0,
        ),
        ("while_unknown = missing;", "unknown-name", "missing is not known", 20),
        ("VdV.w[0] = VuV.w[0] / RtV;", "unsupported", "a division by zero", 0),
        ("VdV.w[0] = fGETBYTE(1);", "unknown-call", "fGETBYTE is called with 1 arguments", 0),
        ("int k; VdV.w[0] = k;", "undefined", "a variable is read before it has a value", 0),
        (";", "undefined", "Vd is never written", 0),
    ];
    for (body, reason, message, column) in cases {
        let (found, text, line, at) = failure(body);
        assert_eq!((found.as_str(), text.as_str(), line), (reason, message, 2), "{body}");
        assert!(column == 0 || column == at, "{body}: column {at}");
    }
}

#[test]
fn limits_hold() {
    let deep = |open: &str, close: &str| format!("VdV.w[0] = {}1{};", open.repeat(2000), close.repeat(2000));
    let cases = [
        deep("(", ")"),
        deep("-~", ""),
        deep("!", ""),
        deep("RtV ? 1 : ", ""),
        deep("RtV ? ", ": 1"),
        deep("VuV.w[", "]"),
        deep("fABS(", ")"),
        deep("(int)", ""),
        deep("({", ";})"),
        format!("{} VdV.w[0] = 1;", "if (RtV)".repeat(2000)),
        format!("{} VdV.w[0] = 1;", "{".repeat(2000)),
        format!("VdV.w[0] = 1; {}", "if (RtV) ; else ".repeat(2000)),
        format!("VdV.w[0] = 1{};", " + RtV * VuV.w[0] ^ 1".repeat(3000)),
        format!("x = 1; {}", "x = x = ".repeat(2000)),
        "x = 2; for (;;) x = x * x;".into(),
        "x = 1; for (;;) x = x + VuV.w[0] * x;".into(),
        "x = VuV.w[0]; for (;;) x = (x ^ RtV) + VuV.w[1];".into(),
        "x = VuV.w[0]; for (i = 0; i < 100000; i++) { x = (RtV & 1) ? x + 1 : x ^ 5; } VdV.w[0] = x;".into(),
        "int i; for (i = 0; i < 2000000000; i++) ;".into(),
        "x = 0; for (i = 0; ; i++) { x = x + VuV.w[i & 31] * (i + VuV.w[(i >> 5) & 31]); }".into(),
        "VdV.w[0] = 1 << 100000;".into(),
        "VdV.w[0] = 1 << VuV.w[0];".into(),
        "VdV.w[0] = 0xffffffffffffffffffffffffffffffffffffffff;".into(),
    ];
    for body in cases {
        let start = std::time::Instant::now();
        let (reason, message, ..) = failure(&body);
        let shown: String = body.chars().take(60).collect();
        assert!(matches!(reason.as_str(), "limit" | "syntax"), "{shown}: {reason}: {message}");
        assert!(start.elapsed().as_secs() < 20, "{shown} took {:?}", start.elapsed());
    }
}

#[test]
fn nesting_within_the_limit_is_read() {
    let body = format!("VdV.w[0] = {}VuV.w[0]{};", "(".repeat(40), ")".repeat(40));
    let parsed = with_semantics(&record(&format!("{body} VdV.w[1] = 0;")));
    assert_eq!(parsed.instructions.len(), 1, "{:?}", parsed.ledger);
    assert_eq!(parsed.instructions[0].undefined.len(), 1);
}

#[test]
fn macros_that_cannot_be_expanded_fail() {
    let body = record("VdV.w[0] = LOOP(1);");
    let direct = with_semantics(&format!("#define LOOP(X) (LOOP(X) + 1)\n{body}"));
    let (reason, message, ..) = failed(&direct.ledger);
    assert_eq!((reason.as_str(), message.as_str()), ("macro-recursion", "the macro LOOP calls itself"));
    let indirect = with_semantics(&format!("#define LOOP(X) POOL(X)\n#define POOL(X) LOOP(X)\n{body}"));
    assert_eq!(failed(&indirect.ledger).0, "macro-recursion");
    let arguments = with_semantics(&format!("#define LOOP(X,Y) X\n{body}"));
    let (reason, message, line, column) = failed(&arguments.ledger);
    assert_eq!(reason, "macro-arguments");
    assert_eq!(message, "the macro LOOP takes 2 arguments, 1 are given");
    assert_eq!((line, column), (3, 15));
    let mut doubling = String::new();
    for level in 0..40 {
        doubling.push_str(&format!("#define D{}(X) D{level}(X) D{level}(X)\n", level + 1));
    }
    let body = record("VdV.w[0] = D40(1);");
    assert_eq!(failed(&with_semantics(&format!("#define D0(X) X\n{doubling}{body}")).ledger).0, "limit");
    let nested = record(&format!("VdV.w[0] = {}1{};", "ID(".repeat(500), ")".repeat(500)));
    assert_eq!(failed(&with_semantics(&format!("#define ID(X) X\n{nested}")).ledger).0, "limit");
}

/// A `#` alone on its line, with the directive's word in the next one.
#[test]
fn a_directive_ends_with_its_line() {
    let semantics = record("VdV.w[0] = ONE;");
    let documents = |macros: &'static str| Documents {
        semantics: Some(Document { name: "own.idef", bytes: semantics.as_bytes() }),
        macros: Some(Document { name: "macros.def", bytes: macros.as_bytes() }),
        ..Documents::default()
    };
    let parsed = parse(&documents("#define ONE 1\n"), &Options::default());
    assert_eq!(parsed.instructions.len(), 1, "{:?}", parsed.ledger);
    for macros in ["#\ndefine ONE 1\n", "#\ndefine", "#", "#\n\n"] {
        let parsed = parse(&documents(macros), &Options::default());
        assert_eq!(failed(&parsed.ledger).0, "unknown-name", "{macros:?}");
    }
}

#[test]
fn an_unterminated_record_does_not_hide_the_next() {
    let good = record("VdV.w[0] = 1;");
    let parsed = with_semantics(&format!(
        "EXTINSN(V6_open, \"Vd32=vopen(Vu32)\", ATTRIBS(A_CVI), \"o\",\n{{ VdV = VuV; }}\n{good}"
    ));
    let lines: Vec<(&str, bool)> =
        parsed.ledger.iter().map(|line| (line.id.as_str(), line.status == Status::Modelled)).collect();
    assert_eq!(lines, [("V6_open", false), ("V6_own", true)]);
    assert!(
        parsed.diagnostics.iter().any(|diagnostic| diagnostic.message == "syntax: the record does not end")
    );
}

#[test]
fn records_with_wrong_parts_fail() {
    let bad = |text: &str| failed(&with_semantics(text).ledger);
    assert_eq!(bad("EXTINSN(V6_short, \"Vd32=vown(Vu32)\")").1, "a record has five parts, this one 2");
    assert_eq!(
        bad("EXTINSN(, \"Vd=v(Vu)\", ATTRIBS(), \"d\", { VdV = VuV; })").1,
        "`` is no name of an instruction"
    );
    let unknown = bad("EXTINSN(V6_z, \"Zd32=vown(Vu32)\", ATTRIBS(), \"d\", { VdV = VuV; })");
    assert_eq!(unknown.0, "unknown-register");
    assert_eq!(unknown.1, "unknown register class `Z` in the operand `Zd32`");
    let none = bad("EXTINSN(V6_n, \"vown(Vu32)\", ATTRIBS(), \"d\", { x = VuV.w[0]; })");
    assert_eq!(none.0, "signature");
    let twice = with_semantics(&format!("{0}{0}", record("VdV.w[0] = 1;")));
    let ids: Vec<&str> = twice.ledger.iter().map(|line| line.id.as_str()).collect();
    assert_eq!(ids, ["V6_own", "V6_own@2"]);
    let outside = with_semantics("UNKNOWN(1)\n) stray\n#if 1 + 1\n#endif\n#endif\n#pragma x\n#if 1\n");
    let messages: Vec<&str> =
        outside.diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "UNKNOWN is not defined",
            "`)` is not expected between records",
            "a condition of this form is not read",
            "#endif without #if",
            "the directive #pragma is not read",
            "a conditional section does not end",
        ]
    );
}

fn manual(text: &[u8]) -> Parsed {
    let documents =
        Documents { manual: Some(Document { name: "own.json", bytes: text }), ..Documents::default() };
    parse(&documents, &Options::default())
}

#[test]
fn json_of_the_wrong_shape_is_reported_with_its_path() {
    let cases: [(&str, &str); 8] = [
        ("{}", "an array of instructions is expected"),
        ("[1]", "[0] is not an object"),
        ("[{}, 2]", "[0].intrinsic is missing"),
        (r#"[{"intrinsic": 3}]"#, "[0].intrinsic is not a string"),
        (r#"[{"intrinsic": "vadd"}]"#, "[0].intrinsic is `vadd`, which is no name of an HVX instruction"),
        (r#"[{"intrinsic": "hexagon_V6_v", "syntax": []}]"#, "[0].syntax is not a string"),
        (r#"[{"intrinsic": "hexagon_V6_v", "syntax": ""}]"#, "[0].pseudocode is missing"),
        ("[", "this is not JSON: EOF while parsing a list at line 1 column 1"),
    ];
    for (text, message) in cases {
        let parsed = manual(text.as_bytes());
        assert_eq!(parsed.diagnostics[0].message, message, "{text}");
        assert!(parsed.ledger.is_empty());
    }
    assert_eq!(manual(&b"[".repeat(100_000)).diagnostics.len(), 1);
}

#[test]
fn places_in_json_strings_count_escapes() {
    let text = br#"[{"intrinsic": "hexagon_V6_v", "syntax": "Vd=v(Vu)",
  "pseudocode": "\tx\u0020= 1;\nVd.w[0] = y;"}]"#;
    let parsed = manual(text);
    assert_eq!(parsed.diagnostics[0].message, "unknown-name: y is not known");
    let span = &parsed.diagnostics[0].span;
    assert_eq!((span.line, span.column), (2, 43));
    assert_eq!(text[span.offset], b'y');
}

#[test]
fn empty_and_undecodable_documents_are_reported() {
    let empty = Document { name: "empty", bytes: b" \n" };
    let documents = Documents {
        manual: Some(empty),
        semantics: Some(empty),
        macros: Some(empty),
        prototypes: Some(empty),
        errata: None,
    };
    let parsed = parse(&documents, &Options::default());
    assert_eq!(parsed.diagnostics.iter().filter(|d| d.message == "the document is empty").count(), 4);
    assert!(parsed.ledger.is_empty());
    let parsed = manual(b"[\n\xff\xfe]");
    assert_eq!(parsed.diagnostics[0].message, "the document is not valid UTF-8");
    assert_eq!((parsed.diagnostics[0].span.line, parsed.diagnostics[0].span.column), (2, 1));
}

#[test]
fn prototypes_that_cannot_be_read_are_reported() {
    let test = "#if __HVX_ARCH__ >= 60\n";
    let comment =
        "/* Assembly Syntax: Vd32=v(Vu32) C Intrinsic Prototype: HVX_Vector Q6_V_v(HVX_Vector Vu) */\n";
    let cases = [
        ("no record at all".to_owned(), "the document has no HVX prototype"),
        (test.to_owned(), "the prototype has no comment"),
        (format!("{test}/* nothing */"), "the prototype's comment has no assembly syntax or no C prototype"),
        (format!("{test}{comment}"), "the prototype has no macro"),
        (format!("{test}{comment}#define Q6_V_v(Vu) other(Vu)\n"), "the prototype's macro names no builtin"),
        // Found by mutation: an instruction without a name.
        (
            format!("{test}{comment}#define Q6_V_v(Vu) __builtin_HEXAGON_>V6_v(Vu)\n"),
            "the prototype's macro names no builtin",
        ),
    ];
    for (text, message) in cases {
        let prototypes = Some(Document { name: "own.h", bytes: text.as_bytes() });
        let parsed = parse(&Documents { prototypes, ..Documents::default() }, &Options::default());
        assert_eq!(parsed.diagnostics[0].message, message, "{text}");
    }
    let whole = format!("{test}{comment}#define Q6_V_v(Vu) __builtin_HEXAGON_V6_own(Vu)\n#endif\n");
    for (text, told) in [(whole.as_str(), 0), (whole.trim_end_matches("#endif\n"), 1)] {
        let prototypes = Some(Document { name: "own.h", bytes: text.as_bytes() });
        let parsed = parse(&Documents { prototypes, ..Documents::default() }, &Options::default());
        let message = "the document ends inside a conditional section";
        assert_eq!(
            parsed.diagnostics.iter().filter(|found| found.message == message).count(),
            told,
            "{text}"
        );
    }
    let mismatch =
        format!("{test}{}#define Q6_V_v(Vu) __builtin_HEXAGON_V6_own(Vu)\n", comment.replace("Vu)", "Vw)"));
    let sample = Sample::read();
    let semantics = record("VdV.w[0] = 1;");
    let documents = Documents {
        semantics: Some(Document { name: "own.idef", bytes: semantics.as_bytes() }),
        prototypes: Some(Document { name: "own.h", bytes: mismatch.as_bytes() }),
        manual: None,
        macros: sample.documents().macros,
        errata: None,
    };
    assert_eq!(failed(&parse(&documents, &Options::default()).ledger).0, "signature");
}

#[test]
fn damaged_documents_never_panic() {
    let sample = Sample::read();
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let snippets: [&[u8]; 12] =
        [b"(", b")", b"{", b"}", b"[", b"\"", b"##", b"#", b",", b"\\\n", b"\xff", b"/*"];
    let damage = |bytes: &[u8], random: &mut dyn FnMut() -> u64| {
        let mut bytes = bytes.to_vec();
        for _ in 0..=random() % 4 {
            let at = (random() % (bytes.len() as u64 + 1)) as usize;
            match random() % 4 {
                0 => bytes.truncate(at),
                1 => drop(bytes.splice(at..(at + 3).min(bytes.len()), *b"")),
                2 => drop(bytes.splice(at..at, snippets[(random() % 12) as usize].iter().copied())),
                _ => {
                    let from = (random() % (bytes.len() as u64 + 1)) as usize;
                    let piece: Vec<u8> = bytes[from..(from + 40).min(bytes.len())].to_vec();
                    bytes.splice(at..at, piece);
                }
            }
        }
        bytes
    };
    for _ in 0..60 {
        let damaged = Sample {
            manual: damage(&sample.manual, &mut random),
            semantics: damage(&sample.semantics, &mut random),
            macros: damage(&sample.macros, &mut random),
            prototypes: damage(&sample.prototypes, &mut random),
        };
        let parsed = parse(&damaged.documents(), &Options::default());
        let modelled = parsed.ledger.iter().filter(|line| line.status == Status::Modelled).count();
        assert_eq!(modelled, parsed.instructions.len());
    }
}
