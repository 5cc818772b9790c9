//! Templates: element expressions with numbers that are affine in loop indices.

use serde::{Deserialize, Serialize};

use super::LOOPS;
use super::kind::{Field, FoldOp, Kind, Slice};

/// The loop nests that write the results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Form<N> {
    /// For each argument the number of low bits that the form reads; 0 where it reads none.
    pub arg_widths: Vec<N>,
    /// One for each result.
    pub results: Vec<ResultForm<N>>,
}

/// The statements that write one result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultForm<N> {
    /// Bits that the statements cover, from bit 0; result bits above are zero.
    pub width: N,
    /// The statements, in order of the positions that they write first.
    pub statements: Vec<Statement<N>>,
}

/// One write under [`LOOPS`] loops.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statement<N> {
    /// Iterations of each loop, outermost first.
    pub extents: [N; LOOPS],
    /// Lowest bit written; it depends only on the loops.
    pub position: Hole<N>,
    /// What is written; the root's width is that of the element.
    pub template: Template<N>,
}

/// An expression; terms precede their users, and the root comes last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Template<N> {
    /// The terms.
    pub terms: Vec<Term<N>>,
}

/// A term of a template.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Term<N> {
    /// The operator with its numbers.
    pub kind: Kind<Hole<N>>,
    /// Operands, by position.
    pub children: Vec<usize>,
    /// Widths in bits at which operands are computed that are not truncated with the term: the value and the
    /// count of a right shift, the count of a left shift, source and position of a slice at a computed
    /// position, else one width for all operands. Any greater widths do as well.
    pub working: Vec<N>,
    /// Whether operands (a shift's value) are read signed there.
    pub working_signed: bool,
    /// The folds around the term, outermost first, by the positions of their terms.
    pub folds: Vec<usize>,
}

/// A number `base + Σ stride·index` over the loops and then the enclosing folds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Hole<N> {
    /// The value at all indices 0.
    pub base: N,
    /// Change with each loop's index, outermost first, and then with each enclosing fold's.
    pub strides: Vec<N>,
}

/// What a number of a form is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// Width of an element (the root's width).
    ElementWidth,
    /// Iterations of a loop, by depth.
    Extent(usize),
    /// Repetitions of a fold.
    Count,
    /// Width of a slice of an argument.
    SliceWidth,
    /// Another width (concatenated part, saturation, inner slice).
    Width,
    /// Bits of a floating-point format's exponent.
    Format,
    /// The relative error of an approximation.
    Error,
    /// Whether something is read as two's complement.
    Signed,
    /// A literal.
    Value,
    /// Lowest bit of a slice at indices 0.
    Offset,
    /// Change of a slice's lowest bit with a loop (or, from [`LOOPS`] on, fold) index.
    Stride(usize),
    /// Position written at indices 0.
    WriteOffset,
    /// Change of the position written with a loop index.
    WriteStride(usize),
    /// Width of an argument.
    ArgWidth,
    /// Width of a result.
    ResultWidth,
    /// Width at which operands are computed; any greater one does as well.
    Working,
}

impl Field {
    /// What the number is to a form, except at the root of a template.
    fn role(self) -> Role {
        match self {
            Self::Literal | Self::Magnitude => Role::Value,
            Self::Position | Self::Low => Role::Offset,
            Self::LeafWidth => Role::SliceWidth,
            Self::Width => Role::Width,
            Self::Signed => Role::Signed,
            Self::Count => Role::Count,
            Self::Format => Role::Format,
            Self::Error => Role::Error,
        }
    }
}

impl<N> Template<N> {
    /// The slice at the root of a statement's template: it cuts the value to the element.
    pub(super) fn element(&self) -> Option<&Slice<Hole<N>>> {
        match &self.terms.last()?.kind {
            Kind::Slice(slice) => Some(slice),
            _ => None,
        }
    }
}

impl Hole<i64> {
    /// The number divided by `unit` and rounded down, at all indices of loops of these extents; `None` if that is not
    /// affine.
    pub(super) fn in_units(&self, extents: &[i64; LOOPS], unit: i64) -> Option<Self> {
        let whole = |stride: &i64| stride % unit == 0;
        let reach = |(stride, extent): (&i64, &i64)| match whole(stride) {
            true => 0,
            false => stride.saturating_mul(extent - 1),
        };
        let reaches = self.strides.iter().zip(extents).map(reach);
        let rest = reaches.fold(self.base % unit, i64::saturating_add);
        let rises = self.base >= 0 && self.strides.iter().all(|stride| *stride >= 0);
        let strides = self.strides.iter().map(|stride| if whole(stride) { stride / unit } else { 0 });
        (rises && rest < unit).then(|| Self { base: self.base / unit, strides: strides.collect() })
    }

