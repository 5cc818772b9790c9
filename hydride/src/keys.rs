//! Keys of what the cache keeps.

use smt::Key;

/// A key of parts in this order.
pub fn digest<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Key {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    *hasher.finalize().as_bytes()
}
