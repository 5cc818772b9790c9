//! Refinement as a question in SMT-LIB, by an encoding of its own: nothing of `translate`, `generic`, `graph` and the IR is in
//! it, so that a solver that reads it is a second opinion on what LLVM's operators mean, and on the proof.
//!
//! It covers functions of one block of generic instructions. What makes a result poison is said in other words than there:
//! overflow by signs and lost bits, `exact` by the bits below, saturation by the operands' signs, counts bit by bit, and
//! elements of other widths by masks of the bits that are poison.

use std::fmt::Write as _;

use hydride_ir::Bits;
use rustc_hash::FxHashMap;

use crate::ast::{Action, Attribute, Body, Element, Flags, Instruction, Operand, Value, elements};
use crate::error::{Fault, Place};

/// An element: its width, and the terms of its bits and of the truth that it is poison.
#[derive(Clone)]
struct Lane {
    width: u32,
    bits: String,
    poison: String,
}

type Read<T> = Result<T, Fault>;

/// A value of one element, with what makes it poison besides its operands.
type Made = (String, Vec<String>);

/// The question whether `after` does what `before` may not, for arguments that may be poison, element by element, but not
/// `undef`, in the logic `QF_BV`: `unsat` means that `after` refines `before`. Parameters and results correspond by position
/// and have the same elements. A fault where a function has several blocks, a target's intrinsic or `undef`, or where `before`
/// makes a choice (`freeze`).
///
/// ```
/// let module = refine::Module::parse(
///     "define i8 @a(i8 %x) {\n  %y = add nsw i8 %x, %x\n  ret i8 %y\n}\n\
///      define i8 @b(i8 %x) {\n  %y = shl i8 %x, 1\n  ret i8 %y\n}\n",
/// )?;
/// let [a, b] = ["a", "b"].map(|name| module.function(name).unwrap().body.clone().unwrap());
/// let text = refine::script(&a, &b)?;
/// assert!(text.ends_with("(check-sat)\n"));
/// # Ok::<(), refine::Fault>(())
/// ```
pub fn script(before: &Body, after: &Body) -> Result<String, Fault> {
    let mut text = "; unsat means that the second function refines the first\n(set-logic QF_BV)\n".to_owned();
    let shapes = |body: &Body| body.parameters.iter().map(|own| elements(&own.ty)).collect::<Vec<_>>();
    if shapes(before) != shapes(after) || elements(&before.result) != elements(&after.result) {
        return fault(Place::default(), "parameters or results with other elements");
    }
    let mut given = Vec::new();
    for (position, shape) in shapes(before).into_iter().enumerate() {
        let Some(widths) = shape else {
            return fault(Place::default(), "parameters of this type are outside of what is modelled");
        };
        let lane = |(lane, width): (usize, u32)| {
            let (bits, poison) = (format!("p{position}.{lane}"), format!("p{position}.{lane}.poison"));
            let _ = writeln!(text, "(declare-const {bits} (_ BitVec {width}))");
            let _ = writeln!(text, "(declare-const {poison} Bool)");
            Lane { width, bits, poison }
        };
        given.push(widths.into_iter().enumerate().map(lane).collect::<Vec<_>>());
    }
    let mut run = |body, prefix, may_choose| {
        let mut side = Side {
            text: &mut text,
            prefix,
            may_choose,
            values: FxHashMap::default(),
            wrong: Vec::new(),
            next: 0,
        };
        let result = side.run(body, &given)?;
        Ok((result, side.wrong))
    };
    let (own, may_be) = run(before, "b", false)?;
    let (other, is) = run(after, "a", true)?;
    let differ = own.iter().zip(&other).map(|(own, other)| {
        let Lane { bits, poison, .. } = other;
        format!("(and (not {}) (or {poison} (distinct {bits} {})))", own.poison, own.bits)
    });
    let violations = any(is.into_iter().chain(differ));
    let _ = writeln!(text, "(assert (not {}))\n(assert {violations})\n(check-sat)", any(may_be));
    Ok(text)
}

fn fault<T>(place: Place, message: impl Into<String>) -> Read<T> {
    Err(Fault::new(place, message))
}

