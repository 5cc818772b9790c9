//! `c/`: programs in C call the functions of the header and compare the results with `interp`; the header compiles as C
//! and C++.

mod memory;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use difftest::x86::CpuFeatures;
use hydride_ir::passes::open_nans;
use hydride_ir::{Bits, Function};
use interp::{Choice, Machine, Program};
use serde_json::Value;

use crate::lowering::tools;
use crate::support::programs::{self, START, TARGETS, Target};
use crate::support::*;

/// Inputs of each function.
const INPUTS: usize = 4;

/// A parameter of a prototype: its name, its type without `const`, and how many elements it points to.
struct Parameter {
    name: String,
    ty: String,
    count: Option<usize>,
}

impl Parameter {
    /// The bytes of an element.
    fn bytes(&self) -> usize {
        match self.ty.as_str() {
            "float" => 4,
            "double" => 8,
            integer => {
                let bits: String = integer.chars().filter(char::is_ascii_digit).collect();
                bits.parse::<usize>().map_or(1, |bits| bits / 8)
            }
        }
    }

    /// Whether it is a floating-point number, of which an integer has not the bits.
    fn is_float(&self) -> bool {
        matches!(self.ty.as_str(), "float" | "double")
    }

    /// The bytes in memory of a value of this type, whose bits are extended.
    fn in_memory(&self, value: &Bits) -> Vec<u8> {
        let count = self.count.unwrap_or(1);
        let above = self.ty.starts_with("int") && value.bit(value.width() - 1);
        let bit = |at: usize| match u32::try_from(at) {
            Ok(at) if at < value.width() => value.bit(at),
            _ => above,
        };
        if self.ty == "bool" {
            return (0..count).map(|lane| u8::from(bit(lane))).collect();
        }
        let byte = |at: usize| (0..8).map(|low| u8::from(bit(8 * at + low)) << low).sum();
        (0..count * self.bytes()).map(byte).collect()
    }
}

/// A prototype with the comment above it.
struct Prototype<'a> {
    comment: &'a str,
    parameters: Vec<Parameter>,
}

impl Prototype<'_> {
    /// The values that an instruction set's function has for an immediate: `arm neon, count 1..8; x86 sse2, …: …`.
    fn values(&self, isa: &str, parameter: &str) -> Option<Vec<i64>> {
        let (owners, _) = self.comment.split_once(": ").expect("a sentence");
        let own =
            owners.split("; ").find(|owner| owner.split([' ', ',']).next() == Some(isa)).expect("an owner");
        let mut texts = own.split(", ").skip(1).filter_map(|text| text.split_once(' '));
        let (_, ranges) = texts.find(|(name, _)| *name == parameter)?;
        let range = |text: &str| {
            let (low, high) = text.split_once("..").unwrap_or((text, text));
            low.parse::<i64>().expect("a number")..=high.parse().expect("a number")
        };
        Some(ranges.split(" or ").flat_map(range).collect())
    }
}

/// The header's prototypes by name.
fn prototypes(header: &str) -> BTreeMap<&str, Prototype<'_>> {
    let parameter = |text: &str| {
        let text = text.trim_start_matches("const ");
        let (ty, name) = text.split_once(' ').expect("a type and a name");
        let name = name.trim_start_matches('*');
        let (name, count) = match name.split_once('[') {
            Some((name, count)) => (name, Some(count.trim_end_matches(']').parse().expect("a count"))),
            None => (name, None),
        };
        Parameter { name: name.to_owned(), ty: ty.to_owned(), count }
    };
    let pairs = header.lines().zip(header.lines().skip(1));
    pairs
        .filter_map(|(above, line)| {
            let (name, parameters) = line.strip_prefix("void ")?.strip_suffix(");")?.split_once('(')?;
            let comment = above.strip_prefix("/* ").expect("a comment");
            Some((name, Prototype { comment, parameters: parameters.split(", ").map(parameter).collect() }))
        })
        .collect()
}

