//! The dictionary of families: which parameterized functions there are, under which names, and which instructions
//! are known to be members.
//!
//! A run fits instructions into the families that it is given; a family never changes in a run. The text is meant to
//! be read and edited by people: to rename a family, change its `family` line and add the old name as `alias`.
//!
//! ```text
//! version 1
//!
//! family add
//!   key 31b9b639ad047904e195946c96287386
//!   alias plus
//!   numbers elements, 1, 1, 0, 0, …
//! function [element_width = 8, elements = 16](%a: element_width*elements, …) -> (%dst: element_width*elements) {
//!   …
//! }
//!   member arm vadd_s16 at 16,4 of 0,1 in 64,64 commutes
//!   member x86 _mm_mask_add_epi8 at 8,16 of 2,3 in 128,128 mask 1/1/8 pass 0 commutes
//! ```
//!
//! | line | what |
//! |---|---|
//! | `key` | identity of the family, lower-case hexadecimal digits |
//! | `structure` | key of the structure of the members' lane forms, where it is another one |
//! | `alias` | a former name |
//! | `numbers` | the numbers of the members' lane forms: [`Family::numbers`] |
//! | `function` | the function, as in IR files but without its name, to the closing brace |
//! | `member` | an instruction, with its parameter values, the origins of the arguments, and what is done with the result |

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use catalog::Family;
use hydride_ir::Function;

use crate::member_text::{member_line, parse_member};

/// The version of the text form.
const VERSION: u32 = 1;

/// Families by name.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Dictionary {
    pub(crate) entries: BTreeMap<String, Entry>,
}

/// A family under its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Former names.
    pub(crate) aliases: BTreeSet<String>,
    /// The family; its function has the current name.
    pub(crate) family: Family,
}

impl Entry {
    /// A family under a new name.
    pub(crate) fn new(name: &str, mut family: Family) -> Self {
        name.clone_into(&mut family.function.name);
        Self { aliases: BTreeSet::new(), family }
    }
}

/// A dictionary that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", line.map_or(String::new(), |line| format!("line {line}: ")))]
pub struct DictionaryError {
    /// The line, counted from 1; none where families contradict each other.
    pub line: Option<usize>,
    /// What is wrong with it.
    pub message: String,
}

fn error(line: usize, message: impl Into<String>) -> DictionaryError {
    DictionaryError { line: Some(line), message: message.into() }
}

impl Dictionary {
    /// Reads the text form. An empty text is an empty dictionary.
    pub fn parse(text: &str) -> Result<Self, DictionaryError> {
        let mut lines = Lines { lines: text.lines().collect(), next: 0 };
        let mut dictionary = Self::default();
        let mut current: Option<Draft> = None;
        let mut versioned = false;
        while let Some((number, line)) = lines.next() {
            let (keyword, rest) = line.split_once(' ').unwrap_or((line, ""));
            let rest = rest.trim();
            match keyword {
                "version" if rest == VERSION.to_string() && !versioned => versioned = true,
                "version" => return Err(error(number, format!("`{rest}` is not version {VERSION}"))),
                _ if !versioned => return Err(error(number, format!("`version {VERSION}` comes first"))),
                "family" => {
                    dictionary.finish(current.take())?;
                    current = Some(Draft::new(number, rest, &dictionary)?);
                }
                _ => {
                    let before = || error(number, format!("`{keyword}` before the first `family`"));
                    current.as_mut().ok_or_else(before)?.read(number, keyword, rest, &mut lines)?;
                }
            }
        }
        dictionary.finish(current)?;
        dictionary.check()
    }

    fn finish(&mut self, draft: Option<Draft>) -> Result<(), DictionaryError> {
        if let Some(draft) = draft {
            let (name, entry) = draft.finish()?;
            self.entries.insert(name, entry);
        }
        Ok(())
    }

    /// Every key, every name and every member belongs to one family.
    fn check(self) -> Result<Self, DictionaryError> {
        let fail = |message: String| DictionaryError { line: None, message };
        let mut keys = BTreeMap::new();
        let mut names: BTreeMap<&str, &str> = self.names().map(|name| (name, name)).collect();
        let mut members = BTreeMap::new();
        for (name, Entry { aliases, family }) in &self.entries {
            if let Some(other) = keys.insert(&family.key, name) {
                return Err(fail(format!("key `{}` occurs in `{other}` and in `{name}`", family.key)));
            }
            for alias in aliases {
                if let Some(other) = names.insert(alias, name) {
                    return Err(fail(format!("alias `{alias}` of `{name}` is also a name of `{other}`")));
                }
            }
            for member in family.members.keys() {
                if let Some(other) = members.insert(member, name) {
                    let (isa, id) = member;
                    return Err(fail(format!("member `{isa}:{id}` occurs in `{other}` and in `{name}`")));
                }
            }
        }
        Ok(self)
    }

