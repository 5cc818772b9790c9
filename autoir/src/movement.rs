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

#[cfg(test)]
mod tests {
    use super::*;

    /// The name of a function that writes elements of 8 bits: `a3 b0` is element 3 of the first argument, then
    /// element 0 of the second one. Arguments have eight elements.
    fn name_of(elements: &str) -> Option<&'static str> {
        let elements: Vec<(&str, u32)> =
            elements.split(' ').map(|element| (&element[..1], element[1..].parse().unwrap())).collect();
        let assignments = elements.iter().enumerate().map(|(place, (arg, element))| {
            format!("%r[{} +: 8] = %{arg}[{} +: 8]\n", 8 * place, 8 * element)
        });
        let width = 8 * elements.len();
        let body: String = assignments.collect();
        let text = format!("func @f(%a: 64, %b: 64, %c: 64) -> (%r: {width}) {{ {body} }}");
        let function = Function::parse(&text).unwrap();
        name(&function, &Assignment::new(&function, &[]))
    }

    #[test]
    fn movements_are_named_by_where_elements_come_from() {
        for (elements, expected) in [
            ("a0 a1 a2 a3 a4 a5 a6 a7", "move"),
            ("a0 a1 a2 a3", "extract"),
            ("a4 a5 a6 a7", "extract"),
            ("a3", "extract"),
            ("a3 a3 a3", "broadcast"),
            ("a3 a2 a1 a0", "reverse"),
            ("a0 a2 a4", "deinterleave"),
            ("a3 a2 a1 a0 a7 a6 a5 a4", "reverse_groups"),
            ("a1 a0 a3 a2 a5 a4", "reverse_groups"),
            ("a1 a0 a3 a2 a4 a5", "shuffle"),
            ("a1 a0 a5 a4", "shuffle"),
            ("a2 a1 a0 a3", "shuffle"),
            ("a0 a0 a1 a1 a2 a2", "duplicate"),
            ("a0 a3 a6", "shuffle"),
            ("a0 b0 a1 b1", "interleave"),
            ("b4 a4 b5 a5", "interleave"),
            ("a0 b0", "interleave"),
            ("a0 b0 a2 b2 a3 b3", "interleave"),
            ("a0 b0 a2 b2", "transpose"),
            ("a1 b1 a3 b3 a5 b5", "transpose"),
            ("a0 b1 a2 b3", "blend_shuffle"),
            ("a0 a0 b0 b1", "blend_shuffle"),
            ("a0 a1 b0 b1 a2 a3", "blend_shuffle"),
            ("a0 a2 b0 b2", "deinterleave"),
            ("a1 a3 a5 b1 b3 b5", "deinterleave"),
            ("a0 a1 a2 b0", "concat"),
            ("a0 a1 b0", "concat"),
            ("a4 a5 b0 b1", "align"),
            ("a0 a1 b4 b5", "align"),
            ("a0 b2", "align"),
            ("a0 b0 c0", "gather_elements"),
        ] {
            assert_eq!(name_of(elements), Some(expected), "{elements}");
        }
    }

    #[test]
    fn values_that_are_not_slices_of_arguments_do_not_move() {
        for (value, expected) in [
            ("%a[8*i +: 8]", Some("move")),
            ("cast.s(%a[8*i +: 8], 8)", Some("move")),
            ("cast.s(%a[8*i +: 4], 8)", None),
            ("cast.s(%a[16*i +: 16], 8)", None),
            ("%a[16*i +: 16][8 +: 8]", Some("deinterleave")),
            ("not(%a[8*i +: 8])", None),
            ("0x0:8", None),
        ] {
            let count = if value.contains("16*i") { 4 } else { 8 };
            let text = format!(
                "func @f(%a: 64) -> (%r: {}) {{ for i in 0..{count} {{ %r[8*i +: 8] = {value} }} }}",
                8 * count
            );
            let function = Function::parse(&text).unwrap();
            assert_eq!(name(&function, &Assignment::new(&function, &[])), expected, "{value}");
        }
    }

    #[test]
    fn very_many_slices_are_not_looked_at() {
        for (count, expected) in [(MAX_SLICES, Some("move")), (MAX_SLICES + 1, None)] {
            let text = format!(
                "func @f(%a: {count}) -> (%r: {count}) {{ for i in 0..{count} {{ %r[i +: 1] = %a[i +: 1] }} }}"
            );
            let function = Function::parse(&text).unwrap();
            assert_eq!(name(&function, &Assignment::new(&function, &[])), expected);
        }
    }
}
