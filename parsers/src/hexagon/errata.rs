//! Errata on the manual: records as read become records as they should read.

use rustc_hash::FxHashMap;

use super::manual::Record;
use crate::errata::{Application, Change, Errata, State};

/// Longest field. A fragment that holds what it replaces makes a field longer each time that it is named.
const MAX_LENGTH: usize = 1 << 20;

/// Applies the errata to the records. The outcomes are in the errata's order. `elsewhere` says which ids another
/// document provides, so that the manual's record of them is not used.
pub(super) fn apply(
    records: &mut [Record],
    elsewhere: &dyn Fn(&str) -> bool,
    errata: &Errata,
) -> Vec<Application> {
    let positions: FxHashMap<String, usize> =
        records.iter().enumerate().map(|(position, record)| (record.id.clone(), position)).collect();
    // The manual has no version.
    errata.apply("", |erratum, id| {
        let Some(record) = positions.get(id).and_then(|position| records.get_mut(*position)) else {
            return if elsewhere(id) { State::Unread } else { State::NoEntry };
        };
        match erratum.correct(record, make) {
            State::Applied if elsewhere(&record.id) => State::Unread,
            state => state,
        }
    })
}

fn make(record: &mut Record, change: &Change) -> Result<(), String> {
    match change {
        Change::Fragment { of, was, now } => {
            let field = field(record, of)?;
            if !field.contains(was) {
                return Err(format!("there is no `{was}` in `{of}`"));
            }
            let count = field.matches(was.as_str()).count();
            if field.len().saturating_add(count.saturating_mul(now.len())) > MAX_LENGTH {
                return Err(format!("`{of}` becomes longer than {MAX_LENGTH} bytes"));
            }
            *field = field.replace(was, now);
        }
        Change::Field { of, was, now } => {
            let field = field(record, of)?;
            if field != was {
                return Err(format!("`{of}` is `{field}`, not `{was}`"));
            }
            field.clone_from(now);
        }
        Change::Exchange { .. }
        | Change::Element { .. }
        | Change::Lines { .. }
        | Change::Undefined { .. } => {
            return Err("the manual's fields and fragments of them are corrected, nothing else".to_owned());
        }
    }
    Ok(())
}

fn field<'a>(record: &'a mut Record, of: &str) -> Result<&'a mut String, String> {
    match of {
        "intrinsic" => Ok(&mut record.id),
        "pseudocode" => Ok(&mut record.pseudocode),
        _ => Err(format!("there is no field `{of}` that could be corrected")),
    }
}
