//! Vendor functions as LLVM assembly.
//!
//! A function with immediates takes them as `i32`s at the end of its parameters. What is the same for all of
//! their values stays in the function; the part that differs becomes a separate function with a `switch`, whose name is
//! derived from its text:
//!
//! ```text
//! define internal <2 x i64> @x86._mm_shufflelo_epi16(<2 x i64> %a0, i32 %i0) alwaysinline {
//!   %v0 = bitcast <2 x i64> %a0 to <8 x i16>
//!   %v1 = call <8 x i16> @x86.immediate.0c2f53a1d7e94b86(<8 x i16> %v0, i32 %i0)
//!   %v2 = bitcast <8 x i16> %v1 to <2 x i64>
//!   ret <2 x i64> %v2
//! }
//! ```
//!
//! Masked forms, and forms on other element types, share that part.

use std::collections::{BTreeMap, BTreeSet};

use llvm_text::{Function, Instruction, Operand, Statement, Type, Value};
use memo::{Memo, digest, key_of};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::data::{VendorFunction, VendorIr};
use super::natural::{Body, Callee, immediate_parameter, natural, parameter};

/// The functions of some instructions of one instruction set.
pub(super) struct VendorFunctions<'a> {
    ir: &'a VendorIr,
    /// By position in `ir`, the functions, or why there are none.
    made: BTreeMap<usize, Result<Made, String>>,
}

/// A function at the types that it works on.
#[derive(Serialize, Deserialize)]
pub(super) struct Made {
    /// Its types.
    pub(super) callee: Callee,
    /// The name that it has in the file.
    pub(super) name: String,
    /// Its only body, if it has no branches and either no immediates or passes these on as they are. It is not kept from
    /// run to run.
    #[serde(skip)]
    pub(super) sequence: Option<Vec<Statement>>,
    text: String,
    /// The function that it calls for what differs from value to value of its immediates.
    part: Option<Part>,
}

/// A function that chooses between the lines for the values of immediates.
#[derive(Serialize, Deserialize)]
struct Part {
    name: String,
    text: String,
}

impl<'a> VendorFunctions<'a> {
    /// The functions of the instructions with these ids, as far as `ir` has them.
    pub(super) fn new<'i>(ir: &'a VendorIr, ids: impl Iterator<Item = &'i str>, memo: &Memo) -> Self {
        // The first instruction that has a function gives it its name.
        let mut firsts: BTreeMap<usize, &str> = BTreeMap::new();
        for (id, position) in &ir.members {
            firsts.entry(*position).or_insert(id);
        }
        let positions: BTreeSet<usize> = ids.filter_map(|id| ir.members.get(id).copied()).collect();
        let make = |position: usize| {
            let function = ir.functions.get(position)?;
            let name = format!("{}.{}", ir.isa, symbol(firsts.get(&position)?));
            let made = kept(function, name, &ir.isa, memo).map(|mut made| {
                made.sequence = sequence(function, &made.callee);
                made
            });
            Some((position, made))
        };
        Self { ir, made: positions.into_par_iter().filter_map(make).collect() }
    }

    /// The function of one of the instructions; a message when there is none.
    pub(super) fn get(&self, id: &str) -> Result<&Made, String> {
        let Some(position) = self.ir.members.get(id) else {
            let reason = self.ir.refused.get(id).map_or("it was not read off the compiler", String::as_str);
            return Err(reason.to_owned());
        };
        let made = self.made.get(position).ok_or("the data names no function for it")?;
        made.as_ref().map_err(Clone::clone)
    }

    /// The functions, and after them the parts that they call: in this order the inliner visits the calls with
    /// constants first.
    pub(super) fn texts(self) -> Vec<String> {
        let (mut texts, mut parts, mut names) = (Vec::new(), Vec::new(), BTreeSet::new());
        for Made { text, part, .. } in self.made.into_values().flatten() {
            texts.push(text);
            parts.extend(part.filter(|part| names.insert(part.name.clone())).map(|part| part.text));
        }
        texts.append(&mut parts);
        texts
    }
}

