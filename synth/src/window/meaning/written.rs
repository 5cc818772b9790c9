//! Values as a window has them written: an operation of operands that are numbers of their own, whatever these are computed from.
//!
//! Exact integers join operations: a shifted maximum is a maximum of shifted numbers, low bits of a sum have no sum below them that wraps.
//! What an instruction computes alone may not be seen in them any more, so that each operation is kept apart too.

use hydride_ir::exact::{Node, NodeId, Replacements};
use rustc_hash::FxHashMap;

use super::{Apart, Lanes, Meaning};
use crate::forms::whole_of;
use crate::window::{Element, ExpressionId, Kind, Lanewise, Operator};

/// What an argument stands for.
pub(super) struct Name {
    /// Its bits over samples.
    bits: NodeId,
    /// The other one that it is, in these lanes.
    of: Option<(u32, Vec<u32>)>,
}

impl Meaning<'_> {
    /// For the bits of values of families that were computed, as they are in a lane of their type: the same over operands that are
    /// **named**, arguments that stand for what [`Meaning::defined`] says.
    pub fn written(&mut self) -> FxHashMap<NodeId, NodeId> {
        let many = |(id, lanes): &(ExpressionId, Lanes)| match lanes {
            Lanes::Many(_) => Some((*id, lanes.clone())),
            Lanes::One(_) => None,
        };
        let mut computed: Vec<(ExpressionId, Lanes)> = self.memo.keys().filter_map(many).collect();
        computed.sort_unstable();
        let mut found = FxHashMap::default();
        for (id, lanes) in computed {
            let ty = self.window.expressions.ty(id);
            let Some(value) = self.memo.get(&(id, lanes.clone())).copied() else { continue };
            if ty.kind == Kind::Condition || self.is_uniform(value) {
                continue;
            }
            let Ok(written) = self.of_named(id, &lanes) else { continue };
            let [bits, written] = [value, written].map(|own| self.dag.slice(own, 0, ty.width, false));
            if written != bits {
                found.entry(bits).or_insert(written);
            }
        }
        found
    }

    /// Bits of named numbers as what these stand for; `None` for a value that has none.
    pub fn defined(&mut self, value: NodeId) -> Option<NodeId> {
        if self.names.is_empty() {
            return None;
        }
        let mut replacements = Replacements::default();
        for node in self.dag.reachable([value]) {
            if let Node::Arg(arg) = self.dag.node(node)
                && let Some(name) = self.names.get(arg)
            {
                replacements.insert(node, name.bits);
            }
        }
        (!replacements.is_empty()).then(|| self.dag.replace(value, &mut replacements))
    }

    /// Whether an argument is a named number.
    pub fn is_named(&self, arg: u32) -> bool {
        self.names.contains_key(&arg)
    }

    /// The argument that in each lane is what a sample or a named number is in the lane given; `None` where these are read in different
    /// ways.
    pub fn in_lanes(&mut self, arg: u32, lanes: &[u32]) -> Option<u32> {
        let Some(bits) = self.names.get(&arg).filter(|name| name.of.is_none()).map(|name| name.bits) else {
            let elements = self.sample(arg)?;
            let moved: Option<Vec<Element>> =
                lanes.iter().map(|lane| elements.get(*lane as usize).copied()).collect();
            return self.sample_of(&moved?);
        };
        let mut replacements = Replacements::default();
        for node in self.dag.reachable([bits]) {
            if let Node::Arg(read) = *self.dag.node(node)
                && !self.uniform.contains(&read)
            {
                let moved = self.in_lanes(read, lanes)?;
                let moved = self.dag.arg(moved);
                replacements.insert(node, moved);
            }
        }
        let bits = self.dag.replace(bits, &mut replacements);
        let width = self.dag.arg_widths()[arg as usize];
        Some(self.name(Name { bits, of: Some((arg, lanes.to_vec())) }, width))
    }

    /// The bits of a named number that are those of another one in other lanes, and these.
    pub(super) fn moved_name(&mut self, bits: NodeId) -> Option<(NodeId, Vec<u32>)> {
        let Node::Slice { of, low: 0, width, signed: false } = *self.dag.node(bits) else { return None };
        let Node::Arg(arg) = *self.dag.node(of) else { return None };
        let (of, lanes) = self.names.get(&arg)?.of.clone()?;
        Some((self.dag.arg_slice(of, 0, width, false), lanes))
    }

    /// A new argument with this meaning.
    fn name(&mut self, name: Name, width: u32) -> u32 {
        self.unknown(width);
        let arg = self.dag.arg_widths().len() as u32 - 1;
        self.names.insert(arg, name);
        arg
    }

    /// Bits of a word as a named number: what is computed of them need not see what they are.
    pub(crate) fn word(&mut self, bits: NodeId, width: u32) -> NodeId {
        if let Some(known) = self.by_definition.get(&(bits, false)) {
            return *known;
        }
        let arg = self.name(Name { bits, of: None }, width);
        let named = self.dag.arg_slice(arg, 0, width, false);
        self.by_definition.insert((bits, false), named);
        named
    }

    /// An operation on its named operands; conversions and comparisons are parts of the operations that use them.
    fn of_named(&mut self, id: ExpressionId, lanes: &Lanes) -> Result<NodeId, Apart> {
        let node = self.window.expressions.get(id);
        let Operator::Lanewise(operator) = &node.operator else { return self.value(id, lanes) };
        let mut operands = Vec::new();
        for operand in &node.operands {
            operands.push(self.named(*operand, lanes)?);
        }
        let exact = self.lanewise(*operator, &operands, id);
        Ok(self.wrap(exact, node.ty))
    }

    /// An operand as a number of its own, where something is computed for it in each lane.
    fn named(&mut self, id: ExpressionId, lanes: &Lanes) -> Result<NodeId, Apart> {
        let node = self.window.expressions.get(id);
        match &node.operator {
            Operator::Lanewise(Lanewise::Cast | Lanewise::Reinterpret) => return self.of_named(id, lanes),
            Operator::Lanewise(_) if node.ty.kind == Kind::Condition => return self.of_named(id, lanes),
            Operator::Shuffle(_) | Operator::Concat | Operator::Interleave => {
                if let Lanes::Many(many) = lanes
                    && let Some((operand, lanes)) = self.moved_together(id, many)
                {
                    return self.named(operand, &Lanes::Many(lanes));
                }
                return self.value(id, lanes);
            }
            Operator::Lanewise(_) | Operator::Reduce(_) => {}
            _ => return self.value(id, lanes),
        }
        let value = self.value(id, lanes)?;
        let natural = self.dag.natural(value).filter(|_| !self.is_uniform(value));
        // Bytes are whole, as their neighbors are.
        let Some((width, signed)) = natural.map(|(width, signed)| (width.max(8), signed)) else {
            return Ok(value);
        };
        let bits = self.dag.slice(value, 0, width, false);
        if matches!(self.dag.node(whole_of(&self.dag, bits)), Node::Arg(_)) {
            return Ok(value);
        }
        let known = self.by_definition.get(&(bits, signed)).copied();
        let named = known.unwrap_or_else(|| {
            let arg = self.name(Name { bits, of: None }, width);
            let named = self.dag.arg_slice(arg, 0, width, signed);
            self.by_definition.insert((bits, signed), named);
            named
        });
        Ok(named)
    }
}

