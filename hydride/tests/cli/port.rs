//! `hydride port` as a user sees it.

use crate::support::{hydride, samples, scratch, vendor_documents};

#[test]
fn what_cannot_be_ported_is_said() {
    let folder = scratch();
    let specs = samples().display().to_string();
    hydride(folder.path(), &["port", "--specs", &specs, "--from", "abacus", "--to", "avx2"]).exits(2);
    hydride(folder.path(), &["port", "--specs", &specs, "--from", "arm", "--to", "abacus"]).exits(2);
    hydride(folder.path(), &["port", "--specs", &specs, "--from", "arm"]).exits(2);
    let args = ["port", "--specs", &specs, "--from", "arm", "--to", "avx2", "["];
    hydride(folder.path(), &args).exits(2);
    // Nothing is ported: the exit code says so, and nothing is printed.
    let args = ["port", "--specs", &specs, "--from", "arm", "--to", "avx2", "no_such_intrinsic"];
    assert_eq!(hydride(folder.path(), &args).exits(1).stdout, "");
}

/// Instructions that need each of: a twin, a rewrite, another width, halves of registers, elements moved by a constant
/// index, immediates, scalars, several results.
const NEON: &[&str] = &[
    "vaddq_s8",
    "vqsubq_u32",
    "vhaddq_s32",
    "vcgeq_u8",
    "vcgtq_u64",
    "vmvnq_s8",
    "vmulq_s8",
    "vaddhn_s16",
    "vget_high_s8",
    "vextq_u8",
    "vuzp1q_u8",
    "vpmaxq_s8",
    "vshlq_n_s16",
    "vsliq_n_s16",
    "vsli_n_u8",
    "vmulq_n_s16",
    "vsetq_lane_s16",
    "vzipq_u8",
    "vabdq_s32",
    "vqaddq_s16",
    "vrev64q_s8",
];

const SSE: &[&str] = &[
    "_mm_add_epi8",
    "_mm_avg_epu8",
    "_mm_madd_epi16",
    "_mm_packus_epi16",
    "_mm_unpacklo_epi8",
    "_mm_sad_epu8",
    "_mm_slli_epi16",
    "_mm_subs_epu8",
    "_mm_blendv_epi8",
    "_mm_min_epi8",
    "_mm_insert_epi16",
];

#[test]
fn ported_instructions_agree_with_machines() {
    let Some(specs) =
        vendor_documents().filter(|specs| specs.join("arm").is_dir() && specs.join("x86").is_dir())
    else {
        return;
    };
    let (folder, specs) = (scratch(), specs.display().to_string());
    for (from, to, ids) in [("arm", "avx2", NEON), ("x86", "neon", SSE)] {
        let run = |jobs: &str, rest: &[&str]| {
            let out = format!("{from}{jobs}");
            let mut args =
                vec!["port", "--specs", &specs, "--from", from, "--to", to, "--jobs", jobs, "--out", &out];
            args.extend(rest);
            args.extend(ids);
            hydride(folder.path(), &args)
        };
        let two = run("2", &["--run", "100"]);
        assert!(!two.stderr.contains("Differs"), "{}", two.stderr);
        two.exits(0);
        run("1", &[]).exits(0);
        for ending in ["jsonl", "md", "h"] {
            let read = |jobs: &str| {
                let path = folder.path().join(format!("{from}{jobs}/{from}_on_{to}.{ending}"));
                std::fs::read_to_string(path).expect("an output")
            };
            let text = read("2");
            assert_eq!(text, read("1"), "{ending}");
            if ending == "jsonl" {
                for line in text.lines() {
                    let row: serde_json::Value = serde_json::from_str(line).expect("JSON");
                    let proved = row["status"] == "proved";
                    assert!(proved || row["why"][0].is_string(), "{line}");
                    assert!(proved || from == "x86", "{line}");
                }
            }
        }
    }
}
