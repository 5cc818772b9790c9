//! Lowering rules as patterns of MLIR in PDLL: operations of `arith` on vectors become operations of another dialect.
//!
//! ```text
//! let m0 = op<arith.addi>(x0, x1) -> (type<"vector<16xi8>">);      →   let t0 = op<autollvm.add>(x0, x1) -> …
//! ```
//!
//! `arith` has no fixed-point operations: one in a pattern is each plain expression that a proved equality says it is. Integers
//! there have no sign, so that names for the same bits are nothing. A rule with a constant is a pattern for each of its values.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use rustc_hash::FxHashMap;
use synth::program::Value;
use synth::window::{ExpressionId, Lanewise, Operator, Type, Window};

use crate::graph::{Equality, is_count};
use crate::instance::Instance;
use crate::lowering::{Lowering, constants, is_fixed};
use crate::scalar::Scalar;
use crate::sequence::{Sequence, Shape, Source, read};
use crate::text::Binds;

/// Plain expressions of one operation, at most.
const MAX_FORMS: usize = 6;

/// Fixed-point operations within each other, at most.
const MAX_DEPTH: usize = 6;

/// A vector's elements: their number, their width, and how MLIR calls them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elements {
    /// Their number.
    pub count: u32,
    /// Their width in bits.
    pub width: u32,
    /// Their type in MLIR.
    pub name: String,
}

impl Elements {
    /// Integers without a sign.
    pub fn integers(count: u32, width: u32) -> Self {
        Self { count, width, name: format!("i{width}") }
    }

    /// A vector's type in MLIR; `None` for anything else.
    ///
    /// ```
    /// let elements = rules::Elements::parse("vector<8xbf16>").expect("a vector");
    /// assert_eq!((elements.count, elements.width), (8, 16));
    /// assert!(rules::Elements::parse("i32").is_none());
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        let (count, name) = text.strip_prefix("vector<")?.strip_suffix('>')?.split_once('x')?;
        let width = name.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().ok()?;
        Some(Self { count: count.parse().ok()?, width, name: name.to_owned() })
    }

    fn bits(&self) -> u32 {
        self.count * self.width
    }

    fn text(&self) -> String {
        format!("vector<{}x{}>", self.count, self.name)
    }
}

/// An operation that does what an instruction does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DialectOperation {
    /// Its name with the dialect's.
    pub name: String,
    /// Its attributes, as MLIR writes their values.
    pub attributes: Vec<(String, String)>,
    /// Its operands: which of the instruction's registers each is.
    pub operands: Vec<(usize, Elements)>,
    /// Its result.
    pub result: Elements,
}

/// What operations of a dialect there are.
pub trait Operations {
    /// The operation that an instruction with so many registers is, for these immediates.
    fn find(&self, id: &str, registers: usize, immediates: &[i64]) -> Option<DialectOperation>;
}

/// Patterns, and what has none.
pub struct Patterns {
    /// The text of the file.
    pub text: String,
    /// The number of patterns.
    pub count: usize,
    /// Why rules have no pattern, with how many have none for that reason.
    pub left: BTreeMap<&'static str, usize>,
}

/// A plain expression.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Tree {
    Leaf(usize),
    Number(i128, u32),
    Operation { name: String, attributes: String, operands: Vec<Tree>, width: u32 },
}

impl Tree {
    fn size(&self) -> usize {
        match self {
            Tree::Leaf(_) | Tree::Number(..) => 0,
            Tree::Operation { operands, .. } => 1 + operands.iter().map(Tree::size).sum::<usize>(),
        }
    }
}

/// Fixed-point operations as plain expressions, by the operation and its type.
struct Plain<'e> {
    by_operation: FxHashMap<(Lanewise, Type), Vec<&'e Instance>>,
}

