//! What each crate must not know; `ARCHITECTURE.md` lists it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::repository;
use cargo_metadata::{DependencyKind, Metadata, MetadataCommand};

struct Crates {
    metadata: Metadata,
    /// For each package of the resolved graph the packages that it depends on, with the kinds.
    edges: BTreeMap<String, Vec<(String, BTreeSet<String>)>>,
}

fn kind_name(kind: DependencyKind) -> &'static str {
    match kind {
        DependencyKind::Normal => "normal",
        DependencyKind::Development => "dev",
        DependencyKind::Build => "build",
        _ => "other",
    }
}

/// The system that the tests are built on, in the compiler's words.
fn host() -> String {
    let output = Command::new(env!("CARGO")).arg("-vV").output().expect("cargo");
    let text = String::from_utf8(output.stdout).expect("a text");
    text.lines().find_map(|line| line.strip_prefix("host: ")).expect("a host").to_owned()
}

impl Crates {
    fn read() -> Crates {
        // Packages of other systems are not always there; without the network they cannot be.
        let options = ["--locked".to_owned(), "--filter-platform".to_owned(), host()];
        let metadata = MetadataCommand::new()
            .manifest_path(repository().join("Cargo.toml"))
            .other_options(options)
            .exec()
            .expect("cargo metadata");
        let name = |id| metadata[id].name.to_string();
        let nodes = &metadata.resolve.as_ref().expect("a resolved graph").nodes;
        let edges = nodes
            .iter()
            .map(|node| {
                let deps = node.deps.iter().map(|dep| {
                    (
                        name(&dep.pkg),
                        dep.dep_kinds.iter().map(|kind| kind_name(kind.kind).to_owned()).collect(),
                    )
                });
                (name(&node.id), deps.collect())
            })
            .collect();
        Crates { metadata, edges }
    }

    fn members(&self) -> BTreeSet<String> {
        self.metadata.workspace_packages().iter().map(|package| package.name.to_string()).collect()
    }

    fn direct(&self, package: &str, kinds: &[&str]) -> BTreeSet<&str> {
        let edges = &self.edges[package];
        let wanted = edges.iter().filter(|(_, of)| of.iter().any(|kind| kinds.contains(&kind.as_str())));
        wanted.map(|(name, _)| name.as_str()).collect()
    }

    /// Everything that is built for a package, including dev-dependencies if `tests`.
    fn reached(&self, package: &str, tests: bool) -> BTreeSet<&str> {
        let own: &[&str] = if tests { &["normal", "build", "dev"] } else { &["normal", "build"] };
        let mut seen = BTreeSet::new();
        let mut pending: Vec<&str> = self.direct(package, own).into_iter().collect();
        while let Some(name) = pending.pop() {
            if seen.insert(name) {
                pending.extend(self.direct(name, &["normal", "build"]));
            }
        }
        seen
    }

    /// The workspace crates among normal dependencies.
    fn workspace_dependencies(&self, package: &str) -> BTreeSet<String> {
        let members = self.members();
        let reached = self.reached(package, false);
        reached.into_iter().map(str::to_owned).filter(|name| members.contains(name)).collect()
    }

