//! The precision of `hydride diff`: it must distinguish entries with one semantic change from entries that are only
//! rewritten.
//!
//! 200 mutations change an index, a width, an operator, a sign, drop a line or exchange an argument; 200
//! rewrites rename variables, commute operands, unroll loops or reorder assignments. Nothing may be unknown.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::time::Duration;

use crate::support::{Random, document, samples, vendor_documents};
use hydride_ir::Bits;
use parsers::{Isa, Outline, Parsed};
use semantic_diff::{Counterexample, Options, Outcome, Report, Side, Value, differences};

const WANTED: usize = 200;

/// Further inputs, besides those of the comparison, on which entries reported as the same must agree.
const CHECKED: usize = 300;

/// An entry in the document's format: the text before its operation, the operation, and the rest.
#[derive(Clone)]
struct Entry {
    name: String,
    before: String,
    operation: String,
    after: String,
}

impl Entry {
    fn text(&self, name: &str) -> String {
        let operation = self.operation.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let before = self.before.replacen(&format!("name=\"{}\"", self.name), &format!("name=\"{name}\""), 1);
        format!("{before}{operation}{}\n", self.after)
    }

    /// Names of the parameters, and of the result.
    fn operands(&self) -> Vec<&str> {
        self.before.split(" varname=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect()
    }
}

/// The entries with an operation in the newest available document.
fn entries() -> Vec<Entry> {
    let specs = vendor_documents().unwrap_or_else(samples);
    let files = crate::support::files(&specs.join("x86"));
    let (_, text) = files.into_iter().rfind(|(name, _)| name.ends_with(".xml")).expect("a document");
    let mut entries = Vec::new();
    for piece in text.split("<intrinsic ").skip(1) {
        let whole = format!("<intrinsic {}", piece.split_inclusive("</intrinsic>").next().unwrap_or(""));
        let Some(open) = whole.find("<operation").and_then(|at| Some(at + whole[at..].find('>')? + 1)) else {
            continue;
        };
        let Some(close) = whole.find("</operation>").filter(|close| open < *close) else { continue };
        let Some(name) = whole.split("name=\"").nth(1).and_then(|rest| rest.split('"').next()) else {
            continue;
        };
        let operation = whole[open..close].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
        let (before, after) = (whole[..open].to_owned(), whole[close..].to_owned());
        entries.push(Entry { name: name.to_owned(), before, operation, after });
    }
    entries
}

/// Words, numbers, operators and white space of a text.
fn tokens(text: &str) -> Vec<String> {
    let kind = |letter: char| match letter {
        '_' => 0,
        letter if letter.is_ascii_alphanumeric() => 0,
        '<' | '>' | '=' | '!' => 1,
        ':' => 2,
        _ => 3,
    };
    let mut tokens: Vec<String> = Vec::new();
    for letter in text.chars() {
        let joins = tokens.last().and_then(|last| last.chars().last()).is_some_and(|last| {
            (kind(last) == kind(letter) && kind(letter) < 2) || (last == ':' && letter == '=')
        });
        match tokens.last_mut().filter(|_| joins) {
            Some(last) => last.push(letter),
            None => tokens.push(letter.to_string()),
        }
    }
    tokens
}

fn pick<T: Copy>(random: &mut Random, from: &[T]) -> Option<T> {
    let count = u64::try_from(from.len()).ok().filter(|count| *count > 0)?;
    from.get(usize::try_from(random.next() % count).ok()?).copied()
}

/// Replaces one of the tokens for which `change` has something else.
fn replace_one(
    entry: &Entry,
    random: &mut Random,
    change: impl Fn(&[String], usize, u64) -> Option<String>,
) -> Option<Entry> {
    let mut tokens = tokens(&entry.operation);
    let draw = random.next();
    let places: Vec<usize> =
        (0..tokens.len()).filter(|place| change(&tokens, *place, draw).is_some()).collect();
    let place = pick(random, &places)?;
    tokens[place] = change(&tokens, place, draw)?;
    Some(Entry { operation: tokens.concat(), ..entry.clone() })
}

type Edit = fn(&Entry, &mut Random) -> Option<Entry>;

const MUTATIONS: [(&str, Edit); 6] = [
    ("index", |entry, random| {
        replace_one(entry, random, |tokens, place, draw| {
            let number: i64 = tokens[place].parse().ok()?;
            let moved = if draw % 2 == 0 { number + 1 } else { number * 2 + 8 };
            Some(moved.to_string())
        })
    }),
    ("width", |entry, random| {
        replace_one(entry, random, |tokens, place, draw| {
            let widths = ["7", "15", "31", "63"];
            let other = widths[usize::try_from(draw % 4).ok()?];
            (widths.contains(&tokens[place].as_str()) && tokens[place] != other).then(|| other.to_owned())
        })
    }),
    ("operator", |entry, random| {
        let others: [(&str, &str); 12] = [
            ("+", "-"),
            ("-", "+"),
            ("*", "+"),
            ("AND", "OR"),
            ("OR", "XOR"),
            ("XOR", "AND"),
            (">", "<"),
            ("<", ">"),
            ("<<", ">>"),
            (">>", "<<"),
            ("MIN", "MAX"),
            ("MAX", "MIN"),
        ];
        replace_one(entry, random, move |tokens, place, _| {
            let other = others.iter().find(|(from, _)| *from == tokens[place])?;
            Some(other.1.to_owned())
        })
    }),
    ("sign", |entry, random| {
        let words = replace_one(entry, random, |tokens, place, _| {
            let word = &tokens[place];
            let swapped =
                [("SignExtend", "ZeroExtend"), ("ZeroExtend", "SignExtend"), ("SaturateU", "Saturate")];
            if let Some((from, to)) = swapped.iter().find(|(from, _)| word.starts_with(from)) {
                return Some(word.replacen(from, to, 1));
            }
            word.strip_prefix("Saturate").map(|rest| format!("SaturateU{rest}"))
        });
        if words.is_some() && random.next().is_multiple_of(2) {
            return words;
        }
        let (from, to) = if random.next().is_multiple_of(2) { ("\"SI", "\"UI") } else { ("\"UI", "\"SI") };
        let before = entry.before.replace(&format!("etype={from}"), &format!("etype={to}"));
        (before != entry.before).then(|| Entry { before, ..entry.clone() }).or(words)
    }),
    ("dropped line", |entry, random| {
        let lines: Vec<&str> = entry.operation.lines().collect();
        let droppable = |place: &usize| lines[*place].contains(":=") && !lines[*place].contains("FOR");
        let places: Vec<usize> = (0..lines.len()).filter(droppable).collect();
        let dropped = pick(random, &places)?;
        let kept: Vec<&str> =
            lines.iter().enumerate().filter(|(place, _)| *place != dropped).map(|(_, line)| *line).collect();
        Some(Entry { operation: kept.join("\n"), ..entry.clone() })
    }),
    ("argument", |entry, random| {
        let operands = entry.operands();
        let other = pick(random, operands.get(1..)?)?.to_owned();
        replace_one(entry, random, |tokens, place, _| {
            let token = tokens[place].as_str();
            (operands[1..].contains(&token) && token != other).then(|| other.clone())
        })
    }),
];

const REWRITES: [(&str, Edit); 4] = [
    ("renamed", |entry, _| {
        let mut tokens = tokens(&entry.operation);
        let operands: BTreeSet<&str> = entry.operands().into_iter().collect();
        let mut assigned: BTreeSet<String> = BTreeSet::new();
        let words: Vec<usize> = (0..tokens.len()).filter(|place| !tokens[*place].trim().is_empty()).collect();
        for pair in words.windows(2) {
            let name = &tokens[pair[0]];
            let variable = name.chars().next().is_some_and(|first| first.is_ascii_lowercase())
                && !operands.contains(name.as_str());
            if variable && tokens[pair[1]] == ":=" {
                assigned.insert(name.clone());
            }
        }
        let before = |place: usize| place.checked_sub(1).map_or("", |place| tokens[place].as_str());
        let renamed: Vec<String> = (0..tokens.len())
            .map(|place| match assigned.contains(&tokens[place]) && before(place) != "." {
                true => format!("{}_renamed", tokens[place]),
                false => tokens[place].clone(),
            })
            .collect();
        tokens = renamed;
        (!assigned.is_empty()).then(|| Entry { operation: tokens.concat(), ..entry.clone() })
    }),
    ("commuted", |entry, random| {
        let lines: Vec<&str> = entry.operation.lines().collect();
        let commuted = |line: &str| -> Option<String> {
            let (target, value) = line.split_once(":=")?;
            for operator in [" + ", " AND ", " OR ", " XOR ", " * "] {
                if let Some((left, right)) = value.trim().split_once(operator) {
                    let plain = |text: &str| {
                        let inner = text.trim().strip_suffix(']').and_then(|text| text.split_once('['));
                        inner.is_some_and(|(name, index)| {
                            name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
                                && !index.contains(['[', ']'])
                        })
                    };
                    return (plain(left) && plain(right))
                        .then(|| format!("{target}:= {}{operator}{}", right.trim(), left.trim()));
                }
            }
            None
        };
        let places: Vec<usize> = (0..lines.len()).filter(|place| commuted(lines[*place]).is_some()).collect();
        let place = pick(random, &places)?;
        let mut lines: Vec<String> = lines.into_iter().map(str::to_owned).collect();
        lines[place] = commuted(&lines[place])?;
        Some(Entry { operation: lines.join("\n"), ..entry.clone() })
    }),
    ("unrolled", |entry, random| {
        let lines: Vec<&str> = entry.operation.lines().collect();
        let header = |line: &str| -> Option<(String, u32, u32)> {
            let rest = line.trim().strip_prefix("FOR ")?;
            let (name, range) = rest.split_once(":=")?;
            let (from, to) = range.split_once(" to ")?;
            Some((name.trim().to_owned(), from.trim().parse().ok()?, to.trim().parse().ok()?))
        };
        let innermost = |start: &usize| -> Option<usize> {
            header(lines[*start])?;
            let end = (start + 1..lines.len()).find(|place| lines[*place].trim().starts_with("ENDFOR"))?;
            (start + 1..end).all(|place| !lines[place].contains("FOR")).then_some(end)
        };
        let starts: Vec<usize> = (0..lines.len()).filter(|start| innermost(start).is_some()).collect();
        let start = pick(random, &starts)?;
        let end = innermost(&start)?;
        let (name, from, to) = header(lines[start])?;
        let mut unrolled: Vec<String> = lines[..start].iter().map(|line| (*line).to_owned()).collect();
        for value in from..=to.min(from + 127) {
            for line in &lines[start + 1..end] {
                let tokens = tokens(line).into_iter();
                unrolled.push(
                    tokens.map(|token| if token == name { value.to_string() } else { token }).collect(),
                );
            }
        }
        unrolled.extend(lines[end + 1..].iter().map(|line| (*line).to_owned()));
        (to - from < 128).then(|| Entry { operation: unrolled.join("\n"), ..entry.clone() })
    }),
    ("reordered", |entry, random| {
        let lines: Vec<&str> = entry.operation.lines().collect();
        // The bits that a line writes, where it writes literal bits of the result and does not read it.
        let writes = |line: &str| -> Option<(u32, u32)> {
            let (target, value) = line.trim().split_once(":=")?;
            let (high, low) = target.trim().strip_prefix("dst[")?.strip_suffix(']')?.split_once(':')?;
            (!value.contains("dst")).then_some((low.trim().parse().ok()?, high.trim().parse().ok()?))
        };
        let apart = |place: &usize| {
            let (Some(one), Some(other)) =
                (writes(lines[*place]), lines.get(place + 1).and_then(|line| writes(line)))
            else {
                return false;
            };
            one.1 < other.0 || other.1 < one.0
        };
        let places: Vec<usize> = (0..lines.len()).filter(apart).collect();
        let place = pick(random, &places)?;
        let mut lines = lines.clone();
        lines.swap(place, place + 1);
        Some(Entry { operation: lines.join("\n"), ..entry.clone() })
    }),
];

/// Two documents that differ by edits, and what the comparison says.
struct Compared {
    old: Parsed,
    new: Parsed,
    report: Report,
    /// For each id what was done to it.
    kinds: BTreeMap<String, &'static str>,
}

/// Draws edits until enough entries are modelled before and after, with another text or other types.
fn compare(edits: &[(&'static str, Edit)], seed: u64) -> Compared {
    let mut random = Random::new(seed);
    let parse = |entries: &[String]| {
        parsers::intel::parse("own.xml", document(entries).as_bytes(), &parsers::intel::Options::default())
    };
    let entries = entries();
    let originals: Vec<String> = entries.iter().map(|entry| entry.text(&entry.name)).collect();
    let modelled: BTreeSet<String> =
        parse(&originals).instructions.into_iter().map(|instruction| instruction.id).collect();
    let usable: Vec<&Entry> = entries.iter().filter(|entry| modelled.contains(&entry.name)).collect();
    let mut kept: Vec<(String, String)> = Vec::new();
    let mut kinds = BTreeMap::new();
    for (number, (kind, edit)) in edits.iter().enumerate() {
        // An equal share of each kind, with enough candidates that can be modelled.
        let share = WANTED * (number + 1) / edits.len() - WANTED * number / edits.len();
        let mut candidates = Vec::new();
        for draw in 0..400 * share {
            let Some(entry) = pick(&mut random, &usable) else { break };
            let Some(edited) = edit(entry, &mut random) else { continue };
            let name = format!("{}_v{number}_{draw}", entry.name);
            candidates.push((name.clone(), entry.text(&name), edited.text(&name)));
            if candidates.len() == 6 * share {
                break;
            }
        }
        let parsed = parse(&candidates.iter().map(|(_, _, edited)| edited.clone()).collect::<Vec<_>>());
        let modelled: BTreeSet<String> =
            parsed.instructions.into_iter().map(|instruction| instruction.id).collect();
        candidates.retain(|(name, _, _)| modelled.contains(name));
        candidates.truncate(share);
        assert!(candidates.len() == share || entries.len() < 1000, "{kind}: {} of {share}", candidates.len());
        for (name, original, edited) in candidates {
            kinds.insert(name, *kind);
            kept.push((original, edited));
        }
    }
    let old = parse(&kept.iter().map(|(original, _)| original.clone()).collect::<Vec<_>>());
    let new = parse(&kept.iter().map(|(_, edited)| edited.clone()).collect::<Vec<_>>());
    let none: BTreeMap<String, Outline> = BTreeMap::new();
    let (mut left, mut right) = (Side::default(), Side::default());
    left.add(Isa::register("x86"), &old, &none);
    right.add(Isa::register("x86"), &new, &none);
    let options = Options { time_limit: Duration::from_secs(10), progress: &|_, _| {} };
    let report = differences(&left, &right, &options);
    Compared { old, new, report, kinds }
}

fn function<'a>(parsed: &'a Parsed, id: &str) -> &'a hydride_ir::Function {
    let found = parsed.instructions.iter().find(|instruction| instruction.id == id);
    &found.expect("an instruction").function
}

fn values(values: &[Value]) -> Vec<Bits> {
    values.iter().map(|value| Bits::from_hex(value.width, &value.bits).expect("digits")).collect()
}

impl Compared {
    /// Evaluates a counterexample on both documents, as `hydride eval` does.
    fn confirm(&self, id: &str, example: &Counterexample) {
        let args = values(&example.args);
        let result = |parsed: &Parsed| interp::evaluate(function(parsed, id), &args).expect("it can be run");
        assert_eq!(result(&self.old), values(&example.old), "{id}: the old side");
        assert_eq!(result(&self.new), values(&example.new), "{id}: the new side");
        assert_ne!(example.old, example.new, "{id}");
    }

