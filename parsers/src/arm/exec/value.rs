//! Values and variables of ASL on the graph of exact integers.

use std::collections::BTreeMap;

use hydride_ir::exact::{Dag, Int, Node, NodeId, Register};

use crate::arm::asl::ast::Name;
use crate::pseudocode::{Memory, Merge, Width};

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// An integer.
    Int(NodeId),
    /// Bits, read unsigned.
    Bits(NodeId, Width),
    /// 0 or 1.
    Bool(NodeId),
    /// An enumeration value; always known.
    Enum(Name),
    /// Several values.
    Tuple(Vec<Value>),
    /// What a procedure returns.
    Unit,
}

impl Value {
    /// What it is, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Int(_) => "an integer",
            Self::Bits(..) => "bits",
            Self::Bool(_) => "a boolean",
            Self::Enum(_) => "an enumeration value",
            Self::Tuple(_) => "a tuple",
            Self::Unit => "nothing",
        }
    }
}

/// A variable.
#[derive(Clone, Debug, PartialEq)]
pub enum Var {
    /// Declared without a value.
    Unset,
    /// Holds a value.
    Value(Value),
    /// Bits that are written piece by piece.
    Bits(Register, u32),
    /// Differs between the values of an immediate in a way that is not affine in it.
    Varying,
}

/// `then` where the boolean `condition` is 1, else `otherwise`; `None` for values of unlike kinds.
pub fn select(dag: &mut Dag, condition: NodeId, then: &Value, otherwise: &Value) -> Option<Value> {
    if then == otherwise {
        return Some(then.clone());
    }
    Some(match (then, otherwise) {
        (Value::Int(then), Value::Int(otherwise)) => {
            Value::Int(select_int(dag, condition, *then, *otherwise))
        }
        (Value::Bool(then), Value::Bool(otherwise)) => Value::Bool(dag.select(condition, *then, *otherwise)),
        (Value::Bits(then, width), Value::Bits(otherwise, other)) if width == other => {
            Value::Bits(select_bits(dag, condition, *then, *otherwise), *width)
        }
        (Value::Tuple(then), Value::Tuple(otherwise)) if then.len() == otherwise.len() => Value::Tuple(
            then.iter()
                .zip(otherwise)
                .map(|(then, otherwise)| select(dag, condition, then, otherwise))
                .collect::<Option<_>>()?,
        ),
        _ => return None,
    })
}

/// A choice between bits: the special case of an amount of 0 is none, and `c ? x EOR y : x` is
/// `x EOR (c ? y : 0)`, so that sums without carry are flat.
fn select_bits(dag: &mut Dag, condition: NodeId, then: NodeId, otherwise: NodeId) -> NodeId {
    if let Some(general) = super::assume::without_special_case(dag, condition, then, otherwise) {
        return general;
    }
    if let Node::Xor(terms) = dag.node(then) {
        let count = terms.len();
        let difference = dag.xor(then, otherwise);
        let left = if let Node::Xor(terms) = dag.node(difference) { terms.len() } else { 1 };
        if left < count {
            let zero = dag.int(0);
            let added = dag.select(condition, difference, zero);
            return dag.xor(otherwise, added);
        }
    }
    dag.select(condition, then, otherwise)
}

/// The register after a branch; a bit written on one path only takes that path's value.
fn merge_registers(dag: &mut Dag, condition: NodeId, then: &Register, otherwise: &Register) -> Register {
    let mut cuts: Vec<u32> = [then, otherwise]
        .iter()
        .flat_map(|r| r.extents().flat_map(|(low, width)| [low, low + width]))
        .collect();
    cuts.sort_unstable();
    cuts.dedup();
    let mut merged = Register::default();
    for cut in cuts.windows(2) {
        let (low, width) = (cut[0], cut[1] - cut[0]);
        let (then, otherwise) = (then.read(dag, low, width), otherwise.read(dag, low, width));
        let value = match (then, otherwise) {
            ((_, false), (_, false)) => continue,
            ((only, true), (_, false)) | ((_, false), (only, true)) => only,
            ((then, true), (otherwise, true)) => select_bits(dag, condition, then, otherwise),
        };
        merged.write(low, width, value);
    }
    merged
}

/// A choice between integers; `c ? x + k : x` is `x + k·c`.
fn select_int(dag: &mut Dag, condition: NodeId, then: NodeId, otherwise: NodeId) -> NodeId {
    if dag.as_int(then).is_none() && dag.as_int(otherwise).is_none() {
        let difference = dag.sub(then, otherwise);
        if let Some(step) = dag.as_int(difference).cloned() {
            return dag.linear(&[(otherwise, Int::ONE), (condition, step)], Int::ZERO);
        }
    }
    dag.select(condition, then, otherwise)
}

impl Merge for Var {
    fn merge(dag: &mut Dag, condition: NodeId, then: &Self, otherwise: &Self) -> Self {
        if then == otherwise {
            return then.clone();
        }
        match (then, otherwise) {
            (Var::Unset, other) | (other, Var::Unset) => other.clone(),
            (Var::Bits(then, width), Var::Bits(otherwise, other)) if width == other => {
                Var::Bits(merge_registers(dag, condition, then, otherwise), *width)
            }
            (Var::Bits(then, width), Var::Value(Value::Bits(node, Width::Known(other))))
                if width == other =>
            {
                let otherwise = Register::with_value(*width, *node);
                Var::Bits(merge_registers(dag, condition, then, &otherwise), *width)
            }
            (Var::Value(Value::Bits(node, Width::Known(other))), Var::Bits(otherwise, width))
                if width == other =>
            {
                let then = Register::with_value(*width, *node);
                Var::Bits(merge_registers(dag, condition, &then, otherwise), *width)
            }
            (Var::Value(then), Var::Value(otherwise)) => {
                select(dag, condition, then, otherwise).map_or(Var::Varying, Var::Value)
            }
            _ => Var::Varying,
        }
    }
}

/// The registers that instructions read and write, by number, and the memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Registers {
    /// `_Z`: vector registers.
    pub vectors: BTreeMap<u32, Register>,
    /// `_R`: general registers.
    pub scalars: BTreeMap<u32, Register>,
    /// What is at each pointer.
    pub memory: Vec<Memory>,
}

impl Merge for Registers {
    fn merge(dag: &mut Dag, condition: NodeId, then: &Self, otherwise: &Self) -> Self {
        if then == otherwise {
            return then.clone();
        }
        let vectors = Merge::merge(dag, condition, &then.vectors, &otherwise.vectors);
        let scalars = Merge::merge(dag, condition, &then.scalars, &otherwise.scalars);
        let memory = Merge::merge(dag, condition, &then.memory, &otherwise.memory);
        Self { vectors, scalars, memory }
    }
}
