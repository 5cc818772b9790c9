//! Expressions of the IR under construction: equal ones are one, and what is constant is folded.

use hydride_ir::{
    Arg, ArgId, BinaryOp, Bits, CompareOp, Expr, ExprId, Function, Num, Op, ResultId, ResultSlot, Role, Stmt,
    UnaryOp,
};
use rustc_hash::FxHashMap;

/// The most expressions of a question.
const MAX_EXPRESSIONS: usize = 2_000_000;

/// The value that changes no other one as an operand.
fn neutral(op: BinaryOp, signed: bool, width: u32) -> Bits {
    let least = || {
        Bits::from_words(
            width,
            (0..width.div_ceil(64)).map(
                |at| {
                    if at == (width - 1) / 64 { 1 << ((width - 1) % 64) } else { 0 }
                },
            ),
        )
    };
    let complement = |bits: Bits| Bits::from_words(width, bits.words().iter().map(|word| !word));
    match (op, signed) {
        (BinaryOp::And | BinaryOp::Min, false) | (BinaryOp::And, true) => Bits::ones(width),
        (BinaryOp::Max, true) => least(),
        (BinaryOp::Min, true) => complement(least()),
        _ => Bits::zero(width),
    }
}

/// The most operands of one operator that are brought into one order.
const MAX_ORDERED: usize = 256;

/// Expressions over arguments.
pub struct Graph {
    function: Function,
    known: FxHashMap<Expr, ExprId>,
    /// Whether counts of ones are sums of counts of halves, as programs compute them, and no operators.
    pub counts_in_halves: bool,
}

impl Graph {
    pub fn new() -> Self {
        Self { function: Function::new("refinement"), known: FxHashMap::default(), counts_in_halves: false }
    }

    /// Whether there is no place for more.
    pub fn is_full(&self) -> bool {
        self.function.exprs().len() > MAX_EXPRESSIONS
    }

    pub fn width(&self, id: ExprId) -> u32 {
        self.function.expr(id).width.as_constant().and_then(|width| u32::try_from(width).ok()).unwrap_or(1)
    }

    /// A new argument.
    pub fn argument(&mut self, name: String, width: u32) -> (ArgId, ExprId) {
        let id = ArgId(self.function.args.len() as u32);
        self.function.args.push(Arg { name, width: width.into(), role: Role::Register });
        (id, self.push(Op::Arg(id), width))
    }

    /// The whole as a function of these values.
    pub fn function(&self, values: &[ExprId]) -> Function {
        let mut whole = self.function.clone();
        for (number, value) in values.iter().enumerate() {
            let width = self.function.expr(*value).width.clone();
            whole.results.push(ResultSlot { name: format!("r{number}"), width });
            whole.body.push(Stmt::Assign {
                result: ResultId(number as u32),
                low: Num::constant(0),
                value: *value,
            });
        }
        hydride_ir::passes::dead_code(&whole)
    }

    fn push(&mut self, op: Op, width: u32) -> ExprId {
        let expr = Expr { op, width: width.into() };
        if let Some(known) = self.known.get(&expr) {
            return *known;
        }
        let id = self.function.push(expr.op.clone(), width);
        self.known.insert(expr, id);
        id
    }

    pub fn bits(&mut self, bits: Bits) -> ExprId {
        let width = bits.width();
        self.push(Op::Const(bits), width)
    }

    pub fn number(&mut self, width: u32, value: u64) -> ExprId {
        self.bits(Bits::from_u64(width, value))
    }

    pub fn bool(&mut self, value: bool) -> ExprId {
        self.number(1, u64::from(value))
    }

    pub fn constant(&self, id: ExprId) -> Option<&Bits> {
        match &self.function.expr(id).op {
            Op::Const(bits) => Some(bits),
            _ => None,
        }
    }

    pub fn as_bool(&self, id: ExprId) -> Option<bool> {
        self.constant(id).filter(|bits| bits.width() == 1).map(|bits| bits.bit(0))
    }

    /// An operation; a constant where its operands are.
    pub fn op(&mut self, op: Op, width: u32) -> ExprId {
        let operands = op.operands();
        let constants = operands.iter().all(|operand| self.constant(*operand).is_some());
        if constants && !operands.is_empty() {
            let mut small = Function::new("constant");
            let moved: Vec<ExprId> = operands
                .iter()
                .map(|id| small.push(self.function.expr(*id).op.clone(), self.width(*id)))
                .collect();
            let mut next = moved.into_iter();
            let op = op.map_operands(|id| next.next().unwrap_or(id));
            let value = small.push(op, width);
            small.results.push(ResultSlot { name: "r".to_owned(), width: width.into() });
            small.body.push(Stmt::Assign { result: ResultId(0), low: Num::constant(0), value });
            if let Some(bits) = interp::evaluate(&small, &[]).ok().and_then(|mut bits| bits.pop()) {
                return self.bits(bits);
            }
        }
        self.push(op, width)
    }

