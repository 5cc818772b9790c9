//! The errata of a run, and `hydride errata`: what they say and whether they still apply.
//!
//! The errata are those that were checked in when the program was built; for the instruction set of `--errata FILE`,
//! that file's.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context, Result};
use clap::Args;
use parsers::errata::{Application, Errata, State};
use parsers::{Isa, Parsed};

use crate::documents::{Document, isa_name, isa_of_name, read, require_whole};
use crate::{SpecArgs, usage};

/// Which errata are applied to the documents.
#[derive(Args, Clone, Debug)]
pub struct ErrataChoice {
    /// File with errata, of the instruction set that it names, else of x86, instead of the built-in ones.
    #[arg(long = "errata", id = "errata_file", value_name = "FILE", global = true)]
    file: Option<PathBuf>,
    /// Take the documents as they are.
    #[arg(long, global = true, conflicts_with = "errata_file")]
    no_errata: bool,
}

/// Arguments of `hydride errata`.
#[derive(Args)]
pub struct ErrataArgs {
    #[command(flatten)]
    specs: SpecArgs,
}

/// The checked-in errata, with their places in the project's folder.
const BUILT_IN: &[(Isa, &str, &str)] = &[
    (Isa::X86, "specs/errata/x86.toml", include_str!("../../specs/errata/x86.toml")),
    (Isa::Arm, "specs/errata/arm.toml", include_str!("../../specs/errata/arm.toml")),
    (Isa::Hvx, "specs/errata/hvx.toml", include_str!("../../specs/errata/hvx.toml")),
];

static CHOSEN: OnceLock<BTreeMap<Isa, Errata>> = OnceLock::new();

static FLAGS: OnceLock<Vec<String>> = OnceLock::new();

/// Reads the errata of this run.
pub fn choose(choice: &ErrataChoice) -> Result<()> {
    let mut chosen = BTreeMap::new();
    if !choice.no_errata {
        for (isa, name, built_in) in BUILT_IN {
            chosen.insert(*isa, parse(name, built_in)?);
        }
    }
    if let Some(path) = &choice.file {
        let errata = parse(&path.display().to_string(), &text(path)?)?;
        let named = errata.isa.as_deref().unwrap_or("x86");
        let isa = isa_of_name(named).ok_or_else(|| usage(format!("unknown instruction set {named}")))?;
        chosen.insert(isa, errata);
    }
    let mut flags = Vec::new();
    if choice.no_errata {
        flags.push("--no-errata".to_owned());
    }
    if let Some(path) = &choice.file {
        flags.extend(["--errata".to_owned(), path.display().to_string()]);
    }
    // A second choice in one process changes nothing.
    let _ = FLAGS.set(flags);
    let _ = CHOSEN.set(chosen);
    Ok(())
}

/// The flags by which another run has the same errata.
pub fn flags() -> Vec<String> {
    FLAGS.get().cloned().unwrap_or_default()
}

/// The errata on the documents of an instruction set.
pub fn of(isa: Isa) -> Option<&'static Errata> {
    CHOSEN.get()?.get(&isa)
}