impl<'e> Plain<'e> {
    fn new(equalities: &'e [Equality]) -> Self {
        let mut by_operation: FxHashMap<_, Vec<&Instance>> = FxHashMap::default();
        for equality in equalities.iter().filter(|own| !own.reversed) {
            let own = &equality.instance;
            let Some(to) = own.to.map(|to| own.window.expressions.get(to)) else { continue };
            let free = own.conditions.is_empty()
                && own.bits.is_empty()
                && own.window.leaves.iter().all(|leaf| leaf.range.is_none());
            let plain = own.binds.iter().all(|binds| *binds == Binds::Anything);
            if let (Operator::Lanewise(operator), true, true) = (&to.operator, free, plain) {
                by_operation.entry((*operator, to.ty)).or_default().push(own);
            }
        }
        Self { by_operation }
    }

    /// What an expression is in `arith`; nothing where it has no form. `bound` says what leaves are.
    fn forms(
        &self,
        window: &Window,
        id: ExpressionId,
        bound: &dyn Fn(usize) -> Option<Tree>,
        depth: usize,
    ) -> Vec<Tree> {
        let node = window.expressions.get(id);
        let operator = match &node.operator {
            Operator::Leaf(leaf) => return bound(*leaf).into_iter().collect(),
            Operator::Literal(value) => return vec![Tree::Number(*value, node.ty.width)],
            Operator::Lanewise(operator) => *operator,
            _ => return Vec::new(),
        };
        let mut all: Vec<Vec<Tree>> = vec![Vec::new()];
        for (at, operand) in node.operands.iter().enumerate() {
            let mut own = self.forms(window, *operand, bound, depth);
            if is_count(&node.operator, at) {
                // A count is a number of the value's type.
                for form in &mut own {
                    if let Tree::Number(_, width) = form {
                        *width = node.ty.width;
                    }
                }
            }
            let with = |before: &Vec<Tree>| {
                let add = |form: &Tree| before.iter().cloned().chain([form.clone()]).collect::<Vec<_>>();
                own.iter().map(add).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(with).take(MAX_FORMS).collect();
        }
        let types: Vec<Type> = node.operands.iter().map(|own| window.expressions.ty(*own)).collect();
        let mut made: Vec<Tree> = Vec::new();
        for operands in all {
            match arith(operator, node.ty, &types, &operands) {
                Some(tree) => made.push(tree),
                None if depth < MAX_DEPTH => {
                    for equality in self.by_operation.get(&(operator, node.ty)).into_iter().flatten() {
                        made.extend(self.expanded(equality, &types, &operands, depth + 1));
                    }
                }
                None => {}
            }
        }
        made.dedup();
        made.truncate(MAX_FORMS);
        made
    }

    /// An operation on these operands by an equality.
    fn expanded(&self, equality: &Instance, types: &[Type], operands: &[Tree], depth: usize) -> Vec<Tree> {
        let Some(to) = equality.to else { return Vec::new() };
        let to = equality.window.expressions.get(to);
        let mut bound: BTreeMap<usize, Tree> = BTreeMap::new();
        for ((own, ty), tree) in to.operands.iter().zip(types).zip(operands) {
            let own = equality.window.expressions.get(*own);
            let fits = match (&own.operator, tree) {
                (Operator::Leaf(leaf), tree) if own.ty == *ty => {
                    bound.insert(*leaf, tree.clone()).is_none_or(|known| known == *tree)
                }
                (Operator::Literal(value), Tree::Number(number, _)) => value == number,
                _ => false,
            };
            if !fits {
                return Vec::new();
            }
        }
        self.forms(&equality.window, equality.window.root, &|leaf| bound.get(&leaf).cloned(), depth)
    }
}

/// An operation of `arith` or `math`; `None` where there is none.
fn arith(operator: Lanewise, ty: Type, types: &[Type], operands: &[Tree]) -> Option<Tree> {
    let own = types.first().copied()?;
    let signed = own.is_signed();
    let choose = |yes: &'static str, no: &'static str| if signed { yes } else { no };
    let same = types.iter().all(|other| (other.kind, other.width) == (own.kind, own.width));
    let mut attributes = String::new();
    let name = match operator {
        Lanewise::Add => "arith.addi",
        Lanewise::Sub => "arith.subi",
        Lanewise::Mul => "arith.muli",
        Lanewise::And => "arith.andi",
        Lanewise::Or => "arith.ori",
        Lanewise::Xor => "arith.xori",
        Lanewise::Min if same => choose("arith.minsi", "arith.minui"),
        Lanewise::Max if same => choose("arith.maxsi", "arith.maxui"),
        Lanewise::ShiftLeft => "arith.shli",
        Lanewise::ShiftRight => choose("arith.shrsi", "arith.shrui"),
        Lanewise::Cast | Lanewise::Reinterpret if own.width == ty.width => return operands.first().cloned(),
        Lanewise::Cast if own.width > ty.width => "arith.trunci",
        Lanewise::Cast => choose("arith.extsi", "arith.extui"),
        Lanewise::Abs if own.width == ty.width && signed => "math.absi",
        Lanewise::Select => "arith.select",
        Lanewise::Eq | Lanewise::Ne | Lanewise::Lt | Lanewise::Le if same => {
            // The numbers of the predicates of `arith.cmpi`.
            let predicate = match operator {
                Lanewise::Eq => 0,
                Lanewise::Ne => 1,
                Lanewise::Lt => 2 + 4 * u32::from(!signed),
                _ => 3 + 4 * u32::from(!signed),
            };
            let _ = write!(attributes, " {{predicate = attr<\"{predicate} : i64\">}}");
            "arith.cmpi"
        }
        _ => return None,
    };
    let counted = matches!(operator, Lanewise::ShiftLeft | Lanewise::ShiftRight);
    let widths = types.iter().all(|other| other.width == ty.width);
    let plain = counted || matches!(operator, Lanewise::Cast | Lanewise::Select) || !attributes.is_empty();
    (plain || widths).then(|| Tree::Operation {
        name: name.to_owned(),
        attributes,
        operands: operands.to_vec(),
        width: ty.width,
    })
}

/// The lines of a pattern.
struct Matched<'a> {
    lanes: u32,
    leaves: &'a [(String, Elements)],
    lines: Vec<String>,
    next: usize,
}

