//! `simplex` beside isl and MLIR's Presburger library, which are built into small programs first.

use std::fs;
use std::process::Command;

use anyhow::Result;

use crate::packages::{Tool, provide};
use crate::process::{cargo, code, run};
use crate::root;

const LLVM: &str = "/usr/lib/llvm-19";

/// What the other libraries need; Polly's package has isl built with 32-bit integers in place.
const TOOLS: &[Tool] = &[
    ("c++", "g++"),
    ("/usr/include/isl/set.h", "libisl-dev"),
    ("/usr/include/x86_64-linux-gnu/gmp.h", "libgmp-dev"),
    ("/usr/lib/llvm-19/lib/libPollyISL.a", "libpolly-19-dev"),
    ("/usr/lib/llvm-19/lib/libMLIRPresburger.a", "libmlir-19-dev"),
];

/// Prints a table; the answers to `problems` random problems are compared with isl's.
pub fn bench(problems: u64) -> Result<i32> {
    provide(TOOLS)?;
    let out = root().join("target/simplex-bench");
    fs::create_dir_all(&out)?;
    let harness = root().join("simplex/harness");
    let (isl, small, presburger) = (out.join("isl"), out.join("isl-small"), out.join("presburger"));
    run(Command::new("cc")
        .arg("-O2")
        .arg("-o")
        .arg(&isl)
        .arg(harness.join("isl.c"))
        .args(["-lisl", "-lgmp"]))?;
    run(Command::new("cc")
        .args(["-O2", "-DSMALL_INTEGERS", &format!("-I{LLVM}/include/polly"), "-o"])
        .args([&small, &harness.join("isl.c")])
        .args([&format!("{LLVM}/lib/libPollyISL.a"), "-lm"]))?;
    run(Command::new("c++")
        .args(["-std=c++17", "-O2", "-fno-rtti", &format!("-I{LLVM}/include"), "-o"])
        .args([&presburger, &harness.join("presburger.cpp")])
        .args([&format!("-L{LLVM}/lib"), "-lMLIRPresburger", "-lLLVM-19"]))?;
    let mut compare = cargo();
    // Without the checks of the other profile: the libraries beside it have none either.
    compare
        .args(["run", "--quiet", "--release", "--package", "simplex", "--example", "compare", "--", "--isl"])
        .arg(&isl);
    compare.arg("--isl-small").arg(&small).arg("--presburger").arg(&presburger);
    code(compare.arg("--problems").arg(problems.to_string()))
}
