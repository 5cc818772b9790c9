//! From the grammar's pairs to the syntax tree.

use std::ops::Range;
use std::sync::LazyLock;

use hydride_ir::exact::Int;
use pest::Parser;
use pest::iterators::Pair;
use pest::pratt_parser::{Assoc, Op, PrattParser};

use super::SyntaxError;
use super::ast::{
    Binary, Expr, ExprKind, Function, FunctionKind, Param, Pattern, Place, Slice, Stmt, StmtKind, Type, Unary,
};
use super::lines::{DEDENT, INDENT, Prepared, prepare};
use super::literal::{bits_literal, number};

#[derive(pest_derive::Parser)]
#[grammar = "arm/asl/asl.pest"]
struct Asl;

/// Operators from the loosest to the tightest.
static PRECEDENCE: LazyLock<PrattParser<Rule>> = LazyLock::new(|| {
    let level = |rules: &[Rule]| {
        let mut rules = rules.iter().map(|rule| Op::infix(*rule, Assoc::Left));
        let first = rules.next();
        rules.fold(first, |joined, op| joined.map(|joined| joined | op))
    };
    let levels: [&[Rule]; 7] = [
        &[Rule::logical_or],
        &[Rule::logical_and],
        &[
            Rule::equal,
            Rule::not_equal,
            Rule::less,
            Rule::less_equal,
            Rule::greater,
            Rule::greater_equal,
            Rule::member,
        ],
        &[Rule::concat],
        &[Rule::add, Rule::subtract, Rule::bit_and, Rule::bit_or, Rule::bit_xor],
        &[Rule::multiply, Rule::divide, Rule::modulo, Rule::shift_left, Rule::shift_right],
        &[Rule::power],
    ];
    let parser = levels.iter().filter_map(|rules| level(rules)).fold(PrattParser::new(), PrattParser::op);
    parser.op(Op::prefix(Rule::negate) | Op::prefix(Rule::not) | Op::prefix(Rule::complement))
});

/// The statements in `source[range]`.
pub fn body(source: &str, range: Range<usize>) -> Result<Vec<Stmt>, SyntaxError> {
    let prepared = prepare(source, range)?;
    let pairs = parse(Rule::body, &prepared)?;
    let reader = Reader { prepared: &prepared };
    pairs.into_inner().filter(|pair| pair.as_rule() != Rule::EOI).map(|pair| reader.stmt(pair)).collect()
}

/// The expression in `source[range]`.
pub fn expression(source: &str, range: Range<usize>) -> Result<Expr, SyntaxError> {
    let start = range.start;
    let statement = format!("return {};", source.get(range).unwrap_or(""));
    match body(&statement, 0..statement.len())?.pop() {
        Some(Stmt { kind: StmtKind::Return(Some(value)), .. }) => Ok(value),
        _ => Err(SyntaxError::new(start, "expected an expression")),
    }
}

/// A function whose head is `source[head]` and whose statements are `source[statements]`.
pub fn function(source: &str, head: Range<usize>, statements: Range<usize>) -> Result<Function, SyntaxError> {
    let prepared = prepare(source, head.clone())?;
    let pairs = parse(Rule::header, &prepared)?;
    let reader = Reader { prepared: &prepared };
    let mut function = Function {
        name: "".into(),
        kind: FunctionKind::Call,
        returns: None,
        params: Vec::new(),
        value: None,
        body: Vec::new(),
    };
    for pair in pairs.into_inner() {
        match pair.as_rule() {
            Rule::returns => function.returns = Some(reader.typ(first(pair)?)?),
            Rule::name => function.name = pair.as_str().into(),
            rule @ (Rule::round | Rule::square) => {
                if rule == Rule::square {
                    function.kind = FunctionKind::Getter;
                }
                function.params =
                    pair.into_inner().map(|pair| reader.param(pair)).collect::<Result<_, _>>()?;
            }
            Rule::setter => {
                function.kind = FunctionKind::Setter;
                for pair in pair.into_inner() {
                    match pair.as_rule() {
                        Rule::typ => function.returns = Some(reader.typ(pair)?),
                        _ => function.value = Some(pair.as_str().into()),
                    }
                }
            }
            _ => {}
        }
    }
    function.body = body(source, statements)?;
    Ok(function)
}

