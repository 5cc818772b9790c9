//! The numbers of a class in terms of its parameters.
//!
//! A number of a class's form (a width, a position, a literal) has a value for each member. It is written as the first
//! of these shapes that gives the value of every member that determines it; if none does, it becomes a parameter.
//!
//! | shape | which numbers | what it takes |
//! |---|---|---|
//! | `c` | all | one value |
//! | `s` | signs; `s` is another sign | |
//! | `o + c` | offsets; `o` is another offset: positions in one register move together | |
//! | `f·p`, `f·p·q`, `f·p·q·r` | all but signs | |
//! | `e + 1`; `e ± w`, `2·e - w` | widths and offsets; `e`, `w` are widths | [`Evidence::Complement`] |
//! | `f·p + c`, `f·p·q + c`, `f·p ± t`, `f·p·q ± t` | all but signs | three different values |
//! | `p·q·r + t·u·v` | widths of results, where they are written: extents of several loops | three different values |
//!
//! `p` to `v` are parameters that are not signs, `f` is one of a few small factors. A shape whose value overflows does
//! not fit. All of it is a guess that is checked: the certificate of each member proves the class at its values.

use hydride_ir::lane::Role;
use hydride_ir::{Num, ParamId};

use super::{Column, Parameter};

/// How much it takes to believe that a number is a sum of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Evidence {
    /// Three different values: any two points are on a line.
    ThreeValues,
    /// Any values, for widths and positions that complete an element together with another width.
    Complement,
}

/// Factors of products, the likeliest first.
const FACTORS: [i64; 10] = [1, 2, 4, 8, 16, -1, 32, 64, 128, 3];

/// Factors of products that something is added to.
const FACTORS_OF_SUMS: [i64; 3] = [1, 2, -1];

/// The greatest magnitude of a constant that is added to a product.
const MAX_CONSTANT: i64 = 64;

/// Parameters in a product, at most.
const MAX_PRODUCT: usize = 3;

/// A factor and the parameters that it multiplies.
type Term<'a> = (i64, &'a [usize]);

/// A sum of at most two terms and a constant.
#[derive(Clone, Copy, Debug)]
struct Shape<'a> {
    terms: [Option<Term<'a>>; 2],
    constant: i64,
}

impl<'a> Shape<'a> {
    fn constant(constant: i64) -> Self {
        Self { terms: [None; 2], constant }
    }

    fn term(factor: i64, product: &'a [usize]) -> Self {
        Self { terms: [Some((factor, product)), None], constant: 0 }
    }

    fn plus_constant(self, constant: i64) -> Self {
        Self { constant, ..self }
    }

    fn plus(self, factor: i64, product: &'a [usize]) -> Self {
        Self { terms: [self.terms[0], Some((factor, product))], ..self }
    }

    /// The value at a member's parameters; none where it overflows.
    fn value(&self, params: &[Parameter], member: usize) -> Option<i64> {
        self.terms.iter().flatten().try_fold(self.constant, |sum, (factor, product)| {
            let product = product
                .iter()
                .try_fold(1i64, |value, index| value.checked_mul(params[*index].values[member]))?;
            sum.checked_add(product.checked_mul(*factor)?)
        })
    }

    fn num(&self) -> Num {
        self.terms.iter().flatten().fold(Num::constant(self.constant), |sum, (factor, product)| {
            let product = product.iter().fold(Num::constant(1), |num, index| num * param(*index));
            sum + product * Num::constant(*factor)
        })
    }
}

/// A parameter as a number.
pub(super) fn param(index: usize) -> Num {
    Num::param(ParamId(index as u32))
}

/// The parameters that a number can be made of.
struct Vocabulary<'a> {
    params: &'a [Parameter],
    /// Every position, so that a single parameter is a product, too.
    positions: Vec<usize>,
    /// Products of parameters that are not signs, the shortest first.
    products: Vec<Vec<usize>>,
}

impl<'a> Vocabulary<'a> {
    fn new(params: &'a [Parameter]) -> Self {
        let sizes: Vec<usize> =
            (0..params.len()).filter(|index| params[*index].role != Role::Signed).collect();
        let mut products: Vec<Vec<usize>> = sizes.iter().map(|index| vec![*index]).collect();
        let mut shorter = 0..products.len();
        for _ in 1..MAX_PRODUCT {
            let longer: Vec<Vec<usize>> = products[shorter.clone()]
                .iter()
                .flat_map(|product| {
                    let above = sizes.iter().filter(|index| product.last().is_some_and(|last| *index > last));
                    above.map(|index| [product.as_slice(), &[*index]].concat())
                })
                .collect();
            shorter = products.len()..products.len() + longer.len();
            products.extend(longer);
        }
        Self { params, positions: (0..params.len()).collect(), products }
    }

