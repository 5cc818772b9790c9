//! Starts the binary, reads what it wrote, and writes small documents for it.

pub mod browser;
pub mod programs;
pub mod redis;

pub use vendor_documents::{note, skip};

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex, Once, OnceLock, PoisonError};

use hydride_ir::{Bits, Function, Role};
use serde_json::Value;

/// What a run of the binary said.
pub struct Run {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    pub fn new(output: Output) -> Run {
        Run {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Requires an exit code, and in no case a panic.
    #[track_caller]
    pub fn exits(self, code: i32) -> Run {
        assert!(!self.stderr.contains("panicked at"), "{}", self.stderr);
        assert_eq!(self.code, Some(code), "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    /// Requires texts in what went to standard error.
    #[track_caller]
    pub fn complains(self, of: &[&str]) -> Run {
        for text in of {
            assert!(self.stderr.contains(text), "`{text}` is not in:\n{}", self.stderr);
        }
        self
    }
}

/// The binary, to be started in `folder`.
pub fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hydride"));
    command.args(args).current_dir(folder).env_remove("HYDRIDE_LOG").env_remove("RUST_BACKTRACE");
    // No cache unless a test names one.
    command.env("HYDRIDE_CACHE", "");
    command
}

/// Runs the binary in `folder`.
pub fn hydride(folder: &Path, args: &[&str]) -> Run {
    Run::new(command(folder, args).output().expect("the binary starts"))
}

/// Whether everything is tried where otherwise a sample is (`cargo xtask test --full`).
pub fn is_full() -> bool {
    std::env::var_os("HYDRIDE_FULL").is_some_and(|value| value == "1")
}

/// A fresh folder for a test.
pub fn scratch() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// The documents that the repository has itself.
pub fn samples() -> PathBuf {
    repository().join("specs").join("sample")
}

/// `PATH` with the program's folder in front.
pub fn path_with_hydride() -> OsString {
    let binary = Path::new(env!("CARGO_BIN_EXE_hydride")).parent().expect("a folder");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::iter::once(binary.to_path_buf()).chain(std::env::split_paths(&path));
    std::env::join_paths(paths).expect("paths")
}

/// The workspace's folder.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace").to_path_buf()
}

/// The first folder with the vendors' x86 documents; without one, a visible word that the test does without.
pub fn vendor_documents() -> Option<PathBuf> {
    vendor_documents::with(&["x86"]).into_iter().next()
}

/// The documents for tests that compile all of an output: unless everything is tried, the vendors', or the samples where
/// there are none, since what others have besides is little and takes as long.
pub fn documents_to_compile() -> Vec<PathBuf> {
    match is_full() {
        true => document_folders_of("x86"),
        false => vec![vendor_documents().unwrap_or_else(samples)],
    }
}

/// The folder of the vendors' documents of both Arm and x86, where there is one.
pub fn arm_and_x86() -> Option<String> {
    vendor_documents::with(&["arm", "x86"]).first().map(|specs| specs.display().to_string())
}

/// The samples, and the folders of the vendors' documents, but only one of those with the same documents of an
/// instruction set.
pub fn document_folders_of(isa: &str) -> Vec<PathBuf> {
    let mut seen = BTreeSet::new();
    let different = |folder: &PathBuf| {
        let mut documents = binary_files(&folder.join(isa));
        // Of several x86 documents the last one is read.
        let newest = documents.keys().filter(|name| name.ends_with(".xml")).max().cloned();
        documents.retain(|name, _| newest.as_ref().is_none_or(|newest| name == newest));
        seen.insert(documents)
    };
    let vendors = vendor_documents::with(&[isa]).into_iter().filter(different);
    std::iter::once(samples()).chain(vendors).collect()
}

/// The samples, and each folder of the vendors' documents.
pub fn document_folders() -> Vec<PathBuf> {
    std::iter::once(samples()).chain(vendor_documents::with(&["x86"])).collect()
}

/// Every instruction set, for [`shared_output`].
pub const ALL: &str = "x86,arm,hvx";

/// The outputs from some instruction sets of a folder, made once for all the tests that only read them.
#[track_caller]
pub fn shared_output(specs: &Path, isas: &str) -> PathBuf {
    type Made = BTreeMap<(PathBuf, String), Arc<OnceLock<tempfile::TempDir>>>;
    static MADE: Mutex<Made> = Mutex::new(Made::new());
    static CLEAN: Once = Once::new();
    let key = (specs.to_path_buf(), isas.to_owned());
    let made = MADE.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default().clone();
    let folder = made.get_or_init(|| {
        let parent = Path::new(env!("CARGO_TARGET_TMPDIR")).join("shared-outputs");
        // What lives as long as the program is not removed at its end.
        CLEAN.call_once(|| drop(std::fs::remove_dir_all(&parent)));
        std::fs::create_dir_all(&parent).expect("a folder for outputs");
        let folder = tempfile::tempdir_in(parent).expect("a folder");
        let args = ["generate-ir", "--specs", &specs.to_string_lossy(), "--isa", isas];
        hydride(folder.path(), &args).exits(0);
        folder
    });
    folder.path().join("out")
}

/// The instructions of one set that the documents of a folder give a meaning, by their ids in the ledger.
pub fn modelled(specs: &Path, isa: &str) -> BTreeSet<String> {
    let ledger = std::fs::read_to_string(shared_output(specs, isa).join("ledger.jsonl")).expect("a ledger");
    let entries = ledger.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    let of_entry = |entry: serde_json::Value| {
        (entry["status"] == "modelled").then(|| entry["id"].as_str().map(str::to_owned)).flatten()
    };
    entries.filter_map(of_entry).collect()
}

/// Whether documents have Arm's ASL; without it loads and stores have no meaning.
pub fn have_asl(specs: &Path) -> bool {
    let is_there = specs.join("arm/arch.asl").is_file();
    if !is_there {
        skip(&format!("{}: Arm's loads and stores have no meaning without arm/arch.asl", specs.display()));
    }
    is_there
}

/// An output folder below `folder` from x86 documents, made in a run that succeeds.
#[track_caller]
pub fn generate(specs: &Path, folder: &Path, extra: &[&str]) -> PathBuf {
    let specs = specs.to_string_lossy();
    let mut args = vec!["generate-ir", "--specs", &specs, "--isa", "x86"];
    args.extend(extra);
    hydride(folder, &args).exits(0);
    folder.join("out")
}

/// The files below a folder by path, with their contents.
pub fn files(folder: &Path) -> BTreeMap<String, String> {
    let text = |bytes| String::from_utf8(bytes).expect("a text file");
    binary_files(folder).into_iter().map(|(name, bytes)| (name, text(bytes))).collect()
}

/// The same where not all of them are texts.
fn binary_files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut pending = vec![folder.to_path_buf()];
    while let Some(below) = pending.pop() {
        for entry in std::fs::read_dir(&below).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                pending.push(path);
            } else {
                let name = path.strip_prefix(folder).expect("below").to_string_lossy().replace('\\', "/");
                found.insert(name, std::fs::read(&path).expect("a file"));
            }
        }
    }
    found
}

