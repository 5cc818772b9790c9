//! `hydride search` as a user sees it.

use std::path::Path;

use crate::support::{hydride, repository, samples, scratch, vendor_documents};

const ZERO: &str =
    "name = \"zero\"\nelement = 32\n[[input]]\nname = \"x\"\n[[output]]\nname = \"y\"\neach = \"0\"\n";

/// Searches for a goal over the sample documents.
fn search(folder: &Path, goal: &str, more: &[&str]) -> crate::support::Run {
    std::fs::write(folder.join("goal.toml"), goal).expect("a file");
    let specs = samples().display().to_string();
    let mut args = vec!["search", "--specs", &specs, "--extensions", "SSE2", "goal.toml"];
    args.extend(more);
    hydride(folder, &args)
}

#[test]
fn a_register_is_zeroed_with_what_the_samples_have() {
    let folder = scratch();
    let run = search(folder.path(), ZERO, &["--all", "--run", "100"]).exits(0);
    assert!(run.stdout.contains("zero on SSE2: 1 instructions"), "{}", run.stdout);
    assert!(run.stdout.contains("pxor xmm0, xmm0"), "{}", run.stdout);
    let machine = run.stderr.contains("agree with the goal on 100 inputs") || run.stderr.contains("not run");
    assert!(machine, "{}{}", run.stdout, run.stderr);
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let goal = ZERO.replace("each = \"0\"", "each = \"x[n - 1 - i] + x[i]\"");
    let folder = scratch();
    let run = |threads: &str| {
        std::fs::write(folder.path().join("goal.toml"), &goal).expect("a file");
        let specs = samples().display().to_string();
        // The samples' addition is of bytes: only what moves bytes and adds them.
        let args = ["search", "--specs", &specs, "--extensions", "SSE2", "--max-length", "2", "goal.toml"];
        let output = crate::support::command(folder.path(), &args).env("RAYON_NUM_THREADS", threads).output();
        String::from_utf8(output.expect("the binary starts").stdout).expect("a text")
    };
    assert_eq!(run("1"), run("3"));
}

#[test]
fn json_names_the_steps() {
    let folder = scratch();
    let run = search(folder.path(), ZERO, &["--emit", "json", "--only", "pxor"]).exits(0);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(report["solutions"][0]["cost"], 1);
    assert_eq!(report["solutions"][0]["steps"][0]["operands"], serde_json::json!([0, 0]));
}

#[test]
fn sequences_of_operations_call_definitions() {
    let folder = scratch();
    let specs = samples().display().to_string();
    hydride(folder.path(), &["generate-ir", "--specs", &specs]).exits(0);
    let emitted = || search(folder.path(), ZERO, &["--emit", "autollvm", "--only", "pxor", "--out", "out"]);
    let run = emitted().exits(0);
    assert!(run.stdout.contains(" @autollvm."), "{}", run.stdout);
    // An instruction without a definition has no place in a sequence of operations.
    let path = folder.path().join("out/llvm/lowering.json");
    let mut table = crate::support::read_json(&path);
    for row in table["lowerings"].as_array_mut().expect("rows") {
        row["function"] = serde_json::Value::Null;
    }
    std::fs::write(&path, table.to_string()).expect("a file");
    let run = emitted();
    assert!(run.stderr.contains("has no AutoLLVM definition"), "{}{}", run.stdout, run.stderr);
}

#[test]
fn what_was_not_found_is_a_finding() {
    let folder = scratch();
    let goal = ZERO.replace("each = \"0\"", "each = \"x[i] * x[i] * x[i] + 12345\"");
    let run = search(folder.path(), &goal, &["--max-length", "1"]).exits(1);
    assert!(run.stdout.contains("needs more than 1 instructions"), "{}", run.stdout);
    // What was not tried is reported with the reason.
    assert!(run.stdout.contains("not tried: "), "{}", run.stdout);
}