    pub fn binary(&mut self, op: BinaryOp, signed: bool, left: ExprId, right: ExprId) -> ExprId {
        let width = self.width(left);
        self.op(Op::Binary { op, signed: i64::from(signed).into(), left, right }, width)
    }

    pub fn sub(&mut self, left: ExprId, right: ExprId) -> ExprId {
        self.binary(BinaryOp::Sub, false, left, right)
    }

    pub fn unary(&mut self, op: UnaryOp, of: ExprId) -> ExprId {
        let width = self.width(of);
        self.op(Op::Unary(op, of), width)
    }

    /// The number of ones, in the operand's width.
    pub fn count_ones(&mut self, of: ExprId) -> ExprId {
        if !self.counts_in_halves {
            return self.unary(UnaryOp::PopCount, of);
        }
        let (width, count) = (self.width(of), self.counted(of));
        self.cast(count, false, width)
    }

    /// The number of ones, in as many bits as it needs.
    fn counted(&mut self, of: ExprId) -> ExprId {
        let width = self.width(of);
        if width == 1 {
            return of;
        }
        let half = width / 2;
        let (low, high) = (self.extract(of, 0, half), self.extract(of, half, width - half));
        let (low, high) = (self.counted(low), self.counted(high));
        let wide = self.width(low).max(self.width(high)) + 1;
        let (low, high) = (self.cast(low, false, wide), self.cast(high, false, wide));
        self.binary(BinaryOp::Add, false, low, high)
    }

    pub fn not(&mut self, of: ExprId) -> ExprId {
        if let Op::Unary(UnaryOp::Not, inner) = self.function.expr(of).op {
            return inner;
        }
        self.unary(UnaryOp::Not, of)
    }

    pub fn and(&mut self, left: ExprId, right: ExprId) -> ExprId {
        match (self.as_bool(left), self.as_bool(right)) {
            (Some(true), _) => right,
            (_, Some(true)) => left,
            (Some(false), _) => left,
            (_, Some(false)) => right,
            _ if left == right => left,
            _ => self.binary(BinaryOp::And, false, left, right),
        }
    }

    pub fn or(&mut self, left: ExprId, right: ExprId) -> ExprId {
        match (self.as_bool(left), self.as_bool(right)) {
            (Some(false), _) => right,
            (_, Some(false)) => left,
            (Some(true), _) => left,
            (_, Some(true)) => right,
            _ if left == right => left,
            _ => self.binary(BinaryOp::Or, false, left, right),
        }
    }

    pub fn compare(&mut self, op: CompareOp, signed: bool, left: ExprId, right: ExprId) -> ExprId {
        if left == right {
            return self.bool(op != CompareOp::Lt);
        }
        self.op(Op::Compare { op, signed: i64::from(signed).into(), left, right }, 1)
    }

    pub fn equal(&mut self, left: ExprId, right: ExprId) -> ExprId {
        self.compare(CompareOp::Eq, false, left, right)
    }

    pub fn differ(&mut self, left: ExprId, right: ExprId) -> ExprId {
        let equal = self.equal(left, right);
        self.not(equal)
    }

    pub fn less(&mut self, signed: bool, left: ExprId, right: ExprId) -> ExprId {
        self.compare(CompareOp::Lt, signed, left, right)
    }

    pub fn select(&mut self, condition: ExprId, then: ExprId, otherwise: ExprId) -> ExprId {
        match self.as_bool(condition) {
            Some(true) => then,
            Some(false) => otherwise,
            None if then == otherwise => then,
            None => {
                let width = self.width(then);
                self.op(Op::Select { condition, then, otherwise }, width)
            }
        }
    }

    pub fn cast(&mut self, of: ExprId, signed: bool, width: u32) -> ExprId {
        match self.width(of) {
            own if own == width => of,
            own if own > width => self.extract(of, 0, width),
            _ => self.op(Op::Cast { of, signed: i64::from(signed).into() }, width),
        }
    }

