//! Printing: a function as text, linear in its reachable expressions.
//!
//! Expressions that are used more than once, or that nest deeply, are bound by `let` in the scope
//! that [`Schedule`] gives them. Indices are called i, j, k, … by nesting depth.

use std::fmt::{self, Write};

use rustc_hash::{FxHashMap, FxHashSet};

use super::{is_inline_leaf, is_name_byte};
use crate::expr::{BinaryOp, CompareOp, ExprId, Op, UnaryOp};
use crate::float::{Float, FloatOp, NanRule};
use crate::function::{Arg, Function, Role, Stmt};
use crate::num::{Atom, IndexId, Num};
use crate::passes::schedule::{self, Schedule};

/// Expressions that nest deeper than this on one line are bound by `let`.
const MAX_INLINE_HEIGHT: u32 = 12;

/// How deep an error message shows an expression.
const MESSAGE_HEIGHT: usize = 3;

/// The text form; ends with a line break.
impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut printer = Printer::new(self);
        printer.function()?;
        f.write_str(&printer.out)
    }
}

/// The upper part of an expression, for messages.
pub(crate) fn expression_text(function: &Function, id: ExprId) -> String {
    let mut printer = Printer::new(function);
    // Printing the function names the indices.
    if printer.function().is_err() {
        return String::new();
    }
    printer.out.clear();
    printer.height_left = Some(MESSAGE_HEIGHT);
    match printer.expression(id, 0) {
        Ok(()) => printer.out,
        Err(fmt::Error) => String::new(),
    }
}

/// A number with the names that it has in the function's text, for messages.
pub(crate) fn number_text(function: &Function, num: &Num) -> String {
    let mut printer = Printer::new(function);
    if printer.function().is_err() {
        return String::new();
    }
    printer.out.clear();
    match printer.number(num) {
        Ok(()) => printer.out,
        Err(fmt::Error) => String::new(),
    }
}

struct Printer<'f> {
    function: &'f Function,
    schedule: Schedule,
    /// Whether an expression is bound by `let`.
    bound: Vec<bool>,
    /// The numbers of the bound expressions' names.
    lets: FxHashMap<ExprId, usize>,
    next_let: usize,
    next_statement: usize,
    /// Each index's name and its place among the indices in the order of the text. Sums are sorted
    /// by the latter, since that is how the parser will number them.
    indices: FxHashMap<IndexId, (String, IndexId)>,
    index_names: Vec<String>,
    params: FxHashSet<&'f str>,
    /// For messages: how deep to print; names of bound expressions mean nothing there.
    height_left: Option<usize>,
    out: String,
}

impl<'f> Printer<'f> {
    fn new(function: &'f Function) -> Self {
        let schedule = Schedule::new(function);
        let mut heights = vec![0u32; function.exprs().len()];
        let mut bound = vec![false; function.exprs().len()];
        for (position, expr) in function.exprs().iter().enumerate() {
            if is_inline_leaf(expr) {
                continue;
            }
            let operands = expr.op.operands();
            let highest = operands.iter().filter_map(|id| heights[..position].get(id.0 as usize)).max();
            let height = 1 + highest.copied().unwrap_or(0);
            bound[position] = schedule.uses[position] > 1 || height > MAX_INLINE_HEIGHT;
            heights[position] = if bound[position] { 0 } else { height };
        }
        Self {
            function,
            schedule,
            bound,
            lets: FxHashMap::default(),
            next_let: 0,
            next_statement: 0,
            indices: FxHashMap::default(),
            index_names: Vec::new(),
            params: function.params.iter().map(|param| param.name.as_str()).collect(),
            height_left: None,
            out: String::new(),
        }
    }

