//! Functions of one block under construction.

use hydride_ir::Bits;
use llvm_text::Type;
use refine::Place;
use refine::ast::{Action, Block, Body, Element, Flags, Instruction, Operand, Value, elements};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::operands::{local, locals, rename};
use crate::slice::{Slice, is_work};

/// A function of one block.
pub struct Builder {
    body: Body,
    /// What the names of its instructions' results begin with.
    prefix: &'static str,
    next: usize,
}

/// How many bits a type has.
pub fn bits_of(ty: &Type) -> u32 {
    elements(ty).map_or(0, |widths| widths.iter().sum())
}

/// `count` integers of `width` bits as a vector, also if `count` is 1.
pub fn vector(count: u32, width: u32) -> Type {
    Type::Vector(count, llvm_text::Scalar::Integer(width))
}

/// A constant of these elements.
pub fn constant(ty: &Type, lanes: &[u64]) -> Operand {
    let widths = elements(ty).unwrap_or_default();
    let lane = |(lane, width): (&u64, &u32)| Element::Bits(Bits::from_u64(*width, *lane));
    Operand { ty: ty.clone(), value: Value::Constant(lanes.iter().zip(&widths).map(lane).collect()) }
}

impl Builder {
    /// A function with the parameters of another one, and with its instructions at first if `with` says so.
    pub fn new(of: &Body, with: bool) -> Self {
        let mut body = of.clone();
        let block = body.blocks.first_mut();
        match block {
            Some(block) if with => block.instructions.retain(|own| own.result.is_some()),
            Some(block) => block.instructions.clear(),
            None => body.blocks.push(Block { label: "entry".to_owned(), instructions: Vec::new() }),
        }
        Self { body, prefix: "n", next: 0 }
    }

    /// A function without instructions and parameters. No name that it gives is one of C.
    pub fn empty() -> Self {
        let block = Block { label: "entry".to_owned(), instructions: Vec::new() };
        let body =
            Body { parameters: Vec::new(), result: Type::Void, attributes: Vec::new(), blocks: vec![block] };
        Self { body, prefix: ".", next: 0 }
    }

    /// The instructions that these values need.
    pub fn instructions(mut self, of: &[Operand]) -> Vec<Instruction> {
        let name = |operand: &Operand| match &operand.value {
            Value::Local(name) => Some(name.clone()),
            Value::Constant(_) => None,
        };
        needed(self.body.blocks[0].instructions.drain(..), of.iter().filter_map(name).collect())
    }

    /// A parameter.
    pub fn parameter(&self, at: usize) -> Option<Operand> {
        self.body.parameters.get(at).map(|own| local(own.ty.clone(), own.name.clone()))
    }

    /// An instruction's result.
    pub fn push(&mut self, ty: Type, action: Action) -> Operand {
        let name = format!("{}{}", self.prefix, self.next);
        self.next += 1;
        let result = Some(name.clone());
        let instruction = Instruction { result, ty: ty.clone(), action, place: Place::default() };
        self.body.blocks[0].instructions.push(instruction);
        local(ty, name)
    }

    /// The same bits in another type; what they were before a change of type is taken if there was one.
    pub fn bitcast(&mut self, of: Operand, ty: &Type) -> Operand {
        if of.ty == *ty {
            return of;
        }
        if let Value::Local(name) = &of.value {
            let made = self.body.blocks[0].instructions.iter().find(|own| own.result.as_ref() == Some(name));
            if let Some(Action::Cast("bitcast", _, inner, _)) = made.map(|made| made.action.clone()) {
                // Where elements are split and joined again, poison spreads less.
                return self.bitcast(inner, ty);
            }
        }
        self.push(ty.clone(), Action::Cast("bitcast", Flags::default(), of, ty.clone()))
    }

    /// A call of a generic or target's intrinsic.
    pub fn call(&mut self, function: String, arguments: Vec<Operand>, ty: Type) -> Operand {
        let arguments = arguments.into_iter().map(|operand| (operand, Vec::new())).collect();
        self.push(ty, Action::Call { function, arguments, attributes: Vec::new() })
    }

    /// Elements of vectors of one type.
    pub fn shuffle(&mut self, left: Operand, right: Option<Operand>, mask: Vec<Option<u32>>) -> Operand {
        let (Some(element), Some(widths)) = (left.ty.element(), elements(&left.ty)) else { return left };
        let count = widths.len() as u32;
        let whole: Vec<Option<u32>> = (0..count).map(Some).collect();
        if mask == whole {
            return left;
        }
        let right = right.unwrap_or_else(|| Operand {
            ty: left.ty.clone(),
            value: Value::Constant(vec![Element::Poison; count as usize]),
        });
        self.push(Type::Vector(mask.len() as u32, element), Action::Shuffle(left, right, mask))
    }

    /// What a function of one block gives for these arguments; `None` where it is not one, or they do not fit.
    pub fn inline(&mut self, function: &Body, arguments: Vec<Operand>) -> Option<Operand> {
        let [block] = &function.blocks[..] else { return None };
        let mut names: FxHashMap<String, Operand> = FxHashMap::default();
        if function.parameters.len() != arguments.len() {
            return None;
        }
        for (parameter, argument) in function.parameters.iter().zip(arguments) {
            if bits_of(&parameter.ty) != bits_of(&argument.ty) || bits_of(&argument.ty) == 0 {
                return None;
            }
            let value = self.bitcast(argument, &parameter.ty);
            names.insert(parameter.name.clone(), value);
        }
        for instruction in &block.instructions {
            let own = rename(instruction, &|name| names.get(name).map(|operand| operand.value.clone()));
            match own.action {
                Action::Return(of) => return of,
                Action::Cast("bitcast", _, of, to) => {
                    let value = self.bitcast(of, &to);
                    names.insert(own.result?, value);
                }
                action => {
                    let value = self.push(own.ty, action);
                    names.insert(own.result?, value);
                }
            }
        }
        None
    }