    pub fn extract(&mut self, of: ExprId, low: u32, width: u32) -> ExprId {
        if low == 0 && self.width(of) == width {
            return of;
        }
        match self.function.expr(of).op.clone() {
            Op::Extract { of: inner, low: base } => {
                let base = base.as_constant().unwrap_or(0) as u32;
                return self.extract(inner, base + low, width);
            }
            Op::Concat(parts) => {
                let (mut kept, mut base) = (Vec::new(), 0);
                for part in parts.into_iter().rev() {
                    let end = base + self.width(part);
                    let (from, to) = (low.max(base), (low + width).min(end));
                    if from < to {
                        kept.push(self.extract(part, from - base, to - from));
                    }
                    base = end;
                }
                return self.concat(kept);
            }
            _ => {}
        }
        self.op(Op::Extract { of, low: i64::from(low).into() }, width)
    }

    /// The parts, the least significant first.
    pub fn concat(&mut self, parts: Vec<ExprId>) -> ExprId {
        if let [only] = parts[..] {
            return only;
        }
        let width = parts.iter().map(|part| self.width(*part)).sum();
        let mut flat: Vec<ExprId> = Vec::new();
        for part in parts {
            let inner = match &self.function.expr(part).op {
                Op::Concat(inner) => inner.iter().rev().copied().collect(),
                _ => vec![part],
            };
            for part in inner {
                match flat.last().and_then(|last| self.neighbors(*last, part)) {
                    Some((of, low, width)) => {
                        flat.pop();
                        let both = self.extract(of, low, width);
                        flat.push(both);
                    }
                    None => flat.push(part),
                }
            }
        }
        if let [only] = flat[..] {
            return only;
        }
        flat.reverse();
        self.op(Op::Concat(flat), width)
    }

    /// What two parts are together, if the second one begins where the first one ends in one expression.
    fn neighbors(&self, low: ExprId, high: ExprId) -> Option<(ExprId, u32, u32)> {
        let part = |id: ExprId| match &self.function.expr(id).op {
            Op::Extract { of, low } => Some((*of, u32::try_from(low.as_constant()?).ok()?)),
            _ => None,
        };
        let ((of, from), (other, next)) = (part(low)?, part(high)?);
        let own = self.width(low);
        (of == other && from + own == next).then(|| (of, from, own + self.width(high)))
    }

    /// Whether an expression puts several ones one after the other.
    pub fn is_concat(&self, id: ExprId) -> bool {
        matches!(self.function.expr(id).op, Op::Concat(_))
    }

    /// An expression of another function, whose operands are known.
    fn rebuilt(&mut self, expr: &Expr, width: u32, known: impl Fn(ExprId) -> ExprId) -> ExprId {
        match expr.op.map_operands(&known) {
            Op::Extract { of, low } => self.extract(of, low.as_constant().unwrap_or(0) as u32, width),
            Op::Select { condition, then, otherwise } => self.select(condition, then, otherwise),
            Op::Concat(mut parts) => {
                parts.reverse();
                self.concat(parts)
            }
            Op::Cast { of, signed } => self.cast(of, signed.as_constant() == Some(1), width),
            Op::Int(num) => {
                let value = num.as_constant().unwrap_or(0);
                let fill = if value < 0 { u64::MAX } else { 0 };
                let words =
                    std::iter::once(value as u64).chain(std::iter::repeat_n(fill, (width / 64) as usize));
                self.bits(Bits::from_words(width, words))
            }
            Op::Unary(UnaryOp::PopCount, of) => self.count_ones(of),
            Op::Unary(UnaryOp::Not, of) => self.not(of),
            Op::Compare { op, signed, left, right } if left == right => {
                self.compare(op, signed.as_constant() == Some(1), left, right)
            }
            Op::Binary { op: BinaryOp::And, left, right, .. } if width == 1 => self.and(left, right),
            Op::Binary { op: BinaryOp::Or, left, right, .. } if width == 1 => self.or(left, right),
            op @ Op::Const(_) => self.push(op, width),
            op => self.op(op, width),
        }
    }

    /// What a function without loops gives for these arguments: for each result its bits.
    pub fn splice(&mut self, function: &Function, arguments: &[ExprId]) -> Option<Vec<ExprId>> {
        let mut ids: Vec<ExprId> = Vec::with_capacity(function.exprs().len());
        for expr in function.exprs() {
            let width = u32::try_from(expr.width.as_constant()?).ok()?;
            let id = match expr.op {
                Op::Arg(arg) => *arguments.get(arg.0 as usize)?,
                _ => self.rebuilt(expr, width, |operand| ids[operand.0 as usize]),
            };
            ids.push(id);
        }
        let mut pieces: Vec<Vec<(u32, ExprId)>> = vec![Vec::new(); function.results.len()];
        for stmt in &function.body {
            let Stmt::Assign { result, low, value } = stmt else { return None };
            pieces[result.0 as usize].push((u32::try_from(low.as_constant()?).ok()?, ids[value.0 as usize]));
        }
        let mut results = Vec::new();
        for mut pieces in pieces {
            pieces.sort_by_key(|piece| piece.0);
            results.push(self.concat(pieces.into_iter().map(|piece| piece.1).collect()));
        }
        Some(results)
    }