/// The files that are the same in every run: all but the one that contains times.
pub fn timeless_files(folder: &Path) -> BTreeMap<String, String> {
    let mut files = files(folder);
    assert!(files.remove("summary.json").is_some(), "a summary");
    files
}

/// The files that do not depend on what was written into the folder before, which further families do.
pub fn files_without_history(out: &Path) -> BTreeMap<String, String> {
    let mut files = timeless_files(out);
    assert!(files.remove("families.txt").is_some());
    files
}

#[track_caller]
pub fn read_json(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).expect("a file")).expect("JSON")
}

/// The lines of `ledger.jsonl`.
#[track_caller]
pub fn ledger(out: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(out.join("ledger.jsonl")).expect("a ledger");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON in every line")).collect()
}

/// The ledger line of an entry.
#[track_caller]
pub fn ledger_line(out: &Path, id: &str) -> Value {
    let found: Vec<Value> = ledger(out).into_iter().filter(|line| line["id"] == id).collect();
    assert_eq!(found.len(), 1, "lines of {id}");
    found[0].clone()
}

/// The functions of a file of IR by name.
#[track_caller]
pub fn functions(path: &Path) -> BTreeMap<String, Function> {
    let text = std::fs::read_to_string(path).expect("a file");
    let all = Function::parse_all(&text).unwrap_or_else(|error| panic!("{}:{error}", path.display()));
    let count = all.len();
    let named: BTreeMap<String, Function> =
        all.into_iter().map(|function| (function.name.clone(), function)).collect();
    assert_eq!(named.len(), count, "names are different in {}", path.display());
    named
}

