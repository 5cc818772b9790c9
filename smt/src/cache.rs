//! What a proof cache has to be able to do; where it lives is for the caller to say.

/// The key of a question: a hash of all that it depends on.
pub type Key = [u8; 32];

/// Verdicts of earlier runs. What was not decided is never handed to it.
///
/// Whoever implements it keeps verdicts of another version of the tool or of the solver apart.
pub trait Cache: Send + Sync {
    /// The verdict for a question, as it was stored.
    fn find(&self, key: &Key) -> Option<u8>;
    /// Keeps a verdict.
    fn store(&self, key: Key, verdict: u8);
}

/// The version of the solver that answers.
pub fn solver_version() -> &'static str {
    z3::full_version()
}
