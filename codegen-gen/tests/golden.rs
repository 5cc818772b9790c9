//! Generated files for a small hand-made dialect, byte for byte.
//!
//! `HYDRIDE_BLESS=1 cargo test -p codegen-gen` rewrites the expected files and removes those that are
//! no longer generated.

#[path = "../../autoir/tests/samples/mod.rs"]
mod samples;
mod vendors;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use autoir::{Class, Dialect, Dictionary, Member, Reviews};
use codegen_gen::{Documents, GeneratedFile, LlvmVersion, Options, Part, generate, readme};
use memo::Memo;

fn golden_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

fn dialect(classes: Vec<Class>) -> Dialect {
    Dialect::build(classes, Dictionary::default(), &Reviews::default()).unwrap().0
}

fn files(classes: Vec<Class>, llvm: LlvmVersion) -> Vec<GeneratedFile> {
    let dialect = dialect(classes);
    let options = Options {
        llvm,
        vendors: vendors::vendors(llvm),
        features: vendors::features(),
        ..Options::default()
    };
    let mut files = generate(&dialect, &options, &Memo::default()).unwrap();
    let documents = Documents { isa: "west", entries: 30, modelled: 20 };
    let paths = files.iter().map(|file| file.path.as_str());
    files.push(readme(&dialect, &[documents], llvm, paths).unwrap());
    files
}

/// Files below a folder, by path relative to it.
fn existing(folder: &Path, prefix: &str, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            existing(&entry.path(), &format!("{name}/"), found);
        } else {
            found.insert(name);
        }
    }
}

#[test]
fn the_sample_dialect() {
    let folder = golden_folder();
    let mut expected: BTreeMap<String, String> = BTreeMap::new();
    for file in files(samples::classes(), LlvmVersion::Llvm19) {
        expected.insert(file.path, file.contents);
    }
    for file in files(samples::classes(), LlvmVersion::Llvm21) {
        if expected.get(&file.path) != Some(&file.contents) {
            expected.insert(format!("llvm21/{}", file.path), file.contents);
        }
    }
    let mut orphans = BTreeSet::new();
    existing(&folder, "", &mut orphans);
    orphans.retain(|path| !expected.contains_key(path));
    if std::env::var_os("HYDRIDE_BLESS").is_some_and(|value| value == "1") {
        for path in &orphans {
            fs::remove_file(folder.join(path)).unwrap();
        }
        for (path, contents) in &expected {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, contents).unwrap();
        }
        return;
    }
    assert!(orphans.is_empty(), "files without a generator: {orphans:?} (HYDRIDE_BLESS=1 removes them)");
    for (path, contents) in &expected {
        let golden = fs::read_to_string(folder.join(path)).unwrap_or_default();
        let differing = contents.lines().zip(golden.lines()).position(|(new, old)| new != old);
        let line = differing.map_or(contents.lines().count().min(golden.lines().count()), |line| line) + 1;
        assert!(*contents == golden, "{path} differs from line {line} on (HYDRIDE_BLESS=1 accepts it)");
    }
}

#[test]
fn input_order_does_not_matter() {
    let expected = files(samples::classes(), LlvmVersion::Llvm19);
    for rotation in 1..samples::classes().len() {
        let mut classes = samples::classes();
        classes.rotate_left(rotation);
        for class in &mut classes {
            class.members.reverse();
            for member in &mut class.members {
                reverse_words(member);
            }
        }
        assert!(files(classes, LlvmVersion::Llvm19) == expected, "rotation by {rotation}");
    }
}

fn reverse_words(member: &mut Member) {
    member.mnemonics.reverse();
    member.extensions.reverse();
}

#[test]
fn parts_are_made_one_by_one() {
    let all = files(samples::classes(), LlvmVersion::Llvm19);
    let always = |file: &GeneratedFile| file.path.starts_with("schemas/") || file.path == "README.md";
    let mut made: Vec<GeneratedFile> = all.iter().filter(|file| always(file)).cloned().collect();
    for part in Part::ALL {
        let vendors = vendors::vendors(LlvmVersion::default());
        let features = vendors::features();
        let options = Options { vendors, features, parts: [part].into(), ..Options::default() };
        let own = generate(&dialect(samples::classes()), &options, &Memo::default()).unwrap();
        let before = made.len();
        made.extend(own.into_iter().filter(|file| !always(file)));
        assert!(made.len() > before, "{part:?} has no files");
    }
    assert_eq!(made.iter().collect::<BTreeSet<_>>(), all.iter().collect());
    assert_eq!(made.len(), all.len());
}

#[test]
fn every_file_names_its_command_first() {
    for classes in [Vec::new(), samples::classes()] {
        for file in files(classes, LlvmVersion::Llvm19) {
            let first = file.contents.lines().next().unwrap();
            assert!(first.contains("cargo xtask generate-ir"), "{}: {first}", file.path);
            assert!(file.contents.ends_with('\n'), "{}", file.path);
            let trailing = file.contents.lines().find(|line| line.ends_with(' '));
            assert_eq!(trailing, None, "{}", file.path);
        }
    }
}

#[test]
fn lowering_rows_are_complete_json() {
    let files = files(samples::classes(), LlvmVersion::Llvm19);
    let file = files.iter().find(|file| file.path == "llvm/lowering.json").unwrap();
    let value: serde_json::Value = serde_json::from_str(&file.contents).unwrap();
    let rows = value["lowerings"].as_array().unwrap();
    let members: usize = samples::classes().iter().map(|class| class.members.len()).sum();
    assert_eq!(rows.len(), members);
    let masked = rows.iter().find(|row| row["id"] == "adds8_mask").unwrap();
    assert_eq!(
        masked["masking"],
        serde_json::json!({"kind": "merge", "mask": 1, "pass_through": 0, "layout": {"stride": 1, "lane": 8, "negated": false}})
    );
    assert_eq!(masked["args"], serde_json::json!([3, 2]));
    assert_eq!(masked["instance"], "llvm.autollvm.add_sat.v32i8()");
    assert_eq!(masked["types"]["args"], serde_json::json!(["<32 x i8>", "<32 x i8>"]));
}

#[test]
fn former_names_lead_to_the_current_one() {
    let (_, dictionary) =
        Dialect::build(samples::classes(), Dictionary::default(), &Reviews::default()).unwrap();
    let renamed = dictionary.to_string().replace("family add\n", "family vector_add\n  alias add\n");
    let (dialect, _) =
        Dialect::build(samples::classes(), Dictionary::parse(&renamed).unwrap(), &Reviews::default())
            .unwrap();
    let files = generate(&dialect, &Options::default(), &Memo::default()).unwrap();
    let file = files.iter().find(|file| file.path == "llvm/lowering.json").unwrap();
    let value: serde_json::Value = serde_json::from_str(&file.contents).unwrap();
    assert_eq!(value["aliases"], serde_json::json!({"add": "vector_add"}));
}

#[test]
fn arguments_of_different_types_do_not_commute() {
    let mut classes = samples::classes();
    let shift = classes.iter_mut().find(|class| class.function.name == "c6").unwrap();
    shift.members.iter_mut().for_each(|member| member.commutes = true);
    let dialect = dialect(classes);
    let commutes = |name: &str| dialect.op(name).unwrap().is_commutative();
    assert!(commutes("add") && !commutes("shift_left_immediate"));
}
