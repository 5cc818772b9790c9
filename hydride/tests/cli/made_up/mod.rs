//! An instruction set that the program does not have, [`zeta`], goes the whole way: one folder, and one line here.

mod zeta;

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::support::{Run, samples, scratch, skip};

// ANCHOR: registration
/// The program with Zeta behind its own instruction sets.
fn hydride_with_zeta(args: Vec<String>) -> u8 {
    let mut sets = hydride::isa::built_in();
    sets.push(&zeta::SET);
    hydride::run(&sets, args)
}
// ANCHOR_END: registration

/// Holds the program's arguments, one a line, where this program is started as that one.
const ARGS: &str = "HYDRIDE_WITH_ZETA";

/// What is printed before the program's own output.
const START: &str = "-- hydride --";

/// The program prints to its own process: each run is a process of this test alone.
#[test]
#[ignore = "the other tests start it"]
fn program() {
    let Ok(args) = std::env::var(ARGS) else { return };
    println!("{START}");
    std::process::exit(hydride_with_zeta(args.lines().map(str::to_owned).collect()).into());
}

/// Runs the program in `folder`.
fn zeta(folder: &Path, args: &[&str]) -> Run {
    let args: Vec<&str> = std::iter::once("hydride").chain(args.iter().copied()).collect();
    let output = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "made_up::program", "--ignored", "--nocapture"])
        .current_dir(folder)
        .env(ARGS, args.join("\n"))
        .env("HYDRIDE_CACHE", "")
        .env_remove("HYDRIDE_LOG")
        .output();
    let mut run = Run::new(output.expect("it starts"));
    let (_, own) = run.stdout.split_once(&format!("{START}\n")).expect("the program was started");
    run.stdout = own.to_owned();
    run
}

const REVISIONS: [&str; 2] = [include_str!("zeta/revision-1.txt"), include_str!("zeta/revision-2.txt")];

/// A folder of documents: a revision of Zeta's and the samples of x86.
fn specs(folder: &Path, revision: usize) -> PathBuf {
    let specs = folder.join(format!("specs-{revision}"));
    for isa in ["zeta", "x86"] {
        std::fs::create_dir_all(specs.join(isa)).expect("a folder");
    }
    std::fs::write(specs.join("zeta/list.txt"), REVISIONS[revision - 1]).expect("a file");
    std::fs::copy(samples().join("x86/sample.xml"), specs.join("x86/sample.xml")).expect("a copy");
    specs
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).expect("a file")).expect("JSON")
}

#[test]
fn documents_become_classes_rows_and_pages() {
    let folder = scratch();
    specs(folder.path(), 1);
    zeta(folder.path(), &["generate-ir", "--specs", "specs-1"]).exits(0);
    let out = folder.path().join("out");

    let summary = json(&out.join("summary.json"));
    let ledger = &summary["ledger"]["zeta"];
    assert_eq!((&ledger["entries"], &ledger["modelled"]), (&11.into(), &10.into()));
    assert_eq!(ledger["excluded"]["memory"], 1);
    assert!(summary["classes"]["zeta"].as_u64() > Some(0));
    assert_eq!(summary["specs"][1]["version"], "1");

    // The sum of bytes is one operation with x86's, proved.
    let classes = json(&out.join("classes.json"));
    let member = |class: &Value, id: &str| {
        class["members"].as_array().expect("members").iter().find(|member| member["id"] == id).cloned()
    };
    let class = classes.as_array().expect("classes").iter().find(|class| member(class, "zaddb").is_some());
    let class = class.expect("a class");
    assert_eq!(class["name"], "add");
    assert!(member(class, "_mm_add_epi8").is_some(), "{class}");
    let found = member(class, "zaddb").expect("a member");
    assert_eq!((&found["isa"], &found["proof"]), (&"zeta".into(), &"structural".into()));
    assert!(summary["classes"]["zeta+x86"].as_u64() > Some(0));

    for (file, has) in [
        ("ir/zeta.hir", "func @zshlh("),
        ("llvm/AutoLLVMLowering.td", "Target_zeta, "),
        ("llvm/AutoLLVMLowering.td", "\"zaddb\""),
        ("ledger.jsonl", "{\"isa\":\"zeta\",\"id\":\"zload\",\"status\":\"excluded\",\"reason\":\"memory\""),
    ] {
        let text = std::fs::read_to_string(out.join(file)).expect("a file");
        assert!(text.contains(has), "{file} has no {has}");
    }
    let pages: Vec<String> = std::fs::read_dir(out.join("report"))
        .expect("the report")
        .filter_map(|page| std::fs::read_to_string(page.expect("an entry").path()).ok())
        .collect();
    assert!(pages.iter().any(|page| page.contains("zmaxub")), "the report lists it");
}

