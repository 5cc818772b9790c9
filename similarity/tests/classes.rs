//! Small instruction sets in the text form, and the classes that they must fall into.

use std::fmt::Write as _;

use catalog::{Family, Known, Source};
use hydride_ir::{Function, Random};
use similarity::{Analysis, Analyzed, Partition, analyze, classify, commutes, partition};

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
    let entries: Vec<Analyzed<'_>> = functions
        .iter()
        .zip(&analyses)
        .map(|(function, analysis)| Analyzed { isa: "test", id: &function.name, function, analysis })
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
    let class = &found.classes[0];
    assert!(class.members.iter().all(|member| commutes(&class.function, &member.application.params)));
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

/// One class of them all would have a parameter for each of the positions.
#[test]
fn instructions_with_too_many_different_numbers_are_apart() {
    let mut random = Random::new(1);
    let mut positions = || [(); 14].map(|()| 1 + random.below(100));
    let (first, second) = (positions(), positions());
    let choice = |name: &str, positions: &[usize; 14]| {
        flat(name, "%a: 128", 112, 8, |place| format!("%a[{} +: 8]", positions[place as usize]))
    };
    let texts = [choice("one", &first), choice("other", &second), choice("same", &first)];
    let (names, _) = classes(&texts);
    assert_eq!(names, [vec!["one", "same"], vec!["other"]]);
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

#[test]
fn a_rotation_is_a_funnel_shift_of_one_register_twice() {
    let funnel = |i: u32, high: &str| {
        let (low, both) = (16 * i, format!("concat(%{high}[{0} +: 16], %a[{0} +: 16])", 16 * i));
        format!("{both}[at %n[{low} +: 4] +: 16]")
    };
    let texts = [
        flat("funnel", "%a: 128, %b: 128, %n: 128", 128, 16, |i| funnel(i, "b")),
        flat("funnel_256", "%a: 256, %b: 256, %n: 256", 256, 16, |i| funnel(i, "b")),
        flat("rotate", "%a: 128, %n: 128", 128, 16, |i| funnel(i, "a")),
    ];
    let (names, found) = classes(&texts);
    assert_eq!(names, [["funnel", "funnel_256", "rotate"]]);
    let own = |arg: u32| Source::Own(arg);
    assert_eq!(found.classes[0].members[2].application.args, [own(0), own(0), own(1)]);
}

#[test]
fn complements_of_flags_are_complements_of_words() {
    let texts = [
        flat("or_not", "%a: 64, %b: 64", 64, 64, |_| "or(%a[0 +: 64], not(%b[0 +: 64]))".into()),
        flat("or_not_128", "%a: 128, %b: 128", 128, 128, |_| "or(%a[0 +: 128], not(%b[0 +: 128]))".into()),
        flat("flags", "%p: 16, %q: 16", 16, 1, |i| format!("or(%p[{i} +: 1], xor(0x1:1, %q[{i} +: 1]))")),
    ];
    let (names, _) = classes(&texts);
    assert_eq!(names.len(), 1, "{names:?}");
}

#[test]
fn a_carry_can_be_fixed_and_an_operand_cannot() {
    let two = |name: &str, args: &str, value: &dyn Fn(u32, u32) -> String| {
        let mut text = format!("func @{name}({args}) -> (%s: 128, %c: 4) {{\n");
        for i in 0..4 {
            let _ = writeln!(text, "  %s[{} +: 32] = {}", 32 * i, value(i, 32));
        }
        for i in 0..4 {
            let _ = writeln!(text, "  %c[{i} +: 1] = {}[32 +: 1]", value(i, 33));
        }
        text.push_str("}\n");
        text
    };
    let read = |arg: &str, i: u32, w: u32| format!("cast.u(%{arg}[{} +: 32], {w})", 32 * i);
    let sum = |i: u32, w: u32| format!("add({}, {})", read("a", i, w), read("b", i, w));
    let carry = |i: u32, w: u32| format!("add({}, cast.u(%k[{i} +: 1], {w}))", sum(i, w));
    let wide = |i: u32, w: u32| format!("add({}, {})", sum(i, w), read("k", i, w));
    let add = two("add", "%a: 128, %b: 128", &sum);
    let (names, _) = classes(&[two("carry", "%a: 128, %b: 128, %k: 4", &carry), add.clone()]);
    assert_eq!(names.len(), 1, "{names:?}");
    let (names, _) = classes(&[two("three", "%a: 128, %b: 128, %k: 128", &wide), add]);
    assert_eq!(names.len(), 2, "{names:?}");
}

#[test]
fn packed_elements_are_one_class_for_every_width() {
    let packed = |name: &str, count: u32, width: u32| {
        let args = format!("%k: {count}, %a: {}", count * width);
        flat(name, &args, count * width, width, |rank| {
            // The last element of that rank wins.
            let mut value = format!("%a[{} +: {width}]", rank * width);
            for place in rank.max(1)..count {
                let below = format!("cast.u(popcount(%k[0 +: {place}]), 8)");
                let own = format!("%a[{} +: {width}]", place * width);
                value = format!(
                    "select(%k[{place} +: 1], select(eq({below}, {rank:#x}:8), {own}, {value}), {value})"
                );
            }
            format!(
                "select(lt.u(cast.u(popcount(%k[0 +: {count}]), 8), {:#x}:8), 0x0:{width}, {value})",
                rank + 1
            )
        })
    };
    let (names, found) = classes(&[packed("four", 4, 32), packed("eight", 8, 8), packed("eight_16", 8, 16)]);
    assert_eq!(names.len(), 1, "{names:?}");
    assert!(found.classes[0].function.params.len() <= 3);
}

#[test]
fn sums_with_zeros_above_are_wider_sums() {
    let sum = |element: u32, width: u32| {
        let term = |t: u32| format!("cast.u(%a[{} +: 8], {width})", element * 64 + t * 8);
        (1..8).fold(term(0), |sum, t| format!("add({sum}, {})", term(t)))
    };
    let texts = [
        flat("wide", "%a: 256", 256, 64, |i| sum(i, 64)),
        flat("narrow", "%a: 128", 128, 16, |i| if i % 4 == 0 { sum(i / 4, 16) } else { "0x0:16".into() }),
    ];
    let (names, _) = classes(&texts);
    assert_eq!(names.len(), 1, "{names:?}");
}

#[test]
fn conflicts_of_two_elements_are_conflicts() {
    let conflict = |name: &str, count: u32| {
        let width = 128 / count;
        let mut text = format!("func @{name}(%a: 128) -> (%dst: 128) {{\n");
        for row in 0..count {
            for column in 0..row {
                let read = |place: u32| format!("%a[{} +: {width}]", place * width);
                let _ = writeln!(
                    text,
                    "  %dst[{} +: 1] = eq({}, {})",
                    row * width + column,
                    read(column),
                    read(row)
                );
            }
            let _ = writeln!(text, "  %dst[{} +: {}] = 0x0:{1}", row * width + row, width - row);
        }
        text.push_str("}\n");
        text
    };
    let (names, _) = classes(&[conflict("four", 4), conflict("two", 2)]);
    assert_eq!(names.len(), 1, "{names:?}");
}

/// Functions with their analyses.
fn analyzed(texts: &[String]) -> Vec<(Function, Analysis)> {
    let functions = texts.iter().map(|text| Function::parse(text).unwrap());
    functions.map(|function| (function.clone(), analyze(&function).unwrap())).collect()
}

fn entries(analyzed: &[(Function, Analysis)]) -> Vec<Analyzed<'_>> {
    let entries = analyzed.iter();
    entries
        .map(|(function, analysis)| Analyzed { isa: "test", id: &function.name, function, analysis })
        .collect()
}

