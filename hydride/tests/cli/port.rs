//! `hydride port` as a user sees it.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::{arm_and_x86, command, files, have_asl, hydride, is_full, modelled, samples, scratch};

#[test]
fn what_cannot_be_ported_is_said() {
    let folder = scratch();
    let specs = samples().display().to_string();
    hydride(folder.path(), &["port", "--specs", &specs, "--from", "abacus", "--to", "avx2"]).exits(2);
    hydride(folder.path(), &["port", "--specs", &specs, "--from", "arm", "--to", "abacus"]).exits(2);
    hydride(folder.path(), &["port", "--specs", &specs, "--from", "arm"]).exits(2);
    let args = ["port", "--specs", &specs, "--from", "arm", "--to", "avx2", "["];
    hydride(folder.path(), &args).exits(2);
    // A place for outputs that is no folder.
    std::fs::write(folder.path().join("file"), "").expect("a file");
    let args = ["port", "--specs", &specs, "--from", "arm", "--to", "avx2", "--out", "file", "vcombine_f32"];
    assert!(hydride(folder.path(), &args).exits(3).stderr.contains("cannot make file"));
    // A document that is cut off.
    let cut = folder.path().join("cut");
    std::fs::create_dir_all(cut.join("arm")).expect("a folder");
    std::fs::create_dir_all(cut.join("x86")).expect("a folder");
    std::fs::write(cut.join("x86/guide.xml"), "<intrinsics_list version=\"3.6.9\"><intrinsic")
        .expect("a file");
    let cut = cut.display().to_string();
    hydride(folder.path(), &["port", "--specs", &cut, "--from", "arm", "--to", "avx2"]).exits(3);
    // A name that no instruction has, beside one that there is.
    let args = ["port", "--specs", &specs, "--from", "arm", "--to", "avx2", "vadd_s16", "subq"];
    let run = hydride(folder.path(), &args).exits(2);
    assert!(
        run.stderr.contains("arm has no modelled instruction subq; did you mean vsubq_u8?"),
        "{}",
        run.stderr
    );
}

/// Instructions that need each of: a twin, a rewrite, another width, halves of registers, elements moved by a constant
/// index and by values, immediates, scalars, several results.
const NEON: &[&str] = &[
    "vaddq_s8",
    "vqsubq_u32",
    "vhaddq_s32",
    "vcgeq_u8",
    "vcgtq_u64",
    "vmvnq_s8",
    "vmulq_s8",
    "vaddhn_s16",
    "vget_high_s8",
    "vextq_u8",
    "vuzp1q_u8",
    "vpmaxq_s8",
    "vshlq_n_s16",
    "vsliq_n_s16",
    "vsli_n_u8",
    "vmulq_n_s16",
    "vsetq_lane_s16",
    "vzipq_u8",
    "vabdq_s32",
    "vqaddq_s16",
    "vrev64q_s8",
    "vld1q_s16",
    "vst1_u8",
    "vld1q_dup_u8",
    "vld1q_lane_s16",
    "vld2_u8",
    "vst2q_s16",
    "vst3_u32",
    "vmulq_f32",
    "vcgtq_f32",
    "vcvtq_f32_s32",
    "vnegq_f64",
    "vaddvq_s16",
    "vmaxvq_u8",
    "vminv_s32",
    "vqdmull_s16",
    "vfmaq_f32",
    "vqtbl1q_u8",
    "vqtbl2q_u8",
    "vshlq_u16",
    "vshlq_u64",
    "vrecpsq_f32",
    "vld4q_lane_s32",
    "vqaddh_u16",
];

/// Of these the header has scalar code.
const SCALAR: &[&str] = &["vmaxnmvq_f32", "vst3q_u8"];

const SSE: &[&str] = &[
    "_mm_add_epi8",
    "_mm_avg_epu8",
    "_mm_madd_epi16",
    "_mm_packus_epi16",
    "_mm_unpacklo_epi8",
    "_mm_sad_epu8",
    "_mm_slli_epi16",
    "_mm_subs_epu8",
    "_mm_blendv_epi8",
    "_mm_min_epi8",
    "_mm_insert_epi16",
    "_mm_extract_epi16",
    "_mm_loadu_si128",
    "_mm_store_si128",
    "_mm_sqrt_ps",
    "_mm_cmplt_pd",
    "_mm_shuffle_epi8",
    "_mm_crc32_u8*",
];

