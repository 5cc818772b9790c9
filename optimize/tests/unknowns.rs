//! Constants that slices do not have: tables and masks, with intrinsics whose meaning is given here.

use hydride_ir::{Bits, Function};
use llvm_text::Type;
use optimize::{Callee, Callees, Cutter, Flow, Slice, with_constants};
use refine::{Argument, Intrinsics, Limits, Module, Outcome, Target, refines};

/// A look-up of bytes as one instruction, and a number with some bits of another one side by side.
struct Machine;

impl Machine {
    fn callees() -> Callees {
        let bytes: Type = "<16 x i8>".parse().expect("a type");
        let number: Type = "i32".parse().expect("a type");
        let callee = |name: &str, ty: &Type| Callee {
            name: name.to_owned(),
            arguments: [ty.clone(), ty.clone()],
            result: ty.clone(),
        };
        let all =
            [callee("llvm.m.sum", &bytes), callee("llvm.m.find", &bytes), callee("llvm.m.gather", &number)];
        Callees::new(all, &Self)
    }
}

impl Intrinsics for Machine {
    fn find(&self, name: &str, _: &[Option<Bits>]) -> Result<Target, String> {
        let text = match name {
            "llvm.m.sum" => "func @f(%a: 128, %b: 128) -> (%dst: 128) {\n  for i in 0..16 {\n    \
                 %dst[8*i +: 8] = add(%a[8*i +: 8], %b[8*i +: 8])\n  }\n}\n"
                .to_owned(),
            "llvm.m.find" => {
                let entry = |at: usize| {
                    let rest = (1..16).fold("%a[0 +: 8]".to_owned(), |rest, own| {
                        format!("select(eq(%b[{} +: 4], 0x{own:x}:4), %a[{} +: 8], {rest})", 8 * at, 8 * own)
                    });
                    format!("  %dst[{} +: 8] = select(%b[{} +: 1], 0x0:8, {rest})\n", 8 * at, 8 * at + 7)
                };
                let lines: String = (0..16).map(entry).collect();
                format!("func @f(%a: 128, %b: 128) -> (%dst: 128) {{\n{lines}}}\n")
            }
            _ => return Err(name.to_owned()),
        };
        let function = Function::parse(&text).map_err(|error| error.to_string())?;
        Ok(Target { function, arguments: vec![Argument::Operand(0), Argument::Operand(1)] })
    }
}

fn last(text: &str) -> Slice {
    let module = Module::parse(text).expect("a module");
    let outline = module.outline(&module.functions[0]).expect("lines");
    let flow = Flow::new(&outline).expect("blocks");
    let cutter = Cutter::new(&outline, &flow, &optimize::is_generic);
    cutter.cut(0, outline.sections[0].lines.len() - 2, 24).expect("a slice")
}

/// The text of the first candidate that is proved.
fn proved(text: &str) -> Option<String> {
    let (slice, callees) = (last(text), Machine::callees());
    let found = with_constants(&slice, &|| &callees, &Machine).expect("samples");
    let body = found
        .into_iter()
        .find(|body| matches!(refines(&slice.body, body, &Machine, &Limits::default()), Outcome::Proved(_)));
    body.map(|body| body.text("f"))
}

#[test]
fn a_digit_of_sixteen_is_looked_up() {
    let found = proved(
        "define <16 x i8> @f(<16 x i8> %a) {\n  %m = and <16 x i8> %a, splat (i8 15)\n  \
         %c = icmp ult <16 x i8> %m, splat (i8 10)\n  %d = add <16 x i8> %m, splat (i8 48)\n  \
         %e = add <16 x i8> %m, splat (i8 87)\n  %r = select <16 x i1> %c, <16 x i8> %d, <16 x i8> %e\n  \
         ret <16 x i8> %r\n}\n",
    );
    let found = found.expect("a table");
    assert_eq!(found.matches("@llvm.m.find").count(), 1, "{found}");
    assert!(found.contains("i8 48, i8 49") && found.contains("i8 101, i8 102"), "{found}");
}

#[test]
fn bits_of_bytes_are_counted_by_two_look_ups() {
    let found = proved(
        "define <16 x i8> @f(<16 x i8> %a) {\n  %s = lshr <16 x i8> %a, splat (i8 1)\n  \
         %m = and <16 x i8> %s, splat (i8 85)\n  %b = sub <16 x i8> %a, %m\n  \
         %c = and <16 x i8> %b, splat (i8 51)\n  %d = lshr <16 x i8> %b, splat (i8 2)\n  \
         %e = and <16 x i8> %d, splat (i8 51)\n  %g = add <16 x i8> %c, %e\n  \
         %h = lshr <16 x i8> %g, splat (i8 4)\n  %i = add <16 x i8> %h, %g\n  \
         %r = and <16 x i8> %i, splat (i8 15)\n  ret <16 x i8> %r\n}\n",
    );
    let found = found.expect("tables");
    assert_eq!(found.matches("@llvm.m.find").count(), 2, "{found}");
}

#[test]
fn what_is_no_table_has_none() {
    let text = "define <16 x i8> @f(<16 x i8> %a, <16 x i8> %b) {\n  %c = mul <16 x i8> %a, %b\n  \
                %d = add <16 x i8> %c, %a\n  %r = xor <16 x i8> %d, %b\n  ret <16 x i8> %r\n}\n";
    assert_eq!(proved(text), None);
}
