//! Building a dialect: names, shapes and identity from run to run.

mod samples;

use autoir::{BuildError, Class, Dialect, Dictionary, Op, ParamKind, Reviews, ValueType, classes_json};
use hydride_ir::{BinaryOp, CompareOp, Num, Op as IrOp, UnaryOp};
use memo::Memo;
use samples::{Draft, I, class, classes, elementwise, index, member, num};

fn build(classes: Vec<Class>) -> (Dialect, Dictionary) {
    Dialect::build(classes, Dictionary::default(), &Reviews::default()).unwrap()
}

fn names(dialect: &Dialect) -> Vec<&str> {
    dialect.ops().iter().map(|op| op.name.as_str()).collect()
}

/// The name of the operation that has a member of that id.
fn name_of<'a>(dialect: &'a Dialect, id: &str) -> &'a str {
    let has = |op: &&Op| op.class.members.iter().any(|member| member.id == id);
    &dialect.ops().iter().find(has).unwrap().name
}

#[test]
fn names_are_read_off_the_structure() {
    let (dialect, _) = build(classes());
    let expected = [
        ("add8", "add"),
        ("adds8", "add_sat"),
        ("dot8", "dot_add"),
        ("mull8", "widen_mul"),
        ("lt8", "compare_lt"),
        ("zip8", "interleave"),
        ("shli", "shift_left_immediate"),
        ("low8", "extract"),
        ("crc", "crc"),
    ];
    for (id, name) in expected {
        assert_eq!(name_of(&dialect, id), name);
    }
}

/// One lane of `body` applied to lanes of two arguments of 8 bits.
fn lane_function(
    body: impl Fn(&mut Draft, [hydride_ir::ExprId; 3]) -> hydride_ir::ExprId,
) -> hydride_ir::Function {
    let mut draft = Draft::new("f", &[]);
    let args = ["a", "b", "c"].map(|name| draft.register(name, num(128)));
    let low = index(I) * num(8);
    let slices = args.map(|arg| draft.slice(arg, low.clone(), num(8)));
    let value = body(&mut draft, slices);
    let width = draft.function.expr(value).width.clone();
    draft.result(width.clone() * num(16));
    draft.lanes(num(16), vec![Draft::assign(index(I) * width, value)])
}

#[test]
fn common_element_expressions_have_names() {
    type Body = fn(&mut Draft, [hydride_ir::ExprId; 3]) -> hydride_ir::ExprId;
    let cases: [(&str, Body); 10] = [
        ("abs_diff", |d, [a, b, _]| {
            let (a, b) = (d.cast(a, num(0), num(9)), d.cast(b, num(0), num(9)));
            let difference = d.binary(BinaryOp::Sub, a, b);
            let value = d.unary(UnaryOp::Abs, difference);
            d.cast(value, num(0), num(8))
        }),
        ("and_not", |d, [a, b, _]| {
            let b = d.unary(UnaryOp::Not, b);
            d.binary(BinaryOp::And, a, b)
        }),
        ("average_round", |d, [a, b, _]| {
            let (a, b) = (d.cast(a, num(0), num(9)), d.cast(b, num(0), num(9)));
            let one = d.function.push(IrOp::Int(num(1)), 9i64);
            let sum = d.binary(BinaryOp::Add, a, b);
            let sum = d.binary(BinaryOp::Add, sum, one);
            let value = d.binary(BinaryOp::Shr, sum, one);
            d.cast(value, num(0), num(8))
        }),
        ("mul_high", |d, [a, b, _]| {
            let (a, b) = (d.cast(a, num(1), num(16)), d.cast(b, num(1), num(16)));
            let product = d.binary(BinaryOp::Mul, a, b);
            d.slice(product, num(8), num(8))
        }),
        ("mul_add", |d, [a, b, c]| {
            let product = d.binary(BinaryOp::Mul, a, b);
            d.binary(BinaryOp::Add, product, c)
        }),
        ("abs_diff_add", |d, [a, b, c]| {
            let difference = d.binary(BinaryOp::Sub, a, b);
            let value = d.unary(UnaryOp::Abs, difference);
            d.binary(BinaryOp::Add, c, value)
        }),
        ("compare_eq", |d, [a, b, _]| {
            let equal = d.compare(CompareOp::Eq, num(0), a, b);
            d.cast(equal, num(1), num(8))
        }),
        ("popcount_xor_max", |d, [a, b, c]| {
            let count = d.unary(UnaryOp::PopCount, a);
            let mixed = d.binary(BinaryOp::Xor, count, b);
            d.binary(BinaryOp::Max, mixed, c)
        }),
        ("extend_interleave", |d, [a, _, _]| d.cast(a, num(1), num(16))),
        ("permute", |d, [a, ..]| {
            let whole = hydride_ir::ExprId(1);
            let low = d.cast(a, num(0), num(16));
            let eight = d.function.push(IrOp::Int(num(8)), 16i64);
            let low = d.binary(BinaryOp::Mul, low, eight);
            d.function.push(IrOp::ExtractAt { of: whole, low }, 8i64)
        }),
    ];
    for (name, body) in cases {
        let (dialect, _) = build(vec![class("aa", lane_function(body), vec![member("east", "m", &[], 3)])]);
        assert_eq!(names(&dialect), [name]);
    }
}

