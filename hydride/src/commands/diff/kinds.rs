//! Documents given as files: what kind each one is, by its contents, and the files that belong to it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use parsers::Isa;

use crate::documents::{Documents, read_file};
use crate::isa::Document;
use crate::isa::Kind;
use crate::{BrokenDocument, Session, usage};

/// Bytes of a document that determine its kind; a page begins with a lot that is not an intrinsic.
const HEAD: usize = 256 << 10;

/// The kinds of each instruction set.
fn kinds(session: &Session) -> impl Iterator<Item = (Isa, &'static Kind)> {
    let own = move |isa: Isa| session.set(isa).front_end.kinds.iter().map(move |kind| (isa, kind));
    session.isas().into_iter().flat_map(own)
}

/// A document as read with what belongs to it.
pub struct Found {
    /// What it was taken for.
    pub kind: &'static str,
    /// The document first.
    pub documents: Documents,
}

/// Reads a document given as a file.
pub fn read(session: &Session, path: &Path, isas: &[Isa]) -> Result<Found> {
    let name = path.display();
    let bytes = read_file(path)?;
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(BrokenDocument::at(name, 1, 1, "the document is empty").into());
    }
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD)]);
    // Behind a byte-order mark.
    let head = head.trim_start_matches('\u{feff}');
    let Some((isa, kind)) = kinds(session).find(|(_, kind)| (kind.is)(head)) else {
        let known: Vec<&str> = kinds(session).map(|(_, kind)| kind.name).collect();
        let message = format!("this is not a document of a known kind: {}", known.join("; "));
        return Err(BrokenDocument::at(name, 1, 1, message).into());
    };
    if !isas.contains(&isa) {
        return Err(usage(format!("{name} is a document of {}, which --isa leaves out", isa.name())));
    }
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let document = |name: &str, path: &Path, bytes| {
        Document::new(isa, format!("{}/{name}", isa.name()), path.to_path_buf(), bytes)
    };
    let own = file_name(path);
    let mut found = vec![document(kind.file.unwrap_or(&own), path, bytes)];
    for file in sorted_files(folder)? {
        let own = file_name(&file);
        if own != file_name(path) && kind.companions.iter().any(|ending| own.ends_with(ending)) {
            found.push(document(&own, &file, read_file(&file)?));
        }
    }
    let documents = Documents { folder: folder.to_path_buf(), because: "as asked", documents: found };
    Ok(Found { kind: kind.name, documents })
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|file| file.to_string_lossy().into_owned()).unwrap_or_default()
}

fn sorted_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| file.is_file());
    files.sort();
    Ok(files)
}
