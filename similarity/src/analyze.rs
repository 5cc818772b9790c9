//! One instruction by itself: its canonical function, and the key under which it meets its likes.

use hydride_ir::exact::{RaiseError, Raised, raise};
use hydride_ir::lane::{Canonical, Form, Kind, Masking, canonicalize, emit};
use hydride_ir::{Function, Num, Role};

/// What is known of an instruction before it is compared with others.
#[derive(Debug)]
pub struct Analysis {
    /// The function in canonical lane form, with its masking; `None` where there is no short lane form.
    pub canonical: Option<Function>,
    /// The unmasked form with its arguments renumbered in order of first use; `None` as above.
    pub form: Option<Form<i64>>,
    /// For each argument of the form the instruction's own.
    pub args: Vec<u32>,
    /// The masking taken off.
    pub masking: Option<Masking>,
    /// Structure without numbers: instructions with one key are members of one class. 32 hexadecimal digits.
    pub key: String,
}

/// Brings a function into canonical form and finds its key.
pub fn analyze(function: &Function) -> Result<Analysis, RaiseError> {
    let (mut dag, raised) = raise(function)?;
    let canonical = canonicalize(&mut dag, &raised, |arg| function.args[arg as usize].role == Role::Register)
        .filter(|canonical| is_short(canonical, &raised));
    let Some(Canonical { form, masking }) = canonical else {
        return Ok(Analysis {
            canonical: None,
            form: None,
            args: Vec::new(),
            masking: None,
            key: general_key(function),
        });
    };
    let text = canonical_function(function, &form, masking.as_ref());
    let (mut form, args) = renumber(form);
    // An immediate is encoded whole, whatever bits of it are used.
    for (width, arg) in form.arg_widths.iter_mut().zip(&args) {
        let own = &function.args[*arg as usize];
        if let (Role::Immediate { .. }, Some(whole)) = (own.role, own.width.as_constant()) {
            *width = whole;
        }
    }
    let key = form_key(&form, function, &args);
    Ok(Analysis { canonical: Some(text), form: Some(form), args, masking, key })
}

/// A form that needs more terms than the flat function has segments recovers nothing.
fn is_short(canonical: &Canonical, raised: &Raised) -> bool {
    let statements: usize = canonical.form.results.iter().map(|result| result.statements.len()).sum();
    let segments: usize = raised.results.iter().map(Vec::len).sum();
    statements <= segments.max(8)
}

fn canonical_function(function: &Function, form: &Form<i64>, masking: Option<&Masking>) -> Function {
    let mut canonical = Function::new(&function.name);
    canonical.args = function.args.clone();
    canonical.results = function.results.clone();
    let form = form.map(&mut |_, number, _| Num::constant(*number), &|number| *number == 1);
    emit(&form, masking, &mut canonical);
    canonical
}

/// Renumbers arguments in order of first use and drops those that are not read; returns for each kept
/// argument its old position.
fn renumber(mut form: Form<i64>) -> (Form<i64>, Vec<u32>) {
    let mut order: Vec<u32> = Vec::new();
    for result in &mut form.results {
        for statement in &mut result.statements {
            for term in &mut statement.template.terms {
                if let Kind::Leaf(arg) | Kind::Arg(arg) = &mut term.kind {
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

fn form_key(form: &Form<i64>, function: &Function, args: &[u32]) -> String {
    let mut hasher = blake3::Hasher::new();
    for arg in args {
        let immediate = matches!(function.args[*arg as usize].role, Role::Immediate { .. });
        hasher.update(&[u8::from(immediate)]);
    }
    for result in &form.results {
        hasher.update(b"result");
        for statement in &result.statements {
            hasher.update(b"statement");
            for term in &statement.template.terms {
                hasher.update(format!("{:?}{:?}{:?};", term.kind, term.children, term.folds).as_bytes());
            }
        }
    }
    hasher.finalize().to_hex()[..32].to_string()
}

/// The key of an instruction without lane form: its own semantics, names apart.
fn general_key(function: &Function) -> String {
    let mut nameless = function.clone();
    nameless.name = "general".into();
    for (position, arg) in nameless.args.iter_mut().enumerate() {
        arg.name = format!("a{position}");
    }
    for (position, result) in nameless.results.iter_mut().enumerate() {
        result.name = format!("r{position}");
    }
    blake3::hash(nameless.to_string().as_bytes()).to_hex()[..32].to_string()
}
