//! Parsed instructions to what the search takes, and which of them it gets.

use std::collections::{BTreeMap, BTreeSet};

use ::search::{Class, Goal, Operand, Type};
use anyhow::Result;
use catalog::record::{MemoryAccess, MemoryRecord};
use globset::{Glob, GlobSet, GlobSetBuilder};
use parsers::{Argument, Form, Instruction, Kind};

use crate::costs::Costs;
use crate::isa::Target;
use crate::isa::{Operands, Search};
use crate::usage;

/// Which instructions of a target may be used.
pub struct Filter {
    only: Option<GlobSet>,
    without: GlobSet,
    scalars: bool,
    masks: bool,
    /// The widths of what the goal has in memory.
    memory: BTreeSet<u32>,
}

impl Filter {
    /// From globs over mnemonics and ids.
    pub fn new(
        only: &[String],
        without: &[String],
        target: &Target,
        scalars: bool,
        masks: bool,
    ) -> Result<Self> {
        Ok(Self {
            only: if only.is_empty() { None } else { Some(globs(only)?) },
            without: globs(&[without, &target.without].concat())?,
            scalars,
            masks,
            memory: BTreeSet::new(),
        })
    }

    /// Scalars and masks are allowed where a goal has them, besides what it says, and loads of what it has in memory.
    pub fn for_goal(self, goal: &Goal) -> Self {
        let has = |class: Class| {
            let inputs = goal.inputs.iter().map(|input| input.ty.class);
            inputs.chain(goal.outputs.iter().map(|output| output.ty.class)).any(|own| own == class)
        };
        let memory = goal.inputs.iter().filter(|input| input.ty.class == Class::Memory);
        let memory = memory.map(|input| input.ty.width).collect();
        Self {
            scalars: self.scalars || has(Class::Scalar),
            masks: self.masks || has(Class::Mask),
            memory,
            ..self
        }
    }

    fn admits(&self, mnemonic: &str, id: &str) -> bool {
        let named = |set: &GlobSet| set.is_match(mnemonic) || set.is_match(id);
        self.only.as_ref().is_none_or(named) && !named(&self.without)
    }
}

/// The names that any of the patterns matches.
pub fn globs(patterns: &[String]) -> Result<GlobSet> {
    let mut builder = GlobSetBuilder::new();
    for pattern in patterns {
        builder.add(Glob::new(pattern).map_err(|error| usage(format!("{pattern}: {error}")))?);
    }
    Ok(builder.build()?)
}

/// What a search may use of an instruction set.
pub struct Chosen {
    /// As the search takes them.
    pub instructions: Vec<::search::Instruction>,
    /// The ids of those that cannot be a step, by what they have that a step has not.
    pub left_out: BTreeMap<&'static str, Vec<String>>,
}

/// The instructions of a target that a search may use. What goal and user do not ask for is not among those left
/// out.
pub fn instructions(
    parsed: &[Instruction],
    search: &Search,
    target: &Target,
    filter: &Filter,
    costs: &Costs,
) -> Chosen {
    let incomplete = (search.incomplete)(parsed);
    let mut chosen = Chosen { instructions: Vec::new(), left_out: BTreeMap::new() };
    for instruction in parsed.iter().filter(|instruction| target.has(instruction)) {
        let mnemonic = instruction.forms.first().map_or(String::new(), |form| form.mnemonic.to_lowercase());
        let converted = match (search.form)(instruction).ok_or("no single machine instruction") {
            Ok(form) if !filter.admits(&form.mnemonic.to_lowercase(), &instruction.id) => continue,
            Err(_) if !filter.admits(&mnemonic, &instruction.id) => continue,
            Ok(form) if incomplete(form) => Err("a machine form without one of its operands"),
            Ok(form) => loaded(instruction, filter).and_then(|loaded| {
                let converted = |width| convert(instruction, form, (search, target), filter, costs, width);
                loaded.into_iter().map(converted).collect::<Result<Vec<_>, _>>()
            }),
            Err(why) => Err(why),
        };
        let why = match converted {
            Ok(converted) => match converted.iter().find_map(::search::untried) {
                Some(why) => why,
                None => {
                    chosen.instructions.extend(converted);
                    continue;
                }
            },
            Err(why) => why,
        };
        chosen.left_out.entry(why).or_default().push(instruction.id.clone());
    }
    chosen
}

