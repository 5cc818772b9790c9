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
    assert_eq!(read_json(&outs[1].join("summary.json"))["jobs"], 1);
    assert_eq!(read_json(&outs[2].join("summary.json"))["jobs"], 2);

    // Again in the first folder, now with the families that are kept in the output folder there.
    let before = timeless_files(&outs[0]);
    generate(&specs, folders[0].path(), &[]);
    assert!(timeless_files(&outs[0]) == before, "a second run changes the outputs");
    let left: Vec<String> = std::fs::read_dir(folders[0].path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name != "out")
        .collect();
    assert!(left.is_empty(), "left behind: {left:?}");
}

/// Families, errata and records are those of the program, whatever lies in the folder where it is started; and nothing
/// but the output folder is written.
#[test]
fn outputs_do_not_depend_on_the_current_folder() {
    let families = repository().join("specs/dictionary/families.txt");
    let checked_in = std::fs::read(&families).unwrap();
    let (elsewhere, here) = (scratch(), scratch());
    // Traps: families, records and errata that nobody can read.
    for (folder, file) in [("dictionary", "families.txt"), ("validation", "x86.json"), ("errata", "x86.toml")]
    {
        std::fs::create_dir_all(elsewhere.path().join("specs").join(folder)).unwrap();
        std::fs::write(elsewhere.path().join("specs").join(folder).join(file), "{").unwrap();
    }
    let before = files(elsewhere.path());
    let (specs, root) = (samples(), repository());
    let text = specs.to_string_lossy();
    let outs = [here.path().join("one"), here.path().join("two")];
    for (folder, out) in [elsewhere.path(), root.as_path()].into_iter().zip(&outs) {
        let out = out.to_string_lossy();
        hydride(folder, &["generate-ir", "--specs", &text, "--isa", "x86", "--out", &out]).exits(0);
    }
    assert_same(&outs[0], &outs[1]);
    assert_eq!(files(elsewhere.path()), before);
    assert!(ledger(&outs[0]).iter().any(|line| line["trust"]["run"].is_object()), "no record counts");
    assert_eq!(class_of(&read_json(&outs[0].join("classes.json")), "_mm_add_epi8"), "add");
    assert!(std::fs::read(&families).unwrap() == checked_in, "a run has changed the checked-in families");
    // Other records than the built-in ones.
    let folder = scratch();
    std::fs::create_dir(folder.path().join("none")).unwrap();
    let out = generate(&specs, folder.path(), &["--records", "none"]);
    assert!(!ledger(&out).iter().any(|line| line["trust"]["run"].is_object()));
    std::fs::write(folder.path().join("none/x86.json"), "{").unwrap();
    let args = ["generate-ir", "--specs", &text, "--isa", "x86", "--records", "none"];
    hydride(folder.path(), &args).exits(3).complains(&["x86.json"]);
}

/// Families that the built-in dictionary lacks stay with the output folder, or in the file of --dictionary.
#[test]
fn new_families_are_kept_with_the_outputs() {
    let folder = scratch();
    let odd = "dst[63:0] := (a[63:0] * 5) XOR ((b[63:0] * 3) OR (a[63:0] - 7))\ndst[127:64] := b[127:64] - 9";
    let specs = specs_with(folder.path(), document(&[entry("_own_odd", odd)]));
    let name = |out: &Path| class_of(&read_json(&out.join("classes.json")), "_own_odd");
    let rename = |families: &Path, old: &str, new: &str| {
        let text = std::fs::read_to_string(families).unwrap();
        let changed = text.replace(&format!("\nfamily {old}\n"), &format!("\nfamily {new}\n"));
        assert_ne!(changed, text, "{old} is in {}", families.display());
        std::fs::write(families, changed).unwrap();
    };
    let out = generate(&specs, folder.path(), &[]);
    let kept = std::fs::read_to_string(out.join("families.txt")).unwrap();
    assert!(
        kept.contains("\nfamily ") && !kept.contains("\nfamily add\n"),
        "the built-in families are not kept"
    );
    rename(&out.join("families.txt"), &name(&out), "kept_name");
    generate(&specs, folder.path(), &[]);
    assert_eq!(name(&out), "kept_name");
    check(&specs, folder.path()).exits(0);
    // A file begins with the built-in families, is written, and is read again.
    let own = folder.path().join("own.txt");
    generate(&specs, folder.path(), &["--dictionary", "own.txt"]);
    assert_ne!(name(&out), "kept_name");
    let text = std::fs::read_to_string(&own).unwrap();
    assert!(text.contains("\nfamily add\n"), "the built-in families");
    rename(&own, &name(&out), "own_name");
    let before = std::fs::read(&own).unwrap();
    generate(&specs, folder.path(), &["--dictionary", "own.txt", "--locked"]);
    assert_eq!(name(&out), "own_name");
    assert!(std::fs::read(&own).unwrap() == before);
    std::fs::write(&own, "").unwrap();
    generate(&specs, folder.path(), &["--dictionary", "own.txt"]);
    let text = std::fs::read_to_string(&own).unwrap();
    assert!(!text.contains("\nfamily add\n"), "an empty file has no families");
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
    // Two lines of context precede the seventh.
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
