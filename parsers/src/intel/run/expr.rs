//! Expressions: exact integers, read as the document's types say.

use hydride_ir::MAX_WIDTH;
use hydride_ir::exact::{Dag, NodeId};

use super::place::Reading;
use super::value::{Contents, Value};
use super::{Ran, Run, exclude, fail};
use crate::intel::ast::{BinaryOp, Expr, ExprKind, Extent, Fault, Symbol, UnaryOp};
use crate::intel::library::arithmetic::{self, Format};
use crate::intel::library::{self, CallError, Function};
use crate::pseudocode::{Choice, Reason};

impl Run<'_> {
    /// Lets floating-point operators round as the argument at a position says.
    pub(super) fn round_as_argument_says(&mut self, position: usize) {
        let Some(argument) = self.signature.args.get(position) else { return };
        let control = self.dag.arg_slice(position as u32, 0, argument.width, false);
        self.rounding = arithmetic::rounding(&mut self.dag, control);
    }

    /// The value of an expression.
    pub(super) fn expr(&mut self, expr: &Expr, reading: Reading) -> Ran<Value> {
        let at = expr.at;
        match &expr.kind {
            ExprKind::Number(value) => Ok(Value::exact(self.dag.int(value.clone()))),
            ExprKind::Decimal(_) => exclude(Reason::FloatingPoint, "a floating-point literal", at),
            ExprKind::Place(place) => self.read_place(place, reading),
            ExprKind::Select(base, selectors) => {
                let base = self.expr(base, Reading::Natural)?;
                self.select_from(base, selectors, reading, at)
            }
            ExprKind::Call { name, arguments } => self.call(*name, arguments, at),
            ExprKind::Unary(op, operand) => self.unary(*op, operand, at),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, reading, at),
            ExprKind::Ternary(parts) => {
                let [condition, then, otherwise] = &**parts;
                let condition = self.condition(condition)?;
                match self.dag.as_i64(condition) {
                    Some(0) => self.expr(otherwise, reading),
                    Some(_) => self.expr(then, reading),
                    None => {
                        let then = self.expr(then, reading)?;
                        let otherwise = self.expr(otherwise, reading)?;
                        Ok(super::value::merge_values(&mut self.dag, condition, then, otherwise, false))
                    }
                }
            }
        }
    }

    /// The truth of an expression: 0 or 1.
    pub(super) fn condition(&mut self, expr: &Expr) -> Ran<NodeId> {
        let value = self.expr(expr, Reading::Natural)?;
        Ok(self.truth(value))
    }

    fn truth(&mut self, value: Value) -> NodeId {
        if self.dag.is_boolean(value.node) {
            return value.node;
        }
        let zero = self.dag.int(0);
        self.dag.ne(value.node, zero)
    }

    fn unary(&mut self, op: UnaryOp, operand: &Expr, at: Extent) -> Ran<Value> {
        match op {
            UnaryOp::Plus => self.expr(operand, Reading::Natural),
            UnaryOp::Minus => {
                let value = self.expr(operand, Reading::Natural)?;
                if let Some(negated) = arithmetic::negated(&mut self.dag, value) {
                    return Ok(negated);
                }
                self.no_float(&[value], at)?;
                Ok(Value::exact(self.dag.neg(value.node)))
            }
            UnaryOp::LogicalNot => {
                let truth = self.condition(operand)?;
                Ok(Value::sized(self.dag.complement(truth), 1))
            }
            UnaryOp::Not => {
                let value = self.expr(operand, Reading::Unsigned)?;
                let node = match value.width {
                    Some(1) => {
                        let bit = self.dag.slice(value.node, 0, 1, false);
                        self.dag.complement(bit)
                    }
                    Some(width) => {
                        let complement = self.dag.not(value.node);
                        self.dag.slice(complement, 0, width, false)
                    }
                    None => self.dag.not(value.node),
                };
                Ok(Value { node, width: value.width, float: false, element: None })
            }
        }
    }

    fn no_float(&self, values: &[Value], at: Extent) -> Ran<()> {
        if values.iter().any(|value| value.float) {
            return exclude(Reason::FloatingPoint, "arithmetic on floating-point elements", at);
        }
        Ok(())
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        left: &Expr,
        right: &Expr,
        reading: Reading,
        at: Extent,
    ) -> Ran<Value> {
        use BinaryOp as Op;
        match op {
            Op::And | Op::LogicalAnd | Op::LogicalOr => return self.connective(op, left, right),
            Op::Or | Op::Xor => {
                let left = self.expr(left, Reading::Unsigned)?;
                let right = self.expr(right, Reading::Unsigned)?;
                return Ok(self.bitwise(op, left, right));
            }
            Op::Shl | Op::Shr | Op::RotateLeft | Op::RotateRight => {
                let value = self.expr(left, reading)?;
                let count = self.expr(right, Reading::Unsigned)?;
                return self.shift(op, value, count, at);
            }
            _ => {}
        }
        if matches!(op, Op::Add | Op::Sub)
            && let Some(sum) = self.sum_of_products(op, left, right, at)?
        {
            return Ok(sum);
        }
        if let Some(kind) = self.is_kind(op, left, right)? {
            return Ok(kind);
        }
        if op == Op::Mul
            && let Some(product) = self.scaled(left, right, at)?
        {
            return Ok(product);
        }
        let number = [left.decimal(), right.decimal()];
        let (left, right) = match number {
            [Some(number), None] => {
                let right = self.expr(right, Reading::Natural)?;
                (self.decimal(number, right, at)?, right)
            }
            [None, Some(number)] => {
                let left = self.expr(left, Reading::Natural)?;
                (left, self.decimal(number, left, at)?)
            }
            _ => (self.expr(left, Reading::Natural)?, self.expr(right, Reading::Natural)?),
        };
        self.values(op, left, right, at)
    }

    /// An operator on values, which may be floating-point numbers.
    fn values(&mut self, op: BinaryOp, left: Value, right: Value, at: Extent) -> Ran<Value> {
        if !left.float && !right.float {
            if arithmetic::is_number(&self.dag, left.node) || arithmetic::is_number(&self.dag, right.node) {
                return exclude(Reason::FloatingPoint, "a floating-point number is taken for an integer", at);
            }
            let other_width = |value: Value| {
                value.element.is_some_and(|element| element.float)
                    && value.width.is_some_and(|width| width >= 16)
            };
            if other_width(left) || other_width(right) {
                return exclude(Reason::FloatingPoint, "arithmetic on another width than the elements'", at);
            }
            return self.arithmetic(op, left.node, right.node, at);
        }
        self.known_formats(&[left, right], at)?;
        if let (BinaryOp::Div, Some(error)) = (op, self.error) {
            return match arithmetic::approximate_quotient(&mut self.dag, left, right, error) {
                Some(value) => Ok(value),
                None => exclude(Reason::Approximation, "an approximation of another number", at),
            };
        }
        let value = match op {
            BinaryOp::Chosen => self.chosen_predicate(left, right, at)?,
            _ => arithmetic::binary(&mut self.dag, op, left, right, self.rounding),
        };
        match value {
            Some(value) => Ok(value),
            None => exclude(Reason::FloatingPoint, "an operator on numbers of different formats", at),
        }
    }

    /// Rejects 16 bits that may be of either format.
    fn known_formats(&self, values: &[Value], at: Extent) -> Ran<()> {
        if self.brain && values.iter().any(|value| value.float && value.width == Some(16)) {
            return exclude(Reason::FloatingPoint, "arithmetic on bfloat16", at);
        }
        Ok(())
    }

    /// A literal number in the format of the other operand.
    fn decimal(&mut self, number: f64, other: Value, at: Extent) -> Ran<Value> {
        match Format::of(other) {
            Some(format) => Ok(format.constant(&mut self.dag, number)),
            None => exclude(Reason::FloatingPoint, "a floating-point literal", at),
        }
    }

    /// `x == NaN` or `x != NaN`, and the same for other kinds of numbers.
    fn is_kind(&mut self, op: BinaryOp, left: &Expr, right: &Expr) -> Ran<Option<Value>> {
        let ExprKind::Place(kind) = &right.kind else { return Ok(None) };
        let program = self.program;
        let name = program.name(kind.name);
        if !matches!(op, BinaryOp::Eq | BinaryOp::Ne)
            || !matches!(name, "NaN" | "SNaN" | "INF")
            || !kind.selectors.is_empty()
            || self.lookup(kind.name).is_some()
        {
            return Ok(None);
        }
        let value = self.expr(left, Reading::Natural)?;
        self.known_formats(&[value], left.at)?;
        let Some(holds) = arithmetic::is_kind(&mut self.dag, value, name) else {
            return exclude(Reason::FloatingPoint, format!("`{name}`"), right.at);
        };
        let node = if op == BinaryOp::Eq { holds } else { self.dag.complement(holds) };
        Ok(Some(Value::sized(node, 1)))
    }

    /// A sum with products. Floating-point products are added without being rounded, each by one multiply-add, in
    /// their order onto the other term (VFMADD132PS, VFMADDCPH, VFMULCPH); `None` where no term is a product.
    fn sum_of_products(&mut self, op: BinaryOp, left: &Expr, right: &Expr, at: Extent) -> Ran<Option<Value>> {
        let terms = terms(op, left, right);
        if terms.iter().all(|(_, term)| product(term).is_none()) {
            return Ok(None);
        }
        let mut products = Vec::new();
        let mut others = Vec::new();
        for (negative, term) in terms {
            match product(term) {
                Some((opposite, left, right)) => {
                    let left = self.expr(left, Reading::Natural)?;
                    let right = self.expr(right, Reading::Natural)?;
                    products.push((negative != opposite, left, right));
                }
                None => others.push((negative, self.expr(term, Reading::Natural)?)),
            }
        }
        let values = products.iter().flat_map(|(_, left, right)| [*left, *right]);
        let values: Vec<Value> = values.chain(others.iter().map(|(_, value)| *value)).collect();
        if values.iter().all(|value| !value.float) {
            let mut sum = self.dag.int(0);
            for (negative, left, right) in products {
                let product = self.arithmetic(BinaryOp::Mul, left.node, right.node, at)?;
                others.push((negative, product));
            }
            for (negative, value) in others {
                sum = if negative { self.dag.sub(sum, value.node) } else { self.dag.sum(&[sum, value.node]) };
            }
            return Ok(Some(Value::exact(sum)));
        }
        self.known_formats(&values, at)?;
        let mut products = products.into_iter();
        let start = match others.as_slice() {
            [] => products.next().and_then(|(negative, left, right)| {
                let left = self.signed(negative, left)?;
                arithmetic::binary(&mut self.dag, BinaryOp::Mul, left, right, self.rounding)
            }),
            [(negative, value)] => self.signed(*negative, *value),
            _ => None,
        };
        let mut sum = start;
        for (negative, left, right) in products {
            sum = sum.and_then(|sum| {
                let left = self.signed(negative, left)?;
                arithmetic::fused(&mut self.dag, left, right, sum, self.rounding)
            });
        }
        match sum {
            Some(sum) => Ok(Some(sum)),
            None => exclude(Reason::FloatingPoint, "a sum of products and several other numbers", at),
        }
    }

    fn signed(&mut self, negative: bool, value: Value) -> Option<Value> {
        if negative { arithmetic::negated(&mut self.dag, value) } else { Some(value) }
    }

    /// An operator on values, for compound assignments.
    pub(super) fn apply(&mut self, op: BinaryOp, left: Value, right: Value, at: Extent) -> Ran<Value> {
        match op {
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => Ok(self.bitwise(op, left, right)),
            BinaryOp::Shl | BinaryOp::Shr => self.shift(op, left, right, at),
            _ => self.values(op, left, right, at),
        }
    }

    fn arithmetic(&mut self, op: BinaryOp, left: NodeId, right: NodeId, at: Extent) -> Ran<Value> {
        use BinaryOp as Op;
        let node = match op {
            Op::Add => self.dag.sum(&[left, right]),
            Op::Sub => self.dag.sub(left, right),
            Op::Mul => {
                let product = self.dag.mul(left, right);
                self.check_size(product, at)?;
                product
            }
            Op::Div | Op::Rem => {
                let quotient =
                    if op == Op::Div { self.dag.div(left, right) } else { self.dag.rem(left, right) };
                match quotient {
                    Some(node) => node,
                    None => return fail(Reason::DivisionByZero, "the divisor is zero", at),
                }
            }
            Op::Chosen => return self.chosen(left, right, at),
            _ => return Ok(Value::sized(relation(&mut self.dag, op, left, right), 1)),
        };
        Ok(Value::exact(node))
    }

    /// `a OP b`, where the variable `OP` holds a relation.
    fn chosen(&mut self, left: NodeId, right: NodeId, at: Extent) -> Ran<Value> {
        let variable = self.program.names.iter().position(|name| name == "OP");
        let Some(variable) = variable.and_then(|position| self.lookup(Symbol(position as u32))) else {
            return fail(Reason::Undefined, "`OP` is used before it is assigned", at);
        };
        let missing = || Fault::failed(Reason::Undefined, at, "`OP` holds no relation");
        let Contents::Function(functions) = &variable.contents else { return Err(missing()) };
        let node = self.compute_with(functions, at, |dag, function| match function {
            Function::Relation(op) => Ok(relation(dag, op, left, right)),
            Function::Constant(value) => Ok(dag.int(u8::from(value))),
            Function::Named(_) | Function::Predicate(_) => Err(missing()),
        })?;
        Ok(Value::sized(node, 1))
    }

    /// `a OP b` on floating-point numbers, where the variable `OP` holds a predicate.
    fn chosen_predicate(&mut self, left: Value, right: Value, at: Extent) -> Ran<Option<Value>> {
        let variable = self.program.names.iter().position(|name| name == "OP");
        let Some(variable) = variable.and_then(|position| self.lookup(Symbol(position as u32))) else {
            return fail(Reason::Undefined, "`OP` is used before it is assigned", at);
        };
        let missing = || Fault::failed(Reason::Undefined, at, "`OP` holds no predicate");
        let Contents::Function(functions) = &variable.contents else { return Err(missing()) };
        let node = self.compute_with(functions, at, |dag, function| match function {
            Function::Predicate(predicate) => {
                arithmetic::compare(dag, predicate, left, right).ok_or_else(missing)
            }
            _ => Err(missing()),
        })?;
        Ok(Some(Value::sized(node, 1)))
    }

    /// What each function that a variable may hold computes, chosen like the functions.
    fn compute_with(
        &mut self,
        functions: &Choice<Function>,
        at: Extent,
        of: impl Fn(&mut Dag, Function) -> Ran<NodeId>,
    ) -> Ran<NodeId> {
        match functions.compute(&mut self.dag, &mut |dag, function| of(dag, *function))? {
            Some(node) => Ok(node),
            None => fail(Reason::Limit, "a variable may hold too many functions", at),
        }
    }

    fn connective(&mut self, op: BinaryOp, left: &Expr, right: &Expr) -> Ran<Value> {
        let reading = if op == BinaryOp::And { Reading::Unsigned } else { Reading::Natural };
        let first = self.expr(left, reading)?;
        let known = self.dag.as_i64(first.node);
        match (op, known) {
            // The second operand may be undefined then.
            (BinaryOp::And | BinaryOp::LogicalAnd, Some(0)) => {
                return Ok(Value { float: false, element: None, ..first });
            }
            (BinaryOp::LogicalOr, Some(value)) if value != 0 => return Ok(Value::sized(self.dag.int(1), 1)),
            _ => {}
        }
        let second = self.expr(right, reading)?;
        if op == BinaryOp::And {
            return Ok(self.bitwise(op, first, second));
        }
        let (first, second) = (self.truth(first), self.truth(second));
        let node =
            if op == BinaryOp::LogicalAnd { self.dag.and(first, second) } else { self.dag.or(first, second) };
        Ok(Value::sized(node, 1))
    }

    fn bitwise(&mut self, op: BinaryOp, left: Value, right: Value) -> Value {
        let node = match op {
            BinaryOp::And => self.dag.and(left.node, right.node),
            BinaryOp::Or => self.dag.or(left.node, right.node),
            _ => self.dag.xor(left.node, right.node),
        };
        let width = left.width.zip(right.width).map(|(left, right)| left.max(right));
        Value { node, width, float: false, element: None }
    }

    fn shift(&mut self, op: BinaryOp, value: Value, count: Value, at: Extent) -> Ran<Value> {
        let zero = self.dag.int(0);
        let count = self.dag.max(count.node, zero);
        match op {
            BinaryOp::Shl => {
                if self.dag.as_int(count).is_some_and(|count| count > &MAX_WIDTH.into()) {
                    return fail(Reason::Limit, format!("a shift by more than {MAX_WIDTH} bits"), at);
                }
                let node = self.dag.shl(value.node, count);
                self.check_size(node, at)?;
                Ok(Value::exact(node))
            }
            BinaryOp::Shr => Ok(Value::exact(self.dag.shr(value.node, count))),
            _ => {
                let Some(width) = value.width else {
                    return fail(Reason::Unsupported, "a rotate of a number without a width", at);
                };
                let modulus = self.dag.int(width);
                let Some(count) = self.dag.rem(count, modulus) else {
                    return fail(Reason::DivisionByZero, "a rotate of no bits", at);
                };
                let rest = self.dag.sub(modulus, count);
                let bits = self.dag.slice(value.node, 0, width, false);
                let (up, down) = if op == BinaryOp::RotateLeft { (count, rest) } else { (rest, count) };
                let up = self.dag.shl(bits, up);
                let down = self.dag.shr(bits, down);
                let joined = self.dag.or(up, down);
                Ok(Value::sized(self.dag.slice(joined, 0, width, false), width))
            }
        }
    }

    /// Rejects numbers that could only be computed with more bits than the IR admits.
    fn check_size(&self, node: NodeId, at: Extent) -> Ran<()> {
        match self.dag.natural(node) {
            Some((width, _)) if width > 2 * MAX_WIDTH => {
                fail(Reason::Limit, format!("a number of more than {MAX_WIDTH} bits"), at)
            }
            _ => Ok(()),
        }
    }

    fn call(&mut self, symbol: Symbol, arguments: &[Expr], at: Extent) -> Ran<Value> {
        if let Some(&define) = self.defines.get(&symbol) {
            return self.call_define(define, arguments, at);
        }
        let name = self.program.name(symbol);
        if let [argument] = arguments
            && let Some(number) = argument.decimal()
            && let Some(constant) = library::float_constant(&mut self.dag, name, number)
        {
            return Ok(constant);
        }
        if crate::intel::tile::FUNCTIONS.contains(&name) {
            return self.call_on_tiles(name, arguments, at);
        }
        if let ("POW", [base, exponent]) = (name, arguments) {
            return self.power(base, exponent, at);
        }
        let of_floats = arithmetic::is_known(name);
        let integral = library::reading(name);
        let Some(reading) = integral.or(of_floats.then_some(Reading::Natural)) else {
            return self.call_unknown(symbol, arguments, at);
        };
        let mut values = Vec::with_capacity(arguments.len());
        match (name, arguments) {
            // The quotient represents its operands.
            ("REMAINDER", [Expr { kind: ExprKind::Binary(BinaryOp::Div, left, right), .. }]) => {
                values.push(self.expr(left, Reading::Natural)?);
                values.push(self.expr(right, Reading::Natural)?);
            }
            _ => {
                for argument in arguments {
                    values.push(self.expr(argument, reading)?);
                }
            }
        }
        let called = if of_floats && (integral.is_none() || values.iter().any(|value| value.float)) {
            let rounding = self.rounding;
            arithmetic::call(&mut self.dag, name, rounding, &values)
        } else {
            if !library::takes_floats(name) {
                self.no_float(&values, at)?;
            }
            library::call(&mut self.dag, name, &values)
        };
        match called {
            Ok(value) => Ok(value),
            Err(CallError::Arguments) => {
                fail(Reason::UnknownCall, format!("`{name}` with {} arguments", arguments.len()), at)
            }
            Err(CallError::Width) => fail(Reason::Limit, format!("`{name}` of a number without a width"), at),
            Err(CallError::DivisionByZero) => fail(Reason::DivisionByZero, "the divisor is zero", at),
        }
    }

    /// `POW(2.0, x)` for an integer `x`, or `-x`.
    fn power(&mut self, base: &Expr, exponent: &Expr, at: Extent) -> Ran<Value> {
        let excluded = || exclude(Reason::FloatingPoint, "`POW`", at);
        let (base, _) = self.uncast(base);
        let (mut exponent, mut cast) = self.uncast(exponent);
        let negative = matches!(exponent.kind, ExprKind::Unary(UnaryOp::Minus, _));
        while let ExprKind::Unary(UnaryOp::Minus, operand) = &exponent.kind {
            let (inner, width) = self.uncast(operand);
            (exponent, cast) = (inner, cast.or(width));
        }
        if base.decimal() != Some(2.0) {
            return excluded();
        }
        let exponent = self.expr(exponent, Reading::Natural)?;
        match arithmetic::power_of_two(&mut self.dag, exponent, negative, cast) {
            Some(power) => Ok(power),
            None => excluded(),
        }
    }

    /// `x * POW(2.0, FLOOR(y))`; `None` for other products.
    fn scaled(&mut self, left: &Expr, right: &Expr, at: Extent) -> Ran<Option<Value>> {
        let Some([base, exponent]) = self.arguments(right, "POW") else { return Ok(None) };
        let Some([floored]) = self.arguments(exponent, "FLOOR") else { return Ok(None) };
        if base.decimal() != Some(2.0) {
            return Ok(None);
        }
        let left = self.expr(left, Reading::Natural)?;
        let exponent = self.expr(floored, Reading::Natural)?;
        let Some(product) = arithmetic::scaled(&mut self.dag, left, exponent, self.rounding) else {
            return exclude(Reason::FloatingPoint, "`POW`", at);
        };
        Ok(Some(product))
    }

    /// The arguments of a call of the function of that name.
    fn arguments<'a, const N: usize>(&self, expr: &'a Expr, function: &str) -> Option<&'a [Expr; N]> {
        match &expr.kind {
            ExprKind::Call { name, arguments } if self.program.name(*name) == function => {
                arguments.as_slice().try_into().ok()
            }
            _ => None,
        }
    }

    /// `x` for `FP32(x)`, and the width.
    fn uncast<'a>(&self, expr: &'a Expr) -> (&'a Expr, Option<u32>) {
        if let ExprKind::Call { name, arguments } = &expr.kind
            && let [argument] = arguments.as_slice()
            && let Some(width) = self.program.name(*name).strip_prefix("FP")
        {
            return (argument, width.parse().ok());
        }
        (expr, None)
    }

    fn call_unknown(&mut self, symbol: Symbol, arguments: &[Expr], at: Extent) -> Ran<Value> {
        let name = self.program.name(symbol);
        if let Some(variable) = self.lookup(symbol)
            && let Contents::Function(functions) = &variable.contents
        {
            let mut values = Vec::with_capacity(arguments.len());
            for argument in arguments {
                values.push(self.expr(argument, Reading::Unsigned)?);
            }
            let node = self.compute_with(functions, at, |dag, function| {
                let called = match function {
                    Function::Named(name) => library::call(dag, name, &values).ok(),
                    _ => None,
                };
                let missing =
                    || Fault::failed(Reason::UnknownCall, at, format!("`{name}` holds no function"));
                called.map(|value| value.node).ok_or_else(missing)
            })?;
            return Ok(Value::exact(node));
        }
        if library::is_float_name(name) {
            return exclude(Reason::FloatingPoint, format!("`{name}`"), at);
        }
        // A function of floating-point elements computes with them.
        for argument in arguments {
            let value = self.expr(argument, Reading::Natural)?;
            self.no_float(&[value], at)?;
        }
        fail(Reason::UnknownCall, format!("`{name}` is not defined"), at)
    }
}

