//! Questions for other solvers.
//!
//! Both functions are encoded without rewriting operators, and the two sides share no definitions: what our
//! simplifier would decide is left to the solver that reads the script.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use hydride_ir::Function;
use rustc_hash::FxHashSet;

use crate::encode::EncodeError;
use crate::prover::{Comparison, defaults};
use crate::query::Query;
use crate::smtlib::{Floats, declare_floats, question};
use crate::term::Terms;

/// The equality of two functions as a question to any solver of bit vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// SMT-LIB 2 in the logic `QF_BV`; `unsat` means that the functions are equal for all arguments. Floating-point
    /// operators are uninterpreted functions (`QF_UFBV`); then `sat` decides nothing.
    pub text: String,
    /// The result slices that are compared.
    pub slices: usize,
    /// The distinct questions among these: slices that differ only in the lanes they read are one question.
    pub questions: usize,
}

/// Asks whether two functions, at their parameters' default values, can differ. As in
/// [`crate::Prover::equal`], arguments and results correspond by position.
///
/// Each variable of the script is a slice of an argument, named after it; the number after `#` identifies the
/// question. Slices that differ only in the lanes that they read are one question.
pub fn script(left: &Function, right: &Function) -> Result<Script, EncodeError> {
    let Comparison { terms, signature, pairs } =
        Comparison::new(Terms::verbatim(), left, &defaults(left), right, &defaults(right))?;
    let arguments = argument_names(left);
    let comment = |name: &str| name.replace(['\n', '\r'], " ");
    let mut text = format!("; @{} = @{}: unsat means equal\n", comment(&left.name), comment(&right.name));
    let mut asked: FxHashSet<Vec<u64>> = FxHashSet::default();
    let mut differ = Vec::new();
    let mut functions: BTreeMap<String, String> = BTreeMap::new();
    let mut questions = String::new();
    for (left, right) in &pairs {
        let query = Query::new(&terms, [*left, *right], &signature);
        if asked.insert(query.key()) {
            declare_floats(&query, &mut functions);
            let number = asked.len();
            let name = |(arg, low): (u32, u32), width: u32| {
                format!("|{}[{low} +: {width}]#{number}|", arguments[arg as usize])
            };
            let places = query.places().zip(&query.variables);
            let names: Vec<String> = places.map(|(place, (width, _))| name(place, *width)).collect();
            differ.push(question(&query, number, &names, Floats::Uninterpreted, &mut questions));
        }
    }
    text.push_str(if functions.is_empty() { "(set-logic QF_BV)\n" } else { "(set-logic QF_UFBV)\n" });
    functions.into_values().for_each(|declaration| text.push_str(&declaration));
    text.push_str(&questions);
    let _ = writeln!(text, "(assert (or false\n  {}))\n(check-sat)", differ.join("\n  "));
    Ok(Script { text, slices: pairs.len(), questions: asked.len() })
}

/// The arguments' names without what a quoted symbol cannot hold, made distinct by position where necessary.
fn argument_names(function: &Function) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let names = function.args.iter().enumerate().map(|(position, arg)| {
        let mut name: String =
            arg.name.chars().filter(|c| c.is_ascii_graphic() && !"|\\".contains(*c)).collect();
        if name.is_empty() || !seen.insert(name.clone()) {
            name = format!("{name}@{position}");
            seen.insert(name.clone());
        }
        name
    });
    names.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_what_a_quoted_symbol_can_hold() {
        let mut function = Function::new("f");
        for name in ["a", "a b", "a|b\\", "ab", "", "@4", "a"] {
            let (width, role) = (8u32.into(), hydride_ir::Role::Register);
            function.args.push(hydride_ir::Arg { name: name.to_owned(), width, role });
        }
        assert_eq!(argument_names(&function), ["a", "ab", "ab@2", "ab@3", "@4", "@4@5", "a@6"]);
    }
}
