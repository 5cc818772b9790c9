//! Hash-consed bit-vector terms with SMT-LIB's operators, and the few rewrites that let two
//! functions meet without a solver.
//!
//! A term's operands have smaller ids, so ascending ids are a topological order and no walk has to
//! recurse. `tests/random.rs` checks the rewrites: whole truth tables from `interp` against the solver.

use std::hash::{Hash, Hasher};

use hydride_ir::{Bits, Float, FloatOp, NanRule};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use smallvec::{SmallVec, smallvec};

/// Width in bits at which integers are converted to floating-point numbers, at least.
const INTEGER_WIDTH: u32 = 129;

/// How many operators a slice is pushed through at most.
const PUSH_DEPTH: u32 = 48;

/// A term of a [`Terms`] table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TermId(pub u32);

/// The kind of a term; its width is stored separately.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    /// A free variable by number.
    Var(u32),
    /// A literal.
    Const(Bits),
    /// The bits of `of` from `low` upwards.
    Extract { of: TermId, low: u32 },
    /// At least two parts, most significant first.
    Concat(Vec<TermId>),
    /// The operand widened by its sign bit.
    SignExtend(TermId),
    /// Complement.
    Not(TermId),
    /// Two's complement negation.
    Neg(TermId),
    /// An operator on two operands of the value's width.
    Binary(Operator, TermId, TermId),
    /// One bit: whether the relation holds.
    Compare(Relation, TermId, TermId),
    /// The second operand where the first is 1, else the third.
    Select(TermId, TermId, TermId),
    /// A floating-point operator, of which only the name and the numbers are known: an uninterpreted function.
    Float(Float<u32>, Vec<TermId>),
}

/// Two-operand operators, with SMT-LIB's meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    Add,
    Sub,
    Mul,
    UnsignedDiv,
    SignedDiv,
    UnsignedRem,
    SignedRem,
    And,
    Or,
    Xor,
    ShiftLeft,
    LogicalShiftRight,
    ArithmeticShiftRight,
}

/// Relations, with SMT-LIB's meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    Equal,
    UnsignedLess,
    UnsignedLessEqual,
    SignedLess,
    SignedLessEqual,
}

impl Operator {
    fn commutes(self) -> bool {
        matches!(self, Self::Add | Self::Mul | Self::And | Self::Or | Self::Xor)
    }

    fn is_bitwise(self) -> bool {
        matches!(self, Self::And | Self::Or | Self::Xor)
    }

    /// Whether the low bits of the value depend only on the low bits of the operands.
    fn truncates(self) -> bool {
        matches!(self, Self::Add | Self::Sub | Self::Mul) || self.is_bitwise()
    }
}

impl Term {
    /// The operands, in order.
    pub fn operands(&self) -> SmallVec<[TermId; 3]> {
        match self {
            Term::Var(_) | Term::Const(_) => smallvec![],
            Term::Extract { of, .. } | Term::SignExtend(of) | Term::Not(of) | Term::Neg(of) => smallvec![*of],
            Term::Concat(parts) | Term::Float(_, parts) => parts.iter().copied().collect(),
            Term::Binary(_, left, right) | Term::Compare(_, left, right) => smallvec![*left, *right],
            Term::Select(condition, then, otherwise) => smallvec![*condition, *then, *otherwise],
        }
    }
}

struct Node {
    term: Term,
    width: u32,
    /// A hash that does not see which lane of a variable is read, so that the order of commutative
    /// operands is the same in every lane.
    shape: u64,
}

/// A table of terms; equal terms have equal ids.
#[derive(Default)]
pub struct Terms {
    /// Whether terms are kept as they are given: only slices and concatenations are resolved.
    verbatim: bool,
    nodes: Vec<Node>,
    ids: FxHashMap<(Term, u32), TermId>,
    slices: FxHashMap<(TermId, u32, u32), TermId>,
}

impl Terms {
    /// An empty table that rewrites no operator, for questions that others are to check.
    pub fn verbatim() -> Terms {
        Terms { verbatim: true, ..Terms::default() }
    }

    /// An empty table that rewrites as this one does.
    pub fn empty_copy(&self) -> Terms {
        Terms { verbatim: self.verbatim, ..Terms::default() }
    }

    /// The operation of a term.
    pub fn term(&self, id: TermId) -> &Term {
        &self.nodes[id.0 as usize].term
    }

    /// The width of a term in bits.
    pub fn width(&self, id: TermId) -> u32 {
        self.nodes[id.0 as usize].width
    }

    /// The number of terms.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The terms that the roots are made of, operands before users.
    pub fn reachable(&self, roots: &[TermId]) -> Vec<TermId> {
        // A set and not a table of flags: most calls reach a few of very many terms.
        let mut seen: FxHashSet<TermId> = FxHashSet::default();
        let mut stack = roots.to_vec();
        while let Some(id) = stack.pop() {
            if seen.insert(id) {
                stack.extend(self.term(id).operands());
            }
        }
        let mut order: Vec<TermId> = seen.into_iter().collect();
        order.sort_unstable();
        order
    }

    fn intern(&mut self, term: Term, width: u32) -> TermId {
        debug_assert!(width > 0, "a term of no width: {term:?}");
        if let Some(id) = self.ids.get(&(term.clone(), width)) {
            return *id;
        }
        let shape = self.shape(&term, width);
        let id = TermId(u32::try_from(self.nodes.len()).expect("fewer than 2^32 terms"));
        self.nodes.push(Node { term: term.clone(), width, shape });
        self.ids.insert((term, width), id);
        id
    }

