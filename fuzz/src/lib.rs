//! The fuzz targets, and what they need besides.

#![forbid(unsafe_code)]

#[path = "../../refine/tests/assembly/mod.rs"]
mod assembly;
#[path = "../../simplex/tests/programs/mod.rs"]
mod programs;
mod targets;

pub use assembly::check as llvm_assembly;
pub use targets::*;

/// Operations on sets, whose answers are tested; says how many pivots there have been.
pub fn simplex_programs(bytes: &[u8]) {
    const REPORT: u64 = 10_000_000;
    let before = simplex::measure::pivots();
    programs::run(bytes);
    let pivots = simplex::measure::pivots();
    if pivots / REPORT > before / REPORT {
        eprintln!("{pivots} pivots");
    }
}

/// Documents make many small allocations, and the C library's are slow.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Keeps the readers' parallel loops on the fuzzer's thread: handing small inputs to another one takes longer than
/// reading them.
pub fn one_thread() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
    pool.build_global().expect("the first pool of the process");
}
