//! The names that `##` makes, from what a file calls its macros with.

use std::collections::{BTreeMap, BTreeSet};

/// Ways to call a macro that are looked at.
const MAX_CALLS: usize = 256;

/// Macros that call each other, one inside of the other.
const MAX_DEPTH: usize = 8;

/// A macro of a file.
#[derive(Debug)]
pub struct Macro {
    /// Its name.
    pub name: String,
    /// Its parameters; none for one that is no function.
    pub parameters: Option<Vec<String>>,
    /// Its body.
    pub body: String,
}

/// For each macro the names that `##` makes in its body. A parameter is what the macro is called with in `text`, the file
/// without macros, and in other macros' bodies; `*` where that is no word, or where nothing calls it.
pub fn names(macros: &[Macro], text: &str) -> Vec<BTreeSet<String>> {
    let by_name: BTreeMap<&str, usize> =
        macros.iter().enumerate().map(|(at, own)| (own.name.as_str(), at)).collect();
    let bodies: Vec<Vec<&str>> = macros.iter().map(|own| tokens(&own.body)).collect();
    let mut calls: Vec<BTreeSet<Vec<String>>> = vec![BTreeSet::new(); macros.len()];
    for (at, arguments) in called(&tokens(text), &by_name) {
        calls[at].insert(arguments);
    }
    // What is passed on from one macro to another is replaced first where it is a macro itself.
    let replaced = |word: &str| -> String {
        let body = by_name.get(word).filter(|at| macros[**at].parameters.is_none()).map(|at| &bodies[*at]);
        match body.map(Vec::as_slice) {
            Some([only]) => (*only).to_owned(),
            Some([]) => String::new(),
            _ => word.to_owned(),
        }
    };
    for _ in 0..MAX_DEPTH {
        let before: usize = calls.iter().map(BTreeSet::len).sum();
        for (at, own) in macros.iter().enumerate() {
            let inner = called(&bodies[at], &by_name);
            let outer: Vec<Vec<String>> = match own.parameters {
                None => vec![Vec::new()],
                Some(_) => calls[at].iter().cloned().collect(),
            };
            let none = Vec::new();
            let parameters = own.parameters.as_ref().unwrap_or(&none);
            for values in &outer {
                for (of, arguments) in &inner {
                    let passed = arguments.iter().map(|argument| {
                        let place = parameters.iter().position(|own| own == argument);
                        let value = place.map_or(Some(argument), |place| values.get(place));
                        value.map_or_else(|| "*".to_owned(), |value| replaced(value))
                    });
                    let passed: Vec<String> = passed.collect();
                    if calls[*of].len() < MAX_CALLS {
                        calls[*of].insert(passed);
                    }
                }
            }
        }
        if calls.iter().map(BTreeSet::len).sum::<usize>() == before {
            break;
        }
    }
    macros.iter().zip(calls).map(|(own, calls)| of_macro(own, calls)).collect()
}

