//! Operands of an instruction, from its assembly syntax, and its signature.
//!
//! A register operand is a class letter, a role letter (doubled for a pair of registers) and, in the
//! semantics file and the prototypes, the number of registers to choose from: `Vd32`, `Vuu32`, `Qx4`,
//! `Rt8`. The manual writes `Vd`, `Vuu`, `Rt`. Roles `d` and `e` are written, `x` and `y` read and
//! written, all others read.
//!
//! What stands for memory is an operand, too. Its argument is what is there, and its pointer is the effective address:
//! - `vmem(Rt32+#s4)`: the operand `vmem`. How the address is computed is no part of the function, except that
//!   `Rx32` in `vmem(Rx32++#s3)` and `vmem(Rx32++Mu2)` changes, and so is an operand of its own (its value is the
//!   pointer's);
//! - `vgather(Rt32,Mu2,Vv32.h)`, `vscatter(Rt32,…)`: the operand `Rt`, the elements in the region that starts there;
//! - `vtmp`: what the store of the gathered vector writes.
//!
//! `:nt` after an address makes the access non-temporal.
//!
//! A register that is written under a scalar predicate is read as well, since it may stay as it is.

use super::Options;
use super::prototypes::Prototype;
use super::source::Fault;
use crate::pseudocode::Reason;
use crate::{Argument, Element, Immediate, Kind, Signature};

/// The classes of registers and their letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// `V`: a vector, or a pair of them.
    Vector,
    /// `Q`: a vector predicate, one bit for each byte of a vector.
    Predicate,
    /// `R`, `M`: a scalar register, or a pair of them.
    Scalar,
    /// `P`: a scalar predicate.
    ScalarPredicate,
    /// `#u`, `#s`: an immediate.
    Immediate { signed: bool, bits: u32 },
    /// A vector's bytes of memory.
    Memory {
        address: Address,
        /// `:nt` follows the address: the access asks not to fill caches.
        non_temporal: bool,
    },
}

/// What is known about an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Address {
    /// A multiple of a vector's bytes.
    Vector,
    /// Any.
    Unaligned,
    /// Elements in a region.
    Region,
}

/// The words of the syntax that stand for memory; what follows in brackets is the address.
pub(super) const MEMORY: &[(&str, Address)] = &[
    ("vmem", Address::Vector),
    ("vmemu", Address::Unaligned),
    ("vgather", Address::Region),
    ("vscatter", Address::Region),
];

/// The key of memory that is loaded from or stored to as a whole.
const VECTOR_MEMORY: &str = "vmem";

/// What is gathered, until the same packet stores it.
pub(super) const GATHERED: &str = "vtmp";

/// An operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Operand {
    /// The name without number: `Vd`, `Vuu`, `Qx`, `Rt`; `ui` and `si` for immediates.
    pub key: String,
    pub class: Class,
    pub pair: bool,
    pub element: Option<Element>,
}

impl Operand {
    fn role(&self) -> u8 {
        self.key.as_bytes().get(1).copied().unwrap_or(b'u')
    }

    /// Whether it is a register.
    fn is_register(&self) -> bool {
        !matches!(self.class, Class::Immediate { .. } | Class::Memory { .. })
    }

    /// Whether it is a register that is written.
    pub fn is_written(&self) -> bool {
        self.is_register() && matches!(self.role(), b'd' | b'e' | b'x' | b'y')
    }

    pub fn is_read(&self) -> bool {
        !self.is_register() || !matches!(self.role(), b'd' | b'e')
    }

    /// What is known about its address, for memory.
    pub fn address(&self) -> Option<Address> {
        match self.class {
            Class::Memory { address, .. } => Some(address),
            _ => None,
        }
    }

    /// Width in bits.
    pub fn width(&self, options: &Options) -> u32 {
        let bytes = options.vector_bytes();
        match self.class {
            Class::Vector => bytes * 8 * if self.pair { 2 } else { 1 },
            Class::Memory { .. } => bytes * 8,
            Class::Predicate => bytes,
            Class::Scalar => 32 * if self.pair { 2 } else { 1 },
            Class::ScalarPredicate => 8,
            Class::Immediate { .. } => 32,
        }
    }

