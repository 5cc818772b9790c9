//! Goal files: TOML to [`Goal`].

use hydride_ir::exact::{Dag, Lowering};
use hydride_ir::{Arg, Bits, Function, ResultId, ResultSlot, Role, Stmt};
use serde::Deserialize;
use toml::Spanned;

use super::evaluate::Evaluator;
use super::expression::{Fault, parse};
use super::{Goal, Input, Output, Wanted};
use crate::value::{Class, Type};

/// Registers of a goal are at most this wide.
const MAX_WIDTH: u32 = 4096;

/// Inputs or outputs of a goal.
const MAX_REGISTERS: usize = 16;

/// Inputs in memory: every target has registers for as many pointers, beside those for scalars.
const MAX_POINTERS: usize = 8;

/// A goal file as read; [`GoalFile::at`] gives the goal for a register width.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GoalFile {
    /// Name of the goal: letters, digits and `-`.
    pub name: String,
    /// One line for people.
    #[serde(default)]
    pub about: String,
    /// Width of vector registers in bits; the target's if not given.
    pub width: Option<Spanned<u32>>,
    /// Width of the elements of vectors in bits.
    element: Spanned<u32>,
    #[serde(default)]
    input: Vec<Register>,
    #[serde(default)]
    output: Vec<Wish>,
    /// How to search, unless the command line says otherwise.
    #[serde(default)]
    pub search: SearchOptions,
}

