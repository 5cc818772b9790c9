//! Arithmetic on floating-point numbers, as the instructions of Intel's Software Developer's Manual (volume 2) define
//! it in the default environment: MXCSR masks all exceptions, rounds to the nearest even number and flushes nothing.

use hydride_ir::exact::{Dag, Int, Node, NodeId, Part};
use hydride_ir::{Float, FloatOp, NanRule};

use super::{CallError, Called, one};
use crate::intel::ast::BinaryOp;
use crate::intel::run::Value;

/// A binary interchange format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::intel) struct Format {
    exponent: u32,
    width: u32,
}

impl Format {
    const BFLOAT16: Self = Self { exponent: 8, width: 16 };

    /// IEEE 754's format of that many bits.
    pub(in crate::intel) fn of_width(width: u32) -> Option<Self> {
        super::float::exponent_bits(width).map(|exponent| Self { exponent, width })
    }

    /// The format of a floating-point value.
    pub(in crate::intel) fn of(value: Value) -> Option<Self> {
        value.width.filter(|_| value.float).and_then(Self::of_width)
    }

    /// Two to the power of an integer that is the exponent of a normal number.
    fn power(self, dag: &mut Dag, integer: NodeId) -> NodeId {
        let bias = dag.int(self.bias());
        let biased = dag.sum(&[integer, bias]);
        let unit = dag.int(Int::ONE << self.fraction() as usize);
        dag.mul(biased, unit)
    }

    /// A power of two, or of an infinite exponent that has the format `of`: infinity or zero.
    fn or_infinite(self, dag: &mut Dag, power: NodeId, of: Self, exponent: NodeId) -> NodeId {
        let [infinity, negative_infinity] = [false, true].map(|negative| of.infinity(dag, negative));
        let [is_infinity, is_negative] = [infinity, negative_infinity].map(|kind| dag.eq(exponent, kind));
        let (zero, greatest) = (dag.int(0), self.infinity(dag, false));
        let power = dag.select(is_negative, zero, power);
        dag.select(is_infinity, greatest, power)
    }

    fn fraction(self) -> u32 {
        self.width - 1 - self.exponent
    }

    fn bias(self) -> i64 {
        (1 << (self.exponent - 1)) - 1
    }

    fn value(self, node: NodeId) -> Value {
        let element = crate::Element { width: self.width, signed: true, float: true };
        Value { node, width: Some(self.width), float: true, element: Some(element) }
    }

    /// The bits of a value.
    fn bits(self, dag: &mut Dag, value: Value) -> NodeId {
        dag.slice(value.node, 0, self.width, false)
    }

    /// An operator. Of several NaNs the first counts, but compilers exchange the operands of what commutes.
    fn apply(self, dag: &mut Dag, op: FloatOp, operands: &[NodeId]) -> NodeId {
        let nans = operands[..op.arity()].iter().filter(|operand| self.can_be_nan(dag, **operand)).count();
        let nan = if op.commutes() && nans > 1 { NanRule::Open } else { NanRule::First };
        let value = if op.compares() { 1 } else { self.width };
        dag.float(Float { op, nan, exponent: self.exponent, target: 0 }, self.width, value, operands)
    }

    /// Whether the range of a pattern does not exclude NaNs.
    fn can_be_nan(self, dag: &mut Dag, bits: NodeId) -> bool {
        let infinity = self.infinity(dag, false);
        let least = dag.as_int(infinity).cloned();
        dag.range(bits).high.as_ref().is_none_or(|high| Some(high) > least.as_ref())
    }

    fn is_nan(self, dag: &mut Dag, bits: NodeId) -> NodeId {
        self.apply(dag, FloatOp::Unordered, &[bits, bits])
    }

    fn infinity(self, dag: &mut Dag, negative: bool) -> NodeId {
        let exponent: Int = ((Int::ONE << self.exponent as usize) - Int::ONE) << self.fraction() as usize;
        let sign = if negative { Int::ONE << (self.width - 1) as usize } else { Int::ZERO };
        dag.int(exponent + sign)
    }

    /// The nearest number to a literal.
    pub(in crate::intel) fn constant(self, dag: &mut Dag, number: f64) -> Value {
        let bits = dag.int(number.to_bits());
        let nearest = dag.int(0);
        let float = Float { op: FloatOp::Convert, nan: NanRule::First, exponent: 11, target: self.exponent };
        let node = dag.float(float, 64, self.width, &[bits, nearest]);
        self.value(node)
    }

