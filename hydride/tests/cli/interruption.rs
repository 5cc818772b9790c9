//! A run that is killed leaves the old outputs or the new ones, and the next run works.

#![cfg(unix)]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::support::*;

/// A document with many entries, so that there is something to write.
fn many(operator: &str) -> String {
    let entries: Vec<String> = (0..400)
        .map(|number| entry(&format!("_mm_{number}"), &format!("dst[127:0] := a[127:0] {operator} b[127:0]")))
        .collect();
    document(&entries)
}

/// The families are those of a file that stays as it is, so that a run does not depend on the ones before.
const ARGS: [&str; 8] =
    ["generate-ir", "--specs", "specs", "--isa", "x86", "--dictionary", "none.txt", "--locked"];

/// A folder with an empty dictionary.
fn scratch_with_dictionary() -> tempfile::TempDir {
    let folder = scratch();
    std::fs::write(folder.path().join("none.txt"), "").expect("a file");
    folder
}

/// The output folder has either the old or the new contents as a whole. On Linux it is exchanged in one step; elsewhere
/// it can be missing between two renames, with the old one next to it.
fn assert_old_or_new(folder: &Path, old: &BTreeMap<String, String>, new: &BTreeMap<String, String>) -> bool {
    let out = folder.join("out");
    assert!(out.exists() || !cfg!(target_os = "linux"), "the outputs are missing");
    let out = if out.exists() { out } else { folder.join(".out.hydride-old") };
    let present = timeless_files(&out);
    assert!(present == *old || present == *new, "{} is neither old nor new", out.display());
    serde_json::from_str::<serde_json::Value>(&files(&out)["summary.json"]).expect("a whole summary");
    present == *new
}

#[test]
fn a_killed_run_leaves_old_or_new_outputs() {
    let folder = scratch_with_dictionary();
    let folder = folder.path();
    let out = folder.join("out");
    let restart = |operator: &str| {
        specs_with(folder, many(operator));
        let start = Instant::now();
        hydride(folder, &ARGS).exits(0);
        (timeless_files(&out), start.elapsed())
    };
    let (new, _) = restart("OR");
    let (old, whole) = restart("AND");
    let mut finished = 0;
    let steps = (0..40u32).step_by(if is_full() { 1 } else { 3 });
    let count = steps.len();
    for step in steps {
        specs_with(folder, many("OR"));
        let mut child = command(folder, &ARGS)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary starts");
        if step % 2 == 0 {
            std::thread::sleep(whole * (step + 1) / 40);
        } else {
            // While it writes: the new folder is first made next to the old one.
            let until = Instant::now() + whole * 4;
            while !folder.join(".out.hydride-new").exists() && Instant::now() < until {
                std::thread::yield_now();
            }
            std::thread::sleep(Duration::from_micros(u64::from(step) * 25));
        }
        let _ = child.kill();
        child.wait().expect("the process ends");
        if assert_old_or_new(folder, &old, &new) {
            finished += 1;
        }
        // The next run works and leaves nothing behind.
        let (again, _) = restart("AND");
        assert!(again == old, "the run after the interruption");
        assert!(!folder.join(".out.hydride-new").exists() && !folder.join(".out.hydride-old").exists());
    }
    assert!(finished < count, "no run was interrupted");
}

#[test]
fn every_half_done_replacement_is_recovered() {
    let folder = scratch_with_dictionary();
    let folder = folder.path();
    specs_with(folder, many("AND"));
    hydride(folder, &ARGS).exits(0);
    let out = folder.join("out");
    let old = files(&out);

    // Killed while writing: the new folder is incomplete.
    std::fs::create_dir_all(folder.join(".out.hydride-new/ir")).unwrap();
    std::fs::write(folder.join(".out.hydride-new/ir/x86.hir"), "half").unwrap();
    hydride(folder, &ARGS).exits(0);
    assert!(!folder.join(".out.hydride-new").exists());

    // Killed between the renames: the outputs are there under another name, for `--check` too.
    std::fs::rename(&out, folder.join(".out.hydride-old")).unwrap();
    std::fs::create_dir_all(folder.join(".out.hydride-new")).unwrap();
    let failed = hydride(folder, &["generate-ir", "--specs", "nowhere", "--isa", "x86"]).exits(3);
    drop(failed);
    assert!(out.exists() || folder.join(".out.hydride-old").exists());
    hydride(folder, &ARGS).exits(0);
    assert_eq!(timeless_files(&out).len(), old.len() - 1);
    assert!(!folder.join(".out.hydride-new").exists() && !folder.join(".out.hydride-old").exists());

    // Killed before the old folder was removed.
    std::fs::create_dir_all(folder.join(".out.hydride-old")).unwrap();
    std::fs::write(folder.join(".out.hydride-old/summary.json"), "{}").unwrap();
    hydride(folder, &ARGS).exits(0);
    assert!(!folder.join(".out.hydride-old").exists());
}
