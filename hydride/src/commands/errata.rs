//! `hydride errata`: what the errata of a run say, and whether they still apply.
//!
//! The errata are those that were checked in when the program was built; for the instruction set of `--errata FILE`,
//! that file's.

use std::path::Path;

use anyhow::Result;
use clap::Args;
use parsers::errata::{Application, Errata, State};
use parsers::{Isa, Parsed};

use crate::isa::Document;
use crate::{Session, SpecArgs};

/// Arguments of `hydride errata`.
#[derive(Args)]
pub struct ErrataArgs {
    #[command(flatten)]
    specs: SpecArgs,
}

/// Lists the errata with their state for the documents; exit code 1 if one no longer applies.
pub fn run(session: &Session, args: &ErrataArgs) -> Result<u8> {
    let mut isas = session.isas();
    isas.retain(|isa| session.errata(*isa).is_some());
    if isas.is_empty() {
        println!("no errata");
        return Ok(0);
    }
    let documents = session.read(args.specs.specs.as_deref(), &isas)?;
    let mut found = false;
    for (isa, built_in) in session.built_in_errata().filter(|(isa, _)| isas.contains(isa)) {
        let own = documents.of(isa);
        if let (Some(errata), false) = (session.errata(isa), own.is_empty()) {
            let checked = (built_in.check)(&own, errata, session.options());
            session.require_whole(&checked.diagnostics, &own)?;
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
    use crate::isa::BuiltInErrata;
    use crate::session::parse_errata;

    fn session() -> Session {
        Session::new(&crate::isa::built_in()).expect("the errata are legal")
    }

    #[test]
    fn the_checked_in_errata_are_legal() {
        let session = session();
        for (isa, own) in session.built_in_errata() {
            let errata = parse_errata(own.file, own.text).expect("it can be read");
            assert!(!errata.errata.is_empty());
            let subject = errata.isa.as_deref().map_or(Some(session.isas()[0]), |name| session.named(name));
            assert_eq!(subject, Some(isa));
        }
    }

    /// No erratum is stale for the available vendor documents. If all documents of an instruction set are available,
    /// each entry of each erratum applies to one of them.
    #[test]
    fn the_checked_in_errata_apply_to_the_real_documents() {
        for (isa, own) in session().built_in_errata() {
            let errata = parse_errata(own.file, own.text).expect("it can be read");
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
            documents.push(Document::new(isa, name, file.path(), bytes));
        }
        let mut applied = Vec::new();
        for set in (own.readings)(&documents) {
            let Parsed { version, errata: applications, .. } = (own.check)(&set, errata, session().options());
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
