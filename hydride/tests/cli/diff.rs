//! `hydride diff` from outside: kinds of input, formats, exit codes, and counterexamples that `hydride eval`
//! confirms. `HYDRIDE_BLESS=1` writes the expected reports anew.

use std::path::{Path, PathBuf};

use crate::support::*;
use serde_json::Value;

/// An entry with a C type for its second parameter and one CPU feature.
fn typed(name: &str, c_type: &str, operation: &str) -> String {
    entry(name, operation)
        .replace("type=\"__m128i\" varname=\"b\"", &format!("type=\"{c_type}\" varname=\"b\""))
}

fn bytes(value: &str) -> String {
    format!("FOR j := 0 to 15\n\ti := j*8\n\tdst[i+7:i] := {value}\nENDFOR")
}

/// A document in which each of its entries meets another fate in the second one.
fn first() -> String {
    document(&[
        good_entry("kept"),
        entry("looped", &bytes("a[i+7:i] + b[i+7:i]")),
        entry("wraps", &bytes("a[i+7:i] + b[i+7:i]")),
        entry("rare", "dst[127:0] := a[127:0] XOR b[127:0]"),
        entry("gone", "dst[127:0] := a[127:0] + 3"),
        entry("formerly", &bytes("a[i+7:i] - b[i+7:i]")),
        typed("retyped", "__m128i", "dst[127:0] := a[127:0] OR b[127:0]"),
        typed("reshaped", "__m128i", "dst[127:0] := a[127:0] + b[7:0]"),
        entry("broken", "dst[127:0] := a[127:0] AND b[127:0]"),
        entry("repaired", "dst[127:0] := Undocumented(a)"),
        entry("elsewhere", "dst[127:0] := MEM[a+127:a]"),
    ])
}

fn second() -> String {
    document(&[
        good_entry("kept"),
        entry("looped", &bytes("b[i+7:i] + a[i+7:i]").replace("j*8", "8*j")),
        entry("wraps", &bytes("SaturateU8(a[i+7:i] + b[i+7:i])")),
        entry(
            "rare",
            "tmp[31:0] := a[31:0] * a[31:0]\nIF tmp[31:0] == 14634897\n\tdst[127:0] := 0\nELSE\n\tdst[127:0] := a[127:0] XOR b[127:0]\nFI",
        ),
        entry("since", &bytes("a[i+7:i] - b[i+7:i]")),
        typed("retyped", "__m128i const", "dst[127:0] := a[127:0] OR b[127:0]"),
        typed("reshaped", "unsigned int", "dst[127:0] := a[127:0] + b[7:0]"),
        entry("broken", "dst[127:0] := Undocumented(a)"),
        entry("repaired", "dst[127:0] := a[127:0] AND b[127:0]"),
        entry("elsewhere", "dst[127:0] := MEM[b+127:b]"),
        entry("added", "dst[127:0] := a[127:0] + 5"),
    ])
}

fn write(folder: &Path, name: &str, text: &str) -> String {
    std::fs::write(folder.join(name), text).expect("a file");
    name.to_owned()
}

fn json(folder: &Path, args: &[&str], code: i32) -> Value {
    let mut all = vec!["diff", "--format", "json"];
    all.extend(args);
    let run = hydride(folder, &all).exits(code);
    serde_json::from_str(&run.stdout).expect("JSON")
}

/// The outcomes by id.
fn meanings(report: &Value) -> Vec<(String, String)> {
    let changes = report["changes"].as_array().expect("changes");
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    changes.iter().map(|change| (text(&change["id"]), text(&change["meaning"]))).collect()
}

fn ids(list: &Value, key: &str) -> Vec<String> {
    let list = list.as_array().expect("a list").iter();
    list.map(|entry| entry[key].as_str().expect("a text").to_owned()).collect()
}

