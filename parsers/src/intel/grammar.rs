//! From operation text to the syntax tree: a bounded scan, the pest grammar, a Pratt parser.

use hydride_ir::exact::Int;
use pest::Parser;
use pest::iterators::Pair;
use pest::pratt_parser::{Assoc, Op, PrattParser};
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

use super::ast::{
    BinaryOp, Define, Expr, ExprKind, Extent, Fault, Parameter, Place, Program, Selector, Stmt, StmtKind,
    Symbol, UnaryOp, view,
};
use crate::pseudocode::Reason;

/// Brackets and blocks that may be open at once.
pub(super) const MAX_NESTING: usize = 64;

/// Characters of operators in one logical line; the longest real line has about 200.
const MAX_LINE_OPERATORS: usize = 2_000;

/// Digits of one literal: 65,536 bits in hexadecimal.
const MAX_DIGITS: usize = 16_384;

#[derive(pest_derive::Parser)]
#[grammar = "intel/intel.pest"]
struct Grammar;

static PRATT: LazyLock<PrattParser<Rule>> = LazyLock::new(|| {
    let left = |rule| Op::infix(rule, Assoc::Left);
    PrattParser::new()
        .op(left(Rule::logical_or) | left(Rule::word_or))
        .op(left(Rule::word_xor))
        .op(left(Rule::logical_and) | left(Rule::word_and))
        .op(left(Rule::bit_or))
        .op(left(Rule::bit_xor))
        .op(left(Rule::bit_and))
        .op(left(Rule::equal) | left(Rule::not_equal) | left(Rule::chosen))
        .op(left(Rule::lt) | left(Rule::le) | left(Rule::gt) | left(Rule::ge))
        .op(left(Rule::shl) | left(Rule::shr) | left(Rule::rotate_left) | left(Rule::rotate_right))
        .op(left(Rule::add) | left(Rule::sub))
        .op(left(Rule::mul) | left(Rule::div) | left(Rule::rem))
        .op(Op::prefix(Rule::minus)
            | Op::prefix(Rule::plus_sign)
            | Op::prefix(Rule::bit_not)
            | Op::prefix(Rule::logical_not)
            | Op::prefix(Rule::word_not))
});

/// Reads an operation text.
pub(super) fn parse(text: &str) -> Result<Program, Fault> {
    check_bounds(text)?;
    let mut pairs = Grammar::parse(Rule::program, text).map_err(|error| {
        let start = match error.location {
            pest::error::InputLocation::Pos(start) | pest::error::InputLocation::Span((start, _)) => start,
        };
        let found: String = text[start..].trim_start().chars().take_while(|c| *c != '\n').take(24).collect();
        let message = if found.is_empty() {
            "the text ends inside a statement".to_owned()
        } else {
            format!("unexpected `{found}`")
        };
        Fault::failed(Reason::Syntax, extent_of(start, start), message)
    })?;
    let mut builder = Builder::default();
    let program =
        pairs.next().into_iter().flat_map(Pair::into_inner).find(|pair| pair.as_rule() == Rule::block);
    if let Some(block) = program {
        builder.program.body = builder.block(block)?;
    }
    builder.program.sliced.resize(builder.program.names.len(), false);
    Ok(builder.program)
}

fn extent_of(start: usize, end: usize) -> Extent {
    let clamp = |offset| u32::try_from(offset).unwrap_or(u32::MAX);
    Extent { start: clamp(start), end: clamp(end) }
}

