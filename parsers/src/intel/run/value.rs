//! What variables hold while an operation runs, and how two paths join.

use std::collections::BTreeMap;
use std::rc::Rc;

use hydride_ir::exact::{Dag, Int, NodeId, Register};

use crate::intel::library::Function;
use crate::pseudocode::{Choice, Memory, Merge};
use crate::signature::Element;

/// The value of an expression: an exact integer and what is known about where it came from.
#[derive(Clone, Copy, Debug)]
pub(in crate::intel) struct Value {
    pub(in crate::intel) node: NodeId,
    /// Bits of the slice or truth value that it is; none for the result of arithmetic.
    pub(in crate::intel) width: Option<u32>,
    /// Whether it is a floating-point number, whose bits may be moved and nothing else.
    pub(in crate::intel) float: bool,
    /// The element type of the variable that it was read from.
    pub(in crate::intel) element: Option<Element>,
}

impl Value {
    /// An exact integer.
    pub(in crate::intel) fn exact(node: NodeId) -> Self {
        Self { node, width: None, float: false, element: None }
    }

    /// An integer of `width` bits.
    pub(in crate::intel) fn sized(node: NodeId, width: u32) -> Self {
        Self { node, width: Some(width), float: false, element: None }
    }
}

/// A variable.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) contents: Contents,
    /// Width of an argument or result; what is assigned to the whole variable is cut to it.
    pub(super) declared: Option<u32>,
    /// The argument's position.
    pub(super) argument: Option<u32>,
    /// Type of the elements, if the document or an assignment determines it.
    pub(super) element: Option<Element>,
}

#[derive(Clone, Debug)]
pub(super) enum Contents {
    /// Assigned as a whole.
    Scalar(Value),
    /// Assigned by slices. Bits above an open register are 0, else they are undefined.
    Bits { register: Register, open: bool },
    /// Numbered elements; `whole` is what the name without an index means.
    Items { width: u32, whole: Option<Value>, items: BTreeMap<i64, NodeId> },
    /// A function, assigned as a whole.
    Function(Choice<Function>),
    /// A constant table of elements.
    Table { table: NodeId, width: u32 },
}

/// Bits that a whole number has when slices of it are assigned; wider than every temporary that the
/// document starts with a number.
const OPEN_WIDTH: u32 = 512;

impl Variable {
    pub(super) fn temporary(contents: Contents) -> Self {
        Self { contents, declared: None, argument: None, element: None }
    }

    /// Whether all that was assigned are literals.
    fn is_literal(&self, dag: &Dag) -> bool {
        let Contents::Bits { register, .. } = &self.contents else { return false };
        let literal =
            |(low, width)| register.assigned(low, width).is_some_and(|node| dag.as_int(node).is_some());
        register.extents().all(literal)
    }

    /// [`Variable::bits`], moving the contents out.
    pub(super) fn take_bits(&mut self, dag: &Dag, width: u32) -> Option<(Register, bool)> {
        match &mut self.contents {
            Contents::Bits { register, open } => Some((std::mem::take(register), *open)),
            _ => self.bits(dag, width),
        }
    }

    /// The contents as a register of at least `width` bits, and whether it is open; `None` for tables, elements and functions.
    pub(super) fn bits(&self, dag: &Dag, width: u32) -> Option<(Register, bool)> {
        match &self.contents {
            Contents::Bits { register, open } => Some((register.clone(), *open)),
            Contents::Scalar(value) => {
                let own = match value.width {
                    Some(width) => width,
                    None => dag.natural(value.node).map_or(OPEN_WIDTH, |(width, _)| width).max(OPEN_WIDTH),
                };
                Some((Register::with_value(own.max(width), value.node), value.width.is_none()))
            }
            Contents::Items { .. } | Contents::Function(_) | Contents::Table { .. } => None,
        }
    }
}

/// The variables of one call.
#[derive(Clone, Debug, Default)]
pub(super) struct Frame {
    pub(super) variables: Vec<Option<Rc<Variable>>>,
    /// What is at each pointer.
    pub(super) memory: Vec<Memory>,
    /// Where the call has returned: the condition and the value.
    pub(super) returned: Option<(NodeId, Value)>,
}

