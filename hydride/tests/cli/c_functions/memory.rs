//! Functions in C with operands in memory, those of the header and the evaluators of instructions: each call has a page
//! between others that cannot be accessed, in turns with the first byte that it accesses at the start or with the last one at
//! the end. Results are compared with `interp`, and the page byte by byte with what it has to be afterwards. Evaluators in
//! Rust have slices that end with the page.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use hydride_ir::{Bits, Function, Op, Role};
use interp::Program;

use super::*;

/// Bytes of a page.
const PAGE: i64 = 4096;

/// Inputs of each function.
const INPUTS: usize = 3;

/// Widths of the lanes of registers that addresses of elements may be computed from.
const INDEX_WIDTHS: [u32; 3] = [64, 32, 16];

const HEAD: &str = r"
#define _GNU_SOURCE
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096 };

static volatile int current;

static void fault(int number) {
    (void)number;
    _exit(current);
}

static uint8_t pattern(int number, int at) { return (uint8_t)(at * 167 + (at >> 8) * 13 + number * 57); }

static uint8_t *page(int number) {
    static uint8_t *pages[4];
    if (!pages[number]) {
        signal(SIGSEGV, fault);
        pages[number] = (uint8_t *)mmap(0, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) + PAGE;
        mprotect(pages[number], PAGE, PROT_READ | PROT_WRITE);
    }
    for (int at = 0; at < PAGE; at++)
        pages[number][at] = pattern(number, at);
    return pages[number];
}

static bool is_left(int number, const uint8_t *page, const uint16_t *written, int count) {
    static uint8_t expected[PAGE];
    for (int at = 0; at < PAGE; at++)
        expected[at] = pattern(number, at);
    for (int at = 0; at < count; at += 2)
        expected[written[at]] = (uint8_t)written[at + 1];
    for (int at = 0; at < PAGE; at++)
        if (page[at] != expected[at])
            return false;
    return true;
}
";

/// The byte of a page before a call: `pattern` in C.
fn pattern(number: usize, at: i64) -> u8 {
    (at * 167 + (at >> 8) * 13 + number as i64 * 57) as u8
}

/// Which memory an instruction accesses.
struct Semantics {
    function: Function,
    accessed: Option<Function>,
    addresses: Option<Function>,
}

/// An operand in memory of a call.
struct Place {
    /// The argument.
    position: usize,
    /// Where the pointer points in the page.
    pointer: i64,
    /// The bytes of the page that are written, and their values.
    written: BTreeMap<i64, u8>,
    /// The last byte of the page that is accessed.
    last: Option<i64>,
    /// Whether its elements are at addresses of their own.
    has_elements: bool,
}

/// A call and what it has to do.
struct Call {
    args: Vec<Bits>,
    places: Vec<Place>,
    /// The results that are not in memory.
    results: Vec<Bits>,
}

/// The instructions of an instruction set that have operands in memory.
fn instructions(out: &Path, isa: &str) -> BTreeMap<String, Semantics> {
    let mut about = functions(&out.join(format!("ir/{isa}.memory.hir")));
    let all = functions(&out.join(format!("ir/{isa}.hir"))).into_iter();
    all.filter(|(_, function)| function.args.iter().any(|arg| matches!(arg.role, Role::Memory { .. })))
        .map(|(id, function)| {
            let [accessed, addresses] =
                ["accessed", "addresses"].map(|what| about.remove(&format!("{id}.{what}")));
            (id, Semantics { function, accessed, addresses })
        })
        .collect()
}

fn width(num: &hydride_ir::Num) -> u32 {
    u32::try_from(num.as_constant().expect("a width")).expect("a width")
}

/// What a function of accesses says of an argument.
fn said(function: Option<&Function>, name: &str, args: &[Bits]) -> Option<Bits> {
    let function = function?;
    let position = function.results.iter().position(|result| result.name == name)?;
    let program = Program::with_params(function, &[]).expect("a legal function");
    results_of(&program, args).into_iter().nth(position)
}

impl Semantics {
    /// Makes the elements of the registers that addresses are computed from small numbers.
    fn bring_near(&self, args: &mut [Bits], lane: u32, random: &mut Random) {
        let Some(addresses) = &self.addresses else { return };
        for expr in addresses.exprs() {
            let Op::Arg(arg) = expr.op else { continue };
            let own = &mut args[arg.0 as usize];
            if addresses.args[arg.0 as usize].role != Role::Register || own.width() < lane {
                continue;
            }
            let mut words = vec![0; own.words().len()];
            for low in (0..own.width()).step_by(lane as usize) {
                let value = (random.next() % 40) as i64 - 20;
                words[(low / 64) as usize] |=
                    value.cast_unsigned() << (64 - lane) >> (64 - lane) << (low % 64);
            }
            *own = Bits::from_words(own.width(), words);
        }
    }

