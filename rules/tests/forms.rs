//! The forms in which people and compilers write fixed-point operations are these operations by the equalities of `specs/rules` alone.

use std::path::Path;

use rules::{Computes, Equality, Graph, Head, instances, read};
use rustc_hash::FxHashMap;
use synth::window::{Kind, Lanewise, Meaning, Window};

/// All equalities, which other tests prove.
fn equalities() -> Vec<Equality> {
    let mut all = Vec::new();
    for file in ["lifting.rules", "folds.rules", "emulations.rules"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../specs/rules").join(file);
        let text = std::fs::read_to_string(path).unwrap();
        for rule in read(&text).unwrap() {
            all.extend(instances(&rule, &text).unwrap().iter().flat_map(Equality::of));
        }
    }
    all
}

/// An expression of 16 lanes: numbers are in all of them.
fn window(expression: &str) -> Window {
    let mut leaves = Vec::new();
    let mut text = String::new();
    for word in expression.split_inclusive([' ', ')']) {
        let end = word.len() - word.trim_end_matches([' ', ')']).len();
        let (word, rest) = word.split_at(word.len() - end);
        let Some((name, ty)) = word.split_once(':') else {
            text += word;
            text += rest;
            continue;
        };
        if name.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit()) {
            text += &format!("(broadcast:{ty}x16 {name}:{ty}){rest}");
            continue;
        }
        if !name.starts_with('(') {
            let leaf = format!(r#"{{"name":"{name}","type":"{ty}x16","kind":"dense"}}"#);
            if !leaves.contains(&leaf) {
                leaves.push(leaf);
            }
        }
        text += &format!("{word}x16{rest}");
    }
    let ty = expression.split_once(':').unwrap().1;
    let bits: String = ty[1..].chars().take_while(char::is_ascii_digit).collect();
    let line = format!(
        r#"{{"name":"form","lanes":16,"bits":{bits},"leaves":[{}],"expr":"{text}"}}"#,
        leaves.join(",")
    );
    Window::read(&line, 1).unwrap_or_else(|error| panic!("{line}: {error:?}"))
}

/// The operations that an expression is by equalities, below names for the same bits.
fn operations(equalities: &[Equality], expression: &str) -> Vec<Lanewise> {
    let mut by_root: FxHashMap<(Head, Kind, u32), Vec<&Equality>> = FxHashMap::default();
    for equality in equalities {
        let window = &equality.instance.window;
        let root = if equality.reversed { equality.instance.to.unwrap() } else { window.root };
        let node = window.expressions.get(root);
        let Some(head) = Head::of(&node.operator) else { continue };
        by_root.entry((head, node.ty.kind, node.ty.width)).or_default().push(equality);
    }
    let window = window(expression);
    let mut meaning = Meaning::new(&window);
    let mut graph = Graph::new(&mut meaning);
    graph.saturate(&by_root);
    let mut found = Vec::new();
    let mut classes = vec![graph.root];
    for at in 0..classes.len() {
        for node in graph.members(classes[at]).cloned().collect::<Vec<_>>() {
            let Computes::Operation(Head::Lanewise(operator)) = node.computes else { continue };
            found.push(operator);
            if operator == Lanewise::Cast && graph.ty(graph.find(node.operands[0])).width == node.ty.width {
                classes.push(graph.find(node.operands[0]));
            }
        }
    }
    // What is below a cast that keeps all bits.
    for class in &classes[1..] {
        for node in graph.members(*class) {
            if let Computes::Operation(Head::Lanewise(operator)) = node.computes {
                found.push(operator);
            }
        }
    }
    found
}

