//! The innermost instruction of a composition, known by what it gives.
//!
//! Of `f(g(a, b), c)` samples show which bits of what an instruction gives for whole leaves are values that the window's lanes are
//! computed from, at whatever depth these are and in whatever order. What is left may be one instruction more, which samples show
//! too; else it is a window of its own, and a smaller one, over the leaves and one more. An instruction that moves what the lanes
//! read of its leaves is one that they may be read from instead. What is found is proved for the whole like any other program.

use hydride_ir::exact::{Node, NodeId, Part, Replacements};
use hydride_ir::{Arg, Bits, Role};
use interp::{Machine, Program as Compiled};
use rustc_hash::{FxHashMap, FxHashSet};
use search::{Class, Type, combinations};

use crate::alone::choices_of_leaves;
use crate::calls::{Call, Chain, Examples, Runs};
use crate::certify::Judge;
use crate::contents::Register;
use crate::single::{Goal, Proved, last};
use crate::stages::computed;
use crate::table::Table;
use crate::window::{Input, Leaf, Meaning, Window, element_width};

/// Innermost instructions for which others are looked for in the rest, at most.
const MAX_RESTS: usize = 3;

/// Samples that tell of most instructions that they give no value of whole bytes.
const FEW: usize = 4;

/// The same for values of less than a byte.
const MORE: usize = 8;

/// Instructions that are kept, at most, of those that compute and of those that move.
const MAX_FOUND: usize = 40;

/// Immediates and choices of leaves that one instruction is tried with, at most, and all immediates with one choice.
const MAX_TRIED: usize = 256;

const BYTE: u32 = 8;

/// Bits of the widest values that are looked for.
const MAX_WIDTH: u32 = 1024;

/// What a search has besides its window.
pub(crate) struct Limits<'s> {
    /// The widths of vector registers, in bits.
    pub widths: &'s [u32],
    /// How many instructions come before the last one, at most.
    pub most: usize,
    /// What a program costs.
    pub price: &'s dyn Fn(&Proved) -> u64,
    /// Whether the search is to end.
    pub stop: &'s dyn Fn() -> bool,
}

/// A window in registers, and what its lanes are computed from.
struct Rest<'w> {
    meaning: Meaning<'w>,
    lanes: Vec<Part>,
    values: Values,
}

/// Values with the lowest of their bits in a result, by value; one may be there several times.
type Places = Vec<(NodeId, u32)>;

/// The same by their positions among those that are known.
type Held = Vec<(usize, u32)>;

/// An instruction with the values that its result holds.
struct Innermost {
    call: Call,
    /// Whether what it gives is computed, instead of read from its leaves.
    computes: bool,
    /// What it gives on each sample.
    given: Vec<Bits>,
    places: Places,
}

/// An instruction with the lanes over what it gives, which is a new argument.
struct Left {
    call: Call,
    given: Vec<Bits>,
    arg: u32,
    /// The width of the elements that the lanes read there.
    element: u32,
    lanes: Vec<Part>,
    /// Whether less is computed than without it, or as much of fewer leaves.
    is_less: bool,
}

/// A value that a window's lanes are computed from, and its bytes on each sample. Bits that are read from within a byte of a leaf are
/// known with those below them there.
struct Known {
    node: NodeId,
    /// The leaf that it is read from, and its first bit there; `None` for what is computed.
    read: Option<(u32, u32)>,
    /// How many bits below it are known.
    below: u32,
    /// Whether it is computed, or no whole bytes of a leaf.
    is_computed: bool,
    part: Part,
    bytes: Vec<Vec<u8>>,
}

/// The values that a window's lanes are computed from.
struct Values {
    known: Vec<Known>,
    /// Positions of those of whole bytes with these lowest ones on the first samples.
    by_bytes: FxHashMap<[u8; FEW], Vec<usize>>,
    /// Positions of those of so many bits, less than a byte, that are these.
    by_bits: FxHashMap<(u32, [u8; MORE]), Vec<usize>>,
    /// Those numbers of bits.
    narrow: Vec<u32>,
    /// The lowest bytes of those of whole bytes on the first sample.
    lowest: [bool; 256],
}

