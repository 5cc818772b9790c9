//! The helper library: what the documents' bodies call and no document defines.
//!
//! A table maps names to the few operations that implement them. Arguments arrive unevaluated: some name
//! places that are written, some have no value.

use hydride_ir::exact::NodeId;

use super::machine::Machine;
use super::memory::Access;
use super::source::Fault;
use super::syntax::{Binary, Expr, ExprKind};
use super::view::View;
use crate::pseudocode::Reason;

/// What a helper does.
#[derive(Clone, Copy, Debug)]
enum Helper {
    /// `(x)`: the value clamped to a width.
    Saturate(u32, bool),
    /// `(n, x)`: the value clamped to `n` bits.
    SaturateTo(bool),
    /// `(x)`: the low bits.
    Low(u32, bool),
    /// `(n, m, x)`: the low `n` bits.
    LowOf(bool),
    /// `(n, x)`: element `n`.
    Get(u32, bool),
    /// `(n, place, x)`: writes element `n`.
    Set(u32),
    /// `(a, b)`: product of the low bits of both.
    Multiply((u32, bool), (u32, bool)),
    Absolute,
    Maximum,
    Minimum,
    /// `(x)`: plus half of 2^16.
    Round,
    /// `(x)`: one bits from the top of a width.
    LeadingOnes(u32),
    /// `(x)`: number of one bits in a width.
    CountOnes(u32),
    /// `(x, count, sizes)`: shift, the other way for a negative count.
    Shift {
        left: bool,
        signed: bool,
    },
    /// `(a, b)`: exchanges two places.
    Exchange,
    /// `(a, b, c)`: carry out of the 32-bit sum.
    Carry,
    /// `(q, i, a, b)`: for each byte of element `i`, from `a` where the predicate bit is 1, else `b`.
    SelectBytes,
    /// `(n)`: elements of `n` bits in a vector.
    Elements,
    /// `(x)`: the logarithm of a power of two.
    Logarithm,
    /// The logarithm of the vector's bytes.
    VectorLogarithm,
    /// Memory.
    Access(Access),
    /// No effect on values.
    Nothing,
}

