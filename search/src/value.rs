//! Types of values that instructions read and write.

/// What kind of register holds a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// A vector register, or a pair of them.
    Vector,
    /// A general register.
    Scalar,
    /// A mask or predicate register.
    Mask,
    /// What is in memory at a pointer, all of which can be accessed.
    Memory,
}

/// Registers that share their numbers; see [`Type::file`].
pub(crate) type File = (Class, bool);

/// A kind of register and a width in bits, a multiple of 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct Type {
    /// The kind of register.
    pub class: Class,
    /// Width in bits.
    pub width: u32,
}

impl Type {
    /// The registers that it is in: other register classes, and HVX's pairs, are numbered separately.
    pub(crate) fn file(self) -> File {
        (self.class, self.width == 2048)
    }

    /// Width in bytes.
    pub fn bytes(self) -> usize {
        self.width as usize / 8
    }
}
