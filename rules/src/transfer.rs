//! What was found for an instance of a pattern, taken over to another one: to narrower registers, by the same operations on them, or to
//! other signs, where both patterns compute the same bits.
//!
//! ```text
//! _mm512_adds_epi8(a, b)   for 64 lanes   →   _mm_adds_epi8(a, b)   for 16
//! ```
//!
//! Whatever is taken over is proved for what it then is for, as is what is found.

use std::collections::BTreeMap;

use search::Class;
use synth::table::{Op, Table};
use synth::window::{Leaf, Meaning, limits};

use crate::bindings::Number;
use crate::cases::ByCases;
use crate::instance::Instance;
use crate::lowering::{Certificate, Lowering, Machine, constants, is_fixed, prove, vectors};
use crate::mine::Found;
use crate::sequence::{Sequence, Shape, Source, Step, register, register_text};
use crate::text::Binds;

/// Values of a constant for which two patterns are compared, at most.
const MAX_COMPARED: i128 = 72;

/// What a pattern asks for at a number of lanes, as text: patterns with the same text compute the same bits of the same bits. `None`
/// where that text would be too long.
pub fn question(pattern: &Instance, lanes: u32) -> Option<String> {
    let mut text = String::new();
    for (leaf, binds) in pattern.window.leaves.iter().zip(&pattern.binds) {
        let Leaf { name, ty, range, .. } = leaf;
        text += &format!("{name} {binds:?} {} {} {range:?} ", ty.width, ty.lanes);
    }
    for values in choices(pattern)? {
        text += &format!("{values:?}\n");
        let window = vectors(pattern, lanes, &values);
        let mut meaning = Meaning::new(&window);
        let families = meaning.families(window.root)?;
        for family in families {
            let value = meaning.dag.slice(family.value, 0, window.ty().width, false);
            let shown = meaning.dag.show(value);
            if shown.ends_with('…') {
                return None;
            }
            text += &format!("{:?} {shown}\n", family.lanes);
        }
    }
    Some(text)
}

/// The values of a pattern's constant, each by its position; `None` where there are too many.
fn choices(pattern: &Instance) -> Option<Vec<BTreeMap<usize, i128>>> {
    let mut all = constants(pattern);
    let Some(at) = all.next() else { return Some(vec![BTreeMap::new()]) };
    let leaf = &pattern.window.leaves[at];
    let (low, high) = leaf.range.unwrap_or(limits(leaf.ty));
    let few = all.next().is_none() && high - low < MAX_COMPARED;
    few.then(|| (low..=high).map(|value| BTreeMap::from([(at, value)])).collect())
}

/// The same rules for another pattern that asks for the same, at the same number of lanes. `None` where one is not proved.
pub fn with_other_signs(
    machine: &Machine<'_>,
    found: &Found,
    pattern: &Instance,
    judge: &mut ByCases,
) -> Option<Found> {
    let own = |rule: &Lowering| Some((rule.lanes, rule.sequence.clone()));
    transferred(machine, found, pattern, &own, judge)
}

/// The same rules for fewer lanes, which fill narrower registers. `None` where there are none, an operation is not there, or a
/// rule is not proved.
pub fn in_narrower_registers(
    machine: &Machine<'_>,
    found: &Found,
    pattern: &Instance,
    lanes: u32,
    judge: &mut ByCases,
) -> Option<Found> {
    if is_fixed(pattern) || found.rules.is_empty() {
        return None;
    }
    let own = |rule: &Lowering| Some((lanes, narrowed(machine, rule, lanes)?));
    transferred(machine, found, pattern, &own, judge)
}

