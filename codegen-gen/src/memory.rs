//! Operations with operands in memory: how members have arguments and results at pointers.
//!
//! A [`Form`] is everything of it but types and numbers. Members of an operation with one form are instances of one MLIR
//! operation, whose name is the operation's and the form's: `copy.masked_load`, `truncate.masked_store`, `copy.gather`.

use std::collections::BTreeSet;

use autoir::{Facts, Member};
use catalog::record::MemoryRecord;
use catalog::{Argument, Kind, Source};

use crate::operation::Operation;
use crate::scheme::Slot;

/// Where an argument of the operation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Taken {
    /// It is a value.
    Value,
    /// It is at a pointer, and in elements at computed addresses if `elements`.
    Memory {
        /// Whether it is gathered.
        elements: bool,
    },
    /// All of its bits are 0.
    Zero,
}

/// Where a result of the operation goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Given {
    /// It is returned.
    Value,
    /// It takes the place of an argument in memory.
    Update(usize),
    /// It is stored through a pointer of its own, and to elements at computed addresses if `elements`.
    Memory {
        /// Whether it is scattered.
        elements: bool,
    },
}

/// What a mask leaves in the lanes that it disables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Disabled {
    /// Zero.
    Zero,
    /// The lane of another value.
    Value,
    /// What is in memory.
    Kept,
}

/// How a member has its arguments and results.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Form {
    /// One for each argument of the operation.
    pub(crate) args: Vec<Taken>,
    /// One for each result.
    pub(crate) results: Vec<Given>,
    /// The mask with one bit for each element of the result.
    pub(crate) masked: Option<Disabled>,
    /// Whether accesses ask not to fill caches.
    pub(crate) non_temporal: bool,
}

impl Form {
    /// The form of a member; `None` if it has no operands in memory, or is the operation with another modifier.
    pub(crate) fn of(operation: &Operation<'_>, member: &Member, facts: &Facts) -> Option<Self> {
        let (application, signature) = (&member.application, &member.signature);
        let memory: Vec<MemoryRecord> = signature.memory().collect();
        let kinds: BTreeSet<(u32, bool)> =
            memory.iter().map(|record| (record.align, record.non_temporal)).collect();
        let mut kinds = kinds.into_iter();
        let (Some((_, non_temporal)), None, None) = (kinds.next(), kinds.next(), application.part) else {
            return None;
        };
        let record = |position: u32| memory.iter().find(|record| record.arg == position);
        let mut known: BTreeSet<u32> = BTreeSet::new();
        let mut args = Vec::new();
        for (index, source) in application.args.iter().enumerate() {
            args.push(match source {
                Source::Own(position) => {
                    let is_immediate = matches!(operation.scheme.args.get(index)?, Slot::Immediate(_));
                    if !known.insert(*position)
                        || is_immediate != signature.args.get(*position as usize)?.immediate().is_some()
                    {
                        return None;
                    }
                    let memory = record(*position);
                    memory.map_or(Taken::Value, |own| Taken::Memory { elements: own.element.is_some() })
                }
                Source::Constant(0) => Taken::Zero,
                _ => return None,
            });
        }
        let masking = application.masking;
        if masking.is_some_and(|masking| masking.negated || facts.uneven_mask(masking).is_some()) {
            return None;
        }
        let pass = masking.and_then(|masking| masking.pass);
        let mut results = Vec::new();
        for result in &signature.results {
            let own = |(_, arg): &(u32, &Argument)| arg.is_memory() && arg.name == result.name;
            let pointer = (0..).zip(&signature.args).find(own).filter(|_| result.is_memory());
            let Some((position, _)) = pointer else {
                results.push(Given::Value);
                continue;
            };
            let updated = application.args.iter().position(|source| source.own() == Some(position));
            known.insert(position);
            results.push(match updated {
                Some(arg) => Given::Update(arg),
                None => Given::Memory { elements: record(position)?.element.is_some() },
            });
        }
        let masked = match (masking, pass) {
            (None, _) => None,
            (Some(_), None) => Some(Disabled::Zero),
            (Some(_), Some(pass)) if record(pass).is_some() => Some(Disabled::Kept),
            // An argument of the operation has another role than this.
            (Some(_), Some(pass)) if !known.insert(pass) => return None,
            (Some(_), Some(_)) => Some(Disabled::Value),
        };
        let own = Self { args, results, masked, non_temporal };
        let is_complete = memory.iter().all(|record| known.contains(&record.arg));
        let is_addressed = !own.has_elements() || addressing(member).is_some();
        (is_complete && is_addressed).then_some(own)
    }