/// The cheapest program of a few instructions, each of which samples show.
pub(crate) fn composed(
    meaning: &mut Meaning<'_>,
    table: &Table,
    goal: &Goal<'_>,
    limits: &Limits<'_>,
    judge: &mut dyn Judge,
) -> Option<Proved> {
    let chain = Chain::new(table, Examples::new(meaning)?);
    let window = meaning.window();
    continued(meaning, &chain, window, limits.most, goal, limits, judge)
}

/// The same after some instructions, which leave a window to compute, with one to `most` before the last one.
fn continued(
    meaning: &mut Meaning<'_>,
    chain: &Chain,
    window: &Window,
    most: usize,
    goal: &Goal<'_>,
    limits: &Limits<'_>,
    judge: &mut dyn Judge,
) -> Option<Proved> {
    let mut rest = Rest::new(window, &chain.examples)?;
    let (computing, moving): (Vec<Innermost>, Vec<Innermost>) = rest
        .innermost(&chain.table, limits.widths, &chain.examples)
        .into_iter()
        .partition(|own| own.computes);
    let mut all = Vec::new();
    for some in [computing, moving] {
        let some = rest.left(&chain.table, some);
        let mut two = |first: &Left| {
            if (limits.stop)() {
                return None;
            }
            let chain = chain.and(meaning, &first.call, (&first.given, first.element))?;
            last(meaning, &chain, goal, judge)
        };
        if let Some(two) = some.iter().filter_map(&mut two).min_by_key(limits.price) {
            return Some(two);
        }
        all.extend(some);
    }
    if most <= 1 {
        return None;
    }
    let mut found = Vec::new();
    for first in all.into_iter().filter(|first| first.is_less).take(MAX_RESTS) {
        if (limits.stop)() {
            break;
        }
        let Some(window) = rest.window(&first) else { continue };
        let Some(chain) = chain.and(meaning, &first.call, (&first.given, first.element)) else { continue };
        found.extend(continued(meaning, &chain, &window, most - 1, goal, limits, judge));
    }
    found.into_iter().min_by_key(limits.price)
}

impl<'w> Rest<'w> {
    fn new(window: &'w Window, examples: &Examples) -> Option<Self> {
        // A graph of its own, since values are computed anew for each instruction.
        let mut meaning = Meaning::new(window);
        let lanes = meaning.lanes().ok()?;
        let values = Values::new(&mut meaning, &lanes, examples)?;
        Some(Self { meaning, lanes, values })
    }

    /// The instructions whose results hold some of the values, one for each result, and those that hold all that lanes read of some
    /// leaves, elsewhere than there, unless lanes read what is beside them.
    fn innermost(&self, table: &Table, widths: &[u32], examples: &Examples) -> Vec<Innermost> {
        let is_aligned = self.is_aligned();
        let mut found = Vec::new();
        for (at, instruction) in table.taken() {
            let Type { class, width } = instruction.result;
            if class != Class::Vector || !widths.contains(&width) || is_aligned && table.moves(at) {
                continue;
            }
            let all = choices_of_leaves(self.meaning.window(), &[], &instruction.operands, |_| true);
            if all.is_empty() {
                continue;
            }
            let Some(compiled) = table.compiled(at) else { continue };
            // An instruction with many immediates is tried on fewer leaves.
            let combinations = combinations(&instruction.operands);
            let most = (MAX_TRIED / combinations.len().max(1)).max(1);
            let moves = table.moves(at);
            for registers in all.into_iter().take(most) {
                let mut runs = Runs::new(&instruction.operands, compiled, &registers);
                for choices in &combinations {
                    let run = |sample: (usize, &[Bits])| {
                        let words = runs.run(choices, sample)?;
                        Some(Bits::from_words(width, words.iter().copied()))
                    };
                    let moved = moves.then_some(&registers[..]);
                    let Some((held, given)) = self.values.held(examples, moved, run) else { continue };
                    let computes = held.iter().any(|(at, _)| self.values.known[*at].is_computed);
                    if computes || !is_aligned && self.values.are_moved(&held, &registers) {
                        let call =
                            Call { instruction: at, choices: choices.clone(), registers: registers.clone() };
                        found.push(Innermost {
                            call,
                            computes,
                            given,
                            places: self.values.places(&held, computes),
                        });
                    }
                }
            }
        }
        let price = |own: &Innermost| {
            let instruction = &table.instructions[own.call.instruction];
            (instruction.uops, instruction.latency, instruction.rank)
        };
        let words =
            |own: &Innermost| own.given.iter().flat_map(|own| own.words().to_vec()).collect::<Vec<u64>>();
        found.sort_by_cached_key(|own| (words(own), price(own)));
        found.dedup_by(|one, other| one.given == other.given);
        found
    }

