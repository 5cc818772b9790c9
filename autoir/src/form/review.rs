//! What people say of the operations: `specs/operations.toml`.
//!
//! ```toml
//! [move_elements]                     # a family, by its name in the dictionary
//! summary = "Copies elements."
//! category = "movement"
//! args = ["a"]                        # names of the arguments, where they are not a, b, …
//!
//! [[move_elements.form]]
//! name = "broadcast"
//! when = ["stride == 0", "elements > 1"]
//! summary = "Copies one element to all."
//!
//! [[move_elements.form]]
//! name = "truncate"
//! when = ["stride > source_width"]
//! elements = { a = "stride" }         # it reads the low part of elements of that width
//! summary = "Keeps the low part of each element."
//!
//! [[move_elements.form]]              # the last form has what is left
//! name = "extend"
//! summary = "Widens elements by zeros or by the sign."
//! ```
//!
//! An instance belongs to the first form all of whose conditions hold, so forms are disjoint. A condition compares two
//! numbers over the family's parameters and over the types of operands: of an operand `a`, `a_width` is the width in
//! bits, `a_element` that of an element; of an argument, `a_immediate` is 1 where an immediate of the instruction is
//! repeated in it, and 0 elsewhere; of an immediate, `a_fixed` is the number that the instruction fixes it to, and -1 where it
//! does not. Without forms a family is its own form.

use std::collections::{BTreeMap, BTreeSet};

use hydride_ir::{Atom, Num, ParamId};
use serde::Deserialize;

use crate::dictionary::Dictionary;
use crate::name;

/// The reviewed families by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Reviews {
    families: BTreeMap<String, FamilyReview>,
}

/// What is said of a family.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FamilyReview {
    /// One sentence.
    pub summary: String,
    /// The chapter of the documentation that it belongs to.
    pub category: String,
    /// Names of the arguments; empty where they keep those of the function.
    #[serde(default)]
    pub args: Vec<String>,
    /// The forms, in the order in which they are tried; empty where the family is one.
    #[serde(default, rename = "form")]
    pub forms: Vec<FormReview>,
}

/// What is said of a form.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FormReview {
    /// The operation's name.
    pub name: String,
    /// One sentence.
    pub summary: String,
    /// The conditions on the instance, all of which hold; none for the rest.
    #[serde(default)]
    pub when: Vec<String>,
    /// The widths of operands' elements, where they are not what the function reads and writes: for an operand a
    /// number as in conditions.
    #[serde(default)]
    pub elements: BTreeMap<String, String>,
}

/// A review that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReviewError {
    /// It is not TOML, or has other fields.
    #[error("{0}")]
    Syntax(#[from] toml::de::Error),
    /// A name that no operation can have.
    #[error("`{0}` is not a valid operation name")]
    Name(String),
    /// Two forms of one name.
    #[error("form `{0}` is there twice")]
    Duplicate(String),
}

impl Reviews {
    /// Reads the file.
    pub fn parse(text: &str) -> Result<Self, ReviewError> {
        let reviews: Self = toml::from_str(text)?;
        let mut names = BTreeSet::new();
        for (family, review) in &reviews.families {
            let own = (review.forms.is_empty()).then_some(family);
            for form in review.forms.iter().map(|form| &form.name).chain(own) {
                if !name::is_valid(form) {
                    return Err(ReviewError::Name(form.clone()));
                }
                if !names.insert(form) {
                    return Err(ReviewError::Duplicate(form.clone()));
                }
            }
        }
        Ok(reviews)
    }

    /// What is said of a family.
    pub fn family(&self, name: &str) -> Option<&FamilyReview> {
        self.families.get(name)
    }

    /// Where reviews and a dictionary disagree: families that were not reviewed, reviews without family, conditions that
    /// are for another family, and members that no form has.
    pub fn disagreements(&self, dictionary: &Dictionary) -> Vec<String> {
        let mut found = Vec::new();
        for (name, family) in dictionary.families() {
            match self.family(name).map(|review| super::without_form(family, review)) {
                None => found.push(format!("`{name}` was not reviewed")),
                Some(Err(reason)) => found.push(format!("`{name}`: {reason}")),
                Some(Ok(without)) => {
                    found.extend(
                        without.into_iter().map(|(isa, id)| format!("`{name}`: no form has {isa}:{id}")),
                    );
                }
            }
        }
        let names: BTreeSet<&str> = dictionary.names().collect();
        let stale = self.families.keys().filter(|name| !names.contains(name.as_str()));
        found.extend(stale.map(|name| format!("there is no family `{name}`")));
        found
    }

