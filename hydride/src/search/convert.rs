//! Parsed instructions to what the search takes, and which of them it gets.

use std::collections::{BTreeMap, BTreeSet};

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
        scalars: bool,
        masks: bool,
    ) -> Result<Self> {
        Ok(Self {
            only: if only.is_empty() { None } else { Some(globs(only)?) },
            without: globs(&[without, &target.without].concat())?,
            scalars,
            masks,
        })
    }

    /// Scalars and masks are allowed where a goal has them, besides what it says.
    pub fn for_goal(self, goal: &Goal) -> Self {
        let has = |class: Class| {
            let inputs = goal.inputs.iter().map(|input| input.ty.class);
            inputs.chain(goal.outputs.iter().map(|output| output.ty.class)).any(|own| own == class)
        };
        Self { scalars: self.scalars || has(Class::Scalar), masks: self.masks || has(Class::Mask), ..self }
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

/// What a search may use of an instruction set.
pub struct Chosen {
    /// As the search takes them.
    pub instructions: Vec<::search::Instruction>,
    /// The ids of those that cannot be a step, by what they have that a step has not.
    pub left_out: BTreeMap<&'static str, Vec<String>>,
}

/// The instructions of a target that a search may use. What goal and user do not ask for is not among those left
/// out.
pub fn instructions(parsed: &[Instruction], target: &Target, filter: &Filter, costs: &Costs) -> Chosen {
    // `{k}` and `{z}` of masked forms are no operands of their own.
    let unmasked = |form: &Form| form.operands.replace(" {k}", "").replace(" {z}", "");
    let forms: BTreeSet<(&str, String)> = parsed
        .iter()
        .flat_map(|instruction| &instruction.forms)
        .map(|form| (form.mnemonic.as_str(), unmasked(form)))
        .collect();
    // `VPCMPB k, ymm, ymm` stands beside `VPCMPB k, ymm, ymm, imm8`, and `VPORD xmm, xmm` beside `VPORD xmm, xmm, xmm`.
    let incomplete = |form: &Form| {
        let operands = unmasked(form);
        let last = operands.rsplit(", ").next().unwrap_or_default().to_owned();
        [last.as_str(), "imm8"]
            .iter()
            .any(|more| forms.contains(&(form.mnemonic.as_str(), format!("{operands}, {more}"))))
    };
    let mut chosen = Chosen { instructions: Vec::new(), left_out: BTreeMap::new() };
    for instruction in parsed.iter().filter(|instruction| target.has(instruction)) {
        let mnemonic = instruction.forms.first().map_or(String::new(), |form| form.mnemonic.to_lowercase());
        let converted = match form(instruction) {
            Ok(form) if !filter.admits(&form.mnemonic.to_lowercase(), &instruction.id) => continue,
            Err(_) if !filter.admits(&mnemonic, &instruction.id) => continue,
            Ok(form) if incomplete(form) => Err("a machine form without one of its operands"),
            Ok(form) => convert(instruction, form, target, filter, costs),
            Err(why) => Err(why),
        };
        let why = match converted {
            Ok(converted) => match ::search::untried(&converted) {
                Some(why) => why,
                None => {
                    chosen.instructions.push(converted);
                    continue;
                }
            },
            Err(why) => why,
        };
        chosen.left_out.entry(why).or_default().push(instruction.id.clone());
    }
    chosen
}

/// An instruction as the search takes it, or what it has that a step has not.
fn convert(
    instruction: &Instruction,
    form: &Form,
    target: &Target,
    filter: &Filter,
    costs: &Costs,
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
            _ => match list_length(form, position) {
                1 => Operand::Register(register(argument, argument.width, target, filter)?),
                count => {
                    let each = register(argument, argument.width / count as u32, target, filter)?;
                    Operand::Consecutive { each, count }
                }
            },
        });
    }
    let result_type = register(result, result.width, target, filter)?;
    let places = match instruction.isa {
        Isa::X86 => x86_places(form, &operands, result_type, instruction, target)?,
        Isa::Arm => Places { destroys: form.destroys, ..Places::default() },
        Isa::Hvx => {
            // `Vx`, `Vxx`, `Qx`: read and written.
            let both = |argument: &Argument| argument.name.chars().nth(1) == Some('x');
            Places { destroys: instruction.signature.args.iter().position(both), ..Places::default() }
        }
    };
    let mnemonic = form.mnemonic.to_lowercase();
    let (latency, uops) = costs.of(&mnemonic, &form.operands).ok_or("no costs in the table")?;
    Ok(::search::Instruction {
        id: instruction.id.clone(),
        intrinsic: instruction.intrinsic.clone(),
        mnemonic,
        syntax: form.template.as_ref().unwrap_or(&form.operands).clone(),
        names: instruction.signature.args.iter().map(|argument| argument.name.clone()).collect(),
        function: instruction.function.clone(),
        c_types: instruction.signature.args.iter().map(|argument| argument.c_type.clone()).collect(),
        result: result_type,
        result_c_type: result.c_type.clone(),
        operands,
        destroys: places.destroys,
        implied: places.implied,
        legacy: places.legacy,
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

/// How many registers a template has for an argument: `{ v{1}.16b, v{1+1}.16b }` are two.
fn list_length(form: &Form, position: usize) -> usize {
    let template = form.template.as_deref().unwrap_or_default();
    1 + (1..).take_while(|next| template.contains(&format!("{{{position}+{next}}}"))).count()
}

/// What keeps masks and scalars out where a goal has none.
const NOT_ALLOWED: &str = "masks or scalars, which the goal does not allow";

/// The machine form that is written: Arm's needs a template, since several machine instructions for one
/// intrinsic are a sequence there; Intel's are alternatives, of which the one that overwrites a table and not
/// the indices says what its first operand is.
fn form(instruction: &Instruction) -> Result<&Form, &'static str> {
    const SEVERAL: &str = "no single machine instruction";
    match instruction.isa {
        Isa::Arm => instruction.forms.iter().find(|form| form.template.is_some()).ok_or(SEVERAL),
        Isa::X86 => {
            let table = |form: &&Form| form.mnemonic.starts_with("VPERMT2");
            instruction.forms.iter().find(table).or(instruction.forms.first()).ok_or(SEVERAL)
        }
        Isa::Hvx => match &instruction.forms[..] {
            [form] => Ok(form),
            _ => Err(SEVERAL),
        },
    }
}

/// What a machine form does with its registers.
#[derive(Default)]
struct Places {
    /// The operand whose register the result overwrites.
    destroys: Option<usize>,
    /// The operand that is in `xmm0` and not shown.
    implied: Option<usize>,
    /// Whether this is its only encoding.
    legacy: bool,
}

/// Reads off the operands that x86's form shows what is not said: `xmm, xmm` for two arguments says that the first
/// one is overwritten, for three that the last one is in `xmm0`. With AVX an SSE instruction has a form that shows
/// all of them, unless its extension has none.
fn x86_places(
    form: &Form,
    operands: &[Operand],
    result: Type,
    instruction: &Instruction,
    target: &Target,
) -> Result<Places, &'static str> {
    let kinds: Vec<&str> =
        form.operands.split(',').map(str::trim).filter(|operand| !operand.is_empty()).collect();
    let shown = kinds.len();
    let first = operands.iter().position(|operand| matches!(operand, Operand::Register(_)));
    let own = |at: usize| operands[at] == Operand::Register(result);
    let only_legacy = |extension: &String| target.only_legacy.contains(extension);
    // What works on general registers alone was never given another encoding.
    let vectors = operands.iter().flat_map(Operand::registers).chain([result]);
    let general = vectors.into_iter().all(|ty| ty.class != Class::Vector);
    let legacy = target.two_address || general || instruction.extensions.iter().any(only_legacy);
    let overwrites = legacy || form.mnemonic.starts_with('V');
    let types: Vec<Option<Type>> =
        operands.iter().map(|operand| operand.registers().first().copied()).collect();
    let is_shown = |kind: &str, ty: Option<Type>| ty.is_none_or(|ty| shows(kind, ty));
    if shown == operands.len() + 1 {
        let (own, read) = (kinds[0], &kinds[1..]);
        if !shows(own, result) || !read.iter().zip(&types).all(|(kind, ty)| is_shown(kind, *ty)) {
            return Err(OTHER_KINDS);
        }
        return Ok(Places { legacy, ..Places::default() });
    }
    if !kinds.iter().zip(&types).all(|(kind, ty)| is_shown(kind, *ty)) {
        return Err(OTHER_KINDS);
    }
    // The result is the first operand, or flags or a register that is not shown.
    let first = first.filter(|at| own(*at)).ok_or("a result in no operand that is shown")?;
    match operands.len() - shown.min(operands.len()) {
        0 => Ok(Places { destroys: overwrites.then_some(first), implied: None, legacy }),
        1 if matches!(operands.last(), Some(Operand::Register(ty)) if ty.class == Class::Vector)
            && operands.len() > 2 =>
        {
            Ok(Places {
                destroys: legacy.then_some(first),
                implied: legacy.then_some(operands.len() - 1),
                legacy,
            })
        }
        _ => Err("operands that are not shown"),
    }
}

