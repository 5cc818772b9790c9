//! Operations on wide vectors that are the same operations on parts of them.

use autoir::{Facts, ValueType};
use hydride_ir::lane::element_count;
use hydride_ir::{Atom, Num, ParamId};

use crate::operation::Operation;
use crate::scheme::Slot;

/// By how much numbers of elements are changed to see what follows from the types: halves and the like, and their
/// inverses.
const FACTORS: [(u32, u32); 6] = [(1, 2), (1, 4), (1, 8), (2, 1), (4, 1), (8, 1)];

/// The positions, among results and then arguments, of the vectors that are halved where the operation is: on the lower
/// and the upper halves of these, with the other arguments as they are, it gives the halves of its results.
/// `None` for an operation whose lanes depend on each other.
///
/// This follows from the lane form: each iteration of the outermost loop writes a part of the results, and reads the same
/// part of the arguments ([`element_count`]). The parameters that follow from the types of the halves must be those of
/// the whole, except for the number of iterations.
pub(crate) fn split_positions(operation: &Operation<'_>) -> Option<Vec<usize>> {
    let op = operation.op;
    let function = &op.class.function;
    let count = element_count(function, op.known.iter().map(|known| known.params.as_slice()))?;
    let results = function.results.iter().map(|result| &result.width);
    let widths: Vec<&Num> = results.chain(function.args.iter().map(|arg| &arg.width)).collect();
    let atom = Atom::Param(ParamId(u32::try_from(count).ok()?));
    let split: Vec<bool> = widths.iter().map(|width| width.atoms().any(|own| own == atom)).collect();
    let slots: Vec<&Slot> = operation.scheme.results.iter().chain(&operation.scheme.args).collect();
    let immediate = |(slot, split): (&&Slot, &bool)| *split && matches!(slot, Slot::Immediate(_));
    let all_results = split[..function.results.len()].iter().all(|split| *split);
    if !all_results || slots.iter().zip(&split).any(immediate) {
        return None;
    }
    let follows = |(params, facts): (&[i64], &Facts)| {
        FACTORS
            .iter()
            .all(|factor| parts_have_the_parameters(operation, params, facts, &split, count, *factor))
    };
    let elements = |(params, facts): (&[i64], &Facts)| {
        let shapes = facts.results.iter().chain(&facts.args).zip(&split).filter(|(_, split)| **split);
        shapes.into_iter().all(|(shape, _)| i64::from(shape.count) % params[count] == 0)
    };
    let known = || op.known.iter().map(|known| (known.params.as_slice(), &known.facts));
    if !known().all(|instance| elements(instance) && follows(instance)) {
        return None;
    }
    let positions = split.iter().enumerate().filter(|(_, split)| **split).map(|(position, _)| position);
    Some(positions.collect())
}

/// Whether at types of `by / over` as many elements the parameters that follow are the same, but for parameter number
/// `count`, which is `by / over` as large; or no such types exist.
fn parts_have_the_parameters(
    operation: &Operation<'_>,
    params: &[i64],
    facts: &Facts,
    split: &[bool],
    count: usize,
    (by, over): (u32, u32),
) -> bool {
    let scaled = |(shape, split): (&ValueType, &bool)| match split {
        false => Some(*shape),
        true if shape.count % over == 0 => Some(ValueType { count: shape.count / over * by, ..*shape }),
        true => None,
    };
    let (results, args) = split.split_at(facts.results.len());
    let results: Option<Vec<ValueType>> = facts.results.iter().zip(results).map(scaled).collect();
    let args: Option<Vec<ValueType>> = facts.args.iter().zip(args).map(scaled).collect();
    let (Some(results), Some(args)) = (results, args) else { return true };
    if params[count] % i64::from(over) != 0 {
        return true;
    }
    let parts = Facts { args, results };
    let mut inferred = params.to_vec();
    for inference in &operation.op.inferences {
        match inference.value(&parts, &inferred) {
            Some(value) => inferred[inference.param.0 as usize] = value,
            // No operation has these types.
            None => return true,
        }
    }
    let mut expected = params.to_vec();
    expected[count] = expected[count] / i64::from(over) * i64::from(by);
    inferred == expected
}