/// The library. Names with `f` are the semantics file's, the others the manual's.
const HELPERS: &[(&str, Helper)] = &[
    ("fVSATB", Helper::Saturate(8, true)),
    ("fVSATH", Helper::Saturate(16, true)),
    ("fVSATW", Helper::Saturate(32, true)),
    ("fVSAT", Helper::Saturate(32, true)),
    ("fVSATUB", Helper::Saturate(8, false)),
    ("fVSATUH", Helper::Saturate(16, false)),
    ("fVSATUW", Helper::Saturate(32, false)),
    ("fVSATN", Helper::SaturateTo(true)),
    ("fVSATUN", Helper::SaturateTo(false)),
    ("fSE8_16", Helper::Low(8, true)),
    ("fSE16_32", Helper::Low(16, true)),
    ("fSE32_64", Helper::Low(32, true)),
    ("fZE8_16", Helper::Low(8, false)),
    ("fZE16_32", Helper::Low(16, false)),
    ("fZE32_64", Helper::Low(32, false)),
    ("fCAST4s", Helper::Low(32, true)),
    ("fCAST4u", Helper::Low(32, false)),
    ("fCAST8s", Helper::Low(64, true)),
    ("fCAST8u", Helper::Low(64, false)),
    ("fSXTN", Helper::LowOf(true)),
    ("fZXTN", Helper::LowOf(false)),
    ("fGETBYTE", Helper::Get(8, true)),
    ("fGETUBYTE", Helper::Get(8, false)),
    ("fGETHALF", Helper::Get(16, true)),
    ("fGETUHALF", Helper::Get(16, false)),
    ("fGETWORD", Helper::Get(32, true)),
    ("fGETUWORD", Helper::Get(32, false)),
    ("fSETBYTE", Helper::Set(8)),
    ("fSETHALF", Helper::Set(16)),
    ("fSETWORD", Helper::Set(32)),
    ("fMPY8UU", Helper::Multiply((8, false), (8, false))),
    ("fMPY8US", Helper::Multiply((8, false), (8, true))),
    ("fMPY8SU", Helper::Multiply((8, true), (8, false))),
    ("fMPY8SS", Helper::Multiply((8, true), (8, true))),
    ("fMPY16UU", Helper::Multiply((16, false), (16, false))),
    ("fMPY16US", Helper::Multiply((16, false), (16, true))),
    ("fMPY16SU", Helper::Multiply((16, true), (16, false))),
    ("fMPY16SS", Helper::Multiply((16, true), (16, true))),
    ("fMPY32UU", Helper::Multiply((32, false), (32, false))),
    ("fMPY32SU", Helper::Multiply((32, true), (32, false))),
    ("fMPY32SS", Helper::Multiply((32, true), (32, true))),
    ("fMPY3216SU", Helper::Multiply((32, true), (16, false))),
    ("fMPY3216SS", Helper::Multiply((32, true), (16, true))),
    ("fABS", Helper::Absolute),
    ("fMAX", Helper::Maximum),
    ("fMIN", Helper::Minimum),
    ("fROUND", Helper::Round),
    ("fCL1_2", Helper::LeadingOnes(16)),
    ("fCL1_4", Helper::LeadingOnes(32)),
    ("fCOUNTONES_2", Helper::CountOnes(16)),
    ("fCOUNTONES_4", Helper::CountOnes(32)),
    ("fBIDIR_ASHIFTL", Helper::Shift { left: true, signed: true }),
    ("fBIDIR_ASHIFTR", Helper::Shift { left: false, signed: true }),
    ("fBIDIR_LSHIFTL", Helper::Shift { left: true, signed: false }),
    ("fBIDIR_LSHIFTR", Helper::Shift { left: false, signed: false }),
    ("mmvec_current_veclogsize", Helper::VectorLogarithm),
    ("warn", Helper::Nothing),
    ("mem_load_vector_oddva", Helper::Access(Access::Load)),
    ("mem_store_vector_oddva", Helper::Access(Access::Store)),
    ("mem_store_release", Helper::Access(Access::Release)),
    ("mem_vector_gather_init", Helper::Access(Access::Start)),
    ("mem_vector_scatter_init", Helper::Access(Access::Start)),
    ("sim_mem_read1", Helper::Access(Access::ReadByte)),
    ("LOG_VTCM_BYTE", Helper::Access(Access::NoteByte)),
    ("LOG_VTCM_BANK", Helper::Nothing),
    ("mem_vector_gather_finish", Helper::Access(Access::FinishGather)),
    ("mem_vector_scatter_finish", Helper::Access(Access::FinishScatter)),
    ("ABS", Helper::Absolute),
    ("SWAP", Helper::Exchange),
    ("VELEM", Helper::Elements),
    ("carry_from", Helper::Carry),
    ("log2", Helper::Logarithm),
    ("round", Helper::Round),
    ("sat8", Helper::Saturate(8, true)),
    ("sat16", Helper::Saturate(16, true)),
    ("sat32", Helper::Saturate(32, true)),
    ("select_bytes", Helper::SelectBytes),
    ("usat8", Helper::Saturate(8, false)),
    ("usat16", Helper::Saturate(16, false)),
    ("usat32", Helper::Saturate(32, false)),
    // Assembler notation for the halves of a pair; the prototypes' syntax is their only text.
    ("lo", Helper::Get(0, false)),
    ("hi", Helper::Get(0, true)),
];

fn helper(name: &str) -> Option<Helper> {
    HELPERS.iter().find(|(known, _)| *known == name).map(|(_, helper)| *helper)
}

/// Whether the library has a helper of this name.
pub(super) fn is_known(name: &str) -> bool {
    helper(name).is_some()
}

impl Machine {
    /// Named numbers: sizes of a vector, and what is no more than a mark: nothing happens where an instruction is
    /// cancelled, and no instruction that runs to its end meets an exception.
    pub fn named_constant(&mut self, name: &str) -> Option<NodeId> {
        let value = match name {
            "VWIDTH" | "VECTOR_SIZE" => self.vector_bytes,
            "VBITS" => self.vector_bytes * 8,
            "CANCEL" | "EXCEPTION_DETECTED" => 0,
            _ => return None,
        };
        Some(self.dag.int(value))
    }

