//! From modules to what can stand in them: slices, answers of the cache, and the search for what it does not have.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;
use clap::Args;
use rayon::prelude::*;

use super::intrinsics::Known;
use super::module::Source;
use super::price::Prices;
use super::search::{By, Finder, Found, Kept, Keys, Question};
use super::shard::Shard;
use crate::cache::SharedCacheArgs;
use crate::commands::synth::targets::{Ground, Named};
use crate::{Session, SpecArgs};

/// Slices that are searched before their candidates are priced together, and before what was found is safe.
const BATCH: usize = 16;

/// Arguments of a search for what is cheaper.
#[derive(Args)]
pub struct SearchArgs {
    #[command(flatten)]
    specs: SpecArgs,
    #[command(flatten)]
    pub cache: SharedCacheArgs,
    /// The machine whose costs are counted; else the target's.
    #[arg(long)]
    pub cpu: Option<String>,
    /// Use only what the cache has, and search nothing.
    #[arg(long)]
    pub offline: bool,
    /// Instructions of a slice, at most.
    #[arg(long, value_name = "N", default_value_t = 24, value_parser = clap::value_parser!(u32).range(1..=200))]
    max_instructions: u32,
    /// Slices at a time; 0 for one a processor.
    #[arg(long, value_name = "N", default_value_t = 0)]
    jobs: usize,
    /// End the search after so many seconds and use what was found; 0 for no end.
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    max_seconds: u64,
}

/// Modules with what can stand for their slices.
pub struct Improved {
    /// The modules.
    pub sources: Vec<Source>,
    /// What was found, by the slices' keys.
    pub found: BTreeMap<String, Found>,
    /// Different slices of all modules, or of the shard.
    pub slices: usize,
    /// Those for which the cache had an answer.
    pub cached: usize,
    /// Those of these that are cheaper and that this machine had proved before.
    pub certified: usize,
    /// Answers of the cache that were refused.
    pub refused: usize,
    /// The processor's seconds for each slice that was searched to its end, least first.
    pub times: Vec<f64>,
    /// Where costs come from.
    pub prices: Prices,
    /// How long it took.
    pub seconds: f64,
}

impl SearchArgs {
    /// Reads modules and looks for what is cheaper for a target; prices are those of `cpu` where no other machine is asked
    /// for. Ends early once `interrupted`, with what was found until then.
    pub fn improve(
        &self,
        session: &Session,
        named: &Named,
        cpu: Option<&str>,
        shard: Option<Shard>,
        files: &[PathBuf],
        interrupted: &AtomicBool,
    ) -> Result<Improved> {
        let start = Instant::now();
        let specs = self.specs.specs.as_deref();
        let known = Known::new(session, self.specs.specs.clone());
        let read = |file: &PathBuf| Source::read(file, &known, self.max_instructions as usize);
        let sources: Vec<Source> = files.iter().map(read).collect::<Result<_>>()?;
        let limit = (self.max_seconds > 0).then(|| Duration::from_secs(self.max_seconds));
        let late = || limit.is_some_and(|limit| start.elapsed() >= limit);
        let stop = || interrupted.load(Ordering::Relaxed) || late();
        let mut questions: BTreeMap<&str, Question<'_>> = BTreeMap::new();
        for slice in sources.iter().flat_map(|source| &source.slices) {
            if shard.is_none_or(|shard| shard.has(&slice.key)) {
                let question = Question { slice: &slice.slice, attributes: &slice.attributes };
                questions.entry(slice.key.as_str()).or_insert(question);
            }
        }
        let prices = self.prices(named, cpu);
        let target = format!("{} {}", named.name, self.cpu.as_ref().unwrap_or(&named.cpu));
        let keys = Keys::new(target, prices.tools(), self.documents(session, named, specs)?);
        let wanted: Vec<_> = questions.keys().flat_map(|key| [keys.of(key), keys.counted(key)]).collect();
        let own: Vec<_> = questions.keys().map(|key| keys.certificate(key)).collect();
        let cache = self.cache.open(&wanted, &own, self.offline)?;
        let ground = if self.offline {
            None
        } else {
            let documents = self.cache.of_documents();
            Some(Ground::read(session, specs, named.clone(), self.cpu.as_deref(), &[], &documents)?)
        };
        let memos = (cache.memo(), cache.own());
        let finder = Finder::new(session, &known, ground.as_ref(), &prices, memos, keys, &named.isa)?;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.jobs).build()?;
        let all: Vec<(&str, Question<'_>)> = questions.into_iter().collect();
        let mut found: BTreeMap<&str, Found> = BTreeMap::new();
        let (mut cached, mut certified, mut refused, mut times) = (0, 0, 0, Vec::new());
        pool.install(|| -> Result<()> {
            // What is kept is proved again, unless this machine did so; the rest is searched.
            let kept: Vec<_> = all.par_iter().map(|(key, question)| finder.kept(key, question)).collect();
            let mut open = Vec::new();
            for ((key, question), kept) in all.iter().zip(kept) {
                refused += usize::from(matches!(kept, Kept::Refused));
                match kept {
                    Kept::Found(answer, by) => {
                        cached += 1;
                        certified += usize::from(by == By::Certificate);
                        found.insert(key, *answer);
                    }
                    Kept::NothingCheaper => cached += 1,
                    Kept::Absent | Kept::Refused => open.push((*key, *question)),
                }
            }
            cache.save()?;
            if refused > 0 {
                eprintln!(
                    "warning: {refused} answers of the cache are not used, since they are not proved to refine their slices"
                );
            }
            if !self.offline {
                for batch in open.chunks(BATCH) {
                    if stop() {
                        break;
                    }
                    for done in finder.search(batch, &stop)? {
                        times.extend(Some(done.seconds).filter(|_| done.is_final));
                        found.extend(done.found.map(|found| (done.key, found)));
                    }
                    cache.save()?;
                }
            }
            Ok(())
        })?;
        let found = found.into_iter().map(|(key, found)| (key.to_owned(), found)).collect();
        times.sort_by(f64::total_cmp);
        let (slices, seconds) = (all.len(), start.elapsed().as_secs_f64());
        Ok(Improved { sources, found, slices, cached, certified, refused, times, prices, seconds })
    }

    /// Nobody is asked for prices where nothing is searched.
    fn prices(&self, named: &Named, cpu: Option<&str>) -> Prices {
        let cpu = self.cpu.as_deref().or(cpu);
        if self.offline { Prices::unasked(named, cpu) } else { Prices::new(named, cpu) }
    }

    /// The hash of the documents that say what instructions do; it matters where answers are kept. Where nothing is searched it
    /// is the one of an earlier run on this machine if none of the files has changed since, which are not read then.
    fn documents(&self, session: &Session, named: &Named, specs: Option<&Path>) -> Result<memo::Key> {
        if self.cache.is_off() {
            return Ok(memo::Key::default());
        }
        let isa = session.asked(&named.isa)?;
        let read = || -> Result<memo::Key> {
            let documents = session.read(specs, &[isa])?;
            Ok(session.documents_key(isa, &documents.of(isa)))
        };
        let Some(stamp) = session.stamp(specs, isa).filter(|_| self.offline) else { return read() };
        let own = self.cache.of_documents().open_at(&[stamp]);
        let key = own.memo().try_get_or(|| stamp, read)?;
        own.save();
        Ok(key)
    }
}
