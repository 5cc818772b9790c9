//! `classes.json`: the operations and their members for other programs (DESIGN section 8).

use std::collections::BTreeMap;

use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

use crate::class::{ArgSource, Member};
use crate::dialect::{Dialect, Op};

/// The document, sorted by operation, instruction set and id, with one member per line.
///
/// An entry of `args` is a position in the member's own signature, or an object: `{"constant": hex}`
/// or `{"broadcast": position, "lane": position}`.
pub fn classes_json(dialect: &Dialect) -> String {
    let mut text = String::from("[");
    for (index, op) in dialect.ops().iter().enumerate() {
        text.push_str(if index == 0 { "\n" } else { ",\n" });
        text.push_str(&op_json(op));
    }
    text.push_str(if dialect.ops().is_empty() { "]\n" } else { "\n]\n" });
    text
}

fn op_json(op: &Op) -> String {
    let params: Vec<&str> = op.param_names().collect();
    let members: Vec<String> =
        op.class.members.iter().map(|member| format!("  {}", compact(&MemberJson { op, member }))).collect();
    format!(
        "{{\"name\":{},\"arity\":{},\"params\":{},\"members\":[\n{}\n]}}",
        compact(&op.name),
        op.args().count(),
        compact(&params),
        members.join(",\n")
    )
}

fn compact(value: &impl Serialize) -> String {
    // Strings, numbers and maps with string keys cannot fail.
    serde_json::to_string(value).unwrap_or_default()
}

struct MemberJson<'a> {
    op: &'a Op,
    member: &'a Member,
}

impl Serialize for MemberJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let params: BTreeMap<&str, i64> =
            self.op.param_names().zip(self.member.params.iter().copied()).collect();
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("isa", &self.member.isa)?;
        map.serialize_entry("id", &self.member.id)?;
        map.serialize_entry("params", &params)?;
        map.serialize_entry("args", &ArgsJson(&self.member.args))?;
        map.serialize_entry("masking", self.member.masking.name())?;
        map.serialize_entry("proof", self.member.proof.name())?;
        if let Some(trust) = &self.member.trust {
            map.serialize_entry("trust", trust)?;
        }
        map.end()
    }
}

/// The arguments of a member as `classes.json` and the lowering table write them.
pub struct ArgsJson<'a>(
    /// The sources, one for each argument of the class.
    pub &'a [ArgSource],
);

impl Serialize for ArgsJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut sequence = serializer.serialize_seq(Some(self.0.len()))?;
        for source in self.0 {
            match source {
                ArgSource::Position(position) => sequence.serialize_element(position)?,
                ArgSource::Constant(bits) => {
                    sequence.serialize_element(&BTreeMap::from([("constant", format!("{bits:x}"))]))?;
                }
                ArgSource::Broadcast { position, lane } => {
                    let mut fields = BTreeMap::from([("broadcast", *position)]);
                    fields.extend(lane.map(|lane| ("lane", lane)));
                    sequence.serialize_element(&fields)?;
                }
            }
        }
        sequence.end()
    }
}
