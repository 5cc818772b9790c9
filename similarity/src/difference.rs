//! The first place at which two canonical functions have another structure, in words.
//!
//! Structure is what keys are made of ([`crate::analyze`]): operators, the order of operands and which
//! argument is read. Widths, positions, counts and signs are parameters of a class and make no difference;
//! neither does the select of a mask.

use std::collections::BTreeMap;

use hydride_ir::{BinaryOp, CompareOp, ExprId, FloatOp, Function, Op, Role, UnaryOp};

/// The difference, in instruction-set terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Where: "the element", "operand 1 of a sum in the element", …
    pub place: String,
    /// What the first function has there.
    pub left: String,
    /// What the second function has there.
    pub right: String,
}

/// A canonical function, and its argument that is a mask.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// The function in canonical lane form.
    pub function: &'a Function,
    /// Position of the mask.
    pub mask: Option<u32>,
}

/// Compares from the result downwards; nothing where the structure is the same.
pub fn first_difference(left: Side<'_>, right: Side<'_>) -> Option<Difference> {
    let results = (left.function.results.len(), right.function.results.len());
    if results.0 != results.1 {
        return Some(difference("the signature", count(results.0, "result"), count(results.1, "result")));
    }
    let values =
        |side: Side<'_>| side.function.assignments().map(|written| written.value).collect::<Vec<_>>();
    let statements = (values(left), values(right));
    if statements.0.len() != statements.1.len() {
        let words = |number: usize| match number {
            1 => "one expression for all elements".to_owned(),
            _ => format!("{number} expressions for elements that take turns"),
        };
        return Some(difference("the result", words(statements.0.len()), words(statements.1.len())));
    }
    let mut walk = Walk { left, right, args: BTreeMap::new(), back: BTreeMap::new() };
    let many = statements.0.len() > 1;
    statements.0.iter().zip(&statements.1).enumerate().find_map(|(position, (left, right))| {
        let place =
            if many { format!("expression {} of the element", position + 1) } else { "the element".into() };
        let (left, right) = (unmasked(walk.left, *left), unmasked(walk.right, *right));
        walk.compare(left, right, &place)
    })
}

fn difference(place: &str, left: impl Into<String>, right: impl Into<String>) -> Difference {
    Difference { place: place.to_owned(), left: left.into(), right: right.into() }
}

fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("one {what}") } else { format!("{number} {what}s") }
}

/// The value under the mask's select.
fn unmasked(side: Side<'_>, value: ExprId) -> ExprId {
    let Op::Select { condition, then, .. } = side.function.expr(value).op else { return value };
    match argument(side.function, condition) {
        Some(arg) if Some(arg) == side.mask => then,
        _ => value,
    }
}

/// The argument of which an expression is a slice at a known place.
fn argument(function: &Function, id: ExprId) -> Option<u32> {
    match function.expr(id).op {
        Op::Arg(arg) => Some(arg.0),
        Op::Extract { of, .. } => match function.expr(of).op {
            Op::Arg(arg) => Some(arg.0),
            _ => None,
        },
        _ => None,
    }
}

struct Walk<'a> {
    left: Side<'a>,
    right: Side<'a>,
    /// Which argument of the right corresponds to one of the left, and the reverse.
    args: BTreeMap<u32, u32>,
    back: BTreeMap<u32, u32>,
}

