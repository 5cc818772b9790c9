//! Anti-unification: one expression with number vectors for many elements of one structure.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::kind::Kind;
use super::skeleton::{Child, Skeletons, View};
use crate::exact::{Dag, NodeId};

/// Terms that one template may have.
const MAX_TERMS: usize = 50_000;

/// A term whose numbers are vectors: one entry for each element, and below folds for each element and
/// fold index (the last fold varies fastest).
#[derive(Clone, Debug)]
pub(super) struct RawTerm {
    pub kind: Kind<Vec<i64>>,
    pub children: Vec<usize>,
    /// Positions of the enclosing folds' terms and their counts, outermost first.
    pub folds: Vec<(usize, u32)>,
}

/// Unifies `elements`; `None` when their structures differ.
pub(super) fn unify(dag: &Dag, skeletons: &mut Skeletons, elements: &[NodeId]) -> Option<Vec<RawTerm>> {
    let mut unifier = Unifier { dag, skeletons, terms: Vec::new(), memo: FxHashMap::default(), fold_ids: 0 };
    unifier.unify(elements.to_vec(), &[])?;
    // Folds were named as they were met; terms are numbered by now.
    let mut position_of = FxHashMap::default();
    for (position, (_, fold)) in unifier.terms.iter().enumerate() {
        if let Some(fold) = fold {
            position_of.insert(*fold, position);
        }
    }
    let mut terms: Vec<RawTerm> = unifier.terms.into_iter().map(|(term, _)| term).collect();
    for term in &mut terms {
        for (fold, _) in &mut term.folds {
            *fold = *position_of.get(fold)?;
        }
    }
    Some(terms)
}

/// Nodes that are unified, and the folds around them with their counts.
type FamilyKey = (Vec<NodeId>, Vec<(usize, u32)>);

struct Unifier<'a> {
    dag: &'a Dag,
    skeletons: &'a mut Skeletons,
    /// Terms, and for folds the name by which their bodies refer to them.
    terms: Vec<(RawTerm, Option<usize>)>,
    memo: FxHashMap<FamilyKey, usize>,
    fold_ids: usize,
}

/// The common operator of views, each of its numbers a column with one entry for each view.
fn columns(views: &[Rc<View>]) -> Kind<Vec<i64>> {
    let mut rows: Vec<i64> = Vec::new();
    for view in views {
        view.kind.map(|_, number| rows.push(*number));
    }
    let per_view = rows.len() / views.len();
    let mut columns = 0..;
    views[0].kind.map(|_, _| {
        let column = columns.next().unwrap_or(0);
        rows.iter().skip(column).step_by(per_view).copied().collect()
    })
}

impl Unifier<'_> {
    fn unify(&mut self, family: Vec<NodeId>, folds: &[(usize, u32)]) -> Option<usize> {
        let key = (family, folds.to_vec());
        let family = &key.0;
        let first = self.skeletons.view(self.dag, family[0]);
        // A slice that happens to be read twice is two leaves: elsewhere it may be two slices.
        if !matches!(first.kind, Kind::Leaf { .. })
            && let Some(known) = self.memo.get(&key)
        {
            return Some(*known);
        }
        if first.opaque || self.terms.len() >= MAX_TERMS {
            return None;
        }
        if matches!(first.kind, Kind::Const(_) | Kind::AllOnes { .. }) {
            let kind = self.constants(family)?;
            return Some(self.push(key, kind, Vec::new(), None));
        }
        let mut views: Vec<Rc<View>> = Vec::with_capacity(family.len());
        let mut children: Vec<Vec<Child>> = vec![Vec::with_capacity(family.len()); first.children.len()];
        for node in family {
            let view = self.skeletons.view(self.dag, *node);
            if view.structure != first.structure
                || !view.kind.is_like(&first.kind)
                || view.children.len() != children.len()
            {
                return None;
            }
            for (column, child) in children.iter_mut().zip(&view.children) {
                column.push(child.clone());
            }
            views.push(view);
        }
        let kind = columns(&views);
        if let Kind::Fold { .. } = first.kind {
            let id = self.fold_ids;
            self.fold_ids += 1;
            let body = self.fold(&children[0], folds, id)?;
            return Some(self.push(key, kind, vec![body], Some(id)));
        }
        let mut operands = Vec::with_capacity(children.len());
        for column in &children {
            operands.push(self.child(column, folds)?);
        }
        Some(self.push(key, kind, operands, None))
    }

    /// Literals: the greatest value of one width in all of them, else numbers.
    fn constants(&mut self, family: &[NodeId]) -> Option<Kind<Vec<i64>>> {
        let views: Vec<_> = family.iter().map(|node| self.skeletons.view(self.dag, *node)).collect();
        if let Kind::AllOnes { width } = views[0].kind
            && views.iter().all(|view| view.kind == views[0].kind)
        {
            return Some(Kind::AllOnes { width: vec![width; family.len()] });
        }
        let values = family.iter().map(|node| self.dag.as_i64(*node)).collect::<Option<_>>()?;
        Some(Kind::Const(values))
    }

    fn push(
        &mut self,
        key: FamilyKey,
        kind: Kind<Vec<i64>>,
        children: Vec<usize>,
        fold: Option<usize>,
    ) -> usize {
        let position = self.terms.len();
        self.terms.push((RawTerm { kind, children, folds: key.1.clone() }, fold));
        self.memo.insert(key, position);
        position
    }

    fn child(&mut self, column: &[Child], folds: &[(usize, u32)]) -> Option<usize> {
        let Child::Many(op, _) = &column[0] else {
            let family = column
                .iter()
                .map(|child| match child {
                    Child::One(node) => Some(*node),
                    Child::Many(..) => None,
                })
                .collect::<Option<Vec<_>>>()?;
            return self.unify(family, folds);
        };
        let op = *op;
        let id = self.fold_ids;
        self.fold_ids += 1;
        let body = self.fold(column, folds, id)?;
        let count = column
            .iter()
            .map(|child| match child {
                Child::Many(_, nodes) => nodes.len() as i64,
                Child::One(_) => 1,
            })
            .collect();
        let term = RawTerm { kind: Kind::Fold { op, count }, children: vec![body], folds: folds.to_vec() };
        self.terms.push((term, Some(id)));
        Some(self.terms.len() - 1)
    }

    /// The body of a fold: every element's operands in a row.
    fn fold(&mut self, column: &[Child], folds: &[(usize, u32)], id: usize) -> Option<usize> {
        let Child::Many(_, nodes) = &column[0] else { return None };
        let count = nodes.len();
        let mut family = Vec::with_capacity(column.len() * count);
        for child in column {
            match child {
                Child::Many(_, nodes) if nodes.len() == count => family.extend_from_slice(nodes),
                _ => return None,
            }
        }
        let mut inner = folds.to_vec();
        inner.push((id, count as u32));
        self.unify(family, &inner)
    }
}