    fn products(&self) -> impl Iterator<Item = &[usize]> + Clone {
        self.products.iter().map(Vec::as_slice)
    }

    /// The parameters that are not signs, each as a product.
    fn sizes(&self) -> impl Iterator<Item = &[usize]> {
        self.products().take_while(|product| product.len() == 1)
    }

    /// The parameters of some roles, each as a product.
    fn of_role(&self, roles: &'static [Role]) -> impl Iterator<Item = &[usize]> {
        self.positions.chunks(1).filter(move |single| roles.contains(&self.params[single[0]].role))
    }

    /// Products by small factors.
    fn multiples(&self) -> impl Iterator<Item = Shape<'_>> {
        self.products().flat_map(|product| FACTORS.map(|factor| Shape::term(factor, product)))
    }

    /// Another offset, moved so that it is right for the member with a known value.
    fn moved(&self, (member, value): (usize, i64)) -> impl Iterator<Item = Shape<'_>> {
        self.of_role(&[Role::Offset]).filter_map(move |offset| {
            let shape = Shape::term(1, offset);
            Some(shape.plus_constant(value.checked_sub(shape.value(self.params, member)?)?))
        })
    }

    /// What a width leaves of an element, or the element and the width; a width of one bit more than an element, as a
    /// sum has before it is clamped.
    fn complements(&self, role: Role) -> impl Iterator<Item = Shape<'_>> {
        let wider = self.of_role(&[Role::ElementWidth]).filter(move |_| role == Role::Width);
        let wider = wider.map(|element| Shape::term(1, element).plus_constant(1));
        let wholes = self.of_role(&[Role::ElementWidth, Role::SliceWidth]);
        wider.chain(wholes.flat_map(|whole| {
            let others = self.of_role(&[Role::SliceWidth, Role::Width]).filter(move |other| *other != whole);
            others.flat_map(move |other| {
                [(1, -1), (1, 1), (2, -1)].map(|(factor, sign)| Shape::term(factor, whole).plus(sign, other))
            })
        }))
    }

    /// Products of at most two parameters, with a constant that makes them right for the member with a known value, or
    /// with another parameter.
    fn sums(&self, (member, value): (usize, i64)) -> impl Iterator<Item = Shape<'_>> {
        let products = self.products().filter(|product| product.len() <= 2);
        let terms = products.flat_map(|product| FACTORS_OF_SUMS.map(|factor| Shape::term(factor, product)));
        terms.flat_map(move |shape| {
            let rest = shape.value(self.params, member).and_then(|base| value.checked_sub(base));
            let rest = rest.filter(|rest| rest.abs() <= MAX_CONSTANT);
            let others = self.sizes().flat_map(move |other| [1, -1].map(|sign| shape.plus(sign, other)));
            rest.map(|rest| shape.plus_constant(rest)).into_iter().chain(others)
        })
    }

    /// Sums of two products.
    fn sums_of_products(&self) -> impl Iterator<Item = Shape<'_>> {
        let products = self.products();
        products
            .clone()
            .flat_map(move |left| products.clone().map(move |right| Shape::term(1, left).plus(1, right)))
    }
}

/// A number as the first shape that fits; none where it takes a parameter of its own.
pub(super) fn expressed(column: &Column, params: &[Parameter], evidence: Evidence) -> Option<Num> {
    let Some(known) = column.first_known() else { return Some(Num::constant(0)) };
    let fits = |shape: &Shape<'_>| column.agrees(|member| shape.value(params, member));
    let constant = Shape::constant(known.1);
    if fits(&constant) {
        return Some(constant.num());
    }
    let vocabulary = Vocabulary::new(params);
    let num = |shape: Shape<'_>| shape.num();
    let role = column.role;
    if role == Role::Signed {
        let mut signs = vocabulary.of_role(&[Role::Signed]).map(|sign| Shape::term(1, sign));
        return signs.find(fits).map(num);
    }
    if role == Role::Error {
        let mut errors = vocabulary.of_role(&[Role::Error]).map(|error| Shape::term(1, error));
        return errors.find(fits).map(num);
    }
    let moved = vocabulary.moved(known).filter(|_| role == Role::Offset);
    if let Some(found) = moved.chain(vocabulary.multiples()).find(fits) {
        return Some(found.num());
    }
    let can_complement = matches!(role, Role::Offset | Role::SliceWidth | Role::Width);
    if evidence == Evidence::Complement
        && can_complement
        && let Some(found) = vocabulary.complements(role).find(fits)
    {
        return Some(found.num());
    }
    if column.distinct_values() < 3 {
        return None;
    }
    let is_extent = matches!(role, Role::ResultWidth | Role::WriteStride(_) | Role::WriteOffset);
    let extents = vocabulary.sums_of_products().filter(|_| is_extent);
    vocabulary.sums(known).chain(extents).find(fits).map(num)
}