fn any(terms: impl IntoIterator<Item = String>) -> String {
    terms.into_iter().fold("(or false".to_owned(), |all, term| all + " " + &term) + ")"
}

fn literal(bits: &Bits) -> String {
    (0..bits.width()).rev().fold("#b".to_owned(), |text, at| text + if bits.bit(at) { "1" } else { "0" })
}

fn number(width: u32, value: u64) -> String {
    format!("(_ bv{value} {width})")
}

fn ones(width: u32) -> String {
    format!("(bvnot {})", number(width, 0))
}

fn least(width: u32) -> String {
    format!("(bvshl {} {})", number(width, 1), number(width, u64::from(width) - 1))
}

fn extract(of: &str, low: u32, width: u32) -> String {
    format!("((_ extract {} {low}) {of})", low + width - 1)
}

fn is_negative(of: &str, width: u32) -> String {
    format!("(= {} #b1)", extract(of, width - 1, 1))
}

/// Whether the bits from a place on are neither all 0 nor all 1.
fn is_mixed(of: &str, low: u32, width: u32) -> String {
    let high = extract(of, low, width - low);
    format!("(not (or (= {high} {}) (= {high} {})))", number(width - low, 0), ones(width - low))
}

fn is_not_zero(of: &str, width: u32) -> String {
    format!("(distinct {of} {})", number(width, 0))
}

fn truth(of: &str) -> String {
    format!("(ite {of} #b1 #b0)")
}

/// What makes an operator's result `r` poison by its flags and by counts beyond the width.
fn overflow(name: &str, flags: Flags, width: u32, [a, b, r]: [&str; 3]) -> Vec<String> {
    let negative = [a, b, r].map(|of| is_negative(of, width));
    let [x, y, z] = &negative;
    let wide = |op: &str, signed: bool| {
        // The sign of a count is that of no count below the width.
        let extend = if signed { "sign_extend" } else { "zero_extend" };
        format!("({op} ((_ {extend} {width}) {a}) ((_ {extend} {width}) {b}))")
    };
    let lost = |op: &str| is_not_zero(&extract(&wide(op, false), width, width), width);
    let beyond = || format!("(bvuge {b} {})", number(width, u64::from(width)));
    let (mut poison, signed, unsigned) = match name {
        "add" => (vec![], format!("(and (= {x} {y}) (distinct {x} {z}))"), format!("(bvult {r} {a})")),
        "sub" => (vec![], format!("(and (distinct {x} {y}) (distinct {x} {z}))"), format!("(bvult {a} {b})")),
        "mul" => (vec![], is_mixed(&wide("bvmul", true), width - 1, 2 * width), lost("bvmul")),
        "shl" => (vec![beyond()], is_mixed(&wide("bvshl", true), width - 1, 2 * width), lost("bvshl")),
        "lshr" | "ashr" => {
            let below = format!("(bvsub (bvshl {} {b}) {})", number(width, 1), number(width, 1));
            let exact = is_not_zero(&format!("(bvand {a} {below})"), width);
            return [beyond()].into_iter().chain(flags.exact.then_some(exact)).collect();
        }
        "or" => {
            let both = is_not_zero(&format!("(bvand {a} {b})"), width);
            return flags.disjoint.then_some(both).into_iter().collect();
        }
        "udiv" | "urem" => {
            let rest = is_not_zero(&format!("(bvurem {a} {b})"), width);
            return flags.exact.then_some(rest).into_iter().collect();
        }
        "sdiv" | "srem" => {
            let rest = is_not_zero(&format!("(bvsrem {a} {b})"), width);
            return flags.exact.then_some(rest).into_iter().collect();
        }
        _ => return Vec::new(),
    };
    poison.extend(flags.nsw.then_some(signed));
    poison.extend(flags.nuw.then_some(unsigned));
    poison
}

/// The operator of SMT-LIB that is an instruction's, or a comparison's.
fn operator(name: &str) -> Option<&'static str> {
    Some(match name {
        "add" => "bvadd",
        "sub" => "bvsub",
        "mul" => "bvmul",
        "shl" => "bvshl",
        "lshr" => "bvlshr",
        "ashr" => "bvashr",
        "and" => "bvand",
        "or" => "bvor",
        "xor" => "bvxor",
        "udiv" => "bvudiv",
        "sdiv" => "bvsdiv",
        "urem" => "bvurem",
        "srem" => "bvsrem",
        "eq" => "=",
        "ne" => "distinct",
        "ult" => "bvult",
        "ule" => "bvule",
        "ugt" => "bvugt",
        "uge" => "bvuge",
        "slt" => "bvslt",
        "sle" => "bvsle",
        "sgt" => "bvsgt",
        "sge" => "bvsge",
        _ => return None,
    })
}

