//! Instances of rules: every choice of a rule's parameters, with its expressions read.

use std::collections::BTreeMap;

use synth::window::{ExpressionId, Expressions, Kind, Leaf, Names, Type, Window, limits, parse};

use crate::arithmetic::evaluate;
use crate::text::{About, Binds, Piece, Rule, RuleError, Values, error_at};

/// Widths of elements that instructions have.
pub const WIDTHS: [u32; 4] = [8, 16, 32, 64];

/// Instances of one rule, at most.
const MAX_INSTANCES: usize = 4096;

/// A rule with its parameters chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// The parameters with their values.
    pub parameters: Vec<(String, String)>,
    /// The pattern as a window of one lane, whose leaves are the variables.
    pub window: Window,
    /// What each variable may stand for.
    pub binds: Vec<Binds>,
    /// What replaces the pattern; an expression of the window.
    pub to: Option<ExpressionId>,
    /// Conditions, expressions of the window.
    pub conditions: Vec<ExpressionId>,
    /// Known bits: a variable, a mask, and what its bits are there.
    pub bits: Vec<(usize, u64, u64)>,
    /// Whether only the pattern is looked for, and not what replaces it.
    pub one_way: bool,
}

impl Instance {
    /// The parameters as people read them: `s = u, n = 8`.
    pub fn shown(&self) -> String {
        let all: Vec<String> =
            self.parameters.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        all.join(", ")
    }

    /// The name of a variable.
    pub fn name(&self, variable: usize) -> &str {
        &self.window.leaves[variable].name
    }
}

/// All instances of a rule whose types exist; `text` is the file's, for places.
pub fn instances(rule: &Rule, text: &str) -> Result<Vec<Instance>, RuleError> {
    let optional = rule.parameters.iter().any(|(_, values)| *values == Values::Widths);
    let mut chosen: Vec<Vec<(String, String)>> = vec![Vec::new()];
    for (name, values) in &rule.parameters {
        let values: Vec<String> = match values {
            Values::Widths => WIDTHS.iter().map(ToString::to_string).collect(),
            Values::Signs => vec!["u".into(), "i".into()],
            Values::Words(words) => words.clone(),
        };
        let with = |own: &Vec<(String, String)>| {
            let mut all = Vec::new();
            for value in &values {
                let mut own = own.clone();
                own.push((name.clone(), value.clone()));
                all.push(own);
            }
            all
        };
        chosen = chosen.iter().flat_map(with).collect();
        if chosen.len() > MAX_INSTANCES {
            return Err(error_at(
                text,
                rule.at,
                format!("rule {} has more than {MAX_INSTANCES} instances", rule.name),
            ));
        }
    }
    let mut made = Vec::new();
    for parameters in chosen {
        made.extend(instance(rule, text, parameters, optional)?);
    }
    match made.is_empty() {
        true => {
            Err(error_at(text, rule.at, format!("the types of rule {} exist for no instance", rule.name)))
        }
        false => Ok(made),
    }
}

/// A piece with its braces filled in, and for each byte where it was.
struct Expanded {
    text: String,
    places: Vec<usize>,
}

impl Expanded {
    fn place(&self, at: usize) -> usize {
        self.places.get(at).or(self.places.last()).copied().unwrap_or(0)
    }
}

fn expand(piece: &Piece, parameters: &[(String, String)], text: &str) -> Result<Expanded, RuleError> {
    let mut out = Expanded { text: String::new(), places: Vec::new() };
    let (mut rest, mut at) = (piece.text.as_str(), piece.at);
    loop {
        let open = rest.find('{').unwrap_or(rest.len());
        out.text += &rest[..open];
        out.places.extend(at..at + open);
        if open == rest.len() {
            out.places.push(at + open);
            return Ok(out);
        }
        let Some(length) = rest[open..].find('}') else {
            return Err(error_at(text, at + open, "this `{` is not closed"));
        };
        let inner = &rest[open + 1..open + length];
        let value = match parameters.iter().find(|(name, _)| name == inner.trim()) {
            Some((_, value)) => value.clone(),
            None => number(inner, parameters)
                .map_err(|(place, message)| error_at(text, at + open + 1 + place, message))?
                .to_string(),
        };
        out.places.extend(std::iter::repeat_n(at + open, value.len()));
        out.text += &value;
        rest = &rest[open + length + 1..];
        at += open + length + 1;
    }
}

fn number(text: &str, parameters: &[(String, String)]) -> Result<i128, (usize, String)> {
    let value = |name: &str| parameters.iter().find(|(own, _)| own == name)?.1.parse().ok();
    evaluate(text, &value).map_err(|error| (error.at, error.message))
}

/// The words of an expression: where each starts, the word, and whether it is an operation's name.
fn words(text: &str) -> Vec<(usize, &str, bool)> {
    let (mut found, mut start) = (Vec::new(), None);
    let bytes = text.as_bytes();
    for at in 0..=text.len() {
        let ends = bytes.get(at).is_none_or(|byte| byte.is_ascii_whitespace() || b"()[],".contains(byte));
        match (ends, start) {
            (false, None) => start = Some(at),
            (true, Some(from)) => {
                let head = text[..from].trim_end().ends_with('(');
                found.push((from, &text[from..at], head));
                start = None;
            }
            _ => {}
        }
    }
    found
}