    /// An integer as a number of the format.
    fn integer_as_number(self, dag: &mut Dag, integer: NodeId, rounding: NodeId) -> Value {
        let float = Float { op: FloatOp::FromInt, nan: NanRule::First, exponent: self.exponent, target: 0 };
        let node = dag.float(float, self.width, self.width, &[integer, rounding]);
        self.value(node)
    }
}

/// The common format of two operands; a literal integer has the other's.
fn common(dag: &mut Dag, left: Value, right: Value) -> Option<(Format, NodeId, NodeId)> {
    let format = Format::of(left).or(Format::of(right))?;
    let mut bits = |value: Value| {
        if Format::of(value) == Some(format) {
            return Some(format.bits(dag, value));
        }
        let literal = value.width.is_none() && !value.float && dag.as_int(value.node).is_some();
        let nearest = dag.int(0);
        literal.then(|| format.integer_as_number(dag, value.node, nearest).node)
    };
    Some((format, bits(left)?, bits(right)?))
}

/// An operator on two numbers; `None` where it is none on floating-point numbers or the formats differ.
pub(in crate::intel) fn binary(
    dag: &mut Dag,
    op: BinaryOp,
    left: Value,
    right: Value,
    rounding: NodeId,
) -> Option<Value> {
    let (format, left, right) = common(dag, left, right)?;
    let rounded = match op {
        BinaryOp::Add => FloatOp::Add,
        BinaryOp::Sub => FloatOp::Sub,
        BinaryOp::Mul => FloatOp::Mul,
        BinaryOp::Div => FloatOp::Div,
        _ => {
            let node = relation(dag, op, format, left, right)?;
            return Some(Value::sized(node, 1));
        }
    };
    let node = format.apply(dag, rounded, &[left, right, rounding]);
    Some(format.value(node))
}

/// A quotient of which the document only bounds the relative error: of RCP14PS or RSQRT14PS, a reciprocal of a number or of
/// a square root. `None` for others.
pub(in crate::intel) fn approximate_quotient(
    dag: &mut Dag,
    left: Value,
    right: Value,
    error: u32,
) -> Option<Value> {
    let (format, left, right) = common(dag, left, right)?;
    if format.constant(dag, 1.0).node != left {
        return None;
    }
    let (op, of) = match dag.node(right) {
        Node::Float { float, operands, .. } if float.op == FloatOp::Sqrt => {
            (FloatOp::ReciprocalSqrt, operands[0])
        }
        _ => (FloatOp::Reciprocal, right),
    };
    let float = Float { op, nan: NanRule::First, exponent: format.exponent, target: error };
    Some(format.value(dag.float(float, format.width, format.width, &[of])))
}

/// Whether a node is the result of a floating-point operator, or may be.
pub(in crate::intel) fn is_number(dag: &Dag, node: NodeId) -> bool {
    match dag.node(node) {
        Node::Float { float, .. } => float.op.gives_nans() || float.op == FloatOp::FromInt,
        Node::Select(_, then, otherwise) => [*then, *otherwise]
            .iter()
            .any(|node| matches!(dag.node(*node), Node::Float { float, .. } if float.op.gives_nans())),
        _ => false,
    }
}

/// A relation; all but `!=` are false where an operand is a NaN.
fn relation(dag: &mut Dag, op: BinaryOp, format: Format, left: NodeId, right: NodeId) -> Option<NodeId> {
    Some(match op {
        BinaryOp::Eq => format.apply(dag, FloatOp::Eq, &[left, right]),
        BinaryOp::Ne => {
            let equal = format.apply(dag, FloatOp::Eq, &[left, right]);
            dag.complement(equal)
        }
        BinaryOp::Lt => format.apply(dag, FloatOp::Lt, &[left, right]),
        BinaryOp::Le => format.apply(dag, FloatOp::Le, &[left, right]),
        BinaryOp::Gt => format.apply(dag, FloatOp::Lt, &[right, left]),
        BinaryOp::Ge => format.apply(dag, FloatOp::Le, &[right, left]),
        _ => return None,
    })
}