fn parse(rule: Rule, prepared: &Prepared) -> Result<Pair<'_, Rule>, SyntaxError> {
    let failure = |error: pest::error::Error<Rule>| {
        let position = match error.location {
            pest::error::InputLocation::Pos(position) => position,
            pest::error::InputLocation::Span((position, _)) => position,
        };
        let rest = prepared.text.get(position..).unwrap_or("");
        let message = match rest.chars().next() {
            Some(INDENT) => "a block opens where none is expected".to_owned(),
            Some(DEDENT) | None => "the block ends too early".to_owned(),
            Some('\n') => "the line ends too early".to_owned(),
            Some(_) => {
                let near = rest.chars().take_while(|c| !matches!(*c, '\n' | INDENT | DEDENT)).take(24);
                format!("unexpected text at `{}`", near.collect::<String>())
            }
        };
        SyntaxError::new(prepared.origin(position), message)
    };
    Asl::parse(rule, &prepared.text)
        .map_err(failure)?
        .next()
        .ok_or_else(|| SyntaxError::new(prepared.origin(0), "nothing to read"))
}

fn first(pair: Pair<'_, Rule>) -> Result<Pair<'_, Rule>, SyntaxError> {
    let position = pair.as_span().start();
    pair.into_inner().next().ok_or_else(|| SyntaxError::new(position, "an operand is missing"))
}

struct Reader<'a> {
    prepared: &'a Prepared,
}

type Read<T> = Result<T, SyntaxError>;