#[test]
fn a_bad_goal_is_refused_with_its_place() {
    let folder = scratch();
    let cases: [(&str, &str); 15] = [
        ("", "goal.toml:1:1: missing field"),
        ("name = \"x\"\nelement = [\n", "goal.toml:"),
        ("name = \"a b\"\nelement = 32\n", "must consist of letters"),
        ("name = \"x\"\nelement = 32\n", "at least one [[output]]"),
        ("name = \"x\"\nelement = 32\ncolour = 1\n", "goal.toml:3:1: unknown field `colour`"),
        (
            "name = \"x\"\nelement = 0\n[[output]]\nname = \"y\"\neach = \"0\"\n",
            "goal.toml:2:11: elements of 0 bits",
        ),
        (
            "name = \"x\"\nelement = 32\n[[output]]\nname = \"y\"\neach = \"1 + z[0]\"\n",
            "goal.toml:5:13: there is no input `z`",
        ),
        (
            "name = \"x\"\nelement = 32\n[[output]]\nname = \"y\"\neach = \"1 +\"\n",
            "goal.toml:5:12: expected a number",
        ),
        (
            "name = \"x\"\nelement = 32\nwidth = 4294967295\n[[output]]\nname = \"y\"\neach = \"0\"\n",
            "a width of 4294967295 bits",
        ),
        ("\u{0}\u{1}][=", "goal.toml:1:3: key with no value"),
        (
            "name = \"x\"\nelement = 32\n[[input]]\nname = \"a\"\nclass = \"mmx\"\n",
            "goal.toml:5:9: unknown variant `mmx`",
        ),
        (
            "name = \"x\"\nelement = 32\nwidth = 100\n[[output]]\nname = \"y\"\neach = \"0\"\n",
            "a width of 100 bits",
        ),
        (
            "name = \"x\"\nelement = 32\n[[output]]\nname = \"y\"\neach = \"0\"\n[search]\ngranularity = 12\n",
            "granularity 12: elements have whole bytes",
        ),
        (
            "name = \"x\"\nelement = 32\n[[output]]\nname = \"y\"\neach = \"0\"\n[search]\ndomain = \"z\"\n",
            "domain `z` is neither",
        ),
        (
            "name = \"x\"\nelement = 32\n[[input]]\nname = \"a\"\n[[output]]\nname = \"y\"\neach = \"a[i + n]\"\n",
            "`a` has elements 0 to 3, not 4",
        ),
    ];
    for (goal, message) in cases {
        search(folder.path(), goal, &[]).exits(3).complains(&[message]);
    }
    std::fs::write(folder.path().join("bytes.toml"), b"name = \"x\"\n\xff").expect("a file");
    let specs = samples().display().to_string();
    hydride(folder.path(), &["search", "--specs", &specs, "bytes.toml"])
        .exits(3)
        .complains(&["bytes.toml:2:1"]);
    hydride(folder.path(), &["search", "--specs", &specs, "none.toml"]).exits(3).complains(&["none.toml"]);
    hydride(folder.path(), &["search"]).exits(2);
    search(folder.path(), ZERO, &["--isa", "z80"]).exits(2).complains(&["unknown instruction set"]);
    search(folder.path(), ZERO, &["--extensions", "SSE2,SSE99"]).exits(2).complains(&["extension SSE99"]);
    search(folder.path(), ZERO, &["--only", "[a"]).exits(2).complains(&["[a"]);
    search(folder.path(), ZERO, &["--cost", "uops"]).exits(2).complains(&["--cpu"]);
    search(folder.path(), ZERO, &["--cost", "uops", "--cpu", "z80"]).exits(2).complains(&["no costs of z80"]);
}

/// A goal that no short sequence reaches.
const FAR: &str = "name = \"far\"\nelement = 8\n[[input]]\nname = \"x\"\n[[input]]\nname = \"z\"\n[[output]]\nname = \"y\"\n\
                   each = \"x[n - 1 - i] * z[i] + x[i] * x[i] * z[n - 1 - i] + 77\"\n[search]\ndomain = \"all\"\n";

