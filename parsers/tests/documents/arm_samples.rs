//! The sample documents of Arm: hand-computed values, and the outcomes of unusual entries.

use std::sync::LazyLock;

use crate::arm_support::{Files, errata};
use hydride_ir::Bits;
use parsers::arm::{Bodies, check_errata, parse};
use parsers::errata::State;
use parsers::{Kind, Parsed, Signature, Status};

static SAMPLE: LazyLock<Parsed> = LazyLock::new(|| Files::sample().parse());

/// Results of a sample intrinsic as hexadecimal digits; arguments are digits or a plain immediate.
fn eval(id: &str, args: &[&str]) -> Vec<String> {
    let instruction = SAMPLE.instructions.iter().find(|instruction| instruction.id == id);
    let instruction = instruction.unwrap_or_else(|| panic!("{id}: {:?}", status(id)));
    let args: Vec<Bits> = instruction
        .signature
        .args
        .iter()
        .zip(args)
        .map(|(arg, text)| match arg.kind {
            Kind::Immediate(_) => Bits::from_u64(arg.width, text.parse().unwrap()),
            _ => Bits::from_hex(arg.width, text).unwrap(),
        })
        .collect();
    let results = interp::evaluate(&instruction.function, &args).unwrap();
    results.iter().map(|bits| format!("{bits:x}")).collect()
}

fn status(id: &str) -> &'static Status {
    &SAMPLE.ledger.iter().find(|line| line.id == id).unwrap_or_else(|| panic!("no line for {id}")).status
}

#[test]
fn wrapping_and_saturating_sums() {
    assert_eq!(eval("vadd_s16", &["7fff000180000005", "0001ffff80000005"]), ["800000000000000a"]);
    assert_eq!(
        eval("vsubq_u8", &["00000000000000000000000000000105", "00000000000000000000000000000201"])[0],
        "0000000000000000000000000000ff04"
    );
    assert_eq!(eval("vqadd_s8", &["7f80017f80ff0510", "01ff01ff80010a20"]), ["7f80027e80000f30"]);
    assert_eq!(eval("vqadd_u16", &["ffff8000ffff0001", "0001800000000001"]), ["ffffffffffff0002"]);
}

#[test]
fn shifts_by_immediates() {
    // (-128 + 1) >> 1, (127 + 1) >> 1, (-1 + 1) >> 1, (1 + 1) >> 1
    assert_eq!(eval("vrshr_n_s8", &["807fff0100000000", "1"]), ["c040000100000000"]);
    // Rounding by half of 256: -128 → 0, 127 → 0
    assert_eq!(eval("vrshr_n_s8", &["807fff0100000000", "8"]), ["0000000000000000"]);
    assert_eq!(eval("vsli_n_u16", &["ffffffff00001234", "0001ffffffff00ff", "4"]), ["001ffffffff00ff4"]);
    assert_eq!(eval("vsli_n_u16", &["ffffffff00001234", "0001ffffffff00ff", "0"]), ["0001ffffffff00ff"]);
    assert_eq!(eval("vext_s16", &["0003000200010000", "0007000600050004", "3"]), ["0006000500040003"]);
}

#[test]
fn products() {
    // 0x4000 * 0x4000 * 2 >> 16; -1 * 1 * 2 >> 16; the one overflow
    assert_eq!(eval("vqdmulh_s16", &["4000ffff80007fff", "4000000180007fff"]), ["2000ffff7fff7ffe"]);
    let accumulator = "00000001000000020000000300000004";
    assert_eq!(
        eval("vmlal_lane_s16", &[accumulator, "00010002fffd0004", "0005ffff00070008", "2"]),
        ["00000000000000000000000600000000"]
    );
    assert_eq!(
        eval("vmlal_laneq_s16", &[accumulator, "00010002fffd0004", "00100000000000000005ffff00070008", "7"]),
        ["0000001100000022ffffffd300000044"]
    );
    assert_eq!(eval("vpadal_s8", &["0001ffff00007fff", "ff0180807f7f0100"]), ["0001feff00fe8000"]);
}

#[test]
fn tables() {
    let table = "0f0e0d0c0b0a09080706050403020100";
    assert_eq!(eval("vtbl2_u8", &[table, "000f100807ff0201"]), ["000f000807000201"]);
    let tables = format!("{}{}", "1f1e1d1c1b1a19181716151413121110", table);
    assert_eq!(eval("vqtbx2_u8", &["a7a6a5a4a3a2a1a0", &tables, "001f2010ff0fff01"]), ["001fa510a30fa101"]);
}

