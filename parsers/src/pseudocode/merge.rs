//! Conditions that are not known: both paths run, and what they leave is merged.
//!
//! ```text
//! IF c THEN x := a ELSE y := b     both paths run from the same state
//!                                  x = c ? a : x,  y = c ? y : b
//! ```

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, Hash};
use std::rc::Rc;

use hydride_ir::exact::{Dag, NodeId, Register};

use super::Fault;

/// What two paths can leave differently.
pub trait Merge {
    /// What there is after a branch: `then` where the boolean `condition` is 1, else `otherwise`.
    ///
    /// What only one path has is as that path left it: the document leaves open what it is after the other.
    fn merge(dag: &mut Dag, condition: NodeId, then: &Self, otherwise: &Self) -> Self;
}

/// Bit by bit.
impl Merge for Register {
    fn merge(dag: &mut Dag, condition: NodeId, then: &Self, otherwise: &Self) -> Self {
        Register::merge(dag, condition, then, otherwise)
    }
}

impl<T: Merge + Clone> Merge for Option<T> {
    fn merge(dag: &mut Dag, condition: NodeId, then: &Self, otherwise: &Self) -> Self {
        match (then, otherwise) {
            (Some(then), Some(otherwise)) => Some(T::merge(dag, condition, then, otherwise)),
            (only, None) | (None, only) => only.clone(),
        }
    }
}

/// What neither path has replaced is still shared.
impl<T: Merge> Merge for Rc<T> {
    fn merge(dag: &mut Dag, condition: NodeId, then: &Self, otherwise: &Self) -> Self {
        if Rc::ptr_eq(then, otherwise) {
            return Rc::clone(then);
        }
        Rc::new(T::merge(dag, condition, then, otherwise))
    }
}

/// Position by position.
impl<T: Merge + Clone> Merge for Vec<T> {
    fn merge(dag: &mut Dag, condition: NodeId, then: &Self, otherwise: &Self) -> Self {
        let common = then.len().min(otherwise.len());
        let mut merged: Vec<T> = then
            .iter()
            .zip(otherwise)
            .map(|(then, otherwise)| T::merge(dag, condition, then, otherwise))
            .collect();
        merged.extend(then[common..].iter().chain(&otherwise[common..]).cloned());
        merged
    }
}

impl<K: Ord + Clone, T: Merge + Clone> Merge for BTreeMap<K, T> {
    fn merge(dag: &mut Dag, condition: NodeId, then: &Self, otherwise: &Self) -> Self {
        let mut merged = otherwise.clone();
        for (key, then) in then {
            let value = match otherwise.get(key) {
                Some(otherwise) => T::merge(dag, condition, then, otherwise),
                None => then.clone(),
            };
            merged.insert(key.clone(), value);
        }
        merged
    }
}

impl<K: Eq + Hash + Clone, T: Merge + Clone, S: BuildHasher + Clone> Merge for HashMap<K, T, S> {
    fn merge(dag: &mut Dag, condition: NodeId, then: &Self, otherwise: &Self) -> Self {
        let mut merged = otherwise.clone();
        for (key, then) in then {
            match merged.get_mut(key) {
                Some(slot) => *slot = T::merge(dag, condition, then, slot),
                None => drop(merged.insert(key.clone(), then.clone())),
            }
        }
        merged
    }
}

/// Something that runs pseudocode and can run two paths from one state.
pub trait Branching {
    /// What paths can leave differently.
    type State: Merge + Clone + Default;
    /// A place in the text.
    type Place;

    /// The graph that the state belongs to.
    fn dag(&mut self) -> &mut Dag;

    /// The present state.
    fn state(&mut self) -> &mut Self::State;

    /// Merges the state of another path into the present one: `then` where the boolean `condition` is 1.
    fn join(
        &mut self,
        condition: NodeId,
        then: Self::State,
        _at: Self::Place,
    ) -> Result<(), Fault<Self::Place>> {
        let otherwise = std::mem::take(self.state());
        *self.state() = Self::State::merge(self.dag(), condition, &then, &otherwise);
        Ok(())
    }

    /// Runs two paths from the present state: what the first gives, the state that it leaves, and what the second
    /// gives, whose state is the present one afterwards.
    fn fork<T>(
        &mut self,
        first: impl FnOnce(&mut Self) -> Result<T, Fault<Self::Place>>,
        second: impl FnOnce(&mut Self) -> Result<T, Fault<Self::Place>>,
    ) -> Result<(T, Self::State, T), Fault<Self::Place>> {
        let before = self.state().clone();
        let given = first(self)?;
        let left = std::mem::replace(self.state(), before);
        Ok((given, left, second(self)?))
    }

