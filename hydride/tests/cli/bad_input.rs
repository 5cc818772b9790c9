//! Invalid documents and options: the messages, what survives, and what is left untouched.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::support::*;
use serde_json::Value;

/// Options that read `specs` below the test's folder.
const GENERATE: [&str; 5] = ["generate-ir", "--specs", "specs", "--isa", "x86"];

fn generate_with(folder: &Path, extra: &[&str]) -> Run {
    hydride(folder, &[&GENERATE[..], extra].concat())
}

/// Runs on a document with a bad entry between two good ones; gives what was said and the bad entry's line.
#[track_caller]
fn with_bad_entry(name: &str, bad: &str) -> (Run, Value) {
    let folder = scratch();
    let entries = [good_entry("_mm_before"), bad.to_owned(), good_entry("_mm_after")];
    specs_with(folder.path(), document(&entries));
    let start = Instant::now();
    let run = generate_with(folder.path(), &["-v"]).exits(0);
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
    let out = folder.path().join("out");
    for good in ["_mm_before", "_mm_after"] {
        assert_eq!(ledger_line(&out, good)["status"], "modelled", "{good}");
    }
    let line = ledger_line(&out, name);
    assert_eq!(line["status"], "failed", "{line}");
    assert_eq!(line["span"]["file"], "x86/own.xml");
    (run, line)
}

/// Requires that the entry's place is said in the ledger and in a diagnostic that names the entry too.
#[track_caller]
fn assert_place(run: &Run, line: &Value, at: (u64, u64)) {
    let place = (line["span"]["line"].as_u64().unwrap(), line["span"]["column"].as_u64().unwrap());
    assert_eq!(place, at, "{line}");
    let text = format!("x86/own.xml:{}:{}", at.0, at.1);
    assert!(run.stderr.contains(&text), "{text} is not in:\n{}", run.stderr);
    let name = line["id"].as_str().unwrap();
    assert!(name == "(unnamed)" || run.stderr.contains(name), "{name} is not in:\n{}", run.stderr);
}

/// The bad entry's first line in the document.
const START: u64 = 12;

/// The first line of its operation.
const OPERATION: u64 = START + 6;

#[test]
fn an_unknown_call_fails_its_entry() {
    let (run, line) = with_bad_entry("_mm_bad", &entry("_mm_bad", "dst[127:0] := FROBNICATE(a[127:0])"));
    assert_place(&run, &line, (OPERATION, 15));
    assert!(line["message"].as_str().unwrap().contains("FROBNICATE"), "{line}");
}

#[test]
fn endless_recursion_fails_its_entry() {
    let operation = "DEFINE AGAIN(x) {\n\tRETURN AGAIN(x)\n}\ndst[127:0] := AGAIN(a[127:0])";
    let (run, line) = with_bad_entry("_mm_bad", &entry("_mm_bad", operation));
    let at = line["span"]["line"].as_u64().unwrap();
    assert!((OPERATION..OPERATION + 4).contains(&at), "{line}");
    assert!(run.stderr.contains("_mm_bad"), "{}", run.stderr);
}

#[test]
fn endless_loops_fail_their_entry() {
    for operation in [
        "FOR j := 0 to 1152921504606846976\n\tdst[7:0] := a[7:0]\nENDFOR",
        "FOR j := 0 to 1048575\n\tFOR k := 0 to 1099511627776\n\t\tdst[7:0] := a[7:0]\n\tENDFOR\nENDFOR",
        "j := 0\nDO WHILE j < 10\n\tdst[7:0] := a[7:0]\nOD",
    ] {
        let (run, line) = with_bad_entry("_mm_bad", &entry("_mm_bad", operation));
        let at = line["span"]["line"].as_u64().unwrap();
        assert!((OPERATION..OPERATION + 5).contains(&at), "{line}");
        assert!(run.stderr.contains("_mm_bad"), "{}", run.stderr);
    }
}

