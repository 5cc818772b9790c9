//! What stays fixed during a search: transitions by operand types, start values, wanted bytes.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use hydride_ir::Bits;

use crate::backward::Tables;
use crate::goal::{Goal, Output};
use crate::machine::Action;
use crate::movement::Source;
use crate::samples::samples;
use crate::transition::Transition;
use crate::units::{Piece, Units};
use crate::value::Type;

/// A wanted register.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) ty: usize,
    /// Contents in each sample; 0 where nothing is wanted.
    pub(crate) expected: Vec<u8>,
    /// For each byte of each sample the bits that are wanted.
    pub(crate) mask: Vec<u8>,
}

impl Target {
    /// Whether contents are what is wanted in every sample.
    pub(crate) fn matches(&self, contents: &[u8]) -> bool {
        self.matches_from(0, contents)
    }

    /// Whether contents are what is wanted from byte `from` of all samples on.
    pub(crate) fn matches_from(&self, from: usize, contents: &[u8]) -> bool {
        let range = from..from + contents.len();
        let pairs = self.expected[range.clone()].iter().zip(&self.mask[range]).zip(contents);
        pairs.fold(true, |all, ((expected, mask), byte)| all & (byte & mask == *expected))
    }
}

/// Transitions with the same operand types, contiguous in the list of all.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) args: Vec<usize>,
    pub(crate) transitions: std::ops::Range<usize>,
}

/// A transition's part in the last step: those of one class leave the same in the wanted bytes.
#[derive(Debug)]
pub(crate) struct LastStep {
    pub(crate) transitions: Vec<usize>,
}

/// A goal with everything that can be a step towards it.
pub(crate) struct Plan {
    pub(crate) transitions: Vec<Transition>,
    pub(crate) actions: Vec<Action>,
    pub(crate) result_types: Vec<usize>,
    pub(crate) groups: Vec<Group>,
    /// Bytes of a value of each type in one sample.
    pub(crate) sizes: Vec<usize>,
    /// The start state: types with contents, sample after sample.
    pub(crate) inputs: Vec<(usize, Vec<u8>)>,
    pub(crate) targets: Vec<Target>,
    /// For each target the classes of last steps by group.
    pub(crate) last: Vec<Vec<(usize, Vec<LastStep>)>>,
    /// For each transition where the units of its result come from, where all steps are data movements.
    pub(crate) pieces: Vec<Vec<Piece>>,
    /// The last steps by what they need, where values are labels; see [`Plan::prepare`].
    pub(crate) tables: Option<Tables>,
    /// For each transition its group.
    pub(crate) group_of: Vec<usize>,
    pub(crate) samples: usize,
    /// The greatest number of operands.
    pub(crate) arity: usize,
}

