//! Slices of whole modules, and modules with other computations in them.

use optimize::{Change, Cutter, Editor, Flow, Input, Slice, admitted, candidates, edited, freeze_shared};
use refine::{Limits, Module, NoIntrinsics, Outcome, refines};

fn slices(module: &Module) -> Vec<Slice> {
    let mut all = Vec::new();
    for function in &module.functions {
        let outline = module.outline(function).expect("lines");
        let flow = Flow::new(&outline).expect("blocks");
        let cutter = Cutter::new(&outline, &flow, &optimize::is_generic);
        for (section, block) in outline.sections.iter().enumerate() {
            all.extend((0..block.lines.len()).filter_map(|line| cutter.cut(section, line, 24)));
        }
    }
    all
}

/// A module with anything in it.
const ANYTHING: &str = r#"; a comment
source_filename = "x.c"
%pair = type { i32, ptr }
@text = private constant [3 x i8] c"a}\00"
$"odd name" = comdat any

define dso_local i32 @f(ptr noundef %p, i32 noundef %n, <4 x float> %v) #0 personality ptr @__gxx_personality_v0 !dbg !4 {
entry:
  %slot = alloca i32, align 4
  call void asm sideeffect "nop", "~{memory}"(), !srcloc !9
    #dbg_value(i32 %n, !8, !DIExpression(), !10)
  %a = load i32, ptr %p, align 4, !tbaa !7
  %b = shl i32 %a, 8, !dbg !10
  %c = lshr i32 %a, 24
  %d = or i32 %b, %c, !dbg !10
  %e = fadd <4 x float> %v, %v
  %g = invoke i32 @may_throw(i32 %d)
          to label %fine unwind label %bad

bad:
  %pad = landingpad { ptr, i32 }
          cleanup
          catch ptr null
  resume { ptr, i32 } %pad

fine:
  switch i32 %g, label %other [
    i32 1, label %one
    i32 2, label %"a b"
  ]

one:
  br label %other

"a b":
  br label %other

other:
  %h = phi i32 [ %g, %fine ], [ %d, %one ], [ %c, %"a b" ]
  %i = add i32 %h, %d
  ret i32 %i
}

declare i32 @may_throw(i32)
declare i32 @__gxx_personality_v0(...)

attributes #0 = { "target-cpu"="haswell" }
!4 = distinct !DISubprogram(name: "f")
"#;

#[test]
fn what_is_not_modelled_is_an_input() {
    let module = Module::parse(ANYTHING).expect("a module");
    let all = slices(&module);
    let of = |name: &str| all.iter().find(|slice| slice.root() == name).expect("a slice");
    assert_eq!(of("d").inputs, [Input::Value("a".into(), true)]);
    assert_eq!(of("d").kept, ["v1"], "%c is used by a phi as well");
    // The value of the invoke, and two bits that say by which of three ways the block was entered.
    let inputs = &of("i").inputs;
    assert_eq!(inputs.iter().filter(|input| **input == Input::Way).count(), 2);
    assert!(inputs.contains(&Input::Value("g".into(), true)));
    assert!(all.iter().all(|slice| slice.root() != "e"), "floating-point numbers are not computed with");
}

#[test]
fn only_what_is_given_changes() {
    let module = Module::parse(ANYTHING).expect("a module");
    let all = slices(&module);
    let slice = all.iter().find(|slice| slice.root() == "d").expect("a slice");
    let body = freeze_shared(&candidates(slice, &NoIntrinsics).expect("samples")[0]);
    let outcome = refines(&slice.body, &body, &NoIntrinsics, &Limits::default());
    assert!(matches!(outcome, Outcome::Proved(_)));
    let outline = module.outline(&module.functions[0]).expect("lines");
    let mut editor = Editor::new(&module.functions[0], &outline);
    assert!(editor.change(Change { slice, body: &body }));
    assert!(!editor.change(Change { slice, body: &body }), "it was changed already");
    let text = edited(&module, &editor.edits());
    let expected = ANYTHING
        .replace("  %b = shl i32 %a, 8, !dbg !10\n", "")
        .replace(
            "  %d = or i32 %b, %c, !dbg !10\n",
            "  %opt.0 = freeze i32 %a, !dbg !10\n  %d = call i32 @llvm.fshl.i32(i32 %opt.0, i32 %opt.0, i32 8), !dbg !10\n",
        );
    assert_eq!(text, expected);
    assert_eq!(edited(&module, &[]), ANYTHING);
}

