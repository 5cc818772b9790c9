//! Library functions with a dedicated node: recognized by what they compute, not by name.
//!
//! ```text
//! the bits of x asked from the top, the first one set returned, else -1  →  N-1 - leading_zeros(x, N)
//! the sum of all bits of x                                               →  popcount(x)
//! ```
//! A pure function of one small integer that cannot be run without knowing it (a loop until some
//! condition holds) becomes a table of its values.

use hydride_ir::exact::{Dag, Int, NodeId};

use super::call::Call;
use super::{Fault, Frame, Machine, Pending, Run, Value, Var, Width};
use crate::arm::asl::ast::{Function, FunctionKind, Offset};
use crate::pseudocode::Reason;

/// Most values of an argument for which a function becomes a table.
const MAX_TABLE: i64 = 1024;

/// A function's values: the first argument value, the width of an entry, and all entries concatenated.
#[derive(Clone)]
pub struct Table {
    first: i64,
    width: u32,
    entries: NodeId,
}

/// The only argument of a call when it is bits of a known width.
pub(super) fn bits_argument(args: &[Var]) -> Option<(NodeId, u32)> {
    match args {
        [Var::Value(Value::Bits(node, Width::Known(width)))] => Some((*node, *width)),
        _ => None,
    }
}

/// The range of the only argument of a function that could become a table.
pub(super) fn table_arguments(dag: &Dag, function: &Function, args: &[Var]) -> Option<(i64, i64)> {
    let [Var::Value(Value::Int(node))] = args else { return None };
    if function.kind != FunctionKind::Call || function.params.iter().any(|param| param.reference) {
        return None;
    }
    if dag.as_int(*node).is_some() {
        return None;
    }
    let range = dag.range(*node);
    let (low, high) = (range.low.as_ref()?, range.high.as_ref()?);
    let (low, high) = (i64::try_from(low).ok()?, i64::try_from(high).ok()?);
    (low >= 0 && high - low < MAX_TABLE).then_some((low, high))
}

impl Machine<'_> {
    /// The node of a search for the highest or lowest one bit of `bits`.
    pub(super) fn bit_search(
        &mut self,
        pending: &[Pending],
        otherwise: &Value,
        (bits, width): (NodeId, u32),
    ) -> Option<Value> {
        let Value::Int(otherwise) = otherwise else { return None };
        if width < 2 || pending.len() != width as usize || self.dag.as_int(bits).is_some() {
            return None;
        }
        let last = self.dag.as_i64(*otherwise)?;
        let downward = match last {
            -1 => true,
            last if last == i64::from(width) => false,
            _ => return None,
        };
        for (step, pending) in pending.iter().enumerate() {
            let index = if downward { width - 1 - step as u32 } else { step as u32 };
            let Value::Int(value) = pending.value else { return None };
            let bit = self.dag.slice(bits, index, 1, false);
            if self.dag.as_i64(value) != Some(i64::from(index)) || pending.condition != bit {
                return None;
            }
        }
        Some(Value::Int(if downward {
            let zeros = self.dag.leading_zeros(bits, width);
            let top = self.dag.int(width - 1);
            self.dag.sub(top, zeros)
        } else {
            self.dag.trailing_zeros(bits, width)
        }))
    }

    /// The node of a count of the one bits of `bits`, or the value as it is.
    pub(super) fn bit_count(&mut self, value: Value, (bits, width): (NodeId, u32)) -> Value {
        let Value::Int(node) = value else { return value };
        if width < 2 || self.dag.as_int(node).is_some() {
            return value;
        }
        let each: Vec<NodeId> = (0..width).map(|index| self.dag.slice(bits, index, 1, false)).collect();
        if self.dag.sum(&each) == node { Value::Int(self.dag.popcount(bits)) } else { value }
    }

    /// The value of a function that is a table already.
    pub(super) fn table_value(&mut self, function: &Function, args: &[Var]) -> Option<Value> {
        let table = self.tables.get(&function.name)?.clone();
        let [Var::Value(Value::Int(node))] = args else { return None };
        Some(self.look_up(&table, *node))
    }

    fn look_up(&mut self, table: &Table, node: NodeId) -> Value {
        let width = Int::from(table.width);
        let start = -Int::from(table.first) * &width;
        let low = self.dag.linear(&[(node, width)], start);
        Value::Int(self.dag.slice_at(table.entries, low, table.width, false))
    }

    /// Runs a function at every value of its argument; where an assertion of the function does
    /// not hold the entry is 0.
    pub(super) fn tabulate(
        &mut self,
        function: &Function,
        args: &[Var],
        (low, high): (i64, i64),
        fault: Fault,
        offset: Offset,
    ) -> Run<Value> {
        let mut values = Vec::new();
        for value in low..=high {
            let node = self.dag.int(value);
            let registers = self.state.registers.clone();
            let result = self.invoke(Call {
                function,
                args: vec![Var::Value(Value::Int(node))],
                assigned: None,
                want: None,
                offset,
            });
            let unchanged = registers == self.state.registers;
            values.push(match result {
                Ok((Value::Int(node), _)) if unchanged => match self.dag.as_int(node) {
                    Some(value) if value >= &Int::ZERO => value.clone(),
                    _ => return Err(fault),
                },
                Err(inner) if inner.reason == Reason::Assertion => Int::ZERO,
                Err(inner) if inner.reason == Reason::Limit => return Err(inner),
                _ => return Err(fault),
            });
        }
        let greatest = values.iter().max().cloned().unwrap_or(Int::ZERO);
        let greatest = self.dag.int(greatest);
        let width = self.dag.natural(greatest).map_or(1, |(width, _)| width);
        let mut entries = Int::ZERO;
        for value in values.into_iter().rev() {
            entries = (entries << width as usize) + value;
        }
        let table = Table { first: low, width, entries: self.dag.int(entries) };
        self.tables.insert(function.name.clone(), table.clone());
        match args {
            [Var::Value(Value::Int(node))] => Ok(self.look_up(&table, *node)),
            _ => Err(fault),
        }
    }
}

impl Frame {
    /// A variable's value.
    pub fn value(&self, name: &str) -> Option<&Value> {
        match self.vars.get(name) {
            Some(Var::Value(value)) => Some(value),
            _ => None,
        }
    }
}
