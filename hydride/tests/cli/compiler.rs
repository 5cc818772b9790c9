//! `hydride cc` in the place of a compiler.

use std::path::Path;
use std::process::Command;

use crate::support::{Run, command, path_with_hydride, samples, scratch, skip};

/// What somebody's Makefile looks like.
const MAKEFILE: &str = "CFLAGS = -O3 -march=x86-64-v2 -MMD

program: main.o bits.o
\t$(CC) main.o bits.o -o program

-include main.d bits.d
";

const HEADER: &str = "unsigned ones(unsigned x);\n";

const BITS: &str = "#include \"bits.h\"
unsigned ones(unsigned x) {
  x = (x & 0x55555555) + (x >> 1 & 0x55555555);
  x = (x & 0x33333333) + (x >> 2 & 0x33333333);
  x = (x & 0x07070707) + (x >> 4 & 0x07070707);
  x = (x & 0x000f000f) + (x >> 8 & 0x000f000f);
  return (x & 0x1f) + (x >> 16);
}
";

const MAIN: &str = "#include <stdio.h>
#include \"bits.h\"
int main(int count, char **arguments) {
  printf(\"%u %u\\n\", ones(0xf0f00001u), ones((unsigned)count));
  return 0;
}
";

fn is_there(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

#[test]
fn a_makefile_works_with_it() {
    for program in ["clang-19", "make", "llc-19", "llvm-mca-19"] {
        if !is_there(program) {
            skip(&format!("{program} is not installed"));
            return;
        }
    }
    let folder = scratch();
    let folder = folder.path();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("a file");
    write("Makefile", MAKEFILE);
    write("bits.h", HEADER);
    write("bits.c", BITS);
    write("main.c", MAIN);
    let specs = samples().display().to_string();
    let compiler = format!("hydride cc --specs {specs} -- clang-19");
    let make = || {
        let mut make = Command::new("make");
        make.arg(format!("CC={compiler}")).current_dir(folder).env("PATH", path_with_hydride());
        Run::new(make.env("HYDRIDE_CACHE", "kept.redb").output().expect("it starts"))
    };
    let said =
        make().exits(0).complains(&["hydride cc: bits.c: for sse42, costs by ", " are cheaper"]).stderr;
    assert!(said.lines().any(|line| line.contains("bits.c") && !line.contains(": 0 of")), "{said}");
    let output = Command::new(folder.join("program")).output().expect("it starts");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "9 1\n");
    // Dependencies are those of the objects, so that a changed header makes anew.
    let dependencies = std::fs::read_to_string(folder.join("bits.d")).expect("dependencies");
    assert_eq!(dependencies.split_whitespace().collect::<Vec<_>>(), ["bits.o:", "bits.c", "bits.h"]);
    assert!(make().exits(0).stdout.contains("up to date"));

    let cc = |args: &[&str]| compile(folder, &specs, args);
    // Assembly, from what the cache has.
    cc(&["--offline", "--quiet", "--", "clang-19", "-O3", "-march=x86-64-v2", "-S", "bits.c"]).exits(0);
    let assembly = std::fs::read_to_string(folder.join("bits.s")).expect("assembly");
    assert!(assembly.contains("popcnt"), "{assembly}");
    // A program at once, of several sources, for another target that is found in the options.
    let line = "--offline -- clang-19 -O2 -mavx2 main.c bits.c -o other";
    let said = cc(&line.split(' ').collect::<Vec<_>>()).exits(0).stderr;
    assert!(said.contains("main.c: for avx2") && said.contains("bits.c: for avx2"), "{said}");
    assert_eq!(Command::new(folder.join("other")).output().expect("it starts").stdout, b"9 1\n");
    let arm = "--offline -- clang-19 --target=aarch64-linux-gnu -O2 -c bits.c -o arm.o";
    let arm = cc(&arm.split(' ').collect::<Vec<_>>()).exits(0).stderr;
    assert!(arm.contains("for neon"), "{arm}");

    // Other tasks are the compiler's, and so are its messages and exit codes.
    assert!(cc(&["--", "clang-19", "--version"]).exits(0).stdout.contains("clang version"));
    assert!(cc(&["--", "clang-19", "-E", "-O2", "bits.h"]).exits(0).stdout.contains("unsigned ones"));
    write("wrong.c", "int f(void) { return x; }\n");
    let wrong = cc(&["--", "clang-19", "-O2", "-c", "wrong.c"]).exits(1).stderr;
    assert_eq!(wrong.matches("undeclared identifier").count(), 1, "{wrong}");
    cc(&["--", "clang-19", "-O2", "-c", "missing.c"]).exits(1).complains(&["missing.c"]);
    cc(&["--", "./no-compiler", "-O2", "-c", "bits.c"]).exits(2).complains(&["cannot start ./no-compiler"]);
    cc(&["--", "false", "-O2", "-c", "bits.c"]).exits(2).complains(&["false is no clang"]);
    // Without an answer of the cache's server the file is compiled as it is.
    let unreachable = "--cache redis://127.0.0.1:1 -- clang-19 -O2 -march=x86-64-v2 -c bits.c -o plain.o";
    let unreachable = cc(&unreachable.split(' ').collect::<Vec<_>>()).exits(0);
    unreachable.complains(&["bits.c is compiled as it is", "cannot reach the cache at 127.0.0.1:1"]);
    assert!(folder.join("plain.o").exists());
}

fn compile(folder: &Path, specs: &str, args: &[&str]) -> Run {
    let all = [&["cc", "--specs", specs], args].concat();
    Run::new(command(folder, &all).env("HYDRIDE_CACHE", "kept.redb").output().expect("it starts"))
}
