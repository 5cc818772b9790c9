//! Constructors against plain evaluation: whatever is simplified must keep every value and lie in the
//! range claimed, and lowering must keep the value.

use super::*;
use crate::Random;
use crate::function::{Arg, Function, ResultId, ResultSlot, Role, Stmt};

fn slice_of(value: &Int, low: u32, width: u32, signed: bool) -> Int {
    let bits = (value >> low as usize) & ((Int::ONE << width as usize) - Int::ONE);
    if signed && bits >= (Int::ONE << (width - 1) as usize) {
        bits - (Int::ONE << width as usize)
    } else {
        bits
    }
}

/// The value of a node, by definition.
pub(super) fn eval(dag: &Dag, id: NodeId, args: &[Int]) -> Int {
    use dashu_int::ops::BitTest;
    let value = |id: &NodeId| eval(dag, *id, args);
    let truth = |condition: bool| Int::from(u8::from(condition));
    let count = |by: &NodeId| {
        let value = value(by);
        usize::try_from(&value).unwrap_or_else(|_| panic!("{value} is no count, in {}", dag.show(id)))
    };
    match dag.node(id) {
        Node::Const(constant) => constant.clone(),
        Node::Arg(arg) => args[*arg as usize].clone(),
        Node::Slice { of, low, width, signed } => slice_of(&value(of), *low, *width, *signed),
        Node::SliceAt { of, base, low, width, signed } => {
            slice_of(&(value(of) >> (count(low) + *base as usize)), 0, *width, *signed)
        }
        Node::Concat(parts) => {
            let mut sum = Int::ZERO;
            let mut position = 0;
            for part in parts {
                sum += value(&part.node) << position;
                position += part.width as usize;
            }
            sum
        }
        Node::Sum { terms, constant } => {
            terms.iter().fold(constant.clone(), |sum, (term, factor)| sum + value(term) * factor)
        }
        Node::Mul(factors) => factors.iter().fold(Int::ONE, |product, factor| product * value(factor)),
        Node::Shl(left, by) => value(left) << count(by),
        Node::Shr(left, by) => value(left) >> count(by),
        Node::And(operands) => operands.iter().fold(Int::from(-1), |all, id| all & value(id)),
        Node::Or(operands) => operands.iter().fold(Int::ZERO, |all, id| all | value(id)),
        Node::Xor(operands) => operands.iter().fold(Int::ZERO, |all, id| all ^ value(id)),
        Node::Not(operand) => -value(operand) - Int::ONE,
        Node::Eq(left, right) => truth(value(left) == value(right)),
        Node::Lt(left, right) => truth(value(left) < value(right)),
        Node::Le(left, right) => truth(value(left) <= value(right)),
        Node::Min(operands) => operands.iter().map(value).min().unwrap(),
        Node::Max(operands) => operands.iter().map(value).max().unwrap(),
        Node::Abs(operand) => value(operand).max(-value(operand)),
        Node::Saturate { of, width, signed } => {
            let range = Range::of_width(*width, *signed);
            value(of).clamp(range.low.unwrap(), range.high.unwrap())
        }
        Node::Select(condition, then, otherwise) => {
            if value(condition) == Int::ONE {
                value(then)
            } else {
                value(otherwise)
            }
        }
        Node::Div(left, right) => value(left) / value(right),
        Node::Rem(left, right) => value(left) % value(right),
        Node::PopCount(operand) => {
            let operand = value(operand);
            Int::from((0..operand.bit_len()).filter(|bit| operand.bit(*bit)).count())
        }
        Node::LeadingZeros(operand, width) => Int::from(*width as usize - value(operand).bit_len()),
        Node::TrailingZeros(operand, width) => {
            let operand = value(operand);
            Int::from((0..*width as usize).find(|bit| operand.bit(*bit)).unwrap_or(*width as usize))
        }
        Node::Float { float, width, value: own, operands } => {
            let operands: Vec<Int> = operands.iter().map(value).collect();
            float::evaluate(*float, *width, *own, &operands)
        }
    }
}

