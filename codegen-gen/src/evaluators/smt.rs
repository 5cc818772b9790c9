//! `evaluators/smt/OPERATION.smt2`: each instance as an SMT-LIB function over bit vectors.
//!
//! A loop body becomes a separate function of the slices and numbers that differ from lane to lane.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

use hydride_ir::passes::{dead_code, unroll};
use hydride_ir::visit::{Assignment, Event};
use hydride_ir::{BinaryOp, Bits, CompareOp, ExprId, Function, Num, Op, UnaryOp};
use serde::Serialize;

use super::float;
use super::folds::expand_folds;
use super::support::Support;
use crate::float::{constant_mode, rounding};
use crate::operation::InstanceError;
use crate::operation::Operation;
use crate::render::Renderer;
use crate::space::Indices;
use crate::{GenerateError, GeneratedFile};

/// Where the files are.
const FOLDER: &str = "evaluators/smt";

/// Longer texts are bound to a name, so that they are not copied again and again.
const MAX_INLINE: usize = 300;

/// What the template needs.
#[derive(Serialize)]
struct File<'a> {
    operation: &'a str,
    /// Definitions of operators that SMT-LIB lacks.
    operators: Vec<String>,
    /// The definitions of each instance.
    instances: Vec<String>,
    /// Whether the theory of floating-point numbers is used.
    has_floats: bool,
}

/// The file of one operation.
pub(crate) fn file(renderer: &Renderer, operation: &Operation<'_>) -> Result<GeneratedFile, GenerateError> {
    let file = || text(renderer, operation);
    Ok(GeneratedFile {
        path: format!("{FOLDER}/{}.smt2", operation.op.name),
        contents: operation.kept(FOLDER, file)?,
    })
}

fn text(renderer: &Renderer, operation: &Operation<'_>) -> Result<String, GenerateError> {
    let name = &operation.op.name;
    let mut support = Support::new(name);
    let mut instances = Vec::new();
    let mut has_floats = false;
    for (place, instance) in operation.instances().into_iter().enumerate() {
        // Elements are called often: their names are short.
        let prefix = format!("{name}.{place}");
        let fail = |message: String| InstanceError { op: name.clone(), message };
        let function = operation.function_at(instance.params)?;
        if let Err(why) = float::check(function) {
            instances.push(format!("; Left out: {}: {why}\n", instance.symbol));
            continue;
        }
        has_floats |= function.exprs().iter().any(|expr| matches!(expr.op, Op::Float { .. }));
        let regular = expand_folds(function).and_then(|function| {
            Writer::of(&function, operation.arg_names(), &mut support)?.function(&instance.symbol, &prefix)
        });
        instances.push(match regular {
            Some(text) => text,
            // Widths or counts that depend on indices.
            None => {
                let flat = unroll(function).map_err(|error| fail(error.to_string()))?;
                Writer::of(&dead_code(&flat), operation.arg_names(), &mut support)
                    .and_then(|writer| writer.function(&instance.symbol, &prefix))
                    .ok_or_else(|| fail("a number does not fit 32 bits".to_owned()))?
            }
        });
    }
    let context = File { operation: name, operators: support.definitions(), instances, has_floats };
    Ok(renderer.render(FOLDER, &context)?.contents)
}

/// A sort.
fn sort(width: u32) -> String {
    format!("(_ BitVec {width})")
}

fn literal(bits: &Bits) -> String {
    if bits.width().is_multiple_of(4) {
        return format!("#x{bits:x}");
    }
    let digits: String = (0..bits.width()).rev().map(|bit| if bits.bit(bit) { '1' } else { '0' }).collect();
    format!("#b{digits}")
}

/// The low bits of a number as a literal.
fn number(value: i64, width: u32) -> String {
    let fill = if value < 0 { u64::MAX } else { 0 };
    literal(&Bits::from_words(width, std::iter::once(value.cast_unsigned()).chain(std::iter::repeat(fill))))
}

