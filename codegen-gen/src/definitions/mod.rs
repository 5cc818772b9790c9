//! `llvm/lowering/ISA.ll`: for each member of each operation a definition of a function `@autollvm.…` that stock LLVM
//! compiles to the member's instruction, `llvm/lowering/missing.json` with those that have none, and
//! `llvm/lowering/retired.json` ([`retired`]).
//!
//! A definition takes the operation's arguments at the operation's types, then the mask, then the
//! passthrough; it converts them to the types of the C calling convention and calls the vendor's function
//! ([`VendorIr`]). The values of the operation's parameters are in the name:
//!
//! ```text
//! autollvm.add.v16i8.v16i8.v16i8.8_16_1_0_0_8_8_0_0_0.zero
//! ```
//!
//! The name does not depend on the instruction set: a program is lowered for another one with another file. Neither do
//! the types of a name without a suffix, which are the operation's. If the member's registers are wider than the
//! operation's values (8 bits of a mask for two lanes, 32 of which a shift reads 5), the function that takes and
//! returns whole registers is a separate one, with the suffix `.registers`. If an instruction set has several members
//! for one name, the one that needs the fewest extensions gets it; members with the same text share it, and the others
//! have their id as a suffix.
//!
//! A definition has the CPU features that its members need ([`needs`]).

mod adapter;
mod convert;
mod data;
mod natural;
mod needs;
mod retired;
mod vendor;

use std::collections::{BTreeMap, BTreeSet};

use autoir::Member;
use catalog::record::MemoryRecord;
use llvm_text::{Operand, Statement, Type, Value};
use memo::Memo;
use rayon::prelude::*;
use serde::Serialize;

pub(crate) use adapter::name as definition_name;
pub(crate) use needs::target_features;

pub use data::{Case, Column, Variant, VendorFunction, VendorIr};

use crate::memory::Form;
use crate::operation::Operation;
use crate::render::Renderer;
use crate::{Features, GenerateError, GeneratedFile, Options};
use adapter::{Adapter, Adapters};
use needs::Needs;
use vendor::{VendorFunctions, symbol};

/// A definition's signature, as `lowering.json` has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Signature {
    /// The name without `@`.
    pub(crate) name: String,
    /// The type of its result.
    pub(crate) result: Type,
    /// What each operand is (`arg0`, `mask`, `pass_through`), its type, and its position in the vendor's
    /// signature.
    pub(crate) operands: Vec<(String, Type, u32)>,
    /// The values of immediates for which it has code, by their positions in the vendor's signature, where it has none
    /// for some documented ones.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) values: BTreeMap<u32, BTreeSet<i64>>,
}

/// What was made for a dialect.
#[derive(Debug, Default)]
pub(crate) struct Definitions {
    /// The files.
    pub(crate) files: Vec<GeneratedFile>,
    /// The definitions by instruction set and id.
    pub(crate) signatures: BTreeMap<(String, String), Signature>,
    /// The definitions that implement a plain operation at its own types, by instruction set and the id of the member
    /// that they are derived from.
    pub(crate) operations: BTreeMap<(String, String), Signature>,
    /// Definitions that are a plain operation and one sequence of instructions, by instruction set and name.
    pub(crate) sequences: BTreeMap<String, BTreeMap<String, Sequence>>,
    /// All definitions, by instruction set.
    pub(crate) callables: BTreeMap<String, Callables>,
}

/// The definitions of one instruction set, as bodies of functions that are called in other ways.
#[derive(Debug, Default)]
pub(crate) struct Callables {
    /// The definitions, by name.
    pub(crate) definitions: Vec<Callable>,
    /// The functions that their lines call, as text.
    pub(crate) functions: Vec<String>,
    /// The target's layout of data.
    pub(crate) layout: String,
    /// The target's name.
    pub(crate) triple: String,
}

/// A definition as the body of another function.
#[derive(Debug)]
pub(crate) struct Callable {
    /// The name without `@`.
    pub(crate) name: String,
    /// The position of its operation.
    pub(crate) operation: usize,
    /// The type of its result.
    pub(crate) result: Type,
    /// Its parameters.
    pub(crate) parameters: Vec<CallableParameter>,
    /// The lines; the last one returns.
    pub(crate) lines: Vec<Statement>,
    /// The CPU features that it needs, in LLVM's spelling: those of the member that needs the fewest extensions.
    pub(crate) features: Vec<String>,
}

