//! Lowering rules: a pattern at some types and a number of lanes, with the instructions that replace it, proved.
//!
//! The proof does not rely on how the instructions were found: the sequence is put into a program for the pattern alone, which is
//! run symbolically on the functions that the documents give, and each lane of the result must be the pattern's value: for each
//! value of the pattern's constant one proof.

use std::collections::BTreeMap;

use memo::{Key, Memo};
use search::Type as Register;
use serde::{Deserialize, Serialize};
use synth::certify::{Judge, certify};
use synth::contents::Entry;
use synth::program::{Program, Value};
use synth::synthesize::{CostOf, Stop};
use synth::table::Table;
use synth::window::{
    Element, Expression, ExpressionId, Expressions, Meaning, Operator, Type, Window, limits,
};

use crate::bindings::Bindings;
use crate::instance::Instance;
use crate::sequence::{Instructions, Sequence, Shape, load, register};
use crate::text::Binds;

/// What a program costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Cost {
    /// Micro-operations.
    pub uops: u32,
    /// Cycles from the first input to the last result.
    pub latency: u32,
}

/// How a sequence was proved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Certificate {
    /// Values of the constant that were proved one by one; 1 without a constant.
    pub choices: usize,
    /// Lanes that are one node on both sides.
    pub structural: usize,
    /// Lanes that the solver proved equal.
    pub solver: usize,
}

impl Certificate {
    /// Adds what was proved for other values of the constant.
    pub fn add(&mut self, other: Self) {
        self.choices += other.choices;
        self.structural += other.structural;
        self.solver += other.solver;
    }
}

/// A pattern with instructions for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Lowering {
    /// The rule's name.
    pub name: String,
    /// The pattern; the ranges of its variables are conditions.
    pub pattern: Instance,
    /// Number of lanes.
    pub lanes: u32,
    /// Width in bits of the widest registers that values are in, where that is not the target's widest.
    pub registers: Option<u32>,
    /// What replaces the pattern.
    pub sequence: Sequence,
    /// What it costs.
    pub cost: Cost,
    /// How it was proved.
    pub certificate: Certificate,
}

/// A target as rules need it.
pub struct Machine<'a> {
    /// Its instructions.
    pub table: &'a Table,
    /// Where they are.
    pub index: &'a Instructions,
    /// Widths of vector registers in bits, least first.
    pub widths: &'a [u32],
    /// What an operation costs, in thousandths of a cycle.
    pub price: &'a CostOf<'a>,
    /// What a program costs.
    pub measure: &'a dyn Fn(&Program, &Table) -> Cost,
    /// Whether to search nothing more.
    pub stop: &'a Stop<'a>,
    /// A hash of the target, for answers that are kept.
    pub key: Key,
    /// Answers that are kept.
    pub memo: &'a Memo,
}

impl Lowering {
    /// The name of the pattern's constant with its least and greatest value, if it has one.
    pub fn constant(&self) -> Option<(&str, i128, i128)> {
        let at = constants(&self.pattern).next()?;
        let leaf = &self.pattern.window.leaves[at];
        let (low, high) = leaf.range.unwrap_or(limits(leaf.ty));
        Some((&leaf.name, low, high))
    }
}

/// The positions of a pattern's constants.
pub fn constants(pattern: &Instance) -> impl Iterator<Item = usize> + '_ {
    pattern.binds.iter().enumerate().filter(|(_, binds)| **binds == Binds::Constant).map(|(at, _)| at)
}

/// Whether a pattern is of vectors of a number of lanes, and not of one lane that stands for any number.
pub fn is_fixed(pattern: &Instance) -> bool {
    pattern.window.leaves.iter().any(|leaf| leaf.ty.lanes > 1)
}

/// Whether all of a pattern's values are in registers of at most so many bits.
pub fn fits(pattern: &Instance, lanes: u32, bits: u32) -> bool {
    let dense = pattern.window.leaves.iter().zip(&pattern.binds);
    let dense = dense.filter(|(_, binds)| **binds == Binds::Anything).map(|(leaf, _)| leaf.ty);
    dense.chain([pattern.window.ty()]).all(|ty| lanes.max(ty.lanes) * ty.width <= bits)
}

