//! x86's programs in LLVM assembly: where values are in registers and memory, and the names of instructions.

use llvm_text::{Scalar, Type};
use parsers::{Argument, Instruction, Kind};

use super::{CpuFeatures, DIALECT, all_options, has_masks, target_features};
use crate::lowering::{Conventions, Names, Place, Processor, Prototype, Setting, Surroundings};
use crate::lowering::{documented, integers, passed};
use crate::target::Machine;

/// A processor with nothing but the base; functions say what else they need.
const PROCESSOR: Processor = Processor { triple: "x86_64-unknown-linux-gnu", cpu: None, features: &[] };

/// How LLVM's programs use x86.
pub const CONVENTIONS: Conventions = Conventions {
    dialect: &DIALECT,
    machine: || {
        let cpu = CpuFeatures::of_this_machine()?;
        Ok(Machine {
            options: std::iter::once("-march=x86-64").chain(cpu.compiler_options()).collect(),
            missing: Box::new(move |instruction| cpu.missing(&instruction.extensions)),
        })
    },
    read_options: || [&["-march=x86-64"][..], &all_options()].concat(),
    inspected: PROCESSOR,
    runs: PROCESSOR,
    syntax: &["--x86-asm-syntax=intel"],
    names: Names {
        own: documented,
        code,
        is_move,
        same,
        twins,
        copies: |named| named.iter().all(|name| clears(name)),
    },
    features: target_features,
    inlined_by_features: true,
    attributes: |instruction| {
        let features: Vec<String> =
            target_features(instruction).iter().map(|feature| format!("+{feature}")).collect();
        format!("\"target-features\"=\"{}\"", features.join(","))
    },
    place,
    prototype: Prototype::OfC { result: result_place },
    surroundings: |instruction| {
        let registers = has_masks(instruction).then_some(Surroundings::Registers);
        std::iter::once(Surroundings::Domain).chain(registers).collect()
    },
    element_types: true,
    whole_registers: false,
    predicates: None,
};

fn place(instruction: &Instruction, position: usize, ty: &Type, setting: Setting) -> Place {
    let argument = &instruction.signature.args[position];
    if let Some(ty) = mask(instruction, argument, ty) {
        return Place::Register { ty, constraint: "k".to_owned() };
    }
    let ty = c_type(argument, ty, setting.elements).unwrap_or_else(|| passed(ty));
    if in_memory(instruction, position) {
        return Place::Memory { ty };
    }
    let register = match ty.width() {
        Some(128) => "xmm",
        Some(256) => "ymm",
        _ => "zmm",
    };
    if setting.surroundings == Surroundings::Registers && ty.element().is_some() {
        return Place::Register { ty, constraint: format!("{{{register}{}}}", 16 + position % 16) };
    }
    Place::Parameter { ty }
}

/// The place of the only result; `None` where C's type says nothing.
fn result_place(instruction: &Instruction, result: &Argument, ty: &Type, setting: Setting) -> Option<Place> {
    if let Some(ty) = mask(instruction, result, ty) {
        return Some(Place::Register { ty, constraint: "k".to_owned() });
    }
    c_type(result, ty, setting.elements).map(|ty| Place::Parameter { ty })
}

/// The type of an argument in one of x86's mask registers.
fn mask(instruction: &Instruction, argument: &Argument, ty: &Type) -> Option<Type> {
    if !has_masks(instruction) {
        return None;
    }
    match ty.bit_count() {
        Some(8 | 16 | 32 | 64) => Some(ty.clone()),
        None if argument.c_type.starts_with("__mmask") => ty.integer_width().map(Type::bits),
        _ => None,
    }
}

/// Whether an argument is in memory: all forms read one operand, and that from there.
fn in_memory(instruction: &Instruction, position: usize) -> bool {
    let argument = &instruction.signature.args[position];
    let memory = format!("m{}", argument.width);
    let reads = |operands: &str| operands.split_once(',').is_some_and(|(_, source)| source.trim() == memory);
    let last = instruction.signature.args.iter().rposition(|arg| arg.kind == Kind::Vector);
    last == Some(position)
        && !instruction.forms.is_empty()
        && instruction.forms.iter().all(|form| reads(&form.operands))
}

/// The elements of x86's vector types, by the ending of their names.
const ELEMENTS: &[(&str, Scalar)] = &[
    ("i", Scalar::Integer(64)),
    ("d", Scalar::Double),
    ("bh", Scalar::BFloat),
    ("h", Scalar::Half),
    ("", Scalar::Float),
];