#[test]
fn lanes_that_are_copied_or_zero_show_in_the_name() {
    for (name, computed, zero) in
        [("not", true, true), ("not_partial", true, false), ("move_zero", false, true)]
    {
        let mut draft = Draft::new("f", &[]);
        let a = draft.register("a", num(64));
        draft.result(num(64));
        let (low, high) = (draft.slice(a, num(0), num(32)), draft.slice(a, num(32), num(32)));
        let first = if computed { draft.unary(UnaryOp::Not, low) } else { low };
        let second = if zero { draft.function.push(IrOp::Int(num(0)), 32i64) } else { high };
        draft.function.body = vec![Draft::assign(num(0), first), Draft::assign(num(32), second)];
        let (dialect, _) = build(vec![class("aa", draft.function, vec![member("east", "m", &[], 1)])]);
        assert_eq!(names(&dialect), [name]);
    }
}

#[test]
fn movements_are_told_apart() {
    // Element `scale * i + offset` of the one argument, in `count` lanes.
    let cases: [(&str, i64, i64, i64); 6] = [
        ("move", 1, 0, 16),
        ("extract", 1, 8, 8),
        ("broadcast", 0, 3, 16),
        ("reverse", -1, 15, 16),
        ("deinterleave", 2, 1, 8),
        ("shuffle", 3, 0, 5),
    ];
    for (name, scale, offset, count) in cases {
        let mut draft = Draft::new("f", &[]);
        let a = draft.register("a", num(128));
        draft.result(num(8 * count));
        let low = (index(I) * num(scale) + num(offset)) * num(8);
        let value = draft.slice(a, low, num(8));
        let function = draft.lanes(num(count), vec![Draft::assign(index(I) * num(8), value)]);
        let (dialect, _) = build(vec![class("aa", function, vec![member("east", "m", &[], 1)])]);
        assert_eq!(names(&dialect), [name]);
    }
}

#[test]
fn shapes_follow_the_parameters() {
    let (dialect, _) = build(classes());
    let dot = dialect.op("dot_add").unwrap();
    let (_, facts) = dot.instances().find(|(member, _)| member.id == "dot8w").unwrap();
    let (wide, narrow) = (ValueType::vector(32, 32), ValueType::vector(128, 8));
    assert_eq!((facts.results.as_slice(), facts.args.as_slice()), (&[wide][..], &[wide, narrow, narrow][..]));
    let compare = dialect.op("compare_lt").unwrap();
    assert_eq!(compare.facts[1].results, [ValueType::vector(64, 1)]);
    let scalar = dialect.op("crc").unwrap();
    assert_eq!(scalar.facts[0].args, [ValueType::scalar(32), ValueType::scalar(8)]);
    let attributes: Vec<(&str, ParamKind)> = dot
        .attributes()
        .zip(dot.param_names().skip(1))
        .map(|(at, name)| (name, dot.param_kinds[at]))
        .collect();
    assert_eq!(attributes, [("a_signed", ParamKind::Signedness)], "the lanes follow from types");
}

