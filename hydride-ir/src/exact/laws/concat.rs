//! Concatenations: parts side by side, least significant first, flat and without zeros at the top.

use super::{Law, Subject, instances::*};
use crate::exact::Int;
use crate::exact::dag::{Dag, Node, NodeId, Part};

/// Two neighbours of one concatenation.
#[derive(Clone, Copy)]
pub(super) struct Neighbours {
    pub below: Part,
    pub above: Part,
}

impl Dag {
    /// Parts side by side, least significant first; each part is its low `width` bits.
    pub fn concat(&mut self, parts: &[Part]) -> NodeId {
        let mut flat: Vec<Part> = Vec::with_capacity(parts.len());
        for part in parts {
            let node = self.slice(part.node, 0, part.width, false);
            match self.node(node).clone() {
                Node::Concat(inner) => {
                    // The value fits the part, its last pieces may have been given more room.
                    let mut room = part.width;
                    for piece in inner {
                        let width = piece.width.min(room);
                        room -= width;
                        self.push_part(&mut flat, Part { node: piece.node, width });
                    }
                    let zero = self.int(0);
                    self.push_part(&mut flat, Part { node: zero, width: room });
                }
                _ => self.push_part(&mut flat, Part { node, width: part.width }),
            }
        }
        while flat.last().is_some_and(|part| self.as_int(part.node) == Some(&Int::ZERO)) {
            flat.pop();
        }
        match flat.as_slice() {
            [] => self.int(0),
            [part] => part.node,
            _ => self.intern(Node::Concat(flat.into())),
        }
    }

    fn push_part(&mut self, parts: &mut Vec<Part>, part: Part) {
        if part.width == 0 {
            return;
        }
        if let Some(last) = parts.last_mut()
            && let Some(node) = self.simplify(&Neighbours { below: *last, above: part })
        {
            *last = Part { node, width: last.width + part.width };
            return;
        }
        parts.push(part);
    }
}

impl Subject for Neighbours {
    const FAMILY: &'static str = "concat";

    const LAWS: &'static [Law<Self>] = &[
        Law::new("literals", literals, |dag| {
            [(5, 3, 2, 4), (0, 4, 9, 5), (7, 3, 0, 2)]
                .map(|(low, width, high, above)| Neighbours {
                    below: part(dag.int(low), width),
                    above: part(dag.int(high), above),
                })
                .to_vec()
        }),
        Law::new("adjacent-slices", adjacent_slices, |dag| {
            let value = square(dag, 6);
            let mut subjects = Vec::new();
            for of in [dag.arg(0), dag.arg(3), value] {
                for (low, width, next, room) in
                    [(0, 2, 2, 2), (1, 2, 1, 4), (2, 1, 1, 1), (0, 3, 1, 2), (0, 2, 2, 1)]
                {
                    let mut slice = |low, width| dag.intern(Node::Slice { of, low, width, signed: false });
                    let (below, above) = (slice(low, width), slice(low + width, next));
                    subjects.push(Neighbours { below: part(below, width), above: part(above, room) });
                }
            }
            subjects
        }),
    ];

    fn raw(&self, dag: &mut Dag) -> NodeId {
        dag.intern(Node::Concat([self.below, self.above].into()))
    }
}

/// `{d, c} = d·2^w + c` for literals, `c` of `w` bits.
fn literals(dag: &mut Dag, Neighbours { below, above }: &Neighbours) -> Option<NodeId> {
    let value = dag.as_int(below.node)? + (dag.as_int(above.node)? << below.width as usize);
    Some(dag.int(value))
}

/// `{x[n + w +: v], x[n +: w]} = x[n +: w + v]`. A joined slice that takes less than its place ends the run.
fn adjacent_slices(dag: &mut Dag, Neighbours { below, above }: &Neighbours) -> Option<NodeId> {
    let Node::Slice { of, low, width, signed: false } = *dag.node(below.node) else { return None };
    let Node::Slice { of: next, low: next_low, width: next_width, signed: false } = *dag.node(above.node)
    else {
        return None;
    };
    let adjacent = of == next && width == below.width && low + width == next_low && next_width <= above.width;
    adjacent.then(|| dag.slice(of, low, width + next_width, false))
}

#[derive(Clone)]
pub(super) struct Parts(pub Vec<Part>);

impl Subject for Parts {
    const FAMILY: &'static str = "concat";

    const LAWS: &'static [Law<Self>] = &[Law::new("flat", flat, |dag| {
        let (x, y, zero) = (unsigned(dag, 0, 4), unsigned(dag, 1, 3), dag.int(0));
        let (three, four) = (scaled(dag, 0, 3), scaled(dag, 0, 4));
        let inner = dag.intern(Node::Concat([part(x, four), part(y, four)].into()));
        let narrow = dag.intern(Node::Concat([part(x, four + 2), part(y, three)].into()));
        [
            vec![part(inner, 2 * four), part(y, three)],
            vec![part(y, three), part(inner, four + three), part(x, four)],
            vec![part(x, four + 1), part(narrow, 3 * four), part(y, three), part(zero, 4)],
            vec![part(zero, 3), part(zero, 2)],
        ]
        .map(Parts)
        .to_vec()
    })];

    fn raw(&self, dag: &mut Dag) -> NodeId {
        dag.intern(Node::Concat(self.0.clone().into()))
    }
}

/// `{z, {y, x}} = {z, y, x}`, `{0, x} = x`.
fn flat(dag: &mut Dag, Parts(parts): &Parts) -> Option<NodeId> {
    Some(dag.concat(parts))
}
