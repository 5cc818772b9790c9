//! Any text as IR: what parses is verified without a panic, and what is legal prints and parses back.

#![no_main]

use hydride_ir::Function;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for function in Function::parse_all(text).unwrap_or_default() {
        if function.verify().is_ok() {
            let printed = function.to_string();
            let again = Function::parse(&printed).expect("what is printed can be parsed");
            assert_eq!(again.to_string(), printed);
        }
    }
});
