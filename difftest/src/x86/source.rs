//! The generated C: one wrapper for each intrinsic, one line for each combination of immediates,
//! so that a compiler's message names what it is about by its line.

use parsers::{Argument, Instruction, Kind};

use crate::inputs;
use crate::runner::{MAX_ARGS, MAX_RESULTS, MAX_WIDTH};

/// A wrapper: C lines, some of which the compiler may have refused.
#[derive(Clone, Debug)]
pub(super) struct Wrapper {
    /// The instruction's id, unique among the wrappers.
    id: String,
    /// Declarations and reads of the arguments.
    head: String,
    /// One call for each combination of immediates; `None` when refused.
    cases: Vec<Option<String>>,
    /// The combinations.
    pub(super) immediates: Vec<Vec<i64>>,
    /// Why there is no wrapper.
    pub(super) refusal: Option<String>,
}

/// What a generated line belongs to; wrappers count within their chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    Nothing,
    Wrapper(usize),
    Case(usize, usize),
}

impl Wrapper {
    /// Generates a wrapper; the message says which part of the signature has no C form.
    pub(super) fn new(instruction: &Instruction) -> Result<Self, String> {
        let signature = &instruction.signature;
        if !is_identifier(&instruction.intrinsic) {
            return Err(format!("{:?} is no C name", instruction.intrinsic));
        }
        let operands = || signature.args.iter().chain(&signature.results);
        if signature.args.len() > MAX_ARGS
            || signature.results.len() > MAX_RESULTS
            || operands().any(|operand| operand.width > MAX_WIDTH)
        {
            return Err("more or wider arguments or results than a runner takes".into());
        }
        if signature.results.is_empty() {
            return Err("no result".into());
        }
        let mut head = String::new();
        let mut arguments = Vec::new();
        for (position, arg) in signature.args.iter().enumerate() {
            let ty = c_type(arg)?;
            if ty.pointer {
                return Err(format!("argument {} is a pointer", arg.name));
            }
            if let Kind::Immediate(_) = arg.kind {
                arguments.push(format!("({})", ty.name));
                continue;
            }
            let (ty, width) = (ty.name, arg.width);
            head += &format!(
                "{ty} a{position}; _Static_assert(8 * sizeof a{position} >= {width}, \"argument {position} has {width} bits\"); \
                 memcpy(&a{position}, in + {}, sizeof a{position}); ",
                64 * position
            );
            arguments.push(format!("a{position}"));
        }
        // Results beyond the returned one are written through pointers behind the arguments.
        let mut returned = "";
        let mut stores = String::new();
        for (position, result) in signature.results.iter().enumerate() {
            let ty = c_type(result)?;
            if ty.pointer {
                arguments.push(format!("&r{position}"));
            } else if returned.is_empty() && position == 0 {
                returned = "r0 = ";
            } else {
                return Err("several returned values".into());
            }
            let (ty, width) = (ty.name, result.width);
            head += &format!(
                "{ty} r{position}; _Static_assert(8 * sizeof r{position} >= {width}, \"result {position} has {width} bits\"); "
            );
            stores += &format!("memcpy(out + {}, &r{position}, sizeof r{position}); ", 64 * position);
        }
        let immediates = inputs::immediates(&signature.args);
        let case = |(selector, values): (usize, &Vec<i64>)| {
            let mut values = values.iter();
            let argument = |(text, arg): (&String, &Argument)| match arg.kind {
                Kind::Immediate(_) => format!("{text}({})", literal(*values.next().unwrap_or(&0))),
                _ => text.clone(),
            };
            let mut list: Vec<String> = arguments.iter().zip(&signature.args).map(argument).collect();
            list.extend(arguments[signature.args.len()..].iter().cloned());
            let call = format!("{returned}{}({});", instruction.intrinsic, list.join(", "));
            // The comment keeps the optimizer from joining cases into one call that it then
            // must emulate.
            Some(format!(
                "case {selector}: {call} {stores}__asm__ volatile(\"# {selector}\" ::: \"memory\"); break;"
            ))
        };
        let cases = immediates.iter().enumerate().map(case).collect();
        Ok(Self { id: instruction.id.clone(), head, cases, immediates, refusal: None })
    }