/// Bits `low` to `low + width - 1` of something of `total` bits.
fn slice(of: &str, total: u32, low: u32, width: u32) -> String {
    if width == total {
        return of.to_owned();
    }
    format!("((_ extract {} {low}) {of})", low + width - 1)
}

/// The same value with more bits, or its low ones.
fn resized(of: &str, from: u32, to: u32, signed: bool) -> String {
    match (to.checked_sub(from), signed) {
        (None, _) => slice(of, from, 0, to),
        (Some(0), _) => of.to_owned(),
        (Some(more), false) => format!("((_ zero_extend {more}) {of})"),
        (Some(more), true) => format!("((_ sign_extend {more}) {of})"),
    }
}

/// What differs from lane to lane in the body of a loop.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Leaf {
    /// A slice of an argument.
    Slice { arg: u32, low: Num, width: u32 },
    /// The low bits of a number.
    Number { num: Num, width: u32 },
}

/// An expression as text.
#[derive(Clone)]
struct Term {
    text: String,
    /// How deep names are nested that the text uses.
    level: usize,
}

struct Writer<'f> {
    function: &'f Function,
    indices: Indices,
    widths: Vec<u32>,
    arg_names: &'f [String],
    support: &'f mut Support,
    /// Functions of loops' bodies so far.
    elements: String,
    count: usize,
}

/// Terms that are written in one function.
#[derive(Default)]
struct Scope {
    terms: HashMap<ExprId, Term>,
    /// Names and their terms by level.
    bindings: Vec<Vec<(String, String)>>,
    /// What differs from lane to lane, each a parameter of the function.
    leaves: Vec<Leaf>,
    /// The arguments of the instance that the terms name.
    args: BTreeSet<u32>,
}

impl Scope {
    /// A body under the names that it uses.
    fn close(&self, body: &str) -> String {
        let mut text = String::new();
        for level in &self.bindings {
            text.push_str("(let (");
            for (position, (name, term)) in level.iter().enumerate() {
                let separator = if position == 0 { "" } else { "\n    " };
                let _ = write!(text, "{separator}({name} {term})");
            }
            text.push_str(")\n  ");
        }
        text.push_str(body);
        text.push_str(&")".repeat(self.bindings.len()));
        text
    }
}

impl<'f> Writer<'f> {
    /// `None` where a width or count depends on an index.
    fn of(function: &'f Function, arg_names: &'f [String], support: &'f mut Support) -> Option<Self> {
        let width = |num: &Num| u32::try_from(num.as_constant()?).ok();
        let widths = function.exprs().iter().map(|expr| width(&expr.width)).collect::<Option<_>>()?;
        let indices = Indices::of(function)?;
        Some(Self { function, indices, widths, arg_names, support, elements: String::new(), count: 0 })
    }

    /// The definitions of an instance.
    fn function(mut self, symbol: &str, prefix: &str) -> Option<String> {
        let mut scope = Scope::default();
        self.terms(&mut scope, &self.flat_values())?;
        let mut pieces: Vec<BTreeMap<u32, String>> = vec![BTreeMap::new(); self.function.results.len()];
        self.statements(&scope, prefix, &mut pieces)?;
        let args: Vec<String> = self
            .function
            .args
            .iter()
            .zip(self.arg_names)
            .map(|(arg, name)| {
                Some(format!("({name} {})", sort(u32::try_from(arg.width.as_constant()?).ok()?)))
            })
            .collect::<Option<_>>()?;
        let args = args.join(" ");
        let single = pieces.len() == 1;
        let mut text = self.elements;
        for (number, (pieces, result)) in pieces.into_iter().zip(&self.function.results).enumerate() {
            let width = u32::try_from(result.width.as_constant()?).ok()?;
            let name = if single { symbol.to_owned() } else { format!("{symbol}.{number}") };
            let parts: Vec<&str> = pieces.values().rev().map(String::as_str).collect();
            let body = scope.close(&concatenation(&parts)?);
            let _ = writeln!(text, "(define-fun {name} ({args}) {}\n  {body})", sort(width));
        }
        Some(text)
    }

