//! Two functions of one shape: do they mean the same?
//!
//! Cheap answers come first: both are raised into one graph of exact integers, where equal nodes are equal for
//! all inputs; then examples are tried; then the solver is asked about the slices that are left. Every
//! counterexample, the solver's too, has been evaluated on both functions before it is reported.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use hydride_ir::exact::{Dag, Lowering, NodeId, Register, raise_with};
use hydride_ir::{Function, ResultId, ResultSlot, Role, Stmt};
use parsers::UndefinedBits;
use smt::{Prover, Verdict};

use crate::absorb::absorb;
use crate::example::{Evaluator, Witness};
use crate::report::Proof;
use crate::shape::Shape;

/// How two functions relate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// Equal for all inputs, but for bits that both leave undefined.
    Same(Proof),
    /// Different for these arguments.
    Different(Witness),
    /// Not decided.
    Unknown {
        /// Why, for people.
        reason: String,
        /// The time spent on the question.
        time: Duration,
    },
    /// The functions have arguments or results of other numbers or widths.
    Incomparable(String),
}

/// A function with the bits of its results that it leaves undefined.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'a> {
    /// The semantics; its parameters have their default values.
    pub function: &'a Function,
    /// Bits that are not compared.
    pub undefined: &'a [UndefinedBits],
}

impl<'a> From<&'a Function> for Reading<'a> {
    fn from(function: &'a Function) -> Self {
        Self { function, undefined: &[] }
    }
}

/// Compares two readings. The prover's limits hold for each of its queries.
///
/// Bits that both leave undefined are not compared; a bit that only one leaves undefined is the 0 that its
/// function writes there.
/// Where the documented values of an immediate differ, the functions are compared on those that both have.
pub fn compare(old: Reading<'_>, new: Reading<'_>, prover: &mut Prover) -> Meaning {
    let (left, right) = (old.function, new.function);
    if old.undefined == new.undefined && left.args == right.args && left.body == right.body {
        let results = left.results.iter().map(|result| &result.width);
        if left.params == right.params
            && results.eq(right.results.iter().map(|result| &result.width))
            && left.exprs() == right.exprs()
        {
            return Meaning::Same(Proof::Identical);
        }
    }
    let shape = match Shape::common(left, right) {
        Ok(shape) => shape,
        Err(reason) => return Meaning::Incomparable(reason),
    };
    let start = Instant::now();
    let unknown = |reason: String| Meaning::Unknown { reason, time: start.elapsed() };
    let undefined = both_undefined(old.undefined, new.undefined);
    let mut pairs = match Pairs::new(left, right, &shape, &undefined) {
        Ok(pairs) => pairs,
        Err(reason) => return unknown(reason),
    };
    if pairs.differing.is_empty() {
        return Meaning::Same(Proof::Structural);
    }
    let evaluator = match Evaluator::new(left, right, &shape, &undefined) {
        Ok(evaluator) => evaluator,
        Err(error) => return unknown(error.to_string()),
    };
    if let Some(args) = evaluator.search() {
        return Meaning::Different(evaluator.witness(evaluator.minimal(args), false));
    }
    pairs.absorb();
    if pairs.differing.is_empty() {
        return Meaning::Same(Proof::Structural);
    }
    let Some((given, wanted)) = pairs.lower(left, &shape) else {
        return unknown("a value is too wide".to_owned());
    };
    match prover.equal(&given, &wanted) {
        Verdict::Equal => Meaning::Same(Proof::Smt),
        Verdict::Different(model) if evaluator.differs(&model.args) => {
            Meaning::Different(evaluator.witness(evaluator.minimal(model.args), true))
        }
        Verdict::Different(_) => unknown("the solver's example does not hold when evaluated".to_owned()),
        Verdict::Unknown(reason) => unknown(reason),
    }
}

/// The bits that both sides leave undefined.
pub fn both_undefined(old: &[UndefinedBits], new: &[UndefinedBits]) -> Vec<UndefinedBits> {
    let overlap = |one: &UndefinedBits, other: &UndefinedBits| {
        let low = one.low.max(other.low);
        let high = (one.low + one.width).min(other.low + other.width);
        (one.result == other.result && low < high).then_some(UndefinedBits {
            result: one.result,
            low,
            width: high - low,
        })
    };
    old.iter().flat_map(|one| new.iter().filter_map(move |other| overlap(one, other))).collect()
}

/// The slices of the results that are not one node on both sides.
struct Pairs {
    dag: Dag,
    /// Width and the two values.
    differing: Vec<(u32, NodeId, NodeId)>,
}

