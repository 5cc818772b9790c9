//! Floating-point operators in SMT-LIB, each defined once for the formats that a file needs.
//!
//! The theory of floating-point numbers has one NaN and no function from numbers to bits. NaNs are therefore chosen
//! among the operands' bits, by the rule of the operator, and all other values become bits by `fp.to_ieee_bv`, an
//! extension that Z3 has. Where the rule leaves the choice open, it is the one of `hydride eval`. Approximations are
//! uninterpreted functions.

use hydride_ir::{Float, FloatOp, Function, NanRule, Num, Op};

use super::support::{Support, literal};
use crate::bounds::Bounds;
use crate::float::{constant_mode, rounding};
use crate::space::Indices;

/// The names of rounding modes, by their numbers in the IR. SMT-LIB has no mode for those above.
const MODES: [&str; 5] = ["RNE", "RTN", "RTP", "RTZ", "RNA"];

/// An operator with the numbers that it has in one instance.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Operator {
    pub(super) op: FloatOp,
    pub(super) nan: NanRule,
    pub(super) exponent: u32,
    pub(super) target: u32,
    /// Width of the operands.
    pub(super) from: u32,
    /// Width of the value.
    pub(super) to: u32,
}

/// Whether SMT-LIB has every rounding mode of a function without parameters; else why not.
pub(super) fn check(function: &Function) -> Result<(), String> {
    let bounds = Indices::of(function).and_then(|indices| Bounds::of(function, &indices));
    for expr in function.exprs() {
        let Op::Float { float, operands } = &expr.op else { continue };
        let Some(mode) = rounding(float, operands) else { continue };
        let name = float.op.name();
        let has = |number: u64| number < MODES.len() as u64;
        match constant_mode(function, mode) {
            Some(number) if has(number) => {}
            Some(number) => {
                return Err(format!("`{name}` with rounding mode {number}, which SMT-LIB does not have"));
            }
            None if bounds.as_ref().and_then(|bounds| bounds.most(mode)).is_some_and(has) => {}
            None => return Err(format!("`{name}` with a computed rounding mode that SMT-LIB may not have")),
        }
    }
    Ok(())
}

/// A rounding mode: that of a number, or of three bits that are a number of one.
pub(super) fn mode(constant: Option<u64>, bits: &str) -> String {
    if let Some(name) = constant.and_then(|number| MODES.get(usize::try_from(number).ok()?)) {
        return (*name).to_owned();
    }
    (1u64..).zip(&MODES[1..]).fold(MODES[0].to_owned(), |rest, (number, name)| {
        format!("(ite (= {bits} {}) {name} {rest})", literal(3, |place| number >> place & 1 == 1))
    })
}

/// A format in the theory's terms.
#[derive(Clone, Copy)]
struct Format {
    exponent: u32,
    width: u32,
}

impl Format {
    fn fraction(self) -> u32 {
        self.width - 1 - self.exponent
    }

    /// The indices of the sort.
    fn indices(self) -> String {
        format!("{} {}", self.exponent, self.fraction() + 1)
    }

    fn number(self, bits: &str) -> String {
        format!("((_ to_fp {}) {bits})", self.indices())
    }

    fn is_nan(self, bits: &str) -> String {
        format!("(fp.isNaN {})", self.number(bits))
    }

    /// Bits from a sign and those from the quiet bit down to the exponent set.
    fn quiet(self, sign: bool) -> String {
        let lowest = self.fraction() - 1;
        literal(self.width, |place| if place == self.width - 1 { sign } else { place >= lowest })
    }

    fn quieted(self, bits: &str) -> String {
        let quiet = self.fraction() - 1;
        format!("(bvor {bits} {})", literal(self.width, |place| place == quiet))
    }

    fn is_signaling(self, bits: &str) -> String {
        let quiet = self.fraction() - 1;
        format!("(and {} (= ((_ extract {quiet} {quiet}) {bits}) #b0))", self.is_nan(bits))
    }

