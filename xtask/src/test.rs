//! Everything that a change must pass, in one command.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::Result;

use crate::fetch::fetch;
use crate::newer_llvm;
use crate::packages::{Tool, install_from_pip, provide};
use crate::process::{cargo, code, have};
use crate::python;
use crate::root;
use crate::setup::run_setup;
use crate::specs::present;

/// What some tests use besides the Rust toolchain.
const TOOLS: &[Tool] = &[
    ("clang-19", "clang-19"),
    ("ld.lld-19", "lld-19"),
    ("llvm-tblgen-19", "llvm-19"),
    ("/usr/lib/llvm-19/include/llvm/IR/Intrinsics.td", "llvm-19-dev"),
    ("FileCheck-19", "llvm-19-tools"),
    ("mlir-tblgen-19", "mlir-19-tools"),
    ("/usr/lib/llvm-19/include/mlir/IR/OpBase.td", "libmlir-19-dev"),
    ("qemu-aarch64", "qemu-user"),
    ("redis-server", "redis-server"),
    ("aarch64-linux-gnu-g++", "g++-aarch64-linux-gnu"),
    ("/usr/aarch64-linux-gnu/lib/libc.a", "libc6-dev-arm64-cross"),
    ("chromium", "chromium"),
    ("chromedriver", "chromium-driver"),
];

/// How much is tested.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Nothing is installed or fetched, and the slow tests are left out (`HYDRIDE_QUICK=1`).
    Quick,
    /// Every test, with few inputs and instances where there are thousands.
    Usual,
    /// With all of them (`HYDRIDE_FULL=1`).
    Full,
}

/// Formatting, lints and tests, on the fetched documents and those in `asked`. Returns the exit code: 0, or 1 when
/// something failed.
pub fn test(asked: &[PathBuf], extent: Extent) -> Result<i32> {
    let quick = extent == Extent::Quick;
    let mut skipped = Vec::new();
    let mut failed = Vec::new();

    println!("== set-up");
    run_setup()?;
    let folders = documents(asked, !quick);
    if folders.is_empty() {
        skipped.push(
            "tests over vendor documents: there are none (`cargo xtask fetch-specs`, or --specs)".to_owned(),
        );
    }
    if quick {
        skipped.push("slow tests: --quick".to_owned());
    } else {
        if let Err(error) = provide(TOOLS) {
            println!("set-up: {error:#}; the tests that need them are skipped");
        }
        install_second_solver();
        if let Err(error) = python::provide() {
            println!("set-up: {error:#}; the tests in Python are skipped");
        }
    }
    skipped.extend(if quick { newer_llvm::missing() } else { newer_llvm::provide() });
    for (tool, package) in TOOLS.iter().filter(|(tool, _)| !have(tool)) {
        skipped.push(format!("tests with {tool}: not installed (Debian: apt-get install {package})"));
    }
    if !root().join("target/bitwuzla").is_dir() {
        skipped.push("tests with Bitwuzla: not in target/bitwuzla".to_owned());
    }
    if !python::is_there() {
        skipped.push("tests in Python: NumPy and mypy are not in target/python".to_owned());
    }

    let mut step = |name: &str, command: &mut Command| -> Result<()> {
        println!("== {name}");
        command.current_dir(root());
        if code(command)? != 0 {
            failed.push(name.to_owned());
        }
        Ok(())
    };
    if component("fmt") {
        // rustfmt does not see modules that a macro declares.
        let declared = fs::read_dir(root().join("hydride/src/isa"))?.flatten().map(|entry| entry.path());
        let declared = declared.map(|folder| folder.join("mod.rs")).filter(|module| module.is_file());
        step("format", cargo().args(["fmt", "--all", "--check", "--"]).args(declared))?;
    } else {
        skipped.push("formatting: no rustfmt (rustup component add rustfmt)".to_owned());
    }
    if component("clippy") {
        step("lints", cargo().args(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;
    } else {
        skipped.push("lints: no clippy (rustup component add clippy)".to_owned());
    }
    let mut tests = cargo();
    tests.args(["test", "--workspace", "--no-fail-fast"]);
    tests.env("HYDRIDE_SPECS", std::env::join_paths(&folders)?);
    // Tests add a line for each thing that they leave out.
    let skips = root().join("target/skipped-tests.txt");
    if skips.exists() {
        fs::remove_file(&skips)?;
    }
    tests.env("HYDRIDE_SKIPS", &skips);
    match extent {
        Extent::Quick => tests.env("HYDRIDE_QUICK", "1"),
        Extent::Usual => &mut tests,
        Extent::Full => tests.env("HYDRIDE_FULL", "1"),
    };
    step("tests", &mut tests)?;

    println!("== summary");
    let lines = fs::read_to_string(&skips).unwrap_or_default();
    skipped.extend(lines.lines().map(|line| line.trim_start_matches("SKIPPED ").to_owned()));
    for skip in &skipped {
        println!("skipped {skip}");
    }
    println!("{} skipped in all", skipped.len());
    for failure in &failed {
        println!("FAILED {failure}");
    }
    if failed.is_empty() {
        println!("passed");
    }
    Ok(i32::from(!failed.is_empty()))
}

/// The folders of documents: those asked for, whose figures are tested first, and the fetched ones.
fn documents(asked: &[PathBuf], may_fetch: bool) -> Vec<PathBuf> {
    if may_fetch && present(None).is_none() {
        println!("specs: none in specs/vendor, fetching them");
        if let Err(error) = fetch() {
            println!("fetch: {error:#}");
        }
    }
    let found: Vec<_> =
        asked.iter().filter_map(|folder| present(Some(folder))).chain(present(None)).collect();
    for specs in &found {
        println!("specs: {specs}");
    }
    found.into_iter().map(|specs| specs.folder).collect()
}

/// Whether cargo has a subcommand of the toolchain.
fn component(name: &str) -> bool {
    let mut probe = cargo();
    probe.args([name, "--version"]).stdout(Stdio::null()).stderr(Stdio::null()).current_dir(root());
    code(&mut probe).is_ok_and(|code| code == 0)
}

/// Bitwuzla, which a test asks the questions that our certificates answer.
const SECOND_SOLVER: &str = "bitwuzla==0.9.1";

/// Puts Bitwuzla's Python module into `target/bitwuzla`; goes on when that fails.
fn install_second_solver() {
    let folder = root().join("target/bitwuzla");
    if folder.is_dir() {
        return;
    }
    if let Err(error) = install_from_pip(SECOND_SOLVER, &folder) {
        println!("set-up: {error:#}; the test with a second solver is skipped");
    }
}
