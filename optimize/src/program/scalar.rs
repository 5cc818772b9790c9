//! Values that are computed from scalars, in 64-bit integers.

use hydride_ir::exact::{Int, Node, NodeId};
use llvm_text::Type;
use refine::ast::{Action, Flags, Operand};

use super::{NoBody, Writer, low_bits, none};
use crate::build::{bits_of, constant};

/// The integers that everything is computed in.
const WIDTH: u32 = 64;

fn integer() -> Type {
    Type::integer(WIDTH)
}

fn beyond<T>() -> Result<T, NoBody> {
    none("a value that is computed from scalars in more than 64 bits")
}

impl Writer<'_, '_> {
    /// The low bits of a value that is the same in all lanes.
    pub(super) fn element(&mut self, value: NodeId, width: u32) -> Result<Operand, NoBody> {
        let dag = &self.meaning.dag;
        if let Some(literal) = dag.as_int(value) {
            return Ok(constant(&Type::integer(width), &[low_bits(literal.try_into().ok(), width)?]));
        }
        if let Node::Slice { of, low: 0, width: own, .. } = *dag.node(value)
            && own == width
            && let Node::Arg(arg) = *dag.node(of)
        {
            let leaf = self.scalar_leaf(arg)?;
            if bits_of(&leaf.ty) == width {
                return Ok(self.builder.bitcast(leaf, &Type::integer(width)));
            }
        }
        let whole = self.scalar(value)?;
        if width == WIDTH {
            return Ok(whole);
        }
        let to = Type::integer(width);
        Ok(self.builder.push(to.clone(), Action::Cast("trunc", Flags::default(), whole, to)))
    }

    /// The value of the scalar leaf that a sample is.
    fn scalar_leaf(&self, arg: u32) -> Result<Operand, NoBody> {
        let leaf = self.meaning.sample(arg).and_then(|elements| elements.first()).map(|element| element.leaf);
        let leaf = leaf.filter(|leaf| self.meaning.window().leaves[*leaf as usize].scalar);
        let value = leaf.and_then(|leaf| self.leaves[leaf as usize].clone());
        value.ok_or_else(|| NoBody("a constant that is no value of scalars".to_owned()))
    }

    /// A value that is the same in all lanes.
    fn scalar(&mut self, value: NodeId) -> Result<Operand, NoBody> {
        if let Some(known) = self.scalars.get(&value) {
            return Ok(known.clone());
        }
        let (width, signed) = match self.meaning.dag.natural(value) {
            Some(natural) => natural,
            None => return beyond(),
        };
        if width > WIDTH - u32::from(!signed) {
            return beyond();
        }
        let made = self.computed(value)?;
        self.scalars.insert(value, made.clone());
        Ok(made)
    }

