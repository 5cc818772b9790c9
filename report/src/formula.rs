//! A function in mathematical notation, one line for each statement.
//!
//! ```text
//! for i in 0..16 {
//!   %dst[8*i +: 8] = saturate.s.s(add(cast.s(%a[8*i +: 8], 9), …        dst_{8}[i] = sat_{s→s8}(sext_{9}(a_{8}[i]) + …
//! }                                                                     0 ≤ i < 16
//! ```
//!
//! `_{…}` is a subscript. `x_{w}[q]` is element `q` of `x` in elements of `w` bits; if a position is not a multiple of
//! the width, it is `x[p +: w]`: `w` bits from bit `p` on. Conversions that change nothing and operators with a neutral
//! operand are left out, and loops that run once have no index, so that the formula of an instance is shorter than the
//! IR's text of it.

use std::collections::BTreeMap;

use hydride_ir::{
    Atom, BinaryOp, Bits, CompareOp, ERROR_FRACTION, ExprId, Float, FloatOp, Function, IndexId, Num, Op,
    Stmt, UnaryOp,
};

/// Statements that are shown; of longer functions the first ones.
const MAX_LINES: usize = 32;

/// Operators and operands of one statement beyond which it is not shown.
const MAX_NODES: usize = 400;

/// One statement.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Line {
    /// What is written and its value.
    pub equation: String,
    /// The ranges of the indices, empty when there are none.
    pub range: String,
}

/// The statements of a function.
#[derive(Clone, Debug, PartialEq, Eq, Default, PartialOrd, Ord)]
pub struct Formula {
    /// The first statements, as many as are shown.
    pub lines: Vec<Line>,
    /// Statements that are not shown.
    pub left_out: usize,
}

impl Formula {
    /// The statements as text, one a line; the last line counts those that are left out.
    pub fn texts(&self) -> Vec<String> {
        let text = |line: &Line| match line.range.as_str() {
            "" => line.equation.clone(),
            range => format!("{}    {range}", line.equation),
        };
        let mut texts: Vec<String> = self.lines.iter().map(text).collect();
        if self.left_out > 0 {
            texts.push(format!("… and {} more", self.left_out));
        }
        texts
    }
}

/// The formula of a function; arguments are called `arg_names` where there is one for each of them.
///
/// ```
/// let text = "func @f(%x: 64) -> (%dst: 64) {\n  for i in 0..8 {\n    \
///             %dst[8*i +: 8] = neg(%x[8*i +: 8])\n  }\n}\n";
/// let function = &hydride_ir::Function::parse_all(text)?[0];
/// let formula = report::formula(function, &[]);
/// assert_eq!(formula.lines[0].equation, "dst_{8}[i] = −x_{8}[i]");
/// assert_eq!(formula.lines[0].range, "0 ≤ i < 8");
/// # Ok::<(), hydride_ir::ParseError>(())
/// ```
pub fn formula(function: &Function, arg_names: &[&str]) -> Formula {
    let mut printer =
        Printer { function, arg_names, sizes: sizes(function), indices: BTreeMap::new(), depth: 0 };
    let mut formula = Formula::default();
    printer.statements(&function.body, &mut Vec::new(), &mut formula);
    formula
}

/// How many operators and operands an expression has when it is written out.
fn sizes(function: &Function) -> Vec<usize> {
    let mut sizes: Vec<usize> = Vec::with_capacity(function.exprs().len());
    for expr in function.exprs() {
        let operands = expr.op.operands();
        let below = operands.iter().map(|id| sizes.get(id.0 as usize).copied().unwrap_or(0));
        sizes.push(below.fold(1, usize::saturating_add));
    }
    sizes
}

struct Printer<'f> {
    function: &'f Function,
    arg_names: &'f [&'f str],
    sizes: Vec<usize>,
    /// The indices in scope: a name, or nothing where the loop runs once.
    indices: BTreeMap<IndexId, Option<String>>,
    /// Named indices in scope.
    depth: usize,
}

/// Rounding to the nearest number, of two to the even one.
const NEAREST_EVEN: &str = "RN";

