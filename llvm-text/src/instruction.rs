//! Instructions, with labels and terminators.

use std::fmt;

use crate::read::{split_list, split_locals};
use crate::types::{Scalar, Type};
use crate::value::{Operand, Value};

/// An instruction without the name of its result, as a function's line has it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Instruction {
    /// `add <4 x i32> %a, %b`
    Binary {
        /// One of [`Instruction::BINARY`].
        operator: &'static str,
        /// The type of both operands and the result.
        ty: Type,
        /// The first operand.
        left: Value,
        /// The second operand.
        right: Value,
    },
    /// `icmp eq <4 x i32> %a, %b`
    Compare {
        /// One of [`Instruction::PREDICATES`].
        predicate: &'static str,
        /// The type of both operands.
        ty: Type,
        /// The first operand.
        left: Value,
        /// The second operand.
        right: Value,
    },
    /// `fcmp olt <4 x float> %a, %b`
    CompareFloats {
        /// One of [`Instruction::FLOAT_PREDICATES`].
        predicate: &'static str,
        /// The type of both operands.
        ty: Type,
        /// The first operand.
        left: Value,
        /// The second operand.
        right: Value,
    },
    /// `zext i8 %a to i32`
    Cast {
        /// One of [`Instruction::CASTS`].
        operator: &'static str,
        /// What is converted.
        of: Operand,
        /// The result's type.
        to: Type,
    },
    /// `select i1 %c, i8 %a, i8 %b`
    Select {
        /// A bit, or one for each element.
        condition: Operand,
        /// The value where it is 1.
        then: Operand,
        /// The value where it is 0.
        otherwise: Operand,
    },
    /// `shufflevector <2 x i8> %a, <2 x i8> %b, <2 x i32> <i32 0, i32 3>`
    Shuffle {
        /// The elements from 0 on.
        left: Operand,
        /// The elements after them.
        right: Operand,
        /// For each element of the result the position of the one that it is.
        mask: Operand,
    },
    /// `extractelement <2 x i8> %a, i64 0`
    ExtractElement {
        /// The vector.
        vector: Operand,
        /// The element's position.
        index: Operand,
    },
    /// `insertelement <2 x i8> %a, i8 %b, i64 0`
    InsertElement {
        /// The vector.
        vector: Operand,
        /// The new element.
        element: Operand,
        /// Its position.
        index: Operand,
    },
    /// `extractvalue { i8, i1 } %a, 0`
    ExtractValue {
        /// The structure or array.
        whole: Operand,
        /// The part's position on each level.
        indices: Vec<u32>,
    },
    /// `insertvalue { i8, i1 } %a, i8 %b, 0`
    InsertValue {
        /// The structure or array.
        whole: Operand,
        /// The new part.
        part: Operand,
        /// Its position on each level.
        indices: Vec<u32>,
    },
    /// `call i8 @f(i8 %a)`
    Call {
        /// The type of the result.
        result: Type,
        /// The function's name without `@`, in quotes if it needs some.
        function: String,
        /// The arguments.
        arguments: Vec<Operand>,
    },
    /// `call i8 asm sideeffect "", "=r"()`: leaves values in registers, or takes them from there.
    Registers {
        /// The type of the result.
        result: Type,
        /// The constraint, which names registers.
        constraint: String,
        /// The arguments.
        arguments: Vec<Operand>,
    },
    /// `load i8, ptr %p, align 1`
    Load {
        /// The type of what is read.
        ty: Type,
        /// The address.
        pointer: Value,
        /// What the address is a multiple of in bytes, unless that follows from the type.
        align: Option<u32>,
    },
    /// `store i8 %a, ptr %p, align 1`
    Store {
        /// What is written.
        of: Operand,
        /// The address.
        pointer: Value,
        /// What the address is a multiple of in bytes, unless that follows from the type.
        align: Option<u32>,
    },
    /// `getelementptr i8, ptr %p, i32 4`
    ElementPointer {
        /// The type of an element.
        element: Type,
        /// The address of the first one.
        base: Value,
        /// The number of the element.
        index: Operand,
    },
    /// `phi i8 [ %a, %b0 ], [ %b, %b1 ]`
    Phi {
        /// The type.
        ty: Type,
        /// For each block before this one the value and the block's label.
        values: Vec<(Value, String)>,
    },
    /// `b0:`
    Label(String),
    /// `br label %b0`
    Branch(String),
    /// `switch i32 %a, label %none [ … ]`, over several lines
    Switch {
        /// What decides.
        on: Operand,
        /// The label for all other values.
        default: String,
        /// The values with their labels.
        cases: Vec<(i64, String)>,
    },
    /// `ret i8 %a`, or `ret void`
    Return(Option<Operand>),
    /// `unreachable`
    Unreachable,
    /// Anything else, in its text.
    Other(String),
}

