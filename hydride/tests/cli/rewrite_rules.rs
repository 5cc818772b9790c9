//! `hydride rules` and `hydride select` as a user sees them.

use crate::support::{hydride, repository, scratch, vendor_documents};

fn lines(text: &str) -> Vec<serde_json::Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn rules_are_true_false_or_not_rules() {
    let folder = scratch();
    let rules = "(rule good (for n width) (from (add:u{n} a:u{n} b:u{n})) (to (add:u{n} b:u{n} a:u{n})))\n";
    let bad = "(rule bad (for n 8 16)\n  (from (sub:u{n} a:u{n} b:u{n})) (to (sub:u{n} b:u{n} a:u{n})))\n";
    std::fs::write(folder.path().join("good.rules"), rules).expect("a file");
    std::fs::write(folder.path().join("both.rules"), format!("{rules}{bad}")).expect("a file");
    std::fs::write(folder.path().join("none.rules"), "(rule x\n  (from (plus:u8 a:u8)))").expect("a file");
    let run = hydride(folder.path(), &["rules", "check", "good.rules"]).exits(0);
    assert_eq!(lines(&run.stdout)[0]["verdict"], "true");
    let run = hydride(folder.path(), &["rules", "check", "both.rules"]).exits(1);
    let found = lines(&run.stdout);
    assert_eq!((found[1]["verdict"].as_str(), found[1]["line"].as_u64()), (Some("false"), Some(2)));
    let example = &found[1]["instances"][0]["counterexample"];
    let value = |at: usize| example["values"][at][1].as_i64().expect("a value");
    assert_eq!(example["from"].as_i64(), Some((value(0) - value(1)).rem_euclid(256)), "{example}");
    assert_eq!(example["to"].as_i64(), Some((value(1) - value(0)).rem_euclid(256)), "{example}");
    let run = hydride(folder.path(), &["rules", "check", "none.rules"]).exits(3);
    assert!(run.stderr.contains("none.rules:2:10:"), "{}", run.stderr);
    hydride(folder.path(), &["rules", "check", "missing.rules"]).exits(3);
    hydride(folder.path(), &["rules", "check"]).exits(2);
}

#[test]
fn rules_are_shown_as_obligations_and_rewrites() {
    let folder = scratch();
    let lifting = repository().join("specs/rules/false.rules").display().to_string();
    hydride(folder.path(), &["rules", "show", "--format", "smtlib", "--out", "smt", &lifting]).exits(0);
    let text = std::fs::read_to_string(folder.path().join("smt/average_of_halves-8.smt2")).expect("a file");
    assert!(text.contains("(check-sat)") && text.contains("(set-logic QF_BV)"), "{text}");
    // What is not proved is no rewrite.
    hydride(folder.path(), &["rules", "show", "--format", "egglog", "--out", "e.egg", &lifting]).exits(1);
    let text = std::fs::read_to_string(folder.path().join("e.egg")).expect("a file");
    assert!(!text.contains("(rewrite"), "{text}");
    let good = "(rule good (for n 8) (constant c 1 3) (from (div:u{n} a:u{n} c:u{n})) (to (div:u{n} a:u{n} c:u{n})))";
    std::fs::write(folder.path().join("good.rules"), good).expect("a file");
    hydride(folder.path(), &["rules", "show", "--format", "egglog", "--out", "e.egg", "good.rules"]).exits(0);
    let text = std::fs::read_to_string(folder.path().join("e.egg")).expect("a file");
    assert!(text.contains("(rewrite (div \"u8\" a (Lit \"u8\" c))"), "{text}");
    assert!(text.contains("(>= c 1) (<= c 3)"), "{text}");
}

#[test]
fn rules_that_are_found_compile_windows() {
    let Some(specs) = vendor_documents().filter(|specs| specs.join("arm").is_dir()) else { return };
    let folder = scratch();
    let specs = specs.display().to_string();
    let patterns = "
        (rule absolute_difference (for s sign) (from (absd:u8 a:{s}8 b:{s}8)))
        (rule rounding_halving_add (for s sign) (from (rounding_halving_add:{s}8 a:{s}8 b:{s}8)))
        (rule shift_right (constant c 0 7) (from (shift_right:u8 a:u8 c:u8)))";
    std::fs::write(folder.path().join("own.rules"), patterns).expect("a file");
    let mine = |jobs: &str, out: &str| {
        let args = [
            "rules",
            "mine",
            "--specs",
            &specs,
            "--isa",
            "neon",
            "--patterns",
            "own.rules",
            "--cut",
            "0",
            "--jobs",
            jobs,
            "--out",
            out,
        ];
        hydride(folder.path(), &args);
        std::fs::read_to_string(folder.path().join(out)).expect("rules")
    };
    let rules = mine("1", "one.toml");
    assert_eq!(rules, mine("2", "two.toml"));
    let windows = repository().join("specs/windows/samples.jsonl").display().to_string();
    let args = [
        "select",
        "--specs",
        &specs,
        "--rules",
        "one.toml",
        "--matching",
        "--certify",
        "--run",
        "200",
        &windows,
    ];
    // Nothing rounds when it shifts in these rules, and there are no extrema, so that two of the windows are not covered.
    let run = hydride(folder.path(), &args).exits(1);
    let found = lines(&run.stdout);
    let status: Vec<_> = found.iter().map(|line| (line["name"].as_str(), line["status"].as_str())).collect();
    assert_eq!(
        status,
        [
            (Some("average"), Some("proved")),
            (Some("difference"), Some("proved")),
            (Some("narrow"), Some("exhausted")),
            (Some("narrow_and_max"), Some("exhausted"))
        ]
    );
    assert!(
        found[2]["notes"][0].as_str().is_some_and(|note| note.contains("rounding_shift_right")),
        "{}",
        found[2]
    );
    assert_eq!(found[0]["cost"]["uops"], 1);
    let run =
        hydride(folder.path(), &["rules", "run", "--specs", &specs, "--inputs", "2000", "one.toml"]).exits(0);
    assert!(run.stdout.contains(" 0 mismatches; 0 rules not run"), "{}", run.stdout);
    hydride(folder.path(), &["rules", "show", "--format", "markdown", "--out", "page.md", "one.toml"])
        .exits(0);
    let page = std::fs::read_to_string(folder.path().join("page.md")).expect("a page");
    assert!(page.contains("| `(absd:u8 a:u8 b:u8)` | 16 |"), "{page}");
    let run = hydride(folder.path(), &["rules", "table", "one.toml"]).exits(0);
    assert!(run.stdout.contains("| `rounding_halving_add` | 1 by other rules: i8 u8"), "{}", run.stdout);
    // A file that is not what `mine` writes is refused with its place.
    std::fs::write(folder.path().join("bad.toml"), "target = \"neon\"\nrules = 3\n").expect("a file");
    let run = hydride(folder.path(), &["select", "--rules", "bad.toml", &windows]).exits(3);
    assert!(run.stderr.contains("bad.toml:2:"), "{}", run.stderr);
}
