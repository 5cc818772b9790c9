//! Which of the ways of a shift by signed counts a target's instructions are for.

use hydride_ir::exact::{Dag, Node, NodeId};

use crate::bidirectional::{Down, differing_shifts};
use crate::contents::Wanted;
use crate::forms::sliced;
use crate::options::Finder;
use crate::shifts::shifts;
use crate::table::TemplateId;
use crate::unify::Binding;

/// Whether a value is computed by shifts by computed counts.
fn shifts_by_count(dag: &Dag, value: NodeId) -> bool {
    dag.reachable([value]).into_iter().any(|node| match dag.node(node) {
        Node::Shl(_, count) | Node::Shr(_, count) => dag.as_int(*count).is_none(),
        _ => false,
    })
}

/// Whether a value is computed by shifts of negative numbers down by computed counts.
fn shifts_signs_in(dag: &Dag, value: NodeId) -> bool {
    dag.reachable([value]).into_iter().any(|node| match dag.node(node) {
        Node::Shr(of, count) => dag.as_int(*count).is_none() && !dag.range(*of).is_non_negative(),
        _ => false,
    })
}

/// The values of a kind, or all of them where none is.
fn of_kind(all: Vec<NodeId>, is: impl Fn(NodeId) -> bool) -> Vec<NodeId> {
    let found: Vec<NodeId> = all.iter().copied().filter(|value| is(*value)).collect();
    if found.is_empty() { all } else { found }
}

impl Finder<'_, '_> {
    /// A shift by a count with a sign, by counts where the target shifts each lane by its own, else by products where there are any.
    pub(crate) fn shifted(&mut self, value: NodeId, container: u32) -> Vec<NodeId> {
        let others = shifts(&mut self.meaning.dag, value);
        if others.is_empty() {
            return others;
        }
        let table = self.table;
        let own_counts = |id: &TemplateId| {
            table.members(*id).iter().any(|op| match &table.op(*op).reads[..] {
                [first, second, ..] => {
                    first.len() > 1 && first.iter().zip(second).all(|(one, next)| one != next)
                }
                _ => false,
            })
        };
        let mut templates = table.templates(container).iter();
        let by_counts = templates.any(|id| {
            let template = table.template(*id);
            shifts_by_count(&template.dag, template.root) && own_counts(id)
        });
        let with_signs = table.templates(container).iter().any(|id| {
            let template = table.template(*id);
            shifts_signs_in(&template.dag, template.root) && own_counts(id)
        });
        let dag = &self.meaning.dag;
        // Where the target shifts signs in no signs are taken apart.
        if with_signs && others.iter().any(|other| shifts_signs_in(dag, *other)) {
            return of_kind(others, |other| shifts_signs_in(dag, other));
        }
        of_kind(others, |other| shifts_by_count(dag, other) == by_counts)
    }

    /// Whether the target has a value as a shift by counts.
    pub(crate) fn has_shift(&mut self, value: NodeId, container: u32) -> bool {
        let table = self.table;
        self.matching(value, container).iter().any(|(id, _)| {
            let template = table.template(*id);
            shifts_by_count(&template.dag, template.root)
        })
    }

    /// Whether a state is two lanes that are shifted by counts of their own.
    pub(crate) fn is_shifted_apart(&self, wanted: &Wanted) -> bool {
        let dag = &self.meaning.dag;
        let shifts = |value| match *dag.node(sliced(dag, value).0) {
            Node::Shl(_, count) | Node::Shr(_, count) => dag.as_int(count).is_none(),
            _ => false,
        };
        wanted.container == 64 && wanted.only_value().is_some_and(shifts)
    }

    /// Operations whose counts have signs that shift a value so.
    pub(crate) fn bidirectional(&mut self, value: NodeId, width: u32) -> Vec<(TemplateId, Binding)> {
        let Some(down) = self.down(value, width) else { return Vec::new() };
        let table = self.table;
        let mut found = Vec::new();
        for id in table.templates(width) {
            let template = table.template(*id);
            let Some(shift) = template.shift() else { continue };
            let (number, by) = (shift.args.0 as usize, shift.args.1 as usize);
            let dag = &mut self.meaning.dag;
            let fits = dag.range(down.of).fits(width, shift.signed);
            if (shift.width, shift.rounds) != (width, down.rounds) || !fits {
                continue;
            }
            let half = 1i64 << (shift.counts - 1);
            let (low, high) = if shift.up { (1 - half, half) } else { (-half, half - 1) };
            let Some(mut count) = down.count_within(dag, low, high, width) else { continue };
            if shift.up {
                count = dag.neg(count);
            }
            let mut binding = vec![None; 2];
            binding[number] = Some(dag.slice(down.of, 0, width, false));
            binding[by] = Some(dag.slice(count, 0, template.slots[by], false));
            found.push((*id, binding));
        }
        found
    }

    /// What is rounded as a difference of shifts where the target has such shifts, but none that round.
    pub(crate) fn differing_shifts(&mut self, value: NodeId, width: u32) -> Option<NodeId> {
        let down = self.down(value, width).filter(|down| down.rounds)?;
        let table = self.table;
        let shifts = table.templates(width).iter().filter_map(|id| table.template(*id).shift());
        let mut own = shifts.filter(|own| own.width == width && own.signed);
        let (exact, rounds) = (own.clone().any(|own| !own.rounds), own.any(|own| own.rounds));
        let dag = &mut self.meaning.dag;
        let fits = exact && !rounds && dag.range(down.of).fits(width, true);
        fits.then(|| differing_shifts(dag, value)).flatten()
    }

    /// A value as bits of a shift down or up by one count for all lanes.
    fn down(&mut self, value: NodeId, width: u32) -> Option<Down> {
        Down::read(&mut self.meaning.dag, value, width).filter(|down| self.meaning.is_uniform(down.count))
    }
}
