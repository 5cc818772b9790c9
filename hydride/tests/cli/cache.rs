//! The proof cache changes how long a run takes, and nothing else.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::support::*;
use serde_json::Value;

/// A run with a cache: what it wrote but for times, what it said, and the names of its phases.
struct Cached {
    files: BTreeMap<String, String>,
    stderr: String,
    phases: Vec<String>,
}

fn run(folder: &Path, specs: &Path, extra: &[&str]) -> Cached {
    let specs = specs.to_string_lossy();
    let mut args = vec!["generate-ir", "--specs", &specs];
    if !extra.iter().any(|arg| arg.starts_with("--cache") || *arg == "--no-cache") {
        args.extend(["--cache", "kept.redb"]);
    }
    args.extend(extra);
    let run = hydride(folder, &args).exits(0);
    let out = folder.join("out");
    let summary = read_json(&out.join("summary.json"));
    let phases = summary["phases"].as_array().unwrap().iter();
    Cached {
        files: files_without_history(&out),
        stderr: run.stderr,
        phases: phases.map(|phase| phase["name"].as_str().unwrap().to_owned()).collect(),
    }
}

impl Cached {
    /// Whether the run only found that nothing had changed.
    fn only_compared(&self) -> bool {
        self.phases == ["read", "compare"]
    }
}

#[test]
fn warm_runs_write_the_same_bytes_for_any_number_of_threads() {
    // What packages hold of the documents exercises nothing more.
    for specs in [samples()].into_iter().chain(vendor_documents().filter(|_| is_full())) {
        let folder = scratch();
        let folder = folder.path();
        let summary = |out: &Path| {
            let mut summary = read_json(&out.join("summary.json"));
            for timed in ["phases", "seconds", "peak_rss_mib", "jobs"] {
                assert!(summary.as_object_mut().unwrap().remove(timed).is_some());
            }
            summary
        };
        // Without a cache, on as many threads as there are processors.
        let cold = shared_output(&specs, ALL);
        let (cold, cold_summary) = (files_without_history(&cold), summary(&cold));
        let out = folder.join("out");
        let filling = run(folder, &specs, &["--jobs", "1"]);
        assert!(!filling.only_compared());
        let compared = run(folder, &specs, &["--jobs", "8"]);
        assert!(compared.only_compared(), "{:?}", compared.phases);
        assert_eq!(summary(&out), cold_summary);
        // Without the outputs everything is made again, from the proofs that are kept.
        std::fs::remove_dir_all(&out).unwrap();
        let warm = run(folder, &specs, &["--jobs", "8"]);
        assert!(!warm.only_compared());
        assert_eq!(summary(&out), cold_summary);
        for (name, other) in [("filling", &filling), ("compared", &compared), ("warm", &warm)] {
            assert!(other.files == cold, "{name}");
        }
    }
}

#[test]
fn whatever_changes_is_noticed() {
    let folder = scratch();
    let folder = folder.path();
    let entries = |last: &str| document(&[good_entry("_mm_one"), entry("_mm_two", last)]);
    let specs = specs_with(folder, entries("dst[127:0] := a[127:0] OR b[127:0]"));
    let first = run(folder, &specs, &[]);
    assert!(run(folder, &specs, &[]).only_compared());
    // A document.
    specs_with(folder, entries("dst[127:0] := a[127:0] XOR b[127:0]"));
    let second = run(folder, &specs, &[]);
    assert!(!second.only_compared() && second.files != first.files);
    // And back: the earlier answers, but other outputs are there now.
    specs_with(folder, entries("dst[127:0] := a[127:0] OR b[127:0]"));
    let third = run(folder, &specs, &[]);
    assert!(!third.only_compared() && third.files == first.files);
    assert!(run(folder, &specs, &[]).only_compared());
    // An output that was changed, one that is missing, one too many.
    let path = folder.join("out/ir/x86.hir");
    std::fs::write(&path, "# changed\n").unwrap();
    assert!(run(folder, &specs, &[]).files == first.files);
    std::fs::remove_file(&path).unwrap();
    assert!(run(folder, &specs, &[]).files == first.files);
    std::fs::write(folder.join("out/ir/more.hir"), "").unwrap();
    assert!(run(folder, &specs, &[]).files == first.files);
    assert!(run(folder, &specs, &[]).only_compared());
    // An option that changes outputs, and families.
    assert!(!run(folder, &specs, &["--llvm", "21"]).only_compared());
    assert!(!run(folder, &specs, &[]).only_compared());
    let own = folder.join("own.txt");
    let named = run(folder, &specs, &["--dictionary", "own.txt"]);
    let families = std::fs::read_to_string(&own).unwrap();
    assert!(named.files == first.files);
    std::fs::remove_file(&own).unwrap();
    assert!(run(folder, &specs, &["--dictionary", "own.txt"]).only_compared());
    assert!(
        std::fs::read_to_string(&own).unwrap() == families,
        "the families are written whatever is reused"
    );
}