#[test]
fn slices_too_wide_fail_their_entry() {
    for operation in [
        "dst[127:0] := a[1000000000:0]",
        "tmp[1000000000:0] := a[127:0]\ndst[127:0] := tmp[127:0]",
        "dst[127:0] := a[127:0] << 1000000000000",
        "dst[1000000000:0] := a[127:0]",
    ] {
        let (run, line) = with_bad_entry("_mm_bad", &entry("_mm_bad", operation));
        assert_eq!(line["span"]["line"], OPERATION, "{operation}: {line}");
        assert!(run.stderr.contains("_mm_bad"), "{}", run.stderr);
    }
}

#[test]
fn division_by_zero_fails_its_entry() {
    let (run, line) = with_bad_entry("_mm_bad", &entry("_mm_bad", "n := 8 / 0\ndst[127:0] := a[127:0] >> n"));
    assert_eq!(line["span"]["line"], OPERATION, "{line}");
    assert!(line["message"].as_str().unwrap().contains("zero"), "{line}");
    assert!(run.stderr.contains("_mm_bad"), "{}", run.stderr);
}

#[test]
fn deep_nesting_fails_its_entry() {
    let deep = format!("dst[127:0] := {}a[127:0]{}", "(".repeat(100_000), ")".repeat(100_000));
    let (_, line) = with_bad_entry("_mm_bad", &entry("_mm_bad", &deep));
    assert_eq!(line["span"]["line"], OPERATION, "{line}");
    let deep = format!("{}dst[127:0] := a[127:0]\n{}", "IF a[0]\n".repeat(20_000), "FI\n".repeat(20_000));
    with_bad_entry("_mm_bad", &entry("_mm_bad", &deep));
}

#[test]
fn a_syntax_error_has_its_place() {
    let (run, line) = with_bad_entry("_mm_bad", &entry("_mm_bad", "tmp := 1\ndst[127:0 := a[127:0]"));
    assert_place(&run, &line, (OPERATION + 1, 11));
}

#[test]
fn an_entry_without_a_name_is_counted() {
    let bad = good_entry("_mm_bad").replace(" name=\"_mm_bad\"", "");
    let (run, line) = with_bad_entry("(unnamed)", &bad);
    assert_place(&run, &line, (START, 1));
    let bad = good_entry("_mm_bad").replace("_mm_bad", "");
    let (run, line) = with_bad_entry("(unnamed)", &bad);
    assert_place(&run, &line, (START, 1));
}

/// Requires that a document that is not whole is refused, with a place, before anything is written.
#[track_caller]
fn assert_refused(folder: &Path, says: &[&str]) {
    let run = generate_with(folder, &[]).exits(3).complains(says);
    run.complains(&["cannot be read as a whole", "--accept-partial"]);
    assert!(!folder.join("out").exists(), "something was written");
}

#[test]
fn malformed_xml_costs_its_entry_alone() {
    for (bad, what) in [
        (good_entry("_mm_bad").replace("</operation>", "</operation"), "a tag without an end"),
        (good_entry("_mm_bad").replace("</operation>\n", ""), "an element without an end"),
        (good_entry("_mm_bad").replace("</intrinsic>\n", ""), "an entry without an end"),
        (good_entry("_mm_bad").replace("AND", "&nonsense;"), "an entity"),
        (good_entry("_mm_bad").replace("AND", "<!-- - "), "a comment without an end"),
    ] {
        let folder = scratch();
        let entries = [good_entry("_mm_before"), bad, good_entry("_mm_after")];
        specs_with(folder.path(), document(&entries));
        assert_refused(folder.path(), &["_mm_bad", "x86/own.xml:"]);
        let run = generate_with(folder.path(), &["-v", "--accept-partial"]).exits(0);
        let out = folder.path().join("out");
        assert_eq!(ledger_line(&out, "_mm_before")["status"], "modelled", "{what}");
        assert_eq!(ledger_line(&out, "_mm_after")["status"], "modelled", "{what}");
        let line = ledger_line(&out, "_mm_bad");
        assert_eq!(line["status"], "failed", "{what}: {line}");
        assert!(line["span"]["line"].as_u64().unwrap() >= START, "{what}: {line}");
        run.complains(&["_mm_bad", "x86/own.xml:"]);
    }
}

