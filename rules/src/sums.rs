//! Sums of products, flat: what a window adds up in any nesting is added up in pairs of products too, so that rules for two products
//! find their operands.
//!
//! ```text
//! add(shift_left(cast a, 1), widen_right_add(cast b, c))  =  add(add(widening_mul(a, 2), widening_mul(b, 1)), cast c)
//! ```
//!
//! Only the low bits of a sum count, so that any order and any grouping of its terms is the same value. A product of one factor that is a
//! literal is also its shift, or the operand itself.

use std::collections::BTreeMap;

use synth::window::{Kind, Lanewise, Type, limits};

use crate::graph::{Class, Computes, Graph, Head, Node};
use crate::instance::WIDTHS;

/// Terms of a sum, at most.
const MAX_TERMS: usize = 48;

/// Nodes that are looked at for one sum, at most.
const MAX_VISITED: usize = 256;

/// A product of two values of half the sum's width, or a value: of half the width, or of all of it.
type Product = (Class, Option<Class>);

/// A sum of multiples, modulo two to the width.
#[derive(Default)]
struct Sum {
    terms: BTreeMap<Product, i128>,
    constant: i128,
    visited: usize,
}

/// What an operation adds up, each with its factor: values of the sum's width, and products of half of it.
struct Linear {
    whole: Vec<(Class, i128)>,
    narrow: Vec<(Product, i128)>,
}

/// A product of two values of half the width, which is added to a sum or taken from it.
#[derive(Clone, Copy)]
struct Factors {
    left: Class,
    right: Class,
    /// The literal that `right` is.
    literal: Option<i128>,
}

impl Graph<'_, '_> {
    /// Adds to each of the window's sums the same as a sum of pairs of products.
    pub fn regroup(&mut self) {
        let mut sums: Vec<(Class, Sum)> = Vec::new();
        for class in self.sums() {
            let mut sum = Sum::default();
            if self.collect(class, 1, &mut sum).is_some() {
                sums.push((class, sum));
            }
        }
        // In how many sums a value is added as it is.
        let mut shared: BTreeMap<Class, usize> = BTreeMap::new();
        for (_, sum) in &sums {
            for (product, _) in sum.terms.iter().filter(|(_, factor)| factor.abs() == 1) {
                *shared.entry(product.0).or_default() += 1;
            }
        }
        for (class, sum) in &sums {
            self.paired(*class, sum, &shared);
        }
    }

    /// Values that are added up from others and are no terms of a sum themselves.
    fn sums(&self) -> Vec<Class> {
        let classes = self.classes();
        let (mut inner, mut outer) = (vec![false; classes.len()], vec![false; classes.len()]);
        let place = |class: Class| classes.binary_search(&class).ok();
        for class in &classes {
            for node in self.members(*class) {
                let whole = self.linear(node).map_or(Vec::new(), |own| own.whole);
                for operand in &node.operands {
                    let operand = self.find(*operand);
                    let is_term = whole.iter().any(|(own, _)| *own == operand);
                    if let Some(at) = place(operand) {
                        if is_term { inner[at] = true } else { outer[at] = true }
                    }
                }
            }
        }
        let is_sum = |class: &Class| self.members(*class).any(|node| self.linear(node).is_some());
        let all = classes.iter().enumerate();
        all.filter(|(at, class)| (!inner[*at] || outer[*at]) && is_sum(class))
            .map(|(_, class)| *class)
            .collect()
    }