impl Pairs {
    fn new(
        left: &Function,
        right: &Function,
        shape: &Shape,
        undefined: &[UndefinedBits],
    ) -> Result<Self, String> {
        let mut dag = Dag::new(shape.args.iter().map(|(width, _)| *width).collect());
        let args: Vec<NodeId> = (0..shape.args.len()).map(|arg| dag.arg(arg as u32)).collect();
        let mut registers = |function: &Function| {
            let params: Vec<i64> = function.params.iter().map(|param| param.value).collect();
            let raised = raise_with(&mut dag, function, &params, &args).map_err(|error| error.to_string())?;
            let mut registers = vec![Register::default(); shape.results.len()];
            for (register, segments) in registers.iter_mut().zip(&raised.results) {
                for segment in segments {
                    register.write(segment.low, segment.width, segment.value);
                }
            }
            for bits in undefined {
                if let Some(register) = registers.get_mut(bits.result) {
                    register.clear(bits.low, bits.width);
                }
            }
            Ok::<_, String>(registers)
        };
        let (left, right) = (registers(left)?, registers(right)?);
        let mut differing = Vec::new();
        for ((left, right), width) in left.iter().zip(&right).zip(&shape.results) {
            // Cuts that both sides have, so that no value that was written as one is split.
            let ends = |register: &Register| -> Vec<u32> {
                register.extents().flat_map(|(low, width)| [low, low + width]).collect()
            };
            let other = ends(right);
            let mut cuts: Vec<u32> = ends(left).into_iter().filter(|end| other.contains(end)).collect();
            cuts.extend([0, *width]);
            cuts.sort_unstable();
            cuts.dedup();
            for cut in cuts.windows(2) {
                let (low, width) = (cut[0], cut[1] - cut[0]);
                let (given, wanted) = (left.read(&mut dag, low, width).0, right.read(&mut dag, low, width).0);
                if given != wanted {
                    differing.push((width, given, wanted));
                }
            }
        }
        Ok(Self { dag, differing })
    }

    /// Normalises selects on both sides; pairs that become the same node are dropped.
    fn absorb(&mut self) {
        let mut memo = BTreeMap::new();
        let mut left = Vec::new();
        for (width, given, wanted) in std::mem::take(&mut self.differing) {
            // Only the low bits count. Truncations inside hide what the choices have in common; those of signed
            // operands disappear where the whole is read as signed, others where nothing above is demanded.
            let dag = &mut self.dag;
            let readings: [fn(&mut Dag, NodeId, u32) -> NodeId; 2] =
                [Dag::demand, |dag, node, width| dag.slice(node, 0, width, true)];
            let forms = readings.map(|read| {
                [given, wanted].map(|node| {
                    let node = read(dag, node, width);
                    let absorbed = absorb(dag, node, &mut memo);
                    dag.demand(absorbed, width)
                })
            });
            if forms.iter().all(|[given, wanted]| given != wanted) {
                let [given, wanted] = forms[0];
                left.push((width, given, wanted));
            }
        }
        self.differing = left;
    }

