//! `hydride diff`: what changed in meaning between two revisions, two outputs, or two sources of one
//! instruction set.

mod errata;
mod hardware;
mod input;
mod kept;
mod kinds;
mod output;
mod sources;

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{Args, ValueEnum};
pub(crate) use input::Input;
use input::Loaded;
use kept::Keeper;
use parsers::Isa;
use semantic_diff::{Options, Report, Style, operations, present};

use crate::cache::CacheArgs;
use crate::console::{self, Phases};
use crate::families::FamiliesArgs;
use crate::pipeline::TIME_LIMIT;
use crate::{Session, usage};

/// Arguments of `hydride diff`.
#[derive(Args)]
pub struct DiffArgs {
    /// A document, a folder of documents, or a folder that generate-ir wrote.
    #[arg(value_name = "OLD", required_unless_present = "sources")]
    old: Option<PathBuf>,
    /// What it is compared with, of any of these kinds.
    #[arg(value_name = "NEW", required_unless_present = "sources")]
    new: Option<PathBuf>,
    /// Compare two sources of what the documents of one instruction set are, instead of OLD and NEW: hvx has
    /// manual, semantics; arm has operations, asl, page. The first two when none are named.
    #[arg(long, requires = "isa", conflicts_with_all = ["old", "new"], value_name = "OLD,NEW",
          num_args = 0..=1, require_equals = true, value_delimiter = ',')]
    sources: Option<Vec<String>>,
    /// With --sources: folder of documents; else specs/vendor, else specs/sample.
    #[arg(long, value_name = "DIR", requires = "sources")]
    specs: Option<PathBuf>,
    /// Instruction sets to compare; all that there are when not given.
    #[arg(long, value_delimiter = ',', value_name = "LIST")]
    isa: Vec<String>,
    /// How the report is printed.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Only what can break a user: entries gone, other types, other meanings, operations gone.
    #[arg(long)]
    breaking_only: bool,
    /// Ask the CPU, or the emulator, which side of each changed meaning it agrees with.
    #[arg(long)]
    against_hardware: bool,
    #[command(flatten)]
    basis: Basis,
    /// Folder for the compiled harness of --against-hardware.
    #[arg(long, value_name = "DIR", default_value = "target/difftest")]
    work: PathBuf,
}

/// What a comparison starts from.
#[derive(Args, Default)]
struct Basis {
    #[command(flatten)]
    families: FamiliesArgs,
    #[command(flatten)]
    cache: CacheArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For reading.
    Text,
    /// For programs.
    Json,
    /// One page.
    Html,
    /// For a review.
    Markdown,
}

/// Prints the report; exit code 1 when it is not empty.
pub fn run(session: &Session, args: &DiffArgs) -> Result<u8> {
    let isas = session.all_asked(&args.isa)?;
    let inputs = match (&args.old, &args.new) {
        (Some(old), Some(new)) => [input::read(session, old, &isas)?, input::read(session, new, &isas)?],
        _ => {
            let [isa] = isas[..] else {
                return Err(usage("--sources compares the sources of one instruction set: give one --isa"));
            };
            sources::read(session, isa, args.sources.as_deref().unwrap_or_default(), args.specs.as_deref())?
        }
    };
    let commands = inputs.each_ref().map(|side| command(session, side));
    let mut phases = Phases::default();
    let harness = args.against_hardware.then_some(args.work.as_path());
    let report = report(session, &args.basis, inputs, &isas, harness, &mut phases)?;
    let report = if args.breaking_only { report.breaking() } else { report };
    print(&report, &commands, args.format)?;
    Ok(u8::from(!report.is_empty()))
}

/// What differs in meaning between two documents, folders of documents, or folders that `generate-ir` wrote: what
/// `hydride diff` reports. The comparison is of these instruction sets, or of all that the session has if none are named.
///
/// ```no_run
/// # fn main() -> anyhow::Result<()> {
/// use std::path::Path;
///
/// let session = hydride::Session::new(&hydride::isa::built_in())?;
/// let report = hydride::differences(&session, Path::new("old.xml"), Path::new("new.xml"), &[])?;
/// for change in &report.breaking().changes {
///     println!("{}: {}", change.id, change.outcome.name());
/// }
/// # Ok(())
/// # }
/// ```
pub fn differences(session: &Session, old: &Path, new: &Path, isas: &[Isa]) -> Result<Report> {
    let isas = if isas.is_empty() { session.isas() } else { isas.to_vec() };
    let inputs = [input::read(session, old, &isas)?, input::read(session, new, &isas)?];
    report(session, &Basis::default(), inputs, &isas, None, &mut Phases::silent())
}

