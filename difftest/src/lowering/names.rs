//! Names of machine instructions: the documents' and those that LLVM prints, in one form.

use parsers::{Form, Isa};

/// How the instructions of an instruction set are named.
pub(super) struct Names {
    /// The name of a documented instruction; `None` where it does nothing.
    pub(super) own: fn(&Form) -> Option<String>,
    /// The name of a line of assembly; `None` where it only leaves the function.
    pub(super) code: fn(&str) -> Option<String>,
    /// Whether a name is that of a move.
    pub(super) is_move: fn(&str) -> bool,
}

/// The names of an instruction set.
pub(super) fn names(isa: Isa) -> Names {
    match isa {
        Isa::X86 => Names { own: documented, code: x86_code, is_move: x86_move },
        Isa::Arm => Names { own: documented, code: arm_code, is_move: |name| ARM_MOVES.contains(&name) },
        Isa::Hvx => Names { own: hvx_own, code: hvx_code, is_move: hvx_move },
    }
}

/// Whether a name that LLVM prints is that of a documented instruction.
pub(super) fn same(isa: Isa, named: &str, found: &str) -> bool {
    match isa {
        Isa::X86 => {
            // The encoding of AVX has a letter more.
            let plain = |name: &str| name.strip_prefix('v').unwrap_or(name).to_owned();
            let (named, found) = (plain(named), plain(found));
            named == found || x86_alias(&found).is_some_and(|found| found == named)
        }
        Isa::Arm => named == found || ARM_ALIASES.contains(&(found, named)),
        Isa::Hvx => named == found,
    }
}

/// Whether documented instructions can be what the assembler calls a move, so that there may be nothing to do.
pub(super) fn copies(isa: Isa, named: &[String]) -> bool {
    isa == Isa::Arm && named.iter().any(|named| ARM_ALIASES.contains(&("mov", named)))
}

fn documented(form: &Form) -> Option<String> {
    let name = form.mnemonic.to_ascii_lowercase();
    (!name.is_empty() && name != "nop").then_some(name)
}

/// Ends of functions, and what only goes with them.
const X86_ENDS: &[&str] = &["ret", "vzeroupper", "emms", "push", "pop"];

fn x86_code(line: &str) -> Option<String> {
    // `{vex} vpdpbusd …` chooses an encoding, as `rep bsf …` does.
    let mut words = line.split_whitespace().skip_while(|word| word.starts_with('{') || *word == "rep");
    let name = words.next()?;
    // A register is zeroed by an exclusive or with itself.
    let operands: Vec<&str> = line.split_once(name)?.1.split(',').map(str::trim).collect();
    if name == "xor" && matches!(operands[..], [a, b] if a == b) {
        return Some("mov".to_owned());
    }
    (!X86_ENDS.contains(&name)).then(|| name.to_owned())
}

fn x86_move(name: &str) -> bool {
    let name = name.strip_prefix('v').unwrap_or(name);
    name.starts_with("mov") && !["movmsk", "movddup", "movshdup", "movsldup"].iter().any(|other| name.starts_with(other))
        || name.starts_with("kmov")
        // A flag goes to a register.
        || name.starts_with("set")
}