    /// Whether lanes read nothing of vectors but the same part of each as they are of the result.
    fn is_aligned(&self) -> bool {
        let (dag, leaves) = (&self.meaning.dag, &self.meaning.window().leaves);
        let count = self.lanes.len() as u64;
        (0..).zip(&self.lanes).all(|(lane, own)| {
            dag.reachable([own.node]).into_iter().all(|node| {
                let Node::Slice { of, low, width, .. } = *dag.node(node) else { return true };
                let Node::Arg(arg) = *dag.node(of) else { return true };
                let leaf = &leaves[arg as usize];
                let (first, end) = (u64::from(low) * count, u64::from(low + width) * count);
                let bits = u64::from(leaf.ty.bits());
                leaf.scalar || first >= lane * bits && end <= (lane + 1) * bits
            })
        })
    }

    /// What instructions leave to compute, first those that leave least.
    fn left(&mut self, table: &Table, found: Vec<Innermost>) -> Vec<Left> {
        let leaves = self.meaning.window().leaves.len();
        let before = (self.computed(&self.lanes), self.leaves_read(&self.lanes));
        // Results of one width are one argument after those of the leaves.
        let mut left = Vec::new();
        for own in found {
            let instruction = &table.instructions[own.call.instruction];
            let width = instruction.result.width;
            let known = self.meaning.dag.arg_widths()[leaves..].iter().position(|own| *own == width);
            let at = known.unwrap_or_else(|| {
                self.meaning.unknown(width);
                self.meaning.dag.arg_widths().len() - 1 - leaves
            });
            let arg = (leaves + at) as u32;
            let lanes = own.lanes(&mut self.meaning, &self.lanes, arg, width);
            let after = (self.computed(&lanes), self.leaves_read(&lanes));
            let element = element_width(&self.reads(&lanes, arg), width, self.meaning.window().ty().width);
            let is_less = after < before;
            let Innermost { call, given, .. } = own;
            left.push(((after, instruction.uops), Left { call, given, arg, element, lanes, is_less }));
        }
        left.sort_by_key(|(key, _)| *key);
        left.truncate(MAX_FOUND);
        left.into_iter().map(|(_, own)| own).collect()
    }

    /// How many values are computed for some.
    fn computed(&self, lanes: &[Part]) -> usize {
        computed(&self.meaning.dag, nodes(lanes)).len()
    }

    /// How many leaves some values read.
    fn leaves_read(&self, lanes: &[Part]) -> usize {
        let dag = &self.meaning.dag;
        dag.reachable(nodes(lanes)).into_iter().filter(|node| matches!(dag.node(*node), Node::Arg(_))).count()
    }

    /// The bits that lanes read of an argument: the first one and how many.
    fn reads(&self, lanes: &[Part], arg: u32) -> Vec<(u32, u32)> {
        let dag = &self.meaning.dag;
        let read = |node| match *dag.node(node) {
            Node::Slice { of, low, width, .. } if *dag.node(of) == Node::Arg(arg) => Some((low, width)),
            _ => None,
        };
        dag.reachable(nodes(lanes)).into_iter().filter_map(read).collect()
    }

