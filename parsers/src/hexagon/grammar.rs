//! From pseudocode text to its syntax tree.
//!
//! Nesting is bounded on the bare text, before the recursive parser sees it, and the depth of the
//! tree while it is built, so that no input exhausts the stack.

use pest::Parser as _;
use pest::iterators::{Pair, Pairs};

use super::source::Fault;
use super::syntax::{
    Binary, Declared, Expr, ExprKind, ForInit, Initial, OPERATORS, Stmt, StmtKind, Type, Unary,
};
use crate::pseudocode::Reason;

#[derive(pest_derive::Parser)]
#[grammar = "hexagon/pseudocode.pest"]
struct PseudocodeParser;

/// Depth of brackets, statements in statements, prefix operators, choices and assignments.
const MAX_NESTING: usize = 56;

/// Depth of an expression's tree.
const MAX_DEPTH: u16 = 160;

/// Length of one entry's text in bytes.
const MAX_LENGTH: usize = 1 << 20;

/// The statements of a text.
pub(super) fn parse(text: &str) -> Result<Vec<Stmt>, Fault> {
    if text.len() > MAX_LENGTH {
        return Err(Fault::failed(Reason::Limit, 0, "the pseudocode is too long"));
    }
    check_nesting(text)?;
    let mut pairs =
        PseudocodeParser::parse(Rule::program, text).map_err(|error| syntax_fault(text, &error))?;
    let program = pairs.next().map(Pair::into_inner);
    let inner = program.into_iter().flatten().filter(|pair| pair.as_rule() == Rule::statement);
    inner.map(statement).collect()
}

fn syntax_fault(text: &str, error: &pest::error::Error<Rule>) -> Fault {
    let at = match error.location {
        pest::error::InputLocation::Pos(at) | pest::error::InputLocation::Span((at, _)) => at,
    };
    let found = text.get(at..).and_then(|rest| rest.split_whitespace().next()).unwrap_or("the end");
    let found: String = found.chars().take(24).collect();
    Fault::failed(Reason::Syntax, at, format!("`{found}` is not expected here"))
}

/// An upper bound of the parser's recursion: open brackets, and within each the words and operators
/// that nest what follows them.
fn check_nesting(text: &str) -> Result<(), Fault> {
    let mut levels = vec![0usize];
    let mut total = 0usize;
    let tokens = super::lex::tokens(text);
    let mut after_operand = false;
    for (at, token) in tokens.iter().enumerate() {
        let keyword = matches!(&*token.text, "if" | "else" | "for" | "do" | "while");
        let opens = match &*token.text {
            "(" | "[" | "{" => {
                levels.push(0);
                total += 1;
                after_operand = false;
                continue_or(total, token.origin)?;
                continue;
            }
            ")" | "]" | "}" | ";" => {
                if !token.is(";") && levels.len() > 1 {
                    total -= 1 + levels.pop().unwrap_or(0);
                }
                let chained = tokens.get(at + 1).is_some_and(|next| next.is("else"));
                if matches!(&*token.text, ";" | "}")
                    && !chained
                    && let Some(level) = levels.last_mut()
                {
                    total -= std::mem::take(level);
                }
                after_operand = !token.is(";");
                continue;
            }
            "?" | "=" | "+=" | "-=" | "*=" | "/=" | "%=" | "&=" | "|=" | "^=" | "<<=" | ">>=" => true,
            "!" | "~" => true,
            "-" | "+" | "--" | "++" | "&" => !after_operand,
            _ => keyword,
        };
        after_operand = !keyword
            && (token.kind != super::lex::Kind::Punct
                || (after_operand && matches!(&*token.text, "++" | "--")));
        if opens {
            if let Some(level) = levels.last_mut() {
                *level += 1;
            }
            total += 1;
            continue_or(total, token.origin)?;
        }
    }
    Ok(())
}

fn continue_or(nesting: usize, at: u32) -> Result<(), Fault> {
    if nesting > MAX_NESTING {
        return Err(Fault::failed(Reason::Limit, at as usize, "the pseudocode is nested too deeply"));
    }
    Ok(())
}

fn unexpected(pair: &Pair<'_, Rule>) -> Fault {
    Fault::failed(Reason::Syntax, place(pair), format!("{:?} is not expected here", pair.as_rule()))
}

fn place(pair: &Pair<'_, Rule>) -> usize {
    pair.as_span().start()
}

