//! Tools of newer releases of LLVM than the one that Debian has, out of Python packages: a clang of LLVM 22 and an
//! `mlir-opt` of MLIR's head. They need no installation beyond `target/`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::packages::install_from_pip;
use crate::process::run;
use crate::root;

/// A program that is inside of a Python package, and the script that starts it.
struct Tool {
    /// What it is.
    name: &'static str,
    /// The package, at the version that the checked-in data is for.
    package: &'static str,
    /// The size of the download in MB.
    size: u32,
    /// The folder below `target/`.
    folder: &'static str,
    /// The script, in the folder.
    script: &'static str,
    /// The program, in the folder.
    program: &'static str,
    /// What the script runs, where `$at` is the folder.
    command: &'static str,
}

const TOOLS: [Tool; 2] = [
    Tool {
        name: "clang 22.1.8",
        package: "ziglang==0.17.0",
        size: 101,
        folder: "llvm-22",
        script: "bin/clang",
        program: "packages/ziglang/zig",
        // Its own default is a C library that this machine need not have.
        command: "\"$at/packages/ziglang/zig\" clang --target=x86_64-unknown-linux-gnu \
                  -resource-dir \"$at/packages/ziglang/lib\"",
    },
    Tool {
        name: "mlir-opt of MLIR 24",
        package: "iree-base-compiler==3.13.0",
        size: 84,
        folder: "mlir-24",
        script: "bin/mlir-opt",
        program: "packages/iree/compiler/_mlir_libs/iree-opt",
        command: "\"$at/packages/iree/compiler/_mlir_libs/iree-opt\"",
    },
];

/// Makes sure that the tools are below `target/`; returns a line for each that could not be brought.
pub fn provide() -> Vec<String> {
    let missing = |tool: &Tool| {
        let error = tool.provide().err()?;
        println!("set-up: {error:#}");
        Some(format!("tests with {}: not in target/{}", tool.name, tool.folder))
    };
    TOOLS.iter().filter_map(missing).collect()
}

/// The lines of [`provide`] for what is not there, without bringing it.
pub fn missing() -> Vec<String> {
    let missing = TOOLS.iter().filter(|tool| !tool.is_there());
    missing.map(|tool| format!("tests with {}: not in target/{}", tool.name, tool.folder)).collect()
}

impl Tool {
    fn at(&self) -> PathBuf {
        root().join("target").join(self.folder)
    }

    fn is_there(&self) -> bool {
        self.at().join(self.script).is_file()
    }

    fn provide(&self) -> Result<()> {
        if self.is_there() {
            return Ok(());
        }
        println!("set-up: {} comes with {}, a download of {} MB", self.name, self.package, self.size);
        let (at, packages) = (self.at(), self.at().join("packages"));
        if packages.exists() {
            fs::remove_dir_all(&packages)?;
        }
        install_from_pip(self.package, &packages)?;
        let program = at.join(self.program);
        ensure!(program.is_file(), "{} holds no {}", self.package, self.program);
        write_script(&at.join(self.script), self.command)
    }
}

/// Writes a script in a folder next to `packages` that runs a command with its own arguments. It is complete, or not there.
fn write_script(path: &Path, command: &str) -> Result<()> {
    let folder = path.parent().context("a script has a folder")?;
    fs::create_dir_all(folder)?;
    let text = format!("#!/bin/sh\nat=$(dirname \"$(readlink -f \"$0\")\")/..\nexec {command} \"$@\"\n");
    let fresh = path.with_extension("new");
    fs::write(&fresh, text)?;
    run(Command::new("chmod").arg("+x").arg(&fresh))?;
    fs::rename(&fresh, path).with_context(|| format!("cannot write {}", path.display()))
}
