//! Compiling the generated C, without the parts that the compiler rejects.
//!
//! Wrappers are compiled in chunks, in parallel. A chunk's object file and the list of removed parts are kept
//! in the work directory under the hash of its source, the options and the compiler's version, so that only
//! what changed is compiled again.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::OracleError;
use crate::wrapper::{Dialect, Owner, Wrapper, WrapperOptions, chunk_source};

/// Lines of a chunk: enough to make the cost of parsing the headers negligible.
const CHUNK_LINES: usize = 4000;

/// How often a chunk is recompiled without the rejected parts.
const MAX_ROUNDS: usize = 8;

/// How wrappers are compiled. Warnings stay on: some, such as that of an immediate out of range,
/// are errors.
const COMPILE: [&str; 6] =
    ["-O1", NO_CONTRACTION, "-ferror-limit=0", "-fno-caret-diagnostics", "-fno-color-diagnostics", "-c"];

/// A product and a sum of a header's function are rounded each by itself.
pub(crate) const NO_CONTRACTION: &str = "-ffp-contract=off";

/// The compiler and how it is called.
pub(crate) struct Compiler<'a> {
    pub(crate) program: &'a Path,
    pub(crate) version: String,
    /// The C that it is given.
    pub(crate) dialect: &'static Dialect,
    /// What the wrappers are made of.
    pub(crate) wrappers: &'a WrapperOptions,
    /// Options that say which machine is compiled for.
    pub(crate) options: Vec<&'static str>,
    /// Further options for the link, which compiles the runner as well.
    pub(crate) link_options: &'static [&'static str],
    pub(crate) work_dir: &'a Path,
}

/// An object file to link.
pub(crate) struct Object {
    pub(crate) path: PathBuf,
    /// The table of its wrappers.
    pub(crate) symbol: String,
    /// The length of the table.
    pub(crate) count: usize,
}

impl From<&Chunk> for Object {
    fn from(chunk: &Chunk) -> Self {
        Self { path: chunk.object.clone(), symbol: chunk.symbol.clone(), count: chunk.wrappers.len() }
    }
}

/// A compiled chunk.
pub(crate) struct Chunk {
    object: PathBuf,
    symbol: String,
    /// The position of the first wrapper in the whole list.
    pub(crate) first: usize,
    pub(crate) wrappers: Vec<Wrapper>,
}

/// What was left out of a chunk, as stored next to the object file.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Refused {
    /// Wrapper, case, message.
    cases: Vec<(usize, usize, String)>,
    /// Wrapper, message.
    wrappers: Vec<(usize, String)>,
    /// The compiler failed without saying where: the halves of the chunk are compiled instead.
    split: bool,
}