    fn c_type(&self) -> &'static str {
        match self.class {
            Class::Vector if self.pair => "HVX_VectorPair",
            Class::Vector => "HVX_Vector",
            Class::Memory { .. } => "HVX_Vector*",
            Class::Predicate => "HVX_VectorPred",
            Class::Scalar if self.pair => "Word64",
            Class::Scalar | Class::ScalarPredicate | Class::Immediate { .. } => "Word32",
        }
    }

    fn argument(&self, c_type: Option<&str>, options: &Options) -> Argument {
        let kind = match self.class {
            Class::Vector => Kind::Vector,
            Class::Predicate | Class::ScalarPredicate => Kind::Mask,
            Class::Scalar => Kind::Scalar,
            Class::Memory { address, non_temporal } => {
                let align = if address == Address::Vector { options.vector_bytes() } else { 1 };
                Kind::Memory { align, element: None, non_temporal }
            }
            Class::Immediate { signed, bits } => Kind::Immediate(if signed {
                Immediate { low: -(1i64 << (bits - 1)), high: (1i64 << (bits - 1)) - 1 }
            } else {
                Immediate { low: 0, high: (1i64 << bits) - 1 }
            }),
        };
        let name = match self.class {
            Class::Immediate { signed, bits } => format!("I{}{bits}", if signed { 's' } else { 'u' }),
            _ => self.key.clone(),
        };
        let c_type = c_type.unwrap_or_else(|| self.c_type());
        let c_type = if self.address().is_some() { c_type } else { c_type.trim_end_matches('*') };
        Argument { name, c_type: c_type.to_owned(), width: self.width(options), kind, element: self.element }
    }
}

/// The element types that a suffix can name.
fn element(suffix: &str) -> Option<Element> {
    let (width, signed, float) = match suffix {
        "b" => (8, true, false),
        "ub" => (8, false, false),
        "h" => (16, true, false),
        "uh" => (16, false, false),
        "w" => (32, true, false),
        "uw" => (32, false, false),
        "hf" | "qf16" | "bf" => (16, true, true),
        "sf" | "qf32" => (32, true, true),
        "f8" => (8, true, true),
        _ => return None,
    };
    Some(Element { width, signed, float })
}

/// Whether the syntax names a floating-point element.
pub(super) fn has_float(syntax: &str) -> bool {
    syntax
        .split(|letter: char| !letter.is_ascii_alphanumeric())
        .any(|word| element(word).is_some_and(|e| e.float))
}

/// The operands that an assembly syntax names, in order, each once. Positions in faults are 0: the caller
/// knows the location of the syntax.
pub(super) fn operands(syntax: &str) -> Result<Vec<Operand>, Fault> {
    let bytes = syntax.as_bytes();
    let mut found: Vec<Operand> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let run = |from: usize, of: fn(&u8) -> bool| bytes[from..].iter().take_while(|byte| of(byte)).count();
        if bytes[at] == b'#' {
            let sign = bytes.get(at + 1).copied();
            let digits = run((at + 2).min(bytes.len()), u8::is_ascii_digit);
            if let Some(sign @ (b'u' | b's')) = sign {
                let bits: u32 = syntax[at + 2..at + 2 + digits].parse().unwrap_or(0);
                if !(1..=31).contains(&bits) {
                    return Err(Fault::failed(Reason::Syntax, 0, format!("an immediate of {bits} bits")));
                }
                let key = format!("{}i", char::from(sign));
                // Pseudocode names an immediate by its sign alone.
                if found.iter().any(|known| known.key == key) {
                    let message = format!("two immediates `#{}`", char::from(sign));
                    return Err(Fault::failed(Reason::Signature, 0, message));
                }
                let class = Class::Immediate { signed: sign == b's', bits };
                found.push(Operand { key, class, pair: false, element: None });
            }
            at += 2 + digits;
            continue;
        }
        let length = run(at, |byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        if length == 0 {
            at += 1;
            continue;
        }
        let word = &syntax[at..at + length];
        at += length;
        let memory = |key: &str, address, non_temporal| Operand {
            key: key.to_owned(),
            class: Class::Memory { address, non_temporal },
            pair: false,
            element: None,
        };
        if let Some((_, address)) = MEMORY.iter().find(|(known, _)| *known == word)
            && let Some((within, after)) =
                syntax[at..].strip_prefix('(').and_then(|rest| rest.split_once(')'))
        {
            let non_temporal = after.starts_with(":nt");
            match address {
                Address::Vector | Address::Unaligned => {
                    found.push(memory(VECTOR_MEMORY, *address, non_temporal));
                    if !within.contains("++") {
                        at += within.len() + 1;
                    }
                }
                Address::Region => {
                    let (base, _) = within.split_once(',').unwrap_or((within, ""));
                    found.push(memory(&register(base)?.key, *address, non_temporal));
                    at += base.len() + 1;
                }
            }
            continue;
        }
        if word == GATHERED {
            found.push(memory(GATHERED, Address::Vector, false));
            continue;
        }
        if !word.starts_with(|letter: char| letter.is_ascii_uppercase()) {
            continue;
        }
        let mut operand = register(word)?;
        let suffix = syntax[at..].strip_prefix('.').map(|rest| {
            let end = rest.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(rest.len());
            &rest[..end]
        });
        operand.element = suffix.and_then(element);
        match found.iter_mut().find(|known| known.key == operand.key) {
            Some(known) => known.element = known.element.or(operand.element),
            None => found.push(operand),
        }
    }
    Ok(found)
}

