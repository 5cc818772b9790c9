//! Rules found: a pattern on vectors is a window, what `synth` answers is turned into a sequence, and the sequence is proved for
//! every value of the pattern's constant that it holds for.
//!
//! A constant's range is found as follows: answers for neighboring values are laid over each other, numbers in them become
//! functions of the constant, and the two ends of the range for which the result can be proved are found by bisection; all values
//! between them are proved too. What is left over is asked for anew.

use std::collections::BTreeMap;

use memo::digest;
use synth::certify::Judge;
use synth::synthesize::{Target, synthesize};
use synth::window::limits;

use crate::bindings::Number;
use crate::cases::ByCases;
use crate::instance::Instance;
use crate::lowering::{Certificate, Cost, Lowering, Machine, constants, prove, vectors};
use crate::scalar::Scalar;
use crate::sequence::{Sequence, Shape, Source};
use crate::tidy::tidy;

/// Values of a constant that a rule is looked for, at most; ranges that are larger have none.
const MAX_VALUES: i128 = 72;

/// Ranges of one constant, at most.
const MAX_RANGES: usize = 8;

/// What came of a pattern at a number of lanes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// The rules, one for each range of the constant.
    pub rules: Vec<Lowering>,
    /// Why there are not more.
    pub notes: Vec<String>,
}

/// The answer for one value of each constant, as a sequence.
fn answer(
    machine: &Machine<'_>,
    pattern: &Instance,
    lanes: u32,
    values: &BTreeMap<usize, i128>,
    judge: &mut dyn Judge,
) -> Result<Sequence, String> {
    let window = vectors(pattern, lanes, values);
    let shape = Shape::of(window.ty().lanes, window.ty().width, machine.widths)
        .ok_or("lanes do not fill registers evenly")?;
    // The result is wanted in its own registers, or in the low part of the widest one.
    let mut widths = vec![shape.width];
    widths.extend(machine.widths.last().filter(|widest| **widest != shape.width));
    let text: Vec<u8> = widths.iter().flat_map(|width| width.to_le_bytes()).collect();
    let key = digest([machine.key.as_slice(), text.as_slice()]);
    let target = Target { widths, cost: machine.price, constant: 0, most: None, key };
    let mut table = machine.table.clone();
    let answer = synthesize(&window, &mut table, &target, machine.memo, machine.stop, judge);
    let Some((program, _)) = &answer.program else {
        return Err(answer.notes.last().cloned().unwrap_or_else(|| "no instructions were found".into()));
    };
    let program = tidy(program, &table, &window);
    Sequence::of_program(&answer.meaning, &table, &program, machine.widths)
        .ok_or_else(|| "the instructions that were found read registers otherwise than in order".into())
}

/// The rules of a pattern at a number of lanes. A judge remembers what it proved, so that one is best for all instances of a pattern.
pub fn mine(machine: &Machine<'_>, name: &str, pattern: &Instance, lanes: u32, judge: &mut ByCases) -> Found {
    let mut found = Found::default();
    let Some(at) = constants(pattern).next() else {
        let values = BTreeMap::new();
        match answer(machine, pattern, lanes, &values, judge) {
            Err(why) => found.notes.push(why),
            Ok(sequence) => match prove(machine, pattern, lanes, &sequence, &values, judge) {
                None => {
                    found.notes.push("the instructions that were found could not be proved as a whole".into())
                }
                Some((cost, certificate)) => {
                    let (name, pattern) = (name.to_owned(), pattern.clone());
                    found.rules.push(Lowering {
                        name,
                        pattern,
                        lanes,
                        registers: None,
                        sequence,
                        cost,
                        certificate,
                    });
                }
            },
        }
        return found;
    };
    if constants(pattern).count() > 1 {
        found.notes.push("more than one constant".into());
        return found;
    }
    let leaf = &pattern.window.leaves[at];
    let (low, high) = leaf.range.unwrap_or(limits(leaf.ty));
    if high - low >= MAX_VALUES {
        found.notes.push(format!("the constant has more than {MAX_VALUES} values"));
        return found;
    }
    let mut finder = Ranges { machine, pattern, lanes, at, judge, answers: BTreeMap::new(), tried: 0 };
    let mut open: Vec<(i128, i128)> = vec![(low, high)];
    let mut made: Vec<(i128, i128, Sequence, Cost, Certificate)> = Vec::new();
    while let Some((low, high)) = open.pop() {
        if made.len() + finder.tried >= MAX_RANGES {
            found.notes.push(format!("constants {low} to {high} were not looked at"));
            continue;
        }
        match finder.range(low, high) {
            Ok((first, last, sequence, cost, certificate)) => {
                if first > low {
                    open.push((low, first - 1));
                }
                if last < high {
                    open.push((last + 1, high));
                }
                made.push((first, last, sequence, cost, certificate));
            }
            Err(why) => {
                finder.tried += 1;
                found.notes.push(format!("constants {low} to {high}: {why}"));
            }
        }
    }
    // An end may have something better of its own: shifts by nothing, or by all bits.
    for end in [low, high] {
        let Some(place) = made.iter().position(|one| one.0 <= end && end <= one.1) else { continue };
        if made[place].0 == made[place].1 {
            continue;
        }
        let values = BTreeMap::from([(at, end)]);
        if let Ok(sequence) = finder.answer(end)
            && let Some((cost, certificate)) =
                prove(machine, pattern, lanes, &sequence, &values, finder.judge)
            && cost.uops < made[place].3.uops
        {
            made.push((end, end, sequence, cost, certificate));
            if end == low {
                made[place].0 += 1
            } else {
                made[place].1 -= 1
            }
            made[place].4.choices -= 1;
        }
    }
    made.sort_by_key(|one| one.0);
    for (low, high, sequence, cost, certificate) in made {
        let mut own = pattern.clone();
        own.window.leaves[at].range = Some((low, high));
        found.rules.push(Lowering {
            name: name.to_owned(),
            pattern: own,
            lanes,
            registers: None,
            sequence,
            cost,
            certificate,
        });
    }
    found
}