impl Matched<'_> {
    fn value(&mut self, tree: &Tree) -> String {
        let ty = |width| Elements::integers(self.lanes, width).text();
        let (name, attributes, operands, width) = match tree {
            Tree::Leaf(leaf) => return self.leaves[*leaf].0.clone(),
            Tree::Number(value, width) => {
                let attributes = format!(" {{value = attr<\"{}\">}}", dense(*value, &ty(*width), *width));
                ("arith.constant", attributes, String::new(), *width)
            }
            Tree::Operation { name, attributes, operands, width } => {
                let all: Vec<String> = operands.iter().map(|operand| self.value(operand)).collect();
                (name.as_str(), attributes.clone(), all.join(", "), *width)
            }
        };
        let made = format!("m{}", self.next);
        self.next += 1;
        let ty = Elements::integers(self.lanes, width).text();
        self.lines.push(format!("let {made} = op<{name}>({operands}){attributes} -> (type<\"{ty}\">);"));
        made + ".0"
    }
}

/// A number in all elements.
fn dense(value: i128, ty: &str, width: u32) -> String {
    // As the same bits in two's complement.
    let half = 1i128 << (width - 1);
    let shown = (value + half).rem_euclid(2 * half) - half;
    format!("dense<{shown}> : {ty}")
}

/// The lines of a rewrite.
struct Rewrite {
    lines: Vec<String>,
    next: usize,
}

/// A value of the rewrite.
type Made = (String, Elements);

impl Rewrite {
    fn push(&mut self, operation: &str, operands: &[&str], attributes: &str, ty: &Elements) -> Made {
        let name = format!("t{}", self.next);
        self.next += 1;
        self.lines.push(format!(
            "let {name} = op<{operation}>({}){attributes} -> (type<\"{}\">);",
            operands.join(", "),
            ty.text()
        ));
        (name + ".0", ty.clone())
    }

    /// The same bits as other elements.
    fn cast(&mut self, value: Made, ty: &Elements) -> Option<Made> {
        if value.1 == *ty {
            return Some(value);
        }
        (value.1.bits() == ty.bits()).then(|| self.push("vector.bitcast", &[&value.0], "", ty))
    }