#[test]
fn what_is_read_has_the_form_of_the_slice() {
    let module = Module::parse(
        "define i32 @f(i32 %a, i32 %b) {\n  %c = sub i32 %a, %b\n  %d = add i32 %c, 7\n  ret i32 %d\n}\n",
    )
    .expect("a module");
    let all = slices(&module);
    let slice = all.iter().find(|slice| slice.root() == "d").expect("a slice");
    let own = slice.body.text("f");
    let read = |text: &str| {
        let module = Module::parse(text).expect("a module");
        let body = module.functions.into_iter().next().expect("a function").body.expect("a body");
        admitted(slice, body)
    };
    assert_eq!(read(&own).map(|body| body.text("f")), Some(own.clone()));
    // Proofs go by position, and changes of a module by name.
    let parameters = "i32 %p0, i32 %p1";
    assert!(own.contains(parameters), "{own}");
    assert_eq!(read(&own.replace(parameters, "i32 %p1, i32 %p0")), None);
    assert_eq!(read(&own.replace(parameters, "i32 %p0, i32 %p1, i32 %p2")), None);
    assert_eq!(read(&own.replace(parameters, "i32 noundef %p0, i32 %p1")), None);
    // The value would have another type where it stands.
    assert_eq!(
        read(
            "define <4 x i8> @f(i32 %p0, i32 %p1) {\n  %x = bitcast i32 %p0 to <4 x i8>\n  ret <4 x i8> %x\n}\n"
        ),
        None
    );
    // Each use of `undef` may be another value.
    let twice = "define i32 @f(i32 %p0, i32 %p1) {\n  %x = sub i32 %p0, %p0\n  ret i32 %x\n}\n";
    assert_eq!(read(twice), None);
    let frozen =
        "define i32 @f(i32 %p0, i32 %p1) {\n  %y = freeze i32 %p0\n  %x = sub i32 %y, %y\n  ret i32 %x\n}\n";
    assert!(read(frozen).is_some());
    let two_blocks = "define i32 @f(i32 %p0, i32 %p1) {\n  br label %x\nx:\n  ret i32 %p0\n}\n";
    assert_eq!(read(two_blocks), None);
}

#[test]
fn loops_are_not_entered() {
    let module = Module::parse(
        "define i32 @f(i32 %n) {\nentry:\n  br label %loop\nloop:\n  %i = phi i32 [ 0, %entry ], [ %j, %loop ]\n  \
         %j = add i32 %i, 1\n  %k = mul i32 %j, %i\n  %c = icmp ult i32 %k, %n\n  br i1 %c, label %loop, label %end\nend:\n  \
         %l = phi i32 [ %k, %loop ]\n  %m = add i32 %l, 3\n  ret i32 %m\n}\n",
    )
    .expect("a module");
    let all = slices(&module);
    let of = |name: &str| all.iter().find(|slice| slice.root() == name).expect("a slice");
    assert_eq!(of("k").inputs, [Input::Value("i".into(), true)]);
    assert_eq!(of("m").inputs, [Input::Value("i".into(), true)]);
}

#[test]
fn a_value_that_is_not_there_is_not_read() {
    let module = Module::parse(
        "define i32 @f(i1 %c, ptr %p, i32 %x) {\nentry:\n  br i1 %c, label %then, label %join\nthen:\n  \
         %a = load i32, ptr %p\n  %b = or i32 %a, %x\n  br label %join\njoin:\n  %d = phi i32 [ %x, %entry ], [ %b, %then ]\n  \
         %e = and i32 %d, %x\n  ret i32 %e\n}\n",
    )
    .expect("a module");
    let all = slices(&module);
    let slice = all.iter().find(|slice| slice.root() == "e").expect("a slice");
    // Both ways give x.
    let found = candidates(slice, &NoIntrinsics).expect("samples");
    let text = found[0].text("f");
    assert!(text.contains("ret i32 %p0") || text.contains("ret i32 %p1"), "{text}");
    assert!(slice.inputs.contains(&Input::Value("a".into(), false)));
}

