//! How classes relate: one is another with a fixed parameter, with a constant or repeated argument, or
//! followed by a third.
//!
//! Each such relation is tried on a small instance of a class: the changed function is analyzed like an instruction,
//! meets the class whose key it has, and is proved to be a member of it, next to that class's members
//! ([`crate::partition()`]). Without a proof there is no relation.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash;
use std::sync::OnceLock;

use hydride_ir::passes::{dead_code, instantiate};
use hydride_ir::visit::rewrite;
use hydride_ir::{
    Arg, ArgId, Bits, ExprId, Function, IndexId, Num, Op, ResultId, ResultSlot, Role, Stmt, legality,
};
use memo::{Content, key_of};
use rayon::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use smt::{Key, Memo, Prover};

use crate::analyze::{Analysis, Analyzed, analyze};
use crate::cached::{Keyed, of_function};
use crate::partition::{Class, Partition, partition};

/// What makes one class another; classes are positions in the partition's list.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Relation {
    /// The class that is changed; for [`Change::Then`] the one that is split.
    pub from: usize,
    /// What is done to it.
    pub change: Change,
    /// The class that results; for [`Change::Then`] the one that is computed first.
    pub to: usize,
}

/// What is done to a class.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Change {
    /// A parameter has a value that no member has.
    Parameter {
        /// The parameter.
        name: String,
        /// Its value.
        value: i64,
    },
    /// An argument has all bits zero, or all one.
    Constant {
        /// The argument's position.
        arg: u32,
        /// Whether the bits are ones.
        ones: bool,
    },
    /// Two arguments are the same.
    Same {
        /// One argument's position.
        arg: u32,
        /// The other's.
        other: u32,
    },
    /// It computes `to` and then this class on the result.
    Then {
        /// The class computed last.
        last: usize,
    },
}

/// A changed instance of a class.
#[derive(Serialize, Deserialize)]
struct Trial {
    function: Function,
    analysis: Analysis,
}

/// What a trial is, in short: enough to see which class it meets.
#[derive(Serialize, Deserialize)]
struct Outcome {
    change: Trying,
    /// The key of its shape.
    shape: String,
    /// The hash of its function.
    function: Key,
}

#[derive(Clone, Serialize, Deserialize)]
enum Trying {
    One(Change),
    /// The operand of this position, computed first, and what is left to compute then.
    First(u32),
    Last(u32),
}

/// A trial that has the key of another class.
struct Meeting<'a> {
    /// The name of the trial, unique among all.
    name: String,
    /// The class that is changed, and the position among its trials.
    from: usize,
    position: usize,
    outcome: &'a Outcome,
    /// The other class.
    to: usize,
}

/// All relations that can be shown, sorted.
pub fn relations(
    entries: &[Analyzed<'_>],
    classes: &[Class],
    new_prover: &(dyn Fn() -> Prover + Sync),
) -> Vec<Relation> {
    let prover = new_prover();
    let memo = prover.memo();
    let outcomes: Vec<Vec<Outcome>> = classes.par_iter().map(|class| outcomes(class, memo)).collect();
    let met = meetings(&outcomes, entries, classes);
    let owners = owners(&met, entries, classes);
    let key = || {
        let mut content = Content::default();
        "relations".hash(&mut content);
        for Meeting { name, outcome, .. } in &met {
            (name, outcome.function).hash(&mut content);
        }
        for (Analyzed { isa, id, function, analysis: _ }, to) in &owners {
            (isa, id, function, to).hash(&mut content);
        }
        content.key()
    };
    let proved = memo.try_get_or(key, || proved(&met, &owners, classes, new_prover));
    let proved = proved.unwrap_or_else(|proved| proved);
    let mut found: BTreeSet<Relation> = BTreeSet::new();
    let mut halves: BTreeMap<(usize, u32), (Option<usize>, Option<usize>)> = BTreeMap::new();
    for Meeting { name, from, outcome, to, .. } in met {
        if !proved.contains(&(name, to)) {
            continue;
        }
        match &outcome.change {
            Trying::One(change) => {
                found.insert(Relation { from, change: change.clone(), to });
            }
            Trying::First(operand) => halves.entry((from, *operand)).or_default().0 = Some(to),
            Trying::Last(operand) => halves.entry((from, *operand)).or_default().1 = Some(to),
        }
    }
    for ((from, _), halves) in halves {
        if let (Some(to), Some(last)) = halves {
            found.insert(Relation { from, change: Change::Then { last }, to });
        }
    }
    found.into_iter().collect()
}

/// The trials that have the key of another class.
fn meetings<'a>(
    outcomes: &'a [Vec<Outcome>],
    entries: &[Analyzed<'_>],
    classes: &[Class],
) -> Vec<Meeting<'a>> {
    let mut by_key: BTreeMap<&str, usize> = BTreeMap::new();
    for (position, class) in classes.iter().enumerate() {
        for member in &class.members {
            by_key.entry(&entries[member.entry].analysis.shape.key).or_insert(position);
        }
    }
    let mut met = Vec::new();
    for (from, outcomes) in outcomes.iter().enumerate() {
        for (position, outcome) in outcomes.iter().enumerate() {
            if let Some(to) = by_key.get(outcome.shape.as_str()).copied().filter(|to| *to != from) {
                met.push(Meeting { name: format!("{from:04}.{position:04}"), from, position, outcome, to });
            }
        }
    }
    met
}

