//! One member's definition: from the operation's arguments to a call of the vendor's function and back.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use autoir::{Facts, Member};
use catalog::record::{MaskingKind, MemoryRecord};
use catalog::{Argument, Broadcast, Masked, Source, constant};

use llvm_text::{Block, Function, Instruction, Operand, Scalar, Statement, Type, Value};

use super::convert::{cast, convert};
use super::natural::{immediate_parameter, parameter};
use super::needs::Needs;
use super::vendor::VendorFunctions;
use super::{CallableParameter, MemoryOperand, Sequence, Signature, VendorIr};
use crate::identifier::llvm_type;
use crate::memory::{Form, index_lanes};
use crate::operation::Operation;
use crate::scheme::Slot;

/// The role of the mask under which the result is stored or returned.
const MASK: &str = "mask";

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
    result: Type,
    parameters: Vec<Parameter>,
    /// Whether one of the parameters is an immediate of the vendor's function.
    has_immediates: bool,
    lines: Vec<Statement>,
    /// The same in one, if that is the plain operation and a single sequence.
    pub(super) sequence: Option<Sequence>,
}

struct Parameter {
    /// What it is: `arg0`, `mask`, `pass_through`.
    role: String,
    /// Its name in the definition, and its type.
    own: Operand,
    /// The member's argument that it is.
    position: u32,
}

impl Adapter {
    /// Everything but the name: equal definitions share one.
    pub(super) fn identity(&self) -> (Vec<Operand>, &[Statement]) {
        (self.operands(), &self.lines)
    }

    /// The definition, which is inlined as `needs` says.
    pub(super) fn text(&self, name: &str, needs: &Needs<'_>) -> String {
        let parameters = self.operands();
        let attributes = needs.attributes(self.has_immediates);
        let function = Function {
            linkage: "linkonce_odr",
            result: &self.result,
            name,
            parameters: &parameters,
            attributes: &attributes,
            body: &self.lines,
        };
        function.to_string()
    }

    fn operands(&self) -> Vec<Operand> {
        self.parameters.iter().map(|parameter| parameter.own.clone()).collect()
    }

    /// Whether callers see no difference.
    fn same_type(&self, other: &Self) -> bool {
        let types = |adapter: &Self| {
            adapter.parameters.iter().map(|parameter| parameter.own.ty.clone()).collect::<Vec<_>>()
        };
        self.result == other.result && types(self) == types(other)
    }

    /// The signature for callers; `member` is the one whose definition it is, and `vendor` has its function.
    pub(super) fn signature(&self, name: String, member: &Member, vendor: &VendorIr) -> Signature {
        let parameters = self.parameters.iter();
        let operands =
            parameters.map(|Parameter { role, own, position }| (role.clone(), own.ty.clone(), *position));
        let immediates = self.parameters.iter().zip(self.callable_parameters(member, vendor));
        let values = immediates.filter_map(|(parameter, callable)| {
            let (low, high) = member.signature.args[parameter.position as usize].immediate()?;
            let values =
                callable.immediate.filter(|values| !(low..=high).all(|value| values.contains(&value)))?;
            Some((parameter.position, values))
        });
        Signature {
            name,
            result: self.result.clone(),
            operands: operands.collect(),
            values: values.collect(),
        }
    }
}

impl Adapter {
    /// The parameters for other callers; `member` is the one whose definition it is, and `vendor` has its function.
    pub(super) fn callable_parameters(&self, member: &Member, vendor: &VendorIr) -> Vec<CallableParameter> {
        let parameters = self.parameters.iter().map(|Parameter { own, position, .. }| {
            let (before, rest) = member.signature.args.split_at(*position as usize);
            let immediate = rest.first().and_then(Argument::immediate).map(|(low, high)| {
                let place = before.iter().filter(|argument| argument.immediate().is_some()).count();
                let defined = vendor.immediate(&member.id, place).filter(|values| !values.is_empty());
                defined.unwrap_or_else(|| (low..=high).collect())
            });
            let memory = member.signature.memory().find(|record| record.arg == *position);
            let memory = memory.zip(rest.first()).map(|(record, argument)| {
                // Bytes that are partly accessed are.
                MemoryOperand { record, bytes: argument.width.div_ceil(8) }
            });
            CallableParameter { own: own.clone(), immediate, memory }
        });
        parameters.collect()
    }