/// Rejects text whose nesting or length would need a deep stack, before any recursion starts.
fn check_bounds(text: &str) -> Result<(), Fault> {
    let limit =
        |message: &str, start| Err(Fault::failed(Reason::Limit, extent_of(start, start + 1), message));
    let bytes = text.as_bytes();
    let (mut brackets, mut blocks, mut operators, mut choices, mut prefixes) =
        (0usize, 0usize, 0usize, 0usize, 0usize);
    let mut position = 0;
    while position < bytes.len() {
        let start = position;
        position += 1;
        match bytes[start] {
            b'/' if bytes.get(position) == Some(&b'/') => {
                while position < bytes.len() && bytes[position] != b'\n' {
                    position += 1;
                }
            }
            b'(' | b'[' | b'{' => {
                brackets += 1;
                prefixes = 0;
            }
            b')' | b']' | b'}' => brackets = brackets.saturating_sub(1),
            b'\n' => (operators, choices, prefixes) = (0, 0, 0),
            b'\\' => {
                while position < bytes.len() && bytes[position].is_ascii_whitespace() {
                    position += 1;
                }
            }
            b'?' => choices += 1,
            b'-' | b'+' | b'~' | b'!' => {
                operators += 1;
                prefixes += 1;
            }
            b'*' | b'/' | b'%' | b'<' | b'>' | b'=' | b'&' | b'|' | b'^' | b'.' => operators += 1,
            b'A'..=b'Z' | b'a'..=b'z' | b'_' => {
                while position < bytes.len()
                    && (bytes[position].is_ascii_alphanumeric() || bytes[position] == b'_')
                {
                    position += 1;
                }
                match &bytes[start..position] {
                    b"NOT" => prefixes += 1,
                    b"AND" | b"OR" | b"XOR" | b"and" | b"or" | b"xor" | b"OP" => operators += 1,
                    b"IF" => {
                        let chained = text[..start].trim_end_matches([' ', '\t']).ends_with("ELSE");
                        blocks += usize::from(!chained);
                    }
                    b"FOR" | b"CASE" | b"DO" => blocks += 1,
                    b"FI" | b"ENDFOR" | b"ESAC" | b"OD" => blocks = blocks.saturating_sub(1),
                    _ => prefixes = 0,
                }
            }
            b'0'..=b'9' => {
                while position < bytes.len() && bytes[position].is_ascii_hexdigit() {
                    position += 1;
                }
                prefixes = 0;
                if position - start > MAX_DIGITS {
                    return limit("a number has too many digits", start);
                }
            }
            _ => {}
        }
        if brackets + blocks > MAX_NESTING || choices > MAX_NESTING || prefixes > MAX_NESTING {
            return limit("the text nests too deeply", start);
        }
        if operators > MAX_LINE_OPERATORS {
            return limit("a statement has too many operators", start);
        }
    }
    Ok(())
}

#[derive(Default)]
struct Builder {
    program: Program,
    symbols: FxHashMap<String, Symbol>,
}

type Built<T> = Result<T, Fault>;

fn extent(pair: &Pair<'_, Rule>) -> Extent {
    let span = pair.as_span();
    extent_of(span.start(), span.start() + span.as_str().trim_end().len())
}

type Children<'a> = std::vec::IntoIter<Pair<'a, Rule>>;

/// The contents of a pair, without keywords.
fn children(pair: Pair<'_, Rule>) -> Children<'_> {
    const KEYWORDS: &[Rule] = &[
        Rule::kw_define,
        Rule::kw_for,
        Rule::kw_endfor,
        Rule::kw_do,
        Rule::kw_while,
        Rule::kw_od,
        Rule::kw_if,
        Rule::kw_then,
        Rule::kw_else,
        Rule::kw_else_if,
        Rule::kw_fi,
        Rule::kw_case,
        Rule::kw_of,
        Rule::kw_esac,
        Rule::kw_return,
    ];
    let kept: Vec<_> = pair.into_inner().filter(|child| !KEYWORDS.contains(&child.as_rule())).collect();
    kept.into_iter()
}

/// The grammar promises children that pest hands over as an iterator; a missing one is an error, not a panic.
fn next<'a>(pairs: &mut Children<'a>) -> Built<Pair<'a, Rule>> {
    pairs.next().ok_or_else(|| Fault::failed(Reason::Syntax, Extent::default(), "an incomplete statement"))
}

