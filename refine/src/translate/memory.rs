//! Instructions that read, write, make or compare addresses.

use hydride_ir::ExprId;
use llvm_text::Type;

use super::{Environment, Read, Translator, Undef, fault};
use crate::ast::{Action, Attribute, Instruction, Operand, elements};
use crate::bytes::{Access, Pointer};
use crate::error::{Fault, Place};
use crate::generic::{self, Lane};

impl Translator<'_> {
    /// A pointer with the attributes that its place has.
    pub(super) fn pointed(
        &mut self,
        attributes: &[Attribute],
        lanes: &[Lane],
        path: ExprId,
    ) -> Read<Vec<Lane>> {
        let mut lanes = lanes.to_vec();
        let wrong = |message| Fault::new(Place::default(), message);
        for attribute in attributes {
            let mut pointer = Pointer::new(self.graph, &lanes).map_err(wrong)?;
            match attribute {
                Attribute::Align(bytes) => {
                    let not = self.objects.misaligned(self.graph, &pointer, *bytes).map_err(wrong)?;
                    pointer.poison = self.graph.or(pointer.poison, not);
                    lanes = pointer.lanes(self.graph);
                }
                Attribute::Dereferenceable(bytes) => {
                    self.behavior.accesses.note(self.graph, &pointer, *bytes, path, Access::Read);
                }
                // What the first function accesses there is at an address that is one; it says no more of the first one.
                Attribute::NonNull if self.undef == Undef::Poison => {
                    self.behavior.accesses.note(self.graph, &pointer, 1, path, Access::Read);
                }
                Attribute::NonNull
                | Attribute::NoUndef
                | Attribute::NoAlias
                | Attribute::Range(..)
                | Attribute::KnownBits(..) => {}
            }
        }
        if attributes.contains(&Attribute::NoUndef) {
            lanes.iter().for_each(|lane| self.undefined(path, lane.poison));
        }
        Ok(lanes)
    }

    /// What an instruction does that reads, writes, makes or compares addresses; `None` for others.
    pub(super) fn of_memory(
        &mut self,
        at: &Instruction,
        path: ExprId,
        values: &mut Environment,
    ) -> Read<Option<Vec<Lane>>> {
        let place = at.place;
        let wrong = |message| Fault::new(place, message);
        let lanes = match &at.action {
            Action::Load(from, align) => {
                let pointer = self.pointer(from, place, values)?;
                let Some(widths) = elements(&at.ty).filter(|all| all.iter().all(|width| width % 8 == 0))
                else {
                    return fault(place, "a load of other than whole bytes");
                };
                let bytes = widths.iter().sum::<u32>() / 8;
                self.access(&pointer, bytes, *align, (path, place), Access::Read).map_err(wrong)?;
                let read = self.objects.read(self.graph, &values.written, &pointer, bytes).map_err(wrong)?;
                self.graph.sliced(&read, &widths).unwrap_or_default()
            }
            Action::Store(of, to, align) => {
                let (pointer, lanes) = (self.pointer(to, place, values)?, self.operand(of, place, values)?);
                let width = lanes.iter().map(|lane| self.graph.width(lane.bits)).sum::<u32>();
                if of.ty == Type::Pointer
                    || lanes.iter().any(|lane| !self.graph.width(lane.bits).is_multiple_of(8))
                {
                    return fault(place, "a store of other than whole bytes");
                }
                self.access(&pointer, width / 8, *align, (path, place), Access::Write).map_err(wrong)?;
                let bytes = self.graph.sliced(&lanes, &vec![8; (width / 8) as usize]).unwrap_or_default();
                pointer.write(&mut values.written, bytes);
                Vec::new()
            }
            Action::Offset(from, steps, in_bounds) => {
                let mut pointer = self.pointer(from, place, values)?;
                for (count, size) in steps {
                    let count = self.single(count, place, values)?;
                    pointer.poison = self.graph.or(pointer.poison, count.poison);
                    pointer.step(self.graph, count.bits, *size).map_err(wrong)?;
                }
                if *in_bounds {
                    self.behavior.accesses.reached(&pointer);
                }
                pointer.lanes(self.graph)
            }
            Action::Allocate(bytes, align) => {
                let pointer = self.behavior.accesses.allocated(self.graph, *bytes, *align);
                pointer.lanes(self.graph)
            }
            Action::Compare(predicate, _, left, right) if left.ty == Type::Pointer => {
                let (left, right) = (self.pointer(left, place, values)?, self.pointer(right, place, values)?);
                let Some((a, b)) = left.beside(&right) else {
                    return fault(place, "a comparison of addresses that are not of one object");
                };
                let [a, b] = [a, b].map(|offset| self.graph.number(64, offset));
                let bits = generic::compare(self.graph, predicate, a, b);
                vec![Lane { bits, poison: self.graph.or(left.poison, right.poison) }]
            }
            Action::Call { function, arguments, .. }
                if arguments.iter().any(|(operand, _)| operand.ty == Type::Pointer) =>
            {
                self.copied(function, arguments, place, path, values)?;
                Vec::new()
            }
            _ => return Ok(None),
        };
        Ok(Some(lanes))
    }

    /// What `memcpy`, `memmove` and `memset` write.
    fn copied(
        &mut self,
        function: &str,
        arguments: &[(Operand, Vec<Attribute>)],
        place: Place,
        path: ExprId,
        values: &mut Environment,
    ) -> Read<()> {
        if function.starts_with("llvm.lifetime.") {
            return Ok(());
        }
        let [(to, of_to), (from, of_from), (count, _), _] = arguments else {
            return fault(place, format!("@{function} is outside of what is modelled"));
        };
        let wrong = |message| Fault::new(place, message);
        let align = |attributes: &[Attribute]| {
            let given = attributes.iter().find_map(|own| match own {
                Attribute::Align(bytes) => Some(*bytes),
                _ => None,
            });
            given.unwrap_or(1)
        };
        let count = self.single(count, place, values)?;
        let bytes = self.graph.constant(count.bits).and_then(hydride_ir::Bits::to_u64);
        let Some(bytes) = bytes.and_then(|bytes| u32::try_from(bytes).ok()).filter(|bytes| *bytes <= 1 << 16)
        else {
            return fault(place, "a copy of a size that is not known");
        };
        let (target, undefined) = (self.pointer(to, place, values)?, count.poison);
        self.undefined(path, undefined);
        let written = if from.ty == Type::Pointer {
            let source = self.pointer(from, place, values)?;
            self.access(&source, bytes, align(of_from), (path, place), Access::Read).map_err(wrong)?;
            if function.starts_with("llvm.memcpy.") && source.overlaps(&target, bytes) {
                return fault(place, "a copy to where it is read");
            }
            self.objects.read(self.graph, &values.written, &source, bytes).map_err(wrong)?
        } else {
            vec![self.single(from, place, values)?; bytes as usize]
        };
        self.access(&target, bytes, align(of_to), (path, place), Access::Write).map_err(wrong)?;
        target.write(&mut values.written, written);
        Ok(())
    }

    fn pointer(&mut self, of: &Operand, place: Place, values: &Environment) -> Read<Pointer> {
        if of.ty != Type::Pointer {
            return fault(place, "expected a pointer");
        }
        let lanes = self.operand(of, place, values)?;
        Pointer::new(self.graph, &lanes).map_err(|message| Fault::new(place, message))
    }

    /// Notes an access; what is wrong with its address is undefined behavior.
    fn access(
        &mut self,
        pointer: &Pointer,
        bytes: u32,
        align: u32,
        (path, place): (ExprId, Place),
        access: Access,
    ) -> Result<(), String> {
        let not = match self.behavior.accesses.is_local_misaligned(pointer, align) {
            Some(not) => self.graph.bool(not?),
            None => self.objects.misaligned(self.graph, pointer, align)?,
        };
        if self.graph.as_bool(not) != Some(false) {
            let when = self.graph.and(path, not);
            self.behavior
                .wrong
                .push((when, format!("an address at {place} is no multiple of {align} bytes")));
        }
        self.undefined(path, not);
        self.undefined(path, pointer.poison);
        let inside = self.behavior.accesses.note(self.graph, pointer, bytes, path, access);
        let outside = self.graph.bool(!inside);
        self.undefined(path, outside);
        Ok(())
    }
}
