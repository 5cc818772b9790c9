//! A target's instructions as lane operations, read off their parsed semantics.
//!
//! [`Table::new`] looks at each instruction's function for one lane expression that all lanes of the result share: the
//! **template**, a function of **slots**. Which bits of which operand a slot is in each lane, the **reads**, is kept beside
//! it, so that widening, narrowing, data movement and sums of products differ in their reads alone.

mod apart;
mod arrangement;
pub(crate) mod extract;
mod mixed;
mod permutation;
mod reads;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use hydride_ir::Function;
use hydride_ir::exact::{Dag, NodeId, raise};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use search::{Class, Instruction, Operand, Type};

use crate::shifts::Shift;

pub use arrangement::Arrangement;
use arrangement::arrangements;
use extract::{Lanewise, extract};
use mixed::{Mixed, mixed};
use permutation::permutations;
pub use permutation::{Outcome, Permutation};
pub(crate) use reads::{crosses, joins_halves, packs_in_halves};
use reads::{is_moved, moves_down, packs_every_other, takes_turns, turns_down};

/// Widths of containers in bits that lanes are looked for in.
pub const CONTAINERS: &[u32] = &[8, 16, 32, 64];

/// Immediates that an instruction is taken with from the start, at most; others are taken when they are asked for.
const MAX_CHOICES: i64 = 16;

/// Immediates of movements that are taken besides: bits in turn, alone and in twos.
const ALTERNATING: &[i64] = &[0x55, 0xaa, 0x33, 0xcc];

/// The immediate of movements of quarters that exchanges the middle ones, which packing in halves leaves crossed.
const CROSSED: i64 = 0xd8;

/// Those of movements of halves that join the lower ones of two registers, and the upper ones.
const JOINED: &[i64] = &[0x20, 0x31];

/// Immediates of movements that are taken for reductions: bytes that a register is moved down by.
const DOWN: &[i64] = &[1, 2, 4, 8];

/// A template's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TemplateId(pub u32);

/// An operation's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct OpId(pub u32);

/// The expression of one lane of an instruction's result.
pub struct Template {
    /// The expression as a function of the slots; its result has the container's width.
    pub function: Function,
    /// The same in a graph whose arguments are the slots.
    pub dag: Dag,
    /// The value, within `0..2^container`.
    pub root: NodeId,
    /// Width of the result's lanes in bits.
    pub container: u32,
    /// Widths of the slots in bits.
    pub slots: Vec<u32>,
    /// Whether the value is the only slot, unchanged.
    pub moves: bool,
    shift: OnceLock<Option<Shift>>,
}

impl Template {
    /// The expression as a shift by a count with a sign.
    pub(crate) fn shift(&self) -> Option<&Shift> {
        let read = || {
            let (mut dag, raised) = raise(&self.function).ok()?;
            Shift::read(&mut dag, raised.results[0][0].value)
        };
        self.shift.get_or_init(read).as_ref()
    }
}

/// An instruction with its immediates chosen, seen as lanes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Op {
    /// Position in the table's instructions.
    pub instruction: usize,
    /// Its immediates in order.
    pub choices: Vec<i64>,
    /// The lanes' expression.
    pub template: TemplateId,
    /// Each lane's expression where they differ; else empty.
    pub lanes: Vec<TemplateId>,
    /// Types of its register operands.
    pub args: Vec<Type>,
    /// The result's type.
    pub result: Type,
    /// For each lane of the result, for each slot, the register operand and the lowest bit that it is. Lanes beyond
    /// these are constant; lanes without reads are kept.
    pub reads: Vec<Vec<(u32, u32)>>,
    /// The register operand that the lower half of the result is.
    pub keeps: Option<u32>,
    /// Another operation with the same template and operands that reads just what this one does not.
    pub partner: Option<OpId>,
    /// For each register operand the width of its containers: that of the slots that read it; `None` where they lie across
    /// such containers.
    pub containers: Vec<Option<u32>>,
}