/// The classes of instructions as families.
fn families(texts: &[String]) -> Vec<Family> {
    let analyzed = analyzed(texts);
    let entries = entries(&analyzed);
    let found = partition(&entries, &smt::Prover::new, &|_| {});
    let family = |class: &similarity::Class| Family {
        key: class.key.clone(),
        structure: class.structure.clone(),
        function: class.function.clone(),
        numbers: class.numbers.clone(),
        members: class
            .members
            .iter()
            .map(|member| {
                let known = Known {
                    application: member.application.clone(),
                    operands: vec![catalog::Operand::Other; class.function.args.len()],
                    commutes: commutes(&class.function, &member.application.params),
                };
                (("test".to_owned(), entries[member.entry].id.to_owned()), known)
            })
            .collect(),
    };
    found.classes.iter().map(family).collect()
}

/// The classes of instructions that are given families, each with the ids of its members.
fn classified(texts: &[String], families: &[Family]) -> (Vec<Vec<String>>, Partition) {
    let analyzed = analyzed(texts);
    let entries = entries(&analyzed);
    let found = classify(&entries, &families.iter().collect::<Vec<_>>(), &smt::Prover::new, &|_| {});
    let ids = found
        .classes
        .iter()
        .map(|class| class.members.iter().map(|member| entries[member.entry].id.to_owned()).collect());
    (ids.collect(), found)
}

fn sums() -> Vec<String> {
    let add = |i: u32, w: u32| format!("add(%a[{} +: {w}], %b[{} +: {w}])", i * w, i * w);
    vec![
        flat("add_8", "%a: 256, %b: 256", 256, 8, |i| add(i, 8)),
        flat("add_16", "%a: 512, %b: 512", 512, 16, |i| add(i, 16)),
        flat("add_16_short", "%a: 128, %b: 128", 128, 16, |i| add(i, 16)),
        flat("maskz_add_64", "%k: 8, %a: 512, %b: 512", 512, 64, |i| {
            format!("select(%k[{i} +: 1], {}, 0x0:64)", add(i, 64))
        }),
        flat("add_scalar", "%a: 32, %b: 32", 32, 32, |i| add(i, 32)),
    ]
}