    /// A power of two, or infinity where the format has none that is as large.
    fn power(self, negative: bool, power: u32) -> String {
        let bias = (1u64 << (self.exponent - 1)) - 1;
        let (exponent, fraction) = (u64::from(power) + bias, self.fraction());
        if u64::from(power) > bias {
            let sign = if negative { '-' } else { '+' };
            return format!("(_ {sign}oo {})", self.indices());
        }
        let sign = if negative { "#b1" } else { "#b0" };
        let exponent = literal(self.exponent, |place| exponent >> place & 1 == 1);
        format!("(fp {sign} {exponent} {})", literal(fraction, |_| false))
    }
}

/// The operator as a function of its operands' bits, with a rounding mode last where it has one: its name.
pub(super) fn define(support: &mut Support, operator: Operator) -> String {
    let Operator { op, nan, exponent, target, from, to } = operator;
    let rule = if op.gives_nans() { format!(".{}", nan.name()) } else { String::new() };
    let second = match op {
        op if op.converts() => format!(".{target}.{to}"),
        op if op.approximates() => format!(".{target}"),
        _ => String::new(),
    };
    let name = format!("{}.{exponent}.{from}{second}{rule}", op.name());
    let names = ["a", "b", "c"];
    let mut operands: Vec<String> =
        names[..op.arity()].iter().map(|name| format!("({name} (_ BitVec {from}))")).collect();
    if op.rounds() {
        operands.push("(m RoundingMode)".to_owned());
    }
    if op.approximates() {
        return support.declare_as(&name, &format!("(_ BitVec {from})"), to);
    }
    support.define_as(&name, &operands.join(" "), to, || body(operator))
}

fn body(operator: Operator) -> String {
    let Operator { op, nan, exponent, target, from, to } = operator;
    let own = Format { exponent, width: if op == FloatOp::FromInt { to } else { from } };
    let [a, b, c] = ["a", "b", "c"].map(|bits| own.number(bits));
    let bit = |condition: String| format!("(ite {condition} #b1 #b0)");
    let rounded = |value: String| with_nans(operator, own, &value);
    match op {
        FloatOp::Add => rounded(format!("(fp.add m {a} {b})")),
        FloatOp::Sub => rounded(format!("(fp.sub m {a} {b})")),
        FloatOp::Mul => rounded(format!("(fp.mul m {a} {b})")),
        FloatOp::Div => rounded(format!("(fp.div m {a} {b})")),
        FloatOp::Sqrt => rounded(format!("(fp.sqrt m {a})")),
        FloatOp::MulAdd => rounded(format!("(fp.fma m {a} {b} {c})")),
        FloatOp::RoundToInt => rounded(format!("(fp.roundToIntegral m {a})")),
        FloatOp::Eq => bit(format!("(fp.eq {a} {b})")),
        FloatOp::Lt => bit(format!("(fp.lt {a} {b})")),
        FloatOp::Le => bit(format!("(fp.leq {a} {b})")),
        FloatOp::Unordered => bit(format!("(or {} {})", own.is_nan("a"), own.is_nan("b"))),
        FloatOp::Min | FloatOp::Max => {
            // Equal operands have equal bits, except that zeros have two signs.
            let (first, second, equal) =
                if op == FloatOp::Min { ("a", "b", "bvor") } else { ("b", "a", "bvand") };
            let ordered =
                format!("(ite (fp.lt {a} {b}) {first} (ite (fp.lt {b} {a}) {second} ({equal} a b)))");
            nan_operands(operator, own, &ordered)
        }
        FloatOp::Convert => {
            let other = Format { exponent: target, width: to };
            let value = format!("(fp.to_ieee_bv ((_ to_fp {}) m {a}))", other.indices());
            format!("(ite {} {} {value})", own.is_nan("a"), converted_nan(nan, own, other))
        }
        FloatOp::ToInt => to_integer(own, to, target == 1),
        FloatOp::Reciprocal | FloatOp::ReciprocalSqrt => unreachable!("an approximation has no definition"),
        FloatOp::FromInt => {
            let word = if target == 1 { "to_fp" } else { "to_fp_unsigned" };
            format!("(fp.to_ieee_bv ((_ {word} {}) m a))", own.indices())
        }
    }
}

