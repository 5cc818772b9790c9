//! Two readings of one instruction: do they mean the same?
//!
//! Both functions are raised into one graph of exact integers; equal nodes are equal for all inputs.
//! Where the nodes differ, an evaluator that the caller brings may tell on examples.

use hydride_ir::exact::{Dag, NodeId, Part, RaiseError, raise_with};
use hydride_ir::{Bits, Function, Role};

use crate::{Instruction, Parsed};

/// Evaluates a function on arguments; `None` when it cannot.
pub type Evaluate<'a> = &'a (dyn Fn(&Function, &[Bits]) -> Option<Vec<Bits>> + Sync);

/// How two readings relate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// Equal for all inputs.
    Equal,
    /// Different expressions that agree on this many examples.
    Examples(usize),
    /// Different results for these arguments.
    Different(Vec<Bits>),
    /// Different expressions, not evaluated.
    Unknown,
    /// Arguments or results differ in number or width, or a function cannot be raised.
    Incomparable(String),
}

/// One instruction that both documents describe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The instruction's id.
    pub id: String,
    /// How its two readings relate.
    pub agreement: Agreement,
}

/// Examples tried on readings whose expressions differ.
const EXAMPLES: usize = 64;

/// Compares the instructions that both of two readings have, in the order of the first.
pub fn compare(first: &Parsed, second: &Parsed, evaluate: Option<Evaluate<'_>>) -> Vec<Comparison> {
    use rayon::prelude::*;
    let others: rustc_hash::FxHashMap<&str, &Instruction> =
        second.instructions.iter().map(|instruction| (instruction.id.as_str(), instruction)).collect();
    first
        .instructions
        .par_iter()
        .filter_map(|instruction| Some((instruction, *others.get(instruction.id.as_str())?)))
        .map(|(left, right)| {
            let agreement = functions(&left.function, &right.function, evaluate);
            Comparison { id: left.id.clone(), agreement }
        })
        .collect()
}

fn widths(function: &Function) -> Option<(Vec<u32>, Vec<u32>)> {
    let number = |num: &hydride_ir::Num| num.as_constant().and_then(|width| u32::try_from(width).ok());
    let args = function.args.iter().map(|arg| number(&arg.width)).collect::<Option<_>>()?;
    let results = function.results.iter().map(|result| number(&result.width)).collect::<Option<_>>()?;
    Some((args, results))
}

fn functions(left: &Function, right: &Function, evaluate: Option<Evaluate<'_>>) -> Agreement {
    let (Some(shape), Some(other)) = (widths(left), widths(right)) else {
        return Agreement::Incomparable("a width is a parameter".into());
    };
    if shape != other {
        return Agreement::Incomparable("arguments or results differ".into());
    }
    let mut dag = Dag::new(shape.0.clone());
    let args: Vec<NodeId> = (0..shape.0.len()).map(|arg| dag.arg(arg as u32)).collect();
    let mut results = |function: &Function| -> Result<Vec<NodeId>, RaiseError> {
        let raised = raise_with(&mut dag, function, &[], &args)?;
        let concat = |segments: &Vec<hydride_ir::exact::Segment>| {
            let parts: Vec<Part> =
                segments.iter().map(|segment| Part { node: segment.value, width: segment.width }).collect();
            dag.concat(&parts)
        };
        Ok(raised.results.iter().map(concat).collect())
    };
    match (results(left), results(right)) {
        (Ok(left), Ok(right)) if left == right => return Agreement::Equal,
        (Ok(_), Ok(_)) => {}
        (Err(error), _) | (_, Err(error)) => return Agreement::Incomparable(error.to_string()),
    }
    let Some(evaluate) = evaluate else { return Agreement::Unknown };
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for example in 0..EXAMPLES {
        let args: Vec<Bits> = left
            .args
            .iter()
            .zip(&shape.0)
            .map(|(arg, width)| random.argument(arg.role, *width, example))
            .collect();
        match (evaluate(left, &args), evaluate(right, &args)) {
            (Some(left), Some(right)) if left == right => {}
            (Some(_), Some(_)) => return Agreement::Different(args),
            _ => return Agreement::Unknown,
        }
    }
    Agreement::Examples(EXAMPLES)
}

/// A small generator (xorshift), so that examples are the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn argument(&mut self, role: Role, width: u32, example: usize) -> Bits {
        if let Role::Immediate { low, high } = role {
            let span = high.abs_diff(low).saturating_add(1).max(1);
            let value = low.wrapping_add_unsigned(self.next() % span);
            return Bits::from_words(width, std::iter::repeat_n(value as u64, 1));
        }
        // Every fourth example has bytes at the ends of their ranges.
        let extremes = [0x00, 0x01, 0x7f, 0x80, 0x81, 0xff, 0xfe, 0x55];
        let words = (0..width.div_ceil(64)).map(|_| {
            let word = self.next();
            if example % 4 != 3 {
                return word;
            }
            u64::from_le_bytes(word.to_le_bytes().map(|byte| extremes[usize::from(byte % 8)]))
        });
        let words: Vec<u64> = words.collect();
        Bits::from_words(width, words)
    }
}