impl Op {
    /// With the containers of its operands, as its template's slots read them.
    fn placed(mut self, template: &Template) -> Self {
        self.containers = (0..self.args.len()).map(|arg| self.container_of(template, arg)).collect();
        self
    }

    fn container_of(&self, template: &Template, arg: usize) -> Option<u32> {
        if self.keeps == Some(arg as u32) {
            return Some(template.container);
        }
        let reads = || {
            let all = self.reads.iter().flat_map(|lane| lane.iter().zip(&template.slots));
            all.filter(|((own, _), _)| *own as usize == arg)
        };
        // An operand that is not read is the whole register, whatever it holds.
        let Some((_, width)) = reads().next() else { return Some(self.args[arg].width) };
        let aligned = reads().all(|((_, low), own)| own == width && low % width == 0);
        (aligned && self.args[arg].width.is_multiple_of(*width)).then_some(*width)
    }
}

/// A target's instructions as lane operations. A copy shares what it is made of, so that each window can have its own with
/// the immediates that it asks for.
#[derive(Clone)]
pub struct Table {
    /// The instructions.
    pub instructions: Arc<[Instruction]>,
    templates: Vec<Arc<Template>>,
    /// The operations of each template.
    members: Vec<Vec<OpId>>,
    ops: Vec<Arc<Op>>,
    /// Templates by container width.
    by_container: BTreeMap<u32, Vec<TemplateId>>,
    by_text: FxHashMap<Arc<str>, TemplateId>,
    /// Positions of instructions with immediates that were not all taken from the start.
    open: Arc<[usize]>,
    /// Immediates that were asked for.
    asked: FxHashSet<i64>,
    /// The instructions that are taken, by their positions, where not all are.
    only: Option<Arc<BTreeSet<usize>>>,
    /// What instructions are with immediates that any copy asked for.
    extracted: Arc<Extracted>,
    /// Movements that take every other lane of two operands, by the width of the lanes.
    alternating: Arc<BTreeMap<u32, Vec<OpId>>>,
    /// Movements of all lanes down by some, by the width of the lanes; no other way leads to them.
    lowering: Arc<BTreeMap<u32, Vec<OpId>>>,
    /// Rotations by a number of bytes in a general register, by the width of the lanes, each with such a number; no other way leads
    /// to them.
    turning: Arc<BTreeMap<u32, Vec<(OpId, i64)>>>,
    /// Instructions that a constant index makes movements, by the width of their lanes, each with its operation.
    permutations: Arc<BTreeMap<u32, Vec<(OpId, Permutation)>>>,
    /// Instructions whose immediates choose lanes, by the width of these, each with the operation of their first choice, which
    /// those of the others follow.
    arranged: Arc<BTreeMap<u32, Vec<(OpId, Arrangement)>>>,
    /// Operations whose lanes have several expressions, by the width of the lanes.
    mixed: Arc<BTreeMap<u32, Vec<OpId>>>,
    /// Operations of which nothing is known but what they give for whole registers.
    apart: Arc<Vec<OpId>>,
    /// The instructions' functions, compiled as soon as one is run.
    compiled: Arc<[OnceLock<Option<interp::Program>>]>,
    /// Whether they only move bytes, as soon as that is asked.
    moves: Arc<[OnceLock<bool>]>,
}

/// For an immediate the instructions that have it, as lanes.
type Extracted = Mutex<FxHashMap<i64, Arc<[(usize, Vec<Lanewise>)]>>>;

