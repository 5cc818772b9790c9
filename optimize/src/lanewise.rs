//! Functions of one block as windows of vector expressions: each instruction an operation on lanes.
//!
//! ```text
//! %a = zext <16 x i8> %x to <16 x i16>          (cast:u16x16 x:u8x16)
//! %b = lshr <16 x i16> %a, splat (i16 1)    →   (shift_right:u16x16 … (broadcast:u16x16 1:u16))
//! ```
//!
//! LLVM's integers have no sign, windows' do. Values whose operations agree on how they read bits get one sign, as a group: the
//! operands and the result of a sum, or the two sides of a choice. An operation that needs the other sign reads the same bits
//! under it. A constant that differs from lane to lane is a leaf with a range. Flags say where a value is poison; the window has a value there too, so that it does no less than the function.

use llvm_text::Type as Llvm;
use refine::ast::{Action, Body, Element, Instruction, Operand, Value, elements};
use rustc_hash::FxHashMap;
use synth::window::{
    Expression, ExpressionId, Expressions, Kind, Lanewise, Leaf, MAX_LANES, Operator, Reduce, Type, Window,
    limits,
};

use crate::build::{constant, vector};
use crate::element::ones;
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

/// The numbers that the elements of a constant are; `None` for one of which any value will do.
fn numbers(value: &Value) -> Option<Vec<Option<u64>>> {
    let Value::Constant(all) = value else { return None };
    let number = |element: &Element| match element {
        Element::Bits(bits) => bits.to_u64().map(Some),
        Element::Undef | Element::Poison => Some(None),
    };
    all.iter().map(number).collect()
}

