//! Files of rules that were found: each with its text, and for each instance and number of lanes the instructions and the proof.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::check::Proof;
use crate::graph::Equality;
use crate::instance::{Instance, instances};
use crate::lowering::{Certificate, Cost, Lowering, constants};
use crate::sequence::Sequence;
use crate::text::read;

/// What rules there are for a target.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleFile {
    /// The target's name.
    pub target: String,
    /// Expressions that are equal.
    #[serde(default, rename = "equality", skip_serializing_if = "Vec::is_empty")]
    pub equalities: Vec<EqualityEntry>,
    /// Patterns with instructions.
    #[serde(default, rename = "rule", skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<RuleEntry>,
}

/// An equality of expressions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EqualityEntry {
    /// The rule in its textual form.
    pub text: String,
    /// Every instance with its proof.
    pub proofs: Vec<InstanceProof>,
}

/// How an instance was proved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstanceProof {
    /// The parameters.
    pub parameters: BTreeMap<String, String>,
    /// The proof.
    pub proof: Proof,
}

/// A pattern with its instances.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleEntry {
    /// The pattern in its textual form.
    pub text: String,
    /// What replaces it, for types and lanes.
    #[serde(default, rename = "instance", skip_serializing_if = "Vec::is_empty")]
    pub instances: Vec<Replacement>,
    /// Instances without instructions, and why.
    #[serde(default, rename = "open", skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<Open>,
}

/// An instance that has no instructions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Open {
    /// The parameters.
    pub parameters: BTreeMap<String, String>,
    /// Number of lanes.
    pub lanes: u32,
    /// Why.
    pub why: String,
}

/// What replaces an instance of a pattern.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Replacement {
    /// The parameters.
    pub parameters: BTreeMap<String, String>,
    /// Number of lanes.
    pub lanes: u32,
    /// Width in bits of the widest registers that values are in, where that is not the target's widest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registers: Option<u32>,
    /// The least and the greatest value of the constant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constant: Option<(i64, i64)>,
    /// The least and the greatest value of variables, where the text's are too narrow.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ranges: BTreeMap<String, (i64, i64)>,
    /// What it costs.
    pub cost: Cost,
    /// How it was proved.
    pub certificate: Certificate,
    /// The instructions.
    pub sequence: Sequence,
}

/// A file that holds no rules.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}: {message}")]
pub struct Malformed {
    /// The rule's text.
    pub text: String,
    /// What is wrong with it.
    pub message: String,
}

/// The parameters of an instance by name.
pub fn parameters(instance: &Instance) -> BTreeMap<String, String> {
    instance.parameters.iter().cloned().collect()
}

impl RuleFile {
    /// The equalities, in each direction in which they can be used.
    pub fn equalities(&self) -> Result<Vec<Equality>, Malformed> {
        let mut all = Vec::new();
        for entry in &self.equalities {
            for instance in made(&entry.text)? {
                let own = parameters(&instance);
                if entry.proofs.iter().any(|proof| proof.parameters == own) {
                    all.extend(Equality::of(&instance));
                }
            }
        }
        Ok(all)
    }

    /// The lowering rules.
    pub fn lowerings(&self) -> Result<Vec<Lowering>, Malformed> {
        let mut all = Vec::new();
        for entry in &self.rules {
            let patterns: BTreeMap<_, _> =
                made(&entry.text)?.into_iter().map(|instance| (parameters(&instance), instance)).collect();
            for own in &entry.instances {
                let fail = |message: &str| Malformed { text: entry.text.clone(), message: message.into() };
                let pattern =
                    patterns.get(&own.parameters).ok_or_else(|| fail("there is no such instance"))?;
                if own.lanes == 0 || own.lanes > synth::window::MAX_LANES {
                    return Err(fail("so many lanes are not possible"));
                }
                all.push(own.lowering(pattern));
            }
        }
        Ok(all)
    }
}

fn made(text: &str) -> Result<Vec<Instance>, Malformed> {
    let fail =
        |error: crate::text::RuleError| Malformed { text: text.to_owned(), message: error.to_string() };
    let mut all = Vec::new();
    for rule in read(text).map_err(fail)? {
        all.extend(instances(&rule, text).map_err(fail)?);
    }
    Ok(all)
}

impl Replacement {
    /// The rule of this instance of its pattern.
    pub fn lowering(&self, pattern: &Instance) -> Lowering {
        let mut pattern = pattern.clone();
        let constant = constants(&pattern).next();
        if let (Some((low, high)), Some(at)) = (self.constant, constant) {
            pattern.window.leaves[at].range = Some((low.into(), high.into()));
        }
        for leaf in &mut pattern.window.leaves {
            if let Some((low, high)) = self.ranges.get(&leaf.name) {
                leaf.range = Some(((*low).into(), (*high).into()));
            }
        }
        Lowering {
            name: pattern.window.name.clone(),
            pattern,
            lanes: self.lanes,
            registers: self.registers,
            sequence: self.sequence.clone(),
            cost: self.cost,
            certificate: self.certificate,
        }
    }

    /// A rule as it is written.
    pub fn of(rule: &Lowering) -> Self {
        Self {
            parameters: parameters(&rule.pattern),
            lanes: rule.lanes,
            registers: rule.registers,
            constant: rule
                .constant()
                .and_then(|(_, low, high)| Some((i64::try_from(low).ok()?, i64::try_from(high).ok()?))),
            ranges: rule
                .pattern
                .window
                .leaves
                .iter()
                .zip(&rule.pattern.binds)
                .filter(|(_, binds)| **binds != crate::text::Binds::Constant)
                .filter_map(|(leaf, _)| {
                    let (low, high) = leaf.range?;
                    Some((leaf.name.clone(), (i64::try_from(low).ok()?, i64::try_from(high).ok()?)))
                })
                .collect(),
            cost: rule.cost,
            certificate: rule.certificate,
            sequence: rule.sequence.clone(),
        }
    }
}
