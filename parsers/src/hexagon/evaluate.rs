//! Running pseudocode on exact integers: loops run with known bounds, both branches of a condition
//! on an operand run and are merged, declared variables and register parts keep the low bits.

use hydride_ir::exact::{Int, NodeId};

use super::machine::{Machine, Variable};
use super::region::is_state;
use super::source::Fault;
use super::syntax::{Binary, Declared, Expr, ExprKind, ForInit, Initial, Stmt, StmtKind, Type, Unary};
use super::view::{View, unknown};
use crate::pseudocode::{Branching, Reason};

/// Reasons for which an operand that does not count may be left out.
const UNDEFINED: [Reason; 2] = [Reason::Index, Reason::Shift];

impl Machine {
    /// Runs statements in a new scope.
    pub fn run(&mut self, statements: &[Stmt]) -> Result<(), Fault> {
        let scope = self.enter();
        for statement in statements {
            self.statement(statement)?;
        }
        self.leave(scope);
        Ok(())
    }

    fn statement(&mut self, statement: &Stmt) -> Result<(), Fault> {
        self.work(0, statement.at)?;
        match &statement.kind {
            StmtKind::Block(body) => self.run(body),
            StmtKind::Empty => Ok(()),
            StmtKind::Return => {
                Err(Fault::failed(Reason::Unsupported, statement.at, "the text ends before its end"))
            }
            StmtKind::Value(expr) => self.effect(expr),
            StmtKind::Declare(list) => self.declare(list, statement.at),
            StmtKind::If(condition, then, otherwise) => {
                let at = condition.at;
                let condition = self.condition(condition)?;
                self.branch(
                    condition,
                    at,
                    |machine| machine.nested(then),
                    |machine| otherwise.iter().try_for_each(|branch| machine.nested(branch)),
                )
            }
            StmtKind::For(init, condition, step, body) => {
                let scope = self.enter();
                match init {
                    ForInit::Nothing => {}
                    ForInit::Declare(list) => self.declare(list, statement.at)?,
                    ForInit::Value(expr) => self.effect(expr)?,
                }
                loop {
                    self.work(0, statement.at)?;
                    if let Some(condition) = condition
                        && !self.decided(condition)?
                    {
                        break;
                    }
                    self.nested(body)?;
                    step.iter().try_for_each(|step| self.effect(step))?;
                }
                self.leave(scope);
                Ok(())
            }
            StmtKind::Do(body, condition) => loop {
                self.work(0, statement.at)?;
                self.nested(body)?;
                if !self.decided(condition)? {
                    return Ok(());
                }
            },
        }
    }

    /// A statement whose declarations end with it.
    fn nested(&mut self, statement: &Stmt) -> Result<(), Fault> {
        let scope = self.enter();
        self.statement(statement)?;
        self.leave(scope);
        Ok(())
    }

    /// The value of a loop condition.
    fn decided(&mut self, condition: &Expr) -> Result<bool, Fault> {
        let value = self.condition(condition)?;
        match self.dag.as_i64(value) {
            Some(value) => Ok(value != 0),
            None => Err(Fault::failed(
                Reason::Symbolic,
                condition.at,
                "the loop's condition depends on an operand",
            )),
        }
    }

    fn declare(&mut self, list: &[Declared], at: usize) -> Result<(), Fault> {
        for Declared { of, name, value } in list {
            let initial = match value {
                Initial::Value(expr) => Some(self.value(expr)?),
                Initial::Nothing | Initial::Zero => None,
            };
            let variable = self.fresh(*of, matches!(value, Initial::Zero));
            let slot = self.add_local(name, variable);
            if let Some(initial) = initial {
                let whole = self.whole(slot);
                self.write(&whole, initial, at)?;
            }
        }
        Ok(())
    }

    /// Evaluates an expression for what it does.
    fn effect(&mut self, expr: &Expr) -> Result<(), Fault> {
        match &expr.kind {
            ExprKind::Assign(None, place, value) if is_state(place) => self.value(value).map(drop),
            ExprKind::Assign(op, place, value) => self.assign(*op, place, value).map(drop),
            ExprKind::Call(name, arguments) => self.call(name, arguments, expr.at).map(drop),
            _ => self.value(expr).map(drop),
        }
    }

    fn assign(&mut self, op: Option<Binary>, place: &Expr, value: &Expr) -> Result<View, Fault> {
        let value = self.value(value)?;
        if let ExprKind::Name(name) = &place.kind
            && self.slot(name).is_none()
        {
            // The manual does not declare its temporaries.
            let is_temporary = name.starts_with(|letter: char| letter.is_ascii_lowercase());
            if op.is_some() || !is_temporary {
                return Err(unknown(name, place.at));
            }
            self.add_global(name, Variable::Integer { value: None, of: None });
        }
        let view = self.view(place)?;
        match op {
            None => self.write(&view, value, place.at)?,
            Some(op) => self.update(&view, op, value, place.at)?,
        }
        Ok(view)
    }

