//! Windows as text: what is refused and where, that nothing panics, and what operations mean.

use hydride_ir::{Bits, Random};
use synth::window::{Meaning, Window};

fn line(lanes: u32, bits: u32, leaves: &str, expr: &str) -> String {
    format!(r#"{{"name":"w","lanes":{lanes},"bits":{bits},"leaves":[{leaves}],"expr":"{expr}"}}"#)
}

fn leaf(name: &str, ty: &str) -> String {
    format!(r#"{{"name":"{name}","type":"{ty}","kind":"dense"}}"#)
}

/// The only lane of a window over scalars.
fn value(expr: &str, bits: u32, args: &[(&str, &str, i64)]) -> u64 {
    let leaves: Vec<String> = args.iter().map(|(name, ty, _)| leaf(name, ty)).collect();
    let window = Window::read(&line(1, bits, &leaves.join(","), expr), 1).expect(expr);
    let function = Meaning::new(&window).function().expect("small");
    function.verify().expect("a lawful function");
    let width = |ty: &str| ty[1..].parse().expect("a width");
    let bits: Vec<Bits> = args
        .iter()
        .map(|(_, ty, value)| Bits::from_u64(width(ty), *value as u64 & (u64::MAX >> (64 - width(ty)))))
        .collect();
    interp::evaluate(&function, &bits).expect("values")[0].to_u64().expect("at most 64 bits")
}

#[test]
fn operations_mean_what_the_format_says() {
    let i8 = |value: i64| value as u8 as u64;
    let two = |a: i64, b: i64| [("a", "i8", a), ("b", "i8", b)];
    for (expr, args, wanted) in [
        ("(div:i8 a:i8 b:i8)", two(-7, 2), i8(-4)),
        ("(div:i8 a:i8 b:i8)", two(-128, -1), i8(-128)),
        ("(div:i8 a:i8 b:i8)", two(5, 0), 0),
        ("(div:i8 a:i8 3:i8)", two(-7, 0), i8(-3)),
        ("(div:i8 a:i8 -3:i8)", two(7, 0), i8(-3)),
        ("(div:i8 a:i8 -3:i8)", two(-128, 0), 42),
        ("(div:i8 a:i8 -1:i8)", two(-128, 0), i8(-128)),
        ("(div:i8 a:i8 -2:i8)", two(5, 0), i8(-3)),
        ("(absd:u8 a:i8 b:i8)", two(-128, 127), 255),
        ("(abs:u8 a:i8)", two(-128, 0), 128),
        ("(saturating_add:i8 a:i8 b:i8)", two(100, 100), 127),
        ("(saturating_sub:i8 a:i8 b:i8)", two(-100, 100), i8(-128)),
        ("(halving_add:i8 a:i8 b:i8)", two(-128, -127), i8(-128)),
        ("(rounding_halving_add:i8 a:i8 b:i8)", two(127, 126), 127),
        ("(rounding_shift_right:i8 a:i8 b:i8)", two(-128, 8), 0),
        ("(rounding_shift_right:i8 a:i8 b:i8)", two(3, -2), 12),
        ("(rounding_shift_right:i8 a:i8 b:i8)", two(3, -128), 0),
        ("(rounding_mul_shift_right:i8 a:i8 b:i8 7:u8)", two(-128, -128), 127),
        ("(mul_shift_right:i8 a:i8 b:i8 7:u8)", two(-1, 1), i8(-1)),
        ("(shift_right:i8 a:i8 1:u8)", two(-3, 0), i8(-2)),
        ("(saturating_cast:u8 a:i8)", two(-3, 0), 0),
        ("(let t (mul:i8 a:i8 b:i8) (add:i8 t:i8 t:i8))", two(5, 6), 60),
        (
            "(shift_right:i8 (add:i8 (mul:i8 a:i8 6:i8) (mul:i8 b:i8 100:i8)) 1:u8)",
            two(50, 77),
            i8(0x40 >> 1),
        ),
        ("(select:i8 (lt:b1 a:i8 b:i8) a:i8 b:i8)", two(-3, 2), i8(-3)),
    ] {
        assert_eq!(value(expr, 8, &args), wanted, "{expr} {args:?}");
    }
    assert_eq!(value("(widening_mul:i16 a:i8 b:i8)", 16, &two(-128, -128)), 16384);
    assert_eq!(
        value(
            "(vector_reduce_add:u16 (cast:u16x4 (concat:u8x4 a:u8 a:u8 a:u8 b:u8)))",
            16,
            &[("a", "u8", 255), ("b", "u8", 1)]
        ),
        766
    );
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let leaves = leaf("a", "u8x4");
    for (expr, message) in [
        ("(add:u8x4 a:u8x4)", "1 operands, 2 expected"),
        ("(add:u8x4 a:u8x4 b:u8x4)", "there is no leaf `b`"),
        ("(add:u8x5 a:u8x4 a:u8x4)", "the lanes differ"),
        ("(plus:u8x4 a:u8x4 a:u8x4)", "there is no operation `plus`"),
        ("(add:u8x4 a:u8x4 a:u8x4", "is not closed"),
        ("(broadcast:u8x4 300:u8)", "300 is not among the values of u8"),
        ("(shuffle:u8x4 a:u8x4 [0,1,2,4])", "lane 4 of 4"),
        ("(add:u8x4 a:u16x4 a:u8x4)", "`a` is u8x4, not u16x4"),
        ("a:u8x4 a:u8x4", "more follows"),
        ("(let t a:u8x4 (add:u8x4 t:u8x4 s:u8x4))", "there is no leaf `s`"),
    ] {
        let text = line(4, 8, &leaves, expr);
        let error = Window::read(&text, 7).expect_err(expr);
        assert!(error.message.contains(message), "{expr}: {error}");
        assert_eq!(error.line, 7);
        assert!((1..=text.len() + 1).contains(&error.column), "{expr}: {error}");
    }
    let deep = format!("{}a:u8x4{}", "(abs:u8x4 ".repeat(5000), ")".repeat(5000));
    assert!(Window::read(&line(4, 8, &leaves, &deep), 1).expect_err("deep").message.contains("nest deeper"));
}

#[test]
fn no_bytes_make_the_reader_panic() {
    let samples: Vec<String> =
        include_str!("../../../specs/windows/samples.jsonl").lines().map(str::to_owned).collect();
    let mut random = Random::new(1);
    let mut next = |below: usize| random.below(below);
    for round in 0..4000 {
        let mut bytes = samples[round % samples.len()].clone().into_bytes();
        for _ in 0..1 + next(4) {
            let at = next(bytes.len());
            match next(3) {
                0 => bytes[at] = b"():[]x0123u8ib,\" -"[next(18)],
                1 => drop(bytes.remove(at)),
                _ => bytes.insert(at, bytes[next(bytes.len())]),
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        if let Ok(window) = Window::read(&text, 1) {
            let _ = Meaning::new(&window).families(window.root);
        }
    }
}
