//! The innermost instruction of a composition, known by what it gives.
//!
//! Of `f(g(a, b), c)` samples show which bits of what an instruction gives for whole leaves are values that the window's lanes are
//! computed from, at whatever depth these are and in whatever order. What is left may be one instruction more, which samples show
//! too; else it is a window of its own, and a smaller one, over the leaves and one more. Both programs are joined to one for the
//! whole, which is proved like any other.

use hydride_ir::exact::{Node, NodeId, Part, Replacements};
use hydride_ir::{Arg, Bits, Role};
use interp::{Machine, Program as Compiled};
use rustc_hash::FxHashMap;
use search::{Class, Type, combinations};

use crate::alone::choices_of_leaves;
use crate::certify::Judge;
use crate::contents::{Entry, Register};
use crate::program::{Program, Value};
use crate::single::{Before, Examples, Proved, arguments, last, leaves_of, operands};
use crate::stages::computed;
use crate::table::Table;
use crate::window::{Element, Input, Leaf, Meaning, Window};

/// Samples that tell of most instructions that they give no value of whole bytes.
const FEW: usize = 4;

/// The same for values of less than a byte.
const MORE: usize = 8;

/// Instructions that are kept, at most.
const MAX_FOUND: usize = 40;

/// Immediates and choices of leaves that one instruction is tried with, at most, and all immediates with one choice.
const MAX_TRIED: usize = 256;

const BYTE: u32 = 8;

/// Bits of the widest values that are looked for.
const MAX_WIDTH: u32 = 1024;

/// An instruction with what is left to compute afterwards.
pub(crate) struct Innermost {
    instruction: usize,
    choices: Vec<i64>,
    registers: Vec<Register>,
    /// What it gives on each sample.
    given: Vec<Bits>,
    /// Whether fewer values are computed afterwards than without it.
    pub is_less: bool,
    /// The window over its own leaves and one more, which is what the instruction gives.
    pub rest: Window,
}

/// Values with the lowest of their bits in a result, by value; one may be there several times.
type Places = Vec<(NodeId, u32)>;

/// An instruction with the values that its result holds.
struct Given {
    instruction: usize,
    choices: Vec<i64>,
    registers: Vec<Register>,
    result: Vec<Bits>,
    places: Places,
}

/// A value that a window's lanes are computed from, and its bytes on each sample. Bits that are read from within a byte of a leaf are
/// known with those below them there.
struct Known {
    node: NodeId,
    /// How many bits below it are known.
    below: u32,
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
}

/// The instructions that leave least to compute of a window whose leaves are registers, first the one that leaves least.
pub(crate) fn innermost(
    window: &Window,
    table: &Table,
    widths: &[u32],
    examples: &Examples,
) -> Vec<Innermost> {
    // A graph of its own, since values are computed anew for each instruction.
    let mut meaning = Meaning::new(window);
    let Some(values) = Values::new(&mut meaning, examples) else { return Vec::new() };
    let price = |given: &Given| {
        let instruction = &table.instructions[given.instruction];
        (instruction.uops, instruction.latency, instruction.rank)
    };
    let mut all = all_given(window, table, widths, &values, examples);
    let words =
        |given: &Given| given.result.iter().flat_map(|own| own.words().to_vec()).collect::<Vec<u64>>();
    all.sort_by_cached_key(|given| (words(given), price(given)));
    all.dedup_by(|one, other| one.result == other.result);
    rests(&mut meaning, table, all)
}

/// The windows that instructions leave, first the one with least to compute.
fn rests(meaning: &mut Meaning<'_>, table: &Table, given: Vec<Given>) -> Vec<Innermost> {
    let Ok(lanes) = meaning.lanes() else { return Vec::new() };
    let all = computed(&meaning.dag, nodes(&lanes)).len();
    // Results of one width are one argument after those of the leaves.
    let mut widths: Vec<u32> = Vec::new();
    let mut found = Vec::new();
    for given in given {
        let instruction = &table.instructions[given.instruction];
        let width = instruction.result.width;
        let at = widths.iter().position(|own| *own == width).unwrap_or_else(|| {
            meaning.unknown(width);
            widths.push(width);
            widths.len() - 1
        });
        let arg = (meaning.window().leaves.len() + at) as u32;
        let rest = given.rest(meaning, &lanes, arg, width);
        let left = computed(&meaning.dag, nodes(&rest)).len();
        found.push(((left, instruction.uops), at, rest, given));
    }
    found.sort_by_key(|(left, ..)| *left);
    let mut made: Vec<Innermost> = Vec::new();
    for ((left, _), at, rest, given) in found {
        let Some(rest) = window_of(meaning, &rest, &widths, at) else { continue };
        let Given { instruction, choices, registers, result, .. } = given;
        made.push(Innermost { instruction, choices, registers, given: result, is_less: left < all, rest });
        if made.len() == MAX_FOUND {
            break;
        }
    }
    made
}

