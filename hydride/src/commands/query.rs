//! `hydride query`: the operations and instructions that have given properties.

use std::collections::BTreeMap;

use anyhow::Result;
use catalog::{MemberRecord, OperationRecord};
use clap::{Args, ValueEnum};
use globset::{Glob, GlobMatcher};
use serde::Serialize;

use crate::commands::explain::{modifiers, params};
use crate::dictionary::{Dictionary, DictionaryArgs, Lowering};
use crate::{Session, usage};

/// Arguments of `hydride query`. An instruction is listed when all that is asked for holds.
#[derive(Args)]
pub struct QueryArgs {
    #[command(flatten)]
    dictionary: DictionaryArgs,
    /// Instructions of these instruction sets.
    #[arg(long, value_delimiter = ',', value_name = "LIST")]
    isa: Vec<String>,
    /// Instructions that need an extension of this name.
    #[arg(long, value_name = "GLOB")]
    extension: Option<String>,
    /// Operations of this name.
    #[arg(long, value_name = "GLOB")]
    op: Option<String>,
    /// Instructions with a result of so many bits.
    #[arg(long, value_name = "BITS")]
    width: Option<u32>,
    /// Instructions at this value of a parameter; may be given several times.
    #[arg(long, value_name = "NAME=VALUE")]
    param: Vec<String>,
    /// Operations with one member.
    #[arg(long)]
    single: bool,
    /// Operations with members of at least so many instruction sets.
    #[arg(long, value_name = "N")]
    shared: Option<usize>,
    /// One line for each instruction instead of each operation.
    #[arg(long)]
    members: bool,
    /// How to print: text or JSON (which lists operations with their instructions).
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Instructions or operations with this in an id, a name or a mnemonic.
    text: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

/// What is asked for, read.
struct Filter<'a> {
    args: &'a QueryArgs,
    extension: Option<GlobMatcher>,
    op: Option<GlobMatcher>,
    params: Vec<(&'a str, i64)>,
    text: Option<String>,
}

/// Prints what fits.
pub fn run(session: &Session, args: &QueryArgs) -> Result<u8> {
    session.all_asked(&args.isa)?;
    let filter = Filter::new(args)?;
    let dictionary = args.dictionary.read(session)?;
    let mut found: Vec<(&OperationRecord, Vec<&MemberRecord>)> = Vec::new();
    for operation in dictionary.operations.iter().filter(|operation| filter.operation(operation)) {
        let mut members = Vec::new();
        for member in &operation.members {
            if filter.member(operation, member, dictionary.lowering(member)?) {
                members.push(member);
            }
        }
        if !members.is_empty() {
            found.push((operation, members));
        }
    }
    match (args.format, args.members) {
        (Format::Json, _) => println!("{}", json(&dictionary, &found)?),
        (Format::Text, true) => found.iter().for_each(|(class, members)| {
            for member in members {
                println!(
                    "{} {} {} [{}] {}",
                    class.name,
                    member.isa,
                    member.id,
                    params(class, member),
                    modifiers(member)
                );
            }
        }),
        (Format::Text, false) => found.iter().for_each(|(class, members)| {
            let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
            members.iter().for_each(|member| *counts.entry(&member.isa).or_default() += 1);
            let counts: Vec<String> = counts.iter().map(|(isa, count)| format!("{count} {isa}")).collect();
            println!("{} [{}] {}", class.name, class.params.join(", "), counts.join(", "));
        }),
    }
    Ok(0)
}

impl<'a> Filter<'a> {
    fn new(args: &'a QueryArgs) -> Result<Self> {
        let glob = |name: &str, text: &Option<String>| match text {
            Some(text) => match Glob::new(text) {
                Ok(glob) => Ok(Some(glob.compile_matcher())),
                Err(error) => Err(usage(format!("--{name} {text}: {error}"))),
            },
            None => Ok(None),
        };
        let param = |text: &'a String| {
            let parts = text.split_once('=').and_then(|(name, value)| Some((name, value.parse().ok()?)));
            parts.ok_or_else(|| usage(format!("--param {text}: a name, `=` and a number are wanted")))
        };
        Ok(Self {
            args,
            extension: glob("extension", &args.extension)?,
            op: glob("op", &args.op)?,
            params: args.param.iter().map(param).collect::<Result<_>>()?,
            text: args.text.as_ref().map(|text| text.to_ascii_lowercase()),
        })
    }

    fn operation(&self, class: &OperationRecord) -> bool {
        let isas: std::collections::BTreeSet<&str> =
            class.members.iter().map(|member| member.isa.as_str()).collect();
        self.op.as_ref().is_none_or(|glob| glob.is_match(&class.name))
            && (!self.args.single || class.members.len() == 1)
            && self.args.shared.is_none_or(|least| isas.len() >= least)
    }

    fn member(&self, class: &OperationRecord, member: &MemberRecord, lowering: &Lowering) -> bool {
        let text = |text: &String| {
            let names = [&class.name, &member.id].into_iter().chain(&lowering.mnemonics);
            names.into_iter().any(|name| name.to_ascii_lowercase().contains(text.as_str()))
        };
        (self.args.isa.is_empty() || self.args.isa.contains(&member.isa))
            && self
                .extension
                .as_ref()
                .is_none_or(|glob| lowering.extensions.iter().any(|extension| glob.is_match(extension)))
            && self
                .args
                .width
                .is_none_or(|width| lowering.signature.results.iter().any(|result| result.width == width))
            && self.params.iter().all(|(name, value)| member.params.get(*name) == Some(value))
            && self.text.as_ref().is_none_or(text)
    }
}

/// An operation with those of its members that were asked for.
#[derive(Serialize)]
struct Found<'a> {
    name: &'a str,
    arity: usize,
    params: &'a [String],
    constraints: &'a [String],
    members: Vec<FoundMember<'a>>,
}

#[derive(Serialize)]
struct FoundMember<'a> {
    #[serde(flatten)]
    record: &'a MemberRecord,
    mnemonics: &'a [String],
    extensions: &'a [String],
}

impl<'a> Found<'a> {
    fn new(
        dictionary: &'a Dictionary,
        operation: &'a OperationRecord,
        members: &[&'a MemberRecord],
    ) -> Result<Self> {
        let mut found = Vec::new();
        for record in members {
            let Lowering { mnemonics, extensions, .. } = dictionary.lowering(record)?;
            found.push(FoundMember { record, mnemonics, extensions });
        }
        let OperationRecord { name, arity, params, constraints, members: _ } = operation;
        Ok(Self { name, arity: *arity, params, constraints, members: found })
    }
}

fn json(dictionary: &Dictionary, found: &[(&OperationRecord, Vec<&MemberRecord>)]) -> Result<String> {
    let all = found.iter().map(|(operation, members)| Found::new(dictionary, operation, members));
    Ok(serde_json::to_string_pretty(&all.collect::<Result<Vec<_>>>()?)?)
}
