//! Generated code for floating-point operators, run and compared with `interp`. Tools that are missing are reported on
//! stderr.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use autoir::{Class, Dialect, Dictionary, Reviews};
use hydride_ir::{Bits, Function};
use memo::Memo;
use tempfile::TempDir;

#[path = "../../../autoir/tests/samples/mod.rs"]
mod samples;

use crate::operation::Operation;
use crate::{Modelled, Options, Part, generate, models};

/// Registers of all functions here are as wide as those of x86-64, so that C can pass them.
const WIDTH: u32 = 128;

/// Inputs of each instance.
const INPUTS: usize = 120;

/// (bits of the exponent, width).
const FORMATS: [(i64, i64); 4] = [(5, 16), (8, 16), (8, 32), (11, 64)];

/// A function on elements, where `W`, `N` and `E` are the width, the number and the exponent.
fn elementwise(name: &str, args: usize, value: &str) -> Function {
    let names = &["a", "b", "c"][..args];
    let parameters: Vec<String> = names.iter().map(|name| format!("%{name}: W*N")).collect();
    let value = names.iter().fold(value.to_owned(), |value, name| {
        value.replace(&format!("${name}"), &format!("%{name}[W*i +: W]"))
    });
    let text = format!(
        "func @{name}[W = 32, N = 4, E = 8]({}) -> (%dst: W*N) {{\n  for i in 0..N {{\n    %dst[W*i +: W] = {value}\n  }}\n}}\n",
        parameters.join(", ")
    );
    let function = Function::parse(&text).unwrap();
    function.verify().unwrap();
    function
}

/// What is tested: a name, the number of arguments and the value of an element.
fn operators() -> Vec<(String, usize, String)> {
    let mut all = Vec::new();
    for nans in ["", ".first", ".signaling_first"] {
        let suffix = nans.replace('.', "_");
        let mut add = |name: &str, args: usize, value: &str| {
            all.push((format!("{name}{suffix}"), args, value.replace('!', &format!(".{{E}}{nans}"))));
        };
        add("sum", 2, "fadd!($a, $b, 0x0:3)");
        add("difference", 2, "fsub!($a, $b, 0x0:3)");
        add("product", 2, "fmul!($a, $b, 0x0:3)");
        add("quotient", 2, "fdiv!($a, $b, 0x0:3)");
        add("root", 1, "fsqrt!($a, 0x0:3)");
        add("fused", 3, "fma!($a, $b, $c, 0x0:3)");
        add("least", 2, "fmin!($a, $b)");
        add("most", 2, "fmax!($a, $b)");
        for mode in 0..6 {
            add(&format!("integral{mode}"), 1, &format!("fround!($a, 0x{mode}:3)"));
        }
        // A rounding mode that is computed, within those that SMT-LIB has.
        add("by_mode", 2, "fadd!($a, $b, cast.u($b[0 +: 2], 3))");
    }
    let mut add = |name: &str, args: usize, value: &str| all.push((name.to_owned(), args, value.to_owned()));
    for (name, op) in [("equal", "feq"), ("less", "flt"), ("at_most", "fle"), ("unordered", "funordered")] {
        add(name, 2, &format!("cast.s({op}.{{E}}($a, $b), W)"));
    }
    for (name, sign) in [("signed", "s"), ("unsigned", "u")] {
        for mode in [0, 1, 3, 4, 5] {
            add(&format!("to_{name}{mode}"), 1, &format!("ftoint.{{E}}.{sign}($a, 0x{mode}:3, W)"));
        }
        add(&format!("to_{name}_byte"), 1, &format!("cast.u(ftoint.{{E}}.{sign}($a, 0x3:3, 8), W)"));
        for mode in [0, 2] {
            add(&format!("from_{name}{mode}"), 1, &format!("ffromint.{{E}}.{sign}($a, 0x{mode}:3, W)"));
        }
    }
    for mode in 1..6 {
        add(&format!("fused{mode}"), 3, &format!("fma.{{E}}($a, $b, $c, 0x{mode}:3)"));
        add(&format!("quotient{mode}"), 2, &format!("fdiv.{{E}}($a, $b, 0x{mode}:3)"));
        add(&format!("root{mode}"), 1, &format!("fsqrt.{{E}}($a, 0x{mode}:3)"));
    }
    all
}

