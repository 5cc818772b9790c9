//! `hydride completions` and `hydride man`: completions and manual pages, generated from the definition of
//! the command line.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::{Args, Command};
use clap_complete::Shell;

use crate::console;

/// Arguments of `hydride completions`.
#[derive(Args)]
pub struct CompletionsArgs {
    /// The shell.
    shell: Shell,
}

/// Arguments of `hydride man`.
#[derive(Args)]
pub struct ManArgs {
    /// Folder for the pages; it is made where it is missing.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Prints the completions.
pub fn completions(mut command: Command, args: &CompletionsArgs) -> Result<u8> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, "hydride", &mut text);
    console::print(&text)?;
    Ok(0)
}

/// Writes one page for `hydride` and one for each command.
pub fn man(command: Command, args: &ManArgs) -> Result<u8> {
    let folder = &args.folder;
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    clap_mangen::generate_to(command, folder)
        .with_context(|| format!("cannot write pages to {}", folder.display()))?;
    Ok(0)
}
