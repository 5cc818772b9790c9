//! The text form of expressions: `(add:u16x8 v0:u16x8 (broadcast:u16x8 3:u16))`.

use std::collections::BTreeMap;

use super::expression::{Expression, ExpressionId, Expressions, Lanewise, Operator, Reduce};
use super::types::{Kind, Type};

/// How deep operations nest.
const MAX_DEPTH: usize = 256;

/// Nodes of one expression, at most.
const MAX_NODES: usize = 20_000;

/// What is wrong with an expression, and the byte where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextError {
    /// Offset in the text, in bytes.
    pub at: usize,
    /// What is wrong.
    pub message: String,
}

/// The names that an expression may use: for each leaf its position and its type.
pub type Names<'a> = BTreeMap<&'a str, (usize, Type)>;

/// Reads one expression into the arena.
pub fn parse(text: &str, names: &Names<'_>, into: &mut Expressions) -> Result<ExpressionId, TextError> {
    let mut reader = Reader { text, at: 0, names, bound: Vec::new(), into, depth: 0 };
    let root = reader.expression()?;
    reader.skip();
    match reader.at == text.len() {
        true => Ok(root),
        false => reader.fail(reader.at, "the expression ended here, and more follows"),
    }
}

struct Reader<'a, 'n> {
    text: &'a str,
    at: usize,
    names: &'a Names<'n>,
    /// What `let` binds, innermost last.
    bound: Vec<(&'a str, ExpressionId)>,
    into: &'a mut Expressions,
    depth: usize,
}

impl<'a> Reader<'a, '_> {
    fn fail<T>(&self, at: usize, message: impl Into<String>) -> Result<T, TextError> {
        Err(TextError { at, message: message.into() })
    }

    fn skip(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    }

    fn peek(&mut self) -> Option<u8> {
        self.skip();
        self.text.as_bytes().get(self.at).copied()
    }

    fn token(&mut self) -> (usize, &'a str) {
        self.skip();
        let start = self.at;
        let rest = &self.text[start..];
        let end = rest.find(|c: char| c.is_whitespace() || "()[],".contains(c)).unwrap_or(rest.len());
        self.at += end;
        (start, &rest[..end])
    }

    fn close(&mut self, open: usize) -> Result<(), TextError> {
        match self.peek() {
            Some(b')') => {
                self.at += 1;
                Ok(())
            }
            Some(_) => self.fail(self.at, "`)` expected: too many operands"),
            None => self.fail(open, "this `(` is not closed"),
        }
    }

    fn expression(&mut self) -> Result<ExpressionId, TextError> {
        if self.depth >= MAX_DEPTH {
            return self.fail(self.at, format!("operations nest deeper than {MAX_DEPTH}"));
        }
        if self.into.len() >= MAX_NODES {
            return self.fail(self.at, format!("more than {MAX_NODES} operations"));
        }
        self.depth += 1;
        let found = match self.peek() {
            Some(b'(') => self.operation(),
            Some(_) => self.atom(),
            None => self.fail(self.at, "an expression is missing"),
        };
        self.depth -= 1;
        found
    }

