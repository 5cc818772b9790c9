//! Expressions.
//!
//! `want` is the width in bits that the context asks for; `Zeros()`, `Ones()`, `ZeroExtend(x)`
//! and the register getters take theirs from it.

use hydride_ir::exact::{Int, NodeId, Part};

use super::{Frame, Machine, Run, Value, Var, Width};
use crate::arm::asl::ast::{Binary, Expr, ExprKind, FunctionKind, Offset, Slice, Type, Unary};
use crate::pseudocode::{Reason, not_negative};

impl Machine<'_> {
    pub(super) fn eval(&mut self, expr: &Expr, want: Option<u32>) -> Run<Value> {
        let offset = expr.offset;
        match &expr.kind {
            ExprKind::Int(value) => Ok(Value::Int(self.dag.int(value.clone()))),
            ExprKind::Bits(value, width) => {
                Ok(Value::Bits(self.dag.int(value.clone()), Width::Known(*width)))
            }
            ExprKind::Bool(value) => Ok(Value::Bool(self.dag.int(i64::from(*value)))),
            ExprKind::Name(name) => self.name(name, offset),
            _ => self.deeper(offset, |this| this.compound(expr, want)),
        }
    }

    fn compound(&mut self, expr: &Expr, want: Option<u32>) -> Run<Value> {
        let offset = expr.offset;
        match &expr.kind {
            ExprKind::Call(name, args) => self.call(name, args, want, offset),
            ExprKind::Bracket(base, slices) => self.bracket(base, slices, want, offset),
            ExprKind::Unary(op, operand) => self.unary(*op, operand, want),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, want),
            ExprKind::If(arms, otherwise) => self.if_expr(arms, otherwise, want),
            ExprKind::Tuple(values) => {
                Ok(Value::Tuple(values.iter().map(|value| self.eval(value, None)).collect::<Run<_>>()?))
            }
            ExprKind::Implementation(Type::Boolean) => Ok(Value::Bool(self.dag.int(1))),
            ExprKind::Implementation(_) | ExprKind::Unknown(_) => {
                self.fault(Reason::Unpredictable, offset, "the value is left open")
            }
            ExprKind::Real => self.fault(Reason::FloatingPoint, offset, "a real number"),
            ExprKind::Field(base, name) => {
                let base = match &base.kind {
                    ExprKind::Name(base) => base.to_string(),
                    _ => "a value".into(),
                };
                self.fault(Reason::State, offset, format!("the field `{base}.{name}`"))
            }
            _ => self.fault(Reason::Type, offset, "not a value"),
        }
    }

    fn name(&mut self, name: &str, offset: Offset) -> Run<Value> {
        match self.state.frame.vars.get(name) {
            Some(Var::Value(value)) => return Ok(value.clone()),
            Some(Var::Bits(register, width)) => {
                let (node, _) = register.read(&mut self.dag, 0, *width);
                return Ok(Value::Bits(node, Width::Known(*width)));
            }
            Some(Var::Varying) => {
                return self.fault(
                    Reason::Symbolic,
                    offset,
                    format!("`{name}` is no affine function of an immediate"),
                );
            }
            Some(Var::Unset) => {
                return self.fault(Reason::Type, offset, format!("`{name}` is read before it is set"));
            }
            None => {}
        }
        if let Some(value) = self.float_control(name) {
            return Ok(value);
        }
        let library = &self.documents.library;
        if let Some(value) = library.enumeration_value(name).or_else(|| super::FLOATS.enumeration_value(name))
        {
            return Ok(Value::Enum(value));
        }
        if let Some(constant) = self.documents.library.constant_named(name) {
            let constant = constant.map_err(|error| super::fault::syntax(super::FileId::Library, error))?;
            return self.deeper(offset, |this| {
                this.in_frame(Frame::default(), None, |this| this.eval(&constant, None)).0
            });
        }
        if super::builtin::is_floating_point(name) {
            return self.fault(Reason::FloatingPoint, offset, format!("`{name}`"));
        }
        self.fault(Reason::UnknownName, offset, format!("`{name}` is not defined"))
    }

    /// An integer.
    pub(super) fn integer(&mut self, expr: &Expr) -> Run<NodeId> {
        match self.eval(expr, None)? {
            Value::Int(node) => Ok(node),
            other => {
                self.fault(Reason::Type, expr.offset, format!("expected an integer, found {}", other.kind()))
            }
        }
    }

    /// A boolean as 0 or 1.
    pub(super) fn boolean(&mut self, expr: &Expr) -> Run<NodeId> {
        match self.eval(expr, None)? {
            Value::Bool(node) => Ok(node),
            other => {
                self.fault(Reason::Type, expr.offset, format!("expected a boolean, found {}", other.kind()))
            }
        }
    }

    fn unary(&mut self, op: Unary, operand: &Expr, want: Option<u32>) -> Run<Value> {
        let value = self.eval(operand, want)?;
        match (op, value) {
            (Unary::Negate, Value::Int(node)) => Ok(Value::Int(self.dag.neg(node))),
            (Unary::Not, Value::Bool(node)) => Ok(Value::Bool(self.dag.complement(node))),
            (Unary::Complement, Value::Bits(node, Width::Known(width))) => {
                let complement = self.dag.not(node);
                Ok(Value::Bits(self.dag.slice(complement, 0, width, false), Width::Known(width)))
            }
            (_, other) => self.fault(
                Reason::Type,
                operand.offset,
                format!("the operator does not take {}", other.kind()),
            ),
        }
    }

    fn if_expr(&mut self, arms: &[(Expr, Expr)], otherwise: &Expr, want: Option<u32>) -> Run<Value> {
        let Some(((condition, then), others)) = arms.split_first() else {
            return self.eval(otherwise, want);
        };
        let node = self.boolean(condition)?;
        let node = self.decided(node);
        match self.dag.as_i64(node) {
            Some(0) => self.deeper(condition.offset, |this| this.if_expr(others, otherwise, want)),
            Some(_) => self.eval(then, want),
            None => {
                let then = self.eval(then, want)?;
                let rest = self.deeper(condition.offset, |this| this.if_expr(others, otherwise, want))?;
                match super::value::select(&mut self.dag, node, &then, &rest) {
                    Some(value) => Ok(value),
                    None => self.fault(Reason::Symbolic, condition.offset, "the branches give unlike values"),
                }
            }
        }
    }

    fn binary(&mut self, op: Binary, left: &Expr, right: &Expr, want: Option<u32>) -> Run<Value> {
        let offset = right.offset;
        match op {
            Binary::LogicalAnd | Binary::LogicalOr => {
                let node = self.boolean(left)?;
                let decided = i64::from(op == Binary::LogicalOr);
                if self.dag.as_i64(node) == Some(decided) {
                    return Ok(Value::Bool(node));
                }
                let other = self.boolean(right)?;
                let joined = match op {
                    Binary::LogicalAnd => self.dag.and(node, other),
                    _ => self.dag.or(node, other),
                };
                return Ok(Value::Bool(joined));
            }
            Binary::Equal | Binary::NotEqual => {
                let value = self.eval(left, None)?;
                let equal = self.equals(&value, right)?;
                let node = if op == Binary::Equal { equal } else { self.dag.complement(equal) };
                return Ok(Value::Bool(node));
            }
            Binary::Member => {
                let value = self.eval(left, None)?;
                let mut any = self.dag.int(0);
                let single = std::slice::from_ref(right);
                let members =
                    if let ExprKind::Set(members) = &right.kind { members.as_slice() } else { single };
                for member in members {
                    let equal = self.equals(&value, member)?;
                    any = self.dag.or(any, equal);
                }
                return Ok(Value::Bool(any));
            }
            _ => {}
        }
        let want = want.filter(|_| op != Binary::Concat);
        let left = self.eval(left, want)?;
        let want = match &left {
            Value::Bits(_, Width::Known(width)) if op != Binary::Concat => Some(*width),
            _ => want,
        };
        let right = self.eval(right, want)?;
        match (&left, &right) {
            (Value::Int(a), Value::Int(b)) => self.arithmetic(op, *a, *b, offset),
            (Value::Bits(a, high), Value::Bits(b, low)) if op == Binary::Concat => {
                self.concat(*a, *high, *b, *low, offset)
            }
            (Value::Bits(a, Width::Known(width)), Value::Bits(b, Width::Known(other))) if width == other => {
                self.on_bits(op, *a, *b, *width, offset)
            }
            (Value::Bits(a, Width::Known(width)), Value::Int(b))
                if matches!(op, Binary::Add | Binary::Subtract) =>
            {
                self.on_bits(op, *a, *b, *width, offset)
            }
            _ => self.fault(
                Reason::Type,
                offset,
                format!("the operator does not take {} and {}", described(&left), described(&right)),
            ),
        }
    }

    fn on_bits(&mut self, op: Binary, a: NodeId, b: NodeId, width: u32, offset: Offset) -> Run<Value> {
        let node = match op {
            Binary::Add => self.dag.sum(&[a, b]),
            Binary::Subtract => self.dag.sub(a, b),
            Binary::And => self.dag.and(a, b),
            Binary::Or => self.dag.or(a, b),
            Binary::Xor => self.dag.xor(a, b),
            _ => return self.fault(Reason::Type, offset, "the operator does not take bits"),
        };
        Ok(Value::Bits(self.dag.slice(node, 0, width, false), Width::Known(width)))
    }

    fn concat(&mut self, a: NodeId, high: Width, b: NodeId, low: Width, offset: Offset) -> Run<Value> {
        if let (Width::Known(high), Width::Known(low)) = (high, low) {
            let parts = [Part { node: b, width: low }, Part { node: a, width: high }];
            let total = high.saturating_add(low);
            if total > hydride_ir::MAX_WIDTH {
                return self.fault(Reason::Limit, offset, format!("a value of {total} bits"));
            }
            return Ok(Value::Bits(self.dag.concat(&parts), Width::Known(total)));
        }
        let high_width = self.width_node(high);
        let low_width = self.width_node(low);
        let Value::Int(shifted) = self.arithmetic(Binary::ShiftLeft, a, low_width, offset)? else {
            return self.fault(Reason::Type, offset, "not bits");
        };
        let joined = self.dag.sum(&[shifted, b]);
        let total = self.dag.sum(&[high_width, low_width]);
        Ok(Value::Bits(joined, self.width_of(total, offset)?))
    }

    /// A width as an integer.
    pub(super) fn width_node(&mut self, width: Width) -> NodeId {
        match width {
            Width::Known(width) => self.dag.int(width),
            Width::Computed(node) => node,
        }
    }

    /// An integer as a width.
    pub(super) fn width_of(&mut self, node: NodeId, offset: Offset) -> Run<Width> {
        if self.dag.as_int(node).is_some() {
            return Ok(Width::Known(self.known_width(node, offset)?));
        }
        let bounded =
            self.dag.range(node).high.as_ref().is_some_and(|high| high <= &Int::from(hydride_ir::MAX_WIDTH));
        if bounded {
            Ok(Width::Computed(node))
        } else {
            self.fault(Reason::Symbolic, offset, "a width without a bound")
        }
    }

    fn arithmetic(&mut self, op: Binary, a: NodeId, b: NodeId, offset: Offset) -> Run<Value> {
        let node = match op {
            Binary::Add => self.dag.sum(&[a, b]),
            Binary::Subtract => self.dag.sub(a, b),
            Binary::Multiply => self.dag.mul(a, b),
            Binary::ShiftLeft => self.shift(a, b, true, offset)?,
            Binary::ShiftRight => self.shift(a, b, false, offset)?,
            Binary::Power => {
                let exponent = self.known(b, offset)?;
                if self.dag.as_i64(a) != Some(2)
                    || !(0..=i64::from(hydride_ir::MAX_WIDTH)).contains(&exponent)
                {
                    return self.fault(Reason::Unsupported, offset, "a power of something other than 2");
                }
                self.dag.int(Int::ONE << exponent as usize)
            }
            Binary::Divide | Binary::Modulo => self.divide(op, a, b, offset)?,
            Binary::Less => return Ok(Value::Bool(self.dag.lt(a, b))),
            Binary::LessEqual => return Ok(Value::Bool(self.dag.le(a, b))),
            Binary::Greater => return Ok(Value::Bool(self.dag.lt(b, a))),
            Binary::GreaterEqual => return Ok(Value::Bool(self.dag.le(b, a))),
            _ => return self.fault(Reason::Type, offset, "the operator does not take integers"),
        };
        Ok(Value::Int(node))
    }

    /// A shift; a negative amount shifts the other way.
    fn shift(&mut self, value: NodeId, amount: NodeId, left: bool, offset: Offset) -> Run<NodeId> {
        let range = self.dag.range(amount).clone();
        let limit = Int::from(hydride_ir::MAX_WIDTH);
        let (Some(low), Some(high)) = (range.low, range.high) else {
            return self.fault(Reason::Limit, offset, "a shift amount without a bound");
        };
        if low < -limit.clone() || high > limit {
            return self.fault(Reason::Limit, offset, "a shift amount is too large");
        }
        let zero = self.dag.int(0);
        let opposite = self.dag.neg(amount);
        // The documented values of immediates may leave one direction where their widths leave two.
        if low < Int::ZERO
            && high > Int::ZERO
            && let Some((least, greatest)) = self.assumed_range(amount)
            && (least >= Int::ZERO || greatest <= Int::ZERO)
        {
            let forward = least >= Int::ZERO;
            let (count, bound) = if forward { (amount, greatest) } else { (opposite, -least) };
            let bound = self.dag.int(bound);
            let bits = self.dag.natural(bound).map_or(1, |(width, _)| width);
            let count = self.dag.slice(count, 0, bits, false);
            return Ok(if left == forward { self.dag.shl(value, count) } else { self.dag.shr(value, count) });
        }
        if low >= Int::ZERO {
            return Ok(if left { self.dag.shl(value, amount) } else { self.dag.shr(value, amount) });
        }
        if high <= Int::ZERO {
            return Ok(if left { self.dag.shr(value, opposite) } else { self.dag.shl(value, opposite) });
        }
        let forward = self.dag.max(amount, zero);
        let backward = self.dag.max(opposite, zero);
        let negative = self.dag.lt(amount, zero);
        let (up, down) = if left { (forward, backward) } else { (backward, forward) };
        let (up, down) = (self.dag.shl(value, up), self.dag.shr(value, down));
        Ok(if left { self.dag.select(negative, down, up) } else { self.dag.select(negative, up, down) })
    }

    fn divide(&mut self, op: Binary, a: NodeId, b: NodeId, offset: Offset) -> Run<NodeId> {
        let positive = self.dag.range(b).low.as_ref().is_some_and(|low| low > &Int::ZERO);
        if !positive {
            return self.fault(Reason::Unsupported, offset, "a division by what may not be positive");
        }
        if let (Some(a), Some(b)) = (self.dag.as_int(a).cloned(), self.dag.as_int(b).cloned()) {
            // Both operators round downwards.
            let mut remainder = &a % &b;
            if remainder < Int::ZERO {
                remainder += &b;
            }
            let value = if op == Binary::Divide { (a - remainder) / b } else { remainder };
            return Ok(self.dag.int(value));
        }
        if !self.dag.range(a).is_non_negative() {
            return self.fault(Reason::Unsupported, offset, "a division of what may be negative");
        }
        let result = if op == Binary::Divide { self.dag.div(a, b) } else { self.dag.rem(a, b) };
        match result {
            Some(node) => Ok(node),
            None => self.fault(Reason::Type, offset, "a division by zero"),
        }
    }

    /// Whether a value equals an expression, which may be a mask.
    pub(super) fn equals(&mut self, left: &Value, right: &Expr) -> Run<NodeId> {
        if let (ExprKind::Mask { value, mask, width }, Value::Bits(node, Width::Known(own))) =
            (&right.kind, left)
        {
            if width != own {
                let message = format!("a mask of {width} bits for {own} bits");
                return self.fault(Reason::Type, right.offset, message);
            }
            let mask = self.dag.int(mask.clone());
            let given = self.dag.and(*node, mask);
            let value = self.dag.int(value.clone());
            return Ok(self.dag.eq(given, value));
        }
        let want = match left {
            Value::Bits(_, Width::Known(width)) => Some(*width),
            _ => None,
        };
        let right_value = self.eval(right, want)?;
        match (left, &right_value) {
            (Value::Int(a), Value::Int(b)) | (Value::Bool(a), Value::Bool(b)) => Ok(self.dag.eq(*a, *b)),
            (Value::Bits(a, width), Value::Bits(b, other)) if width == other => Ok(self.dag.eq(*a, *b)),
            (Value::Enum(a), Value::Enum(b)) => Ok(self.dag.int(i64::from(a == b))),
            _ => self.fault(
                Reason::Type,
                right.offset,
                format!("{} compared with {}", described(left), described(&right_value)),
            ),
        }
    }

    fn bracket(&mut self, base: &Expr, slices: &[Slice], want: Option<u32>, offset: Offset) -> Run<Value> {
        if let ExprKind::Name(name) = &base.kind
            && !self.state.frame.vars.contains_key(name)
        {
            if let Some(value) = self.read_register(name, slices, offset)? {
                return Ok(value);
            }
            if slices.is_empty()
                && let Some(value) = self.float_control(name)
            {
                return Ok(value);
            }
            let args = self.getter_args(slices, offset)?;
            if let Some(access) = self.memory_access(name, &args, offset)? {
                return self.read_memory(access, offset);
            }
            return self.getter(name, &args, want, offset);
        }
        // A slice of a variable reads the pieces that it needs.
        if let ExprKind::Name(name) = &base.kind
            && let [slice] = slices
            && matches!(self.state.frame.vars.get(name), Some(Var::Bits(..)))
        {
            let (low, width) = self.bounds(slice)?;
            if let (Some(low), Width::Known(width)) = (self.dag.as_i64(low), width)
                && let Some(Var::Bits(register, own)) = self.state.frame.vars.get(name)
            {
                let end = low.checked_add(i64::from(width));
                if low < 0 || end.is_none_or(|end| end > i64::from(*own)) {
                    return self.fault(
                        Reason::Type,
                        offset,
                        format!("bits {low} and {width} up of {own} bits"),
                    );
                }
                let (node, _) = register.read(&mut self.dag, low as u32, width);
                return Ok(Value::Bits(node, Width::Known(width)));
            }
        }
        let value = self.eval(base, None)?;
        self.sliced(&value, slices, offset)
    }

    /// The arguments of a getter or setter.
    pub(super) fn getter_args<'e>(&self, slices: &'e [Slice], offset: Offset) -> Run<Vec<&'e Expr>> {
        slices
            .iter()
            .map(|slice| match slice {
                Slice::Single(expr) => Ok(expr),
                _ => self.fault(Reason::UnknownName, offset, "a slice of something that is not defined"),
            })
            .collect()
    }

    fn getter(&mut self, name: &str, args: &[&Expr], want: Option<u32>, offset: Offset) -> Run<Value> {
        let function = self.find(name, FunctionKind::Getter, args.len(), offset)?;
        self.invoke_with(&function, args, want, offset)
    }

    /// Lowest bit and width of a slice.
    pub(super) fn bounds(&mut self, slice: &Slice) -> Run<(NodeId, Width)> {
        match slice {
            Slice::Single(index) => Ok((self.integer(index)?, Width::Known(1))),
            Slice::Offset(low, width) => {
                let low = self.integer(low)?;
                let node = self.integer(width)?;
                Ok((low, self.width_of(node, width.offset)?))
            }
            Slice::Range(high, low) => {
                let top = self.integer(high)?;
                let bottom = self.integer(low)?;
                let distance = self.dag.sub(top, bottom);
                let one = self.dag.int(1);
                let width = self.dag.sum(&[distance, one]);
                Ok((bottom, self.width_of(width, high.offset)?))
            }
        }
    }

    /// Bits of a value, the first slice most significant.
    pub(super) fn sliced(&mut self, value: &Value, slices: &[Slice], offset: Offset) -> Run<Value> {
        let mut joined: Option<Value> = None;
        for slice in slices {
            let (low, width) = self.bounds(slice)?;
            let piece = self.slice(value, low, width, offset)?;
            joined = Some(match (joined, &piece) {
                (Some(Value::Bits(high, high_width)), Value::Bits(low, low_width)) => {
                    self.concat(high, high_width, *low, *low_width, offset)?
                }
                _ => piece,
            });
        }
        joined.map_or_else(|| self.fault(Reason::Type, offset, "an empty slice"), Ok)
    }

    fn slice(&mut self, value: &Value, low: NodeId, width: Width, offset: Offset) -> Run<Value> {
        let (node, own) = match value {
            Value::Int(node) => (*node, None),
            Value::Bits(node, Width::Known(own)) => (*node, Some(*own)),
            Value::Bits(node, Width::Computed(_)) => (*node, None),
            other => return self.fault(Reason::Type, offset, format!("a slice of {}", other.kind())),
        };
        let Width::Known(bits) = width else {
            // A computed width: only from bit 0 of what is known to fit.
            return self.fault(Reason::Symbolic, offset, "a slice of a width that must be known");
        };
        if let Some(known) = self.dag.as_int(low).cloned() {
            let end = known.clone() + Int::from(bits);
            let limit = own.unwrap_or(hydride_ir::MAX_WIDTH);
            if known < Int::ZERO || end > Int::from(limit) {
                let message = format!("bits {known} to {end} of {}", described(value));
                return self.fault(Reason::Type, offset, message);
            }
            let low = u32::try_from(&known).unwrap_or(0);
            return Ok(Value::Bits(self.dag.slice(node, low, bits, false), width));
        }
        let (Some((natural, false)), true) = (self.dag.natural(node), self.dag.range(low).low.is_some())
        else {
            return self.fault(Reason::Symbolic, offset, "a slice at a position without a bound");
        };
        // A negative position is an error in ASL: what it gives does not matter.
        let low = not_negative(&mut self.dag, low);
        if bits >= natural && self.dag.range(low).high.is_some() {
            // All that is above the position: a shift.
            return Ok(Value::Bits(self.dag.shr(node, low), width));
        }
        Ok(Value::Bits(self.dag.slice_at(node, low, bits, false), width))
    }
}

fn described(value: &Value) -> String {
    match value {
        Value::Bits(_, Width::Known(width)) => format!("{width} bits"),
        other => other.kind().into(),
    }
}
