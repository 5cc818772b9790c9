//! `Mem[address, size, …]`: memory as a value and as a place.
//!
//! The library's own text of it is about translation, faults, alignment and the order of bytes, and ends in the
//! memory itself, which no document defines. What is left for an instruction is its `size` bytes in little-endian order.

use hydride_ir::exact::NodeId;

use super::{Machine, Run, Value, Width};
use crate::arm::asl::ast::{Expr, Offset};
use crate::pseudocode::Reason;

/// The getter and setter of memory.
const MEMORY: &str = "Mem";

/// The width of an address in bits.
const ADDRESS: u32 = 64;

/// The unit of an address in bits.
pub const ADDRESS_UNIT: u32 = 8;

impl Machine<'_> {
    /// The address and the number of bits of an access, if it is one. The kind of the access is not evaluated.
    pub(super) fn memory_access(
        &mut self,
        name: &str,
        args: &[&Expr],
        offset: Offset,
    ) -> Run<Option<(NodeId, u32)>> {
        if name != MEMORY {
            return Ok(None);
        }
        let [address, size, ..] = args else {
            return self.fault(Reason::Type, offset, "memory needs an address and a number of bytes");
        };
        let Value::Bits(address, _) = self.eval(address, Some(ADDRESS))? else {
            return self.fault(Reason::Type, offset, "an address consists of bits");
        };
        let size = self.integer(size)?;
        let bytes = self.known_width(size, offset)?;
        if bytes == 0 || bytes > hydride_ir::MAX_WIDTH / ADDRESS_UNIT {
            return self.fault(Reason::Limit, offset, format!("an access to {bytes} bytes"));
        }
        Ok(Some((address, bytes * ADDRESS_UNIT)))
    }

    pub(super) fn read_memory(&mut self, (address, width): (NodeId, u32), offset: Offset) -> Run<Value> {
        let memory = &mut self.state.registers.memory;
        let read = self.pointers.read(&mut self.dag, memory, address, width);
        let (_, node) = read.map_err(|fault| fault.map_place(|()| self.location(offset)))?;
        Ok(Value::Bits(node, Width::Known(width)))
    }

    pub(super) fn write_memory(
        &mut self,
        (address, width): (NodeId, u32),
        value: &Value,
        offset: Offset,
    ) -> Run<()> {
        let node = self.bits_for(value, width, "memory of", offset)?;
        let memory = &mut self.state.registers.memory;
        let written = self.pointers.write(&mut self.dag, memory, address, width, node);
        written.map_err(|fault| fault.map_place(|()| self.location(offset)))
    }
}