#[test]
fn every_fate_of_an_entry_is_told() {
    let folder = scratch();
    let (old, new) = (write(folder.path(), "old.xml", &first()), write(folder.path(), "new.xml", &second()));
    let report = json(folder.path(), &[&old, &new], 1);
    let expected = [
        ("broken", "no-longer-modelled"),
        ("elsewhere", "not-modelled"),
        ("looped", "same"),
        ("rare", "different"),
        ("repaired", "newly-modelled"),
        ("reshaped", "other-shape"),
        ("wraps", "different"),
    ];
    let expected: Vec<(String, String)> =
        expected.iter().map(|(id, meaning)| ((*id).to_owned(), (*meaning).to_owned())).collect();
    assert_eq!(meanings(&report), expected);
    assert_eq!(ids(&report["removed"], "id"), ["gone"]);
    assert_eq!(ids(&report["added"], "id"), ["added"]);
    assert_eq!(
        (ids(&report["renamed"], "old"), ids(&report["renamed"], "new")),
        (vec!["formerly".into()], vec!["since".into()])
    );
    assert_eq!(ids(&report["signatures"], "id"), ["reshaped", "retyped"]);
    let again = json(folder.path(), &[&old, &new], 1);
    assert_eq!(report, again);
}

/// The step for a workflow writes the report to the job's summary and fails where something breaks users.
#[test]
fn a_workflow_fails_where_users_break() {
    let folder = scratch();
    let path = folder.path();
    write(path, "old.xml", &document(&[good_entry("kept"), entry("gone", "dst[127:0] := a[127:0] + 3")]));
    write(path, "new.xml", &document(&[good_entry("kept"), entry("added", "dst[127:0] := a[127:0] + 5")]));
    write(
        path,
        "more.xml",
        &document(&[good_entry("kept"), entry("gone", "dst[127:0] := a[127:0] + 3"), good_entry("b")]),
    );
    for (new, fail, code, differs, annotation) in [
        ("new.xml", "true", 1, "differs=true\n", "::error title=Differences in meaning::new.xml differs"),
        ("new.xml", "false", 0, "differs=true\n", "::warning title="),
        ("more.xml", "true", 0, "differs=false\n", ""),
        ("none.xml", "true", 3, "", "::error title=Differences in meaning::old.xml and none.xml could not"),
    ] {
        let (summary, outputs) = (path.join("summary.md"), path.join("outputs"));
        std::fs::write(&summary, "").and(std::fs::write(&outputs, "")).expect("files");
        let run = std::process::Command::new(repository().join(".github/actions/diff/diff.sh"))
            .current_dir(path)
            .env("PATH", path_with_hydride())
            .env("HYDRIDE_CACHE", path.join("cache.redb"))
            .envs([("OLD", "old.xml"), ("NEW", new), ("FLAGS", "--breaking-only"), ("FAIL", fail)])
            .envs([("GITHUB_STEP_SUMMARY", &summary), ("GITHUB_OUTPUT", &outputs)])
            .output()
            .expect("the script runs");
        let printed = String::from_utf8_lossy(&run.stdout);
        assert_eq!(run.status.code(), Some(code), "{new}: {printed}");
        assert!(printed.starts_with(annotation) && printed.is_empty() == annotation.is_empty(), "{printed}");
        let read = |file: &Path| std::fs::read_to_string(file).expect("a file");
        assert_eq!(read(&outputs), differs);
        assert_eq!(read(&summary).contains("\ngone\n"), differs == "differs=true\n", "{}", read(&summary));
    }
}

