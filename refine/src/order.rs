//! The order in which blocks run, and the loops around them.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::{Action, Body};
use crate::error::{Fault, Place};

type Read<T> = Result<T, Fault>;

fn successors(body: &Body, labels: &FxHashMap<&str, usize>, block: usize) -> Read<Vec<usize>> {
    let Some(last) = body.blocks[block].instructions.last() else {
        return Err(Fault::new(Place::default(), "a block without instructions"));
    };
    let names: Vec<&String> = match &last.action {
        Action::Branch(to) => vec![to],
        Action::If(_, then, otherwise) => vec![then, otherwise],
        Action::Switch(_, default, cases) => {
            std::iter::once(default).chain(cases.iter().map(|(_, label)| label)).collect()
        }
        Action::Return(_) | Action::Unreachable => Vec::new(),
        _ => return Err(Fault::new(last.place, "a block that does not end")),
    };
    let find = |name: &&String| {
        let found = labels.get(name.as_str()).copied();
        found.ok_or_else(|| Fault::new(last.place, format!("there is no block %{name}")))
    };
    names.iter().map(find).collect()
}

/// The order of blocks, and the loops around each.
pub(crate) fn nest(body: &Body, labels: &FxHashMap<&str, usize>) -> Read<(Vec<usize>, Vec<Vec<usize>>)> {
    let count = body.blocks.len();
    let edges: Vec<Vec<usize>> =
        (0..count).map(|block| successors(body, labels, block)).collect::<Read<_>>()?;
    let (mut order, mut next) = (vec![usize::MAX; count], count);
    let (mut state, mut back) = (vec![0u8; count], Vec::new());
    let mut stack = vec![(0, 0)];
    state[0] = 1;
    while let Some((block, at)) = stack.pop() {
        match edges[block].get(at) {
            Some(to) => {
                stack.push((block, at + 1));
                match state[*to] {
                    0 => {
                        state[*to] = 1;
                        stack.push((*to, 0));
                    }
                    1 => back.push((block, *to)),
                    _ => {}
                }
            }
            None => {
                state[block] = 2;
                next -= 1;
                order[block] = next;
            }
        }
    }
    let mut predecessors: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (from, to) in edges.iter().enumerate().filter(|(from, _)| state[*from] == 2) {
        to.iter().for_each(|to| predecessors[*to].push(from));
    }
    let mut bodies: BTreeMap<usize, FxHashSet<usize>> = BTreeMap::new();
    for (latch, header) in back {
        let inside = bodies.entry(header).or_insert_with(|| FxHashSet::from_iter([header]));
        let mut pending = vec![latch];
        while let Some(block) = pending.pop() {
            if inside.insert(block) {
                pending.extend(&predecessors[block]);
            }
        }
    }
    for (header, inside) in &bodies {
        let entered = inside.iter().filter(|block| *block != header);
        let irreducible = entered
            .clone()
            .any(|block| *block == 0 || predecessors[*block].iter().any(|from| !inside.contains(from)));
        if irreducible {
            return Err(Fault::new(Place::default(), "a loop with several entries"));
        }
    }
    let around = |block: usize| {
        let mut headers: Vec<usize> =
            bodies.iter().filter(|(_, inside)| inside.contains(&block)).map(|(header, _)| *header).collect();
        // Of two loops around a block the outer one is larger.
        headers.sort_by_key(|header| std::cmp::Reverse(bodies[header].len()));
        headers
    };
    Ok((order, (0..count).map(around).collect()))
}