    fn function(&mut self) -> fmt::Result {
        let function = self.function;
        self.out.push_str("func ");
        self.name('@', &function.name);
        if !function.params.is_empty() {
            for (position, param) in function.params.iter().enumerate() {
                let separator = if position == 0 { "[" } else { ", " };
                write!(self.out, "{separator}{} = {}", param.name, param.value)?;
            }
            self.out.push(']');
        }
        self.out.push('(');
        for (position, Arg { name, width, role }) in function.args.iter().enumerate() {
            self.separator(position);
            self.name('%', name);
            self.out.push_str(": ");
            self.number(width)?;
            match role {
                Role::Register => {}
                Role::Immediate { low, high } => write!(self.out, " imm {low}..={high}")?,
                Role::Memory { align, non_temporal } => {
                    self.out.push_str(" mem");
                    if *align > 1 {
                        write!(self.out, " align {align}")?;
                    }
                    if *non_temporal {
                        self.out.push_str(" nontemporal");
                    }
                }
            }
        }
        self.out.push_str(") -> (");
        for (position, result) in function.results.iter().enumerate() {
            self.separator(position);
            self.name('%', &result.name);
            self.out.push_str(": ");
            self.number(&result.width)?;
        }
        self.out.push_str(") {\n");
        self.statements(&function.body, 0)?;
        self.out.push_str("}\n");
        Ok(())
    }

    fn statements(&mut self, body: &[Stmt], depth: usize) -> fmt::Result {
        for statement in body {
            let number = self.next_statement;
            self.next_statement += 1;
            for id in std::mem::take(&mut self.schedule.before[number]) {
                if self.bound[id.0 as usize] {
                    self.indent(depth);
                    self.binding(id, depth)?;
                    self.out.push('\n');
                }
            }
            self.indent(depth);
            match statement {
                Stmt::For { index, count, body } => {
                    self.bind_index(*index, depth)?;
                    write!(self.out, "for {} in 0..", self.index_names[depth])?;
                    self.number(count)?;
                    self.out.push_str(" {\n");
                    self.statements(body, depth + 1)?;
                    self.indent(depth);
                    self.out.push('}');
                }
                Stmt::Assign { result, low, value } => {
                    match self.function.results.get(result.0 as usize) {
                        Some(result) => self.name('%', &result.name),
                        None => write!(self.out, "%?{}", result.0)?,
                    }
                    let width = self.function.exprs().get(value.0 as usize).map(|expr| &expr.width);
                    self.slice(low, width)?;
                    self.out.push_str(" = ");
                    self.operand(*value, None, depth)?;
                }
            }
            self.out.push('\n');
        }
        Ok(())
    }

    fn indent(&mut self, depth: usize) {
        (0..=depth).for_each(|_| self.out.push_str("  "));
    }

    fn separator(&mut self, position: usize) {
        if position > 0 {
            self.out.push_str(", ");
        }
    }

    fn name(&mut self, sigil: char, name: &str) {
        self.out.push(sigil);
        if !name.is_empty() && name.bytes().all(is_name_byte) {
            self.out.push_str(name);
            return;
        }
        self.out.push('"');
        for character in name.chars() {
            match character {
                '\n' => self.out.push_str("\\n"),
                '"' | '\\' => self.out.extend(['\\', character]),
                _ => self.out.push(character),
            }
        }
        self.out.push('"');
    }

    /// `let NAME = EXPR`.
    fn binding(&mut self, id: ExprId, depth: usize) -> fmt::Result {
        while self.params.contains(format!("t{}", self.next_let).as_str()) {
            self.next_let += 1;
        }
        let number = self.next_let;
        self.next_let += 1;
        write!(self.out, "let t{number} = ")?;
        self.expression(id, depth)?;
        self.lets.insert(id, number);
        Ok(())
    }

    /// Names the index that is bound at a depth.
    fn bind_index(&mut self, index: IndexId, depth: usize) -> fmt::Result {
        let mut candidate = self.index_names.len();
        while self.index_names.len() <= depth {
            let letter = char::from(b'i' + u8::try_from(candidate % 18).map_err(|_| fmt::Error)?);
            let name = match candidate / 18 {
                0 => letter.to_string(),
                round => format!("{letter}_{round}"),
            };
            candidate += 1;
            if !self.params.contains(name.as_str()) && !self.index_names.contains(&name) {
                self.index_names.push(name);
            }
        }
        let place = IndexId(u32::try_from(self.indices.len()).map_err(|_| fmt::Error)?);
        self.indices.insert(index, (self.index_names[depth].clone(), place));
        Ok(())
    }