/// [`made`], or what an earlier run kept of it. Immediates multiply the work; without them there is
/// nothing worth keeping.
fn kept(function: &VendorFunction, name: String, isa: &str, memo: &Memo) -> Result<Made, String> {
    if function.immediates == 0 {
        return made(function, name, isa);
    }
    let key = || key_of(&("vendor function", isa, &name, function));
    memo.try_get_or(key, || made(function, name.clone(), isa))
}

/// What of an id can be in a symbol.
pub(super) fn symbol(id: &str) -> String {
    let keep = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-') { c } else { '.' };
    id.chars().map(keep).collect()
}

/// The immediates of a vendor's function as parameters.
fn immediates(count: usize) -> impl Iterator<Item = Operand> {
    (0..count).map(|index| Operand::new(Type::integer(32), immediate_parameter(index)))
}

/// A function that is only called within the file.
fn internal(result: &Type, name: &str, parameters: &[Operand], body: &[Statement]) -> String {
    Function { linkage: "internal", result, name, parameters, attributes: "alwaysinline", body }.to_string()
}

fn is_label(line: &Statement) -> bool {
    matches!(line.instruction, Instruction::Label(_))
}

/// The type of a value: that of the parameter, or of the line that defines it.
fn type_of(value: &Value, params: &[Type], lines: &[Statement]) -> Option<Type> {
    let position = params.iter().enumerate().find(|(position, _)| parameter(*position) == *value);
    if let Some((_, ty)) = position {
        return Some(ty.clone());
    }
    lines.iter().find(|line| line.result.as_ref() == Some(value))?.instruction.result_type()
}

/// Lines of the bodies of a function that become a separate one.
struct Outlined {
    /// The lines of each body.
    inside: Vec<Vec<Statement>>,
    /// What they read of the lines before them and of the parameters.
    inputs: Vec<Operand>,
    /// The type of the result.
    result: Type,
    /// Whether the last line gives the result; else the lines have their own return.
    gives_result: bool,
}

/// The function with this name.
fn made(function: &VendorFunction, name: String, isa: &str) -> Result<Made, String> {
    let cases = function.cases().ok_or("the data of its immediates is damaged")?;
    let body = |case: super::data::Case| Body {
        values: case.values,
        lines: case.lines.iter().map(|line| Statement::read(line)).collect(),
    };
    let mut bodies: Vec<Body> = cases.into_iter().map(body).collect();
    let VendorFunction { result, params, immediates: count, .. } = function.clone();
    let mut callee = Callee { result, params, immediates: count };
    natural(&mut callee, &mut bodies);
    let first = bodies.first().ok_or("the data has no body for it")?;
    let (lines, part) = match count {
        0 => (first.lines.clone(), None),
        _ => split(&callee, &bodies, isa)?,
    };
    let params = callee.params.iter().cloned().enumerate();
    let params = params.map(|(position, ty)| Operand::new(ty, parameter(position)));
    let params: Vec<Operand> = params.chain(immediates(count)).collect();
    let text = internal(&callee.result, &name, &params, &lines);
    Ok(Made { callee, name, sequence: None, text, part })
}

/// The only body of a function as one sequence at the types of `callee`, which was made of it.
fn sequence(function: &VendorFunction, callee: &Callee) -> Option<Vec<Statement>> {
    let lines = function.with_immediates(&|position| immediate_parameter(position).to_string())?;
    let body = Body { values: Vec::new(), lines: lines.iter().map(|line| Statement::read(line)).collect() };
    let VendorFunction { result, params, immediates, .. } = function.clone();
    let (mut own, mut bodies) = (Callee { result, params, immediates }, [body]);
    natural(&mut own, &mut bodies);
    let [Body { lines, .. }] = bodies;
    (own == *callee && !lines.iter().any(is_label)).then_some(lines)
}

