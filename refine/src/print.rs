//! Functions as text, which the reader reads back.

use std::fmt::{self, Write as _};

use hydride_ir::Bits;
use llvm_text::Type;

use crate::ast::{Action, Attribute, Body, Element, Flags, Instruction, Operand, Value, elements};
use crate::token::is_name;

/// A name as it stands after `%` or `@`.
pub fn name(text: &str) -> String {
    let plain = !text.is_empty() && text.bytes().all(is_name);
    if plain { text.to_owned() } else { format!("\"{text}\"") }
}

fn number(bits: &Bits) -> String {
    let width = bits.width();
    if width == 1 {
        return bits.bit(0).to_string();
    }
    if width > 128 {
        return format!("u0x{bits:x}");
    }
    let low = bits.words().iter().zip([0, 64]).fold(0u128, |all, (word, by)| all | u128::from(*word) << by);
    let shift = 128 - width;
    ((low << shift).cast_signed() >> shift).to_string()
}

/// A constant without its type.
fn constant(ty: &Type, parts: &[Element]) -> String {
    let all = |wanted: fn(&Element) -> bool| !parts.is_empty() && parts.iter().all(wanted);
    if all(|part| *part == Element::Undef) {
        return "undef".to_owned();
    }
    if all(|part| *part == Element::Poison) {
        return "poison".to_owned();
    }
    if let (Some(_), [Element::Bits(bits)]) = (ty.integer_width(), parts) {
        return number(bits);
    }
    if all(|part| matches!(part, Element::Bits(bits) if bits.words().iter().all(|word| *word == 0))) {
        return "zeroinitializer".to_owned();
    }
    let (open, close, types): (_, _, Vec<Type>) = match ty {
        Type::Vector(count, element) => {
            if parts.windows(2).all(|pair| pair[0] == pair[1]) && parts.len() > 1 {
                let one = Type::Scalar(*element);
                return format!("splat ({one} {})", constant(&one, &parts[..1]));
            }
            ("<", ">", vec![Type::Scalar(*element); *count as usize])
        }
        Type::Array(count, part) => ("[", "]", vec![(**part).clone(); *count as usize]),
        Type::Structure(parts) => ("{ ", " }", parts.clone()),
        _ => ("", "", Vec::new()),
    };
    let (mut at, mut all) = (0, Vec::new());
    for ty in types {
        let count = elements(&ty).map_or(0, |widths| widths.len());
        let own = parts.get(at..at + count).unwrap_or_default();
        all.push(format!("{ty} {}", constant(&ty, own)));
        at += count;
    }
    format!("{open}{}{close}", all.join(", "))
}

fn value(ty: &Type, value: &Value) -> String {
    match value {
        Value::Local(local) => format!("%{}", name(local)),
        Value::Constant(parts) => constant(ty, parts),
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.ty, value(&self.ty, &self.value))
    }
}

impl fmt::Display for Attribute {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Attribute::NoUndef => out.write_str("noundef"),
            Attribute::Range(low, high) => {
                write!(out, "range(i{} {}, {})", low.width(), number(low), number(high))
            }
            Attribute::KnownBits(zeros, ones) => {
                let bit = |at: u32| {
                    if zeros.bit(at) {
                        '0'
                    } else if ones.bit(at) {
                        '1'
                    } else {
                        'x'
                    }
                };
                let bits: String = (0..zeros.width()).rev().map(bit).collect();
                write!(out, "\"known-bits\"=\"{bits}\"")
            }
            Attribute::NonNull => out.write_str("nonnull"),
            Attribute::Align(bytes) => write!(out, "align {bytes}"),
            Attribute::Dereferenceable(bytes) => write!(out, "dereferenceable({bytes})"),
            Attribute::NoAlias => out.write_str("noalias"),
        }
    }
}

fn attributes(all: &[Attribute]) -> String {
    all.iter().fold(String::new(), |text, one| format!("{text} {one}"))
}

fn flags(flags: Flags) -> String {
    let Flags { nuw, nsw, exact, disjoint, nneg, samesign } = flags;
    let all = [
        (nuw, "nuw"),
        (nsw, "nsw"),
        (exact, "exact"),
        (disjoint, "disjoint"),
        (nneg, "nneg"),
        (samesign, "samesign"),
    ];
    all.iter().filter(|(given, _)| *given).fold(String::new(), |text, (_, flag)| text + " " + flag)
}

fn positions(indices: &[u32]) -> String {
    indices.iter().fold(String::new(), |mut text, index| {
        let _ = write!(text, ", {index}");
        text
    })
}

