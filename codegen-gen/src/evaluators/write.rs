//! The code of one operation in C or Rust, with its parameters as run-time values.
//!
//! Values that have at most 64 bits for every member are words; others are arrays of words, least significant first.
//! Bits above a value's width are zero. Every position is checked where it is used, so that meaningless parameter
//! values give some result and never undefined behaviour.

use std::collections::HashMap;
use std::fmt::Write as _;

use autoir::ParamKind;
use hydride_ir::visit::{Assignment, Event, Loop};
use hydride_ir::{
    Atom, BinaryOp, CompareOp, Expr, ExprId, FloatOp, Function, IndexId, NanRule, Num, Op, Role, UnaryOp,
};

use super::language::Language;
use super::number::{Range, Ranges, number};
use crate::fuse::fuse;
use crate::identifier::RUST_WORDS;
use crate::operation::Operation;

/// Longer expressions get a name.
const MAX_INLINE: usize = 100;

/// Concatenations of more parts are put together in place.
const MAX_JOINED: usize = 4;

/// Bits of the fraction in formats that the operators on floating-point numbers can work with.
const MAX_FRACTION: i64 = 55;

/// What is computed of an expression so far.
#[derive(Clone)]
enum Value {
    /// A word: an expression of the language.
    Word(String),
    /// An array: its name.
    Array(String),
    /// An argument that is an array: its name.
    Argument(String),
}

/// An operation that cannot be written, and why.
pub(crate) struct Unwritable(pub(crate) String);

/// Names in the code of an operation.
struct Names {
    results: Vec<String>,
    args: Vec<String>,
    params: Vec<String>,
}

/// Everything about an operation that does not depend on the language.
pub(crate) struct Plan {
    function: Function,
    /// For each parameter the least and greatest value among members.
    params: Vec<Range>,
    /// For each expression the words that its greatest width among members takes.
    words: Vec<usize>,
    /// How often each live expression is used.
    uses: Vec<u32>,
    /// Names of results, arguments and parameters.
    pub(crate) results: Vec<String>,
    pub(crate) args: Vec<(String, bool)>,
    pub(crate) param_names: Vec<String>,
}

/// Reserved words of C beyond those that operand names avoid anyway, and names of the generated functions.
const RESERVED: [&str; 4] = ["inline", "main", "restrict", "w"];

/// A name that both languages accept; generated names end in `_` and do not collide with it.
pub(crate) fn local_name(name: &str) -> String {
    if RUST_WORDS.contains(&name) || RESERVED.contains(&name) {
        format!("{name}_arg")
    } else {
        name.to_owned()
    }
}

impl Plan {
    /// That of an operation.
    pub(crate) fn of(operation: &Operation<'_>) -> Result<Self, Unwritable> {
        let function = &operation.op.class.function;
        let members = || operation.op.class.members.iter().map(|member| &member.application.params);
        let params: Vec<Range> = (0..function.params.len())
            .filter_map(|place| {
                let values = || members().map(|params| i128::from(params[place]));
                Some((values().min()?, values().max()?))
            })
            .collect();
        let instances: Vec<Vec<i64>> =
            operation.instances().iter().map(|instance| instance.params.to_vec()).collect();
        let names = Names {
            results: operation.result_names().iter().map(|name| local_name(name)).collect(),
            args: operation.arg_names().iter().map(|name| local_name(name)).collect(),
            params: operation.param_names().iter().map(|name| local_name(name)).collect(),
        };
        Self::new(function, params, &instances, names)
    }

    /// That of a function without parameters, whose results and arguments have these names.
    pub(crate) fn of_function(
        function: &Function,
        results: Vec<String>,
        args: Vec<String>,
    ) -> Result<Self, Unwritable> {
        if !function.params.is_empty() {
            return Err(Unwritable("it has parameters".to_owned()));
        }
        Self::new(function, Vec::new(), &[Vec::new()], Names { results, args, params: Vec::new() })
    }

