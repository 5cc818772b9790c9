//! What operations read, as patterns: for each lane of a result the operands and lowest bits of the elements that its slots are.

use super::Op;
use super::extract::Lanewise;

/// Whether each lane of the second operation reads what the first one reads, further up or down by one number of bits.
pub fn is_moved(first: &Op, second: &Op) -> bool {
    let reads = |op: &Op| op.reads.iter().flatten().copied().collect::<Vec<_>>();
    let (first, second) = (reads(first), reads(second));
    let distance = |((arg, low), (other, other_low)): (&(u32, u32), &(u32, u32))| {
        (arg == other).then(|| i64::from(*other_low) - i64::from(*low))
    };
    let mut distances = first.iter().zip(&second).map(distance);
    let by = distances.next().flatten();
    first.len() == second.len() && by.is_some() && distances.all(|distance| distance == by)
}

/// Whether lanes are those of two operands in turn, and each is at its own place or at that of its neighbor in a pair, at
/// the same one throughout an operand.
pub fn takes_turns(reads: &[Vec<(u32, u32)>], container: u32) -> bool {
    let place =
        |lane: usize| reads.get(lane).and_then(|own| own.first()).map(|(arg, low)| (*arg, low / container));
    let (Some(first), Some(second)) = (place(0), place(1)) else { return false };
    let fits = |(lane, own): (usize, &Vec<(u32, u32)>)| {
        let (arg, parity) = if lane % 2 == 0 { (first.0, first.1 % 2) } else { (second.0, second.1 % 2) };
        own[..] == [(arg, (2 * (lane as u32 / 2) + parity) * container)]
    };
    first.0 != second.0 && reads.iter().enumerate().all(fits)
}

/// Whether lanes are every other one of one operand, and then of another one.
pub fn packs_every_other(reads: &[Vec<(u32, u32)>], container: u32) -> bool {
    let half = reads.len() / 2;
    let place = |lane: usize| reads.get(lane).and_then(|own| own.first()).copied();
    let (Some((first, low)), Some((second, high))) = (place(0), place(half)) else { return false };
    let fits = |lane: usize| {
        let (arg, low) = if lane < half { (first, low) } else { (second, high) };
        reads[lane] == [(arg, low + 2 * (lane % half) as u32 * container)]
    };
    half > 1 && first != second && low.max(high) <= container && (0..reads.len()).all(fits)
}

/// Whether lanes are the quarters of an operand with the middle ones exchanged.
pub fn crosses(reads: &[Vec<(u32, u32)>], container: u32) -> bool {
    let quarter = reads.len() / 4;
    let own = |lane: usize| [0, 2, 1, 3].get(lane / quarter).map(|from| from * quarter + lane % quarter);
    quarter > 0
        && reads.len() == 4 * quarter
        && (0..reads.len()).all(|lane| {
            let place = own(lane).map(|from| (reads[0][0].0, from as u32 * container));
            place.is_some_and(|place| reads[lane] == [place])
        })
}

/// Whether lanes are a half of one operand and then the same half of another one.
pub fn joins_halves(reads: &[Vec<(u32, u32)>], container: u32) -> bool {
    let half = reads.len() / 2;
    let place = |lane: usize| reads.get(lane).and_then(|own| own.first()).copied();
    let (Some((first, low)), Some((second, _))) = (place(0), place(half)) else { return false };
    let bits = half as u32 * container;
    half > 0
        && reads.len() == 2 * half
        && first != second
        && (low == 0 || low == bits)
        && (0..reads.len()).all(|lane| {
            let arg = if lane < half { first } else { second };
            reads[lane] == [(arg, low + (lane % half) as u32 * container)]
        })
}

/// Whether lanes are an operand's from some lane on.
pub fn moves_down(lanes: &Lanewise) -> bool {
    let first = |at: usize| lanes.reads.get(at).and_then(|reads| reads.first()).copied();
    let Some((arg, low)) = first(0) else { return false };
    low > 0 && (0..lanes.reads.len()).all(|at| first(at) == Some((arg, low + at as u32 * lanes.container)))
}

/// Whether the quarters of the lanes are computed from two operands in turn, as instructions have that pack each half of
/// a register.
pub fn packs_in_halves(reads: &[Vec<(u32, u32)>]) -> bool {
    let quarter = reads.len() / 4;
    let operand = |lane: usize| match reads[lane][..] {
        [(operand, _)] => Some(operand),
        _ => None,
    };
    quarter > 0
        && reads.len() == 4 * quarter
        && operand(0).is_some()
        && operand(0) != operand(quarter)
        && (0..reads.len()).all(|lane| operand(lane) == operand(lane / quarter % 2 * quarter))
}

/// Whether lanes are an operand's from some lane on, and then its first ones.
pub fn turns_down(reads: &[Vec<(u32, u32)>], container: u32) -> bool {
    let Some([(arg, low)]) = reads.first().map(Vec::as_slice) else { return false };
    let place = |lane: usize| (low + lane as u32 * container) % (reads.len() as u32 * container);
    *low > 0 && (0..reads.len()).all(|lane| reads[lane] == [(*arg, place(lane))])
}
