//! The generated C: one wrapper for each intrinsic, one line for each combination of immediates, so that the
//! line of a compiler message identifies its subject.

use std::borrow::Cow;

use interp::inputs;
use parsers::{Argument, Instruction, Kind, Signature};

use crate::memory::{Layout, Operand};
use crate::runner::{MAX_ARGS, MAX_RESULTS};

/// A wrapper: C lines, some of which the compiler may have refused.
#[derive(Clone, Debug)]
pub(crate) struct Wrapper {
    /// The instruction's id, unique among the wrappers.
    id: String,
    /// Declarations and reads of the arguments.
    head: String,
    /// One call for each combination of immediates; `None` when refused.
    cases: Vec<Option<String>>,
    /// The combinations.
    pub(crate) immediates: Vec<Vec<i64>>,
    /// Why there is no wrapper.
    pub(crate) refusal: Option<String>,
}

/// What a generated line belongs to; wrappers count within their chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    Nothing,
    Wrapper(usize),
    Case(usize, usize),
}

/// The C of an instruction set, as data.
#[derive(Debug)]
pub struct Dialect {
    /// Lines before the wrappers: headers, types, helpers.
    pub preamble: &'static [&'static str],
    /// What starts a comment in the assembly language.
    pub comment: &'static str,
    /// The documents' names of C types that the compiler does not know, with the compiler's types.
    pub types: &'static [(&'static str, &'static str)],
    /// Functions of the preamble for instructions without an intrinsic, by id.
    pub functions: &'static [(&'static str, &'static str)],
    /// The name of a definition that stands for an instruction without an intrinsic, where there is one.
    pub inline: Option<fn(&Instruction) -> Option<String>>,
    /// Bytes that an argument or result has in the runner's memory.
    pub slot_bytes: u32,
    /// How a call returns several results.
    pub several: Several,
    /// The C type of masks that C has as one byte for each of their bits. The preamble has
    /// `hydride_get_mask(TYPE *, bytes)` and `hydride_put_mask(bytes, const TYPE *)`.
    pub mask: Option<&'static str>,
}

/// What an oracle's wrappers are made of, besides the instructions.
#[derive(Clone, Debug)]
pub struct WrapperOptions {
    /// Lines of C before the wrappers: functions that instructions name as their intrinsics.
    pub definitions: Vec<String>,
    /// Combinations of immediates of each instruction at most, spread evenly.
    pub immediates: usize,
}

impl Default for WrapperOptions {
    fn default() -> Self {
        Self { definitions: Vec::new(), immediates: inputs::MAX_IMMEDIATES }
    }
}

/// How a call returns several results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Several {
    /// Those whose documented type is a pointer are written through it.
    Pointers,
    /// All but the first are written through pointers, though their types do not say so.
    BehindPointers,
    /// They are the parts of one structure, `int8x8x2_t` for two of `int8x8_t`.
    Tuple,
}

impl Dialect {
    /// The widest argument or result, in bits.
    pub(crate) fn max_width(&self) -> u32 {
        8 * self.slot_bytes
    }

    /// The first byte of a slot.
    fn slot(&self, position: usize) -> usize {
        position * self.slot_bytes as usize
    }

    /// Copies an argument from its slot into the variable `name`.
    fn get(&self, ty: &str, name: &str, position: usize) -> String {
        let slot = self.slot(position);
        match self.mask {
            Some(mask) if mask == ty => format!("hydride_get_mask(&{name}, in + {slot}); "),
            _ => format!("__builtin_memcpy(&{name}, in + {slot}, sizeof {name}); "),
        }
    }

    /// Copies a result into its slot.
    fn put(&self, ty: &str, name: &str, position: usize) -> String {
        let slot = self.slot(position);
        match self.mask {
            Some(mask) if mask == ty => format!("hydride_put_mask(out + {slot}, &{name}); "),
            _ => format!("__builtin_memcpy(out + {slot}, &{name}, sizeof {name}); "),
        }
    }

