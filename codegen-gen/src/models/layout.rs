//! The Rust types of arguments and results: which elements a vector has, and how they are read.

use std::collections::BTreeMap;

use catalog::{Argument, Kind, Signature};
use hydride_ir::{BinaryOp, CompareOp, ExprId, FloatOp, Function, Op, UnaryOp};

use super::native::Native;
use super::ranges::{Ranges, constant_width, known_flag};

/// The Rust type of an operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// An array, lane 0 first.
    Lanes {
        /// The type of a lane.
        element: Native,
        /// Their number.
        count: u32,
    },
    /// An integer that is at least as wide as the operand.
    Scalar(Native),
    /// A constant parameter of type `i32`, and the values that are accepted.
    Immediate {
        /// The least one.
        low: i64,
        /// The greatest one.
        high: i64,
    },
}

impl Shape {
    /// The type in Rust.
    pub(super) fn rust(&self) -> String {
        match self {
            Self::Lanes { element, count } => format!("[{element}; {count}]"),
            Self::Scalar(native) => native.to_string(),
            Self::Immediate { .. } => "i32".to_owned(),
        }
    }

    /// The type of the integers of which it consists.
    pub(super) fn element(&self) -> Native {
        match self {
            Self::Lanes { element, .. } | Self::Scalar(element) => *element,
            Self::Immediate { .. } => Native { signed: true, bits: 32 },
        }
    }

    /// The width of the type in bits.
    pub(super) fn width(&self) -> u32 {
        match self {
            Self::Lanes { element, count } => element.bits * count,
            Self::Scalar(native) => native.bits,
            Self::Immediate { .. } => 32,
        }
    }
}

/// How a function reads or writes an operand.
#[derive(Clone, Debug, Default)]
struct Uses {
    /// How often in slices of each width that lie on the grid of this width.
    widths: BTreeMap<u32, usize>,
    /// How often as unsigned and as signed numbers, where that makes a difference.
    signs: [usize; 2],
}

impl Uses {
    fn slice(&mut self, width: u32) {
        *self.widths.entry(width).or_default() += 1;
    }

    fn sign(&mut self, signed: Option<bool>) {
        if let Some(signed) = signed {
            self.signs[usize::from(signed)] += 1;
        }
    }

    fn signed(&self) -> Option<bool> {
        let [unsigned, signed] = self.signs;
        (unsigned != signed).then_some(signed > unsigned)
    }

    /// The width of an element: the most frequent one, of equally frequent ones the least.
    fn width(&self, total: u32) -> Option<u32> {
        let possible =
            self.widths.iter().filter(|(width, _)| is_lane(**width) && total.is_multiple_of(**width));
        possible.max_by_key(|(width, uses)| (**uses, std::cmp::Reverse(**width))).map(|(width, _)| *width)
    }
}

/// The types of the operands.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// Those of the arguments.
    pub(super) args: Vec<Shape>,
    /// Those of the results.
    pub(super) results: Vec<Shape>,
}

impl Layout {
    /// `None` where an operand has no Rust type.
    pub(super) fn new(function: &Function, signature: &Signature, ranges: &Ranges<'_>) -> Option<Self> {
        let (arg_uses, result_uses) = uses(function, ranges);
        let args: Vec<Shape> = signature
            .args
            .iter()
            .zip(&arg_uses)
            .map(|(argument, uses)| shape(argument, uses, None))
            .collect::<Option<_>>()?;
        // A result whose sign does not matter has that of the first vector of such elements.
        let like = |width: u32| {
            let vectors = args.iter().filter(|shape| matches!(shape, Shape::Lanes { .. }));
            vectors.map(Shape::element).find(|element| element.bits == width).map(|element| element.signed)
        };
        let results = signature
            .results
            .iter()
            .zip(&result_uses)
            .map(|(result, uses)| shape(result, uses, uses.width(result.width).and_then(like)))
            .collect::<Option<_>>()?;
        Some(Self { args, results })
    }
}

/// Whether lanes of vectors have that width in bits, where their types do not say otherwise.
fn is_lane(width: u32) -> bool {
    Native::WIDTHS.contains(&width) && width <= 64
}

/// Whether a C type has its element width in its name, as `int8x16_t` and `uint8x8x2_t` have.
fn named_element(c_type: &str) -> bool {
    let mut digits =
        c_type.split(|c: char| !c.is_ascii_digit() && c != 'x').filter(|part| part.contains('x'));
    digits.any(|part| part.split('x').filter(|number| !number.is_empty()).count() >= 2)
}