#[test]
fn the_value_of_an_invoke_is_there_where_it_returns() {
    let module = Module::parse(
        "define i32 @f(i32 %x) personality ptr @p {\nentry:\n  %g = invoke i32 @may_throw()\n          to label %fine unwind label %bad\n\
         fine:\n  br label %join\nbad:\n  %pad = landingpad { ptr, i32 }\n          cleanup\n  br label %join\njoin:\n  \
         %h = phi i32 [ %g, %fine ], [ %x, %bad ]\n  %i = and i32 %h, 7\n  %j = or i32 %i, %x\n  ret i32 %j\n}\n",
    )
    .expect("a module");
    let all = slices(&module);
    let slice = all.iter().find(|slice| slice.root() == "j").expect("a slice");
    assert!(slice.inputs.contains(&Input::Value("g".into(), false)));
    assert!(slice.inputs.contains(&Input::Value("x".into(), true)));
}

#[test]
fn what_was_decided_is_assumed() {
    let module = Module::parse(
        "define i32 @f(i32 %x, i32 %y) {\nentry:\n  %c = icmp slt i32 %x, 0\n  br i1 %c, label %end, label %then\nthen:\n  \
         %m = ashr i32 %x, 31\n  %n = xor i32 %m, %x\n  %r = sub i32 %n, %m\n  ret i32 %r\nend:\n  ret i32 0\n}\n",
    )
    .expect("a module");
    let all = slices(&module);
    let slice = all.iter().find(|slice| slice.root() == "r").expect("a slice");
    assert!(slice.body.text("f").contains("call void @llvm.assume(i1 %v4)"), "{}", slice.body.text("f"));
    assert_eq!((slice.size(), slice.kept.len()), (5, 0));
    let body = &candidates(slice, &NoIntrinsics).expect("samples")[0];
    assert_eq!(
        body.text("f"),
        "define i32 @f(i32 range(i32 0, -2147483648) %p0) {\nentry:\n  ret i32 %p0\n}\n"
    );
    let outcome = refines(&slice.body, body, &NoIntrinsics, &Limits::default());
    assert!(matches!(outcome, Outcome::Proved(_)));
}

#[test]
fn what_is_shared_is_frozen() {
    let module = Module::parse(
        "define i8 @f(i8 %a, i8 %b) {\n  %c = mul i8 %a, %a\n  %d = add i8 %c, %b\n  ret i8 %d\n}\n",
    )
    .expect("a module");
    let body = freeze_shared(module.functions[0].body.as_ref().expect("a body"));
    assert!(body.text("f").contains("%f0 = freeze i8 %a\n  %c = mul i8 %f0, %f0\n  %d = add i8 %c, %b\n"));
}

