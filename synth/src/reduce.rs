//! Reductions of all lanes to one: partial sums of neighbors by what sums products, then registers added up, then halves
//! of a register.
//!
//! Which lanes a partial sum joins does not matter for the whole, so each operation is taken as it reads its operands.

use hydride_ir::exact::{Int, Node, NodeId};
use search::{Class, Type};

use crate::contents::{Entry, Wanted};
use crate::immediates::immediates;
use crate::options::Finder;
use crate::program::{Program, Value};
use crate::select::{Selection, Stop, in_order};
use crate::table::{Arrangement, CONTAINERS, OpId, Table};
use crate::window::{ExpressionId, Lanewise, Meaning, Operator, Reduce, Window};

/// Neighbors that are joined by one operation, most first.
const GROUPS: &[u32] = &[8, 4, 2, 1];

/// A window whose result is one reduced lane, and what is added to it.
pub struct Reduction {
    operand: ExpressionId,
    reduce: Reduce,
    more: Option<ExpressionId>,
}

impl Reduction {
    /// Whether elements are extended before they are reduced.
    pub fn extends(&self, window: &Window) -> bool {
        !matches!(window.expressions.get(self.operand).operator, Operator::Leaf(_))
    }
}

/// The reduction that a window is, if it is one of all lanes of something to one lane.
pub fn reduction(meaning: &Meaning<'_>) -> Option<Reduction> {
    let window = meaning.window();
    let whole = |id: ExpressionId| {
        let node = window.expressions.get(id);
        let Operator::Reduce(reduce) = node.operator else { return None };
        (node.ty.lanes == 1).then(|| (node.operands[0], reduce))
    };
    if let Some((operand, reduce)) = whole(window.root) {
        return Some(Reduction { operand, reduce, more: None });
    }
    let node = window.expressions.get(window.root);
    if node.operator != Operator::Lanewise(Lanewise::Add) {
        return None;
    }
    let [left, right] = node.operands[..] else { return None };
    for (reduced, more) in [(left, right), (right, left)] {
        if let Some((operand, reduce)) = whole(reduced)
            && window.expressions.ty(reduced) == node.ty
        {
            return Some(Reduction { operand, reduce, more: Some(more) });
        }
    }
    None
}

/// Programs for a reduction, one for each way to begin; none of them is proved yet.
pub fn programs(
    finder: &mut Finder<'_, '_>,
    reduction: &Reduction,
    cost: &dyn Fn(OpId) -> u64,
    stop: &Stop<'_>,
    states: &mut usize,
) -> Vec<Program> {
    let window = finder.meaning.window();
    let lanes = window.expressions.ty(reduction.operand).lanes;
    let mut found = Vec::new();
    for group in GROUPS.iter().copied().filter(|group| lanes.is_multiple_of(*group)) {
        let count = lanes / group;
        let neighbors = |lane: u32, member: u32| lane * group + member;
        // Halves of a register are widened by themselves.
        let halves = |lane: u32, member: u32| member * count + lane;
        let in_halves = (group == 2 && window.in_registers).then_some(&halves as &dyn Fn(u32, u32) -> u32);
        for place in std::iter::once(&neighbors as &dyn Fn(u32, u32) -> u32).chain(in_halves) {
            let mut terms = Vec::new();
            for member in 0..group {
                let own = (0..count).map(|lane| place(lane, member)).collect();
                let Some(value) = finder.meaning.family(reduction.operand, own) else { return found };
                terms.push(value);
            }
            let exact = reduction.reduce.of(&mut finder.meaning.dag, &terms);
            // A sum that fills the container of all its numbers is reduced there, and its low bits are the result.
            let filled = finder.meaning.dag.natural(terms[0]).map(|(width, _)| group * width);
            let wider = filled.filter(|width| {
                let is_sum = reduction.reduce == Reduce::Add && window.in_registers;
                is_sum && *width > window.ty().width && CONTAINERS.contains(width)
            });
            for container in std::iter::once(window.ty().width).chain(wider) {
                let begun = begun(finder, reduction, (exact, container), count, cost, stop, states);
                found.extend(begun.into_iter().filter_map(|program| joined(finder, program, reduction)));
            }
        }
    }
    found
}

/// Programs for `count` lanes of a partial sum in containers of so many bits.
fn begun(
    finder: &mut Finder<'_, '_>,
    reduction: &Reduction,
    (partial, container): (NodeId, u32),
    count: u32,
    cost: &dyn Fn(OpId) -> u64,
    stop: &Stop<'_>,
    states: &mut usize,
) -> Vec<Program> {
    let window = finder.meaning.window();
    let signed = window.expressions.ty(reduction.operand).is_signed();
    let value = finder.meaning.dag.slice(partial, 0, container, signed);
    let entries: Vec<Entry> = (0..count).map(|lane| finder.entry(value, container, lane)).collect();
    // What fills no register is in the lowest lanes of the narrowest.
    let narrow = finder.widths.first().copied().filter(|width| count * container < *width);
    let wanted: Vec<Wanted> = finder
        .widths
        .iter()
        .filter(|width| (count * container).is_multiple_of(**width) || narrow == Some(**width))
        .map(|width| Wanted {
            ty: Type { class: Class::Vector, width: *width },
            container,
            registers: in_order(&entries, container, *width),
        })
        .collect();
    let (mut selection, roots) = Selection::new(finder, wanted, cost, None, stop);
    *states += selection.states();
    selection.solve();
    roots.iter().filter_map(|root| selection.program(*root, finder, cost)).collect()
}

