//! `hydride translate`: C files that use the intrinsics of one instruction set, for another one.

mod inline;
mod macros;
mod report;
mod rewrite;
mod source;
mod vocabulary;

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};
use clap::Args;
use parsers::Instruction;
use rayon::prelude::*;

use self::report::Line;
use self::rewrite::{Piece, Replaced};
use self::source::{Language, Place, Source};
use self::vocabulary::{Outcome, Pasted, Vocabulary};
use super::port::header::{Missing, header};
use super::port::sources::{self, sources};
use super::port::table::{Row, by_instruction};
use super::port::{self, INTERRUPTED};
use super::synth::targets::{Ground, GroundArgs, Named};
use crate::commands::search::targets;
use crate::costs::Costs;
use crate::isa::InstructionSet;
use crate::{Session, outputs, usage};

/// Arguments of `hydride translate`.
#[derive(Args)]
pub struct TranslateArgs {
    #[command(flatten)]
    ground: GroundArgs,
    /// The instruction set whose intrinsics the files use; else the one whose header they include.
    #[arg(long, value_name = "ISA")]
    from: Option<String>,
    /// What they are translated for: a target of `hydride synth` or an instruction set.
    #[arg(long, value_name = "TARGET")]
    to: String,
    /// Put expressions in the place of calls whose sequences read each argument once; other calls, or without this all,
    /// keep their names, which the header defines.
    #[arg(long)]
    inline: bool,
    /// Folder for the files, the header that they include, and the report as lines of JSON; without it the report is
    /// printed and nothing is written.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print the report as lines of JSON.
    #[arg(long)]
    json: bool,
    /// Files in C or, by their endings, C++.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// Why a call keeps its name where expressions are wanted.
const NO_EXPRESSION: &str = "its sequence is not an expression that reads each argument once";

/// What UTF-8 files of some editors begin with.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A file that is translated.
struct File {
    /// As it was given.
    shown: String,
    /// Its name without folders.
    name: OsString,
    bytes: Vec<u8>,
}

impl File {
    fn source(&self, vocabulary: &Vocabulary<'_>) -> Result<Source> {
        Source::read(&self.bytes, Language::of(Path::new(&self.name)), vocabulary)
    }
}

/// What the uses of a run are translated with.
struct Translation<'r, 'a> {
    vocabulary: &'r Vocabulary<'r>,
    set: &'static InstructionSet,
    ground: &'r Ground,
    syntax: &'r dyn ::search::Syntax,
    /// What the vendor's instructions cost.
    costs: Costs,
    by_id: HashMap<&'r str, &'r [Row<'a>]>,
    inline: bool,
    header: String,
}

/// Translates files; exit code 1 when an intrinsic stays as it is.
pub fn run(session: &Session, args: &TranslateArgs) -> Result<u8> {
    let start = Instant::now();
    let named = Named::find(&args.to)?;
    let files = read(args)?;
    let set = from(session, args, &files, &named)?;
    let ground = args.ground.read(session, named)?;
    let parsed = port::parsed(session, &args.ground.specs, &args.ground.cache, session.asked(set.name)?)?;
    let vocabulary = Vocabulary::new(set, &parsed);
    let read: Vec<Source> = files.iter().map(|file| file.source(&vocabulary)).collect::<Result<_>>()?;
    let pasted = vocabulary.pasted(&read)?;
    let asked = vocabulary.asked(&read, &pasted);
    let all: Vec<sources::Source<'_>> =
        asked.par_iter().flat_map_iter(|(instruction, choices)| sources(instruction, choices)).collect();
    let Some(searched) = port::search(&all, &ground, &args.ground)? else {
        return Ok(INTERRUPTED);
    };
    let rows = searched.rows(&all);
    let syntax = (set.searched()?.syntax)(&targets::choose(set, &[])?);
    let costs = Named::find(set.name).and_then(|named| Costs::of_cpu(session, &named.cpu, set.name));
    let by_id = by_instruction(&rows)
        .into_iter()
        .map(|rows| (rows[0].source.instruction.id.as_str(), rows))
        .collect();
    let translation = Translation {
        vocabulary: &vocabulary,
        set,
        ground: &ground,
        syntax: syntax.as_ref(),
        costs: costs.unwrap_or_else(|_| Costs::length()),
        by_id,
        inline: args.inline,
        header: format!("{}_on_{}.h", set.name, ground.named.name),
    };

    let (mut lines, mut needed, mut written) = (Vec::new(), BTreeSet::new(), Vec::new());
    for (number, (file, source)) in files.iter().zip(&read).enumerate() {
        let first = lines.len();
        let calls = translation.uses(file, source, &mut lines, &mut needed)?;
        for own in pasted.iter().filter(|own| own.file == number) {
            lines.push(translation.pasted(file, own, &mut needed));
        }
        translation.notes(file, source, &mut lines);
        lines[first..].sort_by_key(|line| line.place);
        written.push((&file.name, translation.rewritten(file, source, calls)));
    }
    let json = report::json(&lines)?;
    if let Some(out) = &args.out {
        let is_needed = |row: &&Row<'_>| needed.contains(row.source.instruction.id.as_str());
        let rows: Vec<Row<'_>> = rows.iter().filter(is_needed).copied().collect();
        let (header, _) = header(&rows, (set, translation.syntax), &ground, Missing::LeftOut)?;
        std::fs::create_dir_all(out).with_context(|| format!("cannot make {}", out.display()))?;
        outputs::replace_file(&out.join(&translation.header), header)?;
        for (name, bytes) in &written {
            outputs::replace_file(&out.join(name), bytes)?;
        }
        outputs::replace_file(&out.join("translation.jsonl"), &json)?;
    }
    let text = if args.json { json } else { report::words(&lines) };
    crate::console::print(text.as_bytes())?;
    eprintln!("{:>14} {} in {:.1} s", "translate", report::summary(&lines), start.elapsed().as_secs_f64());
    Ok(u8::from(lines.iter().any(Line::is_kept)))
}

impl<'r> Translation<'r, '_> {
    /// A line for each use in a file, and the calls that are replaced; `needed` gets the ids of the functions that the header
    /// must have.
    fn uses(
        &self,
        file: &'r File,
        source: &'r Source,
        lines: &mut Vec<Line<'r>>,
        needed: &mut BTreeSet<&'r str>,
    ) -> Result<Vec<Replaced>> {
        let mut calls = Vec::new();
        for own in &source.uses {
            let mut line = Line::note(&file.shown, own.place, String::new());
            line.name = &own.name;
            let inline = self.inline.then_some(self.syntax);
            let row = match self.vocabulary.outcome(own, source, &self.by_id, inline) {
                Outcome::Kept(why) => {
                    (line.status, line.why) = ("kept", why);
                    lines.push(line);
                    continue;
                }
                Outcome::Inline(row, call, pieces) => {
                    line.status = "inline";
                    calls.push(Replaced {
                        whole: call.whole.clone(),
                        arguments: call.arguments.clone(),
                        pieces,
                    });
                    row
                }
                Outcome::Header(row) => {
                    line.status = "header";
                    if self.inline {
                        let fixed = own.call.as_ref().and_then(|call| call.fixed);
                        line.why = fixed.unwrap_or(NO_EXPRESSION).into();
                    }
                    needed.insert(&row.source.instruction.id);
                    row
                }
            };
            let instruction = row.source.instruction;
            let form = (self.set.searched()?.form)(instruction);
            if let Some(form) = form.or(instruction.forms.first()) {
                line.uops_before = self.costs.of(&form.mnemonic, &form.operands).map(|(_, uops)| uops);
            }
            if let Some((_, cost, steps)) = row.program() {
                line.uops_after = Some(cost.uops + accesses(instruction, self.ground));
                line.cost = Some(cost);
                line.instructions = Some(steps);
            }
            lines.push(line);
        }
        Ok(calls)
    }

