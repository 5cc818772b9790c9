//! Parsing: recursive descent straight from the bytes, in one pass, with bounded depth.
//!
//! The parser settles what names mean and what each expression's width is; the other laws are the
//! verifier's.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::cursor::Cursor;
use super::number::{Names, number};
use super::{ParseError, RESERVED, is_inline_leaf};
use crate::MAX_WIDTH;
use crate::bits::Bits;
use crate::expr::{BinaryOp, CompareOp, Expr, ExprId, Op, UnaryOp};
use crate::float::{Float, FloatOp, NanRule};
use crate::function::{Arg, ArgId, Function, Param, ParamId, ResultId, ResultSlot, Role, Stmt};
use crate::num::{Atom, IndexId, Num};

impl Function {
    /// Reads the text of one function. The result need not obey the laws that
    /// [`Function::verify`] checks.
    pub fn parse(text: &str) -> Result<Function, ParseError> {
        let mut cursor = Cursor::new(text);
        let function = Parser::new(&mut cursor).function()?;
        if !cursor.at_end() {
            return cursor.expected("the end of the text");
        }
        Ok(function)
    }

    /// Reads the text of any number of functions, one after the other.
    pub fn parse_all(text: &str) -> Result<Vec<Function>, ParseError> {
        let mut cursor = Cursor::new(text);
        let mut functions = Vec::new();
        while !cursor.at_end() {
            functions.push(Parser::new(&mut cursor).function()?);
        }
        Ok(functions)
    }
}

struct Parser<'c, 't> {
    cursor: &'c mut Cursor<'t>,
    function: Function,
    args: FxHashMap<Cow<'t, str>, ArgId>,
    results: FxHashMap<Cow<'t, str>, ResultId>,
    scope: Scope<'t>,
    lets: FxHashMap<&'t str, ExprId>,
    /// The names of `lets` in the order in which they came into scope.
    let_order: Vec<&'t str>,
    /// Leaves that are written out at each use.
    leaves: FxHashMap<Expr, ExprId>,
    next_index: u32,
}

/// The parameters and indices in scope.
#[derive(Default)]
struct Scope<'t> {
    params: FxHashMap<&'t str, ParamId>,
    indices: Vec<(&'t str, IndexId)>,
}

impl Names for Scope<'_> {
    fn atom(&self, name: &str) -> Option<Atom> {
        let index = self.indices.iter().rev().find(|(index, _)| *index == name);
        match index {
            Some((_, index)) => Some(Atom::Index(*index)),
            None => self.params.get(name).copied().map(Atom::Param),
        }
    }
}

impl<'c, 't> Parser<'c, 't> {
    fn new(cursor: &'c mut Cursor<'t>) -> Self {
        Self {
            cursor,
            function: Function::new(""),
            args: FxHashMap::default(),
            results: FxHashMap::default(),
            scope: Scope::default(),
            lets: FxHashMap::default(),
            let_order: Vec::new(),
            leaves: FxHashMap::default(),
            next_index: 0,
        }
    }

    fn function(mut self) -> Result<Function, ParseError> {
        self.cursor.expect_word("func")?;
        self.function.name = self.cursor.name("@")?.into_owned();
        if self.cursor.eat("[") {
            while !self.cursor.eat("]") {
                self.param()?;
                self.separator("]")?;
            }
        }
        self.cursor.expect("(")?;
        while !self.cursor.eat(")") {
            self.arg()?;
            self.separator(")")?;
        }
        self.cursor.expect("->")?;
        self.cursor.expect("(")?;
        while !self.cursor.eat(")") {
            self.result()?;
            self.separator(")")?;
        }
        self.cursor.expect("{")?;
        self.function.body = self.statements()?;
        Ok(self.function)
    }

    /// A comma, or the closing bracket as the next token.
    fn separator(&mut self, close: &str) -> Result<(), ParseError> {
        if self.cursor.eat(",") || self.cursor.peek() == close.bytes().next() {
            return Ok(());
        }
        self.cursor.expected(&format!("`,` or `{close}`"))
    }

