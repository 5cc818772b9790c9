//! Lowering rules as patterns of MLIR in PDLL: operations of `arith` on vectors become operations of another dialect.
//!
//! ```text
//! let m0 = op<arith.addi>(x0, x1) -> (type<"vector<16xi8>">);      →   let t0 = op<autollvm.add>(x0, x1) -> …
//! ```
//!
//! What a rule's expression is there, `arith.rs` says. A rule with a constant is a pattern for each of its values.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use synth::program::Value;
use synth::window::Leaf;

use crate::arith::{Lane, Plain, Reading, Tree};
use crate::graph::Equality;
use crate::lowering::{Lowering, constants, is_fixed};
use crate::scalar::Scalar;
use crate::sequence::{Sequence, Shape, Source, read};
use crate::text::Binds;

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

/// The vectors of a rule: its lanes, and whether one lane is a scalar.
#[derive(Clone, Copy)]
struct Vectors {
    lanes: u32,
    scalar: bool,
}

impl Vectors {
    /// The type of a value in MLIR; neighbors that are one lane of the result have a dimension of their own.
    fn ty(self, lane: Lane) -> String {
        let (lanes, Lane { group, width }) = (self.lanes, lane);
        match (self.scalar, group) {
            (true, 1) => format!("i{width}"),
            (true, _) | (_, 1) => Elements::integers(lanes * group, width).text(),
            _ => format!("vector<{lanes}x{group}xi{width}>"),
        }
    }
}

/// An extension that widens neighbors; in front of it what is the same in all lanes is broadcast.
type Extension = (String, Lane, Lane);

/// The lines of a pattern.
struct Matched<'a> {
    vectors: Vectors,
    leaves: &'a [(String, Lane)],
    lines: Vec<String>,
    next: usize,
    extensions: BTreeSet<Extension>,
}

