//! What the user sees: logs, progress bars per phase, diagnostics with source snippets.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use codespan_reporting::diagnostic::{Diagnostic as Report, Label};
use codespan_reporting::files::SimpleFiles;
use codespan_reporting::term::{self, termcolor};
use indicatif::{ProgressBar, ProgressStyle};
use parsers::{Diagnostic, Severity};
use tracing_subscriber::EnvFilter;

use crate::documents::Document;

/// Starts logging to standard error; `HYDRIDE_LOG` overrides the level.
pub fn start_log(verbose: u8) {
    let level = match verbose {
        0 => "warn",
        1 => "info",
        _ => "debug",
    };
    let filter = EnvFilter::try_from_env("HYDRIDE_LOG").unwrap_or_else(|_| EnvFilter::new(level));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .without_time()
        .init();
}

/// The phases of a run with their durations; on a terminal each shows a bar, else one line at its end.
#[derive(Default)]
pub struct Phases {
    done: Vec<(String, Duration)>,
}

/// A running phase.
pub struct Phase {
    name: String,
    start: Instant,
    bar: ProgressBar,
}

impl Phases {
    /// Starts a phase of `total` steps.
    pub fn start(&self, name: &str, total: usize) -> Phase {
        let bar = if std::io::stderr().is_terminal() {
            let style = ProgressStyle::with_template("{msg:>14} [{bar:30}] {pos}/{len} {elapsed}")
                .unwrap_or_else(|_| ProgressStyle::default_bar());
            ProgressBar::new(total as u64).with_style(style).with_message(name.to_string())
        } else {
            ProgressBar::hidden()
        };
        Phase { name: name.to_string(), start: Instant::now(), bar }
    }

    /// Ends a phase with a line about what it did.
    pub fn end(&mut self, phase: Phase, what: &str) {
        phase.bar.finish_and_clear();
        let elapsed = phase.start.elapsed();
        eprintln!("{:>14} {:6.2} s  {what}", phase.name, elapsed.as_secs_f64());
        self.done.push((phase.name, elapsed));
    }

    /// Name and duration of each phase that ended.
    pub fn durations(&self) -> &[(String, Duration)] {
        &self.done
    }
}

impl Phase {
    /// Counts steps as done.
    pub fn advance(&self, steps: usize) {
        self.bar.inc(steps as u64);
    }

    /// Sets how many of how many steps are done.
    pub fn set(&self, done: usize, total: usize) {
        self.bar.set_length(total as u64);
        self.bar.set_position(done as u64);
    }
}

/// Prints diagnostics with the lines that they are about.
pub fn report(diagnostics: &[Diagnostic], documents: &[Document]) {
    let mut files = SimpleFiles::new();
    let mut ids = Vec::new();
    for document in documents {
        let text = String::from_utf8_lossy(&document.bytes).into_owned();
        ids.push((document.name.clone(), files.add(document.name.clone(), text)));
    }
    let config = term::Config { start_context_lines: 1, end_context_lines: 1, ..term::Config::default() };
    let writer = termcolor::StandardStream::stderr(if std::io::stderr().is_terminal() {
        termcolor::ColorChoice::Auto
    } else {
        termcolor::ColorChoice::Never
    });
    for diagnostic in diagnostics {
        let message = match &diagnostic.entry {
            Some(entry) => format!("{entry}: {}", diagnostic.message),
            None => diagnostic.message.clone(),
        };
        let report = match diagnostic.severity {
            Severity::Error => Report::error(),
            Severity::Warning => Report::warning(),
        };
        let file = ids.iter().find(|(name, _)| *name == diagnostic.span.file);
        let report = match file {
            Some((_, id)) => {
                let start = diagnostic.span.offset;
                let label = Label::primary(*id, start..start + diagnostic.span.length);
                report.with_message(message).with_labels(vec![label])
            }
            None => {
                let span = &diagnostic.span;
                report.with_message(format!("{}:{}:{}: {message}", span.file, span.line, span.column))
            }
        };
        if term::emit_to_write_style(&mut writer.lock(), &config, &files, &report).is_err() {
            eprintln!("{}: {}", diagnostic.span.file, diagnostic.message);
        }
    }
}
