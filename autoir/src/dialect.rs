//! From classes to a dialect: checked, evaluated, named and sorted.

use std::collections::{BTreeMap, BTreeSet};

use catalog::{Immediate, Known};
use hydride_ir::{Function, ParamId, Role, VerifyError};
use memo::Memo;
use rayon::prelude::*;

use crate::class::{Class, Member};
use crate::dictionary::{Dictionary, is_key};
use crate::facts::{Assignment, Facts, ParamKind, param_kinds};
use crate::form::review::Reviews;
use crate::form::{Conditions, Inference, Instance, forms};
use crate::naming::{assign_names, inherit_names};

/// The operations of AutoLLVM, sorted by name, and the families that they are forms of.
///
/// ```
/// use autoir::{Dialect, Dictionary, Reviews};
///
/// let (dialect, dictionary) = Dialect::build(Vec::new(), Dictionary::default(), &Reviews::default())?;
/// assert_eq!(dialect.ops().len(), 0);
/// assert_eq!(dictionary, Dictionary::default());
/// # Ok::<(), autoir::BuildError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Dialect {
    families: Vec<Family>,
    ops: Vec<Op>,
}

/// A class with its name: the most general function of its members.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Family {
    /// The name, unique among families and stable from run to run.
    pub name: String,
    /// Names that it had before, sorted.
    pub aliases: Vec<String>,
    /// The class, with its members sorted by instruction set and id.
    pub class: Class,
    /// For each member the name of the operation that is its form.
    pub forms: Vec<String>,
    /// The parameter values of all known members, sorted.
    pub known: BTreeSet<Vec<i64>>,
}

impl Family {
    /// The class's function, with the family's name.
    pub fn named_function(&self) -> Function {
        let mut function = self.class.function.clone();
        function.name.clone_from(&self.name);
        function
    }
}

/// An operation: a form of a family, with typed operands.
#[derive(Clone, Debug, PartialEq, Hash, Eq)]
pub struct Op {
    /// The name, unique in the dialect.
    pub name: String,
    /// The family's name.
    pub family: String,
    /// Former names, sorted.
    pub aliases: Vec<String>,
    /// One sentence, where the operation was reviewed.
    pub summary: Option<String>,
    /// The chapter of the documentation that its family belongs to, where that was reviewed.
    pub category: Option<String>,
    /// The form's function and its members, sorted by instruction set and id.
    pub class: Class,
    /// What each parameter stands for, in the function's order.
    pub param_kinds: Vec<ParamKind>,
    /// How parameters follow from the operands' types; the others are attributes.
    pub inferences: Vec<Inference>,
    /// The types of arguments and results for each member of `class`, in the same order.
    pub facts: Vec<Facts>,
    /// All known instances, of instructions that this run has and of others: what the operation's types and attributes
    /// are determined by, so that they do not depend on the documents of a run.
    pub known: Vec<Instance>,
    /// For the parameter values of each known instance, and each argument, the values that its instructions document for
    /// an immediate there: from the least to the greatest of all.
    pub documented: BTreeMap<Vec<i64>, Vec<Option<Immediate>>>,
    commutative: bool,
}

impl Op {
    /// The members with their types.
    pub fn instances(&self) -> impl Iterator<Item = (&Member, &Facts)> + Clone {
        self.class.members.iter().zip(&self.facts)
    }

    /// The operation's function, with its name.
    pub fn named_function(&self) -> Function {
        let mut function = self.class.function.clone();
        function.name.clone_from(&self.name);
        function
    }

    /// The names of the parameters, in the function's order.
    pub fn param_names(&self) -> impl Iterator<Item = &str> {
        self.class.function.params.iter().map(|param| param.name.as_str())
    }

    /// Positions of the parameters that do not follow from the operands' types, in the function's order.
    pub fn attributes(&self) -> impl Iterator<Item = usize> + Clone {
        let inferred = |param: ParamId| self.inferences.iter().any(|inference| inference.param == param);
        (0..self.class.function.params.len()).filter(move |param| !inferred(ParamId(*param as u32)))
    }

    /// The names of the arguments, in the function's order, and whether each is an immediate.
    pub fn args(&self) -> impl Iterator<Item = (&str, bool)> {
        let immediate = |role| matches!(role, Role::Immediate { .. });
        self.class.function.args.iter().map(move |arg| (arg.name.as_str(), immediate(arg.role)))
    }

    /// Whether exchanging the first two arguments keeps every result of every known instance.
    pub fn is_commutative(&self) -> bool {
        self.commutative && self.known.iter().all(|known| known.facts.args[0] == known.facts.args[1])
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
    /// A family that cannot be split into its forms.
    #[error("operation `{family}`: {reason}")]
    Form {
        /// The family's name.
        family: String,
        /// Why not.
        reason: String,
    },
}

impl Dialect {
    /// Names the classes, splits them into forms and determines the types of their members.
    ///
    /// The result does not depend on the order of `classes` and of their members. The dictionary returned has every
    /// family and member; what `dictionary` has on instruction sets and families that are absent here is kept, so
    /// that nothing is lost in a run over a part of the documents.
    pub fn build(
        classes: Vec<Class>,
        dictionary: Dictionary,
        reviews: &Reviews,
    ) -> Result<(Self, Dictionary), BuildError> {
        Self::build_with(classes, dictionary, reviews, &Memo::default())
    }

