//! Finds and reads the documents.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context, Result, bail};
use clap::Args;
use parsers::{Diagnostic, Isa, Outline, Parsed};

use crate::cache::Cache;
use crate::{Failure, console, reuse};

/// A document as read.
pub struct Document {
    /// The instruction set it belongs to.
    pub isa: Isa,
    /// Its path below the specs folder, with `/`.
    pub name: String,
    /// Where it was read.
    pub path: PathBuf,
    /// Its contents.
    pub bytes: Vec<u8>,
}

/// The documents of a run.
pub struct Documents {
    /// The folder they come from.
    pub folder: PathBuf,
    /// Why that folder was taken.
    pub because: &'static str,
    /// The documents by instruction set and name.
    pub documents: Vec<Document>,
}

impl Documents {
    /// Which documents of which folder these are, for messages.
    pub fn told(&self) -> String {
        let names: Vec<&str> = self.documents.iter().map(|document| document.name.as_str()).collect();
        format!("{} ({}): {}", self.folder.display(), self.because, names.join(", "))
    }
}

/// How documents are read.
#[derive(Args, Clone, Debug)]
pub struct ReadChoice {
    /// Bytes of an HVX vector.
    #[arg(long, global = true, value_name = "BYTES", default_value = "128", value_parser = ["64", "128"])]
    hvx_length: String,
    /// Go on with what can be read of a document that is cut off or not well-formed.
    #[arg(long, global = true)]
    accept_partial: bool,
}

static HVX: OnceLock<parsers::hexagon::Options> = OnceLock::new();

static ACCEPT_PARTIAL: OnceLock<bool> = OnceLock::new();

/// Sets how the documents of this run are read.
pub fn choose(choice: &ReadChoice) {
    let vector_length = match choice.hvx_length.as_str() {
        "64" => parsers::hexagon::VectorLength::Bytes64,
        _ => parsers::hexagon::VectorLength::Bytes128,
    };
    // A second choice in one process changes nothing.
    let _ = HVX.set(parsers::hexagon::Options { vector_length });
    let _ = ACCEPT_PARTIAL.set(choice.accept_partial);
}

/// How HVX is read.
pub fn hvx_options() -> parsers::hexagon::Options {
    HVX.get().copied().unwrap_or_default()
}

/// The flags by which another run reads documents in the same way.
pub fn flags() -> Vec<String> {
    let mut flags = Vec::new();
    if hvx_options() != parsers::hexagon::Options::default() {
        flags.extend(["--hvx-length".to_owned(), hvx_options().vector_bytes().to_string()]);
    }
    if ACCEPT_PARTIAL.get().copied().unwrap_or(false) {
        flags.push("--accept-partial".to_owned());
    }
    flags
}

/// How documents are read, for keys: what one way of reading gives is no answer for another.
pub fn read_options() -> String {
    format!("{:?} {:?}", hvx_options(), ACCEPT_PARTIAL.get())
}

/// Every instruction set with its folder below the specs folder and the endings of its documents.
const FOLDERS: &[(Isa, &str, &[&str])] = &[
    (Isa::X86, "x86", &["xml"]),
    (Isa::Arm, "arm", &["json", "asl", "html"]),
    (Isa::Hvx, "hvx", &["json", "txt", "idef", "def", "h"]),
];

/// The name of an instruction set in files and options.
pub fn isa_name(isa: Isa) -> &'static str {
    FOLDERS.iter().find(|(known, _, _)| *known == isa).map_or("", |(_, name, _)| name)
}

/// Every instruction set.
pub fn all_isas() -> Vec<Isa> {
    FOLDERS.iter().map(|(isa, _, _)| *isa).collect()
}

/// The instruction set of that name.
pub fn isa_of_name(name: &str) -> Option<Isa> {
    FOLDERS.iter().find(|(_, known, _)| *known == name).map(|(isa, _, _)| *isa)
}

/// Reads the documents of the instruction sets in `isas` from `asked`, else from `specs/vendor`, else from
/// `specs/sample`.
pub fn read(asked: Option<&Path>, isas: &[Isa]) -> Result<Documents> {
    let candidates: Vec<(PathBuf, &'static str)> = match asked {
        Some(folder) => vec![(folder.to_path_buf(), "as asked")],
        None => vec![
            (PathBuf::from("specs/vendor"), "fetched documents"),
            (PathBuf::from("specs/sample"), "own samples, for want of vendor documents"),
        ],
    };
    for (folder, because) in candidates {
        if asked.is_some() && !folder.is_dir() {
            bail!("{} is not a folder", folder.display());
        }
        let documents = read_folder(&folder, isas)?;
        if !documents.is_empty() {
            return Ok(Documents { folder, because, documents });
        }
    }
    match asked {
        Some(folder) => bail!("{} holds no documents of {}", folder.display(), list(isas)),
        None => bail!("no documents of {}: give --specs, or run `cargo xtask fetch-specs`", list(isas)),
    }
}

