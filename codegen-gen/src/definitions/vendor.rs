//! Vendor functions as LLVM assembly.
//!
//! A function with immediates takes them as `i32`s at the end of its parameters. What is the same for all of
//! their values stays in the function; the part that differs becomes a separate function with a `switch`:
//!
//! ```text
//! define internal <2 x i64> @x86._mm_shufflelo_epi16(<2 x i64> %a0, i32 %i0) alwaysinline {
//!   %v0 = bitcast <2 x i64> %a0 to <8 x i16>
//!   %v1 = call <8 x i16> @x86.immediate.7(<8 x i16> %v0, i32 %i0)
//!   %v2 = bitcast <8 x i16> %v1 to <2 x i64>
//!   ret <2 x i64> %v2
//! }
//! ```
//!
//! Masked forms, and forms on other element types, share that part.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::data::{Case, VendorFunction, VendorIr};
use super::natural::natural;
use crate::types;

/// The functions of one instruction set that are used.
pub(super) struct VendorFunctions<'a> {
    ir: &'a VendorIr,
    /// For each function the result, or why there is none.
    made: Vec<Option<Result<Made, String>>>,
    parts: Parts,
}

/// A function at the types that it works on.
#[derive(Clone)]
struct Made {
    function: VendorFunction,
    name: String,
    text: String,
}

/// The parts that differ from value to value.
struct Parts {
    isa: String,
    /// Names by everything but the name.
    names: BTreeMap<String, String>,
    /// The texts in the order of their making.
    texts: Vec<String>,
}

impl<'a> VendorFunctions<'a> {
    pub(super) fn new(ir: &'a VendorIr) -> Self {
        let parts = Parts { isa: ir.isa.clone(), names: BTreeMap::new(), texts: Vec::new() };
        Self { ir, made: vec![None; ir.functions.len()], parts }
    }

    /// The function of an instruction with the name that it has in the file; a message when there is none.
    pub(super) fn get(&mut self, id: &str) -> Result<(&VendorFunction, &str), String> {
        let Some(position) = self.ir.members.get(id).copied() else {
            let reason = self.ir.refused.get(id).map_or("it was not read off the compiler", String::as_str);
            return Err(reason.to_owned());
        };
        let function = self.ir.functions.get(position).ok_or("the data names no function for it")?;
        let (ir, parts) = (self.ir, &mut self.parts);
        let slot = &mut self.made[position];
        let made = slot.get_or_insert_with(|| {
            // The first of those that share it gives it its name.
            let first = ir.members.iter().find(|(_, other)| **other == position).map_or(id, |(id, _)| id);
            let name = format!("{}.{}", ir.isa, symbol(first));
            let function = natural(function);
            let text = function_text(&function, &name, parts)?;
            Ok(Made { function, name, text })
        });
        match made {
            Ok(Made { function, name, .. }) => Ok((function, name)),
            Err(reason) => Err(reason.clone()),
        }
    }

    /// The requested functions, and after them the parts that they call: in this order the inliner visits the
    /// calls with constants first.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for made in self.made.iter().flatten().flatten() {
            text.push_str(&made.text);
        }
        for part in &self.parts.texts {
            text.push_str(part);
        }
        text
    }
}

/// What of an id can be in a symbol.
pub(super) fn symbol(id: &str) -> String {
    let keep = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-') { c } else { '.' };
    id.chars().map(keep).collect()
}

fn function_text(function: &VendorFunction, name: &str, parts: &mut Parts) -> Result<String, String> {
    let cases = function.cases().ok_or("the data of its immediates is damaged")?;
    let first = cases.first().ok_or("the data has no body for it")?;
    let lines = if function.immediates == 0 { first.lines.clone() } else { parts.split(function, &cases)? };
    let params = function.params.iter().enumerate().map(|(position, ty)| format!("{ty} %a{position}"));
    let params = params.chain((0..function.immediates).map(|index| format!("i32 %i{index}")));
    let params: Vec<String> = params.collect();
    let mut text =
        format!("\ndefine internal {} @{name}({}) alwaysinline {{\n", function.result, params.join(", "));
    push_lines(&mut text, &lines);
    text.push_str("}\n");
    Ok(text)
}

fn push_lines(text: &mut String, lines: &[String]) {
    for line in lines {
        let indent = if line.ends_with(':') { "" } else { "  " };
        let _ = writeln!(text, "{indent}{line}");
    }
}