    fn new(
        function: &Function,
        params: Vec<Range>,
        instances: &[Vec<i64>],
        names: Names,
    ) -> Result<Self, Unwritable> {
        let unwritable = |what: &str| Unwritable(what.to_owned());
        let function = fuse(hydride_ir::passes::dead_code(function));
        // Every number fits 64 bits for all parameter values that are accepted.
        let all = Ranges::new(&function, params.clone());
        let all = all.ok_or_else(|| unwritable("a count can overflow"))?;
        let nums = function.exprs().iter().flat_map(|expr| expr.op.nums().into_iter().chain([&expr.width]));
        if nums.chain(positions(&function)).any(|num| all.of(num).is_none()) {
            return Err(unwritable("a number can overflow"));
        }
        let mut words = vec![1; function.exprs().len()];
        for instance in instances {
            let exact = instance.iter().map(|value| (i128::from(*value), i128::from(*value))).collect();
            let ranges = Ranges::new(&function, exact).ok_or_else(|| unwritable("a count overflows"))?;
            for (words, expr) in words.iter_mut().zip(function.exprs()) {
                // A width that varies from lane to lane is not checked at the start: it fits for all values.
                let varies = expr.width.atoms().any(|atom| matches!(atom, Atom::Index(_)));
                let range = if varies { all.of(&expr.width) } else { ranges.of(&expr.width) };
                let (_, most) = range.ok_or_else(|| unwritable("a width overflows"))?;
                let needed = usize::try_from(most).map_err(|_| unwritable("a width is negative"))?;
                *words = needed.div_ceil(64).max(*words);
            }
        }
        let wide = |id: &ExprId| words[id.0 as usize] > 1;
        for (place, expr) in (0u32..).zip(function.exprs()) {
            let Op::Float { float, operands } = &expr.op else { continue };
            if float.op.approximates() {
                return Err(unwritable("an approximation, of which each machine has its own value"));
            }
            if wide(&ExprId(place)) || operands.iter().any(wide) {
                return Err(unwritable("floating-point arithmetic on more than 64 bits"));
            }
            let varies = |num: &Num| num.atoms().any(|atom| matches!(atom, Atom::Index(_)));
            if formats(&function, expr).iter().any(|(exponent, width)| varies(exponent) || varies(width)) {
                return Err(unwritable("a floating-point format that varies from lane to lane"));
            }
            let constants = formats(&function, expr)
                .into_iter()
                .filter_map(|(exponent, width)| Some(width.as_constant()? - 1 - exponent.as_constant()?));
            if constants.into_iter().any(|fraction| fraction > MAX_FRACTION) {
                return Err(unwritable("a floating-point format with a wide fraction"));
            }
            if float.op.converts() && varies(&float.target) {
                return Err(unwritable("a sign that varies from lane to lane"));
            }
        }
        let mut uses = vec![0; function.exprs().len()];
        for operand in function.exprs().iter().flat_map(|expr| expr.op.operands()) {
            uses[operand.0 as usize] += 1;
        }
        for assignment in function.assignments() {
            uses[assignment.value.0 as usize] += 1;
        }
        let immediate = function.args.iter().map(|arg| matches!(arg.role, Role::Immediate { .. }));
        Ok(Self {
            params,
            words,
            uses,
            results: names.results,
            args: names.args.into_iter().zip(immediate).collect(),
            param_names: names.params,
            function,
        })
    }

    /// Whether there are operators on floating-point numbers.
    pub(crate) fn has_floats(&self) -> bool {
        self.function.exprs().iter().any(|expr| matches!(expr.op, Op::Float { .. }))
    }

    /// A number in the language, with the parameters' names.
    fn number(&self, num: &Num) -> String {
        number(num, &|atom| match atom {
            Atom::Param(param) => self.param_names[param.0 as usize].clone(),
            Atom::Index(index) => index_name(index),
        })
    }

    /// What the function computes in words: the widths of results and arguments, and the parameters' ranges.
    pub(crate) fn documentation(&self, kinds: &[ParamKind]) -> Vec<String> {
        let mut lines = Vec::new();
        for (result, name) in self.function.results.iter().zip(&self.results) {
            lines.push(format!("`{name}`: result, {} bits", self.number(&result.width)));
        }
        for (arg, (name, immediate)) in self.function.args.iter().zip(&self.args) {
            let kind = if *immediate { "immediate" } else { "argument" };
            lines.push(format!("`{name}`: {kind}, {} bits", self.number(&arg.width)));
        }
        for ((name, (low, high)), kind) in self.param_names.iter().zip(&self.params).zip(kinds) {
            let kind = if *kind == ParamKind::Signedness { "signedness" } else { "number" };
            lines.push(format!("`{name}`: {kind}, {low} to {high}"));
        }
        lines
    }

