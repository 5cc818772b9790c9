//! Whether whole functions do the same before and after they were changed, and how long they take on this machine, in pairs of
//! runs. On an emulator of another machine they are compared and not timed.
//!
//! A function is run on buffers and numbers that stand for its parameters, in a process of its own. Only functions that call
//! nothing but intrinsics are run, since nobody asked for what others do.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use refine::ast::Function;
use serde::Serialize;

use super::module::Source;
use super::price::Prices;

const CLANG: &str = "clang-19";
/// The program that runs a function of two objects.
const PROGRAM: &str = include_str!("measure.c");
/// Pairs of runs.
const PAIRS: u32 = 51;
/// A function is slower if it takes so many times as long as before; less is no more than the measurement's error.
const SLOWER: f64 = 1.02;
/// Parameters of a function that is run.
const MAX_PARAMETERS: usize = 10;

/// A function's times.
#[derive(Clone, Debug, Serialize)]
pub struct Measured {
    /// Its module.
    file: String,
    /// Its name.
    function: String,
    /// Its position in the module.
    #[serde(skip)]
    pub position: usize,
    /// Its times, where it was timed.
    #[serde(flatten)]
    times: Option<Times>,
    /// Whether it stays as it was for these.
    pub slower: bool,
    /// Whether it writes or gives something else than before, and stays as it was for that.
    pub differs: bool,
}

impl Measured {
    /// Whether the function stays as it was.
    pub fn is_kept(&self) -> bool {
        self.slower || self.differs
    }
}

/// Nanoseconds of a function.
#[derive(Clone, Copy, Debug, Serialize)]
struct Times {
    /// Before and after, medians of all runs.
    before: f64,
    after: f64,
    /// The median of the quotients of pairs.
    quotient: f64,
}

/// A program that runs another machine's code: the beginning of the machine's triple, its name, and where its libraries are.
const EMULATORS: &[(&str, &str, &str)] = &[("aarch64", "qemu-aarch64", "/usr/aarch64-linux-gnu")];

/// A folder with the program, for a machine's code.
pub struct Measurement<'a> {
    prices: &'a Prices,
    folder: tempfile::TempDir,
    /// What runs the program, and where its libraries are; none on this machine.
    emulator: Option<(&'static str, &'static str)>,
}

impl<'a> Measurement<'a> {
    /// Compiles the program; refused for the code of another machine that there is no emulator of.
    pub fn new(prices: &'a Prices) -> Result<Self> {
        let triple = prices.triple();
        let emulated = EMULATORS.iter().find(|(machine, ..)| triple.starts_with(machine));
        let emulator = match triple.starts_with(std::env::consts::ARCH) {
            true => None,
            false => {
                let (_, program, libraries) = emulated
                    .filter(|(_, program, _)| Command::new(program).arg("--version").output().is_ok())
                    .with_context(|| format!("--measure runs code of {triple}, which this machine cannot"))?;
                Some((*program, *libraries))
            }
        };
        let folder = tempfile::tempdir().context("cannot make a folder")?;
        let source = folder.path().join("measure.c");
        std::fs::write(&source, PROGRAM).with_context(|| format!("cannot write {}", source.display()))?;
        let program = folder.path().join("measure");
        run(linker(triple, emulator.is_some()).arg("-O1").arg("-o").arg(program).arg(source).arg("-ldl"))?;
        Ok(Self { prices, folder, emulator })
    }

    /// The times of some functions of a module, before and after; those that cannot be run are left out.
    pub fn functions(
        &self,
        source: &Source,
        changed: &str,
        functions: &BTreeSet<usize>,
    ) -> Result<Vec<Measured>> {
        if functions.is_empty() {
            return Ok(Vec::new());
        }
        let before = self.object("before", source.module.text())?;
        let after = self.object("after", changed)?;
        let file = source.path.display().to_string();
        let mut all = Vec::new();
        for position in functions.iter().copied() {
            let own = &source.module.functions[position];
            let Some(kinds) = kinds(source, position) else {
                tracing::info!("@{} of {file} is not measured: it cannot be run alone", own.name);
                continue;
            };
            let (times, differs) = match self.times(&before, &after, own, &kinds) {
                Ok(found) => found,
                Err(error) => {
                    tracing::info!("@{} of {file} is not measured: {error:#}", own.name);
                    continue;
                }
            };
            if differs {
                eprintln!(
                    "warning: @{} of {file} does something else when it is changed; it stays as it was",
                    own.name
                );
            }
            let slower = times.is_some_and(|times| times.quotient > SLOWER);
            all.push(Measured {
                file: file.clone(),
                function: own.name.clone(),
                position,
                times,
                slower,
                differs,
            });
        }
        Ok(all)
    }

