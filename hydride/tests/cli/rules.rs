//! `hydride prove --rules`: every law of exact integers is proved, on a few of its instances.

use super::support::{hydride, scratch};

#[test]
fn a_few_instances_of_every_rule_are_proved() {
    let folder = scratch();
    let text = hydride(folder.path(), &["prove", "--rules", "--sample", "3"]).exits(0).stdout;
    let rows: Vec<Vec<&str>> = text
        .lines()
        .map(|line| line.split_whitespace().collect())
        .filter(|row: &Vec<&str>| row.len() == 5 && row[4].contains('/'))
        .collect();
    assert!(rows.len() > 100, "{text}");
    for row in rows {
        assert!(["1", "2", "3"].contains(&row[0]), "{row:?}");
        assert_eq!((row[1], row[2], row[3]), (row[0], "0", "0"), "{row:?}");
    }
    assert!(text.contains("trusted without a proof"), "{text}");
}

#[test]
fn rules_are_proved_without_documents() {
    let folder = scratch();
    hydride(folder.path(), &["prove", "--rules", "--class", "add"]).exits(2);
    hydride(folder.path(), &["prove", "--rules", "--specs", "specs"]).exits(2);
}