#[test]
fn a_truncated_document_keeps_what_is_whole() {
    let text = document(&[good_entry("_mm_before"), good_entry("_mm_bad"), good_entry("_mm_lost")]);
    let middle = text.find("a[127:0] AND").map(|_| text.rfind("_mm_lost").unwrap()).unwrap();
    let second = text.find("_mm_bad").unwrap();
    for cut in [second + 40, second + 200, middle - 60] {
        let folder = scratch();
        specs_with(folder.path(), &text[..cut]);
        assert_refused(folder.path(), &["_mm_bad", "x86/own.xml:"]);
        let run = generate_with(folder.path(), &["-v", "--accept-partial"]).exits(0);
        let out = folder.path().join("out");
        assert_eq!(ledger_line(&out, "_mm_before")["status"], "modelled");
        assert_eq!(ledger(&out).len(), 2, "cut at {cut}");
        let line = ledger_line(&out, "_mm_bad");
        assert_eq!(line["status"], "failed", "cut at {cut}: {line}");
        run.complains(&["_mm_bad", "x86/own.xml:"]);
    }
}

#[test]
fn truncated_anywhere_there_is_an_answer() {
    let text = document(&[good_entry("_mm_before"), good_entry("_mm_bad")]);
    for cut in (0..text.len()).step_by(29) {
        let folder = scratch();
        specs_with(folder.path(), &text[..cut]);
        let run = generate_with(folder.path(), &[]);
        assert!(!run.stderr.contains("panicked"), "cut at {cut}: {}", run.stderr);
        assert_eq!(run.code, Some(3), "cut at {cut}: {}", run.stderr);
        assert!(!folder.path().join("out").exists(), "cut at {cut}");
    }
}

#[test]
fn invalid_utf8_fails_its_entry() {
    let folder = scratch();
    let entries = [good_entry("_mm_before"), good_entry("_mm_bad"), good_entry("_mm_after")];
    let mut bytes = document(&entries).into_bytes();
    let bad = bytes.windows(7).position(|window| window == b"_mm_bad").unwrap();
    let place = bad + bytes[bad..].windows(3).position(|window| window == b"AND").unwrap();
    bytes[place] = 0xff;
    specs_with(folder.path(), &bytes);
    let run = generate_with(folder.path(), &["-v"]).exits(0);
    let out = folder.path().join("out");
    for good in ["_mm_before", "_mm_after"] {
        assert_eq!(ledger_line(&out, good)["status"], "modelled");
    }
    let line = ledger_line(&out, "_mm_bad");
    assert_eq!((&line["status"], &line["span"]["line"]), (&"failed".into(), &OPERATION.into()), "{line}");
    run.complains(&["UTF-8", "x86/own.xml:18:24"]);
}

/// A document that is not whole is none for any command, also where an earlier run accepted what there was.
#[test]
fn every_command_refuses_a_document_that_is_cut_off() {
    let folder = scratch();
    let text = document(&[good_entry("_mm_before"), good_entry("_mm_lost")]);
    let cut = text.rfind("_mm_lost").unwrap() + 60;
    specs_with(folder.path(), &text[..cut]);
    let accepted: &[&str] = &["--accept-partial", "--cache", "kept.redb"];
    generate_with(folder.path(), accepted).exits(0);
    generate_with(folder.path(), &accepted[1..]).exits(3);
    generate_with(folder.path(), accepted).exits(0);
    let eval = ["eval", "--specs", "specs", "--isa", "x86", "--id", "_mm_before", "f0", "3c"];
    for command in [
        &eval[..],
        &["eval", "--specs", "specs/x86/own.xml", "--isa", "x86", "--id", "_mm_before", "f0", "3c"],
        &["lint", "specs/x86/own.xml"],
        &["prove", "--specs", "specs", "--isa", "x86"],
        &["query", "--specs", "specs"],
        &["errata", "--specs", "specs"],
        &["validate", "--specs", "specs", "--isa", "x86"],
    ] {
        let run = hydride(folder.path(), command).exits(3).complains(&["own.xml:"]);
        assert_eq!(run.stdout, "", "{command:?}");
    }
    let run = hydride(folder.path(), &[&["--accept-partial"], &eval[..]].concat()).exits(0);
    assert_eq!(run.stdout.trim().trim_start_matches('0'), "30");
}

