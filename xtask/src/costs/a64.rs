//! The instructions that Arm's document names, as lines of assembly.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

/// Registers by the name that the document gives their part in an instruction; `t` and those after it are what is loaded or stored.
const ROLES: &[(&str, u32)] =
    &[("d", 0), ("d1", 0), ("n", 1), ("m", 2), ("a", 3), ("t", 0), ("t2", 1), ("t3", 2), ("t4", 3)];

/// An intrinsic, of which only the instructions are read.
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
    // Of several instructions the operands are those of the first one.
    let form = |intrinsic: &Intrinsic| {
        let operands: Vec<&str> = intrinsic.operands.split(',').map(str::trim).collect();
        Some(format!("{} {}", intrinsic.base_instruction.first()?.trim(), operands.join(", ")).to_lowercase())
    };
    let forms: BTreeSet<String> = intrinsics.iter().filter_map(form).collect();
    Ok(forms
        .into_iter()
        .flat_map(|form| lines(&form).into_iter().map(move |line| (form.clone(), line)))
        .collect())
}

/// A form with registers for its operands, in the lines that it may be: where the width of a general register is open, the
/// assembler takes one of two; a product by an element costs no less than one by a vector, which some models have no entry for.
pub fn lines(form: &str) -> Vec<String> {
    let Some((mnemonic, operands)) = form.split_once(' ') else { return Vec::new() };
    // The assembler spells a copy of a whole doubleword as a scalar.
    let operands = if mnemonic == "dup" { operands.replace("vd.1d", "dd") } else { operands.to_owned() };
    let operands: Vec<&str> = operands.split(", ").collect();
    let line = |operands: &[&str], general: char| {
        let operands: Option<Vec<String>> =
            operands.iter().map(|operand| self::operand(operand, general)).collect();
        Some(format!("{mnemonic} {}", operands?.join(", ")))
    };
    let mut lines: BTreeSet<String> =
        ['w', 'x'].into_iter().filter_map(|general| line(&operands, general)).collect();
    if let [first, second, element] = operands[..]
        && element.starts_with("vm.")
        && element.ends_with(']')
    {
        lines.extend(line(&[first, second, &second.replacen('n', "m", 1)], 'x'));
    }
    lines.into_iter().collect()
}

/// An operand in assembly: `vn.4s` is `v1.4s`, `vm.h[lane]` is `v2.h[1]`, `{vn.16b - vn+1.16b}` is `{v1.16b - v2.16b}`.
fn operand(operand: &str, general: char) -> Option<String> {
    if let Some(number) = operand.strip_prefix('#') {
        return Some(if number.parse::<u32>().is_ok() { operand.to_owned() } else { "#1".to_owned() });
    }
    if operand == "[xn]" {
        return Some("[x1]".to_owned());
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
    let kind = register.chars().next()?;
    let (_, number) = ROLES.iter().find(|(role, _)| *role == &register[kind.len_utf8()..])?;
    let (kind, rest) = match (kind, rest) {
        ('r', _) => (general, rest),
        // An element of a scalar register is a vector's.
        ('d', ".d[0]") => ('v', rest),
        ('v' | 'q' | 'd' | 's' | 'h' | 'b' | 'w' | 'x', _) => (kind, rest),
        _ => return None,
    };
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
        let products = ["mla v0.4h, v1.4h, v2.4h", "mla v0.4h, v1.4h, v2.h[1]"];
        assert_eq!(lines("mla vd.4h, vn.4h, vm.h[lane]"), products);
        assert_eq!(lines("dup vd.2d, rn"), ["dup v0.2d, w1", "dup v0.2d, x1"]);
        assert_eq!(lines("sqshl hd, hn, #n"), ["sqshl h0, h1, #1"]);
        assert_eq!(lines("tbl vd.8b, {vn.16b - vn+1.16b}, vm.8b"), ["tbl v0.8b, {v1.16b - v2.16b}, v2.8b"]);
        assert_eq!(lines("tbl vd.16b, {vn.16b, vn+1.16b}, vm.16b"), ["tbl v0.16b, {v1.16b, v2.16b}, v2.16b"]);
        assert_eq!(lines("dup vd.1d, vn.d[1]"), ["dup d0, v1.d[1]"]);
        assert_eq!(lines("ins dd.d[0], xn"), ["ins v0.d[0], x1"]);
        assert_eq!(lines("ld2 {vt.4h - vt2.4h}, [xn]"), ["ld2 {v0.4h - v1.4h}, [x1]"]);
        assert_eq!(lines("st1 {vt.b}[lane], [xn]"), ["st1 {v0.b}[1], [x1]"]);
        assert!(lines("= a[i] + (b[i] * c[i]) for i = 0").is_empty());
    }
}
