//! Views of variables and values: what `Vdd.v[0].h[i]`, `Vu.uw[i].ub[k]` and `Qd[i]` name.

use hydride_ir::exact::{Int, Node, NodeId};

use super::machine::{Machine, Slot, Variable};
use super::region::is_state;
use super::source::Fault;
use super::syntax::{Binary, Expr, ExprKind};
use crate::pseudocode::Reason;

/// The width of a view of an exact integer.
const EXACT: u32 = u32::MAX;

/// The elements of a value of unknown width that an index may name lie within this many bits.
const VALUE_WIDTH: u32 = 128;

/// A part of a variable or value.
#[derive(Clone, Debug)]
pub(super) struct View {
    base: Base,
    low: Low,
    /// Width in bits.
    pub width: u32,
    pub signed: bool,
    /// The element width and signedness when an index is still to come.
    array: Option<(u32, bool)>,
    predicate: bool,
}

#[derive(Clone, Copy, Debug)]
enum Base {
    Slot(Slot),
    Value(NodeId),
}

#[derive(Clone, Copy, Debug)]
enum Low {
    At(u32),
    Computed(NodeId),
}

/// The element types that a field name can denote.
const ELEMENTS: &[(&str, u32, bool)] = &[
    ("b", 8, true),
    ("ub", 8, false),
    ("h", 16, true),
    ("uh", 16, false),
    ("w", 32, true),
    ("uw", 32, false),
    ("d", 64, true),
    ("ud", 64, false),
];

impl View {
    /// A view of a whole value; `width` is [`None`] for an exact integer.
    pub fn of_value(value: NodeId, width: Option<u32>, signed: bool) -> Self {
        let (base, low) = (Base::Value(value), Low::At(0));
        Self { base, low, width: width.unwrap_or(EXACT), signed, array: None, predicate: false }
    }

    pub fn is_exact(&self) -> bool {
        self.width == EXACT
    }
}

impl Machine {
    /// A view of a whole variable.
    pub fn whole(&self, slot: Slot) -> View {
        let (width, signed, predicate) = match self.variable(slot) {
            Variable::Integer { of, .. } => {
                let (width, signed) = of.unwrap_or((EXACT, false));
                (width, signed, false)
            }
            Variable::Bits { width, signed, predicate, .. } => (*width, *signed, *predicate),
        };
        View { base: Base::Slot(slot), low: Low::At(0), width, signed, array: None, predicate }
    }

    /// The part that an expression names; other expressions are viewed as their value.
    pub fn view(&mut self, expr: &Expr) -> Result<View, Fault> {
        if is_state(expr) {
            return Ok(View::of_value(self.state_value(expr)?, None, true));
        }
        match &expr.kind {
            ExprKind::Name(name) if self.slot(name).is_some() => {
                let slot = self.slot(name).ok_or_else(|| unknown(name, expr.at))?;
                Ok(self.whole(slot))
            }
            ExprKind::Field(of, name) => {
                let of = self.view(of)?;
                self.field(of, name, expr.at)
            }
            ExprKind::Index(of, index) => {
                let of = self.view(of)?;
                let index = self.value(index)?;
                self.element(&of, index, expr.at)
            }
            ExprKind::Slice(of, high, low) => {
                let of = self.view(of)?;
                let (high, low) = (self.constant(high)?, self.constant(low)?);
                if low < 0 || high < low || high >= i64::from(of.width.min(hydride_ir::MAX_WIDTH)) {
                    return Err(Fault::failed(
                        Reason::Index,
                        expr.at,
                        format!("bits {high}:{low} are not all there"),
                    ));
                }
                self.part(&of, low as u32, (high - low + 1) as u32, false, expr.at)
            }
            ExprKind::Statements(statements) => self.statements_view(statements, expr.at),
            _ => Ok(View::of_value(self.value(expr)?, None, true)),
        }
    }

