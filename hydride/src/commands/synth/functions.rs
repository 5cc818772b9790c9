//! Functions of the IR as windows: one for each choice of their immediates.

use std::path::PathBuf;

use ::synth::window::{Input, Window};
use anyhow::{Context, Result};
use hydride_ir::{Function, Role};

use super::read::number;
use crate::BrokenDocument;

/// A function with its immediates chosen.
pub struct Source {
    /// The function's name.
    pub function: String,
    /// The name with the choices, as `f(1, 2)`.
    pub name: String,
    /// The window, or why there is none.
    pub window: Result<Window, String>,
}

/// The functions of files that `wanted` admits. Arguments narrower than `narrowest` bits, the target's vector registers,
/// are scalars. Of a function whose immediates have more than `limit` choices those after the first one are taken: a count
/// or an index of 0 often does nothing.
pub fn sources(
    files: &[PathBuf],
    wanted: impl Fn(&str) -> bool,
    narrowest: u32,
    limit: usize,
) -> Result<Vec<Source>> {
    let mut sources = Vec::new();
    for file in files {
        let text =
            std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        let functions = Function::parse_all(&text).map_err(|error| {
            BrokenDocument::at(file.display(), number(error.line), number(error.column), &error.message)
        })?;
        for function in functions.iter().filter(|function| wanted(&function.name)) {
            let ranges = function.args.iter().filter_map(|arg| arg.role.range());
            let mut all: Vec<Vec<i64>> = choices(ranges).take(limit + 1).collect();
            if all.len() > limit {
                all.rotate_left(1);
                all.truncate(limit);
            }
            sources.extend(all.into_iter().map(|chosen| source(function, &chosen, narrowest)));
        }
    }
    Ok(sources)
}

fn source(function: &Function, chosen: &[i64], narrowest: u32) -> Source {
    let mut name = function.name.clone();
    if !chosen.is_empty() {
        let chosen: Vec<String> = chosen.iter().map(ToString::to_string).collect();
        name += &format!("({})", chosen.join(", "));
    }
    let window = window(function, chosen, narrowest).map(|window| Window { name: name.clone(), ..window });
    Source { function: function.name.clone(), name, window }
}

fn window(function: &Function, chosen: &[i64], narrowest: u32) -> Result<Window, String> {
    let mut chosen = chosen.iter();
    let mut inputs = Vec::new();
    for arg in &function.args {
        let is_narrow = arg.width.as_constant().is_some_and(|width| width < i64::from(narrowest));
        inputs.push(match arg.role {
            Role::Immediate { .. } => Input::Constant(chosen.next().copied().unwrap_or(0)),
            Role::Memory { .. } => return Err("it accesses memory".into()),
            Role::Register if is_narrow => Input::Scalar,
            Role::Register => Input::Vector,
        });
    }
    Window::of_function(function, &inputs).map_err(|error| error.to_string())
}

/// Each choice of immediates with these least and greatest values, the last one changing first.
pub fn choices(ranges: impl Iterator<Item = (i64, i64)>) -> impl Iterator<Item = Vec<i64>> {
    let ranges: Vec<(i64, i64)> = ranges.collect();
    let mut next = Some(ranges.iter().map(|(low, _)| *low).collect::<Vec<i64>>());
    std::iter::from_fn(move || {
        let current = next.take()?;
        let mut following = current.clone();
        for (value, (low, high)) in following.iter_mut().zip(&ranges).rev() {
            if *value < *high {
                *value += 1;
                next = Some(following);
                break;
            }
            *value = *low;
        }
        Some(current)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_choice_is_there_once_and_in_order() {
        let all: Vec<Vec<i64>> = choices([(0, 1), (-1, 1)].into_iter()).collect();
        assert_eq!(all, [[0, -1], [0, 0], [0, 1], [1, -1], [1, 0], [1, 1]]);
        assert_eq!(choices(std::iter::empty()).collect::<Vec<_>>(), [[0i64; 0]]);
    }
}
