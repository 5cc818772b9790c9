//! A function of the compiler's output as self-contained text: no attributes, no metadata, no named types,
//! values numbered in the order of their definitions.

use std::collections::BTreeMap;

use llvm_text::{Type, split_list};

/// A function in LLVM assembly.
///
/// Parameters are named `%a0`, `%a1`, …; values `%v0`, `%v1`, …; blocks `b0`, `b1`, …, the first of which has
/// a label only when there are several.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Body {
    /// The type of the result.
    pub result: Type,
    /// The types of the parameters.
    pub params: Vec<Type>,
    /// The lines between the braces, without indentation.
    pub lines: Vec<String>,
}

/// A line of a function, split so that values can be replaced.
#[derive(Clone, Debug)]
struct Line {
    /// The value that it defines, without `%`.
    defines: Option<String>,
    /// What is on the right of `=`, or the whole line.
    text: String,
}

/// The functions of a module as the compiler prints it, by name. A function that is not self-contained is
/// reported as a message.
pub(super) fn functions(module: &str) -> BTreeMap<String, Result<Body, String>> {
    let mut found = BTreeMap::new();
    let types = named_types(module);
    let mut lines = module.lines();
    while let Some(line) = lines.next() {
        let Some(head) = line.strip_prefix("define ") else { continue };
        let body: Vec<String> = lines
            .by_ref()
            .take_while(|line| *line != "}")
            .map(|line| map_names(line, |name| types.get(name).cloned()))
            .collect();
        let head = map_names(head, |name| types.get(name).cloned());
        if let Some((name, read)) = function(&head, &body) {
            found.insert(name, read);
        }
    }
    found
}

/// The definitions of the module's named types: `%struct.int8x8x2_t = type { [2 x <8 x i8>] }`.
fn named_types(module: &str) -> BTreeMap<String, String> {
    let definition = |line: &str| {
        let (name, ty) = line.strip_prefix('%')?.split_once(" = type ")?;
        Some((name.to_owned(), ty.to_owned()))
    };
    let mut types: BTreeMap<String, String> = module.lines().filter_map(definition).collect();
    // Types within types, a few levels deep.
    for _ in 0..3 {
        let known = types.clone();
        for ty in types.values_mut() {
            *ty = map_names(ty, |name| known.get(name).cloned());
        }
    }
    types
}

fn function(head: &str, lines: &[String]) -> Option<(String, Result<Body, String>)> {
    let at = head.find(" @")?;
    let open = at + head[at..].find('(')?;
    let close = matching(head, open)?;
    let name = head[at + 2..open].to_owned();
    // Only such results are pointers, and after them operands in memory.
    let results = name.rsplit('_').next().and_then(|count| count.parse().ok()).unwrap_or(0);
    let read = Function::read(&head[..at], &head[open + 1..close], lines);
    Some((name, read.and_then(|function| function.body(results))))
}

/// The position of the bracket that closes the one at `open`.
fn matching(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0;
    for (position, character) in text.char_indices().skip_while(|(position, _)| *position < open) {
        match character {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' => {
                depth -= 1;
                if depth == 0 {
                    return Some(position);
                }
            }
            _ => {}
        }
    }
    None
}

/// The type at the end of a list of attributes and a type, as results have them.
fn type_of(text: &str) -> &str {
    let text = text.trim();
    let start = match text.find(['<', '[', '{']) {
        Some(bracket) => bracket,
        None => text.rfind(' ').map_or(0, |space| space + 1),
    };
    &text[start..]
}

struct Function {
    result: String,
    params: Vec<(String, String)>,
    lines: Vec<Line>,
}

/// Hexagon's conversions between vectors and predicates, all bits of a byte for one bit.
const TO_PREDICATE: &str = "call <128 x i1> @llvm.hexagon.V6.vandvrt.128B(<32 x i32> ";
const FROM_PREDICATE: &str = "call <32 x i32> @llvm.hexagon.V6.vandqrt.128B(<128 x i1> ";
const ALL_ONES: &str = ", i32 -1)";