    /// The value of an expression as 0 or 1.
    fn condition(&mut self, expr: &Expr) -> Result<NodeId, Fault> {
        let value = self.value(expr)?;
        Ok(self.truth(value))
    }

    /// The value of an expression that no operand takes part in.
    pub fn constant(&mut self, expr: &Expr) -> Result<i64, Fault> {
        let value = self.value(expr)?;
        self.dag
            .as_i64(value)
            .ok_or_else(|| Fault::failed(Reason::Symbolic, expr.at, "this must not depend on an operand"))
    }

    /// The value of an expression.
    pub fn value(&mut self, expr: &Expr) -> Result<NodeId, Fault> {
        let at = expr.at;
        let value = match &expr.kind {
            ExprKind::Int(value) => self.dag.int(*value),
            ExprKind::Literal | ExprKind::Sizes(_) | ExprKind::Address(_) => {
                return Err(Fault::failed(Reason::Unsupported, at, "this is no value"));
            }
            ExprKind::Name(name) => match self.slot(name) {
                Some(slot) => {
                    let whole = self.whole(slot);
                    return self.read(&whole, at);
                }
                None => self.named_constant(name).ok_or_else(|| unknown(name, at))?,
            },
            ExprKind::Immediate(signed) => {
                let name = if *signed { "si" } else { "ui" };
                let missing =
                    || Fault::failed(Reason::UnknownRegister, at, "the instruction has no such immediate");
                let whole = self.slot(name).map(|slot| self.whole(slot)).ok_or_else(missing)?;
                return self.read(&whole, at);
            }
            ExprKind::Unary(op, operand) => {
                let operand = self.value(operand)?;
                match op {
                    Unary::Plus => operand,
                    Unary::Negate => self.dag.neg(operand),
                    Unary::Complement => self.dag.not(operand),
                    Unary::Not => {
                        let truth = self.truth(operand);
                        self.dag.complement(truth)
                    }
                }
            }
            ExprKind::Binary(op @ (Binary::And | Binary::Or), left, right) => {
                let left = self.condition(left)?;
                match (self.dag.as_i64(left), op) {
                    (Some(0), Binary::And) | (Some(1), Binary::Or) => left,
                    (Some(_), _) => self.condition(right)?,
                    (None, _) => {
                        let right = self.guarded(|machine| machine.condition(right))?;
                        if *op == Binary::And { self.dag.and(left, right) } else { self.dag.or(left, right) }
                    }
                }
            }
            ExprKind::Binary(op, left, right) => {
                let left = self.value(left)?;
                let right = self.value(right)?;
                return self.binary(*op, left, right, at);
            }
            ExprKind::Choice(condition, then, otherwise) => {
                let condition = self.condition(condition)?;
                match self.dag.as_i64(condition) {
                    Some(0) => return self.value(otherwise),
                    Some(_) => return self.value(then),
                    None => {
                        let then = self.guarded(|machine| machine.value(then));
                        let otherwise = self.guarded(|machine| machine.value(otherwise));
                        match (then, otherwise) {
                            (Ok(then), Ok(otherwise)) => self.dag.select(condition, then, otherwise),
                            (Ok(value), Err(fault)) | (Err(fault), Ok(value))
                                if UNDEFINED.contains(&fault.reason) =>
                            {
                                value
                            }
                            (Err(fault), _) | (_, Err(fault)) => return Err(fault),
                        }
                    }
                }
            }
            ExprKind::Assign(op, place, value) => {
                let view = self.assign(*op, place, value)?;
                return self.read(&view, at);
            }
            ExprKind::Step { place, delta, after } => {
                let view = self.view(place)?;
                let old = self.read(&view, at)?;
                let delta = self.dag.int(*delta);
                let new = self.dag.sum(&[old, delta]);
                let new = self.checked(new, at)?;
                self.write(&view, new, at)?;
                if *after { old } else { self.read(&view, at)? }
            }
            ExprKind::Index(..)
            | ExprKind::Slice(..)
            | ExprKind::Field(..)
            | ExprKind::Arrow(..)
            | ExprKind::Statements(_) => {
                let view = self.view(expr)?;
                return self.read(&view, at);
            }
            ExprKind::Pair(high, low) => {
                let low = self.view(low)?;
                if low.is_exact() {
                    return Err(Fault::failed(Reason::Unsupported, at, "the lower part has no width"));
                }
                let width = low.width;
                let high = self.value(high)?;
                let low = self.read(&low, at)?;
                let low = self.dag.slice(low, 0, width, false);
                let width = self.dag.int(width);
                let high = self.dag.shl(high, width);
                self.dag.sum(&[high, low])
            }
            ExprKind::Cast(of, operand) => {
                let operand = self.value(operand)?;
                match of {
                    Type::Integer { width, signed } => self.dag.slice(operand, 0, *width, *signed),
                    _ => return Err(Fault::failed(Reason::Unsupported, at, "a conversion to a vector")),
                }
            }
            ExprKind::Sizeof(operand) => {
                let view = self.view(operand)?;
                if view.is_exact() {
                    return Err(Fault::failed(Reason::Unsupported, at, "the operand of sizeof has no width"));
                }
                self.dag.int(view.width / 8)
            }
            ExprKind::SizeofType(of) => {
                let bytes = match of {
                    Type::Integer { width, .. } => width / 8,
                    Type::Vector => self.vector_bytes,
                    Type::Pair => 2 * self.vector_bytes,
                    Type::Predicate => self.vector_bytes / 8,
                    Type::Address => {
                        return Err(Fault::failed(Reason::Unsupported, at, "the size of an address"));
                    }
                };
                self.dag.int(bytes)
            }
            ExprKind::Call(name, arguments) => {
                let value = self.call(name, arguments, at)?;
                value.ok_or_else(|| Fault::failed(Reason::Unsupported, at, format!("{name} has no value")))?
            }
        };
        self.checked(value, at)
    }

