//! Outputs for a few entries, kept in the repository and compared by `--check`.
//!
//! `HYDRIDE_BLESS=1 cargo test -p hydride --test cli golden` writes them anew.

use crate::support::*;

/// The run on a few entries of x86 and the sample of Arm; `extra` says where to, and whether only to check.
fn run(extra: &[&str]) -> Run {
    let specs = scratch();
    for (from, isa) in [("specs/golden/x86", "x86"), ("specs/sample/arm", "arm")] {
        let (from, to) = (repository().join(from), specs.path().join(isa));
        std::fs::create_dir(&to).unwrap();
        for file in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
            std::fs::copy(file.path(), to.join(file.file_name())).unwrap();
        }
    }
    // No records of runs: these change with every validation.
    let records = scratch();
    let [specs, records] = [&specs, &records].map(|folder| folder.path().to_str().unwrap());
    let args = ["--no-errata", "generate-ir", "--specs", specs, "--isa", "x86,arm", "--records", records];
    hydride(&repository(), &[&args[..], extra].concat())
}

#[test]
fn kept_outputs_are_what_would_be_written() {
    let golden = repository().join("specs/golden");
    let (out, families) = (golden.join("out"), golden.join("families.txt"));
    if std::env::var_os("HYDRIDE_BLESS").is_some_and(|value| value == "1") {
        let folder = scratch();
        let made = folder.path().join("out");
        // An empty file has no families, where a missing one begins with the built-in ones.
        std::fs::write(&families, "").unwrap();
        run(&["--dictionary", families.to_str().unwrap(), "--out", made.to_str().unwrap()]).exits(0);
        let _ = std::fs::remove_dir_all(&out);
        for (name, contents) in timeless_files(&made) {
            let path = out.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, contents).unwrap();
        }
    }
    let checked = run(&[
        "--locked",
        "--dictionary",
        "specs/golden/families.txt",
        "--out",
        "specs/golden/out",
        "--check",
    ]);
    checked.exits(0);
}

#[test]
fn stale_outputs_are_shown() {
    let folder = scratch();
    let out = folder.path().join("out");
    let place = ["--locked", "--dictionary", "specs/golden/families.txt", "--out", out.to_str().unwrap()];
    run(&place).exits(0);
    let path = out.join("mlir/AutoLLVMOps.td");
    let stale = std::fs::read_to_string(&path).unwrap().replace("AutoLLVM_Vector:$res", "AnyType:$res");
    std::fs::write(path, stale).unwrap();
    let told = run(&[&place[..], &["--check"]].concat()).exits(1).stdout;
    assert!(told.starts_with("mlir/AutoLLVMOps.td: differs\n--- mlir/AutoLLVMOps.td (present)\n"), "{told}");
    let change = "\n-  let results = (outs AnyType:$res);\n+  let results = (outs AutoLLVM_Vector:$res);\n";
    assert!(told.contains(change), "{told}");
}
