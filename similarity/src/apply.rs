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

use hydride_ir::lane::Masking;
use hydride_ir::passes::{PassError, instantiate, unroll};
use hydride_ir::{ArgId, BinaryOp, Bits, ExprId, Function, Num, Op, ResultId, Stmt};

use catalog::{Application, Broadcast, Source};

/// A class's function that cannot be applied as a member says.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ApplyError {
    /// The class's function is not legal at the member's parameters, or too large.
    #[error(transparent)]
    Pass(#[from] PassError),
    /// The class's results, or the arguments named, do not fit the member's.
    #[error("{0}")]
    Shape(&'static str),
}

/// The class's function as `application` says, as a flat function of `member`'s arguments and results.
pub fn apply(class: &Function, application: &Application, member: &Function) -> Result<Function, ApplyError> {
    let Application { params, args, masking, part } = application;
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
    let start = part.map_or(0, |part| i64::from(part.low));
    for stmt in &flat.body {
        let Stmt::Assign { result, low, value } = stmt else {
            return Err(ApplyError::Shape("a loop is left"));
        };
        let width = constant(&flat.expr(*value).width)?;
        let value = ids[value.0 as usize];
        let first = start + constant(low)?;
        // What one mask bit governs can be less than what is written at once.
        let lane = masking.map_or(width, |masking| i64::from(masking.lane).min(width));
        for low in (0..width).step_by(lane as usize) {
            let width = lane.min(width - low);
            let mut given = value;
            if lane < constant(&applied.expr(value).width)? {
                given = applied.push(Op::Extract { of: value, low: low.into() }, width);
            }
            let position = first + low;
            if let Some(masking) = masking {
                given = masked(&mut applied, masking, given, position, width)?;
            }
            applied.body.push(Stmt::Assign { result: *result, low: position.into(), value: given });
        }
    }
    // What the class does not write is zero; outside of its part the argument's bits are kept.
    for (position, (own, all)) in flat.results.iter().zip(&member.results).enumerate() {
        let (own, all) = (constant(&own.width)?, constant(&all.width)?);
        let room = part.map_or(all, |part| i64::from(part.width));
        let result = ResultId(position as u32);
        if own < room {
            let value = zero(&mut applied, room - own);
            applied.body.push(Stmt::Assign { result, low: (start + own).into(), value });
        }
        let Some(part) = part else { continue };
        for (low, width) in [(0, start), (start + room, all - start - room)] {
            if width > 0 {
                let pass = whole(&mut applied, part.pass)?;
                let value = applied.push(Op::Extract { of: pass, low: low.into() }, width);
                applied.body.push(Stmt::Assign { result, low: low.into(), value });
            }
        }
    }
    Ok(applied)
}

/// The value under the mask, at a position of the member's result.
fn masked(
    applied: &mut Function,
    masking: &Masking,
    given: ExprId,
    position: i64,
    width: i64,
) -> Result<ExprId, ApplyError> {
    let bit = position / i64::from(masking.lane) * i64::from(masking.stride);
    let mask = whole(applied, masking.mask)?;
    let condition = applied.push(Op::Extract { of: mask, low: bit.into() }, 1u32);
    let kept = match masking.pass {
        Some(arg) => {
            let pass = whole(applied, arg)?;
            applied.push(Op::Extract { of: pass, low: position.into() }, width)
        }
        None => zero(applied, width),
    };
    let (then, otherwise) = if masking.negated { (kept, given) } else { (given, kept) };
    Ok(applied.push(Op::Select { condition, then, otherwise }, width))
}

/// The class's argument of `width` bits.
fn argument(applied: &mut Function, source: Source, width: &Num) -> Result<ExprId, ApplyError> {
    match source {
        Source::Own(own) => {
            let whole = whole(applied, own)?;
            // A class may read less than the whole register.
            Ok(applied.push(Op::Cast { of: whole, signed: Num::constant(0) }, width.clone()))
        }
        Source::Constant(value) => {
            let width = constant(width)?;
            let bits = catalog::constant(value, u32::try_from(width).unwrap_or(0));
            Ok(applied.push(Op::Const(bits), width))
        }
        Source::Broadcast(broadcast) => broadcasted(applied, broadcast, constant(width)?),
    }
}

fn broadcasted(applied: &mut Function, broadcast: Broadcast, width: i64) -> Result<ExprId, ApplyError> {
    let Broadcast { arg, low, lane, width: own, stride } = broadcast;
    let of = whole(applied, arg)?;
    let value = match lane {
        None => applied.push(Op::Extract { of, low: low.into() }, own),
        Some((lane, bits)) => {
            let lane = whole(applied, lane)?;
            let lane = applied.push(Op::Extract { of: lane, low: 0u32.into() }, bits);
            let lane = applied.push(Op::Cast { of: lane, signed: Num::constant(0) }, POSITION_WIDTH);
            let step = literal(applied, own);
            let position = applied.push(
                Op::Binary { op: BinaryOp::Mul, signed: Num::constant(0), left: lane, right: step },
                POSITION_WIDTH,
            );
            let low = literal(applied, low);
            let position = applied.push(
                Op::Binary { op: BinaryOp::Add, signed: Num::constant(0), left: position, right: low },
                POSITION_WIDTH,
            );
            applied.push(Op::ExtractAt { of, low: position }, own)
        }
    };
    // Copies with zeros between, the last one cut at the argument's end; concatenations begin at the top.
    let copy = applied.push(Op::Cast { of: value, signed: Num::constant(0) }, stride);
    let count = width.div_euclid(i64::from(stride));
    let rest = width.rem_euclid(i64::from(stride));
    let mut parts = Vec::new();
    if rest > 0 {
        parts.push(applied.push(Op::Cast { of: value, signed: Num::constant(0) }, rest));
    }
    parts.extend((0..count).map(|_| copy));
    Ok(if let [one] = parts[..] { one } else { applied.push(Op::Concat(parts), width) })
}

/// Width of a position in bits: more than any register's.
const POSITION_WIDTH: u32 = 32;

fn literal(applied: &mut Function, value: u32) -> ExprId {
    applied.push(Op::Const(Bits::from_u64(POSITION_WIDTH, u64::from(value))), POSITION_WIDTH)
}

fn whole(applied: &mut Function, arg: u32) -> Result<ExprId, ApplyError> {
    let width = match applied.args.get(arg as usize) {
        Some(arg) => arg.width.clone(),
        None => return Err(ApplyError::Shape("an argument that the member does not have")),
    };
    Ok(applied.push(Op::Arg(ArgId(arg)), width))
}

fn zero(applied: &mut Function, width: i64) -> ExprId {
    applied.push(Op::Const(Bits::zero(u32::try_from(width).unwrap_or(0))), width)
}

fn constant(num: &Num) -> Result<i64, ApplyError> {
    num.as_constant().ok_or(ApplyError::Shape("a number is not known"))
}

#[cfg(test)]
mod tests {
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