    /// What a node adds up; `None` where it does something else.
    fn linear(&self, node: &Node) -> Option<Linear> {
        let Computes::Operation(Head::Lanewise(operator)) = node.computes else { return None };
        let width = node.ty.width;
        if node.ty.lanes < 2 || node.ty.kind == Kind::Condition || ![16, 32, 64].contains(&width) {
            return None;
        }
        let operand = |at: usize| node.operands.get(at).map(|class| self.find(*class));
        let (left, right) = (operand(0)?, operand(1));
        let literal = |class: Option<Class>| self.literal(class?);
        let power = |class: Option<Class>| {
            let count = u32::try_from(literal(class)?).ok().filter(|count| *count < width)?;
            Some(1i128 << count)
        };
        let whole = |whole: Vec<(Class, i128)>| Some(Linear { whole, narrow: Vec::new() });
        let narrow = |narrow: Vec<(Product, i128)>| Some(Linear { whole: Vec::new(), narrow });
        match operator {
            Lanewise::Add => whole(vec![(left, 1), (right?, 1)]),
            Lanewise::Sub => whole(vec![(left, 1), (right?, -1)]),
            Lanewise::Mul => match (literal(Some(left)), literal(right)) {
                (_, Some(factor)) => whole(vec![(left, factor)]),
                (Some(factor), None) => whole(vec![(right?, factor)]),
                _ => None,
            },
            Lanewise::ShiftLeft => whole(vec![(left, power(right)?)]),
            Lanewise::Cast | Lanewise::Reinterpret => match self.ty(left) {
                Type { kind: Kind::Condition, .. } => None,
                ty if ty.width == width => whole(vec![(left, 1)]),
                ty if 2 * ty.width == width => narrow(vec![((left, None), 1)]),
                _ => None,
            },
            Lanewise::WideningAdd => narrow(vec![((left, None), 1), ((right?, None), 1)]),
            Lanewise::WideningSub => narrow(vec![((left, None), 1), ((right?, None), -1)]),
            Lanewise::WideningShiftLeft => narrow(vec![((left, None), power(right)?)]),
            Lanewise::WideningMul => narrow(vec![match (literal(Some(left)), literal(right)) {
                (_, Some(factor)) => ((left, None), factor),
                (Some(factor), None) => ((right?, None), factor),
                _ => ((left, right), 1),
            }]),
            Lanewise::WidenRightAdd | Lanewise::WidenRightSub => {
                let factor = if operator == Lanewise::WidenRightAdd { 1 } else { -1 };
                Some(Linear { whole: vec![(left, 1)], narrow: vec![((right?, None), factor)] })
            }
            _ => None,
        }
    }

    /// Adds a multiple of a value to a sum; `None` where the sum is too large.
    fn collect(&self, class: Class, factor: i128, sum: &mut Sum) -> Option<()> {
        let class = self.find(class);
        sum.visited += 1;
        if sum.visited > MAX_VISITED {
            return None;
        }
        let width = self.ty(class).width;
        let wrapped = |factor: i128| {
            let (all, half) = (1i128 << width, 1i128 << (width - 1));
            (factor + half).rem_euclid(all) - half
        };
        let mut add = |product: Product, factor: i128| {
            let own = sum.terms.entry(product).or_default();
            *own = wrapped(own.checked_add(factor)?);
            Some(())
        };
        if let Some(value) = self.literal(class) {
            sum.constant = wrapped(sum.constant + wrapped(value).checked_mul(factor)?);
            return Some(());
        }
        let Some(Linear { whole, narrow }) = self.members(class).find_map(|node| self.linear(node)) else {
            return add((class, None), factor);
        };
        for (product, own) in narrow {
            add(product, wrapped(own.checked_mul(factor)?))?;
        }
        for (class, own) in whole {
            self.collect(class, wrapped(own.checked_mul(factor)?), sum)?;
        }
        Some(())
    }