    /// Bits of a value, a run of whole elements of 8 bits or more.
    fn part(&mut self, value: Made, low: u32, bits: u32) -> Option<Made> {
        if low == 0 && bits == value.1.bits() {
            return Some(value);
        }
        let width = value.1.width;
        let value = match low.is_multiple_of(width) && bits.is_multiple_of(width) {
            true => value,
            false if value.1.bits() % 8 == 0 => {
                let bytes = Elements::integers(value.1.bits() / 8, 8);
                self.cast(value, &bytes)?
            }
            false => return None,
        };
        let (width, ty) = (value.1.width, Elements { count: bits / value.1.width, ..value.1.clone() });
        let attributes = format!(
            " {{offsets = attr<\"[{}]\">, sizes = attr<\"[{}]\">, strides = attr<\"[1]\">}}",
            low / width,
            ty.count
        );
        Some(self.push("vector.extract_strided_slice", &[&value.0], &attributes, &ty))
    }

    /// Two values of one size as one, the first in the lowest elements.
    fn joined(&mut self, low: Made, high: Made) -> Option<Made> {
        let high = self.cast(high, &low.1)?;
        let ty = Elements { count: 2 * low.1.count, ..low.1.clone() };
        let mask: Vec<String> = (0..ty.count).map(|lane| lane.to_string()).collect();
        let attributes = format!(" {{mask = attr<\"[{}]\">}}", mask.join(", "));
        Some(self.push("vector.shuffle", &[&low.0, &high.0], &attributes, &ty))
    }
}

/// Where a rule is used: its pattern with literals for constants, and their values.
struct Place<'a> {
    rule: &'a Lowering,
    widths: &'a [u32],
    literals: &'a BTreeMap<usize, i128>,
    leaves: &'a [(String, Elements)],
    operations: &'a dyn Operations,
}

