//! `hydride synth` as a user sees it.

use crate::support::{hydride, repository, samples, scratch, vendor_documents};

#[test]
fn what_cannot_be_read_is_said_with_its_place() {
    let folder = scratch();
    let specs = samples().display().to_string();
    let leaf = r#"{"name":"a","type":"u8x16","kind":"dense"}"#;
    let window = format!(r#"{{"name":"w","target":"avx2","leaves":[{leaf}],"expr":"(plus:u8x16 a:u8x16)"}}"#);
    std::fs::write(folder.path().join("bad.jsonl"), format!("\n{window}\n")).expect("a file");
    let run = hydride(folder.path(), &["synth", "--specs", &specs, "bad.jsonl"]).exits(3);
    assert!(
        run.stderr.contains("bad.jsonl:2:") && run.stderr.contains("no operation `plus`"),
        "{}",
        run.stderr
    );
    hydride(folder.path(), &["synth", "--specs", &specs, "missing.jsonl"]).exits(3);
    let right = window.replace("(plus:u8x16 a:u8x16)", "(add:u8x16 a:u8x16 a:u8x16)");
    std::fs::write(folder.path().join("good.jsonl"), right).expect("a file");
    hydride(folder.path(), &["synth", "--specs", &specs, "--isa", "abacus", "good.jsonl"]).exits(2);
    hydride(folder.path(), &["synth"]).exits(2);
}

#[test]
fn answers_do_not_depend_on_the_number_of_threads() {
    let Some(specs) = vendor_documents().filter(|specs| specs.join("hvx").is_dir()) else { return };
    let folder = scratch();
    let windows = repository().join("specs/windows/samples.jsonl").display().to_string();
    let specs = specs.display().to_string();
    let run = |jobs: &str| {
        let args = [
            "synth",
            "--specs",
            &specs,
            "--isa",
            "hvx",
            "--matching",
            "--emit",
            "c",
            "--jobs",
            jobs,
            &windows,
        ];
        hydride(folder.path(), &args).exits(0).stdout
    };
    let one = run("1");
    assert!(one.contains("void window_weighted("), "{one}");
    assert_eq!(one, run("2"));
}

#[test]
fn the_samples_are_answered_and_agree_with_machines() {
    if let Some(specs) = vendor_documents() {
        let folder = scratch();
        let windows = repository().join("specs/windows/samples.jsonl").display().to_string();
        for (isa, target) in [("x86", "avx2"), ("arm", "neon"), ("hvx", "hvx")] {
            if !specs.join(isa).is_dir() {
                continue;
            }
            let specs = specs.display().to_string();
            let args = ["synth", "--specs", &specs, "--isa", target, "--matching", "--run", "500", &windows];
            let run = hydride(folder.path(), &args);
            assert!(!run.stderr.contains("Differs"), "{}", run.stderr);
            for line in run.stdout.lines() {
                let answer: serde_json::Value = serde_json::from_str(line).expect("JSON");
                assert_eq!(answer["status"], "proved", "{line}");
            }
            run.exits(0);
        }
    }
}
