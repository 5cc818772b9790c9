//! Known identities, false ones with their counterexamples, limits, and what is asked how often.

mod support;

use std::time::{Duration, Instant};

use hydride_ir::{
    Arg, ArgId, BinaryOp, CompareOp, Function, IndexId, Num, Op, Param, ParamId, ResultId, ResultSlot, Role,
    Stmt, UnaryOp,
};
use smt::{Prover, Verdict};
use support::*;

/// A shift by a count of another width.
fn binary_shift(
    f: &mut Function,
    op: BinaryOp,
    left: hydride_ir::ExprId,
    right: hydride_ir::ExprId,
) -> hydride_ir::ExprId {
    let width = width(f, left);
    f.push(Op::Binary { op, signed: num(0), left, right }, width)
}

/// `dst` lane by lane from the lanes of two registers.
fn lanes(
    count: u32,
    width: u32,
    value: impl FnOnce(&mut Function, hydride_ir::ExprId, hydride_ir::ExprId) -> hydride_ir::ExprId,
) -> Function {
    let mut f = Function::new("lanes");
    let total = num(count * width);
    for name in ["a", "b"] {
        f.args.push(Arg { name: name.into(), width: total.clone(), role: Role::Register });
    }
    f.results.push(ResultSlot { name: "dst".into(), width: total });
    let low = Num::index(IndexId(0)) * num(width);
    let a = f.push(Op::Arg(ArgId(0)), count * width);
    let b = f.push(Op::Arg(ArgId(1)), count * width);
    let a = f.push(Op::Extract { of: a, low: low.clone() }, width);
    let b = f.push(Op::Extract { of: b, low: low.clone() }, width);
    let value = value(&mut f, a, b);
    let body = vec![Stmt::Assign { result: ResultId(0), low, value }];
    f.body.push(Stmt::For { index: IndexId(0), count: num(count), body });
    f
}

/// The rounding average through `room` bits.
fn average(room: u32) -> Function {
    lanes(64, 8, |f, a, b| {
        let (a, b) = (cast(f, a, room, false), cast(f, b, room, false));
        let sum = binary(f, BinaryOp::Add, false, a, b);
        let one = int(f, room, 1);
        let sum = binary(f, BinaryOp::Add, false, sum, one);
        let half = binary(f, BinaryOp::Shr, false, sum, one);
        cast(f, half, 8, false)
    })
}

#[test]
fn sixty_four_lanes_cost_one_query() {
    let mut prover = Prover::new();
    // (a | b) - ((a ^ b) >> 1) is the rounding average without a ninth bit.
    let trick = lanes(64, 8, |f, a, b| {
        let either = binary(f, BinaryOp::Or, false, a, b);
        let differ = binary(f, BinaryOp::Xor, false, a, b);
        let one = int(f, 8, 1);
        let half = binary(f, BinaryOp::Shr, false, differ, one);
        binary(f, BinaryOp::Sub, false, either, half)
    });
    assert_eq!(prover.equal(&average(9), &trick), Verdict::Equal);
    let stats = prover.stats();
    assert_eq!((stats.queries, stats.memo_hits, stats.structural), (1, 63, 0));
    // Sums and their truncations meet as terms.
    let wide = lanes(64, 8, |f, a, b| {
        let (a, b) = (cast(f, a, 16, true), cast(f, b, 16, true));
        let sum = binary(f, BinaryOp::Add, false, b, a);
        cast(f, sum, 8, false)
    });
    let narrow = lanes(64, 8, |f, a, b| binary(f, BinaryOp::Add, false, a, b));
    assert_eq!(prover.equal(&wide, &narrow), Verdict::Equal);
    assert_eq!((prover.stats().queries, prover.stats().structural), (1, 64));
}

#[test]
fn a_missing_bit_is_found() {
    let mut prover = Prover::new();
    let args = assert_different_by(&mut prover, &average(9), &average(8));
    let seconds = prover.stats().seconds;
    assert!(seconds > 0.0 && seconds < 60.0, "{seconds}");
    assert_eq!(args.iter().map(hydride_ir::Bits::width).collect::<Vec<_>>(), [512, 512]);
    assert_eq!(prover.stats().queries, 1);
}