impl Table {
    /// Looks at the instructions. What has no lanes, computes with floating-point numbers or reads no register is left
    /// out.
    pub fn new(instructions: Vec<Instruction>) -> Self {
        let chosen: Vec<(usize, Vec<i64>)> = instructions
            .iter()
            .enumerate()
            .flat_map(|(at, instruction)| first_choices(at, instruction))
            .collect();
        let found: Vec<Vec<Lanewise>> =
            chosen.par_iter().map(|(at, choices)| extract(&instructions[*at], choices)).collect();
        // Shifts and the like; what moves elements is not asked for by number.
        let computes = |at: &usize| {
            let one = only_choice(&instructions[*at]).is_some_and(|values| values.contains(&1));
            let types = register_types(&instructions[*at]);
            let widths: Vec<u32> = types.iter().map(|ty| ty.width).collect();
            let lanes = extract(&instructions[*at], &[1]);
            one && lanes.iter().any(|lanes| !lanes.moves)
                || one && lanes.is_empty() && mixed(&instructions[*at], &[1], &widths).is_some()
        };
        let open: Vec<usize> = (0..instructions.len()).filter(|at| is_open(&instructions[*at])).collect();
        let (open, moving): (Vec<usize>, Vec<usize>) = open.into_par_iter().partition(computes);
        let in_turn: Vec<(usize, i64, Vec<Lanewise>)> = moving
            .into_par_iter()
            .flat_map_iter(|at| {
                ALTERNATING.iter().chain([&CROSSED]).chain(JOINED).chain(DOWN).map(move |value| (at, *value))
            })
            .filter(|(at, value)| {
                only_choice(&instructions[*at]).is_some_and(|values| values.contains(value))
            })
            .map(|(at, value)| (at, value, extract(&instructions[at], &[value])))
            .collect();
        let arranged: Vec<Arrangement> = (0..instructions.len())
            .into_par_iter()
            .filter(|at| {
                count_choices(&instructions[*at]) > 1 || is_open(&instructions[*at]) && !open.contains(at)
            })
            .flat_map_iter(|at| arrangements(at, &instructions[at]))
            .collect();
        let open = open.into();
        let compiled = instructions.iter().map(|_| OnceLock::new()).collect();
        let moves = instructions.iter().map(|_| OnceLock::new()).collect();
        let mut table = Self {
            instructions: instructions.into(),
            templates: Vec::new(),
            members: Vec::new(),
            ops: Vec::new(),
            by_container: BTreeMap::new(),
            by_text: FxHashMap::default(),
            open,
            asked: FxHashSet::default(),
            only: None,
            extracted: Arc::default(),
            alternating: Arc::default(),
            lowering: Arc::default(),
            turning: Arc::default(),
            permutations: Arc::default(),
            arranged: Arc::default(),
            mixed: Arc::default(),
            apart: Arc::default(),
            compiled,
            moves,
        };
        for ((at, choices), lanewise) in chosen.iter().zip(&found) {
            lanewise.iter().for_each(|lanes| table.add(*at, choices, lanes));
        }
        let apart = chosen.into_iter().zip(&found).filter(|(_, lanewise)| lanewise.is_empty());
        table.mix(apart.map(|(chosen, _)| chosen).collect());
        let mut lowering: BTreeMap<u32, Vec<OpId>> = BTreeMap::new();
        for (at, value, lanewise) in in_turn {
            if DOWN.contains(&value) {
                for lanes in lanewise.iter().filter(|lanes| lanes.moves && moves_down(lanes)) {
                    let id = table.unread(at, vec![value], lanes.reads.clone());
                    lowering.entry(lanes.container).or_default().push(id);
                }
                continue;
            }
            let moves = |lanes: &&Lanewise| {
                let fits = match value {
                    CROSSED => crosses,
                    _ if JOINED.contains(&value) => joins_halves,
                    _ => takes_turns,
                };
                lanes.moves && fits(&lanes.reads, lanes.container)
            };
            lanewise.iter().filter(moves).for_each(|lanes| table.add(at, &[value], lanes));
        }
        table.lowering = Arc::new(lowering);
        table.pair();
        table.alternate();
        table.turn();
        table.permute();
        table.arrange(arranged);
        table
    }

