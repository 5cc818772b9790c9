//! One instruction by itself: its canonical function, and the key under which it meets its likes.

use catalog::{Part, Source};
use hydride_ir::exact::{Dag, RaiseError, Raised, raise};
use hydride_ir::lane::{Canonical, Form, Kind, Masking, canonicalize, emit};
use hydride_ir::{Function, Num, Role};
use serde::{Deserialize, Serialize};
use smt::Memo;

use crate::cached::of_function;
use crate::identity::Encoding;

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

/// An instruction as an operation with modifiers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Shape {
    /// The operation's form with its arguments renumbered in order of first use; `None` if there is no
    /// compact lane form.
    pub form: Option<Form<i64>>,
    /// For each argument of the operation where it comes from.
    pub args: Vec<Source>,
    /// The removed masking.
    pub masking: Option<Masking>,
    /// The part of the result that the operation writes, when it is not the whole.
    pub part: Option<Part>,
    /// Structure without numbers: instructions with one key are members of one class. 32 hexadecimal digits.
    pub key: String,
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

/// The lane form of `raised`, which reads the arguments of `function` and perhaps further ones.
pub(crate) fn lane_form(dag: &mut Dag, raised: &Raised, function: &Function) -> Option<Canonical> {
    let may_mask = |arg: u32| function.args.get(arg as usize).is_some_and(|arg| arg.role == Role::Register);
    canonicalize(dag, raised, may_mask).filter(|canonical| is_short(canonical, raised))
}

/// The shape of a form; `sources` says where the arguments that its leaves name come from.
pub(crate) fn form_shape(
    canonical: Canonical,
    function: &Function,
    sources: &[Source],
    part: Option<Part>,
) -> Shape {
    let Canonical { form, masking } = canonical;
    let (mut form, order) = renumber(form);
    let args: Vec<Source> = order.iter().map(|arg| sources[*arg as usize]).collect();
    // An immediate is encoded whole, whatever bits of it are used.
    for (width, source) in form.arg_widths.iter_mut().zip(&args) {
        if let Some(own) = source.own().map(|arg| &function.args[arg as usize])
            && let (Role::Immediate { .. }, Some(whole)) = (own.role, own.width.as_constant())
        {
            *width = whole;
        }
    }
    let key = form_key(&form, function, &args);
    Shape { form: Some(form), args, masking, part, key }
}

/// A form that needs more terms than the flat function has segments recovers nothing.
fn is_short(canonical: &Canonical, raised: &Raised) -> bool {
    let statements: usize = canonical.form.results.iter().map(|result| result.statements.len()).sum();
    let segments: usize = raised.results.iter().map(Vec::len).sum();
    statements <= segments.max(8)
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

/// Renumbers arguments in order of first use and drops those that are not read; returns for each kept
/// argument its old position.
fn renumber(mut form: Form<i64>) -> (Form<i64>, Vec<u32>) {
    let mut order: Vec<u32> = Vec::new();
    for result in &mut form.results {
        for statement in &mut result.statements {
            for term in &mut statement.template.terms {
                if let Kind::Leaf { arg, .. } | Kind::Arg(arg) = &mut term.kind {
                    let position = order.iter().position(|known| known == arg).unwrap_or_else(|| {
                        order.push(*arg);
                        order.len() - 1
                    });
                    *arg = position as u32;
                }
            }
        }
    }
    form.arg_widths = order.iter().map(|arg| form.arg_widths[*arg as usize]).collect();
    (form, order)
}

fn is_immediate(function: &Function, source: Source) -> bool {
    let role = |arg: u32| function.args[arg as usize].role;
    source.own().is_some_and(|arg| matches!(role(arg), Role::Immediate { .. }))
}

fn form_key(form: &Form<i64>, function: &Function, args: &[Source]) -> String {
    let immediates: Vec<bool> = args.iter().map(|source| is_immediate(function, *source)).collect();
    let mut encoding = Encoding::new("form");
    encoding.structure(form, &immediates);
    encoding.key()
}

/// The shape of an instruction without lane form: its semantics, ignoring names.
fn general_shape(function: &Function) -> Shape {
    let mut nameless = function.clone();
    nameless.name = "general".into();
    for (position, arg) in nameless.args.iter_mut().enumerate() {
        arg.name = format!("a{position}");
    }
    for (position, result) in nameless.results.iter_mut().enumerate() {
        result.name = format!("r{position}");
    }
    let mut encoding = Encoding::new("function");
    encoding.text(&nameless.to_string());
    let key = encoding.key();
    let args = (0..function.args.len() as u32).map(Source::Own).collect();
    Shape { form: None, args, masking: None, part: None, key }
}
