//! Slices: what computes a value, backwards to loads, arguments and whatever else is not modelled.
//!
//! Where control flow meets, a `phi` is a choice by bits that are inputs as well: each way to the block is one of their
//! values. What was decided on every way to the root is assumed, where that says something about what the slice reads. Loops are not entered: a `phi` at their beginning is an input. All that a slice reads was computed in the same
//! iteration as its root, since the blocks in which it was are on every way to a choice or to the root.

use std::collections::VecDeque;
use std::fmt::Write as _;

use hydride_ir::Bits;
use llvm_text::Type;
use refine::ast::{
    Action, Attribute, Block, Body, Element, Flags, Instruction, Operand, Parameter, Value, elements,
};
use refine::{Line, Outline, Place};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::flow::Flow;
use crate::operands::{locals, rename};
use crate::tracking::Tracking;

/// The most ways to a block whose `phi` is a choice.
const MAX_WAYS: usize = 4;
/// The most bits of a result.
const MAX_BITS: u32 = 2048;
/// The most instructions by which a condition is computed.
const MAX_CONDITION: usize = 4;
/// The intrinsic that says what holds.
const ASSUME: &str = "llvm.assume";

/// What a parameter of a slice is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A value of the function, by name, and whether it is there where the root is.
    Value(String, bool),
    /// A bit that says by which way a block was entered.
    Way,
}

/// A value of a function with what computes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slice {
    /// The computation as a function; its names say nothing of where it comes from.
    pub body: Body,
    /// What its parameters are.
    pub inputs: Vec<Input>,
    /// Names in `body` of the values that the function uses elsewhere too.
    pub kept: Vec<String>,
    /// The names in the function of all that it computes, its root last.
    pub computed: Vec<String>,
    /// The block of the root.
    pub section: usize,
    /// The root's line in it.
    pub line: usize,
}

impl Slice {
    /// The name of its root in the function.
    pub fn root(&self) -> &str {
        self.computed.last().map_or("", String::as_str)
    }

    /// Whether a function over the slice's inputs reads one that is not there where its root is.
    pub fn reads_absent(&self, body: &Body) -> bool {
        let absent = |name: &str| {
            let inputs = self.body.parameters.iter().zip(&self.inputs);
            inputs.into_iter().any(|(own, input)| own.name == name && !matches!(input, Input::Value(_, true)))
        };
        let mut all = body.blocks.iter().flat_map(|block| &block.instructions);
        all.any(|own| locals(own).into_iter().any(absent))
    }

    /// Text that is equal for slices for which the same can stand.
    pub fn key(&self) -> String {
        let mut key = self.body.text("slice");
        for name in &self.kept {
            let _ = writeln!(key, "; kept %{name}");
        }
        for (parameter, input) in self.body.parameters.iter().zip(&self.inputs) {
            if !matches!(input, Input::Value(_, true)) {
                let _ = writeln!(key, "; absent %{}", parameter.name);
            }
        }
        key
    }

    /// The instructions in it that are more than another type of the same bits.
    pub fn size(&self) -> usize {
        self.body.blocks.iter().flat_map(|block| &block.instructions).filter(|own| is_work(own)).count()
    }
}

/// Whether an instruction is more than another type of the same bits.
pub fn is_work(instruction: &Instruction) -> bool {
    let is_free =
        matches!(instruction.action, Action::Cast("bitcast", ..) | Action::Freeze(_) | Action::Return(_));
    !is_free && instruction.result.is_some()
}

/// A function that is cut.
pub struct Cutter<'o> {
    outline: &'o Outline,
    flow: &'o Flow,
    /// Whether a call of a function is one of a value without effects whose meaning is known.
    known: &'o dyn Fn(&str) -> bool,
    /// Where values are made.
    places: FxHashMap<&'o str, (usize, usize)>,
    parameters: FxHashSet<&'o str>,
    /// Lines that use a value.
    uses: FxHashMap<&'o str, Vec<(usize, usize)>>,
    tracking: Tracking<'o>,
}

impl<'o> Cutter<'o> {
    /// A function's values.
    pub fn new(outline: &'o Outline, flow: &'o Flow, known: &'o dyn Fn(&str) -> bool) -> Self {
        let mut places = FxHashMap::default();
        let mut uses: FxHashMap<&str, Vec<(usize, usize)>> = FxHashMap::default();
        for (section, own) in outline.sections.iter().enumerate() {
            for (at, line) in own.lines.iter().enumerate() {
                if let Some(result) = &line.result {
                    places.insert(result.as_str(), (section, at));
                }
                // A record says something about a value and does not need it.
                if line.is_record {
                    continue;
                }
                for name in &line.mentions {
                    uses.entry(name).or_default().push((section, at));
                }
            }
        }
        let parameters = outline.parameters.iter().map(String::as_str).collect();
        let tracking = Tracking::new(outline, flow);
        Self { outline, flow, known, places, parameters, uses, tracking }
    }

