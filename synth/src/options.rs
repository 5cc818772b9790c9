//! The ways to reach a state: loads, constants, other views of the same bits, and operations of the target.

use hydride_ir::exact::{Node, NodeId, raise_with};
use rustc_hash::{FxHashMap, FxHashSet};
use search::{Class, Type};

use crate::bidirectional::differing_shifts;
use crate::contents::{
    Alone, Content, Entry, Place, StateId, States, Wanted, filling, gather, has_source, in_order, join,
};
use crate::counts::counts;
use crate::forms::{is_computed_shift, is_condition, sliced};
use crate::idle::idle;
use crate::normal::normal;
use crate::rewrite::{bit_choice, is_choice, product_of_halves, rewrites, rounding};
use crate::shifts::shifts;
use crate::table::{OpId, Table, TemplateId, crosses, joins_halves};
use crate::tables::{
    blended_elements, blends, chooses_bits, chooses_elements, multiplies_words, without_sign,
};
use crate::unify::{Binding, proposals, zeros};
use crate::window::{Meaning, Window};

/// Movements of elements between two computations, at most.
pub(crate) const MAX_MOVES: u8 = 1;

/// The same where leaves are in registers, and elements of them cannot be loaded from where they are wanted.
const MAX_MOVES_IN_REGISTERS: u8 = 2;

/// How often the elements of a window's values may be moved before something is computed.
pub fn max_moves(window: &Window) -> u8 {
    if window.in_registers { MAX_MOVES_IN_REGISTERS } else { MAX_MOVES }
}

/// Width of the widest lanes in bits; wider values are registers as a whole.
pub(crate) const MAX_CONTAINER: u32 = 64;

/// Values in one register that one operation computes together, at most.
const MAX_JOINT: usize = 8;

/// Slots of the longest sums, those of two products, that are computed only in the narrowest containers that hold them.
const MAX_ADDED: usize = 4;

/// A way to reach a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Way {
    /// Each register is a run of elements in memory, or was loaded before.
    Load,
    /// Each register is made before the loop.
    Constant,
    /// The same bits in containers of another width.
    Recast(StateId),
    /// The value equals another one, by a rewrite.
    Equal(StateId),
    /// Registers are the halves of pairs, the last of which may have one too many.
    Halves(StateId),
    /// Registers are the halves of others, of which the operation moves the upper ones down.
    Split(StateId, OpId),
    /// Registers are pairs of others.
    Pairs(StateId),
    /// Each register by itself.
    Each(Vec<StateId>),
    /// An operation for each register, with its operands.
    Apply(Vec<(OpId, Vec<Place>)>),
}

/// A value over all elements of its leaves, or all parts of a container's width, and which of these each lane is.
type Whole = (NodeId, std::rc::Rc<[u32]>);

/// A register of what is wanted, and an operand of the operation that gives it.
type RegisterAndArg = (usize, usize);

/// Finds ways, and remembers what was proved on the way.
pub struct Finder<'m, 'w> {
    /// The window's values.
    pub meaning: &'m mut Meaning<'w>,
    /// The target's operations.
    pub table: &'m Table,
    /// Widths of vector registers in bits.
    pub widths: Vec<u32>,
    /// What a register with constants costs, in thousandths of a cycle.
    pub constant: u64,
    /// Whether the window computes nothing: all that is wanted are elements of leaves in other places.
    pub only_moves: bool,
    /// Whether each register is computed by itself, and not all of them alike.
    pub apart: bool,
    /// Whether only what instructions compute of their own operands is looked for, and where these lie: values are neither
    /// rewritten nor taken apart.
    pub composing: bool,
    /// States that are looked at, at most, where there may not be fewer anyway.
    pub limit: usize,
    /// Values as the window has them written ([`Meaning::written`]).
    pub written: FxHashMap<NodeId, NodeId>,
    matches: FxHashMap<(NodeId, u32, bool), Vec<(TemplateId, Binding)>>,
    /// What operations do not give, although they did on all inputs that were tried.
    refused: FxHashSet<(TemplateId, NodeId)>,
    equals: FxHashMap<NodeId, Vec<NodeId>>,
    uniform: FxHashMap<NodeId, bool>,
    /// What instructions without lanes give for whole leaves, by the type of their results.
    pub(crate) over_leaves: FxHashMap<Type, Vec<Alone>>,
    wholes: FxHashMap<(NodeId, u32), Option<Whole>>,
    /// Whether the target multiplies 32 by 32 bits to 64.
    pub(crate) wide_products: bool,
    /// Whether it takes each bit from one of two operands.
    chooses_bits: bool,
    /// Whether it takes each byte from one of two operands, by the sign of a third one.
    blends_bytes: bool,
}