    /// Adds a sum in pairs, and one product after the other, to a class.
    fn paired(&mut self, class: Class, sum: &Sum, shared: &BTreeMap<Class, usize>) {
        let ty = self.ty(class);
        let signed = Type { kind: Kind::Signed, ..ty };
        let half = ty.width / 2;
        let mut products: Vec<Factors> = Vec::new();
        // What is added and what is subtracted at full width.
        let mut others: Vec<(Class, bool)> = Vec::new();
        let terms: Vec<(Product, i128)> =
            sum.terms.iter().filter(|term| *term.1 != 0).map(|(own, factor)| (*own, *factor)).collect();
        let is_narrow = |graph: &Self, product: &Product| graph.ty(product.0).width == half;
        let count = terms.iter().filter(|(product, _)| is_narrow(self, product)).count();
        if count < 2 || terms.len() > MAX_TERMS || !WIDTHS.contains(&half) {
            return;
        }
        for (product, factor) in terms {
            let narrow = is_narrow(self, &product);
            match product {
                (left, None) if narrow => match self.factor(left, factor) {
                    Some(right) => products.push(Factors { left, right, literal: Some(factor) }),
                    None => {
                        let wide = self.lanewise(Lanewise::Cast, &[left], signed);
                        let own = self.multiple(wide, factor, signed);
                        others.push(own);
                    }
                },
                (left, Some(right)) if factor == 1 => products.push(Factors { left, right, literal: None }),
                (left, Some(right)) => {
                    let wide = self.product(left, right);
                    let wide = self.lanewise(Lanewise::Cast, &[wide], signed);
                    let own = self.multiple(wide, factor, signed);
                    others.push(own);
                }
                (of, None) => {
                    let own = self.lanewise(Lanewise::Cast, &[of], signed);
                    let own = self.multiple(own, factor, signed);
                    others.push(own);
                }
            }
        }
        if sum.constant != 0 {
            others.push((self.literal_class(sum.constant, signed, ty.lanes), false));
        }
        // Products of the same types side by side; what is added as it is in several sums comes last, and may stay alone.
        let (types, uses) = (
            |graph: &Self, own: &Factors| {
                let ty = |class: Class| (graph.ty(class).kind, graph.ty(class).width);
                (ty(own.left), ty(own.right))
            },
            |own: &Factors| match own.literal {
                Some(1 | -1) => 1 + shared.get(&own.left).copied().unwrap_or(0),
                _ => 0,
            },
        );
        products.sort_by_key(|own| (types(self, own), uses(own), own.left, own.right));
        let mut pairs: Vec<(Class, bool)> = Vec::new();
        let mut singles: Vec<(Class, bool)> = Vec::new();
        let mut at = 0;
        while let Some(first) = products.get(at).copied() {
            let own = self.single(first, signed);
            let next = products.get(at + 1).copied().filter(|next| types(self, next) == types(self, &first));
            match next {
                None => {
                    let alone = self.alone(first, own, signed);
                    pairs.push(alone);
                    singles.push(alone);
                    at += 1;
                }
                Some(next) => {
                    let other = self.single(next, signed);
                    let kind = self.ty(own).kind;
                    let pair = self.lanewise(Lanewise::Add, &[own, other], Type { kind, ..signed });
                    let pair = self.lanewise(Lanewise::Cast, &[pair], signed);
                    pairs.push((pair, false));
                    for (factors, own) in [(first, own), (next, other)] {
                        let alone = self.alone(factors, own, signed);
                        singles.push(alone);
                    }
                    at += 2;
                }
            }
        }
        // What is added as it is comes first where products are added one after the other: then each of the others is one more.
        singles.reverse();
        let totals = [pairs, singles].map(|parts| {
            let all: Vec<(Class, bool)> = others.iter().copied().chain(parts).collect();
            self.total(&all, signed)
        });
        self.join(totals[0], totals[1]);
        let total = self.lanewise(Lanewise::Cast, &[totals[0]], ty);
        self.join(class, total);
    }

    /// The literal by which a narrow value is multiplied: one with a sign where that is possible.
    fn factor(&mut self, value: Class, factor: i128) -> Option<Class> {
        let ty = self.ty(value);
        let kinds: &[Kind] = match ty.kind {
            Kind::Unsigned => &[Kind::Signed, Kind::Unsigned],
            _ => &[Kind::Signed],
        };
        let fits = |kind: &&Kind| {
            let (low, high) = limits(Type { kind: **kind, ..ty });
            (low..=high).contains(&factor)
        };
        let kind = *kinds.iter().find(fits)?;
        Some(self.literal_class(factor, Type { kind, ..ty }, ty.lanes))
    }

