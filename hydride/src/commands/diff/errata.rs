//! What two revisions do to the errata.

use std::borrow::Cow;
use std::collections::BTreeMap;

use parsers::Isa;
use parsers::errata::State;
use semantic_diff::{ErratumChange, Outcome, Report};

use super::input::Loaded;
use crate::Session;

/// Adds the errata whose state differs between the sides, or that should apply and do not, to a report, and
/// marks the changes that they take part in.
pub fn add(session: &Session, report: &mut Report, old: &Loaded, new: &Loaded) {
    let states = |side: &Loaded| -> BTreeMap<(Isa, usize, String), State> {
        let all =
            side.parsed.iter().flat_map(|(isa, parsed)| parsed.errata.iter().map(move |done| (isa, done)));
        all.map(|(isa, done)| ((*isa, done.erratum, done.entry.clone()), done.state.clone())).collect()
    };
    let (old_states, new_states) = (states(old), states(new));
    for ((isa, number, entry), before) in &old_states {
        let Some(after) = new_states.get(&(*isa, *number, entry.clone())) else { continue };
        let stale = |state: &State| matches!(state, State::Stale(_));
        if before == after && !stale(before) {
            continue;
        }
        let applied = |state: &State| *state == State::Applied;
        let change = report.changes.iter_mut().find(|change| change.isa == *isa && change.id == *entry);
        // No line of changes means that both sides' functions are one.
        let same = match &change {
            Some(change) => matches!(change.outcome, Outcome::Same { .. }),
            None => old.instruction(*isa, entry).is_some() && new.instruction(*isa, entry).is_some(),
        };
        if let Some(change) = change
            && applied(before) != applied(after)
        {
            change.erratum = Some(Cow::Borrowed(if applied(before) { "old" } else { "new" }));
        }
        report.errata.push(ErratumChange {
            isa: *isa,
            entry: entry.clone(),
            erratum: place(session, *isa, *number),
            old: name(before),
            new: name(after),
            settled: applied(before) && !applied(after) && same,
        });
    }
    report.errata.sort();
}

fn place(session: &Session, isa: Isa, number: usize) -> String {
    let Some(errata) = session.errata(isa) else { return String::new() };
    let line = errata.errata.get(number).map_or(0, |erratum| erratum.span.line);
    format!("{}:{line}", errata.file)
}

fn name(state: &State) -> String {
    match state {
        State::Applied => "applied".to_owned(),
        State::OtherVersion => "not for this version".to_owned(),
        State::NoEntry => "no such entry".to_owned(),
        State::Unread => "not read for this entry".to_owned(),
        State::Stale(reason) => reason.clone(),
    }
}
