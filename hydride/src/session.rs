//! A session: what holds for everything that one run of the program does. The instruction sets that it knows, the errata
//! on their documents, and how documents are read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context, Result};
use clap::Args;
use parsers::Isa;
use parsers::errata::Errata;

use crate::isa::{BuiltInErrata, InstructionSet, ReadingOptions};
use crate::usage;

/// How documents are read; these options hold for every command.
#[derive(Args, Clone, Debug, Default)]
pub struct SessionArgs {
    /// File with errata, of the instruction set that it names, else of the first one, instead of the built-in ones.
    #[arg(long = "errata", id = "errata_file", value_name = "FILE", global = true)]
    pub errata: Option<PathBuf>,
    /// Take the documents as they are.
    #[arg(long, global = true, conflicts_with = "errata_file")]
    pub no_errata: bool,
    /// Go on with what can be read of a document that is cut off or not well-formed.
    #[arg(long, global = true)]
    pub accept_partial: bool,
}

/// What holds for a whole run.
pub struct Session {
    sets: Vec<(Isa, &'static InstructionSet)>,
    /// Those of a file.
    given: Option<(Isa, Errata)>,
    /// The checked-in ones, read when they are asked for.
    built_in: BTreeMap<Isa, OnceLock<Option<Errata>>>,
    options: ReadingOptions,
    args: SessionArgs,
}

impl Session {
    /// A session over these instruction sets, in this order, with their checked-in errata.
    ///
    /// ```
    /// let session = hydride::Session::new(&hydride::isa::built_in()).expect("the errata are legal");
    /// let names: Vec<&str> = session.isas().iter().map(|isa| isa.name()).collect();
    /// assert_eq!(names, ["x86", "arm", "hvx"]);
    /// ```
    pub fn new(sets: &[&'static InstructionSet]) -> Result<Self> {
        Self::with(sets, SessionArgs::default(), ReadingOptions::default())
    }

    /// The same, with documents read as asked for.
    pub fn with(
        sets: &[&'static InstructionSet],
        args: SessionArgs,
        options: ReadingOptions,
    ) -> Result<Self> {
        let sets: Vec<_> = sets.iter().map(|set| (Isa::register(set.name), *set)).collect();
        let built_in = sets.iter().map(|(isa, _)| (*isa, OnceLock::new())).collect();
        let mut session = Self { sets, given: None, built_in, options, args };
        session.given = session.given_errata()?;
        Ok(session)
    }

    /// Every instruction set, in order.
    pub fn sets(&self) -> impl Iterator<Item = &'static InstructionSet> {
        self.sets.iter().map(|(_, set)| *set)
    }

    /// Every instruction set's identity, in order.
    pub fn isas(&self) -> Vec<Isa> {
        self.sets.iter().map(|(isa, _)| *isa).collect()
    }

    /// What is known of an instruction set.
    #[expect(clippy::expect_used, reason = "a session hands out the identities of its own sets alone")]
    pub fn set(&self, isa: Isa) -> &'static InstructionSet {
        let found = self.sets.iter().find(|(known, _)| *known == isa);
        found.expect("an instruction set of this session").1
    }

    /// The instruction set of that name.
    pub fn named(&self, name: &str) -> Option<Isa> {
        self.isas().into_iter().find(|isa| isa.name() == name)
    }

    /// The instruction set that a user names.
    pub fn asked(&self, name: &str) -> Result<Isa> {
        let unknown = || usage(format!("unknown instruction set {name}; there are {}", listed(&self.isas())));
        self.named(name).ok_or_else(unknown)
    }

    /// The instruction sets that a user names, each once, in the registry's order; all for none.
    pub fn all_asked(&self, names: &[String]) -> Result<Vec<Isa>> {
        let asked = names.iter().map(|name| self.asked(name)).collect::<Result<Vec<_>>>()?;
        let mut isas = self.isas();
        isas.retain(|isa| asked.is_empty() || asked.contains(isa));
        Ok(isas)
    }

    /// The errata on the documents of an instruction set.
    pub fn errata(&self, isa: Isa) -> Option<&Errata> {
        match &self.given {
            Some((own, errata)) if *own == isa => return Some(errata),
            _ if self.args.no_errata => return None,
            _ => {}
        }
        self.built_in.get(&isa)?.get_or_init(|| self.checked_in(isa)).as_ref()
    }

    #[expect(clippy::expect_used, reason = "the checked-in errata are read by the tests")]
    fn checked_in(&self, isa: Isa) -> Option<Errata> {
        let own = self.set(isa).errata.as_ref()?;
        Some(parse_errata(own.file, own.text).expect("the checked-in errata are legal"))
    }

    /// A text that differs where the errata on the documents of an instruction set do, for runs of one version of the program.
    pub fn errata_choice(&self, isa: Isa) -> String {
        let given = self.given.as_ref().filter(|(own, _)| *own == isa);
        format!("{} {:?}", self.args.no_errata, given.map(|(_, errata)| (&errata.file, &errata.errata)))
    }

    /// The errata on the documents of instruction sets, as texts that differ where they do.
    pub fn errata_texts(&self, isas: &[Isa]) -> Vec<String> {
        let own = isas.iter().map(|isa| {
            let errata = self.errata(*isa).map(|errata| (&errata.file, &errata.errata));
            format!("{errata:?}")
        });
        own.collect()
    }

