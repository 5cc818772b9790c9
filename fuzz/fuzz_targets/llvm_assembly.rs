//! The target `llvm_assembly`; see `refine/tests/assembly`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hydride_fuzz::llvm_assembly(bytes));
