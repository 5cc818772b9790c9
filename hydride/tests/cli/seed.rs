//! `hydride synth --seed`: functions that were there before the search.

use serde_json::{Value, json};

use crate::lowering::tools;
use crate::support::{Run, hydride, samples, scratch, vendor_documents};

const FUNCTIONS: &str = r#"define <32 x i8> @mean(<32 x i8> %a, <32 x i8> %b) {
  %x = zext <32 x i8> %a to <32 x i16>
  %y = zext <32 x i8> %b to <32 x i16>
  %s = add <32 x i16> %x, %y
  %t = add <32 x i16> %s, splat (i16 1)
  %h = lshr <32 x i16> %t, splat (i16 1)
  %r = trunc <32 x i16> %h to <32 x i8>
  ret <32 x i8> %r
}

define void @mean_in_memory(ptr noalias %r, ptr noalias %a, ptr noalias %b) {
  %x = load <32 x i8>, ptr %a, align 1
  %y = load <32 x i8>, ptr %b, align 1
  %m = call <32 x i8> @llvm.x86.avx2.pavg.b(<32 x i8> %x, <32 x i8> %y)
  store <32 x i8> %m, ptr %r, align 1
  ret void
}

define void @beyond(ptr noalias %r, ptr noalias %a, ptr noalias %b) {
  %p = getelementptr inbounds i8, ptr %a, i64 1
  %x = load <32 x i8>, ptr %p, align 1
  store <32 x i8> %x, ptr %r, align 1
  ret void
}

define <32 x i8> @without_rounding(<32 x i8> %a, <32 x i8> %b) {
  %d = xor <32 x i8> %a, %b
  %h = lshr <32 x i8> %d, splat (i8 1)
  %c = and <32 x i8> %a, %b
  %r = add <32 x i8> %h, %c
  ret <32 x i8> %r
}

define <16 x i16> @difference(<16 x i16> %a, <16 x i16> %b) {
  %x = sext <16 x i16> %a to <16 x i32>
  %y = sext <16 x i16> %b to <16 x i32>
  %s = sub nsw <16 x i32> %x, %y
  %c = icmp slt <16 x i32> %s, splat (i32 -32768)
  %l = select <16 x i1> %c, <16 x i32> splat (i32 -32768), <16 x i32> %s
  %g = icmp sgt <16 x i32> %l, splat (i32 32767)
  %m = select <16 x i1> %g, <16 x i32> splat (i32 32767), <16 x i32> %l
  %r = trunc <16 x i32> %m to <16 x i16>
  ret <16 x i16> %r
}

define <16 x i16> @small(<16 x i16> %a) {
  %r = shl nuw <16 x i16> %a, splat (i16 4)
  ret <16 x i16> %r
}

declare <32 x i8> @llvm.x86.avx2.pavg.b(<32 x i8>, <32 x i8>)
"#;

/// The windows that the functions are for.
fn windows() -> String {
    let leaf = |name: &str, ty: &str| json!({"name": name, "type": ty, "kind": "dense"});
    let window = |name: &str, ty: &str, leaves: Vec<Value>, expression: &str| {
        json!({"name": name, "target": "avx2", "leaves": leaves, "expr": format!("({expression})").replace("TY", ty)}).to_string()
    };
    let two = |ty: &str| vec![leaf("a", ty), leaf("b", ty)];
    let mean = |name: &str| window(name, "u8x32", two("u8x32"), "rounding_halving_add:TY a:TY b:TY");
    let mut small = leaf("a", "u16x16");
    small["range"] = json!([0, 4095]);
    let lines = [
        mean("mean"),
        mean("mean_in_memory"),
        mean("without_rounding"),
        mean("beyond"),
        window("difference", "i16x16", two("i16x16"), "saturating_sub:TY a:TY b:TY"),
        window("small", "u16x16", vec![small], "mul:TY a:TY (broadcast:TY 16:u16)"),
        window("large", "u16x16", vec![leaf("a", "u16x16")], "mul:TY a:TY (broadcast:TY 16:u16)"),
        mean("alone"),
    ];
    lines.join("\n")
}

#[test]
fn seeds_are_kept_or_replaced() {
    let Some(specs) = vendor_documents() else { return };
    if !tools(&["llc-19", "llvm-mca-19"]) {
        return;
    }
    let folder = scratch();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
    let large = FUNCTIONS.split("\n\n").find(|function| function.contains("@small")).expect("it is there");
    write("seeds.ll", &format!("{FUNCTIONS}\n{}\n", large.replace("@small", "@large")));
    write("windows.jsonl", &windows());
    let specs = specs.display().to_string();
    let synth = |more: &[&str]| -> Run {
        let args = [
            "synth",
            "--specs",
            &specs,
            "--no-cache",
            "--isa",
            "avx2",
            "--seed",
            "seeds.ll",
            "windows.jsonl",
        ];
        hydride(folder.path(), &[&args[..], more].concat()).exits(0)
    };
    let run = synth(&[]);
    let answers: Vec<Value> =
        run.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let of = |name: &str| answers.iter().find(|answer| answer["name"] == name).expect("an answer");
    for (name, status, seed, verdict) in [
        ("mean", "kept", "proved", "keep"),
        ("mean_in_memory", "kept", "proved", "keep"),
        ("without_rounding", "proved", "counterexample", "replace"),
        // It reads behind the end of an argument.
        ("beyond", "proved", "unknown", "replace"),
        ("difference", "proved", "proved", "replace"),
        // A product that overflows is poison: right in the range, and wrong without it.
        ("small", "kept", "proved", "keep"),
        ("large", "proved", "counterexample", "replace"),
    ] {
        let answer = of(name);
        assert_eq!(answer["status"], status, "{answer}");
        assert_eq!(
            (&answer["seed"]["status"], &answer["seed"]["verdict"]),
            (&json!(seed), &json!(verdict)),
            "{answer}"
        );
    }
    let dearer = &of("difference")["seed"];
    assert!(dearer["price"]["uops"].as_u64() > dearer["found"]["uops"].as_u64(), "{dearer}");
    assert!(
        of("beyond")["seed"]["open"].as_str().expect("a reason").contains("seeds.ll:"),
        "{}",
        of("beyond")
    );
    assert_eq!(of("alone").get("seed"), None);
    let text = synth(&["--emit", "ll", "--only", "mean", "--only", "difference"]).stdout;
    assert!(text.starts_with("define <32 x i8> @mean(") && text.contains("@window_difference("), "{text}");
    let text = synth(&["--emit", "c", "--only", "small"]).stdout;
    assert_eq!(text, "// small: @small is kept, nothing cheaper was found\n");
}

#[test]
fn seeds_without_a_window_are_refused() {
    let folder = scratch();
    std::fs::write(folder.path().join("seeds.ll"), FUNCTIONS).expect("a file");
    let window = windows().lines().last().expect("a window").to_owned();
    std::fs::write(folder.path().join("alone.jsonl"), window).expect("a file");
    let specs = samples().display().to_string();
    let args = ["synth", "--specs", &specs, "--isa", "avx2", "--seed", "seeds.ll", "alone.jsonl"];
    let run = hydride(folder.path(), &args).exits(2);
    assert!(run.stderr.contains("seeds.ll has no function that is called like a window"), "{}", run.stderr);
}