/// The numbers of lanes for which a pattern's values fill a register of each width, least first. A pattern of vectors has its own; a
/// reduction to several lanes only where these are in one register.
pub fn lane_counts(pattern: &Instance, widths: &[u32]) -> Vec<u32> {
    if is_fixed(pattern) {
        let ty = pattern.window.ty();
        let mut nodes = (0..pattern.window.expressions.len() as u32)
            .map(|at| pattern.window.expressions.get(ExpressionId(at)));
        let joins = nodes.any(|node| matches!(node.operator, Operator::Reduce(_)));
        let is_one = widths.last().is_some_and(|widest| ty.bits() <= *widest);
        return (is_one || !joins).then_some(ty.lanes).into_iter().collect();
    }
    let of_leaves = pattern.window.leaves.iter().zip(&pattern.binds);
    let dense = of_leaves.filter(|(_, binds)| **binds == Binds::Anything).map(|(leaf, _)| leaf.ty.width);
    let narrowest = dense.chain([pattern.window.ty().width]).min().unwrap_or(8);
    widths.iter().map(|width| width / narrowest).filter(|lanes| *lanes > 0).collect()
}

/// A pattern of vectors whose variables that are the same in all lanes are scalars, or have these values.
fn with_uniforms(pattern: &Instance, values: &BTreeMap<usize, i128>) -> Window {
    let mut window = pattern.window.clone();
    for (at, leaf) in window.leaves.iter_mut().enumerate() {
        leaf.scalar = match pattern.binds[at] {
            Binds::Anything => false,
            Binds::Uniform => !values.contains_key(&at),
            Binds::Constant => true,
        };
    }
    window.expressions = with_literals(&window.expressions, values);
    window
}

/// Expressions with literals in place of some leaves.
pub fn with_literals(old: &Expressions, values: &BTreeMap<usize, i128>) -> Expressions {
    let mut expressions = Expressions::default();
    for at in 0..old.len() {
        let mut node = old.get(ExpressionId(at as u32)).clone();
        if let Operator::Leaf(leaf) = node.operator
            && let Some(value) = values.get(&leaf)
        {
            node.operator = Operator::Literal(*value);
        }
        expressions.push(node);
    }
    expressions
}

/// A pattern on vectors: variables are leaves in registers, and constants, and what is the same in all lanes, have these values.
pub fn vectors(pattern: &Instance, lanes: u32, values: &BTreeMap<usize, i128>) -> Window {
    let old = &pattern.window;
    if is_fixed(pattern) {
        return with_uniforms(pattern, values);
    }
    let (mut leaves, mut places) = (Vec::new(), Vec::new());
    for (at, leaf) in old.leaves.iter().enumerate() {
        places.push(leaves.len());
        match pattern.binds[at] {
            Binds::Constant => {}
            Binds::Uniform if values.contains_key(&at) => {}
            Binds::Uniform => leaves.push(synth::window::Leaf { scalar: true, ..leaf.clone() }),
            Binds::Anything => {
                let ty = Type { lanes, ..leaf.ty };
                leaves.push(synth::window::Leaf { ty, ..leaf.clone() });
            }
        }
    }
    let mut expressions = Expressions::default();
    let mut map: Vec<ExpressionId> = Vec::new();
    for at in 0..old.expressions.len() {
        let node = old.expressions.get(ExpressionId(at as u32));
        let ty = Type { lanes, ..node.ty };
        let scalar = match node.operator {
            Operator::Literal(value) => Some(Operator::Literal(value)),
            Operator::Leaf(leaf) => match pattern.binds[leaf] {
                Binds::Constant => Some(Operator::Literal(values.get(&leaf).copied().unwrap_or(0))),
                Binds::Uniform => Some(match values.get(&leaf) {
                    Some(value) => Operator::Literal(*value),
                    None => Operator::Leaf(places[leaf]),
                }),
                Binds::Anything => None,
            },
            _ => None,
        };
        map.push(match (scalar, &node.operator) {
            (Some(operator), _) => {
                let one = expressions.push(Expression { operator, operands: Vec::new(), ty: node.ty });
                match lanes {
                    1 => one,
                    _ => expressions.push(Expression {
                        operator: Operator::Broadcast,
                        operands: vec![one],
                        ty,
                    }),
                }
            }
            (None, Operator::Leaf(leaf)) => expressions.push(Expression {
                operator: Operator::Leaf(places[*leaf]),
                operands: Vec::new(),
                ty,
            }),
            (None, operator) => {
                let operands = node.operands.iter().map(|operand| map[operand.0 as usize]).collect();
                expressions.push(Expression { operator: operator.clone(), operands, ty })
            }
        });
    }
    Window {
        name: old.name.clone(),
        target: String::new(),
        leaves,
        root: map[old.root.0 as usize],
        expressions,
        in_registers: true,
        number: false,
        assumptions: Vec::new(),
        reference: None,
    }
}

/// The bits of each lane of a window's result.
pub fn results(meaning: &mut Meaning<'_>) -> Option<Vec<hydride_ir::exact::NodeId>> {
    let window = meaning.window();
    let all = meaning.all(window.root).ok()?;
    Some(all.into_iter().map(|value| meaning.dag.slice(value, 0, window.ty().width, false)).collect())
}