    /// Whether elements are at computed addresses.
    pub(crate) fn has_elements(&self) -> bool {
        self.args.contains(&Taken::Memory { elements: true })
            || self.results.contains(&Given::Memory { elements: true })
    }

    /// The argument whose place in memory a result takes.
    pub(crate) fn updates(&self, arg: usize) -> bool {
        self.results.contains(&Given::Update(arg))
    }

    /// The name after the operation's: `masked_load`. Arguments are named where an operation has several registers, results
    /// where another one is returned.
    pub(crate) fn name(&self, operation: &Operation<'_>) -> String {
        let slots = operation.scheme.args.iter();
        let registers = slots.filter(|slot| !matches!(slot, Slot::Immediate(_))).count();
        let hints = [(self.masked.is_some(), "masked"), (self.non_temporal, "nontemporal")];
        let mut words: Vec<String> =
            hints.into_iter().filter(|(has, _)| *has).map(|(_, word)| word.to_owned()).collect();
        let mut named = |word: &str, chosen: &dyn Fn(usize, Taken) -> bool| {
            let args = self.args.iter().zip(operation.arg_names()).enumerate();
            let own = args.filter(|(arg, (taken, _))| chosen(*arg, **taken));
            let names: Vec<&str> = own.map(|(_, (_, name))| name.as_str()).collect();
            if !names.is_empty() {
                words.push(word.to_owned());
                words.extend(names.iter().filter(|_| registers > 1).map(|name| (*name).to_owned()));
            }
        };
        for (word, elements) in [("load", false), ("gather", true)] {
            named(word, &|arg, taken| taken == Taken::Memory { elements } && !self.updates(arg));
        }
        named("update", &|arg, _| self.updates(arg));
        for (word, elements) in [("store", false), ("scatter", true)] {
            let stored = self.results.iter().enumerate();
            let stored = stored.filter(|(_, given)| **given == Given::Memory { elements });
            let stored: Vec<usize> = stored.map(|(result, _)| result).collect();
            if !stored.is_empty() {
                words.push(word.to_owned());
                let some = stored.len() < self.results.len();
                words.extend(stored.iter().filter(|_| some).map(usize::to_string));
            }
        }
        words.extend((self.masked == Some(Disabled::Zero)).then(|| "zero".to_owned()));
        let zeros = self.args.iter().zip(operation.arg_names());
        for (_, name) in zeros.filter(|(taken, _)| **taken == Taken::Zero) {
            words.extend(["zero".to_owned(), name.clone()]);
        }
        words.join("_")
    }
}

/// Of a member with elements at computed addresses the position of the register with one index for each of them, and that
/// of the immediate that multiplies it, where there is one.
pub(crate) fn addressing(member: &Member) -> Option<(u32, Option<u32>)> {
    let signature = &member.signature;
    let used: BTreeSet<u32> = member.application.positions().collect();
    let others = (0..).zip(&signature.args);
    let others = others.filter(|(position, own)| !own.is_memory() && !used.contains(position));
    let (immediates, registers): (Vec<_>, Vec<_>) = others.partition(|(_, own)| own.immediate().is_some());
    let is_indexed = signature.memory().all(|record| record.element.is_none() || record.index.is_some());
    match (&registers[..], &immediates[..]) {
        ([(index, own)], [] | [_]) if is_indexed && own.kind == Kind::Vector => {
            Some((*index, immediates.first().map(|(scale, _)| *scale)))
        }
        _ => None,
    }
}

/// The number and the width of the lanes of the register from which addresses of elements are computed, where it has one
/// for each.
pub(crate) fn index_lanes(member: &Member, record: &MemoryRecord) -> Option<(u32, u32)> {
    let own = &member.signature.args[record.arg as usize];
    Some((own.width / record.element?, record.index?))
}

/// How long an operand of that many bytes is: `64 bytes`, `16 elements of 4 bytes`.
pub(crate) fn extent(record: &MemoryRecord, bytes: u32) -> String {
    match record.element.map(|width| width / 8) {
        Some(element) => format!("{} elements of {element} bytes", bytes / element),
        None => format!("{bytes} bytes"),
    }
}
