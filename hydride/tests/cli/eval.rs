//! `hydride eval` against values worked out by hand.

use std::path::Path;

use crate::support::{document, document_folders_of, files, hydride, samples, scratch, specs_with};

/// Digits with zeros above.
fn low(width: usize, digits: &str) -> String {
    format!("{digits:0>digits_of$}", digits_of = width / 4)
}

/// The same digits over and over.
fn repeated(width: usize, digits: &str) -> String {
    digits.repeat(width / 4 / digits.len())
}

/// Lanes most significant first, each `digits` digits of a number that its place gives.
fn lanes(width: usize, digits: usize, value: impl Fn(usize) -> usize) -> String {
    (0..width / 4 / digits).rev().map(|lane| format!("{:0digits$x}", value(lane))).collect()
}

/// The document of a folder that has the last name, cut down to the entry of that name.
fn excerpt(specs: &Path, id: &str) -> Option<String> {
    let documents = files(&specs.join("x86"));
    let (_, text) = documents.into_iter().rfind(|(name, _)| name.ends_with(".xml"))?;
    let name = text.find(&format!(" name=\"{id}\""))?;
    let start = text[..name + 1].rfind("<intrinsic ")?;
    let length = text[start..].find("</intrinsic>")?;
    Some(document(&[format!("{}</intrinsic>\n", &text[start..start + length])]))
}

/// Evaluates on each document that has the instruction; the samples must where `sampled`.
#[track_caller]
fn check(sampled: bool, id: &str, args: &[&str], expected: &str) {
    for specs in document_folders_of("x86") {
        let Some(excerpt) = excerpt(&specs, id) else {
            assert!(specs == samples() && !sampled, "{} has no {id}", specs.display());
            continue;
        };
        let folder = scratch();
        specs_with(folder.path(), excerpt);
        let mut command = vec!["eval", "--specs", "specs", "--isa", "x86", "--id", id];
        command.extend(args);
        let run = hydride(folder.path(), &command).exits(0);
        assert_eq!(run.stdout, format!("{expected}\n"), "{id} {args:?} of {}", specs.display());
    }
}

#[test]
fn averages_need_a_ninth_bit() {
    check(true, "_mm_avg_epu8", &[&repeated(128, "ff"), &repeated(128, "ff")], &repeated(128, "ff"));
    // (0 + 1 + 1) / 2, (ff + 0 + 1) / 2, (fe + ff + 1) / 2
    check(true, "_mm_avg_epu8", &[&low(128, "00fffe"), &low(128, "0100ff")], &low(128, "0180ff"));
}

#[test]
fn sums_of_products_saturate() {
    // Unsigned bytes of the first times signed bytes of the second, in pairs.
    let id = "_mm_maddubs_epi16";
    check(true, id, &[&repeated(128, "ff"), &repeated(128, "7f")], &repeated(128, "7fff"));
    check(true, id, &[&repeated(128, "ff"), &repeated(128, "80")], &repeated(128, "8000"));
    // ff*7f + ff*80 = 255 * -1
    check(true, id, &[&repeated(128, "ff"), &repeated(128, "7f80")], &repeated(128, "ff01"));
    // 01*ff + 00*7f = -1
    check(true, id, &[&low(128, "0100"), &low(128, "ff7f")], &low(128, "ffff"));
}

#[test]
fn packs_clamp_to_unsigned_bytes() {
    // -1, -32768, 256, 32767, 255, 254, 0, 1 from the most significant lane down.
    let a = "ffff800001007fff00ff00fe00000001";
    check(true, "_mm_packus_epi16", &[a, &repeated(128, "ffff")], &low(128, "0000fffffffe0001"));
    check(true, "_mm_packus_epi16", &[&repeated(128, "8000"), a], "0000fffffffe00010000000000000000");
}

#[test]
fn rotates_are_exact_at_every_count() {
    let a = "80000001000000011234567800000000";
    for (count, expected) in [
        ("0", a),
        ("1", "00000003000000022468acf000000000"),
        ("4", "00000018000000102345678100000000"),
        ("31", "c000000080000000091a2b3c00000000"),
        ("32", a),
        ("33", "00000003000000022468acf000000000"),
        ("255", "c000000080000000091a2b3c00000000"),
    ] {
        check(true, "_mm_rol_epi32", &[a, count], expected);
    }
    let a = "80000000000000010123456789abcdef";
    for (counts, expected) in [
        (["0", "0"], a),
        (["1", "4"], "c000000000000000f0123456789abcde"),
        (["3f", "3c"], "0000000000000003123456789abcdef0"),
        // 64 is no rotation, 65 rotates by one, and so does 2^63 + 1.
        (["40", "41"], "80000000000000018091a2b3c4d5e6f7"),
        (["8000000000000001", "ffffffffffffffff"], "c00000000000000002468acf13579bde"),
    ] {
        let counts: String = counts.iter().map(|count| format!("{count:0>16}")).collect();
        check(false, "_mm_rorv_epi64", &[a, &counts], expected);
    }
}