impl Function {
    fn read(before: &str, params: &str, lines: &[String]) -> Result<Self, String> {
        let params = split_list(params).into_iter().map(|param| {
            let (types, name) = param.rsplit_once(" %").ok_or_else(|| format!("a parameter {param:?}"))?;
            // Attributes follow the type.
            Ok((name.to_owned(), first_type(types).to_owned()))
        });
        let params = params.collect::<Result<Vec<_>, String>>()?;
        let mut read = Vec::new();
        for line in lines {
            let line = plain(line);
            if line.is_empty() || line.contains("@llvm.lifetime.") {
                continue;
            }
            read.push(match line.strip_prefix('%').and_then(|line| line.split_once(" = ")) {
                Some((name, text)) => Line { defines: Some(name.to_owned()), text: text.to_owned() },
                None => Line { defines: None, text: line },
            });
        }
        Ok(Self { result: type_of(before).to_owned(), params, lines: read })
    }

    /// The body, where the first `results` parameters are pointers to results.
    fn body(mut self, results: usize) -> Result<Body, String> {
        self.return_stored_results(results)?;
        let has_memory = self.params.iter().any(|(_, ty)| ty == "ptr");
        self.pass_predicates();
        self.fold_bitcasts();
        for line in &self.lines {
            let own: &[&str] = if has_memory { &["alloca "] } else { &["load ", "store ", "alloca "] };
            if own.iter().any(|word| line.text.contains(word)) {
                return Err("it goes through memory".into());
            }
            let mut names = line.text.match_indices('@').map(|(at, _)| &line.text[at..]);
            if let Some(name) = names.find(|name| !name.starts_with("@llvm.")) {
                let name = name.split('(').next().unwrap_or(name);
                return Err(format!("it refers to {name}"));
            }
            if line.text.contains("%struct.") || line.text.contains("%union.") {
                return Err("it has a named type".into());
            }
        }
        self.renamed()
    }

    /// `store`s through the pointers `r0`, `r1`, … become the parts of one returned structure.
    fn return_stored_results(&mut self, results: usize) -> Result<(), String> {
        let pointers: Vec<String> = self.params.iter().take(results).map(|(name, _)| name.clone()).collect();
        if pointers.is_empty() || self.result != "void" {
            return Ok(());
        }
        let mut values: Vec<(String, String)> = Vec::new();
        for pointer in &pointers {
            let target = format!(", ptr %{pointer}");
            let mut stores = self.lines.iter().enumerate().filter(|(_, line)| uses(&line.text, pointer));
            let (Some((at, line)), None) = (stores.next(), stores.next()) else {
                return Err("a result is written in parts".into());
            };
            let stored = line.text.strip_prefix("store ").and_then(|text| text.split_once(&target));
            let (stored, _) = stored.ok_or("a result is not simply stored")?;
            let ty = first_type(stored);
            values.push((ty.to_owned(), stored[ty.len()..].trim().to_owned()));
            self.lines.remove(at);
        }
        if self.lines.pop().is_none_or(|line| line.text != "ret void") {
            return Err("several results and several ends".into());
        }
        self.params.drain(..pointers.len());
        let types: Vec<&str> = values.iter().map(|(ty, _)| ty.as_str()).collect();
        self.set_results(&format!("{{ {} }}", types.join(", ")), &values);
        Ok(())
    }

    /// Appends the return of a structure of `values`.
    fn set_results(&mut self, ty: &str, values: &[(String, String)]) {
        let mut whole = "poison".to_owned();
        for (index, (part, value)) in values.iter().enumerate() {
            let name = format!("returned.{index}");
            let text = format!("insertvalue {ty} {whole}, {part} {value}, {index}");
            self.lines.push(Line { defines: Some(name.clone()), text });
            whole = format!("%{name}");
        }
        self.lines.push(Line { defines: None, text: format!("ret {ty} {whole}") });
        self.result = ty.to_owned();
    }

    /// Predicates that are vectors in C are passed and returned as predicates.
    fn pass_predicates(&mut self) {
        for position in 0..self.params.len() {
            let name = self.params[position].0.clone();
            let conversion = format!("{TO_PREDICATE}%{name}{ALL_ONES}");
            let mut users = self.lines.iter().filter(|line| uses(&line.text, &name)).peekable();
            if users.peek().is_none() || !users.all(|line| line.text == conversion) {
                continue;
            }
            self.params[position].1 = "<128 x i1>".to_owned();
            while let Some(at) = self.lines.iter().position(|line| line.text == conversion) {
                let converted = self.lines.remove(at).defines.unwrap_or_default();
                for line in &mut self.lines {
                    line.text = replace_value(&line.text, &converted, &name);
                }
            }
        }
        let Some(last) = self.lines.len().checked_sub(1) else { return };
        if let Some(value) = self.lines[last].text.strip_prefix("ret <32 x i32> ").map(str::to_owned)
            && let Some(bits) = self.take_predicate(&value)
        {
            let last = self.lines.len() - 1;
            self.lines[last].text = format!("ret <128 x i1> {bits}");
            self.result = "<128 x i1>".to_owned();
        }
        self.return_predicates();
    }

