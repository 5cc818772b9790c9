//! Generated code that computes operations agrees with `interp`, bit for bit, for every operation.
//!
//! Up to three instances of each operation are tried; `HYDRIDE_ALL_INSTANCES=1` takes all.

mod cases;
mod portable;
mod runner;
mod smt;
mod words;

use std::path::{Path, PathBuf};

use crate::support::{document_folders, hydride, scratch};

/// Runs a check on the outputs from the samples and from the vendors' documents.
fn for_each_output(check: impl Fn(&Path, &[cases::Case], &Path)) {
    for specs in document_folders() {
        let folder = scratch();
        let out = generate_all(&specs, folder.path());
        let cases = cases::cases(&out);
        let work = folder.path().join("work");
        std::fs::create_dir(&work).expect("a folder");
        check(&out, &cases, &work);
    }
}

/// Outputs from the documents of all instruction sets.
fn generate_all(specs: &Path, folder: &Path) -> PathBuf {
    // What an earlier run made, for work on these tests alone.
    if let Some(out) = std::env::var_os("HYDRIDE_EVALUATED_OUT") {
        return out.into();
    }
    hydride(folder, &["generate-ir", "--specs", &specs.to_string_lossy()]).exits(0);
    folder.join("out")
}

#[test]
fn portable_bodies_agree_with_interp() {
    for_each_output(|out, cases, work| {
        portable::check(out, cases, work);
    });
}

#[test]
fn c_agrees_with_interp() {
    for_each_output(|out, cases, work| {
        words::check_c(out, cases, work);
    });
}

#[test]
fn rust_agrees_with_interp() {
    for_each_output(|out, cases, work| {
        words::check_rust(out, cases, work);
    });
}

#[test]
fn smt_lib_agrees_with_interp() {
    for_each_output(|out, cases, work| {
        smt::check(out, cases, work);
    });
}
