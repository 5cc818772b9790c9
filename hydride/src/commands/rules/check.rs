//! `hydride rules check`: which rules of files are true.

use std::path::{Path, PathBuf};

use ::rules::{Finding, Instance, Rule, check, instances};
use ::synth::synthesize::prover;
use anyhow::{Context, Result};
use clap::Args;
use rayon::prelude::*;
use serde::Serialize;

use crate::BrokenDocument;
use crate::commands::synth::read::number;

/// Arguments of `hydride rules check`.
#[derive(Args)]
pub struct CheckArgs {
    /// Instances at a time; 0 for one a processor.
    #[arg(long, value_name = "N", default_value_t = 0)]
    jobs: usize,
    /// Files of rules.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// A rule with its instances.
pub struct Read {
    /// The rule.
    pub rule: Rule,
    /// The instances.
    pub instances: Vec<Instance>,
}

#[derive(Serialize)]
struct Line<'a> {
    name: &'a str,
    file: String,
    line: usize,
    verdict: &'static str,
    instances: Vec<One<'a>>,
}

#[derive(Serialize)]
struct One<'a> {
    parameters: serde_json::Map<String, serde_json::Value>,
    #[serde(flatten)]
    finding: &'a Finding,
}

/// The rules of a file with their instances.
pub fn read(file: &Path) -> Result<Vec<Read>> {
    let bytes = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = before.split(|byte| *byte == b'\n').count();
        BrokenDocument::at(file.display(), number(line), 1, "the file is not UTF-8")
    })?;
    parse(&text, &file.display().to_string())
}

/// The rules of a text with their instances; `file` names it in messages.
pub fn parse(text: &str, file: &str) -> Result<Vec<Read>> {
    let broken = |error: ::rules::RuleError| {
        BrokenDocument::at(file, number(error.line), number(error.column), error.message)
    };
    let mut all = Vec::new();
    for rule in ::rules::read(text).map_err(broken)? {
        let instances = instances(&rule, text).map_err(broken)?;
        all.push(Read { rule, instances });
    }
    Ok(all)
}

/// Prints a line for each rule; exit code 1 when one is not true.
pub fn run(args: &CheckArgs) -> Result<u8> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.jobs).build()?;
    let mut code = 0;
    for file in &args.files {
        let rules = read(file)?;
        let findings: Vec<Vec<Finding>> = pool.install(|| {
            let of = |read: &Read| {
                read.instances.par_iter().map(|instance| check(instance, &mut prover())).collect()
            };
            rules.par_iter().map(of).collect()
        });
        for (read, findings) in rules.iter().zip(&findings) {
            let verdict = verdict(findings);
            code = code.max(u8::from(verdict != "true"));
            let line = Line {
                name: &read.rule.name,
                file: file.display().to_string(),
                line: read.rule.line,
                verdict,
                instances: read
                    .instances
                    .iter()
                    .zip(findings)
                    .map(|(of, finding)| one(of, finding))
                    .collect(),
            };
            println!("{}", serde_json::to_string(&line)?);
        }
    }
    Ok(code)
}

fn one<'a>(instance: &Instance, finding: &'a Finding) -> One<'a> {
    let mut parameters = serde_json::Map::new();
    for (name, value) in &instance.parameters {
        let value = value.parse::<i64>().map_or_else(|_| value.as_str().into(), Into::into);
        parameters.insert(name.clone(), value);
    }
    One { parameters, finding }
}

/// What the findings of a rule's instances say of the rule: one false instance makes it false.
pub fn verdict(findings: &[Finding]) -> &'static str {
    let any = |is: fn(&Finding) -> bool| findings.iter().any(is);
    match () {
        () if any(|finding| matches!(finding, Finding::False { .. })) => "false",
        () if any(|finding| matches!(finding, Finding::Unknown { .. })) => "unknown",
        () => "true",
    }
}
