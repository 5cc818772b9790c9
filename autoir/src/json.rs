//! `classes.json`: the operations and their members for other programs.

use catalog::record::{MaskingKind, SourceRecord};
use catalog::{MemberRecord, OperationRecord};
use serde::Serialize;

use crate::class::Member;
use crate::dialect::{Dialect, Op};
use crate::facts::Facts;

/// The document, sorted by operation, instruction set and id, with one member per line; [`catalog::record`] says what
/// the fields are.
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
    let record = op.record();
    let members: Vec<String> = record.members.iter().map(|member| format!("  {}", compact(member))).collect();
    format!(
        "{{\"name\":{},\"arity\":{},\"params\":{},\"constraints\":{},\"members\":[\n{}\n]}}",
        compact(&record.name),
        record.arity,
        compact(&record.params),
        compact(&record.constraints),
        members.join(",\n")
    )
}

fn compact(value: &impl Serialize) -> String {
    // Strings, numbers and maps with string keys cannot fail.
    serde_json::to_string(value).unwrap_or_default()
}

impl Op {
    /// The operation as `classes.json` has it.
    pub fn record(&self) -> OperationRecord {
        let members = self.class.members.iter();
        let known: Vec<&[i64]> = members.map(|member| member.application.params.as_slice()).collect();
        OperationRecord {
            name: self.name.clone(),
            arity: self.args().count(),
            params: self.param_names().map(str::to_owned).collect(),
            constraints: hydride_ir::legality(&self.class.function, &known).texts(),
            members: self.instances().map(|(member, facts)| self.member_record(member, facts)).collect(),
        }
    }

    fn member_record(&self, member: &Member, facts: &Facts) -> MemberRecord {
        let application = &member.application;
        let masking = application.masking;
        MemberRecord {
            isa: member.isa.clone(),
            id: member.id.clone(),
            params: self.param_names().map(str::to_owned).zip(application.params.iter().copied()).collect(),
            args: facts.sources(application).collect(),
            masking: MaskingKind::of(masking),
            mask_arg: masking.map(|masking| masking.mask),
            pass_arg: masking.and_then(|masking| masking.pass),
            mask_layout: masking.map(Into::into),
            part: application.part.map(Into::into),
            proof: member.proof,
            trust: member.trust.as_ref().map(|trust| trust.name().to_owned()),
        }
    }
}

impl Facts {
    /// The sources of a member's arguments as files have them, the facts being the member's.
    pub fn sources(&self, application: &catalog::Application) -> impl Iterator<Item = SourceRecord> {
        let args = application.args.iter().zip(&self.args);
        args.map(|(source, shape)| SourceRecord::new(*source, shape.width()))
    }
}