#[test]
fn a_register_without_lanes_is_made_of_words_or_bytes() {
    for (width, expected) in [
        (64, ValueType::scalar(64)),
        (48, ValueType::vector(3, 16)),
        (128, ValueType::vector(2, 64)),
        (96, ValueType::vector(3, 32)),
    ] {
        let mut draft = Draft::new("f", &[("width", width)]);
        let width: Num = draft.param("width");
        let a = draft.register("a", width.clone());
        draft.result(width);
        let value = draft.unary(UnaryOp::Not, a);
        draft.function.body = vec![Draft::assign(num(0), value)];
        let members = vec![member("east", "m", &[draft.function.params[0].value], 1)];
        let (dialect, _) = build(vec![class("aa", draft.function, members)]);
        assert_eq!(dialect.ops()[0].facts[0].results, [expected]);
        let arg = ValueType { count: expected.count.next_power_of_two(), ..expected };
        assert_eq!(dialect.ops()[0].facts[0].args, [arg], "an argument is a vector of a power of two");
    }
}

#[test]
fn the_text_form_gives_names_too() {
    let cases = [
        (
            "mul_high",
            "func @f[w=16, n=8](%a: w*n, %b: w*n) -> (%r: w*n) {
               for i in 0..n {
                 %r[w*i +: w] = mul(cast.s(%a[w*i +: w], 2*w), cast.s(%b[w*i +: w], 2*w))[w +: w]
               }
             }",
        ),
        (
            "compare_eq",
            "func @f[w=16, n=8](%a: w*n, %b: w*n) -> (%r: w*n) {
               for i in 0..n {
                 %r[w*i +: w] = select(eq(%a[w*i +: w], %b[w*i +: w]), int(-1, w), int(0, w))
               }
             }",
        ),
        (
            "reverse_groups",
            "func @f(%a: 64) -> (%r: 64) {
               for g in 0..2 {
                 for i in 0..4 {
                   %r[32*g + 8*i +: 8] = %a[32*g - 8*i + 24 +: 8]
                 }
               }
             }",
        ),
        (
            "sum_abs_diff",
            "func @f[n=8](%a: 64*n, %b: 64*n) -> (%r: 64*n) {
               for i in 0..n {
                 %r[64*i +: 64] = fold add(j in 0..8)
                   abs(sub(cast.u(%a[64*i + 8*j +: 8], 64), cast.u(%b[64*i + 8*j +: 8], 64)))
               }
             }",
        ),
    ];
    for (name, text) in cases {
        let function = hydride_ir::Function::parse(text).unwrap();
        let params: Vec<i64> = function.params.iter().map(|param| param.value).collect();
        let arity = function.args.len() as u32;
        let (dialect, _) = build(vec![class("aa", function, vec![member("east", "m", &params, arity)])]);
        assert_eq!(names(&dialect), [name]);
    }
}

#[test]
fn the_larger_class_gets_the_plain_name() {
    let small = class("01", elementwise("f", BinaryOp::Add, false), vec![member("east", "a", &[8, 16], 2)]);
    let large = class(
        "02",
        elementwise("f", BinaryOp::Add, false),
        vec![member("east", "b", &[8, 16], 2), member("east", "c", &[8, 8], 2)],
    );
    let (dialect, _) = build(vec![small, large]);
    assert_eq!((name_of(&dialect, "a"), name_of(&dialect, "b")), ("add_2", "add"));
}

#[test]
fn a_suggestion_is_preferred() {
    let mut suggested = classes().remove(0);
    suggested.suggested_name = Some("Vector Sum".to_owned());
    assert_eq!(names(&build(vec![suggested]).0), ["vector_sum"]);
}

