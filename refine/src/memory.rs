//! Functions that read their arguments from memory and write their result there, as functions of values.

use llvm_text::{Scalar, Type};
use rustc_hash::FxHashMap;

use crate::ast::{
    Action, Block, Body, Element, Flags, Function, Instruction, Operand, Parameter, Value, elements,
};
use crate::error::{Fault, Place};
use crate::parse::{Module, Parser};
use crate::token::{Kind, tokens};

/// What an argument of a function is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Passed {
    /// A value of that type.
    Value(Type),
    /// A pointer to a value of that type.
    Pointer(Type),
}

impl Passed {
    fn ty(&self) -> &Type {
        let (Self::Value(ty) | Self::Pointer(ty)) = self;
        ty
    }
}

impl Module {
    /// A definition `void @f(ptr RESULT, ARGUMENT…)` of one block as a function of values that gives what is behind its first
    /// pointer at the end, of type `result`. It is taken that pointers are aligned as loads and stores say, and that no byte
    /// is behind two of them. Elements are in memory with their low bytes first.
    ///
    /// ```
    /// # use refine::{Module, Passed};
    /// let text = "define void @f(ptr %r, ptr %a) {\n  %b = load i8, ptr %a\n  %c = add i8 %b, 1\n  store i8 %c, ptr %r\n  ret void\n}\n";
    /// let module = Module::parse(text)?;
    /// let byte = llvm_text::Type::integer(8);
    /// let body = module.of_values(&module.functions[0], &byte, &[Passed::Pointer(byte.clone())])?;
    /// assert_eq!((body.result, body.parameters.len()), (byte, 1));
    /// # Ok::<(), refine::Fault>(())
    /// ```
    pub fn of_values(&self, function: &Function, result: &Type, arguments: &[Passed]) -> Result<Body, Fault> {
        let whole = self.text();
        let first = whole[..function.span.start].bytes().filter(|byte| *byte == b'\n').count() as u32 + 1;
        let tokens = tokens(&whole[function.span.clone()], first)?;
        let mut parser = Parser::new(&tokens);
        let mut memory = Memory::new(result);
        let parameters = parser.passed(arguments, &mut memory)?;
        parser.newlines();
        if parser.peek().is_some_and(|token| token.kind == Kind::Label) {
            parser.at += 1;
        }
        while !memory.is_done {
            parser.newlines();
            parser.step(&parameters, &mut memory)?;
        }
        let blocks = vec![Block { label: "entry".to_owned(), instructions: memory.instructions }];
        Ok(Body { result: result.clone(), attributes: Vec::new(), parameters, blocks })
    }
}

/// What a pointer leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Behind {
    Result,
    /// The argument of that position.
    Argument(usize),
}

/// What is behind pointers, and what was made of it so far.
struct Memory {
    /// Pointers: what they lead to, and the byte of it.
    pointers: FxHashMap<String, (Behind, u32)>,
    instructions: Vec<Instruction>,
    result: Type,
    /// The result's bytes.
    written: Operand,
    named: u32,
    is_done: bool,
}

/// Bytes of a type, of which each element has some; `None` for other types.
fn bytes_of(ty: &Type) -> Option<u32> {
    let widths = elements(ty).filter(|widths| widths.iter().all(|width| width % 8 == 0))?;
    Some(widths.iter().sum::<u32>() / 8)
}

fn bytes(count: u32) -> Type {
    Type::Vector(count, Scalar::Integer(8))
}

fn poison(count: u32) -> Operand {
    Operand { ty: bytes(count), value: Value::Constant(vec![Element::Poison; count as usize]) }
}

impl Memory {
    fn new(result: &Type) -> Self {
        Self {
            pointers: FxHashMap::default(),
            instructions: Vec::new(),
            result: result.clone(),
            written: poison(bytes_of(result).unwrap_or(0)),
            named: 0,
            is_done: false,
        }
    }

