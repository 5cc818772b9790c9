//! Functions without jumps on numbers, with poison element by element.

use hydride_ir::Bits;
use llvm_text::Type;
use refine::ast::{Action, Attribute, Body, Element, Flags, Instruction, Operand, Value, elements};
use refine::{Argument, Intrinsics, part};
use rustc_hash::FxHashMap;

use crate::element::{One, Two, compare, funnel, ones, signed};
use crate::facts::Facts;

/// Elements, from the first one; `None` is poison.
pub type Elements = Vec<Option<u64>>;

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The behavior is undefined.
    Undefined,
    /// Elements of more than 64 bits, jumps, `undef`, or an intrinsic whose meaning is not known.
    Outside(String),
}

fn outside<T>(what: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Outside(what.into()))
}

/// What a function without jumps gives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// The values of parameters and instructions by name.
    pub values: FxHashMap<String, Elements>,
    /// The result.
    pub result: Elements,
}

/// Runs a function without jumps. A `freeze` gives 0 in place of poison. Of a target's intrinsic all of the result is poison
/// where a part of an operand is, which is more than what a proof assumes of it.
pub fn run(body: &Body, arguments: &[Elements], intrinsics: &dyn Intrinsics) -> Result<Run, Stop> {
    let mut run = Run::default();
    for (parameter, given) in body.parameters.iter().zip(arguments) {
        run.values.insert(
            parameter.name.clone(),
            required(&parameter.attributes, width_of(&parameter.ty), given.clone())?,
        );
    }
    let [block] = &body.blocks[..] else { return outside("several blocks") };
    for instruction in &block.instructions {
        if let Action::Return(of) = &instruction.action {
            run.result = of.as_ref().map_or(Ok(Vec::new()), |of| run.operand(of))?;
            return Ok(run);
        }
        if let Action::Call { function, arguments, .. } = &instruction.action
            && let ("llvm.assume", [(condition, _)]) = (function.as_str(), &arguments[..])
        {
            if run.operand(condition)? != [Some(1)] {
                return Err(Stop::Undefined);
            }
            continue;
        }
        let value = run.value(instruction, intrinsics)?;
        if let Some(name) = &instruction.result {
            run.values.insert(name.clone(), value);
        }
    }
    outside("no end")
}

/// Elements as attributes require them: poison outside of a range, and no poison where that is undefined.
fn required(attributes: &[Attribute], width: Option<u32>, mut lanes: Elements) -> Result<Elements, Stop> {
    for said in attributes.iter().filter(|own| matches!(own, Attribute::Range(..) | Attribute::KnownBits(..)))
    {
        // Each by itself: of both together more numbers may be taken.
        let Some(known) = width.and_then(|width| Facts::of_attributes(width, std::slice::from_ref(said)))
        else {
            continue;
        };
        lanes.iter_mut().for_each(|lane| *lane = lane.filter(|value| known.has(*value)));
    }
    if attributes.contains(&Attribute::NoUndef) && lanes.contains(&None) {
        return Err(Stop::Undefined);
    }
    Ok(lanes)
}

/// The width of all elements of integers or vectors, of up to 64 bits.
pub fn width_of(ty: &Type) -> Option<u32> {
    let is_plain = matches!(ty, Type::Scalar(_) | Type::Vector(..));
    elements(ty)?.first().copied().filter(|width| is_plain && *width <= 64)
}

/// The widths of elements, all up to 64 bits.
pub fn widths(ty: &Type) -> Result<Vec<u32>, Stop> {
    let widths = elements(ty).filter(|widths| widths.iter().all(|width| *width <= 64));
    widths.map_or_else(|| outside(format!("elements of `{ty}`")), Ok)
}

/// Elements of these widths as one number.
fn join(lanes: &[u64], widths: &[u32]) -> Bits {
    let total: u32 = widths.iter().sum();
    let mut words = vec![0u64; total.div_ceil(64) as usize];
    let mut low = 0;
    for (lane, width) in lanes.iter().zip(widths) {
        let (word, bit) = ((low / 64) as usize, low % 64);
        words[word] |= lane << bit;
        if bit + width > 64 {
            words[word + 1] |= lane >> (64 - bit);
        }
        low += width;
    }
    Bits::from_words(total, words)
}

/// A number as elements of these widths.
fn split(bits: &Bits, widths: &[u32]) -> Vec<u64> {
    let (words, mut low, mut all) = (bits.words(), 0u32, Vec::new());
    for width in widths {
        let (word, bit) = ((low / 64) as usize, low % 64);
        let mut value = words[word] >> bit;
        if bit + width > 64 {
            value |= words[word + 1] << (64 - bit);
        }
        all.push(value & ones(*width));
        low += width;
    }
    all
}

