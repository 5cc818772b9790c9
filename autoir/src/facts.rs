//! The types of an operation's operands for one member, and its function's numbers at the member's parameter values.

use catalog::Masking;
use hydride_ir::visit::Event;
use hydride_ir::{Atom, ExprId, Function, IndexId, MAX_WIDTH, Num, Op};

/// The type of a value: `count` elements of `element` bits, element 0 in the lowest bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueType {
    /// Width of an element in bits.
    pub element: u32,
    /// Number of elements; 1 is a scalar.
    pub count: u32,
    /// Bits of the exponent where elements are floating-point numbers: 5 of 16 (`f16`), 8 of 16 (`bf16`), 8 of 32 or
    /// 11 of 64; 0 where they are integers.
    pub exponent: u32,
}

impl ValueType {
    /// An integer of the given width.
    pub fn scalar(width: u32) -> Self {
        Self::vector(1, width)
    }

    /// A vector of `count` integers of `element` bits.
    pub fn vector(count: u32, element: u32) -> Self {
        Self { element, count, exponent: 0 }
    }

    /// The same with floating-point numbers of `exponent` bits of exponent as elements.
    #[must_use]
    pub fn with_exponent(self, exponent: u32) -> Self {
        Self { exponent, ..self }
    }

    /// Whether elements are floating-point numbers.
    pub fn is_float(self) -> bool {
        self.exponent != 0
    }

    /// The total width in bits.
    pub fn width(self) -> u32 {
        self.element * self.count
    }

    /// Whether it has several elements.
    pub fn is_vector(self) -> bool {
        self.count > 1
    }
}

/// The shapes of a function's arguments and results at one assignment of its parameters.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Facts {
    /// One shape for each argument of the class's function. Immediates are scalars.
    pub args: Vec<ValueType>,
    /// One shape for each result of the class's function.
    pub results: Vec<ValueType>,
}

impl Facts {
    /// Stride and lane of a mask that does not have consecutive bits, one for each element of a result.
    pub fn uneven_mask(&self, masking: Masking) -> Option<(u32, u32)> {
        let even = masking.stride == 1 && self.results.iter().all(|result| result.element == masking.lane);
        (!even).then_some((masking.stride, masking.lane))
    }
}

/// What a parameter of a class stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ParamKind {
    /// It only occurs as a signedness flag: 0 or 1.
    Signedness,
    /// Any other number.
    Number,
}

/// Values for a function's parameters, with which its numbers can be evaluated.
pub(crate) struct Assignment<'a> {
    function: &'a Function,
    values: &'a [i64],
    /// The indices that take more than one value.
    indices: Vec<IndexId>,
}

impl<'a> Assignment<'a> {
    /// `values` holds one value for each parameter of `function`.
    pub(crate) fn new(function: &'a Function, values: &'a [i64]) -> Self {
        let mut assignment = Self { function, values, indices: Vec::new() };
        let folds = function.exprs().iter().filter_map(|expr| match &expr.op {
            Op::Fold { index, count, .. } => Some((*index, count)),
            _ => None,
        });
        let loops = function.loops().map(|around| (around.index, around.count));
        let moving = loops.chain(folds).filter(|(_, count)| assignment.base(count) != Some(1));
        let mut indices: Vec<IndexId> = moving.map(|(index, _)| index).collect();
        indices.sort_unstable();
        indices.dedup();
        assignment.indices = indices;
        assignment
    }

    /// The value of `num` given the values of the loop indices by `index_value`.
    pub(crate) fn value(&self, num: &Num, index_value: &dyn Fn(IndexId) -> i64) -> Option<i64> {
        num.eval(|atom| match atom {
            Atom::Param(id) => self.values[id.0 as usize],
            Atom::Index(id) => index_value(id),
        })
    }

    /// The value of `num` where every loop index is 0.
    pub(crate) fn base(&self, num: &Num) -> Option<i64> {
        self.value(num, &|_| 0)
    }

    /// The value of a width; `None` when it is outside what the IR admits.
    pub(crate) fn width(&self, num: &Num) -> Option<u32> {
        u32::try_from(self.base(num)?).ok().filter(|width| (1..=MAX_WIDTH).contains(width))
    }

    /// The width of an expression.
    pub(crate) fn expr_width(&self, id: ExprId) -> Option<u32> {
        self.width(&self.function.expr(id).width)
    }

    /// The value of `num` where every loop index is 0, and a number that divides every step that it takes over the
    /// indices; 0 when it takes none.
    pub(crate) fn steps(&self, num: &Num) -> Option<(i64, u64)> {
        let base = self.base(num)?;
        let step = self.indices.iter().try_fold(0, |grain, index| {
            let stepped = self.value(num, &|other| i64::from(other == *index))?;
            Some(gcd(grain, stepped.abs_diff(base)))
        })?;
        Some((base, step))
    }
}

