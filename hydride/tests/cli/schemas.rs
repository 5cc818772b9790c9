//! The JSON files conform to their schemas, and the schemas are not trivial.

use std::collections::BTreeMap;
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
        let functions = functions(&out.join("autollvm/forms.hir"));
        let operations = dictionary["operations"].as_array().expect("operations");
        assert_eq!(operations.len(), functions.len());
        let list = |value: &Value| value.as_array().expect("a list").clone();
        let mut members = BTreeMap::new();
        for class in list(&classes) {
            for member in list(&class["members"]) {
                let id = (member["isa"].to_string(), member["id"].to_string());
                members.insert(id, (class["name"].clone(), member));
            }
        }
        for operation in operations {
            let name = operation["name"].as_str().expect("a name");
            let text = operation["function"].as_str().expect("a function");
            assert_eq!(text, functions[name].to_string());
            for own in list(&operation["members"]) {
                let id = (own["isa"].to_string(), own["id"].to_string());
                let (family, member) = members.remove(&id).expect("a member of one operation");
                assert_eq!((&operation["family"], &operation["name"]), (&family, &member["form"]));
                assert_eq!(own["proof"], member["proof"], "{name}");
                // A form takes an immediate where its family takes copies of it, and none where all of its members fix it.
                let source = |source: &Value| source.as_u64().or_else(|| source["broadcast"].as_u64());
                let sources = |row: &Value| list(&row["args"]).iter().filter_map(source).collect::<Vec<_>>();
                assert_eq!(sources(&own), sources(&member), "{name}");
                assert_eq!(own["masking"]["kind"], member["masking"]);
                // `null` where there is none.
                assert_eq!(own["masking"]["mask"], member["mask_arg"], "{name}");
                assert_eq!(own["masking"]["pass_through"], member["pass_arg"], "{name}");
            }
        }
        assert!(members.is_empty(), "{members:?}");
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
