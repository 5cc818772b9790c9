//! `classes.json` and the parts of it that other files repeat: one type for writing and for reading.
//!
//! The types mirror the file's fields, by name and in order. A member's parameter values are by name here and by
//! position in an [`Application`](crate::Application).

use std::collections::BTreeMap;

use hydride_ir::lane::Masking;
use serde::{Deserialize, Serialize};

use crate::application::{Broadcast, Masked, Part, Source, constant};
use crate::evidence::{Certificate, Proof};
use crate::signature::{Argument, Kind, Signature};

/// An operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperationRecord {
    /// The operation's name.
    pub name: String,
    /// Number of arguments.
    pub arity: usize,
    /// Names of the parameters, in the function's order.
    pub params: Vec<String>,
    /// The parameter values for which the function is legal, as conditions that all must hold.
    #[serde(default)]
    pub constraints: Vec<String>,
    /// The instructions, by instruction set and id.
    pub members: Vec<MemberRecord>,
}

/// An instruction as a member of an operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberRecord {
    /// The instruction set.
    pub isa: String,
    /// The instruction's id.
    pub id: String,
    /// The form of the operation that it is; the operation's name where it has no forms.
    #[serde(default)]
    pub form: String,
    /// Parameter values by name.
    pub params: BTreeMap<String, i64>,
    /// The origin of each argument of the operation.
    pub args: Vec<SourceRecord>,
    /// What happens to lanes that a mask disables.
    pub masking: MaskingKind,
    /// Position of the mask among the instruction's arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mask_arg: Option<u32>,
    /// Position of the argument that provides the lanes that the mask disables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass_arg: Option<u32>,
    /// The layout of the mask's bits over the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mask_layout: Option<MaskLayout>,
    /// The part of the result that the operation writes, if that is not the whole result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<PartRecord>,
    /// Whether the instruction's result is wider than the operation's, with zeros above.
    #[serde(default, skip_serializing_if = "is_false")]
    pub rest_is_zero: bool,
    /// The instruction's operands in memory.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memory: Vec<MemoryRecord>,
    /// How the membership is certified.
    pub proof: Proof,
    /// What is certified.
    #[serde(default, skip_serializing_if = "Certificate::is_exact")]
    pub certificate: Certificate,
    /// How far the semantics can be trusted: the name of a [`Trust`](crate::Trust).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust: Option<String>,
    /// The number of inputs on which the semantics was compared with a machine, where it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inputs: Option<usize>,
}

/// For fields that are written only where they are true.
pub fn is_false(value: &bool) -> bool {
    !value
}

impl MemberRecord {
    /// Whether another member of the same operation applies it in the same way: the same parameter values, the same
    /// arguments, the same operands in memory, and the same treatment of the result.
    pub fn applies_as(&self, other: &Self) -> bool {
        let key = |member: &Self| {
            let Self { masking, mask_arg, pass_arg, mask_layout, part, rest_is_zero, .. } = *member;
            (masking, mask_arg, pass_arg, mask_layout, part, rest_is_zero)
        };
        let lists = self.args == other.args && self.memory == other.memory;
        self.params == other.params && lists && key(self) == key(other)
    }
}

/// The origin of an operation's argument.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SourceRecord {
    /// The instruction's argument at this position.
    Position(u32),
    /// A value that the instruction fixes.
    Constant {
        /// Its hexadecimal digits, one for each four bits of the argument.
        constant: String,
    },
    /// One slice of the instruction's argument at `broadcast` in every element: `width` bits from bit `low` on, or,
    /// where `lane` is an immediate, from bit `low + width·lane` on. The copies are `stride` bits apart with zeros
    /// between.
    Broadcast {
        /// Position of the argument.
        broadcast: u32,
        /// Position of the immediate that chooses the slice.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        lane: Option<u32>,
        /// Lowest bit of the slice.
        low: u32,
        /// Distance of the copies in bits, at least `width`.
        stride: u32,
        /// Width of the slice in bits.
        width: u32,
    },
    /// The instruction's argument at `masked` in the lanes of `lane` bits that `mask` selects, one bit for each lane;
    /// the other lanes hold a value that the instruction fixes.
    Masked {
        /// Position of the argument.
        masked: u32,
        /// Position of the mask.
        mask: u32,
        /// Width of the lanes in bits.
        lane: u32,
        /// The hexadecimal digits of a lane that is not selected.
        inactive: String,
    },
}

impl SourceRecord {
    /// The record of a source for an argument of `width` bits.
    pub fn new(source: Source, width: u32) -> Self {
        match source {
            Source::Own(position) => Self::Position(position),
            Source::Constant(value) => Self::Constant { constant: format!("{:x}", constant(value, width)) },
            Source::Broadcast(Broadcast { arg, low, lane, width, stride }) => {
                Self::Broadcast { broadcast: arg, lane: lane.map(|(lane, _)| lane), low, stride, width }
            }
            Source::Masked(Masked { arg, mask, lane, inactive }) => {
                let inactive = format!("{:x}", constant(inactive, lane));
                Self::Masked { masked: arg, mask, lane, inactive }
            }
        }
    }
}

/// What happens to lanes that a mask disables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MaskingKind {
    /// There is no mask.
    None,
    /// They keep the value of another argument.
    Merge,
    /// They become zero.
    Zero,
}

impl MaskingKind {
    /// The kind of a masking.
    pub fn of(masking: Option<Masking>) -> Self {
        match masking {
            None => Self::None,
            Some(Masking { pass: Some(_), .. }) => Self::Merge,
            Some(Masking { pass: None, .. }) => Self::Zero,
        }
    }