/// The bits of a number that may be a NaN.
fn with_nans(operator: Operator, own: Format, value: &str) -> String {
    let default = own.quiet(operator.nan == NanRule::First);
    let bits = format!("(let ((r {value}))\n  (ite (fp.isNaN r) {default} (fp.to_ieee_bv r)))");
    nan_operands(operator, own, &bits)
}

/// The NaN that an operand makes the value, else something.
fn nan_operands(operator: Operator, own: Format, otherwise: &str) -> String {
    let Operator { op, nan, .. } = operator;
    let names = &["a", "b", "c"][..op.arity()];
    let addend_first = op == FloatOp::MulAdd && nan == NanRule::SignalingFirst;
    let order: Vec<&str> = if addend_first { vec!["c", "a", "b"] } else { names.to_vec() };
    let quieted = |bits: &str| if nan == NanRule::Open { own.quiet(false) } else { own.quieted(bits) };
    let first = |wanted: &dyn Fn(&str) -> String, rest: String| {
        order
            .iter()
            .rev()
            .fold(rest, |rest, bits| format!("(ite {}\n  {} {rest})", wanted(bits), quieted(bits)))
    };
    let any = first(&|bits| own.is_nan(bits), otherwise.to_owned());
    if nan != NanRule::SignalingFirst {
        return any;
    }
    let any = if addend_first {
        let [a, b] = ["a", "b"].map(|bits| own.number(bits));
        let invalid = format!(
            "(or (and (fp.isInfinite {a}) (fp.isZero {b})) (and (fp.isZero {a}) (fp.isInfinite {b})))"
        );
        format!("(ite (and {} {invalid})\n  {} {any})", own.is_nan("c"), own.quiet(false))
    } else {
        any
    };
    first(&|bits| own.is_signaling(bits), any)
}

/// A NaN with the sign and the upper bits of another one.
fn converted_nan(nan: NanRule, own: Format, other: Format) -> String {
    if nan == NanRule::Open {
        return other.quiet(false);
    }
    let (from, to) = (own.fraction(), other.fraction());
    let payload = if to >= from {
        let kept = format!("((_ extract {} 0) a)", from - 1);
        if to == from { kept } else { format!("(concat {kept} {})", literal(to - from, |_| false)) }
    } else {
        format!("((_ extract {} {}) a)", from - 1, from - to)
    };
    let top = own.width - 1;
    let exponent = literal(other.exponent, |_| true);
    other.quieted(&format!("(concat ((_ extract {top} {top}) a) (concat {exponent} {payload}))"))
}

/// The nearest integer, clamped; 0 for a NaN.
fn to_integer(own: Format, width: u32, signed: bool) -> String {
    let zero = literal(width, |_| false);
    let kept = width - u32::from(signed);
    let most = literal(width, |place| place < kept);
    let above = own.power(false, kept);
    let (below, least) = if signed {
        // The least integer is exact, but minus infinity stands for it where it is beyond the format.
        (format!("(fp.leq r {})", own.power(true, kept)), literal(width, |place| place == kept))
    } else {
        (format!("(fp.leq r (_ +zero {}))", own.indices()), zero.clone())
    };
    let word = if signed { "to_sbv" } else { "to_ubv" };
    format!(
        "(let ((r (fp.roundToIntegral m {})))\n  (ite (fp.isNaN r) {zero}\n  (ite (fp.leq {above} r) {most}\n  \
         (ite {below} {least} ((_ fp.{word} {width}) RTZ r)))))",
        own.number("a")
    )
}

/// The numbers of an operator, where they are constants.
pub(super) fn operator(float: &Float<Num>, from: u32, to: u32) -> Option<Operator> {
    let number = |num: &Num| u32::try_from(num.as_constant()?).ok();
    let (exponent, target) = (number(&float.exponent)?, number(&float.target)?);
    Some(Operator { op: float.op, nan: float.nan, exponent, target, from, to })
}