fn expect<'i>(pairs: &mut Pairs<'i, Rule>, at: usize) -> Result<Pair<'i, Rule>, Fault> {
    pairs.next().ok_or_else(|| Fault::failed(Reason::Syntax, at, "something is missing here"))
}

fn statement(pair: Pair<'_, Rule>) -> Result<Stmt, Fault> {
    let at = place(&pair);
    let pair = expect(&mut pair.into_inner(), at)?;
    let rule = pair.as_rule();
    let mut inner = pair.clone().into_inner();
    let kind = match rule {
        Rule::block => StmtKind::Block(inner.map(statement).collect::<Result<_, _>>()?),
        Rule::conditional => {
            expect(&mut inner, at)?;
            let condition = expr(expect(&mut inner, at)?)?;
            let then = Box::new(statement(expect(&mut inner, at)?)?);
            let otherwise = inner.nth(1).map(statement).transpose()?.map(Box::new);
            StmtKind::If(condition, then, otherwise)
        }
        Rule::for_loop => {
            expect(&mut inner, at)?;
            let mut init = expect(&mut inner, at)?.into_inner();
            let init = match init.next() {
                None => ForInit::Nothing,
                Some(of) if of.as_rule() == Rule::types => {
                    ForInit::Declare(declared(types(&of)?, expect(&mut init, at)?)?)
                }
                Some(value) => ForInit::Value(expr(value)?),
            };
            let condition = expect(&mut inner, at)?.into_inner().next().map(expr).transpose()?;
            let step = expect(&mut inner, at)?.into_inner().next().map(expr).transpose()?;
            StmtKind::For(init, condition, step, Box::new(statement(expect(&mut inner, at)?)?))
        }
        Rule::do_loop => {
            expect(&mut inner, at)?;
            let body = Box::new(statement(expect(&mut inner, at)?)?);
            expect(&mut inner, at)?;
            StmtKind::Do(body, expr(expect(&mut inner, at)?)?)
        }
        Rule::declaration => {
            let of = types(&expect(&mut inner, at)?)?;
            StmtKind::Declare(declared(of, expect(&mut inner, at)?)?)
        }
        Rule::return_statement => StmtKind::Return,
        Rule::empty => StmtKind::Empty,
        Rule::expression_statement => StmtKind::Value(expr(expect(&mut inner, at)?)?),
        _ => return Err(unexpected(&pair)),
    };
    Ok(Stmt { kind, at })
}

fn declared(of: Type, declarators: Pair<'_, Rule>) -> Result<Vec<Declared>, Fault> {
    declarators
        .into_inner()
        .map(|declarator| {
            let at = place(&declarator);
            let mut inner = declarator.into_inner();
            let name = expect(&mut inner, at)?.as_str().to_owned();
            let value = match inner.next() {
                None => Initial::Nothing,
                Some(zero) if zero.as_rule() == Rule::zero_list => Initial::Zero,
                Some(value) => Initial::Value(expr(value)?),
            };
            Ok(Declared { of, name, value })
        })
        .collect()
}

fn types(pair: &Pair<'_, Rule>) -> Result<Type, Fault> {
    let words: Vec<&str> = pair.clone().into_inner().map(|word| word.as_str()).collect();
    if let [word] = words[..] {
        match word {
            "mmvector_t" => return Ok(Type::Vector),
            "mmvector_pair_t" => return Ok(Type::Pair),
            "mmqreg_t" => return Ok(Type::Predicate),
            "paddr_t" => return Ok(Type::Address),
            _ => {}
        }
        if let Some(rest) = word.strip_prefix("size").and_then(|rest| rest.strip_suffix("_t")) {
            let bytes = rest.as_bytes().first().map_or(0, |digit| u32::from(digit - b'0'));
            return integer(bytes * 8, rest.ends_with('s'), pair);
        }
        if let Some(bits) =
            word.trim_start_matches('u').strip_prefix("int").and_then(|rest| rest.strip_suffix("_t"))
        {
            return integer(bits.parse().unwrap_or(0), !word.starts_with('u'), pair);
        }
    }
    let has = |name: &str| words.contains(&name);
    let width = match () {
        () if has("char") => 8,
        () if has("short") => 16,
        () if has("long") => 64,
        () => 32,
    };
    integer(width, !has("unsigned"), pair)
}

