//! `hydride prove`, and a sample of its questions passed to a solver that shares nothing with Z3.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::*;
use serde_json::Value;

/// Questions in the sample.
fn sample_size() -> &'static str {
    if is_full() { "500" } else { "150" }
}
/// Time for one question in milliseconds.
const LIMIT: &str = "2000";

/// Where `cargo xtask test` puts Bitwuzla's Python module.
fn solver() -> Option<PathBuf> {
    let folder = repository().join("target/bitwuzla");
    let works = Command::new("python3")
        .args(["-c", "import sys; sys.path.insert(0, sys.argv[1]); import bitwuzla"])
        .arg(&folder)
        .stderr(Stdio::null())
        .status();
    if works.is_ok_and(|status| status.success()) {
        return Some(folder);
    }
    skip("no Bitwuzla in target/bitwuzla (`cargo xtask test` brings it)");
    None
}

/// Verdict and path of each question.
fn ask(solver: &Path, questions: &[PathBuf]) -> Vec<(String, String)> {
    let mut child = Command::new("python3")
        .arg(repository().join("hydride/tests/cli/second_solver.py"))
        .arg(solver)
        .arg(LIMIT)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python starts");
    let lines: Vec<String> = questions.iter().map(|path| path.display().to_string()).collect();
    child.stdin.take().unwrap().write_all(lines.join("\n").as_bytes()).expect("python reads");
    let output = child.wait_with_output().expect("python ends");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    let verdicts = String::from_utf8_lossy(&output.stdout);
    let verdict = |line: &str| line.split_once(' ').map(|(verdict, path)| (verdict.into(), path.into()));
    verdicts.lines().filter_map(verdict).collect()
}

fn export(specs: &Path, folder: &Path, extra: &[&str]) -> (Run, Value) {
    let specs = specs.to_string_lossy();
    let mut args = vec!["prove", "--specs", &specs, "--export", "questions"];
    args.extend(extra);
    let run = hydride(folder, &args).exits(0);
    (run, read_json(&folder.join("questions/index.json")))
}

#[test]
fn every_membership_of_the_samples_is_shown_and_written_out() {
    let folder = scratch();
    let (run, index) = export(&samples(), folder.path(), &[]);
    assert!(!run.stdout.contains("FAILED"), "{}", run.stdout);
    // Every membership is counted by how often it is shown, and those shown once have a line each.
    let once = run.stdout.lines().filter(|line| line.starts_with("once ")).count();
    let sum = run.stdout.lines().find(|line| line.contains(" are shown by both ways, ")).unwrap();
    let numbers: Vec<usize> = sum.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [twice, total, alone, failed] = numbers[..] else { panic!("{sum}") };
    assert_eq!((twice + alone, alone, failed), (total, once, 0), "{sum}");
    let queries = index["queries"].as_array().unwrap();
    let total: usize = run
        .stdout
        .lines()
        .find_map(|line| line.strip_suffix(" questions in questions")?.parse().ok())
        .unwrap();
    assert_eq!(queries.len(), total);
    assert!(total > 100);
    let exported = files(&folder.path().join("questions"));
    assert_eq!(exported.len(), total + 1);
    for query in queries {
        let text = &exported[query["file"].as_str().unwrap()];
        assert_eq!(blake3::hash(text.as_bytes()).to_hex().as_str(), query["blake3"]);
        let logic = ["(set-logic QF_BV)", "(set-logic QF_UFBV)"];
        assert!(logic.iter().any(|logic| text.contains(logic)) && text.ends_with("(check-sat)\n"));
    }
    // Only one operation, and a name that is none.
    let class = queries[0]["class"].as_str().unwrap();
    let (_, one) = export(&samples(), folder.path(), &["--class", class]);
    let one = one["queries"].as_array().unwrap();
    assert!(!one.is_empty() && one.iter().all(|query| query["class"] == class));
    let specs = samples();
    hydride(folder.path(), &["prove", "--specs", &specs.to_string_lossy(), "--class", "no such"]).exits(2);
    // A folder with other contents is left untouched.
    std::fs::create_dir(folder.path().join("mine")).unwrap();
    std::fs::write(folder.path().join("mine/file"), "mine").unwrap();
    let args = ["prove", "--specs", &specs.to_string_lossy(), "--class", class, "--export", "mine"];
    hydride(folder.path(), &args).exits(2);
}

#[test]
fn a_second_solver_finds_no_difference() {
    let Some(solver) = solver() else { return };
    let quick = std::env::var_os("HYDRIDE_QUICK").is_some();
    let specs = if quick { samples() } else { vendor_documents().unwrap_or_else(samples) };
    let folder = scratch();
    let (_, index) = export(&specs, folder.path(), &["--sample", sample_size(), "--seed", "500"]);
    let queries = index["queries"].as_array().unwrap();
    let path = |query: &Value| folder.path().join("questions").join(query["file"].as_str().unwrap());
    let sample: Vec<PathBuf> = queries.iter().map(path).collect();
    let verdicts = ask(&solver, &sample);
    assert_eq!(verdicts.len(), sample.len());
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (verdict, path) in &verdicts {
        assert_ne!(verdict, "sat", "{path}");
        *counts.entry(verdict).or_default() += 1;
    }
    note(&format!("of {} questions none differs; {counts:?} (unknown: time limit)", sample.len()));
    // The solver does look: a changed question has a model.
    let path =
        sample.iter().find(|path| std::fs::read_to_string(path).is_ok_and(|text| text.contains("bvadd")));
    let path = path.expect("a sum in the sample");
    let text = std::fs::read_to_string(path).unwrap();
    let at = text.find("bvadd").unwrap();
    std::fs::write(path, format!("{}bvsub{}", &text[..at], &text[at + 5..])).unwrap();
    assert_eq!(ask(&solver, std::slice::from_ref(path))[0].0, "sat", "{}", path.display());
}
