//! The C of a program.

use hydride_ir::Function;
use memo::Memo;
use search::{Syntax, Type, Written};
use synth::synthesize::{Target, prover, synthesize};
use synth::table::{Op, Table};
use synth::window::{Input, Window};
use synth::{Leaves, c_body, c_function};

use crate::support::instruction;

/// Registers are arrays of numbers in C.
struct Plain;

impl Syntax for Plain {
    fn register(&self, _: Type, number: usize) -> String {
        format!("r{number}")
    }

    fn copy(&self, _: Type, to: &str, from: &str) -> String {
        format!("{to} = {from}")
    }

    fn step(&self, _: &Written<'_>) -> String {
        String::new()
    }

    fn c_type(&self, ty: Type, _: u32) -> String {
        format!("uint{}_t", ty.width)
    }
}

#[test]
fn floating_point_numbers_are_copied_and_not_converted() {
    let mut flip = instruction("flip", &[32], 32, 32, |_| "not(%a[0 +: 32])".into());
    (flip.result_c_type, flip.c_types) = ("float32_t".into(), vec!["uint32_t".into()]);
    let mut add = instruction("add", &[32, 32], 32, 32, |_| "add(%a[0 +: 32], %b[0 +: 32])".into());
    (add.result_c_type, add.c_types) = ("uint32_t".into(), vec!["uint32_t".into(), "uint32_t".into()]);
    let text =
        "func @f(%a: 32, %b: 32) -> (%r: 32) {\n  %r[0 +: 32] = add(not(%a[0 +: 32]), %b[0 +: 32])\n}\n";
    let function = Function::parse(text).expect("a function");
    let window = Window::of_function(&function, &[Input::Vector; 2]).expect("a window");
    let mut table = Table::new(vec![flip, add]);
    let cost = |_: &Op| 1000;
    let target = Target { widths: vec![32], cost: &cost, constant: 0, key: [0; 32], most: None };
    let mut answer = synthesize(&window, &mut table, &target, &Memo::default(), &|| false, &mut prover());
    let (program, _) = answer.program.expect("a program");
    let lines = c_function(&mut answer.meaning, &table, &program, &Plain, "f").expect("C").join("\n");
    assert!(lines.contains("float32_t t0 = flip((uint32_t)("), "{lines}");
    let copied = "({ __typeof__(t0) v_ = t0; uint32_t a_; __builtin_memcpy(&a_, &v_, sizeof a_); a_; })";
    assert!(lines.contains(copied) && !lines.contains("(uint32_t)(t0)"), "{lines}");
}

/// An instruction that adds lanes of so many bits.
fn add(width: u32) -> search::Instruction {
    instruction("add", &[128; 2], 128, width, |lane| {
        let at = width * lane;
        format!("add(%a[{at} +: {width}], %b[{at} +: {width}])")
    })
}

/// The body in C of a function, computed by these instructions on registers of 128 bits.
fn body(text: &str, inputs: &[Input], instructions: Vec<search::Instruction>) -> String {
    let function = Function::parse(text).expect("a function");
    let window = Window::of_function(&function, inputs).expect("a window");
    let mut table = Table::new(instructions);
    let cost = |_: &Op| 1000;
    let target = Target { widths: vec![128], cost: &cost, constant: 0, key: [0; 32], most: None };
    let mut answer = synthesize(&window, &mut table, &target, &Memo::default(), &|| false, &mut prover());
    let (program, _) = answer.program.expect("a program");
    c_body(&mut answer.meaning, &table, &program, &Plain, Leaves::Variables).expect("C").join("\n")
}

#[test]
fn bits_beyond_a_half_of_a_register_have_no_value() {
    let add = add(16);
    let text = "func @f(%a: 64, %b: 64) -> (%r: 64) {\n  for i in 0..4 {\n    %r[16*i +: 16] = add(%a[16*i +: 16], \
                %b[16*i +: 16])\n  }\n}\n";
    let text = body(text, &[Input::Vector; 2], vec![add]);
    let read = "{ double b_ __attribute__((vector_size(16))); __builtin_memcpy((char *)&b_ + 0, &a, 8);";
    assert!(text.contains(read), "{text}");
    assert!(text.contains("__builtin_memcpy(&b_, &o0, 16); __builtin_memcpy(&result, &b_, 8);"), "{text}");
}

