//! The dictionary of families is a standard: what is read with an instruction set does not change what becomes of it.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::support::*;

/// An instruction set and an id.
type Member = (String, String);

/// What users of an output folder rely on.
struct Seen {
    /// The functions of families and of operations, as text.
    functions: BTreeMap<String, String>,
    /// The line of each member, with the name of its family.
    members: BTreeMap<Member, (String, String)>,
    /// The lowering row of each member.
    rows: BTreeMap<Member, Value>,
    /// The families that are not built in.
    added: String,
}

impl Seen {
    fn new(out: &Path) -> Self {
        let functions = ["autollvm", "forms"].into_iter().flat_map(|file| {
            let all = functions(&out.join(format!("autollvm/{file}.hir"))).into_iter();
            all.map(move |(name, function)| (format!("{file}: {name}"), function.to_string()))
        });
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        let key = |row: &Value| (text(&row["isa"]), text(&row["id"]));
        let mut members = BTreeMap::new();
        for class in read_json(&out.join("classes.json")).as_array().expect("a list") {
            for member in class["members"].as_array().expect("members") {
                members.insert(key(member), (text(&class["name"]), member.to_string()));
            }
        }
        let table = read_json(&out.join("llvm/lowering.json"));
        let rows = table["lowerings"].as_array().expect("rows").iter();
        let added = std::fs::read_to_string(out.join("families.txt")).expect("families");
        Self {
            functions: functions.collect(),
            members,
            rows: rows.map(|row| (key(row), row.clone())).collect(),
            added,
        }
    }

    /// Requires that all that this run has is the same in a run on more instruction sets.
    #[track_caller]
    fn is_part_of(&self, all: &Self, what: &str) {
        assert!(!self.functions.is_empty(), "{what}: no operations");
        for (name, function) in &self.functions {
            assert!(all.functions.get(name) == Some(function), "{what}: {name} is another function");
        }
        for (member, line) in &self.members {
            assert_eq!(all.members.get(member), Some(line), "{what}");
        }
        for (member, row) in &self.rows {
            assert_eq!(all.rows.get(member), Some(row), "{what}");
        }
    }
}

/// Runs on some instruction sets, one run after the other into one folder.
#[track_caller]
fn seen_in_turn(specs: &Path, turns: &[&str]) -> Vec<Seen> {
    let folder = scratch();
    let run = |isas: &&str| {
        let args = ["generate-ir", "--specs", &specs.to_string_lossy(), "--isa", isas];
        hydride(folder.path(), &args).exits(0);
        Seen::new(&folder.path().join("out"))
    };
    turns.iter().map(run).collect()
}

#[test]
fn operations_do_not_depend_on_what_else_is_read() {
    let all = Seen::new(&shared_output(&samples(), ALL));
    let turns: &[&str] = match is_full() {
        true => &["hvx", "arm", "x86,x86", "hvx", "x86,hvx", "arm,x86", "hvx,arm", "hvx,arm,x86"],
        false => &["hvx", "arm,arm", "x86,hvx", "hvx,arm,x86"],
    };
    for (turn, seen) in turns.iter().zip(seen_in_turn(&samples(), turns)) {
        seen.is_part_of(&all, turn);
    }
}

#[test]
fn operations_of_the_vendors_documents_do_not_depend_on_what_else_is_read() {
    let files = ["x86/x86-intel-3.6.9.xml", "arm/intrinsics.json", "hvx/ext.idef"];
    let Some(specs) = vendor_documents::tested(&files) else { return };
    let all = Seen::new(&shared_output(&specs, ALL));
    let turns: &[&str] = if is_full() { &["hvx", "arm", "x86", "hvx,x86", "hvx"] } else { &["hvx", "arm"] };
    for (turn, seen) in turns.iter().zip(seen_in_turn(&specs, turns)) {
        seen.is_part_of(&all, turn);
        assert!(!seen.added.contains("\nfamily "), "{turn}: {}", seen.added);
    }
}

