//! `autollvm.lock`: the checked-in file that keeps operations' names stable from run to run.
//!
//! One entry per name. An entry records the structural hashes that the operation has had (several, when the
//! class was derived from different sets of documents) and its members, so that the name can follow them when
//! the structure changes. The file is meant to be read and edited by people: to rename an operation, change
//! its `op` line.
//!
//! ```text
//! op add
//!   hash 3f2a…
//!   alias plus
//!   members arm vadd_s8 vaddq_s8
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Names by structural hash, with former names and members.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Lock {
    pub(crate) entries: BTreeMap<String, Entry>,
}

/// The recorded data of one operation.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct Entry {
    /// Structural hashes of the classes that had this name.
    pub(crate) hashes: BTreeSet<String>,
    /// Former names.
    pub(crate) aliases: BTreeSet<String>,
    /// Member ids by instruction set.
    pub(crate) members: BTreeMap<String, BTreeSet<String>>,
}

/// A lock file that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", line.map_or(String::new(), |line| format!("line {line}: ")))]
pub struct LockError {
    /// The line, counted from 1; none where entries contradict each other.
    pub line: Option<usize>,
    /// What is wrong with it.
    pub message: String,
}

/// The longest line of members that is written, in bytes.
const LINE: usize = 110;

impl Lock {
    /// Reads the text form. An empty text is an empty lock.
    pub fn parse(text: &str) -> Result<Self, LockError> {
        let mut lock = Self::default();
        let mut current: Option<(String, Entry)> = None;
        for (number, line) in text.lines().enumerate() {
            let fail = |message: String| LockError { line: Some(number + 1), message };
            let line = line.split_once('#').map_or(line, |(before, _)| before);
            let mut words = line.split_whitespace();
            let Some(keyword) = words.next() else { continue };
            if keyword == "op" {
                if let Some((name, entry)) = current.take() {
                    lock.entries.insert(name, entry);
                }
                let (Some(name), None) = (words.next(), words.next()) else {
                    return Err(fail("`op` takes one name".to_owned()));
                };
                if !crate::name::is_valid(name) {
                    return Err(fail(format!("`{name}` is not a valid operation name")));
                }
                if lock.entries.contains_key(name) {
                    return Err(fail(format!("operation `{name}` occurs twice")));
                }
                current = Some((name.to_owned(), Entry::default()));
                continue;
            }
            let Some((_, entry)) = &mut current else {
                return Err(fail(format!("`{keyword}` before the first `op`")));
            };
            match keyword {
                "hash" => entry.hashes.extend(words.map(str::to_owned)),
                "alias" => entry.aliases.extend(words.map(str::to_owned)),
                "members" => {
                    let Some(isa) = words.next() else {
                        return Err(fail("`members` takes an instruction set".to_owned()));
                    };
                    let ids = words.map(unescape).collect::<Option<Vec<_>>>();
                    let ids = ids.ok_or_else(|| fail("bad escape in a member id".to_owned()))?;
                    let isa = unescape(isa).ok_or_else(|| fail("bad escape".to_owned()))?;
                    entry.members.entry(isa).or_default().extend(ids);
                }
                _ => return Err(fail(format!("unknown keyword `{keyword}`"))),
            }
        }
        lock.entries.extend(current);
        lock.check()
    }

    /// Every hash, every name and every member belongs to one entry.
    fn check(self) -> Result<Self, LockError> {
        let mut hashes = BTreeMap::new();
        let mut names: BTreeMap<&str, &str> =
            self.entries.keys().map(|name| (name.as_str(), name.as_str())).collect();
        let mut members = BTreeMap::new();
        let fail = |message: String| LockError { line: None, message };
        for (name, entry) in &self.entries {
            for hash in &entry.hashes {
                if let Some(other) = hashes.insert(hash, name) {
                    return Err(fail(format!("hash `{hash}` occurs in `{other}` and in `{name}`")));
                }
            }
            for alias in &entry.aliases {
                if let Some(other) = names.insert(alias, name) {
                    return Err(fail(format!("alias `{alias}` of `{name}` is also a name of `{other}`")));
                }
            }
            for (isa, ids) in &entry.members {
                for id in ids {
                    if let Some(other) = members.insert((isa, id), name) {
                        return Err(fail(format!("member `{isa}:{id}` occurs in `{other}` and in `{name}`")));
                    }
                }
            }
        }
        Ok(self)
    }