    /// The arguments below an expression.
    pub fn arguments_of(&self, root: ExprId) -> Vec<ArgId> {
        let reached = self.function.reached([root]);
        let exprs = self.function.exprs().iter().zip(reached).filter(|(_, reached)| *reached);
        exprs.filter_map(|(expr, _)| if let Op::Arg(arg) = expr.op { Some(arg) } else { None }).collect()
    }

    /// The same values with the operands of sums, extrema and logic over many values in one order, so that those over the same
    /// values are one.
    pub fn ordered(&mut self, roots: &[ExprId]) -> Vec<ExprId> {
        let mut parts: FxHashMap<ExprId, Vec<ExprId>> = FxHashMap::default();
        self.remade(roots, |graph, id, expr, known| {
            let Op::Binary { op, signed, .. } = &expr.op else { return None };
            let (op, signed) = (*op, signed.as_constant()?);
            let is_ordered = matches!(op, BinaryOp::Add | BinaryOp::Xor);
            let is_set = matches!(op, BinaryOp::Min | BinaryOp::Max | BinaryOp::And | BinaryOp::Or);
            let Op::Binary { left, right, .. } = expr.op else { return None };
            if !(is_ordered || is_set) {
                return None;
            }
            // An operand of the same operator gives its operands.
            let mut all = Vec::new();
            for operand in [left, right] {
                let same = matches!(&graph.function.expr(operand).op, Op::Binary { op: own, signed: sign, .. }
                    if *own == op && sign.as_constant() == Some(signed));
                match parts.get(&operand).filter(|own| same && own.len() < MAX_ORDERED) {
                    Some(own) => all.extend_from_slice(own),
                    None => all.push(known(operand)),
                }
            }
            let neutral = neutral(op, signed == 1, graph.width(id));
            if all.len() > 1 {
                all.retain(|part| graph.constant(*part) != Some(&neutral));
            }
            if all.is_empty() {
                all.push(graph.bits(neutral));
            }
            all.sort_unstable();
            if is_set {
                all.dedup();
            }
            let folded = all.iter().copied().reduce(|left, right| graph.binary(op, signed == 1, left, right));
            parts.insert(id, all);
            folded
        })
    }

    /// What an expression is.
    pub fn operation(&self, id: ExprId) -> &Op {
        &self.function.expr(id).op
    }

    /// The expressions that some are computed from, and these, operands first.
    pub fn reached(&self, roots: &[ExprId]) -> Vec<ExprId> {
        let reached = self.function.reached(roots.iter().copied());
        let ids = reached.into_iter().zip(0..).filter(|(reached, _)| *reached);
        ids.map(|(_, position)| ExprId(position)).collect()
    }

    /// Expressions with others in place of some that they are computed from.
    pub fn replaced(&mut self, roots: &[ExprId], others: &FxHashMap<ExprId, ExprId>) -> Vec<ExprId> {
        self.remade(roots, |_, id, _, _| others.get(&id).copied())
    }

    /// Expressions with arguments replaced.
    pub fn substitute(&mut self, roots: &[ExprId], replacement: &FxHashMap<ArgId, ExprId>) -> Vec<ExprId> {
        self.remade(roots, |_, _, expr, _| match expr.op {
            Op::Arg(arg) => replacement.get(&arg).copied(),
            _ => None,
        })
    }

    /// Expressions made again from their operands, or as `other` makes one; it is given what the operands are now.
    fn remade(
        &mut self,
        roots: &[ExprId],
        mut other: impl FnMut(&mut Self, ExprId, &Expr, &dyn Fn(ExprId) -> ExprId) -> Option<ExprId>,
    ) -> Vec<ExprId> {
        let reached = self.function.reached(roots.iter().copied());
        let mut ids: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        for (position, _) in reached.iter().enumerate().filter(|(_, reached)| **reached) {
            let id = ExprId(position as u32);
            let expr = self.function.expr(id).clone();
            let width = self.width(id);
            let known = |operand: ExprId| ids[&operand];
            let new = match (other(self, id, &expr, &known), &expr.op) {
                (Some(made), _) => made,
                (None, Op::Arg(_)) => id,
                (None, _) => self.rebuilt(&expr, width, known),
            };
            ids.insert(id, new);
        }
        roots.iter().map(|root| ids[root]).collect()
    }
}
