//! The programs of one release of LLVM: they link a program with definitions, inline these and generate code.
//!
//! LLVM's own tools are `llvm-link`, `opt` and `llc`. Where a release comes only as a clang, that does the same in two
//! steps: it links bitcode and runs nothing but the inliner, and generates code without any pass.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::error::OracleError;

/// The programs of one release of LLVM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Toolchain {
    /// LLVM's own tools.
    Tools {
        /// `llvm-link`.
        link: PathBuf,
        /// `opt`.
        optimizer: PathBuf,
        /// `llc`.
        compiler: PathBuf,
    },
    /// A clang, alone.
    Clang(PathBuf),
}

/// A processor that code is generated for, in LLVM's words.
#[derive(Clone, Copy, Debug)]
pub struct Processor {
    /// The target triple.
    pub triple: &'static str,
    /// Its name; the target's least one where it is `None`.
    pub cpu: Option<&'static str>,
    /// What it has besides, each with a `+`.
    pub features: &'static [&'static str],
}

/// The form of generated code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Code<'a> {
    /// Assembly of calls that are inlined and otherwise as they are, with LLVM's options for its syntax.
    Assembly(&'a [&'static str]),
    /// A position-independent object file. Conversions that undo each other go before, some of which Hexagon's backend
    /// cannot compile.
    Object,
}

/// What a tool did: its messages where it failed.
type Done = Result<Result<(), String>, OracleError>;

/// How clang reads LLVM assembly and bitcode, and writes bitcode.
const CLANG_BITCODE: [&str; 4] = ["-O2", "-Wno-unused-command-line-argument", "-emit-llvm", "-c"];

/// The passes of a clang that only inlines: the inliner, what runs it on a module, under either of its names, and the
/// removal of functions that are not called any more.
const CLANG_INLINE: [&str; 4] = ["inline", "inliner-wrapper", "inliner-ml-advisor-release", "globaldce"];

/// Definitions are inlined even if immediates are no constants in the program, so that there is code for all of their
/// values.
const INLINE_ALL: &str = "-inline-threshold=1000000";

/// How clang generates code that is optimized as `llc` does it.
const CLANG_COMPILE: [&str; 3] = ["-O2", "-Wno-unused-command-line-argument", "-fPIC"];

impl Toolchain {
    /// LLVM's own tools under the names that Debian gives those of a release.
    pub fn of_release(release: u32) -> Self {
        let named = |tool: &str| PathBuf::from(format!("{tool}-{release}"));
        Self::Tools { link: named("llvm-link"), optimizer: named("opt"), compiler: named("llc") }
    }

    /// The program that generates code.
    pub fn compiler(&self) -> &Path {
        match self {
            Self::Tools { compiler, .. } | Self::Clang(compiler) => compiler,
        }
    }

    /// A module of which programs use parts, in the form in which [`Self::generate`] takes it. The file is written in
    /// `work_dir`.
    pub(super) fn library(
        &self,
        module: &Path,
        on: &Processor,
        work_dir: &Path,
    ) -> Result<Result<PathBuf, String>, OracleError> {
        match self {
            Self::Tools { .. } => Ok(Ok(module.to_path_buf())),
            Self::Clang(clang) => {
                let name = module.file_name().unwrap_or(module.as_os_str());
                let bitcode = work_dir.join(name).with_extension("library.bc");
                let mut command = Command::new(clang);
                command
                    .args(on.clang_options())
                    .args(CLANG_BITCODE)
                    .args(["-Xclang", "-disable-llvm-passes"]);
                Ok(step(command.arg(module), &bitcode)?.map(|()| bitcode))
            }
        }
    }

    /// Links a program with what it calls of the libraries, inlines that and writes code to `output`; intermediate
    /// files are next to it.
    pub(super) fn generate(
        &self,
        on: &Processor,
        code: Code<'_>,
        program: &Path,
        libraries: &[PathBuf],
        output: &Path,
    ) -> Done {
        let inlined = output.with_extension("inlined.bc");
        let mut compile = Command::new(self.compiler());
        let done = match self {
            Self::Tools { link, optimizer, .. } => {
                let linked = output.with_extension("linked.bc");
                compile.args(on.llc_options()).args(code.llc_options());
                let mut inline = Command::new(optimizer);
                inline.args(on.llc_options()).args([code.passes(), INLINE_ALL]).arg(&linked);
                step(Command::new(link).arg("--only-needed").arg(program).args(libraries), &linked)?
                    .and(step(&mut inline, &inlined)?)
            }
            Self::Clang(clang) => {
                compile.args(on.clang_options()).args(CLANG_COMPILE).args(code.clang_options(clang)?);
                let mut inline = Command::new(clang);
                inline.args(on.clang_options()).args(CLANG_BITCODE).args(only(clang, &CLANG_INLINE)?);
                inline.args(["-mllvm", INLINE_ALL]);
                for library in libraries {
                    inline.args(["-Xclang", "-mlink-builtin-bitcode", "-Xclang"]).arg(library);
                }
                step(inline.arg(program), &inlined)?
            }
        };
        Ok(done.and(step(compile.arg(&inlined), output)?))
    }
}

impl Processor {
    fn llc_options(&self) -> Vec<String> {
        let cpu = self.cpu.map(|cpu| format!("-mcpu={cpu}"));
        let features = (!self.features.is_empty()).then(|| format!("-mattr={}", self.features.join(",")));
        cpu.into_iter().chain(features).collect()
    }