    /// The window that an instruction leaves, over its own leaves and what the instruction gives.
    fn window(&self, left: &Left) -> Option<Window> {
        let window = self.meaning.window();
        let mut function = self.meaning.lowered([("result".into(), &left.lanes[..])]).ok()?;
        let own = |leaf: &Leaf| if leaf.scalar { Input::Scalar } else { Input::Vector };
        let mut inputs: Vec<Input> = window.leaves.iter().map(own).collect();
        for (arg, width) in (0..).zip(self.meaning.dag.arg_widths()).skip(window.leaves.len()) {
            let width = (*width).into();
            function.args.push(Arg { name: "inner_".into(), width, role: Role::Register });
            inputs.push(if arg == left.arg { Input::Vector } else { Input::Constant(0) });
        }
        let rest = Window::of_function(&function, &inputs).ok()?;
        Some(Window { number: window.number, ..rest })
    }
}

/// The values side by side.
fn nodes(parts: &[Part]) -> impl Iterator<Item = NodeId> {
    parts.iter().map(|part| part.node)
}

impl Innermost {
    /// A window's lanes with the values that an argument holds read from there: of several places from the one that is nearest to
    /// where the lane is.
    fn lanes(&self, meaning: &mut Meaning<'_>, lanes: &[Part], arg: u32, width: u32) -> Vec<Part> {
        let count = lanes.len() as i64;
        let mut rest = Vec::new();
        for (lane, own) in (0..).zip(lanes) {
            let distance = |low: u32| (i64::from(low) * count - lane * i64::from(width)).abs();
            let mut replacements = Replacements::default();
            for places in self.places.chunk_by(|one, other| one.0 == other.0) {
                let nearest = places.iter().min_by_key(|(_, low)| distance(*low));
                let Some((value, low)) = nearest else { continue };
                let Some((width, signed)) = meaning.dag.natural(*value) else { continue };
                replacements.insert(*value, meaning.dag.arg_slice(arg, *low, width, signed));
            }
            rest.push(Part { node: meaning.dag.replace(own.node, &mut replacements), ..*own });
        }
        rest
    }
}

impl Values {
    /// The values of a window that is not too large.
    fn new(meaning: &mut Meaning<'_>, lanes: &[Part], examples: &Examples) -> Option<Self> {
        let mut known: Vec<Known> = Vec::new();
        for node in computed(&meaning.dag, nodes(lanes)) {
            if let Some((width, _)) = meaning.dag.natural(node).filter(|(width, _)| *width <= MAX_WIDTH) {
                let part = Part { node, width };
                known.push(Known { node, read: None, below: 0, is_computed: true, part, bytes: Vec::new() });
            }
        }
        for node in meaning.dag.reachable(nodes(lanes)) {
            let Node::Slice { of, low, width, .. } = *meaning.dag.node(node) else { continue };
            let Node::Arg(arg) = *meaning.dag.node(of) else { continue };
            let below = low % BYTE;
            // Bits that are no whole bytes are given by what moves or changes the others.
            let is_computed = below > 0 || width % BYTE > 0;
            let width = width + below;
            let part = Part { node: meaning.dag.arg_slice(arg, low - below, width, false), width };
            known.push(Known { node, read: Some((arg, low)), below, is_computed, part, bytes: Vec::new() });
        }
        let results = known.iter().map(|own| (String::new(), std::slice::from_ref(&own.part)));
        let function = meaning.lowered(results).ok()?;
        let (compiled, mut machine) = (Compiled::new(&function).ok()?, Machine::new());
        for sample in &examples.samples {
            compiled.run_into(&mut machine, sample).ok()?;
            for (at, own) in known.iter_mut().enumerate() {
                own.bytes.push(bytes(compiled.result_words(&machine, at), own.part.width));
            }
        }
        // What is the same on all samples is in many results.
        known.retain(|own| own.bytes.iter().any(|bytes| *bytes != own.bytes[0]));
        let mut values = Self {
            known,
            by_bytes: FxHashMap::default(),
            by_bits: FxHashMap::default(),
            narrow: Vec::new(),
            lowest: [false; 256],
        };
        if examples.samples.len() < MORE {
            return None;
        }
        for (at, own) in values.known.iter().enumerate() {
            let width = own.part.width;
            let same = match width < BYTE {
                true => values.by_bits.entry((width, own.lowest())).or_default(),
                false => values.by_bytes.entry(own.lowest()).or_default(),
            };
            same.push(at);
            values.lowest[usize::from(own.bytes[0][0])] |= width >= BYTE;
            if width < BYTE && !values.narrow.contains(&width) {
                values.narrow.push(width);
            }
        }
        Some(values)
    }