/// The name in C of a definition.
fn c_name(name: &str) -> String {
    let letter = |c: char| match c {
        '-' => 'm',
        _ if c.is_ascii_alphanumeric() => c,
        _ => '_',
    };
    name.chars().map(letter).collect()
}

fn array(name: &str, bytes: &[u8]) -> String {
    let list: Vec<String> = bytes.iter().map(u8::to_string).collect();
    format!("static const _Alignas(8) uint8_t {name}[] = {{{}}};\n", list.join(","))
}

/// A function `case_NUMBER` in C that calls a function, and says whether its results are those expected.
#[derive(Default)]
struct Case {
    number: usize,
    data: String,
    body: String,
    passed: Vec<String>,
    checks: String,
}

impl Case {
    /// Passes the arrays for results, and compares these with what is expected.
    fn results(&mut self, parameters: &[Parameter], expected: &[Bits]) {
        let number = self.number;
        for (at, (parameter, value)) in parameters.iter().zip(expected).enumerate() {
            let bytes = parameter.in_memory(value);
            self.data += &array(&format!("e{number}_{at}"), &bytes);
            self.body += &format!("    _Alignas(8) uint8_t r{at}[{}];\n", bytes.len());
            self.passed.push(format!("({} *)r{at}", parameter.ty));
            // What is above the document's result is arbitrary.
            let known = bytes.len().min(match parameter.ty.as_str() {
                "bool" => value.width() as usize,
                _ => value.width().div_ceil(8) as usize,
            });
            self.checks += &format!(" && same(r{at}, e{number}_{at}, {known})");
        }
    }

    /// Passes an argument's value.
    fn argument(&mut self, parameter: &Parameter, at: usize, value: &Bits) {
        let number = self.number;
        let bytes = parameter.in_memory(value);
        if parameter.count.is_some() || parameter.is_float() {
            self.data += &array(&format!("a{number}_{at}"), &bytes);
            let read = if parameter.count.is_some() { "" } else { "*" };
            self.passed.push(format!("{read}(const {} *)a{number}_{at}", parameter.ty));
        } else {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(&bytes);
            self.passed.push(format!("({}){}u", parameter.ty, u64::from_le_bytes(word)));
        }
    }

    /// The function that calls `name`.
    fn text(self, name: &str) -> String {
        let Self { number, data, body, passed, checks } = self;
        let passed = passed.join(", ");
        format!(
            "{data}static int case_{number}(void) {{\n{body}    {name}({passed});\n    return 1{checks};\n}}\n"
        )
    }
}

/// The case of a definition's function with an input.
fn case(
    number: usize,
    (name, parameters): (&str, &[Parameter]),
    operands: &[Bits],
    expected: &[Bits],
) -> String {
    let (results, arguments) = parameters.split_at(expected.len());
    let mut case = Case { number, ..Case::default() };
    case.results(results, expected);
    for (at, (parameter, value)) in arguments.iter().zip(operands).enumerate() {
        case.argument(parameter, at, value);
    }
    case.text(name)
}

const HEAD: &str = "#include \"autollvm.h\"\n";

const SAME: &str = r#"
static int same(const uint8_t *a, const uint8_t *b, int count) {
    for (int at = 0; at < count; at++)
        if (a[at] != b[at])
            return 0;
    return 1;
}

"#;

/// The program's exit code is 0, or the number of the first case that is wrong, modulo 255, and 1.
const TAIL: &str = r#"
static int check(void) {
    for (int at = 0; at < COUNT; at++)
        if (!cases[at]())
            return at % 255 + 1;
    return 0;
}
"#;

/// Draws of arguments for which no result is a NaN: which one it is a compiler may choose.
const DRAWS: usize = 200;

/// The value of each result of an instruction's function; none where a result is a NaN of which the choice is open.
fn evaluated(function: &Function, args: &[Bits]) -> Option<Vec<Bits>> {
    let open = open_nans(function);
    let value = |program| results_of(&program, args);
    let [one, other] =
        [Program::with_params(&open, &[]), Program::with_choice(&open, &[], Choice::OtherNans)]
            .map(|program| value(program.expect("a legal function")));
    (one == other).then_some(one)
}