    /// The same within a returned structure.
    fn return_predicates(&mut self) {
        if !self.result.starts_with('{') {
            return;
        }
        let first =
            self.lines.iter().position(|line| line.defines.as_ref().is_some_and(|name| name == "returned.0"));
        let Some(first) = first else { return };
        let parts: Vec<(String, String)> = self.lines[first..self.lines.len() - 1]
            .iter()
            .filter_map(|line| {
                let part = split_list(line.text.strip_prefix("insertvalue ")?);
                let ty = first_type(part.get(1)?);
                Some((ty.to_owned(), part[1][ty.len()..].trim().to_owned()))
            })
            .collect();
        self.lines.truncate(first);
        let parts: Vec<(String, String)> = parts
            .into_iter()
            .map(|(ty, value)| match self.take_predicate(&value) {
                Some(bits) => ("<128 x i1>".to_owned(), bits),
                None => (ty, value),
            })
            .collect();
        let types: Vec<&str> = parts.iter().map(|(ty, _)| ty.as_str()).collect();
        let ty = format!("{{ {} }}", types.join(", "));
        self.set_results(&ty, &parts);
    }

    /// The predicate that `value` is made from; the conversion is removed where nothing else needs it.
    fn take_predicate(&mut self, value: &str) -> Option<String> {
        let name = value.strip_prefix('%')?;
        let at = self.lines.iter().position(|line| line.defines.as_deref() == Some(name))?;
        let bits = self.lines[at].text.strip_prefix(FROM_PREDICATE)?.strip_suffix(ALL_ONES)?.to_owned();
        if self.lines.iter().filter(|line| uses(&line.text, name)).count() <= 1 {
            self.lines.remove(at);
        }
        Some(bits)
    }

    /// A bitcast of a bitcast is one of the first value, or is that value; what nothing uses is removed.
    fn fold_bitcasts(&mut self) {
        // Where there are branches an earlier value need not be defined here.
        if self.lines.iter().any(|line| line.text.ends_with(':')) {
            return;
        }
        // The origin of each value that is a bitcast: type and value.
        let mut origins: BTreeMap<String, (String, String)> = BTreeMap::new();
        let mut lines: Vec<Line> = Vec::new();
        let mut same: BTreeMap<String, String> = BTreeMap::new();
        let mut made: BTreeMap<String, String> = BTreeMap::new();
        for mut line in std::mem::take(&mut self.lines) {
            line.text = map_names(&line.text, |name| same.get(name).map(|same| format!("%{same}")));
            let cast = line.text.strip_prefix("bitcast ").and_then(|text| text.rsplit_once(" to "));
            if let (Some((value, to)), Some(defined)) = (cast, &line.defines) {
                let from = first_type(value);
                if let Some(name) = value[from.len()..].trim().strip_prefix('%') {
                    let (from, name) =
                        origins.get(name).cloned().unwrap_or_else(|| (from.to_owned(), name.to_owned()));
                    let text = format!("bitcast {from} %{name} to {to}");
                    if from == to {
                        same.insert(defined.clone(), name);
                        continue;
                    }
                    if let Some(earlier) = made.get(&text) {
                        same.insert(defined.clone(), earlier.clone());
                        continue;
                    }
                    origins.insert(defined.clone(), (from, name));
                    made.insert(text.clone(), defined.clone());
                    line.text = text;
                }
            }
            lines.push(line);
        }
        // A use comes after its definition, so that one walk from the end finds all that is dead.
        let mut live: Vec<Line> = Vec::new();
        for line in lines.into_iter().rev() {
            let dead = line.text.starts_with("bitcast ")
                && line
                    .defines
                    .as_ref()
                    .is_some_and(|name| !live.iter().any(|later| uses(&later.text, name)));
            if !dead {
                live.push(line);
            }
        }
        live.reverse();
        self.lines = live;
    }