/// The instruction of which a printed name is a short form: comparisons and carry-less products have their
/// immediate in the name.
fn x86_alias(found: &str) -> Option<String> {
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
const X86_TWINS: &[&[&str]] = &[
    &["broadcastss", "pbroadcastd"],
    &["broadcastsd", "pbroadcastq", "movddup"],
    &["permpd", "permq"],
    &["permps", "permd"],
    &["unpcklps", "punpckldq"],
    &["unpckhps", "punpckhdq"],
    &["unpcklpd", "punpcklqdq"],
    &["unpckhpd", "punpckhqdq"],
    &["shufps", "permilps", "pshufd", "movshdup", "movsldup"],
    &["shufpd", "permilpd"],
    &["blendps", "blendpd", "pblendd"],
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

/// The same on Arm: movements of two elements, and selections with another register overwritten.
const ARM_TWINS: &[&[&str]] =
    &[&["trn1", "uzp1", "zip1", "mov"], &["trn2", "uzp2", "zip2"], &["bsl", "bit", "bif"], &["dup", "ext"]];

/// Whether two instructions do the same.
pub(super) fn twins(isa: Isa, named: &str, found: &str) -> bool {
    match isa {
        Isa::X86 => x86_twins(named, found),
        Isa::Arm => ARM_TWINS.iter().any(|group| group.contains(&named) && group.contains(&found)),
        Isa::Hvx => false,
    }
}

fn x86_twins(named: &str, found: &str) -> bool {
    let plain = |name: &str| name.strip_prefix('v').unwrap_or(name).to_owned();
    let (named, found) = (plain(named), plain(found));
    if X86_TWINS.iter().any(|group| group.contains(&&*named) && group.contains(&&*found)) {
        return true;
    }
    let compared = |name: &str| name.strip_prefix("pcmp").and_then(|rest| rest.chars().last());
    if compared(&named).is_some() && compared(&named) == compared(&found) {
        return true;
    }
    let logic = |name: &str| {
        let name = name.strip_prefix('p').unwrap_or(name);
        let name = ["ps", "pd", "d", "q"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name);
        // `and` loses no `d` of its own.
        let name = if name == "an" { "and" } else { name };
        ["and", "andn", "or", "xor"].contains(&name).then(|| name.to_owned())
    };
    logic(&named).is_some() && logic(&named) == logic(&found)
}

const ARM_MOVES: &[&str] = &["mov", "fmov", "umov", "smov"];

/// Names that the assembler prefers, with the instruction that each stands for.
const ARM_ALIASES: &[(&str, &str)] = &[
    ("mvn", "not"),
    ("sxtl", "sshll"),
    ("sxtl2", "sshll2"),
    ("uxtl", "ushll"),
    ("uxtl2", "ushll2"),
    ("mov", "ins"),
    ("mov", "dup"),
    ("mov", "umov"),
    ("mov", "orr"),
];

fn arm_code(line: &str) -> Option<String> {
    let name = line.split_whitespace().next()?;
    (name != "ret").then(|| name.to_owned())
}

/// Documented and printed syntax alike: registers by their kind, numbers left out, without spaces.
fn hvx_syntax(text: &str) -> String {
    let mut result = String::new();
    let lower: Vec<char> = text.to_lowercase().chars().filter(|c| !c.is_whitespace() && *c != ';').collect();
    let mut at = 0;
    while let Some(letter) = lower.get(at) {
        let starts = at == 0 || !(lower[at - 1].is_ascii_alphanumeric() || lower[at - 1] == '.');
        let rest = &lower[at + 1..];
        let length = rest.iter().take_while(|c| c.is_ascii_alphanumeric() || **c == ':').count();
        let word: String = rest[..length].iter().collect();
        let printed = !word.is_empty() && word.chars().all(|c| c.is_ascii_digit() || c == ':');
        // `Vd32`, `Vuu32`, `Qx4`, `Rt8`, `Rt`.
        let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
        let operand = matches!(letters.as_bytes(), [_]) || matches!(letters.as_bytes(), [a, b] if a == b);
        let documented = operand && ["32", "8", "4", ""].contains(&&word[letters.len()..]);
        if starts && matches!(letter, 'v' | 'q' | 'r') && (printed || documented) {
            result.push(*letter);
            at += 1 + length;
        } else if *letter == '#' {
            result.push('#');
            let number = |c: &&char| c.is_ascii_alphanumeric() || **c == '-';
            at += 1 + rest.iter().take_while(number).count();
        } else {
            result.push(*letter);
            at += 1;
        }
    }
    result
}

fn hvx_own(form: &Form) -> Option<String> {
    Some(hvx_syntax(&form.operands)).filter(|syntax| !syntax.is_empty())
}

fn hvx_code(line: &str) -> Option<String> {
    Some(hvx_syntax(line)).filter(|syntax| !syntax.starts_with("jumpr") && !syntax.is_empty())
}

fn hvx_move(syntax: &str) -> bool {
    ["v=v", "r=r", "q=q", "r=#", "v=vcombine(v,v)", "v=hi(v)", "v=lo(v)"].contains(&syntax)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hvx_syntax_of_documents_and_assembly() {
        for (documented, printed) in [
            ("Vdd32.b=vadd(Vuu32.b,Vvv32.b)", "v1:0.b = vadd(v1:0.b,v3:2.b)"),
            ("if (Qv4) Vx32.b+=Vu32.b", "if (q0) v0.b += v1.b"),
            ("Vd32=valign(Vu32,Vv32,#u3)", "v0 = valign(v0,v1,#5)"),
            ("Qd4=vand(Vu32,Rt32)", "q0 = vand(v0,r0)"),
            ("Vd32.w=vrmpy(Vu32.ub,Rt32.b)", "v0.w = vrmpy(v0.ub,r0.b)"),
        ] {
            assert_eq!(hvx_syntax(documented), hvx_syntax(printed));
        }
        assert_ne!(hvx_syntax("Vd32.b=vadd(Vu32.b,Vv32.b)"), hvx_syntax("v0.h = vadd(v0.h,v1.h)"));
    }

    #[test]
    fn names_with_the_immediate_in_them() {
        assert!(same(Isa::X86, "vpcmpub", "vpcmpltub"));
        assert!(same(Isa::X86, "paddb", "vpaddb"));
        assert!(!same(Isa::X86, "vpcmpub", "vpcmpltb"));
        assert!(x86_twins("vpcmpub", "vpcmpeqb") && !x86_twins("vpcmpub", "vpcmpeqw"));
        assert!(x86_twins("pand", "andps") && x86_twins("vpxorq", "vxorps") && !x86_twins("pand", "orps"));
        assert!(same(Isa::Arm, "ushll", "uxtl") && !same(Isa::Arm, "uxtl", "ushll"));
    }
}