impl<'m, 'w> Finder<'m, 'w> {
    /// A finder with nothing found yet.
    pub fn new(meaning: &'m mut Meaning<'w>, table: &'m Table, widths: Vec<u32>) -> Self {
        Self {
            wide_products: table.templates(64).iter().any(|id| multiplies_words(table.template(*id))),
            blends_bytes: table.templates(8).iter().any(|id| blends(table.template(*id))),
            chooses_bits: table.templates(8).iter().any(|id| chooses_bits(table.template(*id))),
            meaning,
            table,
            widths,
            constant: 0,
            only_moves: false,
            apart: false,
            composing: false,
            limit: usize::MAX,
            written: FxHashMap::default(),
            matches: FxHashMap::default(),
            refused: FxHashSet::default(),
            equals: FxHashMap::default(),
            uniform: FxHashMap::default(),
            over_leaves: FxHashMap::default(),
            wholes: FxHashMap::default(),
        }
    }

    /// What a container of `width` bits holds when it has a value's low bits, in a lane of the value's family.
    pub fn entry(&mut self, value: NodeId, width: u32, lane: u32) -> Entry {
        let bits = self.meaning.dag.slice(value, 0, width, false);
        let uniform = match self.uniform.get(&bits) {
            Some(known) => *known,
            None => {
                let found = self.meaning.is_uniform(bits);
                self.uniform.insert(bits, found);
                found
            }
        };
        if uniform {
            return Entry::Uniform(bits);
        }
        // Registers as a whole are the same for every lane.
        let lane = if width > MAX_CONTAINER && self.meaning.is_invariant(bits) { 0 } else { lane };
        match self.meaning.element_of(bits, width, lane) {
            Some(element) => match self.meaning.scalar_bits(element) {
                Some(scalar) => Entry::Uniform(scalar),
                None => Entry::Element(element),
            },
            None => match self.whole(bits, width) {
                Some((whole, places)) if (lane as usize) < places.len() => {
                    Entry::Value(whole, places[lane as usize])
                }
                // A lane of all elements already is one of them.
                _ => Entry::Value(bits, lane),
            },
        }
    }

    /// A value whose samples all take the same elements of their leaves, as the value of all elements, and which element
    /// each lane is.
    fn whole(&mut self, bits: NodeId, width: u32) -> Option<Whole> {
        if let Some(known) = self.wholes.get(&(bits, width)) {
            return known.clone();
        }
        let found = self.meaning.whole(bits, width).map(|(node, places)| (node, places.into()));
        self.wholes.insert((bits, width), found.clone());
        found
    }