/// How tightly an operator binds; what binds less is put in parentheses.
type Level = u8;
const SELECT: Level = 0;
const COMPARE: Level = 1;
const OR: Level = 2;
const XOR: Level = 3;
const AND: Level = 4;
const SHIFT: Level = 5;
const SUM: Level = 6;
const PRODUCT: Level = 7;
const PREFIX: Level = 8;
const ATOM: Level = 9;

impl Printer<'_> {
    fn statements(&mut self, body: &[Stmt], ranges: &mut Vec<String>, formula: &mut Formula) {
        for statement in body {
            match statement {
                Stmt::For { index, count, body } => {
                    let range = self.enter(*index, count);
                    let named = range.is_some();
                    ranges.extend(range);
                    self.statements(body, ranges, formula);
                    if named {
                        ranges.pop();
                        self.depth -= 1;
                    }
                }
                Stmt::Assign { .. } if formula.lines.len() == MAX_LINES => formula.left_out += 1,
                Stmt::Assign { result, low, value } => {
                    let slot = self.function.result(*result);
                    let width = self.function.expr(*value).width.clone();
                    let target = self.slice(&slot.name, low, &width, Some(&slot.width));
                    let size = self.sizes[value.0 as usize];
                    let value = if size > MAX_NODES {
                        format!("… ({size} operators and operands)")
                    } else {
                        self.expression(*value, SELECT)
                    };
                    formula
                        .lines
                        .push(Line { equation: format!("{target} = {value}"), range: ranges.join(", ") });
                }
            }
        }
    }

    /// Names an index and gives its range; a loop that runs once has neither.
    fn enter(&mut self, index: IndexId, count: &Num) -> Option<String> {
        if count.as_constant() == Some(1) {
            self.indices.insert(index, None);
            return None;
        }
        let letters = ["i", "j", "k", "l", "m", "n", "p", "q"];
        let name = letters.get(self.depth).map_or_else(|| format!("i{}", self.depth), |n| (*n).to_owned());
        self.depth += 1;
        let range = format!("0 ≤ {name} < {}", self.number(count));
        self.indices.insert(index, Some(name));
        Some(range)
    }

    /// The number without the indices that are always 0.
    fn known(&self, num: &Num) -> Num {
        num.substitute(|atom| match atom {
            Atom::Index(id) if self.indices.get(&id) == Some(&None) => Num::constant(0),
            Atom::Index(id) => Num::index(id),
            Atom::Param(id) => Num::param(id),
        })
    }

    fn number(&self, num: &Num) -> String {
        let num = self.known(num);
        let mut text = String::new();
        let mut add = |negative: bool, part: &str| {
            text.push_str(match (text.is_empty(), negative) {
                (true, true) => "−",
                (true, false) => "",
                (false, true) => " − ",
                (false, false) => " + ",
            });
            text.push_str(part);
        };
        for (atoms, coefficient) in num.terms() {
            let magnitude = coefficient.unsigned_abs();
            let scale = (magnitude != 1).then(|| magnitude.to_string());
            let factors: Vec<String> =
                scale.into_iter().chain(atoms.iter().map(|atom| self.atom(*atom))).collect();
            add(coefficient < 0, &factors.join("·"));
        }
        let constant = num.constant_part();
        if constant != 0 {
            add(constant < 0, &constant.unsigned_abs().to_string());
        }
        if text.is_empty() { "0".to_owned() } else { text }
    }

    fn atom(&self, atom: Atom) -> String {
        match atom {
            Atom::Param(id) => self.function.param(id).name.clone(),
            Atom::Index(id) => self.indices.get(&id).cloned().flatten().unwrap_or_else(|| "0".to_owned()),
        }
    }

    /// `width` bits of `of` from bit `low` on; `whole` is the width of `of`.
    fn slice(&self, of: &str, low: &Num, width: &Num, whole: Option<&Num>) -> String {
        let (low, width) = (self.known(low), self.known(width));
        if low.as_constant() == Some(0) && whole.is_some_and(|whole| self.known(whole) == width) {
            return of.to_owned();
        }
        match quotient(&low, &width) {
            Some(position) => format!("{of}_{{{}}}[{}]", self.number(&width), self.number(&position)),
            None => format!("{of}[{} +: {}]", self.number(&low), self.number(&width)),
        }
    }

    fn expression(&mut self, id: ExprId, level: Level) -> String {
        let (text, own) = self.written(id);
        if own < level { format!("({text})") } else { text }
    }

    fn list(&mut self, of: &[ExprId], separator: &str, level: Level) -> String {
        let parts: Vec<String> = of.iter().map(|id| self.expression(*id, level)).collect();
        parts.join(separator)
    }

    /// A floating-point operator: the symbol or name with the format as its subscript, and the rounding where that is not
    /// to the nearest even number. What a NaN is is not shown.
    fn float(&mut self, float: &Float<Num>, operands: &[ExprId], width: &Num) -> (String, Level) {
        let (values, mode) = operands.split_at(float.op.arity());
        let of = self.function.expr(operands[0]).width.clone();
        let integer =
            |printer: &Self, width: &Num| format!("{}{}", printer.sign(&float.target), printer.number(width));
        let own = match float.op {
            FloatOp::Convert => {
                format!("{}→{}", self.format(&float.exponent, &of), self.format(&float.target, width))
            }
            FloatOp::ToInt => format!("{}→{}", self.format(&float.exponent, &of), integer(self, width)),
            FloatOp::FromInt => format!("{}→{}", integer(self, &of), self.format(&float.exponent, width)),
            op if op.approximates() => {
                format!("{}, {}", self.format(&float.exponent, &of), self.error(&float.target))
            }
            _ => self.format(&float.exponent, &of),
        };
        let mode = mode.first().map(|mode| self.rounding(*mode));
        let always = matches!(float.op, FloatOp::RoundToInt | FloatOp::ToInt);
        let subscript = match mode {
            Some(mode) if always || mode != NEAREST_EVEN => format!("{own}, {mode}"),
            _ => own,
        };
        let (symbol, level) = match float.op {
            FloatOp::Add => ("+", SUM),
            FloatOp::Sub => ("−", SUM),
            FloatOp::Mul => ("·", PRODUCT),
            FloatOp::Div => ("÷", PRODUCT),
            FloatOp::Eq => ("=", COMPARE),
            FloatOp::Lt => ("<", COMPARE),
            FloatOp::Le => ("≤", COMPARE),
            op => {
                let name = match op {
                    FloatOp::Sqrt => "√",
                    FloatOp::MulAdd => "fma",
                    FloatOp::Min => "min",
                    FloatOp::Max => "max",
                    FloatOp::RoundToInt => "round",
                    FloatOp::Unordered => "unordered",
                    FloatOp::Reciprocal => "≈1/",
                    FloatOp::ReciprocalSqrt => "≈1/√",
                    _ => "convert",
                };
                return (self.call(name, &subscript, values), ATOM);
            }
        };
        // Unlike integers' operators these are not associative.
        let before = if level == COMPARE { OR } else { level };
        let after = if level == COMPARE { OR } else { level + 1 };
        let (left, right) = (self.expression(values[0], before), self.expression(values[1], after));
        (format!("{left} {symbol}_{{{subscript}}} {right}"), level)
    }

    /// The greatest relative error of an approximation: an odd number of halves of halves.
    fn error(&self, error: &Num) -> String {
        let error = self.known(error);
        let Some(units) = error.as_constant().filter(|units| *units > 0) else {
            return format!("{}·2^-{ERROR_FRACTION}", self.number(&error));
        };
        let power = ERROR_FRACTION - units.trailing_zeros().min(ERROR_FRACTION);
        match units >> units.trailing_zeros() {
            1 => format!("2^-{power}"),
            odd => format!("{odd}·2^-{power}"),
        }
    }

    /// The usual name of a format, or the bits of its exponent and of the whole.
    fn format(&self, exponent: &Num, width: &Num) -> String {
        let (exponent, width) = (self.known(exponent), self.known(width));
        match (exponent.as_constant(), width.as_constant()) {
            (Some(5), Some(16)) => "f16".to_owned(),
            (Some(8), Some(16)) => "bf16".to_owned(),
            (Some(8), Some(32)) => "f32".to_owned(),
            (Some(11), Some(64)) => "f64".to_owned(),
            _ => format!("f({}:{})", self.number(&exponent), self.number(&width)),
        }
    }

    /// A rounding mode: RN, RD, RU, RZ as in the literature, RA for ties away from zero and RO to odd; else its number.
    fn rounding(&mut self, mode: ExprId) -> String {
        let number = match &self.function.expr(mode).op {
            Op::Const(bits) => bits.to_u64(),
            Op::Int(num) => self.known(num).as_constant().and_then(|number| u64::try_from(number).ok()),
            _ => None,
        };
        match number {
            Some(1) => "RD".to_owned(),
            Some(2) => "RU".to_owned(),
            Some(3) => "RZ".to_owned(),
            Some(4) => "RA".to_owned(),
            Some(5) => "RO".to_owned(),
            Some(_) => NEAREST_EVEN.to_owned(),
            None => format!("mode {}", self.expression(mode, ATOM)),
        }
    }

    /// The text of an expression and how tightly its outermost operator binds.
    fn written(&mut self, id: ExprId) -> (String, Level) {
        let function = self.function;
        let expr = function.expr(id);
        let width = |of: ExprId| &function.expr(of).width;
        match &expr.op {
            Op::Arg(arg) => {
                let own = self.arg_names.get(arg.0 as usize).map(|name| (*name).to_owned());
                (own.unwrap_or_else(|| function.arg(*arg).name.clone()), ATOM)
            }
            Op::Const(bits) => (literal(bits), ATOM),
            Op::Int(num) => {
                let text = self.number(num);
                let level = if text.contains(' ') { SUM } else { ATOM };
                (text, level)
            }
            Op::Extract { of, low } => {
                let of_text = self.expression(*of, ATOM);
                if matches!(function.expr(*of).op, Op::Arg(_)) {
                    return (self.slice(&of_text, low, &expr.width, Some(width(*of))), ATOM);
                }
                if self.known(low).as_constant() != Some(0) {
                    let (low, width) = (self.number(low), self.number(&expr.width));
                    return (format!("{of_text}[{low} +: {width}]"), ATOM);
                }
                if self.known(width(*of)) == self.known(&expr.width) {
                    return self.written(*of);
                }
                (self.call("trunc", &self.number(&expr.width), &[*of]), ATOM)
            }
            Op::ExtractAt { of, low } => {
                let of_text = self.expression(*of, ATOM);
                let low = self.expression(*low, SUM);
                (format!("{of_text}[{low} +: {}]", self.number(&expr.width)), ATOM)
            }
            Op::Cast { of, signed } => self.cast(*of, signed, &expr.width),
            Op::Saturate { of, from_signed, to_signed } => {
                let (from, to) = (self.sign(from_signed), self.sign(to_signed));
                let colon = if to.len() == 1 { "" } else { ":" };
                let subscript = format!("{from}→{to}{colon}{}", self.number(&expr.width));
                (self.call("sat", &subscript, &[*of]), ATOM)
            }
            Op::Concat(parts) => (self.list(parts, " ∥ ", SHIFT), COMPARE),
            Op::Unary(op, of) => match op {
                UnaryOp::Not => (format!("¬{}", self.expression(*of, PREFIX)), PREFIX),
                UnaryOp::Neg => (format!("−{}", self.expression(*of, PREFIX)), PREFIX),
                UnaryOp::Abs => (format!("|{}|", self.expression(*of, SELECT)), ATOM),
                UnaryOp::PopCount => (self.call("popcount", "", &[*of]), ATOM),
                UnaryOp::LeadingZeros => (self.call("clz", "", &[*of]), ATOM),
                UnaryOp::TrailingZeros => (self.call("ctz", "", &[*of]), ATOM),
            },
            Op::Binary { op, signed, left, right } => self.binary(*op, signed, *left, *right),
            Op::Compare { op, signed, left, right } => {
                let sign = if op.has_sign() { format!("_{{{}}}", self.sign(signed)) } else { String::new() };
                let symbol = match op {
                    CompareOp::Eq => "=",
                    CompareOp::Lt => "<",
                    CompareOp::Le => "≤",
                };
                let (left, right) = (self.expression(*left, OR), self.expression(*right, OR));
                (format!("{left} {symbol}{sign} {right}"), COMPARE)
            }
            Op::Select { condition, then, otherwise } => {
                let condition = self.expression(*condition, COMPARE);
                let (then, otherwise) =
                    (self.expression(*then, COMPARE), self.expression(*otherwise, SELECT));
                (format!("{condition} ? {then} : {otherwise}"), SELECT)
            }
            Op::Float { float, operands } => self.float(float, operands, &expr.width),
            Op::Fold { op, signed, index, count, body } => {
                let Some(range) = self.enter(*index, count) else { return self.written(*body) };
                let body_text = self.expression(*body, PRODUCT);
                self.depth -= 1;
                let sign = if op.has_sign() { format!(" {}", self.sign(signed)) } else { String::new() };
                let symbol = folded(*op);
                let gap = if matches!(op, BinaryOp::Min | BinaryOp::Max) { " " } else { "" };
                (format!("{symbol}_{{{range}{sign}}} {gap}{body_text}"), SHIFT)
            }
        }
    }

    fn call(&mut self, name: &str, subscript: &str, of: &[ExprId]) -> String {
        let subscript = if subscript.is_empty() { String::new() } else { format!("_{{{subscript}}}") };
        format!("{name}{subscript}({})", self.list(of, ", ", SELECT))
    }

    fn cast(&mut self, of: ExprId, signed: &Num, to: &Num) -> (String, Level) {
        let (from, to) = (self.known(&self.function.expr(of).width), self.known(to));
        let growth = (to.clone() - from).as_constant();
        let name = match (growth, self.known(signed).as_constant()) {
            (Some(0), _) => return self.written(of),
            (Some(..0), _) => "trunc".to_owned(),
            (Some(_), Some(0)) => "zext".to_owned(),
            (Some(_), Some(_)) => "sext".to_owned(),
            (None, Some(0)) => "zcast".to_owned(),
            (None, Some(_)) => "scast".to_owned(),
            (_, None) => {
                let subscript = format!("{}, {}", self.number(signed), self.number(&to));
                return (self.call("cast", &subscript, &[of]), ATOM);
            }
        };
        (self.call(&name, &self.number(&to), &[of]), ATOM)
    }

    /// Whether an expression is that number.
    fn is(&self, id: ExprId, value: i64) -> bool {
        match &self.function.expr(id).op {
            Op::Int(num) => self.known(num).as_constant() == Some(value),
            Op::Const(bits) => bits.to_u64().is_some_and(|bits| i64::try_from(bits) == Ok(value)),
            _ => false,
        }
    }

    fn binary(&mut self, op: BinaryOp, signed: &Num, left: ExprId, right: ExprId) -> (String, Level) {
        // What an instance's numbers make idle.
        let (left_neutral, right_neutral) = match op {
            BinaryOp::Add | BinaryOp::Or | BinaryOp::Xor => (Some(0), Some(0)),
            BinaryOp::Sub | BinaryOp::Shl | BinaryOp::Shr => (None, Some(0)),
            BinaryOp::Mul => (Some(1), Some(1)),
            BinaryOp::Div | BinaryOp::Rem | BinaryOp::And | BinaryOp::Min | BinaryOp::Max => (None, None),
        };
        if right_neutral.is_some_and(|value| self.is(right, value)) {
            return self.written(left);
        }
        if left_neutral.is_some_and(|value| self.is(left, value)) {
            return self.written(right);
        }
        let (symbol, level) = match op {
            BinaryOp::Add => ("+", SUM),
            BinaryOp::Sub => ("−", SUM),
            BinaryOp::Mul => ("·", PRODUCT),
            BinaryOp::Div => ("÷", PRODUCT),
            BinaryOp::Rem => ("mod", PRODUCT),
            BinaryOp::And => ("∧", AND),
            BinaryOp::Or => ("∨", OR),
            BinaryOp::Xor => ("⊕", XOR),
            BinaryOp::Shl => ("≪", SHIFT),
            BinaryOp::Shr => ("≫", SHIFT),
            BinaryOp::Min | BinaryOp::Max => {
                let name = if op == BinaryOp::Min { "min" } else { "max" };
                return (self.call(name, &self.sign(signed), &[left, right]), ATOM);
            }
        };
        let sign = if op.has_sign() { format!("_{{{}}}", self.sign(signed)) } else { String::new() };
        // A right operand of equal precedence has no parentheses only if that does not change the value.
        let right_op = match self.function.expr(right).op {
            Op::Binary { op, .. } => Some(op),
            _ => None,
        };
        let associates =
            op == BinaryOp::Add && right_op == Some(BinaryOp::Sub) || op.folds() && right_op == Some(op);
        let after = if associates { level } else { level + 1 };
        (format!("{} {symbol}{sign} {}", self.expression(left, level), self.expression(right, after)), level)
    }

    /// `s`, `u`, or the parameter that says which.
    fn sign(&self, signed: &Num) -> String {
        match self.known(signed).as_constant() {
            Some(0) => "u".to_owned(),
            Some(_) => "s".to_owned(),
            None => self.number(signed),
        }
    }
}

