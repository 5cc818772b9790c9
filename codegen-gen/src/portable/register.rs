//! Registers in slices: reading slices, and assembling registers from them.
//!
//! Slices at whole bytes become shuffles of a vector of the widest element that divides them all; others
//! are shifted out of the bytes that hold them.

use hydride_ir::Bits;
use llvm_text::{Instruction, Operand, Type, Value};

use super::code::{Code, constant, lanes_type};

/// Element widths that registers are seen as, the widest first.
const UNITS: [u32; 4] = [64, 32, 16, 8];

/// A value to read slices of: its name and its type.
#[derive(Clone)]
pub(super) struct Register {
    pub(super) name: Value,
    pub(super) lanes: usize,
    pub(super) element: u32,
}

impl Register {
    pub(super) fn width(&self) -> u32 {
        self.lanes as u32 * self.element
    }

    /// As a vector of elements of `unit` bits, which divides the width.
    pub(super) fn view(&self, code: &mut Code, unit: u32) -> Value {
        let lanes = (self.width() / unit) as usize;
        code.bitcast(self.name.clone(), (self.lanes, self.element), (lanes, unit))
    }

    /// The slices of `width` bits that begin at `lows` and lie inside, one in each lane.
    pub(super) fn gather(&self, code: &mut Code, lows: &[u32], width: u32) -> Value {
        let total = self.width();
        let lanes = lows.len();
        if lanes == 1 && width == total {
            return self.view(code, total);
        }
        let grain = lows.iter().fold(gcd(width, total), |grain, low| gcd(grain, *low));
        if let Some(unit) = UNITS.into_iter().find(|unit| grain % unit == 0) {
            let source = self.view(code, unit);
            let each = width / unit;
            let positions =
                lows.iter().flat_map(|low| (0..each).map(move |part| i64::from(low / unit + part)));
            let mask: Vec<i64> = positions.collect();
            let value = code.shuffle(&source, (total / unit) as usize, unit, &mask);
            return code.bitcast(value, (mask.len(), unit), (lanes, width));
        }
        if width == 1 && lanes > 1 && (self.element == 1 || total <= 64) {
            let source = self.view(code, 1);
            let mask: Vec<i64> = lows.iter().map(|low| i64::from(*low)).collect();
            return code.shuffle(&source, total as usize, 1, &mask);
        }
        match lows {
            [low] => self.scalar(code, *low, width),
            _ if total <= 64 => {
                let whole = self.view(code, total);
                let whole = code.broadcast(&whole, total, lanes);
                shift_down(code, whole, lows, total, width)
            }
            _ => self.out_of_bytes(code, lows, width),
        }
    }

    /// One slice that is not a run of whole elements.
    fn scalar(&self, code: &mut Code, low: u32, width: u32) -> Value {
        let total = self.width();
        let within = |unit: &u32| {
            total.is_multiple_of(*unit) && total > *unit && low / unit == (low + width - 1) / unit
        };
        match UNITS.into_iter().rev().find(within) {
            Some(unit) => {
                let source = self.view(code, unit);
                let element = code.shuffle(&source, (total / unit) as usize, unit, &[i64::from(low / unit)]);
                shift_down(code, element, &[low % unit], unit, width)
            }
            None => {
                let whole = self.view(code, total);
                shift_down(code, whole, &[low], total, width)
            }
        }
    }