    /// The two sides of all pairs as functions, one result for each pair.
    fn lower(&mut self, model: &Function, shape: &Shape) -> Option<(Function, Function)> {
        let mut args = model.args.clone();
        for (arg, (width, range)) in args.iter_mut().zip(&shape.args) {
            arg.width = (*width).into();
            arg.role = range.map_or(Role::Register, |(low, high)| Role::Immediate { low, high });
        }
        let side = |pick: &dyn Fn(NodeId, NodeId) -> NodeId| {
            let mut function = Function::new(&model.name);
            function.args.clone_from(&args);
            let mut lowering = Lowering::default();
            for (position, (width, given, wanted)) in self.differing.iter().enumerate() {
                let value = lowering.lower(&self.dag, pick(*given, *wanted), *width, &mut function).ok()?;
                function.results.push(ResultSlot { name: format!("r{position}"), width: (*width).into() });
                let result = ResultId(u32::try_from(position).ok()?);
                function.body.push(Stmt::Assign { result, low: 0u32.into(), value });
            }
            Some(function)
        };
        Some((side(&|given, _| given)?, side(&|_, wanted| wanted)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(text: &str) -> Function {
        Function::parse(text).expect("a legal text")
    }

    fn meaning(old: &str, new: &str) -> Meaning {
        let (old, new) = (function(old), function(new));
        compare((&old).into(), (&new).into(), &mut Prover::new())
    }

    #[test]
    fn loops_and_order_do_not_matter() {
        let looped = "func @f(%a: 32, %b: 32) -> (%d: 32) {\n  for i in 0..4 {\n    \
                      %d[8*i +: 8] = add(%a[8*i +: 8], %b[8*i +: 8])\n  }\n}\n";
        let flat = "func @f(%a: 32, %b: 32) -> (%d: 32) {\n  %d[16 +: 8] = add(%b[16 +: 8], %a[16 +: 8])\n  \
                    %d[0 +: 8] = add(%b[0 +: 8], %a[0 +: 8])\n  %d[24 +: 8] = add(%a[24 +: 8], %b[24 +: 8])\n  \
                    %d[8 +: 8] = add(%b[8 +: 8], %a[8 +: 8])\n}\n";
        assert_eq!(meaning(looped, flat), Meaning::Same(Proof::Structural));
        assert_eq!(meaning(flat, flat), Meaning::Same(Proof::Identical));
    }

    #[test]
    fn skipped_elements_are_elements_that_change_nothing() {
        let operators = [
            ("add", "0x00"),
            ("mul", "0x01"),
            ("and", "0xff"),
            ("or", "0x00"),
            ("max.u", "0x00"),
            ("min.s", "0x7f"),
        ];
        for (op, neutral) in operators {
            let [mut skipped, mut filled] = [false, true].map(|filled| {
                let mut text = "func @f(%k: 16, %a: 128) -> (%d: 8) {\n".to_owned();
                text.push_str(&format!("  let t0 = select(%k[0 +: 1], %a[0 +: 8], {neutral}:8)\n"));
                for lane in 1..16 {
                    let (before, element) = (format!("t{}", lane - 1), format!("%a[{} +: 8]", 8 * lane));
                    let mask = format!("%k[{lane} +: 1]");
                    let value = match filled {
                        true => format!("{op}({before}, select({mask}, {element}, {neutral}:8))"),
                        false => format!("select({mask}, {op}({before}, {element}), {before})"),
                    };
                    text.push_str(&format!("  let t{lane} = {value}\n"));
                }
                text + "  %d[0 +: 8] = t15\n}\n"
            });
            assert!(matches!(meaning(&skipped, &filled), Meaning::Same(_)), "{op}");
            std::mem::swap(&mut skipped, &mut filled);
            assert!(matches!(meaning(&skipped, &filled), Meaning::Same(_)), "{op}");
        }
    }

    #[test]
    fn a_rare_difference_is_found_by_the_solver_and_made_small() {
        let zero = "func @f(%a: 64) -> (%d: 8) {\n  %d[0 +: 8] = 0x00:8\n}\n";
        let rare = "func @f(%a: 64) -> (%d: 8) {\n  \
                    %d[0 +: 8] = cast.u(eq(mul(%a[0 +: 32], %a[0 +: 32]), 0x00df4f91:32), 8)\n}\n";
        let Meaning::Different(witness) = meaning(zero, rare) else { panic!("they differ") };
        assert!(witness.by_solver);
        assert_eq!(witness.args[0].words()[0] >> 32, 0, "the upper half is not read");
        assert_eq!((witness.old[0].to_u64(), witness.new[0].to_u64()), (Some(0), Some(1)));
    }

    #[test]
    fn bits_that_both_leave_undefined_are_not_compared() {
        let old = function("func @f(%a: 16) -> (%d: 16) {\n  %d[0 +: 16] = %a[0 +: 16]\n}\n");
        let new =
            function("func @f(%a: 16) -> (%d: 16) {\n  %d[0 +: 8] = %a[0 +: 8]\n  %d[8 +: 8] = 0x00:8\n}\n");
        let upper = [UndefinedBits { result: 0, low: 8, width: 8 }];
        let all = [UndefinedBits { result: 0, low: 4, width: 12 }];
        let mut prover = Prover::new();
        let mut meaning = |before: &[UndefinedBits], after: &[UndefinedBits]| {
            let old = Reading { function: &old, undefined: before };
            compare(old, Reading { function: &new, undefined: after }, &mut prover)
        };
        assert_eq!(meaning(&all, &upper), Meaning::Same(Proof::Structural));
        for undefined in [&[][..], &upper] {
            let Meaning::Different(witness) = meaning(&[], undefined) else {
                panic!("the upper half is no longer what it was")
            };
            assert_eq!(witness.args[0].words()[0].count_ones(), 1, "{witness:?}");
        }
    }

    #[test]
    fn shapes_must_agree_and_immediates_meet_in_common_values() {
        let text = |range: &str, literal: &str| {
            format!(
                "func @f(%a: 8, %n: 8 imm {range}) -> (%d: 8) {{\n  \
                     %d[0 +: 8] = select(eq(%n, {literal}:8), %a, 0x00:8)\n}}\n"
            )
        };
        // 9 is not a value of the second one's immediate.
        assert_eq!(meaning(&text("0..=15", "0x09"), &text("0..=7", "0x0a")), Meaning::Same(Proof::Smt));
        assert!(matches!(meaning(&text("0..=7", "0x01"), &text("0..=7", "0x02")), Meaning::Different(_)));
        assert!(matches!(meaning(&text("0..=3", "0x01"), &text("4..=7", "0x01")), Meaning::Incomparable(_)));
        let wide = "func @f(%a: 16) -> (%d: 8) {\n  %d[0 +: 8] = %a[0 +: 8]\n}\n";
        let narrow = "func @f(%a: 8) -> (%d: 8) {\n  %d[0 +: 8] = %a\n}\n";
        assert!(matches!(meaning(wide, narrow), Meaning::Incomparable(_)));
    }
}
