//! The instructions that Arm's document names, as lines of assembly.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

/// Registers by the letter that the document names their part in an instruction with.
const ROLES: &[(char, u32)] = &[('d', 0), ('n', 1), ('m', 2), ('a', 3)];

/// An intrinsic, of which only the instruction is read.
#[derive(Deserialize)]
struct Intrinsic {
    base_instruction: Vec<String>,
    #[serde(default)]
    operands: String,
}

/// The forms of a folder's document that have a line, `mnemonic operands` in lower case, each with its lines.
pub fn forms(folder: &Path) -> Result<Vec<(String, String)>> {
    let path = folder.join("intrinsics.json");
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let intrinsics: Vec<Intrinsic> =
        serde_json::from_str(&text).with_context(|| format!("{} has other fields", path.display()))?;
    let alone = intrinsics.iter().filter(|intrinsic| intrinsic.base_instruction.len() == 1);
    let forms: BTreeSet<String> = alone
        .map(|intrinsic| {
            let operands: Vec<&str> = intrinsic.operands.split(',').map(str::trim).collect();
            format!("{} {}", intrinsic.base_instruction[0].trim(), operands.join(", ")).to_lowercase()
        })
        .collect();
    Ok(forms
        .into_iter()
        .flat_map(|form| lines(&form).into_iter().map(move |line| (form.clone(), line)))
        .collect())
}

/// A form with registers for its operands: several lines where the width of a general register is open, of which the
/// assembler takes one; none for operands in memory.
pub fn lines(form: &str) -> Vec<String> {
    let Some((mnemonic, operands)) = form.split_once(' ') else { return Vec::new() };
    let line = |general: char| {
        // The assembler spells a copy of a whole doubleword as a scalar.
        let operands = if mnemonic == "dup" { operands.replace("vd.1d", "dd") } else { operands.to_owned() };
        let operands: Option<Vec<String>> =
            operands.split(", ").map(|operand| self::operand(operand, general)).collect();
        Some(format!("{mnemonic} {}", operands?.join(", ")))
    };
    let lines: BTreeSet<String> = ['w', 'x'].into_iter().filter_map(line).collect();
    lines.into_iter().collect()
}

/// An operand in assembly: `vn.4s` is `v1.4s`, `vm.h[lane]` is `v2.h[1]`, `{vn.16b - vn+1.16b}` is `{v1.16b - v2.16b}`.
fn operand(operand: &str, general: char) -> Option<String> {
    if let Some(number) = operand.strip_prefix('#') {
        return Some(if number.parse::<u32>().is_ok() { operand.to_owned() } else { "#1".to_owned() });
    }
    if let Some((first, last)) = operand.split_once(" - ") {
        return Some(format!("{} - {}", self::operand(first, general)?, self::operand(last, general)?));
    }
    if let Some(rest) = operand.strip_prefix('{') {
        return Some(format!("{{{}", self::operand(rest, general)?));
    }
    let (register, rest) = operand.split_at(operand.find(['.', '+', '}']).unwrap_or(operand.len()));
    let (plus, rest) = match rest.strip_prefix('+') {
        Some(rest) => {
            let end = rest.find(|digit: char| !digit.is_ascii_digit()).unwrap_or(rest.len());
            (rest[..end].parse::<u32>().ok()?, &rest[end..])
        }
        None => (0, rest),
    };
    let mut letters = register.chars();
    let (Some(kind), Some(role), None) = (letters.next(), letters.next(), letters.next()) else {
        return None;
    };
    let (kind, rest) = match (kind, rest) {
        ('r', _) => (general, rest),
        // An element of a scalar register is a vector's.
        ('d', ".d[0]") => ('v', rest),
        ('v' | 'q' | 'd' | 's' | 'h' | 'b' | 'w' | 'x', _) => (kind, rest),
        _ => return None,
    };
    let (_, number) = ROLES.iter().find(|(letter, _)| *letter == role)?;
    // Any element costs the same.
    let rest = match rest.split_once('[') {
        Some((arrangement, index)) if !index.starts_with(|digit: char| digit.is_ascii_digit()) => {
            format!("{arrangement}[1]")
        }
        _ => rest.to_owned(),
    };
    Some(format!("{kind}{}{rest}", number + plus))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_become_lines() {
        assert_eq!(lines("add vd.4s, vn.4s, vm.4s"), ["add v0.4s, v1.4s, v2.4s"]);
        assert_eq!(lines("mla vd.4h, vn.4h, vm.h[lane]"), ["mla v0.4h, v1.4h, v2.h[1]"]);
        assert_eq!(lines("dup vd.2d, rn"), ["dup v0.2d, w1", "dup v0.2d, x1"]);
        assert_eq!(lines("sqshl hd, hn, #n"), ["sqshl h0, h1, #1"]);
        assert_eq!(lines("tbl vd.8b, {vn.16b - vn+1.16b}, vm.8b"), ["tbl v0.8b, {v1.16b - v2.16b}, v2.8b"]);
        assert_eq!(lines("tbl vd.16b, {vn.16b, vn+1.16b}, vm.16b"), ["tbl v0.16b, {v1.16b, v2.16b}, v2.16b"]);
        assert_eq!(lines("dup vd.1d, vn.d[1]"), ["dup d0, v1.d[1]"]);
        assert_eq!(lines("ins dd.d[0], xn"), ["ins v0.d[0], x1"]);
        assert!(lines("ld1 {vt.8b}, [xn]").is_empty());
    }
}