/// The register operand that a word of the syntax names.
fn register(word: &str) -> Result<Operand, Fault> {
    let key = word.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let unknown = |what: &str| {
        Err(Fault::failed(Reason::UnknownRegister, 0, format!("{what} in the operand `{word}`")))
    };
    let roles = &key.as_bytes()[1..];
    let pair = match roles {
        [_] => false,
        [first, second] if first == second => true,
        _ => return unknown("no register name"),
    };
    if !matches!(roles[0], b'd' | b'e' | b's' | b't' | b'u' | b'v' | b'w' | b'x' | b'y') {
        return unknown(&format!("unknown register letter `{}`", char::from(roles[0])));
    }
    let class = match key.as_bytes()[0] {
        b'V' | b'O' => Class::Vector,
        b'Q' => Class::Predicate,
        b'R' | b'M' => Class::Scalar,
        b'P' => Class::ScalarPredicate,
        other => return unknown(&format!("unknown register class `{}`", char::from(other))),
    };
    Ok(Operand { key: key.to_owned(), class, pair, element: None })
}

/// The argument and result operands, as positions, and the signature.
pub(super) struct Shape {
    pub operands: Vec<Operand>,
    /// Operands of the arguments, in order.
    pub args: Vec<usize>,
    /// Operands of the results, in order.
    pub results: Vec<usize>,
    pub signature: Signature,
}

impl Shape {
    /// Whether there is memory among the operands.
    pub fn has_memory(&self) -> bool {
        self.operands.iter().any(|operand| operand.address().is_some())
    }

    /// The position of the argument that an operand is.
    pub fn argument(&self, operand: usize) -> Option<u32> {
        self.args.iter().position(|arg| *arg == operand).and_then(|arg| u32::try_from(arg).ok())
    }
}

/// Whether a scalar predicate decides if anything happens.
fn is_conditional(syntax: &str) -> bool {
    let condition = syntax.trim_start().strip_prefix("if").map(str::trim_start);
    condition.is_some_and(|condition| condition.trim_start_matches(['(', '!', ' ']).starts_with('P'))
}

