//! What earlier runs found out: answers by the hash of all that they depend on. Where they are kept is for the caller to
//! say.

#![forbid(unsafe_code)]

mod late;

pub use late::Late;

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The key of a question: a hash of all that the answer depends on.
pub type Key = [u8; 32];

/// Where answers are kept.
///
/// An implementation must separate the answers of different versions of the program.
pub trait Store: Send + Sync {
    /// The answer to a question, as it was stored.
    fn find(&self, key: &Key) -> Option<Vec<u8>>;
    /// Keeps an answer.
    fn store(&self, key: Key, answer: Vec<u8>);
}

/// Answers of earlier runs, to proofs and to other questions; one without a store finds nothing and keeps nothing.
///
/// ```
/// use memo::Memo;
///
/// let memo = Memo::default();
/// assert_eq!(memo.get_or(|| [0; 32], || 6 * 7), 42);
/// assert_eq!(memo.get::<i32>(&[0; 32]), None);
/// assert!(!memo.has_store());
/// ```
#[derive(Clone, Default)]
pub struct Memo(Option<Arc<dyn Store>>);

impl Memo {
    /// Answers in a store.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self(Some(store))
    }

    /// Whether answers are kept at all: if not, keys need not be computed.
    pub fn has_store(&self) -> bool {
        self.0.is_some()
    }

    /// The answer that was kept; one that cannot be read counts as none.
    pub fn get<T: DeserializeOwned>(&self, key: &Key) -> Option<T> {
        postcard::from_bytes(&self.0.as_ref()?.find(key)?).ok()
    }

    /// Keeps an answer.
    pub fn put<T: Serialize>(&self, key: Key, answer: &T) {
        if let Some(store) = &self.0
            && let Ok(bytes) = postcard::to_stdvec(answer)
        {
            store.store(key, bytes);
        }
    }

    /// The answer that was kept, or else `make`'s, which is kept. Without a store no key is made.
    pub fn get_or<T: Serialize + DeserializeOwned>(
        &self,
        key: impl FnOnce() -> Key,
        make: impl FnOnce() -> T,
    ) -> T {
        let Ok(answer) = self.try_get_or(key, || Ok::<T, std::convert::Infallible>(make()));
        answer
    }

    /// The same for an answer that may not be had; a failure is not kept.
    pub fn try_get_or<T: Serialize + DeserializeOwned, E>(
        &self,
        key: impl FnOnce() -> Key,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        if !self.has_store() {
            return make();
        }
        let key = key();
        if let Some(kept) = self.get(&key) {
            return Ok(kept);
        }
        let made = make()?;
        self.put(key, &made);
        Ok(made)
    }
}

/// A key of parts in this order.
pub fn digest<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Key {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    *hasher.finalize().as_bytes()
}

/// The key of a value, from all that it hashes.
///
/// ```
/// assert_eq!(memo::key_of(&(1, "a")), memo::key_of(&(1, "a")));
/// assert_ne!(memo::key_of(&(1, "a")), memo::key_of(&(1, "b")));
/// ```
pub fn key_of(value: &impl Hash) -> Key {
    let mut content = Content::default();
    value.hash(&mut content);
    content.key()
}

/// Collects what is hashed, so that equal keys are equal content.
///
/// ```
/// use std::hash::Hash;
///
/// let mut content = memo::Content::default();
/// 1.hash(&mut content);
/// "a".hash(&mut content);
/// assert_eq!(content.key(), memo::key_of(&(1, "a")));
/// ```
#[derive(Default)]
pub struct Content(Vec<u8>);

impl Content {
    /// The key of what was collected.
    pub fn key(&self) -> Key {
        *blake3::hash(&self.0).as_bytes()
    }
}

impl Hasher for Content {
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// Not used: [`Content::key`] is the result.
    fn finish(&self) -> u64 {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::collections::BTreeMap;
    use std::sync::Mutex;

    #[derive(Default)]
    struct Kept(Mutex<BTreeMap<Key, Vec<u8>>>);

    impl Store for Kept {
        fn find(&self, key: &Key) -> Option<Vec<u8>> {
            self.0.lock().unwrap().get(key).cloned()
        }

        fn store(&self, key: Key, answer: Vec<u8>) {
            self.0.lock().unwrap().insert(key, answer);
        }
    }

    #[test]
    fn an_answer_is_made_once() {
        let memo = Memo::new(Arc::new(Kept::default()));
        assert!(memo.has_store());
        assert_eq!(memo.get_or(|| [1; 32], || 5u32), 5);
        assert_eq!(memo.get_or(|| [1; 32], || -> u32 { panic!("it is kept") }), 5);
        assert_eq!(memo.get::<u32>(&[1; 32]), Some(5));
        assert_eq!(memo.get::<u32>(&[2; 32]), None);
    }

    #[test]
    fn a_failure_is_not_kept() {
        let memo = Memo::new(Arc::new(Kept::default()));
        assert_eq!(memo.try_get_or(|| [1; 32], || Err::<u32, &str>("no")), Err("no"));
        assert_eq!(memo.try_get_or(|| [1; 32], || Ok::<u32, &str>(7)), Ok(7));
        assert_eq!(memo.try_get_or(|| [1; 32], || Err::<u32, &str>("no")), Ok(7));
    }

    #[test]
    fn what_cannot_be_read_is_made_anew() {
        let memo = Memo::new(Arc::new(Kept::default()));
        memo.put([1; 32], &7u8);
        assert_eq!(memo.get::<(u64, u64, u64)>(&[1; 32]), None);
        assert_eq!(memo.get_or(|| [1; 32], || (1u64, 2u64, 3u64)), (1, 2, 3));
    }

    #[test]
    fn without_a_store_no_key_is_made() {
        let memo = Memo::default();
        assert_eq!(memo.get_or(|| panic!("no key is needed"), || 3), 3);
        assert!(!memo.has_store());
    }
}