    /// Adds what has no one expression for all lanes; of instructions with the same effect the cheapest. Those without any are
    /// operations on whole registers.
    fn mix(&mut self, chosen: Vec<(usize, Vec<i64>)>) {
        let instructions = self.instructions.clone();
        let found: Vec<(usize, Vec<i64>, Option<Mixed>)> = chosen
            .into_par_iter()
            .map(|(at, choices)| {
                let args = register_types(&instructions[at]);
                let widths: Vec<u32> = args.iter().map(|ty| ty.width).collect();
                let found = mixed(&instructions[at], &choices, &widths);
                (at, choices, found)
            })
            .collect();
        let mut by_container = self.mixed.as_ref().clone();
        for (at, choices, own) in found {
            let Some(own) = own else {
                self.add_apart(at, choices);
                continue;
            };
            let Some(kinds) = own.kinds.iter().map(|kind| self.intern(kind)).collect::<Option<Vec<_>>>()
            else {
                continue;
            };
            let Some(computes) = own.kinds.iter().position(|kind| !kind.moves) else { continue };
            let op = Op {
                instruction: at,
                choices,
                template: kinds[computes],
                lanes: own.lanes.iter().map(|kind| kinds[*kind]).collect(),
                args: register_types(&instructions[at]),
                result: instructions[at].result,
                reads: own.reads,
                keeps: None,
                partner: None,
                containers: own.containers,
            };
            let cost = |op: &Op| {
                let own = &instructions[op.instruction];
                (own.uops, own.latency, own.rank)
            };
            let ops = by_container.entry(own.kinds[0].container).or_default();
            let does_the_same = |other: &OpId| {
                let other = &self.ops[other.0 as usize];
                (&other.args, other.result, &other.lanes, &other.reads)
                    == (&op.args, op.result, &op.lanes, &op.reads)
            };
            match ops.iter().copied().find(does_the_same) {
                Some(twin) if cost(&op) < cost(&self.ops[twin.0 as usize]) => {
                    self.ops[twin.0 as usize] = Arc::new(op);
                }
                Some(_) => {}
                None => {
                    ops.push(OpId(self.ops.len() as u32));
                    self.ops.push(Arc::new(op));
                }
            }
        }
        self.mixed = Arc::new(by_container);
    }

    /// The operations whose lanes of this width have several expressions.
    pub fn mixed(&self, container: u32) -> &[OpId] {
        self.mixed.get(&container).map_or(&[], Vec::as_slice)
    }

    /// Finds the movements that take every other lane of two operands.
    fn alternate(&mut self) {
        let mut found: BTreeMap<u32, Vec<OpId>> = BTreeMap::new();
        for (template, members) in self.templates.iter().zip(&self.members).filter(|(own, _)| own.moves) {
            for id in members {
                let op = &self.ops[id.0 as usize];
                let every_other = takes_turns(&op.reads, template.container)
                    || packs_every_other(&op.reads, template.container);
                if op.args == [op.result; 2] && every_other {
                    found.entry(template.container).or_default().push(*id);
                }
            }
        }
        // One for each way to lie in the operands, and type, is enough: the cheapest.
        for ops in found.values_mut() {
            let cost = |id: &OpId| {
                let own = &self.instructions[self.ops[id.0 as usize].instruction];
                (own.uops, own.latency, *id)
            };
            ops.sort_by_key(cost);
            let mut seen: Vec<(Type, bool, u32)> = Vec::new();
            ops.retain(|id| {
                let op = &self.ops[id.0 as usize];
                let in_turn = op.reads[0][0].0 != op.reads[1][0].0;
                let places = op.reads.iter().take(2).map(|reads| reads[0].1).sum();
                let own = (op.result, in_turn, places);
                let new = !seen.contains(&own);
                seen.push(own);
                new
            });
        }
        self.alternating = Arc::new(found);
    }

    /// The movements that take every other lane of this width of two operands, in turn or one operand's after the other's, each
    /// from its own pair of places.
    pub fn alternating(&self, container: u32) -> &[OpId] {
        self.alternating.get(&container).map_or(&[], Vec::as_slice)
    }

    /// The movements of all lanes of this width down by some.
    pub fn lowering(&self, container: u32) -> &[OpId] {
        self.lowering.get(&container).map_or(&[], Vec::as_slice)
    }

