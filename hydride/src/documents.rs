//! Finds and reads the documents.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use memo::digest;
use parsers::{Diagnostic, Isa, Outline, Parsed};
use rayon::prelude::*;
use smt::{Key, Memo};

use crate::isa::{Document, Progress, Reading};
use crate::session::listed;
use crate::{BrokenDocument, Problem, Session, console};

/// Seconds after which a file that changed does not change again at what the file system takes for the same time.
#[cfg(unix)]
const SETTLED: u64 = 2;

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
    pub fn description(&self) -> String {
        let names: Vec<&str> = self.documents.iter().map(|document| document.name.as_str()).collect();
        format!("{} ({}): {}", self.folder.display(), self.because, names.join(", "))
    }

    /// Those of one instruction set.
    pub fn of(&self, isa: Isa) -> Vec<&Document> {
        self.documents.iter().filter(|document| document.isa == isa).collect()
    }

    /// Everything that the outputs of a run depend on, as a key; `options` are those that change outputs, `texts`
    /// the other inputs.
    pub fn key(&self, options: &str, texts: &[&str]) -> Key {
        self.documents.par_iter().for_each(|document| {
            document.hash();
        });
        let named = self.documents.iter().flat_map(named_hash);
        let texts = texts.iter().map(|text| text.as_bytes());
        digest(std::iter::once(options.as_bytes()).chain(texts).chain(named))
    }
}

/// The folders in which documents are looked for, with the reasons.
fn candidates(asked: Option<&Path>) -> Vec<(PathBuf, &'static str)> {
    match asked {
        Some(folder) => vec![(folder.to_path_buf(), "as asked")],
        None => vec![
            (PathBuf::from("specs/vendor"), "fetched documents"),
            (PathBuf::from("specs/sample"), "hand-written samples, since there are no vendor documents"),
        ],
    }
}

/// What a document is for a key.
fn named_hash(document: &Document) -> [&[u8]; 2] {
    [document.name.as_bytes(), document.hash().as_bytes()]
}

impl Session {
    /// Reads the documents of the instruction sets in `isas` from `asked`, else from `specs/vendor`, else from
    /// `specs/sample`.
    pub fn read(&self, asked: Option<&Path>, isas: &[Isa]) -> Result<Documents> {
        for (folder, because) in candidates(asked) {
            if asked.is_some() && !folder.is_dir() {
                bail!("{} is not a folder", folder.display());
            }
            let documents = self.read_folder(&folder, isas)?;
            if !documents.is_empty() {
                return Ok(Documents { folder, because, documents });
            }
        }
        match asked {
            Some(folder) => bail!("{} holds no documents of {}", folder.display(), listed(isas)),
            None => bail!("no documents of {}: give --specs, or run `cargo xtask fetch-specs`", listed(isas)),
        }
    }

    fn read_folder(&self, folder: &Path, isas: &[Isa]) -> Result<Vec<Document>> {
        let mut documents = Vec::new();
        for isa in self.isas().into_iter().filter(|isa| isas.contains(isa)) {
            let (name, front_end) = (isa.name(), &self.set(isa).front_end);
            let mut own = Vec::new();
            for path in self.files(folder, isa)? {
                let bytes = read_file(&path)?;
                let file =
                    path.file_name().map(|file| file.to_string_lossy().into_owned()).unwrap_or_default();
                own.push(Document::new(isa, format!("{name}/{file}"), path, bytes));
            }
            (front_end.select)(&mut own);
            documents.extend(own);
        }
        Ok(documents)
    }

    /// The files of a folder that may be documents of an instruction set, in order.
    fn files(&self, folder: &Path, isa: Isa) -> Result<Vec<PathBuf>> {
        let below = folder.join(isa.name());
        if !below.is_dir() {
            return Ok(Vec::new());
        }
        let entries =
            std::fs::read_dir(&below).with_context(|| format!("cannot list {}", below.display()))?;
        let ending =
            |path: &Path| path.extension().and_then(|ending| ending.to_str()).unwrap_or("").to_owned();
        let is_document = |path: &PathBuf| {
            path.is_file() && self.set(isa).front_end.endings.contains(&ending(path).as_str())
        };
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let mut paths: Vec<PathBuf> = paths.filter(is_document).collect();
        paths.sort();
        Ok(paths)
    }

