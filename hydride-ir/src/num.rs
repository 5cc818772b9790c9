//! Integer expressions: the numbers of the IR (widths, positions, counts, signedness flags).
//!
//! They range over a function's numeric parameters and the loop indices in scope, and are separate from
//! bit-vector expressions: a number is known once the parameters are.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Add, Mul, Sub};

use serde::{Deserialize, Serialize};

use crate::function::ParamId;

/// A loop index, unique within its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct IndexId(pub u32);

/// An affine integer expression `constant + Σ coefficient·atom` over products of parameters and
/// loop indices; the sum is sorted and free of zero coefficients, so that equality is structural.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct Num {
    constant: i64,
    /// Products (sorted atoms) with their non-zero coefficients.
    terms: BTreeMap<Vec<Atom>, i64>,
}

/// What a number may depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Atom {
    /// A numeric parameter of the function.
    Param(ParamId),
    /// The index of an enclosing loop or fold.
    Index(IndexId),
}

impl Num {
    /// A constant.
    pub fn constant(value: i64) -> Self {
        Self { constant: value, terms: BTreeMap::new() }
    }

    /// The value of a parameter.
    pub fn param(param: ParamId) -> Self {
        Self { constant: 0, terms: BTreeMap::from([(vec![Atom::Param(param)], 1)]) }
    }

    /// The value of a loop index.
    pub fn index(index: IndexId) -> Self {
        Self { constant: 0, terms: BTreeMap::from([(vec![Atom::Index(index)], 1)]) }
    }

    /// The value when it depends on nothing.
    pub fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The constant part.
    pub fn constant_part(&self) -> i64 {
        self.constant
    }

    /// The products and their coefficients, in order.
    pub fn terms(&self) -> impl Iterator<Item = (&[Atom], i64)> {
        self.terms.iter().map(|(atoms, coefficient)| (atoms.as_slice(), *coefficient))
    }

    /// Every atom that occurs.
    pub fn atoms(&self) -> impl Iterator<Item = Atom> {
        self.terms.keys().flatten().copied()
    }

    /// The value under an assignment of the atoms; `None` on overflow.
    pub fn eval(&self, mut value_of: impl FnMut(Atom) -> i64) -> Option<i64> {
        let mut sum = self.constant;
        for (atoms, coefficient) in &self.terms {
            let mut product = *coefficient;
            for atom in atoms {
                product = product.checked_mul(value_of(*atom))?;
            }
            sum = sum.checked_add(product)?;
        }
        Some(sum)
    }

    /// Replaces atoms by numbers.
    pub fn substitute(&self, mut replacement: impl FnMut(Atom) -> Num) -> Num {
        if self.terms.is_empty() {
            return self.clone();
        }
        let mut sum = Num::constant(self.constant);
        for (atoms, coefficient) in &self.terms {
            let mut product = Num::constant(*coefficient);
            for atom in atoms {
                product = product * replacement(*atom);
            }
            sum = sum + product;
        }
        sum
    }

    /// The number divided by a constant that divides the constant and every coefficient.
    pub fn divide(&self, divisor: i64) -> Option<Num> {
        let quotient = |value: i64| (divisor != 0 && value % divisor == 0).then(|| value / divisor);
        let terms = self
            .terms
            .iter()
            .map(|(atoms, coefficient)| Some((atoms.clone(), quotient(*coefficient)?)))
            .collect::<Option<_>>()?;
        Some(Num { constant: quotient(self.constant)?, terms })
    }

    fn scaled(mut self, factor: i64) -> Num {
        if factor == 0 {
            return Num::default();
        }
        self.constant = self.constant.saturating_mul(factor);
        self.terms.values_mut().for_each(|coefficient| *coefficient = coefficient.saturating_mul(factor));
        self
    }

    fn add_term(&mut self, atoms: Vec<Atom>, coefficient: i64) {
        if atoms.is_empty() {
            self.constant = self.constant.saturating_add(coefficient);
            return;
        }
        let entry = self.terms.entry(atoms);
        match entry {
            std::collections::btree_map::Entry::Vacant(slot) => {
                if coefficient != 0 {
                    slot.insert(coefficient);
                }
            }
            std::collections::btree_map::Entry::Occupied(mut slot) => {
                *slot.get_mut() = slot.get().saturating_add(coefficient);
                if *slot.get() == 0 {
                    slot.remove();
                }
            }
        }
    }

    /// Writes the number, asking `name` for the atoms' names.
    pub(crate) fn write(&self, f: &mut fmt::Formatter<'_>, name: &dyn Fn(Atom) -> String) -> fmt::Result {
        let mut first = true;
        for (atoms, coefficient) in &self.terms {
            let names: Vec<String> = atoms.iter().map(|atom| name(*atom)).collect();
            let product = names.join("*");
            let magnitude = coefficient.unsigned_abs();
            let sign = match (first, *coefficient < 0) {
                (true, true) => "-",
                (true, false) => "",
                (false, true) => " - ",
                (false, false) => " + ",
            };
            first = false;
            match magnitude {
                1 => write!(f, "{sign}{product}")?,
                _ => write!(f, "{sign}{magnitude}*{product}")?,
            }
        }
        match (first, self.constant) {
            (true, constant) => write!(f, "{constant}"),
            (false, 0) => Ok(()),
            (false, constant) if constant < 0 => write!(f, " - {}", constant.unsigned_abs()),
            (false, constant) => write!(f, " + {constant}"),
        }
    }
}

