//! The body of a model: a function's statements as Rust.
//!
//! Every expression becomes an integer, read signed or unsigned as its users want it, in the smallest Rust type that
//! holds its width. Where the ranges show that an operator cannot leave that type, it is Rust's own; elsewhere it is
//! the one that wraps.

use std::collections::HashMap;

use hydride_ir::passes::without_trivial;
use hydride_ir::{Atom, Bits, ExprId, Function, IndexId, Num, Op, ResultId, Stmt};

use super::layout::{Layout, Shape};
use super::native::{Code, Native, PRODUCT, SHIFT, SUM, Value};
use super::ranges::Ranges;
use super::split::split;

/// Longer expressions get a name.
const MAX_INLINE: usize = 88;

/// Names of indices, outermost loops first.
const INDICES: [&str; 12] = ["i", "j", "l", "m", "n", "p", "q", "r", "s", "u", "v", "w"];

/// Why a function has no readable model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unreadable(pub(super) String);

/// The lines, with their indentation, of a function over operands of these types, whose names are `args` and `results`.
pub(super) fn body(
    function: &Function,
    layout: &Layout,
    args: &[String],
    results: &[String],
) -> Result<Vec<String>, Unreadable> {
    let element = |result: ResultId| layout.results[result.0 as usize].element().bits;
    let function = split(&without_trivial(function), element);
    let ranges = Ranges::new(&function).ok_or_else(|| Unreadable("a count is no constant".into()))?;
    let mut writer = Writer {
        function: &function,
        ranges,
        layout,
        args,
        results,
        indices: HashMap::new(),
        depth: 0,
        scopes: vec![HashMap::new()],
        lines: Vec::new(),
        indent: 1,
        names: 0,
        tables: Vec::new(),
    };
    writer.results()?;
    Ok(writer.lines)
}

/// What an expression's value is called.
#[derive(Clone)]
pub(super) struct Named {
    pub(super) name: String,
    /// How it is read.
    pub(super) signed: bool,
}

pub(super) struct Writer<'f> {
    pub(super) function: &'f Function,
    pub(super) ranges: Ranges<'f>,
    pub(super) layout: &'f Layout,
    pub(super) args: &'f [String],
    results: &'f [String],
    indices: HashMap<IndexId, String>,
    depth: usize,
    /// The named values of each open block, outermost first.
    scopes: Vec<HashMap<ExprId, Named>>,
    lines: Vec<String>,
    indent: usize,
    /// Names given so far.
    names: usize,
    /// Constant tables of bytes or words, and their names.
    tables: Vec<(Bits, u32, String)>,
}

