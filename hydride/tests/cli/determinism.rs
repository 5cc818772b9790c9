//! The same documents give the same bytes, and `--check` notices others.

use std::path::{Path, PathBuf};

use crate::support::*;

/// `--check` on the folder `out` below `folder`.
fn check(specs: &Path, folder: &Path) -> Run {
    let specs = specs.to_string_lossy();
    hydride(folder, &["generate-ir", "--specs", &specs, "--isa", "x86", "--check"])
}

#[track_caller]
fn assert_same(left: &Path, right: &Path) {
    let (left, right) = (timeless_files(left), timeless_files(right));
    assert_eq!(left.keys().collect::<Vec<_>>(), right.keys().collect::<Vec<_>>());
    for (name, contents) in &left {
        assert!(*contents == right[name], "{name} differs");
    }
}

#[test]
fn outputs_are_the_same_in_every_run_and_for_any_number_of_threads() {
    // The vendors' documents are run with several numbers of threads in the tests of the cache.
    let specs = samples();
    let folders = [scratch(), scratch(), scratch()];
    let jobs: [&[&str]; 3] = [&[], &["--jobs", "1"], &["--jobs", "2"]];
    let outs: Vec<PathBuf> =
        folders.iter().zip(jobs).map(|(folder, jobs)| generate(&specs, folder.path(), jobs)).collect();
    assert_same(&outs[0], &outs[1]);
    assert_same(&outs[0], &outs[2]);
    let locks = folders.each_ref().map(|folder| std::fs::read(folder.path().join("autollvm.lock")).unwrap());
    assert!(locks[0] == locks[1] && locks[0] == locks[2], "autollvm.lock differs");
    assert_eq!(read_json(&outs[1].join("summary.json"))["jobs"], 1);
    assert_eq!(read_json(&outs[2].join("summary.json"))["jobs"], 2);

    // Again in the first folder, now with a lock file and an output folder there.
    let before = timeless_files(&outs[0]);
    generate(&specs, folders[0].path(), &[]);
    assert!(timeless_files(&outs[0]) == before, "a second run changes the outputs");
    assert_eq!(std::fs::read(folders[0].path().join("autollvm.lock")).unwrap(), locks[0]);
    let left: Vec<String> = std::fs::read_dir(folders[0].path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name != "out" && name != "autollvm.lock")
        .collect();
    assert!(left.is_empty(), "left behind: {left:?}");
}

#[test]
fn fresh_outputs_pass_the_check() {
    let folder = scratch();
    let out = generate(&samples(), folder.path(), &[]);
    let before = files(&out);
    let run = check(&samples(), folder.path()).exits(0);
    assert_eq!(run.stdout, "");
    assert!(files(&out) == before, "--check writes nothing");
}

#[test]
fn the_check_names_the_file_and_the_line_of_a_change() {
    let folder = scratch();
    let out = generate(&samples(), folder.path(), &[]);
    let path = out.join("ir/x86.hir");
    let text = std::fs::read_to_string(&path).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines[6] = "# something else";
    std::fs::write(&path, lines.join("\n") + "\n").unwrap();
    let before = files(&out);
    let run = check(&samples(), folder.path()).exits(1);
    let told: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(told[0], "ir/x86.hir: differs");
    // Two lines of context stand before the seventh.
    assert_eq!(told[3], "@@ -5,5 +5,5 @@");
    assert_eq!(told[6], "-# something else");
    assert!(told[7].starts_with('+') && told.len() == 10, "{told:?}");
    assert!(files(&out) == before, "--check writes nothing");
}

#[test]
fn the_check_names_cut_removed_and_foreign_files() {
    let folder = scratch();
    let out = generate(&samples(), folder.path(), &[]);
    let text = std::fs::read_to_string(out.join("ledger.jsonl")).unwrap();
    let lines = text.lines().count();
    std::fs::write(out.join("ledger.jsonl"), &text[..text.trim_end().rfind('\n').unwrap() + 1]).unwrap();
    std::fs::remove_file(out.join("classes.json")).unwrap();
    std::fs::write(out.join("llvm/Old.td"), "// old\n").unwrap();
    let run = check(&samples(), folder.path()).exits(1);
    let told = |file: &str| {
        let found: Vec<&str> =
            run.stdout.lines().filter_map(|line| line.strip_prefix(&format!("{file}: "))).collect();
        assert_eq!(found.len(), 1, "{file} in {}", run.stdout);
        found[0].to_owned()
    };
    assert_eq!(told("ledger.jsonl"), "differs");
    assert!(run.stdout.contains(&format!("@@ -{},2 +{0},3 @@", lines - 2)), "{}", run.stdout);
    assert_eq!(told("classes.json"), "missing");
    assert_eq!(told("llvm/Old.td"), "no longer generated");
    assert!(run.stderr.contains("3 files are not what would be written"), "{}", run.stderr);
}

#[test]
fn the_check_of_a_missing_folder_differs() {
    let folder = scratch();
    let run = check(&samples(), folder.path()).exits(1);
    assert!(run.stdout.contains("classes.json"), "{}", run.stdout);
    assert!(!folder.path().join("out").exists());
    assert!(!folder.path().join("autollvm.lock").exists());
}

#[test]
fn a_change_of_the_document_is_a_difference() {
    let folder = scratch();
    let entry = good_entry("_mm_one");
    let specs = specs_with(folder.path(), document(std::slice::from_ref(&entry)));
    generate(&specs, folder.path(), &[]);
    check(&specs, folder.path()).exits(0);
    specs_with(folder.path(), document(&[entry.replace("AND", "OR")]));
    let run = check(&specs, folder.path()).exits(1);
    assert!(run.stdout.contains("ir/x86.hir"), "{}", run.stdout);
}
