//! Decode variables as text, so that they can be kept as data next to the encodings' words.
//!
//! ```text
//! saba_advsimd +DOTP: d=0 esize=8 unsigned=FALSE op=CompareOp_GE imm='0101' shift=~16,-1 index=0|0|1|1
//! ```
//! The encoding's name, the extensions that its decode asks for, then the variables. A value holds for every
//! combination of immediates; `~constant,factor,…` is affine in the immediates (`:width` after it for bits);
//! otherwise the values of all combinations are listed. `UNKNOWN` is what the decode leaves open. A `-` marks a
//! combination that the assembler rejects or whose decode fails.

use std::fmt::Write as _;
use std::sync::Arc;

use hydride_ir::exact::Int;

use super::asl::ast::Name;
use super::decode::{Decoded, Fact, Variable, variables};

/// What stands for no value.
const OPEN: &str = "UNKNOWN";

/// The text of a line's decodes, one for each combination of immediates; empty where none is known.
pub fn print(decodes: &[Option<Arc<Decoded>>], combinations: &[Vec<i64>]) -> String {
    let known: Vec<Arc<Decoded>> = decodes.iter().flatten().cloned().collect();
    let Some(first) = known.first() else { return String::new() };
    let encodings: Vec<&str> =
        decodes.iter().map(|decode| decode.as_ref().map_or("-", |decode| &decode.encoding)).collect();
    let mut text = side_by_side(encodings);
    for extension in &first.extensions {
        let _ = write!(text, " +{extension}");
    }
    text.push(':');
    let fitted = (known.len() == decodes.len()).then(|| variables(&known, combinations));
    let mut names: Vec<&Name> = known.iter().flat_map(|decode| decode.vars.keys()).collect();
    names.sort();
    names.dedup();
    for name in names {
        let value = match fitted.as_ref().and_then(|all| all.get(name)) {
            Some(Variable::Affine { constant, factors, width }) => {
                let mut text = format!("~{constant}");
                for factor in factors {
                    let _ = write!(text, ",{factor}");
                }
                if let Some(width) = width {
                    let _ = write!(text, ":{width}");
                }
                text
            }
            _ => {
                let fact = |decode: &Option<Arc<Decoded>>| decode.as_ref()?.vars.get(name).map(shown);
                let all: Vec<String> =
                    decodes.iter().map(|decode| fact(decode).unwrap_or_else(|| "-".to_owned())).collect();
                side_by_side(all.iter().map(String::as_str).collect())
            }
        };
        let _ = write!(text, " {name}={value}");
    }
    text
}

fn side_by_side(all: Vec<&str>) -> String {
    match all.first() {
        Some(first) if all.iter().all(|other| other == first) => (*first).to_owned(),
        _ => all.join("|"),
    }
}

fn shown(fact: &Fact) -> String {
    match fact {
        Fact::Int(value) => value.to_string(),
        Fact::Bool(value) => if *value { "TRUE" } else { "FALSE" }.to_owned(),
        Fact::Enum(name) => name.to_string(),
        Fact::Open => OPEN.to_owned(),
        Fact::Bits(value, width) => {
            let bit = |at: u32| if (value >> at as usize) & Int::ONE == Int::ONE { '1' } else { '0' };
            let bits: String = (0..*width).rev().map(bit).collect();
            format!("'{bits}'")
        }
    }
}

/// The decodes of a text for all combinations, `None` where it has none; an error is the part that
/// cannot be read.
pub fn read(text: &str, combinations: &[Vec<i64>]) -> Result<Vec<Option<Arc<Decoded>>>, String> {
    let (head, tail) = text.split_once(':').ok_or_else(|| text.to_owned())?;
    let mut head = head.split_whitespace();
    let encodings = head.next().ok_or_else(|| text.to_owned())?;
    let extensions: Vec<Name> = head
        .map(|extension| extension.strip_prefix('+').map(Name::from).ok_or_else(|| extension.to_owned()))
        .collect::<Result<_, _>>()?;
    let names: Vec<&str> = encodings.split('|').collect();
    let mut distinct = names.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let mut decodes: Vec<Option<Decoded>> = (0..combinations.len())
        .map(|index| {
            let name = names.get(index).or(names.first()).copied().unwrap_or("-");
            (name != "-").then(|| Decoded {
                encoding: name.to_owned(),
                vars: Default::default(),
                extensions: extensions.clone(),
                position: distinct.iter().position(|other| *other == name).unwrap_or(0),
            })
        })
        .collect();
    for part in tail.split_whitespace() {
        let (name, value) = part.split_once('=').ok_or_else(|| part.to_owned())?;
        let (name, bad) = (Name::from(name), || part.to_owned());
        let values: Vec<&str> = value.split('|').collect();
        for (index, (decode, combination)) in decodes.iter_mut().zip(combinations).enumerate() {
            let Some(decode) = decode else { continue };
            let value = if values.len() == 1 { value } else { *values.get(index).ok_or_else(bad)? };
            if value != "-" {
                decode.vars.insert(name.clone(), fact(value, combination).ok_or_else(bad)?);
            }
        }
    }
    Ok(decodes.into_iter().map(|decode| decode.map(Arc::new)).collect())
}