    /// The word used in output files.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Merge => "merge",
            Self::Zero => "zero",
        }
    }
}

/// The layout of a mask's bits over a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MaskLayout {
    /// Distance in bits from one mask bit that is used to the next; the first is bit 0.
    pub stride: u32,
    /// Bits of the result that one mask bit governs.
    pub lane: u32,
    /// Whether a bit that is 0 selects what the operation computes, and not one that is 1.
    pub negated: bool,
}

impl From<Masking> for MaskLayout {
    fn from(masking: Masking) -> Self {
        Self { stride: masking.stride, lane: masking.lane, negated: masking.negated }
    }
}

/// The part of a result that an operation writes; the other bits come from an argument, each from the same
/// position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartRecord {
    /// Lowest bit written.
    pub low: u32,
    /// Number of bits written.
    pub width: u32,
    /// Position of the argument that has the other bits.
    pub pass_through: u32,
}

impl From<Part> for PartRecord {
    fn from(part: Part) -> Self {
        Self { low: part.low, width: part.width, pass_through: part.pass }
    }
}

/// An operand in memory. Its value is what is at the pointer, byte after byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryRecord {
    /// Position of the pointer among the instruction's arguments.
    pub arg: u32,
    /// What happens to it.
    pub access: MemoryAccess,
    /// The number of bytes that must divide the pointer.
    pub align: u32,
    /// The width in bits of elements that are gathered or scattered: the operand consists of them, one after another,
    /// each at an address of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub element: Option<u32>,
    /// The width in bits of the lanes of the register from which their addresses are computed, one for each element.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<u32>,
    /// Whether the access asks not to fill caches.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub non_temporal: bool,
}

/// What an instruction does with an operand in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryAccess {
    /// It reads it.
    Load,
    /// It writes it, and may read it before. Where a mask disables lanes, they are not accessed.
    Store,
}

impl Signature {
    /// The operands in memory.
    pub fn memory(&self) -> impl Iterator<Item = MemoryRecord> {
        (0..).zip(&self.args).filter_map(|(arg, operand)| {
            let Kind::Memory { align, element, non_temporal } = operand.kind else { return None };
            let written = self.results.iter().any(|result| result.is_memory() && result.name == operand.name);
            let access = if written { MemoryAccess::Store } else { MemoryAccess::Load };
            let index = element.and_then(|elements| elements.index);
            let element = element.map(|elements| elements.width);
            Some(MemoryRecord { arg, access, align, element, index, non_temporal })
        })
    }
}

impl MemoryRecord {
    /// What the instruction does with it, in one word: `load`, `store`, `gather` or `scatter`.
    pub fn verb(&self) -> &'static str {
        match (self.access, self.element) {
            (MemoryAccess::Load, None) => "load",
            (MemoryAccess::Store, None) => "store",
            (MemoryAccess::Load, Some(_)) => "gather",
            (MemoryAccess::Store, Some(_)) => "scatter",
        }
    }

    /// `load:ARG`, `store:ARG`, `gather:ARG:WIDTH` or `scatter:ARG:WIDTH`.
    pub fn text(&self) -> String {
        let width = self.element.map_or(String::new(), |width| format!(":{width}"));
        format!("{}:{}{width}", self.verb(), self.arg)
    }
}

/// A C signature.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignatureRecord {
    /// The results; several where an intrinsic returns a tuple.
    pub results: Vec<OperandRecord>,
    /// The arguments in the order of the intrinsic.
    pub args: Vec<OperandRecord>,
}

/// An operand of a C signature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperandRecord {
    /// The C type as the vendor writes it.
    #[serde(rename = "type")]
    pub c_type: String,
    /// Width in bits.
    pub width: u32,
    /// The least and the greatest documented value of an immediate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub immediate: Option<(i64, i64)>,
}

impl From<&Argument> for OperandRecord {
    fn from(operand: &Argument) -> Self {
        Self { c_type: operand.c_type.clone(), width: operand.width, immediate: operand.immediate() }
    }
}

impl From<&Signature> for SignatureRecord {
    fn from(signature: &Signature) -> Self {
        let all = |operands: &[Argument]| operands.iter().map(OperandRecord::from).collect();
        Self { results: all(&signature.results), args: all(&signature.args) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_is_read_back_as_written() {
        let text = concat!(
            r#"{"isa":"east","id":"mask_add_lane","form":"add","params":{"lanes":8},"args":[3,{"constant":"ff"},"#,
            r#"{"broadcast":1,"lane":4,"low":0,"stride":16,"width":8},"#,
            r#"{"masked":6,"mask":7,"lane":8,"inactive":"80"}],"masking":"merge","mask_arg":2,"pass_arg":0,"#,
            r#""mask_layout":{"stride":1,"lane":8,"negated":true},"part":{"low":64,"width":64,"pass_through":5},"#,
            r#""rest_is_zero":true,"proof":"smt","trust":"run","inputs":1000}"#
        );
        let member: MemberRecord = serde_json::from_str(text).expect("it is legal");
        assert_eq!(member.args[1], SourceRecord::new(Source::Constant(-1), 8));
        let masked = Masked { arg: 6, mask: 7, lane: 8, inactive: -128 };
        assert_eq!(member.args[3], SourceRecord::new(Source::Masked(masked), 64));
        assert_eq!(member.masking, MaskingKind::Merge);
        assert_eq!(serde_json::to_string(&member).expect("it can be written"), text);
        let other = MemberRecord { id: "other".into(), proof: Proof::Structural, ..member.clone() };
        assert!(member.applies_as(&other));
        assert!(!member.applies_as(&MemberRecord { pass_arg: Some(3), ..other }));
    }
}