/// A byte-order mark in front changes no entry and no function; places count it.
#[test]
fn a_byte_order_mark_is_skipped_in_every_document() {
    let folder = scratch();
    for (name, text) in files(&samples()) {
        let path = folder.path().join("marked").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, format!("\u{feff}{text}")).unwrap();
    }
    let run = |specs: &Path, out: &str| {
        let specs = specs.to_string_lossy();
        hydride(folder.path(), &["generate-ir", "--specs", &specs, "--out", out]).exits(0);
        timeless_files(&folder.path().join(out))
    };
    let (plain, marked) = (run(&samples(), "plain"), run(&folder.path().join("marked"), "out"));
    for (name, text) in &plain {
        let places = name == "ledger.jsonl" || name == "dictionary.json" || name.starts_with("report/");
        assert!(places || marked[name] == *text, "{name} differs");
    }
    let of = |out: &str| ledger(&folder.path().join(out));
    for (plain, marked) in of("plain").iter().zip(of("out")) {
        for field in ["isa", "id", "status", "reason", "message"] {
            assert_eq!(plain[field], marked[field], "{plain}");
        }
        assert_eq!(marked["span"]["line"], plain["span"]["line"]);
        assert_eq!(marked["span"]["offset"], plain["span"]["offset"].as_u64().unwrap() + 3, "{plain}");
    }
    // Alone, its kind is recognized from what follows the mark.
    for document in ["x86/sample.xml", "arm/intrinsics.json", "hvx/hvx-prm.json", "hvx/ext.idef"] {
        let (plain, marked) = (samples().join(document), folder.path().join("marked").join(document));
        assert!(plain.is_file() && marked.is_file(), "{document}");
        let sides = [plain.to_string_lossy(), marked.to_string_lossy()];
        hydride(folder.path(), &["--no-errata", "diff", &sides[0], &sides[1]]).exits(0);
    }
}

#[test]
fn a_document_in_utf_16_is_refused_with_that_reason() {
    let text = document(&[good_entry("_mm_one")]);
    let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let marked = [&[0xff, 0xfe][..], &little].concat();
    for bytes in [little, big, marked] {
        let folder = scratch();
        specs_with(folder.path(), &bytes);
        generate_with(folder.path(), &[]).exits(3).complains(&["own.xml:1:1", "UTF-16", "UTF-8"]);
        hydride(folder.path(), &["lint", "specs/x86/own.xml"]).exits(3).complains(&["UTF-16"]);
        hydride(folder.path(), &["diff", "specs/x86/own.xml", "specs"]).exits(3).complains(&["UTF-16"]);
    }
}

/// An output that cannot be written is reported before any document is read.
#[test]
fn places_that_cannot_be_written_are_told_at_once() {
    let folder = scratch();
    specs_with(folder.path(), document(&[good_entry("_mm_one")]));
    std::fs::write(folder.path().join("file"), "mine").unwrap();
    let told = |args: &[&str], says: &str| {
        let run = generate_with(folder.path(), args).exits(3).complains(&[says]);
        assert!(!run.stderr.contains(" read "), "{}", run.stderr);
    };
    told(&["--out", "file/out"], "file/out");
    told(&["--dictionary", "file/own.txt"], "file/own.txt");
    told(&["--dictionary", "missing/own.txt"], "missing/own.txt");
    let export = ["prove", "--specs", "specs", "--isa", "x86", "--export", "file/questions"];
    let run = hydride(folder.path(), &export).exits(3).complains(&["file/questions"]);
    assert!(!run.stderr.contains(" parse "), "{}", run.stderr);
    // Nothing is left of the attempts, and folders that are missing are made.
    assert_eq!(files(folder.path()).keys().collect::<Vec<_>>(), ["file", "specs/x86/own.xml"]);
    generate_with(folder.path(), &["--out", "new/deep/out"]).exits(0);
    assert!(folder.path().join("new/deep/out/classes.json").is_file());
}

