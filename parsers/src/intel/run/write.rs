//! How a slice of a variable is assigned, at a constant or a computed position.

use std::collections::BTreeMap;
use std::rc::Rc;

use hydride_ir::MAX_WIDTH;
use hydride_ir::exact::{Int, NodeId, Register};

use super::place::{MEMORY, Reading, Window};
use super::value::{Contents, Value, Variable};
use super::{Ran, Run, fail};
use crate::intel::ast::{Expr, ExprKind, Place, Selector};
use crate::pseudocode::{Reason, Width, not_negative, positions, write_at_one_of};
use crate::signature::Element;

impl Run<'_> {
    /// Assigns to a variable or a part of it.
    pub(super) fn write_place(&mut self, place: &Place, value: Value, source: Option<&Expr>) -> Ran<()> {
        let at = place.at;
        self.check(value.node, at)?;
        let position = place.name.0 as usize;
        let known = self.frame.variables[position].clone();
        if place.selectors.is_empty() {
            let variable = match known.as_deref() {
                Some(Variable { declared: Some(width), argument, element, .. }) => Variable {
                    contents: Contents::Bits {
                        register: Register::with_value(*width, value.node),
                        open: false,
                    },
                    declared: Some(*width),
                    argument: *argument,
                    element: *element,
                },
                _ => {
                    let element = value
                        .element
                        .filter(|element| value.width.is_none_or(|width| width >= element.width));
                    let element = float_element(&value).or(element);
                    Variable { element, ..Variable::temporary(Contents::Scalar(value)) }
                }
            };
            self.frame.variables[position] = Some(Rc::new(variable));
            return Ok(());
        }
        if known.is_none() && self.program.name(place.name) == MEMORY {
            let window = self.window(&place.selectors, None, at)?;
            let width = Self::memory_width(window, at)?;
            let memory = &mut self.frame.memory;
            let written = self.pointers.write(&mut self.dag, memory, window.low, width, value.node);
            return written.map_err(|fault| fault.map_place(|()| at));
        }
        if let Some(done) = self.write_item(place, known.as_deref(), value)? {
            self.frame.variables[position] = Some(Rc::new(done));
            return Ok(());
        }
        let declared = known.as_ref().and_then(|known| known.declared);
        let window = self.window(&place.selectors, declared, at)?;
        drop(known);
        // At a constant position nothing else is read: the variable need not be copied.
        let constant = matches!(window.width, Width::Known(_)) && self.dag.as_int(window.low).is_some();
        let slot = &mut self.frame.variables[position];
        let mut variable = match if constant { slot.take() } else { slot.clone() } {
            Some(known) => Rc::unwrap_or_clone(known),
            None => Variable::temporary(Contents::Bits { register: Register::default(), open: false }),
        };
        let reach = match window.width {
            Width::Known(width) => {
                let low = self.dag.range(window.low).high.as_ref().and_then(|high| u32::try_from(high).ok());
                low.unwrap_or(0).saturating_add(width).min(MAX_WIDTH)
            }
            Width::Computed(_) => 0,
        };
        let Some((mut register, open)) = variable.take_bits(&self.dag, reach) else {
            return fail(Reason::Syntax, "a slice of elements is assigned", at);
        };
        let element = float_element(&value).or(value.element);
        match (variable.declared, variable.element, register.extents().next().is_some()) {
            (Some(_), ..) => {}
            (None, None, false) => {
                variable.element = element.filter(|element| {
                    element.float || value.width.is_some_and(|width| width >= element.width)
                });
            }
            (None, own, _) => variable.element = own.filter(|own| element == Some(*own) || element.is_none()),
        }
        self.write_bits(&mut register, variable.declared, window, value, place, source)?;
        variable.contents = Contents::Bits { register, open };
        self.frame.variables[position] = Some(Rc::new(variable));
        Ok(())
    }

    /// `A[i] := x` where `A` holds elements and not bits: a temporary that is never sliced, and more than one bit.
    fn write_item(&mut self, place: &Place, known: Option<&Variable>, value: Value) -> Ran<Option<Variable>> {
        let [Selector::Index(index)] = place.selectors.as_slice() else { return Ok(None) };
        if self.program.sliced[place.name.0 as usize] || known.is_some_and(|known| known.declared.is_some()) {
            return Ok(None);
        }
        let (width, whole, mut items) = match known.map(|known| &known.contents) {
            Some(Contents::Items { width, whole, items }) => (*width, *whole, items.clone()),
            Some(Contents::Scalar(whole)) if whole.width.is_some_and(|width| width > 1) => {
                (whole.width.unwrap_or(0), Some(*whole), BTreeMap::new())
            }
            None if value.width.is_some_and(|width| width > 1) => {
                (value.width.unwrap_or(0), None, BTreeMap::new())
            }
            _ => return Ok(None),
        };
        let index = self.index(index)?;
        let Some(index) = self.dag.as_i64(index) else {
            return fail(Reason::Unsupported, "an element with a computed number is assigned", place.at);
        };
        let item = self.dag.slice(value.node, 0, width, false);
        items.insert(index, item);
        Ok(Some(Variable::temporary(Contents::Items { width, whole, items })))
    }

    fn write_bits(
        &mut self,
        register: &mut Register,
        declared: Option<u32>,
        window: Window,
        value: Value,
        place: &Place,
        source: Option<&Expr>,
    ) -> Ran<()> {
        let at = place.at;
        let width = match window.width {
            Width::Known(width) => width,
            Width::Computed(width) => {
                if let Some(fixed) = self.fix(width, "the width of a slice", at) {
                    return fixed;
                }
                return self.write_above(register, window.low, width, value, place, source);
            }
        };
        if let Some(low) = self.dag.as_i64(window.low).and_then(|low| u32::try_from(low).ok()) {
            if window.reversed {
                let node = self.reversed(value.node, 0, width);
                register.write(low, width, node);
            } else {
                let width = declared.map_or(width, |top| width.min(top.saturating_sub(low)));
                register.write(low, width, value.node);
            }
            return Ok(());
        }
        let Some(positions) = positions(&self.dag, window.low, declared.unwrap_or(MAX_WIDTH)) else {
            let Some(top) = declared else {
                return fail(Reason::Limit, "a temporary is assigned at a computed position", at);
            };
            let (whole, _) = register.read(&mut self.dag, 0, top);
            let low = not_negative(&mut self.dag, window.low);
            let ones = self.dag.int((Int::ONE << width as usize) - Int::ONE);
            let mask = self.dag.shl(ones, low);
            let kept = self.dag.not(mask);
            let kept = self.dag.and(whole, kept);
            let inserted = self.dag.slice(value.node, 0, width, false);
            let inserted = self.dag.shl(inserted, low);
            let joined = self.dag.or(kept, inserted);
            register.write(0, top, joined);
            return Ok(());
        };
        let end = declared.unwrap_or(MAX_WIDTH);
        write_at_one_of(&mut self.dag, register, (window.low, width), &positions, end, value.node);
        Ok(())
    }

    /// `x[255:m] := v` with a computed `m`: bits from `m` up to a constant.
    fn write_above(
        &mut self,
        register: &mut Register,
        low: NodeId,
        width: NodeId,
        value: Value,
        place: &Place,
        source: Option<&Expr>,
    ) -> Ran<()> {
        let at = place.at;
        let end = self.dag.sum(&[low, width]);
        let Some(end) =
            self.dag.as_i64(end).and_then(|end| u32::try_from(end).ok()).filter(|end| *end <= MAX_WIDTH)
        else {
            return fail(Reason::Unsupported, "both ends of an assigned slice are computed", at);
        };
        let Some(mut starts) = positions(&self.dag, low, end) else {
            return fail(Reason::Limit, "an assigned slice has too many possible positions", at);
        };
        starts.retain(|start| *start < end);
        // `x[255:m] := y[255:m]` copies bits in place.
        let copied = match (source.map(|source| &source.kind), place.selectors.as_slice()) {
            (Some(ExprKind::Place(from)), [Selector::Slice(high, low)]) => match from.selectors.as_slice() {
                [Selector::Slice(from_high, from_low)] if same(high, from_high) && same(low, from_low) => {
                    let whole = Place { name: from.name, selectors: Vec::new(), at: from.at };
                    Some(self.read_place(&whole, Reading::Unsigned)?.node)
                }
                _ => None,
            },
            _ => None,
        };
        for (position, start) in starts.iter().enumerate() {
            let stop = starts.get(position + 1).copied().unwrap_or(end);
            let start_node = self.dag.int(*start);
            let reached = self.dag.le(low, start_node);
            let piece = match copied {
                Some(whole) => self.dag.slice(whole, *start, stop - start, false),
                None => {
                    let offset = self.dag.sub(start_node, low);
                    let offset = not_negative(&mut self.dag, offset);
                    let shifted = self.dag.shr(value.node, offset);
                    self.dag.slice(shifted, 0, stop - start, false)
                }
            };
            let mut written = register.clone();
            written.write(*start, stop - start, piece);
            *register = match self.dag.as_i64(reached) {
                Some(0) => continue,
                Some(_) => written,
                None => Register::merge(&mut self.dag, reached, &written, register),
            };
        }
        Ok(())
    }
}

/// The element type that an assigned floating-point number gives its variable.
fn float_element(value: &Value) -> Option<Element> {
    let width = value.width?;
    value.float.then_some(Element { width, signed: true, float: true })
}

/// Whether two expressions are written the same way.
fn same(left: &Expr, right: &Expr) -> bool {
    match (&left.kind, &right.kind) {
        (ExprKind::Number(left), ExprKind::Number(right)) => left == right,
        (ExprKind::Place(left), ExprKind::Place(right)) => {
            left.name == right.name && left.selectors.is_empty() && right.selectors.is_empty()
        }
        (ExprKind::Binary(op, a, b), ExprKind::Binary(other, c, d)) => {
            op == other && same(a, c) && same(b, d)
        }
        _ => false,
    }
}