    /// Finds the rotations by numbers in general registers.
    fn turn(&mut self) {
        let instructions = self.instructions.clone();
        let turns: Vec<(usize, i64, Vec<Lanewise>)> = (0..instructions.len())
            .into_par_iter()
            .filter_map(|at| Some((at, with_count_chosen(&instructions[at])?)))
            .flat_map_iter(|(at, counted)| {
                let bytes = i64::from(counted.result.width / 8);
                let counts = std::iter::successors(Some(1), |count| Some(2 * count));
                let counts: Vec<i64> = counts.take_while(|count| *count < bytes).collect();
                counts.into_iter().map(move |count| (at, count, extract(&counted, &[count])))
            })
            .collect();
        let mut found: BTreeMap<u32, Vec<(OpId, i64)>> = BTreeMap::new();
        for (at, count, lanewise) in turns {
            for lanes in
                lanewise.into_iter().filter(|lanes| lanes.moves && turns_down(&lanes.reads, lanes.container))
            {
                let op = self.unread(at, Vec::new(), lanes.reads);
                found.entry(lanes.container).or_default().push((op, count));
            }
        }
        self.turning = Arc::new(found);
    }

    /// The rotations of lanes of this width by a number of bytes in a general register, their second operand.
    pub fn turning(&self, container: u32) -> &[(OpId, i64)] {
        self.turning.get(&container).map_or(&[], Vec::as_slice)
    }

    /// A movement that is no member of a template.
    fn unread(&mut self, instruction: usize, choices: Vec<i64>, reads: Vec<Vec<(u32, u32)>>) -> OpId {
        let op = OpId(self.ops.len() as u32);
        self.ops.push(Arc::new(Op {
            instruction,
            choices,
            template: TemplateId(0),
            lanes: Vec::new(),
            args: register_types(&self.instructions[instruction]),
            result: self.instructions[instruction].result,
            reads,
            keeps: None,
            partner: None,
            containers: Vec::new(),
        }));
        op
    }

    /// Finds the instructions that a constant index makes movements; each has an operation without reads.
    fn permute(&mut self) {
        let instructions = self.instructions.clone();
        let found: Vec<Permutation> = (0..instructions.len())
            .into_par_iter()
            .filter(|at| count_choices(&instructions[*at]) == 0)
            .flat_map_iter(|at| permutations(at, &instructions[at]))
            .collect();
        let mut by_container: BTreeMap<u32, Vec<(OpId, Permutation)>> = BTreeMap::new();
        for permutation in found {
            let op = self.unread(permutation.instruction, Vec::new(), Vec::new());
            by_container.entry(permutation.container).or_default().push((op, permutation));
        }
        self.permutations = Arc::new(by_container);
    }

    /// An operation for each choice of immediates of instructions that move elements.
    fn arrange(&mut self, found: Vec<Arrangement>) {
        let mut by_container: BTreeMap<u32, Vec<(OpId, Arrangement)>> = BTreeMap::new();
        let mut last: Option<(usize, OpId)> = None;
        for arrangement in found {
            let at = arrangement.instruction;
            let first = match last {
                Some((instruction, first)) if instruction == at => first,
                _ => {
                    let first = OpId(self.ops.len() as u32);
                    for choice in &arrangement.choices {
                        self.unread(at, choice.clone(), Vec::new());
                    }
                    first
                }
            };
            last = Some((at, first));
            by_container.entry(arrangement.container).or_default().push((first, arrangement));
        }
        self.arranged = Arc::new(by_container);
    }

    /// The instructions whose immediates choose lanes of this width, each with the operation of their first choice.
    pub fn arrangements(&self, container: u32) -> &[(OpId, Arrangement)] {
        self.arranged.get(&container).map_or(&[], Vec::as_slice)
    }

    /// The instructions that a constant index makes movements of lanes of this width.
    pub fn permutations(&self, container: u32) -> &[(OpId, Permutation)] {
        self.permutations.get(&container).map_or(&[], Vec::as_slice)
    }

