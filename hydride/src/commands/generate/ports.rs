//! What `hydride port --out` wrote, for the report.

use std::collections::BTreeSet;
use std::path::Path;

use ::report::Port;
use anyhow::{Context, Result};
use serde::Deserialize;

use crate::usage;

/// How a port's files are named between the instruction set and the target.
const ON: &str = "_on_";

#[derive(Deserialize)]
struct Row {
    id: String,
}

/// The ports in a folder, in the order of their names: each `FROM_on_TO.html` with the ids in the table beside it.
pub fn read(folder: &Path) -> Result<Vec<Port>> {
    let mut found = Vec::new();
    let listed = std::fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    for file in listed {
        let path = file?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let Some((from, to)) = name.strip_suffix(".html").and_then(|name| name.split_once(ON)) else {
            continue;
        };
        let page = text(&path)?;
        let table = path.with_extension("jsonl");
        let mut ids = BTreeSet::new();
        for (number, line) in (1..).zip(text(&table)?.lines()) {
            let row: Row = serde_json::from_str(line)
                .with_context(|| format!("{}:{number}: no line of a port's table", table.display()))?;
            ids.insert(row.id);
        }
        found.push(Port { from: from.to_owned(), to: to.to_owned(), ids, page });
    }
    if found.is_empty() {
        return Err(usage(format!("{} has no page that hydride port --out wrote", folder.display())));
    }
    found.sort_by(|one, other| (&one.from, &one.to).cmp(&(&other.from, &other.to)));
    Ok(found)
}

fn text(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}
