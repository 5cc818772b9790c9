//! What each intrinsic is in LLVM: extracted from the compiler, so that users do not need one.
//!
//! About half of Neon's and a third of x86's intrinsics have no LLVM intrinsic but only plain IR. [`read`] makes
//! one C function for each instruction and combination of immediates, compiles it, and takes the body.

mod body;
mod check;
mod conventions;
mod oracle;
mod program;
mod source;
mod toolchain;
mod values;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use parsers::Instruction;
use rayon::prelude::*;

pub use body::Body;
pub use check::{CheckedDefinition, Lowered, check};
pub use conventions::{Conventions, Names, Place, Predicates, Prototype, documented, passed};
pub use oracle::{Caller, Program, case, prepare};
pub use program::{Definition, Operand, Setting, Surroundings};
use source::Source;
pub use toolchain::{Processor, Toolchain, clang_release};
pub use values::integers;

use crate::compiler::NO_CONTRACTION;
use crate::error::OracleError;
use crate::miscompiled::Miscompiled;
use crate::target::Target;
use crate::wrapper::Dialect;

/// Functions of one file: enough to make the cost of parsing the headers negligible.
const CHUNK: usize = 4000;

/// How often a file is recompiled without the rejected parts.
const MAX_ROUNDS: usize = 8;

/// How the C is compiled: as for optimization, but without running any.
const COMPILE: [&str; 9] = [
    "-O1",
    NO_CONTRACTION,
    "-Xclang",
    "-disable-llvm-passes",
    "-S",
    "-emit-llvm",
    "-ferror-limit=0",
    "-fno-caret-diagnostics",
    "-fno-color-diagnostics",
];

/// The passes run afterwards: the headers' functions and variables are removed. Nothing is simplified, so
/// that the bodies stay as in the headers and have the same shape for all values of an immediate.
const PASSES: &str = "-passes=always-inline,function(sroa,dce),globaldce";

/// Options of a clang that reads and writes LLVM assembly.
const CLANG: [&str; 2] = ["-emit-llvm", "-Wno-unused-command-line-argument"];

/// The programs that are used.
#[derive(Clone, Debug)]
pub struct Tools {
    /// A clang.
    pub compiler: PathBuf,
    /// LLVM's `opt` of the same release; where it is `None`, the compiler does it all.
    pub optimizer: Option<PathBuf>,
}

/// What an instruction's intrinsic is in LLVM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    /// The instruction's id.
    pub id: String,
    /// For each combination of immediates that the compiler takes, in order, the function.
    pub cases: Vec<(Vec<i64>, Body)>,
}

/// The extracted data of an instruction set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadAll {
    /// The compiler's version string.
    pub compiler: String,
    /// The options that it was called with.
    pub options: Vec<String>,
    /// The target's name.
    pub triple: String,
    /// The target's layout of data.
    pub layout: String,
    /// The instructions that could be read, by id.
    pub read: Vec<Read>,
    /// The others with the reason, by id.
    pub refused: Vec<(String, String)>,
}

