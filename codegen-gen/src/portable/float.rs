//! Floating-point operators: operands are read as LLVM's types, and values written back as bits.
//!
//! Operators for which LLVM would call the C library on targets that lack an instruction are put together from
//! arithmetic: rounding to integers, and products with a sum below 64 bits. So is `bfloat`, which not all targets have:
//! it is the upper half of a `float`.

use hydride_ir::{Bits, ExprId, Float, FloatOp, Function, NanRule, Num, Op};
use llvm_text::{Instruction, Operand, Scalar, Type, Value as Name};

use super::code::{constant, lanes_type};
use super::lower::{Body, Value};
use crate::float::{constant_mode, is_arithmetic, operand_scalar, rounding};
use crate::space::{Space, union};

/// Rounding modes by their numbers in the IR.
const NEAREST_EVEN: u64 = 0;
const DOWN: u64 = 1;
const UP: u64 = 2;
const TOWARD_ZERO: u64 = 3;
const NEAREST_AWAY: u64 = 4;

/// Integers of up to so many bits become `double` exactly.
const EXACT_IN_DOUBLE: u32 = 53;

/// Whether LLVM has every floating-point operator of a function without parameters; else why not.
pub(super) fn check(function: &Function) -> Result<(), String> {
    for expr in function.exprs() {
        let Op::Float { float, operands } = &expr.op else { continue };
        let width = |num: &Num| num.as_constant().and_then(|width| u32::try_from(width).ok()).unwrap_or(0);
        let (of, to) = (width(&function.expr(operands[0]).width), width(&expr.width));
        let name = float.op.name();
        if float.op.approximates() {
            return Err(format!("`{name}`, an approximation of which each target has its own value"));
        }
        let own = if float.op == FloatOp::FromInt { to } else { of };
        let format = |exponent: &Num, width: u32| {
            let exponent_width = exponent.as_constant().unwrap_or(0);
            operand_scalar(exponent, width).ok_or_else(|| {
                format!("`{name}` on {width} bits with an exponent of {exponent_width}, which LLVM has no type for")
            })
        };
        let own = format(&float.exponent, own)?;
        if float.op == FloatOp::Convert {
            format(&float.target, to)?;
        }
        if float.op.gives_nans() && float.nan != NanRule::Open {
            return Err(format!("`{name}` with a rule for NaNs, which LLVM leaves open"));
        }
        let mode = rounding(float, operands).map(|mode| constant_mode(function, mode));
        let computed = || format!("`{name}` with a rounding mode that is computed");
        let other = |mode: u64| format!("`{name}` with rounding mode {mode}");
        let most = match float.op {
            FloatOp::RoundToInt | FloatOp::ToInt => NEAREST_AWAY,
            _ => NEAREST_EVEN,
        };
        match mode {
            Some(None) => return Err(computed()),
            Some(Some(mode)) if mode > most => return Err(other(mode)),
            _ => {}
        }
        if matches!(float.op, FloatOp::MulAdd | FloatOp::Sqrt) && own == Scalar::Double {
            return Err(format!("`{name}` on 64 bits, for which LLVM calls the C library on some targets"));
        }
        if float.op == FloatOp::FromInt && own == Scalar::BFloat && of > EXACT_IN_DOUBLE {
            return Err(format!("`{name}` of {of} bits to `bfloat`, which no type of LLVM holds before"));
        }
    }
    Ok(())
}

/// Lanes of a floating-point type.
#[derive(Clone)]
struct Lanes {
    name: Name,
    scalar: Scalar,
}

/// Where floating-point values of one number of lanes are computed.
struct Writer<'b, 'f> {
    body: &'b mut Body<'f>,
    lanes: usize,
}