impl Instruction {
    /// The operators of two operands of one type.
    pub const BINARY: &[&str] = &[
        "add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "and", "or", "xor",
        "fadd", "fsub", "fmul", "fdiv",
    ];

    /// The conversions of bits and integers.
    pub const CASTS: &[&str] =
        &["bitcast", "zext", "sext", "trunc", "fptrunc", "fpext", "fptoui", "fptosi", "uitofp", "sitofp"];

    /// The predicates of comparisons of integers, in the order of their numbers in MLIR.
    pub const PREDICATES: &[&str] = &["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"];

    /// The predicates of comparisons of floating-point numbers, in the order of their numbers in MLIR.
    pub const FLOAT_PREDICATES: &[&str] = &[
        "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une",
        "uno", "true",
    ];

    /// An operator of two operands of one type.
    pub fn binary(operator: &'static str, ty: Type, left: Value, right: Value) -> Self {
        debug_assert!(Self::BINARY.contains(&operator), "{operator}");
        Self::Binary { operator, ty, left, right }
    }

    /// A comparison of integers.
    pub fn compare(predicate: &'static str, ty: Type, left: Value, right: Value) -> Self {
        debug_assert!(Self::PREDICATES.contains(&predicate), "{predicate}");
        Self::Compare { predicate, ty, left, right }
    }

    /// A comparison of floating-point numbers.
    pub fn compare_floats(predicate: &'static str, ty: Type, left: Value, right: Value) -> Self {
        debug_assert!(Self::FLOAT_PREDICATES.contains(&predicate), "{predicate}");
        Self::CompareFloats { predicate, ty, left, right }
    }

    /// A conversion.
    pub fn cast(operator: &'static str, of: Operand, to: Type) -> Self {
        debug_assert!(Self::CASTS.contains(&operator), "{operator}");
        Self::Cast { operator, of, to }
    }

    /// Elements of two vectors of one type; an element of the result without a lane is poison.
    pub fn shuffle(left: Operand, right: Value, lanes: impl IntoIterator<Item = Option<u32>>) -> Self {
        let right = Operand::new(left.ty.clone(), right);
        Self::Shuffle { left, right, mask: Operand::mask(lanes) }
    }

    /// A call.
    pub fn call(result: Type, function: impl Into<String>, arguments: Vec<Operand>) -> Self {
        Self::Call { result, function: function.into(), arguments }
    }

    /// The part of a structure or array at a position.
    pub fn extract_value(whole: Operand, index: u32) -> Self {
        Self::ExtractValue { whole, indices: vec![index] }
    }

    /// A structure or array with another part at a position.
    pub fn insert_value(whole: Operand, part: Operand, index: u32) -> Self {
        Self::InsertValue { whole, part, indices: vec![index] }
    }

    /// The type of the result; `None` if it has none, or if that is unknown.
    pub fn result_type(&self) -> Option<Type> {
        match self {
            Self::Binary { ty, .. } | Self::Load { ty, .. } | Self::Phi { ty, .. } => Some(ty.clone()),
            Self::Compare { ty, .. } | Self::CompareFloats { ty, .. } => {
                Some(ty.with_element(Scalar::Integer(1)))
            }
            Self::Cast { to, .. } => Some(to.clone()),
            Self::Select { then, .. } => Some(then.ty.clone()),
            Self::Shuffle { left, mask, .. } => Some(mask.ty.with_element(left.ty.element()?)),
            Self::ExtractElement { vector, .. } => Some(Type::Scalar(vector.ty.element()?)),
            Self::InsertElement { vector, .. } => Some(vector.ty.clone()),
            Self::ExtractValue { whole, indices } => {
                let mut ty = &whole.ty;
                for index in indices {
                    ty = match ty {
                        Type::Structure(parts) => parts.get(*index as usize)?,
                        Type::Array(_, part) => part,
                        _ => return None,
                    };
                }
                Some(ty.clone())
            }
            Self::InsertValue { whole, .. } => Some(whole.ty.clone()),
            Self::Call { result, .. } | Self::Registers { result, .. } => {
                Some(result.clone()).filter(|result| *result != Type::Void)
            }
            Self::ElementPointer { .. } => Some(Type::Pointer),
            Self::Store { .. } | Self::Return(_) | Self::Unreachable | Self::Other(_) => None,
            Self::Label(_) | Self::Branch(_) | Self::Switch { .. } => None,
        }
    }