    /// A key that is another one as soon as a document of an instruction set changes, from what the file system says of the
    /// files; `None` where it says too little, or where a file changed so lately that it may change again unseen.
    #[cfg(unix)]
    pub fn stamp(&self, asked: Option<&Path>, isa: Isa) -> Option<Key> {
        use std::os::unix::fs::MetadataExt as _;
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).ok()?.as_secs();
        let mut parts = vec![format!("stamp {isa:?} {:?} {}", self.reading_flags(), self.errata_choice(isa))];
        for (folder, _) in candidates(asked) {
            for path in self.files(&folder, isa).ok()? {
                let file = std::fs::metadata(&path).ok()?;
                let settled = u64::try_from(file.ctime()).is_ok_and(|time| time + SETTLED < now);
                if !settled {
                    return None;
                }
                // No program sets the time at which a file was changed last.
                let numbers = [file.dev(), file.ino(), file.len()];
                let times = [file.mtime(), file.mtime_nsec(), file.ctime(), file.ctime_nsec()];
                parts.push(format!("{} {numbers:?} {times:?}", path.display()));
            }
        }
        Some(digest(parts.iter().map(String::as_bytes)))
    }

    /// The same where nothing is known of files.
    #[cfg(not(unix))]
    pub fn stamp(&self, _: Option<&Path>, _: Isa) -> Option<Key> {
        None
    }

    /// The missing documents of an instruction set without which nothing can be read.
    pub fn missing_main_document(&self, isa: Isa, documents: &Documents) -> Option<&'static str> {
        (self.set(isa).front_end.missing)(&documents.of(isa))
    }

    /// Parses the documents of one instruction set, which must be whole. Documents that an earlier run parsed are not
    /// parsed again.
    pub fn parse(
        &self,
        isa: Isa,
        documents: &Documents,
        memo: &Memo,
        progress: &Progress<'_>,
    ) -> Result<Parsed> {
        let own = documents.of(isa);
        let key = || self.documents_key(isa, &own);
        let parsed = memo.get_or(key, || {
            let reading = Reading { progress, memo: Some(memo), ..self.reading(isa, &own) };
            self.parse_entries(isa, &reading)
        });
        self.require_whole(&parsed.diagnostics, &own)?;
        Ok(parsed)
    }

    /// The same if only the entry of one id is needed: a front end may skip all others.
    pub fn parse_one(&self, isa: Isa, documents: &Documents, id: &str) -> Result<Parsed> {
        let own = documents.of(isa);
        let reading = Reading { only: Some(id), ..self.reading(isa, &own) };
        let parsed = self.parse_entries(isa, &reading);
        self.require_whole(&parsed.diagnostics, &own)?;
        Ok(parsed)
    }

    /// Everything that the reading of one instruction set's documents depends on.
    pub fn documents_key(&self, isa: Isa, own: &[&Document]) -> Key {
        let options = format!("documents {isa:?} {:?} {:?}", self.reading_flags(), self.errata_texts(&[isa]));
        let parts = own.iter().copied().flat_map(named_hash);
        digest(std::iter::once(options.as_bytes()).chain(parts))
    }

    fn parse_entries(&self, isa: Isa, reading: &Reading<'_>) -> Parsed {
        match reading.documents {
            [] => Parsed::default(),
            _ => (self.set(isa).front_end.parse)(reading),
        }
    }

    /// Documents of an instruction set, to be read as a whole and without progress.
    pub fn reading<'a>(&'a self, isa: Isa, documents: &'a [&'a Document]) -> Reading<'a> {
        let (errata, options) = (self.errata(isa), self.options());
        Reading { documents, errata, options, progress: &|_, _| {}, only: None, memo: None }
    }

    /// The entries of the documents of one instruction set, without semantics.
    pub fn outline(&self, isa: Isa, documents: &Documents) -> Vec<Outline> {
        match &documents.of(isa)[..] {
            [] => Vec::new(),
            own => (self.set(isa).front_end.outline)(own),
        }
    }

    /// Refuses documents that can be read only in part, unless the user accepts that; the error says where. Otherwise the
    /// lost entries would be reported as missing, removed or unknown later.
    pub fn require_whole(&self, diagnostics: &[Diagnostic], documents: &[&Document]) -> Result<()> {
        let broken: Vec<Diagnostic> =
            diagnostics.iter().filter(|found| found.breaks_the_document()).cloned().collect();
        if broken.is_empty() || self.accepts_partial() {
            return Ok(());
        }
        let named = |document: &Document| document.path.display().to_string();
        let path = |found: &Diagnostic| {
            let path = documents.iter().find(|document| document.name == found.span.file);
            path.map_or_else(|| found.span.file.clone(), |document| named(document))
        };
        let mut snippets = console::snippets(&broken[..broken.len().min(MAX_SHOWN)], documents, named);
        if broken.len() > MAX_SHOWN {
            snippets.push_str(&format!("and {} more such places\n", broken.len() - MAX_SHOWN));
        }
        let problems: Vec<Problem> = broken.iter().map(|found| Problem::new(found, path(found))).collect();
        let first = problems[0].file.clone();
        Err(BrokenDocument::new(problems, snippets, &first).into())
    }
}

/// Places shown of a document that is not whole.
const MAX_SHOWN: usize = 10;

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
        let message =
            format!("the document is in UTF-16; make it UTF-8 first: iconv -f UTF-16 -t UTF-8 {path}");
        return Err(BrokenDocument::at(path, 1, 1, message).into());
    }
    Ok(bytes)
}