impl Walk<'_> {
    fn compare(&mut self, left: ExprId, right: ExprId, place: &str) -> Option<Difference> {
        let (left, right) = (uncast(self.left.function, left), uncast(self.right.function, right));
        let leaves = (argument(self.left.function, left), argument(self.right.function, right));
        if let (Some(left), Some(right)) = leaves {
            return self.arguments(left, right, place);
        }
        let words = (describe(self.left.function, left), describe(self.right.function, right));
        if words.0 != words.1 {
            return Some(difference(place, words.0, words.1));
        }
        let operands =
            (self.left.function.expr(left).op.operands(), self.right.function.expr(right).op.operands());
        operands.0.iter().zip(&operands.1).enumerate().find_map(|(position, (left, right))| {
            let place = match operands.0.len() {
                1 => format!("the operand of {} in {place}", words.0),
                _ => format!("operand {} of {} in {place}", position + 1, words.0),
            };
            self.compare(*left, *right, &place)
        })
    }

    fn arguments(&mut self, left: u32, right: u32, place: &str) -> Option<Difference> {
        let name = |side: Side<'_>, arg: u32| {
            format!("a slice of argument {}", side.function.args[arg as usize].name)
        };
        let kind = |side: Side<'_>, arg: u32| match side.function.args[arg as usize].role {
            Role::Register => "a slice of a register",
            Role::Memory { .. } => "a slice of memory",
            Role::Immediate { .. } => "a slice of an immediate",
        };
        let kinds = (kind(self.left, left), kind(self.right, right));
        if kinds.0 != kinds.1 {
            return Some(difference(place, kinds.0, kinds.1));
        }
        let other = *self.args.entry(left).or_insert(right);
        let first = *self.back.entry(right).or_insert(left);
        if other == right && first == left {
            return None;
        }
        // One of the two reads an argument again where the other reads a new one.
        let again = |side: Side<'_>, arg: u32, known: bool| {
            let name = name(side, arg);
            if known { format!("{name}, which it has read before") } else { name }
        };
        Some(difference(
            place,
            again(self.left, left, other != right),
            again(self.right, right, first != left),
        ))
    }
}

/// What an expression extends or narrows.
fn uncast(function: &Function, mut id: ExprId) -> ExprId {
    while let Op::Cast { of, .. } = function.expr(id).op {
        id = of;
    }
    id
}

/// An operator without its numbers.
fn describe(function: &Function, id: ExprId) -> String {
    match &function.expr(id).op {
        Op::Arg(_) => "a slice of an argument".into(),
        Op::Extract { .. } if argument(function, id).is_some() => "a slice of an argument".into(),
        Op::Const(_) | Op::Int(_) => "a constant".into(),
        Op::Extract { .. } => "a slice of a computed value".into(),
        Op::ExtractAt { .. } => "a slice at a computed place".into(),
        Op::Cast { .. } => "a conversion".into(),
        Op::Saturate { .. } => "a saturation".into(),
        Op::Concat(parts) => format!("{} values side by side", parts.len()),
        Op::Unary(op, _) => match op {
            UnaryOp::Not => "a complement",
            UnaryOp::Neg => "a negation",
            UnaryOp::Abs => "an absolute value",
            UnaryOp::PopCount => "a count of ones",
            UnaryOp::LeadingZeros => "a count of leading zeros",
            UnaryOp::TrailingZeros => "a count of trailing zeros",
        }
        .into(),
        Op::Binary { op, .. } => binary(*op).into(),
        Op::Compare { op, .. } => match op {
            CompareOp::Eq => "a test for equality",
            CompareOp::Lt => "a test for less",
            CompareOp::Le => "a test for less or equal",
        }
        .into(),
        Op::Select { .. } => "a choice between two values".into(),
        Op::Fold { op, .. } => format!("{} over several terms", binary(*op)),
        Op::Float { float, .. } => format!("{} of floating-point numbers", float_operation(float.op)),
    }
}

fn float_operation(op: FloatOp) -> &'static str {
    match op {
        FloatOp::Add => "a sum",
        FloatOp::Sub => "a difference",
        FloatOp::Mul => "a product",
        FloatOp::Div => "a quotient",
        FloatOp::Sqrt => "a square root",
        FloatOp::MulAdd => "a fused product and sum",
        FloatOp::Min => "a minimum",
        FloatOp::Max => "a maximum",
        FloatOp::Eq => "a test for equality",
        FloatOp::Lt => "a test for less",
        FloatOp::Le => "a test for less or equal",
        FloatOp::Unordered => "a test for NaNs",
        FloatOp::RoundToInt => "a rounding",
        FloatOp::Convert => "a conversion between formats",
        FloatOp::ToInt => "a conversion to an integer",
        FloatOp::FromInt => "a conversion of an integer",
        FloatOp::Reciprocal => "an approximate reciprocal",
        FloatOp::ReciprocalSqrt => "an approximate reciprocal of the square root",
    }
}

