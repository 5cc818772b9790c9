//! Each rule on a document that it is about, and on one like it that is right.

use super::{Finding, RULES, lint};

const DST: &str = "return dst __m64 UI8";

/// A document; an entry is its name, its operands as `parameter name c_type etype`, its operation.
fn document(entries: &[(&str, &[&str], &str)]) -> String {
    let mut xml = String::from("<intrinsics_list version=\"t\">\n");
    for (name, operands, operation) in entries {
        xml.push_str(&format!("<intrinsic tech=\"Other\" name=\"{name}\">\n"));
        for operand in *operands {
            let words: Vec<&str> = operand.split_whitespace().collect();
            match words[..] {
                [tag, name, c_type, etype] => xml
                    .push_str(&format!("<{tag} varname=\"{name}\" type=\"{c_type}\" etype=\"{etype}\"/>\n")),
                _ => xml.push_str(operand),
            }
        }
        xml.push_str("<instruction name=\"OWN\" form=\"mm, mm\"/>\n<CPUID>X</CPUID>\n");
        let operation = operation.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        xml.push_str(&format!("<operation>\n{operation}\n</operation>\n</intrinsic>\n"));
    }
    xml + "</intrinsics_list>\n"
}

fn findings(rule: &str, entries: &[(&str, &[&str], &str)]) -> Vec<Finding> {
    let evaluate = |function: &hydride_ir::Function, arguments: &[hydride_ir::Bits]| {
        interp::evaluate(function, arguments).ok()
    };
    let report = lint("own.xml", document(entries).as_bytes(), &evaluate);
    assert!(report.diagnostics.is_empty(), "{:?}", report.diagnostics);
    assert!(RULES.iter().any(|known| known.code == rule), "{rule}");
    report.findings.into_iter().filter(|finding| finding.rule == rule).collect()
}

/// One entry with a wrong and a right operation; the finding's line counts from the operation's first.
fn check(rule: &str, operands: &[&str], wrong: &str, line: u32, right: &str) {
    let found = findings(rule, &[("_own", operands, wrong)]);
    assert_eq!(found.len(), 1, "{rule}: {found:?}");
    let entry = document(&[("_own", operands, wrong)]);
    let first = entry.lines().position(|text| text == "<operation>").map_or(0, |first| first as u32 + 1);
    assert_eq!(found[0].span.line, if line == 0 { 2 } else { first + line }, "{rule}: {found:?}");
    let found = findings(rule, &[("_own", operands, right)]);
    assert!(found.is_empty(), "{rule}: {found:?}");
}

const A: &str = "parameter a __m64 UI8";
const B: &str = "parameter b __m64 UI8";
const K: &str = "parameter k __mmask8 MASK";
const SRC: &str = "parameter src __m64 UI8";

#[test]
fn code_after_return() {
    let wrong = "DEFINE F(x) {\nRETURN x\ny := 1\n}\ndst := F(a)";
    check(
        "code-after-return",
        &[DST, A],
        wrong,
        3,
        "DEFINE F(x) {\nIF x == 0\nRETURN x\nFI\nRETURN 1\n}\ndst := F(a)",
    );
}

#[test]
fn incomplete() {
    check("incomplete", &[DST, A], "dst := a\n// ...", 2, "dst := a\n// a comment");
}

#[test]
fn reversed_slice() {
    let right =
        "FOR j := 0 to 3\ni := j*8\ndst[i+7:i] := a[i+7:i]\nENDFOR\ndst[63:32] := a[0:31]\ndst[MAX:64] := 0";
    check("reversed-slice", &[DST, A], "FOR j := 0 to 3\ni := j*8\ndst[i+7:i] := a[i:i+7]\nENDFOR", 3, right);
}

#[test]
fn fixed_bound() {
    let wrong = "FOR j := 0 to 3\ni := j*16\ndst[i+15:i] := a[i+15:0]\nENDFOR";
    let right = "FOR j := 0 to 3\ni := j*16\ndst[i+15:i] := a[i+15:i]\nENDFOR\nn := 7\ndst[n:0] := a[n:0]";
    check("fixed-bound", &[DST, A], wrong, 3, right);
}

