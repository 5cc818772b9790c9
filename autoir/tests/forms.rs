//! Families and their forms: types, attributes, and functions that stay the family's.

mod samples;

use autoir::{Class, Dialect, Dictionary, Op, Reviews, ValueType};
use catalog::{Broadcast, Immediate, Kind, Source};
use hydride_ir::Function;
use hydride_ir::passes::instantiate;
use samples::{class, member};

/// Copies of elements, as one family.
const MOVE: &str = "\
func @f[w = 8, n = 4, signed = 0, s = 8, o = 0, step = 8](%a: n*s + o) -> (%dst: w*n) {
  for i in 0..n {
    %dst[w*i +: w] = cast.{signed}(%a[step*i + o +: s], w)
  }
}
";

/// Low halves, a truncation, extensions of the low and of the high half, and broadcasts.
fn moves() -> Class {
    let members = [
        ("low", [16, 4, 1, 16, 0, 16], 128),
        ("low_wide", [32, 4, 0, 32, 0, 32], 256),
        ("narrow", [8, 8, 0, 8, 0, 16], 128),
        ("extend_u", [16, 8, 0, 8, 0, 8], 128),
        ("extend_s", [16, 8, 1, 8, 0, 8], 128),
        ("high_s", [16, 8, 1, 8, 64, 8], 128),
        ("high_wide_u", [32, 8, 0, 16, 128, 16], 256),
        ("splat", [16, 8, 0, 16, 0, 0], 128),
        ("splat_wide", [32, 8, 0, 32, 0, 0], 128),
    ];
    let members = members.map(|(id, params, width)| {
        let mut member = member("east", id, &params, 1);
        member.signature.args[0].width = width;
        member
    });
    let mut class = class("aa", Function::parse(MOVE).unwrap(), Vec::new());
    class.suggested_name = Some("move_elements".into());
    class.members = members.into();
    class
}

const REVIEWS: &str = r#"
[move_elements]
summary = "Copies elements."
category = "movement"
args = ["source"]

[[move_elements.form]]
name = "broadcast"
summary = "Copies one element to all."
when = ["step == 0"]

[[move_elements.form]]
name = "extend_high"
summary = "Widens the elements of the upper half."
when = ["o > 0"]

[[move_elements.form]]
name = "extend"
summary = "Widens elements."
when = ["s < w"]

[[move_elements.form]]
name = "truncate"
summary = "Keeps the low part of each element."
when = ["step > s"]
elements = { a = "step" }

[[move_elements.form]]
name = "extract_low"
summary = "The low elements."
"#;

fn build(reviews: &str) -> Dialect {
    Dialect::build(vec![moves()], Dictionary::default(), &Reviews::parse(reviews).unwrap()).unwrap().0
}

fn attributes(op: &Op) -> Vec<&str> {
    let names: Vec<&str> = op.param_names().collect();
    op.attributes().map(|at| names[at]).collect()
}

#[test]
fn a_family_is_split_by_its_review() {
    let dialect = build(REVIEWS);
    let found: Vec<(&str, usize, Vec<&str>)> =
        dialect.ops().iter().map(|op| (op.name.as_str(), op.class.members.len(), attributes(op))).collect();
    let expected = [
        ("broadcast", 2, vec![]),
        ("extend", 2, vec!["is_signed"]),
        ("extend_high", 2, vec!["is_signed"]),
        ("extract_low", 2, vec![]),
        ("truncate", 1, vec![]),
    ];
    assert_eq!(found, expected);
    let extend = dialect.op("extend").unwrap();
    assert_eq!(extend.summary.as_deref(), Some("Widens elements."));
    assert_eq!(extend.family, "move_elements");
    assert_eq!(extend.args().collect::<Vec<_>>(), [("source", false)]);
    let family = dialect.family("move_elements").unwrap();
    assert_eq!(family.class.members.len(), family.forms.len());
    assert_eq!(family.forms[family.class.members.iter().position(|m| m.id == "narrow").unwrap()], "truncate");
}

#[test]
fn operands_have_the_vendors_types() {
    let dialect = build(REVIEWS);
    let types = |op: &str, id: &str| {
        let op = dialect.op(op).unwrap();
        let (_, facts) = op.instances().find(|(member, _)| member.id == id).unwrap();
        (facts.args[0], facts.results[0])
    };
    assert_eq!(types("extend", "extend_s"), (ValueType::vector(16, 8), ValueType::vector(8, 16)));
    assert_eq!(types("truncate", "narrow"), (ValueType::vector(8, 16), ValueType::vector(8, 8)));
    assert_eq!(types("broadcast", "splat"), (ValueType::vector(8, 16), ValueType::vector(8, 16)));
}

#[test]
fn parameters_follow_from_types_as_they_say() {
    for op in build(REVIEWS).ops() {
        for (member, facts) in op.instances() {
            let params = &member.application.params;
            for inference in &op.inferences {
                let value = inference.value(facts, params);
                assert_eq!(value, Some(params[inference.param.0 as usize]), "{} {}", op.name, member.id);
            }
        }
    }
}

