//! From proved classes to the dialect's input.

use autoir::{ArgSource, Class, MaskLayout, Masking, Member, Operand, Proof, ResultPart, Signature};
use hydride_ir::{Arg, Atom, Bits, Function, Op, Stmt};
use parsers::{Argument, Instruction, Kind};
use rayon::prelude::*;
use similarity::{Application, Broadcast, Entry, Partition, Source};

use crate::trust::Trust;

/// The classes of a partition with what the documents say of their members.
pub fn classes(
    instructions: &[&Instruction],
    entries: &[Entry<'_>],
    partition: &Partition,
    trusts: &[Trust],
) -> Vec<Class> {
    partition
        .classes
        .par_iter()
        .map(|class| Class {
            function: class.function.clone(),
            structural_hash: class.key.clone(),
            suggested_name: suggested_name(&class.function),
            commutative: similarity::is_commutative(class),
            members: class
                .members
                .iter()
                .map(|found| {
                    member(instructions[found.entry], entries, &class.function, found, &trusts[found.entry])
                })
                .collect(),
        })
        .collect()
}

fn member(
    instruction: &Instruction,
    entries: &[Entry<'_>],
    class: &Function,
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
        params: found.application.params.clone(),
        args: sources(class, &found.application),
        mask_layout: found.application.masking.map(|masking| MaskLayout {
            stride: masking.stride,
            lane: masking.lane,
            negated: masking.negated,
        }),
        part: found.application.part.map(|part| ResultPart {
            low: part.low,
            width: part.width,
            pass_through: part.pass,
        }),
        masking: match found.application.masking {
            None => Masking::None,
            Some(masking) => match masking.pass {
                Some(pass) => Masking::Merge { mask: masking.mask, pass_through: Some(pass) },
                None => Masking::Zero { mask: masking.mask },
            },
        },
        proof: match found.proof {
            similarity::Proof::Structural => Proof::Structural,
            similarity::Proof::Smt => Proof::Smt,
        },
        trust: Some(trust.name().to_string()),
        mnemonics,
        extensions: instruction.extensions.clone(),
        signature: Signature {
            args: instruction.signature.args.iter().map(operand).collect(),
            results: instruction.signature.results.iter().map(operand).collect(),
        },
    }
}

/// Where the class's arguments come from.
fn sources(class: &Function, application: &Application) -> Vec<ArgSource> {
    let value_of = |atom| match atom {
        Atom::Param(param) => application.params.get(param.0 as usize).copied().unwrap_or(0),
        Atom::Index(_) => 0,
    };
    let source = |(arg, source): (&Arg, &Source)| match *source {
        Source::Own(position) => ArgSource::Position(position),
        Source::Zero => {
            let width = arg.width.eval(value_of).and_then(|width| u32::try_from(width).ok());
            ArgSource::Constant(Bits::zero(width.unwrap_or(1)))
        }
        Source::Broadcast(Broadcast { arg, low, lane, width, stride }) => {
            let lane = lane.map(|(lane, _)| lane);
            ArgSource::Broadcast { position: arg, lane, low, width, stride }
        }
    };
    class.args.iter().zip(&application.args).map(source).collect()
}

fn operand(argument: &Argument) -> Operand {
    let immediate = match &argument.kind {
        Kind::Immediate(range) => Some((range.low, range.high)),
        Kind::Vector | Kind::Mask | Kind::Scalar => None,
    };
    Operand { c_type: argument.c_type.clone(), width: argument.width, immediate }
}

/// A name for what single instructions of a class would name too narrowly: one source whose elements are
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