/// Elements of some widths as elements of other widths; a part that is poison makes all that it is in poison.
pub fn view(lanes: &[Option<u64>], from: &[u32], to: &[u32]) -> Elements {
    if from == to {
        return lanes.to_vec();
    }
    let plain = |bit: &Option<u64>| bit.unwrap_or(0);
    let values = split(&join(&lanes.iter().map(plain).collect::<Vec<_>>(), from), to);
    let poison = |(lane, width): (&Option<u64>, &u32)| if lane.is_none() { ones(*width) } else { 0 };
    let poison: Vec<u64> = lanes.iter().zip(from).map(poison).collect();
    let poison = split(&join(&poison, from), to);
    values.into_iter().zip(poison).map(|(value, poison)| (poison == 0).then_some(value)).collect()
}

impl Run {
    fn operand(&self, operand: &Operand) -> Result<Elements, Stop> {
        let widths = widths(&operand.ty)?;
        match &operand.value {
            Value::Local(name) => {
                let value = self.values.get(name).filter(|value| value.len() == widths.len());
                value.cloned().map_or_else(|| outside(format!("%{name}")), Ok)
            }
            Value::Constant(parts) => {
                let part = |part: &Element| match part {
                    Element::Bits(bits) => Ok(bits.to_u64()),
                    Element::Poison => Ok(None),
                    Element::Undef => outside("undef"),
                };
                parts.iter().map(part).collect()
            }
        }
    }

    fn value(&self, at: &Instruction, intrinsics: &dyn Intrinsics) -> Result<Elements, Stop> {
        Ok(match &at.action {
            Action::Binary(name, flags, left, right) => {
                let (a, b) = (self.operand(left)?, self.operand(right)?);
                let width = widths(&left.ty)?[0];
                let pairs = a.into_iter().zip(b);
                pairs.map(|(a, b)| binary(name, *flags, width, a, b)).collect::<Result<_, _>>()?
            }
            Action::Compare(predicate, flags, left, right) => {
                let (a, b) = (self.operand(left)?, self.operand(right)?);
                let width = widths(&left.ty)?[0];
                let one = |(a, b): (Option<u64>, Option<u64>)| {
                    let (a, b) = (a?, b?);
                    let apart = (signed(width, a) < 0) != (signed(width, b) < 0);
                    (!(flags.samesign && apart)).then(|| u64::from(compare(predicate, width, a, b)))
                };
                a.into_iter().zip(b).map(one).collect()
            }
            Action::Cast(name, flags, of, to) => {
                let (own, to) = (widths(&of.ty)?, widths(to)?);
                let value = self.operand(of)?;
                if *name == "bitcast" {
                    return Ok(view(&value, &own, &to));
                }
                let one = |lane: Option<u64>| cast(name, *flags, own[0], to[0], lane?);
                value.into_iter().map(one).collect()
            }
            Action::Select(condition, then, otherwise) => {
                let (condition, then, otherwise) =
                    (self.operand(condition)?, self.operand(then)?, self.operand(otherwise)?);
                let one = |(at, (a, b)): (usize, (Option<u64>, Option<u64>))| {
                    let own = if condition.len() == 1 { condition[0] } else { condition[at] };
                    if own? == 1 { a } else { b }
                };
                then.into_iter().zip(otherwise).enumerate().map(one).collect()
            }
            Action::Freeze(of) => self.operand(of)?.into_iter().map(|lane| lane.or(Some(0))).collect(),
            Action::Shuffle(left, right, mask) => {
                let both = [self.operand(left)?, self.operand(right)?].concat();
                mask.iter().map(|lane| both.get((*lane)? as usize).copied().flatten()).collect()
            }
            Action::ExtractElement(vector, index) => {
                let (vector, index) = (self.operand(vector)?, self.operand(index)?[0]);
                let lane = index.and_then(|index| vector.get(usize::try_from(index).ok()?).copied());
                vec![lane.flatten()]
            }
            Action::InsertElement(vector, element, index) => {
                let (mut vector, element) = (self.operand(vector)?, self.operand(element)?[0]);
                let index = self.operand(index)?[0].and_then(|index| usize::try_from(index).ok());
                match index.filter(|index| *index < vector.len()) {
                    Some(index) => vector[index] = element,
                    None => vector.fill(None),
                }
                vector
            }
            Action::ExtractValue(whole, indices) => {
                let lanes = self.operand(whole)?;
                let (first, ty) = part_of(whole, indices)?;
                lanes[first..first + widths(&ty)?.len()].to_vec()
            }
            Action::InsertValue(whole, value, indices) => {
                let (mut lanes, value) = (self.operand(whole)?, self.operand(value)?);
                let (first, _) = part_of(whole, indices)?;
                lanes.splice(first..first + value.len(), value);
                lanes
            }
            Action::Call { function, arguments, attributes } => {
                let mut given = Vec::new();
                for (operand, attributes) in arguments {
                    given.push((
                        required(attributes, width_of(&operand.ty), self.operand(operand)?)?,
                        widths(&operand.ty)?,
                    ));
                }
                required(attributes, width_of(&at.ty), call(function, &given, &widths(&at.ty)?, intrinsics)?)?
            }
            _ => return outside("an instruction of another kind"),
        })
    }
}

