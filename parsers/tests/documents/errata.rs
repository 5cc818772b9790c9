//! Errata on small hand-written documents: applied, no longer applying, for other versions, malformed.

use std::collections::BTreeSet;

use parsers::errata::{Errata, State};
use parsers::{Parsed, Status, UndefinedFor, intel};

/// FNV-1a: enough to distinguish the lines of these documents.
fn digest(bytes: &[u8]) -> String {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", bytes.iter().fold(0xcbf2_9ce4_8422_2325, step))
}

const DOCUMENT: &str = "<intrinsics_list version=\"2.1\">
<intrinsic tech=\"Other\" name=\"one\">
<return type=\"__m64\" varname=\"dst\" etype=\"SI32\"/>
<parameter type=\"__m64\" varname=\"a\" etype=\"SI64\"/>
<parameter type=\"__m64\" varname=\"b\" etype=\"SI64\"/>
<CPUID>X</CPUID>
<operation>
dst[31:0] := a[31:0] &lt; b[31:0]
dst[63:32] := 7
</operation>
</intrinsic>
</intrinsics_list>
";

const COMPARE: &str = "dst[31:0] := a[31:0] < b[31:0]";

fn erratum(versions: &str, change: &str) -> String {
    format!(
        "[[erratum]]\nentry = \"one\"\nversions = {versions}\n{change}\n\
         evidence = {{ cpu = \"a CPU\", inputs = 10 }}\nnote = \"wrong\"\n"
    )
}

fn errata(text: &str) -> Errata {
    Errata::parse("own.toml", text, digest).unwrap_or_else(|error| panic!("{error}"))
}

fn parse(text: &str) -> Parsed {
    let errata = errata(text);
    let options = intel::Options { errata: Some(&errata), ..Default::default() };
    intel::parse("own.xml", DOCUMENT.as_bytes(), &options)
}

fn states(text: &str) -> Vec<State> {
    let checked = intel::check_errata("own.xml", DOCUMENT.as_bytes(), &errata(text));
    assert_eq!(checked.version, "2.1");
    checked.errata.into_iter().map(|application| application.state).collect()
}

fn function(parsed: &Parsed) -> String {
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    parsed.instructions[0].function.to_string()
}

#[test]
fn an_element_type_is_replaced() {
    let change = "etype = [{ of = \"a\", was = \"SI64\", now = \"SI32\" }, { of = \"b\", was = \"SI64\", now = \"SI32\" }]";
    let parsed = parse(&erratum("[\"2.1\"]", change));
    assert!(parsed.instructions[0].signature.args[0].element.is_some_and(|element| element.width == 32));
    assert_ne!(function(&parsed), function(&parse("")), "the comparison is signed");
}

#[test]
fn parameters_are_exchanged() {
    let parsed = parse(&erratum("{ from = \"2\" }", "exchange = [\"a\", \"b\"]"));
    let names: Vec<&str> =
        parsed.instructions[0].signature.args.iter().map(|arg| arg.name.as_str()).collect();
    assert_eq!(names, ["b", "a"]);
}

#[test]
fn a_line_is_replaced_and_others_keep_their_places() {
    let was = digest(COMPARE.as_bytes());
    let change =
        format!("lines = [{{ first = 2, was = \"{was}\", now = '''\nt := a\ndst[31:0] := t[31:0]''' }}]");
    let parsed = parse(&erratum("[\"2.1\"]", &change));
    assert!(!function(&parsed).contains("lt"));

    // What is wrong in the line after the replacement is reported at its location in the document; what is wrong in the
    // replacement, at the beginning of the replaced line.
    let failing = DOCUMENT.replace(":= 7", ":= oops");
    let errata = errata(&erratum("[\"2.1\"]", &change));
    let options = intel::Options { errata: Some(&errata), ..Default::default() };
    let parsed = intel::parse("own.xml", failing.as_bytes(), &options);
    let span = &parsed.ledger[0].span;
    assert_eq!((span.line, span.column), (9, 15), "{:?}", parsed.ledger[0]);
    let errata = self::errata(&erratum("[\"2.1\"]", &change.replace("t := a", "\n\nt := oops")));
    let options = intel::Options { errata: Some(&errata), ..Default::default() };
    let parsed = intel::parse("own.xml", DOCUMENT.as_bytes(), &options);
    let span = &parsed.ledger[0].span;
    assert_eq!((span.line, span.column), (8, 1), "{:?}", parsed.ledger[0]);
}

