//! Names for operations that only move elements: which result element comes from where.
//!
//! Instead of comparing index expressions, the loop nest is executed once, at the default parameters, to find
//! the source of each written slice.

use hydride_ir::{ArgId, ExprId, Function, IndexId, MAX_WIDTH, Op, Stmt};

use crate::facts::Assignment;

/// The origin of a written slice: an argument and a bit position in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Source {
    arg: ArgId,
    low: i64,
    width: i64,
}

/// Loop nests with more written slices than this are not looked at.
const MAX_SLICES: usize = 4096;

/// The name of a pure movement; `None` when the values are more than slices of arguments (extended,
/// truncated or saturated on the way).
pub(crate) fn name(function: &Function, assignment: &Assignment<'_>) -> Option<&'static str> {
    let mut run = Run { function, assignment, values: Vec::new(), slices: Vec::new() };
    run.block(&function.body)?;
    run.slices.sort_by_key(|(low, _)| *low);
    let sources: Vec<Source> = run.slices.iter().map(|(_, source)| *source).collect();
    let first = *sources.first()?;
    let args = {
        let mut args: Vec<ArgId> = sources.iter().map(|source| source.arg).collect();
        args.sort_unstable();
        args.dedup();
        args.len()
    };
    let whole = i64::from(assignment.width(&function.arg(first.arg).width)?);
    let element = |index: usize| sources[index].low / sources[index].width;
    let steps: Vec<i64> = (1..sources.len()).map(|index| element(index) - element(index - 1)).collect();
    if sources.len() > 1 && sources.iter().all(|source| *source == first) {
        return Some("broadcast");
    }
    if args == 1 {
        let contiguous = steps.iter().all(|step| *step == 1);
        return Some(match () {
            () if contiguous && first.low == 0 && first.width * sources.len() as i64 == whole => "move",
            () if contiguous => "extract",
            () if steps.iter().all(|step| *step == -1) => "reverse",
            () if steps.iter().all(|step| *step == 2) => "deinterleave",
            () if alternates(&steps) => "reverse_groups",
            () if steps.iter().all(|step| *step == 0 || *step == 1) => "duplicate",
            () => "shuffle",
        });
    }
    if args == 2 {
        let pairs = sources.chunks_exact(2);
        let whole_pairs = pairs.remainder().is_empty();
        if whole_pairs && pairs.clone().all(|pair| pair[0].arg != pair[1].arg && pair[0].low == pair[1].low) {
            let positions: Vec<i64> =
                sources.chunks_exact(2).map(|pair| pair[0].low / pair[0].width).collect();
            let doubled = positions.windows(2).all(|pair| pair[1] - pair[0] == 2);
            return Some(if doubled && positions.len() > 1 { "transpose" } else { "interleave" });
        }
        let mut changes = (1..sources.len()).filter(|index| sources[*index].arg != sources[index - 1].arg);
        if let (Some(change), None) = (changes.next(), changes.next()) {
            let strides = |step: i64| {
                (1..sources.len()).filter(|index| *index != change).all(|index| steps[index - 1] == step)
            };
            if strides(2) && sources.len() > 2 {
                return Some("deinterleave");
            }
            if strides(1) {
                let starts_low = first.low == 0 && sources[change].low == 0;
                return Some(if starts_low { "concat" } else { "align" });
            }
        }
        return Some("blend_shuffle");
    }
    Some("gather_elements")
}

/// Whether the elements are reversed within groups: `3 2 1 0 7 6 5 4`.
fn alternates(steps: &[i64]) -> bool {
    let Some(group) = steps.iter().position(|step| *step != -1) else { return false };
    let size = group as i64 + 1;
    size > 1
        && steps
            .iter()
            .enumerate()
            .all(|(index, step)| *step == if (index as i64 + 1) % size == 0 { 2 * size - 1 } else { -1 })
}

struct Run<'a> {
    function: &'a Function,
    assignment: &'a Assignment<'a>,
    /// The loop indices in scope and their values.
    values: Vec<(IndexId, i64)>,
    /// Position in the result, and where the slice comes from.
    slices: Vec<((u32, i64), Source)>,
}

impl Run<'_> {
    fn number(&self, num: &hydride_ir::Num) -> Option<i64> {
        let value_of =
            |index: IndexId| self.values.iter().find(|(id, _)| *id == index).map_or(0, |(_, value)| *value);
        self.assignment.value(num, &value_of)
    }

    fn block(&mut self, body: &[Stmt]) -> Option<()> {
        for stmt in body {
            match stmt {
                Stmt::For { index, count, body } => {
                    for value in 0..self.number(count)? {
                        self.values.push((*index, value));
                        let done = self.block(body);
                        self.values.pop();
                        done?;
                    }
                }
                Stmt::Assign { result, low, value } => {
                    if self.slices.len() == MAX_SLICES {
                        return None;
                    }
                    let low = self.number(low)?;
                    let source = self.source(*value)?;
                    self.slices.push(((result.0, low), source));
                }
            }
        }
        Some(())
    }

    fn source(&self, id: ExprId) -> Option<Source> {
        let width = self.number(&self.function.expr(id).width)?;
        if !(1..=i64::from(MAX_WIDTH)).contains(&width) {
            return None;
        }
        let (mut id, mut position) = (id, 0i64);
        loop {
            match &self.function.expr(id).op {
                Op::Arg(arg) => {
                    let inside = (0..i64::from(MAX_WIDTH)).contains(&position);
                    return inside.then_some(Source { arg: *arg, low: position, width });
                }
                Op::Extract { of, low } => {
                    position = position.checked_add(self.number(low)?)?;
                    id = *of;
                }
                Op::Cast { of, .. } if self.number(&self.function.expr(*of).width)? == width => id = *of,
                _ => return None,
            }
        }
    }
}