    fn shape(&self, term: &Term, width: u32) -> u64 {
        let mut hasher = FxHasher::default();
        (std::mem::discriminant(term), width).hash(&mut hasher);
        for operand in term.operands() {
            self.nodes[operand.0 as usize].shape.hash(&mut hasher);
        }
        match term {
            Term::Var(number) => number.hash(&mut hasher),
            Term::Const(bits) => bits.hash(&mut hasher),
            Term::Extract { of, low } if !matches!(self.term(*of), Term::Var(_)) => low.hash(&mut hasher),
            Term::Binary(operator, ..) => operator.hash(&mut hasher),
            Term::Compare(relation, ..) => relation.hash(&mut hasher),
            Term::Float(float, _) => float.hash(&mut hasher),
            _ => {}
        }
        hasher.finish()
    }

    fn constant_of(&self, id: TermId) -> Option<&Bits> {
        match self.term(id) {
            Term::Const(bits) => Some(bits),
            _ => None,
        }
    }

    fn is_zero(&self, id: TermId) -> bool {
        self.constant_of(id).is_some_and(|bits| bits.words().iter().all(|word| *word == 0))
    }

    fn is_ones(&self, id: TermId) -> bool {
        self.constant_of(id).is_some_and(|bits| *bits == Bits::ones(bits.width()))
    }

    fn is_one(&self, id: TermId) -> bool {
        self.constant_of(id).is_some_and(|bits| bits.to_u64() == Some(1))
    }

    /// Two operands in the order that commutative operators keep.
    pub fn ordered(&self, left: TermId, right: TermId) -> (TermId, TermId) {
        let key = |id: TermId| (self.nodes[id.0 as usize].shape, id);
        if self.verbatim || key(left) <= key(right) { (left, right) } else { (right, left) }
    }

    /// A floating-point operator on bit patterns.
    pub fn float(&mut self, mut float: Float<u32>, mut operands: Vec<TermId>, width: u32) -> TermId {
        if float.op == FloatOp::FromInt {
            // One function for integers of all widths and signs.
            let integer = operands[0];
            let wide = INTEGER_WIDTH.max(self.width(integer));
            operands[0] = match float.target {
                0 if wide > self.width(integer) => self.zero_extend(integer, wide),
                0 => integer,
                _ => self.sign_extend(integer, wide),
            };
            float.target = u32::from(float.target == 1 || wide > self.width(integer));
        }
        if float.commutes() && !self.verbatim {
            let (first, second) = self.ordered(operands[0], operands[1]);
            (operands[0], operands[1]) = (first, second);
        }
        self.intern(Term::Float(float, operands), width)
    }

    /// Whether a floating-point operator is below the roots.
    pub fn has_floats(&self, roots: &[TermId]) -> bool {
        self.reachable(roots).into_iter().any(|id| matches!(self.term(id), Term::Float(..)))
    }

    /// Whether an operator below the roots leaves its value open: which NaN it is, or all of an approximation.
    pub fn has_open_values(&self, roots: &[TermId]) -> bool {
        self.reachable(roots).into_iter().any(|id| {
            let Term::Float(float, _) = self.term(id) else { return false };
            float.op.approximates() || float.nan == NanRule::Open && float.op.gives_nans()
        })
    }

    /// The name of a floating-point operator as an uninterpreted function: equal names are equal functions.
    pub fn symbol(&self, float: &Float<u32>, operands: &[TermId], width: u32) -> String {
        let Float { op, nan, exponent, target } = float;
        let widths: Vec<String> = operands.iter().map(|operand| self.width(*operand).to_string()).collect();
        format!("{}.{exponent}.{target}.{}({}):{width}", op.name(), nan.name(), widths.join(" "))
    }

    /// A free variable.
    pub fn variable(&mut self, number: u32, width: u32) -> TermId {
        self.intern(Term::Var(number), width)
    }

    /// A literal.
    pub fn constant(&mut self, bits: Bits) -> TermId {
        let width = bits.width();
        self.intern(Term::Const(bits), width)
    }

    /// The low `width` bits of a number.
    pub fn number(&mut self, width: u32, value: u64) -> TermId {
        self.constant(Bits::from_u64(width, value))
    }

    /// All-zero bits.
    pub fn zero(&mut self, width: u32) -> TermId {
        self.constant(Bits::zero(width))
    }

    /// The bits `low .. low + width` of a term, which must lie inside it.
    pub fn extract(&mut self, of: TermId, low: u32, width: u32) -> TermId {
        self.extract_within(of, low, width, PUSH_DEPTH)
    }

    fn extract_within(&mut self, of: TermId, low: u32, width: u32, depth: u32) -> TermId {
        debug_assert!(low + width <= self.width(of), "slice outside of the term");
        if width == self.width(of) {
            return of;
        }
        if let Some(id) = self.slices.get(&(of, low, width)) {
            return *id;
        }
        let id = if depth == 0 {
            self.intern(Term::Extract { of, low }, width)
        } else {
            self.push_extract(of, low, width, depth - 1)
        };
        self.slices.insert((of, low, width), id);
        id
    }

