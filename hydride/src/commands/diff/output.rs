//! A folder that `generate-ir` wrote, as one side of a comparison.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result, bail};
use hydride_ir::Function;
use parsers::Isa;
use semantic_diff::Operation;
use serde::Deserialize;

use crate::outputs;

/// The files of an output that are compared, by name.
pub type Files = BTreeMap<String, String>;

/// An entry of an output.
pub struct Listed {
    pub isa: Isa,
    pub id: String,
    /// The function, or why there is none.
    pub semantics: Result<Function, String>,
    /// Which bytes of memory it accesses, where that depends on its arguments.
    pub accessed: Option<Function>,
    /// The addresses of elements that it gathers or scatters.
    pub addresses: Option<Function>,
}

const LEDGER: &str = "ledger.jsonl";
const CLASSES: &str = "classes.json";

fn functions(isa: Isa) -> String {
    format!("ir/{}.hir", isa.name())
}

fn memory(isa: Isa) -> String {
    format!("ir/{}.memory.hir", isa.name())
}

/// Whether a folder is such an output, whole or not.
pub fn is_output(folder: &Path) -> bool {
    folder.join(LEDGER).is_file() || folder.join(CLASSES).is_file()
}

/// Reads the files of an output.
pub fn read(folder: &Path, isas: &[Isa]) -> Result<Files> {
    let mut files = BTreeMap::new();
    for name in [LEDGER, CLASSES] {
        files.insert(name.to_owned(), outputs::read(folder, name).context("the output is not whole")?);
    }
    for isa in isas {
        for name in [functions(*isa), memory(*isa)] {
            if folder.join(&name).is_file() {
                files.insert(name.clone(), outputs::read(folder, &name)?);
            }
        }
    }
    Ok(files)
}

/// The instruction sets of an output.
pub fn isas(files: &Files, isas: &[Isa]) -> BTreeSet<Isa> {
    isas.iter().copied().filter(|isa| files.contains_key(&functions(*isa))).collect()
}

/// The entries that an output lists.
pub fn listed(files: &Files, isas: &[Isa], folder: &Path) -> Result<Vec<Listed>> {
    #[derive(Deserialize)]
    struct Line {
        isa: String,
        id: String,
        status: String,
        reason: Option<String>,
    }
    let mut parsed: BTreeMap<(Isa, String), Function> = BTreeMap::new();
    for isa in isas {
        for name in [functions(*isa), memory(*isa)] {
            let Some(text) = files.get(&name) else { continue };
            let context = || format!("cannot read {}", folder.join(&name).display());
            for function in Function::parse_all(text).with_context(context)? {
                parsed.insert((*isa, function.name.clone()), function);
            }
        }
    }
    let mut entries = Vec::new();
    for (number, line) in (1..).zip(files.get(LEDGER).map_or("", String::as_str).lines()) {
        let place = || format!("{}:{number}", folder.join(LEDGER).display());
        let line: Line = serde_json::from_str(line).with_context(place)?;
        let Some(isa) = Isa::named(&line.isa).filter(|isa| isas.contains(isa)) else { continue };
        let semantics = match line.status.as_str() {
            "modelled" => match parsed.remove(&(isa, line.id.clone())) {
                Some(function) => Ok(function),
                None => bail!(
                    "{}: the output is not whole: {} has no {}",
                    place(),
                    folder.join(functions(isa)).display(),
                    line.id
                ),
            },
            status => Err(line.reason.unwrap_or_else(|| status.to_owned())),
        };
        let [accessed, addresses] =
            ["accessed", "addresses"].map(|what| parsed.remove(&(isa, format!("{}.{what}", line.id))));
        entries.push(Listed { isa, id: line.id, semantics, accessed, addresses });
    }
    Ok(entries)
}

/// The operations of an output.
pub fn operations(files: &Files, isas: &[Isa], folder: &Path) -> Result<Vec<Operation>> {
    #[derive(Deserialize)]
    struct Class {
        name: String,
        params: Vec<String>,
        members: Vec<Member>,
    }
    #[derive(Deserialize)]
    struct Member {
        isa: String,
        id: String,
    }
    let text = files.get(CLASSES).map_or("", String::as_str);
    let context = || format!("cannot read {}", folder.join(CLASSES).display());
    let classes: Vec<Class> = serde_json::from_str(text).with_context(context)?;
    let operation = |class: Class| {
        let own = |member: &Member| Isa::named(&member.isa).is_some_and(|isa| isas.contains(&isa));
        let members: BTreeSet<(String, String)> =
            class.members.into_iter().filter(own).map(|member| (member.isa, member.id)).collect();
        (!members.is_empty()).then_some(Operation { name: class.name, params: class.params, members })
    };
    Ok(classes.into_iter().filter_map(operation).collect())
}