    /// Requires that entries which are said to be the same agree on other inputs than were compared.
    fn agree(&self, id: &str, random: &mut Random) {
        let (old, new) = (function(&self.old, id), function(&self.new, id));
        let programs = [old, new].map(|side| interp::Program::new(side).expect("it can be compiled"));
        for _ in 0..CHECKED {
            let args = random.arguments(old);
            let [left, right] = programs.each_ref().map(|program| program.run(&args).expect("it can be run"));
            assert_eq!(left, right, "{id} is said to be the same");
        }
    }
}

/// The number of edits.
fn count(compared: &Compared) -> usize {
    compared.new.instructions.len()
}

/// One test at a time: they compare with all threads.
static ALONE: Mutex<()> = Mutex::new(());

#[test]
fn mutations_that_change_the_meaning_are_different() {
    let _alone = ALONE.lock();
    let compared = compare(&MUTATIONS, 0x5eed);
    let mut random = Random::new(7);
    let mut different: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut same, mut reshaped, mut elsewhere) = (0, 0, 0);
    let changed: BTreeMap<&str, &Outcome> =
        compared.report.changes.iter().map(|change| (change.id.as_str(), &change.outcome)).collect();
    for instruction in &compared.new.instructions {
        let id = instruction.id.as_str();
        match changed.get(id) {
            Some(Outcome::Different { counterexample }) => {
                compared.confirm(id, counterexample);
                *different.entry(compared.kinds[id]).or_default() += 1;
            }
            Some(Outcome::OtherAccess { counterexample, .. }) => {
                assert_ne!(counterexample.old, counterexample.new, "{id}");
                elsewhere += 1;
            }
            // Other widths of an argument: an index beyond it makes an immediate wider.
            Some(Outcome::OtherShape { .. }) => reshaped += 1,
            None | Some(Outcome::Same { .. }) => {
                compared.agree(id, &mut random);
                same += 1;
            }
            Some(outcome) => panic!("{id} ({}): {outcome:?}", compared.kinds[id]),
        }
    }
    println!(
        "{same} of {} mutations change no meaning, {reshaped} a width, {elsewhere} an access to memory; different: {different:?}",
        count(&compared)
    );
    assert_eq!(different.len(), MUTATIONS.len(), "{different:?}");
    assert!(same * 2 < count(&compared), "{same} mutations change nothing");
}

#[test]
fn rewrites_that_keep_the_meaning_are_the_same() {
    let _alone = ALONE.lock();
    let compared = compare(&REWRITES, 0xcafe);
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for change in &compared.report.changes {
        let same = matches!(change.outcome, Outcome::Same { .. });
        assert!(same, "{} ({}): {:?}", change.id, compared.kinds[&change.id], change.outcome);
    }
    for instruction in &compared.new.instructions {
        *kinds.entry(compared.kinds[&instruction.id]).or_default() += 1;
    }
    println!("{} rewrites change the function, of {kinds:?}", compared.report.changes.len());
    assert_eq!(kinds.len(), REWRITES.len(), "{kinds:?}");
}
