//! `hydride rules`: rewrite rules checked and found.

pub mod check;
mod cuts;
mod dialect;
mod find;
pub mod mine;
mod shortest;
mod show;
mod table;

use std::path::Path;

use anyhow::{Context, Result};
use clap::{Args, Subcommand};

use crate::Session;
use crate::deferred::Deferred;

/// Arguments of `hydride rules`.
#[derive(Args)]
pub struct RulesArgs {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Say of each rule of a file whether it is true, false (with values for which it fails), or unknown.
    Check(Deferred<check::CheckArgs>),
    /// Find and prove rules for a target's instructions.
    Mine(Deferred<mine::MineArgs>),
    /// Write rules as a page, as obligations for solvers, or as rewrites for egglog.
    Show(Deferred<show::ShowArgs>),
    /// Run rules on random values against the interpreter.
    Run(Deferred<show::RunArgs>),
    /// Say for operations how many instructions they take at least.
    Shortest(Deferred<shortest::ShortestArgs>),
    /// Print what each operation costs on targets, as a table in Markdown.
    Table(Deferred<table::TableArgs>),
}

/// Does what is asked with rules.
pub fn run(session: &Session, args: &RulesArgs) -> Result<u8> {
    match &args.task {
        Task::Check(args) => check::run(args),
        Task::Mine(args) => mine::run(session, args),
        Task::Show(args) => show::show(args),
        Task::Run(args) => show::run(session, args),
        Task::Shortest(args) => shortest::run(session, args),
        Task::Table(args) => table::table(args),
    }
}

/// Writes a file aside and renames it.
pub fn write(path: &Path, text: &str) -> Result<()> {
    let mut aside = path.as_os_str().to_owned();
    aside.push(".new");
    std::fs::write(&aside, text).with_context(|| format!("cannot write {}", path.display()))?;
    std::fs::rename(&aside, path).with_context(|| format!("cannot write {}", path.display()))
}
