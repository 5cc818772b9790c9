//! One-call programs: a function in LLVM assembly for each definition, with the C prototype of the vendor's intrinsic,
//! which only calls it.

use std::collections::BTreeMap;

use llvm_text::{Block, Function, Instruction as Line, Operand as Typed, Type, Value};
use parsers::{Argument, Instruction, Kind};
use serde::Serialize;

use super::conventions::{Conventions, Place, Prototype, passed};
use super::values::{concatenation, convert, integers};

/// A definition of `lowering/ISA.ll`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The instruction that it represents.
    pub id: String,
    /// The function's name without `@`.
    pub name: String,
    /// The type of its result.
    pub result: Type,
    /// Its operands.
    pub operands: Vec<Operand>,
}

/// An operand of a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    /// Its type in LLVM assembly.
    pub ty: Type,
    /// The instruction's argument that it is.
    pub position: usize,
    /// The values for which there is code, if it is an immediate and that are not all.
    pub values: Option<Vec<i64>>,
}

/// What is around the call in a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Surroundings {
    /// Nothing but the prototype.
    Prototype,
    /// On x86 the first element of a vector of integers is moved to a general register as well: a `movq`, which is of
    /// the integers' execution domain. Without such a neighbour, LLVM selects the floating-point instruction.
    Domain,
    /// The same, with vectors in registers 16 to 31, which the shorter encodings of AVX cannot address.
    Registers,
}

/// How a program is written where there is a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Which of the values that immediates get.
    pub immediate: usize,
    /// Whether vectors of integers have the definition's elements, not C's of 64 bits.
    pub elements: bool,
    /// What is around the call.
    pub surroundings: Surroundings,
}

impl Setting {
    /// The program that is tried first.
    pub(super) const FIRST: Self =
        Self { immediate: 0, elements: false, surroundings: Surroundings::Prototype };

    /// The others that an instruction has.
    pub(super) fn others(own: &Conventions, instruction: &Instruction) -> Vec<Self> {
        let arguments = &instruction.signature.args;
        let surroundings = std::iter::once(Surroundings::Prototype).chain((own.surroundings)(instruction));
        let mut immediates: Vec<(usize, Vec<_>)> = Vec::new();
        for immediate in 0..IMMEDIATES.len() {
            let values = arguments.iter().map(|arg| value(arg, immediate)).collect();
            if immediates.iter().all(|(_, known)| *known != values) {
                immediates.push((immediate, values));
            }
        }
        let mut settings = Vec::new();
        for surroundings in surroundings {
            for elements in if own.element_types { &[false, true][..] } else { &[false] } {
                let setting =
                    |(immediate, _): &_| Self { immediate: *immediate, elements: *elements, surroundings };
                settings.extend(immediates.iter().map(setting).filter(|setting| *setting != Self::FIRST));
            }
        }
        settings
    }
}

/// Immediates in one-call programs, above the lowest value: with the first of them some lanes differ and no amount is
/// zero. The others are for instructions that are simplified away with that value.
const IMMEDIATES: [i64; 6] = [5, 1, 2, 6, 27, 78];

/// An argument's value where it is an immediate.
fn value(argument: &Argument, choice: usize) -> Option<i64> {
    match &argument.kind {
        Kind::Immediate(range) => Some(range.low.saturating_add(IMMEDIATES[choice]).min(range.high)),
        _ => None,
    }
}

/// The module's line of a definition's declaration.
pub(super) fn declaration(definition: &Definition) -> String {
    let types: Vec<String> = definition.operands.iter().map(|operand| operand.ty.to_string()).collect();
    format!("declare {} @{}({})\n", definition.result, definition.name, types.join(", "))
}

/// What a definition returns.
pub(super) fn returned() -> Value {
    Value::local("r")
}

/// Part `index` of the result of type `ty`, which has several if it is a structure.
pub(super) fn result_part(block: &mut Block, ty: &Type, index: u32) -> Value {
    if ty.parts().len() < 2 {
        return returned();
    }
    let value = Value::Local(format!("r{index}"));
    block.define(value.clone(), Line::extract_value(Typed::new(ty.clone(), returned()), index));
    value
}