fn list(isas: &[Isa]) -> String {
    isas.iter().map(|isa| isa_name(*isa)).collect::<Vec<_>>().join(", ")
}

fn read_folder(folder: &Path, isas: &[Isa]) -> Result<Vec<Document>> {
    let mut documents = Vec::new();
    for (isa, name, endings) in FOLDERS.iter().filter(|(isa, _, _)| isas.contains(isa)) {
        let below = folder.join(name);
        if !below.is_dir() {
            continue;
        }
        let entries =
            std::fs::read_dir(&below).with_context(|| format!("cannot list {}", below.display()))?;
        let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        for path in paths {
            let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
            if !path.is_file() || !endings.contains(&ending) {
                continue;
            }
            let bytes = read_file(&path)?;
            let file = path.file_name().map(|file| file.to_string_lossy().into_owned()).unwrap_or_default();
            documents.push(Document { isa: *isa, name: format!("{name}/{file}"), path, bytes });
        }
    }
    keep_newest_intel(&mut documents);
    Ok(documents)
}

/// The bytes of a document. One in UTF-16 would be taken for one without entries.
pub fn read_file(path: &Path) -> Result<Vec<u8>> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let wide = match bytes[..] {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => true,
        [a, b, c, d, ..] => matches!(
            (a == 0, b == 0, c == 0, d == 0),
            (true, false, true, false) | (false, true, false, true)
        ),
        _ => false,
    };
    if wide {
        let path = path.display();
        bail!("{path}:1:1: the document is in UTF-16; make it UTF-8 first: iconv -f UTF-16 -t UTF-8 {path}");
    }
    Ok(bytes)
}

/// Several revisions of Intel's document describe one instruction set: the last by name is read.
fn keep_newest_intel(documents: &mut Vec<Document>) {
    let newest = documents
        .iter()
        .filter(|document| document.isa == Isa::X86)
        .map(|document| document.name.clone())
        .max();
    documents.retain(|document| document.isa != Isa::X86 || Some(&document.name) == newest.as_ref());
}

/// What the documents of an instruction set lack without which nothing can be read.
pub fn missing_main_document(isa: Isa, documents: &[Document]) -> Option<&'static str> {
    let has = |endings: &[&str]| {
        let mut own = documents.iter().filter(|document| document.isa == isa);
        own.any(|document| endings.iter().any(|ending| document.name.ends_with(ending)))
    };
    match isa {
        Isa::X86 => None,
        Isa::Arm => {
            let page = format!("/{ARM_PAGE}");
            let newer = format!("/{ARM_NEWER}");
            (!has(&["/intrinsics.json", &page, &newer])).then_some("intrinsics.json or reference page")
        }
        Isa::Hvx => {
            (!has(&[".idef", ".json", ".txt"])).then_some("semantics (.idef) or manual (.json, .txt)")
        }
    }
}