    fn push(&mut self, ty: Type, action: Action, name: Option<String>) -> Operand {
        // No compiler gives names with a space.
        let name = name.unwrap_or_else(|| format!("memory {}", self.named));
        self.named += 1;
        let result = Some(name.clone());
        self.instructions.push(Instruction { result, ty: ty.clone(), action, place: Place::default() });
        Operand { ty, value: Value::Local(name) }
    }

    fn bitcast(&mut self, of: Operand, ty: &Type, name: Option<String>) -> Operand {
        self.push(ty.clone(), Action::Cast("bitcast", Flags::default(), of, ty.clone()), name)
    }

    fn shuffle(&mut self, left: Operand, right: Operand, mask: impl Iterator<Item = Option<u32>>) -> Operand {
        let mask: Vec<Option<u32>> = mask.collect();
        self.push(bytes(mask.len() as u32), Action::Shuffle(left, right, mask), None)
    }

    /// Names the value of `ty` that begins at a byte of an argument.
    fn load(&mut self, name: String, ty: &Type, of: &Parameter, from: u32) -> Option<()> {
        let (all, own) = (bytes_of(&of.ty)?, bytes_of(ty)?);
        let to = from.checked_add(own).filter(|to| *to <= all)?;
        let argument = Operand { ty: of.ty.clone(), value: Value::Local(of.name.clone()) };
        let argument = self.bitcast(argument, &bytes(all), None);
        let part = self.shuffle(argument, poison(all), (from..to).map(Some));
        self.bitcast(part, ty, Some(name));
        Some(())
    }

    /// Writes a value at a byte of the result.
    fn store(&mut self, of: Operand, from: u32) -> Option<()> {
        let (all, own) = (bytes_of(&self.result)?, bytes_of(&of.ty)?);
        let to = from.checked_add(own).filter(|to| *to <= all)?;
        let value = self.bitcast(of, &bytes(own), None);
        let inside = |at: u32| (from..to).contains(&at);
        let wide = self.shuffle(value, poison(own), (0..all).map(|at| inside(at).then(|| at - from)));
        let either = (0..all).map(|at| Some(if inside(at) { all + at } else { at }));
        self.written = self.shuffle(self.written.clone(), wide, either);
        Some(())
    }

    fn end(&mut self) {
        let result = self.result.clone();
        let value = self.bitcast(self.written.clone(), &result, None);
        let action = Action::Return(Some(value));
        self.instructions.push(Instruction { result: None, ty: Type::Void, action, place: Place::default() });
        self.is_done = true;
    }
}

