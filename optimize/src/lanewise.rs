//! Functions of one block as windows of vector expressions: each instruction an operation on lanes.
//!
//! ```text
//! %a = zext <16 x i8> %x to <16 x i16>          (cast:u16x16 x:u8x16)
//! %b = lshr <16 x i16> %a, splat (i16 1)    →   (shift_right:u16x16 … (broadcast:u16x16 1:u16))
//! ```
//!
//! LLVM's integers have no sign, windows' do. Values whose operations agree on how they read bits get one sign, as a group: the
//! operands and the result of a sum, or the two sides of a choice. An operation that needs the other sign reads the same bits
//! under it. Flags say where a value is poison; the window has a value there too, so that it does no less than the function.

use llvm_text::Type as Llvm;
use refine::ast::{Action, Body, Element, Instruction, Operand, Value, elements};
use rustc_hash::FxHashMap;
use synth::window::{
    Expression, ExpressionId, Expressions, Kind, Lanewise, Leaf, MAX_LANES, Operator, Type, Window,
};

use crate::signs::Signs;

/// Widths of elements that registers have.
const WIDTHS: [u32; 4] = [8, 16, 32, 64];

/// How an operation reads or makes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// As numbers of the group of its result.
    Result,
    /// Under this sign.
    As(Kind),
    /// In either way.
    Either,
    /// As numbers of the group of another operand.
    Operand(usize),
}

/// An instruction as an operation on lanes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lanes<'i> {
    /// The operation; for a funnel shift that of its bits together.
    pub operator: Lanewise,
    /// Its operands in order, with how they are read.
    pub operands: Vec<(&'i Operand, Reads)>,
    /// How its result is read, where it says so.
    pub result: Reads,
    /// By how many bits a funnel shift goes to the left.
    pub funnel: Option<u32>,
}

/// The number and the width of the elements of a vector that lanes can be.
fn shape(ty: &Llvm) -> Option<(u32, u32)> {
    let Llvm::Vector(count, _) = ty else { return None };
    let width = *elements(ty)?.first()?;
    ((2..=MAX_LANES).contains(count) && (width == 1 || WIDTHS.contains(&width))).then_some((*count, width))
}

fn is_integers(ty: &Llvm) -> bool {
    matches!(ty, Llvm::Vector(_, llvm_text::Scalar::Integer(_))) && shape(ty).is_some()
}

/// The number that each element of a constant is, if it is one for all.
fn splat(value: &Value) -> Option<u64> {
    let Value::Constant(all) = value else { return None };
    let mut same = None;
    for element in all {
        match element {
            Element::Bits(bits) => {
                let own = bits.to_u64()?;
                if *same.get_or_insert(own) != own {
                    return None;
                }
            }
            // Any value will do.
            Element::Undef | Element::Poison => {}
        }
    }
    same
}

