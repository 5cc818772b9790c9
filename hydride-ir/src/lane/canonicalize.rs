//! From what a function writes to its lane form.

use serde::{Deserialize, Serialize};

use super::growing::growing;
use super::kind::Kind;
use super::partition::{Elements, blocks, elements, statements};
use super::skeleton::Skeletons;
use super::template::{Form, ResultForm};
use super::working::term_counts;
use crate::exact::{Dag, Int, Node, NodeId, Part, Raised, Segment};

/// A form and the masking that was removed from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Canonical {
    /// The unmasked form.
    pub form: Form<i64>,
    /// The masking of the only result, if there is one.
    pub masking: Option<Masking>,
}

/// Elements that are written only where their mask bit is 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Masking {
    /// The argument that holds the mask.
    pub mask: u32,
    /// Distance of the bits of neighbouring lanes, in bits; the first is bit 0.
    pub stride: u32,
    /// Width of the lanes that one mask bit governs, in bits; elements can be wider.
    pub lane: u32,
    /// What the other lanes keep: the same lane of this argument, or 0.
    pub pass: Option<u32>,
    /// Whether lanes are written where their mask bit is 0.
    pub negated: bool,
}

/// The lane form of a function, or `None` if it has no compact lane structure. `may_mask` says which
/// arguments can be masks: registers can, immediates cannot.
pub fn canonicalize(dag: &mut Dag, raised: &Raised, may_mask: impl Fn(u32) -> bool) -> Option<Canonical> {
    let mut skeletons = Skeletons::default();
    let arg_widths = dag.arg_widths().to_vec();
    if let [segments] = raised.results.as_slice()
        && let Some(cut) = elements(dag, segments)
        && let Some((core, masking)) = unmask(dag, &cut)
        && may_mask(masking.mask)
        && let Some(form) = parts(dag, &core)
            .and_then(|parts| form(dag, &mut skeletons, &[parts], &arg_widths))
            .filter(|form| governs(&masking, form))
            .or_else(|| form(dag, &mut skeletons, &[core], &arg_widths))
    {
        return Some(Canonical { form, masking: Some(masking) });
    }
    let plain = unmasked_form(dag, &mut skeletons, &raised.results, &arg_widths);
    if let [segments] = raised.results.as_slice()
        && plain.as_ref().is_none_or(is_long)
        && let Some(moved) = dag.moved_by_a_small_number(segments)
    {
        let form = unmasked_form(dag, &mut skeletons, &[vec![moved]], &arg_widths)?;
        return Some(Canonical { form, masking: None });
    }
    Some(Canonical { form: plain?, masking: None })
}

/// Whether each statement's elements are in one lane of the mask at each index.
fn governs(masking: &Masking, form: &Form<i64>) -> bool {
    let lane = i64::from(masking.lane);
    let mut statements = form.results.iter().flat_map(|result| &result.statements);
    statements.all(|statement| statement.position.in_units(&statement.extents, lane).is_some())
}

/// Elements that are only moved, side by side or next to zeros, each by itself: without a mask they would be. `None` if
/// an element is anything else.
fn parts(dag: &mut Dag, core: &Elements) -> Option<Elements> {
    let is_moved = |part: &Part| match *dag.node(part.node) {
        Node::Slice { of, .. } => matches!(dag.node(of), Node::Arg(_)),
        _ => dag.as_int(part.node) == Some(&Int::ZERO),
    };
    let are_moved =
        |value: &NodeId| matches!(dag.node(*value), Node::Concat(parts) if parts.iter().all(is_moved));
    if !core.values.iter().all(are_moved) {
        return None;
    }
    let lows = (0..).step_by(core.width as usize);
    let segments =
        lows.zip(&core.values).map(|(low, value)| Segment { low, width: core.width, value: *value });
    elements(dag, &segments.collect::<Vec<_>>())
}

/// Number of terms from which a form may hide a simple select.
const LONG: usize = 20;

fn is_long(form: &Form<i64>) -> bool {
    let statements = form.results.iter().flat_map(|result| &result.statements);
    statements.map(|statement| statement.template.terms.len()).sum::<usize>() >= LONG
}

