//! Windows in parts: what no program was found for as a whole is computed in two windows, of which the second reads what the
//! first wrote.
//!
//! The cut is at the operation that has about half of the operations below it, and a part without a program is cut again, as is one
//! whose search was not finished, for which the cheaper answer is taken.
//! A part that is one operation cannot be cut. What a part writes is a leaf of the others, with the range that its value
//! has; since every part is proved for all values of its leaves in their ranges, all parts together are the window.

use hydride_ir::exact::{Int, Range};

use crate::window::{Expression, ExpressionId, Expressions, Kind, Leaf, Meaning, Operator, Type, Window};

/// Parts of one window, at most.
const MAX_PARTS: usize = 256;

/// A part of a window.
pub struct Part<R> {
    /// What it computes. Its leaves are those of the whole, and earlier parts' results by their names.
    pub window: Window,
    /// The name under which later parts read its result; `None` for the last part, which is the whole's result.
    pub name: Option<String>,
    /// What came of it.
    pub answer: R,
}

/// How parts are answered.
pub trait Solver<R, E> {
    /// The answer for a part; `None` where it has none as a whole.
    fn solve(&mut self, window: &Window) -> Option<R>;

    /// The answer for what has none as a whole and cannot be cut.
    fn last(&mut self, window: &Window) -> Result<R, E>;

    /// Whether a part may have a cheaper answer in two parts, since its search was not finished.
    fn is_open(&self, answer: &R) -> bool;

    /// What a part's answer costs, with what it takes to write its result.
    fn cost(&self, part: &Part<R>) -> u64;
}

/// Computes a window that has no answer as a whole in parts that have one, in the order in which they have to be computed.
pub fn in_parts<R, E>(window: &Window, solver: &mut dyn Solver<R, E>) -> Result<Vec<Part<R>>, E> {
    Parts { solver, number: 0 }.cut(window.clone(), None, true)
}

struct Parts<'s, R, E> {
    solver: &'s mut dyn Solver<R, E>,
    /// How many parts there are.
    number: usize,
}

impl<R, E> Parts<'_, R, E> {
    /// The parts of a window, which has no answer as a whole if it was `asked` for one.
    fn cut(&mut self, window: Window, name: Option<String>, asked: bool) -> Result<Vec<Part<R>>, E> {
        let answer = if asked { None } else { self.solver.solve(&window) };
        let two = match &answer {
            Some(answer) if !self.solver.is_open(answer) => None,
            _ if self.number >= MAX_PARTS => None,
            _ => {
                let own = self.name(&window);
                halves(&window, &own).map(|two| (own, two))
            }
        };
        let parts = two.map(|(own, (lower, upper))| {
            let mut parts = self.cut(lower, Some(own), false)?;
            parts.extend(self.cut(upper, name.clone(), false)?);
            Ok(parts)
        });
        let answer = match (answer, parts) {
            (None, Some(parts)) => return parts,
            (None, None) => self.solver.last(&window)?,
            (Some(answer), parts) => {
                let whole = Part { window, name, answer };
                let cost = |parts: &[Part<R>]| parts.iter().map(|part| self.solver.cost(part)).sum::<u64>();
                return Ok(match parts {
                    Some(Ok(parts)) if cost(&parts) < self.solver.cost(&whole) => parts,
                    _ => vec![whole],
                });
            }
        };
        Ok(vec![Part { window, name, answer }])
    }

    /// A name that no leaf has.
    fn name(&mut self, window: &Window) -> String {
        loop {
            let own = format!("part{}_", self.number);
            self.number += 1;
            if !window.leaves.iter().any(|leaf| leaf.name == own) {
                return own;
            }
        }
    }
}

/// A window as two, the second of which has the first one's result as its leaf `name`; `None` where it is one operation.
pub fn halves(window: &Window, name: &str) -> Option<(Window, Window)> {
    let operations = Operations::of(window);
    let total = operations.below(window, window.root).len();
    let fits = |id: &ExpressionId| {
        let Type { kind, width, .. } = window.expressions.ty(*id);
        let whole = kind != Kind::Condition && [8, 16, 32, 64].contains(&width);
        whole && *id != window.root && operations.varies[id.0 as usize] && operations.counts(window, *id)
    };
    let cut = operations
        .below(window, window.root)
        .into_iter()
        .filter(fits)
        .min_by_key(|id| ((2 * operations.below(window, *id).len()).abs_diff(total), *id))?;
    let ty = window.expressions.ty(cut);
    let leaf = Leaf { name: name.to_owned(), ty, scalar: false, in_memory: false, range: range(window, cut) };
    Some((part(window, cut, None), part(window, window.root, Some((cut, leaf)))))
}

