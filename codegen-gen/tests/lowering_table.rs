//! A row of the TableGen table says all that the JSON table says of how a member uses its operation: a reader of only
//! the row can lower correctly.

#[path = "../../autoir/tests/samples/mod.rs"]
mod samples;

use autoir::{Dialect, Dictionary, Reviews};
use catalog::Source;
use codegen_gen::{Options, generate};
use memo::Memo;
use serde_json::{Map, Value, json};

/// A row of the TableGen file: `Args`, `Masking`, then `Mask`, `PassThrough` and `Rest`.
struct Row {
    instance: String,
    intrinsic: String,
    args: String,
    masking: String,
    positions: [u64; 3],
}

fn rows(table: &str) -> Vec<Row> {
    let rows = table.split("\ndef : AutoLLVMLoweringRecord<").skip(1);
    rows.map(|row| {
        let pieces: Vec<&str> = row.split('"').collect();
        let positions = pieces[8].split(", ").filter_map(|word| word.parse().ok());
        Row {
            instance: pieces[1].to_owned(),
            intrinsic: pieces[3].to_owned(),
            args: pieces[5].to_owned(),
            masking: pieces[7].to_owned(),
            positions: positions.collect::<Vec<u64>>().try_into().unwrap(),
        }
    })
    .collect()
}

fn number(text: &str) -> Value {
    json!(text.parse::<u64>().unwrap_or_else(|_| panic!("{text} is no number")))
}

/// An argument as `lowering.json` has it.
fn argument(word: &str) -> Value {
    if let Some(constant) = word.strip_prefix("=0x") {
        return json!({"constant": constant.split(':').next()});
    }
    if let Some((position, lanes)) = word.split_once('?') {
        let (mask, lane) = lanes.split_once('/').unwrap();
        let (lane, inactive) = lane.split_once(":0x").unwrap();
        return json!({"masked": number(position), "mask": number(mask), "lane": number(lane), "inactive": inactive});
    }
    let Some(broadcast) = word.strip_prefix('*') else { return number(word) };
    let (position, slice) = broadcast.split_once('[').unwrap();
    let (slice, stride) = slice.split_once("]/").unwrap();
    let (low, width) = slice.split_once(':').unwrap();
    let mut fields = Map::new();
    let mut low = low;
    if let Some((first, lane)) = low.split_once('+') {
        low = first;
        fields.insert("lane".to_owned(), number(lane.strip_prefix(&format!("{width}*%")).unwrap()));
    }
    for (name, value) in [("broadcast", position), ("low", low), ("width", width), ("stride", stride)] {
        fields.insert(name.to_owned(), number(value));
    }
    Value::Object(fields)
}

/// Masking, part and rest as `lowering.json` has them, for results with elements of `element` bits.
fn modifiers(row: &Row, element: u64) -> [Value; 3] {
    let [mask, pass_through, rest] = row.positions.map(|position| match position {
        255 => Value::Null,
        position => json!(position),
    });
    let mut masking = json!({"kind": "none"});
    let (mut part, mut rest_is_zero) = (Value::Null, Value::Null);
    for word in row.masking.split(',') {
        if let Some(place) = word.strip_prefix("part:") {
            let (low, width) = place.split_once('+').unwrap();
            part = json!({"low": number(low), "width": number(width), "pass_through": rest});
            continue;
        }
        if word == "rest:zero" {
            rest_is_zero = json!(true);
            continue;
        }
        // Operands in memory.
        if ["load:", "store:", "gather:", "scatter:"].iter().any(|access| word.starts_with(access)) {
            continue;
        }
        let mut pieces: Vec<&str> = word.split(':').collect();
        let negated = pieces.last() == Some(&"not");
        pieces.truncate(pieces.len() - usize::from(negated));
        masking["kind"] = json!(pieces[0]);
        if pieces[0] == "none" {
            continue;
        }
        let (stride, lane) = match pieces[1..] {
            [] => (json!(1), json!(element)),
            [stride, lane] => (number(stride), number(lane)),
            _ => panic!("{word}"),
        };
        masking["layout"] = json!({"stride": stride, "lane": lane, "negated": negated});
    }
    for (name, position) in [("mask", mask), ("pass_through", pass_through)] {
        if !position.is_null() {
            masking[name] = position;
        }
    }
    [masking, part, rest_is_zero]
}