/// A parameter of a [`Callable`].
#[derive(Debug)]
pub(crate) struct CallableParameter {
    /// Its name in the lines, and its type.
    pub(crate) own: Operand,
    /// The values for which the definition has code, if it is an immediate.
    pub(crate) immediate: Option<BTreeSet<i64>>,
    /// What is accessed through it, if it is a pointer.
    pub(crate) memory: Option<MemoryOperand>,
}

/// An operand in memory of a [`Callable`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemoryOperand {
    /// The access.
    pub(crate) record: MemoryRecord,
    /// The bytes of the operand.
    pub(crate) bytes: u32,
}

/// The instructions of a definition, at an operation's types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sequence {
    /// The operation's arguments, by number, with their names in the lines.
    pub(crate) operands: Vec<(usize, Value)>,
    /// The lines; the last one returns.
    pub(crate) lines: Vec<Statement>,
}

/// What a name may be.
struct Candidate<'a> {
    operation: usize,
    member: &'a Member,
    adapter: Adapter,
    /// Whether it is the member's definition, and not only the operation's.
    is_member: bool,
}

/// A definition that members with the same text share.
struct Written<'a> {
    name: String,
    candidate: &'a Candidate<'a>,
    needs: Needs<'a>,
}

/// A member that has no definition.
#[derive(Debug, Serialize)]
struct Missing<'a> {
    isa: &'a str,
    id: &'a str,
    reason: String,
}

/// Rows of a list, each a JSON object.
#[derive(Serialize)]
struct Rows {
    rows: Vec<String>,
}

impl Rows {
    fn of<T: Serialize>(rows: &[T]) -> Result<Self, GenerateError> {
        Ok(Self { rows: rows.iter().map(serde_json::to_string).collect::<Result<_, _>>()? })
    }
}

/// What the template of `lowering/ISA.ll` needs.
#[derive(Serialize)]
struct Module<'a> {
    isa: &'a str,
    llvm: u32,
    compiler: &'a str,
    layout: &'a str,
    triple: &'a str,
    functions: Vec<String>,
}