/// An instruction as an operation on lanes; `None` where it is none.
pub fn lanes(instruction: &Instruction) -> Option<Lanes<'_>> {
    use Reads::{As, Either, Operand as Like, Result};
    let (signed, unsigned) = (As(Kind::Signed), As(Kind::Unsigned));
    let made = |operator, operands, result| Some(Lanes { operator, operands, result, funnel: None });
    let is_wide = |operand: &Operand| shape(&operand.ty).is_some_and(|(_, width)| width > 1);
    if !is_integers(&instruction.ty) {
        return None;
    }
    match &instruction.action {
        Action::Compare(predicate, _, left, right) if is_wide(left) && is_integers(&left.ty) => {
            let own = if predicate.starts_with('s') { signed } else { unsigned };
            let (operator, turned) = match *predicate {
                "eq" => return made(Lanewise::Eq, vec![(left, Either), (right, Like(0))], Either),
                "ne" => return made(Lanewise::Ne, vec![(left, Either), (right, Like(0))], Either),
                "slt" | "ult" => (Lanewise::Lt, false),
                "sle" | "ule" => (Lanewise::Le, false),
                "sgt" | "ugt" => (Lanewise::Lt, true),
                "sge" | "uge" => (Lanewise::Le, true),
                _ => return None,
            };
            let both = if turned { [right, left] } else { [left, right] };
            made(operator, both.map(|operand| (operand, own)).to_vec(), Either)
        }
        _ if shape(&instruction.ty)?.1 == 1 => None,
        Action::Binary(name, _, left, right) => {
            let own = |operator, reads| made(operator, vec![(left, reads), (right, reads)], reads);
            match *name {
                "add" => own(Lanewise::Add, Result),
                "sub" => own(Lanewise::Sub, Result),
                "mul" => own(Lanewise::Mul, Result),
                "and" => own(Lanewise::And, Result),
                "or" => own(Lanewise::Or, Result),
                "xor" => own(Lanewise::Xor, Result),
                "udiv" => own(Lanewise::Div, unsigned),
                "shl" => made(Lanewise::ShiftLeft, vec![(left, Result), (right, unsigned)], Result),
                "lshr" => made(Lanewise::ShiftRight, vec![(left, unsigned), (right, unsigned)], unsigned),
                "ashr" => made(Lanewise::ShiftRight, vec![(left, signed), (right, unsigned)], signed),
                _ => None,
            }
        }
        Action::Cast(name, _, of, _) if is_wide(of) && is_integers(&of.ty) => match *name {
            "zext" => made(Lanewise::Cast, vec![(of, unsigned)], Either),
            "sext" => made(Lanewise::Cast, vec![(of, signed)], Either),
            "trunc" => made(Lanewise::Cast, vec![(of, Either)], Either),
            _ => None,
        },
        Action::Select(condition, then, otherwise) if shape(&condition.ty).is_some() => {
            made(Lanewise::Select, vec![(condition, Either), (then, Result), (otherwise, Result)], Result)
        }
        Action::Call { function, arguments, .. } => {
            let stem = function.strip_prefix("llvm.")?.rsplit_once('.')?.0;
            let all: Vec<&Operand> = arguments.iter().map(|(operand, _)| operand).collect();
            let own = if stem.starts_with('s') || stem == "abs" { signed } else { unsigned };
            let both = |operator| made(operator, all.iter().map(|operand| (*operand, own)).collect(), own);
            match (stem, &all[..]) {
                ("smin" | "umin", [_, _]) => both(Lanewise::Min),
                ("smax" | "umax", [_, _]) => both(Lanewise::Max),
                ("sadd.sat" | "uadd.sat", [_, _]) => both(Lanewise::SaturatingAdd),
                ("ssub.sat" | "usub.sat", [_, _]) => both(Lanewise::SaturatingSub),
                ("abs", [of, _]) => made(Lanewise::Abs, vec![(*of, own)], own),
                ("fshl" | "fshr", [high, low, count]) => {
                    let width = shape(&instruction.ty)?.1;
                    let count = u32::try_from(splat(&count.value)? % u64::from(width)).ok()?;
                    let left = if stem == "fshl" { count } else { (width - count) % width };
                    // Nothing moves: which of both it is depends on the direction.
                    let (operator, funnel) = (Lanewise::Or, Some(left).filter(|left| *left > 0));
                    let operands = vec![(*high, unsigned), (*low, unsigned)];
                    funnel.map(|_| Lanes { operator, operands, result: unsigned, funnel })
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// Whether an instruction puts a scalar in the first element of a vector, or that element in all others: two steps that
/// together are one value in all lanes.
pub fn spreads(instruction: &Instruction) -> bool {
    let first = |index: &Operand| splat(&index.value) == Some(0);
    match &instruction.action {
        Action::InsertElement(_, element, index) => {
            first(index) && matches!(element.ty, Llvm::Scalar(llvm_text::Scalar::Integer(_)))
        }
        Action::Shuffle(_, _, mask) => {
            is_integers(&instruction.ty) && mask.iter().all(|lane| *lane == Some(0))
        }
        _ => false,
    }
}

/// Whether an instruction costs so little that it can be done again wherever its value is used.
pub fn is_cheap(instruction: &Instruction) -> bool {
    spreads(instruction)
        || matches!(instruction.action, Action::Compare(..) | Action::Cast("zext" | "sext", ..))
}

/// A function as a window.
pub struct Expressed {
    /// The window; positions of leaves are those of parameters.
    pub window: Window,
    /// For each of its expressions the value of the function for which it was made.
    pub names: Vec<String>,
}

/// The window of a function of one block; or which of its instructions is no operation on lanes.
pub fn window_of(body: &Body) -> Result<Expressed, String> {
    let [block] = &body.blocks[..] else { return Err("several blocks".into()) };
    let mut writer = Writer {
        body,
        signs: Signs::default(),
        made: FxHashMap::default(),
        first: FxHashMap::default(),
        expressions: Expressions::default(),
    };
    for parameter in &body.parameters {
        let known = shape(&parameter.ty).is_some_and(|(_, width)| width > 1) && is_integers(&parameter.ty);
        if !known && !matches!(parameter.ty, Llvm::Scalar(llvm_text::Scalar::Integer(8 | 16 | 32 | 64))) {
            return Err(format!("an argument of type {}", parameter.ty));
        }
    }
    let mut steps = Vec::new();
    for instruction in &block.instructions {
        match (&instruction.action, lanes(instruction)) {
            (Action::Return(_), _) => {}
            (_, Some(step)) => {
                writer.agree(instruction, &step);
                steps.push((instruction, Some(step)));
            }
            (_, None) if spreads(instruction) => steps.push((instruction, None)),
            (Action::Freeze(of), None) => {
                if let (Some(result), Value::Local(name)) = (&instruction.result, &of.value) {
                    writer.signs.join(result, name);
                }
                steps.push((instruction, None));
            }
            _ => return Err(format!("`{instruction}` is no operation on lanes")),
        }
    }
    let mut names = Vec::new();
    for (instruction, step) in steps {
        writer.step(instruction, step.as_ref())?;
        names.resize(writer.expressions.len(), instruction.result.clone().unwrap_or_default());
    }
    let returned = block.instructions.iter().find_map(|own| match &own.action {
        Action::Return(Some(of)) => Some(of),
        _ => None,
    });
    let returned = returned.ok_or("no result")?;
    let root = writer.value(returned, writer.kind(returned))?;
    let leaves: Vec<Leaf> = body
        .parameters
        .iter()
        .map(|parameter| Leaf {
            name: parameter.name.clone(),
            ty: writer.parameter(parameter),
            scalar: matches!(parameter.ty, Llvm::Scalar(_)),
            // Rules alone prove what is selected: of a number outside of what is known they may make anything, and a frozen
            // one is any number.
            range: None,
        })
        .collect();
    let window = Window {
        name: String::new(),
        target: String::new(),
        leaves,
        expressions: writer.expressions,
        root,
        in_registers: true,
        assumptions: Vec::new(),
        reference: None,
    };
    Ok(Expressed { window, names })
}

struct Writer<'b> {
    body: &'b Body,
    signs: Signs,
    made: FxHashMap<String, ExpressionId>,
    /// Scalars that are the first element of a vector.
    first: FxHashMap<String, Operand>,
    expressions: Expressions,
}

impl Writer<'_> {
    /// Notes which values are of one sign, and what signs operations ask for.
    fn agree(&mut self, instruction: &Instruction, step: &Lanes<'_>) {
        let name = |operand: &Operand| match &operand.value {
            Value::Local(name) => Some(name.clone()),
            Value::Constant(_) => None,
        };
        let own = instruction.result.clone();
        if let (Some(own), Reads::As(kind)) = (&own, step.result) {
            self.signs.ask(own, kind);
        }
        if let (Some(own), Action::Binary("sub", ..)) = (&own, &instruction.action) {
            // A difference can be negative, whatever its operands are.
            self.signs.prefer(own, Kind::Signed);
        }
        if let (Some(own), Action::Cast(cast, _, of, _)) = (&own, &instruction.action) {
            match (*cast, name(of)) {
                ("zext", _) => self.signs.prefer(own, Kind::Unsigned),
                ("sext", _) => self.signs.prefer(own, Kind::Signed),
                // A narrower value is read as the wider one was.
                (_, Some(of)) => self.signs.follow(own, &of),
                _ => {}
            }
        }
        for (operand, reads) in &step.operands {
            let Some(operand) = name(operand) else { continue };
            match reads {
                Reads::Result => self.signs.join_with(own.as_deref(), &operand),
                Reads::As(kind) => self.signs.ask(&operand, *kind),
                Reads::Operand(other) => {
                    let other = step.operands.get(*other).and_then(|(other, _)| name(other));
                    self.signs.join_with(other.as_deref(), &operand);
                }
                Reads::Either => {}
            }
        }
    }

    fn kind(&self, operand: &Operand) -> Kind {
        match &operand.value {
            Value::Local(name) => self.signs.of(name),
            Value::Constant(_) => Kind::Unsigned,
        }
    }

    fn ty(&self, ty: &Llvm, kind: Kind) -> Result<Type, String> {
        let (lanes, width) = match (ty, shape(ty)) {
            (_, Some(shape)) => shape,
            (Llvm::Scalar(scalar), None) => (1, scalar.width()),
            _ => return Err(format!("a value of type {ty}")),
        };
        Ok(Type { kind: if width == 1 { Kind::Condition } else { kind }, width, lanes })
    }

    fn parameter(&self, parameter: &refine::ast::Parameter) -> Type {
        let kind = self.signs.of(&parameter.name);
        self.ty(&parameter.ty, kind).unwrap_or(Type { kind, width: 8, lanes: 1 })
    }

    fn push(&mut self, operator: Operator, operands: Vec<ExpressionId>, ty: Type) -> ExpressionId {
        self.expressions.push(Expression { operator, operands, ty })
    }

    /// An operand's value under a sign.
    fn value(&mut self, operand: &Operand, kind: Kind) -> Result<ExpressionId, String> {
        let ty = self.ty(&operand.ty, kind)?;
        let own = match &operand.value {
            Value::Local(name) => self.named(name)?,
            constant => {
                let number = splat(constant).ok_or("a constant that differs from lane to lane")?;
                let number = i128::from(number);
                let is_negative = ty.is_signed() && number >> (ty.width - 1) & 1 == 1;
                let literal = if is_negative { number - (1 << ty.width) } else { number };
                let one = self.push(Operator::Literal(literal), Vec::new(), Type { lanes: 1, ..ty });
                return Ok(self.push(Operator::Broadcast, vec![one], ty));
            }
        };
        match self.expressions.ty(own) == ty {
            true => Ok(own),
            false => Ok(self.push(Operator::Lanewise(Lanewise::Cast), vec![own], ty)),
        }
    }

    fn named(&mut self, name: &str) -> Result<ExpressionId, String> {
        if let Some(known) = self.made.get(name) {
            return Ok(*known);
        }
        let at = self.body.parameters.iter().position(|parameter| parameter.name == name);
        let at = at.ok_or_else(|| format!("there is no value %{name}"))?;
        let ty = self.parameter(&self.body.parameters[at]);
        let made = self.push(Operator::Leaf(at), Vec::new(), ty);
        self.made.insert(name.to_owned(), made);
        Ok(made)
    }

    fn step(&mut self, instruction: &Instruction, step: Option<&Lanes<'_>>) -> Result<(), String> {
        let Some(result) = &instruction.result else { return Ok(()) };
        let ty = self.ty(&instruction.ty, self.signs.of(result))?;
        let made = match (step, &instruction.action) {
            (Some(step), _) => {
                let mut operands = Vec::new();
                for (operand, reads) in &step.operands {
                    let kind = match reads {
                        Reads::Result => ty.kind,
                        Reads::As(kind) => *kind,
                        Reads::Either => self.kind(operand),
                        Reads::Operand(other) => {
                            step.operands.get(*other).map_or(Kind::Unsigned, |(other, _)| self.kind(other))
                        }
                    };
                    operands.push(self.value(operand, kind)?);
                }
                let own = match step.result {
                    Reads::As(kind) => Type { kind, ..ty },
                    _ => ty,
                };
                let made = match step.funnel {
                    None => self.push(Operator::Lanewise(step.operator), operands, own),
                    Some(left) => self.funnel(&operands, own, left),
                };
                match own == ty {
                    true => made,
                    false => self.push(Operator::Lanewise(Lanewise::Cast), vec![made], ty),
                }
            }
            (None, Action::InsertElement(_, element, _)) => {
                self.first.insert(result.clone(), element.clone());
                return Ok(());
            }
            (None, Action::Shuffle(of, ..)) => {
                let element = match &of.value {
                    Value::Local(name) => self.first.get(name).cloned(),
                    Value::Constant(_) => None,
                };
                let element = element.ok_or("one element of a vector in all lanes")?;
                let one = self.value(&element, ty.kind)?;
                self.push(Operator::Broadcast, vec![one], ty)
            }
            (None, Action::Freeze(of)) => self.value(of, ty.kind)?,
            _ => return Err(format!("`{instruction}` is no operation on lanes")),
        };
        self.made.insert(result.clone(), made);
        Ok(())
    }

    /// Two values side by side, shifted to the left by a count that is not 0: the upper bits.
    fn funnel(&mut self, operands: &[ExpressionId], ty: Type, left: u32) -> ExpressionId {
        let mut part = |operator, of, count: u32| {
            let one = Type { kind: Kind::Unsigned, lanes: 1, ..ty };
            let literal = self.push(Operator::Literal(i128::from(count)), Vec::new(), one);
            let count = self.push(Operator::Broadcast, vec![literal], Type { lanes: ty.lanes, ..one });
            self.push(Operator::Lanewise(operator), vec![of, count], ty)
        };
        let high = part(Lanewise::ShiftLeft, operands[0], left);
        let low = part(Lanewise::ShiftRight, operands[1], ty.width - left);
        self.push(Operator::Lanewise(Lanewise::Or), vec![high, low], ty)
    }
}
