//! `hydride lint`: what is wrong in a document before any run.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueEnum};
use parsers::Severity;
use parsers::intel::lint::{Finding, RULES, Report, lint};

use crate::documents::read_file;
use crate::error::Failure;
use crate::{Session, console};

/// Arguments of `hydride lint`.
#[derive(Args)]
pub struct LintArgs {
    /// An x86 document. Errata are not applied.
    #[arg(required_unless_present = "rules")]
    file: Option<PathBuf>,
    /// How findings are printed.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// List the rules instead.
    #[arg(long)]
    rules: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One line for each finding, and their numbers.
    Text,
    /// One JSON object on a line for each finding.
    Json,
}

/// Prints the findings; exit code 1 when there are any, 3 when the document cannot be read.
pub fn run(session: &Session, args: &LintArgs) -> Result<u8> {
    if args.rules {
        for rule in RULES {
            println!("{:<20} {:<8} {}", rule.code, severity(rule.severity), rule.finds);
        }
        return Ok(0);
    }
    let Some(file) = &args.file else { return Ok(2) };
    let bytes = read_file(file)?;
    let report = lint(&file.display().to_string(), &bytes, &|function, arguments| {
        interp::evaluate(function, arguments).ok()
    });
    session.require_whole(&report.diagnostics, &[])?;
    console::report(&report.diagnostics, &[], |document| document.name.clone());
    if report.entries == 0 {
        let message = format!("{} holds no entries", file.display());
        return Err(Failure { code: 3, message }.into());
    }
    let mut text = String::new();
    match args.format {
        Format::Json => {
            for finding in &report.findings {
                text.push_str(&serde_json::to_string(finding)?);
                text.push('\n');
            }
        }
        Format::Text => write_text(&report, &mut text)?,
    }
    console::print(text.as_bytes())?;
    Ok(u8::from(!report.findings.is_empty()))
}

fn write_text(report: &Report, text: &mut String) -> std::fmt::Result {
    for Finding { rule, severity: level, entry, span, message } in &report.findings {
        let level = severity(*level);
        writeln!(text, "{}:{}:{}: {level}[{rule}] {entry}: {message}", span.file, span.line, span.column)?;
    }
    writeln!(
        text,
        "{} findings in {} entries of version {}",
        report.findings.len(),
        report.entries,
        report.version
    )?;
    for rule in RULES {
        let own = report.findings.iter().filter(|finding| finding.rule == rule.code);
        let entries: std::collections::BTreeSet<&str> =
            own.clone().map(|finding| finding.entry.as_str()).collect();
        if !entries.is_empty() {
            writeln!(text, "  {:<20} {:>5} in {} entries", rule.code, own.count(), entries.len())?;
        }
    }
    Ok(())
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Warning => "warning",
        Severity::Error | Severity::Fatal => "error",
    }
}