    /// Options of instruction sets for the reading of their documents.
    pub fn options(&self) -> &ReadingOptions {
        &self.options
    }

    /// Whether what can be read of a broken document is enough.
    pub fn accepts_partial(&self) -> bool {
        self.args.accept_partial
    }

    /// The flags, other than those for errata, by which another run reads documents in the same way. Results of one way of
    /// reading are not valid for another, so the flags are part of keys as well.
    pub fn reading_flags(&self) -> Vec<String> {
        let mut flags = self.options.flags();
        if self.args.accept_partial {
            flags.push("--accept-partial".to_owned());
        }
        flags
    }

    /// The flags by which another run has the same errata and reads in the same way.
    pub fn flags(&self) -> Vec<String> {
        let mut flags = Vec::new();
        if self.args.no_errata {
            flags.push("--no-errata".to_owned());
        }
        if let Some(path) = &self.args.errata {
            flags.extend(["--errata".to_owned(), path.display().to_string()]);
        }
        flags.extend(self.reading_flags());
        flags
    }

    /// The checked-in errata of each instruction set that has some.
    pub fn built_in_errata(&self) -> impl Iterator<Item = (Isa, &'static BuiltInErrata)> {
        self.sets.iter().filter_map(|(isa, set)| Some((*isa, set.errata.as_ref()?)))
    }

    fn given_errata(&self) -> Result<Option<(Isa, Errata)>> {
        let Some(path) = &self.args.errata else { return Ok(None) };
        let errata = parse_errata(&path.display().to_string(), &text(path)?)?;
        let isa = match &errata.isa {
            Some(named) => self.asked(named)?,
            None => self.isas()[0],
        };
        if self.set(isa).errata.is_none() {
            return Err(usage(format!("errata on documents of {} cannot be applied", isa.name())));
        }
        Ok(Some((isa, errata)))
    }
}

/// The names of instruction sets, for messages.
pub fn listed(isas: &[Isa]) -> String {
    isas.iter().map(|isa| isa.name()).collect::<Vec<_>>().join(", ")
}

fn text(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Reads errata; `name` is the file's, for messages.
pub fn parse_errata(name: &str, text: &str) -> Result<Errata> {
    Ok(Errata::parse(name, text, |bytes| blake3::hash(bytes).to_hex().to_string())?)
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use smt::Memo;

    use super::*;
    use crate::isa::built_in;

    /// A session as a command line makes it, without a command.
    fn session(args: &[&str]) -> Result<Session> {
        #[derive(Parser)]
        struct Line {
            #[command(flatten)]
            session: SessionArgs,
        }
        let sets = built_in();
        let options = sets.iter().flat_map(|set| set.options);
        let command =
            options.fold(<Line as clap::CommandFactory>::command(), |line, option| option.add(line));
        let matches = command.get_matches_from(std::iter::once(&"hydride").chain(args));
        let options = ReadingOptions::given(&sets, &matches);
        Session::with(&sets, <Line as clap::FromArgMatches>::from_arg_matches(&matches)?.session, options)
    }

    fn samples() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../specs/sample")
    }

    #[test]
    fn sessions_of_one_process_read_in_different_ways() {
        let widest = |args: &[&str]| {
            let session = session(args).expect("a session");
            let hvx = session.asked("hvx").expect("it is built in");
            let documents = session.read(Some(&samples()), &[hvx]).expect("the samples");
            let parsed =
                session.parse(hvx, &documents, &Memo::default(), &|_, _| {}).expect("they are whole");
            let vectors = parsed.instructions.iter().flat_map(|instruction| &instruction.signature.args);
            vectors.filter(|arg| arg.c_type == "HVX_Vector").map(|arg| arg.width).max()
        };
        assert_eq!((widest(&[]), widest(&["--hvx-length", "64"])), (Some(1024), Some(512)));
    }

    #[test]
    fn errata_are_a_matter_of_the_session() {
        let corrected = |session: &Session| -> Vec<&str> {
            session.isas().into_iter().filter(|isa| session.errata(*isa).is_some()).map(Isa::name).collect()
        };
        assert_eq!(corrected(&session(&[]).unwrap()), ["x86", "arm", "hvx"]);
        assert!(corrected(&session(&["--no-errata"]).unwrap()).is_empty());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("own.toml");
        std::fs::write(&path, "isa = \"nobody's\"\n").unwrap();
        assert!(session(&["--errata", &path.display().to_string()]).is_err());
    }

    #[test]
    fn flags_make_another_session_like_it() {
        let flags = ["--no-errata", "--hvx-length", "64", "--accept-partial"];
        assert_eq!(session(&flags).unwrap().flags(), flags);
        assert_eq!(session(&["--hvx-length", "128"]).unwrap().flags(), [""; 0], "defaults need none");
    }

    #[test]
    fn unknown_names_are_refused_with_those_there_are() {
        let session = Session::new(&built_in()).unwrap();
        let error = session.all_asked(&["x86".to_owned(), "mmix".to_owned()]).unwrap_err();
        assert!(error.to_string().ends_with("there are x86, arm, hvx"), "{error}");
        assert_eq!(session.all_asked(&[]).unwrap(), session.isas());
    }
}
