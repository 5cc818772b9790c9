//! Which entries are outside of what the IR describes, before their text is run.

use hydride_ir::{ERROR_FRACTION, MAX_ERROR};

use super::document::Entry;
use super::{operand, tile};
use crate::pseudocode::{Fault, Reason};

/// Registers, counters and modes that are not operands: a text that names one depends on state.
const STATE_NAMES: &[&str] = &[
    "MXCSR",
    "TimeStampCounter",
    "SSP",
    "FS_Segment_Base_Register",
    "GS_Segment_Base_Register",
    "ReadPMC",
    "IA32_TSC_AUX",
    "RTM_NEST_COUNT",
    "RTM_ACTIVE",
    "MSR",
    "XCR",
    "XCR0",
    "RIP",
    "EFLAGS",
    "APP_PRIVATE_DATA",
    "_FEATURE_GENERIC_IA32",
    "_FEATURE_CLDEMOTE",
    "WrapKey128",
    "WrapKey256",
    "IWKey",
    "HW_NRND_GEN",
    "SetZF",
    "SetCF",
    "state_x87_fpu_mmx_sse",
    "fxrstor",
    "fxrstor64",
    "OP_PCID",
    // A condition of flags that no text defines.
    "_CMPCCX_O",
    // Ciphers with a key that the processor unwraps by one of its own.
    "AES128Encrypt",
    "AES256Encrypt",
    "AES128Decrypt",
    "AES256Decrypt",
];

/// Why an entry with a text is outside the IR, judged by its attributes and names. `tiles` says whether instructions on
/// tiles are inside.
pub(super) fn exclusion(entry: &Entry, tiles: bool) -> Option<Fault<()>> {
    let excluded = |reason, message: String| Some(Fault::excluded(reason, (), message));
    let category = |name: &str| is_in(entry, name);
    let operands = || entry.parameters.iter().chain(&entry.result);
    if category("Random") {
        return excluded(Reason::Random, String::new());
    }
    let text = entry.operation.as_ref().map(|text| text.text.as_str()).unwrap_or_default();
    if tile::is_of_tiles(entry) {
        return match (tiles, is_blank(text)) {
            (false, _) => excluded(Reason::State, "tile registers".to_owned()),
            // No text says more of it than its layout in memory.
            (true, true) => excluded(Reason::State, "the configuration of tiles".to_owned()),
            (true, false) => None,
        };
    }
    let returns = entry.result.as_ref().is_some_and(|result| result.c_type.trim() != "void");
    if !returns && !text.contains("MEM[") {
        return excluded(
            if category("OS-Targeted") { Reason::State } else { Reason::Control },
            "nothing is returned".to_owned(),
        );
    }
    if is_blank(text) && cast(entry).is_none() {
        return excluded(Reason::NoPseudocode, String::new());
    }
    if entry.technology == "SVML" && has_float(entry) {
        return excluded(Reason::LibraryFunction, String::new());
    }
    if approximates(entry) && (error(entry).is_none() || !text.contains("1.0 /")) {
        return excluded(Reason::Approximation, String::new());
    }
    let float = operands().any(|operand| operand.element.starts_with(['F', 'B']));
    if let Some(name) = names(text).find(|name| STATE_NAMES.contains(name)) {
        return excluded(if float { Reason::FloatingPoint } else { Reason::State }, format!("`{name}`"));
    }
    None
}

/// The operation of a cast without a text, which its types and its description say: the bits stay the same, and
/// those that only the result has are zero or undefined.
pub(super) fn cast(entry: &Entry) -> Option<String> {
    let text = entry.operation.as_ref().map(|text| text.text.as_str()).unwrap_or_default();
    let ([from], Some(to)) = (entry.parameters.as_slice(), &entry.result) else { return None };
    if !is_in(entry, "Cast") || !is_blank(text) {
        return None;
    }
    let width = |operand| operand::argument(entry, operand, 0).ok().map(|argument| argument.width);
    let (source, target) = (width(from)?, width(to)?);
    let copied = source.min(target) - 1;
    let mut operation = format!("dst[{copied}:0] := {}[{copied}:0]\n", from.name);
    let description = entry.description.as_ref().map(|text| text.text.as_str()).unwrap_or_default();
    if target > source && description.contains("zeroed") {
        operation += &format!("dst[{}:{source}] := 0\n", target - 1);
    }
    Some(operation)
}

fn is_in(entry: &Entry, category: &str) -> bool {
    entry.categories.iter().any(|known| known == category)
}

/// Whether an operand of the entry has floating-point elements.
pub(super) fn has_float(entry: &Entry) -> bool {
    entry.parameters.iter().chain(&entry.result).any(|operand| {
        operand.element.starts_with("FP")
            || operand.element.starts_with("BF")
            || matches!(operand.c_type.trim(), "float" | "double" | "_Float16" | "__bfloat16")
    })
}

/// Whether the document says that the operation is an approximation.
fn approximates(entry: &Entry) -> bool {
    has_float(entry) && description(entry).contains("approximate")
}

/// The greatest relative error of an entry's approximation in units of 2^-32, as its description states it: a power of
/// two, or a multiple of one (`1.5*2^-12`).
pub(super) fn error(entry: &Entry) -> Option<u32> {
    if !approximates(entry) {
        return None;
    }
    let (_, stated) =
        description(entry).split_once("maximum relative error for this approximation is less than ")?;
    let stated = stated.split([' ', ',']).next()?.trim_end_matches('.');
    let (factor, power) = stated.split_once('*').unwrap_or(("1", stated));
    let power: u32 = power.strip_prefix("2^-")?.parse().ok()?;
    let units = factor.parse::<f64>().ok()? * f64::from(ERROR_FRACTION.checked_sub(power)?).exp2();
    (units.fract() == 0.0 && (1.0..=f64::from(MAX_ERROR)).contains(&units)).then_some(units as u32)
}

fn description(entry: &Entry) -> &str {
    entry.description.as_ref().map(|text| text.text.as_str()).unwrap_or_default()
}

/// Whether a text has no statement.
fn is_blank(text: &str) -> bool {
    text.lines().all(|line| {
        let line = line.split("//").next().unwrap_or_default();
        line.trim().is_empty() || line.trim().chars().all(|c| c == '.')
    })
}

/// Where a text omits lines: the offset of a comment that consists only of dots.
pub(super) fn elision(text: &str) -> Option<usize> {
    let is_elided = |line: &&str| {
        let comment = line.trim().strip_prefix("//").map(str::trim);
        comment.is_some_and(|comment| comment.len() >= 3 && comment.chars().all(|c| c == '.'))
    };
    let line = text.lines().find(is_elided)?;
    Some(line.as_ptr() as usize - text.as_ptr() as usize)
}

/// The identifiers of a text.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|name| !name.is_empty())
}
