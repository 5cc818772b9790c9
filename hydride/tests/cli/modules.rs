//! Circles among the modules of a crate: modules that can only be understood together. `KNOTS` lists those that there
//! are, each with what ties it; `ARCHITECTURE.md` asks for no others.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;
use syn::visit::{Visit, visit_item_mod};
use syn::{ItemMod, ItemUse, UseTree};

use crate::support::repository;

/// Modules of a crate that use each other: the crate, the modules, and the reason.
const KNOTS: &[(&str, &[&str], &str)] = &[
    (
        "difftest",
        &["lowering", "oracle", "prepare", "target", "x86"],
        "a target says how its oracle is built, and how its programs are compiled for `lowering`",
    ),
    (
        "difftest",
        &["lowering::conventions", "lowering::program"],
        "conventions say what a program is surrounded by, and a program is written by conventions",
    ),
    (
        "hydride-ir",
        &["expr", "function", "num"],
        "the IR's own types: a loop has a number, a number an index",
    ),
    (
        "hydride-ir",
        &[
            "exact::laws::demand",
            "exact::laws::extrema",
            "exact::laws::instances",
            "exact::laws::rank",
            "exact::laws::select",
            "exact::laws::shift",
            "exact::laws::slice",
        ],
        "the right side of a law is made by the constructors of other families",
    ),
    (
        "parsers",
        &["arm::exec::call", "arm::exec::recognize"],
        "a call first asks what its function computes, which is found by calling it",
    ),
    (
        "python",
        &["instruction", "operation"],
        "in Python an instruction has its operation, and an operation its instructions",
    ),
    ("search", &["backward", "machine", "plan"], "a plan holds the tables and actions that are made for it"),
    (
        "search",
        &["explore", "meet"],
        "the search from the inputs asks the one from the outputs, which continues it",
    ),
];

/// The path of a module below its crate's root.
type Module = Vec<String>;

/// The modules of a crate with their files.
fn modules(source: &Path) -> BTreeMap<Module, PathBuf> {
    let mut found = BTreeMap::new();
    let mut pending = vec![source.to_path_buf()];
    while let Some(folder) = pending.pop() {
        for path in std::fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let name = path.strip_prefix(source).expect("below").with_extension("");
                let mut module: Module =
                    name.iter().map(|part| part.to_string_lossy().into_owned()).collect();
                if module.last().is_some_and(|last| last == "mod" || last == "lib" || last == "main") {
                    module.pop();
                }
                found.insert(module, path);
            }
        }
    }
    found
}

/// Collects the paths that a file names, tests aside.
#[derive(Default)]
struct Paths(Vec<Vec<String>>);

impl Paths {
    fn tree(&mut self, prefix: &[String], tree: &UseTree) {
        let extended = |name: &syn::Ident| [prefix, &[name.to_string()]].concat();
        match tree {
            UseTree::Path(path) => self.tree(&extended(&path.ident), &path.tree),
            UseTree::Name(name) => self.0.push(extended(&name.ident)),
            UseTree::Rename(name) => self.0.push(extended(&name.ident)),
            UseTree::Glob(_) => self.0.push(prefix.to_vec()),
            UseTree::Group(group) => group.items.iter().for_each(|item| self.tree(prefix, item)),
        }
    }
}

impl Visit<'_> for Paths {
    fn visit_item_mod(&mut self, module: &ItemMod) {
        if module.ident != "tests" {
            visit_item_mod(self, module);
        }
    }

    fn visit_item_use(&mut self, item: &ItemUse) {
        self.tree(&[], &item.tree);
    }

    fn visit_path(&mut self, path: &syn::Path) {
        self.0.push(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        syn::visit::visit_path(self, path);
    }
}

/// The module that a path named in `module` leads into, if it is one of the same crate.
fn target(module: &Module, path: &[String], modules: &BTreeMap<Module, PathBuf>) -> Option<Module> {
    let supers = path.iter().take_while(|part| *part == "super").count();
    let mut full: Module = match path.first()?.as_str() {
        "crate" => path[1..].to_vec(),
        "super" => [&module[..module.len().checked_sub(supers)?], &path[supers..]].concat(),
        "self" => [module, &path[1..]].concat(),
        first => {
            let child = [module.as_slice(), &[first.to_owned()]].concat();
            modules.contains_key(&child).then(|| [module, path].concat())?
        }
    };
    while !modules.contains_key(&full) {
        full.pop()?;
    }
    Some(full)
}

/// The circles of a crate. That a module and those inside it know each other is no circle.
fn circles(source: &Path) -> Vec<BTreeSet<String>> {
    let modules = modules(source);
    let names: Vec<&Module> = modules.keys().collect();
    let mut graph = DiGraphMap::<usize, ()>::new();
    for (from, (module, file)) in modules.iter().enumerate() {
        let text = std::fs::read_to_string(file).expect("a source");
        let mut paths = Paths::default();
        paths.visit_file(
            &syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display())),
        );
        for target in paths.0.iter().filter_map(|path| target(module, path, &modules)) {
            if !target.starts_with(module) && !module.starts_with(&target) {
                let to = names.iter().position(|name| **name == target).expect("a module");
                graph.add_edge(from, to, ());
            }
        }
    }
    let knots = tarjan_scc(&graph).into_iter().filter(|knot| knot.len() > 1);
    knots.map(|knot| knot.into_iter().map(|module| names[module].join("::")).collect()).collect()
}

#[test]
fn modules_form_no_circles_but_those_listed() {
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(repository()).expect("a folder").flatten() {
        let source = entry.path().join("src");
        if entry.path().join("Cargo.toml").is_file() && source.is_dir() {
            let name = entry.file_name().to_string_lossy().into_owned();
            found.extend(circles(&source).into_iter().map(|knot| (name.clone(), knot)));
        }
    }
    let listed: BTreeSet<_> = KNOTS
        .iter()
        .map(|(name, knot, _)| ((*name).to_owned(), knot.iter().map(|module| (*module).to_owned()).collect()))
        .collect();
    let unlisted: Vec<_> = found.difference(&listed).collect();
    assert!(unlisted.is_empty(), "{unlisted:#?}");
    let stale: Vec<_> = listed.difference(&found).collect();
    assert!(stale.is_empty(), "no longer circles: {stale:#?}");
}

#[test]
fn circles_are_found() {
    let folder = crate::support::scratch();
    for (file, text) in [
        ("lib.rs", "mod a; mod b; mod c;"),
        ("a.rs", "use crate::b::thing; mod inner; pub fn other() { inner::call() }"),
        ("a/inner.rs", "pub fn call() { super::other() }"),
        ("b.rs", "pub fn thing() { crate::c::last() }"),
        ("c.rs", "use super::{a, b}; #[cfg(test)] mod tests { use super::*; }"),
    ] {
        let path = folder.path().join(file);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }
    let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(circles(folder.path()), [set(&["a", "b", "c"])]);
}
