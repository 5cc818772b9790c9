//! The laws by which nodes are simplified as they are made.
//!
//! A [`Law`] is an identity of exact integers with a name: `rewrite` looks at a [`Subject`], a node that is about to be
//! made, and returns an equal node if the law's condition holds. A constructor of [`Dag`] folds literals, asks the laws
//! of its family, and makes the node as it is when none applies. Right sides are made by constructors again.
//!
//! No law relies on an earlier one not having applied: each is an identity under its own condition, which
//! [`rules`] lets a solver prove on its own. Where several apply, order only chooses among equal forms;
//! `tests.rs` lists the pairs for which it does.

mod bitwise;
mod compare;
mod concat;
mod count;
mod demand;
mod divide;
mod extrema;
mod instances;
mod ranges;
mod rank;
mod select;
mod shift;
mod slice;
mod slice_at;
mod sum;

#[cfg(test)]
mod tests;

pub(super) use slice::trailing_zeros;

use super::dag::{Dag, NodeId};

/// An identity: what it is called, what it does, and shapes on which it can be checked.
struct Law<S: 'static> {
    name: &'static str,
    rewrite: fn(&mut Dag, &S) -> Option<NodeId>,
    /// Subjects in an [`instances::graph`], some of which the law applies to.
    instances: fn(&mut Dag) -> Vec<S>,
}

impl<S> Law<S> {
    const fn new(
        name: &'static str,
        rewrite: fn(&mut Dag, &S) -> Option<NodeId>,
        instances: fn(&mut Dag) -> Vec<S>,
    ) -> Self {
        Self { name, rewrite, instances }
    }
}

/// What the laws of one family look at.
trait Subject: Sized + 'static {
    /// The family's name.
    const FAMILY: &'static str;
    /// The family, in the order in which laws are tried.
    const LAWS: &'static [Law<Self>];

    /// The subject as a node, not simplified.
    fn raw(&self, dag: &mut Dag) -> NodeId;

    /// What equals the subject's node when the subject becomes `rewritten`.
    fn result(&self, _: &mut Dag, rewritten: NodeId) -> NodeId {
        rewritten
    }
}

impl Dag {
    /// What the first law that applies makes of a subject.
    fn simplify<S: Subject>(&mut self, subject: &S) -> Option<NodeId> {
        S::LAWS.iter().find_map(|law| (law.rewrite)(self, subject))
    }

    /// The node of a subject, simplified.
    fn make<S: Subject>(&mut self, subject: &S) -> NodeId {
        self.simplify(subject).unwrap_or_else(|| subject.raw(self))
    }
}

/// One use of a law.
#[derive(Clone, Copy, Debug)]
pub struct Instance {
    /// The node before, as it is written.
    pub before: NodeId,
    /// What the law makes of it.
    pub after: NodeId,
}

/// A law of any family, for those who check it.
pub struct Rule {
    /// The family's name.
    pub family: &'static str,
    /// The law's name in its family.
    pub name: &'static str,
    instances: Box<Uses>,
}

/// Every use of a law on its instances in a graph.
type Uses = dyn Fn(&mut Dag) -> Vec<Instance> + Send + Sync;

impl Rule {
    /// Every use of the law on its instances: one graph for each scale of their widths.
    pub fn graphs(&self) -> Vec<(Dag, Vec<Instance>)> {
        let uses = |scale: &u32| {
            let mut dag = instances::graph(*scale);
            let instances = (self.instances)(&mut dag);
            (dag, instances)
        };
        instances::SCALES.iter().map(uses).collect()
    }
}

/// Something to do with each family of laws.
trait Families {
    fn family<S: Subject>(&mut self);
}

/// Every family, in the order in which they are listed.
fn each_family(families: &mut impl Families) {
    families.family::<slice::Slice>();
    families.family::<demand::Demand>();
    families.family::<slice_at::SliceAt>();
    families.family::<concat::Neighbours>();
    families.family::<concat::Parts>();
    families.family::<sum::Written>();
    families.family::<sum::Sum>();
    families.family::<sum::Product>();
    families.family::<shift::Shl>();
    families.family::<shift::Shr>();
    families.family::<bitwise::Pair>();
    families.family::<bitwise::Bitwise>();
    families.family::<bitwise::Not>();
    families.family::<compare::Eq>();
    families.family::<compare::Lt>();
    families.family::<compare::Le>();
    families.family::<compare::Complement>();
    families.family::<select::Select>();
    families.family::<extrema::Extremum>();
    families.family::<extrema::Bounded>();
    families.family::<extrema::Saturate>();
    families.family::<extrema::Abs>();
    families.family::<divide::Div>();
    families.family::<divide::Rem>();
    families.family::<count::PopCount>();
    families.family::<ranges::InRange>();
}

/// All laws, family by family in the order in which they are tried.
pub fn rules() -> Vec<Rule> {
    let mut rules = Rules(Vec::new());
    each_family(&mut rules);
    rules.0
}

struct Rules(Vec<Rule>);

impl Families for Rules {
    fn family<S: Subject>(&mut self) {
        self.0.extend(S::LAWS.iter().map(|law| Rule {
            family: S::FAMILY,
            name: law.name,
            instances: Box::new(|dag| {
                let subjects = (law.instances)(dag).into_iter();
                let apply = |subject: S| {
                    let after = (law.rewrite)(dag, &subject)?;
                    let after = subject.result(dag, after);
                    Some(Instance { before: subject.raw(dag), after })
                };
                subjects.filter_map(apply).collect()
            }),
        }));
    }
}
