//! How much work an entry may cause; `docs/src/limits.md` lists all limits.

use hydride_ir::exact::{Dag, NodeId};

use super::{Fault, Reason};

/// Steps (statements and calls) that one entry may execute.
pub const MAX_STEPS: u64 = 1_000_000;

/// Nodes that one entry's graph may hold.
pub const MAX_NODES: usize = 2_000_000;

/// Operands of all checked values together: sums and the like hold as many as they have terms.
pub const MAX_OPERANDS: u64 = 2_000_000;

/// The limits that differ between dialects.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Steps, at most [`MAX_STEPS`].
    pub steps: u64,
    /// Longest chain of operators in a checked value; later passes recurse along it.
    pub depth: u32,
    /// Calls, or nested statements and expressions, that may be open at once.
    pub nesting: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { steps: MAX_STEPS, depth: 1_000, nesting: 64 }
    }
}

/// The limit that was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Exceeded {
    /// [`Limits::steps`].
    #[error("more than {0} steps")]
    Steps(u64),
    /// [`MAX_NODES`].
    #[error("more than {MAX_NODES} values")]
    Nodes,
    /// [`MAX_OPERANDS`].
    #[error("values with more than {MAX_OPERANDS} operands")]
    Operands,
    /// [`Limits::depth`].
    #[error("a value is the result of more than {0} nested operators")]
    Depth(u32),
    /// [`Limits::nesting`].
    #[error("the text nests or recurses too deeply")]
    Nesting,
}

impl Exceeded {
    /// The failure of an entry at a place.
    pub fn at<P>(self, place: P) -> Fault<P> {
        Fault::failed(Reason::Limit, place, self.to_string())
    }
}

/// What an entry has used of its limits, for one graph.
#[derive(Debug, Default)]
pub struct Budget {
    limits: Limits,
    steps: u64,
    operands: u64,
    nesting: u32,
    /// One more than the length of the longest chain of operators of each node; 0 for one not seen yet.
    depths: Vec<u32>,
}

impl Budget {
    /// A budget of which nothing is used.
    pub fn new(limits: Limits) -> Self {
        let steps = limits.steps.min(MAX_STEPS);
        Self { limits: Limits { steps, ..limits }, ..Self::default() }
    }

    /// Counts steps, and checks that the graph has not grown beyond its limit.
    pub fn charge(&mut self, dag: &Dag, steps: u64) -> Result<(), Exceeded> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps > self.limits.steps {
            return Err(Exceeded::Steps(self.limits.steps));
        }
        if dag.len() > MAX_NODES {
            return Err(Exceeded::Nodes);
        }
        Ok(())
    }

    /// Steps that are left.
    pub fn remaining(&self) -> u64 {
        self.limits.steps.saturating_sub(self.steps)
    }

    /// Checks the depth of a value, and counts its operands and those of the values below it that are new.
    ///
    /// A value that is checked again is counted again: building it has cost as much.
    pub fn check(&mut self, dag: &Dag, value: NodeId) -> Result<(), Exceeded> {
        if self.depths.len() < dag.len() {
            self.depths.resize(dag.len(), 0);
        }
        let mut open = vec![value];
        while let Some(top) = open.last().copied() {
            let operands = dag.node(top).operands();
            let before = open.len();
            open.extend(operands.iter().filter(|operand| self.depths[operand.position()] == 0));
            if open.len() > before {
                continue;
            }
            open.pop();
            self.operands += operands.len() as u64;
            if self.operands > MAX_OPERANDS {
                return Err(Exceeded::Operands);
            }
            let below = operands.iter().map(|operand| self.depths[operand.position()]).max();
            let depth = below.unwrap_or(0);
            if depth > self.limits.depth {
                return Err(Exceeded::Depth(self.limits.depth));
            }
            self.depths[top.position()] = depth + 1;
        }
        Ok(())
    }

    /// Enters a call, or a nested part of the text; [`Budget::leave`] ends it.
    pub fn enter(&mut self) -> Result<(), Exceeded> {
        if self.nesting >= self.limits.nesting {
            return Err(Exceeded::Nesting);
        }
        self.nesting += 1;
        Ok(())
    }

    /// Leaves what [`Budget::enter`] entered.
    pub fn leave(&mut self) {
        self.nesting -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_counted_up_to_the_limit() {
        let dag = Dag::new(vec![]);
        let mut budget = Budget::new(Limits { steps: 10, ..Limits::default() });
        assert_eq!(budget.charge(&dag, 7), Ok(()));
        assert_eq!(budget.remaining(), 3);
        assert_eq!(budget.charge(&dag, 3), Ok(()));
        assert_eq!(budget.charge(&dag, u64::MAX), Err(Exceeded::Steps(10)));
        assert_eq!(budget.remaining(), 0);
        assert_eq!(Budget::new(Limits { steps: u64::MAX, ..Limits::default() }).remaining(), MAX_STEPS);
    }

    #[test]
    fn nesting_is_counted_up_to_the_limit() {
        let mut budget = Budget::new(Limits { nesting: 2, ..Limits::default() });
        assert_eq!((budget.enter(), budget.enter()), (Ok(()), Ok(())));
        assert_eq!(budget.enter(), Err(Exceeded::Nesting));
        budget.leave();
        assert_eq!(budget.enter(), Ok(()));
    }

    /// `((a·b)·b + …)·b` of `operators` operators, each the operand of the next.
    fn chain(dag: &mut Dag, operators: u32) -> NodeId {
        let mut value = dag.arg_slice(0, 0, 8, false);
        let argument = dag.arg_slice(1, 0, 8, false);
        for count in 0..operators {
            value = if count % 2 == 0 { dag.max(value, argument) } else { dag.sub(argument, value) };
        }
        value
    }

    #[test]
    fn values_may_be_as_deep_as_the_limit() {
        let mut dag = Dag::new(vec![8, 8]);
        let depth = |dag: &Dag, value: NodeId| {
            let mut budget = Budget::default();
            budget.check(dag, value).expect("shallow");
            budget.depths[value.position()] - 1
        };
        let value = chain(&mut dag, 20);
        let deepest = depth(&dag, value);
        assert!(deepest >= 10);
        let check = |limit: u32| Budget::new(Limits { depth: limit, ..Limits::default() }).check(&dag, value);
        assert_eq!(check(deepest), Ok(()));
        assert_eq!(check(deepest - 1), Err(Exceeded::Depth(deepest - 1)));
    }

    #[test]
    fn operands_are_counted_each_time_that_a_value_is_checked() {
        let mut dag = Dag::new(vec![8; 100]);
        let terms: Vec<NodeId> = (0..100).map(|argument| dag.arg_slice(argument, 0, 8, false)).collect();
        let sum = dag.sum(&terms);
        let mut budget = Budget::default();
        let mut checks = 0;
        while budget.check(&dag, sum).is_ok() {
            checks += 1;
        }
        assert_eq!(checks, (MAX_OPERANDS - 100) / 100);
        assert_eq!(budget.check(&dag, sum), Err(Exceeded::Operands));
    }
}