    /// Calls a helper; `None` for one without value.
    pub fn call(&mut self, name: &str, arguments: &[Expr], at: usize) -> Result<Option<NodeId>, Fault> {
        let Some(helper) = helper(name) else {
            return Err(Fault::failed(Reason::UnknownCall, at, format!("{name} is defined in no document")));
        };
        let arity = || {
            Fault::failed(
                Reason::UnknownCall,
                at,
                format!("{name} is called with {} arguments", arguments.len()),
            )
        };
        let value = match (helper, arguments) {
            (Helper::Nothing, _) => return Ok(None),
            (Helper::Access(access), _) => return self.access(access, arguments, at),
            (Helper::VectorLogarithm, _) => {
                let log = self.vector_bytes.trailing_zeros();
                self.dag.int(log)
            }
            (Helper::Get(0, high), [of]) => {
                let of = self.view(of)?;
                let index = self.dag.int(u32::from(high));
                let half = self.sub_element(of, index, (self.vector_bytes * 8, false), at)?;
                self.read(&half, at)?
            }
            (Helper::Saturate(width, signed), [of]) => {
                let of = self.value(of)?;
                self.dag.saturate(of, width, signed)
            }
            (Helper::SaturateTo(signed), [width, of]) => {
                let width = self.width(width)?;
                let of = self.value(of)?;
                self.dag.saturate(of, width, signed)
            }
            (Helper::Low(width, signed), [of]) => {
                let of = self.value(of)?;
                self.dag.slice(of, 0, width, signed)
            }
            (Helper::LowOf(signed), [width, _, of]) => {
                let width = self.width(width)?;
                let of = self.value(of)?;
                self.dag.slice(of, 0, width, signed)
            }
            (Helper::Get(width, signed), [index, of]) => {
                let view = self.view(of)?;
                let index = self.value(index)?;
                let element = self.sub_element(view, index, (width, signed), at)?;
                self.read(&element, at)?
            }
            (Helper::Set(width), [index, place, value]) => {
                let value = self.value(value)?;
                let view = self.view(place)?;
                let index = self.value(index)?;
                let element = self.sub_element(view, index, (width, false), at)?;
                self.write(&element, value, at)?;
                return Ok(None);
            }
            (Helper::Multiply(left, right), [a, b]) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                let a = self.dag.slice(a, 0, left.0, left.1);
                let b = self.dag.slice(b, 0, right.0, right.1);
                self.dag.mul(a, b)
            }
            (Helper::Absolute, [of]) => {
                let of = self.value(of)?;
                self.dag.abs(of)
            }
            (Helper::Maximum | Helper::Minimum, [a, b]) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                if matches!(helper, Helper::Maximum) { self.dag.max(a, b) } else { self.dag.min(a, b) }
            }
            (Helper::Round, [of]) => {
                let of = self.value(of)?;
                let half = self.dag.int(0x8000);
                self.dag.sum(&[of, half])
            }
            (Helper::LeadingOnes(width), [of]) => {
                let of = self.value(of)?;
                let complement = self.dag.not(of);
                self.dag.leading_zeros(complement, width)
            }
            (Helper::CountOnes(width), [of]) => {
                let of = self.value(of)?;
                let bits = self.dag.slice(of, 0, width, false);
                self.dag.popcount(bits)
            }
            (Helper::Shift { left, signed }, [of, count, sizes]) => {
                self.shift(left, signed, [of, count, sizes], at)?
            }
            (Helper::Exchange, [a, b]) => {
                let (a, b) = (self.view(a)?, self.view(b)?);
                let (first, second) = (self.read(&a, at)?, self.read(&b, at)?);
                self.write(&a, second, at)?;
                self.write(&b, first, at)?;
                return Ok(None);
            }
            (Helper::Carry, [a, b, carry]) => {
                let (a, b, carry) = (self.value(a)?, self.value(b)?, self.value(carry)?);
                let a = self.dag.slice(a, 0, 32, false);
                let b = self.dag.slice(b, 0, 32, false);
                let sum = self.dag.sum(&[a, b, carry]);
                self.dag.slice(sum, 32, 1, false)
            }
            (Helper::SelectBytes, [predicate, index, then, otherwise]) => {
                self.select_bytes([predicate, index, then, otherwise], at)?
            }
            (Helper::Elements, [width]) => {
                let width = self.width(width)?;
                let count = self.vector_bytes * 8 / width;
                self.dag.int(count)
            }
            (Helper::Logarithm, [of]) => {
                let of = self.constant(of)?;
                match u64::try_from(of) {
                    Ok(of) if of.is_power_of_two() => self.dag.int(of.trailing_zeros()),
                    _ => {
                        return Err(Fault::failed(Reason::Unsupported, at, "a logarithm of no power of two"));
                    }
                }
            }
            _ => return Err(arity()),
        };
        self.checked(value, at).map(Some)
    }

    /// An argument that is a width.
    fn width(&mut self, expr: &Expr) -> Result<u32, Fault> {
        let width = self.constant(expr)?;
        match u32::try_from(width) {
            Ok(width @ 1..=4096) => Ok(width),
            _ => Err(Fault::failed(Reason::Unsupported, expr.at, format!("a width of {width} bits"))),
        }
    }

    /// A shift that reverses direction for a negative count; the shifted value is first read at its size.
    fn shift(
        &mut self,
        left: bool,
        signed: bool,
        [of, count, sizes]: [&Expr; 3],
        at: usize,
    ) -> Result<NodeId, Fault> {
        let ExprKind::Sizes(bytes @ 1..=8) = sizes.kind else {
            return Err(Fault::failed(
                Reason::Unsupported,
                sizes.at,
                "operand sizes such as 4_8 are expected",
            ));
        };
        let of = self.value(of)?;
        let of = self.dag.slice(of, 0, bytes * 8, signed);
        let count = self.value(count)?;
        let (forward, backward) = if left { (Binary::Shl, Binary::Shr) } else { (Binary::Shr, Binary::Shl) };
        let zero = self.dag.int(0);
        let is_negative = self.dag.lt(count, zero);
        let opposite = self.dag.neg(count);
        match self.dag.as_i64(is_negative) {
            Some(0) => self.binary(forward, of, count, at),
            Some(_) => self.binary(backward, of, opposite, at),
            None => {
                let then = self.binary(backward, of, opposite, at)?;
                let otherwise = self.binary(forward, of, count, at)?;
                Ok(self.dag.select(is_negative, then, otherwise))
            }
        }
    }

    fn select_bytes(
        &mut self,
        [predicate, index, then, otherwise]: [&Expr; 4],
        at: usize,
    ) -> Result<NodeId, Fault> {
        use hydride_ir::exact::Part;
        // One of the two is the register's element, which has the width.
        let mut element = None;
        for operand in [then, otherwise] {
            let View { width, signed, .. } = self.view(operand)?;
            if matches!(width, 8 | 16 | 32) {
                element = element.or(Some((width, signed)));
            }
        }
        let Some((width, signed)) = element else {
            return Err(Fault::failed(Reason::Unsupported, then.at, "the bytes of a value without width"));
        };
        let predicate = self.view(predicate)?;
        let index = self.constant(index)?;
        let (then, otherwise) = (self.value(then)?, self.value(otherwise)?);
        let mut parts = Vec::new();
        for byte in 0..width / 8 {
            let bit = self.dag.int(index * i64::from(width / 8) + i64::from(byte));
            let bit = self.element(&predicate, bit, at)?;
            let bit = self.read(&bit, at)?;
            let then = self.dag.slice(then, byte * 8, 8, false);
            let otherwise = self.dag.slice(otherwise, byte * 8, 8, false);
            parts.push(Part { node: self.dag.select(bit, then, otherwise), width: 8 });
        }
        let joined = self.dag.concat(&parts);
        Ok(self.dag.slice(joined, 0, width, signed))
    }
}