    fn statements(
        &mut self,
        scope: &Scope,
        prefix: &str,
        pieces: &mut [BTreeMap<u32, String>],
    ) -> Option<()> {
        let mut walk = self.function.walk();
        while let Some(event) = walk.next() {
            let Event::Assign(Assignment { result, low, value }) = event else { continue };
            let loops = self.indices.around(&walk);
            let lows = self.indices.values(low, &loops)?;
            let texts = match loops.as_slice() {
                [] => vec![scope.terms[&value].text.clone()],
                _ => self.lanes(value, &loops, prefix)?,
            };
            for (low, text) in lows.into_iter().zip(texts) {
                pieces[result.0 as usize].insert(u32::try_from(low).ok()?, text);
            }
        }
        Some(())
    }

    /// The values of assignments outside of loops that repeat.
    fn flat_values(&self) -> Vec<ExprId> {
        let mut values = Vec::new();
        let mut walk = self.function.walk();
        while let Some(event) = walk.next() {
            if let Event::Assign(assignment) = event
                && self.indices.around(&walk).is_empty()
            {
                values.push(assignment.value);
            }
        }
        values
    }

    /// A repeated value in each lane: calls of a function that is defined here.
    fn lanes(&mut self, value: ExprId, loops: &[usize], prefix: &str) -> Option<Vec<String>> {
        let mut scope = Scope::default();
        self.terms(&mut scope, &[value])?;
        let mut operands: Vec<Vec<String>> = Vec::new();
        for leaf in &scope.leaves {
            operands.push(self.leaf_values(leaf, loops)?);
        }
        let lanes = self.indices.lanes(loops);
        let term = &scope.terms[&value].text;
        // A value that is one of the slices itself needs no function.
        if let Some(place) = (0..scope.leaves.len()).find(|place| *term == leaf_name(*place)) {
            return operands.into_iter().nth(place);
        }
        let mut params: Vec<String> = Vec::new();
        let mut used = Vec::new();
        let body = scope.close(term);
        for arg in &scope.args {
            let name = &self.arg_names[*arg as usize];
            let width = &self.function.args[*arg as usize].width;
            params.push(format!("({name} {})", sort(u32::try_from(width.as_constant()?).ok()?)));
            used.push(name.clone());
        }
        for (place, leaf) in scope.leaves.iter().enumerate() {
            let (Leaf::Slice { width, .. } | Leaf::Number { width, .. }) = leaf;
            params.push(format!("({} {})", leaf_name(place), sort(*width)));
        }
        if params.is_empty() {
            return Some(vec![body; lanes]);
        }
        let name = format!("{prefix}.{}", self.count);
        self.count += 1;
        let width = self.widths[value.0 as usize];
        let _ =
            writeln!(self.elements, "(define-fun {name} ({}) {}\n  {body})", params.join(" "), sort(width));
        let call = |lane: usize| {
            let own = operands.iter().map(|values| values[lane].as_str());
            let operands: Vec<&str> = used.iter().map(String::as_str).chain(own).collect();
            format!("({name} {})", operands.join(" "))
        };
        Some((0..lanes).map(call).collect())
    }

    fn leaf_values(&self, leaf: &Leaf, loops: &[usize]) -> Option<Vec<String>> {
        match leaf {
            Leaf::Slice { arg, low, width } => {
                let total = u32::try_from(self.function.args[*arg as usize].width.as_constant()?).ok()?;
                let name = &self.arg_names[*arg as usize];
                let lows = self.indices.values(low, loops)?;
                lows.into_iter()
                    .map(|low| Some(slice(name, total, u32::try_from(low).ok()?, *width)))
                    .collect()
            }
            Leaf::Number { num, width } => Some(
                self.indices.values(num, loops)?.into_iter().map(|value| number(value, *width)).collect(),
            ),
        }
    }