#[test]
fn counts_become_nodes_of_their_own() {
    assert_eq!(eval("vcnt_u8", &["ff00010380aa7f10"]), ["0800010201040701"]);
    assert_eq!(eval("vclz_s16", &["000000018000ffff"]), ["0010000f00000000"]);
    assert_eq!(eval("vcls_s8", &["00ff01fe7f80c0aa"]), ["0707060600000100"]);
    let text = |id: &str| SAMPLE.instructions.iter().find(|i| i.id == id).unwrap().function.to_string();
    assert!(text("vcnt_u8").contains("popcount("));
    assert!(text("vclz_s16").contains("leading_zeros("));
}

#[test]
fn memory_is_an_argument_and_where_it_is_written_a_result() {
    assert_eq!(eval("vld1_s8", &["0706050403020100"]), ["0706050403020100"]);
    let pairs = "17071606150514041303120211011000";
    assert_eq!(eval("vld2_u8", &[pairs]), ["0706050403020100", "1716151413121110"]);
    let vectors = "00170016001500140007000600050004";
    assert_eq!(eval("vst2_lane_u16", &["00000000", vectors, "3"]), ["00170007"]);
    let store = SAMPLE.instructions.iter().find(|i| i.id == "vst2_lane_u16").unwrap();
    let Signature { args, results } = &store.signature;
    assert_eq!(
        (args[0].kind.clone(), args[0].width),
        (Kind::Memory { align: 1, element: None, non_temporal: false }, 32)
    );
    assert_eq!(results, &args[..1]);
    assert!(store.accessed.is_none() && store.addresses.is_none());
    let load = SAMPLE.instructions.iter().find(|i| i.id == "vld2_u8").unwrap();
    assert_eq!((load.signature.args[0].width, load.signature.results.len()), (128, 2));
}

#[test]
fn several_results_and_several_instructions() {
    assert_eq!(
        eval("vtrn_u8", &["0706050403020100", "1716151413121110"]),
        ["1606140412021000", "1707150513031101"]
    );
    assert_eq!(
        eval("vcombine_f32", &["1111111122222222", "3333333344444444"]),
        ["33333333444444441111111122222222"]
    );
}

#[test]
fn scalars_lanes_and_reinterpretations() {
    assert_eq!(eval("vset_lane_u16", &["abcd", "0003000200010000", "2"]), ["0003abcd00010000"]);
    assert_eq!(eval("vget_lane_u32", &["1111111122222222", "1"]), ["11111111"]);
    assert_eq!(eval("vreinterpret_s8_f32", &["0123456789abcdef"]), ["0123456789abcdef"]);
    // A loop whose end depends on the value became a table.
    assert_eq!(eval("vrecpe_u32", &["000000ff00000010"]), ["0000000f00000004"]);
}

#[test]
fn immediates_stay_symbolic_with_their_ranges() {
    let instruction = SAMPLE.instructions.iter().find(|i| i.id == "vmlal_laneq_s16").unwrap();
    let Kind::Immediate(range) = &instruction.signature.args[3].kind else { panic!("no immediate") };
    assert_eq!((range.low, range.high), (0, 7));
    // The document takes 64 or 128 bits by the lane; one slice serves all lanes.
    assert!(!instruction.function.to_string().contains("select"));
    assert_eq!(instruction.forms[0].mnemonic, "SMLAL");
    assert_eq!(instruction.isa.name(), "arm");
}

#[test]
fn each_slice_written_is_one_assignment() {
    let instruction = SAMPLE.instructions.iter().find(|i| i.id == "vqadd_s8").unwrap();
    assert_eq!(instruction.function.body.len(), 8);
    assert!(instruction.function.to_string().contains("saturate.s.s(add("));
    for instruction in &SAMPLE.instructions {
        instruction.function.verify().unwrap();
        assert!(instruction.undefined.is_empty());
    }
}

