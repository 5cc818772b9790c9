//! One use of an operation in MLIR: at a member's types and parameter values.

use autoir::{Facts, Member, ValueType};
use catalog::Source;

use crate::identifier::{mlir_type, symbol_reference};
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

impl Attribute<'_> {
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

/// An operation at a member's types and parameter values. Immediates have their second documented value: with
/// the least one many operations do nothing.
pub(crate) struct Example<'a> {
    /// The operation's name.
    pub(crate) name: &'a str,
    /// Register arguments by name.
    pub(crate) operands: Vec<(&'a str, ValueType)>,
    /// Immediate arguments, then parameters.
    pub(crate) attributes: Vec<Attribute<'a>>,
    /// Types of the results.
    pub(crate) results: Vec<ValueType>,
    /// The overloaded types, in the order of the assembly format.
    overloads: Vec<ValueType>,
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
        let args = scheme.args.iter().zip(operation.arg_names());
        for (position, ((slot, name), shape)) in args.zip(&facts.args).enumerate() {
            match slot {
                Slot::Immediate(width) => {
                    let documented = operation.op.documented.get(params).and_then(|all| all[position]);
                    let value = documented.map_or(0, |range| range.low.saturating_add(1).min(range.high));
                    attributes.push(Attribute { name, width: *width, value, default: None });
                }
                _ => operands.push((name.as_str(), *shape)),
            }
        }
        attributes.extend(operation.attributes().map(|(attribute, name)| Attribute {
            name,
            width: attribute.width,
            value: params[attribute.param],
            default: Some(operation.op.class.function.params[attribute.param].value),
        }));
        Self {
            name: &operation.op.name,
            operands,
            attributes,
            results: facts.results.clone(),
            overloads: scheme.overloads(facts),
        }
    }

    /// The use in the dialect's custom assembly, with the operands as `operand` writes them.
    pub(crate) fn custom(&self, operand: impl Fn(&str) -> String) -> String {
        let written = self.attributes.iter().filter(|it| it.default != Some(it.value));
        let mut words: Vec<String> = written.map(|it| format!("{}({})", it.name, it.bare())).collect();
        let operands: Vec<String> = self.operands.iter().map(|(name, _)| operand(name)).collect();
        words.extend((!operands.is_empty()).then(|| operands.join(", ")));
        let types: Vec<String> = self.overloads.iter().copied().map(mlir_type).collect();
        words.extend([":".to_owned(), types.join(", ")]);
        format!("autollvm.{} {}", self.name, words.join(" "))
    }

    /// The use in MLIR's generic form.
    pub(crate) fn generic(&self, operand: impl Fn(&str) -> String) -> String {
        let attributes: Vec<String> =
            self.attributes.iter().map(|it| format!("{} = {}", it.name, it.typed())).collect();
        let attributes =
            if attributes.is_empty() { String::new() } else { format!(" {{{}}}", attributes.join(", ")) };
        let operands: Vec<String> = self.operands.iter().map(|(name, _)| operand(name)).collect();
        let types: Vec<String> = self.operands.iter().map(|(_, shape)| mlir_type(*shape)).collect();
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
            self.operands.iter().map(|(name, shape)| format!("%{name}: {}", mlir_type(*shape))).collect();
        let count = self.results.len();
        let (results, returned): (String, Vec<String>) = match count {
            1 => ("%res".to_owned(), vec!["%res".to_owned()]),
            _ => (format!("%res:{count}"), (0..count).map(|index| format!("%res#{index}")).collect()),
        };
        let types: Vec<String> = self.results.iter().copied().map(mlir_type).collect();
        format!(
            "func.func {}({}) -> {} {{\n{before}  {results} = {text}\n  return {} : {}\n}}",
            symbol_reference(name),
            args.join(", "),
            self.result_types(),
            returned.join(", "),
            types.join(", ")
        )
    }
}