#[test]
fn interleaving_stays_within_halves() {
    // Lane n of a is a0n, of b is b0n.
    let a = lanes(256, 4, |lane| 0xa00 + lane);
    let b = lanes(256, 4, |lane| 0xb00 + lane);
    let expected = lanes(256, 4, |lane| {
        let from = if lane % 2 == 0 { 0xa00 } else { 0xb00 };
        from + lane / 8 * 8 + 4 + lane % 8 / 2
    });
    assert!(expected.ends_with("0b070a070b060a060b050a050b040a04"));
    check(false, "_mm256_unpackhi_epi16", &[&a, &b], &expected);
}

#[test]
fn long_arithmetic_shifts_leave_the_sign() {
    let a = "80007fff0001ffff8001400000100000";
    check(true, "_mm_srai_epi16", &[a, "0"], a);
    check(true, "_mm_srai_epi16", &[a, "4"], "f80007ff0000fffff800040000010000");
    for count in ["15", "16", "17", "128", "255"] {
        check(true, "_mm_srai_epi16", &[a, count], "ffff00000000ffffffff000000000000");
    }
}

#[test]
fn aligns_shift_two_registers_by_bytes() {
    let a = lanes(128, 2, |lane| 0xa0 + lane);
    let b = lanes(128, 2, |lane| 0xb0 + lane);
    for count in 0..=40 {
        let expected = lanes(128, 2, |lane| match lane + count {
            from @ 0..16 => 0xb0 + from,
            from @ 16..32 => 0xa0 + from - 16,
            _ => 0,
        });
        if [0, 1, 5, 15, 16, 17, 31, 32, 40].contains(&count) {
            check(true, "_mm_alignr_epi8", &[&a, &b, &count.to_string()], &expected);
        }
    }
    check(true, "_mm_alignr_epi8", &[&a, &b, "255"], &low(128, "0"));
}

#[test]
fn blends_take_the_second_where_the_mask_is_set() {
    let (a, b) = (repeated(512, "aa"), repeated(512, "bb"));
    let id = "_mm512_mask_blend_epi8";
    check(false, id, &[&low(64, "0"), &a, &b], &a);
    check(false, id, &[&repeated(64, "f"), &a, &b], &b);
    // Bit 0 is the lowest byte, bit 63 the highest.
    let expected = format!("bb{}bbaabb", "aa".repeat(60));
    check(false, id, &["8000000000000005", &a, &b], &expected);
}

#[test]
fn wrong_arguments_are_named() {
    let folder = scratch();
    let specs = samples();
    let specs = specs.to_string_lossy();
    let eval = |isa: &str, id: &str, args: &[&str]| {
        let mut command = vec!["eval", "--specs", &specs, "--isa", isa, "--id", id];
        command.extend(args);
        hydride(folder.path(), &command)
    };
    let a = low(128, "1");
    eval("x86", "_mm_avg_epu8", &[&a]).exits(2).complains(&["_mm_avg_epu8 takes 2", "128 bits"]);
    eval("x86", "_mm_avg_epu8", &[&a, "xyz"]).exits(2).complains(&["argument b", "xyz"]);
    eval("x86", "_mm_avg_epu8", &[&a, &format!("1{a}")]).exits(2).complains(&["argument b", "128 bits"]);
    eval("x86", "_mm_srai_epi16", &[&a, "ff"]).exits(2).complains(&["argument imm8", "ff"]);
    eval("x86", "_mm_srai_epi16", &[&a, "256"]).exits(2).complains(&["argument imm8", "256"]);
    eval("x86", "_mm_none", &[&a]).exits(2).complains(&["_mm_none"]);
    eval("x86", "_mm_rcp_ps", &[&a]).exits(2).complains(&["_mm_rcp_ps", "approximation"]);
    eval("mips", "_mm_avg_epu8", &[&a, &a]).exits(2).complains(&["mips"]);
    hydride(folder.path(), &["eval", "--isa", "x86"]).exits(2);
    hydride(folder.path(), &["eval", "--specs", "nowhere", "--isa", "x86", "--id", "x"])
        .exits(3)
        .complains(&["nowhere"]);
}
