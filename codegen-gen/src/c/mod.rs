//! `c/`: the definitions as functions for C and C++, and their header.
//!
//! A compiler passes vectors in registers that depend on its options, and in memory where it has none, so that a function
//! on vectors cannot be called from every program. Here vectors are arrays in memory: a function reads its arguments
//! through pointers and writes its results through others, and has the CPU features that it needs whatever the program is
//! compiled for. Operands that an instruction has in memory are pointers, which it gets as they are.
//!
//! `c/autollvm.h` has the prototypes, once for all instruction sets that have a function of that name and type;
//! `c/autollvm-ISA.ll` has the functions of one. The functions are [`function`]s, their C side is in [`prototype`].

mod function;
mod prototype;

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::Serialize;

use crate::definitions::{Callable, Callables, Definitions};
use crate::mlir::describe::sentence;
use crate::operation::Operation;
use crate::render::Renderer;
use crate::{GenerateError, GeneratedFile, Options};
use prototype::Prototype;

/// What the header's template needs.
#[derive(Serialize)]
struct Header<'a> {
    operations: Vec<Section<'a>>,
}

/// The prototypes of one operation.
#[derive(Serialize)]
struct Section<'a> {
    name: &'a str,
    prototypes: Vec<Declared>,
}

/// A prototype with its comment.
#[derive(Serialize)]
struct Declared {
    comment: String,
    prototype: String,
}

/// What the template of a module needs.
#[derive(Serialize)]
struct Module<'a> {
    isa: &'a str,
    llvm: u32,
    layout: &'a str,
    triple: &'a str,
    functions: Vec<String>,
}

/// A prototype, and the instruction sets that have it with the features that they need.
#[derive(Default)]
struct Owners<'a> {
    operation: usize,
    prototypes: BTreeMap<Prototype, Vec<(&'a str, &'a Callable)>>,
}

/// The header, and a module for each instruction set.
pub(crate) fn files(
    renderer: &Renderer,
    operations: &[Operation<'_>],
    definitions: &Definitions,
    options: &Options,
) -> Result<Vec<GeneratedFile>, GenerateError> {
    let named = named(definitions);
    let mut files = vec![header(renderer, operations, &named)?];
    for (isa, callables) in &definitions.callables {
        files.push(module(renderer, isa, callables, &named, options)?);
    }
    Ok(files)
}

/// The definitions that C can call, by the names of their functions in C.
fn named(definitions: &Definitions) -> BTreeMap<String, Owners<'_>> {
    let mut named: BTreeMap<String, Owners<'_>> = BTreeMap::new();
    for (isa, callables) in &definitions.callables {
        for callable in &callables.definitions {
            let Some(prototype) = Prototype::of(callable) else { continue };
            let owners = named.entry(prototype::function_name(&callable.name)).or_default();
            owners.operation = callable.operation;
            owners.prototypes.entry(prototype).or_default().push((isa, callable));
        }
    }
    named
}

/// The name of one of several functions that have the same name but other types: that of the first instruction set that
/// has it is part of it.
fn distinct_name(name: &str, owners: &Owners<'_>, isa: &str) -> String {
    if owners.prototypes.len() == 1 { name.to_owned() } else { format!("{name}_{isa}") }
}

fn header(
    renderer: &Renderer,
    operations: &[Operation<'_>],
    named: &BTreeMap<String, Owners<'_>>,
) -> Result<GeneratedFile, GenerateError> {
    let sentences: Vec<String> = operations.iter().map(sentence).collect();
    let mut declared: BTreeMap<usize, Vec<Declared>> = BTreeMap::new();
    for (name, owners) in named {
        let own = declared.entry(owners.operation).or_default();
        own.extend(owners.prototypes.iter().filter_map(|(prototype, isas)| {
            let (first, _) = isas.first()?;
            let needs = isas.iter().map(|(isa, callable)| {
                format!("{}{}", needs(isa, &callable.features), prototype.documented(callable))
            });
            let needs: Vec<String> = needs.collect();
            let comment = format!("{}: {}", needs.join("; "), sentences.get(owners.operation)?);
            Some(Declared { comment, prototype: prototype.text(&distinct_name(name, owners, first)) })
        }));
    }
    let section = |(position, prototypes): (usize, Vec<Declared>)| {
        Some(Section { name: &operations.get(position)?.op.name, prototypes })
    };
    let operations = declared.into_iter().filter_map(section).collect();
    renderer.render("c/autollvm.h", &Header { operations })
}

/// An instruction set and the features that it needs: `x86 avx512bw+avx512vl`.
fn needs(isa: &str, features: &[String]) -> String {
    if features.is_empty() { isa.to_owned() } else { format!("{isa} {}", features.join("+")) }
}

fn module(
    renderer: &Renderer,
    isa: &str,
    callables: &Callables,
    named: &BTreeMap<String, Owners<'_>>,
    options: &Options,
) -> Result<GeneratedFile, GenerateError> {
    let made = callables.definitions.par_iter().filter_map(|callable| {
        let prototype = Prototype::of(callable)?;
        let name = prototype::function_name(&callable.name);
        let owners = named.get(&name)?;
        let first = owners.prototypes.get(&prototype)?.first()?.0;
        Some(function::text(callable, &prototype, &distinct_name(&name, owners, first)))
    });
    let mut functions: Vec<String> = made.collect();
    functions.extend(callables.functions.iter().cloned());
    let Callables { layout, triple, .. } = callables;
    let module = Module { isa, llvm: options.llvm.number(), layout, triple, functions };
    renderer.render_as("c/autollvm.ll", format!("c/autollvm-{isa}.ll"), &module)
}
