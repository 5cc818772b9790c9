//! The shape of an instruction: an operation's form and where its arguments come from, with the structural key under
//! which equal operations meet.

use catalog::{Part, Source};
use hydride_ir::exact::{Dag, Raised};
use hydride_ir::lane::{Canonical, Form, Kind, Masking, canonicalize};
use hydride_ir::passes::open_nans;
use hydride_ir::{Function, Role};
use memo::Late;
use serde::{Deserialize, Serialize};

use crate::identity::Encoding;

/// An instruction as an operation with modifiers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Shape {
    /// The operation's form with its arguments renumbered in order of first use; `None` if there is no
    /// compact lane form.
    pub form: Late<Option<Form<i64>>>,
    /// For each argument of the operation where it comes from.
    pub args: Vec<Source>,
    /// The removed masking.
    pub masking: Option<Masking>,
    /// The part of the result that the operation writes, when it is not the whole.
    pub part: Option<Part>,
    /// Structure without numbers: instructions with one key are members of one class. 32 hexadecimal digits.
    pub key: String,
}

/// The lane form of `raised`, which reads the arguments of `function` and perhaps further ones.
pub(crate) fn lane_form(dag: &mut Dag, raised: &Raised, function: &Function) -> Option<Canonical> {
    let may_mask = |arg: u32| function.args.get(arg as usize).is_some_and(|arg| !arg.role.is_immediate());
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
    Shape { form: Some(form).into(), args, masking, part, key }
}

/// A form that needs more terms than the flat function has segments recovers nothing.
fn is_short(canonical: &Canonical, raised: &Raised) -> bool {
    let statements: usize = canonical.form.results.iter().map(|result| result.statements.len()).sum();
    let segments: usize = raised.results.iter().map(Vec::len).sum();
    statements <= segments.max(8)
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

/// Whether a source takes the place of an immediate. The numbers that [roundings](crate::modifiers) fix do, none of which
/// is 0; a fixed zero takes the place of a register.
fn is_immediate(function: &Function, source: Source) -> bool {
    match source {
        Source::Own(arg) => function.args[arg as usize].role.is_immediate(),
        Source::Constant(number) => number != 0,
        Source::Broadcast(_) | Source::Masked(_) => false,
    }
}

fn form_key(form: &Form<i64>, function: &Function, args: &[Source]) -> String {
    let immediates: Vec<bool> = args.iter().map(|source| is_immediate(function, *source)).collect();
    let mut encoding = Encoding::new("form");
    encoding.structure(form, &immediates);
    encoding.key()
}

/// The shape of an instruction without lane form: its semantics, ignoring names.
pub(crate) fn general_shape(function: &Function) -> Shape {
    let mut nameless = open_nans(function).into_owned();
    nameless.name = "general".into();
    for (position, arg) in nameless.args.iter_mut().enumerate() {
        arg.name = format!("a{position}");
        arg.role = arg.role.loaded();
    }
    for (position, result) in nameless.results.iter_mut().enumerate() {
        result.name = format!("r{position}");
    }
    let mut encoding = Encoding::new("function");
    encoding.text(&nameless.to_string());
    let key = encoding.key();
    let args = (0..function.args.len() as u32).map(Source::Own).collect();
    Shape { form: None.into(), args, masking: None, part: None, key }
}