/// A generic intrinsic of two operands, element by element.
fn of_two(name: &str, width: u32, a: &str, b: &str) -> Option<String> {
    let chosen = |relation: &str| format!("(ite ({relation} {a} {b}) {a} {b})");
    let [x, y] = [a, b].map(|of| is_negative(of, width));
    let bound = format!("(ite {x} {} (bvnot {}))", least(width), least(width));
    let saturated = |value: &str, same: &str| {
        let z = is_negative(value, width);
        format!("(ite (and ({same} {x} {y}) (distinct {x} {z})) {bound} {value})")
    };
    let (sum, difference) = (format!("(bvadd {a} {b})"), format!("(bvsub {a} {b})"));
    Some(match name {
        "umin" => chosen("bvult"),
        "umax" => chosen("bvugt"),
        "smin" => chosen("bvslt"),
        "smax" => chosen("bvsgt"),
        "uadd.sat" => format!("(ite (bvult {sum} {a}) {} {sum})", ones(width)),
        "usub.sat" => format!("(ite (bvult {a} {b}) {} {difference})", number(width, 0)),
        "sadd.sat" => saturated(&sum, "="),
        "ssub.sat" => saturated(&difference, "distinct"),
        _ => return None,
    })
}

/// A generic intrinsic of one operand, and where a flag makes it poison.
fn of_one(name: &str, width: u32, a: &str) -> Option<(String, String)> {
    let bit = |at: u32| extract(a, at, 1);
    // The first bit that is 1 in an order of the bits decides; without one it is the width.
    let first = |order: &mut dyn Iterator<Item = u32>| {
        let (mut text, mut count) = (String::new(), 0);
        for at in order {
            let _ = write!(text, "(ite (= {} #b1) {} ", bit(at), number(width, count));
            count += 1;
        }
        text + &number(width, u64::from(width) & (u64::MAX >> (64 - width.min(64))))
            + &")".repeat(width as usize)
    };
    let joined = |part: u32| {
        let parts = (0..width / part).map(|at| extract(a, at * part, part));
        let parts: Vec<String> = parts.collect();
        if parts.len() == 1 { parts.concat() } else { format!("(concat {})", parts.join(" ")) }
    };
    let never = "false".to_owned();
    let is_zero = format!("(= {a} {})", number(width, 0));
    Some(match name {
        "ctpop" => {
            let ones = (0..width).map(|at| match width {
                1 => bit(at),
                _ => format!("((_ zero_extend {}) {})", width - 1, bit(at)),
            });
            (ones.reduce(|sum, bit| format!("(bvadd {sum} {bit})"))?, never)
        }
        "ctlz" => (first(&mut (0..width).rev()), is_zero),
        "cttz" => (first(&mut (0..width)), is_zero),
        "abs" => {
            let is_least = format!("(= {a} {})", least(width));
            (format!("(ite (bvslt {a} {}) (bvneg {a}) {a})", number(width, 0)), is_least)
        }
        "bswap" if width.is_multiple_of(16) => (joined(8), never),
        "bitreverse" => (joined(1), never),
        _ => return None,
    })
}

/// A funnel shift by a count modulo the width: the part of one operand before that of the other.
fn funnel(left: bool, width: u32, [a, b, count]: [&str; 3]) -> String {
    let by = format!("(bvurem {count} {})", number(width, u64::from(width)));
    let rest = format!("(bvsub {} {by})", number(width, u64::from(width) - 1));
    let one = number(width, 1);
    match (left, width) {
        (true, 1) => a.to_owned(),
        (false, 1) => b.to_owned(),
        (true, _) => format!("(bvor (bvshl {a} {by}) (bvlshr (bvlshr {b} {one}) {rest}))"),
        (false, _) => format!("(bvor (bvshl (bvshl {a} {one}) {rest}) (bvlshr {b} {by}))"),
    }
}