#[test]
fn a_wrong_lane_is_found_beyond_the_remembered_ones() {
    let swapped = lanes(4, 8, |f, a, b| binary(f, BinaryOp::Sub, false, a, b));
    let mut broken = swapped.clone();
    let Stmt::For { count, .. } = &mut broken.body[0] else { panic!("a loop") };
    *count = num(3);
    let (a, b) = (broken.push(Op::Arg(ArgId(0)), 32u32), broken.push(Op::Arg(ArgId(1)), 32u32));
    let (a, b) = (extract(&mut broken, a, 24, 8), extract(&mut broken, b, 16, 8));
    let value = binary(&mut broken, BinaryOp::Sub, false, a, b);
    broken.body.push(Stmt::Assign { result: ResultId(0), low: num(24), value });
    assert_different(&swapped, &broken);
}

#[test]
fn known_identities_hold_and_near_misses_do_not() {
    let clamp = |wide: bool| {
        function(&[16, 16], move |f, a| {
            if wide {
                let (x, y) = (cast(f, a[0], 17, true), cast(f, a[1], 17, true));
                let sum = binary(f, BinaryOp::Add, false, x, y);
                f.push(Op::Saturate { of: sum, from_signed: num(1), to_signed: num(1) }, 16u32)
            } else {
                // Overflow from the signs.
                let sum = binary(f, BinaryOp::Add, false, a[0], a[1]);
                let (x, y) =
                    (binary(f, BinaryOp::Xor, false, a[0], sum), binary(f, BinaryOp::Xor, false, a[1], sum));
                let both = binary(f, BinaryOp::And, false, x, y);
                let overflow = extract(f, both, 15, 1);
                let fifteen = int(f, 16, 15);
                let sign = binary(f, BinaryOp::Shr, true, a[0], fifteen);
                let top = int(f, 16, 0x7fff);
                let bound = binary(f, BinaryOp::Xor, false, sign, top);
                select(f, overflow, bound, sum)
            }
        })
    };
    assert_equal(&clamp(true), &clamp(false));

    // |x| as max(x, -x), but not as a logical reading of the sign.
    let abs = function(&[32], |f, a| unary(f, UnaryOp::Abs, a[0]));
    let max = |signed| {
        function(&[32], move |f, a| {
            let negated = unary(f, UnaryOp::Neg, a[0]);
            binary(f, BinaryOp::Max, signed, a[0], negated)
        })
    };
    assert_different(&abs, &max(false));
    // max(MIN, -MIN) is MIN, and so is |MIN|.
    assert_equal(&abs, &max(true));

    // x / 4 rounds toward zero, x >> 2 does not.
    let divided = |op, value| {
        function(&[16], move |f, a| {
            let amount = int(f, 16, value);
            binary(f, op, true, a[0], amount)
        })
    };
    assert_different(&divided(BinaryOp::Div, 4), &divided(BinaryOp::Shr, 2));
}

#[test]
fn immediates_count_within_their_range() {
    // A shift guard is redundant only for the documented amounts.
    let shift = |guarded: bool, low: i64, high: i64| {
        let mut f = function(&[16, 8], |f, a| {
            let shifted =
                f.push(Op::Binary { op: BinaryOp::Shl, signed: num(0), left: a[0], right: a[1] }, 16u32);
            if !guarded {
                return shifted;
            }
            let (limit, zero) = (int(f, 8, 8), int(f, 16, 0));
            let small = compare(f, CompareOp::Lt, false, a[1], limit);
            select(f, small, shifted, zero)
        });
        f.args[1].role = Role::Immediate { low, high };
        f
    };
    assert_equal(&shift(true, 0, 7), &shift(false, 0, 7));
    let args = assert_different_by(&mut Prover::new(), &shift(true, 0, 8), &shift(false, 0, 8));
    assert_eq!(args[1].to_u64(), Some(8));
    // Where the documented ranges differ every documented value counts.
    assert_different(&shift(true, 0, 7), &shift(false, 0, 8));
    // -1 as a count is 255.
    assert_different(&shift(true, -1, 7), &shift(false, 0, 255));
    assert_equal(&shift(true, -3, -1), &shift(false, -2, -1));
}

/// A rotation to the left by an immediate count, as one select for each count: `sum` bits for the sum of the
/// count and -n that is compared with 1, read signed.
fn rotate_by_selects(width: u32, count: u32, sum: u32) -> Function {
    let mut value = "%a".to_owned();
    for amount in (1..width).rev() {
        let negated = (1u64 << sum) - u64::from(amount);
        value = format!(
            "select(lt.s(add(cast.u(%n[0 +: {count}], {sum}), {negated:#x}:{sum}), 0x01:{sum}), \
             concat(%a[0 +: {low}], %a[{low} +: {amount}]), {value})",
            low = width - amount,
        );
    }
    let text = format!(
        "func @rotate(%a: {width}, %n: 8 imm 0..=255) -> (%dst: {width}) {{\n  %dst[0 +: {width}] = \
         select(eq(%n[0 +: {count}], 0x0:{count}), %a, {value})\n}}\n"
    );
    let function = Function::parse(&text).unwrap();
    function.verify().unwrap();
    function
}