impl Builder {
    fn symbol(&mut self, name: &str) -> Symbol {
        if let Some(known) = self.symbols.get(name) {
            return *known;
        }
        let symbol = Symbol(self.program.names.len() as u32);
        self.program.names.push(name.to_owned());
        self.symbols.insert(name.to_owned(), symbol);
        symbol
    }

    fn block(&mut self, pair: Pair<'_, Rule>) -> Built<Vec<Stmt>> {
        let mut statements = Vec::new();
        for pair in children(pair) {
            if pair.as_rule() == Rule::define {
                let define = self.define(pair)?;
                self.program.defines.push(define);
            } else {
                statements.push(self.statement(pair)?);
            }
        }
        Ok(statements)
    }

    fn define(&mut self, pair: Pair<'_, Rule>) -> Built<Define> {
        let mut inner = children(pair);
        let name = next(&mut inner)?;
        let name = self.symbol(name.as_str());
        let mut parameters = Vec::new();
        let mut body = Vec::new();
        for pair in inner {
            if pair.as_rule() == Rule::block {
                body = self.block(pair)?;
                continue;
            }
            let mut inner = children(pair);
            let name = next(&mut inner)?;
            let selectors = self.selectors(inner)?;
            let width = match selectors.first() {
                Some(Selector::Slice(high, low)) => match (&high.kind, &low.kind) {
                    (ExprKind::Number(high), ExprKind::Number(low)) => u32::try_from(high - low + Int::ONE)
                        .ok()
                        .filter(|width| *width <= hydride_ir::MAX_WIDTH),
                    _ => None,
                },
                Some(Selector::View { width, index: None, .. }) => Some(*width),
                // A parameter that is named like a view is as wide as one.
                _ => view(name.as_str()).map(|(width, _)| width),
            };
            parameters.push(Parameter { name: self.symbol(name.as_str()), width });
        }
        Ok(Define { name, parameters, body })
    }

    fn statement(&mut self, pair: Pair<'_, Rule>) -> Built<Stmt> {
        let at = extent(&pair);
        let rule = pair.as_rule();
        let mut inner = children(pair);
        let kind = match rule {
            Rule::assignment => {
                let place = self.place(next(&mut inner)?)?;
                let op = match next(&mut inner)?.as_rule() {
                    Rule::add_set => Some(BinaryOp::Add),
                    Rule::sub_set => Some(BinaryOp::Sub),
                    Rule::shl_set => Some(BinaryOp::Shl),
                    Rule::shr_set => Some(BinaryOp::Shr),
                    Rule::and_set => Some(BinaryOp::And),
                    Rule::or_set => Some(BinaryOp::Or),
                    Rule::xor_set => Some(BinaryOp::Xor),
                    _ => None,
                };
                StmtKind::Assign { place, op, value: self.expr(next(&mut inner)?)? }
            }
            Rule::for_loop => {
                let index = self.symbol(next(&mut inner)?.as_str());
                let first = self.expr(next(&mut inner)?)?;
                let down = next(&mut inner)?.as_rule() == Rule::down;
                let last = self.expr(next(&mut inner)?)?;
                StmtKind::For { index, first, last, down, body: self.block(next(&mut inner)?)? }
            }
            Rule::while_loop => {
                let condition = self.expr(next(&mut inner)?)?;
                StmtKind::While { condition, body: self.block(next(&mut inner)?)? }
            }
            Rule::branch => {
                let mut arms = Vec::new();
                let mut condition = None;
                for pair in inner {
                    match pair.as_rule() {
                        Rule::expr => condition = Some(self.expr(pair)?),
                        Rule::block => arms.push((condition.take(), self.block(pair)?)),
                        _ => {}
                    }
                }
                StmtKind::If { arms }
            }
            Rule::case => {
                let value = self.expr(next(&mut inner)?)?;
                let mut arms = Vec::new();
                for arm in inner {
                    let mut inner = children(arm);
                    let label = next(&mut inner)?;
                    let at = extent(&label);
                    let kind = match label.as_rule() {
                        Rule::integer => ExprKind::Number(integer(label.as_str())),
                        _ => ExprKind::Place(Place {
                            name: self.symbol(label.as_str()),
                            selectors: Vec::new(),
                            at,
                        }),
                    };
                    arms.push((Expr { kind, at }, self.block(next(&mut inner)?)?));
                }
                StmtKind::Case { value, arms }
            }
            Rule::return_stmt => StmtKind::Return(inner.next().map(|pair| self.expr(pair)).transpose()?),
            Rule::raise => StmtKind::Raise,
            Rule::table => {
                next(&mut inner)?;
                let name = self.symbol(next(&mut inner)?.as_str());
                next(&mut inner)?;
                StmtKind::Table { name, entries: inner.map(|pair| integer(pair.as_str())).collect() }
            }
            _ => StmtKind::Call(self.call(next(&mut inner)?)?),
        };
        Ok(Stmt { kind, at })
    }

