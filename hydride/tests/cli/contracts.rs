//! What the output files promise to other programs; `docs/src/outputs.md` describes it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::support::*;
use hydride_ir::passes::{instantiate, open_nans};
use hydride_ir::{Bits, Function};
use interp::Program;
use serde_json::Value;

const COMBINATIONS: [&str; 7] = ["x86", "arm", "hvx", "x86+hvx", "x86+arm", "hvx+arm", "all"];

/// Checks the outputs for each folder of documents.
fn for_outputs(check: impl Fn(&Path)) {
    for specs in document_folders_of("x86") {
        check(&shared_output(&specs, "x86"));
    }
}

fn list(value: &Value) -> &Vec<Value> {
    value.as_array().expect("a list")
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

fn number(value: &Value) -> u64 {
    value.as_u64().expect("a number that is not negative")
}

#[test]
fn the_summary_has_its_keys_and_its_sums() {
    for_outputs(|out| {
        let summary = read_json(&out.join("summary.json"));
        let expected = [
            "schema",
            "specs",
            "ledger",
            "classes",
            "classes_masking_separate",
            "members",
            "phases",
            "seconds",
            "peak_rss_mib",
            "jobs",
        ];
        for key in expected {
            assert!(keys(&summary).contains(key), "{key}");
        }
        assert_eq!(summary["schema"], 1);
        assert!(summary["seconds"].as_f64().unwrap() > 0.0);
        assert!(number(&summary["jobs"]) >= 1);
        assert!(number(&summary["peak_rss_mib"]) < 4096);
        for phase in list(&summary["phases"]) {
            assert!(!text(&phase["name"]).is_empty() && phase["seconds"].as_f64().unwrap() >= 0.0);
        }
        let specs = list(&summary["specs"]);
        assert_eq!(specs.len(), 1);
        assert_eq!(specs[0]["isa"], "x86");
        assert!(!text(&specs[0]["version"]).is_empty());
        assert!(text(&specs[0]["file"]).starts_with("x86/"));
        let hash = text(&specs[0]["blake3"]);
        assert!(hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()), "{hash}");

        // Every entry is in exactly one place.
        assert_eq!(keys(&summary["ledger"]), BTreeSet::from(["x86"]));
        let counts = &summary["ledger"]["x86"];
        let excluded: u64 = counts["excluded"].as_object().unwrap().values().map(number).sum();
        let entries = number(&counts["entries"]);
        assert_eq!(number(&counts["modelled"]) + excluded + number(&counts["failed"]), entries);
        assert_eq!(number(&specs[0]["entries"]), entries);
        let lines = ledger(out);
        assert_eq!(lines.len() as u64, entries);
        for (status, expected) in
            [("modelled", number(&counts["modelled"])), ("failed", number(&counts["failed"]))]
        {
            let count = lines.iter().filter(|line| line["status"] == status).count();
            assert_eq!(count as u64, expected, "{status}");
        }
        let mut reasons: BTreeMap<&str, u64> = BTreeMap::new();
        for line in lines.iter().filter(|line| line["status"] == "excluded") {
            *reasons.entry(text(&line["reason"])).or_default() += 1;
        }
        let summed: BTreeMap<&str, u64> = counts["excluded"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(reason, count)| (reason.as_str(), number(count)))
            .collect();
        assert_eq!(reasons, summed);

        let members = &summary["members"];
        assert_eq!(
            keys(members),
            BTreeSet::from(["total", "proved_structural", "proved_smt", "up_to_nan", "unknown"])
        );
        let total = number(&members["total"]);
        let proved = number(&members["proved_structural"]) + number(&members["proved_smt"]);
        assert_eq!(total, proved + number(&members["unknown"]));
        assert_eq!(total, number(&counts["modelled"]));

        let classes = read_json(&out.join("classes.json"));
        let of = |proof: &str| {
            let members = list(&classes).iter().flat_map(|class| list(&class["members"]));
            members.filter(|member| member["proof"] == proof).count() as u64
        };
        assert_eq!(of("smt"), number(&members["proved_smt"]));
        let open = list(&classes).iter().flat_map(|class| list(&class["members"]));
        let open = open.filter(|member| member["certificate"] == "up to NaN").count() as u64;
        assert_eq!(open, number(&members["up_to_nan"]));
        for key in ["classes", "classes_masking_separate"] {
            assert_eq!(keys(&summary[key]), BTreeSet::from(COMBINATIONS), "{key}");
            for name in COMBINATIONS {
                let with_x86 = name == "all" || name.contains("x86");
                let expected = if with_x86 { number(&summary[key]["x86"]) } else { 0 };
                assert_eq!(number(&summary[key][name]), expected, "{key}.{name}");
            }
        }
        assert_eq!(number(&summary["classes"]["all"]), list(&classes).len() as u64);
        let separate: usize = list(&classes)
            .iter()
            .map(|class| {
                list(&class["members"])
                    .iter()
                    .map(|member| text(&member["masking"]))
                    .collect::<BTreeSet<_>>()
                    .len()
            })
            .sum();
        assert_eq!(number(&summary["classes_masking_separate"]["all"]), separate as u64);
    });
}

