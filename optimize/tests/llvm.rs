//! What functions mean, against LLVM's own optimizer: what it makes of a function refines it, and what it computes of
//! constants is what a run gives.

#[path = "generator/mod.rs"]
mod generator;

use std::io::Write as _;
use std::process::{Command, Stdio};

use generator::function;
use optimize::run;
use optimize::samples::{Random, arguments};
use refine::ast::{Action, Body, Element, Operand, Value};
use refine::{Limits, Module, NoIntrinsics, Outcome, refines};

/// What LLVM's optimizer makes of a module; `None` where it is not there.
fn optimized(text: &str) -> Option<Module> {
    let mut child = Command::new("opt-19")
        .args(["-passes=default<O2>", "-S", "-o", "-", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let (mut input, text) = (child.stdin.take()?, text.to_owned());
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().expect("its output");
    writer.join().expect("a writer").expect("it reads all");
    assert!(output.status.success());
    Some(Module::parse(&String::from_utf8(output.stdout).expect("LLVM assembly")).expect("a module"))
}

fn named(text: &str, number: usize) -> String {
    text.replace("@f(", &format!("@f{number}("))
}

fn body(module: &Module, number: usize) -> &Body {
    let function = module.function(&format!("f{number}")).expect("the function");
    function.body.as_ref().unwrap_or_else(|fault| panic!("{fault}\n{module}"))
}

#[test]
fn what_llvm_makes_of_a_function_refines_it() {
    let mut random = Random::new(19);
    let text: String = (0..250).map(|number| named(&function(&mut random), number)).collect();
    let before = Module::parse(&text).expect("a module");
    let Some(after) = optimized(&text) else { return };
    let limits = Limits { steps: 100_000, ..Limits::default() };
    let mut proved = 0;
    for number in 0..250 {
        let (own, other) = (body(&before, number), body(&after, number));
        match refines(own, other, &NoIntrinsics, &limits) {
            Outcome::Proved(_) => proved += 1,
            Outcome::Unknown(_) => {}
            wrong @ Outcome::Counterexample(_) => {
                panic!("{wrong:?}\n{}\n{}", own.text("before"), other.text("after"))
            }
        }
    }
    assert!(proved > 200, "{proved} proofs");
}

/// The elements that a function returns which LLVM knows to be constants, as far as they are.
fn constants(body: &Body) -> Option<&[Element]> {
    match &body.blocks.last()?.instructions.last()?.action {
        Action::Return(Some(Operand { value: Value::Constant(parts), .. })) => Some(parts),
        _ => None,
    }
}

/// A function of a sum, difference or product and of whether it is another one than that of whole numbers.
fn with_overflow(name: &str) -> String {
    format!(
        "define i8 @f(i8 %a, i8 %b) {{\n  %s = call {{ i8, i1 }} @llvm.{name}.with.overflow.i8(i8 %a, i8 %b)\n  \
         %v = extractvalue {{ i8, i1 }} %s, 0\n  %o = extractvalue {{ i8, i1 }} %s, 1\n  %e = sext i1 %o to i8\n  \
         %t = insertvalue {{ i8, i1 }} %s, i8 %e, 0\n  %m = extractvalue {{ i8, i1 }} %t, 0\n  %r = xor i8 %v, %m\n  \
         ret i8 %r\n}}\n"
    )
}

#[test]
fn what_llvm_computes_of_edges_and_random_numbers_is_what_runs_give() {
    let mut random = Random::new(20);
    let (mut text, mut expected) = (String::new(), Vec::new());
    for number in 0..100 {
        let function = match ["sadd", "uadd", "ssub", "usub", "smul", "umul"].get(number) {
            Some(name) => with_overflow(name),
            None => function(&mut random),
        };
        let module = Module::parse(&function).expect("a module");
        let own = module.functions[0].body.as_ref().expect("a body");
        for given in arguments(own, 12, number as u64).expect("elements of up to 64 bits") {
            let result = run(own, &given, &NoIntrinsics).expect("nothing is undefined").result;
            let mut called = named(&function, expected.len());
            for (parameter, lanes) in own.parameters.iter().zip(&given) {
                let lanes: Vec<String> = lanes.iter().map(|lane| lane.unwrap_or(0).to_string()).collect();
                let ty = &parameter.ty;
                let value = match ty.element() {
                    Some(element) if ty.integer_width().is_none() => {
                        let lanes: Vec<String> =
                            lanes.iter().map(|lane| format!("{element} {lane}")).collect();
                        format!("<{}>", lanes.join(", "))
                    }
                    _ => lanes.concat(),
                };
                let (head, rest) = called.split_at(called.find('{').expect("its beginning"));
                let rest = rest.replace(&format!("%{},", parameter.name), &format!("{value},"));
                called = head.to_owned()
                    + &rest
                        .replace(&format!("%{}\n", parameter.name), &format!("{value}\n"))
                        .replace(&format!("%{})", parameter.name), &format!("{value})"));
            }
            text += &called;
            expected.push(result);
        }
    }
    let Some(folded) = optimized(&text) else { return };
    let mut known = 0;
    for (number, expected) in expected.iter().enumerate() {
        let Some(found) = constants(body(&folded, number)) else { continue };
        for (expected, found) in expected.iter().zip(found) {
            // LLVM may give anything for poison.
            let Some(expected) = expected else { continue };
            let found = if let Element::Bits(bits) = found { bits.to_u64() } else { None };
            assert_eq!(found, Some(*expected), "@f{number}\n{text}");
            known += 1;
        }
    }
    assert!(known > 500, "{known} elements");
}
