//! Random values, of which every rewrite is compared with the value itself on random arguments.

use hydride_ir::Random;
use hydride_ir::exact::{Dag, Int, NodeId, Part, Replacements};

use crate::normal::normal;
use crate::rewrite::rewrites;

/// Graphs that are made, each with so many values.
const GRAPHS: usize = 4000;
const VALUES: usize = 40;

/// Arguments that values are compared on.
const ARGUMENTS: usize = 24;

/// Widths of the two arguments in bits.
const WIDTHS: &[u32] = &[8, 16, 32];

struct Builder {
    dag: Dag,
    random: Random,
    width: u32,
    values: Vec<NodeId>,
}

impl Builder {
    fn below(&mut self, bound: u64) -> u64 {
        self.random.word() % bound
    }

    fn any(&mut self) -> NodeId {
        let at = self.below(self.values.len() as u64) as usize;
        self.values[at]
    }

    /// Bits of a value, seldom any.
    fn bits(&mut self, of: NodeId) -> NodeId {
        let width = [1, self.width / 2, self.width, self.width + 1, 2 * self.width];
        let width = width[self.below(width.len() as u64) as usize];
        let low = [0, 0, 1, self.width / 2, self.width - 1, self.width];
        let low = low[self.below(low.len() as u64) as usize];
        let signed = self.below(2) == 0;
        self.dag.slice(of, low, width, signed)
    }

    /// A number that laws have conditions on: around a power of two.
    fn number(&mut self) -> Int {
        let power = Int::ONE << self.below(u64::from(self.width) + 2) as usize;
        power - Int::from(self.below(3)) + Int::ONE
    }

    fn next(&mut self) -> Option<NodeId> {
        let (a, b) = (self.any(), self.any());
        Some(match self.below(18) {
            0 | 1 => self.bits(a),
            2 => {
                let constant = self.number();
                self.dag.linear(&[(a, Int::ONE), (b, Int::ONE)], constant)
            }
            3 => {
                let constant = self.number();
                self.dag.linear(&[(a, Int::ONE)], constant)
            }
            4 => {
                let factor = Int::from(self.below(7)) - Int::from(3);
                self.dag.linear(&[(a, factor), (b, Int::ONE)], Int::ZERO)
            }
            5 => self.dag.mul(a, b),
            6 | 7 => {
                let count = self.below(u64::from(self.width) + 1);
                let count = self.dag.int(count);
                self.dag.shr(a, count)
            }
            8 => self.dag.min(a, b),
            9 => self.dag.max(a, b),
            10 => {
                let signed = self.below(2) == 0;
                self.dag.saturate(a, self.width, signed)
            }
            11 => {
                let condition = match self.below(3) {
                    0 => self.dag.lt(a, b),
                    1 => self.dag.le(a, b),
                    _ => self.dag.eq(a, b),
                };
                let (then, otherwise) = (self.any(), self.any());
                self.dag.select(condition, then, otherwise)
            }
            12 => {
                let divisor = self.below(12) + 1;
                let divisor = self.dag.int(divisor);
                self.dag.div(a, divisor)?
            }
            13 => {
                let (a, b) = (self.bits(a), self.bits(b));
                match self.below(3) {
                    0 => self.dag.and(a, b),
                    1 => self.dag.or(a, b),
                    _ => self.dag.xor(a, b),
                }
            }
            14 => {
                let count = self.below(u64::from(self.width) + 1);
                let count = self.dag.int(count);
                self.dag.shl(a, count)
            }
            15 => self.dag.abs(a),
            16 => {
                // A sum with half of what it is divided by, of which any bits are kept.
                let count = self.below(u64::from(self.width) + 1) as u32 + 1;
                let sum = self.dag.linear(&[(a, Int::ONE)], Int::ONE << (count - 1) as usize);
                let width = [1, self.width][self.below(2) as usize];
                let bits = self.dag.slice(sum, count, width, true);
                self.bits(bits)
            }
            _ => {
                let width = self.width;
                let part = |node| Part { node, width };
                let [low, high] = [a, b].map(|of| self.dag.slice(of, 0, width, false));
                self.dag.concat(&[part(low), part(high)])
            }
        })
    }
}

/// What values are for these arguments.
fn at(dag: &mut Dag, values: &[NodeId], arguments: [u64; 2]) -> Vec<NodeId> {
    let mut replacements = Replacements::default();
    for (arg, number) in (0..).zip(arguments) {
        let (arg, number) = (dag.arg(arg), dag.int(number));
        replacements.insert(arg, number);
    }
    values.iter().map(|value| dag.replace(*value, &mut replacements)).collect()
}

#[test]
fn rewrites_of_random_values_are_equal_to_them() {
    let mut compared = 0;
    for seed in 0..GRAPHS {
        let width = WIDTHS[seed % WIDTHS.len()];
        let dag = Dag::new(vec![width; 2]);
        let mut builder = Builder { dag, random: Random::new(seed as u64), width, values: Vec::new() };
        for arg in 0..2 {
            for signed in [false, true] {
                let value = builder.dag.arg_slice(arg, 0, width, signed);
                builder.values.push(value);
            }
        }
        for _ in 0..VALUES {
            let Some(value) = builder.next() else { continue };
            builder.values.push(value);
            let mut others = rewrites(&mut builder.dag, value);
            others.push(normal(&mut builder.dag, value));
            others.retain(|other| *other != value);
            if others.is_empty() {
                continue;
            }
            for other in others {
                compared += 1;
                for number in 0..ARGUMENTS as u64 {
                    let ends = [0, 1, (1 << width) - 1, 1 << (width - 1), (1 << (width - 1)) - 1];
                    let arguments = [0, 1].map(|arg| match number {
                        0..16 => ends[(number >> (2 * arg)) as usize % 5],
                        _ => builder.random.word() & ((1 << width) - 1),
                    });
                    let found = at(&mut builder.dag, &[value, other], arguments);
                    let dag = &builder.dag;
                    assert_eq!(
                        dag.as_int(found[0]),
                        dag.as_int(found[1]),
                        "seed {seed}, {arguments:x?}: {} and {}",
                        dag.show(value),
                        dag.show(other)
                    );
                }
            }
        }
    }
    assert!(compared > GRAPHS, "{compared} rewrites");
}