impl Writer<'_> {
    /// The definitions of the results, the statements and the value that is returned.
    fn results(&mut self) -> Result<(), Unreadable> {
        let whole = self.whole();
        for (place, (shape, name)) in self.layout.results.iter().zip(self.results).enumerate() {
            match shape {
                _ if whole.contains(&place) => {}
                Shape::Lanes { element, count } => {
                    self.line(format!("let mut {name} = [0{element}; {count}];"));
                }
                shape => self.line(format!("let mut {name} = 0{};", shape.element())),
            }
        }
        let function = self.function;
        self.statements(&function.body, &whole)?;
        let tables = self.tables.iter().map(|(bits, width, name)| table(bits, *width, name));
        let tables: Vec<String> = tables.collect();
        self.lines.splice(0..0, tables);
        let results = self.results.join(", ");
        self.line(if self.results.len() == 1 { results } else { format!("({results})") });
        Ok(())
    }

    /// The scalar results that one statement outside of loops writes.
    fn whole(&self) -> Vec<usize> {
        let mut whole = Vec::new();
        for statement in &self.function.body {
            if let Stmt::Assign { result, value, .. } = statement {
                let place = result.0 as usize;
                let width = super::ranges::constant_width(&self.function.result(*result).width);
                let scalar = matches!(self.layout.results[place], Shape::Scalar(_));
                if scalar && self.ranges.width(*value) == width {
                    whole.push(place);
                }
            }
        }
        whole
    }

    pub(super) fn line(&mut self, line: String) {
        self.lines.push(format!("{:indent$}{line}", "", indent = 4 * self.indent));
    }

    fn statements(&mut self, body: &[Stmt], whole: &[usize]) -> Result<(), Unreadable> {
        for statement in body {
            match statement {
                Stmt::For { index, body, .. } => {
                    let name = self.enter(*index);
                    self.line(format!("for {name} in 0..{} {{", self.ranges.count(*index)));
                    let head = self.lines.len();
                    self.indent += 1;
                    self.scopes.push(HashMap::new());
                    self.statements(body, whole)?;
                    self.scopes.pop();
                    self.indent -= 1;
                    if self.lines.len() == head {
                        self.lines.pop();
                    } else {
                        self.line("}".into());
                    }
                    self.leave();
                }
                Stmt::Assign { result, low, value } => {
                    let start = self.lines.len();
                    let known = self.scopes.last().cloned().unwrap_or_default();
                    self.name_shared(*value);
                    self.assign(*result, low, *value, whole.contains(&(result.0 as usize)))?;
                    self.drop_unused(start);
                    // Whether a name is needed is known only now, so that the next statement has its own.
                    if let Some(scope) = self.scopes.last_mut() {
                        *scope = known;
                    }
                }
            }
        }
        Ok(())
    }

    /// Names the index of a loop or fold that is entered.
    pub(super) fn enter(&mut self, index: IndexId) -> String {
        let taken = |name: &str| self.args.iter().chain(self.results).any(|other| other == name);
        let names = INDICES.iter().filter(|name| !taken(name));
        let name = names.skip(self.depth).map(|name| (*name).to_owned()).next();
        let name = name.unwrap_or_else(|| format!("index_{}", self.depth));
        self.depth += 1;
        self.indices.insert(index, name.clone());
        name
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Removes definitions after line `start` of names that nothing reads.
    fn drop_unused(&mut self, start: usize) {
        let mut at = self.lines.len();
        while at > start {
            at -= 1;
            let Some(name) = defined(&self.lines[at]) else { continue };
            let read = self.lines[at + 1..].iter().any(|line| mentions(line, name));
            if !read {
                self.lines.remove(at);
            }
        }
    }

    pub(super) fn named(&self, id: ExprId) -> Option<&Named> {
        self.scopes.iter().rev().find_map(|scope| scope.get(&id))
    }

    /// Names what a value uses more than once, and long parts of it.
    fn name_shared(&mut self, root: ExprId) {
        let mut uses: HashMap<ExprId, usize> = HashMap::new();
        let mut pending = vec![root];
        while let Some(id) = pending.pop() {
            let op = &self.function.expr(id).op;
            if self.named(id).is_some() || matches!(op, Op::Fold { .. }) {
                continue;
            }
            for operand in op.operands() {
                let count = uses.entry(operand).or_insert(0);
                *count += 1;
                if *count == 1 {
                    pending.push(operand);
                }
            }
        }
        let mut shared: Vec<(ExprId, usize)> = uses.into_iter().collect();
        shared.sort_unstable();
        for (id, count) in shared {
            let (width, op) = (self.ranges.width(id), &self.function.expr(id).op);
            let plain = matches!(op, Op::Arg(_) | Op::Const(_) | Op::Int(_) | Op::Concat(_));
            if !(1..=128).contains(&width) || plain || self.named(id).is_some() {
                continue;
            }
            let signed = width > 1 && self.natural(id);
            let written =
                if width == 1 { self.condition(id) } else { self.value(id, signed).map(|v| v.code) };
            // What cannot be written alone is perhaps not needed alone.
            let Ok(code) = written else { continue };
            if code.is_simple() || (count == 1 && code.len() <= MAX_INLINE) || (count > 1 && code.len() < 12)
            {
                continue;
            }
            let name = self.fresh_name();
            let typed = if width == 1 {
                "bool".to_owned()
            } else {
                Native::holding(width, signed).map_or_else(String::new, |native| native.to_string())
            };
            self.line(format!("let {name}: {typed} = {};", code.whole()));
            if let Some(scope) = self.scopes.last_mut() {
                scope.insert(id, Named { name, signed });
            }
        }
    }

    fn fresh_name(&mut self) -> String {
        loop {
            self.names += 1;
            let name = format!("t{}", self.names);
            if !self.args.iter().chain(self.results).any(|other| *other == name) {
                return name;
            }
        }
    }

    /// A block of its own for the body of a fold: definitions, and the value that `write` gives.
    pub(super) fn block(
        &mut self,
        body: ExprId,
        write: impl FnOnce(&mut Self) -> Result<Code, Unreadable>,
    ) -> Result<Code, Unreadable> {
        let around = std::mem::take(&mut self.lines);
        let indent = std::mem::take(&mut self.indent);
        self.scopes.push(HashMap::new());
        self.name_shared(body);
        let code = write(self);
        self.scopes.pop();
        self.indent = indent;
        if let Ok(code) = &code {
            self.lines.push(code.whole());
            self.drop_unused(0);
            self.lines.pop();
        }
        let own = std::mem::replace(&mut self.lines, around);
        let code = code?;
        if own.is_empty() {
            return Ok(code);
        }
        Ok(Code::name(format!("{{ {} {} }}", own.join(" "), code.typed_at(0))))
    }

    fn assign(&mut self, result: ResultId, low: &Num, value: ExprId, whole: bool) -> Result<(), Unreadable> {
        let place = result.0 as usize;
        let (shape, name) = (&self.layout.results[place], self.results[place].clone());
        let width = self.ranges.width(value);
        let element = shape.element();
        if whole {
            let value = self.value_in(value, element.signed && width == element.bits, element)?;
            self.line(format!("let {name} = {};", value.code.typed_at(0)));
            return Ok(());
        }
        // Results begin as zeros.
        if matches!(&self.function.expr(value).op, Op::Const(bits) if bits.words().iter().all(|word| *word == 0))
        {
            return Ok(());
        }
        let is_array = matches!(shape, Shape::Lanes { .. });
        let grid = i64::from(element.bits);
        let values = self.values(low)?;
        let lane = |writer: &Self| match is_array {
            true => format!("{name}[{}]", writer.quotient(low, grid).whole()),
            false => name.clone(),
        };
        if width == element.bits && values.iter().all(|low| low % grid == 0) {
            let value = self.value(value, element.signed)?.converted(element);
            let lane = lane(self);
            self.line(format!("{lane} = {};", value.code.whole()));
            return Ok(());
        }
        if values.iter().all(|low| low % grid + i64::from(width) <= grid) {
            let value = self.value_in(value, false, element)?;
            let bits = self.shifted(&value.code, low, grid)?;
            let lane = lane(self);
            self.line(format!("{lane} |= {};", bits.whole()));
            return Ok(());
        }
        if is_array
            && width > element.bits
            && values.iter().all(|low| low % grid == 0)
            && width.is_multiple_of(element.bits)
        {
            let bits = self.value(value, false)?;
            let parts = self.fresh_name();
            self.line(format!("let {parts}: {} = {};", bits.native, bits.code.whole()));
            let first = self.quotient(low, grid);
            for part in 0..width / element.bits {
                let lane = match (first.as_literal(), part) {
                    (_, 0) => first.whole(),
                    (Some(digits), part) => (digits.parse::<u32>().unwrap_or(0) + part).to_string(),
                    (None, part) => format!("{} + {part}", first.at(SUM)),
                };
                let moved =
                    if part == 0 { parts.clone() } else { format!("({parts} >> {})", part * element.bits) };
                self.line(format!("{name}[{lane}] = {moved} as {element};"));
            }
            return Ok(());
        }
        if let (true, Some(low)) = (is_array, low.as_constant()) {
            let bits = self.value(value, false)?;
            let parts = self.fresh_name();
            self.line(format!("let {parts}: {} = {};", bits.native, bits.code.whole()));
            for lane in low / grid..=(low + i64::from(width) - 1) / grid {
                let moved = match lane * grid - low {
                    0 => parts.clone(),
                    down @ 1.. => format!("({parts} >> {down})"),
                    up => format!("({parts} << {})", -up),
                };
                self.line(format!("{name}[{lane}] |= {moved} as {element};"));
            }
            return Ok(());
        }
        Err(Unreadable(format!("a write of {width} bits across elements of {}", element.bits)))
    }

    /// A value moved to where a position lies in its element of `grid` bits.
    fn shifted(&self, value: &Code, low: &Num, grid: i64) -> Result<Code, Unreadable> {
        let offset = self.remainder(low, grid)?;
        if offset.as_literal() == Some("0") {
            return Ok(value.clone());
        }
        Ok(Code::binary(value, "<<", &offset, SHIFT))
    }

    /// All values of a number.
    pub(super) fn values(&self, num: &Num) -> Result<Vec<i64>, Unreadable> {
        self.ranges.values(num).ok_or_else(|| Unreadable("a position has too many values".into()))
    }

    /// A number that is not negative as a `usize`.
    pub(super) fn position(&self, num: &Num) -> Code {
        if let Some(constant) = num.as_constant() {
            return index_literal(constant);
        }
        let product = |atoms: &[Atom], factor: u64| {
            let names = atoms.iter().map(|atom| match atom {
                Atom::Index(index) => self.indices.get(index).cloned().unwrap_or_default(),
                Atom::Param(_) => String::new(),
            });
            let factors: Vec<String> =
                (factor != 1).then(|| factor.to_string()).into_iter().chain(names).collect();
            Code::new(factors.join(" * "), if factors.len() > 1 { PRODUCT } else { super::native::POSTFIX })
        };
        let (added, taken): (Vec<_>, Vec<_>) = num.terms().partition(|(_, coefficient)| *coefficient > 0);
        let mut terms: Vec<Code> =
            added.iter().map(|(atoms, coefficient)| product(atoms, coefficient.unsigned_abs())).collect();
        let constant = num.constant_part();
        if constant > 0 {
            // Before what is subtracted, so that no intermediate sum is negative.
            let at = if taken.is_empty() { terms.len() } else { 0 };
            terms.insert(at, index_literal(constant));
        }
        let mut minus: Vec<Code> =
            taken.iter().map(|(atoms, coefficient)| product(atoms, coefficient.unsigned_abs())).collect();
        if constant < 0 {
            minus.push(index_literal(-constant));
        }
        let mut terms = terms.into_iter();
        let first = terms.next().unwrap_or_else(|| index_literal(0));
        let sum = terms.fold(first, |sum, term| Code::binary(&sum, "+", &term, SUM));
        minus.iter().fold(sum, |sum, term| Code::binary(&sum, "-", term, SUM))
    }

    /// `num / grid`.
    pub(super) fn quotient(&self, num: &Num, grid: i64) -> Code {
        if let Some(quotient) = num.divide(grid) {
            return self.position(&quotient);
        }
        let (multiple, rest) = parts_by(num, grid);
        let inside = self
            .ranges
            .values(&rest)
            .is_some_and(|values| values.iter().all(|rest| (0..grid).contains(rest)));
        match multiple.divide(grid).filter(|_| inside) {
            Some(quotient) => self.position(&quotient),
            None => Code::binary(&self.position(num), "/", &index_literal(grid), PRODUCT),
        }
    }

    /// `num % grid`.
    pub(super) fn remainder(&self, num: &Num, grid: i64) -> Result<Code, Unreadable> {
        let values = self.values(num)?;
        let first = values.first().map_or(0, |value| value % grid);
        if values.iter().all(|value| value % grid == first) {
            return Ok(index_literal(first));
        }
        let (_, rest) = parts_by(num, grid);
        if self.values(&rest)?.iter().all(|rest| (0..grid).contains(rest)) {
            return Ok(self.position(&rest));
        }
        Ok(Code::binary(&self.position(num), "%", &index_literal(grid), PRODUCT))
    }

    /// The name of a table with a literal's elements of `width` bits.
    pub(super) fn table(&mut self, bits: &Bits, width: u32) -> String {
        if let Some((_, _, name)) = self.tables.iter().find(|(known, own, _)| known == bits && *own == width)
        {
            return name.clone();
        }
        let name = match self.tables.len() {
            0 => "TABLE".to_owned(),
            number => format!("TABLE_{number}"),
        };
        self.tables.push((bits.clone(), width, name.clone()));
        name
    }
}

