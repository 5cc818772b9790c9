//! Operations that name bits of a parameter above its declared width.
//!
//! ```text
//! parameter a of 64 bits, and      dst[63:0] := a[127:64]
//! ```
//!
//! For an immediate the declared width is its `immwidth`. A position beyond the widest register is not a position but
//! an index without a known bound.

use super::{Check, Notes, Rule, Subject};
use crate::ledger::Severity;
use crate::signature::Kind;

pub(super) const RULE: Rule = Rule {
    code: "slice-beyond-width",
    severity: Severity::Error,
    finds: "bits of a parameter above its declared width",
    check: Check::Entry(check),
};

fn check(subject: &Subject<'_>, notes: &mut Notes<'_>) {
    let Some(instruction) = &subject.instruction else { return };
    let parameters = subject.entry.parameters.iter().filter(|parameter| parameter.c_type.trim() != "void");
    for ((argument, parameter), read) in instruction.signature.args.iter().zip(parameters).zip(&subject.read)
    {
        let declared = match &argument.kind {
            Kind::Immediate(_) => parameter.immediate_width,
            Kind::Memory { .. } => None,
            Kind::Vector | Kind::Mask | Kind::Scalar => Some(argument.width),
        };
        if let Some(declared) = declared.filter(|declared| read > declared && *read <= hydride_ir::MAX_WIDTH)
        {
            notes.entry(format!(
                "bit {} of `{}` is read, which has {declared} bits",
                read - 1,
                parameter.name
            ));
        }
    }
}
