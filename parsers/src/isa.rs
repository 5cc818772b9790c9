//! The identity of an instruction set: a name, and a place in the order in which names were registered.

use std::sync::{PoisonError, RwLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An instruction set: an identity to compare and sort by. Its properties are defined where its documents are read and
/// its instructions are run.
///
/// The order is that of the first registration of each name in the process, so that a program which registers its
/// instruction sets at its start chooses it.
///
/// ```
/// use parsers::Isa;
///
/// let mine = Isa::register("mine");
/// assert_eq!(mine.name(), "mine");
/// assert!(mine < Isa::register("yours") && mine == Isa::register("mine"));
/// assert_eq!(Isa::named("nobody's"), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Isa(usize);

static NAMES: RwLock<Vec<&'static str>> = RwLock::new(Vec::new());

impl Isa {
    /// The instruction set of that name, which is registered after all others if it is new.
    pub fn register(name: &'static str) -> Self {
        if let Some(known) = Self::named(name) {
            return known;
        }
        let mut names = NAMES.write().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have registered it since.
        let position = names.iter().position(|known| *known == name).unwrap_or_else(|| {
            names.push(name);
            names.len() - 1
        });
        Self(position)
    }

    /// The instruction set of that name, if it is registered.
    pub fn named(name: &str) -> Option<Self> {
        let names = NAMES.read().unwrap_or_else(PoisonError::into_inner);
        names.iter().position(|known| *known == name).map(Self)
    }

    /// The name in files and options.
    pub fn name(self) -> &'static str {
        NAMES.read().unwrap_or_else(PoisonError::into_inner)[self.0]
    }
}

impl std::fmt::Debug for Isa {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// As its name.
impl Serialize for Isa {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// From the name of an instruction set that is registered.
impl<'de> Deserialize<'de> for Isa {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Self::named(&name)
            .ok_or_else(|| serde::de::Error::custom(format_args!("unknown instruction set {name}")))
    }
}
