//! Floating-point operators in SMT-LIB's theory, and what the theory leaves open: which NaN a NaN is.
//!
//! Approximations are uninterpreted functions in the theory too. Its numbers have one NaN. Bits become numbers by `to_fp`; the other way goes through Z3's
//! `fp.to_ieee_bv`, guarded so that its value for the NaN, which is not specified, does not matter.

use hydride_ir::{Float, FloatOp, NanRule};

use crate::term::{Term, TermId, Terms};

/// A format as the theory has it.
#[derive(Clone, Copy)]
struct Format {
    exponent: u32,
    width: u32,
}

impl Format {
    fn fraction(self) -> u32 {
        self.width - 1 - self.exponent
    }

    /// The prefix that makes a number of something.
    fn to_fp(self) -> String {
        format!("(_ to_fp {} {})", self.exponent, self.fraction() + 1)
    }

    fn number(self, bits: &str) -> String {
        format!("({} {bits})", self.to_fp())
    }

    fn is_nan(self, bits: &str) -> String {
        format!("(fp.isNaN {})", self.number(bits))
    }

    /// Sign, exponent, top bit of the fraction and the rest of it as one literal.
    fn literal(self, sign: u8, exponent: u8, quiet: u8, rest: u8) -> String {
        let repeat = |bit: u8, count: u32| bit.to_string().repeat(count as usize);
        format!("#b{sign}{}{quiet}{}", repeat(exponent, self.exponent), repeat(rest, self.fraction() - 1))
    }

    fn quiet(self, bits: &str) -> String {
        format!("(bvor {bits} {})", self.literal(0, 0, 1, 0))
    }

    fn is_signaling(self, bits: &str) -> String {
        let quiet = self.fraction() - 1;
        format!("(and {} (= ((_ extract {quiet} {quiet}) {bits}) #b0))", self.is_nan(bits))
    }
}

/// Whether the theory has an operator: it lacks rounding to odd.
pub fn is_known(terms: &Terms, float: &Float<u32>, operands: &[TermId]) -> bool {
    let never_odd = |mode: TermId| match terms.term(mode) {
        Term::Const(bits) => bits.to_u64() != Some(5),
        Term::Concat(parts) => parts.first().is_some_and(|high| match terms.term(*high) {
            Term::Const(bits) => !bits.bit(bits.width() - 1),
            _ => false,
        }),
        _ => false,
    };
    !float.op.rounds() || operands.last().is_some_and(|mode| never_odd(*mode))
}

/// An operator's value as bits. `open` is a value of as many bits about which nothing is known but that equal operators
/// have equal ones.
pub fn value(float: &Float<u32>, own: u32, width: u32, operands: &[String], open: &str) -> String {
    let (values, mode) = operands.split_at(float.op.arity());
    let mode = mode.first().map_or_else(|| "RNE".to_owned(), |mode| rounding(mode));
    let from_int = float.op == FloatOp::FromInt;
    let format = Format { exponent: float.exponent, width: if from_int { width } else { own } };
    let to = match float.op {
        FloatOp::Convert => Format { exponent: float.target, width },
        _ => format,
    };
    let numbers: Vec<String> = match from_int {
        true => Vec::new(),
        false => values.iter().map(|bits| format.number(bits)).collect(),
    };
    let truth = |condition: String| format!("(ite {condition} #b1 #b0)");
    let is_nan = || values.iter().map(|bits| format.is_nan(bits)).collect::<Vec<_>>().join(" ");
    let arithmetic = |name: &str| format!("({name} {mode} {})", numbers.join(" "));
    let number = match float.op {
        FloatOp::Eq => return truth(format!("(fp.eq {})", numbers.join(" "))),
        FloatOp::Lt => return truth(format!("(fp.lt {})", numbers.join(" "))),
        FloatOp::Le => return truth(format!("(fp.leq {})", numbers.join(" "))),
        FloatOp::Unordered => return truth(format!("(or {})", is_nan())),
        FloatOp::ToInt => return to_int(&numbers[0], &mode, format, width, float.target == 1),
        FloatOp::FromInt => {
            let number = format!("({} {mode} {})", format.to_fp(), values[0]);
            return format!("(fp.to_ieee_bv {number})");
        }
        FloatOp::Min | FloatOp::Max => {
            let order = if float.op == FloatOp::Min { "fp.lt" } else { "fp.gt" };
            let (left, right) = (&values[0], &values[1]);
            let sign = format!("((_ extract {0} {0}) {left})", own - 1);
            let first = if float.op == FloatOp::Min { "#b1" } else { "#b0" };
            let equal = format!("(ite (= {sign} {first}) {left} {right})");
            let ordered = format!("(ite ({order} {1} {0}) {right} {equal})", numbers[0], numbers[1]);
            let chosen = format!("(ite ({order} {}) {left} {ordered})", numbers.join(" "));
            return format!("(ite (or {}) {} {chosen})", is_nan(), nan(float, format, values, open));
        }
        FloatOp::Convert => {
            let number = format!("({} {mode} {})", to.to_fp(), numbers[0]);
            let nan = converted_nan(float, format, to, &values[0], open);
            return format!("(ite {} {nan} (fp.to_ieee_bv {number}))", format.is_nan(&values[0]));
        }
        FloatOp::Add => arithmetic("fp.add"),
        FloatOp::Sub => arithmetic("fp.sub"),
        FloatOp::Mul => arithmetic("fp.mul"),
        FloatOp::Div => arithmetic("fp.div"),
        FloatOp::Sqrt => arithmetic("fp.sqrt"),
        FloatOp::MulAdd => arithmetic("fp.fma"),
        FloatOp::RoundToInt => arithmetic("fp.roundToIntegral"),
        FloatOp::Reciprocal | FloatOp::ReciprocalSqrt => return open.to_owned(),
    };
    format!("(ite (fp.isNaN {number}) {} (fp.to_ieee_bv {number}))", nan(float, format, values, open))
}