#[test]
fn slices_of_immediates_with_a_range_are_compared() {
    // The range keeps the immediate in one piece, of which the functions only read the low bits.
    for (width, count) in [(16, 4), (32, 5), (64, 6)] {
        let narrow = rotate_by_selects(width, count, count + 1);
        let wide = rotate_by_selects(width, count, count + 2);
        let within = |function: &Function, high| {
            let mut function = function.clone();
            function.args[1].role = Role::Immediate { low: 0, high };
            function
        };
        for high in [0, 1, 7, 63, 200, 254, 255] {
            let (narrow, wide) = (within(&narrow, high), within(&wide, high));
            assert_eq!(Prover::new().equal(&narrow, &wide), Verdict::Equal, "{width} bits, to {high}");
        }
        // A range of signed values, which read unsigned are the high ones.
        let mut signed = [narrow.clone(), wide.clone()];
        signed.iter_mut().for_each(|f| f.args[1].role = Role::Immediate { low: -3, high: 2 });
        assert_equal(&signed[0], &signed[1]);
        if width > 16 {
            continue; // the solver takes longer than a test may
        }
        // Bits that only one side reads make a difference only if the range allows it.
        let mut kept = within(&narrow, i64::from(width) - 1);
        let whole = function(&[width, 8], |f, a| {
            let left = binary_shift(f, BinaryOp::Shl, a[0], a[1]);
            let bits = int(f, 8, i64::from(width));
            let back = binary(f, BinaryOp::Sub, false, bits, a[1]);
            let right = binary_shift(f, BinaryOp::Shr, a[0], back);
            binary(f, BinaryOp::Or, false, left, right)
        });
        let mut whole = within(&whole, i64::from(width) - 1);
        assert_equal(&kept, &whole);
        kept.args[1].role = Role::Immediate { low: 0, high: i64::from(width) };
        whole.args[1].role = kept.args[1].role;
        assert_equal(&kept, &whole);
        kept.args[1].role = Role::Immediate { low: 0, high: i64::from(width) + 1 };
        whole.args[1].role = kept.args[1].role;
        let args = assert_different_by(&mut Prover::new(), &kept, &whole);
        assert_eq!(args[1].to_u64(), Some(u64::from(width) + 1));
    }
}

#[test]
fn models_stay_within_the_range_of_unused_immediates() {
    let constant = |value| {
        let mut f = function(&[8, 8], move |f, a| {
            let value = int(f, 8, value);
            binary(f, BinaryOp::Add, false, a[0], value)
        });
        f.args[1].role = Role::Immediate { low: 5, high: 6 };
        f
    };
    let args = assert_different_by(&mut Prover::new(), &constant(1), &constant(2));
    assert_eq!(args[1].to_u64(), Some(5));
}

#[test]
fn parameters_take_their_defaults_or_the_values_given() {
    let mut f = function(&[16], |f, a| {
        f.params.push(Param { name: "amount".into(), value: 3 });
        let amount = f.push(Op::Int(Num::param(ParamId(0))), 16u32);
        binary(f, BinaryOp::Mul, false, a[0], amount)
    });
    f.name = "scaled".into();
    let tripled = function(&[16], |f, a| {
        let sum = binary(f, BinaryOp::Add, false, a[0], a[0]);
        binary(f, BinaryOp::Add, false, sum, a[0])
    });
    let mut prover = Prover::new();
    assert_eq!(prover.equal(&f, &tripled), Verdict::Equal);
    assert_eq!(prover.equal_with_params(&f, &[3], &tripled, &[]), Verdict::Equal);
    assert!(matches!(prover.equal_with_params(&f, &[4], &tripled, &[]), Verdict::Different(_)));
    let Verdict::Unknown(reason) = prover.equal_with_params(&f, &[], &tripled, &[]) else { panic!() };
    assert_eq!(reason, "@scaled has 1 parameters, 0 values given");
}