/// A full disk does not cause a panic, however a command prints.
#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_told() {
    let folder = scratch();
    let specs = specs_with(folder.path(), document(&[good_entry("_mm_one")]));
    let specs = specs.to_string_lossy();
    let eval = ["eval", "--specs", &specs, "--isa", "x86", "--id", "_mm_one"];
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a full device");
    for args in [
        &[&eval[..], &["1", "1"]].concat()[..],
        &[&eval[..], &["--show"]].concat(),
        &["generate-ir", "--specs", &specs, "--check"],
        &["prove", "--specs", &specs, "--isa", "x86"],
        &["query", "--specs", &specs],
        &["explain", "--specs", &specs, "_mm_one"],
        &["diff", &specs, &samples().to_string_lossy(), "--isa", "x86"],
        &["lint", "--rules"],
        &["errata", "--specs", &specs],
        &["doctor"],
        &["completions", "bash"],
        &["--help"],
        &["--version"],
        &["eval", "--help"],
    ] {
        let output = command(folder.path(), args).stdout(full()).output().expect("the binary starts");
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{args:?}: {told}");
        assert!(told.contains("cannot write to stdout") && !told.contains("panicked"), "{args:?}: {told}");
    }
    // If errors cannot be printed, the exit code still reports them.
    let status = command(folder.path(), &["generate-ir", "--specs", &specs]).stderr(full()).status();
    assert_eq!(status.expect("the binary starts").code(), Some(3));
}

/// Runs with an earlier output there, which must not change.
#[track_caller]
fn assert_untouched(code: i32, spoil: impl FnOnce(&Path), extra: &[&str], says: &[&str]) {
    let folder = scratch();
    specs_with(folder.path(), document(&[good_entry("_mm_one")]));
    generate_with(folder.path(), &["--dictionary", "own.txt"]).exits(0);
    spoil(folder.path());
    let families = std::fs::read(folder.path().join("own.txt")).ok();
    let before = files(&folder.path().join("out"));
    generate_with(folder.path(), &[&["--dictionary", "own.txt"], extra].concat()).exits(code).complains(says);
    assert!(files(&folder.path().join("out")) == before, "the outputs have changed");
    assert_eq!(std::fs::read(folder.path().join("own.txt")).ok(), families);
}

fn spec(contents: &'static [u8]) -> impl FnOnce(&Path) {
    move |folder| drop(specs_with(folder, contents))
}

#[test]
fn what_cannot_be_read_at_all_is_3_and_leaves_the_outputs() {
    assert_untouched(3, spec(b""), &[], &["x86/own.xml"]);
    assert_untouched(3, spec(b"\0\xff\xfe<\0<<<"), &[], &["x86/own.xml"]);
    assert_untouched(3, spec(b"{\"not\": \"XML\"}"), &[], &["x86/own.xml"]);
    assert_untouched(3, spec(b"<intrinsics_list version=\"1\"></intrinsics_list>"), &[], &["x86/own.xml"]);
    let removed = |folder: &Path| std::fs::remove_dir_all(folder.join("specs")).unwrap();
    assert_untouched(3, removed, &[], &["specs"]);
    let emptied = |folder: &Path| std::fs::remove_file(folder.join("specs/x86/own.xml")).unwrap();
    assert_untouched(3, emptied, &[], &["specs", "x86"]);
    let file = |folder: &Path| {
        std::fs::remove_dir_all(folder.join("specs")).unwrap();
        std::fs::write(folder.join("specs"), "a file").unwrap();
    };
    assert_untouched(3, file, &[], &["specs"]);
}

