//! The inputs of the fuzz targets, the ones that it starts from and the ones that found something, run once each.

#[path = "../../../fuzz/src/targets.rs"]
mod targets;

use std::path::Path;

#[test]
fn inputs_of_the_fuzz_targets_are_read() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz");
    for (target, read) in targets::TARGETS {
        let mut count = 0;
        for kind in ["seeds", "regressions"] {
            // Not every target has found something.
            let Ok(inputs) = std::fs::read_dir(fuzz.join(kind).join(target)) else { continue };
            for input in inputs {
                let path = input.unwrap().path();
                // A panic in here says nothing about the input; the test's output ends with the last one begun.
                println!("{}", path.display());
                read(&std::fs::read(&path).unwrap());
                count += 1;
            }
        }
        assert!(count > 3, "{target} has {count} inputs");
    }
}