    /// The type of the result, and the lines.
    pub(super) fn body(&self) -> (&Type, &[Statement]) {
        (&self.result, &self.lines)
    }
}

/// The definitions of a member.
pub(super) struct Adapters {
    /// The member, at the types of registers.
    pub(super) member: Adapter,
    /// The operation at its own types, if the member is the plain operation and has other types.
    pub(super) operation: Option<Adapter>,
}

/// An operand in memory of a member, as the operation has it.
struct Pointer {
    record: MemoryRecord,
    /// The position of its parameter, if it is a value of the operation that is taken.
    parameter: Option<usize>,
    /// The position of the result that it is, if it is written.
    result: Option<usize>,
}

/// The pointers to a member's operands in memory, in an order that does not depend on the vendor's: those that are also
/// values of the operation, then others, which only results are.
fn pointers(member: &Member, parameters: &mut Vec<Parameter>, name: &mut String) {
    let results = &member.signature.results;
    let pointer = |record: MemoryRecord| {
        let own = &member.signature.args[record.arg as usize];
        let parameter = parameters.iter().position(|parameter| parameter.position == record.arg);
        let result = results.iter().position(|result| result.is_memory() && result.name == own.name);
        Pointer { record, parameter, result }
    };
    let mut pointers: Vec<Pointer> = member.signature.memory().map(pointer).collect();
    pointers.sort_by_key(|pointer| (pointer.parameter.is_none(), pointer.parameter, pointer.result));
    for Pointer { record, parameter, result } in &pointers {
        let role = match parameter {
            Some(parameter) => {
                let parameter = &mut parameters[*parameter];
                parameter.own.ty = Type::Pointer;
                parameter.role.clone()
            }
            None => {
                let role = format!("memory{}", result.unwrap_or_default());
                let own = Operand::new(Type::Pointer, Value::Local(format!(".{role}")));
                parameters.push(Parameter { role: role.clone(), own, position: record.arg });
                role
            }
        };
        name.push_str(&format!(".{}_{role}", record.verb()));
        if let Some(ty) = index_type(member, record) {
            name.push_str(&format!(".by_{}", ty.mangled()));
        }
    }
    let aligned = pointers.iter().map(|pointer| pointer.record.align).collect::<BTreeSet<u32>>();
    if aligned.last().is_some_and(|align| *align > 1) {
        let aligned: Vec<String> = aligned.iter().map(u32::to_string).collect();
        name.push_str(&format!(".align{}", aligned.join("_")));
    }
    if pointers.iter().any(|pointer| pointer.record.non_temporal) {
        name.push_str(".nontemporal");
    }
    // What addresses are computed from: registers, then immediates.
    if pointers.iter().any(|pointer| pointer.record.element.is_some()) {
        let mut others: Vec<(u32, &Argument)> = (0..)
            .zip(&member.signature.args)
            .filter(|(position, own)| {
                !own.is_memory() && parameters.iter().all(|parameter| parameter.position != *position)
            })
            .collect();
        others.sort_by_key(|(position, own)| (own.immediate().is_some(), *position));
        for (position, _) in others {
            if let Ok(parameter) = own_parameter(member, &format!("{INDEX}{position}"), position) {
                parameters.push(parameter);
            }
        }
    }
}

/// How roles of what addresses are computed from begin.
const INDEX: &str = "index";

/// The type of the register from which addresses of elements are computed, where it has one lane for each.
fn index_type(member: &Member, record: &MemoryRecord) -> Option<Type> {
    index_lanes(member, record).map(|(count, width)| Type::lanes(count, width))
}