/// The numbers that immediates may need for a reduction's operand.
pub fn asks(meaning: &mut Meaning<'_>, reduction: &Reduction) -> Vec<i64> {
    let lanes = meaning.window().expressions.ty(reduction.operand).lanes;
    match meaning.family(reduction.operand, (0..lanes).collect()) {
        Some(value) => immediates(meaning, &[value]),
        None => Vec::new(),
    }
}

/// Adds up the registers of a program and then the lanes of the last one.
fn joined(finder: &mut Finder<'_, '_>, mut program: Program, reduction: &Reduction) -> Option<Program> {
    let table = finder.table;
    let container = program.container;
    let mut ty = program.output_type?;
    let mut live = ty.width / container;
    if let [(_, content)] = &program.outputs[..] {
        live = content.iter().filter(|entry| **entry != Entry::Any).count() as u32;
    }
    let mut values: Vec<Value> = program.outputs.drain(..).map(|(value, _)| value).collect();
    // What is reduced joins lanes whatever they hold: nothing is claimed of them until the end.
    let signed = finder.meaning.window().expressions.ty(reduction.operand).is_signed();
    let blank = |ty: Type| vec![Entry::Any; (ty.width / container) as usize];
    while values.len() > 1 {
        let join = joining(table, ty, container, reduction.reduce, signed)?;
        let mut next = Vec::new();
        for pair in values.chunks(2) {
            next.push(match pair {
                [left, right] => program.step(join, vec![left.clone(), right.clone()], container, &blank(ty)),
                _ => pair[0].clone(),
            });
        }
        values = next;
    }
    let mut value = values.pop()?;
    if let Some(across) = across(table, ty, container, live, reduction.reduce, signed) {
        let content = vec![Entry::Any; (table.op(across).result.width / container) as usize];
        value = program.step(across, vec![value], container, &content);
        ty = table.op(across).result;
        live = 1;
    }
    while live > 1 {
        let half = live / 2;
        if live % 2 == 1 {
            return None;
        }
        let narrower = Type { width: ty.width / 2, ..ty };
        if live == ty.width / container
            && finder.widths.contains(&narrower.width)
            && let Some((upper, count)) = upper_half(table, ty, narrower, container, half)
        {
            let operands = moved(finder, &mut program, upper, count, &value);
            let high = program.step(upper, operands, container, &blank(narrower));
            ty = narrower;
            let join = joining(table, ty, container, reduction.reduce, signed)?;
            let low = Value::Low(Box::new(value));
            value = program.step(join, vec![low, high], container, &blank(ty));
        } else {
            let (upper, count) = upper_half(table, ty, ty, container, half)?;
            let operands = moved(finder, &mut program, upper, count, &value);
            let high = program.step(upper, operands, container, &blank(ty));
            let join = joining(table, ty, container, reduction.reduce, signed)?;
            value = program.step(join, vec![value, high], container, &blank(ty));
        }
        live = half;
    }
    let window = finder.meaning.window();
    let width = window.ty().width;
    if let Some(more) = reduction.more {
        let added = finder.meaning.family(more, vec![0])?;
        if !finder.meaning.is_uniform(added) {
            return None;
        }
        let bits = finder.meaning.dag.slice(added, 0, width, false);
        program.added = Some(bits);
    }
    let result = finder.meaning.all(window.root).ok()?[0];
    let bits = finder.meaning.dag.slice(result, 0, width, false);
    let mut content = vec![Entry::Any; (ty.width / width) as usize];
    content[0] = Entry::Value(bits, 0);
    program.container = width;
    program.outputs = vec![(value, content)];
    program.output_type = Some(ty);
    Some(program)
}

/// The operation that joins two registers lane by lane.
fn joining(table: &Table, ty: Type, container: u32, reduce: Reduce, signed: bool) -> Option<OpId> {
    table.templates(container).iter().find_map(|id| {
        let template = table.template(*id);
        if template.slots != [container, container] || !joins(table, *id, reduce, signed, 2) {
            return None;
        }
        table.members(*id).iter().copied().find(|op| {
            let own = table.op(*op);
            own.result == ty
                && own.args == [ty, ty]
                && own.reads.len() as u32 == ty.width / container
                && own
                    .reads
                    .iter()
                    .zip(0u32..)
                    .all(|(reads, lane)| *reads == [(0, lane * container), (1, lane * container)])
        })
    })
}

