//! What the user sees: logs, progress bars per phase, diagnostics with source snippets.

use std::cell::Cell;
use std::io::{IsTerminal, Write as _};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use codespan_reporting::diagnostic::{Diagnostic as Report, Label};
use codespan_reporting::files::SimpleFiles;
use codespan_reporting::term::{self, termcolor};
use indicatif::{ProgressBar, ProgressStyle};
use parsers::{Diagnostic, Severity};
use tracing_subscriber::EnvFilter;

use crate::isa::Document;

/// Starts logging to standard error; `HYDRIDE_LOG` overrides the level.
pub fn start_log(verbose: u8) {
    let level = match verbose {
        0 => "warn",
        1 => "info",
        _ => "debug",
    };
    let filter = EnvFilter::try_from_env("HYDRIDE_LOG").unwrap_or_else(|_| EnvFilter::new(level));
    // A process that runs several commands keeps the first one's log.
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .without_time()
        .try_init();
}

/// Makes the process exit cleanly when its output cannot be written: silently when the reader has closed the pipe
/// (`| head`), else with a message and exit code 3. The printing macros panic in this case; any other panic is reported
/// as usual.
pub fn end_when_output_fails() {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if SILENT.get() {
            return;
        }
        let message = panic.payload_as_str().unwrap_or_default();
        match message.strip_prefix("failed printing to ") {
            Some(failure) if failure.contains("Broken pipe") => std::process::exit(0),
            Some(failure) => {
                // If standard error cannot be written, only the exit code reports it.
                let _ = writeln!(std::io::stderr(), "error: cannot write to {failure}");
                std::process::exit(3)
            }
            None => report(panic),
        }
    }));
}

/// Calls `stop` at an interrupt, SIGTERM or SIGHUP, which asks the run to stop and returns whether it was asked before.
/// A second signal ends the process with exit code 130: the run may be in a long proof.
pub fn on_interrupt(mut stop: impl FnMut() -> bool + Send + 'static) {
    // The signals keep their usual effect if no handler can be set.
    let _ = ctrlc::set_handler(move || {
        if stop() {
            std::process::exit(130);
        }
    });
}

/// Writes a text, and whatever is still in the buffer before it, to standard output.
pub fn print(text: &[u8]) -> Result<()> {
    let mut output = std::io::stdout().lock();
    written(output.write_all(text).and_then(|()| output.flush()))
}

/// The outcome of writing to standard output. A closed pipe is not an error.
pub fn written(result: std::io::Result<()>) -> Result<()> {
    match result {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        written => written.context("cannot write to stdout"),
    }
}

thread_local! {
    static SILENT: Cell<bool> = const { Cell::new(false) };
}

/// Runs a closure that catches and reports its panics itself.
pub fn without_panic_messages<T>(run: impl FnOnce() -> T) -> T {
    SILENT.set(true);
    let result = run();
    SILENT.set(false);
    result
}

/// The phases of a run with their durations; on a terminal each shows a bar, else one line at its end.
#[derive(Default)]
pub struct Phases {
    done: Vec<(String, Duration)>,
    /// Nothing is shown.
    silent: bool,
}

/// A running phase.
pub struct Phase {
    name: String,
    start: Instant,
    bar: ProgressBar,
}

impl Phases {
    /// Phases that show nothing, for programs that use this one as a library.
    pub fn silent() -> Self {
        Self { silent: true, ..Self::default() }
    }

    /// Starts a phase of `total` steps.
    pub fn start(&self, name: &str, total: usize) -> Phase {
        let bar = if !self.silent && std::io::stderr().is_terminal() {
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
        self.note(&phase.name, &format!("{:6.2} s  {what}", elapsed.as_secs_f64()));
        self.done.push((phase.name, elapsed));
    }

    /// Shows a line.
    pub fn say(&self, line: &str) {
        if !self.silent {
            eprintln!("{line}");
        }
    }

    /// Shows a line about something that is named in its first column.
    pub fn note(&self, name: &str, what: &str) {
        self.say(&format!("{name:>14} {what}"));
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

/// Prints diagnostics with the lines that they are about, each document under the name that `named` gives it;
/// returns the text.
pub fn report(
    diagnostics: &[Diagnostic],
    documents: &[&Document],
    named: impl Fn(&Document) -> String,
) -> String {
    eprint!("{}", snippets(diagnostics, documents, &named));
    rendered(diagnostics, documents, &named, termcolor::Buffer::no_color())
}

/// What [`report`] prints: with colors if standard error is a terminal.
pub fn snippets(
    diagnostics: &[Diagnostic],
    documents: &[&Document],
    named: impl Fn(&Document) -> String,
) -> String {
    let writer = match std::io::stderr().is_terminal() {
        true => termcolor::Buffer::ansi(),
        false => termcolor::Buffer::no_color(),
    };
    rendered(diagnostics, documents, named, writer)
}

fn rendered(
    diagnostics: &[Diagnostic],
    documents: &[&Document],
    named: impl Fn(&Document) -> String,
    mut writer: termcolor::Buffer,
) -> String {
    if diagnostics.is_empty() {
        return String::new();
    }
    let mut files = SimpleFiles::new();
    let mut ids = Vec::new();
    for document in documents {
        let text = String::from_utf8_lossy(&document.bytes).into_owned();
        ids.push((&document.name, files.add(named(document), text)));
    }
    let config = term::Config { start_context_lines: 1, end_context_lines: 1, ..term::Config::default() };
    for diagnostic in diagnostics {
        let message = match &diagnostic.entry {
            Some(entry) => format!("{entry}: {}", diagnostic.message),
            None => diagnostic.message.clone(),
        };
        let report = match diagnostic.severity {
            Severity::Error | Severity::Fatal => Report::error(),
            Severity::Warning => Report::warning(),
        };
        let file = ids.iter().find(|(name, _)| **name == diagnostic.span.file);
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
        // Writing to memory fails only for a location outside its document.
        if term::emit_to_write_style(&mut writer, &config, &files, &report).is_err() {
            let _ = writeln!(writer, "{}: {}", diagnostic.span.file, diagnostic.message);
        }
    }
    String::from_utf8_lossy(writer.as_slice()).into_owned()
}