/// The name of the definition of a member at the operation's types.
pub(crate) fn name(operation: &Operation<'_>, member: &Member, facts: &Facts) -> Result<String, String> {
    let mut name = operation.symbol(&member.application.params, facts);
    let mut parameters = parameters(operation, member, facts, &mut name)?;
    pointers(member, &mut parameters, &mut name);
    Ok(name)
}

/// The types of a definition's parameters where they are those of the operation.
fn at_operation_types(
    parameters: &mut [Parameter],
    operation: &Operation<'_>,
    member: &Member,
    facts: &Facts,
) {
    let types = operation.argument_types(facts);
    for Parameter { role, own, .. } in parameters.iter_mut().filter(|own| own.own.ty != Type::Pointer) {
        if let Some(index) = role.strip_prefix("arg").and_then(|index| index.parse::<usize>().ok()) {
            own.ty = llvm_type(types[index]);
        } else if role == MASK {
            own.ty = Type::lanes(facts.results[0].count, 1);
        } else if role.starts_with(INDEX) && own.ty != Type::integer(32) {
            let index = member.signature.memory().find_map(|record| index_type(member, &record));
            own.ty = index.unwrap_or_else(|| own.ty.clone());
        }
    }
}

/// Makes the definitions of a member, or a message if there are none.
pub(super) fn adapters(
    operation: &Operation<'_>,
    member: &Member,
    facts: &Facts,
    functions: &VendorFunctions<'_>,
) -> Result<Adapters, String> {
    let mut registers = adapter(operation, member, facts, Shape::Registers, functions)?;
    let is_plain = registers.name == operation.symbol(&member.application.params, facts);
    if !is_plain && Form::of(operation, member, facts).is_none() {
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
    functions: &VendorFunctions<'_>,
) -> Result<Adapter, String> {
    let mut name = operation.symbol(&member.application.params, facts);
    let mut parameters = parameters(operation, member, facts, &mut name)?;
    pointers(member, &mut parameters, &mut name);
    if shape == Shape::Operation {
        at_operation_types(&mut parameters, operation, member, facts);
    }
    let function = functions.get(&member.id)?;
    let callee = &function.callee;
    let mut block = Block::new(".");
    let mut passed = Vec::new();
    let mut types = callee.params.iter();
    let mut immediates = Vec::new();
    for (position, own) in (0u32..).zip(&member.signature.args) {
        let parameter = parameters.iter_mut().find(|parameter| parameter.position == position);
        if let Some((low, _)) = own.immediate() {
            immediates.push(match parameter {
                Some(parameter) => immediate(&mut block, &parameter.own, low < 0)?,
                // Nothing of the result depends on it.
                None => Operand::index(32, low),
            });
            continue;
        }
        let ty = types.next().ok_or("its function has fewer parameters than the document")?;
        passed.push(match parameter {
            Some(parameter) => {
                if own.is_memory() {
                    passed.push(parameter.own.clone());
                    continue;
                }
                if shape == Shape::Registers {
                    parameter.own.ty = register(&parameter.own.ty, ty, own.width);
                }
                convert(&mut block, parameter.own.clone(), ty)?
            }
            None => Operand::new(ty.clone(), Value::undef()),
        });
    }
    if types.next().is_some() || immediates.len() != callee.immediates {
        return Err("its function has other parameters than the document".to_owned());
    }
    let has_immediates = immediates.iter().any(|own| own.value.name().is_some());
    passed.extend(immediates);
    let call = block.statements().len();
    let called = Instruction::call(callee.result.clone(), &function.name, passed.clone());
    // Results in memory are stored by the call.
    let results_of = &member.signature.results;
    let returned = results_of.iter().position(|result| result.is_memory()).unwrap_or(results_of.len());
    if results_of[returned..].iter().any(|result| !result.is_memory()) {
        return Err("a result is returned after one that is stored".to_owned());
    }
    let result = if callee.result == Type::Void {
        if returned > 0 {
            return Err("its function returns nothing".to_owned());
        }
        block.add(called);
        block.add(Instruction::Return(None));
        Type::Void
    } else {
        let called = Operand::new(callee.result.clone(), block.push(called));
        let mut types: Vec<Type> = match shape {
            Shape::Operation => facts.results.iter().copied().map(llvm_type).collect(),
            Shape::Registers => result_registers(member, facts, &callee.result),
        };
        types.truncate(returned);
        results(&mut block, &called, types)?
    };
    let lines = block.into_statements();
    let sequence = match (shape, &function.sequence) {
        (Shape::Operation, Some(body)) => {
            sequence(&parameters, &lines, call, body, passed.split_at(callee.params.len()))
        }
        _ => None,
    };
    Ok(Adapter { name, result, parameters, has_immediates, lines, sequence })
}

/// The types of the registers that hold the results; `returned` is what the vendor's function returns.
fn result_registers(member: &Member, facts: &Facts, returned: &Type) -> Vec<Type> {
    // A part's result is the member's whole register.
    let element = |ty: &Type| match ty {
        Type::Scalar(number) if !number.is_integer() => Some(*number),
        _ => ty.element(),
    };
    let whole = |ty: Type, own: u32| match (member.application.part, element(&ty)) {
        (Some(_), Some(element)) => {
            let fits = Some(element).filter(|element| own.is_multiple_of(element.width()));
            let element = fits.unwrap_or(Scalar::Integer(8));
            Type::Vector(own / element.width(), element)
        }
        (Some(_), None) => Type::Vector(own / 8, Scalar::Integer(8)),
        (None, _) => ty,
    };
    let results = facts.results.iter().copied().map(llvm_type).zip(&member.signature.results);
    let results = results.map(|(ty, own)| (whole(ty, own.width), own));
    let register = |((ty, own), returned): ((Type, &Argument), &Type)| {
        if is_predicate(returned) {
            return returned.clone();
        }
        match (&ty, ty.bit_count()) {
            (_, Some(count)) if count < own.width => Type::bits(own.width),
            (Type::Vector(..), None) if returned.integer_width().is_some() => {
                Type::integer(ty.width().unwrap_or(own.width))
            }
            // An integer wider than a general register is the register that holds it.
            (Type::Scalar(scalar), _) if scalar.width() > 64 && scalar.width() < own.width => {
                register(&ty, returned, own.width)
            }
            _ => ty,
        }
    };
    results.zip(returned.parts()).map(register).collect()
}

/// The lines of a definition with those of the function, `body`, in place of its call, which is line `call` and passes
/// these arguments and immediates.
fn sequence(
    parameters: &[Parameter],
    lines: &[Statement],
    call: usize,
    body: &[Statement],
    (passed, immediates): (&[Operand], &[Operand]),
) -> Option<Sequence> {
    let (last, body) = body.split_last()?;
    let renamed = |value: &Value| {
        let arguments = passed.iter().enumerate().map(|(position, own)| (parameter(position), own));
        let immediates =
            immediates.iter().enumerate().map(|(position, own)| (immediate_parameter(position), own));
        let own = arguments.chain(immediates).find(|(name, _)| name == value);
        match (own, value.name()) {
            (Some((_, own)), _) => own.value.clone(),
            (None, Some(name)) => Value::Local(format!(".called.{name}")),
            (None, None) => value.clone(),
        }
    };
    let mut made = lines[..call].to_vec();
    made.extend(body.iter().cloned().map(|mut line| {
        line.instruction.replace_locals(renamed);
        line.result = line.result.as_ref().map(renamed);
        line
    }));
    let Instruction::Return(Some(returned)) = &last.instruction else { return None };
    let returned = match &returned.value {
        constant @ Value::Constant(_) => constant.clone(),
        local => renamed(local),
    };
    let called = lines[call].result.as_ref()?;
    made.extend(lines[call + 1..].iter().cloned().map(|mut line| {
        let own = |value: &Value| if value == called { &returned } else { value }.clone();
        line.instruction.replace_locals(own);
        line
    }));
    let operands = parameters.iter().map(|parameter| parameter.own.value.clone());
    Some(Sequence { operands: operands.enumerate().collect(), lines: made })
}

/// The parameters: the operation's arguments, the mask, the passthrough. Any further difference between the member and
/// the operation is encoded in the name.
fn parameters(
    operation: &Operation<'_>,
    member: &Member,
    facts: &Facts,
    name: &mut String,
) -> Result<Vec<Parameter>, String> {
    let mut parameters: Vec<Parameter> = Vec::new();
    let mut masks: Vec<Parameter> = Vec::new();
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
                    match parameters.iter().find(|parameter| parameter.position == position) {
                        Some(other) => name.push_str(&format!("_{}", other.role)),
                        None => parameters.push(own_parameter(member, &format!("{role}{index}"), position)?),
                    }
                }
                continue;
            }
            Source::Masked(Masked { arg, mask, lane, inactive }) => {
                name.push_str(&format!(".masked{index}_0x{:x}", constant(*inactive, *lane)));
                if facts.args.get(index).is_none_or(|arg| arg.element != *lane) {
                    name.push_str(&format!("_{lane}"));
                }
                masks.push(mask_parameter(member, &format!("mask{index}"), *mask)?);
                *arg
            }
        };
        if let Some(other) = parameters.iter().find(|parameter| parameter.position == position) {
            name.push_str(&format!(".arg{index}_{}", other.role));
            continue;
        }
        let own = member.signature.args.get(position as usize);
        let own_immediate = own.is_some_and(|own| own.immediate().is_some());
        let ty = match operation.scheme.args.get(index) {
            Some(Slot::Immediate(width)) if own_immediate => Type::integer(*width),
            _ => llvm_type(facts.args[index]),
        };
        let own = Operand::new(ty, Value::local(&operation.arg_names()[index]));
        parameters.push(Parameter { role: format!("arg{index}"), own, position });
    }
    parameters.extend(masks);
    if let Some(part) = member.application.part {
        name.push_str(&format!(".part{}_{}", part.low, part.width));
        let own = member.signature.args.get(part.pass as usize).ok_or("the rest is no argument")?;
        match parameters.iter_mut().find(|parameter| parameter.position == part.pass) {
            Some(other) => {
                name.push_str(&format!("_{}", other.role));
                other.own.ty = whole(&other.own.ty, own.width);
            }
            None => parameters.push(own_parameter(member, "rest", part.pass)?),
        }
    }
    let Some(masking) = member.application.masking else { return Ok(parameters) };
    name.push_str(&format!(".{}", MaskingKind::of(Some(masking)).name()));
    if let Some((stride, lane)) = facts.uneven_mask(masking) {
        name.push_str(&format!("_{stride}_{lane}"));
    }
    if masking.negated {
        name.push_str("_not");
    }
    parameters.push(mask_parameter(member, MASK, masking.mask)?);
    if let Some(position) = masking.pass {
        match parameters.iter().find(|parameter| parameter.position == position) {
            Some(other) => name.push_str(&format!("_{}", other.role)),
            None => {
                let ty = llvm_type(*facts.results.first().ok_or("it has no result")?);
                let own = Operand::new(ty, Value::local(".pass_through"));
                parameters.push(Parameter { role: "pass_through".to_owned(), own, position });
            }
        }
    }
    Ok(parameters)
}

