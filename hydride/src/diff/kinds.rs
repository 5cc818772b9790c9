//! Documents given as files: what kind each is, told from its contents, and the files that belong to it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use parsers::Isa;

use crate::documents::{ARM_NEWER, ARM_PAGE, Document, Documents, isa_name, read_file};
use crate::usage;

/// Bytes of a document from which its kind is told; a page begins with much that is no intrinsic.
const HEAD: usize = 256 << 10;

/// A kind of document that can be given as a file.
struct Kind {
    isa: Isa,
    name: &'static str,
    is: fn(&str) -> bool,
    /// The name under which the reader looks for it; its own where there is none.
    file: Option<&'static str>,
    /// Endings of the files beside it that belong to it.
    companions: &'static [&'static str],
}

const KINDS: &[Kind] = &[
    Kind {
        isa: Isa::X86,
        name: "x86 document",
        is: |head| head.contains("<intrinsics_list") || head.contains("<intrinsic "),
        file: None,
        companions: &[],
    },
    Kind {
        isa: Isa::Arm,
        name: "older Arm page with its operations, with the newer data beside it",
        is: |head| head.contains("<div class=\"intrinsic\">"),
        file: Some(ARM_PAGE),
        companions: &[ARM_NEWER],
    },
    Kind {
        isa: Isa::Hvx,
        name: "HVX manual, with the prototypes beside it",
        is: |head| {
            let text = head.trim_start();
            let records = text.starts_with('[') && head.contains("\"pseudocode\"");
            records || text.starts_with("intrinsic:") || head.contains("\nintrinsic: hexagon_")
        },
        file: Some("manual.json"),
        companions: &[".h"],
    },
    Kind {
        isa: Isa::Arm,
        name: "Arm intrinsics, with the operations and ASL beside them",
        is: |head| head.contains("\"Arguments_Preparation\"") && head.contains("\"operands\""),
        file: Some("intrinsics.json"),
        companions: &["operations.json", ".asl"],
    },
    Kind {
        isa: Isa::Arm,
        name: "newer Arm data without operations",
        is: |head| head.contains("\"Arguments_Preparation\""),
        file: Some(ARM_NEWER),
        companions: &[],
    },
    Kind {
        isa: Isa::Hvx,
        name: "HVX semantics, with macros and prototypes beside them",
        is: |head| head.contains("EXTINSN") || head.contains("ITERATOR_INSN"),
        file: Some("semantics.idef"),
        companions: &[".def", ".h"],
    },
];

/// A document as read with what belongs to it.
pub struct Found {
    /// What it was taken for.
    pub kind: &'static str,
    /// The document first.
    pub documents: Documents,
}

/// Reads a document given as a file.
pub fn read(path: &Path, isas: &[Isa]) -> Result<Found> {
    let name = path.display();
    let bytes = read_file(path)?;
    if bytes.iter().all(u8::is_ascii_whitespace) {
        bail!("{name}:1:1: the document is empty");
    }
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD)]);
    // Behind a byte-order mark.
    let head = head.trim_start_matches('\u{feff}');
    let Some(kind) = KINDS.iter().find(|kind| (kind.is)(head)) else {
        bail!(
            "{name}:1:1: this is no document that is known: x86 XML, Arm JSON or page, HVX manual or semantics"
        )
    };
    if !isas.contains(&kind.isa) {
        return Err(usage(format!("{name} is a document of {}, which --isa leaves out", isa_name(kind.isa))));
    }
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let document = |name: &str, path: &Path, bytes| Document {
        isa: kind.isa,
        name: format!("{}/{name}", isa_name(kind.isa)),
        path: path.to_path_buf(),
        bytes,
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