    /// The ways to a state of any window.
    fn all_ways(&mut self, states: &mut States, id: StateId) -> Vec<Way> {
        let wanted = states.wanted(id).clone();
        let moves = states.moves(id);
        if self.is_constant(&wanted) {
            return vec![Way::Constant];
        }
        if wanted.ty.class == Class::Scalar {
            return Vec::new();
        }
        if self.is_loaded(&wanted) {
            return vec![Way::Load];
        }
        if self.apart && wanted.registers.len() > 1 {
            return vec![wanted.apart(states, moves)];
        }
        let mut ways = Vec::new();
        self.pairs(states, &wanted, moves, &mut ways);
        self.split(states, &wanted, moves, &mut ways);
        self.lower_half(states, &wanted, moves, &mut ways);
        let mut direct = false;
        let values = wanted.values();
        // Bytes of tables are looked up together.
        let half = wanted.container / 2;
        if moves > 0 && !values.is_empty() && values.iter().all(|value| self.is_lookups(*value, half)) {
            let halves = self.halves(&wanted).map(|halves| Way::Recast(states.intern(halves, moves)));
            ways.extend(halves);
            return ways;
        }
        if let Some(value) = wanted.only_value() {
            if self.as_written(states, &wanted, value, moves, &mut ways) {
                return ways;
            }
            self.computed(states, &wanted, value, &mut ways);
            let single = |finder: &Self, way: &Way| finder.is_single(states, way);
            if ways.iter().any(|way| single(self, way)) {
                // One instruction may do for a pair of registers.
                ways.retain(|way| matches!(way, Way::Halves(_) | Way::Pairs(_)) || single(self, way));
                return ways;
            }
            // Nor are shifts by counts with signs, and what is looked up or a count of parts, reached in other ways.
            let others = self.shifted(value, wanted.container);
            if !others.is_empty() && !self.has_shift(value, wanted.container) {
                let renamed: Vec<Wanted> =
                    others.into_iter().map(|other| self.renamed(&wanted, other)).collect();
                ways.extend(renamed.into_iter().map(|other| Way::Equal(states.intern(other, moves))));
                return ways;
            }
            if let Some(difference) = self.differing_shifts(value, wanted.container) {
                let renamed = self.renamed(&wanted, difference);
                ways.push(Way::Equal(states.intern(renamed, moves)));
                return ways;
            }
            if self.looked_up(states, &wanted, value, &mut ways) {
                return ways;
            }
            if self.by_bytes(states, &wanted, value, &mut ways) {
                return ways;
            }
            if let Some(wrapped) = self.wrapped_product(&wanted, value) {
                let renamed = self.renamed(&wanted, wrapped);
                ways.push(Way::Equal(states.intern(renamed, moves)));
                return ways;
            }
            let table = self.table;
            // Of values in registers those that are narrower are not given by being made wider.
            let in_registers = self.meaning.window().in_registers;
            let given = |(template, _): &(TemplateId, Binding)| {
                let slots = &table.template(*template).slots;
                let converts = in_registers && slots.len() == 1 && slots[0] < wanted.container;
                let there = table.members(*template).iter().any(|op| table.op(*op).result == wanted.ty);
                there && !converts && slots.iter().all(|slot| *slot <= wanted.container)
            };
            let dag = &self.meaning.dag;
            let chooses = is_choice(dag, value) && !chooses_elements(dag, value)
                || matches!(*dag.node(value), Node::Shr(_, count) if dag.as_int(count).is_none());
            direct = self.matching(value, wanted.container).iter().any(given);
            let of_bytes = self.zeros_of_bytes(value, wanted.container);
            let of_parts = if direct { None } else { counts(&mut self.meaning.dag, value) };
            if let Some(parts) = of_bytes.or(of_parts) {
                let renamed = self.renamed(&wanted, parts);
                ways.push(Way::Equal(states.intern(renamed, moves)));
                return ways;
            }
            self.paired(states, &wanted, value, &mut ways);
            if !direct {
                self.byte_products(states, &wanted, value, &mut ways);
                let joined = self.joined(&wanted).map(|(whole, _)| Way::Recast(states.intern(whole, moves)));
                ways.extend(joined);
            }
            let others = if direct && !chooses {
                without_sign(&mut self.meaning.dag, value).into_iter().collect()
            } else {
                self.equal(value)
            };
            for other in others {
                let renamed = self.renamed(&wanted, other);
                ways.push(Way::Equal(states.intern(renamed, moves)));
            }
        } else if !values.is_empty() {
            self.mixed(states, &wanted, &mut ways);
            if ways.iter().any(|way| self.is_single(states, way)) {
                return ways;
            }
            if let Some((whole, computes)) = self.joined(&wanted) {
                ways.push(Way::Recast(states.intern(whole, moves)));
                if computes {
                    return ways;
                }
            }
        } else {
            let extended = self.joined(&wanted).map(|(whole, _)| Way::Recast(states.intern(whole, moves)));
            ways.extend(extended);
        }
        if wanted.only_value().is_none() && (1..=MAX_JOINT).contains(&values.len()) {
            self.jointly(states, &wanted, &values, &mut ways);
            // What many values have in common is not computed for each of them.
            if values.len() > 2 && !ways.is_empty() {
                return ways;
            }
        }
        let mut wide = self.wide(&wanted);
        if wide.is_empty() {
            wide.extend(self.with_high_halves(&wanted));
        }
        let before = if wide.is_empty() { ways.len() } else { 0 };
        for wide in wide {
            ways.push(Way::Recast(states.intern(wide, moves)));
        }
        let applies = ways.iter().any(|way| matches!(way, Way::Apply(_)));
        if !direct || !applies && self.is_shifted_apart(&wanted) {
            self.alternated(states, &wanted, moves, &mut ways);
        }
        // Whole products are computed of every other lane where these are, and moved in no other way.
        if ways.len() > before && self.is_of_whole_products(&wanted) {
            return ways;
        }
        if moves > 0 {
            if wanted.ty.class == Class::Vector
                && wanted.container >= 16
                && let Some(halves) = self.halves(&wanted)
            {
                ways.push(Way::Recast(states.intern(halves, moves.min(MAX_MOVES))));
            }
            self.moved(states, &wanted, moves, &mut ways);
        }
        ways
    }

