//! What a rule puts in place of its pattern: instructions on registers, independent of the window that they were found for.
//!
//! A value of `L` lanes is in registers in order: as many of the target's widest as it fills, or one that is narrower
//! ([`Shape`]). A sequence reads registers of its pattern's variables and constants that are made before the loop; numbers in
//! it can depend on the pattern's constants.

use search::{Class, Type as Register};
use serde::{Deserialize, Serialize};
use synth::contents::{Content, Entry};
use synth::program::{Input, Program, Value};
use synth::table::{OpId, Table};
use synth::window::{Element, Leaf, Meaning, Window};

use crate::bindings::{Bindings, Number};
use crate::scalar::Scalar;

/// The registers that hold a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Number of registers.
    pub count: u32,
    /// Width of each in bits.
    pub width: u32,
}

impl Shape {
    /// How `lanes` lanes of `width` bits are in registers of these widths, least first; `None` where lanes do not fill
    /// registers evenly.
    pub fn of(lanes: u32, width: u32, widths: &[u32]) -> Option<Self> {
        let (bits, widest) = (lanes.checked_mul(width)?, *widths.last()?);
        if bits >= widest {
            return bits.is_multiple_of(widest).then_some(Self { count: bits / widest, width: widest });
        }
        let width = widths.iter().copied().find(|own| *own >= bits)?;
        Some(Self { count: 1, width })
    }
}

/// A register that is there before the first step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum Source {
    /// A register of a variable.
    Variable {
        /// The variable's name.
        variable: String,
        /// Which of its registers.
        register: u32,
    },
    /// A constant.
    Constant {
        /// The register: `v` (vector), `m` (mask) or `s` (scalar), and its width in bits.
        ty: String,
        /// Width of its containers in bits.
        container: u32,
        /// What each container holds, lowest first; one for all where it is the same.
        lanes: Vec<Scalar>,
    },
}

/// An instruction of a sequence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// The instruction's id.
    pub id: String,
    /// Its register operands: `i0`, `t1`, `low(t0)`, `pair(t0,t1)`.
    pub operands: Vec<String>,
    /// Its immediates in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub immediates: Vec<Number>,
    /// Width of the result's containers in bits.
    pub container: u32,
}

/// Instructions in place of a pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sequence {
    /// Registers at the start.
    #[serde(default)]
    pub inputs: Vec<Source>,
    /// What is done, in order.
    #[serde(default)]
    pub steps: Vec<Step>,
    /// The result's registers in order.
    pub outputs: Vec<String>,
    /// The register's type where the result is one lane in a general register: `s32`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
}

impl Sequence {
    /// A program of a window whose leaves are the pattern's variables, as a sequence; `None` where it has no such form: it
    /// reads a leaf in other registers than those of its [`Shape`], or a constant is no [`Scalar`].
    pub fn of_program(
        meaning: &Meaning<'_>,
        table: &Table,
        program: &Program,
        widths: &[u32],
    ) -> Option<Self> {
        let window = meaning.window();
        let mut sequence = Sequence::default();
        let mut inputs: Vec<Value> = Vec::new();
        for input in &program.inputs {
            inputs.push(match input.load {
                Some((leaf, start)) => {
                    let start = u32::try_from(start).ok()?;
                    sequence.variable(window.leaves.get(leaf as usize)?, start, input.ty, widths)?
                }
                None => sequence.input(Source::Constant {
                    ty: register_text(input.ty),
                    container: input.container,
                    lanes: constant_lanes(meaning, &input.content)?,
                }),
            });
        }
        let renamed = |value: &Value| show(&rename(value, &|at| inputs[at].clone(), &Value::Step));
        for step in &program.steps {
            let op = table.op(step.op);
            sequence.steps.push(Step {
                id: table.instruction(step.op).id.clone(),
                operands: step.operands.iter().map(renamed).collect(),
                immediates: op.choices.iter().map(|choice| Number(choice.to_string())).collect(),
                container: step.container,
            });
        }
        let shape = Shape::of(window.ty().lanes, window.ty().width, widths)?;
        if program.added.is_some() || program.outputs.len() != shape.count as usize {
            return None;
        }
        for (value, _) in &program.outputs {
            let own = program.ty(table, value)?;
            let value = rename(value, &|at| inputs[at].clone(), &Value::Step);
            if own.class == Class::Scalar && own.width == window.ty().bits() {
                sequence.result = Some(register_text(own));
                sequence.outputs.push(show(&value));
                continue;
            }
            sequence.outputs.push(show(&low_part(value, own.width, shape.width)?));
        }
        Some(sequence)
    }

    /// A register at the start, which is there once.
    fn input(&mut self, source: Source) -> Value {
        let at = self.inputs.iter().position(|own| *own == source).unwrap_or_else(|| {
            self.inputs.push(source);
            self.inputs.len() - 1
        });
        Value::Input(at)
    }

