//! Memory that pseudocode reads and writes through pointers.
//!
//! A pointer's value is a symbol, so that an address is a pointer and an offset. What is at the pointer is a register,
//! byte after byte. A second register has a 1 for each bit that was accessed: branches merge it like any other state,
//! so that it says under which condition each byte is accessed.
//!
//! ```text
//! IF k[1] THEN MEM[p+63:p+32] := a     bytes     [32 +: 32] = k[1] ? a : as before
//!                                      accessed  [32 +: 32] = k[1] ? ones : 0
//! ```
//!
//! Where addresses are computed from registers (gathers and scatters), the elements are seen one after another in the
//! order of the accesses, and a function of the arguments gives the address of each. Of stores to one address the last
//! one counts.

use std::collections::BTreeSet;

use hydride_ir::exact::{Dag, Int, Lowering, Node, NodeId, Register, Replacements};
use hydride_ir::{Function, ResultId, ResultSlot, Stmt};
use serde::{Deserialize, Serialize};

use super::{Fault, Merge, Reason, not_negative, positions, write_at_one_of};
use crate::signature::{Argument, Elements, Kind, Signature};

/// The number of elements at computed addresses that one operation accesses.
const MAX_ELEMENTS: usize = 256;

/// Bits that are seen through a pointer before it is known how many an operation accesses.
const UNKNOWN_WIDTH: u32 = 1 << 13;

/// What is at one pointer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    bytes: Register,
    accessed: Register,
}

impl Memory {
    /// The number of extents: what copying it costs.
    pub fn size(&self) -> usize {
        self.bytes.extents().count() + self.accessed.extents().count()
    }

    /// Whether this and another state are the same in all bytes, those accessed included.
    pub fn is_same(&self, dag: &mut Dag, other: &Self) -> bool {
        is_same(dag, &self.bytes, &other.bytes) && is_same(dag, &self.accessed, &other.accessed)
    }
}

/// Whether two registers hold the same, byte for byte.
pub fn is_same(dag: &mut Dag, one: &Register, two: &Register) -> bool {
    let end = one.end().max(two.end());
    (0..end).step_by(8).all(|low| one.read(dag, low, 8) == two.read(dag, low, 8))
}

impl Merge for Memory {
    fn merge(dag: &mut Dag, condition: NodeId, then: &Self, otherwise: &Self) -> Self {
        Self {
            bytes: Register::merge(dag, condition, &then.bytes, &otherwise.bytes),
            accessed: Register::merge(dag, condition, &then.accessed, &otherwise.accessed),
        }
    }
}

/// The pointers among an operation's arguments.
///
/// In the operation's graph the arguments of the signature come first, and then one for the value of each pointer.
#[derive(Clone, Debug, Default)]
pub struct Pointers {
    arguments: u32,
    /// The bits that an address counts in: 1 or 8.
    unit: u32,
    pointers: Vec<Pointer>,
}

#[derive(Clone, Debug)]
struct Pointer {
    /// The argument's position.
    argument: u32,
    /// Bits seen through it.
    width: u32,
    /// One above the highest bit that was accessed.
    reach: u32,
    written: bool,
    /// Elements at computed addresses: their offsets from the pointer in bits, in the order of the accesses.
    elements: Vec<NodeId>,
    /// The width of such an element; 0 before it is known.
    element_width: u32,
    /// Whether all that is accessed are such elements, those at known distances included.
    elements_only: bool,
    /// Whether an element at a computed address was written.
    element_written: bool,
}

/// Which memory an operation accesses.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Access {
    /// See [`Instruction::accessed`](crate::Instruction::accessed).
    pub accessed: Option<Function>,
    /// See [`Instruction::addresses`](crate::Instruction::addresses).
    pub addresses: Option<Function>,
}

/// The value of a pointer, in bits.
const ADDRESS_WIDTH: u32 = 64;

impl Pointers {
    /// The pointers of a signature, where addresses count in steps of `unit` bits. A memory argument of width 0 is as wide
    /// as any operation needs.
    pub fn new(signature: &Signature, unit: u32) -> Self {
        let memory = (0..).zip(&signature.args).filter(|(_, argument)| argument.is_memory());
        let pointer = |(argument, Argument { width, .. }): (u32, &Argument)| Pointer {
            argument,
            width: if *width == 0 { UNKNOWN_WIDTH } else { *width },
            reach: 0,
            written: false,
            elements: Vec::new(),
            element_width: 0,
            elements_only: false,
            element_written: false,
        };
        Self { arguments: signature.args.len() as u32, unit, pointers: memory.map(pointer).collect() }
    }