/// Extracts the instructions of one instruction set from a compiler, a clang. If an id occurs twice, the
/// first instruction is used. Files are written in `work_dir`, which is created where needed.
pub fn read<'a>(
    target: &Target,
    instructions: impl IntoIterator<Item = &'a Instruction>,
    tools: &Tools,
    work_dir: &Path,
) -> Result<ReadAll, OracleError> {
    std::fs::create_dir_all(work_dir).map_err(OracleError::file(work_dir))?;
    let own = target.lowering()?;
    let (dialect, options) = (own.dialect, (own.read_options)());
    let options_text = options.iter().map(|option| (*option).to_owned()).collect();
    let mut all = ReadAll { options: options_text, ..ReadAll::default() };
    all.compiler = run(&tools.compiler, &["--version"])?.1.lines().next().unwrap_or_default().to_owned();

    let miscompiled = Miscompiled::by(&all.compiler)?;
    let mut seen = BTreeSet::new();
    let mut sources = Vec::new();
    for instruction in instructions {
        if !seen.insert(instruction.id.as_str()) {
            continue;
        }
        if let Some(reason) = miscompiled.reason(instruction) {
            all.refused.push((instruction.id.clone(), reason.to_owned()));
            continue;
        }
        match Source::new(dialect, instruction) {
            Ok(source) => sources.push((instruction.id.clone(), source)),
            Err(message) => all.refused.push((instruction.id.clone(), message)),
        }
    }
    let functions: Vec<(usize, usize)> = sources
        .iter()
        .enumerate()
        .flat_map(|(number, (_, source))| (0..source.immediates.len()).map(move |case| (number, case)))
        .collect();
    let chunks: Vec<(usize, &[(usize, usize)])> = functions.chunks(CHUNK).enumerate().collect();
    let chunks = chunks.into_par_iter().map(|(number, chunk)| {
        let lines = chunk.iter().map(|(source, case)| {
            let own = &sources[*source].1;
            let name = name_of(*source, *case, own.results);
            let line = own.line(&name, *case);
            (name, line)
        });
        let file = work_dir.join(format!("read-{}-{number}.c", target.isa));
        compile(tools, dialect, &options, lines.collect(), &file)
    });
    let mut bodies = BTreeMap::new();
    for chunk in chunks.collect::<Result<Vec<_>, OracleError>>()? {
        (all.triple, all.layout) = (chunk.triple, chunk.layout);
        bodies.extend(chunk.functions);
    }
    for (number, (id, source)) in sources.into_iter().enumerate() {
        let mut cases = Vec::new();
        let mut why = String::from("the compiler gives no function");
        for (case, values) in source.immediates.iter().cloned().enumerate() {
            match bodies.remove(&name_of(number, case, source.results)) {
                Some(Ok(body)) => cases.push((values, body)),
                Some(Err(message)) => why = message,
                None => {}
            }
        }
        if cases.is_empty() {
            all.refused.push((id, why));
        } else {
            all.read.push(Read { id, cases });
        }
    }
    all.read.sort_by(|a, b| a.id.cmp(&b.id));
    all.refused.sort();
    Ok(all)
}

/// The name of a function, at whose end is the number of its results that are written through pointers.
fn name_of(source: usize, case: usize, results: usize) -> String {
    format!("f{source}_{case}_{results}")
}

/// A compiled file.
struct Compiled {
    triple: String,
    layout: String,
    functions: BTreeMap<String, Result<Body, String>>,
}

/// Compiles functions, each a name and a line, until nothing is rejected; returns the messages of the
/// rejected ones.
fn compile(
    tools: &Tools,
    dialect: &Dialect,
    options: &[&str],
    mut functions: Vec<(String, String)>,
    file: &Path,
) -> Result<Compiled, OracleError> {
    let mut refused = BTreeMap::new();
    let output = file.with_extension("ll");
    for _ in 0..MAX_ROUNDS {
        let mut text = String::new();
        for line in dialect.preamble.iter().copied().chain(functions.iter().map(|(_, line)| line.as_str())) {
            text.push_str(line);
            text.push('\n');
        }
        std::fs::write(file, &text).map_err(OracleError::file(file))?;
        let (source, target) = (file.to_string_lossy(), output.to_string_lossy());
        let args: Vec<&str> =
            options.iter().copied().chain(COMPILE).chain([&*source, "-o", &*target]).collect();
        let (done, messages) = run(&tools.compiler, &args)?;
        if done {
            inline(tools, options, &target)?;
            let module = std::fs::read_to_string(&output).map_err(OracleError::file(&output))?;
            let mut functions = body::functions(&module);
            functions.extend(refused);
            let named = |what: &str| {
                let mut lines = module.lines().filter_map(|line| line.strip_prefix(what));
                lines.next().unwrap_or_default().trim_matches('"').to_owned()
            };
            let (triple, layout) = (named("target triple = "), named("target datalayout = "));
            return Ok(Compiled { triple, layout, functions });
        }
        let before = refused.len();
        for (line, message) in errors(&messages) {
            let function = line.checked_sub(dialect.preamble.len() + 1).and_then(|at| functions.get(at));
            if let Some((name, _)) = function {
                let undeclared = message.starts_with("call to undeclared function");
                let message = if undeclared { "the compiler declares no such intrinsic" } else { message };
                refused.entry(name.clone()).or_insert_with(|| Err(message.to_owned()));
            }
        }
        if refused.len() == before {
            return Err(OracleError::Build { message: messages });
        }
        functions.retain(|(name, _)| !refused.contains_key(name));
    }
    Err(OracleError::Build { message: format!("{}: more and more errors", file.display()) })
}

