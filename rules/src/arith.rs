//! Expressions of windows in MLIR's `arith`, which has no fixed-point operations: one is each plain expression that a proved equality
//! says it is. Integers there have no sign, so that names for the same bits are nothing.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use rustc_hash::FxHashMap;
use synth::window::{ExpressionId, Lanewise, Operator, Type, Window};

use crate::graph::{Equality, is_count};
use crate::instance::Instance;
use crate::text::Binds;

/// Plain expressions of one operation, at most.
const MAX_FORMS: usize = 6;

/// Fixed-point operations within each other, at most.
const MAX_DEPTH: usize = 6;

/// A plain expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tree {
    /// A variable, by position.
    Leaf(usize),
    /// A number in all elements, and their width.
    Number(i128, u32),
    /// An operation of `arith` or `math`.
    Operation {
        /// Its name.
        name: String,
        /// Its attributes, as PDLL writes them.
        attributes: String,
        /// Its operands.
        operands: Vec<Tree>,
        /// The width of the result's elements.
        width: u32,
    },
}

impl Tree {
    /// The number of its operations.
    pub fn size(&self) -> usize {
        match self {
            Tree::Leaf(_) | Tree::Number(..) => 0,
            Tree::Operation { operands, .. } => 1 + operands.iter().map(Tree::size).sum::<usize>(),
        }
    }
}

/// Fixed-point operations as plain expressions, by the operation and its type.
pub struct Plain<'e> {
    by_operation: FxHashMap<(Lanewise, Type), Vec<&'e Instance>>,
}

impl<'e> Plain<'e> {
    /// Those of proved equalities without conditions.
    pub fn new(equalities: &'e [Equality]) -> Self {
        let mut by_operation: FxHashMap<_, Vec<&Instance>> = FxHashMap::default();
        for equality in equalities.iter().filter(|own| !own.reversed) {
            let own = &equality.instance;
            let Some(to) = own.to.map(|to| own.window.expressions.get(to)) else { continue };
            let free = own.conditions.is_empty()
                && own.bits.is_empty()
                && own.window.leaves.iter().all(|leaf| leaf.range.is_none());
            let plain = own.binds.iter().all(|binds| *binds == Binds::Anything);
            if let (Operator::Lanewise(operator), true, true) = (&to.operator, free, plain) {
                by_operation.entry((*operator, to.ty)).or_default().push(own);
            }
        }
        Self { by_operation }
    }