    /// The body in a language, indented by four.
    pub(crate) fn body(&self, language: &dyn Language) -> String {
        let mut writer = Writer {
            plan: self,
            language,
            text: String::new(),
            depth: 1,
            scopes: vec![HashMap::new()],
            next: 0,
        };
        writer.checks();
        let registers = self.function.results.iter().map(|result| &result.width).zip(&self.results);
        let args = self.function.args.iter().map(|arg| &arg.width).zip(&self.args);
        let args = args.filter(|(_, (_, immediate))| !immediate).map(|(width, (name, _))| (width, name));
        for (width, name) in registers.chain(args) {
            if let Some(condition) = language.holds(name, &self.number(width)) {
                writer.line(&language.require(&condition));
            }
        }
        for (result, name) in self.function.results.iter().zip(&self.results) {
            let call = language.call("clear", &[name.clone(), self.number(&result.width)]);
            writer.line(&format!("{call};"));
        }
        writer.statements();
        writer.text
    }
}

/// Bits of the exponent and of the whole in the formats of a floating-point operator.
fn formats<'f>(function: &'f Function, expr: &'f Expr) -> Vec<(&'f Num, &'f Num)> {
    let Op::Float { float, operands } = &expr.op else { return Vec::new() };
    let of = &function.expr(operands[0]).width;
    match float.op {
        FloatOp::FromInt => vec![(&float.exponent, &expr.width)],
        FloatOp::Convert => vec![(&float.exponent, of), (&float.target, &expr.width)],
        _ => vec![(&float.exponent, of)],
    }
}

fn index_name(index: IndexId) -> String {
    format!("i{}_", index.0)
}

/// The positions of assignments and the counts of loops.
fn positions(function: &Function) -> impl Iterator<Item = &Num> {
    function.walk().filter_map(|event| match event {
        Event::Enter(around) => Some(around.count),
        Event::Assign(assignment) => Some(assignment.low),
        Event::Leave(_) => None,
    })
}

struct Writer<'p> {
    plan: &'p Plan,
    language: &'p dyn Language,
    text: String,
    depth: usize,
    /// What each open block knows, outermost first.
    scopes: Vec<HashMap<ExprId, Value>>,
    /// Arrays made of words so far.
    next: usize,
}