/// What is known of a window's expressions.
struct Operations {
    /// Whether an expression is below the root and reads a dense leaf.
    varies: Vec<bool>,
}

impl Operations {
    fn of(window: &Window) -> Self {
        let mut varies = vec![false; window.expressions.len()];
        for at in 0..window.expressions.len() {
            let node = window.expressions.get(ExpressionId(at as u32));
            varies[at] = match &node.operator {
                Operator::Leaf(leaf) => !window.leaves[*leaf].scalar,
                Operator::Forms(_) => true,
                _ => node.operands.iter().any(|operand| varies[operand.0 as usize]),
            };
        }
        Self { varies }
    }

    /// Whether an expression is an operation on what differs from lane to lane.
    fn counts(&self, window: &Window, id: ExpressionId) -> bool {
        let operator = &window.expressions.get(id).operator;
        self.varies[id.0 as usize] && !matches!(operator, Operator::Leaf(_) | Operator::Literal(_))
    }

    /// The operations that an expression is made of, itself among them.
    fn below(&self, window: &Window, root: ExpressionId) -> Vec<ExpressionId> {
        let (mut seen, mut pending) = (vec![false; window.expressions.len()], vec![root]);
        while let Some(id) = pending.pop() {
            if !std::mem::replace(&mut seen[id.0 as usize], true) {
                pending.extend(&window.expressions.get(id).operands);
            }
        }
        let all = (0..seen.len()).map(|at| ExpressionId(at as u32));
        all.filter(|id| seen[id.0 as usize] && self.counts(window, *id)).collect()
    }
}

/// The range of an expression's lanes, where it is less than that of its type.
fn range(window: &Window, id: ExpressionId) -> Option<(i128, i128)> {
    let mut meaning = Meaning::new(window);
    let families = meaning.families(id)?;
    let mut ranges = families.iter().map(|family| meaning.dag.range(family.value).clone());
    let first = ranges.next()?;
    let whole = ranges.fold(first, |whole, next| whole.union(&next));
    let ty = window.expressions.ty(id);
    let limits = Range::of_width(ty.width, ty.is_signed());
    let number = |value: &Option<Int>| value.as_ref().and_then(|value| i128::try_from(value).ok());
    let (low, high) = (number(&whole.low)?, number(&whole.high)?);
    (whole.within(&limits) && whole != limits).then_some((low, high))
}

/// The window of an expression, in which another one is a leaf.
fn part(window: &Window, root: ExpressionId, instead: Option<(ExpressionId, Leaf)>) -> Window {
    let mut copy =
        Copying { window, instead, leaves: Vec::new(), expressions: Expressions::default(), map: Vec::new() };
    copy.map = vec![None; window.expressions.len()];
    let root = copy.copy(root);
    Window {
        name: window.name.clone(),
        target: window.target.clone(),
        leaves: copy.leaves,
        expressions: copy.expressions,
        root,
        in_registers: window.in_registers,
        number: false,
        assumptions: Vec::new(),
        reference: None,
    }
}

struct Copying<'w> {
    window: &'w Window,
    instead: Option<(ExpressionId, Leaf)>,
    leaves: Vec<Leaf>,
    expressions: Expressions,
    map: Vec<Option<ExpressionId>>,
}

impl Copying<'_> {
    fn copy(&mut self, id: ExpressionId) -> ExpressionId {
        if let Some(known) = self.map[id.0 as usize] {
            return known;
        }
        let node = self.window.expressions.get(id);
        let made = match (&self.instead, &node.operator) {
            (Some((cut, leaf)), _) if *cut == id => self.leaf(leaf.clone()),
            (_, Operator::Leaf(leaf)) => self.leaf(self.window.leaves[*leaf].clone()),
            _ => {
                let operands = node.operands.iter().map(|operand| self.copy(*operand)).collect();
                self.expressions.push(Expression { operands, ..node.clone() })
            }
        };
        self.map[id.0 as usize] = Some(made);
        made
    }

    fn leaf(&mut self, leaf: Leaf) -> ExpressionId {
        let at = self.leaves.iter().position(|own| own.name == leaf.name).unwrap_or_else(|| {
            self.leaves.push(leaf.clone());
            self.leaves.len() - 1
        });
        self.expressions.push(Expression { operator: Operator::Leaf(at), operands: Vec::new(), ty: leaf.ty })
    }
}
