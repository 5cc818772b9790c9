//! One use of an operation in MLIR: at a member's types and parameter values.

use autoir::{Facts, Member, ValueType};
use catalog::Source;

use crate::identifier::{mlir_type, symbol_reference};
use crate::instance::MemoryInstance;
use crate::mlir::memory::{MemoryOperation, What, Written, mask_type, slot_type};
use crate::operation::Operation;
use crate::scheme::Slot;

/// An attribute of a use.
pub(crate) struct Attribute<'a> {
    /// Its name.
    pub(crate) name: &'a str,
    /// Width of its integer type; 1 is a truth value.
    pub(crate) width: u32,
    /// Its value.
    pub(crate) value: i64,
    /// The value that it has where it is not written; none for an immediate argument.
    pub(crate) default: Option<i64>,
}

impl<'a> Attribute<'a> {
    /// The immediate argument of a name and width at a position, at parameter values.
    fn immediate(
        operation: &Operation<'_>,
        params: &[i64],
        position: usize,
        (name, width): (&'a str, u32),
    ) -> Self {
        let documented = operation.op.documented.get(params).and_then(|all| all[position]);
        let value = documented.map_or(0, |range| range.low.saturating_add(1).min(range.high));
        Self { name, width, value, default: None }
    }

    /// The parameters that do not follow from types.
    fn parameters(operation: &'a Operation<'_>, params: &[i64]) -> impl Iterator<Item = Self> {
        operation.attributes().map(|(attribute, name)| Self {
            name,
            width: attribute.width,
            value: params[attribute.param],
            default: Some(operation.op.class.function.params[attribute.param].value),
        })
    }

    /// The value where its type is known.
    pub(crate) fn bare(&self) -> String {
        match (self.width, self.value) {
            (1, 0) => "false".to_owned(),
            (1, _) => "true".to_owned(),
            (_, value) => value.to_string(),
        }
    }

    /// The value with its type.
    pub(crate) fn typed(&self) -> String {
        match self.width {
            1 => self.bare(),
            width => format!("{} : i{width}", self.value),
        }
    }
}

/// The type of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OperandType {
    /// That of a number or a vector.
    Value(ValueType),
    /// A pointer.
    Pointer,
}

impl OperandType {
    /// The type in MLIR.
    pub(crate) fn mlir(self) -> String {
        match self {
            Self::Value(shape) => mlir_type(shape),
            Self::Pointer => "!llvm.ptr".to_owned(),
        }
    }
}

/// An argument of the function that a use becomes a call of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Passed {
    /// An operand, by its position.
    Operand(usize),
    /// The value of an attribute, by its position.
    Attribute(usize),
}

impl Passed {
    /// The position of the attribute, if it is one.
    pub(crate) fn attribute(&self) -> Option<usize> {
        match self {
            Self::Operand(_) => None,
            Self::Attribute(attribute) => Some(*attribute),
        }
    }
}

/// An operation at a member's types and parameter values. Immediates have their second documented value: with
/// the least one many operations do nothing.
pub(crate) struct Example<'a> {
    /// The operation's name.
    pub(crate) name: &'a str,
    /// Operands by name.
    pub(crate) operands: Vec<(&'a str, OperandType)>,
    /// Immediate arguments, then parameters.
    pub(crate) attributes: Vec<Attribute<'a>>,
    /// Types that are attributes.
    pub(crate) types: Vec<(&'a str, ValueType)>,
    /// The function's arguments.
    pub(crate) passed: Vec<Passed>,
    /// Types of the results.
    pub(crate) results: Vec<ValueType>,
    /// The types that the assembly format writes, in order.
    pub(crate) written: Vec<ValueType>,
}

/// The member by which an operation is shown: the first one that is the operation and nothing else, without a
/// mask and with an argument for each of the operation's; else the first one.
pub(crate) fn shown<'a>(operation: &'a Operation<'_>) -> Option<(&'a Member, &'a Facts)> {
    let plain = |member: &Member| {
        let args = member.application.args.iter().enumerate();
        let position = |source: &Source| source.own().is_some();
        let mut distinct = args
            .map(|(index, source)| position(source) && !member.application.args[..index].contains(source));
        member.application.masking.is_none() && distinct.all(|distinct| distinct)
    };
    let mut instances = operation.op.instances();
    instances.clone().find(|(member, _)| plain(member)).or_else(|| instances.next())
}

impl<'a> Example<'a> {
    /// The use at the given parameter values and shapes.
    pub(crate) fn of(operation: &'a Operation<'_>, params: &[i64], facts: &Facts) -> Self {
        let scheme = &operation.scheme;
        let mut operands = Vec::new();
        let mut attributes = Vec::new();
        let mut passed = Vec::new();
        let args = scheme.args.iter().zip(operation.arg_names());
        for (position, ((slot, name), shape)) in args.zip(&facts.args).enumerate() {
            match slot {
                Slot::Immediate(width) => {
                    passed.push(Passed::Attribute(attributes.len()));
                    attributes.push(Attribute::immediate(operation, params, position, (name, *width)));
                }
                _ => {
                    passed.push(Passed::Operand(operands.len()));
                    operands.push((name.as_str(), OperandType::Value(*shape)));
                }
            }
        }
        attributes.extend(Attribute::parameters(operation, params));
        Self {
            name: &operation.op.name,
            operands,
            attributes,
            types: Vec::new(),
            passed,
            results: facts.results.clone(),
            written: scheme.overloads(facts),
        }
    }

