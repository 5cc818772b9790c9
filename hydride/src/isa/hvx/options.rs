//! The length of vectors for which the documents are read.

use std::sync::OnceLock;

use anyhow::Result;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use parsers::hexagon::{Options, VectorLength};

/// How HVX's documents are read.
#[derive(Args)]
struct Choice {
    /// Bytes of an HVX vector.
    #[arg(long, global = true, value_name = "BYTES", default_value = "128", value_parser = ["64", "128"])]
    hvx_length: String,
}

static CHOSEN: OnceLock<Options> = OnceLock::new();

pub fn add(command: Command) -> Command {
    Choice::augment_args(command)
}

/// Sets how the documents of this run are read.
pub fn choose(matches: &ArgMatches) -> Result<()> {
    let vector_length = match Choice::from_arg_matches(matches)?.hvx_length.as_str() {
        "64" => VectorLength::Bytes64,
        _ => VectorLength::Bytes128,
    };
    // A second choice in one process changes nothing.
    let _ = CHOSEN.set(Options { vector_length });
    Ok(())
}

/// How documents are read.
pub fn chosen() -> Options {
    CHOSEN.get().copied().unwrap_or_default()
}

/// The flags by which another run reads documents in the same way.
pub fn flags() -> Vec<String> {
    match chosen() {
        options if options == Options::default() => Vec::new(),
        options => vec!["--hvx-length".to_owned(), options.vector_bytes().to_string()],
    }
}
