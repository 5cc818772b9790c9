//! Starting other programs, with errors that name them.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// Makes this process exit cleanly when its output cannot be written, on which the printing macros panic: silently when
/// the reader has closed the pipe, else with a message and exit code 3.
pub fn end_when_output_fails() {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let message = panic.payload_as_str().unwrap_or_default();
        match message.strip_prefix("failed printing to ") {
            Some(failure) if failure.contains("Broken pipe") => std::process::exit(0),
            Some(failure) => {
                let _ = writeln!(std::io::stderr(), "error: cannot write to {failure}");
                std::process::exit(3)
            }
            None => report(panic),
        }
    }));
}

/// Runs a program to its end; an exit code other than 0 is an error.
pub fn run(command: &mut Command) -> Result<()> {
    match code(command)? {
        0 => Ok(()),
        code => bail!("{} ended with exit code {code}", shown(command)),
    }
}

/// Runs a program to its end and returns its exit code (128 and the signal's number when one ended it).
pub fn code(command: &mut Command) -> Result<i32> {
    let status = command.status().with_context(|| format!("cannot start {}", shown(command)))?;
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return Ok(128 + signal);
    }
    Ok(status.code().unwrap_or(1))
}

/// Runs a program and returns what it prints; its errors go to ours.
pub fn output(command: &mut Command) -> Result<String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start {}", shown(command)))?;
    if !output.status.success() {
        bail!("{} ended with {}", shown(command), output.status);
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether a program is in one of `PATH`'s folders.
pub fn have(program: &str) -> bool {
    find(program).is_some()
}

fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|path| path.is_file())
}

/// The cargo that started us.
pub fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}
