//! What searches find, in which order, and what is offered when that is nothing.

use super::*;

impl Known {
    /// The names that bare words are compared with first: its own, those of its machine instructions, and that of its
    /// operation.
    fn all_names(&self) -> impl Iterator<Item = String> {
        self.names.iter().chain(&self.mnemonics).chain([&self.op]).map(|name| name.to_lowercase())
    }

    /// Whether a name has the word, which is in lower case.
    fn is_named(&self, word: &str) -> bool {
        self.all_names().any(|name| name.contains(word) || name.replace('_', " ").contains(word))
    }

    /// Whether the word, which is in lower case and no synonym, fits: a name has it, or a word of what is said of the
    /// operation begins with it.
    pub fn fits(&self, word: &str) -> bool {
        let said = self.said.to_lowercase();
        let mut words = said.split(|c: char| !c.is_ascii_alphanumeric());
        self.is_named(word) || words.any(|own| own.starts_with(word))
    }
}

/// What the page finds, as `ISA/ID`.
#[track_caller]
fn found(browser: &Browser, query: &str) -> BTreeSet<String> {
    let list = in_order(browser, query);
    let set: BTreeSet<String> = list.iter().cloned().collect();
    assert_eq!(set.len(), list.len(), "{query}: an entry twice");
    set
}

/// What the page finds, best first.
fn in_order(browser: &Browser, query: &str) -> Vec<String> {
    let script = format!(
        "const {{ found, errors }} = hydride.query.entries({}, hydride.model);\n\
         return errors.length ? errors : found.map((entry) => hydride.model.isas[hydride.model.isa[entry]].name + '/' + hydride.model.ids[entry])",
        json!(query)
    );
    texts(&browser.run(&script))
}

/// Adds what only the page says by itself: sentences about operations, and declarations of what is not modelled.
pub fn add_from_page(browser: &Browser, all: &mut BTreeMap<String, Known>) {
    let sentences =
        browser.run("return Object.fromEntries(hydride.model.ops.map((op) => [op.name, op.summary ?? '']))");
    let declared = browser.run(
        "const declared = ({ signature, extensions, mnemonics }) => ({\n\
           results: signature?.results, args: signature?.args.map((arg) => arg.type), extensions, mnemonics,\n\
         });\n\
         const all = hydride.model.ids.map((_, entry) => hydride.model.entry(entry));\n\
         return Object.fromEntries(all.map((found) => [`${found.isa}/${found.id}`, declared(found)]))",
    );
    for (key, entry) in all {
        let sentence = text(&sentences[&entry.op]);
        entry.said = format!("{} {sentence}", entry.said);
        if entry.status != "modelled" {
            let declared = &declared[key];
            (entry.results, entry.args) = (texts(&declared["results"]), texts(&declared["args"]));
            (entry.extensions, entry.mnemonics) =
                (texts(&declared["extensions"]), texts(&declared["mnemonics"]));
        }
    }
}

