//! What `hydride diff` keeps changes how long it takes, and nothing else.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::support::*;

fn entries(operators: [&str; 3]) -> String {
    let entry = |(number, operator): (usize, &&str)| {
        entry(&format!("_mm_{number}"), &format!("dst[127:0] := a[127:0] {operator} b[127:0]"))
    };
    document(&operators.iter().enumerate().map(entry).collect::<Vec<_>>())
}

/// Two documents in which one entry has another meaning.
fn documents(folder: &Path) {
    std::fs::write(folder.join("old.xml"), entries(["AND", "OR", "XOR"])).expect("a file");
    std::fs::write(folder.join("new.xml"), entries(["AND", "OR", "AND"])).expect("a file");
}

fn diff(folder: &Path, flags: &[&str]) -> Run {
    let mut args = vec!["diff", "old.xml", "new.xml"];
    if !flags.contains(&"--no-cache") {
        args.extend(["--cache", "kept.redb"]);
    }
    args.extend(flags);
    hydride(folder, &args).exits(1)
}

/// Whether an earlier run's report was taken as it is.
fn reused(run: &Run) -> bool {
    run.stderr.contains("an earlier run has compared the same")
}

/// How often operations were looked for.
fn classified(run: &Run) -> usize {
    run.stderr.lines().filter(|line| line.trim_start().starts_with("similarity ")).count()
}

#[test]
fn warm_reports_are_those_of_cold_runs() {
    let folder = scratch();
    let folder = folder.path();
    documents(folder);
    let formats = ["text", "json", "markdown", "html"];
    let cold = formats.map(|format| diff(folder, &["--no-cache", "--format", format]));
    assert!(!folder.join("kept.redb").exists());
    let filling = diff(folder, &["--format", "text"]);
    assert!(!reused(&filling) && classified(&filling) == 2, "{}", filling.stderr);
    assert_eq!(filling.stdout, cold[0].stdout);
    for (format, cold) in formats.iter().zip(&cold) {
        let warm = diff(folder, &["--format", format]);
        assert!(reused(&warm) && classified(&warm) == 0, "{}", warm.stderr);
        assert_eq!(warm.stdout, cold.stdout, "{format}");
    }
    // The same documents under other names are the same question, answered with these names.
    std::fs::create_dir(folder.join("other")).expect("a folder");
    for name in ["old.xml", "new.xml"] {
        std::fs::copy(folder.join(name), folder.join("other").join(name)).expect("a copy");
    }
    let args = ["diff", "other/old.xml", "other/new.xml", "--cache", "kept.redb"];
    let moved = hydride(folder, &args).exits(1);
    assert!(reused(&moved), "{}", moved.stderr);
    assert_eq!(
        moved.stdout,
        cold[0].stdout.replace("old.xml", "other/old.xml").replace("new.xml", "other/new.xml")
    );
    // What is left out of a report is not left out of what is kept.
    let breaking = diff(folder, &["--breaking-only"]);
    assert!(reused(&breaking));
    assert_eq!(breaking.stdout, diff(folder, &["--no-cache", "--breaking-only"]).stdout);
}

#[test]
fn whatever_changes_is_noticed() {
    let folder = scratch();
    let folder = folder.path();
    documents(folder);
    diff(folder, &[]);
    // One document: the operations of the other one are known.
    std::fs::write(folder.join("new.xml"), entries(["AND", "XOR", "AND"])).expect("a file");
    let changed = diff(folder, &[]);
    assert!(!reused(&changed) && classified(&changed) == 1, "{}", changed.stderr);
    assert_eq!(changed.stdout, diff(folder, &["--no-cache"]).stdout);
    assert!(reused(&diff(folder, &[])));
    // Errata.
    let erratum = "[[erratum]]\nentry = \"_mm_1\"\nexchange = [\"a\", \"b\"]\n\
                   evidence = { cpu = \"one\", inputs = 10 }\nnote = \"exchanged\"\n";
    std::fs::write(folder.join("own.toml"), erratum).expect("a file");
    assert!(!reused(&diff(folder, &["--errata", "own.toml"])));
    // Families.
    std::fs::write(folder.join("own.txt"), "").expect("a file");
    assert!(!reused(&diff(folder, &["--dictionary", "own.txt"])), "no families instead of the built-in ones");
    assert!(reused(&diff(folder, &["--dictionary", "own.txt"])));
    let specs = specs_with(folder, entries(["AND", "OR", "XOR"]));
    generate(&specs, folder, &["--dictionary", "own.txt"]);
    assert!(!reused(&diff(folder, &["--dictionary", "own.txt"])));
    // Instruction sets.
    assert!(!reused(&diff(folder, &["--isa", "x86"])));
    // Who wants to hear more gets a whole run.
    assert!(!reused(&diff(folder, &["-v"])));
}

#[test]
fn a_cache_can_be_damaged_or_read_only() {
    let folder = scratch();
    let folder = folder.path();
    documents(folder);
    let cold = diff(folder, &[]);
    let kept = folder.join("kept.redb");
    let whole = std::fs::read(&kept).expect("the cache");
    let mut bits = whole.clone();
    bits[4096..].iter_mut().step_by(97).for_each(|byte| *byte ^= 0x10);
    for (name, bytes) in [("half", &whole[..whole.len() / 2]), ("garbage", b"no cache"), ("bits", &bits)] {
        std::fs::write(&kept, bytes).expect("a file");
        let again = diff(folder, &[]).complains(&["damaged"]);
        assert!(!reused(&again) && again.stdout == cold.stdout, "{name}");
        assert!(reused(&diff(folder, &[])), "{name}");
    }
    let mut permissions = std::fs::metadata(&kept).expect("the cache").permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&kept, permissions).expect("permissions");
    let used = diff(folder, &[]);
    assert!(reused(&used) && used.stdout == cold.stdout && !used.stderr.contains("damaged"));
    std::fs::create_dir(folder.join("folder.redb")).expect("a folder");
    let args = ["diff", "old.xml", "new.xml", "--cache", "folder.redb"];
    assert_eq!(hydride(folder, &args).exits(1).stdout, cold.stdout);
    hydride(folder, &["diff", "old.xml", "new.xml", "--cache", "x.redb", "--no-cache"]).exits(2);
}

#[test]
fn a_killed_run_leaves_nothing_that_is_wrong() {
    let folder = scratch();
    let folder = folder.path();
    documents(folder);
    let start = Instant::now();
    let cold = diff(folder, &["--no-cache"]);
    let whole = start.elapsed();
    for step in 0..10u32 {
        let args = ["diff", "old.xml", "new.xml", "--cache", "kept.redb"];
        let run = command(folder, &args).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let mut run = run.expect("the binary starts");
        std::thread::sleep(whole * step / 9 + Duration::from_millis(1));
        let _ = run.kill();
        run.wait().expect("the process ends");
        let after = diff(folder, &[]);
        assert_eq!(after.stdout, cold.stdout);
        assert!(!after.stderr.contains("damaged"), "{}", after.stderr);
        if step % 3 == 0 {
            let _ = std::fs::remove_file(folder.join("kept.redb"));
        }
    }
}