/// The LLVM type of one of x86's C types; with `own`, a vector of integers has the definition's type. A scalar integer
/// stays one.
fn c_type(argument: &Argument, ty: &Type, own: bool) -> Option<Type> {
    match argument.c_type.as_str() {
        "float" => return Some(Type::Scalar(Scalar::Float)),
        "double" => return Some(Type::Scalar(Scalar::Double)),
        _ => {}
    }
    let name = argument.c_type.strip_prefix("__m")?;
    let ending = name.trim_start_matches(|c: char| c.is_ascii_digit());
    let bits: u32 = name[..name.len() - ending.len()].parse().ok().filter(|bits| *bits > 64)?;
    let (_, element) = ELEMENTS.iter().find(|(own, _)| *own == ending)?;
    if ending == "i" && ty.element().is_none() {
        return None;
    }
    let same = own && ending == "i" && ty.width() == Some(bits) && integers(ty);
    Some(if same { ty.clone() } else { Type::Vector(bits / element.width(), *element) })
}

/// Whether a name that LLVM prints is that of a documented instruction.
fn same(named: &str, found: &str) -> bool {
    // The encoding of AVX has a letter more.
    let plain = |name: &str| name.strip_prefix('v').unwrap_or(name).to_owned();
    let (named, found) = (plain(named), plain(found));
    named == found || alias(&found).is_some_and(|found| found == named)
}

/// Function epilogues, and instructions that only occur with them.
const ENDS: &[&str] = &["ret", "vzeroupper", "emms", "push", "pop"];

fn code(line: &str) -> Option<String> {
    let line = line.split('#').next()?.trim_end();
    // `{vex} vpdpbusd …` chooses an encoding, as `rep bsf …` does.
    let mut words = line.split_whitespace().skip_while(|word| word.starts_with('{') || *word == "rep");
    let name = words.next()?;
    let operands: Vec<&str> = line.split_once(name)?.1.split(',').map(str::trim).collect();
    if fills(name, &operands) {
        return Some("mov".to_owned());
    }
    (!ENDS.contains(&name)).then(|| name.to_owned())
}

/// Whether all bits of a register are set or cleared: by an exclusive or with itself, or a comparison with itself. The
/// elements that a gather reads in any case have such a mask.
fn fills(name: &str, operands: &[&str]) -> bool {
    let sets = |name: &str| name.starts_with("pcmpeq") || name.starts_with("kxnor");
    let [.., left, right] = operands else { return false };
    left == right && (clears(name) || sets(name.strip_prefix('v').unwrap_or(name)))
}

/// Whether an instruction clears a register if its operands are equal.
fn clears(name: &str) -> bool {
    let name = name.strip_prefix('v').unwrap_or(name);
    ["xor", "pxor", "pxord", "pxorq", "xorps", "xorpd"].contains(&name) || name.starts_with("kxor")
}

fn is_move(name: &str) -> bool {
    let name = name.strip_prefix('v').unwrap_or(name);
    name.starts_with("mov") && !["movmsk", "movddup", "movshdup", "movsldup"].iter().any(|other| name.starts_with(other))
        || name.starts_with("kmov")
        // A flag goes to a register.
        || name.starts_with("set")
}

/// The predicates of comparisons of floating-point numbers that LLVM prints in the name.
const PREDICATES: &[&str] = &[
    "eq", "lt", "le", "unord", "neq", "nlt", "nle", "ord", "eq_uq", "nge", "ngt", "false", "neq_oq", "ge",
    "gt", "true", "eq_os", "lt_oq", "le_oq", "unord_s", "neq_us", "nlt_uq", "nle_uq", "ord_s", "eq_us",
    "nge_uq", "ngt_uq", "false_os", "neq_os", "ge_oq", "gt_oq", "true_us",
];

/// The instruction of which a printed name is a short form: comparisons and carry-less products have their
/// immediate in the name.
fn alias(found: &str) -> Option<String> {
    let format =
        found.strip_prefix("cmp").and_then(|rest| rest.len().checked_sub(2).map(|at| rest.split_at(at)));
    if let Some((predicate, format)) = format
        && PREDICATES.contains(&predicate)
        && ["ps", "pd", "ph", "ss", "sd", "sh"].contains(&format)
    {
        return Some(format!("cmp{format}"));
    }
    let compare = found.strip_prefix("pcmp").or_else(|| found.strip_prefix("pcom"));
    if let Some(rest) = compare {
        for predicate in ["eq", "lt", "le", "neq", "nlt", "nle", "false", "true"] {
            let element = rest.strip_prefix(predicate);
            if let Some(element) =
                element.filter(|e| ["b", "w", "d", "q", "ub", "uw", "ud", "uq"].contains(e))
            {
                return Some(format!("pcmp{element}"));
            }
        }
    }
    if found.starts_with("pclmul") {
        return Some("pclmulqdq".to_owned());
    }
    None
}

