//! Operands that every instance fills with an immediate, or with copies of one.
//!
//! ```text
//! family   shl(%a[16*i +: 16], %b[16*i +: 4])    %b: 64, an immediate from 0 to 15 every 16 bits
//! form     shl(%a[16*i +: 16], %b)               %b: 8 imm 0..=15
//! ```
//!
//! All copies are equal, so a read needs no index that steps from copy to copy. A read of all bits that documented values
//! have is the immediate itself, where its users read it unsigned at any width. Positions that are computed from it have
//! [`POSITION_WIDTH`] bits, whatever the family needs.

use std::collections::{BTreeMap, BTreeSet};

use catalog::{Broadcast, Immediate, Known, Operand, Source};
use hydride_ir::visit::rewrite;
use hydride_ir::{ArgId, Atom, BinaryOp, Expr, ExprId, Function, IndexId, MAX_WIDTH, Num, Op, Role};

use crate::facts::Assignment;

/// Widths of immediate operands in bits: the first one that holds all documented values is taken.
const WIDTHS: [u32; 2] = [8, 32];

/// The width of positions that are computed from an immediate, in bits.
const POSITION_WIDTH: u32 = 32;

/// The copies of an immediate that an operand consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Copies {
    /// Position of the immediate among the instruction's arguments.
    pub(super) arg: u32,
    /// Its documented values; none is negative.
    range: Immediate,
    /// The bits of a copy, the low ones of the immediate.
    width: u32,
    /// The distance of copies in bits; what is between them is zero. A single copy has zeros above it.
    stride: u32,
}

impl Copies {
    fn new(source: Source, operand: Operand) -> Option<Self> {
        let Operand::Immediate(range) = operand else { return None };
        let bits = range.bits()?;
        match source {
            Source::Own(arg) => Some(Self { arg, range, width: bits, stride: MAX_WIDTH }),
            Source::Broadcast(Broadcast { arg, low: 0, lane: None, width, stride }) => {
                Some(Self { arg, range, width, stride })
            }
            Source::Broadcast(_) | Source::Constant(_) | Source::Masked(_) => None,
        }
    }

    /// Whether documented values have no more bits.
    fn fits(&self, width: u32) -> bool {
        self.range.bits().is_some_and(|bits| bits <= width)
    }
}

/// For each argument of its family's function the copies that a member fills it with, where it does.
pub(super) fn copies(known: &Known) -> Vec<Option<Copies>> {
    let sources = known.application.args.iter().zip(&known.operands);
    sources.map(|(source, operand)| Copies::new(*source, *operand)).collect()
}

/// For each argument whether it is a register that a member fills with copies.
pub(super) fn filled_registers(family: &Function, copies: &[Option<Copies>]) -> Vec<bool> {
    let args = family.args.iter().zip(copies);
    args.map(|(arg, copies)| !arg.role.is_immediate() && copies.is_some()).collect()
}

/// The family's function for members, each given by its parameter values and its copies: an operand that all of them
/// fill with copies is an immediate. One that is read in another way than copy by copy stays a register.
pub(super) fn with_immediates(family: &Function, members: &[(&[i64], &[Option<Copies>])]) -> Function {
    (0..family.args.len()).fold(family.clone(), |function, position| {
        let of_member = |(params, copies): &(_, &[Option<Copies>])| Some((*params, copies[position]?));
        let Some(members) = members.iter().map(of_member).collect::<Option<Vec<_>>>() else {
            return function;
        };
        let exchanged = Exchange::new(&function, ArgId(position as u32), &members);
        exchanged.and_then(|exchange| exchange.function()).unwrap_or(function)
    })
}

/// The least and the greatest of some numbers.
type Range = (i64, i64);

/// An immediate in place of an argument.
struct Exchange<'a> {
    function: &'a Function,
    arg: ArgId,
    range: Immediate,
    /// The immediate's width in bits.
    width: u32,
    members: Vec<(Assignment<'a>, Copies)>,
    /// The number of values of each index.
    counts: BTreeMap<IndexId, &'a Num>,
}