/// The keys of an object.
pub fn keys(value: &Value) -> BTreeSet<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

/// The members of each class by name: their ids.
pub fn class_of(classes: &Value, id: &str) -> String {
    let found: Vec<&Value> = classes
        .as_array()
        .expect("a list")
        .iter()
        .filter(|class| class["members"].as_array().expect("members").iter().any(|member| member["id"] == id))
        .collect();
    assert_eq!(found.len(), 1, "classes of {id}");
    found[0]["name"].as_str().expect("a name").to_owned()
}

/// Numbers that are the same in every run.
pub struct Random(hydride_ir::Random);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(hydride_ir::Random::new(seed | 1))
    }

    pub fn next(&mut self) -> u64 {
        self.0.word()
    }

    /// Bits of a width: now and then zeros, ones, or a small number, which random words hardly ever are.
    pub fn bits(&mut self, width: u32) -> Bits {
        match self.next() % 8 {
            0 => Bits::zero(width),
            1 => Bits::ones(width),
            2 => Bits::from_u64(width, self.next() % 70),
            _ => self.0.bits(width),
        }
    }

    /// An argument for each one of a function without parameters, immediates within their range.
    pub fn arguments(&mut self, function: &Function) -> Vec<Bits> {
        let args = function.args.iter().map(|arg| {
            let width = u32::try_from(arg.width.as_constant().expect("a number")).expect("a width");
            match arg.role {
                Role::Register | Role::Memory { .. } => self.bits(width),
                Role::Immediate { low, high } => {
                    let values = high.abs_diff(low).saturating_add(1);
                    Bits::from_u64(width, low.wrapping_add_unsigned(self.next() % values).cast_unsigned())
                }
            }
        });
        args.collect()
    }
}

/// A document with these entries, in the format of the Intrinsics Guide data.
pub fn document(entries: &[String]) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<intrinsics_list version=\"test\">\n{}</intrinsics_list>\n",
        entries.concat()
    )
}

/// An entry on two 128-bit registers; the operation begins in its sixth line.
pub fn entry(name: &str, operation: &str) -> String {
    let operation = operation.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    format!(
        "<intrinsic tech=\"SSE_ALL\" name=\"{name}\">\n<CPUID>SSE2</CPUID>\n\
         <return type=\"__m128i\" varname=\"dst\" etype=\"UI8\"/>\n\
         <parameter type=\"__m128i\" varname=\"a\" etype=\"UI8\"/>\n\
         <parameter type=\"__m128i\" varname=\"b\" etype=\"UI8\"/>\n\
         <operation>\n{operation}\n</operation>\n</intrinsic>\n"
    )
}

/// An entry that is modelled.
pub fn good_entry(name: &str) -> String {
    entry(name, "dst[127:0] := a[127:0] AND b[127:0]")
}

/// Makes a specs folder below `folder` whose one x86 document has these contents.
pub fn specs_with(folder: &Path, contents: impl AsRef<[u8]>) -> PathBuf {
    let specs = folder.join("specs");
    std::fs::create_dir_all(specs.join("x86")).expect("a folder");
    std::fs::write(specs.join("x86/own.xml"), contents).expect("a document");
    specs
}