#[test]
fn wide_results_of_single_bits_take_no_long() {
    let bits = |mirrored: bool| {
        let mut f = function(&[16_384, 16_384], |_, a| a[0]);
        let low = Num::index(IndexId(0));
        let a = f.push(Op::Extract { of: hydride_ir::ExprId(0), low: low.clone() }, 1u32);
        let b = f.push(Op::Extract { of: hydride_ir::ExprId(1), low: low.clone() }, 1u32);
        let value = if mirrored {
            let both = binary(&mut f, BinaryOp::And, false, a, b);
            let none = binary(&mut f, BinaryOp::Or, false, a, b);
            let differ = unary(&mut f, UnaryOp::Not, both);
            binary(&mut f, BinaryOp::And, false, differ, none)
        } else {
            binary(&mut f, BinaryOp::Xor, false, a, b)
        };
        let body = vec![Stmt::Assign { result: ResultId(0), low, value }];
        f.body = vec![Stmt::For { index: IndexId(0), count: num(16_384), body }];
        f
    };
    let mut prover = Prover::new();
    let start = Instant::now();
    assert_eq!(prover.equal(&bits(false), &bits(true)), Verdict::Equal);
    println!("{:?} {:?}", start.elapsed(), prover.stats());
    assert_eq!((prover.stats().queries, prover.stats().memo_hits), (1, 16_383));
}

#[test]
fn provers_and_verdicts_move_between_threads() {
    fn movable<T: Send + 'static>() {}
    movable::<Prover>();
    movable::<Verdict>();
}

#[test]
fn what_cannot_be_compared_is_unknown() {
    let mut prover = Prover::new();
    let narrow = function(&[8], |_, a| a[0]);
    let wide = function(&[16], |_, a| a[0]);
    assert!(
        matches!(prover.equal(&narrow, &wide), Verdict::Unknown(reason) if reason.contains("signatures"))
    );
    // Laws of the IR that the encoder relies on give a reason, not a panic.
    let mut twice = narrow.clone();
    twice.body.push(narrow.body[0].clone());
    assert!(
        matches!(prover.equal(&twice, &narrow), Verdict::Unknown(reason) if reason.contains("exactly once"))
    );
    let mut never = narrow.clone();
    never.body.clear();
    assert!(matches!(prover.equal(&narrow, &never), Verdict::Unknown(_)));
    let outside = function(&[8], |f, a| {
        let slice = extract(f, a[0], 4, 8);
        cast(f, slice, 8, false)
    });
    assert!(
        matches!(prover.equal(&outside, &narrow), Verdict::Unknown(reason) if reason.contains("extract"))
    );
    let mut unbound = narrow.clone();
    unbound.body =
        vec![Stmt::Assign { result: ResultId(0), low: Num::index(IndexId(7)), value: hydride_ir::ExprId(0) }];
    assert!(matches!(prover.equal(&unbound, &narrow), Verdict::Unknown(reason) if reason.contains("index")));
    let mut endless = narrow.clone();
    endless.body = vec![Stmt::For { index: IndexId(0), count: Num::constant(i64::MAX), body: Vec::new() }];
    assert!(
        matches!(prover.equal(&endless, &narrow), Verdict::Unknown(reason) if reason.contains("iterations"))
    );
    assert_eq!(prover.stats().queries, 0);
}

/// Associativity of a 64-bit product, which bit blasting does not decide.
fn product(left_first: bool) -> Function {
    function(&[64, 64, 64], move |f, a| {
        if left_first {
            let inner = binary(f, BinaryOp::Mul, false, a[0], a[1]);
            let square = binary(f, BinaryOp::Mul, false, inner, inner);
            binary(f, BinaryOp::Add, false, square, a[2])
        } else {
            let (x, y) =
                (binary(f, BinaryOp::Mul, false, a[0], a[0]), binary(f, BinaryOp::Mul, false, a[1], a[1]));
            let low = binary(f, BinaryOp::Div, false, x, a[2]);
            let high = binary(f, BinaryOp::Rem, false, x, a[2]);
            let back = binary(f, BinaryOp::Mul, false, low, a[2]);
            let x = binary(f, BinaryOp::Add, false, back, high);
            let square = binary(f, BinaryOp::Mul, false, x, y);
            binary(f, BinaryOp::Add, false, square, a[2])
        }
    })
}

#[test]
fn a_hard_question_is_given_up_in_time() {
    let mut prover = Prover::with_time_limit(Duration::from_secs(1));
    let start = Instant::now();
    let verdict = prover.equal(&product(true), &product(false));
    let spent = start.elapsed();
    assert!(matches!(verdict, Verdict::Unknown(_)), "{verdict:?}");
    println!("{verdict:?} after {spent:?}");
    assert!(spent < Duration::from_secs(20), "{spent:?}");
    assert_eq!(prover.stats().unknown, 1);
    // The session goes on.
    assert_eq!(prover.equal(&average(9), &average(10)), Verdict::Equal);
}