/// Two members of each class that is met, with its position.
fn owners<'a>(
    met: &[Meeting<'_>],
    entries: &[Analyzed<'a>],
    classes: &[Class],
) -> Vec<(Analyzed<'a>, usize)> {
    let targets: BTreeSet<usize> = met.iter().map(|meeting| meeting.to).collect();
    let mut known: BTreeSet<(&str, &str)> = BTreeSet::new();
    let mut owners = Vec::new();
    for to in targets {
        let members = &classes[to].members;
        for member in [&members[0], &members[members.len() - 1]] {
            let entry = entries[member.entry];
            if known.insert((entry.isa, entry.id)) {
                owners.push((entry, to));
            }
        }
    }
    owners
}

/// The trials of a class, or what an earlier run kept of them: they depend on its function and on the parameter values
/// that its members have.
fn trials(class: &Class, memo: &Memo) -> Vec<(Trying, Trial)> {
    of_class("trials", class, memo, || {
        let analyzed = |(change, function): (Trying, Function)| {
            let Analysis { shape, .. } = analyze(&function).ok()?;
            Some((change, Trial { function, analysis: Analysis::new(None, shape) }))
        };
        changed(class, &known(class)).into_iter().filter_map(analyzed).collect()
    })
}

/// The outcomes of the trials of a class. They are much smaller than the trials, which are rarely needed again.
fn outcomes(class: &Class, memo: &Memo) -> Vec<Outcome> {
    of_class("outcomes", class, memo, || {
        let outcome = |(change, Trial { function, analysis })| Outcome {
            change,
            shape: analysis.shape.key,
            function: key_of(&function),
        };
        trials(class, memo).into_iter().map(outcome).collect()
    })
}

/// What follows from the function of a class and the parameter values of its members.
fn of_class<T: Serialize + DeserializeOwned>(
    what: &str,
    class: &Class,
    memo: &Memo,
    make: impl FnOnce() -> T,
) -> T {
    let names: Vec<&str> = class.function.params.iter().map(|param| param.name.as_str()).collect();
    let function = Keyed { function: &class.function, key: &OnceLock::new() };
    of_function(&format!("{what} {names:?} {:?}", known(class)), function, memo, make)
}

/// The parameter values of each member.
fn known(class: &Class) -> Vec<&[i64]> {
    class.members.iter().map(|member| member.application.params.as_slice()).collect()
}

/// The instruction set of trials, which is none.
const TRIAL: &str = "~";

/// Trials, by name, that are proved to be in one class with a member of a given class.
type Proved = BTreeSet<(String, usize)>;

/// What is proved of these trials; an error where a question was not decided, which is not kept.
fn proved(
    met: &[Meeting<'_>],
    owners: &[(Analyzed<'_>, usize)],
    classes: &[Class],
    new_prover: &(dyn Fn() -> Prover + Sync),
) -> Result<Proved, Proved> {
    let prover = new_prover();
    let changed: BTreeSet<usize> = met.iter().map(|meeting| meeting.from).collect();
    let trials: BTreeMap<usize, Vec<(Trying, Trial)>> =
        changed.into_par_iter().map(|from| (from, trials(&classes[from], prover.memo()))).collect();
    let mut candidates: Vec<Analyzed<'_>> = Vec::new();
    for Meeting { name, from, position, .. } in met {
        let (_, Trial { function, analysis }) = &trials[from][*position];
        candidates.push(Analyzed { isa: TRIAL, id: name, function, analysis });
    }
    candidates.extend(owners.iter().map(|(entry, _)| *entry));
    let owners: BTreeMap<(&str, &str), usize> =
        owners.iter().map(|(entry, to)| ((entry.isa, entry.id), *to)).collect();
    let Partition { classes, unknown, .. } = partition(&candidates, new_prover, &|_| {});
    let mut proved = BTreeSet::new();
    for class in &classes {
        let members = || class.members.iter().map(|member| &candidates[member.entry]);
        let real: BTreeSet<usize> =
            members().filter_map(|entry| owners.get(&(entry.isa, entry.id)).copied()).collect();
        for trial in members().filter(|entry| entry.isa == TRIAL) {
            proved.extend(real.iter().map(|to| (trial.id.to_owned(), *to)));
        }
    }
    if unknown.is_empty() { Ok(proved) } else { Err(proved) }
}

/// The changed instances of a class.
fn changed(class: &Class, known: &[&[i64]]) -> Vec<(Trying, Function)> {
    let size = |params: &[i64]| {
        let at = |num: &Num| num.eval(|atom| value(atom, params)).unwrap_or(i64::MAX);
        let widths = class.function.args.iter().map(|arg| &arg.width);
        widths
            .chain(class.function.results.iter().map(|result| &result.width))
            .map(at)
            .fold(0, i64::saturating_add)
    };
    let Some(params) = known.iter().copied().min_by_key(|params| (size(params), params.to_vec())) else {
        return Vec::new();
    };
    // Functions without lane form have no relatives but themselves, and can be very large.
    let Ok(instance) = instantiate(&class.function, params) else { return Vec::new() };
    if instance.body.len() > MAX_STATEMENTS {
        return Vec::new();
    }
    let mut trials = Vec::new();
    let mut push = |change: Trying, function: Option<Function>| {
        trials.extend(function.map(|function| (change, function)));
    };
    let args = &instance.args;
    let register = |arg: usize| !args[arg].role.is_immediate();
    for arg in (0..args.len()).filter(|arg| register(*arg) && args.len() > 1) {
        for ones in [false, true] {
            let change = Change::Constant { arg: arg as u32, ones };
            push(Trying::One(change), with_constant(&instance, arg as u32, ones));
        }
        for other in (arg + 1..args.len()).filter(|other| register(*other)) {
            if args[arg].width == args[other].width {
                let change = Change::Same { arg: arg as u32, other: other as u32 };
                push(
                    Trying::One(change),
                    Some(with_argument(&instance, other as u32, &Op::Arg(ArgId(arg as u32)))),
                );
            }
        }
    }
    let legal = legality(&class.function, known);
    for (position, param) in class.function.params.iter().enumerate() {
        for value in [0, 1] {
            let mut values = params.to_vec();
            values[position] = value;
            if !known.iter().any(|params| params[position] == value) && legal.holds(&values) {
                let change = Change::Parameter { name: param.name.clone(), value };
                push(Trying::One(change), instantiate(&class.function, &values).ok());
            }
        }
    }
    if let Some((loops, low, root)) = single(&instance) {
        let operands = instance.expr(root).op.operands();
        for (operand, id) in operands.iter().enumerate() {
            if let Some((first, last)) = taken_apart(&instance, &loops, &low, root, operand, *id) {
                push(Trying::First(operand as u32), Some(first));
                push(Trying::Last(operand as u32), Some(last));
            }
        }
    }
    trials
}

/// Statements of an instance beyond which no relation is looked for.
const MAX_STATEMENTS: usize = 16;

fn value(atom: hydride_ir::Atom, params: &[i64]) -> i64 {
    match atom {
        hydride_ir::Atom::Param(param) => params.get(param.0 as usize).copied().unwrap_or(0),
        hydride_ir::Atom::Index(_) => 0,
    }
}

fn with_constant(function: &Function, arg: u32, ones: bool) -> Option<Function> {
    let width = u32::try_from(function.args[arg as usize].width.as_constant()?).ok()?;
    let bits = if ones { Bits::ones(width) } else { Bits::zero(width) };
    Some(with_argument(function, arg, &Op::Const(bits)))
}

/// The function with an operation in place of an argument.
fn with_argument(function: &Function, arg: u32, op: &Op) -> Function {
    rewrite(function, |copy, expr| match expr.op {
        Op::Arg(ArgId(own)) if own == arg => copy.push(op.clone(), expr.width.clone()),
        _ => copy.keep(expr),
    })
}

/// Loops, outermost first, with constant counts.
type Loops = Vec<(IndexId, i64)>;

/// The loops, position and value of the only statement.
fn single(function: &Function) -> Option<(Loops, Num, ExprId)> {
    let mut loops = Vec::new();
    let mut body = &function.body;
    if function.results.len() != 1 {
        return None;
    }
    loop {
        match body.as_slice() {
            [Stmt::For { index, count, body: inner }] => {
                loops.push((*index, count.as_constant()?));
                body = inner;
            }
            [Stmt::Assign { low, value, .. }] => return Some((loops, low.clone(), *value)),
            _ => return None,
        }
    }
}

/// A function that computes one operand of the outermost operator, element by element, and one that takes
/// these and does the rest.
fn taken_apart(
    function: &Function,
    loops: &Loops,
    low: &Num,
    root: ExprId,
    operand: usize,
    inner: ExprId,
) -> Option<(Function, Function)> {
    let mut loops = loops.clone();
    if let Op::Fold { index, count, .. } = &function.expr(root).op {
        loops.push((*index, count.as_constant()?));
    }
    // A slice of an argument is nothing to compute, whatever its width.
    let mut leaf = inner;
    while let Op::Cast { of, .. } | Op::Extract { of, .. } = function.expr(leaf).op {
        leaf = of;
    }
    if matches!(function.expr(leaf).op, Op::Arg(_) | Op::Const(_) | Op::Int(_)) {
        return None;
    }
    let width = function.expr(inner).width.as_constant()?;
    // The elements of the first part are adjacent, in the order in which they are computed.
    let mut place = Num::constant(0);
    let mut total = width;
    for (index, count) in loops.iter().rev() {
        place = place + Num::index(*index) * Num::constant(total);
        total = total.checked_mul(*count)?;
    }
    if total > i64::from(hydride_ir::MAX_WIDTH) {
        return None;
    }
    let mut first = Function::new(&function.name);
    first.args.clone_from(&function.args);
    first.results = vec![ResultSlot { name: "first".into(), width: total.into() }];
    for expr in function.exprs() {
        first.push(expr.op.clone(), expr.width.clone());
    }
    let nest = |loops: &[(IndexId, i64)], low, value| {
        let loops = loops.iter().map(|(index, count)| (*index, Num::constant(*count)));
        vec![Stmt::Assign { result: ResultId(0), low, value }.under(loops)]
    };
    first.body = nest(&loops, place.clone(), inner);

    let mut last = Function::new(&function.name);
    last.args.clone_from(&function.args);
    last.args.push(Arg { name: "first".into(), width: total.into(), role: Role::Register });
    last.results.clone_from(&function.results);
    for expr in &function.exprs()[..root.0 as usize] {
        last.push(expr.op.clone(), expr.width.clone());
    }
    let whole = last.push(Op::Arg(ArgId(function.args.len() as u32)), total);
    let slice = last.push(Op::Extract { of: whole, low: place }, width);
    let mut position = 0;
    let op = function.expr(root).op.map_operands(|own| {
        position += 1;
        if position == operand + 1 { slice } else { own }
    });
    let value = last.push(op, function.expr(root).width.clone());
    let around = loops.len() - usize::from(matches!(function.expr(root).op, Op::Fold { .. }));
    last.body = nest(&loops[..around], low.clone(), value);
    let (first, last) = (dead_code(&first), dead_code(&last));
    (first.verify().is_ok() && last.verify().is_ok()).then_some((first, last))
}
