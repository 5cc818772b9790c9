//! Values that are the same whole number, however it is computed: sums in any order and at any width that holds them, and
//! functions of a few bits in any way.
//!
//! Both are raised to exact integers, in which widths and orders do not count (`hydride_ir::exact`). Before that, what reads at
//! most one byte of one argument becomes the first expression that has the same value for each of the byte's values: a count of
//! bits, or the sum of two entries of a table.

use std::collections::BTreeMap;

use hydride_ir::exact::raise;
use hydride_ir::{BinaryOp, Bits, ExprId, Op};
use rustc_hash::FxHashMap;

use crate::graph::Graph;

/// Bits that are read at most by what is compared value by value.
const MAX_BITS: u32 = 8;
/// The widest result of those.
const MAX_RESULT: u32 = 64;
/// The most expressions that are compared value by value.
const MAX_TABLES: usize = 256;
/// The most expressions of a question that is looked at.
const MAX_EXPRESSIONS: usize = 50_000;

/// For each pair of values whether both are one number for all arguments; `false` says nothing.
pub(crate) fn same(graph: &mut Graph, pairs: &[(ExprId, ExprId)]) -> Vec<bool> {
    let mut roots: Vec<ExprId> = pairs.iter().flat_map(|(own, other)| [*own, *other]).collect();
    if graph.reached(&roots).len() > MAX_EXPRESSIONS {
        return vec![false; pairs.len()];
    }
    let tables = tables(graph, &roots);
    if !tables.is_empty() {
        roots = graph.replaced(&roots, &tables);
    }
    let Ok((_, raised)) = raise(&graph.function(&roots)) else { return vec![false; pairs.len()] };
    raised.results.chunks(2).map(|two| two[0] == two[1]).collect()
}

/// The bits of an argument that an expression reads: the argument, the lowest bit, and one above the highest.
type Reads = Option<(u32, u32, u32)>;

/// What an expression reads: nothing, bits that lie near, or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Support {
    Near(Reads),
    Far,
}

impl Support {
    fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Near(None), own) | (own, Self::Near(None)) => own,
            (Self::Near(Some((a, low, high))), Self::Near(Some((b, from, to)))) if a == b => {
                let (low, high) = (low.min(from), high.max(to));
                if high - low <= MAX_BITS { Self::Near(Some((a, low, high))) } else { Self::Far }
            }
            _ => Self::Far,
        }
    }
}

/// What bits of expressions read.
struct Supports<'g> {
    graph: &'g Graph,
    known: FxHashMap<(ExprId, u32, u32), Support>,
}

impl Supports<'_> {
    fn of(&mut self, id: ExprId) -> Support {
        self.of_bits(id, 0, self.graph.width(id))
    }

    /// What the bits from `low` to below `high` read.
    fn of_bits(&mut self, id: ExprId, low: u32, high: u32) -> Support {
        if low >= high {
            return Support::Near(None);
        }
        if let Some(known) = self.known.get(&(id, low, high)) {
            return *known;
        }
        let own = self.computed(id, low, high);
        self.known.insert((id, low, high), own);
        own
    }

    fn computed(&mut self, id: ExprId, low: u32, high: u32) -> Support {
        let graph = self.graph;
        let number = |id: ExprId| graph.constant(id).and_then(Bits::to_u64);
        match graph.operation(id) {
            // A byte of its own counts as a whole, so that what reads parts of it reads the same.
            Op::Arg(arg) if graph.width(id) <= MAX_BITS => Support::Near(Some((arg.0, 0, graph.width(id)))),
            Op::Arg(arg) if high - low <= MAX_BITS => Support::Near(Some((arg.0, low, high))),
            Op::Arg(_) => Support::Far,
            Op::Extract { of, low: base } => {
                match base.as_constant().and_then(|base| u32::try_from(base).ok()) {
                    Some(base) => self.of_bits(*of, base + low, base + high),
                    None => Support::Far,
                }
            }
            Op::Concat(parts) => {
                let (mut all, mut base) = (Support::Near(None), 0);
                for part in parts.iter().rev() {
                    let end = base + graph.width(*part);
                    let own = self.of_bits(*part, low.max(base) - base, high.min(end).saturating_sub(base));
                    (all, base) = (all.join(own), end);
                }
                all
            }
            Op::Cast { of, signed } if signed.as_constant() == Some(0) => {
                self.of_bits(*of, low, high.min(graph.width(*of)))
            }
            Op::Binary { op: BinaryOp::And, left, right, .. }
                if number(*left).or(number(*right)).is_some() =>
            {
                let mask = number(*left).or(number(*right)).unwrap_or(u64::MAX);
                let of = if number(*left).is_some() { *right } else { *left };
                let end = 64 - mask.leading_zeros();
                self.of_bits(of, low.max(mask.trailing_zeros()), high.min(end))
            }
            Op::Binary { op: BinaryOp::Shr, signed, left, right } if signed.as_constant() == Some(0) => {
                match number(*right).and_then(|by| u32::try_from(by).ok()) {
                    Some(by) => {
                        let end = high.saturating_add(by).min(graph.width(*left));
                        self.of_bits(*left, low.saturating_add(by), end)
                    }
                    None => self.of(*left).join(self.of(*right)),
                }
            }
            op => op.operands().iter().fold(Support::Near(None), |all, of| all.join(self.of(*of))),
        }
    }
}