/// Each field finds what the other outputs say, plain, negated, from end to end and as a regular expression.
pub fn operators(browser: &Browser, all: &BTreeMap<String, Known>) {
    type Values = fn(&Known) -> Vec<String>;
    fn single(value: &str) -> Vec<String> {
        if value.is_empty() { Vec::new() } else { vec![value.to_owned()] }
    }
    let fields: [(&str, Values); 12] = [
        ("isa", |entry| single(&entry.isa)),
        ("status", |entry| single(&entry.status)),
        ("reason", |entry| single(&entry.reason)),
        ("op", |entry| [single(&entry.op), entry.aliases.clone()].concat()),
        ("cat", |entry| single(&entry.category)),
        ("trust", |entry| single(&entry.trust)),
        ("mask", |entry| entry.masking.clone()),
        ("proof", |entry| single(&entry.proof)),
        ("ret", |entry| entry.results.clone()),
        ("arg", |entry| {
            entry.args.iter().cloned().chain(entry.immediate.then(|| "imm".to_owned())).collect()
        }),
        ("ext", |entry| entry.extensions.clone()),
        ("asm", |entry| entry.mnemonics.clone()),
    ];
    let set = |keep: &dyn Fn(&Known) -> bool| -> BTreeSet<String> {
        all.iter().filter(|(_, entry)| keep(entry)).map(|(key, _)| key.clone()).collect()
    };
    for (field, values) in fields {
        let occurring: BTreeSet<String> = all.values().flat_map(values).collect();
        assert!(!occurring.is_empty(), "no entry has {field}");
        for value in occurring.iter().take(12) {
            let quoted = format!("\"{value}\"");
            let lower = value.to_lowercase();
            let has = set(&|entry| values(entry).iter().any(|own| own.to_lowercase().contains(&lower)));
            assert_eq!(found(browser, &format!("{field}:{quoted}")), has, "{field}:{quoted}");
            let has_not: BTreeSet<String> = all.keys().filter(|key| !has.contains(*key)).cloned().collect();
            assert_eq!(found(browser, &format!("-{field}:{quoted}")), has_not, "-{field}:{quoted}");
            if value.contains(' ') || value.contains(',') {
                continue;
            }
            let is = set(&|entry| values(entry).iter().any(|own| own.to_lowercase() == lower));
            assert_eq!(found(browser, &format!("{field}={value}")), is, "{field}={value}");
            let escaped: String = value
                .chars()
                .flat_map(|c| if c.is_alphanumeric() { vec![c] } else { vec!['\\', c] })
                .collect();
            assert_eq!(found(browser, &format!("{field}:/^{escaped}$/")), is, "{field}:/^{escaped}$/");
        }
        if let [first, second, ..] =
            &occurring.iter().filter(|value| !value.contains([' ', ','])).collect::<Vec<_>>()[..]
        {
            let either = set(&|entry| {
                [first, second].iter().any(|is| values(entry).iter().any(|own| own.eq_ignore_ascii_case(is)))
            });
            assert_eq!(found(browser, &format!("{field}={first},{second}")), either);
        }
    }
    // Regular expressions are for names; a word is negated where no name has it; several terms together.
    let matching =
        set(&|entry| entry.names.iter().any(|name| name.starts_with("_mm") && name.ends_with('8')));
    assert_eq!(found(browser, "/^_mm[^ ]*8$/"), matching);
    assert_eq!(found(browser, "-add"), set(&|entry| !entry.is_named("add")));
    let both = found(browser, "add -isa:x86 status:modelled");
    assert_eq!(both, set(&|entry| entry.fits("add") && entry.isa != "x86" && entry.status == "modelled"));
    // What is wrong in a query is said, and the rest of it holds.
    let errors = browser.run("return hydride.query.parse('color:red /(/ add', hydride.model.fields).errors");
    assert_eq!(texts(&errors).len(), 2, "{errors}");
}

/// Typing searches; the address, the count and the rows follow.
pub fn typed(browser: &Browser, all: &BTreeMap<String, Known>) {
    browser.run("location.hash = '#/search'; return null");
    browser.wait("document.querySelector('.listpage .scroller.search')");
    let everything = browser.run("return document.querySelector('.total').textContent");
    assert_eq!(text(&everything).replace(',', ""), format!("{} entries", all.len()));
    let rows = browser.run("return document.querySelectorAll('.rows .row').length").as_u64().unwrap();
    assert!(rows > 0 && rows < 100, "{rows} rows are there for {} entries", all.len());
    browser.keys("#query", "isa:arm add");
    let wanted = all.values().filter(|entry| entry.isa == "arm" && entry.fits("add")).count();
    let total = browser.run("return document.querySelector('.total').textContent");
    assert_eq!(text(&total).replace(',', ""), format!("{wanted} of {} entries", all.len()));
    let hash = text(&browser.run("return location.hash"));
    assert_eq!(hash, "#/search?q=isa%3Aarm%20add");
    // The buttons change the same query.
    browser
        .run("document.querySelector('.chips[aria-label] button[aria-pressed=true]').click(); return null");
    assert_eq!(browser.run("return document.getElementById('query').value"), "add");
    let wrong = "color:red";
    browser.run(
        "document.getElementById('query').value = ''; document.getElementById('query').focus(); return null",
    );
    browser.keys("#query", wrong);
    assert!(
        text(&browser.run("return document.getElementById('query-errors').textContent")).contains("color")
    );
    let slowest = browser.run_async(
        "const box = document.getElementById('query');\n\
         const times = [];\n\
         const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));\n\
         (async () => {\n\
           for (const whole of ['_mm add epi8', 'isa:x86 -mask ret:__m128i', '/v?q?add.*[us]8/']) {\n\
             for (let end = 1; end <= whole.length; end++) {\n\
               const start = performance.now();\n\
               box.value = whole.slice(0, end);\n\
               box.dispatchEvent(new Event('input'));\n\
               document.body.offsetHeight;\n\
               const work = performance.now() - start;\n\
               await frame();\n\
               times.push([work, performance.now() - start]);\n\
             }\n\
           }\n\
           const of = (column) => times.map((time) => time[column]).sort((a, b) => a - b);\n\
           done([0, 1].map((column) => [of(column)[times.length >> 1], of(column).at(-1)].map(Math.round)));\n\
         })();",
    );
    println!(
        "a keystroke: script and layout {} ms (median, slowest), until painted {} ms",
        slowest[0], slowest[1]
    );
}

