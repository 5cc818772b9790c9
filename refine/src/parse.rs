//! The reader: a module keeps its text, and of each function definition what is modelled is read.

use std::collections::HashMap;
use std::sync::OnceLock;

use hydride_ir::Bits;
use llvm_text::{Instruction as Names, Scalar, Type};

use crate::ast::{
    Action, Attribute, Block, Body, Element, Flags, Function, Instruction, Operand, Parameter, Value,
    elements,
};
use crate::error::{Fault, Place};
use crate::token::{Kind, Token, tokens};

/// The most bits of all elements of a type together.
const MAX_BITS: u64 = hydride_ir::MAX_WIDTH as u64;

/// A module: its text, and what its functions do.
///
/// ```
/// let module = refine::Module::parse("define i8 @f(i8 %a) {\n  %b = add nsw i8 %a, 1\n  ret i8 %b\n}\n")?;
/// assert!(module.function("f").is_some_and(|function| function.body.is_ok()));
/// # Ok::<(), refine::Fault>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    text: String,
    /// Its function definitions, in order.
    pub functions: Vec<Function>,
    /// The ranges of its metadata, once one is asked for.
    pub(crate) ranges: OnceLock<HashMap<String, Attribute>>,
}

impl Module {
    /// Reads LLVM assembly. Only a definition without its end is an error: what is not modelled in a function is a fault of
    /// that function.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        Self::split(text, function)
    }

    /// The same with no function's body read, for those who read [outlines](Self::outline) of some of them.
    ///
    /// ```
    /// let module = refine::Module::definitions("define i8 @f(i8 %a) {\n  ret i8 %a\n}\n")?;
    /// assert!(module.functions[0].name == "f" && module.functions[0].body.is_err());
    /// # Ok::<(), refine::Fault>(())
    /// ```
    pub fn definitions(text: &str) -> Result<Self, Fault> {
        Self::split(text, |text, start, line| {
            let head = &text[..text.find('\n').unwrap_or(text.len())];
            let name =
                tokens(head, line).ok().and_then(|all| all.into_iter().find(|own| own.kind == Kind::Global));
            let name = name.map_or(String::new(), |token| token.text.to_owned());
            let body = Err(Fault::new(Place { line, column: 1 }, "a body that is not read"));
            Function { name, span: start..start + text.len(), body }
        })
    }

    fn split(text: &str, read: impl Fn(&str, usize, u32) -> Function) -> Result<Self, Fault> {
        let (mut functions, mut at, mut number) = (Vec::new(), 0, 0);
        let mut open: Option<(usize, u32)> = None;
        for line in text.split_inclusive('\n') {
            number += 1;
            if open.is_none() && line.starts_with("define ") {
                open = Some((at, number));
            }
            at += line.len();
            if let Some((start, first)) = open.filter(|_| line.starts_with('}')) {
                let end = at - (line.len() - line.trim_end().len());
                functions.push(read(&text[start..end], start, first));
                open = None;
            }
        }
        match open {
            Some((_, line)) => {
                Err(Fault::new(Place { line, column: 1 }, "a definition without a line that begins with `}`"))
            }
            None => Ok(Self { text: text.to_owned(), functions, ranges: OnceLock::new() }),
        }
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The definition of that name.
    pub fn function(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|function| function.name == name)
    }

    /// What a definition does where its pointers and what is behind them count too: loads, stores, addresses, local memory.
    ///
    /// ```
    /// let text = "define void @f(ptr %p) {\n  %a = load i8, ptr %p, align 1\n  %b = add i8 %a, 1\n  store i8 %b, ptr %p, align 1\n  ret void\n}\n";
    /// let module = refine::Module::parse(text)?;
    /// assert!(module.functions[0].body.is_err());
    /// assert_eq!(module.with_memory(&module.functions[0])?.blocks[0].instructions.len(), 4);
    /// # Ok::<(), refine::Fault>(())
    /// ```
    pub fn with_memory(&self, function: &Function) -> Result<Body, Fault> {
        let first = self.text[..function.span.start].bytes().filter(|byte| *byte == b'\n').count() as u32 + 1;
        let tokens = tokens(&self.text[function.span.clone()], first)?;
        Parser { memory: true, ..Parser::new(&tokens) }.definition(&mut String::new())
    }

    /// The text with the text of one definition replaced; everything else is kept as it is.
    pub fn with_function(&self, function: &Function, text: &str) -> String {
        let mut whole = self.text.clone();
        whole.replace_range(function.span.clone(), text);
        whole
    }
}