    /// The widths of the graph's arguments for a signature.
    pub fn widths(&self, signature: &Signature) -> Vec<u32> {
        let mut widths: Vec<u32> = signature.args.iter().map(|argument| argument.width).collect();
        for pointer in &self.pointers {
            widths[pointer.argument as usize] = pointer.width;
        }
        widths.extend(self.pointers.iter().map(|_| ADDRESS_WIDTH));
        widths
    }

    /// The value of the pointer that an argument is.
    pub fn value(&self, dag: &mut Dag, argument: u32) -> Option<NodeId> {
        let position = self.pointers.iter().position(|pointer| pointer.argument == argument)?;
        Some(dag.arg_slice(self.arguments + position as u32, 0, ADDRESS_WIDTH, false))
    }

    /// What is at each pointer before the operation.
    pub fn start(&self, dag: &mut Dag) -> Vec<Memory> {
        let start = |pointer: &Pointer| {
            let (before, zero) = (dag.arg_slice(pointer.argument, 0, pointer.width, false), dag.int(0));
            Memory {
                bytes: Register::with_value(pointer.width, before),
                accessed: Register::with_value(pointer.width, zero),
            }
        };
        self.pointers.iter().map(start).collect()
    }

    /// The `width` bits at `address`, with the position of the pointer's argument.
    pub fn read(
        &mut self,
        dag: &mut Dag,
        memory: &mut [Memory],
        address: NodeId,
        width: u32,
    ) -> Result<(u32, NodeId), Fault<()>> {
        let one = dag.int(1);
        let (position, low) = self.access(dag, memory, address, width, one)?;
        if self.pointers[position].element_written {
            return Err(Fault::excluded(
                Reason::Memory,
                (),
                "an element at a computed address is read after another one was written, perhaps there",
            ));
        }
        let bytes = &memory[position].bytes;
        let value = match dag.as_i64(low).and_then(|low| u32::try_from(low).ok()) {
            Some(low) => bytes.read(dag, low, width).0,
            None => {
                let (whole, _) = bytes.read(dag, 0, self.pointers[position].width);
                let low = not_negative(dag, low);
                dag.slice_at(whole, low, width, false)
            }
        };
        Ok((self.pointers[position].argument, value))
    }

    /// The `width` bits at `address`, without an access: [`Pointers::touch`] says later under which condition they are
    /// accessed.
    pub fn peek(
        &mut self,
        dag: &mut Dag,
        memory: &[Memory],
        address: NodeId,
        width: u32,
    ) -> Result<NodeId, Fault<()>> {
        Ok(self.read(dag, &mut memory.to_vec(), address, width)?.1)
    }

    /// Notes that `width` bits at `address` are accessed under a condition.
    pub fn touch(
        &mut self,
        dag: &mut Dag,
        memory: &mut [Memory],
        address: NodeId,
        width: u32,
        condition: NodeId,
    ) -> Result<(), Fault<()>> {
        self.access(dag, memory, address, width, condition).map(drop)
    }

    /// Writes the low `width` bits of `value` at `address`.
    pub fn write(
        &mut self,
        dag: &mut Dag,
        memory: &mut [Memory],
        address: NodeId,
        width: u32,
        value: NodeId,
    ) -> Result<(), Fault<()>> {
        let one = dag.int(1);
        self.write_where(dag, memory, address, width, value, one)
    }

    /// Writes under a condition.
    pub fn write_where(
        &mut self,
        dag: &mut Dag,
        memory: &mut [Memory],
        address: NodeId,
        width: u32,
        value: NodeId,
        condition: NodeId,
    ) -> Result<(), Fault<()>> {
        let (position, low) = self.access(dag, memory, address, width, condition)?;
        let pointer = &mut self.pointers[position];
        pointer.written = true;
        pointer.element_written |= !pointer.elements.is_empty();
        write_where(dag, &mut memory[position].bytes, low, width, pointer.width, value, condition)
    }

    /// Says that elements at computed addresses relative to the pointer that an address is computed from have `width`
    /// bits, though their parts may be accessed one by one, the lowest first.
    pub fn expect_elements(&mut self, dag: &mut Dag, address: NodeId, width: u32) -> Result<(), Fault<()>> {
        let (position, _) = self.offset(dag, address)?;
        self.pointers[position].element_width = width;
        Ok(())
    }

