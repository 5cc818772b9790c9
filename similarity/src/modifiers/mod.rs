//! Modifiers: an instruction as a more general operation that is used in a particular way
//! (`docs/src/parameters-and-masking.md`).
//!
//! | modifier | the instruction | the operation |
//! |---|---|---|
//! | [`broadcast`] | `dst[i] = a[i] * b[lane]` | `dst[i] = a[i] * b[i]` |
//! | [`scalar`] | `dst[i] = a[i] << n`, an immediate | `dst[i] = a[i] << n[0]`, a register |
//! | [`repeated`] | `dst[i] = {a[i], a[i]} >> n[i]` | `dst[i] = {a[i], b[i]} >> n[i]` |
//! | [`zero`] | `dst[i] = a[i] < 0` | `dst[i] = a[i] < b[i]` |
//! | [`masked`] | `dst = sum of k[i] ? a[i] : 0` | `dst = sum of a[i]` |
//! | [`part`] | `dst = {high: a[i] + b[i], low: c}` | `dst[i] = a[i] + b[i]` |
//! | [`masking`] | `dst[i] = k[i / 4] ? f(a, i) : c[i]` | `dst[i] = f(a, i)` |
//! | [`flag_mask`] | `dst[i] = a[i] < b[i]`, one bit | `dst[i] = a[i] < b[i] ? -1 : 0` |
//! | [`flag_word`] | `dst[i] = a[i] \| 1 - b[i]`, one bit | `dst[i] = a[i] \| ~b[i]` |
//! | [`ranked`] | `dst[i] = k[i] ? a[rank of i] : 0`, packed as well | `dst[i] = k[i] ? a[rank of i] : c[i]` |
//! | [`signs`] | `dst[i] = k ? a[i] >> n : c[i]`, unsigned | the same, signed or unsigned |
//! | [`rounding`] | `dst[i] = fadd(a[i], b[i])`, to the nearest | the same, rounded as an immediate says |
//!
//! One file has both directions. `recognize` takes the modifier off: from an instruction to readings of it. `apply` puts
//! it back on exact integers, for the certificate; `write` puts it back in the IR and shares nothing with `apply`, so
//! that each checks the other. A modifier that only chooses where arguments come from is applied by those sources.
//!
//! How modifiers compose is the content of [`WHOLE`], [`FORMS`] and [`OPERANDS`]: a shared operand may be found inside
//! a part and next to a repeated register; a mask is removed by itself, or from a part that one bit governs. A rounding
//! immediate is added last, to every other reading. A reading counts only where another instruction is the operation itself; `readings` sees to that, and `certificate` proves it.

pub(crate) mod broadcast;
mod flag_mask;
mod flag_word;
pub(crate) mod masked;
pub(crate) mod masking;
pub(crate) mod operands;
pub(crate) mod part;
mod ranked;
mod repeated;
mod rounding;
mod scalar;
mod signs;
#[cfg(test)]
mod tests;
pub(crate) mod zero;

use catalog::{Part, Source};
use hydride_ir::Function;
use hydride_ir::exact::{Dag, Raised, raise};
use hydride_ir::lane::{Canonical, Form, Kind, Masking};
use hydride_ir::passes::open_nans;

use crate::shape::{Shape, form_shape, lane_form};

/// An instruction as an operation under modifiers, before the operation's lane form is known.
#[derive(Clone, Debug)]
struct Reading {
    /// What the operation writes.
    core: Raised,
    /// For each argument of the graph its origin. The first ones are the instruction's; a modifier adds others.
    sources: Vec<Source>,
    masking: Option<Masking>,
    part: Option<Part>,
}

impl Reading {
    /// The instruction as it is.
    fn plain(core: Raised, function: &Function) -> Self {
        let sources = (0..function.args.len() as u32).map(Source::Own).collect();
        Self { core, sources, masking: None, part: None }
    }

    /// The same with another core, which reads the graph's last argument, `fresh`, as well.
    fn with_argument(&self, core: Raised, fresh: u32, source: Source) -> Self {
        let mut sources = self.sources.clone();
        // Arguments between belong to other readings; this one does not read them.
        sources.resize(fresh as usize, Source::Constant(0));
        sources.push(source);
        Self { core, sources, ..*self }
    }

    /// Its shape, where it has a lane form, one mask at most, and the operation computes something.
    fn shape(&self, dag: &mut Dag, function: &Function) -> Option<Shape> {
        let canonical = lane_form(dag, &self.core, function)?;
        let mut shape = form_shape(canonical, function, &self.sources, self.part);
        if self.masking.is_some() && shape.masking.is_some() {
            return None;
        }
        shape.masking = shape.masking.or(self.masking);
        (!moves_only(&shape)).then_some(shape)
    }
}

/// The readings that have one modifier more than a given one.
type Recognize = fn(&mut Dag, &Function, &Reading) -> Vec<Reading>;

/// The readings of a lane form that have one modifier more. Arguments behind the instruction's are zero.
type RecognizeForm = fn(&Form<i64>) -> Vec<Form<i64>>;