    fn place(&mut self, pair: Pair<'_, Rule>) -> Built<Place> {
        let at = extent(&pair);
        let mut inner = children(pair);
        let name = self.symbol(next(&mut inner)?.as_str());
        let selectors = self.selectors(inner)?;
        self.note_slices(name, &selectors);
        Ok(Place { name, selectors, at })
    }

    fn note_slices(&mut self, name: Symbol, selectors: &[Selector]) {
        if selectors.iter().any(|selector| !matches!(selector, Selector::Index(_))) {
            let position = name.0 as usize;
            if self.program.sliced.len() <= position {
                self.program.sliced.resize(position + 1, false);
            }
            self.program.sliced[position] = true;
        }
        if let [Selector::Field(field)] = selectors {
            let known = |(symbol, own): &(Symbol, String)| *symbol == name && own == field;
            if !self.program.fields.iter().any(known) {
                self.program.fields.push((name, field.clone()));
            }
        }
    }

    fn selectors(&mut self, pairs: Children<'_>) -> Built<Vec<Selector>> {
        let mut selectors: Vec<Selector> = Vec::new();
        for pair in pairs {
            let rule = pair.as_rule();
            let mut inner = children(pair);
            let first = next(&mut inner)?;
            if rule == Rule::view {
                selectors.push(match view(first.as_str()) {
                    Some((width, float)) => Selector::View { width, float, index: None },
                    None => Selector::Field(first.as_str().to_owned()),
                });
                continue;
            }
            let first = self.expr(first)?;
            match (inner.next(), selectors.last_mut()) {
                (Some(low), _) => {
                    let low = self.expr(low)?;
                    selectors.push(Selector::Slice(first, low));
                }
                (None, Some(Selector::View { index: index @ None, .. })) => *index = Some(first),
                (None, _) => selectors.push(Selector::Index(first)),
            }
        }
        Ok(selectors)
    }

    fn expr(&mut self, pair: Pair<'_, Rule>) -> Built<Expr> {
        let at = extent(&pair);
        let mut inner = children(pair);
        let binary = next(&mut inner)?;
        let condition = self.binary(binary)?;
        let Some(then) = inner.next() else { return Ok(condition) };
        let then = self.expr(then)?;
        let otherwise = self.expr(next(&mut inner)?)?;
        Ok(Expr { kind: ExprKind::Ternary(Box::new([condition, then, otherwise])), at })
    }

