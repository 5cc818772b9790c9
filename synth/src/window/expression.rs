//! The expressions of windows: a tree in an arena, each node with its operator and type.

use hydride_ir::Function;
use hydride_ir::exact::{Dag, NodeId};

use super::types::Type;

/// A node of an [`Expressions`] arena; operands have smaller numbers than their users.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExpressionId(pub u32);

/// A typed operation.
#[derive(Clone, Debug, PartialEq, Hash)]
pub struct Expression {
    /// What is computed.
    pub operator: Operator,
    /// The operands.
    pub operands: Vec<ExpressionId>,
    /// The type of the value.
    pub ty: Type,
}

/// How lanes become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduce {
    /// Their sum.
    Add,
    /// The greatest.
    Max,
    /// The least.
    Min,
}

impl Reduce {
    /// All of them with their names in the text form.
    pub const ALL: [(Self, &'static str); 3] = [
        (Self::Add, "vector_reduce_add"),
        (Self::Max, "vector_reduce_max"),
        (Self::Min, "vector_reduce_min"),
    ];

    /// Its name in the text form.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(own, _)| *own == self).map_or("", |(_, name)| name)
    }

    /// Values as one, exactly.
    pub fn of(self, dag: &mut Dag, terms: &[NodeId]) -> NodeId {
        match (self, terms) {
            (Self::Add, _) | (_, []) => dag.sum(terms),
            (Self::Max, [first, rest @ ..]) => rest.iter().fold(*first, |most, next| dag.max(most, *next)),
            (Self::Min, [first, rest @ ..]) => rest.iter().fold(*first, |least, next| dag.min(least, *next)),
        }
    }
}

/// What a node computes. Values are exact integers that wrap to the node's type.
#[derive(Clone, Debug, PartialEq, Hash)]
pub enum Operator {
    /// A leaf, by position.
    Leaf(usize),
    /// A literal.
    Literal(i128),
    /// An operator that acts on each lane by itself.
    Lanewise(Lanewise),
    /// The scalar in every lane.
    Broadcast,
    /// The named lanes of the operands side by side.
    Shuffle(Vec<u32>),
    /// The operands one after the other.
    Concat,
    /// The operands lane by lane in turn.
    Interleave,
    /// Each group of neighboring lanes as one.
    Reduce(Reduce),
    /// Each lane a function of elements of leaves.
    Forms(Forms),
}

/// Lanes that are functions of elements of leaves.
#[derive(Clone, Debug, PartialEq, Hash)]
pub struct Forms {
    /// The functions that lanes share: an argument for each slot, and one result of the lane's width.
    pub functions: Vec<Function>,
    /// For each lane its function's position in `functions`, and its slots.
    pub lanes: Vec<(u32, Vec<Element>)>,
}

/// An element of a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct Element {
    /// The leaf's position.
    pub leaf: u32,
    /// The element's number, from the least significant.
    pub index: u32,
}

macro_rules! lanewise {
    ($($name:ident = $text:literal, $operands:literal;)*) => {
        /// Operators on single lanes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Lanewise {
            $(#[doc = concat!("`", $text, "`")] $name,)*
        }

        impl Lanewise {
            /// Every operator with its name in the text form and its number of operands.
            pub const ALL: &[(Lanewise, &str, usize)] = &[$((Lanewise::$name, $text, $operands),)*];
        }
    };
}

lanewise! {
    Add = "add", 2;
    Sub = "sub", 2;
    Mul = "mul", 2;
    Min = "min", 2;
    Max = "max", 2;
    Div = "div", 2;
    Cast = "cast", 1;
    Reinterpret = "reinterpret", 1;
    ShiftLeft = "shift_left", 2;
    ShiftRight = "shift_right", 2;
    WideningAdd = "widening_add", 2;
    WideningSub = "widening_sub", 2;
    WideningMul = "widening_mul", 2;
    WideningShiftLeft = "widening_shift_left", 2;
    WidenRightAdd = "widen_right_add", 2;
    WidenRightSub = "widen_right_sub", 2;
    WidenRightMul = "widen_right_mul", 2;
    SaturatingCast = "saturating_cast", 1;
    SaturatingAdd = "saturating_add", 2;
    SaturatingSub = "saturating_sub", 2;
    HalvingAdd = "halving_add", 2;
    RoundingHalvingAdd = "rounding_halving_add", 2;
    RoundingShiftRight = "rounding_shift_right", 2;
    MulShiftRight = "mul_shift_right", 3;
    RoundingMulShiftRight = "rounding_mul_shift_right", 3;
    Absd = "absd", 2;
    Abs = "abs", 1;
    Select = "select", 3;
    Eq = "eq", 2;
    Ne = "ne", 2;
    Lt = "lt", 2;
    Le = "le", 2;
    And = "and", 2;
    Or = "or", 2;
    Xor = "xor", 2;
}

/// The nodes of a window's expressions.
#[derive(Clone, Debug, Default, PartialEq, Hash)]
pub struct Expressions {
    nodes: Vec<Expression>,
}

impl Expressions {
    /// Adds a node whose operands are there already.
    pub fn push(&mut self, expression: Expression) -> ExpressionId {
        self.nodes.push(expression);
        ExpressionId(self.nodes.len() as u32 - 1)
    }

    /// A node.
    pub fn get(&self, id: ExpressionId) -> &Expression {
        &self.nodes[id.0 as usize]
    }

    /// A node's type.
    pub fn ty(&self, id: ExpressionId) -> Type {
        self.get(id).ty
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}
