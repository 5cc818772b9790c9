//! `hydride diff` on documents of Arm and HVX: texts, errata, and the sources that describe one instruction set.

use std::fmt::Write as _;
use std::path::Path;

use crate::support::*;
use serde_json::Value;

fn json(folder: &Path, args: &[&str], code: i32) -> Value {
    let mut all = vec!["diff", "--format", "json"];
    all.extend(args);
    serde_json::from_str(&hydride(folder, &all).exits(code).stdout).expect("JSON")
}

fn list<'a>(report: &'a Value, part: &str) -> &'a Vec<Value> {
    report[part].as_array().expect("a list")
}

fn change<'a>(report: &'a Value, id: &str) -> &'a Value {
    let found = list(report, "changes").iter().find(|change| change["id"] == id);
    found.unwrap_or_else(|| panic!("{id} is not in {report}"))
}

/// Copies one instruction set's samples.
fn copy(isa: &str, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for (name, text) in files(&samples().join(isa)) {
        std::fs::write(to.join(name), text).expect("a file");
    }
}

fn edit(path: &Path, from: &str, to: &str) {
    let text = std::fs::read_to_string(path).expect("a file");
    assert!(text.contains(from), "{}: {from}", path.display());
    std::fs::write(path, text.replace(from, to)).expect("a file");
}

fn erratum(isa: &str, entry: &str, change: &str) -> String {
    format!(
        "isa = \"{isa}\"\n[[erratum]]\nentry = \"{entry}\"\n{change}\nevidence = {{ cpu = \"one\", inputs = 10 }}\n\
         note = \"own\"\n"
    )
}

/// Exchanges the registers of the two arguments of an entry of `intrinsics.json`.
fn exchange(folder: &Path, entry: &str) {
    let path = folder.join("intrinsics.json");
    let mut entries = read_json(&path);
    let own = entries.as_array_mut().expect("entries").iter_mut().find(|own| own["name"] == entry);
    let places = &mut own.expect("the entry")["Arguments_Preparation"];
    let (a, b) = (places["a"].take(), places["b"].take());
    (places["a"], places["b"]) = (b, a);
    std::fs::write(&path, entries.to_string()).expect("a file");
}

#[test]
fn texts_and_errata_of_arm() {
    let folder = scratch();
    let folder = folder.path();
    let (old, new) = (folder.join("old"), folder.join("new"));
    copy("arm", &old);
    copy("arm", &new);
    // The old document has the arguments in the wrong registers and the new one has it right; another body is written otherwise.
    exchange(&old, "vsubq_u8");
    edit(&new.join("arch_instrs.asl"), "bits(total) sum;", "bits(total) sum = Zeros(total);");
    let inputs = ["old/intrinsics.json", "new/intrinsics.json"];
    let flags = |flag: &'static [&'static str]| [flag, &inputs].concat();
    let plain = json(folder, &flags(&["--no-errata"]), 1);
    let wrong = change(&plain, "vsubq_u8");
    assert_eq!((&wrong["meaning"], &wrong["text_differs"]), (&"different".into(), &true.into()));
    let rewritten = change(&plain, "vadd_s16");
    assert_eq!((&rewritten["meaning"], &rewritten["text_differs"]), (&"same".into(), &true.into()));
    assert!(list(&plain, "changes").iter().all(|change| change["id"] != "vabs_s8"), "{plain}");
    assert!(list(&plain, "errata").is_empty());

    let own = erratum("arm", "vsubq_u8", "exchange = [\"a\", \"b\"]");
    std::fs::write(folder.join("own.toml"), own).expect("a file");
    let report = json(folder, &flags(&["--errata", "own.toml"]), 1);
    let settled = &list(&report, "errata")[0];
    assert_eq!((&settled["entry"], &settled["old"]), (&"vsubq_u8".into(), &"applied".into()));
    assert_eq!((&settled["settled"], &settled["isa"]), (&true.into(), &"arm".into()), "{settled}");
    let right = change(&report, "vsubq_u8");
    assert_eq!((&right["meaning"], &right["erratum"]), (&"same".into(), &"old".into()));
}