    /// The slice of the value that a line makes, with at most so many instructions; `None` where that is no value of
    /// integers, or not computed by anything that is modelled.
    pub fn cut(&self, section: usize, line: usize, limit: usize) -> Option<Slice> {
        let root = self.outline.sections.get(section)?.lines.get(line)?;
        let name = root.result.as_deref()?;
        let instruction = root.instruction.as_ref()?;
        let widths = elements(&instruction.ty)?;
        let is_value = matches!(instruction.ty, Type::Scalar(_) | Type::Vector(..));
        if !is_value
            || matches!(instruction.action, Action::Phi(_))
            || widths.iter().sum::<u32>() > MAX_BITS
            || !self.flow.dominates(0, section)
        {
            return None;
        }
        let included = self.included(name, section, limit)?;
        self.slice(section, line, included, true)
    }

    /// The slice of the value that a line makes, of the values of the function with these names; what else these read are its
    /// inputs. `None` where one is no value of integers, or is not computed by anything that is modelled.
    pub fn cut_of(&self, section: usize, line: usize, names: &FxHashSet<String>) -> Option<Slice> {
        let own = names.iter().filter_map(|name| self.places.get_key_value(name.as_str()));
        let included = own.filter(|(_, place)| self.modelled(**place, section).is_some());
        let included: FxHashSet<&'o str> = included.map(|(name, _)| *name).collect();
        let root = self.outline.sections.get(section)?.lines.get(line)?;
        included.contains(root.result.as_deref()?).then(|| self.slice(section, line, included, false))?
    }

    /// The lines that use a value, each with its block.
    pub fn uses_of(&self, name: &str) -> &[(usize, usize)] {
        self.uses.get(name).map_or(&[], Vec::as_slice)
    }

    fn slice(
        &self,
        section: usize,
        line: usize,
        included: FxHashSet<&'o str>,
        assume: bool,
    ) -> Option<Slice> {
        let root = self.outline.sections.get(section)?.lines.get(line)?;
        let (name, instruction) = (root.result.as_deref()?, root.instruction.as_ref()?);
        let conditions = if assume { self.conditions(section, line) } else { Vec::new() };
        let mut cut = Cut {
            of: self,
            section,
            conditions: &conditions,
            included,
            names: FxHashMap::default(),
            slice: Slice {
                body: Body {
                    result: instruction.ty.clone(),
                    attributes: Vec::new(),
                    parameters: Vec::new(),
                    blocks: vec![Block { label: "entry".to_owned(), instructions: Vec::new() }],
                },
                inputs: Vec::new(),
                kept: Vec::new(),
                computed: Vec::new(),
                section,
                line,
            },
        };
        let value = cut.value(&Value::Local(name.to_owned()), &instruction.ty)?;
        cut.keep();
        let computed = cut.slice.computed.clone();
        for (condition, holds) in &conditions {
            cut.assume(condition, *holds);
        }
        cut.slice.computed = computed;
        cut.finish(value, &instruction.ty);
        Some(cut.slice)
    }