    /// The names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// The families, ordered by name.
    pub fn families(&self) -> impl Iterator<Item = (&str, &Family)> {
        self.entries.iter().map(|(name, entry)| (name.as_str(), &entry.family))
    }

    /// The current name for a name or a former name.
    pub fn resolve(&self, name: &str) -> Option<&str> {
        if let Some((name, _)) = self.entries.get_key_value(name) {
            return Some(name);
        }
        let mut entries = self.entries.iter();
        entries.find(|(_, entry)| entry.aliases.contains(name)).map(|(name, _)| name.as_str())
    }

    /// This dictionary and the families of `other` that it lacks. A name or member that it has itself keeps its
    /// place: families of `other` get other names, and lose the members. One that is left without members stays
    /// only if instructions can be fitted into it.
    pub fn with(mut self, other: Self) -> Self {
        let keys: BTreeSet<String> = self.families().map(|(_, family)| family.key.clone()).collect();
        let known: BTreeSet<(String, String)> =
            self.families().flat_map(|(_, family)| family.members.keys().cloned()).collect();
        for (name, mut entry) in other.entries {
            entry.family.members.retain(|member, _| !known.contains(member));
            let is_used = !entry.family.members.is_empty() || entry.family.numbers.is_some();
            if keys.contains(&entry.family.key) || !is_used {
                continue;
            }
            entry.aliases.retain(|alias| self.resolve(alias).is_none());
            let numbered = (2..).map(|number| format!("{name}_{number}"));
            let mut names = std::iter::once(name.clone()).chain(numbered);
            let free = names.find(|name| self.resolve(name).is_none()).unwrap_or(name);
            let aliases = std::mem::take(&mut entry.aliases);
            self.entries.insert(free.clone(), Entry { aliases, ..Entry::new(&free, entry.family) });
        }
        self
    }

    /// The families that `other` lacks.
    pub fn beyond(&self, other: &Self) -> Self {
        let keys: BTreeSet<&str> = other.families().map(|(_, family)| family.key.as_str()).collect();
        let new = self.entries.iter().filter(|(_, entry)| !keys.contains(entry.family.key.as_str()));
        Self { entries: new.map(|(name, entry)| (name.clone(), entry.clone())).collect() }
    }
}

/// The lines of a text, without comments and empty lines.
struct Lines<'t> {
    lines: Vec<&'t str>,
    next: usize,
}

impl<'t> Lines<'t> {
    /// The next line that says something, trimmed, and its number from 1.
    fn next(&mut self) -> Option<(usize, &'t str)> {
        loop {
            let line = self.lines.get(self.next)?;
            self.next += 1;
            let line = line.split_once('#').map_or(*line, |(before, _)| before).trim();
            if !line.is_empty() {
                return Some((self.next, line));
            }
        }
    }

    /// The lines up to one that is a closing brace, as they are.
    fn block(&mut self) -> Option<String> {
        let rest = &self.lines[self.next..];
        let length = rest.iter().position(|line| *line == "}")? + 1;
        self.next += length;
        Some(rest[..length].join("\n"))
    }
}

/// A family while it is read.
struct Draft {
    /// Of its `family` line.
    line: usize,
    name: String,
    key: Option<String>,
    structure: Option<String>,
    aliases: BTreeSet<String>,
    /// With their line.
    numbers: Option<(usize, String)>,
    function: Option<Function>,
    /// With their lines.
    members: Vec<(usize, String)>,
}

impl Draft {
    fn new(line: usize, name: &str, before: &Dictionary) -> Result<Self, DictionaryError> {
        if !crate::name::is_valid(name) {
            return Err(error(line, format!("`{name}` is not a valid operation name")));
        }
        if before.entries.contains_key(name) {
            return Err(error(line, format!("family `{name}` occurs twice")));
        }
        Ok(Self {
            line,
            name: name.to_owned(),
            key: None,
            structure: None,
            aliases: BTreeSet::new(),
            numbers: None,
            function: None,
            members: Vec::new(),
        })
    }

