//! What constant registers hold: numbers, and functions of variables that are the same in all lanes.

use hydride_ir::exact::{Dag, Int, Node, NodeId, Part};
use serde::{Deserialize, Serialize};
use synth::window::Meaning;

use crate::bindings::{Bindings, Number};

/// How deep values nest.
const MAX_DEPTH: usize = 12;

/// Widths that slices and parts have at most.
const MAX_WIDTH: u32 = 256;

/// The value of a constant's container.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum Scalar {
    /// A number, which wraps to the container.
    Number(Number),
    /// All bits of a variable.
    Variable {
        /// Its name.
        variable: String,
    },
    /// Bits of a value.
    Bits {
        /// The value.
        of: Box<Scalar>,
        /// The lowest bit.
        low: u32,
        /// Number of bits.
        width: u32,
        /// Whether they are read in two's complement.
        #[serde(default)]
        signed: bool,
    },
    /// Values side by side, lowest first.
    Concat {
        /// The values with their widths.
        parts: Vec<(Scalar, u32)>,
    },
    /// A sum of multiples.
    Sum {
        /// Values with their factors.
        terms: Vec<(Scalar, i64)>,
        /// What is added.
        plus: i64,
    },
    /// A product.
    Product {
        /// The factors.
        factors: Vec<Scalar>,
    },
    /// The least or the greatest of some values.
    Extreme {
        /// Whether it is the greatest.
        max: bool,
        /// The values.
        values: Vec<Scalar>,
    },
    /// 1 where a value is less than another one, else 0.
    Less {
        /// The one that is less.
        left: Box<Scalar>,
        /// The other one.
        right: Box<Scalar>,
    },
    /// One of two values.
    Choice {
        /// Where this is not 0, the first one.
        condition: Box<Scalar>,
        /// The first one.
        then: Box<Scalar>,
        /// The other one.
        otherwise: Box<Scalar>,
    },
    /// A value shifted by another one.
    Shift {
        /// The value.
        value: Box<Scalar>,
        /// The count.
        by: Box<Scalar>,
        /// Whether it is to the left.
        left: bool,
    },
}

impl Scalar {
    /// A node over leaves that are the same in all lanes; `None` for what has no such form.
    pub fn of_node(meaning: &Meaning<'_>, node: NodeId) -> Option<Self> {
        Self::at_depth(meaning, node, 0)
    }

    fn at_depth(meaning: &Meaning<'_>, node: NodeId, depth: usize) -> Option<Self> {
        if depth > MAX_DEPTH {
            return None;
        }
        let own = |node: NodeId| Self::at_depth(meaning, node, depth + 1);
        let all = |nodes: &[NodeId]| nodes.iter().map(|node| own(*node)).collect::<Option<Vec<_>>>();
        Some(match meaning.dag.node(node) {
            Node::Const(value) => Scalar::Number(Number(value.to_string())),
            Node::Arg(arg) => {
                let leaf = match meaning.sample(*arg) {
                    Some(elements) => elements.first()?.leaf,
                    None => *arg,
                };
                let leaf = meaning.window().leaves.get(leaf as usize).filter(|leaf| leaf.scalar)?;
                Scalar::Variable { variable: leaf.name.clone() }
            }
            Node::Slice { of, low, width, signed } => {
                Scalar::Bits { of: Box::new(own(*of)?), low: *low, width: *width, signed: *signed }
            }
            Node::Concat(parts) => Scalar::Concat {
                parts: parts
                    .iter()
                    .map(|part| Some((own(part.node)?, part.width)))
                    .collect::<Option<Vec<_>>>()?,
            },
            Node::Sum { terms, constant } => Scalar::Sum {
                terms: terms
                    .iter()
                    .map(|(term, factor)| Some((own(*term)?, i64::try_from(factor).ok()?)))
                    .collect::<Option<Vec<_>>>()?,
                plus: i64::try_from(constant).ok()?,
            },
            Node::Mul(factors) => Scalar::Product { factors: all(factors)? },
            Node::Saturate { of, width, signed } if *width <= 64 => {
                let half = 1i128 << (width - u32::from(*signed));
                let number = |value: i128| Scalar::Number(Number(value.to_string()));
                let raised = vec![own(*of)?, number(if *signed { -half } else { 0 })];
                let raised = Scalar::Extreme { max: true, values: raised };
                Scalar::Extreme { max: false, values: vec![raised, number(half - 1)] }
            }
            Node::Min(values) => Scalar::Extreme { max: false, values: all(values)? },
            Node::Max(values) => Scalar::Extreme { max: true, values: all(values)? },
            Node::Lt(left, right) => {
                Scalar::Less { left: Box::new(own(*left)?), right: Box::new(own(*right)?) }
            }
            Node::Select(condition, then, otherwise) => Scalar::Choice {
                condition: Box::new(own(*condition)?),
                then: Box::new(own(*then)?),
                otherwise: Box::new(own(*otherwise)?),
            },
            Node::Shl(value, by) => {
                Scalar::Shift { value: Box::new(own(*value)?), by: Box::new(own(*by)?), left: true }
            }
            Node::Shr(value, by) => {
                Scalar::Shift { value: Box::new(own(*value)?), by: Box::new(own(*by)?), left: false }
            }
            _ => return None,
        })
    }

