//! Whole documents: the sample ends as expected, and no bytes whatever end in a panic or lose other entries.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use hydride_ir::Function;
use parsers::{Parsed, Status, intel};
use proptest::prelude::*;

const SAMPLE: &str = include_str!("../../../specs/sample/x86/sample.xml");

fn parse(bytes: &[u8]) -> Parsed {
    intel::parse("sample.xml", bytes, &intel::Options::default())
}

fn entry(name: &str) -> String {
    format!(
        "<intrinsic tech=\"Other\" name=\"{name}\">\n<return type=\"__m128i\" varname=\"dst\" etype=\"UI8\"/>\n\
         <parameter type=\"__m128i\" varname=\"a\" etype=\"UI8\"/>\n<CPUID>SSE2</CPUID>\n\
         <operation>dst := a</operation>\n</intrinsic>\n"
    )
}

fn document(inner: &str) -> String {
    format!("<intrinsics_list version=\"t\">\n{inner}</intrinsics_list>\n")
}

fn modelled(parsed: &Parsed) -> Vec<&str> {
    parsed.instructions.iter().map(|instruction| instruction.id.as_str()).collect()
}

#[test]
fn every_entry_of_the_sample_ends_as_expected() {
    let expected: BTreeMap<&str, &str> = BTreeMap::from([
        ("_mm_rcp_ps", "approximation"),
        ("_mm_sfence", "control"),
        ("_rdtsc", "state"),
        ("_rdrand16_step", "random"),
        ("_mm_undefined_si128", "no-pseudocode"),
    ]);
    let parsed = parse(SAMPLE.as_bytes());
    assert_eq!(parsed.version, "sample");
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    assert!(parsed.instructions.len() >= 80);
    for line in &parsed.ledger {
        match (&line.status, expected.get(line.id.as_str())) {
            (Status::Modelled, None) => {}
            (Status::Excluded { reason, .. }, Some(expected)) => assert_eq!(reason, expected, "{}", line.id),
            (status, _) => panic!("{}: {status:?}", line.id),
        }
    }
    for instruction in &parsed.instructions {
        instruction.function.verify().unwrap_or_else(|error| panic!("{}: {error}", instruction.id));
    }
}

#[test]
fn a_twin_is_named_after_its_extension() {
    let parsed = parse(SAMPLE.as_bytes());
    let twins: Vec<&str> = modelled(&parsed).into_iter().filter(|id| id.contains("dpbusd")).collect();
    assert_eq!(twins, ["_mm_dpbusd_epi32", "_mm_dpbusd_epi32@AVX_VNNI"]);
}

#[test]
fn a_description_says_what_is_not_kept_in_caches() {
    let store = |sample: &str| {
        let parsed = parse(sample.as_bytes());
        let stored = parsed.instructions.into_iter().find(|instruction| instruction.id == "_mm_store_si128");
        stored.expect("it is modelled").function
    };
    let (plain, hinted) =
        (store(SAMPLE), store(&SAMPLE.replace("Stores 128 bits;", "A non-temporal store;")));
    assert!(plain.to_string().contains("%mem_addr: 128 mem align 16, "), "{plain}");
    let text = hinted.to_string();
    assert!(text.contains("%mem_addr: 128 mem align 16 nontemporal, "), "{text}");
    assert_eq!(Function::parse(&text).expect("it is well-formed"), hinted);
}

#[test]
fn the_result_does_not_depend_on_the_number_of_threads() {
    let text = |parsed: &Parsed| -> String {
        parsed.instructions.iter().map(|instruction| instruction.function.to_string()).collect()
    };
    let all = text(&parse(SAMPLE.as_bytes()));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool");
    assert_eq!(pool.install(|| text(&parse(SAMPLE.as_bytes()))), all);
}

