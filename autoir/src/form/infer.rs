//! Parameters that follow from the types of operands.

use std::collections::BTreeMap;

use hydride_ir::{Atom, Function, Num, Op, ParamId};
use serde::{Deserialize, Serialize};

use super::Instance;
use crate::facts::{Facts, ParamKind, param_kinds};

/// A parameter that need not be written.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Inference {
    /// The parameter.
    pub param: ParamId,
    /// How its value is found.
    pub rule: Rule,
}

/// How a parameter follows from types.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Rule {
    /// `(said - rest) / factor`, both over parameters that were inferred before and attributes.
    Solved {
        /// What a type says.
        said: Said,
        /// What is subtracted.
        rest: Num,
        /// What is divided by.
        factor: Num,
    },
    /// A table: the value for what the keys are at each known instance.
    Listed {
        /// One or two of them.
        keys: Vec<Key>,
        /// The values by the keys' values.
        values: BTreeMap<Vec<i64>, i64>,
    },
}

/// What a table is looked up by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Key {
    /// What a type says.
    Said(Said),
    /// A sign among the attributes.
    Sign(ParamId),
}

/// A number that the type of an operand says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Said {
    /// The operand: its position among the results and then the arguments.
    pub operand: usize,
    /// What of its type is used.
    pub quantity: Quantity,
}

/// A number that a type says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Quantity {
    /// The width of an element in bits.
    Element,
    /// The width of all elements in bits.
    Width,
    /// The bits of an element's exponent; 0 for integers.
    Exponent,
}

impl Quantity {
    /// All of them, in the order of [`TypeNumbers`].
    const ALL: [Self; 3] = [Self::Element, Self::Width, Self::Exponent];
}

impl Said {
    /// The number at some types.
    pub fn at(self, facts: &Facts) -> i64 {
        let operand = facts.results.iter().chain(&facts.args).nth(self.operand);
        i64::from(operand.map_or(0, |operand| match self.quantity {
            Quantity::Element => operand.element,
            Quantity::Width => operand.width(),
            Quantity::Exponent => operand.exponent,
        }))
    }
}

impl Key {
    /// The number at some types and parameter values.
    fn at(self, facts: &Facts, params: &[i64]) -> i64 {
        match self {
            Self::Said(said) => said.at(facts),
            Self::Sign(param) => params[param.0 as usize],
        }
    }
}

impl Inference {
    /// The parameter's value at some types, given the values of the parameters inferred before and of attributes.
    pub fn value(&self, facts: &Facts, params: &[i64]) -> Option<i64> {
        match &self.rule {
            Rule::Solved { said, rest, factor } => {
                let number = |num: &Num| {
                    num.eval(|atom| match atom {
                        Atom::Param(param) => params[param.0 as usize],
                        Atom::Index(_) => 0,
                    })
                };
                said.at(facts).checked_sub(number(rest)?)?.checked_div(number(factor)?)
            }
            Rule::Listed { keys, values } => {
                let keys: Vec<i64> = keys.iter().map(|key| key.at(facts, params)).collect();
                values.get(&keys).copied()
            }
        }
    }
}

/// What an operand's type says, in the order of [`Quantity::ALL`], where it is over the function's parameters.
pub(super) type TypeNumbers = [Option<Num>; 3];

/// Types over parameters of which some were dropped.
pub(super) fn renumbered(types: &[Option<TypeNumbers>], used: &[bool]) -> Vec<TypeNumbers> {
    let new = |param: ParamId| used[..param.0 as usize].iter().filter(|used| **used).count() as u32;
    let number = |num: &Num| {
        let dropped = num.atoms().any(|atom| matches!(atom, Atom::Param(param) if !used[param.0 as usize]));
        let renumbered = num.substitute(|atom| match atom {
            Atom::Param(param) => Num::param(ParamId(new(param))),
            Atom::Index(index) => Num::index(index),
        });
        (!dropped).then_some(renumbered)
    };
    let own = |said: &Option<Num>| said.as_ref().and_then(number);
    let all = |said: &TypeNumbers| [own(&said[0]), own(&said[1]), own(&said[2])];
    types.iter().map(|operand| operand.as_ref().map_or([None, None, None], all)).collect()
}

