//! Hand-made functions for members of the sample dialect.

use std::collections::BTreeMap;

use codegen_gen::{Case, Features, LlvmVersion, VendorFunction, VendorIr};
use llvm_text::Type;

fn lines(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

/// What `east` and `west` have in a release of LLVM: plain additions, and a shift with a body for each immediate.
pub fn vendors(llvm: LlvmVersion) -> Vec<VendorIr> {
    let vendor = |isa: &str, functions: Vec<(&str, VendorFunction)>| VendorIr {
        isa: isa.to_owned(),
        llvm: llvm.number(),
        compiler: "a made-up compiler".to_owned(),
        triple: "x86_64-unknown-linux-gnu".to_owned(),
        members: functions.iter().enumerate().map(|(at, (id, _))| ((*id).to_owned(), at)).collect(),
        functions: functions.into_iter().map(|(_, function)| function).collect(),
        refused: BTreeMap::from([("crc".to_owned(), "there is no such intrinsic".to_owned())]),
        ..VendorIr::default()
    };
    let quads = || Type::lanes(2, 64);
    let wide = || Type::lanes(4, 64);
    let add = lines(&[
        "%v0 = bitcast <2 x i64> %a0 to <16 x i8>",
        "%v1 = bitcast <2 x i64> %a1 to <16 x i8>",
        "%v2 = add <16 x i8> %v0, %v1",
        "%v3 = bitcast <16 x i8> %v2 to <2 x i64>",
        "ret <2 x i64> %v3",
    ]);
    let add = Case { values: Vec::new(), lines: add };
    let load = lines(&[
        "%v0 = bitcast <2 x i64> %a2 to <16 x i8>",
        "%v1 = load <16 x i8>, ptr %a3, align 16",
        "%v2 = add <16 x i8> %v0, %v1",
        "%v3 = bitcast i16 %a1 to <16 x i1>",
        "%v4 = bitcast <2 x i64> %a0 to <16 x i8>",
        "%v5 = select <16 x i1> %v3, <16 x i8> %v2, <16 x i8> %v4",
        "%v6 = bitcast <16 x i8> %v5 to <2 x i64>",
        "ret <2 x i64> %v6",
    ]);
    let load = Case { values: Vec::new(), lines: load };
    let taken = vec![quads(), Type::integer(16), quads(), Type::Pointer];
    let shift = |value: i64| {
        let count = format!("%v1 = shl <8 x i32> %v0, <{}>", vec![format!("i32 {value}"); 8].join(", "));
        let lines = lines(&[
            "%v0 = bitcast <4 x i64> %a0 to <8 x i32>",
            &count,
            "%v2 = bitcast <8 x i32> %v1 to <4 x i64>",
            "ret <4 x i64> %v2",
        ]);
        Case { values: vec![value], lines }
    };
    let shifts: Vec<Case> = (0..4).map(shift).collect();
    vec![
        vendor(
            "east",
            vec![
                ("add8", VendorFunction::new(quads(), vec![quads(), quads()], &[add])),
                ("add8_load", VendorFunction::new(quads(), taken, &[load])),
            ],
        ),
        vendor("west", vec![("shli", VendorFunction::new(wide(), vec![wide()], &shifts))]),
    ]
}

/// What the instructions of `east` and `west` need.
pub fn features() -> Features {
    let mut features = Features::default();
    features.insert("east", "add8", vec!["avx2".to_owned()]);
    features.insert("east", "add8_load", vec!["avx512bw".to_owned(), "avx512vl".to_owned()]);
    features.insert("west", "shli", vec!["avx512bw".to_owned(), "avx512vl".to_owned()]);
    features
}
