//! `classes.json`: the operations and their members for other programs; `docs/src/outputs.md` describes it.

use catalog::record::{MaskingKind, SourceRecord};
use catalog::{MemberRecord, OperationRecord};
use memo::{Memo, key_of};
use rayon::prelude::*;
use serde::Serialize;

use crate::class::Member;
use crate::dialect::{Dialect, Family};
use crate::facts::{Assignment, Facts};

/// The document, sorted by family, instruction set and id, with one member per line; [`catalog::record`] says what
/// the fields are. `memo` has what earlier runs wrote of equal families.
pub fn classes_json(dialect: &Dialect, memo: &Memo) -> String {
    let families = dialect.families();
    let key = |family: &Family| key_of(&("classes.json", family));
    let kept = |family: &Family| memo.get_or(|| key(family), || family_json(family));
    let texts: Vec<String> = families.par_iter().map(kept).collect();
    let mut text = String::from("[");
    for (index, family) in texts.iter().enumerate() {
        text.push_str(if index == 0 { "\n" } else { ",\n" });
        text.push_str(family);
    }
    text.push_str(if families.is_empty() { "]\n" } else { "\n]\n" });
    text
}

fn family_json(family: &Family) -> String {
    let record = family.record();
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

impl Family {
    /// The family as `classes.json` has it.
    pub fn record(&self) -> OperationRecord {
        let function = &self.class.function;
        let known: Vec<&[i64]> = self.known.iter().map(Vec::as_slice).collect();
        OperationRecord {
            name: self.name.clone(),
            arity: function.args.len(),
            params: function.params.iter().map(|param| param.name.clone()).collect(),
            constraints: hydride_ir::legality(function, &known).texts(),
            members: self.member_records().collect(),
        }
    }

    /// The members as `classes.json` has them.
    pub fn member_records(&self) -> impl Iterator<Item = MemberRecord> {
        self.class.members.iter().zip(&self.forms).map(|(member, form)| self.member_record(member, form))
    }

    fn member_record(&self, member: &Member, form: &str) -> MemberRecord {
        let application = &member.application;
        let masking = application.masking;
        let function = &self.class.function;
        let assignment = Assignment::new(function, &application.params);
        let widths = function.args.iter().map(|arg| assignment.width(&arg.width).unwrap_or(0));
        let args = application.args.iter().zip(widths);
        let params = function.params.iter().map(|param| param.name.clone());
        let results = function.results.iter().filter_map(|result| assignment.width(&result.width));
        MemberRecord {
            rest_is_zero: member.rest_is_zero(results),
            inputs: member.trust.as_ref().and_then(catalog::Trust::inputs),
            isa: member.isa.clone(),
            id: member.id.clone(),
            form: form.to_owned(),
            params: params.zip(application.params.iter().copied()).collect(),
            args: args.map(|(source, width)| SourceRecord::new(*source, width)).collect(),
            masking: MaskingKind::of(masking),
            mask_arg: masking.map(|masking| masking.mask),
            pass_arg: masking.and_then(|masking| masking.pass),
            mask_layout: masking.map(Into::into),
            part: application.part.map(Into::into),
            memory: member.signature.memory().collect(),
            proof: member.proof,
            certificate: member.certificate,
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