    /// The values that it reads, in the order of its text; not those of [`Instruction::Other`].
    fn operands(&self) -> Vec<&Value> {
        match self {
            Self::Binary { left, right, .. }
            | Self::Compare { left, right, .. }
            | Self::CompareFloats { left, right, .. } => vec![left, right],
            Self::Cast { of, .. } => vec![&of.value],
            Self::Select { condition: a, then: b, otherwise: c }
            | Self::Shuffle { left: a, right: b, mask: c }
            | Self::InsertElement { vector: a, element: b, index: c } => {
                vec![&a.value, &b.value, &c.value]
            }
            Self::ExtractElement { vector, index } => vec![&vector.value, &index.value],
            Self::ExtractValue { whole, .. } => vec![&whole.value],
            Self::InsertValue { whole, part, .. } => vec![&whole.value, &part.value],
            Self::Call { arguments, .. } | Self::Registers { arguments, .. } => {
                arguments.iter().map(|argument| &argument.value).collect()
            }
            Self::Load { pointer, .. } => vec![pointer],
            Self::Store { of, pointer, .. } => vec![&of.value, pointer],
            Self::ElementPointer { base, index, .. } => vec![base, &index.value],
            Self::Phi { values, .. } => values.iter().map(|(value, _)| value).collect(),
            Self::Switch { on, .. } => vec![&on.value],
            Self::Return(of) => of.iter().map(|of| &of.value).collect(),
            Self::Label(_) | Self::Branch(_) | Self::Unreachable | Self::Other(_) => Vec::new(),
        }
    }

    fn operands_mut(&mut self) -> Vec<&mut Value> {
        match self {
            Self::Binary { left, right, .. }
            | Self::Compare { left, right, .. }
            | Self::CompareFloats { left, right, .. } => vec![left, right],
            Self::Cast { of, .. } => vec![&mut of.value],
            Self::Select { condition: a, then: b, otherwise: c }
            | Self::Shuffle { left: a, right: b, mask: c }
            | Self::InsertElement { vector: a, element: b, index: c } => {
                vec![&mut a.value, &mut b.value, &mut c.value]
            }
            Self::ExtractElement { vector, index } => vec![&mut vector.value, &mut index.value],
            Self::ExtractValue { whole, .. } => vec![&mut whole.value],
            Self::InsertValue { whole, part, .. } => vec![&mut whole.value, &mut part.value],
            Self::Call { arguments, .. } | Self::Registers { arguments, .. } => {
                arguments.iter_mut().map(|argument| &mut argument.value).collect()
            }
            Self::Load { pointer, .. } => vec![pointer],
            Self::Store { of, pointer, .. } => vec![&mut of.value, pointer],
            Self::ElementPointer { base, index, .. } => vec![base, &mut index.value],
            Self::Phi { values, .. } => values.iter_mut().map(|(value, _)| value).collect(),
            Self::Switch { on, .. } => vec![&mut on.value],
            Self::Return(of) => of.iter_mut().map(|of| &mut of.value).collect(),
            Self::Label(_) | Self::Branch(_) | Self::Unreachable | Self::Other(_) => Vec::new(),
        }
    }

    /// The parameters and results of other instructions that it reads, in the order of its text.
    pub fn locals(&self) -> Vec<Value> {
        if let Self::Other(text) = self {
            return split_locals(text).into_iter().skip(1).step_by(2).map(Value::read).collect();
        }
        let local = |value: &&Value| !matches!(value, Value::Constant(_));
        self.operands().into_iter().filter(local).cloned().collect()
    }

