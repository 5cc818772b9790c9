//! `hydride optimize` as a user sees it.

use std::path::Path;
use std::process::Command;

use crate::support::{hydride, repository, samples, scratch, vendor_documents};

/// A module that counts ones among things that no one models.
pub const MODULE: &str = r#"; a comment
source_filename = "x.c"
target triple = "x86_64-unknown-linux-gnu"
@text = private constant [3 x i8] c"a}\00"

define i32 @f(ptr %at, i32 %y) personality ptr @personality !dbg !4 {
entry:
  call void asm sideeffect "nop", "~{memory}"()
  %x = load i32, ptr %at, align 4, !dbg !7
  %a = and i32 %x, 1431655765, !dbg !7
  %b = lshr i32 %x, 1, !dbg !7
  %c = and i32 %b, 1431655765, !dbg !7
  %d = add nuw i32 %a, %c, !dbg !7
  %e = and i32 %d, 858993459, !dbg !7
  %f = lshr i32 %d, 2, !dbg !7
  %g = and i32 %f, 858993459, !dbg !7
  %h = add nuw nsw i32 %e, %g, !dbg !7
  %i = and i32 %h, 117901063, !dbg !7
  %j = lshr i32 %h, 4, !dbg !7
  %k = and i32 %j, 117901063, !dbg !7
  %l = add nuw nsw i32 %i, %k, !dbg !7
  %m = and i32 %l, 983055, !dbg !7
  %n = lshr i32 %l, 8, !dbg !7
  %o = and i32 %n, 983055, !dbg !7
  %p = add nuw nsw i32 %m, %o, !dbg !7
  %q = and i32 %p, 31, !dbg !7
  %r = lshr i32 %p, 16, !dbg !7
  %s = add nuw nsw i32 %q, %r, !dbg !7
  %w = invoke i32 @other(i32 %y)
          to label %fine unwind label %bad, !dbg !7

bad:
  %pad = landingpad { ptr, i32 }
          cleanup
  resume { ptr, i32 } %pad

fine:
  ret i32 %s
}

declare i32 @other(i32)
declare i32 @personality(...)

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!8}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, producer: "by hand", emissionKind: FullDebug)
!1 = !DIFile(filename: "x.c", directory: "/")
!4 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 3, type: !5, spFlags: DISPFlagDefinition, unit: !0)
!5 = !DISubroutineType(types: !6)
!6 = !{}
!7 = !DILocation(line: 5, column: 7, scope: !4)
!8 = !{i32 2, !"Debug Info Version", i32 3}
"#;

