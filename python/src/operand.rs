//! Operands: what an instruction takes and gives.

use std::fmt::{self, Display, Formatter};

use catalog::{Argument, Kind};
use hydride::Entry;
use pyo3::prelude::*;

/// The elements of a vector or a scalar.
#[pyclass(module = "hydride", frozen, eq, hash, get_all)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Element {
    /// `int`, `uint` or `float`.
    kind: &'static str,
    /// Width in bits.
    width: u32,
}

#[pymethods]
impl Element {
    fn __str__(&self) -> String {
        self.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<Element {self}>")
    }
}

impl Display for Element {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.kind, self.width)
    }
}

/// An argument or a result.
#[pyclass(module = "hydride", frozen, eq, hash, get_all)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Operand {
    /// The document's name for it.
    name: String,
    /// The type in C.
    c_type: String,
    /// `vector`, `mask`, `scalar` or `immediate`.
    kind: &'static str,
    /// Width in bits.
    width: u32,
    /// The elements of a vector, element 0 in the least significant bits; of anything else the only one.
    element: Element,
    /// The least and the greatest documented value of an immediate.
    range: Option<(i64, i64)>,
}

/// The width in bits of the widest numbers of NumPy that are used.
const WIDEST: u32 = 64;

impl Operand {
    /// An operand; `integer` is how the function uses it. Its elements have the documented width, are floating-point
    /// numbers where the document says so, and have the sign that the function gives them. Where nothing is known of
    /// them, or NumPy has no such numbers, a vector is in bytes; so is a number of more than 64 bits.
    fn new(argument: &Argument, integer: Option<catalog::Element>) -> Self {
        let kind = match argument.kind {
            Kind::Scalar if argument.width <= WIDEST => "scalar",
            // What is at a pointer is passed by value.
            Kind::Vector | Kind::Scalar | Kind::Memory { .. } => "vector",
            Kind::Mask => "mask",
            Kind::Immediate(_) => "immediate",
        };
        // A word that holds several elements is one number.
        let fits = |element: &catalog::Element| match kind {
            "vector" => element.width <= WIDEST,
            "scalar" => element.width == argument.width,
            _ => false,
        };
        let element = match (argument.element.filter(fits), integer.filter(fits)) {
            (Some(documented), Some(integer)) if !documented.float && documented.width == integer.width => {
                integer
            }
            (Some(known), _) | (None, Some(known)) => known,
            (None, None) => {
                let width = if kind == "vector" { 8 } else { argument.width };
                catalog::Element { width, signed: false, float: false }
            }
        };
        Self {
            name: argument.name.clone(),
            c_type: argument.c_type.clone(),
            kind,
            width: argument.width,
            element: Element::new(element),
            range: argument.immediate(),
        }
    }
}

impl Element {
    fn new(element: catalog::Element) -> Self {
        let kind = match element {
            catalog::Element { float: true, .. } => "float",
            catalog::Element { signed: true, .. } => "int",
            _ => "uint",
        };
        Self { kind, width: element.width }
    }
}

/// The operands of an instruction.
pub struct Signature {
    /// Arguments in the order of the C function.
    pub args: Vec<Operand>,
    /// Results.
    pub results: Vec<Operand>,
}

impl Signature {
    /// What an instruction takes and gives.
    pub fn new(entry: &Entry<'_>) -> Self {
        let Entry { instruction, canonical, .. } = *entry;
        let signature = &instruction.signature;
        let function = canonical.unwrap_or(&instruction.function);
        let (args, results) = codegen_gen::integers(function, signature).map(Into::into).unzip();
        Self { args: operands(&signature.args, args), results: operands(&signature.results, results) }
    }
}

fn operands(arguments: &[Argument], integers: Option<Vec<catalog::Element>>) -> Vec<Operand> {
    let mut integers = integers.unwrap_or_default().into_iter();
    arguments.iter().map(|argument| Operand::new(argument, integers.next())).collect()
}

#[pymethods]
impl Operand {
    /// The number of elements.
    #[getter]
    fn lanes(&self) -> u32 {
        self.width / self.element.width.max(1)
    }

    fn __str__(&self) -> String {
        self.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<Operand {self}>")
    }
}

impl Display for Operand {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { name, kind, element, width, .. } = self;
        match (*kind, self.range) {
            (_, Some((low, high))) => write!(f, "{name}: {low}..={high}"),
            ("vector", None) => write!(f, "{name}: {} x {element}", self.lanes()),
            ("mask", None) => write!(f, "{name}: {width} x bool"),
            _ => write!(f, "{name}: {element}"),
        }
    }
}
