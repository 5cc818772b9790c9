//! Values that are not numbers, such as functions, where a condition decides which one a variable holds.

use std::rc::Rc;

use hydride_ir::exact::{Dag, NodeId};

use super::Merge;

/// Most alternatives of one choice.
const MAX_ALTERNATIVES: usize = 64;

/// One of several values, by conditions that are not known.
///
/// It is what a select is in the graph, for values that are in no graph. What is computed from it is a select between
/// what is computed from its alternatives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice<T> {
    /// This value.
    One(T),
    /// The first choice where the boolean condition is 1, else the second.
    Select(NodeId, Rc<Choice<T>>, Rc<Choice<T>>),
    /// More alternatives than are kept.
    TooMany,
}

impl<T> Choice<T> {
    /// The node computed from each alternative, chosen like them; `None` for too many alternatives.
    pub fn compute<E>(
        &self,
        dag: &mut Dag,
        of: &mut impl FnMut(&mut Dag, &T) -> Result<NodeId, E>,
    ) -> Result<Option<NodeId>, E> {
        match self {
            Self::One(value) => of(dag, value).map(Some),
            Self::Select(condition, then, otherwise) => {
                let (then, otherwise) = (then.compute(dag, of)?, otherwise.compute(dag, of)?);
                Ok(then.zip(otherwise).map(|(then, otherwise)| dag.select(*condition, then, otherwise)))
            }
            Self::TooMany => Ok(None),
        }
    }

    fn alternatives(&self) -> usize {
        match self {
            Self::One(_) => 1,
            Self::Select(_, then, otherwise) => then.alternatives() + otherwise.alternatives(),
            Self::TooMany => MAX_ALTERNATIVES + 1,
        }
    }
}

impl<T: Clone + PartialEq> Merge for Choice<T> {
    fn merge(_: &mut Dag, condition: NodeId, then: &Self, otherwise: &Self) -> Self {
        if then == otherwise {
            return then.clone();
        }
        if then.alternatives() + otherwise.alternatives() > MAX_ALTERNATIVES {
            return Self::TooMany;
        }
        Self::Select(condition, Rc::new(then.clone()), Rc::new(otherwise.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(dag: &mut Dag, value: &i32) -> Result<NodeId, ()> {
        Ok(dag.int(*value))
    }

    #[test]
    fn alternatives_are_computed_and_selected() {
        let mut dag = Dag::new(vec![2]);
        let (low, high) = (dag.arg_slice(0, 0, 1, false), dag.arg_slice(0, 1, 1, false));
        let inner = Choice::merge(&mut dag, low, &Choice::One(3), &Choice::One(7));
        let choice = Choice::merge(&mut dag, high, &Choice::One(7), &inner);
        let node = choice.compute(&mut dag, &mut number).expect("no fault").expect("a node");
        let (three, seven) = (dag.int(3), dag.int(7));
        let inner = dag.select(low, three, seven);
        assert_eq!(node, dag.select(high, seven, inner));
    }

    #[test]
    fn equal_choices_are_no_choice() {
        let mut dag = Dag::new(vec![1]);
        let condition = dag.arg_slice(0, 0, 1, false);
        assert_eq!(Choice::merge(&mut dag, condition, &Choice::One(1), &Choice::One(1)), Choice::One(1));
    }

    #[test]
    fn alternatives_are_bounded() {
        let mut dag = Dag::new(vec![8]);
        let mut choice = Choice::One(0);
        for value in 1..200 {
            let condition = dag.arg_slice(0, value as u32 % 8, 1, false);
            // Both paths hold what was there before, so that the number of alternatives doubles.
            let taken = Choice::merge(&mut dag, condition, &Choice::One(value), &choice);
            choice = Choice::merge(&mut dag, condition, &taken, &choice);
            assert!(choice.alternatives() <= MAX_ALTERNATIVES + 1);
        }
        assert_eq!(choice.compute(&mut dag, &mut number), Ok(None));
    }
}