    /// What was decided or assumed on every way to a line: bits by name, and whether they are 1.
    fn conditions(&self, section: usize, line: usize) -> Vec<(&'o str, bool)> {
        let assumed = |line: &'o Line| match line.instruction.as_ref().map(|own| &own.action) {
            Some(Action::Call { function, arguments, .. }) if function == ASSUME => {
                arguments.first().and_then(|(operand, _)| match &operand.value {
                    Value::Local(name) => Some((name.as_str(), true)),
                    Value::Constant(_) => None,
                })
            }
            _ => None,
        };
        let lines = &self.outline.sections[section].lines;
        let mut all: Vec<(&str, bool)> = lines[..line].iter().filter_map(assumed).collect();
        let mut block = section;
        while let Some(above) = self.flow.above(block) {
            all.extend(self.outline.sections[above].lines.iter().filter_map(assumed));
            let last = self.outline.sections[above].lines.last();
            if let Some(Action::If(condition, then, otherwise)) =
                last.and_then(|line| line.instruction.as_ref()).map(|own| &own.action)
                && let Value::Local(name) = &condition.value
                && self.flow.predecessors[block] == [above]
                && then != otherwise
            {
                all.push((name.as_str(), self.flow.block(then) == Some(block)));
            }
            block = above;
        }
        all
    }

    /// What is computed in a slice: the nearest to the root first.
    fn included(&self, root: &str, section: usize, limit: usize) -> Option<FxHashSet<&'o str>> {
        let (mut included, mut next) = (FxHashSet::default(), VecDeque::from([root.to_owned()]));
        while let Some(name) = next.pop_front() {
            let Some((own, &place)) = self.places.get_key_value(name.as_str()) else { continue };
            if included.contains(own) || included.len() >= limit {
                continue;
            }
            let Some(instruction) = self.modelled(place, section) else { continue };
            included.insert(*own);
            match &instruction.action {
                Action::Phi(ways) => next.extend(ways.iter().filter_map(|(value, _)| local(value))),
                _ => next.extend(locals(instruction).into_iter().map(str::to_owned)),
            }
        }
        included.contains(root).then_some(included)
    }

    /// An instruction that a slice of a block can have in it.
    fn modelled(&self, place: (usize, usize), root: usize) -> Option<&'o Instruction> {
        let instruction = self.outline.sections[place.0].lines[place.1].instruction.as_ref()?;
        let always = self.flow.dominates(place.0, root);
        let is_bits = |ty: &Type| elements(ty).is_some();
        let all = |operands: &[&Operand]| operands.iter().all(|operand| is_bits(&operand.ty));
        let fits = match &instruction.action {
            // What is undefined on another way is not on this one.
            Action::Binary(name, _, left, _) => {
                all(&[left]) && (always || !(name.ends_with("div") || name.ends_with("rem")))
            }
            Action::Compare(_, _, left, _) => all(&[left]),
            Action::Cast(_, _, of, _) | Action::Freeze(of) | Action::ExtractValue(of, _) => all(&[of]),
            Action::Select(condition, then, _) => all(&[condition, then]),
            Action::Shuffle(left, ..) => all(&[left]),
            Action::ExtractElement(vector, _) => all(&[vector]),
            Action::InsertElement(vector, ..) | Action::InsertValue(vector, ..) => all(&[vector]),
            Action::Call { function, arguments, attributes } => {
                let plain = attributes.is_empty() && arguments.iter().all(|(_, given)| given.is_empty());
                (plain || always)
                    && arguments.iter().all(|(operand, _)| is_bits(&operand.ty))
                    && (self.known)(function)
            }
            Action::Phi(ways) => {
                let ends = &self.flow.predecessors[place.0];
                !self.flow.is_header(place.0)
                    && (1..=MAX_WAYS).contains(&ends.len())
                    && ends
                        .iter()
                        .all(|end| ways.iter().any(|(_, label)| self.flow.block(label) == Some(*end)))
            }
            _ => false,
        };
        (fits && is_bits(&instruction.ty)).then_some(instruction)
    }

    /// Whether a value is there at the root of a slice.
    fn is_there(&self, name: &str, section: usize) -> bool {
        match self.places.get(name) {
            Some((place, line)) => match self.outline.sections[*place].lines[*line].targets.first() {
                None => self.flow.dominates(*place, section),
                // The value of an `invoke` is there where it returns.
                Some(to) => self.flow.block(to).is_some_and(|to| {
                    self.flow.predecessors[to] == [*place] && self.flow.dominates(to, section)
                }),
            },
            None => self.parameters.contains(name),
        }
    }
}

fn local(value: &Value) -> Option<String> {
    if let Value::Local(name) = value { Some(name.clone()) } else { None }
}

/// A slice that is being made.
struct Cut<'c, 'o> {
    of: &'c Cutter<'o>,
    section: usize,
    /// What holds where its root is.
    conditions: &'c [(&'o str, bool)],
    included: FxHashSet<&'o str>,
    /// What stands for a value of the function.
    names: FxHashMap<String, Value>,
    slice: Slice,
}

impl Cut<'_, '_> {
    fn push(&mut self, ty: Type, action: Action) -> Value {
        let name = format!("v{}", self.slice.body.blocks[0].instructions.len());
        let result = Some(name.clone());
        let instruction = Instruction { result, ty, action, place: Place::default() };
        self.slice.body.blocks[0].instructions.push(instruction);
        Value::Local(name)
    }

    fn parameter(&mut self, ty: Type, attributes: Vec<Attribute>, input: Input) -> Value {
        let name = format!("p{}", self.slice.inputs.len());
        self.slice.body.parameters.push(Parameter { name: name.clone(), ty, attributes });
        self.slice.inputs.push(input);
        Value::Local(name)
    }