    /// The call of given arguments, whose operands in memory are those of pages; `None` if one is not in its page.
    fn call(&self, mut args: Vec<Bits>, number: usize) -> Option<Call> {
        let function = &self.function;
        let memory = (0..function.args.len())
            .filter(|position| matches!(function.args[*position].role, Role::Memory { .. }));
        let mut places = Vec::new();
        let mut bytes_of = Vec::new();
        for (page, position) in memory.enumerate() {
            let own = &function.args[position];
            let Role::Memory { align, .. } = own.role else { continue };
            let bytes = width(&own.width) / 8;
            let accessed = said(self.accessed.as_ref(), &own.name, &args);
            let accessed: Vec<u32> =
                (0..bytes).filter(|at| accessed.as_ref().is_none_or(|accessed| accessed.bit(*at))).collect();
            let distances = said(self.addresses.as_ref(), &own.name, &args);
            let distance = |at: u32| match &distances {
                Some(distances) => {
                    let size = bytes / (distances.width() / 64);
                    distances.words()[(at / size) as usize].cast_signed() + i64::from(at % size)
                }
                None => i64::from(at),
            };
            let align = i64::from(align);
            let pointer = match (accessed.first(), accessed.last()) {
                _ if distances.is_some() => PAGE / 2,
                (Some(first), _) if number.is_multiple_of(2) => -(i64::from(*first) / align * align),
                (_, Some(last)) => (PAGE - 1 - i64::from(*last)) / align * align,
                _ => PAGE + align,
            };
            let at_page = |at: u32| pointer.saturating_add(distance(at));
            let accessed: Vec<(u32, i64)> = accessed.into_iter().map(|at| (at, at_page(at))).collect();
            let mut words = args[position].words().to_vec();
            for (at, place) in &accessed {
                if !(0..PAGE).contains(place) {
                    return None;
                }
                let (word, shift) = (&mut words[(at / 8) as usize], 8 * (at % 8));
                *word = *word & !(0xff << shift) | u64::from(pattern(page, *place)) << shift;
            }
            args[position] = Bits::from_words(args[position].width(), words);
            let last = accessed.iter().map(|(_, place)| *place).max();
            let has_elements = distances.is_some();
            places.push(Place { position, pointer, written: BTreeMap::new(), last, has_elements });
            bytes_of.push(accessed);
        }
        let values = evaluated(function, &args)?;
        let mut results = Vec::new();
        for (result, value) in function.results.iter().zip(values) {
            let is_own = |place: &Place| function.args[place.position].name == result.name;
            let Some(own) = places.iter().position(is_own) else {
                results.push(value);
                continue;
            };
            for (at, place) in &bytes_of[own] {
                let byte = (0..8).map(|bit| u8::from(value.bit(8 * at + bit)) << bit).sum();
                places[own].written.insert(*place, byte);
            }
        }
        Some(Call { args, places, results })
    }

    /// A call with arguments at random, of which `fixed` chooses some.
    fn draw(
        &self,
        random: &mut Random,
        number: usize,
        fixed: &mut dyn FnMut(&mut Random, &mut [Bits]),
    ) -> Option<Call> {
        (0..DRAWS).find_map(|draw| {
            let mut args = random.arguments(&self.function);
            fixed(random, &mut args);
            self.bring_near(&mut args, INDEX_WIDTHS[draw % INDEX_WIDTHS.len()], random);
            self.call(args, number)
        })
    }
}

/// The case of a call; `operands` are the positions of the arguments in the order of the parameters after those of results.
fn case(number: usize, (name, parameters): (&str, &[Parameter]), operands: &[usize], call: &Call) -> String {
    let (results, arguments) = parameters.split_at(call.results.len());
    let body = format!("    current = {number} % 255 + 1;\n");
    let mut case = Case { number, body, ..Case::default() };
    case.results(results, &call.results);
    for (at, (parameter, position)) in arguments.iter().zip(operands).enumerate() {
        let Some(page) = call.places.iter().position(|place| place.position == *position) else {
            case.argument(parameter, at, &call.args[*position]);
            continue;
        };
        let Place { pointer, written, .. } = &call.places[page];
        case.body += &format!("    uint8_t *p{page} = page({page});\n");
        case.passed.push(format!("(void *)((uintptr_t)p{page} + ({pointer}))"));
        let list: Vec<String> = written.iter().map(|(at, byte)| format!("{at},{byte}")).collect();
        let count = 2 * list.len();
        let list = if list.is_empty() { "0".to_owned() } else { list.join(",") };
        case.data += &format!("static const uint16_t w{number}_{page}[] = {{{list}}};\n");
        case.checks += &format!(" && is_left({page}, p{page}, w{number}_{page}, {count})");
    }
    case.text(name)
}