    /// The line for a name that `##` makes.
    fn pasted(&self, file: &'r File, own: &'r Pasted<'r>, needed: &mut BTreeSet<&'r str>) -> Line<'r> {
        let mut line = Line::note(&file.shown, own.place, String::new());
        line.name = &own.glob;
        let instructions = match &own.instructions {
            Ok(instructions) => instructions,
            Err(count) => {
                (line.status, line.why) =
                    ("kept", format!("## makes such names, and {count} instructions have them"));
                return line;
            }
        };
        let is_covered = |instruction: &&Instruction| {
            let rows = self.by_id.get(instruction.id.as_str());
            rows.is_some_and(|rows| matches!(self.vocabulary.in_header(rows, None), Outcome::Header(_)))
        };
        // Whether one of the others is used is seen when the file is compiled.
        let (covered, missing): (Vec<&Instruction>, Vec<&Instruction>) =
            instructions.iter().copied().partition(is_covered);
        needed.extend(covered.iter().map(|instruction| instruction.id.as_str()));
        line.why = format!("## makes such names; the header has {} of them", covered.len());
        if !missing.is_empty() {
            let ids: Vec<&str> = missing.iter().map(|instruction| instruction.id.as_str()).collect();
            line.why += &format!(", but not {}", ids.join(", "));
        }
        line
    }