#[cfg(test)]
mod tests {
    use crate::equal::assert_equal;
    use crate::window::{Meaning, Window};

    fn window(expression: &str) -> Window {
        let leaf = |name: &str| format!(r#"{{"name":"{name}","type":"u8x4","kind":"dense"}}"#);
        let line = format!(r#"{{"name":"w","leaves":[{},{}],"expr":"{expression}"}}"#, leaf("a"), leaf("b"));
        Window::read(&line, 1).expect("a window")
    }

    #[test]
    fn what_names_stand_for_is_the_value() {
        for (expression, count) in [
            ("(add:u8x4 a:u8x4 b:u8x4)", 0),
            ("(shift_right:u8x4 (max:u8x4 a:u8x4 b:u8x4) (broadcast:u8x4 1:u8))", 1),
            ("(cast:u16x4 (add:u8x4 a:u8x4 b:u8x4))", 1),
            ("(select:u8x4 (lt:b1x4 (add:u8x4 a:u8x4 b:u8x4) b:u8x4) (max:u8x4 a:u8x4 b:u8x4) a:u8x4)", 1),
        ] {
            let window = window(expression);
            let mut meaning = Meaning::new(&window);
            meaning.families(window.root).expect("families");
            let written = meaning.written();
            assert_eq!(written.len(), count, "{expression}");
            for (value, other) in written {
                assert_ne!(value, other);
                let defined = meaning.defined(other).expect("a meaning");
                assert_equal(&meaning.dag, value, defined);
                assert_eq!(meaning.defined(value), None);
            }
        }
    }

    #[test]
    fn numbers_in_other_lanes_are_known_by_these() {
        let window = window("(shift_right:u8x4 (max:u8x4 a:u8x4 b:u8x4) (broadcast:u8x4 1:u8))");
        let mut meaning = Meaning::new(&window);
        meaning.families(window.root).expect("families");
        meaning.written();
        let named = (0..meaning.dag.arg_widths().len() as u32).find(|arg| meaning.is_named(*arg));
        let named = named.expect("the maximum");
        let moved = meaning.in_lanes(named, &[1, 0, 3, 2]).expect("an argument");
        let bits = [named, moved].map(|arg| meaning.dag.arg_slice(arg, 0, 8, false));
        assert_eq!(meaning.whole(bits[1], 8), Some((bits[0], vec![1, 0, 3, 2])));
        let [own, other] = bits.map(|bits| meaning.defined(bits).expect("a meaning"));
        assert_eq!(meaning.at(own, 3), meaning.at(other, 2));
    }
}
