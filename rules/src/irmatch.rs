//! Rules as C++: rewrites in the style of Halide's `IRMatch`, a function template for each rule.
//!
//! ```text
//! rewrite(cast(UInt(8), (widening_add(x0, x1) >> 1)), halving_add(x0, x1), is_uint(x0, 8) && is_uint(x1, 8)) ||
//! ```
//!
//! What is in a function is in no name of a type: whoever includes the text says what `Wild`, `cast` and `rewrite` are.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use synth::program::Value;
use synth::window::{ExpressionId, Kind, Lanewise, Operator, Type, limits};

use crate::instance::Instance;
use crate::lowering::Lowering;
use crate::outputs::shown;
use crate::scalar::Scalar;
use crate::sequence::{Sequence, Source, read};
use crate::text::Binds;

/// How long a replacement may be: steps that several others read are written again in each.
const MAX_LENGTH: usize = 4000;

/// How an operation is written.
enum Form {
    /// Between its operands.
    Infix(&'static str),
    /// Its name before the operands.
    Call(&'static str),
    /// The same, with the result's type first.
    Typed(&'static str),
}

fn form(operator: Lanewise) -> Form {
    use Form::{Call, Infix, Typed};
    match operator {
        Lanewise::Add => Infix("+"),
        Lanewise::Sub => Infix("-"),
        Lanewise::Mul => Infix("*"),
        Lanewise::Div => Infix("/"),
        Lanewise::ShiftLeft => Infix("<<"),
        Lanewise::ShiftRight => Infix(">>"),
        Lanewise::Eq => Infix("=="),
        Lanewise::Ne => Infix("!="),
        Lanewise::Lt => Infix("<"),
        Lanewise::Le => Infix("<="),
        Lanewise::And => Infix("&"),
        Lanewise::Or => Infix("|"),
        Lanewise::Xor => Infix("^"),
        Lanewise::Cast => Typed("cast"),
        Lanewise::Reinterpret => Typed("reinterpret"),
        Lanewise::SaturatingCast => Typed("saturating_cast"),
        // A sum's or a product's type follows from those of its operands.
        own => Call(Lanewise::ALL.iter().find(|(other, _, _)| *other == own).map_or("", |found| found.1)),
    }
}

fn type_text(ty: Type) -> String {
    match ty.kind {
        Kind::Unsigned => format!("UInt({})", ty.width),
        Kind::Signed => format!("Int({})", ty.width),
        Kind::Condition => "Bool()".to_owned(),
    }
}

/// A number as C++ reads it.
fn literal(value: i128) -> String {
    if value > i128::from(i64::MAX) {
        format!("{value}ull")
    } else if value == i128::from(i64::MIN) {
        format!("({} - 1)", value + 1)
    } else {
        value.to_string()
    }
}

/// Names of variables: wildcards, and wildcards for literals.
struct Names(Vec<String>);

impl Names {
    fn new(instance: &Instance) -> Self {
        let (mut values, mut literals) = (0, 0);
        let next = |binds: &Binds| {
            let (letter, count) = match binds {
                Binds::Constant => ('c', &mut literals),
                Binds::Anything | Binds::Uniform => ('x', &mut values),
            };
            *count += 1;
            format!("{letter}{}", *count - 1)
        };
        Self(instance.binds.iter().map(next).collect())
    }

    /// Declarations of all of them.
    fn declared(&self) -> String {
        let one = |name: &String| {
            let kind = if name.starts_with('c') { "WildConst" } else { "Wild" };
            format!("{kind}<{}> {name};", &name[1..])
        };
        self.0.iter().map(one).collect::<Vec<_>>().join(" ")
    }
}

/// An expression; `None` where it has no form.
fn expression(instance: &Instance, names: &Names, id: ExpressionId) -> Option<String> {
    let node = instance.window.expressions.get(id);
    let operand = |at: usize| expression(instance, names, node.operands[at]);
    Some(match &node.operator {
        Operator::Leaf(leaf) => match instance.binds[*leaf] {
            Binds::Uniform => format!("broadcast({})", names.0[*leaf]),
            Binds::Anything | Binds::Constant => names.0[*leaf].clone(),
        },
        Operator::Literal(value) => literal(*value),
        Operator::Lanewise(operator) => {
            let mut all = Vec::new();
            for at in 0..node.operands.len() {
                all.push(operand(at)?);
            }
            match form(*operator) {
                Form::Infix(sign) => format!("({} {sign} {})", all.first()?, all.get(1)?),
                Form::Call(name) => format!("{name}({})", all.join(", ")),
                Form::Typed(name) => format!("{name}({}, {})", type_text(node.ty), all.join(", ")),
            }
        }
        Operator::Reduce(reduce) => format!("{}({})", reduce.name(), operand(0)?),
        _ => return None,
    })
}

/// What must hold of the variables.
fn predicate(instance: &Instance, names: &Names) -> Option<String> {
    let mut all = Vec::new();
    for ((leaf, binds), name) in instance.window.leaves.iter().zip(&instance.binds).zip(&names.0) {
        let (low, high) = leaf.range.unwrap_or(limits(leaf.ty));
        if *binds == Binds::Constant {
            all.push(format!("{name} >= {} && {name} <= {}", literal(low), literal(high)));
            continue;
        }
        let kind = if leaf.ty.is_signed() { "is_int" } else { "is_uint" };
        all.push(format!("{kind}({name}, {})", leaf.ty.width));
        if leaf.range.is_some() {
            let (low, high) = (literal(low), literal(high));
            all.push(format!("lower_bounded({name}, {low}) && upper_bounded({name}, {high})"));
        }
    }
    for (variable, mask, value) in &instance.bits {
        all.push(format!("known_bits({}, {mask}, {value})", names.0[*variable]));
    }
    for condition in &instance.conditions {
        all.push(expression(instance, names, *condition)?);
    }
    Some(if all.is_empty() { "true".to_owned() } else { all.join(" && ") })
}

/// A number over constants: `2^(c-1)` is `pow2(c0-1)`. `None` for powers of anything else.
fn number(text: &str, instance: &Instance, names: &Names) -> Option<String> {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len()).max(first.len_utf8());
        let (word, after) = rest.split_at(end);
        rest = after;
        match (word, after.strip_prefix('^')) {
            ("2", Some(power)) => {
                rest = power;
                out += "pow2";
                if !power.starts_with('(') {
                    let end = power.find(|c| !is_word(c)).unwrap_or(power.len());
                    let _ = write!(out, "({})", number(&power[..end], instance, names)?);
                    rest = &power[end..];
                }
            }
            (_, Some(_)) => return None,
            _ if first.is_ascii_alphabetic() => {
                out += &names.0[instance.window.leaves.iter().position(|leaf| leaf.name == word)?];
            }
            _ => out += word,
        }
    }
    Some(out)
}

/// A rule's instructions as one expression.
struct Replacement<'a> {
    instance: &'a Instance,
    names: &'a Names,
    sequence: &'a Sequence,
    inputs: Vec<String>,
    steps: Vec<String>,
}