    fn push_extract(&mut self, of: TermId, low: u32, width: u32, depth: u32) -> TermId {
        let term = self.term(of).clone();
        if self.verbatim && !matches!(term, Term::Const(_) | Term::Extract { .. } | Term::Concat(_)) {
            return self.intern(Term::Extract { of, low }, width);
        }
        match term {
            Term::Const(bits) => {
                let slice = slice_of(&bits, low, width);
                self.constant(slice)
            }
            Term::Extract { of: inner, low: inner_low } => {
                self.extract_within(inner, inner_low + low, width, depth)
            }
            Term::Concat(parts) => {
                let mut kept = Vec::new();
                let mut top = self.width(of);
                for part in parts {
                    let base = top - self.width(part);
                    let (from, to) = (low.max(base), (low + width).min(top));
                    if from < to {
                        kept.push(self.extract_within(part, from - base, to - from, depth));
                    }
                    top = base;
                }
                self.concat(kept)
            }
            Term::SignExtend(inner) => {
                let inner_width = self.width(inner);
                let from = low.min(inner_width - 1);
                let kept = (inner_width - from).min(low + width - from);
                let slice = self.extract_within(inner, from, kept, depth);
                self.sign_extend(slice, width)
            }
            Term::Not(inner) => {
                let inner = self.extract_within(inner, low, width, depth);
                self.not(inner)
            }
            Term::Neg(inner) if low == 0 => {
                let inner = self.extract_within(inner, low, width, depth);
                self.neg(inner)
            }
            Term::Binary(operator, left, right)
                if operator.is_bitwise() || (low == 0 && operator.truncates()) =>
            {
                let left = self.extract_within(left, low, width, depth);
                let right = self.extract_within(right, low, width, depth);
                self.binary(operator, left, right)
            }
            Term::Select(condition, then, otherwise) => {
                let then = self.extract_within(then, low, width, depth);
                let otherwise = self.extract_within(otherwise, low, width, depth);
                self.select(condition, then, otherwise)
            }
            _ => self.intern(Term::Extract { of, low }, width),
        }
    }

    /// Concatenated parts, most significant first; at least one.
    pub fn concat(&mut self, parts: Vec<TermId>) -> TermId {
        let mut flat: Vec<TermId> = Vec::with_capacity(parts.len());
        for part in parts {
            match self.term(part).clone() {
                Term::Concat(inner) => inner.into_iter().for_each(|part| self.append(&mut flat, part)),
                _ => self.append(&mut flat, part),
            }
        }
        debug_assert!(!flat.is_empty(), "a concatenation of no parts");
        if let [only] = flat[..] {
            return only;
        }
        let width = flat.iter().map(|part| self.width(*part)).sum();
        self.intern(Term::Concat(flat), width)
    }

    /// Adds a part below the others, joined with its neighbour where both are literals or adjacent slices.
    fn append(&mut self, parts: &mut Vec<TermId>, part: TermId) {
        let Some(&above) = parts.last() else {
            parts.push(part);
            return;
        };
        let joined = match (self.term(above), self.term(part)) {
            (Term::Const(high), Term::Const(low)) => {
                let bits = join(high, low);
                Some(self.constant(bits))
            }
            (&Term::Extract { of, low: high }, &Term::Extract { of: same, low })
                if of == same && low + self.width(part) == high =>
            {
                let width = self.width(above) + self.width(part);
                Some(match width == self.width(of) {
                    true => of,
                    false => self.intern(Term::Extract { of, low }, width),
                })
            }
            _ => None,
        };
        match joined {
            Some(joined) => *parts.last_mut().expect("a neighbour above") = joined,
            None => parts.push(part),
        }
    }

    /// A term widened by zeros.
    pub fn zero_extend(&mut self, of: TermId, width: u32) -> TermId {
        match width - self.width(of) {
            0 => of,
            added => {
                let zeros = self.zero(added);
                self.concat(vec![zeros, of])
            }
        }
    }

    /// A term widened by its sign bit.
    pub fn sign_extend(&mut self, of: TermId, width: u32) -> TermId {
        let added = width - self.width(of);
        if added == 0 {
            return of;
        }
        if self.verbatim {
            return self.intern(Term::SignExtend(of), width);
        }
        let top = match self.term(of) {
            Term::SignExtend(inner) => {
                let inner = *inner;
                return self.sign_extend(inner, width);
            }
            Term::Concat(parts) => parts[0],
            _ => of,
        };
        match self.constant_of(top).map(|bits| bits.bit(bits.width() - 1)) {
            Some(false) => self.zero_extend(of, width),
            Some(true) => {
                let ones = self.constant(Bits::ones(added));
                self.concat(vec![ones, of])
            }
            None => self.intern(Term::SignExtend(of), width),
        }
    }

    /// Complement.
    pub fn not(&mut self, of: TermId) -> TermId {
        match self.term(of) {
            _ if self.verbatim => self.intern(Term::Not(of), self.width(of)),
            Term::Not(inner) => *inner,
            Term::Const(bits) => {
                let bits = Bits::from_words(bits.width(), bits.words().iter().map(|word| !word));
                self.constant(bits)
            }
            _ => self.intern(Term::Not(of), self.width(of)),
        }
    }