/// Conversions between formats: (from, to).
const CONVERSIONS: [((i64, i64), (i64, i64)); 7] = [
    ((5, 16), (8, 32)),
    ((8, 16), (8, 32)),
    ((8, 32), (11, 64)),
    ((8, 32), (5, 16)),
    ((8, 32), (8, 16)),
    ((11, 64), (8, 32)),
    ((11, 64), (5, 16)),
];

fn classes() -> Vec<Class> {
    let mut classes = Vec::new();
    for (name, args, value) in operators() {
        let members = FORMATS.map(|(exponent, width)| {
            let params = [width, i64::from(WIDTH) / width, exponent];
            samples::member("east", &format!("{name}_{exponent}_{width}"), &params, args as u32)
        });
        let function = elementwise(&name, args, &value);
        classes.push(samples::class(&format!("{:04x}", classes.len()), function, members.to_vec()));
    }
    classes
}

/// One conversion of each class, since the widths of its registers follow from no parameter.
fn conversions() -> Vec<Class> {
    let mut classes = Vec::new();
    for (nans, mode) in [("", 0), ("", 5), (".first", 0), (".signaling_first", 0)] {
        for ((exponent, width), (target, to)) in CONVERSIONS {
            let lanes = 128 / width.max(to);
            let value = format!(
                "fconvert.{{{exponent}}}.{{{target}}}{nans}(%a[{width}*i +: {width}], 0x{mode}:3, {to})"
            );
            let rest = 128 - lanes * to;
            let rest = if rest == 0 {
                String::new()
            } else {
                format!("  %dst[{} +: {rest}] = 0x0:{rest}\n", 128 - rest)
            };
            let text = format!(
                "func @convert{}{mode}_{exponent}_{width}_{target}_{to}(%a: 128) -> (%dst: 128) {{\n  for i in 0..{lanes} {{\n    \
                 %dst[{to}*i +: {to}] = {value}\n  }}\n{rest}}}\n",
                nans.replace('.', "_")
            );
            let function = Function::parse(&text).unwrap();
            function.verify().unwrap();
            let members = vec![samples::member("east", &function.name, &[], 1)];
            classes.push(samples::class(&format!("c{:03x}", classes.len()), function, members));
        }
    }
    classes
}

/// Whether bits are a NaN of a format.
fn is_nan(bits: u64, (exponent, width): (i64, i64)) -> bool {
    let fraction = width - 1 - exponent;
    let magnitude = bits & ((1u64 << (width - 1)) - 1);
    magnitude > ((1u64 << exponent) - 1) << fraction
}

/// Random numbers of Marsaglia.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Bits of a number that is often special, subnormal or near a power of two.
    fn element(&mut self, (exponent, width): (i64, i64)) -> u64 {
        let fraction = width - 1 - exponent;
        let (top, low) = ((1u64 << exponent) - 1, (1u64 << fraction) - 1);
        let bias = top >> 1;
        let biased = match self.next() % 8 {
            0 => 0,
            1 => top,
            2 => top - 1,
            3..6 => bias + self.next() % (fraction as u64 + 4) - 2,
            _ => self.next() & top,
        };
        let rest = match self.next() % 6 {
            0 => 0,
            1 => 1,
            2 => low,
            3 => 1 << (self.next() % fraction as u64),
            _ => self.next() & low,
        };
        (self.next() & 1) << (width - 1) | biased << fraction | rest
    }

    fn register(&mut self, format: (i64, i64)) -> Bits {
        let mut words = [0u64; 2];
        for place in 0..i64::from(WIDTH) / format.1 {
            let at = place * format.1;
            words[(at / 64) as usize] |= self.element(format) << (at % 64);
        }
        Bits::from_words(WIDTH, words)
    }
}

/// An instance with inputs and what they give.
struct Case {
    op: String,
    symbol: String,
    params: Vec<i64>,
    /// The function without parameters.
    function: Function,
    /// The format of the result where that is a number.
    result: Option<(i64, i64)>,
    inputs: Vec<Vec<Bits>>,
    expected: Vec<Bits>,
}

