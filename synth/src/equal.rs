//! What tests of laws ask of them.

use std::time::Duration;

use hydride_ir::exact::{Dag, NodeId};
use smt::{Prover, Verdict};

/// Fails unless the solver proves that two values are equal for all arguments.
pub(crate) fn assert_equal(dag: &Dag, value: NodeId, other: NodeId) {
    let verdict = Prover::with_time_limit(Duration::from_secs(60)).equal_integers(dag, value, other);
    assert_eq!(verdict, Verdict::Equal, "{} and {}", dag.show(value), dag.show(other));
}