/// The number that each element of a constant is, if it is one for all.
fn splat(value: &Value) -> Option<u64> {
    let all = numbers(value)?;
    let mut known = all.iter().flatten();
    let first = *known.next()?;
    known.all(|own| *own == first).then_some(first)
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

/// An instruction that makes one number of all elements of a vector: how, of what, and under which sign if that matters.
pub fn reduces(instruction: &Instruction) -> Option<(Reduce, &Operand, Option<Kind>)> {
    let Action::Call { function, arguments, .. } = &instruction.action else { return None };
    let (stem, [(of, _)]) = (function.strip_prefix("llvm.vector.reduce.")?, &arguments[..]) else {
        return None;
    };
    let (reduce, kind) = match stem.rsplit_once('.')?.0 {
        "add" => (Reduce::Add, None),
        "smin" => (Reduce::Min, Some(Kind::Signed)),
        "umin" => (Reduce::Min, Some(Kind::Unsigned)),
        "smax" => (Reduce::Max, Some(Kind::Signed)),
        "umax" => (Reduce::Max, Some(Kind::Unsigned)),
        _ => return None,
    };
    (is_integers(&of.ty) && shape(&of.ty)?.1 > 1).then_some((reduce, of, kind))
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

/// A number of so many bits, with a sign where its type has one.
fn under_sign(number: u64, ty: Type) -> i128 {
    let number = i128::from(number);
    let is_negative = ty.is_signed() && number >> (ty.width - 1) & 1 == 1;
    if is_negative { number - (1 << ty.width) } else { number }
}

/// A function as a window.
pub struct Expressed {
    /// The window; positions of leaves are those of parameters, and then those of constants.
    pub window: Window,
    /// Constants that differ from lane to lane.
    pub constants: Vec<Operand>,
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
        constants: Vec::new(),
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
            (_, None) if reduces(instruction).is_some() => {
                writer.agree_on_all(instruction);
                steps.push((instruction, None));
            }
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
    let parameters = body.parameters.iter().map(|parameter| Leaf {
        name: parameter.name.clone(),
        ty: writer.parameter(parameter),
        scalar: matches!(parameter.ty, Llvm::Scalar(_)),
        in_memory: false,
        // Rules alone prove what is selected: of a number outside of what is known they may make anything, and a frozen one is
        // any number.
        range: None,
    });
    let constants = writer.constants.iter().map(|(_, leaf)| leaf.clone());
    let leaves: Vec<Leaf> = parameters.chain(constants).collect();
    let window = Window {
        name: String::new(),
        target: String::new(),
        leaves,
        expressions: writer.expressions,
        root,
        in_registers: true,
        number: false,
        assumptions: Vec::new(),
        reference: None,
    };
    let constants = writer.constants.into_iter().map(|(operand, _)| operand).collect();
    Ok(Expressed { window, constants, names })
}

struct Writer<'b> {
    body: &'b Body,
    signs: Signs,
    made: FxHashMap<String, ExpressionId>,
    /// Scalars that are the first element of a vector.
    first: FxHashMap<String, Operand>,
    /// Constants that differ from lane to lane, as leaves.
    constants: Vec<(Operand, Leaf)>,
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

    /// The same for a number that is made of all elements of a vector.
    fn agree_on_all(&mut self, instruction: &Instruction) {
        let Some((_, of, kind)) = reduces(instruction) else { return };
        let (Some(own), Value::Local(operand)) = (&instruction.result, &of.value) else { return };
        self.signs.join(own, operand);
        if let Some(kind) = kind {
            self.signs.ask(own, kind);
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
                let Some(number) = splat(constant) else {
                    return self.differing(operand, ty).ok_or_else(|| format!("a constant of type {ty}"));
                };
                let literal = under_sign(number, ty);
                let one = self.push(Operator::Literal(literal), Vec::new(), Type { lanes: 1, ..ty });
                return Ok(self.push(Operator::Broadcast, vec![one], ty));
            }
        };
        match self.expressions.ty(own) == ty {
            true => Ok(own),
            false => Ok(self.push(Operator::Lanewise(Lanewise::Cast), vec![own], ty)),
        }
    }

    /// A factor that differs from lane to lane as an extension of numbers of half the width, where the other factor is one too: that
    /// product is a widening one.
    fn narrow_factor(&mut self, step: &Lanes<'_>, operand: &Operand, ty: Type) -> Option<ExpressionId> {
        let others = step.operands.iter().find_map(|(other, _)| match &other.value {
            Value::Local(name) => self.made.get(name),
            Value::Constant(_) => None,
        });
        let (Lanewise::Mul, None, Some(other)) = (step.operator, splat(&operand.value), others) else {
            return None;
        };
        let other = self.expressions.get(*other);
        let narrow = match other.operator {
            Operator::Lanewise(Lanewise::Cast) => self.expressions.ty(*other.operands.first()?),
            _ => return None,
        };
        let all: Vec<u64> = numbers(&operand.value)?.into_iter().map(Option::unwrap_or_default).collect();
        let kinds = [narrow.kind, if narrow.is_signed() { Kind::Unsigned } else { Kind::Signed }];
        let fits = |kind: &Kind| {
            let (low, high) = limits(Type { kind: *kind, ..narrow });
            2 * narrow.width == ty.width
                && all.iter().all(|number| (low..=high).contains(&under_sign(*number, ty)))
        };
        let kind = kinds.into_iter().find(fits)?;
        let Llvm::Vector(count, _) = operand.ty else { return None };
        let low: Vec<u64> = all.iter().map(|number| number & ones(narrow.width)).collect();
        let operand = constant(&vector(count, narrow.width), &low);
        let own = self.differing(&operand, Type { kind, ..narrow })?;
        Some(self.push(Operator::Lanewise(Lanewise::Cast), vec![own], ty))
    }

    /// A constant that differs from lane to lane, as a leaf with the least and the greatest of its numbers.
    fn differing(&mut self, operand: &Operand, ty: Type) -> Option<ExpressionId> {
        let all: Vec<u64> = numbers(&operand.value)?.into_iter().map(Option::unwrap_or_default).collect();
        let signed = || all.iter().map(|number| under_sign(*number, ty));
        let range = Some((signed().min()?, signed().max()?)).filter(|_| ty.width > 1)?;
        let operand = constant(&operand.ty, &all);
        let same = |(own, leaf): &(Operand, Leaf)| *own == operand && leaf.ty == ty;
        let at = self.constants.iter().position(same).unwrap_or_else(|| {
            let name = format!("constant{}", self.constants.len());
            self.constants
                .push((operand, Leaf { name, ty, scalar: false, in_memory: false, range: Some(range) }));
            self.constants.len() - 1
        });
        Some(self.push(Operator::Leaf(self.body.parameters.len() + at), Vec::new(), ty))
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
                    if let Some(narrow) = self.narrow_factor(step, operand, ty) {
                        operands.push(narrow);
                        continue;
                    }
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
            (None, Action::Call { .. }) => {
                let (reduce, of, kind) =
                    reduces(instruction).ok_or_else(|| format!("`{instruction}` is no reduction"))?;
                let own = Type { kind: kind.unwrap_or(ty.kind), ..ty };
                let of = self.value(of, own.kind)?;
                let made = self.push(Operator::Reduce(reduce), vec![of], own);
                match own == ty {
                    true => made,
                    false => self.push(Operator::Lanewise(Lanewise::Cast), vec![made], ty),
                }
            }
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