#[test]
fn an_instruction_that_nobody_knows_fits_a_family() {
    let sums = sums();
    let families = families(&sums[..3]);
    assert_eq!(families.len(), 1);
    let (ids, found) = classified(&sums[3..], &families);
    assert_eq!(ids, [["add_scalar", "maskz_add_64"]]);
    let class = &found.classes[0];
    assert_eq!(class.family, Some(0));
    assert_eq!(class.function, families[0].function, "a family does not change");
    let params = |member: usize| class.members[member].application.params.as_slice();
    let names: Vec<&str> = class.function.params.iter().map(|param| param.name.as_str()).collect();
    assert_eq!(
        (names, params(0), params(1)),
        (vec!["element_width", "elements"], &[32, 1][..], &[64, 8][..])
    );
    assert!(class.members[1].application.masking.is_some());
}

/// What formed a family fits it in the same way when the family does not know it.
#[test]
fn members_fit_as_they_were_found() {
    let texts = [
        sums(),
        vec![
            interleave("lo_128_8", 128, 8, false),
            interleave("hi_256_16", 256, 16, true),
            interleave("lo_512_8", 512, 8, false),
            interleave("hi_128_64", 128, 64, true),
            interleave("hi_512_32", 512, 32, true),
        ],
    ]
    .concat();
    let known = families(&texts);
    let forgotten: Vec<Family> =
        known.iter().map(|family| Family { members: Default::default(), ..family.clone() }).collect();
    let analyzed = analyzed(&texts);
    let entries = entries(&analyzed);
    let found = classify(&entries, &forgotten.iter().collect::<Vec<_>>(), &smt::Prover::new, &|_| {});
    assert_eq!(found.classes.len(), known.len());
    for class in &found.classes {
        let family = &known[class.family.expect("each fits")];
        for member in &class.members {
            let id = ("test".to_owned(), entries[member.entry].id.to_owned());
            assert_eq!(member.application, family.members[&id].application, "{}", id.1);
        }
    }
}

#[test]
fn what_fits_no_family_makes_a_new_one() {
    let add = |low: u32| move |i: u32| format!("add(%a[{} +: 8], %b[{} +: 8])", i * 8 + low, i * 8);
    let plain =
        [flat("one", "%a: 128, %b: 64", 64, 8, add(0)), flat("two", "%a: 256, %b: 128", 128, 8, add(0))];
    let families = families(&plain);
    // The family has no parameter for where the first argument begins.
    let texts = [flat("upper", "%a: 128, %b: 64", 64, 8, add(64)), plain[0].clone()];
    let (ids, found) = classified(&texts, &families);
    assert_eq!(ids, [["one"], ["upper"]]);
    let upper = &found.classes[1];
    assert_eq!((found.classes[0].family, upper.family), (Some(0), None));
    assert_eq!(upper.structure, families[0].structure, "the same structure");
    assert_ne!(upper.key, families[0].key, "another identity");
    // The next run knows it.
    let next = Family {
        key: upper.key.clone(),
        function: upper.function.clone(),
        numbers: upper.numbers.clone(),
        ..families[0].clone()
    };
    let (_, found) =
        classified(&texts, &[families[0].clone(), Family { members: Default::default(), ..next }]);
    assert_eq!(found.classes[1].family, Some(1));
}

#[test]
fn what_a_dictionary_records_is_proved_again() {
    let binary = |op: &str| {
        flat("changed", "%a: 64, %b: 64", 64, 8, |i| format!("{op}(%a[{} +: 8], %b[{} +: 8])", i * 8, i * 8))
    };
    let other = binary("sub").replace("changed", "other");
    let families = families(&[binary("add"), other.clone()]);
    // The document has a difference now where it had a sum.
    let (ids, found) = classified(&[binary("sub"), other], &families);
    assert_eq!(ids, [["changed", "other"]]);
    let family = &families[found.classes[0].family.expect("a known family")];
    assert!(!family.members.contains_key(&("test".to_owned(), "changed".to_owned())));
}

#[test]
fn a_commutative_family_stays_commutative() {
    let mut families = families(&sums()[..1]);
    assert!(families[0].is_commutative());
    let sub =
        flat("sub_8", "%a: 256, %b: 256", 256, 8, |i| format!("sub(%a[{} +: 8], %b[{} +: 8])", i * 8, i * 8));
    // A family of differences that claims to be commutative takes no further members.
    let difference = self::families(std::slice::from_ref(&sub)).remove(0);
    let claimed = |known: Known| (("test".to_owned(), "other".to_owned()), Known { commutes: true, ..known });
    let members = difference.members.into_values().map(claimed).collect();
    families[0] = Family { members, ..difference };
    assert_eq!(classified(&[sub], &families).1.classes[0].family, None);
}
