//! What is ported: instructions as windows, one for each choice of their immediates.

use ::synth::window::{Input, Operator, Window};
use parsers::{Instruction, Kind};

/// Choices of immediates that an instruction may have.
const MAX_CHOICES: usize = 256;

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

/// An instruction for each choice of its immediates.
pub fn sources(instruction: &Instruction) -> Vec<Source<'_>> {
    let one = |choices: Vec<i64>, window| Source { instruction, choices, window };
    if let Some(why) = refused(instruction) {
        return vec![one(Vec::new(), Err(why.to_owned()))];
    }
    let ranges: Vec<(i64, i64)> =
        instruction.signature.args.iter().filter_map(parsers::Argument::immediate).collect();
    let count = ranges.iter().try_fold(1usize, |count, (low, high)| {
        usize::try_from(high - low + 1).ok().and_then(|own| count.checked_mul(own))
    });
    if count.is_none_or(|count| count > MAX_CHOICES) {
        return vec![one(Vec::new(), Err(format!("its immediates have more than {MAX_CHOICES} choices")))];
    }
    let mut all = vec![Vec::new()];
    for (low, high) in ranges {
        all = all
            .iter()
            .flat_map(|chosen| (low..=high).map(|value| [chosen.as_slice(), &[value]].concat()))
            .collect();
    }
    all.into_iter()
        .map(|choices| {
            let window = window(instruction, &choices);
            one(choices, window)
        })
        .collect()
}

/// What instructions have that windows have not.
fn refused(instruction: &Instruction) -> Option<&'static str> {
    let kind = |kind: fn(&Kind) -> bool| {
        let signature = &instruction.signature;
        signature.args.iter().chain(&signature.results).any(|own| kind(&own.kind))
    };
    if kind(|kind| matches!(kind, Kind::Memory { .. })) {
        return Some("it accesses memory");
    }
    if kind(|kind| matches!(kind, Kind::Mask)) {
        return Some("it has masks");
    }
    (!instruction.undefined.is_empty() || !instruction.undefined_for.is_empty())
        .then_some("its document leaves results undefined")
}

fn window(instruction: &Instruction, choices: &[i64]) -> Result<Window, String> {
    let mut choices = choices.iter();
    let input = |arg: &parsers::Argument| match arg.kind {
        Kind::Immediate(_) => Input::Constant(choices.next().copied().unwrap_or(0)),
        Kind::Scalar => Input::Scalar,
        Kind::Vector | Kind::Mask | Kind::Memory { .. } => Input::Vector,
    };
    let inputs: Vec<Input> = instruction.signature.args.iter().map(input).collect();
    let mut function = instruction.function.clone();
    function.args.iter_mut().enumerate().for_each(|(position, arg)| arg.name = letter(position));
    let mut window = Window::of_function(&function, &inputs).map_err(|error| error.to_string())?;
    window.name.clone_from(&instruction.id);
    Ok(window)
}

/// The same for windows that differ in their names alone.
pub fn key(window: &Window) -> String {
    let mut key = window.ty().to_string();
    for leaf in &window.leaves {
        key += &format!(" {}:{}{}", leaf.name, leaf.ty, if leaf.scalar { "s" } else { "" });
    }
    if let Operator::Forms(forms) = &window.expressions.get(window.root).operator {
        for (form, slots) in &forms.lanes {
            key += &format!("\n{form}");
            slots.iter().for_each(|slot| key += &format!(" {}.{}", slot.leaf, slot.index));
        }
        forms.functions.iter().for_each(|function| key += &format!("\n{function}"));
    }
    key
}
