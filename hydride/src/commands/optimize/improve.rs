//! From modules to what can stand in them: slices, answers of the cache, and the search for what it does not have.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;
use clap::Args;
use memo::{Key, Memo};
use optimize::Attributes;
use rayon::prelude::*;
use refine::Module;
use refine::ast::Function;

use super::intrinsics::Known;
use super::module::{Changed, Place, Rewrites, Source, definitions};
use super::price::Prices;
use super::search::{By, Finder, Found, Kept, Keys, Question};
use super::settled::{Circumstances, Numbered, Settled, number};
use super::shard::Shard;
use super::whole::{self, Costs, Refused};
use crate::cache::{Shared, SharedCacheArgs};
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
    pub found: Rewrites,
    /// Of each module the changes that do not make a function cheaper as a whole.
    pub refused_changes: Vec<Refused>,
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

/// What is to be improved.
pub struct Work<'a> {
    /// The machine whose costs count where no other one is asked for; else the target's.
    pub cpu: Option<&'a str>,
    /// The part of the slices that is searched.
    pub shard: Option<Shard>,
    /// The modules' files.
    pub files: &'a [PathBuf],
    /// Whether the slices of all functions are needed, also of those that are settled.
    pub whole: bool,
    /// Set when the search is to end early, with what was found until then.
    pub interrupted: &'a AtomicBool,
}

/// Questions by the keys of their slices.
type Questions<'a> = BTreeMap<&'a str, Question<'a>>;

/// What is known of questions.
#[derive(Default)]
struct Answers<'a> {
    found: BTreeMap<&'a str, Found>,
    /// The keys of those that are answered for good, and not only as far as there was time.
    settled: BTreeSet<&'a str>,
    cached: usize,
    certified: usize,
    refused: usize,
    times: Vec<f64>,
}

impl Improved {
    /// Changes of a module by its position that are not made, since their functions would not be cheaper as a whole.
    pub fn dearer(&self, module: usize) -> usize {
        let settled = self.sources[module].settled.iter().flatten();
        self.refused_changes[module].len() + settled.map(|own| own.dearer).sum::<usize>()
    }

    /// What becomes of a module by its position, and of none of the functions at some positions.
    pub fn changed(&self, module: usize, without: &BTreeSet<usize>) -> Changed<'_> {
        self.sources[module].changed(&self.found, &|place| self.keeps(module, without, place))
    }

    /// What the changed functions of a module cost before and after, without changes of the functions at some positions.
    pub fn costs(&self, module: usize, without: &BTreeSet<usize>) -> Vec<Costs> {
        let keep = |place: &Place| self.keeps(module, without, place);
        if !self.prices.has_tools() {
            return Vec::new();
        }
        whole::costs(&self.sources[module], &self.found, &keep, &self.prices)
    }

    fn keeps(&self, module: usize, without: &BTreeSet<usize>, place: &Place) -> bool {
        !without.contains(&place.function) && !self.refused_changes[module].contains(&place.id())
    }
}

impl SearchArgs {
    /// Reads modules and looks for what is cheaper for a target.
    pub fn improve(&self, session: &Session, named: &Named, work: &Work<'_>) -> Result<Improved> {
        let start = Instant::now();
        let known = Known::new(session, self.specs.specs.clone());
        let modules = work.files.iter().map(|file| definitions(file)).collect::<Result<Vec<_>>>()?;
        let prices = self.prices(named, work.cpu);
        let target = format!("{} {}", named.name, self.cpu.as_ref().unwrap_or(&named.cpu));
        let circumstances = self.circumstances(session, named, &target, &prices)?;
        let settled = match &circumstances {
            Some(own) if self.offline && !work.whole => self.settled(&modules, own),
            _ => vec![Vec::new(); modules.len()],
        };
        let limit = self.max_instructions as usize;
        let mut sources = Vec::new();
        for ((file, module), settled) in work.files.iter().zip(modules).zip(settled) {
            sources.push(Source::read(file, module, settled, &known, limit));
        }
        let mut questions = Questions::new();
        for slice in sources.iter().flat_map(|source| &source.slices) {
            if work.shard.is_none_or(|shard| shard.has(&slice.key)) {
                let question = Question { slice: &slice.slice, attributes: &slice.attributes };
                questions.entry(slice.key.as_str()).or_insert(question);
            }
        }
        let others = elsewhere(&sources, &questions);
        let slices = questions.len() + others.len();
        let (answers, cache) = match (&circumstances, questions.is_empty()) {
            (Some(_), true) => Default::default(),
            _ => {
                let keys = Keys::new(target, prices.tools(), self.documents(session, named)?);
                let search = Search { args: self, session, named, known: &known, prices: &prices, start };
                let (answers, cache) = search.answers(questions, keys, work)?;
                (answers, Some(cache))
            }
        };
        let Answers { found, settled, cached, certified, refused, mut times } = answers;
        let found: Rewrites = found.into_iter().map(|(key, found)| (key.to_owned(), found)).collect();
        // What a shard found is put in place by another run.
        let decides = work.shard.is_none() && prices.has_tools() && !found.is_empty();
        let refused_changes: Vec<Refused> = match decides {
            true => self.pool()?.install(|| {
                sources.par_iter().map(|source| whole::refused(source, &found, &prices)).collect()
            }),
            false => vec![Refused::new(); sources.len()],
        };
        if let (Some(circumstances), Some(cache), None) = (&circumstances, cache, work.shard)
            && known.is_of(&named.isa)
        {
            for (source, refused) in sources.iter().zip(&refused_changes) {
                settle(source, &found, refused, &settled, circumstances, &cache.own());
            }
            cache.save()?;
        }
        times.sort_by(f64::total_cmp);
        let cached = cached + others.len();
        let certified = certified + others.values().filter(|is_cheaper| **is_cheaper).count();
        let seconds = start.elapsed().as_secs_f64();
        Ok(Improved {
            sources,
            found,
            refused_changes,
            slices,
            cached,
            certified,
            refused,
            times,
            prices,
            seconds,
        })
    }

