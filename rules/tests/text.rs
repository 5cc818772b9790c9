//! Rules as text: what is refused and where, and that no text makes the reader panic.

use proptest::prelude::*;
use rules::{Values, instances, read};

const AVERAGE: &str = "# A comment.
(rule average (for s sign) (for n width) (range a 0 {2^(n-1)-1}) (bits b 1 0) (constant b)
  (when (lt:b1 b:{s}{n} 5:{s}{n}))
  (from (add:{s}{n} a:{s}{n} # another
     b:{s}{n}))
  (to (sub:{s}{n} a:{s}{n} b:{s}{n})))
";

#[test]
fn what_is_printed_is_read_again() {
    let rule = &read(AVERAGE).unwrap()[0];
    assert_eq!((rule.name.as_str(), rule.line), ("average", 2));
    assert_eq!(rule.parameters[1], ("n".to_owned(), Values::Widths));
    let printed = rule.to_string();
    let again = &read(&printed).unwrap()[0];
    assert_eq!(again.to_string(), printed);
    let made = |rule, text| instances(rule, text).unwrap();
    assert_eq!(made(rule, AVERAGE), made(again, &printed));
    assert_eq!(made(rule, AVERAGE).len(), 8);
}

#[test]
fn types_that_do_not_exist_have_no_instance() {
    let text = "(rule wide (for n width) (from (cast:u{4*n} a:u{n})))";
    let rule = &read(text).unwrap()[0];
    let widths: Vec<String> = instances(rule, text).unwrap().iter().map(|one| one.shown()).collect();
    assert_eq!(widths, ["n = 8", "n = 16"]);
    let text = "(rule wide (for n width) (from (cast:u{16*n} a:u{n})))";
    assert!(instances(&read(text).unwrap()[0], text).unwrap_err().message.contains("no instance"));
}

#[test]
fn what_is_wrong_is_said_where_it_is() {
    for (text, place, message) in [
        ("rule", (1, 1), "`(` expected"),
        ("(fold x)", (1, 2), "`rule` expected"),
        ("(rule x", (1, 1), "not closed"),
        ("(rule x)", (1, 1), "no pattern"),
        ("(rule x (from a:u8))\n(rule x (from a:u8))", (2, 1), "two rules"),
        ("(rule x (form a:u8))", (1, 10), "no clause `form`"),
        ("(rule x (for n) (from a:u8))", (1, 14), "no values"),
        ("(rule x\n  (from (plus:u8 a:u8 b:u8)))", (2, 10), "no operation `plus`"),
        ("(rule x (for n width)\n  (from (add:u{n} a:u{n} b:u{2*m})))", (2, 32), "no number `m`"),
        ("(rule x (for n 8)\n  (from (add:u{n} a:u{n} b:v{n})))", (2, 28), "no type"),
        ("(rule x (from (add:u8 a:u8 b:u8)) (to c:u8))", (1, 39), "no leaf `c`"),
        ("(rule x (from a:u8) (to (cast:u16 a:u8)))", (1, 25), "replaces"),
        ("(rule x (range b 0 1) (from a:u8))", (1, 16), "no variable `b`"),
        ("(rule x (range a 0 256) (from a:u8))", (1, 16), "no range"),
        ("(rule x (bits a 3 4) (from a:u8))", (1, 15), "no bits"),
        ("(rule x (when a:u8) (from a:u8))", (1, 15), "no condition"),
        ("(rule x (from (let t a:u8 t:u8)))", (1, 16), "no `let`"),
    ] {
        let error =
            read(text).and_then(|rules| rules.iter().try_for_each(|rule| instances(rule, text).map(|_| ())));
        let error = error.expect_err(text);
        assert_eq!((error.line, error.column), place, "{text}: {error}");
        assert!(error.message.contains(message), "{text}: {error}");
    }
}

/// Pieces that texts of rules are made of, right and wrong.
fn pieces() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "(",
        ")",
        "(rule",
        " r",
        "(for n width)",
        "(for s sign)",
        "(from ",
        "(to ",
        "(when ",
        "(range a 0 {n})",
        "(bits a 1 1)",
        "(constant a)",
        "a:u8",
        "b:{s}{n}",
        "(add:u8 ",
        "{2*n}",
        "{",
        "}",
        "#",
        "\n",
        ":",
        "é",
        "1:u8",
        "(shuffle:u8 [0]",
        "{2^9999}",
        "(for n 8 16)",
    ]);
    prop::collection::vec(words, 0..24).prop_map(|words| words.concat())
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(text in pieces()) {
        if let Ok(rules) = read(&text) {
            for rule in rules {
                let _ = instances(&rule, &text);
                prop_assert!(read(&rule.to_string()).is_ok(), "{}", rule);
            }
        }
    }

    #[test]
    fn no_cut_of_a_rule_makes_the_reader_panic(at in 0..AVERAGE.len(), with in "\\PC{0,3}") {
        let text = format!("{}{with}{}", &AVERAGE[..at], &AVERAGE[at + 1..]);
        if let Ok(rules) = read(&text) {
            rules.iter().for_each(|rule| { let _ = instances(rule, &text); });
        }
    }
}