    /// Leaves out from now on that an operation gives what a proof refused; says whether that is new.
    pub fn refuse(&mut self, op: OpId, content: Entry) -> bool {
        let Entry::Value(value, _) = content else { return false };
        self.matches.clear();
        self.refused.insert((self.table.op(op).template, value))
    }

    /// Every way to reach a state, cheapest kinds first.
    pub fn ways(&mut self, states: &mut States, id: StateId) -> Vec<Way> {
        match self.composing {
            true => self.composed_ways(states, id),
            false => self.all_ways(states, id),
        }
    }

    /// Whether a way is one micro-operation for each register, on what is there: nothing is cheaper.
    pub(crate) fn is_single(&self, states: &States, way: &Way) -> bool {
        let Way::Apply(steps) = way else { return false };
        let is_given = |place: &Place| self.is_given(states.wanted(place.state));
        steps.iter().all(|(op, places)| self.table.instruction(*op).uops == 1 && places.iter().all(is_given))
    }

    pub(crate) fn renamed(&mut self, wanted: &Wanted, value: NodeId) -> Wanted {
        let mut renamed = wanted.clone();
        for entry in renamed.registers.iter_mut().flatten() {
            if let Entry::Value(_, lane) = *entry {
                *entry = self.entry(value, wanted.container, lane);
            }
        }
        renamed
    }

    fn equal(&mut self, value: NodeId) -> Vec<NodeId> {
        if let Some(known) = self.equals.get(&value) {
            return known.clone();
        }
        let mut found = rewrites(&mut self.meaning.dag, value);
        // Those are chosen by what the target has.
        let mut shifted = shifts(&mut self.meaning.dag, value);
        shifted.extend(differing_shifts(&mut self.meaning.dag, value));
        found.retain(|other| !shifted.contains(other));
        if !self.chooses_bits {
            let bits = bit_choice(&mut self.meaning.dag, value);
            found.retain(|other| Some(*other) != bits);
        }
        if self.blends_bytes
            && let Some(blended) = blended_elements(&mut self.meaning.dag, value)
        {
            found = vec![blended];
        }
        // Where whole products are there, products of halves and shifts without their carry lead nowhere.
        if self.wide_products && self.is_of_product(value) {
            let dag = &mut self.meaning.dag;
            let mut worse = product_of_halves(dag, value);
            worse.extend(rounding(dag, value));
            found.retain(|other| !worse.contains(other));
        }
        self.equals.insert(value, found.clone());
        found
    }

