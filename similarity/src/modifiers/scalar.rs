//! An immediate where the operation reads a scalar in a register.
//!
//! ```text
//! instruction   dst[i] = a[i] << n                an immediate
//! operation     dst[i] = a[i] << b[0]             a register whose lowest element is the count
//! argument b    {…, 0, n}
//! ```
//!
//! The immediate is [broadcast](super::broadcast) at its own width.

use catalog::{Broadcast, Source};
use hydride_ir::exact::{Dag, Raised};
use hydride_ir::{Function, Role};

use super::Reading;

/// Readings in which an immediate is a scalar in a register.
pub(super) fn recognize(dag: &mut Dag, function: &Function, reading: &Reading) -> Vec<Reading> {
    let mut found = Vec::new();
    for (arg, operand) in function.args.iter().enumerate() {
        let (Role::Immediate { .. }, Some(width)) = (operand.role, operand.width.as_constant()) else {
            continue;
        };
        let (arg, width) = (arg as u32, width as u32);
        let fresh = dag.add_arg(width);
        let scalar = dag.arg(fresh);
        let results = &reading.core.results;
        let results = results.iter().map(|segments| dag.with_argument(segments, arg, scalar)).collect();
        let whole = Broadcast { arg, low: 0, lane: None, width, stride: width };
        found.push(reading.with_argument(Raised { results }, fresh, Source::Broadcast(whole)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::modifiers::tests::{check, readings};

    #[test]
    fn an_immediate_count_is_a_count_in_a_register() {
        let shift = |count: &str| {
            format!(
                "func @shift(%a: 32, %n: {count}) -> (%dst: 32) {{
                   for i in 0..4 {{ %dst[8*i +: 8] = shl(%a[8*i +: 8], %n[0 +: 8]) }}
                 }}"
            )
        };
        let immediate = shift("8 imm 0..=7");
        let shape = check(&readings(recognize, &immediate), &immediate, &shift("128"));
        let count = Broadcast { arg: 1, low: 0, lane: None, width: 8, stride: 8 };
        assert_eq!(shape.args, [Source::Own(0), Source::Broadcast(count)]);
        assert!(readings(recognize, &shift("128")).is_empty());
    }
}
