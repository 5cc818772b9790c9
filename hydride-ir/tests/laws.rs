//! The laws of exact integers as they are written down: what each of them makes of its instances.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use hydride_ir::exact::{Instance, rules};

/// One page for each family: each law with what it makes of its instances. `HYDRIDE_BLESS=1` writes the pages anew.
#[test]
fn laws_are_as_written_down() {
    let mut pages: BTreeMap<&str, String> = BTreeMap::new();
    for rule in rules() {
        let page = pages.entry(rule.family).or_default();
        let graphs = rule.graphs();
        let counts = graphs.iter().map(|(_, instances)| instances.len());
        writeln!(page, "{}: {:?}", rule.name, counts.collect::<Vec<_>>()).unwrap();
        for (dag, instances) in graphs {
            let shown = SHOWN.min(instances.len());
            for place in 0..shown {
                let Instance { before, after } = instances[place * instances.len() / shown];
                writeln!(page, "    {} = {}", dag.show(before), dag.show(after)).unwrap();
            }
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