/// The values (`%v3`, `%a0`) in a line, in order.
pub(super) fn values(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices('%').map(|(at, _)| {
        let rest = &line[at + 1..];
        let end = rest.bytes().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(rest.len());
        &line[at..=at + end]
    })
}

/// A line with its values replaced.
pub(super) fn renamed(line: &str, name_of: impl Fn(&str) -> String) -> String {
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find('%') {
        text.push_str(&rest[..at]);
        let value = values(&rest[at..]).next().unwrap_or("%");
        text.push_str(&name_of(value));
        rest = &rest[at + value.len()..];
    }
    text + rest
}

/// The value that a line defines.
fn defined(line: &str) -> Option<&str> {
    line.strip_prefix('%')?;
    line.split_once(" = ").map(|(value, _)| value)
}

/// The type of a value: that of the parameter, or the one that a line writes before it.
fn type_of(value: &str, params: &[String], lines: &[String]) -> Option<String> {
    if let Some(number) = value.strip_prefix("%a") {
        return params.get(number.parse::<usize>().ok()?).cloned();
    }
    lines.iter().find_map(|line| {
        let made = defined(line) == Some(value);
        if let Some((_, to)) = line.rsplit_once(" to ").filter(|_| made) {
            return Some(to.to_owned());
        }
        let used = line.match_indices(value).filter(|(at, _)| values(&line[*at..]).next() == Some(value));
        used.into_iter().find_map(|(at, _)| types::at_end(&line[..at])).map(str::to_owned)
    })
}

impl Parts {
    /// The lines of a function with immediates: what is common, and a call of the part that differs.
    fn split(&mut self, function: &VendorFunction, cases: &[Case]) -> Result<Vec<String>, String> {
        let first = &cases[0].lines;
        if cases.iter().all(|case| case.lines == *first) {
            return Ok(first.clone());
        }
        if cases.iter().any(|case| case.lines.iter().any(|line| line.ends_with(':'))) {
            return Err("its branches depend on an immediate".to_owned());
        }
        let differs = |at: usize| cases.iter().any(|case| case.lines.get(at) != first.get(at));
        let low = (0..first.len()).find(|at| differs(*at)).unwrap_or(0);
        let even = cases.iter().all(|case| case.lines.len() == first.len());
        let high = (low..first.len()).rev().find(|at| differs(*at)).unwrap_or(low);
        self.outline(function, cases, low, high + 1)
            .filter(|_| even)
            .or_else(|| self.outline(function, cases, low, usize::MAX))
            .or_else(|| self.outline(function, cases, 0, usize::MAX))
            .ok_or_else(|| "the part that depends on its immediate could not be told".to_owned())
    }