/// The encoding that a text begins with; the first one where they differ by immediates.
pub fn encoding(text: &str) -> &str {
    text.split([' ', ':', '|']).next().unwrap_or_default()
}

/// The names of the variables of a text, and whether their values depend on immediates.
pub fn names(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let variables = text.split_once(':').map_or("", |(_, tail)| tail);
    let parts = variables.split_whitespace().filter_map(|part| part.split_once('='));
    parts.map(|(name, value)| {
        // A rejected combination has no value that could differ.
        let mut values = value.split('|').filter(|value| *value != "-");
        let first = values.next();
        (name, value.starts_with('~') || values.any(|other| Some(other) != first))
    })
}

fn fact(text: &str, combination: &[i64]) -> Option<Fact> {
    if let Some(affine) = text.strip_prefix('~') {
        let (numbers, width) = match affine.split_once(':') {
            Some((numbers, width)) => {
                let width = width.parse().ok().filter(|width| *width <= hydride_ir::MAX_WIDTH)?;
                (numbers, Some(width))
            }
            None => (affine, None),
        };
        let mut numbers = numbers.split(',').map(|number| number.parse::<Int>().ok());
        let mut value = numbers.next()??;
        for (factor, immediate) in numbers.zip(combination) {
            value += factor? * Int::from(*immediate);
        }
        return Some(
            width.map_or_else(|| Fact::Int(value.clone()), |width| Fact::Bits(value.clone(), width)),
        );
    }
    Some(match text {
        "TRUE" => Fact::Bool(true),
        "FALSE" => Fact::Bool(false),
        OPEN => Fact::Open,
        _ if text.starts_with('\'') => {
            let bits = text.strip_prefix('\'')?.strip_suffix('\'')?;
            if bits.len() > hydride_ir::MAX_WIDTH as usize
                || !bits.bytes().all(|bit| matches!(bit, b'0' | b'1'))
            {
                return None;
            }
            let value = bits.bytes().fold(Int::ZERO, |value, bit| (value << 1) + Int::from(bit - b'0'));
            Fact::Bits(value, bits.len() as u32)
        }
        _ if text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') => {
            Fact::Enum(text.into())
        }
        _ => Fact::Int(text.parse().ok()?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_print_and_read_back() {
        let decoded = |values: [(&str, Fact); 5]| {
            Some(Arc::new(Decoded {
                encoding: "some_encoding".into(),
                vars: values.into_iter().map(|(name, fact)| (name.into(), fact)).collect(),
                extensions: vec!["SHA3".into()],
                position: 0,
            }))
        };
        let all = |n: i64, odd: i64| {
            decoded([
                ("n", Fact::Int(Int::from(n))),
                ("odd", Fact::Int(Int::from(odd))),
                ("signed", Fact::Bool(true)),
                ("bits", Fact::Bits(Int::from(5), 4)),
                ("kind", Fact::Enum("Kind_A".into())),
            ])
        };
        let combinations = vec![vec![1], vec![2], vec![3]];
        let decodes = vec![all(15, 1), all(14, 1), all(13, 7)];
        let text = print(&decodes, &combinations);
        assert_eq!(text, "some_encoding +SHA3: bits='0101' kind=Kind_A n=~16,-1 odd=1|1|7 signed=TRUE");
        let back = read(&text, &combinations).unwrap();
        for (one, other) in decodes.iter().zip(&back) {
            let (one, other) = (one.as_ref().unwrap(), other.as_ref().unwrap());
            assert_eq!((&one.vars, &one.encoding), (&other.vars, &other.encoding));
        }
        let rejected = vec![all(15, 1), None, all(13, 7)];
        let back = read(&print(&rejected, &combinations), &combinations).unwrap();
        assert!(back[1].is_none());
        assert_eq!(back[2].as_ref().unwrap().vars, rejected[2].as_ref().unwrap().vars);
        let varying =
            |text| names(text).filter(|(_, varies)| *varies).map(|(name, _)| name).collect::<Vec<_>>();
        assert_eq!(varying("e: a=1|-|1 b=~0,1 c=1|2|- d=UNKNOWN e=3"), ["b", "c"]);
        let open = read("e: n=UNKNOWN", &combinations).unwrap();
        assert_eq!(open[0].as_ref().unwrap().vars["n"], Fact::Open);
        assert!(print(&open, &combinations).ends_with(": n=UNKNOWN"));
        assert!(read("no colon", &combinations).is_err());
        assert!(read("e: n=1|2", &combinations).is_err());
        assert!(read("e: n='012'", &combinations).is_err());
        assert!(read("e: n=~1:65536", &combinations).is_ok());
        assert!(read("e: n=~1:65537", &combinations).is_err());
    }
}
