//! Gives the program a version that changes with every source file, so that results cached by another version
//! are never used.

use std::path::{Path, PathBuf};

/// What the program is made of, seen from the workspace: folders, and single files.
const SOURCES: &[&str] = &[
    "autoir/src",
    "catalog/src",
    "codegen-gen/src",
    "hydride/src",
    "hydride-ir/src",
    "interp/src",
    "llvm-text/src",
    "memo/src",
    "optimize/src",
    "parsers/src",
    "refine/src",
    "report/src",
    "rules/src",
    "search/src",
    "semantic-diff/src",
    "similarity/src",
    "simplex/src",
    "smt/src",
    "specs/arm",
    "specs/costs",
    "specs/decode",
    "specs/errata",
    "specs/hvx",
    "specs/lowering",
    "specs/operations.toml",
    "specs/targets",
    "synth/src",
    "templates",
    "Cargo.lock",
    "Cargo.toml",
];

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut hasher = blake3::Hasher::new();
    for source in SOURCES {
        let path = root.join(source);
        println!("cargo::rerun-if-changed={}", path.display());
        let mut files = Vec::new();
        collect(&path, &mut files);
        files.sort();
        for file in files {
            let contents = std::fs::read(&file).unwrap_or_default();
            let name = file.strip_prefix(&root).unwrap_or(&file);
            hasher.update(name.to_string_lossy().as_bytes());
            hasher.update(&(contents.len() as u64).to_le_bytes());
            hasher.update(&contents);
        }
    }
    println!("cargo::rustc-env=HYDRIDE_SOURCES={}", hasher.finalize().to_hex());
    // At a fixed address nothing of the program is relocated when it starts, which is a part of what `--offline` costs.
    let target = |name: &str| std::env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    if (target("OS").as_str(), target("ENV").as_str()) == ("linux", "gnu") && target("ARCH") == "x86_64" {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    match std::fs::read_dir(path) {
        Ok(entries) => entries.flatten().for_each(|entry| collect(&entry.path(), files)),
        Err(_) => files.push(path.to_path_buf()),
    }
}
