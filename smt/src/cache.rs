//! What a cache of answers has to be able to do; where it lives is for the caller to say.

/// The key of a question: a hash of all that it depends on.
pub type Key = [u8; 32];

/// Answers of earlier runs, to proofs and to other questions. What was not decided is never handed to it.
///
/// Whoever implements it keeps answers of another version of the tool or of the solver apart.
pub trait Cache: Send + Sync {
    /// The answer to a question, as it was stored.
    fn find(&self, key: &Key) -> Option<Vec<u8>>;
    /// Keeps an answer.
    fn store(&self, key: Key, answer: Vec<u8>);
}

/// The version of the solver that answers.
pub fn solver_version() -> &'static str {
    z3::full_version()
}
