//! Value tracking: what is known of a function's values from all that computes them, around loops as well, and from what was
//! decided or assumed on every way to a place.
//!
//! ```text
//! loop:
//!   %h = phi i32 [ 0, %entry ], [ %n, %loop ]      %h: range(i32 0, 256)
//!   %m = mul i32 %h, 33
//!   %n = and i32 %m, 255                           %n: range(i32 0, 256)
//! ```
//!
//! What is known holds of a value that is not poison; it is the same as long as other values are replaced by what refines
//! them. The facts of a vector hold of each of its elements.

use llvm_text::Type;
use refine::Outline;
use refine::ast::{Action, Element, Instruction, Operand, Value};
use rustc_hash::FxHashMap;

use crate::element::{One, Two};
use crate::facts::{Facts, binary, cast, negated, one, swapped, two};
use crate::flow::Flow;
use crate::run::{stem, width_of};

/// Rounds over a function after which sets that grow are widened.
const EARLY: usize = 3;
/// Rounds after which nothing is known.
const MAX_ROUNDS: usize = 40;
/// Steps back from a value in which what was decided counts.
const MAX_STEPS: usize = 3;
/// The most conditions that are looked at for a place.
const MAX_CONDITIONS: usize = 16;

/// What is known of a function's values.
pub struct Tracking<'o> {
    outline: &'o Outline,
    /// Where values are made.
    places: FxHashMap<&'o str, (usize, usize)>,
    /// Sets of values that are tracked; `None` for one that is always poison, or never made.
    known: FxHashMap<&'o str, Option<Facts>>,
}

/// A comparison that holds where something is looked at: of two operands by a predicate.
type Holding<'o> = (&'o str, &'o Operand, &'o Operand);

impl<'o> Tracking<'o> {
    /// What is known of a function's values wherever they are.
    pub fn new(outline: &'o Outline, flow: &Flow) -> Self {
        let mut places = FxHashMap::default();
        for (section, own) in outline.sections.iter().enumerate() {
            for (at, line) in own.lines.iter().enumerate() {
                places.extend(line.result.as_deref().map(|result| (result, (section, at))));
            }
        }
        let mut own = Self { outline, places, known: FxHashMap::default() };
        let lines = || outline.sections.iter().flat_map(|section| &section.lines);
        for line in lines() {
            if let (Some(result), Some(instruction)) = (&line.result, &line.instruction)
                && width_of(&instruction.ty).is_some()
            {
                own.known.insert(result, None);
            }
        }
        for round in 0..MAX_ROUNDS {
            if !own.round(flow, round > EARLY) {
                return own;
            }
        }
        own.known.clear();
        own
    }

    /// Computes all sets once more; whether one has changed.
    fn round(&mut self, flow: &Flow, widens: bool) -> bool {
        let (mut changed, outline) = (false, self.outline);
        for (section, own) in outline.sections.iter().enumerate() {
            for line in &own.lines {
                let (Some(name), Some(instruction)) = (line.result.as_deref(), &line.instruction) else {
                    continue;
                };
                let Some(before) = self.known.get(name).copied() else { continue };
                let mut after = self.of_instruction(instruction, &|operand| self.operand(operand));
                if let (Some(facts), Some(said)) = (after, outline.ranges.get(name)) {
                    after = Facts::of_attributes(facts.width(), std::slice::from_ref(said))
                        .map_or(after, |said| facts.meet(said));
                }
                if matches!(instruction.action, Action::Phi(_)) && flow.is_header(section) {
                    after = match (before, after) {
                        (Some(before), Some(after)) if before.join(after) == before => Some(before),
                        (Some(before), Some(after)) if widens => Some(before.widened(before.join(after))),
                        (Some(before), Some(after)) => Some(before.join(after)),
                        (before, after) => after.or(before),
                    };
                }
                if after != before {
                    self.known.insert(name, after);
                    changed = true;
                }
            }
        }
        changed
    }

    /// What is known of a value wherever it is; all numbers where nothing is.
    fn named(&self, name: &str, width: u32) -> Option<Facts> {
        match self.known.get(name) {
            Some(known) => known.filter(|known| known.width() == width),
            None => {
                let said = self.outline.ranges.get(name);
                Some(
                    said.and_then(|own| Facts::of_attributes(width, std::slice::from_ref(own)))
                        .unwrap_or(Facts::all(width)),
                )
            }
        }
    }

    fn operand(&self, operand: &Operand) -> Option<Facts> {
        let width = width_of(&operand.ty)?;
        match &operand.value {
            Value::Local(name) => self.named(name, width),
            Value::Constant(elements) => constant(elements, width),
        }
    }

