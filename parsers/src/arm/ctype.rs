//! The C types of the intrinsics.

use crate::{Argument, Element, Immediate, Kind};

/// A C type: `int16x4x2_t` has `count` 2 vectors of 4 `lanes` of 16 bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CType {
    /// Width of an element in bits.
    pub element: u32,
    /// Elements of a vector; 1 for scalars.
    pub lanes: u32,
    /// Vectors of a tuple; 1 for anything else.
    pub count: u32,
    /// Whether it is a vector or tuple of vectors.
    pub vector: bool,
    /// Whether elements are read as two's complement.
    pub signed: bool,
    /// Whether elements are floating-point numbers.
    pub float: bool,
}

impl CType {
    /// Reads `int8x8_t`, `uint64_t`, `poly8x16x4_t`, …
    pub fn parse(text: &str) -> Option<Self> {
        let body = text.strip_suffix("_t")?;
        let digits = body.find(|c: char| c.is_ascii_digit())?;
        let (signed, float) = match &body[..digits] {
            "int" => (true, false),
            "uint" | "poly" => (false, false),
            "float" | "bfloat" => (true, true),
            _ => return None,
        };
        let numbers: Vec<u32> =
            body[digits..].split('x').map(|number| number.parse().ok()).collect::<Option<_>>()?;
        let (element, lanes, count) = match numbers[..] {
            [element] => (element, 1, 1),
            [element, lanes] => (element, lanes, 1),
            [element, lanes, count] => (element, lanes, count),
            _ => return None,
        };
        let sane = matches!(element, 8 | 16 | 32 | 64 | 128)
            && (1..=16).contains(&lanes)
            && (1..=4).contains(&count);
        let vector = numbers.len() > 1;
        sane.then_some(Self { element, lanes, count, vector, signed, float })
    }

    /// What a pointer points to: `int8_t const *`.
    pub fn pointee(text: &str) -> Option<Self> {
        let body = text.trim().strip_suffix('*')?.trim();
        Self::parse(body.strip_suffix("const").or(body.strip_prefix("const")).unwrap_or(body).trim())
    }

    /// Width of one vector or scalar in bits.
    pub fn part_width(&self) -> u32 {
        self.element * self.lanes
    }

    /// Width of the whole in bits.
    pub fn width(&self) -> u32 {
        self.part_width() * self.count
    }

    /// An argument or result of this type.
    pub fn argument(&self, name: &str, c_type: &str, width: u32) -> Argument {
        Argument {
            name: name.to_owned(),
            c_type: c_type.to_owned(),
            width,
            kind: if self.vector { Kind::Vector } else { Kind::Scalar },
            element: Some(Element { width: self.element, signed: self.signed, float: self.float }),
        }
    }

    /// The C name of one part of a tuple.
    pub fn part_name(c_type: &str, count: u32) -> String {
        match c_type.strip_suffix(&format!("x{count}_t")) {
            Some(stem) if count > 1 => format!("{stem}_t"),
            _ => c_type.to_owned(),
        }
    }
}

/// A pointer to elements of a type; the width of what is seen through it is 0 until it is known.
pub fn memory(name: &str, c_type: &str, pointee: &CType) -> Argument {
    Argument {
        kind: Kind::Memory { align: 1, element: None, non_temporal: false },
        ..pointee.argument(name, c_type, 0)
    }
}

/// An argument that is part of the encoding; a C `int` of 32 bits.
pub fn immediate(name: &str, c_type: &str, low: i64, high: i64) -> Argument {
    Argument {
        name: name.to_owned(),
        c_type: c_type.to_owned(),
        width: 32,
        kind: Kind::Immediate(Immediate { low, high }),
        element: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_shapes() {
        let pair = CType::parse("uint16x4x2_t").unwrap();
        assert_eq!((pair.part_width(), pair.width(), pair.signed), (64, 128, false));
        let scalar = CType::parse("int32_t").unwrap();
        assert_eq!((scalar.width(), scalar.vector, scalar.signed), (32, false, true));
        assert!(CType::parse("bfloat16x8_t").unwrap().float);
        assert_eq!(CType::pointee("int8_t const *"), CType::parse("int8_t"));
        assert_eq!(CType::pointee("poly128_t *"), CType::parse("poly128_t"));
        assert_eq!((CType::pointee("int8_t"), CType::pointee("void *")), (None, None));
        assert_eq!(CType::part_name("uint16x4x2_t", 2), "uint16x4_t");
        for bad in ["int8x8_t *", "void", "int7_t", "int8x8x9_t", "intx_t", "_t", "int8x8x2x2_t"] {
            assert_eq!(CType::parse(bad), None, "{bad}");
        }
    }
}