/// Parses the documents of one instruction set, which must be whole; `progress` is told entries done and in all.
/// What the cache has is not read again: an entry of x86, all documents of another instruction set.
pub fn parse(
    isa: Isa,
    documents: &[Document],
    cache: Option<&Cache>,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Parsed> {
    parse_some(isa, documents, cache, progress, None)
}

/// The same where only the entry of one id is wanted: of x86's document nothing else is run.
pub fn parse_one(isa: Isa, documents: &[Document], id: &str) -> Result<Parsed> {
    parse_some(isa, documents, None, &|_, _| {}, Some(id))
}

fn parse_some(
    isa: Isa,
    documents: &[Document],
    cache: Option<&Cache>,
    progress: &(dyn Fn(usize, usize) + Sync),
    only: Option<&str>,
) -> Result<Parsed> {
    let own: Vec<&Document> = documents.iter().filter(|document| document.isa == isa).collect();
    let parsed = parse_any(isa, &own, cache, progress, only);
    require_whole(&parsed.diagnostics, &own)?;
    Ok(parsed)
}

/// Refuses documents of which only a part can be read, and tells where, unless the user accepts that. What is lost
/// would be told as missing, removed or unknown by whoever goes on.
pub fn require_whole(diagnostics: &[Diagnostic], documents: &[&Document]) -> Result<()> {
    let broken: Vec<Diagnostic> =
        diagnostics.iter().filter(|found| found.breaks_the_document()).cloned().collect();
    let Some(first) = broken.first().filter(|_| !ACCEPT_PARTIAL.get().copied().unwrap_or(false)) else {
        return Ok(());
    };
    let named = |document: &Document| document.path.display().to_string();
    console::report(&broken[..broken.len().min(MAX_SHOWN)], documents, named);
    if broken.len() > MAX_SHOWN {
        eprintln!("and {} more such places", broken.len() - MAX_SHOWN);
    }
    let path = documents.iter().find(|document| document.name == first.span.file);
    let path = path.map_or_else(|| first.span.file.clone(), |document| document.path.display().to_string());
    let message = format!(
        "{path} cannot be read as a whole: nothing was done with it; --accept-partial takes what can be read"
    );
    Err(Failure { code: 3, message }.into())
}

/// Places shown of a document that is not whole.
const MAX_SHOWN: usize = 10;

fn parse_any(
    isa: Isa,
    own: &[&Document],
    cache: Option<&Cache>,
    progress: &(dyn Fn(usize, usize) + Sync),
    only: Option<&str>,
) -> Parsed {
    match isa {
        Isa::X86 => match own.first() {
            Some(document) => {
                let kept = cache.map(|cache| {
                    |question: &[u8], make: &mut dyn FnMut() -> Vec<u8>| cache.answer(question, make)
                });
                let options = parsers::intel::Options {
                    progress: Some(progress),
                    errata: crate::errata::of(isa),
                    kept: kept.as_ref().map(|kept| kept as &parsers::Kept<'_>),
                    only,
                };
                parsers::intel::parse(&document.name, &document.bytes, &options)
            }
            None => Parsed::default(),
        },
        Isa::Arm | Isa::Hvx => {
            let parse = || match isa {
                Isa::Hvx => parsers::hexagon::parse(&hexagon(own), &hvx_options()),
                _ => {
                    let options =
                        parsers::arm::Options { errata: crate::errata::of(isa), ..Default::default() };
                    parsers::arm::parse(&arm(own), &options)
                }
            };
            match cache {
                Some(cache) => cache.remembered(reuse::documents_key(own, isa), parse),
                None => parse(),
            }
        }
    }
}

/// The entries of the documents of one instruction set without their meaning.
pub fn outline(isa: Isa, documents: &[Document]) -> Vec<Outline> {
    let own: Vec<&Document> = documents.iter().filter(|document| document.isa == isa).collect();
    match (isa, own.first()) {
        (Isa::X86, Some(document)) => parsers::intel::outline(&document.name, &document.bytes),
        (Isa::X86, None) => Vec::new(),
        (Isa::Arm, _) => parsers::arm::outline(&arm(&own)),
        (Isa::Hvx, _) => parsers::hexagon::outline(&hexagon(&own)),
    }
}

/// The decode facts of A64 encodings, as checked in.
const A64_DECODE: &str = include_str!("../../specs/decode/a64.json");

/// The functions that Arm's operations call, for documents without `arch.asl`.
const ARM_LIBRARY: &str = include_str!("../../specs/arm/library.asl");

/// The names of Arm's two documents that packages hold, below `arm/`.
pub const ARM_PAGE: &str = "arm-intrinsics.html";
pub const ARM_NEWER: &str = "intrinsics-no-operations.json";

/// The documents of Arm by their names.
pub fn arm<'a>(own: &[&'a Document]) -> parsers::arm::Documents<'a> {
    let named = |file: &str| {
        let document = own.iter().find(|document| document.name.ends_with(&format!("/{file}")))?;
        Some(parsers::arm::Document { name: &document.name, bytes: &document.bytes })
    };
    let built_in =
        |name: &'static str, text: &'static str| parsers::arm::Document { name, bytes: text.as_bytes() };
    parsers::arm::Documents {
        intrinsics: named("intrinsics.json"),
        operations: named("operations.json"),
        instructions: named("arch_instrs.asl"),
        library: named("arch.asl").or(Some(built_in("specs/arm/library.asl", ARM_LIBRARY))),
        decode: Some(built_in("specs/decode/a64.json", A64_DECODE)),
        page: named(ARM_PAGE),
        newer: named(ARM_NEWER),
    }
}

/// HVX's documents among those of a run.
pub fn hexagon<'a>(own: &[&'a Document]) -> parsers::hexagon::Documents<'a> {
    let ending = |ending: &str| {
        let document = own.iter().find(|document| document.name.ends_with(ending))?;
        Some(parsers::hexagon::Document { name: &document.name, bytes: &document.bytes })
    };
    parsers::hexagon::Documents {
        manual: ending(".json").or_else(|| ending(".txt")),
        semantics: ending(".idef"),
        macros: ending(".def"),
        prototypes: ending(".h"),
        errata: crate::errata::of(Isa::Hvx),
    }
}
