//! The operands of instructions, and instructions with other ones.

use llvm_text::Type;
use refine::ast::{Action, Instruction, Operand, Value};

/// The operands of an instruction, in order; none of a `phi`.
pub fn operands(instruction: &Instruction) -> Vec<&Operand> {
    match &instruction.action {
        Action::Binary(_, _, left, right)
        | Action::Compare(_, _, left, right)
        | Action::Shuffle(left, right, _)
        | Action::ExtractElement(left, right)
        | Action::InsertValue(left, right, _) => vec![left, right],
        Action::Cast(_, _, of, _)
        | Action::Freeze(of)
        | Action::ExtractValue(of, _)
        | Action::Load(of, _) => vec![of],
        Action::Store(of, to, _) => vec![of, to],
        Action::Offset(from, steps, _) => {
            std::iter::once(from).chain(steps.iter().map(|(count, _)| count)).collect()
        }
        Action::Select(first, second, third) | Action::InsertElement(first, second, third) => {
            vec![first, second, third]
        }
        Action::Call { arguments, .. } => arguments.iter().map(|(operand, _)| operand).collect(),
        Action::If(of, ..) | Action::Switch(of, ..) | Action::Return(Some(of)) => vec![of],
        Action::Phi(_)
        | Action::Allocate(..)
        | Action::Branch(_)
        | Action::Return(None)
        | Action::Unreachable => Vec::new(),
    }
}

/// The names of values that an instruction reads.
pub fn locals(instruction: &Instruction) -> Vec<&str> {
    let all = operands(instruction).into_iter();
    all.filter_map(|operand| if let Value::Local(name) = &operand.value { Some(name.as_str()) } else { None })
        .collect()
}

/// An instruction whose operands are others where `of` has a value for their names. Operands of a `phi` stay.
pub fn rename(instruction: &Instruction, of: &dyn Fn(&str) -> Option<Value>) -> Instruction {
    let mut made = instruction.clone();
    let change = |operand: &mut Operand| {
        if let Value::Local(name) = &operand.value
            && let Some(value) = of(name)
        {
            operand.value = value;
        }
    };
    match &mut made.action {
        Action::Binary(_, _, left, right)
        | Action::Compare(_, _, left, right)
        | Action::Shuffle(left, right, _)
        | Action::ExtractElement(left, right)
        | Action::InsertValue(left, right, _) => [left, right].into_iter().for_each(change),
        Action::Cast(_, _, of, _)
        | Action::Freeze(of)
        | Action::ExtractValue(of, _)
        | Action::Load(of, _) => change(of),
        Action::Store(of, to, _) => [of, to].into_iter().for_each(change),
        Action::Offset(from, steps, _) => {
            std::iter::once(from).chain(steps.iter_mut().map(|(count, _)| count)).for_each(change);
        }
        Action::Select(first, second, third) | Action::InsertElement(first, second, third) => {
            [first, second, third].into_iter().for_each(change);
        }
        Action::Call { arguments, .. } => arguments.iter_mut().map(|(operand, _)| operand).for_each(change),
        Action::If(of, ..) | Action::Switch(of, ..) | Action::Return(Some(of)) => change(of),
        Action::Phi(_)
        | Action::Allocate(..)
        | Action::Branch(_)
        | Action::Return(None)
        | Action::Unreachable => {}
    }
    made
}

/// An operand that is a value by name.
pub fn local(ty: Type, name: impl Into<String>) -> Operand {
    Operand { ty, value: Value::Local(name.into()) }
}