/// Bare words find names, machine instructions, operations and what is said of them; exact names come first.
pub fn words(browser: &Browser, all: &BTreeMap<String, Known>) {
    let fitting = |word: &str| -> BTreeSet<String> {
        all.iter().filter(|(_, entry)| entry.fits(word)).map(|(key, _)| key.clone()).collect()
    };
    for word in ["ADD", "epi16", "sums", "logic", "mm_m"] {
        assert_eq!(found(browser, word), fitting(&word.to_lowercase()), "{word}");
    }
    assert_eq!(found(browser, "add epi16"), &fitting("add") & &fitting("epi16"));
    let either = found(browser, "paddb,vaddq_s8");
    assert_eq!(either, &fitting("paddb") | &fitting("vaddq_s8"));
    for names in [|entry: &Known| entry.names.clone(), |entry: &Known| entry.mnemonics.clone()] {
        let simple =
            |name: &String| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let occurring: BTreeSet<String> = all.values().flat_map(names).filter(simple).collect();
        assert!(!occurring.is_empty());
        for name in occurring.iter().step_by(occurring.len().div_ceil(40)) {
            let lower = name.to_lowercase();
            let is = |key: &String| all[key].all_names().any(|own| own == lower);
            let list = in_order(browser, name);
            let exact = list.iter().filter(|key| is(key)).count();
            assert!(exact > 0 && list[..exact].iter().all(is), "{name}: {list:?}");
        }
    }
    // A synonym of several words, and one in an inflected form.
    let counting: BTreeSet<String> =
        all.iter().filter(|(_, entry)| entry.op == "popcount").map(|(key, _)| key.clone()).collect();
    let list = in_order(browser, "population count");
    assert!(!counting.is_empty() && list.len() >= counting.len());
    assert_eq!(list.into_iter().take(counting.len()).collect::<BTreeSet<_>>(), counting);
    let saturating = in_order(browser, "saturating add");
    let first = &all[&saturating[0]];
    assert_eq!(first.op, "add_sat");
    // Unmasked instructions come before masked ones that fit as well.
    let list = in_order(browser, "isa:x86 op=add add");
    let masked: Vec<bool> = list.iter().map(|key| all[key].masking[0] != "none").collect();
    assert!(masked.is_sorted() && masked.contains(&true) && masked.contains(&false), "{list:?}");
}

/// A search that finds nothing offers others that find something.
pub fn hints(browser: &Browser, all: &BTreeMap<String, Known>) {
    let offered = |query: &str| -> Vec<String> {
        browser.run(&format!(
            "location.hash = '#/search?q=' + encodeURIComponent({}); return null",
            json!(query)
        ));
        browser.wait(&format!(
            "document.getElementById('query').value === {} && document.querySelector('.hints')",
            json!(query)
        ));
        texts(&browser.run("return [...document.querySelectorAll('.hints a')].map((link) => link.hash)"))
    };
    let paddb = all.values().any(|entry| entry.mnemonics.iter().any(|mnemonic| mnemonic == "PADDB"));
    assert!(paddb, "the samples have PADDB");
    assert!(offered("padddb").contains(&"#/search?q=paddb".to_owned()));
    assert!(offered("padddb isa:x86").contains(&"#/search?q=paddb%20isa%3Ax86".to_owned()));
    assert!(offered("add isa:x86 isa:arm").contains(&"#/search?q=add%20isa%3Aarm".to_owned()));
    assert_eq!(offered("qqqqqqqqqqqqqqqqqqqq"), [] as [String; 0]);
}
