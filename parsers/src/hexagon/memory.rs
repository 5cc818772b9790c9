//! Memory: what the macros of loads, stores, gathers and scatters do at last, in the semantics file's own terms.
//!
//! The macros end in calls of the simulator that the documents come from. These are few and general, and are all that is
//! said here about memory; which bytes, where, and under which condition is what the macros' text says:
//!
//! | call | meaning |
//! |---|---|
//! | `mem_load_vector_oddva` | so many bytes at an address, into a register from a byte on |
//! | `mem_store_vector_oddva` | the bytes of a register from a byte on that a mask lets through, to an address |
//! | `mem_vector_gather_init`, `mem_vector_scatter_init` | where the region starts, and how wide its elements are |
//! | `sim_mem_read1` | a byte of the region |
//! | `LOG_VTCM_BYTE` | notes a byte's address, condition and value |
//! | `mem_vector_gather_finish` | stores the noted bytes side by side, where their conditions hold |
//! | `mem_vector_scatter_finish` | stores the noted bytes to their addresses, where their conditions hold |
//!
//! A gathered byte counts as accessed under the condition with which it is noted.
//!
//! What else the text says about the simulator's state (`thread->…`, `insn->…`) concerns its packets: assignments to it
//! have no effect here, and few of its fields can be read.

use hydride_ir::exact::{Int, NodeId};

use super::machine::{Machine, Variable};
use super::operands::GATHERED;
use super::region::{Noted, state};
use super::source::Fault;
use super::syntax::{Binary, Expr, ExprKind};
use super::view::View;
use crate::pseudocode::{Memory, Reason};

/// Addresses count bytes.
pub(super) const ADDRESS_UNIT: u32 = 8;

/// The field of the simulator's state that is the start of a gather's or scatter's region.
const REGION_START: &str = "thread->mem_access[].paddr";

/// What a call of the simulator does.
#[derive(Clone, Copy, Debug)]
pub(super) enum Access {
    /// `(_, _, address, _, _, bytes, &place, …)`.
    Load,
    /// `(_, _, address, _, _, bytes, &place, &mask or 0, is_inverted, …)`.
    Store,
    /// `(_, _, start, length, bytes of an element)`.
    Start,
    /// `(_, _, address)`: the byte there.
    ReadByte,
    /// `(address, condition, value, number)`.
    NoteByte,
    FinishGather,
    /// `(_, _, whether elements are added)`.
    FinishScatter,
    /// Orders what others do.
    Release,
}

impl Machine {
    /// The value of a field of the simulator's state.
    pub fn state_value(&mut self, expr: &Expr) -> Result<NodeId, Fault> {
        let name = state(expr).unwrap_or_default();
        match name.as_str() {
            "insn->slot" => Ok(self.dag.int(0)),
            REGION_START => {
                let missing = || Fault::failed(Reason::Undefined, expr.at, "a region without start");
                self.region.start.ok_or_else(missing)
            }
            _ => Err(Fault::failed(Reason::Unsupported, expr.at, format!("{name} is the simulator's state"))),
        }
    }

    /// What a call of the simulator gives.
    pub fn access(&mut self, access: Access, arguments: &[Expr], at: usize) -> Result<Option<NodeId>, Fault> {
        match (access, arguments) {
            (Access::Load, [_, _, address, _, _, bytes, place, ..]) => self.load(address, bytes, place)?,
            (Access::Store, [_, _, address, _, _, bytes, place, mask, inverted, ..]) => {
                self.store(address, bytes, place, (mask, inverted))?;
            }
            (Access::Start, [_, _, start, _, bytes]) => {
                let start = self.value(start)?;
                let bytes = self.byte_count(bytes)?;
                let expected = self.pointers.expect_elements(&mut self.dag, start, ADDRESS_UNIT * bytes);
                expected.map_err(|fault| fault.map_place(|()| at))?;
                self.region.start = Some(start);
            }
            (Access::ReadByte, [_, _, address]) => {
                let address = self.value(address)?;
                self.work(self.store.memory.iter().map(Memory::size).sum(), at)?;
                let byte = self.pointers.peek(&mut self.dag, &self.store.memory, address, ADDRESS_UNIT);
                return byte.map(Some).map_err(|fault| fault.map_place(|()| at));
            }
            (Access::NoteByte, [address, condition, value, number]) => {
                let address = self.value(address)?;
                let condition = self.value(condition)?;
                let condition = self.truth(condition);
                let value = self.value(value)?;
                let number = self.byte_count(number)?;
                self.store.notes.0.push(Noted { number, address, condition, value });
            }
            (Access::FinishGather, _) => self.finish_gather(at)?,
            (Access::FinishScatter, [_, _, adds]) => {
                if self.constant(adds)? != 0 {
                    return Err(Fault::excluded(
                        Reason::Memory,
                        at,
                        "elements are added to what is at computed addresses, once more where two are equal",
                    ));
                }
                for Noted { address, condition, value, .. } in std::mem::take(&mut self.store.notes).0 {
                    self.write_byte(address, value, condition, at)?;
                }
            }
            (Access::Release, _) => {
                return Err(Fault::excluded(
                    Reason::Memory,
                    at,
                    "the order of other accesses; no byte is read or written",
                ));
            }
            _ => {
                let message = format!("{access:?} is called with {} arguments", arguments.len());
                return Err(Fault::failed(Reason::UnknownCall, at, message));
            }
        }
        Ok(None)
    }

    /// A number of bytes, at most a vector's.
    fn byte_count(&mut self, expr: &Expr) -> Result<u32, Fault> {
        let count = self.constant(expr)?;
        match u32::try_from(count) {
            Ok(count) if count <= self.vector_bytes => Ok(count),
            _ => Err(Fault::failed(Reason::Index, expr.at, format!("byte {count} of a vector"))),
        }
    }

