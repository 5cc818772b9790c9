//! The target `hvx_documents`; see `src/targets.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(init: hydride_fuzz::one_thread(), |bytes: &[u8]| hydride_fuzz::hvx_documents(bytes));
