//! A mask that chooses lanes of the operation's result.
//!
//! ```text
//! instruction   dst[i] = k[i / 4] ? f(a, i) : c[i]       merging; zero in place of c[i]: zeroing
//! operation     dst[i] = f(a, i)
//! masking       lanes of four elements, one bit of k for each
//! ```
//!
//! The lane form itself sheds a mask with one bit for each element ([`hydride_ir::lane::canonicalize`]). What is
//! recognized here are masks whose lanes are not the elements.

use hydride_ir::exact::{Dag, Int, Node, NodeId, Raised, Replacements, Segment};
use hydride_ir::lane::Masking;
use hydride_ir::{ExprId, Function, Op, Random, ResultId, Stmt};

use super::Reading;
use super::operands::{ApplyError, constant, slice, zero};

/// Bits of the widest mask that is looked for.
const MAX_MASK: u32 = 128;
/// Arguments on which a mask is tried before it is proved.
const SAMPLES: u64 = 8;

/// Readings without a mask: what is written when every mask bit is set, where that and what is written when none is
/// make up the whole.
pub(super) fn recognize(dag: &mut Dag, function: &Function, reading: &Reading) -> Vec<Reading> {
    let [segments] = reading.core.results.as_slice() else { return Vec::new() };
    let Some(whole) = function.results[0].width.as_constant().map(|width| width as u32) else {
        return Vec::new();
    };
    let nodes = dag.reachable(segments.iter().map(|segment| segment.value));
    let mut found = Vec::new();
    let read = dag.bits_read(nodes);
    for (mask, bits) in (0..function.args.len() as u32).zip(read) {
        let Some(bits) = bits else { continue };
        if function.args[mask as usize].role.is_immediate()
            || !(2..=MAX_MASK).contains(&bits)
            || !whole.is_multiple_of(bits)
        {
            continue;
        }
        let lane = whole / bits;
        let at = |dag: &mut Dag, value: Int| {
            let value = dag.int(value);
            dag.with_argument(segments, mask, value)
        };
        let ones = (Int::ONE << dag.arg_widths()[mask as usize] as usize) - Int::ONE;
        let (set, clear) = (at(dag, ones), at(dag, Int::ZERO));
        for (core, kept, negated) in [(&set, &clear, false), (&clear, &set, true)] {
            let Some(pass) = passed_through(dag, kept, function) else { continue };
            let masking = Masking { mask, stride: 1, lane, pass, negated };
            if core != kept && is_masked(dag, segments, core, &masking) {
                let core = Raised { results: vec![core.clone()] };
                found.push(Reading { core, masking: Some(masking), ..reading.clone() });
                break;
            }
        }
    }
    found
}

/// The reading of a part without its mask, of which one bit governs the whole part. By itself an element under one bit
/// is a select and not masked.
pub(super) fn recognize_part(dag: &mut Dag, function: &Function, reading: &Reading) -> Vec<Reading> {
    Vec::from_iter(without_bit(dag, function, reading))
}

fn without_bit(dag: &mut Dag, function: &Function, reading: &Reading) -> Option<Reading> {
    let part = reading.part.filter(|_| reading.masking.is_none())?;
    let [segments] = reading.core.results.as_slice() else { return None };
    let select = |dag: &Dag, segment: &Segment| match *dag.node(segment.value) {
        Node::Select(condition, set, clear) => Some((condition, set, clear)),
        _ => None,
    };
    let (condition, ..) = select(dag, segments.first()?)?;
    let Node::Slice { of, low: bit, width: 1, .. } = *dag.node(condition) else { return None };
    let Node::Arg(mask) = *dag.node(of) else { return None };
    if function.args[mask as usize].role.is_immediate() || bit * part.width != part.low {
        return None;
    }
    let (mut set, mut clear) = (Vec::new(), Vec::new());
    for segment in segments {
        let (_, then, otherwise) = select(dag, segment).filter(|(own, ..)| *own == condition)?;
        set.push(Segment { value: then, ..*segment });
        clear.push(Segment { value: otherwise, ..*segment });
    }
    [(&set, &clear, false), (&clear, &set, true)].into_iter().find_map(|(written, kept, negated)| {
        let moved = |segment: &Segment| Segment { low: part.low + segment.low, ..*segment };
        let kept: Vec<Segment> = kept.iter().map(moved).collect();
        let pass = passed_through(dag, &kept, function)?;
        let nodes = dag.reachable(written.iter().map(|segment| segment.value));
        if nodes.into_iter().any(|node| matches!(dag.node(node), Node::Arg(arg) if *arg == mask)) {
            return None;
        }
        let masking = Masking { mask, stride: 1, lane: part.width, pass, negated };
        let core = Raised { results: vec![written.clone()] };
        Some(Reading { core, masking: Some(masking), ..reading.clone() })
    })
}