impl Merge for Frame {
    fn merge(dag: &mut Dag, condition: NodeId, then: &Self, otherwise: &Self) -> Self {
        let returned = match (then.returned, otherwise.returned) {
            (None, None) => None,
            (Some((when, value)), None) => Some((dag.and(condition, when), value)),
            (None, Some((when, value))) => {
                let opposite = dag.complement(condition);
                Some((dag.and(opposite, when), value))
            }
            (Some((first, left)), Some((second, right))) => {
                // Where only one path has returned, the other's value is not looked at.
                let value = merge_values(dag, condition, left, right, false);
                let value = match (dag.as_i64(first), dag.as_i64(second)) {
                    (Some(1), Some(1)) => value,
                    _ => {
                        let taken = dag.and(condition, first);
                        merge_values(dag, taken, left, right, false)
                    }
                };
                Some((dag.select(condition, first, second), value))
            }
        };
        Frame {
            variables: Merge::merge(dag, condition, &then.variables, &otherwise.variables),
            memory: Merge::merge(dag, condition, &then.memory, &otherwise.memory),
            returned,
        }
    }
}

impl Merge for Variable {
    fn merge(dag: &mut Dag, condition: NodeId, left: &Self, right: &Self) -> Self {
        // Literals, such as 0, have no type of their own.
        let element = match (left.element, right.element) {
            (Some(element), None) if element.float && right.is_literal(dag) => Some(element),
            (None, Some(element)) if element.float && left.is_literal(dag) => Some(element),
            (element, other) => element.filter(|element| Some(*element) == other),
        };
        let contents = match (&left.contents, &right.contents) {
            (Contents::Scalar(then), Contents::Scalar(otherwise)) => {
                Contents::Scalar(merge_values(dag, condition, *then, *otherwise, true))
            }
            (Contents::Function(then), Contents::Function(otherwise)) => {
                Contents::Function(Merge::merge(dag, condition, then, otherwise))
            }
            (
                Contents::Items { width, whole, items },
                Contents::Items { width: other_width, whole: other_whole, items: others },
            ) if width == other_width => {
                let mut merged = items.clone();
                for (index, other) in others {
                    let item = items.get(index).map_or(*other, |item| dag.select(condition, *item, *other));
                    merged.insert(*index, item);
                }
                let whole = match (whole, other_whole) {
                    (Some(then), Some(otherwise)) => {
                        Some(merge_values(dag, condition, *then, *otherwise, false))
                    }
                    (then, otherwise) => then.or(*otherwise),
                };
                Contents::Items { width: *width, whole, items: merged }
            }
            _ => {
                let end = |variable: &Variable| match &variable.contents {
                    Contents::Bits { register, .. } => register.end(),
                    _ => 0,
                };
                let width = end(left).max(end(right));
                match (left.bits(dag, width), right.bits(dag, width)) {
                    (Some((then, open)), Some((otherwise, also_open))) => {
                        let register = Register::merge(dag, condition, &then, &otherwise);
                        Contents::Bits { register, open: open || also_open }
                    }
                    _ => left.contents.clone(),
                }
            }
        };
        Variable { contents, declared: left.declared, argument: left.argument, element }
    }
}

/// `then` where the condition holds, else `otherwise`. A counter that a path may step by a constant is the
/// counter plus a multiple of the condition, so that its possible values stay countable.
pub(super) fn merge_values(
    dag: &mut Dag,
    condition: NodeId,
    then: Value,
    otherwise: Value,
    counter: bool,
) -> Value {
    let width = then.width.filter(|width| Some(*width) == otherwise.width);
    let element = then.element.filter(|element| Some(*element) == otherwise.element);
    let step = dag.sub(then.node, otherwise.node);
    let step = dag.as_int(step).cloned().filter(|step| step != &Int::ZERO);
    let start = dag.as_int(otherwise.node).is_none_or(|start| start == &Int::ZERO);
    let node = match step {
        Some(step) if counter && width.is_none() && start => {
            dag.linear(&[(otherwise.node, Int::ONE), (condition, step)], Int::ZERO)
        }
        _ => dag.select(condition, then.node, otherwise.node),
    };
    Value { node, width, float: then.float || otherwise.float, element }
}