/// The reports as printed; file names are those of the tests.
#[test]
fn reports_are_stable() {
    let folder = scratch();
    let (old, new) = (write(folder.path(), "old.xml", &first()), write(folder.path(), "new.xml", &second()));
    let golden = repository().join("hydride/tests/cli/golden");
    for (format, ending) in [("text", "txt"), ("markdown", "md"), ("html", "html")] {
        let run = hydride(folder.path(), &["diff", &old, &new, "--format", format]).exits(1);
        let path = golden.join(format!("diff.{ending}"));
        if std::env::var_os("HYDRIDE_BLESS").is_some_and(|value| value == "1") {
            std::fs::create_dir_all(&golden).expect("a folder");
            std::fs::write(&path, &run.stdout).expect("a file");
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(run.stdout, expected, "{}; HYDRIDE_BLESS=1 rewrites it", path.display());
    }
}

#[test]
fn nothing_differs_between_equal_inputs() {
    let folder = scratch();
    let (old, new) = (write(folder.path(), "old.xml", &first()), write(folder.path(), "new.xml", &first()));
    let run = hydride(folder.path(), &["diff", &old, &new]).exits(0).complains(&["identical"]);
    assert!(run.stdout.contains("Nothing differs."));
    // Another text of the same entries in another order.
    let shuffled = first().replace("<!--", "<!-- -->");
    let reordered = write(folder.path(), "reordered.xml", &format!("{shuffled}\n<!-- later -->\n"));
    hydride(folder.path(), &["diff", &old, &reordered]).exits(0);
}

#[test]
fn only_what_breaks_can_be_asked_for() {
    let folder = scratch();
    let old = write(folder.path(), "old.xml", &document(&[good_entry("kept")]));
    let more = write(folder.path(), "more.xml", &document(&[good_entry("kept"), good_entry("added")]));
    hydride(folder.path(), &["diff", &old, &more]).exits(1);
    hydride(folder.path(), &["diff", &old, &more, "--breaking-only"]).exits(0);
    let report = json(folder.path(), &[&more, &old, "--breaking-only"], 1);
    assert_eq!(ids(&report["removed"], "id"), ["added"]);
}

/// Arguments of a counterexample as `hydride eval` takes them, and both results.
fn example(change: &Value) -> (Vec<String>, [Vec<String>; 2]) {
    let example = &change["counterexample"];
    let arg = |value: &Value| match value.get("immediate") {
        Some(integer) => integer.to_string(),
        None => value["bits"].as_str().expect("digits").to_owned(),
    };
    let args = example["args"].as_array().expect("arguments").iter().map(arg).collect();
    (args, ["old", "new"].map(|side| ids(&example[side], "bits")))
}

#[track_caller]
fn confirm(folder: &Path, specs: [&Path; 2], change: &Value, flags: &[&str]) {
    let (args, expected) = example(change);
    let (isa, id) = (change["isa"].as_str().expect("a name"), change["id"].as_str().expect("an id"));
    let old_id = change.get("old_id").and_then(Value::as_str).unwrap_or(id);
    for ((specs, id), expected) in specs.into_iter().zip([old_id, id]).zip(expected) {
        let specs = specs.to_string_lossy();
        let mut command = vec!["eval", "--specs", &specs, "--isa", isa, "--id", id];
        command.extend(flags);
        command.extend(args.iter().map(String::as_str));
        let run = hydride(folder, &command).exits(0);
        assert_eq!(run.stdout.lines().collect::<Vec<_>>(), expected, "{id}");
    }
}

#[test]
fn counterexamples_hold_when_evaluated() {
    let folder = scratch();
    let sides = [folder.path().join("one"), folder.path().join("two")];
    let specs: Vec<PathBuf> =
        sides.iter().zip([first(), second()]).map(|(side, text)| specs_with(side, text)).collect();
    let report = json(folder.path(), &[&specs[0].to_string_lossy(), &specs[1].to_string_lossy()], 1);
    let changes = report["changes"].as_array().expect("changes");
    let different: Vec<&Value> = changes.iter().filter(|change| change["meaning"] == "different").collect();
    assert_eq!(different.len(), 2);
    for change in different {
        confirm(folder.path(), [&specs[0], &specs[1]], change, &[]);
    }
    // The one that examples do not find is the solver's.
    let rare = changes.iter().find(|change| change["id"] == "rare").expect("it changed");
    assert_eq!(rare["counterexample"]["found_by"], "solver");
    // One bit of each operand suffices to tell saturation from wrapping.
    let wraps = changes.iter().find(|change| change["id"] == "wraps").expect("it changed");
    let ones: u32 = example(wraps)
        .0
        .iter()
        .flat_map(|digits| digits.chars())
        .filter_map(|digit| digit.to_digit(16))
        .map(u32::count_ones)
        .sum();
    assert_eq!(ones, 2, "{wraps}");
}

#[test]
fn outputs_compare_as_their_documents_do() {
    let folder = scratch();
    let mut outputs = Vec::new();
    for (name, text) in [("one", first()), ("two", second())] {
        let specs = specs_with(&folder.path().join(name), text);
        outputs.push(generate(&specs, &folder.path().join(name), &["--dictionary", "../own.txt"]));
    }
    let [old, new] = [0, 1].map(|side: usize| outputs[side].to_string_lossy().into_owned());
    let report = json(folder.path(), &[&old, &new], 1);
    assert_eq!(report["old"]["kind"], "generated output");
    let kept = |(id, meaning): &(String, String)| !(id == "elsewhere" || meaning == "same");
    let documents = json(folder.path(), &["one/specs", "two/specs"], 1);
    let expected: Vec<(String, String)> = meanings(&documents).into_iter().filter(kept).collect();
    assert_eq!(meanings(&report).into_iter().filter(kept).collect::<Vec<_>>(), expected);
    assert_eq!(report["operations"], documents["operations"]);
    // A document against the output generated from it.
    hydride(folder.path(), &["diff", "one/specs/x86/own.xml", &old]).exits(0);
}

/// The values are the same, but a load of what a mask selects became a load of everything.
#[test]
fn memory_that_is_accessed_in_addition_is_a_difference() {
    let load = |value: &str| {
        let text = format!("FOR j := 0 to 15\n\ti := j*8\n{value}\nENDFOR");
        let pointer = "type=\"void const*\" memwidth=\"128\" varname=\"b\"";
        document(&[
            good_entry("kept"),
            entry("load", &text).replace("type=\"__m128i\" varname=\"b\"", pointer),
        ])
    };
    let masked = load("\tIF a[j]\n\t\tdst[i+7:i] := MEM[b+i+7:b+i]\n\tELSE\n\t\tdst[i+7:i] := 0\n\tFI");
    let whole = load("\ttmp[7:0] := MEM[b+i+7:b+i]\n\tdst[i+7:i] := a[j] ? tmp[7:0] : 0");
    let folder = scratch();
    let mut outputs = Vec::new();
    for (name, text) in [("one", masked), ("two", whole)] {
        let specs = specs_with(&folder.path().join(name), text);
        outputs.push(generate(&specs, &folder.path().join(name), &["--dictionary", "../own.txt"]));
    }
    let [old, new] = [0, 1].map(|side: usize| outputs[side].to_string_lossy().into_owned());
    for [old, new] in [["one/specs", "two/specs"], [&old, &new]] {
        let report = json(folder.path(), &[old, new], 1);
        assert_eq!(meanings(&report), [("load".to_owned(), "other-access".to_owned())]);
        let change = &report["changes"][0];
        assert_eq!(change["access"], "bytes");
        assert_eq!(change["counterexample"]["new"][0]["bits"], "ffff", "all are accessed: {change}");
        assert_ne!(change["counterexample"]["old"][0]["bits"], "ffff");
        hydride(folder.path(), &["diff", "--breaking-only", old, new]).exits(1);
    }
    let words = hydride(folder.path(), &["diff", "one/specs", "two/specs"]).exits(1).stdout;
    assert!(words.contains("which bytes are accessed"), "{words}");
}

/// Runs the printed commands as a shell does; what they print is what the report says.
#[track_caller]
fn confirm_printed(folder: &Path, flags: &[&str], inputs: &[&str]) {
    let report = json(folder, &[flags, inputs].concat(), 1);
    let expected: Vec<Vec<String>> = (report["changes"].as_array().expect("changes").iter())
        .filter(|change| change["meaning"] == "different")
        .flat_map(|change| example(change).1)
        .collect();
    assert!(!expected.is_empty(), "nothing is different: {inputs:?}");
    let text = hydride(folder, &[flags, &["diff"], inputs].concat()).exits(1).stdout;
    let commands: Vec<&str> =
        text.lines().map(str::trim).filter(|line| line.starts_with("hydride ")).collect();
    assert_eq!(commands.len(), expected.len(), "{text}");
    let path = path_with_hydride();
    for (command, expected) in commands.iter().zip(expected) {
        let mut shell = std::process::Command::new("sh");
        let output =
            shell.args(["-c", command]).current_dir(folder).env("PATH", &path).output().expect("a shell");
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(told.lines().collect::<Vec<_>>(), expected, "{command}\n{errors}");
    }
}

#[test]
fn printed_commands_give_the_values_shown() {
    let folder = scratch();
    let at = folder.path();
    let version =
        |text: String, number: &str| text.replace("version=\"test\"", &format!("version=\"{number}\""));
    // An old document by name, and folders of documents; names that a shell would split.
    for (name, text) in [("the old one", version(first(), "1")), ("it's new", version(second(), "2"))] {
        let specs = specs_with(&at.join(name), text.clone());
        write(at, &format!("{name}.xml"), &text);
        generate(&specs, &at.join(name), &[]);
    }
    let documents = ["the old one.xml", "it's new.xml"];
    confirm_printed(at, &[], &documents);
    confirm_printed(at, &[], &["the old one/specs", "it's new/out"]);
    // Errata that make a difference where there is none, and that take one away.
    let erratum = "[[erratum]]\nentry = \"wraps\"\nversions = { to = \"1\" }\nexchange = [\"a\", \"b\"]\n\
                   evidence = { cpu = \"one\", inputs = 10 }\nnote = \"exchanged\"\n";
    write(at, "own.toml", erratum);
    confirm_printed(at, &["--errata", "own.toml"], &documents);
    confirm_printed(at, &["--no-errata"], &documents);
    // Sources of one folder, with vectors of another length.
    let hvx = at.join("sources/hvx");
    std::fs::create_dir_all(&hvx).expect("a folder");
    for (name, text) in files(&samples().join("hvx")) {
        std::fs::write(hvx.join(name), text.replace("sum = 1 + Vv.ub[n]", "sum = 2 + Vv.ub[n]"))
            .expect("a file");
    }
    let sources = ["--sources", "--isa", "hvx", "--specs", "sources"];
    confirm_printed(at, &["--no-errata"], &sources);
    confirm_printed(at, &["--no-errata", "--hvx-length", "64"], &sources);
}

/// The counterexample for two lane-wise operations is in the lowest lane, and in its lowest bits.
#[test]
fn counterexamples_stand_low() {
    let folder = scratch();
    let lanes = |value: &str| {
        let text = "FOR j := 0 to 15\n\ti := j*8\n\tIF a[i+7]\n\t\tdst[i+7:i] := VALUE\n\tELSE\n\t\tdst[i+7:i] := 0\n\tFI\nENDFOR";
        document(&[entry("lanes", &text.replace("VALUE", value))])
    };
    let old = write(folder.path(), "old.xml", &lanes("b[i+7:i]"));
    let new = write(folder.path(), "new.xml", &lanes("b[i+7:i] AND 0xFC"));
    let report = json(folder.path(), &[&old, &new], 1);
    let (args, _) = example(&report["changes"][0]);
    assert_eq!(args.iter().map(|arg| arg.trim_start_matches('0')).collect::<Vec<_>>(), ["80", "1"]);
}

#[test]
fn an_erratum_that_the_new_revision_makes_unnecessary_is_told() {
    let folder = scratch();
    let wrong = document(&[entry("difference", "dst[127:0] := a[127:0] - b[127:0]")]);
    let right = wrong.replace("a[127:0] - b[127:0]", "b[127:0] - a[127:0]");
    let old = write(folder.path(), "old.xml", &wrong.replace("version=\"test\"", "version=\"1\""));
    let new = write(folder.path(), "new.xml", &right.replace("version=\"test\"", "version=\"2\""));
    let erratum = "[[erratum]]\nentry = \"difference\"\nversions = { to = \"1\" }\nexchange = [\"a\", \"b\"]\n\
                   evidence = { cpu = \"one\", inputs = 10 }\nnote = \"exchanged\"\n";
    write(folder.path(), "own.toml", erratum);
    let report = json(folder.path(), &["--errata", "own.toml", &old, &new], 1);
    let change = &report["errata"][0];
    assert_eq!((&change["entry"], &change["old"]), (&Value::from("difference"), &Value::from("applied")));
    assert_eq!(change["settled"], true, "{change}");
    let plain = json(folder.path(), &["--no-errata", &old, &new], 1);
    assert_eq!(meanings(&plain), [("difference".to_owned(), "different".to_owned())]);
    assert_eq!(plain["errata"], Value::Array(Vec::new()));
}

#[test]
fn two_sources_of_one_instruction_set_are_compared() {
    let folder = scratch();
    let specs = samples();
    let specs = specs.to_string_lossy();
    let report = json(folder.path(), &["--sources", "--isa", "hvx", "--specs", &specs], 1);
    assert!(report["old"]["name"].as_str().expect("a name").ends_with("manual"));
    assert!(!report["changes"].as_array().expect("changes").is_empty());
    hydride(folder.path(), &["diff", "--sources", "--isa", "x86", "--specs", &specs]).exits(2);
    hydride(folder.path(), &["diff", "--sources", "--specs", &specs]).exits(2);
}

#[test]
fn the_cpu_names_the_side_that_is_right() {
    let folder = scratch();
    let sum =
        |operator: &str| document(&[entry("_mm_add_epi8", &bytes(&format!("a[i+7:i] {operator} b[i+7:i]")))]);
    let (old, new) = (write(folder.path(), "old.xml", &sum("-")), write(folder.path(), "new.xml", &sum("+")));
    for (args, side) in [([&old, &new], "new"), ([&new, &old], "old")] {
        let report = json(folder.path(), &[args[0], args[1], "--against-hardware"], 1);
        let hardware = &report["changes"][0]["counterexample"]["hardware"];
        if hardware["agrees_with"] == "unasked" {
            skip(&hardware.to_string());
            return;
        }
        assert_eq!(hardware["agrees_with"], side, "{hardware}");
        assert_eq!(hardware[format!("{side}_differs")], 0, "{hardware}");
    }
}

/// Qualcomm's manual against the semantics file, if both are available: the same with the errata, and without them
/// different where the emulator, if it is there, agrees with the semantics file.
#[test]
fn the_manual_is_wrong_where_its_errata_say() {
    let Some(specs) = vendor_documents::tested(&["hvx/ext.idef", "hvx/hvx-prm.json"]) else { return };
    let specs = specs.to_string_lossy();
    let folder = scratch();
    let args = ["--sources", "--isa", "hvx", "--specs", &specs];
    let corrected = json(folder.path(), &args, 1);
    let open: Vec<(String, String)> =
        meanings(&corrected).into_iter().filter(|(_, meaning)| meaning != "same").collect();
    assert_eq!(open, [], "with the errata");
    let plain = json(folder.path(), &[&args[..], &["--no-errata", "--against-hardware"]].concat(), 1);
    let changes = plain["changes"].as_array().expect("changes");
    let errata = std::fs::read_to_string(repository().join("specs/errata/hvx.toml")).expect("the errata");
    for change in changes.iter().filter(|change| change["meaning"] != "same") {
        let id = change["id"].as_str().expect("an id");
        assert!(errata.contains(&format!("\"{id}\"")), "{id} has no erratum");
        let verdict = &change["counterexample"]["hardware"]["agrees_with"];
        assert!(verdict.is_null() || verdict == "new" || verdict == "unasked", "{id}: {verdict}");
    }
}

#[test]
fn what_cannot_be_compared_is_told() {
    let folder = scratch();
    let good = write(folder.path(), "good.xml", &first());
    let other = write(folder.path(), "other.txt", "no document");
    let empty = write(folder.path(), "empty.xml", "<intrinsics_list></intrinsics_list>");
    std::fs::create_dir(folder.path().join("nothing")).expect("a folder");
    hydride(folder.path(), &["diff", &good]).exits(2);
    hydride(folder.path(), &["diff", &good, "missing.xml"]).exits(3).complains(&["missing.xml"]);
    hydride(folder.path(), &["diff", &good, &other]).exits(3).complains(&["other.txt"]);
    hydride(folder.path(), &["diff", &good, &empty]).exits(3).complains(&["no entries"]);
    hydride(folder.path(), &["diff", &good, "nothing"]).exits(3).complains(&["nothing"]);
    hydride(folder.path(), &["diff", &good, &good, "--isa", "arm"]).exits(2);
    hydride(folder.path(), &["diff", &good, &good, "--isa", "mips"]).exits(2);
    for (name, bytes) in
        [("blank.xml", &b" \n\t\n"[..]), ("empty.json", b""), ("bytes.xml", b"\0\xff\xfe<\0<<<")]
    {
        std::fs::write(folder.path().join(name), bytes).expect("a file");
        for inputs in [[&good, name], [name, &good]] {
            let place = format!("{name}:1:1");
            hydride(folder.path(), &["diff", inputs[0], inputs[1]]).exits(3).complains(&[&place]);
        }
    }
}

/// What a document that is cut off lacks would count as removed: such a document is refused, with the place.
#[test]
fn a_document_that_is_cut_off_is_not_compared() {
    let folder = scratch();
    let whole = first();
    let good = write(folder.path(), "good.xml", &whole);
    let last = whole.rfind("<intrinsic ").expect("an entry");
    for cut in [last - 1, last + 20, whole.len() - 30, whole.rfind("</intrinsics_list>").expect("an end")] {
        let text = &whole[..cut];
        let place = format!("cut.xml:{}:", text.matches('\n').count() + 1);
        let cut = write(folder.path(), "cut.xml", text);
        for inputs in [[&good, &cut], [&cut, &good]] {
            let run = hydride(folder.path(), &["diff", inputs[0], inputs[1]]).exits(3);
            assert_eq!(run.stdout, "");
            run.complains(&[&place, "cut.xml cannot be read as a whole"]);
        }
    }
    for (isa, document, cut) in [
        ("arm", "intrinsics.json", "intrinsics.json"),
        ("arm", "intrinsics.json", "operations.json"),
        ("arm", "intrinsics.json", "arch_instrs.asl"),
        ("hvx", "hvx-prm.json", "hvx-prm.json"),
        ("hvx", "ext.idef", "ext.idef"),
    ] {
        let own = folder.path().join("cut").join(isa);
        let _ = std::fs::remove_dir_all(&own);
        std::fs::create_dir_all(&own).expect("a folder");
        for (name, text) in files(&samples().join(isa)) {
            let last = if cut.ends_with(".asl") { text.rfind("__execute") } else { text.rfind(['{', ':']) };
            let end = match name == cut {
                true => last.expect("something to cut"),
                false => text.len(),
            };
            std::fs::write(own.join(name), &text[..end]).expect("a file");
        }
        let (old, new) = (samples().join(isa).join(document), format!("cut/{isa}/{document}"));
        let run = hydride(folder.path(), &["diff", &old.to_string_lossy(), &new]).exits(3);
        run.complains(&[&format!("cut/{isa}/{cut}:"), "cannot be read as a whole"]);
        let (old, new) = (samples().to_string_lossy().into_owned(), "cut");
        hydride(folder.path(), &["diff", &old, new, "--isa", isa]).exits(3).complains(&[cut]);
    }
}

#[test]
fn an_output_that_is_not_whole_is_not_compared() {
    let folder = scratch();
    let specs = specs_with(folder.path(), first());
    generate(&specs, folder.path(), &[]);
    let whole = files(&folder.path().join("out"));
    for (name, says) in
        [("ledger.jsonl", "ledger.jsonl:"), ("classes.json", "line "), ("ir/x86.hir", "x86.hir")]
    {
        let path = folder.path().join("out").join(name);
        let text = &whole[name];
        for cut in [Some(text.len() - 30), None] {
            match cut {
                Some(end) => std::fs::write(&path, &text[..end]).expect("a file"),
                None => std::fs::remove_file(&path).expect("the file"),
            }
            let run = hydride(folder.path(), &["diff", "specs", "out"]);
            let wanted = if cut.is_some() { says } else { name };
            match (name, cut) {
                // Without the functions it is no output of this instruction set.
                ("ir/x86.hir", None) => run.exits(2),
                _ => run.exits(3).complains(&[wanted]),
            };
        }
        std::fs::write(&path, text).expect("a file");
    }
}

#[test]
fn two_instruction_sets_have_nothing_to_compare() {
    let folder = scratch();
    let good = write(folder.path(), "good.xml", &first());
    let arm = samples().join("arm/intrinsics.json");
    let hvx = samples().join("hvx/ext.idef");
    let [arm, hvx] = [arm, hvx].map(|path| path.to_string_lossy().into_owned());
    hydride(folder.path(), &["diff", &good, &arm]).exits(2).complains(&["x86", "arm", "nothing to compare"]);
    hydride(folder.path(), &["diff", &hvx, &arm]).exits(2).complains(&["hvx", "arm"]);
}

/// One of `parts` parts of a document's entries: those in the same part have equal names.
fn one_part(document: &str, parts: usize) -> String {
    let (head, entries) = document.split_at(document.find("<intrinsic ").expect("an entry"));
    let (entries, tail) =
        entries.split_at(entries.rfind("</intrinsic>").expect("an entry") + "</intrinsic>".len());
    let is_in_part = |entry: &&str| {
        let (_, name) = entry.split_once(" name=\"").expect("a name");
        let name = &name[..name.find('"').expect("its end")];
        name.bytes().map(usize::from).sum::<usize>() % parts == 0
    };
    let kept: String = entries.split_inclusive("</intrinsic>").filter(is_in_part).collect();
    [head, &kept, tail].concat()
}

/// The two revisions of Intel's document, if both are available: no more than three changed texts may be
/// undecided, and what differs must be confirmed, one in 24 of them unless everything is tested.
#[test]
fn the_vendors_revisions_are_sorted_completely() {
    let revisions = ["x86/x86-intel-3.5.3.xml", "x86/x86-intel-3.6.9.xml"];
    let Some(specs) = vendor_documents::tested(&revisions) else { return };
    let folder = scratch();
    let documents = revisions.map(|name| std::fs::read_to_string(specs.join(name)).expect("a document"));
    let parts = if is_full() { 1 } else { 5 };
    let sides: Vec<PathBuf> = documents
        .iter()
        .zip(["one", "two"])
        .map(|(text, side)| specs_with(&folder.path().join(side), one_part(text, parts)))
        .collect();
    let paths = [0, 1].map(|side| sides[side].join("x86/own.xml"));
    let [old, new] = paths.each_ref().map(|path| path.to_string_lossy());
    // Corrected, and unchanged.
    let runs = [&[][..], &["--no-errata"]];
    for flags in &runs[..if is_full() { 2 } else { 1 }] {
        let report = json(folder.path(), &[&[&*old, &*new], *flags].concat(), 1);
        let changes = report["changes"].as_array().expect("changes");
        let texts = changes.iter().filter(|change| change["text_differs"] == true).count();
        let unknown = changes.iter().filter(|change| change["meaning"] == "unknown").count();
        assert!(
            texts >= if is_full() { 100 } else { 10 } && unknown <= 3,
            "{texts} texts changed, {unknown} unknown"
        );
        let different = changes.iter().filter(|change| change["meaning"] == "different");
        for change in different.step_by(if is_full() { 1 } else { 24 }) {
            confirm(folder.path(), [&sides[0], &sides[1]], change, flags);
        }
    }
}