    /// Replaces each parameter and result that it reads.
    pub fn replace_locals(&mut self, mut replacement: impl FnMut(&Value) -> Value) {
        if let Self::Other(text) = self {
            let parts = split_locals(text).into_iter().enumerate();
            let replaced = parts.map(|(place, part)| match place % 2 {
                0 => part.to_owned(),
                _ => replacement(&Value::read(part)).to_string(),
            });
            *text = replaced.collect();
            return;
        }
        for value in self.operands_mut() {
            if !matches!(value, Value::Constant(_)) {
                *value = replacement(value);
            }
        }
    }

    /// The instruction that is printed as `text`; [`Instruction::Other`] unless it is one of those that are read.
    pub fn read(text: &str) -> Self {
        let known = Self::known(text).filter(|known| known.to_string() == text);
        known.unwrap_or_else(|| Self::Other(text.to_owned()))
    }

    fn known(text: &str) -> Option<Self> {
        if let Some(label) = text.strip_suffix(':') {
            return Some(Self::Label(label.to_owned()));
        }
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        let listed = |words: &[&'static str], word: &str| words.iter().copied().find(|known| *known == word);
        if let Some(operator) = listed(Self::BINARY, word) {
            let (ty, left, right) = pair(rest)?;
            return Some(Self::Binary { operator, ty, left, right });
        }
        if let Some(operator) = listed(Self::CASTS, word) {
            let (of, to) = rest.rsplit_once(" to ")?;
            return Some(Self::Cast { operator, of: Operand::read(of)?, to: to.parse().ok()? });
        }
        let operands = || split_list(rest).into_iter().map(Operand::read).collect::<Option<Vec<_>>>();
        match word {
            "icmp" => {
                let (predicate, rest) = rest.split_once(' ')?;
                let (ty, left, right) = pair(rest)?;
                Some(Self::Compare { predicate: listed(Self::PREDICATES, predicate)?, ty, left, right })
            }
            "fcmp" => {
                let (predicate, rest) = rest.split_once(' ')?;
                let (ty, left, right) = pair(rest)?;
                let predicate = listed(Self::FLOAT_PREDICATES, predicate)?;
                Some(Self::CompareFloats { predicate, ty, left, right })
            }
            "select" => {
                let [condition, then, otherwise] = operands()?.try_into().ok()?;
                Some(Self::Select { condition, then, otherwise })
            }
            "shufflevector" => {
                let [left, right, mask] = operands()?.try_into().ok()?;
                Some(Self::Shuffle { left, right, mask })
            }
            "extractelement" => {
                let [vector, index] = operands()?.try_into().ok()?;
                Some(Self::ExtractElement { vector, index })
            }
            "insertelement" => {
                let [vector, element, index] = operands()?.try_into().ok()?;
                Some(Self::InsertElement { vector, element, index })
            }
            "extractvalue" => {
                let list = split_list(rest);
                let (whole, indices) = list.split_first()?;
                Some(Self::ExtractValue { whole: Operand::read(whole)?, indices: numbers(indices)? })
            }
            "insertvalue" => match split_list(rest).as_slice() {
                [whole, part, indices @ ..] => Some(Self::InsertValue {
                    whole: Operand::read(whole)?,
                    part: Operand::read(part)?,
                    indices: numbers(indices)?,
                }),
                _ => None,
            },
            "call" => {
                let (result, callee) = Type::read(rest)?;
                let (function, arguments) = callee.strip_prefix(" @")?.strip_suffix(')')?.split_once('(')?;
                let arguments = split_list(arguments).into_iter().map(Operand::read);
                Some(Self::call(result, function, arguments.collect::<Option<_>>()?))
            }
            "ret" if rest == "void" => Some(Self::Return(None)),
            "ret" => Some(Self::Return(Some(Operand::read(rest)?))),
            "unreachable" => Some(Self::Unreachable),
            _ => None,
        }
    }
}

/// A type and two values of it.
fn pair(text: &str) -> Option<(Type, Value, Value)> {
    let (ty, values) = Type::read(text)?;
    let [left, right] = split_list(values).try_into().ok()?;
    Some((ty, Value::read(left), Value::read(right)))
}

fn numbers(texts: &[&str]) -> Option<Vec<u32>> {
    texts.iter().map(|text| text.parse().ok()).collect()
}

/// Parts with commas between them.
struct List<'a, T>(&'a [T]);