/// A literal for an index or a shift count.
pub(super) fn index_literal(value: i64) -> Code {
    Native { signed: false, bits: 64 }.literal(&value.to_string()).retyped("usize")
}

/// A number as a sum: the terms that are multiples of `grid` whatever the indices are, and the rest.
fn parts_by(num: &Num, grid: i64) -> (Num, Num) {
    let constant = num.constant_part();
    let mut parts =
        (Num::constant(constant - constant.rem_euclid(grid)), Num::constant(constant.rem_euclid(grid)));
    for (atoms, coefficient) in num.terms() {
        let factors = atoms.iter().map(|atom| match atom {
            Atom::Index(index) => Num::index(*index),
            Atom::Param(param) => Num::param(*param),
        });
        let term = factors.fold(Num::constant(coefficient), |product, factor| product * factor);
        if coefficient % grid == 0 {
            parts.0 = parts.0 + term;
        } else {
            parts.1 = parts.1 + term;
        }
    }
    parts
}

/// The elements that a table has.
pub(super) fn table_len(bits: &Bits, width: u32) -> u32 {
    bits.width().div_ceil(width)
}

fn table(bits: &Bits, width: u32, name: &str) -> String {
    let count = table_len(bits, width);
    let element = |at: u32| {
        (0..width).fold(0u64, |sum, bit| {
            let place = at * width + bit;
            sum | u64::from(place < bits.width() && bits.bit(place)) << bit
        })
    };
    let elements: Vec<String> = (0..count).map(|at| format!("{:#x}", element(at))).collect();
    let mut text = format!("    const {name}: [u{width}; {count}] = [\n");
    for row in elements.chunks(12) {
        text += &format!("        {},\n", row.join(", "));
    }
    text + "    ];"
}

