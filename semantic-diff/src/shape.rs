//! What two functions must have in common to be compared.

use hydride_ir::Function;
use interp::inputs::Operand;

/// Widths of the arguments and results of two functions of one shape, and the roles of the arguments.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Shape {
    pub args: Vec<Operand>,
    pub results: Vec<u32>,
}

impl Shape {
    /// The shape of one function, at its parameters' default values.
    pub(crate) fn of(function: &Function) -> Option<Self> {
        let value_of = |atom| match atom {
            hydride_ir::Atom::Param(param) => {
                function.params.get(param.0 as usize).map_or(0, |param| param.value)
            }
            hydride_ir::Atom::Index(_) => 0,
        };
        let width = |num: &hydride_ir::Num| {
            let width = u32::try_from(num.eval(value_of)?).ok()?;
            (1..=hydride_ir::MAX_WIDTH).contains(&width).then_some(width)
        };
        let args = function.args.iter().map(|arg| Some((width(&arg.width)?, arg.role.range())));
        let results = function.results.iter().map(|result| width(&result.width));
        Some(Self { args: args.collect::<Option<_>>()?, results: results.collect::<Option<_>>()? })
    }

    /// The shape that two functions share, or what they do not.
    pub(crate) fn common(left: &Function, right: &Function) -> Result<Self, String> {
        let (Some(left), Some(right)) = (Self::of(left), Self::of(right)) else {
            return Err("a width is out of range".to_owned());
        };
        if left.args.len() != right.args.len() {
            return Err(format!("{} and {} arguments", left.args.len(), right.args.len()));
        }
        if left.results != right.results {
            return Err(format!("results of {:?} and {:?} bits", left.results, right.results));
        }
        let pairs = left.args.into_iter().zip(right.args).enumerate();
        let args = pairs.map(|(position, (left, right))| {
            if left.0 != right.0 {
                return Err(format!("argument {position} has {} and {} bits", left.0, right.0));
            }
            let range = match (left.1, right.1) {
                (Some(left), Some(right)) => {
                    let range = (left.0.max(right.0), left.1.min(right.1));
                    if range.0 > range.1 {
                        return Err(format!("argument {position} has no value in common"));
                    }
                    Some(range)
                }
                (range, other) => range.or(other),
            };
            Ok((left.0, range))
        });
        Ok(Self { args: args.collect::<Result<_, _>>()?, results: left.results })
    }
}