#[test]
fn meanings_are_evaluated_and_run() {
    let folder = scratch();
    specs(folder.path(), 1);
    let value = |digits: &str| digits.repeat(16);
    let (a, b) = (value("f0"), value("20"));
    let eval = |id: &str| {
        let args = ["eval", "--specs", "specs-1", "--isa", "zeta", "--id", id, &a, &b];
        zeta(folder.path(), &args).exits(0).stdout
    };
    assert_eq!(eval("zaddb"), value("10") + "\n");
    assert_eq!(eval("zmaxub"), a.clone() + "\n");
    assert_eq!(eval("zmaxb"), b.clone() + "\n");

    let args = ["validate", "--specs", "specs-1", "--isa", "zeta", "--inputs", "200", "--records", "records"];
    let run = zeta(folder.path(), &args).exits(0);
    if run.stdout.contains("cannot start the compiler") {
        return skip("a run of the made-up instructions, for want of clang-19");
    }
    assert!(run.stdout.contains("10 agree, 0 differ, 0 not compared"), "{}", run.stdout);
    // The machine does as the first revision says.
    let second = specs(folder.path(), 2).display().to_string();
    let args = ["validate", "--specs", &second, "--isa", "zeta", "--records", "records"];
    let run = zeta(folder.path(), &args).exits(1);
    assert!(run.stdout.contains("MISMATCH zavgub"), "{}", run.stdout);
}

#[test]
fn revisions_are_compared() {
    let folder = scratch();
    let lists = [1, 2].map(|revision| specs(folder.path(), revision).join("zeta/list.txt"));
    let [old, new] = lists.map(|list| list.display().to_string());
    let run =
        zeta(folder.path(), &["diff", &old, &new, "--format", "json"]).exits(1).complains(&["Zeta's list"]);
    let report: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let changes = report["changes"].as_array().expect("changes");
    assert_eq!(changes.len(), 1, "{changes:?}");
    assert_eq!((&changes[0]["isa"], &changes[0]["id"]), (&"zeta".into(), &"zavgub".into()));
    assert_eq!(report["removed"][0]["id"], "zsubh");
}

#[test]
fn sequences_are_searched() {
    let folder = scratch();
    specs(folder.path(), 1);
    let goal = "name = \"sum\"\nelement = 8\n[[input]]\nname = \"x\"\n[[input]]\nname = \"y\"\n[[input]]\nname = \"z\"\n\
                [[output]]\nname = \"r\"\neach = \"x[i] + y[i] + z[i]\"\n[search]\nlanewise = true\n";
    std::fs::write(folder.path().join("goal.toml"), goal).expect("a file");
    let args = ["search", "--specs", "specs-1", "--isa", "zeta", "--run", "100", "goal.toml"];
    let run = zeta(folder.path(), &args).exits(0);
    assert!(run.stdout.contains("sum on Zeta: 2 instructions, proved"), "{}", run.stdout);
    assert_eq!(run.stdout.matches("zaddb v").count(), 2, "{}", run.stdout);
    let machine = ["1 of 1 sequences agree with the goal on 100 inputs", "cannot start the compiler"];
    assert!(machine.iter().any(|words| run.stderr.contains(words)), "{}", run.stderr);
}

#[test]
fn what_it_lacks_is_said() {
    let folder = scratch();
    specs(folder.path(), 1);
    let says = |args: &[&str], code: i32, words: &str| {
        let run = zeta(folder.path(), args).exits(code);
        let said = run.stdout + &run.stderr;
        assert!(said.contains(words), "`{words}` is not in: {said}");
    };
    let errata = "isa = \"zeta\"\n";
    std::fs::write(folder.path().join("errata.toml"), errata).expect("a file");
    says(&["errata", "--errata", "errata.toml"], 2, "errata on documents of zeta cannot be applied");
    let costs = ["search", "--isa", "zeta", "--cost", "latency", "--cpu", "z1", "--list-instructions"];
    says(&costs, 2, "no costs of z1 for zeta");
    let sources = ["diff", "--isa", "zeta", "--sources"];
    says(&sources, 2, "zeta has one source");
    zeta(folder.path(), &["generate-ir", "--specs", "specs-1", "--isa", "zeta"]).exits(0);
    let lowering = ["check-lowering", "--specs", "specs-1", "--isa", "zeta"];
    says(&lowering, 0, "nothing was checked of zeta: no backend of LLVM is known for zeta");
    says(&["eval", "--isa", "eta", "--id", "x"], 2, "unknown instruction set eta");
}

/// The book shows these files by their names and anchors.
#[test]
fn what_the_book_includes_is_there() {
    let pages = crate::support::repository().join("docs/src");
    let page = std::fs::read_to_string(pages.join("adding-an-isa.md")).expect("the page");
    let includes: Vec<&str> =
        page.lines().filter_map(|line| line.strip_prefix("{{#include ")?.strip_suffix("}}")).collect();
    assert!(includes.len() > 5, "{includes:?}");
    for include in includes {
        let (file, anchor) = include
            .split_once(".rs:")
            .map_or((include.to_owned(), None), |(file, anchor)| (format!("{file}.rs"), Some(anchor)));
        let text =
            std::fs::read_to_string(pages.join(&file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        let Some(anchor) = anchor else { continue };
        for mark in ["ANCHOR", "ANCHOR_END"] {
            let line = format!("// {mark}: {anchor}");
            assert_eq!(text.lines().filter(|found| found.trim() == line).count(), 1, "{include}");
        }
    }
}