/// A modifier, and those that are looked for in the operation that it leaves.
struct Step {
    recognize: Recognize,
    inside: &'static [Step],
}

impl Step {
    const fn alone(recognize: Recognize) -> Self {
        Self { recognize, inside: &[] }
    }
}

/// Modifiers of the result.
const WHOLE: [Step; 2] = [
    Step {
        recognize: part::recognize,
        inside: &[Step::alone(broadcast::recognize), Step::alone(masking::recognize_part)],
    },
    Step::alone(masking::recognize),
];

/// Modifiers of the lane form of the instruction as it is.
const FORMS: [RecognizeForm; 4] =
    [flag_mask::recognize, flag_word::recognize, ranked::recognize, signs::recognize];

/// Modifiers of the operands.
const OPERANDS: [Step; 4] = [
    Step { recognize: repeated::recognize, inside: &[Step::alone(broadcast::recognize)] },
    Step::alone(broadcast::recognize),
    Step::alone(scalar::recognize),
    Step::alone(masked::recognize),
];

/// The readings of `function` under modifiers that have a lane form, without the plain one. [`zero`] needs to know the
/// other instructions, and is not among them.
pub(crate) fn variants(function: &Function) -> Vec<Shape> {
    let function = &*open_nans(function);
    let Ok((dag, raised)) = raise(function) else { return Vec::new() };
    let plain = Reading::plain(raised, function);
    let most_nodes = dag.len() + MAX_NODES;
    let mut search = Search { dag, function, most_nodes, shapes: Vec::new() };
    search.add_rounded(&plain);
    search.follow(&WHOLE, &plain);
    if let Some(canonical) = lane_form(&mut search.dag, &plain.core, function) {
        search
            .shapes
            .extend(FORMS.iter().flat_map(|recognize| form_shapes(*recognize, &canonical, function)));
    }
    let moved = moved(&mut search.dag, &plain.core).map(|core| Reading { core, ..plain.clone() });
    for reading in std::iter::once(&plain).chain(&moved) {
        search.follow(&OPERANDS, reading);
    }
    search.shapes
}

/// The shapes of what a modifier of lane forms finds.
fn form_shapes(recognize: RecognizeForm, canonical: &Canonical, function: &Function) -> Vec<Shape> {
    let own = 0..function.args.len() as u32;
    let shape = |form: Form<i64>| {
        let fresh = form.arg_widths.len().saturating_sub(function.args.len());
        let zeros = std::iter::repeat_n(Source::Constant(0), fresh);
        let sources: Vec<Source> = own.clone().map(Source::Own).chain(zeros).collect();
        form_shape(Canonical { form, masking: canonical.masking }, function, &sources, None)
    };
    recognize(&canonical.form).into_iter().map(shape).collect()
}

/// Nodes that the search for readings may add to an instruction's graph; then it ends with what it has found. Readings
/// of the x86 string comparisons, none of which is another instruction, would add 140,000.
const MAX_NODES: usize = 16_384;

/// The search for an instruction's readings.
struct Search<'a> {
    dag: Dag,
    function: &'a Function,
    /// Size of the graph at which the search ends.
    most_nodes: usize,
    /// What was found.
    shapes: Vec<Shape>,
}

impl Search<'_> {
    fn follow(&mut self, steps: &[Step], reading: &Reading) {
        for Step { recognize, inside } in steps {
            if self.dag.len() > self.most_nodes {
                return;
            }
            for found in recognize(&mut self.dag, self.function, reading) {
                if self.dag.len() > self.most_nodes {
                    return;
                }
                let shape = found.shape(&mut self.dag, self.function);
                self.shapes.extend(shape);
                self.add_rounded(&found);
                self.follow(inside, &found);
            }
        }
    }

    /// Adds the shapes of a reading's readings with a rounding immediate.
    fn add_rounded(&mut self, reading: &Reading) {
        for rounded in rounding::recognize(&mut self.dag, self.function, reading) {
            let shape = rounded.shape(&mut self.dag, self.function);
            self.shapes.extend(shape);
        }
    }
}

/// The result as a slice of concatenated registers.
fn moved(dag: &mut Dag, raised: &Raised) -> Option<Raised> {
    let [segments] = raised.results.as_slice() else { return None };
    let moved = dag.moved_by_a_small_number(segments)?;
    Some(Raised { results: vec![vec![moved]] })
}

/// Whether an operation computes nothing: every copy would be one of it under some modifier.
pub(crate) fn moves_only(shape: &Shape) -> bool {
    let Some(form) = &*shape.form else { return false };
    form.results
        .iter()
        .flat_map(|result| &result.statements)
        .flat_map(|statement| &statement.template.terms)
        .all(|term| {
            matches!(
                term.kind,
                Kind::Leaf { .. }
                    | Kind::Arg(_)
                    | Kind::Slice(_)
                    | Kind::Concat { .. }
                    | Kind::Const(_)
                    | Kind::AllOnes { .. }
                    | Kind::Literal(_)
            )
        })
}
