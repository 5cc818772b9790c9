//! Orders of lanes in registers between rules.
//!
//! Where registers are as wide as the result of widening, the lower halves of all blocks of an operand become one register and the
//! upper halves another one: that order costs less than the lanes' own, and what narrows takes it back for nothing. A rule for such an order is
//! a pattern with a `shuffle`: of the result, which then is in the order, or of the operands, which are in it.
//!
//! ```text
//! (shuffle:u16x8 (cast:u16x8 a:u8x8) [0,1,4,5,2,3,6,7])      position p holds lane order[p]
//! ```
//!
//! What is computed lane by lane is computed in any order, as long as all operands are in the same one.

use std::fmt::Write as _;

use synth::window::{Expression, ExpressionId, Expressions, Operator, Type, Window};

use crate::instance::Instance;

/// Widths of elements that are widened.
const NARROW: [u32; 3] = [8, 16, 32];

/// Width of the blocks in which instructions of wide registers work.
const BLOCK: u32 = 128;

/// The widths of registers up to those of one block, where there are wider ones: what widens in these leaves its lanes in order.
pub fn of_one_block(widths: &[u32]) -> Option<&[u32]> {
    let count = widths.iter().position(|width| *width == BLOCK)? + 1;
    (count < widths.len()).then(|| &widths[..count])
}

/// The lanes of registers, by position: the lower halves of all blocks of so many lanes before their upper halves.
///
/// ```
/// assert_eq!(rules::halves(8, 4), [0, 1, 4, 5, 2, 3, 6, 7]);
/// assert_eq!(rules::halves(8, 2), [0, 2, 4, 6, 1, 3, 5, 7]);
/// ```
pub fn halves(lanes: u32, block: u32) -> Vec<u32> {
    let half = block / 2;
    let blocks = |high: u32| (0..lanes / block).map(move |at| at * block + high * half);
    [0, 1].into_iter().flat_map(blocks).flat_map(|first| first..first + half).collect()
}

/// What is at each place of a permutation.
fn inverse(order: &[u32]) -> Option<Vec<u32>> {
    let mut made = vec![u32::MAX; order.len()];
    for (position, lane) in (0..).zip(order) {
        *made.get_mut(*lane as usize)? = position;
    }
    (!made.contains(&u32::MAX)).then_some(made)
}

/// Patterns of what widens to such orders, adds to values in them, and narrows from them, as a text of rules, for a target with registers of
/// these widths, least first.
pub fn layout_patterns(widths: &[u32]) -> String {
    let mut text = String::new();
    let Some(widest) = widths.last() else { return text };
    for width in NARROW {
        let lanes = widest / width;
        let mut blocks = vec![2, BLOCK / width];
        blocks.retain(|block| *block < lanes);
        blocks.dedup();
        for block in blocks {
            let mut patterns = Patterns::new(width, lanes, block);
            patterns.widening();
            patterns.sums_of_products();
            if width < 32 {
                patterns.added_products();
            }
            patterns.narrowing();
            if width < 32 && block == 2 {
                patterns.narrowing_shifts();
            }
            text += &patterns.text;
        }
    }
    text
}

/// Writes the patterns for one order.
struct Patterns {
    width: u32,
    lanes: u32,
    block: u32,
    /// The lane at each position of the order, and the position of each lane.
    to: String,
    from: String,
    text: String,
}

/// Kinds of results and operands that narrow.
const NARROWING: [(&str, &str); 3] = [("u", "u"), ("i", "i"), ("u", "i")];

impl Patterns {
    fn new(width: u32, lanes: u32, block: u32) -> Self {
        let order = halves(lanes, block);
        let list = |order: &[u32]| order.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        let (to, from) = (list(&order), list(&inverse(&order).unwrap_or_default()));
        Self { width, lanes, block, to, from, text: String::new() }
    }

    /// A type of narrow elements, and one of elements twice as wide.
    fn narrow(&self, kind: &str) -> String {
        format!("{kind}{}x{}", self.width, self.lanes)
    }

    fn wide(&self, kind: &str) -> String {
        format!("{kind}{}x{}", 2 * self.width, self.lanes)
    }

    fn rule(&mut self, name: &str, clauses: &str, from: &str) {
        let Self { width, block, .. } = self;
        let _ = writeln!(self.text, "(rule {name}.{width}.halves{block}{clauses} (from {from}))");
    }

    /// A rule whose result is left in the order.
    fn leave_in_order(&mut self, name: &str, clauses: &str, kind: &str, value: &str) {
        let from = format!("(shuffle:{} {value} [{}])", self.wide(kind), self.to);
        self.rule(name, clauses, &from);
    }

    /// A variable that is in the order.
    fn in_order(&self, kind: &str, name: &str) -> String {
        let wide = self.wide(kind);
        format!("(shuffle:{wide} {name}:{wide} [{}])", self.from)
    }

