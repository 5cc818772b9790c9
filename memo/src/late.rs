//! Parts of answers that are read only when they are needed.

use std::fmt;
use std::ops::Deref;
use std::sync::OnceLock;

use serde::de::{DeserializeOwned, Visitor};
use serde::ser::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A part of an answer that many runs have no use for. When the answer is read, this part of it stays encoded until it
/// is first looked at.
///
/// ```
/// use memo::Late;
///
/// let whole: (u8, Late<Vec<String>>) = (1, vec!["a".to_owned()].into());
/// let bytes = postcard::to_stdvec(&whole)?;
/// let (number, late): (u8, Late<Vec<String>>) = postcard::from_bytes(&bytes)?;
/// assert_eq!((number, late.as_slice()), (1, &["a".to_owned()][..]));
/// # Ok::<(), postcard::Error>(())
/// ```
#[derive(Clone)]
pub struct Late<T> {
    value: OnceLock<T>,
    /// The value as it was kept; empty where it was not read from an answer.
    encoded: Vec<u8>,
}

impl<T> From<T> for Late<T> {
    fn from(value: T) -> Self {
        Self { value: OnceLock::from(value), encoded: Vec::new() }
    }
}

impl<T: DeserializeOwned> Deref for Late<T> {
    type Target = T;

    /// The value.
    ///
    /// # Panics
    ///
    /// If what was kept is not the encoding of a `T`, which no answer of the same version of the program contains.
    fn deref(&self) -> &T {
        self.value.get_or_init(|| {
            postcard::from_bytes(&self.encoded).expect("an answer has what the program wrote into it")
        })
    }
}

impl<T: DeserializeOwned + fmt::Debug> fmt::Debug for Late<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: Serialize> Serialize for Late<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.value.get() {
            Some(value) => serializer.serialize_bytes(&postcard::to_stdvec(value).map_err(S::Error::custom)?),
            None => serializer.serialize_bytes(&self.encoded),
        }
    }
}

impl<'de, T> Deserialize<'de> for Late<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let encoded = deserializer.deserialize_bytes(Bytes)?;
        Ok(Self { value: OnceLock::new(), encoded })
    }
}

struct Bytes;

impl Visitor<'_> for Bytes {
    type Value = Vec<u8>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("bytes")
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
        Ok(bytes.to_vec())
    }
}
