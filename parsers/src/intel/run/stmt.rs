//! Statements: assignments, loops, branches that merge, calls.

use std::rc::Rc;

use hydride_ir::exact::{Int, NodeId, Part, Register};

use super::place::Reading;
use super::value::{Contents, Frame, Value, Variable};
use super::{MAX_CALLS, Ran, Run, exclude, fail};
use crate::intel::ast::{BinaryOp, Define, Expr, ExprKind, Extent, Place, Stmt, StmtKind, Symbol};
use crate::intel::library::arithmetic::Format;
use crate::intel::library::{self, Function};
use crate::pseudocode::{Branching, Choice, Reason, Width};

/// Iterations of a loop whose condition stays symbolic.
const MAX_SYMBOLIC_ITERATIONS: usize = 1_024;

impl Run<'_> {
    pub(super) fn block(&mut self, block: &[Stmt]) -> Ran<()> {
        for (position, stmt) in block.iter().enumerate() {
            self.stmt(stmt)?;
            let Some((when, _)) = self.frame.returned else { continue };
            if self.dag.as_i64(when) == Some(1) {
                return Ok(());
            }
            // The rest runs where the call has not returned yet.
            let mut rest = self.frame.clone();
            rest.returned = None;
            let returned = std::mem::replace(&mut self.frame, rest);
            self.block(&block[position + 1..])?;
            self.join(when, returned, stmt.at)?;
            if let Some((_, value)) = self.frame.returned
                && self.frame.returned.is_some_and(|(when, _)| self.dag.as_i64(when) == Some(1))
            {
                self.frame.returned = Some((self.dag.int(1), value));
            }
            return Ok(());
        }
        Ok(())
    }

    fn stmt(&mut self, stmt: &Stmt) -> Ran<()> {
        let at = stmt.at;
        self.step(at)?;
        match &stmt.kind {
            StmtKind::Assign { place, op, value } => self.assign(place, *op, value, at),
            StmtKind::For { index, first, last, down, body } => {
                self.for_loop(*index, first, last, *down, body, at)
            }
            StmtKind::While { condition, body } => self.while_loop(condition, body, at),
            StmtKind::If { arms } => self.choose(arms),
            StmtKind::Case { value, arms } => self.case(value, arms, at),
            StmtKind::Return(value) => {
                let value = match value {
                    Some(value) => self.expr(value, Reading::Natural)?,
                    None => Value::exact(self.dag.int(0)),
                };
                self.check(value.node, at)?;
                self.frame.returned = Some((self.dag.int(1), value));
                Ok(())
            }
            StmtKind::Raise => Ok(()),
            StmtKind::Table { name, entries } => {
                let parts: Vec<Part> = entries
                    .iter()
                    .take(hydride_ir::MAX_WIDTH as usize / 8)
                    .map(|entry| Part { node: self.dag.int(entry.clone()), width: 8 })
                    .collect();
                let table = self.dag.concat(&parts);
                let variable = Variable::temporary(Contents::Table { table, width: 8 });
                self.frame.variables[name.0 as usize] = Some(Rc::new(variable));
                Ok(())
            }
            StmtKind::Call(call) => self.expr(call, Reading::Natural).map(|_| ()),
        }
    }

    fn assign(&mut self, place: &Place, op: Option<BinaryOp>, value: &Expr, at: Extent) -> Ran<()> {
        let Some(op) = op else {
            if let Some(function) = self.function_value(place, value) {
                let variable = Variable::temporary(Contents::Function(function));
                self.frame.variables[place.name.0 as usize] = Some(Rc::new(variable));
                return Ok(());
            }
            let assigned = match value.decimal() {
                Some(number) => self.literal(number, place, value.at)?,
                None => self.expr(value, Reading::Natural)?,
            };
            return self.write_place(place, assigned, Some(value));
        };
        let left = self.read_place(place, Reading::Natural)?;
        let right = self.expr(value, Reading::Natural)?;
        let assigned = self.apply(op, left, right, at)?;
        self.write_place(place, assigned, None)
    }

    /// A number with a fraction in the format of as many bits as are assigned.
    fn literal(&mut self, number: f64, place: &Place, at: Extent) -> Ran<Value> {
        let declared = self.lookup(place.name).and_then(|variable| variable.declared);
        let format = match self.window(&place.selectors, declared, at)?.width {
            Width::Known(width) => Format::of_width(width),
            Width::Computed(_) => None,
        };
        match format {
            Some(format) => Ok(format.constant(&mut self.dag, number)),
            None => exclude(Reason::FloatingPoint, "a floating-point literal", at),
        }
    }

    /// The function that is assigned to a temporary.
    fn function_value(&self, place: &Place, value: &Expr) -> Option<Choice<Function>> {
        let declared = self.lookup(place.name).is_some_and(|variable| variable.declared.is_some());
        if declared || !place.selectors.is_empty() {
            return None;
        }
        let name = match &value.kind {
            ExprKind::Place(source) if source.selectors.is_empty() => {
                if let Some(variable) = self.lookup(source.name) {
                    let Contents::Function(function) = &variable.contents else { return None };
                    return Some(function.clone());
                }
                source.name
            }
            ExprKind::Call { name, arguments } if arguments.is_empty() => *name,
            _ => return None,
        };
        let defined = self.defines.contains_key(&name);
        library::function_value(self.program.name(name)).filter(|_| !defined).map(Choice::One)
    }

    pub(super) fn set(&mut self, symbol: Symbol, value: i64) {
        let contents = Contents::Scalar(Value::exact(self.dag.int(value)));
        self.frame.variables[symbol.0 as usize] = Some(Rc::new(Variable::temporary(contents)));
    }

    /// A bound of a loop: a constant, or an immediate that must become one.
    fn bound(&mut self, expr: &Expr) -> Ran<i64> {
        let node = self.expr(expr, Reading::Unsigned)?.node;
        if let Some(value) = self.dag.as_i64(node) {
            return Ok(value);
        }
        if self.dag.as_int(node).is_some() {
            return fail(Reason::Limit, "a loop bound of more than 64 bits", expr.at);
        }
        match self.fix(node, "a loop bound", expr.at) {
            Some(fixed) => fixed,
            None => fail(Reason::Unsupported, "a loop bound is computed from a register", expr.at),
        }
    }

    fn for_loop(
        &mut self,
        index: Symbol,
        first: &Expr,
        last: &Expr,
        down: bool,
        body: &[Stmt],
        at: Extent,
    ) -> Ran<()> {
        let first = self.bound(first)?;
        if !down && self.has_tiles() {
            let bound = self.expr(last, Reading::Unsigned)?.node;
            let computed = self.dag.as_int(bound).is_none();
            if computed && let Some(ran) = self.counted(index, first, bound, body, at) {
                return ran;
            }
        }
        let last = self.bound(last)?;
        let count =
            if down { i128::from(first) - i128::from(last) } else { i128::from(last) - i128::from(first) }
                + 1;
        if count > i128::from(self.budget.remaining()) {
            return fail(Reason::Limit, format!("a loop of {count} iterations"), at);
        }
        let mut current = first;
        while if down { current >= last } else { current <= last } {
            self.set(index, current);
            self.step(at)?;
            self.block(body)?;
            if let Some((when, _)) = self.frame.returned {
                // `block` has run the rest of one iteration only.
                return match self.dag.as_i64(when) {
                    Some(1) => Ok(()),
                    _ => fail(Reason::Unsupported, "a loop that may return", at),
                };
            }
            // A body that steps the index itself replaces the loop's step.
            let after = match self.lookup(index).as_deref().map(|variable| &variable.contents) {
                Some(Contents::Scalar(value)) => self.dag.as_i64(value.node),
                _ => None,
            };
            current = match after {
                Some(after) if after == current => current + if down { -1 } else { 1 },
                Some(after) => after,
                None => return fail(Reason::Unsupported, "the loop index is computed", at),
            };
        }
        Ok(())
    }

    fn while_loop(&mut self, condition: &Expr, body: &[Stmt], at: Extent) -> Ran<()> {
        if self.counts_down_to_zero(condition, body)? {
            return Ok(());
        }
        if self.has_tiles() && self.counts_up(condition, body)?.is_some() {
            return Ok(());
        }
        // Each symbolic iteration with the state before it; the innermost merges first.
        let mut left: Vec<(NodeId, Frame)> = Vec::new();
        loop {
            self.step(at)?;
            let holds = self.condition(condition)?;
            match self.dag.as_i64(holds) {
                Some(0) => break,
                Some(_) => {}
                None => left.push((holds, self.frame.clone())),
            }
            if left.len() > MAX_SYMBOLIC_ITERATIONS {
                return fail(
                    Reason::Limit,
                    format!("more than {MAX_SYMBOLIC_ITERATIONS} conditional iterations"),
                    at,
                );
            }
            self.block(body)?;
            if self.frame.returned.is_some() {
                return fail(Reason::Unsupported, "a loop that may return", at);
            }
        }
        while let Some((holds, before)) = left.pop() {
            let after = std::mem::replace(&mut self.frame, before);
            self.join(holds, after, at)?;
        }
        Ok(())
    }

    /// `DO WHILE x > 0` whose body changes nothing once `x` is 0: the condition may be ignored and the body
    /// repeated until `x` can only be 0.
    fn counts_down_to_zero(&mut self, condition: &Expr, body: &[Stmt]) -> Ran<bool> {
        let ExprKind::Binary(BinaryOp::Gt | BinaryOp::Ne, left, right) = &condition.kind else {
            return Ok(false);
        };
        let (ExprKind::Place(place), ExprKind::Number(zero)) = (&left.kind, &right.kind) else {
            return Ok(false);
        };
        if !place.selectors.is_empty() || zero != &Int::ZERO {
            return Ok(false);
        }
        let start = self.read_place(place, Reading::Natural)?;
        if self.dag.as_int(start.node).is_some() || !self.dag.range(start.node).is_non_negative() {
            return Ok(false);
        }
        let Some((width, _)) = self.dag.natural(start.node) else { return Ok(false) };
        let saved = self.frame.clone();
        self.set(place.name, 0);
        let before = self.frame.clone();
        let ran = self.block(body);
        let unchanged = ran.is_ok()
            && self.frame.returned.is_none()
            && before.memory == self.frame.memory
            && before.variables.iter().zip(&self.frame.variables).all(|pair| match pair {
                (Some(before), Some(after)) => same_contents(&before.contents, &after.contents),
                (before, after) => before.is_none() && after.is_none(),
            });
        self.frame = saved.clone();
        if !unchanged {
            return Ok(false);
        }
        for _ in 0..=width {
            let value = self.read_place(place, Reading::Natural)?;
            if self.dag.as_i64(value.node) == Some(0) {
                return Ok(true);
            }
            self.step(condition.at)?;
            self.block(body)?;
        }
        self.frame = saved;
        Ok(false)
    }

    fn choose(&mut self, arms: &[(Option<Expr>, Vec<Stmt>)]) -> Ran<()> {
        let Some(((condition, body), rest)) = arms.split_first() else { return Ok(()) };
        let Some(condition) = condition else { return self.block(body) };
        let at = condition.at;
        let holds = self.condition(condition)?;
        self.branch(holds, at, |run| run.block(body), |run| run.choose(rest))
    }

    fn case(&mut self, value: &Expr, arms: &[(Expr, Vec<Stmt>)], at: Extent) -> Ran<()> {
        let value = self.expr(value, Reading::Unsigned)?.node;
        let mut labels = Vec::with_capacity(arms.len());
        for (label, _) in arms {
            labels.push(self.expr(label, Reading::Unsigned)?.node);
        }
        // Where the labels are all values that there are, the last needs no comparison.
        let mut distinct = labels.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let range = self.dag.range(value);
        let complete = match (&range.low, &range.high) {
            (Some(low), Some(high)) => Int::from(distinct.len()) == high - low + Int::ONE,
            _ => false,
        };
        let mut tried: Vec<(NodeId, Frame)> = Vec::new();
        let before = self.frame.clone();
        for (position, (label, (_, body))) in labels.iter().zip(arms).enumerate() {
            let matches = self.dag.eq(value, *label);
            let known = self.dag.as_i64(matches);
            if known == Some(0) {
                continue;
            }
            self.frame = before.clone();
            self.block(body)?;
            if known == Some(1) || (complete && position + 1 == arms.len()) {
                return self.join_all(tried, at);
            }
            tried.push((matches, std::mem::take(&mut self.frame)));
        }
        self.frame = before;
        self.join_all(tried, at)
    }

    /// Merges the paths taken under conditions, first to last, with the present one as the last resort.
    fn join_all(&mut self, mut tried: Vec<(NodeId, Frame)>, at: Extent) -> Ran<()> {
        while let Some((condition, then)) = tried.pop() {
            self.join(condition, then, at)?;
        }
        Ok(())
    }

    /// Calls a `DEFINE`d function.
    pub(super) fn call_define(&mut self, define: usize, arguments: &[Expr], at: Extent) -> Ran<Value> {
        let program = self.program;
        let define = &program.defines[define];
        let name = program.name(define.name);
        if arguments.len() != define.parameters.len() {
            let message = format!("`{name}` takes {} arguments", define.parameters.len());
            return fail(Reason::UnknownCall, message, at);
        }
        let mut callee = Frame { variables: vec![None; program.names.len()], ..Frame::default() };
        for (parameter, argument) in define.parameters.iter().zip(arguments) {
            let value = self.expr(argument, Reading::Natural)?;
            let width = match (parameter.width, value.width) {
                (Some(width), Some(own)) => Some(width.min(own)),
                (width, own) => width.or(own),
            };
            let contents = match width {
                Some(width) => {
                    let register = Register::with_value(width, value.node);
                    Contents::Bits { register, open: false }
                }
                None => Contents::Scalar(value),
            };
            let element = match (value.element, value.float, width) {
                (_, true, Some(width)) => Some(crate::Element { width, signed: true, float: true }),
                (element, ..) => element.filter(|element| width.is_none_or(|width| width >= element.width)),
            };
            let variable = Variable { element, ..Variable::temporary(contents) };
            callee.variables[parameter.name.0 as usize] = Some(Rc::new(variable));
        }
        let outermost = self.globals.is_none();
        if outermost {
            self.globals = Some(self.frame.variables.clone());
        }
        callee.memory = self.frame.memory.clone();
        let caller = std::mem::replace(&mut self.frame, callee);
        let ran = self.called(define, at);
        let callee = std::mem::replace(&mut self.frame, caller);
        self.frame.memory = callee.memory;
        if outermost {
            self.globals = None;
        }
        ran?;
        match callee.returned {
            Some((_, value)) => Ok(value),
            None => {
                // Some functions leave their value in `dst`.
                let result = program.names.iter().position(|name| name == "dst");
                let left = result.and_then(|position| callee.variables[position].clone());
                match left.as_deref().map(|variable| &variable.contents) {
                    Some(Contents::Scalar(value)) => Ok(*value),
                    Some(Contents::Bits { register, .. }) => {
                        let width = register.end();
                        Ok(Value::sized(register.read(&mut self.dag, 0, width).0, width))
                    }
                    _ => fail(Reason::Undefined, format!("`{name}` returns nothing"), at),
                }
            }
        }
    }

    /// Runs the body of a function with its variables.
    fn called(&mut self, define: &Define, at: Extent) -> Ran<()> {
        if self.budget.enter().is_err() {
            let name = self.program.name(define.name);
            let message = format!("`{name}` calls itself more than {MAX_CALLS} deep");
            return fail(Reason::Recursion, message, at);
        }
        let ran = self.step(at).and_then(|()| self.block(&define.body));
        self.budget.leave();
        ran
    }
}

fn same_contents(left: &Contents, right: &Contents) -> bool {
    match (left, right) {
        (Contents::Scalar(left), Contents::Scalar(right)) => left.node == right.node,
        (Contents::Bits { register: left, .. }, Contents::Bits { register: right, .. }) => left == right,
        (Contents::Function(left), Contents::Function(right)) => left == right,
        (Contents::Table { table: left, .. }, Contents::Table { table: right, .. }) => left == right,
        _ => false,
    }
}