#[test]
fn texts_and_errata_of_hvx() {
    let folder = scratch();
    let folder = folder.path();
    let (old, new) = (folder.join("old"), folder.join("new"));
    copy("hvx", &old);
    copy("hvx", &new);
    // Only the manuals, next to the prototypes.
    edit(&old.join("hvx-prm.json"), "Vd.b[n] = sum;", "Vd.b[n] = sum + 1;");
    edit(&new.join("hvx-prm.json"), "sum = 1 + Vv.ub[n]", "sum = Vv.ub[n] + 1");
    let inputs = ["old/hvx-prm.json", "new/hvx-prm.json"];
    let flags = |flag: &'static [&'static str]| [flag, &inputs].concat();
    let plain = json(folder, &flags(&["--no-errata"]), 1);
    assert_eq!(change(&plain, "V6_vaddb")["meaning"], "different");
    let rewritten = change(&plain, "V6_vavgubrnd");
    assert_eq!((&rewritten["meaning"], &rewritten["text_differs"]), (&"same".into(), &true.into()));
    assert_eq!(list(&plain, "changes").len(), 2, "{plain}");

    let fragment = "fragment = [{ of = \"pseudocode\", was = \"= sum + 1;\", now = \"= sum;\" }]";
    std::fs::write(folder.join("own.toml"), erratum("hvx", "V6_vaddb", fragment)).expect("a file");
    let report = json(folder, &flags(&["--errata", "own.toml"]), 1);
    let settled = &list(&report, "errata")[0];
    assert_eq!((&settled["entry"], &settled["old"]), (&"V6_vaddb".into(), &"applied".into()));
    assert_eq!(settled["settled"], true, "{settled}");
    assert_eq!(change(&report, "V6_vaddb")["meaning"], "same");
    // Where the semantics file gives the meaning no erratum is of use.
    let both = json(folder, &["--errata", "own.toml", "old/hvx-prm.json", "old/ext.idef"], 1);
    assert!(list(&both, "errata").iter().all(|change| change["old"] == "applied"));
    // Texts of two kinds are not compared.
    assert!(list(&both, "changes").iter().all(|change| change["text_differs"].is_null()), "{both}");
    // The text of the semantics file.
    edit(&new.join("ext.idef"), "fVFOREACH(8", "fVFOREACH( 8");
    hydride(folder, &["diff", "old/ext.idef", "new/ext.idef"]).exits(0);
}

/// The older page's block of an entry of the two-file form.
fn block(entry: &Value, operation: &str) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let strings =
        |value: &Value| -> Vec<String> { value.as_array().into_iter().flatten().map(text).collect() };
    let mut preparation = String::new();
    for (name, place) in entry["Arguments_Preparation"].as_object().expect("places") {
        let _ = match place.get("register") {
            Some(register) => writeln!(preparation, "{name} &rarr; {}<br />", text(register)),
            None => writeln!(
                preparation,
                "{} &lt;&lt; {name} &lt;&lt; {}<br />",
                text(&place["minimum"]),
                text(&place["maximum"])
            ),
        };
    }
    let results: Vec<String> = (entry["results"].as_array().expect("results").iter())
        .flat_map(|result| result.as_object().expect("a result"))
        .map(|(register, part)| format!("{register} &rarr; {}", text(part)))
        .collect();
    format!(
        "<div class=\"intrinsic\"><label><div>{} <b>{}</b> ({})<span>x</span></div></label><article>\
         <h4>A64 Instruction</h4><pre>{} {}</pre><h4>Argument Preparation</h4><pre>{preparation}</pre>\
         <h4>Results</h4><pre>{}</pre><h4>Operation</h4><pre>{operation}</pre>\
         <h4>Supported architectures</h4><p>v7/A64</p></article></div>\n",
        text(&entry["return_type"]["value"]),
        text(&entry["name"]),
        strings(&entry["arguments"]).join(", "),
        strings(&entry["base_instruction"]).join("\n"),
        text(&entry["operands"]),
        results.join("\n"),
    )
}