    /// Slices at any position, each from the bytes that it touches.
    fn out_of_bytes(&self, code: &mut Code, lows: &[u32], width: u32) -> Value {
        let bytes = self.width().div_ceil(8);
        let whole = self.view(code, self.width());
        let padded = resize(code, whole, 1, (self.width(), bytes * 8), false);
        let source = code.bitcast(padded, (1, bytes * 8), (bytes as usize, 8));
        let touched = lows.iter().map(|low| (low % 8 + width).div_ceil(8)).max().unwrap_or(1);
        let each = touched.next_power_of_two();
        let byte = |low: &u32, part: u32| i64::from((low / 8 + part).min(bytes - 1));
        let mask: Vec<i64> = lows.iter().flat_map(|low| (0..each).map(move |part| byte(low, part))).collect();
        let parts = code.shuffle(&source, bytes as usize, 8, &mask);
        let lanes = code.bitcast(parts, (mask.len(), 8), (lows.len(), 8 * each));
        let shifts: Vec<u32> = lows.iter().map(|low| low % 8).collect();
        shift_down(code, lanes, &shifts, 8 * each, width)
    }
}

/// The `width` bits from a constant position on in each lane of `from` bits.
fn shift_down(code: &mut Code, value: Value, shifts: &[u32], from: u32, width: u32) -> Value {
    let lanes = shifts.len();
    let mut value = value;
    if shifts.iter().any(|shift| *shift != 0) {
        let amounts: Vec<Bits> = shifts.iter().map(|shift| Bits::from_u64(from, u64::from(*shift))).collect();
        let ty = lanes_type(lanes, from);
        value = code.emit(Instruction::binary("lshr", ty, value, constant(from, &amounts)));
    }
    resize(code, value, lanes, (from, width), false)
}

/// The same lanes in another width.
pub(super) fn resize(
    code: &mut Code,
    value: Value,
    lanes: usize,
    (from, to): (u32, u32),
    signed: bool,
) -> Value {
    let word = match from.cmp(&to) {
        std::cmp::Ordering::Equal => return value,
        std::cmp::Ordering::Greater => "trunc",
        std::cmp::Ordering::Less if signed => "sext",
        std::cmp::Ordering::Less => "zext",
    };
    let of = Operand::new(lanes_type(lanes, from), value);
    code.emit(Instruction::cast(word, of, lanes_type(lanes, to)))
}

/// A value of which lanes go to places of a register.
pub(super) struct Piece {
    pub(super) name: Value,
    pub(super) lanes: usize,
    pub(super) width: u32,
    /// Where each slice begins, and the lane that it comes from.
    pub(super) places: Vec<(u32, usize)>,
}

/// The register of `total` bits that is made of pieces, which together fill it.
pub(super) fn assemble(code: &mut Code, pieces: &[Piece], total: u32) -> Register {
    let widths = pieces.iter().map(|piece| piece.width);
    let lows = pieces.iter().flat_map(|piece| &piece.places).map(|(low, _)| *low);
    let grain = widths.chain(lows).fold(total, gcd);
    let unit = UNITS.into_iter().find(|unit| grain % unit == 0);
    let even = pieces.iter().all(|piece| piece.width == grain);
    match unit.or(even.then_some(grain)) {
        Some(unit) if unit < total => from_elements(code, pieces, unit, total),
        _ => from_bits(code, pieces, total),
    }
}

/// A vector that holds elements of the result, and for each element of the result where it is there.
struct Part {
    name: Value,
    lanes: usize,
    sources: Vec<Option<i64>>,
}

