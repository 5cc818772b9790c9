//! Terms of the field for the words of operations' names: `specs/synonyms.toml`.

use std::collections::BTreeMap;

use anyhow::{Context, Result};

const TEXT: &str = include_str!("../../specs/synonyms.toml");

/// The terms, in lower case, by the words that they are taken for.
pub fn synonyms() -> Result<BTreeMap<String, Vec<String>>> {
    toml::from_str(TEXT).context("the built-in synonyms cannot be read")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether it is the type of an element: `i8`.
    fn is_element(key: &str) -> bool {
        key.strip_prefix('i').is_some_and(|width| width.parse::<u32>().is_ok())
    }

    #[test]
    fn every_key_is_in_the_name_of_an_operation() {
        let reviews = crate::reviews::reviews().expect("they can be read");
        let forms = |(family, review): (&str, &autoir::FamilyReview)| {
            let names = review.forms.iter().map(|form| form.name.clone());
            names.chain([family.to_owned()]).map(|name| format!("_{name}_")).collect::<Vec<_>>()
        };
        let names: Vec<String> = reviews.families().flat_map(forms).collect();
        for key in synonyms().expect("they can be read").keys().filter(|key| !is_element(key)) {
            assert!(names.iter().any(|name| name.contains(&format!("_{key}_"))), "no operation has {key}");
        }
    }

    #[test]
    fn terms_are_words_in_lower_case_that_the_search_does_not_find_by_itself() {
        for (key, terms) in synonyms().expect("they can be read") {
            assert!(!terms.is_empty(), "{key}");
            for term in &terms {
                assert!(!term.is_empty() && *term == term.to_lowercase() && *term == term.trim(), "{term}");
                assert!(!key.replace('_', " ").starts_with(term.as_str()), "{key} begins with {term}");
                assert_eq!(terms.iter().filter(|other| *other == term).count(), 1, "{key}: {term} twice");
            }
        }
    }
}
