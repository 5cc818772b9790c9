//! The type scheme of an operation: which types are overloaded, and which follow from those.
//!
//! LLVM can relate a type to an overloaded one in a handful of ways ([`Relation`]). A relation is used
//! where it holds for every member of the class; among the choices with the fewest overloaded types
//! the one that overloads the results first is taken.

use autoir::{Facts, Op, ParamKind, ValueType};

/// How a type follows from an overloaded one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Relation {
    /// The same type.
    Match,
    /// As many elements, twice as wide.
    Extended,
    /// As many elements, half as wide.
    Truncated,
    /// Half as many elements of the same width.
    HalfElements,
    /// Twice as many elements, half as wide.
    Subdivide2,
    /// Four times as many elements, a quarter as wide.
    Subdivide4,
    /// As many elements of one bit.
    Mask,
    /// One element.
    Element,
}

impl Relation {
    /// Every relation, in order of preference.
    pub const ALL: &[Relation] = &[
        Relation::Match,
        Relation::Extended,
        Relation::Truncated,
        Relation::HalfElements,
        Relation::Subdivide2,
        Relation::Subdivide4,
        Relation::Mask,
        Relation::Element,
    ];

    /// By what it multiplies and divides the number and the width of elements.
    pub(crate) fn factors(self) -> ((u32, u32), (u32, u32)) {
        match self {
            Relation::Match | Relation::Mask | Relation::Element => ((1, 1), (1, 1)),
            Relation::Extended => ((1, 1), (2, 1)),
            Relation::Truncated => ((1, 1), (1, 2)),
            Relation::HalfElements => ((1, 2), (1, 1)),
            Relation::Subdivide2 => ((2, 1), (1, 2)),
            Relation::Subdivide4 => ((4, 1), (1, 4)),
        }
    }

    /// The type that follows from `base`; `None` if LLVM has none, or a different one (a vector of one
    /// element).
    pub fn apply(self, base: ValueType) -> Option<ValueType> {
        let ValueType { element, count, .. } = base;
        let vector = |count: u32, element: u32| {
            (base.is_vector() && count > 1).then_some(ValueType { element, count, ..base })
        };
        // A number has no format of another width that follows from its own.
        let divided = |by: u32| (element % by == 0 && !base.is_float()).then_some(element / by);
        match self {
            Self::Match => Some(base),
            Self::Extended => (!base.is_float()).then(|| ValueType::vector(count, element * 2)),
            Self::Truncated => Some(ValueType::vector(count, divided(2)?)),
            Self::HalfElements => vector((count % 2 == 0).then_some(count / 2)?, element),
            Self::Subdivide2 => vector(count * 2, divided(2)?),
            Self::Subdivide4 => vector(count * 4, divided(4)?),
            Self::Mask => Some(ValueType::vector(count, 1)),
            Self::Element => base.is_vector().then_some(ValueType { count: 1, ..base }),
        }
    }
}

/// The type of one result or argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// An overloaded type with its number, counted through results and arguments.
    Overload {
        /// The number that relations refer to.
        number: usize,
        /// Whether it is a vector for every member; else it is a scalar for some.
        vector: bool,
        /// Whether elements are floating-point numbers.
        float: bool,
    },
    /// A type that follows from overloaded type number `of`.
    Related {
        /// The relation.
        relation: Relation,
        /// The number of the overloaded type.
        of: usize,
    },
    /// An immediate operand of that many bits.
    Immediate(u32),
}

/// The types of an operation's results, arguments and parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scheme {
    /// One for each result.
    pub results: Vec<Slot>,
    /// One for each argument of the class.
    pub args: Vec<Slot>,
    /// The parameters that do not follow from types.
    pub attributes: Vec<Attribute>,
    /// Positions of the overloaded types among results and arguments, in their order.
    bases: Vec<usize>,
}

/// A parameter that is an immediate operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// Its position among the operation's parameters.
    pub param: usize,
    /// The width of the operand: 1 for signedness, 32 or 64 for numbers.
    pub width: u32,
}

