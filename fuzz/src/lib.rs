//! The fuzz targets, and what they need besides.

#![forbid(unsafe_code)]

mod targets;

pub use targets::*;

/// Documents make many small allocations, and the C library's are slow.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Keeps the readers' parallel loops on the fuzzer's thread: handing small inputs to another one takes longer than
/// reading them.
pub fn one_thread() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
    pool.build_global().expect("the first pool of the process");
}
