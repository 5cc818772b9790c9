//! The `hydride` program: the library's command line over the instruction sets that it has.

#![forbid(unsafe_code)]

use std::process::ExitCode;

/// Graphs of small nodes are built and dropped constantly; this allocator makes that cheap. It does not ask for huge
/// pages: a short run would spend more time on clearing them than it saves.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    hydride::end_when_output_fails();
    hydride::run(&hydride::isa::built_in(), std::env::args_os()).into()
}