fn binary(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "a sum",
        BinaryOp::Sub => "a difference",
        BinaryOp::Mul => "a product",
        BinaryOp::Div => "a quotient",
        BinaryOp::Rem => "a remainder",
        BinaryOp::And => "a bitwise and",
        BinaryOp::Or => "a bitwise or",
        BinaryOp::Xor => "a bitwise exclusive or",
        BinaryOp::Shl => "a left shift",
        BinaryOp::Shr => "a right shift",
        BinaryOp::Min => "a minimum",
        BinaryOp::Max => "a maximum",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare(left: &str, right: &str) -> Option<Difference> {
        let function = |element: &str| {
            let text = format!(
                "func @f(%k: 4, %a: 32, %b: 32) -> (%dst: 32) {{ for i in 0..4 {{ %dst[8*i +: 8] = {element} }} }}"
            );
            let function = Function::parse(&text).unwrap();
            function.verify().unwrap();
            function
        };
        let (left, right) = (function(left), function(right));
        first_difference(Side { function: &left, mask: Some(0) }, Side { function: &right, mask: Some(0) })
    }

    #[test]
    fn the_first_difference_is_named() {
        let add = "add(%a[8*i +: 8], %b[8*i +: 8])";
        let saturating = "saturate.s.s(add(cast.s(%a[8*i +: 8], 9), cast.s(%b[8*i +: 8], 9)), 8)";
        let found = compare(add, saturating).unwrap();
        assert_eq!((found.place.as_str(), found.left.as_str()), ("the element", "a sum"));
        assert_eq!(found.right, "a saturation");
        let inner = "saturate.s.s(sub(cast.s(%a[8*i +: 8], 9), cast.s(%b[8*i +: 8], 9)), 8)";
        let found = compare(saturating, inner).unwrap();
        assert_eq!(found.place, "the operand of a saturation in the element");
        assert_eq!((found.left.as_str(), found.right.as_str()), ("a sum", "a difference"));
    }

    #[test]
    fn widths_masks_and_the_order_of_arguments_make_no_difference() {
        let add = "add(%a[8*i +: 8], %b[8*i +: 8])";
        assert_eq!(compare(add, "select(%k[i +: 1], add(%b[8*i +: 8], %a[8*i +: 8]), 0x0:8)"), None);
        assert_eq!(compare(add, "add(%a[0 +: 8], cast.s(%b[4*i +: 4], 8))"), None);
        let found = compare(add, "add(%a[8*i +: 8], %a[0 +: 8])").unwrap();
        assert_eq!(found.place, "operand 2 of a sum in the element");
        assert_eq!(found.left, "a slice of argument b");
        assert_eq!(found.right, "a slice of argument a, which it has read before");
    }

    /// Every operator has words of its own; the first argument is 32 bits wide, the second one an immediate.
    #[test]
    fn operators_are_named() {
        let element = |value: &str| {
            let text = format!("func @f(%a: 32, %n: 32 imm 0..=9) -> (%dst: 8) {{ %dst[0 +: 8] = {value} }}");
            let function = Function::parse(&text).unwrap();
            function.verify().unwrap_or_else(|error| panic!("{error}: {value}"));
            function
        };
        let of = |function: &Function| {
            let written = function.assignments().next().unwrap();
            describe(function, uncast(function, written.value))
        };
        let (a, b) = ("%a[0 +: 8]", "%a[8 +: 8]");
        for (value, words) in [
            (a.to_owned(), "a slice of an argument"),
            (format!("cast.s({a}, 16)[0 +: 8]"), "a slice of a computed value"),
            (format!("%a[at {b} +: 8]"), "a slice at a computed place"),
            ("0x5:8".to_owned(), "a constant"),
            ("int(5, 8)".to_owned(), "a constant"),
            (format!("saturate.s.s({a}, 8)"), "a saturation"),
            ("concat(%a[0 +: 4], %a[8 +: 2], %a[9 +: 2])".to_owned(), "3 values side by side"),
            (format!("not({a})"), "a complement"),
            (format!("neg({a})"), "a negation"),
            (format!("abs({a})"), "an absolute value"),
            (format!("popcount({a})"), "a count of ones"),
            (format!("leading_zeros({a})"), "a count of leading zeros"),
            (format!("trailing_zeros({a})"), "a count of trailing zeros"),
            (format!("add({a}, {b})"), "a sum"),
            (format!("sub({a}, {b})"), "a difference"),
            (format!("mul({a}, {b})"), "a product"),
            (format!("div.u({a}, {b})"), "a quotient"),
            (format!("rem.u({a}, {b})"), "a remainder"),
            (format!("and({a}, {b})"), "a bitwise and"),
            (format!("or({a}, {b})"), "a bitwise or"),
            (format!("xor({a}, {b})"), "a bitwise exclusive or"),
            (format!("shl({a}, {b})"), "a left shift"),
            (format!("shr.u({a}, {b})"), "a right shift"),
            (format!("min.u({a}, {b})"), "a minimum"),
            (format!("max.s({a}, {b})"), "a maximum"),
            (format!("cast.u(eq({a}, {b}), 8)"), "a test for equality"),
            (format!("cast.u(lt.u({a}, {b}), 8)"), "a test for less"),
            (format!("cast.u(le.u({a}, {b}), 8)"), "a test for less or equal"),
            (format!("select(%a[31 +: 1], {a}, {b})"), "a choice between two values"),
            ("fold xor (j in 0..3) %a[8*j +: 8]".to_owned(), "a bitwise exclusive or over several terms"),
        ] {
            assert_eq!(of(&element(&value)), words, "{value}");
        }
    }

    #[test]
    fn differences_outside_of_elements_are_named_first() {
        let parsed = |text: &str| Function::parse(text).unwrap();
        let found = |left: &Function, right: &Function| {
            let side = |function| Side { function, mask: None };
            first_difference(side(left), side(right)).map(|found| (found.place, found.left, found.right))
        };
        let one = parsed("func @f(%a: 16) -> (%d: 16) { %d[0 +: 16] = not(%a) }");
        let turns =
            parsed("func @f(%a: 16) -> (%d: 16) { %d[0 +: 8] = not(%a[0 +: 8])  %d[8 +: 8] = %a[8 +: 8] }");
        let swapped = parsed(
            "func @f(%a: 16) -> (%d: 16) { %d[0 +: 8] = not(%a[0 +: 8])  %d[8 +: 8] = neg(%a[8 +: 8]) }",
        );
        let two = parsed("func @f(%a: 16) -> (%d: 16, %e: 16) { %d[0 +: 16] = not(%a)  %e[0 +: 16] = %a }");
        let immediate = parsed("func @f(%a: 16 imm 0..=9) -> (%d: 16) { %d[0 +: 16] = not(%a) }");
        let words = |place: &str, left: &str, right: &str| {
            Some((place.to_owned(), left.to_owned(), right.to_owned()))
        };
        assert_eq!(found(&one, &one), None);
        assert_eq!(found(&one, &two), words("the signature", "one result", "2 results"));
        assert_eq!(
            found(&one, &turns),
            words(
                "the result",
                "one expression for all elements",
                "2 expressions for elements that take turns"
            )
        );
        assert_eq!(
            found(&turns, &swapped),
            words("expression 2 of the element", "a slice of an argument", "a negation")
        );
        assert_eq!(
            found(&one, &immediate),
            words(
                "the operand of a complement in the element",
                "a slice of a register",
                "a slice of an immediate"
            )
        );
    }

    #[test]
    fn only_the_select_of_the_mask_makes_no_difference() {
        let chosen = "select(%k[i +: 1], %a[8*i +: 8], 0x0:8)";
        assert_eq!(compare(chosen, "%a[8*i +: 8]"), None);
        let found = compare("select(%b[i +: 1], %a[8*i +: 8], 0x0:8)", "%a[8*i +: 8]").unwrap();
        assert_eq!(found.left, "a choice between two values");
        let found = compare("add(%a[8*i +: 8], %b[8*i +: 8])", "add(%a[8*i +: 8], %a[8*i +: 8])").unwrap();
        assert_eq!(found.left, "a slice of argument b");
        let found = compare("add(%a[8*i +: 8], %a[8*i +: 8])", "add(%a[8*i +: 8], %b[8*i +: 8])").unwrap();
        assert_eq!(found.left, "a slice of argument a, which it has read before");
    }
}