impl Body<'_> {
    /// The value of an operator that [`check`] admits.
    pub(super) fn float(&mut self, float: &Float<Num>, operands: &[ExprId], to: u32) -> Option<Value> {
        let (ids, mode) = operands.split_at(float.op.arity());
        let mode = match mode.first() {
            Some(mode) => constant_mode(self.function, *mode)?,
            None => NEAREST_EVEN,
        };
        let values: Vec<Value> = ids.iter().map(|id| self.value(*id)).collect();
        let space = values.iter().fold(Space::new(), |space, value| union(&space, &value.space));
        let of = values[0].width;
        let names: Vec<Name> = values.iter().map(|value| self.operand(value, &space)).collect();
        let lanes = self.lanes(&space);
        let mut writer = Writer { body: self, lanes };
        let bits = lanes_type(lanes, to);
        let name = if float.op == FloatOp::FromInt {
            let scalar = operand_scalar(&float.exponent, to)?;
            let operator = if float.target.as_constant()? == 0 { "uitofp" } else { "sitofp" };
            let of = Operand::new(lanes_type(lanes, of), names[0].clone());
            let first = if scalar == Scalar::BFloat { Scalar::Double } else { scalar };
            let name = writer.emit(Instruction::cast(operator, of, writer.ty(first)));
            writer.written(&Lanes { name, scalar: first }, scalar)
        } else {
            let own = operand_scalar(&float.exponent, of)?;
            let values: Vec<Lanes> = names.into_iter().map(|name| writer.read(name, of, own)).collect();
            match float.op {
                FloatOp::Eq => writer.compare("oeq", &values[0], &values[1]),
                FloatOp::Lt => writer.compare("olt", &values[0], &values[1]),
                FloatOp::Le => writer.compare("ole", &values[0], &values[1]),
                FloatOp::Unordered => writer.compare("uno", &values[0], &values[1]),
                FloatOp::ToInt => {
                    let whole = if mode == TOWARD_ZERO {
                        values[0].clone()
                    } else {
                        writer.integral(&values[0], mode)
                    };
                    let word = if float.target.as_constant()? == 0 { "fptoui" } else { "fptosi" };
                    let ty = writer.ty(whole.scalar);
                    let function = format!("llvm.{word}.sat.{}.{}", bits.mangled(), ty.mangled());
                    writer.emit(Instruction::call(bits, function, vec![Operand::new(ty, whole.name)]))
                }
                FloatOp::Convert => writer.written(&values[0], operand_scalar(&float.target, to)?),
                FloatOp::RoundToInt => {
                    let value = writer.integral(&values[0], mode);
                    writer.written(&value, own)
                }
                op => {
                    debug_assert!(is_arithmetic(op) || matches!(op, FloatOp::Min | FloatOp::Max));
                    let value = writer.arithmetic(op, &values);
                    writer.written(&value, own)
                }
            }
        };
        Some(self.named(name, to, space))
    }
}

impl Writer<'_, '_> {
    fn emit(&mut self, instruction: Instruction) -> Name {
        self.body.code.emit(instruction)
    }

    fn ty(&self, scalar: Scalar) -> Type {
        lanes_type(self.lanes, scalar.width()).with_element(scalar)
    }

    fn integers(&self, width: u32) -> Type {
        lanes_type(self.lanes, width)
    }

    /// Bits as numbers of a format, or of a wider one.
    fn read(&mut self, bits: Name, width: u32, scalar: Scalar) -> Lanes {
        if scalar == Scalar::BFloat {
            let wide = self.integers(32);
            let of = Operand::new(self.integers(width), bits);
            let low = self.emit(Instruction::cast("zext", of, wide.clone()));
            let bits = self.emit(Instruction::binary("shl", wide, low, self.literal(32, 16)));
            return self.read(bits, 32, Scalar::Float);
        }
        let of = Operand::new(self.integers(width), bits);
        let name = self.emit(Instruction::cast("bitcast", of, self.ty(scalar)));
        Lanes { name, scalar }
    }

    fn bits(&mut self, of: &Lanes) -> Name {
        let to = self.integers(of.scalar.width());
        self.emit(Instruction::cast("bitcast", self.operand(of), to))
    }

    /// The bits of numbers in a format.
    fn written(&mut self, of: &Lanes, to: Scalar) -> Name {
        if to != Scalar::BFloat {
            let value = self.converted(of, to);
            return self.bits(&value);
        }
        let value = if of.scalar == Scalar::Double {
            let nearest = self.converted(of, Scalar::Float);
            let back = self.converted(&nearest, Scalar::Double);
            let error = self.binary("fsub", of, &back);
            self.odd(&nearest, &error)
        } else {
            self.converted(of, Scalar::Float)
        };
        // The upper half, rounded to the nearest even one; a NaN whose payload is in the lower half stays one.
        let (bits, ty) = (self.bits(&value), self.integers(32));
        let [sixteen, one, below_half, quiet] =
            [16, 1, 0x7fff, 0x7fc0_0000].map(|number| self.literal(32, number));
        let upper = self.emit(Instruction::binary("lshr", ty.clone(), bits.clone(), sixteen.clone()));
        let last = self.emit(Instruction::binary("and", ty.clone(), upper, one));
        let half = self.emit(Instruction::binary("add", ty.clone(), last, below_half));
        let sum = self.emit(Instruction::binary("add", ty.clone(), bits, half));
        let is_nan = self.compare("uno", &value, &value);
        let chosen = self.chosen(&is_nan, Operand::new(ty.clone(), quiet), Operand::new(ty.clone(), sum));
        let rounded = self.emit(Instruction::binary("lshr", ty.clone(), chosen, sixteen));
        self.emit(Instruction::cast("trunc", Operand::new(ty, rounded), self.integers(16)))
    }

