//! The errata of a run, and `hydride errata`: what they say and whether they still apply.
//!
//! The errata are those of `--errata FILE`, else `specs/errata/<isa>.toml` below the current folder, else, where
//! there is no such folder, those that were checked in when the program was built. Arm's and HVX's documents have
//! errata of another kind, beside the decode facts.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context, Result};
use clap::Args;
use parsers::Isa;
use parsers::errata::{Application, Errata, State};

use crate::SpecArgs;
use crate::documents::{isa_name, read};

/// Which errata are applied to the documents.
#[derive(Args, Clone, Debug)]
pub struct ErrataChoice {
    /// File with errata on the x86 document; else specs/errata/x86.toml, else the built-in ones.
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

/// The folder of errata, seen from the project's.
const FOLDER: &str = "specs/errata";

/// The checked-in errata on the x86 document.
const X86: &str = include_str!("../../specs/errata/x86.toml");

static CHOSEN: OnceLock<Option<Errata>> = OnceLock::new();

/// Reads the errata of this run.
pub fn choose(choice: &ErrataChoice) -> Result<()> {
    let errata = if choice.no_errata {
        None
    } else if let Some(path) = &choice.file {
        Some(parse(&path.display().to_string(), &text(path)?)?)
    } else {
        let name = format!("{FOLDER}/{}.toml", isa_name(Isa::X86));
        let path = Path::new(&name);
        if path.is_file() {
            Some(parse(&name, &text(path)?)?)
        } else if Path::new(FOLDER).is_dir() {
            None
        } else {
            Some(parse("built-in errata", X86)?)
        }
    };
    // A second choice in one process changes nothing.
    let _ = CHOSEN.set(errata);
    Ok(())
}

/// The errata on the x86 document.
pub fn x86() -> Option<&'static Errata> {
    CHOSEN.get()?.as_ref()
}

fn text(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

fn parse(name: &str, text: &str) -> Result<Errata> {
    Ok(Errata::parse(name, text, |bytes| blake3::hash(bytes).to_hex().to_string())?)
}

/// Lists the errata with their state against the document; exit code 1 when one no longer applies.
pub fn run(args: &ErrataArgs) -> Result<u8> {
    let Some(errata) = x86() else {
        println!("no errata");
        return Ok(0);
    };
    let documents = read(args.specs.specs.as_deref(), &[Isa::X86])?;
    let Some(document) = documents.documents.first() else { return Ok(0) };
    let (version, applications) = parsers::intel::check_errata(&document.name, &document.bytes, errata);
    println!("{} against {}/{} {version}", errata.file, documents.folder.display(), document.name);
    let mut shown = None;
    for application in &applications {
        if shown != Some(application.erratum) {
            shown = Some(application.erratum);
            describe(errata, application.erratum);
        }
        println!("  {}  {}", state(&application.state), application.entry);
        if let State::Stale(reason) = &application.state {
            println!("            {reason}");
        }
    }
    let count = |wanted: &str| applications.iter().filter(|done| state(&done.state).trim() == wanted).count();
    println!(
        "\n{} errata on {} entries: {} applied, {} for other versions, {} no longer apply",
        errata.errata.len(),
        applications.len(),
        count("applied"),
        count("not here"),
        count("STALE")
    );
    Ok(u8::from(applications.iter().any(stale)))
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
        let errata = parse("x86.toml", X86).expect("it can be read");
        assert!(!errata.errata.is_empty());
    }

    /// `HYDRIDE_SPECS` holds the real documents: whichever versions are there, no erratum on them is stale, and
    /// each is of use for one of them.
    #[test]
    fn the_checked_in_errata_apply_to_the_real_documents() {
        let Some(specs) = std::env::var_os("HYDRIDE_SPECS") else { return };
        let errata = parse("x86.toml", X86).expect("it can be read");
        let folder = PathBuf::from(specs).join("x86");
        let mut applied = std::collections::BTreeSet::new();
        for file in std::fs::read_dir(folder).expect("the folder is there").flatten() {
            let bytes = std::fs::read(file.path()).expect("the document is readable");
            let name = file.file_name().to_string_lossy().into_owned();
            let (_, applications) = parsers::intel::check_errata(&name, &bytes, &errata);
            for application in applications {
                assert!(!stale(&application), "{name}: {application:?}");
                if application.state == State::Applied {
                    applied.insert(application.erratum);
                }
            }
        }
        let idle: Vec<u32> = (0..errata.errata.len())
            .filter(|number| !applied.contains(number))
            .map(|number| errata.errata[number].span.line)
            .collect();
        assert!(idle.is_empty(), "errata that no document needs, by line: {idle:?}");
    }
}
