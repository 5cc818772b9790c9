//! Memory byte by byte: what functions read behind their pointers, and what they leave there.
//!
//! Each pointer that is a parameter leads to bytes of its own, which no other pointer leads to. A pointer is two elements:
//! the number of what it leads to, and the place there. Both must be constants where it is used.

use std::collections::{BTreeMap, BTreeSet};

use hydride_ir::{Bits, ExprId};

use crate::generic::Lane;
use crate::graph::Graph;

/// The widths of a pointer's elements: what it leads to, and the place there in bytes.
pub const POINTER: [u32; 2] = [32, 64];

/// The first number of memory that a function has for itself.
const LOCAL: u32 = 1 << 31;

/// The most bytes at whose multiples an address may have to be.
const MAX_ALIGN: u32 = 256;

/// A byte: the number of what it is in, and its place there.
pub type Address = (u32, i64);

/// Bytes that were written.
pub type Written = BTreeMap<Address, Lane>;

/// What is done with memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// A load.
    Read,
    /// A store.
    Write,
}

/// A place in memory.
#[derive(Clone, Copy, Debug)]
pub struct Pointer {
    object: u32,
    offset: i64,
    /// Whether it is poison.
    pub poison: ExprId,
}

impl Pointer {
    /// The place that a pointer's elements say.
    pub fn new(graph: &mut Graph, lanes: &[Lane]) -> Result<Self, String> {
        let number = |lane: &Lane| graph.constant(lane.bits).and_then(Bits::to_u64);
        let [object, offset] = lanes else { return Err("a value that is no pointer".to_owned()) };
        let (Some(first), Some(second)) = (number(object), number(offset)) else {
            return Err("an address that is no constant".to_owned());
        };
        let poison = graph.or(object.poison, offset.poison);
        Ok(Self { object: first as u32, offset: second.cast_signed(), poison })
    }

    /// Its elements.
    pub fn lanes(&self, graph: &mut Graph) -> Vec<Lane> {
        let values = [u64::from(self.object), self.offset.cast_unsigned()];
        let bits = POINTER.iter().zip(values).map(|(width, value)| graph.number(*width, value));
        bits.map(|bits| Lane { bits, poison: self.poison }).collect()
    }

    /// Goes on by a signed number of steps of so many bytes.
    pub fn step(&mut self, graph: &Graph, count: ExprId, bytes: u32) -> Result<(), String> {
        let constant = graph.constant(count).filter(|count| count.width() <= 64);
        let Some((width, count)) = constant.and_then(|count| Some((count.width(), count.to_u64()?))) else {
            return Err("an address that is no constant".to_owned());
        };
        let signed = (count << (64 - width)).cast_signed() >> (64 - width);
        let offset = signed.checked_mul(i64::from(bytes)).and_then(|by| self.offset.checked_add(by));
        self.offset = offset.ok_or("an address beyond all memory")?;
        Ok(())
    }

    /// The places of two pointers to one object, at or behind its first byte.
    pub fn beside(&self, other: &Self) -> Option<(u64, u64)> {
        let (own, other_offset) = (u64::try_from(self.offset).ok()?, u64::try_from(other.offset).ok()?);
        (self.object == other.object).then_some((own, other_offset))
    }

    /// Whether so many bytes at both places have one in common, but are not the same.
    pub fn overlaps(&self, other: &Self, bytes: u32) -> bool {
        let between = self.offset.abs_diff(other.offset);
        self.object == other.object && between > 0 && between < u64::from(bytes)
    }

    /// The addresses of so many bytes.
    fn bytes(&self, count: u32) -> impl Iterator<Item = Address> + use<> {
        let (object, offset) = (self.object, self.offset);
        (0..i64::from(count)).map(move |at| (object, offset.wrapping_add(at)))
    }

    /// Writes bytes there.
    pub fn write(&self, written: &mut Written, bytes: Vec<Lane>) {
        written.extend(self.bytes(bytes.len() as u32).zip(bytes));
    }
}

/// What pointers that are parameters lead to, the same for both functions.
#[derive(Default)]
pub struct Objects {
    /// For each its name, and the low bits of the address of its first byte.
    parameters: Vec<(String, ExprId)>,
    initial: BTreeMap<Address, ExprId>,
    /// Those whose addresses matter.
    aligned: BTreeSet<u32>,
}