    fn operand(&self, of: &Lanes) -> Operand {
        Operand::new(self.ty(of.scalar), of.name.clone())
    }

    fn binary(&mut self, operator: &'static str, left: &Lanes, right: &Lanes) -> Lanes {
        let (left_name, right) = (left.name.clone(), right.name.clone());
        let name = self.emit(Instruction::binary(operator, self.ty(left.scalar), left_name, right));
        Lanes { name, scalar: left.scalar }
    }

    /// A call of an intrinsic with operands and value of one type.
    fn call(&mut self, intrinsic: &str, operands: &[&Lanes]) -> Lanes {
        let scalar = operands[0].scalar;
        let ty = self.ty(scalar);
        let function = format!("llvm.{intrinsic}.{}", ty.mangled());
        let operands = operands.iter().map(|operand| self.operand(operand)).collect();
        Lanes { name: self.emit(Instruction::call(ty, function, operands)), scalar }
    }

    fn compare(&mut self, predicate: &'static str, left: &Lanes, right: &Lanes) -> Name {
        let ty = self.ty(left.scalar);
        self.emit(Instruction::compare_floats(predicate, ty, left.name.clone(), right.name.clone()))
    }

    fn select(&mut self, condition: &Name, then: &Lanes, otherwise: &Lanes) -> Lanes {
        let name = self.chosen(condition, self.operand(then), self.operand(otherwise));
        Lanes { name, scalar: then.scalar }
    }

    fn chosen(&mut self, condition: &Name, then: Operand, otherwise: Operand) -> Name {
        let condition = Operand::new(self.integers(1), condition.clone());
        self.emit(Instruction::Select { condition, then, otherwise })
    }

    /// The same bits in each lane.
    fn literal(&self, width: u32, value: u64) -> Name {
        constant(width, &vec![Bits::from_u64(width, value); self.lanes])
    }

    /// A positive power of two, in `float` or `double`.
    fn power(&mut self, scalar: Scalar, power: i64) -> Lanes {
        let (fraction, bias) = if scalar == Scalar::Double { (52, 1023) } else { (23, 127) };
        let width = scalar.width();
        let bits = self.literal(width, (bias + power).cast_unsigned() << fraction);
        self.read(bits, width, scalar)
    }

    fn converted(&mut self, of: &Lanes, to: Scalar) -> Lanes {
        if of.scalar == to {
            return of.clone();
        }
        let operator = if to.width() > of.scalar.width() { "fpext" } else { "fptrunc" };
        let name = self.emit(Instruction::cast(operator, self.operand(of), self.ty(to)));
        Lanes { name, scalar: to }
    }

    fn arithmetic(&mut self, op: FloatOp, values: &[Lanes]) -> Lanes {
        let operator = match op {
            FloatOp::Sub => "fsub",
            FloatOp::Mul => "fmul",
            FloatOp::Div => "fdiv",
            FloatOp::Sqrt => return self.call("sqrt", &[&values[0]]),
            FloatOp::Min | FloatOp::Max => {
                // LLVM 19 takes a wrong operand for vectors of `half` on x86-64.
                let narrow = values[0].scalar.width() < 32;
                let at = |writer: &mut Self, value: &Lanes| {
                    if narrow { writer.converted(value, Scalar::Float) } else { value.clone() }
                };
                let (left, right) = (at(self, &values[0]), at(self, &values[1]));
                let word = if op == FloatOp::Min { "minimum" } else { "maximum" };
                return self.call(word, &[&left, &right]);
            }
            FloatOp::MulAdd => return self.multiply_add(&values[0], &values[1], &values[2]),
            _ => "fadd",
        };
        self.binary(operator, &values[0], &values[1])
    }

