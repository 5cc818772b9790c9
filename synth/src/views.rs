//! Other views of the same bits: registers as halves of pairs, containers as two of half the width, and every other container
//! as one of twice the width.

use hydride_ir::exact::{Int, Node, NodeId, Part};
use search::{Class, Type};

use crate::contents::{Content, Entry, States, Wanted, gather};
use crate::options::{Finder, MAX_CONTAINER, Way, in_order};
use crate::table::TemplateId;

impl Finder<'_, '_> {
    /// Pairs of registers as one register, and one as two.
    pub(crate) fn pairs(&mut self, states: &mut States, wanted: &Wanted, moves: u8, ways: &mut Vec<Way>) {
        let Some(widest) = self.widths.last().copied() else { return };
        let pair = Type { class: Class::Vector, width: 2 * widest };
        let pairs = self.table.instructions.iter().any(|own| own.result == pair);
        if wanted.ty.class != Class::Vector || !pairs {
            return;
        }
        if wanted.ty.width == widest && wanted.registers.len().is_multiple_of(2) {
            let joined = wanted.registers.chunks(2).map(|two| two.concat()).collect();
            let state = Wanted { ty: pair, container: wanted.container, registers: joined };
            ways.push(Way::Halves(states.intern(state, moves)));
        }
        if wanted.ty == pair {
            let split = |content: &Content| {
                content.chunks(content.len() / 2).map(<[Entry]>::to_vec).collect::<Vec<_>>()
            };
            let state = Wanted {
                ty: Type { width: widest, ..wanted.ty },
                container: wanted.container,
                registers: wanted.registers.iter().flat_map(split).collect(),
            };
            ways.push(Way::Pairs(states.intern(state, moves)));
        }
    }

    /// Each container as two of half the width, low bits first; `None` where high bits are nothing that an operation
    /// gives.
    pub(crate) fn halves(&mut self, wanted: &Wanted) -> Option<Wanted> {
        let half = wanted.container / 2;
        if wanted.registers.iter().flatten().any(|entry| matches!(entry, Entry::Element(_))) {
            return None;
        }
        for value in wanted.values() {
            let high = self.meaning.dag.slice(value, half, half, false);
            let there = !matches!(self.entry(high, half, 0), Entry::Value(..));
            let table = self.table;
            let given = |template: TemplateId| {
                table.template(template).slots.iter().all(|slot| *slot <= half || *slot > MAX_CONTAINER)
            };
            // What is bitwise, or chosen by one condition, is computed as a whole.
            let bitwise = matches!(
                self.meaning.dag.node(high),
                Node::And(_) | Node::Or(_) | Node::Xor(_) | Node::Not(_) | Node::Select(..)
            );
            // Narrower containers have no bits of wider products.
            let wide = self.product_width(value).is_some_and(|width| width > wanted.container);
            let computed = !bitwise
                && !wide
                && !self.is_converted(value, wanted.container)
                && self.matching(high, half).iter().any(|(template, _)| given(*template));
            if !there && !computed && !self.is_lookups(value, half) {
                return None;
            }
        }
        let mut registers = Vec::new();
        for content in &wanted.registers {
            let mut halves = Vec::with_capacity(2 * content.len());
            for entry in content {
                match *entry {
                    Entry::Any => halves.extend([Entry::Any, Entry::Any]),
                    Entry::Uniform(value) | Entry::Value(value, _) => {
                        let lane = if let Entry::Value(_, lane) = *entry { lane } else { 0 };
                        halves.push(self.entry(value, half, lane));
                        let high = self.meaning.dag.slice(value, half, half, false);
                        halves.push(self.entry(high, half, lane));
                    }
                    Entry::Element(element) => {
                        let (value, lane) = self.meaning.value_of(element);
                        let low = self.meaning.dag.slice(value, 0, half, false);
                        let high = self.meaning.dag.slice(value, half, half, false);
                        halves.extend([Entry::Value(low, lane), Entry::Value(high, lane)]);
                    }
                }
            }
            registers.push(halves);
        }
        Some(Wanted { ty: wanted.ty, container: half, registers })
    }

    /// Whether a value is bytes side by side that tables give, with as many of them in either half.
    pub(crate) fn is_lookups(&self, value: NodeId, half: u32) -> bool {
        let dag = &self.meaning.dag;
        let Node::Concat(parts) = dag.node(value) else { return false };
        let looked_up = |part: &Part| match *dag.node(part.node) {
            Node::Select(_, zero, chosen) => {
                dag.as_i64(zero) == Some(0) && matches!(dag.node(chosen), Node::SliceAt { .. })
            }
            _ => false,
        };
        half.is_multiple_of(8) && parts.iter().all(|part| part.width == 8 && looked_up(part))
    }

