//! Cuts of windows as patterns: a few operations of a window with variables in place of what is below them.
//!
//! A cut is a rule of its own where its instructions are cheaper than what the rules for smaller patterns make of it; else these
//! imply it, and it is dropped. Cuts are taken in order of their size and their text, so that the windows' order does not matter.

use std::collections::{BTreeMap, BTreeSet};

use ::rules::{Head, Instructions, Lowering, RuleEntry, RuleFile, Selector, is_count, vectors};
use ::synth::window::{
    Expression, ExpressionId, Expressions, Kind, Meaning, Operator, Type, Window, limits, print,
};
use anyhow::Result;
use rayon::prelude::*;

use super::check::{Read, parse};
use super::find::{Search, found};

/// Cuts below one operation of a window, at most.
const MAX_CUTS: usize = 64;

/// Variables of a cut, at most.
const MAX_VARIABLES: usize = 4;

/// Adds rules for cuts of windows to a file that has those for single operations.
pub fn add(
    search: &Search<'_>,
    pool: &rayon::ThreadPool,
    windows: &[Window],
    most: usize,
    file: &mut RuleFile,
) -> Result<()> {
    let mut cuts: BTreeSet<(usize, String)> = BTreeSet::new();
    for window in windows {
        cuts.extend(of_window(window, most));
    }
    let equalities = file.equalities()?;
    let index = Instructions::new(&search.ground.table);
    for size in 2..=most {
        let own = cuts.iter().filter(|(own, _)| *own == size);
        let mut patterns: Vec<Read> = Vec::new();
        for (_, text) in own {
            patterns.extend(parse(text, "a cut")?);
        }
        let entries = pool.install(|| found(search, &patterns));
        let lowerings = file.lowerings()?;
        let selector = Selector::new(&equalities, &lowerings, &search.ground.named.widths);
        let better: Vec<RuleEntry> = pool.install(|| {
            entries
                .into_par_iter()
                .map(|entry| {
                    let rules = RuleFile { rules: vec![entry.clone()], ..RuleFile::default() };
                    let rules: Vec<Lowering> = rules.lowerings().unwrap_or_default();
                    let mut kept = RuleEntry { instances: Vec::new(), open: Vec::new(), ..entry };
                    for rule in &rules {
                        if is_better(search, &index, &selector, rule) {
                            kept.instances.push(search.widened(&index, rule));
                        }
                    }
                    kept
                })
                .collect()
        });
        file.rules.extend(better.into_iter().filter(|entry| !entry.instances.is_empty()));
    }
    Ok(())
}

/// Whether a rule is cheaper than what other rules make of its pattern.
fn is_better(search: &Search<'_>, index: &Instructions, selector: &Selector<'_>, rule: &Lowering) -> bool {
    search.with_machine(index, &search.ground.named.widths, |machine| {
        let values: BTreeMap<usize, i128> = ::rules::constants(&rule.pattern)
            .map(|at| {
                let leaf = &rule.pattern.window.leaves[at];
                (at, leaf.range.unwrap_or(limits(leaf.ty)).0)
            })
            .collect();
        let window = vectors(&rule.pattern, rule.lanes, &values);
        let mut meaning = Meaning::new(&window);
        let mut table = machine.table.clone();
        match selector.select(&mut meaning, &mut table, index) {
            Err(_) => true,
            Ok(selected) => (machine.measure)(&selected.program, &table) > rule.cost,
        }
    })
}

/// The cuts of a window with their sizes, as texts of rules.
fn of_window(window: &Window, most: usize) -> BTreeSet<(usize, String)> {
    let mut all = BTreeSet::new();
    let mut meaning = Meaning::new(window);
    for at in 0..window.expressions.len() {
        let id = ExpressionId(at as u32);
        if !is_operation(window, id) {
            continue;
        }
        for cut in below(window, id, most).into_iter().take(MAX_CUTS) {
            if cut.len() >= 2
                && let Some(text) = rule(window, &mut meaning, id, &cut)
            {
                all.insert((cut.len(), text));
            }
        }
    }
    all
}

fn is_operation(window: &Window, id: ExpressionId) -> bool {
    let node = window.expressions.get(id);
    match node.operator {
        // What is done with scalars is done before the loop.
        Operator::Lanewise(_) => node.ty.lanes > 1,
        _ => Head::of(&node.operator).is_some(),
    }
}

/// Sets of operations that hang together below one, with it, of at most so many.
fn below(window: &Window, root: ExpressionId, most: usize) -> Vec<BTreeSet<ExpressionId>> {
    let mut all: Vec<BTreeSet<ExpressionId>> = vec![BTreeSet::from([root])];
    let mut next = 0;
    while next < all.len() && all.len() < MAX_CUTS {
        let set = all[next].clone();
        next += 1;
        if set.len() >= most {
            continue;
        }
        for id in set.iter().rev() {
            for operand in &window.expressions.get(*id).operands {
                if is_operation(window, *operand) && !set.contains(operand) {
                    let mut larger = set.clone();
                    larger.insert(*operand);
                    if !all.contains(&larger) {
                        all.push(larger);
                    }
                }
            }
        }
    }
    all
}