/// The terms of a sum whose operands these are, and which of them are subtracted.
fn terms<'a>(op: BinaryOp, left: &'a Expr, right: &'a Expr) -> Vec<(bool, &'a Expr)> {
    let mut terms = vec![(op == BinaryOp::Sub, right)];
    let mut rest = left;
    while let ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), left, right) = &rest.kind {
        terms.push((*op == BinaryOp::Sub, right));
        rest = left;
    }
    terms.push((false, rest));
    terms.reverse();
    terms
}

/// The factors of a term that is a product, and whether it is negated.
fn product(term: &Expr) -> Option<(bool, &Expr, &Expr)> {
    match &term.kind {
        ExprKind::Binary(BinaryOp::Mul, left, right) => Some((false, left, right)),
        ExprKind::Unary(UnaryOp::Minus, operand) => match &operand.kind {
            ExprKind::Binary(BinaryOp::Mul, left, right) => Some((true, left, right)),
            _ => None,
        },
        _ => None,
    }
}

fn relation(dag: &mut Dag, op: BinaryOp, left: NodeId, right: NodeId) -> NodeId {
    match op {
        BinaryOp::Eq => dag.eq(left, right),
        BinaryOp::Ne => dag.ne(left, right),
        BinaryOp::Lt => dag.lt(left, right),
        BinaryOp::Le => dag.le(left, right),
        BinaryOp::Gt => dag.lt(right, left),
        _ => dag.le(right, left),
    }
}
