//! Types of a window's values: `u8x64`, `i32`, `b1x16`.

use std::fmt;

/// How a value's bits are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// An unsigned integer (`u`).
    Unsigned,
    /// An integer in two's complement (`i`).
    Signed,
    /// A condition (`b`), one bit wide.
    Condition,
}

/// An element type with a number of lanes; lane 0 is the least significant one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Type {
    /// How the bits of an element are read.
    pub kind: Kind,
    /// Width of an element in bits, 1 to 64.
    pub width: u32,
    /// Number of lanes; 1 for scalars.
    pub lanes: u32,
}

/// Lanes that a value may have.
pub const MAX_LANES: u32 = 4096;

impl Type {
    /// Reads `u8x64`, `i16`, `b1x4`; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let kind = match text.as_bytes().first()? {
            b'u' => Kind::Unsigned,
            b'i' => Kind::Signed,
            b'b' => Kind::Condition,
            _ => return None,
        };
        let rest = text.get(1..)?;
        let (width, lanes) = rest.split_once('x').unwrap_or((rest, "1"));
        let digits =
            |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?;
        let (width, lanes): (u32, u32) = (digits(width)?, digits(lanes)?);
        let widths = if kind == Kind::Condition { 1..=1 } else { 1..=64 };
        let fits = widths.contains(&width) && (1..=MAX_LANES).contains(&lanes);
        (fits && width * lanes <= hydride_ir::MAX_WIDTH).then_some(Self { kind, width, lanes })
    }

    /// Whether the elements are in two's complement.
    pub fn is_signed(self) -> bool {
        self.kind == Kind::Signed
    }

    /// Width of all lanes in bits.
    pub fn bits(self) -> u32 {
        self.width * self.lanes
    }
}

impl fmt::Display for Type {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = match self.kind {
            Kind::Unsigned => 'u',
            Kind::Signed => 'i',
            Kind::Condition => 'b',
        };
        write!(out, "{letter}{}", self.width)?;
        if self.lanes > 1 { write!(out, "x{}", self.lanes) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read_and_printed() {
        for text in ["u8x64", "i32", "b1x16", "i64x3"] {
            assert_eq!(Type::parse(text).unwrap().to_string(), text);
        }
        for text in ["", "u", "u0", "i65", "b8", "u8x0", "u8x", "u8x5000", "f32", "u-8", "u8x+4", "ü8"] {
            assert_eq!(Type::parse(text), None, "{text}");
        }
    }
}