/// The widths of what an instruction may load of what a goal has in memory: a load from there may be shorter. `None` is the
/// only one of an instruction that has no operands in memory.
fn loaded(instruction: &Instruction, filter: &Filter) -> Result<Vec<Option<u32>>, &'static str> {
    let records: Vec<MemoryRecord> = instruction.signature.memory().collect();
    match &records[..] {
        [] => Ok(vec![None]),
        _ if filter.memory.is_empty() || instruction.intrinsic.is_empty() => Err("operands in memory"),
        [record] if record.access == MemoryAccess::Load && record.element.is_none() => {
            if record.align > 1 {
                return Err("an alignment that nothing promises");
            }
            let width = instruction.signature.args[record.arg as usize].width;
            let widths: Vec<Option<u32>> = filter.memory.range(width..).copied().map(Some).collect();
            if widths.is_empty() { Err("more in memory than the goal has") } else { Ok(widths) }
        }
        _ => Err("memory that is stored or at several addresses"),
    }
}

/// An instruction as the search takes it, or what it has that a step has not. What it loads is of `loaded` bits.
fn convert(
    instruction: &Instruction,
    form: &Form,
    (search, target): (&Search, &Target),
    filter: &Filter,
    costs: &Costs,
    loaded: Option<u32>,
) -> Result<::search::Instruction, &'static str> {
    let [result] = &instruction.signature.results[..] else { return Err("several results") };
    if !instruction.undefined.is_empty() || !instruction.undefined_for.is_empty() {
        return Err("bits that the document leaves undefined");
    }
    let mut operands = Vec::new();
    for (position, argument) in instruction.signature.args.iter().enumerate() {
        operands.push(match &argument.kind {
            Kind::Immediate(range) => Operand::Choice {
                width: argument.width,
                values: (range.low..=range.high).take(257).collect(),
            },
            Kind::Scalar if !filter.scalars => {
                if target.scalar_constants.is_empty() {
                    return Err(NOT_ALLOWED);
                }
                Operand::Choice { width: argument.width, values: target.scalar_constants.clone() }
            }
            Kind::Memory { .. } => {
                let width = loaded.unwrap_or(argument.width);
                Operand::Register(Type { class: Class::Memory, width })
            }
            _ => match list_length(form, position) {
                1 => Operand::Register(register(argument, argument.width, search, target, filter)?),
                count => {
                    // An odd number of halves is in registers that hold two.
                    let parts = (argument.width / HALF) as usize;
                    let count = if parts.is_multiple_of(count) { count } else { parts };
                    let each = register(argument, argument.width / count as u32, search, target, filter)?;
                    Operand::Consecutive { each, count }
                }
            },
        });
    }
    let result_type = register(result, result.width, search, target, filter)?;
    let places =
        (search.places)(&Operands { form, instruction, types: &operands, result: result_type, target })?;
    let mnemonic = form.mnemonic.to_lowercase();
    let (latency, uops) = costs.of(&mnemonic, &form.operands).ok_or("no costs in the table")?;
    let memory = instruction.signature.args.iter().position(Argument::is_memory);
    let function = match memory.zip(loaded) {
        Some((position, width)) if width > instruction.signature.args[position].width => {
            ::search::with_longer_argument(&instruction.function, position, width)
                .ok_or("no plain function")?
        }
        _ => instruction.function.clone(),
    };
    Ok(::search::Instruction {
        id: instruction.id.clone(),
        intrinsic: instruction.intrinsic.clone(),
        mnemonic,
        syntax: form.template.as_ref().unwrap_or(&form.operands).clone(),
        names: instruction.signature.args.iter().map(|argument| argument.name.clone()).collect(),
        function,
        c_types: instruction.signature.args.iter().map(|argument| argument.c_type.clone()).collect(),
        result: result_type,
        result_c_type: result.c_type.clone(),
        operands,
        destroys: places.destroys,
        implied: places.implied,
        legacy: places.legacy,
        latency,
        uops,
        rank: (search.rank)(form, result),
    })
}

/// Bits of half a vector register.
const HALF: u32 = 64;

/// How many registers a template has for an argument: `{ v{1}.16b, v{1+1}.16b }` are two.
fn list_length(form: &Form, position: usize) -> usize {
    let template = form.template.as_deref().unwrap_or_default();
    1 + (1..).take_while(|next| template.contains(&format!("{{{position}+{next}}}"))).count()
}

/// What keeps masks and scalars out where a goal has none.
const NOT_ALLOWED: &str = "masks or scalars, which the goal does not allow";

/// The kind of register of an operand, each of `width` bits, or what keeps it from being one.
fn register(
    argument: &Argument,
    width: u32,
    search: &Search,
    target: &Target,
    filter: &Filter,
) -> Result<Type, &'static str> {
    let class = match argument.kind {
        Kind::Vector => Class::Vector,
        Kind::Mask if filter.masks => Class::Mask,
        Kind::Scalar if filter.scalars => Class::Scalar,
        _ => return Err(NOT_ALLOWED),
    };
    // Other wider vectors belong to extensions that are not there.
    let widest = if search.registers.pairs { 2 * target.width } else { target.width };
    if class == Class::Vector && (width > widest || !(search.registers.fits)(argument)) {
        return Err("registers that the target has not");
    }
    Ok(Type { class, width })
}