impl Reader<'_> {
    fn offset(&self, pair: &Pair<'_, Rule>) -> usize {
        self.prepared.origin(pair.as_span().start())
    }

    fn missing<T>(&self, offset: usize) -> Read<T> {
        Err(SyntaxError::new(offset, "a part is missing"))
    }

    fn typ(&self, pair: Pair<'_, Rule>) -> Read<Type> {
        let inner = first(pair)?;
        Ok(match inner.as_rule() {
            Rule::type_bits => Type::Bits(Box::new(self.expr(first(inner)?)?)),
            Rule::type_tuple => {
                Type::Tuple(inner.into_inner().map(|pair| self.typ(pair)).collect::<Read<_>>()?)
            }
            _ => match inner.as_str() {
                "integer" => Type::Integer,
                "boolean" => Type::Boolean,
                "bit" => {
                    let offset = self.offset(&inner);
                    Type::Bits(Box::new(Expr { kind: ExprKind::Int(Int::ONE), offset }))
                }
                name => Type::Named(name.into()),
            },
        })
    }

    fn param(&self, pair: Pair<'_, Rule>) -> Read<Param> {
        let offset = self.offset(&pair);
        let (mut typ, mut name, mut reference) = (None, None, false);
        for pair in pair.into_inner() {
            match pair.as_rule() {
                Rule::typ => typ = Some(self.typ(pair)?),
                Rule::reference => reference = true,
                _ => name = Some(pair.as_str().into()),
            }
        }
        match (typ, name) {
            (Some(typ), Some(name)) => Ok(Param { typ, name, reference }),
            _ => self.missing(offset),
        }
    }

    fn stmt(&self, pair: Pair<'_, Rule>) -> Read<Stmt> {
        let offset = self.offset(&pair);
        let kind = match pair.as_rule() {
            Rule::if_stmt => self.if_stmt(pair)?,
            Rule::case_stmt => self.case_stmt(pair)?,
            Rule::for_stmt => self.for_stmt(pair)?,
            Rule::while_stmt => {
                let (mut conditions, body) = self.exprs_and_suite(pair)?;
                match conditions.pop() {
                    Some(condition) => StmtKind::While(condition, body),
                    None => return self.missing(offset),
                }
            }
            Rule::repeat_stmt => {
                let (mut conditions, body) = self.exprs_and_suite(pair)?;
                match conditions.pop() {
                    Some(condition) => StmtKind::Repeat(body, condition),
                    None => return self.missing(offset),
                }
            }
            Rule::return_stmt => {
                let value = pair.into_inner().find(|pair| pair.as_rule() == Rule::expr);
                StmtKind::Return(value.map(|value| self.expr(value)).transpose()?)
            }
            Rule::assert_stmt => match pair.into_inner().find(|pair| pair.as_rule() == Rule::expr) {
                Some(condition) => StmtKind::Assert(self.expr(condition)?),
                None => return self.missing(offset),
            },
            Rule::see_stmt => StmtKind::See,
            Rule::undefined_stmt => StmtKind::Undefined,
            Rule::unpredictable_stmt | Rule::implementation_stmt => StmtKind::Unpredictable,
            Rule::decl_stmt => self.decl(pair)?,
            Rule::assign_stmt => {
                let mut parts = pair.into_inner();
                match (parts.next(), parts.next()) {
                    (Some(place), Some(value)) => StmtKind::Assign(self.place(place)?, self.expr(value)?),
                    _ => return self.missing(offset),
                }
            }
            _ => {
                let offset = self.offset(&pair);
                let mut parts = pair.into_inner();
                let (Some(name), Some(arguments)) = (parts.next(), parts.next()) else {
                    return self.missing(offset);
                };
                StmtKind::Call(name.as_str().into(), self.arguments(arguments)?)
            }
        };
        Ok(Stmt { kind, offset })
    }

    fn suite(&self, pair: Pair<'_, Rule>) -> Read<Vec<Stmt>> {
        let mut stmts = Vec::new();
        for part in pair.into_inner() {
            for stmt in part.into_inner() {
                stmts.push(self.stmt(stmt)?);
            }
        }
        Ok(stmts)
    }

    fn exprs_and_suite(&self, pair: Pair<'_, Rule>) -> Read<(Vec<Expr>, Vec<Stmt>)> {
        let (mut exprs, mut body) = (Vec::new(), Vec::new());
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::expr => exprs.push(self.expr(part)?),
                Rule::suite => body = self.suite(part)?,
                _ => {}
            }
        }
        Ok((exprs, body))
    }

    fn if_stmt(&self, pair: Pair<'_, Rule>) -> Read<StmtKind> {
        let offset = self.offset(&pair);
        let (mut arms, mut rest) = (Vec::new(), Vec::new());
        let mut condition = None;
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::expr => condition = Some(self.expr(part)?),
                Rule::suite => match condition.take() {
                    Some(condition) => arms.push((condition, self.suite(part)?)),
                    None => return self.missing(offset),
                },
                Rule::elsif_part => {
                    let (mut conditions, body) = self.exprs_and_suite(part)?;
                    match conditions.pop() {
                        Some(condition) => arms.push((condition, body)),
                        None => return self.missing(offset),
                    }
                }
                Rule::else_part => rest = self.exprs_and_suite(part)?.1,
                _ => {}
            }
        }
        Ok(StmtKind::If(arms, rest))
    }

    fn case_stmt(&self, pair: Pair<'_, Rule>) -> Read<StmtKind> {
        let offset = self.offset(&pair);
        let (mut value, mut arms, mut otherwise) = (None, Vec::new(), None);
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::expr => value = Some(self.expr(part)?),
                Rule::when_part => {
                    let (mut patterns, mut body) = (Vec::new(), Vec::new());
                    for part in part.into_inner() {
                        match part.as_rule() {
                            Rule::pattern => patterns.push(self.pattern(part)?),
                            Rule::suite => body = self.suite(part)?,
                            _ => {}
                        }
                    }
                    arms.push((patterns, body));
                }
                Rule::otherwise_part => otherwise = Some(self.exprs_and_suite(part)?.1),
                _ => {}
            }
        }
        match value {
            Some(value) => Ok(StmtKind::Case(value, arms, otherwise)),
            None => self.missing(offset),
        }
    }

    fn pattern(&self, pair: Pair<'_, Rule>) -> Read<Pattern> {
        let inner: Vec<_> = pair.clone().into_inner().collect();
        match inner.as_slice() {
            [] => Ok(Pattern::Any),
            [only] if only.as_rule() != Rule::pattern => Ok(Pattern::Value(self.atom(only.clone())?)),
            several => {
                Ok(Pattern::Tuple(several.iter().map(|p| self.pattern(p.clone())).collect::<Read<_>>()?))
            }
        }
    }

    fn for_stmt(&self, pair: Pair<'_, Rule>) -> Read<StmtKind> {
        let offset = self.offset(&pair);
        let (mut variable, mut ends, mut down, mut body) = (None, Vec::new(), false, Vec::new());
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::ident => variable = Some(part.as_str().into()),
                Rule::expr => ends.push(self.expr(part)?),
                Rule::direction => down = part.as_str().trim() == "downto",
                Rule::suite => body = self.suite(part)?,
                _ => {}
            }
        }
        let mut ends = ends.into_iter();
        match (variable, ends.next(), ends.next()) {
            (Some(variable), Some(from), Some(to)) => Ok(StmtKind::For { variable, from, to, down, body }),
            _ => self.missing(offset),
        }
    }

    fn decl(&self, pair: Pair<'_, Rule>) -> Read<StmtKind> {
        let offset = self.offset(&pair);
        let (mut typ, mut names, mut value) = (None, Vec::new(), None);
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::typ => typ = Some(self.typ(part)?),
                Rule::ident => names.push(part.as_str().into()),
                Rule::expr => value = Some(self.expr(part)?),
                _ => {}
            }
        }
        match typ {
            Some(typ) => Ok(StmtKind::Declare(typ, names, value)),
            None => self.missing(offset),
        }
    }

    fn place(&self, pair: Pair<'_, Rule>) -> Read<Place> {
        let inner = first(pair)?;
        Ok(match inner.as_rule() {
            Rule::l_ignore => Place::Ignore,
            Rule::l_tuple => Place::Tuple(inner.into_inner().map(|p| self.place(p)).collect::<Read<_>>()?),
            Rule::l_concat => Place::Concat(inner.into_inner().map(|p| self.place(p)).collect::<Read<_>>()?),
            _ => Place::Expr(self.operand(inner)?),
        })
    }

    fn arguments(&self, pair: Pair<'_, Rule>) -> Read<Vec<Expr>> {
        pair.into_inner().map(|part| self.expr(part)).collect()
    }

    fn expr(&self, pair: Pair<'_, Rule>) -> Read<Expr> {
        PRECEDENCE
            .map_primary(|operand| self.operand(operand))
            .map_prefix(|op, operand| {
                let offset = self.offset(&op);
                let unary = match op.as_rule() {
                    Rule::negate => Unary::Negate,
                    Rule::not => Unary::Not,
                    _ => Unary::Complement,
                };
                Ok(Expr { kind: ExprKind::Unary(unary, Box::new(operand?)), offset })
            })
            .map_infix(|left, op, right| {
                let (left, right) = (left?, right?);
                let offset = left.offset;
                Ok(Expr {
                    kind: ExprKind::Binary(binary(op.as_rule()), Box::new(left), Box::new(right)),
                    offset,
                })
            })
            .parse(pair.into_inner())
    }

    /// An atom with its arguments, brackets and fields.
    fn operand(&self, pair: Pair<'_, Rule>) -> Read<Expr> {
        let offset = self.offset(&pair);
        let mut parts = pair.into_inner();
        let Some(base) = parts.next() else { return self.missing(offset) };
        let mut value = self.atom(base)?;
        for part in parts {
            let kind = match part.as_rule() {
                Rule::arguments => match value.kind {
                    ExprKind::Name(name) => ExprKind::Call(name, self.arguments(part)?),
                    _ => return self.missing(offset),
                },
                Rule::field => ExprKind::Field(Box::new(value), part.as_str()[1..].into()),
                _ => {
                    let slices = part.into_inner().map(|slice| self.slice(slice)).collect::<Read<_>>()?;
                    ExprKind::Bracket(Box::new(value), slices)
                }
            };
            value = Expr { kind, offset };
        }
        Ok(value)
    }

    fn slice(&self, pair: Pair<'_, Rule>) -> Read<Slice> {
        let offset = self.offset(&pair);
        let (mut bounds, mut with_width) = (Vec::new(), false);
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::slice_mark => with_width = part.as_str() == "+:",
                _ => bounds.push(self.expr(part)?),
            }
        }
        let mut bounds = bounds.into_iter();
        Ok(match (bounds.next(), bounds.next()) {
            (Some(low), Some(width)) if with_width => Slice::Offset(low, width),
            (Some(high), Some(low)) => Slice::Range(high, low),
            (Some(only), None) => Slice::Single(only),
            _ => return self.missing(offset),
        })
    }

    fn atom(&self, pair: Pair<'_, Rule>) -> Read<Expr> {
        let offset = self.offset(&pair);
        let kind = match pair.as_rule() {
            Rule::number => ExprKind::Int(number(pair.as_str(), offset)?),
            Rule::bits_literal => bits_literal(pair.as_str()),
            Rule::real => ExprKind::Real,
            Rule::string => ExprKind::Text,
            Rule::truth => ExprKind::Bool(pair.as_str() == "TRUE"),
            Rule::set => ExprKind::Set(pair.into_inner().map(|part| self.expr(part)).collect::<Read<_>>()?),
            Rule::group => {
                let mut parts = pair.into_inner().map(|part| self.expr(part)).collect::<Read<Vec<_>>>()?;
                match (parts.pop(), parts.is_empty()) {
                    (Some(only), true) => return Ok(only),
                    (Some(last), false) => {
                        parts.push(last);
                        ExprKind::Tuple(parts)
                    }
                    (None, _) => return self.missing(offset),
                }
            }
            Rule::undetermined => {
                let mut parts = pair.into_inner();
                let (Some(typ), Some(word)) = (parts.next(), parts.next()) else {
                    return self.missing(offset);
                };
                let typ = self.typ(typ)?;
                match word.as_rule() {
                    Rule::kw_unknown => ExprKind::Unknown(typ),
                    _ => ExprKind::Implementation(typ),
                }
            }
            Rule::if_expr => {
                let (mut arms, mut exprs) = (Vec::new(), Vec::new());
                for part in pair.into_inner() {
                    match part.as_rule() {
                        Rule::expr => exprs.push(self.expr(part)?),
                        Rule::elsif_expr => {
                            let mut inner = part.into_inner().filter(|part| part.as_rule() == Rule::expr);
                            match (inner.next(), inner.next()) {
                                (Some(condition), Some(value)) => {
                                    arms.push((self.expr(condition)?, self.expr(value)?));
                                }
                                _ => return self.missing(offset),
                            }
                        }
                        _ => {}
                    }
                }
                let mut exprs = exprs.into_iter();
                match (exprs.next(), exprs.next(), exprs.next()) {
                    (Some(condition), Some(then), Some(otherwise)) => {
                        arms.insert(0, (condition, then));
                        ExprKind::If(arms, Box::new(otherwise))
                    }
                    _ => return self.missing(offset),
                }
            }
            _ => ExprKind::Name(pair.as_str().into()),
        };
        Ok(Expr { kind, offset })
    }
}