    /// Operations that compute the value in each lane.
    pub(crate) fn computed(
        &mut self,
        states: &mut States,
        wanted: &Wanted,
        value: NodeId,
        ways: &mut Vec<Way>,
    ) {
        let table = self.table;
        let mut found = self.matching(value, wanted.container);
        found.extend(self.of_neighbors(wanted, value));
        let width = |template: TemplateId| table.template(template).slots.iter().copied().max().unwrap_or(0);
        let own = found.iter().any(|(template, _)| width(*template) <= wanted.container);
        let narrow =
            !self.composing && wanted.container >= 16 && self.is_narrow_sum(value, wanted.container / 2);
        let same = |dag: &mut hydride_ir::exact::Dag, slot: &Option<NodeId>| {
            slot.is_some_and(|slot| dag.slice(slot, 0, wanted.container, false) == value)
        };
        let converts = |dag: &mut hydride_ir::exact::Dag, binding: &Binding| {
            binding.len() == 1 && same(dag, &binding[0])
        };
        let converted = found.iter().any(|(_, binding)| converts(&mut self.meaning.dag, binding));
        self.keep_comparisons(value, wanted.container, &mut found);
        for (template, binding) in found {
            // What a conversion gives is not computed by adding nothing to it.
            if converted && binding.len() > 1 && binding.iter().any(|slot| same(&mut self.meaning.dag, slot))
            {
                continue;
            }
            if self.is_moved_in_steps(value, &binding, wanted.container) {
                continue;
            }
            // Sums are computed in the narrowest containers that hold them, unless one instruction adds up many numbers.
            let few = binding.len() <= MAX_ADDED;
            if narrow && few && !binding.iter().any(|slot| same(&mut self.meaning.dag, slot)) {
                continue;
            }
            // What is computed at this width is not computed wider and narrowed.
            let wider = own && width(template) > wanted.container;
            if wider && binding.iter().any(|slot| same(&mut self.meaning.dag, slot)) {
                continue;
            }
            let idle = idle(&self.meaning.dag, table.template(template), &binding);
            for op in table.members(template).iter().filter(|op| table.op(**op).result == wanted.ty) {
                self.apply(
                    states,
                    wanted,
                    *op,
                    &mut |finder, _, slot, lane| {
                        let width = table.template(template).slots[slot];
                        match binding[slot] {
                            Some(value) => finder.entry(value, width, lane),
                            None if idle[slot] => Entry::Any,
                            None => Entry::Uniform(finder.meaning.dag.int(0)),
                        }
                    },
                    max_moves(self.meaning.window()),
                    ways,
                );
            }
        }
    }

    /// Operations that compute several values, each in its own lanes.
    fn jointly(&mut self, states: &mut States, wanted: &Wanted, values: &[NodeId], ways: &mut Vec<Way>) {
        let table = self.table;
        let mut found: Vec<Vec<(TemplateId, Binding)>> = Vec::new();
        for value in values {
            found.push(self.matching(*value, wanted.container));
        }
        let mut taken: Vec<TemplateId> = Vec::new();
        for (template, _) in &found[0] {
            let number = taken.iter().filter(|other| *other == template).count();
            taken.push(*template);
            let own = |found: &Vec<(TemplateId, Binding)>| {
                let mut same = found.iter().filter(|(other, _)| other == template);
                same.nth(number).map(|(_, binding)| binding.clone())
            };
            let Some(bindings) = found.iter().map(own).collect::<Option<Vec<Binding>>>() else { continue };
            for op in table.members(*template).iter().filter(|op| table.op(**op).result == wanted.ty) {
                self.apply(
                    states,
                    wanted,
                    *op,
                    &mut |finder, entry, slot, lane| {
                        let width = table.template(*template).slots[slot];
                        let of = |value| values.iter().position(|own| *own == value);
                        let at = if let Entry::Value(value, _) = entry { of(value) } else { None };
                        match at.and_then(|at| bindings[at][slot]) {
                            Some(value) => finder.entry(value, width, lane),
                            None => Entry::Uniform(finder.meaning.dag.int(0)),
                        }
                    },
                    max_moves(self.meaning.window()),
                    ways,
                );
            }
        }
    }

    /// Whether a value is a sum without products that fits `width` bits, where the target can add it up.
    fn is_narrow_sum(&mut self, value: NodeId, width: u32) -> bool {
        let dag = &self.meaning.dag;
        let plain = match dag.node(value) {
            Node::Sum { terms, .. } => terms.iter().all(|(term, _)| !matches!(dag.node(*term), Node::Mul(_))),
            _ => false,
        };
        plain && dag.range(value).fits(width, false) && !self.matching(value, width).is_empty()
    }

