//! Calls of a target's intrinsics with constants that a slice's text does not have: tables in which bytes are looked up by
//! halves of other bytes, and masks by which bits of a number are moved.
//!
//! ```text
//! %m = and <16 x i8> %a, splat (i8 15)             %m = and <16 x i8> %a, splat (i8 15)
//! %c = icmp ult <16 x i8> %m, splat (i8 10)   →    %r = call <16 x i8> @lookup(<16 x i8> c"0123456789abcdef", <16 x i8> %m)
//! %d = add <16 x i8> %m, splat (i8 48)
//! %e = add <16 x i8> %m, splat (i8 87)
//! %r = select <16 x i1> %c, <16 x i8> %d, <16 x i8> %e
//! ```
//!
//! What an intrinsic does is seen in runs of it: which ones look up, and which ones move bits. The constants are solved from
//! runs of the slice. As any candidate, what is found is not proved here.

use llvm_text::Type;
use refine::Intrinsics;
use refine::ast::{Action, Body, Flags, Operand, Value};

use crate::build::{Builder, bits_of, constant, vector};
use crate::element::ones;
use crate::operands::local;
use crate::run::{Elements, Run, Stop, run, view, widths};
use crate::samples::{Random, arguments, runs};
use crate::slice::{Input, Slice};

/// Runs of a slice from which tables are read.
const RUNS: usize = 96;
/// Numbers on which an intrinsic is seen.
const PROBES: usize = 6;
/// Bits of registers in which bytes are looked up.
const REGISTERS: [u32; 4] = [64, 128, 256, 512];
/// Entries of a table: half a byte says which one.
const ENTRIES: usize = 16;
/// Least instructions of a slice that is looked at.
const LEAST: usize = 3;
/// The most candidates.
const MOST: usize = 6;

/// An intrinsic of a target with two operands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Callee {
    /// Its name.
    pub name: String,
    /// The types of its operands.
    pub arguments: [Type; 2],
    /// The type of its result.
    pub result: Type,
}

impl Callee {
    fn call(&self, builder: &mut Builder, given: [Operand; 2]) -> Operand {
        let arguments =
            given.into_iter().zip(&self.arguments).map(|(own, ty)| builder.bitcast(own, ty)).collect();
        builder.call(self.name.clone(), arguments, self.result.clone())
    }

    /// What it gives for numbers as elements.
    fn value(&self, given: [&[u64]; 2], intrinsics: &dyn Intrinsics) -> Option<Vec<u64>> {
        let mut builder = Builder::empty();
        let operands = [0, 1].map(|at| constant(&self.arguments[at], given[at]));
        let value = self.call(&mut builder, operands);
        let body = builder.returning(value)?;
        run(&body, &[], intrinsics).ok()?.result.into_iter().collect()
    }
}

/// An intrinsic that gives bytes of a table, and which of its operands that is.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Lookup {
    callee: Callee,
    table: usize,
}

/// A target's intrinsics that are tried with constants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Callees {
    lookups: Vec<Lookup>,
    /// Operators on two numbers, of which one may be a mask.
    scalars: Vec<Callee>,
}

fn is_bytes(ty: &Type) -> bool {
    matches!(ty, Type::Vector(_, llvm_text::Scalar::Integer(8)))
}

fn count(ty: &Type) -> usize {
    bits_of(ty) as usize / 8
}

impl Callees {
    /// Those of some intrinsics that look up bytes in a table, whose sixteen bytes are repeated over an operand, and all that
    /// have two numbers of the result's width.
    pub fn new(all: impl IntoIterator<Item = Callee>, intrinsics: &dyn Intrinsics) -> Self {
        let mut own = Self::default();
        for callee in all {
            let Callee { arguments: [first, second], result, .. } = &callee;
            if matches!(result, Type::Scalar(_))
                && first == result
                && second == result
                && bits_of(result) >= 32
            {
                own.scalars.push(callee);
            } else if [first, second, result].into_iter().all(is_bytes) {
                let table = [0, 1].into_iter().find(|table| looks_up(&callee, *table, intrinsics));
                own.lookups.extend(table.map(|table| Lookup { callee, table }));
            }
        }
        own
    }
}

