//! One member's definition: from the operation's arguments to a call of the vendor's function and back.

use autoir::{Facts, Member};
use catalog::record::MaskingKind;
use catalog::{Argument, Broadcast, Source, constant};

use super::convert::Lines;
use super::data::VendorFunction;
use super::vendor::{VendorFunctions, renamed};
use super::{Sequence, Signature};
use crate::identifier::llvm_type;
use crate::operation::Operation;
use crate::scheme::Slot;
use crate::types::{elements, parts, width};

/// The types at which a definition takes and returns values.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// The operation's types: those of every call of the plain operation.
    Operation,
    /// The same, but a part of a register that is not itself a register is the whole register, so that no instruction
    /// is needed to extract or pad it.
    Registers,
}

/// A definition without its name.
pub(super) struct Adapter {
    /// The name that it has unless another member has it.
    pub(super) name: String,
    result: String,
    operands: Vec<Operand>,
    lines: Lines,
    /// The same in one, if that is the plain operation and a single sequence.
    pub(super) sequence: Option<Sequence>,
}

struct Operand {
    /// What it is: `arg0`, `mask`, `pass_through`.
    role: String,
    /// Its name in the text.
    value: String,
    ty: String,
    /// The member's argument that it is.
    position: u32,
}

impl Adapter {
    /// Everything after the name.
    pub(super) fn body(&self) -> String {
        let operands: Vec<String> =
            self.operands.iter().map(|operand| format!("{} {}", operand.ty, operand.value)).collect();
        let mut text = format!("({}) alwaysinline {{\n", operands.join(", "));
        for line in &self.lines.lines {
            text.push_str("  ");
            text.push_str(line);
            text.push('\n');
        }
        text + "}\n"
    }

    /// The definition.
    pub(super) fn text(&self, name: &str) -> String {
        format!("\ndefine linkonce_odr {} @{name}{}", self.result, self.body())
    }

    /// Whether callers see a difference.
    fn same_type(&self, other: &Self) -> bool {
        let types =
            |adapter: &Self| adapter.operands.iter().map(|operand| operand.ty.clone()).collect::<Vec<_>>();
        self.result == other.result && types(self) == types(other)
    }

    pub(super) fn signature(&self, name: String) -> Signature {
        let operands =
            self.operands.iter().map(|operand| (operand.role.clone(), operand.ty.clone(), operand.position));
        Signature { name, result: self.result.clone(), operands: operands.collect() }
    }
}

/// The definitions of a member.
pub(super) struct Adapters {
    /// The member, at the types of registers.
    pub(super) member: Adapter,
    /// The operation at its own types, if the member is the plain operation and has other types.
    pub(super) operation: Option<Adapter>,
}

/// Makes the definitions of a member, or a message if there are none.
pub(super) fn adapters(
    operation: &Operation<'_>,
    member: &Member,
    facts: &Facts,
    functions: &mut VendorFunctions<'_>,
) -> Result<Adapters, String> {
    let mut registers = adapter(operation, member, facts, Shape::Registers, functions)?;
    if registers.name != operation.symbol(&member.application.params, facts) {
        return Ok(Adapters { member: registers, operation: None });
    }
    let own = adapter(operation, member, facts, Shape::Operation, functions)?;
    if own.same_type(&registers) {
        return Ok(Adapters { member: own, operation: None });
    }
    registers.name.push_str(".registers");
    Ok(Adapters { member: registers, operation: Some(own) })
}