#[test]
fn slice_beyond_width() {
    check("slice-beyond-width", &[DST, A], "dst := a[71:8]", 0, "dst := a[63:8]");
    let narrow = "<parameter varname=\"n\" type=\"int\" etype=\"IMM\" immwidth=\"3\"/>";
    check("slice-beyond-width", &[DST, A, narrow], "dst := a << n[7:0]", 0, "dst := a << n[2:0]");
}

#[test]
fn unwritten_bits() {
    check("unwritten-bits", &[DST, A], "dst[31:0] := a[31:0]", 0, "dst[31:0] := a[31:0]\ndst[63:32] := 0");
}

#[test]
fn unused_parameter() {
    check("unused-parameter", &[DST, A, B], "dst := a", 0, "dst := a + B");
    let hint = "<parameter varname=\"b\" type=\"__m64\" etype=\"UI8\" hint=\"TRUE\"/>";
    assert!(findings("unused-parameter", &[("_own", &[DST, A, hint], "dst := a")]).is_empty());
}

#[test]
fn undefined_name() {
    check(
        "undefined-name",
        &[DST, A],
        "c := 1\ndst := a << count",
        2,
        "count := 1\ndst := SignExtend64(a) << count",
    );
    check(
        "undefined-name",
        &[DST, A],
        "dst := Mystery(a)",
        1,
        "DEFINE Mystery(x) {\nRETURN x\n}\ndst := Mystery(a)",
    );
}

#[test]
fn read_unwritten() {
    let right = "t[31:0] := a[31:0]\nt[63:32] := 0\ndst := t[63:0]";
    check("read-unwritten", &[DST, A], "t[31:0] := a[31:0]\ndst := t[63:0]", 2, right);
}

#[test]
fn element_width() {
    let signed = "parameter a __m64 SI64";
    let loops =
        |width: u32| format!("FOR j := 0 to 1\ni := j*32\ndst[i+31:i] := a[i+{}:i] < 0\nENDFOR", width - 1);
    check("element-width", &[DST, signed], &loops(16), 0, "dst := a[63:0] + a[63]");
    let matching = "parameter a __m64 SI16";
    assert!(findings("element-width", &[("_own", &[DST, matching], &loops(16))]).is_empty());
}

#[test]
fn text_width() {
    let described = "<description>Own text on packed 16-bit integers.</description>";
    let eight = "FOR j := 0 to 7\ni := j*8\ndst[i+7:i] := a[i+7:i]\nENDFOR";
    let sixteen = "FOR j := 0 to 3\ni := j*16\ndst[i+15:i] := a[i+15:i]\nENDFOR";
    check("text-width", &[DST, A, described], eight, 0, sixteen);
}

#[test]
fn twin_differs() {
    let twins = |second| {
        findings("twin-differs", &[("_own", &[DST, A, B], "dst := a + b"), ("_own", &[DST, A, B], second)])
    };
    assert_eq!(twins("dst := a - b").len(), 1);
    assert_eq!(twins("dst := a - b")[0].entry, "_own@X");
    assert!(twins("t := b\ndst := t + a").is_empty());
}

#[test]
fn element_twin() {
    let text = "FOR j := 0 to 7\ni := j*8\ndst[i+7:i] := Saturate8(a[i+7:i] + 1)\nENDFOR";
    let twins = |etype: &str| {
        let other = format!("parameter a __m64 {etype}");
        let operands = [DST, other.as_str()];
        findings(
            "element-twin",
            &[("_own", &[DST, "parameter a __m64 SI8"], text), ("_other", &operands, text)],
        )
    };
    assert_eq!(twins("SI64").len(), 2);
    assert!(twins("SI8").is_empty());
}

#[test]
fn sign_twin() {
    let remainder = "FOR j := 0 to 7\ni := j*8\ndst[i+7:i] := REMAINDER(a[i+7:i] / b[i+7:i])\nENDFOR";
    let equal = "FOR j := 0 to 7\ni := j*8\ndst[i+7:i] := (a[i+7:i] == b[i+7:i]) ? 0xFF : 0\nENDFOR";
    let twins = |names: [&str; 2], etype: &str, text: &str| {
        let [a, b] = ["a", "b"].map(|name| format!("parameter {name} __m64 {etype}"));
        let found =
            findings("sign-twin", &[(names[0], &[DST, &a, &b], text), (names[1], &[DST, A, B], text)]);
        found.into_iter().map(|finding| finding.entry).collect::<Vec<_>>()
    };
    for names in [["_own_rem_epi8", "_own_rem_epu8"], ["_own_irem", "_own_urem"], ["_own_bssd", "_own_buud"]]
    {
        assert_eq!(twins(names, "UI8", remainder), names);
        assert!(twins(names, "SI8", remainder).is_empty());
        // It means the same with any sign.
        assert!(twins(names, "UI8", equal).is_empty());
    }
    assert!(twins(["_own_rem_epi8", "_own_mod_epu8"], "UI8", remainder).is_empty());
}

