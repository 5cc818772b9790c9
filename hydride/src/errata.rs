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

use crate::documents::{Document, isa_asked, read, require_whole};
use crate::isa::{self, BuiltInErrata};
use crate::{SpecArgs, usage};

/// Which errata are applied to the documents.
#[derive(Args, Clone, Debug)]
pub struct ErrataChoice {
    /// File with errata, of the instruction set that it names, else of the first one, instead of the built-in ones.
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

static CHOSEN: OnceLock<BTreeMap<Isa, Errata>> = OnceLock::new();

static FLAGS: OnceLock<Vec<String>> = OnceLock::new();

/// Reads the errata of this run.
pub fn choose(choice: &ErrataChoice) -> Result<()> {
    let mut chosen = BTreeMap::new();
    if !choice.no_errata {
        for (isa, built_in) in built_in() {
            chosen.insert(isa, parse(built_in.file, built_in.text)?);
        }
    }
    if let Some(path) = &choice.file {
        let errata = parse(&path.display().to_string(), &text(path)?)?;
        let isa = subject(&errata)?;
        if isa::of(isa).errata.is_none() {
            return Err(usage(format!("errata on documents of {} cannot be applied", isa.name())));
        }
        chosen.insert(isa, errata);
    }
    let mut flags = Vec::new();
    if choice.no_errata {
        flags.push("--no-errata".to_owned());
    }
    if let Some(path) = &choice.file {
        flags.extend(["--errata".to_owned(), path.display().to_string()]);
    }
    // A second choice in the same process has no effect.
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

/// The checked-in errata of each instruction set that has some.
fn built_in() -> impl Iterator<Item = (Isa, &'static BuiltInErrata)> {
    isa::identities().into_iter().filter_map(|isa| Some((isa, isa::of(isa).errata.as_ref()?)))
}

/// The instruction set that errata are on: the first one where they name none.
fn subject(errata: &Errata) -> Result<Isa> {
    match &errata.isa {
        Some(named) => isa_asked(named),
        None => Ok(isa::identities()[0]),
    }
}

fn text(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

fn parse(name: &str, text: &str) -> Result<Errata> {
    Ok(Errata::parse(name, text, |bytes| blake3::hash(bytes).to_hex().to_string())?)
}

/// Lists the errata with their state for the documents; exit code 1 if one no longer applies.
pub fn run(args: &ErrataArgs) -> Result<u8> {
    let isas: Vec<Isa> = isa::identities().into_iter().filter(|isa| of(*isa).is_some()).collect();
    if isas.is_empty() {
        println!("no errata");
        return Ok(0);
    }
    let documents = read(args.specs.specs.as_deref(), &isas)?;
    let mut found = false;
    for (isa, built_in) in built_in().filter(|(isa, _)| isas.contains(isa)) {
        let own: Vec<&Document> = documents.documents.iter().filter(|document| document.isa == isa).collect();
        if let (Some(errata), false) = (of(isa), own.is_empty()) {
            let checked = (built_in.check)(&own, errata);
            require_whole(&checked.diagnostics, &own)?;
            found |= list(errata, isa, &own, &documents.folder, &checked);
        }
    }
    Ok(u8::from(found))
}

/// Lists the errata of one instruction set; whether one no longer applies.
fn list(errata: &Errata, isa: Isa, documents: &[&Document], folder: &Path, checked: &Parsed) -> bool {
    let Parsed { version, errata: applications, .. } = checked;
    let named = match documents {
        [document] => &document.name,
        _ => isa.name(),
    };
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
        for (isa, own) in built_in() {
            let errata = parse(own.file, own.text).expect("it can be read");
            assert!(!errata.errata.is_empty());
            assert_eq!(subject(&errata).expect("a known name"), isa);
        }
    }

    /// No erratum is stale for the available vendor documents. If all documents of an instruction set are available,
    /// each entry of each erratum applies to one of them.
    #[test]
    fn the_checked_in_errata_apply_to_the_real_documents() {
        for (isa, own) in built_in() {
            let errata = parse(own.file, own.text).expect("it can be read");
            let mut applied = std::collections::BTreeSet::new();
            for folder in vendor_documents::with(&[isa.name()]) {
                applied.extend(applied_in(&folder, isa, own, &errata));
            }
            if !vendor_documents::complete(isa.name()) {
                vendor_documents::skip(&format!("errata of {} that no document needs", isa.name()));
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
    fn applied_in(folder: &Path, isa: Isa, own: &BuiltInErrata, errata: &Errata) -> Vec<(usize, String)> {
        let mut documents = Vec::new();
        for file in std::fs::read_dir(folder.join(isa.name())).expect("the folder is there").flatten() {
            let bytes = std::fs::read(file.path()).expect("the document is readable");
            let name = format!("{}/{}", isa.name(), file.file_name().to_string_lossy());
            documents.push(Document { isa, name, path: file.path(), bytes });
        }
        let mut applied = Vec::new();
        for set in (own.readings)(&documents) {
            let Parsed { version, errata: applications, .. } = (own.check)(&set, errata);
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