fn integer(width: u32, signed: bool, pair: &Pair<'_, Rule>) -> Result<Type, Fault> {
    if !(1..=128).contains(&width) {
        return Err(Fault::failed(Reason::Syntax, place(pair), format!("an integer type of {width} bits")));
    }
    Ok(Type::Integer { width, signed })
}

/// A node above its operands.
fn node(kind: ExprKind, at: usize, below: u16) -> Result<Expr, Fault> {
    if below >= MAX_DEPTH {
        return Err(Fault::failed(Reason::Limit, at, "the expression is nested too deeply"));
    }
    Ok(Expr { kind, at, depth: below + 1 })
}

fn expr(pair: Pair<'_, Rule>) -> Result<Expr, Fault> {
    let at = place(&pair);
    let mut inner = pair.into_inner();
    let target = choice(expect(&mut inner, at)?)?;
    let Some(operator) = inner.next() else { return Ok(target) };
    let value = expr(expect(&mut inner, at)?)?;
    let symbol = operator.as_str().trim_end_matches('=');
    let operator = OPERATORS.iter().find(|(text, _, _)| *text == symbol).map(|(_, operator, _)| *operator);
    let below = target.depth.max(value.depth);
    node(ExprKind::Assign(operator, Box::new(target), Box::new(value)), at, below)
}

fn choice(pair: Pair<'_, Rule>) -> Result<Expr, Fault> {
    let at = place(&pair);
    let mut inner = pair.into_inner();
    let condition = binary(expect(&mut inner, at)?)?;
    let Some(then) = inner.next() else { return Ok(condition) };
    let then = expr(then)?;
    let otherwise = choice(expect(&mut inner, at)?)?;
    let below = condition.depth.max(then.depth).max(otherwise.depth);
    node(ExprKind::Choice(Box::new(condition), Box::new(then), Box::new(otherwise)), at, below)
}

/// Applies precedence to a flat list of operands and operators.
fn binary(pair: Pair<'_, Rule>) -> Result<Expr, Fault> {
    let at = place(&pair);
    let mut operands: Vec<Expr> = Vec::new();
    let mut pending: Vec<(Binary, u8)> = Vec::new();
    let reduce = |operands: &mut Vec<Expr>, operator: Binary| {
        let (Some(right), Some(left)) = (operands.pop(), operands.pop()) else {
            return Err(Fault::failed(Reason::Syntax, at, "an operand is missing"));
        };
        let (at, below) = (left.at, left.depth.max(right.depth));
        operands.push(node(ExprKind::Binary(operator, Box::new(left), Box::new(right)), at, below)?);
        Ok(())
    };
    for part in pair.into_inner() {
        if part.as_rule() != Rule::binary_op {
            operands.push(unary(part)?);
            continue;
        }
        let Some((_, operator, binds)) = OPERATORS.iter().find(|(text, _, _)| *text == part.as_str()) else {
            return Err(unexpected(&part));
        };
        while let Some((above, _)) = pending.last().copied().filter(|(_, tighter)| tighter >= binds) {
            pending.pop();
            reduce(&mut operands, above)?;
        }
        pending.push((*operator, *binds));
    }
    while let Some((operator, _)) = pending.pop() {
        reduce(&mut operands, operator)?;
    }
    operands.pop().ok_or_else(|| Fault::failed(Reason::Syntax, at, "an operand is missing"))
}

fn unary(pair: Pair<'_, Rule>) -> Result<Expr, Fault> {
    let at = place(&pair);
    let mut parts: Vec<Pair<'_, Rule>> = pair.into_inner().collect();
    let last = parts.pop().ok_or_else(|| Fault::failed(Reason::Syntax, at, "an operand is missing"))?;
    let mut value = postfix(last)?;
    for prefix in parts.into_iter().rev() {
        let at = place(&prefix);
        let prefix = expect(&mut prefix.into_inner(), at)?;
        let below = value.depth;
        let operand = Box::new(value);
        let kind = match prefix.as_str() {
            _ if prefix.as_rule() == Rule::cast => {
                ExprKind::Cast(types(&expect(&mut prefix.into_inner(), at)?)?, operand)
            }
            "!" => ExprKind::Unary(Unary::Not, operand),
            "~" => ExprKind::Unary(Unary::Complement, operand),
            "-" => ExprKind::Unary(Unary::Negate, operand),
            "&" => ExprKind::Address(operand),
            "++" => ExprKind::Step { place: operand, delta: 1, after: false },
            "--" => ExprKind::Step { place: operand, delta: -1, after: false },
            _ => ExprKind::Unary(Unary::Plus, operand),
        };
        value = node(kind, at, below)?;
    }
    Ok(value)
}