impl Matched<'_> {
    fn value(&mut self, tree: &Tree) -> String {
        let vectors = self.vectors;
        let (name, attributes, operands, lane) = match tree {
            Tree::Leaf(leaf) => return self.leaves[*leaf].0.clone(),
            Tree::Number(value, lane) => {
                let number = dense(*value, &vectors.ty(*lane), lane.width);
                ("arith.constant", format!(" {{value = attr<\"{number}\">}}"), String::new(), *lane)
            }
            Tree::Operation { name, attributes, operands, lane } => {
                if let ("arith.extsi" | "arith.extui", [Tree::Leaf(leaf)]) = (name.as_str(), &operands[..])
                    && lane.group > 1
                    && !vectors.scalar
                {
                    self.extensions.insert((name.clone(), self.leaves[*leaf].1, *lane));
                }
                let all: Vec<String> = operands.iter().map(|operand| self.value(operand)).collect();
                (name.as_str(), attributes.clone(), all.join(", "), *lane)
            }
        };
        let made = format!("m{}", self.next);
        self.next += 1;
        let ty = vectors.ty(lane);
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
            false if value.1.bits().is_multiple_of(8) => {
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

    /// The lowest element of so many bits.
    fn lowest(&mut self, value: Made, width: u32) -> Option<String> {
        let ty = Elements::integers(value.1.bits() / width, width);
        let (value, _) = self.cast(value, &ty)?;
        self.lines.push(format!(
            "let lowest = op<vector.extract>({value}) {{static_position = attr<\"array<i64: 0>\">}} -> (type<\"i{width}\">);"
        ));
        Some("lowest.0".to_owned())
    }
}

/// Where a rule is used: its pattern with literals for constants, and their values.
struct Place<'a> {
    rule: &'a Lowering,
    widths: &'a [u32],
    literals: &'a BTreeMap<usize, i128>,
    leaves: &'a [(String, Lane)],
    vectors: Vectors,
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
                    let (name, lane) = at.map(|at| &self.leaves[at]).ok_or("a name that is not there")?;
                    let ty = Elements::integers(self.rule.lanes * lane.group, lane.width);
                    let leaf = match self.vectors.scalar || lane.group == 1 {
                        true => (name.clone(), ty),
                        false => made.push("vector.shape_cast", &[name], "", &ty),
                    };
                    let shape = Shape::of(leaf.1.count, leaf.1.width, self.widths);
                    let shape = shape.filter(|own| own.count * own.width == leaf.1.bits());
                    let shape = shape.ok_or("values that do not fill registers")?;
                    let part = made.part(leaf, register * shape.width, shape.width);
                    part.ok_or("registers that are no whole elements")?
                }
                Source::Constant { ty, container, lanes } => {
                    let width: u32 = ty.get(1..).and_then(|width| width.parse().ok()).unwrap_or(0);
                    if !ty.starts_with('v') || *container > 64 || !width.is_multiple_of(*container) {
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
        if self.vectors.scalar {
            let value = made.lowest(value, window.ty().width).ok_or("values that do not fill registers")?;
            return Ok((made.lines, value));
        }
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

/// The pattern that broadcasts neighbors to all lanes before they are widened, and not after: so reductions of what is widened find them.
fn broadcast_first(at: usize, lanes: u32, (name, narrow, wide): &Extension) -> String {
    let group = |lane: &Lane| Elements::integers(lane.group, lane.width).text();
    let all = |lane: &Lane| Vectors { lanes, scalar: false }.ty(*lane);
    format!(
        "\nPattern Broadcast{at} with benefit(1) {{
  let x: Value<type<\"{}\">>;
  let m0 = op<{name}>(x) -> (type<\"{}\">);
  let root = op<vector.broadcast>(m0.0) -> (type<\"{}\">);
  rewrite root with {{
    let t0 = op<vector.broadcast>(x) -> (type<\"{}\">);
    let t1 = op<{name}>(t0.0) -> (type<\"{}\">);
    replace root with t1.0;
  }};
}}\n",
        group(narrow),
        group(wide),
        all(wide),
        all(narrow),
        all(wide)
    )
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
    let mut extensions: BTreeSet<(u32, Extension)> = BTreeSet::new();
    let mut skip = |why: &'static str| *left.entry(why).or_insert(0) += 1;
    // What is in narrower registers has no names for its parts.
    for rule in lowerings.iter().filter(|rule| rule.registers.is_none()) {
        let own = &rule.pattern;
        let values = own.binds.iter().zip(&own.window.leaves);
        let on_values = values.clone().any(|(binds, leaf)| *binds != Binds::Constant && leaf.range.is_some());
        if own.binds.contains(&Binds::Uniform) || on_values {
            skip("patterns of scalars, or with conditions on values");
            continue;
        }
        let lanes = own.window.ty().lanes;
        if own.window.leaves.iter().any(|leaf| !leaf.ty.lanes.is_multiple_of(lanes)) {
            skip("values that have no whole lanes of the result's");
            continue;
        }
        let vectors = Vectors { lanes: rule.lanes, scalar: is_fixed(own) && lanes == 1 };
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
            let lane = |leaf: &Leaf| Lane { group: leaf.ty.lanes / lanes, width: leaf.ty.width };
            let leaves: Vec<(String, Lane)> = own
                .window
                .leaves
                .iter()
                .enumerate()
                .map(|(at, leaf)| (format!("x{at}"), lane(leaf)))
                .collect();
            let bound = |leaf: usize| match literals.get(&leaf) {
                Some(value) => Some(Tree::Number(*value, leaves[leaf].1)),
                None => Some(Tree::Leaf(leaf)),
            };
            let reading = Reading { window: &own.window, bound: &bound, lanes, group: 1 };
            let forms = plain.forms(&reading, own.window.root, 0);
            if forms.iter().all(|form| form.size() == 0) {
                skip("operations that have no plain expression");
                continue;
            }
            let place = Place { rule, widths, literals: &literals, leaves: &leaves, vectors, operations };
            let (lines, result) = match place.rewrite() {
                Ok(made) => made,
                Err(why) => {
                    skip(why);
                    continue;
                }
            };
            for form in forms.iter().filter(|form| form.size() > 0) {
                let mut matched = Matched {
                    vectors,
                    leaves: &leaves,
                    lines: Vec::new(),
                    next: 0,
                    extensions: BTreeSet::new(),
                };
                matched.value(form);
                extensions.extend(matched.extensions.into_iter().map(|own| (vectors.lanes, own)));
                // The last line makes the root.
                if let Some(last) = matched.lines.last_mut() {
                    let made = format!("let m{} =", matched.next - 1);
                    *last = last.replacen(&made, "let root =", 1);
                }
                let mut text = String::new();
                for (at, (name, lane)) in leaves.iter().enumerate() {
                    if !literals.contains_key(&at) {
                        let _ = writeln!(text, "  let {name}: Value<type<\"{}\">>;", vectors.ty(*lane));
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
    for (at, (lanes, extension)) in extensions.iter().enumerate() {
        text += &broadcast_first(at, *lanes, extension);
    }
    Patterns { text, count: found.len(), left }
}