fn cases(operations: &[Operation<'_>]) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for operation in operations {
        for instance in operation.instances() {
            let function = operation.function_at(instance.params).unwrap();
            let (format, result) = formats(function);
            let program = interp::Program::new(function).unwrap();
            let inputs: Vec<Vec<Bits>> = (0..INPUTS)
                .map(|_| function.args.iter().map(|_| random.register(format)).collect())
                .collect();
            let expected = inputs.iter().map(|args| program.run(args).unwrap().remove(0)).collect();
            cases.push(Case {
                op: operation.op.name.clone(),
                symbol: instance.symbol.clone(),
                params: instance.params.to_vec(),
                function: function.clone(),
                result,
                inputs,
                expected,
            });
        }
    }
    cases
}

/// The formats of the first operator's operands and value.
fn formats(function: &Function) -> ((i64, i64), Option<(i64, i64)>) {
    use hydride_ir::{FloatOp, Op};
    let number = |num: &hydride_ir::Num| num.as_constant().unwrap();
    let (float, of, to) = function
        .exprs()
        .iter()
        .find_map(|expr| match &expr.op {
            Op::Float { float, operands } => {
                Some((float, number(&function.expr(operands[0]).width), number(&expr.width)))
            }
            _ => None,
        })
        .unwrap();
    let own = if float.op == FloatOp::FromInt { to } else { of };
    let format = (number(&float.exponent), own);
    let result = match float.op {
        FloatOp::Convert => Some((number(&float.target), to)),
        op if op.gives_nans() => Some(format),
        _ => None,
    };
    (format, result)
}

/// Says so past the test harness, which keeps what `eprintln!` prints.
fn skip(what: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED: {what}");
}

/// Whether the tool is there; it must succeed.
fn tool(name: &str, folder: &Path, args: &[&str]) -> bool {
    match Command::new(name).current_dir(folder).args(args).output() {
        Ok(output) => {
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{name} {args:?}: {errors}");
            true
        }
        Err(_) => {
            skip(&format!("{name} is not installed"));
            false
        }
    }
}

const DRIVER: &str = r"
int main(void) {
    uint64_t words[7], out[2];
    while (fread(words, 8, 7, stdin) == 7) {
        CASES[words[0]](words + 1, out);
        fwrite(out, 8, 2, stdout);
    }
    return 0;
}
";

fn words(bits: &Bits) -> [u64; 2] {
    [bits.words()[0], bits.words()[1]]
}

