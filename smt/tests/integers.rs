//! Nodes of exact integers as bit vectors, against what they are for every value of their arguments.
//!
//! What is expected is a literal table with an entry for each pair of arguments.

use hydride_ir::exact::{Dag, Int, NodeId, Part};
use smt::{Prover, Verdict};

/// Bits of each of the two arguments; the one is read unsigned, the other as two's complement.
const BITS: u32 = 3;

/// Bits of an entry, which is read as two's complement; a table has less than 512.
const ENTRY: u32 = 7;

/// The table of `value`, with `error` added to its last entry.
fn table(dag: &mut Dag, value: &dyn Fn(i64, i64) -> i64, error: i64) -> NodeId {
    let mut entries = Int::ZERO;
    for index in (0..1i64 << (2 * BITS)).rev() {
        let (x, y) = (index % 8, index / 8);
        let y = if y > 3 { y - 8 } else { y };
        let error = if index == 63 { error } else { 0 };
        let entry = (value(x, y) + error).rem_euclid(1 << ENTRY);
        entries = (entries << ENTRY as usize) + Int::from(entry);
    }
    let parts = [0, 1].map(|arg| Part { node: dag.arg_slice(arg, 0, BITS, false), width: BITS });
    let index = dag.concat(&parts);
    let position = dag.linear(&[(index, Int::from(ENTRY))], Int::ZERO);
    let entries = dag.int(entries);
    dag.slice_at(entries, position, ENTRY, true)
}

fn check(name: &str, node: impl Fn(&mut Dag, NodeId, NodeId) -> NodeId, value: impl Fn(i64, i64) -> i64) {
    let mut dag = Dag::new(vec![BITS, BITS]);
    let (x, y) = (dag.arg_slice(0, 0, BITS, false), dag.arg_slice(1, 0, BITS, true));
    let node = node(&mut dag, x, y);
    let (right, wrong) = (table(&mut dag, &value, 0), table(&mut dag, &value, 1));
    let mut prover = Prover::new();
    assert_eq!(prover.equal_integers(&dag, node, right), Verdict::Equal, "{name}");
    let Verdict::Different(model) = prover.equal_integers(&dag, node, wrong) else {
        panic!("{name} is not what it is plus 1");
    };
    assert_eq!(model.args.iter().map(|bits| bits.to_u64()).collect::<Vec<_>>(), [Some(7), Some(7)], "{name}");
}

#[test]
fn every_operator_has_its_value() {
    check("slice", |dag, _, y| dag.slice(y, 1, 1, true), |_, y| -(y >> 1 & 1));
    check("wide slice", |dag, _, y| dag.slice(y, 0, 6, false), |_, y| y & 63);
    check(
        "sum",
        |dag, x, y| dag.linear(&[(x, 5.into()), (y, (-3).into())], 7.into()),
        |x, y| 5 * x - 3 * y + 7,
    );
    check("product", |dag, x, y| dag.mul(x, y), |x, y| x * y);
    let shift = |dag: &mut Dag, x, y| {
        let count = dag.slice(x, 0, 2, false);
        dag.shl(y, count)
    };
    check("shift left", shift, |x, y| y << (x & 3));
    check("shift right", |dag, x, y| dag.shr(y, x), |x, y| y >> x);
    check("and", |dag, x, y| dag.and(x, y), |x, y| x & y);
    check("or", |dag, x, y| dag.or(x, y), |x, y| x | y);
    check("xor", |dag, x, y| dag.xor(x, y), |x, y| x ^ y);
    check("not", |dag, x, _| dag.not(x), |x, _| !x);
    check("equal", |dag, x, y| dag.eq(x, y), |x, y| i64::from(x == y));
    check("less", |dag, x, y| dag.lt(x, y), |x, y| i64::from(x < y));
    check("not greater", |dag, x, y| dag.le(x, y), |x, y| i64::from(x <= y));
    check("least", |dag, x, y| dag.min(x, y), |x, y| x.min(y));
    check("greatest", |dag, x, y| dag.max(x, y), |x, y| x.max(y));
    check("magnitude", |dag, _, y| dag.abs(y), |_, y| y.abs());
    check("clamp", |dag, x, _| dag.saturate(x, 3, true), |x, _| x.min(3));
    check("unsigned clamp", |dag, _, y| dag.saturate(y, 1, false), |_, y| y.clamp(0, 1));
    let select = |dag: &mut Dag, x, y| {
        let condition = dag.slice(x, 1, 1, false);
        dag.select(condition, x, y)
    };
    check("select", select, |x, y| if x >> 1 & 1 == 1 { x } else { y });
    let divisor = |dag: &mut Dag, x| dag.linear(&[(x, 2.into())], (-7).into());
    check(
        "quotient",
        |dag, x, y| {
            let divisor = divisor(dag, x);
            dag.div(y, divisor).unwrap()
        },
        |x, y| y / (2 * x - 7),
    );
    check(
        "remainder",
        |dag, x, y| {
            let divisor = divisor(dag, x);
            dag.rem(y, divisor).unwrap()
        },
        |x, y| y % (2 * x - 7),
    );
    check(
        "quotient of the least value",
        |dag, x, y| {
            let divisor = dag.linear(&[(x, (-1).into())], 0.into());
            let minus_one = dag.int(-1);
            let divisor = dag.min(divisor, minus_one);
            dag.div(y, divisor).unwrap()
        },
        |x, y| y / (-x).min(-1),
    );
    check("ones", |dag, x, _| dag.popcount(x), |x, _| i64::from(x.count_ones()));
    check("leading zeros", |dag, x, _| dag.leading_zeros(x, 5), |x, _| i64::from(x.leading_zeros()) - 59);
    check(
        "trailing zeros",
        |dag, x, _| dag.trailing_zeros(x, 5),
        |x, _| i64::from(x.trailing_zeros().min(5)),
    );
    check(
        "concatenation",
        |dag, x, y| dag.concat(&[Part { node: x, width: 4 }, Part { node: y, width: 2 }]),
        |x, y| x + 16 * (y & 3),
    );
}