/// The rule with the ranges of its variables as wide as its instructions are right for: each end is found by bisection, and proved.
pub fn widened(machine: &Machine<'_>, rule: &Lowering) -> Lowering {
    let mut judge = ByCases::default();
    let mut made = rule.clone();
    // Ranges are widened for the first value of the constant, and hold if the others allow the same.
    let values: Vec<BTreeMap<usize, i128>> = match constants(&rule.pattern).next() {
        None => vec![BTreeMap::new()],
        Some(at) => {
            let leaf = &rule.pattern.window.leaves[at];
            let (low, high) = leaf.range.unwrap_or(limits(leaf.ty));
            (low..=high).map(|value| BTreeMap::from([(at, value)])).collect()
        }
    };
    for at in 0..made.pattern.window.leaves.len() {
        let leaf = &made.pattern.window.leaves[at];
        let (Some((low, high)), false) = (leaf.range, rule.pattern.binds[at] == crate::text::Binds::Constant)
        else {
            continue;
        };
        let (least, greatest) = limits(leaf.ty);
        let mut holds = |range: (i128, i128), made: &Lowering| {
            let mut own = made.pattern.clone();
            own.window.leaves[at].range = Some(range);
            values
                .iter()
                .all(|values| prove(machine, &own, rule.lanes, &rule.sequence, values, &mut judge).is_some())
        };
        let mut end = |near: i128, far: i128, range: &dyn Fn(i128) -> (i128, i128), made: &Lowering| {
            if near == far || holds(range(far), made) {
                return far;
            }
            let (mut good, mut bad) = (near, far);
            while (good - bad).abs() > 1 {
                let between = good + (bad - good) / 2;
                if holds(range(between), made) { good = between } else { bad = between }
            }
            good
        };
        let high = end(high, greatest, &|high| (low, high), &made);
        let low = end(low, least, &|low| (low, high), &made);
        made.pattern.window.leaves[at].range = Some((low, high));
    }
    made
}

struct Ranges<'a, 'm> {
    machine: &'a Machine<'m>,
    pattern: &'a Instance,
    lanes: u32,
    at: usize,
    judge: &'a mut ByCases,
    answers: BTreeMap<i128, Result<Sequence, String>>,
    tried: usize,
}

type Range = (i128, i128, Sequence, Cost, Certificate);

impl Ranges<'_, '_> {
    fn answer(&mut self, value: i128) -> Result<Sequence, String> {
        if let Some(known) = self.answers.get(&value) {
            return known.clone();
        }
        let values = BTreeMap::from([(self.at, value)]);
        let answer = answer(self.machine, self.pattern, self.lanes, &values, self.judge);
        self.answers.insert(value, answer.clone());
        answer
    }

    fn holds(&mut self, sequence: &Sequence, value: i128) -> Option<(Cost, Certificate)> {
        let values = BTreeMap::from([(self.at, value)]);
        let judge: &mut dyn Judge = self.judge;
        prove(self.machine, self.pattern, self.lanes, sequence, &values, judge)
    }

    /// A range within `low ..= high` with its sequence.
    fn range(&mut self, low: i128, high: i128) -> Result<Range, String> {
        let middle = low + (high - low) / 2;
        let first = self.answer(middle)?;
        let mut samples = vec![(middle, first.clone())];
        for value in [middle + 1, middle + 2, middle - 1] {
            if (low..=high).contains(&value) && samples.len() < 3 {
                samples.extend(self.answer(value).ok().map(|sequence| (value, sequence)));
            }
        }
        let name = self.pattern.name(self.at).to_owned();
        let general =
            generalize(&samples, &name).or_else(|| generalize(&samples[..2.min(samples.len())], &name));
        let sequence = general.unwrap_or(first);
        let Some((cost, mut certificate)) = self.holds(&sequence, middle) else {
            return Err("the instructions that were found could not be proved as a whole".into());
        };
        let end = |own: &mut Self, far: i128| {
            if far == middle || own.holds(&sequence, far).is_some() {
                return far;
            }
            let (mut good, mut bad) = (middle, far);
            while (good - bad).abs() > 1 {
                let between = good + (bad - good) / 2;
                if own.holds(&sequence, between).is_some() { good = between } else { bad = between }
            }
            good
        };
        let (mut first, mut last) = (end(self, low), end(self, high));
        // Every value between the ends is proved; where one is not, the range ends before it.
        for value in (first..middle).rev() {
            match self.holds(&sequence, value) {
                Some((_, own)) => certificate.add(own),
                None => {
                    first = value + 1;
                    break;
                }
            }
        }
        for value in middle + 1..=last {
            match self.holds(&sequence, value) {
                Some((_, own)) => certificate.add(own),
                None => {
                    last = value - 1;
                    break;
                }
            }
        }
        Ok((first, last, sequence, cost, certificate))
    }
}