fn rounding(mode: &str) -> String {
    let modes = [("#b001", "RTN"), ("#b010", "RTP"), ("#b011", "RTZ"), ("#b100", "RNA")];
    modes
        .iter()
        .rev()
        .fold("RNE".to_owned(), |rest, (bits, name)| format!("(ite (= {mode} {bits}) {name} {rest})"))
}

/// Any NaN with the bits of `open` where NaNs differ.
fn open_nan(to: Format, open: &str) -> String {
    format!("(bvor {} (bvand {open} {}))", to.literal(0, 1, 1, 0), to.literal(1, 0, 0, 1))
}

/// The NaN of an operator that gives one.
fn nan(float: &Float<u32>, format: Format, values: &[String], open: &str) -> String {
    let first = |order: &[usize], condition: &dyn Fn(&str) -> String, rest: String| {
        order
            .iter()
            .rev()
            .filter_map(|place| values.get(*place))
            .fold(rest, |rest, bits| format!("(ite {} {} {rest})", condition(bits), format.quiet(bits)))
    };
    let is_nan = |bits: &str| format.is_nan(bits);
    match float.nan {
        NanRule::Open => open_nan(format, open),
        NanRule::First => first(&[0, 1, 2], &is_nan, format.literal(1, 1, 1, 0)),
        NanRule::SignalingFirst => {
            let default = format.literal(0, 1, 1, 0);
            let fused = float.op == FloatOp::MulAdd;
            let order: &[usize] = if fused { &[2, 0, 1] } else { &[0, 1, 2] };
            let quiet = first(order, &is_nan, default.clone());
            let quiet = match fused {
                true => format!("(ite {} {default} {quiet})", is_invalid_product(format, values)),
                false => quiet,
            };
            first(order, &|bits| format.is_signaling(bits), quiet)
        }
    }
}

/// Whether the first two operands are an infinity and a zero.
fn is_invalid_product(format: Format, values: &[String]) -> String {
    let is = |name: &str, place: usize| format!("({name} {})", format.number(&values[place]));
    let (infinite, zero) = ("fp.isInfinite", "fp.isZero");
    format!("(or (and {} {}) (and {} {}))", is(infinite, 0), is(zero, 1), is(zero, 0), is(infinite, 1))
}

/// The sign and the top bits of the payload in another format.
fn converted_nan(float: &Float<u32>, from: Format, to: Format, bits: &str, open: &str) -> String {
    if float.nan == NanRule::Open {
        return open_nan(to, open);
    }
    let sign = format!("((_ extract {0} {0}) {bits})", from.width - 1);
    let (own, wanted) = (from.fraction(), to.fraction());
    let kept = format!("((_ extract {} {}) {bits})", own - 1, own - own.min(wanted));
    let payload = match wanted > own {
        true => format!("(concat {kept} #b{})", "0".repeat((wanted - own) as usize)),
        false => kept,
    };
    to.quiet(&format!("(concat (concat {sign} #b{}) {payload})", "1".repeat(to.exponent as usize)))
}

/// The nearest integer, clamped.
fn to_int(number: &str, mode: &str, format: Format, width: u32, signed: bool) -> String {
    let integer = format!("(fp.roundToIntegral {mode} {number})");
    // A power of two, or an infinity where the format has no such number.
    let power = format!("({} RTP {}.0)", format.to_fp(), num_power(width - u32::from(signed)));
    let ones = |count: u32| "1".repeat(count as usize);
    let zeros = |count: u32| "0".repeat(count as usize);
    let (name, low, high, below) = match signed {
        true => (
            "sbv",
            format!("#b1{}", zeros(width - 1)),
            format!("#b0{}", ones(width - 1)),
            format!("(fp.neg {power})"),
        ),
        false => (
            "ubv",
            format!("#b{}", zeros(width)),
            format!("#b{}", ones(width)),
            format!("(_ +zero {} {})", format.exponent, format.fraction() + 1),
        ),
    };
    let inside = format!("((_ fp.to_{name} {width}) RTZ {integer})");
    let clamped =
        format!("(ite (fp.leq {integer} {below}) {low} (ite (fp.geq {integer} {power}) {high} {inside}))");
    format!("(ite (fp.isNaN {number}) #b{} {clamped})", zeros(width))
}

/// 2 to the power `exponent`, at most 2^65,536, in decimal.
fn num_power(exponent: u32) -> String {
    (hydride_ir::exact::Int::ONE << exponent as usize).to_string()
}