    /// Declares `name`, which must have room for `width` bits.
    fn declare(&self, ty: &str, name: &str, width: u32, what: &str) -> String {
        format!("{ty} {name}; _Static_assert(8 * sizeof {name} >= {width}, \"{what} has {width} bits\"); ")
    }
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub(crate) enum Passed {
    Variable(String),
    /// The value follows the cast.
    Immediate(String),
}

/// The arguments of a call: variables `a0`, `a1`, …, and casts for immediates; the variables' types go to `declare`
/// with their positions. The message says which part of the signature has no C form.
pub(crate) fn passed(
    dialect: &Dialect,
    signature: &Signature,
    mut declare: impl FnMut(usize, &str),
) -> Result<Vec<Passed>, String> {
    if signature.results.is_empty() {
        return Err("no result".into());
    }
    let mut passed = Vec::new();
    for (position, arg) in signature.args.iter().enumerate() {
        if arg.is_memory() {
            passed.push(Passed::Variable(format!("m{position}")));
            continue;
        }
        let ty = c_type(dialect, arg)?;
        if ty.pointer {
            return Err(format!("argument {} is a pointer", arg.name));
        }
        passed.push(match arg.kind {
            Kind::Immediate(_) => Passed::Immediate(format!("({})", ty.name)),
            _ => {
                declare(position, &ty.name);
                Passed::Variable(format!("a{position}"))
            }
        });
    }
    Ok(passed)
}

/// The arguments between a call's parentheses for one combination of immediates.
pub(crate) fn argument_list(passed: &[Passed], immediates: &[i64]) -> String {
    let mut values = immediates.iter();
    let argument = |passed: &Passed| match passed {
        Passed::Variable(name) => name.clone(),
        Passed::Immediate(cast) => format!("{cast}({})", literal(*values.next().unwrap_or(&0))),
    };
    passed.iter().map(argument).collect::<Vec<_>>().join(", ")
}

/// The C types of a tuple's part and of the tuple itself, where several results are one.
pub(crate) fn tuple(dialect: &Dialect, results: &[Argument]) -> Result<Option<(String, String)>, String> {
    let [first, second, ..] = results else { return Ok(None) };
    if second.is_memory() {
        return Ok(None);
    }
    if dialect.several != Several::Tuple {
        return Ok(None);
    }
    let part = c_type(dialect, first)?.name;
    let stem = part.strip_suffix("_t").filter(|_| results.iter().all(|r| r.c_type == first.c_type));
    let stem = stem.ok_or_else(|| format!("{part:?} is no part of a tuple"))?;
    let whole = format!("{stem}x{}_t", results.len());
    Ok(Some((part, whole)))
}

impl Wrapper {
    /// Generates a wrapper for `most` combinations of immediates at most; the message says which part of the signature
    /// has no C form.
    pub(crate) fn new(dialect: &Dialect, instruction: &Instruction, most: usize) -> Result<Self, String> {
        let signature = &instruction.signature;
        let function = intrinsic_name(dialect, instruction)?;
        let operands = || signature.args.iter().chain(&signature.results);
        let memory = Layout::new(instruction, dialect.slot_bytes);
        if memory.slots > MAX_ARGS
            || signature.results.len() > MAX_RESULTS
            || operands().any(|operand| operand.width > dialect.max_width())
        {
            return Err("more or wider arguments or results than a runner takes".into());
        }
        let mut head = String::new();
        let mut passed = passed(dialect, signature, |position, ty| {
            let name = format!("a{position}");
            let width = signature.args[position].width;
            head += &dialect.declare(ty, &name, width, &format!("argument {position}"));
            head += &dialect.get(ty, &name, position);
        })?;
        for (number, operand) in memory.operands.iter().enumerate() {
            let Operand { argument, bytes, plan, .. } = operand;
            let (contents, plan) = (dialect.slot(*argument), dialect.slot(*plan));
            head += &format!(
                "void *m{argument} = hydride_map({number}, in + {contents}, {bytes}, in + {plan}); "
            );
        }
        let (returned, mut stores) = results(dialect, signature, &mut head, &mut passed)?;
        for (number, operand) in memory.operands.iter().enumerate() {
            let contents =
                operand.result.map_or("0".to_owned(), |result| format!("out + {}", dialect.slot(result)));
            stores += &format!("hydride_unmap({number}, {contents}); ");
        }
        let immediates = inputs::some_immediates(&signature.args, most);
        let case = |(selector, values): (usize, &Vec<i64>)| {
            let call = format!("{returned}{function}({});", argument_list(&passed, values));
            // The comment keeps the optimizer from joining cases into one call that it then
            // must emulate.
            Some(format!(
                "case {selector}: {call} {stores}__asm__ volatile(\"{} {selector}\" ::: \"memory\"); break;",
                dialect.comment
            ))
        };
        let cases = immediates.iter().enumerate().map(case).collect();
        Ok(Self { id: instruction.id.clone(), head, cases, immediates, refusal: None })
    }

    /// The instruction's id.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// Lines of the wrapper: a measure of the time to compile it.
    pub(crate) fn lines(&self) -> usize {
        3 + self.cases.len()
    }

    /// Whether a combination of immediates can be called.
    pub(crate) fn has(&self, case: usize) -> bool {
        self.refusal.is_none() && self.cases.get(case).is_some_and(Option::is_some)
    }

    /// Removes a combination of immediates, and the wrapper with the last one.
    pub(crate) fn refuse_case(&mut self, case: usize, message: &str) {
        if let Some(case) = self.cases.get_mut(case) {
            *case = None;
        }
        if self.cases.iter().all(Option::is_none) {
            self.refuse(message);
        }
    }

