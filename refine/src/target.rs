//! What intrinsics of targets compute, and which elements of their operands each element of their results depends on.

use hydride_ir::{Bits, Function as Ir, passes};

use crate::graph::Graph;

/// What a target's intrinsic computes.
#[derive(Clone, Debug)]
pub struct Target {
    /// A function of the IR with one result, as wide as that of the intrinsic; where that one is a single number, maybe its low
    /// bits alone: nothing is known of the others.
    pub function: Ir,
    /// For each of its arguments the call's operand that it is.
    pub arguments: Vec<Argument>,
}

/// An argument of a target's function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// An operand of the call, by position.
    Operand(usize),
    /// A constant.
    Constant(Bits),
}

/// Where the meaning of intrinsics of targets comes from.
pub trait Intrinsics {
    /// What the intrinsic of that name computes. Operands that are constants are given; `Err` says why it is not known.
    fn find(&self, name: &str, constants: &[Option<Bits>]) -> Result<Target, String>;
}

/// No intrinsics of targets.
pub struct NoIntrinsics;

impl Intrinsics for NoIntrinsics {
    fn find(&self, name: &str, _: &[Option<Bits>]) -> Result<Target, String> {
        Err(format!("@{name} is outside of what is modelled"))
    }
}

/// A target's function, and for each element of its result the elements of operands that it depends on.
pub(crate) struct Known {
    pub function: Ir,
    pub arguments: Vec<Argument>,
    pub depends: Vec<Vec<(usize, usize)>>,
}

/// A target's function without loops, and what each element of its result depends on; `None` if widths do not fit.
pub(crate) fn known(target: Target, widths: &[Vec<u32>], results: &[u32]) -> Option<Known> {
    let function = passes::unroll(&target.function).ok()?;
    let mut graph = Graph::new();
    let mut places = Vec::new();
    let mut wholes = Vec::new();
    for (operand, widths) in widths.iter().enumerate() {
        let mut lanes = Vec::new();
        for (lane, width) in widths.iter().enumerate() {
            lanes.push(graph.argument(String::new(), *width).1);
            places.push((operand, lane));
        }
        wholes.push(graph.concat(lanes));
    }
    let mut arguments = Vec::new();
    for (argument, declared) in target.arguments.iter().zip(&function.args) {
        let value = match argument {
            Argument::Operand(position) => *wholes.get(*position)?,
            Argument::Constant(bits) => graph.bits(bits.clone()),
        };
        if declared.width.as_constant() != Some(i64::from(graph.width(value))) {
            return None;
        }
        arguments.push(value);
    }
    let spliced = graph.splice(&function, &arguments)?;
    let whole = graph.concat(spliced);
    let (own, all) = (graph.width(whole), results.iter().sum::<u32>());
    let fits = own == all || own < all && results.len() == 1;
    if !fits || arguments.len() != function.args.len() {
        return None;
    }
    let (mut depends, mut low) = (Vec::new(), 0);
    for width in results {
        let own = graph.extract(whole, low, own.min(*width));
        depends.push(graph.arguments_of(own).into_iter().map(|arg| places[arg.0 as usize]).collect());
        low += width;
    }
    Some(Known { function, arguments: target.arguments, depends })
}