    /// The same where all that is accessed are such elements, also those whose distance from the pointer is known.
    pub fn expect_only_elements(
        &mut self,
        dag: &mut Dag,
        address: NodeId,
        width: u32,
    ) -> Result<(), Fault<()>> {
        self.expect_elements(dag, address, width)?;
        let (position, _) = self.offset(dag, address)?;
        self.pointers[position].elements_only = true;
        Ok(())
    }

    /// Notes an access under a condition: the number of the pointer, and the lowest bit.
    fn access(
        &mut self,
        dag: &mut Dag,
        memory: &mut [Memory],
        address: NodeId,
        width: u32,
        condition: NodeId,
    ) -> Result<(usize, NodeId), Fault<()>> {
        let (position, offset) = self.offset(dag, address)?;
        let low = dag.linear(&[(offset, self.unit.into())], Int::ZERO);
        let low = self.pointers[position].place(dag, low, width)?;
        let pointer = &self.pointers[position];
        let ones = dag.int((Int::ONE << width as usize) - Int::ONE);
        write_where(dag, &mut memory[position].accessed, low, width, pointer.width, ones, condition)?;
        Ok((position, low))
    }

    /// The arguments of the graph that are pointers and that a value is computed from.
    fn bases(&self, dag: &Dag, value: NodeId) -> BTreeSet<u32> {
        let mut bases = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut open = vec![value];
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            match dag.node(id) {
                Node::Arg(argument) if *argument >= self.arguments => drop(bases.insert(*argument)),
                node => open.extend(node.operands()),
            }
        }
        bases
    }

    /// Whether a value is computed from a pointer.
    pub fn is_address(&self, dag: &Dag, value: NodeId) -> bool {
        !self.pointers.is_empty() && !self.bases(dag, value).is_empty()
    }

    /// The distance of an address from the one pointer that it is computed from.
    pub fn distance(&self, dag: &mut Dag, address: NodeId) -> Result<NodeId, Fault<()>> {
        Ok(self.offset(dag, address)?.1)
    }

    /// The number of the pointer that an address is computed from, and its distance from that pointer.
    fn offset(&self, dag: &mut Dag, address: NodeId) -> Result<(usize, NodeId), Fault<()>> {
        let mut bases = self.bases(dag, address).into_iter();
        let (Some(base), None) = (bases.next(), bases.next()) else {
            return Err(Fault::excluded(
                Reason::Memory,
                (),
                "an address that is not relative to one pointer",
            ));
        };
        let (whole, zero) = (dag.arg(base), dag.int(0));
        let offset = dag.replace(address, &mut Replacements::from_iter([(whole, zero)]));
        Ok(((base - self.arguments) as usize, offset))
    }

    /// The number of bytes that are accessed through the pointer that an argument is.
    pub fn reach(&self, argument: u32) -> Option<u32> {
        let pointer = self.pointers.iter().find(|pointer| pointer.argument == argument)?;
        let elements = pointer.elements.len() as u32 * pointer.element_width;
        Some(pointer.reach.max(elements).div_ceil(8))
    }

    /// Says of each memory argument of the signature what its pointer was used for.
    pub fn describe(&self, signature: &mut Signature, dag: &Dag) {
        for pointer in self.pointers.iter().filter(|pointer| !pointer.elements.is_empty()) {
            let index = pointer.index(signature, dag);
            if let Kind::Memory { element, .. } = &mut signature.args[pointer.argument as usize].kind {
                *element = Some(Elements { width: pointer.element_width, index });
            }
        }
    }

    /// The pointers that were written through: each argument's position with what is there after the operation.
    pub fn written(&self, memory: &[Memory]) -> Vec<(u32, Register)> {
        let written = self.pointers.iter().zip(memory).filter(|(pointer, _)| pointer.written);
        written.map(|(pointer, memory)| (pointer.argument, memory.bytes.clone())).collect()
    }

    /// Adds what was written through pointers to the results, each as its argument, and says of memory arguments what
    /// their pointers were used for.
    pub fn add_results(
        &self,
        memory: &[Memory],
        dag: &Dag,
        signature: &mut Signature,
        registers: &mut Vec<Register>,
    ) {
        self.describe(signature, dag);
        for (argument, contents) in self.written(memory) {
            signature.results.push(signature.args[argument as usize].clone());
            registers.push(contents);
        }
    }

    /// Which memory an operation accesses whose function is `function`.
    pub fn access_of(
        &self,
        function: &Function,
        dag: &mut Dag,
        memory: &[Memory],
    ) -> Result<Access, Fault<()>> {
        let accessed = self.accessed(function, dag, memory)?;
        Ok(Access { accessed, addresses: self.addresses(function, dag)? })
    }

    /// The offset of each element at a computed address, in bytes; `None` where there are none.
    fn addresses(&self, function: &Function, dag: &mut Dag) -> Result<Option<Function>, Fault<()>> {
        let mut addresses = Function::new(function.name.clone());
        addresses.args.clone_from(&function.args);
        let mut lowering = Lowering::default();
        for pointer in self.pointers.iter().filter(|pointer| !pointer.elements.is_empty()) {
            let result = ResultId(addresses.results.len() as u32);
            let name = function.args[pointer.argument as usize].name.clone();
            let width = ADDRESS_WIDTH * pointer.elements.len() as u32;
            addresses.results.push(ResultSlot { name, width: width.into() });
            for (low, offset) in (0u32..).step_by(ADDRESS_WIDTH as usize).zip(&pointer.elements) {
                let three = dag.int(3);
                let bytes = dag.shr(*offset, three);
                let value = lowering
                    .lower(dag, bytes, ADDRESS_WIDTH, &mut addresses)
                    .map_err(|error| Fault::failed(Reason::Limit, (), error.to_string()))?;
                addresses.body.push(Stmt::Assign { result, low: low.into(), value });
            }
        }
        Ok((!addresses.results.is_empty()).then_some(addresses))
    }

    /// One bit for each byte of each memory argument: whether the byte is accessed; `None` where all of them always
    /// are.
    fn accessed(
        &self,
        function: &Function,
        dag: &mut Dag,
        memory: &[Memory],
    ) -> Result<Option<Function>, Fault<()>> {
        let mut accessed = Function::new(function.name.clone());
        accessed.args.clone_from(&function.args);
        let mut lowering = Lowering::default();
        let mut always = true;
        for (position, (pointer, memory)) in self.pointers.iter().zip(memory).enumerate() {
            let bytes = pointer.width / 8;
            let name = function.args[pointer.argument as usize].name.clone();
            accessed.results.push(ResultSlot { name, width: bytes.into() });
            for byte in 0..bytes {
                let (bit, _) = memory.accessed.read(dag, 8 * byte, 1);
                always &= dag.as_i64(bit) == Some(1);
                let value = lowering
                    .lower(dag, bit, 1, &mut accessed)
                    .map_err(|error| Fault::failed(Reason::Limit, (), error.to_string()))?;
                let result = ResultId(position as u32);
                accessed.body.push(Stmt::Assign { result, low: byte.into(), value });
            }
        }
        Ok((!always).then_some(accessed))
    }
}