    /// A multiple of a value of full width, and whether it is taken from the sum instead of added.
    fn multiple(&mut self, value: Class, factor: i128, ty: Type) -> (Class, bool) {
        match factor {
            1 | -1 => (value, factor < 0),
            _ => {
                let literal = self.literal_class(factor, ty, ty.lanes);
                (self.lanewise(Lanewise::Mul, &[value, literal], ty), false)
            }
        }
    }

    /// The product of two narrow values, with a sign where one of them has one.
    fn product(&mut self, left: Class, right: Class) -> Class {
        let (own, other) = (self.ty(left), self.ty(right));
        let kind = if own.kind == Kind::Signed { Kind::Signed } else { other.kind };
        self.lanewise(Lanewise::WideningMul, &[left, right], Type { kind, width: 2 * own.width, ..own })
    }

    /// A product, and the same in other words where one factor is a literal.
    fn single(&mut self, own: Factors, signed: Type) -> Class {
        let product = self.product(own.left, own.right);
        if let Some(factor) = own.literal.filter(|factor| *factor != -1) {
            let ty = Type { kind: self.ty(product).kind, ..signed };
            let wide = self.lanewise(Lanewise::Cast, &[own.left], ty);
            let other = match factor {
                1 => wide,
                _ if factor > 0 && factor & (factor - 1) == 0 => {
                    let count = i128::from(factor.trailing_zeros());
                    let count = self.literal_class(count, Type { kind: Kind::Unsigned, ..ty }, ty.lanes);
                    self.lanewise(Lanewise::ShiftLeft, &[wide, count], ty)
                }
                _ => self.multiple(wide, factor, ty).0,
            };
            self.join(product, other);
            // Where nothing is negative it is a product of numbers without a sign too.
            let (left, right) = (self.ty(own.left), self.ty(own.right));
            if factor >= 0 && left.kind == Kind::Unsigned && right.kind == Kind::Signed {
                let right = self.literal_class(factor, left, left.lanes);
                let other = self.product(own.left, right);
                let other = self.lanewise(Lanewise::Cast, &[other], ty);
                self.join(product, other);
            }
        }
        self.find(product)
    }

    /// A product that is added by itself, and whether it is taken from the sum instead.
    fn alone(&mut self, own: Factors, product: Class, signed: Type) -> (Class, bool) {
        match own.literal {
            Some(-1) => (self.lanewise(Lanewise::Cast, &[own.left], signed), true),
            _ => (self.lanewise(Lanewise::Cast, &[product], signed), false),
        }
    }

    /// What is added less what is subtracted, one after the other.
    fn total(&mut self, parts: &[(Class, bool)], ty: Type) -> Class {
        let mut total = None;
        for (class, _) in parts.iter().filter(|part| !part.1) {
            total = Some(match total {
                None => *class,
                Some(total) => self.lanewise(Lanewise::Add, &[total, *class], ty),
            });
        }
        let mut total = total.unwrap_or_else(|| self.literal_class(0, ty, ty.lanes));
        for (class, _) in parts.iter().filter(|part| part.1) {
            total = self.lanewise(Lanewise::Sub, &[total, *class], ty);
        }
        total
    }

    /// An operation; a cast to the type that a value has is the value.
    fn lanewise(&mut self, operator: Lanewise, operands: &[Class], ty: Type) -> Class {
        if operator == Lanewise::Cast && self.ty(operands[0]) == ty {
            return operands[0];
        }
        let computes = Computes::Operation(Head::Lanewise(operator));
        self.add(Node { computes, ty, operands: operands.to_vec() })
    }
}

