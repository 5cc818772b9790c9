//! Operators that SMT-LIB lacks, defined for each width that a file needs.

use std::collections::BTreeMap;

use hydride_ir::UnaryOp;

/// The definitions that a file needs, by name.
pub(crate) struct Support {
    /// The operation: names begin with it, so that files can be concatenated.
    op: String,
    definitions: BTreeMap<String, String>,
}

/// Numbers of any width in decimal need no literal digits.
pub(super) fn literal(width: u32, bit: impl Fn(u32) -> bool) -> String {
    let digits: String = (0..width).rev().map(|place| if bit(place) { '1' } else { '0' }).collect();
    format!("#b{digits}")
}

fn number(width: u32, value: u32) -> String {
    literal(width, |place| place < 32 && value >> place & 1 == 1)
}

impl Support {
    pub(crate) fn new(op: &str) -> Self {
        Self { op: op.to_owned(), definitions: BTreeMap::new() }
    }

    /// All definitions, in the order of their names.
    pub(crate) fn definitions(self) -> Vec<String> {
        self.definitions.into_values().collect()
    }

    /// Defines `name` over operands of one width.
    fn define(
        &mut self,
        name: String,
        operands: &str,
        from: u32,
        to: u32,
        body: impl FnOnce() -> String,
    ) -> String {
        self.definitions.entry(name.clone()).or_insert_with(|| {
            let operands: Vec<String> =
                operands.chars().map(|operand| format!("({operand} (_ BitVec {from}))")).collect();
            format!("(define-fun {name} ({}) (_ BitVec {to})\n  {})", operands.join(" "), body())
        });
        name
    }

    /// Defines a function over operands that are written out; its name begins with the operation's.
    pub(super) fn define_as(
        &mut self,
        name: &str,
        operands: &str,
        to: u32,
        body: impl FnOnce() -> String,
    ) -> String {
        let name = format!("{}.{name}", self.op);
        self.definitions
            .entry(name.clone())
            .or_insert_with(|| format!("(define-fun {name} ({operands}) (_ BitVec {to})\n  {})", body()));
        name
    }

    /// Declares a function without a meaning over operands of these sorts; its name begins with the operation's.
    pub(super) fn declare_as(&mut self, name: &str, sorts: &str, to: u32) -> String {
        let name = format!("{}.{name}", self.op);
        let declaration = || format!("(declare-fun {name} ({sorts}) (_ BitVec {to}))");
        self.definitions.entry(name.clone()).or_insert_with(declaration);
        name
    }

    /// The smaller or larger of two values.
    pub(crate) fn extremum(&mut self, least: bool, signed: bool, width: u32) -> String {
        let sign = if signed { 's' } else { 'u' };
        let (word, first, second) = if least { ("min", "a", "b") } else { ("max", "b", "a") };
        self.define(format!("{}.{word}.{sign}.{width}", self.op), "ab", width, width, || {
            format!("(ite (bv{sign}le {first} {second}) a b)")
        })
    }

    /// Magnitude and bit counts.
    pub(crate) fn unary(&mut self, op: UnaryOp, width: u32) -> String {
        let bit = |place: u32| format!("((_ extract {place} {place}) a)");
        match op {
            UnaryOp::PopCount => {
                self.define(format!("{}.popcount.{width}", self.op), "a", width, width, || {
                    let one = |place| format!("((_ zero_extend {}) {})", width - 1, bit(place));
                    (1..width).fold(one(0), |sum, place| format!("(bvadd {sum} {})", one(place)))
                })
            }
            UnaryOp::LeadingZeros => {
                self.define(format!("{}.leading_zeros.{width}", self.op), "a", width, width, || {
                    (0..width).fold(number(width, width), |rest, place| {
                        format!("(ite (= {} #b1) {} {rest})", bit(place), number(width, width - 1 - place))
                    })
                })
            }
            UnaryOp::TrailingZeros => {
                self.define(format!("{}.trailing_zeros.{width}", self.op), "a", width, width, || {
                    (0..width).rev().fold(number(width, width), |rest, place| {
                        format!("(ite (= {} #b1) {} {rest})", bit(place), number(width, place))
                    })
                })
            }
            // The others are built into SMT-LIB.
            UnaryOp::Abs | UnaryOp::Not | UnaryOp::Neg => {
                self.define(format!("{}.abs.{width}", self.op), "a", width, width, || {
                    format!("(ite (bvslt a {}) (bvneg a) a)", number(width, 0))
                })
            }
        }
    }

    /// A value clamped into another width's range.
    pub(crate) fn saturate(&mut self, from: u32, to: u32, from_signed: bool, to_signed: bool) -> String {
        let sign = |signed| if signed { 's' } else { 'u' };
        let name = format!("{}.saturate.{}.{}.{from}.{to}", self.op, sign(from_signed), sign(to_signed));
        self.define(name, "a", from, to, || {
            // Compared with one bit more than either has, where both ranges fit signed.
            let wide = from.max(to) + 1;
            let extend = if from_signed { "sign_extend" } else { "zero_extend" };
            let value = format!("((_ {extend} {}) a)", wide - from);
            let kept = to - u32::from(to_signed);
            let most = literal(wide, |place| place < kept);
            let least = literal(wide, |place| to_signed && place >= kept);
            let low = |text: &str| format!("((_ extract {} 0) {text})", to - 1);
            format!(
                "(let ((w {value}))\n  (ite (bvslt w {least}) {} (ite (bvslt {most} w) {} {})))",
                low(&least),
                low(&most),
                low("w")
            )
        })
    }
}