fn is_there(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// Whether LLVM takes a module, where it is there.
fn accepted(path: &Path, triple: &str, cpu: &str) {
    if is_there("opt-19") && is_there("llc-19") {
        let run = |program: &str, args: &[&str]| {
            let output = Command::new(program).args(args).arg(path).output().expect("it starts");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        };
        run("opt-19", &["-passes=verify", "-disable-output"]);
        run("llc-19", &["-O2", "-o", "/dev/null", &format!("-mtriple={triple}"), &format!("-mcpu={cpu}")]);
    }
}

#[test]
fn a_module_comes_out_with_proved_changes_only() {
    let folder = scratch();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("x.ll"), MODULE).expect("a file");
    let run = |args: &[&str], code| {
        let specs = samples().display().to_string();
        let all = [&["optimize", "--isa", "sse42", "--specs", &specs, "--cache", "kept.redb"], args].concat();
        hydride(folder.path(), &all).exits(code).stdout
    };
    let line = run(&["--report", "found", "x.ll"], 0);
    assert!(line.contains(r#""changed":1"#) && line.contains(r#""left_alone":0"#), "{line}");
    let first = std::fs::read_to_string(path("x.opt.ll")).expect("a module");
    let computed = |line: &str| {
        line.len() > 4 && line[4..].starts_with(" = ") && !line.contains("load") && !line.contains("invoke")
    };
    let expected: String = MODULE
        .lines()
        .filter(|line| !computed(line) || line.starts_with("  %s ="))
        .map(|line| match line.starts_with("  %s =") {
            true => "  %s = call i32 @llvm.ctpop.i32(i32 %x), !dbg !7\n".to_owned(),
            false => format!("{line}\n"),
        })
        .collect();
    assert_eq!(first, expected);
    accepted(&path("x.opt.ll"), "x86_64-linux-gnu", "haswell");
    let report = std::fs::read_to_string(path("found/rewrites.jsonl")).expect("a report");
    assert!(report.contains(r#""origin":"x.c:5:7""#), "{report}");
    let gaps = std::fs::read_to_string(path("found/gaps.md")).expect("a list");
    assert!(gaps.contains("| 0001.ll | 1 | x.c:5:7 | 19 to 1 |"), "{gaps}");
    let rewrite = path("found/rewrites/0001.ll").display().to_string();
    hydride(folder.path(), &["verify", "--function", "before=after", &rewrite, &rewrite]).exits(0);
    // What is kept serves again, and is all that is used offline.
    for args in [["--jobs", "1"].as_slice(), &["--offline"]] {
        std::fs::remove_file(path("x.opt.ll")).expect("a file");
        let line = run(&[args, &["x.ll"]].concat(), 0);
        let again = line.contains(r#""certified_in_all":0,"#);
        assert!(!again, "what this machine proved is proved again: {line}");
        assert_eq!(std::fs::read_to_string(path("x.opt.ll")).expect("a module"), first);
    }
    // So does what is kept of a function in another module, where metadata has other numbers.
    let other =
        |text: &str| format!("; another module\n\n{}", text.replace("!7", "!77").replace("!8", "!88"));
    std::fs::write(path("y.ll"), other(MODULE)).expect("a file");
    let line = run(&["--offline", "y.ll"], 0);
    assert!(line.contains(r#""changed":1"#), "{line}");
    assert_eq!(std::fs::read_to_string(path("y.opt.ll")).expect("a module"), other(&first));
    hydride(folder.path(), &["optimize", "--isa", "sse42", "--no-cache", "--offline", "x.ll"]).exits(0);
    assert_eq!(std::fs::read_to_string(path("x.opt.ll")).expect("a module"), MODULE);
    run(&["missing.ll"], 3);
    hydride(folder.path(), &["optimize", "--isa", "nothing", "x.ll"]).exits(2);
}

#[test]
fn changed_functions_are_run_where_that_is_asked() {
    let folder = scratch();
    let path = |name: &str| folder.path().join(name);
    // The same count between a load and a store, which can be run by itself; of the other one a call is in the way.
    let count: String = MODULE
        .lines()
        .filter(|line| line.starts_with("  %") && line.contains(", !dbg !7"))
        .map(|line| line.replace(", !dbg !7", "") + "\n")
        .collect();
    let function = |name: &str, call: &str| {
        format!(
            "define void @{name}(ptr %to, ptr %at, i64 %count) {{\n{count}{call}  store i32 %s, ptr %to\n  ret void\n}}\n"
        )
    };
    let text =
        function("alone", "") + &function("calling", "  call void @other()\n") + "declare void @other()\n";
    std::fs::write(path("x.ll"), text).expect("a file");
    let specs = samples().display().to_string();
    let args = [
        "optimize",
        "--isa",
        "sse42",
        "--specs",
        &specs,
        "--no-cache",
        "--measure",
        "--report",
        "found",
        "x.ll",
    ];
    let run = hydride(folder.path(), &args);
    if !is_there("clang-19") || std::env::consts::ARCH != "x86_64" {
        return;
    }
    let line = run.exits(0).stdout;
    assert!(line.contains(r#""measured":1,"#), "{line}");
    let times = std::fs::read_to_string(path("found/times.jsonl")).expect("times");
    assert!(times.lines().count() == 1 && times.contains(r#""function":"alone""#), "{times}");
    let changed = std::fs::read_to_string(path("x.opt.ll")).expect("a module");
    let counts = changed.matches("@llvm.ctpop.i32").count();
    assert_eq!(counts, if times.contains(r#""slower":true"#) { 1 } else { 2 }, "{changed}");
}

/// A value of which metadata says the range, and a sum with overflow.
const RANGES: &str = "\
define void @f(ptr %to, ptr %at, i32 %x) {
  %a = load i32, ptr %at, align 4, !range !0
  %b = urem i32 %a, 100
  %c = add i32 %b, %x
  store i32 %c, ptr %to, align 4
  ret void
}

define i32 @g(i32 %a, i32 %b) {
  %s = call { i32, i1 } @llvm.uadd.with.overflow.i32(i32 %a, i32 %b)
  %v = extractvalue { i32, i1 } %s, 0
  %o = extractvalue { i32, i1 } %s, 1
  %w = sub i32 %v, %b
  %r = select i1 %o, i32 %w, i32 %a
  %t = xor i32 %r, %b
  ret i32 %t
}

declare { i32, i1 } @llvm.uadd.with.overflow.i32(i32, i32)

!0 = !{i32 0, i32 100}
";

#[test]
fn ranges_and_sums_with_overflow_are_known() {
    let folder = scratch();
    let path = |name: &str| folder.path().join(name);
    let specs = samples().display().to_string();
    let run = |text: &str, offline: &[&str]| {
        std::fs::write(path("x.ll"), text).expect("a file");
        let args = ["optimize", "--isa", "sse42", "--specs", &specs, "--cache", "kept.redb", "x.ll"];
        hydride(folder.path(), &[&args, offline].concat()).exits(0);
        std::fs::read_to_string(path("x.opt.ll")).expect("a module")
    };
    let changed = run(RANGES, &[]);
    assert!(!changed.contains("urem") && changed.contains("%c = add i32 %a, %x"), "{changed}");
    assert!(!changed.contains("select") && changed.contains("xor i32"), "{changed}");
    accepted(&path("x.opt.ll"), "x86_64-linux-gnu", "haswell");
    assert_eq!(run(RANGES, &["--offline"]), changed);
    // The function has the same text, but what its metadata says is another range.
    let wider = run(&RANGES.replace("i32 100}", "i32 101}"), &["--offline"]);
    assert!(wider.contains("urem") && !wider.contains("select"), "{wider}");
}

#[test]
fn a_change_is_not_made_because_another_one_pays_for_it() {
    if !is_there("llc-19") || !is_there("llvm-mca-19") {
        return;
    }
    let folder = scratch();
    let count: String = MODULE
        .lines()
        .filter(|line| line.starts_with("  %") && line.contains(", !dbg !7") && !line.contains("load"))
        .map(|line| line.replace(", !dbg !7", "") + "\n")
        .collect();
    // Without the constants, which are loaded before the loop, a difference that saturates is as dear as a comparison.
    let text = format!(
        "define void @f(ptr %to, ptr %from, ptr %counts, i64 %length) {{\nentry:\n  br label %loop\n\nloop:\n  \
         %at = phi i64 [ 0, %entry ], [ %next, %loop ]\n  %input = getelementptr inbounds i8, ptr %from, i64 %at\n  \
         %output = getelementptr inbounds i8, ptr %to, i64 %at\n  %bytes = load <16 x i8>, ptr %input, align 1\n  \
         %high = and <16 x i8> %bytes, splat (i8 -64)\n  %is = icmp eq <16 x i8> %high, splat (i8 -128)\n  \
         %one = zext <16 x i1> %is to <16 x i8>\n  store <16 x i8> %one, ptr %output, align 1\n  \
         %x = load i32, ptr %input, align 1\n{count}  store i32 %s, ptr %counts, align 4\n  \
         %next = add nuw i64 %at, 16\n  %ended = icmp eq i64 %next, %length\n  \
         br i1 %ended, label %end, label %loop\n\nend:\n  ret void\n}}\n"
    );
    std::fs::write(folder.path().join("x.ll"), text).expect("a file");
    let specs = samples().display().to_string();
    let args = ["optimize", "--isa", "sse42", "--specs", &specs, "--no-cache", "--report", "found", "x.ll"];
    let line = hydride(folder.path(), &args).exits(0).stdout;
    assert!(!line.contains(r#""dearer":0,"#), "{line}");
    let changed = std::fs::read_to_string(folder.path().join("x.opt.ll")).expect("a module");
    assert!(changed.contains("@llvm.ctpop.i32") && !changed.contains("@llvm.ssub.sat"), "{changed}");
    let costs = std::fs::read_to_string(folder.path().join("found/functions.jsonl")).expect("costs");
    assert!(costs.contains(r#""function":"f","before":{"cycles":"#) && costs.lines().count() == 1, "{costs}");
}

#[test]
fn the_paper_s_examples_are_found() {
    let Some(specs) = vendor_documents() else { return };
    if !is_there("llc-19") || !is_there("llvm-mca-19") {
        return;
    }
    let folder = scratch();
    let specs = specs.display().to_string();
    // What is left of each: calls of intrinsics, and instructions besides.
    let examples = [
        ("average", "lshr <16 x i16>", "call <16 x i16> @llvm.x86.avx2.pavg.w("),
        ("products", "@llvm.x86.avx2.pmadd.wd(", "sub"),
        ("shift", "splat (i32 30)", "zext"),
        (
            "swapped",
            "@llvm.x86.sse2.pavg.b(<16 x i8> %x, <16 x i8> %y)",
            "%r = call <16 x i8> @llvm.x86.sse2.pavg.b(<16 x i8> %a",
        ),
        ("population", "@llvm.ctpop.i32(", "lshr"),
        // Not the paper's: a table and a mask that are not in the text, and what is assumed of inputs.
        ("digit", "@llvm.x86.ssse3.pshuf.b.128(<16 x i8> <i8 48, i8 49,", "select"),
        ("fields", "@llvm.x86.bmi.pext.32(i32 %x, i32 16316664)", "lshr"),
        ("ring", "and i32 %n, 255", "select"),
    ];
    for (name, _, _) in examples {
        let from = repository().join("specs/optimize").join(name).with_extension("ll");
        std::fs::copy(from, folder.path().join(name).with_extension("ll")).expect("a file");
    }
    let files: Vec<String> = examples.iter().map(|(name, _, _)| format!("{name}.ll")).collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let args = ["optimize", "--isa", "avx2", "--specs", &specs, "--no-cache"];
    hydride(folder.path(), &[&args, files.as_slice()].concat()).exits(0);
    for (name, has, has_not) in examples {
        let path = folder.path().join(format!("{name}.opt.ll"));
        let text = std::fs::read_to_string(&path).expect("a module");
        assert!(text.contains(has) && !text.contains(has_not), "{text}");
        accepted(&path, "x86_64-linux-gnu", "haswell");
    }
}
