//! Numbers and forms from any bytes.

use simplex::Affine;

/// Bytes to be read one after the other.
pub(super) struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(super) fn next(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    /// Some bytes, with zeros after the last.
    fn take<const N: usize>(&mut self) -> [u8; N] {
        std::array::from_fn(|_| self.next().unwrap_or_default())
    }

    /// A number: mostly zero, often small, sometimes at the edge of a width.
    pub(super) fn number(&mut self) -> i64 {
        match self.next().unwrap_or_default() {
            0..112 => 0,
            byte @ 112..176 => i64::from(byte % 5) - 2,
            byte @ 176..208 => i64::from(byte) - 192,
            208..232 => i16::from_le_bytes(self.take()).into(),
            232..240 => i32::from_le_bytes(self.take()).into(),
            240..248 => i64::from_le_bytes(self.take()),
            byte => self.edge(byte % 2 == 1),
        }
    }

    /// One of the numbers around the greatest and the least of a width.
    fn edge(&mut self, negative: bool) -> i64 {
        let byte = self.next().unwrap_or_default();
        let power = 1i64 << [7, 15, 31, 62][usize::from(byte % 4)];
        let near = power + i64::from(byte / 4 % 4) - 2;
        if negative { -near } else { near }
    }

    /// A form: its constant, then its coefficients.
    pub(super) fn form(&mut self, variables: usize) -> Affine {
        let constant = self.number();
        Affine::new((0..variables).map(|_| self.number()), constant)
    }
}