/// What takes the place of a read of the argument.
enum Read {
    /// The immediate.
    Whole,
    /// A slice of it, from that position.
    Slice(Num),
}

impl<'a> Exchange<'a> {
    fn new(function: &'a Function, arg: ArgId, members: &[(&'a [i64], Copies)]) -> Option<Self> {
        let ranges = || members.iter().map(|(_, copies)| copies.range);
        let low = ranges().map(|range| range.low).min()?;
        let high = ranges().map(|range| range.high).max()?;
        let width = WIDTHS.into_iter().find(|width| members.iter().all(|(_, copies)| copies.fits(*width)))?;
        let assignment =
            |(params, copies): &(&'a [i64], Copies)| (Assignment::new(function, params), *copies);
        let folds = function.exprs().iter().filter_map(|expr| match &expr.op {
            Op::Fold { index, count, .. } => Some((*index, count)),
            _ => None,
        });
        Some(Self {
            function,
            arg,
            range: Immediate { low, high },
            width,
            members: members.iter().map(assignment).collect(),
            counts: function.loops().map(|around| (around.index, around.count)).chain(folds).collect(),
        })
    }

    /// The function with the immediate; `None` where a read is no slice of one copy.
    fn function(&self) -> Option<Function> {
        let reads = self.reads()?;
        let positions = self.positions(&reads);
        let mut ids = (0..).map(ExprId);
        let mut function = rewrite(self.function, |copy, expr| {
            let id = ids.next().expect("each expression has an id");
            match (&expr.op, reads.get(&id)) {
                _ if positions.contains(&id) => copy.push(copy.op(expr), POSITION_WIDTH),
                (Op::Arg(arg), _) if *arg == self.arg => copy.push(expr.op.clone(), self.width),
                (Op::Extract { of, .. }, Some(Read::Whole)) => copy.id(*of),
                (Op::Extract { of, .. }, Some(Read::Slice(low))) => {
                    copy.push(Op::Extract { of: copy.id(*of), low: low.clone() }, expr.width.clone())
                }
                _ => copy.keep(expr),
            }
        });
        let arg = &mut function.args[self.arg.0 as usize];
        arg.width = self.width.into();
        arg.role = Role::Immediate { low: self.range.low, high: self.range.high };
        Some(function)
    }

    /// What takes the place of each read of a slice or of the whole argument.
    fn reads(&self) -> Option<BTreeMap<ExprId, Read>> {
        let is_argument = |id: ExprId| self.function.expr(id).op == Op::Arg(self.arg);
        let mut reads = BTreeMap::new();
        for (id, expr) in (0..).map(ExprId).zip(self.function.exprs()) {
            match &expr.op {
                Op::Extract { of, low } if is_argument(*of) => {
                    reads.insert(id, self.read(id, low, &expr.width)?);
                }
                Op::Arg(_) if is_argument(id) => {
                    let read = self.read(id, &Num::constant(0), &expr.width);
                    let is_sliced = |user: &Expr| matches!(user.op, Op::Extract { .. });
                    match read {
                        Some(Read::Whole) => reads.insert(id, Read::Whole),
                        _ if self.users(id).all(is_sliced) => None,
                        _ => return None,
                    };
                }
                _ => {}
            }
        }
        Some(reads)
    }

    /// The expressions that an expression is an operand of.
    fn users(&self, id: ExprId) -> impl Iterator<Item = &Expr> {
        self.function.exprs().iter().filter(move |expr| expr.op.operands().contains(&id))
    }

    /// A read of `width` bits from `low`.
    fn read(&self, id: ExprId, low: &Num, width: &Num) -> Option<Read> {
        let steps_to_copies = |index: IndexId| {
            self.members.iter().all(|(assignment, copies)| {
                let count = self.count(assignment, index);
                let step = step(assignment, low, index);
                count == Some(1) || step.is_some_and(|step| step % i64::from(copies.stride) == 0)
            })
        };
        let low = low.substitute(|atom| match atom {
            Atom::Index(index) if steps_to_copies(index) => Num::constant(0),
            Atom::Index(index) => Num::index(index),
            Atom::Param(param) => Num::param(param),
        });
        let mut is_whole = self.is_read_unsigned(id);
        for (assignment, copies) in &self.members {
            let width = assignment.width(width)?;
            let (first, last) = self.span(assignment, &low)?;
            let end = u32::try_from(last).ok()?.checked_add(width)?;
            let is_copied = end <= copies.width || copies.fits(copies.width);
            if first < 0 || end > copies.stride.min(self.width) || !is_copied {
                return None;
            }
            is_whole &= last == 0 && (width == self.width || copies.fits(width));
        }
        Some(if is_whole { Read::Whole } else { Read::Slice(low) })
    }

    /// The expressions that positions are computed with, from whole reads: sums and products without overflow at the
    /// documented values, and at [`POSITION_WIDTH`] as well.
    fn positions(&self, reads: &BTreeMap<ExprId, Read>) -> BTreeSet<ExprId> {
        let is_whole = |id: &ExprId| matches!(reads.get(id), Some(Read::Whole));
        let ranges: Vec<Vec<Option<Range>>> = self
            .members
            .iter()
            .map(|(assignment, copies)| self.ranges(assignment, copies, is_whole))
            .collect();
        let fits = |id: ExprId| {
            self.members.iter().zip(&ranges).all(|((assignment, _), ranges)| {
                let width = assignment.expr_width(id).map(|width| width.min(POSITION_WIDTH));
                let range = ranges[id.0 as usize];
                range.zip(width).is_some_and(|((low, high), width)| low >= 0 && high < 1 << width)
            })
        };
        let mut positions = BTreeSet::new();
        for expr in self.function.exprs() {
            let Op::ExtractAt { low, .. } = expr.op else { continue };
            let terms = self.terms(low).filter(|terms| fits(low) && self.is_only_position(low, terms));
            let reads_immediate = |id: &ExprId| self.function.expr(*id).op.operands().iter().any(is_whole);
            positions.extend(terms.filter(|terms| terms.iter().any(reads_immediate)).into_iter().flatten());
        }
        positions
    }

    /// The values of each expression at an instance, as exact integers, where they are known.
    fn ranges(
        &self,
        assignment: &Assignment<'_>,
        copies: &Copies,
        is_whole: impl Fn(&ExprId) -> bool,
    ) -> Vec<Option<Range>> {
        let mut ranges: Vec<Option<Range>> = Vec::new();
        for expr in self.function.exprs() {
            let range = match &expr.op {
                Op::Int(num) => self.span(assignment, num),
                Op::Cast { of, .. } if is_whole(of) => Some((copies.range.low, copies.range.high)),
                Op::Cast { of, signed } if signed.as_constant() == Some(0) => {
                    let width = assignment.expr_width(*of).filter(|width| *width < POSITION_WIDTH);
                    width.map(|width| (0, (1 << width) - 1))
                }
                Op::Binary { op, left, right, .. } => {
                    let operands = ranges[left.0 as usize].zip(ranges[right.0 as usize]);
                    operands.and_then(|(left, right)| range_of(*op, left, right))
                }
                _ => None,
            };
            ranges.push(range);
        }
        ranges
    }

    /// The sums, products, numbers and extensions that an expression is made of, if it is made of nothing else.
    fn terms(&self, root: ExprId) -> Option<BTreeSet<ExprId>> {
        let (mut terms, mut rest) = (BTreeSet::new(), vec![root]);
        while let Some(id) = rest.pop() {
            match &self.function.expr(id).op {
                Op::Int(_) | Op::Cast { .. } => {}
                Op::Binary { op: BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, left, right, .. } => {
                    rest.extend([*left, *right]);
                }
                _ => return None,
            }
            terms.insert(id);
        }
        Some(terms)
    }

    /// Whether a position and its terms are used for nothing else.
    fn is_only_position(&self, position: ExprId, terms: &BTreeSet<ExprId>) -> bool {
        let other_use = |(user, op): (ExprId, &Op)| match op {
            Op::ExtractAt { of, low } => terms.contains(of) || (terms.contains(low) && *low != position),
            Op::Binary { .. } if terms.contains(&user) => false,
            op => op.operands().iter().any(|operand| terms.contains(operand)),
        };
        let exprs = self.function.exprs().iter().map(|expr| &expr.op);
        !(0..).map(ExprId).zip(exprs).any(other_use)
            && !self.function.assignments().any(|written| terms.contains(&written.value))
    }

    /// The least and the greatest value over all indices.
    fn span(&self, assignment: &Assignment<'_>, num: &Num) -> Option<Range> {
        let base = assignment.base(num)?;
        let indices: BTreeSet<IndexId> = num.atoms().filter_map(index).collect();
        indices.into_iter().try_fold((base, base), |(first, last), index| {
            let most = step(assignment, num, index)?.checked_mul(self.count(assignment, index)? - 1)?;
            Some((first + most.min(0), last + most.max(0)))
        })
    }

    fn count(&self, assignment: &Assignment<'_>, index: IndexId) -> Option<i64> {
        assignment.base(self.counts.get(&index)?)
    }

    /// Whether all users of an expression read it unsigned, whatever its width. Slices of the argument have their own
    /// replacement.
    fn is_read_unsigned(&self, id: ExprId) -> bool {
        let is_argument = self.function.expr(id).op == Op::Arg(self.arg);
        let reads_unsigned = |op: &Op| match op {
            Op::Cast { signed, .. } => signed.as_constant() == Some(0),
            Op::ExtractAt { .. } => true,
            Op::Extract { .. } => is_argument,
            Op::Binary { op: BinaryOp::Shl | BinaryOp::Shr, left, .. } => *left != id,
            _ => false,
        };
        self.users(id).all(|user| reads_unsigned(&user.op))
            && !self.function.assignments().any(|written| written.value == id)
    }
}

