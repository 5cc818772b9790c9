//! The files of rules under `specs/rules`: those that should be true are, and those that should not be have counterexamples.

use std::path::Path;

use rules::{Finding, Sides, check, instances, read};
use synth::synthesize::prover;

fn findings(file: &str) -> Vec<(String, Vec<(rules::Instance, Finding)>)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../specs/rules").join(file);
    let text = std::fs::read_to_string(path).unwrap();
    let mut prover = prover();
    let mut all = Vec::new();
    for rule in read(&text).unwrap() {
        let mut own = Vec::new();
        for instance in instances(&rule, &text).unwrap_or_else(|error| panic!("{file}:{error}")) {
            // Products of 64 bits are for the command, which has more time.
            if instance.window.ty().width <= 16 && rule.to.is_some() {
                let finding = check(&instance, &mut prover);
                own.push((instance, finding));
            }
        }
        all.push((rule.name, own));
    }
    all
}

#[test]
fn lifting_rules_and_folds_are_true() {
    for file in ["lifting.rules", "folds.rules", "emulations.rules"] {
        for (name, findings) in findings(file) {
            for (instance, finding) in findings {
                assert!(
                    matches!(finding, Finding::True { .. }),
                    "{name} at {}: {finding:?}",
                    instance.shown()
                );
            }
        }
    }
}

#[test]
fn false_rules_have_counterexamples_that_the_interpreter_agrees_with() {
    for (name, findings) in findings("false.rules") {
        assert!(!findings.is_empty(), "{name}");
        for (instance, finding) in findings {
            let Finding::False { counterexample } = finding else {
                panic!("{name} at {}: {finding:?}", instance.shown());
            };
            let args: Vec<hydride_ir::Bits> = instance
                .window
                .leaves
                .iter()
                .zip(&counterexample.values)
                .map(|(leaf, (_, value))| {
                    let mask = u64::MAX >> (64 - leaf.ty.width);
                    hydride_ir::Bits::from_u64(leaf.ty.width, *value as u64 & mask)
                })
                .collect();
            let values = Sides::new(&instance).unwrap().values(&args);
            assert_eq!(values, Some((counterexample.from, counterexample.to)), "{name}");
            assert_ne!(counterexample.from, counterexample.to, "{name}");
        }
    }
}

#[test]
fn patterns_have_instances() {
    for file in ["basic.rules", "table1.rules", "sums.rules"] {
        assert!(!findings(file).is_empty());
    }
}
