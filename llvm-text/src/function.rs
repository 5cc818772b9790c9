//! Functions and their lines.

use std::fmt;

use crate::instruction::{Instruction, list};
use crate::types::Type;
use crate::value::{Operand, Value};

/// A line of a function.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Statement {
    /// The value that it defines, if any.
    pub result: Option<Value>,
    /// The instruction.
    pub instruction: Instruction,
}

impl Statement {
    /// A line that defines no value.
    pub fn without_result(instruction: Instruction) -> Self {
        Self { result: None, instruction }
    }

    /// The line of a text.
    pub fn read(line: &str) -> Self {
        match line.split_once(" = ").filter(|(result, _)| result.starts_with('%')) {
            Some((result, text)) => {
                Self { result: Some(Value::read(result)), instruction: Instruction::read(text) }
            }
            None => Self::without_result(Instruction::read(line)),
        }
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.result {
            Some(result) => write!(out, "{result} = {}", self.instruction),
            None => self.instruction.fmt(out),
        }
    }
}

/// The lines of a function under construction. New values are named by a prefix and a number.
#[derive(Debug)]
pub struct Block {
    statements: Vec<Statement>,
    prefix: &'static str,
    next: usize,
}

impl Block {
    /// A function without lines; no other name in it begins with `prefix` and a digit.
    pub fn new(prefix: &'static str) -> Self {
        Self { statements: Vec::new(), prefix, next: 0 }
    }

    /// Adds an instruction, and returns its result under a new name.
    pub fn push(&mut self, instruction: Instruction) -> Value {
        let result = Value::Local(format!("{}{}", self.prefix, self.next));
        self.next += 1;
        self.define(result.clone(), instruction);
        result
    }

    /// Adds an instruction whose result has a given name.
    pub fn define(&mut self, result: Value, instruction: Instruction) {
        self.statements.push(Statement { result: Some(result), instruction });
    }

    /// Adds an instruction without a result.
    pub fn add(&mut self, instruction: Instruction) {
        self.statements.push(Statement::without_result(instruction));
    }

    /// Adds lines.
    pub fn extend(&mut self, lines: impl IntoIterator<Item = Statement>) {
        self.statements.extend(lines);
    }

    /// The lines so far.
    pub fn statements(&self) -> &[Statement] {
        &self.statements
    }

    /// The lines.
    pub fn into_statements(self) -> Vec<Statement> {
        self.statements
    }
}

/// A definition of a function.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Function<'a> {
    /// The linkage (`internal`); empty for that of functions that others may call.
    pub linkage: &'a str,
    /// The type of the result.
    pub result: &'a Type,
    /// The name without `@`.
    pub name: &'a str,
    /// The parameters.
    pub parameters: &'a [Operand],
    /// What is between the parameters and the body (`alwaysinline`); empty if there is nothing.
    pub attributes: &'a str,
    /// The lines.
    pub body: &'a [Statement],
}

impl fmt::Display for Function<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { linkage, result, name, parameters, attributes, body } = self;
        let space = |word: &str| if word.is_empty() { "" } else { " " };
        write!(out, "define {linkage}{}{result} @{name}({})", space(linkage), list(parameters))?;
        writeln!(out, "{}{attributes} {{", space(attributes))?;
        for statement in *body {
            let indent = if matches!(statement.instruction, Instruction::Label(_)) { "" } else { "  " };
            writeln!(out, "{indent}{statement}")?;
        }
        out.write_str("}\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_laid_out() {
        let byte = Type::integer(8);
        let parameters = ["a", "b"].map(|name| Operand::new(byte.clone(), Value::local(name)));
        let [left, right] = parameters.each_ref().map(|parameter| parameter.value.clone());
        let mut block = Block::new(".");
        block.add(Instruction::Label("start".to_owned()));
        let sum = block.push(Instruction::binary("add", byte.clone(), left, right));
        block.add(Instruction::Return(Some(Operand::new(byte.clone(), sum))));
        let mut function = Function {
            linkage: "internal",
            result: &byte,
            name: "f",
            parameters: &parameters,
            attributes: "alwaysinline",
            body: block.statements(),
        };
        let body = "start:\n  %.0 = add i8 %a, %b\n  ret i8 %.0\n}\n";
        let head = "define internal i8 @f(i8 %a, i8 %b) alwaysinline {\n";
        assert_eq!(function.to_string(), format!("{head}{body}"));
        (function.linkage, function.attributes) = ("", "");
        assert_eq!(function.to_string(), format!("define i8 @f(i8 %a, i8 %b) {{\n{body}"));
    }

    #[test]
    fn lines_are_read_back() {
        for line in ["%v0 = add i8 %a, %b", "ret i8 %v0", "%v1 = freeze i8 %a", "b0:"] {
            assert_eq!(Statement::read(line).to_string(), line);
        }
        assert_eq!(Statement::read("%v0 = add i8 %a, %b").result, Some(Value::local("v0")));
    }
}