    /// The positions of the values that an instruction's result holds on all samples, with the lowest of their bits there, and the
    /// results; `run` gives one. Of an instruction that only moves these registers, those of whole bytes.
    fn held(
        &self,
        examples: &Examples,
        moved: Option<&[Register]>,
        mut run: impl FnMut((usize, &[Bits])) -> Option<Bits>,
    ) -> Option<(Held, Vec<Bits>)> {
        let narrow = if moved.is_some() { &[] } else { &self.narrow[..] };
        let few = if narrow.is_empty() { FEW } else { MORE };
        let mut left = Held::new();
        let (mut results, mut first) = (Vec::new(), Vec::new());
        for (number, (sample, _)) in examples.all().enumerate() {
            let result = run(sample)?;
            let all = bytes(result.words(), result.width());
            results.push(result);
            if number >= few {
                left.retain(|(value, low)| self.known[*value].is_at(number, &all, *low));
            } else {
                let is_possible = match (number, moved) {
                    (0, Some(registers)) => self.may_hold_all(&all, registers),
                    (0, None) => !narrow.is_empty() || self.may_hold_one(&all),
                    _ => true,
                };
                if !is_possible {
                    return None;
                }
                first.push(all);
                if first.len() < few {
                    continue;
                }
                left = self.candidates(&first, narrow);
                left.retain(|(value, low)| {
                    let own = &self.known[*value];
                    first.iter().enumerate().all(|(sample, result)| own.is_at(sample, result, *low))
                });
            }
            if left.is_empty() {
                return None;
            }
        }
        left.sort_unstable();
        (!left.is_empty()).then_some((left, results))
    }

    /// Whether a result on the first sample has the lowest byte of some value.
    fn may_hold_one(&self, result: &[u8]) -> bool {
        result.iter().any(|byte| self.lowest[usize::from(*byte)])
    }

    /// Whether a result on the first sample has the lowest byte of all that is read of these leaves.
    fn may_hold_all(&self, result: &[u8], registers: &[Register]) -> bool {
        let mut is_there = [false; 256];
        result.iter().for_each(|byte| is_there[usize::from(*byte)] = true);
        let is_own = |own: &&Known| {
            own.read.is_some_and(|(leaf, _)| registers.iter().any(|(register, _)| *register == leaf))
        };
        self.known.iter().filter(is_own).all(|own| is_there[usize::from(own.bytes[0][0])])
    }

    /// Where a result holds values: those that are computed or, where an instruction only moves, what is read.
    fn places(&self, held: &[(usize, u32)], computes: bool) -> Places {
        let own = |(value, low): &(usize, u32)| {
            let own = &self.known[*value];
            (own.is_computed || !computes).then_some((own.node, low + own.below))
        };
        held.iter().filter_map(own).collect()
    }

    /// Whether a result holds all that is read of these leaves, and no leaf is where it was.
    fn are_moved(&self, held: &[(usize, u32)], registers: &[Register]) -> bool {
        let is_own = |leaf: u32| registers.iter().any(|(own, _)| *own == leaf);
        let positions: FxHashSet<usize> = held.iter().map(|(value, _)| *value).collect();
        let mut read = (0..).zip(&self.known).filter_map(|(at, own)| Some((at, own.read?.0)));
        let elsewhere = |leaf: u32, (at, low): &(usize, u32)| {
            self.known[*at].read.is_some_and(|(own, first)| own != leaf || first != *low)
        };
        read.all(|(at, leaf)| !is_own(leaf) || positions.contains(&at))
            && registers.iter().all(|(leaf, _)| held.iter().any(|own| elsewhere(*leaf, own)))
    }

