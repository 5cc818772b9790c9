//! One-call programs: a function in LLVM assembly for each definition, with the C prototype of the vendor's intrinsic,
//! which only calls it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use parsers::{Argument, Instruction, Kind};
use serde::Serialize;

use super::conventions::{Conventions, Place, Prototype, passed};
use super::values::{Body, integers, width};

/// A definition of `lowering/ISA.ll`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The instruction that it represents.
    pub id: String,
    /// The function's name without `@`.
    pub name: String,
    /// The type of its result.
    pub result: String,
    /// Its operands.
    pub operands: Vec<Operand>,
}

/// An operand of a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    /// Its type in LLVM assembly.
    pub ty: String,
    /// The instruction's argument that it is.
    pub position: usize,
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

/// The number of bits of a vector of single bits.
pub fn bits(ty: &str) -> Option<u32> {
    ty.strip_prefix('<')?.strip_suffix(" x i1>")?.parse().ok()
}

/// The parts of a result: those of a structure, or the result itself.
pub(super) fn parts(result: &str) -> Vec<&str> {
    match result.strip_prefix("{ ").and_then(|inner| inner.strip_suffix(" }")) {
        Some(inner) => super::body::split_commas(inner),
        None => vec![result],
    }
}

/// The module's line of a definition's declaration.
pub(super) fn declaration(definition: &Definition) -> String {
    let types: Vec<&str> = definition.operands.iter().map(|operand| operand.ty.as_str()).collect();
    format!("declare {} @{}({})\n", definition.result, definition.name, types.join(", "))
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
    let mut body = Body::default();
    let mut params = Vec::new();
    // The values of the instruction's arguments with their types.
    let mut sources: BTreeMap<usize, (String, String)> = BTreeMap::new();
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
            sources.insert(position, (operand.ty.clone(), value.to_string()));
            continue;
        }
        let ty = match (own.place)(instruction, position, &operand.ty, setting) {
            Place::Parameter { ty } => {
                params.push(format!("{ty} %p{position}"));
                sources.insert(position, (ty, format!("%p{position}")));
                continue;
            }
            Place::Register { ty, constraint } => {
                body.line(&format!("%p{position} = call {ty} asm sideeffect \"\", \"={constraint}\"()"));
                ty
            }
            Place::Memory { ty } => {
                params.push(format!("ptr %m{position}"));
                body.line(&format!("%p{position} = load {ty}, ptr %m{position}, align 1"));
                ty
            }
            Place::Tuple { ty, count } => {
                let pieces: Vec<String> = (0..count).map(|piece| format!("%t{position}.{piece}")).collect();
                params.extend(pieces.iter().map(|piece| format!("{ty} {piece}")));
                let whole = body.concatenation(&ty, &pieces);
                sources.insert(position, whole);
                continue;
            }
        };
        sources.insert(position, (ty, format!("%p{position}")));
    }
    let mut args = Vec::new();
    for Operand { ty, position } in &definition.operands {
        let value = match sources.get(position) {
            Some((have, value)) => body.convert(value, have, ty),
            None => "poison".to_owned(),
        };
        args.push(format!("{ty} {value}"));
    }
    let result = &definition.result;
    body.line(&format!("%r = call {result} @{}({})", definition.name, args.join(", ")));
    let ty = finish(own, instruction, result, setting, &mut body);
    let attributes = (own.attributes)(instruction);
    let mut text = format!("\ndefine {ty} @{name}({}){attributes} {{\n", params.join(", "));
    for line in body.lines {
        let _ = writeln!(text, "  {line}");
    }
    text + "}\n"
}

/// Leaves the result `%r` where the instruction leaves it; the function's type.
fn finish(
    own: &Conventions,
    instruction: &Instruction,
    result: &str,
    setting: Setting,
    body: &mut Body,
) -> String {
    let of_c = match own.prototype {
        Prototype::OfC { result } => result,
        Prototype::Registers { class } => {
            into_registers(result, class, body);
            body.line("ret void");
            return "void".to_owned();
        }
    };
    match result_place(of_c, instruction, result, setting) {
        Place::Register { ty, constraint } => {
            let value = body.convert("%r", result, &ty);
            body.line(&format!("call void asm sideeffect \"\", \"{constraint}\"({ty} {value})"));
            body.line("ret void");
            "void".to_owned()
        }
        Place::Parameter { ty } => {
            let value = body.convert("%r", result, &ty);
            if setting.surroundings != Surroundings::Prototype && integers(&ty) {
                let low = body.convert(&value, &ty, "i64");
                let pair = format!("{{ {ty}, i64 }}");
                body.line(&format!("%one = insertvalue {pair} poison, {ty} {value}, 0"));
                body.line(&format!("%both = insertvalue {pair} %one, i64 {low}, 1"));
                body.line(&format!("ret {pair} %both"));
                return pair;
            }
            body.line(&format!("ret {ty} {value}"));
            ty
        }
        Place::Memory { .. } | Place::Tuple { .. } => {
            body.line(&format!("ret {result} %r"));
            result.to_owned()
        }
    }
}

/// The place of the result, whose type in the definition is `ty`.
fn result_place(
    own: fn(&Instruction, &Argument, &str, Setting) -> Option<Place>,
    instruction: &Instruction,
    ty: &str,
    setting: Setting,
) -> Place {
    let whole = || Place::Tuple { ty: ty.to_owned(), count: 1 };
    let [result] = &instruction.signature.results[..] else { return whole() };
    if ty.starts_with('{') {
        return whole();
    }
    match own(instruction, result, ty, setting) {
        // A type of C's that cannot hold it.
        Some(Place::Parameter { ty: own }) if width(&own) < width(ty) => Place::Parameter { ty: passed(ty) },
        Some(place) => place,
        None => Place::Parameter { ty: passed(ty) },
    }
}

/// Results are left in registers of their classes.
fn into_registers(result: &str, class: fn(&str) -> (&'static str, String), body: &mut Body) {
    let parts = parts(result);
    for (index, part) in parts.iter().enumerate() {
        let mut value = "%r".to_owned();
        if parts.len() > 1 {
            value = format!("%r{index}");
            body.line(&format!("{value} = extractvalue {result} %r, {index}"));
        }
        let (class, ty) = class(part);
        let value = body.convert(&value, part, &ty);
        body.line(&format!("call void asm sideeffect \"\", \"{class}\"({ty} {value})"));
    }
}