/// A predicate of CMPPS: the relation, whether it also holds for NaNs, and whether it is negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::intel) enum Predicate {
    /// The relation as it is for numbers, and this value where an operand is a NaN.
    Relation(BinaryOp, bool),
    /// Whether an operand is a NaN.
    Unordered,
    /// Whether none is.
    Ordered,
    /// Always, or never.
    Constant(bool),
}

/// The predicate that a name such as `_CMP_NGE_US` denotes (table 3-1 at CMPPD). The last letter only says which NaNs
/// raise an exception.
pub(in crate::intel) fn predicate(name: &str) -> Option<Predicate> {
    use BinaryOp as Op;
    let (relation, kind) = name.strip_prefix("_CMP_")?.split_once('_')?;
    let unordered = match kind {
        "OQ" | "OS" => false,
        "UQ" | "US" => true,
        "Q" | "S" => {
            return match relation {
                "UNORD" => Some(Predicate::Unordered),
                "ORD" => Some(Predicate::Ordered),
                _ => None,
            };
        }
        _ => return None,
    };
    let op = match relation {
        "EQ" => Op::Eq,
        "LT" | "NGE" => Op::Lt,
        "LE" | "NGT" => Op::Le,
        "NEQ" => Op::Ne,
        "GE" | "NLT" => Op::Ge,
        "GT" | "NLE" => Op::Gt,
        "FALSE" => return Some(Predicate::Constant(false)),
        "TRUE" => return Some(Predicate::Constant(true)),
        _ => return None,
    };
    Some(Predicate::Relation(op, unordered))
}

/// `left OP right` where `OP` is a predicate; `None` where the operands have no common format.
pub(in crate::intel) fn compare(
    dag: &mut Dag,
    predicate: Predicate,
    left: Value,
    right: Value,
) -> Option<NodeId> {
    let (format, left, right) = common(dag, left, right)?;
    let unordered = format.apply(dag, FloatOp::Unordered, &[left, right]);
    Some(match predicate {
        Predicate::Constant(value) => dag.int(u8::from(value)),
        Predicate::Unordered => unordered,
        Predicate::Ordered => dag.complement(unordered),
        Predicate::Relation(BinaryOp::Ne, true) => relation(dag, BinaryOp::Ne, format, left, right)?,
        Predicate::Relation(BinaryOp::Ne, false) => {
            let holds = relation(dag, BinaryOp::Ne, format, left, right)?;
            let ordered = dag.complement(unordered);
            dag.and(ordered, holds)
        }
        Predicate::Relation(op, true) => {
            let holds = relation(dag, op, format, left, right)?;
            dag.or(unordered, holds)
        }
        Predicate::Relation(op, false) => relation(dag, op, format, left, right)?,
    })
}

/// `x == NAME` for a name of a kind of numbers; `None` for other names.
pub(in crate::intel) fn is_kind(dag: &mut Dag, x: Value, name: &str) -> Option<NodeId> {
    let format = Format::of(x)?;
    let bits = format.bits(dag, x);
    match name {
        "NaN" => Some(format.is_nan(dag, bits)),
        "SNaN" => {
            let nan = format.is_nan(dag, bits);
            let quiet = dag.slice(bits, format.fraction() - 1, 1, false);
            let signaling = dag.complement(quiet);
            Some(dag.and(nan, signaling))
        }
        "INF" => {
            let infinity = format.infinity(dag, false);
            Some(dag.eq(bits, infinity))
        }
        _ => None,
    }
}

/// The number with the other sign, that of a NaN too.
pub(in crate::intel) fn negated(dag: &mut Dag, x: Value) -> Option<Value> {
    let format = Format::of(x)?;
    let bits = format.bits(dag, x);
    let sign = dag.int(Int::ONE << (format.width - 1) as usize);
    let node = dag.xor(bits, sign);
    Some(format.value(node))
}

/// `left·right + addend`, rounded once, as the instructions VFMADD132PS and so on do. Which of their three forms a
/// compiler takes decides which of several NaNs counts.
pub(in crate::intel) fn fused(
    dag: &mut Dag,
    left: Value,
    right: Value,
    addend: Value,
    rounding: NodeId,
) -> Option<Value> {
    let format = Format::of(addend)?;
    let mut bits = |value: Value| (Format::of(value) == Some(format)).then(|| format.bits(dag, value));
    let operands = [bits(left)?, bits(right)?, bits(addend)?, rounding];
    let node = format.apply(dag, FloatOp::MulAdd, &operands);
    Some(format.value(node))
}