    fn folder(&self, package: &str) -> PathBuf {
        let packages = self.metadata.workspace_packages();
        let found = packages.iter().find(|found| found.name.as_str() == package).expect("a member");
        found.manifest_path.parent().expect("a folder").as_std_path().to_path_buf()
    }
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn crates_depend_on_what_they_may() {
    let crates = Crates::read();
    let expected: [(&str, &[&str]); 21] = [
        ("hydride-ir", &["simplex"]),
        ("llvm-text", &[]),
        ("memo", &[]),
        ("interp", &["catalog", "hydride-ir", "simplex"]),
        ("smt", &["hydride-ir", "memo", "simplex"]),
        ("catalog", &["hydride-ir", "simplex"]),
        ("parsers", &["catalog", "hydride-ir", "memo", "simplex"]),
        ("similarity", &["catalog", "hydride-ir", "interp", "memo", "simplex", "smt"]),
        ("autoir", &["catalog", "hydride-ir", "memo", "simplex"]),
        ("codegen-gen", &["autoir", "catalog", "hydride-ir", "llvm-text", "memo", "simplex"]),
        ("report", &["autoir", "catalog", "codegen-gen", "hydride-ir", "llvm-text", "memo", "simplex"]),
        // A harness is generated from signatures, which only the parsers know.
        ("difftest", &["catalog", "hydride-ir", "interp", "llvm-text", "memo", "parsers", "simplex"]),
        ("semantic-diff", &["catalog", "hydride-ir", "interp", "memo", "parsers", "simplex", "smt"]),
        ("search", &["catalog", "hydride-ir", "interp", "memo", "simplex", "smt"]),
        ("synth", &["catalog", "hydride-ir", "interp", "memo", "search", "simplex", "smt"]),
        ("rules", &["catalog", "hydride-ir", "interp", "memo", "search", "simplex", "smt", "synth"]),
        (
            "optimize",
            &[
                "catalog",
                "hydride-ir",
                "interp",
                "llvm-text",
                "memo",
                "refine",
                "search",
                "simplex",
                "smt",
                "synth",
            ],
        ),
        ("refine", &["catalog", "hydride-ir", "interp", "llvm-text", "memo", "simplex", "smt"]),
        ("simplex", &[]),
        ("vendor-documents", &[]),
        ("xtask", &[]),
    ];
    for (package, allowed) in expected {
        let found = crates.workspace_dependencies(package);
        assert!(found.is_subset(&set(allowed)), "{package} depends on {found:?}, not only on {allowed:?}");
    }
}

#[test]
fn names_and_code_build_and_test_without_the_solver() {
    let crates = Crates::read();
    for package in
        ["hydride-ir", "interp", "catalog", "parsers", "autoir", "codegen-gen", "report", "difftest", "xtask"]
    {
        let reached = crates.reached(package, package != "parsers" && package != "difftest");
        for solver in ["smt", "z3", "z3-sys"] {
            assert!(!reached.contains(solver), "{package} reaches {solver}");
        }
    }
    assert!(crates.reached("similarity", false).contains("z3-sys"), "the graph says what is reached");
}

#[test]
fn the_solver_has_one_door() {
    let crates = Crates::read();
    for package in crates.members() {
        let direct = crates.direct(&package, &["normal", "build", "dev"]);
        let named = direct.contains("z3") || direct.contains("z3-sys");
        assert_eq!(named, package == "smt", "{package}");
    }
}

#[test]
fn what_asks_nothing_starts_without_the_solver() {
    // With this variable the loader prints what it would load.
    let program = env!("CARGO_BIN_EXE_hydride");
    let needed = Command::new(program).env("LD_TRACE_LOADED_OBJECTS", "1").output().unwrap();
    let needed = String::from_utf8(needed.stdout).unwrap();
    assert!(needed.contains("libc.so"), "{needed}");
    assert!(!needed.contains("z3") && !needed.contains("stdc++"), "{needed}");
}

#[test]
fn python_has_one_door() {
    let crates = Crates::read();
    for package in crates.members() {
        let direct = crates.direct(&package, &["normal", "build", "dev"]);
        assert_eq!(direct.contains("pyo3"), package == "hydride-python", "{package}");
        assert!(!direct.contains("hydride-python"), "{package} uses what is for Python");
    }
}

/// The lines of a crate's sources that are not comments, with their locations.
fn code_lines(folder: &Path) -> Vec<(String, String)> {
    let mut lines = Vec::new();
    let mut pending = vec![folder.to_path_buf()];
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            pending.extend(
                std::fs::read_dir(&path).expect("a folder").map(|entry| entry.expect("an entry").path()),
            );
        } else if path.extension().is_some_and(|ending| ending == "rs") && !path.ends_with("tests.rs") {
            let text = std::fs::read_to_string(&path).expect("a source");
            for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().starts_with("//"))
            {
                lines.push((format!("{}:{}", path.display(), number + 1), line.to_owned()));
            }
        }
    }
    assert!(!lines.is_empty(), "{} has sources", folder.display());
    lines
}