fn unmasked_form(
    dag: &mut Dag,
    skeletons: &mut Skeletons,
    results: &[Vec<Segment>],
    arg_widths: &[u32],
) -> Option<Form<i64>> {
    let cuts = results.iter().map(|segments| elements(dag, segments)).collect::<Option<Vec<_>>>()?;
    form(dag, skeletons, &cuts, arg_widths)
}

fn form(
    dag: &mut Dag,
    skeletons: &mut Skeletons,
    cuts: &[Elements],
    arg_widths: &[u32],
) -> Option<Form<i64>> {
    let results = cuts
        .iter()
        .map(|cut| {
            let wide = zero_extended(dag, cut);
            let cut = wide.as_ref().unwrap_or(cut);
            let statements = statements(dag, skeletons, cut, arg_widths);
            if statements.as_ref().is_none_or(|statements| statements.len() > 1)
                && let Some(growing) = growing(dag, skeletons, cut, arg_widths)
            {
                return Some(growing);
            }
            // Many statements say less than one block of several elements.
            let many = statements.as_ref().is_some_and(|statements| statements.len() > MANY);
            if many && let Some(block) = block(dag, skeletons, cut, arg_widths) {
                return Some(block);
            }
            if let Some(statements) = statements {
                let width = i64::from(cut.width) * cut.values.len() as i64;
                return Some(ResultForm { width, statements });
            }
            block(dag, skeletons, cut, arg_widths)
        })
        .collect::<Option<Vec<_>>>()?;
    let mut read = vec![0i64; arg_widths.len()];
    for statement in results.iter().flat_map(|result| &result.statements) {
        for term in &statement.template.terms {
            match &term.kind {
                Kind::Arg(arg) => read[*arg as usize] = i64::from(arg_widths[*arg as usize]),
                Kind::Leaf { arg, slice } => {
                    let counts = term_counts(&statement.template, &statement.extents, &term.folds);
                    let strides = slice.low.strides.iter().zip(counts);
                    let reach: i64 = strides.map(|(stride, count)| (stride * (count - 1)).max(0)).sum();
                    let end = slice.low.base + reach + slice.width.base;
                    read[*arg as usize] = read[*arg as usize].max(end);
                }
                _ => {}
            }
        }
    }
    Some(Form { arg_widths: read, results })
}

/// Elements that zeros follow, always as many or none, as wider elements: `{x0, 0, 0, 0, x1, 0, 0, 0}` is `{x0, x1}` in
/// elements of four times the width.
fn zero_extended(dag: &Dag, cut: &Elements) -> Option<Elements> {
    let is_zero = |place: usize| dag.as_int(cut.values[place]) == Some(&Int::ZERO);
    let count = cut.values.len();
    let joined = (1..count).find(|place| !is_zero(*place))?;
    let width = cut.width * joined as u32;
    let values: Vec<NodeId> = cut.values.iter().copied().step_by(joined).collect();
    let fits = width as usize * values.len() <= cut.end as usize;
    let uniform = (0..count).all(|place| is_zero(place) != place.is_multiple_of(joined));
    (fits && uniform).then_some(Elements { width, values, end: cut.end })
}

/// Statements from which on blocks are tried as well.
const MANY: usize = 4;

fn block(
    dag: &mut Dag,
    skeletons: &mut Skeletons,
    cut: &Elements,
    arg_widths: &[u32],
) -> Option<ResultForm<i64>> {
    let block = blocks(dag, skeletons, cut, arg_widths)?;
    let count: i64 = block.extents.iter().product();
    let width = block.template.element()?.width.base;
    Some(ResultForm { width: count * width, statements: vec![block] })
}

/// Removes a mask: every element is selected by a bit of one argument, which nothing else reads, between its
/// value and zero or the same element of an argument.
fn unmask(dag: &mut Dag, cut: &Elements) -> Option<(Elements, Masking)> {
    unmask_as(dag, cut, false).or_else(|| unmask_as(dag, cut, true))
}