#[test]
fn input_order_does_not_matter() {
    let (dialect, dictionary) = build(classes());
    let mut reversed = classes();
    reversed.reverse();
    reversed.iter_mut().for_each(|class| class.members.reverse());
    let (other, other_dictionary) = build(reversed);
    assert_eq!(classes_json(&dialect, &Memo::default()), classes_json(&other, &Memo::default()));
    assert_eq!(dictionary.to_string(), other_dictionary.to_string());
    assert_eq!(dialect, other);
}

#[test]
fn a_second_run_changes_nothing() {
    let (dialect, dictionary) = build(classes());
    let dictionary = Dictionary::parse(&dictionary.to_string()).unwrap();
    let (again, dictionary_again) =
        Dialect::build(classes(), dictionary.clone(), &Reviews::default()).unwrap();
    assert_eq!((again, dictionary_again), (dialect, dictionary));
}

#[test]
fn a_renamed_entry_sticks() {
    let (_, dictionary) = build(classes());
    let edited = dictionary.to_string().replace("family add\n", "family vector_add\n  alias add\n");
    let (dialect, dictionary) =
        Dialect::build(classes(), Dictionary::parse(&edited).unwrap(), &Reviews::default()).unwrap();
    assert_eq!(name_of(&dialect, "add8"), "vector_add");
    assert_eq!(dialect.op("add").unwrap().name, "vector_add");
    assert_eq!(dictionary.resolve("add"), Some("vector_add"));
}

/// The classes of `samples` with another function and key for one of them.
fn changed() -> Vec<Class> {
    let mut changed = classes();
    changed[1].structural_hash = "ffff".to_owned();
    changed[1].function = elementwise("g", BinaryOp::Sub, true);
    changed
}

#[test]
fn a_name_never_means_another_function() {
    let (_, dictionary) = build(classes());
    let (dialect, dictionary) = Dialect::build(changed(), dictionary, &Reviews::default()).unwrap();
    assert_eq!(name_of(&dialect, "adds8"), "sub_sat");
    let family = |name: &str| dictionary.families().find(|(own, _)| *own == name).unwrap().1;
    assert_eq!(family("add_sat").key, "0b02");
    assert!(family("add_sat").members.is_empty(), "a member belongs to one family");
    assert_eq!(family("sub_sat").key, "ffff");
}

#[test]
fn in_a_new_dictionary_a_name_follows_the_majority_of_its_members() {
    let (_, previous) = build(classes());
    let (dialect, dictionary) = Dialect::rebuild(changed(), &previous, &Reviews::default()).unwrap();
    assert_eq!(name_of(&dialect, "adds8"), "add_sat");
    let (_, family) = dictionary.families().find(|(name, _)| *name == "add_sat").unwrap();
    assert_eq!(family.key, "ffff");
    assert_eq!(dictionary.names().collect::<Vec<_>>(), previous.names().collect::<Vec<_>>());
}

/// What a program leaves out is a default, which must not follow whatever member comes first.
#[test]
fn in_a_new_dictionary_parameters_keep_their_defaults() {
    let (_, previous) = build(classes());
    let mut classes = classes();
    let params = classes.iter_mut().flat_map(|class| &mut class.function.params);
    // A sign stays one.
    params.filter(|param| param.value > 1).for_each(|param| param.value *= 2);
    let (_, dictionary) = Dialect::rebuild(classes, &previous, &Reviews::default()).unwrap();
    assert_eq!(dictionary.to_string(), previous.to_string());
    let (_, dictionary) = Dialect::rebuild(changed(), &previous, &Reviews::default()).unwrap();
    assert_ne!(dictionary.to_string(), previous.to_string(), "another function is another function");
}

