//! Properties of generated definitions that are not checked by `llvm-tblgen` or `mlir-tblgen`:
//!
//! - names are valid identifiers, not reserved, and distinct, as records and as C++ classes;
//! - no LLVM name is a prefix of another one up to a `.`, since LLVM finds overloaded intrinsics that way;
//! - the positions of immediate operands exist and are of integer type;
//! - relations refer to overloaded types that exist;
//! - an exchange of operands (`Commutative`) concerns two operands of one type;
//! - LLVM's limits: nine results, 31 overloaded types.

use std::collections::{BTreeMap, BTreeSet};

use crate::scheme::{Scheme, Slot};

/// One intrinsic as it is about to be written.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    /// The operation's name.
    pub(crate) op: String,
    /// The TableGen record.
    pub(crate) record: String,
    /// The name in LLVM assembly.
    pub(crate) llvm_name: String,
    /// The C++ class of the MLIR operation.
    pub(crate) class: String,
    /// Names of results, arguments and parameters, in order.
    pub(crate) operands: Vec<String>,
    /// The types.
    pub(crate) scheme: Scheme,
    /// Positions of immediate operands.
    pub(crate) immediates: Vec<usize>,
    /// Whether the first two operands may be exchanged.
    pub(crate) commutative: bool,
}

/// A broken rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CheckError {
    /// The name of an operation or operand that is not an identifier or is reserved.
    #[error("operation `{op}`: `{name}` is not a valid name")]
    Name {
        /// The operation.
        op: String,
        /// The name.
        name: String,
    },
    /// Two operations, or two operands of one, with the same name.
    #[error("operation `{op}`: the name `{name}` is used twice")]
    Duplicate {
        /// The operation.
        op: String,
        /// The name.
        name: String,
    },
    /// An LLVM name that continues another one with a `.`.
    #[error("`{longer}` continues `{shorter}` after a `.`")]
    Prefix {
        /// The shorter name.
        shorter: String,
        /// The longer name.
        longer: String,
    },
    /// An immediate position without an operand, or with one that is not an integer immediate.
    #[error("operation `{op}`: operand {position} cannot be an immediate")]
    Immediate {
        /// The operation.
        op: String,
        /// The operand.
        position: usize,
    },
    /// A type that refers to an overloaded type that does not exist.
    #[error("operation `{op}`: there is no overloaded type {number}")]
    Overload {
        /// The operation.
        op: String,
        /// The missing type's number.
        number: usize,
    },
    /// Operands declared exchangeable that have different types.
    #[error("operation `{0}`: its first two operands differ in type and cannot be exchanged")]
    Commutative(String),
    /// A function with two types.
    #[error("`{name}` is {} in {} and {} in {}", types[1], types[0], types[3], types[2])]
    Disagreement {
        /// The function.
        name: String,
        /// A file and the function's type there, and another one.
        types: [String; 4],
    },
    /// More results or overloaded types than LLVM can encode.
    #[error("operation `{op}`: {count} {what}, LLVM has room for {limit}")]
    Limit {
        /// The operation.
        op: String,
        /// What there is too much of.
        what: &'static str,
        /// How many there are.
        count: usize,
        /// How many there may be.
        limit: usize,
    },
}

/// LLVM's limit on results.
const MAX_RESULTS: usize = 9;
/// LLVM's limit on overloaded types.
const MAX_OVERLOADS: usize = 31;

/// Checks the definitions of one file; the first broken rule is the error.
pub(crate) fn check(definitions: &[Definition]) -> Result<(), CheckError> {
    let mut records = BTreeSet::new();
    let mut classes = BTreeSet::new();
    let mut names: BTreeMap<&str, &str> = BTreeMap::new();
    for definition in definitions {
        let Definition { op, record, llvm_name, class, .. } = definition;
        if !autoir::is_valid_name(op) {
            return Err(CheckError::Name { op: op.clone(), name: op.clone() });
        }
        for identifier in [record, class] {
            if !is_identifier(identifier) {
                return Err(CheckError::Name { op: op.clone(), name: identifier.clone() });
            }
        }
        for (seen, name) in [(&mut records, record), (&mut classes, class)] {
            if !seen.insert(name) {
                return Err(CheckError::Duplicate { op: op.clone(), name: name.clone() });
            }
        }
        if names.insert(llvm_name, op).is_some() {
            return Err(CheckError::Duplicate { op: op.clone(), name: llvm_name.clone() });
        }
        check_operands(definition)?;
        check_types(definition)?;
    }
    for name in names.keys() {
        let shorter = name.match_indices('.').map(|(end, _)| &name[..end]);
        if let Some(shorter) = shorter.into_iter().find(|shorter| names.contains_key(shorter)) {
            return Err(CheckError::Prefix { shorter: shorter.to_owned(), longer: (*name).to_owned() });
        }
    }
    Ok(())
}