/// Runs a program on all inputs of the cases and compares; a NaN may be any other one where `any_nan`.
fn compare(program: &Path, cases: &[&Case], any_nan: bool) {
    let mut input = Vec::new();
    for (number, case) in cases.iter().enumerate() {
        for args in &case.inputs {
            let mut line = [0u64; 7];
            line[0] = number as u64;
            for (place, arg) in args.iter().enumerate() {
                line[1 + 2 * place..][..2].copy_from_slice(&words(arg));
            }
            input.extend(line.iter().flat_map(|word| word.to_le_bytes()));
        }
    }
    let mut child =
        Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the program runs");
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(&input).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success());
    let mut results = output
        .stdout
        .chunks_exact(16)
        .map(|bytes| [0, 8].map(|at| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())));
    let mut wrong = BTreeSet::new();
    let mut example = String::new();
    for case in cases {
        for (args, expected) in case.inputs.iter().zip(&case.expected) {
            let got = results.next().expect("a result for each input");
            let is_right = agrees(got, words(expected), case.result.filter(|_| any_nan));
            if !is_right && wrong.insert(&case.symbol) {
                let _ = writeln!(example, "{}: {args:x?} gives {got:x?}, not {expected:x}", case.symbol);
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {} are wrong:\n{example}", wrong.len(), cases.len());
}

fn agrees(got: [u64; 2], expected: [u64; 2], format: Option<(i64, i64)>) -> bool {
    let Some(format) = format else { return got == expected };
    let element =
        |words: [u64; 2], at: i64| words[(at / 64) as usize] >> (at % 64) & (u64::MAX >> (64 - format.1));
    (0..i64::from(WIDTH) / format.1).all(|place| {
        let [got, expected] = [got, expected].map(|words| element(words, place * format.1));
        got == expected || is_nan(got, format) && is_nan(expected, format)
    })
}

/// The dialect's files below a folder.
fn generated(dialect: &Dialect, parts: &[Part]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let options = Options { parts: parts.iter().copied().collect(), ..Options::default() };
    for file in generate(dialect, &options, &Memo::default()).unwrap() {
        let path = folder.path().join(file.path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, file.contents).unwrap();
    }
    folder
}

fn dialect() -> Dialect {
    let classes = classes().into_iter().chain(conversions()).collect();
    Dialect::build(classes, Dictionary::default(), &Reviews::default()).unwrap().0
}

fn table(count: usize) -> String {
    let cases: Vec<String> = (0..count).map(|number| format!("case_{number}")).collect();
    format!(
        "static void (*const CASES[])(const uint64_t *, uint64_t *) = {{{}}};\n{DRIVER}",
        cases.join(", ")
    )
}

const INCLUDES: &str = "#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n";

#[test]
fn every_file_is_made() {
    let dialect = dialect();
    let folder = generated(&dialect, &Part::ALL);
    let read = |path: &str| fs::read_to_string(folder.path().join(path)).unwrap();
    assert!(!read("evaluators/autollvm.h").contains("Left out"));
    assert!(!read("evaluators/autollvm.rs").contains("Left out"));
    let portable = read("llvm/portable.ll");
    for reason in [
        "with a rule for NaNs, which LLVM leaves open",
        "with a rounding mode that is computed",
        "with rounding mode 5",
        "on 64 bits, for which LLVM calls the C library",
    ] {
        assert!(portable.contains(reason), "{reason}");
    }
}

#[test]
fn c_agrees_with_interp() {
    let (dialect, memo) = (dialect(), Memo::default());
    let operations: Vec<Operation<'_>> = dialect.ops().iter().map(|op| Operation::new(op, &memo)).collect();
    let cases = cases(&operations);
    let folder = generated(&dialect, &[Part::Evaluators]);
    let mut text = format!("{INCLUDES}#include \"evaluators/autollvm.h\"\n");
    for (number, case) in cases.iter().enumerate() {
        let args = (0..case.inputs[0].len()).map(|place| format!("from + {}", 2 * place));
        let params = case.params.iter().map(ToString::to_string);
        let operands: Vec<String> = ["to".to_owned()].into_iter().chain(args).chain(params).collect();
        let _ = writeln!(
            text,
            "static void case_{number}(const uint64_t *from, uint64_t *to) {{ if (autollvm_{}({})) abort(); }}",
            case.op,
            operands.join(", ")
        );
    }
    fs::write(folder.path().join("main.c"), text + &table(cases.len())).unwrap();
    let options =
        ["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-fsanitize=undefined", "-fno-sanitize-recover"];
    if tool("clang-19", folder.path(), &[&options[..], &["main.c", "-o", "run"]].concat()) {
        compare(&folder.path().join("run"), &cases.iter().collect::<Vec<_>>(), false);
    }
}

#[test]
fn rust_agrees_with_interp() {
    let (dialect, memo) = (dialect(), Memo::default());
    let operations: Vec<Operation<'_>> = dialect.ops().iter().map(|op| Operation::new(op, &memo)).collect();
    let cases = cases(&operations);
    let folder = generated(&dialect, &[Part::Evaluators]);
    let mut calls = String::new();
    for (number, case) in cases.iter().enumerate() {
        let args = (0..case.inputs[0].len()).map(|place| format!("&from[{}..{}]", 2 * place, 2 * place + 2));
        let params = case.params.iter().map(ToString::to_string);
        let operands: Vec<String> = ["to".to_owned()].into_iter().chain(args).chain(params).collect();
        let _ = writeln!(calls, "        {number} => autollvm::{}({}),", case.op, operands.join(", "));
    }
    let main = format!(
        "#![deny(warnings)]\n#[path = \"evaluators/autollvm.rs\"]\npub mod autollvm;\nuse std::io::{{Read, Write}};\n\
         fn run(number: u64, from: &[u64], to: &mut [u64]) {{\n    let done = match number {{\n{calls}        _ => \
         panic!(),\n    }};\n    done.unwrap();\n}}\n\
         fn main() {{\n    let mut bytes = Vec::new();\n    std::io::stdin().read_to_end(&mut bytes).unwrap();\n    \
         let words: Vec<u64> = bytes.chunks_exact(8).map(|b| u64::from_le_bytes(b.try_into().unwrap())).collect();\n    \
         let mut out = std::io::BufWriter::new(std::io::stdout().lock());\n    for line in words.chunks_exact(7) {{\n        \
         let mut to = [0; 2];\n        run(line[0], &line[1..], &mut to);\n        \
         to.iter().for_each(|word| out.write_all(&word.to_le_bytes()).unwrap());\n    }}\n}}\n"
    );
    fs::write(folder.path().join("main.rs"), main).unwrap();
    let options = ["--edition", "2021", "-C", "debug-assertions=yes", "main.rs", "-o", "run"];
    if tool("rustc", folder.path(), &options) {
        compare(&folder.path().join("run"), &cases.iter().collect::<Vec<_>>(), false);
    }
}

#[test]
fn portable_bodies_agree_with_interp() {
    let (dialect, memo) = (dialect(), Memo::default());
    let operations: Vec<Operation<'_>> = dialect.ops().iter().map(|op| Operation::new(op, &memo)).collect();
    let cases = cases(&operations);
    let folder = generated(&dialect, &[Part::Llvm]);
    let portable = fs::read_to_string(folder.path().join("llvm/portable.ll")).unwrap();
    let defined: Vec<&Case> =
        cases.iter().filter(|case| portable.contains(&format!(" @{}(", case.symbol))).collect();
    assert!(defined.len() > 100, "{}", defined.len());
    let mut text = format!(
        "{INCLUDES}typedef uint64_t R __attribute__((vector_size(16)));\n\
         static R get(const uint64_t *p) {{ R r; memcpy(&r, p, 16); return r; }}\n"
    );
    for (number, case) in defined.iter().enumerate() {
        let count = case.inputs[0].len();
        let types = vec!["R"; count].join(", ");
        let args: Vec<String> = (0..count).map(|place| format!("get(from + {})", 2 * place)).collect();
        let _ = writeln!(
            text,
            "R f{number}({types}) __asm__(\"{}\");\n\
             static void case_{number}(const uint64_t *from, uint64_t *to) {{ R r = f{number}({}); memcpy(to, &r, 16); }}",
            case.symbol,
            args.join(", ")
        );
    }
    fs::write(folder.path().join("main.c"), text + &table(defined.len())).unwrap();
    let all = "llvm/portable.ll";
    // LLVM 19 cannot select any instruction for `bfloat` on Hexagon.
    let (without, functions) = ("without.ll", portable.split_inclusive("\n}\n"));
    let others = functions.filter(|function| !function.contains("bfloat")).collect::<String>();
    fs::write(folder.path().join(without), others).unwrap();
    for (triple, object, file) in [
        ("x86_64-linux-gnu", "x86.o", all),
        ("aarch64-linux-gnu", "arm.o", all),
        ("hexagon-unknown-linux-musl", "hvx.o", without),
    ] {
        let target = format!("-mtriple={triple}");
        let options = [&target, "-O1", "-filetype=obj", "-relocation-model=pic", file, "-o", object];
        if !tool("llc-19", folder.path(), &options) {
            return;
        }
        // Only the compiler's own library is called.
        let output = Command::new("llvm-nm-19")
            .current_dir(folder.path())
            .args(["-u", "-j", object])
            .output()
            .unwrap();
        let called = String::from_utf8_lossy(&output.stdout).into_owned();
        let other: Vec<&str> = called.lines().filter(|name| !name.starts_with("__")).collect();
        assert!(other.is_empty(), "{triple}: {other:?}");
    }
    if tool("clang-19", folder.path(), &["-O1", "main.c", "x86.o", "-o", "run"]) {
        compare(&folder.path().join("run"), &defined, true);
    }
}

/// Z3's program, which the wheel that the set-up fetches has.
fn z3(folder: &Path) -> Option<PathBuf> {
    let wheels = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/z3/wheel");
    let mut wheels = fs::read_dir(wheels).ok()?.flatten().map(|entry| entry.path());
    let wheel = wheels.find(|path| path.extension().is_some_and(|end| end == "whl"))?;
    if !tool("python3", folder, &["-m", "zipfile", "-e", wheel.to_str()?, "wheel"]) {
        return None;
    }
    let mut folders = vec![folder.join("wheel")];
    while let Some(below) = folders.pop() {
        for path in fs::read_dir(below).ok()?.flatten().map(|entry| entry.path()) {
            if path.ends_with("bin/z3") {
                return tool("chmod", folder, &["+x", path.to_str()?]).then_some(path);
            }
            if path.is_dir() {
                folders.push(path);
            }
        }
    }
    None
}

#[test]
fn smt_agrees_with_interp() {
    let (dialect, memo) = (dialect(), Memo::default());
    let operations: Vec<Operation<'_>> = dialect.ops().iter().map(|op| Operation::new(op, &memo)).collect();
    let cases = cases(&operations);
    let folder = generated(&dialect, &[Part::Evaluators]);
    let Some(z3) = z3(folder.path()) else { return skip("no Z3 program (`cargo xtask setup`, python3)") };
    let mut script = String::new();
    for operation in &operations {
        let file = folder.path().join(format!("evaluators/smt/{}.smt2", operation.op.name));
        script += &fs::read_to_string(file).unwrap();
    }
    let mut asked = Vec::new();
    let mut missing = 0;
    for case in &cases {
        if script.contains(&format!("; Left out: {}: ", case.symbol)) {
            missing += 1;
            continue;
        }
        for (args, expected) in case.inputs.iter().zip(&case.expected).step_by(INPUTS / 8) {
            let args: Vec<String> = args.iter().map(|arg| format!("#x{arg:x}")).collect();
            let _ = writeln!(script, "(simplify (= ({} {}) #x{expected:x}))", case.symbol, args.join(" "));
            asked.push(&case.symbol);
        }
    }
    assert!(missing > 0 && missing < cases.len() / 8, "{missing} of {}", cases.len());
    fs::write(folder.path().join("all.smt2"), script).unwrap();
    let output = Command::new(&z3).arg(folder.path().join("all.smt2")).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let wrong: BTreeSet<&&String> = asked
        .iter()
        .zip(text.lines())
        .filter(|(_, line)| *line != "true")
        .map(|(symbol, _)| symbol)
        .collect();
    let start: Vec<&str> = text.lines().filter(|line| *line != "true").take(5).collect();
    assert!(wrong.is_empty() && text.lines().count() == asked.len(), "{wrong:?}: {start:?}");
}

/// The report evaluates functions on a page, in JavaScript.
#[test]
fn the_report_agrees_with_interp() {
    let (dialect, memo) = (dialect(), Memo::default());
    let operations: Vec<Operation<'_>> = dialect.ops().iter().map(|op| Operation::new(op, &memo)).collect();
    let cases = cases(&operations);
    let folder = tempfile::tempdir().unwrap();
    let mut script = format!(
        "globalThis.hydride = {{}};\n{}\nconst CASES = [\n",
        include_str!("../../../templates/report/evaluate.js").replace("\"use strict\";", "")
    );
    for case in &cases {
        let inputs: Vec<String> = case
            .inputs
            .iter()
            .zip(&case.expected)
            .map(|(args, expected)| {
                let values = args.iter().chain([expected]).map(|value| format!("0x{value:x}n"));
                format!("[{}]", values.collect::<Vec<_>>().join(","))
            })
            .collect();
        let _ = writeln!(script, "[{:?}, `{}`, [{}]],", case.symbol, case.function, inputs.join(","));
    }
    script += "];\nfor (const [symbol, text, inputs] of CASES) {\n  const { run } = hydride.ir.parse(text);\n  \
               const wrong = inputs.find((values) => run(values.slice(0, -1))[0] !== values.at(-1));\n  \
               if (wrong) console.log(symbol, wrong, run(wrong.slice(0, -1)));\n}\n";
    fs::write(folder.path().join("run.js"), script).unwrap();
    match Command::new("node").current_dir(folder.path()).arg("run.js").output() {
        Ok(output) => {
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{errors}");
            let wrong = String::from_utf8_lossy(&output.stdout);
            assert!(wrong.is_empty(), "{wrong}");
        }
        Err(_) => skip("node is not installed"),
    }
}

#[test]
fn rust_models_agree_with_interp() {
    let (dialect, memo) = (dialect(), Memo::default());
    let operations: Vec<Operation<'_>> = dialect.ops().iter().map(|op| Operation::new(op, &memo)).collect();
    let cases = cases(&operations);
    let ids: Vec<String> = (0..cases.len()).map(|number| format!("f{number}")).collect();
    let signatures: Vec<_> = cases
        .iter()
        .map(|case| {
            let mut signature = samples::member("east", "f", &[], case.inputs[0].len() as u32).signature;
            for (arg, name) in signature.args.iter_mut().zip(["a", "b", "c"]) {
                name.clone_into(&mut arg.name);
            }
            "dst".clone_into(&mut signature.results[0].name);
            signature
        })
        .collect();
    let modelled = |place: usize| Modelled {
        isa: "east",
        id: &ids[place],
        intrinsic: &ids[place],
        function: &cases[place].function,
        signature: &signatures[place],
        extensions: &[],
        mnemonics: BTreeSet::new(),
        undefined: Vec::new(),
        undefined_for: Vec::new(),
    };
    let sources: Vec<Modelled<'_>> = (0..cases.len()).map(modelled).collect();
    let folder = tempfile::tempdir().unwrap();
    for file in models(&sources, &|_| Vec::new(), &Memo::default()).unwrap() {
        assert!(!file.contents.contains("// Left out"), "{}", file.contents);
        let path = folder.path().join(file.path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, file.contents).unwrap();
    }
    let mut calls = String::new();
    for (number, case) in cases.iter().enumerate() {
        let args: Vec<String> = (0..case.inputs[0].len())
            .map(|place| format!("transmute([from[{}], from[{}]])", 2 * place, 2 * place + 1))
            .collect();
        let _ = writeln!(calls, "        {number} => transmute(f{number}({})),", args.join(", "));
    }
    let main = format!(
        "use models::east::base::*;\nuse std::io::{{Read, Write}};\nuse std::mem::transmute;\n\
         fn run(number: u64, from: &[u64]) -> [u64; 2] {{\n    unsafe {{ match number {{\n{calls}        _ => \
         panic!(),\n    }} }}\n}}\n\
         fn main() {{\n    let mut bytes = Vec::new();\n    std::io::stdin().read_to_end(&mut bytes).unwrap();\n    \
         let words: Vec<u64> = bytes.chunks_exact(8).map(|b| u64::from_le_bytes(b.try_into().unwrap())).collect();\n    \
         let mut out = std::io::BufWriter::new(std::io::stdout().lock());\n    for line in words.chunks_exact(7) {{\n        \
         let to = run(line[0], &line[1..]);\n        \
         to.iter().for_each(|word| out.write_all(&word.to_le_bytes()).unwrap());\n    }}\n}}\n"
    );
    fs::write(folder.path().join("main.rs"), main).unwrap();
    let feature = "feature=\"east-base\"";
    let library = [
        "--edition",
        "2024",
        "-D",
        "warnings",
        "--crate-name",
        "models",
        "--crate-type",
        "lib",
        "--cfg",
        feature,
    ];
    let program = ["--edition", "2024", "--extern", "models=libmodels.rlib", "main.rs", "-o", "run"];
    if tool("rustc", folder.path(), &[&library[..], &["models/src/lib.rs"]].concat())
        && tool("rustc", folder.path(), &program)
    {
        compare(&folder.path().join("run"), &cases.iter().collect::<Vec<_>>(), false);
    }
}
