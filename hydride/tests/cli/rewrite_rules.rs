//! `hydride rules` and `hydride select` as a user sees them.

use std::process::{Command, Stdio};

use crate::mlir_to_assembly::tool;
use crate::support::{command, generate, hydride, repository, samples, scratch, vendor_documents};

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
    let sums = "
        (rule widen (from (cast:i16 a:u8)))
        (rule recast (from (cast:u16 a:i16)))
        (rule multiply_add (uniform c) (range c 0 127) (from (add:i16 e:i16 (widening_mul:i16 a:u8 c:i8))))";
    std::fs::write(folder.path().join("own.rules"), patterns).expect("a file");
    std::fs::write(folder.path().join("sums.rules"), sums).expect("a file");
    std::fs::write(folder.path().join("sum.jsonl"), WINDOWS[0]).expect("a file");
    std::fs::write(folder.path().join("one.jsonl"), WINDOWS[1..].join("\n")).expect("a file");
    std::fs::write(folder.path().join("two.jsonl"), [WINDOWS[2], WINDOWS[1]].join("\n")).expect("a file");
    let mine = |jobs: &str, windows: &str, out: &str| {
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
            "2",
            "--jobs",
            jobs,
            "--out",
            out,
            windows,
        ];
        hydride(folder.path(), &args);
        std::fs::read_to_string(folder.path().join(out)).expect("rules")
    };
    // Neither the number of jobs nor the order of windows matters.
    let rules = mine("1", "one.jsonl", "one.toml");
    assert_eq!(rules, mine("2", "two.jsonl", "two.toml"));
    // A sum in any nesting is products that are added one after the other.
    let mine =
        ["rules", "mine", "--specs", &specs, "--isa", "neon", "--patterns", "sums.rules", "--cut", "0"];
    hydride(folder.path(), &[&mine[..], &["--out", "sums.toml"]].concat()).exits(0);
    let args =
        ["select", "--specs", &specs, "--rules", "sums.toml", "--certify", "--run", "200", "sum.jsonl"];
    let found = lines(&hydride(folder.path(), &args).exits(0).stdout);
    assert_eq!(found[0]["instructions"].as_array().map(Vec::len), Some(6), "{}", found[0]);
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
    // Nothing rounds when it shifts in these rules, and there are no extrema, choices, quotients or counts that are scalars.
    let run = hydride(folder.path(), &args).exits(1);
    let found = lines(&run.stdout);
    let status: Vec<_> = found.iter().map(|line| (line["name"].as_str(), line["status"].as_str())).collect();
    assert_eq!(
        status,
        [
            (Some("average"), Some("proved")),
            (Some("difference"), Some("proved")),
            (Some("narrow"), Some("exhausted")),
            (Some("narrow_and_max"), Some("exhausted")),
            (Some("above"), Some("exhausted")),
            (Some("shift"), Some("exhausted")),
            (Some("upper_halves_of_products"), Some("exhausted"))
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

/// A sum of three bytes, one of them twice; a difference of an average, and an average of a difference.
const WINDOWS: [&str; 3] = [
    r#"{"name":"taps","target":"neon","lanes":16,"bits":16,"leaves":[{"name":"a","type":"u8x16","kind":"dense"},{"name":"b","type":"u8x16","kind":"dense"},{"name":"c","type":"u8x16","kind":"dense"}],"expr":"(add:u16x16 (widening_shift_left:u16x16 a:u8x16 (broadcast:u8x16 1:u8)) (widening_add:u16x16 b:u8x16 c:u8x16))"}"#,
    r#"{"name":"apart","target":"neon","lanes":16,"bits":8,"leaves":[{"name":"a","type":"u8x16","kind":"dense"},{"name":"b","type":"u8x16","kind":"dense"}],"expr":"(absd:u8x16 a:u8x16 (rounding_halving_add:u8x16 a:u8x16 b:u8x16))"}"#,
    r#"{"name":"middle","target":"neon","lanes":16,"bits":8,"leaves":[{"name":"a","type":"u8x16","kind":"dense"},{"name":"b","type":"u8x16","kind":"dense"}],"expr":"(rounding_halving_add:u8x16 a:u8x16 (absd:u8x16 a:u8x16 b:u8x16))"}"#,
];

/// Averages and packs as compilers leave them, and a product for which there is no rule.
const MODULE: &str = "
define <16 x i8> @average(<16 x i8> %a, <16 x i8> %b) {
  %x = zext <16 x i8> %a to <16 x i16>
  %y = zext <16 x i8> %b to <16 x i16>
  %s = add nuw nsw <16 x i16> %x, %y
  %t = add nuw nsw <16 x i16> %s, splat (i16 1)
  %u = lshr <16 x i16> %t, splat (i16 1)
  %r = trunc nuw <16 x i16> %u to <16 x i8>
  ret <16 x i8> %r
}

define <16 x i8> @pack(<16 x i16> %x) {
  %low = call <16 x i16> @llvm.smin.v16i16(<16 x i16> %x, <16 x i16> splat (i16 255))
  %high = call <16 x i16> @llvm.smax.v16i16(<16 x i16> %low, <16 x i16> zeroinitializer)
  %r = trunc <16 x i16> %high to <16 x i8>
  ret <16 x i8> %r
}

define <16 x i8> @product(<16 x i8> %a, <16 x i8> %b) {
  %x = zext <16 x i8> %a to <16 x i16>
  %y = zext <16 x i8> %b to <16 x i16>
  %s = add <16 x i16> %x, splat (i16 1)
  %t = add <16 x i16> %s, %y
  %u = lshr <16 x i16> %t, splat (i16 1)
  %v = trunc <16 x i16> %u to <16 x i8>
  %p = mul <16 x i8> %v, %a
  %q = zext <16 x i8> %p to <16 x i16>
  %m = add <16 x i16> %q, %y
  %n = add <16 x i16> %m, splat (i16 1)
  %o = lshr <16 x i16> %n, splat (i16 1)
  %r = trunc <16 x i16> %o to <16 x i8>
  ret <16 x i8> %r
}

define i16 @ramp(<16 x i8> %a) {
  %x = zext <16 x i8> %a to <16 x i16>
  %y = zext <16 x i8> <i8 0, i8 1, i8 2, i8 3, i8 4, i8 5, i8 6, i8 7, i8 8, i8 9, i8 10, i8 11, i8 12, i8 13, i8 14, i8 -1> to <16 x i16>
  %s = add <16 x i16> %x, %y
  %t = add <16 x i16> %s, splat (i16 1)
  %u = lshr <16 x i16> %t, splat (i16 1)
  %v = trunc <16 x i16> %u to <16 x i8>
  %m = call i8 @llvm.vector.reduce.umax.v16i8(<16 x i8> %v)
  %r = zext i8 %m to i16
  ret i16 %r
}
";

/// An average and a pack in MLIR, and a sum for which there is no rule.
const IN_MLIR: &str = "
func.func @average(%a: vector<16xi8>, %b: vector<16xi8>) -> vector<16xi8> {
  %one = arith.constant dense<1> : vector<16xi16>
  %x = arith.extui %a : vector<16xi8> to vector<16xi16>
  %y = arith.extui %b : vector<16xi8> to vector<16xi16>
  %s = arith.addi %x, %y : vector<16xi16>
  %t = arith.addi %s, %one : vector<16xi16>
  %u = arith.shrui %t, %one : vector<16xi16>
  %r = arith.trunci %u : vector<16xi16> to vector<16xi8>
  return %r : vector<16xi8>
}
func.func @pack(%x: vector<16xi16>) -> vector<16xi8> {
  %most = arith.constant dense<255> : vector<16xi16>
  %least = arith.constant dense<0> : vector<16xi16>
  %s = arith.addi %x, %x : vector<16xi16>
  %m = arith.minsi %s, %most : vector<16xi16>
  %n = arith.maxsi %m, %least : vector<16xi16>
  %r = arith.trunci %n : vector<16xi16> to vector<16xi8>
  return %r : vector<16xi8>
}
";

#[test]
fn rules_compile_modules_and_are_patterns_of_other_compilers() {
    let folder = scratch();
    let specs = samples().display().to_string();
    let patterns = "
        (rule widening_add (from (add:u16 (cast:u16 a:u8) (cast:u16 b:u8))) (to (widening_add:u16 a:u8 b:u8)))
        (rule average
          (from (cast:u8 (shift_right:u16 (add:u16 (widening_add:u16 a:u8 b:u8) 1:u16) 1:u16)))
          (to (rounding_halving_add:u8 a:u8 b:u8)))
        (rule average_one_first
          (from (cast:u8 (shift_right:u16 (add:u16 (add:u16 (cast:u16 a:u8) 1:u16) (cast:u16 b:u8)) 1:u16)))
          (to (rounding_halving_add:u8 a:u8 b:u8)))
        (rule pack (from (cast:u8 (max:i16 (min:i16 a:i16 255:i16) 0:i16))) (to (saturating_cast:u8 a:i16)))
        (rule narrow (from (cast:u8 a:i16)) (to (cast:u8 (cast:i8 a:i16))))
        (rule narrow_back (from (cast:i8 a:i16)) (to (cast:i8 (cast:u8 a:i16))))
        (rule average_of_bytes (from (rounding_halving_add:u8 a:u8 b:u8)))
        (rule recast (for t sign) (for s sign) (from (cast:{t}8 a:{s}8)))
        (rule packed (from (saturating_cast:u8 a:i16)))";
    std::fs::write(folder.path().join("own.rules"), patterns).expect("a file");
    let mine = [
        "rules",
        "mine",
        "--specs",
        &specs,
        "--isa",
        "sse42",
        "--patterns",
        "own.rules",
        "--out",
        "own.toml",
    ];
    // Not every width of a register has each of them.
    hydride(folder.path(), &mine);
    // One instruction is the least; for an operation without a rule there may be one all the same.
    let shortest = ["rules", "shortest", "--specs", &specs, "--instructions", "1", "own.toml"];
    let only = ["--only", "rounding_halving_add", "--only", "saturating_add", "--only", "widening_add"];
    let found = lines(&hydride(folder.path(), &[&shortest[..], &only].concat()).exits(1).stdout);
    let of = |operation: &str| {
        found.iter().find(|line| {
            (&line["operation"], &line["parameters"]["n"], &line["parameters"]["s"])
                == (&operation.into(), &"8".into(), &"u".into())
        })
    };
    let (average, sum) = (of("rounding_halving_add").expect("a line"), of("saturating_add").expect("a line"));
    assert_eq!((&average["shortest"], &average["known"]), (&true.into(), &1.into()), "{average}");
    assert_eq!(sum["shorter"], "t0 = _mm_adds_epu8(a.0, b.0); result t0", "{sum}");
    // Its result is in two registers, each of which an instruction writes.
    let widening = of("widening_add").expect("a line");
    assert_eq!((&widening["tried"], &widening["shortest"]), (&1.into(), &false.into()), "{widening}");
    std::fs::write(folder.path().join("m.ll"), MODULE).expect("a file");
    let select = ["select", "--specs", &specs, "--rules", "own.toml", "m.ll"];
    let found = lines(&hydride(folder.path(), &select).exits(1).stdout);
    let answers: Vec<_> = found
        .iter()
        .map(|line| {
            [&line["function"], &line["value"], &line["status"]].map(|own| own.as_str().expect("a text"))
        })
        .collect();
    assert_eq!(
        answers,
        [
            ["average", "r", "selected"],
            ["pack", "r", "selected"],
            ["product", "v", "selected"],
            ["product", "p", "left"],
            ["product", "r", "selected"],
            // Its second operand differs from lane to lane; no rule makes one number of all lanes.
            ["ramp", "v", "selected"],
            ["ramp", "m", "left"]
        ],
        "{found:?}"
    );
    assert_eq!((&found[0]["cost"]["uops"], &found[1]["cost"]["uops"]), (&1.into(), &1.into()));
    assert_eq!(found[0]["line"], 8);
    let text = std::fs::read_to_string(folder.path().join("m.select.ll")).expect("a module");
    assert_eq!(text.matches("call <16 x i8> @llvm.x86.sse2.pavg.b(").count(), 4, "{text}");
    assert_eq!(text.matches("@llvm.x86.sse2.packuswb.128(").count(), 1, "{text}");
    assert!(text.contains("mul <16 x i8>") && !text.contains("lshr"), "{text}");
    hydride(folder.path(), &["verify", "--specs", &specs, "m.ll", "m.select.ll"]).exits(0);
    let certified = [&select[..], &["--certify"]].concat();
    let printed = hydride(folder.path(), &certified).exits(1).stdout;
    assert_eq!(lines(&printed)[0]["proof"], "refinement");
    std::fs::write(folder.path().join("answers.jsonl"), printed).expect("a file");
    let page = ["--format", "markdown", "--answers", "answers.jsonl", "--out", "page.md", "own.toml"];
    hydride(folder.path(), &[&["rules", "show"], &page[..]].concat()).exits(0);
    let page = std::fs::read_to_string(folder.path().join("page.md")).expect("a page");
    assert!(
        page.contains(
            "## average_of_bytes\n\nUsed by `@average %r`, `@product %r`, `@product %v`, `@ramp %v`.\n"
        ),
        "{page}"
    );
    assert_eq!(std::fs::read_to_string(folder.path().join("m.select.ll")).expect("a module"), text);
    std::fs::write(folder.path().join("cut.ll"), "define i8 @f(i8 %a) {\n").expect("a file");
    let run =
        hydride(folder.path(), &["select", "--specs", &specs, "--rules", "own.toml", "cut.ll"]).exits(3);
    assert!(run.stderr.contains("cut.ll:1:"), "{}", run.stderr);
    hydride(folder.path(), &[&select[..], &["--emit", "c"]].concat()).exits(2);

    as_cpp(folder.path());
    in_mlir(folder.path(), &specs);
}

/// Rules as C++ are well formed, and each is there.
fn as_cpp(folder: &std::path::Path) {
    hydride(folder, &["rules", "show", "--format", "irmatch", "--out", "rules.hpp", "own.toml"]).exits(0);
    let header = repository().join("rules/tests/irmatch.hpp").display().to_string();
    let program = format!(
        "#include \"{header}\"\n#include \"rules.hpp\"\nint main() {{ Printer printer; return all_rules(printer); }}\n"
    );
    std::fs::write(folder.join("main.cpp"), program).expect("a file");
    let args = ["-std=c++17", "-Wall", "-Werror", "main.cpp", "-o", "main"];
    let Some(_) = tool("clang++-19", folder, &args) else { return };
    let output = Command::new(folder.join("main")).output().expect("it starts");
    assert!(output.status.success());
    let text = String::from_utf8_lossy(&output.stdout);
    let average = "cast(UInt(8), ((widening_add(x0, x1) + 1) >> 1)) => rounding_halving_add(x0, x1) if \
                   (is_uint(x0, 8) && is_uint(x1, 8))";
    assert!(text.lines().any(|line| line == average), "{text}");
    let instruction = "rounding_halving_add(x0, x1) => _mm_avg_epu8(x0, x1) if \
                       ((has_lanes(16) && is_uint(x0, 8)) && is_uint(x1, 8))";
    assert!(text.lines().any(|line| line == instruction), "{text}");
}

/// A program of functions in MLIR after the patterns in PDLL of a file of rules; `None` where MLIR 19 is not there.
fn by_patterns(folder: &std::path::Path, rules: &str, functions: &str) -> Option<String> {
    for name in ["mlir-pdll-19", "mlir-opt-19"] {
        tool(name, folder, &["--version"])?;
    }
    let show = ["rules", "show", "--format", "pdll", "--operations", "out", "--out", "rules.pdll", rules];
    hydride(folder, &show).exits(0);
    let patterns = tool("mlir-pdll-19", folder, &["-x=mlir", "rules.pdll"]).expect("patterns");
    std::fs::write(folder.join("patterns.mlir"), patterns).expect("a file");
    let patterns = tool("mlir-opt-19", folder, &["patterns.mlir"]).expect("patterns");
    let patterns = patterns.replacen("module {", "module @patterns {", 1);
    let program = format!("{patterns}\nmodule @ir {{\n{functions}}}\n");
    std::fs::write(folder.join("both.mlir"), program).expect("a file");
    let args = ["--allow-unregistered-dialect", "--test-pdl-bytecode-pass", "both.mlir"];
    tool("mlir-opt-19", folder, &args)
}

/// What `lower.sh` makes of the functions in a module.
fn lowered(folder: &std::path::Path, module: &str) -> String {
    let inner: Vec<&str> = module
        .lines()
        .skip_while(|line| !line.contains("func.func"))
        .take_while(|line| *line != "  }")
        .collect();
    std::fs::write(folder.join("inner.mlir"), inner.join("\n")).expect("a file");
    tool("sh", folder, &["out/mlir/lower.sh", "-t", "x86", "inner.mlir"]).expect("LLVM IR")
}

/// Patterns in PDLL replace what `arith` computes by the dialect's operations, which become the target's intrinsics.
fn in_mlir(folder: &std::path::Path, specs: &str) {
    generate(specs.as_ref(), folder, &["--emit", "dialect,llvm,mlir"]);
    let Some(module) = by_patterns(folder, "own.toml", IN_MLIR) else { return };
    assert_eq!(module.matches("\"autollvm.").count(), 2, "{module}");
    let called = lowered(folder, &module);
    for name in ["pavg.b", "packuswb.128"] {
        assert_eq!(called.matches(&format!("call <16 x i8> @llvm.x86.sse2.{name}(")).count(), 1, "{called}");
    }
    assert!(called.contains("add <16 x i16>") && !called.contains("zext"), "{called}");
    reductions_in_mlir(folder, specs);
}

/// Sums of products of neighbors in MLIR, one with what is the same for each sum.
const REDUCTIONS: &str = "
func.func @pairs(%a: vector<8xi16>, %b: vector<8xi16>) -> vector<4xi32> {
  %zero = arith.constant dense<0> : vector<4xi32>
  %c = vector.shape_cast %a : vector<8xi16> to vector<4x2xi16>
  %d = vector.shape_cast %b : vector<8xi16> to vector<4x2xi16>
  %x = arith.extsi %c : vector<4x2xi16> to vector<4x2xi32>
  %y = arith.extsi %d : vector<4x2xi16> to vector<4x2xi32>
  %p = arith.muli %x, %y : vector<4x2xi32>
  %r = vector.multi_reduction <add>, %p, %zero [1] : vector<4x2xi32> to vector<4xi32>
  return %r : vector<4xi32>
}
func.func @quads(%e: vector<4xi32>, %a: vector<16xi8>, %b: vector<4xi8>) -> vector<4xi32> {
  %c = vector.shape_cast %a : vector<16xi8> to vector<4x4xi8>
  %x = arith.extsi %c : vector<4x4xi8> to vector<4x4xi32>
  %d = arith.extui %b : vector<4xi8> to vector<4xi32>
  %y = vector.broadcast %d : vector<4xi32> to vector<4x4xi32>
  %p = arith.muli %x, %y : vector<4x4xi32>
  %r = vector.multi_reduction <add>, %p, %e [1] : vector<4x4xi32> to vector<4xi32>
  return %r : vector<4xi32>
}
";

/// A step of a product of matrices of bytes in `linalg`, with how it is vectorized.
const IN_LINALG: &str = "
module attributes {transform.with_named_sequence} {
func.func @tile(%a: tensor<4x4xi8>, %b: tensor<4xi8>, %c: tensor<4xi32>) -> tensor<4xi32> {
  %r = linalg.generic {
    indexing_maps = [affine_map<(n, k) -> (n, k)>, affine_map<(n, k) -> (k)>, affine_map<(n, k) -> (n)>],
    iterator_types = [\"parallel\", \"reduction\"]
  } ins(%a, %b : tensor<4x4xi8>, tensor<4xi8>) outs(%c : tensor<4xi32>) {
  ^bb0(%x: i8, %y: i8, %z: i32):
    %0 = arith.extsi %x : i8 to i32
    %1 = arith.extui %y : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %z, %2 : i32
    linalg.yield %3 : i32
  } -> tensor<4xi32>
  return %r : tensor<4xi32>
}
transform.named_sequence @__transform_main(%module: !transform.any_op) {
  %0 = transform.structured.match ops{[\"func.func\"]} in %module : (!transform.any_op) -> !transform.any_op
  %1 = transform.structured.vectorize_children_and_apply_patterns %0
    {disable_multi_reduction_to_contract_patterns} : (!transform.any_op) -> !transform.any_op
  transform.yield
}
}
";

/// The same sums as windows.
const SUMS: [&str; 2] = [
    r#"{"name":"pairs","target":"avx512vnni","lanes":4,"bits":32,"leaves":[{"name":"a","type":"i16x8","kind":"dense"},{"name":"b","type":"i16x8","kind":"dense"}],"expr":"(vector_reduce_add:i32x4 (widening_mul:i32x8 a:i16x8 b:i16x8))"}"#,
    r#"{"name":"quads","target":"avx512vnni","lanes":4,"bits":32,"leaves":[{"name":"e","type":"i32x4","kind":"dense"},{"name":"a","type":"u8x16","kind":"dense"},{"name":"b","type":"i8x16","kind":"dense"}],"expr":"(add:i32x4 e:i32x4 (vector_reduce_add:i32x4 (mul:i32x16 (cast:i32x16 a:u8x16) (cast:i32x16 b:i8x16))))"}"#,
];

/// Reductions become the instructions that `hydride synth` chooses, also those that MLIR makes of `linalg`.
fn reductions_in_mlir(folder: &std::path::Path, specs: &str) {
    let patterns = "
        (rule widening_mul (from (mul:i32 (cast:i32 a:i16) (cast:i32 b:i16))) (to (widening_mul:i32 a:i16 b:i16)))
        (rule pairs (from (vector_reduce_add:i32x4 (widening_mul:i32x8 a:i16x8 b:i16x8))))
        (rule quads (from (add:i32x4 e:i32x4
          (vector_reduce_add:i32x4 (mul:i32x16 (cast:i32x16 a:u8x16) (cast:i32x16 b:i8x16))))))";
    std::fs::write(folder.join("sums.rules"), patterns).expect("a file");
    std::fs::write(folder.join("sums.jsonl"), SUMS.join("\n")).expect("a file");
    std::fs::write(folder.join("linalg.mlir"), IN_LINALG).expect("a file");
    let mine = ["rules", "mine", "--specs", specs, "--isa", "avx512vnni", "--patterns", "sums.rules"];
    hydride(folder, &[&mine[..], &["--cut", "0", "--out", "sums.toml"]].concat()).exits(0);
    let found =
        lines(&hydride(folder, &["synth", "--specs", specs, "--isa", "avx512vnni", "sums.jsonl"]).stdout);
    let chosen: Vec<_> = found.iter().map(|line| line["instructions"][0]["id"].as_str()).collect();
    assert_eq!(chosen, [Some("_mm_madd_epi16"), Some("_mm_dpbusd_epi32")], "{found:?}");
    let Some(vectorized) = tool("mlir-opt-19", folder, &["--transform-interpreter", "linalg.mlir"]) else {
        return;
    };
    let tile: Vec<&str> = vectorized
        .lines()
        .skip_while(|line| !line.contains("@tile"))
        .take_while(|line| !line.contains("transform.named_sequence"))
        .collect();
    let program = format!("{REDUCTIONS}{}", tile.join("\n"));
    let Some(module) = by_patterns(folder, "sums.toml", &program) else { return };
    assert_eq!(module.matches("\"autollvm.").count(), 3, "{module}");
    assert!(!module.contains("multi_reduction") && !module.contains("arith.ext"), "{module}");
    let vectors = module.split("func.func @tile").next().expect("a text").to_owned() + "\n  }\n";
    let called = lowered(folder, &vectors);
    for name in ["sse2.pmadd.wd", "avx512.vpdpbusd.128"] {
        assert_eq!(called.matches(&format!("call <4 x i32> @llvm.x86.{name}(")).count(), 1, "{called}");
    }
    assert!(!called.contains(" mul ") && !called.contains(" add "), "{called}");
}

/// An interrupted run writes no rules; what it found is kept for the next one.
#[cfg(unix)]
#[test]
fn interrupted_mining_keeps_what_it_found() {
    use std::io::{BufRead as _, BufReader};
    let Some(specs) = vendor_documents().filter(|specs| specs.join("arm").is_dir()) else { return };
    let (folder, specs) = (scratch(), specs.display().to_string());
    let patterns = "
        (rule sum (from (add:u8 a:u8 b:u8)))
        (rule least (from (min:u8 a:u8 b:u8)))
        (rule products (from (vector_reduce_add:i32 (widening_mul:i32x128 a:i16x128 b:i16x128))))";
    std::fs::write(folder.path().join("own.rules"), patterns).expect("a file");
    let mut args = vec!["-vv", "rules", "mine", "--specs", &specs, "--isa", "neon", "--jobs", "1"];
    args.extend(["--patterns", "own.rules", "--cut", "0", "--cache", "answers.redb", "--out", "rules.toml"]);
    let mut child = command(folder.path(), &args)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.contains("least [], ")), "nothing was found before the interrupt");
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(killed.expect("kill starts").success());
    let said: Vec<String> = lines.collect();
    assert_eq!(child.wait().expect("the process ends").code(), Some(130), "{said:?}");
    assert!(said.iter().any(|line| line.contains("kept in the cache")), "{said:?}");
    assert!(!folder.path().join("rules.toml").exists());
    // What was found is not looked for again.
    args.extend(["--only", "sum"]);
    let next = hydride(folder.path(), &args).exits(0);
    assert!(!next.stderr.contains("searched"), "{}", next.stderr);
    assert!(folder.path().join("rules.toml").exists());
}