/// Whether a word names a variable, its name and its type's text.
fn variable<'a>(word: &(usize, &'a str, bool)) -> Option<(&'a str, &'a str)> {
    let (name, ty) = word.1.split_once(':')?;
    (!word.2 && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')).then_some((name, ty))
}

fn instance(
    rule: &Rule,
    text: &str,
    parameters: Vec<(String, String)>,
    optional: bool,
) -> Result<Option<Instance>, RuleError> {
    let from = expand(&rule.from, &parameters, text)?;
    let to = rule.to.as_ref().map(|to| expand(to, &parameters, text)).transpose()?;
    let conditions = rule
        .conditions
        .iter()
        .map(|condition| expand(condition, &parameters, text))
        .collect::<Result<Vec<_>, _>>()?;
    let all = || std::iter::once(&from).chain(&to).chain(&conditions);
    let exists = |ty: Type| ty.kind == Kind::Condition || WIDTHS.contains(&ty.width);
    for expanded in all() {
        for word in words(&expanded.text) {
            if word.1 == "let" {
                return Err(error_at(text, expanded.place(word.0), "rules have no `let`"));
            }
            let ty = word.1.split_once(':').and_then(|(_, ty)| Type::parse(ty));
            if optional && word.1.contains(':') && !ty.is_some_and(exists) {
                return Ok(None);
            }
        }
    }
    let mut leaves: Vec<Leaf> = Vec::new();
    for word in words(&from.text) {
        let Some((name, ty)) = variable(&word) else { continue };
        let Some(ty) = Type::parse(ty) else { continue };
        if !leaves.iter().any(|leaf| leaf.name == name) {
            leaves.push(Leaf { name: name.to_owned(), ty, scalar: false, in_memory: false, range: None });
        }
    }
    let find = |piece: &Piece| {
        leaves.iter().position(|leaf| leaf.name == piece.text).ok_or_else(|| {
            error_at(text, piece.at, format!("there is no variable `{}` in the pattern", piece.text))
        })
    };
    let mut binds = vec![Binds::Anything; leaves.len()];
    for (name, kind) in &rule.binds {
        binds[find(name)?] = *kind;
    }
    let numbers = |about: &About| -> Result<(usize, i128, i128), RuleError> {
        let place = find(&about.name)?;
        let mut values = [0; 2];
        for (value, piece) in values.iter_mut().zip(&about.numbers) {
            let inner = piece.text.strip_prefix('{').and_then(|inner| inner.strip_suffix('}'));
            let shift = usize::from(inner.is_some());
            *value = number(inner.unwrap_or(&piece.text), &parameters)
                .map_err(|(at, message)| error_at(text, piece.at + shift + at, message))?;
        }
        Ok((place, values[0], values[1]))
    };
    let mut ranges = Vec::new();
    for about in &rule.ranges {
        let (place, low, high) = numbers(about)?;
        let (least, greatest) = limits(leaves[place].ty);
        if low > high || low < least || high > greatest {
            // Such an instance has nothing to hold for.
            if optional && low > high {
                return Ok(None);
            }
            let message = format!("[{low}, {high}] is no range of {}", leaves[place].ty);
            return Err(error_at(text, about.name.at, message));
        }
        ranges.push((place, (low, high)));
    }
    let mut bits = Vec::new();
    for about in &rule.bits {
        let (place, mask, value) = numbers(about)?;
        let most = (1i128 << leaves[place].ty.width) - 1;
        match (u64::try_from(mask), u64::try_from(value)) {
            (Ok(mask), Ok(value)) if i128::from(mask) <= most && value & !mask == 0 => {
                bits.push((place, mask, value));
            }
            _ => return Err(error_at(text, about.name.at, "these are no bits of the variable")),
        }
    }
    for (place, range) in ranges {
        leaves[place].range = Some(range);
    }
    let names: Names<'_> = BTreeMap::from_iter(
        leaves.iter().enumerate().map(|(position, leaf)| (leaf.name.as_str(), (position, leaf.ty))),
    );
    let mut expressions = Expressions::default();
    let mut read = |expanded: &Expanded| {
        parse(&expanded.text, &names, &mut expressions)
            .map_err(|error| error_at(text, expanded.place(error.at), error.message))
    };
    let root = read(&from)?;
    let to_id = to.as_ref().map(&mut read).transpose()?;
    let condition_ids = conditions.iter().map(&mut read).collect::<Result<Vec<_>, _>>()?;
    if let (Some(id), Some(expanded)) = (to_id, &to)
        && expressions.ty(id) != expressions.ty(root)
    {
        let (own, wanted) = (expressions.ty(id), expressions.ty(root));
        return Err(error_at(text, expanded.place(0), format!("{own} replaces {wanted}")));
    }
    let many = leaves.iter().any(|leaf| leaf.ty.lanes > 1) || expressions.ty(root).lanes > 1;
    // A variable that is the same in all lanes, or a constant, is of one lane, and is broadcast.
    let is_other = |(own, leaf): (&Binds, &Leaf)| *own != Binds::Anything && leaf.ty.lanes > 1;
    if many && (to.is_some() || !conditions.is_empty() || binds.iter().zip(&leaves).any(is_other)) {
        return Err(error_at(
            text,
            rule.from.at,
            "only plain patterns have vectors of several lanes: a rule is of one lane",
        ));
    }
    for (id, expanded) in condition_ids.iter().zip(&conditions) {
        if expressions.ty(*id).kind != Kind::Condition {
            return Err(error_at(text, expanded.place(0), "this is no condition"));
        }
    }
    let window = Window {
        name: rule.name.clone(),
        target: String::new(),
        leaves,
        expressions,
        root,
        in_registers: true,
        number: false,
        assumptions: Vec::new(),
        reference: None,
    };
    let one_way = rule.one_way;
    Ok(Some(Instance { parameters, window, binds, to: to_id, conditions: condition_ids, bits, one_way }))
}