/// `Some(None)` for zero, `Some(Some(arg))` for an argument as it is.
fn passed_through(dag: &mut Dag, segments: &[Segment], function: &Function) -> Option<Option<u32>> {
    let zero = dag.int(0);
    if segments.iter().all(|segment| segment.value == zero) {
        return Some(None);
    }
    let passes = |dag: &mut Dag, arg: u32| {
        segments.iter().all(|segment| {
            dag.arg_widths()[arg as usize] >= segment.low + segment.width
                && dag.arg_slice(arg, segment.low, segment.width, false) == segment.value
        })
    };
    (0..function.args.len() as u32).find(|arg| passes(dag, *arg)).map(Some)
}

/// Whether `segments` are `core` under the mask, as far as a few values of the arguments show.
fn is_masked(dag: &mut Dag, segments: &[Segment], core: &[Segment], masking: &Masking) -> bool {
    (0..SAMPLES).all(|sample| {
        let mut replacements = Replacements::default();
        for arg in 0..dag.arg_widths().len() as u32 {
            let value = sample_of(dag.arg_widths()[arg as usize], arg, sample);
            let (arg, value) = (dag.arg(arg), dag.int(value));
            replacements.insert(arg, value);
        }
        let mask = dag.arg(masking.mask);
        // Numbers that only look like masks are recognized by small values.
        if sample % 2 == 1 {
            replacements.insert(mask, dag.int(sample));
        }
        let mask = replacements[&mask];
        let kept = masking.pass.map(|arg| dag.arg(arg)).map(|arg| replacements[&arg]);
        segments.iter().zip(core).all(|(segment, core)| {
            let value = dag.replace(segment.value, &mut replacements);
            let written = dag.replace(core.value, &mut replacements);
            let mut low = 0;
            while low < segment.width {
                let place = (segment.low + low) / masking.lane;
                let width = ((place + 1) * masking.lane - segment.low - low).min(segment.width - low);
                let bit = dag.slice(mask, place, 1, false);
                let is_written = (dag.as_i64(bit) == Some(1)) != masking.negated;
                let expected = match (is_written, kept) {
                    (true, _) => dag.slice(written, low, width, false),
                    (false, Some(kept)) => dag.slice(kept, segment.low + low, width, false),
                    (false, None) => dag.int(0),
                };
                if dag.slice(value, low, width, false) != expected {
                    return false;
                }
                low += width;
            }
            true
        })
    })
}

/// A value of an argument of `width` bits; counts and lengths are distinguishing only while they are small, as the low
/// byte of every other sample is.
fn sample_of(width: u32, arg: u32, sample: u64) -> Int {
    let value = sample_bits(width, (sample << 32) + u64::from(arg) + 1);
    let cleared = if sample % 2 == 1 { &value & Int::from(0xf8) } else { Int::ZERO };
    value - cleared
}

/// Bits that look random and are the same in every run.
fn sample_bits(width: u32, seed: u64) -> Int {
    let mut random = Random::new(seed);
    let words = (0..width.div_ceil(64)).map(|_| random.word());
    let value = words.fold(Int::ZERO, |value, word| (value << 64) + Int::from(word));
    value >> (width.div_ceil(64) * 64 - width) as usize
}

/// What the operation writes, cut at the ends of the mask's lanes.
pub(crate) fn lanes(dag: &mut Dag, segment: &Segment, masking: Option<&Masking>) -> Vec<Segment> {
    let lane = match masking {
        Some(masking) if segment.width > masking.lane => masking.lane,
        _ => return vec![*segment],
    };
    (0..segment.width)
        .step_by(lane as usize)
        .map(|low| {
            let width = lane.min(segment.width - low);
            Segment { low: segment.low + low, width, value: dag.slice(segment.value, low, width, false) }
        })
        .collect()
}

/// The value of a lane at its position in the instruction's result, under the mask.
pub(crate) fn apply(masking: &Masking, dag: &mut Dag, lane: &Segment) -> NodeId {
    let place = lane.low / masking.lane;
    let bit = dag.arg_slice(masking.mask, place * masking.stride, 1, false);
    let kept = match masking.pass {
        Some(arg) => dag.arg_slice(arg, lane.low, lane.width, false),
        None => dag.int(0),
    };
    if masking.negated { dag.select(bit, kept, lane.value) } else { dag.select(bit, lane.value, kept) }
}