/// The parameters that follow from types (those of each operand, results first), each from those before it
/// and from attributes: by solving what types say, and where that does not help by a table of all instances.
pub(super) fn inferences(
    function: &Function,
    types: &[TypeNumbers],
    instances: &[Instance],
) -> Vec<Inference> {
    let mut found: Vec<Inference> = Vec::new();
    let mut unknown: Vec<ParamId> = (0..function.params.len() as u32).map(ParamId).collect();
    while !unknown.is_empty() {
        let solved = unknown.iter().find_map(|param| Some((*param, solved(types, *param, &unknown)?)));
        let next = solved.or_else(|| {
            unknown.iter().find_map(|param| Some((*param, listed(function, *param, instances)?)))
        });
        // Where nothing follows, the first one is an attribute.
        let known = next.as_ref().map_or(unknown[0], |(param, _)| *param);
        unknown.retain(|param| *param != known);
        found.extend(next.map(|(param, rule)| Inference { param, rule }));
    }
    found
}

/// The first operand whose type determines a parameter.
fn solved(types: &[TypeNumbers], param: ParamId, unknown: &[ParamId]) -> Option<Rule> {
    types.iter().enumerate().find_map(|(operand, numbers)| {
        let mut quantities = Quantity::ALL.into_iter().zip(numbers);
        quantities.find_map(|(quantity, number)| {
            let (rest, factor) = solve(number.as_ref()?, param, unknown)?;
            Some(Rule::Solved { said: Said { operand, quantity }, rest, factor })
        })
    })
}

/// The table of a parameter with the fewest keys that determine it at every instance. Types do not say signs, nor
/// which part of an argument is read, even where no two instances of one type differ in them.
fn listed(function: &Function, param: ParamId, instances: &[Instance]) -> Option<Rule> {
    let kinds = param_kinds(function);
    let is_sign = |param: &ParamId| kinds[param.0 as usize] == ParamKind::Signedness;
    if is_sign(&param) || chooses_part(function, param) {
        return None;
    }
    let results = function.results.len();
    let args = (results..).zip(&function.args).filter(|(_, arg)| !arg.role.is_immediate());
    let registers = (0..results).chain(args.map(|(operand, _)| operand));
    let said =
        registers.flat_map(|operand| Quantity::ALL.map(|quantity| Key::Said(Said { operand, quantity })));
    let signs = (0..kinds.len() as u32).map(ParamId).filter(is_sign).map(Key::Sign);
    let keys: Vec<Key> = said.chain(signs).collect();
    let pairs = keys
        .iter()
        .enumerate()
        .flat_map(|(position, first)| keys[position + 1..].iter().map(move |second| vec![*first, *second]));
    keys.iter().map(|key| vec![*key]).chain(pairs).find_map(|keys| table(keys, param, instances))
}

/// The table by the given keys; none where two instances of the same keys have different values.
fn table(keys: Vec<Key>, param: ParamId, instances: &[Instance]) -> Option<Rule> {
    let mut values = BTreeMap::new();
    for Instance { params, facts } in instances {
        let value = params[param.0 as usize];
        let at = keys.iter().map(|key| key.at(facts, params)).collect();
        if *values.entry(at).or_insert(value) != value {
            return None;
        }
    }
    Some(Rule::Listed { keys, values })
}

/// Whether a parameter is in what is added to the positions of all slices of an argument.
fn chooses_part(function: &Function, param: ParamId) -> bool {
    function.exprs().iter().any(|expr| match &expr.op {
        Op::Extract { of, low } if matches!(function.expr(*of).op, Op::Arg(_)) => {
            let fixed = |atoms: &[Atom]| atoms.iter().all(|atom| matches!(atom, Atom::Param(_)));
            low.terms().any(|(atoms, _)| fixed(atoms) && atoms.contains(&Atom::Param(param)))
        }
        _ => false,
    })
}

