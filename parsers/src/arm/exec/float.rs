//! Arm's functions on floating-point numbers whose bodies compute with reals, as operators of the IR.
//!
//! The control register has its reset value: nothing is flushed to zero, NaNs are propagated, and the rounding is to
//! the nearest even number unless an operand says otherwise. What can be said with these functions and with bits is
//! ASL, the documents' or `specs/arm/float.asl`.

use hydride_ir::exact::{Int, NodeId};
use hydride_ir::{Float, FloatOp, NanRule};

use super::{Machine, Run, Value, Width};
use crate::arm::asl::ast::{Expr, Offset};
use crate::pseudocode::Reason;

/// Functions of operands and the control register, in the operands' format. A further argument is the rounding.
const SAME_FORMAT: &[(&str, FloatOp)] = &[
    ("FPAdd", FloatOp::Add),
    ("FPSub", FloatOp::Sub),
    ("FPMul", FloatOp::Mul),
    ("FPDiv", FloatOp::Div),
    ("FPSqrt", FloatOp::Sqrt),
    ("FPMulAdd", FloatOp::MulAdd),
    ("FPMin", FloatOp::Min),
    ("FPMax", FloatOp::Max),
    ("FPRoundInt", FloatOp::RoundToInt),
];

/// Comparisons of two operands, and whether these are exchanged.
const COMPARISONS: &[(&str, FloatOp, bool)] = &[
    ("FPCompareEQ", FloatOp::Eq, false),
    ("FPCompareGE", FloatOp::Le, true),
    ("FPCompareGT", FloatOp::Lt, true),
    ("FPCompareUN", FloatOp::Unordered, false),
];

/// Rounding modes, with their number in the IR.
const ROUNDINGS: &[(&str, u32)] = &[
    (NEAREST_EVEN, 0),
    ("FPRounding_NEGINF", 1),
    ("FPRounding_POSINF", 2),
    ("FPRounding_ZERO", 3),
    ("FPRounding_TIEAWAY", 4),
    ("FPRounding_ODD", 5),
];

/// The rounding that the control register has after a reset.
const NEAREST_EVEN: &str = "FPRounding_TIEEVEN";

/// The number of the rounding mode that makes a second rounding, to fewer bits, exact.
const ODD: u32 = 5;

/// Width of the control register.
const CONTROL_WIDTH: u32 = 32;

/// A number in a format.
#[derive(Clone, Copy)]
struct Operand {
    node: NodeId,
    width: u32,
}