    /// The operation for every register, and the operation and its partner for registers in turn.
    pub(crate) fn apply(
        &mut self,
        states: &mut States,
        wanted: &Wanted,
        op: OpId,
        slot: &mut dyn FnMut(&mut Self, Entry, usize, u32) -> Entry,
        moves: u8,
        ways: &mut Vec<Way>,
    ) {
        let count = wanted.registers.len();
        let alone: Option<Vec<Vec<Content>>> =
            wanted.registers.iter().map(|content| self.operands(op, content, slot)).collect();
        if let Some(operands) = alone {
            ways.extend(self.way(states, wanted, &vec![op; count], operands, moves));
        }
        if count % 2 == 1 {
            return;
        }
        if let Some(upper) = self.table.upper(op) {
            let ops: Vec<OpId> = (0..count).map(|at| if at % 2 == 0 { op } else { upper }).collect();
            let registers = wanted.registers.iter().zip(&ops);
            let operands: Option<Vec<Vec<Content>>> =
                registers.map(|(content, op)| self.operands(*op, content, slot)).collect();
            if let Some(operands) = operands {
                let joined = self.joined_halves(op, upper, &operands);
                ways.extend(joined.and_then(|joined| self.way(states, wanted, &ops, joined, moves)));
                ways.extend(self.way(states, wanted, &ops, operands, moves));
            }
        }
        let Some(partner) = self.table.op(op).partner else { return };
        let mut operands = Vec::new();
        for pair in wanted.registers.chunks(2) {
            let Some(mut first) = self.operands(op, &pair[0], slot) else { return };
            let Some(second) = self.operands(partner, &pair[1], slot) else { return };
            for (own, other) in first.iter_mut().zip(second) {
                for (entry, more) in own.iter_mut().zip(other) {
                    let Some(both) = entry.joined(more) else { return };
                    *entry = both;
                }
            }
            operands.extend([first.clone(), first]);
        }
        let ops: Vec<OpId> = (0..count).map(|at| if at % 2 == 0 { op } else { partner }).collect();
        ways.extend(self.way(states, wanted, &ops, operands, moves));
    }