/// The parameters of an instruction's evaluator.
fn evaluator_parameters(function: &Function) -> Vec<Parameter> {
    let is_stored = |name: &str| {
        function.args.iter().any(|arg| arg.name == name && matches!(arg.role, Role::Memory { .. }))
    };
    let words = |num| Some(width(num).div_ceil(64) as usize);
    let parameter =
        |name: &str, ty: &str, count| Parameter { name: name.to_owned(), ty: ty.to_owned(), count };
    let results = function.results.iter().filter(|result| !is_stored(&result.name));
    let results = results.map(|result| parameter(&result.name, "uint64_t", words(&result.width)));
    let args = function.args.iter().map(|arg| match arg.role {
        Role::Memory { .. } => parameter(&arg.name, "void", None),
        Role::Immediate { .. } => parameter(&arg.name, "uint64_t", None),
        Role::Register => parameter(&arg.name, "uint64_t", words(&arg.width)),
    });
    results.chain(args).collect()
}

/// The program of cases.
fn program(include: &str, texts: &[String]) -> String {
    let names: Vec<String> = (0..texts.len()).map(|number| format!("case_{number}")).collect();
    let table = format!(
        "enum {{ COUNT = {} }};\nstatic int (*const cases[COUNT])(void) = {{{}}};\n",
        names.len(),
        names.join(", ")
    );
    let include = format!("#include \"{include}\"\n");
    [HEAD, &include, SAME, &texts.concat(), &table, TAIL, START].concat()
}

/// Runs a program; `ids` are the instructions of its cases.
fn run(folder: &Path, emulator: &[&str], ids: &[String]) {
    let program = folder.join("program").to_string_lossy().into_owned();
    let words: Vec<&str> = emulator.iter().copied().chain([program.as_str()]).collect();
    let status = Command::new(words[0]).args(&words[1..]).status().expect("a run");
    let code = status.code().unwrap_or_else(|| panic!("{status}"));
    let suspects = ids.iter().enumerate().filter(|(at, _)| (at % 255 + 1) as i32 == code);
    let suspects: Vec<&str> = suspects.map(|(_, id)| id.as_str()).collect();
    assert_eq!(code, 0, "one of {suspects:?}");
}

/// Instructions of which something is tried: all, or so many of each instruction set.
fn is_chosen(number: usize, all: usize) -> bool {
    const SOME: usize = 60;
    is_full() || number.is_multiple_of(all.div_ceil(SOME))
}

/// The header's functions of an instruction set; how many were called.
fn header_accesses_what_the_documents_say(out: &Path, target: &Target) -> usize {
    let Target { isa, clang: options, emulator } = target;
    let header = std::fs::read_to_string(out.join("c/autollvm.h")).unwrap();
    let prototypes = prototypes(&header);
    let semantics = instructions(out, isa);
    let json = read_json(&out.join("llvm/lowering.json"));
    let rows = runnable(&json, isa, |row| !row["memory"].is_null());
    let (mut texts, mut ids) = (Vec::new(), Vec::new());
    let mut random = Random::new(18);
    let all = rows.len();
    for (row, name) in rows.into_iter().enumerate().filter(|(at, _)| is_chosen(*at, all)).map(|(_, row)| row)
    {
        let (name, prototype) = prototype_of(&prototypes, name, isa);
        let id = row["id"].as_str().unwrap();
        let operands = row["function"]["operands"].as_array().unwrap();
        let operands: Vec<usize> =
            operands.iter().map(|operand| operand[2].as_u64().unwrap() as usize).collect();
        let own = &semantics[id];
        let results = prototype.parameters.len() - operands.len();
        let mut fixed = |random: &mut Random, args: &mut [Bits]| {
            for (position, parameter) in operands.iter().zip(&prototype.parameters[results..]) {
                if parameter.ty != "void"
                    && let Some(values) = prototype.values(isa, &parameter.name)
                {
                    let value = values[random.next() as usize % values.len()];
                    args[*position] = Bits::from_u64(args[*position].width(), value.cast_unsigned());
                }
            }
        };
        for number in 0..INPUTS {
            let call = own.draw(&mut random, number, &mut fixed).unwrap_or_else(|| panic!("{id}: no call"));
            assert_eq!(call.results.len(), results, "{id}");
            texts.push(case(texts.len(), (&name, &prototype.parameters), &operands, &call));
            ids.push(id.to_owned());
        }
    }
    if ids.is_empty() {
        return 0;
    }
    let folder = scratch();
    std::fs::write(folder.path().join("program.c"), program("autollvm.h", &texts)).unwrap();
    let include = format!("-I{}", out.join("c").display());
    let module = out.join(format!("c/autollvm-{isa}.ll"));
    let compiled = ["-O1", "-fno-builtin", &include, "-c", "-emit-llvm", "program.c", "-o", "program.bc"];
    clang(folder.path(), &[options, &compiled[..]].concat());
    // A module has all functions, of which few are called.
    let linked = Command::new("llvm-link-19")
        .args(["--only-needed", "program.bc", &module.to_string_lossy(), "-o", "linked.bc"])
        .current_dir(folder.path())
        .output()
        .expect("llvm-link");
    assert!(linked.status.success(), "{}", String::from_utf8_lossy(&linked.stderr));
    clang(
        folder.path(),
        &[options, &["-O1", "-Wno-override-module", "linked.bc", "-o", "program"][..]].concat(),
    );
    run(folder.path(), emulator, &ids);
    ids.len()
}