    fn number(&mut self, num: &Num) -> fmt::Result {
        if let Some(constant) = num.as_constant() {
            return write!(self.out, "{constant}");
        }
        let place = |index: IndexId| self.indices.get(&index).map_or(index, |(_, place)| *place);
        let mut by_place = num.substitute(|atom| match atom {
            Atom::Param(param) => Num::param(param),
            Atom::Index(index) => Num::index(place(index)),
        });
        let unbound = schedule::indices(num).any(|index| !self.indices.contains_key(&index));
        let names: FxHashMap<IndexId, &str> = match unbound {
            false => schedule::indices(num)
                .filter_map(|index| self.indices.get(&index))
                .map(|(name, place)| (*place, name.as_str()))
                .collect(),
            true => {
                by_place = num.clone();
                FxHashMap::default()
            }
        };
        let name = |atom| match atom {
            Atom::Param(param) => match self.function.params.get(param.0 as usize) {
                Some(param) => param.name.clone(),
                None => format!("?param{}", param.0),
            },
            Atom::Index(index) => {
                names.get(&index).map_or_else(|| format!("?index{}", index.0), |name| (*name).to_owned())
            }
        };
        let text = Named(&by_place, &name).to_string();
        self.out.push_str(&text);
        Ok(())
    }

    fn sign(&mut self, signed: &Num) -> fmt::Result {
        match signed.as_constant() {
            Some(0) => self.out.push_str(".u"),
            Some(1) => self.out.push_str(".s"),
            _ => {
                self.out.push_str(".{");
                self.number(signed)?;
                self.out.push('}');
            }
        }
        Ok(())
    }

    fn sign_if(&mut self, has_sign: bool, signed: &Num) -> fmt::Result {
        if has_sign || signed.as_constant() != Some(0) { self.sign(signed) } else { Ok(()) }
    }

    /// The format or formats of a floating-point operator, an approximation's error, the sign of an integer, and the
    /// rule for NaNs.
    fn float_numbers(&mut self, float: &Float<Num>) -> fmt::Result {
        self.out.push_str(".{");
        self.number(&float.exponent)?;
        self.out.push('}');
        match float.op {
            op if op == FloatOp::Convert || op.approximates() => {
                self.out.push_str(".{");
                self.number(&float.target)?;
                self.out.push('}');
            }
            FloatOp::ToInt | FloatOp::FromInt => self.sign(&float.target)?,
            _ => {}
        }
        if float.nan != NanRule::Open {
            write!(self.out, ".{}", float.nan.name())?;
        }
        Ok(())
    }

    /// `[LOW +: WIDTH]`.
    fn slice(&mut self, low: &Num, width: Option<&Num>) -> fmt::Result {
        self.out.push('[');
        self.number(low)?;
        self.slice_end(width)
    }

    fn slice_end(&mut self, width: Option<&Num>) -> fmt::Result {
        self.out.push_str(" +: ");
        match width {
            Some(width) => self.number(width)?,
            None => self.out.push('?'),
        }
        self.out.push(']');
        Ok(())
    }

    /// An expression or, where it has one, its name.
    fn operand(&mut self, id: ExprId, user: Option<ExprId>, depth: usize) -> fmt::Result {
        // In a function that breaks the laws an operand may be anything.
        if id.0 as usize >= self.function.exprs().len() || user.is_some_and(|user| user <= id) {
            return write!(self.out, "?{}", id.0);
        }
        match (self.height_left, self.lets.get(&id)) {
            (None, Some(number)) => write!(self.out, "t{number}"),
            (None, None) => self.expression(id, depth),
            (Some(0), _) => {
                self.out.push('…');
                Ok(())
            }
            (Some(height), _) => {
                self.height_left = Some(height - 1);
                self.expression(id, depth)?;
                self.height_left = Some(height);
                Ok(())
            }
        }
    }

    /// `(OPERAND, …`.
    fn operands(&mut self, operands: &[ExprId], user: ExprId, depth: usize) -> fmt::Result {
        self.out.push('(');
        for (position, operand) in operands.iter().enumerate() {
            self.separator(position);
            if position == 8 && self.height_left.is_some() {
                self.out.push('…');
                break;
            }
            self.operand(*operand, Some(user), depth)?;
        }
        Ok(())
    }

    /// `(OPERAND, WIDTH)`.
    fn operand_and_width(&mut self, of: ExprId, id: ExprId, depth: usize) -> fmt::Result {
        self.operands(&[of], id, depth)?;
        self.out.push_str(", ");
        self.number(&self.function.expr(id).width)?;
        self.out.push(')');
        Ok(())
    }