    /// A variable's elements from `start` on in a register of this type: the low part of one of the variable's own, or several of
    /// them as pairs.
    fn variable(&mut self, leaf: &Leaf, start: u32, ty: Register, widths: &[u32]) -> Option<Value> {
        let shape = Shape::of(leaf.ty.lanes, leaf.ty.width, widths)?;
        if ty.class != Class::Vector {
            return None;
        }
        if ty.width > shape.width {
            let half = Register { width: ty.width / 2, ..ty };
            let above = start + half.width / leaf.ty.width;
            let low = self.variable(leaf, start, half, widths)?;
            return Some(Value::Pair(Box::new((low, self.variable(leaf, above, half, widths)?))));
        }
        let each = shape.width / leaf.ty.width;
        let register = start / each;
        if !start.is_multiple_of(each) || register >= shape.count {
            return None;
        }
        let value = self.input(Source::Variable { variable: leaf.name.clone(), register });
        low_part(value, shape.width, ty.width)
    }

    /// Appends the steps to a program; the result's registers. `None` where a name or an immediate is not there. The table is
    /// asked for immediates.
    pub fn append(
        &self,
        program: &mut Program,
        meaning: &mut Meaning<'_>,
        table: &mut Table,
        index: &Instructions,
        bindings: &Bindings<'_>,
    ) -> Option<Vec<Value>> {
        let mut inputs = Vec::new();
        for input in &self.inputs {
            inputs.push(match input {
                Source::Variable { variable, register } => {
                    (bindings.registers)(variable)?.get(*register as usize)?.clone()
                }
                Source::Constant { ty, container, lanes } => {
                    let ty = register(ty)?;
                    let count = ty.width.checked_div(*container)?;
                    let mut content: Content = Vec::new();
                    for lane in lanes {
                        content.push(Entry::Uniform(lane.node(&mut meaning.dag, *container, bindings)?));
                    }
                    if content.len() == 1 {
                        content.resize(count as usize, content[0]);
                    }
                    constant(program, ty, *container, content)
                }
            });
        }
        let mut made: Vec<Value> = Vec::new();
        for step in &self.steps {
            let mut choices = Vec::new();
            for number in &step.immediates {
                choices.push(i64::try_from(number.value(bindings.constants)?).ok()?);
            }
            let op = index.take(table, &step.id, &choices)?;
            let mut operands = Vec::new();
            for operand in &step.operands {
                let value = read(operand, inputs.len(), made.len())?;
                operands.push(rename(&value, &|at| inputs[at].clone(), &|at| made[at].clone()));
            }
            let lanes = table.op(op).result.width.checked_div(step.container)?;
            made.push(program.step(op, operands, step.container, &vec![Entry::Any; lanes as usize]));
        }
        let mut outputs = Vec::new();
        for output in &self.outputs {
            let value = read(output, inputs.len(), made.len())?;
            outputs.push(rename(&value, &|at| inputs[at].clone(), &|at| made[at].clone()));
        }
        Some(outputs)
    }
}

/// A table's instructions by id: several where an operand is a register, and a constant besides.
pub struct Instructions(rustc_hash::FxHashMap<String, Vec<usize>>);

impl Instructions {
    /// The instructions of a table.
    pub fn new(table: &Table) -> Self {
        let mut by_id: rustc_hash::FxHashMap<String, Vec<usize>> = Default::default();
        for (at, instruction) in table.instructions.iter().enumerate() {
            by_id.entry(instruction.id.clone()).or_default().push(at);
        }
        Self(by_id)
    }

    /// The table's operation of an instruction with these immediates, which it is asked for.
    pub fn take(&self, table: &mut Table, id: &str, choices: &[i64]) -> Option<OpId> {
        choices.iter().for_each(|choice| table.ask(*choice));
        let all = self.0.get(id)?;
        let known = all.iter().find_map(|at| table.find(*at, choices));
        known.or_else(|| all.iter().find_map(|at| table.take(*at, choices)))
    }
}

/// A constant of a program; one that is there is used again.
pub fn constant(program: &mut Program, ty: Register, container: u32, content: Content) -> Value {
    let input = Input { ty, container, content, load: None };
    let at = program.inputs.iter().position(|own| *own == input).unwrap_or_else(|| {
        program.inputs.push(input);
        program.inputs.len() - 1
    });
    Value::Input(at)
}

/// Register number `register` of a leaf of a window; registers beyond its end are its last one.
pub fn load(program: &mut Program, window: &Window, leaf: usize, shape: Shape, register: u32) -> Value {
    let ty = window.leaves[leaf].ty;
    let each = shape.width / ty.width;
    let register = register.min((ty.lanes - 1) / each);
    let start = register * each;
    let content: Content = (start..start + each)
        .map(|index| match index < ty.lanes {
            true => Entry::Element(Element { leaf: leaf as u32, index }),
            false => Entry::Any,
        })
        .collect();
    let input = Input {
        ty: Register { class: Class::Vector, width: shape.width },
        container: ty.width,
        content,
        load: Some((leaf as u32, i64::from(start))),
    };
    let at = program.inputs.iter().position(|own| *own == input).unwrap_or_else(|| {
        program.inputs.push(input);
        program.inputs.len() - 1
    });
    Value::Input(at)
}