#[test]
fn ported_instructions_agree_with_machines() {
    let Some(specs) = arm_and_x86() else { return };
    let folder = scratch();
    let mut neon = [NEON, SCALAR].concat();
    if !have_asl(Path::new(&specs)) {
        let modelled = modelled(Path::new(&specs), "arm");
        neon.retain(|id| modelled.contains(*id));
        assert!(!neon.is_empty(), "none of Arm's instructions has a meaning");
    }
    for (from, to, ids) in [("arm", "avx2", neon.as_slice()), ("x86", "neon", SSE)] {
        let run = |jobs: &str, rest: &[&str]| {
            let out = format!("{from}{jobs}");
            let mut args =
                vec!["port", "--specs", &specs, "--from", from, "--to", to, "--jobs", jobs, "--out", &out];
            args.extend(rest);
            args.extend(ids.iter().copied());
            hydride(folder.path(), &args)
        };
        let two = run("2", &["--run", "100", "--cache", "answers.redb"]);
        assert!(!two.stderr.contains("Differs"), "{}", two.stderr);
        two.exits(0);
        builds_without_warnings(folder.path(), from, to);
        let read = |jobs: &str, ending: &str| {
            let path = folder.path().join(format!("{from}{jobs}/{from}_on_{to}.{ending}"));
            std::fs::read_to_string(path).expect("an output")
        };
        // A run that has the answers of the one before it finds the same, and so does one thread that searches.
        let ways: &[&[&str]] = &[&["--cache", "answers.redb"], &["--no-cache"]];
        for way in &ways[..if is_full() { 2 } else { 1 }] {
            run("1", way).exits(0);
            for ending in ["jsonl", "md", "h", "html"] {
                assert_eq!(read("2", ending), read("1", ending), "{ending} {way:?}");
            }
        }
        for line in read("2", "jsonl").lines() {
            let row: serde_json::Value = serde_json::from_str(line).expect("JSON");
            let proved = row["status"] == "proved";
            assert!(proved || row["why"][0].is_string(), "{line}");
            let id = row["id"].as_str().unwrap_or_default();
            assert!(proved || from == "x86" || SCALAR.contains(&id), "{line}");
            assert_eq!(!proved, row["scalar"].is_u64(), "{line}");
            let is_open = ["vmulq_f32", "vfmaq_f32", "vrecpsq_f32", "_mm_sqrt_ps"].contains(&id);
            assert_eq!(row["certificate"] == "up to NaN", is_open && proved, "{line}");
            // A number goes into a general register with zeros above it.
            assert!(id != "_mm_extract_epi16" || row["cost"]["uops"] == 1, "{line}");
        }
    }
}