    /// The operand of a postfix operator: a fold would take the operator for its body's.
    fn postfix_operand(&mut self, of: ExprId, user: ExprId, depth: usize) -> fmt::Result {
        let is_fold = of < user && matches!(self.function.expr(of).op, Op::Fold { .. });
        if is_fold && !self.lets.contains_key(&of) {
            self.operands(&[of], user, depth)?;
            self.out.push(')');
            return Ok(());
        }
        self.operand(of, Some(user), depth)
    }

    fn expression(&mut self, id: ExprId, depth: usize) -> fmt::Result {
        let function = self.function;
        let expr = function.expr(id);
        match &expr.op {
            Op::Arg(arg) => match function.args.get(arg.0 as usize) {
                Some(arg) => self.name('%', &arg.name),
                None => write!(self.out, "%?{}", arg.0)?,
            },
            Op::Const(bits) => {
                let digits = format!("{bits:x}");
                let digits = match digits.trim_start_matches('0') {
                    "" => "0",
                    digits => digits,
                };
                match self.height_left {
                    Some(_) if digits.len() > 20 => {
                        write!(self.out, "0x{}…:{}", &digits[..20], bits.width())?
                    }
                    _ => write!(self.out, "0x{digits}:{}", bits.width())?,
                }
            }
            Op::Int(num) => {
                self.out.push_str("int(");
                self.number(num)?;
                self.out.push_str(", ");
                self.number(&expr.width)?;
                self.out.push(')');
            }
            Op::Extract { of, low } => {
                self.postfix_operand(*of, id, depth)?;
                self.slice(low, Some(&expr.width))?;
            }
            Op::ExtractAt { of, low } => {
                self.postfix_operand(*of, id, depth)?;
                self.out.push_str("[at ");
                self.operand(*low, Some(id), depth)?;
                self.slice_end(Some(&expr.width))?;
            }
            Op::Cast { of, signed } => {
                self.out.push_str("cast");
                self.sign(signed)?;
                self.operand_and_width(*of, id, depth)?;
            }
            Op::Saturate { of, from_signed, to_signed } => {
                self.out.push_str("saturate");
                self.sign(from_signed)?;
                self.sign(to_signed)?;
                self.operand_and_width(*of, id, depth)?;
            }
            Op::Fold { op, signed, index, count, body } => {
                write!(self.out, "fold {}", name_of(BinaryOp::NAMES, *op))?;
                self.sign_if(op.has_sign(), signed)?;
                if self.height_left.is_none() {
                    self.bind_index(*index, depth)?;
                }
                let name = self.indices.get(index).map_or("?", |(name, _)| name.as_str());
                write!(self.out, " ({name} in 0..")?;
                self.number(count)?;
                self.out.push_str(") ");
                if self.height_left.is_none() {
                    for inner in self.schedule.in_fold.remove(&id).unwrap_or_default() {
                        if self.bound[inner.0 as usize] {
                            self.binding(inner, depth + 1)?;
                            self.out.push_str(" in ");
                        }
                    }
                }
                self.operand(*body, Some(id), depth + 1)?;
            }
            Op::Float { float, operands } => {
                self.out.push_str(float.op.name());
                self.float_numbers(float)?;
                self.operands(operands, id, depth)?;
                if float.op.converts() {
                    self.out.push_str(", ");
                    self.number(&expr.width)?;
                }
                self.out.push(')');
            }
            op => {
                let (name, sign) = match op {
                    Op::Unary(op, _) => (name_of(UnaryOp::NAMES, *op), None),
                    Op::Binary { op, signed, .. } => {
                        (name_of(BinaryOp::NAMES, *op), Some((op.has_sign(), signed)))
                    }
                    Op::Compare { op, signed, .. } => {
                        (name_of(CompareOp::NAMES, *op), Some((op.has_sign(), signed)))
                    }
                    Op::Select { .. } => ("select", None),
                    _ => ("concat", None),
                };
                self.out.push_str(name);
                if let Some((has_sign, signed)) = sign {
                    self.sign_if(has_sign, signed)?;
                }
                self.operands(&op.operands(), id, depth)?;
                self.out.push(')');
            }
        }
        Ok(())
    }
}

/// The text form's name of an operator.
fn name_of<T: PartialEq>(names: &[(T, &'static str)], op: T) -> &'static str {
    names.iter().find(|(other, _)| *other == op).map_or("?", |(_, name)| name)
}

struct Named<'n>(&'n Num, &'n dyn Fn(Atom) -> String);

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write(f, self.1)
    }
}