#[test]
fn a_merged_operation_leaves_an_alias() {
    let two = |hash: &str, ids: &[&str]| {
        let members = ids.iter().map(|id| member("east", id, &[8, 16], 2)).collect();
        class(hash, elementwise("f", BinaryOp::Add, false), members)
    };
    let (_, previous) = build(vec![two("01", &["a", "b"]), two("02", &["c"])]);
    let (dialect, dictionary) =
        Dialect::rebuild(vec![two("03", &["a", "b", "c"])], &previous, &Reviews::default()).unwrap();
    assert_eq!(names(&dialect), ["add"]);
    assert_eq!(dialect.ops()[0].aliases, ["add_2"]);
    let text = dictionary.to_string();
    assert_eq!(Dictionary::parse(&text).unwrap().to_string(), text);
    // The former name is not given to anything else.
    let classes = vec![two("03", &["a", "b", "c"]), two("04", &["d"])];
    let (dialect, _) = Dialect::build(classes, dictionary, &Reviews::default()).unwrap();
    assert_eq!(names(&dialect), ["add", "add_3"]);
}

#[test]
fn a_run_over_one_instruction_set_forgets_nothing() {
    let (all, dictionary) = build(classes());
    let mut part = classes();
    part.iter_mut().for_each(|class| class.members.retain(|member| member.isa == "west"));
    part.retain(|class| !class.members.is_empty());
    let (_, kept) = Dialect::build(part, dictionary.clone(), &Reviews::default()).unwrap();
    assert_eq!(kept, dictionary);
    assert_eq!(Dialect::build(classes(), kept, &Reviews::default()).unwrap().0, all);
}

#[test]
fn contradictory_classes_are_refused() {
    let error = |change: fn(&mut Vec<Class>)| {
        let mut classes = classes();
        change(&mut classes);
        Dialect::build(classes, Dictionary::default(), &Reviews::default()).unwrap_err()
    };
    assert_eq!(
        error(|classes| classes[0].structural_hash = "0b02".to_owned()),
        BuildError::DuplicateHash("0b02".to_owned())
    );
    assert!(matches!(error(|classes| classes[0].structural_hash = "XY".to_owned()), BuildError::Hash { .. }));
    assert!(matches!(error(|classes| classes[0].members.clear()), BuildError::Empty(_)));
    let lawless = error(|classes| classes[0].function.body.clear());
    assert!(matches!(lawless, BuildError::Function { .. }), "{lawless}");
    let duplicate = error(|classes| {
        let copy = classes[0].members[0].clone();
        classes[1].members.push(copy);
    });
    assert_eq!(duplicate.to_string(), "`east:add8` is a member twice");
    for change in [
        (|classes| classes[0].members[0].application.params.push(1)) as fn(&mut Vec<Class>),
        |classes| classes[0].members[0].application.params[0] = 0,
        |classes| classes[0].members[0].application.args.clear(),
        |classes| classes[0].members[0].application.args[0] = catalog::Source::Own(9),
    ] {
        assert!(matches!(error(change), BuildError::Member { .. }));
    }
}

#[test]
fn json_has_one_member_per_line() {
    let (dialect, _) = build(classes());
    let text = classes_json(&dialect, &Memo::default());
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let ops = value.as_array().unwrap();
    assert_eq!(ops.len(), 9);
    assert_eq!(ops[1]["name"], "add_sat");
    assert_eq!(ops[1]["arity"], 2);
    assert_eq!(ops[1]["params"], serde_json::json!(["lane_width", "lanes", "is_signed"]));
    assert!(text.contains(
        "\n  {\"isa\":\"west\",\"id\":\"adds8_mask\",\"form\":\"add_sat\",\"params\":{\"is_signed\":1,\"lane_width\":8,\"lanes\":32},\
         \"args\":[3,2],\"masking\":\"merge\",\"mask_arg\":1,\"pass_arg\":0,\"mask_layout\":{\"stride\":1,\"lane\":8,\"negated\":false},\
         \"proof\":\"smt\"}\n"
    ));
    assert!(text.contains("\"args\":[0,{\"constant\":\"01\"}]"));
}

