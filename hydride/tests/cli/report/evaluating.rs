//! The page's evaluator of the IR against the interpreter, and the box on an instruction's page against `hydride eval`.

use super::*;
use hydride_ir::{Arg, Bits, Function, Role};

/// Inputs tried of each instruction.
const INPUTS: usize = 6;

/// Operations asked of the page in one call.
const CHUNK: usize = 20;

/// Numbers that differ from call to call (xorshift).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Random bits, but all zeros and all ones for the first two inputs; an immediate is in its range.
    fn value(&mut self, arg: &Arg, input: usize) -> Bits {
        let width = arg.width.as_constant().and_then(|width| u32::try_from(width).ok());
        let width = width.expect("a member has no parameters");
        match arg.role {
            Role::Immediate { low, high } => {
                let offset = self.next() % high.abs_diff(low).saturating_add(1);
                Bits::from_u64(width, low.wrapping_add_unsigned(offset) as u64)
            }
            Role::Register | Role::Memory { .. } => {
                let fixed = [0, u64::MAX].get(input).copied();
                let words: Vec<u64> =
                    (0..width.div_ceil(64)).map(|_| fixed.unwrap_or_else(|| self.next())).collect();
                Bits::from_words(width, words)
            }
        }
    }
}

/// The functions of the documents by instruction set and id.
fn functions(out: &Path) -> BTreeMap<(String, String), Function> {
    let mut functions = BTreeMap::new();
    for isa in ["x86", "arm", "hvx"] {
        let Ok(text) = std::fs::read_to_string(out.join(format!("ir/{isa}.hir"))) else { continue };
        for function in Function::parse_all(&text).expect("it can be read") {
            functions.insert((isa.to_owned(), function.name.clone()), function);
        }
    }
    functions
}

/// Values without leading zeros, as a script writes them.
fn hexadecimal(values: &[Bits]) -> Vec<String> {
    let digits = |value: &Bits| format!("{value:x}").trim_start_matches('0').to_owned();
    values
        .iter()
        .map(digits)
        .map(|digits| format!("0x{}", if digits.is_empty() { "0" } else { &digits }))
        .collect()
}

/// The page's evaluator gives for every instruction what the interpreter gives for the document's function.
pub fn every_instruction(browser: &Browser, out: &Path) {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let functions = functions(out);
    let operations: Vec<_> = operations(out).into_iter().collect();
    let mut compared = 0;
    for chunk in operations.chunks(CHUNK) {
        let mut asked = Vec::new();
        let mut expected = Vec::new();
        for (op, member) in
            chunk.iter().flat_map(|(op, members)| members.iter().map(move |member| (op, member)))
        {
            let key = (text(&member["isa"]), text(&member["id"]));
            let function = &functions[&key];
            for input in 0..INPUTS {
                let values: Vec<Bits> = function.args.iter().map(|arg| numbers.value(arg, input)).collect();
                let results = interp::evaluate(function, &values).expect("it can be evaluated");
                asked.push(json!([op, key.0, key.1, hexadecimal(&values)]));
                expected.push(hexadecimal(&results));
            }
        }
        let found = browser.run_async(&format!(
            "(async () => {{\n\
               const found = [];\n\
               for (const [op, isa, id, values] of {}) {{\n\
                 const detail = await hydride.detail(hydride.model.opNamed.get(op));\n\
                 const instruction = hydride.ir.parse(detail.members[isa][id][1]);\n\
                 found.push(instruction.run(values.map(BigInt)).map((result) => '0x' + result.toString(16)));\n\
               }}\n\
               done(found);\n\
             }})().catch((error) => done(String(error)));",
            Value::from(asked.clone())
        ));
        let found = found.as_array().unwrap_or_else(|| panic!("the page says {found}"));
        assert_eq!(found.len(), expected.len());
        for ((asked, found), expected) in asked.iter().zip(found).zip(&expected) {
            assert_eq!(texts(found), *expected, "{asked}");
        }
        compared += expected.len();
    }
    assert!(compared > 0);
    let (instructions, operations) = (compared / INPUTS, operations.len());
    println!(
        "evaluated in the page: {instructions} instructions of {operations} operations on {INPUTS} inputs each"
    );
}

/// The box shows what `hydride eval` prints for the command that it shows, and what is wrong with a value.
pub fn the_box(browser: &Browser, index: &Path, all: &BTreeMap<String, Known>) {
    let id = "_mm_add_epi8";
    assert!(all.contains_key(&format!("x86/{id}")));
    browser.open(index, &format!("#/i/x86/{id}"));
    browser.wait("document.querySelector('.calculator output')");
    let set = |field: usize, value: &str| {
        browser.run(&format!(
            "const input = document.querySelectorAll('.calculator .value input')[{field}];\n\
             input.value = {};\n\
             input.dispatchEvent(new Event('input', {{ bubbles: true }}));\n\
             return null",
            json!(value)
        ));
    };
    let shown = |selector: &str| {
        text(
            &browser
                .run(&format!("return document.querySelector('.calculator {selector}')?.textContent ?? ''")),
        )
    };
    set(0, "1, 2, -1");
    set(1, "0x010203");
    assert!(shown(".elements").starts_with("4, 4, 0, 0"), "{}", shown(".elements"));
    let command = shown("p:last-child code");
    let words: Vec<&str> = command.split(' ').collect();
    assert_eq!(words[..2], ["hydride", "eval"]);
    let samples = samples();
    let specs = samples.to_string_lossy();
    let args: Vec<&str> = [&["eval", "--specs", &*specs], &words[2..]].concat();
    let printed = hydride(Path::new("."), &args).exits(0).stdout;
    assert_eq!(printed.trim(), shown("output").trim_start_matches("0x"));
    set(1, "0xg");
    assert!(shown(".wrong:not(:empty)").contains("hexadecimal"));
    assert_eq!(shown("output"), "");
}