    /// What a reader should know of a file besides its uses.
    fn notes(&self, file: &'r File, source: &Source, lines: &mut Vec<Line<'r>>) {
        let mut note = |place: Place, why: String| lines.push(Line::note(&file.shown, place, why));
        for (place, name) in &source.conditions {
            note(
                *place,
                format!("a condition on {name}, which compilers for {} do not define", self.ground.set.name),
            );
        }
        for place in &source.broken {
            note(*place, "this cannot be parsed; intrinsics around it keep their names".into());
        }
        if source.includes.is_empty() && !source.uses.is_empty() {
            let why =
                format!("no header of {} is included; {} is, at the beginning", self.set.name, self.header);
            note(Place { line: 1, column: 1 }, why);
        }
    }

    /// The file with calls replaced and the header included.
    fn rewritten(&self, file: &File, source: &Source, mut calls: Vec<Replaced>) -> Vec<u8> {
        // Two headers of one instruction set are one here; including it twice does no harm.
        let pieces = vec![Piece::Text(format!("\"{}\"", self.header))];
        let include =
            |at: &Range<usize>| Replaced { whole: at.clone(), arguments: Vec::new(), pieces: pieces.clone() };
        calls.extend(source.includes.iter().map(include));
        calls.sort_by_key(|call| call.whole.start);
        let bytes = rewrite::rewrite(&file.bytes, &calls);
        if !source.includes.is_empty() || source.uses.is_empty() {
            return bytes;
        }
        let is_crlf = file.bytes.windows(2).find(|two| two[1] == b'\n').is_some_and(|two| two[0] == b'\r');
        let mark = if bytes.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
        let line = format!("#include \"{}\"{}", self.header, if is_crlf { "\r\n" } else { "\n" });
        [&bytes[..mark], line.as_bytes(), &bytes[mark..]].concat()
    }
}

/// How often an instruction accesses memory, a register of the target at a time.
fn accesses(instruction: &Instruction, ground: &Ground) -> u32 {
    let widest = ground.named.widths.last().copied().unwrap_or(u32::MAX);
    let memory = instruction.signature.args.iter().filter(|arg| arg.is_memory());
    memory.map(|arg| arg.width.div_ceil(widest)).sum()
}

/// The files, whose translations must not be in their places.
fn read(args: &TranslateArgs) -> Result<Vec<File>> {
    let mut files: Vec<File> = Vec::new();
    for path in &args.files {
        let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        let name = path.file_name().map(OsString::from).unwrap_or_default();
        if files.iter().any(|file| file.name == name) {
            return Err(usage(format!("two files are called {}", Path::new(&name).display())));
        }
        if let Some(out) = &args.out
            && let (Ok(own), Ok(other)) = (path.canonicalize(), out.join(&name).canonicalize())
            && own == other
        {
            return Err(usage(format!("{} would be replaced; choose another --out", path.display())));
        }
        files.push(File { shown: path.display().to_string(), name, bytes });
    }
    Ok(files)
}

/// The instruction set that is asked for, or whose header the files include.
fn from(
    session: &Session,
    args: &TranslateArgs,
    files: &[File],
    to: &Named,
) -> Result<&'static InstructionSet> {
    let set = match &args.from {
        Some(name) => session.set(session.asked(name)?),
        None => {
            let mut found = Vec::new();
            for set in session.sets().filter(|set| set.name != to.isa) {
                let vocabulary = Vocabulary::of_headers(set);
                for file in files {
                    if !file.source(&vocabulary)?.includes.is_empty() {
                        found.push(set);
                        break;
                    }
                }
            }
            match found[..] {
                [set] => set,
                _ => {
                    return Err(usage("name the instruction set of the files' intrinsics with --from"));
                }
            }
        }
    };
    if set.name == to.isa {
        return Err(usage(format!("{} is an instruction set's own target", to.name)));
    }
    Ok(set)
}
