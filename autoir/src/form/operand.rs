//! The types of an instance's operands.
//!
//! A register is a vector of elements of a power-of-two width. The element is what the function reads or writes of it
//! (see [`element`]); the number of elements follows from the width of the vendor's register, of which the function may
//! use only a part.

use catalog::{Known, Operand};
use hydride_ir::visit::Event;
use hydride_ir::{ArgId, ExprId, Function, Op, Role};

use crate::facts::{Assignment, Facts, ValueType, gcd};

/// The widest element in bits.
const MAX_ELEMENT: u64 = 64;

/// The slices of a value that a function reads or writes: for each its width, its lowest position and what divides the
/// steps to the others.
#[derive(Clone, Debug, Default)]
struct Slices(Vec<(u64, u64, u64)>);

impl Slices {
    fn add(&mut self, width: u32, (base, step): (i64, u64)) {
        self.0.push((u64::from(width), base.unsigned_abs(), step));
    }

    /// Divides every width and every position.
    fn grain(&self) -> u64 {
        self.0.iter().fold(0, |grain, (width, base, step)| gcd(grain, gcd(*width, gcd(*base, *step))))
    }

    /// The distance at which slices follow each other, where each is within one multiple of it.
    fn spacing(&self) -> Option<u64> {
        let step = self.0.iter().fold(0, |grain, (.., step)| gcd(grain, *step));
        let inside = |(width, base, _): &(u64, u64, u64)| base % step + width <= step;
        let bases = self.0.first().map_or(0, |(_, first, _)| *first);
        let aligned = self.0.iter().all(|(_, base, _)| step != 0 && base / step == bases / step);
        (step != 0 && aligned && self.0.iter().all(inside)).then_some(step)
    }
}

/// The element of a register that is accessed in the given slices, in bits: 1, or a power of two from 8 to 64. `None`
/// where it has none: the register is a scalar.
///
/// | slices | element |
/// |---|---|
/// | of one width, at multiples of it | that width, at most 64 |
/// | narrower, each within one multiple of a power of two from 8 on | that power of two |
/// | single bits closer to each other | 1 |
/// | others | none |
fn element(slices: &Slices) -> Option<u64> {
    let grain = slices.grain();
    if grain != 0 && grain.is_multiple_of(8) {
        let power = 1 << grain.trailing_zeros();
        return Some(MAX_ELEMENT.min(power));
    }
    match slices.spacing() {
        Some(step) if step.is_power_of_two() && (8..=MAX_ELEMENT).contains(&step) => Some(step),
        Some(_) if slices.0.iter().all(|(width, ..)| *width == 1) => Some(1),
        _ => None,
    }
}

/// The type of a register of `available` bits (0 where it is of any width) of which `used` are accessed, in the given
/// slices.
fn register(available: u32, used: u32, slices: &Slices) -> ValueType {
    match element(slices).and_then(|element| u32::try_from(element).ok()) {
        Some(1) => ValueType::vector(used.next_power_of_two(), 1),
        Some(element) if available >= used && available.is_multiple_of(element) => {
            ValueType::vector(available / element, element)
        }
        Some(element) => ValueType::vector(used.div_ceil(element).next_power_of_two(), element),
        None if available >= used && available <= 64 => ValueType::scalar(available.next_power_of_two()),
        None if used <= 64 => ValueType::scalar(used.next_power_of_two()),
        None => ValueType::vector(used.div_ceil(64).next_power_of_two(), 64),
    }
}

/// The types of the operands of a member of a family; `None` where a width is outside what the IR admits.
pub(crate) fn types(function: &Function, known: &Known) -> Option<Facts> {
    let assignment = Assignment::new(function, &known.application.params);
    let read = slices_read(function, &assignment)?;
    let written = slices_written(function, &assignment)?;
    let mut args = Vec::with_capacity(read.len());
    for ((arg, slices), operand) in function.args.iter().zip(read).zip(&known.operands) {
        let used = assignment.width(&arg.width)?;
        args.push(match arg.role {
            Role::Immediate { .. } => ValueType::scalar(used),
            Role::Register | Role::Memory { .. } => {
                let ValueType { element, count, .. } = register(available(*operand), used, &slices);
                // Three registers have the type of four.
                ValueType::vector(count.next_power_of_two(), element)
            }
        });
    }
    let mut results = Vec::with_capacity(written.len());
    for (result, slices) in function.results.iter().zip(written) {
        let used = assignment.width(&result.width)?;
        results.push(register(used, used, &slices));
    }
    Some(Facts { args, results })
}

/// The width of a register that is passed as it is, and 0 for another operand.
fn available(operand: Operand) -> u32 {
    match operand {
        Operand::Whole(width) => width,
        Operand::Immediate(_) | Operand::Other => 0,
    }
}

/// For each argument the slices that the expressions read.
fn slices_read(function: &Function, assignment: &Assignment<'_>) -> Option<Vec<Slices>> {
    let exprs = function.exprs();
    let mut slices = vec![Slices::default(); function.args.len()];
    // The argument that an expression is a slice of, if it is one.
    let mut roots: Vec<Option<ArgId>> = Vec::with_capacity(exprs.len());
    let whole = |id: ExprId| assignment.expr_width(id);
    for expr in exprs {
        let root = match expr.op {
            Op::Arg(arg) => Some(arg),
            Op::Extract { of, .. } => roots[of.0 as usize],
            _ => None,
        };
        let width = assignment.width(&expr.width)?;
        if let (Some(arg), Op::Extract { low, .. }) = (root, &expr.op) {
            slices[arg.0 as usize].add(width, assignment.steps(low)?);
        }
        for operand in expr.op.operands() {
            let Some(arg) = roots[operand.0 as usize] else { continue };
            match (&expr.op, &exprs[operand.0 as usize].op) {
                (Op::Extract { .. }, _) => {}
                (Op::ExtractAt { of, .. }, _) if *of == operand => slices[arg.0 as usize].add(width, (0, 0)),
                // The argument is used as a whole.
                (_, Op::Arg(_)) => slices[arg.0 as usize].add(whole(operand)?, (0, 0)),
                _ => {}
            }
        }
        roots.push(root);
    }
    Some(slices)
}