impl Place<'_> {
    fn constant(&self, name: &str) -> Option<i128> {
        let at = self.rule.pattern.window.leaves.iter().position(|leaf| leaf.name == name)?;
        self.literals.get(&at).copied()
    }

    /// The lines that compute the result from the leaves, and its name.
    fn rewrite(&self) -> Result<(Vec<String>, String), &'static str> {
        let window = &self.rule.pattern.window;
        let sequence: &Sequence = &self.rule.sequence;
        let mut made = Rewrite { lines: Vec::new(), next: 0 };
        let mut inputs: Vec<Made> = Vec::new();
        for input in &sequence.inputs {
            inputs.push(match input {
                Source::Variable { variable, register } => {
                    let at = window.leaves.iter().position(|leaf| leaf.name == *variable);
                    let leaf = at.map(|at| self.leaves[at].clone()).ok_or("a name that is not there")?;
                    let shape = Shape::of(self.rule.lanes, leaf.1.width, self.widths);
                    let shape = shape.filter(|own| own.count * own.width == leaf.1.bits());
                    let shape = shape.ok_or("values that do not fill registers")?;
                    let part = made.part(leaf, register * shape.width, shape.width);
                    part.ok_or("registers that are no whole elements")?
                }
                Source::Constant { ty, container, lanes } => {
                    let width: u32 = ty.get(1..).and_then(|width| width.parse().ok()).unwrap_or(0);
                    if !ty.starts_with('v') || *container > 64 || width % container != 0 {
                        return Err("constants that are no vectors");
                    }
                    let number = |lane: &Scalar| match lane {
                        Scalar::Number(number) => number.value(&|name| self.constant(name)),
                        _ => None,
                    };
                    let numbers: Option<Vec<i128>> = lanes.iter().map(number).collect();
                    let numbers = numbers.ok_or("constants that are computed from scalars")?;
                    let ty = Elements::integers(width / container, *container);
                    let value = match &numbers[..] {
                        [one] => dense(*one, &ty.text(), *container),
                        several => {
                            let half = 1i128 << (container - 1);
                            let own = |value: &i128| ((value + half).rem_euclid(2 * half) - half).to_string();
                            let all: Vec<String> = several.iter().map(own).collect();
                            format!("dense<[{}]> : {}", all.join(", "), ty.text())
                        }
                    };
                    made.push("arith.constant", &[], &format!(" {{value = attr<\"{value}\">}}"), &ty)
                }
            });
        }
        let mut steps: Vec<Made> = Vec::new();
        for step in &sequence.steps {
            let mut immediates = Vec::new();
            for number in &step.immediates {
                let value = number.value(&|name| self.constant(name));
                immediates.push(
                    value.and_then(|value| i64::try_from(value).ok()).ok_or("immediates beyond 64 bits")?,
                );
            }
            let operation = self.operations.find(&step.id, step.operands.len(), &immediates);
            let operation =
                operation.ok_or("instructions that are no operation of the dialect at vectors")?;
            let mut operands = Vec::new();
            for (register, ty) in &operation.operands {
                let value =
                    step.operands.get(*register).and_then(|text| read(text, inputs.len(), steps.len()));
                let value = value.and_then(|value| value_of(&mut made, &value, &inputs, &steps));
                let value = value.ok_or("registers that are no whole elements")?;
                // An operation takes as much of a register as it reads.
                if value.1.bits() < ty.bits() {
                    return Err("registers that are no whole elements");
                }
                let value = made.part(value, 0, ty.bits()).and_then(|value| made.cast(value, ty));
                operands.push(value.ok_or("registers that are no whole elements")?.0);
            }
            let attributes: Vec<String> = operation
                .attributes
                .iter()
                .map(|(name, value)| format!("{name} = attr<\"{}\">", value.replace('"', "\\\"")))
                .collect();
            let attributes = match attributes.is_empty() {
                true => String::new(),
                false => format!(" {{{}}}", attributes.join(", ")),
            };
            let operands: Vec<&str> = operands.iter().map(String::as_str).collect();
            steps.push(made.push(&operation.name, &operands, &attributes, &operation.result));
        }
        let mut outputs: Vec<Made> = Vec::new();
        for output in &sequence.outputs {
            let value = read(output, inputs.len(), steps.len());
            let value = value.and_then(|value| value_of(&mut made, &value, &inputs, &steps));
            outputs.push(value.ok_or("registers that are no whole elements")?);
        }
        while outputs.len() > 1 {
            let mut joined = Vec::new();
            for two in outputs.chunks(2) {
                let [low, high] = two else { return Err("an odd number of registers") };
                joined.push(made.joined(low.clone(), high.clone()).ok_or("registers of different widths")?);
            }
            outputs = joined;
        }
        let result = Elements::integers(self.rule.lanes, window.ty().width);
        let value = outputs.pop().ok_or("no result")?;
        if value.1.bits() < result.bits() {
            return Err("values that do not fill registers");
        }
        let value = made.part(value, 0, result.bits()).and_then(|value| made.cast(value, &result));
        let value = value.ok_or("values that do not fill registers")?;
        Ok((made.lines, value.0))
    }
}

fn value_of(made: &mut Rewrite, value: &Value, inputs: &[Made], steps: &[Made]) -> Option<Made> {
    let mut half = |pair: &Value, high: u32| {
        let whole = value_of(made, pair, inputs, steps)?;
        let bits = whole.1.bits() / 2;
        made.part(whole, high * bits, bits)
    };
    match value {
        Value::Input(at) => inputs.get(*at).cloned(),
        Value::Step(at) => steps.get(*at).cloned(),
        Value::Low(pair) => half(pair, 0),
        Value::High(pair) => half(pair, 1),
        Value::Pair(two) => {
            let (low, high) =
                (value_of(made, &two.0, inputs, steps)?, value_of(made, &two.1, inputs, steps)?);
            made.joined(low, high)
        }
    }
}