/// The window with these lanes, over its own leaves and one of the arguments after them.
fn window_of(meaning: &Meaning<'_>, lanes: &[Part], widths: &[u32], at: usize) -> Option<Window> {
    let window = meaning.window();
    let mut function = meaning.lowered([("result".into(), lanes)]).ok()?;
    let own = |leaf: &Leaf| if leaf.scalar { Input::Scalar } else { Input::Vector };
    let mut inputs: Vec<Input> = window.leaves.iter().map(own).collect();
    for (number, width) in widths.iter().enumerate() {
        let width = (*width).into();
        function.args.push(Arg { name: "inner_".into(), width, role: Role::Register });
        inputs.push(if number == at { Input::Vector } else { Input::Constant(0) });
    }
    let rest = Window::of_function(&function, &inputs).ok()?;
    Some(Window { number: window.number, ..rest })
}

/// The values side by side.
fn nodes(parts: &[Part]) -> impl Iterator<Item = NodeId> {
    parts.iter().map(|part| part.node)
}

/// The instructions whose results hold some of the values.
fn all_given(
    window: &Window,
    table: &Table,
    widths: &[u32],
    values: &Values,
    examples: &Examples,
) -> Vec<Given> {
    let mut machine = Machine::new();
    let mut found = Vec::new();
    for (at, instruction) in table.taken() {
        let Type { class, width } = instruction.result;
        if class != Class::Vector || !widths.contains(&width) {
            continue;
        }
        let all = choices_of_leaves(window, &instruction.operands);
        if all.is_empty() {
            continue;
        }
        let Some(compiled) = table.compiled(at) else { continue };
        // An instruction with many immediates is tried on fewer leaves.
        let combinations = combinations(&instruction.operands);
        let most = (MAX_TRIED / combinations.len().max(1)).max(1);
        for registers in all.into_iter().take(most) {
            let leaves = leaves_of(&instruction.operands, &registers);
            for choices in &combinations {
                let run = |sample: &Vec<Bits>| {
                    let args = arguments(&instruction.operands, &leaves, choices, sample)?;
                    compiled.run_into(&mut machine, &args).ok()?;
                    Some(Bits::from_words(width, compiled.result_words(&machine, 0).iter().copied()))
                };
                if let Some((places, result)) = values.places(&examples.samples, run) {
                    found.push(Given {
                        instruction: at,
                        choices: choices.clone(),
                        registers: registers.clone(),
                        result,
                        places,
                    });
                }
            }
        }
    }
    found
}