    /// The same; `memo` has what earlier runs made of families that have the same members.
    pub fn build_with(
        classes: Vec<Class>,
        dictionary: Dictionary,
        reviews: &Reviews,
        memo: &Memo,
    ) -> Result<(Self, Dictionary), BuildError> {
        let classes = checked(classes)?;
        let record = dictionary.clone();
        let (names, dictionary) = assign_names(&classes, dictionary);
        Ok((Self::named(classes, names, [&record, &dictionary], reviews, memo)?, dictionary))
    }

    /// The same for classes that are to replace the families of `previous`, whose names they inherit.
    pub fn rebuild(
        classes: Vec<Class>,
        previous: &Dictionary,
        reviews: &Reviews,
    ) -> Result<(Self, Dictionary), BuildError> {
        let classes = checked(classes)?;
        let (names, dictionary) = inherit_names(&classes, previous);
        Ok((Self::named(classes, names, [&dictionary; 2], reviews, &Memo::default())?, dictionary))
    }

    /// `record` is the dictionary that says what operations look like, `now` has the members of this run as well.
    fn named(
        classes: Vec<Class>,
        names: Vec<String>,
        [record, now]: [&Dictionary; 2],
        reviews: &Reviews,
        memo: &Memo,
    ) -> Result<Self, BuildError> {
        let none = BTreeMap::new();
        let family = |(class, name): (Class, String)| {
            let aliases =
                now.entries.get(&name).map_or_else(Vec::new, |e| e.aliases.iter().cloned().collect());
            let members = [record, now]
                .map(|dictionary| dictionary.entries.get(&name).map_or(&none, |entry| &entry.family.members));
            family(name, aliases, class, members, reviews, memo)
        };
        let found: Vec<_> = classes.into_par_iter().zip(names).map(family).collect();
        let (mut families, mut ops) = (Vec::with_capacity(found.len()), Vec::new());
        for found in found {
            let (family, own) = found?;
            families.push(family);
            ops.extend(own);
        }
        families.sort_by(|a, b| a.name.cmp(&b.name));
        distinct_names(&mut ops);
        let mut form_of = BTreeMap::new();
        for op in &ops {
            let members = op.class.members.iter();
            form_of.extend(members.map(|member| ((member.isa.as_str(), member.id.as_str()), &op.name)));
        }
        for family in &mut families {
            let members = family.class.members.iter();
            let form = |member: &Member| form_of[&(member.isa.as_str(), member.id.as_str())].clone();
            family.forms = members.map(form).collect();
        }
        ops.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Self { families, ops })
    }

    /// The operations, sorted by name.
    pub fn ops(&self) -> &[Op] {
        &self.ops
    }

    /// The families, sorted by name.
    pub fn families(&self) -> &[Family] {
        &self.families
    }

    /// The operation of that name or former name.
    pub fn op(&self, name: &str) -> Option<&Op> {
        let found = self.ops.iter().find(|op| op.name == name);
        found.or_else(|| self.ops.iter().find(|op| op.aliases.iter().any(|alias| alias == name)))
    }

    /// The family of that name or former name.
    pub fn family(&self, name: &str) -> Option<&Family> {
        let found = self.families.iter().find(|family| family.name == name);
        found.or_else(|| self.families.iter().find(|family| family.aliases.iter().any(|alias| alias == name)))
    }
}

/// Numbers the names of operations that were not reviewed where another one has them.
fn distinct_names(ops: &mut [Op]) {
    ops.sort_by(|a, b| {
        (a.summary.is_none(), &a.family, &a.name).cmp(&(b.summary.is_none(), &b.family, &b.name))
    });
    let mut taken = BTreeSet::new();
    for op in ops {
        let numbered = (2..).map(|number| format!("{}_{number}", op.name));
        let mut names = std::iter::once(op.name.clone()).chain(numbered);
        op.name = names.find(|name| !taken.contains(name)).unwrap_or_default();
        taken.insert(op.name.clone());
    }
}

/// A family and its forms. A review that is for another family of the name is left aside.
fn family(
    name: String,
    aliases: Vec<String>,
    class: Class,
    [record, now]: [&BTreeMap<(String, String), Known>; 2],
    reviews: &Reviews,
    memo: &Memo,
) -> Result<(Family, Vec<Op>), BuildError> {
    for member in &class.members {
        check_member(&class, member)?;
    }
    let review =
        reviews.family(&name).filter(|review| Conditions::new(&class.function, Some(review)).is_ok());
    let found = forms(&name, &class, record, now, review, memo)
        .map_err(|reason| BuildError::Form { family: name.clone(), reason })?;
    let op = |form: crate::form::Form| Op {
        aliases: if form.name == name { aliases.clone() } else { Vec::new() },
        name: form.name,
        family: name.clone(),
        summary: form.summary,
        category: form.category,
        param_kinds: param_kinds(&form.class.function),
        class: form.class,
        inferences: form.inferences,
        facts: form.facts,
        known: form.instances,
        documented: form.documented,
        commutative: form.commutative,
    };
    let ops = found.into_iter().map(op).collect();
    let known = record.values().chain(now.values()).map(|known| known.application.params.clone()).collect();
    Ok((Family { name: name.clone(), aliases: aliases.clone(), class, forms: Vec::new(), known }, ops))
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

/// Checks a member against its class.
fn check_member(class: &Class, member: &Member) -> Result<(), BuildError> {
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
    let assignment = Assignment::new(function, &member.application.params);
    let args = function.args.iter().map(|arg| &arg.width);
    let mut widths = args.chain(function.results.iter().map(|result| &result.width));
    if widths.any(|width| assignment.width(width).is_none()) {
        return Err(fail("a width is outside 1..=65536 at its parameter values".to_owned()));
    }
    Ok(())
}
