//! Documents that are not what they should be: diagnostics, never a panic or a hang.

use crate::arm_support::Files;
use parsers::arm::{Document, Documents, Options, parse};
use parsers::{Severity, Status};

/// The failure of one entry of the samples after a change of a document's text.
fn failure(change: impl FnOnce(&mut Files), id: &str) -> (String, String, u32) {
    let mut files = Files::sample();
    change(&mut files);
    let parsed = files.parse();
    let line = parsed.ledger.iter().find(|line| line.id == id).unwrap_or_else(|| panic!("no line for {id}"));
    match &line.status {
        Status::Failed { reason, message } => (reason.clone(), message.clone(), line.span.line),
        other => panic!("{id}: {other:?}"),
    }
}

fn replace(text: &mut Vec<u8>, from: &str, to: &str) {
    let old = String::from_utf8(std::mem::take(text)).unwrap();
    assert!(old.contains(from), "{from}");
    *text = old.replacen(from, to, 1).into_bytes();
}

#[test]
fn bad_statements_fail_the_entries_that_need_them() {
    let (reason, message, line) =
        failure(|f| replace(&mut f.instructions, "V[UInt(Rd)] = sum;", "V[UInt(Rd)] = * sum;"), "vadd_s16");
    assert_eq!((reason.as_str(), message.as_str()), ("syntax", "unexpected text at `* sum;`"));
    assert_eq!(line, 31);
    let (_, message, _) = failure(
        |f| replace(&mut f.instructions, "        bits(total) sum;", "         bits(total) sum;"),
        "vadd_s16",
    );
    assert_eq!(message, "a block opens where none is expected");
    let (reason, message, _) = failure(
        |f| replace(&mut f.instructions, "Counting what = Counting_Ones", "Counting what = Counting_Sheep"),
        "vcnt_u8",
    );
    assert_eq!((reason.as_str(), message.as_str()), ("unknown-name", "`Counting_Sheep` is not defined"));
    let (reason, message, _) = failure(
        |f| replace(&mut f.library, "(bits(N), boolean) Clamped(", "(bits(N), boolean) Clipped("),
        "vqadd_s8",
    );
    assert_eq!(
        (reason.as_str(), message.as_str()),
        ("unknown-call", "`Clamped` is not defined for 3 arguments")
    );
    let (reason, ..) =
        failure(|f| replace(&mut f.library, "total = total + 1;", "total = CountOnes(pattern);"), "vcnt_u8");
    assert_eq!(reason, "limit");
    let (reason, ..) = failure(
        |f| replace(&mut f.library, "for position = 0 to N-1", "for position = 0 to 1 << 60"),
        "vcnt_u8",
    );
    assert!(reason == "type" || reason == "limit", "{reason}");
    let (reason, ..) =
        failure(|f| replace(&mut f.instructions, "bits(total) sum;", "bits(total << 40) sum;"), "vadd_s16");
    assert_eq!(reason, "limit");
    let (_, message, _) = failure(
        |f| replace(&mut f.instructions, "        bits(total) right", "      bits(total) right"),
        "vadd_s16",
    );
    assert_eq!(message, "the indentation matches no enclosing block");
}

#[test]
fn entries_of_another_shape_name_the_field() {
    let (reason, message, line) = failure(
        |f| replace(&mut f.intrinsics, "[\"int16x4_t a\", \"int16x4_t b\"]", "[\"int16x4_t a\", 7]"),
        "vadd_s16",
    );
    assert_eq!(
        (reason.as_str(), message.as_str(), line),
        ("shape", "[0].arguments[1]: expected a string", 2)
    );
    let (reason, message, _) =
        failure(|f| replace(&mut f.intrinsics, "int16x4_t a", "int17x4_t a"), "vadd_s16");
    assert_eq!((reason.as_str(), message.as_str()), ("type", "the type `int17x4_t` is not known"));
    let (reason, ..) =
        failure(|f| replace(&mut f.intrinsics, "Vd.4H,Vn.4H,Vm.4H", "Vd.4H,Vq.4H"), "vadd_s16");
    assert_eq!(reason, "operands");
    let (reason, ..) = failure(
        |f| replace(&mut f.intrinsics, "\"maximum\": \"8\"", "\"maximum\": \"9223372036854775807\""),
        "vrshr_n_s8",
    );
    assert_eq!(reason, "limit");
    let (reason, message, _) =
        failure(|f| replace(&mut f.decode, "\"add v0.4h, v1.4h, v8.4h\"", "\"add\""), "vadd_s16");
    assert_eq!(
        (reason.as_str(), message.as_str()),
        ("encoding", "no decode facts for `add v0.4h, v1.4h, v8.4h`")
    );
}

#[test]
fn unreadable_documents_are_told() {
    let told = |documents: &Documents<'_>| {
        let parsed = parse(documents, &Options::default());
        let error = parsed.diagnostics.iter().find(|d| d.severity == Severity::Error && d.entry.is_none());
        error.map(|d| (d.message.clone(), d.span.line, d.span.column))
    };
    let intrinsics =
        |bytes| Documents { intrinsics: Some(Document { name: "i", bytes }), ..Documents::default() };
    assert_eq!(told(&Documents::default()), None);
    assert_eq!(told(&intrinsics(b"")), Some(("the document of intrinsics is empty".into(), 1, 1)));
    assert_eq!(told(&intrinsics(b"[\n\xff")), Some(("the document is not UTF-8".into(), 2, 1)));
    assert_eq!(told(&intrinsics(b"{}")), Some(("expected an array of intrinsics".into(), 1, 1)));
    assert_eq!(told(&intrinsics(b"[\n{")), Some(("the array is not closed".into(), 2, 1)));
    let decode = Documents { decode: Some(Document { name: "d", bytes: b"{" }), ..Documents::default() };
    assert!(told(&decode).is_some());
}