/// The values of a sum, a difference or a product of numbers of two ranges.
fn range_of(op: BinaryOp, left: Range, right: Range) -> Option<Range> {
    let ends = [left.0, left.1].into_iter().flat_map(|left| [(left, right.0), (left, right.1)]);
    let of_ends = ends.map(|(left, right)| match op {
        BinaryOp::Add => left.checked_add(right),
        BinaryOp::Sub => left.checked_sub(right),
        BinaryOp::Mul => left.checked_mul(right),
        _ => None,
    });
    let values: Vec<i64> = of_ends.collect::<Option<_>>()?;
    Some((*values.iter().min()?, *values.iter().max()?))
}

fn index(atom: Atom) -> Option<IndexId> {
    match atom {
        Atom::Index(index) => Some(index),
        Atom::Param(_) => None,
    }
}

/// How far a number moves from one value of an index to the next.
fn step(assignment: &Assignment<'_>, num: &Num, index: IndexId) -> Option<i64> {
    let next = assignment.value(num, &|other| i64::from(other == index))?;
    next.checked_sub(assignment.base(num)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn immediate(text: &str, members: &[(&[i64], Copies)]) -> String {
        let function = Function::parse(text).unwrap();
        let copies: Vec<[Option<Copies>; 2]> =
            members.iter().map(|(_, copies)| [None, Some(*copies)]).collect();
        let members: Vec<(&[i64], &[Option<Copies>])> =
            members.iter().zip(&copies).map(|((params, _), copies)| (*params, &copies[..])).collect();
        let found = with_immediates(&function, &members);
        for (params, _) in members {
            found.verify_with(params).unwrap();
        }
        found.to_string()
    }

    fn copies(high: i64, width: u32, stride: u32) -> Copies {
        Copies { arg: 1, range: Immediate { low: 0, high }, width, stride }
    }

    const SHIFT: &str = "\
func @f[w = 16, n = 4, s = 4, step = 16](%a: n*w, %b: 256) -> (%dst: n*w) {
  for i in 0..n {
    %dst[w*i +: w] = shl(%a[w*i +: w], %b[step*i +: s])
  }
}
";

    #[test]
    fn counts_of_different_widths_are_one_immediate() {
        let members: [(&[i64], Copies); 3] = [
            (&[16, 4, 4, 16], copies(15, 4, 16)),
            (&[32, 4, 8, 32], copies(255, 8, 32)),
            // The only copy is as narrow as its values.
            (&[64, 1, 6, 0], copies(63, 6, 64)),
        ];
        let found = immediate(SHIFT, &members);
        assert!(found.contains("%b: 8 imm 0..=255"), "{found}");
        assert!(found.contains("shl(%a[w*i +: w], %b)"), "{found}");
    }

    #[test]
    fn counts_that_wrap_are_slices() {
        let found = immediate(SHIFT, &[(&[16, 4, 4, 16], copies(255, 4, 16))]);
        assert!(found.contains("shl(%a[w*i +: w], %b[0 +: s])"), "{found}");
    }

    #[test]
    fn the_bits_of_a_copy_are_chosen_by_the_other_indices() {
        let text = "\
func @f[step = 8](%a: 128, %b: 64) -> (%dst: 64) {
  for i in 0..2 {
    for j in 0..4 {
      %dst[32*i + 8*j +: 8] = %a[at %b[step*i + 2*j +: 2] +: 8]
    }
  }
}
";
        let found = immediate(text, &[(&[8], copies(255, 8, 8))]);
        assert!(found.contains("%b[2*j +: 2]"), "{found}");
        let found = immediate(text, &[(&[4], copies(255, 8, 8))]);
        assert!(found.contains("%b: 64)"), "reads are in two copies: {found}");
    }

    #[test]
    fn bits_that_groups_share_are_one_immediate() {
        let text = "\
func @f[w = 16, n = 8, g = 2, o = 0](%a: w*n*g, %b: w*n) -> (%dst: w*n*g) {
  for i in 0..g {
    for j in 0..n {
      %dst[w*j + 128*i +: w] = select(%b[o + o*j + j +: 1], %a[w*j + 128*i +: w], int(0, w))
    }
  }
}
";
        let found =
            immediate(text, &[(&[16, 8, 2, 0], copies(255, 8, 8)), (&[64, 4, 1, 0], copies(15, 8, 8))]);
        assert!(found.contains("%b: 8 imm 0..=255"), "{found}");
    }

    #[test]
    fn positions_of_different_widths_are_one() {
        let text = "\
func @f[w = 8, s = 3](%a: 256, %b: 8) -> (%dst: w) {
  %dst[0 +: w] = %a[at mul(cast.u(%b[0 +: s], s + 6), int(w, s + 6)) +: w]
}
";
        let found = immediate(text, &[(&[8, 3], copies(7, 3, 8)), (&[64, 2], copies(3, 2, 8))]);
        assert!(
            found.contains("@f[w = 8, s = 3]") && found.contains("mul(cast.u(%b, 32), int(w, 32))"),
            "{found}"
        );
        // The position of the last element wraps.
        for (params, copies, fits) in [
            ([128, 3], copies(7, 3, 8), false),
            ([128, 4], copies(8, 4, 8), false),
            ([127, 4], copies(8, 4, 8), true),
            // Documented values count, and not the bits that they have.
            ([80, 3], copies(5, 3, 8), true),
            ([80, 3], copies(7, 3, 8), false),
        ] {
            let found = immediate(text, &[(&params, copies)]);
            let width = if fits { "32" } else { "s + 6" };
            assert!(found.contains(&format!("mul(cast.u(%b, {width}), int(w, {width}))")), "{found}");
        }
    }

    /// The position ends where its width does, with `s = 3` at 511.
    #[test]
    fn positions_are_sums_and_differences_too() {
        for (position, w, width) in [
            ("add(cast.u(%a[0 +: 3], s + 6), mul(cast.u(%b[0 +: s], s + 6), int(w, s + 6)))", 72, "32"),
            ("add(cast.u(%a[0 +: 3], s + 6), mul(cast.u(%b[0 +: s], s + 6), int(w, s + 6)))", 73, "s + 6"),
            ("sub(int(8*w, s + 6), mul(cast.u(%b[0 +: s], s + 6), int(w, s + 6)))", 8, "32"),
            ("sub(int(6*w, s + 6), mul(cast.u(%b[0 +: s], s + 6), int(w, s + 6)))", 8, "s + 6"),
        ] {
            let text = format!(
                "func @f[w = 8, s = 3](%a: 1024, %b: 8) -> (%dst: 8) {{ %dst[0 +: 8] = %a[at {position} +: 8] }}"
            );
            let found = immediate(&text, &[(&[w, 3], copies(7, 3, 8))]);
            assert!(found.contains(&format!("int(w, {width})")), "{found}");
        }
    }

    #[test]
    fn what_reads_all_bits_unsigned_reads_the_immediate() {
        for (value, expected) in [
            ("cast.u(%b[0 +: 4], 8)", "cast.u(%b, 8)"),
            ("%a[at %b[0 +: 4] +: 8]", "%a[at %b +: 8]"),
            ("shr.u(%a[0 +: 8], %b[0 +: 4])", "shr.u(%a[0 +: 8], %b)"),
            ("shl(cast.u(%b[2 +: 2], 8), %a[0 +: 8])", "%b[2 +: 2]"),
            ("cast.u(shl(%b[0 +: 4], %a[0 +: 8]), 8)", "shl(%b[0 +: 4]"),
            ("fold add (k in 0..2) cast.u(%b[8*k +: 4], 8)", "cast.u(%b, 8)"),
            ("fold add (k in 0..2) cast.u(%b[8*k + 2 +: 2], 8)", "cast.u(%b[2 +: 2], 8)"),
        ] {
            let text = format!("func @f(%a: 64, %b: 16) -> (%dst: 8) {{ %dst[0 +: 8] = {value} }}");
            let found = immediate(&text, &[(&[], copies(15, 8, 8))]);
            assert!(found.contains("%b: 8 imm 0..=15") && found.contains(expected), "{found}");
        }
    }

    #[test]
    fn what_is_read_otherwise_stays_a_register() {
        let whole = "func @f(%a: 8, %b: 16) -> (%dst: 16) { %dst[0 +: 16] = not(%b) }";
        assert!(!immediate(whole, &[(&[], copies(15, 8, 16))]).contains("imm"));
        let signed = "func @f(%a: 8, %b: 16) -> (%dst: 16) { %dst[0 +: 16] = cast.s(%b[0 +: 4], 16) }";
        let found = immediate(signed, &[(&[], copies(15, 8, 16))]);
        assert!(found.contains("cast.s(%b[0 +: 4], 16)"), "{found}");
    }

    /// At another width a sum with a negative number wraps at another place.
    #[test]
    fn positions_with_a_signed_operand_keep_their_width() {
        let text = |sign: &str| {
            format!(
                "func @f[s = 3](%a: 256, %b: 8) -> (%dst: 8) {{
                   %dst[0 +: 8] = %a[at add(cast.{sign}(%a[0 +: 2], 8), cast.u(%b[0 +: s], 8)) +: 8]
                 }}"
            )
        };
        for (sign, width) in [("s", 8), ("u", 32)] {
            let found = immediate(&text(sign), &[(&[3], copies(7, 3, 8))]);
            assert!(found.contains(&format!("cast.{sign}(%a[0 +: 2], {width})")), "{found}");
        }
    }

    #[test]
    fn positions_that_are_written_as_well_keep_their_width() {
        for (written, width) in [
            ("%dst[8 +: s + 6] = p", "s + 6"),
            ("%dst[8 +: s + 6] = not(p)", "s + 6"),
            ("%dst[8 +: s + 6] = add(p, p)", "s + 6"),
            ("", "32"),
        ] {
            let text = format!(
                "func @f[s = 3](%a: 256, %b: 8) -> (%dst: 17) {{
                   let p = mul(cast.u(%b[0 +: s], s + 6), int(8, s + 6))
                   %dst[0 +: 8] = %a[at p +: 8]
                   {}
                 }}",
                if written.is_empty() { "%dst[8 +: 9] = %a[0 +: 9]" } else { written }
            );
            let found = immediate(&text, &[(&[3], copies(7, 3, 8))]);
            assert!(found.contains(&format!("int(8, {width})")), "{found}");
        }
    }
}