fn folded(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "∑",
        BinaryOp::Mul => "∏",
        BinaryOp::And => "⋀",
        BinaryOp::Or => "⋁",
        BinaryOp::Xor => "⨁",
        BinaryOp::Min => "min",
        BinaryOp::Max => "max",
        BinaryOp::Sub | BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr => "fold",
    }
}

/// Small numbers are decimal, others hexadecimal.
fn literal(bits: &Bits) -> String {
    match bits.to_u64() {
        Some(value) if value < 1024 => value.to_string(),
        _ => format!("0x{bits:x}"),
    }
}

/// `low` divided by `width`, where that is a number for all values of parameters and indices.
fn quotient(low: &Num, width: &Num) -> Option<Num> {
    if let Some(width) = width.as_constant() {
        return low.divide(width);
    }
    let mut terms = width.terms();
    let (divisor, scale) = terms.next()?;
    if terms.next().is_some() || width.constant_part() != 0 || low.constant_part() != 0 {
        return None;
    }
    let mut sum = Num::constant(0);
    for (atoms, coefficient) in low.terms() {
        if coefficient % scale != 0 {
            return None;
        }
        let mut rest = atoms.to_vec();
        for atom in divisor {
            rest.remove(rest.iter().position(|other| other == atom)?);
        }
        let factors = rest.into_iter().map(|atom| match atom {
            Atom::Param(id) => Num::param(id),
            Atom::Index(id) => Num::index(id),
        });
        sum = sum + factors.fold(Num::constant(coefficient / scale), |product, factor| product * factor);
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use hydride_ir::passes::instantiate;

    use super::*;

    fn function(text: &str) -> Function {
        Function::parse_all(text).expect("legal text").remove(0)
    }

    fn equations(function: &Function) -> Vec<String> {
        formula(function, &[]).lines.into_iter().map(|line| line.equation).collect()
    }

    #[test]
    fn a_class_and_its_instance() {
        let class = function(
            "func @f[w = 16, n = 4, signed = 1](%a: n*w, %b: n*w) -> (%dst: n*w) {\n  for i in 0..n {\n    \
             %dst[w*i +: w] = saturate.s.{signed}(add(cast.{signed}(%a[w*i +: w], w + 2), \
             cast.{signed}(%b[w*i +: w], w + 2)), w)\n  }\n}\n",
        );
        assert_eq!(
            equations(&class),
            [
                "dst_{w}[i] = sat_{s→signed:w}(cast_{signed, w + 2}(a_{w}[i]) + cast_{signed, w + 2}(b_{w}[i]))"
            ]
        );
        let instance = instantiate(&class, &[8, 16, 0]).expect("values in order");
        assert_eq!(
            equations(&instance),
            ["dst_{8}[i] = sat_{s→u8}(zext_{10}(a_{8}[i]) + zext_{10}(b_{8}[i]))"]
        );
        assert_eq!(formula(&instance, &["x", "y"]).lines[0].range, "0 ≤ i < 16");
        assert!(formula(&instance, &["x", "y"]).lines[0].equation.contains("zext_{10}(y_{8}[i])"));
    }

    #[test]
    fn a_fold_and_a_loop_that_runs_once() {
        let dot = function(
            "func @f(%a: 64, %b: 64) -> (%dst: 32) {\n  for i in 0..1 {\n    %dst[32*i +: 32] = \
             fold add (j in 0..4) mul(cast.s(%a[16*j + 64*i +: 16], 32), cast.u(%b[16*j + 64*i +: 16], 32))\n  }\n}\n",
        );
        let shown = formula(&dot, &[]);
        assert_eq!(
            shown.lines[0].equation,
            "dst = ∑_{0 ≤ i < 4} sext_{32}(a_{16}[i]) · zext_{32}(b_{16}[i])"
        );
        assert_eq!(shown.lines[0].range, "");
    }

    #[test]
    fn parentheses_stand_where_they_are_needed() {
        let text = |value: &str| {
            let source = format!("func @f(%a: 8, %b: 8) -> (%dst: 8) {{\n  %dst[0 +: 8] = {value}\n}}\n");
            equations(&function(&source)).remove(0)
        };
        assert_eq!(text("mul(add(%a, 0x0:8), 0x1:8)"), "dst = a");
        assert_eq!(text("sub(%a, sub(%b, %a))"), "dst = a − (b − a)");
        assert_eq!(text("add(%a, sub(%b, %a))"), "dst = a + b − a");
        assert_eq!(text("mul(add(%a, %b), %a)"), "dst = (a + b) · a");
        assert_eq!(text("select(lt.s(%a, %b), neg(%a), abs(%b))"), "dst = a <_{s} b ? −a : |b|");
        assert_eq!(text("not(shr.u(%a, 0x3:8))"), "dst = ¬(a ≫_{u} 3)");
        assert_eq!(text("concat(%a[4 +: 4], %a[0 +: 4])"), "dst = a_{4}[1] ∥ a_{4}[0]");
        assert_eq!(text("%a[at %b +: 8]"), "dst = a[b +: 8]");
    }

    #[test]
    fn floating_point_operators_have_their_format_as_a_subscript() {
        let text = |value: &str| {
            let source = format!("func @f(%a: 32, %b: 32) -> (%dst: 32) {{\n  %dst[0 +: 32] = {value}\n}}\n");
            equations(&function(&source)).remove(0)
        };
        assert_eq!(text("fadd.{8}(%a, %b, 0x0:3)"), "dst = a +_{f32} b");
        assert_eq!(
            text("fmul.{8}(fsub.{8}(%a, %b, 0x1:3), fdiv.{8}(%a, %b, 0x0:3), 0x0:3)"),
            "dst = (a −_{f32, RD} b) ·_{f32} (a ÷_{f32} b)"
        );
        assert_eq!(text("fadd.{8}(%a, fadd.{8}(%a, %b, 0x0:3), 0x0:3)"), "dst = a +_{f32} (a +_{f32} b)");
        assert_eq!(text("fma.{8}(%a, %b, fsqrt.{8}(%a, 0x0:3), 0x0:3)"), "dst = fma_{f32}(a, b, √_{f32}(a))");
        assert_eq!(text("fmin.{8}.first(%a, %b)"), "dst = min_{f32}(a, b)");
        assert_eq!(text("select(flt.{8}(%a, %b), %a, %b)"), "dst = a <_{f32} b ? a : b");
        assert_eq!(text("fround.{8}(%a, 0x3:3)"), "dst = round_{f32, RZ}(a)");
        assert_eq!(text("frsqrt.{8}.{1572864}(%a)"), "dst = ≈1/√_{f32, 3·2^-13}(a)");
        assert_eq!(text("freciprocal.{8}.{262144}(%a)"), "dst = ≈1/_{f32, 2^-14}(a)");
        assert_eq!(text("ftoint.{8}.s(%a, 0x0:3, 32)"), "dst = convert_{f32→s32, RN}(a)");
        assert_eq!(text("ffromint.{8}.u(%a, 0x0:3, 32)"), "dst = convert_{u32→f32}(a)");
        assert_eq!(text("fconvert.{5}.{8}(%a[0 +: 16], 0x0:3, 32)"), "dst = convert_{f16→f32}(a_{16}[0])");
        assert_eq!(text("fadd.{8}(%a, %b, %a[0 +: 3])"), "dst = a +_{f32, mode a_{3}[0]} b");
        let class = function(
            "func @f[w = 32, e = 8](%a: w, %b: w) -> (%dst: w) {\n  %dst[0 +: w] = fadd.{e}(%a, %b, 0x0:3)\n}\n",
        );
        assert_eq!(equations(&class), ["dst = a +_{f(e:w)} b"]);
    }

    #[test]
    fn a_position_off_the_grid_is_in_bits() {
        let shifted = function("func @f(%a: 64) -> (%dst: 8) {\n  %dst[0 +: 8] = %a[12 +: 8]\n}\n");
        assert_eq!(equations(&shifted), ["dst = a[12 +: 8]"]);
    }
}