    /// Evaluates an operand that counts under a condition only.
    fn guarded(&mut self, of: impl FnOnce(&mut Self) -> Result<NodeId, Fault>) -> Result<NodeId, Fault> {
        let before = self.frozen;
        let scope = self.enter();
        self.frozen = before.or(Some(self.store.locals.len()));
        let value = of(self);
        self.frozen = before;
        self.leave(scope);
        value
    }

    /// The value of statements in an expression: that of the last one.
    pub fn statements_view(&mut self, statements: &[Stmt], at: usize) -> Result<View, Fault> {
        let Some((Stmt { kind: StmtKind::Value(last), .. }, before)) = statements.split_last() else {
            return Err(Fault::failed(Reason::Unsupported, at, "the last statement has no value"));
        };
        let scope = self.enter();
        for statement in before {
            self.statement(statement)?;
        }
        let view = self.view(last)?;
        let view = self.detach(view, at)?;
        self.leave(scope);
        Ok(view)
    }

    /// `left op right`.
    pub fn binary(&mut self, op: Binary, left: NodeId, right: NodeId, at: usize) -> Result<NodeId, Fault> {
        if let Some(value) = self.address_binary(op, left, right, at)? {
            return self.checked(value, at);
        }
        let by_zero = || Fault::failed(Reason::Unsupported, at, "a division by zero");
        let dag = &mut self.dag;
        let value = match op {
            Binary::Add => dag.sum(&[left, right]),
            Binary::Sub => dag.sub(left, right),
            Binary::Mul => dag.mul(left, right),
            Binary::Div | Binary::Rem => {
                let range = dag.range(right);
                let is_positive = range.low.as_ref().is_some_and(|low| low > &Int::ZERO);
                let is_negative = range.high.as_ref().is_some_and(|high| high < &Int::ZERO);
                if !is_positive && !is_negative {
                    return Err(by_zero());
                }
                let value = if op == Binary::Div { dag.div(left, right) } else { dag.rem(left, right) };
                value.ok_or_else(by_zero)?
            }
            Binary::BitAnd => self.and_bits(left, right),
            Binary::BitOr => self.or_bits(left, right),
            Binary::BitXor => dag.xor(left, right),
            Binary::Eq => self.equal(left, right),
            Binary::Ne => {
                let equal = self.equal(left, right);
                self.dag.complement(equal)
            }
            Binary::Lt => dag.lt(left, right),
            Binary::Gt => dag.lt(right, left),
            Binary::Le => dag.le(left, right),
            Binary::Ge => dag.le(right, left),
            Binary::Shl | Binary::Shr => {
                let count = self.count(right, at)?;
                if op == Binary::Shl { self.dag.shl(left, count) } else { self.dag.shr(left, count) }
            }
            Binary::And | Binary::Or => {
                let (left, right) = (self.truth(left), self.truth(right));
                if op == Binary::And { self.dag.and(left, right) } else { self.dag.or(left, right) }
            }
        };
        self.checked(value, at)
    }

    /// A shift count: not negative where it counts, and bounded.
    pub fn count(&mut self, count: NodeId, at: usize) -> Result<NodeId, Fault> {
        let range = self.dag.range(count).clone();
        let Some(high) = range.high.filter(|high| high <= &Int::from(hydride_ir::MAX_WIDTH)) else {
            return Err(Fault::failed(Reason::Limit, at, "a shift by an unbounded count"));
        };
        if high < Int::ZERO {
            return Err(Fault::failed(Reason::Shift, at, "a shift by a negative count"));
        }
        if range.low.is_some_and(|low| low >= Int::ZERO) {
            return Ok(count);
        }
        // A negative count occurs nowhere but in an operand that does not count.
        use dashu_int::ops::BitTest;
        let width = u32::try_from(high.bit_len()).unwrap_or(32);
        Ok(self.dag.slice(count, 0, width, false))
    }
}