    fn clang_options(&self) -> Vec<String> {
        let own = |option: &str, value: &str| ["-Xclang", option, "-Xclang", value].map(str::to_owned);
        let target = format!("--target={}", self.triple);
        let cpu = self.cpu.into_iter().flat_map(|cpu| own("-target-cpu", cpu));
        let features = self.features.iter().flat_map(|feature| own("-target-feature", feature));
        std::iter::once(target).chain(cpu).chain(features).collect()
    }
}

impl Code<'_> {
    fn llc_options(&self) -> Vec<&'static str> {
        match self {
            Self::Assembly(syntax) => syntax.to_vec(),
            Self::Object => vec!["-filetype=obj", "-relocation-model=pic"],
        }
    }

    fn clang_options(&self, clang: &Path) -> Result<Vec<String>, OracleError> {
        Ok(match self {
            Self::Assembly(syntax) => {
                let syntax = syntax.iter().flat_map(|option| ["-mllvm", *option]);
                ["-S", "-Xclang", "-disable-llvm-passes"]
                    .into_iter()
                    .chain(syntax)
                    .map(str::to_owned)
                    .collect()
            }
            Self::Object => std::iter::once("-c".to_owned()).chain(only(clang, &["instcombine"])?).collect(),
        })
    }

    /// The passes of `opt` before code is generated.
    fn passes(&self) -> &'static str {
        match self {
            Self::Assembly(_) => "-passes=cgscc(inline),globaldce",
            Self::Object => "-passes=cgscc(inline),globaldce,function(instcombine<no-verify-fixpoint>)",
        }
    }
}

/// A module for which clang runs the passes over modules, functions and loops.
const SAMPLE: &str = "\
define i32 @f(ptr %p, i32 %n) {
  br label %b
b:
  %i = phi i32 [ 0, %0 ], [ %j, %b ]
  %a = getelementptr i32, ptr %p, i32 %i
  store i32 %i, ptr %a
  %j = add i32 %i, 1
  %c = icmp eq i32 %j, %n
  br i1 %c, label %e, label %b
e:
  ret i32 %n
}
";

/// The release of a clang, by what it says of itself; `None` if it says nothing of the kind.
pub fn clang_release(program: &Path) -> Result<Option<u32>, OracleError> {
    let error = |source| OracleError::Compiler { program: program.to_path_buf(), source };
    let said = Command::new(program).arg("--version").stdin(Stdio::null()).output().map_err(error)?;
    let said = String::from_utf8_lossy(&said.stdout);
    let release =
        said.split_once("clang version ").and_then(|(_, version)| version.split_once('.')?.0.parse().ok());
    Ok(release)
}

/// The options with which a clang runs no optional passes but these, where it is told to optimize.
pub(super) fn only(clang: &Path, passes: &[&str]) -> Result<Vec<String>, OracleError> {
    let program = || clang.to_path_buf();
    let mut child = Command::new(clang)
        .args(["-O2", "-x", "ir", "-c", "-emit-llvm", "-", "-o", "-"])
        .args(["-mllvm", "-opt-disable=none", "-mllvm", "-opt-disable-enable-verbosity"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|source| OracleError::Compiler { program: program(), source })?;
    let written = child.stdin.take().map_or(Ok(()), |mut input| input.write_all(SAMPLE.as_bytes()));
    let done =
        child.wait_with_output().map_err(|source| OracleError::Compiler { program: program(), source })?;
    let messages = String::from_utf8_lossy(&done.stderr);
    let name = |line: &str| {
        let (name, _) = line.strip_prefix("OptDisable: running pass ")?.split_once(" on ")?;
        (!name.contains('<') && !passes.contains(&name)).then(|| name.to_owned())
    };
    let others: BTreeSet<String> = messages.lines().filter_map(name).collect();
    if written.is_err() || !done.status.success() || others.is_empty() {
        let message = format!("{} does not list its passes: {messages}", clang.display());
        return Err(OracleError::Build { message });
    }
    let others: Vec<String> = others.into_iter().collect();
    Ok(vec!["-mllvm".to_owned(), format!("-opt-disable={}", others.join(","))])
}

/// What LLVM's tools say when they ignore a feature.
const IGNORED: &str = "is not a recognized feature";

/// Runs a tool, which writes `output`; its messages when it fails, or does not know a feature that a function needs.
fn step(command: &mut Command, output: &Path) -> Done {
    let done = command.arg("-o").arg(output).env("LC_ALL", "C").stdin(Stdio::null()).output();
    let program = || PathBuf::from(command.get_program());
    let done = done.map_err(|source| OracleError::Compiler { program: program(), source })?;
    let message = String::from_utf8_lossy(&done.stderr);
    let taken = done.status.success() && !message.contains(IGNORED);
    Ok(if taken { Ok(()) } else { Err(message.into_owned()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_in_the_words_of_each_tool() {
        let on = Processor {
            triple: "hexagon",
            cpu: Some("hexagonv73"),
            features: &["+hvxv73", "+hvx-length128b"],
        };
        assert_eq!(on.llc_options(), ["-mcpu=hexagonv73", "-mattr=+hvxv73,+hvx-length128b"]);
        let options = on.clang_options();
        assert_eq!(options[..5], ["--target=hexagon", "-Xclang", "-target-cpu", "-Xclang", "hexagonv73"]);
        assert_eq!(options.len(), 1 + 3 * 4);
        let plain = Processor { triple: "x86_64", cpu: None, features: &[] };
        assert!(plain.llc_options().is_empty());
        assert_eq!(plain.clang_options(), ["--target=x86_64"]);
    }
}
