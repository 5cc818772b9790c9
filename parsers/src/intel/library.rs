//! Functions and constants that the document uses without defining them.
//!
//! One table; a `#` in a name stands for a number of bits (`Saturate8`, `SignExtend32`). Everything is built from
//! operations of the exact graph, and the tables of AES and GF(2^8) from the arithmetic of the field.

use hydride_ir::exact::{Dag, Int, NodeId, Part};

use super::ast::BinaryOp;
use super::run::{Reading, Value};
use arithmetic::Predicate;

pub(super) mod arithmetic;
mod cipher;
mod field;
mod float;

/// Why a library function gives nothing.
#[derive(Debug)]
pub(super) enum CallError {
    /// The wrong number of arguments.
    Arguments,
    /// An argument has no width.
    Width,
    /// A divisor is always zero.
    DivisionByZero,
}

type Called = Result<Value, CallError>;

/// A function: name or family, how its arguments are read, what it computes from the number in its name.
type Entry = (&'static str, Reading, fn(&mut Dag, u32, &[Value]) -> Called);

const FUNCTIONS: &[Entry] = &[
    ("Saturate#", Reading::Natural, |dag, bits, args| {
        one(args).map(|x| sized(dag.saturate(x.node, bits, true), bits))
    }),
    ("SaturateU#", Reading::Natural, |dag, bits, args| {
        one(args).map(|x| sized(dag.saturate(x.node, bits, false), bits))
    }),
    ("SIGNED_DWORD_SATURATE", Reading::Natural, |dag, _, args| {
        one(args).map(|x| sized(dag.saturate(x.node, 32, true), 32))
    }),
    ("UNSIGNED_DWORD_SATURATE", Reading::Natural, |dag, _, args| {
        one(args).map(|x| sized(dag.saturate(x.node, 32, false), 32))
    }),
    ("SignExtend#", Reading::Signed, |dag, bits, args| {
        one(args).map(|x| sized(extended(dag, x, true), bits))
    }),
    ("ZeroExtend#", Reading::Unsigned, |dag, bits, args| {
        one(args).map(|x| sized(extended(dag, x, false), bits))
    }),
    ("Truncate#", Reading::Natural, |dag, bits, args| {
        one(args).map(|x| sized(dag.slice(x.node, 0, bits, false), bits))
    }),
    ("Int#", Reading::Signed, |dag, bits, args| {
        one(args).map(|x| sized(dag.slice(x.node, 0, bits, true), bits))
    }),
    ("UInt#", Reading::Unsigned, |dag, bits, args| {
        one(args).map(|x| sized(dag.slice(x.node, 0, bits, false), bits))
    }),
    ("Signed", Reading::Signed, |dag, _, args| one(args).map(|x| Value::exact(extended(dag, x, true)))),
    ("Int", Reading::Signed, |dag, _, args| one(args).map(|x| Value::exact(extended(dag, x, true)))),
    ("Unsigned", Reading::Unsigned, |dag, _, args| one(args).map(|x| Value::exact(extended(dag, x, false)))),
    ("TRUNCATE", Reading::Natural, |_, _, args| one(args).map(|x| Value::exact(x.node))),
    ("REMAINDER", Reading::Natural, |dag, _, args| match args {
        [left, right] => dag.rem(left.node, right.node).map(Value::exact).ok_or(CallError::DivisionByZero),
        _ => Err(CallError::Arguments),
    }),
    ("MIN", Reading::Natural, |dag, _, args| fold(args, |left, right| dag.min(left, right))),
    ("MAX", Reading::Natural, |dag, _, args| fold(args, |left, right| dag.max(left, right))),
    ("POPCNT", Reading::Unsigned, population),
    ("PopCount", Reading::Unsigned, population),
    ("CONCAT", Reading::Unsigned, concatenation),
    ("REPLICATE", Reading::Unsigned, replication),
    ("MOD2", Reading::Unsigned, field::remainder),
    ("inverse", Reading::Unsigned, |dag, _, args| sized_bits(dag, args, 8).map(|x| field::inverse(dag, x))),
    ("ShiftRows", Reading::Unsigned, |dag, _, args| cipher::state(dag, args, cipher::shift_rows)),
    ("InvShiftRows", Reading::Unsigned, |dag, _, args| cipher::state(dag, args, cipher::inverse_shift_rows)),
    ("SubBytes", Reading::Unsigned, |dag, _, args| cipher::state(dag, args, cipher::sub_bytes)),
    ("InvSubBytes", Reading::Unsigned, |dag, _, args| cipher::state(dag, args, cipher::inverse_sub_bytes)),
    ("MixColumns", Reading::Unsigned, |dag, _, args| cipher::state(dag, args, cipher::mix_columns)),
    ("InvMixColumns", Reading::Unsigned, |dag, _, args| {
        cipher::state(dag, args, cipher::inverse_mix_columns)
    }),
    ("SubWord", Reading::Unsigned, |dag, _, args| words(dag, args).and_then(|x| cipher::sub_word(dag, x))),
    ("RotWord", Reading::Unsigned, |dag, _, args| {
        words(dag, args).and_then(|x| cipher::rotated(dag, x, &[8], &[]))
    }),
    ("Ch", Reading::Unsigned, |dag, _, args| words(dag, args).and_then(|x| cipher::choice(dag, x))),
    ("Maj", Reading::Unsigned, |dag, _, args| words(dag, args).and_then(|x| cipher::majority(dag, x))),
    ("Parity", Reading::Unsigned, |dag, _, args| words(dag, args).and_then(|x| cipher::parity(dag, x))),
    ("sigma0", Reading::Unsigned, |dag, _, args| {
        words(dag, args).and_then(|x| cipher::rotated(dag, x, &[7, 18], &[3]))
    }),
    ("sigma1", Reading::Unsigned, |dag, _, args| {
        words(dag, args).and_then(|x| cipher::rotated(dag, x, &[17, 19], &[10]))
    }),
    ("sum0", Reading::Unsigned, |dag, _, args| {
        words(dag, args).and_then(|x| cipher::rotated(dag, x, &[2, 13, 22], &[]))
    }),
    ("sum1", Reading::Unsigned, |dag, _, args| {
        words(dag, args).and_then(|x| cipher::rotated(dag, x, &[6, 11, 25], &[]))
    }),
];

/// Functions whose arguments may be floating-point numbers, of which they take the bits.
const FLOAT_FUNCTIONS: &[Entry] = &[
    ("ABS", Reading::Natural, |dag, _, args| match one(args)? {
        x if x.float => float::absolute(dag, x),
        x => Ok(Value::exact(dag.abs(x.node))),
    }),
    ("CheckFPClass_FP#", Reading::Unsigned, float::is_of_class),
    ("Convert_BF16_To_FP32", Reading::Unsigned, float::widened),
];

/// Whether a library function may have floating-point arguments.
pub(super) fn takes_floats(name: &str) -> bool {
    find(name).is_some_and(|((known, ..), _)| FLOAT_FUNCTIONS.iter().any(|(own, ..)| own == known))
}

/// The value of `FP32(number)`; the same for the other formats.
pub(super) fn float_constant(dag: &mut Dag, name: &str, number: f64) -> Option<Value> {
    let width = name.strip_prefix("FP")?.parse().ok()?;
    Some(arithmetic::Format::of_width(width)?.constant(dag, number))
}

/// A function that a variable may hold: it is no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    /// The relation between the operands of `a OP b`.
    Relation(BinaryOp),
    /// A relation that always holds, or never.
    Constant(bool),
    /// A function of this library.
    Named(&'static str),
    /// A predicate on floating-point numbers.
    Predicate(Predicate),
}

/// Functions by what denotes them: the relations of `_MM_CMPINT_ENUM`, and the round functions of SHA-1 (FIPS 180-4,
/// section 4.1.1), which a text calls without arguments.
const FUNCTION_VALUES: &[(&str, Function)] = &[
    ("_MM_CMPINT_EQ", Function::Relation(BinaryOp::Eq)),
    ("_MM_CMPINT_LT", Function::Relation(BinaryOp::Lt)),
    ("_MM_CMPINT_LE", Function::Relation(BinaryOp::Le)),
    ("_MM_CMPINT_FALSE", Function::Constant(false)),
    ("_MM_CMPINT_NE", Function::Relation(BinaryOp::Ne)),
    ("_MM_CMPINT_NLT", Function::Relation(BinaryOp::Ge)),
    ("_MM_CMPINT_NLE", Function::Relation(BinaryOp::Gt)),
    ("_MM_CMPINT_TRUE", Function::Constant(true)),
    ("f0", Function::Named("Ch")),
    ("f1", Function::Named("Parity")),
    ("f2", Function::Named("Maj")),
    ("f3", Function::Named("Parity")),
];

/// The function that a name denotes.
pub(super) fn function_value(name: &str) -> Option<Function> {
    let known = FUNCTION_VALUES.iter().find(|(known, _)| *known == name).map(|(_, function)| *function);
    known.or_else(|| arithmetic::predicate(name).map(Function::Predicate))
}

/// Round constants of SHA-1 (FIPS 180-4, section 4.2.1).
const CONSTANTS: &[(&str, i64)] =
    &[("K0", 0x5A82_7999), ("K1", 0x6ED9_EBA1), ("K2", 0x8F1B_BCDC), ("K3", 0xCA62_C1D6)];

/// The value of a named constant.
pub(super) fn constant(name: &str) -> Option<i64> {
    CONSTANTS.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}

/// Names, or beginnings of names, that only floating-point texts use.
const FLOAT_NAMES: &[&str] = &[
    "Convert_",
    "ConvertExp",
    "Cast_FP",
    "FP16",
    "FP32",
    "FP64",
    "QNAN",
    "QNaN",
    "SNAN",
    "SNaN",
    "NaN",
    "INF",
    "IsInf",
    "IS_DENORMAL",
    "SQRT",
    "POW",
    "ROUND",
    "FLOOR",
    "CEIL",
    "GetNormalizedMantissa",
    "CheckFPClass",
    "PI",
    "MAX_FLOAT",
    "_CMP_",
];

/// Whether a name belongs to floating-point arithmetic.
pub(super) fn is_float_name(name: &str) -> bool {
    FLOAT_NAMES.iter().any(|known| name.starts_with(known))
}

/// The function of a name and the number in the name.
fn find(name: &str) -> Option<(&'static Entry, u32)> {
    let all = || FUNCTIONS.iter().chain(FLOAT_FUNCTIONS);
    if let Some(entry) = all().find(|(known, ..)| *known == name) {
        return Some((entry, 0));
    }
    let family = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let bits = name[family.len()..].parse().ok().filter(|bits| (1..=512).contains(bits))?;
    let entry = all().find(|(known, ..)| known.strip_suffix('#') == Some(family))?;
    Some((entry, bits))
}

/// How the arguments of a library function are read; `None` when there is no such function.
pub(super) fn reading(name: &str) -> Option<Reading> {
    find(name).map(|((_, reading, _), _)| *reading)
}

/// Calls a library function.
pub(super) fn call(dag: &mut Dag, name: &str, args: &[Value]) -> Called {
    let ((_, _, function), bits) = find(name).ok_or(CallError::Arguments)?;
    function(dag, bits, args)
}

fn one(args: &[Value]) -> Result<Value, CallError> {
    match args {
        [only] => Ok(*only),
        _ => Err(CallError::Arguments),
    }
}

fn sized(node: NodeId, width: u32) -> Value {
    Value::sized(node, width)
}

/// A value of known width read with a sign or without; any other number as it is.
fn extended(dag: &mut Dag, value: Value, signed: bool) -> NodeId {
    match value.width {
        Some(width) => dag.slice(value.node, 0, width, signed),
        None => value.node,
    }
}

fn fold(args: &[Value], mut op: impl FnMut(NodeId, NodeId) -> NodeId) -> Called {
    let (first, rest) = args.split_first().ok_or(CallError::Arguments)?;
    Ok(Value::exact(rest.iter().fold(first.node, |folded, value| op(folded, value.node))))
}

/// The low `width` bits of the one argument.
fn sized_bits(dag: &mut Dag, args: &[Value], width: u32) -> Result<NodeId, CallError> {
    one(args).map(|x| dag.slice(x.node, 0, width, false))
}

/// The low 32 bits of each argument.
fn words(dag: &mut Dag, args: &[Value]) -> Result<Vec<NodeId>, CallError> {
    Ok(args.iter().map(|value| dag.slice(value.node, 0, 32, false)).collect())
}

fn population(dag: &mut Dag, _: u32, args: &[Value]) -> Called {
    let value = one(args)?;
    if !dag.range(value.node).is_non_negative() {
        return Err(CallError::Width);
    }
    Ok(Value::exact(dag.popcount(value.node)))
}

/// `CONCAT(high, …, low)`.
fn concatenation(dag: &mut Dag, _: u32, args: &[Value]) -> Called {
    let mut parts = Vec::with_capacity(args.len());
    for value in args.iter().rev() {
        parts.push(Part { node: value.node, width: value.width.ok_or(CallError::Width)? });
    }
    let width = parts.iter().map(|part| part.width).sum();
    Ok(sized(dag.concat(&parts), width))
}

/// `REPLICATE(value, count)`.
fn replication(dag: &mut Dag, _: u32, args: &[Value]) -> Called {
    let [value, count] = args else { return Err(CallError::Arguments) };
    let width = value.width.ok_or(CallError::Width)?;
    let count = dag.as_int(count.node).and_then(|count| u32::try_from(count).ok()).ok_or(CallError::Width)?;
    let total =
        width.checked_mul(count).filter(|total| *total <= hydride_ir::MAX_WIDTH).ok_or(CallError::Width)?;
    let parts = vec![Part { node: value.node, width }; count as usize];
    Ok(sized(dag.concat(&parts), total))
}

/// A table of bytes, looked up by a computed byte.
fn lookup(dag: &mut Dag, table: &[u8; 256], index: NodeId) -> NodeId {
    let table = dag.int(Int::from(dashu_int::UBig::from_le_bytes(table)));
    let eight = dag.int(8);
    let low = dag.mul(index, eight);
    dag.slice_at(table, low, 8, false)
}
