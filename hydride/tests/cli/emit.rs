//! `--emit` makes some of the outputs, and `README.md` describes those that there are.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use crate::support::*;

/// The groups, and what each one makes: folders, and files at the top.
const GROUPS: [(&str, &[&str]); 8] = [
    ("ir", &["ir"]),
    ("dialect", &["autollvm", "classes.json", "dictionary.json"]),
    ("llvm", &["llvm"]),
    ("mlir", &["mlir"]),
    ("evaluators", &["evaluators"]),
    ("c", &["c"]),
    ("models", &["models"]),
    ("report", &["report"]),
];

const README: &str = "README.md";

/// The first part of a path.
fn first(path: &str) -> &str {
    path.split('/').next().expect("a first part")
}

/// Of the whole outputs those that a run with `--emit` makes, without the page that describes them.
fn expected(all: &BTreeMap<String, String>, groups: &[&str]) -> BTreeMap<String, String> {
    let made = |path: &str| {
        let group = GROUPS.iter().find(|(_, places)| places.contains(&first(path)));
        path != README && group.is_none_or(|(name, _)| groups.contains(name))
    };
    all.iter().filter(|(path, _)| made(path)).map(|(path, text)| (path.clone(), text.clone())).collect()
}

#[track_caller]
fn assert_files(out: &Path, expected: &BTreeMap<String, String>) {
    let mut made = timeless_files(out);
    assert!(made.remove(README).is_some(), "a page that describes the files");
    assert_eq!(made.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    for (path, text) in expected {
        assert!(made[path] == *text, "{path}");
    }
}

#[test]
fn each_group_is_made_alone_and_with_others() {
    let folder = scratch();
    let all = timeless_files(&shared_output(&samples(), "x86"));
    for (group, places) in GROUPS {
        let expected = expected(&all, &[group]);
        for place in places {
            assert!(expected.keys().any(|path| first(path) == *place), "{group} has {place}");
        }
        // The folder has another group's files from the run before; they are removed.
        assert_files(&generate(&samples(), folder.path(), &["--emit", group]), &expected);
    }
    let two = generate(&samples(), folder.path(), &["--emit", "report,ir"]);
    assert_files(&two, &expected(&all, &["ir", "report"]));
    let whole = generate(&samples(), folder.path(), &[]);
    assert!(timeless_files(&whole) == all);
}

#[test]
fn kept_results_are_those_of_the_same_groups() {
    let folder = scratch();
    let all = timeless_files(&shared_output(&samples(), "x86"));
    let run = |emit: &[&str]| generate(&samples(), folder.path(), &[&["--cache", "c.redb"], emit].concat());
    for emit in ["llvm", "mlir,ir", "llvm", "llvm"] {
        let groups: Vec<&str> = emit.split(',').collect();
        assert_files(&run(&["--emit", emit]), &expected(&all, &groups));
    }
    assert!(timeless_files(&run(&[])) == all);
}

#[test]
fn unknown_groups_are_refused_with_those_there_are() {
    let folder = scratch();
    for list in ["llvm,assembly", "", "LLVM"] {
        let run = hydride(folder.path(), &["generate-ir", "--emit", list]).exits(2);
        run.complains(&[
            "--emit",
            "[possible values: ir, dialect, llvm, mlir, evaluators, c, models, report]",
        ]);
    }
    assert!(!folder.path().join("out").exists());
}

#[test]
fn a_check_compares_what_is_chosen() {
    let folder = scratch();
    let out = generate(&samples(), folder.path(), &[]);
    let specs = samples();
    let specs = specs.to_string_lossy();
    let check = |extra: &[&str], code: i32| {
        let args = ["generate-ir", "--specs", &specs, "--isa", "x86", "--check"];
        hydride(folder.path(), &[&args[..], extra].concat()).exits(code).stdout
    };
    assert_eq!(check(&["--emit", "llvm"], 0), "");
    std::fs::write(out.join("mlir/Old.td"), "// old\n").unwrap();
    std::fs::remove_file(out.join("classes.json")).unwrap();
    assert_eq!(check(&["--emit", "llvm,report"], 0), "");
    assert_eq!(check(&["--emit", "mlir"], 1), "mlir/Old.td: no longer generated\n");
    assert_eq!(check(&["--emit", "dialect,ir"], 1), "classes.json: missing\n");
    // What belongs to no group is looked at in any case.
    std::fs::remove_file(out.join("mlir/Old.td")).unwrap();
    std::fs::write(out.join("notes.txt"), "mine\n").unwrap();
    assert_eq!(check(&["--emit", "mlir"], 1), "notes.txt: no longer generated\n");
    // A folder with some of the outputs is up to date for these.
    generate(&samples(), folder.path(), &["--emit", "ir,mlir"]);
    assert_eq!(check(&["--emit", "ir,mlir"], 0), "");
    assert_eq!(check(&["--emit", "mlir"], 0), "");
    assert!(check(&["--emit", "evaluators"], 1).contains("evaluators/autollvm.h: missing\n"));
}

#[test]
fn commands_say_which_group_they_lack() {
    let folder = scratch();
    generate(&samples(), folder.path(), &["--emit", "llvm"]);
    hydride(folder.path(), &["query", "--out", "out", "add"])
        .exits(3)
        .complains(&["classes.json", "`dialect`"]);
    generate(&samples(), folder.path(), &["--emit", "dialect"]);
    hydride(folder.path(), &["query", "--out", "out", "add"])
        .exits(3)
        .complains(&["lowering.json", "`llvm`"]);
}

/// The places in the first column of a page's tables.
fn listed(page: &str) -> Vec<&str> {
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    rows.flat_map(|row| row.split('|').nth(1).unwrap_or_default().split('`').skip(1).step_by(2)).collect()
}

/// Whether a listed place is this file: its path, a folder above it, or a pattern with one star.
fn is_at(path: &str, place: &str) -> bool {
    match place.split_once('*') {
        Some((start, end)) => path.starts_with(start) && path.ends_with(end),
        None => path == place || (place.ends_with('/') && path.starts_with(place)),
    }
}

#[test]
fn the_page_lists_the_files_and_no_others() {
    let folder = scratch();
    let check = |out: &Path| {
        let page = std::fs::read_to_string(out.join(README)).unwrap();
        let places = listed(&page);
        assert_eq!(places.iter().collect::<BTreeSet<_>>().len(), places.len(), "a file is listed twice");
        let paths: Vec<String> = files(out).into_keys().collect();
        for place in &places {
            assert!(paths.iter().any(|path| is_at(path, place)), "{place} is not there");
        }
        // The report's pages are opened through the first one.
        let internal = |path: &str| path == README || path.starts_with("report/");
        for path in paths.iter().filter(|path| !internal(path)) {
            assert!(places.iter().any(|place| is_at(path, place)), "{path} is not described");
        }
        page
    };
    for specs in document_folders() {
        let out = shared_output(&specs, ALL);
        let page = check(&out);
        assert!(page.starts_with("<!-- Generated by `cargo xtask generate-ir`; do not edit. -->\n"));
        let summary = read_json(&out.join("summary.json"));
        let operations = read_json(&out.join("dictionary.json"))["operations"].as_array().unwrap().len();
        let (families, members) = (&summary["classes"]["all"], &summary["members"]["total"]);
        let figures = format!("{operations} operations in {families} families, which {members} instructions");
        assert!(page.contains(&figures), "{figures}");
        let (entries, modelled) =
            (&summary["ledger"]["x86"]["entries"], &summary["ledger"]["x86"]["modelled"]);
        assert!(page.contains(&format!("| x86 | {entries} | {modelled} |\n")));
        assert!(!page.contains("\n\n\n") && !page.contains("{%") && page.ends_with('\n'), "{page}");
    }
    for (group, _) in GROUPS.iter().step_by(if is_full() { 1 } else { 4 }) {
        let page = check(&generate(&samples(), folder.path(), &["--emit", group]));
        assert!(!page.contains("\n\n\n") && !page.contains("hydride query"), "{page}");
    }
    // The definitions are for one release of LLVM alone.
    let page = check(&generate(&samples(), folder.path(), &["--llvm", "21"]));
    assert!(page.contains("mlir-opt-21") && !page.contains("-19"), "{page}");
}

/// The lines of a page's blocks of commands.
fn commands(page: &str) -> Vec<&str> {
    let blocks = page.split("\n```text\n").skip(1);
    blocks.flat_map(|block| block.split("\n```").next().unwrap_or_default().lines()).collect()
}

#[test]
fn commands_of_the_page_work() {
    let out = shared_output(&samples(), ALL);
    let page = std::fs::read_to_string(out.join(README)).unwrap();
    let paths = path_with_hydride();
    let missing = |program: &str| {
        let found = std::env::split_paths(&paths).any(|folder| folder.join(program).is_file());
        if !found {
            skip(&format!("{program} is not there"));
        }
        !found
    };
    let mut done = BTreeSet::new();
    // Programs, and questions to solvers, are the reader's.
    for line in
        commands(&page).into_iter().filter(|line| !line.contains("program.") && !line.contains("question."))
    {
        let program = line.split(' ').next().unwrap();
        if program == "cmake"
            || missing(program)
            || (line.contains("llvm-config-19") && missing("llvm-config-19"))
        {
            continue;
        }
        let line = line.replace("INSTRUCTION", "_mm_add_epi8").replace("OTHER_FOLDER", ".");
        let line = line.replace("-o relations.svg", "-o /dev/null");
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("{line} > /dev/null")]).current_dir(&out).env("PATH", &paths);
        let run = Run::new(shell.env_remove("HYDRIDE_LOG").output().expect("a shell"));
        assert_eq!(run.code, Some(0), "{line}\n{}", run.stderr);
        done.insert(program);
    }
    assert!(done.contains("hydride"), "{done:?}");
}