/// A type of `width` bits with the elements of a type, which may be one of them.
fn whole(ty: &Type, width: u32) -> Type {
    let have = ty.width().unwrap_or(width);
    let element = match ty {
        Type::Scalar(scalar) => *scalar,
        _ => ty.element().unwrap_or(Scalar::Integer(have)),
    };
    match have < width && element.width() >= 8 && width.is_multiple_of(element.width()) {
        true => Type::Vector(width / element.width(), element),
        false => ty.clone(),
    }
}

/// One of the member's arguments unchanged: an integer of its width, or the bytes of a register.
fn own_parameter(member: &Member, role: &str, position: u32) -> Result<Parameter, String> {
    let own = member.signature.args.get(position as usize).ok_or("an argument is missing")?;
    let ty = match own.immediate() {
        Some(_) => Type::integer(32),
        None if own.width > 64 => Type::Vector(own.width / 8, Scalar::Integer(8)),
        None => Type::integer(own.width),
    };
    let own = Operand::new(ty, Value::Local(format!(".{role}")));
    Ok(Parameter { role: role.to_owned(), own, position })
}

/// The member's argument that is a mask, one bit for each of its own.
fn mask_parameter(member: &Member, role: &str, position: u32) -> Result<Parameter, String> {
    let own = member.signature.args.get(position as usize).ok_or("its mask is no argument")?;
    let own = Operand::new(Type::lanes(own.width, 1), Value::Local(format!(".{role}")));
    Ok(Parameter { role: role.to_owned(), own, position })
}