    fn field(&mut self, of: View, name: &str, at: usize) -> Result<View, Fault> {
        if of.array.is_some() {
            return Err(Fault::failed(
                Reason::UnknownView,
                at,
                format!("an index is missing before .{name}"),
            ));
        }
        let vector = self.vector_bytes * 8;
        if name == "v" {
            return Ok(View { array: Some((vector, false)), ..of });
        }
        if name == "s64" {
            let value = self.read(&of, at)?;
            return Ok(View::of_value(self.dag.slice(value, 0, 64, true), Some(64), true));
        }
        match ELEMENTS.iter().find(|(known, _, _)| *known == name) {
            Some((_, width, signed)) => Ok(View { array: Some((*width, *signed)), ..of }),
            None => {
                Err(Fault::failed(Reason::UnknownView, at, format!("there is no view .{name} of a register")))
            }
        }
    }

    /// The element of an array, or the bit of a predicate, at an index.
    pub fn element(&mut self, of: &View, index: NodeId, at: usize) -> Result<View, Fault> {
        let (width, signed) = match of.array {
            Some(element) => element,
            None if of.predicate => (1, false),
            None => {
                return Err(Fault::failed(
                    Reason::UnknownView,
                    at,
                    "an element type is missing before the index",
                ));
            }
        };
        let available = if of.is_exact() { VALUE_WIDTH } else { of.width };
        let count = available / width;
        let low_index = self.dag.range(index).low.clone();
        let out = |index: String| {
            Err(Fault::failed(
                Reason::Index,
                at,
                format!("index {index} is beyond the {count} elements that are there"),
            ))
        };
        if let Some(index) = self.dag.as_int(index) {
            return match u32::try_from(index) {
                Ok(index) if index < count => self.part(of, index * width, width, signed, at),
                _ => out(index.to_string()),
            };
        }
        if low_index.as_ref().is_some_and(|low| low >= &Int::from(count)) {
            return out("of an operand's value".into());
        }
        // A negative index is read nowhere but in an operand that does not count.
        let index = if low_index.is_some_and(|low| low >= Int::ZERO) {
            index
        } else {
            self.dag.slice(index, 0, count.next_power_of_two().trailing_zeros(), false)
        };
        let width_node = self.dag.int(width);
        let offset = self.dag.mul(index, width_node);
        let low = match of.low {
            Low::At(low) => {
                let low = self.dag.int(low);
                self.dag.sum(&[low, offset])
            }
            Low::Computed(low) => self.dag.sum(&[low, offset]),
        };
        let low = self.checked(low, at)?;
        Ok(View { low: Low::Computed(low), width, signed, array: None, ..of.clone() })
    }

    /// Bits `low .. low + width` of a view.
    fn part(&mut self, of: &View, low: u32, width: u32, signed: bool, at: usize) -> Result<View, Fault> {
        let low = match of.low {
            Low::At(base) => Low::At(base + low),
            Low::Computed(base) => {
                let low = self.dag.int(low);
                let sum = self.dag.sum(&[base, low]);
                Low::Computed(self.checked(sum, at)?)
            }
        };
        Ok(View { low, width, signed, array: None, ..of.clone() })
    }

    /// So many bits of a register from where a view starts.
    pub fn widened(&self, view: View, width: u32, at: usize) -> Result<View, Fault> {
        let (Base::Slot(slot), Low::At(low)) = (view.base, view.low) else {
            return Err(Fault::failed(Reason::Unsupported, at, "this is no place in a register"));
        };
        match self.variable(slot) {
            Variable::Bits { width: whole, .. } if low + width <= *whole => {
                Ok(View { width, signed: false, array: None, ..view })
            }
            _ => {
                Err(Fault::failed(Reason::Index, at, format!("{width} bits from here on are not all there")))
            }
        }
    }

    /// The element at an index of a view taken as an array of elements of a width.
    pub fn sub_element(
        &mut self,
        of: View,
        index: NodeId,
        (width, signed): (u32, bool),
        at: usize,
    ) -> Result<View, Fault> {
        let of = View { array: Some((width, signed)), ..of };
        self.element(&of, index, at)
    }

    /// The value of a view.
    pub fn read(&mut self, view: &View, at: usize) -> Result<NodeId, Fault> {
        if view.array.is_some() {
            return Err(Fault::failed(Reason::UnknownView, at, "an index is missing after the element type"));
        }
        let value = match view.low {
            Low::At(low) => self.read_at(view, low, at)?,
            Low::Computed(low) => self.read_computed(view, low, at)?,
        };
        self.checked(value, at)
    }