    /// A name for a new parameter, index or shared expression.
    fn new_name(&mut self, what: &str) -> Result<&'t str, ParseError> {
        let start = self.cursor.mark();
        let name = self.cursor.identifier(what)?;
        if RESERVED.contains(&name) {
            return self.cursor.error_at(start, format!("`{name}` is reserved"));
        }
        if self.scope.atom(name).is_some() || self.lets.contains_key(name) {
            return self.cursor.error_at(start, format!("`{name}` is in scope already"));
        }
        Ok(name)
    }

    fn param(&mut self) -> Result<(), ParseError> {
        let name = self.new_name("a parameter")?;
        self.cursor.expect("=")?;
        let value = self.cursor.integer()?;
        let id = ParamId(id_from(self.function.params.len()));
        self.function.params.push(Param { name: name.to_owned(), value });
        self.scope.params.insert(name, id);
        Ok(())
    }

    fn arg(&mut self) -> Result<(), ParseError> {
        let start = self.cursor.mark();
        let name = self.cursor.name("%")?;
        let id = ArgId(id_from(self.function.args.len()));
        if self.args.insert(name.clone(), id).is_some() {
            return self.cursor.error_at(start, format!("two arguments are named `%{name}`"));
        }
        self.cursor.expect(":")?;
        let width = self.width()?;
        let role = if self.cursor.eat_word("imm") {
            let low = self.cursor.integer()?;
            self.cursor.expect("..=")?;
            Role::Immediate { low, high: self.cursor.integer()? }
        } else if self.cursor.eat_word("mem") {
            Role::Memory { align: self.align()?, non_temporal: self.cursor.eat_word("nontemporal") }
        } else {
            Role::Register
        };
        self.function.args.push(Arg { name: name.into_owned(), width, role });
        Ok(())
    }

    /// `align BYTES`, where it is there.
    fn align(&mut self) -> Result<u32, ParseError> {
        if !self.cursor.eat_word("align") {
            return Ok(1);
        }
        let start = self.cursor.mark();
        match u32::try_from(self.cursor.integer()?) {
            Ok(align) if align.is_power_of_two() => Ok(align),
            _ => self.cursor.error_at(start, "an alignment is a power of two".to_owned()),
        }
    }

    fn result(&mut self) -> Result<(), ParseError> {
        let start = self.cursor.mark();
        let name = self.cursor.name("%")?;
        let id = ResultId(id_from(self.function.results.len()));
        if self.results.insert(name.clone(), id).is_some() {
            return self.cursor.error_at(start, format!("two results are named `%{name}`"));
        }
        self.cursor.expect(":")?;
        let width = self.width()?;
        self.function.results.push(ResultSlot { name: name.into_owned(), width });
        Ok(())
    }

    /// Statements up to and with the closing brace.
    fn statements(&mut self) -> Result<Vec<Stmt>, ParseError> {
        self.cursor.enter()?;
        let outer_lets = self.let_order.len();
        let mut body = Vec::new();
        while !self.cursor.eat("}") {
            if self.cursor.eat_word("let") {
                self.binding()?;
            } else if self.cursor.eat_word("for") {
                let (index, count) = self.index()?;
                self.cursor.expect("{")?;
                let inner = self.statements()?;
                self.scope.indices.pop();
                body.push(Stmt::For { index, count, body: inner });
            } else if self.cursor.peek() == Some(b'%') {
                body.push(self.assignment()?);
            } else {
                return self.cursor.expected("a statement or `}`");
            }
        }
        self.end_lets(outer_lets);
        self.cursor.leave();
        Ok(body)
    }

    /// `NAME = EXPR` of a `let`.
    fn binding(&mut self) -> Result<(), ParseError> {
        let name = self.new_name("a name")?;
        self.cursor.expect("=")?;
        let value = self.expression()?;
        self.lets.insert(name, value);
        self.let_order.push(name);
        Ok(())
    }

    fn end_lets(&mut self, outer: usize) {
        for name in self.let_order.drain(outer..) {
            self.lets.remove(name);
        }
    }

    /// `NAME in 0..NUM`; brings the index into scope.
    fn index(&mut self) -> Result<(IndexId, Num), ParseError> {
        let name = self.new_name("an index")?;
        self.cursor.expect_word("in")?;
        let start = self.cursor.mark();
        if self.cursor.magnitude()? != 0 {
            return self.cursor.error_at(start, "an index counts from 0");
        }
        self.cursor.expect("..")?;
        let count = self.number()?;
        let id = IndexId(self.next_index);
        self.next_index += 1;
        self.scope.indices.push((name, id));
        Ok((id, count))
    }

    fn assignment(&mut self) -> Result<Stmt, ParseError> {
        let start = self.cursor.mark();
        let name = self.cursor.name("%")?;
        let Some(&result) = self.results.get(&name) else {
            return self.cursor.error_at(start, format!("no result is named `%{name}`"));
        };
        self.cursor.expect("[")?;
        let low = self.number()?;
        let (width_start, width) = self.slice_width()?;
        self.cursor.expect("=")?;
        let value = self.expression()?;
        if self.function.expr(value).width != width {
            return self.cursor.error_at(width_start, "the value written has another width");
        }
        Ok(Stmt::Assign { result, low, value })
    }

    /// `+: WIDTH]`, with the position of the width.
    fn slice_width(&mut self) -> Result<(usize, Num), ParseError> {
        self.cursor.expect("+:")?;
        let start = self.cursor.mark();
        let width = self.width()?;
        self.cursor.expect("]")?;
        Ok((start, width))
    }

    fn number(&mut self) -> Result<Num, ParseError> {
        number(self.cursor, &self.scope)
    }

    /// A number that may be a width, judged conservatively.
    fn width(&mut self) -> Result<Num, ParseError> {
        let start = self.cursor.mark();
        let width = self.number()?;
        match width.as_constant() {
            Some(constant) if !(1..=i64::from(MAX_WIDTH)).contains(&constant) => {
                self.cursor.error_at(start, format!("a width of {constant} is not in 1..={MAX_WIDTH}"))
            }
            _ => Ok(width),
        }
    }

    fn push(&mut self, op: Op, width: Num) -> ExprId {
        let expr = Expr { op, width };
        if !is_inline_leaf(&expr) {
            return self.function.push(expr.op, expr.width);
        }
        if let Some(id) = self.leaves.get(&expr) {
            return *id;
        }
        let id = self.function.push(expr.op.clone(), expr.width.clone());
        self.leaves.insert(expr, id);
        id
    }

    fn width_of(&self, id: ExprId) -> Num {
        self.function.expr(id).width.clone()
    }

    fn expression(&mut self) -> Result<ExprId, ParseError> {
        self.cursor.enter()?;
        let mut id = match self.cursor.peek() {
            Some(b'%') => {
                let start = self.cursor.mark();
                let name = self.cursor.name("%")?;
                let Some(&arg) = self.args.get(&name) else {
                    return self.cursor.error_at(start, format!("no argument is named `%{name}`"));
                };
                let width = self.function.arg(arg).width.clone();
                self.push(Op::Arg(arg), width)
            }
            Some(b'(') => {
                self.cursor.expect("(")?;
                let inner = self.expression()?;
                self.cursor.expect(")")?;
                inner
            }
            Some(b'0'..=b'9') => self.literal()?,
            _ => self.operation()?,
        };
        while self.cursor.eat("[") {
            let of = id;
            let op = match self.cursor.eat_word("at") {
                true => Op::ExtractAt { of, low: self.expression()? },
                false => Op::Extract { of, low: self.number()? },
            };
            let (_, width) = self.slice_width()?;
            id = self.push(op, width);
        }
        self.cursor.leave();
        Ok(id)
    }

    fn literal(&mut self) -> Result<ExprId, ParseError> {
        let start = self.cursor.mark();
        if !self.cursor.eat("0x") {
            return self.cursor.error("a literal is `0x…:WIDTH`, a number `int(NUM, WIDTH)`");
        }
        let digits = self.cursor.hex_digits();
        self.cursor.expect(":")?;
        let width_start = self.cursor.mark();
        let width = match u32::try_from(self.cursor.magnitude()?) {
            Ok(width) if (1..=MAX_WIDTH).contains(&width) => width,
            _ => {
                return self.cursor.error_at(width_start, format!("the width is not in 1..={MAX_WIDTH}"));
            }
        };
        match Bits::from_hex(width, digits) {
            Ok(bits) => Ok(self.push(Op::Const(bits), Num::from(width))),
            Err(error) => self.cursor.error_at(start, error.to_string()),
        }
    }

    /// An operator with its operands, or the name of a shared expression.
    fn operation(&mut self) -> Result<ExprId, ParseError> {
        let start = self.cursor.mark();
        let word = self.cursor.identifier("an expression")?;
        if !matches!(self.cursor.peek(), Some(b'(' | b'.')) && word != "fold" {
            return match self.lets.get(word) {
                Some(id) => Ok(*id),
                None => self.cursor.error_at(start, format!("no expression `{word}` is in scope")),
            };
        }
        let (op, width) = match word {
            "int" => {
                self.cursor.expect("(")?;
                let number = self.number()?;
                (Op::Int(number), self.last_width()?)
            }
            "cast" => {
                let signed = self.sign()?;
                let [of] = self.operands()?;
                (Op::Cast { of, signed }, self.last_width()?)
            }
            "saturate" => {
                let (from_signed, to_signed) = (self.sign()?, self.sign()?);
                let [of] = self.operands()?;
                (Op::Saturate { of, from_signed, to_signed }, self.last_width()?)
            }
            "concat" => self.concat(start)?,
            "select" => {
                let [condition, then, otherwise] = self.operands()?;
                self.cursor.expect(")")?;
                (Op::Select { condition, then, otherwise }, self.width_of(then))
            }
            "fold" => self.fold()?,
            _ => return self.named_operator(start, word),
        };
        Ok(self.push(op, width))
    }

    fn named_operator(&mut self, start: usize, word: &str) -> Result<ExprId, ParseError> {
        let (op, width) = if let Some(op) = by_name(UnaryOp::NAMES, word) {
            let [of] = self.operands()?;
            (Op::Unary(op, of), self.width_of(of))
        } else if let Some(op) = by_name(BinaryOp::NAMES, word) {
            let signed = self.sign_if(op.has_sign())?;
            let [left, right] = self.operands()?;
            (Op::Binary { op, signed, left, right }, self.width_of(left))
        } else if let Some(op) = by_name(CompareOp::NAMES, word) {
            let signed = self.sign_if(op.has_sign())?;
            let [left, right] = self.operands()?;
            (Op::Compare { op, signed, left, right }, Num::constant(1))
        } else if let Some(op) = by_name(FloatOp::NAMES, word) {
            self.float(op)?
        } else {
            return self.cursor.error_at(start, format!("no operator is named `{word}`"));
        };
        self.cursor.expect(")")?;
        Ok(self.push(op, width))
    }

    /// The numbers and operands of a floating-point operator, without the closing parenthesis.
    fn float(&mut self, op: FloatOp) -> Result<(Op, Num), ParseError> {
        let exponent = self.braced_number()?;
        let target = match op {
            op if op == FloatOp::Convert || op.approximates() => self.braced_number()?,
            FloatOp::ToInt | FloatOp::FromInt => self.sign()?,
            _ => Num::constant(0),
        };
        let nan = match self.cursor.eat(".") {
            true => {
                let start = self.cursor.mark();
                let word = self.cursor.identifier("a rule for NaNs")?;
                match by_name(NanRule::NAMES, word) {
                    Some(nan) => nan,
                    None => {
                        return self.cursor.error_at(start, format!("no rule for NaNs is named `{word}`"));
                    }
                }
            }
            false => NanRule::Open,
        };
        let mut operands = Vec::with_capacity(op.operands());
        for position in 0..op.operands() {
            self.cursor.expect(if position == 0 { "(" } else { "," })?;
            operands.push(self.expression()?);
        }
        let width = match op {
            _ if op.compares() => Num::constant(1),
            _ if op.converts() => {
                self.cursor.expect(",")?;
                self.width()?
            }
            _ => self.width_of(operands[0]),
        };
        Ok((Op::Float { float: Float { op, nan, exponent, target }, operands }, width))
    }

    /// `.{NUM}`.
    fn braced_number(&mut self) -> Result<Num, ParseError> {
        self.cursor.expect(".")?;
        self.cursor.expect("{")?;
        let number = self.number()?;
        self.cursor.expect("}")?;
        Ok(number)
    }

    fn concat(&mut self, start: usize) -> Result<(Op, Num), ParseError> {
        let [first] = self.operands()?;
        let mut width = self.width_of(first);
        let mut parts = vec![first];
        while self.cursor.eat(",") {
            let part = self.expression()?;
            width = width + self.width_of(part);
            if width.constant_part() > i64::from(MAX_WIDTH) || width.terms().count() > super::MAX_TERMS {
                return self.cursor.error_at(start, format!("the parts have more than {MAX_WIDTH} bits"));
            }
            parts.push(part);
        }
        self.cursor.expect(")")?;
        Ok((Op::Concat(parts), width))
    }

    fn fold(&mut self) -> Result<(Op, Num), ParseError> {
        let start = self.cursor.mark();
        let word = self.cursor.identifier("an operator")?;
        let Some(op) = by_name(BinaryOp::NAMES, word) else {
            return self.cursor.error_at(start, format!("no operator is named `{word}`"));
        };
        let signed = self.sign_if(op.has_sign())?;
        self.cursor.expect("(")?;
        let (index, count) = self.index()?;
        self.cursor.expect(")")?;
        let outer_lets = self.let_order.len();
        while self.cursor.eat_word("let") {
            self.binding()?;
            self.cursor.expect_word("in")?;
        }
        let body = self.expression()?;
        self.end_lets(outer_lets);
        self.scope.indices.pop();
        Ok((Op::Fold { op, signed, index, count, body }, self.width_of(body)))
    }

    /// `(EXPR, …` without the closing parenthesis.
    fn operands<const N: usize>(&mut self) -> Result<[ExprId; N], ParseError> {
        let mut operands = [ExprId(0); N];
        for (position, operand) in operands.iter_mut().enumerate() {
            self.cursor.expect(if position == 0 { "(" } else { "," })?;
            *operand = self.expression()?;
        }
        Ok(operands)
    }

    /// `, WIDTH)`.
    fn last_width(&mut self) -> Result<Num, ParseError> {
        self.cursor.expect(",")?;
        let width = self.width()?;
        self.cursor.expect(")")?;
        Ok(width)
    }

    fn sign(&mut self) -> Result<Num, ParseError> {
        self.cursor.expect(".")?;
        if self.cursor.eat("{") {
            let signed = self.number()?;
            self.cursor.expect("}")?;
            return Ok(signed);
        }
        if self.cursor.eat_word("s") {
            return Ok(Num::constant(1));
        }
        if self.cursor.eat_word("u") {
            return Ok(Num::constant(0));
        }
        self.cursor.expected("`s`, `u` or `{NUM}`")
    }

    /// A sign that must be given or may be left out.
    fn sign_if(&mut self, required: bool) -> Result<Num, ParseError> {
        if required || self.cursor.peek() == Some(b'.') { self.sign() } else { Ok(Num::constant(0)) }
    }
}

fn by_name<T: Copy>(names: &[(T, &str)], word: &str) -> Option<T> {
    names.iter().find(|(_, name)| *name == word).map(|(op, _)| *op)
}

/// The position of one of the things that a text lists: a text of 2^32 of them does not fit memory.
fn id_from(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}
