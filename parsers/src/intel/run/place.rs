//! Variables by slices: where a selector points, and how a slice is read.

use std::rc::Rc;

use hydride_ir::MAX_WIDTH;
use hydride_ir::exact::{Int, NodeId, Part, Register};

use super::value::{Contents, Value, Variable};
use super::{Ran, Run, exclude, fail};
use crate::intel::ast::{Expr, ExprKind, Extent, Place, Selector, Symbol};
use crate::intel::library;
use crate::pseudocode::{Reason, Width, not_negative};
use crate::signature::Element;

/// The name of all memory.
pub(super) const MEMORY: &str = "MEM";

/// How slices in an expression are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::intel) enum Reading {
    /// As the document's element type says.
    Natural,
    /// As two's complement, whatever the type.
    Signed,
    /// Without a sign, whatever the type.
    Unsigned,
}

/// Bits of a value or variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) low: NodeId,
    pub(super) width: Width,
    /// `v[0:7]`: the bits in the opposite order.
    pub(super) reversed: bool,
    float: bool,
    /// A view without an index (`x.dword`).
    bare: bool,
}

impl Run<'_> {
    pub(super) fn lookup(&self, symbol: Symbol) -> Option<Rc<Variable>> {
        let position = symbol.0 as usize;
        match &self.frame.variables[position] {
            Some(variable) => Some(Rc::clone(variable)),
            None => self.globals.as_ref()?[position].clone(),
        }
    }

    /// Where selectors point, `top` being the width of what they select from.
    pub(super) fn window(&mut self, selectors: &[Selector], top: Option<u32>, at: Extent) -> Ran<Window> {
        let zero = self.dag.int(0);
        let mut window = Window {
            low: zero,
            width: Width::Known(top.unwrap_or(0)),
            reversed: false,
            float: false,
            bare: false,
        };
        let mut top = top;
        for selector in selectors {
            if window.reversed {
                return fail(Reason::Syntax, "a reversed slice has no slices", at);
            }
            match selector {
                Selector::Index(index) => {
                    let index = self.index(index)?;
                    window.low = self.dag.sum(&[window.low, index]);
                    window.width = Width::Known(1);
                }
                Selector::Slice(high, low) => {
                    let low_node = self.index(low)?;
                    let high_node = match &high.kind {
                        ExprKind::Place(place)
                            if place.selectors.is_empty() && self.program.name(place.name) == "MAX" =>
                        {
                            // Nothing lies between the top and a position above it.
                            let high = top.map_or(-1, |top| i64::from(top) - 1);
                            let low = self.dag.as_i64(low_node).unwrap_or(0);
                            self.dag.int(high.max(low - 1))
                        }
                        _ => self.index(high)?,
                    };
                    let one = self.dag.int(1);
                    let span = self.dag.sub(high_node, low_node);
                    let span = self.dag.sum(&[span, one]);
                    let mut start = low_node;
                    window.width = match self.dag.as_int(span).cloned() {
                        Some(width) if width < Int::ZERO => {
                            window.reversed = true;
                            start = high_node;
                            Width::Known(self.bounded(Int::from(2) - width, "a slice", at)?)
                        }
                        Some(width) => Width::Known(self.bounded(width, "a slice", at)?),
                        None => Width::Computed(span),
                    };
                    window.low = self.dag.sum(&[window.low, start]);
                }
                Selector::View { width, float, index } => {
                    if let Some(index) = index {
                        let index = self.index(index)?;
                        let scale = self.dag.int(*width);
                        let offset = self.dag.mul(index, scale);
                        window.low = self.dag.sum(&[window.low, offset]);
                    }
                    window.bare = index.is_none() && selectors.len() == 1;
                    window.width = Width::Known(*width);
                    window.float = *float;
                }
                Selector::Field(name) => return exclude(Reason::State, format!("the field `{name}`"), at),
            }
            top = match window.width {
                Width::Known(width) => Some(width),
                Width::Computed(_) => None,
            };
        }
        if self.dag.range(window.low).high.as_ref().is_some_and(|high| high < &Int::ZERO) {
            return fail(Reason::Slice, "a slice begins below bit 0", at);
        }
        if let Some(low) = self.dag.as_int(window.low).cloned() {
            self.bounded(low, "the position of a slice", at)?;
        }
        Ok(window)
    }

    pub(super) fn index(&mut self, index: &Expr) -> Ran<NodeId> {
        Ok(self.expr(index, Reading::Unsigned)?.node)
    }

    fn bounded(&self, number: Int, what: &str, at: Extent) -> Ran<u32> {
        match u32::try_from(&number) {
            Ok(number) if number <= MAX_WIDTH => Ok(number),
            _ => fail(Reason::Limit, format!("{what} is beyond {MAX_WIDTH} bits"), at),
        }
    }

    /// Reads a variable or a part of it.
    pub(super) fn read_place(&mut self, place: &Place, reading: Reading) -> Ran<Value> {
        let name = self.program.name(place.name);
        if let Some(value) = self.field(place.name, &place.selectors) {
            return Ok(value);
        }
        let Some(variable) = self.lookup(place.name) else {
            if name == MEMORY {
                return self.read_memory(&place.selectors, reading, place.at);
            }
            if place.selectors.is_empty()
                && let Some(constant) = library::constant(name)
            {
                return Ok(Value::exact(self.dag.int(constant)));
            }
            if library::is_float_name(name) {
                return exclude(Reason::FloatingPoint, format!("`{name}`"), place.at);
            }
            return fail(Reason::Undefined, format!("`{name}` is read before it is written"), place.at);
        };
        match (&variable.contents, place.selectors.as_slice()) {
            (Contents::Items { width, whole, items }, selectors) => {
                let found = match selectors {
                    [] => *whole,
                    [Selector::Index(index), ..] => {
                        let index = self.index(index)?;
                        let index = self.dag.as_i64(index);
                        index.and_then(|index| items.get(&index)).map(|item| Value::sized(*item, *width))
                    }
                    _ => None,
                };
                let Some(value) = found else {
                    return fail(
                        Reason::Undefined,
                        format!("this element of `{name}` is read before it is written"),
                        place.at,
                    );
                };
                match selectors {
                    [] | [_] => Ok(self.reread(value, reading)),
                    [_, rest @ ..] => self.select_from(value, rest, reading, place.at),
                }
            }
            (Contents::Table { table, width }, [Selector::Index(index)]) => {
                let index = self.index(index)?;
                let scale = self.dag.int(*width);
                let low = self.dag.mul(index, scale);
                Ok(Value::sized(self.dag.slice_at(*table, low, *width, false), *width))
            }
            (Contents::Table { .. }, _) => fail(Reason::Syntax, format!("`{name}` is a table"), place.at),
            (Contents::Function(_), _) => fail(Reason::Type, format!("`{name}` holds a function"), place.at),
            (Contents::Scalar(value), []) => Ok(self.reread(*value, reading)),
            (Contents::Scalar(value), selectors) => self.select_from(*value, selectors, reading, place.at),
            (Contents::Bits { register, open }, selectors) => {
                let (register, open) = (register.clone(), *open);
                self.read_bits(&variable, &register, open, selectors, reading, place)
            }
        }
    }

    /// A value read with another sign.
    pub(super) fn reread(&mut self, value: Value, reading: Reading) -> Value {
        let Some(width) = value.width else { return value };
        let node = match reading {
            Reading::Natural => value.node,
            Reading::Signed => self.dag.slice(value.node, 0, width, true),
            Reading::Unsigned => self.dag.slice(value.node, 0, width, false),
        };
        Value { node, ..value }
    }

    /// A part of a value that is in no variable, or in one that was assigned as a whole.
    pub(super) fn select_from(
        &mut self,
        value: Value,
        selectors: &[Selector],
        reading: Reading,
        at: Extent,
    ) -> Ran<Value> {
        let window = self.window(selectors, value.width, at)?;
        let float = window.float || self.is_float(value.element, window.width);
        let signed = |width: u32| match reading {
            Reading::Natural => value.element.is_some_and(|element| element.width == width && element.signed),
            Reading::Signed => true,
            Reading::Unsigned => false,
        };
        let width = match window.width {
            Width::Known(width) => width,
            Width::Computed(width) => {
                if let Some(fixed) = self.fix(width, "the width of a slice", at) {
                    return fixed;
                }
                let node = self.masked(value.node, window.low, width);
                return Ok(Value { element: value.element, ..Value::exact(node) });
            }
        };
        if window.bare && value.width.is_none_or(|own| own <= width) {
            return Ok(Value { float, ..self.reread(value, reading) });
        }
        let node = match self.dag.as_i64(window.low).and_then(|low| u32::try_from(low).ok()) {
            Some(low) if window.reversed => self.reversed(value.node, low, width),
            // The whole of it keeps its sign.
            Some(0) if Some(width) == value.width && reading == Reading::Natural => value.node,
            Some(low) => self.dag.slice(value.node, low, width, signed(width)),
            None => {
                let low = not_negative(&mut self.dag, window.low);
                let shifted = self.dag.shr(value.node, low);
                self.dag.slice(shifted, 0, width, signed(width))
            }
        };
        Ok(Value { node, width: Some(width), float, element: value.element })
    }

    fn is_float(&self, element: Option<Element>, width: Width) -> bool {
        match (element, width) {
            (Some(element), Width::Known(width)) => element.float && element.width == width,
            _ => false,
        }
    }

    /// `value >> low`, and of that the low bits that `width` counts.
    fn masked(&mut self, value: NodeId, low: NodeId, width: NodeId) -> NodeId {
        let low = not_negative(&mut self.dag, low);
        let width = not_negative(&mut self.dag, width);
        let one = self.dag.int(1);
        let power = self.dag.shl(one, width);
        let mask = self.dag.sub(power, one);
        let shifted = self.dag.shr(value, low);
        self.dag.and(shifted, mask)
    }

    pub(super) fn reversed(&mut self, of: NodeId, low: u32, width: u32) -> NodeId {
        let parts: Vec<Part> = (low..low + width)
            .rev()
            .map(|bit| Part { node: self.dag.slice(of, bit, 1, false), width: 1 })
            .collect();
        self.dag.concat(&parts)
    }

    fn read_bits(
        &mut self,
        variable: &Variable,
        register: &Register,
        open: bool,
        selectors: &[Selector],
        reading: Reading,
        place: &Place,
    ) -> Ran<Value> {
        let at = place.at;
        let end = variable.declared.unwrap_or_else(|| register.end());
        let mut window = self.window(selectors, Some(end), at)?;
        if window.bare
            && variable.declared.is_none()
            && matches!(window.width, Width::Known(width) if width > end)
        {
            window.width = Width::Known(end);
        }
        let element = variable.element;
        let float = window.float || self.is_float(element, window.width);
        let width = match window.width {
            Width::Known(width) => width,
            Width::Computed(width) => {
                if let Some(fixed) = self.fix(width, "the width of a slice", at) {
                    return fixed;
                }
                let (whole, _) = register.read(&mut self.dag, 0, end);
                let node = self.masked(whole, window.low, width);
                return Ok(Value { element, ..Value::exact(node) });
            }
        };
        let of_element = element.filter(|element| element.width == width).map(|element| element.signed);
        let Some(low) = self.dag.as_i64(window.low).and_then(|low| u32::try_from(low).ok()) else {
            let (whole, _) = register.read(&mut self.dag, 0, end);
            self.note_read(variable, window.low, width, selectors);
            let low = not_negative(&mut self.dag, window.low);
            let signed = match reading {
                Reading::Natural => of_element.unwrap_or(false),
                Reading::Signed => true,
                Reading::Unsigned => false,
            };
            let node = self.dag.slice_at(whole, low, width, signed);
            return Ok(Value { node, width: Some(width), float, element });
        };
        self.note_read(variable, window.low, width, selectors);
        let assigned = register.assigned(low, width);
        let written = register.extents().any(|(start, size)| start < low + width && start + size > low);
        if !written && !open && variable.argument.is_none() && width > 0 {
            let name = self.program.name(place.name);
            return fail(
                Reason::Undefined,
                format!("these bits of `{name}` are read before they are written"),
                at,
            );
        }
        let source = match assigned {
            Some(value) => value,
            None => register.read(&mut self.dag, low, width).0,
        };
        let signed = match reading {
            Reading::Natural => of_element.unwrap_or_else(|| {
                width > 1
                    && assigned.is_some()
                    && variable.argument.is_none()
                    && !self.dag.range(source).is_non_negative()
            }),
            Reading::Signed => true,
            Reading::Unsigned => false,
        };
        let node = if window.reversed {
            self.reversed(source, 0, width)
        } else {
            self.dag.slice(source, 0, width, signed)
        };
        let width = if open && selectors.is_empty() { None } else { Some(width) };
        Ok(Value { node, width, float, element })
    }

    /// Reads what is at an address.
    fn read_memory(&mut self, selectors: &[Selector], reading: Reading, at: Extent) -> Ran<Value> {
        let window = self.window(selectors, None, at)?;
        let width = Self::memory_width(window, at)?;
        let read = self.pointers.read(&mut self.dag, &mut self.frame.memory, window.low, width);
        let (argument, node) = read.map_err(|fault| fault.map_place(|()| at))?;
        let element = self.signature.args[argument as usize].element;
        let float = window.float || self.is_float(element, window.width);
        let value = Value { node, width: Some(width), float, element };
        let signed = element.is_some_and(|element| element.width == width && element.signed);
        let reading = if reading == Reading::Natural && signed { Reading::Signed } else { reading };
        Ok(self.reread(value, reading))
    }

    /// The number of bits that are accessed at an address.
    pub(super) fn memory_width(window: Window, at: Extent) -> Ran<u32> {
        match window.width {
            Width::Known(width) if !window.reversed && width > 0 => Ok(width),
            _ => exclude(Reason::Memory, "a computed number of bits is accessed", at),
        }
    }

    /// Remembers how many bits of an argument the operation names.
    fn note_read(&mut self, variable: &Variable, low: NodeId, width: u32, selectors: &[Selector]) {
        let (Some(argument), false) = (variable.argument, selectors.is_empty()) else { return };
        let low = self.dag.range(low).high.as_ref().and_then(|high| u32::try_from(high).ok()).unwrap_or(0);
        let read = &mut self.read[argument as usize];
        *read = (*read).max(low.saturating_add(width));
    }
}
