//! Whether a rule is true: at each of its instances, for all values of its variables.

use hydride_ir::Bits;
use hydride_ir::exact::{NodeId, Replacements};
use interp::Program;
use serde::Serialize;
use smt::Verdict;
use synth::certify::Judge;
use synth::window::{ExpressionId, Meaning, Window, limits};
use synth::{quotient, rewrites};

use crate::instance::Instance;
use crate::lowering::with_literals;
use crate::text::Binds;

/// Choices of constants, and of other variables with few values, that are proved one by one where all at once are undecided, at most.
const MAX_CASES: i128 = 256;

/// What is known of an instance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase", tag = "verdict")]
pub enum Finding {
    /// It holds for all values.
    True {
        /// How that was proved.
        proof: Proof,
    },
    /// It does not hold for these values.
    False {
        /// The values, and what both sides are for them.
        counterexample: Counterexample,
    },
    /// Neither was shown.
    Unknown {
        /// Why.
        reason: String,
    },
}

/// How an instance was proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Proof {
    /// Both sides are one node of the graph of exact integers.
    Structural,
    /// A theorem of the synthesizer's, whose conditions are checked, says that they are equal.
    Theorem,
    /// The solver says that they are equal.
    Solver,
    /// The same for each choice of the constants, and of other variables with few values.
    Cases,
}

impl Proof {
    /// The same in a word.
    pub fn name(self) -> &'static str {
        match self {
            Proof::Structural => "structural",
            Proof::Theorem => "theorem",
            Proof::Solver => "solver",
            Proof::Cases => "cases",
        }
    }
}

/// Values for which a rule does not hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Counterexample {
    /// Each variable's name and value.
    pub values: Vec<(String, i128)>,
    /// The pattern's value.
    pub from: i128,
    /// The replacement's.
    pub to: i128,
}

/// Both sides and the condition of an instance, as functions that the interpreter runs.
pub struct Sides {
    from: Program,
    to: Program,
    condition: Option<Program>,
    ty: synth::window::Type,
}

impl Sides {
    /// `None` where a side is no function of the IR, or there is no replacement.
    pub fn new(instance: &Instance) -> Option<Self> {
        let program = |root: ExpressionId| {
            let window = Window { root, ..instance.window.clone() };
            let function = Meaning::new(&window).function().ok()?;
            Program::new(&function).ok()
        };
        let condition = condition_function(instance)?;
        Some(Self {
            from: program(instance.window.root)?,
            to: program(instance.to?)?,
            condition: match condition {
                Some(function) => Some(Program::new(&function).ok()?),
                None => None,
            },
            ty: instance.window.ty(),
        })
    }

    /// What both sides are for these values of the variables; `None` where the rule says nothing for them.
    pub fn values(&self, args: &[Bits]) -> Option<(i128, i128)> {
        let run = |program: &Program| program.run(args).ok()?.first()?.to_u64();
        if let Some(condition) = &self.condition
            && run(condition)? != 1
        {
            return None;
        }
        Some((read(run(&self.from)?, self.ty), read(run(&self.to)?, self.ty)))
    }
}

/// A type's value with these bits.
pub fn read(bits: u64, ty: synth::window::Type) -> i128 {
    let value = i128::from(bits);
    if ty.is_signed() && value >> (ty.width - 1) == 1 { value - (1 << ty.width) } else { value }
}

fn condition_function(instance: &Instance) -> Option<Option<hydride_ir::Function>> {
    let mut meaning = Meaning::new(&instance.window);
    let Some(condition) = condition(&mut meaning, instance)? else { return Some(None) };
    let mut function = meaning.function().ok()?;
    let mut lowering = hydride_ir::exact::Lowering::default();
    let bit = meaning.dag.slice(condition, 0, 1, false);
    let value = lowering.lower(&meaning.dag, bit, 1, &mut function).ok()?;
    function.results[0].width = 1u32.into();
    function.body.clear();
    function.body.push(hydride_ir::Stmt::Assign {
        result: hydride_ir::ResultId(0),
        low: hydride_ir::Num::constant(0),
        value,
    });
    Some(Some(function))
}

/// All conditions of an instance as one; the inner `None` where there is none, the outer one where they are too large.
pub fn condition(meaning: &mut Meaning<'_>, instance: &Instance) -> Option<Option<NodeId>> {
    let mut all = Vec::new();
    for condition in &instance.conditions {
        all.push(*meaning.all(*condition).ok()?.first()?);
    }
    for (variable, mask, value) in &instance.bits {
        let element = synth::window::Element { leaf: *variable as u32, index: 0 };
        let bits = meaning.element_bits(element);
        let mask = meaning.dag.int(*mask);
        let found = meaning.dag.and(bits, mask);
        let value = meaning.dag.int(*value);
        all.push(meaning.dag.eq(found, value));
    }
    Some(all.into_iter().reduce(|left, right| meaning.dag.and(left, right)))
}

/// The pattern and the replacement of an instance as nodes of one graph that are equal where the rule holds.
pub fn sides(meaning: &mut Meaning<'_>, instance: &Instance) -> Option<(NodeId, NodeId)> {
    let ty = instance.window.ty();
    let from = *meaning.all(instance.window.root).ok()?.first()?;
    let to = *meaning.all(instance.to?).ok()?.first()?;
    let from = meaning.dag.slice(from, 0, ty.width, false);
    let to = meaning.dag.slice(to, 0, ty.width, false);
    let from = match condition(meaning, instance)? {
        Some(condition) if from != to => meaning.dag.select(condition, from, to),
        _ => from,
    };
    Some((from, to))
}