fn binary(rule: Rule) -> Binary {
    match rule {
        Rule::logical_or => Binary::LogicalOr,
        Rule::logical_and => Binary::LogicalAnd,
        Rule::equal => Binary::Equal,
        Rule::not_equal => Binary::NotEqual,
        Rule::less => Binary::Less,
        Rule::less_equal => Binary::LessEqual,
        Rule::greater => Binary::Greater,
        Rule::greater_equal => Binary::GreaterEqual,
        Rule::member => Binary::Member,
        Rule::concat => Binary::Concat,
        Rule::subtract => Binary::Subtract,
        Rule::bit_and => Binary::And,
        Rule::bit_or => Binary::Or,
        Rule::bit_xor => Binary::Xor,
        Rule::multiply => Binary::Multiply,
        Rule::divide => Binary::Divide,
        Rule::modulo => Binary::Modulo,
        Rule::shift_left => Binary::ShiftLeft,
        Rule::shift_right => Binary::ShiftRight,
        Rule::power => Binary::Power,
        _ => Binary::Add,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Stmt> {
        body(text, 0..text.len()).unwrap_or_else(|error| panic!("{} at {}", error.message, error.offset))
    }

    fn value(text: &str) -> ExprKind {
        expression(text, 0..text.len()).unwrap().kind
    }

    #[test]
    fn concatenation_binds_tighter_than_comparison() {
        let ExprKind::Binary(Binary::Equal, left, _) = value("size:Q == '110'") else { panic!() };
        assert!(matches!(left.kind, ExprKind::Binary(Binary::Concat, ..)));
        let ExprKind::Binary(Binary::Concat, left, _) = value("a + b : c") else { panic!() };
        assert!(matches!(left.kind, ExprKind::Binary(Binary::Add, ..)));
    }

    #[test]
    fn slices_take_ranges_and_offsets() {
        let ExprKind::Bracket(_, slices) = value("x[c*8+:8]") else { panic!() };
        assert!(matches!(slices.as_slice(), [Slice::Offset(..)]));
        let ExprKind::Bracket(_, slices) = value("x<2*n-1:n, 3>") else { panic!() };
        assert!(matches!(slices.as_slice(), [Slice::Range(..), Slice::Single(_)]));
    }

    #[test]
    fn conditionals_on_one_line_and_in_blocks() {
        let stmts = read(
            "if a then x = 1; y = 2; else z = 3;\nif b then\n    UNDEFINED;\nelsif c then\n    return;\nelse return 1;\nw = 1;\n",
        );
        assert_eq!(stmts.len(), 3);
        let StmtKind::If(arms, rest) = &stmts[0].kind else { panic!() };
        assert_eq!((arms.len(), arms[0].1.len(), rest.len()), (1, 2, 1));
        let StmtKind::If(arms, rest) = &stmts[1].kind else { panic!() };
        assert_eq!((arms.len(), rest.len()), (2, 1));
    }

    #[test]
    fn alternatives_take_masks_and_names() {
        let stmts = read(
            "case op:U of\n    when '0x' a = 1; b = 2;\n    when Kind_A, Kind_B\n        c = 3;\n    otherwise UNDEFINED;\nx = 1;",
        );
        let StmtKind::Case(_, arms, otherwise) = &stmts[0].kind else { panic!() };
        assert_eq!((arms[0].1.len(), arms[1].0.len(), arms[1].1.len()), (2, 2, 1));
        assert!(otherwise.as_ref().is_some_and(|stmts| stmts.len() == 1));
        assert_eq!(stmts.len(), 2);
    }

    #[test]
    fn declarations_places_and_loops() {
        let stmts = read(
            "bits(N) a, b;\ninteger i = -1;\n(Elem[r, e, n], -) = f(x);\n[Y, X] = Y : X;\nFPSR.QC = '1';\nfor e = N-1 downto 0\n    g();\n",
        );
        assert!(matches!(&stmts[0].kind, StmtKind::Declare(Type::Bits(_), names, None) if names.len() == 2));
        assert!(matches!(&stmts[2].kind, StmtKind::Assign(Place::Tuple(places), _) if places.len() == 2));
        assert!(matches!(&stmts[3].kind, StmtKind::Assign(Place::Concat(_), _)));
        assert!(matches!(&stmts[5].kind, StmtKind::For { down: true, .. }));
    }

    #[test]
    fn heads_of_functions() {
        let head = |text: &str| function(text, 0..text.len(), text.len()..text.len()).unwrap();
        let setter = head("Elem[bits(N) &vector, integer e, integer size] = bits(size) value");
        assert_eq!(
            (setter.kind, setter.params.len(), setter.params[0].reference),
            (FunctionKind::Setter, 3, true)
        );
        let tuple = head("(bits(N), boolean) Clamp(integer i, integer N)");
        assert!(matches!(tuple.returns, Some(Type::Tuple(_))));
        let procedure = head("AArch64.Check()");
        assert_eq!((&*procedure.name, procedure.returns), ("AArch64.Check", None));
    }

    #[test]
    fn errors_have_places() {
        let text = "x = 1;\ny = * 2;\n";
        let error = body(text, 0..text.len()).unwrap_err();
        assert_eq!(error.offset, text.find('*').unwrap());
    }
}
