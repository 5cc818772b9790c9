//! Equations by which an operation need not be computed: `add(a, 0) = a`, `min(a, a) = a`, `xor(xor(a, b), b) = a`.
//!
//! Every equation of a fixed set of shapes is tried on every operation. It is kept if it is proved at all known types and
//! parameter values: both sides are raised into one graph of exact integers ([`hydride_ir::exact`]), in which equal nodes
//! are equal for all inputs.

use std::collections::BTreeMap;

use autoir::Facts;
use hydride_ir::Function;
use hydride_ir::exact::{Dag, NodeId, Part, Raised, raise_with};
use hydride_ir::passes::instantiate;

use crate::identity::{Condition, Identity, Outcome, Splat};
use crate::operation::Operation;
use crate::scheme::Slot;

/// An operation at known types and parameter values.
struct Known<'a> {
    function: Function,
    facts: &'a Facts,
}

impl Operation<'_> {
    /// The equations that are proved, at most one for each condition.
    pub(crate) fn identities(&self) -> &[Identity] {
        self.identities.get_or_init(|| {
            let Ok(identities) = self.kept("identities", || Ok::<_, std::convert::Infallible>(proved(self)));
            identities
        })
    }
}

fn proved(operation: &Operation<'_>) -> Vec<Identity> {
    let op = operation.op;
    if op.result_count() != 1 {
        return Vec::new();
    }
    let Some(known) = known_instances(operation) else { return Vec::new() };
    let conditions = conditions(operation, &known).into_iter();
    conditions.filter_map(|when| Some(Identity { when, result: outcome(operation, &known, when)? })).collect()
}

/// The known instances, narrow ones first: on these it is found out soon what does not hold.
fn known_instances<'a>(operation: &'a Operation<'_>) -> Option<Vec<Known<'a>>> {
    let op = operation.op;
    let distinct: BTreeMap<&[i64], &Facts> =
        op.known.iter().map(|known| (known.params.as_slice(), &known.facts)).collect();
    let known = distinct.into_iter().map(|(params, facts)| {
        let function = instantiate(&op.class.function, params).ok()?;
        Some(Known { function, facts })
    });
    let mut known: Vec<Known<'_>> = known.collect::<Option<_>>()?;
    known.sort_by_key(|known| known.facts.results[0].width());
    Some(known)
}

/// What the operation is under a condition, if that is proved for all instances.
fn outcome(operation: &Operation<'_>, known: &[Known<'_>], when: Condition) -> Option<Outcome> {
    let arguments = (0..operation.scheme.args.len())
        .filter(|argument| all(known, |facts| facts.args[*argument] == facts.results[0]))
        .map(Outcome::Argument);
    let is_integer = all(known, |facts| !facts.results[0].is_float());
    let constants = if is_integer { &Splat::ALL[..] } else { &[Splat::Zero] };
    let constants = constants.iter().copied().map(Outcome::Constant);
    let mut outcomes: Vec<Outcome> = match when {
        Condition::Repeated => vec![Outcome::Argument(0), Outcome::Innermost],
        // The constant itself is among the constants.
        Condition::Constant { argument, .. } => {
            arguments.filter(|outcome| *outcome != Outcome::Argument(argument)).chain(constants).collect()
        }
        Condition::Same { .. } => arguments.chain(constants).collect(),
    };
    for known in known {
        outcomes = known.proved(when, &outcomes).unwrap_or_default();
        if outcomes.is_empty() {
            return None;
        }
    }
    outcomes.first().copied()
}

/// Whether every instruction with an immediate for an argument documents 0 for it.
fn documents_zero(operation: &Operation<'_>, argument: usize) -> bool {
    let mut ranges = operation.op.documented.values().filter_map(|ranges| ranges[argument]);
    ranges.all(|range| range.low <= 0 && 0 <= range.high)
}

/// Whether the types of all instances satisfy a condition.
fn all(known: &[Known<'_>], check: impl Fn(&Facts) -> bool) -> bool {
    known.iter().all(|known| check(known.facts))
}

/// The conditions that are tried on an operation.
fn conditions(operation: &Operation<'_>, known: &[Known<'_>]) -> Vec<Condition> {
    let slots = &operation.scheme.args;
    let mut conditions = Vec::new();
    for (argument, slot) in slots.iter().enumerate() {
        let is_float = known.iter().any(|known| known.facts.args[argument].is_float());
        let is_immediate = matches!(slot, Slot::Immediate(_));
        let is_flags = all(known, |facts| facts.args[argument].element == 1);
        let values = match (is_immediate, is_flags) {
            (true, _) if documents_zero(operation, argument) => &[Splat::Zero][..],
            (true, _) => &[],
            // The others are no numbers that people write.
            (false, _) if is_float => &[Splat::Zero],
            (false, true) => &[Splat::Zero, Splat::Ones],
            (false, false) => &Splat::ALL[..],
        };
        conditions.extend(values.iter().map(|value| Condition::Constant { argument, value: *value }));
        let others = (argument + 1..slots.len()).filter(|other| {
            !is_immediate
                && !matches!(slots[*other], Slot::Immediate(_))
                && all(known, |facts| facts.args[argument] == facts.args[*other])
        });
        conditions.extend(others.map(|other| Condition::Same { argument, other }));
    }
    let is_own = |facts: &Facts| facts.args[0] == facts.results[0];
    let first = slots.first().is_some_and(|slot| !matches!(slot, Slot::Immediate(_)));
    conditions.extend((first && all(known, is_own)).then_some(Condition::Repeated));
    conditions
}

impl Known<'_> {
    /// Those of the outcomes that are proved for this instance; `None` if a side cannot be raised.
    fn proved(&self, when: Condition, outcomes: &[Outcome]) -> Option<Vec<Outcome>> {
        let widths = self.function.args.iter().map(|arg| u32::try_from(arg.width.as_constant()?).ok());
        let mut dag = Dag::new(widths.collect::<Option<_>>()?);
        let plain: Vec<NodeId> = (0..self.facts.args.len()).map(|arg| dag.arg(arg as u32)).collect();
        let mut args = plain.clone();
        match when {
            Condition::Constant { argument, value } => {
                args[argument] = dag.bits(&value.at(self.facts.args[argument]));
            }
            Condition::Same { argument, other } => args[other] = args[argument],
            Condition::Repeated => {
                let inner = raise_with(&mut dag, &self.function, &[], &args).ok()?;
                args[0] = self.whole(&mut dag, &inner)?;
            }
        }
        let raised = raise_with(&mut dag, &self.function, &[], &args).ok()?;
        self.whole(&mut dag, &raised)?;
        let mut is_proved = |outcome: &Outcome| {
            let expected = match outcome {
                Outcome::Argument(argument) => args[*argument],
                Outcome::Constant(value) => dag.bits(&value.at(self.facts.results[0])),
                Outcome::Innermost => plain[0],
            };
            raised.results[0]
                .iter()
                .all(|segment| dag.slice(expected, segment.low, segment.width, false) == segment.value)
        };
        Some(outcomes.iter().copied().filter(|outcome| is_proved(outcome)).collect())
    }

    /// What is written to the only result as one value; `None` if bits are missing.
    fn whole(&self, dag: &mut Dag, raised: &Raised) -> Option<NodeId> {
        let [segments] = &raised.results[..] else { return None };
        let parts: Vec<Part> =
            segments.iter().map(|segment| Part { node: segment.value, width: segment.width }).collect();
        let written: u32 = parts.iter().map(|part| part.width).sum();
        (written == self.facts.results[0].width()).then(|| dag.concat(&parts))
    }
}