/// Whether a type is that of a predicate register, which has no other form.
fn is_predicate(ty: &Type) -> bool {
    ty.bit_count().is_some()
}

/// The type of an operand: the operation's, unless that is a part of a register and not a register itself (5 bits of a
/// shift amount, 125 of a predicate). Then it is the whole register, so that no instruction is needed to extract the
/// part. `passed` is the type in the vendor's function, `own` the documented width.
fn register(ty: &Type, passed: &Type, own: u32) -> Type {
    let have = ty.width().unwrap_or(own);
    if is_predicate(passed) {
        return passed.clone();
    }
    if is_predicate(ty) {
        return if have < own { Type::bits(own) } else { ty.clone() };
    }
    // Elements of a general register are of no use to a vector unit.
    if passed.integer_width().is_some() {
        return Type::integer(own);
    }
    if have >= own {
        return ty.clone();
    }
    let vector = matches!(passed, Type::Vector(..) | Type::Array(..));
    match ty.element() {
        _ if vector && have >= 8 && own.is_multiple_of(have) => ty.clone(),
        Some(element) if vector && element.width() >= 8 && own.is_multiple_of(element.width()) => {
            Type::Vector(own / element.width(), element)
        }
        _ if vector && own > 64 => Type::Vector(own / 8, Scalar::Integer(8)),
        _ => Type::integer(own),
    }
}