impl Objects {
    /// What another pointer leads to; the pointer's elements.
    pub fn add(&mut self, graph: &mut Graph, name: &str) -> Vec<Lane> {
        let object = self.parameters.len() as u32;
        let address = graph.argument(format!("{name}.address"), MAX_ALIGN.trailing_zeros()).1;
        self.parameters.push((name.to_owned(), address));
        let poison = graph.bool(false);
        Pointer { object, offset: 0, poison }.lanes(graph)
    }

    /// The name of the pointer to an object that is a parameter.
    pub fn name(&self, object: u32) -> Option<&str> {
        self.parameters.get(object as usize).map(|(name, _)| name.as_str())
    }

    /// A byte as it was before the function ran; none of a function's own memory.
    fn initial(&mut self, graph: &mut Graph, address: Address) -> Option<Lane> {
        let name = self.name(address.0)?;
        let bits = match self.initial.get(&address) {
            Some(known) => *known,
            None => graph.argument(format!("{name}[{}]", address.1), 8).1,
        };
        self.initial.insert(address, bits);
        Some(Lane { bits, poison: graph.bool(false) })
    }

    /// A byte as it is after what was written; none where that is not known.
    pub fn byte(&mut self, graph: &mut Graph, written: &Written, address: Address) -> Option<Lane> {
        written.get(&address).copied().or_else(|| self.initial(graph, address))
    }

    /// So many bytes behind a pointer.
    pub fn read(
        &mut self,
        graph: &mut Graph,
        written: &Written,
        pointer: &Pointer,
        count: u32,
    ) -> Result<Vec<Lane>, String> {
        let bytes = pointer.bytes(count).map(|address| self.byte(graph, written, address));
        bytes.collect::<Option<_>>().ok_or_else(|| "local memory that nothing is written to".to_owned())
    }

    /// Whether a parameter's address is no multiple of so many bytes.
    pub fn misaligned(&mut self, graph: &mut Graph, pointer: &Pointer, align: u32) -> Result<ExprId, String> {
        let Some(&(_, address)) = self.parameters.get(pointer.object as usize) else {
            return Ok(graph.bool(false));
        };
        if align > MAX_ALIGN {
            return Err(format!("an alignment of more than {MAX_ALIGN} bytes"));
        }
        if align == 1 {
            return Ok(graph.bool(false));
        }
        self.aligned.insert(pointer.object);
        let bits = align.trailing_zeros();
        let low = graph.extract(address, 0, bits);
        let wanted = graph.number(bits, pointer.offset.wrapping_neg().cast_unsigned() & u64::from(align - 1));
        Ok(graph.differ(low, wanted))
    }

    /// What there is before the functions run: for each object its bytes that either reads, in runs without gaps, and the
    /// low bits of an address that matters.
    pub fn arguments(&self, no: ExprId) -> Vec<(String, Vec<Lane>)> {
        let mut all: Vec<(String, Vec<Lane>)> = Vec::new();
        let mut next = None;
        for (&(object, offset), &bits) in &self.initial {
            let name = self.name(object).unwrap_or_default();
            let lane = Lane { bits, poison: no };
            match all.last_mut().filter(|_| next == Some((object, offset))) {
                Some((_, lanes)) => lanes.push(lane),
                None => all.push((format!("{name}[{offset}..]"), vec![lane])),
            }
            next = Some((object, offset + 1));
        }
        for object in &self.aligned {
            if let Some((name, address)) = self.parameters.get(*object as usize) {
                let lane = Lane { bits: *address, poison: no };
                all.push((format!("{name} modulo {MAX_ALIGN}"), vec![lane]));
            }
        }
        all
    }
}

/// What a function does with memory.
#[derive(Default)]
pub struct Accesses {
    /// The bytes of parameters' memory that it reads or writes, and when.
    pub touched: BTreeMap<Address, ExprId>,
    /// Those that it writes.
    pub stored: BTreeMap<Address, ExprId>,
    /// For each object the least and the largest place of addresses that must be in it, or at its end.
    pub reached: BTreeMap<u32, (i64, i64)>,
    /// Memory of its own: bytes and alignments.
    local: Vec<(u32, u32)>,
}