/// One random expression grown step by step, with its plain values on a few inputs.
fn grow(seed: u64) {
    let mut random = Random::new(seed);
    let mut dag = Dag::new(vec![32, 16]);
    let inputs: Vec<Vec<Int>> = (0..6)
        .map(|round| {
            let extreme = [0, u64::MAX, 0x8000_8080, 0x7fff_7f7f];
            [32, 16]
                .iter()
                .map(|width| {
                    let word = if round < 4 { extreme[round] } else { random.word() };
                    slice_of(&Int::from(word), 0, *width, false)
                })
                .collect()
        })
        .collect();
    let mut pool: Vec<(NodeId, Vec<Int>)> = Vec::new();
    for (arg, width) in [(0u32, 32u32), (1, 16)] {
        for _ in 0..3 {
            let size = random.pick(&[1, 4, 8]);
            let low = random.below((width / size) as usize) as u32 * size;
            let signed = random.below(2) == 1;
            let node = dag.arg_slice(arg, low, size, signed);
            let values = inputs.iter().map(|args| slice_of(&args[arg as usize], low, size, signed)).collect();
            pool.push((node, values));
        }
    }
    for constant in [0, 1, 7, 8, 255, -1, -128] {
        let node = dag.int(constant);
        pool.push((node, vec![Int::from(constant); inputs.len()]));
    }
    for _ in 0..40 {
        let mut pick = || pool[random.below(pool.len())].clone();
        let ((a, va), (b, vb), (c, vc)) = (pick(), pick(), pick());
        let zip =
            |f: &dyn Fn(&Int, &Int) -> Int| va.iter().zip(&vb).map(|(x, y)| f(x, y)).collect::<Vec<_>>();
        let truth = |condition: bool| Int::from(u8::from(condition));
        let small = |dag: &Dag, id| dag.range(id).fits(8, false);
        let (low, width) = (random.below(12) as u32, random.below(16) as u32 + 1);
        let signed = random.below(2) == 1;
        let (node, values) = match random.below(24) {
            0 => (dag.sum(&[a, b]), zip(&|x, y| x + y)),
            1 => (dag.sub(a, b), zip(&|x, y| x - y)),
            2 => (dag.mul(a, b), zip(&|x, y| x * y)),
            3 => (dag.and(a, b), zip(&|x, y| x & y)),
            4 => (dag.or(a, b), zip(&|x, y| x | y)),
            5 => (dag.xor(a, b), zip(&|x, y| x ^ y)),
            6 => (dag.not(a), va.iter().map(|x| -x - Int::ONE).collect()),
            7 if small(&dag, b) => (dag.shl(a, b), zip(&|x, y| x << usize::try_from(y).unwrap())),
            8 if small(&dag, b) => (dag.shr(a, b), zip(&|x, y| x >> usize::try_from(y).unwrap())),
            9 => (dag.eq(a, b), zip(&|x, y| truth(x == y))),
            10 => (dag.lt(a, b), zip(&|x, y| truth(x < y))),
            11 => (dag.le(a, b), zip(&|x, y| truth(x <= y))),
            12 => (dag.min(a, b), zip(&|x, y| x.min(y).clone())),
            13 => (dag.max(a, b), zip(&|x, y| x.max(y).clone())),
            14 => (dag.abs(a), va.iter().map(|x| x.clone().max(-x)).collect()),
            15 => (dag.saturate(a, width, signed), {
                let range = Range::of_width(width, signed);
                let (low, high) = (range.low.unwrap(), range.high.unwrap());
                va.iter().map(|x| x.clone().clamp(low.clone(), high.clone())).collect()
            }),
            16 | 17 => {
                let node = dag.slice(a, low, width, signed);
                (node, va.iter().map(|x| slice_of(x, low, width, signed)).collect())
            }
            18 => {
                let condition = dag.lt(a, b);
                let chosen = match random.below(3) {
                    0 => (a, &va, b, &vb),
                    1 => (b, &vb, a, &va),
                    _ => (c, &vc, b, &vb),
                };
                let node = dag.select(condition, chosen.0, chosen.2);
                let values = (0..inputs.len())
                    .map(|i| if va[i] < vb[i] { chosen.1[i].clone() } else { chosen.3[i].clone() })
                    .collect();
                (node, values)
            }
            19 => {
                let parts = [Part { node: a, width }, Part { node: b, width: low + 1 }];
                let node = dag.concat(&parts);
                let joined = |x: &Int, y: &Int| {
                    slice_of(x, 0, width, false) + (slice_of(y, 0, low + 1, false) << width as usize)
                };
                (node, zip(&joined))
            }
            20 if small(&dag, b) && dag.range(a).is_non_negative() => {
                let node = dag.slice_at(a, b, width, signed);
                (node, zip(&|x, y| slice_of(&(x >> usize::try_from(y).unwrap()), 0, width, signed)))
            }
            21 => (dag.neg(a), va.iter().map(|x| -x).collect()),
            22 if dag.as_int(b).is_some_and(|b| b != &Int::ZERO) => {
                (dag.div(a, b).unwrap(), zip(&|x, y| x / y))
            }
            23 if small(&dag, c) => {
                // A guarded shift: redundant or not, the value counts.
                let bound = dag.int(low + 1);
                let (far, zero) = (dag.lt(c, bound), dag.int(0));
                let shifted = if signed { dag.shr(a, c) } else { dag.shl(a, c) };
                let shifted = dag.slice(shifted, 0, width, false);
                let node = dag.select(far, shifted, zero);
                let values = (0..inputs.len())
                    .map(|i| {
                        let by = usize::try_from(&vc[i]).unwrap();
                        let exact = if signed { &va[i] >> by } else { &va[i] << by };
                        if vc[i] <= Int::from(low) { slice_of(&exact, 0, width, false) } else { Int::ZERO }
                    })
                    .collect();
                (node, values)
            }
            _ => continue,
        };
        for (args, expected) in inputs.iter().zip(&values) {
            assert_eq!(&eval(&dag, node, args), expected, "seed {seed}: {:?}", dag.node(node));
            assert!(
                Range::point(expected.clone()).within(dag.range(node)),
                "seed {seed}: range of {:?}",
                dag.node(node)
            );
        }
        if dag.natural(node).is_some_and(|(width, _)| width <= 200) {
            pool.push((node, values));
        }
    }
    lower_and_raise(&mut dag, &pool, &inputs, seed);
}

