//! What is known of slices' inputs, and what it serves for.

#[path = "generator/mod.rs"]
mod generator;

use optimize::samples::{Random, arguments};
use optimize::{Cutter, Facts, Flow, Slice, candidates, freeze_shared, run};
use refine::{Limits, Module, NoIntrinsics, Outcome, refines, script};

/// The slice of the value `%r`, with so many instructions.
fn slice(text: &str, limit: usize) -> Slice {
    let module = Module::parse(text).expect("a module");
    let outline = module.outline(&module.functions[0]).expect("lines");
    let flow = Flow::new(&outline).expect("blocks");
    let known = |name: &str| optimize::is_generic(name);
    let cutter = Cutter::new(&outline, &flow, &known);
    let place = |(section, block): (usize, &refine::Section)| {
        let line = block.lines.iter().position(|line| line.result.as_deref() == Some("r"))?;
        Some((section, line))
    };
    let (section, line) = outline.sections.iter().enumerate().find_map(place).expect("a value %r");
    cutter.cut(section, line, limit).expect("a slice")
}

/// What is said of the inputs of the slice of `%r` alone.
fn said(text: &str) -> Vec<String> {
    let all = slice(text, 1).body.parameters;
    let text = |own: &refine::ast::Parameter| {
        own.attributes.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    };
    all.iter().map(text).collect()
}

#[test]
fn masks_shifts_and_conversions_bound_what_is_computed_elsewhere() {
    let of =
        |lines: &str| said(&format!("define i32 @f(i32 %a, i8 %b, ptr %p) {{\n{lines}  ret i32 %r\n}}\n"));
    assert_eq!(of("  %m = and i32 %a, 15\n  %r = mul i32 %m, 3\n"), ["range(i32 0, 16)"]);
    assert_eq!(
        of("  %m = and i32 %a, 252645135\n  %r = mul i32 %m, 3\n"),
        ["\"known-bits\"=\"0000xxxx0000xxxx0000xxxx0000xxxx\""]
    );
    assert_eq!(
        of("  %m = shl i32 %a, 4\n  %r = mul i32 %m, 3\n"),
        ["\"known-bits\"=\"xxxxxxxxxxxxxxxxxxxxxxxxxxxx0000\""]
    );
    assert_eq!(of("  %m = zext i8 %b to i32\n  %r = mul i32 %m, 3\n"), ["range(i32 0, 256)"]);
    assert_eq!(of("  %m = sext i8 %b to i32\n  %r = mul i32 %m, 3\n"), ["range(i32 -128, 128)"]);
    assert_eq!(of("  %m = zext nneg i8 %b to i32\n  %r = mul i32 %m, 3\n"), ["range(i32 0, 128)"]);
    assert_eq!(
        of("  %m = load i32, ptr %p\n  %n = ashr i32 %m, 20\n  %r = mul i32 %n, 3\n"),
        ["range(i32 -2048, 2048)"]
    );
}

#[test]
fn assumptions_and_decisions_bound_inputs_where_the_root_is() {
    let assumed = "define i32 @f(i32 %a) {\n  %c = icmp ult i32 %a, 100\n  call void @llvm.assume(i1 %c)\n  \
                   %r = mul i32 %a, 3\n  ret i32 %r\n}\n";
    assert_eq!(said(assumed), ["range(i32 0, 100)"]);
    let after = "define i32 @f(i32 %a) {\n  %c = icmp ult i32 %a, 100\n  %r = mul i32 %a, 3\n  \
                 call void @llvm.assume(i1 %c)\n  ret i32 %r\n}\n";
    assert_eq!(said(after), [""], "what is assumed later is not looked at");
    // A difference that says both bounds, and low bits that a comparison says.
    let decided = |condition: &str| {
        format!(
            "define i32 @f(i32 %a) {{\n{condition}  br i1 %c, label %yes, label %no\n\nyes:\n  %r = mul i32 %a, 3\n  \
             ret i32 %r\n\nno:\n  ret i32 0\n}}\n"
        )
    };
    let both = decided("  %d = add i32 %a, -16\n  %c = icmp ult i32 %d, 48\n");
    assert_eq!(said(&both), ["range(i32 16, 64)"]);
    let low = decided("  %d = and i32 %a, 7\n  %c = icmp eq i32 %d, 0\n");
    assert_eq!(said(&low), ["\"known-bits\"=\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxx000\""]);
    let either = decided(
        "  %d = icmp slt i32 %a, 0\n  %e = icmp sgt i32 %a, 9\n  %o = or i1 %d, %e\n  %c = xor i1 %o, true\n",
    );
    assert_eq!(said(&either), ["range(i32 0, 10)"]);
}