/// Inlines what the functions of a module in LLVM assembly call, and moves their variables to registers, in place.
fn inline(tools: &Tools, options: &[&str], module: &str) -> Result<(), OracleError> {
    let mut steps: Vec<(&Path, Vec<String>)> = Vec::new();
    match &tools.optimizer {
        Some(optimizer) => steps.push((optimizer, vec![PASSES.to_owned()])),
        None => {
            let clang =
                |more: &[&str]| options.iter().chain(&CLANG).chain(more).map(|&o| o.to_owned()).collect();
            let compiler = &tools.compiler;
            steps.push((compiler, clang(&["-O0", "-Xclang", "-disable-O0-optnone"])));
            let promotion = toolchain::only(compiler, &["sroa", "adce"])?;
            steps.push((compiler, [clang(&["-O1"]), promotion].concat()));
        }
    }
    for (program, mut args) in steps {
        args.extend(["-S", module, "-o", module].map(str::to_owned));
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let (done, message) = run(program, &args)?;
        if !done {
            return Err(OracleError::Build { message });
        }
    }
    Ok(())
}

/// The functions in LLVM assembly, each with a name, that the compiler of `tools` refuses, with its message.
pub fn refused(
    target: &Target,
    functions: &BTreeMap<String, String>,
    tools: &Tools,
    work_dir: &Path,
) -> Result<BTreeMap<String, String>, OracleError> {
    let options = (target.lowering()?.read_options)();
    let functions: Vec<(&String, &String)> = functions.iter().collect();
    let each = functions.into_par_iter().enumerate().map(|(number, (name, text))| {
        let file = work_dir.join(format!("refused-{}-{number}.ll", target.isa));
        std::fs::write(&file, text).map_err(OracleError::file(&file))?;
        let (source, object) = (file.to_string_lossy(), file.with_extension("o"));
        let object = object.to_string_lossy();
        let args = options.iter().copied().chain(["-O1", "-c", &*source, "-o", &*object]);
        let (done, messages) = run(&tools.compiler, &args.collect::<Vec<_>>())?;
        let message = messages.lines().find_map(|line| Some(line.split_once("error: ")?.1.to_owned()));
        Ok((!done).then(|| (name.clone(), message.unwrap_or_else(|| "the compiler fails".to_owned()))))
    });
    Ok(each.collect::<Result<Vec<_>, OracleError>>()?.into_iter().flatten().collect())
}

/// The errors in a compiler's messages by line: `file.c:LINE:COLUMN: error: MESSAGE`.
fn errors(messages: &str) -> impl Iterator<Item = (usize, &str)> {
    messages.lines().filter_map(|line| {
        let (place, message) = line.split_once(" error: ")?;
        let (_, place) = place.split_once(".c:")?;
        Some((place.split(':').next()?.parse().ok()?, message))
    })
}

/// Runs the compiler; returns whether it succeeded, and its messages.
fn run(compiler: &Path, args: &[&str]) -> Result<(bool, String), OracleError> {
    let output = Command::new(compiler)
        .args(args)
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .output()
        .map_err(|source| OracleError::Compiler { program: compiler.to_path_buf(), source })?;
    let text = [output.stdout, output.stderr].concat();
    Ok((output.status.success(), String::from_utf8_lossy(&text).into_owned()))
}
