//! Sessions over the instruction sets of the program.

use anyhow::Result;
use hydride::isa::{ReadingOptions, built_in};
use hydride::{Session, SessionArgs};

/// A session in which documents are read as asked for.
pub fn session(args: SessionArgs) -> Result<Session> {
    Session::with(&built_in(), args, ReadingOptions::default())
}