#[test]
fn values_that_loops_carry_keep_what_each_iteration_keeps() {
    let text = "define i32 @f(ptr %p, i64 %n) {\nentry:\n  br label %loop\n\nloop:\n  \
                %i = phi i64 [ 0, %entry ], [ %j, %loop ]\n  %h = phi i32 [ 1, %entry ], [ %m, %loop ]\n  \
                %b = load i32, ptr %p\n  %r = mul i32 %h, 33\n  %s = add i32 %r, %b\n  %m = and i32 %s, 65535\n  \
                %j = add nuw nsw i64 %i, 16\n  %k = shl i64 %i, 1\n  %c = icmp eq i64 %j, %n\n  \
                br i1 %c, label %end, label %loop\n\nend:\n  ret i32 %m\n}\n";
    assert_eq!(said(text), ["range(i32 0, 65536)"]);
    let counter =
        text.replace("%r = mul", "%q = mul").replace("i32 %r, %b", "i32 %q, %b").replace("%k =", "%r =");
    assert_eq!(
        said(&counter),
        ["\"known-bits\"=\"0xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0000\""]
    );
}

#[test]
fn a_step_that_is_not_needed_for_what_is_known_goes() {
    // The remainder is below 16, so that the greater of both is never the second one.
    let text = "define i32 @f(i32 %a, i32 %b) {\n  %m = and i32 %a, 15\n  %n = or i32 %b, 16\n  %x = xor i32 %m, %n\n  \
                %y = and i32 %x, 16\n  %r = or i32 %y, %m\n  ret i32 %r\n}\n";
    let slice = slice(text, 3);
    let body =
        candidates(&slice, &NoIntrinsics).expect("samples").into_iter().map(|body| freeze_shared(&body));
    let proved = body.filter(|body| {
        let outcome = refines(&slice.body, body, &NoIntrinsics, &Limits::default());
        let question = script(&slice.body, body).expect("generic instructions");
        let again = smt::satisfiable(&question, 1_000_000, Limits::default().time).expect("an answer");
        assert_eq!(again, !matches!(outcome, Outcome::Proved(_)), "{}", body.text("f"));
        matches!(outcome, Outcome::Proved(_))
    });
    let texts: Vec<String> = proved.map(|body| body.text("f")).collect();
    assert!(texts.iter().any(|text| text.contains("or i32 %v1, 16")), "{} functions", texts.len());
    // What is written is read again.
    let text = slice.body.text("f");
    let read = Module::parse(&text).expect("a module");
    assert_eq!(read.functions[0].body.as_ref().expect("a body").text("f"), text);
}

#[test]
fn a_sum_of_what_is_assumed_wraps_by_a_mask() {
    let text = "define i32 @f(i32 %a, i32 %b) {\n  %c = icmp ult i32 %a, 256\n  call void @llvm.assume(i1 %c)\n  \
                %d = icmp ult i32 %b, 256\n  call void @llvm.assume(i1 %d)\n  %s = add nuw nsw i32 %a, %b\n  \
                %g = icmp ugt i32 %s, 255\n  %t = add nsw i32 %s, -256\n  %r = select i1 %g, i32 %t, i32 %s\n  \
                ret i32 %r\n}\n";
    let slice = slice(text, 24);
    let body = candidates(&slice, &NoIntrinsics).expect("samples").iter().map(freeze_shared).find(|body| {
        matches!(refines(&slice.body, body, &NoIntrinsics, &Limits::default()), Outcome::Proved(_))
    });
    let text = body.expect("a mask").text("f");
    assert!(text.contains("and i32 %v0, 255"), "{text}");
}

/// Of random functions: whatever an input is in a run, it is what is said of it, or poison.
#[test]
fn inputs_of_random_slices_are_what_is_said_of_them() {
    let (mut random, mut told) = (Random::new(3), 0);
    for _ in 0..400 {
        let text = generator::function(&mut random);
        let module = Module::parse(&text).expect("a module");
        let outline = module.outline(&module.functions[0]).expect("lines");
        let flow = Flow::new(&outline).expect("blocks");
        let cutter = Cutter::new(&outline, &flow, &optimize::is_generic);
        let whole = module.functions[0].body.as_ref().expect("a body");
        let given = arguments(whole, 40, 5).expect("samples");
        let runs: Vec<_> = given.iter().filter_map(|given| run(whole, given, &NoIntrinsics).ok()).collect();
        for line in 0..outline.sections[0].lines.len() - 1 {
            let Some(slice) = cutter.cut(0, line, 1) else { continue };
            for (parameter, input) in slice.body.parameters.iter().zip(&slice.inputs) {
                let optimize::Input::Value(name, _) = input else { continue };
                let Some(width) = refine::ast::elements(&parameter.ty).and_then(|own| own.first().copied())
                else {
                    continue;
                };
                let said = Facts::of_attributes(width, &parameter.attributes).expect("numbers");
                told += usize::from(!parameter.attributes.is_empty());
                for lane in runs.iter().flat_map(|run| run.values[name].iter().flatten()) {
                    assert!(said.has(*lane), "%{name} is {lane}, not in {said:?}\n{text}");
                }
            }
        }
    }
    assert!(told > 100, "{told}");
}