impl fmt::Display for Instruction {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(result) = &self.result {
            write!(out, "%{} = ", name(result))?;
        }
        match &self.action {
            Action::Binary(operator, given, left, right) => {
                write!(out, "{operator}{} {left}, {}", flags(*given), value(&right.ty, &right.value))
            }
            Action::Compare(predicate, given, left, right) => {
                write!(out, "icmp{} {predicate} {left}, {}", flags(*given), value(&right.ty, &right.value))
            }
            Action::Cast(operator, given, of, to) => write!(out, "{operator}{} {of} to {to}", flags(*given)),
            Action::Select(condition, then, otherwise) => {
                write!(out, "select {condition}, {then}, {otherwise}")
            }
            Action::Freeze(of) => write!(out, "freeze {of}"),
            Action::Shuffle(left, right, mask) => {
                let lane =
                    |lane: &Option<u32>| lane.map_or("i32 poison".to_owned(), |lane| format!("i32 {lane}"));
                let lanes: Vec<String> = mask.iter().map(lane).collect();
                let count = mask.len();
                write!(out, "shufflevector {left}, {right}, <{count} x i32> <{}>", lanes.join(", "))
            }
            Action::ExtractElement(vector, index) => write!(out, "extractelement {vector}, {index}"),
            Action::InsertElement(vector, element, index) => {
                write!(out, "insertelement {vector}, {element}, {index}")
            }
            Action::ExtractValue(whole, indices) => write!(out, "extractvalue {whole}{}", positions(indices)),
            Action::InsertValue(whole, part, indices) => {
                write!(out, "insertvalue {whole}, {part}{}", positions(indices))
            }
            Action::Call { function, arguments, attributes: own } => {
                let argument = |(operand, given): &(Operand, Vec<Attribute>)| {
                    format!("{}{} {}", operand.ty, attributes(given), value(&operand.ty, &operand.value))
                };
                let arguments: Vec<String> = arguments.iter().map(argument).collect();
                write!(
                    out,
                    "call{} {} @{}({})",
                    attributes(own),
                    self.ty,
                    name(function),
                    arguments.join(", ")
                )
            }
            Action::Load(from, align) => write!(out, "load {}, {from}, align {align}", self.ty),
            Action::Store(of, to, align) => write!(out, "store {of}, {to}, align {align}"),
            Action::Offset(from, steps, in_bounds) => {
                let flag = if *in_bounds { " inbounds" } else { "" };
                // Steps of a size are elements of an array of bytes; several ones are nested arrays.
                let sizes = || steps.iter().map(|(_, size)| *size);
                let last = sizes().next_back().unwrap_or(1);
                let inner = sizes().rev().collect::<Vec<_>>();
                let ty = inner.windows(2).fold(format!("[{last} x i8]"), |ty, pair| {
                    format!("[{} x {ty}]", pair[1] / pair[0].max(1))
                });
                write!(out, "getelementptr{flag} {ty}, {from}")?;
                steps.iter().try_for_each(|(count, _)| write!(out, ", {count}"))
            }
            Action::Allocate(bytes, align) => write!(out, "alloca [{bytes} x i8], align {align}"),
            Action::Phi(ways) => {
                let way = |(from, label): &(Value, String)| {
                    format!("[ {}, %{} ]", value(&self.ty, from), name(label))
                };
                let ways: Vec<String> = ways.iter().map(way).collect();
                write!(out, "phi {} {}", self.ty, ways.join(", "))
            }
            Action::Branch(to) => write!(out, "br label %{}", name(to)),
            Action::If(condition, then, otherwise) => {
                write!(out, "br {condition}, label %{}, label %{}", name(then), name(otherwise))
            }
            Action::Switch(on, default, cases) => {
                write!(out, "switch {on}, label %{} [", name(default))?;
                for (case, label) in cases {
                    write!(out, " {} {}, label %{}", on.ty, number(case), name(label))?;
                }
                out.write_str(" ]")
            }
            Action::Return(None) => out.write_str("ret void"),
            Action::Return(Some(of)) => write!(out, "ret {of}"),
            Action::Unreachable => out.write_str("unreachable"),
        }
    }
}

impl Body {
    /// The definition of a function of that name.
    ///
    /// ```
    /// let text = "define i8 @f(i8 %a) {\nentry:\n  %b = add nsw i8 %a, -1\n  ret i8 %b\n}\n";
    /// let module = refine::Module::parse(text)?;
    /// assert_eq!(module.functions[0].body.as_ref().unwrap().text("f"), text);
    /// # Ok::<(), refine::Fault>(())
    /// ```
    pub fn text(&self, function: &str) -> String {
        let parameters: Vec<String> = self
            .parameters
            .iter()
            .map(|own| format!("{}{} %{}", own.ty, attributes(&own.attributes), name(&own.name)))
            .collect();
        let own = attributes(&self.attributes);
        let head = format!("{own} {} @{}({})", self.result, name(function), parameters.join(", "));
        let mut text = format!("define{head} {{\n");
        for block in &self.blocks {
            let _ = writeln!(text, "{}:", name(&block.label));
            for instruction in &block.instructions {
                let _ = writeln!(text, "  {instruction}");
            }
        }
        text + "}\n"
    }
}