    /// Writes what `roots` need into a scope.
    fn terms(&mut self, scope: &mut Scope, roots: &[ExprId]) -> Option<()> {
        let mut uses: HashMap<ExprId, usize> = HashMap::new();
        let mut pending: Vec<ExprId> = roots.to_vec();
        let mut needed = BTreeSet::new();
        while let Some(id) = pending.pop() {
            *uses.entry(id).or_default() += 1;
            if needed.insert(id) {
                pending.extend(self.function.expr(id).op.operands());
            }
        }
        for root in roots {
            self.note_argument(scope, *root);
        }
        for id in needed {
            let term = self.term(scope, id)?;
            let short = term.text.len() <= 12 && !term.text.contains('(');
            let term = if (uses[&id] > 1 || term.text.len() > MAX_INLINE) && !short {
                let name = format!("t{}_", id.0);
                while scope.bindings.len() <= term.level {
                    scope.bindings.push(Vec::new());
                }
                scope.bindings[term.level].push((name.clone(), term.text));
                Term { text: name, level: term.level + 1 }
            } else {
                term
            };
            scope.terms.insert(id, term);
        }
        Some(())
    }

    /// Notes that a term names an argument, if the expression is one.
    fn note_argument(&self, scope: &mut Scope, id: ExprId) {
        if let Op::Arg(arg) = self.function.expr(id).op {
            scope.args.insert(arg.0);
        }
    }

    fn leaf(&self, scope: &mut Scope, leaf: Leaf) -> Term {
        let place = scope.leaves.iter().position(|other| *other == leaf).unwrap_or_else(|| {
            scope.leaves.push(leaf);
            scope.leaves.len() - 1
        });
        Term { text: leaf_name(place), level: 0 }
    }

