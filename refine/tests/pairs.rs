//! The pairs of `specs/refinements/generic`: what their names say is what is found.

use std::path::Path;
use std::time::Duration;

use refine::{Limits, Module, NoIntrinsics, Outcome, refines, script};

const WORDS: [&str; 3] = ["proved", "refuted", "unknown"];

#[test]
fn pairs_are_what_their_names_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../specs/refinements/generic");
    let mut wrong = Vec::new();
    let (mut count, mut twice) = (0, 0);
    for entry in std::fs::read_dir(folder).expect("the pairs") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("a text");
        let module = Module::parse(&text).expect("a module");
        assert_eq!(module.to_string(), text);
        for function in &module.functions {
            let Some((name, expected)) = function.name.split_once('.') else { continue };
            let expected = WORDS.into_iter().find(|word| expected.starts_with(word)).expect("a word");
            let body = |name: &str| {
                let function = module.function(name).expect("a function");
                module
                    .with_memory(function)
                    .unwrap_or_else(|fault| panic!("{}: @{name}: {fault}", path.display()))
            };
            // A second encoding says the same where it says anything.
            if let Ok(question) = script(&body(name), &body(&function.name)) {
                let answer = smt::satisfiable(&question, 5_000_000, Duration::from_secs(60));
                if matches!((expected, answer), ("proved", Ok(true)) | ("refuted", Ok(false))) {
                    wrong.push(format!("{}: @{}: the second encoding", path.display(), function.name));
                }
                twice += 1;
            }
            let outcome = refines(&body(name), &body(&function.name), &NoIntrinsics, &Limits::default());
            let found = match outcome {
                Outcome::Proved(_) => "proved",
                Outcome::Counterexample(_) => "refuted",
                Outcome::Unknown(_) => "unknown",
            };
            if found != expected {
                wrong.push(format!("{}: @{}: {outcome:?}", path.display(), function.name));
            }
            count += 1;
        }
    }
    assert!(wrong.is_empty(), "{count} pairs, of which these are not as expected:\n{}", wrong.join("\n"));
    assert!(count >= 40 && twice >= 40, "only {count} pairs, {twice} of them in two encodings");
}

/// Steps, not time, decide what is answered.
#[test]
fn steps_end_a_question() {
    let module = Module::parse(
        "define i32 @a(i32 %x, i32 %y) {
  %r = mul i32 %x, %y
  ret i32 %r
}
define i32 @b(i32 %x, i32 %y) {
  %both = and i32 %x, %y
  %any = or i32 %x, %y
  %only = xor i32 %x, %both
  %other = xor i32 %y, %both
  %s = mul i32 %both, %any
  %t = mul i32 %only, %other
  %r = add i32 %s, %t
  ret i32 %r
}
define i32 @c(i32 %x, i32 %y) {
  %z = sub i32 0, %x
  %s = mul i32 %z, %y
  %r = sub i32 0, %s
  ret i32 %r
}
",
    )
    .expect("a module");
    let body = |name: &str| module.function(name).expect("a function").body.clone().expect("a body");
    let limits = Limits { steps: 100_000, ..Limits::default() };
    let ask = |after: &str| refines(&body("a"), &body(after), &NoIntrinsics, &limits);
    let asked = ask("b");
    assert!(!asked.is_of_time());
    assert_eq!(asked, Outcome::Unknown("solver step limit".to_owned()));
    assert_eq!(ask("b"), asked);
    assert!(matches!(ask("c"), Outcome::Proved(_)), "{:?}", ask("c"));
}
