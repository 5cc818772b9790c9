//! From an encoding's word to the values of its decode variables.

use std::sync::{Arc, Mutex};

use hydride_ir::exact::Int;
use rustc_hash::FxHashMap;

use super::asl::ast::Name;
use super::exec::{Documents, Fault, FileId, Frame, Location, Machine, Value, Var, Width, syntax};
use crate::pseudocode::Reason;

/// Steps that one decode may take.
const MAX_STEPS: u64 = 20_000;

/// The value of a decode variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact {
    /// An integer.
    Int(Int),
    /// Bits, and their number.
    Bits(Int, u32),
    /// A boolean.
    Bool(bool),
    /// An enumeration value.
    Enum(Name),
    /// No value: the decode leaves it open.
    Open,
}

/// A decoded word.
#[derive(Debug)]
pub struct Decoded {
    /// The encoding's name.
    pub encoding: String,
    /// The variables, by name.
    pub vars: FxHashMap<Name, Fact>,
    /// Extensions that the decode asked for.
    pub extensions: Vec<Name>,
    /// The encoding's position among the instructions.
    pub position: usize,
}

impl Decoded {
    /// The same without some variables.
    pub fn without(&self, names: &[&str]) -> Self {
        let kept = self.vars.iter().filter(|(name, _)| !names.contains(&&***name));
        Self {
            encoding: self.encoding.clone(),
            vars: kept.map(|(name, fact)| (name.clone(), fact.clone())).collect(),
            extensions: self.extensions.clone(),
            position: self.position,
        }
    }
}

/// Words decoded so far.
#[derive(Default)]
pub struct Cache {
    words: Mutex<FxHashMap<u32, Result<Arc<Decoded>, Fault>>>,
}

impl Cache {
    /// Decodes a word, once.
    pub fn decode(&self, documents: &Documents<'_>, word: u32) -> Result<Arc<Decoded>, Fault> {
        if let Ok(words) = self.words.lock()
            && let Some(known) = words.get(&word)
        {
            return known.clone();
        }
        let result = decode(documents, word).map(Arc::new);
        if let Ok(mut words) = self.words.lock() {
            words.insert(word, result.clone());
        }
        result
    }
}

/// Runs the decode of the one encoding that a word is.
fn decode(documents: &Documents<'_>, word: u32) -> Result<Decoded, Fault> {
    let mut found: Option<Decoded> = None;
    let mut obstacle: Option<Fault> = None;
    for (position, encoding) in documents.instructions.matching(word) {
        let mut machine = Machine::new(documents, Vec::new());
        machine.limit(MAX_STEPS);
        let mut frame = Frame::default();
        for (name, low, width) in &encoding.fields {
            let bits = u64::from(word) >> low & ((1u64 << width) - 1);
            let node = machine.dag.int(bits);
            frame.set(name, Var::Value(Value::Bits(node, Width::Known(*width))));
        }
        let parts =
            documents.instructions.decode(encoding).map_err(|error| syntax(FileId::Instructions, error));
        let result = parts.and_then(|parts| {
            parts.iter().try_for_each(|stmts| machine.run(FileId::Instructions, &mut frame, stmts))
        });
        match result {
            Ok(()) => {}
            // Another encoding's, or none.
            Err(fault) if fault.reason == Reason::UndefinedEncoding => continue,
            Err(fault) => {
                obstacle = Some(fault);
                continue;
            }
        }
        if let Some(other) = &found {
            // Of one encoding in two instructions, that of the instruction of its name counts.
            let before = documents.instructions.encoding(other.position);
            if let Some(before) =
                before.filter(|before| before.name == encoding.name && before.own != encoding.own)
            {
                if before.own {
                    continue;
                }
            } else {
                return ambiguous(word, &other.encoding, encoding.name, encoding.offset);
            }
        }
        let vars = frame
            .vars()
            .filter_map(|(name, var)| Some((name.clone(), fact(&machine, var)?)))
            .collect::<FxHashMap<Name, Fact>>();
        let extensions = std::mem::take(&mut machine.extensions);
        found = Some(Decoded { encoding: encoding.name.to_owned(), vars, extensions, position });
    }
    match (found, obstacle) {
        (Some(found), _) => Ok(found),
        (None, Some(fault)) => Err(fault),
        (None, None) => Err(Fault::failed(
            Reason::UndefinedEncoding,
            Location { file: FileId::Instructions, offset: 0 },
            format!("0x{word:08x} matches no encoding"),
        )),
    }
}

fn ambiguous(word: u32, one: &str, other: &str, offset: usize) -> Result<Decoded, Fault> {
    let place = Location { file: FileId::Instructions, offset };
    let message = format!("0x{word:08x} matches both `{one}` and `{other}`");
    Err(Fault::failed(Reason::Unpredictable, place, message))
}

