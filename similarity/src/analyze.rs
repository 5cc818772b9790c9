//! One instruction by itself: its canonical function and its shape.

use std::borrow::Cow;
use std::sync::OnceLock;

use catalog::Source;
use hydride_ir::exact::{RaiseError, raise};
use hydride_ir::lane::{Form, Masking, emit};
use hydride_ir::passes::open_nans;
use hydride_ir::{Function, Num};
use memo::digest;
use serde::{Deserialize, Serialize};
use smt::{Key, Memo};

use crate::cached::{Keyed, of_function};
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

impl<'a> Analyzed<'a> {
    /// The function with its key.
    pub(crate) fn keyed(&self) -> Keyed<'a> {
        Keyed { function: self.function, key: &self.analysis.key }
    }
}

/// What is known of an instruction before it is compared with others.
#[derive(Debug, Serialize, Deserialize)]
pub struct Analysis {
    /// The function in canonical lane form, with its masking; `None` if there is no compact lane form.
    pub canonical: Option<Function>,
    /// The instruction as an operation under its masking.
    pub shape: Shape,
    /// The key of the analyzed function's content, computed on demand.
    #[serde(skip)]
    key: OnceLock<Key>,
}

impl Analysis {
    pub(crate) fn new(canonical: Option<Function>, shape: Shape) -> Self {
        Self { canonical, shape, key: OnceLock::new() }
    }

    /// The key of all that the texts of the analyzed function and of its canonical form depend on: what it says, and its
    /// names. `function` must be the one that was analyzed.
    pub fn text_key(&self, function: &Function) -> Key {
        let Function { name, args, results, .. } = function;
        let names = args.iter().map(|arg| &arg.name).chain(results.iter().map(|result| &result.name));
        let names = std::iter::once(name).chain(names).map(String::as_bytes);
        let key = Keyed { function, key: &self.key }.key();
        digest([b"text".as_slice(), &key].into_iter().chain(names))
    }
}

/// What [`analyze`] finds, or what an earlier run kept of it.
pub fn analyze_with(function: &Function, memo: &Memo) -> Result<Analysis, RaiseError> {
    let mut refused = None;
    let key = OnceLock::new();
    let found = of_function("analysis", Keyed { function, key: &key }, memo, || {
        let found = analyze(function);
        found.map_err(|error| refused = Some(error)).ok()
    });
    match (found, refused) {
        (Some(mut analysis), _) => {
            analysis.key = key;
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
    let mut canonical = lane_form(&mut dag, &raised, function);
    let text = canonical
        .as_ref()
        .map(|canonical| canonical_function(function, &canonical.form, canonical.masking.as_ref()));
    // What is compared with others leaves open which NaN a NaN is.
    let open = open_nans(function);
    let function = &*open;
    if let Cow::Owned(function) = &open {
        let (mut dag, raised) = raise(function)?;
        canonical = lane_form(&mut dag, &raised, function);
    }
    let own: Vec<Source> = (0..function.args.len() as u32).map(Source::Own).collect();
    let shape = match canonical {
        Some(canonical) => form_shape(canonical, function, &own, None),
        None => general_shape(function),
    };
    Ok(Analysis::new(text, shape))
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