    /// Extracts lines `low .. high` of every case; `None` when they do not have one result and known types.
    fn outline(
        &mut self,
        function: &VendorFunction,
        cases: &[Case],
        low: usize,
        high: usize,
    ) -> Option<Vec<String>> {
        let first = &cases[0].lines;
        let high = high.min(first.len());
        let to_end = cases.iter().all(|case| case.lines.len() <= high) || high == first.len();
        let range = |case: &'_ Case| {
            let end = if to_end { case.lines.len() } else { high };
            case.lines[low..end].to_vec()
        };
        let inside: Vec<Vec<String>> = cases.iter().map(range).collect();
        // What is read and made before.
        let mut inputs: Vec<String> = Vec::new();
        for lines in &inside {
            for value in lines.iter().flat_map(|line| values(line)) {
                let own = lines.iter().any(|line| defined(line) == Some(value));
                if !own && !inputs.iter().any(|input| input == value) {
                    inputs.push(value.to_owned());
                }
            }
        }
        let known: Vec<String> = cases.iter().flat_map(|case| case.lines.iter().cloned()).collect();
        let known = if cases.iter().all(|case| case.lines.len() == first.len()) { first } else { &known };
        let types = inputs.iter().map(|input| type_of(input, &function.params, known));
        let types: Vec<String> = types.collect::<Option<_>>()?;
        let (result, output) = if to_end {
            (function.result.clone(), None)
        } else {
            let output = defined(&first[high - 1])?.to_owned();
            let after = &first[high..];
            let made: Vec<&str> = first[low..high - 1].iter().filter_map(|line| defined(line)).collect();
            if after.iter().flat_map(|line| values(line)).any(|value| made.contains(&value)) {
                return None;
            }
            (type_of(&output, &function.params, first)?, Some(output))
        };
        let name = self.part(function, cases, &inside, &inputs, &types, &result, output.is_some())?;
        let args = types.iter().zip(&inputs).map(|(ty, value)| format!("{ty} {value}"));
        let args = args.chain((0..function.immediates).map(|index| format!("i32 %i{index}")));
        let call = format!("call {result} @{name}({})", args.collect::<Vec<_>>().join(", "));
        let mut lines = first[..low].to_vec();
        match output {
            Some(output) => {
                lines.push(format!("{output} = {call}"));
                lines.extend_from_slice(&first[high..]);
            }
            None => lines.extend([format!("%result = {call}"), format!("ret {result} %result")]),
        }
        Some(lines)
    }

    /// The name of the function that chooses between `inside`, which is made where there is none yet.
    #[allow(clippy::too_many_arguments)] // all of one place
    fn part(
        &mut self,
        function: &VendorFunction,
        cases: &[Case],
        inside: &[Vec<String>],
        inputs: &[String],
        types: &[String],
        result: &str,
        returns: bool,
    ) -> Option<String> {
        let params = types.iter().enumerate().map(|(position, ty)| format!("{ty} %x{position}"));
        let params = params.chain((0..function.immediates).map(|index| format!("i32 %i{index}")));
        let mut text = format!("({}) alwaysinline {{\n", params.collect::<Vec<_>>().join(", "));
        let keys = keys(cases)?;
        let mut key = "%i0".to_owned();
        for (index, span) in keys.spans.iter().enumerate().skip(1) {
            let _ = writeln!(text, "  %s{index} = mul i32 {key}, {span}");
            let _ = writeln!(text, "  %k{index} = add i32 %s{index}, %i{index}");
            key = format!("%k{index}");
        }
        // Values with one body share its block.
        let mut blocks: Vec<(String, Vec<i64>)> = Vec::new();
        let mut known: BTreeMap<&[String], usize> = BTreeMap::new();
        for (lines, key) in inside.iter().zip(&keys.numbers) {
            let at = *known.entry(lines).or_insert_with(|| {
                let block = blocks.len();
                let own: Vec<&str> = lines.iter().filter_map(|line| defined(line)).collect();
                let name_of = |value: &str| {
                    if let Some(at) = own.iter().position(|own| *own == value) {
                        return format!("%r{at}.{block}");
                    }
                    let at = inputs.iter().position(|input| input == value).unwrap_or(inputs.len());
                    format!("%x{at}")
                };
                let mut body = String::new();
                for line in lines {
                    let _ = writeln!(body, "  {}", renamed(line, name_of));
                }
                if returns {
                    let _ = writeln!(body, "  ret {result} %r{}.{block}", own.len().saturating_sub(1));
                }
                blocks.push((body, Vec::new()));
                block
            });
            blocks[at].1.push(*key);
        }
        let _ = writeln!(text, "  switch i32 {key}, label %none [");
        for (block, (_, numbers)) in blocks.iter().enumerate() {
            for number in numbers {
                let _ = writeln!(text, "    i32 {number}, label %c{block}");
            }
        }
        text.push_str("  ]\nnone:\n  unreachable\n");
        for (block, (body, _)) in blocks.iter().enumerate() {
            let _ = write!(text, "c{block}:\n{body}");
        }
        text.push_str("}\n");
        let identity = format!("{result}{text}");
        if let Some(name) = self.names.get(&identity) {
            return Some(name.clone());
        }
        let name = format!("{}.immediate.{}", self.isa, self.texts.len());
        self.texts.push(format!("\ndefine internal {result} @{name}{text}"));
        self.names.insert(identity, name.clone());
        Some(name)
    }
}

/// One number for each combination of immediates: `(i0 * spans[1] + i1) * spans[2] + …`.
struct Keys {
    spans: Vec<i64>,
    numbers: Vec<i64>,
}

fn keys(cases: &[Case]) -> Option<Keys> {
    let count = cases.first()?.values.len();
    let mut spans = Vec::new();
    for index in 0..count {
        let column = || cases.iter().map(|case| case.values[index]);
        spans.push(column().max()? - column().min()? + 1);
    }
    let number = |case: &Case| {
        case.values.iter().zip(&spans).skip(1).fold(case.values[0], |key, (value, span)| key * span + value)
    };
    Some(Keys { numbers: cases.iter().map(number).collect(), spans })
}