/// The name that a line defines.
fn defined(line: &str) -> Option<&str> {
    let (name, _) = line.trim_start().strip_prefix("let ")?.split_once(':')?;
    name.strip_prefix('t').filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
    Some(name)
}

fn mentions(line: &str, name: &str) -> bool {
    line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).any(|word| word == name)
}

/// The value of an expression in a type of the same sign that holds it.
pub(super) fn native(width: u32, signed: bool) -> Result<Native, Unreadable> {
    Native::holding(width, signed)
        .filter(|_| width > 0)
        .ok_or_else(|| Unreadable(format!("a value of {width} bits")))
}

/// The low `width` bits of a value as a number of that width.
pub(super) fn reduced(value: &Value, width: u32, signed: bool) -> Result<Value, Unreadable> {
    let to = native(width, signed)?;
    let low = value.truncated(to);
    if to.bits == width {
        return Ok(low);
    }
    let code = if signed {
        let up = Code::new((to.bits - width).to_string(), super::native::POSTFIX);
        let up_shifted = Code::binary(&low.code, "<<", &up, SHIFT);
        Code::binary(&up_shifted, ">>", &up, SHIFT)
    } else {
        let mask = Code::new(format!("{:#x}", u128::MAX >> (128 - width)), super::native::POSTFIX);
        Code::binary(&low.code, "&", &mask, super::native::BIT_AND)
    };
    Ok(Value { code, native: to })
}