/// Whether an intrinsic gives the bytes of one operand by the numbers below 16 in the other one.
fn looks_up(callee: &Callee, table: usize, intrinsics: &dyn Intrinsics) -> bool {
    let (wide, index) = (count(&callee.arguments[table]), count(&callee.arguments[1 - table]));
    if wide % ENTRIES != 0 || index != count(&callee.result) {
        return false;
    }
    let mut random = Random::new(5);
    (0..PROBES).all(|_| {
        let entries: Vec<u64> = (0..ENTRIES).map(|_| random.below(256)).collect();
        let indices: Vec<u64> = (0..index).map(|_| random.below(ENTRIES as u64)).collect();
        let whole = entries.repeat(wide / ENTRIES);
        let given = if table == 0 { [&whole[..], &indices[..]] } else { [&indices[..], &whole[..]] };
        let wanted: Vec<u64> = indices.iter().map(|at| entries[*at as usize]).collect();
        callee.value(given, intrinsics) == Some(wanted)
    })
}

/// What may stand for a slice with a call of one of some intrinsics and constants that are solved for. The intrinsics are asked
/// for once there are constants.
pub fn with_constants<'c>(
    slice: &Slice,
    callees: &dyn Fn() -> &'c Callees,
    intrinsics: &dyn Intrinsics,
) -> Result<Vec<Body>, Stop> {
    if slice.size() < LEAST {
        return Ok(Vec::new());
    }
    let mut bodies = match &slice.body.result {
        Type::Vector(..) => looked_up(slice, callees, intrinsics)?,
        _ => moved(slice, callees, intrinsics)?,
    };
    bodies.retain(|body| !slice.reads_absent(body));
    bodies.truncate(MOST);
    Ok(bodies)
}

/// A value of a slice, its bytes in all runs.
struct Bytes {
    operand: Operand,
    data: Vec<u8>,
}

/// A byte for each byte, as far as it was seen.
type Function = [Option<u8>; 256];

fn looked_up<'c>(
    slice: &Slice,
    callees: &dyn Fn() -> &'c Callees,
    intrinsics: &dyn Intrinsics,
) -> Result<Vec<Body>, Stop> {
    let result = &slice.body.result;
    let own = widths(result)?;
    if !REGISTERS.contains(&own.iter().sum::<u32>()) {
        return Ok(Vec::new());
    }
    let given = arguments(&slice.body, RUNS, 6)?;
    let runs = runs(&slice.body, &given, intrinsics)?;
    let bytes = vec![8; count(result)];
    let wanted: Vec<Option<u64>> = runs.iter().flat_map(|run| view(&run.result, &own, &bytes)).collect();
    let mut bodies = Vec::new();
    for known in values(slice, &runs, bytes.len()) {
        let Some(function) = function(&known.data, &wanted) else { continue };
        let tables = decomposed(&function);
        if tables.is_empty() {
            continue;
        }
        let fits = |own: &&Lookup| bits_of(&own.callee.result) == bits_of(result);
        let Some(lookup) = callees().lookups.iter().find(fits) else { break };
        for tables in tables {
            let mut builder = Builder::new(&slice.body, true);
            let value = tables.emit(&mut builder, lookup, known.operand.clone());
            bodies.extend(builder.finish(value).filter(|body| *body != slice.body));
        }
    }
    Ok(bodies)
}