    /// The operations of these instructions alone, which are named by their positions.
    pub fn only(&self, instructions: BTreeSet<usize>) -> Self {
        let is = |op: &OpId| instructions.contains(&self.op(*op).instruction);
        let mut table = self.clone();
        table.members.iter_mut().for_each(|ops| ops.retain(is));
        let members = &table.members;
        let templates = table.by_container.values_mut();
        templates.for_each(|ids| ids.retain(|id| !members[id.0 as usize].is_empty()));
        for ops in [&mut table.alternating, &mut table.lowering, &mut table.mixed] {
            Arc::make_mut(ops).values_mut().for_each(|ops| ops.retain(is));
        }
        let permutations = Arc::make_mut(&mut table.permutations).values_mut();
        permutations.for_each(|own| own.retain(|(op, _)| is(op)));
        let arranged = Arc::make_mut(&mut table.arranged).values_mut();
        arranged.for_each(|own| own.retain(|(op, _)| is(op)));
        let turning = Arc::make_mut(&mut table.turning).values_mut();
        turning.for_each(|own| own.retain(|(op, _)| is(op)));
        Arc::make_mut(&mut table.apart).retain(is);
        table.only = Some(Arc::new(instructions));
        table
    }

    /// Takes instructions with this immediate too, where they can have it.
    pub fn ask(&mut self, value: i64) {
        if !self.asked.insert(value) {
            return;
        }
        let (all, only) = (self.with_immediate(value), self.only.clone());
        let is = |own: &&(usize, Vec<Lanewise>)| only.as_ref().is_none_or(|only| only.contains(&own.0));
        let found = || all.iter().filter(is);
        for (at, lanewise) in found() {
            lanewise.iter().for_each(|lanes| self.add(*at, &[value], lanes));
        }
        let apart = found().filter(|(_, lanewise)| lanewise.is_empty());
        let apart: Vec<(usize, Vec<i64>)> = apart.map(|(at, _)| (*at, vec![value])).collect();
        if !apart.is_empty() {
            self.mix(apart);
        }
    }

    fn with_immediate(&self, value: i64) -> Arc<[(usize, Vec<Lanewise>)]> {
        let mut extracted = self.extracted.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = extracted.get(&value) {
            return known.clone();
        }
        let wanted: Vec<usize> = self
            .open
            .iter()
            .copied()
            .filter(|at| only_choice(&self.instructions[*at]).is_some_and(|values| values.contains(&value)))
            .collect();
        let found: Arc<[(usize, Vec<Lanewise>)]> =
            wanted.into_iter().map(|at| (at, extract(&self.instructions[at], &[value]))).collect();
        extracted.insert(value, found.clone());
        found
    }

    /// A template.
    pub fn template(&self, id: TemplateId) -> &Template {
        &self.templates[id.0 as usize]
    }

    /// The operations of a template.
    pub fn members(&self, id: TemplateId) -> &[OpId] {
        &self.members[id.0 as usize]
    }

    /// An operation.
    pub fn op(&self, id: OpId) -> &Op {
        &self.ops[id.0 as usize]
    }

    /// An operation of an instruction with these immediates; all of them do the same.
    pub fn find(&self, instruction: usize, choices: &[i64]) -> Option<OpId> {
        let is = |op: &Arc<Op>| op.instruction == instruction && op.choices == choices;
        Some(OpId(self.ops.iter().position(is)? as u32))
    }

    /// The instruction of an operation.
    pub fn instruction(&self, id: OpId) -> &Instruction {
        &self.instructions[self.op(id).instruction]
    }

    /// The templates whose lanes have this width.
    pub fn templates(&self, container: u32) -> &[TemplateId] {
        self.by_container.get(&container).map_or(&[], Vec::as_slice)
    }

    /// How many operations and templates there are.
    pub fn size(&self) -> (usize, usize) {
        (self.ops.len(), self.templates.len())
    }