    /// Runs one of two paths where the condition is known, else both, and merges what they leave.
    fn branch(
        &mut self,
        condition: NodeId,
        at: Self::Place,
        then: impl FnOnce(&mut Self) -> Result<(), Fault<Self::Place>>,
        otherwise: impl FnOnce(&mut Self) -> Result<(), Fault<Self::Place>>,
    ) -> Result<(), Fault<Self::Place>> {
        match self.dag().as_i64(condition) {
            Some(0) => otherwise(self),
            Some(_) => then(self),
            None => {
                let ((), left, ()) = self.fork(then, otherwise)?;
                self.join(condition, left, at)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pseudocode::Reason;

    /// A machine whose variables are registers by name.
    struct Machine {
        dag: Dag,
        variables: BTreeMap<&'static str, Register>,
        paths: usize,
    }

    impl Branching for Machine {
        type State = BTreeMap<&'static str, Register>;
        type Place = ();

        fn dag(&mut self) -> &mut Dag {
            &mut self.dag
        }

        fn state(&mut self) -> &mut Self::State {
            &mut self.variables
        }
    }

    impl Machine {
        fn new() -> Self {
            Self { dag: Dag::new(vec![1, 8, 8]), variables: BTreeMap::new(), paths: 0 }
        }

        fn set(&mut self, name: &'static str, value: NodeId) -> Result<(), Fault<()>> {
            self.paths += 1;
            self.variables.insert(name, Register::with_value(8, value));
            Ok(())
        }

        fn read(&mut self, name: &str) -> NodeId {
            self.variables[name].read(&mut self.dag, 0, 8).0
        }
    }

    #[test]
    fn a_known_condition_runs_one_path() {
        for (value, left) in [(1, 3), (0, 5)] {
            let mut machine = Machine::new();
            let condition = machine.dag.int(value);
            let (three, five) = (machine.dag.int(3), machine.dag.int(5));
            machine.branch(condition, (), |m| m.set("x", three), |m| m.set("x", five)).expect("no fault");
            assert_eq!(machine.paths, 1);
            let left = machine.dag.int(left);
            assert_eq!(machine.read("x"), left);
        }
    }

    #[test]
    fn a_symbolic_condition_runs_both_paths_from_the_same_state() {
        let mut machine = Machine::new();
        let condition = machine.dag.arg_slice(0, 0, 1, false);
        let (a, b) = (machine.dag.arg_slice(1, 0, 8, false), machine.dag.arg_slice(2, 0, 8, false));
        machine.set("x", a).expect("no fault");
        machine.set("kept", b).expect("no fault");
        let otherwise = |m: &mut Machine| {
            // The other path's assignment is not seen.
            assert_eq!(m.read("x"), a);
            m.set("new", b)
        };
        machine.branch(condition, (), |m| m.set("x", b), otherwise).expect("no fault");
        let chosen = machine.dag.select(condition, b, a);
        assert_eq!((machine.read("x"), machine.read("kept"), machine.read("new")), (chosen, b, b));
    }

    #[test]
    fn a_fault_of_either_path_is_the_fault_of_the_branch() {
        for failing in [0, 1] {
            let mut machine = Machine::new();
            let condition = machine.dag.arg_slice(0, 0, 1, false);
            let run = |path: usize| {
                move |_: &mut Machine| match path == failing {
                    true => Err(Fault::failed(Reason::Assertion, (), "")),
                    false => Ok(()),
                }
            };
            let fault = machine.branch(condition, (), run(0), run(1)).expect_err("a fault");
            assert_eq!(fault.reason, Reason::Assertion);
        }
    }

    #[test]
    fn lists_and_maps_keep_what_only_one_path_has() {
        let mut dag = Dag::new(vec![1, 8, 8]);
        let condition = dag.arg_slice(0, 0, 1, false);
        let (a, b) = (dag.arg_slice(1, 0, 8, false), dag.arg_slice(2, 0, 8, false));
        let chosen = Register::with_value(8, dag.select(condition, a, b));
        let (a, b) = (Register::with_value(8, a), Register::with_value(8, b));
        let long = vec![a.clone(), a.clone()];
        let short = vec![b.clone()];
        assert_eq!(Merge::merge(&mut dag, condition, &long, &short), [chosen.clone(), a.clone()]);
        let (left, right) =
            (HashMap::from([(1, a.clone()), (2, a.clone())]), HashMap::from([(1, b.clone())]));
        let merged: HashMap<i32, Register> = Merge::merge(&mut dag, condition, &left, &right);
        assert_eq!(merged, HashMap::from([(1, chosen), (2, a.clone())]));
        assert_eq!(Merge::merge(&mut dag, condition, &None, &Some(b.clone())), Some(b));
        let shared = Rc::new(a);
        assert!(Rc::ptr_eq(&shared, &Merge::merge(&mut dag, condition, &shared, &Rc::clone(&shared))));
    }
}