/// The values of a slice that have so many bytes, but for its result.
fn values(slice: &Slice, runs: &[Run], bytes: usize) -> Vec<Bytes> {
    let parameters = slice.body.parameters.iter().zip(&slice.inputs);
    let inputs = parameters
        .filter(|(_, input)| matches!(input, Input::Value(_, true)))
        .map(|(own, _)| (&own.name, &own.ty));
    let instructions = slice.body.blocks.iter().flat_map(|block| &block.instructions);
    let made = instructions.filter_map(|own| Some((own.result.as_ref()?, &own.ty)));
    let mut all: Vec<Bytes> = Vec::new();
    for (name, ty) in inputs.chain(made) {
        let Ok(own) = widths(ty) else { continue };
        if count(ty) != bytes || own.iter().sum::<u32>() as usize != 8 * bytes {
            continue;
        }
        let lanes =
            |run: &Run| view(run.values.get(name).map_or(&[][..], Vec::as_slice), &own, &vec![8; bytes]);
        let data: Vec<u8> = runs.iter().flat_map(lanes).map(|lane| lane.unwrap_or(0) as u8).collect();
        all.push(Bytes { operand: local(ty.clone(), name.clone()), data });
    }
    // The last one is the result, or it in other elements.
    all.pop();
    all
}

/// The function of one byte that gives each byte that is wanted from the same byte of a value; `None` where there is none, or
/// it is the same for all bytes or each byte itself.
fn function(from: &[u8], wanted: &[Option<u64>]) -> Option<Function> {
    let mut function = [None; 256];
    for (own, byte) in from.iter().zip(wanted) {
        let Some(byte) = byte.map(|byte| byte as u8) else { continue };
        if *function[usize::from(*own)].get_or_insert(byte) != byte {
            return None;
        }
    }
    let mut seen = (0..=255u8).zip(function).filter_map(|(at, byte)| Some((at, byte?)));
    let first = seen.clone().next()?.1;
    let is_plain = seen.clone().all(|(_, byte)| byte == first) || seen.all(|(at, byte)| at == byte);
    (!is_plain).then_some(function)
}

type Table = [u64; ENTRIES];

/// Which half of a byte says the entry of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Half {
    /// The byte as it is, which is below 16.
    All,
    Low,
    High,
}

/// Tables by whose entries a function of a byte is computed: one, or two that an operator joins.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Tables {
    One(Half, Table),
    /// By the high and the low half.
    Two(&'static str, Table, Table),
}