fn results_of(program: &Program, args: &[Bits]) -> Vec<Bits> {
    let mut machine = Machine::new();
    let words: Vec<u64> = args.iter().flat_map(|arg| arg.words().to_vec()).collect();
    program.run_words(&mut machine, &words).expect("a run");
    let widths = program.result_widths().enumerate();
    widths
        .map(|(at, width)| Bits::from_words(width, program.result_words(&machine, at).iter().copied()))
        .collect()
}

/// Of those members of an instruction set that are to be tried and can be run here, the rows and the functions' names.
fn runnable<'r>(json: &'r Value, isa: &str, is_tried: impl Fn(&Value) -> bool) -> Vec<(&'r Value, &'r str)> {
    let rows = json["lowerings"].as_array().unwrap().iter();
    let rows: Vec<(&Value, &str)> = rows
        .filter(|row| row["isa"] == isa && is_tried(row))
        .filter_map(|row| Some((row, row["function"]["name"].as_str()?)))
        .collect();
    // Members that share a function can need different extensions.
    let mut extensions: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (row, name) in &rows {
        let own = row["extensions"].as_array().unwrap().iter();
        let own = own.map(|extension| extension.as_str().expect("a text").to_owned());
        extensions.entry(name).or_default().extend(own);
    }
    let cpu = CpuFeatures::of_this_machine().unwrap();
    let is_here = |name: &str| match isa {
        "x86" => cpu.missing(&extensions[name]).is_empty(),
        // The emulator knows no newer one.
        "hvx" => extensions[name].iter().all(|name| name.as_str() <= "hvxv67"),
        _ => true,
    };
    rows.into_iter().filter(|(_, name)| is_here(name)).collect()
}

/// The prototype of a definition's function on an instruction set, and its name.
fn prototype_of<'p, 'h>(
    prototypes: &'p BTreeMap<&str, Prototype<'h>>,
    definition: &str,
    isa: &str,
) -> (String, &'p Prototype<'h>) {
    let name = c_name(definition);
    let own = format!("{name}_{isa}");
    let name = if prototypes.contains_key(name.as_str()) { name } else { own };
    let prototype = prototypes.get(name.as_str()).unwrap_or_else(|| panic!("{name} has no prototype"));
    (name, prototype)
}

/// The cases of an instruction set `without` some instructions, and for each one the instruction that it is about.
fn cases(out: &Path, isa: &str, without: &[&str]) -> (Vec<String>, Vec<String>) {
    let header = std::fs::read_to_string(out.join("c/autollvm.h")).unwrap();
    let prototypes = prototypes(&header);
    let semantics = functions(&out.join(format!("ir/{isa}.hir")));
    let json = read_json(&out.join("llvm/lowering.json"));
    let is_tried =
        |row: &Value| row["memory"].is_null() && !without.contains(&row["id"].as_str().expect("an id"));
    let (mut texts, mut ids) = (Vec::new(), Vec::new());
    let mut random = Random::new(16);
    for (row, name) in runnable(&json, isa, is_tried) {
        let (name, prototype) = prototype_of(&prototypes, name, isa);
        let parameters = &prototype.parameters;
        let id = row["id"].as_str().expect("a text").to_owned();
        let function = &semantics[&id];
        let (mut draws, mut found) = (0, 0);
        while found < INPUTS && draws < DRAWS {
            draws += 1;
            let mut args = random.arguments(function);
            let operands = row["function"]["operands"].as_array().unwrap();
            let positions: Vec<usize> =
                operands.iter().map(|operand| operand[2].as_u64().unwrap() as usize).collect();
            assert_eq!(parameters.len(), positions.len() + function.results.len(), "{name}");
            for (position, parameter) in positions.iter().zip(&parameters[function.results.len()..]) {
                if let Some(values) = prototype.values(isa, &parameter.name) {
                    let value = values[random.next() as usize % values.len()];
                    args[*position] = Bits::from_u64(args[*position].width(), value.cast_unsigned());
                }
            }
            let Some(expected) = evaluated(function, &args) else { continue };
            found += 1;
            let operands: Vec<Bits> = positions.iter().map(|position| args[*position].clone()).collect();
            texts.push(case(texts.len(), (&name, parameters), &operands, &expected));
            ids.push(id.clone());
        }
    }
    (texts, ids)
}

