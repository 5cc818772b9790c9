//! An operation with everything that the generated languages need to know in common: its type scheme
//! and the names of its operands.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use autoir::{Facts, Op, ValueType};
use hydride_ir::Function;
use memo::{Key, Memo, digest, key_of};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::check::Definition;
use crate::identifier::{class_name, llvm_type, operand_names};
use crate::identity::Identity;
use crate::scheme::{Attribute, Scheme, Slot};

/// An operation on its way into the templates.
pub(crate) struct Operation<'a> {
    pub(crate) op: &'a Op,
    pub(crate) scheme: Scheme,
    /// Names of the results, then of the arguments, then of the parameters.
    names: Vec<String>,
    /// The functions of the instances, computed on demand.
    pub(crate) functions: OnceLock<BTreeMap<&'a [i64], Result<Function, InstanceError>>>,
    /// What earlier runs made of operations, and the key of all that is known of this one, computed on demand.
    memo: &'a Memo,
    key: OnceLock<Key>,
    /// The equations that are proved, computed on demand.
    pub(crate) identities: OnceLock<Vec<Identity>>,
}

impl<'a> Operation<'a> {
    pub(crate) fn new(op: &'a Op, memo: &'a Memo) -> Self {
        let count = op.result_count();
        let result = |index: usize| if count == 1 { "res".to_owned() } else { format!("res_{index}") };
        let results: Vec<String> = (0..count).map(result).collect();
        let results = results.iter().map(String::as_str);
        let names = operand_names(results.chain(op.args().map(|(name, _)| name)).chain(op.param_names()));
        let scheme = Scheme::of(op);
        let (functions, key, identities) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Self { op, scheme, names, functions, memo, key, identities }
    }

    /// What `make` makes of this operation alone, or what an earlier run made of an equal one; `what` says which of the
    /// things that are made of it. Failures are not kept.
    pub(crate) fn kept<T: Serialize + DeserializeOwned, E>(
        &self,
        what: &str,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        let own = || self.key.get_or_init(|| key_of(self.op));
        self.memo.try_get_or(|| digest([what.as_bytes(), own()]), make)
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

    /// The operation's function, with these names.
    pub(crate) fn function(&self) -> Function {
        let mut function = self.op.named_function();
        for (arg, name) in function.args.iter_mut().zip(self.arg_names()) {
            arg.name.clone_from(name);
        }
        for (param, name) in function.params.iter_mut().zip(self.param_names()) {
            param.name.clone_from(name);
        }
        for (result, name) in function.results.iter_mut().zip(self.result_names()) {
            result.name.clone_from(name);
        }
        function
    }

    /// The parameters that do not follow from types, with their names.
    pub(crate) fn attributes(&self) -> impl Iterator<Item = (Attribute, &String)> + Clone {
        self.scheme.attributes.iter().map(|attribute| (*attribute, &self.param_names()[attribute.param]))
    }

    /// The values of the attributes among those of all parameters.
    pub(crate) fn attribute_values(&self, params: &[i64]) -> Vec<String> {
        self.scheme.attributes.iter().map(|attribute| params[attribute.param].to_string()).collect()
    }

    /// The name in LLVM assembly, without types.
    pub(crate) fn llvm_name(&self) -> String {
        format!("llvm.autollvm.{}", self.op.name)
    }

    /// The name in LLVM assembly of the instance at the given shapes.
    pub(crate) fn instance_name(&self, facts: &Facts) -> String {
        let types = self.scheme.overloads(facts).into_iter();
        types.fold(self.llvm_name(), |name, shape| format!("{name}.{}", llvm_type(shape).mangled()))
    }

    /// The name of the LLVM function that is the instance at the given parameter values and shapes, without `@`: that
    /// of the overloaded intrinsic without `llvm.`, then the attributes' values: `autollvm.add_wide.v8i16.v8i8.1_0`. The portable bodies,
    /// the definitions and the calls of MLIR's side share it.
    pub(crate) fn symbol(&self, params: &[i64], facts: &Facts) -> String {
        let name = self.instance_name(facts);
        let name = name.trim_start_matches("llvm.");
        let values = self.attribute_values(params);
        if values.is_empty() { name.to_owned() } else { format!("{name}.{}", values.join("_")) }
    }

    /// The argument types of an instance as a function: its types, except that an immediate has the type of
    /// the intrinsic's operand. The results are those of the facts.
    pub(crate) fn argument_types(&self, facts: &Facts) -> Vec<ValueType> {
        let own = |(slot, shape): (&Slot, &ValueType)| match slot {
            Slot::Immediate(width) => ValueType::scalar(*width),
            Slot::Overload { .. } | Slot::Related { .. } => *shape,
        };
        self.scheme.args.iter().zip(&facts.args).map(own).collect()
    }

    /// Positions of the immediates among arguments and attributes.
    pub(crate) fn immediates(&self) -> Vec<usize> {
        let args = self.scheme.args.iter().map(|slot| matches!(slot, Slot::Immediate(_)));
        let slots = args.chain(self.scheme.attributes.iter().map(|_| true)).enumerate();
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
            commutative: self.op.is_commutative(),
        }
    }
}

/// A member's parameter values at which the operation's function is not legal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("operation `{op}`: {message}")]
pub struct InstanceError {
    /// The operation.
    pub op: String,
    /// What is wrong.
    pub message: String,
}
