//! Answers as calls of operations, which the definitions that `generate-ir` wrote lower one to one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ::search::Operand as Machine;
use ::synth::program::Program;
use ::synth::table::Table;
use ::synth::window::Meaning;
use anyhow::{Result, anyhow};
use difftest::lowering::Definition;
use hydride_ir::{Bits, Role};
use llvm_text::{Scalar, Type};
use optimize::{Lowering, program_function};
use refine::Place;
use refine::ast::{Action, Block, Body, Element, Flags, Instruction, Operand, Parameter, Value, elements};

use super::targets::Ground;
use crate::definitions;
use crate::outputs::{OUTPUTS, is_ours};

/// The definitions of an instruction set in an output folder.
pub struct Operations {
    library: PathBuf,
    by_id: BTreeMap<String, Definition>,
    features: BTreeMap<String, Vec<String>>,
}

impl Operations {
    /// Reads those of a folder that `generate-ir` wrote, for each of these instruction sets.
    pub fn read(folder: &Path, isas: &BTreeSet<&'static str>) -> Result<BTreeMap<&'static str, Self>> {
        if !is_ours(folder, &OUTPUTS) {
            let folder = folder.display();
            return Err(anyhow!("{folder} holds no outputs of generate-ir; --out names a folder that does"));
        }
        let mut all = definitions::read(folder)?.isas;
        let of = |isa: &&'static str| {
            let own = all.remove(*isa).unwrap_or_default();
            let by_id = own.definitions.into_iter().map(|definition| (definition.id.clone(), definition));
            let library = folder.join(format!("llvm/lowering/{isa}.ll"));
            (*isa, Self { library, by_id: by_id.collect(), features: own.features })
        };
        Ok(isas.iter().map(of).collect())
    }

    /// A module with a program as a function of that name, or a comment that says why there is none.
    pub fn module(
        &self,
        meaning: &Meaning<'_>,
        table: &Table,
        program: &Program,
        ground: &Ground,
        name: &str,
    ) -> String {
        let ids = program.steps.iter().map(|step| &table.instruction(step.op).id);
        let features: BTreeSet<&String> = ids.filter_map(|id| self.features.get(id)).flatten().collect();
        let features: Vec<String> = features.into_iter().map(|feature| format!("+{feature}")).collect();
        // Definitions are inlined where their features are there.
        let attributes = match features.is_empty() {
            true => String::new(),
            false => format!("\"target-features\"=\"{}\"", features.join(",")),
        };
        let window = &meaning.window().name;
        match program_function(meaning, table, program, self, name, &attributes) {
            Ok(text) => {
                let (target, library) = (&ground.named.name, self.library.display());
                format!("; {window} on {target}; link with {library}\n{text}")
            }
            Err(why) => format!("; {window}: {why}\n"),
        }
    }
}

impl Lowering for Operations {
    /// A function of one block that calls the definition.
    fn body(&self, instruction: &::search::Instruction, immediates: &[i64]) -> Option<Body> {
        let definition = self.by_id.get(&instruction.id)?;
        let (mut parameters, mut values) = (Vec::new(), Vec::new());
        let mut immediates = immediates.iter();
        for (operand, arg) in instruction.operands.iter().zip(&instruction.function.args) {
            let width = match operand {
                Machine::Choice { .. } if matches!(arg.role, Role::Immediate { .. }) => {
                    values.push(Argument::Immediate(*immediates.next()?));
                    continue;
                }
                Machine::Choice { width, .. } => *width,
                _ => operand.registers().iter().map(|register| register.width).sum(),
            };
            let (name, ty) = (format!("a{}", parameters.len()), Type::integer(width));
            values.push(Argument::Value(Operand { ty: ty.clone(), value: Value::Local(name.clone()) }));
            parameters.push(Parameter { name, ty, attributes: Vec::new() });
        }
        let mut made = Made { instructions: Vec::new() };
        let mut arguments = Vec::new();
        for operand in &definition.operands {
            let value = match values.get(operand.position)? {
                Argument::Immediate(value) => {
                    let width = operand.ty.width()?;
                    let bits = Element::Bits(Bits::from_u64(width, value.cast_unsigned()));
                    let number = Operand { ty: Type::integer(width), value: Value::Constant(vec![bits]) };
                    match operand.ty.integer_width() {
                        Some(_) => number,
                        None => made.fitted(number, &operand.ty)?,
                    }
                }
                Argument::Value(value) => made.fitted(value.clone(), &operand.ty)?,
            };
            arguments.push((value, Vec::new()));
        }
        let call = Action::Call { function: definition.name.clone(), arguments, attributes: Vec::new() };
        let value = made.push(definition.result.clone(), call);
        let result = Type::integer(instruction.result.width);
        let value = made.fitted(value, &result)?;
        made.add(None, Type::Void, Action::Return(Some(value)));
        let block = Block { label: "entry".to_owned(), instructions: made.instructions };
        Some(Body { result, attributes: Vec::new(), parameters, blocks: vec![block] })
    }
}

/// What an argument of an instruction is.
enum Argument {
    Immediate(i64),
    Value(Operand),
}

/// Instructions under construction.
struct Made {
    instructions: Vec<Instruction>,
}

impl Made {
    fn add(&mut self, result: Option<String>, ty: Type, action: Action) {
        self.instructions.push(Instruction { result, ty, action, place: Place::default() });
    }

    fn push(&mut self, ty: Type, action: Action) -> Operand {
        let name = format!("v{}", self.instructions.len());
        self.add(Some(name.clone()), ty.clone(), action);
        Operand { ty, value: Value::Local(name) }
    }

    /// The low bits of a value in another type, or all of them with zeros above: an operation takes as much of a register as
    /// it reads.
    fn fitted(&mut self, value: Operand, ty: &Type) -> Option<Operand> {
        let bits = |ty: &Type| elements(ty).map(|widths| widths.iter().sum::<u32>());
        let (have, wanted) = (bits(&value.ty)?, bits(ty)?);
        let mut value = value;
        if have != wanted {
            let unit = if have.is_multiple_of(8) && wanted.is_multiple_of(8) { 8 } else { 1 };
            let lanes = |bits: u32| Type::Vector(bits / unit, Scalar::Integer(unit));
            let whole = self.fitted(value, &lanes(have))?;
            let zeros = vec![Element::Bits(Bits::zero(unit)); (have / unit) as usize];
            let zeros = Operand { ty: lanes(have), value: Value::Constant(zeros) };
            let mask = (0..wanted / unit).map(|at| Some(at.min(have / unit))).collect();
            value = self.push(lanes(wanted), Action::Shuffle(whole, zeros, mask));
        }
        match value.ty == *ty {
            true => Some(value),
            false => {
                Some(self.push(ty.clone(), Action::Cast("bitcast", Flags::default(), value, ty.clone())))
            }
        }
    }
}