impl<'a> Replacement<'a> {
    fn new(instance: &'a Instance, names: &'a Names, sequence: &'a Sequence) -> Option<Self> {
        let mut made = Self { instance, names, sequence, inputs: Vec::new(), steps: Vec::new() };
        let place = |variable: &str| instance.window.leaves.iter().position(|leaf| leaf.name == variable);
        let is_split = |name: &str| {
            sequence.inputs.iter().any(
                |own| matches!(own, Source::Variable { variable, register } if variable == name && *register > 0),
            )
        };
        for input in &sequence.inputs {
            made.inputs.push(match input {
                Source::Variable { variable, register } => {
                    let name = &names.0[place(variable)?];
                    if is_split(variable) { format!("part({name}, {register})") } else { name.clone() }
                }
                Source::Constant { container, lanes, .. } => match &lanes[..] {
                    [Scalar::Number(own)] => {
                        format!("splat(Int({container}), {})", number(&own.0, instance, names)?)
                    }
                    [Scalar::Variable { variable }] => format!("broadcast({})", names.0[place(variable)?]),
                    _ => return None,
                },
            });
        }
        Some(made)
    }

    fn value(&self, value: &Value) -> String {
        match value {
            Value::Input(at) => self.inputs[*at].clone(),
            Value::Step(at) => self.steps[*at].clone(),
            Value::Low(pair) => format!("low({})", self.value(pair)),
            Value::High(pair) => format!("high({})", self.value(pair)),
            Value::Pair(two) => format!("concat({}, {})", self.value(&two.0), self.value(&two.1)),
        }
    }

