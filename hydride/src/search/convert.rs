//! Parsed instructions to what the search takes, and which of them it gets.

use ::search::{Class, Goal, Operand, Type};
use anyhow::Result;
use globset::{Glob, GlobSet, GlobSetBuilder};
use parsers::{Argument, Form, Instruction, Isa, Kind};

use super::costs::Costs;
use super::targets::Target;
use crate::usage;

/// Which instructions of a target may be used.
pub struct Filter {
    only: Option<GlobSet>,
    without: GlobSet,
    scalars: bool,
    masks: bool,
}

impl Filter {
    /// From globs over mnemonics and ids.
    pub fn new(
        only: &[String],
        without: &[String],
        target: &Target,
        goal: &Goal,
        scalars: bool,
        masks: bool,
    ) -> Result<Self> {
        let has = |class: Class| {
            let inputs = goal.inputs.iter().map(|input| input.ty.class);
            inputs.chain(goal.outputs.iter().map(|output| output.ty.class)).any(|own| own == class)
        };
        Ok(Self {
            only: if only.is_empty() { None } else { Some(globs(only)?) },
            without: globs(&[without, &target.without].concat())?,
            scalars: scalars || has(Class::Scalar),
            masks: masks || has(Class::Mask),
        })
    }

    fn admits(&self, mnemonic: &str, id: &str) -> bool {
        let named = |set: &GlobSet| set.is_match(mnemonic) || set.is_match(id);
        self.only.as_ref().is_none_or(named) && !named(&self.without)
    }
}

fn globs(patterns: &[String]) -> Result<GlobSet> {
    let mut builder = GlobSetBuilder::new();
    for pattern in patterns {
        builder.add(Glob::new(pattern).map_err(|error| usage(format!("{pattern}: {error}")))?);
    }
    Ok(builder.build()?)
}

/// The instructions that a search may use, as it takes them.
pub fn instructions(
    parsed: &[Instruction],
    target: &Target,
    filter: &Filter,
    costs: &Costs,
) -> Vec<::search::Instruction> {
    parsed.iter().filter_map(|instruction| convert(instruction, target, filter, costs)).collect()
}

fn convert(
    instruction: &Instruction,
    target: &Target,
    filter: &Filter,
    costs: &Costs,
) -> Option<::search::Instruction> {
    let [result] = &instruction.signature.results[..] else { return None };
    let form = form(instruction)?;
    let known = instruction.extensions.iter().all(|extension| target.extensions.contains(extension));
    let mnemonic = form.mnemonic.to_lowercase();
    let undefined = !instruction.undefined.is_empty() || !instruction.undefined_for.is_empty();
    if !known || undefined || !filter.admits(&mnemonic, &instruction.id) {
        return None;
    }
    let mut operands = Vec::new();
    for argument in &instruction.signature.args {
        operands.push(match &argument.kind {
            Kind::Immediate(range) => Operand::Choice {
                width: argument.width,
                values: (range.low..=range.high).take(257).collect(),
            },
            Kind::Scalar if !filter.scalars => {
                if target.scalar_constants.is_empty() {
                    return None;
                }
                Operand::Choice { width: argument.width, values: target.scalar_constants.clone() }
            }
            _ => Operand::Register(register(argument, target, filter)?),
        });
    }
    let destroys = destroyed(instruction, form, &operands, target);
    let (latency, uops) = costs.of(&mnemonic, &form.operands)?;
    Some(::search::Instruction {
        id: instruction.id.clone(),
        intrinsic: instruction.intrinsic.clone(),
        mnemonic,
        syntax: form.template.as_ref().unwrap_or(&form.operands).clone(),
        names: instruction.signature.args.iter().map(|argument| argument.name.clone()).collect(),
        function: instruction.function.clone(),
        c_types: instruction.signature.args.iter().map(|argument| argument.c_type.clone()).collect(),
        result: register(result, target, filter)?,
        result_c_type: result.c_type.clone(),
        operands,
        destroys,
        latency,
        uops,
        // Floating-point forms of what is done to bits come last.
        rank: u8::from(
            form.mnemonic.ends_with(['S', 'D'])
                && result.c_type.trim().starts_with("__m")
                && !result.c_type.trim().ends_with('i'),
        ),
    })
}

/// The machine form that is written: Arm's needs a template, since several machine instructions for one
/// intrinsic are a sequence there; Intel's are alternatives, of which the one that overwrites a table and not
/// the indices says what its first operand is.
fn form(instruction: &Instruction) -> Option<&Form> {
    match instruction.isa {
        Isa::Arm => instruction.forms.iter().find(|form| form.template.is_some()),
        Isa::X86 => {
            let table = |form: &&Form| form.mnemonic.starts_with("VPERMT2");
            instruction.forms.iter().find(table).or(instruction.forms.first())
        }
        Isa::Hvx => match &instruction.forms[..] {
            [form] => Some(form),
            _ => None,
        },
    }
}

/// The operand whose register the result overwrites.
fn destroyed(instruction: &Instruction, form: &Form, operands: &[Operand], target: &Target) -> Option<usize> {
    match instruction.isa {
        Isa::Arm => form.destroys,
        Isa::Hvx => {
            // `Vx`, `Vxx`, `Qx`: read and written.
            let both = |argument: &Argument| argument.name.chars().nth(1) == Some('x');
            instruction.signature.args.iter().position(both)
        }
        Isa::X86 => {
            // `xmm, xmm` for two arguments: the first operand is the first source and the result. An SSE
            // instruction has a form with a register for the result where there is AVX.
            let shown = form.operands.split(',').filter(|operand| !operand.trim().is_empty()).count();
            let own_form = target.two_address || form.mnemonic.starts_with('V');
            let register = |operand: &Operand| matches!(operand, Operand::Register(_));
            (own_form && shown == operands.len()).then(|| operands.iter().position(register)).flatten()
        }
    }
}

/// The kind of register of an operand; `None` for one that the search is not to use.
fn register(argument: &Argument, target: &Target, filter: &Filter) -> Option<Type> {
    let class = match argument.kind {
        Kind::Vector => Class::Vector,
        Kind::Mask if filter.masks => Class::Mask,
        Kind::Scalar if filter.scalars => Class::Scalar,
        _ => return None,
    };
    // HVX has pairs of vectors; other wider vectors belong to extensions that are not there.
    let widest = if target.isa == "hvx" { 2 * target.width } else { target.width };
    (class != Class::Vector || argument.width <= widest && argument.c_type.trim() != "__m64")
        .then_some(Type { class, width: argument.width })
}