/// The vector registers that hold a result of this type.
pub fn result_register(ty: Type, widths: &[u32]) -> Option<Register> {
    let Shape { width, .. } = Shape::of(ty.lanes.next_power_of_two(), ty.width, widths)?;
    Some(Register { class: search::Class::Vector, width })
}

/// Says which registers, all of one type, hold the result of a program's window, in order.
pub fn finish(
    program: &mut Program,
    meaning: &mut Meaning<'_>,
    register: Register,
    values: &[Value],
) -> Option<()> {
    let ty = meaning.window().ty();
    let mut entries = vec![Entry::Any; ty.lanes as usize];
    let families = meaning.families(meaning.window().root);
    if families.is_none() {
        // A reduction: a value for each lane.
        for (entry, value) in entries.iter_mut().zip(results(meaning)?) {
            *entry = Entry::Value(value, 0);
        }
    }
    for family in families.into_iter().flatten() {
        let value = meaning.dag.slice(family.value, 0, ty.width, false);
        for (at, lane) in (0..).zip(family.lanes) {
            entries[lane as usize] = Entry::Value(value, at);
        }
    }
    let contents = synth::contents_in_order(&entries, ty.width, register.width);
    program.container = ty.width;
    program.output_type = Some(register);
    program.outputs = values.iter().cloned().zip(contents).collect();
    Some(())
}

/// The program that a sequence is for its pattern alone, on vectors.
pub fn alone(
    machine: &Machine<'_>,
    table: &mut Table,
    meaning: &mut Meaning<'_>,
    sequence: &Sequence,
    constants: &dyn Fn(&str) -> Option<i128>,
) -> Option<Program> {
    let window = meaning.window();
    let mut program = Program::default();
    let (mut registers, mut uniforms) = (BTreeMap::new(), BTreeMap::new());
    for (at, leaf) in window.leaves.iter().enumerate() {
        if leaf.scalar {
            let arg = meaning.sample_of(&[Element { leaf: at as u32, index: 0 }])?;
            uniforms.insert(leaf.name.clone(), meaning.dag.arg_slice(arg, 0, leaf.ty.width, false));
            continue;
        }
        let shape = Shape::of(leaf.ty.lanes, leaf.ty.width, machine.widths)?;
        let all: Vec<Value> =
            (0..shape.count).map(|register| load(&mut program, window, at, shape, register)).collect();
        registers.insert(leaf.name.clone(), all);
    }
    let bindings = Bindings {
        registers: &|name| registers.get(name).cloned(),
        constants,
        uniforms: &|name| uniforms.get(name).copied(),
    };
    let outputs = sequence.append(&mut program, meaning, table, machine.index, &bindings)?;
    let (count, register) = match &sequence.result {
        Some(result) => (1, register(result)?),
        None => {
            let shape = Shape::of(window.ty().lanes, window.ty().width, machine.widths)?;
            (shape.count, Register { class: search::Class::Vector, width: shape.width })
        }
    };
    let all = outputs.iter().all(|value| program.ty(table, value).is_some_and(|own| own == register));
    if outputs.len() != count as usize || !all {
        return None;
    }
    finish(&mut program, meaning, register, &outputs)?;
    Some(program)
}

/// Proves a sequence for one value of each constant; what it costs, and the certificate. `None` where it is not proved.
pub fn prove(
    machine: &Machine<'_>,
    pattern: &Instance,
    lanes: u32,
    sequence: &Sequence,
    values: &BTreeMap<usize, i128>,
    judge: &mut dyn Judge,
) -> Option<(Cost, Certificate)> {
    let window = vectors(pattern, lanes, values);
    let mut meaning = Meaning::new(&window);
    let mut table = machine.table.clone();
    let constants =
        |name: &str| values.iter().find(|(at, _)| pattern.name(**at) == name).map(|(_, value)| *value);
    let program = alone(machine, &mut table, &mut meaning, sequence, &constants)?;
    let results = results(&mut meaning)?;
    let proof = certify(&mut meaning, &table, &program, &results, judge).ok()?;
    let certificate =
        Certificate { choices: 1, structural: proof.structural + proof.theorem, solver: proof.solver };
    Some(((machine.measure)(&program, &table), certificate))
}

/// Proves a program for a window at full width; or says why it is not proved.
pub fn certified(
    meaning: &mut Meaning<'_>,
    table: &Table,
    program: &Program,
    judge: &mut dyn Judge,
) -> Result<synth::certify::Proof, String> {
    let results = results(meaning).ok_or("the window is too large")?;
    certify(meaning, table, program, &results, judge).map_err(|refusal| refusal.to_string())
}