#[test]
fn the_header_accesses_what_the_documents_say() {
    if !tools(&programs::TOOLS) || !tools(&programs::MODULE_TOOLS) {
        return;
    }
    for specs in documents_to_compile() {
        let out = shared_output(&specs, ALL);
        for target in TARGETS.iter().filter(|target| target.isa != "hvx") {
            let calls = header_accesses_what_the_documents_say(&out, target);
            println!("{}: {calls} calls", target.isa);
        }
    }
}

/// Those of an instruction set's instructions of which something is tried, with their evaluators' names.
fn evaluated_instructions(out: &Path, isa: &str) -> Vec<(String, String, Semantics)> {
    let text = std::fs::read_to_string(out.join(format!("evaluators/memory_{isa}.h"))).expect("a header");
    // The comment above a function names the instruction.
    let mut names: BTreeMap<&str, &str> = BTreeMap::new();
    let mut id = "";
    for line in text.lines() {
        id = line.strip_prefix("// The instruction `").and_then(|rest| rest.strip_suffix("`.")).unwrap_or(id);
        if let Some(rest) = line.strip_prefix("static inline void ") {
            names.insert(id, rest.split('(').next().unwrap());
        }
    }
    let semantics = instructions(out, isa);
    let all = semantics.len();
    let chosen = semantics.into_iter().enumerate().filter(|(at, _)| is_chosen(*at, all));
    chosen
        .filter_map(|(_, (id, own))| {
            let name = names.get(id.as_str()).map(|name| (*name).to_owned());
            let is_left_out = || text.contains(&format!("// Left out: instruction `{id}`"));
            assert!(name.is_some() || is_left_out(), "{id}");
            Some((id, name?, own))
        })
        .collect()
}

/// The evaluators of an instruction set's instructions in C.
fn evaluators_access_what_the_documents_say(out: &Path, isa: &str) -> usize {
    let (mut texts, mut ids) = (Vec::new(), Vec::new());
    let mut random = Random::new(18);
    for (id, name, own) in evaluated_instructions(out, isa) {
        let parameters = evaluator_parameters(&own.function);
        let operands: Vec<usize> = (0..own.function.args.len()).collect();
        for number in 0..INPUTS {
            let call = own.draw(&mut random, number, &mut |_, _| ());
            let call = call.unwrap_or_else(|| panic!("{id}: no call"));
            texts.push(case(texts.len(), (&name, &parameters), &operands, &call));
            ids.push(id.clone());
        }
    }
    let folder = scratch();
    std::fs::write(folder.path().join("program.c"), program(&format!("memory_{isa}.h"), &texts)).unwrap();
    let include = format!("-I{}", out.join("evaluators").display());
    let warnings = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O0"];
    clang(folder.path(), &[&warnings[..], &[&include, "program.c", "-o", "program"]].concat());
    run(folder.path(), &[], &ids);
    ids.len()
}

#[test]
fn evaluators_access_what_the_documents_say_in_c() {
    if !tools(&["clang-19"]) {
        return;
    }
    for specs in documents_to_compile() {
        let out = shared_output(&specs, ALL);
        for isa in ALL.split(',') {
            let calls = evaluators_access_what_the_documents_say(&out, isa);
            println!("{isa}: {calls} calls");
        }
    }
}

/// The words of a value as a Rust array.
fn words(value: &Bits) -> String {
    let words: Vec<String> = value.words().iter().map(|word| format!("{word}u64")).collect();
    format!("[{}]", words.join(", "))
}

