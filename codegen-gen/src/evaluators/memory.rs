//! `evaluators/memory_ISA.h` and `.rs`: instructions with operands in memory as functions on memory itself.
//!
//! An instruction's function has what is in memory as a value. Around it the code reads the bytes that are accessed, and
//! writes them where they are a result; which ones these are, and where the elements of gathers and scatters are, is computed
//! by functions of their own:
//!
//! ```text
//! bytes accessed, distances of elements  ->  load  ->  the function  ->  store
//! ```

use std::collections::BTreeSet;
use std::fmt::Write as _;

use catalog::Signature;
use catalog::record::{MemoryAccess, MemoryRecord};
use hydride_ir::Function;
use rayon::prelude::*;
use serde::Serialize;

use super::language::{C, Language, Rust};
use super::write::{Plan, Unwritable, local_name};
use super::{Evaluator, Evaluators, unused};
use crate::identifier::{distinct, is_cpp_word, word};
use crate::memory::extent;
use crate::render::Renderer;
use crate::{GenerateError, GeneratedFile};

/// An instruction with operands in memory.
#[derive(Debug)]
pub struct MemoryInstruction<'a> {
    /// The instruction set.
    pub isa: &'a str,
    /// The instruction's id, which is unique in its instruction set.
    pub id: &'a str,
    /// Its semantics. The arguments are the signature's, in order.
    pub function: &'a Function,
    /// Types of the arguments and results.
    pub signature: &'a Signature,
    /// Which bytes of memory it accesses, where it does not always access all of them: for each memory argument a result of
    /// the same name with one bit for each byte.
    pub accessed: Option<&'a Function>,
    /// The addresses of elements that are gathered or scattered: for each memory argument that consists of such elements, a
    /// result of the same name with the distance of each from the pointer, in bytes, as 64 bits.
    pub addresses: Option<&'a Function>,
}

/// What the templates need.
#[derive(Serialize)]
struct Context<'a> {
    isa: &'a str,
    #[serde(flatten)]
    evaluators: Evaluators,
}

