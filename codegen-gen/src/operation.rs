//! An operation with everything that the generated languages need to know in common: its type scheme
//! and the names of its operands.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use autoir::{Facts, Op};
use hydride_ir::Function;

use crate::check::Definition;
use crate::identifier::{class_name, mangled_type, operand_names};
use crate::instance::InstanceError;
use crate::scheme::{Scheme, Slot};

/// An operation on its way into the templates.
pub(crate) struct Operation<'a> {
    pub(crate) op: &'a Op,
    pub(crate) scheme: Scheme,
    /// Names of the results, then of the arguments, then of the parameters.
    names: Vec<String>,
    /// The functions of the instances, once they are asked for.
    pub(crate) functions: OnceLock<BTreeMap<&'a [i64], Result<Function, InstanceError>>>,
}

impl<'a> Operation<'a> {
    pub(crate) fn new(op: &'a Op) -> Self {
        let count = op.result_count();
        let result = |index: usize| if count == 1 { "res".to_owned() } else { format!("res_{index}") };
        let results: Vec<String> = (0..count).map(result).collect();
        let results = results.iter().map(String::as_str);
        let names = operand_names(results.chain(op.args().map(|(name, _)| name)).chain(op.param_names()));
        Self { op, scheme: Scheme::of(op), names, functions: OnceLock::new() }
    }

    /// The results' names in the generated languages.
    pub(crate) fn result_names(&self) -> &[String] {
        &self.names[..self.scheme.results.len()]
    }

    /// The arguments' names in the generated languages.
    pub(crate) fn arg_names(&self) -> &[String] {
        &self.names[self.scheme.results.len()..][..self.scheme.args.len()]
    }

    /// The parameters' names in the generated languages.
    pub(crate) fn param_names(&self) -> &[String] {
        &self.names[self.scheme.results.len() + self.scheme.args.len()..]
    }

    /// The name in LLVM assembly, without types.
    pub(crate) fn llvm_name(&self) -> String {
        format!("llvm.autollvm.{}", self.op.name)
    }

    /// The name in LLVM assembly of the instance at the given shapes.
    pub(crate) fn instance_name(&self, facts: &Facts) -> String {
        let types = self.scheme.overloads(facts).into_iter();
        types.fold(self.llvm_name(), |name, shape| format!("{name}.{}", mangled_type(shape)))
    }

    /// Positions of the immediates among arguments and parameters.
    pub(crate) fn immediates(&self) -> Vec<usize> {
        let args = self.scheme.args.iter().map(|slot| matches!(slot, Slot::Immediate(_)));
        let slots = args.chain(self.scheme.params.iter().map(|_| true)).enumerate();
        slots.filter(|(_, immediate)| *immediate).map(|(position, _)| position).collect()
    }

    /// What is checked before anything is written.
    pub(crate) fn definition(&self) -> Definition {
        Definition {
            op: self.op.name.clone(),
            record: format!("int_autollvm_{}", self.op.name),
            llvm_name: self.llvm_name(),
            class: class_name(&self.op.name),
            operands: self.names.clone(),
            scheme: self.scheme.clone(),
            immediates: self.immediates(),
            commutative: self.op.class.commutative,
        }
    }
}
