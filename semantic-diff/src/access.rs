//! Whether two entries with the same results access the same memory.

use hydride_ir::{Bits, Function, Op, ResultId, ResultSlot, Stmt};
use smt::Prover;

use crate::counterexample::counterexample;
use crate::meaning::{Meaning, compare};
use crate::report::{Access, Outcome};
use crate::side::Semantics;

/// What differs in the access to memory; `None` where nothing does.
pub(crate) fn other_access(old: &Semantics<'_>, new: &Semantics<'_>, prover: &mut Prover) -> Option<Outcome> {
    // What is not described in one of them is accessed as a whole.
    let whole = match (old.accessed, new.accessed) {
        (Some(_), None) => Some(all_bytes(new.function)?),
        (None, Some(_)) => Some(all_bytes(old.function)?),
        _ => None,
    };
    let bytes = [old.accessed, new.accessed].map(|accessed| accessed.or(whole.as_ref()));
    differing(Access::Bytes, bytes, prover)
        .or_else(|| differing(Access::Addresses, [old.addresses, new.addresses], prover))
}

fn differing(access: Access, sides: [Option<&Function>; 2], prover: &mut Prover) -> Option<Outcome> {
    let (old, new) = match sides {
        [Some(old), Some(new)] => (old, new),
        [None, None] => return None,
        _ => {
            let reason = format!("{} are computed on one side only", access.words());
            return Some(Outcome::OtherShape { reason });
        }
    };
    let of = |reason: String| format!("{}: {reason}", access.words());
    match compare(old.into(), new.into(), prover) {
        Meaning::Same(_) => None,
        Meaning::Different(witness) => {
            let counterexample = Box::new(counterexample(&witness, old, new));
            Some(Outcome::OtherAccess { access, counterexample })
        }
        Meaning::Unknown { reason, time } => Some(Outcome::unknown(of(reason), time)),
        Meaning::Incomparable(reason) => Some(Outcome::OtherShape { reason: of(reason) }),
    }
}

/// That each byte at each pointer is accessed; `None` if a width is no constant.
fn all_bytes(function: &Function) -> Option<Function> {
    let mut all = Function::new(function.name.clone());
    all.args.clone_from(&function.args);
    for memory in function.args.iter().filter(|arg| arg.role.is_memory()) {
        let bytes = u32::try_from(memory.width.as_constant()? / 8).ok()?;
        let result = ResultId(u32::try_from(all.results.len()).ok()?);
        all.results.push(ResultSlot { name: memory.name.clone(), width: bytes.into() });
        let value = all.push(Op::Const(Bits::ones(bytes)), bytes);
        all.body.push(Stmt::Assign { result, low: 0u32.into(), value });
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(text: &str) -> Function {
        Function::parse(text).expect("a legal text")
    }

    #[test]
    fn a_mask_that_governs_other_bytes_is_noticed() {
        let load = function(
            "func @load(%k: 8, %p: 16 mem align 1) -> (%d: 16) {\n  \
             for i in 0..2 {\n    %d[8*i +: 8] = select(%k[i +: 1], %p[8*i +: 8], 0x00:8)\n  }\n}\n",
        );
        let accessed = |byte: &str| {
            function(&format!(
                "func @load(%k: 8, %p: 16 mem align 1) -> (%p: 2) {{\n  %p[0 +: 1] = %k[0 +: 1]\n  \
                 %p[1 +: 1] = {byte}\n}}\n"
            ))
        };
        let masked = accessed("%k[1 +: 1]");
        let whole = Semantics::from(&load);
        let own = Semantics { accessed: Some(&masked), ..whole };
        let first = accessed("%k[0 +: 1]");
        let other = Semantics { accessed: Some(&first), ..whole };
        let mut prover = Prover::new();
        assert_eq!(other_access(&own, &own, &mut prover), None);
        assert_eq!(other_access(&whole, &whole, &mut prover), None);
        for (old, new) in [(&own, &other), (&own, &whole), (&whole, &own)] {
            let found = other_access(old, new, &mut prover);
            let Some(Outcome::OtherAccess { access: Access::Bytes, counterexample }) = found else {
                panic!("{found:?}");
            };
            assert_ne!(counterexample.old, counterexample.new);
            assert_eq!((counterexample.new[0].name.as_str(), counterexample.new[0].width), ("p", 2));
        }
    }

    #[test]
    fn addresses_are_compared_where_both_compute_them() {
        let gather = function("func @gather(%i: 64, %p: 32 mem) -> (%d: 32) { %d[0 +: 32] = %p }");
        let address = |scale: &str| {
            function(&format!(
                "func @gather(%i: 64, %p: 32 mem) -> (%p: 64) {{ %p[0 +: 64] = mul(%i, {scale}:64) }}"
            ))
        };
        let (by_four, by_eight) = (address("0x04"), address("0x08"));
        let with = |addresses| Semantics { addresses, ..Semantics::from(&gather) };
        let mut prover = Prover::new();
        let mut compared = |old, new| other_access(&with(old), &with(new), &mut prover);
        assert_eq!(compared(Some(&by_four), Some(&by_four)), None);
        let other = compared(Some(&by_four), Some(&by_eight));
        assert!(matches!(other, Some(Outcome::OtherAccess { access: Access::Addresses, .. })), "{other:?}");
        assert!(matches!(compared(Some(&by_four), None), Some(Outcome::OtherShape { .. })));
    }
}
