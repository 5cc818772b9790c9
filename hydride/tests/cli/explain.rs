//! `hydride explain` and `hydride query` say what the outputs hold.

use std::io::Read;
use std::path::Path;
use std::process::Stdio;

use crate::support::*;
use serde_json::{Value, json};

/// The outputs of the samples in `out` below a folder, and their classes.
fn outputs(folder: &Path) -> Value {
    let specs = samples();
    hydride(folder, &["generate-ir", "--specs", &specs.to_string_lossy()]).exits(0);
    read_json(&folder.join("out/classes.json"))
}

fn members(class: &Value) -> &Vec<Value> {
    class["members"].as_array().expect("members")
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

/// A name that belongs to only one instruction.
fn full(member: &Value) -> String {
    format!("{}:{}", text(&member["isa"]), text(&member["id"]))
}

#[test]
fn one_instruction_is_explained_from_a_folder_and_from_documents() {
    let folder = scratch();
    let classes = outputs(folder.path());
    let class = classes.as_array().unwrap().iter().max_by_key(|class| members(class).len()).unwrap();
    let (first, name) = (&members(class)[0], text(&class["name"]));
    let run = hydride(folder.path(), &["explain", &full(first)]).exits(0);
    for wanted in
        [text(&first["id"]), name, "parameters", "proved", "trust", &format!("func @{}(", text(&first["id"]))]
    {
        assert!(run.stdout.contains(wanted), "{wanted} in {}", run.stdout);
    }
    for (param, value) in first["params"].as_object().unwrap() {
        assert!(run.stdout.contains(&format!("{param} = {value}")), "{param} in {}", run.stdout);
    }
    // The calls to paste are those of the lowering table.
    let table = read_json(&folder.path().join("out/llvm/lowering.json"));
    let rows = table["lowerings"].as_array().unwrap();
    let own = rows.iter().find(|row| row["isa"] == first["isa"] && row["id"] == first["id"]).unwrap();
    let definition = text(&own["function"]["name"]);
    let features = text(&own["features"][0]);
    for wanted in [
        format!(" = {}(", text(&own["intrinsic"])),
        format!("call {} @{definition}(", text(&own["function"]["result"])),
        format!("-mattr=+{features}"),
        format!("%res = {}", text(&own["mlir"])),
    ] {
        assert!(run.stdout.contains(&wanted), "{wanted} in {}", run.stdout);
    }
    let other = members(class).last().unwrap();
    assert!(
        run.stdout.lines().any(|line| line.trim_start().starts_with(text(&other["isa"]))),
        "{}",
        run.stdout
    );
    // The same without a folder, from documents.
    let specs = samples();
    let again =
        hydride(folder.path(), &["explain", "--specs", &specs.to_string_lossy(), &full(first)]).exits(0);
    assert_eq!(run.stdout, again.stdout);
    let operation = hydride(folder.path(), &["explain", name]).exits(0);
    assert!(operation.stdout.contains(&format!("operation {name}")), "{}", operation.stdout);
}

#[test]
fn two_instructions_of_one_class_show_both_sets_of_parameters() {
    let folder = scratch();
    let classes = outputs(folder.path());
    let classes = classes.as_array().unwrap();
    let differ =
        |class: &&Value| members(class).iter().any(|member| member["params"] != members(class)[0]["params"]);
    let class = classes.iter().find(differ).expect("a class with parameters");
    let first = &members(class)[0];
    let second = members(class).iter().find(|member| member["params"] != first["params"]).unwrap();
    let run = hydride(folder.path(), &["explain", &full(first), &full(second)]).exits(0);
    assert!(run.stdout.contains(&format!("are one operation, {}", text(&class["name"]))), "{}", run.stdout);
    for (param, value) in first["params"].as_object().unwrap() {
        let line =
            run.stdout.lines().find(|line| line.trim_start().starts_with(&format!("{param} "))).unwrap();
        let shown: Vec<&str> = line.split_whitespace().collect();
        let other = &second["params"][param];
        assert_eq!(shown[1..3], [value.to_string(), other.to_string()], "{line}");
        assert_eq!(shown.contains(&"<-"), value != other, "{line}");
    }
}

#[test]
fn what_is_done_with_a_result_is_said_and_compared() {
    let folder = scratch();
    let mut classes = outputs(folder.path());
    let (classes_path, rows_path) =
        (folder.path().join("out/classes.json"), folder.path().join("out/llvm/lowering.json"));
    // A copy of an instruction, with something changed in its lines each time.
    let class =
        classes.as_array().unwrap().iter().position(|class| members(class)[0]["args"][0] == 0).unwrap();
    let mut twin = members(&classes[class])[0].clone();
    let (own, name) = (twin.clone(), full(&twin));
    twin["id"] = json!("twin");
    let mut rows = read_json(&rows_path);
    let table = rows["lowerings"].as_array_mut().unwrap();
    let mut row =
        table.iter().find(|row| row["isa"] == own["isa"] && row["id"] == own["id"]).unwrap().clone();
    row["id"] = json!("twin");
    table.push(row);
    std::fs::write(&rows_path, rows.to_string()).unwrap();
    for kind in ["hir", "canonical.hir"] {
        let path = folder.path().join(format!("out/ir/{}.{kind}", text(&own["isa"])));
        let all = std::fs::read_to_string(&path).unwrap();
        let head = format!("\nfunc @{}(", text(&own["id"]));
        let start = all.find(&head).expect("the instruction's function");
        let end = start + all[start..].find("\n}\n").unwrap() + 3;
        let copy = all[start..end].replacen(&head, "\nfunc @twin(", 1);
        std::fs::write(&path, all + &copy).unwrap();
    }
    classes[class]["members"].as_array_mut().unwrap().push(twin.clone());
    let mut explained = |change: &dyn Fn(&mut Value)| {
        let mut changed = twin.clone();
        change(&mut changed);
        *classes[class]["members"].as_array_mut().unwrap().last_mut().unwrap() = changed;
        std::fs::write(&classes_path, classes.to_string()).unwrap();
        let pair = hydride(folder.path(), &["explain", &name, "twin"]).exits(0).stdout;
        let alone = hydride(folder.path(), &["explain", "twin"]).exits(0).stdout;
        let listed = hydride(folder.path(), &["query", "--members", "twin"]).exits(0).stdout;
        (pair, alone, listed)
    };
    let (pair, _, _) = explained(&|_| ());
    assert!(pair.contains("They apply it in the same way"), "{pair}");
    type Change = Box<dyn Fn(&mut Value)>;
    let layout = |stride: u32, negated: bool| -> Change {
        Box::new(move |member| {
            member["masking"] = json!("zero");
            member["mask_arg"] = json!(0);
            member["mask_layout"] = json!({"stride": stride, "lane": 32, "negated": negated});
        })
    };
    let part: Change = Box::new(|member| member["part"] = json!({"low": 64, "width": 32, "pass_through": 1}));
    let slice: Change = Box::new(|member| {
        member["args"][0] = json!({"broadcast": 0, "low": 8, "width": 8, "stride": 16});
    });
    for (change, words, short) in [
        (part, "bits [64 +: 32] of the result, the others are those of argument 1", "part 64 +: 32"),
        (layout(1, true), "for 32 bits of the result, which is 0 where", "masking zero by bits that are 0"),
        (layout(4, false), "each bit at a multiple of 4 for 32 bits", "masking zero by every bit 4"),
        (slice, "every element: argument 0 [8 +: 8], 16 bits apart", "masking"),
    ] {
        let (pair, alone, listed) = explained(&*change);
        assert!(!pair.contains("in the same way") && pair.contains(words), "{words} in {pair}");
        assert!(alone.contains(words), "{words} in {alone}");
        assert!(listed.contains(short), "{short} in {listed}");
    }
}

#[test]
fn two_classes_are_told_apart_by_an_input() {
    let folder = scratch();
    let mut entries = vec![good_entry("_mm_both")];
    entries.push(entry("_mm_either", "dst[127:0] := a[127:0] OR b[127:0]"));
    entries.push(entry("_mm_not_first", "dst[127:0] := (NOT a[127:0]) AND b[127:0]"));
    let specs = specs_with(folder.path(), document(&entries));
    hydride(folder.path(), &["generate-ir", "--specs", &specs.to_string_lossy(), "--isa", "x86"]).exits(0);
    let run = hydride(folder.path(), &["explain", "_mm_both", "_mm_either"]).exits(0);
    for wanted in ["two operations", "a bitwise and", "a bitwise or", "at the element", "input"] {
        assert!(run.stdout.contains(wanted), "{wanted} in {}", run.stdout);
    }
    // The input is a counterexample: evaluating it gives the two results shown.
    let line = |start: &str| {
        run.stdout.lines().rev().find_map(|line| line.trim_start().strip_prefix(start)).unwrap()
    };
    let value = |name: &str| {
        let input = line("input");
        let at = input.split(&format!("{name} = ")).nth(1).unwrap();
        at.split([',', ' ']).next().unwrap().to_owned()
    };
    let (a, b) = (value("a"), value("b"));
    let mut results = Vec::new();
    for id in ["_mm_both", "_mm_either"] {
        let args = ["eval", "--specs", &specs.to_string_lossy(), "--isa", "x86", "--id", id, &a, &b];
        let evaluated = hydride(folder.path(), &args).exits(0).stdout;
        assert_eq!(line(id).trim(), evaluated.trim());
        results.push(evaluated);
    }
    assert_ne!(results[0], results[1]);
    let run = hydride(folder.path(), &["explain", "_mm_both", "_mm_not_first"]).exits(0);
    assert!(run.stdout.contains("a complement"), "{}", run.stdout);
}

#[test]
fn what_is_not_modelled_or_not_known_is_said() {
    let folder = scratch();
    outputs(folder.path());
    let excluded =
        ledger(&folder.path().join("out")).into_iter().find(|line| line["status"] == "excluded").unwrap();
    let run = hydride(folder.path(), &["explain", text(&excluded["id"])]).exits(0);
    assert!(run.stdout.contains(text(&excluded["reason"])), "{}", run.stdout);
    hydride(folder.path(), &["explain", "no_such_name"]).exits(2).complains(&["no_such_name"]);
    hydride(folder.path(), &["explain", "--out", "nowhere", "x"]).exits(3).complains(&["nowhere"]);
}

#[test]
fn queries_select_what_they_say() {
    let folder = scratch();
    let classes = outputs(folder.path());
    let all: Vec<(&Value, &Value)> = classes
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|class| members(class).iter().map(move |m| (class, m)))
        .collect();
    let ask = |args: &[&str]| -> Vec<String> {
        let args: Vec<&str> = ["query", "--members"].into_iter().chain(args.iter().copied()).collect();
        hydride(folder.path(), &args).exits(0).stdout.lines().map(str::to_owned).collect()
    };
    #[track_caller]
    fn same(found: Vec<String>, wanted: impl Iterator<Item = (String, String)>) {
        let mut wanted: Vec<(String, String)> = wanted.collect();
        assert!(!wanted.is_empty());
        let mut found: Vec<(String, String)> = found
            .iter()
            .map(|line| {
                let words: Vec<&str> = line.split(' ').collect();
                (words[1].to_owned(), words[2].to_owned())
            })
            .collect();
        wanted.sort();
        found.sort();
        assert_eq!(found, wanted);
    }
    let name =
        |(_, member): &(&Value, &Value)| (text(&member["isa"]).to_owned(), text(&member["id"]).to_owned());
    same(ask(&[]), all.iter().map(name));
    same(ask(&["--isa", "arm"]), all.iter().filter(|(_, member)| member["isa"] == "arm").map(name));
    same(ask(&["--single"]), all.iter().filter(|(class, _)| members(class).len() == 1).map(name));
    let op = text(&all[0].0["name"]);
    same(ask(&["--op", op]), all.iter().filter(|(class, _)| class["name"] == op).map(name));
    let (param, value) =
        all.iter().find_map(|(_, member)| member["params"].as_object()?.iter().next()).unwrap();
    same(
        ask(&["--param", &format!("{param}={value}")]),
        all.iter().filter(|(_, member)| &member["params"][param] == value).map(name),
    );
    fn isas(class: &Value) -> std::collections::BTreeSet<&str> {
        members(class).iter().map(|m| text(&m["isa"])).collect()
    }
    same(ask(&["--shared", "2"]), all.iter().filter(|(class, _)| isas(class).len() >= 2).map(name));

    let lowering = read_json(&folder.path().join("out/llvm/lowering.json"));
    let rows = lowering["lowerings"].as_array().unwrap();
    let row_name = |row: &&Value| (text(&row["isa"]).to_owned(), text(&row["id"]).to_owned());
    let wide =
        |row: &&Value| row["signature"]["results"].as_array().unwrap().iter().any(|r| r["width"] == 512);
    same(ask(&["--width", "512"]), rows.iter().filter(wide).map(|row| row_name(&row)));
    let needs =
        |row: &&Value| row["extensions"].as_array().unwrap().iter().any(|e| text(e).starts_with("AVX512"));
    same(ask(&["--extension", "AVX512*"]), rows.iter().filter(needs).map(|row| row_name(&row)));

    let json = hydride(folder.path(), &["query", "--format", "json", "--isa", "hvx"]).exits(0).stdout;
    let json: Value = serde_json::from_str(&json).unwrap();
    assert!(json.as_array().unwrap().iter().all(|class| members(class).iter().all(|m| m["isa"] == "hvx")));
    assert_eq!(ask(&["surely in no name"]), Vec::<String>::new());
    for wrong in [["--isa", "mips"], ["--param", "x"], ["--op", "[a"]] {
        hydride(folder.path(), &["query", wrong[0], wrong[1]]).exits(2);
    }
}

#[test]
fn a_reader_that_goes_away_ends_the_run_quietly() {
    let folder = scratch();
    outputs(folder.path());
    // More than a pipe holds is written after the reader has gone.
    let mut child = command(folder.path(), &["query", "--format", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    drop(child.stdout.take());
    let mut complaint = String::new();
    child.stderr.take().unwrap().read_to_string(&mut complaint).unwrap();
    assert!(child.wait().unwrap().success(), "{complaint}");
    assert!(!complaint.contains("panicked") && !complaint.contains("pipe"), "{complaint}");
}