fn transferred(
    machine: &Machine<'_>,
    found: &Found,
    pattern: &Instance,
    sequence: &dyn Fn(&Lowering) -> Option<(u32, Sequence)>,
    judge: &mut ByCases,
) -> Option<Found> {
    let mut made = Found { rules: Vec::new(), notes: found.notes.clone() };
    for rule in &found.rules {
        let (lanes, sequence) = sequence(rule)?;
        let mut own = pattern.clone();
        let constant = constants(&own).next();
        if let Some(at) = constant {
            own.window.leaves[at].range = rule.pattern.window.leaves[at].range;
        }
        let (mut cost, mut certificate) = (None, Certificate::default());
        for values in choices(&own)? {
            let (each, proof) = prove(machine, pattern, lanes, &sequence, &values, judge)?;
            cost.get_or_insert(each);
            certificate.add(proof);
        }
        let name = rule.name.clone();
        made.rules.push(Lowering {
            name,
            pattern: own,
            lanes,
            registers: None,
            sequence,
            cost: cost?,
            certificate,
        });
    }
    Some(made)
}

/// Registers of one width, and those that take their place.
#[derive(Clone, Copy)]
struct Ratio {
    from: u32,
    to: u32,
}

impl Ratio {
    fn holds(self, from: u32, to: u32) -> bool {
        u64::from(from) * u64::from(self.to) == u64::from(to) * u64::from(self.from)
    }
}

/// A rule's sequence on narrower registers, where each of its values is in one register.
fn narrowed(machine: &Machine<'_>, rule: &Lowering, lanes: u32) -> Option<Sequence> {
    let result = rule.pattern.window.ty().width;
    let shape = |lanes: u32| Shape::of(lanes, result, machine.widths).filter(|shape| shape.count == 1);
    let ratio = Ratio { from: shape(rule.lanes)?.width, to: shape(lanes)?.width };
    let values = rule.pattern.window.leaves.iter().zip(&rule.pattern.binds);
    let mut dense = values.filter(|(_, binds)| **binds == Binds::Anything);
    if !dense.all(|(leaf, _)| leaf.ty.width == result) || !ratio.holds(rule.lanes, lanes) {
        return None;
    }
    let mut made = rule.sequence.clone();
    for input in &mut made.inputs {
        let Source::Constant { ty, container, lanes } = input else { continue };
        let mut own = register(ty)?;
        if own.class == Class::Vector && own.width == ratio.from {
            own.width = ratio.to;
            lanes.truncate((own.width / *container) as usize);
            *ty = register_text(own);
        }
    }
    let values = choices(&rule.pattern)?.into_iter().next()?;
    let constant =
        |name: &str| values.iter().find(|(at, _)| rule.pattern.name(**at) == name).map(|(_, value)| *value);
    let mut table = machine.table.clone();
    for step in &mut made.steps {
        step.id = operation(machine, &mut table, step, &constant, ratio)?;
    }
    Some(made)
}

/// The instruction that does on narrower registers what a step does.
fn operation(
    machine: &Machine<'_>,
    table: &mut Table,
    step: &Step,
    constant: &dyn Fn(&str) -> Option<i128>,
    ratio: Ratio,
) -> Option<String> {
    let number = |number: &Number| i64::try_from(number.value(constant)?).ok();
    let choices = step.immediates.iter().map(number).collect::<Option<Vec<i64>>>()?;
    let own = machine.index.take(table, &step.id, &choices)?;
    let own = table.op(own);
    let is = |other: &Op| {
        let args = other.args.iter().zip(&own.args).all(|(other, own)| {
            other.class == own.class
                && (other.width == own.width
                    || own.class == Class::Mask
                    || ratio.holds(own.width, other.width))
        });
        let lanes = other.reads.len();
        let result = other.result.class == own.result.class
            && (own.result.class == Class::Mask || ratio.holds(own.result.width, other.result.width));
        other.choices == own.choices
            && other.args.len() == own.args.len()
            && args
            && result
            && ratio.holds(own.reads.len() as u32, lanes as u32)
            && other.reads[..] == own.reads[..lanes]
    };
    let plain = own.lanes.is_empty() && own.keeps.is_none();
    let other = table.members(own.template).iter().find(|id| plain && is(table.op(**id)))?;
    Some(table.instruction(*other).id.clone())
}