/// What stands for expressions that are the same number for every value of what they read: only for those of which something that
/// reads more is computed.
fn tables(graph: &mut Graph, roots: &[ExprId]) -> FxHashMap<ExprId, ExprId> {
    let mut supports = Supports { graph: &*graph, known: FxHashMap::default() };
    let (mut support, mut largest) = (FxHashMap::<ExprId, Support>::default(), Vec::new());
    for id in graph.reached(roots) {
        let own = supports.of(id);
        if own == Support::Far {
            let operands = graph.operation(id).operands();
            largest.extend(operands.into_iter().filter(|of| matches!(support[of], Support::Near(Some(_)))));
        }
        support.insert(id, own);
    }
    largest.extend(roots.iter().copied().filter(|root| matches!(support[root], Support::Near(Some(_)))));
    largest.sort_unstable();
    largest.dedup();
    largest.retain(|id| graph.width(*id) <= MAX_RESULT && !is_read(graph, *id));
    if largest.len() > MAX_TABLES {
        return FxHashMap::default();
    }
    let mut classes: BTreeMap<(Reads, Vec<u64>), Vec<ExprId>> = BTreeMap::new();
    for id in largest {
        let Support::Near(reads @ Some(read)) = support[&id] else { continue };
        if let Some(values) = values(graph, id, read) {
            classes.entry((reads, values)).or_default().push(id);
        }
    }
    let mut replaced = FxHashMap::default();
    for ((_, values), class) in classes {
        // Of as many bits as its greatest value has, so that it is one number at whatever width.
        let greatest = values.into_iter().max().unwrap_or(0);
        let [first, _, ..] = class[..] else { continue };
        let number = graph.extract(first, 0, (64 - greatest.leading_zeros()).max(1));
        for id in class {
            let width = graph.width(id);
            replaced.insert(id, graph.cast(number, false, width));
        }
    }
    replaced
}

/// An argument's bits as an expression reads them: the argument and the lowest bit.
fn part(graph: &Graph, op: &Op) -> Option<(u32, u32)> {
    let Op::Extract { of, low, .. } = op else { return None };
    let Op::Arg(arg) = graph.operation(*of) else { return None };
    Some((arg.0, u32::try_from(low.as_constant()?).ok()?))
}

/// Whether an expression is bits of an argument as they are.
fn is_read(graph: &Graph, id: ExprId) -> bool {
    matches!(graph.operation(id), Op::Arg(_)) || part(graph, graph.operation(id)).is_some()
}

/// The values of an expression for all values of the bits that it reads.
fn values(graph: &Graph, id: ExprId, (arg, low, high): (u32, u32, u32)) -> Option<Vec<u64>> {
    let function = graph.function(&[id]);
    let widths: Option<Vec<u32>> =
        function.args.iter().map(|arg| u32::try_from(arg.width.as_constant()?).ok()).collect();
    let mut given: Vec<Bits> = widths?.into_iter().map(Bits::zero).collect();
    let width = given[arg as usize].width();
    let mut value = |number: u64| {
        let mut words = vec![0; width.div_ceil(64) as usize + 1];
        let (word, bit) = ((low / 64) as usize, low % 64);
        words[word] = number << bit;
        words[word + 1] = if bit > 0 { number >> (64 - bit) } else { 0 };
        given[arg as usize] = Bits::from_words(width, words);
        interp::evaluate(&function, &given).ok()?.pop()?.to_u64()
    };
    (0..1u64 << (high - low)).map(&mut value).collect()
}
