//! Operands whose elements are floating-point numbers.
//!
//! A function says which of its operands are numbers of a format by what it computes with them: operands of an
//! arithmetic operator are, and so are its values. Copies, choices between two values and changes of a sign keep the
//! format. An element has it only where whole elements are used like that, in one format throughout.

use hydride_ir::visit::Event;
use hydride_ir::{ArgId, BinaryOp, ExprId, FloatOp, Function, Op};

use crate::facts::{Assignment, Facts, ValueType};

/// Bits of the exponent of an operand's elements: none known yet, one format, or 0 for several.
type Found = Option<u32>;

/// Sets the format of the operands that have one.
pub(super) fn set_formats(function: &Function, params: &[i64], facts: &mut Facts) {
    let assignment = Assignment::new(function, params);
    let mut formats = Formats {
        function,
        assignment: &assignment,
        facts,
        roots: roots(function),
        args: vec![None; function.args.len()],
        results: vec![None; function.results.len()],
    };
    loop {
        let before = (formats.args.clone(), formats.results.clone());
        formats.refine();
        if before == (formats.args.clone(), formats.results.clone()) {
            break;
        }
    }
    let Formats { args, results, .. } = formats;
    for (shape, found) in facts.args.iter_mut().zip(args).chain(facts.results.iter_mut().zip(results)) {
        shape.exponent = found.filter(|exponent| is_known(*exponent, shape.element)).unwrap_or(0);
    }
}

/// Whether LLVM and MLIR have the format.
fn is_known(exponent: u32, width: u32) -> bool {
    matches!((exponent, width), (5 | 8, 16) | (8, 32) | (11, 64))
}

/// For each expression the argument that it is bits of, if it is.
fn roots(function: &Function) -> Vec<Option<ArgId>> {
    let mut roots: Vec<Option<ArgId>> = Vec::with_capacity(function.exprs().len());
    for expr in function.exprs() {
        roots.push(match expr.op {
            Op::Arg(arg) => Some(arg),
            Op::Extract { of, .. } | Op::ExtractAt { of, .. } => roots[of.0 as usize],
            // Zeros above an argument, so that a position beyond its end reads them.
            Op::Cast { of, .. } if matches!(function.expr(of).op, Op::Arg(_)) => roots[of.0 as usize],
            _ => None,
        });
    }
    roots
}

struct Formats<'a> {
    function: &'a Function,
    assignment: &'a Assignment<'a>,
    facts: &'a Facts,
    roots: Vec<Option<ArgId>>,
    args: Vec<Found>,
    results: Vec<Found>,
}