/// A cut as the text of a rule; `None` where it has too many variables, or one that no register holds.
fn rule(
    window: &Window,
    meaning: &mut Meaning<'_>,
    root: ExpressionId,
    cut: &BTreeSet<ExpressionId>,
) -> Option<String> {
    // A cut with a reduction is of vectors, any other of one lane.
    let vectors = cut.iter().any(|id| !matches!(window.expressions.get(*id).operator, Operator::Lanewise(_)));
    let mut writer = Writer {
        vectors,
        window,
        cut,
        names: BTreeMap::new(),
        leaves: Vec::new(),
        clauses: String::new(),
        counts: 0,
        lane: Expressions::default(),
    };
    let made = writer.lane(meaning, root)?;
    let names: Vec<String> = writer.leaves.clone();
    let from = print(&writer.lane, made, &|leaf| names[leaf].clone());
    let text = format!("{}\n  (from {from}))", writer.clauses);
    let name = &memo::digest([text.as_bytes()])[..4];
    let name: String = name.iter().map(|byte| format!("{byte:02x}")).collect();
    Some(format!("(rule cut_{name}{text}"))
}

struct Writer<'a> {
    vectors: bool,
    window: &'a Window,
    cut: &'a BTreeSet<ExpressionId>,
    names: BTreeMap<ExpressionId, ExpressionId>,
    leaves: Vec<String>,
    clauses: String,
    counts: usize,
    lane: Expressions,
}

impl Writer<'_> {
    fn variable(&mut self, ty: Type) -> Option<(ExpressionId, String)> {
        if self.leaves.len() >= MAX_VARIABLES {
            return None;
        }
        let name = format!("v{}", self.leaves.len());
        self.leaves.push(name.clone());
        let operator = Operator::Leaf(self.leaves.len() - 1);
        Some((self.lane.push(Expression { operator, operands: Vec::new(), ty }), name))
    }

    /// A literal count as a constant of its own; `None` for anything else, and for a second one.
    fn count(&mut self, id: ExpressionId, width: u32) -> Option<ExpressionId> {
        let node = self.window.expressions.get(id);
        let Operator::Broadcast = node.operator else { return None };
        let Operator::Literal(value) = self.window.expressions.get(node.operands[0]).operator else {
            return None;
        };
        if self.counts > 0 || !(0..i128::from(width)).contains(&value) {
            return None;
        }
        let (made, name) = self.variable(Type { lanes: 1, ..node.ty })?;
        self.counts += 1;
        self.clauses += &format!("\n  (constant {name} 0 {})", width - 1);
        Some(made)
    }

    fn lane(&mut self, meaning: &mut Meaning<'_>, id: ExpressionId) -> Option<ExpressionId> {
        let node = self.window.expressions.get(id);
        let ty = if self.vectors { node.ty } else { Type { lanes: 1, ..node.ty } };
        if self.cut.contains(&id) {
            let mut operands = Vec::new();
            for (at, operand) in node.operands.iter().enumerate() {
                let counted = !self.vectors && is_count(&node.operator, at);
                operands.push(match counted.then(|| self.count(*operand, node.ty.width)).flatten() {
                    Some(constant) => constant,
                    None => self.lane(meaning, *operand)?,
                });
            }
            return Some(self.lane.push(Expression { operator: node.operator.clone(), operands, ty }));
        }
        if let Some(known) = self.names.get(&id) {
            return Some(*known);
        }
        let scalar = match node.operator {
            Operator::Broadcast if self.vectors => return None,
            Operator::Broadcast => Some(self.window.expressions.get(node.operands[0])),
            _ => None,
        };
        let made = match scalar.map(|scalar| &scalar.operator) {
            Some(Operator::Literal(value)) => {
                self.lane.push(Expression { operator: Operator::Literal(*value), operands: Vec::new(), ty })
            }
            scalar => {
                if ty.kind == Kind::Condition || !::rules::WIDTHS.contains(&ty.width) {
                    return None;
                }
                let (made, name) = self.variable(ty)?;
                if scalar.is_some() {
                    self.clauses += &format!("\n  (uniform {name})");
                } else if !self.vectors
                    && let Some(value) = meaning.family(id, (0..node.ty.lanes).collect())
                {
                    // What is known of the value's range may make the rule possible.
                    let range = meaning.dag.range(value).clone();
                    let (low, high) = limits(ty);
                    let end = |end: Option<_>| end.and_then(|end| i128::try_from(end).ok());
                    if let (Some(least), Some(greatest)) = (end(range.low), end(range.high))
                        && (least > low || greatest < high)
                    {
                        self.clauses +=
                            &format!("\n  (range {name} {} {})", least.max(low), greatest.min(high));
                    }
                }
                made
            }
        };
        self.names.insert(id, made);
        Some(made)
    }
}
