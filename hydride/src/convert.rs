//! From proved classes to the dialect's input.

use autoir::{Class, Member};
use catalog::{Family, Trust};
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
            commutative: match class.family {
                Some(family) => families[family].commutative,
                None => similarity::is_commutative(class),
            },
            members: class
                .members
                .iter()
                .map(|found| member(instructions[found.entry], entries, found, &trusts[found.entry]))
                .collect(),
        })
        .collect()
}

fn member(
    instruction: &Instruction,
    entries: &[Analyzed<'_>],
    found: &similarity::Member,
    trust: &Trust,
) -> Member {
    let mut mnemonics: Vec<String> = instruction.forms.iter().map(|form| form.mnemonic.clone()).collect();
    mnemonics.sort();
    mnemonics.dedup();
    Member {
        isa: entries[found.entry].isa.to_string(),
        id: instruction.id.clone(),
        intrinsic: instruction.intrinsic.clone(),
        application: found.application.clone(),
        proof: found.proof,
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