/// Two to the power of an integer, or of its negation: of a floating-point number that was converted from one, or
/// with the width of a format. `None` if the power may be too large or too small for the format.
pub(in crate::intel) fn power_of_two(
    dag: &mut Dag,
    exponent: Value,
    negative: bool,
    width: Option<u32>,
) -> Option<Value> {
    let format = Format::of(exponent).or(width.and_then(Format::of_width))?;
    let integer = match Format::of(exponent) {
        Some(own) => {
            let bits = own.bits(dag, exponent);
            match dag.node(bits) {
                Node::Float { float, operands, .. } if float.op == FloatOp::FromInt => operands[0],
                _ => return None,
            }
        }
        None => exponent.node,
    };
    let integer = if negative { dag.neg(integer) } else { integer };
    let range = dag.range(integer).clone();
    let bias = format.bias();
    let least = 1 - bias - i64::from(format.fraction());
    if range.low? < least.into() || range.high? > bias.into() {
        return None;
    }
    let [subnormal, first, one] = [-least, 1 - bias, 1].map(|number| dag.int(number));
    let normal = format.power(dag, integer);
    // A subnormal power is below two to the power of `first`: with the bound its range has no NaN.
    let position = dag.sum(&[integer, subnormal]);
    let [least, most] = [0, i64::from(format.fraction()) - 1].map(|number| dag.int(number));
    let position = dag.max(position, least);
    let position = dag.min(position, most);
    let small = dag.shl(one, position);
    let is_normal = dag.le(first, integer);
    let node = dag.select(is_normal, normal, small);
    Some(format.value(node))
}

/// `x` times two to the power of the greatest integer that is not above `exponent`, rounded once: `x * POW(2.0, FLOOR(y))`
/// in VSCALEFPS. The power of an infinity is an infinity, or zero. `None` where `exponent` is not of `x`'s format.
pub(in crate::intel) fn scaled(dag: &mut Dag, x: Value, exponent: Value, rounding: NodeId) -> Option<Value> {
    /// More bits than any power that matters has.
    const POWER_BITS: u32 = 16;
    let format = Format::of(x).filter(|format| Format::of(exponent) == Some(*format))?;
    let own = format.bits(dag, exponent);
    let down = dag.int(1);
    let float = Float { op: FloatOp::ToInt, nan: NanRule::First, exponent: format.exponent, target: 1 };
    let integer = dag.float(float, format.width, POWER_BITS, &[own, down]);
    // From the least subnormal number to the greatest one, and one digit more on each side.
    let most = 2 * (format.bias() + i64::from(format.fraction())) + 8;
    let integer = clamped(dag, integer, -most, most);
    let bits = format.bits(dag, x);
    Some(match format.width {
        16 | 32 => {
            // The product is exact in a format that is wider.
            let wide = Format { exponent: 11, width: 64 };
            let power = wide.power(dag, integer);
            let power = wide.or_infinite(dag, power, format, own);
            let nearest = dag.int(0);
            let x = converted(dag, x, format, wide, nearest);
            let node = wide.apply(dag, FloatOp::Mul, &[x.node, power, nearest]);
            let product = Value { node, width: Some(wide.width), float: true, element: None };
            converted(dag, product, wide, format, rounding)
        }
        _ => {
            // The powers are too many for one factor. Two factors leave a normal number, or one so small that what was
            // rounded does not matter to the last product; that alone can round to a subnormal number.
            let least = 1 - format.bias();
            let steps = [least + i64::from(format.fraction()) + 1, format.bias()];
            let [first, last] = [least, format.bias()].map(|bound| dag.int(bound));
            let [small, great] = steps.map(|step| dag.int(step));
            let (mut product, mut left, none) = (bits, integer, dag.int(0));
            for _ in 0..2 {
                let [below, above] = [dag.lt(left, first), dag.lt(last, left)];
                let step = dag.select(above, great, none);
                let step = dag.select(below, small, step);
                let power = format.power(dag, step);
                product = format.apply(dag, FloatOp::Mul, &[product, power, rounding]);
                left = dag.sub(left, step);
            }
            let left = clamped(dag, left, least, format.bias());
            let power = format.power(dag, left);
            let power = format.or_infinite(dag, power, format, own);
            let node = format.apply(dag, FloatOp::Mul, &[product, power, rounding]);
            format.value(node)
        }
    })
}