fn lower_and_raise(dag: &mut Dag, pool: &[(NodeId, Vec<Int>)], inputs: &[Vec<Int>], seed: u64) {
    let mut function = Function::new("f");
    for (name, width) in [("a", 32u32), ("b", 16)] {
        function.args.push(Arg { name: name.into(), width: width.into(), role: Role::Register });
    }
    let mut lowering = Lowering::default();
    let mut expected = Vec::new();
    for (position, (node, values)) in pool.iter().enumerate() {
        let width = 1 + (position as u32 * 7) % 40;
        function.results.push(ResultSlot { name: format!("r{position}"), width: width.into() });
        let Ok(value) = lowering.lower(dag, *node, width, &mut function) else { return };
        function.body.push(Stmt::Assign { result: ResultId(position as u32), low: 0u32.into(), value });
        expected.push(values.iter().map(|value| slice_of(value, 0, width, false)).collect::<Vec<_>>());
    }
    function.verify().unwrap();
    let (raised_dag, raised) = raise(&function).unwrap();
    for ((segments, expected), (node, _)) in raised.results.iter().zip(&expected).zip(pool) {
        for (args, expected) in inputs.iter().zip(expected) {
            let lowered = segments[0].value;
            assert_eq!(
                &eval(&raised_dag, lowered, args),
                expected,
                "seed {seed}: {:?} became {:?}",
                dag.show(*node),
                raised_dag.show(lowered)
            );
        }
    }
    // Raising into the same graph finds the same truncated nodes again, for the most part; what is
    // asserted is that it loses nothing.
    let bindings = [dag.arg(0), dag.arg(1)];
    let again = raise_with(dag, &function, &[], &bindings).unwrap();
    for (segments, expected) in again.results.iter().zip(&expected) {
        for (args, expected) in inputs.iter().zip(expected) {
            assert_eq!(&eval(dag, segments[0].value, args), expected, "seed {seed}");
        }
    }
}

#[test]
fn simplification_keeps_every_value() {
    for seed in 0..20000 {
        grow(seed);
    }
}

