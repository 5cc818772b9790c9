//! From proved classes to the dialect's input.

use std::collections::BTreeMap;

use autoir::{Class, Member};
use catalog::{Certificate, Family, Trust};
use hydride_ir::{Function, Op, Stmt};
use parsers::Instruction;
use rayon::prelude::*;
use similarity::{Analyzed, Partition};

/// The classes of a partition by `families` with what the documents say of their members.
pub fn classes(
    instructions: &[&Instruction],
    entries: &[Analyzed<'_>],
    partition: &Partition,
    families: &[&Family],
    trusts: &[Trust],
) -> Vec<Class> {
    partition
        .classes
        .par_iter()
        .map(|class| Class {
            function: class.function.clone(),
            structural_hash: class.key.clone(),
            structure: class.structure.clone(),
            numbers: class.numbers.clone(),
            suggested_name: suggested_name(&class.function),
            members: members(
                class,
                class.family.map(|family| families[family]),
                instructions,
                entries,
                trusts,
            ),
        })
        .collect()
}

fn members(
    class: &similarity::Class,
    family: Option<&Family>,
    instructions: &[&Instruction],
    entries: &[Analyzed<'_>],
    trusts: &[Trust],
) -> Vec<Member> {
    // Whether arguments can be exchanged depends only on the function and the parameter values.
    let recorded = family.iter().flat_map(|family| family.members.values());
    let mut commutes: BTreeMap<&[i64], bool> =
        recorded.map(|known| (known.application.params.as_slice(), known.commutes)).collect();
    let mut members = Vec::with_capacity(class.members.len());
    for found in &class.members {
        let params = found.application.params.as_slice();
        let commutes =
            *commutes.entry(params).or_insert_with(|| similarity::commutes(&class.function, params));
        members.push(member(instructions[found.entry], entries, found, &trusts[found.entry], commutes));
    }
    members
}

fn member(
    instruction: &Instruction,
    entries: &[Analyzed<'_>],
    found: &similarity::Member,
    trust: &Trust,
    commutes: bool,
) -> Member {
    let mut mnemonics: Vec<String> = instruction.forms.iter().map(|form| form.mnemonic.clone()).collect();
    mnemonics.sort();
    mnemonics.dedup();
    Member {
        isa: entries[found.entry].isa.to_string(),
        id: instruction.id.clone(),
        intrinsic: instruction.intrinsic.clone(),
        application: found.application.clone(),
        commutes,
        proof: found.proof,
        certificate: Certificate::of(&instruction.function),
        trust: Some(trust.clone()),
        mnemonics,
        extensions: instruction.extensions.clone(),
        signature: instruction.signature.clone(),
    }
}

/// A name for classes whose single instructions would give too narrow a name: one source whose elements are
/// copied, converted, broadcast or extracted, as the parameters say.
fn suggested_name(function: &Function) -> Option<String> {
    let mut body = &function.body;
    while let [Stmt::For { body: inner, .. }] = body.as_slice() {
        body = inner;
    }
    let [Stmt::Assign { value, .. }] = body.as_slice() else { return None };
    let mut value = *value;
    while let Op::Cast { of, .. } = function.expr(value).op {
        value = of;
    }
    let Op::Extract { of, .. } = function.expr(value).op else { return None };
    let single = matches!(function.expr(of).op, Op::Arg(_)) && !function.params.is_empty();
    single.then(|| "move_elements".to_string())
}