    fn computed(&mut self, value: NodeId) -> Result<Operand, NoBody> {
        let node = self.meaning.dag.node(value).clone();
        Ok(match node {
            Node::Const(literal) => self.literal(&literal)?,
            Node::Slice { of, low, width, signed } if low + width <= WIDTH => {
                let inner = match *self.meaning.dag.node(of) {
                    Node::Arg(arg) => {
                        let leaf = self.scalar_leaf(arg)?;
                        let own = Type::integer(bits_of(&leaf.ty));
                        let bits = self.builder.bitcast(leaf, &own);
                        match own == integer() {
                            true => bits,
                            false => {
                                let cast = Action::Cast("zext", Flags::default(), bits, integer());
                                self.builder.push(integer(), cast)
                            }
                        }
                    }
                    _ => self.scalar(of)?,
                };
                let up = self.number(WIDTH - low - width);
                let raised = self.binary("shl", inner, up);
                let down = self.number(WIDTH - width);
                self.binary(if signed { "ashr" } else { "lshr" }, raised, down)
            }
            Node::Sum { terms, constant } => {
                let mut sum = self.literal(&constant)?;
                for (term, factor) in terms {
                    let (term, factor) = (self.scalar(term)?, self.literal(&factor)?);
                    let product = self.binary("mul", term, factor);
                    sum = self.binary("add", sum, product);
                }
                sum
            }
            Node::Mul(factors) => self.chain(&factors, |own, a, b| own.binary("mul", a, b))?,
            Node::And(operands) => self.chain(&operands, |own, a, b| own.binary("and", a, b))?,
            Node::Or(operands) => self.chain(&operands, |own, a, b| own.binary("or", a, b))?,
            Node::Xor(operands) => self.chain(&operands, |own, a, b| own.binary("xor", a, b))?,
            Node::Not(of) => {
                let (of, ones) = (self.scalar(of)?, self.literal(&-Int::ONE)?);
                self.binary("xor", of, ones)
            }
            Node::Shl(of, by) => {
                let (of, by) = (self.scalar(of)?, self.scalar(by)?);
                self.binary("shl", of, by)
            }
            Node::Shr(of, by) => {
                let (of, by, most) = (self.scalar(of)?, self.scalar(by)?, self.number(WIDTH - 1));
                let by = self.least("slt", by, most);
                self.binary("ashr", of, by)
            }
            Node::Min(operands) => self.chain(&operands, |own, a, b| own.least("slt", a, b))?,
            Node::Max(operands) => self.chain(&operands, |own, a, b| own.least("sgt", a, b))?,
            Node::Abs(of) => {
                let (of, zero) = (self.scalar(of)?, self.number(0));
                let negated = self.binary("sub", zero, of.clone());
                self.least("sgt", of, negated)
            }
            Node::Saturate { of, width, signed } => {
                let below = width - u32::from(signed);
                let of = self.scalar(of)?;
                let high = self.literal(&((Int::ONE << below as usize) - Int::ONE))?;
                let low = if signed { -(Int::ONE << below as usize) } else { Int::ZERO };
                let low = self.literal(&low)?;
                let least = self.least("slt", of, high);
                self.least("sgt", least, low)
            }
            Node::Eq(left, right) => self.relation("eq", left, right)?,
            Node::Lt(left, right) => self.relation("slt", left, right)?,
            Node::Le(left, right) => self.relation("sle", left, right)?,
            Node::Select(condition, then, otherwise) => {
                let condition = self.element(condition, 1)?;
                let (then, otherwise) = (self.scalar(then)?, self.scalar(otherwise)?);
                self.builder.push(integer(), Action::Select(condition, then, otherwise))
            }
            Node::Concat(parts) => {
                let (mut low, mut whole) = (0, self.number(0));
                for part in parts {
                    let (own, by) = (self.scalar(part.node)?, self.number(low));
                    let moved = self.binary("shl", own, by);
                    whole = self.binary("or", whole, moved);
                    low += part.width;
                }
                whole
            }
            _ => return none("a value that is computed from scalars by what has no form here"),
        })
    }

    fn number(&self, value: u32) -> Operand {
        constant(&integer(), &[u64::from(value)])
    }

    fn literal(&self, value: &Int) -> Result<Operand, NoBody> {
        match i64::try_from(value) {
            Ok(value) => Ok(constant(&integer(), &[value.cast_unsigned()])),
            Err(_) => beyond(),
        }
    }

    fn binary(&mut self, operator: &'static str, left: Operand, right: Operand) -> Operand {
        self.builder.push(integer(), Action::Binary(operator, Flags::default(), left, right))
    }

    fn compare(&mut self, predicate: &'static str, left: Operand, right: Operand) -> Operand {
        self.builder.push(Type::integer(1), Action::Compare(predicate, Flags::default(), left, right))
    }

    /// The first operand where the relation holds, else the second.
    fn least(&mut self, predicate: &'static str, left: Operand, right: Operand) -> Operand {
        let condition = self.compare(predicate, left.clone(), right.clone());
        self.builder.push(integer(), Action::Select(condition, left, right))
    }

    fn relation(&mut self, predicate: &'static str, left: NodeId, right: NodeId) -> Result<Operand, NoBody> {
        let (left, right) = (self.scalar(left)?, self.scalar(right)?);
        let bit = self.compare(predicate, left, right);
        Ok(self.builder.push(integer(), Action::Cast("zext", Flags::default(), bit, integer())))
    }

    fn chain(
        &mut self,
        operands: &[NodeId],
        join: fn(&mut Self, Operand, Operand) -> Operand,
    ) -> Result<Operand, NoBody> {
        let mut all: Option<Operand> = None;
        for operand in operands {
            let next = self.scalar(*operand)?;
            all = Some(match all {
                Some(before) => join(self, before, next),
                None => next,
            });
        }
        all.map_or_else(|| none("an operator without operands"), Ok)
    }
}