/// Instructions that do the same, each group in one line. Logic of any element type is one group as well, and
/// so are comparisons of one element width.
const TWINS: &[&[&str]] = &[
    &["broadcastss", "pbroadcastd"],
    &["broadcastsd", "pbroadcastq", "movddup", "broadcastf32x2", "broadcasti32x2"],
    &["permpd", "permq"],
    &["permps", "permd"],
    &["unpcklps", "punpckldq"],
    &["unpckhps", "punpckhdq"],
    &["unpcklpd", "punpcklqdq"],
    &["unpckhpd", "punpckhqdq"],
    &["shufps", "permilps", "pshufd", "movshdup", "movsldup"],
    &["shufpd", "permilpd"],
    &["blendps", "blendpd", "pblendd"],
    &[
        "broadcastf128",
        "broadcastf32x4",
        "broadcastf64x2",
        "broadcasti128",
        "broadcasti32x4",
        "broadcasti64x2",
    ],
    &["broadcastf32x8", "broadcastf64x4", "broadcasti32x8", "broadcasti64x4"],
    &["insertf128", "inserti128", "insertf32x4", "insertf64x2", "inserti32x4", "inserti64x2"],
    &["extractf128", "extracti128", "extractf32x4", "extractf64x2", "extracti32x4", "extracti64x2"],
    &["insertf32x8", "insertf64x4", "inserti32x8", "inserti64x4"],
    &["extractf32x8", "extractf64x4", "extracti32x8", "extracti64x4"],
    &["shuff32x4", "shufi32x4", "shuff64x2", "shufi64x2", "perm2i128", "perm2f128"],
    &["permi2b", "permt2b"],
    &["permi2w", "permt2w"],
    &["permi2d", "permt2d", "permi2ps", "permt2ps"],
    &["permi2q", "permt2q", "permi2pd", "permt2pd"],
    &["movdqu8", "pblendmb"],
    &["movdqu16", "pblendmw"],
    &["movdqa32", "movaps", "movups", "pblendmd", "blendmps"],
    &["movdqa64", "movapd", "movupd", "pblendmq", "blendmpd"],
];

/// Whether two instructions do the same.
fn twins(named: &str, found: &str) -> bool {
    let plain = |name: &str| name.strip_prefix('v').unwrap_or(name).to_owned();
    let (named, found) = (plain(named), plain(found));
    if TWINS.iter().any(|group| group.contains(&&*named) && group.contains(&&*found)) {
        return true;
    }
    let compared = |name: &str| name.strip_prefix("pcmp").and_then(|rest| rest.chars().last());
    if compared(&named).is_some() && compared(&named) == compared(&found) {
        return true;
    }
    let logic = |name: &str| {
        let name = name.strip_prefix('p').unwrap_or(name);
        let name = ["ps", "pd", "d", "q"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name);
        // The `d` of `and` is not a suffix.
        let name = if name == "an" { "and" } else { name };
        ["and", "andn", "or", "xor"].contains(&name).then(|| name.to_owned())
    };
    logic(&named).is_some() && logic(&named) == logic(&found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_that_are_filled_are_moves() {
        let moves = |line: &str| code(line).is_some_and(|name| is_move(&name));
        assert!(moves("vpcmpeqd ymm2, ymm2, ymm2") && moves("kxnorw k1, k0, k0") && moves("xor eax, eax"));
        assert!(!moves("vpcmpeqd ymm0, ymm0, ymm1") && !moves("xor eax, ecx") && !moves("and eax, eax"));
    }

    #[test]
    fn names_with_the_immediate_in_them() {
        assert!(same("vpcmpub", "vpcmpltub"));
        assert!(same("paddb", "vpaddb"));
        assert!(!same("vpcmpub", "vpcmpltb"));
        assert!(same("vcmppd", "vcmpnltpd") && same("cmpss", "cmpunordss") && !same("vcmppd", "vcmpnltps"));
        assert!(twins("vpcmpub", "vpcmpeqb") && !twins("vpcmpub", "vpcmpeqw"));
        assert!(twins("pand", "andps") && twins("vpxorq", "vxorps") && !twins("pand", "orps"));
    }
}