/// The lines of a function with immediates: what is common, and a call of the part that differs.
fn split(callee: &Callee, bodies: &[Body], isa: &str) -> Result<(Vec<Statement>, Option<Part>), String> {
    let first = &bodies[0].lines;
    if bodies.iter().all(|body| body.lines == *first) {
        return Ok((first.clone(), None));
    }
    if bodies.iter().any(|body| body.lines.iter().any(is_label)) {
        return Err("its branches depend on an immediate".to_owned());
    }
    let differs = |at: usize| bodies.iter().any(|body| body.lines.get(at) != first.get(at));
    let low = (0..first.len()).find(|at| differs(*at)).unwrap_or(0);
    let even = bodies.iter().all(|body| body.lines.len() == first.len());
    let high = (low..first.len()).rev().find(|at| differs(*at)).unwrap_or(low);
    let split = |low, high| outline(callee, bodies, low, high, isa);
    split(low, high + 1)
        .filter(|_| even)
        .or_else(|| split(low, usize::MAX))
        .or_else(|| split(0, usize::MAX))
        .map(|(lines, part)| (lines, Some(part)))
        .ok_or_else(|| "the part that depends on its immediate could not be determined".to_owned())
}

/// Extracts lines `low .. high` of every body; `None` when they do not have one result and known types.
fn outline(
    callee: &Callee,
    bodies: &[Body],
    low: usize,
    high: usize,
    isa: &str,
) -> Option<(Vec<Statement>, Part)> {
    let first = &bodies[0].lines;
    let high = high.min(first.len());
    let to_end = bodies.iter().all(|body| body.lines.len() <= high) || high == first.len();
    let range = |body: &Body| {
        let end = if to_end { body.lines.len() } else { high };
        body.lines[low..end].to_vec()
    };
    let inside: Vec<Vec<Statement>> = bodies.iter().map(range).collect();
    // What is read and made before, which is the same in every body.
    let mut inputs: Vec<Operand> = Vec::new();
    for lines in &inside {
        for value in lines.iter().flat_map(|line| line.instruction.locals()) {
            let own = lines.iter().any(|line| line.result.as_ref() == Some(&value));
            if !own && !inputs.iter().any(|input| input.value == value) {
                inputs.push(Operand::new(type_of(&value, &callee.params, &first[..low])?, value));
            }
        }
    }
    let (result, output) = if to_end {
        (callee.result.clone(), None)
    } else {
        let output = first[high - 1].result.clone()?;
        let made = || first[low..high - 1].iter().filter_map(|line| line.result.as_ref());
        let after = || first[high..].iter().flat_map(|line| line.instruction.locals());
        if after().any(|value| made().any(|made| *made == value)) {
            return None;
        }
        (first[high - 1].instruction.result_type()?, Some(output))
    };
    let arguments = inputs.iter().cloned().chain(immediates(callee.immediates)).collect();
    let outlined = Outlined { inside, inputs, result: result.clone(), gives_result: output.is_some() };
    let part = part(callee.immediates, bodies, &outlined, isa)?;
    let call = Instruction::call(result.clone(), &part.name, arguments);
    let mut lines = first[..low].to_vec();
    match output {
        Some(output) => {
            lines.push(Statement { result: Some(output), instruction: call });
            lines.extend_from_slice(&first[high..]);
        }
        None if result == Type::Void => {
            let returned = Instruction::Return(None);
            lines.extend([call, returned].map(Statement::without_result));
        }
        None => {
            let value = Value::local("result");
            lines.push(Statement { result: Some(value.clone()), instruction: call });
            let returned = Instruction::Return(Some(Operand::new(result, value)));
            lines.push(Statement::without_result(returned));
        }
    }
    Some((lines, part))
}

