//! Each law against plain evaluation and against the other laws of its family.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::Random;
use crate::exact::Int;
use crate::exact::tests::eval;

/// Values of the arguments of a graph: corners, and some in between.
fn inputs(dag: &Dag) -> Vec<Vec<Int>> {
    let mut random = Random::new(0);
    let words = [0, u64::MAX, 0x5555_5555_5555_5555, 0xaaaa_aaaa_aaaa_aaaa];
    let of = |word: &mut dyn FnMut() -> u64| {
        dag.arg_widths()
            .iter()
            .map(|width| Int::from(word() & (u64::MAX >> (64 - width))))
            .collect::<Vec<_>>()
    };
    let mut inputs: Vec<Vec<Int>> = words.iter().map(|word| of(&mut || *word)).collect();
    inputs.extend((0..60).map(|_| of(&mut || random.word())));
    inputs
}

#[test]
fn every_law_applies_and_keeps_every_value() {
    for rule in rules() {
        let name = format!("{}/{}", rule.family, rule.name);
        let mut applied = 0;
        for (dag, instances) in rule.graphs() {
            applied += instances.len();
            let inputs = inputs(&dag);
            for Instance { before, after } in instances {
                for args in &inputs {
                    let (left, right) = (eval(&dag, before, args), eval(&dag, after, args));
                    assert_eq!(left, right, "{name}: {} = {}", dag.show(before), dag.show(after));
                }
            }
        }
        assert!(applied > 0, "{name} never applies");
    }
}

/// Pairs of laws of which the first one chooses the form where both apply, with the reason.
const PRIORITIES: &[(&str, &str, &str, &str)] = &[
    ("bitwise-pair", "disjoint", "flat", "a concatenation shows where each bit comes from"),
    ("bitwise-pair", "funnel", "flat", "a slice of two registers has no shifts"),
    ("bounded", "unreached", "clamp-from-above", "a bound that changes nothing is no bound"),
    ("magnitude", "not-positive", "order", "a negation needs no magnitude"),
    ("select", "value-of-rank", "and-not", "a mask with too few ones has no bit of the rank"),
    ("slice", "fits", "bitwise", "a slice that cuts nothing off is its operand"),
    ("slice", "fits", "literal-shift", "a slice that cuts nothing off is its operand"),
    ("slice", "fits", "multiple-whole", "a slice that cuts nothing off is its operand"),
    ("slice", "fits", "demanded", "a slice that cuts nothing off is its operand"),
    ("slice", "above", "moved-up-concat", "above all bits there are zeros"),
    ("slice", "bitwise", "demanded", "slices go inward to where bits are known"),
    ("slice", "moved-up-concat", "demanded", "a position in registers side by side has no shift"),
    ("slice", "multiple-across", "demanded", "zeros below are parts, not factors"),
    ("slice", "multiple-whole", "demanded", "zeros below are parts, not factors"),
    ("slice", "demanded", "scaled-sum", "what is cut off is dropped before anything is divided"),
];

/// Pairs of laws (family, first, second) that make different nodes of one subject, with an example.
#[derive(Default)]
struct Overlaps(BTreeMap<(&'static str, &'static str, &'static str), String>);

impl Families for Overlaps {
    fn family<S: Subject>(&mut self) {
        for scale in instances::SCALES {
            overlaps::<S>(instances::graph(scale), &mut self.0);
        }
    }
}

fn overlaps<S: Subject>(
    mut dag: Dag,
    found: &mut BTreeMap<(&'static str, &'static str, &'static str), String>,
) {
    let subjects: Vec<S> = S::LAWS.iter().flat_map(|law| (law.instances)(&mut dag)).collect();
    for subject in subjects {
        let mut forms: Vec<(&str, NodeId)> = Vec::new();
        for law in S::LAWS {
            if let Some(after) = (law.rewrite)(&mut dag, &subject) {
                forms.push((law.name, subject.result(&mut dag, after)));
            }
        }
        for (place, (first, kept)) in forms.iter().enumerate() {
            for (second, other) in &forms[place + 1..] {
                if kept != other {
                    let before = subject.raw(&mut dag);
                    found.entry((S::FAMILY, first, second)).or_insert_with(|| {
                        format!("{} = {} = {}", dag.show(before), dag.show(*kept), dag.show(*other))
                    });
                }
            }
        }
    }
}

#[test]
fn order_chooses_only_where_a_reason_is_given() {
    let mut overlaps = Overlaps::default();
    each_family(&mut overlaps);
    let found = overlaps.0;
    let listed: BTreeSet<_> =
        PRIORITIES.iter().map(|(family, first, second, _)| (*family, *first, *second)).collect();
    let unexplained: Vec<_> = found.iter().filter(|(pair, _)| !listed.contains(*pair)).collect();
    assert!(unexplained.is_empty(), "{unexplained:#?}");
    let stale: Vec<_> = listed.iter().filter(|pair| !found.contains_key(*pair)).collect();
    assert!(stale.is_empty(), "{stale:?} never differ");
}