/// A generic intrinsic's name without `llvm.` and the types at its end.
fn stem(function: &str) -> Option<&str> {
    let mut stem = function.strip_prefix("llvm.")?;
    let is_type = |part: &str| {
        let is_digit = |digit: char| digit.is_ascii_digit();
        let element = part.strip_prefix('v').map_or(part, |rest| rest.trim_start_matches(is_digit));
        element.strip_prefix('i').is_some_and(|digits| !digits.is_empty() && digits.chars().all(is_digit))
    };
    while let Some((before, last)) = stem.rsplit_once('.')
        && is_type(last)
    {
        stem = before;
    }
    Some(stem)
}

/// One of the two functions.
struct Side<'t> {
    text: &'t mut String,
    /// What the names of its terms begin with.
    prefix: &'static str,
    /// Whether its choices are those of the solver.
    may_choose: bool,
    values: FxHashMap<String, Vec<Lane>>,
    /// Where its behavior is undefined.
    wrong: Vec<String>,
    next: usize,
}

impl Side<'_> {
    /// The result's elements.
    fn run(&mut self, body: &Body, given: &[Vec<Lane>]) -> Read<Vec<Lane>> {
        for (parameter, lanes) in body.parameters.iter().zip(given) {
            let lanes = self.required(&parameter.attributes, lanes.clone());
            self.values.insert(parameter.name.clone(), lanes);
        }
        let [block] = &body.blocks[..] else { return fault(Place::default(), "several blocks") };
        for instruction in &block.instructions {
            if let Action::Return(of) = &instruction.action {
                let lanes = of.as_ref().map_or(Ok(Vec::new()), |of| self.operand(of, instruction.place))?;
                return Ok(self.required(&body.attributes, lanes));
            }
            let lanes = self.instruction(instruction)?;
            if let Some(name) = &instruction.result {
                self.values.insert(name.clone(), lanes);
            }
        }
        fault(Place::default(), "a block that does not return")
    }

    fn name(&mut self) -> String {
        self.next += 1;
        format!("{}{}", self.prefix, self.next)
    }

    /// An element with names for its terms.
    fn lane(&mut self, width: u32, bits: &str, poison: &str) -> Lane {
        let (value, flag) = (self.name(), self.name());
        let _ = writeln!(self.text, "(define-fun {value} () (_ BitVec {width}) {bits})");
        let _ = writeln!(self.text, "(define-fun {flag} () Bool {poison})");
        Lane { width, bits: value, poison: flag }
    }

    /// The same of what is poison where one of its operands is.
    fn of_operands(&mut self, width: u32, (bits, poison): Made, operands: &[&Lane]) -> Lane {
        let own = operands.iter().map(|lane| lane.poison.clone());
        self.lane(width, &bits, &any(own.chain(poison)))
    }

    fn required(&mut self, attributes: &[Attribute], mut lanes: Vec<Lane>) -> Vec<Lane> {
        for attribute in attributes {
            let (Attribute::Range(low, high) | Attribute::KnownBits(low, high)) = attribute else { continue };
            for lane in lanes.iter_mut().filter(|lane| lane.width == low.width()) {
                let Lane { width, bits, poison } = lane.clone();
                let (low, high) = (literal(low), literal(high));
                let inside = if matches!(attribute, Attribute::KnownBits(..)) {
                    let none = format!("(_ bv0 {width})");
                    format!("(and (= (bvand {bits} {low}) {none}) (= (bvand {bits} {high}) {high}))")
                } else {
                    let (from, to) = (format!("(bvuge {bits} {low})"), format!("(bvult {bits} {high})"));
                    format!("(ite (bvult {low} {high}) (and {from} {to}) (or {from} {to}))")
                };
                *lane = self.lane(width, &bits, &format!("(or {poison} (not {inside}))"));
            }
        }
        if attributes.contains(&Attribute::NoUndef) {
            self.wrong.extend(lanes.iter().map(|lane| lane.poison.clone()));
        }
        lanes
    }

    fn operand(&self, operand: &Operand, place: Place) -> Read<Vec<Lane>> {
        let Some(widths) = elements(&operand.ty) else {
            return fault(place, format!("values of type `{}` are outside of what is modelled", operand.ty));
        };
        match &operand.value {
            Value::Local(name) => {
                let found = self.values.get(name).filter(|lanes| lanes.len() == widths.len()).cloned();
                found.map_or_else(|| fault(place, format!("%{name} is not defined here")), Ok)
            }
            Value::Constant(parts) => {
                let lane = |(part, width): (&Element, u32)| match part {
                    Element::Bits(bits) => {
                        Ok(Lane { width, bits: literal(bits), poison: "false".to_owned() })
                    }
                    Element::Poison => Ok(Lane { width, bits: number(width, 0), poison: "true".to_owned() }),
                    Element::Undef => fault(place, "`undef`"),
                };
                parts.iter().zip(widths).map(lane).collect()
            }
        }
    }

    fn instruction(&mut self, at: &Instruction) -> Read<Vec<Lane>> {
        let place = at.place;
        let unknown = || Fault::new(place, "an instruction that is outside of this encoding");
        match &at.action {
            Action::Binary(name, flags, left, right) => {
                let (left, right) = (self.operand(left, place)?, self.operand(right, place)?);
                let op = operator(name).ok_or_else(unknown)?;
                let pairs = left.iter().zip(&right);
                Ok(pairs.map(|(a, b)| self.binary(name, op, *flags, a, b)).collect())
            }
            Action::Compare(predicate, flags, left, right) => {
                let (left, right) = (self.operand(left, place)?, self.operand(right, place)?);
                let relation = operator(predicate).ok_or_else(unknown)?;
                let mut lanes = Vec::new();
                for (a, b) in left.iter().zip(&right) {
                    let [x, y] = [a, b].map(|own| is_negative(&own.bits, own.width));
                    let poison = flags.samesign.then(|| format!("(distinct {x} {y})"));
                    let bits = truth(&format!("({relation} {} {})", a.bits, b.bits));
                    lanes.push(self.of_operands(1, (bits, poison.into_iter().collect()), &[a, b]));
                }
                Ok(lanes)
            }
            Action::Cast("bitcast", _, of, to) => {
                let (lanes, widths) = (self.operand(of, place)?, elements(to).ok_or_else(unknown)?);
                self.regrouped(&lanes, &widths).ok_or_else(unknown)
            }
            Action::Cast(name, flags, of, to) => {
                let (lanes, widths) = (self.operand(of, place)?, elements(to).ok_or_else(unknown)?);
                let mut all = Vec::new();
                for (lane, width) in lanes.iter().zip(widths) {
                    let made = cast(name, *flags, lane, width).ok_or_else(unknown)?;
                    all.push(self.of_operands(width, made, &[lane]));
                }
                Ok(all)
            }
            Action::Select(condition, then, otherwise) => {
                let condition = self.operand(condition, place)?;
                let (then, otherwise) = (self.operand(then, place)?, self.operand(otherwise, place)?);
                let mut lanes = Vec::new();
                for (at, (a, b)) in then.iter().zip(&otherwise).enumerate() {
                    let own = condition.get(if condition.len() == 1 { 0 } else { at }).ok_or_else(unknown)?;
                    let chosen = |a: &str, b: &str| format!("(ite (= {} #b1) {a} {b})", own.bits);
                    let poison = format!("(or {} {})", own.poison, chosen(&a.poison, &b.poison));
                    lanes.push(self.lane(a.width, &chosen(&a.bits, &b.bits), &poison));
                }
                Ok(lanes)
            }
            Action::Freeze(of) => {
                let lanes = self.operand(of, place)?;
                lanes.into_iter().map(|lane| self.frozen(lane, place)).collect()
            }
            Action::Shuffle(left, right, mask) => {
                let both = [self.operand(left, place)?, self.operand(right, place)?].concat();
                let width = both.first().ok_or_else(unknown)?.width;
                let poison = Lane { width, bits: number(width, 0), poison: "true".to_owned() };
                let lane =
                    |at: &Option<u32>| at.map_or(Some(poison.clone()), |at| both.get(at as usize).cloned());
                mask.iter().map(lane).collect::<Option<_>>().ok_or_else(unknown)
            }
            Action::ExtractElement(vector, index) => {
                let (vector, index) = (self.operand(vector, place)?, self.operand(index, place)?);
                let (Some(first), [index]) = (vector.first(), &index[..]) else { return Err(unknown()) };
                let (mut bits, mut poison) = (number(first.width, 0), "true".to_owned());
                for (at, own) in vector.iter().enumerate() {
                    let Some(is) = is_at(index, at) else { continue };
                    bits = format!("(ite {is} {} {bits})", own.bits);
                    poison = format!("(ite {is} {} {poison})", own.poison);
                }
                Ok(vec![self.of_operands(first.width, (bits, vec![poison]), &[index])])
            }
            Action::InsertElement(vector, element, index) => {
                let (vector, index) = (self.operand(vector, place)?, self.operand(index, place)?);
                let element = self.operand(element, place)?;
                let ([element], [index]) = (&element[..], &index[..]) else { return Err(unknown()) };
                let inside = any((0..vector.len()).filter_map(|at| is_at(index, at)));
                let mut lanes = Vec::new();
                for (at, own) in vector.iter().enumerate() {
                    let is = is_at(index, at).unwrap_or_else(|| "false".to_owned());
                    let bits = format!("(ite {is} {} {})", element.bits, own.bits);
                    let chosen = format!("(ite {is} {} {})", element.poison, own.poison);
                    let poison = vec![chosen, format!("(not {inside})")];
                    lanes.push(self.of_operands(own.width, (bits, poison), &[index]));
                }
                Ok(lanes)
            }
            Action::Call { function, arguments, attributes } => {
                let plain = attributes.is_empty() && arguments.iter().all(|(_, given)| given.is_empty());
                let stem = stem(function).filter(|_| plain).ok_or_else(unknown)?;
                let given = arguments.iter().map(|(operand, _)| self.operand(operand, place));
                let given = given.collect::<Read<Vec<_>>>()?;
                self.call(stem, &given).ok_or_else(unknown)
            }
            _ => Err(unknown()),
        }
    }

    fn binary(&mut self, name: &str, op: &str, flags: Flags, a: &Lane, b: &Lane) -> Lane {
        let width = a.width;
        let value = format!("({op} {} {})", a.bits, b.bits);
        if name.ends_with("div") || name.ends_with("rem") {
            self.wrong.push(format!("(or {} (= {} {}))", b.poison, b.bits, number(width, 0)));
            if name.starts_with('s') {
                let at_least = format!("(or {} (= {} {}))", a.poison, a.bits, least(width));
                self.wrong.push(format!("(and (= {} {}) {at_least})", b.bits, ones(width)));
            }
        }
        let poison = overflow(name, flags, width, [&a.bits, &b.bits, &value]);
        self.of_operands(width, (value, poison), &[a, b])
    }

    /// Any value in place of poison, which this side chooses.
    fn frozen(&mut self, lane: Lane, place: Place) -> Read<Lane> {
        let Lane { width, bits, poison } = lane;
        if poison == "false" {
            return Ok(Lane { width, bits, poison });
        }
        if !self.may_choose {
            return fault(place, "a choice of the first function");
        }
        let choice = self.name();
        let _ = writeln!(self.text, "(declare-const {choice} (_ BitVec {width}))");
        Ok(self.lane(width, &format!("(ite {poison} {choice} {bits})"), "false"))
    }

    /// The same bits in elements of other widths. An element is poison if a bit of it is.
    fn regrouped(&mut self, lanes: &[Lane], widths: &[u32]) -> Option<Vec<Lane>> {
        let own: Vec<u32> = lanes.iter().map(|lane| lane.width).collect();
        if own == widths {
            return Some(lanes.to_vec());
        }
        let total: u32 = own.iter().sum();
        if total != widths.iter().sum() {
            return None;
        }
        let join = |terms: Vec<String>| match &terms[..] {
            [only] => only.clone(),
            _ => format!("(concat {})", terms.join(" ")),
        };
        let mask =
            |lane: &Lane| format!("(ite {} {} {})", lane.poison, ones(lane.width), number(lane.width, 0));
        let bits = join(lanes.iter().rev().map(|lane| lane.bits.clone()).collect());
        let masks = join(lanes.iter().rev().map(mask).collect());
        let (bits, masks) = (self.lane(total, &bits, "false").bits, self.lane(total, &masks, "false").bits);
        let (mut low, mut all) = (0, Vec::new());
        for width in widths {
            let poison = is_not_zero(&extract(&masks, low, *width), *width);
            all.push(self.lane(*width, &extract(&bits, low, *width), &poison));
            low += width;
        }
        Some(all)
    }

    fn call(&mut self, stem: &str, given: &[Vec<Lane>]) -> Option<Vec<Lane>> {
        match (stem, given) {
            ("assume", [condition]) => {
                let [Lane { bits, poison, .. }] = &condition[..] else { return None };
                self.wrong.push(format!("(or {poison} (= {bits} #b0))"));
                Some(Vec::new())
            }
            ("fshl" | "fshr", [a, b, count]) => {
                let lanes = a.iter().zip(b).zip(count);
                let made = lanes.map(|((a, b), by)| {
                    let bits = funnel(stem == "fshl", a.width, [&a.bits, &b.bits, &by.bits]);
                    self.of_operands(a.width, (bits, Vec::new()), &[a, b, by])
                });
                Some(made.collect())
            }
            (_, [lanes]) if stem.starts_with("vector.reduce.") => self.reduced(stem, lanes),
            (_, [lanes]) | ("abs" | "ctlz" | "cttz", [lanes, _]) => {
                let flag = given.get(1).and_then(|flag| flag.first()).cloned();
                let mut all = Vec::new();
                for lane in lanes {
                    let (bits, special) = of_one(stem, lane.width, &lane.bits)?;
                    let set = flag.as_ref().map(|flag| format!("(and (= {} #b1) {special})", flag.bits));
                    all.push(self.of_operands(lane.width, (bits, set.into_iter().collect()), &[lane]));
                }
                Some(all)
            }
            (_, [left, right]) if left.len() == right.len() => {
                let mut all = Vec::new();
                for (a, b) in left.iter().zip(right) {
                    let bits = of_two(stem, a.width, &a.bits, &b.bits)?;
                    all.push(self.of_operands(a.width, (bits, Vec::new()), &[a, b]));
                }
                Some(all)
            }
            _ => None,
        }
    }

    fn reduced(&mut self, stem: &str, lanes: &[Lane]) -> Option<Vec<Lane>> {
        let name = stem.strip_prefix("vector.reduce.")?;
        let (first, rest) = lanes.split_first()?;
        let mut bits = first.bits.clone();
        for lane in rest {
            let made = of_two(name, lane.width, &bits, &lane.bits);
            let plain = || {
                let op = operator(name).filter(|_| matches!(name, "add" | "mul" | "and" | "or" | "xor"));
                op.map(|op| format!("({op} {bits} {})", lane.bits))
            };
            let value = made.or_else(plain)?;
            bits = self.lane(lane.width, &value, "false").bits;
        }
        let operands: Vec<&Lane> = lanes.iter().collect();
        Some(vec![self.of_operands(first.width, (bits, Vec::new()), &operands)])
    }
}

/// Whether an index is a position; `None` where it is too narrow to be.
fn is_at(index: &Lane, at: usize) -> Option<String> {
    let fits = index.width >= 64 || (at as u64) >> index.width == 0;
    fits.then(|| format!("(= {} {})", index.bits, number(index.width, at as u64)))
}

fn cast(name: &str, flags: Flags, lane: &Lane, to: u32) -> Option<Made> {
    let Lane { width, bits, .. } = lane;
    let mut poison = Vec::new();
    let made = match name {
        "zext" | "sext" if to > *width => {
            poison.extend(flags.nneg.then(|| is_negative(bits, *width)));
            let extend = if name == "zext" { "zero_extend" } else { "sign_extend" };
            format!("((_ {extend} {}) {bits})", to - width)
        }
        "trunc" if to < *width => {
            let lost = || is_not_zero(&extract(bits, to, width - to), width - to);
            poison.extend(flags.nuw.then(lost));
            poison.extend(flags.nsw.then(|| is_mixed(bits, to - 1, *width)));
            extract(bits, 0, to)
        }
        _ => return None,
    };
    Some((made, poison))
}
