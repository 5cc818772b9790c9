//! The tests in Python, on the extension that cargo has built together with all other crates.
//!
//! They need NumPy, and mypy for the type hints, which `cargo xtask test` puts into `target/python`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;
use vendor_documents::skip;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").to_path_buf()
}

/// The extension, which is built next to this test.
fn extension() -> PathBuf {
    let test = std::env::current_exe().expect("a path");
    test.with_file_name(format!("{}_native{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX))
}

/// The package as it is installed.
fn package() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let package = folder.path().join("hydride");
    fs::create_dir(&package).expect("a folder");
    for file in fs::read_dir(repository().join("python/hydride")).expect("a folder") {
        let file = file.expect("a file").path();
        if file.is_file() {
            fs::copy(&file, package.join(file.file_name().expect("a name"))).expect("a copy");
        }
    }
    fs::copy(extension(), package.join("_native.abi3.so")).expect("the extension");
    folder
}

/// Python with the package, and with what is in `target/python`; nothing if it is too old or lacks a module.
fn python(package: &Path, module: &str) -> Option<Command> {
    let paths = std::env::join_paths([package, &repository().join("target/python")]).expect("paths");
    let python = || {
        let mut python = Command::new("python3");
        python.env("PYTHONPATH", &paths).env("HYDRIDE_CACHE", "").env_remove("HYDRIDE_LOG");
        python.env("PYTHONDONTWRITEBYTECODE", "1");
        // The repository has a folder that is called as the package is.
        python.arg("-P").current_dir(repository()).stdin(Stdio::null());
        python
    };
    let probe = format!("import sys, numpy, {module}; sys.exit(sys.version_info < (3, 11))");
    let found = python().args(["-c", &probe]).stderr(Stdio::null()).status();
    if found.is_ok_and(|status| status.success()) {
        return Some(python());
    }
    skip(&format!(
        "there is no Python 3.11 with numpy and {module} (cargo xtask test puts them into target/python)"
    ));
    None
}

#[track_caller]
fn succeeds(command: &mut Command) {
    let output = command.output().expect("Python starts");
    let text = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&text));
}

#[test]
fn the_tests_in_python_pass() {
    let package = package();
    let Some(mut python) = python(package.path(), "unittest") else { return };
    succeeds(python.args(["-m", "unittest", "discover", "-s", "python/tests"]));
}

#[test]
fn every_instruction_of_the_vendors_documents_has_arrays_as_operands() {
    let folders = vendor_documents::with(&["x86"]);
    let (package, Some(folder)) = (package(), folders.first()) else { return };
    let Some(mut python) = python(package.path(), "hydride") else { return };
    succeeds(python.arg("python/tests/every_instruction.py").arg(folder));
}

#[test]
fn the_type_hints_are_those_of_the_package() {
    let package = package();
    let Some(mut mypy) = python(package.path(), "mypy") else { return };
    let cache = package.path().join("cache");
    succeeds(mypy.args(["-m", "mypy", "--strict", "--package", "hydride", "--cache-dir"]).arg(&cache));
    let Some(mut stubtest) = python(package.path(), "mypy.stubtest") else { return };
    succeeds(stubtest.args(["-m", "mypy.stubtest", "hydride"]).env("MYPY_CACHE_DIR", cache));
}
