//! Instructions with their immediates chosen: the steps of the search.

use std::collections::BTreeMap;
use std::sync::Arc;

use hydride_ir::exact::{Dag, Node, Raised, raise};
use hydride_ir::{Arg, ArgId, Bits, Function, Op, ResultId, ResultSlot, Role, Stmt};
use interp::{Machine, Program};
use rayon::prelude::*;

use crate::allocation::Placement;
use crate::inline::inline;
use crate::instruction::{Instruction, Operand};
use crate::movement::{Source, of_raised};
use crate::samples::samples;
use crate::value::Type;

/// Operands of a transition, at most.
pub(crate) const MAX_ARITY: usize = 6;

/// Combinations of an instruction's immediates; with more it is left out.
const MAX_CHOICES: usize = 4096;

/// Why an instruction is not tried, whatever the goal.
pub fn untried(instruction: &Instruction) -> Option<&'static str> {
    let registers: Vec<Type> = instruction.operands.iter().flat_map(Operand::registers).collect();
    let whole_bytes = |ty: &Type| ty.width.is_multiple_of(8);
    if registers.is_empty() {
        // A load of a constant, which is not modelled, or an idiom.
        Some("no register that it reads")
    } else if registers.len() > MAX_ARITY {
        Some("too many registers that they read")
    } else if !registers.iter().chain([&instruction.result]).all(whole_bytes) {
        Some("registers that have no whole bytes")
    } else if combinations(&instruction.operands).is_empty() {
        Some("too many combinations of immediates")
    } else {
        None
    }
}

/// Samples by which transitions with one effect are found.
const TWIN_SAMPLES: usize = 12;

/// Samples in which elements must not mix.
const LANE_SAMPLES: usize = 4;

/// An instruction with its immediates chosen.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Member {
    /// Position in the list of instructions.
    pub instruction: usize,
    /// The immediates in order.
    pub choices: Vec<i64>,
}

/// A step: register values to a register value. Instructions with the same effect are one step.
#[derive(Clone, Debug)]
pub struct Transition {
    /// Types of the register operands.
    pub args: Vec<Type>,
    /// Type of the result.
    pub result: Type,
    /// The instructions that do it, the cheapest first.
    pub members: Vec<Member>,
    /// Whether exchanging the two operands changes nothing.
    pub commutative: bool,
    /// The register operand that is overwritten.
    pub destroys: Option<usize>,
    /// What the machine form asks of the registers.
    pub placement: Placement,
    /// Whether the result is one constant whenever all operands are equal (`x ^ x`): any register will do then.
    pub forgets: bool,
    /// Where each byte of the result comes from, when it is only moved.
    pub movement: Option<Vec<Source>>,
    /// Least latency of the members.
    pub latency: u32,
    /// Least number of micro-operations of the members.
    pub uops: u32,
    /// Its program, when it does more than move bytes.
    pub(crate) program: Option<Arc<Program>>,
}

/// Which instructions become transitions.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Only data movements.
    pub movements: bool,
    /// Only those that read whole elements of this many bits.
    pub granularity: Option<u32>,
    /// Only those whose result elements of this many bits depend on the operands' elements of the same place.
    pub lanewise: Option<u32>,
    /// Two forms that differ in what they overwrite are two transitions.
    pub two_address: bool,
}

/// A chosen form before duplicates are merged.
struct Candidate {
    member: Member,
    args: Vec<Type>,
    result: Type,
    destroys: Option<usize>,
    placement: Placement,
    movement: Option<Vec<Source>>,
    effect: Vec<u8>,
    commutative: bool,
    forgets: bool,
    program: Option<Arc<Program>>,
    latency: u32,
    uops: u32,
}

/// The function of an instruction with its immediates chosen; its arguments are the register operands.
/// `None` when the function is not flat.
pub fn specialize(instruction: &Instruction, choices: &[i64]) -> Option<Function> {
    let mut function = Function::new(instruction.id.clone());
    let mut args = Vec::new();
    let mut choices = choices.iter();
    for (operand, arg) in instruction.operands.iter().zip(&instruction.function.args) {
        if let Operand::Choice { width, .. } = operand {
            args.push(function.push(Op::Const(Bits::from_u64(*width, *choices.next()? as u64)), *width));
            continue;
        }
        let registers = operand.registers();
        let mut parts = Vec::new();
        for (at, ty) in registers.iter().enumerate() {
            let id = ArgId(function.args.len() as u32);
            let name = if registers.len() == 1 { arg.name.clone() } else { format!("{}.{at}", arg.name) };
            function.args.push(Arg { name, width: ty.width.into(), role: Role::Register });
            parts.push(function.push(Op::Arg(id), ty.width));
        }
        // The most significant part comes first.
        parts.reverse();
        args.push(match parts[..] {
            [single] => single,
            _ => function.push(Op::Concat(parts), registers.iter().map(|ty| ty.width).sum::<u32>()),
        });
    }
    let value = inline(&mut function, &instruction.function, &args)?;
    function.results = vec![ResultSlot { name: "dst".into(), width: instruction.result.width.into() }];
    function.body = vec![Stmt::Assign { result: ResultId(0), low: 0u32.into(), value }];
    Some(function)
}

