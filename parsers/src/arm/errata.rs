//! Errata on Arm's intrinsics: entries as read become entries as they should read.

use super::json::{Entry, Preparation};
use crate::errata::{Application, Change, Errata, State};

/// Applies the errata to the entries. The outcomes are in the errata's order.
pub fn apply(entries: &mut [&mut Entry], version: &str, errata: &Errata) -> Vec<Application> {
    errata.apply(version, |erratum, id| match entries.iter_mut().find(|entry| entry.name == *id) {
        Some(entry) => erratum.correct(*entry, make),
        None => State::NoEntry,
    })
}

fn make(entry: &mut Entry, change: &Change) -> Result<(), String> {
    match change {
        Change::Field { of, was, now } => {
            if let Some(Preparation::Immediate(low, high)) = entry.preparation.get_mut(of) {
                if format!("{low}..{high}") != *was {
                    return Err(format!("the range of `{of}` is `{low}..{high}`, not `{was}`"));
                }
                (*low, *high) = range(now).ok_or_else(|| format!("`{now}` is no range"))?;
                return Ok(());
            }
            let field = match of.as_str() {
                "operands" => &mut entry.operands,
                "operation" => &mut entry.operation,
                "mnemonic" => entry.base.first_mut().ok_or("the entry has no instruction")?,
                other => return Err(format!("there is no field `{other}` that could be corrected")),
            };
            if field != was {
                return Err(format!("`{of}` is `{field}`, not `{was}`"));
            }
            field.clone_from(now);
        }
        Change::Exchange { first, second } => {
            let register = |name: &String| match entry.preparation.get(name) {
                Some(Preparation::Register(register)) => Ok(register.clone()),
                _ => Err(format!("no register holds `{name}`")),
            };
            let (one, other) = (register(first)?, register(second)?);
            // Exchanged sources appear in the operands in the reverse order of the arguments.
            if entry.operands.find(&one) < entry.operands.find(&other) {
                return Err(format!("the operands already name `{first}` before `{second}`"));
            }
            entry.preparation.insert(first.clone(), Preparation::Register(other));
            entry.preparation.insert(second.clone(), Preparation::Register(one));
        }
        Change::Element { of, .. } => return Err(format!("`{of}` has no element type here")),
        Change::Fragment { of, .. } => return Err(format!("no fragment of `{of}` is replaced here")),
        Change::Undefined { .. } => return Err("inputs with undefined results are not known here".to_owned()),
        Change::Lines { .. } => return Err("operations are not corrected here".to_owned()),
    }
    Ok(())
}

/// `0..7`: least and greatest value of an immediate.
fn range(text: &str) -> Option<(i64, i64)> {
    let (low, high) = text.split_once("..")?;
    let (low, high) = (low.parse().ok()?, high.parse().ok()?);
    (low <= high).then_some((low, high))
}