impl Plan {
    /// Keeps the transitions that lead from the goal's inputs to its outputs. `more` are further samples: for
    /// each input its contents.
    pub(crate) fn new(
        goal: &Goal,
        transitions: &[Transition],
        count: usize,
        more: &[Vec<Bits>],
    ) -> Option<Self> {
        let starts: Vec<Type> = goal.inputs.iter().map(|input| input.ty).collect();
        let ends: Vec<Type> = goal.outputs.iter().map(|output| output.ty).collect();
        let mut transitions = useful(transitions, &starts, &ends);
        let mut types: Vec<Type> = starts.iter().chain(&ends).copied().collect();
        types.extend(
            transitions.iter().flat_map(|transition| transition.args.iter().chain([&transition.result])),
        );
        types.sort();
        types.dedup();
        let id = |ty: &Type| types.iter().position(|known| known == ty).unwrap_or(0);
        // Groups by operand types; the order inside of a group is the given one.
        transitions.sort_by_cached_key(|transition| transition.args.iter().map(id).collect::<Vec<_>>());
        let mut groups: Vec<Group> = Vec::new();
        for (position, transition) in transitions.iter().enumerate() {
            let args: Vec<usize> = transition.args.iter().map(id).collect();
            match groups.last_mut() {
                Some(group) if group.args == args => group.transitions.end = position + 1,
                _ => groups.push(Group { args, transitions: position..position + 1 }),
            }
        }
        let result_types: Vec<usize> = transitions.iter().map(|transition| id(&transition.result)).collect();
        let arity = transitions.iter().map(|transition| transition.args.len()).max().unwrap_or(1);
        let mut group_of = vec![0; transitions.len()];
        for (number, group) in groups.iter().enumerate() {
            group_of[group.transitions.clone()].fill(number);
        }
        // A counterexample says that labels do not do.
        if more.is_empty()
            && let Some(units) = Units::new(goal, &transitions)
        {
            let spread = |labels: &[u16]| -> Vec<u8> {
                let byte = |sample| labels.iter().map(move |label| label.to_le_bytes()[sample]);
                (0..units.label_bytes).flat_map(byte).collect()
            };
            let target = |(output, labels): (&Output, &Vec<u16>)| Target {
                ty: id(&output.ty),
                expected: spread(labels),
                mask: spread(
                    &labels.iter().map(|label| if *label == 0 { 0 } else { u16::MAX }).collect::<Vec<_>>(),
                ),
            };
            let targets: Vec<Target> = goal.outputs.iter().zip(&units.outputs).map(target).collect();
            return Some(Self {
                actions: units.pieces.iter().map(|pieces| Action::new(Some(pieces))).collect(),
                inputs: starts.iter().map(id).zip(units.inputs.iter().map(|labels| spread(labels))).collect(),
                last: targets.iter().map(|_| Vec::new()).collect(),
                sizes: types.iter().map(|ty| ty.bytes() / units.unit).collect(),
                samples: units.label_bytes,
                pieces: units.pieces,
                tables: None,
                group_of,
                transitions,
                result_types,
                groups,
                targets,
                arity,
            });
        }
        let constants: Vec<Option<Bits>> = goal.inputs.iter().map(|input| input.constant.clone()).collect();
        let mut contents = samples(&starts, &constants, goal.element, count);
        for sample in more {
            for ((input, bits), bytes) in goal.inputs.iter().zip(sample).zip(&mut contents) {
                let bits = input.constant.as_ref().unwrap_or(bits);
                let all = bits.words().iter().flat_map(|word| word.to_le_bytes());
                bytes.extend(all.take(input.ty.bytes()));
            }
        }
        let samples = count + more.len();
        let targets = targets(goal, &contents, samples, &id)?;
        let sizes: Vec<usize> = types.iter().map(|ty| ty.bytes()).collect();
        let actions = transitions.iter().map(action).collect();
        let last =
            targets.iter().map(|target| last_steps(&transitions, &result_types, &groups, target)).collect();
        let inputs = starts.iter().map(id).zip(contents).collect();
        Some(Self {
            transitions,
            actions,
            result_types,
            groups,
            sizes,
            inputs,
            targets,
            last,
            pieces: Vec::new(),
            tables: None,
            group_of,
            samples,
            arity,
        })
    }

    /// Makes the tables for sequences of this many steps, where values are labels.
    pub(crate) fn prepare(&mut self, steps: usize, stop: &AtomicBool) {
        if self.pieces.is_empty() {
            return;
        }
        // The second level pays where steps are tried before it.
        let two_levels = steps > self.targets.len() + 1;
        if self.tables.as_ref().is_none_or(|tables| two_levels && !tables.tried) {
            self.tables = Some(Tables::new(self, two_levels, stop));
        }
    }
}

/// How a transition is executed on bytes.
fn action(transition: &Transition) -> Action {
    let piece = |source: &Source| match source {
        Source::Byte { operand, byte } => Piece::Of(*operand, *byte),
        // The same in every sample.
        Source::Constant(value) => Piece::Label(u16::from_le_bytes([*value; 2])),
    };
    let pieces: Option<Vec<Piece>> =
        transition.movement.as_ref().map(|sources| sources.iter().map(piece).collect());
    Action::new(pieces.as_deref())
}