    /// The product of a narrow variable and one that is the same in all lanes.
    fn product(&self, kind: &str, value: &str, by: &str) -> String {
        let (wide, narrow, factor) = (self.wide("i"), self.narrow(kind), self.narrow("i"));
        let width = self.width;
        format!("(widening_mul:{wide} {value}:{narrow} (broadcast:{factor} {by}:i{width}))")
    }

    fn widening(&mut self) {
        for (t, s) in [("u", "u"), ("i", "i"), ("i", "u")] {
            let (operand, result) = (self.narrow(s), self.wide(t));
            self.leave_in_order(&format!("widen.{t}.{s}"), "", t, &format!("(cast:{result} a:{operand})"));
            let operations: &[&str] = match (t, s) {
                ("i", "u") => &["widening_sub"],
                ("i", _) => &["widening_add", "widening_sub", "widening_mul"],
                _ => &["widening_add", "widening_mul"],
            };
            for operation in operations {
                let value = format!("({operation}:{result} a:{operand} b:{operand})");
                self.leave_in_order(&format!("{operation}.{t}.{s}"), "", t, &value);
            }
        }
    }

    /// Factors of two products, which with operands without a sign are so small that sums of signed instructions do not saturate.
    fn factors(&self, kind: &str) -> String {
        let most = 1i128 << (self.width - 2);
        match kind {
            "u" => format!(" (uniform c) (uniform d) (range c -{most} {most}) (range d -{most} {most})"),
            _ => " (uniform c) (uniform d)".into(),
        }
    }

    /// Two products whose second factors are the same in all lanes.
    fn sum_of_products(&self, kind: &str) -> String {
        let (wide, left, right) =
            (self.wide("i"), self.product(kind, "a", "c"), self.product(kind, "b", "d"));
        format!("(add:{wide} {left} {right})")
    }

    fn sums_of_products(&mut self) {
        for (name, kind) in [("mixed", "u"), ("signed", "i")] {
            let (factors, sum) = (self.factors(kind), self.sum_of_products(kind));
            self.leave_in_order(&format!("sum_of_products.{name}"), &factors, "i", &sum);
        }
    }

    /// Products that are added to values in the order.
    fn added_products(&mut self) {
        for (name, kind) in [("mixed", "u"), ("signed", "i")] {
            let (wide, sum) = (self.wide("i"), self.in_order("i", "e"));
            let both = format!("(add:{wide} {sum} {})", self.sum_of_products(kind));
            let factors = self.factors(kind);
            self.leave_in_order(&format!("multiply_add.two.{name}"), &factors, "i", &both);
            let one = format!("(add:{wide} {sum} {})", self.product(kind, "a", "c"));
            self.leave_in_order(&format!("multiply_add.{name}"), " (uniform c)", "i", &one);
        }
        for kind in ["u", "i"] {
            let (wide, narrow, sum) = (self.wide(kind), self.narrow(kind), self.in_order(kind, "e"));
            let value = format!("(add:{wide} {sum} (widening_mul:{wide} a:{narrow} b:{narrow}))");
            self.leave_in_order(&format!("multiply_add.each.{kind}"), "", kind, &value);
        }
    }

    fn narrowing(&mut self) {
        for name in ["narrow", "saturating_narrow"] {
            for (t, s) in NARROWING {
                let operation = if name == "narrow" { "cast" } else { "saturating_cast" };
                let from = format!("({operation}:{} {})", self.narrow(t), self.in_order(s, "a"));
                self.rule(&format!("{name}.{t}.{s}"), "", &from);
                if name == "saturating_narrow" && s == "u" {
                    // Where the highest bit is known to be clear.
                    let range = format!(" (range a 0 {})", (1i128 << (2 * self.width - 1)) - 1);
                    self.rule(&format!("{name}.small.{t}.{s}"), &range, &from);
                }
            }
        }
    }

    /// What shifts and narrows at once.
    fn narrowing_shifts(&mut self) {
        let constant = format!(" (constant c 1 {})", self.width);
        for (name, operation, shift) in [
            ("shift_narrow", "cast", "shift_right"),
            ("saturating_shift_narrow", "saturating_cast", "shift_right"),
            ("saturating_rounding_shift_narrow", "saturating_cast", "rounding_shift_right"),
        ] {
            for (t, s) in NARROWING {
                let (wide, count) = (self.wide(s), self.wide("u"));
                let count = format!("(broadcast:{count} c:u{})", 2 * self.width);
                let from = format!(
                    "({operation}:{} ({shift}:{wide} {} {count}))",
                    self.narrow(t),
                    self.in_order(s, "a")
                );
                self.rule(&format!("{name}.{t}.{s}"), &constant, &from);
            }
        }
    }
}

/// A pattern of vectors without its shuffles, for one lane, with the orders of its variables and of its result.
pub struct Laid {
    /// The pattern of one lane.
    pub pattern: Instance,
    /// The order of each variable.
    pub operands: Vec<Order>,
    /// The order of the result.
    pub result: Order,
}

/// The lane at each position; none where lanes are in order.
pub type Order = Option<Vec<u32>>;