    /// `a·b + c` of formats below `double`, in which the product is exact. Where the sum is not, it becomes odd, so that the
    /// second rounding gives what one rounding would.
    fn multiply_add(&mut self, left: &Lanes, right: &Lanes, addend: &Lanes) -> Lanes {
        let wide = Scalar::Double;
        let [a, b, c] = [left, right, addend].map(|value| self.converted(value, wide));
        let product = self.binary("fmul", &a, &b);
        let sum = self.binary("fadd", &product, &c);
        let added = self.binary("fsub", &sum, &product);
        let kept = self.binary("fsub", &sum, &added);
        let lost_of_product = self.binary("fsub", &product, &kept);
        let lost_of_addend = self.binary("fsub", &c, &added);
        let error = self.binary("fadd", &lost_of_product, &lost_of_addend);
        self.odd(&sum, &error)
    }

    /// Numbers to which an error of at most half a unit is to be added; with an error, the odd one of the two neighbors.
    fn odd(&mut self, of: &Lanes, error: &Lanes) -> Lanes {
        let width = of.scalar.width();
        let (ty, wide, bit) = (self.integers(width), self.integers(error.scalar.width()), self.integers(1));
        let zero = self.read(self.literal(error.scalar.width(), 0), error.scalar.width(), error.scalar);
        // False for the NaN that an infinity leaves.
        let inexact = self.compare("one", error, &zero);
        let (bits, error_bits) = (self.bits(of), self.bits(error));
        let [none, one, ones] = [0, 1, u64::MAX].map(|number| self.literal(width, number));
        let none_wide = self.literal(error.scalar.width(), 0);
        let negative = self.emit(Instruction::compare("slt", ty.clone(), bits.clone(), none.clone()));
        let below = self.emit(Instruction::compare("slt", wide, error_bits, none_wide));
        let toward_zero = self.emit(Instruction::binary("xor", bit.clone(), negative, below));
        let step =
            self.chosen(&toward_zero, Operand::new(ty.clone(), ones), Operand::new(ty.clone(), one.clone()));
        let other = self.emit(Instruction::binary("add", ty.clone(), bits.clone(), step));
        let last = self.emit(Instruction::binary("and", ty.clone(), bits.clone(), one));
        let even = self.emit(Instruction::compare("eq", ty.clone(), last, none));
        let moved = self.emit(Instruction::binary("and", bit, inexact, even));
        let odd = self.chosen(&moved, Operand::new(ty.clone(), other), Operand::new(ty, bits));
        self.read(odd, width, of.scalar)
    }

    /// The nearest integers by a rounding mode. Magnitudes below that from which on all numbers are integers become the
    /// nearest even integer when that is added and subtracted; other modes correct it by one.
    fn integral(&mut self, of: &Lanes, mode: u64) -> Lanes {
        if of.scalar.width() == 16 {
            let wide = self.converted(of, Scalar::Float);
            let whole = self.integral(&wide, mode);
            return self.converted(&whole, of.scalar);
        }
        let fraction = if of.scalar == Scalar::Double { 52 } else { 23 };
        let limit = self.power(of.scalar, fraction);
        let one = self.power(of.scalar, 0);
        let magnitude = self.call("fabs", &[of]);
        let has_fraction = self.compare("olt", &magnitude, &limit);
        let shifted = self.binary("fadd", &magnitude, &limit);
        let nearest = self.binary("fsub", &shifted, &limit);
        let lower = |writer: &mut Self| {
            let above = writer.compare("ogt", &nearest, &magnitude);
            let less = writer.binary("fsub", &nearest, &one);
            writer.select(&above, &less, &nearest)
        };
        let upper = |writer: &mut Self| {
            let below = writer.compare("olt", &nearest, &magnitude);
            let more = writer.binary("fadd", &nearest, &one);
            writer.select(&below, &more, &nearest)
        };
        let whole = match mode {
            DOWN | UP => {
                let (lower, upper) = (lower(self), upper(self));
                let (bits, ty) = (self.bits(of), self.integers(of.scalar.width()));
                let zero = self.literal(of.scalar.width(), 0);
                let negative = self.emit(Instruction::compare("slt", ty, bits, zero));
                let (then, otherwise) = if mode == DOWN { (upper, lower) } else { (lower, upper) };
                self.select(&negative, &then, &otherwise)
            }
            TOWARD_ZERO => lower(self),
            NEAREST_AWAY => {
                let lower = lower(self);
                let half = self.power(of.scalar, -1);
                let rest = self.binary("fsub", &magnitude, &lower);
                let reaches = self.compare("oge", &rest, &half);
                let more = self.binary("fadd", &lower, &one);
                self.select(&reaches, &more, &lower)
            }
            _ => nearest,
        };
        let signed = self.call("copysign", &[&whole, of]);
        self.select(&has_fraction, &signed, of)
    }
}
