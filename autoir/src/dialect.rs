//! From classes to a dialect: checked, evaluated, named and sorted.

use std::collections::BTreeSet;

use hydride_ir::{Function, Role, VerifyError};

use crate::class::{Class, Member};
use crate::dictionary::{Dictionary, is_key};
use crate::facts::{Assignment, Facts, ParamKind, param_kinds};
use crate::naming::{assign_names, inherit_names};

/// The operations of AutoLLVM, sorted by name.
///
/// ```
/// use autoir::{Dialect, Dictionary};
///
/// let (dialect, dictionary) = Dialect::build(Vec::new(), Dictionary::default())?;
/// assert_eq!(dialect.ops().len(), 0);
/// assert_eq!(dictionary, Dictionary::default());
/// # Ok::<(), autoir::BuildError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Dialect {
    ops: Vec<Op>,
}

/// One operation: a class with its name and the shapes of its instances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Op {
    /// The name, unique in the dialect and stable from run to run.
    pub name: String,
    /// Names that it had before, sorted.
    pub aliases: Vec<String>,
    /// What it was built from, with its members sorted by instruction set and id.
    pub class: Class,
    /// What each parameter stands for, in the class's order.
    pub param_kinds: Vec<ParamKind>,
    /// The shapes of arguments and results for each member of `class`, in the same order.
    pub facts: Vec<Facts>,
}

impl Op {
    /// The members with their shapes.
    pub fn instances(&self) -> impl Iterator<Item = (&Member, &Facts)> + Clone {
        self.class.members.iter().zip(&self.facts)
    }

    /// The class's function, with the operation's name.
    pub fn named_function(&self) -> Function {
        let mut function = self.class.function.clone();
        function.name.clone_from(&self.name);
        function
    }

    /// The names of the parameters, in the class's order.
    pub fn param_names(&self) -> impl Iterator<Item = &str> {
        self.class.function.params.iter().map(|param| param.name.as_str())
    }

    /// The names of the arguments, in the class's order, and whether each is an immediate.
    pub fn args(&self) -> impl Iterator<Item = (&str, bool)> {
        let immediate = |role| matches!(role, Role::Immediate { .. });
        self.class.function.args.iter().map(move |arg| (arg.name.as_str(), immediate(arg.role)))
    }

    /// The number of results.
    pub fn result_count(&self) -> usize {
        self.class.function.results.len()
    }

    /// The instruction sets that have members, sorted.
    pub fn isas(&self) -> BTreeSet<&str> {
        self.class.members.iter().map(|member| member.isa.as_str()).collect()
    }
}

/// A class that contradicts itself or another one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// A hash that is empty or has other characters than lower-case hexadecimal digits.
    #[error("class `{class}`: `{hash}` is no structural hash")]
    Hash {
        /// The class's function.
        class: String,
        /// The hash.
        hash: String,
    },
    /// A function that breaks the laws of the IR.
    #[error("class of hash `{hash}`: {source}")]
    Function {
        /// The class's hash.
        hash: String,
        /// The broken law.
        source: VerifyError,
    },
    /// Two classes with one structural hash.
    #[error("two classes have the structural hash `{0}`")]
    DuplicateHash(String),
    /// A class without members.
    #[error("class `{0}` has no members")]
    Empty(String),
    /// One instruction in two classes, or twice in one.
    #[error("`{isa}:{id}` is a member twice")]
    DuplicateMember {
        /// The instruction set.
        isa: String,
        /// The instruction.
        id: String,
    },
    /// A member that does not fit its class.
    #[error("`{isa}:{id}` does not fit class `{class}`: {reason}")]
    Member {
        /// The class's function.
        class: String,
        /// The instruction set.
        isa: String,
        /// The instruction.
        id: String,
        /// What does not fit.
        reason: String,
    },
}

impl Dialect {
    /// Names the classes and determines the shapes of their members.
    ///
    /// The result does not depend on the order of `classes` and of their members. The dictionary returned has every
    /// operation and member; what `dictionary` has on instruction sets and families that are absent here is kept, so
    /// that nothing is lost in a run over a part of the documents.
    pub fn build(classes: Vec<Class>, dictionary: Dictionary) -> Result<(Self, Dictionary), BuildError> {
        let classes = checked(classes)?;
        let (names, dictionary) = assign_names(&classes, dictionary);
        Ok((Self::named(classes, names, &dictionary)?, dictionary))
    }