    /// The families, sorted by name.
    pub fn families(&self) -> impl Iterator<Item = (&str, &FamilyReview)> {
        self.families.iter().map(|(name, review)| (name.as_str(), review))
    }
}

/// What conditions read as the number of an immediate that is not fixed.
pub(super) const NOT_FIXED: i64 = -1;

type Relation = fn(&i64, &i64) -> bool;

/// A comparison of two numbers.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    left: Num,
    relation: Relation,
    right: Num,
}

/// A number over the given names.
pub(crate) fn number(text: &str, names: &[String]) -> Result<Num, String> {
    let atom = |name: &str| {
        let position = names.iter().position(|known| known == name)?;
        Some(Atom::Param(ParamId(position as u32)))
    };
    Num::parse(text, atom).map_err(|error| error.message)
}

/// A number at values in the order of the names.
pub(crate) fn value(number: &Num, values: &[i64]) -> Option<i64> {
    number.eval(|atom| match atom {
        Atom::Param(param) => values[param.0 as usize],
        Atom::Index(_) => 0,
    })
}

/// The relations, those that begin with another one first.
const RELATIONS: [(&str, Relation); 6] =
    [("==", i64::eq), ("!=", i64::ne), ("<=", i64::le), (">=", i64::ge), ("<", i64::lt), (">", i64::gt)];

impl Condition {
    /// Reads a condition on values of the given names.
    pub(crate) fn parse(text: &str, names: &[String]) -> Result<Self, String> {
        let found = RELATIONS.into_iter().find_map(|(sign, relation)| {
            let (left, right) = text.split_once(sign)?;
            Some((left, relation, right))
        });
        let Some((left, relation, right)) = found else { return Err(format!("`{text}` compares nothing")) };
        let side = |side| number(side, names).map_err(|reason| format!("`{text}`: {reason}"));
        Ok(Self { left: side(left)?, relation, right: side(right)? })
    }

    /// Whether it holds for values in the order of the names.
    pub(crate) fn holds(&self, values: &[i64]) -> bool {
        let sides = value(&self.left, values).zip(value(&self.right, values));
        sides.is_some_and(|(left, right)| (self.relation)(&left, &right))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_compare_numbers() {
        let names = ["w", "a_width"].map(str::to_owned);
        let holds = |text: &str| Condition::parse(text, &names).unwrap().holds(&[8, 17]);
        for text in ["2*w + 1 == a_width", "w <= 8", "w != a_width", "a_width > 2*w", "w < 9", "w >= 8"] {
            assert!(holds(text), "{text}");
        }
        for text in ["w == a_width", "w > 8", "w != 8"] {
            assert!(!holds(text), "{text}");
        }
        assert_eq!(Condition::parse("w", &names).unwrap_err(), "`w` compares nothing");
        assert!(Condition::parse("w == x", &names).unwrap_err().contains("`x`"));
    }

    #[test]
    fn a_file_is_checked() {
        let family = "[add]\nsummary = \"Adds.\"\ncategory = \"arithmetic\"\n";
        let reviews = Reviews::parse(family).unwrap();
        assert_eq!(reviews.family("add").unwrap().summary, "Adds.");
        assert_eq!(reviews.families().count(), 1);
        let form = |name: &str| format!("{family}[[add.form]]\nname = \"{name}\"\nsummary = \"\"\n");
        assert_eq!(Reviews::parse(&form("Add")), Err(ReviewError::Name("Add".into())));
        let twice = format!("{}[[add.form]]\nname = \"plus\"\nsummary = \"\"\n", form("plus"));
        assert_eq!(Reviews::parse(&twice), Err(ReviewError::Duplicate("plus".into())));
        assert!(matches!(Reviews::parse("[add]\nother = 1\n"), Err(ReviewError::Syntax(_))));
    }
}