/// Options of a goal file, each of which the command line can override.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchOptions {
    /// Mnemonics or ids (globs) that are the only ones allowed; none means all.
    #[serde(default)]
    pub only: Vec<String>,
    /// Mnemonics or ids (globs) that are not allowed.
    #[serde(default)]
    pub without: Vec<String>,
    /// Only instructions that treat elements of this many bits as wholes.
    pub granularity: Option<u32>,
    /// Only instructions whose elements, of the goal's width, do not mix.
    #[serde(default)]
    pub lanewise: bool,
    /// Only data movements (`movement`), or every instruction (`all`).
    pub domain: Option<String>,
    /// Greatest cost that is tried.
    pub max_length: Option<u32>,
    /// Allow scalars as intermediate values even where the goal has none.
    #[serde(default)]
    pub scalars: bool,
    /// Allow masks as intermediate values even where the goal has none.
    #[serde(default)]
    pub masks: bool,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Register {
    name: Spanned<String>,
    class: Option<Class>,
    width: Option<Spanned<u32>>,
    element: Option<Spanned<u32>>,
    /// The value of each element where the contents are known.
    constant: Option<Spanned<String>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wish {
    name: Spanned<String>,
    class: Option<Class>,
    width: Option<Spanned<u32>>,
    element: Option<Spanned<u32>>,
    /// One expression for every element.
    each: Option<Spanned<String>>,
    /// Expressions from the lowest element on; `?`, and what is not reached, are don't-cares.
    elements: Option<Vec<Spanned<String>>>,
}

/// A goal file that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct GoalError {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

impl GoalError {
    fn at(text: &str, offset: usize, message: impl Into<String>) -> Self {
        let before = text.get(..offset.min(text.len())).unwrap_or(text);
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.matches('\n').count() + 1;
        Self { line, column: before[start..].chars().count() + 1, message: message.into() }
    }
}

impl GoalFile {
    /// Reads a file's text; shapes are checked here, expressions in [`GoalFile::at`].
    pub fn parse(text: &str) -> Result<Self, GoalError> {
        let file: Self = toml::from_str(text).map_err(|error| {
            let offset = error.span().map_or(0, |span| span.start);
            GoalError::at(text, offset, error.message())
        })?;
        let legal = |c: char| c.is_ascii_alphanumeric() || c == '-';
        if file.name.is_empty() || !file.name.chars().all(legal) {
            return Err(GoalError::at(text, 0, "the goal's name must consist of letters, digits and `-`"));
        }
        if file.output.is_empty() {
            return Err(GoalError::at(text, 0, "a goal needs at least one [[output]]"));
        }
        if file.input.len() > MAX_REGISTERS || file.output.len() > MAX_REGISTERS {
            return Err(GoalError::at(text, 0, format!("more than {MAX_REGISTERS} inputs or outputs")));
        }
        Ok(file)
    }

    /// The goal where vector registers have `width` bits, unless the file says how wide, and at least `least`.
    /// `text` is what the file was parsed from.
    pub fn at(&self, text: &str, width: u32, least: u32) -> Result<Goal, GoalError> {
        let width = self.width.as_ref().map_or(width, |own| *own.get_ref()).max(least);
        let inputs = self.inputs(text, width)?;
        let mut dag = Dag::new(inputs.iter().map(|input| input.ty.width).collect());
        let mut function = Function::new(self.name.clone());
        function.args = inputs
            .iter()
            .map(|input| Arg { name: input.name.clone(), width: input.ty.width.into(), role: Role::Register })
            .collect();
        let mut lowering = Lowering::default();
        let mut outputs = Vec::new();
        let mut element = inputs.iter().map(|input| input.element).min().unwrap_or(u32::MAX);
        for (position, wish) in self.output.iter().enumerate() {
            let (ty, own) =
                self.shape(text, wish.class, &wish.width, &wish.element, width, wish.name.span().start)?;
            if ty.class == Class::Memory {
                let message = "an output is in a register: stores are not searched";
                return Err(GoalError::at(text, wish.name.span().start, message));
            }
            element = element.min(own);
            let count = ty.width / own;
            let mut wanted = Vec::new();
            let mut packed = 0;
            for index in 0..count {
                let expression = match (&wish.each, &wish.elements) {
                    (Some(each), None) => each,
                    (None, Some(elements)) if elements.len() <= count as usize => {
                        match elements.get(index as usize) {
                            Some(expression) if expression.get_ref().trim() != "?" => expression,
                            _ => continue,
                        }
                    }
                    (None, Some(elements)) => {
                        let message = format!("{} elements given, the register has {count}", elements.len());
                        return Err(GoalError::at(text, wish.name.span().start, message));
                    }
                    _ => {
                        let message = "an output needs either `each` or `elements`";
                        return Err(GoalError::at(text, wish.name.span().start, message));
                    }
                };
                let indices = vec![("i".to_owned(), i64::from(index)), ("n".to_owned(), i64::from(count))];
                let mut evaluator = Evaluator { dag: &mut dag, inputs: &inputs, indices };
                let node = parse(expression.get_ref())
                    .and_then(|parsed| evaluator.node(&parsed))
                    .map_err(|fault| place(text, expression, &fault))?;
                let value = lowering
                    .lower(&dag, node, own, &mut function)
                    .map_err(|error| GoalError::at(text, expression.span().start, error.to_string()))?;
                let result = ResultId(position as u32);
                function.body.push(Stmt::Assign { result, low: packed.into(), value });
                wanted.push(Wanted { low: index * own, width: own });
                packed += own;
            }
            if wanted.is_empty() {
                return Err(GoalError::at(text, wish.name.span().start, "the output wants nothing"));
            }
            let name = self.name_of(text, &wish.name)?;
            function.results.push(ResultSlot { name: name.clone(), width: packed.into() });
            outputs.push(Output { name, ty, wanted });
        }
        Ok(Goal { name: self.name.clone(), inputs, outputs, element, function })
    }

    fn inputs(&self, text: &str, width: u32) -> Result<Vec<Input>, GoalError> {
        let mut inputs: Vec<Input> = Vec::new();
        for register in &self.input {
            let at = register.name.span().start;
            let name = self.name_of(text, &register.name)?;
            if inputs.iter().any(|known| known.name == name) || ["i", "n"].contains(&name.as_str()) {
                return Err(GoalError::at(text, at, format!("the name `{name}` is taken")));
            }
            let (ty, element) =
                self.shape(text, register.class, &register.width, &register.element, width, at)?;
            let constant = match &register.constant {
                None => None,
                Some(expression) if ty.class == Class::Memory => {
                    let message = "what is in memory is not known beforehand";
                    return Err(GoalError::at(text, expression.span().start, message));
                }
                Some(expression) => Some(constant(text, expression, ty, element)?),
            };
            inputs.push(Input { name, ty, element, constant });
            if inputs.iter().filter(|input| input.ty.class == Class::Memory).count() > MAX_POINTERS {
                return Err(GoalError::at(text, at, format!("more than {MAX_POINTERS} inputs in memory")));
            }
        }
        Ok(inputs)
    }

    fn name_of(&self, text: &str, name: &Spanned<String>) -> Result<String, GoalError> {
        let legal = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let ok = name.get_ref().starts_with(|c: char| c.is_ascii_alphabetic())
            && name.get_ref().chars().all(legal);
        if ok {
            return Ok(name.get_ref().clone());
        }
        Err(GoalError::at(
            text,
            name.span().start,
            "a register's name is a letter, then letters, digits or `_`",
        ))
    }

    fn shape(
        &self,
        text: &str,
        class: Option<Class>,
        own: &Option<Spanned<u32>>,
        element: &Option<Spanned<u32>>,
        width: u32,
        at: usize,
    ) -> Result<(Type, u32), GoalError> {
        let class = class.unwrap_or(Class::Vector);
        let given = element.as_ref().unwrap_or(&self.element);
        let width = match (own, class) {
            (Some(own), _) => *own.get_ref(),
            (None, Class::Vector | Class::Memory) => width,
            (None, _) => *given.get_ref(),
        };
        let element = match (class, element) {
            (Class::Scalar, None) => width,
            _ => *given.get_ref(),
        };
        if width == 0 || width > MAX_WIDTH || !width.is_multiple_of(8) {
            let message = format!("a width of {width} bits: it must be a multiple of 8 up to {MAX_WIDTH}");
            return Err(GoalError::at(text, own.as_ref().map_or(at, |own| own.span().start), message));
        }
        let whole_bytes = class == Class::Mask || element.is_multiple_of(8);
        if element == 0 || !width.is_multiple_of(element) || !whole_bytes {
            let message = format!("elements of {element} bits in a register of {width}");
            return Err(GoalError::at(text, given.span().start, message));
        }
        Ok((Type { class, width }, element))
    }
}

/// The bits of a register whose elements an expression of `i` and `n` gives.
fn constant(text: &str, expression: &Spanned<String>, ty: Type, element: u32) -> Result<Bits, GoalError> {
    let parsed = parse(expression.get_ref()).map_err(|fault| place(text, expression, &fault))?;
    let count = ty.width / element;
    let mut function = Function::new("constant");
    function.results.push(ResultSlot { name: "bits".into(), width: ty.width.into() });
    let mut dag = Dag::new(Vec::new());
    let mut lowering = Lowering::default();
    for index in 0..count {
        let indices = vec![("i".to_owned(), i64::from(index)), ("n".to_owned(), i64::from(count))];
        let mut evaluator = Evaluator { dag: &mut dag, inputs: &[], indices };
        let node = evaluator.node(&parsed).map_err(|fault| place(text, expression, &fault))?;
        let value = lowering
            .lower(&dag, node, element, &mut function)
            .map_err(|error| GoalError::at(text, expression.span().start, error.to_string()))?;
        function.body.push(Stmt::Assign { result: ResultId(0), low: (index * element).into(), value });
    }
    let bits = interp::evaluate(&function, &[]).ok().and_then(|mut results| results.pop());
    bits.ok_or_else(|| GoalError::at(text, expression.span().start, "the constant cannot be computed"))
}

/// The location of a fault inside a TOML string, after its opening quotes.
fn place(text: &str, expression: &Spanned<String>, fault: &Fault) -> GoalError {
    let span = expression.span();
    let source = text.get(span.clone()).unwrap_or("");
    let quotes = source.len() - source.trim_start_matches(['"', '\'']).len();
    GoalError::at(text, span.start + quotes.min(3) + fault.offset, fault.message.clone())
}