#[test]
fn a_bad_dictionary_is_told_with_its_line() {
    for (text, line) in [
        (&b"version 1\nfamily add\n  nonsense x\n"[..], "line 3"),
        (b"family add\n", "line 1"),
        (b"version 1\nfamily \n", "line 2"),
        (b"\xff\xfe", ""),
    ] {
        let spoil = |folder: &Path| std::fs::write(folder.join("own.txt"), text).unwrap();
        assert_untouched(3, spoil, &[], &["own.txt", line]);
        let spoil = |folder: &Path| std::fs::write(folder.join("out/families.txt"), text).unwrap();
        let folder = scratch();
        specs_with(folder.path(), document(&[good_entry("_mm_one")]));
        generate_with(folder.path(), &[]).exits(0);
        spoil(folder.path());
        generate_with(folder.path(), &[]).exits(3).complains(&["out/families.txt", line]);
    }
    let folder_instead = |folder: &Path| {
        std::fs::remove_file(folder.join("own.txt")).unwrap();
        std::fs::create_dir(folder.join("own.txt")).unwrap();
    };
    assert_untouched(3, folder_instead, &[], &["own.txt"]);
    let removed = |folder: &Path| std::fs::remove_file(folder.join("own.txt")).unwrap();
    assert_untouched(3, removed, &["--locked"], &["own.txt"]);
}

#[test]
fn wrong_usage_is_2_and_leaves_the_outputs() {
    let nothing = |_: &Path| {};
    assert_untouched(2, nothing, &["--jobs", "0"], &["jobs"]);
    assert_untouched(2, nothing, &["--jobs", "-1"], &["-1"]);
    assert_untouched(2, nothing, &["--jobs", "many"], &["jobs", "many"]);
    assert_untouched(2, nothing, &["--isa", "x86,mips"], &[]);
    assert_untouched(2, nothing, &["--llvm", "7"], &["LLVM", "7"]);
    assert_untouched(2, nothing, &["--nonsense"], &["--nonsense"]);
    let folder = scratch();
    specs_with(folder.path(), document(&[good_entry("_mm_one")]));
    let unknown = ["generate-ir", "--specs", "specs", "--isa", "mips"];
    hydride(folder.path(), &unknown).exits(2).complains(&["mips"]);
    assert!(!folder.path().join("out").exists());
    hydride(folder.path(), &[]).exits(2);
    hydride(folder.path(), &["nonsense"]).exits(2).complains(&["nonsense"]);
    hydride(folder.path(), &["--help"]).exits(0);
    hydride(folder.path(), &["--version"]).exits(0);
}

#[test]
fn folders_of_others_are_left_alone() {
    let folder = scratch();
    specs_with(folder.path(), document(&[good_entry("_mm_one")]));
    let own = folder.path().join("own");
    std::fs::create_dir_all(own.join("deep")).unwrap();
    std::fs::write(own.join("deep/thesis.tex"), "years of work").unwrap();
    generate_with(folder.path(), &["--out", "own"]).exits(2).complains(&["own"]);
    assert_eq!(files(&own)["deep/thesis.tex"], "years of work");
    assert_eq!(files(&own).len(), 1);
    // The folder of the run itself, and a file.
    generate_with(folder.path(), &["--out", "."]).exits(2);
    generate_with(folder.path(), &["--out", "specs/x86/own.xml"]).exits(2).complains(&["own.xml"]);
    assert_eq!(files(&folder.path().join("specs")).len(), 1);
    // A file of ours by name does not make a folder ours.
    std::fs::write(own.join("summary.json"), "{\"mine\": true}").unwrap();
    generate_with(folder.path(), &["--out", "own"]).exits(2);
    assert_eq!(files(&own)["deep/thesis.tex"], "years of work");
}

#[test]
fn files_added_to_the_outputs_are_not_thrown_away_in_silence() {
    let folder = scratch();
    specs_with(folder.path(), document(&[good_entry("_mm_one")]));
    generate_with(folder.path(), &[]).exits(0);
    std::fs::create_dir(folder.path().join("out.old")).unwrap();
    std::fs::write(folder.path().join("out.old/notes.txt"), "mine").unwrap();
    let run = generate_with(folder.path(), &[]);
    assert!(
        folder.path().join("out.old/notes.txt").exists() || run.stderr.contains("out.old"),
        "out.old is gone without a word:\n{}",
        run.stderr
    );
}
