//! x86's instructions as steps of a sequence: what a machine form does with registers.

use std::collections::BTreeSet;

use parsers::{Argument, Form, Instruction};
use search::{Class, Operand, Type};

use super::syntax::{MASKED, X86};
use crate::isa::{FormTest, Operands, Places, Registers, Search};

pub const SEARCH: Search = Search {
    targets: include_str!("../../../../specs/targets/x86.toml"),
    costs: &[
        include_str!("../../../../specs/costs/icelake-server.json"),
        include_str!("../../../../specs/costs/znver4.json"),
        include_str!("../../../../specs/costs/haswell.json"),
        include_str!("../../../../specs/costs/skylake-avx512.json"),
        include_str!("../../../../specs/costs/cascadelake.json"),
    ],
    syntax: |target| Box::new(X86 { vex: !target.two_address }),
    form,
    incomplete,
    registers: Registers { pairs: false, fits: |argument| argument.c_type.trim() != "__m64" },
    places,
    // Floating-point forms of what is done to bits come last.
    rank: |form, result| {
        let ty = result.c_type.trim();
        u8::from(form.mnemonic.ends_with(['S', 'D']) && ty.starts_with("__m") && !ty.ends_with('i'))
    },
};

/// Forms are alternatives, of which the one that overwrites a table and not the indices says what its first operand is.
fn form(instruction: &Instruction) -> Option<&Form> {
    let table = |form: &&Form| form.mnemonic.starts_with("VPERMT2");
    instruction.forms.iter().find(table).or(instruction.forms.first())
}

/// `VPCMPB k, ymm, ymm` is listed next to `VPCMPB k, ymm, ymm, imm8`, and `VPORD xmm, xmm` beside `VPORD xmm, xmm, xmm`.
fn incomplete(all: &[Instruction]) -> FormTest<'_> {
    // `{k}` and `{z}` of masked forms are no operands of their own.
    let unmasked = |form: &Form| form.operands.replace(" {k}", "").replace(" {z}", "");
    let forms: BTreeSet<(&str, String)> = all
        .iter()
        .flat_map(|instruction| &instruction.forms)
        .map(|form| (form.mnemonic.as_str(), unmasked(form)))
        .collect();
    Box::new(move |form| {
        let operands = unmasked(form);
        let last = operands.rsplit(", ").next().unwrap_or_default().to_owned();
        [last.as_str(), "imm8"]
            .iter()
            .any(|more| forms.contains(&(form.mnemonic.as_str(), format!("{operands}, {more}"))))
    })
}

/// Reads off the operands that x86's form shows what is not said: `xmm, xmm` for two arguments says that the first
/// one is overwritten, for three that the last one is in `xmm0`. With AVX an SSE instruction has a form that shows
/// all of them, unless its extension has none.
/// Why an instruction is no step: assemblers have a notation of its own for it.
const EMBEDDED: &str = "a rounding mode that is no operand, or several immediates in one";

fn places(
    Operands { form, instruction, types: operands, result, target }: &Operands<'_>,
) -> Result<Places, &'static str> {
    let result = *result;
    let immediates = instruction.signature.args.iter().filter(|arg| arg.immediate().is_some()).count();
    if immediates > 1 || ["{er}", "{sae}"].iter().any(|mark| form.operands.contains(mark)) {
        return Err(EMBEDDED);
    }
    let mut kinds: Vec<&str> =
        form.operands.split(',').map(str::trim).filter(|operand| !operand.is_empty()).collect();
    // The mask of a blend is shown with its result.
    if kinds.first().is_some_and(|own| own.ends_with(MASKED)) {
        kinds.insert(1, "k");
    }
    let shown = kinds.len();
    let first = operands.iter().position(|operand| matches!(operand, Operand::Register(_)));
    let own = |at: usize| operands[at] == Operand::Register(result);
    let only_legacy = |extension: &String| target.only_legacy.contains(extension);
    // What works on general registers alone was never given another encoding.
    let vectors = operands.iter().flat_map(Operand::registers).chain([result]);
    let general = vectors.into_iter().all(|ty| ty.class != Class::Vector);
    let legacy = target.two_address || general || instruction.extensions.iter().any(only_legacy);
    let overwrites = legacy || form.mnemonic.starts_with('V');
    // A goal may have more in memory than the instruction loads.
    let own_type = |(operand, arg): (&Operand, &Argument)| {
        let ty = operand.registers().first().copied()?;
        Some(if arg.is_memory() { Type { width: arg.width, ..ty } } else { ty })
    };
    let types: Vec<Option<Type>> = operands.iter().zip(&instruction.signature.args).map(own_type).collect();
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
    if shown > operands.len() {
        return Err("an operand that is no argument");
    }
    match operands.len() - shown {
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
        Class::Memory => kind.strip_prefix('m').is_some_and(|bits| bits.parse() == Ok(ty.width)),
    }
}
