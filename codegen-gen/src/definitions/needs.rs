//! The CPU features of a definition: what LLVM does with a call from a function that lacks them.

use std::collections::BTreeSet;

/// The CPU features without which a definition cannot be compiled.
///
/// Where LLVM's inliner compares the features of functions as sets, a definition is inlined into callers that have all of
/// its features; a call that is left is an error, whose message names the definition and its features. Elsewhere the
/// features are those of the definition by itself, which is always inlined.
///
/// Instructions with the same definition are alternatives: the features of one are enough. LLVM's own attributes can
/// express no more than what all of them need; the attribute [`ALTERNATIVES`] has all.
pub(super) struct Needs<'a> {
    alternatives: BTreeSet<BTreeSet<&'a str>>,
    is_checked: bool,
}

/// The sets of features one of which a definition needs, where there are several, with `|` between them. `llvm/plugin/`
/// reads it.
const ALTERNATIVES: &str = "autollvm-features";

impl<'a> Needs<'a> {
    /// The features of an instruction; `is_checked` if the inliner compares features as sets.
    pub(super) fn new(features: &'a [String], is_checked: bool) -> Self {
        let own = features.iter().map(String::as_str).collect();
        Self { alternatives: BTreeSet::from([own]), is_checked }
    }

    /// Adds the features of another instruction with the same definition.
    pub(super) fn or(&mut self, other: Self) {
        self.alternatives.extend(other.alternatives);
    }

    /// The features that all alternatives need, in the order of their names.
    fn features(&self) -> Vec<String> {
        let common = self.alternatives.iter().cloned().reduce(|common, own| &common & &own);
        common.unwrap_or_default().into_iter().map(str::to_owned).collect()
    }

    /// [`ALTERNATIVES`] with a space before it, where what all alternatives need is not enough.
    fn choice(&self) -> String {
        let least = |own: &&BTreeSet<&str>| {
            !self.alternatives.iter().any(|other| other != *own && other.is_subset(own))
        };
        let least: Vec<_> = self.alternatives.iter().filter(least).collect();
        if least.len() < 2 {
            return String::new();
        }
        let signed =
            |own: &BTreeSet<&str>| own.iter().map(|name| format!("+{name}")).collect::<Vec<_>>().join(",");
        let choice: Vec<String> = least.into_iter().map(signed).collect();
        format!(" \"{ALTERNATIVES}\"=\"{}\"", choice.join("|"))
    }

    /// The attributes of the definition.
    pub(super) fn attributes(&self, has_immediates: bool) -> String {
        let named = self.features();
        let choice = self.choice();
        let Some(features) = target_features(&named) else { return format!("alwaysinline{choice}") };
        if !self.is_checked {
            return format!("alwaysinline {features}{choice}");
        }
        let constant = if has_immediates { ", with constant immediates" } else { "" };
        let message = format!(
            "it needs {} and is inlined, from -O1 on, into callers with that{constant}",
            named.join(",")
        );
        format!("{features}{choice} \"function-inline-cost\"=\"0\" \"dontcall-error\"=\"{message}\"")
    }
}

/// The attribute of a function that has these features; `None` for none.
pub(crate) fn target_features(features: &[String]) -> Option<String> {
    let signed: Vec<String> = features.iter().map(|feature| format!("+{feature}")).collect();
    (!signed.is_empty()).then(|| format!("\"target-features\"=\"{}\"", signed.join(",")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alternatives_leave_what_they_have_in_common() {
        let lists =
            [vec!["crc32".to_owned()], vec!["sse4.2".to_owned(), "crc32".to_owned()], vec!["avx".to_owned()]];
        let [own, other, third] = lists.each_ref().map(|list| Needs::new(list, false));
        let mut both = other;
        assert_eq!(both.attributes(false), "alwaysinline \"target-features\"=\"+crc32,+sse4.2\"");
        both.or(own);
        assert_eq!(both.attributes(false), "alwaysinline \"target-features\"=\"+crc32\"");
        both.or(third);
        assert_eq!(both.attributes(false), "alwaysinline \"autollvm-features\"=\"+avx|+crc32\"");
    }

    #[test]
    fn a_call_that_is_left_is_an_error() {
        let features = ["avx2".to_owned()];
        let attributes = Needs::new(&features, true).attributes(true);
        assert!(!attributes.contains("alwaysinline"));
        assert!(attributes.ends_with(
            "\"dontcall-error\"=\"it needs avx2 and is inlined, from -O1 on, into callers with that, with constant immediates\""
        ));
    }
}