/// `rest` and `factor` with `number = factor * param + rest`, neither over `unknown` parameters.
fn solve(number: &Num, param: ParamId, unknown: &[ParamId]) -> Option<(Num, Num)> {
    let (mut rest, mut factor) = (Num::constant(number.constant_part()), None);
    for (atoms, coefficient) in number.terms() {
        let others = atoms.iter().filter(|atom| **atom != Atom::Param(param));
        let mut product = Num::constant(coefficient);
        let mut powers = atoms.len();
        for atom in others {
            let Atom::Param(other) = atom else { return None };
            if unknown.contains(other) {
                return None;
            }
            product = product * Num::param(*other);
            powers -= 1;
        }
        match powers {
            0 => rest = rest + product,
            1 if factor.is_none() => factor = Some(product),
            _ => return None,
        }
    }
    Some((rest, factor?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::ValueType;

    #[test]
    fn parameters_follow_from_elements_and_widths() {
        let text = "func @f[w = 8, n = 4, o = 0](%a: n*w + o) -> (%d: n*w) { %d[0 +: n*w] = %a[o +: n*w] }";
        let function = Function::parse(text).unwrap();
        let [w, n, o] = [0, 1, 2].map(|param| Num::param(ParamId(param)));
        let result = [Some(w.clone()), Some(n.clone() * w.clone()), None];
        let arg = [Some(w.clone()), Some(n.clone() * w.clone() + o), None];
        let solved =
            |operand, quantity, rest, factor| Rule::Solved { said: Said { operand, quantity }, rest, factor };
        let (zero, one) = (Num::constant(0), Num::constant(1));
        let expected = [
            solved(0, Quantity::Element, zero.clone(), one.clone()),
            solved(0, Quantity::Width, zero, w.clone()),
            solved(1, Quantity::Width, n * w, one),
        ];
        let found = inferences(&function, &[result.clone(), arg], &[]);
        assert_eq!(found.iter().map(|inference| inference.param.0).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(found.into_iter().map(|inference| inference.rule).collect::<Vec<_>>(), expected);
        assert_eq!(
            inferences(&function, &[result, [None, None, None]], &[]).len(),
            2,
            "the offset is in no type"
        );
    }

    #[test]
    fn what_types_determine_is_listed() {
        let text = "func @f[w = 8, n = 4, s = 3, o = 0](%a: 64, %b: n*w) -> (%d: n*w) {\n\
                    for i in 0..n { %d[w*i +: w] = add(%a[o + w*i +: w], cast.u(%b[w*i +: s], w)) }\n}";
        let function = Function::parse(text).unwrap();
        let instance = |w: u32, s: i64, o: i64| {
            let register = ValueType::vector(64 / w, w);
            let facts = Facts { args: vec![register; 2], results: vec![register] };
            Instance { params: vec![w.into(), (64 / w).into(), s, o], facts }
        };
        let [w, n] = [0, 1].map(|param| Num::param(ParamId(param)));
        let types = vec![[Some(w.clone()), Some(n * w), None], [None, None, None], [None, None, None]];
        let instances = [instance(8, 3, 0), instance(16, 4, 8), instance(32, 5, 16)];
        let found = inferences(&function, &types, &instances);
        assert_eq!(found.len(), 3, "the offset is no matter of types");
        let values = [(8, 3), (16, 4), (32, 5)].map(|(key, value)| (vec![key], value)).into();
        let keys = vec![Key::Said(Said { operand: 0, quantity: Quantity::Element })];
        assert_eq!(found[2], Inference { param: ParamId(2), rule: Rule::Listed { keys, values } });
        for Instance { params, facts } in &instances {
            for inference in &found {
                assert_eq!(inference.value(facts, params), Some(params[inference.param.0 as usize]));
            }
        }
        // Two instances of one type with other values make it an attribute, from which others can follow.
        let differ = [instance(8, 3, 0), instance(8, 4, 0)];
        assert_eq!(inferences(&function, &types, &differ).len(), 2);
        let groups = |groups: i64| {
            let facts = Facts { args: vec![], results: vec![ValueType::vector(8, 8)] };
            Instance { params: vec![groups, 8 / groups], facts }
        };
        let text =
            "func @g[groups = 1, n = 8]() -> (%d: 8*groups*n) { %d[0 +: 8*groups*n] = int(0, 8*groups*n) }";
        let function = Function::parse(text).unwrap();
        let width = Num::param(ParamId(0)) * Num::param(ParamId(1)) * Num::constant(8);
        let types = [[Some(Num::constant(8)), Some(width), None]];
        let found = inferences(&function, &types, &[groups(1), groups(2)]);
        assert_eq!(found.iter().map(|inference| inference.param).collect::<Vec<_>>(), [ParamId(1)]);
    }
}