/// The function that chooses between outlined lines. Equal functions have the same name.
fn part(count: usize, bodies: &[Body], outlined: &Outlined, isa: &str) -> Option<Part> {
    let Outlined { inside, inputs, result, gives_result } = outlined;
    let input = |position: usize| Value::Local(format!("x{position}"));
    let params = inputs.iter().enumerate().map(|(at, own)| Operand::new(own.ty.clone(), input(at)));
    let params: Vec<Operand> = params.chain(immediates(count)).collect();
    let keys = keys(bodies)?;
    let word = Type::integer(32);
    let mut lines: Vec<Statement> = Vec::new();
    let mut key = Value::local("i0");
    for (index, span) in keys.spans.iter().enumerate().skip(1) {
        let [scaled, sum, own] = ["s", "k", "i"].map(|name| Value::Local(format!("{name}{index}")));
        let scale = Instruction::binary("mul", word.clone(), key, Value::number(*span));
        lines.push(Statement { result: Some(scaled.clone()), instruction: scale });
        let add = Instruction::binary("add", word.clone(), scaled, own);
        lines.push(Statement { result: Some(sum.clone()), instruction: add });
        key = sum;
    }
    // Values with one body share its block.
    let mut blocks: Vec<Vec<Statement>> = Vec::new();
    let mut numbers: Vec<Vec<i64>> = Vec::new();
    let mut known: BTreeMap<&[Statement], usize> = BTreeMap::new();
    for (lines, key) in inside.iter().zip(&keys.numbers) {
        let at = *known.entry(lines).or_insert_with(|| {
            let block = blocks.len();
            let own: Vec<&Value> = lines.iter().filter_map(|line| line.result.as_ref()).collect();
            let renamed = |value: &Value| {
                let own = own.iter().position(|own| *own == value);
                let own = own.map(|at| Value::Local(format!("r{at}.{block}")));
                own.or_else(|| inputs.iter().position(|other| other.value == *value).map(input))
                    .expect("what is not defined inside is an input")
            };
            let mut body = lines.clone();
            for line in &mut body {
                line.instruction.replace_locals(renamed);
                line.result = line.result.as_ref().map(renamed);
            }
            let last = body.last().and_then(|line| line.result.clone()).filter(|_| *gives_result);
            let returned = last.map(|value| Instruction::Return(Some(Operand::new(result.clone(), value))));
            body.extend(returned.map(Statement::without_result));
            blocks.push(body);
            numbers.push(Vec::new());
            block
        });
        numbers[at].push(*key);
    }
    let label = |block: usize| format!("c{block}");
    let numbers = numbers.into_iter().enumerate();
    let cases = numbers.flat_map(|(block, own)| own.into_iter().map(move |number| (number, label(block))));
    let default = "none".to_owned();
    let switch =
        Instruction::Switch { on: Operand::new(word, key), default: default.clone(), cases: cases.collect() };
    let start = [switch, Instruction::Label(default), Instruction::Unreachable];
    lines.extend(start.map(Statement::without_result));
    for (block, body) in blocks.into_iter().enumerate() {
        lines.push(Statement::without_result(Instruction::Label(label(block))));
        lines.extend(body);
    }
    let text = |name: &str| internal(result, name, &params, &lines);
    let hash = u64::from_be_bytes(*digest([text("").as_bytes()]).first_chunk()?);
    let name = format!("{isa}.immediate.{hash:016x}");
    Some(Part { text: text(&name), name })
}

/// One number for each combination of immediates: `(i0 * spans[1] + i1) * spans[2] + …`.
struct Keys {
    spans: Vec<i64>,
    numbers: Vec<i64>,
}

fn keys(bodies: &[Body]) -> Option<Keys> {
    let count = bodies.first()?.values.len();
    let mut spans = Vec::new();
    for index in 0..count {
        let column = || bodies.iter().map(|body| body.values[index]);
        spans.push(column().max()? - column().min()? + 1);
    }
    let number = |body: &Body| {
        body.values.iter().zip(&spans).skip(1).fold(body.values[0], |key, (value, span)| key * span + value)
    };
    Some(Keys { numbers: bodies.iter().map(number).collect(), spans })
}