/// Whether a template is the sum, the greatest or the least of its slots.
fn joins(table: &Table, id: crate::table::TemplateId, reduce: Reduce, signed: bool, count: usize) -> bool {
    let template = table.template(id);
    let dag = &template.dag;
    let is_slot = |node: NodeId| {
        matches!(dag.node(node), Node::Slice { of, low: 0, width, .. }
            if *width == template.container && matches!(dag.node(*of), Node::Arg(_)))
    };
    let of = match dag.node(template.root) {
        Node::Slice { of, low: 0, .. } => *of,
        _ => template.root,
    };
    match dag.node(of) {
        Node::Sum { terms, constant } if reduce == Reduce::Add => {
            *constant == Int::ZERO
                && terms.len() == count
                && terms.iter().all(|(term, factor)| *factor == Int::ONE && is_slot(*term))
        }
        Node::Max(operands) | Node::Min(operands)
            if matches!(
                (dag.node(of), reduce),
                (Node::Max(_), Reduce::Max) | (Node::Min(_), Reduce::Min)
            ) =>
        {
            let reads = |node: &hydride_ir::exact::NodeId| matches!(dag.node(*node), Node::Slice { signed: own, .. } if *own == signed);
            operands.len() == count && operands.iter().all(|operand| is_slot(*operand) && reads(operand))
        }
        _ => false,
    }
}

/// The operation that joins all lanes of a register into its lowest.
fn across(table: &Table, ty: Type, container: u32, live: u32, reduce: Reduce, signed: bool) -> Option<OpId> {
    table.templates(container).iter().find_map(|id| {
        let template = table.template(*id);
        if template.slots.len() as u32 != live || !joins(table, *id, reduce, signed, live as usize) {
            return None;
        }
        table.members(*id).iter().copied().find(|op| table.op(*op).args == [ty])
    })
}

/// The operands of a movement: a register, as often as it is read, and the number of bytes that it is moved by, where that is one.
fn moved(
    finder: &mut Finder<'_, '_>,
    program: &mut Program,
    op: OpId,
    count: Option<i64>,
    value: &Value,
) -> Vec<Value> {
    let table = finder.table;
    let operand = |ty: &Type| {
        let Some(count) = count.filter(|_| ty.class == Class::Scalar) else { return value.clone() };
        let content = vec![Entry::Uniform(finder.meaning.dag.int(count))];
        let wanted = Wanted { ty: *ty, container: ty.width, registers: Vec::new() };
        program.constant(&wanted, &content)
    };
    table.op(op).args.iter().map(operand).collect()
}

/// An operation that moves the upper `half` lanes of the live ones into the lowest, all of whose operands are that register, or
/// besides it the number of bytes in a general register.
fn upper_half(table: &Table, from: Type, to: Type, container: u32, half: u32) -> Option<(OpId, Option<i64>)> {
    let mut found: Vec<OpId> = Vec::new();
    for id in table.templates(container) {
        if !table.template(*id).moves {
            continue;
        }
        found.extend(table.members(*id).iter().copied().filter(|op| {
            let own = table.op(*op);
            let places: Vec<u32> =
                own.reads.iter().take(half as usize).map(|reads| reads[0].1 / container).collect();
            let mut sorted = places.clone();
            sorted.sort_unstable();
            own.result == to
                && own.args.iter().all(|ty| *ty == from)
                && sorted == (half..2 * half).collect::<Vec<u32>>()
        }));
    }
    found.extend(table.lowering(container).iter().copied().filter(|op| {
        let own = table.op(*op);
        let moved = own.reads.len() as u32 >= half && own.reads[0][0].1 == half * container;
        moved && own.result == to && own.args == [from]
    }));
    let to_lowest = |(first, arrangement): &(OpId, Arrangement)| {
        let own = table.op(*first);
        if own.result != to || own.args != [from] {
            return None;
        }
        let at = arrangement.find(|lane, outcome| {
            let lane = lane as u32;
            lane >= half || outcome == Some((0, (half + lane) * container))
        })?;
        Some(OpId(first.0 + at as u32))
    };
    // Sums of 64 bits that are moved in halves are not seen as sums any more.
    if container <= 32 {
        found.extend(table.arrangements(container).iter().filter_map(to_lowest));
    }
    let mut found: Vec<(OpId, Option<i64>)> = found.into_iter().map(|op| (op, None)).collect();
    let turns = |(op, count): &(OpId, i64)| {
        let own = table.op(*op);
        (own.result == to && own.args[0] == from && own.reads[0][0].1 == half * container)
            .then_some((*op, Some(*count)))
    };
    found.extend(table.turning(container).iter().filter_map(turns));
    // The lower half is needed too: an instruction that overwrites its operand needs a copy of it.
    found.into_iter().min_by_key(|(op, _)| {
        let instruction = table.instruction(*op);
        (instruction.uops, table.op(*op).args.len(), instruction.destroys.is_some(), *op)
    })
}
