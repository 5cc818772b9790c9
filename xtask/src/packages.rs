//! Debian packages that a step needs: root gets them installed, others are asked to.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::process::{code, have, run};

/// A program, or a file at a fixed place, and the Debian package that has it.
pub type Tool = (&'static str, &'static str);

/// Installs the packages of the tools that are missing, if this is root on Debian. An error names them.
pub fn provide(tools: &[Tool]) -> Result<()> {
    let missing: Vec<&str> =
        tools.iter().filter(|(tool, _)| !have(tool)).map(|(_, package)| *package).collect();
    if missing.is_empty() {
        return Ok(());
    }
    install(&missing)
}

/// Python with pip, which brings the libraries that PyPI holds.
pub fn provide_pip() -> Result<()> {
    let mut probe = Command::new("python3");
    probe.args(["-m", "pip", "--version"]).stdout(Stdio::null()).stderr(Stdio::null());
    if code(&mut probe).is_ok_and(|code| code == 0) {
        return Ok(());
    }
    install(&["python3", "python3-pip"])
}

/// C++'s standard library, which `z3-sys` links against.
pub fn provide_cxx_library() -> Result<()> {
    let found = Command::new("cc").arg("-print-file-name=libstdc++.so").stderr(Stdio::null()).output();
    // A compiler answers with the bare name for what it lacks.
    if found.is_ok_and(|found| found.stdout.starts_with(b"/")) {
        return Ok(());
    }
    install(&["g++"])
}

fn install(packages: &[&str]) -> Result<()> {
    let names = packages.join(" ");
    ensure!(is_root() && have("apt-get"), "missing: {names} (Debian: apt-get install {names})");
    println!("set-up: installing {names}");
    let apt = || {
        let mut apt = Command::new("apt-get");
        apt.args(["-q", "-q", "-y"]).env("DEBIAN_FRONTEND", "noninteractive").stdout(Stdio::null());
        apt
    };
    run(apt().args(["-o", "APT::Update::Error-Mode=any", "update"]))
        .and_then(|()| run(apt().args(["install", "--no-install-recommends"]).args(packages)))
        .with_context(|| format!("cannot install {names}; is there a network?"))
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").stderr(Stdio::null()).output();
    id.is_ok_and(|id| id.stdout.trim_ascii() == b"0")
}