    /// This lock extended by the contents of `other`. On conflict this one wins: a hash, member or name that it
    /// contains keeps its place.
    pub fn with(mut self, other: Self) -> Self {
        let owned = |own: fn(&Entry) -> &BTreeSet<String>| -> BTreeSet<String> {
            self.entries.values().flat_map(own).cloned().collect()
        };
        let (hashes, aliases) = (owned(|entry| &entry.hashes), owned(|entry| &entry.aliases));
        let names: BTreeSet<String> = self.entries.keys().cloned().chain(aliases).collect();
        let members: BTreeSet<(String, String)> = self
            .entries
            .values()
            .flat_map(|entry| &entry.members)
            .flat_map(|(isa, ids)| ids.iter().map(|id| (isa.clone(), id.clone())))
            .collect();
        for (name, mut entry) in other.entries {
            entry.hashes.retain(|hash| !hashes.contains(hash));
            entry.aliases.retain(|alias| !names.contains(alias));
            for (isa, ids) in &mut entry.members {
                ids.retain(|id| !members.contains(&(isa.clone(), id.clone())));
            }
            entry.members.retain(|_, ids| !ids.is_empty());
            if entry == Entry::default() {
                continue;
            }
            let current = self.resolve(&name).map_or(name, str::to_owned);
            let known = self.entries.entry(current.clone()).or_default();
            known.hashes.append(&mut entry.hashes);
            known.aliases.append(&mut entry.aliases);
            known.aliases.remove(&current);
            for (isa, mut ids) in entry.members {
                known.members.entry(isa).or_default().append(&mut ids);
            }
        }
        self
    }

    /// The current name for a name or a former name.
    pub fn resolve(&self, name: &str) -> Option<&str> {
        if let Some((name, _)) = self.entries.get_key_value(name) {
            return Some(name);
        }
        let mut entries = self.entries.iter();
        entries.find(|(_, entry)| entry.aliases.contains(name)).map(|(name, _)| name.as_str())
    }

    /// The names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }
}

/// The text form, sorted; [`Lock::parse`] reads it back.
impl fmt::Display for Lock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "# Names of the AutoLLVM operations, written by `cargo xtask generate-ir`.")?;
        writeln!(f, "# To rename an operation, change its `op` line and add the old name as `alias`.")?;
        for (name, entry) in &self.entries {
            writeln!(f, "op {name}")?;
            for hash in &entry.hashes {
                writeln!(f, "  hash {hash}")?;
            }
            for alias in &entry.aliases {
                writeln!(f, "  alias {alias}")?;
            }
            for (isa, ids) in &entry.members {
                write_members(f, isa, ids)?;
            }
        }
        Ok(())
    }
}

fn write_members(f: &mut fmt::Formatter<'_>, isa: &str, ids: &BTreeSet<String>) -> fmt::Result {
    let start = format!("  members {}", escape(isa));
    let mut line = start.clone();
    for id in ids {
        let id = escape(id);
        if line.len() > start.len() && line.len() + 1 + id.len() > LINE {
            writeln!(f, "{line}")?;
            line.clone_from(&start);
        }
        line.push(' ');
        line.push_str(&id);
    }
    writeln!(f, "{line}")
}

/// Escapes a word: white space, `#` and `%` become `%` and two hexadecimal digits per byte.
fn escape(word: &str) -> String {
    let mut escaped = String::with_capacity(word.len());
    for character in word.chars() {
        if character.is_whitespace() || character.is_control() || matches!(character, '#' | '%') {
            let mut buffer = [0; 4];
            for byte in character.encode_utf8(&mut buffer).bytes() {
                escaped.push_str(&format!("%{byte:02x}"));
            }
        } else {
            escaped.push(character);
        }
    }
    escaped
}

