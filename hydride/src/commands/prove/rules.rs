//! `hydride prove --rules`: each law by which exact integers are simplified, proved by Z3.
//!
//! An instance of a law is a node as it is written and what the law makes of it, over arguments that are free. Both
//! sides are written as bit vectors in which nothing is lost ([`smt::Prover::equal_integers`]), which shares
//! nothing with the laws, the ranges or the lowering of `hydride_ir::exact`.

use anyhow::Result;
use hydride_ir::exact::{Dag, Instance, Rule, rules};
use rayon::prelude::*;
use smt::{Prover, Verdict};

use crate::pipeline::TIME_LIMIT;

/// What the simplification of exact integers relies on besides the laws.
const TRUSTED: &[&str] = &[
    "hash-consing: equal nodes have equal ids, and operands of commutative operators are sorted",
    "folding of literals: the arithmetic of dashu-int",
    "the memory of slices and demands: a question asked again has the same answer",
    "instances: a law holds for the shapes that it was proved on, at their widths and literals",
    "this translation to bit vectors (smt/src/integers.rs), and Z3",
];

/// What was found of the instances of one rule.
#[derive(Default)]
struct Counts {
    instances: usize,
    proved: usize,
    undecided: usize,
    refuted: usize,
}

/// Proves all rules, each by at most `sample` instances; exit code 1 when one is not proved.
pub fn run(sample: Option<usize>) -> Result<u8> {
    let rules = rules();
    let outcomes: Vec<(Counts, Vec<String>)> = rules.par_iter().map(|rule| prove(rule, sample)).collect();
    println!("{:>9} {:>7} {:>9} {:>7}  rule", "instances", "proved", "undecided", "refuted");
    let mut total = Counts::default();
    let mut failures = 0;
    for (rule, (counts, messages)) in rules.iter().zip(&outcomes) {
        counts.print(&format!("{}/{}", rule.family, rule.name));
        messages.iter().for_each(|message| println!("  {message}"));
        total.instances += counts.instances;
        total.proved += counts.proved;
        total.undecided += counts.undecided;
        total.refuted += counts.refuted;
        failures += usize::from(counts.proved == 0 || counts.proved < counts.instances);
    }
    total.print(&format!("all {}", rules.len()));
    println!("trusted without a proof:");
    TRUSTED.iter().for_each(|trusted| println!("  {trusted}"));
    println!("{} of {} rules are proved on all instances", rules.len() - failures, rules.len());
    Ok(u8::from(failures > 0))
}

impl Counts {
    fn print(&self, rule: &str) {
        let Counts { instances, proved, undecided, refuted } = self;
        println!("{instances:>9} {proved:>7} {undecided:>9} {refuted:>7}  {rule}");
    }
}

/// At most `count` of the instances of all graphs, spread evenly.
fn spread(graphs: &[(Dag, Vec<Instance>)], count: usize) -> Vec<(&Dag, &Instance)> {
    let all: Vec<_> = graphs
        .iter()
        .flat_map(|(dag, instances)| instances.iter().map(move |instance| (dag, instance)))
        .collect();
    let count = count.min(all.len());
    (0..count).map(|place| all[place * all.len() / count]).collect()
}

fn prove(rule: &Rule, sample: Option<usize>) -> (Counts, Vec<String>) {
    let graphs = rule.graphs();
    let mut prover = Prover::with_time_limit(TIME_LIMIT);
    let mut counts = Counts::default();
    let mut messages = Vec::new();
    for (dag, instance) in spread(&graphs, sample.unwrap_or(usize::MAX)) {
        counts.instances += 1;
        match prover.equal_integers(dag, instance.before, instance.after) {
            Verdict::Equal => counts.proved += 1,
            Verdict::Different(model) => {
                counts.refuted += 1;
                let args: Vec<String> = model.args.iter().map(|bits| format!("{bits:x}")).collect();
                messages.push(format!("REFUTED at {}: {}", args.join(" "), equation(dag, instance)));
            }
            Verdict::Unknown(reason) => {
                counts.undecided += 1;
                messages.push(format!("undecided ({reason}): {}", equation(dag, instance)));
            }
        }
    }
    if counts.instances == 0 {
        messages.push("applies to none of its instances".to_owned());
    }
    (counts, messages)
}

fn equation(dag: &Dag, instance: &Instance) -> String {
    format!("{} = {}", dag.show(instance.before), dag.show(instance.after))
}
