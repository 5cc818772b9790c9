//! Files with windows.

use std::path::{Path, PathBuf};

use ::synth::window::Window;
use anyhow::{Context, Result};

use crate::BrokenDocument;

/// All windows of some files, in order.
pub fn windows(files: &[PathBuf]) -> Result<Vec<Window>> {
    let mut windows = Vec::new();
    for file in files {
        let bytes = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = before.split(|byte| *byte == b'\n').count();
            BrokenDocument::at(file.display(), number(line), 1, "the file is not UTF-8")
        })?;
        lines(file, &text, &mut windows)?;
    }
    Ok(windows)
}

fn lines(file: &Path, text: &str, windows: &mut Vec<Window>) -> Result<()> {
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        windows.push(Window::read(line, at + 1).map_err(|error| {
            BrokenDocument::at(file.display(), number(error.line), number(error.column), &error.message)
        })?);
    }
    Ok(())
}

/// A line or column of a diagnostic.
pub fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
