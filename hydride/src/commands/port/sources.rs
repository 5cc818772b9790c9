//! What is ported: instructions as windows, one for each choice of their immediates.

use std::collections::BTreeSet;

use ::synth::window::{Input, NoWindow, Window};
use memo::Key;
use parsers::{Instruction, Kind};

use crate::commands::synth::functions;

/// Choices of immediates that an instruction may have.
const MAX_CHOICES: usize = 256;

/// Numbers in memory that are put into lanes of other operands, at most.
const MAX_INSERTED: u32 = 4;

/// An instruction with its immediates chosen.
pub struct Source<'i> {
    /// The instruction.
    pub instruction: &'i Instruction,
    /// Its immediates, in order.
    pub choices: Vec<i64>,
    /// What it computes, or why nothing is searched.
    pub window: Result<Window, String>,
}

/// The name of an argument in windows and in C.
pub fn letter(position: usize) -> String {
    char::from_u32('a' as u32 + position as u32)
        .filter(char::is_ascii_lowercase)
        .map_or(format!("a{position}"), String::from)
}

/// Which choices of an instruction's immediates are ported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choices {
    /// All that are documented.
    All,
    /// These, as far as they are documented.
    Only(BTreeSet<Vec<i64>>),
}

/// The documented values of an instruction's immediates, in order.
fn ranges(instruction: &Instruction) -> impl Iterator<Item = (i64, i64)> {
    instruction.signature.args.iter().filter_map(parsers::Argument::immediate)
}

/// How many choices of immediates an instruction has; nothing where there are too many to count.
pub fn count(instruction: &Instruction) -> Option<usize> {
    ranges(instruction).try_fold(1usize, |count, (low, high)| {
        usize::try_from(high - low + 1).ok().and_then(|own| count.checked_mul(own))
    })
}

/// Whether a choice is one of those that are searched first, as instructions for it may differ from those for others: of each
/// immediate the least and the greatest value, zero, powers of two and, where there are many, those at its thirds.
pub fn is_first(instruction: &Instruction, choice: &[i64]) -> bool {
    let is = |(value, (low, high)): (&i64, (i64, i64))| {
        let count = high - low + 1;
        let third = count > 16 && [low + count / 3, low + 2 * count / 3].contains(value);
        let is_power = *value > 0 && value & (value - 1) == 0;
        count <= 4 || [low, high, 0].contains(value) || is_power || third
    };
    choice.iter().zip(ranges(instruction)).all(is)
}

/// What is wrong with a choice that is not documented.
pub fn undocumented(instruction: &Instruction, choice: &[i64]) -> Option<String> {
    let outside = |(value, (low, high)): (&i64, (i64, i64))| {
        (*value < low || *value > high).then(|| format!("the immediate {value} is not among {low} to {high}"))
    };
    choice.iter().zip(ranges(instruction)).find_map(outside)
}

/// An instruction for each choice of its immediates.
pub fn sources<'i>(instruction: &'i Instruction, choices: &Choices) -> Vec<Source<'i>> {
    let one = |choices: Vec<i64>, window| Source { instruction, choices, window };
    if let Some(why) = refused(instruction) {
        return vec![one(Vec::new(), Err(why.to_owned()))];
    }
    let all: Vec<Vec<i64>> = match choices {
        Choices::Only(choices) => {
            let documented = |choice: &&Vec<i64>| undocumented(instruction, choice).is_none();
            choices.iter().filter(documented).cloned().collect()
        }
        Choices::All => {
            if count(instruction).is_none_or(|count| count > MAX_CHOICES) {
                let why = format!("its immediates have more than {MAX_CHOICES} choices");
                return vec![one(Vec::new(), Err(why))];
            }
            functions::choices(ranges(instruction)).collect()
        }
    };
    let mut found = Vec::new();
    for choices in all {
        match window(instruction, &choices) {
            // What is too large for one choice is not looked at for the others.
            Err(NoWindow::Large) if found.is_empty() => {
                return vec![one(Vec::new(), Err(NoWindow::Large.to_string()))];
            }
            window => found.push(one(choices, window.map_err(|error| error.to_string()))),
        }
    }
    found
}

/// What instructions have that windows have not.
fn refused(instruction: &Instruction) -> Option<&'static str> {
    let kind = |kind: fn(&Kind) -> bool| {
        let signature = &instruction.signature;
        signature.args.iter().chain(&signature.results).any(|own| kind(&own.kind))
    };
    if instruction.accessed.is_some() || instruction.addresses.is_some() {
        return Some("which memory it accesses depends on values");
    }
    let results = &instruction.signature.results;
    if results.iter().any(parsers::Argument::is_memory) && results.len() > 1 {
        return Some("it stores more than one operand");
    }
    if kind(|kind| matches!(kind, Kind::Mask)) {
        return Some("it has masks");
    }
    (!instruction.undefined.is_empty() || !instruction.undefined_for.is_empty())
        .then_some("its document leaves results undefined")
}

fn window(instruction: &Instruction, choices: &[i64]) -> Result<Window, NoWindow> {
    let mut choices = choices.iter();
    let input = |arg: &parsers::Argument| match arg.kind {
        Kind::Immediate(_) => Input::Constant(choices.next().copied().unwrap_or(0)),
        Kind::Scalar => Input::Scalar,
        Kind::Memory { .. } => inserted(instruction, arg).map_or(Input::Vector, Input::Scalars),
        Kind::Vector | Kind::Mask => Input::Vector,
    };
    let inputs: Vec<Input> = instruction.signature.args.iter().map(input).collect();
    let mut function = instruction.function.clone();
    function.args.iter_mut().enumerate().for_each(|(position, arg)| arg.name = letter(position));
    let mut window = Window::of_function(&function, &inputs)?;
    window.name.clone_from(&instruction.id);
    let is_number = |result: &parsers::Argument| result.kind == Kind::Scalar && !is_float(result);
    window.number = matches!(&instruction.signature.results[..], [result] if is_number(result));
    Ok(window)
}

/// Whether an argument is a scalar that is no integer: bodies read its bits.
pub fn is_float(arg: &parsers::Argument) -> bool {
    arg.kind == Kind::Scalar && arg.element.is_some_and(|element| element.float)
}

/// How many numbers an operand in memory is read as, each by itself: targets have instructions that put one into a lane of a
/// register (`vld2_lane`), beside zeros or into all lanes. Nothing for operands that are loaded as registers.
pub fn inserted(instruction: &Instruction, arg: &parsers::Argument) -> Option<u32> {
    if !arg.is_memory() {
        return None;
    }
    let width = arg.element.map_or(arg.width, |element| element.width);
    if !matches!(width, 8 | 16 | 32 | 64) {
        return None;
    }
    let count = arg.width / width;
    let has_register = || instruction.signature.args.iter().any(|other| other.kind == Kind::Vector);
    (count == 1 || count <= MAX_INSERTED && has_register()).then_some(count)
}

/// The same for windows that differ in their own names alone: what they compute, and what their leaves are called.
pub fn key(window: &Window) -> (Key, Vec<String>) {
    (window.key(), window.leaves.iter().map(|leaf| leaf.name.clone()).collect())
}
