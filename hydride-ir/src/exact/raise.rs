//! From bit-vector expressions back to exact integers: loops run, widths disappear.

use super::Int;
use super::dag::{Dag, NodeId, Part};
use crate::expr::{BinaryOp, CompareOp, ExprId, Op, UnaryOp};
use crate::float::{Float, FloatOp, MAX_ERROR, MAX_EXPONENT};
use crate::function::{ArgId, Function, Stmt};
use crate::num::{Atom, IndexId, Num};

/// Statements that one function may execute.
const MAX_STEPS: u64 = 1_000_000;

/// A written slice of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Lowest bit.
    pub low: u32,
    /// Width in bits.
    pub width: u32,
    /// The value, within `0..2^width`.
    pub value: NodeId,
}

/// What a function writes: for each result its segments, lowest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raised {
    /// One list for each result.
    pub results: Vec<Vec<Segment>>,
}

/// A function that cannot be raised.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RaiseError {
    /// A number (width, position, count) is outside of its legal range.
    #[error("a {what} of {value} is out of range")]
    Number {
        /// What the number is.
        what: &'static str,
        /// Its value.
        value: i64,
    },
    /// The loops run too long.
    #[error("more than {MAX_STEPS} statements are executed")]
    Steps,
    /// Numbers of arguments or parameters differ from the function's.
    #[error("{0} given, {1} expected")]
    Count(usize, usize),
}

/// The function's writes at its parameters' own values, in a graph over its arguments.
pub fn raise(function: &Function) -> Result<(Dag, Raised), RaiseError> {
    let params: Vec<i64> = function.params.iter().map(|param| param.value).collect();
    let value_of = |atom| match atom {
        Atom::Param(param) => params.get(param.0 as usize).copied().unwrap_or(0),
        Atom::Index(_) => 0,
    };
    let widths = function
        .args
        .iter()
        .map(|arg| checked(arg.width.eval(value_of), "width", 1, i64::from(crate::MAX_WIDTH)))
        .collect::<Result<Vec<u32>, _>>()?;
    let mut dag = Dag::new(widths);
    let args: Vec<NodeId> = (0..function.args.len()).map(|arg| dag.arg(arg as u32)).collect();
    let raised = raise_with(&mut dag, function, &params, &args)?;
    Ok((dag, raised))
}

/// The function's writes at the given parameter values, with its arguments bound to nodes (read
/// unsigned).
pub fn raise_with(
    dag: &mut Dag,
    function: &Function,
    params: &[i64],
    args: &[NodeId],
) -> Result<Raised, RaiseError> {
    if params.len() != function.params.len() {
        return Err(RaiseError::Count(params.len(), function.params.len()));
    }
    if args.len() != function.args.len() {
        return Err(RaiseError::Count(args.len(), function.args.len()));
    }
    let mut raiser = Raiser {
        dag,
        function,
        params,
        args,
        indices: Vec::new(),
        memo: vec![None; function.exprs().len()],
        dependents: dependents(function),
        results: vec![Vec::new(); function.results.len()],
        steps: 0,
    };
    raiser.run(&function.body)?;
    let mut results = raiser.results;
    for segments in &mut results {
        segments.sort_by_key(|segment| segment.low);
    }
    Ok(Raised { results })
}

fn checked(value: Option<i64>, what: &'static str, low: i64, high: i64) -> Result<u32, RaiseError> {
    let value = value.unwrap_or(i64::MAX);
    if !(low..=high).contains(&value) {
        return Err(RaiseError::Number { what, value });
    }
    Ok(value as u32)
}

/// For each loop or fold index, the expressions whose value changes with it.
fn dependents(function: &Function) -> Vec<Vec<ExprId>> {
    let mut sets: Vec<Vec<u32>> = Vec::with_capacity(function.exprs().len());
    let mut dependents: Vec<Vec<ExprId>> = Vec::new();
    for (position, expr) in function.exprs().iter().enumerate() {
        let mut indices: Vec<u32> = Vec::new();
        let numbers = expr.op.nums().into_iter().chain(std::iter::once(&expr.width));
        for atom in numbers.flat_map(|num| num.atoms()) {
            if let Atom::Index(index) = atom {
                indices.push(index.0);
            }
        }
        for operand in expr.op.operands() {
            indices.extend(sets.get(operand.0 as usize).into_iter().flatten());
        }
        indices.sort_unstable();
        indices.dedup();
        for index in &indices {
            let index = *index as usize;
            if dependents.len() <= index {
                dependents.resize(index + 1, Vec::new());
            }
            dependents[index].push(ExprId(position as u32));
        }
        sets.push(indices);
    }
    dependents
}

struct Raiser<'a> {
    dag: &'a mut Dag,
    function: &'a Function,
    params: &'a [i64],
    args: &'a [NodeId],
    indices: Vec<i64>,
    memo: Vec<Option<NodeId>>,
    dependents: Vec<Vec<ExprId>>,
    results: Vec<Vec<Segment>>,
    steps: u64,
}