fn text(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

fn parse(name: &str, text: &str) -> Result<Errata> {
    Ok(Errata::parse(name, text, |bytes| blake3::hash(bytes).to_hex().to_string())?)
}

/// Lists the errata with their state against the documents; exit code 1 when one no longer applies.
pub fn run(args: &ErrataArgs) -> Result<u8> {
    let isas: Vec<Isa> = BUILT_IN.iter().map(|(isa, _, _)| *isa).filter(|isa| of(*isa).is_some()).collect();
    if isas.is_empty() {
        println!("no errata");
        return Ok(0);
    }
    let documents = read(args.specs.specs.as_deref(), &isas)?;
    let mut found = false;
    for isa in isas {
        let own: Vec<&Document> = documents.documents.iter().filter(|document| document.isa == isa).collect();
        if let (Some(errata), false) = (of(isa), own.is_empty()) {
            let checked = check(errata, isa, &own);
            require_whole(&checked.diagnostics, &own)?;
            found |= list(errata, isa, &own, &documents.folder, &checked);
        }
    }
    Ok(u8::from(found))
}

/// Lists the errata of one instruction set; whether one no longer applies.
fn list(errata: &Errata, isa: Isa, documents: &[&Document], folder: &Path, checked: &Parsed) -> bool {
    let Parsed { version, errata: applications, .. } = checked;
    let named = if isa == Isa::X86 { documents[0].name.as_str() } else { isa_name(isa) };
    println!("{} against {}/{named} {version}", errata.file, folder.display());
    let mut shown = None;
    for application in applications {
        if shown != Some(application.erratum) {
            shown = Some(application.erratum);
            describe(errata, application.erratum);
        }
        println!("  {}  {}", state(&application.state), application.entry);
        if let State::Stale(reason) = &application.state {
            println!("            {reason}");
        }
    }
    let entries: std::collections::BTreeSet<&str> =
        applications.iter().map(|done| done.entry.as_str()).collect();
    let count = |wanted: &str| applications.iter().filter(|done| state(&done.state).trim() == wanted).count();
    println!(
        "\n{} errata make {} corrections of {} entries: {} applied, {} for other versions, {} on entries that are not \
         there, {} on entries that another document is read for, {} no longer apply\n",
        errata.errata.len(),
        applications.len(),
        entries.len(),
        count("applied"),
        count("not here"),
        count("no entry"),
        count("not read"),
        count("STALE")
    );
    applications.iter().any(stale)
}

/// The documents' version and the state of each erratum.
fn check(errata: &Errata, isa: Isa, documents: &[&Document]) -> Parsed {
    match (isa, documents.first()) {
        (Isa::X86, Some(document)) => parsers::intel::check_errata(&document.name, &document.bytes, errata),
        (Isa::Arm, _) => parsers::arm::check_errata(&crate::documents::arm(documents), errata),
        (Isa::Hvx, _) => {
            let documents = crate::documents::hexagon(documents);
            let documents = parsers::hexagon::Documents { errata: Some(errata), ..documents };
            parsers::hexagon::parse(&documents, &crate::documents::hvx_options())
        }
        _ => Parsed::default(),
    }
}

fn describe(errata: &Errata, number: usize) {
    let Some(erratum) = errata.errata.get(number) else { return };
    println!(
        "\n{}:{} versions {}: {}",
        errata.file,
        erratum.span.line,
        erratum.versions,
        erratum.note.trim()
    );
    println!("  evidence: {}", erratum.evidence);
}

fn state(state: &State) -> &'static str {
    match state {
        State::Applied => "applied ",
        State::OtherVersion => "not here",
        State::NoEntry => "no entry",
        State::Unread => "not read",
        State::Stale(_) => "STALE   ",
    }
}

fn stale(application: &Application) -> bool {
    matches!(application.state, State::Stale(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checked_in_errata_are_legal() {
        for (isa, name, text) in BUILT_IN {
            let errata = parse(name, text).expect("it can be read");
            assert!(!errata.errata.is_empty());
            assert_eq!(errata.isa.as_deref().unwrap_or("x86"), isa_name(*isa));
        }
    }

    /// Whichever of the vendors' documents are at hand, no erratum on them is stale. Where all of an instruction set
    /// are, each entry of each erratum is of use for one of them.
    #[test]
    fn the_checked_in_errata_apply_to_the_real_documents() {
        for (isa, name, text) in BUILT_IN {
            let errata = parse(name, text).expect("it can be read");
            let mut applied = std::collections::BTreeSet::new();
            for folder in vendor_documents::with(&[isa_name(*isa)]) {
                applied.extend(applied_in(&folder, *isa, &errata));
            }
            if !vendor_documents::complete(isa_name(*isa)) {
                vendor_documents::skip(&format!("errata of {} that no document needs", isa_name(*isa)));
                continue;
            }
            let idle: Vec<&String> = (0..)
                .zip(&errata.errata)
                .flat_map(|(number, erratum)| erratum.entries.iter().map(move |entry| (number, entry)))
                .filter(|(number, entry)| !applied.contains(&(*number, (*entry).clone())))
                .map(|(_, entry)| entry)
                .collect();
            assert!(idle.is_empty(), "errata that no document needs: {idle:?}");
        }
    }

    /// The errata, by number and entry, that a folder's documents need; none may be stale.
    fn applied_in(folder: &Path, isa: Isa, errata: &Errata) -> Vec<(usize, String)> {
        let mut documents = Vec::new();
        for file in std::fs::read_dir(folder.join(isa_name(isa))).expect("the folder is there").flatten() {
            let bytes = std::fs::read(file.path()).expect("the document is readable");
            let name = format!("{}/{}", isa_name(isa), file.file_name().to_string_lossy());
            documents.push(Document { isa, name, path: file.path(), bytes });
        }
        // Each x86 document is a version of its own; Arm's are one, or that of the page beside it; HVX's manual
        // is read for what the semantics file does not have.
        let without = |ending: &str| -> Vec<&Document> {
            documents.iter().filter(|document| !document.name.ends_with(ending)).collect()
        };
        let sets: Vec<Vec<&Document>> = match isa {
            Isa::X86 => documents.iter().map(|document| vec![document]).collect(),
            Isa::Arm => vec![documents.iter().collect(), without("/intrinsics.json")],
            Isa::Hvx => vec![documents.iter().collect(), without(".idef")],
        };
        let mut applied = Vec::new();
        for set in sets {
            let Parsed { version, errata: applications, .. } = check(errata, isa, &set);
            for application in applications {
                assert!(!stale(&application), "{}: {version}: {application:?}", folder.display());
                if application.state == State::Applied {
                    applied.push((application.erratum, application.entry));
                }
            }
        }
        applied
    }
}