impl<'a> Compiler<'a> {
    /// Asks the compiler for its version, which also shows whether there is one.
    pub(crate) fn new(
        program: &'a Path,
        dialect: &'static Dialect,
        options: Vec<&'static str>,
        link_options: &'static [&'static str],
        wrappers: &'a WrapperOptions,
        work_dir: &'a Path,
    ) -> Result<Self, OracleError> {
        std::fs::create_dir_all(work_dir).map_err(OracleError::file(work_dir))?;
        let mut compiler =
            Self { program, version: String::new(), dialect, wrappers, options, link_options, work_dir };
        compiler.version = compiler.run(["--version"])?.1;
        Ok(compiler)
    }

    /// Compiles wrappers; returns them in order, without the rejected parts.
    pub(crate) fn build(&self, wrappers: Vec<Wrapper>) -> Result<Vec<Chunk>, OracleError> {
        let mut groups: Vec<(usize, Vec<Wrapper>)> = Vec::new();
        let mut lines = CHUNK_LINES;
        for (position, wrapper) in wrappers.into_iter().enumerate() {
            if lines >= CHUNK_LINES {
                groups.push((position, Vec::new()));
                lines = 0;
            }
            lines += wrapper.lines();
            if let Some((_, group)) = groups.last_mut() {
                group.push(wrapper);
            }
        }
        let chunks = groups.into_par_iter().map(|(first, wrappers)| self.chunk(first, wrappers));
        let chunks: Vec<Vec<Chunk>> = chunks.collect::<Result<_, OracleError>>()?;
        Ok(chunks.into_iter().flatten().collect())
    }

    fn chunk(&self, first: usize, mut wrappers: Vec<Wrapper>) -> Result<Vec<Chunk>, OracleError> {
        // Two instructions may share a source, but each object file has its own symbol.
        let source = chunk_source(self.dialect, &self.wrappers.definitions, &wrappers, "").0;
        let texts: Vec<&str> =
            std::iter::once(source.as_str()).chain(wrappers.iter().map(Wrapper::id)).collect();
        let key = self.key(&texts);
        let symbol = format!("hydride_chunk_{key}");
        let (object, notes) = (self.path(&key, "o"), self.path(&key, "json"));
        let kept = std::fs::read(&notes).ok().and_then(|text| serde_json::from_slice::<Refused>(&text).ok());
        let refused = match kept {
            Some(refused) if refused.split || object.exists() => {
                refused.apply(&mut wrappers);
                refused
            }
            _ => {
                let refused = self.rounds(&mut wrappers, &symbol, &object)?;
                let text = serde_json::to_vec(&refused).unwrap_or_default();
                self.write(&notes, &text)?;
                refused
            }
        };
        if !refused.split {
            return Ok(vec![Chunk { object, symbol, first, wrappers }]);
        }
        let second = wrappers.split_off(wrappers.len() / 2);
        let middle = first + wrappers.len();
        let mut chunks = self.chunk(first, wrappers)?;
        chunks.extend(self.chunk(middle, second)?);
        Ok(chunks)
    }

    /// Compiles until nothing is rejected.
    fn rounds(&self, wrappers: &mut [Wrapper], symbol: &str, object: &Path) -> Result<Refused, OracleError> {
        let mut refused = Refused::default();
        let mut last = String::new();
        for _ in 0..MAX_ROUNDS {
            let (source, owners) = chunk_source(self.dialect, &self.wrappers.definitions, wrappers, symbol);
            // Unique files, since another process may be compiling the same chunk.
            let temporary = self.temporary(object);
            let file = temporary.with_extension("c");
            std::fs::write(&file, &source).map_err(OracleError::file(&file))?;
            let options = self.options.iter().copied().chain(COMPILE).map(OsStr::new);
            let (done, messages) =
                self.run(options.chain([file.as_os_str(), OsStr::new("-o"), temporary.as_os_str()]))?;
            let kept = object.with_extension("c");
            std::fs::rename(&file, &kept).map_err(OracleError::file(&kept))?;
            if done {
                std::fs::rename(&temporary, object).map_err(OracleError::file(object))?;
                return Ok(refused);
            }
            let found = Refused::from_messages(&messages, &owners);
            last = messages;
            if found.cases.is_empty() && found.wrappers.is_empty() {
                break;
            }
            found.apply(wrappers);
            refused.cases.extend(found.cases);
            refused.wrappers.extend(found.wrappers);
        }
        // The compiler gives no location, or does not terminate: find the wrapper by bisection.
        match wrappers {
            [wrapper] if wrapper.refusal.is_some() => Err(OracleError::Build { message: last }),
            [_] => {
                let line = last.lines().find(|line| line.contains("error")).unwrap_or("the compiler failed");
                let alone = Refused { wrappers: vec![(0, line.to_owned())], ..Refused::default() };
                alone.apply(wrappers);
                let empty = self.rounds(wrappers, symbol, object)?;
                Ok(Refused { wrappers: [alone.wrappers, empty.wrappers].concat(), ..empty })
            }
            _ => Ok(Refused { split: true, ..refused }),
        }
    }

    /// Links chunks with the runner, whose C source is `runner`.
    pub(crate) fn link(&self, runner: &str, chunks: &[Object]) -> Result<PathBuf, OracleError> {
        let mut table = String::from(
            "typedef void (*hydride_wrapper)(const unsigned char *, unsigned char *, unsigned);\n",
        );
        for chunk in chunks {
            table += &format!("extern const hydride_wrapper {}[];\n", chunk.symbol);
        }
        let list =
            |entry: &dyn Fn(&Object) -> String| chunks.iter().map(entry).collect::<Vec<_>>().join(", ");
        table += &format!(
            "const hydride_wrapper *const hydride_chunks[] = {{ {}, 0 }};\n",
            list(&|chunk| chunk.symbol.clone())
        );
        table += &format!(
            "const unsigned hydride_chunk_sizes[] = {{ {}, 0 }};\n",
            list(&|chunk| chunk.count.to_string())
        );
        table += &format!("const unsigned hydride_chunk_count = {};\n", chunks.len());
        if chunks.is_empty() {
            table = table.replace("{ , 0 }", "{ 0 }");
        }
        let runner = format!("#define HYDRIDE_SLOT {}\n{runner}", self.dialect.slot_bytes);
        let objects: Vec<String> = chunks.iter().map(|chunk| chunk.path.display().to_string()).collect();
        let key = self.key(&[&runner, &table, &self.link_options.join(" "), &objects.join(" ")]);
        let program = self.path(&key, "runner");
        if program.exists() {
            return Ok(program);
        }
        let (main, tables) = (self.path(&key, "main.c"), self.path(&key, "table.c"));
        self.write(&main, runner.as_bytes())?;
        self.write(&tables, table.as_bytes())?;
        let temporary = self.temporary(&program);
        let mut args: Vec<&OsStr> = vec![OsStr::new("-O1"), OsStr::new(NO_CONTRACTION)];
        args.extend(self.options.iter().chain(self.link_options).map(OsStr::new));
        args.extend([main.as_os_str(), tables.as_os_str()]);
        args.extend(chunks.iter().map(|chunk| chunk.path.as_os_str()));
        args.extend([OsStr::new("-o"), temporary.as_os_str()]);
        match self.run(args)? {
            (true, _) => {
                std::fs::rename(&temporary, &program).map_err(OracleError::file(&program))?;
                Ok(program)
            }
            (false, message) => Err(OracleError::Build { message }),
        }
    }

    /// Runs the compiler; returns whether it succeeded, and its messages.
    fn run(&self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Result<(bool, String), OracleError> {
        let output =
            Command::new(self.program)
                .args(args)
                .env("LC_ALL", "C")
                .stdin(Stdio::null())
                .output()
                .map_err(|source| OracleError::Compiler { program: self.program.to_path_buf(), source })?;
        let text = [output.stdout, output.stderr].concat();
        Ok((output.status.success(), String::from_utf8_lossy(&text).into_owned()))
    }

    fn key(&self, texts: &[&str]) -> String {
        let mut hasher = blake3::Hasher::new();
        let options = [&self.options[..], &COMPILE].concat().join(" ");
        for text in [self.version.as_str(), &options].iter().chain(texts) {
            hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
        }
        hasher.finalize().to_hex()[..24].to_owned()
    }

    fn path(&self, key: &str, extension: &str) -> PathBuf {
        self.work_dir.join(format!("{key}.{extension}"))
    }

    /// A name next to a file that no other process or thread uses.
    fn temporary(&self, path: &Path) -> PathBuf {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        path.with_extension(format!("{}-{number}.tmp", std::process::id()))
    }

    fn write(&self, path: &Path, content: &[u8]) -> Result<(), OracleError> {
        let temporary = self.temporary(path);
        std::fs::write(&temporary, content).map_err(OracleError::file(&temporary))?;
        std::fs::rename(&temporary, path).map_err(OracleError::file(path))
    }
}