/// The samples of Arm with an older page that says the same of one entry, and of another one something else.
fn with_page(folder: &Path) {
    copy("arm", &folder.join("arm"));
    let entries = read_json(&folder.join("arm/intrinsics.json"));
    let find = |name: &str| {
        let found = entries.as_array().expect("entries").iter().find(|entry| entry["name"] == name);
        found.expect("the entry").clone()
    };
    let sum = |operator: &str| {
        format!(
            "bits(datasize) operand1 = V[n];\nbits(datasize) operand2 = V[m];\nbits(datasize) total;\n\
             for e = 0 to elements-1\n    Elem[total, e, esize] = Elem[operand1, e, esize] {operator} \
             Elem[operand2, e, esize];\nV[d] = total;\n"
        )
    };
    let text = block(&find("vadd_s16"), &sum("+")) + &block(&find("vsubq_u8"), &sum("+"));
    std::fs::write(folder.join("arm/arm-intrinsics.html"), format!("<html><body>\n{text}</body></html>\n"))
        .expect("a file");
}

#[test]
fn the_older_page_is_an_input_and_a_source() {
    let folder = scratch();
    let folder = folder.path();
    with_page(folder);
    let by_file = json(folder, &["arm/arm-intrinsics.html", "arm/intrinsics.json"], 1);
    assert!(by_file["old"]["kind"].as_str().expect("a kind").contains("page"), "{by_file}");
    let by_name = json(folder, &["--sources=page,asl", "--isa", "arm", "--specs", "."], 1);
    for report in [&by_file, &by_name] {
        assert_eq!(change(report, "vsubq_u8")["meaning"], "different");
        // Said in other words, and proved to be the same.
        assert!(
            list(report, "changes")
                .iter()
                .all(|change| { change["id"] != "vadd_s16" || change["meaning"] == "same" })
        );
        assert_eq!(list(report, "removed").len(), 0);
        assert!(list(report, "added").iter().all(|added| added["id"] != "vadd_s16"));
    }
    // What is joined of the page says what the page says, in its very words.
    std::fs::create_dir_all(folder.join("joined/arm")).expect("a folder");
    let page = folder.join("arm/arm-intrinsics.html");
    std::fs::copy(&page, folder.join("joined/arm/arm-intrinsics.html")).expect("a copy");
    hydride(folder, &["join-arm", "--specs", "joined"]).exits(0);
    hydride(folder, &["diff", "joined/arm/arm-intrinsics.html", "joined/arm/intrinsics.json"]).exits(0);
    hydride(folder, &["diff", "joined", "joined/arm/arm-intrinsics.html"]).exits(0);
    // Sources that there are not.
    let sources = |names: &'static str| ["diff", names, "--isa", "arm", "--specs", "."];
    hydride(folder, &sources("--sources=page,manual"))
        .exits(2)
        .complains(&["manual", "operations, asl, page"]);
    hydride(folder, &sources("--sources=page")).exits(2);
    std::fs::remove_file(page).expect("the page");
    hydride(folder, &sources("--sources=page,asl")).exits(3).complains(&["arm-intrinsics.html"]);
}

/// The vendor's documents, where they are: every entry that the page and the JSON files with ASL both model is proved to
/// mean the same in both, and none is undecided.
#[test]
fn the_vendors_page_means_what_the_asl_means() {
    let needed = ["arm/arm-intrinsics.html", "arm/intrinsics.json", "arm/arch_instrs.asl", "arm/arch.asl"];
    let Some(specs) = vendor_documents::with(&needed).into_iter().next() else { return };
    let folder = scratch();
    let specs = specs.to_string_lossy();
    let report = json(folder.path(), &["--sources=page,asl", "--isa", "arm", "--specs", &specs], 1);
    let of =
        |meaning: &str| list(&report, "changes").iter().filter(|change| change["meaning"] == meaning).count();
    note(&format!("{} the same, {} different, {} unknown", of("same"), of("different"), of("unknown")));
    assert_eq!((of("different"), of("unknown")), (0, 0));
}
