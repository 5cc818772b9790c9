//! Small instruction sets in the text form, and the classes that they must fall into.

use std::fmt::Write as _;

use hydride_ir::Function;
use similarity::{Entry, Partition, analyze, partition};

/// Writes a flat function: one assignment for each element.
fn flat(name: &str, args: &str, width: u32, element: u32, value: impl Fn(u32) -> String) -> String {
    let mut text = format!("func @{name}({args}) -> (%dst: {width}) {{\n");
    for place in 0..width / element {
        let _ = writeln!(text, "  %dst[{} +: {element}] = {}", place * element, value(place));
    }
    text.push_str("}\n");
    text
}

fn classes(texts: &[String]) -> (Vec<Vec<String>>, Partition) {
    let functions: Vec<Function> = texts.iter().map(|text| Function::parse(text).unwrap()).collect();
    let analyses: Vec<_> = functions.iter().map(|function| analyze(function).unwrap()).collect();
    let entries: Vec<Entry<'_>> = functions
        .iter()
        .zip(&analyses)
        .map(|(function, analysis)| Entry { isa: "test", id: &function.name, function, analysis })
        .collect();
    let found = partition(&entries, &smt::Prover::new, &|_| {});
    assert!(found.unknown.is_empty(), "{:?}", found.unknown);
    for class in &found.classes {
        println!("{}", class.function);
        class.function.verify().unwrap();
        for member in &class.members {
            println!("  {} {:?} {:?}", entries[member.entry].id, member.application, member.proof);
        }
    }
    let names = found
        .classes
        .iter()
        .map(|class| class.members.iter().map(|member| entries[member.entry].id.to_string()).collect())
        .collect();
    (names, found)
}

fn interleave(name: &str, width: u32, element: u32, high: bool) -> String {
    flat(name, &format!("%a: {width}, %b: {width}"), width, element, |place| {
        let per_block = 128 / element;
        let (block, inside) = (place / per_block, place % per_block);
        let low = block * 128 + u32::from(high) * 64 + inside / 2 * element;
        format!("%{}[{low} +: {element}]", if inside % 2 == 0 { "a" } else { "b" })
    })
}

#[test]
fn interleaves_are_one_class_with_the_offset_as_a_parameter() {
    let texts = [
        interleave("lo_128_8", 128, 8, false),
        interleave("hi_256_16", 256, 16, true),
        interleave("lo_512_8", 512, 8, false),
        interleave("hi_128_64", 128, 64, true),
        interleave("hi_512_32", 512, 32, true),
    ];
    let (names, found) = classes(&texts);
    assert_eq!(names.len(), 1, "{names:?}");
    assert!(found.classes[0].function.params.len() <= 4);
}

#[test]
fn masked_and_unmasked_additions_are_one_class() {
    let add = |i: u32, w: u32| format!("add(%a[{} +: {w}], %b[{} +: {w}])", i * w, i * w);
    let texts = [
        flat("add_8", "%a: 256, %b: 256", 256, 8, |i| add(i, 8)),
        flat("add_16", "%a: 512, %b: 512", 512, 16, |i| add(i, 16)),
        flat("maskz_add_8", "%k: 64, %a: 512, %b: 512", 512, 8, |i| {
            format!("select(%k[{i} +: 1], {}, 0x00:8)", add(i, 8))
        }),
        flat("mask_add_8", "%src: 512, %k: 64, %a: 512, %b: 512", 512, 8, |i| {
            format!("select(%k[{i} +: 1], {}, %src[{} +: 8])", add(i, 8), 8 * i)
        }),
    ];
    let (names, found) = classes(&texts);
    assert_eq!(names.len(), 1, "{names:?}");
    assert_eq!(found.classes[0].function.params.len(), 2);
    assert!(similarity::is_commutative(&found.classes[0]));
}

#[test]
fn signedness_is_a_parameter_and_saturation_an_operator() {
    let sum = |i: u32, w: u32, s: &str| {
        format!("add(cast.{s}(%a[{} +: {w}], {}), cast.{s}(%b[{} +: {w}], {}))", i * w, w + 1, i * w, w + 1)
    };
    let args = "%a: 128, %b: 128";
    let texts = [
        flat("adds_epi8", args, 128, 8, |i| format!("saturate.s.s({}, 8)", sum(i, 8, "s"))),
        flat("adds_epu16", args, 128, 16, |i| format!("saturate.u.u({}, 16)", sum(i, 16, "u"))),
        flat("adds_epu8", args, 128, 8, |i| format!("saturate.u.u({}, 8)", sum(i, 8, "u"))),
        flat("add_epi8", args, 128, 8, |i| format!("add(%a[{} +: 8], %b[{} +: 8])", 8 * i, 8 * i)),
    ];
    let (names, _) = classes(&texts);
    assert_eq!(names, [vec!["add_epi8"], vec!["adds_epi8", "adds_epu16", "adds_epu8"]]);
}

#[test]
fn dot_products_are_one_class_whatever_the_number_of_terms() {
    let product = |i: u32, t: u32, w: u32, a: &str| {
        format!("mul(cast.{a}(%a[{0} +: {w}], 32), cast.s(%b[{0} +: {w}], 32))", i * 32 + t * w)
    };
    let dot = |i: u32, n: u32, w: u32, a: &str| {
        (0..n)
            .fold(format!("%src[{} +: 32]", 32 * i), |sum, t| format!("add({sum}, {})", product(i, t, w, a)))
    };
    let args = |width: u32| format!("%src: {width}, %a: {width}, %b: {width}");
    let texts = [
        flat("dpbusd", &args(256), 256, 32, |i| dot(i, 4, 8, "u")),
        flat("dpwssd", &args(512), 512, 32, |i| dot(i, 2, 16, "s")),
    ];
    let (names, _) = classes(&texts);
    assert_eq!(names.len(), 1, "{names:?}");
}

#[test]
fn packs_of_one_and_two_blocks_are_one_class() {
    let pack = |name: &str, width: u32| {
        flat(name, &format!("%a: {width}, %b: {width}"), width, 8, |place| {
            let (block, inside) = (place / 16, place % 16);
            let source = if inside < 8 { "a" } else { "b" };
            format!("saturate.s.s(%{source}[{} +: 16], 8)", block * 128 + inside % 8 * 16)
        })
    };
    let (names, _) = classes(&[pack("packs_128", 128), pack("packs_256", 256), pack("packs_512", 512)]);
    assert_eq!(names.len(), 1, "{names:?}");
}
