//! Any sequence of operations, as the fuzz target makes it from bytes.

mod programs;

use std::path::Path;

use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn every_program_has_the_right_answers_at_every_width(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        programs::run(&bytes);
    }

    /// Bytes whose numbers are mostly small, so that the reference says much.
    #[test]
    fn programs_with_small_numbers_have_the_right_answers(bytes in prop::collection::vec(0u8..208, 0..400)) {
        programs::run(&bytes);
    }
}

#[test]
fn inputs_of_the_fuzz_target_have_the_right_answers() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz");
    let folders = ["seeds", "regressions"].map(|kind| fuzz.join(kind).join("simplex_programs"));
    let mut count = 0;
    // A target that has found nothing has no regressions.
    for folder in folders.iter().filter(|folder| folder.is_dir()) {
        for input in std::fs::read_dir(folder).unwrap() {
            let path = input.unwrap().path();
            println!("{}", path.display());
            programs::run(&std::fs::read(&path).unwrap());
            count += 1;
        }
    }
    assert!(count > 3, "{count} inputs");
}