    pub(crate) fn way(
        &mut self,
        states: &mut States,
        wanted: &Wanted,
        ops: &[OpId],
        operands: Vec<Vec<Content>>,
        moves: u8,
    ) -> Option<Way> {
        let own = self.table.op(ops[0]);
        let template = self.table.template(own.template);
        let one = || wanted.registers.iter().all(|content| sources(content) <= 1);
        if template.moves && one() {
            // Lanes of one source need no more bits of registers than they fill. Operands that hold parts of the same are one register.
            let mut read: Vec<(u32, Content)> = Vec::new();
            for (arg, ty) in own.args.iter().enumerate() {
                for content in operands.iter().map(|own| &own[arg]).filter(|content| has_source(content)) {
                    let is_part =
                        |(width, known): &mut (u32, Content)| *width == ty.width && join(known, content);
                    if !read.iter_mut().any(is_part) {
                        read.push((ty.width, content.clone()));
                    }
                }
            }
            let bits: u32 = read.iter().map(|(width, _)| width).sum();
            let narrows = own.args.len() == 1 && own.args[0].width > wanted.ty.width;
            let most = wanted.ty.width * wanted.registers.len() as u32 * if narrows { 2 } else { 1 };
            if bits > most.max(wanted.span()) {
                return None;
            }
        }
        // Operands of one kind are wanted together: they may be lanes of one value.
        let mut kinds: Vec<(Type, u32, Vec<RegisterAndArg>)> = Vec::new();
        for (register, op) in ops.iter().enumerate() {
            // A partner's operands lie as the first one's.
            let op = Some(self.table.op(*op)).filter(|op| op.args != own.args).unwrap_or(own);
            for (arg, ty) in op.args.iter().enumerate() {
                let container = op.containers.get(arg).copied()??;
                // Of a wider register the lower half is read.
                let held = operands[register][arg].len() as u32 * container;
                let ty = if held == 2 * ty.width { Type { width: held, ..*ty } } else { *ty };
                match kinds.iter_mut().find(|kind| (kind.0, kind.1) == (ty, container)) {
                    Some(kind) => kind.2.push((register, arg)),
                    None => kinds.push((ty, container, vec![(register, arg)])),
                }
            }
        }
        let mut wanted_below: Vec<Vec<Content>> = Vec::new();
        for (ty, container, args) in &kinds {
            let (ty, container) = (ty, *container);
            let contents: Vec<&Content> =
                args.iter().map(|(register, arg)| &operands[*register][*arg]).collect();
            // Computed values are not interleaved to be added up: their operands are. Those of registers are where what is
            // computed of them is.
            if !template.moves {
                let most = match self.meaning.window().in_registers {
                    true => wanted.registers.iter().map(sources).max().unwrap_or(1).max(1),
                    false => 1,
                };
                for content in contents.iter().copied() {
                    let mixed = sources(content) > 0
                        && content.iter().any(|entry| matches!(entry, Entry::Uniform(_)));
                    if (self.wholes_in(content) > most || mixed)
                        && !content.iter().all(|entry| self.is_plain(*entry))
                    {
                        return None;
                    }
                }
            }
            if ty.class == Class::Scalar
                && !contents
                    .iter()
                    .copied()
                    .flatten()
                    .all(|entry| matches!(entry, Entry::Any | Entry::Uniform(_)))
            {
                return None;
            }
            // Registers that are mostly empty, next to what is wanted, are no way to anything.
            let mut held: Vec<&Content> =
                contents.iter().copied().filter(|content| has_source(content)).collect();
            held.sort_unstable();
            held.dedup();
            if held.len() > 1 {
                let [operands, result] = [filling(held.iter().copied()), filling(wanted.registers.iter())];
                if 2 * operands.0 * result.1 < operands.1 * result.0 {
                    return None;
                }
            }
            // Nor is leaving everything where it is.
            if template.moves
                && *ty == wanted.ty
                && held.iter().any(|content| wanted.registers.contains(content))
            {
                return None;
            }
            let permutes = || {
                let all = self.table.permutations(wanted.container);
                self.meaning.window().in_registers
                    && all.iter().any(|(op, _)| self.table.op(*op).result == *ty)
            };
            // What is packed in halves, or computed of unpacked operands, is put in order afterwards.
            let uncrosses = || {
                (crosses(&own.reads, container) || joins_halves(&own.reads, container))
                    && wanted.registers.iter().all(in_order)
            };
            if template.moves
                && !self.only_moves
                && !contents.iter().all(|content| self.is_simpler(content, container, wanted, &permutes))
                && !uncrosses()
            {
                return None;
            }
            let contents = contents.into_iter().cloned();
            wanted_below.push(match template.moves {
                true => contents.map(|content| self.in_whole_blocks(content, container)).collect(),
                false => contents.collect(),
            });
        }
        let nowhere = Place { state: StateId(0), register: 0, low: false };
        let mut steps: Vec<(OpId, Vec<Place>)> =
            ops.iter().map(|op| (*op, vec![nowhere; own.args.len()])).collect();
        for ((ty, container, args), contents) in kinds.into_iter().zip(wanted_below) {
            let places = gather(states, ty, container, contents, moves);
            for ((register, arg), place) in args.into_iter().zip(places) {
                let low = self.table.op(ops[register]).args[arg].width < ty.width;
                steps[register].1[arg] = Place { low, ..place };
            }
        }
        Some(Way::Apply(steps))
    }