/// The rules' patterns, the larger ones first by their benefit. Of patterns that match the same, that of the cheapest rule is kept.
pub fn pdll(
    equalities: &[Equality],
    lowerings: &[Lowering],
    widths: &[u32],
    operations: &dyn Operations,
) -> Patterns {
    let plain = Plain::new(equalities);
    let mut left: BTreeMap<&'static str, usize> = BTreeMap::new();
    let mut found: BTreeMap<String, (u32, String)> = BTreeMap::new();
    let mut skip = |why: &'static str| *left.entry(why).or_insert(0) += 1;
    for rule in lowerings {
        let own = &rule.pattern;
        let values = own.binds.iter().zip(&own.window.leaves);
        let on_values = values.clone().any(|(binds, leaf)| *binds != Binds::Constant && leaf.range.is_some());
        if is_fixed(own) || own.binds.contains(&Binds::Uniform) || on_values {
            skip("patterns of scalars, or with conditions on values");
            continue;
        }
        let mut chosen: Vec<BTreeMap<usize, i128>> = vec![BTreeMap::new()];
        for at in constants(own) {
            let leaf = &own.window.leaves[at];
            let (low, high) = leaf.range.unwrap_or((0, i128::from(leaf.ty.width) - 1));
            let with = |before: &BTreeMap<usize, i128>| {
                (low..=high.min(low + 63))
                    .map(|value| before.iter().map(|(at, own)| (*at, *own)).chain([(at, value)]).collect())
                    .collect::<Vec<BTreeMap<_, _>>>()
            };
            chosen = chosen.iter().flat_map(with).collect();
        }
        for literals in chosen {
            let leaves: Vec<(String, Elements)> = own
                .window
                .leaves
                .iter()
                .enumerate()
                .map(|(at, leaf)| (format!("x{at}"), Elements::integers(rule.lanes, leaf.ty.width)))
                .collect();
            let bound = |leaf: usize| match literals.get(&leaf) {
                Some(value) => Some(Tree::Number(*value, own.window.leaves[leaf].ty.width)),
                None => Some(Tree::Leaf(leaf)),
            };
            let forms = plain.forms(&own.window, own.window.root, &bound, 0);
            if forms.iter().all(|form| form.size() == 0) {
                skip("operations that have no plain expression");
                continue;
            }
            let place = Place { rule, widths, literals: &literals, leaves: &leaves, operations };
            let (lines, result) = match place.rewrite() {
                Ok(made) => made,
                Err(why) => {
                    skip(why);
                    continue;
                }
            };
            for form in forms.iter().filter(|form| form.size() > 0) {
                let mut matched = Matched { lanes: rule.lanes, leaves: &leaves, lines: Vec::new(), next: 0 };
                matched.value(form);
                // The last line makes the root.
                if let Some(last) = matched.lines.last_mut() {
                    let made = format!("let m{} =", matched.next - 1);
                    *last = last.replacen(&made, "let root =", 1);
                }
                let mut text = String::new();
                for (at, (name, ty)) in leaves.iter().enumerate() {
                    if !literals.contains_key(&at) {
                        let _ = writeln!(text, "  let {name}: Value<type<\"{}\">>;", ty.text());
                    }
                }
                for line in &matched.lines {
                    let _ = writeln!(text, "  {line}");
                }
                let mut rewrite = String::from("  rewrite root with {\n");
                for line in &lines {
                    let _ = writeln!(rewrite, "    {line}");
                }
                let _ = writeln!(rewrite, "    replace root with {result};\n  }};");
                let heading = format!("// {} ({}), {} µops\n", rule.name, own.shown(), rule.cost.uops);
                let size = form.size();
                let cost = 1000 * rule.cost.uops + rule.cost.latency;
                let key = format!("{:04}\n{text}", 9999 - size.min(9999));
                let benefit = format!("with benefit({size})");
                let whole = format!("{heading}Pattern NAME {benefit} {{\n{text}{rewrite}}}\n");
                match found.get(&key) {
                    Some((known, _)) if *known <= cost => {}
                    _ => {
                        found.insert(key, (cost, whole));
                    }
                }
            }
        }
    }
    let mut text = String::from("// Patterns of rules that were found and proved; for mlir-pdll.\n");
    for (why, count) in &left {
        let _ = writeln!(text, "// Without a pattern: {count} with {why}.");
    }
    for (at, (_, whole)) in found.values().enumerate() {
        let _ = write!(text, "\n{}", whole.replacen("Pattern NAME", &format!("Pattern Rule{at}"), 1));
    }
    Patterns { text, count: found.len(), left }
}
