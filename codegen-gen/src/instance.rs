//! The instances of an operation: one for each assignment of its parameters that a member has.

use std::collections::{BTreeMap, BTreeSet};

use autoir::Facts;
use hydride_ir::passes::{dead_code, instantiate};
use hydride_ir::{Function, VerifyError};

use crate::fuse::fuse;
use crate::operation::{InstanceError, Operation};

/// An operation at given values of its parameters.
pub(crate) struct Instance<'a> {
    /// A value for each parameter, in order.
    pub(crate) params: &'a [i64],
    /// The shapes of arguments and results.
    pub(crate) facts: &'a Facts,
    /// The name of the LLVM function that is this instance.
    pub(crate) symbol: String,
}

impl Operation<'_> {
    /// The distinct instances, sorted by parameter values.
    pub(crate) fn instances(&self) -> Vec<Instance<'_>> {
        let distinct: BTreeMap<&[i64], &Facts> = self
            .op
            .instances()
            .map(|(member, facts)| (member.application.params.as_slice(), facts))
            .collect();
        let instance = |(params, facts)| Instance { params, facts, symbol: self.symbol(params, facts) };
        distinct.into_iter().map(instance).collect()
    }

    /// The operation's function at the values of an instance: without parameters and unused
    /// expressions, and with adjacent slices fused.
    pub(crate) fn function_at(&self, params: &[i64]) -> Result<&Function, InstanceError> {
        let functions = self.functions.get_or_init(|| {
            let params = self.op.instances().map(|(member, _)| member.application.params.as_slice());
            let distinct: BTreeSet<&[i64]> = params.collect();
            distinct.into_iter().map(|params| (params, self.instantiated(params))).collect()
        });
        match functions.get(params) {
            Some(function) => function.as_ref().map_err(Clone::clone),
            None => Err(InstanceError { op: self.op.name.clone(), message: "no such instance".to_owned() }),
        }
    }

    fn instantiated(&self, params: &[i64]) -> Result<Function, InstanceError> {
        let fail = |message: String| InstanceError { op: self.op.name.clone(), message };
        let function = &self.op.class.function;
        function.verify_with(params).map_err(|error: VerifyError| fail(error.to_string()))?;
        let function = instantiate(function, params).map_err(|error| fail(error.to_string()))?;
        Ok(fuse(dead_code(&function)))
    }
}