/// The transitions of a list of instructions, in an order that depends only on the list.
pub fn transitions(instructions: &[Instruction], selection: &Selection) -> Vec<Transition> {
    let forms: Vec<(usize, Vec<i64>)> = instructions
        .iter()
        .enumerate()
        .filter(|(_, instruction)| untried(instruction).is_none())
        .flat_map(|(position, instruction)| {
            combinations(&instruction.operands).into_iter().map(move |choices| (position, choices))
        })
        .collect();
    let candidates: Vec<Candidate> = forms
        .into_par_iter()
        .filter_map(|(position, choices)| candidate(instructions, position, choices, selection))
        .collect();
    type Key = (Vec<Type>, Type, Option<usize>, Placement, Option<Vec<Source>>, Vec<u8>);
    let mut twins: BTreeMap<Key, Vec<Candidate>> = BTreeMap::new();
    for candidate in candidates {
        let effect = if candidate.movement.is_some() { Vec::new() } else { candidate.effect.clone() };
        let destroys = candidate.destroys.filter(|_| selection.two_address);
        let (args, movement) = (candidate.args.clone(), candidate.movement.clone());
        let key = (args, candidate.result, destroys, candidate.placement, movement, effect);
        twins.entry(key).or_default().push(candidate);
    }
    let mut list: Vec<Transition> = twins
        .into_iter()
        .filter_map(|((.., destroys, placement, _, _), mut twins)| {
            let order = |twin: &Candidate| {
                let rank = instructions[twin.member.instruction].rank;
                (twin.uops, twin.latency, rank, twin.member.clone())
            };
            twins.sort_by_cached_key(order);
            let (latency, uops) =
                (twins.iter().map(|twin| twin.latency).min()?, twins.iter().map(|twin| twin.uops).min()?);
            let members = twins.iter().map(|twin| twin.member.clone()).collect();
            let first = twins.into_iter().next()?;
            Some(Transition {
                args: first.args,
                result: first.result,
                members,
                commutative: first.commutative,
                destroys,
                placement,
                forgets: first.forgets,
                movement: first.movement,
                latency,
                uops,
                program: first.program,
            })
        })
        .collect();
    list.sort_by(|a, b| a.members.cmp(&b.members));
    list
}

/// Every combination of the immediates; none when there are too many.
pub fn combinations(operands: &[Operand]) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for operand in operands {
        let Operand::Choice { values, .. } = operand else { continue };
        if all.len().saturating_mul(values.len()) > MAX_CHOICES {
            return Vec::new();
        }
        all = all
            .into_iter()
            .flat_map(|start: Vec<i64>| {
                values.iter().map(move |value| start.iter().copied().chain([*value]).collect())
            })
            .collect();
    }
    all
}

fn candidate(
    instructions: &[Instruction],
    position: usize,
    choices: Vec<i64>,
    selection: &Selection,
) -> Option<Candidate> {
    let instruction = &instructions[position];
    let args: Vec<Type> = instruction.operands.iter().flat_map(Operand::registers).collect();
    let is_register = |at: &usize| matches!(instruction.operands[*at], Operand::Register(_));
    let destroys = instruction.destroys.filter(is_register).map(|at| instruction.register_of(at));
    let function = specialize(instruction, &choices)?;
    let raised = raise(&function).ok();
    let movement = raised.as_ref().and_then(|(dag, raised)| of_raised(dag, raised));
    if selection.movements && movement.is_none() {
        return None;
    }
    let wholes = |bits: u32| match (&movement, &raised) {
        (Some(sources), _) => moves_wholes(sources, bits),
        (None, Some((dag, raised))) => reads_wholes(dag, raised, bits),
        (None, None) => false,
    };
    if selection.granularity.is_some_and(|bits| !wholes(bits)) {
        return None;
    }
    if movement.as_deref().is_some_and(|sources| is_identity(sources, args[0], instruction.result)) {
        return None;
    }
    let mut candidate = Candidate {
        member: Member { instruction: position, choices },
        args,
        result: instruction.result,
        destroys,
        placement: instruction.placement(),
        movement,
        effect: Vec::new(),
        commutative: false,
        forgets: false,
        program: None,
        latency: instruction.latency.max(1),
        uops: instruction.uops.max(1),
    };
    if let Some(sources) = &candidate.movement {
        let size = selection.lanewise.map_or(usize::MAX, |bits| bits as usize / 8);
        let stays = |(at, source): (usize, &Source)| match source {
            Source::Byte { byte, .. } => usize::from(*byte) / size == at / size,
            Source::Constant(_) => true,
        };
        candidate.forgets = sources.iter().all(|source| matches!(source, Source::Constant(_)));
        return sources.iter().enumerate().all(stays).then_some(candidate);
    }
    let args = &candidate.args;
    let program = Program::new(&function).ok()?;
    let inputs = samples(args, &[], selection.granularity.unwrap_or(16), TWIN_SAMPLES);
    let effect = run(&program, args, &inputs, instruction.result)?;
    if let Some(bits) = selection.lanewise
        && !is_lanewise(&program, args, instruction.result, bits as usize / 8)?
    {
        return None;
    }
    candidate.commutative = args.len() == 2 && args[0] == args[1] && {
        let swapped = [inputs[1].clone(), inputs[0].clone()];
        run(&program, args, &swapped, instruction.result)? == effect
    };
    candidate.forgets = args.iter().all(|arg| *arg == args[0]) && {
        let equal = vec![inputs[0].clone(); args.len()];
        let results = run(&program, args, &equal, instruction.result)?;
        let (first, rest) = results.split_at(instruction.result.bytes());
        rest.chunks(first.len()).all(|sample| sample == first)
    };
    Some(Candidate { effect, program: Some(Arc::new(program)), ..candidate })
}