#[test]
fn truncated_sums_forget_signs() {
    let mut dag = Dag::new(vec![16, 16]);
    let mut sum = |signed| {
        let (a, b) = (dag.arg_slice(0, 0, 8, signed), dag.arg_slice(1, 0, 8, signed));
        let sum = dag.sum(&[a, b]);
        dag.slice(sum, 0, 8, false)
    };
    assert_eq!(sum(false), sum(true));
}

#[test]
fn shift_guards_that_exact_arithmetic_makes_redundant_disappear() {
    let mut dag = Dag::new(vec![16, 64]);
    let (value, count) = (dag.arg_slice(0, 0, 16, true), dag.arg_slice(1, 0, 64, false));
    let shifted = dag.shr(value, count);
    let shifted = dag.slice(shifted, 0, 16, false);
    let (limit, ones, zero) = (dag.int(15), dag.int(0xffff), dag.int(0));
    let sign = dag.arg_slice(0, 15, 1, false);
    let far = dag.lt(limit, count);
    let fill = dag.select(sign, ones, zero);
    assert_eq!(dag.select(far, fill, shifted), shifted);
}

#[test]
fn saturation_is_recognized_in_either_order() {
    let mut dag = Dag::new(vec![32, 32]);
    let (a, b) = (dag.arg_slice(0, 0, 16, true), dag.arg_slice(1, 0, 16, true));
    let sum = dag.sum(&[a, b]);
    let expected = dag.saturate(sum, 8, true);
    let (low, high) = (dag.int(-128), dag.int(127));
    let below = dag.max(sum, low);
    assert_eq!(dag.min(below, high), expected);
    let above = dag.min(sum, high);
    assert_eq!(dag.max(above, low), expected);
    let over = dag.lt(high, sum);
    let under = dag.lt(sum, low);
    let inner = dag.select(under, low, sum);
    assert_eq!(dag.select(over, high, inner), expected);
}

#[test]
fn magnitudes_are_recognized() {
    let mut dag = Dag::new(vec![8, 8]);
    let (a, zero) = (dag.arg_slice(0, 0, 8, true), dag.int(0));
    let (negative, negated) = (dag.lt(a, zero), dag.neg(a));
    let expected = dag.abs(a);
    assert_eq!(dag.select(negative, negated, a), expected);
    assert_eq!(dag.max(a, negated), expected);
    let b = dag.arg_slice(1, 0, 8, false);
    let c = dag.arg_slice(0, 0, 8, false);
    let (less, up, down) = (dag.lt(b, c), dag.sub(c, b), dag.sub(b, c));
    let difference = dag.abs(up);
    assert_eq!(dag.select(less, up, down), difference);
    assert_eq!(dag.abs(down), difference);
}

#[test]
fn parts_that_do_not_meet_are_a_concatenation() {
    let mut dag = Dag::new(vec![32]);
    // The two halves of a rotation, as shifts write them.
    let (down, up) = (dag.arg_slice(0, 7, 25, false), dag.arg_slice(0, 0, 7, false));
    let count = dag.int(25);
    let moved = dag.shl(up, count);
    let joined = dag.or(down, moved);
    assert!(matches!(dag.node(joined), Node::Concat(_)), "{}", dag.show(joined));
    // With a hole between the parts, and on either side.
    let count = dag.int(28);
    let further = dag.shl(up, count);
    let left = dag.or(down, further);
    let right = dag.or(further, down);
    assert_eq!(left, right);
    assert!(matches!(dag.node(left), Node::Concat(_)));
}

#[test]
fn multiples_compare_as_what_they_are_multiples_of() {
    let mut dag = Dag::new(vec![8]);
    let value = dag.arg_slice(0, 0, 8, false);
    let multiple = dag.linear(&[(value, 16.into())], 0.into());
    let (three, bound, none) = (dag.int(3), dag.int(48), dag.int(50));
    let plain = dag.eq(value, three);
    assert_eq!(dag.eq(multiple, bound), plain);
    assert_eq!(dag.eq(multiple, none), dag.int(0));
}