    /// Reads a line of the family.
    fn read(
        &mut self,
        line: usize,
        keyword: &str,
        rest: &str,
        lines: &mut Lines<'_>,
    ) -> Result<(), DictionaryError> {
        match keyword {
            "key" | "structure" if !is_key(rest) => {
                return Err(error(line, format!("`{rest}` is not a key: lower-case hexadecimal digits")));
            }
            "key" => self.key = Some(rest.to_owned()),
            "structure" => self.structure = Some(rest.to_owned()),
            "alias" => self.aliases.extend(rest.split_whitespace().map(str::to_owned)),
            "numbers" => self.numbers = Some((line, rest.to_owned())),
            "member" => self.members.push((line, rest.to_owned())),
            "function" => {
                let body = lines.block().ok_or_else(|| error(line, "the function has no end"))?;
                let text = format!("func @{}{rest}\n{body}\n", self.name);
                let function = Function::parse(&text)
                    .map_err(|wrong| error(line + wrong.line - 1, wrong.message.clone()))?;
                self.function = Some(function);
            }
            _ => return Err(error(line, format!("unknown keyword `{keyword}`"))),
        }
        Ok(())
    }

    fn finish(self) -> Result<(String, Entry), DictionaryError> {
        let lacks = |what: &str| error(self.line, format!("family `{}` has no `{what}`", self.name));
        let key = self.key.ok_or_else(|| lacks("key"))?;
        let function = self.function.ok_or_else(|| lacks("function"))?;
        let numbers = self.numbers.map(|(line, text)| {
            let numbers = text.split(',').filter(|text| !text.trim().is_empty());
            let numbers = numbers.map(|text| function.parse_number(text));
            numbers.collect::<Result<Vec<_>, _>>().map_err(|wrong| error(line, wrong.message))
        });
        let numbers = numbers.transpose()?;
        let mut members = BTreeMap::new();
        for (line, text) in self.members {
            let (member, known) = parse_member(&text, &function).map_err(|message| error(line, message))?;
            if members.insert(member, known).is_some() {
                return Err(error(line, "the member occurs twice"));
            }
        }
        let structure = self.structure.unwrap_or_else(|| key.clone());
        let family = Family { key, structure, function, numbers, members };
        Ok((self.name, Entry { aliases: self.aliases, family }))
    }
}

/// Whether a text can be a key.
pub(crate) fn is_key(text: &str) -> bool {
    let digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    !text.is_empty() && text.bytes().all(digit)
}

