//! The values of a function's parameters and of the loop indices in scope.

use hydride_ir::{Atom, Function, IndexId, Num, Op};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Everything that a number may depend on.
pub(super) struct Scope<'p> {
    params: &'p [i64],
    indices: FxHashMap<IndexId, Index>,
}

/// The value of a loop index and the stamp at which it took it.
#[derive(Clone, Copy)]
struct Index {
    value: i64,
    since: u64,
}

impl<'p> Scope<'p> {
    /// A scope with the parameters' values and no index.
    pub(super) fn new(params: &'p [i64]) -> Self {
        Self { params, indices: FxHashMap::default() }
    }

    /// Whether the index is out of scope or took its value after `stamp`.
    pub(super) fn changed_after(&self, index: IndexId, stamp: u64) -> bool {
        self.indices.get(&index).is_none_or(|index| index.since > stamp)
    }

    /// The value of an index, if it is in scope.
    pub(super) fn index(&self, index: IndexId) -> Option<i64> {
        self.indices.get(&index).map(|index| index.value)
    }

    /// Gives an index a value at `stamp`, or takes it out of scope.
    pub(super) fn set(&mut self, index: IndexId, value: Option<i64>, stamp: u64) {
        match value {
            Some(value) => self.indices.insert(index, Index { value, since: stamp }),
            None => self.indices.remove(&index),
        };
    }

    /// The value of a number.
    pub(super) fn evaluate(&self, num: &Num) -> Result<i64, String> {
        if let Some(value) = num.as_constant() {
            return Ok(value);
        }
        let mut unbound = false;
        let value = num.eval(|atom| {
            let value = match atom {
                Atom::Param(param) => self.params.get(param.0 as usize).copied(),
                Atom::Index(index) => self.index(index),
            };
            unbound |= value.is_none();
            value.unwrap_or(0)
        });
        match value {
            _ if unbound => Err("a number depends on something out of scope".into()),
            Some(value) => Ok(value),
            None => Err("a number overflows 64 bits".into()),
        }
    }
}

/// For each expression of a function the loop indices that it depends on.
pub(super) fn free_indices(function: &Function) -> Vec<SmallVec<[IndexId; 2]>> {
    let mut free: Vec<SmallVec<[IndexId; 2]>> = Vec::with_capacity(function.exprs().len());
    for expr in function.exprs() {
        let mut indices: SmallVec<[IndexId; 2]> = SmallVec::new();
        for operand in expr.op.operands() {
            indices.extend(free.get(operand.0 as usize).into_iter().flatten().copied());
        }
        let mut numbers = expr.op.nums();
        if let Op::Fold { index, .. } = &expr.op {
            indices.retain(|inner| inner != index);
        }
        numbers.push(&expr.width);
        indices.extend(numbers.iter().flat_map(|num| num.atoms()).filter_map(|atom| match atom {
            Atom::Index(index) => Some(index),
            Atom::Param(_) => None,
        }));
        indices.sort_unstable();
        indices.dedup();
        free.push(indices);
    }
    free
}
