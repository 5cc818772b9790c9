//! Assignments and the registers.

use hydride_ir::exact::{NodeId, Register};

use super::call::Call;
use super::{Machine, Run, Value, Var, Width};
use crate::arm::asl::ast::{Expr, ExprKind, FunctionKind, Offset, Place, Slice};
use crate::pseudocode::{Reason, positions, write_at_one_of};

/// The register files of the library: name, width in bits, number of registers.
const FILES: [(&str, u32, i64); 2] = [("_Z", 2048, 32), ("_R", 64, 31)];

impl Machine<'_> {
    /// The width in bits that an assigned value must have, if the place determines it.
    pub(super) fn place_width(&mut self, place: &Place) -> Run<Option<u32>> {
        let Place::Expr(expr) = place else { return Ok(None) };
        Ok(match &expr.kind {
            ExprKind::Name(name) => match self.state.frame.vars.get(name) {
                Some(Var::Bits(_, width) | Var::Value(Value::Bits(_, Width::Known(width)))) => Some(*width),
                _ => None,
            },
            ExprKind::Bracket(base, slices) => {
                if let ExprKind::Name(name) = &base.kind
                    && !self.state.frame.vars.contains_key(name)
                {
                    if let Some((_, width, _)) = FILES.iter().find(|(file, ..)| *file == &**name) {
                        return Ok(Some(*width));
                    }
                    let args = self.getter_args(slices, expr.offset)?;
                    if let Some((_, width)) = self.memory_access(name, &args, expr.offset)? {
                        return Ok(Some(width));
                    }
                    let function = self.find(name, FunctionKind::Setter, args.len(), expr.offset)?;
                    return Ok(self.setter_width(&function, &args));
                }
                let mut total = 0u32;
                for slice in slices {
                    match self.bounds(slice)? {
                        (_, Width::Known(width)) => total = total.saturating_add(width),
                        _ => return Ok(None),
                    }
                }
                Some(total)
            }
            _ => None,
        })
    }

    pub(super) fn assign(&mut self, place: &Place, value: Value, offset: Offset) -> Run<()> {
        match place {
            Place::Ignore => Ok(()),
            Place::Tuple(places) => match value {
                Value::Tuple(values) if values.len() == places.len() => {
                    for (place, value) in places.iter().zip(values) {
                        self.assign(place, value, offset)?;
                    }
                    Ok(())
                }
                other => {
                    self.fault(Reason::Type, offset, format!("expected a tuple, found {}", other.kind()))
                }
            },
            Place::Concat(places) => {
                let Value::Bits(node, Width::Known(total)) = value else {
                    return self.fault(
                        Reason::Type,
                        offset,
                        format!("expected bits, found {}", value.kind()),
                    );
                };
                let mut top = total;
                for place in places {
                    let Some(width) = self.place_width(place)? else {
                        return self.fault(Reason::Type, offset, "a place without a width");
                    };
                    let Some(low) = top.checked_sub(width) else {
                        return self.fault(Reason::Type, offset, format!("{total} bits are too few"));
                    };
                    let piece = self.dag.slice(node, low, width, false);
                    self.assign(place, Value::Bits(piece, Width::Known(width)), offset)?;
                    top = low;
                }
                if top > 0 {
                    return self.fault(Reason::Type, offset, format!("{total} bits are too many"));
                }
                Ok(())
            }
            Place::Expr(expr) => self.assign_expr(expr, value, offset),
        }
    }

    fn assign_expr(&mut self, expr: &Expr, value: Value, offset: Offset) -> Run<()> {
        match &expr.kind {
            ExprKind::Name(name) => {
                if let Some(Var::Bits(_, width)) = self.state.frame.vars.get(name)
                    && !matches!(&value, Value::Bits(_, Width::Known(own)) if own == width)
                {
                    let message = format!("`{name}` has {width} bits and does not take {}", shown(&value));
                    return self.fault(Reason::Type, offset, message);
                }
                self.state.frame.set(name, Var::Value(value));
                Ok(())
            }
            ExprKind::Bracket(base, slices) => {
                if let ExprKind::Name(name) = &base.kind
                    && !self.state.frame.vars.contains_key(name)
                {
                    if self.write_register(name, slices, &value, offset)? {
                        return Ok(());
                    }
                    return self.set(name, slices, value, offset);
                }
                let var = self.taken(base)?;
                let var = self.write_slices(var, slices, value, offset)?;
                self.put(base, var, offset)
            }
            ExprKind::Field(base, name) => match &base.kind {
                ExprKind::Name(base) if super::builtin::is_flags(base) => Ok(()),
                _ => self.fault(Reason::State, offset, format!("a write to the field `{name}`")),
            },
            _ => self.fault(Reason::Type, offset, "not a place"),
        }
    }

    /// The variable of a place, moved out where it has a name.
    fn taken(&mut self, expr: &Expr) -> Run<Var> {
        if let ExprKind::Name(name) = &expr.kind
            && let Some(var) = self.state.frame.vars.get_mut(name)
        {
            return Ok(std::mem::replace(var, Var::Unset));
        }
        Ok(Var::Value(self.eval(expr, None)?))
    }

    /// Puts a variable back to its place.
    fn put(&mut self, expr: &Expr, var: Var, offset: Offset) -> Run<()> {
        if let ExprKind::Name(name) = &expr.kind
            && self.state.frame.vars.contains_key(name)
        {
            self.state.frame.set(name, var);
            return Ok(());
        }
        let value = match var {
            Var::Value(value) => value,
            Var::Bits(register, width) => {
                let (node, _) = register.read(&mut self.dag, 0, width);
                Value::Bits(node, Width::Known(width))
            }
            _ => return self.fault(Reason::Type, offset, "nothing to assign"),
        };
        self.deeper(offset, |this| this.assign_expr(expr, value, offset))
    }

    /// Writes slices of a variable, the first one most significant.
    fn write_slices(&mut self, var: Var, slices: &[Slice], value: Value, offset: Offset) -> Run<Var> {
        let (mut register, width) = match var {
            Var::Bits(register, width) => (register, width),
            Var::Value(Value::Bits(node, Width::Known(width))) => (Register::with_value(width, node), width),
            _ => return self.fault(Reason::Type, offset, "a slice of what is not bits"),
        };
        let Value::Bits(node, Width::Known(total)) = value else {
            return self.fault(Reason::Type, offset, format!("expected bits, found {}", value.kind()));
        };
        let mut top = total;
        for slice in slices {
            let (low, bits) = self.bounds(slice)?;
            let Width::Known(bits) = bits else {
                return self.fault(Reason::Symbolic, offset, "a slice of a width that must be known");
            };
            let Some(from) = top.checked_sub(bits) else {
                return self.fault(
                    Reason::Type,
                    offset,
                    format!("a slice of {bits} bits does not take {total} bits"),
                );
            };
            let piece = self.dag.slice(node, from, bits, false);
            self.write_at(&mut register, width, low, bits, piece, offset)?;
            top = from;
        }
        if top > 0 {
            return self.fault(Reason::Type, offset, format!("the slice does not take {total} bits"));
        }
        Ok(Var::Bits(register, width))
    }

    /// Writes `bits` bits at a position, known or computed.
    fn write_at(
        &mut self,
        register: &mut Register,
        width: u32,
        low: NodeId,
        bits: u32,
        piece: NodeId,
        offset: Offset,
    ) -> Run<()> {
        if let Some(known) = self.dag.as_i64(low) {
            let end = known.checked_add(i64::from(bits));
            if known < 0 || end.is_none_or(|end| end > i64::from(width)) {
                return self.fault(
                    Reason::Type,
                    offset,
                    format!("bits {known} and {bits} up of {width} bits"),
                );
            }
            register.write(known as u32, bits, piece);
            return Ok(());
        }
        // Every element of that size may be the one.
        let elements = positions(&self.dag, low, width)
            .filter(|all| width / bits.max(1) <= 64 && all.iter().all(|low| low.is_multiple_of(bits)));
        let Some(elements) = elements else {
            return self.fault(Reason::Symbolic, offset, "a write at a position that must be known");
        };
        write_at_one_of(&mut self.dag, register, (low, bits), &elements, width, piece);
        Ok(())
    }

    /// Calls a setter.
    fn set(&mut self, name: &str, slices: &[Slice], value: Value, offset: Offset) -> Run<()> {
        let args = self.getter_args(slices, offset)?;
        if let Some(access) = self.memory_access(name, &args, offset)? {
            return self.write_memory(access, &value, offset);
        }
        let function = self.find(name, FunctionKind::Setter, args.len(), offset)?;
        let mut vars = Vec::with_capacity(args.len());
        // Plain arguments first: a reference is moved out of the frame.
        for (param, arg) in function.params.iter().zip(&args) {
            vars.push(if param.reference { Var::Unset } else { Var::Value(self.eval(arg, None)?) });
        }
        for (index, (param, arg)) in function.params.iter().zip(&args).enumerate() {
            if param.reference {
                vars[index] = self.taken(arg)?;
            }
        }
        let (_, references) =
            self.invoke(Call { function: &function, args: vars, assigned: Some(value), want: None, offset })?;
        for ((param, arg), var) in function.params.iter().zip(&args).zip(references) {
            if param.reference {
                self.put(arg, var, offset)?;
            }
        }
        Ok(())
    }

    fn register_index(
        &mut self,
        name: &str,
        slices: &[Slice],
        offset: Offset,
    ) -> Run<Option<(bool, u32, u32)>> {
        let Some((file, width, count)) = FILES.iter().find(|(file, ..)| *file == name) else {
            return Ok(None);
        };
        let [Slice::Single(index)] = slices else {
            return self.fault(Reason::Type, offset, "a register needs one number");
        };
        let node = self.integer(index)?;
        let index = self.known(node, offset)?;
        if !(0..*count).contains(&index) {
            return self.fault(Reason::Type, offset, format!("there is no register {index}"));
        }
        Ok(Some((*file == "_Z", index as u32, *width)))
    }

    pub(super) fn read_register(
        &mut self,
        name: &str,
        slices: &[Slice],
        offset: Offset,
    ) -> Run<Option<Value>> {
        let Some((vector, index, width)) = self.register_index(name, slices, offset)? else {
            return Ok(None);
        };
        let file = if vector { &self.state.registers.vectors } else { &self.state.registers.scalars };
        let node = match file.get(&index) {
            Some(register) => register.read(&mut self.dag, 0, width).0,
            None => self.dag.int(0),
        };
        Ok(Some(Value::Bits(node, Width::Known(width))))
    }

    fn write_register(&mut self, name: &str, slices: &[Slice], value: &Value, offset: Offset) -> Run<bool> {
        let Some((vector, index, width)) = self.register_index(name, slices, offset)? else {
            return Ok(false);
        };
        let node = self.bits_for(value, width, "a register of", offset)?;
        let file = if vector { &mut self.state.registers.vectors } else { &mut self.state.registers.scalars };
        file.insert(index, Register::with_value(width, node));
        Ok(true)
    }

    /// A value of exactly `width` bits, for a register or memory.
    pub(super) fn bits_for(&self, value: &Value, width: u32, place: &str, offset: Offset) -> Run<NodeId> {
        let Value::Bits(node, Width::Known(own)) = value else {
            return self.fault(Reason::Type, offset, format!("expected bits, found {}", value.kind()));
        };
        if *own != width {
            let message = format!("{place} {width} bits does not take {own} bits");
            return self.fault(Reason::Type, offset, message);
        }
        Ok(*node)
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Bits(_, Width::Known(width)) => format!("{width} bits"),
        other => other.kind().into(),
    }
}