    fn binary(&mut self, pair: Pair<'_, Rule>) -> Built<Expr> {
        let builder = std::cell::RefCell::new(self);
        PRATT
            .map_primary(|pair| builder.borrow_mut().term(pair))
            .map_prefix(|op, operand| {
                let operand = operand?;
                let at = Extent { start: extent(&op).start, end: operand.at.end };
                let op = match op.as_rule() {
                    Rule::minus => UnaryOp::Minus,
                    Rule::plus_sign => UnaryOp::Plus,
                    Rule::logical_not => UnaryOp::LogicalNot,
                    _ => UnaryOp::Not,
                };
                Ok(Expr { kind: ExprKind::Unary(op, Box::new(operand)), at })
            })
            .map_infix(|left, op, right| {
                let (left, right) = (left?, right?);
                let at = Extent { start: left.at.start, end: right.at.end };
                Ok(Expr {
                    kind: ExprKind::Binary(binary_op(op.as_rule()), Box::new(left), Box::new(right)),
                    at,
                })
            })
            .parse(pair.into_inner())
    }

    fn term(&mut self, pair: Pair<'_, Rule>) -> Built<Expr> {
        let at = extent(&pair);
        let mut inner = children(pair);
        let atom = next(&mut inner)?;
        let selectors = self.selectors(inner)?;
        let kind = match atom.as_rule() {
            Rule::name => {
                let name = self.symbol(atom.as_str());
                self.note_slices(name, &selectors);
                return Ok(Expr { kind: ExprKind::Place(Place { name, selectors, at }), at });
            }
            Rule::integer => ExprKind::Number(integer(atom.as_str())),
            Rule::decimal => ExprKind::Decimal(atom.as_str().parse().unwrap_or(f64::NAN)),
            Rule::call => self.call(atom)?.kind,
            _ => self.expr(atom)?.kind,
        };
        let base = Expr { kind, at };
        Ok(match (selectors.is_empty(), base) {
            (true, base) => base,
            // (x)[3:0] is x[3:0].
            (false, Expr { kind: ExprKind::Place(mut place), .. }) => {
                self.note_slices(place.name, &selectors);
                place.selectors.extend(selectors);
                Expr { kind: ExprKind::Place(place), at }
            }
            (false, base) => Expr { kind: ExprKind::Select(Box::new(base), selectors), at },
        })
    }

    fn call(&mut self, pair: Pair<'_, Rule>) -> Built<Expr> {
        let at = extent(&pair);
        let mut inner = children(pair);
        let name = self.symbol(next(&mut inner)?.as_str());
        let arguments = inner.map(|pair| self.expr(pair)).collect::<Built<_>>()?;
        Ok(Expr { kind: ExprKind::Call { name, arguments }, at })
    }
}

fn integer(text: &str) -> Int {
    let parsed = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => Int::from_str_radix(digits, 16),
        None => Int::from_str_radix(text, 10),
    };
    parsed.unwrap_or_default()
}

fn binary_op(rule: Rule) -> BinaryOp {
    match rule {
        Rule::add => BinaryOp::Add,
        Rule::sub => BinaryOp::Sub,
        Rule::mul => BinaryOp::Mul,
        Rule::div => BinaryOp::Div,
        Rule::rem => BinaryOp::Rem,
        Rule::shl => BinaryOp::Shl,
        Rule::shr => BinaryOp::Shr,
        Rule::rotate_left => BinaryOp::RotateLeft,
        Rule::rotate_right => BinaryOp::RotateRight,
        Rule::bit_and | Rule::word_and => BinaryOp::And,
        Rule::bit_or | Rule::word_or => BinaryOp::Or,
        Rule::bit_xor | Rule::word_xor => BinaryOp::Xor,
        Rule::logical_and => BinaryOp::LogicalAnd,
        Rule::logical_or => BinaryOp::LogicalOr,
        Rule::equal => BinaryOp::Eq,
        Rule::not_equal => BinaryOp::Ne,
        Rule::lt => BinaryOp::Lt,
        Rule::le => BinaryOp::Le,
        Rule::gt => BinaryOp::Gt,
        Rule::ge => BinaryOp::Ge,
        _ => BinaryOp::Chosen,
    }
}