/// The text form, sorted; [`Dictionary::parse`] reads it back.
impl fmt::Display for Dictionary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "# Families of the AutoLLVM operations, written by `cargo xtask generate-ir`.")?;
        writeln!(f, "# To rename a family, change its `family` line and add the old name as `alias`.")?;
        writeln!(f, "version {VERSION}")?;
        for (name, Entry { aliases, family }) in &self.entries {
            let Family { key, structure, function, numbers, members } = family;
            writeln!(f, "\nfamily {name}\n  key {key}")?;
            if structure != key {
                writeln!(f, "  structure {structure}")?;
            }
            for alias in aliases {
                writeln!(f, "  alias {alias}")?;
            }
            if let Some(numbers) = numbers {
                let numbers: Vec<String> =
                    numbers.iter().map(|number| function.number_text(number)).collect();
                writeln!(f, "  numbers {}", numbers.join(", "))?;
            }
            let text = function.to_string();
            let head = format!("func @{name}");
            writeln!(f, "function {}", text.strip_prefix(&head).unwrap_or(&text).trim_end())?;
            for ((isa, id), known) in members {
                writeln!(f, "  {}", member_line(isa, id, known))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
version 1

family add
  key 0a
  structure 1b
  alias plus
  numbers e, n - 1, 2*e*n, -1
function [e = 8, n = 4](%a: e*n, %b: e*n) -> (%dst: e*n) {
  %dst[0 +: e*n] = add(%a, %b)
}
  member arm v%23d at 8,2 of 1,0 in 16,16 commutes
  member x86 m at 16,4 of 2,0:8/16/32@4/2 in 64,0 mask 1/1/8/negated pass 3 part 0/64/5

family not
  key 2c
function (%a: 8) -> (%dst: 8) {
  %dst[0 +: 8] = not(%a)
}
  member x86 n of =-1 in 0
  member x86 q of 1:0/8/8 in 1..16
";

    fn parsed(text: &str) -> Dictionary {
        Dictionary::parse(text).expect("it is legal")
    }

    #[test]
    fn the_text_form_reads_back() {
        let dictionary = parsed(TEXT);
        let text = dictionary.to_string();
        assert!(text.ends_with(TEXT), "{text}");
        assert_eq!(parsed(&text), dictionary);
        assert_eq!(dictionary.resolve("plus"), Some("add"));
        assert_eq!(dictionary.resolve("minus"), None);
        let add = &dictionary.entries["add"].family;
        assert_eq!(add.structure, "1b");
        assert_eq!(add.numbers.as_ref().map(Vec::len), Some(4));
        assert!(add.members.contains_key(&("arm".to_owned(), "v#d".to_owned())));
        assert_eq!(dictionary.entries["not"].family.structure, "2c");
        assert_eq!(parsed(""), Dictionary::default());
    }

    #[test]
    fn a_rename_is_one_line() {
        let dictionary = parsed(&TEXT.replace("family add\n", "family sum\n  alias add\n"));
        assert_eq!(dictionary.resolve("add"), Some("sum"));
        assert_eq!(dictionary.entries["sum"].family.function.name, "sum");
    }

    #[test]
    fn of_two_dictionaries_the_first_one_keeps_its_names_and_members() {
        let own = parsed(TEXT);
        let other = "version 1\nfamily plus\n key 3d\n alias add\nfunction () -> (%d: 8) {\n  %d[0 +: 8] = 0x1:8\n}\n \
                     member x86 m\n member x86 o\nfamily sub\n key 2c\nfunction () -> (%d: 8) {\n  %d[0 +: 8] = 0x1:8\n}\n \
                     member x86 p\n";
        let both = own.clone().with(parsed(other));
        assert_eq!(parsed(&both.to_string()), both);
        assert_eq!(both.names().collect::<Vec<_>>(), ["add", "not", "plus_2"]);
        let added = both.beyond(&own);
        assert_eq!(added.names().collect::<Vec<_>>(), ["plus_2"]);
        assert_eq!(
            added.entries["plus_2"].family.members.keys().collect::<Vec<_>>(),
            [&("x86".into(), "o".into())]
        );
        assert_eq!(own.clone().with(added), both);
        assert_eq!(own.clone().with(own.clone()), own);
        assert_eq!(Dictionary::default().with(own.clone()), own);
    }

    #[test]
    fn mistakes_are_errors_with_their_line() {
        let family = |name: &str, rest: &str| {
            format!("family {name}\n{rest}\nfunction [e = 8](%a: e) -> (%d: e) {{\n  %d[0 +: e] = %a\n}}\n")
        };
        let one = |rest: &str| format!("version 1\n{}", family("a", rest));
        let two = |one: &str, two: &str| format!("version 1\n{}{}", family("a", one), family("b", two));
        for (text, message) in [
            ("family a\n".to_owned(), "line 1: `version 1` comes first"),
            ("version 2\n".to_owned(), "line 1: `2` is not version 1"),
            ("version 1\nkey 12\n".to_owned(), "line 2: `key` before the first `family`"),
            ("version 1\nfamily A-b\n".to_owned(), "line 2: `A-b` is not a valid operation name"),
            ("version 1\nfamily a\n key 1\n".to_owned(), "line 2: family `a` has no `function`"),
            ("version 1\nfamily a\n key 1\nfunction () {\n".to_owned(), "line 4: the function has no end"),
            (one(""), "line 2: family `a` has no `key`"),
            (one("key XY"), "line 3: `XY` is not a key: lower-case hexadecimal digits"),
            (one("colour red"), "line 3: unknown keyword `colour`"),
            (one("key 1\nnumbers e, f"), "line 4: no parameter or index `f` is in scope"),
            (one("key 1\nmember x i of 0"), "line 4: 0 parameter values for 1"),
            (one("key 1\nmember x i at 8 of 0,1"), "line 4: 2 arguments for 1"),
            (one("key 1\nmember x i at 8 of q"), "line 4: `q` is not the origin of an argument"),
            (one("key 1\nmember x i at 8 of 0\nmember x i at 8 of 0"), "line 5: the member occurs twice"),
            (one("key 1").replace("= %a", "= %x"), "line 5: no argument is named `%x`"),
            (format!("{}{}", one("key 1"), family("a", "key 2")), "line 7: family `a` occurs twice"),
            (two("key 1", "key 1"), "key `1` occurs in `a` and in `b`"),
            (two("key 1\nalias b", "key 2"), "alias `b` of `a` is also a name of `b`"),
            (
                two("key 1\nmember x i at 8 of 0", "key 2\nmember x i at 8 of 0"),
                "member `x:i` occurs in `a` and in `b`",
            ),
        ] {
            let wrong = Dictionary::parse(&text).expect_err(&text);
            assert_eq!(wrong.to_string(), message, "{text}");
        }
    }
}
