//! `models/`: the crate compiles, and its functions agree with `interp` and with `core::arch`.
//!
//! Of the vendors' documents some extensions are tried; `HYDRIDE_FULL=1` takes all.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hydride_ir::{Bits, Function, Role};

use crate::support::{ALL, Random, functions, is_full, samples, shared_output, vendor_documents};

/// Extensions of the vendors' documents that are always tried.
const FEATURES: &str = "x86-ssse3,x86-sse4-1,x86-bmi1,arm-neon-dotprod,arm-crc,hvx-hvxv65";

/// Inputs of each function for each choice of its immediates.
fn inputs() -> usize {
    if is_full() { 64 } else { 12 }
}

/// A run of Cargo in an output folder, with a build folder of its own that later runs find again.
fn cargo(out: &Path, of: &str, args: &[&str]) {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("models");
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .arg(args[0])
        .arg("--manifest-path")
        .arg(out.join(of))
        .args(&args[1..])
        .env("CARGO_TARGET_DIR", target);
    let output = cargo.env_remove("RUSTFLAGS").output().expect("cargo");
    assert!(output.status.success(), "{args:?}\n{}", String::from_utf8_lossy(&output.stderr));
}

/// The program that compares, with the functions of these features.
fn program(out: &Path, features: &str) -> PathBuf {
    let manifest = std::fs::read_to_string(out.join("models/Cargo.toml")).expect("a manifest");
    let exists = |feature: &&str| manifest.contains(&format!("\n{feature} = "));
    let features = features.split(',').filter(exists).collect::<Vec<_>>().join(",");
    cargo(out, "models/check/Cargo.toml", &["build", "--offline", "--features", &features]);
    let built = Path::new(env!("CARGO_TARGET_TMPDIR")).join("models/debug/hydride-models-check");
    // The next build, of other functions, has the same name.
    let own = out.join(format!("../check-{}", features.len()));
    std::fs::copy(built, &own).expect("a copy of the program");
    own
}

/// What a program prints, given some text; it succeeds.
fn output_of(program: &Path, args: &[&str], input: String) -> String {
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("a program");
    let mut stdin = child.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().expect("an end");
    let text = String::from_utf8(output.stdout).expect("text");
    let last = text.lines().rev().take(40).collect::<Vec<_>>().join("\n");
    assert!(output.status.success(), "{}\n{last}", output.status);
    writer.join().expect("a writer").expect("all input was read");
    text
}

fn width(num: &hydride_ir::Num) -> u32 {
    u32::try_from(num.as_constant().expect("a constant")).expect("a width")
}

/// A value's bytes, least significant first, in hexadecimal: `size` of them.
fn bytes(bits: &Bits, size: usize) -> String {
    let bytes = bits.words().iter().flat_map(|word| word.to_le_bytes()).chain(std::iter::repeat(0));
    bytes.take(size).fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The bytes of the Rust type of a result: integers have 8, 16, 32, 64 or 128 bits.
fn result_size(width: u32) -> usize {
    let bytes = width.div_ceil(8) as usize;
    if width <= 128 { bytes.next_power_of_two() } else { bytes }
}

/// For a case, as the program lists it, lines of inputs with the results of `interp`.
fn vectors(case: &str, functions: &BTreeMap<String, BTreeMap<String, Function>>) -> String {
    let fields: Vec<&str> = case.split(' ').collect();
    let [id, immediates, sizes] = fields[..] else { panic!("{case}: not three fields") };
    let (isa, name) = id.split_once('/').expect("an instruction set");
    let function = &functions[isa][name];
    let numbers = |text: &str| -> Vec<i64> {
        let numbers = text.split(',').filter(|number| *number != "-");
        numbers.map(|number| number.parse().expect("a number")).collect()
    };
    let program = interp::Program::new(function).expect("a legal function");
    let mut random = Random::new(id.len() as u64 * 977 + 1);
    let mut text = String::new();
    for _ in 0..inputs() {
        let (mut constants, mut sizes) = (numbers(immediates).into_iter(), numbers(sizes).into_iter());
        let mut arguments = random.arguments(function);
        let mut written = String::new();
        for (value, arg) in arguments.iter_mut().zip(&function.args) {
            if let Role::Immediate { .. } = arg.role {
                let constant = constants.next().expect("a value for each immediate");
                *value = Bits::from_u64(width(&arg.width), constant.cast_unsigned());
            } else {
                let size = sizes.next().expect("a size for each argument");
                written += &bytes(value, usize::try_from(size).expect("a size"));
            }
        }
        let results = program.run(&arguments).expect("results");
        let results: String = results.iter().map(|bits| bytes(bits, result_size(bits.width()))).collect();
        let written = if written.is_empty() { "-" } else { &written };
        let _ = writeln!(text, "{id} {immediates} {written} {results}");
    }
    text
}

/// Compares the functions of some features with `interp`, and those of x86 with this CPU.
fn check(out: &Path, features: &str) {
    let program = program(out, features);
    let isas = ["x86", "arm", "hvx"];
    let functions = isas.map(|isa| (isa.to_owned(), functions(&out.join(format!("ir/{isa}.hir")))));
    let functions = BTreeMap::from(functions);
    let list = output_of(&program, &["list"], String::new());
    assert!(list.lines().count() > 10, "{list}");
    let expected: String = list.lines().map(|case| vectors(case, &functions)).collect();
    let text = output_of(&program, &["vectors"], expected);
    let count = list.lines().count() * inputs();
    assert!(text.ends_with(&format!("{count} results compared, 0 different\n")), "{text}");
    if cfg!(target_arch = "x86_64") {
        let text = output_of(&program, &["core-arch", &inputs().to_string()], String::new());
        assert!(text.contains(", 0 different\n"), "{text}");
    }
}

#[test]
fn models_of_the_samples_agree_with_interp_and_the_cpu() {
    check(&shared_output(&samples(), ALL), "x86,arm,hvx");
}

#[test]
fn models_of_vendor_documents_agree_with_interp_and_the_cpu() {
    if let Some(specs) = vendor_documents() {
        check(&shared_output(&specs, ALL), if is_full() { "x86,arm,hvx" } else { FEATURES });
    }
}

#[test]
fn models_have_no_warnings_and_a_documentation() {
    let out = shared_output(&samples(), ALL);
    let manifest = "models/Cargo.toml";
    for features in ["", "x86", "arm", "hvx"] {
        cargo(&out, manifest, &["clippy", "--offline", "--features", features, "--", "-D", "warnings"]);
    }
    cargo(&out, manifest, &["doc", "--offline", "--features", "x86,arm,hvx"]);
}