#[test]
fn the_ledger_has_a_line_for_every_entry() {
    for_outputs(|out| {
        let summary = read_json(&out.join("summary.json"));
        let file = text(&summary["specs"][0]["file"]).to_owned();
        let mut ids = BTreeSet::new();
        for line in ledger(out) {
            assert_eq!(line["isa"], "x86");
            let id = text(&line["id"]).to_owned();
            assert!(!id.is_empty());
            match text(&line["status"]) {
                "modelled" => {
                    assert!(line.get("reason").is_none(), "{line}");
                    assert!(ids.insert(id.clone()), "{id} twice");
                }
                "excluded" => assert!(!text(&line["reason"]).is_empty(), "{line}"),
                "failed" => {
                    assert!(
                        !text(&line["reason"]).is_empty() && !text(&line["message"]).is_empty(),
                        "{line}"
                    );
                }
                other => panic!("status {other}"),
            }
            let span = &line["span"];
            assert_eq!(text(&span["file"]), file);
            assert!(number(&span["line"]) >= 1 && number(&span["column"]) >= 1, "{line}");
        }
        let parsed = functions(&out.join("ir/x86.hir"));
        assert_eq!(parsed.keys().cloned().collect::<BTreeSet<_>>(), ids);
    });
}

#[test]
fn classes_have_their_shape_and_hold_every_instruction_once() {
    for_outputs(|out| {
        let parsed = functions(&out.join("ir/x86.hir"));
        let operations = functions(&out.join("autollvm/autollvm.hir"));
        let classes = read_json(&out.join("classes.json"));
        let mut names = BTreeSet::new();
        let mut members_seen = BTreeSet::new();
        for class in list(&classes) {
            assert_eq!(keys(class), BTreeSet::from(["name", "arity", "params", "constraints", "members"]));
            let name = text(&class["name"]);
            assert!(names.insert(name.to_owned()), "{name} twice");
            let params: BTreeSet<&str> = list(&class["params"]).iter().map(text).collect();
            assert_eq!(params.len(), list(&class["params"]).len(), "{name}");
            let operation = &operations[name];
            assert_eq!(operation.args.len() as u64, number(&class["arity"]), "{name}");
            assert!(!list(&class["members"]).is_empty(), "{name}");
            for member in list(&class["members"]) {
                let mut expected =
                    BTreeSet::from(["isa", "id", "form", "params", "args", "masking", "proof", "trust"]);
                let masked = member["masking"] != "none";
                expected.extend(["mask_layout", "mask_arg"].into_iter().filter(|_| masked));
                expected.extend(member.get("pass_arg").map(|_| "pass_arg"));
                let optional = ["part", "rest_is_zero", "memory", "inputs", "certificate"];
                expected.extend(optional.into_iter().filter(|field| member.get(field).is_some()));
                assert_eq!(keys(member), expected);
                assert_eq!(member["isa"], "x86");
                let id = text(&member["id"]);
                assert!(members_seen.insert(id.to_owned()), "{id} twice");
                assert_eq!(keys(&member["params"]), params, "{id}");
                assert!(["none", "merge", "zero"].contains(&text(&member["masking"])), "{id}");
                assert!(["structural", "smt"].contains(&text(&member["proof"])), "{id}");
                assert!(["parsed", "proved", "run"].contains(&text(&member["trust"])), "{id}");
                assert_eq!(list(&member["args"]).len(), operation.args.len(), "{id}");
                for position in list(&member["args"]).iter().filter_map(Value::as_u64) {
                    assert!((position as usize) < parsed[id].args.len(), "{id}");
                }
            }
        }
        assert_eq!(operations.keys().cloned().collect::<BTreeSet<_>>(), names);
        assert_eq!(members_seen, parsed.keys().cloned().collect::<BTreeSet<_>>());
    });
}