/// The signature of an instruction: the argument order is the prototype's where there is one, else
/// that of the assembly syntax; results are the written registers in the order of the syntax. Memory becomes a result
/// once it is written.
pub(super) fn shape(syntax: &str, prototype: Option<&Prototype>, options: &Options) -> Result<Shape, Fault> {
    let operands = operands(syntax)?;
    let position = |key: &str| operands.iter().position(|operand| operand.key == key);
    let conditional = is_conditional(syntax);
    let is_read = |operand: &Operand| conditional || operand.is_read();
    let mut args: Vec<usize> = Vec::new();
    let mut signature = Signature::default();
    match prototype {
        None => args.extend((0..operands.len()).filter(|at| is_read(&operands[*at]))),
        Some(prototype) => {
            for (c_type, name) in &prototype.args {
                let key = match name.strip_prefix("Iu") {
                    Some(_) => "ui",
                    None if name.starts_with("Is") => "si",
                    None => name.as_str(),
                };
                // A pointer that is no operand is that of memory.
                let pointed = |known: &usize| operands[*known].address().is_some() && !args.contains(known);
                let memory = || (0..operands.len()).find(pointed).filter(|_| c_type.ends_with('*'));
                let Some(at) = position(key).or_else(memory) else {
                    let message = format!("the prototype's argument {name} is no operand of `{syntax}`");
                    return Err(Fault::failed(Reason::Signature, 0, message));
                };
                if args.contains(&at) {
                    let message = format!("the prototype's argument {name} is the same operand as another");
                    return Err(Fault::failed(Reason::Signature, 0, message));
                }
                if is_read(&operands[at]) {
                    args.push(at);
                    signature.args.push(operands[at].argument(Some(c_type), options));
                }
            }
            if let Some(at) = (0..operands.len()).find(|at| is_read(&operands[*at]) && !args.contains(at)) {
                let message = format!("the operand {} is no argument of the prototype", operands[at].key);
                return Err(Fault::failed(Reason::Signature, 0, message));
            }
        }
    }
    if prototype.is_none() {
        signature.args = args.iter().map(|at| operands[*at].argument(None, options)).collect();
    }
    let results: Vec<usize> = (0..operands.len()).filter(|at| operands[*at].is_written()).collect();
    if results.is_empty() && operands.iter().all(|operand| operand.address().is_none()) {
        return Err(Fault::failed(Reason::Signature, 0, format!("`{syntax}` writes no register")));
    }
    signature.results = results.iter().map(|at| operands[*at].argument(None, options)).collect();
    Ok(Shape { operands, args, results, signature })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(syntax: &str) -> Vec<String> {
        operands(syntax).expect("operands").into_iter().map(|operand| operand.key).collect()
    }

    #[test]
    fn operands_are_found_in_both_spellings() {
        assert_eq!(keys("Vdd32.w=vrmpy(Vuu32.ub,Rt32.b,#u1)"), ["Vdd", "Vuu", "Rt", "ui"]);
        assert_eq!(keys("Vx.h+=vdmpy(Vu.ub,Rt.b)"), ["Vx", "Vu", "Rt"]);
        assert_eq!(keys("if (!Qv4) Vx32.b-=Vu32.b"), ["Qv", "Vx", "Vu"]);
        assert_eq!(keys("Vd32.w=vdmpy(Vuu32.h,Rt32.uh,#1):sat"), ["Vd", "Vuu", "Rt"]);
    }

    #[test]
    fn an_operand_is_named_once() {
        let fault = operands("Vd=valign(Vu,Vv,#u3,#u3)").expect_err("which of them is `#u`?");
        assert_eq!((fault.reason, fault.message.as_str()), (Reason::Signature, "two immediates `#u`"));
        let (syntax, options) = ("Vd32=valign(Vu32,Vv32,#u3)", Options::default());
        let prototype = |names: &[&str]| Prototype {
            args: names.iter().map(|name| (String::from("Word32"), String::from(*name))).collect(),
            ..Prototype::default()
        };
        assert!(shape(syntax, Some(&prototype(&["Vu", "Vv", "Iu3"])), &options).is_ok());
        for twice in [["Vu", "Vv", "Iu3", "Iu3"], ["Vu", "Vv", "Vu", "Iu3"]] {
            let fault =
                shape(syntax, Some(&prototype(&twice)), &options).err().expect("an argument is repeated");
            assert_eq!(fault.reason, Reason::Signature, "{}", fault.message);
        }
    }

    #[test]
    fn a_suffix_of_an_address_makes_the_access_non_temporal() {
        let is_marked = |syntax: &str| {
            operands(syntax).expect("operands").iter().any(|operand| match operand.class {
                Class::Memory { non_temporal, .. } => non_temporal,
                _ => false,
            })
        };
        assert!(is_marked("vmem(Rt32+#s4):nt=Vs32"));
        assert!(is_marked("if (Qv4) vmem(Rx32++Mu2):nt=Vs32"));
        assert!(!is_marked("vmem(Rt32+#s4)=Vs32"));
        assert!(!is_marked("Vd32=vasr(Vu32,Vv32,Rt8):nt"));
    }

    #[test]
    fn unknown_registers_are_named() {
        for (syntax, message) in [
            ("Zd32=vneg(Vu32)", "unknown register class `Z` in the operand `Zd32`"),
            ("Vd32=vneg(Vk32)", "unknown register letter `k` in the operand `Vk32`"),
            ("Vd32=vneg(Vuv32)", "no register name in the operand `Vuv32`"),
        ] {
            let fault = operands(syntax).expect_err(syntax);
            assert_eq!((fault.reason, fault.message.as_str()), (Reason::UnknownRegister, message));
        }
    }
}