/// The lowest `wanted` bits of a register of `width` bits; `None` where these are no halves of halves.
pub fn low_part(value: Value, width: u32, wanted: u32) -> Option<Value> {
    match width {
        _ if width == wanted => Some(value),
        _ if width > wanted && width.is_multiple_of(2) => {
            low_part(Value::Low(Box::new(value)), width / 2, wanted)
        }
        _ => None,
    }
}

fn constant_lanes(meaning: &Meaning<'_>, content: &Content) -> Option<Vec<Scalar>> {
    let mut lanes = Vec::new();
    for entry in content {
        lanes.push(match entry {
            Entry::Uniform(value) => Scalar::of_node(meaning, *value)?,
            Entry::Any => Scalar::Number(Number("0".into())),
            _ => return None,
        });
    }
    if lanes.iter().all(|lane| *lane == lanes[0]) {
        lanes.truncate(1);
    }
    Some(lanes)
}

/// A register's type as text.
pub fn register_text(ty: Register) -> String {
    let letter = match ty.class {
        Class::Vector => 'v',
        Class::Mask => 'm',
        Class::Scalar => 's',
        Class::Memory => 'p',
    };
    format!("{letter}{}", ty.width)
}

/// The register's type that a text is.
pub fn register(text: &str) -> Option<Register> {
    let class = match text.as_bytes().first()? {
        b'v' => Class::Vector,
        b'm' => Class::Mask,
        b's' => Class::Scalar,
        b'p' => Class::Memory,
        _ => return None,
    };
    Some(Register { class, width: text.get(1..)?.parse().ok()? })
}

fn rename(value: &Value, input: &dyn Fn(usize) -> Value, step: &dyn Fn(usize) -> Value) -> Value {
    match value {
        Value::Input(at) => input(*at),
        Value::Step(at) => step(*at),
        Value::Low(pair) => match rename(pair, input, step) {
            Value::Pair(two) => two.0,
            other => Value::Low(Box::new(other)),
        },
        Value::High(pair) => match rename(pair, input, step) {
            Value::Pair(two) => two.1,
            other => Value::High(Box::new(other)),
        },
        Value::Pair(two) => Value::Pair(Box::new((rename(&two.0, input, step), rename(&two.1, input, step)))),
    }
}

/// A value as text.
fn show(value: &Value) -> String {
    match value {
        Value::Input(at) => format!("i{at}"),
        Value::Step(at) => format!("t{at}"),
        Value::Low(pair) => format!("low({})", show(pair)),
        Value::High(pair) => format!("high({})", show(pair)),
        Value::Pair(two) => format!("pair({},{})", show(&two.0), show(&two.1)),
    }
}

/// A value from text, where so many inputs and steps are there.
pub fn read(text: &str, inputs: usize, steps: usize) -> Option<Value> {
    let inner = |word: &str| text.strip_prefix(word)?.strip_prefix('(')?.strip_suffix(')');
    if let Some(inner) = inner("low") {
        return Some(Value::Low(Box::new(read(inner, inputs, steps)?)));
    }
    if let Some(inner) = inner("high") {
        return Some(Value::High(Box::new(read(inner, inputs, steps)?)));
    }
    if let Some(inner) = inner("pair") {
        let mut depth = 0;
        let comma = inner.find(|c| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            c == ',' && depth == 0
        })?;
        let two = (read(&inner[..comma], inputs, steps)?, read(&inner[comma + 1..], inputs, steps)?);
        return Some(Value::Pair(Box::new(two)));
    }
    let number: usize = text.get(1..)?.parse().ok()?;
    match text.as_bytes()[0] {
        b'i' if number < inputs => Some(Value::Input(number)),
        b't' if number < steps => Some(Value::Step(number)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_they_are_shown() {
        for text in ["i0", "t1", "low(t0)", "high(pair(i1,low(t1)))", "pair(pair(i0,i1),t0)"] {
            assert_eq!(show(&read(text, 2, 2).unwrap()), text);
        }
        for text in ["", "i2", "t9", "low(", "pair(i0)", "x0", "é0"] {
            assert_eq!(read(text, 2, 2), None, "{text}");
        }
    }

    #[test]
    fn shapes_fill_the_widest_registers() {
        let widths = [128, 256];
        assert_eq!(Shape::of(32, 16, &widths), Some(Shape { count: 2, width: 256 }));
        assert_eq!(Shape::of(8, 16, &widths), Some(Shape { count: 1, width: 128 }));
        assert_eq!(Shape::of(2, 8, &widths), Some(Shape { count: 1, width: 128 }));
        assert_eq!(Shape::of(24, 16, &widths), None);
    }
}