fn unmask_as(dag: &mut Dag, cut: &Elements, negated: bool) -> Option<(Elements, Masking)> {
    // One element under one bit is a select, not a mask register.
    if cut.values.len() < 2 {
        return None;
    }
    let mut taken: Option<Masking> = None;
    let mut values = Vec::with_capacity(cut.values.len());
    for (place, value) in cut.values.iter().enumerate() {
        let (mask, low, core, pass) = unmask_element(dag, *value, place as u32 * cut.width, negated)?;
        let stride = match (&taken, place) {
            (None, _) => 1,
            (Some(_), 1) => low,
            (Some(masking), _) => masking.stride,
        };
        let masking = Masking { mask, stride, lane: cut.width, pass, negated };
        if let Some(known) = &taken
            && (known.mask, known.pass) != (mask, pass)
        {
            return None;
        }
        if low != stride * place as u32 || stride == 0 {
            return None;
        }
        taken = Some(masking);
        values.push(core);
    }
    let masking = taken?;
    let reads_mask = values.iter().any(|value| reads(dag, *value, masking.mask));
    (!reads_mask && masking.pass != Some(masking.mask))
        .then_some((Elements { width: cut.width, values, end: cut.end }, masking))
}

/// Mask argument, mask bit, value and passthrough argument of a masked element.
fn unmask_element(
    dag: &mut Dag,
    value: NodeId,
    low: u32,
    negated: bool,
) -> Option<(u32, u32, NodeId, Option<u32>)> {
    let mask_bit = |dag: &Dag, id: NodeId| match *dag.node(id) {
        Node::Slice { of, low, width: 1, signed: false } => match dag.node(of) {
            Node::Arg(arg) => Some((*arg, low)),
            _ => None,
        },
        _ => None,
    };
    match dag.node(value).clone() {
        Node::Select(condition, then, otherwise) => {
            let (mask, bit) = mask_bit(dag, condition)?;
            let (written, kept) = if negated { (otherwise, then) } else { (then, otherwise) };
            match dag.node(kept) {
                Node::Const(zero) if zero == &Int::ZERO => Some((mask, bit, written, None)),
                Node::Slice { of, low: from, .. } if *from == low => match dag.node(*of) {
                    Node::Arg(arg) => Some((mask, bit, written, Some(*arg))),
                    _ => None,
                },
                _ => None,
            }
        }
        // A one-bit element: the first operand that is a bit of an argument at the element's position.
        Node::And(operands) if !negated && dag.is_boolean(value) => {
            let chosen =
                operands.iter().copied().find(|id| mask_bit(dag, *id).is_some_and(|(_, bit)| bit == low))?;
            let others: Vec<NodeId> = operands.iter().copied().filter(|id| *id != chosen).collect();
            if others.iter().all(|id| mask_bit(dag, *id).is_some()) {
                return None;
            }
            let (mask, bit) = mask_bit(dag, chosen)?;
            let (first, rest) = others.split_first()?;
            let core = rest.iter().fold(*first, |joined, id| dag.and(joined, *id));
            Some((mask, bit, core, None))
        }
        _ => None,
    }
}