    fn read_at(&mut self, view: &View, low: u32, at: usize) -> Result<NodeId, Fault> {
        let value = match view.base {
            Base::Value(value) => value,
            Base::Slot(slot) => match self.variable(slot).clone_source() {
                Source::Integer(Some(value)) => value,
                Source::Integer(None) => {
                    return Err(Fault::failed(
                        Reason::Undefined,
                        at,
                        "a variable is read before it has a value",
                    ));
                }
                Source::Bits => {
                    let Machine { store, dag, .. } = self;
                    let list = match slot {
                        Slot::Global(_) => &store.globals,
                        Slot::Local(_) => &store.locals,
                    };
                    let (Slot::Global(position) | Slot::Local(position)) = slot;
                    let Variable::Bits { register, .. } = &list[position] else {
                        return Err(Fault::failed(Reason::Undefined, at, "a register is missing"));
                    };
                    let (bits, _) = register.read(dag, low, view.width);
                    return Ok(if view.signed { dag.slice(bits, 0, view.width, true) } else { bits });
                }
            },
        };
        if view.is_exact() && low == 0 {
            return Ok(value);
        }
        Ok(self.dag.slice(value, low, view.width, view.signed))
    }

    fn read_computed(&mut self, view: &View, low: NodeId, at: usize) -> Result<NodeId, Fault> {
        let base = View { low: Low::At(0), array: None, signed: false, ..view.clone() };
        let total = match view.base {
            Base::Slot(slot) => match self.variable(slot) {
                Variable::Bits { width, .. } => *width,
                Variable::Integer { of, .. } => of.map_or(VALUE_WIDTH, |(width, _)| width),
            },
            Base::Value(value) => self.dag.natural(value).map_or(VALUE_WIDTH, |(width, _)| width.max(1)),
        };
        // A choice between two places is a choice between two values.
        if let Some((condition, then, otherwise)) = self.two_valued(low) {
            let inside = |place: &Int| {
                let place = u32::try_from(place).ok()?;
                (u64::from(place) + u64::from(view.width) <= u64::from(total)).then_some(place)
            };
            if let (Some(then), Some(otherwise)) = (inside(&then), inside(&otherwise)) {
                let then = self.read_at(view, then, at)?;
                let otherwise = self.read_at(view, otherwise, at)?;
                return Ok(self.dag.select(condition, then, otherwise));
            }
        }
        let source = self.read_at(&View { width: total, ..base }, 0, at)?;
        let source = match *self.dag.node(source) {
            // A whole argument needs no slice.
            Node::Slice { of, low: 0, width, .. } if self.is_whole_argument(of, width) => of,
            _ => self.dag.slice(source, 0, total, false),
        };
        let value = self.dag.slice_at(source, low, view.width, false);
        Ok(if view.signed { self.dag.slice(value, 0, view.width, true) } else { value })
    }

    fn is_whole_argument(&self, of: NodeId, width: u32) -> bool {
        matches!(self.dag.node(of), Node::Arg(arg) if self.dag.arg_widths().get(*arg as usize) == Some(&width))
    }

    /// A view of the same bits that holds when the variable is gone.
    pub fn detach(&mut self, view: View, at: usize) -> Result<View, Fault> {
        let value = self.read(&view, at)?;
        Ok(View { base: Base::Value(value), low: Low::At(0), ..view })
    }

    /// Assigns the low bits of a value.
    pub fn write(&mut self, view: &View, value: NodeId, at: usize) -> Result<(), Fault> {
        if view.array.is_some() {
            return Err(Fault::failed(Reason::UnknownView, at, "an index is missing after the element type"));
        }
        let Base::Slot(slot) = view.base else {
            return Err(Fault::failed(Reason::Unsupported, at, "this cannot be assigned"));
        };
        let Low::At(low) = view.low else {
            return Err(Fault::failed(Reason::Symbolic, at, "the place assigned depends on an operand"));
        };
        if let Some(frozen) = self.frozen
            && !matches!(slot, Slot::Local(position) if position >= frozen)
        {
            return Err(Fault::failed(Reason::Unsupported, at, "an assignment in a conditional operand"));
        }
        self.work(8, at)?;
        let kept = match self.variable(slot) {
            Variable::Integer { of: Some((width, signed)), .. } => self.dag.slice(value, 0, *width, *signed),
            _ => value,
        };
        match self.variable_mut(slot) {
            Variable::Integer { value, .. } => *value = Some(kept),
            Variable::Bits { register, .. } => register.write(low, view.width, kept),
        }
        Ok(())
    }