    /// Two's complement negation.
    pub fn neg(&mut self, of: TermId) -> TermId {
        match self.term(of) {
            _ if self.verbatim => self.intern(Term::Neg(of), self.width(of)),
            Term::Neg(inner) => *inner,
            _ if self.is_zero(of) => of,
            _ => self.intern(Term::Neg(of), self.width(of)),
        }
    }

    /// A two-operand operator on terms of one width.
    pub fn binary(&mut self, operator: Operator, left: TermId, right: TermId) -> TermId {
        let width = self.width(left);
        debug_assert_eq!(width, self.width(right), "operands of {operator:?}");
        if self.verbatim {
            return self.intern(Term::Binary(operator, left, right), width);
        }
        let (left, right) = if operator.commutes() { self.ordered(left, right) } else { (left, right) };
        if let Some(folded) = self.fold_constants(operator, left, right) {
            return folded;
        }
        let zero = (self.is_zero(left), self.is_zero(right));
        let ones = (self.is_ones(left), self.is_ones(right));
        match operator {
            Operator::Add | Operator::Or | Operator::Xor if zero.0 => return right,
            Operator::Add | Operator::Sub | Operator::Or | Operator::Xor if zero.1 => return left,
            Operator::And | Operator::Mul if zero.0 => return left,
            Operator::And | Operator::Mul if zero.1 => return right,
            Operator::And if ones.0 => return right,
            Operator::And if ones.1 => return left,
            Operator::Or if ones.0 => return left,
            Operator::Or if ones.1 => return right,
            Operator::Xor if ones.0 => return self.not(right),
            Operator::Xor if ones.1 => return self.not(left),
            Operator::Sub if zero.0 => return self.neg(right),
            Operator::And | Operator::Or if left == right => return left,
            Operator::Sub | Operator::Xor if left == right => return self.zero(width),
            Operator::ShiftLeft | Operator::LogicalShiftRight | Operator::ArithmeticShiftRight => {
                if let Some(bits) = self.constant_of(right) {
                    let amount = bits.to_u64().and_then(|value| u32::try_from(value).ok());
                    return self.shift_by(operator, left, amount.unwrap_or(width).min(width));
                }
            }
            _ => {}
        }
        self.intern(Term::Binary(operator, left, right), width)
    }

    fn shift_by(&mut self, operator: Operator, of: TermId, amount: u32) -> TermId {
        let width = self.width(of);
        match operator {
            _ if amount == 0 => of,
            Operator::ArithmeticShiftRight => {
                let from = amount.min(width - 1);
                let kept = self.extract(of, from, width - from);
                self.sign_extend(kept, width)
            }
            _ if amount == width => self.zero(width),
            Operator::LogicalShiftRight => {
                let kept = self.extract(of, amount, width - amount);
                self.zero_extend(kept, width)
            }
            _ => {
                let kept = self.extract(of, 0, width - amount);
                let zeros = self.zero(amount);
                self.concat(vec![kept, zeros])
            }
        }
    }

    fn fold_constants(&mut self, operator: Operator, left: TermId, right: TermId) -> Option<TermId> {
        let width = self.width(left);
        let a = self.constant_of(left)?;
        let b = self.constant_of(right)?;
        let word = |combine: fn(u64, u64) -> u64| {
            Bits::from_words(width, a.words().iter().zip(b.words()).map(|(a, b)| combine(*a, *b)))
        };
        let bits = match operator {
            Operator::And => word(|a, b| a & b),
            Operator::Or => word(|a, b| a | b),
            Operator::Xor => word(|a, b| a ^ b),
            Operator::Add if width <= 64 => word(u64::wrapping_add),
            Operator::Sub if width <= 64 => word(u64::wrapping_sub),
            Operator::Mul if width <= 64 => word(u64::wrapping_mul),
            _ => return None,
        };
        Some(self.constant(bits))
    }

    /// A relation between terms of one width, as one bit.
    pub fn compare(&mut self, relation: Relation, left: TermId, right: TermId) -> TermId {
        debug_assert_eq!(self.width(left), self.width(right), "operands of {relation:?}");
        if self.verbatim {
            return self.intern(Term::Compare(relation, left, right), 1);
        }
        if left == right {
            let strict = matches!(relation, Relation::UnsignedLess | Relation::SignedLess);
            return self.number(1, u64::from(!strict));
        }
        let literals = self.constant_of(left).is_some() && self.constant_of(right).is_some();
        match relation {
            Relation::Equal if literals => self.number(1, 0),
            Relation::Equal => {
                let (left, right) = self.ordered(left, right);
                self.intern(Term::Compare(relation, left, right), 1)
            }
            _ => self.intern(Term::Compare(relation, left, right), 1),
        }
    }