#[test]
fn answers_do_not_depend_on_threads_or_on_earlier_questions() {
    let ask = |order: [usize; 4]| {
        let sides = [
            (average(9), average(10)),
            (average(9), average(8)),
            (product(true), product(false)),
            (average(8), average(10)),
        ];
        let mut prover = Prover::with_time_limit(Duration::from_secs(120)).step_limit(200_000);
        let mut verdicts: Vec<(usize, Verdict)> =
            order.iter().map(|index| (*index, prover.equal(&sides[*index].0, &sides[*index].1))).collect();
        verdicts.sort_by_key(|(index, _)| *index);
        verdicts
    };
    let first = ask([0, 1, 2, 3]);
    assert_eq!(first[2].1, Verdict::Unknown("solver step limit".to_owned()));
    std::thread::scope(|scope| {
        let threads: Vec<_> = [[3, 2, 1, 0], [2, 0, 3, 1], [1, 3, 0, 2]]
            .into_iter()
            .map(|order| scope.spawn(move || ask(order)))
            .collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), first);
        }
    });
}

#[test]
fn the_pinned_solver_is_the_one_that_runs() {
    // `.cargo/config.toml` names the version; the system may also have an older library.
    let meant = env!("Z3_SYS_Z3_VERSION");
    let running = z3::full_version().to_string();
    assert!(running.contains(&format!(" {meant}")) || running.starts_with(meant), "{running} is not {meant}");
}

#[test]
fn long_chains_do_not_overflow_the_stack() {
    let chain = |mirrored: bool| {
        function(&[32, 32], move |f, a| {
            let mut value = a[0];
            for round in 0..20_000 {
                let other = extract(f, a[1], round % 24, 8);
                let other = cast(f, other, 32, false);
                let (left, right) = if mirrored { (other, value) } else { (value, other) };
                value =
                    binary(f, if round % 3 == 0 { BinaryOp::Add } else { BinaryOp::Xor }, false, left, right);
            }
            extract(f, value, 3, 9)
        })
    };
    assert_equal(&chain(false), &chain(true));
}

#[test]
fn other_solvers_get_the_whole_question() {
    let script = smt::script(&average(9), &average(8)).unwrap();
    // All 64 lanes are one question over one byte of each argument, with nothing simplified.
    assert_eq!((script.slices, script.questions), (64, 1));
    assert!(script.text.starts_with("; @lanes = @lanes: unsat means equal\n(set-logic QF_BV)\n"));
    assert!(script.text.contains("(declare-const |a[0 +: 8]#1| (_ BitVec 8))"), "{}", script.text);
    assert!(script.text.contains("bvadd") && script.text.ends_with("(check-sat)\n"), "{}", script.text);
    // Equal sides are written out both.
    let same = smt::script(&average(9), &average(9)).unwrap().text;
    assert_eq!(same.matches("bvadd").count(), 4, "{same}");
    let narrow = function(&[8], |_, a| a[0]);
    assert!(smt::script(&narrow, &average(8)).is_err());
}

/// Bounds of immediates are bounds of the solver's variables, at every width.
#[test]
fn immediates_have_values_within_their_bounds_only() {
    for width in [8, 64, 70, 128] {
        for (low, high, signed) in [(-3, 5, "s"), (2, 9, "u"), (0, 9, "u")] {
            let function = |result: &str| {
                let text =
                    format!("func @f(%n: {width} imm {low}..={high}) -> (%r: 1) {{ %r[0 +: 1] = {result} }}");
                Function::parse(&text).unwrap()
            };
            let (bound, always) = (|value: i64| format!("int({value}, {width})"), function("0x1:1"));
            for (bound, relation) in [
                (format!("%n, {}", bound(high)), Verdict::Equal),
                (format!("{}, %n", bound(low)), Verdict::Equal),
            ] {
                let within = function(&format!("le.{signed}({bound})"));
                assert_eq!(Prover::new().equal(&within, &always), relation, "{within}");
                let strictly = function(&format!("lt.{signed}({bound})"));
                let verdict = Prover::new().equal(&strictly, &always);
                let Verdict::Different(model) = verdict else { panic!("{strictly} is {verdict:?}") };
                let value = model.args[0].words()[0].cast_signed();
                let value = if width == 8 { i64::from(value as i8) } else { value };
                assert!(value == low || value == high, "{value} of {strictly}");
            }
        }
    }
}
