//! Windows whose lanes may be in another order: the result's, the leaves', or both in the same one.
//!
//! A layout is a linear map of index bits over F2, here an order of them, as `unpack`, `pack`, `zip`, `uzp`, `vshuff` and `vdeal` make them
//! (Zhou et al., "Linear Layouts", 2025).

use std::fmt;

use crate::moves::BLOCK;
use crate::window::{Expression, ExpressionId, Expressions, Operator, Type, Window};

/// Widths of elements that instructions unpack and pack.
const ELEMENTS: [u32; 4] = [8, 16, 32, 64];
/// How many times as wide or narrow lanes become: twice or four times.
const STEPS: [u32; 2] = [1, 2];

/// An order of lanes in registers and in memory: bit `j` of a place's number is bit `order[j]` of the number of the lane there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(transparent)]
pub struct Layout {
    order: Vec<u32>,
}

impl Layout {
    /// For each place the lane that is there.
    pub fn lanes(&self) -> Vec<u32> {
        let lane = |place: u32| self.order.iter().zip(0..).map(|(bit, at)| (place >> at & 1) << bit).sum();
        (0..1 << self.order.len()).map(lane).collect()
    }

    /// For each lane its place.
    fn places(&self) -> Vec<u32> {
        let lanes = self.lanes();
        let mut places = vec![0; lanes.len()];
        lanes.iter().zip(0..).for_each(|(lane, place)| places[*lane as usize] = place);
        places
    }

    /// The bits of `from..to` turned so that the lowest `by` of them are the highest.
    fn turned(bits: u32, from: u32, to: u32, by: u32) -> Self {
        let turn =
            |at: u32| if (from..to).contains(&at) { from + (at - from + by) % (to - from) } else { at };
        Self { order: (0..bits).map(turn).collect() }
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:?}", self.order)
    }
}

/// The layouts other than the natural one in which a target whose registers have `widest` bits, at most, leaves a window's lanes where it widens
/// or narrows them: parts of registers and of their blocks change places. None where the number of lanes is no power of two.
pub fn layouts(window: &Window, widest: u32) -> Vec<Layout> {
    let Type { width, lanes, .. } = window.ty();
    if !lanes.is_power_of_two() || lanes == 1 || window.in_registers {
        return Vec::new();
    }
    let bits = lanes.ilog2();
    let in_one = (widest / width).max(1).ilog2();
    let blocks = (widest / BLOCK).max(1).ilog2();
    let mut found = Vec::new();
    let mut add = |from: u32, to: u32, by: u32| {
        if from < to && to <= bits && !by.is_multiple_of(to - from) {
            let layout = Layout::turned(bits, from, to, by);
            if !found.contains(&layout) {
                found.push(layout);
            }
        }
    };
    for step in STEPS {
        for from in ELEMENTS.map(|element| (BLOCK / element).ilog2()) {
            add(from, from + blocks + step, blocks);
            add(from, from + blocks + step, step);
        }
        for to in [in_one, in_one + step] {
            add(0, to, step);
            add(0, to, to.saturating_sub(step));
        }
    }
    found
}

/// A window whose result, or whose dense leaves of as many lanes, are in a layout.
pub fn arranged(window: &Window, layout: &Layout, result: bool, leaves: bool) -> Window {
    let lanes = window.ty().lanes;
    let mut expressions = Expressions::default();
    let mut moved: Vec<ExpressionId> = Vec::new();
    for at in 0..window.expressions.len() {
        let own = window.expressions.get(ExpressionId(at as u32));
        let operands = own.operands.iter().map(|operand| moved[operand.0 as usize]).collect();
        let mut id = expressions.push(Expression { operands, ..own.clone() });
        let is_leaf = |leaf: usize| !window.leaves[leaf].scalar && own.ty.lanes == lanes;
        if leaves && matches!(own.operator, Operator::Leaf(leaf) if is_leaf(leaf)) {
            let operator = Operator::Shuffle(layout.places());
            id = expressions.push(Expression { operator, operands: vec![id], ty: own.ty });
        }
        moved.push(id);
    }
    let mut root = moved[window.root.0 as usize];
    if result {
        let operator = Operator::Shuffle(layout.lanes());
        root = expressions.push(Expression { operator, operands: vec![root], ty: window.ty() });
    }
    let assumptions = window.assumptions.iter().map(|own| moved[own.0 as usize]).collect();
    Window { expressions, root, assumptions, ..window.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(expression: &str) -> Window {
        let text = format!(
            r#"{{"name":"w","target":"avx2","leaves":[{{"name":"a","type":"i16x32","kind":"dense"}}],"expr":"{expression}"}}"#
        );
        Window::read(&text, 1).unwrap()
    }

    #[test]
    fn blocks_of_what_is_packed_change_places() {
        let window = window("(saturating_cast:u8x32 a:i16x32)");
        let layouts = layouts(&window, 256);
        // What `vpackuswb` gives: eight lanes of the first register, eight of the second one, and the same again.
        let packed = Layout { order: vec![0, 1, 2, 4, 3] };
        assert!(layouts.contains(&packed));
        assert_eq!(packed.lanes()[8..24], [16, 17, 18, 19, 20, 21, 22, 23, 8, 9, 10, 11, 12, 13, 14, 15]);
        // Each is another order of all lanes.
        for layout in &layouts {
            let mut lanes = layout.lanes();
            assert!(lanes.iter().zip(0..).any(|(lane, place)| *lane != place));
            assert!(layout.places().iter().zip(0..).all(|(place, lane)| lanes[*place as usize] == lane));
            lanes.sort_unstable();
            assert!(lanes.iter().zip(0..).all(|(lane, place)| *lane == place));
        }
        assert_eq!(layouts.len(), layouts.iter().collect::<std::collections::BTreeSet<_>>().len());
    }

    #[test]
    fn both_sides_in_one_layout_are_the_window_itself() {
        let window = window("(add:i16x32 a:i16x32 (broadcast:i16x32 1:i16))");
        let layout = Layout::turned(5, 0, 5, 1);
        let both = arranged(&window, &layout, true, true);
        let (mut meaning, mut natural) =
            (crate::window::Meaning::new(&both), crate::window::Meaning::new(&window));
        let functions = (meaning.function().unwrap(), natural.function().unwrap());
        assert_eq!(functions.0.to_string(), functions.1.to_string());
        let result = arranged(&window, &layout, true, false);
        let function = crate::window::Meaning::new(&result).function().unwrap();
        assert_ne!(function.to_string(), functions.1.to_string());
    }
}
