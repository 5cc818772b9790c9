//! The reviewed names, forms and sentences of the operations: `specs/operations.toml`.

use anyhow::{Context, Result};
use autoir::Reviews;

const TEXT: &str = include_str!("../../specs/operations.toml");

/// What was reviewed of the operations.
pub fn reviews() -> Result<Reviews> {
    Reviews::parse(TEXT).context("the built-in reviews cannot be read")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_is_reviewed_and_no_review_is_stale() {
        let dictionary = crate::families::built_in().expect("it can be read");
        let reviews = reviews().expect("they can be read");
        assert_eq!(reviews.disagreements(&dictionary), [] as [String; 0]);
    }

    #[test]
    fn no_name_is_a_number_a_hash_or_a_mnemonic() {
        let reviews = reviews().expect("they can be read");
        for (family, review) in reviews.families() {
            for name in review.forms.iter().map(|form| form.name.as_str()).chain([family]) {
                assert!(!name.ends_with(|last: char| last.is_ascii_digit()), "{name}");
                assert!(!name.starts_with("op_"), "{name}");
            }
            let sentences = review.forms.iter().map(|form| &form.summary).chain([&review.summary]);
            for sentence in sentences {
                assert!(sentence.ends_with('.') && sentence.starts_with(char::is_uppercase), "{sentence}");
            }
        }
    }
}