/// The definitions for all members of the instruction sets with data of the release.
pub(crate) fn definitions(
    renderer: &Renderer,
    operations: &[Operation<'_>],
    options: &Options,
    memo: &Memo,
) -> Result<Definitions, GenerateError> {
    let of_vendor = |vendor: &&VendorIr| of_vendor(renderer, operations, vendor, &options.features, memo);
    let vendors: Vec<&VendorIr> = options.of_release().collect();
    let found: Vec<_> = vendors.par_iter().map(of_vendor).collect::<Result<_, _>>()?;
    let mut made = Definitions::default();
    let mut missing: Vec<Missing<'_>> = Vec::new();
    for (own, without) in found {
        made.files.extend(own.files);
        made.signatures.extend(own.signatures);
        made.operations.extend(own.operations);
        made.sequences.extend(own.sequences);
        made.callables.extend(own.callables);
        missing.extend(without);
    }
    let without = |isa: &str| options.vendor(isa).is_none();
    for operation in operations {
        let members = operation.op.class.members.iter().filter(|member| without(&member.isa));
        missing.extend(members.map(|member| {
            let reason = "there is no data of its instruction set for this release".to_owned();
            Missing { isa: &member.isa, id: &member.id, reason }
        }));
    }
    missing.sort_by(|a, b| (a.isa, a.id).cmp(&(b.isa, b.id)));
    made.files.push(renderer.render("llvm/lowering/missing.json", &Rows::of(&missing)?)?);
    let members: BTreeSet<(&str, &str)> = operations
        .iter()
        .flat_map(|operation| &operation.op.class.members)
        .map(|member| (member.isa.as_str(), member.id.as_str()))
        .collect();
    let retired = retired::retired(&options.vendors, |isa, id| members.contains(&(isa, id)));
    made.files.push(renderer.render("llvm/lowering/retired.json", &Rows::of(&retired)?)?);
    Ok(made)
}

/// The definitions for the members of one instruction set, and the members that have none.
fn of_vendor<'a>(
    renderer: &Renderer,
    operations: &'a [Operation<'_>],
    vendor: &VendorIr,
    features: &Features,
    memo: &Memo,
) -> Result<(Definitions, Vec<Missing<'a>>), GenerateError> {
    let mut made = Definitions::default();
    let mut missing: Vec<Missing<'a>> = Vec::new();
    let is_checked = features.is_inlined_by_features(&vendor.isa);
    let members = operations.iter().flat_map(|operation| &operation.op.class.members);
    let ids = members.filter(|member| member.isa == vendor.isa).map(|member| member.id.as_str());
    let functions = VendorFunctions::new(vendor, ids, memo);
    let mut named: BTreeMap<String, Vec<Candidate<'_>>> = BTreeMap::new();
    let mut symbols: BTreeSet<String> = BTreeSet::new();
    for (position, operation) in operations.iter().enumerate() {
        for (member, facts) in operation.op.instances().filter(|(member, _)| member.isa == vendor.isa) {
            symbols.insert(operation.symbol(&member.application.params, facts));
            match adapter::adapters(operation, member, facts, &functions) {
                Ok(Adapters { member: own, operation: plain }) => {
                    if Form::of(operation, member, facts).is_some() {
                        symbols.insert(plain.as_ref().unwrap_or(&own).name.clone());
                    }
                    let candidate =
                        |adapter, is_member| Candidate { operation: position, member, adapter, is_member };
                    let own = candidate(own, true);
                    let plain = plain.map(|adapter| candidate(adapter, false));
                    for candidate in std::iter::once(own).chain(plain) {
                        named.entry(candidate.adapter.name.clone()).or_default().push(candidate);
                    }
                }
                Err(reason) => missing.push(Missing { isa: &member.isa, id: &member.id, reason }),
            }
        }
    }
    let mut sequences: BTreeMap<String, Sequence> = BTreeMap::new();
    let mut texts: Vec<String> = Vec::new();
    let mut callables: Vec<Callable> = Vec::new();
    for (name, mut candidates) in named {
        candidates.sort_by_key(|candidate| (candidate.member.extensions.len(), &candidate.member.id));
        let mut written: Vec<Written<'_>> = Vec::new();
        for candidate in &candidates {
            let Candidate { member, adapter, is_member, .. } = candidate;
            let needs = Needs::new(features.of(&member.isa, &member.id), is_checked);
            let key = (member.isa.clone(), member.id.clone());
            if written.is_empty() && symbols.contains(&name) {
                made.operations.insert(key.clone(), adapter.signature(name.clone(), member, vendor));
                sequences.extend(adapter.sequence.clone().map(|sequence| (name.clone(), sequence)));
            } else if !*is_member {
                // Calls of the plain operation use the first one.
                continue;
            }
            let is_first = written.is_empty();
            let identity = adapter.identity();
            let same = written.iter_mut().find(|other| other.candidate.adapter.identity() == identity);
            let own = match same {
                Some(same) => {
                    same.needs.or(needs);
                    same.name.clone()
                }
                None => {
                    let suffix = if is_first { String::new() } else { format!(".{}", symbol(&member.id)) };
                    let own = format!("{name}{suffix}");
                    written.push(Written { name: own.clone(), candidate, needs });
                    own
                }
            };
            if *is_member {
                made.signatures.insert(key, adapter.signature(own, member, vendor));
            }
        }
        for Written { name, candidate, needs } in &written {
            let Candidate { operation, member, adapter, .. } = candidate;
            texts.push(adapter.text(name, needs));
            let (result, lines) = adapter.body();
            callables.push(Callable {
                name: name.clone(),
                operation: *operation,
                result: result.clone(),
                parameters: adapter.callable_parameters(member, vendor),
                lines: lines.to_vec(),
                features: features.of(&member.isa, &member.id).to_vec(),
            });
        }
    }
    let functions = functions.texts();
    texts.extend(functions.iter().cloned());
    made.sequences.insert(vendor.isa.clone(), sequences);
    let VendorIr { isa, llvm, compiler, layout, triple, .. } = vendor;
    let (layout_text, triple_text) = (layout.clone(), triple.clone());
    let callables = Callables { definitions: callables, functions, layout: layout_text, triple: triple_text };
    made.callables.insert(isa.clone(), callables);
    let module = Module { isa, llvm: *llvm, compiler, layout, triple, functions: texts };
    made.files.push(renderer.render_in("llvm/lowering", &format!("{isa}.ll"), &module)?);
    Ok((made, missing))
}