    /// Whether a value is the sign extension of its lower half, and the target extends.
    fn is_converted(&mut self, value: NodeId, container: u32) -> bool {
        let half = container / 2;
        let low = self.meaning.dag.slice(value, 0, half, true);
        let table = self.table;
        self.meaning.dag.slice(low, 0, container, false) == value
            && self.matching(value, container).iter().any(|(template, _)| {
                let slots = &table.template(*template).slots;
                matches!(slots[..], [slot] if slot <= half)
            })
    }

    /// Containers of twice the width, where every other one is open, in each way to fill the upper halves: with the bits that
    /// follow in what the value is bits of, with zeros, or with signs.
    pub(crate) fn wide(&mut self, wanted: &Wanted) -> Vec<Wanted> {
        let container = 2 * wanted.container;
        let open = |content: &Content| content.iter().skip(1).step_by(2).all(|entry| *entry == Entry::Any);
        let filled = |content: &Content| content.iter().step_by(2).any(|entry| *entry != Entry::Any);
        let fits = wanted.ty.class == Class::Vector && container <= 64;
        if !fits
            || !wanted.registers.iter().all(|content| content.len() > 1 && open(content))
            || !wanted.registers.iter().any(filled)
        {
            return Vec::new();
        }
        let mut found: Vec<Wanted> = Vec::new();
        let products = self.are_of_products(&wanted.values(), container);
        let dag = &self.meaning.dag;
        let parts = wanted.values().iter().all(|value| match dag.node(*value) {
            Node::Slice { of, .. } => matches!(dag.node(*of), Node::Arg(_)),
            _ => false,
        });
        let fillings: &[Filling] = match (products, parts) {
            (true, _) => &[Filling::Following, Filling::Zeros, Filling::Signs],
            (_, true) => &[Filling::Following, Filling::Signs],
            _ => &[Filling::Signs],
        };
        for filling in fillings {
            let registers: Option<Vec<Content>> = wanted
                .registers
                .iter()
                .map(|content| {
                    content
                        .iter()
                        .step_by(2)
                        .map(|entry| self.filled(*entry, wanted.container, *filling))
                        .collect()
                })
                .collect();
            let Some(registers) = registers else { continue };
            let wide = Wanted { ty: wanted.ty, container, registers };
            if !found.contains(&wide) {
                found.push(wide);
            }
        }
        found
    }

    /// The width of the product, or of the sum with one, that a value is bits of.
    fn product_width(&self, value: NodeId) -> Option<u32> {
        let dag = &self.meaning.dag;
        let mut of = value;
        for _ in 0..3 {
            of = match *dag.node(of) {
                Node::Slice { of, .. } | Node::Shr(of, _) | Node::Saturate { of, .. } => of,
                _ => of,
            };
        }
        let product = |node: NodeId| matches!(dag.node(node), Node::Mul(_));
        let is = match dag.node(of) {
            Node::Sum { terms, .. } => terms.iter().any(|(term, _)| product(*term)) || self.has_factor(of),
            _ => product(of),
        };
        dag.natural(of).filter(|_| is).map(|(width, _)| width)
    }

    /// Whether a value is bits of a product, or of a sum with one.
    pub(crate) fn is_of_product(&self, value: NodeId) -> bool {
        self.product_width(value).is_some()
    }

    /// Whether values are bits of products that containers of `width` bits hold.
    fn are_of_products(&self, values: &[NodeId], width: u32) -> bool {
        values.iter().all(|value| self.product_width(*value).is_some_and(|own| own <= width))
    }

    /// Whether a value is a multiple by more than a shift.
    fn has_factor(&self, value: NodeId) -> bool {
        match self.meaning.dag.node(value) {
            Node::Sum { terms, .. } => terms.iter().any(|(_, factor)| {
                let factor = if factor < &Int::ZERO { -factor } else { factor.clone() };
                factor > Int::from(255)
            }),
            _ => false,
        }
    }

    /// A container of `2·half` bits whose low bits are those of an entry of `half` bits.
    fn filled(&mut self, entry: Entry, half: u32, filling: Filling) -> Option<Entry> {
        let (value, lane) = match entry {
            Entry::Any => return Some(Entry::Any),
            Entry::Uniform(value) => (value, 0),
            Entry::Value(value, lane) => (value, lane),
            Entry::Element(element) => self.meaning.value_of(element),
        };
        let dag = &mut self.meaning.dag;
        // What is narrower than its container is followed by zeros already.
        let sliced = match *dag.node(value) {
            Node::Slice { width, .. } if width < half => None,
            Node::Slice { of, low, .. } => match *dag.node(of) {
                Node::Arg(arg) => (low + 2 * half <= dag.arg_widths()[arg as usize]).then_some((of, low)),
                _ => Some((of, low)),
            },
            _ => None,
        };
        let wide = match (filling, sliced) {
            (Filling::Following, Some((of, low))) => dag.slice(of, low, 2 * half, false),
            (Filling::Zeros, Some((of, low))) if low > 0 && low < 2 * half => {
                dag.slice(of, low, 2 * half - low, false)
            }
            (Filling::Zeros, None) if matches!(entry, Entry::Uniform(_) | Entry::Value(..)) => value,
            (Filling::Signs, _) if half == 32 => dag.slice(value, 0, half, true),
            _ => return None,
        };
        Some(self.entry(wide, 2 * half, lane))
    }