/// What is known of an instance; `judge` is asked where both sides are not one node.
pub fn check(instance: &Instance, judge: &mut dyn Judge) -> Finding {
    let cases = cases(instance);
    // What needs no solver for any choice is not asked as a whole.
    let is_known = |one: &Instance| without_solver(one).is_some();
    if let Some(cases) = &cases
        && !is_known(instance)
        && cases.iter().all(is_known)
    {
        return Finding::True { proof: Proof::Cases };
    }
    let first = at_once(instance, judge);
    let (Finding::Unknown { .. }, Some(cases)) = (&first, cases) else { return first };
    for one in cases {
        match at_once(&one, judge) {
            Finding::True { .. } => {}
            other => return other,
        }
    }
    Finding::True { proof: Proof::Cases }
}

/// An instance for each choice of its constants, and of other variables with few values; `None` where there are too many or none.
fn cases(instance: &Instance) -> Option<Vec<Instance>> {
    let mut cases = vec![instance.window.leaves.clone()];
    let mut told_apart = false;
    for (at, leaf) in instance.window.leaves.iter().enumerate() {
        let (low, high) = leaf.range.unwrap_or(limits(leaf.ty));
        let many = (high - low + 1).saturating_mul(cases.len() as i128) > MAX_CASES;
        match (instance.binds[at], leaf.range) {
            (Binds::Constant, _) if many => return None,
            (Binds::Constant, _) => {}
            // What has few values is as good as a constant.
            (_, Some(_)) if !many => {}
            _ => continue,
        }
        told_apart = true;
        let with = |leaves: &Vec<synth::window::Leaf>| {
            let chosen = |value| {
                let mut leaves = leaves.clone();
                leaves[at].range = Some((value, value));
                leaves
            };
            (low..=high).map(chosen).collect::<Vec<_>>()
        };
        cases = cases.iter().flat_map(with).collect();
    }
    let one = |leaves: Vec<synth::window::Leaf>| {
        let mut one = instance.clone();
        let chosen = leaves.iter().enumerate().filter_map(|(at, leaf)| match leaf.range {
            Some((low, high)) if low == high => Some((at, low)),
            _ => None,
        });
        one.window.expressions = with_literals(&instance.window.expressions, &chosen.collect());
        one.window.leaves = leaves;
        one
    };
    told_apart.then(|| cases.into_iter().map(one).collect())
}

/// The proof of an instance that needs no solver.
fn without_solver(instance: &Instance) -> Option<Proof> {
    let mut meaning = Meaning::new(&instance.window);
    let (from, to) = sides(&mut meaning, instance)?;
    known(&mut meaning, from, to)
}

fn known(meaning: &mut Meaning<'_>, from: NodeId, to: NodeId) -> Option<Proof> {
    if from == to {
        return Some(Proof::Structural);
    }
    let dag = &mut meaning.dag;
    let holds = rewrites(dag, from).contains(&to) || quotient(dag, to) == Some(from);
    holds.then_some(Proof::Theorem)
}

fn at_once(instance: &Instance, judge: &mut dyn Judge) -> Finding {
    let unknown = |reason: &str| Finding::Unknown { reason: reason.to_owned() };
    let mut meaning = Meaning::new(&instance.window);
    let Some((from, to)) = sides(&mut meaning, instance) else { return unknown("the rule is too large") };
    if let Some(proof) = known(&mut meaning, from, to) {
        return Finding::True { proof };
    }
    let model = match judge.equal(&meaning.dag, from, to) {
        Verdict::Equal => return Finding::True { proof: Proof::Solver },
        Verdict::Unknown(reason) => return Finding::Unknown { reason },
        Verdict::Different(model) => model,
    };
    // What the solver says is evaluated twice: by the interpreter, and by the graph's own constant folding.
    let mut args: Vec<Bits> = Vec::new();
    let mut values = Vec::new();
    for (at, leaf) in instance.window.leaves.iter().enumerate() {
        let bits = model.args.get(at).and_then(Bits::to_u64).unwrap_or(0);
        let value = read(bits, leaf.ty);
        let (low, high) = leaf.range.unwrap_or(limits(leaf.ty));
        let value = value.clamp(low, high);
        let mask = u64::MAX >> (64 - leaf.ty.width);
        args.push(Bits::from_u64(leaf.ty.width, value as u64 & mask));
        values.push((leaf.name.clone(), value));
    }
    let Some(Some((from_value, to_value))) = Sides::new(instance).map(|sides| sides.values(&args)) else {
        return unknown("the solver's counterexample does not meet the conditions");
    };
    let mut replacements = Replacements::default();
    for (at, bits) in args.iter().enumerate() {
        let arg = meaning.dag.arg(at as u32);
        let bits = meaning.dag.bits(bits);
        replacements.insert(arg, bits);
    }
    let folded = [from, to].map(|side| meaning.dag.replace(side, &mut replacements));
    if from_value == to_value || folded[0] == folded[1] {
        return unknown("the solver's counterexample is none");
    }
    Finding::False { counterexample: Counterexample { values, from: from_value, to: to_value } }
}