#[test]
fn what_a_time_limit_cuts_off_says_how_far_it_came() {
    let folder = scratch();
    let run = search(folder.path(), FAR, &["--max-length", "30", "--time", "1"]).exits(1);
    assert!(run.stdout.contains("far on SSE2: needs more than"), "{}", run.stdout);
    assert!(run.stderr.contains("ended early"), "{}", run.stderr);
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_a_search_with_what_it_has() {
    let folder = scratch();
    std::fs::write(folder.path().join("goal.toml"), FAR).expect("a file");
    let specs = samples().display().to_string();
    let args = ["search", "--specs", &specs, "--extensions", "SSE2", "--max-length", "30", "goal.toml"];
    for signal in ["-INT", "-TERM"] {
        ends(folder.path(), &args, signal);
    }
}

/// A search that has found nothing ends at a signal with exit code 1, and says how far it came.
#[cfg(unix)]
fn ends(folder: &Path, args: &[&str], signal: &str) {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;

    let mut child = crate::support::command(folder, args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    // The search starts when the documents are read.
    let mut errors = BufReader::new(child.stderr.take().expect("its errors"));
    let mut line = String::new();
    while errors.read_line(&mut line).expect("a line") > 0 && !line.contains("parse") {
        line.clear();
    }
    std::thread::sleep(std::time::Duration::from_millis(500));
    let killed = std::process::Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(killed.expect("kill starts").success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).expect("a text");
    assert!(text.contains("far on SSE2: needs more than"), "{text}");
}

#[test]
fn what_is_found_is_told_at_once_and_once() {
    let folder = scratch();
    let run = search(folder.path(), ZERO, &["--all", "--only", "pxor"]).exits(0);
    assert_eq!(run.stderr.matches("found ").count(), 1, "{}", run.stderr);
    run.complains(&["pxor xmm0, xmm0"]);
}

#[test]
fn a_second_search_reads_no_documents() {
    let folder = scratch();
    let run = || search(folder.path(), ZERO, &["--all", "--cache", "kept"]).exits(0);
    let first = run();
    let kept = std::fs::read(folder.path().join("kept")).expect("a cache");
    let second = run();
    assert_eq!(first.stdout, second.stdout);
    // Nothing was made anew, or it would have been kept again.
    assert!(kept == std::fs::read(folder.path().join("kept")).expect("a cache"));
}

#[test]
fn tables_of_several_registers_are_steps() {
    let Some(specs) = vendor_documents().filter(|specs| specs.join("arm").is_dir()) else { return };
    let specs = specs.display().to_string();
    let folder = scratch();
    let input = |name: &str| format!("[[input]]\nname = \"{name}\"\n");
    // The elements of a, b and c in this order, 0 above them.
    let part = |(at, name): (usize, &str)| format!("sum(j, 0, 16, k[i] == j + {} ? {name}[j] : 0)", 16 * at);
    let each = ["a", "b", "c"].into_iter().enumerate().map(part).collect::<Vec<_>>().join(" + ");
    let inputs = ["c", "a", "k", "b"].map(input).concat();
    let goal =
        format!("name = \"look-up\"\nelement = 8\n{inputs}[[output]]\nname = \"y\"\neach = \"{each}\"\n");
    std::fs::write(folder.path().join("goal.toml"), goal).expect("a file");
    let args =
        ["search", "--specs", &specs, "--isa", "arm", "--only", "tbl,add,ext", "--run", "100", "goal.toml"];
    let run = hydride(folder.path(), &args).exits(0);
    assert!(run.stdout.contains("look-up on Neon: 1 instructions"), "{}", run.stdout);
    // Inputs are put where the list of registers wants them.
    assert!(run.stdout.contains("; in: c = v2, a = v0, k = v3, b = v1"), "{}", run.stdout);
    assert!(run.stdout.contains("tbl v0.16b, { v0.16b, v1.16b, v2.16b }, v3.16b"), "{}", run.stdout);
    assert!(!run.stderr.contains("0 of 1 sequences agree"), "{}", run.stderr);
}

#[test]
fn no_two_sequences_print_the_same() {
    let Some(specs) = vendor_documents().filter(|specs| specs.join("arm").is_dir()) else { return };
    let specs = specs.display().to_string();
    let folder = scratch();
    let goal = repository().join("specs/goals/all-ones.toml").display().to_string();
    // Greater with its operands exchanged is less: one machine instruction with two intrinsics.
    let args = ["search", "--specs", &specs, "--isa", "arm", "--all", "--emit", "json", &goal];
    let run = hydride(folder.path(), &args).exits(0);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    let printed: Vec<String> = report["solutions"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| one["assembly"].to_string())
        .collect();
    let different: std::collections::BTreeSet<&String> = printed.iter().collect();
    assert!(!printed.is_empty());
    assert_eq!(different.len(), printed.len());
}

#[test]
fn the_results_of_the_note_come_from_the_vendors_document() {
    let Some(specs) = vendor_documents() else { return };
    let specs = specs.display().to_string();
    let goals = repository().join("specs/goals");
    let folder = scratch();
    let run = |goal: &str, more: &[&str]| {
        let goal = goals.join(goal).display().to_string();
        let mut args = vec!["search", "--specs", &specs, "--extensions", "SSE2", "--all", &goal];
        args.extend(more);
        hydride(folder.path(), &args).exits(0).stdout
    };
    let has = |text: &str, lines: &[&str]| {
        let lines: Vec<String> = lines.iter().map(|line| format!("    {line}")).collect();
        assert!(text.contains(&lines.join("\n")), "{text}");
    };
    has(&run("zero.toml", &[]), &["pxor xmm0, xmm0"]);
    has(&run("all-ones.toml", &[]), &["pcmpeqd xmm0, xmm0"]);
    has(&run("broadcast.toml", &[]), &["movd xmm0, edi", "pshufd xmm0, xmm0, 0"]);
    let unpacks = ["movd xmm0, edi", "punpckldq xmm0, xmm0", "punpcklqdq xmm0, xmm0"];
    has(&run("broadcast.toml", &["--without", "pshuf*,shuf*"]), &unpacks);
    // Six of the note's instructions, so that the test is quick.
    let sum = run("horizontal-sum.toml", &["--only", "psrldq,paddd"]);
    assert!(sum.contains("6 instructions"), "{sum}");
    has(&sum, &["movdqa xmm1, xmm0", "psrldq xmm1, 4"]);
}

/// A goal over what is in memory.
fn in_memory(width: u32, element: u32, each: &str) -> String {
    format!(
        "name = \"load\"\nelement = {element}\nwidth = 128\n[[input]]\nname = \"x\"\nclass = \"memory\"\nwidth = {width}\n\
         [[output]]\nname = \"y\"\neach = \"{each}\"\n"
    )
}

#[test]
fn loads_are_steps_where_a_goal_has_operands_in_memory() {
    let folder = scratch();
    let run = |specs: &Path, set: &[&str], goal: &str, more: &[&str]| {
        std::fs::write(folder.path().join("goal.toml"), goal).expect("a file");
        let specs = specs.display().to_string();
        let args = [&["search", "--specs", &specs, "goal.toml"], set, more].concat();
        hydride(folder.path(), &args)
    };
    let sse3 = ["--extensions", "SSE3"];
    // All of it, and its first half twice.
    let own = in_memory(128, 64, "x[i]");
    let found = run(&samples(), &sse3, &own, &["--emit", "c", "--run", "50"]).exits(0);
    let is_load = found.stdout.contains("1 instructions") && found.stdout.contains("(const void * x)");
    assert!(is_load, "{}", found.stdout);
    assert!(found.stderr.contains("agree with the goal on 50 inputs"), "{}", found.stderr);
    let found = run(&samples(), &sse3, &in_memory(128, 64, "x[0]"), &["--run", "50"]).exits(0);
    assert!(found.stdout.contains("xmm0, [r15]"), "{}", found.stdout);
    assert!(found.stderr.contains("agree with the goal on 50 inputs"), "{}", found.stderr);
    // No load is longer than what there is.
    let narrow = in_memory(64, 64, "i == 0 ? x[0] : 0");
    let found = run(&samples(), &sse3, &narrow, &["--max-length", "1"]);
    assert!(!found.stdout.contains("movdqu"), "{}", found.stdout);
    let stored = narrow.replace("name = \"y\"", "name = \"y\"\nclass = \"memory\"");
    let refused = run(&samples(), &sse3, &stored, &[]).exits(3);
    assert!(refused.stderr.contains("stores are not searched"), "{}", refused.stderr);
    let more: String =
        (0..8).map(|n| format!("[[input]]\nname = \"x{n}\"\nclass = \"memory\"\nwidth = 64\n")).collect();
    let refused = run(&samples(), &sse3, &(narrow + &more), &[]).exits(3);
    assert!(refused.stderr.contains("more than 8 inputs in memory"), "{}", refused.stderr);
}