#[test]
fn upper_bits_of_sums_take_one_form() {
    let mut dag = Dag::new(vec![64, 64]);
    let (a, b) = (dag.arg_slice(0, 0, 16, true), dag.arg_slice(1, 0, 16, true));
    let product = dag.mul(a, b);
    // (a·b + 2^14) >> 15, as (2·a·b + 2^15) >> 16 and as ((a·b >> 14) + 1) >> 1.
    let rounded = dag.linear(&[(product, 1.into())], (1 << 14).into());
    let expected = dag.slice(rounded, 15, 17, true);
    let doubled = dag.linear(&[(product, 2.into())], (1 << 15).into());
    assert_eq!(dag.slice(doubled, 16, 17, true), expected);
    let upper = dag.slice(product, 14, 18, true);
    let next = dag.linear(&[(upper, 1.into())], 1.into());
    assert_eq!(dag.slice(next, 1, 17, true), expected);
    // Bits of the product that are cut off below stay cut off.
    let cut = dag.slice(product, 14, 4, true);
    let next = dag.linear(&[(cut, 1.into())], 1.into());
    assert_ne!(dag.slice(next, 1, 17, true), expected);
    // A multiple of 2^15 is added after the shift, where nothing is cut off above.
    let c = dag.arg_slice(0, 16, 16, true);
    let sum = dag.linear(&[(c, (1 << 15).into()), (product, 1.into())], (1 << 14).into());
    let apart = dag.sum(&[expected, c]);
    assert_eq!(dag.slice(sum, 15, 18, true), apart);
    assert_ne!(dag.slice(sum, 15, 8, true), apart);
}

#[test]
fn upper_bits_of_a_clamp_are_a_clamp() {
    let mut dag = Dag::new(vec![32, 32]);
    let (a, b) = (dag.arg_slice(0, 0, 16, true), dag.arg_slice(1, 0, 16, true));
    let product = dag.mul(a, b);
    let clamped = dag.saturate(product, 20, true);
    let upper = dag.slice(product, 12, 20, true);
    let expected = dag.saturate(upper, 8, true);
    assert_eq!(dag.slice(clamped, 12, 8, true), expected);
}

#[test]
fn magnitudes_do_not_depend_on_where_terms_were_made() {
    let mut dag = Dag::new(vec![32, 32]);
    let made_first = dag.arg_slice(1, 8, 8, false);
    let (a, b) = (dag.arg_slice(0, 0, 8, false), dag.arg_slice(1, 0, 8, false));
    let (one, two) = (dag.sub(a, b), dag.sub(made_first, a));
    for (difference, subtracted) in [(one, b), (two, made_first)] {
        let magnitude = dag.abs(difference);
        let expected = dag.sub(a, subtracted);
        assert_eq!(dag.node(magnitude), &Node::Abs(expected));
    }
    // A bit that is read at once comes before one of an earlier argument below an operator.
    let other = dag.arg_slice(0, 8, 8, false);
    let least = dag.min(a, other);
    let difference = dag.sub(least, b);
    let expected = dag.sub(b, least);
    let magnitude = dag.abs(difference);
    assert_eq!(dag.node(magnitude), &Node::Abs(expected));
}

#[test]
fn zero_is_counted_without_a_case_of_its_own() {
    let mut dag = Dag::new(vec![32]);
    let value = dag.arg_slice(0, 0, 32, false);
    let (zero, width, less) = (dag.int(0), dag.int(32), dag.int(31));
    let is_zero = dag.eq(value, zero);
    let counted = dag.trailing_zeros(value, 32);
    assert_eq!(dag.select(is_zero, width, counted), counted);
    assert_ne!(dag.select(is_zero, less, counted), counted);
}

#[test]
fn tables_are_read_from_their_low_end() {
    let mut dag = Dag::new(vec![8]);
    let index = dag.arg_slice(0, 0, 2, false);
    let (table, opposite) = (dag.int(0x4e21), dag.int(0x12e4));
    let down = dag.linear(&[(index, (-4).into())], 12.into());
    let up = dag.linear(&[(index, 4.into())], 0.into());
    let expected = dag.slice_at(opposite, up, 4, false);
    assert_eq!(dag.slice_at(table, down, 4, false), expected);
    // A slice of two entries has no such place.
    let across = dag.slice_at(table, down, 5, false);
    assert!(matches!(dag.node(across), Node::SliceAt { of, .. } if *of == table));
}