/// The report on two inputs: an earlier run's where that is kept. Hardware is asked if there is a folder for its harness.
fn report(
    session: &Session,
    basis: &Basis,
    [old, new]: [Input; 2],
    isas: &[Isa],
    harness: Option<&Path>,
    phases: &mut Phases,
) -> Result<Report> {
    if old.has_contents_of(&new) {
        phases.say("the inputs are identical: nothing was compared");
        return Ok(Report { schema: 1, old: old.summary(), new: new.summary(), ..Report::default() });
    }
    for side in [&old, &new] {
        phases.say(&format!("{}: {}", side.name(), side.kind()));
    }
    let about = [&old, &new].map(|side| side.isas(isas));
    if about[0].is_disjoint(&about[1]) {
        let [one, other] = about.map(|isas| {
            let names: Vec<&str> = isas.into_iter().map(Isa::name).collect();
            if names.is_empty() { "no instruction set".to_owned() } else { names.join(", ") }
        });
        return Err(usage(format!(
            "{} is about {one}, {} about {other}: there is nothing to compare",
            old.name(),
            new.name()
        )));
    }
    let mut families = basis.families.read()?;
    let keeper = Keeper::new(session, &basis.cache, isas);
    let question = keeper.question([old.digest(), new.digest()], &families);
    if let Some(mut kept) = keeper.report(&question)
        && !(harness.is_some() && kept.count("different") > 0)
    {
        (kept.old.name, kept.new.name) = (old.name().to_owned(), new.name().to_owned());
        phases.say("an earlier run has compared the same");
        return Ok(kept);
    }
    let old = old.load(isas, &mut families, &keeper, phases)?;
    let new = new.load(isas, &mut families, &keeper, phases)?;
    let mut report = compared(session, &old, &new, phases);
    if report.count("unknown") == 0 && !old.undecided && !new.undecided {
        keeper.keep(question, &report)?;
    }
    keeper.save();
    if let Some(folder) = harness {
        hardware::ask(session, &mut report, &old, &new, folder, phases)?;
    }
    Ok(report)
}

/// The report on two sides.
fn compared(session: &Session, old: &Loaded, new: &Loaded, phases: &mut Phases) -> Report {
    let sides = (old.side(), new.side());
    let phase = phases.start("compare", sides.1.entries.len());
    let progress = |done, total| phase.set(done, total);
    let mut report = semantic_diff::differences(
        &sides.0,
        &sides.1,
        &Options { time_limit: TIME_LIMIT, progress: &progress },
    );
    let compared = report.changes.len();
    phases.end(
        phase,
        &format!(
            "{compared} entries changed, {} in meaning",
            report.count("different") + report.count("other-access")
        ),
    );
    for (summary, side) in [(&mut report.old, old), (&mut report.new, new)] {
        summary.name.clone_from(&side.summary.name);
        summary.kind.clone_from(&side.summary.kind);
        summary.versions.clone_from(&side.summary.versions);
    }
    errata::add(session, &mut report, old, new);
    if let (Some(old), Some(new)) = (&old.operations, &new.operations) {
        let changed = report.changes.iter().map(|change| (change.isa.name().to_owned(), change.id.clone()));
        report.operations = Some(operations(old, new, &changed.collect()));
    }
    report
}

/// One side as `hydride eval` reads it: folder of documents, document, output, or one source of the documents; the
/// documents that are read when none are named.
pub fn side(session: &Session, isa: Isa, specs: Option<&Path>, source: Option<&str>) -> Result<Input> {
    match (source, specs) {
        (Some(source), _) => sources::read_one(session, isa, source, specs),
        (None, Some(path)) => input::read(session, path, &[isa]),
        (None, None) => input::standard(session, &[isa]),
    }
}

/// The beginning of the command line that evaluates an instruction of a side, read as in this run.
fn command(session: &Session, side: &Input) -> String {
    let mut words = vec!["hydride".to_owned()];
    words.extend(session.flags());
    words.push("eval".to_owned());
    words.extend(side.flags());
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-+=./:,@%".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

fn print(report: &Report, commands: &[String; 2], format: Format) -> Result<()> {
    let text = match format {
        Format::Json => serde_json::to_string_pretty(report)? + "\n",
        Format::Text => present(report, commands, Style::Text),
        Format::Markdown => present(report, commands, Style::Markdown),
        Format::Html => present(report, commands, Style::Html),
    };
    console::print(text.as_bytes())
}
