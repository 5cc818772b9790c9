//! Where each expression is evaluated: under the innermost loop or fold whose index it depends on,
//! just before the first statement of that scope that needs it.
//!
//! The printer binds shared expressions at these places, and `unroll` evaluates them there, so that
//! nothing is done twice that does not depend on the innermost index. Linear in the reachable
//! expressions; tolerates functions that break the laws.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::expr::{Expr, ExprId, Op};
use crate::function::{Function, MAX_NESTING};
use crate::num::{Atom, IndexId, Num};
use crate::visit::{Event, Loop};

/// Loop and fold indices, sorted.
pub(crate) type IndexSet = SmallVec<[IndexId; 4]>;

/// Sets of free indices stop growing here, so that malformed functions cost no more than others.
const MAX_FREE: usize = MAX_NESTING + 1;

/// The evaluation order of a function's reachable expressions.
pub(crate) struct Schedule {
    /// How many operand positions and statements of the reachable part use each expression.
    pub(crate) uses: Vec<u32>,
    /// By statement number (pre-order): the expressions to evaluate just before it, operands first.
    pub(crate) before: Vec<Vec<ExprId>>,
    /// By fold: the expressions that depend on its index, operands first.
    pub(crate) in_fold: FxHashMap<ExprId, Vec<ExprId>>,
}

/// The indices that each expression of the arena depends on.
pub(crate) fn free_indices(function: &Function) -> Vec<IndexSet> {
    let mut free: Vec<IndexSet> = Vec::with_capacity(function.exprs().len());
    for Expr { op, width } in function.exprs() {
        let mut set = IndexSet::new();
        for operand in op.operands() {
            for &index in free.get(operand.0 as usize).into_iter().flatten() {
                insert(&mut set, index);
            }
        }
        if let Op::Fold { index, .. } = op {
            set.retain(|free| free != index);
        }
        for index in op.nums().into_iter().chain([width]).flat_map(indices) {
            insert(&mut set, index);
        }
        free.push(set);
    }
    free
}

/// The indices that a number depends on, with repetitions.
pub(crate) fn indices(num: &Num) -> impl Iterator<Item = IndexId> {
    num.atoms().filter_map(|atom| match atom {
        Atom::Index(index) => Some(index),
        Atom::Param(_) => None,
    })
}

fn insert(set: &mut IndexSet, index: IndexId) {
    if let Err(position) = set.binary_search(&index)
        && set.len() < MAX_FREE
    {
        set.insert(position, index);
    }
}

impl Schedule {
    /// Schedules the expressions that the statements reach.
    pub(crate) fn new(function: &Function) -> Self {
        let count = function.exprs().len();
        let mut walk = Walk {
            function,
            free: free_indices(function),
            visited: vec![false; count],
            folds: FxHashMap::default(),
            loops: Vec::new(),
            path: Vec::new(),
            schedule: Schedule { uses: vec![0; count], before: Vec::new(), in_fold: FxHashMap::default() },
        };
        walk.statements();
        walk.schedule
    }
}

struct Walk<'f> {
    function: &'f Function,
    free: Vec<IndexSet>,
    visited: Vec<bool>,
    /// The reachable folds by index.
    folds: FxHashMap<IndexId, ExprId>,
    /// The enclosing loops, outermost first.
    loops: Vec<IndexId>,
    /// The numbers of the current statement and of those around it, outermost first.
    path: Vec<usize>,
    schedule: Schedule,
}

impl Walk<'_> {
    fn statements(&mut self) {
        for event in self.function.walk() {
            match event {
                Event::Enter(Loop { index, .. }) => {
                    self.begin();
                    self.loops.push(index);
                }
                Event::Assign(assignment) => {
                    self.begin();
                    self.value(assignment.value);
                    self.path.pop();
                }
                Event::Leave(_) => {
                    self.loops.pop();
                    self.path.pop();
                }
            }
        }
    }

    /// Numbers a statement.
    fn begin(&mut self) {
        self.path.push(self.schedule.before.len());
        self.schedule.before.push(Vec::new());
    }

    /// Visits what is new below `root`, operands first, without recursion.
    fn value(&mut self, root: ExprId) {
        let Some(uses) = self.schedule.uses.get_mut(root.0 as usize) else { return };
        *uses = uses.saturating_add(1);
        let mut stack = vec![(root, false)];
        while let Some((id, operands_done)) = stack.pop() {
            if operands_done {
                self.place(id);
                continue;
            }
            if std::mem::replace(&mut self.visited[id.0 as usize], true) {
                continue;
            }
            stack.push((id, true));
            let op = &self.function.expr(id).op;
            if let Op::Fold { index, .. } = op {
                self.folds.insert(*index, id);
            }
            for operand in op.operands().into_iter().rev().filter(|operand| *operand < id) {
                let uses = &mut self.schedule.uses[operand.0 as usize];
                *uses = uses.saturating_add(1);
                if !self.visited[operand.0 as usize] {
                    stack.push((operand, false));
                }
            }
        }
    }

    fn place(&mut self, id: ExprId) {
        let free = &self.free[id.0 as usize];
        // Of two nested folds the inner one is an operand, and so has the smaller id.
        if let Some(fold) = free.iter().filter_map(|index| self.folds.get(index)).min() {
            self.schedule.in_fold.entry(*fold).or_default().push(id);
            return;
        }
        let scope = self.loops.iter().rposition(|index| free.contains(index)).map_or(0, |loop_| loop_ + 1);
        self.schedule.before[self.path[scope]].push(id);
    }
}