    /// The same number at all indices.
    pub(super) fn fixed(base: i64, indices: usize) -> Self {
        Self { base, strides: vec![0; indices] }
    }

    /// Whether it depends on an index.
    pub fn varies(&self) -> bool {
        self.strides.iter().any(|stride| *stride != 0)
    }
}

impl<N> Form<N> {
    /// The same form with every number replaced; `free` says that the number does not matter (the stride of a
    /// loop that runs once). Numbers are visited in one fixed order.
    pub fn map<M>(&self, f: &mut impl FnMut(Role, &N, bool) -> M, is_one: &impl Fn(&N) -> bool) -> Form<M> {
        let results = self
            .results
            .iter()
            .map(|result| {
                let statements =
                    result.statements.iter().map(|statement| statement.map(f, is_one)).collect::<Vec<_>>();
                ResultForm { width: f(Role::ResultWidth, &result.width, false), statements }
            })
            .collect();
        let arg_widths = self.arg_widths.iter().map(|width| f(Role::ArgWidth, width, false)).collect();
        Form { arg_widths, results }
    }
}

impl Form<i64> {
    /// The form with 2 for each sign that does not matter: that of a slice as wide as the element of which only the low
    /// bits are used.
    pub fn with_free_signs(&self) -> Self {
        let mut form = self.clone();
        for statement in form.results.iter_mut().flat_map(|result| &mut result.statements) {
            let Some(root) = statement.template.element() else { continue };
            if root.low.base != 0 {
                continue;
            }
            let element = root.width.base;
            let terms = &mut statement.template.terms;
            let mut truncated = vec![true; terms.len()];
            for user in (0..terms.len()).rev() {
                let keeps = truncated[user]
                    && match terms[user].kind {
                        Kind::Sum { .. } | Kind::Mul | Kind::And | Kind::Or | Kind::Xor | Kind::Not => true,
                        Kind::Fold { op, .. } => !matches!(op, FoldOp::Min | FoldOp::Max),
                        Kind::Slice(_) => user + 1 == terms.len(),
                        _ => false,
                    };
                for child in terms[user].children.clone() {
                    truncated[child] &= keeps;
                }
            }
            for (term, truncated) in terms.iter_mut().zip(truncated) {
                if let Kind::Leaf { slice, .. } = &mut term.kind
                    && truncated
                    && slice.width.base >= element
                {
                    slice.signed.base = 2;
                }
            }
        }
        form
    }
}