/// Beyond this number of results and arguments every type is overloaded.
const MAX_SEARCH: usize = 12;

impl Scheme {
    /// Determines the scheme of an operation from the shapes of all its members.
    pub fn of(op: &Op) -> Self {
        let registers = std::iter::repeat_n(false, op.result_count());
        let immediate: Vec<bool> = registers.chain(op.args().map(|(_, immediate)| immediate)).collect();
        let mut instances: Vec<Vec<ValueType>> = op.known.iter().map(|known| types(&known.facts)).collect();
        instances.sort();
        instances.dedup();

        let registers: Vec<usize> = (0..immediate.len()).filter(|slot| !immediate[*slot]).collect();
        let bases = choose_bases(&registers, &instances);
        let mut slots = Vec::with_capacity(immediate.len());
        for (slot, immediate) in immediate.iter().enumerate() {
            slots.push(if *immediate {
                let wide = instances.iter().any(|types| types[slot].width() > 32);
                Slot::Immediate(if wide { 64 } else { 32 })
            } else {
                register_slot(slot, &bases, &instances)
            });
        }
        let args = slots.split_off(op.result_count());
        Self { results: slots, args, attributes: attributes(op), bases }
    }

    /// The shapes of the overloaded types for a member, in the order of their numbers.
    pub fn overloads(&self, facts: &Facts) -> Vec<ValueType> {
        let types = types(facts);
        self.bases.iter().map(|slot| types[*slot]).collect()
    }

    /// A scheme of given slots, for tests of what must not be generated.
    #[cfg(test)]
    pub(crate) fn with_slots(results: Vec<Slot>, args: Vec<Slot>, attributes: Vec<u32>) -> Self {
        let slots = results.iter().chain(&args).enumerate();
        let bases = slots.filter(|(_, slot)| matches!(slot, Slot::Overload { .. })).map(|(index, _)| index);
        let bases = bases.collect();
        let attributes = attributes.into_iter().enumerate();
        let attributes = attributes.map(|(param, width)| Attribute { param, width }).collect();
        Self { results, args, attributes, bases }
    }

    /// The number of overloaded types.
    pub fn overload_count(&self) -> usize {
        self.bases.len()
    }
}

fn types(facts: &Facts) -> Vec<ValueType> {
    facts.results.iter().chain(&facts.args).copied().collect()
}

fn register_slot(slot: usize, bases: &[usize], instances: &[Vec<ValueType>]) -> Slot {
    if let Some(number) = bases.iter().position(|base| *base == slot) {
        let all = |check: &dyn Fn(ValueType) -> bool| instances.iter().all(|types| check(types[slot]));
        let (vector, float) = (all(&ValueType::is_vector), all(&ValueType::is_float));
        return Slot::Overload { number, vector, float };
    }
    let related = relation(slot, bases, instances);
    let (relation, of) = related.expect("every type is overloaded or follows from one that is");
    Slot::Related { relation, of }
}

/// The preferred relation of a slot to one of the bases, and that base's number.
fn relation(slot: usize, bases: &[usize], instances: &[Vec<ValueType>]) -> Option<(Relation, usize)> {
    Relation::ALL.iter().find_map(|relation| {
        let holds = |base: &usize| instances.iter().all(|t| relation.apply(t[*base]) == Some(t[slot]));
        bases.iter().position(holds).map(|number| (*relation, number))
    })
}

/// The smallest set of slots from which all others follow; the earliest among equals.
fn choose_bases(registers: &[usize], instances: &[Vec<ValueType>]) -> Vec<usize> {
    if registers.len() > MAX_SEARCH {
        return registers.to_vec();
    }
    let covers = |bases: &[usize]| {
        registers.iter().all(|slot| bases.contains(slot) || relation(*slot, bases, instances).is_some())
    };
    for size in 0..registers.len() {
        let mut chosen = Vec::with_capacity(size);
        if let Some(found) = search(registers, size, &mut chosen, &covers) {
            return found;
        }
    }
    registers.to_vec()
}