impl Pointer {
    /// The width of the lanes of the register from which addresses are computed: see [`Elements::index`].
    fn index(&self, signature: &Signature, dag: &Dag) -> Option<u32> {
        let mut found = None;
        for (lane, element) in (0u32..).zip(&self.elements) {
            let mut open = vec![*element];
            while let Some(node) = open.pop() {
                let (arg, slice) = match dag.node(node) {
                    Node::Slice { of, low, width, .. } => match dag.node(*of) {
                        Node::Arg(arg) => (*arg, Some((*low, *width))),
                        _ => {
                            open.push(*of);
                            continue;
                        }
                    },
                    // Below a slice at a computed position.
                    Node::Arg(arg) => (*arg, None),
                    other => {
                        open.extend(other.operands());
                        continue;
                    }
                };
                if signature.args.get(arg as usize).is_none_or(|own| own.kind != Kind::Vector) {
                    continue;
                }
                let (low, width) = slice?;
                if low != lane * width || *found.get_or_insert((arg, width)) != (arg, width) {
                    return None;
                }
            }
        }
        found.map(|(_, width)| width)
    }

    /// Where `width` bits at the offset `low` are seen, both in bits: at that offset, or, where it can be anywhere, as
    /// one of the elements at computed addresses.
    fn place(&mut self, dag: &mut Dag, low: NodeId, width: u32) -> Result<NodeId, Fault<()>> {
        let excluded = |message: &str| Err(Fault::excluded(Reason::Memory, (), message));
        let range = dag.range(low);
        let high = range.high.as_ref().and_then(|high| u32::try_from(high).ok());
        let end = high.and_then(|high| high.checked_add(width)).filter(|end| *end <= self.width);
        match end.filter(|_| range.is_non_negative()) {
            _ if self.elements_only => {}
            Some(end) if self.elements.is_empty() => {
                self.reach = self.reach.max(end);
                return Ok(low);
            }
            None if dag.as_int(low).is_some() => return excluded("memory far from the pointer"),
            Some(_) => return excluded("elements and other memory at one pointer"),
            None if !width.is_multiple_of(8) => return excluded("bits at a computed address"),
            None => {}
        }
        if self.elements.is_empty() && self.reach > 0 {
            return excluded("elements and other memory at one pointer");
        }
        if self.element_width == 0 {
            self.element_width = width;
        }
        let Some(above) = self.element_width.checked_sub(width) else {
            return excluded("elements of several widths at computed addresses");
        };
        // The part of an element that is known.
        let mut found = None;
        for (element, known) in self.elements.iter().enumerate() {
            let difference = dag.sub(low, *known);
            let difference = dag.as_i64(difference).and_then(|difference| u32::try_from(difference).ok());
            if let Some(difference) = difference.filter(|difference| *difference <= above) {
                found = Some((element, difference));
                break;
            }
        }
        let (element, part) = found.unwrap_or((self.elements.len(), 0));
        if element == self.elements.len() {
            if element >= MAX_ELEMENTS {
                return excluded("too many elements at computed addresses");
            }
            self.elements.push(low);
        }
        let low = element as u32 * self.element_width + part;
        if low + width > self.width {
            return excluded("too many elements at computed addresses");
        }
        Ok(dag.int(low))
    }
}