#[test]
fn odd_entries_end_in_the_ledger() {
    assert_eq!(SAMPLE.ledger.len(), 29);
    let reason = |id: &str| match status(id) {
        Status::Modelled => "modelled".to_owned(),
        Status::Excluded { reason, .. } => format!("excluded {reason}"),
        Status::Failed { reason, message } => format!("failed {reason}: {message}"),
    };
    assert_eq!(reason("vld1_s8"), "modelled");
    assert_eq!(reason("vadd_f32"), "modelled");
    assert_eq!(reason("vmov_n_s64"), "failed encoding: `dup d0, x1` does not assemble");
    assert_eq!(
        reason("vabs_s8"),
        "failed unpredictable: 0x0e20b820 matches both `sample_absolute_one` and `sample_absolute_two`"
    );
    assert_eq!(reason("vneg_s8"), "failed undefined-encoding: 0x2e20b820 matches no encoding");
    let missing =
        SAMPLE.diagnostics.iter().find(|d| d.message == "the operation `Sample_Missing` is not defined");
    assert_eq!(missing.and_then(|d| d.entry.as_deref()), Some("vneg_s8"));
    let line = SAMPLE.ledger.iter().find(|line| line.id == "vqadd_s8").unwrap();
    assert_eq!((line.span.file.as_str(), line.span.line, line.span.column), ("intrinsics.json", 4, 1));
}

#[test]
fn without_instructions_the_operations_serve() {
    let mut files = Files::sample();
    files.instructions.clear();
    let parsed = files.parse();
    let add = parsed.instructions.iter().find(|i| i.id == "vadd_s16").expect("modelled");
    let args =
        [Bits::from_hex(64, "7fff000180000005").unwrap(), Bits::from_hex(64, "0001ffff80000005").unwrap()];
    assert_eq!(format!("{:x}", interp::evaluate(&add.function, &args).unwrap()[0]), "800000000000000a");
    let neg = parsed.ledger.iter().find(|line| line.id == "vneg_s8").unwrap();
    assert!(matches!(&neg.status, Status::Failed { reason, .. } if reason == "unknown-operation"));
}

#[test]
fn errata_correct_entries_and_go_stale() {
    let mut files = Files::sample();
    files.errata = Some(errata(
        r#"
        [[erratum]]
        entry = "vmov_n_s64"
        field = [{ of = "mnemonic", was = "DUP", now = "INS" }, { of = "operands", was = "Vd.1D,rn", now = "Vd.D[0],xn" }]
        evidence = { undefined = "the instruction" }
        note = "no such DUP"

        [[erratum]]
        entry = ["vadd_s16", "vmissing"]
        field = [{ of = "mnemonic", was = "SUB", now = "ADD" }]
        evidence = { undefined = "nothing" }
        note = "stale, and an entry that is not there"

        [[erratum]]
        entry = "vsubq_u8"
        exchange = ["a", "b"]
        evidence = { undefined = "nothing" }
        note = "the operands are in order"
        "#,
    ));
    let parsed = files.parse();
    let moved = parsed.instructions.iter().find(|i| i.id == "vmov_n_s64").expect("corrected");
    let value = Bits::from_hex(64, "0123456789abcdef").unwrap();
    assert_eq!(interp::evaluate(&moved.function, std::slice::from_ref(&value)).unwrap(), [value]);
    let told: Vec<(&str, &str, u32)> = parsed
        .diagnostics
        .iter()
        .filter(|d| d.message.contains("erratum"))
        .map(|d| (d.entry.as_deref().unwrap_or(""), d.message.as_str(), d.span.line))
        .collect();
    assert_eq!(
        told,
        [
            ("vadd_s16", "an erratum no longer applies: `mnemonic` is `ADD`, not `SUB`", 8),
            ("vsubq_u8", "an erratum no longer applies: the operands already name `a` before `b`", 14),
        ]
    );
    let checked = check_errata(&files.documents(), files.errata.as_ref().unwrap());
    assert_eq!(checked.version, "search data");
    assert_eq!(checked.errata[2].state, State::NoEntry);
}

#[test]
fn decode_values_and_operations_serve_where_there_is_no_asl() {
    let mut files = Files::sample();
    files.instructions.clear();
    let parsed = files.parse();
    let add = parsed.instructions.iter().find(|i| i.id == "vadd_s16").expect("modelled");
    let own = SAMPLE.instructions.iter().find(|i| i.id == "vadd_s16").expect("modelled");
    assert_eq!(add.function.to_string(), own.function.to_string());
    // The two readings of one intrinsic, with the ASL available.
    let files = Files::sample();
    let other = parse(&files.documents(), &files.options(Bodies::Named));
    let read = other.instructions.iter().find(|i| i.id == "vadd_s16").expect("modelled");
    let raised = |function| hydride_ir::exact::raise(function).map(|(_, raised)| raised).unwrap();
    assert_eq!(raised(&read.function), raised(&own.function));
}