    /// What an instruction makes of its operands' sets; `None` if it only makes poison.
    fn of_instruction(
        &self,
        instruction: &Instruction,
        of: &dyn Fn(&Operand) -> Option<Facts>,
    ) -> Option<Facts> {
        let width = width_of(&instruction.ty)?;
        let all = Some(Facts::all(width));
        let is_plain = |operand: &Operand| width_of(&operand.ty).is_some();
        match &instruction.action {
            Action::Binary(name, flags, left, right) => binary(name, *flags, of(left)?, of(right)?),
            Action::Compare(predicate, _, left, right) if is_plain(left) => {
                Some(of(left)?.compared(predicate, of(right)?))
            }
            Action::Cast(name, flags, from, to) if is_plain(from) => match (*name, &from.ty, to) {
                // Elements that are joined or split.
                ("bitcast", ..) if width_of(&from.ty) != Some(width) => all,
                _ => cast(name, *flags, of(from)?, width),
            },
            Action::Select(_, then, otherwise) => either(of(then), of(otherwise)),
            Action::Shuffle(left, right, mask) => {
                let count = count(&left.ty);
                let reads = |second: bool| mask.iter().flatten().any(|at| (*at >= count) == second);
                let own = |operand, second| if reads(second) { of(operand) } else { None };
                either(own(left, false), own(right, true))
            }
            Action::ExtractElement(vector, _) => of(vector),
            Action::InsertElement(vector, element, _) => either(of(vector), of(element)),
            Action::Phi(ways) => {
                let value = |value: &Value| of(&Operand { ty: instruction.ty.clone(), value: value.clone() });
                ways.iter().map(|(own, _)| value(own)).fold(None, either)
            }
            Action::Call { function, arguments, .. } => {
                let operands: Vec<&Operand> = arguments.iter().map(|(operand, _)| operand).collect();
                called(function, &operands, of).unwrap_or(all)
            }
            _ => all,
        }
    }

    /// What is known of a value at the end of a section that conditions lead to: bits by name, and whether they are 1.
    pub fn at(&self, name: &str, ty: &Type, conditions: &[(&'o str, bool)]) -> Option<Facts> {
        let width = width_of(ty)?;
        let mut holding = Vec::new();
        for (condition, holds) in conditions.iter().take(MAX_CONDITIONS) {
            self.decided(condition, *holds, MAX_STEPS, &mut holding);
        }
        self.refined(name, width, &holding, MAX_STEPS)
    }

    fn instruction(&self, name: &str) -> Option<&'o Instruction> {
        let (section, line) = *self.places.get(name)?;
        self.outline.sections[section].lines[line].instruction.as_ref()
    }

    /// The comparisons that hold where a bit is known.
    fn decided(&self, name: &str, holds: bool, steps: usize, all: &mut Vec<Holding<'o>>) {
        let (Some(instruction), true) = (self.instruction(name), steps > 0) else { return };
        let mut next = |operand: &'o Operand, holds: bool| {
            if let Value::Local(name) = &operand.value {
                self.decided(name, holds, steps - 1, all);
            }
        };
        let is =
            |operand: &Operand, bit: u64| self.operand(operand).and_then(|own| own.single()) == Some(bit);
        match &instruction.action {
            Action::Compare(predicate, _, left, right) => {
                all.push((if holds { predicate } else { negated(predicate) }, left, right));
            }
            Action::Binary("and", _, left, right) if holds => {
                [left, right].into_iter().for_each(|own| next(own, true))
            }
            Action::Binary("or", _, left, right) if !holds => {
                [left, right].into_iter().for_each(|own| next(own, false))
            }
            Action::Binary("xor", _, left, right) if is(right, 1) => next(left, !holds),
            Action::Select(condition, then, otherwise) if holds && is(otherwise, 0) => {
                [condition, then].into_iter().for_each(|own| next(own, true));
            }
            Action::Select(condition, then, otherwise) if !holds && is(then, 1) => {
                [condition, otherwise].into_iter().for_each(|own| next(own, false));
            }
            _ => {}
        }
    }