    /// What the operands of an operation must hold for its result to hold `content`.
    fn operands(
        &mut self,
        op: OpId,
        content: &Content,
        slot: &mut dyn FnMut(&mut Self, Entry, usize, u32) -> Entry,
    ) -> Option<Vec<Content>> {
        let table = self.table;
        let own = table.op(op);
        let template = table.template(own.template);
        let mut operands = Vec::new();
        for (arg, ty) in own.args.iter().enumerate() {
            let container = own.containers.get(arg).copied()??;
            operands.push(vec![Entry::Any; (ty.width / container) as usize]);
        }
        for (lane, entry) in content.iter().enumerate() {
            if *entry == Entry::Any {
                continue;
            }
            let number = match *entry {
                Entry::Value(_, number) => number,
                _ if template.moves => 0,
                // Constants beside values are moved alone.
                _ => return None,
            };
            let reads = own.reads.get(lane)?;
            if let (true, Some(kept)) = (reads.is_empty(), own.keeps) {
                *operands[kept as usize].get_mut(lane)? = *entry;
                continue;
            }
            for (at, (arg, low)) in reads.iter().enumerate() {
                let wanted = slot(self, *entry, at, number);
                let place = operands[*arg as usize].get_mut((low / template.slots[at]) as usize)?;
                *place = place.joined(wanted)?;
            }
        }
        Some(operands)
    }

    /// The templates that give a value in a container, with the slots' values.
    pub(crate) fn matching(&mut self, value: NodeId, container: u32) -> Vec<(TemplateId, Binding)> {
        if let Some(known) = self.matches.get(&(value, container, self.composing)) {
            return known.clone();
        }
        let mut found: Vec<(TemplateId, Binding)> = Vec::new();
        for id in self.table.templates(container) {
            let template = self.table.template(*id);
            if template.moves {
                continue;
            }
            let dag = &mut self.meaning.dag;
            let (composing, pattern) = (self.composing, (&template.dag, template.root));
            let mut proposed = proposals(pattern, &template.slots, dag, value, container, composing);
            if composing && dag.as_int(value).is_some() {
                proposed.extend(zeros(dag, template.slots.len()));
            }
            for mut binding in proposed {
                if composing {
                    binding = self.settled(*id, binding, value);
                }
                if self.gives(*id, &binding, value) && !found.contains(&(*id, binding.clone())) {
                    found.push((*id, binding));
                }
            }
        }
        if !self.composing {
            found.extend(self.bidirectional(value, container));
        }
        // An extremum that there is needs no choice.
        let chooses = |template: TemplateId| self.table.template(template).slots.contains(&1);
        let (bits, kept) = sliced(&self.meaning.dag, value);
        let whole =
            kept.is_none_or(|(width, _)| self.meaning.dag.natural(bits).is_some_and(|own| own.0 <= width));
        if whole
            && matches!(self.meaning.dag.node(bits), Node::Min(_) | Node::Max(_))
            && found.iter().any(|(own, _)| !chooses(*own))
        {
            found.retain(|(own, _)| !chooses(*own));
        }
        self.matches.insert((value, container, self.composing), found.clone());
        found
    }

    /// Whether an operation's lane has the value for these slots: by the laws of exact integers, or on all inputs that are
    /// tried, since whole programs are proved in the end.
    pub(crate) fn gives(&mut self, template: TemplateId, binding: &Binding, value: NodeId) -> bool {
        if self.refused.contains(&(template, value)) {
            return false;
        }
        let template = self.table.template(template);
        let dag = &mut self.meaning.dag;
        let branches = is_condition(dag, value) || is_computed_shift(dag, value);
        // Few indices are within a table.
        let chooses =
            dag.reachable([value]).iter().any(|node| matches!(dag.node(*node), Node::SliceAt { .. }));
        let mut slots = Vec::new();
        for (slot, width) in binding.iter().zip(&template.slots) {
            let slot = slot.unwrap_or_else(|| dag.int(0));
            let bits = dag.slice(slot, 0, *width, false);
            // A value that needs itself is no progress.
            if bits == value && *width == template.container && !template.moves {
                return false;
            }
            slots.push(bits);
        }
        match raise_with(dag, &template.function, &[], &slots) {
            Ok(raised) => {
                let found = raised.results[0][0].value;
                found == value
                    || normal(dag, found) == normal(dag, value)
                    || (self.meaning.window().in_registers || branches)
                        && !chooses
                        && self.meaning.agree(found, value)
            }
            Err(_) => false,
        }
    }
}

fn sources(content: &Content) -> usize {
    crate::contents::sources(content).len()
}