#[test]
fn forms_that_people_write_are_operations() {
    let forms: &[(Lanewise, &[&str])] = &[
        (
            Lanewise::HalvingAdd,
            &[
                "(add:u8 (and:u8 a:u8 b:u8) (shift_right:u8 (xor:u8 a:u8 b:u8) 1:u8))",
                "(add:i16 (add:i16 (shift_right:i16 a:i16 1:u16) (shift_right:i16 b:i16 1:u16)) (and:i16 (and:i16 a:i16 b:i16) 1:i16))",
                "(cast:u8 (shift_right:i32 (add:i32 (cast:i32 a:u8) (cast:i32 b:u8)) 1:u32))",
                "(xor:u8 (rounding_halving_add:u8 (xor:u8 a:u8 255:u8) (xor:u8 b:u8 255:u8)) 255:u8)",
            ],
        ),
        (
            Lanewise::RoundingHalvingAdd,
            &[
                "(sub:u16 (or:u16 a:u16 b:u16) (shift_right:u16 (xor:u16 a:u16 b:u16) 1:u16))",
                "(cast:u8 (shift_right:i32 (add:i32 (add:i32 (cast:i32 a:u8) 1:i32) (cast:i32 b:u8)) 1:u32))",
                "(cast:i8 (shift_right:i32 (add:i32 (add:i32 (cast:i32 a:i8) (cast:i32 b:i8)) 1:i32) 1:u32))",
                "(cast:u8 (shift_right:i16 (add:i16 (add:i16 (cast:i16 a:u8) (cast:i16 b:u8)) 1:i16) 1:u16))",
            ],
        ),
        (
            Lanewise::SaturatingAdd,
            &[
                "(select:u8 (lt:b1 (add:u8 a:u8 b:u8) a:u8) 255:u8 (add:u8 a:u8 b:u8))",
                "(select:u32 (le:b1 b:u32 (add:u32 a:u32 b:u32)) (add:u32 a:u32 b:u32) 4294967295:u32)",
                "(or:u8 (add:u8 a:u8 b:u8) (select:u8 (lt:b1 (add:u8 a:u8 b:u8) a:u8) 255:u8 0:u8))",
                "(cast:u8 (min:i32 (add:i32 (cast:i32 a:u8) (cast:i32 b:u8)) 255:i32))",
                "(cast:i8 (max:i32 (min:i32 (add:i32 (cast:i32 a:i8) (cast:i32 b:i8)) 127:i32) -128:i32))",
            ],
        ),
        (
            Lanewise::SaturatingSub,
            &[
                "(select:u8 (lt:b1 b:u8 a:u8) (sub:u8 a:u8 b:u8) 0:u8)",
                "(sub:u16 a:u16 (min:u16 a:u16 b:u16))",
                "(cast:u8 (max:i32 (sub:i32 (cast:i32 a:u8) (cast:i32 b:u8)) 0:i32))",
            ],
        ),
        (
            Lanewise::SaturatingCast,
            &[
                "(cast:i8 (select:i16 (lt:b1 127:i16 a:i16) 127:i16 (select:i16 (lt:b1 a:i16 -128:i16) -128:i16 a:i16)))",
                "(cast:u8 (select:i16 (le:b1 255:i16 a:i16) 255:i16 (select:i16 (le:b1 a:i16 0:i16) 0:i16 a:i16)))",
            ],
        ),
        (
            Lanewise::Absd,
            &[
                "(select:u8 (le:b1 a:u8 b:u8) (sub:u8 b:u8 a:u8) (sub:u8 a:u8 b:u8))",
                "(or:u8 (saturating_sub:u8 a:u8 b:u8) (saturating_sub:u8 b:u8 a:u8))",
                "(cast:u8 (abs:u32 (sub:i32 (cast:i32 a:u8) (cast:i32 b:u8))))",
            ],
        ),
        (
            Lanewise::Abs,
            &[
                "(select:i8 (lt:b1 -1:i8 a:i8) a:i8 (sub:i8 0:i8 a:i8))",
                "(sub:i16 (xor:i16 a:i16 (shift_right:i16 a:i16 15:u16)) (shift_right:i16 a:i16 15:u16))",
            ],
        ),
        (
            Lanewise::RoundingShiftRight,
            &[
                "(add:i16 (shift_right:i16 a:i16 5:u16) (and:i16 (shift_right:i16 a:i16 4:u16) 1:i16))",
                "(cast:u16 (shift_right:u32 (add:u32 (cast:u32 a:u16) 2048:u32) 12:u32))",
            ],
        ),
        (
            Lanewise::RoundingMulShiftRight,
            &[
                "(saturating_cast:i8 (shift_right:i16 (add:i16 (mul:i16 (cast:i16 a:i8) (cast:i16 b:i8)) 64:i16) 7:u16))",
            ],
        ),
    ];
    let equalities = equalities();
    for (operator, forms) in forms {
        for form in *forms {
            let found = operations(&equalities, form);
            assert!(found.contains(operator), "{form} is not {operator:?}: {found:?}");
        }
    }
    // What looks like one of these and is none.
    let other = "(select:u8 (lt:b1 a:u8 (add:u8 a:u8 b:u8)) 255:u8 (add:u8 a:u8 b:u8))";
    assert!(!operations(&equalities, other).contains(&Lanewise::SaturatingAdd));
}

#[test]
fn what_goes_one_way_is_not_looked_for_in_the_other() {
    let text =
        "(rule lift (one_way) (from (sub:u8 a:u8 (min:u8 a:u8 b:u8))) (to (saturating_sub:u8 a:u8 b:u8)))";
    let rule = &read(text).unwrap()[0];
    let directions = Equality::of(&instances(rule, text).unwrap()[0]);
    assert_eq!(directions.iter().map(|own| own.reversed).collect::<Vec<_>>(), [false]);
    assert_eq!(read(&rule.to_string()).unwrap()[0].to_string(), rule.to_string());
    assert!(rule.to_string().contains("(one_way)"));
}