#[test]
fn mixed_saturation() {
    let sum = "FOR j := 0 to 1\ndst.dword[j] := UNSIGNED_DWORD_SATURATE(a.dword[j] + b.byte[j])\nENDFOR";
    let found = |etype: &str, text: &str| {
        let accumulator = format!("parameter a __m64 {etype}");
        findings("mixed-saturation", &[("_own", &[DST, &accumulator, B], text)]).len()
    };
    assert_eq!(found("SI32", sum), 1);
    assert_eq!(found("UI32", sum), 0);
    assert_eq!(found("SI32", &sum.replace("UNSIGNED", "SIGNED")), 0);
    // Signed numbers are narrowed to unsigned ones of half the width on purpose.
    assert_eq!(found("SI32", "FOR j := 0 to 1\ndst.word[j] := SaturateU16(a.dword[j])\nENDFOR"), 0);
}

#[test]
fn masked_differs() {
    let lanes = |last: u32| {
        format!(
            "FOR j := 0 to {last}\ni := j*8\nIF k[j]\ndst[i+7:i] := a[i+7:i]\nELSE\ndst[i+7:i] := src[i+7:i]\nFI\nENDFOR\ndst[MAX:64] := 0"
        )
    };
    let found = |last| {
        let masked = lanes(last);
        findings(
            "masked-differs",
            &[("_own_f", &[DST, A], "dst := a"), ("_own_mask_f", &[DST, SRC, K, A], &masked)],
        )
    };
    assert_eq!(found(6).len(), 1);
    assert!(found(7).is_empty());
    // The upper half is another argument's in each form.
    let scalar = |sum: &str, upper: &str| format!("dst[31:0] := {sum}\ndst[63:32] := {upper}[63:32]");
    let found = |sum: &str| {
        let masked = format!("IF k[0]\n{}\nELSE\ndst := b\nFI", scalar(sum, "b"));
        let plain = scalar("a[31:0] + b[31:0]", "a");
        findings(
            "masked-differs",
            &[("_own_f", &[DST, A, B], &plain), ("_own_mask3_f", &[DST, A, B, K], &masked)],
        )
    };
    assert!(found("a[31:0] + b[31:0]").is_empty());
    assert_eq!(found("a[31:0] - b[31:0]").len(), 1);
}

#[test]
fn masked_off() {
    let lanes = |index: &str| {
        format!(
            "FOR j := 0 to 7\nIF k[j]\ndst.byte[j] := a.byte[j] + 1\nELSE\ndst.byte[j] := src.byte[{index}]\nFI\nENDFOR"
        )
    };
    let found = |index: &str| findings("masked-off", &[("_own_mask_f", &[DST, SRC, K, A], &lanes(index))]);
    assert_eq!(found("7-j").len(), 1);
    assert!(found("j").is_empty());
}

#[test]
fn findings_are_sorted_and_rules_have_codes_in_order() {
    assert!(RULES.windows(2).all(|pair| pair[0].code < pair[1].code));
    let evaluate = |_: &hydride_ir::Function, _: &[hydride_ir::Bits]| None;
    let text = document(&[("_z", &[DST, A, B], "dst[31:0] := a"), ("_a", &[DST, A, B], "dst[31:0] := oops")]);
    let report = lint("own.xml", text.as_bytes(), &evaluate);
    let offsets: Vec<usize> = report.findings.iter().map(|finding| finding.span.offset).collect();
    assert!(offsets.len() >= 4 && offsets.is_sorted(), "{:?}", report.findings);
}

#[test]
fn no_bytes_end_in_a_panic() {
    for bytes in [
        &b""[..],
        b"plain text",
        b"<intrinsic name=",
        b"\xFF\xFE",
        b"<intrinsics_list><intrinsic name=\"x\">",
    ] {
        let report = lint("own.xml", bytes, &|_, _| None);
        assert!(!report.diagnostics.is_empty());
    }
}