    /// The value in the slice that stands for one of the function.
    fn value(&mut self, value: &Value, ty: &Type) -> Option<Value> {
        let Value::Local(name) = value else { return Some(value.clone()) };
        if let Some(known) = self.names.get(name) {
            return Some(known.clone());
        }
        let made = if self.included.contains(name.as_str()) {
            let place = self.of.places[name.as_str()];
            let instruction = self.of.modelled(place, self.section)?;
            let made = match &instruction.action {
                Action::Phi(ways) => self.chosen(place.0, ways, ty)?,
                _ => {
                    for operand in crate::operands::operands(instruction) {
                        self.value(&operand.value, &operand.ty)?;
                    }
                    let own = rename(instruction, &|name| self.names.get(name).cloned());
                    self.push(own.ty, own.action)
                }
            };
            self.slice.computed.push(name.clone());
            made
        } else {
            let there = self.of.is_there(name, self.section);
            self.parameter(ty.clone(), self.known_of(name, ty, there), Input::Value(name.clone(), there))
        };
        self.names.insert(name.clone(), made.clone());
        Some(made)
    }

    /// What is known of an input, also from what holds where the root is if it is there.
    fn known_of(&self, name: &str, ty: &Type, is_there: bool) -> Vec<Attribute> {
        let conditions = if is_there { self.conditions } else { &[] };
        self.of.tracking.at(name, ty, conditions).map_or_else(Vec::new, |known| known.attributes())
    }

    /// A `phi` as choices by the way to its block.
    fn chosen(&mut self, block: usize, ways: &[(Value, String)], ty: &Type) -> Option<Value> {
        let ends = self.of.flow.predecessors[block].clone();
        let mut values = Vec::new();
        for end in &ends {
            let way = ways.iter().find(|(_, label)| self.of.flow.block(label) == Some(*end))?;
            values.push(self.value(&way.0, ty)?);
        }
        let mut all = values.pop()?;
        for (at, value) in values.into_iter().enumerate().rev() {
            let bit = Type::integer(1);
            // No label has a space in it, so that this is no name of a value.
            let key = format!("way {block} {at}");
            let way = match self.names.get(&key) {
                Some(known) => known.clone(),
                None => {
                    let made = self.parameter(bit.clone(), vec![Attribute::NoUndef], Input::Way);
                    self.names.insert(key, made.clone());
                    made
                }
            };
            let operand = |value| Operand { ty: ty.clone(), value };
            let select = Action::Select(Operand { ty: bit, value: way }, operand(value), operand(all));
            all = self.push(ty.clone(), select);
        }
        Some(all)
    }

    /// Adds what is known of a bit, if it is computed in a few steps from what the slice reads.
    fn assume(&mut self, name: &str, holds: bool) {
        let Some(included) = self.of.included(name, self.section, MAX_CONDITION) else { return };
        let before = (self.slice.clone(), self.names.clone(), self.included.clone());
        self.included.extend(included);
        let bit = Type::integer(1);
        let value = self.value(&Value::Local(name.to_owned()), &bit);
        let (Some(value), true) = (value, self.slice.inputs == before.0.inputs) else {
            (self.slice, self.names, self.included) = before;
            return;
        };
        let operand = |value| Operand { ty: bit.clone(), value };
        let value = if holds {
            value
        } else {
            let one = Value::Constant(vec![Element::Bits(Bits::from_u64(1, 1))]);
            self.push(bit.clone(), Action::Binary("xor", Flags::default(), operand(value), operand(one)))
        };
        let arguments = vec![(operand(value), Vec::new())];
        let action = Action::Call { function: ASSUME.to_owned(), arguments, attributes: Vec::new() };
        let instruction = Instruction { result: None, ty: Type::Void, action, place: Place::default() };
        self.slice.body.blocks[0].instructions.push(instruction);
    }

    /// Notes which values are used elsewhere too.
    fn keep(&mut self) {
        let root = (self.section, self.slice.line);
        for name in &self.slice.computed {
            let inside = |place: &(usize, usize)| {
                let line = &self.of.outline.sections[place.0].lines[place.1];
                line.result.as_deref().is_some_and(|result| self.included.contains(result))
            };
            let used = self.of.uses.get(name.as_str()).is_some_and(|uses| !uses.iter().all(inside));
            let is_root = self.of.places[name.as_str()] == root;
            if let (true, false, Some(Value::Local(own))) = (used, is_root, self.names.get(name)) {
                self.slice.kept.push(own.clone());
            }
        }
    }

    fn finish(&mut self, value: Value, ty: &Type) {
        let returned = Operand { ty: ty.clone(), value };
        let action = Action::Return(Some(returned));
        let end = Instruction { result: None, ty: Type::Void, action, place: Place::default() };
        self.slice.body.blocks[0].instructions.push(end);
    }
}