    /// Gives parameters, values and blocks their names, and reads the types.
    fn renamed(self) -> Result<Body, String> {
        let mut names: BTreeMap<String, String> = BTreeMap::new();
        for (position, (name, _)) in self.params.iter().enumerate() {
            names.insert(name.clone(), format!("a{position}"));
        }
        // Unnamed, the first block has the number after the last parameter.
        let entry = self.params.len().to_string();
        let labels = self.lines.iter().filter_map(|line| line.text.strip_suffix(':'));
        let mut blocks = 1;
        for label in labels {
            names.insert(label.to_owned(), format!("b{blocks}"));
            blocks += 1;
        }
        let several = blocks > 1;
        if several {
            names.entry(entry).or_insert_with(|| "b0".to_owned());
        }
        for (number, name) in self.lines.iter().filter_map(|line| line.defines.as_ref()).enumerate() {
            names.insert(name.clone(), format!("v{number}"));
        }
        let mut lines = Vec::new();
        if several {
            lines.push("b0:".to_owned());
        }
        for line in &self.lines {
            if let Some(label) = line.text.strip_suffix(':') {
                lines.push(format!("{}:", names.get(label).map_or(label, String::as_str)));
                continue;
            }
            let text = map_names(&line.text, |name| names.get(name).map(|name| format!("%{name}")));
            lines.push(match &line.defines {
                Some(name) => format!("%{} = {text}", names[name]),
                None => text,
            });
        }
        let read = |ty: &str| ty.parse::<Type>().map_err(|error| error.to_string());
        let params = self.params.iter().map(|(_, ty)| read(ty)).collect::<Result<_, _>>()?;
        Ok(Body { result: read(&self.result)?, params, lines })
    }
}

/// What asks an access not to fill caches: the only metadata that belongs to a lowering.
const NON_TEMPORAL: &str = ", !nontemporal";

/// The same with its node in place, so that it needs no definition at the end of a module.
const NON_TEMPORAL_IN_PLACE: &str = ", !nontemporal !{i32 1}";

/// A line without comment, other metadata and attributes.
fn plain(line: &str) -> String {
    let line = match line.find("; ") {
        // A label's comment lists the blocks before it.
        Some(comment) if !line[..comment].contains('"') => &line[..comment],
        _ => line,
    };
    let hint = if line.contains(NON_TEMPORAL) { NON_TEMPORAL_IN_PLACE } else { "" };
    let line = match line.find(", !") {
        Some(metadata) => &line[..metadata],
        None => line,
    };
    let line = line.trim();
    let mut words = Vec::new();
    for word in line.split(' ') {
        let group = word.strip_prefix('#').is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit()));
        if !group && !PARAMETER_ATTRIBUTES.contains(&word) {
            words.push(word);
        }
    }
    format!("{}{hint}", words.join(" ").trim())
}

/// Attributes of results and arguments in calls that are irrelevant to a lowering.
const PARAMETER_ATTRIBUTES: &[&str] =
    &["noundef", "signext", "zeroext", "nonnull", "tail", "local_unnamed_addr", "dso_local"];

/// The type at the start of `<type> <value>`.
fn first_type(text: &str) -> &str {
    if text.starts_with(['<', '[', '{']) {
        let end = matching(text, 0).map_or(text.len(), |close| close + 1);
        return &text[..end];
    }
    text.split(' ').next().unwrap_or(text)
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'$' | b'-')
}

/// Replaces `%name` by what `text_of` has for the name.
fn map_names(text: &str, text_of: impl Fn(&str) -> Option<String>) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        result.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let end = rest.bytes().position(|byte| !is_name(byte)).unwrap_or(rest.len());
        match text_of(&rest[..end]) {
            Some(text) => result.push_str(&text),
            None => result.extend(["%", &rest[..end]]),
        }
        rest = &rest[end..];
    }
    result + rest
}

fn replace_value(text: &str, from: &str, to: &str) -> String {
    map_names(text, |name| (name == from).then(|| format!("%{to}")))
}

/// Whether `%name` occurs.
fn uses(text: &str, name: &str) -> bool {
    let found = std::cell::Cell::new(false);
    map_names(text, |other| {
        found.set(found.get() || other == name);
        None
    });
    found.get()
}