    /// The value as a node within a container of so many bits.
    pub fn node(&self, dag: &mut Dag, container: u32, bindings: &Bindings<'_>) -> Option<NodeId> {
        let value = self.exact(dag, bindings, 0)?;
        Some(dag.slice(value, 0, container, false))
    }

    fn exact(&self, dag: &mut Dag, bindings: &Bindings<'_>, depth: usize) -> Option<NodeId> {
        if depth > MAX_DEPTH {
            return None;
        }
        let all = |dag: &mut Dag, values: &[Scalar]| {
            values.iter().map(|value| value.exact(dag, bindings, depth + 1)).collect::<Option<Vec<_>>>()
        };
        Some(match self {
            Scalar::Number(number) => dag.int(number.value(bindings.constants)?),
            Scalar::Variable { variable } => match (bindings.uniforms)(variable) {
                Some(node) => node,
                None => dag.int((bindings.constants)(variable)?),
            },
            Scalar::Bits { of, low, width, signed } => {
                let of = of.exact(dag, bindings, depth + 1)?;
                if !(1..=MAX_WIDTH).contains(width) || *low > MAX_WIDTH {
                    return None;
                }
                dag.slice(of, *low, *width, *signed)
            }
            Scalar::Concat { parts } => {
                let mut made = Vec::new();
                for (part, width) in parts {
                    let node = part.exact(dag, bindings, depth + 1)?;
                    if !(1..=MAX_WIDTH).contains(width) {
                        return None;
                    }
                    made.push(Part { node: dag.slice(node, 0, *width, false), width: *width });
                }
                dag.concat(&made)
            }
            Scalar::Sum { terms, plus } => {
                let mut made = Vec::new();
                for (term, factor) in terms {
                    made.push((term.exact(dag, bindings, depth + 1)?, Int::from(*factor)));
                }
                dag.linear(&made, Int::from(*plus))
            }
            Scalar::Product { factors } => {
                let factors = all(dag, factors)?;
                factors.into_iter().reduce(|left, right| dag.mul(left, right))?
            }
            Scalar::Extreme { max, values } => {
                let values = all(dag, values)?;
                let join = |left, right| if *max { dag.max(left, right) } else { dag.min(left, right) };
                values.into_iter().reduce(join)?
            }
            Scalar::Less { left, right } => {
                let (left, right) =
                    (left.exact(dag, bindings, depth + 1)?, right.exact(dag, bindings, depth + 1)?);
                dag.lt(left, right)
            }
            Scalar::Choice { condition, then, otherwise } => {
                let condition = condition.exact(dag, bindings, depth + 1)?;
                let range = dag.range(condition);
                let is_bit =
                    range.is_non_negative() && range.high.as_ref().is_some_and(|high| *high <= Int::from(1));
                let then = then.exact(dag, bindings, depth + 1)?;
                let otherwise = otherwise.exact(dag, bindings, depth + 1)?;
                is_bit.then(|| dag.select(condition, then, otherwise))?
            }
            Scalar::Shift { value, by, left } => {
                let (value, by) =
                    (value.exact(dag, bindings, depth + 1)?, by.exact(dag, bindings, depth + 1)?);
                let range = dag.range(by);
                if !range.is_non_negative()
                    || range.high.as_ref().is_none_or(|high| *high > Int::from(MAX_WIDTH))
                {
                    return None;
                }
                if *left { dag.shl(value, by) } else { dag.shr(value, by) }
            }
        })
    }

    /// The same with numbers changed.
    pub fn with_numbers(&self, change: &mut dyn FnMut(&Number) -> Option<Number>) -> Option<Self> {
        match self {
            Scalar::Number(number) => Some(Scalar::Number(change(number)?)),
            other => Some(other.clone()),
        }
    }
}