    /// The template of an expression.
    fn intern(&mut self, lanes: &Lanewise) -> Option<TemplateId> {
        if let Some(id) = self.by_text.get(&lanes.text) {
            return Some(*id);
        }
        let (dag, raised) = raise(&lanes.function).ok()?;
        let root = raised.results[0][0].value;
        let id = TemplateId(self.templates.len() as u32);
        self.templates.push(Arc::new(Template {
            slots: dag.arg_widths().to_vec(),
            moves: lanes.moves,
            function: lanes.function.clone(),
            dag,
            root,
            container: lanes.container,
            shift: OnceLock::new(),
        }));
        self.members.push(Vec::new());
        self.by_container.entry(lanes.container).or_default().push(id);
        self.by_text.insert(lanes.text.clone(), id);
        Some(id)
    }

    fn add(&mut self, instruction: usize, choices: &[i64], lanes: &Lanewise) {
        let Some(id) = self.intern(lanes) else { return };
        let op = Op {
            instruction,
            choices: choices.to_vec(),
            template: id,
            lanes: Vec::new(),
            args: register_types(&self.instructions[instruction]),
            result: self.instructions[instruction].result,
            reads: lanes.reads.clone(),
            keeps: lanes.keeps,
            partner: None,
            containers: Vec::new(),
        };
        let op = op.placed(&self.templates[id.0 as usize]);
        // Of instructions with the same effect the cheapest serves, then the first.
        let cost = |op: &Op| {
            let own = &self.instructions[op.instruction];
            (own.uops, own.latency, own.rank)
        };
        let twin = self.members[id.0 as usize].iter().copied().find(|other| {
            let other = &self.ops[other.0 as usize];
            other.args == op.args
                && other.result == op.result
                && (other.keeps, &other.reads) == (op.keeps, &op.reads)
        });
        match twin {
            Some(twin) => {
                if cost(&op) < cost(&self.ops[twin.0 as usize]) {
                    let partner = self.ops[twin.0 as usize].partner;
                    self.ops[twin.0 as usize] = Arc::new(Op { partner, ..op });
                }
            }
            None => {
                let number = OpId(self.ops.len() as u32);
                self.members[id.0 as usize].push(number);
                self.ops.push(Arc::new(op));
            }
        }
    }

    /// Finds for each operation the one that reads what it leaves.
    fn pair(&mut self) {
        for (template, members) in self.templates.iter().zip(&self.members) {
            let coverage: Vec<Option<Coverage>> =
                members.iter().map(|op| Coverage::of(&self.ops[op.0 as usize], template)).collect();
            for (own, first) in members.iter().zip(&coverage) {
                let Some(first) = first else { continue };
                let fits =
                    |second: &Option<Coverage>| second.as_ref().is_some_and(|second| first.completes(second));
                let op = &self.ops[own.0 as usize];
                let fitting = members.iter().zip(&coverage).filter(|(other, second)| {
                    let other = &self.ops[other.0 as usize];
                    fits(second) && other.args == op.args && other.result == op.result
                });
                // Best the one that arranges what it reads alike: the high halves for the low ones.
                let partner = fitting
                    .map(|(other, _)| *other)
                    .min_by_key(|other| !is_moved(op, &self.ops[other.0 as usize]));
                if partner.is_some() {
                    Arc::make_mut(&mut self.ops[own.0 as usize]).partner = partner;
                }
            }
        }
    }
}