impl<T: fmt::Display> fmt::Display for List<'_, T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, part) in self.0.iter().enumerate() {
            let separator = if position == 0 { "" } else { ", " };
            write!(out, "{separator}{part}")?;
        }
        Ok(())
    }
}

/// Operands as parameters or arguments.
pub(crate) fn list(operands: &[Operand]) -> impl fmt::Display {
    List(operands)
}

impl fmt::Display for Instruction {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let aligned =
            |align: &Option<u32>| align.map_or_else(String::new, |align| format!(", align {align}"));
        match self {
            Self::Binary { operator, ty, left, right } => write!(out, "{operator} {ty} {left}, {right}"),
            Self::Compare { predicate, ty, left, right } => {
                write!(out, "icmp {predicate} {ty} {left}, {right}")
            }
            Self::CompareFloats { predicate, ty, left, right } => {
                write!(out, "fcmp {predicate} {ty} {left}, {right}")
            }
            Self::Cast { operator, of, to } => write!(out, "{operator} {of} to {to}"),
            Self::Select { condition, then, otherwise } => {
                write!(out, "select {condition}, {then}, {otherwise}")
            }
            Self::Shuffle { left, right, mask } => write!(out, "shufflevector {left}, {right}, {mask}"),
            Self::ExtractElement { vector, index } => write!(out, "extractelement {vector}, {index}"),
            Self::InsertElement { vector, element, index } => {
                write!(out, "insertelement {vector}, {element}, {index}")
            }
            Self::ExtractValue { whole, indices } => write!(out, "extractvalue {whole}, {}", List(indices)),
            Self::InsertValue { whole, part, indices } => {
                write!(out, "insertvalue {whole}, {part}, {}", List(indices))
            }
            Self::Call { result, function, arguments } => {
                write!(out, "call {result} @{function}({})", List(arguments))
            }
            Self::Registers { result, constraint, arguments } => {
                write!(out, "call {result} asm sideeffect \"\", \"{constraint}\"({})", List(arguments))
            }
            Self::Load { ty, pointer, align } => write!(out, "load {ty}, ptr {pointer}{}", aligned(align)),
            Self::Store { of, pointer, align } => write!(out, "store {of}, ptr {pointer}{}", aligned(align)),
            Self::ElementPointer { element, base, index } => {
                write!(out, "getelementptr {element}, ptr {base}, {index}")
            }
            Self::Phi { ty, values } => {
                let values: Vec<String> =
                    values.iter().map(|(value, label)| format!("[ {value}, %{label} ]")).collect();
                write!(out, "phi {ty} {}", List(&values))
            }
            Self::Label(label) => write!(out, "{label}:"),
            Self::Branch(label) => write!(out, "br label %{label}"),
            Self::Switch { on, default, cases } => {
                writeln!(out, "switch {on}, label %{default} [")?;
                for (value, label) in cases {
                    writeln!(out, "    {} {value}, label %{label}", on.ty)?;
                }
                out.write_str("  ]")
            }
            Self::Return(None) => out.write_str("ret void"),
            Self::Return(Some(of)) => write!(out, "ret {of}"),
            Self::Unreachable => out.write_str("unreachable"),
            Self::Other(text) => out.write_str(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::types::tests::types;

    /// A line of each kind that is read, with the type of its result.
    const LINES: &[(&str, &str)] = &[
        ("add <4 x i32> %a, %0", "<4 x i32>"),
        ("xor <2 x i8> %a, <i8 -1, i8 -1>", "<2 x i8>"),
        ("icmp slt <4 x i32> %a, zeroinitializer", "<4 x i1>"),
        ("icmp eq i64 %a, 0", "i1"),
        ("fcmp olt <4 x float> %a, %b", "<4 x i1>"),
        ("bitcast <4 x float> %a to <2 x i64>", "<2 x i64>"),
        ("select <2 x i1> %c, <2 x i8> %a, <2 x i8> poison", "<2 x i8>"),
        ("shufflevector <2 x i8> %a, <2 x i8> %b, <3 x i32> <i32 0, i32 poison, i32 3>", "<3 x i8>"),
        ("shufflevector <2 x i8> %a, <2 x i8> %b, <3 x i32> zeroinitializer", "<3 x i8>"),
        ("extractelement <2 x half> %a, i64 1", "half"),
        ("insertelement <2 x half> %a, half %b, i64 1", "<2 x half>"),
        ("extractvalue { i8, [2 x <2 x i8>] } %a, 1, 0", "<2 x i8>"),
        ("insertvalue [2 x <2 x i8>] poison, <2 x i8> %b, 1", "[2 x <2 x i8>]"),
        ("call <2 x i8> @llvm.abs.v2i8(<2 x i8> %a, i1 false)", "<2 x i8>"),
    ];

    #[test]
    fn lines_are_read_with_their_types() {
        for (line, ty) in LINES {
            let read = Instruction::read(line);
            assert!(!matches!(read, Instruction::Other(_)), "{line}");
            assert_eq!(read.to_string(), *line);
            assert_eq!(read.result_type(), Some(ty.parse().unwrap()), "{line}");
        }
        for line in ["ret void", "ret i8 %a", "unreachable", "b0:"] {
            let read = Instruction::read(line);
            assert!(!matches!(read, Instruction::Other(_)) && read.result_type().is_none());
            assert_eq!(read.to_string(), line);
        }
    }

    #[test]
    fn other_lines_stay_as_they_are() {
        for line in [
            "add nsw i8 %a, %b",
            "freeze i8 %a",
            "call i8 %f(i8 %a)",
            "fcmp fast oeq float %a, %b",
            "add i8 %a",
        ] {
            assert_eq!(Instruction::read(line), Instruction::Other(line.to_owned()));
        }
    }

    #[test]
    fn locals_are_found_and_replaced() {
        for (line, _) in LINES.iter().chain(&[("freeze i8 %a, %b.c", ""), ("ret i8 %a", "")]) {
            let mut read = Instruction::read(line);
            let found = read.locals();
            let signs = line.matches('%').count();
            assert_eq!(found.len(), signs, "{line}");
            read.replace_locals(|value| {
                Value::local(format!("{}x", value.to_string().trim_start_matches('%')))
            });
            let expected: Vec<String> = found.iter().map(|value| format!("{value}x")).collect();
            assert_eq!(read.locals().iter().map(Value::to_string).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn what_is_only_written() {
        let pointer = Value::local("p");
        let load = Instruction::Load { ty: Type::integer(8), pointer: pointer.clone(), align: Some(1) };
        assert_eq!(load.to_string(), "load i8, ptr %p, align 1");
        let of = Operand::new(Type::integer(8), Value::local("a"));
        let store = Instruction::Store { of: of.clone(), pointer, align: None };
        assert_eq!(store.to_string(), "store i8 %a, ptr %p");
        let cases = vec![(0, "a".to_owned()), (-1, "b".to_owned())];
        let switch = Instruction::Switch { on: of, default: "none".to_owned(), cases };
        let text = "switch i8 %a, label %none [\n    i8 0, label %a\n    i8 -1, label %b\n  ]";
        assert_eq!(switch.to_string(), text);
    }

    proptest! {
        #[test]
        fn what_is_printed_is_read(from in types(), to in types(), left: u16, right in "[a-z][a-z0-9._]{0,6}") {
            let (left, right) = (Value::Numbered(left.into()), Value::local(right));
            let operand = Operand::new(from.clone(), left.clone());
            let all = [
                Instruction::binary("or", from.clone(), left.clone(), right.clone()),
                Instruction::compare("uge", from.clone(), left, right.clone()),
                Instruction::cast("sext", operand.clone(), to.clone()),
                Instruction::insert_value(operand.clone(), Operand::new(to.clone(), right), 3),
                Instruction::call(to, "f.1", vec![operand.clone(), operand.clone()]),
                Instruction::Return(Some(operand)),
            ];
            for instruction in all {
                prop_assert_eq!(Instruction::read(&instruction.to_string()), instruction);
            }
        }

        #[test]
        fn any_line_is_read_without_a_panic(line in "(add|icmp|ret|call|select|bitcast|insertvalue) [<>{}i0-9a-z%@(), =]{0,24}") {
            prop_assert_eq!(Instruction::read(&line).to_string(), line);
        }
    }
}