#[test]
fn tables_of_exclusive_ors_are_exclusive_ors() {
    let mut dag = Dag::new(vec![8]);
    let index = dag.arg_slice(0, 0, 2, false);
    let position = dag.linear(&[(index, 4.into())], 0.into());
    // Entries 0, 5, 3, 5 ^ 3.
    let table = dag.int(0x6350);
    let found = dag.slice_at(table, position, 4, false);
    let (low, high, zero) = (dag.arg_slice(0, 0, 1, false), dag.arg_slice(0, 1, 1, false), dag.int(0));
    let both = dag.xor(low, high);
    let parts = [both, high, low, zero].map(|node| Part { node, width: 1 });
    assert_eq!(found, dag.concat(&parts));
    let other = dag.int(0x7350);
    let found = dag.slice_at(other, position, 4, false);
    assert!(matches!(dag.node(found), Node::SliceAt { .. }));
}

#[test]
fn an_added_argument_follows_the_others() {
    let mut dag = Dag::new(vec![8, 16]);
    assert!(dag.is_empty());
    let node = dag.arg(0);
    assert!(!dag.is_empty() && dag.len() == 1 && dag.joint_natural(&[node]) == Some((8, false)));
    assert_eq!((dag.add_arg(4), dag.add_arg(1)), (2, 3));
    assert_eq!(dag.arg_widths(), [8, 16, 4, 1]);
}

#[test]
fn a_sum_is_computed_at_its_own_width_or_the_wanted_one_if_that_is_narrower() {
    for (wanted, computed) in [(32, 9), (10, 9), (9, 9), (4, 4)] {
        let mut dag = Dag::new(vec![8, 8]);
        let args = [0, 1].map(|arg| dag.arg_slice(arg, 0, 8, false));
        let sum = dag.sum(&args);
        let mut function = Function::new("sum");
        Lowering::default().lower(&dag, sum, wanted, &mut function).expect("it is narrow");
        let sums = function
            .exprs()
            .iter()
            .filter(|expr| matches!(expr.op, crate::Op::Binary { op: crate::BinaryOp::Add, .. }));
        let widths: Vec<Option<i64>> = sums.map(|expr| expr.width.as_constant()).collect();
        assert_eq!(widths, [Some(computed)], "{wanted} bits are wanted");
    }
}

/// Operators on literals are literals, with the values that integers have.
#[test]
fn literals_are_computed_at_once() {
    let mut dag = Dag::new(Vec::new());
    for a in -9i64..=9 {
        let x = dag.int(a);
        for (found, expected, name) in [
            (dag.not(x), !a, "not"),
            (dag.neg(x), -a, "neg"),
            (dag.abs(x), a.abs(), "abs"),
            (dag.saturate(x, 3, true), a.clamp(-4, 3), "saturate.s"),
            (dag.saturate(x, 3, false), a.clamp(0, 7), "saturate.u"),
            (dag.slice(x, 1, 3, false), a >> 1 & 7, "slice.u"),
            (dag.slice(x, 1, 3, true), (a >> 1 & 7) - if a >> 3 & 1 == 1 { 8 } else { 0 }, "slice.s"),
        ] {
            assert_eq!(found, dag.int(expected), "{name} of {a}");
        }
        for b in -9i64..=9 {
            let y = dag.int(b);
            for (found, expected, name) in [
                (dag.sum(&[x, y]), a + b, "sum"),
                (dag.sub(x, y), a - b, "sub"),
                (dag.mul(x, y), a * b, "mul"),
                (dag.and(x, y), a & b, "and"),
                (dag.or(x, y), a | b, "or"),
                (dag.xor(x, y), a ^ b, "xor"),
                (dag.eq(x, y), i64::from(a == b), "eq"),
                (dag.lt(x, y), i64::from(a < b), "lt"),
                (dag.le(x, y), i64::from(a <= b), "le"),
                (dag.min(x, y), a.min(b), "min"),
                (dag.max(x, y), a.max(b), "max"),
            ] {
                assert_eq!(found, dag.int(expected), "{name} of {a} and {b}");
            }
            let quotient = (b != 0).then(|| dag.int(a / b));
            assert_eq!(dag.div(x, y), quotient, "div of {a} and {b}");
            let remainder = (b != 0).then(|| dag.int(a % b));
            assert_eq!(dag.rem(x, y), remainder, "rem of {a} and {b}");
            if b >= 0 {
                let (left, right) = (dag.shl(x, y), dag.shr(x, y));
                assert_eq!((left, right), (dag.int(a << b), dag.int(a >> b)), "shifts of {a} by {b}");
            }
        }
        if a >= 0 {
            let counts = [dag.popcount(x), dag.leading_zeros(x, 5), dag.trailing_zeros(x, 5)];
            let expected = [a.count_ones(), a.leading_zeros() - 59, a.trailing_zeros().min(5)];
            assert_eq!(counts, expected.map(|count| dag.int(count)), "counts of {a}");
        }
    }
}