#[test]
fn an_operation_knows_its_results_and_instruction_sets() {
    let (dialect, _) = build(classes());
    let add = dialect.op("add").unwrap();
    assert_eq!(add.result_count(), 1);
    assert_eq!(add.isas().into_iter().collect::<Vec<_>>(), ["east", "west"]);
    let function = hydride_ir::Function::parse(
        "func @f(%a: 8, %b: 8) -> (%q: 8, %r: 8, %z: 1) {
           %q[0 +: 8] = div.u(%a, %b)  %r[0 +: 8] = rem.u(%a, %b)  %z[0 +: 1] = eq(%b, 0x0:8)
         }",
    );
    let (dialect, _) = build(vec![class("aa", function.unwrap(), vec![member("west", "m", &[], 2)])]);
    assert_eq!(dialect.ops()[0].result_count(), 3);
    assert_eq!(dialect.ops()[0].isas().into_iter().collect::<Vec<_>>(), ["west"]);
}

/// A class of additions of that hash and those members.
fn additions(hash: &str, ids: &[&str]) -> Class {
    let members = ids.iter().map(|id| member("east", id, &[8, 16], 2)).collect();
    class(hash, elementwise("f", BinaryOp::Add, false), members)
}

/// A dictionary with additions under other names.
fn recorded(families: &[(&str, &str, &[&str])]) -> Dictionary {
    let classes = families.iter().map(|(name, hash, ids)| {
        let mut class = additions(hash, ids);
        class.suggested_name = Some((*name).to_owned());
        class
    });
    build(classes.collect()).1
}

fn rebuilt(classes: Vec<Class>, previous: &Dictionary) -> Dialect {
    Dialect::rebuild(classes, previous, &Reviews::default()).unwrap().0
}

#[test]
fn a_key_keeps_the_name_without_any_member() {
    let previous = recorded(&[("plus", "01", &["a", "b", "c"])]);
    assert_eq!(names(&rebuilt(vec![additions("01", &["x"])], &previous)), ["plus"]);
}

#[test]
fn half_of_the_members_are_no_majority() {
    let previous = recorded(&[("plus", "99", &["a", "b"])]);
    for (ids, name) in [(&["a", "b", "x", "y"][..], "add"), (&["a", "b", "x"], "plus"), (&["a", "b"], "plus")]
    {
        assert_eq!(name_of(&rebuilt(vec![additions("01", ids)], &previous), ids[0]), name, "{ids:?}");
    }
    // The name that half of the class's members had is no alias of the class if it had others as well.
    let previous = recorded(&[("plus", "99", &["a", "b"]), ("more", "98", &["c", "d", "e"])]);
    let dialect = rebuilt(vec![additions("01", &["a", "c", "d"])], &previous);
    assert_eq!(names(&dialect), ["more"]);
    assert_eq!(dialect.ops()[0].aliases, [] as [&str; 0]);
}

#[test]
fn a_name_goes_to_one_class_only() {
    let previous = recorded(&[("plus", "99", &["a", "b", "c", "d"])]);
    let dialect = rebuilt(vec![additions("01", &["a"]), additions("02", &["b", "c", "d"])], &previous);
    assert_eq!((name_of(&dialect, "a"), name_of(&dialect, "b")), ("add", "plus"));
}

#[test]
fn zeros_follow_a_result_that_is_wider_than_the_operations() {
    let mut whole = member("east", "add", &[8, 16], 2);
    for (own, widths, is_zero) in [
        (128, &[128][..], false),
        (256, &[128], true),
        (128, &[64, 64], false),
        (128, &[64, 32], true),
        (64, &[128], false),
    ] {
        whole.signature.results[0].width = own;
        assert_eq!(whole.rest_is_zero(widths.iter().copied()), is_zero, "{own} and {widths:?}");
    }
    // A part of a register leaves the rest as it is.
    let mut part = whole;
    part.signature.results[0].width = 256;
    part.application.part = Some(catalog::Part { low: 64, width: 128, pass: 2 });
    assert!(!part.rest_is_zero([128]));
}