    fn atom(&mut self) -> Result<ExpressionId, TextError> {
        let (start, token) = self.token();
        let Some((name, ty)) = token.split_once(':') else {
            return self.fail(start, format!("`{token}` has no type: NAME:TYPE or NUMBER:TYPE expected"));
        };
        let Some(ty) = Type::parse(ty) else {
            return self.fail(start + name.len() + 1, format!("`{ty}` is no type"));
        };
        if name.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
            let Ok(value) = name.parse::<i128>() else {
                return self.fail(start, format!("`{name}` is no integer"));
            };
            if ty.lanes != 1 {
                return self.fail(start, "a literal is a scalar; `broadcast` makes a vector of it");
            }
            let (low, high) = limits(ty);
            if !(low..=high).contains(&value) {
                return self.fail(start, format!("{value} is not among the values of {ty}"));
            }
            return Ok(self.into.push(Expression {
                operator: Operator::Literal(value),
                operands: vec![],
                ty,
            }));
        }
        let known = self.bound.iter().rev().find(|(bound, _)| *bound == name).map(|(_, id)| *id);
        let (declared, id) = match (known, self.names.get(name)) {
            (Some(id), _) => (self.into.ty(id), Ok(id)),
            (None, Some((position, ty))) => (*ty, Err(*position)),
            (None, None) => return self.fail(start, format!("there is no leaf `{name}`")),
        };
        if declared != ty {
            return self.fail(start, format!("`{name}` is {declared}, not {ty}"));
        }
        Ok(match id {
            Ok(id) => id,
            Err(position) => {
                self.into.push(Expression { operator: Operator::Leaf(position), operands: vec![], ty })
            }
        })
    }

    fn operation(&mut self) -> Result<ExpressionId, TextError> {
        let open = self.at;
        self.at += 1;
        let (start, head) = self.token();
        if head == "let" {
            return self.binding(open);
        }
        let Some((name, ty)) = head.split_once(':') else {
            return self.fail(start, format!("`{head}` has no type: OPERATION:TYPE expected"));
        };
        let Some(ty) = Type::parse(ty) else {
            return self.fail(start + name.len() + 1, format!("`{ty}` is no type"));
        };
        let (mut operands, mut indices) = (Vec::new(), None);
        loop {
            match self.peek() {
                Some(b')') | None => break,
                Some(b'[') if indices.is_none() => indices = Some(self.indices()?),
                Some(_) => operands.push(self.expression()?),
            }
        }
        self.close(open)?;
        let types: Vec<Type> = operands.iter().map(|operand| self.into.ty(*operand)).collect();
        let operator = match (name, indices) {
            ("shuffle", Some(indices)) => Operator::Shuffle(indices),
            ("shuffle", None) => return self.fail(start, "`shuffle` needs a list of lanes: [0,1,…]"),
            (_, Some(_)) => return self.fail(start, format!("`{name}` takes no list of lanes")),
            ("broadcast", None) => Operator::Broadcast,
            ("concat", None) => Operator::Concat,
            ("interleave", None) => Operator::Interleave,
            (_, None) => match (
                Lanewise::ALL.iter().find(|(_, own, _)| *own == name),
                Reduce::ALL.iter().find(|(_, own)| *own == name),
            ) {
                (Some((operator, _, _)), _) => Operator::Lanewise(*operator),
                (None, Some((reduce, _))) => Operator::Reduce(*reduce),
                (None, None) => return self.fail(start, format!("there is no operation `{name}`")),
            },
        };
        if let Err(message) = check(&operator, ty, &types) {
            return self.fail(start, format!("`{name}`: {message}"));
        }
        Ok(self.into.push(Expression { operator, operands, ty }))
    }

    /// `(let NAME VALUE BODY)`; the name is bound in the body alone.
    fn binding(&mut self, open: usize) -> Result<ExpressionId, TextError> {
        let (start, name) = self.token();
        let name = name.split(':').next().unwrap_or_default();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            return self.fail(start, "a name expected after `let`");
        }
        let value = self.expression()?;
        self.bound.push((name, value));
        let body = self.expression();
        self.bound.pop();
        let body = body?;
        self.close(open)?;
        Ok(body)
    }

    fn indices(&mut self) -> Result<Vec<u32>, TextError> {
        let open = self.at;
        self.at += 1;
        let mut indices = Vec::new();
        loop {
            match self.peek() {
                Some(b']') => {
                    self.at += 1;
                    return Ok(indices);
                }
                Some(b',') => self.at += 1,
                Some(b'(' | b')' | b'[') => return self.fail(self.at, "a lane's number expected"),
                Some(_) => {
                    let (start, token) = self.token();
                    match token.parse() {
                        Ok(index) if indices.len() < super::types::MAX_LANES as usize => indices.push(index),
                        _ => return self.fail(start, format!("`{token}` is no lane's number")),
                    }
                }
                None => return self.fail(open, "this `[` is not closed"),
            }
        }
    }
}

/// The least and the greatest value of a type's elements.
pub fn limits(ty: Type) -> (i128, i128) {
    match ty.kind {
        Kind::Signed => (-(1 << (ty.width - 1)), (1 << (ty.width - 1)) - 1),
        Kind::Unsigned | Kind::Condition => (0, (1 << ty.width) - 1),
    }
}