/// Ranges of operators on values that have no greatest one, or no least one either.
#[test]
fn ranges_without_ends_end_where_an_operator_bounds_them() {
    let mut dag = Dag::new(vec![64, 8]);
    let [counts, byte, signed] = [(0, 64, false), (1, 8, false), (1, 8, true)]
        .map(|(arg, width, sign)| dag.arg_slice(arg, 0, width, sign));
    let (up, both) = (dag.shl(byte, counts), dag.shl(signed, counts));
    let (five, minus) = (dag.int(5), dag.int(-5));
    for (node, low, high) in [
        (Node::Shl(byte, counts), Some(0), None),
        (Node::Shl(signed, counts), None, None),
        (Node::Shr(up, byte), Some(0), None),
        (Node::Shr(signed, counts), Some(-128), Some(127)),
        (Node::And([byte, both].into()), Some(0), Some(255)),
        (Node::And([up, both].into()), Some(0), None),
        (Node::And([both, signed].into()), None, None),
        (Node::And([byte, five].into()), Some(0), Some(5)),
        (Node::Or([byte, up].into()), Some(0), None),
        (Node::Xor([signed, up].into()), None, None),
        (Node::Min([five, up].into()), Some(0), Some(5)),
        (Node::Max([five, both].into()), Some(5), None),
        (Node::Not(up), None, Some(-1)),
        (Node::Abs(up), Some(0), None),
        (Node::Abs(both), Some(0), None),
        (Node::Saturate { of: up, width: 4, signed: true }, Some(0), Some(7)),
        (Node::Saturate { of: both, width: 4, signed: false }, Some(0), Some(15)),
        (Node::Select(byte, five, up), Some(0), None),
        (Node::PopCount(up), Some(0), Some(i64::from(crate::MAX_WIDTH))),
        (Node::Mul([five, up].into()), None, None),
        (Node::Div(up, five), Some(0), None),
        (Node::Div(both, five), None, None),
        (Node::Div(byte, byte), Some(0), Some(255)),
        (Node::Div(five, byte), Some(0), Some(255)),
        (Node::Div(byte, minus), Some(-512), Some(511)),
        (Node::Rem(up, five), None, None),
        (Node::Rem(byte, five), Some(0), Some(255)),
    ] {
        let made = dag.intern(node);
        let range = Range { low: low.map(Int::from), high: high.map(Int::from) };
        assert_eq!(dag.range(made), &range, "{}", dag.show(made));
    }
}

#[test]
fn shifts_by_any_count_keep_the_sign() {
    let mut dag = Dag::new(vec![8, 64]);
    let count = dag.arg(1);
    for (signed, is_non_negative) in [(true, false), (false, true)] {
        let value = dag.arg_slice(0, 0, 8, signed);
        let shifted = dag.shl(value, count);
        assert_eq!(dag.range(shifted).is_non_negative(), is_non_negative);
    }
}

