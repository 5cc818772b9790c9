//! Finds and reads the documents.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context, Result, bail};
use clap::Args;
use parsers::{Diagnostic, Isa, Outline, Parsed};
use smt::Memo;

use crate::isa::{self, Reading};
use crate::{Failure, console, reuse, usage};

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
    /// Go on with what can be read of a document that is cut off or not well-formed.
    #[arg(long, global = true)]
    accept_partial: bool,
}

static ACCEPT_PARTIAL: OnceLock<bool> = OnceLock::new();

/// Sets how the documents of this run are read.
pub fn choose(choice: &ReadChoice) {
    // A second choice in the same process has no effect.
    let _ = ACCEPT_PARTIAL.set(choice.accept_partial);
}

/// The flags by which another run reads documents in the same way. Results of one way of reading are not valid for
/// another, so the flags are part of keys as well.
pub fn flags() -> Vec<String> {
    let options = isa::all().filter_map(|set| set.options.as_ref());
    let mut flags: Vec<String> = options.flat_map(|options| (options.flags)()).collect();
    if ACCEPT_PARTIAL.get().copied().unwrap_or(false) {
        flags.push("--accept-partial".to_owned());
    }
    flags
}

/// The name of an instruction set in files and options.
pub fn isa_name(isa: Isa) -> &'static str {
    isa.name()
}

/// Every instruction set.
pub fn all_isas() -> Vec<Isa> {
    isa::identities()
}

/// The instruction set that a user names.
pub fn isa_asked(name: &str) -> Result<Isa> {
    isa_of_name(name).ok_or_else(|| {
        usage(format!("unknown instruction set {name}; there are {}", list(&isa::identities())))
    })
}

/// The instruction set of that name.
pub fn isa_of_name(name: &str) -> Option<Isa> {
    isa::identities().into_iter().find(|isa| isa.name() == name)
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
    for isa in isa::identities().into_iter().filter(|isa| isas.contains(isa)) {
        let (name, front_end) = (isa.name(), &isa::of(isa).front_end);
        let below = folder.join(name);
        if !below.is_dir() {
            continue;
        }
        let entries =
            std::fs::read_dir(&below).with_context(|| format!("cannot list {}", below.display()))?;
        let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        let mut own = Vec::new();
        for path in paths {
            let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
            if !path.is_file() || !front_end.endings.contains(&ending) {
                continue;
            }
            let bytes = read_file(&path)?;
            let file = path.file_name().map(|file| file.to_string_lossy().into_owned()).unwrap_or_default();
            own.push(Document { isa, name: format!("{name}/{file}"), path, bytes });
        }
        (front_end.select)(&mut own);
        documents.extend(own);
    }
    Ok(documents)
}

/// The bytes of a document. UTF-16 would look like a document without entries.
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

/// Those of one instruction set.
fn own(isa: Isa, documents: &[Document]) -> Vec<&Document> {
    documents.iter().filter(|document| document.isa == isa).collect()
}

/// The missing documents of an instruction set without which nothing can be read.
pub fn missing_main_document(isa: Isa, documents: &[Document]) -> Option<&'static str> {
    (isa::of(isa).front_end.missing)(&own(isa, documents))
}

/// Parses the documents of one instruction set, which must be whole; `progress` is called with the number of entries
/// done and the total. Documents that an earlier run parsed are not parsed again.
pub fn parse(
    isa: Isa,
    documents: &[Document],
    memo: &Memo,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Parsed> {
    parse_some(isa, documents, memo, progress, None)
}

/// The same if only the entry of one id is needed: a front end may skip all others.
pub fn parse_one(isa: Isa, documents: &[Document], id: &str) -> Result<Parsed> {
    parse_some(isa, documents, &Memo::default(), &|_, _| {}, Some(id))
}

fn parse_some(
    isa: Isa,
    documents: &[Document],
    memo: &Memo,
    progress: &(dyn Fn(usize, usize) + Sync),
    only: Option<&str>,
) -> Result<Parsed> {
    let own = own(isa, documents);
    let parsed = parse_any(isa, &own, memo, progress, only);
    require_whole(&parsed.diagnostics, &own)?;
    Ok(parsed)
}

/// Refuses documents that can be read only in part, and reports where, unless the user accepts that. Otherwise the lost
/// entries would be reported as missing, removed or unknown later.
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
    memo: &Memo,
    progress: &(dyn Fn(usize, usize) + Sync),
    only: Option<&str>,
) -> Parsed {
    if own.is_empty() {
        return Parsed::default();
    }
    let front_end = &isa::of(isa).front_end;
    let reading = Reading { documents: own, errata: crate::errata::of(isa), progress, only };
    memo.get_or(|| reuse::documents_key(own, isa), || (front_end.parse)(&reading))
}

/// The entries of the documents of one instruction set, without semantics.
pub fn outline(isa: Isa, documents: &[Document]) -> Vec<Outline> {
    match &own(isa, documents)[..] {
        [] => Vec::new(),
        own => (isa::of(isa).front_end.outline)(own),
    }
}