/// Whether nothing is done: that is a register move, which the two-address form counts by itself.
fn is_identity(sources: &[Source], arg: Type, result: Type) -> bool {
    let same = |(byte, source): (usize, &Source)| *source == Source::Byte { operand: 0, byte: byte as u16 };
    arg == result && sources.iter().enumerate().all(same)
}

/// Whether each element of `bits` bits is moved as a whole, or known.
fn moves_wholes(sources: &[Source], bits: u32) -> bool {
    let size = bits as usize / 8;
    size > 0
        && sources.len().is_multiple_of(size)
        && sources.chunks(size).all(|chunk| match chunk[0] {
            Source::Constant(_) => chunk.iter().all(|source| matches!(source, Source::Constant(_))),
            Source::Byte { operand, byte } => {
                let follows = |(at, source): (usize, &Source)| {
                    *source == Source::Byte { operand, byte: byte + at as u16 }
                };
                usize::from(byte).is_multiple_of(size) && chunk.iter().enumerate().all(follows)
            }
        })
}

/// Whether all slices of the arguments that a function reads start and end at multiples of `bits`.
fn reads_wholes(dag: &Dag, raised: &Raised, bits: u32) -> bool {
    let mut pending: Vec<_> =
        raised.results.iter().flatten().map(|segment| (segment.value, segment.low % bits)).collect();
    if pending.iter().any(|(_, rest)| *rest != 0) {
        return false;
    }
    let mut seen = vec![false; dag.len()];
    while let Some((node, _)) = pending.pop() {
        if std::mem::replace(&mut seen[node.position()], true) {
            continue;
        }
        if let Node::Slice { of, low, width, .. } = dag.node(node)
            && let Node::Arg(_) = dag.node(*of)
            && (low % bits != 0 || width % bits != 0)
        {
            return false;
        }
        pending.extend(dag.node(node).operands().into_iter().map(|operand| (operand, 0)));
    }
    true
}

/// Whether, in samples, a change of an operand's element of `size` bytes changes only the result's element at
/// that position.
fn is_lanewise(program: &Program, args: &[Type], result: Type, size: usize) -> Option<bool> {
    if args.iter().any(|arg| arg.width != result.width) || !result.bytes().is_multiple_of(size) {
        return Some(false);
    }
    let inputs = samples(args, &[], 8 * size as u32, LANE_SAMPLES);
    let before = run(program, args, &inputs, result)?;
    let element = |at: usize| at % result.bytes() / size;
    for arg in 0..args.len() {
        for changed in 0..result.bytes() / size {
            let mut inputs = inputs.clone();
            let bytes = inputs[arg].iter_mut().enumerate().filter(|(at, _)| element(*at) == changed);
            bytes.for_each(|(_, byte)| *byte = !*byte);
            let after = run(program, args, &inputs, result)?;
            if (0..after.len()).any(|at| element(at) != changed && after[at] != before[at]) {
                return Some(false);
            }
        }
    }
    Some(true)
}

/// The results for samples as bytes, sample after sample.
fn run(program: &Program, args: &[Type], inputs: &[Vec<u8>], result: Type) -> Option<Vec<u8>> {
    let mut machine = Machine::new();
    let mut results = Vec::new();
    let count = inputs.first()?.len() / args.first()?.bytes();
    for sample in 0..count {
        let mut words = Vec::new();
        for (ty, bytes) in args.iter().zip(inputs) {
            push_words(&mut words, &bytes[sample * ty.bytes()..][..ty.bytes()]);
        }
        program.run_words(&mut machine, &words).ok()?;
        let bytes = program.result_words(&machine, 0).iter().flat_map(|word| word.to_le_bytes());
        results.extend(bytes.take(result.bytes()));
    }
    Some(results)
}

/// Appends bytes as words of 64 bits, least significant first.
pub(crate) fn push_words(words: &mut Vec<u64>, bytes: &[u8]) {
    let (whole, rest) = bytes.as_chunks::<8>();
    words.extend(whole.iter().map(|chunk| u64::from_le_bytes(*chunk)));
    if !rest.is_empty() {
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        words.push(u64::from_le_bytes(last));
    }
}