/// What two revisions say of an instruction in the same words has the same operation in both, with the same types,
/// attributes and arguments, and an operation that both have has the same function. An eighth of the older revision is
/// read unless everything is tested.
#[test]
fn operations_of_an_older_revision_are_the_same() {
    let files = ["x86/x86-intel-3.5.3.xml", "x86/x86-intel-3.6.9.xml", "arm/intrinsics.json", "hvx/ext.idef"];
    let Some(specs) = vendor_documents::tested(&files) else { return };
    let newer = shared_output(&specs, ALL);
    let folder = scratch();
    let older = folder.path().join("specs/x86");
    std::fs::create_dir_all(&older).expect("a folder");
    let text = std::fs::read_to_string(specs.join(files[0])).expect("a document");
    let part = if is_full() { 1 } else { 8 };
    std::fs::write(older.join("older.xml"), one_in(part, &text)).expect("a document");
    hydride(folder.path(), &["generate-ir", "--specs", "specs", "--emit", "ir,dialect,llvm"]).exits(0);
    let older = folder.path().join("out");
    let semantics = [&older, &newer].map(|out| functions(&out.join("ir/x86.hir")));
    let [old, new] = [Seen::new(&older), Seen::new(&newer)];

    let mut compared = 0;
    for (member, row) in &old.rows {
        let [before, now] = semantics.each_ref().map(|functions| functions.get(&member.1));
        let Some(other) = new.rows.get(member).filter(|_| before == now) else { continue };
        for field in ["op", "instance", "types", "args", "params", "masking"] {
            assert_eq!(row[field], other[field], "{member:?}: {field}");
        }
        compared += 1;
    }
    let common = old.functions.iter().filter(|(name, _)| new.functions.contains_key(*name));
    for (name, function) in common {
        assert_eq!(Some(function), new.functions.get(name), "{name}");
    }
    println!("{compared} of {} rows have the same text in both", old.rows.len());
    assert!(compared > 3000 / part, "{compared}");
}

/// Every `part`-th entry of Intel's document.
fn one_in(part: usize, document: &str) -> String {
    const BEGIN: &str = "<intrinsic ";
    let (head, entries) = document.split_at(document.find(BEGIN).expect("an entry"));
    let (entries, tail) = entries.split_at(entries.rfind("</intrinsics_list>").expect("an end"));
    let entries = entries.split(BEGIN).skip(1).step_by(part);
    let kept: String = entries.flat_map(|entry| [BEGIN, entry]).collect();
    format!("{head}{kept}{tail}")
}

/// The samples' operations as a dictionary of their own.
#[test]
fn a_dictionary_is_made_anew_with_the_names_of_the_present_one() {
    let folder = scratch();
    let specs = samples();
    let rebuild = |present: &[&str], file: &str| {
        let args = ["dictionary", "--specs", &specs.to_string_lossy(), "--rebuild", file];
        hydride(folder.path(), &[&args[..], present].concat())
    };
    // The built-in one has more members.
    let told = rebuild(&[], "first.txt").exits(1).stdout;
    assert!(told.contains("\ngone: ") || told.starts_with("gone: "), "{told}");
    assert_eq!(rebuild(&["--dictionary", "first.txt"], "second.txt").exits(0).stdout, "");
    let text = |file: &str| std::fs::read_to_string(folder.path().join(file)).expect("a dictionary");
    assert!(text("first.txt") == text("second.txt"));
    assert!(text("first.txt").contains("\nfamily add\n"));
    // Another name, and a family that forgets a member.
    let changed = text("first.txt").replace("\nfamily add\n", "\nfamily sum\n");
    let lines: Vec<&str> = changed.lines().filter(|line| !line.contains(" _mm_add_epi8 ")).collect();
    std::fs::write(folder.path().join("own.txt"), lines.join("\n")).expect("a file");
    rebuild(&["--dictionary", "own.txt"], "third.txt").exits(0);
    let third = text("third.txt");
    assert!(third.contains("\nfamily sum\n") && !third.contains("\nfamily add\n"));
    assert_eq!(third.lines().count(), text("first.txt").lines().count());
    let listed = hydride(folder.path(), &["dictionary", "--dictionary", "own.txt"]).exits(0).stdout;
    assert!(listed.lines().any(|line| line.starts_with("sum[element_width, elements")), "{listed}");
}

/// The checked-in dictionary is what the vendors' documents give.
#[test]
fn the_built_in_dictionary_is_up_to_date() {
    let files = ["x86/x86-intel-3.6.9.xml", "arm/intrinsics.json", "hvx/ext.idef"];
    let Some(specs) = vendor_documents::tested(&files) else { return };
    if !is_full() {
        return;
    }
    let folder = scratch();
    let args = ["dictionary", "--specs", &specs.to_string_lossy(), "--rebuild", "families.txt"];
    assert_eq!(hydride(folder.path(), &args).exits(0).stdout, "");
    let checked_in = repository().join("specs/dictionary/families.txt");
    assert!(std::fs::read(folder.path().join("families.txt")).unwrap() == std::fs::read(checked_in).unwrap());
}