/// What keeps out a cast, or a broadcast of memory, that is an instruction under another type.
const OTHER_KINDS: &str = "operands of another kind than the machine form's";

/// Whether an operand that x86's form shows (`xmm`, `zmm {k}`, `r32`, `m128`) is a register of a type.
fn shows(kind: &str, ty: Type) -> bool {
    let kind = kind.split([' ', '{']).next().unwrap_or_default();
    match ty.class {
        Class::Vector => match kind {
            "zmm" => ty.width == 512,
            "ymm" => ty.width == 256,
            _ => kind.starts_with("xmm") && ty.width <= 128,
        },
        Class::Mask => kind.starts_with('k'),
        Class::Scalar => kind.starts_with('r'),
    }
}

/// The kind of register of an operand, each of `width` bits, or what keeps it from being one.
fn register(argument: &Argument, width: u32, target: &Target, filter: &Filter) -> Result<Type, &'static str> {
    let class = match argument.kind {
        Kind::Vector => Class::Vector,
        Kind::Mask if filter.masks => Class::Mask,
        Kind::Scalar if filter.scalars => Class::Scalar,
        _ => return Err(NOT_ALLOWED),
    };
    // HVX has pairs of vectors; other wider vectors belong to extensions that are not there.
    let widest = if target.isa == "hvx" { 2 * target.width } else { target.width };
    if class == Class::Vector && (width > widest || argument.c_type.trim() == "__m64") {
        return Err("registers that the target has not");
    }
    Ok(Type { class, width })
}
