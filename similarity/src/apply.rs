//! A membership written out in the IR: the class's function on the member's arguments.
//!
//! ```text
//! class  @add[ew = 32, n = 4](%a, %b)       member  @_mm_maskz_add_epi8(%k: 16, %a: 128, %b: 128)
//! application  ew = 8, n = 16, args 1 and 2, zero-masked by argument 0
//! result  %dst[0 +: 8] = select(%k[0 +: 1], add(%a[0 +: 8], %b[0 +: 8]), 0x0:8)   … 15 more
//! ```
//!
//! [`crate::certify`] compares the two on exact integers. What is written here depends on nothing of that,
//! so that a comparison of it with the member's function is a check by another way.

use catalog::{Application, Source};
use hydride_ir::passes::{instantiate, unroll};
use hydride_ir::{ExprId, Function, Num, Op, ResultId, Stmt};

use crate::modifiers::operands::{ApplyError, constant, whole, zero as zeros};
use crate::modifiers::{broadcast, masked, masking, part, zero};

/// The class's function as `application` says, as a flat function of `member`'s arguments and results.
pub fn apply(class: &Function, application: &Application, member: &Function) -> Result<Function, ApplyError> {
    let Application { params, args, .. } = application;
    let flat = unroll(&instantiate(class, params)?)?;
    if flat.results.len() != member.results.len() {
        return Err(ApplyError::Shape("the class has another number of results"));
    }
    let mut applied = Function::new(format!("{}.applied", class.name));
    applied.args.clone_from(&member.args);
    applied.results.clone_from(&member.results);
    let mut ids: Vec<ExprId> = Vec::with_capacity(flat.exprs().len());
    for expr in flat.exprs() {
        let id = match &expr.op {
            Op::Arg(arg) => {
                let source =
                    *args.get(arg.0 as usize).ok_or(ApplyError::Shape("an argument has no source"))?;
                argument(&mut applied, source, &expr.width)?
            }
            op => applied.push(op.map_operands(|operand| ids[operand.0 as usize]), expr.width.clone()),
        };
        ids.push(id);
    }
    let start = application.part.map_or(0, |part| i64::from(part.low));
    for stmt in &flat.body {
        let Stmt::Assign { result, low, value } = stmt else {
            return Err(ApplyError::Shape("a loop is left"));
        };
        let value = ids[value.0 as usize];
        let (result, low) = (*result, start + constant(low)?);
        match &application.masking {
            Some(masking) => masking::write(masking, &mut applied, result, low, value)?,
            None => applied.body.push(Stmt::Assign { result, low: low.into(), value }),
        }
    }
    // What the class does not write is zero; outside of its part the argument's bits are kept.
    for (position, (own, all)) in flat.results.iter().zip(&member.results).enumerate() {
        let (own, all) = (constant(&own.width)?, constant(&all.width)?);
        let room = application.part.map_or(all, |part| i64::from(part.width));
        let result = ResultId(position as u32);
        if own < room {
            let value = zeros(&mut applied, room - own);
            applied.body.push(Stmt::Assign { result, low: (start + own).into(), value });
        }
        if let Some(part) = application.part {
            part::write(part, &mut applied, result, u32::try_from(all).unwrap_or(0))?;
        }
    }
    Ok(applied)
}

/// The class's argument of `width` bits.
fn argument(applied: &mut Function, source: Source, width: &Num) -> Result<ExprId, ApplyError> {
    match source {
        Source::Own(own) => {
            let whole = whole(applied, own)?;
            // A class may read less than the whole register.
            Ok(applied.push(Op::Cast { of: whole, signed: Num::constant(0) }, width.clone()))
        }
        Source::Constant(value) => Ok(zero::write(value, applied, constant(width)?)),
        Source::Broadcast(broadcast) => broadcast::write(broadcast, applied, constant(width)?),
        Source::Masked(masked) => masked::write(masked, applied, constant(width)?),
    }
}

#[cfg(test)]
mod tests {
    use catalog::Masking;

    use super::*;

    #[test]
    fn masks_arguments_and_the_rest_of_the_register() {
        let class = Function::parse(
            "func @add[ew = 32, n = 4](%a: ew*n, %b: ew*n) -> (%dst: ew*n) {
               for i in 0..n { %dst[ew*i +: ew] = add(%a[ew*i +: ew], %b[ew*i +: ew]) }
             }",
        )
        .unwrap();
        let member = Function::parse(
            "func @masked(%k: 4, %a: 16, %b: 16) -> (%dst: 32) {
               %dst[0 +: 8] = select(%k[0 +: 1], add(%b[0 +: 8], %a[0 +: 8]), 0x0:8)
               %dst[8 +: 8] = select(%k[2 +: 1], add(%b[8 +: 8], %a[8 +: 8]), 0x0:8)
               %dst[16 +: 16] = 0x0:16
             }",
        )
        .unwrap();
        let masking = Some(Masking { mask: 0, pass: None, stride: 2, lane: 8, negated: false });
        let application = Application { masking, ..Application::plain(vec![8, 2], &[2, 1]) };
        let applied = apply(&class, &application, &member).unwrap();
        applied.verify().unwrap();
        let mut prover = smt::Prover::new();
        assert_eq!(prover.equal(&applied, &member), smt::Verdict::Equal);
        let other = Application { masking, ..Application::plain(vec![8, 2], &[2, 2]) };
        let applied = apply(&class, &other, &member).unwrap();
        assert!(matches!(prover.equal(&applied, &member), smt::Verdict::Different(_)));
        let missing = Application { masking, ..Application::plain(vec![8, 2], &[2, 3]) };
        assert!(apply(&class, &missing, &member).is_err());
    }
}
