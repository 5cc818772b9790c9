//! Operations laid over registers that hold several values, lane by lane: what each lane needs of the operands follows from
//! its own value, constants and elements of leaves among them.

use crate::contents::{Content, Entry, States, Wanted};
use crate::mixed::{placed, strangers};
use crate::moves::applied;
use crate::options::{Finder, Way, max_moves};
use crate::table::{Op, OpId, TemplateId};
use crate::unify::Binding;
use hydride_ir::exact::NodeId;
use search::Class;

/// Values in a state, at most.
const MAX_VALUES: usize = 64;

/// Ways to take the first lane's value, for each operation.
const MAX_FIRST: usize = 8;

impl Finder<'_, '_> {
    /// Operations that compute what is wanted, where lanes differ in what they need of the operands.
    pub(crate) fn laid(&mut self, states: &mut States, wanted: &Wanted, ways: &mut Vec<Way>) {
        if wanted.values().len() > MAX_VALUES {
            return;
        }
        let computed = |entry: &&Entry| matches!(entry, Entry::Value(..)) && !self.is_plain(**entry);
        let value = |entry: Entry| match entry {
            Entry::Value(value, _) => Some(value),
            _ => None,
        };
        let first = wanted.registers.iter().flatten().find(computed).copied();
        // What keeps the lower half of a register computes the upper one.
        let upper = wanted.registers.iter().flat_map(|content| &content[content.len() / 2..]);
        let upper = upper.filter(|entry| value(**entry).is_some()).find(|own| first != Some(**own));
        let (first, upper) = (first.and_then(value), upper.copied().and_then(value));
        if let Some(value) = first {
            self.laid_from(states, wanted, value, false, ways);
        }
        if let Some(value) = upper.filter(|value| first != Some(*value)) {
            self.laid_from(states, wanted, value, true, ways);
        }
    }

    /// Operations, or those that keep the lower half of a register, of which one lane computes a value.
    fn laid_from(
        &mut self,
        states: &mut States,
        wanted: &Wanted,
        first: NodeId,
        keeps: bool,
        ways: &mut Vec<Way>,
    ) {
        let table = self.table;
        let mut templates: Vec<(TemplateId, usize)> = Vec::new();
        for (id, _) in self.matching(first, wanted.container) {
            match templates.iter_mut().find(|own| own.0 == id) {
                Some(own) => own.1 += 1,
                None => templates.push((id, 1)),
            }
        }
        for (id, count) in templates {
            let gives = |op: &&OpId| {
                let own = table.op(**op);
                own.result == wanted.ty && (!keeps || own.keeps.is_some())
            };
            for op in table.members(id).iter().filter(gives) {
                for choice in 0..count.min(MAX_FIRST) {
                    let own = table.op(*op);
                    let laid = |content| Some((*op, self.laid_operands(own, content, (first, choice))?));
                    let steps: Option<Vec<_>> = wanted.registers.iter().map(laid).collect();
                    let way = steps.and_then(|steps| self.laid_way(states, wanted, own, &steps));
                    ways.extend(way.filter(|way| !ways.contains(way)));
                }
            }
        }
    }

    /// What the operands must hold for the result to hold `content`; of one value the ways to compute it with that number is
    /// taken, of others the one that shares most sources with what is there.
    fn laid_operands(
        &mut self,
        op: &Op,
        content: &Content,
        (first, choice): (NodeId, usize),
    ) -> Option<Vec<Content>> {
        let table = self.table;
        let template = table.template(op.template);
        let mut operands: Vec<Content> = Vec::new();
        for (ty, container) in op.args.iter().zip(&op.containers) {
            operands.push(vec![Entry::Any; (ty.width / (*container)?) as usize]);
        }
        let is_first = |entry: &Entry| matches!(entry, Entry::Value(value, _) if *value == first);
        let mut lanes: Vec<usize> = (0..content.len()).filter(|lane| content[*lane] != Entry::Any).collect();
        lanes.sort_by_key(|lane| !is_first(&content[*lane]));
        for lane in lanes {
            let entry = content[lane];
            let Some(reads) = op.reads.get(lane) else {
                // Lanes beyond those that are computed are zero, or nothing is proved.
                if self.is_zero(entry) {
                    continue;
                }
                return None;
            };
            if let (true, Some(kept)) = (reads.is_empty(), op.keeps) {
                *operands[kept as usize].get_mut(lane)? = entry;
                continue;
            }
            let (value, number) = self.value_of(entry)?;
            let found = self.matching(value, template.container);
            let mut choices: Vec<Vec<Entry>> = Vec::new();
            for (_, binding) in found.into_iter().filter(|(id, _)| *id == op.template) {
                if !self.narrows_only(value, template.container, &binding, &template.slots) {
                    choices.push(self.bound(&binding, &template.slots, number));
                }
            }
            if is_first(&entry) {
                choices = vec![choices.into_iter().nth(choice)?];
            }
            choices.sort_by_key(|slots| {
                (strangers(op, &operands, lane, slots), self.inversions(op, lane, slots, &template.slots))
            });
            operands =
                choices.iter().find_map(|slots| placed(op, &operands, lane, slots, &template.slots))?;
        }
        Some(operands)
    }

    /// How many of a lane's slots are neighbors in an operand, but lanes of one source in another order.
    fn inversions(&self, op: &Op, lane: usize, slots: &[Entry], widths: &[u32]) -> usize {
        let placed: Vec<_> = slots.iter().zip(widths).zip(&op.reads[lane]).collect();
        let mut found = 0;
        for two in placed.windows(2) {
            let [((one, width), first), ((other, _), second)] = two else { continue };
            let homes = (self.home(**one, **width), self.home(**other, **width));
            if let (Some(left), Some(right)) = homes
                && first.0 == second.0
                && left.0 == right.0
            {
                found += usize::from((left.1 < right.1) != (first.1 < second.1));
            }
        }
        found
    }

    /// Whether a value is only narrowed: a wider slot has it already.
    fn narrows_only(&mut self, value: NodeId, container: u32, binding: &Binding, slots: &[u32]) -> bool {
        let dag = &mut self.meaning.dag;
        let wide = binding.iter().zip(slots).filter(|(_, width)| **width > container);
        wide.filter_map(|(slot, _)| *slot).any(|slot| dag.slice(slot, 0, container, false) == value)
    }

    /// The operation for each register, with the states of its operands; `None` where a scalar would differ from register to
    /// register, or an operand is what is wanted.
    fn laid_way(
        &self,
        states: &mut States,
        wanted: &Wanted,
        own: &Op,
        steps: &[(OpId, Vec<Content>)],
    ) -> Option<Way> {
        let containers: Vec<u32> = own.containers.iter().copied().collect::<Option<_>>()?;
        for (arg, (ty, container)) in own.args.iter().zip(&containers).enumerate() {
            let mut contents = steps.iter().map(|(_, operands)| &operands[arg]);
            let uniform = |entry: &Entry| matches!(entry, Entry::Any | Entry::Uniform(_));
            let refused = match ty.class {
                Class::Scalar => contents.clone().flatten().any(|entry| !uniform(entry)),
                _ => false,
            };
            let same = (*ty, *container) == (wanted.ty, wanted.container);
            if refused || same && contents.any(|content| wanted.registers.contains(content)) {
                return None;
            }
        }
        let moves = max_moves(self.meaning.window());
        Some(applied(states, &own.args, steps, &|arg| containers[arg], moves))
    }
}