fn postfix(pair: Pair<'_, Rule>) -> Result<Expr, Fault> {
    let at = place(&pair);
    let mut inner = pair.into_inner();
    let mut value = primary(expect(&mut inner, at)?)?;
    for suffix in inner {
        let at = place(&suffix);
        let suffix = expect(&mut suffix.into_inner(), at)?;
        let rule = suffix.as_rule();
        let (start, mut below) = (value.at, value.depth);
        let text = suffix.as_str();
        let mut parts = suffix.into_inner();
        let kind = match rule {
            Rule::step_op => {
                let delta = if text == "++" { 1 } else { -1 };
                ExprKind::Step { place: Box::new(value), delta, after: true }
            }
            Rule::field => ExprKind::Field(Box::new(value), expect(&mut parts, at)?.as_str().to_owned()),
            Rule::arrow => ExprKind::Arrow(Box::new(value), expect(&mut parts, at)?.as_str().to_owned()),
            Rule::index => {
                let first = expr(expect(&mut parts, at)?)?;
                below = below.max(first.depth);
                match parts.next() {
                    None => ExprKind::Index(Box::new(value), Box::new(first)),
                    Some(low) => {
                        let low = expr(low)?;
                        below = below.max(low.depth);
                        ExprKind::Slice(Box::new(value), Box::new(first), Box::new(low))
                    }
                }
            }
            _ => {
                let ExprKind::Name(name) = value.kind else {
                    return Err(Fault::failed(Reason::Syntax, at, "only a name can be called"));
                };
                let arguments: Vec<Expr> = parts.map(argument).collect::<Result<_, _>>()?;
                below = arguments.iter().map(|argument| argument.depth).fold(below, u16::max);
                ExprKind::Call(name, arguments)
            }
        };
        value = node(kind, start, below)?;
    }
    Ok(value)
}

fn argument(pair: Pair<'_, Rule>) -> Result<Expr, Fault> {
    let at = place(&pair);
    let mut inner = pair.into_inner();
    let high = expr(expect(&mut inner, at)?)?;
    let Some(low) = inner.next() else { return Ok(high) };
    let low = expr(low)?;
    let below = high.depth.max(low.depth);
    node(ExprKind::Pair(Box::new(high), Box::new(low)), at, below)
}

fn primary(pair: Pair<'_, Rule>) -> Result<Expr, Fault> {
    let at = place(&pair);
    let pair = expect(&mut pair.into_inner(), at)?;
    let text = pair.as_str();
    let kind =
        match pair.as_rule() {
            Rule::parenthesis => return expr(expect(&mut pair.into_inner(), at)?),
            Rule::size_of => {
                let operand = pair
                    .into_inner()
                    .nth(1)
                    .ok_or_else(|| Fault::failed(Reason::Syntax, at, "sizeof nothing"))?;
                if operand.as_rule() == Rule::types {
                    ExprKind::SizeofType(types(&operand)?)
                } else {
                    let operand = expr(operand)?;
                    let below = operand.depth;
                    return node(ExprKind::Sizeof(Box::new(operand)), at, below);
                }
            }
            Rule::statement_value => {
                let statements = pair.into_inner().map(statement).collect::<Result<_, _>>()?;
                ExprKind::Statements(statements)
            }
            Rule::number => {
                let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
                let value = match digits.strip_prefix("0x") {
                    Some(digits) => i128::from_str_radix(digits, 16),
                    None => digits.parse(),
                };
                ExprKind::Int(value.map_err(|_| {
                    Fault::failed(Reason::Limit, at, format!("the literal {text} is too large"))
                })?)
            }
            Rule::tag => {
                let operand = text.split('_').next().and_then(|size| size.parse().ok());
                ExprKind::Sizes(operand.unwrap_or(0))
            }
            Rule::string => ExprKind::Literal,
            Rule::immediate => ExprKind::Immediate(text[1..].starts_with(['s', 'S'])),
            Rule::name => ExprKind::Name(text.to_owned()),
            _ => return Err(unexpected(&pair)),
        };
    node(kind, at, 0)
}