fn fact(machine: &Machine<'_>, var: &Var) -> Option<Fact> {
    let value = match var {
        Var::Value(value) => value,
        Var::Unset => return Some(Fact::Open),
        Var::Bits(..) | Var::Varying => return None,
    };
    Some(match value {
        Value::Int(node) => Fact::Int(machine.dag.as_int(*node)?.clone()),
        Value::Bits(node, Width::Known(width)) => Fact::Bits(machine.dag.as_int(*node)?.clone(), *width),
        Value::Bool(node) => Fact::Bool(machine.dag.as_i64(*node)? != 0),
        Value::Enum(name) => Fact::Enum(name.clone()),
        _ => return None,
    })
}

/// A decode variable over all values of the immediates.
#[derive(Clone, Debug, PartialEq)]
pub enum Variable {
    /// One value.
    Constant(Fact),
    /// `constant + Σ factors · immediates`; bits have a width.
    Affine {
        /// The constant part.
        constant: Int,
        /// A factor for each immediate.
        factors: Vec<Int>,
        /// The number of bits, of a variable of bits.
        width: Option<u32>,
    },
    /// No affine function: its greatest value, which may do for all.
    Greatest(Int),
    /// None of these.
    Varying,
}

/// The variables of one instruction, decoded for every combination of immediates.
pub fn variables(decodes: &[Arc<Decoded>], combinations: &[Vec<i64>]) -> FxHashMap<Name, Variable> {
    let Some(first) = decodes.first() else { return FxHashMap::default() };
    first.vars.keys().map(|name| (name.clone(), variable(name, decodes, combinations))).collect()
}

fn variable(name: &str, decodes: &[Arc<Decoded>], combinations: &[Vec<i64>]) -> Variable {
    let facts: Option<Vec<&Fact>> = decodes.iter().map(|decoded| decoded.vars.get(name)).collect();
    let Some(facts) = facts else { return Variable::Varying };
    let Some(first) = facts.first() else { return Variable::Varying };
    if facts.iter().all(|fact| fact == first) {
        return Variable::Constant((*first).clone());
    }
    let numbers: Option<Vec<(&Int, Option<u32>)>> = facts
        .iter()
        .map(|fact| match fact {
            Fact::Int(value) => Some((value, None)),
            Fact::Bits(value, width) => Some((value, Some(*width))),
            _ => None,
        })
        .collect();
    let Some(numbers) = numbers else { return Variable::Varying };
    let width = numbers[0].1;
    if numbers.iter().any(|(_, other)| *other != width) {
        return Variable::Varying;
    }
    if let Some((constant, factors)) = affine(&numbers, combinations) {
        return Variable::Affine { constant, factors, width };
    }
    match (width, numbers.iter().map(|(value, _)| *value).max()) {
        (None, Some(greatest)) => Variable::Greatest(greatest.clone()),
        _ => Variable::Varying,
    }
}

/// The affine function that gives every number, if there is one.
fn affine(numbers: &[(&Int, Option<u32>)], combinations: &[Vec<i64>]) -> Option<(Int, Vec<Int>)> {
    let start = combinations.first()?;
    let base = numbers.first()?.0;
    let mut factors = Vec::with_capacity(start.len());
    for position in 0..start.len() {
        let mut next = start.clone();
        next[position] += 1;
        factors.push(match combinations.iter().position(|values| *values == next) {
            Some(index) => numbers[index].0 - base,
            None => Int::ZERO,
        });
    }
    let weighted = |values: &[i64]| {
        values.iter().zip(&factors).fold(Int::ZERO, |sum, (value, factor)| sum + factor * Int::from(*value))
    };
    let constant = base - weighted(start);
    let fits = combinations
        .iter()
        .zip(numbers)
        .all(|(values, (number, _))| &(&constant + weighted(values)) == *number);
    fits.then_some((constant, factors))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(value: i64) -> Arc<Decoded> {
        let vars = [("x".into(), Fact::Int(Int::from(value)))].into_iter().collect();
        Arc::new(Decoded { encoding: "e".into(), vars, extensions: Vec::new(), position: 0 })
    }

    fn of(values: &[i64], combinations: &[Vec<i64>]) -> Variable {
        let decodes: Vec<_> = values.iter().map(|value| decoded(*value)).collect();
        variables(&decodes, combinations).remove("x").unwrap()
    }

    #[test]
    fn variables_are_constant_affine_or_neither() {
        let one: Vec<Vec<i64>> = (1..=4).map(|value| vec![value]).collect();
        assert_eq!(of(&[7, 7, 7, 7], &one), Variable::Constant(Fact::Int(Int::from(7))));
        let affine = Variable::Affine { constant: Int::from(16), factors: vec![Int::from(-1)], width: None };
        assert_eq!(of(&[15, 14, 13, 12], &one), affine);
        assert_eq!(of(&[64, 64, 128, 128], &one), Variable::Greatest(Int::from(128)));
        let two = super::super::facts::combinations(&[(0, 1), (0, 2)]).unwrap();
        let affine =
            Variable::Affine { constant: Int::ZERO, factors: vec![Int::from(3), Int::ONE], width: None };
        assert_eq!(of(&[0, 1, 2, 3, 4, 5], &two), affine);
    }
}