impl From<i64> for Num {
    fn from(value: i64) -> Self {
        Num::constant(value)
    }
}

impl From<u32> for Num {
    fn from(value: u32) -> Self {
        Num::constant(i64::from(value))
    }
}

impl Add for Num {
    type Output = Num;

    fn add(mut self, other: Num) -> Num {
        self.constant = self.constant.saturating_add(other.constant);
        for (atoms, coefficient) in other.terms {
            self.add_term(atoms, coefficient);
        }
        self
    }
}

impl Sub for Num {
    type Output = Num;

    fn sub(self, other: Num) -> Num {
        self + other * Num::constant(-1)
    }
}

impl Mul for Num {
    type Output = Num;

    fn mul(self, other: Num) -> Num {
        if let Some(factor) = other.as_constant() {
            return self.scaled(factor);
        }
        if let Some(factor) = self.as_constant() {
            return other.scaled(factor);
        }
        let mut product = Num::constant(0);
        let parts = |num: &Num| {
            let constant = (num.constant != 0).then(|| (Vec::new(), num.constant));
            num.terms.iter().map(|(a, c)| (a.clone(), *c)).chain(constant).collect::<Vec<_>>()
        };
        let right = parts(&other);
        for (left_atoms, left_coefficient) in parts(&self) {
            for (right_atoms, right_coefficient) in &right {
                let mut atoms = left_atoms.clone();
                atoms.extend(right_atoms);
                atoms.sort_unstable();
                product.add_term(atoms, left_coefficient.saturating_mul(*right_coefficient));
            }
        }
        product
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_products_are_canonical() {
        let i = Num::index(IndexId(0));
        let width = Num::param(ParamId(0));
        let left = (i.clone() + Num::constant(1)) * width.clone();
        let right = width.clone() + width.clone() * i.clone();
        assert_eq!(left, right);
        assert_eq!((left - right).as_constant(), Some(0));
        assert_eq!((i.clone() - i).as_constant(), Some(0));
    }

    #[test]
    fn evaluation_reports_overflow() {
        let big = Num::index(IndexId(0)) * Num::constant(i64::MAX);
        assert_eq!(big.eval(|_| 1), Some(i64::MAX));
        assert_eq!(big.eval(|_| 2), None);
    }

    #[test]
    fn numbers_are_printed_as_sums_of_products() {
        let (i, w) = (Num::index(IndexId(0)), Num::param(ParamId(0)));
        struct Shown(Num);
        impl fmt::Display for Shown {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let name = |atom: Atom| if matches!(atom, Atom::Index(_)) { "i" } else { "w" }.to_owned();
                self.0.write(f, &name)
            }
        }
        for (num, expected) in [
            (Num::constant(0), "0"),
            (Num::constant(-5), "-5"),
            (i.clone(), "i"),
            (i.clone() * Num::constant(-1), "-i"),
            (i.clone() * Num::constant(-8) + Num::constant(56), "-8*i + 56"),
            (w.clone() * i.clone() + Num::constant(-1), "w*i - 1"),
            (w.clone() - i.clone(), "w - i"),
            (w.clone() - i.clone() * Num::constant(2), "w - 2*i"),
        ] {
            assert_eq!(Shown(num).to_string(), expected);
        }
    }

    #[test]
    fn constants_divide_what_they_divide_everywhere() {
        let i = Num::index(IndexId(0));
        let num = i.clone() * Num::constant(12) + Num::constant(8);
        assert_eq!(num.divide(4), Some(i.clone() * Num::constant(3) + Num::constant(2)));
        assert_eq!(num.divide(-4), Some(i * Num::constant(-3) + Num::constant(-2)));
        assert_eq!((num.divide(8), num.divide(3), num.divide(0)), (None, None, None));
    }

    #[test]
    fn products_of_sums_have_every_product() {
        let (i, w) = (Num::index(IndexId(0)), Num::param(ParamId(0)));
        let product = (i.clone() + Num::constant(2)) * (w.clone() - Num::constant(3));
        let eval = |i: i64, w: i64| {
            product.eval(|atom| match atom {
                Atom::Index(_) => i,
                Atom::Param(_) => w,
            })
        };
        for (index, width) in [(0, 0), (5, 0), (0, 7), (4, -9)] {
            assert_eq!(eval(index, width), Some((index + 2) * (width - 3)));
        }
        assert_eq!((i * Num::constant(0)).as_constant(), Some(0));
        assert_eq!(product.atoms().count(), 4);
        let at_five = product
            .substitute(|atom| if matches!(atom, Atom::Index(_)) { Num::constant(5) } else { w.clone() });
        assert_eq!(at_five, w * Num::constant(7) - Num::constant(21));
    }
}
