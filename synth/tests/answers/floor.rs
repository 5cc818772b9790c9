//! Windows in parts, and lanes in C's integers.

use synth::parts::{Part, Solver, halves, in_parts};
use synth::scalar::lanes;
use synth::synthesize::prover;
use synth::window::{Meaning, Window};

fn window(lanes: u32, bits: u32, leaves: &[(&str, &str)], expr: &str) -> Window {
    let leaf = |(name, ty): &(&str, &str)| format!(r#"{{"name":"{name}","type":"{ty}","kind":"dense"}}"#);
    let leaves: Vec<String> = leaves.iter().map(leaf).collect();
    let leaves = leaves.join(",");
    let line = format!(r#"{{"name":"w","lanes":{lanes},"bits":{bits},"leaves":[{leaves}],"expr":"{expr}"}}"#);
    Window::read(&line, 1).expect("a window")
}

/// Whatever has so many operations or less is solved, at a cost of one for each, or of a number for those that are open.
struct Small {
    most: usize,
    open: Option<u64>,
}

impl Small {
    fn operations(part: &Window) -> usize {
        let is_leaf = |at: usize| {
            let id = synth::window::ExpressionId(at as u32);
            matches!(part.expressions.get(id).operator, synth::window::Operator::Leaf(_))
        };
        (0..part.expressions.len()).filter(|at| !is_leaf(*at)).count()
    }
}

impl Solver<usize, ()> for Small {
    fn solve(&mut self, window: &Window) -> Option<usize> {
        Some(Self::operations(window)).filter(|count| *count <= self.most)
    }

    fn last(&mut self, _: &Window) -> Result<usize, ()> {
        Ok(7)
    }

    fn is_open(&self, answer: &usize) -> bool {
        *answer > 1 && self.open.is_some()
    }

    fn cost(&self, part: &Part<usize>) -> u64 {
        match self.open {
            Some(cost) if part.answer > 1 => cost,
            _ => part.answer as u64,
        }
    }
}

#[test]
fn a_window_is_cut_until_its_parts_have_answers() {
    let expr =
        "(let t (add:u8x4 a:u8x4 b:u8x4) (mul:u8x4 (max:u8x4 t:u8x4 a:u8x4) (min:u8x4 t:u8x4 b:u8x4)))";
    let whole = window(4, 8, &[("a", "u8x4"), ("b", "u8x4")], expr);
    // Whatever has two operations or less is solved, and nothing has to be taken lane by lane.
    let parts = in_parts(&whole, &mut Small { most: 2, open: None }).expect("parts");
    // What two parts share both compute.
    assert_eq!(parts.iter().map(|part| part.answer).sum::<usize>(), 5);
    let names: Vec<Option<&str>> = parts.iter().map(|part| part.name.as_deref()).collect();
    assert!(names[..names.len() - 1].iter().all(Option::is_some) && names.last() == Some(&None), "{names:?}");
    // Each reads leaves of the whole and what was written before.
    for (at, part) in parts.iter().enumerate() {
        for leaf in &part.window.leaves {
            let before = names[..at].contains(&Some(leaf.name.as_str()));
            assert!(before || ["a", "b"].contains(&leaf.name.as_str()), "{}", leaf.name);
        }
    }
    let one = window(4, 8, &[("a", "u8x4"), ("b", "u8x4")], "(add:u8x4 a:u8x4 b:u8x4)");
    assert!(halves(&one, "p").is_none());
    assert_eq!(in_parts(&one, &mut Small { most: 0, open: None }).expect("one part")[0].answer, 7);
    // What may be cheaper in two parts is cut again where it is.
    for (cost, most) in [(2, 2), (9, 1)] {
        let parts = in_parts(&whole, &mut Small { most: 2, open: Some(cost) }).expect("parts");
        assert_eq!(parts.iter().map(|part| part.answer).max(), Some(most), "{cost}");
    }
}

#[test]
fn what_a_part_writes_has_the_range_of_its_value() {
    let expr = "(add:u16x4 (widening_add:u16x4 a:u8x4 b:u8x4) (widening_add:u16x4 a:u8x4 a:u8x4))";
    let whole = window(4, 16, &[("a", "u8x4"), ("b", "u8x4")], expr);
    let (_, upper) = halves(&whole, "p").expect("two parts");
    let leaf = upper.leaves.iter().find(|leaf| leaf.name == "p").expect("the part");
    assert_eq!(leaf.range, Some((0, 510)));
}

#[test]
fn lanes_in_c_are_proved_and_written() {
    for (ty, bits) in [("u8", 8), ("i16", 16), ("u32", 32), ("i64", 64), ("u64", 64)] {
        let x = format!("{ty}x5");
        let ops =
            ["add", "mul", "div", "saturating_sub", "rounding_shift_right", "halving_add", "shift_left"];
        for op in ops {
            let expr = format!("({op}:{x} a:{x} (shuffle:{x} b:{x} [1,0,4,2,3]))");
            let own = window(5, bits, &[("a", &x), ("b", &x)], &expr);
            let mut meaning = Meaning::new(&own);
            let made = lanes(&mut meaning, &mut prover()).unwrap_or_else(|error| panic!("{expr}: {error}"));
            let proof = made.proof;
            assert_eq!(proof.structural + proof.theorem + proof.solver, 5, "{expr}");
            let body = made.c_body(&meaning).expect("C").join("\n");
            assert!(body.contains("result[") && body.contains("n0_[] = {1, 0, 4, 2, 3}"), "{body}");
        }
    }
    let expr = "(rounding_mul_shift_right:u64x2 a:u64x2 b:u64x2 (broadcast:u64x2 64:u64))";
    let own = window(2, 64, &[("a", "u64x2"), ("b", "u64x2")], expr);
    let mut meaning = Meaning::new(&own);
    let made = lanes(&mut meaning, &mut prover()).expect("a proof");
    // The sum with the rounding term would be one bit too wide for C.
    made.c_body(&meaning).expect("C");
}