impl Refused {
    /// The subjects of the compiler's errors, by line: `file.c:LINE:COLUMN: error: MESSAGE`.
    fn from_messages(messages: &str, owners: &[Owner]) -> Self {
        let mut refused = Self::default();
        for line in messages.lines() {
            let Some((place, message)) = line.split_once("error: ") else { continue };
            let Some((_, place)) = place.split_once(".c:") else { continue };
            let number = place.split(':').next().and_then(|number| number.parse::<usize>().ok());
            let owner = number.and_then(|number| owners.get(number.checked_sub(1)?));
            match owner {
                // Errors about a function are reported only once, those about an argument for each call.
                Some(Owner::Case(wrapper, case)) if message.contains("argument") => {
                    refused.cases.push((*wrapper, *case, message.into()));
                }
                Some(Owner::Case(wrapper, _) | Owner::Wrapper(wrapper)) => {
                    refused.wrappers.push((*wrapper, message.into()));
                }
                Some(Owner::Nothing) | None => {}
            }
        }
        refused
    }

    fn apply(&self, wrappers: &mut [Wrapper]) {
        for (wrapper, message) in &self.wrappers {
            if let Some(wrapper) = wrappers.get_mut(*wrapper) {
                wrapper.refuse(message);
            }
        }
        for (wrapper, case, message) in &self.cases {
            if let Some(wrapper) = wrappers.get_mut(*wrapper) {
                wrapper.refuse_case(*case, message);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use hydride_ir::Function;
    use parsers::{Argument, Instruction, Isa, Kind, Signature, Span};

    use super::*;
    use crate::x86;

    fn wrapper(intrinsic: &str) -> Wrapper {
        let kind = Kind::Scalar;
        let result = Argument { name: "r".into(), c_type: "int".into(), width: 32, kind, element: None };
        let instruction = Instruction {
            id: intrinsic.into(),
            isa: Isa::register("x86"),
            intrinsic: intrinsic.into(),
            function: Function::new(intrinsic),
            accessed: None,
            addresses: None,
            undefined: Vec::new(),
            undefined_for: Vec::new(),
            signature: Signature { args: Vec::new(), results: vec![result] },
            extensions: Vec::new(),
            forms: Vec::new(),
            span: Span::default(),
        };
        Wrapper::new(&x86::DIALECT, &instruction, 4).unwrap()
    }

    #[test]
    fn a_compiler_that_gives_no_place_is_bisected_and_remembered() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("compiler");
        let log = folder.path().join("log");
        let text = format!(
            "#!/bin/sh\necho called >> {}\n[ $# -eq 1 ] && exit 0\n\
             for last; do case $last in *.c) grep -q boom $last && exit 1;; esac; done\n: > $last\n",
            log.display()
        );
        // Another process writes it: a program that this one has open for writing, or a child that another
        // thread just forked, cannot be started.
        let write = Command::new("sh")
            .args(["-c", "printf %s \"$1\" > \"$0\" && chmod +x \"$0\""])
            .args([script.as_os_str(), text.as_ref()])
            .status();
        assert!(write.unwrap().success());
        let build = || {
            let wrappers = WrapperOptions::default();
            let compiler =
                Compiler::new(&script, &x86::DIALECT, Vec::new(), &[], &wrappers, folder.path()).unwrap();
            compiler.build(["a", "b", "boom", "c", "d"].map(wrapper).to_vec()).unwrap()
        };
        let calls = || std::fs::read_to_string(&log).unwrap().lines().count();
        let chunks = build();
        let refusals: Vec<bool> = chunks
            .iter()
            .flat_map(|chunk| &chunk.wrappers)
            .map(|wrapper| wrapper.refusal.is_some())
            .collect();
        assert_eq!(refusals, [false, false, true, false, false]);
        let firsts: Vec<usize> = chunks.iter().map(|chunk| chunk.first).collect();
        assert!(firsts.is_sorted() && firsts[0] == 0);
        let before = calls();
        assert_eq!(build().len(), chunks.len());
        assert_eq!(calls(), before + 1, "only the version is asked for");
    }

    #[test]
    fn messages_belong_to_wrappers_or_cases() {
        let owners = [Owner::Nothing, Owner::Wrapper(0), Owner::Case(0, 3), Owner::Case(1, 0)];
        let messages = "x.c:2:1: error: unknown type name '_a'\n\
                        x.c:3:9: error: argument value 9 is outside the valid range [0, 7]\n\
                        y.h:4:9: note: expanded from macro\n\
                        x.c:4:2: error: call to undeclared function 'f'\n\
                        x.c:4:2: warning: odd\nx.c:99:1: error: beyond\n";
        let refused = Refused::from_messages(messages, &owners);
        let cases: Vec<(usize, usize)> =
            refused.cases.iter().map(|(wrapper, case, _)| (*wrapper, *case)).collect();
        let wrappers: Vec<usize> = refused.wrappers.iter().map(|(wrapper, _)| *wrapper).collect();
        assert_eq!((cases, wrappers), (vec![(0, 3)], vec![0, 1]));
    }
}