    /// The instruction's id.
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// Lines of the wrapper: a measure of the time to compile it.
    pub(super) fn lines(&self) -> usize {
        3 + self.cases.len()
    }

    /// Whether a combination of immediates can be called.
    pub(super) fn has(&self, case: usize) -> bool {
        self.refusal.is_none() && self.cases.get(case).is_some_and(Option::is_some)
    }

    /// Takes out a combination of immediates, and the wrapper with the last one.
    pub(super) fn refuse_case(&mut self, case: usize, message: &str) {
        if let Some(case) = self.cases.get_mut(case) {
            *case = None;
        }
        if self.cases.iter().all(Option::is_none) {
            self.refuse(message);
        }
    }

    /// Takes out the wrapper; the first message stays.
    pub(super) fn refuse(&mut self, message: &str) {
        self.refusal.get_or_insert_with(|| message.to_owned());
    }
}

/// The C source of wrappers with their table, and the owner of each line.
pub(super) fn chunk_source(wrappers: &[Wrapper], symbol: &str) -> (String, Vec<Owner>) {
    let mut text = String::new();
    let mut owners = Vec::new();
    let mut line = |owner, content: &str| {
        text.push_str(content);
        text.push('\n');
        owners.push(owner);
    };
    line(Owner::Nothing, "#include <immintrin.h>");
    // Bit scans, byte swaps and rotates of general registers.
    line(Owner::Nothing, "#include <x86intrin.h>");
    line(Owner::Nothing, "#include <string.h>");
    line(
        Owner::Nothing,
        "typedef void (*hydride_wrapper)(const unsigned char *, unsigned char *, unsigned);",
    );
    let mut table = String::new();
    for (index, wrapper) in wrappers.iter().enumerate() {
        if wrapper.refusal.is_some() {
            table += "0, ";
            continue;
        }
        let owner = Owner::Wrapper(index);
        table += &format!("w{index}, ");
        line(
            owner,
            &format!(
                "static void w{index}(const unsigned char *in, unsigned char *out, unsigned selector) {{"
            ),
        );
        line(owner, &wrapper.head);
        line(owner, "switch (selector) {");
        for (position, case) in wrapper.cases.iter().enumerate() {
            if let Some(case) = case {
                line(Owner::Case(index, position), case);
            }
        }
        line(owner, "} }");
    }
    line(Owner::Nothing, &format!("const hydride_wrapper {symbol}[] = {{ {table} }};"));
    (text, owners)
}

struct CType {
    /// Without `const` and `*`.
    name: String,
    pointer: bool,
}

/// The documents' names of C types that the compiler does not know.
const TYPES: &[(&str, &str)] = &[
    ("__int64", "long long"),
    ("__int32", "int"),
    ("__int16", "short"),
    ("__int8", "char"),
    ("__bfloat16", "__bf16"),
    ("_MM_CMPINT_ENUM", "int"),
];

fn c_type(operand: &Argument) -> Result<CType, String> {
    let text = &operand.c_type;
    let mut names = Vec::new();
    for word in text.split(['*', ' ', '\t']).filter(|word| !word.is_empty()) {
        if !is_identifier(word) {
            return Err(format!("{text:?} is no C type"));
        }
        if word != "const" {
            names.push(TYPES.iter().find(|(name, _)| *name == word).map_or(word, |(_, c)| c));
        }
    }
    let pointer = text.contains('*');
    match names[..] {
        [] => Err(format!("{text:?} is no C type")),
        ["void"] if !pointer => Err(format!("{text:?} is no C type of a value")),
        _ => Ok(CType { name: names.join(" "), pointer }),
    }
}

fn is_identifier(word: &str) -> bool {
    !word.starts_with(|first: char| first.is_ascii_digit())
        && !word.is_empty()
        && word.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
}

/// A number as C source.
fn literal(value: i64) -> String {
    match i32::try_from(value) {
        Ok(i32::MIN) => "-2147483647 - 1".into(),
        Ok(value) => value.to_string(),
        Err(_) if value == i64::MIN => format!("-{}LL - 1", i64::MAX),
        Err(_) => format!("{value}LL"),
    }
}