impl Formats<'_> {
    /// Follows formats from operators to results, and from both to arguments.
    fn refine(&mut self) {
        let values = self.values();
        let mut wanted = vec![None; values.len()];
        for event in self.function.walk() {
            let Event::Assign(written) = event else { continue };
            let (result, value) = (written.result.0 as usize, written.value);
            if !self.fills(value, self.facts.results[result]) {
                continue;
            }
            if let Some(exponent) = values[value.0 as usize] {
                join(&mut self.results[result], exponent);
            }
            wanted[value.0 as usize] = self.results[result].filter(|exponent| *exponent != 0);
        }
        self.follow(&mut wanted);
        for (position, exponent) in (0u32..).zip(wanted) {
            let (Some(arg), Some(exponent)) = (self.roots[position as usize], exponent) else { continue };
            if self.fills(ExprId(position), self.facts.args[arg.0 as usize]) {
                join(&mut self.args[arg.0 as usize], exponent);
            }
        }
    }

    /// The formats that expressions have by what they compute.
    fn values(&self) -> Vec<Found> {
        let mut values: Vec<Found> = Vec::with_capacity(self.roots.len());
        for (position, expr) in (0u32..).zip(self.function.exprs()) {
            let of = |id: ExprId| values[id.0 as usize];
            let value = match &expr.op {
                Op::Float { float, .. } => match float.op {
                    FloatOp::Convert => self.number(&float.target),
                    op if op.gives_nans() || op == FloatOp::FromInt => self.number(&float.exponent),
                    _ => None,
                },
                Op::Select { then, otherwise, .. } => of(*then).or(of(*otherwise)),
                Op::Binary { op: BinaryOp::And | BinaryOp::Or | BinaryOp::Xor, left, right, .. } => {
                    of(*left).or(of(*right))
                }
                Op::Cast { .. } => self.without_sign(ExprId(position)).and_then(of),
                _ => None,
            };
            let copied = || {
                let arg = self.roots[position as usize]?.0 as usize;
                self.args[arg].filter(|_| self.fills(ExprId(position), self.facts.args[arg]))
            };
            values.push(value.or_else(copied).filter(|exponent| *exponent != 0));
        }
        values
    }

    /// Follows the formats that are wanted of values to their operands.
    fn follow(&self, wanted: &mut [Found]) {
        for (position, expr) in self.function.exprs().iter().enumerate().rev() {
            let own = wanted[position];
            let mut want = |id: ExprId, exponent: Found| {
                let wanted = &mut wanted[id.0 as usize];
                *wanted = wanted.or(exponent);
            };
            match &expr.op {
                Op::Float { float, operands } if float.op != FloatOp::FromInt => {
                    let exponent = self.number(&float.exponent);
                    operands.iter().take(float.op.arity()).for_each(|operand| want(*operand, exponent));
                }
                Op::Select { then: first, otherwise: second, .. }
                | Op::Binary {
                    op: BinaryOp::And | BinaryOp::Or | BinaryOp::Xor,
                    left: first,
                    right: second,
                    ..
                } => {
                    want(*first, own);
                    want(*second, own);
                }
                Op::Cast { .. } => {
                    if let Some(id) = self.without_sign(ExprId(position as u32)) {
                        want(id, own);
                    }
                }
                // A number with zeros below its fraction is that of a narrower format.
                Op::Concat(parts) => {
                    if let [high, low] = parts[..]
                        && matches!(&self.function.expr(low).op, Op::Const(bits) if bits.to_u64() == Some(0))
                    {
                        want(high, own);
                    }
                }
                _ => {}
            }
        }
    }

    /// The number of which an expression is the magnitude: one bit less, and a zero above.
    fn without_sign(&self, id: ExprId) -> Option<ExprId> {
        let Op::Cast { of, .. } = self.function.expr(id).op else { return None };
        let Op::Cast { of: number, .. } = self.function.expr(of).op else { return None };
        let [whole, fewer, own] = [number, of, id].map(|id| self.assignment.expr_width(id));
        (whole == own && fewer? + 1 == own?).then_some(number)
    }

    /// Whether an expression is as wide as the elements of a type.
    fn fills(&self, id: ExprId, shape: ValueType) -> bool {
        self.assignment.expr_width(id) == Some(shape.element)
    }

    fn number(&self, num: &hydride_ir::Num) -> Found {
        u32::try_from(self.assignment.base(num)?).ok()
    }
}