impl std::fmt::Display for Module {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.text)
    }
}

fn function(text: &str, start: usize, line: u32) -> Function {
    let mut name = String::new();
    let body = tokens(text, line).and_then(|tokens| Parser::new(&tokens).definition(&mut name));
    Function { name, span: start..start + text.len(), body }
}

pub(crate) struct Parser<'t> {
    pub(crate) tokens: &'t [Token<'t>],
    pub(crate) at: usize,
    /// Whether pointers and what is behind them are read too.
    pub(crate) memory: bool,
}

/// Attributes that change no value: of parameters, arguments and results.
const HARMLESS: &[&str] = &[
    "zeroext",
    "signext",
    "immarg",
    "returned",
    "inreg",
    "nocapture",
    "readonly",
    "writeonly",
    "readnone",
    "noalias",
];

/// Metadata that changes no value.
const HARMLESS_METADATA: &[&str] = &["dbg", "prof", "llvm.loop", "srcloc", "unpredictable", "tbaa"];

type Read<T> = Result<T, Fault>;

impl<'t> Parser<'t> {
    pub(crate) fn new(tokens: &'t [Token<'t>]) -> Self {
        Self { tokens, at: 0, memory: false }
    }

    fn place(&self) -> Place {
        let last = || self.tokens.last().map_or(Place { line: 1, column: 1 }, |token| token.place);
        self.tokens.get(self.at).map_or_else(last, |token| token.place)
    }

    pub(crate) fn fault<T>(&self, message: impl Into<String>) -> Read<T> {
        Err(Fault::new(self.place(), message))
    }

    pub(crate) fn peek(&self) -> Option<Token<'t>> {
        self.tokens.get(self.at).copied()
    }

    fn found(&self) -> String {
        match self.peek() {
            Some(Token { kind: Kind::Newline, .. }) => "the end of the line".to_owned(),
            Some(token) => format!("`{}`", token.text),
            None => "the end of the text".to_owned(),
        }
    }

    pub(crate) fn is(&self, kind: Kind, text: &str) -> bool {
        self.peek().is_some_and(|token| token.kind == kind && token.text == text)
    }

    /// Goes on if the next token is a word or sign.
    pub(crate) fn eat(&mut self, text: &str) -> bool {
        let found = self.is(Kind::Word, text) || self.is(Kind::Sign, text);
        self.at += usize::from(found);
        found
    }

    pub(crate) fn expect(&mut self, text: &str) -> Read<()> {
        if self.eat(text) { Ok(()) } else { self.fault(format!("expected `{text}`, found {}", self.found())) }
    }

    pub(crate) fn take(&mut self, kind: Kind, what: &str) -> Read<&'t str> {
        match self.peek() {
            Some(token) if token.kind == kind => {
                self.at += 1;
                Ok(token.text)
            }
            _ => self.fault(format!("expected {what}, found {}", self.found())),
        }
    }

    pub(crate) fn newlines(&mut self) {
        while self.peek().is_some_and(|token| token.kind == Kind::Newline) {
            self.at += 1;
        }
    }

    pub(crate) fn number(&mut self) -> Read<u32> {
        let place = self.place();
        let word = self.take(Kind::Word, "a number")?;
        word.parse().map_err(|_| Fault::new(place, format!("expected a number, found `{word}`")))
    }

    pub(crate) fn ty(&mut self) -> Read<Type> {
        let place = self.place();
        let ty = self.unchecked_type(0)?;
        let bits = elements(&ty).map(|widths| widths.iter().map(|width| u64::from(*width)).sum::<u64>());
        if bits.is_some_and(|bits| bits > MAX_BITS || bits == 0) {
            return Err(Fault::new(place, "a type without bits, or with too many"));
        }
        Ok(ty)
    }

    fn unchecked_type(&mut self, depth: u32) -> Read<Type> {
        if depth > 8 {
            return self.fault("a type that is nested too deep");
        }
        if self.eat("<") || self.is(Kind::Sign, "[") {
            let close = if self.eat("[") { "]" } else { ">" };
            let place = self.place();
            let count = self.number()?;
            if u64::from(count) > MAX_BITS {
                return Err(Fault::new(place, "too many elements"));
            }
            self.expect("x")?;
            let of = self.unchecked_type(depth + 1)?;
            let whole = match (close, of) {
                (">", Type::Scalar(element)) if count > 0 => Type::Vector(count, element),
                ("]", of) if count > 0 => Type::Array(count, Box::new(of)),
                _ => return Err(Fault::new(place, "elements of this type are outside of what is modelled")),
            };
            if elements(&whole).is_some_and(|all| all.len() as u64 > MAX_BITS) {
                return Err(Fault::new(place, "too many elements"));
            }
            self.expect(close)?;
            return Ok(whole);
        }
        if self.eat("{") {
            let mut parts = Vec::new();
            while !self.eat("}") {
                if !parts.is_empty() {
                    self.expect(",")?;
                }
                parts.push(self.unchecked_type(depth + 1)?);
            }
            return Ok(Type::Structure(parts));
        }
        let place = self.place();
        let found = self.found();
        let word = self.take(Kind::Word, "a type")?;
        let refused = || Fault::new(place, format!("{found} is no type that is modelled"));
        let ty: Type = word.parse().map_err(|_| refused())?;
        match ty {
            Type::Scalar(Scalar::Integer(0) | Scalar::Mmx) => Err(refused()),
            ty => Ok(ty),
        }
    }

    /// What is required of a parameter, argument or result.
    pub(crate) fn attributes(&mut self) -> Read<Vec<Attribute>> {
        let mut all = Vec::new();
        loop {
            if self.eat("noundef") {
                all.push(Attribute::NoUndef);
            } else if self.eat("range") {
                self.expect("(")?;
                let ty = self.ty()?;
                let low = self.bits(&ty)?;
                self.expect(",")?;
                let high = self.bits(&ty)?;
                self.expect(")")?;
                all.push(Attribute::Range(low, high));
            } else if self.peek().is_some_and(|token| token.kind == Kind::Text && token.text == "known-bits")
            {
                self.at += 1;
                self.expect("=")?;
                let place = self.place();
                let text = self.take(Kind::Text, "known bits")?;
                let is_bits = !text.is_empty() && text.bytes().all(|bit| b"01x".contains(&bit));
                if !is_bits {
                    return Err(Fault::new(place, format!("`{text}` is no text of 0, 1 and x")));
                }
                let words = |wanted: u8| {
                    let mut words = vec![0u64; text.len().div_ceil(64)];
                    let set = text.bytes().rev().enumerate().filter(|(_, bit)| *bit == wanted);
                    set.for_each(|(at, _)| words[at / 64] |= 1 << (at % 64));
                    Bits::from_words(text.len() as u32, words)
                };
                all.push(Attribute::KnownBits(words(b'0'), words(b'1')));
            } else if self.memory && self.eat("noalias") {
                all.push(Attribute::NoAlias);
            } else if self.memory && self.eat("align") {
                all.push(Attribute::Align(self.alignment()?));
            } else if self.memory && self.eat("dereferenceable") {
                self.expect("(")?;
                all.push(Attribute::Dereferenceable(self.number()?));
                self.expect(")")?;
            } else if self.memory && (self.eat("captures") || self.eat("initializes")) {
                self.skip_parentheses()?;
            } else if self.memory && self.eat("nonnull") {
                all.push(Attribute::NonNull);
            } else if let Some(token) =
                self.peek().filter(|token| token.kind == Kind::Word && HARMLESS.contains(&token.text))
            {
                self.at += 1;
                debug_assert!(!token.text.is_empty());
            } else {
                return Ok(all);
            }
        }
    }

    fn bits(&mut self, ty: &Type) -> Read<Bits> {
        let place = self.place();
        let wrong = || Fault::new(place, "expected an integer constant");
        let (Some(width), Value::Constant(elements)) = (ty.integer_width(), self.value(ty)?) else {
            return Err(wrong());
        };
        match elements.as_slice() {
            [Element::Bits(bits)] if bits.width() == width => Ok(bits.clone()),
            _ => Err(wrong()),
        }
    }

    pub(crate) fn operand(&mut self) -> Read<Operand> {
        let ty = self.ty()?;
        let value = self.value(&ty)?;
        Ok(Operand { ty, value })
    }

    /// A value of a known type.
    fn value(&mut self, ty: &Type) -> Read<Value> {
        if let Some(token) = self.peek().filter(|token| token.kind == Kind::Local) {
            self.at += 1;
            return Ok(Value::Local(token.text.to_owned()));
        }
        Ok(Value::Constant(self.constant(ty)?))
    }

    fn constant(&mut self, ty: &Type) -> Read<Vec<Element>> {
        let place = self.place();
        let Some(widths) = elements(ty) else {
            return self.fault(format!("a constant of type `{ty}` is outside of what is modelled"));
        };
        let all = |element: &dyn Fn(u32) -> Element| Ok(widths.iter().map(|width| element(*width)).collect());
        if self.eat("zeroinitializer") {
            return all(&|width| Element::Bits(Bits::zero(width)));
        }
        if self.eat("undef") {
            return all(&|_| Element::Undef);
        }
        if self.eat("poison") {
            return all(&|_| Element::Poison);
        }
        if self.eat("splat") {
            self.expect("(")?;
            let one = self.ty()?;
            let element = self.constant(&one)?;
            self.expect(")")?;
            return match (element.as_slice(), ty.element()) {
                ([element], Some(own)) if one == Type::Scalar(own) => all(&|_| element.clone()),
                _ => Err(Fault::new(place, "a splat of another type")),
            };
        }
        for (open, close) in [("<", ">"), ("[", "]"), ("{", "}")] {
            if self.eat(open) {
                let mut found = Vec::new();
                while !self.eat(close) {
                    if !found.is_empty() {
                        self.expect(",")?;
                    }
                    let part = self.ty()?;
                    found.extend(self.constant(&part)?);
                }
                let fits = found.len() == widths.len()
                    && found.iter().zip(&widths).all(|(element, width)| match element {
                        Element::Bits(bits) => bits.width() == *width,
                        Element::Undef | Element::Poison => true,
                    });
                return if fits {
                    Ok(found)
                } else {
                    Err(Fault::new(place, format!("no constant of type `{ty}`")))
                };
            }
        }
        let found = self.found();
        let word = self.take(Kind::Word, "a constant")?;
        let wrong = || Fault::new(place, format!("{found} is no constant of type `{ty}` that is modelled"));
        let Some(width) = ty.integer_width() else { return Err(wrong()) };
        let bits = match word {
            "true" | "false" if width == 1 => Bits::from_u64(1, u64::from(word == "true")),
            _ => {
                let value: i128 = word.parse().map_err(|_| wrong())?;
                let fill = if value < 0 { u64::MAX } else { 0 };
                let low = [value as u64, (value >> 64) as u64];
                Bits::from_words(
                    width,
                    low.into_iter().chain(std::iter::repeat_n(fill, (width / 64) as usize)),
                )
            }
        };
        Ok(vec![Element::Bits(bits)])
    }

    fn definition(&mut self, name: &mut String) -> Read<Body> {
        self.expect("define")?;
        // The name first, so that a function that is not modelled has one.
        let position = self.tokens.iter().position(|token| token.kind == Kind::Global);
        let Some(position) = position else { return self.fault("a definition without a name") };
        self.tokens[position].text.clone_into(name);
        while self.peek().is_some_and(|token| {
            token.kind == Kind::Word
                && [
                    "dso_local",
                    "internal",
                    "linkonce_odr",
                    "weak_odr",
                    "private",
                    "hidden",
                    "local_unnamed_addr",
                    "fastcc",
                    "external",
                ]
                .contains(&token.text)
        }) {
            self.at += 1;
        }
        let attributes = self.attributes()?;
        let result = self.ty()?;
        self.take(Kind::Global, "a name")?;
        self.expect("(")?;
        let mut parameters = Vec::new();
        let mut unnamed = 0;
        while !self.eat(")") {
            if !parameters.is_empty() {
                self.expect(",")?;
            }
            let place = self.place();
            let ty = self.ty()?;
            if elements(&ty).is_none() && !(self.memory && ty == Type::Pointer) {
                return Err(Fault::new(
                    place,
                    format!("a parameter of type `{ty}` is outside of what is modelled"),
                ));
            }
            let attributes = self.attributes()?;
            let name = match self.peek() {
                Some(token) if token.kind == Kind::Local => {
                    self.at += 1;
                    token.text.to_owned()
                }
                _ => unnamed.to_string(),
            };
            // Unnamed parameters and the first block are numbered together.
            unnamed += u32::from(name == unnamed.to_string());
            parameters.push(Parameter { name, ty, attributes });
        }
        while !self.eat("{") {
            if self.peek().is_none_or(|token| token.kind == Kind::Newline) {
                return self.fault("expected `{`");
            }
            self.at += 1;
        }
        let blocks = self.blocks(unnamed)?;
        Ok(Body { result, attributes, parameters, blocks })
    }

    fn blocks(&mut self, entry: u32) -> Read<Vec<Block>> {
        let mut blocks: Vec<Block> = Vec::new();
        loop {
            self.newlines();
            if self.eat("}") {
                return if blocks.is_empty() {
                    self.fault("a function without instructions")
                } else {
                    Ok(blocks)
                };
            }
            if let Some(token) = self.peek().filter(|token| token.kind == Kind::Label) {
                self.at += 1;
                blocks.push(Block { label: token.text.to_owned(), instructions: Vec::new() });
                continue;
            }
            if blocks.is_empty() {
                blocks.push(Block { label: entry.to_string(), instructions: Vec::new() });
            }
            let instruction = self.instruction()?;
            self.metadata()?;
            if !self.peek().is_some_and(|token| token.kind == Kind::Newline) {
                return self.fault(format!("{} is outside of what is modelled", self.found()));
            }
            if let (Some(instruction), Some(block)) = (instruction, blocks.last_mut()) {
                block.instructions.push(instruction);
            }
        }
    }

    pub(crate) fn metadata(&mut self) -> Read<()> {
        while self.is(Kind::Sign, ",") {
            self.at += 1;
            let place = self.place();
            let name = self.take(Kind::Metadata, "metadata")?;
            if !HARMLESS_METADATA.contains(&name) {
                return Err(Fault::new(place, format!("metadata `!{name}` is outside of what is modelled")));
            }
            self.take(Kind::Metadata, "the number of metadata")?;
        }
        Ok(())
    }

    fn flags(&mut self) -> Flags {
        let mut flags = Flags::default();
        loop {
            let flag = match self.peek().filter(|token| token.kind == Kind::Word).map(|token| token.text) {
                Some("nuw") => &mut flags.nuw,
                Some("nsw") => &mut flags.nsw,
                Some("exact") => &mut flags.exact,
                Some("disjoint") => &mut flags.disjoint,
                Some("nneg") => &mut flags.nneg,
                Some("samesign") => &mut flags.samesign,
                _ => return flags,
            };
            *flag = true;
            self.at += 1;
        }
    }

    fn label(&mut self) -> Read<String> {
        self.expect("label")?;
        Ok(self.take(Kind::Local, "a label")?.to_owned())
    }

    /// The second operand of a pair that has one type.
    fn second(&mut self, first: &Operand) -> Read<Operand> {
        self.expect(",")?;
        let value = self.value(&first.ty)?;
        Ok(Operand { ty: first.ty.clone(), value })
    }

    pub(crate) fn next_operand(&mut self) -> Read<Operand> {
        self.expect(",")?;
        self.operand()
    }

    fn indices(&mut self) -> Read<Vec<u32>> {
        let mut indices = Vec::new();
        while self.is(Kind::Sign, ",")
            && self.tokens.get(self.at + 1).is_some_and(|next| next.kind == Kind::Word)
        {
            self.at += 1;
            indices.push(self.number()?);
        }
        Ok(indices)
    }

    /// An instruction; none for what says nothing of values.
    pub(crate) fn instruction(&mut self) -> Read<Option<Instruction>> {
        if self.is(Kind::Group, "dbg_value") || self.is(Kind::Group, "dbg_declare") {
            while self.peek().is_some_and(|token| token.kind != Kind::Newline) {
                self.at += 1;
            }
            return Ok(None);
        }
        let place = self.place();
        let result = match self.peek() {
            Some(token) if token.kind == Kind::Local => {
                self.at += 1;
                self.expect("=")?;
                Some(token.text.to_owned())
            }
            _ => None,
        };
        let of_operation = self.place();
        let word = self.take(Kind::Word, "an instruction")?;
        let named = |names: &[&'static str]| names.iter().copied().find(|name| *name == word);
        let refused = || Fault::new(of_operation, format!("`{word}` is outside of what is modelled"));
        let flags = self.flags();
        let (ty, action) = if let Some(name) = named(Names::BINARY).filter(|name| !name.starts_with('f')) {
            let left = self.operand()?;
            let right = self.second(&left)?;
            (left.ty.clone(), Action::Binary(name, flags, left, right))
        } else if let Some(name) = named(&["zext", "sext", "trunc", "bitcast"]) {
            let of = self.operand()?;
            self.expect("to")?;
            let to = self.ty()?;
            (to.clone(), Action::Cast(name, flags, of, to))
        } else {
            self.other(word, flags, refused)?
        };
        Ok(Some(Instruction { result: result.filter(|_| ty != Type::Void), ty, action, place }))
    }

    fn other(&mut self, word: &str, flags: Flags, refused: impl Fn() -> Fault) -> Read<(Type, Action)> {
        Ok(match word {
            "icmp" => {
                let place = self.place();
                let predicate = self.take(Kind::Word, "a predicate")?;
                let predicate = Names::PREDICATES.iter().copied().find(|name| *name == predicate);
                let predicate = predicate.ok_or_else(|| Fault::new(place, "no predicate of integers"))?;
                let left = self.operand()?;
                let right = self.second(&left)?;
                (left.ty.with_element(Scalar::Integer(1)), Action::Compare(predicate, flags, left, right))
            }
            "select" => {
                let condition = self.operand()?;
                let then = self.next_operand()?;
                let otherwise = self.next_operand()?;
                (then.ty.clone(), Action::Select(condition, then, otherwise))
            }
            "freeze" => {
                let of = self.operand()?;
                (of.ty.clone(), Action::Freeze(of))
            }
            "shufflevector" => {
                let (left, right) = (self.operand()?, self.next_operand()?);
                self.expect(",")?;
                let place = self.place();
                let mask = self.operand()?;
                let (Value::Constant(lanes), Some(element)) = (&mask.value, left.ty.element()) else {
                    return Err(Fault::new(place, "a mask that is no constant, or no vectors"));
                };
                let lane = |lane: &Element| match lane {
                    Element::Bits(bits) => bits.to_u64().and_then(|bits| u32::try_from(bits).ok()),
                    Element::Undef | Element::Poison => None,
                };
                (
                    mask.ty.with_element(element),
                    Action::Shuffle(left, right, lanes.iter().map(lane).collect()),
                )
            }
            "extractelement" => {
                let (vector, index) = (self.operand()?, self.next_operand()?);
                let element = vector.ty.element().ok_or_else(refused)?;
                (Type::Scalar(element), Action::ExtractElement(vector, index))
            }
            "insertelement" => {
                let (vector, element, index) = (self.operand()?, self.next_operand()?, self.next_operand()?);
                (vector.ty.clone(), Action::InsertElement(vector, element, index))
            }
            "extractvalue" => {
                let whole = self.operand()?;
                let indices = self.indices()?;
                let (_, ty) = part(&whole.ty, &indices).ok_or_else(refused)?;
                (ty, Action::ExtractValue(whole, indices))
            }
            "insertvalue" => {
                let (whole, value) = (self.operand()?, self.next_operand()?);
                let indices = self.indices()?;
                part(&whole.ty, &indices).ok_or_else(refused)?;
                (whole.ty.clone(), Action::InsertValue(whole, value, indices))
            }
            "tail" | "musttail" | "notail" => {
                self.expect("call")?;
                self.call()?
            }
            "call" => self.call()?,
            "phi" => {
                let ty = self.ty()?;
                let mut values = Vec::new();
                loop {
                    self.expect("[")?;
                    let value = self.value(&ty)?;
                    self.expect(",")?;
                    values.push((value, self.take(Kind::Local, "a label")?.to_owned()));
                    self.expect("]")?;
                    let more = self.is(Kind::Sign, ",")
                        && self.tokens.get(self.at + 1).is_some_and(|next| next.text == "[");
                    if !more {
                        break;
                    }
                    self.at += 1;
                }
                (ty, Action::Phi(values))
            }
            "br" if self.is(Kind::Word, "label") => (Type::Void, Action::Branch(self.label()?)),
            "br" => {
                let condition = self.operand()?;
                self.expect(",")?;
                let then = self.label()?;
                self.expect(",")?;
                (Type::Void, Action::If(condition, then, self.label()?))
            }
            "switch" => {
                let on = self.operand()?;
                self.expect(",")?;
                let default = self.label()?;
                self.expect("[")?;
                let mut cases = Vec::new();
                loop {
                    self.newlines();
                    if self.eat("]") {
                        break;
                    }
                    let ty = self.ty()?;
                    let value = self.bits(&ty)?;
                    self.expect(",")?;
                    cases.push((value, self.label()?));
                }
                (Type::Void, Action::Switch(on, default, cases))
            }
            "ret" if self.eat("void") => (Type::Void, Action::Return(None)),
            "ret" => (Type::Void, Action::Return(Some(self.operand()?))),
            "unreachable" => (Type::Void, Action::Unreachable),
            "load" if self.memory => {
                let ty = self.ty()?;
                let from = self.next_operand()?;
                let align = self.aligned(&ty)?;
                (ty, Action::Load(from, align))
            }
            "store" if self.memory => {
                let of = self.operand()?;
                let to = self.next_operand()?;
                let align = self.aligned(&of.ty)?;
                (Type::Void, Action::Store(of, to, align))
            }
            "getelementptr" if self.memory => (Type::Pointer, self.offset(flags.nuw)?),
            "alloca" if self.memory => {
                let ty = self.ty()?;
                let bytes = self.stride(&ty)?;
                (Type::Pointer, Action::Allocate(bytes, self.aligned(&ty)?))
            }
            _ => return Err(refused()),
        })
    }

    fn call(&mut self) -> Read<(Type, Action)> {
        let attributes = self.attributes()?;
        let result = self.ty()?;
        let place = self.place();
        let function = self.take(Kind::Global, "a function's name")?.to_owned();
        self.expect("(")?;
        let mut arguments: Vec<(Operand, Vec<Attribute>)> = Vec::new();
        while !self.eat(")") {
            if !arguments.is_empty() {
                self.expect(",")?;
            }
            let ty = self.ty()?;
            let is_pointer = self.memory && ty == Type::Pointer && Self::is_of_memory(&function);
            if elements(&ty).is_none() && !is_pointer {
                return Err(Fault::new(place, format!("@{function} is outside of what is modelled")));
            }
            let attributes = self.attributes()?;
            let value = self.value(&ty)?;
            arguments.push((Operand { ty, value }, attributes));
        }
        if self.peek().is_some_and(|token| token.kind == Kind::Group) {
            self.at += 1;
        }
        Ok((result, Action::Call { function, arguments, attributes }))
    }
}

/// The first element of a part of a structure or array, and the part's type.
pub fn part(ty: &Type, indices: &[u32]) -> Option<(usize, Type)> {
    let (mut first, mut ty) = (0, ty.clone());
    for index in indices {
        let index = *index as usize;
        ty = match ty {
            Type::Structure(parts) => {
                for before in parts.get(..index)? {
                    first += elements(before)?.len();
                }
                parts.get(index)?.clone()
            }
            Type::Array(count, part) if index < count as usize => {
                first += index * elements(&part)?.len();
                *part
            }
            _ => return None,
        };
    }
    Some((first, ty))
}