/// The first element of a part of a structure, and the part's type.
fn part_of(whole: &Operand, indices: &[u32]) -> Result<(usize, Type), Stop> {
    part(&whole.ty, indices).map_or_else(|| outside("a part of another type"), Ok)
}

fn binary(name: &str, flags: Flags, width: u32, a: Option<u64>, b: Option<u64>) -> Result<Option<u64>, Stop> {
    let divides = name.ends_with("div") || name.ends_with("rem");
    if divides {
        let Some(b) = b.filter(|b| *b != 0) else { return Err(Stop::Undefined) };
        let least = (ones(width) >> 1) + 1;
        if name.starts_with('s') && b == ones(width) && a.is_none_or(|a| a == least) {
            return Err(Stop::Undefined);
        }
        let Some(a) = a else { return Ok(None) };
        let (x, y) = (signed(width, a), signed(width, b));
        let rest = if name.starts_with('s') { x.wrapping_rem(y).cast_unsigned() } else { a % b };
        let value = match name {
            "udiv" => a / b,
            "sdiv" => x.wrapping_div(y).cast_unsigned(),
            _ => rest,
        };
        return Ok((!(flags.exact && rest != 0)).then_some(value & ones(width)));
    }
    let (Some(a), Some(b)) = (a, b) else { return Ok(None) };
    let Some(operator) = Two::named(name).filter(|operator| !operator.is_intrinsic()) else {
        return outside(name);
    };
    let (x, value) = (i128::from(signed(width, a)), operator.of(width, a, b));
    let back = i128::from(signed(width, value));
    let is_poison = match operator {
        Two::Add | Two::Sub | Two::Mul => [(flags.nuw, false), (flags.nsw, true)]
            .into_iter()
            .any(|(is_set, is_signed)| is_set && loses(operator, is_signed, width, a, b)),
        Two::Or => flags.disjoint && a & b != 0,
        _ if !operator.is_shift() => false,
        _ if b >= u64::from(width) => true,
        Two::Shl => flags.nuw && value >> b != a || flags.nsw && back >> b != x,
        _ => flags.exact && a & ones(width) & ((1u64 << b) - 1) != 0,
    };
    Ok((!is_poison).then_some(value))
}

/// Whether a sum, difference or product is another number than that of whole numbers.
fn loses(operator: Two, is_signed: bool, width: u32, a: u64, b: u64) -> bool {
    let number = |value| if is_signed { i128::from(signed(width, value)) } else { i128::from(value) };
    let (x, y) = (number(a), number(b));
    let whole = match operator {
        Two::Add => x.checked_add(y),
        Two::Sub => x.checked_sub(y),
        _ => x.checked_mul(y),
    };
    whole != Some(number(operator.of(width, a, b)))
}

fn cast(name: &str, flags: Flags, from: u32, to: u32, value: u64) -> Option<u64> {
    let made = if name == "sext" { signed(from, value).cast_unsigned() } else { value } & ones(to);
    let lost = flags.nneg && signed(from, value) < 0
        || flags.nuw && to < from && made != value
        || flags.nsw && to < from && signed(to, made) != signed(from, value);
    (!lost).then_some(made)
}

/// The name of a generic intrinsic without `llvm.` and types.
pub fn stem(function: &str) -> String {
    let parts: Vec<&str> = function.strip_prefix("llvm.").unwrap_or(function).split('.').collect();
    let is_type = |part: &&str| {
        let digits = part.trim_start_matches('v').trim_start_matches(|digit: char| digit.is_ascii_digit());
        let digits = digits.strip_prefix(['i', 'f']).unwrap_or("");
        !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit())
    };
    let kept = parts.iter().rposition(|part| !is_type(part)).map_or(0, |last| last + 1);
    parts[..kept].join(".")
}

/// Whether a function is a generic intrinsic without effects that is modelled.
pub fn is_generic(function: &str) -> bool {
    let stem = stem(function);
    let reduced = stem.strip_prefix("vector.reduce.").and_then(Two::named);
    function.starts_with("llvm.")
        && (One::named(&stem).is_some()
            || Two::named(&stem).is_some_and(Two::is_intrinsic)
            || reduced.is_some_and(|own| own.commutes() && !matches!(own, Two::UAddSat | Two::SAddSat))
            || overflowing(&stem).is_some()
            || matches!(stem.as_str(), "fshl" | "fshr"))
}