fn unescape(word: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(word.len());
    let mut rest = word.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digit = |byte: u8| char::from(byte).to_digit(16);
            let value = digit(rest.next()?)? * 16 + digit(rest.next()?)?;
            bytes.push(u8::try_from(value).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_form_reads_back() {
        let text =
            "op add\n hash 0a 1b\n alias plus\n members x86 b a\n members arm v%23d\nop sub # comment\n";
        let lock = Lock::parse(text).unwrap();
        assert_eq!(Lock::parse(&lock.to_string()).unwrap(), lock);
        assert_eq!(lock.resolve("plus"), Some("add"));
        assert_eq!(lock.resolve("minus"), None);
        assert!(lock.entries["add"].members["arm"].contains("v#d"));
        let lines: Vec<String> = lock.to_string().lines().skip(2).map(str::to_owned).collect();
        let expected = [
            "op add",
            "  hash 0a",
            "  hash 1b",
            "  alias plus",
            "  members arm v%23d",
            "  members x86 a b",
            "op sub",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn of_two_locks_the_first_one_stands() {
        let own = Lock::parse("op add\n hash 1\n alias plus\n members x86 a\nop sub\n hash 2\n").unwrap();
        let other = "op plus\n hash 1 9\n members x86 a b\nop minus\n hash 2\nop mul\n hash 3\n alias add\n";
        let both = own.clone().with(Lock::parse(other).unwrap());
        // A lock that was read back has no contradictions.
        assert_eq!(Lock::parse(&both.to_string()).unwrap(), both);
        let expected = "op add\n hash 1 9\n alias plus\n members x86 a b\nop mul\n hash 3\nop sub\n hash 2\n";
        assert_eq!(both, Lock::parse(expected).unwrap());
        assert_eq!(own.clone().with(own.clone()), own);
        assert_eq!(Lock::default().with(own.clone()), own);
    }

    #[test]
    fn long_member_lists_are_wrapped() {
        let ids: Vec<String> = (0..40).map(|n| format!("intrinsic_{n:02}")).collect();
        let lock = Lock::parse(&format!("op a\n members x86 {}\n", ids.join(" "))).unwrap();
        let text = lock.to_string();
        assert!(text.lines().all(|line| line.len() <= LINE));
        assert_eq!(Lock::parse(&text).unwrap(), lock);
    }

    #[test]
    fn contradictions_are_errors() {
        for (text, message) in [
            ("hash 12\n", "line 1: `hash` before the first `op`"),
            ("op a\nop a\n", "line 2: operation `a` occurs twice"),
            ("op A-b\n", "line 1: `A-b` is not a valid operation name"),
            ("op a\n colour red\n", "line 2: unknown keyword `colour`"),
            ("op a\n hash 1\nop b\n hash 1\n", "hash `1` occurs in `a` and in `b`"),
            ("op a\n alias b\nop b\n", "alias `b` of `a` is also a name of `b`"),
            ("op a\n members x i\nop b\n members x i\n", "member `x:i` occurs in `a` and in `b`"),
        ] {
            assert_eq!(Lock::parse(text).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn lines_of_members_are_filled() {
        let start = "  members x86 ".len();
        let (half, rest) = ("a".repeat(50), LINE - start - 51);
        for (second, lines) in [(rest, 1), (rest + 1, 2), (LINE, 2)] {
            let ids = format!("{half} {}", "b".repeat(second));
            let lock = Lock::parse(&format!("op a\n members x86 {ids}\n")).unwrap();
            let text = lock.to_string();
            assert_eq!(text.lines().filter(|line| line.contains("members")).count(), lines, "{second}");
            assert_eq!(Lock::parse(&text).unwrap(), lock);
        }
    }

    #[test]
    fn words_are_escaped_where_a_reader_would_split_them() {
        for (word, expected) in [
            ("a b", "a%20b"),
            ("a#b%", "a%23b%25"),
            ("\u{7f}", "%7f"),
            ("é\u{a0}", "é%c2%a0"),
            ("a_1", "a_1"),
        ] {
            assert_eq!(escape(word), expected);
            assert_eq!(unescape(expected).as_deref(), Some(word));
        }
        for broken in ["%", "%2", "%2g", "%ff"] {
            assert_eq!(unescape(broken), None, "{broken}");
        }
    }
}
