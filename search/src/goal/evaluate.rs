//! Goal expressions to exact integers over the inputs.

use hydride_ir::exact::{Dag, NodeId};

use super::Input;
use super::expression::{Expression, Fault};

/// Repetitions of one `sum`, `min_of` or `max_of`.
const MAX_REPETITIONS: i64 = 1024;

/// Evaluates expressions over inputs; the inputs' positions are the arguments of the graph.
pub(super) struct Evaluator<'a> {
    pub(super) dag: &'a mut Dag,
    pub(super) inputs: &'a [Input],
    /// Indices in scope with their values, innermost last.
    pub(super) indices: Vec<(String, i64)>,
}

/// A value with its width when it is an element of an input.
struct Value {
    node: NodeId,
    width: Option<u32>,
}

impl Evaluator<'_> {
    /// The value of an expression.
    pub(super) fn node(&mut self, expression: &Expression) -> Result<NodeId, Fault> {
        Ok(self.value(expression)?.node)
    }

    fn value(&mut self, expression: &Expression) -> Result<Value, Fault> {
        let node = match expression {
            Expression::Integer(value) => self.dag.int(*value),
            Expression::Name(name, at) => {
                if let Some((_, value)) = self.indices.iter().rev().find(|(index, _)| index == name) {
                    self.dag.int(*value)
                } else {
                    let input = self.inputs.iter().find(|input| input.name == *name);
                    return match input {
                        Some(input) if input.element == input.ty.width => self.element(name, 0, *at),
                        Some(_) => Fault::new(*at, format!("`{name}` has several elements: `{name}[…]`")),
                        None => Fault::new(*at, format!("there is no input or index `{name}`")),
                    };
                }
            }
            Expression::Element(name, index, at) => {
                let index = self.constant(index, *at)?;
                return self.element(name, index, *at);
            }
            Expression::Unary(operator, of) => {
                let of = self.node(of)?;
                if *operator == '-' { self.dag.neg(of) } else { self.dag.not(of) }
            }
            Expression::Binary(operator, left, right, at) => self.binary(operator, left, right, *at)?,
            Expression::Choice(condition, then, otherwise) => {
                let condition = self.node(condition)?;
                // Only the branch that is taken has to make sense.
                match self.dag.as_i64(condition) {
                    Some(0) => self.node(otherwise)?,
                    Some(_) => self.node(then)?,
                    None => {
                        let (then, otherwise) = (self.node(then)?, self.node(otherwise)?);
                        let zero = self.dag.int(0);
                        let condition = self.dag.ne(condition, zero);
                        self.dag.select(condition, then, otherwise)
                    }
                }
            }
            Expression::Call(name, arguments, at) => self.call(name, arguments, *at)?,
        };
        Ok(Value { node, width: None })
    }

    fn constant(&mut self, expression: &Expression, at: usize) -> Result<i64, Fault> {
        let node = self.node(expression)?;
        match self.dag.as_i64(node) {
            Some(value) => Ok(value),
            None => Fault::new(at, "a position, width or count must not depend on the inputs"),
        }
    }

    fn element(&mut self, name: &str, index: i64, at: usize) -> Result<Value, Fault> {
        let Some(position) = self.inputs.iter().position(|input| input.name == name) else {
            return Fault::new(at, format!("there is no input `{name}`"));
        };
        let input = &self.inputs[position];
        let count = i64::from(input.ty.width / input.element);
        if !(0..count).contains(&index) {
            return Fault::new(at, format!("`{name}` has elements 0 to {}, not {index}", count - 1));
        }
        let low = index as u32 * input.element;
        let width = input.element;
        Ok(Value { node: self.dag.arg_slice(position as u32, low, width, false), width: Some(width) })
    }

    fn binary(
        &mut self,
        operator: &str,
        left: &Expression,
        right: &Expression,
        at: usize,
    ) -> Result<NodeId, Fault> {
        let (left, right) = (self.node(left)?, self.node(right)?);
        let dag = &mut *self.dag;
        let constants = (dag.as_i64(left), dag.as_i64(right));
        Ok(match operator {
            "==" => dag.eq(left, right),
            "!=" => dag.ne(left, right),
            "<" => dag.lt(left, right),
            "<=" => dag.le(left, right),
            ">" => dag.lt(right, left),
            ">=" => dag.le(right, left),
            "|" => dag.or(left, right),
            "^" => dag.xor(left, right),
            "&" => dag.and(left, right),
            "<<" | ">>" => {
                if !constants.1.is_some_and(|count| (0..=64).contains(&count)) {
                    return Fault::new(at, "a shift count must be a constant of 0 to 64");
                }
                if operator == "<<" { dag.shl(left, right) } else { dag.shr(left, right) }
            }
            "+" => dag.sum(&[left, right]),
            "-" => dag.sub(left, right),
            "*" => dag.mul(left, right),
            _ => match constants {
                (Some(left), Some(right)) if right != 0 && left >= 0 && right > 0 => {
                    dag.int(if operator == "/" { left / right } else { left % right })
                }
                _ => return Fault::new(at, format!("`{operator}` needs constants, the right one above 0")),
            },
        })
    }

    fn call(&mut self, name: &str, arguments: &[Expression], at: usize) -> Result<NodeId, Fault> {
        match (name, arguments) {
            ("s", [of]) => {
                let value = self.value(of)?;
                match value.width {
                    Some(width) => Ok(self.dag.slice(value.node, 0, width, true)),
                    None => Fault::new(at, "`s` of one argument needs an element; else `s(value, width)`"),
                }
            }
            ("s" | "u" | "sat_s" | "sat_u", [of, width]) => {
                let of = self.node(of)?;
                let width = self.width(width, at)?;
                Ok(match name {
                    "s" => self.dag.slice(of, 0, width, true),
                    "u" => self.dag.slice(of, 0, width, false),
                    _ => self.dag.saturate(of, width, name == "sat_s"),
                })
            }
            ("abs", [of]) => {
                let of = self.node(of)?;
                Ok(self.dag.abs(of))
            }
            ("min" | "max", [left, right]) => {
                let (left, right) = (self.node(left)?, self.node(right)?);
                Ok(if name == "min" { self.dag.min(left, right) } else { self.dag.max(left, right) })
            }
            ("sum" | "min_of" | "max_of", [Expression::Name(index, _), from, to, of]) => {
                let (from, to) = (self.constant(from, at)?, self.constant(to, at)?);
                if from >= to || to - from > MAX_REPETITIONS {
                    return Fault::new(at, format!("`{name}` needs 1 to {MAX_REPETITIONS} repetitions"));
                }
                let mut joined = None;
                for value in from..to {
                    self.indices.push((index.clone(), value));
                    let next = self.node(of);
                    self.indices.pop();
                    let next = next?;
                    joined = Some(match joined {
                        None => next,
                        Some(joined) if name == "sum" => self.dag.sum(&[joined, next]),
                        Some(joined) if name == "min_of" => self.dag.min(joined, next),
                        Some(joined) => self.dag.max(joined, next),
                    });
                }
                joined.ok_or_else(|| Fault { offset: at, message: "no repetition".into() })
            }
            _ => Fault::new(
                at,
                format!(
                    "there is no function `{name}` of {} arguments; there are s(e), s(e, w), u(e, w), sat_s(e, w), \
                     sat_u(e, w), abs(e), min(a, b), max(a, b), sum(j, from, to, e), min_of, max_of",
                    arguments.len()
                ),
            ),
        }
    }

    fn width(&mut self, expression: &Expression, at: usize) -> Result<u32, Fault> {
        match self.constant(expression, at)? {
            width @ 1..=128 => Ok(width as u32),
            width => Fault::new(at, format!("a width of {width} is not in 1 to 128")),
        }
    }
}
