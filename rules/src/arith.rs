//! Expressions of windows in MLIR's `arith`, which has no fixed-point operations: one is each plain expression that a proved equality
//! says it is. Integers there have no sign, so that names for the same bits are nothing. Sums of neighbors are reductions of `vector`,
//! of vectors that have a dimension for the neighbors.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use rustc_hash::FxHashMap;
use synth::window::{ExpressionId, Lanewise, Operator, Reduce, Type, Window};

use crate::graph::{Equality, is_count};
use crate::instance::Instance;
use crate::text::Binds;

/// Plain expressions of one operation, at most.
const MAX_FORMS: usize = 6;

/// Fixed-point operations within each other, at most.
const MAX_DEPTH: usize = 6;

/// What a value has in each lane of the result: this many neighboring elements of so many bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lane {
    /// The number of elements.
    pub group: u32,
    /// The width of each.
    pub width: u32,
}

/// A plain expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tree {
    /// A variable, by position.
    Leaf(usize),
    /// A number in all elements.
    Number(i128, Lane),
    /// An operation of `arith`, `math` or `vector`.
    Operation {
        /// Its name.
        name: String,
        /// Its attributes, as PDLL writes them.
        attributes: String,
        /// Its operands.
        operands: Vec<Tree>,
        /// The result in each lane.
        lane: Lane,
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

    /// Whether two expressions differ in their variables alone.
    fn is_like(&self, other: &Tree) -> bool {
        match (self, other) {
            (Tree::Leaf(_), Tree::Leaf(_)) => true,
            (
                Tree::Operation { name, attributes, operands, lane },
                Tree::Operation { name: name2, attributes: attributes2, operands: operands2, lane: lane2 },
            ) => {
                (name, attributes, lane, operands.len()) == (name2, attributes2, lane2, operands2.len())
                    && operands.iter().zip(operands2).all(|(own, other)| own.is_like(other))
            }
            (own, other) => own == other,
        }
    }
}

/// Expressions to be read.
pub struct Reading<'a> {
    /// Where they are.
    pub window: &'a Window,
    /// What leaves are.
    pub bound: &'a dyn Fn(usize) -> Option<Tree>,
    /// The lanes of the result, by which those of other values are grouped.
    pub lanes: u32,
    /// How many neighbors what has a lane for each of the result's stands for.
    pub group: u32,
}

impl Reading<'_> {
    fn lane(&self, ty: Type) -> Lane {
        Lane { group: self.group * ty.lanes / self.lanes, width: ty.width }
    }
}

/// A type of one lane.
fn single(ty: Type) -> Type {
    Type { lanes: 1, ..ty }
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

    /// What an expression is in `arith`; nothing where it has no form.
    pub fn forms(&self, reading: &Reading<'_>, id: ExpressionId, depth: usize) -> Vec<Tree> {
        let window = reading.window;
        let node = window.expressions.get(id);
        let lane = reading.lane(node.ty);
        let operator = match &node.operator {
            Operator::Leaf(leaf) => return (reading.bound)(*leaf).into_iter().collect(),
            Operator::Literal(value) => return vec![Tree::Number(*value, lane)],
            Operator::Lanewise(operator) => *operator,
            Operator::Reduce(Reduce::Add) if lane.group == 1 => {
                let all = self.forms(reading, node.operands[0], depth).into_iter();
                return all.map(|tree| sum_of_neighbors(tree, lane, reading.lanes > 1)).collect();
            }
            _ => return Vec::new(),
        };
        let mut all: Vec<Vec<Tree>> = vec![Vec::new()];
        for (at, operand) in node.operands.iter().enumerate() {
            let mut own = self.forms(reading, *operand, depth);
            if is_count(&node.operator, at) {
                // A count is a number of the value's type.
                for form in &mut own {
                    if let Tree::Number(_, own) = form {
                        own.width = node.ty.width;
                    }
                }
            }
            let with = |before: &Vec<Tree>| {
                let add = |form: &Tree| before.iter().cloned().chain([form.clone()]).collect::<Vec<_>>();
                own.iter().map(add).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(with).take(MAX_FORMS).collect();
        }
        let types: Vec<Type> = node.operands.iter().map(|own| single(window.expressions.ty(*own))).collect();
        let ty = single(node.ty);
        let mut made: Vec<Tree> = Vec::new();
        for operands in all {
            match arith(operator, ty, &types, &operands, lane) {
                Some(tree) => made.extend(variants(operator, tree)),
                None if depth < MAX_DEPTH => {
                    for equality in self.by_operation.get(&(operator, ty)).into_iter().flatten() {
                        made.extend(self.expanded(equality, &types, &operands, lane.group, depth + 1));
                    }
                }
                None => {}
            }
        }
        made.dedup();
        made.truncate(MAX_FORMS);
        made
    }

    /// An operation on these operands by an equality, for so many neighbors in each lane.
    fn expanded(
        &self,
        equality: &Instance,
        types: &[Type],
        operands: &[Tree],
        group: u32,
        depth: usize,
    ) -> Vec<Tree> {
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
        let bound = |leaf: usize| bound.get(&leaf).cloned();
        let reading = Reading { window: &equality.window, bound: &bound, lanes: 1, group };
        self.forms(&reading, equality.window.root, depth)
    }
}

/// The sum of the neighbors in each lane, of a vector of several lanes or of one.
fn sum_of_neighbors(tree: Tree, lane: Lane, several: bool) -> Tree {
    let kind = "kind = attr<\"#vector.kind<add>\">";
    let (name, attributes, operands) = match several {
        true => {
            let attributes = format!(" {{{kind}, reduction_dims = attr<\"[1]\">}}");
            ("vector.multi_reduction", attributes, vec![tree, Tree::Number(0, lane)])
        }
        false => ("vector.reduction", format!(" {{{kind}}}"), vec![tree]),
    };
    Tree::Operation { name: name.to_owned(), attributes, operands, lane }
}

/// An operation, also with its operands exchanged, and with what is added to a sum of neighbors as where that starts.
fn variants(operator: Lanewise, tree: Tree) -> Vec<Tree> {
    let commutes = matches!(operator, Lanewise::Add | Lanewise::Mul);
    let Tree::Operation { name, attributes, operands, lane } = &tree else { return vec![tree] };
    let [left, right] = &operands[..] else { return vec![tree] };
    if !commutes || left.is_like(right) {
        return vec![tree];
    }
    let mut made: Vec<Tree> = Vec::new();
    for (sum, added) in [(left, right), (right, left)] {
        let Tree::Operation { name, attributes, operands, lane } = sum else { continue };
        let operands = match (name.as_str(), &operands[..]) {
            ("vector.multi_reduction", [of, Tree::Number(0, _)]) | ("vector.reduction", [of]) => {
                vec![of.clone(), added.clone()]
            }
            _ => continue,
        };
        let (name, attributes) = (name.clone(), attributes.clone());
        made.push(Tree::Operation { name, attributes, operands, lane: *lane });
    }
    let (name, attributes, operands) = (name.clone(), attributes.clone(), vec![right.clone(), left.clone()]);
    let exchanged = Tree::Operation { name, attributes, operands, lane: *lane };
    made.extend([tree, exchanged]);
    made
}

/// An operation of `arith` or `math`; `None` where there is none.
fn arith(operator: Lanewise, ty: Type, types: &[Type], operands: &[Tree], lane: Lane) -> Option<Tree> {
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
        lane,
    })
}
