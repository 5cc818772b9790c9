//! Compositions of instructions: what each computes of its own operands, and nothing rewritten.
//!
//! Of a function `f(g(a, b), c)` the search begins with the operations that give the result for any operands, and goes on
//! with what these must hold. There are few such ways, so that programs of several expensive instructions are found before
//! there are too many states; what is cheaper in other ways is looked for afterwards, with their cost as a limit.

use hydride_ir::exact::{Node, NodeId};
use search::Class;

use crate::contents::{Content, Entry, Source, StateId, States, Wanted, in_order};
use crate::options::{Finder, Way};
use crate::table::TemplateId;
use crate::unify::Binding;

impl Finder<'_, '_> {
    /// The ways to a state of a composition of instructions.
    pub(crate) fn composed_ways(&mut self, states: &mut States, id: StateId) -> Vec<Way> {
        let wanted = states.wanted(id).clone();
        let moves = states.moves(id);
        if self.is_constant(&wanted) {
            return vec![Way::Constant];
        }
        let mut ways = Vec::new();
        if wanted.ty.class == Class::Mask && wanted.container > 1 {
            self.alone(states, &wanted, &mut ways);
            ways.extend(self.bits(&wanted).map(|bits| Way::Recast(states.intern(bits, moves))));
            return ways;
        }
        if wanted.ty.class == Class::Scalar {
            self.laid(states, &wanted, &mut ways);
            self.alone(states, &wanted, &mut ways);
            let whole = self.regrouped(&wanted).into_iter().filter(|own| own.container == own.ty.width);
            ways.extend(whole.map(|whole| Way::Recast(states.intern(whole, moves))));
            return ways;
        }
        if self.is_loaded(&wanted) {
            return vec![Way::Load];
        }
        self.pairs(states, &wanted, moves, &mut ways);
        self.lower_half(states, &wanted, moves, &mut ways);
        match wanted.only_value() {
            Some(value) if wanted.holds_values_alone() => {
                self.computed(states, &wanted, value, &mut ways);
            }
            _ if !wanted.values().is_empty() => {
                self.mixed(states, &wanted, &mut ways);
                self.laid(states, &wanted, &mut ways);
            }
            _ => {}
        }
        self.alone(states, &wanted, &mut ways);
        if ways.iter().any(|way| self.is_single(states, way)) {
            return ways;
        }
        for view in self.regrouped(&wanted) {
            let way = Way::Recast(states.intern(view, moves));
            if !ways.contains(&way) {
                ways.push(way);
            }
        }
        // What computes several values at once is not put together from registers with some of them.
        let computes = ways.iter().any(|way| matches!(way, Way::Apply(_)));
        if moves > 0 && (wanted.values().len() <= 1 || !computes) {
            self.moved(states, &wanted, moves, &mut ways);
        }
        ways
    }

    /// Whether nothing is done for a state.
    pub(crate) fn is_given(&self, wanted: &Wanted) -> bool {
        self.is_constant(wanted) || self.is_loaded(wanted)
    }

    /// Whether all registers of a state can be loaded.
    pub(crate) fn is_loaded(&self, wanted: &Wanted) -> bool {
        wanted.ty.class == Class::Vector
            && wanted.loads().is_some_and(|loads| {
                loads.iter().zip(&wanted.registers).all(|(load, content)| self.is_there(*load, content))
            })
    }

    /// Whether a register can be loaded: it lies in its leaf, or is the last one in order. Of a leaf in registers it is
    /// one of these, or the lowest part of the first.
    fn is_there(&self, (leaf, start): (u32, i64), content: &Content) -> bool {
        let ty = self.meaning.window().leaves[leaf as usize].ty;
        let (lanes, count) = (i64::from(ty.lanes), content.len() as i64);
        if self.meaning.window().in_registers {
            let whole =
                self.widths.last().is_some_and(|widest| count * i64::from(ty.width) == i64::from(*widest));
            return start == 0 || whole && start > 0 && start % count == 0;
        }
        start >= 0 && (start + count <= lanes || start % count == 0)
    }

    /// A mask register bit by bit; `None` where it holds what is there.
    fn bits(&mut self, wanted: &Wanted) -> Option<Wanted> {
        let mut registers = Vec::new();
        for content in &wanted.registers {
            let mut bits = Vec::new();
            for entry in content {
                let Entry::Value(value, lane) = *entry else { return None };
                for low in 0..wanted.container {
                    let bit = self.meaning.dag.slice(value, low, 1, false);
                    bits.push(self.entry(bit, 1, lane));
                }
            }
            registers.push(bits);
        }
        Some(Wanted { ty: wanted.ty, container: 1, registers })
    }

    /// Whether registers are made before the loop, by integers alone.
    pub(crate) fn is_constant(&self, wanted: &Wanted) -> bool {
        let dag = &self.meaning.dag;
        let values = wanted.registers.iter().flatten().filter_map(|entry| entry.uniform());
        wanted.is_constant()
            && !dag.reachable(values).iter().any(|node| matches!(dag.node(*node), Node::Float { .. }))
    }

    /// Whether a movement's operand is a step forward: fewer sources than before, or one that is in order, or can be put in
    /// order by one instruction.
    pub(crate) fn is_simpler(
        &self,
        content: &Content,
        container: u32,
        wanted: &Wanted,
        permutes: &dyn Fn() -> bool,
    ) -> bool {
        if in_order(content) {
            return true;
        }
        let homes = |content: &Content, container: u32| -> Vec<Option<(Source, u32)>> {
            content.iter().map(|entry| self.home(*entry, container)).collect()
        };
        let count = |homes: &[Option<(Source, u32)>]| {
            let mut sources: Vec<Source> = Vec::new();
            for (source, _) in homes.iter().flatten() {
                if sources.last() != Some(source) && !sources.contains(source) {
                    sources.push(*source);
                }
            }
            sources.len()
        };
        let homes_of = homes(content, container);
        let own = count(&homes_of);
        let before =
            || wanted.registers.iter().map(|own| count(&homes(own, wanted.container))).max().unwrap_or(0);
        if own > 1 {
            return own < before();
        }
        let mut start = None;
        let ordered = homes_of.iter().enumerate().all(|(position, home)| {
            let Some((_, lane)) = home else { return true };
            let own = i64::from(*lane) - position as i64;
            *start.get_or_insert(own) == own
        });
        ordered || permutes() && own < before()
    }

    /// A binding with zeros for open slots, where the value is not the same with all ones there.
    pub(crate) fn settled(&mut self, template: TemplateId, binding: Binding, value: NodeId) -> Binding {
        if binding.iter().all(Option::is_some) {
            return binding;
        }
        let ones = self.meaning.dag.int(-1);
        let with_ones: Binding = binding.iter().map(|slot| Some(slot.unwrap_or(ones))).collect();
        if self.gives(template, &with_ones, value) {
            return binding;
        }
        let zero = self.meaning.dag.int(0);
        binding.into_iter().map(|slot| Some(slot.unwrap_or(zero))).collect()
    }
}