/// A form's function on the low bits of its arguments is the family's.
#[test]
fn a_form_computes_what_the_family_does() {
    let family = moves();
    for op in build(REVIEWS).ops() {
        for member in &op.class.members {
            let origin = family.members.iter().find(|own| own.id == member.id).unwrap();
            let narrow = instantiate(&family.function, &origin.application.params).unwrap();
            let wide = instantiate(&op.class.function, &member.application.params).unwrap();
            wide.verify().unwrap();
            let width = narrow.args[0].width.as_constant().unwrap();
            let mut widened = narrow.clone();
            widened.args[0].width = wide.args[0].width.clone();
            assert!(wide.args[0].width.as_constant().unwrap() >= width, "{}", member.id);
            let (mut dag, first) = hydride_ir::exact::raise(&wide).unwrap();
            let args: Vec<_> = (0..1).map(|arg| dag.arg(arg)).collect();
            let again = hydride_ir::exact::raise_with(&mut dag, &narrow, &[], &args).unwrap();
            assert_eq!(first, again, "{}", member.id);
        }
    }
}

#[test]
fn without_a_review_a_family_is_its_form() {
    let dialect = build("");
    assert_eq!(dialect.ops().len(), 1);
    assert_eq!((dialect.ops()[0].name.as_str(), dialect.ops()[0].summary.as_ref()), ("move_elements", None));
}

#[test]
fn members_without_a_form_are_one_and_are_found() {
    let last = REVIEWS.rfind("[[move").unwrap();
    let reviews = Reviews::parse(&REVIEWS[..last]).unwrap();
    let (dialect, dictionary) = Dialect::build(vec![moves()], Dictionary::default(), &reviews).unwrap();
    let other = dialect.op("move_elements_other").unwrap();
    assert_eq!((other.class.members.len(), other.summary.as_ref()), (2, None));
    let expected = ["low", "low_wide"].map(|id| format!("`move_elements`: no form has east:{id}"));
    assert_eq!(reviews.disagreements(&dictionary), expected);
}

#[test]
fn a_review_of_another_family_is_left_aside() {
    let reviews = Reviews::parse(&REVIEWS.replace("step > s", "pitch > s")).unwrap();
    let (dialect, dictionary) = Dialect::build(vec![moves()], Dictionary::default(), &reviews).unwrap();
    assert_eq!(dialect.ops().len(), 1);
    assert_eq!(
        reviews.disagreements(&dictionary),
        ["`move_elements`: `pitch > s`: no parameter or index `pitch` is in scope"]
    );
    let none = Reviews::default().disagreements(&dictionary);
    assert_eq!(none, ["`move_elements` was not reviewed"]);
    assert_eq!(reviews.disagreements(&Dictionary::default()), ["there is no family `move_elements`"]);
}

#[test]
fn broadcast_arguments_are_vectors_of_powers_of_two() {
    let text = "\
func @f[s = 5](%a: 64, %b: 48 + s) -> (%dst: 64) {
  for i in 0..4 { %dst[16*i +: 16] = shl(%a[16*i +: 16], %b[16*i +: s]) }
}
";
    let mut shift = member("east", "shift", &[5], 2);
    shift.application.args[1] =
        Source::Broadcast(Broadcast { arg: 1, low: 0, lane: None, width: 5, stride: 16 });
    let class = class("aa", Function::parse(text).unwrap(), vec![shift]);
    let (dialect, _) = Dialect::build(vec![class], Dictionary::default(), &Reviews::default()).unwrap();
    assert_eq!(dialect.ops()[0].facts[0].args, [ValueType::vector(4, 16), ValueType::vector(4, 16)]);
}

#[test]
fn copies_of_an_immediate_are_a_form_with_the_immediate() {
    let text = "\
func @f[s = 5](%a: 64, %b: 48 + s) -> (%dst: 64) {
  for i in 0..4 { %dst[16*i +: 16] = shl(%a[16*i +: 16], %b[16*i +: s]) }
}
";
    let by_vector = member("east", "by_vector", &[16], 2);
    let mut by_immediate = member("east", "by_immediate", &[5], 2);
    by_immediate.signature.args[1].kind = Kind::Immediate(Immediate { low: 1, high: 16 });
    by_immediate.application.args[1] =
        Source::Broadcast(Broadcast { arg: 1, low: 0, lane: None, width: 5, stride: 16 });
    let mut class = class("aa", Function::parse(text).unwrap(), vec![by_vector, by_immediate]);
    class.suggested_name = Some("shift".into());
    let (dialect, dictionary) =
        Dialect::build(vec![class], Dictionary::default(), &Reviews::default()).unwrap();
    let names: Vec<&str> = dialect.ops().iter().map(|op| op.name.as_str()).collect();
    assert_eq!(names, ["shift", "shift_immediate"]);
    let shift = dialect.op("shift_immediate").unwrap();
    assert_eq!(shift.args().collect::<Vec<_>>(), [("a", false), ("b", true)]);
    assert_eq!(shift.facts[0].args, [ValueType::vector(4, 16), ValueType::scalar(8)]);
    assert_eq!(shift.class.members[0].application.args, [Source::Own(0), Source::Own(1)]);
    assert_eq!(attributes(shift), [] as [&str; 0]);
    assert!(dictionary.to_string().contains("of 0,1:0/5/16 in 64,1..16"), "{dictionary}");
}

