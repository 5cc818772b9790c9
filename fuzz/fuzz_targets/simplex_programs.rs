//! The target `simplex_programs`; see `simplex/tests/programs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hydride_fuzz::simplex_programs(bytes));