fn adapter(
    operation: &Operation<'_>,
    member: &Member,
    facts: &Facts,
    shape: Shape,
    functions: &mut VendorFunctions<'_>,
) -> Result<Adapter, String> {
    let mut name = operation.symbol(&member.application.params, facts);
    let mut operands = operands(operation, member, facts, &mut name)?;
    if shape == Shape::Operation {
        for (operand, ty) in operands.iter_mut().zip(operation.argument_types(facts)) {
            operand.ty = llvm_type(ty);
        }
    }
    let (function, function_name) = functions.get(&member.id)?;
    let mut lines = Lines::default();
    let mut passed = Vec::new();
    let mut params = function.params.iter();
    let mut immediates = Vec::new();
    for (position, own) in (0u32..).zip(&member.signature.args) {
        let operand = operands.iter_mut().find(|operand| operand.position == position);
        if let Some((low, _)) = own.immediate() {
            immediates.push(match operand {
                Some(operand) => {
                    let value = lines.immediate(operand, low < 0)?;
                    format!("i32 {value}")
                }
                // Nothing of the result depends on it.
                None => format!("i32 {low}"),
            });
            continue;
        }
        let ty = params.next().ok_or("its function has fewer parameters than the document")?;
        let value = match operand {
            Some(operand) => {
                if shape == Shape::Registers {
                    operand.ty = register(&operand.ty, ty, own.width);
                }
                lines.convert(&operand.value, &operand.ty, ty)?
            }
            None => "undef".to_owned(),
        };
        passed.push(format!("{ty} {value}"));
    }
    if params.next().is_some() || immediates.len() != function.immediates {
        return Err("its function has other parameters than the document".to_owned());
    }
    passed.extend(immediates);
    let call = format!("call {} @{function_name}({})", function.result, passed.join(", "));
    let called = lines.push(&call);
    let call = lines.lines.len() - 1;
    let types = match shape {
        Shape::Operation => facts.results.iter().copied().map(llvm_type).collect(),
        Shape::Registers => result_registers(member, facts, &function.result),
    };
    let result = lines.results(&called, &function.result, &types)?;
    let sequence = match shape {
        Shape::Operation => sequence(&operands, &lines.lines, call, function, &passed),
        Shape::Registers => None,
    };
    Ok(Adapter { name, result, operands, lines, sequence })
}

/// The types of the registers that hold the results; `returned` is what the vendor's function returns.
fn result_registers(member: &Member, facts: &Facts, returned: &str) -> Vec<String> {
    // A part's result is the member's whole register.
    let whole = |ty: String, own: u32| match (member.application.part, elements(&ty)) {
        (Some(_), Some((_, element))) => {
            let bits = width(element).filter(|bits| own.is_multiple_of(*bits)).unwrap_or(8);
            format!("<{} x i{bits}>", own / bits)
        }
        (Some(_), None) => format!("<{} x i8>", own / 8),
        (None, _) => ty,
    };
    let results = facts.results.iter().copied().map(llvm_type).zip(&member.signature.results);
    let results = results.map(|(ty, own)| (whole(ty, own.width), own));
    let returned = parts(returned).unwrap_or_else(|| vec![returned]);
    let register = |((ty, own), returned): ((String, &Argument), &str)| match bit_count(&ty) {
        _ if is_predicate(returned) => returned.to_owned(),
        Some(count) if count < own.width => format!("<{} x i1>", own.width),
        None if elements(&ty).is_some() && returned.starts_with('i') => {
            format!("i{}", width(&ty).unwrap_or(own.width))
        }
        // An integer wider than a general register is the register that holds it.
        None if width(&ty).is_some_and(|bits| bits > 64 && bits < own.width) && elements(&ty).is_none() => {
            register(&ty, returned, own.width)
        }
        _ => ty,
    };
    results.zip(returned).map(register).collect()
}

/// The lines of a definition with those of the function in place of its call, which is line `call` and passes
/// `passed`.
fn sequence(
    operands: &[Operand],
    lines: &[String],
    call: usize,
    function: &VendorFunction,
    passed: &[String],
) -> Option<Sequence> {
    let [body] = &function.variants[..] else { return None };
    if function.immediates > 0 || body.lines.iter().any(|line| line.ends_with(':')) {
        return None;
    }
    let passed: Vec<&str> =
        passed.iter().map(|value| value.rsplit_once(' ').map_or("", |(_, v)| v)).collect();
    let (last, body) = body.lines.split_last()?;
    let name = |value: &str| match value.strip_prefix("%a").and_then(|number| number.parse::<usize>().ok()) {
        Some(position) => passed.get(position).copied().unwrap_or("poison").to_owned(),
        None => value.replace('%', "%.called."),
    };
    let mut made = lines[..call].to_vec();
    made.extend(body.iter().map(|line| renamed(line, name)));
    let returned = renamed(last.strip_prefix(&format!("ret {} ", function.result))?, name);
    let called = lines[call].split(' ').next()?;
    made.extend(lines[call + 1..].iter().map(|line| replaced(line, called, &returned)));
    let operands = operands.iter().enumerate().map(|(index, operand)| (index, operand.value.clone()));
    Some(Sequence { operands: operands.collect(), lines: made })
}

