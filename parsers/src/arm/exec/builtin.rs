//! Functions that the documents call but do not define, and effects that no result shows.

use hydride_ir::exact::{Int, NodeId, Part};

use super::{Machine, Run, Value, Width};
use crate::arm::asl::ast::{Expr, Offset};
use crate::pseudocode::Reason;

/// Procedures whose effects (traps) are not part of an instruction's result.
const DROPPED: &[&str] = &[
    "CheckFPAdvSIMDEnabled64",
    "AArch64.CheckFPAdvSIMDEnabled",
    "CheckSVEEnabled",
    "SetNotTagCheckedInstruction",
    "SetTagCheckedInstruction",
];

/// Questions about the machine's state that have one answer for Neon.
const ANSWERS: &[(&str, bool)] =
    &[("IsSVEEnabled", false), ("IsMerging", false), ("ConstrainUnpredictableBool", false)];

/// Whether a name belongs to floating-point arithmetic.
pub(super) fn is_floating_point(name: &str) -> bool {
    name.starts_with("FP") && name != "FPSR"
        || name.starts_with("BF")
        || name == "FixedToFP"
        || name == "RoundTowardsZero"
}

/// Whether a name is a register of flags whose writes are dropped.
pub(super) fn is_flags(name: &str) -> bool {
    name == "FPSR"
}

impl Machine<'_> {
    /// The value of a builtin function, if `name` is one.
    pub(super) fn builtin(
        &mut self,
        name: &str,
        args: &[Expr],
        want: Option<u32>,
        offset: Offset,
    ) -> Run<Option<Value>> {
        if DROPPED.contains(&name) {
            return Ok(Some(Value::Unit));
        }
        if let Some((_, answer)) = ANSWERS.iter().find(|(known, _)| *known == name) {
            return Ok(Some(Value::Bool(self.dag.int(i64::from(*answer)))));
        }
        if let Some(extension) = name.strip_prefix("Have").and_then(|name| name.strip_suffix("Ext"))
            && args.is_empty()
        {
            self.extension(extension);
            return Ok(Some(Value::Bool(self.dag.int(1))));
        }
        if let Some(value) = self.float_builtin(name, args, want, offset)? {
            return Ok(Some(value));
        }
        let value = match (name, args) {
            ("UInt", [x]) => {
                let (node, _) = self.bits(x)?;
                Value::Int(node)
            }
            ("SInt", [x]) => {
                let (node, width) = self.known_bits(x)?;
                Value::Int(self.dag.slice(node, 0, width, true))
            }
            ("Zeros", []) => Value::Bits(self.dag.int(0), Width::Known(self.wanted(want, offset)?)),
            ("Zeros", [width]) => {
                let node = self.integer(width)?;
                Value::Bits(self.dag.int(0), self.width_of(node, offset)?)
            }
            ("Ones", []) => {
                let width = self.wanted(want, offset)?;
                self.ones(width)
            }
            ("Ones", [width]) => {
                let node = self.integer(width)?;
                let width = self.known_width(node, offset)?;
                self.ones(width)
            }
            ("Replicate", [x, count]) => {
                let (node, width) = self.known_bits(x)?;
                let count = self.integer(count)?;
                let count = self.known_width(count, offset)?;
                self.replicate(node, width, count, offset)?
            }
            ("Replicate", [x]) => {
                let (node, width) = self.known_bits(x)?;
                let total = self.wanted(want, offset)?;
                if width == 0 || total % width != 0 {
                    return self.fault(Reason::Type, offset, format!("{total} bits from {width} bits"));
                }
                self.replicate(node, width, total / width, offset)?
            }
            ("IsZero", [x]) => {
                let (node, _) = self.bits(x)?;
                let zero = self.dag.int(0);
                Value::Bool(self.dag.eq(node, zero))
            }
            ("IsOnes", [x]) => {
                let (node, width) = self.known_bits(x)?;
                let Value::Bits(ones, _) = self.ones(width) else { return Ok(None) };
                Value::Bool(self.dag.eq(node, ones))
            }
            ("ZeroExtend", [x]) => {
                let (node, _) = self.bits(x)?;
                Value::Bits(node, Width::Known(self.wanted(want, offset)?))
            }
            ("ZeroExtend", [x, width]) => {
                let (node, _) = self.bits(x)?;
                let width = self.integer(width)?;
                Value::Bits(node, self.width_of(width, offset)?)
            }
            ("SignExtend", [x]) => {
                let total = self.wanted(want, offset)?;
                self.sign_extend(x, total)?
            }
            ("SignExtend", [x, width]) => {
                let node = self.integer(width)?;
                let total = self.known_width(node, offset)?;
                self.sign_extend(x, total)?
            }
            _ => return Ok(None),
        };
        Ok(Some(value))
    }

    pub(super) fn wanted(&self, want: Option<u32>, offset: Offset) -> Run<u32> {
        want.map_or_else(|| self.fault(Reason::Type, offset, "the context gives no width"), Ok)
    }

    fn ones(&mut self, width: u32) -> Value {
        let ones = (Int::ONE << width as usize) - Int::ONE;
        Value::Bits(self.dag.int(ones), Width::Known(width))
    }

    fn bits(&mut self, expr: &Expr) -> Run<(NodeId, Width)> {
        match self.eval(expr, None)? {
            Value::Bits(node, width) => Ok((node, width)),
            other => self.fault(Reason::Type, expr.offset, format!("expected bits, found {}", other.kind())),
        }
    }

    pub(super) fn known_bits(&mut self, expr: &Expr) -> Run<(NodeId, u32)> {
        match self.bits(expr)? {
            (node, Width::Known(width)) => Ok((node, width)),
            _ => self.fault(Reason::Symbolic, expr.offset, "a width must be known here"),
        }
    }

    fn replicate(&mut self, node: NodeId, width: u32, count: u32, offset: Offset) -> Run<Value> {
        let total = width.saturating_mul(count);
        if total > hydride_ir::MAX_WIDTH {
            return self.fault(Reason::Limit, offset, format!("a value of {total} bits"));
        }
        let parts = vec![Part { node, width }; count as usize];
        Ok(Value::Bits(self.dag.concat(&parts), Width::Known(total)))
    }

    fn sign_extend(&mut self, expr: &Expr, total: u32) -> Run<Value> {
        let (node, width) = self.known_bits(expr)?;
        let signed = self.dag.slice(node, 0, width, true);
        Ok(Value::Bits(self.dag.slice(signed, 0, total, false), Width::Known(total)))
    }
}