/// What is not on record does not change what operations look like.
#[test]
fn a_new_member_joins_its_form_or_is_one_by_itself() {
    let text = "\
func @shift[w = 16, n = 4, s = 4](%a: w*n, %b: w*n) -> (%dst: w*n) {
  for i in 0..n { %dst[w*i +: w] = shl(%a[w*i +: w], %b[w*i +: s]) }
}
";
    let function = Function::parse(text).unwrap();
    let shifts = |members: &[(&str, [i64; 3])]| {
        let members = members.iter().map(|(id, params)| member("east", id, params, 2)).collect();
        class("aa", function.clone(), members)
    };
    let known = [("words", [16, 8, 4]), ("doubles", [32, 4, 5])];
    let reviews = Reviews::default();
    let (before, record) = Dialect::build(vec![shifts(&known)], Dictionary::default(), &reviews).unwrap();
    assert_eq!(before.ops()[0].attributes().count(), 0, "the bits of a count follow from the element");
    let with = |new: (&'static str, [i64; 3])| {
        let all = [&known[..], &[new]].concat();
        Dialect::build(vec![shifts(&all)], record.clone(), &reviews).unwrap().0
    };
    let shape = |op: &Op| (op.name.clone(), op.named_function().to_string());
    // Wider registers of the same elements.
    let wider = with(("wide", [16, 16, 4]));
    assert_eq!(wider.ops().iter().map(shape).collect::<Vec<_>>(), [shape(&before.ops()[0])]);
    assert_eq!(wider.ops()[0].class.members.len(), 3);
    // As many bits of the count as there are types for: it would become an attribute.
    let other = with(("all", [16, 8, 16]));
    assert_eq!(shape(&other.ops()[0]), shape(&before.ops()[0]));
    let names: Vec<_> = other.ops().iter().map(|op| (op.name.as_str(), op.class.members.len())).collect();
    assert_eq!(names, [("shift_left", 2), ("shift_left_other", 1)]);
}

/// What immediates may be, at the parameter values of all members that share them.
#[test]
fn documented_values_are_those_of_all_members() {
    let text = "func @f[w = 16](%a: w, %b: 8 imm 0..=255) -> (%dst: w) { %dst[0 +: w] = shl(%a, %b) }";
    let shift = |id: &str, width: i64, low: i64, high: i64| {
        let mut member = member("east", id, &[width], 2);
        member.signature.args[1].kind = Kind::Immediate(Immediate { low, high });
        member
    };
    let members = vec![shift("one", 16, 0, 7), shift("two", 16, 3, 15), shift("three", 32, 0, 31)];
    let class = class("aa", Function::parse(text).unwrap(), members);
    let (dialect, _) = Dialect::build(vec![class], Dictionary::default(), &Reviews::default()).unwrap();
    let range = |high| vec![None, Some(Immediate { low: 0, high })];
    let documented: Vec<_> = dialect.ops()[0].documented.values().cloned().collect();
    assert_eq!(documented, [range(15), range(31)]);
}

/// Another class has the name that a form gets: the one that was not reviewed is numbered.
#[test]
fn names_of_operations_are_distinct() {
    let last = REVIEWS.rfind("[[move").unwrap();
    let reviews = Reviews::parse(&REVIEWS[..last]).unwrap();
    let text = "func @g(%a: 8) -> (%r: 8) { %r[0 +: 8] = neg(not(%a)) }";
    let mut other = class("bb", Function::parse(text).unwrap(), vec![member("east", "negated", &[], 1)]);
    other.suggested_name = Some("move_elements_other".into());
    let (dialect, _) = Dialect::build(vec![moves(), other], Dictionary::default(), &reviews).unwrap();
    let mut names: Vec<&str> = dialect.ops().iter().map(|op| op.name.as_str()).collect();
    names.sort_unstable();
    names.retain(|name| name.starts_with("move"));
    assert_eq!(names, ["move_elements_other", "move_elements_other_2"]);
    assert_eq!(dialect.family("move_elements").map(|family| family.name.as_str()), Some("move_elements"));
    assert!(dialect.family("moves").is_none() && dialect.op("moves").is_none());
}

#[test]
fn what_commutes_has_two_operands_of_one_type() {
    for (widths, commutes, expected) in [([8, 8], true, true), ([8, 8], false, false), ([8, 16], true, false)]
    {
        let text = format!(
            "func @f(%a: {}, %b: {}) -> (%r: 16) {{ %r[0 +: 16] = add(cast.u(%a, 16), cast.u(%b, 16)) }}",
            widths[0], widths[1]
        );
        let mut member = member("east", "add", &[], 2);
        member.commutes = commutes;
        let class = class("aa", Function::parse(&text).unwrap(), vec![member]);
        let (dialect, _) = Dialect::build(vec![class], Dictionary::default(), &Reviews::default()).unwrap();
        assert_eq!(dialect.ops()[0].is_commutative(), expected, "{text} {commutes}");
    }
}