fn join(found: &mut Found, exponent: u32) {
    *found = Some(if found.is_none_or(|known| known == exponent) { exponent } else { 0 });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The exponents of arguments and results; elements are 32 bits wide.
    fn exponents(args: &str, value: &str) -> Vec<u32> {
        let text = format!("func @f({args}) -> (%r: 64) {{ for i in 0..2 {{ %r[32*i +: 32] = {value} }} }}");
        let function = Function::parse(&text).unwrap();
        let args = vec![ValueType::vector(2, 32); function.args.len()];
        let mut facts = Facts { args, results: vec![ValueType::vector(2, 32)] };
        set_formats(&function, &[], &mut facts);
        facts.args.iter().chain(&facts.results).map(|shape| shape.exponent).collect()
    }

    #[test]
    fn operands_of_arithmetic_are_numbers() {
        let slices = |text: &str| {
            text.replace("%a", "%a[32*i +: 32]").replace("%b", "%b[32*i +: 32]").replace("%A", "%a")
        };
        for (value, expected) in [
            ("fadd.{8}(%a, %b, 0x0:3)", [8, 8, 8]),
            // Choices, signs and magnitudes.
            ("select(flt.{8}(%a, %b), %a, %b)", [8, 8, 8]),
            ("fmul.{8}(xor(%a, 0x80000000:32), %b, 0x0:3)", [8, 8, 8]),
            ("cast.u(cast.u(fsub.{8}(%a, %b, 0x0:3), 31), 32)", [8, 8, 8]),
            ("fadd.{8}(cast.u(cast.u(%a, 31), 32), %b, 0x0:3)", [8, 8, 8]),
            ("fadd.{8}(cast.u(cast.u(%a, 16), 32), %b, 0x0:3)", [0, 8, 8]),
            ("xor(fadd.{8}(%a, %b, 0x0:3), 0x80000000:32)", [8, 8, 8]),
            ("fadd.{8}(cast.u(%A, 96)[32*i +: 32], %b, 0x0:3)", [8, 8, 8]),
            ("fadd.{8}(cast.s(%A[32*i +: 16], 32), %b, 0x0:3)", [0, 8, 8]),
            ("fconvert.{5}.{8}(%A[32*i +: 16], 0x0:3, 32)", [0, 0, 8]),
            ("cast.u(fsqrt.{8}(%A[32*i +: 16], 0x0:3), 32)", [0, 0, 0]),
            ("ftoint.{8}.{1}(%a, 0x0:3, 32)", [8, 0, 0]),
            ("ffromint.{8}.{1}(%a, 0x0:3, 32)", [0, 0, 8]),
            // A comparison gives bits, and a conversion takes or gives integers.
            ("cast.s(flt.{8}(%a, %b), 32)", [8, 8, 0]),
            ("add(ftoint.{8}.{1}(%a, 0x0:3, 32), %b)", [8, 0, 0]),
            ("ffromint.{8}.{1}(add(%a, %b), 0x0:3, 32)", [0, 0, 8]),
            // Integers, a format that no language has, and two formats at once.
            ("add(%a, %b)", [0, 0, 0]),
            ("fadd.{5}(%a, %b, 0x0:3)", [0, 0, 0]),
            ("fadd.{8}(%a, fadd.{7}(%a, %b, 0x0:3), 0x0:3)", [0, 0, 8]),
        ] {
            assert_eq!(exponents("%a: 64, %b: 64", &slices(value)), expected, "{value}");
        }
    }

    #[test]
    fn what_a_number_is_merged_with_is_one() {
        let value = "select(%m[i +: 1], fsqrt.{8}(%a[32*i +: 32], 0x0:3), %b[32*i +: 32])";
        assert_eq!(exponents("%a: 64, %b: 64, %m: 64", value), [8, 8, 0, 8]);
        // Halves of elements are not the elements.
        assert_eq!(exponents("%a: 64", "cast.u(fsqrt.{5}(%a[32*i +: 16], 0x0:3), 32)"), [0, 0]);
        assert_eq!(exponents("%a: 64", "concat(fsqrt.{5}(%a[32*i +: 16], 0x0:3), 0x0:16)"), [0, 0]);
    }

    /// With zeros below, a number of 16 bits is one of 32 bits with as many of exponent.
    #[test]
    fn the_upper_half_of_a_number_has_its_format() {
        for (low, expected) in [("0x0:16", 8), ("0x1:16", 0)] {
            let text = format!(
                "func @f(%a: 32, %b: 64) -> (%r: 64) {{
                   for i in 0..2 {{ %r[32*i +: 32] = fadd.{{8}}(concat(%a[16*i +: 16], {low}), %b[32*i +: 32], 0x0:3) }}
                 }}"
            );
            let args = vec![ValueType::vector(2, 16), ValueType::vector(2, 32)];
            let mut facts = Facts { args, results: vec![ValueType::vector(2, 32)] };
            set_formats(&Function::parse(&text).unwrap(), &[], &mut facts);
            assert_eq!([facts.args[0].exponent, facts.args[1].exponent], [expected, 8], "{low}");
        }
    }
}