#[test]
fn progress_counts_every_entry() {
    let (calls, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let progress = |done: usize, total: usize| {
        assert!(done <= total);
        calls.fetch_add(1, Ordering::Relaxed);
        most.fetch_max(done, Ordering::Relaxed);
    };
    let options = intel::Options { progress: Some(&progress), ..Default::default() };
    let parsed = intel::parse("sample.xml", SAMPLE.as_bytes(), &options);
    assert_eq!(calls.into_inner(), parsed.ledger.len());
    assert_eq!(most.into_inner(), parsed.ledger.len());
}

#[test]
fn a_truncated_document_keeps_what_came_before() {
    let text = document(&(entry("one") + &entry("two") + &entry("three")));
    let cut = text.find("three").expect("it is there") + 60;
    let parsed = parse(&text.as_bytes()[..cut]);
    assert_eq!(modelled(&parsed), ["one", "two"]);
    assert_eq!(parsed.diagnostics.len(), 3, "the malformed text, the entry, the list that does not end");
    assert!(matches!(&parsed.ledger[2].status, Status::Failed { reason, .. } if reason == "malformed"));
}

#[test]
fn reading_resumes_after_malformed_xml() {
    let broken = entry("two").replace("<return type=", "<return <type=\"");
    let parsed = parse(document(&(entry("one") + &broken + &entry("three"))).as_bytes());
    let found = modelled(&parsed);
    assert!(found.contains(&"one") && found.contains(&"three"), "{found:?} {:?}", parsed.diagnostics);
    assert!(!parsed.diagnostics.is_empty());
    assert!(parsed.diagnostics[0].span.line > 7, "{:?}", parsed.diagnostics[0].span);
}

#[test]
fn an_entry_that_never_ends_costs_no_other() {
    let open = entry("two").replace("</intrinsic>\n", "");
    let parsed = parse(document(&(entry("one") + &open + &entry("three"))).as_bytes());
    assert_eq!(modelled(&parsed), ["one", "three"]);
    assert_eq!(parsed.ledger.len(), 3);
}

#[test]
fn an_entry_without_a_name_is_reported_in_its_place() {
    let unnamed = entry("").replace(" name=\"\"", "");
    let parsed = parse(document(&(entry("one") + &unnamed + &entry("three"))).as_bytes());
    assert_eq!(modelled(&parsed), ["one", "three"]);
    assert_eq!((parsed.diagnostics[0].span.line, parsed.diagnostics[0].span.column), (8, 1));
    assert_eq!(parsed.diagnostics[0].message, "the entry has no name");
}

#[test]
fn invalid_utf8_is_reported_in_its_place() {
    let mut bytes = document(&(entry("one") + &entry("two") + &entry("three"))).into_bytes();
    let two = bytes.windows(5).position(|window| window == b"\"two\"").expect("it is there");
    let place = two + bytes[two..].windows(4).position(|window| window == b":= a").expect("it is there");
    bytes[place] = 0xFF;
    let parsed = parse(&bytes);
    assert_eq!(modelled(&parsed), ["one", "three"]);
    assert_eq!(parsed.diagnostics[0].span.line, 12, "{:?}", parsed.diagnostics);
    assert_eq!(parsed.ledger.len(), 3);
}

#[test]
fn nothing_at_all_is_a_diagnostic() {
    for bytes in
        [&b""[..], b"   \n", b"\xEF\xBB\xBF", b"plain text", b"<", b"<intrinsic", b"\0\0\0\0", b"<a><b></a>"]
    {
        let parsed = parse(bytes);
        assert!(parsed.instructions.is_empty());
        assert!(!parsed.diagnostics.is_empty(), "{:?}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn places_count_characters_and_see_through_entities() {
    let inner = entry("one").replace("dst := a", "x := a &gt; 3 &amp;&amp; oops\ndst := a");
    let inner = inner.replace("SSE2</CPUID>\n", "SSÉ2</CPUID>");
    let parsed = parse(document(&inner).as_bytes());
    let line = &parsed.ledger[0];
    assert_eq!((line.span.line, line.span.column), (5, 56), "{line:?}");
    assert_eq!(line.span.length, 4);
}

#[test]
fn names_of_operands_are_unique() {
    let twice = entry("one").replace(
        "<CPUID>",
        "<parameter type=\"__m128i\" varname=\"a\" etype=\"UI8\"/>\n<parameter type=\"__m128i\" varname=\"dst\" etype=\"UI8\"/>\n<CPUID>",
    );
    let parsed = parse(document(&twice).as_bytes());
    let signature = &parsed.instructions[0].signature;
    let names: Vec<&str> = signature.args.iter().map(|argument| argument.name.as_str()).collect();
    assert_eq!(names, ["a", "a_2", "dst"]);
    assert_eq!(signature.results[0].name, "dst_2");
    assert!(parsed.instructions[0].function.verify().is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Bytes of the sample replaced, deleted and doubled: a ledger line for each entry found, no panic, no hang.
    #[test]
    fn mutated_samples_are_survived(
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0u8..4, any::<u8>(), 1usize..40), 1..60),
    ) {
        let mut bytes = SAMPLE.as_bytes().to_vec();
        for (place, kind, byte, length) in edits {
            let place = place.index(bytes.len());
            let end = (place + length).min(bytes.len());
            match kind {
                0 => bytes[place] = byte,
                1 => {
                    bytes.drain(place..end);
                }
                2 => {
                    let piece = bytes[place..end].to_vec();
                    bytes.splice(place..place, piece);
                }
                _ => bytes[place] = b"()[]{}<>&:=?0179ABFIX\n\\"[usize::from(byte) % 23],
            }
        }
        let parsed = parse(&bytes);
        prop_assert!(parsed.instructions.len() <= parsed.ledger.len());
        for instruction in &parsed.instructions {
            prop_assert!(instruction.function.verify().is_ok());
        }
    }

    /// Operations made of the dialect's words in any order.
    #[test]
    fn words_in_any_order_are_survived(words in prop::collection::vec(prop::sample::select(vec![
        "dst", "a", "tmp", "IF", "ELSE", "FI", "FOR", "ENDFOR", "DO WHILE", "OD", "CASE", "OF", "ESAC", "DEFINE", "RETURN",
        "j", ":=", "to", "(", ")", "[", "]", "{", "}", ":", "?", "+", "-", "*", "/", "%", "&lt;&lt;", "&gt;&gt;", "NOT", "AND",
        "XOR", "0", "1", "7", "31", "4294967295", "0xFFFFFFFFFFFFFFFFFFFFFFFFFFFF", ".dword", ".bit", ",", "\n", "\n", "\n",
        "dst[31:0] := a[31:0]\n", "FOR j := 0 to 7\n", "dst[j] := a[tmp]\n", "tmp := tmp * tmp\n", "MAX", "Saturate8(",
    ]), 0..120)) {
        let operation = words.join(" ");
        let inner = entry("one").replace("dst := a", &operation);
        let parsed = parse(document(&inner).as_bytes());
        prop_assert_eq!(parsed.ledger.len(), 1);
    }
}