/// Whether a node reads an argument.
fn reads(dag: &Dag, id: NodeId, arg: u32) -> bool {
    let mut seen = rustc_hash::FxHashSet::default();
    let mut stack = vec![id];
    while let Some(id) = stack.pop() {
        if !seen.insert(id) {
            continue;
        }
        if dag.node(id) == &Node::Arg(arg) {
            return true;
        }
        stack.extend(dag.node(id).operands());
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Function;
    use crate::exact::raise;

    fn canonical(body: &str, may_mask: fn(u32) -> bool) -> Option<Canonical> {
        let text = format!("func @f(%k: 16, %c: 128, %a: 128) -> (%dst: 128) {{ {body} }}");
        let (mut dag, raised) = raise(&Function::parse(&text).unwrap()).unwrap();
        canonicalize(&mut dag, &raised, may_mask)
    }

    /// The masking of four elements of 8 bits.
    fn masking(element: &str) -> Option<Masking> {
        canonical(&format!("for i in 0..4 {{ %dst[8*i +: 8] = {element} }}"), |_| true)?.masking
    }

    #[test]
    fn a_mask_chooses_between_an_element_and_what_is_kept() {
        let masked = |stride, pass, negated| Some(Masking { mask: 0, stride, lane: 8, pass, negated });
        for (element, expected) in [
            ("select(%k[i +: 1], not(%a[8*i +: 8]), %c[8*i +: 8])", masked(1, Some(1), false)),
            ("select(%k[i +: 1], not(%a[8*i +: 8]), 0x0:8)", masked(1, None, false)),
            ("select(%k[i +: 1], 0x0:8, not(%a[8*i +: 8]))", masked(1, None, true)),
            ("select(%k[i +: 1], %c[8*i +: 8], not(%a[8*i +: 8]))", masked(1, Some(1), true)),
            ("select(%k[i +: 1], %c[8*i +: 8], 0x0:8)", masked(1, None, false)),
            ("select(%k[4*i +: 1], not(%a[8*i +: 8]), 0x0:8)", masked(4, None, false)),
            // The first bit is not bit 0; one bit for all; bits at uneven distances.
            ("select(%k[i + 1 +: 1], not(%a[8*i +: 8]), 0x0:8)", None),
            ("select(%k[0 +: 1], not(%a[8*i +: 8]), 0x0:8)", None),
            ("select(%k[i*i +: 1], not(%a[8*i +: 8]), 0x0:8)", None),
            // Another element is kept, or another number.
            ("select(%k[i +: 1], not(%a[8*i +: 8]), %c[0 +: 8])", None),
            ("select(%k[i +: 1], not(%a[8*i +: 8]), %c[8*i + 1 +: 8])", None),
            ("select(%k[i +: 1], not(%a[8*i +: 8]), 0x1:8)", None),
            // The mask is read otherwise.
            ("select(%k[i +: 1], not(%k[i +: 8]), 0x0:8)", None),
            ("select(%k[i +: 1], not(%a[8*i +: 8]), cast.u(%k[8 +: 8], 8))", None),
            ("select(eq(%k[i +: 1], %a[i +: 1]), not(%a[8*i +: 8]), 0x0:8)", None),
            ("not(%a[8*i +: 8])", None),
        ] {
            assert_eq!(masking(element), expected, "{element}");
        }
    }

    #[test]
    fn flags_under_a_mask_are_masked() {
        let flags = |element: &str| {
            let masking =
                canonical(&format!("for i in 0..4 {{ %dst[i +: 1] = {element} }}"), |_| true)?.masking?;
            Some((masking.mask, masking.lane, masking.pass))
        };
        let less = "lt.u(%a[8*i +: 8], %c[8*i +: 8])";
        assert_eq!(flags(&format!("and(%k[i +: 1], {less})")), Some((0, 1, None)));
        assert_eq!(flags(&format!("and({less}, %k[i +: 1])")), Some((0, 1, None)));
        assert_eq!(flags(&format!("and(%k[2*i +: 1], {less})")), None);
        assert_eq!(flags("and(%k[i +: 1], %a[i +: 1])"), None, "two flags");
        assert_eq!(flags(less), None);
    }

    #[test]
    fn one_element_is_chosen_and_not_masked() {
        let found = canonical("%dst[0 +: 8] = select(%k[0 +: 1], not(%a[0 +: 8]), 0x0:8)", |_| true);
        assert_eq!(found.unwrap().masking, None);
    }

    #[test]
    fn only_what_may_be_a_mask_is_one() {
        let body = "for i in 0..4 { %dst[8*i +: 8] = select(%k[i +: 1], not(%a[8*i +: 8]), 0x0:8) }";
        let masking = |may_mask| canonical(body, may_mask).unwrap().masking;
        assert_eq!(masking(|arg| arg == 0).map(|masking| masking.mask), Some(0));
        assert_eq!(masking(|arg| arg != 0), None);
    }

    #[test]
    fn the_form_of_masked_elements_is_that_of_the_elements() {
        let form = |element: &str| {
            let body = format!("for i in 0..4 {{ %dst[8*i +: 8] = {element} }}");
            canonical(&body, |_| true).unwrap().form
        };
        let plain = form("not(%a[8*i +: 8])");
        assert_eq!(form("select(%k[i +: 1], not(%a[8*i +: 8]), %c[8*i +: 8])"), plain);
        assert_eq!(form("select(%k[i +: 1], 0x0:8, not(%a[8*i +: 8]))"), plain);
    }

    #[test]
    fn an_argument_is_as_wide_as_what_is_read_of_it() {
        for (element, expected) in [
            ("not(%a[8*i +: 8])", [0, 0, 32]),
            ("not(%a[16*i + 4 +: 8])", [0, 0, 60]),
            ("not(%a[30 - 8*i +: 8])", [0, 0, 38]),
            ("not(%a[5 +: 8])", [0, 0, 13]),
            ("add(%a[8*i +: 8], %c[16 +: 8])", [0, 24, 32]),
            ("fold add (j in 0..3) %a[8*i + 16*j +: 8]", [0, 0, 64]),
            ("%a[at %k[4*i +: 4] +: 8]", [16, 0, 128]),
        ] {
            let body = format!("for i in 0..4 {{ %dst[8*i +: 8] = {element} }}");
            assert_eq!(canonical(&body, |_| false).unwrap().form.arg_widths, expected, "{element}");
        }
    }

    #[test]
    fn elements_that_zeros_follow_are_wider_elements() {
        let shape = |body: &str| {
            let [result] = &canonical(body, |_| false).unwrap().form.results[..] else {
                panic!("one result")
            };
            let widths = result.statements.iter().map(|s| s.template.element().unwrap().width.base);
            (result.width, widths.collect::<Vec<_>>())
        };
        let wide = shape("for i in 0..4 { %dst[32*i +: 32] = cast.u(%a[8*i +: 8], 32) }");
        assert_eq!(wide, (128, vec![32]));
        let written = "%dst[32*i +: 8] = %a[8*i +: 8]  %dst[32*i + 8 +: 24] = 0x0:24";
        assert_eq!(shape(&format!("for i in 0..4 {{ {written} }}")), wide);
        // Here something else follows the second element.
        let (_, widths) = shape(
            "%dst[0 +: 8] = %a[0 +: 8]  %dst[8 +: 24] = 0x0:24
             %dst[32 +: 8] = %a[8 +: 8]  %dst[40 +: 16] = 0x0:16  %dst[56 +: 8] = not(%a[16 +: 8])",
        );
        assert!(!widths.contains(&32), "{widths:?}");
    }

    /// Rotations by selects are slices of the register twice where the selects are long.
    #[test]
    fn a_short_choice_stays_a_choice() {
        let slices = |count: u32| {
            let rotated = |by: u32| format!("concat(%a[0 +: {by}], %a[{by} +: {}])", 32 - by);
            let value = (1..count).fold("%a[0 +: 32]".to_owned(), |value, by| {
                format!("select(eq(%k[0 +: 4], 0x{by:x}:4), {}, {value})", rotated(by))
            });
            let form = canonical(&format!("%dst[0 +: 32] = {value}"), |_| false).unwrap().form;
            let mut terms = form.results.iter().flat_map(|r| &r.statements).flat_map(|s| &s.template.terms);
            terms.any(|term| matches!(term.kind, Kind::SliceAt(_)))
        };
        assert_eq!([2, 16].map(slices), [false, true]);
    }

    /// Six operators that take turns are more than are told apart.
    #[test]
    fn many_statements_are_one_block() {
        let [a, b] = ["%a", "%c"].map(|arg| move |place: usize| format!("{arg}[48*i + {} +: 8]", 8 * place));
        let turns = ["min.u", "max.u", "and", "or", "xor", "mul"].iter().enumerate();
        let written = turns.map(|(place, operator)| {
            format!("%dst[48*i + {} +: 8] = {operator}({}, {}) ", 8 * place, a(place), b(place))
        });
        let body = format!("for i in 0..2 {{ {} }}", written.collect::<String>());
        let [result] = &canonical(&body, |_| false).unwrap().form.results[..] else { panic!("one result") };
        let [statement] = &result.statements[..] else { panic!("one block: {result:?}") };
        assert_eq!((result.width, statement.template.element().unwrap().width.base), (96, 48));
    }
}