/// The files for the instructions with operands in memory, sorted by path.
pub fn memory_evaluators(sources: &[MemoryInstruction<'_>]) -> Result<Vec<GeneratedFile>, GenerateError> {
    let renderer = Renderer::new()?;
    let isas: BTreeSet<&str> = sources.iter().map(|source| source.isa).collect();
    let mut files = Vec::new();
    for isa in isas {
        let mut own: Vec<_> = sources.iter().filter(|source| source.isa == isa).collect();
        own.sort_by_key(|source| source.id);
        let mut taken = BTreeSet::new();
        let named: Vec<_> =
            own.into_iter().map(|source| (source, distinct(function_name(source), &mut taken))).collect();
        let made: Vec<_> = named.par_iter().map(|(source, name)| evaluator(source, name)).collect();
        let made = named
            .iter()
            .zip(made)
            .map(|((source, _), made)| made.map_err(|why| format!("instruction `{}`: {}", source.id, why.0)));
        let context = Context { isa, evaluators: Evaluators::new(made) };
        for extension in ["h", "rs"] {
            let path = format!("evaluators/memory_{isa}.{extension}");
            files.push(renderer.render_as(&format!("evaluators/memory.{extension}"), path, &context)?);
        }
    }
    files.sort();
    Ok(files)
}

/// `x86_mm_mask_loadu_epi32`.
fn function_name(source: &MemoryInstruction<'_>) -> String {
    format!("{}_{}", source.isa, word(source.id.trim_start_matches('_')))
}

/// An operand in memory.
struct Operand {
    record: MemoryRecord,
    /// The name of the argument in the document.
    documented: String,
    /// The name of its parameter.
    name: String,
    bytes: u32,
}

impl Operand {
    fn is_written(&self) -> bool {
        self.record.access == MemoryAccess::Store
    }

    /// What is in memory before.
    fn before(&self) -> String {
        format!("{}_before_", self.name)
    }

    /// What is in memory afterwards.
    fn after(&self) -> String {
        format!("{}_after_", self.name)
    }

    /// One bit for each byte.
    fn accessed(&self) -> String {
        format!("{}_accessed_", self.name)
    }

    /// The distances of elements from the pointer.
    fn distances(&self) -> String {
        format!("{}_distances_", self.name)
    }
}

/// Names of parameters.
struct Names {
    args: Vec<String>,
    /// Those of results that are not in memory.
    results: Vec<Option<String>>,
    memory: Vec<Operand>,
}

impl Names {
    fn of(source: &MemoryInstruction<'_>) -> Self {
        let mut taken = BTreeSet::new();
        let mut own = |name: &str, suffix: &str| {
            let name = if is_cpp_word(name) { format!("{name}_arg") } else { local_name(name) };
            let name = if taken.contains(&name) { format!("{name}{suffix}") } else { name };
            distinct(name, &mut taken)
        };
        let signature = source.signature;
        let args: Vec<String> = signature.args.iter().map(|arg| own(&arg.name, "_arg")).collect();
        let results = signature.results.iter();
        let results =
            results.map(|result| (!result.is_memory()).then(|| own(&result.name, "_result"))).collect();
        let memory = signature.memory().map(|record| {
            let argument = &signature.args[record.arg as usize];
            let (documented, name) = (argument.name.clone(), args[record.arg as usize].clone());
            Operand { record, documented, name, bytes: argument.width.div_ceil(8) }
        });
        let memory = memory.collect();
        Self { args, results, memory }
    }

    fn operand(&self, position: usize) -> Option<&Operand> {
        self.memory.iter().find(|operand| operand.record.arg as usize == position)
    }
}

fn evaluator(source: &MemoryInstruction<'_>, name: &str) -> Result<Evaluator, Unwritable> {
    let names = Names::of(source);
    let (c_body, has_floats) = body(source, &names, &C)?;
    let (rust_body, _) = body(source, &names, &Rust)?;
    Ok(Evaluator {
        documentation: documentation(source, &names),
        c_name: name.to_owned(),
        c_args: parameters(source, &names, &C),
        c_body,
        rust_name: name.to_owned(),
        rust_args: parameters(source, &names, &Rust),
        rust_body,
        has_floats,
    })
}

/// What the parameters are, a line each.
fn documentation(source: &MemoryInstruction<'_>, names: &Names) -> Vec<String> {
    let mut lines = vec![format!("The instruction `{}`.", source.id), String::new()];
    let signature = source.signature;
    for (result, name) in signature.results.iter().zip(&names.results) {
        lines.extend(name.iter().map(|name| format!("- `{name}`: result, {} bits", result.width)));
    }
    for (position, (arg, name)) in signature.args.iter().zip(&names.args).enumerate() {
        let text = match (names.operand(position), arg.immediate()) {
            (Some(operand), _) => {
                let most = if source.accessed.is_some() { "up to " } else { "" };
                let Operand { record, bytes, .. } = operand;
                format!("memory, {} of {most}{}", record.verb(), extent(record, *bytes))
            }
            (None, Some((low, high))) => format!("immediate, {low} to {high}"),
            (None, None) => format!("argument, {} bits", arg.width),
        };
        lines.push(format!("- `{name}`: {text}"));
    }
    lines
}

fn parameters(source: &MemoryInstruction<'_>, names: &Names, language: &dyn Language) -> String {
    let mut all: Vec<String> =
        names.results.iter().flatten().map(|name| language.written_parameter(name)).collect();
    for (position, (arg, name)) in source.signature.args.iter().zip(&names.args).enumerate() {
        all.extend(match (names.operand(position), arg.immediate()) {
            (Some(operand), _) => {
                language.memory_parameters(name, operand.is_written(), operand.record.element.is_some())
            }
            (None, Some(_)) => vec![language.word_parameter(name)],
            (None, None) => vec![language.read_parameter(name)],
        });
    }
    all.join(", ")
}

/// The code in a language, and whether it computes with floating-point numbers.
fn body(
    source: &MemoryInstruction<'_>,
    names: &Names,
    language: &dyn Language,
) -> Result<(String, bool), Unwritable> {
    let mut text = String::new();
    let line = |text: &mut String, line: &str| {
        let _ = writeln!(text, "    {line}");
    };
    let words = |width: u32| width.div_ceil(64) as usize;
    let args = names.args.iter().enumerate().map(|(position, name)| {
        names.operand(position).map_or_else(|| name.clone(), |operand| language.read(&operand.before()))
    });
    let args: Vec<String> = args.collect();
    let within = |function: &Function, results: Vec<String>| -> Result<(String, bool), Unwritable> {
        let plan = Plan::of_function(function, results, args.clone())?;
        let body = unused(&plan, plan.body(language), language);
        let inner: String = body.lines().map(|line| format!("    {line}\n")).collect();
        Ok((format!("    {{\n{inner}    }}\n"), plan.has_floats()))
    };
    for operand in &names.memory {
        line(&mut text, &language.array(&operand.before(), words(8 * operand.bytes)));
    }
    type Named = fn(&Operand) -> String;
    let about: [(Option<&Function>, Named); 2] =
        [(source.accessed, Operand::accessed), (source.addresses, Operand::distances)];
    for (function, named) in about {
        let Some(function) = function else { continue };
        let mut results = Vec::new();
        for result in &function.results {
            let operand = names.memory.iter().find(|operand| operand.documented == result.name);
            let width = result.width.as_constant().and_then(|width| u32::try_from(width).ok());
            let (Some(operand), Some(width)) = (operand, width) else {
                return Err(Unwritable("an access of no operand in memory".to_owned()));
            };
            line(&mut text, &language.array(&named(operand), words(width)));
            results.push(language.written(&named(operand)));
        }
        text += &within(function, results)?.0;
    }
    let knows = |function: Option<&Function>, operand: &Operand| {
        function
            .is_some_and(|function| function.results.iter().any(|result| result.name == operand.documented))
    };
    let access = |operand: &Operand, what: &str, value: String| {
        let Operand { record, name, bytes, .. } = operand;
        let accessed = knows(source.accessed, operand).then(|| operand.accessed());
        let distances = knows(source.addresses, operand).then(|| operand.distances());
        let size = record.element.map_or(*bytes, |width| width / 8);
        let place = language.pointer(name, record.element.is_some());
        let ends = [
            bytes.to_string(),
            language.optional(accessed.as_deref()),
            language.optional(distances.as_deref()),
            size.to_string(),
        ];
        let first = if what == "load" {
            [&[value], &place[..]].concat()
        } else {
            [&place[..1], &[value], &place[1..]].concat()
        };
        language.access(&language.call(what, &[&first[..], &ends].concat()))
    };
    for operand in &names.memory {
        line(&mut text, &access(operand, "load", language.written(&operand.before())));
    }
    let mut results = Vec::new();
    for (result, name) in source.signature.results.iter().zip(&names.results) {
        let stored = names.memory.iter().find(|operand| operand.documented == result.name);
        results.push(match (name, stored) {
            (Some(name), _) => name.clone(),
            (None, Some(operand)) => {
                line(&mut text, &language.array(&operand.after(), words(result.width)));
                language.written(&operand.after())
            }
            (None, None) => return Err(Unwritable("a result at no pointer".to_owned())),
        });
    }
    let (own, has_floats) = within(source.function, results)?;
    text += &own;
    for operand in names.memory.iter().filter(|operand| operand.is_written()) {
        line(&mut text, &access(operand, "store", language.read(&operand.after())));
    }
    Ok((text, has_floats))
}
