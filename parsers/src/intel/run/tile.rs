//! Operations on tiles: loops whose bounds a configuration gives, and functions on rows.

use std::rc::Rc;

use hydride_ir::exact::{Int, Node, NodeId, Register, Replacements};

use super::place::Reading;
use super::value::{Contents, Frame, Value, Variable};
use super::{Ran, Run, fail};
use crate::intel::ast::{BinaryOp, Expr, ExprKind, Extent, Selector, Stmt, StmtKind, Symbol};
use crate::intel::tile::{self, BITS, ROW_BITS, ROW_BYTES, ROWS};
use crate::pseudocode::{Merge, Reason};

impl Run<'_> {
    /// Whether an operand is a tile.
    pub(super) fn has_tiles(&self) -> bool {
        tile::has_tiles(self.signature)
    }

    /// The value of a field: of a tile, an argument; of the configuration as a whole, a constant.
    pub(super) fn field(&mut self, name: Symbol, selectors: &[Selector]) -> Option<Value> {
        let name = self.program.name(name);
        let Some(Selector::Field(field)) = selectors.last() else { return None };
        if let Some(constant) = tile::constant(name, field) {
            return Some(Value::exact(self.dag.int(constant)));
        }
        let own = tile::argument_name(name, field);
        let position = self.signature.args.iter().position(|argument| argument.name == own)?;
        let argument = &self.signature.args[position];
        tile::greatest(self.signature, argument)?;
        let width = argument.width;
        Some(Value::sized(self.dag.arg_slice(position as u32, 0, width, false), width))
    }

    /// What a number is for the configuration with the greatest numbers, if it depends on nothing else.
    fn greatest(&mut self, node: NodeId) -> Option<i64> {
        let mut greatest = Replacements::default();
        for (position, argument) in (0..).zip(&self.signature.args) {
            if let Some(most) = tile::greatest(self.signature, argument) {
                let most = self.dag.int(most);
                let whole = self.dag.arg(position);
                greatest.insert(whole, most);
            }
        }
        let most = self.dag.replace(node, &mut greatest);
        self.dag.as_i64(most)
    }

    /// Runs a loop from a constant to a number that the configuration gives: as often as for the greatest one, each
    /// time under the condition that the number is reached. `None` where the bound depends on anything else.
    pub(super) fn counted(
        &mut self,
        index: Symbol,
        first: i64,
        last: NodeId,
        body: &[Stmt],
        at: Extent,
    ) -> Option<Ran<()>> {
        let most = self.greatest(last)?;
        let first = u32::try_from(first).ok()?;
        let limit = u32::try_from(most + 1).ok()?;
        let one = self.dag.int(1);
        let end = self.dag.sum(&[last, one]);
        Some((first..limit).try_for_each(|current| {
            self.set(index, current.into());
            self.step(at)?;
            let reached = self.is_below(current, end, limit);
            let before = self.frame.clone();
            self.block(body)?;
            if self.frame.returned.is_some() {
                return fail(Reason::Unsupported, "a loop that may return", at);
            }
            let after = std::mem::take(&mut self.frame);
            self.frame = self.repeated(reached, &after, &before);
            Ok(())
        }))
    }

    /// Whether a number is less than a count, of which more than `limit` is not told apart: a bit of as many ones. That
    /// is one expression for all numbers, where comparisons with 0 and 1 would be others.
    fn is_below(&mut self, number: u32, count: NodeId, limit: u32) -> NodeId {
        let (one, limit) = (self.dag.int(1), self.dag.int(limit));
        let count = self.dag.min(count, limit);
        // One more, so that no number has bit 0, which is always set.
        let more = self.dag.sum(&[count, one]);
        let power = self.dag.shl(one, more);
        let ones = self.dag.sub(power, one);
        self.dag.slice(ones, number + 1, 1, false)
    }

    /// `DO WHILE i < n … i := i + 1 OD` where the configuration gives `n`, which runs like a `FOR`. `None` for other
    /// loops.
    pub(super) fn counts_up(&mut self, condition: &Expr, body: &[Stmt]) -> Ran<Option<()>> {
        let ExprKind::Binary(BinaryOp::Lt, index, bound) = &condition.kind else { return Ok(None) };
        let ExprKind::Place(index) = &index.kind else { return Ok(None) };
        let Some((step, rest)) = body.split_last() else { return Ok(None) };
        if !index.selectors.is_empty() || !is_step(step, index.name) || super::assigns(rest, index.name) {
            return Ok(None);
        }
        let first = self.read_place(index, Reading::Unsigned)?.node;
        let bound = self.expr(bound, Reading::Unsigned)?.node;
        let Some(first) = self.dag.as_i64(first).filter(|_| self.dag.as_int(bound).is_none()) else {
            return Ok(None);
        };
        let minus_one = self.dag.int(-1);
        let last = self.dag.sum(&[bound, minus_one]);
        let Some(ran) = self.counted(index.name, first, last, rest, condition.at) else { return Ok(None) };
        ran?;
        let first = self.dag.int(first);
        let after = self.dag.max(first, bound);
        let after = Variable::temporary(Contents::Scalar(Value::exact(after)));
        self.frame.variables[index.name.0 as usize] = Some(Rc::new(after));
        Ok(Some(()))
    }

    /// The state after an iteration that runs under a condition. What it adds to an element is a sum with as many
    /// terms as there are iterations, of which those that do not run are 0.
    fn repeated(&mut self, condition: NodeId, after: &Frame, before: &Frame) -> Frame {
        let mut merged = Frame::merge(&mut self.dag, condition, after, before);
        for (position, slot) in merged.variables.iter_mut().enumerate() {
            let [Some(then), Some(otherwise)] = [after, before].map(|frame| &frame.variables[position])
            else {
                continue;
            };
            let Some(slot) = slot.as_mut().filter(|_| !Rc::ptr_eq(then, otherwise)) else { continue };
            let Contents::Bits { register: then, .. } = &then.contents else { continue };
            let Some((otherwise, _)) = otherwise.bits(&self.dag, 0) else { continue };
            let mut sums = Vec::new();
            for (low, width) in then.extents() {
                let Some(then) = then.assigned(low, width) else { continue };
                let otherwise = match otherwise.assigned(low, width) {
                    Some(assigned) => assigned,
                    None => otherwise.read(&mut self.dag, low, width).0,
                };
                if then != otherwise
                    && let Some(sum) = self.guarded_sum(condition, then, otherwise, width)
                {
                    sums.push((low, width, sum));
                }
            }
            if let Contents::Bits { register, .. } = &mut Rc::make_mut(slot).contents {
                for (low, width, sum) in sums {
                    register.write(low, width, sum);
                }
            }
        }
        merged
    }

    /// `c ? x + d : x` as `x + (c ? d : 0)`, of which only the low `width` bits count.
    fn guarded_sum(
        &mut self,
        condition: NodeId,
        then: NodeId,
        otherwise: NodeId,
        width: u32,
    ) -> Option<NodeId> {
        let terms = |run: &Self, node| match run.dag.node(node) {
            Node::Sum { terms, .. } => terms.len(),
            _ => 1,
        };
        let (then, otherwise) = (self.untruncated(then, width), self.untruncated(otherwise, width));
        let added = self.dag.sub(then, otherwise);
        if terms(self, then) != terms(self, otherwise) + terms(self, added) {
            return None;
        }
        let zero = self.dag.int(0);
        let added = self.dag.select(condition, added, zero);
        Some(self.dag.sum(&[otherwise, added]))
    }

    /// A number with the same low `width` bits that is a sum where those bits of a sum are a term of it.
    fn untruncated(&mut self, node: NodeId, width: u32) -> NodeId {
        let whole = |run: &Self, node| match *run.dag.node(node) {
            Node::Slice { of, low: 0, width: own, .. } if own == width => of,
            _ => node,
        };
        match self.dag.node(node).clone() {
            Node::Sum { terms, constant } => {
                let is_sum = |run: &Self, node| matches!(run.dag.node(node), Node::Sum { .. });
                let terms: Vec<(NodeId, Int)> = terms
                    .iter()
                    .map(|(term, factor)| {
                        let of = whole(self, *term);
                        (if is_sum(self, of) { of } else { *term }, factor.clone())
                    })
                    .collect();
                self.dag.linear(&terms, constant)
            }
            _ => node,
        }
    }

    /// Calls a function on rows of tiles.
    pub(super) fn call_on_tiles(&mut self, name: &str, arguments: &[Expr], at: Extent) -> Ran<Value> {
        let nothing = Value::exact(self.dag.int(0));
        match (name, arguments) {
            ("tilezero", [tile]) => {
                let zero = self.dag.int(0);
                self.change_tile(tile, |_, register| register.write(0, BITS, zero))?;
            }
            ("write_row_and_zero", [tile, row, data, bytes]) => {
                let row = self.row(row)?;
                let data = self.expr(data, Reading::Unsigned)?.node;
                let bytes = self.expr(bytes, Reading::Unsigned)?.node;
                let written: Vec<NodeId> =
                    (0..ROW_BYTES).map(|byte| self.byte_below(data, byte, bytes)).collect();
                self.change_tile(tile, |_, register| {
                    for (low, byte) in (row * ROW_BITS..).step_by(8).zip(written) {
                        register.write(low, 8, byte);
                    }
                })?;
            }
            ("zero_upper_rows", [tile, rows]) => {
                let rows = self.expr(rows, Reading::Unsigned)?.node;
                self.change_tile(tile, |run, register| {
                    for row in 0..ROWS {
                        let (low, zero) = (row * ROW_BITS, run.dag.int(0));
                        let mut zeroed = register.clone();
                        zeroed.write(low, ROW_BITS, zero);
                        let has = run.is_below(row, rows, ROWS);
                        *register = Register::merge(&mut run.dag, has, register, &zeroed);
                    }
                })?;
            }
            // The start row is 0 already.
            ("zero_tileconfig_start", []) => {}
            ("read_memory", [address, bytes]) => return self.read_row(address, bytes),
            ("write_memory", [address, bytes, data]) => {
                let address = self.row_address(address)?;
                let bytes = self.expr(bytes, Reading::Unsigned)?.node;
                let data = self.expr(data, Reading::Unsigned)?.node;
                for byte in 0..ROW_BYTES {
                    let (place, below) = self.byte_of_row(address, byte, bytes);
                    let value = self.dag.slice(data, 8 * byte, 8, false);
                    let memory = &mut self.frame.memory;
                    let written = self.pointers.write_where(&mut self.dag, memory, place, 8, value, below);
                    written.map_err(|fault| fault.map_place(|()| at))?;
                }
            }
            _ => {
                let message = format!("`{name}` with {} arguments", arguments.len());
                return fail(Reason::UnknownCall, message, at);
            }
        }
        Ok(nothing)
    }

    /// As many bytes as are counted at an address, and zeros above them.
    fn read_row(&mut self, address: &Expr, bytes: &Expr) -> Ran<Value> {
        let at = address.at;
        let address = self.row_address(address)?;
        let bytes = self.expr(bytes, Reading::Unsigned)?.node;
        let memory = &self.frame.memory;
        let row = self.pointers.peek(&mut self.dag, memory, address, ROW_BITS);
        let row = row.map_err(|fault| fault.map_place(|()| at))?;
        let mut read = Register::default();
        for byte in 0..ROW_BYTES {
            let (place, below) = self.byte_of_row(address, byte, bytes);
            let touched = self.pointers.touch(&mut self.dag, &mut self.frame.memory, place, 8, below);
            touched.map_err(|fault| fault.map_place(|()| at))?;
            read.write(8 * byte, 8, self.byte_below(row, byte, bytes));
        }
        Ok(Value::sized(read.read(&mut self.dag, 0, ROW_BITS).0, ROW_BITS))
    }

    /// The address of a row in memory, where nothing but rows is accessed.
    fn row_address(&mut self, address: &Expr) -> Ran<NodeId> {
        let node = self.expr(address, Reading::Unsigned)?.node;
        let expected = self.pointers.expect_only_elements(&mut self.dag, node, ROW_BITS);
        expected.map_err(|fault| fault.map_place(|()| address.at))?;
        Ok(node)
    }

    /// The address of a byte of a row, and whether the row has it.
    fn byte_of_row(&mut self, row: NodeId, byte: u32, bytes: NodeId) -> (NodeId, NodeId) {
        let number = self.dag.int(byte);
        (self.dag.sum(&[row, number]), self.is_below(byte, bytes, ROW_BYTES))
    }

    /// A byte of a row, or 0 from byte number `bytes` on.
    fn byte_below(&mut self, row: NodeId, byte: u32, bytes: NodeId) -> NodeId {
        let zero = self.dag.int(0);
        let below = self.is_below(byte, bytes, ROW_BYTES);
        let value = self.dag.slice(row, 8 * byte, 8, false);
        self.dag.select(below, value, zero)
    }

    /// The number of a row, a constant.
    fn row(&mut self, row: &Expr) -> Ran<u32> {
        let node = self.expr(row, Reading::Unsigned)?.node;
        match self.dag.as_i64(node).and_then(|row| u32::try_from(row).ok()).filter(|row| *row < ROWS) {
            Some(number) => Ok(number),
            None => fail(Reason::Index, format!("a row that is none of the tile's {ROWS}"), row.at),
        }
    }

    /// Changes the bits of the tile that an expression names.
    fn change_tile(&mut self, tile: &Expr, change: impl FnOnce(&mut Self, &mut Register)) -> Ran<()> {
        let name = match &tile.kind {
            ExprKind::Place(place) if place.selectors.is_empty() => place.name,
            _ => return fail(Reason::Type, "no tile", tile.at),
        };
        let position = name.0 as usize;
        let Some(mut variable) = self.frame.variables[position].clone() else {
            return fail(Reason::UnknownName, format!("`{}` is no tile", self.program.name(name)), tile.at);
        };
        let (Contents::Bits { register, .. }, Some(BITS)) = (&variable.contents, variable.declared) else {
            return fail(Reason::Type, format!("`{}` is no tile", self.program.name(name)), tile.at);
        };
        let mut register = register.clone();
        change(self, &mut register);
        Rc::make_mut(&mut variable).contents = Contents::Bits { register, open: false };
        self.frame.variables[position] = Some(variable);
        Ok(())
    }

    /// The tiles that were written: each argument's position with its contents.
    pub(super) fn written_tiles(&self) -> Vec<(u32, Register)> {
        let tile = |slot: &Option<Rc<Variable>>| {
            let variable = slot.as_deref()?;
            let (argument, Contents::Bits { register, .. }) = (variable.argument?, &variable.contents) else {
                return None;
            };
            let is_as_before = register.assigned(0, BITS).is_some_and(|value| {
                matches!(*self.dag.node(value), Node::Arg(own) if own == argument)
                    || matches!(*self.dag.node(value), Node::Slice { of, low: 0, width: BITS, .. }
                        if *self.dag.node(of) == Node::Arg(argument))
            });
            (variable.declared == Some(BITS) && !is_as_before).then(|| (argument, register.clone()))
        };
        let mut written: Vec<(u32, Register)> = self.frame.variables.iter().filter_map(tile).collect();
        written.sort_by_key(|(argument, _)| *argument);
        written
    }
}

/// Whether a statement is `index := index + 1`.
fn is_step(stmt: &Stmt, index: Symbol) -> bool {
    let StmtKind::Assign { place, op: None, value } = &stmt.kind else { return false };
    let ExprKind::Binary(BinaryOp::Add, left, right) = &value.kind else { return false };
    let is_index =
        matches!(&left.kind, ExprKind::Place(from) if from.name == index && from.selectors.is_empty());
    let is_one = matches!(&right.kind, ExprKind::Number(one) if one == &Int::ONE);
    place.name == index && place.selectors.is_empty() && is_index && is_one
}