impl<N> Statement<N> {
    fn map<M>(&self, f: &mut impl FnMut(Role, &N, bool) -> M, is_one: &impl Fn(&N) -> bool) -> Statement<M> {
        let root = self.template.terms.len() - 1;
        let once: Vec<bool> = self.extents.iter().map(is_one).collect();
        let mut fold_once = vec![false; self.template.terms.len()];
        for (position, term) in self.template.terms.iter().enumerate() {
            if let Kind::Fold { count, .. } = &term.kind {
                fold_once[position] = is_one(&count.base);
            }
        }
        let mut depth = 0;
        let extents = self.extents.each_ref().map(|extent| {
            depth += 1;
            f(Role::Extent(depth - 1), extent, false)
        });
        let position = Hole {
            base: f(Role::WriteOffset, &self.position.base, false),
            strides: self
                .position
                .strides
                .iter()
                .enumerate()
                .map(|(dim, stride)| f(Role::WriteStride(dim), stride, once[dim]))
                .collect(),
        };
        let terms = self
            .template
            .terms
            .iter()
            .enumerate()
            .map(|(place, term)| {
                let kind = term.kind.map(|field, hole| {
                    let role = match field {
                        Field::Width if place == root => Role::ElementWidth,
                        field => field.role(),
                    };
                    let is_free = |dim: usize| match dim.checked_sub(LOOPS) {
                        None => once[dim],
                        Some(fold) => fold_once[term.folds[fold]],
                    };
                    let base = f(role, &hole.base, false);
                    let strides = hole.strides.iter().enumerate();
                    let strides =
                        strides.map(|(dim, stride)| f(Role::Stride(dim), stride, is_free(dim))).collect();
                    Hole { base, strides }
                });
                Term {
                    kind,
                    children: term.children.clone(),
                    working: term.working.iter().map(|working| f(Role::Working, working, false)).collect(),
                    working_signed: term.working_signed,
                    folds: term.folds.clone(),
                }
            })
            .collect();
        Statement { extents, position, template: Template { terms } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Function;
    use crate::exact::raise;
    use crate::lane::canonicalize;

    /// The form of a function that writes four elements of 16 bits.
    fn form(element: &str) -> Form<i64> {
        let text = format!(
            "func @f(%a: 64, %b: 64) -> (%dst: 64) {{ for i in 0..4 {{ %dst[16*i +: 16] = {element} }} }}"
        );
        let (mut dag, raised) = raise(&Function::parse(&text).unwrap()).unwrap();
        canonicalize(&mut dag, &raised, |_| false).unwrap().form
    }

    #[test]
    fn only_a_shift_by_a_constant_becomes_a_slice() {
        let root = |element: &str| {
            let form = form(element);
            let terms = form.results[0].statements[0].template.terms.clone();
            terms.into_iter().map(|term| term.kind).rev().take(2).collect::<Vec<_>>()
        };
        let half = root("mul(%a[16*i +: 16], shr.s(%b[16*i +: 16], 0x1:16))");
        assert!(matches!(&half[..], [Kind::Slice(low), Kind::Mul] if low.low.base == 0), "{half:?}");
        let high =
            root("shr.s(mul(cast.s(%a[16*i +: 16], 32), cast.s(%b[16*i +: 16], 32)), 0x3:32)[0 +: 16]");
        assert!(matches!(&high[..], [Kind::Slice(high), Kind::Mul] if high.low.base == 3), "{high:?}");
        let least = root("cast.u(lt.u(%a[16*i +: 16], 0x3:16), 16)");
        assert!(matches!(&least[..], [Kind::Slice(bit), Kind::Lt] if bit.low.base == 0), "{least:?}");
    }

    #[test]
    fn positions_are_counted_in_units() {
        let position = |base, strides: [i64; LOOPS]| Hole { base, strides: strides.to_vec() };
        let found = |hole: Hole<i64>| hole.in_units(&[4, 2, 1], 32);
        // Elements of 16 bits, two in each unit.
        assert_eq!(found(position(0, [32, 16, 0])), Some(position(0, [1, 0, 0])));
        assert_eq!(found(position(80, [32, 0, 0])), Some(position(2, [1, 0, 0])));
        assert_eq!(found(position(16, [32, 16, 0])), None, "the second one is in the next unit");
        assert_eq!(found(position(0, [16, 0, 0])), None);
        assert_eq!(found(position(96, [-32, 0, 0])), None);
    }

    #[test]
    fn numbers_have_roles_and_strides_of_single_iterations_do_not_matter() {
        let mut seen = Vec::new();
        let sum = form("add(%a[16*i +: 16], fold xor (j in 0..2) %b[8*j +: 16])");
        let same = sum.map(
            &mut |role, number, is_free| {
                seen.push((role, *number, is_free));
                *number
            },
            &|number| *number == 1,
        );
        assert_eq!(same, sum);
        let of = |wanted: Role| {
            let numbers = seen.iter().filter(|(role, ..)| *role == wanted);
            numbers.map(|(_, number, is_free)| (*number, *is_free)).collect::<Vec<_>>()
        };
        assert_eq!(of(Role::ElementWidth), [(16, false)]);
        assert_eq!([0, 1, 2].map(|depth| of(Role::Extent(depth))[0].0), [1, 1, 4]);
        assert_eq!(
            [0, 1, 2].map(|depth| of(Role::WriteStride(depth))[0]),
            [(0, true), (0, true), (16, false)]
        );
        assert!(of(Role::Stride(0)).iter().all(|(_, is_free)| *is_free));
        assert!(of(Role::Stride(LOOPS)).contains(&(8, false)), "{seen:?}");
        assert_eq!(of(Role::Count), [(2, false)]);
    }

    #[test]
    fn signs_matter_where_bits_above_the_slice_are_used() {
        for (element, is_free) in [
            ("add(%a[16*i +: 16], %b[16*i +: 16])", true),
            ("fold add (j in 0..2) %a[16*j +: 16]", true),
            ("mul(cast.s(%a[8*i +: 8], 16), cast.s(%b[8*i +: 8], 16))", false),
            ("max.s(%a[16*i +: 16], %b[16*i +: 16])", false),
            ("mul(cast.s(%a[16*i +: 16], 32), cast.s(%b[16*i +: 16], 32))[16 +: 16]", false),
        ] {
            let free = form(element).with_free_signs();
            let terms =
                free.results.iter().flat_map(|result| &result.statements).flat_map(|s| &s.template.terms);
            let signs = terms.filter_map(|term| match &term.kind {
                Kind::Leaf { slice, .. } => Some(slice.signed.base == 2),
                _ => None,
            });
            assert!(signs.clone().count() > 0 && signs.clone().all(|sign| sign == is_free), "{element}");
        }
    }
}