#[test]
fn what_takes_too_long_is_searched_again_with_more_time() {
    let Some(specs) = arm_and_x86() else { return };
    let folder = scratch();
    let run = |seconds: &str| {
        let args =
            ["port", "--specs", &specs, "--from", "arm", "--to", "sse42", "--out", "out", "--jobs", "1"];
        let rest = ["--cache", "answers.redb", "--max-seconds", seconds, "-v", "-v", "vsha256hq_u32"];
        let stderr = hydride(folder.path(), &[&args[..], &rest].concat()).exits(1).stderr;
        let text = std::fs::read_to_string(folder.path().join("out/arm_on_sse42.jsonl")).expect("an output");
        assert!(text.contains(r#""status":"out of time""#), "{text}");
        (text, stderr.contains("vsha256hq_u32: out of time after"))
    };
    let (first, is_searched) = run("2");
    assert!(is_searched);
    assert_eq!(run("2"), (first.clone(), false));
    assert_eq!(run("1"), (first, false));
    assert!(run("3").1);
}

/// The header of a port is C and C++, for clang and gcc, where they are there.
fn builds_without_warnings(folder: &Path, from: &str, to: &str) {
    let source = folder.join("includes.c");
    std::fs::write(
        &source,
        format!("#include \"{from}2/{from}_on_{to}.h\"\nint main(void) {{ return 0; }}\n"),
    )
    .expect("a file");
    let compilers: &[&[&str]] = match to {
        "avx2" => &[
            &["clang-19", "-mavx2", "-mfma"],
            &["gcc", "-mavx2", "-mfma"],
            &["clang++-19", "-x", "c++", "-mavx2", "-mfma"],
            &["g++", "-x", "c++", "-mavx2", "-mfma"],
        ],
        _ => &[
            &["clang-19", "--target=aarch64-linux-gnu"],
            &["aarch64-linux-gnu-gcc"],
            &["clang++-19", "--target=aarch64-linux-gnu", "-x", "c++"],
            &["aarch64-linux-gnu-g++", "-x", "c++"],
        ],
    };
    for words in compilers {
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).args(["-Wall", "-Wextra", "-Werror", "-fsyntax-only"]).arg(&source);
        match command.output() {
            Ok(said) => {
                assert!(said.status.success(), "{words:?}: {}", String::from_utf8_lossy(&said.stderr))
            }
            Err(_) => eprintln!("SKIPPED: {} is not there", words[0]),
        }
    }
}

/// An interrupted run leaves the outputs that were there, and nothing beside them; what it found is kept for the next one.
#[cfg(unix)]
#[test]
fn an_interrupted_run_keeps_what_it_found() {
    use std::io::{BufRead as _, BufReader};
    use std::os::unix::process::ExitStatusExt as _;
    let Some(specs) = arm_and_x86() else { return };
    let folder = scratch();
    let mut args = vec!["-vv", "port", "--specs", &specs, "--from", "arm", "--to", "avx2", "--jobs", "1"];
    args.extend(["--out", "out", "--cache", "answers.redb"]);
    hydride(folder.path(), &[&args[..], &["vaddq_u8"]].concat()).exits(0);
    let old = files(&folder.path().join("out"));
    assert_eq!(old.len(), 4);
    // One is stopped while it reads documents, and one when it has found something; the last search takes seconds.
    let more = [&args[..], &["vhaddq_s32", "vqrshlq_u8"]].concat();
    let mut found = None;
    for waits in [false, true] {
        let mut child = command(folder.path(), &more)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines().map_while(Result::ok);
        // Interrupts are handled from the search on; before, a process in the background of a shell ignores them.
        let signal = match waits {
            true => {
                found = lines.find(|line| line.contains("vhaddq_s32: proved"));
                "-INT"
            }
            false => {
                std::thread::sleep(Duration::from_millis(300));
                "-TERM"
            }
        };
        let killed = Command::new("kill").args([signal, &child.id().to_string()]).status();
        assert!(killed.expect("kill starts").success());
        let said: Vec<String> = lines.collect();
        let ended = child.wait().expect("the process ends");
        assert!(if waits { ended.code() == Some(130) } else { ended.signal() == Some(15) }, "{ended}");
        assert!(!waits || said.iter().any(|line| line.contains("kept in the cache")), "{said:?}");
        assert!(files(&folder.path().join("out")) == old, "the outputs are others");
    }
    assert!(found.is_some(), "nothing was found before the interrupt");
    let next = hydride(folder.path(), &[&args[..], &["vhaddq_s32"]].concat()).exits(0);
    assert!(next.stderr.contains("1 answers were known"), "{}", next.stderr);
}

#[test]
fn the_report_links_to_pages_of_ports() {
    let folder = scratch();
    let specs = samples().display().to_string();
    let port = ["port", "--specs", &specs, "--from", "arm", "--to", "avx2", "--out", "ported", "vadd*"];
    hydride(folder.path(), &port).exits(0);
    let generate = |ports: &str| {
        let args =
            ["generate-ir", "--specs", &specs, "--isa", "arm,x86", "--emit", "report", "--ports", ports];
        hydride(folder.path(), &args)
    };
    generate("ported").exits(0);
    let report = files(&folder.path().join("out/report"));
    let page = &report["ports/arm_on_avx2.html"];
    assert!(page.contains("<tr id=\"vadd_s16\""), "{page}");
    assert!(report["data.js"].contains(r#""page":"ports/arm_on_avx2.html","entries":["#));
    assert!(report["index.html"].contains("<a href=\"ports/arm_on_avx2.html\">arm on avx2</a>"));
    // A folder that is not there, and one that nothing was ported to.
    generate("nowhere").exits(3);
    generate("out").exits(2);
}