#[test]
fn ir_parses_back_and_keeps_the_laws() {
    for_outputs(|out| {
        for path in ["ir/x86.hir", "ir/x86.canonical.hir", "autollvm/autollvm.hir"] {
            let path = out.join(path);
            let text = std::fs::read_to_string(&path).unwrap();
            let mut printed = text.lines().next().unwrap().to_owned() + "\n";
            for function in Function::parse_all(&text).unwrap() {
                function.verify().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                printed.push('\n');
                printed.push_str(&function.to_string());
            }
            assert!(printed == text, "{} prints as it was read", path.display());
        }
    });
}

/// Inputs for each function: many for the few of the samples, few for the many of a vendor's document.
fn rounds(count: usize) -> usize {
    (4000 / count.max(1)).clamp(2, 32)
}

#[test]
fn canonical_functions_compute_what_parsed_ones_do() {
    for_outputs(|out| {
        let parsed = functions(&out.join("ir/x86.hir"));
        let canonical = functions(&out.join("ir/x86.canonical.hir"));
        assert!(canonical.len() * 10 > parsed.len() * 8, "{} of {}", canonical.len(), parsed.len());
        let mut random = Random::new(1);
        for (id, canonical_form) in &canonical {
            let function = &parsed[id];
            let [left, right] = [function, canonical_form].map(|function| Program::new(function).unwrap());
            for _ in 0..rounds(canonical.len()) {
                let args = random.arguments(function);
                assert_eq!(left.run(&args), right.run(&args), "{id} of {args:x?}");
            }
        }
    });
}

/// The low bits of a value, or the value with zeros above.
fn resized(value: &Bits, width: u32) -> Bits {
    Bits::from_words(width, value.words().iter().copied())
}

#[test]
fn members_are_their_class_at_their_parameters() {
    for_outputs(|out| {
        let parsed = functions(&out.join("ir/x86.hir"));
        let operations = functions(&out.join("autollvm/autollvm.hir"));
        let classes = read_json(&out.join("classes.json"));
        let mut random = Random::new(2);
        let (mut compared, mut members) = (0, 0);
        for class in list(&classes) {
            let operation = &operations[text(&class["name"])];
            for member in list(&class["members"]) {
                let id = text(&member["id"]);
                members += 1;
                let values: Vec<i64> = operation
                    .params
                    .iter()
                    .map(|param| {
                        member["params"][&param.name]
                            .as_i64()
                            .unwrap_or_else(|| panic!("{id}: {}", param.name))
                    })
                    .collect();
                operation.verify_with(&values).unwrap_or_else(|error| panic!("{id}: {error}"));
                let instance = instantiate(operation, &values).unwrap();
                instance.verify().unwrap_or_else(|error| panic!("{id}: {error}"));
                let positions: Option<Vec<usize>> =
                    list(&member["args"]).iter().map(|arg| Some(arg.as_u64()? as usize)).collect();
                let (Some(positions), "none", None) =
                    (positions, text(&member["masking"]), member.get("part"))
                else {
                    continue;
                };
                compared += 1;
                // A class leaves the choice among NaNs open.
                let function = &*open_nans(&parsed[id]);
                let [left, right] = [function, &instance].map(|function| Program::new(function).unwrap());
                for _ in 0..rounds(parsed.len()) {
                    let args = random.arguments(function);
                    let permuted: Vec<Bits> = positions
                        .iter()
                        .zip(&instance.args)
                        .map(|(position, arg)| {
                            resized(&args[*position], arg.width.as_constant().unwrap().try_into().unwrap())
                        })
                        .collect();
                    let expected = left.run(&args).unwrap();
                    let given = right.run(&permuted).unwrap();
                    assert_eq!(given.len(), expected.len(), "{id}");
                    for (given, expected) in given.iter().zip(&expected) {
                        assert_eq!(resized(given, expected.width()), *expected, "{id} of {args:x?}");
                    }
                }
            }
        }
        assert!(compared * 3 > members, "{compared} of {members}");
    });
}

#[test]
fn generated_files_say_what_made_them_and_nothing_of_the_machine() {
    for_outputs(|out| {
        let folder: PathBuf = out.parent().unwrap().canonicalize().unwrap();
        let hints = [folder.to_string_lossy().into_owned(), repository().to_string_lossy().into_owned()];
        for (name, contents) in timeless_files(out) {
            if !name.ends_with(".json") && !name.ends_with(".jsonl") {
                let first = contents.lines().next().unwrap_or_default();
                assert!(first.contains(" by `cargo xtask generate-ir`"), "{name}: {first}");
            }
            for hint in &hints {
                assert!(!contents.contains(hint.as_str()), "{name} has {hint}");
            }
            // Pseudocode is the vendor's.
            assert!(!contents.contains(":="), "{name}");
            assert!(contents.ends_with('\n'), "{name}");
        }
    });
}