impl Laid {
    /// Takes the shuffles off a pattern; `None` where there are none, or they are no orders of registers.
    pub fn of(pattern: &Instance) -> Option<Self> {
        let old = &pattern.window;
        let lanes = old.ty().lanes;
        let order = |operator: &Operator| match operator {
            Operator::Shuffle(lanes) => Some(lanes.clone()),
            _ => None,
        };
        let result = order(&old.expressions.get(old.root).operator);
        let top = if result.is_some() { *old.expressions.get(old.root).operands.first()? } else { old.root };
        let mut orders: Vec<Option<Order>> = vec![None; old.leaves.len()];
        let mut one = Expressions::default();
        let root = taken(old, top, lanes, &mut orders, &mut one)?;
        let mut operands: Vec<Order> = Vec::new();
        for order in orders.into_iter().map(Option::flatten) {
            operands.push(match order {
                Some(order) => Some(inverse(&order)?),
                None => None,
            });
        }
        if result.is_none() && operands.iter().all(Option::is_none) {
            return None;
        }
        if let Some(order) = &result {
            inverse(order).filter(|all| all.len() == lanes as usize)?;
        }
        let mut window = Window { root, expressions: one, ..old.clone() };
        window.leaves.iter_mut().for_each(|leaf| leaf.ty.lanes = 1);
        Some(Self { pattern: Instance { window, ..pattern.clone() }, operands, result })
    }
}

/// An expression for one lane; `orders` says how each leaf that was met is shuffled, which is in one way everywhere.
fn taken(
    old: &Window,
    id: ExpressionId,
    lanes: u32,
    orders: &mut [Option<Order>],
    into: &mut Expressions,
) -> Option<ExpressionId> {
    let node = old.expressions.get(id);
    let ty = Type { lanes: 1, ..node.ty };
    let mut leaf = |at: ExpressionId, order: Order, into: &mut Expressions| {
        let node = old.expressions.get(at);
        let Operator::Leaf(leaf) = node.operator else { return None };
        let same = *orders[leaf].get_or_insert(order.clone()) == order;
        let (operator, ty) = (node.operator.clone(), Type { lanes: 1, ..node.ty });
        (same && node.ty.lanes == lanes).then(|| into.push(Expression { operator, operands: Vec::new(), ty }))
    };
    match &node.operator {
        Operator::Leaf(_) => leaf(id, None, into),
        Operator::Shuffle(order) => leaf(*node.operands.first()?, Some(order.clone()), into),
        Operator::Broadcast => {
            let of = old.expressions.get(*node.operands.first()?);
            let uniform = matches!(of.operator, Operator::Literal(_) | Operator::Leaf(_)) && of.ty.lanes == 1;
            uniform.then(|| {
                let operator = of.operator.clone();
                into.push(Expression { operator, operands: Vec::new(), ty })
            })
        }
        Operator::Lanewise(_) if node.ty.lanes == lanes => {
            let mut own = Vec::new();
            for operand in &node.operands {
                own.push(taken(old, *operand, lanes, orders, into)?);
            }
            Some(into.push(Expression { operator: node.operator.clone(), operands: own, ty }))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instance::instances;
    use crate::lowering::lane_counts;
    use crate::text::read;

    #[test]
    fn patterns_are_taken_apart_into_lanes_and_orders() {
        let text = layout_patterns(&[128, 256]);
        let rules = read(&text).unwrap();
        for rule in &rules {
            let all = instances(rule, &text).unwrap();
            let laid = Laid::of(&all[0].clone()).unwrap_or_else(|| panic!("{}", rule.name));
            let block = rule.name.rsplit_once("halves").unwrap().1.parse().unwrap();
            let lanes = all[0].window.ty().lanes;
            let order = halves(lanes, block);
            // Rules are looked for, though the result may be in several registers.
            assert_eq!(lane_counts(&all[0], &[128, 256]), [lanes], "{}", rule.name);
            let widens = !rule.name.contains("narrow");
            assert_eq!(laid.result.as_ref(), widens.then_some(&order), "{}", rule.name);
            // What is in the order is what is narrowed, and what products are added to.
            for (leaf, own) in laid.pattern.window.leaves.iter().zip(&laid.operands) {
                let in_order = leaf.name == "a" && !widens || leaf.name == "e";
                assert_eq!(own.as_ref(), in_order.then_some(&order), "{}: {}", rule.name, leaf.name);
            }
            assert_eq!(laid.pattern.window.ty().lanes, 1);
        }
        // Bytes have blocks of 2 and of 16, and so on, and there are 11 patterns that widen and 7 that narrow; of bytes and 16 bits 6 that
        // add products, and 9 that shift and narrow.
        assert_eq!(rules.len(), 3 * 2 * 18 + 2 * 2 * 6 + 2 * 9);
        let plain = "(rule plain (from (add:u8x4 a:u8x4 b:u8x4)))";
        assert!(Laid::of(&instances(&read(plain).unwrap()[0], plain).unwrap()[0]).is_none());
    }
}
