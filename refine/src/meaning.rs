//! A function as one of the IR: what it gives where nothing is poison and nothing undefined.

use hydride_ir::Function;

use crate::ast::{Body, elements};
use crate::bytes::Objects;
use crate::error::{Fault, Place};
use crate::generic::Lane;
use crate::graph::Graph;
use crate::target::Intrinsics;
use crate::translate::{Undef, translate};

/// The result of a function whose arguments and values are not poison, as a function of the IR: an argument for each
/// parameter and one result, the first element in the lowest bits. A function that makes a choice (`undef`, `freeze` of what
/// may be poison) has none, nor has one with loops that do not end after one iteration.
pub fn meaning(body: &Body, intrinsics: &dyn Intrinsics) -> Result<Function, Fault> {
    let refused = |what: &str| Fault::new(Place::default(), what);
    let mut graph = Graph::new();
    let no = graph.bool(false);
    let mut given = Vec::new();
    for parameter in &body.parameters {
        let widths = elements(&parameter.ty).ok_or_else(|| refused("a parameter that is not bits"))?;
        let whole = graph.argument(parameter.name.clone(), widths.iter().sum()).1;
        let (mut lanes, mut low) = (Vec::new(), 0);
        for width in widths {
            lanes.push(Lane { bits: graph.extract(whole, low, width), poison: no });
            low += width;
        }
        given.push(lanes);
    }
    let behavior = translate(
        &mut graph,
        &mut Objects::default(),
        body,
        &given,
        intrinsics,
        (Undef::Chosen, "first", 1),
    )?;
    if !behavior.choices.is_empty() {
        return Err(refused("a value that is chosen"));
    }
    if behavior.result.is_empty() {
        return Err(refused("a function without a result"));
    }
    let value = graph.concat(behavior.result.iter().map(|lane| lane.bits).collect());
    Ok(graph.function(&[value]))
}