/// The register as elements of `unit` bits.
fn from_elements(code: &mut Code, pieces: &[Piece], unit: u32, total: u32) -> Register {
    let count = (total / unit) as usize;
    let ty = lanes_type(count, unit);
    let mut scalars: Vec<(usize, Value)> = Vec::new();
    let mut parts: Vec<Part> = Vec::new();
    for piece in pieces {
        let each = (piece.width / unit) as usize;
        if piece.lanes * each == 1 {
            scalars.extend(piece.places.iter().map(|(low, _)| ((low / unit) as usize, piece.name.clone())));
            continue;
        }
        let lanes = piece.lanes * each;
        let name = code.bitcast(piece.name.clone(), (piece.lanes, piece.width), (lanes, unit));
        let mut sources = vec![None; count];
        for (low, lane) in &piece.places {
            for part in 0..each {
                sources[(low / unit) as usize + part] = Some((lane * each + part) as i64);
            }
        }
        parts.push(Part { name, lanes, sources });
    }
    let placed = parts.into_iter().reduce(|left, right| join(code, left, right, unit, count));
    let mut name = match placed {
        Some(part) => {
            let mask: Vec<i64> = part.sources.iter().map(|source| source.unwrap_or(-1)).collect();
            code.shuffle(&part.name, part.lanes, unit, &mask)
        }
        None => match scalars.split_first() {
            // One value everywhere.
            Some(((_, first), rest))
                if rest.len() + 1 == count && rest.iter().all(|(_, name)| name == first) =>
            {
                let name = code.broadcast(first, unit, count);
                return Register { name, lanes: count, element: unit };
            }
            _ => Value::poison(),
        },
    };
    scalars.sort_by_key(|(place, _)| *place);
    for (place, scalar) in scalars {
        let element = Operand::new(Type::integer(unit), scalar);
        name = code.with_element(Operand::new(ty.clone(), name), element, place);
    }
    Register { name, lanes: count, element: unit }
}

/// Two parts as one vector.
fn join(code: &mut Code, left: Part, right: Part, unit: u32, count: usize) -> Part {
    let [left, right] = if left.lanes == right.lanes {
        [left, right]
    } else {
        [left, right].map(|part| {
            let mask: Vec<i64> = part.sources.iter().map(|source| source.unwrap_or(-1)).collect();
            let name = code.shuffle(&part.name, part.lanes, unit, &mask);
            let sources = part.sources.iter().zip(0..).map(|(source, place)| source.map(|_| place)).collect();
            Part { name, lanes: count, sources }
        })
    };
    let lanes = left.lanes as i64;
    let sources: Vec<Option<i64>> = left
        .sources
        .iter()
        .zip(&right.sources)
        .map(|(left, right)| left.or(right.map(|source| source + lanes)))
        .collect();
    let mask: Vec<i64> = sources.iter().map(|source| source.unwrap_or(-1)).collect();
    let name = code.blend([&left.name, &right.name], left.lanes, unit, &mask);
    let sources = sources.iter().zip(0..).map(|(source, place)| source.map(|_| place)).collect();
    Part { name, lanes: count, sources }
}

/// The register as one integer: runs of adjacent slices are shifted into place.
fn from_bits(code: &mut Code, pieces: &[Piece], total: u32) -> Register {
    let mut sum: Option<Value> = None;
    for piece in pieces {
        let width = piece.width;
        let adjacent = piece.places.len() == piece.lanes
            && piece
                .places
                .windows(2)
                .all(|pair| pair[1].0 == pair[0].0 + width && pair[1].1 == pair[0].1 + 1);
        let mut runs: Vec<(Value, u32, u32)> = Vec::new();
        if adjacent && piece.places.first().is_some_and(|(_, lane)| *lane == 0) {
            let all = piece.lanes as u32 * width;
            let name = code.bitcast(piece.name.clone(), (piece.lanes, width), (1, all));
            runs.push((name, all, piece.places[0].0));
        } else {
            for (low, lane) in &piece.places {
                let mask = [*lane as i64];
                runs.push((code.shuffle(&piece.name, piece.lanes, width, &mask), width, *low));
            }
        }
        for (name, width, low) in runs {
            let mut bits = resize(code, name, 1, (width, total), false);
            if low > 0 {
                bits = code.emit(Instruction::binary("shl", Type::integer(total), bits, Value::number(low)));
            }
            sum = Some(match sum {
                Some(sum) => code.emit(Instruction::binary("or", Type::integer(total), sum, bits)),
                None => bits,
            });
        }
    }
    Register { name: sum.unwrap_or_else(|| Value::number(0)), lanes: 1, element: total }
}

fn gcd(left: u32, right: u32) -> u32 {
    if right == 0 { left } else { gcd(right, left % right) }
}