    /// What is known of a value where comparisons hold, also of those that it is computed from in a few steps.
    fn refined(&self, name: &str, width: u32, holding: &[Holding<'o>], steps: usize) -> Option<Facts> {
        let mut known = self.named(name, width)?;
        for (predicate, left, right) in holding {
            for (predicate, own, other) in [(*predicate, left, right), (swapped(predicate), right, left)] {
                let (Some(before), Some(other)) = (self.operand(own), self.operand(other)) else { continue };
                let said = before
                    .with(predicate, other)
                    .map(|after| self.behind(own, after, name, width, MAX_STEPS));
                match said {
                    Some(Some(said)) => known = known.meet(said)?,
                    Some(None) => {}
                    None => return None,
                }
            }
        }
        let instruction = self.instruction(name).filter(|own| !matches!(own.action, Action::Phi(_)));
        if let (Some(instruction), true) = (instruction, steps > 0 && !holding.is_empty()) {
            let of = |operand: &Operand| match (&operand.value, width_of(&operand.ty)) {
                (Value::Local(name), Some(width)) => self.refined(name, width, holding, steps - 1),
                _ => self.operand(operand),
            };
            known = known.meet(self.of_instruction(instruction, &of)?)?;
        }
        Some(known)
    }

    /// What the set of an operand says of a value from which it is computed; `None` where that is nothing.
    fn behind(&self, of: &Operand, known: Facts, name: &str, width: u32, steps: usize) -> Option<Facts> {
        let Value::Local(own) = &of.value else { return None };
        if own == name {
            return (known.width() == width).then_some(known);
        }
        let instruction = self.instruction(own).filter(|_| steps > 0)?;
        let single = |operand: &Operand| self.operand(operand)?.single();
        let (zeros, ones) = known.bits();
        let (inner, said) = match &instruction.action {
            Action::Binary("add", _, left, right) => {
                (left, two(Two::Sub, known, Facts::point(known.width(), single(right)?)))
            }
            Action::Binary("and", _, left, right) => {
                let mask = single(right)?;
                (left, Facts::of_bits(known.width(), zeros & mask, ones))
            }
            Action::Binary("or", _, left, right) => {
                let mask = single(right)?;
                (left, Facts::of_bits(known.width(), zeros, ones & !mask))
            }
            Action::Binary("lshr", _, left, right) => {
                let by = single(right).filter(|by| *by < u64::from(known.width()))?;
                let ((low, high), most) = (known.unsigned(), crate::element::ones(known.width()) >> by);
                let end = (high.min(most) << by) | ((1 << by) - 1);
                (left, (low <= most).then(|| Facts::between(known.width(), low << by, end)))
            }
            Action::Cast("zext" | "sext", _, inner, _) => {
                let narrow = cast("trunc", Default::default(), known, width_of(&inner.ty)?);
                (inner, narrow)
            }
            Action::Cast("trunc", _, inner, _) => (inner, Facts::of_bits(width_of(&inner.ty)?, zeros, ones)),
            _ => return None,
        };
        self.behind(inner, said?, name, width, steps - 1)
    }
}

/// A value of one of two sets.
fn either(a: Option<Facts>, b: Option<Facts>) -> Option<Facts> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.join(b)),
        (a, b) => a.or(b),
    }
}

fn count(ty: &Type) -> u32 {
    if let Type::Vector(count, _) = ty { *count } else { 1 }
}

/// The elements of a constant that are not poison.
fn constant(elements: &[Element], width: u32) -> Option<Facts> {
    let set = |element: &Element| match element {
        Element::Bits(bits) => bits.to_u64().map(|value| Facts::point(width, value)),
        Element::Undef => Some(Facts::all(width)),
        Element::Poison => None,
    };
    elements.iter().map(set).fold(None, either)
}

/// What a generic intrinsic gives; `None` for any other function.
fn called(
    function: &str,
    operands: &[&Operand],
    of: &dyn Fn(&Operand) -> Option<Facts>,
) -> Option<Option<Facts>> {
    let stem = stem(function.strip_prefix("llvm.").map(|_| function)?);
    let first = *operands.first()?;
    width_of(&first.ty)?;
    if let Some(operator) = One::named(&stem) {
        return Some(of(first).and_then(|own| one(operator, own)));
    }
    if let (Some(operator), [a, b]) = (Two::named(&stem).filter(|own| own.is_intrinsic()), operands) {
        return Some(of(a).zip(of(b)).and_then(|(a, b)| two(operator, a, b)));
    }
    // One of the elements, or fewer or more bits than all of them have.
    let is_element =
        |own: Two| matches!(own, Two::UMin | Two::UMax | Two::SMin | Two::SMax | Two::And | Two::Or);
    let reduced = stem.strip_prefix("vector.reduce.").and_then(Two::named).filter(|own| is_element(*own));
    reduced.map(|operator| {
        let own = of(first)?;
        match operator {
            // Elements are joined in any order: what holds of one with one holds of all.
            Two::And | Two::Or => (0..count(&first.ty)).try_fold(own, |all, _| two(operator, all, own)),
            _ => Some(own),
        }
    })
}