    /// The same for classes that are to replace the families of `previous`, whose names they inherit.
    pub fn rebuild(classes: Vec<Class>, previous: &Dictionary) -> Result<(Self, Dictionary), BuildError> {
        let classes = checked(classes)?;
        let (names, dictionary) = inherit_names(&classes, previous);
        Ok((Self::named(classes, names, &dictionary)?, dictionary))
    }

    fn named(classes: Vec<Class>, names: Vec<String>, dictionary: &Dictionary) -> Result<Self, BuildError> {
        let mut ops = Vec::with_capacity(classes.len());
        for (class, name) in classes.into_iter().zip(names) {
            let facts = class.members.iter().map(|member| member_facts(&class, member));
            let facts = facts.collect::<Result<_, _>>()?;
            let param_kinds = param_kinds(&class.function);
            let aliases =
                dictionary.entries.get(&name).map_or_else(Vec::new, |e| e.aliases.iter().cloned().collect());
            ops.push(Op { name, aliases, class, param_kinds, facts });
        }
        ops.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Self { ops })
    }

    /// The operations, sorted by name.
    pub fn ops(&self) -> &[Op] {
        &self.ops
    }

    /// The operation of that name or former name.
    pub fn op(&self, name: &str) -> Option<&Op> {
        let found = self.ops.iter().find(|op| op.name == name);
        found.or_else(|| self.ops.iter().find(|op| op.aliases.iter().any(|alias| alias == name)))
    }
}

/// The classes, each with its members in order; the larger class comes first, so that it gets the plain name.
fn checked(mut classes: Vec<Class>) -> Result<Vec<Class>, BuildError> {
    for class in &mut classes {
        class.members.sort_by(|a, b| (&a.isa, &a.id).cmp(&(&b.isa, &b.id)));
    }
    // Ties are broken by content.
    classes.sort_by(|a, b| {
        let key = |class: &Class| (std::cmp::Reverse(class.members.len()), class.structural_hash.clone());
        key(a).cmp(&key(b))
    });
    check_classes(&classes)?;
    Ok(classes)
}

fn check_classes(classes: &[Class]) -> Result<(), BuildError> {
    let mut hashes = BTreeSet::new();
    let mut members = BTreeSet::new();
    for class in classes {
        let hash = &class.structural_hash;
        if !is_key(hash) {
            return Err(BuildError::Hash { class: class.function.name.clone(), hash: hash.clone() });
        }
        let law = |source| BuildError::Function { hash: hash.clone(), source };
        class.function.verify().map_err(law)?;
        if !hashes.insert(hash) {
            return Err(BuildError::DuplicateHash(hash.clone()));
        }
        if class.members.is_empty() {
            return Err(BuildError::Empty(class.function.name.clone()));
        }
        for member in &class.members {
            if !members.insert((&member.isa, &member.id)) {
                return Err(BuildError::DuplicateMember { isa: member.isa.clone(), id: member.id.clone() });
            }
        }
    }
    Ok(())
}

/// Checks a member against its class and evaluates the shapes at its parameter values.
fn member_facts(class: &Class, member: &Member) -> Result<Facts, BuildError> {
    let function = &class.function;
    let fail = |reason: String| BuildError::Member {
        class: function.name.clone(),
        isa: member.isa.clone(),
        id: member.id.clone(),
        reason,
    };
    if member.application.params.len() != function.params.len() {
        return Err(fail(format!(
            "{} parameter values for {}",
            member.application.params.len(),
            function.params.len()
        )));
    }
    if member.application.args.len() != function.args.len() {
        return Err(fail(format!("{} arguments for {}", member.application.args.len(), function.args.len())));
    }
    let count = member.signature.args.len();
    if let Some(position) = member.application.positions().find(|position| *position as usize >= count) {
        return Err(fail(format!("argument position {position} in a signature of {count}")));
    }
    let facts = Assignment::new(function, &member.application.params).facts();
    facts.ok_or_else(|| fail("a width is outside 1..=65536 at its parameter values".to_owned()))
}
