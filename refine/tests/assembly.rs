//! Any text as a module, as the fuzz target makes it from bytes, and what clang makes of C.

#[path = "assembly/mod.rs"]
mod assembly;

use std::path::{Path, PathBuf};
use std::process::Command;

use assembly::check;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join(folder)).into_iter().flatten();
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut paths: Vec<PathBuf> =
        paths.filter(|path| ending.is_empty() || path.extension().is_some_and(|own| own == ending)).collect();
    paths.sort();
    paths
}

#[test]
fn inputs_of_the_fuzz_target_are_read_and_printed() {
    let seeds = files("fuzz/seeds/llvm_assembly", "");
    assert!(seeds.len() > 3, "{} inputs", seeds.len());
    for path in seeds.into_iter().chain(files("fuzz/regressions/llvm_assembly", "")) {
        println!("{}", path.display());
        check(&std::fs::read(&path).expect("an input"));
    }
}

/// Seeds with bytes changed, left out, and taken from elsewhere in them, the same in every run.
#[test]
fn changed_inputs_are_read_and_printed() {
    let mut state = 1u64;
    let mut below = move |limit: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % limit.max(1) as u64) as usize
    };
    let generic = files("specs/refinements/generic", "ll");
    for path in files("fuzz/seeds/llvm_assembly", "").into_iter().chain(generic) {
        let seed = std::fs::read(&path).expect("an input");
        for _ in 0..300 {
            let mut bytes = seed.clone();
            for _ in 0..1 + below(4) {
                let (at, other, length) = (below(bytes.len()), below(seed.len()), below(24));
                match below(3) {
                    0 => bytes[at] = seed[other],
                    1 => drop(bytes.drain(at..(at + length).min(bytes.len()))),
                    _ => {
                        let part = seed[other..(other + length).min(seed.len())].iter().copied();
                        bytes.splice(at..at, part);
                    }
                }
                if bytes.is_empty() {
                    break;
                }
            }
            check(&bytes);
        }
    }
}

/// A few modules; with `HYDRIDE_FULL` those of all loops and kernels at four levels, 120 of them.
#[test]
fn what_clang_makes_of_c_is_kept_and_printed() {
    let full = std::env::var_os("HYDRIDE_FULL").is_some();
    let mut sources = files("specs/kernels", "c");
    sources.extend(files("specs/benchmarks", "c"));
    let levels: &[&str] = if full { &["-O0", "-O1", "-O2", "-O3"] } else { &["-O2"] };
    let (mut modules, mut functions, mut modelled) = (0, 0, 0);
    for source in if full { &sources[..] } else { &sources[..4] } {
        for level in levels {
            let output = Command::new("clang-19")
                .args(["--target=x86_64-linux-gnu", "-march=haswell", "-g", "-DORIGINAL", "-w", "-S"])
                .args([level, "-emit-llvm", "-o", "-"])
                .arg(source)
                .output();
            // Without the compiler there is nothing to read.
            let Ok(output) = output else { return };
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            check(&output.stdout);
            let text = String::from_utf8(output.stdout).expect("LLVM assembly");
            let module = refine::Module::parse(&text).expect("a module");
            modules += 1;
            functions += module.functions.len();
            modelled += module.functions.iter().filter(|own| module.outline(own).is_ok()).count();
        }
    }
    println!("{modules} modules, {functions} functions, {modelled} of them line by line");
    assert_eq!(functions, modelled);
}