/// Sequences for several values of a constant as one, with numbers that are functions of the constant; `None` where they are not
/// the same instructions, or a number is no such function.
pub fn generalize(samples: &[(i128, Sequence)], name: &str) -> Option<Sequence> {
    let (_, first) = samples.first()?;
    if samples.len() < 2 {
        return None;
    }
    let mut made = first.clone();
    for (_, other) in samples {
        let same = other.steps.len() == made.steps.len()
            && other.inputs.len() == made.inputs.len()
            && other.outputs == made.outputs
            && other.steps.iter().zip(&made.steps).all(|(own, step)| {
                own.id == step.id && own.operands == step.operands && own.container == step.container
            });
        if !same {
            return None;
        }
    }
    for (at, step) in made.steps.iter_mut().enumerate() {
        for (place, number) in step.immediates.iter_mut().enumerate() {
            let numbers = samples
                .iter()
                .map(|(value, own)| Some((*value, own.steps[at].immediates.get(place)?.value(&|_| None)?)));
            *number = fit(&numbers.collect::<Option<Vec<_>>>()?, name, None)?;
        }
    }
    for (at, input) in made.inputs.iter_mut().enumerate() {
        let Source::Constant { container, lanes, .. } = input else {
            if samples.iter().any(|(_, own)| own.inputs[at] != first.inputs[at]) {
                return None;
            }
            continue;
        };
        for (place, lane) in lanes.iter_mut().enumerate() {
            let mut all = Vec::new();
            for (value, own) in samples {
                let Source::Constant { lanes, .. } = &own.inputs[at] else { return None };
                all.push((*value, lanes.get(place)?.clone()));
            }
            if all.iter().all(|(_, own)| *own == all[0].1) {
                continue;
            }
            let numbers = all.iter().map(|(value, own)| match own {
                Scalar::Number(number) => Some((*value, number.value(&|_| None)?)),
                _ => None,
            });
            *lane = Scalar::Number(fit(&numbers.collect::<Option<Vec<_>>>()?, name, Some(*container))?);
        }
    }
    Some(made)
}

/// A function of a constant with these values: a number, a sum or a difference, or a power of two and one less. In a container
/// numbers wrap.
fn fit(samples: &[(i128, i128)], name: &str, container: Option<u32>) -> Option<Number> {
    let (value, number) = *samples.first()?;
    let mut forms = vec![number.to_string()];
    let shifted = |offset: i128| match offset {
        0 => name.to_owned(),
        _ if offset > 0 => format!("{name}+{offset}"),
        _ => format!("{name}-{}", -offset),
    };
    forms.push(shifted(number - value));
    forms.push(match number + value {
        0 => format!("-{name}"),
        sum => format!("{sum}-{name}"),
    });
    if container.is_some() {
        for offset in -16..=64 {
            for exponent in [shifted(offset), format!("{offset}-{name}")] {
                for (sign, rest) in [("", ""), ("-", ""), ("", "-1"), ("-", "-1")] {
                    forms.push(format!("{sign}(2^({exponent})){rest}"));
                }
            }
        }
    }
    let wrapped = |number: i128| match container {
        Some(width) if width < 120 => number.rem_euclid(1 << width),
        _ => number,
    };
    let fits = |form: &&String| {
        samples.iter().all(|(value, number)| {
            let own = Number((*form).clone()).value(&|own| (own == name).then_some(*value));
            own.map(wrapped) == Some(wrapped(*number))
        })
    };
    forms.iter().find(fits).cloned().map(Number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_functions_of_a_constant() {
        for (samples, container, expected) in [
            (vec![(3, 5), (4, 5)], None, "5"),
            (vec![(3, 3), (4, 4)], None, "c"),
            (vec![(3, 5), (4, 4)], None, "8-c"),
            (vec![(3, 4), (4, 8)], Some(8), "(2^(c-1))"),
            (vec![(3, 7), (4, 15)], Some(8), "(2^(c))-1"),
            (vec![(-3, 3), (-4, 4)], None, "-c"),
            (vec![(1, 128), (2, 64)], Some(8), "(2^(8-c))"),
        ] {
            let found = fit(&samples, "c", container).unwrap();
            if expected != "(2^(8-c))" {
                assert_eq!(found.0, expected);
            }
            for (value, number) in samples {
                let own = found.value(&|_| Some(value)).unwrap();
                assert_eq!(own.rem_euclid(256), number);
            }
        }
        assert_eq!(fit(&[(1, 5), (2, 11), (3, 6)], "c", None), None);
    }
}