impl Writer<'_> {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{:indent$}{line}", "", indent = 4 * self.depth);
    }

    fn open(&mut self, index: IndexId, count: &Num) {
        let head = self.language.for_loop(&index_name(index), &self.plan.number(count));
        self.line(&head);
        self.depth += 1;
        self.scopes.push(HashMap::new());
    }

    fn close(&mut self) {
        self.scopes.pop();
        self.depth -= 1;
        self.line("}");
    }

    /// Parameters and widths are in range.
    fn checks(&mut self) {
        let plan = self.plan;
        for (name, (low, high)) in plan.param_names.iter().zip(&plan.params) {
            // What the type says anyway is not asked.
            let above = (*low > i128::from(i64::MIN)).then(|| format!("{name} >= {low}"));
            let below = (*high < i128::from(i64::MAX)).then(|| format!("{name} <= {high}"));
            let conditions: Vec<String> = above.into_iter().chain(below).collect();
            let condition = match (low == high, conditions.is_empty()) {
                (true, _) => format!("{name} == {low}"),
                (false, true) => continue,
                (false, false) => conditions.join(" && "),
            };
            let check = self.language.require(&condition);
            self.line(&check);
        }
        let mut limits: Vec<(String, usize)> = Vec::new();
        let exprs = plan.function.exprs().iter().zip(&plan.words);
        for (expr, words) in exprs.filter(|(expr, _)| !matches!(expr.op, Op::Arg(_))) {
            let varies = expr.width.atoms().any(|atom| matches!(atom, Atom::Index(_)));
            if expr.width.as_constant().is_none() && !varies {
                limits.push((plan.number(&expr.width), 64 * words));
            }
        }
        let registers = plan.function.args.iter().map(|arg| &arg.width);
        for width in registers.chain(plan.function.results.iter().map(|result| &result.width)) {
            if width.as_constant().is_none() {
                limits.push((plan.number(width), hydride_ir::MAX_WIDTH as usize));
            }
        }
        let formats = plan.function.exprs().iter().flat_map(|expr| formats(&plan.function, expr));
        let mut formats: Vec<(String, String, bool)> = formats
            .map(|(exponent, width)| {
                let known = exponent.as_constant().is_some() && width.as_constant().is_some();
                (plan.number(exponent), plan.number(width), known)
            })
            .collect();
        formats.sort();
        formats.dedup();
        for (exponent, width, _) in formats.into_iter().filter(|(.., known)| !known) {
            // What the operators on numbers can work with.
            let fraction = format!("{width} - 1 - ({exponent})");
            let condition = format!(
                "{exponent} >= 2 && {exponent} <= 15 && {fraction} >= 1 && {fraction} <= {MAX_FRACTION}"
            );
            let check = self.language.require(&condition);
            self.line(&check);
        }
        limits.sort();
        limits.dedup_by(|later, first| later.0 == first.0);
        for (width, limit) in limits {
            // A parameter whose range already implies this.
            let condition = format!("{width} >= 1 && {width} <= {limit}");
            let known = plan.param_names.iter().zip(&plan.params);
            let implied = known
                .clone()
                .any(|(name, (low, high))| *name == width && *low >= 1 && *high <= limit as i128);
            if !implied {
                let check = self.language.require(&condition);
                self.line(&check);
            }
        }
    }

    fn statements(&mut self) {
        let plan = self.plan;
        for event in plan.function.walk() {
            match event {
                Event::Enter(Loop { index, count }) => self.open(index, count),
                Event::Leave(_) => self.close(),
                Event::Assign(Assignment { result, low, value }) => {
                    self.compute(value);
                    let total = plan.number(&plan.function.result(result).width);
                    let name = plan.results[result.0 as usize].clone();
                    let place = [name, total, plan.number(low), self.width(value)];
                    self.put(place, value);
                }
            }
        }
    }

    /// Writes a computed value into an array.
    fn put(&mut self, place: [String; 4], value: ExprId) {
        let value = self.value(value);
        let (function, operand) = match value {
            Value::Word(word) => ("put", word),
            Value::Array(name) => ("put_wide", self.language.read(&name)),
            Value::Argument(name) => ("put_wide", name),
        };
        let operands: Vec<String> = place.into_iter().chain([operand]).collect();
        let call = self.language.call(function, &operands);
        self.line(&format!("{call};"));
    }

    fn width(&self, id: ExprId) -> String {
        self.plan.number(&self.plan.function.expr(id).width)
    }

    fn known(&self, id: ExprId) -> Option<&Value> {
        self.scopes.iter().rev().find_map(|scope| scope.get(&id))
    }

    fn value(&self, id: ExprId) -> Value {
        self.known(id).cloned().expect("operands are computed before their users")
    }

    /// Computes what `root` needs and is not known yet in the innermost block. The body of a fold is left to its
    /// loop.
    fn compute(&mut self, root: ExprId) {
        let mut needed = Vec::new();
        let mut pending = vec![root];
        let mut seen = std::collections::HashSet::new();
        while let Some(id) = pending.pop() {
            if self.known(id).is_some() || !seen.insert(id) {
                continue;
            }
            needed.push(id);
            let op = &self.plan.function.expr(id).op;
            if !matches!(op, Op::Fold { .. }) {
                pending.extend(op.operands());
            }
        }
        needed.sort_unstable();
        for id in needed {
            let value = self.expression(id);
            let value = match value {
                Value::Word(text) if self.plan.uses[id.0 as usize] > 1 || text.len() > MAX_INLINE => {
                    if text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
                        Value::Word(text)
                    } else {
                        let name = temporary(id);
                        let definition = self.language.word(&name, &text);
                        self.line(&definition);
                        Value::Word(name)
                    }
                }
                value => value,
            };
            if let Some(scope) = self.scopes.last_mut() {
                scope.insert(id, value);
            }
        }
    }

    fn fold(
        &mut self,
        id: ExprId,
        op: BinaryOp,
        signed: &Num,
        index: IndexId,
        count: &Num,
        body: ExprId,
    ) -> Value {
        let name = temporary(id);
        let words = self.plan.words[id.0 as usize];
        let wide = words > 1;
        let definition = if wide { self.language.array(&name, words) } else { self.language.variable(&name) };
        self.line(&definition);
        self.open(index, count);
        self.compute(body);
        let first = self.language.is_first(&index_name(index));
        let width = self.width(id);
        let sign: Vec<String> = op.has_sign().then(|| self.plan.number(signed)).into_iter().collect();
        if wide {
            let (next, sum) = (self.array(body), format!("{name}sum_"));
            let definition = self.language.array(&sum, words);
            self.line(&definition);
            let operands =
                [self.language.written(&sum), self.language.read(&name), next.clone(), width.clone()];
            let call =
                self.language.call(&format!("{}_wide", binary_name(op)), &[&operands[..], &sign].concat());
            self.line(&format!("{call};"));
            let operands = [self.language.written(&name), first, next, self.language.read(&sum), width];
            let call = self.language.call("select_wide", &operands);
            self.line(&format!("{call};"));
        } else {
            let next = self.narrow(body);
            // Read twice.
            let part = format!("{name}part_");
            let definition = self.language.word(&part, &next);
            self.line(&definition);
            let operands = [name.clone(), part.clone(), width];
            let sum = self.language.call(binary_name(op), &[&operands[..], &sign].concat());
            let chosen = self.language.call("select", &[first, part, sum]);
            self.line(&format!("{name} = {chosen};"));
        }
        self.close();
        if wide { Value::Array(name) } else { Value::Word(name) }
    }

    /// A value as an operand that is an array, trimmed to its width.
    fn array(&mut self, id: ExprId) -> String {
        match self.value(id) {
            Value::Array(name) => self.language.read(&name),
            Value::Word(text) => {
                self.next += 1;
                let name = format!("word{}_", self.next);
                let definition = self.language.constants(&name, &[text]);
                self.line(&definition);
                self.language.read(&name)
            }
            Value::Argument(name) => {
                let copy = format!("{}copy_", temporary(id));
                let definition = self.language.array(&copy, self.plan.words[id.0 as usize]);
                self.line(&definition);
                let width = self.width(id);
                let operands = [self.language.written(&copy), width.clone(), name, width, "0".to_owned()];
                let call = self.language.call("get_wide", &operands);
                self.line(&format!("{call};"));
                if let Some(scope) = self.scopes.last_mut() {
                    scope.insert(id, Value::Array(copy.clone()));
                }
                self.language.read(&copy)
            }
        }
    }

    /// Something to read slices of: an array or a word.
    fn source(&self, id: ExprId) -> Result<String, String> {
        match self.value(id) {
            Value::Array(name) => Ok(self.language.read(&name)),
            Value::Argument(name) => Ok(name),
            Value::Word(text) => Err(text),
        }
    }

    fn expression(&mut self, id: ExprId) -> Value {
        let plan = self.plan;
        let expr = plan.function.expr(id);
        let width = plan.number(&expr.width);
        let wide = |id: ExprId| plan.words[id.0 as usize] > 1;
        match &expr.op {
            Op::Arg(arg) => {
                let (name, immediate) = &plan.args[arg.0 as usize];
                if *immediate {
                    return Value::Word(self.language.call("low", &[name.clone(), width]));
                }
                Value::Argument(name.clone())
            }
            Op::Const(bits) if !wide(id) => Value::Word(self.language.literal(bits.to_u64().unwrap_or(0))),
            Op::Const(bits) => {
                let words: Vec<String> =
                    bits.words().iter().map(|word| self.language.literal(*word)).collect();
                let name = temporary(id);
                let definition = self.language.constants(&name, &words);
                self.line(&definition);
                Value::Array(name)
            }
            Op::Int(num) if !wide(id) => Value::Word(self.language.call("int", &[plan.number(num), width])),
            Op::Int(num) => self.wide(id, "int_wide", &[plan.number(num)]),
            Op::Extract { of, low } => {
                let (total, low) = (self.width(*of), plan.number(low));
                match self.source(*of) {
                    Err(word) => Value::Word(self.language.call("field", &[word, low, width])),
                    Ok(source) if wide(id) => self.sliced(id, "get_wide", &[source, total, low]),
                    Ok(source) => Value::Word(self.language.call("get", &[source, total, low, width])),
                }
            }
            Op::ExtractAt { of, low } => {
                let total = self.width(*of);
                let position = self.count(*low);
                match self.source(*of) {
                    Err(word) if !wide(id) => {
                        Value::Word(self.language.call("field_at", &[word, position, width]))
                    }
                    Err(_) => {
                        let source = self.array(*of);
                        self.sliced(id, "get_at_wide", &[source, total, position])
                    }
                    Ok(source) if wide(id) => self.sliced(id, "get_at_wide", &[source, total, position]),
                    Ok(source) => {
                        Value::Word(self.language.call("get_at", &[source, total, position, width]))
                    }
                }
            }
            Op::Cast { of, signed } => {
                let (from, signed) = (self.width(*of), plan.number(signed));
                self.resized(id, *of, "cast", &[from], &[signed])
            }
            Op::Saturate { of, from_signed, to_signed } => {
                let from = self.width(*of);
                let signs = [plan.number(from_signed), plan.number(to_signed)];
                self.resized(id, *of, "saturate", &[from], &signs)
            }
            Op::Concat(parts) => self.concat(id, parts),
            Op::Unary(op, of) => {
                let name = unary_name(*op);
                if wide(id) {
                    let of = self.array(*of);
                    return self.wide(id, &format!("{name}_wide"), &[of]);
                }
                Value::Word(self.language.call(name, &[self.narrow(*of), width]))
            }
            Op::Binary { op, signed, left, right } => {
                let name = binary_name(*op);
                let sign: Vec<String> = op.has_sign().then(|| plan.number(signed)).into_iter().collect();
                let right_operand = |writer: &mut Self| match (op.is_shift(), wide(id)) {
                    (true, _) => writer.count(*right),
                    (false, true) => writer.array(*right),
                    (false, false) => writer.narrow(*right),
                };
                if wide(id) {
                    let operands = [self.array(*left), right_operand(self)];
                    return self.wide_with(id, &format!("{name}_wide"), &operands, &sign);
                }
                let operands = [self.narrow(*left), right_operand(self), width];
                Value::Word(self.language.call(name, &[&operands[..], &sign].concat()))
            }
            Op::Compare { op, signed, left, right } => {
                let name = match op {
                    CompareOp::Eq => "eq",
                    CompareOp::Lt => "lt",
                    CompareOp::Le => "le",
                };
                let sign: Vec<String> = op.has_sign().then(|| plan.number(signed)).into_iter().collect();
                let of = self.width(*left);
                if wide(*left) || wide(*right) {
                    let operands = [self.array(*left), self.array(*right), of];
                    return Value::Word(
                        self.language.call(&format!("{name}_wide"), &[&operands[..], &sign].concat()),
                    );
                }
                let operands = match op {
                    CompareOp::Eq => vec![self.narrow(*left), self.narrow(*right)],
                    _ => vec![self.narrow(*left), self.narrow(*right), of],
                };
                Value::Word(self.language.call(name, &[&operands[..], &sign].concat()))
            }
            Op::Select { condition, then, otherwise } => {
                let condition = self.narrow(*condition);
                if wide(id) {
                    let operands = [condition, self.array(*then), self.array(*otherwise)];
                    return self.wide(id, "select_wide", &operands);
                }
                let operands = [condition, self.narrow(*then), self.narrow(*otherwise)];
                Value::Word(self.language.call("select", &operands))
            }
            Op::Float { float, operands } => {
                let mut values: Vec<String> = operands.iter().map(|id| self.narrow(*id)).collect();
                let own = if float.op == FloatOp::FromInt { &width } else { &self.width(operands[0]) };
                values.extend([plan.number(&float.exponent), own.clone()]);
                if float.op.converts() {
                    let from = self.width(operands[0]);
                    let other = if float.op == FloatOp::FromInt { from } else { width.clone() };
                    values.extend([plan.number(&float.target), other]);
                }
                if float.op.gives_nans() {
                    values.push(nan_rule(float.nan).to_owned());
                }
                Value::Word(self.language.call(float.op.name(), &values))
            }
            Op::Fold { op, signed, index, count, body } => self.fold(id, *op, signed, *index, count, *body),
        }
    }

    /// A value of at most 64 bits as a word: whole arguments are read.
    fn narrow(&self, id: ExprId) -> String {
        match self.value(id) {
            Value::Word(text) => text,
            Value::Array(name) => format!("{name}[0]"),
            Value::Argument(name) => {
                let width = self.width(id);
                self.language.call("get", &[name, width.clone(), "0".to_owned(), width])
            }
        }
    }

    /// A shift count or position, limited to the greatest word.
    fn count(&mut self, id: ExprId) -> String {
        if self.plan.words[id.0 as usize] > 1 {
            let operands = [self.array(id), self.width(id)];
            return self.language.call("count", &operands);
        }
        self.narrow(id)
    }

    /// An array from operands: the result, the operands, the width.
    fn wide(&mut self, id: ExprId, function: &str, operands: &[String]) -> Value {
        self.wide_with(id, function, operands, &[])
    }

    fn wide_with(&mut self, id: ExprId, function: &str, operands: &[String], signs: &[String]) -> Value {
        let operands = [operands, &[self.width(id)], signs].concat();
        self.defined(id, function, &operands)
    }

    /// An array that is a slice: the result, its width, the source.
    fn sliced(&mut self, id: ExprId, function: &str, operands: &[String]) -> Value {
        let operands = [&[self.width(id)], operands].concat();
        self.defined(id, function, &operands)
    }

    fn defined(&mut self, id: ExprId, function: &str, operands: &[String]) -> Value {
        let name = temporary(id);
        let definition = self.language.array(&name, self.plan.words[id.0 as usize]);
        self.line(&definition);
        let operands = [&[self.language.written(&name)], operands].concat();
        let call = self.language.call(function, &operands);
        self.line(&format!("{call};"));
        Value::Array(name)
    }

    /// A value in another width: as a word when both are, else through arrays.
    fn resized(
        &mut self,
        id: ExprId,
        of: ExprId,
        function: &str,
        from: &[String],
        signs: &[String],
    ) -> Value {
        let words = |id: ExprId| self.plan.words[id.0 as usize];
        let width = self.width(id);
        if words(id) == 1 && words(of) == 1 {
            let operands = [&[self.narrow(of)], from, &[width], signs].concat();
            return Value::Word(self.language.call(function, &operands));
        }
        let is_word = words(id) == 1;
        let source = self.array(of);
        let operands = [&[width, source], from, signs].concat();
        match self.defined(id, &format!("{function}_wide"), &operands) {
            Value::Array(name) if is_word => Value::Word(format!("{name}[0]")),
            value => value,
        }
    }

    fn concat(&mut self, id: ExprId, parts: &[ExprId]) -> Value {
        let plan = self.plan;
        if let [first, rest @ ..] = parts
            && plan.words[id.0 as usize] == 1
            && rest.len() < MAX_JOINED
        {
            let first = self.narrow(*first);
            return Value::Word(rest.iter().fold(first, |above, part| {
                self.language.call("join", &[above, self.narrow(*part), self.width(*part)])
            }));
        }
        let name = temporary(id);
        let definition = self.language.array(&name, plan.words[id.0 as usize]);
        self.line(&definition);
        let total = self.width(id);
        let mut low = Num::constant(0);
        for part in parts.iter().rev() {
            let place = [self.language.written(&name), total.clone(), plan.number(&low), self.width(*part)];
            self.put(place, *part);
            low = low + plan.function.expr(*part).width.clone();
        }
        if plan.words[id.0 as usize] == 1 { Value::Word(format!("{name}[0]")) } else { Value::Array(name) }
    }
}

fn temporary(id: ExprId) -> String {
    format!("t{}_", id.0)
}

/// The number of a rule for NaNs.
pub(crate) fn nan_rule(rule: NanRule) -> &'static str {
    match rule {
        NanRule::Open => "0",
        NanRule::First => "1",
        NanRule::SignalingFirst => "2",
    }
}

fn unary_name(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Not => "not",
        UnaryOp::Neg => "neg",
        UnaryOp::Abs => "abs",
        UnaryOp::PopCount => "popcount",
        UnaryOp::LeadingZeros => "leading_zeros",
        UnaryOp::TrailingZeros => "trailing_zeros",
    }
}

fn binary_name(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "add",
        BinaryOp::Sub => "sub",
        BinaryOp::Mul => "mul",
        BinaryOp::Div => "div",
        BinaryOp::Rem => "rem",
        BinaryOp::And => "bit_and",
        BinaryOp::Or => "bit_or",
        BinaryOp::Xor => "bit_xor",
        BinaryOp::Shl => "shl",
        BinaryOp::Shr => "shr",
        BinaryOp::Min => "min",
        BinaryOp::Max => "max",
    }
}