fn clamped(dag: &mut Dag, integer: NodeId, low: i64, high: i64) -> NodeId {
    let [low, high] = [low, high].map(|bound| dag.int(bound));
    let integer = dag.max(integer, low);
    dag.min(integer, high)
}

/// The rounding mode that an operand of an instruction states: bit 2 is the mode of MXCSR, which is to the nearest even
/// number, else the low two bits are the mode (table 4-20 at ROUNDPD). Bit 3 suppresses exceptions.
pub(in crate::intel) fn rounding(dag: &mut Dag, control: NodeId) -> NodeId {
    let current = dag.slice(control, 2, 1, false);
    let own = dag.slice(control, 0, 2, false);
    let nearest = dag.int(0);
    dag.select(current, nearest, own)
}

/// A function on floating-point numbers: what it computes with the entry's rounding mode and the number in its name.
type Entry = (&'static str, fn(&mut Dag, NodeId, u32, &[Value]) -> Called);

/// Functions by name; a `#` stands for a number of bits.
const FUNCTIONS: &[Entry] = &[
    // SQRTPS.
    ("SQRT", |dag, rounding, _, args| {
        let x = one(args)?;
        let format = Format::of(x).ok_or(CallError::Width)?;
        let bits = format.bits(dag, x);
        let node = format.apply(dag, FloatOp::Sqrt, &[bits, rounding]);
        Ok(format.value(node))
    }),
    // MINPS and MAXPS: the second operand where one is a NaN, and of two zeros.
    ("MIN", |dag, _, _, args| extreme(dag, BinaryOp::Lt, args)),
    ("MAX", |dag, _, _, args| extreme(dag, BinaryOp::Gt, args)),
    // ROUNDPS.
    ("ROUND", |dag, _, _, args| {
        let [x, control] = args else { return Err(CallError::Arguments) };
        let mode = rounding(dag, control.node);
        integral(dag, *x, mode)
    }),
    ("FLOOR", |dag, _, _, args| directed(dag, args, 1)),
    ("CEIL", |dag, _, _, args| directed(dag, args, 2)),
    ("IsInf", |dag, _, _, args| {
        let x = one(args)?;
        let format = Format::of(x).ok_or(CallError::Width)?;
        let magnitude = dag.slice(x.node, 0, format.width - 1, false);
        let infinity = format.infinity(dag, false);
        Ok(Value::sized(dag.eq(magnitude, infinity), 1))
    }),
    // VSCALEFPS and VRANGEPS: the NaN made quiet.
    ("QNAN", |dag, _, _, args| {
        let parts = Parts::of(dag, one(args)?)?;
        let node = parts.quiet(dag);
        Ok(parts.format.value(node))
    }),
    // The difference, rounded as a control says: VREDUCEPS as the errata have it.
    ("SUB", |dag, _, _, args| {
        let [left, right, control] = args else { return Err(CallError::Arguments) };
        let mode = rounding(dag, control.node);
        binary(dag, BinaryOp::Sub, *left, *right, mode).ok_or(CallError::Width)
    }),
    ("ConvertExpFP#", |dag, _, _, args| exponent(dag, one(args)?)),
    ("GetNormalizedMantissa", |dag, _, _, args| match args {
        [x, sign, interval] => mantissa(dag, *x, sign.node, interval.node),
        _ => Err(CallError::Arguments),
    }),
    ("GetNormalizedMantissaFP#", |dag, _, _, args| match args {
        [x, interval, sign] => mantissa(dag, *x, sign.node, interval.node),
        _ => Err(CallError::Arguments),
    }),
    ("FP#", |dag, rounding, width, args| number(dag, rounding, width, args)),
    ("Cast_FP#", |dag, _, width, args| {
        let format = Format::of_width(width).ok_or(CallError::Width)?;
        let bits = one(args)?;
        let node = format.bits(dag, bits);
        Ok(format.value(node))
    }),
];

/// The function of a name and the number in the name.
fn find(name: &str) -> Option<(&'static Entry, u32)> {
    if let Some(entry) = FUNCTIONS.iter().find(|(known, _)| *known == name) {
        return Some((entry, 0));
    }
    let family = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let bits = name[family.len()..].parse().ok()?;
    let entry = FUNCTIONS.iter().find(|(known, _)| known.strip_suffix('#') == Some(family))?;
    Some((entry, bits))
}

/// Whether there is a function on floating-point numbers of that name.
pub(in crate::intel) fn is_known(name: &str) -> bool {
    find(name).is_some() || Conversion::named(name).is_some()
}

/// Calls a function on floating-point numbers.
pub(in crate::intel) fn call(dag: &mut Dag, name: &str, rounding: NodeId, args: &[Value]) -> Called {
    if let Some(conversion) = Conversion::named(name) {
        return conversion.call(dag, one(args)?, rounding);
    }
    let ((_, function), bits) = find(name).ok_or(CallError::Arguments)?;
    function(dag, rounding, bits, args)
}

/// A number taken apart.
struct Parts {
    format: Format,
    bits: NodeId,
    negative: NodeId,
    fraction: NodeId,
    /// Zero bits above the highest one bit of the fraction.
    zeros: NodeId,
    /// The exponent of a normal number with its bias, or of a subnormal one that is made normal.
    biased: NodeId,
    nan: NodeId,
    infinite: NodeId,
    zero: NodeId,
    subnormal: NodeId,
}

impl Parts {
    fn of(dag: &mut Dag, x: Value) -> Result<Self, CallError> {
        let format = Format::of(x).ok_or(CallError::Width)?;
        let bits = format.bits(dag, x);
        let negative = dag.slice(bits, format.width - 1, 1, false);
        let magnitude = dag.slice(bits, 0, format.width - 1, false);
        let exponent = dag.slice(bits, format.fraction(), format.exponent, false);
        let fraction = dag.slice(bits, 0, format.fraction(), false);
        let [none, greatest] = [0, (1 << format.exponent) - 1].map(|number| dag.int(number));
        let infinity = format.infinity(dag, false);
        let infinite = dag.eq(magnitude, infinity);
        let is_greatest = dag.eq(exponent, greatest);
        let finite = dag.complement(infinite);
        let nan = dag.and(is_greatest, finite);
        let zero = dag.eq(magnitude, none);
        let is_not_zero = dag.complement(zero);
        let least = dag.eq(exponent, none);
        let subnormal = dag.and(least, is_not_zero);
        let zeros = dag.leading_zeros(fraction, format.fraction());
        let normalized = dag.neg(zeros);
        let biased = dag.select(subnormal, normalized, exponent);
        Ok(Self { format, bits, negative, fraction, zeros, biased, nan, infinite, zero, subnormal })
    }

    /// The quiet NaN of a NaN.
    fn quiet(&self, dag: &mut Dag) -> NodeId {
        let quiet = dag.int(Int::ONE << (self.format.fraction() - 1) as usize);
        dag.or(self.bits, quiet)
    }
}

/// VGETEXPPS: the exponent of the number as a number, that of zero being negative infinity.
fn exponent(dag: &mut Dag, x: Value) -> Called {
    let parts = Parts::of(dag, x)?;
    let format = parts.format;
    let [bias, nearest] = [-format.bias(), 0].map(|number| dag.int(number));
    let unbiased = dag.sum(&[parts.biased, bias]);
    let of_number = format.integer_as_number(dag, unbiased, nearest).node;
    let [infinity, negative_infinity] = [false, true].map(|negative| format.infinity(dag, negative));
    let quiet = parts.quiet(dag);
    let node = dag.select(parts.zero, negative_infinity, of_number);
    let node = dag.select(parts.infinite, infinity, node);
    let node = dag.select(parts.nan, quiet, node);
    Ok(format.value(node))
}

/// VGETMANTPS: the significand in an interval, which is [1, 2), [1/2, 2), [1/2, 1) or [3/4, 3/2). Bit 0 of the sign control
/// makes it positive; bit 1 makes it a NaN for negative numbers.
fn mantissa(dag: &mut Dag, x: Value, sign_control: NodeId, interval: NodeId) -> Called {
    let parts = Parts::of(dag, x)?;
    let format = parts.format;
    let zero = dag.int(0);
    let one = dag.int(1);
    let positive = dag.slice(sign_control, 0, 1, false);
    let refused = dag.slice(sign_control, 1, 1, false);
    let sign = dag.select(positive, zero, parts.negative);
    // The highest one bit of a subnormal number's fraction becomes the one before the fraction.
    let shift = dag.sum(&[parts.zeros, one]);
    let shifted = dag.shl(parts.fraction, shift);
    let shifted = dag.slice(shifted, 0, format.fraction(), false);
    let fraction = dag.select(parts.subnormal, shifted, parts.fraction);
    let bias = dag.int(format.bias());
    let half = dag.int(format.bias() - 1);
    let unbiased = dag.sub(parts.biased, bias);
    let odd = dag.slice(unbiased, 0, 1, false);
    let top = dag.slice(fraction, format.fraction() - 1, 1, false);
    let by_parity = dag.select(odd, half, bias);
    let by_top = dag.select(top, half, bias);
    let [low, high] = [0, 1].map(|bit| dag.slice(interval, bit, 1, false));
    let first = dag.select(low, by_parity, bias);
    let second = dag.select(low, by_top, half);
    let exponent = dag.select(high, second, first);
    let parted = |node, width| Part { node, width };
    let normalized = dag.concat(&[
        parted(fraction, format.fraction()),
        parted(exponent, format.exponent),
        parted(sign, 1),
    ]);
    let unit = dag.concat(&[parted(zero, format.fraction()), parted(bias, format.exponent), parted(sign, 1)]);
    // An infinity has the significand of 1, as a zero has.
    let special = dag.or(parts.zero, parts.infinite);
    let node = dag.select(special, unit, normalized);
    let is_not_zero = dag.complement(parts.zero);
    let invalid = dag.and(parts.negative, refused);
    let invalid = dag.and(invalid, is_not_zero);
    let infinity = format.infinity(dag, true);
    let quiet_bit = dag.int(Int::ONE << (format.fraction() - 1) as usize);
    let default_nan = dag.or(infinity, quiet_bit);
    let node = dag.select(invalid, default_nan, node);
    let quiet = parts.quiet(dag);
    let node = dag.select(parts.nan, quiet, node);
    Ok(format.value(node))
}

fn extreme(dag: &mut Dag, op: BinaryOp, args: &[Value]) -> Called {
    let [left, right] = args else { return Err(CallError::Arguments) };
    let (format, left, right) = common(dag, *left, *right).ok_or(CallError::Width)?;
    let chosen = relation(dag, op, format, left, right).ok_or(CallError::Arguments)?;
    let node = dag.select(chosen, left, right);
    Ok(format.value(node))
}

fn directed(dag: &mut Dag, args: &[Value], mode: u8) -> Called {
    let x = one(args)?;
    let mode = dag.int(mode);
    integral(dag, x, mode)
}

/// The nearest integer by a rounding mode.
fn integral(dag: &mut Dag, x: Value, mode: NodeId) -> Called {
    let format = Format::of(x).ok_or(CallError::Width)?;
    let bits = format.bits(dag, x);
    let node = format.apply(dag, FloatOp::RoundToInt, &[bits, mode]);
    Ok(format.value(node))
}

/// `FP32(x)`: the number, converted.
fn number(dag: &mut Dag, rounding: NodeId, width: u32, args: &[Value]) -> Called {
    let format = Format::of_width(width).ok_or(CallError::Width)?;
    let x = one(args)?;
    match Format::of(x) {
        Some(from) => Ok(converted(dag, x, from, format, rounding)),
        None => Ok(format.integer_as_number(dag, x.node, rounding)),
    }
}

fn converted(dag: &mut Dag, x: Value, from: Format, to: Format, rounding: NodeId) -> Value {
    if from == to {
        return x;
    }
    let float =
        Float { op: FloatOp::Convert, nan: NanRule::First, exponent: from.exponent, target: to.exponent };
    let bits = from.bits(dag, x);
    let node = dag.float(float, from.width, to.width, &[bits, rounding]);
    to.value(node)
}

/// A type in the name of a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    Float(Format),
    Integer { width: u32, signed: bool },
}

