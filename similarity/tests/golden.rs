//! Small instruction sets and what becomes of them: each `partition/NAME.hir` is one, and `partition/NAME.expected`
//! holds its classes with their members, steps and relations. `HYDRIDE_BLESS=1` rewrites what is expected.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use hydride_ir::Function;
use hydride_ir::passes::open_nans;
use similarity::{Analyzed, Class, Relation, Step, analyze, apply, commutes, partition, relations, steps};
use smt::{Prover, Verdict};

/// A class as text. Each membership is also written in the IR and proved to be the member.
fn described(class: &Class, entries: &[Analyzed<'_>]) -> String {
    let mut text = class.function.to_string();
    if class.members.iter().all(|member| commutes(&class.function, &member.application.params)) {
        text.push_str("  commutative\n");
    }
    for member in &class.members {
        let entry = &entries[member.entry];
        let application = &member.application;
        let args = &application.args;
        let _ = writeln!(text, "  @{} {:?} of {args:?}: {:?}", entry.id, application.params, member.proof);
        if let Some(masking) = application.masking {
            let _ = writeln!(text, "    {masking:?}");
        }
        if let Some(part) = application.part {
            let _ = writeln!(text, "    {part:?}");
        }
        let applied = apply(&class.function, application, entry.function).unwrap();
        applied.verify().unwrap();
        // A class leaves the choice among NaNs open.
        let verdict = Prover::new().equal(&applied, &open_nans(entry.function));
        assert_eq!(verdict, Verdict::Equal, "@{} is not {applied}", entry.id);
    }
    for step in steps(class, entries) {
        let line = match step {
            Step::EqualKey { members, .. } => {
                let ids: Vec<&str> = members.iter().map(|entry| entries[*entry].id).collect();
                format!("of equal keys: {}", ids.join(", "))
            }
            Step::Joined { keys } => format!("joined: {} keys", keys.len()),
            Step::Parameter { name, values } => format!("parameter {name}: {values:?}"),
            Step::Certified { structural, smt } => {
                format!("certified: {structural} by structure, {smt} by solver")
            }
        };
        let _ = writeln!(text, "  {line}");
    }
    text
}

fn expected_of(text: &str) -> String {
    let functions = Function::parse_all(text).unwrap();
    functions
        .iter()
        .for_each(|function| function.verify().unwrap_or_else(|error| panic!("{error}\n{function}")));
    let analyses: Vec<_> = functions.iter().map(|function| analyze(function).unwrap()).collect();
    let entries: Vec<Analyzed<'_>> = functions
        .iter()
        .zip(&analyses)
        .map(|(function, analysis)| Analyzed { isa: "test", id: &function.name, function, analysis })
        .collect();
    let found = partition(&entries, &Prover::new, &|_| {});
    assert!(found.unknown.is_empty(), "{:?}", found.unknown);
    let mut text: String = found.classes.iter().map(|class| described(class, &entries) + "\n").collect();
    for Relation { from, change, to } in relations(&entries, &found.classes, &Prover::new) {
        let name = |class: usize| entries[found.classes[class].members[0].entry].id;
        let _ = writeln!(text, "@{}: {change:?} is @{}", name(from), name(to));
    }
    text
}

#[test]
fn classes_are_as_written_down() {
    let bless = std::env::var_os("HYDRIDE_BLESS").is_some_and(|value| value == "1");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/partition");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let tests: Vec<_> = files.filter(|path| path.extension().is_some_and(|found| found == "hir")).collect();
    assert!(!tests.is_empty());
    for path in tests {
        let expected = expected_of(&fs::read_to_string(&path).unwrap());
        let golden = path.with_extension("expected");
        if bless {
            fs::write(golden, expected).unwrap();
        } else {
            assert_eq!(fs::read_to_string(&golden).unwrap_or_default(), expected, "{}", golden.display());
        }
    }
}
