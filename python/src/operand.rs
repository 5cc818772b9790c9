//! Operands: what an instruction takes and gives.

use std::fmt::{self, Display, Formatter};

use catalog::{Argument, Kind};
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

impl Operand {
    /// An operand as its document describes it. Elements of which the document says nothing are unsigned, and bytes in
    /// a vector; a scalar that holds several of them is one unsigned number.
    pub fn new(argument: &Argument) -> Self {
        let kind = match argument.kind {
            Kind::Vector => "vector",
            Kind::Mask => "mask",
            Kind::Scalar => "scalar",
            Kind::Immediate(_) => "immediate",
        };
        let is_vector = argument.kind == Kind::Vector;
        let documented = argument.element.filter(|element| is_vector || element.width == argument.width);
        let element = match documented {
            Some(element) if element.float => Element { kind: "float", width: element.width },
            Some(element) if element.signed => Element { kind: "int", width: element.width },
            Some(element) => Element { kind: "uint", width: element.width },
            None if is_vector => Element { kind: "uint", width: 8 },
            None => Element { kind: "uint", width: argument.width },
        };
        Self {
            name: argument.name.clone(),
            c_type: argument.c_type.clone(),
            kind,
            width: argument.width,
            element,
            range: argument.immediate(),
        }
    }

    /// All operands of a list.
    pub fn all(arguments: &[Argument]) -> Vec<Self> {
        arguments.iter().map(Self::new).collect()
    }
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