impl Type {
    fn named(name: &str) -> Option<Self> {
        let family = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let width = name[family.len()..].parse().ok()?;
        match family {
            "FP" => Format::of_width(width).map(Self::Float),
            "BF" => (width == 16).then_some(Self::Float(Format::BFLOAT16)),
            "Int" | "UInt" if matches!(width, 8 | 16 | 32 | 64) => {
                Some(Self::Integer { width, signed: family == "Int" })
            }
            _ => None,
        }
    }
}

/// `Convert_FROM_To_TO` or `Convert_FROM_To_TO_Truncate`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Conversion {
    from: Type,
    to: Type,
    truncates: bool,
}

impl Conversion {
    fn named(name: &str) -> Option<Self> {
        let (from, to) = name.strip_prefix("Convert_")?.split_once("_To_")?;
        let (to, truncates) = match to.strip_suffix("_Truncate") {
            Some(to) => (to, true),
            None => (to, false),
        };
        // The bits of a bfloat16 are moved.
        let from = Type::named(from).filter(|from| *from != Type::Float(Format::BFLOAT16))?;
        Some(Self { from, to: Type::named(to)?, truncates })
    }

    fn call(self, dag: &mut Dag, x: Value, rounding: NodeId) -> Called {
        let rounding = if self.truncates { dag.int(3) } else { rounding };
        // Where the operand's elements contradict the name, the text names another entry's function.
        let from = match (self.from, Format::of(x)) {
            (Type::Float(from), Some(own)) if own.width != from.width => Type::Float(own),
            (from, _) => from,
        };
        match (from, self.to) {
            (Type::Float(from), Type::Float(to)) => {
                if x.width != Some(from.width) {
                    return Err(CallError::Width);
                }
                let value = converted(dag, x, from, to, rounding);
                Ok(if to == Format::BFLOAT16 { flushed(dag, x, from, value) } else { value })
            }
            (Type::Integer { signed, .. }, Type::Float(to)) => {
                let integer = match (x.width, x.element) {
                    // As wide as its element it has the element's sign.
                    (Some(width), Some(element)) if element.width == width && !element.float => x.node,
                    (Some(width), _) => dag.slice(x.node, 0, width, signed),
                    (None, _) => x.node,
                };
                Ok(to.integer_as_number(dag, integer, rounding))
            }
            (Type::Float(from), Type::Integer { width, signed }) => {
                if x.width != Some(from.width) {
                    return Err(CallError::Width);
                }
                Ok(to_integer(dag, x, from, (width, signed), rounding))
            }
            (Type::Integer { .. }, Type::Integer { .. }) => Err(CallError::Arguments),
        }
    }
}

