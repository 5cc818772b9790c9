//! What the documented values of immediates decide.
//!
//! ```text
//! n in 1..=16:  n == 0 → false,  1 << (n - 1) needs no case for a negative amount
//! t == c ? f(c) : f(t)  →  f(t)
//! ```

use hydride_ir::exact::{Dag, Int, Node, NodeId, Part};

use super::Machine;

/// Most nodes that one question looks at.
const MAX_NODES: u32 = 64;

/// The documented values of the immediates: for each combination, argument and value.
pub type Assumptions = Vec<Vec<(u32, Int)>>;

impl Machine<'_> {
    /// Restricts arguments to combinations of values.
    pub fn assume(&mut self, assumptions: Assumptions) {
        self.assumptions = assumptions;
    }

    /// Least and greatest value of a node that depends only on immediates.
    pub(super) fn assumed_range(&self, node: NodeId) -> Option<(Int, Int)> {
        let mut range: Option<(Int, Int)> = None;
        for values in &self.assumptions {
            let value = evaluate(&self.dag, node, values, &mut MAX_NODES.clone())?;
            range = Some(match range {
                None => (value.clone(), value),
                Some((low, high)) => (low.min(value.clone()), high.max(value)),
            });
        }
        range
    }

    /// A condition with what the immediates decide put in.
    pub(super) fn decided(&mut self, condition: NodeId) -> NodeId {
        if self.dag.as_int(condition).is_some() || self.assumptions.is_empty() {
            return condition;
        }
        match self.assumed_range(condition) {
            Some((low, high)) if low == high => self.dag.int(low),
            _ => condition,
        }
    }
}

/// The value of a node under values of arguments.
fn evaluate(dag: &Dag, node: NodeId, values: &[(u32, Int)], budget: &mut u32) -> Option<Int> {
    *budget = budget.checked_sub(1)?;
    let mut of = |node: NodeId| evaluate(dag, node, values, budget);
    Some(match dag.node(node) {
        Node::Const(value) => value.clone(),
        Node::Arg(arg) => values.iter().find(|(known, _)| known == arg)?.1.clone(),
        Node::Slice { of: inner, low, width, signed } => {
            let bits = (of(*inner)? >> *low as usize) & ((Int::ONE << *width as usize) - Int::ONE);
            let negative = *signed && bits >= Int::ONE << (*width as usize - 1);
            if negative { bits - (Int::ONE << *width as usize) } else { bits }
        }
        Node::Sum { terms, constant } => {
            let mut sum = constant.clone();
            for (term, factor) in terms {
                sum += of(*term)? * factor;
            }
            sum
        }
        Node::Mul(factors) => {
            let mut product = Int::ONE;
            for factor in factors {
                product *= of(*factor)?;
            }
            product
        }
        Node::Eq(a, b) => Int::from(u8::from(of(*a)? == of(*b)?)),
        Node::Lt(a, b) => Int::from(u8::from(of(*a)? < of(*b)?)),
        Node::Le(a, b) => Int::from(u8::from(of(*a)? <= of(*b)?)),
        Node::Select(condition, then, otherwise) => {
            if of(*condition)? != Int::ZERO {
                of(*then)?
            } else {
                of(*otherwise)?
            }
        }
        Node::And(operands) => fold(operands, of, |a, b| a & b)?,
        Node::Or(operands) => fold(operands, of, |a, b| a | b)?,
        Node::Xor(operands) => fold(operands, of, |a, b| a ^ b)?,
        Node::Min(operands) => fold(operands, of, Int::min)?,
        Node::Max(operands) => fold(operands, of, Int::max)?,
        Node::Rem(a, b) => {
            let (a, b) = (of(*a)?, of(*b)?);
            (b != Int::ZERO).then(|| a % b)?
        }
        _ => return None,
    })
}

fn fold(
    operands: &[NodeId],
    mut of: impl FnMut(NodeId) -> Option<Int>,
    join: fn(Int, Int) -> Int,
) -> Option<Int> {
    let (first, rest) = operands.split_first()?;
    let mut value = of(*first)?;
    for operand in rest {
        value = join(value, of(*operand)?);
    }
    Some(value)
}

/// The one side of `x == c ? then : otherwise` that is right on both, if there is one.
pub(super) fn without_special_case(
    dag: &mut Dag,
    condition: NodeId,
    then: NodeId,
    otherwise: NodeId,
) -> Option<NodeId> {
    let Node::Eq(left, right) = *dag.node(condition) else { return None };
    let (variable, value) = if dag.as_int(left).is_some() { (right, left) } else { (left, right) };
    dag.as_int(value)?;
    let special = substitute(dag, otherwise, variable, value, &mut MAX_NODES.clone())?;
    (special == then).then_some(otherwise)
}

/// A node with `value` in place of `variable`; `None` for nodes that are not looked into.
fn substitute(
    dag: &mut Dag,
    node: NodeId,
    variable: NodeId,
    value: NodeId,
    budget: &mut u32,
) -> Option<NodeId> {
    if node == variable {
        return Some(value);
    }
    if node < variable {
        // Operands come before their users: the variable is not below.
        return Some(node);
    }
    *budget = budget.checked_sub(1)?;
    let mut of = |dag: &mut Dag, node: NodeId| substitute(dag, node, variable, value, budget);
    Some(match dag.node(node).clone() {
        Node::Const(_) | Node::Arg(_) => node,
        Node::Slice { of: inner, low, width, signed } => {
            let inner = of(dag, inner)?;
            dag.slice(inner, low, width, signed)
        }
        Node::Concat(parts) => {
            let parts = parts
                .iter()
                .map(|part| Some(Part { node: of(dag, part.node)?, width: part.width }))
                .collect::<Option<Vec<_>>>()?;
            dag.concat(&parts)
        }
        Node::Sum { terms, constant } => {
            let terms = terms
                .iter()
                .map(|(term, factor)| Some((of(dag, *term)?, factor.clone())))
                .collect::<Option<Vec<_>>>()?;
            dag.linear(&terms, constant)
        }
        Node::Shl(left, count) => {
            let (left, count) = (of(dag, left)?, of(dag, count)?);
            dag.shl(left, count)
        }
        Node::Shr(left, count) => {
            let (left, count) = (of(dag, left)?, of(dag, count)?);
            dag.shr(left, count)
        }
        Node::SliceAt { of: inner, base, low, width, signed } => {
            let (inner, low) = (of(dag, inner)?, of(dag, low)?);
            let position = dag.linear(&[(low, Int::ONE)], Int::from(base));
            dag.slice_at(inner, position, width, signed)
        }
        Node::And(operands) => rebuild(dag, &operands, of, Dag::and)?,
        Node::Or(operands) => rebuild(dag, &operands, of, Dag::or)?,
        Node::Xor(operands) => rebuild(dag, &operands, of, Dag::xor)?,
        _ => return None,
    })
}

fn rebuild(
    dag: &mut Dag,
    operands: &[NodeId],
    mut of: impl FnMut(&mut Dag, NodeId) -> Option<NodeId>,
    join: fn(&mut Dag, NodeId, NodeId) -> NodeId,
) -> Option<NodeId> {
    let (first, rest) = operands.split_first()?;
    let mut joined = of(dag, *first)?;
    for operand in rest {
        let operand = of(dag, *operand)?;
        joined = join(dag, joined, operand);
    }
    Some(joined)
}
