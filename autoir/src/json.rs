//! `classes.json`: the operations and their members for other programs (DESIGN section 8).

use std::collections::BTreeMap;

use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

use crate::class::{ArgSource, MaskLayout, Member, ResultPart};
use crate::dialect::{Dialect, Op};

/// The document, sorted by operation, instruction set and id, with one member per line.
///
/// An entry of `args` is a position in the member's own signature, or an object: `{"constant": hex}`
/// or `{"broadcast": position, "lane": position, "low": bit, "width": bits, "stride": bits}`. A member that
/// writes a part of its result has `"part": {"low", "width", "pass_through"}`, a masked one
/// `"mask_arg": position` of the mask, `"pass_arg": position` of what passes through where it is one of the arguments,
/// and `"mask_layout": {"stride", "lane", "negated"}`.
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
    let known: Vec<&[i64]> = op.class.members.iter().map(|member| member.params.as_slice()).collect();
    let constraints = hydride_ir::legality(&op.class.function, &known).texts();
    let members: Vec<String> =
        op.class.members.iter().map(|member| format!("  {}", compact(&MemberJson { op, member }))).collect();
    format!(
        "{{\"name\":{},\"arity\":{},\"params\":{},\"constraints\":{},\"members\":[\n{}\n]}}",
        compact(&op.name),
        op.args().count(),
        compact(&params),
        compact(&constraints),
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
        if let Some(mask) = self.member.masking.mask() {
            map.serialize_entry("mask_arg", &mask)?;
        }
        if let Some(pass) = self.member.masking.pass_through() {
            map.serialize_entry("pass_arg", &pass)?;
        }
        if let Some(layout) = self.member.mask_layout {
            map.serialize_entry("mask_layout", &MaskLayoutJson(layout))?;
        }
        if let Some(part) = self.member.part {
            map.serialize_entry("part", &PartJson(part))?;
        }
        map.serialize_entry("proof", self.member.proof.name())?;
        if let Some(trust) = &self.member.trust {
            map.serialize_entry("trust", trust)?;
        }
        map.end()
    }
}

/// How a mask is laid over a result, as `classes.json` and the lowering table write it.
pub struct MaskLayoutJson(
    /// The layout.
    pub MaskLayout,
);

impl Serialize for MaskLayoutJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("stride", &self.0.stride)?;
        map.serialize_entry("lane", &self.0.lane)?;
        map.serialize_entry("negated", &self.0.negated)?;
        map.end()
    }
}

/// The part of a result that is written, as `classes.json` and the lowering table write it.
pub struct PartJson(
    /// The part.
    pub ResultPart,
);

impl Serialize for PartJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("low", &self.0.low)?;
        map.serialize_entry("width", &self.0.width)?;
        map.serialize_entry("pass_through", &self.0.pass_through)?;
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
                ArgSource::Broadcast { position, lane, low, width, stride } => {
                    let mut fields = BTreeMap::from([
                        ("broadcast", *position),
                        ("low", *low),
                        ("stride", *stride),
                        ("width", *width),
                    ]);
                    fields.extend(lane.map(|lane| ("lane", lane)));
                    sequence.serialize_element(&fields)?;
                }
            }
        }
        sequence.end()
    }
}
