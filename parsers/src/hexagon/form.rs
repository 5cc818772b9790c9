//! The machine instruction that an assembly syntax shows.

use super::operands::{Class, MEMORY, Operand, Shape};
use crate::Form;

/// Suffixes of registers whose other use must be in the same packet.
const WITHIN_A_PACKET: [&str; 3] = ["new", "cur", "tmp"];

/// The machine instruction: its mnemonic and operands as documented, and, where it accesses memory and can stand alone,
/// the line that an assembler takes. The address is the register that holds the pointer, without displacement.
///
/// ```text
/// if (!Pv4) Vd32=vmem(Rt32+#s4)      if (!p{0}) v{d}=vmem(r{2}+#0)
/// ```
pub(super) fn form(syntax: &str, shape: &Shape) -> Form {
    let accesses = words(syntax).find(|(_, word)| MEMORY.iter().any(|(known, _)| known == word));
    let assigned = syntax.rsplit_once('=').map_or(syntax, |(_, right)| right);
    let called = assigned.split('(').next().unwrap_or_default();
    let mnemonic = match accesses {
        Some((_, word)) => word,
        // A plain copy has no separate mnemonic.
        None if syntax.contains('=') && !assigned.contains('(') => "=",
        None => called,
    };
    // The register that is kept where nothing happens.
    let kept = |operand: &usize| {
        let operand = &shape.operands[*operand];
        operand.is_written() && !operand.is_read()
    };
    Form {
        mnemonic: mnemonic.trim().to_ascii_uppercase(),
        operands: syntax.to_owned(),
        template: accesses.and_then(|_| template(syntax, shape)),
        destroys: shape.args.iter().position(kept),
    }
}

/// The words of a syntax with their places: letters and digits, with a sign before an immediate.
fn words(syntax: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '#';
        at += syntax[at..].find(is_word)?;
        let rest = &syntax[at + 1..];
        let length = 1 + rest.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let word = (at, &syntax[at..at + length]);
        at += length;
        Some(word)
    })
}

/// The assembler's line, as [`Form::template`] has it.
fn template(syntax: &str, shape: &Shape) -> Option<String> {
    let memory = shape.operands.iter().position(|operand| operand.address().is_some())?;
    let mut line = String::new();
    let mut end = 0;
    for (at, word) in words(syntax) {
        line.push_str(&syntax[end..at]);
        end = at + word.len();
        if WITHIN_A_PACKET.contains(&word) && syntax[..at].ends_with('.') || word == super::operands::GATHERED
        {
            return None;
        }
        let key = word.trim_end_matches(|letter: char| letter.is_ascii_digit());
        let (key, is_immediate) = match word.as_bytes() {
            [b'#', b'u', ..] => ("ui", true),
            [b'#', b's', ..] => ("si", true),
            _ => (key, false),
        };
        let position = shape.operands.iter().position(|operand| operand.key == key);
        match (word.chars().next().filter(char::is_ascii_uppercase), position) {
            (None, Some(position)) if is_immediate => {
                line.push_str(&format!("#{{{}}}", shape.argument(position)?));
            }
            (None, None) if is_immediate => line.push_str("#0"),
            (None, _) => line.push_str(word),
            // An address without operand of its own.
            (Some(class), None) => {
                line.push_str(&format!("{}{{{}}}", class.to_ascii_lowercase(), shape.argument(memory)?));
            }
            (Some(class), Some(position)) => {
                let class = class.to_ascii_lowercase();
                line.push_str(&register(class, &shape.operands[position], shape.argument(position))?);
            }
        }
    }
    line.push_str(&syntax[end..]);
    Some(line)
}

/// A register by its number.
fn register(class: char, operand: &Operand, argument: Option<u32>) -> Option<String> {
    let is_result = operand.is_written() && !operand.is_read();
    match (operand.pair, argument) {
        (true, Some(argument)) if operand.class == Class::Vector && !is_result => {
            Some(format!("{class}{{{argument}+1}}:{{{argument}}}"))
        }
        (true, _) => None,
        (false, _) if is_result => Some(format!("{class}{{d}}")),
        (false, argument) => argument.map(|argument| format!("{class}{{{argument}}}")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Options;
    use super::super::operands::shape;
    use super::*;

    fn of(syntax: &str) -> Form {
        form(syntax, &shape(syntax, None, &Options::default()).expect("operands"))
    }

    #[test]
    fn the_mnemonic_is_what_happens() {
        assert_eq!(of("Vd32.w=vadd(Vu32.w,Vv32.w)").mnemonic, "VADD");
        assert_eq!(of("Vd32=Vu32").mnemonic, "=");
        assert_eq!(of("if (Qv4) vmem(Rt32+#s4)=Vs32").mnemonic, "VMEM");
        assert_eq!(of("vscatter(Rt32,Mu2,Vv32.w).w=Vw32").mnemonic, "VSCATTER");
    }

    #[test]
    fn the_assembler_takes_the_line() {
        let template = |syntax: &str| of(syntax).template;
        let line = |text: &str| Some(text.to_owned());
        assert_eq!(template("Vd32=vmem(Rt32+#s4):nt"), line("v{d}=vmem(r{0}+#0):nt"));
        assert_eq!(template("vmemu(Rx32++#s3)=Vs32"), line("vmemu(r{1}++#{2})=v{3}"));
        assert_eq!(template("if (!Qv4) vmem(Rx32++Mu2)=Vs32"), line("if (!q{0}) vmem(r{2}++m{3})=v{4}"));
        assert_eq!(
            template("vscatter(Rt32,Mu2,Vvv32.w).h=Vw32"),
            line("vscatter(r{0},m{1},v{2+1}:{2}.w).h=v{3}")
        );
        assert_eq!(template("vmem(Rt32+#s4)=Os8.new"), None);
        assert_eq!(template("Vd32=vadd(Vu32,Vv32)"), None);
    }

    #[test]
    fn a_register_that_may_be_kept_is_overwritten() {
        let load = of("if (!Pv4) Vd32=vmem(Rt32+#s4)");
        assert_eq!(load.template.as_deref(), Some("if (!p{0}) v{d}=vmem(r{2}+#0)"));
        assert_eq!(load.destroys, Some(1));
    }
}