/// The text form of an expression, in which leaves have the names that `name` gives them; what occurs twice is written
/// twice. [`parse`] reads it, unless it has lanes that are functions of elements, which have no text form (`forms`).
pub fn print(expressions: &Expressions, id: ExpressionId, name: &dyn Fn(usize) -> String) -> String {
    let node = expressions.get(id);
    let (head, indices) = match &node.operator {
        Operator::Leaf(leaf) => return format!("{}:{}", name(*leaf), node.ty),
        Operator::Literal(value) => return format!("{value}:{}", node.ty),
        Operator::Lanewise(own) => {
            (Lanewise::ALL.iter().find(|(other, _, _)| other == own).map_or("", |found| found.1), None)
        }
        Operator::Broadcast => ("broadcast", None),
        Operator::Shuffle(indices) => ("shuffle", Some(indices)),
        Operator::Concat => ("concat", None),
        Operator::Interleave => ("interleave", None),
        Operator::Reduce(reduce) => (reduce.name(), None),
        Operator::Forms(_) => ("forms", None),
    };
    let mut text = format!("({head}:{}", node.ty);
    for operand in &node.operands {
        text.push(' ');
        text += &print(expressions, *operand, name);
    }
    if let Some(indices) = indices {
        let indices: Vec<String> = indices.iter().map(ToString::to_string).collect();
        text += &format!(" [{}]", indices.join(","));
    }
    text + ")"
}

/// Whether operand types fit an operation and its result, or why not.
fn check(operator: &Operator, ty: Type, operands: &[Type]) -> Result<(), String> {
    let count = |wanted: usize| match operands.len() == wanted {
        true => Ok(()),
        false => Err(format!("{} operands, {wanted} expected", operands.len())),
    };
    let lanes: u32 = operands.iter().map(|operand| operand.lanes).sum();
    let same_elements = operands.iter().all(|own| (own.kind, own.width) == (ty.kind, ty.width));
    match operator {
        Operator::Leaf(_) | Operator::Literal(_) | Operator::Forms(_) => Ok(()),
        Operator::Lanewise(own) => {
            let wanted = Lanewise::ALL.iter().find(|(other, _, _)| other == own).map_or(0, |found| found.2);
            count(wanted)?;
            if let Some(other) = operands.iter().find(|operand| operand.lanes != ty.lanes) {
                return Err(format!("an operand {other} for a result {ty}: the lanes differ"));
            }
            let compares = matches!(own, Lanewise::Eq | Lanewise::Ne | Lanewise::Lt | Lanewise::Le);
            if compares && ty.kind != Kind::Condition {
                return Err(format!("the result {ty} is no condition"));
            }
            if *own == Lanewise::Select && operands[0].kind != Kind::Condition {
                return Err(format!("{} is no condition", operands[0]));
            }
            if *own == Lanewise::Reinterpret && operands[0].width != ty.width {
                return Err(format!("{} as {ty}: the widths differ", operands[0]));
            }
            Ok(())
        }
        Operator::Broadcast => {
            count(1)?;
            match operands[0].lanes == 1 && same_elements {
                true => Ok(()),
                false => Err(format!("{} in every lane of {ty}", operands[0])),
            }
        }
        Operator::Shuffle(indices) => {
            if operands.is_empty() || !same_elements {
                return Err(format!("operands with elements other than those of {ty}"));
            }
            if indices.len() != ty.lanes as usize {
                return Err(format!("{} lanes are named for a result {ty}", indices.len()));
            }
            match indices.iter().find(|index| **index >= lanes) {
                Some(index) => Err(format!("lane {index} of {lanes}")),
                None => Ok(()),
            }
        }
        Operator::Concat | Operator::Interleave => {
            if operands.is_empty() || !same_elements || lanes != ty.lanes {
                return Err(format!("the operands do not make up {ty}"));
            }
            let even = operands.iter().all(|operand| operand.lanes == operands[0].lanes);
            if *operator == Operator::Interleave && !even {
                return Err("operands with different numbers of lanes".into());
            }
            Ok(())
        }
        Operator::Reduce(_) => {
            count(1)?;
            match operands[0].lanes.is_multiple_of(ty.lanes) {
                true => Ok(()),
                false => Err(format!("{} in groups of {ty}", operands[0])),
            }
        }
    }
}