/// The first set of `size` slots, in lexicographic order, that `covers` accepts.
fn search(
    registers: &[usize],
    size: usize,
    chosen: &mut Vec<usize>,
    covers: &dyn Fn(&[usize]) -> bool,
) -> Option<Vec<usize>> {
    if size == 0 {
        return covers(chosen).then(|| chosen.clone());
    }
    for (index, slot) in registers.iter().enumerate() {
        chosen.push(*slot);
        let found = search(&registers[index + 1..], size - 1, chosen, covers);
        chosen.pop();
        if found.is_some() {
            return found;
        }
    }
    None
}

fn attributes(op: &Op) -> Vec<Attribute> {
    let attribute = |param: usize| {
        let mut values = op.known.iter().map(|known| known.params[param]);
        let width = match op.param_kinds[param] {
            ParamKind::Signedness if values.clone().all(|value| value == 0 || value == 1) => 1,
            _ if values.all(|value| i32::try_from(value).is_ok()) => 32,
            _ => 64,
        };
        Attribute { param, width }
    };
    op.attributes().map(attribute).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const V4I32: ValueType = ValueType { element: 32, count: 4, exponent: 0 };

    #[test]
    fn relations_give_the_types_that_llvm_gives() {
        let expected = [
            (Relation::Match, Some(V4I32)),
            (Relation::Extended, Some(ValueType::vector(4, 64))),
            (Relation::Truncated, Some(ValueType::vector(4, 16))),
            (Relation::HalfElements, Some(ValueType::vector(2, 32))),
            (Relation::Subdivide2, Some(ValueType::vector(8, 16))),
            (Relation::Subdivide4, Some(ValueType::vector(16, 8))),
            (Relation::Mask, Some(ValueType::vector(4, 1))),
            (Relation::Element, Some(ValueType::scalar(32))),
        ];
        assert_eq!(expected.map(|(relation, _)| relation).as_slice(), Relation::ALL);
        for (relation, result) in expected {
            assert_eq!(relation.apply(V4I32), result, "{relation:?}");
        }
    }

    #[test]
    fn numbers_keep_their_format_or_have_no_relation() {
        let number = V4I32.with_exponent(8);
        let half = ValueType::vector(2, 32).with_exponent(8);
        let scalar = ValueType::scalar(32).with_exponent(8);
        for relation in Relation::ALL {
            let expected = match relation {
                Relation::Match => Some(number),
                Relation::HalfElements => Some(half),
                Relation::Element => Some(scalar),
                Relation::Mask => Some(ValueType::vector(4, 1)),
                _ => None,
            };
            assert_eq!(relation.apply(number), expected, "{relation:?}");
        }
    }

    #[test]
    fn scalars_and_pairs_have_fewer_relations() {
        let scalar = ValueType::scalar(8);
        assert_eq!(Relation::Extended.apply(scalar), Some(ValueType::scalar(16)));
        for relation in [Relation::HalfElements, Relation::Subdivide2, Relation::Element] {
            assert_eq!(relation.apply(scalar), None, "{relation:?}");
        }
        assert_eq!(Relation::HalfElements.apply(ValueType::vector(2, 64)), None);
        assert_eq!(Relation::Truncated.apply(ValueType::vector(8, 1)), None);
    }

    #[test]
    fn a_narrow_result_is_related_to_its_operand() {
        // Only the operand reaches the result (by division); the reverse has no relation.
        let instances = vec![vec![ValueType::vector(8, 16), V4I32, V4I32]];
        assert_eq!(choose_bases(&[0, 1, 2], &instances), [1]);
        let mixed = vec![instances[0].clone(), vec![V4I32, V4I32, V4I32]];
        assert_eq!(choose_bases(&[0, 1, 2], &mixed), [0, 1]);
    }
}