/// Writes `value` under the mask from bit `low` of the instruction's result on.
pub(crate) fn write(
    masking: &Masking,
    applied: &mut Function,
    result: ResultId,
    low: i64,
    value: ExprId,
) -> Result<(), ApplyError> {
    let all = constant(&applied.expr(value).width)?;
    // What one mask bit governs can be less than what is written at once.
    let lane = i64::from(masking.lane).min(all);
    for inside in (0..all).step_by(lane as usize) {
        let (position, width) = (low + inside, lane.min(all - inside));
        let mut given = value;
        if lane < all {
            given = applied.push(Op::Extract { of: value, low: inside.into() }, width);
        }
        let bit = position / i64::from(masking.lane) * i64::from(masking.stride);
        let condition = slice(applied, masking.mask, bit, 1)?;
        let kept = match masking.pass {
            Some(arg) => slice(applied, arg, position, width)?,
            None => zero(applied, width),
        };
        let (then, otherwise) = if masking.negated { (kept, given) } else { (given, kept) };
        let value = applied.push(Op::Select { condition, then, otherwise }, width);
        applied.body.push(Stmt::Assign { result, low: position.into(), value });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use catalog::{Application, Source};

    use super::*;
    use crate::apply;
    use crate::modifiers::tests::{check, parsed, readings};

    /// Sums under a mask with a bit for each two of them.
    fn masked(otherwise: &str) -> String {
        format!(
            "func @masked(%c: 32, %k: 2, %a: 32, %b: 32) -> (%dst: 32) {{
               for j in 0..2 {{ for i in 0..2 {{
                 let sum = add(%a[16*j + 8*i +: 8], %b[16*j + 8*i +: 8])
                 %dst[16*j + 8*i +: 8] = select(%k[j +: 1], sum, {otherwise})
               }} }}
             }}"
        )
    }

    const ADD: &str = "func @add(%a: 32, %b: 32) -> (%dst: 32) {
      for i in 0..4 { %dst[8*i +: 8] = add(%a[8*i +: 8], %b[8*i +: 8]) }
    }";

    #[test]
    fn a_lane_can_be_several_elements() {
        let masking = Masking { mask: 1, stride: 1, lane: 16, pass: Some(0), negated: false };
        let merging = masked("%c[16*j + 8*i +: 8]");
        assert_eq!(check(&readings(recognize, &merging), &merging, ADD).masking, Some(masking));
        let zeroing = masked("0x0:8");
        let shape = check(&readings(recognize, &zeroing), &zeroing, ADD);
        assert_eq!(shape.masking, Some(Masking { pass: None, ..masking }));
    }

    #[test]
    fn a_lane_can_be_half_an_element() {
        let halves = "func @halves(%c: 64, %k: 8, %a: 64, %b: 64) -> (%dst: 64) {
          for j in 0..4 { for i in 0..2 {
            let sum = add(%a[16*j +: 16], %b[16*j +: 16])
            %dst[16*j + 8*i +: 8] = select(%k[2*j + i +: 1], sum[8*i +: 8], %c[16*j + 8*i +: 8])
          } }
        }";
        let add = "func @add(%a: 64, %b: 64) -> (%dst: 64) {
          for i in 0..4 { %dst[16*i +: 16] = add(%a[16*i +: 16], %b[16*i +: 16]) }
        }";
        let masking = Masking { mask: 1, stride: 1, lane: 8, pass: Some(0), negated: false };
        let args = vec![Source::Own(2), Source::Own(3)];
        let application = Application { params: Vec::new(), args, masking: Some(masking), part: None };
        let (class, member) = (parsed(add), parsed(halves));
        let applied = apply(&class, &application, &member).expect("it can be applied");
        assert_eq!(smt::Prover::new().equal(&applied, &member), smt::Verdict::Equal, "{applied}");
    }

    #[test]
    fn other_elements_of_an_argument_are_not_kept() {
        assert!(readings(recognize, &masked("%c[16*j +: 8]")).is_empty());
    }

    #[test]
    fn every_other_sample_is_a_small_count() {
        let low_bytes = |sample| (0..20).map(move |arg| sample_of(16, arg, sample) & Int::from(0xff));
        assert!(low_bytes(0).any(|byte| byte > Int::from(7)) && low_bytes(1).all(|byte| byte < Int::from(8)));
        let all: std::collections::BTreeSet<Int> =
            (0..8).flat_map(|sample| (0..20).map(move |arg| sample_of(64, arg, sample))).collect();
        assert_eq!(all.len(), 160, "no two arguments have one value");
    }

    /// The bits of a sample differ from each other and fill its width.
    #[test]
    fn samples_are_as_wide_as_they_should_be() {
        for width in [1, 2, 16, 63, 64, 65, 128, 130] {
            let samples: Vec<Int> = (0..40).map(|seed| sample_bits(width, seed)).collect();
            assert!(samples.iter().all(|sample| *sample < Int::ONE << width as usize), "{width} bits");
            for bit in 0..width as usize {
                let is_one = |sample: &&Int| (*sample >> bit) % Int::from(2) == Int::ONE;
                let ones = samples.iter().filter(is_one).count();
                assert!((5..35).contains(&ones), "bit {bit} of {width} is 1 in {ones} of 40 samples");
            }
            assert_eq!(sample_bits(width, 7), samples[7]);
        }
    }
}