/// A document that is visibly truncated or not well-formed is reported as such.
#[test]
fn documents_that_are_not_whole_are_told() {
    let whole = Files::sample();
    assert!(!whole.parse().diagnostics.iter().any(parsers::Diagnostic::breaks_the_document));
    let told = |change: &dyn Fn(&mut Files)| {
        let mut files = Files::sample();
        change(&mut files);
        let found = files.parse().diagnostics.into_iter().find(parsers::Diagnostic::breaks_the_document);
        found.map(|found| (found.message, found.entry)).expect("it is told")
    };
    let cut = |bytes: &mut Vec<u8>, at: &str| {
        let end = bytes.windows(at.len()).rposition(|window| window == at.as_bytes()).expect("it is there");
        bytes.truncate(end);
    };
    let (message, _) = told(&|files| cut(&mut files.instructions, ")] = result;"));
    assert_eq!(message, "the file ends inside what an instruction does");
    let (message, _) = told(&|files| cut(&mut files.library, "* (root + 1)"));
    assert_eq!(message, "the file ends inside a function");
    // One entry that is not JSON, and something after the last one.
    let (message, entry) = told(&|files| replace(&mut files.intrinsics, "\"name\":", "\"name\""));
    assert!(message.starts_with("not JSON") && entry.as_deref() == Some("[0]"), "{message} {entry:?}");
    let (message, _) = told(&|files| files.intrinsics.extend(b" more"));
    assert_eq!(message, "expected nothing behind the array");
    let page = b"<html><div class=\"intrinsic\"><label>";
    let documents = Documents { page: Some(Document { name: "p", bytes: page }), ..Documents::default() };
    let parsed = parse(&documents, &Options::default());
    assert_eq!(parsed.diagnostics[0].message, "the page ends before `</html>`");
}

#[test]
fn nesting_is_bounded() {
    let deep =
        |text: String, id: &str| failure(|f| replace(&mut f.instructions, "bits(total) sum;", &text), id);
    assert_eq!(deep(format!("x = {}1{};", "(".repeat(5000), ")".repeat(5000)), "vadd_s16").0, "syntax");
    assert_eq!(deep(format!("x = {}1;", "- ".repeat(5000)), "vadd_s16").0, "syntax");
    assert_eq!(deep(format!("x = {}1;", "if TRUE then 1 else ".repeat(5000)), "vadd_s16").0, "syntax");
    assert_eq!(deep(format!("x = {}1;", "1 + ".repeat(5000)), "vadd_s16").0, "syntax");
    assert_eq!(deep(format!("x = {}1;", "1 + ".repeat(300)), "vadd_s16").0, "limit");
    let blocks: String = (0..2000).map(|level| format!("{}if TRUE then\n", " ".repeat(8 + level))).collect();
    assert_eq!(deep(blocks, "vadd_s16").0, "syntax");
    let calls = "integer Again(integer x)\n    return Again(x + 1) + Again(x - 1);\n\n";
    let recursive = |f: &mut Files| {
        f.library.splice(0..0, calls.bytes());
        replace(&mut f.instructions, "bits(total) sum;", "x = Again(1);");
    };
    assert_eq!(failure(recursive, "vadd_s16").0, "limit");
    let endless = |f: &mut Files| replace(&mut f.instructions, "bits(total) sum;", "while TRUE do x = 1;");
    assert_eq!(failure(endless, "vadd_s16").0, "limit");
    let json = format!("[{}", "[".repeat(100_000));
    let documents = Documents {
        intrinsics: Some(Document { name: "i", bytes: json.as_bytes() }),
        ..Documents::default()
    };
    assert_eq!(parse(&documents, &Options::default()).diagnostics.len(), 1);
}

/// A document of one long line has a place for every few bytes.
#[test]
fn places_in_one_long_line_are_found() {
    let count = 300_000;
    let json = format!("[{}3]", "3,".repeat(count));
    let documents = Documents {
        intrinsics: Some(Document { name: "i", bytes: json.as_bytes() }),
        ..Documents::default()
    };
    let parsed = parse(&documents, &Options::default());
    let last = parsed.ledger.last().map(|line| (line.span.line, line.span.column));
    assert_eq!((parsed.ledger.len(), last), (count + 1, Some((1, 2 * count as u32 + 2))));
    let keys: Vec<String> = (0..50_000).map(|key| format!("\"k{key}\":\"x = * 1;\"")).collect();
    let operations = format!("{{{}}}", keys.join(","));
    let sample = Files::sample();
    let documents = Documents {
        operations: Some(Document { name: "o", bytes: operations.as_bytes() }),
        intrinsics: Some(Document { name: "i", bytes: &sample.intrinsics }),
        ..Documents::default()
    };
    assert!(!parse(&documents, &Options::default()).ledger.is_empty());
}

#[test]
fn cut_and_scrambled_documents_do_not_panic() {
    let sample = Files::sample();
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % bound as u64) as usize
    };
    for round in 0..60 {
        let mut files = sample.clone();
        // The facts are large: only what the samples use matters.
        let target = match round % 4 {
            0 => &mut files.intrinsics,
            1 | 2 => &mut files.instructions,
            _ => &mut files.library,
        };
        if round % 8 < 4 {
            target.truncate(random(target.len()));
        } else {
            for _ in 0..20 {
                let (at, from) = (random(target.len()), random(target.len()));
                target[at] = target[from];
            }
        }
        let parsed = files.parse();
        assert_eq!(
            parsed.instructions.len(),
            parsed.ledger.iter().filter(|l| l.status == Status::Modelled).count()
        );
    }
}