/// Lowering a floating-point operator and raising it again gives the same node, whatever width is wanted.
#[test]
fn floating_point_operators_are_lowered_and_raised() {
    use crate::float::{Float, FloatOp, NanRule};
    let mut dag = Dag::new(vec![48, 8]);
    let mut made = Vec::new();
    for (op, _) in FloatOp::NAMES {
        let targets: &[u32] = match op {
            FloatOp::Convert => &[6],
            FloatOp::ToInt => &[0, 1],
            op if op.approximates() => &[3 << 19, crate::MAX_ERROR],
            _ => &[0],
        };
        let signs: &[bool] = if *op == FloatOp::FromInt { &[false, true] } else { &[false] };
        let choices = targets.iter().flat_map(|target| signs.iter().map(move |signed| (*target, *signed)));
        for (target, signed) in choices {
            for (nan, _) in NanRule::NAMES {
                let mut operands: Vec<NodeId> =
                    (0..op.arity() as u32).map(|place| dag.arg_slice(0, 16 * place, 16, signed)).collect();
                operands.extend(op.rounds().then(|| dag.arg_slice(1, 0, 3, false)));
                let float = Float { op: *op, nan: *nan, exponent: 5, target };
                let value = if op.compares() { 1 } else { 16 };
                made.push((dag.float(float, 16, value, &operands), value));
            }
        }
    }
    for (node, value) in made {
        for width in [1, value, value + 5] {
            let mut function = Function::new("f");
            for (name, width) in [("a", 48u32), ("b", 8)] {
                function.args.push(Arg { name: name.into(), width: width.into(), role: Role::Register });
            }
            function.results.push(ResultSlot { name: "r".into(), width: width.into() });
            let lowered = Lowering::default().lower(&dag, node, width, &mut function).expect("it is narrow");
            function.body.push(Stmt::Assign { result: ResultId(0), low: 0u32.into(), value: lowered });
            assert_eq!(function.verify(), Ok(()), "{}", dag.show(node));
            let bindings = [dag.arg(0), dag.arg(1)];
            let raised = raise_with(&mut dag, &function, &[], &bindings).unwrap();
            let expected = dag.slice(node, 0, width, false);
            let found = raised.results[0][0].value;
            assert_eq!(found, expected, "{} and {}", dag.show(found), dag.show(expected));
        }
    }
}

/// The only result of a function.
fn raised(text: &str) -> Result<(Dag, NodeId), RaiseError> {
    let (dag, raised) = raise(&Function::parse(text).unwrap())?;
    let value = raised.results[0][0].value;
    Ok((dag, value))
}

#[test]
fn the_sign_of_a_converted_integer_follows_from_its_range() {
    let of = |sign: &str, operand: &str| {
        let value = format!("ffromint.{{5}}.{sign}({operand}, 0x0:3, 16)");
        let (dag, value) =
            raised(&format!("func @f(%a: 8) -> (%r: 16) {{ %r[0 +: 16] = {value} }}")).unwrap();
        dag.show(value)
    };
    assert_eq!(of("s", "cast.u(%a, 9)"), of("u", "%a"));
    assert_ne!(of("s", "%a"), of("u", "%a"));
}

#[test]
fn division_by_zero_has_the_value_of_smt_lib() {
    for (value, expected) in [
        ("div.u(%a, 0x0:8)", "255"),
        ("div.s(%a, 0x0:8)", "select(arg0[7 +: 1], 1, 255)"),
        ("rem.u(%a, 0x0:8)", "arg0[0 +: 8]"),
    ] {
        let (dag, value) = raised(&format!("func @f(%a: 8) -> (%r: 8) {{ %r[0 +: 8] = {value} }}")).unwrap();
        assert_eq!(dag.show(value), expected);
    }
}

/// Parts are lowered as far as they are wanted; a single one is no concatenation.
#[test]
fn a_concatenation_is_lowered_as_far_as_it_is_wanted() {
    for (wanted, widths) in [(4, vec![]), (8, vec![]), (12, vec![12]), (16, vec![16]), (20, vec![16])] {
        let mut dag = Dag::new(vec![8, 8]);
        let parts = [0, 1].map(|arg| Part { node: dag.arg_slice(arg, 0, 8, false), width: 8 });
        let both = dag.concat(&parts);
        let mut function = Function::new("f");
        Lowering::default().lower(&dag, both, wanted, &mut function).expect("it is narrow");
        let joined = function.exprs().iter().filter(|expr| matches!(expr.op, crate::Op::Concat(_)));
        let found: Vec<_> = joined.filter_map(|expr| expr.width.as_constant()).collect();
        assert_eq!(found, widths, "{wanted} bits are wanted");
    }
}

#[test]
fn a_function_of_too_many_steps_is_not_raised() {
    for (count, is_raised) in [(999_999, true), (1_000_000, false)] {
        let text = format!("func @f(%a: 8) -> (%r: 8) {{ for i in 0..{count} {{ %r[0 +: 8] = %a }} }}");
        assert_eq!(raised(&text).err(), (!is_raised).then_some(RaiseError::Steps), "{count}");
    }
}
