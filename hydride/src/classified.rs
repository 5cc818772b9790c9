//! From documents to classes, for commands that use the classes and write no outputs.

use anyhow::{Context, Result};
use clap::Args;
use parsers::Isa;
use smt::Memo;

use crate::console::Phases;
use crate::documents::Documents;
use crate::families::FamiliesArgs;
use crate::pipeline::Pipeline;
use crate::trust::RecordsArgs;
use crate::{Session, SpecArgs, usage};

/// The input of such a command.
#[derive(Args, Clone)]
pub struct ClassifyArgs {
    #[command(flatten)]
    pub specs: SpecArgs,
    #[command(flatten)]
    pub families: FamiliesArgs,
    #[command(flatten)]
    pub records: RecordsArgs,
    /// Threads; as many as there are processors when not given.
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
}

impl ClassifyArgs {
    /// Runs the pipeline over the documents of `isas`.
    pub fn run(&self, session: &Session, isas: &[Isa]) -> Result<(Documents, Pipeline)> {
        start_threads(self.jobs)?;
        let mut phases = Phases::default();
        let documents = session.read(self.specs.specs.as_deref(), isas)?;
        let families = self.families.read()?;
        let pipeline =
            Pipeline::run(session, &documents, isas, families, &self.records, &Memo::default(), &mut phases)?;
        Ok((documents, pipeline))
    }
}

/// Sets the number of threads of everything that follows.
pub fn start_threads(jobs: Option<usize>) -> Result<()> {
    match jobs {
        Some(0) => Err(usage("--jobs must be at least 1")),
        Some(jobs) => {
            rayon::ThreadPoolBuilder::new().num_threads(jobs).build_global().context("cannot start threads")
        }
        None => Ok(()),
    }
}