fn check_operands(definition: &Definition) -> Result<(), CheckError> {
    let op = &definition.op;
    let mut seen = BTreeSet::new();
    for name in &definition.operands {
        if !is_identifier(name) || autoir::RESERVED.contains(&name.as_str()) {
            return Err(CheckError::Name { op: op.clone(), name: name.clone() });
        }
        if !seen.insert(name) {
            return Err(CheckError::Duplicate { op: op.clone(), name: name.clone() });
        }
    }
    let scheme = &definition.scheme;
    for position in &definition.immediates {
        let immediate = match scheme.args.get(*position) {
            Some(slot) => matches!(slot, Slot::Immediate(_)),
            None => *position < scheme.args.len() + scheme.attributes.len(),
        };
        if !immediate {
            return Err(CheckError::Immediate { op: op.clone(), position: *position });
        }
    }
    let type_of = |slot: &Slot| match slot {
        Slot::Overload { number, .. } => Some((crate::scheme::Relation::Match, *number)),
        Slot::Related { relation, of } => Some((*relation, *of)),
        Slot::Immediate(_) => None,
    };
    let exchangeable = match scheme.args.as_slice() {
        [first, second, ..] => type_of(first).is_some() && type_of(first) == type_of(second),
        _ => false,
    };
    if definition.commutative && !exchangeable {
        return Err(CheckError::Commutative(op.clone()));
    }
    Ok(())
}

/// Which of LLVM's limits a definition exceeds; such an operation is omitted from LLVM's files.
pub(crate) fn beyond_limits(definition: &Definition) -> Result<(), CheckError> {
    let scheme = &definition.scheme;
    let limits = [
        ("results", scheme.results.len(), MAX_RESULTS),
        ("overloaded types", scheme.overload_count(), MAX_OVERLOADS),
    ];
    match limits.into_iter().find(|(_, count, limit)| count > limit) {
        Some((what, count, limit)) => {
            Err(CheckError::Limit { op: definition.op.clone(), what, count, limit })
        }
        None => Ok(()),
    }
}

fn check_types(definition: &Definition) -> Result<(), CheckError> {
    let scheme = &definition.scheme;
    let op = || definition.op.clone();
    beyond_limits(definition)?;
    let mut next = 0;
    for slot in scheme.results.iter().chain(&scheme.args) {
        match slot {
            Slot::Overload { number, .. } if *number != next => {
                return Err(CheckError::Overload { op: op(), number: *number });
            }
            Slot::Overload { .. } => next += 1,
            Slot::Related { of, .. } if *of >= scheme.overload_count() => {
                return Err(CheckError::Overload { op: op(), number: *of });
            }
            Slot::Related { .. } | Slot::Immediate(_) => {}
        }
    }
    Ok(())
}

fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheme::Relation;

    fn definition(op: &str) -> Definition {
        let vector = Slot::Overload { number: 0, vector: true, float: false };
        let same = Slot::Related { relation: Relation::Match, of: 0 };
        Definition {
            op: op.to_owned(),
            record: format!("int_autollvm_{op}"),
            llvm_name: format!("llvm.autollvm.{op}"),
            class: crate::identifier::class_name(op),
            operands: ["a", "b", "imm", "lanes"].map(str::to_owned).to_vec(),
            scheme: Scheme::with_slots(vec![vector], vec![same, same, Slot::Immediate(32)], vec![32]),
            immediates: vec![2, 3],
            commutative: true,
        }
    }

    fn message(change: impl Fn(&mut Definition)) -> String {
        let mut changed = definition("sub");
        change(&mut changed);
        check(&[definition("add"), changed]).unwrap_err().to_string()
    }

    #[test]
    fn good_definitions_pass() {
        check(&[definition("add"), definition("add_sat")]).unwrap();
    }

    #[test]
    fn names_are_valid_and_distinct() {
        assert_eq!(message(|d| d.op = "class".into()), "operation `class`: `class` is not a valid name");
        assert_eq!(message(|d| d.record = "int.x".into()), "operation `sub`: `int.x` is not a valid name");
        assert_eq!(message(|d| d.operands[1] = "let".into()), "operation `sub`: `let` is not a valid name");
        assert_eq!(message(|d| d.operands[1] = "a".into()), "operation `sub`: the name `a` is used twice");
        let add = definition("add");
        assert_eq!(
            message(|d| d.class.clone_from(&add.class)),
            "operation `sub`: the name `AddOp` is used twice"
        );
        assert_eq!(
            message(|d| d.llvm_name.clone_from(&add.llvm_name)),
            "operation `sub`: the name `llvm.autollvm.add` is used twice"
        );
    }

    #[test]
    fn no_name_continues_another() {
        assert_eq!(
            message(|d| d.llvm_name = "llvm.autollvm.add.sat".into()),
            "`llvm.autollvm.add.sat` continues `llvm.autollvm.add` after a `.`"
        );
        let mut longer = definition("sub");
        longer.llvm_name = "llvm.autollvm.addition".into();
        check(&[definition("add"), longer]).unwrap();
    }

    #[test]
    fn immediates_exist() {
        assert_eq!(message(|d| d.immediates.push(4)), "operation `sub`: operand 4 cannot be an immediate");
        assert_eq!(message(|d| d.immediates.push(0)), "operation `sub`: operand 0 cannot be an immediate");
    }

    #[test]
    fn types_refer_to_what_exists() {
        let bad = Slot::Related { relation: Relation::Match, of: 1 };
        assert_eq!(
            message(|d| d.scheme.args[0] = bad),
            "operation `sub`: its first two operands differ in type and cannot be exchanged"
        );
        let change = |d: &mut Definition| {
            d.scheme.args[0] = bad;
            d.commutative = false;
        };
        assert_eq!(message(change), "operation `sub`: there is no overloaded type 1");
        let many = [Slot::Related { relation: Relation::Match, of: 0 }; 10];
        assert_eq!(
            message(|d| d.scheme.results.extend(many.iter().copied())),
            "operation `sub`: 11 results, LLVM has room for 9"
        );
    }
}
