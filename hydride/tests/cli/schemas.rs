//! The JSON files conform to their schemas, and the schemas are not trivial.

use std::path::Path;

use crate::support::*;
use serde_json::{Value, json};

fn validator(out: &Path, name: &str) -> jsonschema::Validator {
    let schema = read_json(&out.join(format!("schemas/{name}.schema.json")));
    jsonschema::draft202012::meta::validate(&schema).unwrap_or_else(|error| panic!("{name}: {error}"));
    jsonschema::draft202012::new(&schema).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[track_caller]
fn valid(validator: &jsonschema::Validator, value: &Value, what: &str) {
    let errors: Vec<String> = validator
        .iter_errors(value)
        .take(5)
        .map(|error| format!("{}: {error:.300}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{what}: {}", errors.join("\n"));
}

#[test]
fn outputs_are_what_their_schemas_say() {
    for specs in document_folders() {
        let out = shared_output(&specs, ALL);
        for (name, file) in [
            ("dictionary", "dictionary.json"),
            ("classes", "classes.json"),
            ("lowering", "llvm/lowering.json"),
            ("summary", "summary.json"),
        ] {
            valid(&validator(&out, name), &read_json(&out.join(file)), file);
        }
        let line = validator(&out, "ledger");
        for entry in ledger(&out) {
            valid(&line, &entry, "ledger.jsonl");
        }
        let dictionary = read_json(&out.join("dictionary.json"));
        let classes = read_json(&out.join("classes.json"));
        let functions = functions(&out.join("autollvm/autollvm.hir"));
        let operations = dictionary["operations"].as_array().expect("operations");
        assert_eq!(operations.len(), functions.len());
        for (operation, class) in operations.iter().zip(classes.as_array().expect("classes")) {
            let name = operation["name"].as_str().expect("a name");
            assert_eq!(class["name"], name);
            let text = operation["function"].as_str().expect("a function");
            assert_eq!(text, functions[name].to_string());
            let (own, members) = (&operation["members"], class["members"].as_array().expect("members"));
            assert_eq!(own.as_array().expect("members").len(), members.len());
            for (own, member) in own.as_array().into_iter().flatten().zip(members) {
                for field in ["isa", "id", "params", "args", "proof"] {
                    assert_eq!(own[field], member[field], "{name}: {field}");
                }
                assert_eq!(own["masking"]["kind"], member["masking"]);
                // `null` where there is none.
                assert_eq!(own["masking"]["mask"], member["mask_arg"], "{name}");
                assert_eq!(own["masking"]["pass_through"], member["pass_arg"], "{name}");
            }
        }
    }
}

#[test]
fn schemas_refuse_what_is_wrong() {
    let out = shared_output(&samples(), ALL);
    let dictionary = read_json(&out.join("dictionary.json"));
    let schema = validator(&out, "dictionary");
    let changes: [(&str, Value); 6] = [
        ("/schema", json!(2)),
        ("/operations/0/name", json!("Not A Name")),
        ("/operations/0/function", json!("")),
        ("/operations/0/members", json!([])),
        ("/operations/0/members/0/args/0", json!({"constant": "xyz"})),
        ("/operations/0/members/0/types/results/0", json!("<4 i32>")),
    ];
    for (place, wrong) in changes {
        let mut changed = dictionary.clone();
        *changed.pointer_mut(place).unwrap_or_else(|| panic!("{place}")) = wrong;
        assert!(!schema.is_valid(&changed), "{place}");
    }
    // A mask without its place, and the place of a mask where there is none.
    let classes = read_json(&out.join("classes.json"));
    let schema = validator(&out, "classes");
    let members = |masked: bool| {
        let member = |(class, member): (usize, &Value)| {
            let position =
                member["members"].as_array()?.iter().position(|m| (m["masking"] != "none") == masked)?;
            Some(format!("/{class}/members/{position}"))
        };
        let found = classes.as_array().into_iter().flatten().enumerate().find_map(member);
        found.expect("a member with and one without a mask")
    };
    for (place, mask) in [(members(true), Value::Null), (members(false), json!(0))] {
        let mut changed = classes.clone();
        let member = changed.pointer_mut(&place).and_then(Value::as_object_mut).expect("a member");
        member.remove("mask_arg");
        if !mask.is_null() {
            member.insert("mask_arg".to_owned(), mask);
        }
        assert!(!schema.is_valid(&changed), "{place}");
    }
    let line = validator(&out, "ledger");
    let excluded = json!({"isa": "x86", "id": "a", "status": "excluded"});
    assert!(!line.is_valid(&excluded), "a reason is missing");
}
