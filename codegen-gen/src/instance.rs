//! The instances of an operation: one for each assignment of its parameters that a member has.

use std::collections::{BTreeMap, BTreeSet};

use autoir::{Facts, Member, ValueType};
use catalog::{Immediate, Kind};
use hydride_ir::passes::{dead_code, instantiate};
use hydride_ir::{Function, VerifyError};

use crate::Options;
use crate::definitions::definition_name;
use crate::fuse::fuse;
use crate::memory::{addressing, index_lanes};
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

/// An operation of a form at given types and parameter values.
#[derive(Clone, Debug)]
pub(crate) struct MemoryInstance<'a> {
    pub(crate) member: &'a Member,
    pub(crate) facts: &'a Facts,
    /// The name of the LLVM function that is this instance.
    pub(crate) symbol: String,
    /// The number of bytes that must divide each pointer.
    pub(crate) align: u32,
    /// The number and the width of the indices of elements.
    pub(crate) index: Option<(u32, u32)>,
    /// The values of the factor of indices for which there is a definition.
    pub(crate) scales: BTreeSet<i64>,
}

impl<'a> MemoryInstance<'a> {
    /// The instance that a member of that form is.
    pub(crate) fn of(
        operation: &Operation<'_>,
        (member, facts): (&'a Member, &'a Facts),
        options: &Options,
    ) -> Option<Self> {
        let symbol = definition_name(operation, member, facts).ok()?;
        let align = member.signature.memory().map(|record| record.align).max()?;
        let index = member.signature.memory().find_map(|record| index_lanes(member, &record));
        let scale = index.as_ref().and_then(|_| addressing(member)?.1);
        let scales = scale.map_or_else(BTreeSet::new, |position| scales(member, position, options));
        Some(Self { member, facts, symbol, align, index, scales })
    }
}

impl MemoryInstance<'_> {
    /// The type of the indices of elements.
    pub(crate) fn index_type(&self) -> ValueType {
        let (count, width) = self.index.unwrap_or((1, 64));
        ValueType::vector(count, width)
    }
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

fn scales(member: &Member, position: u32, options: &Options) -> BTreeSet<i64> {
    let (before, rest) = member.signature.args.split_at(position as usize);
    let place = before.iter().filter(|own| own.immediate().is_some()).count();
    let defined = options.vendor(&member.isa).and_then(|vendor| vendor.immediate(&member.id, place));
    let documented = || match rest.first().map(|own| &own.kind) {
        Some(Kind::Immediate(Immediate { low, high })) => (*low..=*high).collect(),
        _ => BTreeSet::new(),
    };
    defined.filter(|defined| !defined.is_empty()).unwrap_or_else(documented)
}