impl Accesses {
    fn local(&self, object: u32) -> Option<(u32, u32)> {
        self.local.get(object.checked_sub(LOCAL)? as usize).copied()
    }

    /// New memory of so many bytes, at a multiple of some.
    pub fn allocated(&mut self, graph: &mut Graph, bytes: u32, align: u32) -> Pointer {
        self.local.push((bytes, align));
        Pointer { object: LOCAL + self.local.len() as u32 - 1, offset: 0, poison: graph.bool(false) }
    }

    /// Whether a place in memory of its own is no multiple of so many bytes; none in other memory.
    pub fn is_local_misaligned(&self, pointer: &Pointer, align: u32) -> Option<Result<bool, String>> {
        let (_, own) = self.local(pointer.object)?;
        if align > own {
            return Some(Err("local memory of a smaller alignment than its use".to_owned()));
        }
        Some(Ok(pointer.offset % i64::from(align) != 0))
    }

    /// Notes an access on a path; whether it is inside of memory as far as that is known.
    pub fn note(
        &mut self,
        graph: &mut Graph,
        pointer: &Pointer,
        bytes: u32,
        path: ExprId,
        access: Access,
    ) -> bool {
        if let Some((size, _)) = self.local(pointer.object) {
            return pointer.offset >= 0 && pointer.offset + i64::from(bytes) <= i64::from(size);
        }
        let no = graph.bool(false);
        let mut also = |all: &mut BTreeMap<Address, ExprId>| {
            for address in pointer.bytes(bytes) {
                let when = all.entry(address).or_insert(no);
                *when = graph.or(*when, path);
            }
        };
        also(&mut self.touched);
        if access == Access::Write {
            also(&mut self.stored);
        }
        true
    }

    /// When a byte is known to be in memory, since it or bytes before and behind it are accessed.
    pub fn inside(&self, graph: &mut Graph, (object, at): Address) -> ExprId {
        let mut any = |range: std::ops::RangeInclusive<Address>| {
            let no = graph.bool(false);
            let mut all = self.touched.range(range);
            all.try_fold(no, |any, (_, when)| {
                let any = graph.or(any, *when);
                if graph.as_bool(any) == Some(true) { Err(any) } else { Ok(any) }
            })
            .unwrap_or_else(|yes| yes)
        };
        let before = any((object, i64::MIN)..=(object, at));
        let behind = any((object, at)..=(object, i64::MAX));
        graph.and(before, behind)
    }

    /// Notes an address that must be in what it leads to, or at its end.
    pub fn reached(&mut self, pointer: &Pointer) {
        let at = pointer.offset;
        let (least, most) = self.reached.entry(pointer.object).or_insert((at, at));
        (*least, *most) = ((*least).min(at), (*most).max(at));
    }

    /// Whether each address that must be in memory is known to be, where another function accesses what is `touched`.
    pub fn stays_in(&self, touched: &BTreeMap<Address, ExprId>) -> bool {
        self.reached.iter().all(|(object, (least, most))| {
            let end = match self.local(*object) {
                Some((bytes, _)) => i64::from(bytes),
                None => {
                    let last = touched.range((*object, 0)..=(*object, i64::MAX)).next_back();
                    last.map_or(0, |((_, at), _)| at + 1)
                }
            };
            *least >= 0 && *most <= end
        })
    }
}

/// What was written on several ways, each with its condition, where they meet; what is not known on one way is not known.
pub fn joined(graph: &mut Graph, objects: &mut Objects, ways: &[(ExprId, &Written)]) -> Written {
    let Some(((_, first), others)) = ways.split_first() else { return Written::new() };
    let addresses: BTreeSet<Address> = ways.iter().flat_map(|(_, written)| written.keys().copied()).collect();
    let mut all = Written::new();
    for address in addresses {
        let mut lane = objects.byte(graph, first, address);
        for (condition, written) in others {
            let own = objects.byte(graph, written, address);
            lane = lane.zip(own).map(|(lane, own)| Lane {
                bits: graph.select(*condition, own.bits, lane.bits),
                poison: graph.select(*condition, own.poison, lane.poison),
            });
        }
        all.extend(lane.map(|lane| (address, lane)));
    }
    all
}