/// The function `name`, which calls a definition once on its arguments, in the order and at the types of the vendor's
/// prototype where it is called that way. Predicates and masks are passed in their registers without any extra
/// instruction.
pub(super) fn one_call(
    own: &Conventions,
    name: &str,
    definition: &Definition,
    instruction: &Instruction,
    setting: Setting,
) -> String {
    let mut block = Block::new("v");
    let mut params: Vec<Typed> = Vec::new();
    // The values of the instruction's arguments.
    let mut sources: BTreeMap<usize, Typed> = BTreeMap::new();
    let mut positions: Vec<usize> = definition.operands.iter().map(|operand| operand.position).collect();
    if let Prototype::OfC { .. } = own.prototype {
        positions.sort_unstable();
    }
    for position in positions {
        let argument = instruction.signature.args.get(position);
        let operand = definition.operands.iter().find(|operand| operand.position == position);
        let (Some(argument), Some(operand)) = (argument, operand) else { continue };
        if sources.contains_key(&position) {
            continue;
        }
        if let Some(value) = value(argument, setting.immediate) {
            // Of few values the one in its turn.
            let few = operand.values.as_ref().filter(|few| !few.contains(&value) && !few.is_empty());
            let value = few.map_or(value, |few| few[setting.immediate % few.len()]);
            sources.insert(position, Typed::new(operand.ty.clone(), Value::number(value)));
            continue;
        }
        let value = Value::Local(format!("p{position}"));
        if argument.is_memory() {
            params.push(Typed::new(Type::Pointer, value.clone()));
            sources.insert(position, Typed::new(Type::Pointer, value));
            continue;
        }
        let source = match (own.place)(instruction, position, &operand.ty, setting) {
            Place::Parameter { ty } => {
                params.push(Typed::new(ty.clone(), value.clone()));
                Typed::new(ty, value)
            }
            Place::Register { ty, constraint } => {
                let constraint = format!("={constraint}");
                let read = Line::Registers { result: ty.clone(), constraint, arguments: Vec::new() };
                block.define(value.clone(), read);
                Typed::new(ty, value)
            }
            Place::Memory { ty } => {
                let pointer = Value::Local(format!("m{position}"));
                params.push(Typed::new(Type::Pointer, pointer.clone()));
                block.define(value.clone(), Line::Load { ty: ty.clone(), pointer, align: Some(1) });
                Typed::new(ty, value)
            }
            Place::Tuple { vector: (each, element), count } => {
                let piece = |piece| Value::Local(format!("t{position}.{piece}"));
                let pieces: Vec<Value> = (0..count).map(piece).collect();
                let ty = Type::Vector(each, element);
                params.extend(pieces.iter().map(|piece| Typed::new(ty.clone(), piece.clone())));
                concatenation(&mut block, (each, element), &pieces)
            }
            Place::Unchanged => continue,
        };
        sources.insert(position, source);
    }
    let mut args = Vec::new();
    for Operand { ty, position, .. } in &definition.operands {
        let value = match sources.get(position) {
            Some(source) if *ty == Type::Pointer => source.value.clone(),
            Some(source) => convert(&mut block, source.clone(), ty),
            None => Value::poison(),
        };
        args.push(Typed::new(ty.clone(), value));
    }
    let result = &definition.result;
    let call = Line::call(result.clone(), &definition.name, args);
    let ty = if *result == Type::Void {
        block.add(call);
        block.add(Line::Return(None));
        Type::Void
    } else {
        block.define(returned(), call);
        finish(own, instruction, result, setting, &mut block)
    };
    let attributes = (own.attributes)(instruction);
    let function = Function {
        linkage: "",
        result: &ty,
        name,
        parameters: &params,
        attributes: &attributes,
        body: block.statements(),
    };
    format!("\n{function}")
}

/// Leaves the result where the instruction leaves it; the function's type.
fn finish(
    own: &Conventions,
    instruction: &Instruction,
    result: &Type,
    setting: Setting,
    block: &mut Block,
) -> Type {
    let whole = || Typed::new(result.clone(), returned());
    let of_c = match own.prototype {
        Prototype::OfC { result } => result,
        Prototype::Registers { class } => {
            for (index, part) in (0..).zip(result.parts()) {
                let value = Typed::new(part.clone(), result_part(block, result, index));
                let (class, ty) = class(part);
                leave(block, value, &ty, class);
            }
            block.add(Line::Return(None));
            return Type::Void;
        }
    };
    match result_place(of_c, instruction, result, setting) {
        Place::Register { ty, constraint } => {
            leave(block, whole(), &ty, &constraint);
            block.add(Line::Return(None));
            Type::Void
        }
        Place::Parameter { ty } => {
            let value = Typed::new(ty.clone(), convert(block, whole(), &ty));
            if setting.surroundings != Surroundings::Prototype && integers(&ty) {
                let word = Type::integer(64);
                let low = Typed::new(word.clone(), convert(block, value.clone(), &word));
                let pair = Type::Structure(vec![ty, word]);
                let [one, both] = ["one", "both"].map(Value::local);
                let start = Typed::new(pair.clone(), Value::poison());
                block.define(one.clone(), Line::insert_value(start, value, 0));
                let first = Typed::new(pair.clone(), one);
                block.define(both.clone(), Line::insert_value(first, low, 1));
                block.add(Line::Return(Some(Typed::new(pair.clone(), both))));
                return pair;
            }
            block.add(Line::Return(Some(value)));
            ty
        }
        Place::Memory { .. } | Place::Tuple { .. } | Place::Unchanged => {
            block.add(Line::Return(Some(whole())));
            result.clone()
        }
    }
}

/// Leaves a value at type `ty` in a register of a class.
fn leave(block: &mut Block, value: Typed, ty: &Type, class: &str) {
    let value = convert(block, value, ty);
    block.add(Line::Registers {
        result: Type::Void,
        constraint: class.to_owned(),
        arguments: vec![Typed::new(ty.clone(), value)],
    });
}

/// The place of the result, whose type in the definition is `ty`.
fn result_place(
    own: fn(&Instruction, &Argument, &Type, Setting) -> Option<Place>,
    instruction: &Instruction,
    ty: &Type,
    setting: Setting,
) -> Place {
    let [result] = &instruction.signature.results[..] else { return Place::Unchanged };
    if matches!(ty, Type::Structure(_)) {
        return Place::Unchanged;
    }
    match own(instruction, result, ty, setting) {
        // A type of C's that cannot hold it.
        Some(Place::Parameter { ty: own }) if own.width() < ty.width() => Place::Parameter { ty: passed(ty) },
        Some(place) => place,
        None => Place::Parameter { ty: passed(ty) },
    }
}
