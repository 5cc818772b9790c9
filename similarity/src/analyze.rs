//! One instruction by itself: its canonical function and its shape.

use catalog::Source;
use hydride_ir::exact::{RaiseError, raise};
use hydride_ir::lane::{Form, Masking, emit};
use hydride_ir::{Function, Num};
use serde::{Deserialize, Serialize};
use smt::Memo;

use crate::cached::of_function;
use crate::shape::{Shape, form_shape, general_shape, lane_form};

/// An instruction with its analysis, to be classified.
#[derive(Clone, Copy, Debug)]
pub struct Analyzed<'a> {
    /// The instruction set and the id; entries are classified in this order.
    pub isa: &'a str,
    /// The instruction's id.
    pub id: &'a str,
    /// The directly parsed semantics.
    pub function: &'a Function,
    /// What [`analyze`] found.
    pub analysis: &'a Analysis,
}

/// What is known of an instruction before it is compared with others.
#[derive(Debug, Serialize, Deserialize)]
pub struct Analysis {
    /// The function in canonical lane form, with its masking; `None` if there is no compact lane form.
    pub canonical: Option<Function>,
    /// The instruction as an operation under its masking.
    pub shape: Shape,
}

/// What [`analyze`] finds, or what an earlier run kept of it.
pub fn analyze_with(function: &Function, memo: &Memo) -> Result<Analysis, RaiseError> {
    let mut refused = None;
    let found = of_function("analysis", function, memo, || {
        let found = analyze(function);
        found.map_err(|error| refused = Some(error)).ok()
    });
    match (found, refused) {
        (Some(mut analysis), _) => {
            if let Some(canonical) = &mut analysis.canonical {
                name_as(canonical, function);
            }
            Ok(analysis)
        }
        (None, Some(refused)) => Err(refused),
        (None, None) => analyze(function),
    }
}

/// Brings a function into canonical form and finds its key.
pub fn analyze(function: &Function) -> Result<Analysis, RaiseError> {
    let (mut dag, raised) = raise(function)?;
    let canonical = lane_form(&mut dag, &raised, function);
    let text = canonical
        .as_ref()
        .map(|canonical| canonical_function(function, &canonical.form, canonical.masking.as_ref()));
    let own: Vec<Source> = (0..function.args.len() as u32).map(Source::Own).collect();
    let shape = match canonical {
        Some(canonical) => form_shape(canonical, function, &own, None),
        None => general_shape(function),
    };
    Ok(Analysis { canonical: text, shape })
}

fn canonical_function(function: &Function, form: &Form<i64>, masking: Option<&Masking>) -> Function {
    let mut canonical = Function::new("");
    name_as(&mut canonical, function);
    let form = form.map(&mut |_, number, _| Num::constant(*number), &|number| *number == 1);
    emit(&form, masking, &mut canonical);
    canonical
}

/// Gives a function the name, arguments and results of another.
fn name_as(canonical: &mut Function, function: &Function) {
    canonical.name.clone_from(&function.name);
    canonical.args.clone_from(&function.args);
    canonical.results.clone_from(&function.results);
}