/// What earlier runs made of everything else is used, and nothing of it is out of date: entries that moved have their new
/// places, those that cannot be read as well.
#[test]
fn a_changed_entry_changes_what_follows_from_it() {
    let text = std::fs::read_to_string(samples().join("x86/sample.xml")).unwrap();
    let broken = entry("_own_broken", "dst[127:0] := a[127:0] +\ndst[7:0] := ");
    let text = text.replace("</intrinsics_list>", &format!("{broken}</intrinsics_list>"));
    let changed = text.replacen("a[127:0] AND b[127:0]", "a[127:0]\n XOR b[127:0]", 1);
    assert!(changed != text && text.contains("_own_broken"));
    let folder = scratch();
    let specs = specs_with(folder.path(), &text);
    let first = run(folder.path(), &specs, &[]);
    let specs = specs_with(folder.path(), &changed);
    let second = run(folder.path(), &specs, &[]);
    let anew = scratch();
    assert!(second.files == run(anew.path(), &specs, &["--no-cache"]).files);
    let differ: Vec<&str> = first
        .files
        .iter()
        .filter(|(path, text)| second.files.get(*path) != Some(text))
        .map(|(path, _)| path.as_str())
        .collect();
    let expected = ["classes.json", "ir/x86.hir", "ledger.jsonl", "llvm/lowering.json", "report/data.js"];
    for path in expected {
        assert!(differ.contains(&path), "{path} is not among {differ:?}");
    }
    let line = |files: &BTreeMap<String, String>| {
        files["ledger.jsonl"].lines().find(|line| line.contains("_own_broken")).map(str::to_owned)
    };
    assert!(
        line(&first.files).is_some() && line(&first.files) != line(&second.files),
        "it is a line further down"
    );
}

