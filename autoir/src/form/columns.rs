//! Numbers that follow from others: a column, one value for each instance, as a product of other columns.

use hydride_ir::{Num, ParamId};

/// Factors of products, the likeliest first.
const FACTORS: [i64; 9] = [1, 2, 4, 8, 16, 32, 64, 128, -1];

/// Columns in a product, at most.
const MAX_PRODUCT: usize = 3;

/// The greatest magnitude of a constant that is added to a product.
const MAX_CONSTANT: i64 = 64;

/// Different values that a column has before it is believed to be a sum.
const SUM_EVIDENCE: usize = 3;

/// A product of parameters with its value for each instance.
struct Product {
    num: Num,
    values: Vec<Option<i64>>,
}

/// The parameters that a number can be made of: for each its values.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    columns: Vec<Vec<i64>>,
}

impl Columns {
    /// Makes a column a parameter.
    pub(crate) fn introduce(&mut self, values: Vec<i64>) -> Num {
        self.columns.push(values);
        Num::param(ParamId(self.columns.len() as u32 - 1))
    }

    /// The parameters' values for an instance.
    pub(crate) fn values_of(&self, instance: usize) -> Vec<i64> {
        self.columns.iter().map(|column| column[instance]).collect()
    }

    /// A column as a constant, a multiple of a product of parameters, or such a product and a constant or a parameter;
    /// the first that
    /// `agrees` with it for every instance, given as its position and the value that the expression has.
    pub(crate) fn express(&self, column: &[i64], agrees: impl Fn(usize, i64) -> bool) -> Option<Num> {
        let fits = |values: &dyn Fn(usize) -> Option<i64>| {
            (0..column.len()).all(|instance| values(instance).is_some_and(|value| agrees(instance, value)))
        };
        let mut constants: Vec<i64> = column.to_vec();
        constants.sort_unstable();
        constants.dedup();
        if let Some(constant) = constants.iter().find(|constant| fits(&|_| Some(**constant))) {
            return Some(Num::constant(*constant));
        }
        let products = self.products();
        for product in &products {
            for factor in FACTORS {
                if fits(&|instance| product.values[instance]?.checked_mul(factor)) {
                    return Some(product.num.clone() * Num::constant(factor));
                }
            }
        }
        if constants.len() < SUM_EVIDENCE {
            return None;
        }
        for product in products.iter().filter(|product| product.values.iter().all(Option::is_some)) {
            // What makes it right for some instance.
            for (value, base) in column.iter().zip(&product.values) {
                let Some(rest) = base.and_then(|base| value.checked_sub(base)) else { continue };
                if rest.abs() <= MAX_CONSTANT && fits(&|instance| product.values[instance]?.checked_add(rest))
                {
                    return Some(product.num.clone() + Num::constant(rest));
                }
            }
            for (position, other) in self.columns.iter().enumerate() {
                for sign in [1, -1] {
                    let sum = |instance: usize| product.values[instance]?.checked_add(sign * other[instance]);
                    if fits(&sum) {
                        let other = Num::param(ParamId(position as u32)) * Num::constant(sign);
                        return Some(product.num.clone() + other);
                    }
                }
            }
        }
        None
    }

    /// The products of up to [`MAX_PRODUCT`] different parameters, the shortest first.
    fn products(&self) -> Vec<Product> {
        let mut products: Vec<(usize, Product)> = Vec::new();
        let mut shorter = 0..0;
        for length in 1..=MAX_PRODUCT {
            let mut longer = Vec::new();
            for (position, column) in self.columns.iter().enumerate() {
                let own = Num::param(ParamId(position as u32));
                if length == 1 {
                    let values = column.iter().copied().map(Some).collect();
                    longer.push((position, Product { num: own, values }));
                    continue;
                }
                for (last, product) in products[shorter.clone()].iter().filter(|(last, _)| *last < position) {
                    debug_assert!(last < &position);
                    let values = product.values.iter().zip(column);
                    let values = values.map(|(value, factor)| value.and_then(|v| v.checked_mul(*factor)));
                    let product =
                        Product { num: product.num.clone() * own.clone(), values: values.collect() };
                    longer.push((position, product));
                }
            }
            shorter = products.len()..products.len() + longer.len();
            products.extend(longer);
        }
        products.into_iter().map(|(_, product)| product).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns() -> Columns {
        let mut columns = Columns::default();
        columns.introduce(vec![8, 16, 32, 8]);
        columns.introduce(vec![16, 8, 4, 8]);
        columns
    }

    fn found(column: &[i64]) -> Option<Num> {
        columns().express(column, |instance, value| column[instance] == value)
    }

    #[test]
    fn constants_products_and_sums_are_found() {
        let [width, elements] = [0, 1].map(|position| Num::param(ParamId(position)));
        assert_eq!(found(&[7, 7, 7, 7]), Some(Num::constant(7)));
        assert_eq!(found(&[16, 32, 64, 16]), Some(width.clone() * Num::constant(2)));
        assert_eq!(found(&[128, 128, 128, 64]), Some(width.clone() * elements.clone()));
        assert_eq!(found(&[24, 24, 36, 16]), Some(width.clone() + elements.clone()));
        assert_eq!(found(&[7, 15, 31, 7]), Some(width.clone() + Num::constant(-1)));
        assert_eq!(found(&[1, 2, 3, 5]), None);
        assert_eq!(columns().values_of(2), [32, 4]);
    }

    #[test]
    fn an_instance_that_any_value_suits_decides_nothing() {
        let column = [8, 16, 32, -32];
        let found = columns().express(&column, |instance, value| instance == 3 || column[instance] == value);
        assert_eq!(found, Some(Num::param(ParamId(0))));
    }
}