    /// Values that may be in a result, by what it is on the first samples, and from which bit on: from a byte's first bit on or, of
    /// less than a byte, up to its last one as well.
    fn candidates(&self, first: &[Vec<u8>], narrow: &[u32]) -> Held {
        let mut found = Vec::new();
        for (at, low) in (0..first[0].len()).zip((0..).step_by(BYTE as usize)) {
            let own = self.by_bytes.get(&std::array::from_fn(|sample| first[sample][at]));
            found.extend(own.into_iter().flatten().map(|value| (*value, low)));
            for width in narrow {
                for shift in [0, BYTE - width] {
                    let bits = |sample: usize| first[sample][at] >> shift & ((1 << width) - 1);
                    let own = self.by_bits.get(&(*width, std::array::from_fn(bits)));
                    found.extend(own.into_iter().flatten().map(|value| (*value, low + shift)));
                }
            }
        }
        found
    }
}

impl Known {
    /// The lowest byte on the first samples.
    fn lowest<const N: usize>(&self) -> [u8; N] {
        std::array::from_fn(|sample| self.bytes[sample][0])
    }

    /// Whether a result holds the value from a bit on, which is a byte's first one where the value has whole bytes.
    fn is_at(&self, sample: usize, result: &[u8], low: u32) -> bool {
        let (own, at, shift) = (&self.bytes[sample], (low / BYTE) as usize, low % BYTE);
        let (whole, bits) = ((self.part.width / BYTE) as usize, self.part.width % BYTE);
        let mask = (1u8 << bits) - 1;
        result.len() >= at + own.len()
            && own[..whole] == result[at..at + whole]
            && (bits == 0 || own[whole] == result[at + whole] >> shift & mask)
    }
}

/// The bytes of some bits, the least significant first.
fn bytes(words: &[u64], width: u32) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).take(width.div_ceil(BYTE) as usize).collect()
}

#[cfg(test)]
mod tests {
    use hydride_ir::Function;
    use search::{Instruction, Operand};

    use super::*;

    const VECTOR: Type = Type { class: Class::Vector, width: 64 };

    /// An instruction of some registers of 64 bits, with this body.
    fn instruction(id: &str, args: &[&str], body: &str) -> Instruction {
        let names: Vec<String> = args.iter().map(|name| format!("%{name}: 64")).collect();
        let text = format!("func @{id}({}) -> (%r: 64) {{\n{body}}}\n", names.join(", "));
        Instruction {
            id: id.into(),
            intrinsic: id.into(),
            mnemonic: id.into(),
            syntax: String::new(),
            names: args.iter().map(|name| (*name).into()).collect(),
            function: Function::parse(&text).expect("a function"),
            operands: vec![Operand::Register(VECTOR); args.len()],
            c_types: vec!["int".into(); args.len()],
            result: VECTOR,
            result_c_type: "int".into(),
            destroys: None,
            implied: None,
            legacy: false,
            latency: 1,
            uops: 1,
            rank: 0,
        }
    }

    /// The instructions that are innermost in a window of three registers with lanes of 16 bits.
    fn found(lane: &str, instructions: Vec<Instruction>) -> Vec<String> {
        let lanes = |(at, lane): (usize, &str)| format!("  %r[{} +: 16] = {lane}\n", 16 * at);
        let lanes: String = lane.split(';').enumerate().map(lanes).collect();
        let text = format!("func @f(%a: 64, %b: 64, %c: 64) -> (%r: 64) {{\n{lanes}}}\n");
        let function = Function::parse(&text).expect("a function");
        let window = Window::of_function(&function, &[Input::Vector; 3]).expect("a window");
        let table = Table::new(instructions);
        let examples = Examples::new(&mut Meaning::new(&window)).expect("examples");
        let Some(mut rest) = Rest::new(&window, &examples) else { return Vec::new() };
        let all = rest.innermost(&table, &[64], &examples);
        let all = rest.left(&table, all);
        let mut whole = Machine::new();
        for first in &all {
            // With what the instruction gives the rest is the window.
            let left = rest.window(first).expect("a window");
            let left = Meaning::new(&left).function().expect("a function");
            let (own, left) =
                (Compiled::new(&function).expect("a program"), Compiled::new(&left).expect("a program"));
            for (sample, given) in examples.samples.iter().zip(&first.given) {
                own.run_into(&mut whole, sample).expect("a result");
                let result = own.result_words(&whole, 0).to_vec();
                let with: Vec<Bits> = sample.iter().chain([given]).cloned().collect();
                left.run_into(&mut whole, &with).expect("a result");
                assert_eq!(left.result_words(&whole, 0), result);
            }
        }
        all.iter().map(|first| table.instructions[first.call.instruction].id.clone()).collect()
    }