/// An immediate as the vendor's function takes it: as an `i32`.
fn immediate(block: &mut Block, own: &Operand, signed: bool) -> Result<Operand, String> {
    let wide = own.ty.integer_width().ok_or("its immediate is no number")?;
    let operator = match wide.cmp(&32) {
        Ordering::Equal => return Ok(own.clone()),
        Ordering::Greater => "trunc",
        Ordering::Less if signed => "sext",
        Ordering::Less => "zext",
    };
    Ok(cast(block, operator, own.clone(), &Type::integer(32)))
}

/// Converts the result of the call to the operation's results, of types `want`, and returns them; yields the type.
fn results(block: &mut Block, called: &Operand, want: Vec<Type>) -> Result<Type, String> {
    let have = called.ty.parts();
    if have.len() != want.len() {
        return Err("its function has another number of results than the document".to_owned());
    }
    let single = want.len() == 1;
    let ty = Type::of_results(want.clone());
    let mut whole = Operand::new(ty.clone(), Value::poison());
    for ((index, part), ty) in (0..).zip(have).zip(&want) {
        if part.width() < ty.width() {
            return Err("its function's result is narrower than the document's".to_owned());
        }
        let value = match called.ty {
            Type::Structure(_) => block.push(Instruction::extract_value(called.clone(), index)),
            _ => called.value.clone(),
        };
        let value = convert(block, Operand::new(part.clone(), value), ty)?;
        whole.value = match single {
            true => value.value,
            false => block.push(Instruction::insert_value(whole.clone(), value, index)),
        };
    }
    block.add(Instruction::Return(Some(whole)));
    Ok(ty)
}