/// Calls of an instruction's evaluator in Rust: with slices from the pointer to the end of the page, and with one in which
/// the last byte is missing.
fn rust_case(number: usize, name: &str, function: &Function, call: &Call) -> Option<String> {
    // A slice begins at the pointer, which is not always in the page.
    if call.places.iter().any(|place| !(0..PAGE).contains(&place.pointer)) {
        return None;
    }
    let mut text = format!("fn case_{number}() {{\n");
    let cut = call.places.iter().position(|place| !place.has_elements && place.last == Some(PAGE - 1));
    for missing in std::iter::once(None).chain(cut.map(Some)) {
        let mut operands = Vec::new();
        for (at, result) in call.results.iter().enumerate() {
            text += &format!("    let mut r{at} = [u64::MAX; {}];\n", result.words().len());
            operands.push(format!("&mut r{at}"));
        }
        for (position, arg) in function.args.iter().enumerate() {
            let Some(page) = call.places.iter().position(|place| place.position == position) else {
                let value = &call.args[position];
                operands.push(match arg.role {
                    Role::Immediate { .. } => format!("{}", value.words()[0]),
                    _ => format!("&{}", words(value)),
                });
                continue;
            };
            let place = &call.places[page];
            text += &format!("    let mut p{page} = page({page}, &[]);\n");
            let end = if missing == Some(page) { PAGE - 1 } else { PAGE };
            if place.has_elements {
                operands.extend([format!("&mut p{page}"), place.pointer.to_string()]);
            } else {
                operands.push(format!("&mut p{page}[{}..{end}]", place.pointer));
            }
        }
        let is_done = if missing.is_some() { "is_err" } else { "is_ok" };
        text += &format!("    assert!(memory::{name}({}).{is_done}(), \"{name}\");\n", operands.join(", "));
        for (page, place) in call.places.iter().enumerate() {
            let written = place.written.iter().filter(|_| missing.is_none());
            let written: Vec<String> = written.map(|(at, byte)| format!("({at}, {byte})")).collect();
            text +=
                &format!("    assert!(p{page} == page({page}, &[{}]), \"{name}\");\n", written.join(", "));
        }
        for (at, result) in call.results.iter().enumerate().filter(|_| missing.is_none()) {
            text += &format!("    assert_eq!(r{at}, {}, \"{name}\");\n", words(result));
        }
    }
    Some(text + "}\n")
}

/// The evaluators of an instruction set's instructions in Rust.
fn rust_accesses_what_the_documents_say(out: &Path, isa: &str) -> usize {
    let mut texts = Vec::new();
    let mut random = Random::new(18);
    for (id, name, own) in evaluated_instructions(out, isa) {
        let call = own.draw(&mut random, 1, &mut |_, _| ()).unwrap_or_else(|| panic!("{id}: no call"));
        texts.extend(rust_case(texts.len(), &name, &own.function, &call));
    }
    let calls: String = (0..texts.len()).map(|number| format!("    case_{number}();\n")).collect();
    let module = out.join(format!("evaluators/memory_{isa}.rs"));
    let program = format!(
        "#![deny(warnings)]\n#[path = {module:?}]\nmod memory;\n\
         fn page(number: usize, written: &[(usize, u8)]) -> Vec<u8> {{\n\
         \x20   let mut page: Vec<u8> =\n\
         \x20       (0..{PAGE}).map(|at| (at * 167 + (at >> 8) * 13 + number * 57) as u8).collect();\n\
         \x20   written.iter().for_each(|(at, byte)| page[*at] = *byte);\n\
         \x20   page\n\
         }}\n{}fn main() {{\n{calls}}}\n",
        texts.concat()
    );
    let folder = scratch();
    std::fs::write(folder.path().join("program.rs"), program).unwrap();
    let compiled = Command::new("rustc")
        .args(["--edition", "2021", "program.rs", "-o", "program"])
        .current_dir(folder.path())
        .output()
        .expect("rustc");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let run = Command::new(folder.path().join("program")).output().expect("a run");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    texts.len()
}

#[test]
fn evaluators_access_what_the_documents_say_in_rust() {
    if !tools(&["rustc"]) {
        return;
    }
    // The two languages differ in little; rustc takes longer.
    let all = crate::support::vendor_documents().filter(|_| is_full());
    for specs in [samples()].into_iter().chain(all) {
        let out = shared_output(&specs, ALL);
        for isa in ALL.split(',') {
            let calls = rust_accesses_what_the_documents_say(&out, isa);
            println!("{isa}: {calls} instructions in Rust");
        }
    }
}
