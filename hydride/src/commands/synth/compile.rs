//! Answers in C, and what clang makes of it: LLVM IR and assembly.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use ::synth::window::Window;
use anyhow::{Context, Result, bail};

use super::targets::Ground;

/// The compiler.
pub const CLANG: &str = "clang-19";

/// The text that the compiler writes for a function in C.
pub fn compile(
    ground: &Ground,
    lines: &[String],
    options: &[&str],
    work: &Path,
    name: &str,
) -> Result<String> {
    std::fs::create_dir_all(work).with_context(|| format!("cannot make {}", work.display()))?;
    let source = work.join(format!("{}.{name}.c", ground.named.name));
    std::fs::write(&source, self::source(ground, lines))
        .with_context(|| format!("cannot write {}", source.display()))?;
    let output = Command::new(CLANG)
        .args(&ground.named.options)
        .args(["-O2", "-ffreestanding", "-fno-asynchronous-unwind-tables", "-S", "-o", "-"])
        .args(options)
        .arg(&source)
        .output()
        .with_context(|| format!("cannot start {CLANG}"))?;
    if !output.status.success() {
        bail!("{CLANG} refuses {}: {}", source.display(), String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A name for a window in C. Characters that a name in C cannot have are written as their code points, in hexadecimal digits.
pub fn c_name(window: &Window) -> String {
    let mut name = String::from("window_");
    for c in window.name.chars() {
        if c == '_' || c.is_ascii_alphanumeric() {
            name.push(c);
        } else {
            let _ = write!(name, "_{:x}", u32::from(c));
        }
    }
    name
}

/// A function in C with what it includes.
pub fn source(ground: &Ground, lines: &[String]) -> String {
    let mut text = String::from("#include <stdint.h>\n");
    for header in &ground.named.headers {
        let _ = writeln!(text, "#include <{header}>");
    }
    text + &lines.join("\n") + "\n"
}
