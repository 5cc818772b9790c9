//! Statements.

use hydride_ir::exact::NodeId;

use super::value::{merge, select};
use super::{Flow, Frame, Machine, Pending, Registers, Run, Value, Var};
use crate::arm::asl::ast::{Expr, Offset, Pattern, Stmt, StmtKind, Type};
use crate::pseudocode::Reason;

impl Machine<'_> {
    pub(super) fn block(&mut self, frame: &mut Frame, stmts: &[Stmt]) -> Run<Flow> {
        for stmt in stmts {
            match self.stmt(frame, stmt)? {
                Flow::Next => {}
                done => return Ok(done),
            }
        }
        Ok(Flow::Next)
    }

    fn stmt(&mut self, frame: &mut Frame, stmt: &Stmt) -> Run<Flow> {
        let offset = stmt.offset;
        self.step(offset)?;
        match &stmt.kind {
            StmtKind::Declare(typ, names, value) => {
                for name in names {
                    let var = self.declared(frame, typ, value.as_ref(), offset)?;
                    frame.set(name, var);
                }
            }
            StmtKind::Assign(place, value) => {
                let want = self.place_width(frame, place)?;
                let value = self.eval(frame, value, want)?;
                self.assign(frame, place, value, offset)?;
            }
            StmtKind::Call(name, args) => {
                self.call(frame, name, args, None, offset)?;
            }
            StmtKind::If(arms, rest) => return self.deeper(offset, |this| this.if_chain(frame, arms, rest)),
            StmtKind::Case(value, arms, otherwise) => {
                let value = self.eval(frame, value, None)?;
                let otherwise = otherwise.as_deref();
                return self.deeper(offset, |this| this.case(frame, &value, arms, otherwise, offset));
            }
            StmtKind::For { variable, from, to, down, body } => {
                return self.deeper(offset, |this| this.for_loop(frame, variable, (from, to, *down), body));
            }
            StmtKind::While(condition, body) => {
                while self.truth(frame, condition)? {
                    self.step(offset)?;
                    if let done @ Flow::Return(_) = self.deeper(offset, |this| this.block(frame, body))? {
                        return Ok(done);
                    }
                }
            }
            StmtKind::Repeat(body, condition) => loop {
                self.step(offset)?;
                if let done @ Flow::Return(_) = self.deeper(offset, |this| this.block(frame, body))? {
                    return Ok(done);
                }
                if self.truth(frame, condition)? {
                    break;
                }
            },
            StmtKind::Return(value) => return self.return_value(frame, value.as_ref()),
            StmtKind::Assert(condition) => {
                // An assertion about values that are not known holds by the document's word.
                let condition = self.boolean(frame, condition)?;
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

    fn declared(&mut self, frame: &mut Frame, typ: &Type, value: Option<&Expr>, offset: Offset) -> Run<Var> {
        let width = match typ {
            Type::Bits(width) => {
                let node = self.integer(frame, width)?;
                Some(self.known_width(node, offset)?)
            }
            _ => None,
        };
        let Some(value) = value else {
            return Ok(match width {
                Some(width) => Var::Bits(Default::default(), width),
                None => Var::Unset,
            });
        };
        let value = self.eval(frame, value, width)?;
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

    fn return_value(&mut self, frame: &mut Frame, value: Option<&Expr>) -> Run<Flow> {
        let Some(value) = value else { return Ok(Flow::Return(Value::Unit)) };
        let want = match frame.returns.clone() {
            Some(Type::Bits(width)) => match self.integer(frame, &width) {
                Ok(node) => self.dag.as_i64(node).and_then(|width| u32::try_from(width).ok()),
                Err(_) => None,
            },
            _ => None,
        };
        Ok(Flow::Return(self.eval(frame, value, want)?))
    }

    /// A condition that must be known.
    fn truth(&mut self, frame: &mut Frame, condition: &Expr) -> Run<bool> {
        let node = self.boolean(frame, condition)?;
        let node = self.decided(node);
        match self.dag.as_i64(node) {
            Some(value) => Ok(value != 0),
            None => self.fault(Reason::Symbolic, condition.offset, "a loop's condition must be known"),
        }
    }

    fn for_loop(
        &mut self,
        frame: &mut Frame,
        variable: &str,
        (from, to, down): (&Expr, &Expr, bool),
        body: &[Stmt],
    ) -> Run<Flow> {
        let first = self.integer(frame, from)?;
        let first = self.known(first, from.offset)?;
        let last = self.integer(frame, to)?;
        let last = self.known(last, to.offset)?;
        let mut index = first;
        while if down { index >= last } else { index <= last } {
            self.step(from.offset)?;
            let node = self.dag.int(index);
            frame.set(variable, Var::Value(Value::Int(node)));
            if let done @ Flow::Return(_) = self.block(frame, body)? {
                return Ok(done);
            }
            index += if down { -1 } else { 1 };
        }
        Ok(Flow::Next)
    }

    fn if_chain(&mut self, frame: &mut Frame, arms: &[(Expr, Vec<Stmt>)], rest: &[Stmt]) -> Run<Flow> {
        let Some(((condition, then), others)) = arms.split_first() else { return self.block(frame, rest) };
        let node = self.boolean(frame, condition)?;
        self.branch(
            frame,
            node,
            condition.offset,
            |this, frame| this.block(frame, then),
            |this, frame| this.deeper(condition.offset, |this| this.if_chain(frame, others, rest)),
        )
    }

    fn case(
        &mut self,
        frame: &mut Frame,
        value: &Value,
        arms: &[(Vec<Pattern>, Vec<Stmt>)],
        otherwise: Option<&[Stmt]>,
        offset: Offset,
    ) -> Run<Flow> {
        let mut remaining = arms;
        loop {
            let Some(((patterns, body), others)) = remaining.split_first() else {
                return match otherwise {
                    Some(stmts) => self.block(frame, stmts),
                    None => {
                        self.fault(Reason::UndefinedEncoding, offset, "no alternative of the case applies")
                    }
                };
            };
            let mut matches = self.dag.int(0);
            for pattern in patterns {
                let one = self.matches(frame, value, pattern, offset)?;
                matches = self.dag.or(matches, one);
            }
            match self.dag.as_i64(matches) {
                Some(0) => remaining = others,
                Some(_) => return self.block(frame, body),
                None => {
                    return self.branch(
                        frame,
                        matches,
                        offset,
                        |this, frame| this.block(frame, body),
                        |this, frame| {
                            this.deeper(offset, |this| this.case(frame, value, others, otherwise, offset))
                        },
                    );
                }
            }
        }
    }

    fn matches(
        &mut self,
        frame: &mut Frame,
        value: &Value,
        pattern: &Pattern,
        offset: Offset,
    ) -> Run<NodeId> {
        match (pattern, value) {
            (Pattern::Any, _) => Ok(self.dag.int(1)),
            (Pattern::Value(pattern), value) => self.equals(frame, value, pattern),
            (Pattern::Tuple(patterns), Value::Tuple(values)) if patterns.len() == values.len() => {
                let mut all = self.dag.int(1);
                for (pattern, value) in patterns.iter().zip(values) {
                    let one = self.matches(frame, value, pattern, offset)?;
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
    fn branch(
        &mut self,
        frame: &mut Frame,
        condition: NodeId,
        offset: Offset,
        then: impl FnOnce(&mut Self, &mut Frame) -> Run<Flow>,
        otherwise: impl FnOnce(&mut Self, &mut Frame) -> Run<Flow>,
    ) -> Run<Flow> {
        let condition = self.decided(condition);
        match self.dag.as_i64(condition) {
            Some(0) => return otherwise(self, frame),
            Some(_) => return then(self, frame),
            None => {}
        }
        let vars = frame.vars.clone();
        let registers = self.registers.clone();
        let outer = std::mem::take(&mut frame.pending);

        let then_flow = then(self, frame)?;
        let then_vars = std::mem::replace(&mut frame.vars, vars);
        let then_registers = std::mem::replace(&mut self.registers, registers);
        let then_pending = std::mem::take(&mut frame.pending);

        let else_flow = otherwise(self, frame)?;
        let else_pending = std::mem::replace(&mut frame.pending, outer);

        let opposite = self.dag.complement(condition);
        for (guard, inner) in [(condition, then_pending), (opposite, else_pending)] {
            for pending in inner {
                let condition = self.dag.and(guard, pending.condition);
                frame.pending.push(Pending { condition, ..pending });
            }
        }
        match (then_flow, else_flow) {
            (Flow::Next, Flow::Next) => {
                let mut merged = std::mem::take(&mut frame.vars);
                for (name, then) in then_vars {
                    match merged.get_mut(&name) {
                        Some(slot) => *slot = merge(&mut self.dag, condition, &then, slot),
                        None => {
                            merged.insert(name, then);
                        }
                    }
                }
                frame.vars = merged;
                let now = std::mem::take(&mut self.registers);
                self.registers = Registers::merge(&mut self.dag, condition, &then_registers, &now);
                Ok(Flow::Next)
            }
            (Flow::Return(value), Flow::Next) => {
                frame.pending.push(Pending { condition, value, registers: then_registers });
                Ok(Flow::Next)
            }
            (Flow::Next, Flow::Return(value)) => {
                let registers = std::mem::replace(&mut self.registers, then_registers);
                frame.pending.push(Pending { condition: opposite, value, registers });
                frame.vars = then_vars;
                Ok(Flow::Next)
            }
            (Flow::Return(then), Flow::Return(otherwise)) => {
                let now = std::mem::take(&mut self.registers);
                self.registers = Registers::merge(&mut self.dag, condition, &then_registers, &now);
                match select(&mut self.dag, condition, &then, &otherwise) {
                    Some(value) => Ok(Flow::Return(value)),
                    None => self.fault(Reason::Symbolic, offset, "the branches return unlike values"),
                }
            }
        }
    }
}