/// What each parameter of `function` stands for.
pub(crate) fn param_kinds(function: &Function) -> Vec<ParamKind> {
    let mut as_flag = vec![false; function.params.len()];
    let mut as_number = vec![false; function.params.len()];
    let note = |num: &Num, seen: &mut Vec<bool>| {
        for atom in num.atoms() {
            if let Atom::Param(id) = atom {
                seen[id.0 as usize] = true;
            }
        }
    };
    for expr in function.exprs() {
        note(&expr.width, &mut as_number);
        match &expr.op {
            Op::Fold { signed, count, .. } => {
                note(signed, &mut as_flag);
                note(count, &mut as_number);
            }
            Op::Cast { .. } | Op::Saturate { .. } | Op::Binary { .. } | Op::Compare { .. } => {
                expr.op.nums().into_iter().for_each(|num| note(num, &mut as_flag));
            }
            _ => expr.op.nums().into_iter().for_each(|num| note(num, &mut as_number)),
        }
    }
    let widths = function.args.iter().map(|arg| &arg.width);
    widths.chain(function.results.iter().map(|result| &result.width)).for_each(|w| note(w, &mut as_number));
    for event in function.walk() {
        match event {
            Event::Enter(around) => note(around.count, &mut as_number),
            Event::Assign(assignment) => note(assignment.low, &mut as_number),
            Event::Leave(_) => {}
        }
    }
    let kinds = as_flag.into_iter().zip(as_number);
    kinds
        .map(|(flag, number)| if flag && !number { ParamKind::Signedness } else { ParamKind::Number })
        .collect()
}

pub(crate) fn gcd(left: u64, right: u64) -> u64 {
    if right == 0 { left } else { gcd(right, left % right) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_has_a_width_a_shape_and_a_format() {
        for (count, element, width) in [(1, 16, 16), (4, 16, 64), (2, 8, 16)] {
            for exponent in [0, 5, 8] {
                let found = ValueType::vector(count, element).with_exponent(exponent);
                assert_eq!((found.element, found.count, found.exponent), (element, count, exponent));
                assert_eq!(
                    (found.width(), found.is_vector(), found.is_float()),
                    (width, count > 1, exponent > 0)
                );
            }
        }
        assert_eq!(ValueType::scalar(16), ValueType { element: 16, count: 1, exponent: 0 });
    }

    /// Indices of one iteration do not move.
    #[test]
    fn numbers_move_in_steps_that_their_indices_make() {
        let function = Function::parse(
            "func @f[n = 3](%a: 64) -> (%r: 64) {
               for i in 0..n { for j in 0..2 { for k in 0..1 {
                 %r[16*i + 8*j + 4*k + 4 +: 4] = fold or (l in 0..2) %a[16*i + 12*l +: 4]
               } } }
             }",
        )
        .unwrap();
        let low = function.assignments().next().unwrap().low.clone();
        let read = function.exprs().iter().find_map(|expr| match &expr.op {
            Op::Extract { low, .. } => Some(low.clone()),
            _ => None,
        });
        let steps = |values: &[i64], num: &Num| Assignment::new(&function, values).steps(num);
        assert_eq!(steps(&[3], &low), Some((4, 8)));
        assert_eq!(steps(&[3], &read.unwrap()), Some((0, 4)));
        assert_eq!(steps(&[1], &(Num::param(hydride_ir::ParamId(0)) * Num::constant(5))), Some((5, 0)));
        let width = |value: i64| Assignment::new(&function, &[value]).width(&Num::constant(value));
        assert_eq!([-1, 0, 1, 65_536, 65_537].map(width), [None, None, Some(1), Some(65_536), None]);
    }

    #[test]
    fn masks_of_consecutive_bits_for_elements_are_even() {
        let result = |element| Facts { args: vec![], results: vec![ValueType::vector(4, element)] };
        let masking = |stride, lane| Masking { mask: 0, stride, lane, pass: None, negated: false };
        assert_eq!(result(16).uneven_mask(masking(1, 16)), None);
        assert_eq!(result(16).uneven_mask(masking(2, 16)), Some((2, 16)));
        assert_eq!(result(32).uneven_mask(masking(1, 16)), Some((1, 16)));
        assert_eq!(result(32).uneven_mask(masking(4, 16)), Some((4, 16)));
    }

    #[test]
    fn a_parameter_that_is_only_a_flag_is_a_signedness() {
        use ParamKind::{Number, Signedness};
        let function = Function::parse(
            "func @f[w = 8, n = 4, s = 0, greatest_s = 1, both = 1, terms = 2, start = 0](%a: 64) -> (%r: w*n) {
               for i in 0..n {
                 let wide = cast.{s}(%a[w*i + start +: w], 2*w)
                 %r[w*i +: w] = fold max.{greatest_s} (j in 0..terms) saturate.{both}.u(add(wide, int(both + j, 2*w)), w)
               }
             }",
        );
        let kinds = param_kinds(&function.unwrap());
        assert_eq!(kinds, [Number, Number, Signedness, Signedness, Number, Number, Number]);
    }
}