/// The operator of an intrinsic that says whether its result is another one than that of whole numbers, and whether these are
/// signed.
fn overflowing(stem: &str) -> Option<(Two, bool)> {
    let own = stem.strip_suffix(".with.overflow")?;
    let operator = Two::named(own.get(1..)?);
    let operator = operator.filter(|own| matches!(own, Two::Add | Two::Sub | Two::Mul))?;
    matches!(&own[..1], "s" | "u").then_some((operator, own.starts_with('s')))
}

fn call(
    function: &str,
    given: &[(Elements, Vec<u32>)],
    results: &[u32],
    intrinsics: &dyn Intrinsics,
) -> Result<Elements, Stop> {
    let stem = stem(function);
    let width = given.first().map_or(0, |(_, widths)| widths[0]);
    if let (Some(operator), [(a, _), rest @ ..]) = (One::named(&stem), given) {
        let flag = rest.first().and_then(|(flag, _)| flag[0]).unwrap_or(0) == 1;
        let one = |lane: &Option<u64>| {
            let (a, least) = ((*lane)?, (ones(width) >> 1) + 1);
            let special = if operator == One::Abs { a == least } else { a == 0 };
            (!(flag && special)).then(|| operator.of(width, a))
        };
        return Ok(a.iter().map(one).collect());
    }
    if let (Some(operator), [(a, _), (b, _)]) = (Two::named(&stem).filter(|own| own.is_intrinsic()), given) {
        return Ok(a.iter().zip(b).map(|(a, b)| Some(operator.of(width, (*a)?, (*b)?))).collect());
    }
    if let (Some((operator, is_signed)), [(a, _), (b, _)]) = (overflowing(&stem), given) {
        let pairs = || a.iter().zip(b).map(|(a, b)| Some(((*a)?, (*b)?)));
        let wraps = |(a, b)| u64::from(loses(operator, is_signed, width, a, b));
        let values = pairs().map(|pair| pair.map(|(a, b)| operator.of(width, a, b)));
        return Ok(values.chain(pairs().map(|pair| pair.map(wraps))).collect());
    }
    match (stem.as_str(), given) {
        ("fshl" | "fshr", [(a, _), (b, _), (by, _)]) => {
            let lanes = a.iter().zip(b).zip(by);
            let one = |((a, b), by): ((&Option<u64>, &Option<u64>), &Option<u64>)| {
                Some(funnel(stem == "fshl", width, (*a)?, (*b)?, (*by)?))
            };
            return Ok(lanes.map(one).collect());
        }
        (_, [(a, _)]) if stem.starts_with("vector.reduce.") => {
            let Some(operator) = Two::named(&stem["vector.reduce.".len()..]).filter(|own| own.commutes())
            else {
                return outside(function);
            };
            let all: Option<Vec<u64>> = a.iter().copied().collect();
            let folded =
                all.and_then(|all| all.into_iter().reduce(|left, right| operator.of(width, left, right)));
            return Ok(vec![folded]);
        }
        _ => {}
    }
    target(function, given, results, intrinsics)
}

fn target(
    function: &str,
    given: &[(Elements, Vec<u32>)],
    results: &[u32],
    intrinsics: &dyn Intrinsics,
) -> Result<Elements, Stop> {
    let whole = |(lanes, widths): &(Elements, Vec<u32>)| {
        let lanes: Option<Vec<u64>> = lanes.iter().copied().collect();
        lanes.map(|lanes| join(&lanes, widths))
    };
    let wholes: Vec<Option<Bits>> = given.iter().map(whole).collect();
    let target = intrinsics.find(function, &wholes).map_err(Stop::Outside)?;
    if wholes.contains(&None) {
        return Ok(vec![None; results.len()]);
    }
    let mut arguments = Vec::new();
    for argument in &target.arguments {
        arguments.push(match argument {
            Argument::Constant(bits) => bits.clone(),
            Argument::Operand(at) => match wholes.get(*at) {
                Some(Some(bits)) => bits.clone(),
                _ => return outside(function),
            },
        });
    }
    let value = interp::evaluate(&target.function, &arguments).ok().and_then(|mut values| values.pop());
    match value {
        // Of the high bits of a number nothing may be known; a proof takes all of them.
        Some(value)
            if value.width() == results.iter().sum::<u32>() || value.width() <= 64 && results.len() == 1 =>
        {
            Ok(split(&value, results).into_iter().map(Some).collect())
        }
        _ => outside(function),
    }
}