impl Machine<'_> {
    /// The value of the control register of floating-point arithmetic, if `name` is that.
    pub(super) fn float_control(&mut self, name: &str) -> Option<Value> {
        (name == "FPCR").then(|| Value::Bits(self.dag.int(0), Width::Known(CONTROL_WIDTH)))
    }

    /// The value of a function on floating-point numbers, if `name` is one that the IR has.
    pub(super) fn float_builtin(
        &mut self,
        name: &str,
        args: &[Expr],
        want: Option<u32>,
        offset: Offset,
    ) -> Run<Option<Value>> {
        if let Some((_, op)) = SAME_FORMAT.iter().find(|(known, _)| *known == name)
            && args.len() > op.arity()
        {
            return self.same_format(*op, args, want, offset).map(Some);
        }
        if let Some((_, op, exchanged)) = COMPARISONS.iter().find(|(known, ..)| *known == name)
            && let [left, right, _] = args
        {
            let (left, right) = if *exchanged { (right, left) } else { (left, right) };
            let left = self.float_operand(left, None)?;
            let right = self.float_operand(right, Some(left.width))?;
            let node = self.float_node(*op, left.width, (1, 0), &[left.node, right.node], offset)?;
            return Ok(Some(Value::Bool(node)));
        }
        Ok(Some(match (name, args) {
            ("FPRoundingMode", [_]) => Value::Enum(NEAREST_EVEN.into()),
            ("FPConvert", [of, _, rounding @ ..]) => {
                let width = self.wanted(want, offset)?;
                let of = self.float_operand(of, None)?;
                let mode = self.rounding(rounding.first())?;
                self.converted(of, (self.exponent(width, offset)?, width), mode, offset)?
            }
            ("FPConvertBF", [of, _, rounding @ ..]) => {
                let of = self.float_operand(of, Some(32))?;
                let mode = self.rounding(rounding.first())?;
                self.converted(of, (8, 16), mode, offset)?
            }
            ("FPToFixed", [of, fraction, unsigned, _, rounding]) => {
                let width = self.wanted(want, offset)?;
                let of = self.float_operand(of, None)?;
                let fraction = self.integer(fraction)?;
                let signed = !self.known_boolean(unsigned)?;
                let mode = self.rounding(Some(rounding))?;
                self.fixed_of_number(of, fraction, (width, signed), mode, offset)?
            }
            ("FixedToFP", [of, fraction, unsigned, _, rounding]) => {
                let width = self.wanted(want, offset)?;
                let (node, own) = self.known_bits(of)?;
                let fraction = self.integer(fraction)?;
                let signed = !self.known_boolean(unsigned)?;
                let integer = if signed { self.dag.slice(node, 0, own, true) } else { node };
                let mode = self.rounding(Some(rounding))?;
                self.number_of_fixed(integer, fraction, width, mode, offset)?
            }
            _ => return Ok(None),
        }))
    }

    fn same_format(&mut self, op: FloatOp, args: &[Expr], want: Option<u32>, offset: Offset) -> Run<Value> {
        let mut operands = Vec::with_capacity(op.operands());
        let mut width = want;
        for arg in &args[..op.arity()] {
            let operand = self.float_operand(arg, width)?;
            width = Some(operand.width);
            operands.push(operand);
        }
        let width = operands[0].width;
        if operands.iter().any(|operand| operand.width != width) {
            return self.fault(Reason::Type, offset, "operands of unlike widths");
        }
        if op == FloatOp::MulAdd {
            // Arm has the addend first.
            operands.rotate_left(1);
        }
        let mut nodes: Vec<NodeId> = operands.iter().map(|operand| operand.node).collect();
        if op.rounds() {
            nodes.push(self.rounding(args.get(op.arity() + 1))?);
        }
        let node = self.float_node(op, width, (width, 0), &nodes, offset)?;
        Ok(Value::Bits(node, Width::Known(width)))
    }

    fn converted(
        &mut self,
        of: Operand,
        (exponent, width): (u32, u32),
        mode: NodeId,
        offset: Offset,
    ) -> Run<Value> {
        let node =
            self.float_node(FloatOp::Convert, of.width, (width, exponent), &[of.node, mode], offset)?;
        Ok(Value::Bits(node, Width::Known(width)))
    }

    /// The nearest number with `fraction` bits after the point, clamped to the width; 0 for a NaN.
    fn fixed_of_number(
        &mut self,
        of: Operand,
        fraction: NodeId,
        (width, signed): (u32, bool),
        mode: NodeId,
        offset: Offset,
    ) -> Run<Value> {
        let scaled = if self.dag.as_i64(fraction) == Some(0) {
            of
        } else {
            // As a double the product is exact, or too large for every width.
            let double = self.double(of, offset)?;
            let power = self.power_of_two(fraction, 64, offset)?;
            self.product(double, power, offset)?
        };
        let shape = (width, u32::from(signed));
        let node = self.float_node(FloatOp::ToInt, scaled.width, shape, &[scaled.node, mode], offset)?;
        Ok(Value::Bits(self.dag.slice(node, 0, width, false), Width::Known(width)))
    }

    /// The number of an integer whose lowest `fraction` bits are after the point.
    fn number_of_fixed(
        &mut self,
        integer: NodeId,
        fraction: NodeId,
        width: u32,
        mode: NodeId,
        offset: Offset,
    ) -> Run<Value> {
        let whole = self.dag.as_i64(fraction) == Some(0);
        // A half can overflow or lose bits before it is scaled. What a double has rounded to odd can be rounded
        // once more.
        let (through, first) = match whole || width > 16 {
            true => (width, mode),
            false => (64, self.dag.int(ODD)),
        };
        let node = self.float_node(FloatOp::FromInt, through, (through, 0), &[integer, first], offset)?;
        let number = Operand { node, width: through };
        if whole {
            return Ok(Value::Bits(node, Width::Known(width)));
        }
        let negative = self.dag.neg(fraction);
        let power = self.power_of_two(negative, through, offset)?;
        let scaled = self.product(number, power, offset)?;
        if through == width {
            return Ok(Value::Bits(scaled.node, Width::Known(width)));
        }
        self.converted(scaled, (self.exponent(width, offset)?, width), mode, offset)
    }

    fn double(&mut self, of: Operand, offset: Offset) -> Run<Operand> {
        if of.width == 64 {
            return Ok(of);
        }
        let exact = self.dag.int(0);
        let node = self.float_node(
            FloatOp::Convert,
            of.width,
            (64, self.exponent(64, offset)?),
            &[of.node, exact],
            offset,
        )?;
        Ok(Operand { node, width: 64 })
    }

    /// A product that is exact.
    fn product(&mut self, one: Operand, power: NodeId, offset: Offset) -> Run<Operand> {
        let mode = self.dag.int(0);
        let width = one.width;
        let node = self.float_node(FloatOp::Mul, width, (width, 0), &[one.node, power, mode], offset)?;
        Ok(Operand { node, width })
    }

    /// Two to the power of a small integer, as a number of `width` bits.
    fn power_of_two(&mut self, power: NodeId, width: u32, offset: Offset) -> Run<NodeId> {
        let exponent = self.exponent(width, offset)?;
        let unit = Int::ONE << (width - 1 - exponent) as usize;
        let bias = (Int::ONE << (exponent - 1) as usize) - Int::ONE;
        let pattern = self.dag.linear(&[(power, unit.clone())], bias * unit);
        Ok(self.dag.slice(pattern, 0, width, false))
    }

    /// An operator on numbers of `width` bits; its value has a width and a target.
    fn float_node(
        &mut self,
        op: FloatOp,
        width: u32,
        (value, target): (u32, u32),
        operands: &[NodeId],
        offset: Offset,
    ) -> Run<NodeId> {
        let exponent = self.exponent(width, offset)?;
        let float = Float { op, nan: NanRule::SignalingFirst, exponent, target };
        Ok(self.dag.float(float, width, value, operands))
    }

    /// Bits of the exponent in the format of a width.
    fn exponent(&self, width: u32, offset: Offset) -> Run<u32> {
        match width {
            16 => Ok(5),
            32 => Ok(8),
            64 => Ok(11),
            _ => self.fault(Reason::Type, offset, format!("a floating-point number of {width} bits")),
        }
    }

    fn float_operand(&mut self, expr: &Expr, want: Option<u32>) -> Run<Operand> {
        match self.eval(expr, want)? {
            Value::Bits(node, Width::Known(width)) => Ok(Operand { node, width }),
            other => {
                let message = format!("expected a floating-point number, found {}", other.kind());
                self.fault(Reason::Type, expr.offset, message)
            }
        }
    }

    fn known_boolean(&mut self, expr: &Expr) -> Run<bool> {
        let node = self.boolean(expr)?;
        match self.dag.as_i64(node) {
            Some(value) => Ok(value != 0),
            None => self.fault(Reason::Symbolic, expr.offset, "a boolean must be known here"),
        }
    }

    /// The number of a rounding mode; without one that of the control register.
    fn rounding(&mut self, expr: Option<&Expr>) -> Run<NodeId> {
        let Some(expr) = expr else { return Ok(self.dag.int(0)) };
        let value = self.eval(expr, None)?;
        let number = match &value {
            Value::Enum(name) => ROUNDINGS.iter().find(|(known, _)| *known == &**name),
            _ => None,
        };
        match number {
            Some((_, number)) => Ok(self.dag.int(*number)),
            None => {
                self.fault(Reason::Type, expr.offset, format!("expected a rounding, found {}", value.kind()))
            }
        }
    }
}