/// The width of an argument: the first shape that is at least what each member reads, and at most its register.
pub(super) fn arg_width(column: &Column, registers: &[i64], params: &[Parameter]) -> Option<Num> {
    let read: Vec<i64> = column.values.iter().map(|value| value.unwrap_or(1)).collect();
    let fits = |shape: &Shape<'_>| {
        (0..read.len()).all(|member| {
            let width = shape.value(params, member);
            width.is_some_and(|width| read[member] <= width && width <= registers[member])
        })
    };
    let vocabulary = Vocabulary::new(params);
    let most = Shape::constant(read.iter().copied().max()?);
    let factors = FACTORS.into_iter().filter(|factor| *factor > 0);
    let multiples =
        factors.flat_map(|factor| vocabulary.products().map(move |product| Shape::term(factor, product)));
    let sums = vocabulary
        .sizes()
        .flat_map(|other| vocabulary.products().map(move |product| Shape::term(1, product).plus(1, other)));
    std::iter::once(most).chain(multiples).chain(sums).find(fits).map(|shape| shape.num())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hydride_ir::{Atom, Random};

    fn parameter(role: Role, values: &[i64]) -> Parameter {
        Parameter { role, values: values.to_vec() }
    }

    fn column(role: Role, values: &[i64]) -> Column {
        Column { role, values: values.iter().copied().map(Some).collect() }
    }

    /// An element's width, a number of elements, an offset and a sign, of four members.
    fn parameters() -> Vec<Parameter> {
        vec![
            parameter(Role::ElementWidth, &[8, 16, 32, 64]),
            parameter(Role::Extent(2), &[16, 16, 4, 8]),
            parameter(Role::Offset, &[0, 8, 24, 32]),
            parameter(Role::Signed, &[0, 1, 0, 1]),
            parameter(Role::SliceWidth, &[4, 4, 8, 48]),
        ]
    }

    /// The shape of a column in terms of [`parameters`].
    fn found(role: Role, values: &[i64]) -> Option<Num> {
        expressed(&column(role, values), &parameters(), Evidence::ThreeValues)
    }

    fn constant(value: i64) -> Num {
        Num::constant(value)
    }

    #[test]
    fn each_shape_is_found() {
        let [e, n, o, s] = [0, 1, 2, 3].map(param);
        for (role, values, shape) in [
            (Role::Width, [7, 7, 7, 7], constant(7)),
            (Role::Signed, [0, 1, 0, 1], s),
            (Role::Offset, [5, 13, 29, 37], o + constant(5)),
            (Role::Width, [16, 32, 64, 128], e.clone() * constant(2)),
            (Role::ResultWidth, [128, 256, 128, 512], e.clone() * n.clone()),
            (Role::Value, [7, 15, 31, 63], e.clone() + constant(-1)),
            (Role::Width, [24, 32, 36, 72], e.clone() + n.clone()),
            (Role::ResultWidth, [136, 272, 160, 576], e.clone() * n + e),
        ] {
            assert_eq!(found(role, &values), Some(shape), "{role:?} {values:?}");
        }
    }

    #[test]
    fn extents_alone_are_sums_of_two_products() {
        let [e, n, w] = [0, 1, 4].map(param);
        // e*n + n*w
        let values = [192, 320, 160, 896];
        assert_eq!(found(Role::ResultWidth, &values), Some(e * n.clone() + n * w));
        assert_eq!(found(Role::Value, &values), None);
    }

    #[test]
    fn two_values_do_not_make_a_sum() {
        let params = [parameter(Role::ElementWidth, &[8, 16])];
        let shifted = column(Role::Value, &[9, 17]);
        assert_eq!(expressed(&shifted, &params, Evidence::ThreeValues), None);
        let params = [parameter(Role::ElementWidth, &[8, 16, 32])];
        let shifted = column(Role::Value, &[9, 17, 33]);
        assert_eq!(expressed(&shifted, &params, Evidence::ThreeValues), Some(param(0) + Num::constant(1)));
    }

    #[test]
    fn complements_take_their_own_evidence() {
        let params = [parameter(Role::ElementWidth, &[16, 32]), parameter(Role::SliceWidth, &[5, 6])];
        let rest = column(Role::Offset, &[11, 26]);
        assert_eq!(expressed(&rest, &params, Evidence::ThreeValues), None);
        let found = expressed(&rest, &params, Evidence::Complement);
        assert_eq!(found, Some(param(0) + param(1) * Num::constant(-1)));
        let literal = column(Role::Value, &[11, 26]);
        assert_eq!(expressed(&literal, &params, Evidence::Complement), None, "literals complete nothing");
        let wider = column(Role::Width, &[17, 33]);
        assert_eq!(expressed(&wider, &params, Evidence::Complement), Some(param(0) + Num::constant(1)));
    }

    #[test]
    fn a_member_that_does_not_care_agrees_with_everything() {
        let mut free = column(Role::Width, &[16, 32, 64, 0]);
        free.values[3] = None;
        assert_eq!(expressed(&free, &parameters(), Evidence::ThreeValues), Some(param(0) * Num::constant(2)));
        free.values = vec![None; 4];
        assert_eq!(expressed(&free, &parameters(), Evidence::ThreeValues), Some(Num::constant(0)));
    }

    #[test]
    fn signs_follow_signs_alone() {
        assert_eq!(found(Role::Signed, &[0, 0, 0, 1]), None);
        assert_eq!(found(Role::Value, &[0, 1, 0, 1]), None);
    }

    #[test]
    fn a_shape_that_overflows_does_not_fit() {
        let params = [parameter(Role::Value, &[i64::MAX, 2]), parameter(Role::Extent(2), &[2, 3])];
        assert_eq!(expressed(&column(Role::Value, &[-2, 6]), &params, Evidence::ThreeValues), None);
    }

    #[test]
    fn an_argument_is_as_wide_as_what_is_read_and_its_register_allow() {
        let params = parameters();
        let width =
            |read: &[i64], registers: &[i64]| arg_width(&column(Role::ArgWidth, read), registers, &params);
        assert_eq!(width(&[8, 8, 16, 16], &[16; 4]), Some(constant(16)));
        assert_eq!(width(&[120, 250, 128, 500], &[128, 256, 128, 512]), Some(param(0) * param(1)));
        assert_eq!(width(&[9, 1, 1, 1], &[9, 1, 1, 1]), None);
    }

    /// Whatever shape is found has the value of every member that determines the number.
    #[test]
    fn a_found_shape_is_right_for_every_member() {
        let mut random = Random::new(1);
        let roles =
            [Role::Width, Role::Offset, Role::Value, Role::ResultWidth, Role::Signed, Role::SliceWidth];
        let mut found = 0;
        for _ in 0..3000 {
            let members = 2 + random.below(4);
            let values = |random: &mut Random| -> Vec<i64> {
                (0..members).map(|_| random.pick(&[0, 1, 2, 3, 4, 8, 16, 24, 32, 64])).collect()
            };
            let params: Vec<Parameter> = (0..3)
                .map(|_| Parameter { role: random.pick(&roles), values: values(&mut random) })
                .collect();
            let mut number = column(random.pick(&roles), &values(&mut random));
            if random.below(3) == 0 {
                number.values[0] = None;
            }
            let evidence = random.pick(&[Evidence::ThreeValues, Evidence::Complement]);
            let Some(num) = expressed(&number, &params, evidence) else { continue };
            found += 1;
            for (member, value) in number.values.iter().enumerate() {
                let at: Vec<i64> = params.iter().map(|param| param.values[member]).collect();
                let Some(value) = value else { continue };
                let evaluated = num.eval(|atom| match atom {
                    Atom::Param(id) => at[id.0 as usize],
                    Atom::Index(_) => unreachable!("a shape has no loops"),
                });
                assert_eq!(evaluated, Some(*value), "{num:?} of {params:?}");
            }
        }
        assert!(found > 300, "{found}");
    }
}
