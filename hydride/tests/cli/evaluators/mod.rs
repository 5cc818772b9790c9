//! Generated code that computes operations agrees with `interp`, bit for bit, for every operation.
//!
//! The first and the last instance of each operation are tried; `HYDRIDE_FULL=1` takes all.

mod cases;
mod portable;
mod runner;
mod smt;
mod words;

use std::path::{Path, PathBuf};

use crate::support::{ALL, documents_to_compile, scratch, shared_output};

/// Runs a check on the outputs.
fn for_each_output(check: impl Fn(&Path, &[cases::Case], &Path)) {
    for specs in documents_to_compile() {
        let folder = scratch();
        let out = output(&specs);
        let cases = cases::cases(&out);
        let work = folder.path().join("work");
        std::fs::create_dir(&work).expect("a folder");
        check(&out, &cases, &work);
    }
}

/// Outputs from the documents of all instruction sets.
fn output(specs: &Path) -> PathBuf {
    // The output of an earlier run, only for work on these tests.
    match std::env::var_os("HYDRIDE_EVALUATED_OUT") {
        Some(out) => out.into(),
        None => shared_output(specs, ALL),
    }
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