impl Parser<'_> {
    /// The first line of a definition: the parameters after the result's as values.
    fn passed(&mut self, arguments: &[Passed], memory: &mut Memory) -> Result<Vec<Parameter>, Fault> {
        while self.peek().is_some_and(|token| token.kind != Kind::Global) {
            self.at += 1;
        }
        self.take(Kind::Global, "a name")?;
        self.expect("(")?;
        let (result, mut name) = self.parameter(0)?;
        if result != Type::Pointer {
            return self.fault(format!("the result's place is a pointer, not `{result}`"));
        }
        memory.pointers.insert(name, (Behind::Result, 0));
        let mut parameters = Vec::new();
        for (at, argument) in arguments.iter().enumerate() {
            self.expect(",")?;
            let ty;
            (ty, name) = self.parameter(at + 1)?;
            match argument {
                Passed::Pointer(_) if ty == Type::Pointer => {
                    memory.pointers.insert(name.clone(), (Behind::Argument(at), 0));
                }
                Passed::Value(own) if *own == ty => {}
                Passed::Pointer(_) => return self.fault(format!("%{name} is a pointer, not `{ty}`")),
                Passed::Value(own) => return self.fault(format!("%{name} is of type `{own}`, not `{ty}`")),
            }
            parameters.push(Parameter { name, ty: argument.ty().clone(), attributes: Vec::new() });
        }
        self.expect(")")?;
        while self.peek().is_some_and(|token| token.kind != Kind::Newline) {
            self.at += 1;
        }
        Ok(parameters)
    }

    /// A parameter's type and name; what is required of it besides does not matter here.
    fn parameter(&mut self, at: usize) -> Result<(Type, String), Fault> {
        let ty = self.ty()?;
        let mut open = 0;
        loop {
            match self.peek().map(|token| (token.kind, token.text)) {
                Some((Kind::Local, name)) => {
                    self.at += 1;
                    return Ok((ty, name.to_owned()));
                }
                Some((Kind::Sign, "(")) => open += 1,
                Some((Kind::Sign, ")")) if open > 0 => open -= 1,
                Some((Kind::Sign, "," | ")")) if open == 0 => return Ok((ty, at.to_string())),
                Some((kind, _)) if kind != Kind::Newline => {}
                _ => return self.fault("a parameter without its end"),
            }
            self.at += 1;
        }
    }

    /// An instruction; what it is in memory is one of values afterwards.
    fn step(&mut self, parameters: &[Parameter], memory: &mut Memory) -> Result<(), Fault> {
        let start = self.at;
        if self.eat("store") {
            let of = self.operand()?;
            self.expect(",")?;
            return match self.pointer(memory)? {
                (Behind::Result, from) => {
                    let written = memory.store(of, from);
                    self.in_bounds(
                        written,
                        "stored behind the end of the result, or of another size than whole bytes",
                    )
                }
                (Behind::Argument(at), _) => self.fault(format!("%{} is written", parameters[at].name)),
            };
        }
        if self.eat("ret") {
            self.expect("void")?;
            memory.end();
            return self.rest();
        }
        if let Some(result) = self.peek().filter(|token| token.kind == Kind::Local) {
            self.at += 1;
            self.expect("=")?;
            if self.eat("load") {
                let ty = self.ty()?;
                self.expect(",")?;
                return match self.pointer(memory)? {
                    (Behind::Argument(at), from) => {
                        let loaded = memory.load(result.text.to_owned(), &ty, &parameters[at], from);
                        self.in_bounds(
                            loaded,
                            "loaded behind the end of an argument, or of another size than whole bytes",
                        )
                    }
                    (Behind::Result, _) => self.fault("the result is read"),
                };
            }
            if self.eat("getelementptr") {
                while self.eat("inbounds") || self.eat("nuw") || self.eat("nusw") {}
                let ty = self.ty()?;
                self.expect(",")?;
                let (behind, from) = self.pointer(memory)?;
                self.expect(",")?;
                let index = self.operand()?;
                let number = match &index.value {
                    Value::Constant(number) => match &number[..] {
                        [Element::Bits(bits)] => bits.to_u64(),
                        _ => None,
                    },
                    Value::Local(_) => None,
                };
                let place = number.and_then(|number| {
                    u32::try_from(number).ok()?.checked_mul(bytes_of(&ty)?)?.checked_add(from)
                });
                let Some(place) = place else { return self.fault("an address that is no constant") };
                memory.pointers.insert(result.text.to_owned(), (behind, place));
                return self.rest();
            }
        }
        self.at = start;
        match self.instruction()? {
            Some(Instruction {
                action: Action::Branch(_) | Action::If(..) | Action::Switch(..) | Action::Phi(_),
                ..
            }) => self.fault("a jump in a function of memory"),
            Some(own) => {
                memory.instructions.push(own);
                self.rest()
            }
            None => self.rest(),
        }
    }

    /// `ptr %p`, with what it leads to.
    fn pointer(&mut self, memory: &Memory) -> Result<(Behind, u32), Fault> {
        self.expect("ptr")?;
        let name = self.take(Kind::Local, "a pointer")?;
        match memory.pointers.get(name) {
            Some(found) => Ok(*found),
            None => self.fault(format!("%{name} leads to neither the result nor an argument")),
        }
    }

    fn in_bounds(&mut self, done: Option<()>, otherwise: &str) -> Result<(), Fault> {
        match done {
            Some(()) => self.rest(),
            None => self.fault(otherwise),
        }
    }

    /// Goes to the end of the line: alignment and metadata.
    fn rest(&mut self) -> Result<(), Fault> {
        if self.eat(",") && self.eat("align") {
            self.number()?;
        }
        while self.peek().is_some_and(|token| token.kind != Kind::Newline) {
            self.at += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, NoIntrinsics, Outcome, refines};

    fn vector(count: u32, width: u32) -> Type {
        Type::Vector(count, Scalar::Integer(width))
    }

    fn read(text: &str) -> Result<Body, Fault> {
        let module = Module::parse(text)?;
        let arguments = [Passed::Pointer(vector(8, 16)), Passed::Value(Type::integer(16))];
        module.of_values(&module.functions[0], &vector(8, 16), &arguments)
    }

    const HALVES: &str = "define void @f(ptr noalias noundef %r, ptr readonly align 1 dereferenceable(16) %a, i16 signext %s) {
  %high = getelementptr inbounds nuw i8, ptr %a, i64 8
  %x = load <4 x i16>, ptr %a, align 1, !tbaa !5
  %y = load i64, ptr %high, align 1
  %z = bitcast i64 %y to <4 x i16>
  %i = insertelement <4 x i16> poison, i16 %s, i64 0
  %b = shufflevector <4 x i16> %i, <4 x i16> poison, <4 x i32> zeroinitializer
  %p = add <4 x i16> %x, %b
  %q = add <4 x i16> %z, %b
  store <4 x i16> %p, ptr %r, align 1
  %up = getelementptr <4 x i16>, ptr %r, i64 1
  store <4 x i16> %q, ptr %up, align 1
  ret void
}
";

    #[test]
    fn parts_in_memory_are_parts_of_values() {
        let whole = "define <8 x i16> @f(<8 x i16> noundef %a, i16 noundef %s) {
  %i = insertelement <8 x i16> poison, i16 %s, i64 0
  %b = shufflevector <8 x i16> %i, <8 x i16> poison, <8 x i32> zeroinitializer
  %p = add <8 x i16> %a, %b
  ret <8 x i16> %p
}
";
        let before = Module::parse(whole).unwrap().functions.remove(0).body.unwrap();
        let limits = Limits::default();
        let outcome = |text: &str| refines(&before, &read(text).unwrap(), &NoIntrinsics, &limits);
        assert!(matches!(outcome(HALVES), Outcome::Proved(_)));
        let swapped = HALVES.replace("%p, ptr %r", "%q, ptr %r").replace("%q, ptr %up", "%p, ptr %up");
        assert!(matches!(outcome(&swapped), Outcome::Counterexample(_)));
        // What nothing is written to is poison.
        let half = HALVES.replace("  store <4 x i16> %q, ptr %up, align 1\n", "");
        assert!(matches!(outcome(&half), Outcome::Counterexample(_)));
    }

    #[test]
    fn other_uses_of_memory_are_faults() {
        let fault = |old: &str, new: &str| read(&HALVES.replace(old, new)).unwrap_err().to_string();
        assert_eq!(
            fault("ptr %a, i64 8", "ptr %a, i64 9"),
            "4:27: loaded behind the end of an argument, or of another size than whole bytes"
        );
        assert_eq!(fault("%p, ptr %r", "%p, ptr %a"), "10:29: %a is written");
        assert_eq!(fault("i64 8", "i64 %s"), "2:56: an address that is no constant");
        assert!(fault("ptr %a, align", "ptr %s, align").contains("%s leads to neither"));
        assert!(fault("load i64", "load volatile i64").contains("`volatile` is no type"));
        assert!(fault("i16 signext %s", "i32 signext %s").contains("is of type `i16`, not `i32`"));
        assert!(fault("ret void", "br label %f").contains("a jump"));
    }
}