#[test]
fn a_whole_operation_is_replaced() {
    let was = digest(format!("{COMPARE}\ndst[63:32] := 7").as_bytes());
    let change = format!("operation = {{ was = \"{was}\", now = \"dst := a + b\" }}");
    let parsed = parse(&erratum("[\"2.1\"]", &change));
    assert!(function(&parsed).contains("add"), "{}", function(&parsed));
}

#[test]
fn an_input_with_an_undefined_result_is_noted() {
    let both = erratum("[\"2.1\"]", "undefined = { of = \"b\", value = 5 }\nexchange = [\"a\", \"b\"]");
    let parsed = parse(&both);
    // By name: the parameters have changed places.
    assert_eq!(parsed.instructions[0].undefined_for, [UndefinedFor { argument: 0, value: 5 }]);
    assert!(parse("").instructions[0].undefined_for.is_empty());
    let states = states(&erratum("[\"2.1\"]", "undefined = { of = \"c\", value = 0 }"));
    assert!(matches!(&states[..], [State::Stale(reason)] if reason.contains("`c`")), "{states:?}");
}

#[test]
fn what_contradicts_the_document_within_it_is_evidence() {
    let text = erratum("[\"2.1\"]", "exchange = [\"a\", \"b\"]");
    let cpu = "evidence = { cpu = \"a CPU\", inputs = 10 }";
    let own = errata(&text.replace(cpu, "evidence = { document = \"its twin\" }"));
    assert_eq!(own.errata[0].evidence.to_string(), "the document contradicts itself: its twin");
    assert!(Errata::parse("own.toml", &text.replace(cpu, "evidence = {}"), digest).is_err());
    let both = errata(
        &text
            .replace(cpu, "evidence = { cpu = \"a CPU\", inputs = 10, contradicts = 3, undefined = \"it\" }"),
    );
    let shown = both.errata[0].evidence.to_string();
    assert_eq!(shown, "the text leaves undefined it; a CPU, 10 inputs, 3 against the document");
}

#[test]
fn several_errata_count_the_lines_of_the_document() {
    let first = format!(
        "lines = [{{ first = 2, was = \"{}\", now = \"x := 1\\ny := 2\\ndst[31:0] := x + y\" }}]",
        digest(COMPARE.as_bytes())
    );
    let second = format!(
        "lines = [{{ first = 3, was = \"{}\", now = \"dst[63:32] := 9\" }}]",
        digest(b"dst[63:32] := 7")
    );
    let text = erratum("[\"2.1\"]", &first) + &erratum("[\"2.1\"]", &second);
    let parsed = parse(&text);
    let results = interp::evaluate(
        &parsed.instructions[0].function,
        &[hydride_ir::Bits::from_u64(64, 0), hydride_ir::Bits::from_u64(64, 0)],
    );
    assert_eq!(format!("{:x}", results.expect("it evaluates")[0]), "0000000900000003");
    let twice = text.clone() + &erratum("[\"2.1\"]", &second);
    assert!(matches!(&states(&twice)[2], State::Stale(reason) if reason.contains("another erratum")));
}

#[test]
fn other_versions_are_left_alone() {
    let change = "exchange = [\"a\", \"nothing\"]";
    for versions in ["[\"2.0\", \"2.1.1\"]", "{ from = \"2.2\" }", "{ to = \"2.0.9\" }"] {
        let text = erratum(versions, change);
        assert_eq!(states(&text), [State::OtherVersion], "{versions}");
        assert!(parse(&text).diagnostics.is_empty());
    }
    for versions in ["[\"2.1\"]", "{ from = \"2.1\", to = \"2.1\" }", "{ from = \"1.9\", to = \"2.10\" }"] {
        assert!(matches!(states(&erratum(versions, change))[0], State::Stale(_)), "{versions}");
    }
}