#[cfg(test)]
mod tests {
    use hydride_ir::Random;
    use synth::window::{Expressions, Leaf, Meaning, Names, Operator, Window, parse};

    use super::*;
    use crate::instance::{Instance, instances};
    use crate::text::read;

    fn window(leaves: &[(&str, &str)], text: &str) -> Window {
        let leaf = |(name, ty): &(&str, &str)| {
            let ty = Type::parse(ty).unwrap();
            Leaf { name: (*name).into(), ty, scalar: ty.lanes == 1, in_memory: false, range: None }
        };
        let leaves: Vec<Leaf> = leaves.iter().map(leaf).collect();
        let names: Names<'_> =
            leaves.iter().enumerate().map(|(at, own)| (own.name.as_str(), (at, own.ty))).collect();
        let mut expressions = Expressions::default();
        let root = parse(text, &names, &mut expressions).unwrap();
        Window {
            name: "sum".into(),
            target: String::new(),
            leaves,
            root,
            expressions,
            in_registers: false,
            number: false,
            assumptions: Vec::new(),
            reference: None,
        }
    }

    fn pattern(text: &str) -> Instance {
        instances(&read(text).unwrap()[0], text).unwrap().remove(0)
    }

    fn wrapped(value: i128, ty: Type) -> i128 {
        let all = 1i128 << ty.width;
        let low = value.rem_euclid(all);
        if ty.kind == Kind::Signed && low >= all / 2 { low - all } else { low }
    }

    /// What a node is worth in one lane.
    fn value(graph: &Graph<'_, '_>, node: &Node, leaves: &[i128]) -> i128 {
        let of = |at: usize| {
            let class = graph.find(node.operands[at]);
            value(graph, graph.members(class).next().unwrap(), leaves)
        };
        let exact = match node.computes {
            Computes::Leaf(leaf) => leaves[leaf],
            Computes::Literal(value) => value,
            Computes::Broadcast => of(0),
            Computes::Operation(Head::Lanewise(operator)) => match operator {
                Lanewise::Cast => of(0),
                Lanewise::Add | Lanewise::WideningAdd | Lanewise::WidenRightAdd => of(0) + of(1),
                Lanewise::Sub | Lanewise::WideningSub | Lanewise::WidenRightSub => of(0) - of(1),
                Lanewise::Mul | Lanewise::WideningMul => of(0) * of(1),
                Lanewise::ShiftLeft | Lanewise::WideningShiftLeft => of(0) << of(1),
                Lanewise::Absd => (of(0) - of(1)).abs(),
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        };
        wrapped(exact, node.ty)
    }

    /// Asserts that all nodes of each class have one value for random leaves.
    fn is_sound(graph: &Graph<'_, '_>) {
        let mut random = Random::new(1);
        for _ in 0..50 {
            let leaves: Vec<i128> = graph
                .window()
                .leaves
                .iter()
                .map(|leaf| wrapped(i128::from(random.word()), leaf.ty))
                .collect();
            for class in graph.classes() {
                let all: Vec<i128> = graph.members(class).map(|node| value(graph, node, &leaves)).collect();
                assert!(all.iter().all(|own| *own == all[0]), "{all:?}");
            }
        }
    }

    const BYTES: [(&str, &str); 5] =
        [("a", "u8x16"), ("b", "u8x16"), ("c", "u8x16"), ("d", "u8x16"), ("s", "i8")];

    #[test]
    fn sums_in_any_nesting_are_pairs_of_products() {
        let pair = pattern(
            "(rule pair (uniform x) (uniform y) (range x -64 64) (range y -64 64)
               (from (add:i16 (widening_mul:i16 p:u8 x:i8) (widening_mul:i16 q:u8 y:i8))))",
        );
        let recast = |instance: &Instance| (instance.window.ty().kind, instance.window.ty().width);
        assert_eq!(recast(&pair), (Kind::Signed, 16));
        for text in [
            "(add:i16x16 (shift_left:i16x16 (cast:i16x16 a:u8x16) (broadcast:u16x16 2:u16)) (cast:i16x16 b:u8x16))",
            "(cast:i16x16 (widen_right_sub:u16x16 (cast:u16x16 (mul:i16x16 (broadcast:i16x16 3:i16) (cast:i16x16 a:u8x16))) b:u8x16))",
            "(sub:i16x16 (broadcast:i16x16 0:i16) (widening_add:i16x16 a:u8x16 b:u8x16))",
            "(add:i16x16 (widening_mul:i16x16 a:u8x16 (broadcast:i8x16 s:i8)) (widening_mul:i16x16 b:u8x16 (broadcast:i8x16 s:i8)))",
        ] {
            let window = window(&BYTES, text);
            let mut meaning = Meaning::new(&window);
            let mut graph = Graph::new(&mut meaning);
            graph.regroup();
            is_sound(&graph);
            let (root, mut pair) = (graph.root, pair.clone());
            if text.contains("s:i8") {
                // Of a scalar nothing is known.
                assert!(graph.matched(&pair, pair.window.root, root).is_none());
                pair.window.leaves.iter_mut().for_each(|leaf| leaf.range = None);
            }
            assert!(graph.matched(&pair, pair.window.root, root).is_some(), "{text}");
        }
    }