    fn term(&mut self, scope: &mut Scope, id: ExprId) -> Option<Term> {
        let function = self.function;
        let expr = function.expr(id);
        let width = self.widths[id.0 as usize];
        let of_width = |writer: &Self, id: ExprId| writer.widths[id.0 as usize];
        let operands: Vec<Term> = expr.op.operands().iter().map(|id| scope.terms[id].clone()).collect();
        let level = operands.iter().map(|term| term.level).max().unwrap_or(0);
        let texts: Vec<&str> = operands.iter().map(|term| term.text.as_str()).collect();
        let flag = |num: &Num| num.as_constant().map(|value| value != 0);
        let text = match &expr.op {
            Op::Arg(arg) => self.arg_names[arg.0 as usize].clone(),
            Op::Const(bits) => literal(bits),
            Op::Int(num) => match num.as_constant() {
                Some(value) => number(value, width),
                None if self.indices.space(num).is_empty() => {
                    number(*self.indices.values(num, &[])?.first()?, width)
                }
                None => return Some(self.leaf(scope, Leaf::Number { num: num.clone(), width })),
            },
            Op::Extract { of, low } => {
                let total = of_width(self, *of);
                match (&function.expr(*of).op, self.indices.space(low).is_empty()) {
                    (_, true) => {
                        let low = *self.indices.values(low, &[])?.first()?;
                        slice(texts[0], total, u32::try_from(low).ok()?, width)
                    }
                    (Op::Arg(arg), false) => {
                        let leaf = Leaf::Slice { arg: arg.0, low: low.clone(), width };
                        return Some(self.leaf(scope, leaf));
                    }
                    _ => {
                        let amount = self.leaf(scope, Leaf::Number { num: low.clone(), width: total });
                        slice(&format!("(bvlshr {} {})", texts[0], amount.text), total, 0, width)
                    }
                }
            }
            Op::ExtractAt { of, low } => {
                let (total, position) = (of_width(self, *of), of_width(self, *low));
                let wide = total.max(position).max(width);
                let (of, low) =
                    (resized(texts[0], total, wide, false), resized(texts[1], position, wide, false));
                slice(&format!("(bvlshr {of} {low})"), wide, 0, width)
            }
            Op::Cast { of, signed } => resized(texts[0], of_width(self, *of), width, flag(signed)?),
            Op::Saturate { of, from_signed, to_signed } => {
                let from = of_width(self, *of);
                let name = self.support.saturate(from, width, flag(from_signed)?, flag(to_signed)?);
                format!("({name} {})", texts[0])
            }
            Op::Concat(_) => concatenation(&texts)?,
            Op::Unary(op, _) => match op {
                UnaryOp::Not => format!("(bvnot {})", texts[0]),
                UnaryOp::Neg => format!("(bvneg {})", texts[0]),
                _ => format!("({} {})", self.support.unary(*op, width), texts[0]),
            },
            Op::Binary { op, signed, right, .. } => {
                let signed = flag(signed)?;
                if op.is_shift() {
                    let count = of_width(self, *right);
                    let wide = width.max(count);
                    let word = match (op, signed) {
                        (BinaryOp::Shl, _) => "bvshl",
                        (_, false) => "bvlshr",
                        (_, true) => "bvashr",
                    };
                    let of = resized(texts[0], width, wide, signed);
                    let count = resized(texts[1], count, wide, false);
                    slice(&format!("({word} {of} {count})"), wide, 0, width)
                } else {
                    let word = match (op, signed) {
                        (BinaryOp::Add, _) => "bvadd".to_owned(),
                        (BinaryOp::Sub, _) => "bvsub".to_owned(),
                        (BinaryOp::Mul, _) => "bvmul".to_owned(),
                        (BinaryOp::And, _) => "bvand".to_owned(),
                        (BinaryOp::Or, _) => "bvor".to_owned(),
                        (BinaryOp::Xor, _) => "bvxor".to_owned(),
                        (BinaryOp::Div, false) => "bvudiv".to_owned(),
                        (BinaryOp::Div, true) => "bvsdiv".to_owned(),
                        (BinaryOp::Rem, false) => "bvurem".to_owned(),
                        (BinaryOp::Rem, true) => "bvsrem".to_owned(),
                        (BinaryOp::Min | BinaryOp::Max, _) => {
                            self.support.extremum(*op == BinaryOp::Min, signed, width)
                        }
                        (BinaryOp::Shl | BinaryOp::Shr, _) => return None,
                    };
                    format!("({word} {} {})", texts[0], texts[1])
                }
            }
            Op::Compare { op, signed, .. } => {
                let word = match (op, flag(signed)?) {
                    (CompareOp::Eq, _) => "=",
                    (CompareOp::Lt, false) => "bvult",
                    (CompareOp::Lt, true) => "bvslt",
                    (CompareOp::Le, false) => "bvule",
                    (CompareOp::Le, true) => "bvsle",
                };
                format!("(ite ({word} {} {}) #b1 #b0)", texts[0], texts[1])
            }
            Op::Select { .. } => format!("(ite (= {} #b1) {} {})", texts[0], texts[1], texts[2]),
            Op::Float { float: own, operands: ids } => {
                let operator = float::operator(own, of_width(self, ids[0]), width)?;
                let name = float::define(self.support, operator);
                let mut operands: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
                if let Some(mode) = rounding(own, ids) {
                    let place = own.op.arity();
                    operands[place] = float::mode(constant_mode(function, mode), texts[place]);
                }
                format!("({name} {})", operands.join(" "))
            }
            // Expanded before.
            Op::Fold { .. } => return None,
        };
        for operand in expr.op.operands() {
            self.note_argument(scope, operand);
        }
        Some(Term { text, level })
    }
}

fn leaf_name(place: usize) -> String {
    format!("x{place}_")
}

/// Concatenated parts, most significant first: `concat` takes two. `None` if there are none.
fn concatenation(parts: &[&str]) -> Option<String> {
    match parts {
        [] => None,
        [single] => Some((*single).to_owned()),
        _ => {
            let (left, right) = parts.split_at(parts.len() / 2);
            Some(format!("(concat {} {})", concatenation(left)?, concatenation(right)?))
        }
    }
}
