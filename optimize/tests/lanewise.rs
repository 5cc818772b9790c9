//! Functions as windows of operations on lanes: both give the same for all that is no poison.

use hydride_ir::{Bits, Random};
use interp::Program;
use optimize::window_of;
use refine::ast::{Element, Value};
use refine::{Module, NoIntrinsics, meaning};
use synth::window::Meaning;

const MODULE: &str = "
define <16 x i8> @average(<16 x i8> %a, <16 x i8> %b) {
  %x = zext <16 x i8> %a to <16 x i16>
  %y = zext <16 x i8> %b to <16 x i16>
  %s = add nuw <16 x i16> %x, %y
  %t = add nuw <16 x i16> %s, splat (i16 1)
  %u = lshr <16 x i16> %t, splat (i16 1)
  %r = trunc <16 x i16> %u to <16 x i8>
  ret <16 x i8> %r
}
define <8 x i16> @signs(<8 x i16> %a, <8 x i16> %b) {
  %s = add <8 x i16> %a, splat (i16 -3)
  %t = lshr <8 x i16> %s, splat (i16 2)
  %u = ashr <8 x i16> %s, splat (i16 3)
  %v = sub <8 x i16> %u, %t
  %c = icmp sgt <8 x i16> %v, %b
  %d = call <8 x i16> @llvm.smax.v8i16(<8 x i16> %v, <8 x i16> %a)
  %e = call <8 x i16> @llvm.umin.v8i16(<8 x i16> %v, <8 x i16> %b)
  %r = select <8 x i1> %c, <8 x i16> %d, <8 x i16> %e
  ret <8 x i16> %r
}
define <4 x i32> @bits(<4 x i32> %a, <4 x i32> %b, i32 %s) {
  %0 = insertelement <4 x i32> poison, i32 %s, i64 0
  %1 = shufflevector <4 x i32> %0, <4 x i32> poison, <4 x i32> zeroinitializer
  %c = and <4 x i32> %a, %1
  %d = or <4 x i32> %c, %b
  %e = xor <4 x i32> %d, splat (i32 -1)
  %f = call <4 x i32> @llvm.fshl.v4i32(<4 x i32> %e, <4 x i32> %a, <4 x i32> splat (i32 7))
  %g = call <4 x i32> @llvm.fshr.v4i32(<4 x i32> %f, <4 x i32> %b, <4 x i32> splat (i32 3))
  %h = call <4 x i32> @llvm.usub.sat.v4i32(<4 x i32> %g, <4 x i32> %1)
  %i = call <4 x i32> @llvm.sadd.sat.v4i32(<4 x i32> %h, <4 x i32> %a)
  %j = freeze <4 x i32> %i
  %k = call <4 x i32> @llvm.abs.v4i32(<4 x i32> %j, i1 false)
  %l = udiv <4 x i32> %k, splat (i32 7)
  %m = icmp uge <4 x i32> %l, %a
  %n = icmp ne <4 x i32> %b, %a
  %o = select <4 x i1> %m, <4 x i32> %l, <4 x i32> %b
  %p = select <4 x i1> %n, <4 x i32> %o, <4 x i32> %e
  %q = mul <4 x i32> %p, %k
  %r = shl <4 x i32> %q, splat (i32 5)
  ret <4 x i32> %r
}
define <4 x i64> @widths(<4 x i16> %a, <4 x i32> %b) {
  %x = sext <4 x i16> %a to <4 x i64>
  %y = zext <4 x i32> %b to <4 x i64>
  %p = mul <4 x i64> %x, %y
  %t = trunc <4 x i64> %p to <4 x i32>
  %u = sext <4 x i32> %t to <4 x i64>
  %r = sub <4 x i64> %u, %p
  ret <4 x i64> %r
}
define <4 x i32> @weights(<4 x i32> %a) {
  %x = mul <4 x i32> %a, <i32 1, i32 2, i32 3, i32 4>
  %y = ashr <4 x i32> %x, <i32 4, i32 3, i32 2, i32 1>
  %z = call <4 x i32> @llvm.smax.v4i32(<4 x i32> %y, <4 x i32> <i32 -1, i32 2, i32 -3, i32 4>)
  %r = add <4 x i32> %z, <i32 -1, i32 2, i32 -3, i32 4>
  ret <4 x i32> %r
}
define <8 x i32> @factors(<8 x i16> %a, <8 x i8> %b) {
  %x = sext <8 x i16> %a to <8 x i32>
  %y = zext <8 x i8> %b to <8 x i32>
  %p = mul <8 x i32> %x, <i32 -32768, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 32767>
  %q = mul <8 x i32> %x, <i32 65535, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8>
  %s = mul <8 x i32> %y, <i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8>
  %t = add <8 x i32> %p, %q
  %r = add <8 x i32> %s, %t
  ret <8 x i32> %r
}
define i32 @total(<8 x i16> %a, <8 x i16> %b) {
  %x = sext <8 x i16> %a to <8 x i32>
  %y = sext <8 x i16> %b to <8 x i32>
  %p = mul <8 x i32> %x, %y
  %r = call i32 @llvm.vector.reduce.add.v8i32(<8 x i32> %p)
  ret i32 %r
}
define i8 @least(<16 x i8> %a, <16 x i8> %b) {
  %d = call <16 x i8> @llvm.umax.v16i8(<16 x i8> %a, <16 x i8> %b)
  %r = call i8 @llvm.vector.reduce.smin.v16i8(<16 x i8> %d)
  ret i8 %r
}
";