#[test]
fn elements_that_are_moved_are_seen_as_such() {
    let swap = instruction("swap", &[128], 128, 16, |lane| format!("%a[{} +: 16]", 16 * (lane ^ 1)));
    let text = "func @f(%a: 64) -> (%r: 64) {\n  for i in 0..2 {\n    %r[32*i +: 16] = %a[32*i + 16 +: 16]\n    \
                %r[32*i + 16 +: 16] = %a[32*i +: 16]\n  }\n}\n";
    let text = body(text, &[Input::Vector], vec![swap]);
    assert!(text.contains("__typeof__(a[0]) b_ __attribute__((vector_size(16)));"), "{text}");
    assert!(text.contains("__builtin_memcpy((char *)&result + 0, &o0, 8);"), "{text}");
}

#[test]
fn the_intrinsic_has_the_elements_of_what_it_reads() {
    let mut mask =
        instruction("mask", &[128], 128, 64, |lane| format!("cast.s(%a[{} +: 1], 64)", 64 * lane + 63));
    (mask.result_c_type, mask.c_types) = ("uint64x2_t".into(), vec!["int64x2_t".into()]);
    let pick = |bits: u32| {
        let mut own = instruction(&format!("pick{bits}"), &[128; 3], 128, 128, |_| {
            "xor(and(xor(%b[0 +: 128], %c[0 +: 128]), %a[0 +: 128]), %c[0 +: 128])".into()
        });
        own.result_c_type = format!("int{bits}x{}_t", 128 / bits);
        own.c_types =
            vec![format!("u{}", own.result_c_type), own.result_c_type.clone(), own.result_c_type.clone()];
        own.mnemonic = "pick".into();
        own
    };
    let text = "func @f(%a: 128, %b: 128, %c: 128) -> (%r: 128) {\n  for i in 0..2 {\n    %r[64*i +: 64] = \
                select(%a[64*i + 63 +: 1], %b[64*i +: 64], %c[64*i +: 64])\n  }\n}\n";
    let text = body(text, &[Input::Vector; 3], vec![mask, pick(8), pick(32), pick(64)]);
    assert!(text.contains("int64x2_t t1 = pick64((uint64x2_t)(t0), "), "{text}");
}

#[test]
fn a_number_among_zeros_is_written_as_wide_as_it_is() {
    let text = "func @f(%a: 16) -> (%r: 128) {\n  %r[0 +: 128] = cast.u(%a[0 +: 16], 128)\n}\n";
    let text = body(text, &[Input::Scalar], vec![add(16)]);
    assert!(text.contains("const uint16_t e_[] = {(uint16_t)(s0_), (uint16_t)(0LL), "), "{text}");
}

#[test]
fn bounds_that_no_number_passes_are_not_compared_with() {
    let add = add(64);
    let text = "func @f(%a: 128, %b: 64) -> (%r: 128) {\n  for i in 0..2 {\n    %r[64*i +: 64] = add(%a[64*i +: 64], \
                saturate.s.u(%b[0 +: 64], 64))\n  }\n}\n";
    let text = body(text, &[Input::Vector, Input::Scalar], vec![add]);
    assert!(text.contains(" < 0LL ? 0LL : s"), "{text}");
    assert!(!text.contains(" > ") && !text.contains("18446744073709551615"), "{text}");
}

#[test]
fn sums_that_pass_one_bound_have_a_flag() {
    let add = add(16);
    let scalar = |sum: &str, from: &str, to: &str| {
        let text = format!(
            "func @f(%a: 128, %b: 16, %c: 16) -> (%r: 128) {{\n  for i in 0..8 {{\n    %r[16*i +: 16] = add(%a[16*i +: \
             16], saturate.{from}.{to}({sum}, 16))\n  }}\n}}\n"
        );
        body(&text, &[Input::Vector, Input::Scalar, Input::Scalar], vec![add.clone()])
    };
    let unsigned = scalar("add(cast.u(%b, 18), cast.u(%c, 18))", "s", "u");
    assert!(unsigned.contains("uint16_t r_; __builtin_add_overflow((uint16_t)s"), "{unsigned}");
    assert!(unsigned.contains("&r_) ? 65535LL : (long long)r_; })"), "{unsigned}");
    let difference = scalar("sub(cast.u(%b, 18), cast.u(%c, 18))", "s", "u");
    assert!(
        difference.contains("__builtin_sub_overflow(") && difference.contains("? 0LL : "),
        "{difference}"
    );
    // Signed sums pass both.
    let signed = scalar("add(cast.s(%b, 18), cast.s(%c, 18))", "s", "s");
    assert!(!signed.contains("overflow") && signed.contains(" < -32768LL ? "), "{signed}");
}