    /// `then` where the one-bit condition is 1, else `otherwise`.
    pub fn select(&mut self, condition: TermId, then: TermId, otherwise: TermId) -> TermId {
        debug_assert_eq!(self.width(condition), 1, "a condition is one bit");
        let width = self.width(then);
        if self.verbatim {
            return self.intern(Term::Select(condition, then, otherwise), width);
        }
        if then == otherwise || self.is_ones(condition) {
            return then;
        }
        if self.is_zero(condition) {
            return otherwise;
        }
        if let Term::Not(inner) = *self.term(condition) {
            return self.select(inner, otherwise, then);
        }
        // A condition as a number: 1 or 0, all ones or 0; the complement likewise.
        for (chosen, other, inverted) in [(then, otherwise, false), (otherwise, then, true)] {
            let (one, ones) = (self.is_one(chosen), self.is_ones(chosen));
            if self.is_zero(other) && (one || ones) {
                let bit = if inverted { self.not(condition) } else { condition };
                return if one { self.zero_extend(bit, width) } else { self.sign_extend(bit, width) };
            }
        }
        // Counting: `c ? x + 1 : x` is `x + (c ? 1 : 0)`.
        if let Term::Binary(Operator::Add, left, right) = *self.term(then) {
            for (sum, amount) in [(left, right), (right, left)] {
                if sum == otherwise && self.constant_of(amount).is_some() {
                    let zero = self.zero(width);
                    let amount = self.select(condition, amount, zero);
                    return self.binary(Operator::Add, sum, amount);
                }
            }
        }
        self.intern(Term::Select(condition, then, otherwise), width)
    }

    /// Numbers that two sets of roots share exactly when they are the same up to their ids.
    pub fn fingerprint(&self, roots: &[TermId]) -> Vec<u64> {
        let order = self.reachable(roots);
        let place: FxHashMap<TermId, u64> = order.iter().copied().zip(0..).collect();
        let mut numbers = vec![order.len() as u64];
        for id in &order {
            let term = self.term(*id);
            let (code, detail) = match term {
                Term::Var(number) => (0, u64::from(*number)),
                Term::Const(bits) => (1, bits.words().len() as u64),
                Term::Extract { low, .. } => (2, u64::from(*low)),
                Term::Concat(parts) => (3, parts.len() as u64),
                Term::SignExtend(_) => (4, 0),
                Term::Not(_) => (5, 0),
                Term::Neg(_) => (6, 0),
                Term::Binary(operator, ..) => (7, *operator as u64),
                Term::Compare(relation, ..) => (8, *relation as u64),
                Term::Select(..) => (9, 0),
                Term::Float(float, _) => {
                    let operator =
                        (float.op as u64) << 16 | (float.nan as u64) << 8 | u64::from(float.exponent);
                    (10, operator << 32 | u64::from(float.target))
                }
            };
            numbers.extend([code << 32 | u64::from(self.width(*id)), detail]);
            numbers.extend(term.operands().iter().map(|operand| place[operand]));
            if let Term::Const(bits) = term {
                numbers.extend_from_slice(bits.words());
            }
        }
        numbers.extend(roots.iter().map(|root| place[root]));
        numbers
    }
}

/// Bits `low .. low + width` of a literal.
pub fn slice_of(bits: &Bits, low: u32, width: u32) -> Bits {
    let (skip, shift) = ((low / 64) as usize, low % 64);
    let word = |index: usize| bits.words().get(index).copied().unwrap_or(0);
    let words = (0..width.div_ceil(64) as usize).map(|index| {
        let high = if shift == 0 { 0 } else { word(skip + index + 1) << (64 - shift) };
        word(skip + index) >> shift | high
    });
    Bits::from_words(width, words)
}

/// Two concatenated literals.
pub fn join(high: &Bits, low: &Bits) -> Bits {
    let width = high.width() + low.width();
    let mut words = vec![0; width.div_ceil(64) as usize];
    words[..low.words().len()].copy_from_slice(low.words());
    deposit(&mut words, low.width(), high);
    Bits::from_words(width, words)
}

