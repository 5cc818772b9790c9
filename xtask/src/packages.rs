//! What a step needs beside the Rust toolchain: Debian packages, which root gets installed and others are asked to
//! install, and packages of PyPI and of crates.io, which go below `target/`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::process::{cargo, code, have, output, run};
use crate::root;

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

/// Installs a package of PyPI, given as `NAME==VERSION`, into a folder, without what it depends on.
pub fn install_from_pip(package: &str, folder: &Path) -> Result<()> {
    pip_install(&["--no-deps", package], folder)
}

/// Installs packages of PyPI, given as `NAME==VERSION`, into a folder, with what they depend on.
pub fn install_all_from_pip(packages: &[&str], folder: &Path) -> Result<()> {
    pip_install(packages, folder)
}

fn pip_install(what: &[&str], folder: &Path) -> Result<()> {
    provide_pip()?;
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--only-binary=:all:", "--no-compile"]);
    pip.args(["--disable-pip-version-check", "--root-user-action=ignore", "--target"]);
    run(pip.arg(folder).args(what))
        .with_context(|| format!("{} cannot be brought; is there a network?", what.join(" ")))
}

/// The program of a crate that extends cargo, below `target/tools`; it is installed unless this version is there.
pub fn provide_cargo_tool(name: &str, version: &str) -> Result<PathBuf> {
    let folder = root().join("target/tools");
    let tool = folder.join("bin").join(name);
    let mut listed = cargo();
    listed.args(["install", "--list", "--root"]).arg(&folder);
    let is_current = tool.is_file() && output(&mut listed)?.contains(&format!("{name} v{version}:"));
    if is_current {
        return Ok(tool);
    }
    println!("== install {name} {version}");
    let mut install = cargo();
    install.args(["install", name, "--locked", "--version", version, "--root"]).arg(&folder);
    ensure!(
        code(&mut install)? == 0,
        "{name} {version} is not in {} and cannot be installed there: is there a network?",
        folder.display()
    );
    Ok(tool)
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
