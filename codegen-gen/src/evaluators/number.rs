//! Numbers of the IR as text, and the ranges that they lie in.

use hydride_ir::visit::Loop;
use hydride_ir::{Atom, Function, IndexId, Num, Op};

/// A sum of products in the syntax that C, Rust and the IR share: `8*i1_ + element_width`.
pub(crate) fn number(num: &Num, name: &dyn Fn(Atom) -> String) -> String {
    let mut text = String::new();
    for (atoms, coefficient) in num.terms() {
        let names: Vec<String> = atoms.iter().map(|atom| name(*atom)).collect();
        let product = names.join("*");
        let sign = match (text.is_empty(), coefficient < 0) {
            (true, true) => "-",
            (true, false) => "",
            (false, true) => " - ",
            (false, false) => " + ",
        };
        text += sign;
        match coefficient.unsigned_abs() {
            1 => text += &product,
            factor => text += &format!("{factor}*{product}"),
        }
    }
    match (text.is_empty(), num.constant_part()) {
        // As one literal the least number is too large for C.
        (true, i64::MIN) => format!("-{} - 1", i64::MAX),
        (true, constant) => constant.to_string(),
        (false, 0) => text,
        (false, constant) if constant < 0 => format!("{text} - {}", constant.unsigned_abs()),
        (false, constant) => format!("{text} + {constant}"),
    }
}

/// Bounds of a number, both inclusive.
pub(crate) type Range = (i128, i128);

/// The least and greatest value where each atom lies in a range; `None` where an intermediate value does not
/// fit 64 bits.
pub(crate) fn range(num: &Num, range_of: &dyn Fn(Atom) -> Option<Range>) -> Option<Range> {
    let fits = |value: i128| i64::try_from(value).is_ok().then_some(value);
    let mut sum = (i128::from(num.constant_part()), i128::from(num.constant_part()));
    for (atoms, coefficient) in num.terms() {
        let mut product = (i128::from(coefficient), i128::from(coefficient));
        for atom in atoms {
            let (low, high) = range_of(*atom)?;
            let corners = [product.0 * low, product.0 * high, product.1 * low, product.1 * high];
            let least = corners.into_iter().min()?;
            let most = corners.into_iter().max()?;
            product = (fits(least)?, fits(most)?);
        }
        sum = (fits(sum.0 + product.0)?, fits(sum.1 + product.1)?);
    }
    Some(sum)
}

/// Ranges for a function's parameters and, as they follow, its indices.
pub(crate) struct Ranges {
    params: Vec<Range>,
    indices: std::collections::BTreeMap<IndexId, Range>,
}

impl Ranges {
    /// `None` where a count does not fit 64 bits.
    pub(crate) fn new(function: &Function, params: Vec<Range>) -> Option<Self> {
        let mut ranges = Self { params, indices: std::collections::BTreeMap::new() };
        for Loop { index, count } in function.loops() {
            ranges.bind(index, count)?;
        }
        // An enclosing fold comes after those in its body.
        for expr in function.exprs().iter().rev() {
            if let Op::Fold { index, count, .. } = &expr.op {
                ranges.bind(*index, count)?;
            }
        }
        Some(ranges)
    }

    fn bind(&mut self, index: IndexId, count: &Num) -> Option<()> {
        let (_, most) = self.of(count)?;
        self.indices.insert(index, (0, (most - 1).max(0)));
        Some(())
    }

    /// The range of a number; `None` where it does not fit 64 bits.
    pub(crate) fn of(&self, num: &Num) -> Option<Range> {
        range(num, &|atom| match atom {
            Atom::Param(param) => self.params.get(param.0 as usize).copied(),
            Atom::Index(index) => self.indices.get(&index).copied(),
        })
    }
}