/// For each result the slices that the statements write.
fn slices_written(function: &Function, assignment: &Assignment<'_>) -> Option<Vec<Slices>> {
    let mut slices = vec![Slices::default(); function.results.len()];
    for event in function.walk() {
        if let Event::Assign(written) = event {
            let width = assignment.expr_width(written.value)?;
            slices[written.result.0 as usize].add(width, assignment.steps(written.low)?);
        }
    }
    Some(slices)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slices(all: &[(u32, i64, u64)]) -> Slices {
        let mut slices = Slices::default();
        all.iter().for_each(|(width, base, step)| slices.add(*width, (*base, *step)));
        slices
    }

    #[test]
    fn an_element_is_a_power_of_two() {
        for (all, expected) in [
            // Bytes, the odd bytes, the even words of a register of words.
            (vec![(8, 0, 8)], Some(8)),
            (vec![(8, 8, 16)], Some(8)),
            (vec![(16, 0, 32)], Some(16)),
            // Elements of 128 bits, halves and quarters of which have names in no instruction set.
            (vec![(128, 0, 128)], Some(64)),
            // Five bits of each word; the sign bit of each byte.
            (vec![(5, 0, 16)], Some(16)),
            (vec![(1, 7, 8)], Some(8)),
            // One bit of each, and every fourth bit.
            (vec![(1, 0, 1)], Some(1)),
            (vec![(1, 0, 4)], Some(1)),
            // Nothing that is repeated.
            (vec![(5, 0, 0)], None),
            // Across a multiple of the distance, in two of them, and a distance that is no power of two.
            (vec![(5, 12, 16)], None),
            (vec![(5, 4, 16)], Some(16)),
            (vec![(5, 0, 16), (5, 17, 16)], None),
            (vec![(5, 0, 24)], None),
            (vec![(1, 0, 24)], Some(1)),
            (vec![(24, 0, 24)], Some(8)),
        ] {
            assert_eq!(element(&slices(&all)), expected, "{all:?}");
        }
    }

    #[test]
    fn elements_are_the_greatest_common_slices() {
        let vector = ValueType::vector;
        // Positions count as well as widths, and so does an argument that is used as a whole.
        for (value, expected) in [
            ("%a[16*i +: 16]", vector(8, 16)),
            ("%a[8*i +: 16]", vector(16, 8)),
            ("%a[16*i + 8 +: 16]", vector(16, 8)),
            ("%a[32*i +: 16]", vector(8, 16)),
            ("%a[0 +: 16]", vector(8, 16)),
            ("cast.s(%a[i +: 1], 16)", vector(128, 1)),
            ("cast.s(%a[16*i + 15 +: 1], 16)", vector(8, 16)),
            ("cast.s(%a[i +: 2], 16)", vector(2, 64)),
            ("not(%a)[16*i +: 16]", vector(2, 64)),
            ("add(%a[32*i +: 16], not(%a)[0 +: 16])", vector(8, 16)),
            ("%a[at %index[8*i +: 8] +: 16]", vector(8, 16)),
            ("%a[32*i +: 32][16 +: 16]", vector(8, 16)),
        ] {
            let text = format!(
                "func @f(%a: 128, %index: 32) -> (%r: 64) {{ for i in 0..4 {{ %r[16*i +: 16] = {value} }} }}"
            );
            let function = Function::parse(&text).unwrap();
            let application = catalog::Application::plain(Vec::new(), &[0, 1]);
            let operands = [128, 32].map(Operand::Whole).to_vec();
            let known = Known { application, operands, commutes: false };
            let found = types(&function, &known).unwrap();
            assert_eq!((found.args[0], found.results[0]), (expected, vector(4, 16)), "{value}");
        }
    }

    /// What is read at a computed position says nothing about the position's own register.
    #[test]
    fn positions_have_elements_of_their_own() {
        let text = "func @f(%a: 128, %index: 32) -> (%r: 64) {
            for i in 0..4 { %r[16*i +: 16] = cast.u(%a[at %index[8*i +: 8] +: 4], 16) }
        }";
        let application = catalog::Application::plain(Vec::new(), &[0, 1]);
        let known = Known { application, operands: [128, 32].map(Operand::Whole).to_vec(), commutes: false };
        let found = types(&Function::parse(text).unwrap(), &known).unwrap();
        assert_eq!(found.args, [ValueType::vector(2, 64), ValueType::vector(4, 8)]);
    }

    #[test]
    fn a_register_is_as_wide_as_the_vendors() {
        let bytes = slices(&[(8, 0, 8)]);
        assert_eq!(register(128, 64, &bytes), ValueType::vector(16, 8));
        let counts = slices(&[(5, 0, 16)]);
        assert_eq!(register(0, 53, &counts), ValueType::vector(4, 16));
        assert_eq!(register(8, 2, &slices(&[(1, 0, 1)])), ValueType::vector(2, 1));
        assert_eq!(register(32, 5, &slices(&[(5, 0, 0)])), ValueType::scalar(32));
        assert_eq!(register(0, 19, &slices(&[(19, 0, 0)])), ValueType::scalar(32));
    }
}