    fn pool(&self) -> Result<rayon::ThreadPool> {
        Ok(rayon::ThreadPoolBuilder::new().num_threads(self.jobs).build()?)
    }

    /// Nobody is asked for prices where nothing is searched.
    fn prices(&self, named: &Named, cpu: Option<&str>) -> Prices {
        let cpu = self.cpu.as_deref().or(cpu);
        if self.offline { Prices::unasked(named, cpu) } else { Prices::new(named, cpu) }
    }

    /// On what settled functions depend, where they are kept: in a file, while none of the documents' files changes.
    fn circumstances(
        &self,
        session: &Session,
        named: &Named,
        target: &str,
        prices: &Prices,
    ) -> Result<Option<Circumstances>> {
        if self.cache.is_off() || self.cache.is_shared() {
            return Ok(None);
        }
        let stamp = session.stamp(self.specs.specs.as_deref(), session.asked(&named.isa)?);
        let limit = self.max_instructions as usize;
        Ok(stamp.map(|stamp| Circumstances::new(stamp, target, prices.tools(), limit)))
    }

    /// The settled functions of modules.
    fn settled(&self, modules: &[Module], circumstances: &Circumstances) -> Vec<Vec<Option<Settled>>> {
        let keys = |module: &Module| {
            let attributes = Attributes::new(module);
            module.functions.iter().map(|own| settled_keys(module, own, &attributes, circumstances)).collect()
        };
        let keys: Vec<Vec<[Key; 2]>> = modules.iter().map(keys).collect();
        let wanted: Vec<Key> = keys.iter().flatten().flatten().copied().collect();
        let memo = self.cache.of_documents().open_at(&wanted).memo();
        let read = |own: &[Key; 2]| own.iter().find_map(|key| memo.get::<Settled>(key));
        keys.iter().map(|own| own.iter().map(read).collect()).collect()
    }

