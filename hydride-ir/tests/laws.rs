//! The laws of exact integers as they are written down: what each of them makes of its instances.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use hydride_ir::exact::{Dag, Instance, rules};

/// One page for each family: each law with the number of its instances at each scale, a hash of what it makes of all of
/// them, and some of them; of ranges all. `HYDRIDE_BLESS=1` writes the pages anew.
#[test]
fn laws_are_as_written_down() {
    let mut pages: BTreeMap<&str, String> = BTreeMap::new();
    for rule in rules() {
        let page = pages.entry(rule.family).or_default();
        let line = |dag: &Dag, Instance { before, after }: &Instance| {
            format!("    {} = {}\n", dag.show(*before), dag.show(*after))
        };
        let graphs = rule.graphs();
        let lines: Vec<Vec<String>> = graphs
            .iter()
            .map(|(dag, uses)| uses.iter().map(|instance| line(dag, instance)).collect())
            .collect();
        let counts: Vec<usize> = lines.iter().map(Vec::len).collect();
        writeln!(page, "{}: {counts:?} {:016x}", rule.name, hash(&lines.concat().concat())).unwrap();
        for lines in lines {
            let shown = if rule.family == "range" { lines.len() } else { SHOWN.min(lines.len()) };
            (0..shown).for_each(|place| page.push_str(&lines[place * lines.len() / shown]));
        }
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/laws");
    let file = |family: &str| folder.join(format!("{family}.txt"));
    if std::env::var_os("HYDRIDE_BLESS").is_some() {
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir(&folder).unwrap();
        pages.iter().for_each(|(family, page)| std::fs::write(file(family), page).unwrap());
    }
    let known: BTreeSet<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(known, pages.keys().map(|family| file(family)).collect(), "pages and families");
    for (family, page) in &pages {
        assert_eq!(&std::fs::read_to_string(file(family)).unwrap(), page, "{family}");
    }
}

/// Instances of each law at each scale on its page, spread over all of them.
const SHOWN: usize = 3;

/// The 64-bit FNV-1a hash of a text.
fn hash(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