    /// The use of an operation with operands in memory that an instance is.
    pub(crate) fn of_memory(own: &'a MemoryOperation<'_, '_>, instance: &MemoryInstance<'_>) -> Self {
        let (facts, params) = (instance.facts, instance.member.application.params.as_slice());
        let mut operands = Vec::new();
        let mut attributes = Vec::new();
        let mut passed = Vec::new();
        let index = instance.index_type();
        for argument in &own.passed {
            let name = argument.name.as_str();
            let value = match argument.what {
                What::Value(arg) => OperandType::Value(facts.args[arg]),
                What::Pointer { .. } => OperandType::Pointer,
                What::Mask => OperandType::Value(mask_type(facts)),
                What::PassThrough => OperandType::Value(facts.results[0]),
                What::Index => OperandType::Value(index),
                What::Immediate(..) | What::Scale => {
                    passed.push(Passed::Attribute(attributes.len()));
                    attributes.push(match argument.what {
                        What::Immediate(arg, width) => {
                            Attribute::immediate(own.operation, params, arg, (name, width))
                        }
                        _ => {
                            let value = instance.scales.last().copied().unwrap_or(1);
                            Attribute { name, width: 32, value, default: None }
                        }
                    });
                    continue;
                }
            };
            passed.push(Passed::Operand(operands.len()));
            operands.push((name, value));
        }
        attributes.extend(Attribute::parameters(own.operation, params));
        let align = i64::from(instance.align);
        attributes.push(Attribute { name: &own.alignment, width: 64, value: align, default: Some(1) });
        let types = own.type_attributes.iter().map(|(name, slot)| (name.as_str(), slot_type(facts, *slot)));
        let written = own.written().into_iter().map(|written| match written {
            Written::Slot(_, slot) | Written::Attribute(_, slot) => slot_type(facts, slot),
            Written::Mask(_) => mask_type(facts),
            Written::Index(_) => index,
        });
        Self {
            name: &own.name,
            operands,
            attributes,
            types: types.collect(),
            passed,
            results: own.returned().map(|result| facts.results[result]).collect(),
            written: written.collect(),
        }
    }

    /// The use in the dialect's custom assembly, with the operands as `operand` writes them.
    pub(crate) fn custom(&self, operand: impl Fn(&str) -> String) -> String {
        let written = self.attributes.iter().filter(|it| it.default != Some(it.value));
        let mut words: Vec<String> = written.map(|it| format!("{}({})", it.name, it.bare())).collect();
        let operands: Vec<String> = self.operands.iter().map(|(name, _)| operand(name)).collect();
        words.extend((!operands.is_empty()).then(|| operands.join(", ")));
        let types: Vec<String> = self.written.iter().copied().map(mlir_type).collect();
        words.extend([":".to_owned(), types.join(", ")]);
        format!("autollvm.{} {}", self.name, words.join(" "))
    }

    /// The use in MLIR's generic form.
    pub(crate) fn generic(&self, operand: impl Fn(&str) -> String) -> String {
        let attributes = self.attributes.iter().map(|it| format!("{} = {}", it.name, it.typed()));
        let types = self.types.iter().map(|(name, shape)| format!("{name} = {}", mlir_type(*shape)));
        let attributes: Vec<String> = attributes.chain(types).collect();
        let attributes =
            if attributes.is_empty() { String::new() } else { format!(" {{{}}}", attributes.join(", ")) };
        let operands: Vec<String> = self.operands.iter().map(|(name, _)| operand(name)).collect();
        let types: Vec<String> = self.operands.iter().map(|(_, ty)| ty.mlir()).collect();
        format!(
            "\"autollvm.{}\"({}){attributes} : ({}) -> {}",
            self.name,
            operands.join(", "),
            types.join(", "),
            self.result_types()
        )
    }

    /// The results' types, in parentheses unless there is one.
    pub(crate) fn result_types(&self) -> String {
        let types: Vec<String> = self.results.iter().copied().map(mlir_type).collect();
        match types.as_slice() {
            [one] => one.clone(),
            _ => format!("({})", types.join(", ")),
        }
    }

    /// A function of that name that takes the operands, does `text` and returns its results.
    pub(crate) fn function(&self, name: &str, text: &str) -> String {
        self.function_after(&[], name, text)
    }

    /// The same with lines before `text`.
    pub(crate) fn function_after(&self, lines: &[String], name: &str, text: &str) -> String {
        let before: String = lines.iter().map(|line| format!("  {line}\n")).collect();
        let args: Vec<String> =
            self.operands.iter().map(|(name, ty)| format!("%{name}: {}", ty.mlir())).collect();
        let count = self.results.len();
        let (results, returned): (String, Vec<String>) = match count {
            0 => (String::new(), Vec::new()),
            1 => ("%res = ".to_owned(), vec!["%res".to_owned()]),
            _ => (format!("%res:{count} = "), (0..count).map(|index| format!("%res#{index}")).collect()),
        };
        let types: Vec<String> = self.results.iter().copied().map(mlir_type).collect();
        let returned = match count {
            0 => String::new(),
            _ => format!(" {} : {}", returned.join(", "), types.join(", ")),
        };
        format!(
            "func.func {}({}) -> {} {{\n{before}  {results}{text}\n  return{returned}\n}}",
            symbol_reference(name),
            args.join(", "),
            self.result_types(),
        )
    }
}
