//! Walks over syntax trees, and the widths of slices where they are constant.

use std::collections::BTreeMap;

use crate::intel::ast::{
    BinaryOp, Expr, ExprKind, Extent, Place, Program, Selector, Stmt, StmtKind, Symbol, UnaryOp,
};

/// What a walk comes by.
#[derive(Clone, Copy)]
pub(super) enum Visit<'a> {
    /// A variable, or a part of it, is read.
    Read(&'a Place),
    /// A variable, or a part of it, is assigned.
    Write(&'a Place),
    /// A name gets a value: a loop index or a table.
    Bind(Symbol),
    /// A function is called.
    Call(Symbol, Extent),
    /// Selectors on anything.
    Select(&'a [Selector], Extent),
    /// Statements that run one after the other.
    Block(&'a [Stmt]),
}

/// Visits all of a program in the order of its text, the functions that it defines first.
pub(super) fn program<'a>(program: &'a Program, visit: &mut dyn FnMut(Visit<'a>)) {
    for define in &program.defines {
        block(&define.body, visit);
    }
    block(&program.body, visit);
}

/// Visits the bounds of the slices of a program, high ones first, with the place of what they are slices of.
pub(super) fn slices<'a>(of: &'a Program, visit: &mut dyn FnMut(&'a Expr, &'a Expr, Extent)) {
    program(of, &mut |visited| {
        let Visit::Select(selectors, at) = visited else { return };
        for selector in selectors {
            if let Selector::Slice(high, low) = selector {
                visit(high, low, at);
            }
        }
    });
}

/// Visits statements.
pub(super) fn block<'a>(statements: &'a [Stmt], visit: &mut dyn FnMut(Visit<'a>)) {
    visit(Visit::Block(statements));
    for stmt in statements {
        match &stmt.kind {
            StmtKind::Assign { place, op, value } => {
                expr(value, visit);
                selectors(&place.selectors, place.at, visit);
                if op.is_some() {
                    visit(Visit::Read(place));
                }
                visit(Visit::Write(place));
            }
            StmtKind::For { index, first, last, body, .. } => {
                expr(first, visit);
                expr(last, visit);
                visit(Visit::Bind(*index));
                block(body, visit);
            }
            StmtKind::While { condition, body } => {
                expr(condition, visit);
                block(body, visit);
            }
            StmtKind::If { arms } => {
                for (condition, body) in arms {
                    condition.iter().for_each(|condition| expr(condition, visit));
                    block(body, visit);
                }
            }
            StmtKind::Case { value, arms } => {
                expr(value, visit);
                // Labels are numbers, or constants of the header that declares the enumeration.
                for (_, body) in arms {
                    block(body, visit);
                }
            }
            StmtKind::Return(value) => value.iter().for_each(|value| expr(value, visit)),
            StmtKind::Raise => {}
            StmtKind::Table { name, .. } => visit(Visit::Bind(*name)),
            StmtKind::Call(call) => expr(call, visit),
        }
    }
}

fn expr<'a>(of: &'a Expr, visit: &mut dyn FnMut(Visit<'a>)) {
    match &of.kind {
        ExprKind::Number(_) | ExprKind::Decimal(_) => {}
        ExprKind::Place(place) => {
            selectors(&place.selectors, place.at, visit);
            visit(Visit::Read(place));
        }
        ExprKind::Select(inner, chosen) => {
            expr(inner, visit);
            selectors(chosen, of.at, visit);
        }
        ExprKind::Call { name, arguments } => {
            visit(Visit::Call(*name, of.at));
            arguments.iter().for_each(|argument| expr(argument, visit));
        }
        ExprKind::Unary(_, operand) => expr(operand, visit),
        ExprKind::Binary(_, left, right) => {
            expr(left, visit);
            expr(right, visit);
        }
        ExprKind::Ternary(parts) => parts.iter().for_each(|part| expr(part, visit)),
    }
}

fn selectors<'a>(chosen: &'a [Selector], at: Extent, visit: &mut dyn FnMut(Visit<'a>)) {
    visit(Visit::Select(chosen, at));
    for selector in chosen {
        match selector {
            Selector::Index(index) => expr(index, visit),
            Selector::Slice(high, low) => {
                expr(high, visit);
                expr(low, visit);
            }
            Selector::View { index, .. } => index.iter().for_each(|index| expr(index, visit)),
            Selector::Field(_) => {}
        }
    }
}

/// A number as a sum of variables with factors, and a constant (under no variable).
type Linear = BTreeMap<Option<Symbol>, i64>;

/// `high - low` when it is a constant.
pub(super) fn difference(high: &Expr, low: &Expr) -> Option<i64> {
    let mut sum = linear(high)?;
    for (symbol, factor) in linear(low)? {
        let entry = sum.entry(symbol).or_default();
        *entry = entry.checked_sub(factor)?;
    }
    sum.retain(|_, factor| *factor != 0);
    match sum.len() {
        0 => Some(0),
        1 => sum.get(&None).copied(),
        _ => None,
    }
}

/// The value of a constant.
pub(super) fn constant(of: &Expr) -> Option<i64> {
    let mut sum = linear(of)?;
    sum.retain(|_, factor| *factor != 0);
    match sum.len() {
        0 => Some(0),
        1 => sum.get(&None).copied(),
        _ => None,
    }
}

/// What is added to variables in a sum of both; `None` where there are no variables, or something else than a sum.
pub(super) fn offset(of: &Expr) -> Option<i64> {
    let mut sum = linear(of)?;
    sum.retain(|_, factor| *factor != 0);
    let constant = sum.remove(&None).unwrap_or(0);
    (!sum.is_empty()).then_some(constant)
}

fn linear(of: &Expr) -> Option<Linear> {
    match &of.kind {
        ExprKind::Number(number) => Some(BTreeMap::from([(None, i64::try_from(number).ok()?)])),
        ExprKind::Place(place) if place.selectors.is_empty() => Some(BTreeMap::from([(Some(place.name), 1)])),
        ExprKind::Unary(UnaryOp::Plus, operand) => linear(operand),
        ExprKind::Unary(UnaryOp::Minus, operand) => scaled(linear(operand)?, -1),
        ExprKind::Binary(BinaryOp::Add, left, right) => added(linear(left)?, linear(right)?),
        ExprKind::Binary(BinaryOp::Sub, left, right) => added(linear(left)?, scaled(linear(right)?, -1)?),
        ExprKind::Binary(BinaryOp::Mul, left, right) => match (constant(left), constant(right)) {
            (Some(factor), _) => scaled(linear(right)?, factor),
            (_, Some(factor)) => scaled(linear(left)?, factor),
            _ => None,
        },
        _ => None,
    }
}

fn scaled(mut sum: Linear, by: i64) -> Option<Linear> {
    for factor in sum.values_mut() {
        *factor = factor.checked_mul(by)?;
    }
    Some(sum)
}

fn added(mut sum: Linear, other: Linear) -> Option<Linear> {
    for (symbol, factor) in other {
        let entry = sum.entry(symbol).or_default();
        *entry = entry.checked_add(factor)?;
    }
    Some(sum)
}

/// The width that selectors select, when it is a constant.
pub(super) fn width(selectors: &[Selector]) -> Option<i64> {
    match selectors.last()? {
        Selector::Index(_) => Some(1),
        Selector::Slice(high, low) => Some(difference(high, low)? + 1),
        Selector::View { width, .. } => Some(i64::from(*width)),
        Selector::Field(_) => None,
    }
}
