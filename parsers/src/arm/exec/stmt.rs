//! Statements.

use hydride_ir::exact::NodeId;

use super::value::select;
use super::{Flow, Machine, Pending, Run, Value, Var};
use crate::arm::asl::ast::{Expr, ExprKind, Offset, Pattern, Stmt, StmtKind, Type};
use crate::pseudocode::{Branching, Reason};

impl Machine<'_> {
    pub(super) fn block(&mut self, stmts: &[Stmt]) -> Run<Flow> {
        for stmt in stmts {
            match self.stmt(stmt)? {
                Flow::Next => {}
                done => return Ok(done),
            }
        }
        Ok(Flow::Next)
    }

    fn stmt(&mut self, stmt: &Stmt) -> Run<Flow> {
        let offset = stmt.offset;
        self.step(offset)?;
        match &stmt.kind {
            StmtKind::Declare(typ, names, value) => {
                for name in names {
                    let var = self.declared(typ, value.as_ref(), offset)?;
                    self.state.frame.set(name, var);
                }
            }
            StmtKind::Assign(place, value) => {
                let want = self.place_width(place)?;
                let value = self.eval(value, want)?;
                self.check(&value, offset)?;
                self.assign(place, value, offset)?;
            }
            StmtKind::Call(name, args) => {
                self.call(name, args, None, offset)?;
            }
            StmtKind::If(arms, rest) => return self.deeper(offset, |this| this.if_chain(arms, rest)),
            StmtKind::Case(value, arms, otherwise) => {
                let value = self.eval(value, None)?;
                let otherwise = otherwise.as_deref();
                return self.deeper(offset, |this| this.case(&value, arms, otherwise, offset));
            }
            StmtKind::For { variable, from, to, down, body } => {
                return self.deeper(offset, |this| this.for_loop(variable, (from, to, *down), body));
            }
            StmtKind::While(condition, body) => {
                while self.truth(condition)? {
                    self.step(offset)?;
                    if let done @ Flow::Return(_) = self.deeper(offset, |this| this.block(body))? {
                        return Ok(done);
                    }
                }
            }
            StmtKind::Repeat(body, condition) => loop {
                self.step(offset)?;
                if let done @ Flow::Return(_) = self.deeper(offset, |this| this.block(body))? {
                    return Ok(done);
                }
                if self.truth(condition)? {
                    break;
                }
            },
            StmtKind::Return(value) => return self.return_value(value.as_ref()),
            StmtKind::Assert(condition) => {
                // An assertion about values that are not known holds by the document's word.
                let condition = self.boolean(condition)?;
                if self.dag.as_i64(condition) == Some(0) {
                    return self.fault(Reason::Assertion, offset, "an assertion does not hold");
                }
            }
            StmtKind::Undefined => {
                return self.fault(Reason::UndefinedEncoding, offset, "the encoding is undefined");
            }
            StmtKind::See => {
                return self.fault(
                    Reason::UndefinedEncoding,
                    offset,
                    "the encoding is another instruction's",
                );
            }
            StmtKind::Unpredictable => {
                return self.fault(Reason::Unpredictable, offset, "the behaviour is left open");
            }
        }
        Ok(Flow::Next)
    }

    fn declared(&mut self, typ: &Type, value: Option<&Expr>, offset: Offset) -> Run<Var> {
        let width = match typ {
            Type::Bits(width) => {
                let node = self.integer(width)?;
                Some(self.known_width(node, offset)?)
            }
            _ => None,
        };
        // What is left open may only not be read.
        let open = |value: &&Expr| matches!(value.kind, ExprKind::Unknown(_));
        let Some(value) = value.filter(|value| width.is_some() || !open(value)) else {
            return Ok(match width {
                Some(width) => Var::Bits(Default::default(), width),
                None => Var::Unset,
            });
        };
        let value = self.eval(value, width)?;
        self.check_type(typ, width, &value, offset)?;
        Ok(Var::Value(value))
    }

    fn check_type(&self, typ: &Type, width: Option<u32>, value: &Value, offset: Offset) -> Run<()> {
        let fits = match (typ, value) {
            (Type::Bits(_), Value::Bits(_, super::Width::Known(own))) => width == Some(*own),
            (Type::Integer, Value::Int(_)) | (Type::Boolean, Value::Bool(_)) => true,
            (Type::Named(_), _) => true,
            _ => false,
        };
        if fits {
            return Ok(());
        }
        let wanted = match (typ, width) {
            (_, Some(width)) => format!("{width} bits"),
            (Type::Integer, _) => "an integer".into(),
            _ => "a boolean".into(),
        };
        let found = match value {
            Value::Bits(_, super::Width::Known(width)) => format!("{width} bits"),
            other => other.kind().into(),
        };
        self.fault(Reason::Type, offset, format!("expected {wanted}, found {found}"))
    }

    fn return_value(&mut self, value: Option<&Expr>) -> Run<Flow> {
        let Some(value) = value else { return Ok(Flow::Return(Value::Unit)) };
        let want = match self.returns.clone() {
            Some(Type::Bits(width)) => match self.integer(&width) {
                Ok(node) => self.dag.as_i64(node).and_then(|width| u32::try_from(width).ok()),
                Err(_) => None,
            },
            _ => None,
        };
        Ok(Flow::Return(self.eval(value, want)?))
    }

    /// A condition that must be known.
    fn truth(&mut self, condition: &Expr) -> Run<bool> {
        let node = self.boolean(condition)?;
        let node = self.decided(node);
        match self.dag.as_i64(node) {
            Some(value) => Ok(value != 0),
            None => self.fault(Reason::Symbolic, condition.offset, "a loop's condition must be known"),
        }
    }

    fn for_loop(
        &mut self,
        variable: &str,
        (from, to, down): (&Expr, &Expr, bool),
        body: &[Stmt],
    ) -> Run<Flow> {
        let first = self.integer(from)?;
        let first = self.known(first, from.offset)?;
        let last = self.integer(to)?;
        let last = self.known(last, to.offset)?;
        let mut index = first;
        while if down { index >= last } else { index <= last } {
            self.step(from.offset)?;
            let node = self.dag.int(index);
            self.state.frame.set(variable, Var::Value(Value::Int(node)));
            if let done @ Flow::Return(_) = self.block(body)? {
                return Ok(done);
            }
            index += if down { -1 } else { 1 };
        }
        Ok(Flow::Next)
    }

    fn if_chain(&mut self, arms: &[(Expr, Vec<Stmt>)], rest: &[Stmt]) -> Run<Flow> {
        let Some(((condition, then), others)) = arms.split_first() else { return self.block(rest) };
        let node = self.boolean(condition)?;
        self.choose(
            node,
            condition.offset,
            |this| this.block(then),
            |this| this.deeper(condition.offset, |this| this.if_chain(others, rest)),
        )
    }

    fn case(
        &mut self,
        value: &Value,
        arms: &[(Vec<Pattern>, Vec<Stmt>)],
        otherwise: Option<&[Stmt]>,
        offset: Offset,
    ) -> Run<Flow> {
        let mut remaining = arms;
        loop {
            let Some(((patterns, body), others)) = remaining.split_first() else {
                return match otherwise {
                    Some(stmts) => self.block(stmts),
                    None => {
                        self.fault(Reason::UndefinedEncoding, offset, "no alternative of the case applies")
                    }
                };
            };
            let mut matches = self.dag.int(0);
            for pattern in patterns {
                let one = self.matches(value, pattern, offset)?;
                matches = self.dag.or(matches, one);
            }
            match self.dag.as_i64(matches) {
                Some(0) => remaining = others,
                Some(_) => return self.block(body),
                None => {
                    return self.choose(
                        matches,
                        offset,
                        |this| this.block(body),
                        |this| this.deeper(offset, |this| this.case(value, others, otherwise, offset)),
                    );
                }
            }
        }
    }

    fn matches(&mut self, value: &Value, pattern: &Pattern, offset: Offset) -> Run<NodeId> {
        match (pattern, value) {
            (Pattern::Any, _) => Ok(self.dag.int(1)),
            (Pattern::Value(pattern), value) => self.equals(value, pattern),
            (Pattern::Tuple(patterns), Value::Tuple(values)) if patterns.len() == values.len() => {
                let mut all = self.dag.int(1);
                for (pattern, value) in patterns.iter().zip(values) {
                    let one = self.matches(value, pattern, offset)?;
                    all = self.dag.and(all, one);
                }
                Ok(all)
            }
            (Pattern::Tuple(_), other) => {
                self.fault(Reason::Type, offset, format!("expected a tuple, found {}", other.kind()))
            }
        }
    }

    /// Runs one of two branches, or both where the condition is not known.
    fn choose(
        &mut self,
        condition: NodeId,
        offset: Offset,
        then: impl FnOnce(&mut Self) -> Run<Flow>,
        otherwise: impl FnOnce(&mut Self) -> Run<Flow>,
    ) -> Run<Flow> {
        let condition = self.decided(condition);
        match self.dag.as_i64(condition) {
            Some(0) => return otherwise(self),
            Some(_) => return then(self),
            None => {}
        }
        let outer = std::mem::take(&mut self.pending);
        let ((then_flow, then_pending), left, (else_flow, else_pending)) = self.fork(
            |this| Ok((then(this)?, std::mem::take(&mut this.pending))),
            |this| Ok((otherwise(this)?, std::mem::take(&mut this.pending))),
        )?;
        self.pending = outer;
        let opposite = self.dag.complement(condition);
        for (guard, inner) in [(condition, then_pending), (opposite, else_pending)] {
            for pending in inner {
                let condition = self.dag.and(guard, pending.condition);
                self.pending.push(Pending { condition, ..pending });
            }
        }
        match (then_flow, else_flow) {
            (Flow::Next, Flow::Next) => {
                self.join(condition, left, self.location(offset))?;
                Ok(Flow::Next)
            }
            (Flow::Return(value), Flow::Next) => {
                self.pending.push(Pending { condition, value, registers: left.registers });
                Ok(Flow::Next)
            }
            (Flow::Next, Flow::Return(value)) => {
                let returned = std::mem::replace(&mut self.state, left);
                self.pending.push(Pending { condition: opposite, value, registers: returned.registers });
                Ok(Flow::Next)
            }
            (Flow::Return(then), Flow::Return(otherwise)) => {
                self.join_registers(condition, &left.registers);
                match select(&mut self.dag, condition, &then, &otherwise) {
                    Some(value) => Ok(Flow::Return(value)),
                    None => self.fault(Reason::Symbolic, offset, "the branches return unlike values"),
                }
            }
        }
    }
}