    #[test]
    fn regrouped_sums_have_the_same_value() {
        for text in [
            // More terms, of which two are alike, and a constant.
            "(add:u16x16 (widening_add:u16x16 a:u8x16 b:u8x16) (add:u16x16 (widening_shift_left:u16x16 c:u8x16 (broadcast:u8x16 3:u8)) \
               (widen_right_add:u16x16 (broadcast:u16x16 40000:u16) a:u8x16)))",
            // A factor that no byte holds, one that only a byte without sign holds, and terms that cancel.
            "(sub:i16x16 (add:i16x16 (mul:i16x16 (cast:i16x16 a:u8x16) (broadcast:i16x16 -300:i16)) \
               (widening_mul:i16x16 b:u8x16 (broadcast:u8x16 200:u8))) (widening_sub:i16x16 c:u8x16 c:u8x16))",
            // A difference within another operation; products of two values are not multiplied out.
            "(absd:u16x16 (widening_add:u16x16 a:u8x16 b:u8x16) (add:u16x16 (widening_mul:u16x16 c:u8x16 d:u8x16) \
               (widening_add:u16x16 a:u8x16 d:u8x16)))",
            "(sub:i16x16 (sub:i16x16 (cast:i16x16 a:u8x16) (widening_mul:i16x16 b:u8x16 (broadcast:i8x16 s:i8))) (cast:i16x16 c:u8x16))",
        ] {
            let window = window(&BYTES, text);
            let mut meaning = Meaning::new(&window);
            let mut graph = Graph::new(&mut meaning);
            let before = graph.classes().len();
            graph.regroup();
            assert!(graph.classes().len() > before && graph.classes().len() < 9 * before, "{text}");
            is_sound(&graph);
        }
    }

    #[test]
    fn sums_that_grow_without_end_are_left_alone() {
        let mut text = "(cast:i16x16 a:u8x16)".to_owned();
        let mut lets = String::new();
        for at in 0..12 {
            lets += &format!("(let t{at} {text} ");
            text = format!("(add:i16x16 t{at}:i16x16 t{at}:i16x16)");
        }
        let text = format!("{lets}{text}{}", ")".repeat(12));
        let window = window(&BYTES, &text);
        let mut meaning = Meaning::new(&window);
        let mut graph = Graph::new(&mut meaning);
        let before = graph.classes().len();
        graph.regroup();
        assert_eq!(graph.classes().len(), before);
        assert!(matches!(window.expressions.get(window.root).operator, Operator::Lanewise(Lanewise::Add)));
    }
}