    /// Removes the wrapper; the first message is kept.
    pub(crate) fn refuse(&mut self, message: &str) {
        self.refusal.get_or_insert_with(|| message.to_owned());
    }
}

/// Declares the results: what a call is assigned to, and the statements that store them.
///
/// Several results are the parts of a tuple, or all but the first are written through pointers: to the
/// argument of the same name, else after the arguments.
fn results(
    dialect: &Dialect,
    signature: &Signature,
    head: &mut String,
    passed: &mut Vec<Passed>,
) -> Result<(String, String), String> {
    let results = &signature.results;
    let mut stores = String::new();
    if let Some((part, whole)) = tuple(dialect, results)? {
        *head += &format!("{whole} r; ");
        for (position, result) in results.iter().enumerate() {
            let name = format!("r.val[{position}]");
            let width = result.width;
            *head += &format!(
                "_Static_assert(8 * sizeof {name} >= {width}, \"result {position} has {width} bits\"); "
            );
            stores += &dialect.put(&part, &name, position);
        }
        return Ok(("r = ".into(), stores));
    }
    let mut returned = String::new();
    for (position, result) in results.iter().enumerate().filter(|(_, result)| !result.is_memory()) {
        let ty = c_type(dialect, result)?;
        let same = signature.args.iter().position(|arg| position > 0 && arg.name == result.name);
        if let Some(Passed::Variable(variable)) = same.and_then(|at| passed.get_mut(at)) {
            stores += &dialect.put(&ty.name, variable, position);
            *variable = format!("&{variable}");
            continue;
        }
        let name = format!("r{position}");
        *head += &dialect.declare(&ty.name, &name, result.width, &format!("result {position}"));
        stores += &dialect.put(&ty.name, &name, position);
        if ty.pointer || position > 0 && dialect.several == Several::BehindPointers {
            passed.push(Passed::Variable(format!("&{name}")));
        } else if returned.is_empty() && position == 0 {
            returned = format!("{name} = ");
        } else {
            return Err("several returned values".into());
        }
    }
    Ok((returned, stores))
}

/// The C source of wrappers with their table, and the owner of each line. `definitions` are lines before them.
pub(crate) fn chunk_source(
    dialect: &Dialect,
    definitions: &[String],
    wrappers: &[Wrapper],
    symbol: &str,
) -> (String, Vec<Owner>) {
    let mut text = String::new();
    let mut owners = Vec::new();
    let mut line = |owner, content: &str| {
        text.push_str(content);
        text.push('\n');
        owners.push(owner);
    };
    for text in dialect.preamble.iter().copied().chain(definitions.iter().map(String::as_str)) {
        line(Owner::Nothing, text);
    }
    line(
        Owner::Nothing,
        "extern void *hydride_map(unsigned, const unsigned char *, unsigned, const unsigned char *); \
         extern void hydride_unmap(unsigned, unsigned char *);",
    );
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

/// The C function that is called for an instruction: its intrinsic, or one of the preamble.
pub(crate) fn intrinsic_name<'a>(
    dialect: &Dialect,
    instruction: &'a Instruction,
) -> Result<Cow<'a, str>, String> {
    let own = dialect.functions.iter().find(|(id, _)| *id == instruction.id);
    let function = match (instruction.intrinsic.as_str(), own) {
        ("", Some((_, function))) => Cow::from(*function),
        ("", None) => {
            let inline = dialect.inline.and_then(|inline| inline(instruction));
            inline.ok_or("there is no C intrinsic for it")?.into()
        }
        (intrinsic, _) => intrinsic.into(),
    };
    if is_identifier(&function) { Ok(function) } else { Err(format!("{function:?} is no C name")) }
}

/// A type as C has it.
pub(crate) struct CType {
    /// Without `const` and `*`.
    pub(crate) name: String,
    pub(crate) pointer: bool,
}

/// The C type of an operand.
pub(crate) fn c_type(dialect: &Dialect, operand: &Argument) -> Result<CType, String> {
    let text = &operand.c_type;
    let mut names = Vec::new();
    for word in text.split(['*', ' ', '\t']).filter(|word| !word.is_empty()) {
        if !is_identifier(word) {
            return Err(format!("{text:?} is no C type"));
        }
        if word != "const" {
            names.push(dialect.types.iter().find(|(name, _)| *name == word).map_or(word, |(_, c)| c));
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
pub(crate) fn literal(value: i64) -> String {
    match i32::try_from(value) {
        Ok(i32::MIN) => "-2147483647 - 1".into(),
        Ok(value) => value.to_string(),
        Err(_) if value == i64::MIN => format!("-{}LL - 1", i64::MAX),
        Err(_) => format!("{value}LL"),
    }
}
