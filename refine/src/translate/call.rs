//! Calls of LLVM's intrinsics and of targets' ones.

use std::rc::Rc;

use hydride_ir::{BinaryOp, Bits, ExprId};
use llvm_text::Type;

use super::{Read, Translator, Undef, fault};
use crate::ast::elements;
use crate::error::{Fault, Place};
use crate::generic::{self, Lane};
use crate::graph::Graph;
use crate::target::{Argument, known};

/// What is computed of one element of each operand: the value, and what makes it poison besides these.
type ElementWise<'f> = dyn FnMut(&mut Graph, &[Lane]) -> Option<(ExprId, ExprId)> + 'f;

impl Translator<'_> {
    pub(super) fn call(
        &mut self,
        name: &str,
        operands: &[Rc<[Lane]>],
        ty: &Type,
        place: Place,
        path: ExprId,
    ) -> Read<Vec<Lane>> {
        let generic = name.strip_prefix("llvm.");
        // The types at the end of the name are those of the operands.
        let stem = generic.map(|name| {
            let parts: Vec<&str> = name.split('.').collect();
            let kept = parts.iter().rposition(|part| !is_mangled(part)).map_or(0, |last| last + 1);
            parts[..kept].join(".")
        });
        let Some(stem) = stem else { return fault(place, format!("@{name} is outside of what is modelled")) };
        let each = |this: &mut Self, f: &mut ElementWise<'_>| {
            let mut lanes = Vec::new();
            for position in 0..operands[0].len() {
                let own: Vec<Lane> = operands
                    .iter()
                    .map(|operand| {
                        operand[if operand.len() == 1 { 0 } else { position.min(operand.len() - 1) }]
                    })
                    .collect();
                let (bits, poison) = f(this.graph, &own)?;
                lanes.push(this.spread(bits, poison, &own));
            }
            Some(lanes)
        };
        let same = operands.windows(2).all(|pair| {
            let width = |lane: &Lane| self.graph.width(lane.bits);
            pair[0].iter().map(width).eq(pair[1].iter().map(width))
        });
        let found = match (stem.as_str(), operands) {
            ("assume", [condition]) => {
                if let [lane] = condition[..] {
                    let not = self.graph.not(lane.bits);
                    let wrong = self.graph.or(not, lane.poison);
                    self.undefined(path, wrong);
                }
                return Ok(Vec::new());
            }
            ("fshl" | "fshr", [_, _, _]) if same => each(self, &mut |graph, own| {
                let no = graph.bool(false);
                Some((generic::funnel(graph, stem == "fshl", own[0].bits, own[1].bits, own[2].bits), no))
            }),
            ("abs" | "ctlz" | "cttz", [_, _]) => each(self, &mut |graph, own| {
                let (a, flag) = (own[0].bits, own[1].bits);
                let width = graph.width(a);
                let zero = graph.number(width, 0);
                let special = match stem.as_str() {
                    "abs" => {
                        // The least value is its own negation.
                        let negated = graph.sub(zero, a);
                        let (same, not_zero) = (graph.equal(negated, a), graph.differ(a, zero));
                        graph.and(same, not_zero)
                    }
                    _ => graph.equal(a, zero),
                };
                let poison = graph.and(special, flag);
                Some((generic::of_one(graph, &stem, a)?, poison))
            }),
            (_, [_]) if stem.starts_with("vector.reduce.") => {
                let op = stem.trim_start_matches("vector.reduce.");
                self.reduced(op, &operands[0]).map(|lane| vec![lane])
            }
            (_, [_]) => each(self, &mut |graph, own| {
                let no = graph.bool(false);
                Some((generic::of_one(graph, &stem, own[0].bits)?, no))
            }),
            (_, [_, _]) if same && stem.ends_with(".with.overflow") => self.with_overflow(&stem, operands),
            (_, [_, _]) if same => each(self, &mut |graph, own| {
                let no = graph.bool(false);
                Some((generic::of_two(graph, &stem, own[0].bits, own[1].bits)?, no))
            }),
            _ => None,
        };
        match found {
            Some(lanes) => Ok(lanes),
            None => self.target(name, operands, ty, place),
        }
    }

    fn reduced(&mut self, op: &str, lanes: &[Lane]) -> Option<Lane> {
        let (op, signed) = match op {
            "add" => (BinaryOp::Add, false),
            "mul" => (BinaryOp::Mul, false),
            "and" => (BinaryOp::And, false),
            "or" => (BinaryOp::Or, false),
            "xor" => (BinaryOp::Xor, false),
            "smin" | "umin" => (BinaryOp::Min, op == "smin"),
            "smax" | "umax" => (BinaryOp::Max, op == "smax"),
            _ => return None,
        };
        let (first, rest) = lanes.split_first()?;
        let mut all = *first;
        for lane in rest {
            let bits = self.graph.binary(op, signed, all.bits, lane.bits);
            all = self.spread(bits, all.poison, &[*lane]);
        }
        Some(all)
    }

    fn with_overflow(&mut self, stem: &str, operands: &[Rc<[Lane]>]) -> Option<Vec<Lane>> {
        let op = match stem.get(1..4)? {
            "add" => BinaryOp::Add,
            "sub" => BinaryOp::Sub,
            "mul" => BinaryOp::Mul,
            _ => return None,
        };
        let (mut values, mut over) = (Vec::new(), Vec::new());
        for (a, b) in operands[0].iter().zip(operands[1].iter()) {
            let no = self.graph.bool(false);
            let bits = self.graph.binary(op, false, a.bits, b.bits);
            values.push(self.spread(bits, no, &[*a, *b]));
            let bits = generic::overflows(self.graph, op, stem.starts_with('s'), a.bits, b.bits);
            over.push(self.spread(bits, no, &[*a, *b]));
        }
        values.extend(over);
        Some(values)
    }

    /// A call of a target's intrinsic. An element of the result is poison if an element on which its bits depend is.
    fn target(&mut self, name: &str, operands: &[Rc<[Lane]>], ty: &Type, place: Place) -> Read<Vec<Lane>> {
        let wholes: Vec<ExprId> = operands
            .iter()
            .map(|lanes| self.graph.concat(lanes.iter().map(|lane| lane.bits).collect()))
            .collect();
        let no_poison =
            |lanes: &Rc<[Lane]>| lanes.iter().all(|lane| self.graph.as_bool(lane.poison) == Some(false));
        let constants: Vec<Option<Bits>> = wholes
            .iter()
            .zip(operands)
            .map(|(whole, lanes)| self.graph.constant(*whole).filter(|_| no_poison(lanes)).cloned())
            .collect();
        let Some(results) = elements(ty) else {
            return fault(place, format!("@{name} is outside of what is modelled"));
        };
        let widths: Vec<Vec<u32>> = operands
            .iter()
            .map(|lanes| lanes.iter().map(|lane| self.graph.width(lane.bits)).collect())
            .collect();
        let key = (name.to_owned(), constants.clone());
        let known = match self.dependencies.get(&key) {
            Some(known) => known.clone(),
            None => {
                let target =
                    self.intrinsics.find(name, &constants).map_err(|message| Fault::new(place, message))?;
                let known = Rc::new(known(target, &widths, &results).ok_or_else(|| {
                    Fault::new(place, format!("@{name} has other widths than its instruction"))
                })?);
                self.dependencies.insert(key, known.clone());
                known
            }
        };
        let arguments: Vec<ExprId> = known
            .arguments
            .iter()
            .map(|argument| match argument {
                Argument::Operand(position) => wholes[*position],
                Argument::Constant(bits) => self.graph.bits(bits.clone()),
            })
            .collect();
        let spliced = self.graph.splice(&known.function, &arguments);
        let Some(mut whole) = spliced.map(|results| self.graph.concat(results)) else {
            return fault(place, format!("the function of @{name} has loops"));
        };
        let missing = results.iter().sum::<u32>() - self.graph.width(whole);
        if missing > 0 {
            // Whatever they are: the second function must be right for all of them, the first one may not be read so.
            if self.undef == Undef::Chosen {
                return fault(place, format!("the high bits of @{name} in the first function"));
            }
            let unknown = self.choice(missing);
            whole = self.graph.concat(vec![whole, unknown]);
        }
        let (mut lanes, mut low) = (Vec::new(), 0);
        for (width, depends) in results.iter().zip(&known.depends) {
            let bits = self.graph.extract(whole, low, *width);
            let read: Vec<Lane> = depends.iter().map(|(operand, lane)| operands[*operand][*lane]).collect();
            let no = self.graph.bool(false);
            lanes.push(self.spread(bits, no, &read));
            low += width;
        }
        Ok(lanes)
    }
}

/// Whether a part of an intrinsic's name is a type.
fn is_mangled(part: &str) -> bool {
    let element = |text: &str| {
        let digits = text.strip_prefix("bf").or_else(|| text.strip_prefix(['i', 'f']));
        digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let vector =
        part.strip_prefix('v').map(|rest| rest.trim_start_matches(|digit: char| digit.is_ascii_digit()));
    element(part) || vector.is_some_and(element)
}