/// A line with a value replaced.
fn replaced(line: &str, from: &str, to: &str) -> String {
    let words = line.split_inclusive([' ', ',']);
    let word = |word: &str| match word.strip_prefix(from) {
        Some(end) if matches!(end, "" | " " | ",") => format!("{to}{end}"),
        _ => word.to_owned(),
    };
    words.map(word).collect()
}

/// The operands: the operation's arguments, the mask, the passthrough. Any further difference between the member and
/// the operation is encoded in the name.
fn operands(
    operation: &Operation<'_>,
    member: &Member,
    facts: &Facts,
    name: &mut String,
) -> Result<Vec<Operand>, String> {
    let mut operands: Vec<Operand> = Vec::new();
    for (index, source) in member.application.args.iter().enumerate() {
        let position = match source {
            Source::Own(position) => *position,
            Source::Constant(value) => {
                let bits = constant(*value, facts.args[index].width());
                name.push_str(&format!(".arg{index}_0x{bits:x}"));
                continue;
            }
            // A broadcast value is passed in the member's form, with the immediate that selects it.
            Source::Broadcast(Broadcast { arg, lane, low, width, stride }) => {
                name.push_str(&format!(".every{index}"));
                let element = facts.args.get(index).map(|arg| arg.element);
                if *low != 0 || [Some(*width), Some(*stride)] != [element; 2] {
                    name.push_str(&format!("_{low}_{width}_{stride}"));
                }
                for (role, position) in [("arg", Some(*arg)), ("lane", lane.map(|(lane, _)| lane))] {
                    let Some(position) = position else { continue };
                    if role == "lane" {
                        name.push_str("_lane");
                    }
                    match operands.iter().find(|operand| operand.position == position) {
                        Some(other) => name.push_str(&format!("_{}", other.role)),
                        None => operands.push(own_operand(member, &format!("{role}{index}"), position)?),
                    }
                }
                continue;
            }
        };
        if let Some(other) = operands.iter().find(|operand| operand.position == position) {
            name.push_str(&format!(".arg{index}_{}", other.role));
            continue;
        }
        let own = member.signature.args.get(position as usize);
        let own_immediate = own.is_some_and(|own| own.immediate().is_some());
        let ty = match operation.scheme.args.get(index) {
            Some(Slot::Immediate(width)) if own_immediate => format!("i{width}"),
            _ => llvm_type(facts.args[index]),
        };
        let value = format!("%{}", operation.arg_names()[index]);
        operands.push(Operand { role: format!("arg{index}"), value, ty, position });
    }
    if let Some(part) = member.application.part {
        name.push_str(&format!(".part{}_{}", part.low, part.width));
        match operands.iter().find(|operand| operand.position == part.pass) {
            Some(other) => name.push_str(&format!("_{}", other.role)),
            None => operands.push(own_operand(member, "rest", part.pass)?),
        }
    }
    let Some(masking) = member.application.masking else { return Ok(operands) };
    name.push_str(&format!(".{}", MaskingKind::of(Some(masking)).name()));
    if let Some((stride, lane)) = facts.uneven_mask(masking) {
        name.push_str(&format!("_{stride}_{lane}"));
    }
    if masking.negated {
        name.push_str("_not");
    }
    let mask = masking.mask;
    let own = member.signature.args.get(mask as usize).ok_or("its mask is no argument")?;
    let ty = if own.width == 1 { "i1".to_owned() } else { format!("<{} x i1>", own.width) };
    operands.push(Operand { role: "mask".to_owned(), value: "%.mask".to_owned(), ty, position: mask });
    if let Some(position) = masking.pass {
        match operands.iter().find(|operand| operand.position == position) {
            Some(other) => name.push_str(&format!("_{}", other.role)),
            None => operands.push(Operand {
                role: "pass_through".to_owned(),
                value: "%.pass_through".to_owned(),
                ty: llvm_type(*facts.results.first().ok_or("it has no result")?),
                position,
            }),
        }
    }
    Ok(operands)
}

