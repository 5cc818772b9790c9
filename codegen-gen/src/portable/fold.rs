//! Folds: the repetitions are laid out in adjacent lanes and combined by halves.

use hydride_ir::BinaryOp;
use llvm_text::{Instruction, Operand, Type, Value as Name};

use super::code::lanes_type;
use super::lower::{Body, Value};
use crate::space::{Space, union};

impl Body<'_> {
    /// Halves of the repetitions are combined until one is left.
    pub(super) fn fold(
        &mut self,
        op: BinaryOp,
        signed: bool,
        body: &Value,
        position: usize,
        count: usize,
    ) -> Value {
        let width = body.width;
        let inner = union(&body.space, &[position]);
        let outer: Space = inner.iter().copied().filter(|other| *other != position).collect();
        let mut current = self.operand(body, &inner);
        let outer_lanes = self.lanes(&outer);
        let all = outer_lanes * count;
        if outer_lanes == 1 {
            let vector = lanes_type(all, width);
            let function = format!("llvm.vector.reduce.{}.{}", reduction(op, signed), vector.mangled());
            let argument = Operand::new(vector, current);
            let name = self.code.emit(Instruction::call(Type::integer(width), function, vec![argument]));
            return self.named(name, width, outer);
        }
        // With the fold's index last, lane `l` has its repetitions at `l * count ..`.
        let order = self.indices.project(&outer_first(&outer, position), &inner);
        current = self.code.shuffle(&current, all, width, &order);
        let mut left = count;
        while left > 1 {
            let half = left / 2;
            let pick = |from: usize, to: usize| -> Vec<i64> {
                let lane = |lane: usize| (from..to).map(move |part| (lane * left + part) as i64);
                (0..outer_lanes).flat_map(lane).collect()
            };
            let (lanes, total) = (outer_lanes * half, outer_lanes * left);
            let first = self.code.shuffle(&current, total, width, &pick(0, half));
            let second = self.code.shuffle(&current, total, width, &pick(half, 2 * half));
            let mut combined = self.combine(op, signed, lanes, width, &first, &second);
            if left % 2 == 1 {
                // An odd repetition is combined with the first one of each lane.
                let rest = self.code.shuffle(&current, total, width, &pick(left - 1, left));
                let starts: Vec<i64> = (0..outer_lanes).map(|lane| (lane * half) as i64).collect();
                if half == 1 {
                    combined = self.combine(op, signed, lanes, width, &combined, &rest);
                } else {
                    let heads = self.code.shuffle(&combined, lanes, width, &starts);
                    let heads = self.combine(op, signed, outer_lanes, width, &heads, &rest);
                    let mut spread = vec![-1; lanes];
                    for lane in 0..outer_lanes {
                        spread[lane * half] = lane as i64;
                    }
                    let heads = self.code.shuffle(&heads, outer_lanes, width, &spread);
                    let place =
                        |at: usize| if at.is_multiple_of(half) { (lanes + at) as i64 } else { at as i64 };
                    let mask: Vec<i64> = (0..lanes).map(place).collect();
                    combined = self.code.blend([&combined, &heads], lanes, width, &mask);
                }
            }
            current = combined;
            left = half;
        }
        self.named(current, width, outer)
    }

    fn combine(
        &mut self,
        op: BinaryOp,
        signed: bool,
        lanes: usize,
        width: u32,
        left: &Name,
        right: &Name,
    ) -> Name {
        let vector = lanes_type(lanes, width);
        let word = reduction(op, signed);
        let (left, right) = (left.clone(), right.clone());
        self.code.emit(match op {
            BinaryOp::Min | BinaryOp::Max => {
                let function = format!("llvm.{word}.{}", vector.mangled());
                let arguments = [left, right].map(|value| Operand::new(vector.clone(), value));
                Instruction::call(vector, function, arguments.to_vec())
            }
            _ => Instruction::binary(word, vector, left, right),
        })
    }
}

/// LLVM's word for a fold's operator.
fn reduction(op: BinaryOp, signed: bool) -> &'static str {
    match (op, signed) {
        (BinaryOp::Min, true) => "smin",
        (BinaryOp::Min, false) => "umin",
        (BinaryOp::Max, true) => "smax",
        (BinaryOp::Max, false) => "umax",
        (BinaryOp::Mul, _) => "mul",
        (BinaryOp::And, _) => "and",
        (BinaryOp::Or, _) => "or",
        (BinaryOp::Xor, _) => "xor",
        // The verifier admits no other operator in a fold.
        _ => "add",
    }
}

/// A space with `position` as its last index.
fn outer_first(outer: &[usize], position: usize) -> Space {
    outer.iter().copied().chain([position]).collect()
}