/// The width of an element of an LLVM type: `<16 x i8>` or `i32`.
fn element(ty: &str) -> u64 {
    ty.trim_end_matches('>').rsplit_once('i').unwrap().1.parse().unwrap()
}

fn tables() -> (Vec<Row>, Vec<Value>) {
    let (dialect, _) =
        Dialect::build(samples::classes(), Dictionary::default(), &Reviews::default()).unwrap();
    let files = generate(&dialect, &Options::default(), &Memo::default()).unwrap();
    let file = |path: &str| &files.iter().find(|file| file.path == path).unwrap().contents;
    let json: Value = serde_json::from_str(file("llvm/lowering.json")).unwrap();
    (rows(file("llvm/AutoLLVMLowering.td")), json["lowerings"].as_array().unwrap().clone())
}

#[test]
fn a_row_says_what_the_json_row_says() {
    let (rows, lowerings) = tables();
    assert_eq!(rows.len(), lowerings.len());
    for (row, lowering) in rows.iter().zip(&lowerings) {
        let name = &row.intrinsic;
        assert_eq!(
            [&row.instance, name].map(|word| json!(word)),
            [lowering["instance"].clone(), lowering["intrinsic"].clone()]
        );
        let args: Vec<Value> = row.args.split(',').filter(|word| !word.is_empty()).map(argument).collect();
        assert_eq!(json!(args), lowering["args"], "{name}");
        let [masking, part, rest_is_zero] =
            modifiers(row, element(lowering["types"]["results"][0].as_str().unwrap()));
        assert_eq!(masking, lowering["masking"], "{name}");
        assert_eq!(part, lowering["part"], "{name}");
        assert_eq!(rest_is_zero, lowering["rest_is_zero"], "{name}");
    }
}

/// The samples have a member for each modifier, so that the test above sees all of them.
#[test]
fn the_samples_have_every_modifier() {
    let members: Vec<autoir::Member> =
        samples::classes().into_iter().flat_map(|class| class.members).collect();
    let layouts = || members.iter().filter_map(|member| member.application.masking);
    assert!(members.iter().any(|member| member.application.part.is_some()));
    assert!(tables().1.iter().any(|lowering| lowering["rest_is_zero"] == true));
    assert!(layouts().any(|layout| layout.negated));
    assert!(layouts().any(|layout| layout.stride != 1));
    assert!(layouts().any(|layout| layout.stride == 1 && !layout.negated));
    let mut sources = members.iter().flat_map(|member| &member.application.args);
    assert!(sources.clone().any(|source| matches!(source, Source::Constant(_))));
    assert!(sources.clone().any(|source| matches!(source, Source::Masked(_))));
    assert!(sources.any(|source| matches!(source, Source::Broadcast { .. })));
}

/// A lookup of the plain operation, or with a plain mask, must not return a member with additional behaviour.
#[test]
fn plain_words_are_plain_members() {
    let (rows, lowerings) = tables();
    for (row, lowering) in rows.iter().zip(&lowerings) {
        let layout = &lowering["masking"]["layout"];
        let element = element(lowering["types"]["results"][0].as_str().unwrap());
        let plain = layout.is_null() || *layout == json!({"stride": 1, "lane": element, "negated": false});
        let plain = plain && lowering["part"].is_null() && lowering["rest_is_zero"].is_null();
        let plain = plain && lowering["memory"].is_null();
        assert_eq!(["none", "zero", "merge"].contains(&row.masking.as_str()), plain, "{}", row.intrinsic);
    }
}
