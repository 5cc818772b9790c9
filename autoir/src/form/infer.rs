//! Parameters that follow from the types of operands.

use hydride_ir::{Atom, Function, Num, ParamId};

/// A parameter that follows from the type of an operand: `(quantity - rest) / factor`.
#[derive(Clone, Debug, PartialEq, Hash, Eq)]
pub struct Inference {
    /// The parameter.
    pub param: ParamId,
    /// The operand: its position among the results and then the arguments.
    pub operand: usize,
    /// What of its type is used.
    pub quantity: Quantity,
    /// What is subtracted, over parameters that were inferred before.
    pub rest: Num,
    /// What is divided by, over parameters that were inferred before.
    pub factor: Num,
}

/// A number that a type says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Quantity {
    /// The width of an element in bits.
    Element,
    /// The width of all elements in bits.
    Width,
}

/// Element and width of an operand, where they are over the function's parameters.
pub(super) type OperandNumbers = [Option<Num>; 2];

/// Types over parameters of which some were dropped.
pub(super) fn renumbered(types: &[Option<(Num, Num)>], used: &[bool]) -> Vec<OperandNumbers> {
    let new = |param: ParamId| used[..param.0 as usize].iter().filter(|used| **used).count() as u32;
    let number = |num: &Num| {
        let dropped = num.atoms().any(|atom| matches!(atom, Atom::Param(param) if !used[param.0 as usize]));
        let renumbered = num.substitute(|atom| match atom {
            Atom::Param(param) => Num::param(ParamId(new(param))),
            Atom::Index(index) => Num::index(index),
        });
        (!dropped).then_some(renumbered)
    };
    let pair = |(element, width): &(Num, Num)| [number(element), number(width)];
    types.iter().map(|operand| operand.as_ref().map_or([None, None], pair)).collect()
}

/// The parameters that follow from types (element and width of each operand, results first), each from those before it.
pub(super) fn inferences(function: &Function, types: &[OperandNumbers]) -> Vec<Inference> {
    let mut found: Vec<Inference> = Vec::new();
    let quantities = || {
        types.iter().enumerate().flat_map(|(operand, numbers)| {
            let quantities = [Quantity::Element, Quantity::Width].into_iter().zip(numbers);
            quantities.filter_map(move |(quantity, number)| Some((operand, quantity, number.as_ref()?)))
        })
    };
    loop {
        let known: Vec<ParamId> = found.iter().map(|inference| inference.param).collect();
        let params = (0..function.params.len() as u32).map(ParamId).filter(|param| !known.contains(param));
        let next = params.into_iter().find_map(|param| {
            quantities().find_map(|(operand, quantity, number)| {
                let (rest, factor) = solve(number, param, &known)?;
                Some(Inference { param, operand, quantity, rest, factor })
            })
        });
        match next {
            Some(inference) => found.push(inference),
            None => return found,
        }
    }
}

/// `rest` and `factor` with `number = factor * param + rest`, both over `known` parameters.
fn solve(number: &Num, param: ParamId, known: &[ParamId]) -> Option<(Num, Num)> {
    let (mut rest, mut factor) = (Num::constant(number.constant_part()), None);
    for (atoms, coefficient) in number.terms() {
        let others = atoms.iter().filter(|atom| **atom != Atom::Param(param));
        let mut product = Num::constant(coefficient);
        let mut powers = atoms.len();
        for atom in others {
            let Atom::Param(other) = atom else { return None };
            if !known.contains(other) {
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

    #[test]
    fn parameters_follow_from_elements_and_widths() {
        let text = "func @f[w = 8, n = 4, o = 0](%a: n*w + o) -> (%d: n*w) { %d[0 +: n*w] = %a[o +: n*w] }";
        let function = Function::parse(text).unwrap();
        let [w, n, o] = [0, 1, 2].map(|param| Num::param(ParamId(param)));
        let result = [Some(w.clone()), Some(n.clone() * w.clone())];
        let arg = [Some(w.clone()), Some(n.clone() * w.clone() + o)];
        let found = inferences(&function, &[result.clone(), arg]);
        let places: Vec<(u32, usize, Quantity)> = found
            .iter()
            .map(|inference| (inference.param.0, inference.operand, inference.quantity))
            .collect();
        assert_eq!(places, [(0, 0, Quantity::Element), (1, 0, Quantity::Width), (2, 1, Quantity::Width)]);
        assert_eq!((&found[2].rest, &found[2].factor), (&(n * w), &Num::constant(1)));
        assert_eq!(inferences(&function, &[result, [None, None]]).len(), 2, "the offset is in no type");
    }
}