    /// The function without parameters that gives this value.
    pub fn returning(mut self, value: Operand) -> Option<Body> {
        self.body.result = value.ty.clone();
        self.finish(value)
    }

    /// The function that gives this value as its result's type; what does not contribute to it is gone.
    pub fn finish(mut self, value: Operand) -> Option<Body> {
        let ty = self.body.result.clone();
        if bits_of(&value.ty) != bits_of(&ty) {
            return None;
        }
        let value = self.bitcast(value, &ty);
        let action = Action::Return(Some(value));
        let end = Instruction { result: None, ty: Type::Void, action, place: Place::default() };
        self.body.blocks[0].instructions.push(end);
        drop_unused(&mut self.body);
        Some(self.body)
    }
}

/// Removes instructions that nothing uses from a function of one block without effects.
pub fn drop_unused(body: &mut Body) {
    let Some(block) = body.blocks.first_mut() else { return };
    block.instructions = needed(block.instructions.drain(..), FxHashSet::default());
}

/// The instructions without a result, and those that they or the uses of `used` need.
fn needed(
    instructions: impl DoubleEndedIterator<Item = Instruction>,
    mut used: FxHashSet<String>,
) -> Vec<Instruction> {
    let mut kept = Vec::new();
    for instruction in instructions.rev() {
        if instruction.result.as_ref().is_none_or(|result| used.contains(result)) {
            used.extend(locals(&instruction).into_iter().map(str::to_owned));
            kept.push(instruction);
        }
    }
    kept.reverse();
    kept
}

/// The instructions of a function of one block that are more than another type of the same bits.
pub fn work(body: &Body) -> usize {
    body.blocks.iter().flat_map(|block| &block.instructions).filter(|own| is_work(own)).count()
}

/// A function of one block in which each parameter has one value at all of its uses, as if it were `undef`: parameters that
/// reach the result on several ways are frozen.
///
/// A proof is for arguments that are not `undef`. One that is may be another value at each use. If the result has one way to
/// the parameter, the first function may have chosen the same value everywhere; if there are several, a frozen value is one.
pub fn freeze_shared(body: &Body) -> Body {
    let Some(block) = body.blocks.first() else { return body.clone() };
    let mut ways: FxHashMap<String, u64> = FxHashMap::default();
    for instruction in block.instructions.iter().rev() {
        let own = match (&instruction.action, &instruction.result) {
            (Action::Return(_), _) => 1,
            (_, Some(result)) => ways.get(result).copied().unwrap_or(0),
            _ => 0,
        };
        // What is frozen is one value from there on.
        let own = if matches!(instruction.action, Action::Freeze(_)) { own.min(1) } else { own };
        for name in locals(instruction) {
            let all = ways.entry(name.to_owned()).or_insert(0);
            *all = all.saturating_add(own);
        }
    }
    frozen(body, &|name| ways.get(name).is_some_and(|ways| *ways > 1))
}

/// The same with all parameters frozen: elements that are seen in others are then not poison because of their neighbors.
pub fn freeze_all(body: &Body) -> Body {
    let inputs = |own: &Instruction| match own.action {
        Action::Freeze(_) => locals(own).first().map(|name| (*name).to_owned()),
        _ => None,
    };
    let already: FxHashSet<String> =
        body.blocks.iter().flat_map(|block| &block.instructions).filter_map(inputs).collect();
    let used: FxHashSet<&str> =
        body.blocks.iter().flat_map(|block| &block.instructions).flat_map(|own| locals(own)).collect();
    frozen(body, &|name| used.contains(name) && !already.contains(name))
}

/// A function that was read from anywhere, as one that stands for a slice if it refines it: with the slice's parameters and
/// result, in one block, with what reaches the result on several ways [frozen](freeze_shared), and reading only what is there
/// where the slice's root is. `None` for any other one.
pub fn admitted(slice: &Slice, body: Body) -> Option<Body> {
    let own = &slice.body;
    let [block] = &body.blocks[..] else { return None };
    let results = block.instructions.iter().filter_map(|own| own.result.as_ref());
    let names: Vec<&String> = body.parameters.iter().map(|own| &own.name).chain(results).collect();
    let different: FxHashSet<&String> = names.iter().copied().collect();
    let is_of_form = body.parameters == own.parameters
        && body.result == own.result
        && body.attributes == own.attributes
        && different.len() == names.len()
        && !slice.reads_absent(&body)
        && freeze_shared(&body) == body;
    is_of_form.then_some(body)
}

fn frozen(body: &Body, wanted: &dyn Fn(&str) -> bool) -> Body {
    let Some(block) = body.blocks.first() else { return body.clone() };
    let taken = block.instructions.iter().filter(|own| matches!(own.action, Action::Freeze(_))).count();
    let mut made = body.clone();
    let (mut names, mut first) = (FxHashMap::default(), Vec::new());
    for parameter in &body.parameters {
        if wanted(&parameter.name) {
            let name = format!("f{}", taken + names.len());
            names.insert(parameter.name.clone(), Value::Local(name.clone()));
            let action = Action::Freeze(local(parameter.ty.clone(), parameter.name.clone()));
            let (ty, place) = (parameter.ty.clone(), Place::default());
            first.push(Instruction { result: Some(name), ty, action, place });
        }
    }
    let rest = block.instructions.iter().map(|own| rename(own, &|name| names.get(name).cloned()));
    made.blocks[0].instructions = first.into_iter().chain(rest).collect();
    made
}