#[test]
fn what_is_said_of_ranges_is_known() {
    let text = "declare i8 @g(ptr)\n\
         define i32 @f(ptr %p, i32 range(i32 0, 100) %x) {\n  %a = load i8, ptr %p, align 1, !range !3\n  \
         %b = and i8 %a, 7\n  %c = add i8 %b, 1\n  %d = urem i32 %x, 100\n  %e = sub i32 %d, 7\n  \
         %h = call range(i8 -1, 1) i8 @g(ptr %p)\n  %i = ashr i8 %h, 7\n  %j = sub i8 %i, 3\n  \
         %k = zext i8 %c to i32\n  %l = add i32 %k, %e\n  %m = zext i8 %j to i32\n  %n = add i32 %l, %m\n  \
         ret i32 %n\n}\n!3 = !{i8 0, i8 8}\n!4 = !{i8 0, i8 1, i8 3, i8 4}\n";
    let module = Module::parse(text).expect("a module");
    let all = slices(&module);
    let best = |name: &str| {
        let slice = all.iter().find(|slice| slice.root() == name).expect("a slice");
        let body = candidates(slice, &NoIntrinsics).expect("samples")[0].clone();
        let body = freeze_shared(&body);
        let outcome = refines(&slice.body, &body, &NoIntrinsics, &Limits::default());
        assert!(matches!(outcome, Outcome::Proved(_)), "{}", body.text("f"));
        assert_eq!(admitted(slice, body.clone()).as_ref(), Some(&body));
        body.text("f")
    };
    let masked = best("c");
    assert!(masked.contains("@f(i8 range(i8 0, 8) %p0)") && masked.contains("add i8 %p0, 1"), "{masked}");
    let (rest, sign) = (best("e"), best("j"));
    assert!(rest.contains("@f(i32 range(i32 0, 100) %p0)") && !rest.contains("urem"), "{rest}");
    assert!(sign.contains("@f(i8 range(i8 -1, 1) %p0)") && !sign.contains("ashr"), "{sign}");
    assert_eq!(module.range("4"), None);
    // With another range it is another slice.
    let other = Module::parse(&text.replace("i8 0, i8 8}", "i8 0, i8 9}")).expect("a module");
    let key = |all: &[Slice]| all.iter().find(|slice| slice.root() == "c").expect("a slice").key();
    assert_ne!(key(&all), key(&slices(&other)));
}

#[test]
fn sums_with_overflow_are_computed() {
    let module = Module::parse(
        "define i8 @f(i8 %a, i8 %b) {\n  %s = call { i8, i1 } @llvm.sadd.with.overflow.i8(i8 %a, i8 %b)\n  \
         %o = extractvalue { i8, i1 } %s, 1\n  %v = extractvalue { i8, i1 } %s, 0\n  %n = ashr i8 %v, 7\n  \
         %m = xor i8 %n, -128\n  %r = select i1 %o, i8 %m, i8 %v\n  %t = insertvalue { i8, i1 } %s, i8 %a, 0\n  \
         %u = extractvalue { i8, i1 } %t, 0\n  %w = add i8 %u, %r\n  ret i8 %w\n}\n",
    )
    .expect("a module");
    let all = slices(&module);
    let best = |name: &str| {
        let slice = all.iter().find(|slice| slice.root() == name).expect("a slice");
        let found = candidates(slice, &NoIntrinsics).expect("samples");
        let proved = |body: &&refine::ast::Body| {
            matches!(refines(&slice.body, body, &NoIntrinsics, &Limits::default()), Outcome::Proved(_))
        };
        found.iter().find(proved).expect("a candidate").text("f")
    };
    assert!(best("r").contains("@llvm.sadd.sat.i8(i8 %p0, i8 %p1)"), "{}", best("r"));
    assert!(best("u").contains("ret i8 %p0"), "{}", best("u"));
    assert!(all.iter().all(|slice| slice.root() != "s"), "a structure is no value that is looked at");
}

/// A mean of bytes in wider elements, by logic: LLVM has no operator for it, and targets have an instruction.
#[test]
fn means_of_bytes_in_wider_elements_are_seen() {
    let text = "define <2 x i32> @f(<2 x i32> %a, <2 x i32> %b) {
  %o = or <2 x i32> %a, %b
  %x = xor <2 x i32> %a, %b
  %h = lshr <2 x i32> %x, splat (i32 1)
  %m = and <2 x i32> %h, splat (i32 2139062143)
  %r = sub <2 x i32> %o, %m
  ret <2 x i32> %r
}
";
    let module = Module::parse(text).expect("a module");
    let all = slices(&module);
    let slice = all.last().expect("a slice");
    let found = candidates(slice, &NoIntrinsics).expect("samples");
    let mean = found.iter().map(freeze_shared).find(|body| body.text("g").contains("zext <8 x i8>"));
    let proof = refines(&slice.body, &mean.expect("a mean"), &NoIntrinsics, &Limits::default());
    assert!(matches!(proof, Outcome::Proved(_)), "{proof:?}");
}