/// The bits of a constant, those of its first element lowest.
fn bits(value: &Value) -> Bits {
    let Value::Constant(elements) = value else { panic!("{value:?} is no constant") };
    let (mut words, mut low) = (Vec::new(), 0);
    for element in elements {
        let Element::Bits(own) = element else { panic!("{element:?} is no number") };
        words.resize(low as usize / 64 + 1, 0);
        words[low as usize / 64] |= own.to_u64().unwrap() << (low % 64);
        low += own.width();
    }
    Bits::from_words(low, words)
}

#[test]
fn windows_are_what_their_functions_are() {
    let module = Module::parse(MODULE).unwrap();
    let mut random = Random::new(7);
    for function in &module.functions {
        let body = function.body.as_ref().unwrap();
        let expressed = window_of(body).unwrap_or_else(|why| panic!("@{}: {why}", function.name));
        assert_eq!(expressed.names.len(), expressed.window.expressions.len(), "@{}", function.name);
        let own = Meaning::new(&expressed.window).function().unwrap();
        let (own, expected) =
            (Program::new(&own).unwrap(), Program::new(&meaning(body, &NoIntrinsics).unwrap()).unwrap());
        for _ in 0..200 {
            let leaves = expressed.window.leaves.iter().take(body.parameters.len());
            let mut given: Vec<Bits> = leaves.map(|leaf| random.bits(leaf.ty.bits())).collect();
            let expected = expected.run(&given).unwrap();
            given.extend(expressed.constants.iter().map(|constant| bits(&constant.value)));
            assert_eq!(own.run(&given).unwrap(), expected, "@{} {given:?}", function.name);
        }
    }
}

#[test]
fn values_are_read_under_the_sign_that_their_operations_ask_for() {
    let module = Module::parse(MODULE).unwrap();
    let types = |name: &str| {
        let window = window_of(module.function(name).unwrap().body.as_ref().unwrap()).unwrap().window;
        let leaves: Vec<String> = window.leaves.iter().map(|leaf| leaf.ty.to_string()).collect();
        (window.ty().to_string(), leaves.join(" "))
    };
    assert_eq!(types("average"), ("u8x16".into(), "u8x16 u8x16".into()));
    assert_eq!(types("widths"), ("i64x4".into(), "i16x4 u32x4".into()));
    // Constants that differ from lane to lane are leaves, each under the sign that it is read with.
    assert_eq!(types("weights"), ("i32x4".into(), "i32x4 i32x4 u32x4 i32x4".into()));
    // Those that are multiplied by what is widened are as narrow, if they fit.
    assert_eq!(types("factors"), ("i32x8".into(), "i16x8 u8x8 i16x8 u16x8 i32x8".into()));
    assert_eq!(types("total"), ("i32".into(), "i16x8 i16x8".into()));
}

#[test]
fn what_is_no_operation_on_lanes_is_refused() {
    for (ty, line) in [
        (
            "<4 x i32>",
            "%r = shufflevector <4 x i32> %a, <4 x i32> %a, <4 x i32> <i32 3, i32 2, i32 1, i32 0>",
        ),
        ("<4 x i32>", "%r = sdiv <4 x i32> %a, splat (i32 3)"),
        ("<3 x i7>", "%r = add <3 x i7> %a, %a"),
    ] {
        let text = format!("define {ty} @f({ty} %a) {{\n  {line}\n  ret {ty} %r\n}}\n");
        let module = Module::parse(&text).unwrap();
        assert!(window_of(module.functions[0].body.as_ref().unwrap()).is_err(), "{line}");
    }
}