/// CVTPS2DQ, VCVTPS2UDQ and so on: what does not fit becomes the "integer indefinite", which is the least number with
/// a sign and the greatest without.
fn to_integer(
    dag: &mut Dag,
    x: Value,
    from: Format,
    (width, signed): (u32, bool),
    rounding: NodeId,
) -> Value {
    let bits = from.bits(dag, x);
    let float =
        Float { op: FloatOp::ToInt, nan: NanRule::First, exponent: from.exponent, target: u32::from(signed) };
    // This is clamped, and 0 for a NaN.
    let integer = dag.float(float, from.width, width, &[bits, rounding]);
    let bound = if signed { width - 1 } else { width };
    let whole = from.apply(dag, FloatOp::RoundToInt, &[bits, rounding]);
    let end = from.constant(dag, 2f64.powi(bound as i32));
    let below = from.apply(dag, FloatOp::Lt, &[whole, end.node]);
    let (fits, indefinite) = if signed {
        (below, -(Int::ONE << bound as usize))
    } else {
        let zero = dag.int(0);
        let positive = from.apply(dag, FloatOp::Le, &[zero, whole]);
        (dag.and(positive, below), (Int::ONE << bound as usize) - Int::ONE)
    };
    let indefinite = dag.int(indefinite);
    let node = dag.select(fits, integer, indefinite);
    let element = crate::Element { width, signed, float: false };
    Value { element: Some(element), ..Value::sized(node, width) }
}

/// VCVTNEPS2BF16 takes subnormal numbers for zeros, whatever MXCSR says.
fn flushed(dag: &mut Dag, x: Value, from: Format, value: Value) -> Value {
    let exponent = dag.slice(x.node, from.fraction(), from.exponent, false);
    let zero = dag.int(0);
    let is_least = dag.eq(exponent, zero);
    let sign = dag.slice(x.node, from.width - 1, 1, false);
    let top = dag.int(1 << (Format::BFLOAT16.width - 1));
    let signed_zero = dag.mul(sign, top);
    let node = dag.select(is_least, signed_zero, value.node);
    Value { node, ..value }
}

#[cfg(test)]
mod tests;