#[track_caller]
fn clang(folder: &Path, args: &[&str]) {
    let output = Command::new("clang-19").args(args).current_dir(folder).output().expect("clang");
    let errors = String::from_utf8_lossy(&output.stderr);
    let errors: Vec<&str> = errors.lines().take(20).collect();
    assert!(output.status.success(), "{}", errors.join("\n"));
}

/// Builds and runs a program with all cases of an instruction set `without` some instructions.
fn functions_do_what_the_documents_say(out: &Path, target: &Target, without: &[&str]) {
    let Target { isa, clang: options, emulator } = target;
    let folder = scratch();
    let (texts, ids) = cases(out, isa, without);
    assert!(texts.len() > 50, "{isa}: {} cases", texts.len());
    let names: Vec<String> = (0..texts.len()).map(|number| format!("case_{number}")).collect();
    let table = format!(
        "enum {{ COUNT = {} }};\nstatic int (*const cases[COUNT])(void) = {{{}}};\n",
        names.len(),
        names.join(", ")
    );
    std::fs::write(
        folder.path().join("program.c"),
        [HEAD, SAME, &texts.concat(), &table, TAIL, START].concat(),
    )
    .unwrap();
    let (include, module) =
        (format!("-I{}", out.join("c").display()), out.join(format!("c/autollvm-{isa}.ll")));
    let module = module.to_string_lossy();
    let args =
        ["-O1", "-fno-builtin", "-Wno-override-module", &include, "program.c", &module, "-o", "program"];
    clang(folder.path(), &[options, &args[..]].concat());
    let program = folder.path().join("program").to_string_lossy().into_owned();
    let words: Vec<&str> = emulator.iter().copied().chain([program.as_str()]).collect();
    let status = Command::new(words[0]).args(&words[1..]).status().expect("a run");
    let code = status.code().unwrap_or_else(|| panic!("{isa}: {status}"));
    let suspects: Vec<&str> = ids
        .iter()
        .enumerate()
        .filter(|(at, _)| (at % 255 + 1) as i32 == code)
        .map(|(_, id)| id.as_str())
        .collect();
    assert_eq!(code, 0, "{isa}: one of {suspects:?}");
    println!("{isa}: {} calls", ids.len());
}

fn check(out: &Path, without: &[&str]) {
    if tools(&programs::TOOLS) {
        for target in &TARGETS {
            functions_do_what_the_documents_say(out, target, without);
        }
    }
}

#[test]
fn functions_of_the_samples_run_from_c() {
    // Arm's samples have a different instruction under the name of this one.
    check(&shared_output(&samples(), ALL), &["vrecpe_u32"]);
}

#[test]
fn all_functions_run_from_c() {
    if !is_full() {
        return;
    }
    let Some(specs) = vendor_documents::with(&["x86", "arm", "hvx"]).into_iter().next() else { return };
    // The document leaves the result for 0 undefined.
    check(&shared_output(&specs, ALL), &["_bit_scan_reverse"]);
}

#[test]
fn the_header_is_c_and_cpp() {
    if !tools(&["clang-19"]) {
        return;
    }
    let folder = scratch();
    for specs in document_folders_of("x86") {
        let out = shared_output(&specs, ALL);
        let header = out.join("c/autollvm.h").to_string_lossy().into_owned();
        let warnings = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only"];
        clang(folder.path(), &[&["-x", "c", "-std=c11"], &warnings[..], &[&header]].concat());
        clang(folder.path(), &[&["-x", "c++", "-std=c++17"], &warnings[..], &[&header]].concat());
    }
}
