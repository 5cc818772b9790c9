//! `hydride dictionary`: the families that operations are made of; with `--rebuild`, what they would be if they were made
//! from the documents anew.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Result;
use autoir::Dictionary;
use clap::Args;
use smt::Memo;

use crate::classified::{ClassifyArgs, start_threads};
use crate::console::{self, Phases};
use crate::pipeline::Pipeline;
use crate::{Session, families};

/// Arguments of `hydride dictionary`.
#[derive(Args)]
pub struct DictionaryArgs {
    #[command(flatten)]
    classify: ClassifyArgs,
    /// Make the families from the documents anew, whatever is known of them, and write them to this file. Families
    /// inherit the names of those that had their structure or most of their members. Prints what changes, and exits
    /// with 1 if programs that use the operations can notice it.
    #[arg(long, value_name = "FILE")]
    rebuild: Option<PathBuf>,
}

/// Lists the families, or makes them anew.
pub fn run(session: &Session, args: &DictionaryArgs) -> Result<u8> {
    let present = args.classify.families.read()?;
    let Some(path) = &args.rebuild else {
        console::print(listing(&present).as_bytes())?;
        return Ok(0);
    };
    families::check_writable(path)?;
    start_threads(args.classify.jobs)?;
    let mut phases = Phases::default();
    let isas = session.isas();
    let documents = session.read(args.classify.specs.specs.as_deref(), &isas)?;
    let memo = Memo::default();
    let parsed = Pipeline::parse(session, &documents, &isas, &memo, &mut phases)?;
    let records = &args.classify.records;
    let pipeline = Pipeline::rebuild(session, parsed, &present, records, &memo, &mut phases)?;
    families::write(path, &pipeline.families.to_string())?;
    let changes = present.changes_to(&pipeline.families);
    let text: String = changes.iter().map(|change| format!("{change}\n")).collect();
    console::print(text.as_bytes())?;
    let breaking = changes.iter().filter(|change| change.breaks()).count();
    eprintln!(
        "{} families in {}; {breaking} changes can be noticed",
        pipeline.families.names().count(),
        path.display()
    );
    Ok(u8::from(breaking > 0))
}

/// One line for each family: its name, its parameters and the number of its members of each instruction set.
fn listing(dictionary: &Dictionary) -> String {
    let line = |(name, family): (&str, &catalog::Family)| {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for (isa, _) in family.members.keys() {
            *counts.entry(isa).or_default() += 1;
        }
        let params: Vec<&str> = family.function.params.iter().map(|param| param.name.as_str()).collect();
        let counts: Vec<String> = counts.iter().map(|(isa, count)| format!("{count} {isa}")).collect();
        format!("{name}[{}]: {}\n", params.join(", "), counts.join(", "))
    };
    dictionary.families().map(line).collect()
}