/// The transitions whose operands can be there and whose result can lead to an output.
fn useful(transitions: &[Transition], starts: &[Type], ends: &[Type]) -> Vec<Transition> {
    let mut there: Vec<Type> = starts.to_vec();
    let mut wanted: Vec<Type> = ends.to_vec();
    loop {
        let before = (there.len(), wanted.len());
        for transition in transitions {
            if transition.args.iter().all(|arg| there.contains(arg)) && !there.contains(&transition.result) {
                there.push(transition.result);
            }
            if wanted.contains(&transition.result) {
                for arg in &transition.args {
                    if !wanted.contains(arg) {
                        wanted.push(*arg);
                    }
                }
            }
        }
        if before == (there.len(), wanted.len()) {
            break;
        }
    }
    let used = |transition: &Transition| {
        transition.args.iter().all(|arg| there.contains(arg)) && wanted.contains(&transition.result)
    };
    transitions.iter().filter(|transition| used(transition)).cloned().collect()
}

/// What the outputs must hold in each sample.
fn targets(
    goal: &Goal,
    contents: &[Vec<u8>],
    samples: usize,
    id: &impl Fn(&Type) -> usize,
) -> Option<Vec<Target>> {
    let specification = goal.specification()?;
    let mut targets: Vec<Target> = goal
        .outputs
        .iter()
        .map(|output| Target { ty: id(&output.ty), expected: Vec::new(), mask: Vec::new() })
        .collect();
    for sample in 0..samples {
        let args: Vec<Bits> = goal
            .inputs
            .iter()
            .zip(contents)
            .map(|(input, bytes)| {
                let mut words = Vec::new();
                let size = input.ty.bytes();
                crate::transition::push_words(&mut words, &bytes[sample * size..][..size]);
                Bits::from_words(input.ty.width, words)
            })
            .collect();
        let results = interp::evaluate(&specification, &args).ok()?;
        for ((output, target), packed) in goal.outputs.iter().zip(&mut targets).zip(results) {
            let start = target.expected.len();
            target.expected.resize(start + output.ty.bytes(), 0);
            target.mask.resize(start + output.ty.bytes(), 0);
            let mut from = 0;
            for wanted in &output.wanted {
                for bit in 0..wanted.width {
                    let (source, to) = (from + bit, wanted.low + bit);
                    let value = packed.words()[source as usize / 64] >> (source % 64) & 1;
                    let (byte, shift) = (start + to as usize / 8, to % 8);
                    target.expected[byte] |= (value as u8) << shift;
                    target.mask[byte] |= 1 << shift;
                }
                from += wanted.width;
            }
        }
    }
    Some(targets)
}

/// The transitions to a target's type, by group, those that leave the same in its wanted bytes together.
fn last_steps(
    transitions: &[Transition],
    result_types: &[usize],
    groups: &[Group],
    target: &Target,
) -> Vec<(usize, Vec<LastStep>)> {
    let mut all = Vec::new();
    for (number, group) in groups.iter().enumerate() {
        let mut classes: BTreeMap<_, LastStep> = BTreeMap::new();
        for position in group.transitions.clone().filter(|position| result_types[*position] == target.ty) {
            let transition = &transitions[position];
            // Only data movements are inspected: what other transitions share is not known here.
            let key = match &transition.movement {
                None => (None, Some(position), None, false),
                Some(sources) => {
                    let wanted = sources.iter().zip(&target.mask);
                    let sources: Vec<_> =
                        wanted.filter(|(_, mask)| **mask != 0).map(|(source, _)| *source).collect();
                    (Some(sources), None, transition.destroys, transition.commutative)
                }
            };
            classes
                .entry(key)
                .or_insert_with(|| LastStep { transitions: Vec::new() })
                .transitions
                .push(position);
        }
        if !classes.is_empty() {
            all.push((number, classes.into_values().collect()));
        }
    }
    all
}