impl Given {
    /// A window's lanes with the values that an argument holds read from there: of several places from the one that is nearest to
    /// where the lane is.
    fn rest(&self, meaning: &mut Meaning<'_>, lanes: &[Part], arg: u32, width: u32) -> Vec<Part> {
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
    fn new(meaning: &mut Meaning<'_>, examples: &Examples) -> Option<Self> {
        let lanes = meaning.lanes().ok()?;
        let mut known: Vec<Known> = Vec::new();
        for node in computed(&meaning.dag, nodes(&lanes)) {
            if let Some((width, _)) = meaning.dag.natural(node).filter(|(width, _)| *width <= MAX_WIDTH) {
                known.push(Known { node, below: 0, part: Part { node, width }, bytes: Vec::new() });
            }
        }
        // Bits of leaves that are no whole bytes are given by what moves or changes the others.
        for node in meaning.dag.reachable(nodes(&lanes)) {
            let Node::Slice { of, low, width, .. } = *meaning.dag.node(node) else { continue };
            let Node::Arg(arg) = *meaning.dag.node(of) else { continue };
            let below = low % BYTE;
            if below > 0 || width % BYTE > 0 {
                let width = width + below;
                let part = Part { node: meaning.dag.arg_slice(arg, low - below, width, false), width };
                known.push(Known { node, below, part, bytes: Vec::new() });
            }
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
        let mut values =
            Self { known, by_bytes: FxHashMap::default(), by_bits: FxHashMap::default(), narrow: Vec::new() };
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
            if width < BYTE && !values.narrow.contains(&width) {
                values.narrow.push(width);
            }
        }
        Some(values)
    }

    /// The values that an instruction's result holds on all samples, and the lowest of their bits there, by value, and the results;
    /// `run` gives one.
    fn places(
        &self,
        samples: &[Vec<Bits>],
        mut run: impl FnMut(&Vec<Bits>) -> Option<Bits>,
    ) -> Option<(Places, Vec<Bits>)> {
        let few = if self.narrow.is_empty() { FEW } else { MORE };
        let mut results: Vec<Bits> = samples[..few].iter().map(&mut run).collect::<Option<_>>()?;
        let first: Vec<Vec<u8>> = results.iter().map(|own| bytes(own.words(), own.width())).collect();
        let mut left = self.candidates(&first);
        left.retain(|(value, low)| {
            let own = &self.known[*value];
            first.iter().enumerate().all(|(sample, result)| own.is_at(sample, result, *low))
        });
        for (number, sample) in samples.iter().enumerate().skip(few) {
            if left.is_empty() {
                return None;
            }
            let result = run(sample)?;
            let all = bytes(result.words(), result.width());
            left.retain(|(value, low)| self.known[*value].is_at(number, &all, *low));
            results.push(result);
        }
        left.sort_unstable();
        let node = |(value, low): (usize, u32)| (self.known[value].node, low + self.known[value].below);
        (!left.is_empty()).then(|| (left.into_iter().map(node).collect(), results))
    }

    /// Values that may be in a result, by what it is on the first samples, and from which bit on: from a byte's first bit on or, of
    /// less than a byte, up to its last one as well.
    fn candidates(&self, first: &[Vec<u8>]) -> Vec<(usize, u32)> {
        let mut found = Vec::new();
        for (at, low) in (0..first[0].len()).zip((0..).step_by(BYTE as usize)) {
            let own = self.by_bytes.get(&std::array::from_fn(|sample| first[sample][at]));
            found.extend(own.into_iter().flatten().map(|value| (*value, low)));
            for width in &self.narrow {
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

impl Innermost {
    /// The instruction alone, and its result.
    fn first(&self, meaning: &mut Meaning<'_>, table: &mut Table) -> Option<(Program, Value, Type)> {
        let op = table.take(self.instruction, &self.choices)?;
        let (element, result) = (self.rest.leaves.last()?.ty.width, table.op(op).result);
        let mut program = Program::default();
        let operands = operands(meaning, table, &mut program, (self.instruction, &self.registers), None);
        let content = vec![Entry::Any; (result.width / element) as usize];
        let value = program.step(op, operands, element, &content);
        Some((program, value, result))
    }

    /// A program of this instruction and one more.
    pub(crate) fn with_last(
        &self,
        meaning: &mut Meaning<'_>,
        table: &Table,
        examples: &Examples,
        entries: &[Entry],
        results: &[NodeId],
        judge: &mut dyn Judge,
    ) -> Option<Proved> {
        let mut table = table.clone();
        let (program, value, ty) = self.first(meaning, &mut table)?;
        let before = Before { program, leaves: &self.rest, computed: Some((value, ty)) };
        last(meaning, &table, &before, &examples.and(&self.given), entries, results, judge)
    }

    /// A program for the rest, with what its registers hold left open that are computed, over the window's elements; `None` where a
    /// register lies in its leaf in another way.
    pub(crate) fn opened(&self, window: &Window, program: &Program) -> Option<Program> {
        if program.added.is_some() || program.extended.is_some() {
            return None;
        }
        let mut program = program.clone();
        let steps = program.steps.iter_mut().map(|step| &mut step.content);
        let outputs = program.outputs.iter_mut().map(|(_, content)| content);
        steps.chain(outputs).for_each(|content| content.fill(Entry::Any));
        for input in &mut program.inputs {
            let Some((leaf, start)) = &mut input.load else { continue };
            let Some(own) = window.leaves.get(*leaf as usize) else {
                input.content.fill(Entry::Any);
                continue;
            };
            let low = u32::try_from(*start).ok()? * input.container;
            if low % own.ty.width != 0 {
                return None;
            }
            let first = low / own.ty.width;
            let element = |index| match index < own.ty.lanes {
                true => Entry::Element(Element { leaf: *leaf, index }),
                false => Entry::Any,
            };
            input.content = (first..first + input.ty.width / own.ty.width).map(element).collect();
            (*start, input.container) = (first.into(), own.ty.width);
        }
        Some(program)
    }

    /// The instruction and what is done afterwards, as one program with these lanes; `None` where what it gives is read in another
    /// register than it is in.
    pub(crate) fn joined(
        &self,
        meaning: &mut Meaning<'_>,
        table: &mut Table,
        upper: &Program,
        lanes: &[Entry],
    ) -> Option<Program> {
        let (mut program, value, result) = self.first(meaning, table)?;
        let leaf = meaning.window().leaves.len() as u32;
        program
            .append(upper, leaf, |input, start| (input.ty == result && start == 0).then(|| value.clone()))?;
        let ty = upper.output_type?;
        program.container = meaning.window().ty().width;
        let mut lanes = lanes.iter();
        for (_, content) in &mut program.outputs {
            let count = ty.width / program.container;
            *content = (0..count).map(|_| lanes.next().copied().unwrap_or(Entry::Any)).collect();
        }
        Some(program)
    }
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
        let all = innermost(&window, &table, &[64], &examples);
        let mut whole = Machine::new();
        for first in &all {
            // With what the instruction gives the rest is the window.
            let rest =
                Compiled::new(&Meaning::new(&first.rest).function().expect("a function")).expect("a program");
            let (own, given) = (Compiled::new(&function).expect("a program"), examples.and(&first.given));
            for (sample, with) in examples.samples.iter().zip(&given.samples) {
                own.run_into(&mut whole, sample).expect("a result");
                let result = own.result_words(&whole, 0).to_vec();
                rest.run_into(&mut whole, with).expect("a result");
                assert_eq!(rest.result_words(&whole, 0), result);
            }
        }
        all.iter().map(|first| table.instructions[first.instruction].id.clone()).collect()
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
}