impl Raiser<'_> {
    fn run(&mut self, body: &[Stmt]) -> Result<(), RaiseError> {
        for stmt in body {
            self.steps += 1;
            if self.steps > MAX_STEPS {
                return Err(RaiseError::Steps);
            }
            match stmt {
                Stmt::For { index, count, body } => {
                    let count = self.num(count, "count", 1, MAX_STEPS as i64)?;
                    for value in 0..count {
                        self.set(*index, i64::from(value));
                        self.run(body)?;
                    }
                }
                Stmt::Assign { result, low, value } => {
                    let low = self.num(low, "position", 0, i64::from(crate::MAX_WIDTH))?;
                    let width = self.width(*value)?;
                    let value = self.expr(*value)?;
                    let segments = self
                        .results
                        .get_mut(result.0 as usize)
                        .ok_or(RaiseError::Number { what: "result", value: i64::from(result.0) })?;
                    segments.push(Segment { low, width, value });
                }
            }
        }
        Ok(())
    }

    fn set(&mut self, index: IndexId, value: i64) {
        let position = index.0 as usize;
        if self.indices.len() <= position {
            self.indices.resize(position + 1, 0);
        }
        self.indices[position] = value;
        for expr in self.dependents.get(position).into_iter().flatten() {
            self.memo[expr.0 as usize] = None;
        }
    }

    fn eval(&self, num: &Num) -> Option<i64> {
        num.eval(|atom| match atom {
            Atom::Param(param) => self.params.get(param.0 as usize).copied().unwrap_or(0),
            Atom::Index(index) => self.indices.get(index.0 as usize).copied().unwrap_or(0),
        })
    }

    fn num(&self, num: &Num, what: &'static str, low: i64, high: i64) -> Result<u32, RaiseError> {
        checked(self.eval(num), what, low, high)
    }

    fn width(&self, id: ExprId) -> Result<u32, RaiseError> {
        self.num(&self.function.expr(id).width, "width", 1, i64::from(crate::MAX_WIDTH))
    }

    fn flag(&self, num: &Num) -> Result<bool, RaiseError> {
        Ok(self.num(num, "signedness flag", 0, 1)? == 1)
    }

    /// The value read as `signed` says.
    fn read(&mut self, id: ExprId, signed: bool) -> Result<NodeId, RaiseError> {
        let value = self.expr(id)?;
        if !signed {
            return Ok(value);
        }
        let width = self.width(id)?;
        Ok(self.dag.slice(value, 0, width, true))
    }

    /// The value within `0..2^width`.
    fn expr(&mut self, id: ExprId) -> Result<NodeId, RaiseError> {
        if let Some(known) = self.memo[id.0 as usize] {
            return Ok(known);
        }
        let width = self.width(id)?;
        let function = self.function;
        let value = match &function.expr(id).op {
            Op::Arg(ArgId(arg)) => {
                let whole = self.args[*arg as usize];
                self.dag.slice(whole, 0, width, false)
            }
            Op::Const(bits) => self.dag.bits(bits),
            Op::Int(num) => {
                let value = self.eval(num).ok_or(RaiseError::Number { what: "number", value: i64::MAX })?;
                let value = self.dag.int(value);
                self.dag.slice(value, 0, width, false)
            }
            Op::Extract { of, low } => {
                let low = self.num(low, "position", 0, i64::from(crate::MAX_WIDTH))?;
                // A slice of a whole argument stays one, and does not become a slice of a slice.
                let of = match function.expr(*of).op {
                    Op::Arg(ArgId(arg)) => self.args[arg as usize],
                    _ => self.expr(*of)?,
                };
                self.dag.slice(of, low, width, false)
            }
            Op::ExtractAt { of, low } => {
                let low = self.expr(*low)?;
                let of = self.expr(*of)?;
                self.dag.slice_at(of, low, width, false)
            }
            Op::Cast { of, signed } => {
                let signed = self.flag(signed)?;
                let value = self.read(*of, signed)?;
                self.dag.slice(value, 0, width, false)
            }
            Op::Saturate { of, from_signed, to_signed } => {
                let (from, to) = (self.flag(from_signed)?, self.flag(to_signed)?);
                let value = self.read(*of, from)?;
                let clamped = self.dag.saturate(value, width, to);
                self.dag.slice(clamped, 0, width, false)
            }
            Op::Concat(high_first) => {
                let mut parts = Vec::with_capacity(high_first.len());
                for part in high_first.iter().rev() {
                    parts.push(Part { node: self.expr(*part)?, width: self.width(*part)? });
                }
                self.dag.concat(&parts)
            }
            Op::Unary(op, operand) => self.unary(*op, *operand, width)?,
            Op::Binary { op, signed, left, right } => {
                let signed = self.flag(signed)?;
                let left = self.read(*left, signed)?;
                let right = self.read(*right, signed && !op.is_shift())?;
                let exact = self.binary(*op, left, right, width, signed)?;
                self.dag.slice(exact, 0, width, false)
            }
            Op::Compare { op, signed, left, right } => {
                let signed = self.flag(signed)?;
                let (left, right) = (self.read(*left, signed)?, self.read(*right, signed)?);
                match op {
                    CompareOp::Eq => self.dag.eq(left, right),
                    CompareOp::Lt => self.dag.lt(left, right),
                    CompareOp::Le => self.dag.le(left, right),
                }
            }
            Op::Select { condition, then, otherwise } => {
                let condition = self.expr(*condition)?;
                let (then, otherwise) = (self.expr(*then)?, self.expr(*otherwise)?);
                self.dag.select(condition, then, otherwise)
            }
            Op::Fold { op, signed, index, count, body } => {
                let signed = self.flag(signed)?;
                let count = self.num(count, "count", 1, MAX_STEPS as i64)?;
                let mut joined = None;
                for value in 0..count {
                    self.set(*index, i64::from(value));
                    let next = self.read(*body, signed)?;
                    joined = Some(match joined {
                        None => next,
                        Some(joined) => self.binary(*op, joined, next, width, signed)?,
                    });
                }
                let joined = joined.ok_or(RaiseError::Number { what: "count", value: 0 })?;
                self.dag.slice(joined, 0, width, false)
            }
            Op::Float { float, operands } => {
                let approximates = float.op.approximates();
                let target = if approximates { MAX_ERROR } else { MAX_EXPONENT };
                let float = Float {
                    op: float.op,
                    nan: float.nan,
                    exponent: self.num(&float.exponent, "format", 0, i64::from(MAX_EXPONENT))?,
                    target: self.num(&float.target, "format", i64::from(approximates), i64::from(target))?,
                };
                self.float(float, operands, width)?
            }
        };
        self.memo[id.0 as usize] = Some(value);
        Ok(value)
    }

    fn float(&mut self, float: Float<u32>, operands: &[ExprId], width: u32) -> Result<NodeId, RaiseError> {
        if operands.len() != float.op.operands() {
            return Err(RaiseError::Count(operands.len(), float.op.operands()));
        }
        let from_int = float.op == FloatOp::FromInt;
        let mut values = Vec::with_capacity(operands.len());
        for (position, operand) in operands.iter().enumerate() {
            values.push(self.read(*operand, from_int && position == 0 && float.target == 1)?);
        }
        let own = if from_int { width } else { self.width(operands[0])? };
        let check = |exponent: u32, width: u32| match (2..=width.saturating_sub(2)).contains(&exponent) {
            true => Ok(()),
            false => Err(RaiseError::Number { what: "format", value: i64::from(exponent) }),
        };
        check(float.exponent, own)?;
        if float.op == FloatOp::Convert {
            check(float.target, width)?;
        }
        // An integer's sign follows from its range.
        let float = if from_int { Float { target: 0, ..float } } else { float };
        let node = self.dag.float(float, own, width, &values);
        Ok(self.dag.slice(node, 0, width, false))
    }

    fn unary(&mut self, op: UnaryOp, operand: ExprId, width: u32) -> Result<NodeId, RaiseError> {
        let value = self.read(operand, op == UnaryOp::Abs)?;
        let exact = match op {
            UnaryOp::Not => self.dag.not(value),
            UnaryOp::Neg => self.dag.neg(value),
            UnaryOp::Abs => self.dag.abs(value),
            UnaryOp::PopCount => self.dag.popcount(value),
            UnaryOp::LeadingZeros => self.dag.leading_zeros(value, width),
            UnaryOp::TrailingZeros => self.dag.trailing_zeros(value, width),
        };
        Ok(self.dag.slice(exact, 0, width, false))
    }

    /// The exact value; the caller truncates.
    fn binary(
        &mut self,
        op: BinaryOp,
        left: NodeId,
        right: NodeId,
        width: u32,
        signed: bool,
    ) -> Result<NodeId, RaiseError> {
        Ok(match op {
            BinaryOp::Add => self.dag.sum(&[left, right]),
            BinaryOp::Sub => self.dag.sub(left, right),
            BinaryOp::Mul => self.dag.mul(left, right),
            BinaryOp::And => self.dag.and(left, right),
            BinaryOp::Or => self.dag.or(left, right),
            BinaryOp::Xor => self.dag.xor(left, right),
            BinaryOp::Shl => self.dag.shl(left, right),
            BinaryOp::Shr => self.dag.shr(left, right),
            BinaryOp::Min => self.dag.min(left, right),
            BinaryOp::Max => self.dag.max(left, right),
            BinaryOp::Div | BinaryOp::Rem => {
                // Only a divisor that cannot be 0 has an exact quotient; SMT-LIB's value for 0 is a choice.
                let zero = self.dag.int(0);
                let is_zero = self.dag.eq(right, zero);
                let (exact, at_zero) = if op == BinaryOp::Div {
                    let ones = self.dag.int((Int::ONE << width as usize) - Int::ONE);
                    let one = self.dag.int(1);
                    let negative = self.dag.lt(left, zero);
                    let at_zero = if signed { self.dag.select(negative, one, ones) } else { ones };
                    (self.dag.div(left, right), at_zero)
                } else {
                    (self.dag.rem(left, right), left)
                };
                match exact {
                    None => at_zero,
                    Some(exact) => self.dag.select(is_zero, at_zero, exact),
                }
            }
        })
    }
}