    /// Containers of twice the width, where the lower half of each is open: values whose upper half is what is wanted.
    pub(crate) fn with_high_halves(&mut self, wanted: &Wanted) -> Option<Wanted> {
        let half = wanted.container;
        if wanted.ty.class != Class::Vector || half >= 64 {
            return None;
        }
        let mut registers = Vec::new();
        for content in &wanted.registers {
            let mut wide = Vec::new();
            for two in content.chunks(2) {
                wide.push(match *two {
                    [Entry::Any, Entry::Any] => Entry::Any,
                    [Entry::Any, Entry::Value(value, lane)] => {
                        let dag = &mut self.meaning.dag;
                        let (of, low) = match *dag.node(value) {
                            Node::Slice { of, low, width, .. } if width >= half => (of, low),
                            Node::Shr(of, count) => (of, u32::try_from(dag.as_i64(count)?).ok()?),
                            _ => (value, 0),
                        };
                        let whole = if low >= half {
                            dag.slice(of, low - half, 2 * half, false)
                        } else {
                            if matches!(dag.node(of), Node::Arg(_)) {
                                return None;
                            }
                            let moved = dag.linear(&[(of, Int::ONE << (half - low) as usize)], Int::ZERO);
                            dag.slice(moved, 0, 2 * half, false)
                        };
                        self.entry(whole, 2 * half, lane)
                    }
                    // Elements that are one place from where they are in memory.
                    [Entry::Any, Entry::Element(element)] if in_order(content) => {
                        let (value, lane) = self.meaning.value_of(element);
                        let moved = self.meaning.dag.linear(&[(value, Int::ONE << half as usize)], Int::ZERO);
                        self.entry(moved, 2 * half, lane)
                    }
                    _ => return None,
                });
            }
            registers.push(wide);
        }
        let some = registers.iter().flatten().any(|entry| *entry != Entry::Any);
        some.then_some(Wanted { ty: wanted.ty, container: 2 * half, registers })
    }

    /// Values of every other lane in one register each: what is computed in containers of twice the width, and what is shifted by
    /// one count for all lanes.
    pub(crate) fn alternated(
        &mut self,
        states: &mut States,
        wanted: &Wanted,
        moves: u8,
        ways: &mut Vec<Way>,
    ) {
        let both = |content: &Content| {
            let some = |from: usize| content.iter().skip(from).step_by(2).any(|entry| *entry != Entry::Any);
            some(0) && some(1)
        };
        let values =
            wanted.registers.iter().flatten().all(|entry| matches!(entry, Entry::Any | Entry::Value(..)));
        if wanted.ty.class != Class::Vector || !values || moves == 0 || !wanted.registers.iter().any(both) {
            return;
        }
        let all = wanted.values();
        if wanted.container <= 32 && !self.are_of_products(&all, 2 * wanted.container)
            || wanted.container > 32 && !self.is_shifted_apart(wanted)
        {
            return;
        }
        let table = self.table;
        for op in table.alternating(wanted.container) {
            let own = table.op(*op);
            if own.result != wanted.ty {
                continue;
            }
            let mut contents = [Vec::new(), Vec::new()];
            for content in &wanted.registers {
                let mut operands = [vec![Entry::Any; content.len()], vec![Entry::Any; content.len()]];
                for (entry, reads) in content.iter().zip(&own.reads) {
                    let (arg, low) = reads[0];
                    operands[arg as usize][(low / wanted.container) as usize] = *entry;
                }
                contents.iter_mut().zip(operands).for_each(|(all, own)| all.push(own));
            }
            // The lanes of each operand are computed in their own way.
            let [first, second] =
                contents.map(|own| gather(states, wanted.ty, wanted.container, own, moves - 1));
            let steps =
                first.into_iter().zip(second).map(|(first, second)| (*op, vec![first, second])).collect();
            ways.push(Way::Apply(steps));
        }
    }
}

/// What is above the bits that are wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Filling {
    /// The bits that follow.
    Following,
    /// Zeros.
    Zeros,
    /// The sign.
    Signs,
}
