//! Whether values are the same on some inputs, which says no more than that a proof is worth its time.

use hydride_ir::Random;
use hydride_ir::exact::{Node, NodeId, Part, Replacements};

use super::Meaning;

/// Inputs on which two values are compared.
const SAMPLES: usize = 40;

impl Meaning<'_> {
    /// Whether two values are the same on each of a number of inputs: those at the ends of their ranges, those that they are
    /// compared with, and random ones.
    pub fn agree(&mut self, left: NodeId, right: NodeId) -> bool {
        let pair = (left.min(right), left.max(right));
        if let Some(known) = self.agreeing.get(&pair) {
            return *known;
        }
        let found = self.agree_on_inputs(left, right);
        self.agreeing.insert(pair, found);
        found
    }

    fn agree_on_inputs(&mut self, left: NodeId, right: NodeId) -> bool {
        let (mut args, mut compared) = (Vec::new(), Vec::new());
        for node in self.dag.reachable([left, right]) {
            match *self.dag.node(node) {
                Node::Arg(arg) => args.push(arg),
                Node::Eq(one, other) | Node::Lt(one, other) | Node::Le(one, other) => {
                    let constants = [one, other].map(|node| self.dag.as_i64(node));
                    compared.extend(constants.into_iter().flatten().map(i64::cast_unsigned));
                }
                _ => {}
            }
        }
        if args.is_empty() {
            return false;
        }
        compared.sort_unstable();
        compared.dedup();
        let mut random = Random::new(args.len() as u64);
        (0..SAMPLES).all(|number| {
            let mut replacements = Replacements::default();
            for arg in &args {
                let all = self.dag.arg_widths()[*arg as usize];
                // A whole leaf is wider than a word.
                let mut word = |low: u32| {
                    let width = (all - low).min(64);
                    let ones = u64::MAX >> (64 - width);
                    let ends =
                        [0, 1, ones, ones >> 1, (ones >> 1) + 1, random.word() & ones, random.word() & ones];
                    // What is seldom true is true of some of the numbers that it compares with.
                    let own = random.word() as usize % (compared.len() + 1);
                    let bits = match compared.get(own) {
                        _ if number < 5 => ends[number],
                        Some(own) if number % 2 == 0 => own & ones,
                        _ => random.pick(&ends),
                    };
                    Part { node: self.dag.int(bits), width }
                };
                let words: Vec<Part> = (0..all).step_by(64).map(&mut word).collect();
                let (arg, bits) = (self.dag.arg(*arg), self.dag.concat(&words));
                replacements.insert(arg, bits);
            }
            let (left, right) =
                (self.dag.replace(left, &mut replacements), self.dag.replace(right, &mut replacements));
            self.dag.as_int(left).is_some() && left == right
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::window::{Element, Meaning, Window};

    #[test]
    fn every_element_of_a_whole_leaf_is_tried() {
        let line = r#"{"name":"w","leaves":[{"name":"a","type":"u64x4","kind":"dense"}],"expr":"a:u64x4"}"#;
        let window = Window::read(line, 1).expect("a window");
        let mut meaning = Meaning::new(&window);
        for index in 0..4 {
            let element = meaning.element_bits(Element { leaf: 0, index });
            let (sign, low) =
                (meaning.dag.slice(element, 63, 1, false), meaning.dag.slice(element, 0, 16, false));
            assert!(!meaning.agree(sign, low), "element {index}");
            let (half, shifted) =
                (meaning.dag.slice(element, 32, 32, false), meaning.dag.slice(element, 63, 1, false));
            let top = meaning.dag.slice(half, 31, 1, false);
            assert!(meaning.agree(top, shifted), "element {index}");
        }
    }
}