/// A document with entries that can be edited.
struct Edited {
    /// The file below the folder of documents.
    path: &'static str,
    /// How two entries begin: the first one is added, the second one deleted.
    entries: [&'static str; 2],
    /// How an entry ends.
    end: &'static str,
    /// What is changed in a third one, and what it becomes.
    change: [&'static str; 2],
}

const EDITED: [Edited; 3] = [
    Edited {
        path: "x86/sample.xml",
        entries: [
            "<intrinsic tech=\"SSE_ALL\" name=\"_mm_add_epi8\"",
            "<intrinsic tech=\"SSE_ALL\" name=\"_mm_avg_epu8\"",
        ],
        end: "</intrinsic>\n",
        change: ["a[127:0] AND b[127:0]", "a[127:0] XOR b[127:0]"],
    },
    Edited {
        path: "arm/intrinsics.json",
        entries: ["{\"name\": \"vadd_s16\"", "{\"name\": \"vclz_s16\""],
        end: "\n",
        change: [
            "{\"a\": {\"register\": \"Vn.16B\"}, \"b\": {\"register\": \"Vm.16B\"}}",
            "{\"b\": {\"register\": \"Vn.16B\"}, \"a\": {\"register\": \"Vm.16B\"}}",
        ],
    },
    Edited {
        path: "hvx/ext.idef",
        entries: ["EXTINSN(V6_vgtb,", "EXTINSN(V6_vror,"],
        end: "})\n",
        change: ["VxV.ub[n] += fCONDMASK8(QvV,", "VxV.ub[n] -= fCONDMASK8(QvV,"],
    },
];

impl Edited {
    fn without(&self, text: &str, entry: &str) -> String {
        let begin = text.find(entry).expect("the entry");
        let end = begin + text[begin..].find(self.end).expect("its end") + self.end.len();
        [&text[..begin], &text[end..]].concat()
    }

    fn changed(&self, text: &str) -> String {
        let [from, to] = self.change;
        assert!(text.contains(from), "{from} is in {}", self.path);
        text.replacen(from, to, 1)
    }
}

/// Whatever is kept of an earlier run, and whichever files need not be written again.
#[test]
fn an_edit_gives_the_bytes_of_a_run_from_scratch() {
    let folder = scratch();
    let specs = folder.path().join("specs");
    for (path, text) in files(&samples()) {
        std::fs::create_dir_all(specs.join(&path).parent().unwrap()).unwrap();
        std::fs::write(specs.join(path), text).unwrap();
    }
    let edit = |edited: &Edited, edit: &dyn Fn(&str) -> String| {
        let path = specs.join(edited.path);
        let text = edit(&std::fs::read_to_string(&path).unwrap());
        std::fs::write(path, text).unwrap();
    };
    let whole: Vec<String> =
        EDITED.iter().map(|edited| std::fs::read_to_string(specs.join(edited.path)).unwrap()).collect();
    EDITED.iter().for_each(|edited| edit(edited, &|text| edited.without(text, edited.entries[0])));
    let mut before = run(folder.path(), &specs, &[]).files;
    let mut assert_as_from_scratch = |what: &str| {
        let edited = run(folder.path(), &specs, &[]).files;
        let anew = scratch();
        let anew = run(anew.path(), &specs, &["--no-cache"]).files;
        assert_eq!(edited.keys().collect::<Vec<_>>(), anew.keys().collect::<Vec<_>>(), "{what}");
        for (path, text) in &anew {
            assert!(edited[path] == *text, "{what}: {path} differs");
        }
        assert!(before != edited, "{what}: nothing differs");
        before = edited;
    };
    for (edited, whole) in EDITED.iter().zip(&whole) {
        edit(edited, &|_| whole.clone());
    }
    // Each edit alone, or the first ones and the last ones together.
    if is_full() {
        assert_as_from_scratch("entries added");
    }
    for edited in &EDITED {
        edit(edited, &|text| edited.changed(text));
        if is_full() {
            assert_as_from_scratch(&format!("an entry changed in {}", edited.path));
        }
    }
    if !is_full() {
        assert_as_from_scratch("entries added and changed");
    }
    // The function stays the same but for its names.
    edit(&EDITED[0], &|text| {
        let begin = text.find(EDITED[0].entries[0]).expect("the entry");
        let (before, rest) = text.split_at(begin);
        let (entry, after) = rest.split_at(rest.find(EDITED[0].end).expect("its end"));
        let renamed = entry.replace("varname=\"b\"", "varname=\"other\"").replace("+ b[", "+ other[");
        assert_eq!(renamed.matches("other").count(), 2, "{entry}");
        [before, &renamed.replace("SSE2", "AVX2"), after].concat()
    });
    if is_full() {
        assert_as_from_scratch("an argument with another name, and another feature");
    }
    EDITED.iter().for_each(|edited| edit(edited, &|text| edited.without(text, edited.entries[1])));
    assert_as_from_scratch("entries deleted");
}

#[test]
fn a_cache_can_be_deleted_damaged_shared_or_read_only() {
    let folder = scratch();
    let folder = folder.path();
    let specs = samples();
    let first = run(folder, &specs, &[]);
    let kept = folder.join("kept.redb");
    let whole = std::fs::read(&kept).unwrap();
    assert!(!first.stderr.contains("damaged"));

    std::fs::remove_file(&kept).unwrap();
    assert!(run(folder, &specs, &[]).files == first.files);
    assert!(kept.exists());

    // Damage of all kinds: a warning, the same outputs, and a cache that works again.
    let half = whole[..whole.len() / 2].to_vec();
    let mut bits = whole.clone();
    bits[4096..].iter_mut().step_by(97).for_each(|byte| *byte ^= 0x10);
    for (name, bytes) in [("half", half), ("garbage", b"no cache at all".to_vec()), ("bits", bits)] {
        std::fs::write(&kept, bytes).unwrap();
        std::fs::remove_dir_all(folder.join("out")).unwrap();
        let again = run(folder, &specs, &[]);
        assert!(
            again.stderr.contains("damaged") && !again.stderr.contains("panicked"),
            "{name}: {}",
            again.stderr
        );
        assert!(again.files == first.files, "{name}");
        assert!(run(folder, &specs, &[]).only_compared(), "{name}");
    }

    // Another folder can use a copy, and one that cannot be written.
    let other = scratch();
    let shared = other.path().join("shared.redb");
    std::fs::write(&shared, &whole).unwrap();
    let mut permissions = std::fs::metadata(&shared).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&shared, permissions).unwrap();
    let from = shared.to_string_lossy();
    let used = run(other.path(), &specs, &["--cache", &from]);
    assert!(used.files == first.files && !used.stderr.contains("damaged"), "{}", used.stderr);

    // A folder in place of the file is not a cache, but no reason to fail.
    std::fs::create_dir(other.path().join("folder.redb")).unwrap();
    assert!(run(other.path(), &specs, &["--cache", "folder.redb"]).files == first.files);
    let conflict = ["generate-ir", "--cache", "x.redb", "--no-cache"];
    hydride(other.path(), &conflict).exits(2);
}

#[test]
fn runs_at_the_same_time_share_a_cache() {
    let folders: Vec<_> = (0..3).map(|_| scratch()).collect();
    let shared = folders[0].path().join("kept.redb");
    let shared = shared.to_string_lossy().into_owned();
    let specs = samples();
    let specs_text = specs.to_string_lossy().into_owned();
    let children: Vec<_> = folders
        .iter()
        .map(|folder| {
            command(folder.path(), &["generate-ir", "--specs", &specs_text, "--cache", &shared])
                .stderr(std::process::Stdio::null())
                .spawn()
                .expect("the binary starts")
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let outs: Vec<_> =
        folders.iter().map(|folder| files_without_history(&folder.path().join("out"))).collect();
    assert!(outs[0] == outs[1] && outs[0] == outs[2]);
    let after = run(folders[0].path(), &specs, &["--cache", &shared]);
    assert!(after.files == outs[0] && !after.stderr.contains("damaged"));
}

/// A folder of documents whose entries are in another order.
fn shuffled(specs: &Path, folder: &Path, random: &mut Random) -> PathBuf {
    let into = folder.join("shuffled");
    // Of entries with one name the first has the plain id: these keep their order.
    let name = |part: &str| {
        let at = part.find("name").expect("a name");
        part[at + 4..].split('"').find(|text| text.contains(|c: char| c.is_alphanumeric())).map(str::to_owned)
    };
    let mut shuffle = |parts: Vec<String>| {
        let mut order: Vec<usize> = (0..parts.len()).collect();
        for last in (1..order.len()).rev() {
            order.swap(last, usize::try_from(random.next() % (last as u64 + 1)).unwrap());
        }
        let mut places: BTreeMap<Option<String>, Vec<usize>> = BTreeMap::new();
        for (place, part) in order.iter().enumerate() {
            places.entry(name(&parts[*part])).or_default().push(place);
        }
        let mut mixed = vec![String::new(); parts.len()];
        for part in parts {
            let place = places.get_mut(&name(&part)).expect("a place").remove(0);
            mixed[place] = part;
        }
        mixed
    };
    for isa in ["x86", "arm", "hvx"] {
        let Ok(listed) = std::fs::read_dir(specs.join(isa)) else { continue };
        std::fs::create_dir_all(into.join(isa)).unwrap();
        for entry in listed {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            let text = match name.rsplit_once('.').map_or("", |(_, ending)| ending) {
                "xml" => {
                    let (head, rest) = text.split_at(text.find("<intrinsic ").expect("an entry"));
                    let (body, tail) =
                        rest.split_at(rest.rfind("</intrinsic>").unwrap() + "</intrinsic>".len());
                    let parts = body.split_inclusive("</intrinsic>").map(|part| format!("{}\n", part.trim()));
                    format!("{head}{}{tail}", shuffle(parts.collect()).concat())
                }
                "json" if isa == "arm" => {
                    let json: Value = serde_json::from_str(&text).unwrap();
                    match json {
                        Value::Array(items) => {
                            let items = items.iter().map(Value::to_string).collect();
                            format!("[{}]", shuffle(items).join(",\n"))
                        }
                        _ => text,
                    }
                }
                _ => text,
            };
            std::fs::write(into.join(isa).join(name), text).unwrap();
        }
    }
    into
}

#[test]
fn the_order_of_entries_changes_no_class() {
    let mut random = Random::new(11);
    for specs in [samples()].into_iter().chain(vendor_documents().filter(|_| is_full())) {
        let other = scratch();
        let plain = files_without_history(&shared_output(&specs, ALL));
        let mixed_specs = shuffled(&specs, other.path(), &mut random);
        let mixed = run(other.path(), &mixed_specs, &["--no-cache"]).files;
        // The order of entries is the documents': what lists entries follows it, everything else must not.
        let lines = |files: &BTreeMap<String, String>, path: &str| {
            let mut lines: Vec<String> = files[path].lines().map(str::to_owned).collect();
            lines.sort();
            lines
        };
        assert_eq!(plain.keys().collect::<Vec<_>>(), mixed.keys().collect::<Vec<_>>());
        for (path, text) in &plain {
            if path.starts_with("ir/") {
                assert!(lines(&plain, path) == lines(&mixed, path), "{path}");
            } else if path != "ledger.jsonl" && path != "report/data.js" {
                assert!(*text == mixed[path], "{path}");
            }
        }
        assert_eq!(plain["ledger.jsonl"].lines().count(), mixed["ledger.jsonl"].lines().count());
    }
}