    fn text(mut self) -> Option<String> {
        let inputs = self.inputs.len();
        for step in &self.sequence.steps {
            let mut text = format!("instruction(\"{}\"", step.id);
            for operand in &step.operands {
                let _ = write!(text, ", {}", self.value(&read(operand, inputs, self.steps.len())?));
            }
            for immediate in &step.immediates {
                let _ = write!(text, ", {}", number(&immediate.0, self.instance, self.names)?);
            }
            if text.len() > MAX_LENGTH {
                return None;
            }
            self.steps.push(text + ")");
        }
        let mut all = Vec::new();
        for output in &self.sequence.outputs {
            all.push(self.value(&read(output, inputs, self.steps.len())?));
        }
        match &all[..] {
            [one] => Some(one.clone()),
            several => Some(format!("concat({})", several.join(", "))),
        }
        .filter(|text| text.len() <= MAX_LENGTH)
    }
}

/// A rewrite with what is said above it.
type Written = (String, Names, String);

fn of_equality(instance: &Instance) -> Option<Result<Written, String>> {
    let names = Names::new(instance);
    let heading = format!("{} ({})", instance.window.name, instance.shown());
    let to = instance.to?;
    let all = (
        expression(instance, &names, instance.window.root),
        expression(instance, &names, to),
        predicate(instance, &names),
    );
    Some(match all {
        (Some(from), Some(to), Some(when)) => {
            Ok((heading, names, format!("rewrite({from},\n                {to},\n                {when})")))
        }
        _ => Err(heading),
    })
}

fn of_lowering(rule: &Lowering) -> Result<Written, String> {
    let own = &rule.pattern;
    let names = Names::new(own);
    let heading = format!("{} at {} lanes: {} µops", shown(own, own.window.root), rule.lanes, rule.cost.uops);
    let replacement = Replacement::new(own, &names, &rule.sequence).and_then(Replacement::text);
    match (expression(own, &names, own.window.root), replacement, predicate(own, &names)) {
        (Some(from), Some(to), Some(when)) => {
            let lanes = rule.lanes;
            let text = format!(
                "rewrite({from},\n                {to},\n                has_lanes({lanes}) && {when})"
            );
            Ok((heading, names, text))
        }
        _ => Err(heading),
    }
}

/// Equalities and lowering rules as C++: for each name of a rule a function template with its rewrites, and one that tries all.
/// What has no form is named in a comment.
pub fn irmatch(equalities: &[Instance], lowerings: &[Lowering]) -> String {
    let mut rules: BTreeMap<&str, Vec<Result<Written, String>>> = BTreeMap::new();
    for instance in equalities {
        rules.entry(&instance.window.name).or_default().extend(of_equality(instance));
    }
    // What is in narrower registers has no names for its parts.
    for rule in lowerings.iter().filter(|rule| rule.registers.is_none()) {
        rules.entry(&rule.name).or_default().push(of_lowering(rule));
    }
    let mut text = String::from(
        "// Rewrites in the style of Halide's IRMatch: pattern, replacement, predicate. `instruction` is a target's\n\
         // instruction by its name, `part` one of the registers of a value, `low` and `high` the halves of one.\n#pragma once\n",
    );
    let mut all = String::new();
    for (name, rewrites) in &rules {
        let word = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let name: String = name.chars().map(word).collect();
        let _ = write!(text, "\ntemplate<typename Rewriter>\nbool rule_{name}(Rewriter &rewrite) {{\n");
        let mut made = String::new();
        for rewrite in rewrites {
            match rewrite {
                Ok((heading, names, rewrite)) => {
                    let _ = write!(
                        made,
                        "    {{\n        // {heading}\n        {}\n        if ({rewrite}) return true;\n    }}\n",
                        names.declared()
                    );
                }
                Err(heading) => {
                    let _ = writeln!(made, "    // no form: {heading}");
                }
            }
        }
        text += &made;
        text += "    return false;\n}\n";
        let _ = write!(all, " ||\n           rule_{name}(rewrite)");
    }
    let _ = write!(
        text,
        "\ntemplate<typename Rewriter>\nbool all_rules(Rewriter &rewrite) {{\n    return false{all};\n}}\n"
    );
    text
}