    /// The part of a register that starts at a place and has some bytes.
    fn part_at(&mut self, place: &Expr, bytes: u32) -> Result<View, Fault> {
        let ExprKind::Address(place) = &place.kind else {
            return Err(Fault::failed(Reason::Unsupported, place.at, "the place of a byte is expected"));
        };
        let view = self.view(place)?;
        self.widened(view, ADDRESS_UNIT * bytes, place.at)
    }

    fn load(&mut self, address: &Expr, bytes: &Expr, place: &Expr) -> Result<(), Fault> {
        let at = address.at;
        let (address, bytes) = (self.value(address)?, self.byte_count(bytes)?);
        if bytes == 0 {
            return Ok(());
        }
        let place = self.part_at(place, bytes)?;
        let memory = &mut self.store.memory;
        let read = self.pointers.read(&mut self.dag, memory, address, ADDRESS_UNIT * bytes);
        let (_, value) = read.map_err(|fault| fault.map_place(|()| at))?;
        self.write(&place, value, at)
    }

    fn store(
        &mut self,
        address: &Expr,
        bytes: &Expr,
        place: &Expr,
        (mask, inverted): (&Expr, &Expr),
    ) -> Result<(), Fault> {
        let at = address.at;
        let (address, bytes) = (self.value(address)?, self.byte_count(bytes)?);
        if bytes == 0 {
            return Ok(());
        }
        let place = self.part_at(place, bytes)?;
        let value = self.read(&place, at)?;
        if matches!(mask.kind, ExprKind::Int(0)) {
            let memory = &mut self.store.memory;
            let width = ADDRESS_UNIT * bytes;
            let written = self.pointers.write(&mut self.dag, memory, address, width, value);
            return written.map_err(|fault| fault.map_place(|()| at));
        }
        let inverted = self.constant(inverted)? != 0;
        let mask = self.part_at(mask, bytes)?;
        let mask = self.read(&mask, at)?;
        for byte in 0..bytes {
            let condition = self.dag.slice(mask, ADDRESS_UNIT * byte, ADDRESS_UNIT, false);
            let mut condition = self.truth(condition);
            if inverted {
                condition = self.dag.complement(condition);
            }
            let value = self.dag.slice(value, ADDRESS_UNIT * byte, ADDRESS_UNIT, false);
            let address = self.dag.linear(&[(address, Int::ONE)], byte.into());
            self.write_byte(address, value, condition, at)?;
        }
        Ok(())
    }

    /// Stores a byte under a condition.
    fn write_byte(
        &mut self,
        address: NodeId,
        value: NodeId,
        condition: NodeId,
        at: usize,
    ) -> Result<(), Fault> {
        self.work(8, at)?;
        let memory = &mut self.store.memory;
        let written =
            self.pointers.write_where(&mut self.dag, memory, address, ADDRESS_UNIT, value, condition);
        written.map_err(|fault| fault.map_place(|()| at))
    }

    /// Stores what was gathered, as the store of the same packet does.
    fn finish_gather(&mut self, at: usize) -> Result<(), Fault> {
        let target = match self.slot(GATHERED).map(|slot| self.variable(slot)) {
            Some(Variable::Integer { value: Some(value), .. }) => *value,
            _ => return Err(Fault::failed(Reason::UnknownRegister, at, "the gathered vector is no operand")),
        };
        for Noted { number, address, condition, value } in std::mem::take(&mut self.store.notes).0 {
            let memory = &mut self.store.memory;
            let touched = self.pointers.touch(&mut self.dag, memory, address, ADDRESS_UNIT, condition);
            touched.map_err(|fault| fault.map_place(|()| at))?;
            let target = self.dag.linear(&[(target, Int::ONE)], number.into());
            self.write_byte(target, value, condition, at)?;
        }
        Ok(())
    }

    /// Operators on addresses, where the pointer's value does not matter: the lowest bits of one, one without them, and
    /// comparisons of two that are relative to one pointer.
    pub fn address_binary(
        &mut self,
        op: Binary,
        left: NodeId,
        right: NodeId,
        at: usize,
    ) -> Result<Option<NodeId>, Fault> {
        let related =
            matches!(op, Binary::Eq | Binary::Ne | Binary::Lt | Binary::Gt | Binary::Le | Binary::Ge);
        let [first, second] = [left, right].map(|operand| self.pointers.is_address(&self.dag, operand));
        if related && first && second {
            let (difference, zero) = (self.dag.sub(left, right), self.dag.int(0));
            return self.binary(op, difference, zero, at).map(Some);
        }
        if op != Binary::BitAnd || !(first || second) {
            return Ok(None);
        }
        let (address, mask) = if first { (left, right) } else { (right, left) };
        let distance = self.pointers.distance(&mut self.dag, address);
        let distance = distance.map_err(|fault| fault.map_place(|()| at))?;
        let (Some(distance), Some(mask)) = (self.dag.as_i64(distance), self.dag.as_i64(mask)) else {
            return Err(Fault::excluded(Reason::Memory, at, "bits of a computed address"));
        };
        let low = if mask < 0 { !mask } else { mask };
        if low >= i64::from(self.vector_bytes) || !((low + 1) as u64).is_power_of_two() {
            return Err(Fault::excluded(Reason::Memory, at, "high bits of an address"));
        }
        let bits = i64::from(self.misaligned).wrapping_add(distance) & low;
        if mask >= 0 {
            return Ok(Some(self.dag.int(bits)));
        }
        self.aligned = self.aligned.max(low as u32 + 1);
        Ok(Some(self.dag.linear(&[(address, Int::ONE)], (-bits).into())))
    }
}
