//! Laws of the text form, the passes and the verifier on random functions and random texts.

mod support;

use hydride_ir::Function;
use hydride_ir::passes::{dead_code, instantiate, unroll};
use proptest::prelude::*;

proptest! {
    #[test]
    fn what_is_printed_is_parsed(choices in prop::collection::vec(any::<u8>(), 0..300)) {
        let function = support::function(&choices);
        prop_assert_eq!(function.verify(), Ok(()));
        let text = function.to_string();
        let parsed = Function::parse(&text).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert_eq!(parsed.verify(), Ok(()));
        prop_assert_eq!(&parsed.to_string(), &text);

        // Unrolling makes equal expressions one, so that it compares meanings up to the arena's order.
        let values: Vec<i64> = function.params.iter().map(|param| param.value).collect();
        let (ours, theirs) = (instantiate(&function, &values).unwrap(), instantiate(&parsed, &values).unwrap());
        prop_assert_eq!(ours.verify(), Ok(()));
        let (ours, theirs) = (unroll(&ours).unwrap(), unroll(&theirs).unwrap());
        prop_assert_eq!(ours.verify(), Ok(()));
        prop_assert_eq!(ours.to_string(), theirs.to_string());

        let compact = dead_code(&function);
        prop_assert_eq!(compact.verify(), Ok(()));
        prop_assert_eq!(compact.to_string(), text);
    }

    #[test]
    fn any_text_is_safe(text in any::<String>()) {
        let _ = Function::parse_all(&text);
    }

    #[test]
    fn damaged_text_is_safe(
        choices in prop::collection::vec(any::<u8>(), 0..200),
        damage in prop::collection::vec((any::<prop::sample::Index>(), "[ -~]{0,3}"), 1..4),
    ) {
        let mut text = support::function(&choices).to_string();
        for (position, replacement) in damage {
            let position = position.index(text.len());
            text.replace_range(position..=position, &replacement);
        }
        if let Ok(functions) = Function::parse_all(&text) {
            for function in functions {
                let _ = function.verify();
                let printed = function.to_string();
                let again = Function::parse(&printed)
                    .map_err(|error| TestCaseError::fail(format!("{error}\n{printed}")))?;
                prop_assert_eq!(again.to_string(), printed);
            }
        }
    }
}

#[test]
fn deep_nesting_is_an_error() {
    for open in ["(", "not(", "%a[at "] {
        let text = format!("func @f(%a: 8) -> (%r: 8) {{ %r[0 +: 8] = {}", open.repeat(1_000_000));
        let message = Function::parse(&text).unwrap_err().message;
        assert_eq!(message, "nested more than 512 deep");
    }
    let text = format!("func @f(%a: {}", "(".repeat(1_000_000));
    assert!(Function::parse(&text).is_err());
}

#[test]
fn long_chains_print_and_parse() {
    let text = "func @f(%a: 8) -> (%r: 8) { %r[0 +: 8] = fold add (i in 0..100000) %a }";
    let flat = unroll(&Function::parse(text).unwrap()).unwrap();
    let printed = flat.to_string();
    assert_eq!(Function::parse(&printed).unwrap().to_string(), printed);
}