/// Writes under a condition at a position that may be computed.
fn write_where(
    dag: &mut Dag,
    register: &mut Register,
    low: NodeId,
    width: u32,
    end: u32,
    value: NodeId,
    condition: NodeId,
) -> Result<(), Fault<()>> {
    match dag.as_i64(condition) {
        Some(0) => Ok(()),
        Some(_) => write(dag, register, low, width, end, value),
        None => {
            let mut written = register.clone();
            write(dag, &mut written, low, width, end, value)?;
            *register = Register::merge(dag, condition, &written, register);
            Ok(())
        }
    }
}

/// Writes at a position that may be computed.
fn write(
    dag: &mut Dag,
    register: &mut Register,
    low: NodeId,
    width: u32,
    end: u32,
    value: NodeId,
) -> Result<(), Fault<()>> {
    if let Some(low) = dag.as_i64(low).and_then(|low| u32::try_from(low).ok()) {
        register.write(low, width, value);
        return Ok(());
    }
    let Some(positions) = positions(dag, low, end) else {
        return Err(Fault::excluded(Reason::Memory, (), "elements at computed addresses"));
    };
    write_at_one_of(dag, register, (low, width), &positions, end, value);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signature() -> Signature {
        let argument = |name: &str, width: u32, kind: Kind| Argument {
            name: name.into(),
            c_type: String::new(),
            width,
            kind,
            element: None,
        };
        let memory = || Kind::Memory { align: 1, element: None, non_temporal: false };
        Signature {
            args: vec![argument("p", 64, memory()), argument("k", 8, Kind::Mask), argument("q", 0, memory())],
            results: Vec::new(),
        }
    }

    fn start() -> (Dag, Pointers, Vec<Memory>) {
        let signature = signature();
        let pointers = Pointers::new(&signature, 8);
        let mut dag = Dag::new(pointers.widths(&signature));
        let memory = pointers.start(&mut dag);
        (dag, pointers, memory)
    }

    /// The address `offset` units from the pointer that an argument is.
    fn address(dag: &mut Dag, pointers: &Pointers, argument: u32, offset: NodeId) -> NodeId {
        let base = pointers.value(dag, argument).expect("a pointer");
        dag.sum(&[base, offset])
    }

    #[test]
    fn what_is_written_is_read_and_the_rest_stays() {
        let (mut dag, mut pointers, mut memory) = start();
        let (two, value) = (dag.int(2), dag.arg_slice(1, 0, 8, false));
        let third = address(&mut dag, &pointers, 0, two);
        pointers.write(&mut dag, &mut memory, third, 8, value).expect("within the operand");
        assert_eq!(pointers.read(&mut dag, &mut memory, third, 8), Ok((0, value)));
        let below = dag.arg_slice(0, 0, 16, false);
        let zero = dag.int(0);
        let first = address(&mut dag, &pointers, 0, zero);
        assert_eq!(pointers.read(&mut dag, &mut memory, first, 16), Ok((0, below)));
        assert_eq!(pointers.reach(0), Some(3));
        let written: Vec<u32> = pointers.written(&memory).into_iter().map(|(argument, _)| argument).collect();
        assert_eq!(written, [0]);
    }

    #[test]
    fn a_byte_is_accessed_where_its_path_is_taken() {
        let (mut dag, mut pointers, memory) = start();
        let zero = dag.int(0);
        let first = address(&mut dag, &pointers, 0, zero);
        let mut then = memory.clone();
        pointers.read(&mut dag, &mut then, first, 32).expect("within the operand");
        let condition = dag.arg_slice(1, 3, 1, false);
        let merged = Vec::<Memory>::merge(&mut dag, condition, &then, &memory);
        let bits: Vec<NodeId> = (0..8).map(|byte| merged[0].accessed.read(&mut dag, 8 * byte, 1).0).collect();
        assert_eq!(bits[..4], [condition; 4]);
        assert_eq!(bits[4..], [zero; 4]);
    }

    #[test]
    fn an_address_has_one_pointer_and_stays_near_it() {
        let (mut dag, mut pointers, mut memory) = start();
        let other = pointers.value(&mut dag, 2).expect("a pointer");
        let both = address(&mut dag, &pointers, 0, other);
        let seven = dag.int(7);
        let last = address(&mut dag, &pointers, 0, seven);
        for (address, width) in [(seven, 8), (both, 8), (last, 16)] {
            let fault = pointers.read(&mut dag, &mut memory, address, width).expect_err("no such address");
            assert_eq!(fault.reason, Reason::Memory);
        }
    }

    #[test]
    fn a_conditional_store_accesses_its_bytes_under_the_condition() {
        let (mut dag, mut pointers, mut memory) = start();
        let before = memory.clone();
        let (one, value) = (dag.int(1), dag.arg_slice(1, 0, 8, false));
        let second = address(&mut dag, &pointers, 0, one);
        let condition = dag.arg_slice(1, 7, 1, false);
        pointers.write_where(&mut dag, &mut memory, second, 8, value, condition).expect("a byte");
        let old = dag.arg_slice(0, 8, 8, false);
        let written = dag.select(condition, value, old);
        assert_eq!(memory[0].bytes.read(&mut dag, 8, 8).0, written);
        assert_eq!(memory[0].accessed.read(&mut dag, 8, 1).0, condition);
        assert!(!memory[0].is_same(&mut dag, &before[0]) && memory[1].is_same(&mut dag, &before[1]));
    }

    #[test]
    fn parts_of_an_element_are_at_its_address() {
        let (mut dag, mut pointers, mut memory) = start();
        let offset = dag.arg_slice(1, 0, 8, false);
        let far = dag.linear(&[(offset, 0x1000.into())], Int::ZERO);
        let element = address(&mut dag, &pointers, 0, far);
        assert!(pointers.is_address(&dag, element) && !pointers.is_address(&dag, far));
        assert_eq!(pointers.distance(&mut dag, element), Ok(far));
        pointers.expect_elements(&mut dag, element, 16).expect("a pointer");
        let next = dag.linear(&[(element, Int::ONE)], Int::ONE);
        for (address, low) in [(element, 0), (next, 8)] {
            let byte = dag.arg_slice(0, low, 8, false);
            assert_eq!(pointers.peek(&mut dag, &memory, address, 8), Ok(byte));
        }
        assert_eq!(pointers.reach(0), Some(2));
        let (zero, condition) = (dag.int(0), dag.arg_slice(1, 7, 1, false));
        assert_eq!(memory[0].accessed.read(&mut dag, 8, 1).0, zero);
        pointers.touch(&mut dag, &mut memory, next, 8, condition).expect("known");
        assert_eq!(memory[0].accessed.read(&mut dag, 8, 1).0, condition);
        pointers.write(&mut dag, &mut memory, next, 8, zero).expect("known");
        let fault = pointers.read(&mut dag, &mut memory, element, 8).expect_err("perhaps the same place");
        assert_eq!(fault.reason, Reason::Memory);
    }
}