fn shape(operand: &Argument, uses: &Uses, like: Option<bool>) -> Option<Shape> {
    let documented = operand.element;
    match &operand.kind {
        Kind::Immediate(range) => Some(Shape::Immediate { low: range.low, high: range.high }),
        Kind::Mask => Native::holding(operand.width, false).map(Shape::Scalar),
        Kind::Scalar => {
            let signed = match operand.c_type.as_str() {
                "bool" | "_Bool" => false,
                name => !name.contains("unsigned") && !name.starts_with("uint") && !name.starts_with("poly"),
            };
            Native::holding(operand.width, signed).map(Shape::Scalar)
        }
        Kind::Vector | Kind::Memory { .. } => {
            let typed = documented.filter(|_| named_element(&operand.c_type));
            let fallback = documented.map(|element| element.width).filter(|width| is_lane(*width));
            let width = match typed {
                Some(element) => element.width,
                None => uses.width(operand.width).or(fallback).unwrap_or(64),
            };
            let signed = match typed {
                Some(element) => element.signed && !element.float,
                None => {
                    let documented = documented.map(|element| element.signed && !element.float);
                    uses.signed().or(like).or(documented).unwrap_or(true)
                }
            };
            let exact = Native::WIDTHS.contains(&width) && operand.width.is_multiple_of(width);
            exact.then(|| Shape::Lanes {
                element: Native { signed, bits: width },
                count: operand.width / width,
            })
        }
    }
}

/// How arguments and results are used.
fn uses(function: &Function, ranges: &Ranges<'_>) -> (Vec<Uses>, Vec<Uses>) {
    let mut args = vec![Uses::default(); function.args.len()];
    let mut results = vec![Uses::default(); function.results.len()];
    let argument = |id: ExprId| match &function.expr(id).op {
        Op::Extract { of, .. } | Op::ExtractAt { of, .. } => match function.expr(*of).op {
            Op::Arg(arg) => Some(arg.0 as usize),
            _ => None,
        },
        Op::Arg(arg) => Some(arg.0 as usize),
        _ => None,
    };
    for id in function.live() {
        let expr = function.expr(id);
        let width = constant_width(&expr.width);
        let on_grid = match &expr.op {
            Op::Extract { low, .. } => ranges
                .values(low)
                .is_some_and(|values| values.iter().all(|low| width > 0 && low % i64::from(width) == 0)),
            Op::ExtractAt { .. } => true,
            _ => false,
        };
        if let (true, Some(arg)) = (on_grid, argument(id)) {
            args[arg].slice(width);
        }
        for (place, operand) in expr.op.operands().into_iter().enumerate() {
            if let Some(arg) = argument(operand) {
                args[arg].sign(operand_sign(&expr.op, place));
            }
        }
    }
    for assignment in function.assignments() {
        let uses = &mut results[assignment.result.0 as usize];
        let width = ranges.width(assignment.value);
        if width > 1 {
            uses.slice(width);
        }
        uses.sign(strong_sign(function, assignment.value));
    }
    (args, results)
}

/// How an operation reads an operand; `None` where both readings give the same.
fn operand_sign(op: &Op, place: usize) -> Option<bool> {
    match op {
        Op::Cast { signed, .. } => known_flag(signed),
        Op::Saturate { from_signed, .. } => known_flag(from_signed),
        Op::Binary { op: BinaryOp::Shl | BinaryOp::Shr, .. } if place == 1 => Some(false),
        Op::Binary { op, signed, .. } if op.has_sign() => known_flag(signed),
        Op::Compare { op, signed, .. } if *op != CompareOp::Eq => known_flag(signed),
        Op::Unary(UnaryOp::Abs, _) => Some(true),
        Op::Float { float, .. } if float.op == FloatOp::FromInt => known_flag(&float.target),
        Op::Float { .. } => Some(false),
        Op::ExtractAt { .. } if place == 1 => Some(false),
        _ => None,
    }
}

/// The sign of a value that follows from two others: it is signed where one of them is.
fn either(left: Option<bool>, right: Option<bool>) -> Option<bool> {
    match (left, right) {
        (Some(left), Some(right)) => Some(left || right),
        (left, right) => left.or(right),
    }
}

/// How a value is meant to be read; `None` where nothing says so.
fn strong_sign(function: &Function, id: ExprId) -> Option<bool> {
    match &function.expr(id).op {
        Op::Cast { of, signed } => {
            let widens = constant_width(&function.expr(*of).width) < constant_width(&function.expr(id).width);
            if widens { known_flag(signed) } else { strong_sign(function, *of) }
        }
        Op::Saturate { to_signed, .. } => known_flag(to_signed),
        Op::Binary { op, signed, left, right } => match op {
            op if op.has_sign() => known_flag(signed),
            BinaryOp::Shl => strong_sign(function, *left),
            _ => either(strong_sign(function, *left), strong_sign(function, *right)),
        },
        Op::Unary(UnaryOp::Abs, _) => Some(false),
        Op::Float { float, .. } if float.op == FloatOp::ToInt => known_flag(&float.target),
        Op::Float { .. } => Some(false),
        Op::Select { then, otherwise, .. } => {
            either(strong_sign(function, *then), strong_sign(function, *otherwise))
        }
        Op::Extract { of, .. } if !matches!(function.expr(*of).op, Op::Arg(_)) => strong_sign(function, *of),
        Op::Fold { op, signed, body, .. } => {
            if op.has_sign() {
                known_flag(signed)
            } else {
                strong_sign(function, *body)
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_that_name_their_elements() {
        assert!(named_element("int8x16_t") && named_element("uint8x8x2_t"));
        assert!(!named_element("__m128i") && !named_element("HVX_Vector") && !named_element("uint64_t"));
    }
}