/// One of the member's arguments unchanged: an integer of its width, or the bytes of a register.
fn own_operand(member: &Member, role: &str, position: u32) -> Result<Operand, String> {
    let own = member.signature.args.get(position as usize).ok_or("an argument is missing")?;
    let ty = match own.immediate() {
        Some(_) => "i32".to_owned(),
        None if own.width > 64 => format!("<{} x i8>", own.width / 8),
        None => format!("i{}", own.width),
    };
    Ok(Operand { role: role.to_owned(), value: format!("%.{role}"), ty, position })
}

/// Whether a type is that of a predicate register, which has no other form.
fn is_predicate(ty: &str) -> bool {
    bit_count(ty).is_some()
}

/// The length of a vector of single bits.
fn bit_count(ty: &str) -> Option<u32> {
    elements(ty).filter(|(_, element)| *element == "i1").map(|(count, _)| count)
}

/// The type of an operand: the operation's, unless that is a part of a register and not a register itself (5 bits of a
/// shift amount, 125 of a predicate). Then it is the whole register, so that no instruction is needed to extract the
/// part. `passed` is the type in the vendor's function, `own` the documented width.
fn register(ty: &str, passed: &str, own: u32) -> String {
    let have = width(ty).unwrap_or(own);
    if is_predicate(passed) {
        return passed.to_owned();
    }
    if bit_count(ty).is_some() {
        return if have < own { format!("<{own} x i1>") } else { ty.to_owned() };
    }
    // Elements of a general register are of no use to a vector unit.
    if passed.starts_with('i') {
        return format!("i{own}");
    }
    if have >= own {
        return ty.to_owned();
    }
    let bits = elements(ty).and_then(|(_, element)| width(element));
    let vector = elements(passed).is_some();
    match bits {
        _ if vector && have >= 8 && own.is_multiple_of(have) => ty.to_owned(),
        Some(bits) if vector && bits >= 8 && own.is_multiple_of(bits) => {
            format!("<{} x i{bits}>", own / bits)
        }
        _ if vector && own > 64 => format!("<{} x i8>", own / 8),
        _ => format!("i{own}"),
    }
}

impl Lines {
    /// An immediate as the vendor's function takes it.
    fn immediate(&mut self, operand: &Operand, signed: bool) -> Result<String, String> {
        let Operand { ty, value, .. } = operand;
        let wide = width(ty).filter(|_| ty.starts_with('i')).ok_or("its immediate is no number")?;
        Ok(match wide.cmp(&32) {
            std::cmp::Ordering::Equal => value.clone(),
            std::cmp::Ordering::Greater => self.push(&format!("trunc {ty} {value} to i32")),
            std::cmp::Ordering::Less => {
                let extend = if signed { "sext" } else { "zext" };
                self.push(&format!("{extend} {ty} {value} to i32"))
            }
        })
    }

    /// Converts the result of the call to the operation's results and returns them; yields the type.
    fn results(&mut self, called: &str, have: &str, want: &[String]) -> Result<String, String> {
        let have_parts = match parts(have) {
            Some(parts) => parts,
            None => vec![have],
        };
        if have_parts.len() != want.len() {
            return Err("its function has another number of results than the document".to_owned());
        }
        let mut whole = ("poison".to_owned(), format!("{{ {} }}", want.join(", ")));
        for (index, (part, ty)) in have_parts.iter().zip(want).enumerate() {
            if width(part) < width(ty) {
                return Err("its function's result is narrower than the document's".to_owned());
            }
            let value = match parts(have) {
                Some(_) => self.push(&format!("extractvalue {have} {called}, {index}")),
                None => called.to_owned(),
            };
            let value = self.convert(&value, part, ty)?;
            if want.len() == 1 {
                whole = (value, ty.clone());
            } else {
                let text = format!("insertvalue {} {}, {ty} {value}, {index}", whole.1, whole.0);
                whole.0 = self.push(&text);
            }
        }
        self.lines.push(format!("ret {} {}", whole.1, whole.0));
        Ok(whole.1)
    }
}