    /// The hash of the documents that say what instructions do; it matters where answers are kept. Where nothing is searched it
    /// is the one of an earlier run on this machine if none of the files has changed since, which are not read then.
    fn documents(&self, session: &Session, named: &Named) -> Result<Key> {
        if self.cache.is_off() {
            return Ok(Key::default());
        }
        let (isa, specs) = (session.asked(&named.isa)?, self.specs.specs.as_deref());
        let read = || -> Result<Key> {
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

fn settled_keys(
    module: &Module,
    function: &Function,
    attributes: &Attributes<'_>,
    circumstances: &Circumstances,
) -> [Key; 2] {
    let text = &module.text()[function.span.clone()];
    let head = text.lines().next().unwrap_or_default();
    // What is only numbered in the text may say what is not there.
    let ranges = module.ranges_of(text);
    circumstances.keys(&Numbered::new(text), head, &ranges, attributes)
}

/// The different slices of settled functions that no other function has, and whether something cheaper is known of each.
fn elsewhere(sources: &[Source], questions: &Questions<'_>) -> BTreeMap<u64, bool> {
    let settled = sources.iter().flat_map(|source| source.settled.iter().flatten());
    let all: BTreeMap<u64, bool> = settled.flat_map(|own| own.answers.iter().copied()).collect();
    if all.is_empty() {
        return all;
    }
    let asked: BTreeSet<u64> = questions.keys().map(|key| number(key)).collect();
    all.into_iter().filter(|(own, _)| !asked.contains(own)).collect()
}

/// Keeps what came of a module's functions all of whose slices are answered.
fn settle(
    source: &Source,
    found: &Rewrites,
    refused: &Refused,
    answered: &BTreeSet<&str>,
    circumstances: &Circumstances,
    memo: &Memo,
) {
    if !memo.has_store() {
        return;
    }
    let module = &source.module;
    let attributes = Attributes::new(module);
    for (at, function) in module.functions.iter().enumerate() {
        let slices = source.slices_of(at);
        let is_settled = slices.iter().all(|place| answered.contains(place.key.as_str()));
        if !is_settled || source.outlines[at].is_none() {
            continue;
        }
        let (edits, made) = source.edits(at, found, &|place| !refused.contains(&place.id()));
        let text = &module.text()[function.span.clone()];
        let Some(edits) = Numbered::new(text).kept(function, module, &edits) else { continue };
        let own: BTreeSet<&str> = slices.iter().map(|place| place.key.as_str()).collect();
        let settled = Settled {
            values: source.values[at],
            slices: slices.len(),
            answers: own.into_iter().map(|key| (number(key), found.contains_key(key))).collect(),
            changed: made.len(),
            dearer: refused.iter().filter(|(function, ..)| *function == at).count(),
            edits,
        };
        let [key, _] = settled_keys(module, function, &attributes, circumstances);
        memo.put(key, &settled);
    }
}

/// A search for what is cheaper, of some slices.
struct Search<'a, 's> {
    args: &'a SearchArgs,
    session: &'a Session,
    named: &'a Named,
    known: &'a Known<'s>,
    prices: &'a Prices,
    start: Instant,
}

impl Search<'_, '_> {
    /// Answers of the cache, and of a search for what it does not have; and the cache.
    fn answers<'q>(
        &self,
        questions: Questions<'q>,
        keys: Keys,
        work: &Work<'_>,
    ) -> Result<(Answers<'q>, Shared)> {
        let (args, specs) = (self.args, self.args.specs.specs.as_deref());
        let wanted: Vec<_> = questions.keys().flat_map(|key| [keys.of(key), keys.counted(key)]).collect();
        let own: Vec<_> = questions.keys().map(|key| keys.certificate(key)).collect();
        let cache = args.cache.open(&wanted, &own, args.offline)?;
        let ground = if args.offline {
            None
        } else {
            let documents = args.cache.of_documents();
            let (named, cpu) = (self.named.clone(), args.cpu.as_deref());
            Some(Ground::read(self.session, specs, named, cpu, &[], &documents)?)
        };
        let memos = (cache.memo(), cache.own());
        let (known, isa) = (self.known, &self.named.isa);
        let finder = Finder::new(self.session, known, ground.as_ref(), self.prices, memos, keys, isa)?;
        let answers = args.pool()?.install(|| self.searched(questions, &finder, &cache, work))?;
        Ok((answers, cache))
    }

    fn searched<'q>(
        &self,
        questions: Questions<'q>,
        finder: &Finder<'_, '_>,
        cache: &Shared,
        work: &Work<'_>,
    ) -> Result<Answers<'q>> {
        let limit = (self.args.max_seconds > 0).then(|| Duration::from_secs(self.args.max_seconds));
        let late = || limit.is_some_and(|limit| self.start.elapsed() >= limit);
        let stop = || work.interrupted.load(Ordering::Relaxed) || late();
        let all: Vec<(&str, Question<'_>)> = questions.into_iter().collect();
        let mut answers = Answers::default();
        // What is kept is proved again, unless this machine did so; the rest is searched.
        let kept: Vec<_> = all.par_iter().map(|(key, question)| finder.kept(key, question)).collect();
        let mut open = Vec::new();
        for ((key, question), kept) in all.iter().zip(kept) {
            match kept {
                Kept::Absent | Kept::Refused => {
                    answers.refused += usize::from(matches!(kept, Kept::Refused));
                    open.push((*key, *question));
                    continue;
                }
                Kept::Found(answer, by) => {
                    answers.certified += usize::from(by == By::Certificate);
                    answers.found.insert(key, *answer);
                }
                Kept::NothingCheaper => {}
            }
            answers.cached += 1;
            answers.settled.insert(key);
        }
        cache.save()?;
        if answers.refused > 0 {
            eprintln!(
                "warning: {} answers of the cache are not used, since they are not proved to refine their slices",
                answers.refused
            );
        }
        if self.args.offline {
            return Ok(answers);
        }
        for batch in open.chunks(BATCH) {
            if stop() {
                break;
            }
            for done in finder.search(batch, &stop)? {
                if done.is_final {
                    answers.times.push(done.seconds);
                    answers.settled.insert(done.key);
                }
                answers.found.extend(done.found.map(|found| (done.key, found)));
            }
            cache.save()?;
        }
        Ok(answers)
    }
}
