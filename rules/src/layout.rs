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

/// Patterns of what widens to such orders and narrows from them, as a text of rules, for a target with registers of these widths, least first.
pub fn layout_patterns(widths: &[u32]) -> String {
    let mut text = String::new();
    let Some(widest) = widths.last() else { return text };
    for width in NARROW {
        let lanes = widest / width;
        let mut blocks = vec![2, BLOCK / width];
        blocks.retain(|block| *block < lanes);
        blocks.dedup();
        for block in blocks {
            let order = halves(lanes, block);
            let list = |order: &[u32]| order.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
            let (to, from) = (list(&order), list(&inverse(&order).unwrap_or_default()));
            let wide = 2 * width;
            let mut rule = |name: &str, body: String| {
                let _ = writeln!(text, "(rule {name}.{width}.halves{block} (from {body}))");
            };
            for (t, s) in [("u", "u"), ("i", "i"), ("i", "u")] {
                let (operand, result) = (format!("{s}{width}x{lanes}"), format!("{t}{wide}x{lanes}"));
                rule(
                    &format!("widen.{t}.{s}"),
                    format!("(shuffle:{result} (cast:{result} a:{operand}) [{to}])"),
                );
                let operations: &[&str] = match (t, s) {
                    ("i", "u") => &["widening_sub"],
                    ("i", _) => &["widening_add", "widening_sub", "widening_mul"],
                    _ => &["widening_add", "widening_mul"],
                };
                for operation in operations {
                    let inner = format!("({operation}:{result} a:{operand} b:{operand})");
                    rule(&format!("{operation}.{t}.{s}"), format!("(shuffle:{result} {inner} [{to}])"));
                }
            }
            // Sums of two products whose second factors are the same in all lanes; without a sign they are small enough that sums of
            // signed instructions do not saturate.
            for (name, s, range) in [("mixed", "u", Some(1i128 << (width - 2))), ("signed", "i", None)] {
                let (operand, result) = (format!("{s}{width}x{lanes}"), format!("i{wide}x{lanes}"));
                let product = |value: &str, by: &str| {
                    format!(
                        "(widening_mul:{result} {value}:{operand} (broadcast:i{width}x{lanes} {by}:i{width}))"
                    )
                };
                let inner = format!("(add:{result} {} {})", product("a", "c"), product("b", "d"));
                let mut clauses = "(uniform c) (uniform d)".to_owned();
                if let Some(most) = range {
                    let _ = write!(clauses, " (range c -{most} {most}) (range d -{most} {most})");
                }
                let _ = writeln!(
                    text,
                    "(rule sum_of_products.{name}.{width}.halves{block} {clauses} (from (shuffle:{result} {inner} [{to}])))"
                );
            }
            let mut rule = |name: &str, body: String| {
                let _ = writeln!(text, "(rule {name}.{width}.halves{block} {body})");
            };
            for (name, t, s) in [
                ("narrow", "u", "u"),
                ("narrow", "i", "i"),
                ("narrow", "u", "i"),
                ("saturating_narrow", "u", "u"),
                ("saturating_narrow", "i", "i"),
                ("saturating_narrow", "u", "i"),
            ] {
                let operation = if name == "narrow" { "cast" } else { "saturating_cast" };
                let (operand, result) = (format!("{s}{wide}x{lanes}"), format!("{t}{width}x{lanes}"));
                let inner = format!("(shuffle:{operand} a:{operand} [{from}])");
                rule(&format!("{name}.{t}.{s}"), format!("(from ({operation}:{result} {inner}))"));
                if name == "saturating_narrow" && s == "u" {
                    // Where the highest bit is known to be clear.
                    let range = format!("(range a 0 {})", (1i128 << (wide - 1)) - 1);
                    rule(
                        &format!("{name}.small.{t}.{s}"),
                        format!("{range} (from ({operation}:{result} {inner}))"),
                    );
                }
            }
        }
    }
    text
}

/// A pattern of vectors without its shuffles, for one lane, with the orders of its operands and of its result; none where they are
/// in order.
pub struct Laid {
    /// The pattern of one lane.
    pub pattern: Instance,
    /// The order of the operands.
    pub operands: Option<Vec<u32>>,
    /// The order of the result.
    pub result: Option<Vec<u32>>,
}

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
        let mut operands: Option<Option<Vec<u32>>> = None;
        let mut one = Expressions::default();
        let root = taken(old, top, lanes, &mut operands, &mut one)?;
        let operands = operands.flatten();
        let operands = match operands {
            Some(order) => Some(inverse(&order)?),
            None => None,
        };
        if operands.is_none() && result.is_none() || operands.is_some() && result.is_some() {
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

/// An expression for one lane; `operands` is the order that leaves are shuffled by, which is one for all.
fn taken(
    old: &Window,
    id: ExpressionId,
    lanes: u32,
    operands: &mut Option<Option<Vec<u32>>>,
    into: &mut Expressions,
) -> Option<ExpressionId> {
    let node = old.expressions.get(id);
    let ty = Type { lanes: 1, ..node.ty };
    let mut leaf = |at: ExpressionId, order: Option<Vec<u32>>, into: &mut Expressions| {
        let node = old.expressions.get(at);
        let is_leaf = matches!(node.operator, Operator::Leaf(_)) && node.ty.lanes == lanes;
        let same = *operands.get_or_insert(order.clone()) == order;
        let (operator, ty) = (node.operator.clone(), Type { lanes: 1, ..node.ty });
        (is_leaf && same).then(|| into.push(Expression { operator, operands: Vec::new(), ty }))
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
                own.push(taken(old, *operand, lanes, operands, into)?);
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
    use crate::text::read;

    #[test]
    fn patterns_are_taken_apart_into_lanes_and_orders() {
        let text = layout_patterns(&[128, 256]);
        let rules = read(&text).unwrap();
        for rule in &rules {
            let all = instances(rule, &text).unwrap();
            let laid = Laid::of(&all[0].clone()).unwrap_or_else(|| panic!("{}", rule.name));
            let widens = laid.pattern.window.leaves[0].ty.width < laid.pattern.window.ty().width;
            assert_eq!((laid.result.is_some(), laid.operands.is_some()), (widens, !widens), "{}", rule.name);
            let block = rule.name.rsplit_once("halves").unwrap().1.parse().unwrap();
            assert_eq!(laid.result.or(laid.operands).unwrap(), halves(all[0].window.ty().lanes, block));
            assert_eq!(laid.pattern.window.ty().lanes, 1);
        }
        // Bytes have blocks of 2 and of 16, and so on, and there are 11 patterns that widen and 7 that narrow.
        assert_eq!(rules.len(), 3 * 2 * 18);
        let plain = "(rule plain (from (add:u8x4 a:u8x4 b:u8x4)))";
        assert!(Laid::of(&instances(&read(plain).unwrap()[0], plain).unwrap()[0]).is_none());
    }
}