    /// `view op= value`. Masking bits out and setting bits in touch no other bits.
    pub fn update(&mut self, view: &View, op: Binary, value: NodeId, at: usize) -> Result<(), Fault> {
        let is_bits =
            matches!(view.base, Base::Slot(slot) if matches!(self.variable(slot), Variable::Bits { .. }));
        if is_bits && matches!(view.low, Low::At(_)) && view.array.is_none() {
            let ranges = match op {
                Binary::BitAnd => self.cleared(value, view.width).map(|ranges| (ranges, true)),
                Binary::BitOr => self.support(value, view.width).map(|range| (vec![range], false)),
                _ => None,
            };
            if let Some((ranges, clear)) = ranges {
                for (low, width) in ranges {
                    let part = self.part(view, low, width, false, at)?;
                    let new = if clear {
                        self.dag.int(0)
                    } else {
                        let old = self.read(&part, at)?;
                        let set = self.dag.slice(value, low, width, false);
                        self.dag.or(old, set)
                    };
                    let new = self.checked(new, at)?;
                    self.write(&part, new, at)?;
                }
                return Ok(());
            }
        }
        let old = self.read(view, at)?;
        let new = self.binary(op, old, value, at)?;
        self.write(view, new, at)
    }

    /// The runs of zeros of a literal mask: lowest bit and width.
    fn cleared(&self, mask: NodeId, width: u32) -> Option<Vec<(u32, u32)>> {
        use dashu_int::ops::BitTest;
        let mask = self.dag.as_int(mask)?;
        let mut runs: Vec<(u32, u32)> = Vec::new();
        for bit in (0..width).filter(|bit| !mask.bit(*bit as usize)) {
            match runs.last_mut() {
                Some((low, length)) if *low + *length == bit => *length += 1,
                _ => runs.push((bit, 1)),
            }
        }
        Some(runs)
    }

    /// The bits that a non-negative value can have: lowest bit and width, within `width` bits.
    fn support(&self, value: NodeId, width: u32) -> Option<(u32, u32)> {
        let (natural, signed) = self.dag.natural(value)?;
        if signed {
            return None;
        }
        let low = match self.dag.node(value) {
            Node::Sum { terms, constant } if constant == &Int::ZERO && terms.len() == 1 => {
                terms[0].1.trailing_zeros().unwrap_or(0)
            }
            Node::Concat(parts) => match self.dag.as_int(parts[0].node) {
                Some(zero) if zero == &Int::ZERO => parts[0].width as usize,
                _ => 0,
            },
            _ => 0,
        };
        let low = u32::try_from(low).ok()?;
        let high = natural.min(width);
        (low < high).then(|| (low, high - low))
    }
}

/// What a read of a variable needs besides the register itself.
enum Source {
    Integer(Option<NodeId>),
    Bits,
}

impl Variable {
    fn clone_source(&self) -> Source {
        match self {
            Variable::Integer { value, .. } => Source::Integer(*value),
            Variable::Bits { .. } => Source::Bits,
        }
    }
}

/// An undefined name.
pub(super) fn unknown(name: &str, at: usize) -> Fault {
    let bare = name.strip_suffix('V').unwrap_or(name).as_bytes();
    let is_register = matches!(bare, [class, roles @ ..]
        if class.is_ascii_uppercase() && matches!(roles.len(), 1 | 2) && roles.iter().all(u8::is_ascii_lowercase));
    if is_register {
        return Fault::failed(
            Reason::UnknownRegister,
            at,
            format!("{name} is no operand of the instruction"),
        );
    }
    Fault::failed(Reason::UnknownName, at, format!("{name} is not known"))
}