/// The ways in which a function is one or two look-ups.
fn decomposed(function: &Function) -> Vec<Tables> {
    let seen = |own: &Half| {
        let mut table = [None; ENTRIES];
        for (at, byte) in function.iter().enumerate().filter_map(|(at, byte)| Some((at, (*byte)?))) {
            let entry = match own {
                Half::All if at >= ENTRIES => return None,
                Half::All | Half::Low => at % ENTRIES,
                Half::High => at / ENTRIES,
            };
            if *table[entry].get_or_insert(byte) != byte {
                return None;
            }
        }
        Some(Tables::One(*own, table.map(|byte| u64::from(byte.unwrap_or(0)))))
    };
    if let Some(one) = [Half::All, Half::Low, Half::High].iter().find_map(seen) {
        return vec![one];
    }
    type Join = fn(u8, u8) -> u8;
    let groups: [(&'static str, Join, Join); 2] =
        [("add", u8::wrapping_add, u8::wrapping_sub), ("xor", |a, b| a ^ b, |a, b| a ^ b)];
    let joined = groups.iter().filter_map(|(name, join, without)| joined(function, name, *join, *without));
    joined.chain(either(function)).collect()
}

/// Whether entries of two tables, joined, are what was seen of a function.
fn fits(function: &Function, high: &Table, low: &Table, join: impl Fn(u8, u8) -> u8) -> bool {
    let value = |at: usize| join(high[at / ENTRIES] as u8, low[at % ENTRIES] as u8);
    function.iter().enumerate().all(|(at, byte)| byte.is_none_or(|byte| byte == value(at)))
}

/// Two tables whose entries are joined by an operator that can be undone: one entry is 0, and each other one follows.
fn joined(
    function: &Function,
    name: &'static str,
    join: fn(u8, u8) -> u8,
    without: fn(u8, u8) -> u8,
) -> Option<Tables> {
    let (mut high, mut low) = ([None::<u8>; ENTRIES], [None::<u8>; ENTRIES]);
    let first = function.iter().position(Option::is_some)? / ENTRIES;
    high[first] = Some(0);
    for _ in 0..2 * ENTRIES {
        for (at, byte) in function.iter().enumerate() {
            let Some(byte) = *byte else { continue };
            match (high[at / ENTRIES], low[at % ENTRIES]) {
                (Some(own), None) => low[at % ENTRIES] = Some(without(byte, own)),
                (None, Some(own)) => high[at / ENTRIES] = Some(without(byte, own)),
                _ => {}
            }
        }
    }
    let [high, low] = [high, low].map(|own| own.map(|byte| u64::from(byte.unwrap_or(0))));
    fits(function, &high, &low, join).then_some(Tables::Two(name, high, low))
}

/// Two tables whose entries are joined by `or`: each has the bits that all bytes of its half have.
fn either(function: &Function) -> Option<Tables> {
    let common = |of: fn(usize) -> usize| {
        let mut table = [0xff; ENTRIES];
        let seen = function.iter().enumerate().filter_map(|(at, byte)| Some((at, (*byte)?)));
        seen.for_each(|(at, byte)| table[of(at)] &= u64::from(byte));
        table
    };
    let (high, low) = (common(|at| at / ENTRIES), common(|at| at % ENTRIES));
    fits(function, &high, &low, |a, b| a | b).then_some(Tables::Two("or", high, low))
}

impl Tables {
    /// Instructions for it of a value's bytes.
    fn emit(&self, builder: &mut Builder, lookup: &Lookup, of: Operand) -> Operand {
        let bytes = vector(count(&lookup.callee.result) as u32, 8);
        let lanes = count(&bytes);
        let of = builder.bitcast(of, &bytes);
        let splat = |value: u64| constant(&bytes, &vec![value; lanes]);
        let binary = |builder: &mut Builder, name, left, right| {
            builder.push(bytes.clone(), Action::Binary(name, Flags::default(), left, right))
        };
        let entry = |builder: &mut Builder, half: Half, table: &Table| {
            let index = match half {
                Half::All => of.clone(),
                Half::Low => binary(builder, "and", of.clone(), splat(15)),
                Half::High => binary(builder, "lshr", of.clone(), splat(4)),
            };
            let ty = &lookup.callee.arguments[lookup.table];
            let table = constant(ty, &table.repeat(count(ty) / ENTRIES));
            let given = if lookup.table == 0 { [table, index] } else { [index, table] };
            lookup.callee.call(builder, given)
        };
        match self {
            Self::One(half, table) => entry(builder, *half, table),
            Self::Two(name, high, low) => {
                let (high, low) = (entry(builder, Half::High, high), entry(builder, Half::Low, low));
                let [high, low] = [high, low].map(|own| builder.bitcast(own, &bytes));
                binary(builder, name, high, low)
            }
        }
    }
}

/// A number whose bits are those of another one elsewhere, or 0: with a mask of the bits that are read, or of those that are
/// made.
fn moved<'c>(
    slice: &Slice,
    callees: &dyn Fn() -> &'c Callees,
    intrinsics: &dyn Intrinsics,
) -> Result<Vec<Body>, Stop> {
    let ty = &slice.body.result;
    let [parameter] = &slice.body.parameters[..] else { return Ok(Vec::new()) };
    let is_number = matches!(ty, Type::Scalar(llvm_text::Scalar::Integer(32 | 64)));
    if !is_number || parameter.ty != *ty || !matches!(slice.inputs[..], [Input::Value(_, true)]) {
        return Ok(Vec::new());
    }
    let width = bits_of(ty);
    let value = |given: u64| run(&slice.body, &[vec![Some(given)] as Elements], intrinsics);
    let (mut reads, mut makes) = (0u64, 0u64);
    for bit in std::iter::once(0).chain((0..width).map(|at| 1u64 << at)) {
        let made = match value(bit) {
            Ok(run) => run.result[0],
            Err(Stop::Undefined) => None,
            Err(outside) => return Err(outside),
        };
        // One bit at most of each bit, and none of 0.
        let Some(made) = made.filter(|made| made.count_ones() <= bit.count_ones()) else {
            return Ok(Vec::new());
        };
        reads |= if made == 0 { 0 } else { bit };
        makes |= made;
    }
    if reads == 0 || reads == ones(width) && makes == reads {
        return Ok(Vec::new());
    }
    let given = arguments(&slice.body, PROBES, 7)?;
    let runs = runs(&slice.body, &given, intrinsics)?;
    let mut bodies = Vec::new();
    for callee in callees().scalars.iter().filter(|own| own.result == *ty) {
        for (mask, at) in [(reads, 1), (makes, 1), (reads, 0), (makes, 0)] {
            let agrees = |run: &Run| {
                let (Some(Some(own)), Some(Some(wanted))) =
                    (run.values[&parameter.name].first(), run.result.first())
                else {
                    return true;
                };
                let (own, mask) = ([*own], [mask]);
                let given = if at == 1 { [&own[..], &mask[..]] } else { [&mask[..], &own[..]] };
                callee.value(given, intrinsics).as_deref() == Some(&[*wanted][..])
            };
            if runs.iter().all(agrees) {
                let mut builder = Builder::new(&slice.body, false);
                let (own, mask) = (local(ty.clone(), parameter.name.clone()), constant(ty, &[mask]));
                let value = callee.call(&mut builder, if at == 1 { [own, mask] } else { [mask, own] });
                bodies.extend(builder.finish(value));
            }
        }
    }
    bodies.dedup();
    Ok(bodies)
}

/// The intrinsic of two operands that a function of one block is, but for types; `None` for any other function.
pub fn callee(body: &Body) -> Option<Callee> {
    let [block] = &body.blocks[..] else { return None };
    let mut found = None;
    for instruction in &block.instructions {
        match &instruction.action {
            Action::Cast("bitcast", ..) | Action::Return(_) => {}
            Action::Call { function, arguments, .. }
                if found.is_none() && !crate::run::is_generic(function) =>
            {
                let [(first, _), (second, _)] = &arguments[..] else { return None };
                if [first, second].into_iter().any(|own| matches!(own.value, Value::Constant(_))) {
                    return None;
                }
                let (name, result) = (function.clone(), instruction.ty.clone());
                found = Some(Callee { name, arguments: [first.ty.clone(), second.ty.clone()], result });
            }
            _ => return None,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(value: impl Fn(u8) -> u8) -> Function {
        let mut function = [None; 256];
        // What was not seen is open.
        (0..=255u8).filter(|at| at % 19 != 3).for_each(|at| function[usize::from(at)] = Some(value(at)));
        function
    }

    #[test]
    fn functions_of_a_byte_are_one_or_two_tables() {
        let names = |value: fn(u8) -> u8| {
            let found = decomposed(&of(value));
            let name = |own: &Tables| match own {
                Tables::One(half, _) => format!("{half:?}"),
                Tables::Two(name, ..) => (*name).to_owned(),
            };
            found.iter().map(name).collect::<Vec<_>>()
        };
        assert_eq!(names(|byte| b"0123456789abcdef"[usize::from(byte % 16)]), ["Low"]);
        assert_eq!(names(|byte| b"0123456789abcdef"[usize::from(byte / 16)]), ["High"]);
        assert_eq!(names(|byte| byte.count_ones() as u8), ["add"]);
        assert_eq!(names(u8::reverse_bits), ["add", "xor", "or"]);
        assert_eq!(names(|byte| (byte.count_ones() % 2) as u8), ["xor"]);
        assert!(names(|byte| byte.wrapping_mul(byte)).is_empty());
    }

    #[test]
    fn every_entry_that_was_seen_is_in_its_table() {
        let function = of(|byte| byte.count_ones() as u8);
        let [Tables::Two(_, high, low)] = &decomposed(&function)[..] else { panic!("a sum") };
        assert!((0..=255u8).all(|byte| {
            u64::from(byte.count_ones()) == high[usize::from(byte / 16)] + low[usize::from(byte % 16)]
        }));
    }
}