    /// What an expression is in `arith`; nothing where it has no form. `bound` says what leaves are.
    pub fn forms(
        &self,
        window: &Window,
        id: ExpressionId,
        bound: &dyn Fn(usize) -> Option<Tree>,
        depth: usize,
    ) -> Vec<Tree> {
        let node = window.expressions.get(id);
        let operator = match &node.operator {
            Operator::Leaf(leaf) => return bound(*leaf).into_iter().collect(),
            Operator::Literal(value) => return vec![Tree::Number(*value, node.ty.width)],
            Operator::Lanewise(operator) => *operator,
            _ => return Vec::new(),
        };
        let mut all: Vec<Vec<Tree>> = vec![Vec::new()];
        for (at, operand) in node.operands.iter().enumerate() {
            let mut own = self.forms(window, *operand, bound, depth);
            if is_count(&node.operator, at) {
                // A count is a number of the value's type.
                for form in &mut own {
                    if let Tree::Number(_, width) = form {
                        *width = node.ty.width;
                    }
                }
            }
            let with = |before: &Vec<Tree>| {
                let add = |form: &Tree| before.iter().cloned().chain([form.clone()]).collect::<Vec<_>>();
                own.iter().map(add).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(with).take(MAX_FORMS).collect();
        }
        let types: Vec<Type> = node.operands.iter().map(|own| window.expressions.ty(*own)).collect();
        let mut made: Vec<Tree> = Vec::new();
        for operands in all {
            match arith(operator, node.ty, &types, &operands) {
                Some(tree) => made.push(tree),
                None if depth < MAX_DEPTH => {
                    for equality in self.by_operation.get(&(operator, node.ty)).into_iter().flatten() {
                        made.extend(self.expanded(equality, &types, &operands, depth + 1));
                    }
                }
                None => {}
            }
        }
        made.dedup();
        made.truncate(MAX_FORMS);
        made
    }

    /// An operation on these operands by an equality.
    fn expanded(&self, equality: &Instance, types: &[Type], operands: &[Tree], depth: usize) -> Vec<Tree> {
        let Some(to) = equality.to else { return Vec::new() };
        let to = equality.window.expressions.get(to);
        let mut bound: BTreeMap<usize, Tree> = BTreeMap::new();
        for ((own, ty), tree) in to.operands.iter().zip(types).zip(operands) {
            let own = equality.window.expressions.get(*own);
            let fits = match (&own.operator, tree) {
                (Operator::Leaf(leaf), tree) if own.ty == *ty => {
                    bound.insert(*leaf, tree.clone()).is_none_or(|known| known == *tree)
                }
                (Operator::Literal(value), Tree::Number(number, _)) => value == number,
                _ => false,
            };
            if !fits {
                return Vec::new();
            }
        }
        self.forms(&equality.window, equality.window.root, &|leaf| bound.get(&leaf).cloned(), depth)
    }
}

/// An operation of `arith` or `math`; `None` where there is none.
fn arith(operator: Lanewise, ty: Type, types: &[Type], operands: &[Tree]) -> Option<Tree> {
    let own = types.first().copied()?;
    let signed = own.is_signed();
    let choose = |yes: &'static str, no: &'static str| if signed { yes } else { no };
    let same = types.iter().all(|other| (other.kind, other.width) == (own.kind, own.width));
    let mut attributes = String::new();
    let name = match operator {
        Lanewise::Add => "arith.addi",
        Lanewise::Sub => "arith.subi",
        Lanewise::Mul => "arith.muli",
        Lanewise::And => "arith.andi",
        Lanewise::Or => "arith.ori",
        Lanewise::Xor => "arith.xori",
        Lanewise::Min if same => choose("arith.minsi", "arith.minui"),
        Lanewise::Max if same => choose("arith.maxsi", "arith.maxui"),
        Lanewise::ShiftLeft => "arith.shli",
        Lanewise::ShiftRight => choose("arith.shrsi", "arith.shrui"),
        Lanewise::Cast | Lanewise::Reinterpret if own.width == ty.width => return operands.first().cloned(),
        Lanewise::Cast if own.width > ty.width => "arith.trunci",
        Lanewise::Cast => choose("arith.extsi", "arith.extui"),
        Lanewise::Abs if own.width == ty.width && signed => "math.absi",
        Lanewise::Select => "arith.select",
        Lanewise::Eq | Lanewise::Ne | Lanewise::Lt | Lanewise::Le if same => {
            // The numbers of the predicates of `arith.cmpi`.
            let predicate = match operator {
                Lanewise::Eq => 0,
                Lanewise::Ne => 1,
                Lanewise::Lt => 2 + 4 * u32::from(!signed),
                _ => 3 + 4 * u32::from(!signed),
            };
            let _ = write!(attributes, " {{predicate = attr<\"{predicate} : i64\">}}");
            "arith.cmpi"
        }
        _ => return None,
    };
    let counted = matches!(operator, Lanewise::ShiftLeft | Lanewise::ShiftRight);
    let widths = types.iter().all(|other| other.width == ty.width);
    let plain = counted || matches!(operator, Lanewise::Cast | Lanewise::Select) || !attributes.is_empty();
    (plain || widths).then(|| Tree::Operation {
        name: name.to_owned(),
        attributes,
        operands: operands.to_vec(),
        width: ty.width,
    })
}