/// Writes a literal into bits of `words` that are still zero, from bit `low` upwards.
pub fn deposit(words: &mut [u64], low: u32, bits: &Bits) {
    let (skip, shift) = ((low / 64) as usize, low % 64);
    for (index, word) in bits.words().iter().enumerate() {
        words[skip + index] |= word << shift;
        if shift != 0
            && let Some(next) = words.get_mut(skip + index + 1)
        {
            *next |= word >> (64 - shift);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a table writes two complements as the value itself.
    fn rewrites(terms: &mut Terms) -> bool {
        let value = terms.variable(0, 8);
        let once = terms.not(value);
        terms.not(once) == value
    }

    #[test]
    fn a_table_for_others_rewrites_nothing_and_its_copies_do_the_same() {
        assert!(rewrites(&mut Terms::default()) && rewrites(&mut Terms::default().empty_copy()));
        assert!(!rewrites(&mut Terms::verbatim()) && !rewrites(&mut Terms::verbatim().empty_copy()));
    }

    #[test]
    fn floating_point_operators_are_found_below_roots() {
        let mut terms = Terms::default();
        let (x, y) = (terms.variable(0, 16), terms.variable(1, 16));
        let plain = terms.binary(Operator::Add, x, y);
        let of = |terms: &mut Terms, op, nan| {
            let float = Float { op, nan, exponent: 5, target: 0 };
            let value = terms.float(float, vec![x, y], if op == FloatOp::Lt { 1 } else { 16 });
            terms.not(value)
        };
        let open = of(&mut terms, FloatOp::Min, NanRule::Open);
        let first = of(&mut terms, FloatOp::Min, NanRule::First);
        let less = of(&mut terms, FloatOp::Lt, NanRule::Open);
        let rough = Float { op: FloatOp::Reciprocal, nan: NanRule::First, exponent: 5, target: 1 << 18 };
        let rough = terms.float(rough, vec![x], 16);
        for (root, has_floats, has_open) in [
            (plain, false, false),
            (open, true, true),
            (first, true, false),
            (less, true, false),
            (rough, true, true),
        ] {
            assert_eq!((terms.has_floats(&[root]), terms.has_open_values(&[root])), (has_floats, has_open));
        }
        assert!(terms.has_floats(&[plain, first]) && !terms.has_floats(&[]));
    }

    #[test]
    fn slices_of_literals_join_again() {
        let bits = Bits::from_hex(150, "123456789abcdef0fedcba98765432100f0f0").unwrap();
        for cut in [1, 63, 64, 65, 127, 128, 149] {
            let (low, high) = (slice_of(&bits, 0, cut), slice_of(&bits, cut, 150 - cut));
            assert_eq!(join(&high, &low), bits, "cut at {cut}");
        }
    }

    #[test]
    fn slices_fuse_through_concatenations() {
        let mut terms = Terms::default();
        let a = terms.variable(0, 32);
        let (low, high) = (terms.extract(a, 0, 8), terms.extract(a, 8, 24));
        assert_eq!(terms.concat(vec![high, low]), a);
        let wide = terms.sign_extend(low, 32);
        assert_eq!(terms.extract(wide, 0, 8), low);
        let sign = terms.extract(a, 7, 1);
        assert_eq!(terms.extract(wide, 20, 1), sign);
    }

    #[test]
    fn counting_by_branches_is_counting_by_addition() {
        let mut terms = Terms::default();
        let (condition, count) = (terms.variable(0, 1), terms.variable(1, 16));
        let one = terms.number(16, 1);
        let zero = terms.zero(16);
        let more = terms.binary(Operator::Add, count, one);
        let bit = terms.zero_extend(condition, 16);
        let sum = terms.binary(Operator::Add, count, bit);
        assert_eq!(terms.select(condition, more, count), sum);
        assert_eq!(terms.select(condition, one, zero), bit);
        let ones = terms.constant(Bits::ones(16));
        let (mask, inverse) = (terms.sign_extend(condition, 16), terms.not(condition));
        assert_eq!(terms.select(condition, ones, zero), mask);
        let inverse_mask = terms.sign_extend(inverse, 16);
        assert_eq!(terms.select(condition, zero, ones), inverse_mask);
    }

    #[test]
    fn commutative_operands_are_ordered_alike_in_every_lane() {
        let mut terms = Terms::default();
        let (a, b) = (terms.variable(0, 32), terms.variable(1, 32));
        let mut kinds = Vec::new();
        for lane in 0..4 {
            let left = terms.extract(a, 8 * lane, 8);
            let right = terms.extract(b, 8 * lane, 8);
            let one = terms.binary(Operator::Add, left, right);
            assert_eq!(one, terms.binary(Operator::Add, right, left));
            let Term::Binary(_, first, _) = *terms.term(one) else { panic!("a sum") };
            kinds.push(first == left);
        }
        assert!(kinds.windows(2).all(|pair| pair[0] == pair[1]));
    }

    /// What `operator` makes of `x` and a literal or `x` again: the other operand (`x`), a literal, or an operator.
    #[test]
    fn operators_on_special_operands_are_resolved() {
        use Operator::*;
        let mut terms = Terms::default();
        let x = terms.variable(0, 8);
        let (zero, ones) = (terms.zero(8), terms.number(8, 0xff));
        let (complement, negation) = (terms.not(x), terms.neg(x));
        let operator =
            |terms: &mut Terms, operator, left, right| terms.intern(Term::Binary(operator, left, right), 8);
        let quotient = operator(&mut terms, UnsignedDiv, x, zero);
        let same_quotient = operator(&mut terms, SignedDiv, x, x);
        // Each with the right operand 0, the left one 0, the right one all ones, and both the same.
        for (op, right_zero, left_zero, right_ones, same) in [
            (Add, Some(x), Some(x), None, None),
            (Sub, Some(x), Some(negation), None, Some(zero)),
            (Mul, Some(zero), Some(zero), None, None),
            (And, Some(zero), Some(zero), Some(x), Some(x)),
            (Or, Some(x), Some(x), Some(ones), Some(x)),
            (Xor, Some(x), Some(x), Some(complement), Some(zero)),
            (UnsignedDiv, Some(quotient), None, None, None),
            (SignedDiv, None, None, None, Some(same_quotient)),
            (ShiftLeft, Some(x), None, Some(zero), None),
            (LogicalShiftRight, Some(x), None, Some(zero), None),
        ] {
            let cases = [(x, zero, right_zero), (zero, x, left_zero), (x, ones, right_ones), (x, x, same)];
            for (left, right, expected) in cases {
                let found = terms.binary(op, left, right);
                let (first, second) = if op.commutes() { terms.ordered(left, right) } else { (left, right) };
                let expected = expected.unwrap_or_else(|| operator(&mut terms, op, first, second));
                assert_eq!(found, expected, "{op:?} of {:?} and {:?}", terms.term(left), terms.term(right));
            }
        }
        assert_eq!(terms.binary(And, ones, x), x);
        assert_eq!(terms.binary(Or, ones, x), ones);
        assert_eq!(terms.binary(Xor, ones, x), complement);
        assert_eq!(terms.neg(zero), zero);
        assert_eq!(terms.neg(negation), x);
    }

    /// Which of the operands comes first depends on their hashes: the literal does for some variables.
    #[test]
    fn a_special_operand_is_found_on_either_side() {
        use Operator::*;
        let mut terms = Terms::default();
        let (mut first, mut second) = (0, 0);
        for (number, width) in (0..40).map(|number| (number, 1 + number % 5 * 16)) {
            let (x, zero) = (terms.variable(number, width), terms.zero(width));
            let (ones, complement) = (terms.constant(Bits::ones(width)), terms.not(x));
            *(if terms.ordered(x, ones).0 == ones { &mut first } else { &mut second }) += 1;
            for (op, literal, expected) in [
                (Add, zero, x),
                (Or, zero, x),
                (Xor, zero, x),
                (And, zero, zero),
                (Mul, zero, zero),
                (And, ones, x),
                (Or, ones, ones),
                (Xor, ones, complement),
            ] {
                let found = [terms.binary(op, x, literal), terms.binary(op, literal, x)];
                assert_eq!(found, [expected; 2], "{op:?} of {width} bits");
            }
        }
        assert!(first > 0 && second > 0, "{first} and {second}");
    }

    #[test]
    fn equal_terms_are_counted_once() {
        let mut terms = Terms::default();
        let lengths = [7, 8, 7].map(|width| {
            terms.variable(0, width);
            terms.len()
        });
        assert_eq!(lengths, [1, 2, 2]);
    }

    #[test]
    fn operators_on_literals_are_computed() {
        use Operator::*;
        let mut terms = Terms::default();
        for (op, expected) in
            [(Add, 0x09), (Sub, 0xef), (Mul, 0xcc), (And, 0x0c), (Or, 0xfd), (Xor, 0xf1), (ShiftLeft, 0)]
        {
            let (left, right, expected) =
                (terms.number(8, 0xfc), terms.number(8, 0x0d), terms.number(8, expected));
            assert_eq!(terms.binary(op, left, right), expected, "{op:?}");
        }
        // Sums of more than a word are left to the solver; bits are not.
        for (width, is_computed) in [(64, true), (65, false)] {
            let (one, two, three) = (terms.number(width, 1), terms.number(width, 2), terms.number(width, 3));
            assert_eq!(terms.binary(Or, one, two), three);
            for op in [Add, Sub, Mul] {
                let found = terms.binary(op, one, two);
                assert_eq!(terms.constant_of(found).is_some(), is_computed, "{op:?} of {width} bits");
            }
        }
    }

    #[test]
    fn shifts_by_literals_are_slices() {
        use Operator::*;
        let mut terms = Terms::default();
        let x = terms.variable(0, 8);
        let (low, high) = (terms.extract(x, 0, 5), terms.extract(x, 3, 5));
        let zeros = terms.zero(3);
        let left = terms.concat(vec![low, zeros]);
        let (logical, arithmetic) = (terms.zero_extend(high, 8), terms.sign_extend(high, 8));
        let (zero, sign) = (terms.zero(8), terms.extract(x, 7, 1));
        let signs = terms.sign_extend(sign, 8);
        for (amount, expected) in [
            (0, [x, x, x]),
            (3, [left, logical, arithmetic]),
            (8, [zero, zero, signs]),
            (200, [zero, zero, signs]),
        ] {
            let amount = terms.number(8, amount);
            let found =
                [ShiftLeft, LogicalShiftRight, ArithmeticShiftRight].map(|op| terms.binary(op, x, amount));
            assert_eq!(found, expected, "by {:?}", terms.term(amount));
        }
    }

    #[test]
    fn comparisons_of_equal_terms_and_of_literals_are_decided() {
        use Relation::*;
        let mut terms = Terms::default();
        let (x, y) = (terms.variable(0, 8), terms.variable(1, 8));
        let (one, two) = (terms.number(8, 1), terms.number(8, 2));
        for (relation, holds) in
            [(Equal, 1), (UnsignedLess, 0), (UnsignedLessEqual, 1), (SignedLess, 0), (SignedLessEqual, 1)]
        {
            let holds = terms.number(1, holds);
            assert_eq!(terms.compare(relation, x, x), holds, "{relation:?}");
            for (left, right) in [(x, y), (x, one), (one, x)] {
                let found = terms.compare(relation, left, right);
                assert!(matches!(terms.term(found), Term::Compare(..)) && terms.width(found) == 1);
            }
        }
        let never = terms.zero(1);
        assert_eq!(terms.compare(Equal, one, two), never);
        assert_eq!(terms.compare(Equal, x, y), terms.compare(Equal, y, x));
        assert_ne!(terms.compare(SignedLess, x, y), terms.compare(SignedLess, y, x));
    }

    #[test]
    fn selects_that_choose_nothing_disappear() {
        let mut terms = Terms::default();
        let (c, x, y) = (terms.variable(0, 1), terms.variable(1, 8), terms.variable(2, 8));
        let (always, never, inverse) = (terms.number(1, 1), terms.zero(1), terms.not(c));
        assert_eq!(terms.select(always, x, y), x);
        assert_eq!(terms.select(never, x, y), y);
        assert_eq!(terms.select(c, x, x), x);
        assert_eq!(terms.select(inverse, x, y), terms.select(c, y, x));
        let found = terms.select(c, x, y);
        assert_eq!(terms.term(found), &Term::Select(c, x, y));
    }

    /// The low bits of a sum are the sum of the low bits; its high bits need the low ones.
    #[test]
    fn slices_go_through_operators_that_allow_it() {
        use Operator::*;
        let mut terms = Terms::default();
        let (x, y, c) = (terms.variable(0, 16), terms.variable(1, 16), terms.variable(2, 1));
        for (op, at_zero, above) in [
            (Add, true, false),
            (Sub, true, false),
            (Mul, true, false),
            (And, true, true),
            (Or, true, true),
            (Xor, true, true),
            (UnsignedDiv, false, false),
            (ShiftLeft, false, false),
        ] {
            let whole = terms.binary(op, x, y);
            for (low, goes_through) in [(0, at_zero), (3, above)] {
                let found = terms.extract(whole, low, 8);
                let (left, right) = (terms.extract(x, low, 8), terms.extract(y, low, 8));
                let expected = match goes_through {
                    true => terms.binary(op, left, right),
                    false => terms.intern(Term::Extract { of: whole, low }, 8),
                };
                assert_eq!(found, expected, "{op:?} from bit {low} on");
            }
        }
        for low in [0, 3] {
            let (left, right) = (terms.extract(x, low, 8), terms.extract(y, low, 8));
            let (whole, expected) = (terms.select(c, x, y), terms.select(c, left, right));
            assert_eq!(terms.extract(whole, low, 8), expected);
            let (whole, expected) = (terms.not(x), terms.not(left));
            assert_eq!(terms.extract(whole, low, 8), expected);
            let (whole, negated) = (terms.neg(x), terms.neg(left));
            let found = terms.extract(whole, low, 8);
            assert_eq!(found == negated, low == 0);
        }
    }

    #[test]
    fn neighbouring_slices_join_and_others_do_not() {
        let mut terms = Terms::default();
        let (x, y) = (terms.variable(0, 32), terms.variable(1, 32));
        let slice = |terms: &mut Terms, of, low| terms.extract(of, low, 8);
        let (first, second, third) =
            (slice(&mut terms, x, 0), slice(&mut terms, x, 8), slice(&mut terms, x, 16));
        let joined = terms.extract(x, 8, 16);
        assert_eq!(terms.concat(vec![third, second]), joined);
        let other = slice(&mut terms, y, 8);
        for parts in [vec![second, third], vec![third, first], vec![third, other]] {
            let found = terms.concat(parts.clone());
            assert_eq!((terms.term(found), terms.width(found)), (&Term::Concat(parts), 16));
        }
        // A slice of what was joined finds the parts again.
        let swapped = terms.concat(vec![first, second, third]);
        for (low, width, of, from) in
            [(0, 8, x, 16), (8, 8, x, 8), (16, 8, x, 0), (10, 4, x, 10), (17, 3, x, 1)]
        {
            let expected = terms.extract(of, from, width);
            assert_eq!(terms.extract(swapped, low, width), expected, "{width} bits from {low} on");
        }
        let (upper, lower) = (terms.extract(x, 0, 2), terms.extract(x, 14, 2));
        let across = terms.concat(vec![upper, lower]);
        assert_eq!(terms.extract(swapped, 14, 4), across);
    }

    #[test]
    fn extensions_of_known_signs_are_concatenations() {
        let mut terms = Terms::default();
        let x = terms.variable(0, 4);
        for (top, sign) in [(0b01, 0x0), (0b10, 0xf)] {
            let top = terms.number(2, top);
            let value = terms.concat(vec![top, x]);
            let signs = terms.number(4, sign);
            let expected = terms.concat(vec![signs, value]);
            assert_eq!(terms.sign_extend(value, 10), expected);
        }
        let (once, twice) = (terms.sign_extend(x, 8), terms.sign_extend(x, 16));
        assert_eq!(terms.sign_extend(once, 16), twice);
        assert_eq!(terms.sign_extend(x, 4), x);
        assert_eq!(terms.zero_extend(x, 4), x);
        let across = terms.extract(twice, 2, 8);
        let upper = terms.extract(x, 2, 2);
        assert_eq!(across, terms.sign_extend(upper, 8));
    }

    #[test]
    fn fingerprints_are_equal_where_only_ids_differ() {
        let sum = |before: u32, argument: u32, low: u32, literal: u64, op: Operator| {
            let mut terms = Terms::default();
            // Terms that the sum does not read.
            for number in 0..before {
                terms.variable(100 + number, 3);
            }
            let argument = terms.variable(argument, 32);
            let (slice, literal) = (terms.extract(argument, low, 8), terms.number(8, literal));
            let found = terms.intern(Term::Binary(op, slice, literal), 8);
            terms.fingerprint(&[found, slice])
        };
        let one = sum(0, 1, 8, 5, Operator::Add);
        assert_eq!(sum(7, 1, 8, 5, Operator::Add), one);
        for other in [
            sum(0, 2, 8, 5, Operator::Add),
            sum(0, 1, 9, 5, Operator::Add),
            sum(0, 1, 8, 6, Operator::Add),
            sum(0, 1, 8, 5, Operator::Sub),
        ] {
            assert_ne!(other, one);
        }
        // A width and a kind are not confused.
        let mut terms = Terms::default();
        let fingerprints: Vec<_> = (1..40)
            .flat_map(|width| {
                [terms.variable(7, width), terms.number(width, 1)].map(|term| terms.fingerprint(&[term]))
            })
            .collect();
        let distinct: FxHashSet<_> = fingerprints.iter().collect();
        assert_eq!(distinct.len(), fingerprints.len());
    }
}