#[test]
fn what_no_longer_applies_is_an_error_and_changes_nothing() {
    let wrong = "0123456789abcdef";
    for (change, reason) in [
        ("exchange = [\"a\", \"c\"]".to_owned(), "no parameter `c`"),
        ("exchange = [\"b\", \"a\"]".to_owned(), "not in the order"),
        ("etype = [{ of = \"a\", was = \"SI8\", now = \"SI16\" }]".to_owned(), "is `SI64`, not `SI8`"),
        (format!("lines = [{{ first = 2, was = \"{wrong}\", now = \"\" }}]"), "line 2 with the digest"),
        (
            format!("lines = [{{ first = 3, last = 90, was = \"{wrong}\", now = \"\" }}]"),
            "ends before lines 3 to 90",
        ),
        (format!("operation = {{ was = \"{wrong}\", now = \"\" }}"), "the operation with the digest"),
    ] {
        let text = erratum("[\"2.1\"]", &change);
        let parsed = parse(&text);
        let [diagnostic] = &parsed.diagnostics[..] else { panic!("{:?}", parsed.diagnostics) };
        assert!(diagnostic.message.contains(reason), "{}", diagnostic.message);
        assert_eq!((diagnostic.span.file.as_str(), diagnostic.span.line), ("own.toml", 1));
        assert_eq!(diagnostic.entry.as_deref(), Some("one"));
        assert_eq!(parsed.instructions[0].function.to_string(), function(&parse("")));
        assert_eq!(parsed.ledger[0].status, Status::Modelled);
    }
    let text = erratum("[\"2.1\"]", "exchange = [\"a\", \"b\"]").replace("\"one\"", "[\"one\", \"two\"]");
    assert_eq!(states(&text), [State::Applied, State::NoEntry]);
}

#[test]
fn malformed_errata_are_refused_with_their_line() {
    let good = erratum("[\"2.1\"]", "exchange = [\"a\", \"b\"]");
    for (text, line, message) in [
        (format!("{good}\n[[erratum]]\nentry = \n"), 9, "string values must be quoted"),
        (good.replace("note = \"wrong\"", "note = \"\""), 1, "the note is empty"),
        (good.replace("exchange = [\"a\", \"b\"]", ""), 1, "changes nothing"),
        (good.replace("exchange", "exchnage"), 4, "unknown field `exchnage`"),
        (good.replace("cpu = \"a CPU\", inputs = 10", ""), 1, "neither a CPU"),
        (good.replace(", inputs = 10", ""), 1, "how many inputs"),
        (good.replace("\"one\"", "[]"), 1, "names no entry"),
        (
            format!("{good}\n{}", erratum("[\"1\"]", "lines = [{ first = 1, was = \"12\", now = \"\" }]")),
            8,
            "`12` is no digest",
        ),
        (
            erratum("[\"1\"]", "lines = [{ first = 3, last = 2, was = \"12\", now = \"\" }]"),
            1,
            "no lines 3 to 2",
        ),
    ] {
        let error = Errata::parse("own.toml", &text, digest).expect_err(message);
        assert_eq!(error.span.line, line, "{error}\n{text}");
        assert!(error.to_string().starts_with(&format!("own.toml:{line}:")), "{error}");
        assert!(error.to_string().contains(message), "{error}");
    }
}

/// The checked-in errata on x86.
pub(crate) fn checked_in() -> Errata {
    let text = include_str!("../../../specs/errata/x86.toml");
    let errata = Errata::parse("x86.toml", text, |bytes| blake3::hash(bytes).to_hex().to_string());
    errata.expect("the errata")
}

/// What the document says without errata can be read with them too.
#[test]
fn errata_leave_no_entry_of_the_vendors_document_unread() {
    let Some(folder) = vendor_documents::tested(&["x86/x86-intel-3.6.9.xml"]) else { return };
    let bytes = std::fs::read(folder.join("x86/x86-intel-3.6.9.xml")).expect("the document");
    let errata = checked_in();
    let modelled = |errata| {
        let parsed = intel::parse("x86.xml", &bytes, &intel::Options { errata, ..Default::default() });
        parsed.instructions.into_iter().map(|instruction| instruction.id).collect::<BTreeSet<_>>()
    };
    let (without, with) = (modelled(None), modelled(Some(&errata)));
    assert!(without.len() > 1000, "the document is read");
    assert_eq!(without.difference(&with).collect::<Vec<_>>(), Vec::<&String>::new());
}
