//! What is known about the vendor's document; skipped if it is not available.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::*;

/// Entries with this version of the document.
const ENTRIES_3_6_9: u64 = 7146;

/// Names of the integer operations on registers that are modelled at least.
const MODELLED: usize = 2760;

/// Attribute values of tags that open with `<tag`.
fn attributes<'a>(entry: &'a str, tag: &str, name: &str) -> Vec<&'a str> {
    let open = format!("<{tag} ");
    let key = format!(" {name}=\"");
    entry
        .match_indices(&open)
        .filter_map(|(start, _)| {
            let tag = &entry[start..start + entry[start..].find('>')?];
            let value = &tag[tag.find(&key)? + key.len()..];
            Some(&value[..value.find('"')?])
        })
        .collect()
}

fn is_integer_type(name: &str) -> bool {
    let name: Vec<&str> = name.split_whitespace().filter(|word| *word != "const").collect();
    match name[..] {
        [name] => {
            matches!(name, "__m64" | "__m128i" | "__m256i" | "__m512i" | "char" | "short" | "int" | "long")
                || ["__mmask", "__int", "_MM_", "uint", "int"].iter().any(|start| name.starts_with(start))
                || name == "unsigned"
        }
        ["unsigned", name] => is_integer_type(name),
        ["long", "long"] => true,
        ["unsigned", "long", "long"] => true,
        _ => false,
    }
}

/// Names of the entries that compute with integers from registers to a register, judged only by the
/// document's types: no pointers, no floating-point elements, an operation.
fn integer_names(document: &str) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    for entry in document.split("<intrinsic ").skip(1) {
        let entry = &entry[..entry.find("</intrinsic>").unwrap_or(entry.len())];
        let types = [attributes(entry, "return", "type"), attributes(entry, "parameter", "type")].concat();
        let elements =
            [attributes(entry, "return", "etype"), attributes(entry, "parameter", "etype")].concat();
        let void = |name: &&&str| name.trim() == "void";
        if attributes(entry, "return", "type").iter().any(|name| name.trim() == "void")
            || types.iter().filter(|name| !void(name)).any(|name| !is_integer_type(name))
            || elements.iter().any(|element| element.starts_with("FP") || element.starts_with("BF"))
            || !entry.contains("<operation")
            || entry.contains("MEM[")
        {
            continue;
        }
        let name = &entry[entry.find("name=\"").expect("a name") + 6..];
        names.insert(&name[..name.find('"').expect("an end")]);
    }
    names
}

#[test]
fn nearly_every_integer_operation_is_modelled() {
    let Some(specs) = vendor_documents() else { return };
    let out = shared_output(&specs, "x86");
    let summary = read_json(&out.join("summary.json"));
    let spec = &summary["specs"][0];
    let newest = files(&specs.join("x86")).into_keys().filter(|name| name.ends_with(".xml")).max().unwrap();
    assert_eq!(spec["file"], format!("x86/{newest}"));
    if spec["version"] != "3.6.9" {
        skip(&format!("the numbers are those of version 3.6.9, not {}", spec["version"]));
        return;
    }
    let counts = &summary["ledger"]["x86"];
    let excluded: u64 =
        counts["excluded"].as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum();
    let sum = counts["modelled"].as_u64().unwrap() + excluded + counts["failed"].as_u64().unwrap();
    assert_eq!((sum, counts["entries"].as_u64()), (ENTRIES_3_6_9, Some(ENTRIES_3_6_9)));

    let document = std::fs::read_to_string(specs.join("x86").join(newest)).unwrap();
    let names = integer_names(&document);
    assert!((2800..2900).contains(&names.len()), "{} integer names", names.len());
    let status: BTreeMap<String, String> = ledger(&out)
        .into_iter()
        .map(|line| {
            (line["id"].as_str().unwrap().to_owned(), format!("{} {}", line["status"], line["reason"]))
        })
        .collect();
    let missing: Vec<String> = names
        .iter()
        .filter(|name| !status[**name].contains("modelled"))
        .map(|name| format!("{name}: {}", status[*name]))
        .collect();
    assert!(names.len() - missing.len() >= MODELLED, "not modelled:\n{}", missing.join("\n"));
}

#[test]
fn instructions_meet_and_stay_apart() {
    let Some(specs) = vendor_documents() else { return };
    let out = shared_output(&specs, "x86");
    let classes = read_json(&out.join("classes.json"));
    let class = |id: &str| class_of(&classes, id);
    for together in [
        &["_mm256_unpackhi_epi16", "_mm512_unpacklo_epi8"][..],
        &["_mm512_mask_blend_epi8", "_mm512_mask_mov_epi8"],
        &["_mm512_add_epi16", "_mm256_add_epi8", "_mm512_maskz_add_epi8", "_mm_add_epi64"],
        &["_mm_adds_epi8", "_mm512_adds_epu16"],
    ] {
        for id in together {
            assert_eq!(class(id), class(together[0]), "{id} and {}", together[0]);
        }
    }
    for (one, other) in [
        ("_mm_adds_epi8", "_mm_add_epi8"),
        ("_mm_avg_epu8", "_mm_add_epi8"),
        ("_mm_sub_epi8", "_mm_add_epi8"),
        ("_mm_max_epi8", "_mm_min_epi8"),
    ] {
        assert_ne!(class(one), class(other), "{one} and {other}");
    }
}

/// Whatever is available: all documents, or those from packages.
#[test]
fn no_entry_fails_and_every_instruction_set_has_operations() {
    for specs in vendor_documents::with(&["x86"]) {
        let summary = read_json(&shared_output(&specs, ALL).join("summary.json"));
        for (isa, counts) in summary["ledger"].as_object().unwrap() {
            assert_eq!(counts["failed"], 0, "{isa} in {}", specs.display());
            assert!(counts["modelled"].as_u64().unwrap() > 0, "{isa} in {}", specs.display());
            assert!(summary["classes"][isa].as_u64().unwrap() > 0, "{isa} in {}", specs.display());
        }
        assert_eq!(summary["members"]["unknown"], 0, "{}", specs.display());
    }
}