    /// A function's times, if this machine runs it, and whether it does something else.
    fn times(
        &self,
        before: &Path,
        after: &Path,
        function: &Function,
        kinds: &str,
    ) -> Result<(Option<Times>, bool)> {
        let program = self.folder.path().join("measure");
        let mut command = match self.emulator {
            None => Command::new(program),
            Some((emulator, libraries)) => {
                let mut command = Command::new(emulator);
                command.args(["-L", libraries]).arg(program);
                command
            }
        };
        let pairs = if self.emulator.is_none() { PAIRS } else { 0 };
        let text =
            run(command.args([before, after]).args([function.name.as_str(), kinds]).arg(pairs.to_string()))?;
        let mut words = text.split_whitespace();
        let differs = match words.next() {
            Some("same") => false,
            Some("differs") => true,
            _ => bail!("it says nothing"),
        };
        let numbers: Vec<f64> = words.map(str::parse).collect::<Result<_, _>>().context("its times")?;
        let times = match numbers[..] {
            [before, after, quotient] => Some(Times { before, after, quotient }),
            _ => None,
        };
        Ok((times, differs))
    }

    /// A module as a shared object.
    fn object(&self, name: &str, text: &str) -> Result<PathBuf> {
        let file = |ending: &str| self.folder.path().join(name).with_extension(ending);
        let [module, code, object] = ["ll", "o", "so"].map(file);
        std::fs::write(&module, text).with_context(|| format!("cannot write {}", module.display()))?;
        self.prices.compile(&module, &code)?;
        run(linker(self.prices.triple(), self.emulator.is_some())
            .arg("-shared")
            .arg("-o")
            .arg(&object)
            .arg(&code))?;
        Ok(object)
    }
}

/// The compiler as a linker for a machine.
fn linker(triple: &str, is_other: bool) -> Command {
    let mut command = Command::new(CLANG);
    command.args(is_other.then(|| format!("--target={triple}"))).args(is_other.then_some("-fuse-ld=lld"));
    command
}

/// A letter for each parameter of a function that can be run by itself: pointers and integers, and no calls of others.
fn kinds(source: &Source, position: usize) -> Option<String> {
    let (function, outline) = (&source.module.functions[position], source.outlines[position].as_ref()?);
    let text = source.module.text();
    let calls = |line: &refine::Line| {
        let text = &text[line.span.clone()];
        let is_call = ["call ", "invoke ", "callbr "].iter().any(|word| text.contains(word));
        !line.is_record && is_call && (!text.contains("@llvm.") || text.contains(" asm "))
    };
    if outline.sections.iter().flat_map(|section| &section.lines).any(calls) {
        return None;
    }
    // Of a register for a result only as much counts as the result has.
    let definition = &text[function.span.clone()];
    let result = match definition[..definition.find('@')?].split_whitespace().last()? {
        "i8" | "i1" => "1",
        "i16" => "2",
        "i32" => "4",
        "i64" => "8",
        _ => "",
    };
    let mut kinds = result.to_owned();
    for ty in parameters(&text[function.span.clone()])? {
        let kind = match ty {
            "ptr" => 'p',
            "i32" | "i64" => 'n',
            "i1" | "i8" | "i16" => 'i',
            _ => return None,
        };
        let _ = write!(kinds, "{kind}");
    }
    (kinds.len() <= MAX_PARAMETERS + result.len()).then_some(kinds)
}

/// The types of a definition's parameters as they are written; `None` where they are not all fixed.
fn parameters(definition: &str) -> Option<Vec<&str>> {
    let name = definition.find('@')?;
    let start = name + definition[name..].find('(')? + 1;
    let (mut depth, mut begin, mut types) = (0, start, Vec::new());
    for (at, letter) in definition[start..].char_indices().map(|(at, letter)| (start + at, letter)) {
        match letter {
            '(' | '<' | '[' | '{' => depth += 1,
            ')' if depth == 0 => {
                let last = definition[begin..at].trim();
                types.extend((!last.is_empty()).then_some(last));
                let first = |text: &'_ str| text.split_whitespace().next().map(str::len);
                return types
                    .into_iter()
                    .map(|text| first(text).map(|length| &text[..length]))
                    .collect::<Option<Vec<&str>>>()
                    .filter(|types| !types.contains(&"..."));
            }
            ')' | '>' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                types.push(definition[begin..at].trim());
                begin = at + 1;
            }
            _ => {}
        }
    }
    None
}

/// What a program prints; an error where it fails.
fn run(command: &mut Command) -> Result<String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("cannot start {program}"))?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        bail!("{program}: {}: {}", output.status, message.lines().next().unwrap_or_default());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::parameters;

    #[test]
    fn parameters_are_read_as_they_are_written() {
        let read = |text| parameters(text).expect("parameters");
        let text =
            "define dso_local void @f(ptr noalias captures(none) %0, i64 noundef range(i64 0, 9) %n) #0 {\n}";
        assert_eq!(read(text), ["ptr", "i64"]);
        assert!(read("define i8 @g() {\n}").is_empty());
        assert_eq!(read("define <4 x i8> @g(<4 x i8> %a) {\n}"), ["<4"]);
        assert_eq!(parameters("define i8 @g(i8, ...) {\n}"), None);
    }
}