    fn lanes(of: impl Fn(u32) -> String) -> String {
        (0..4).map(of).collect::<Vec<_>>().join(";")
    }

    #[test]
    fn what_leaves_least_comes_first() {
        let sum = |i: u32| format!("add(%a[{0} +: 16], %b[{0} +: 16])", 16 * i);
        let body = |of: &dyn Fn(u32) -> String| {
            (0..4).map(|i| format!("  %r[{} +: 16] = {}\n", 16 * i, of(i))).collect::<String>()
        };
        let double = |i: u32| format!("max.s({0}, mul({0}, 0x7:16))", sum(i));
        let instructions = || {
            vec![
                instruction("sum", &["a", "b"], &body(&sum)),
                instruction("greatest", &["a", "b"], &body(&double)),
                instruction("other", &["a", "b"], &body(&|i| format!("xor({}, 0x1:16)", sum(i)))),
            ]
        };
        // In the opposite order.
        let window = lanes(|i| format!("min.u({}, %c[{} +: 16])", double(3 - i), 16 * i));
        assert_eq!(found(&window, instructions()), ["greatest", "sum"]);
        let window = lanes(|i| format!("min.u(%b[{0} +: 16], %c[{0} +: 16])", 16 * i));
        assert!(found(&window, instructions()).is_empty());
    }

    #[test]
    fn values_of_less_than_a_byte_are_found_at_either_end_of_one() {
        let less = |i: u32| format!("lt.s(%a[{0} +: 16], %b[{0} +: 16])", 16 * i);
        for shown in ["cast.s(A, 16)", "cast.u(A, 16)", "shl(cast.u(A, 16), 0xf:16)"] {
            let body: String = (0..4)
                .map(|i| format!("  %r[{} +: 16] = {}\n", 16 * i, shown.replace('A', &less(i))))
                .collect();
            let window = lanes(|i| format!("select({}, %c[{} +: 16], 0x0:16)", less(i), 16 * i));
            assert_eq!(found(&window, vec![instruction("less", &["a", "b"], &body)]), ["less"], "{shown}");
        }
    }

    #[test]
    fn bits_of_leaves_that_are_no_bytes_are_given_by_what_changes_the_others() {
        let own = |i: u32| format!("and(%a[{0} +: 16], 0x7fff:16)", 16 * i);
        let body: String = (0..4).map(|i| format!("  %r[{} +: 16] = {}\n", 16 * i, own(i))).collect();
        let window = lanes(|i| format!("min.u({}, %c[{} +: 16])", own(i), 16 * i));
        assert_eq!(found(&window, vec![instruction("clear", &["a"], &body)]), ["clear"]);
    }

    #[test]
    fn what_moves_all_that_is_read_of_its_leaves_is_found() {
        let moved = |id: &str, of: [&str; 4]| {
            let body: String =
                (0..4).zip(of).map(|(i, of)| format!("  %r[{} +: 16] = %{of} +: 16]\n", 16 * i)).collect();
            instruction(id, &["a", "b"], &body)
        };
        let lows = ["a[0", "b[0", "a[16", "b[16"];
        let instructions = || {
            vec![
                moved("lows", lows),
                moved("evens", ["a[0", "b[0", "a[32", "b[32"]),
                moved("blend", ["a[0", "a[16", "b[0", "b[16"]),
                moved("copy", ["a[0", "a[16", "a[32", "a[48"]),
            ]
        };
        let read = |i: usize| format!("min.u(%{} +: 16], %c[{} +: 16])", lows[i], 16 * i);
        let window = lanes(|i| read(i as usize));
        let mut all = found(&window, instructions());
        all.sort();
        // Each with its operands in both orders.
        assert_eq!(all, ["blend", "blend", "lows", "lows"]);
        // Of one leaf all is where it was.
        let window = lanes(|i| format!("min.u(%a[{0} +: 16], %c[{0} +: 16])", 16 * i));
        assert!(found(&window, instructions()).is_empty());
    }
}
