//! Calls: functions of the library, with the few that documents call but do not define.

use std::sync::Arc;

use super::value::select;
use super::{FileId, Flow, Frame, Machine, Run, Value, Var, Width};
use crate::arm::asl::ast::{Expr, ExprKind, Function, FunctionKind, Name, Offset, Type};
use crate::pseudocode::Reason;

/// A call of a function.
pub(super) struct Call<'f> {
    pub(super) function: &'f Function,
    pub(super) args: Vec<Var>,
    /// What is assigned, of a setter.
    pub(super) assigned: Option<Value>,
    /// The width that the value should have, if the context of the call determines it.
    pub(super) want: Option<u32>,
    /// Where the call is in its text.
    pub(super) offset: Offset,
}

impl Machine<'_> {
    /// A call as an expression or statement.
    pub(super) fn call(
        &mut self,
        name: &str,
        args: &[Expr],
        want: Option<u32>,
        offset: Offset,
    ) -> Run<Value> {
        self.step(offset)?;
        if let Some(value) = self.builtin(name, args, want, offset)? {
            return Ok(value);
        }
        let function = self.find(name, FunctionKind::Call, args.len(), offset)?;
        let args: Vec<&Expr> = args.iter().collect();
        self.invoke_with(&function, &args, want, offset)
    }

    /// The function of a name; the first of several that take different types is returned.
    pub(super) fn find(
        &self,
        name: &str,
        kind: FunctionKind,
        arguments: usize,
        offset: Offset,
    ) -> Run<Arc<Function>> {
        if let Some(found) = super::FLOATS.function_named(name, kind, arguments) {
            let functions = found.map_err(|error| super::fault::syntax(FileId::Floats, error))?;
            if let Some(function) = functions.first() {
                return Ok(function.clone());
            }
        }
        match self.documents.library.function_named(name, kind, arguments) {
            Some(Ok(functions)) => {
                // `Abs` exists for integers and for reals; our values are never real.
                match functions.iter().find(|function| !has_reals(function)) {
                    Some(function) => Ok(function.clone()),
                    None => self.fault(Reason::FloatingPoint, offset, format!("`{name}` on real numbers")),
                }
            }
            Some(Err(error)) => Err(super::fault::syntax(FileId::Library, error)),
            None if super::builtin::is_floating_point(name) => {
                self.fault(Reason::FloatingPoint, offset, format!("`{name}`"))
            }
            None => self.fault(
                Reason::UnknownCall,
                offset,
                format!("`{name}` is not defined for {arguments} arguments"),
            ),
        }
    }

    /// Evaluates arguments and calls a function or getter.
    pub(super) fn invoke_with(
        &mut self,
        function: &Function,
        args: &[&Expr],
        want: Option<u32>,
        offset: Offset,
    ) -> Run<Value> {
        let mut vars = Vec::with_capacity(args.len());
        for (param, arg) in function.params.iter().zip(args) {
            let want = literal_width(&param.typ);
            vars.push(Var::Value(self.eval(arg, want)?));
        }
        let (value, _) = self.invoke(Call { function, args: vars, assigned: None, want, offset })?;
        Ok(value)
    }

    /// Calls a function; the values of its parameters afterwards are returned for references.
    pub(super) fn invoke(&mut self, call: Call<'_>) -> Run<(Value, Vec<Var>)> {
        let Call { function, args, offset, .. } = &call;
        let (function, offset) = (*function, *offset);
        self.step(offset)?;
        let file = self.file;
        let table_args = super::recognize::table_arguments(&self.dag, function, args);
        if table_args.is_some()
            && let Some(value) = self.table_value(function, args)
        {
            return Ok((value, call.args));
        }
        let kept = table_args.map(|range| (range, args.clone(), self.state.registers.clone()));
        let result = self.deeper(offset, |this| this.enter(call));
        self.file = file;
        match (result, kept) {
            (Err(fault), Some((range, args, registers))) if fault.reason == Reason::Symbolic => {
                // A pure function of one small integer: run it at every value.
                self.state.registers = registers;
                let value = self.tabulate(function, &args, range, fault, offset)?;
                self.file = file;
                Ok((value, args))
            }
            (result, _) => result,
        }
    }

    fn enter(&mut self, call: Call<'_>) -> Run<(Value, Vec<Var>)> {
        let Call { function, args, assigned, want, offset } = call;
        let mut inner = Frame::default();
        let typed = function.params.iter().map(|param| &param.typ).zip(&args);
        for (typ, arg) in typed {
            if let Some(width) = var_width(arg) {
                self.bind_width(&mut inner, typ, width);
            }
        }
        let bits_argument = super::recognize::bits_argument(&args);
        for (param, arg) in function.params.iter().zip(args) {
            inner.set(&param.name, arg);
        }
        match (&function.value, assigned) {
            (Some(name), Some(value)) => {
                if let (Some(typ), Value::Bits(_, width)) = (&function.returns, &value) {
                    self.bind_width(&mut inner, typ, *width);
                }
                inner.set(name, Var::Value(value));
            }
            _ => {
                if let (Some(typ), Some(want)) = (&function.returns, want) {
                    self.bind_width(&mut inner, typ, Width::Known(want));
                }
            }
        }
        let own =
            super::FLOATS.function_named(&function.name, function.kind, function.params.len()).is_some();
        self.file = if own { FileId::Floats } else { FileId::Library };
        let (flow, mut inner, pending) =
            self.in_frame(inner, function.returns.clone(), |this| this.block(&function.body));
        let mut value = match flow? {
            Flow::Return(value) => value,
            Flow::Next => Value::Unit,
        };
        if let Some(bits) = bits_argument
            && let Some(found) = self.bit_search(&pending, &value, bits)
        {
            value = found;
        } else {
            for pending in pending.into_iter().rev() {
                value = match select(&mut self.dag, pending.condition, &pending.value, &value) {
                    Some(value) => value,
                    None => return self.fault(Reason::Symbolic, offset, "the branches return unlike values"),
                };
                self.join_registers(pending.condition, &pending.registers);
            }
            if let Some(bits) = bits_argument {
                value = self.bit_count(value, bits);
            }
        }
        let references = function
            .params
            .iter()
            .map(|param| match param.reference {
                true => inner.vars.remove(&param.name).unwrap_or(Var::Unset),
                false => Var::Unset,
            })
            .collect();
        Ok((value, references))
    }

    /// Gives the name in `bits(N)` its value, unless a parameter of that name does.
    fn bind_width(&mut self, frame: &mut Frame, typ: &Type, width: Width) {
        if let Type::Bits(expr) = typ
            && let ExprKind::Name(name) = &expr.kind
            && !frame.vars.contains_key(name)
        {
            let node = self.width_node(width);
            frame.set(name, Var::Value(Value::Int(node)));
        }
    }

    /// The width in bits that a setter's value has, where its head and the arguments tell.
    pub(super) fn setter_width(&mut self, function: &Function, args: &[&Expr]) -> Option<u32> {
        let Some(Type::Bits(width)) = &function.returns else { return None };
        let ExprKind::Name(name) = &width.kind else { return literal_width(function.returns.as_ref()?) };
        let position = function.params.iter().position(|param| &param.name == name)?;
        let node = self.integer(args.get(position)?).ok()?;
        u32::try_from(self.dag.as_i64(node)?).ok()
    }

    /// Names an extension that the text asks for.
    pub(super) fn extension(&mut self, name: &str) {
        let name: Name = name.into();
        if !self.extensions.contains(&name) {
            self.extensions.push(name);
        }
    }
}

/// Whether a function takes or returns real numbers.
fn has_reals(function: &Function) -> bool {
    let mut types = function.params.iter().map(|param| &param.typ).chain(&function.returns);
    types.any(is_real)
}

fn is_real(typ: &Type) -> bool {
    match typ {
        Type::Named(name) => &**name == "real",
        Type::Tuple(types) => types.iter().any(is_real),
        _ => false,
    }
}

fn literal_width(typ: &Type) -> Option<u32> {
    match typ {
        Type::Bits(width) => match &width.kind {
            ExprKind::Int(width) => u32::try_from(width).ok(),
            _ => None,
        },
        _ => None,
    }
}

fn var_width(var: &Var) -> Option<Width> {
    match var {
        Var::Value(Value::Bits(_, width)) => Some(*width),
        Var::Bits(_, width) => Some(Width::Known(*width)),
        _ => None,
    }
}