/// Whether a line names a module as part of a path.
fn names_module(line: &str, module: &str) -> bool {
    let word = |at: usize| {
        let identifier = |c: char| c.is_alphanumeric() || c == '_';
        !line[..at].ends_with(identifier) && !line[at + module.len()..].starts_with(identifier)
    };
    line.match_indices(module).any(|(at, _)| {
        let in_path = line[..at].ends_with("::") || line[at + module.len()..].starts_with("::");
        let in_list = line.trim_start().starts_with("use ") && line[..at].contains('{');
        word(at) && (in_path || in_list)
    })
}

#[test]
fn vendor_modules_do_not_know_each_other() {
    let parsers = repository().join("parsers/src");
    let vendors = ["intel", "arm", "hexagon"];
    for own in vendors {
        for (place, line) in code_lines(&parsers.join(own)) {
            for other in vendors.iter().filter(|other| **other != own) {
                assert!(!names_module(&line, other), "{place}: {line}");
            }
        }
    }
    assert!(names_module("use crate::arm::Thing;", "arm") && names_module("use crate::{arm, x};", "arm"));
    assert!(!names_module("let arm = swarm::of(alarm);", "arm"));
}

#[test]
fn libraries_neither_print_nor_touch_files() {
    let crates = Crates::read();
    let printing = ["println!", "eprintln!", "print!(", "dbg!("];
    let outside = ["std::fs", "std::process", "std::net"];
    for package in crates.members() {
        if ["hydride", "xtask", "vendor-documents"].contains(&package.as_str()) {
            continue;
        }
        for (place, line) in code_lines(&crates.folder(&package).join("src")) {
            assert!(!printing.iter().any(|call| line.contains(call)), "{place}: {line}");
            let exempt = package == "difftest";
            assert!(exempt || !outside.iter().any(|module| line.contains(module)), "{place}: {line}");
        }
    }
}

/// The fuzz targets are a workspace of their own, which `cargo xtask fuzz` builds with its lock file as it is.
#[test]
fn the_lock_file_of_the_fuzz_targets_is_complete() {
    let crates = Crates::read();
    let lock = std::fs::read_to_string(repository().join("fuzz/Cargo.lock")).expect("a lock file");
    let locked: BTreeSet<&str> =
        lock.lines().filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"')).collect();
    let mut own = crates.workspace_dependencies("parsers");
    own.insert("parsers".to_owned());
    let needed = own.iter().flat_map(|package| crates.direct(package, &["normal", "build"]));
    let missing: Vec<_> = needed.filter(|name| !locked.contains(name)).collect();
    assert!(missing.is_empty(), "{missing:?}: cargo update --workspace --manifest-path fuzz/Cargo.toml");
}

/// What a user chooses is kept in a `Session`, so that two of them can differ in one process.
#[test]
fn no_choice_holds_for_the_whole_process() {
    let shared = ["OnceLock<", "LazyLock<", "Mutex<", "RwLock<", "Atomic"];
    for (place, line) in code_lines(&repository().join("hydride/src")) {
        let is_static = line.trim_start().trim_start_matches("pub ").starts_with("static ");
        assert!(!is_static || !shared.iter().any(|kind| line.contains(kind)), "{place}: {line}");
    }
}

/// The packages of a selection with their features, one a line, as cargo builds them.
fn chosen(selection: &[&str], edges: &str) -> BTreeSet<String> {
    let tree = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--prefix", "none", "--format", "{p} [{f}]", "--edges", edges])
        .args(selection)
        .current_dir(repository())
        .output()
        .expect("cargo tree");
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let text = String::from_utf8(tree.stdout).expect("a text");
    text.lines().map(|line| line.trim_end_matches(" (*)").to_owned()).collect()
}

/// A package with fewer features than the tests' is built a second time for them, and so is all above it.
#[test]
fn the_program_and_its_tests_share_one_build() {
    let program = chosen(&["--package", "hydride"], "normal,build");
    let tests = chosen(&["--workspace"], "normal,build,dev");
    let twice: Vec<_> = program.difference(&tests).collect();
    assert!(twice.is_empty(), "choose the tests' features in `hydride/Cargo.toml`: {twice:#?}");
}