impl Table {
    /// The operation that computes of upper halves of registers what one computes of registers of half their width.
    ///
    /// ```text
    /// vmull_s16(low(a), low(b))    vmull_high_s16(a, b)
    /// ```
    pub(crate) fn upper(&self, op: OpId) -> Option<OpId> {
        let own = self.op(op);
        if own.keeps.is_some() || self.template(own.template).moves {
            return None;
        }
        self.members(own.template).iter().copied().find(|other| {
            let other = self.op(*other);
            if other.args.len() != own.args.len() || other.reads.len() != own.reads.len() {
                return false;
            }
            let doubled = |arg: u32| {
                let [own, other] = [own, other].map(|op| op.args[arg as usize]);
                (own.class == Class::Vector && other.class == own.class && other.width == 2 * own.width)
                    .then_some(own.width)
            };
            let args = (0..own.args.len() as u32)
                .all(|arg| own.args[arg as usize] == other.args[arg as usize] || doubled(arg).is_some());
            let moved = |(arg, low): &(u32, u32)| (*arg, low + doubled(*arg).unwrap_or(0));
            let reads = own.reads.iter().zip(&other.reads);
            other.args != own.args
                && other.result == own.result
                && other.keeps.is_none()
                && args
                && reads.into_iter().all(|(own, other)| own.iter().map(moved).eq(other.iter().copied()))
        })
    }
}

/// Which bits of vector operands an operation reads, sorted.
struct Coverage {
    read: Vec<(u32, u32, u32)>,
    bits: u32,
}

impl Coverage {
    /// `None` where bits are read twice, or everything is.
    fn of(op: &Op, template: &Template) -> Option<Self> {
        let mut read: Vec<(u32, u32, u32)> = Vec::new();
        for lane in &op.reads {
            for ((arg, low), width) in lane.iter().zip(&template.slots) {
                if op.args[*arg as usize].class == search::Class::Vector {
                    read.push((*arg, *low, *width));
                }
            }
        }
        let count = read.len();
        read.sort_unstable();
        read.dedup();
        let bits = op.args.iter().filter(|ty| ty.class == search::Class::Vector).map(|ty| ty.width).sum();
        let sum: u32 = read.iter().map(|(_, _, width)| width).sum();
        (read.len() == count && 2 * sum == bits).then_some(Self { read, bits })
    }

    fn completes(&self, other: &Self) -> bool {
        self.bits == other.bits && self.read.iter().all(|own| other.read.binary_search(own).is_err())
    }
}

/// Types of the registers that an instruction reads.
pub fn register_types(instruction: &Instruction) -> Vec<Type> {
    instruction.operands.iter().flat_map(Operand::registers).collect()
}

/// An instruction that moves parts of a register by a number in a general one, with that number as an immediate.
fn with_count_chosen(instruction: &Instruction) -> Option<Instruction> {
    let [Operand::Register(data), Operand::Register(count)] = instruction.operands[..] else { return None };
    let moves = || {
        instruction.function.exprs().iter().any(|expr| matches!(expr.op, hydride_ir::Op::ExtractAt { .. }))
    };
    if data != instruction.result || data.class != Class::Vector || count.class != Class::Scalar || !moves() {
        return None;
    }
    let mut chosen = instruction.clone();
    chosen.operands[1] = Operand::Choice { width: count.width, values: Vec::new() };
    Some(chosen)
}

/// The values of an instruction's only immediate.
fn only_choice(instruction: &Instruction) -> Option<&[i64]> {
    let mut choices = instruction.operands.iter().filter_map(|operand| match operand {
        Operand::Choice { values, .. } => Some(values.as_slice()),
        _ => None,
    });
    let first = choices.next()?;
    choices.next().is_none().then_some(first)
}

/// How many immediates an instruction has.
fn count_choices(instruction: &Instruction) -> usize {
    instruction.operands.iter().filter(|operand| matches!(operand, Operand::Choice { .. })).count()
}

fn is_open(instruction: &Instruction) -> bool {
    only_choice(instruction).is_some_and(|values| values.len() as i64 > MAX_CHOICES)
}

/// The immediates that an instruction is taken with from the start.
fn first_choices(at: usize, instruction: &Instruction) -> Vec<(usize, Vec<i64>)> {
    match (count_choices(instruction), only_choice(instruction)) {
        (0, _) => vec![(at, Vec::new())],
        (_, Some(values)) if !is_open(instruction) => values.iter().map(|value| (at, vec![*value])).collect(),
        _ => Vec::new(),
    }
}