/// The names of one macro, for all that it is called with.
fn of_macro(own: &Macro, calls: BTreeSet<Vec<String>>) -> BTreeSet<String> {
    let none = Vec::new();
    let parameters = own.parameters.as_ref().unwrap_or(&none);
    let unknown = vec!["*".to_owned(); parameters.len()];
    let calls: Vec<Vec<String>> = if calls.is_empty() { vec![unknown] } else { calls.into_iter().collect() };
    let mut found = BTreeSet::new();
    for values in calls {
        let word = |word: &str| match parameters.iter().position(|own| own == word) {
            Some(place) => values
                .get(place)
                .filter(|value| value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'))
                .cloned()
                .unwrap_or_else(|| "*".to_owned()),
            None => word.to_owned(),
        };
        found.extend(pasted(&own.body, &word));
    }
    found
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Words and signs of C, without comments; a literal in quotes is one.
fn tokens(text: &str) -> Vec<&str> {
    let (mut found, mut rest) = (Vec::new(), text);
    while let Some(c) = rest.chars().next() {
        let end = if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if c == '"' || c == '\'' {
            let mut escaped = false;
            let closes = |(_, own): &(usize, char)| {
                let closes = *own == c && !escaped;
                escaped = *own == '\\' && !escaped;
                closes
            };
            rest.char_indices().skip(1).find(closes).map_or(rest.len(), |(at, _)| at + 1)
        } else if is_word(c) {
            rest.find(|c: char| !is_word(c)).unwrap_or(rest.len())
        } else {
            c.len_utf8()
        };
        let (token, after) = rest.split_at(end.max(c.len_utf8()));
        let is_comment = token.starts_with("/*") || token.starts_with("//");
        if !is_comment && !c.is_whitespace() && c != '\\' {
            found.push(token);
        }
        rest = after;
    }
    found
}

/// Calls of macros, with their arguments.
fn called(tokens: &[&str], by_name: &BTreeMap<&str, usize>) -> Vec<(usize, Vec<String>)> {
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let Some(own) = by_name.get(token).filter(|_| tokens.get(at + 1) == Some(&"(")) else { continue };
        let (mut arguments, mut depth) = (vec![Vec::new()], 0usize);
        for token in &tokens[at + 2..] {
            match (*token, depth) {
                (")", 0) => {
                    let argument = |tokens: &Vec<&str>| tokens.join(" ");
                    found.push((*own, arguments.iter().map(argument).collect()));
                    break;
                }
                (",", 0) => {
                    arguments.push(Vec::new());
                    continue;
                }
                ("(" | "[" | "{", _) => depth += 1,
                (")" | "]" | "}", _) => depth = depth.saturating_sub(1),
                _ => {}
            }
            if let Some(last) = arguments.last_mut() {
                last.push(*token);
            }
        }
    }
    found
}

/// The names that `##` makes in a macro's body; `value` says what a word becomes.
fn pasted(body: &str, value: &dyn Fn(&str) -> String) -> Vec<String> {
    let pieces: Vec<&str> = body.split("##").collect();
    let mut found = Vec::new();
    let mut name: Option<String> = None;
    for two in pieces.windows(2) {
        let left = two[0].trim_end_matches(|c: char| !is_word(c));
        let first = &left[left.rfind(|c: char| !is_word(c)).map_or(0, |at| at + 1)..];
        let right = two[1].trim_start().trim_start_matches('\\').trim_start();
        let second = &right[..right.find(|c: char| !is_word(c)).unwrap_or(right.len())];
        let whole = name.take().unwrap_or_else(|| value(first)) + &value(second);
        // The next `##` goes on with this name if nothing else is between.
        if two[1].trim().trim_matches('\\').trim() == second {
            name = Some(whole);
        } else {
            found.push(whole);
        }
    }
    found.extend(name);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(name: &str, parameters: &str, body: &str) -> Macro {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect();
        let parameters = (!parameters.is_empty()).then(|| words(parameters));
        Macro { name: name.into(), parameters, body: body.into() }
    }

    fn all(macros: &[Macro], text: &str) -> Vec<String> {
        names(macros, text).into_iter().flatten().collect()
    }

    #[test]
    fn parameters_that_nothing_calls_are_stars() {
        assert_eq!(all(&[own("F", "T", "vadd##q_##T(a)")], ""), ["vaddq_*"]);
        let body = "f(v##op##_u8, W(x)) + x## y";
        assert_eq!(all(&[own("F", "op x", body)], ""), ["*y", "v*_u8"]);
        assert!(all(&[own("F", "a", "a # b")], "F(x)").is_empty());
    }

    #[test]
    fn names_are_made_of_what_macros_are_called_with() {
        let macros = [own("F", "op T", "v##op##q_##T(a, b)")];
        let text = "x = F(add, u8); /* F(no, no) */ s = \"F(no, no)\"; y = F(sub, s16) + F(g(1, 2), u8);";
        assert_eq!(all(&macros, text), ["v*q_u8", "vaddq_u8", "vsubq_s16"]);
    }

    #[test]
    fn macros_pass_on_what_they_are_called_with() {
        let macros = [
            own("CAT_", "a b", "a ## _ ## b"),
            own("CAT", "a b", "CAT_(a, b)"),
            own("TYPE", "", "u16"),
            own("F", "op", "CAT(v##op, TYPE)"),
        ];
        assert_eq!(all(&macros, "CAT(vadd, TYPE)"), ["vadd_u16", "v*"]);
    }

    #[test]
    fn any_text_has_tokens() {
        assert_eq!(
            tokens("a(\u{e4}, 'x\\'' /* b */ \"c)\\\"\" // d\n e"),
            ["a", "(", "\u{e4}", ",", "'x\\''", "\"c)\\\"\"", "e"]
        );
        for text in ["\"", "'", "/*", "//", "\\", "F(", "F((", "#"] {
            tokens(text);
            names(&[own("F", "a", text)], text);
        }
    }
}
