//! A compiler's command line, as far as it matters what is compiled and where the result goes.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Options whose value is the next argument.
const WITH_VALUE: &[&str] = &[
    "--param",
    "--sysroot",
    "-B",
    "-D",
    "-F",
    "-G",
    "-I",
    "-L",
    "-MF",
    "-MJ",
    "-MQ",
    "-MT",
    "-T",
    "-U",
    "-Xanalyzer",
    "-Xassembler",
    "-Xclang",
    "-Xlinker",
    "-Xpreprocessor",
    "-arch",
    "-aux-info",
    "-dumpdir",
    "-e",
    "-framework",
    "-idirafter",
    "-imacros",
    "-imultilib",
    "-include",
    "-include-pch",
    "-iprefix",
    "-iquote",
    "-isysroot",
    "-isystem",
    "-isystem-after",
    "-ivfsoverlay",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-iwithsysroot",
    "-l",
    "-mllvm",
    "-o",
    "-resource-dir",
    "-rpath",
    "-target",
    "-u",
    "-working-directory",
    "-z",
];

/// What else is asked for than code from C or C++: the beginnings of such options.
const OTHER_TASKS: &[&str] = &[
    "-###",
    "--analyze",
    "--help",
    "--version",
    "-E",
    "-M",
    "-MM",
    "-analyze",
    "-cc1",
    "-dump",
    "-emit-",
    "-fembed-bitcode",
    "-flto",
    "-fsyntax-only",
    "-fthinlto",
    "-gsplit-dwarf",
    "-help",
    "-print-",
    "--print-",
    "-save-temps",
    "--save-temps",
    "-x",
];

/// Those of them that other options begin with too.
const WHOLE: &[&str] = &["-E", "-M", "-MM", "-help"];

/// What C and C++ files end with.
const SOURCES: &[&str] = &["c", "i", "cc", "cp", "cpp", "cxx", "c++", "C", "CPP", "ii"];

/// What is made of sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// `-S`.
    Assembly,
    /// `-c`.
    Object,
    /// A program: each source becomes an object, which is then linked.
    Linked,
}

/// A compiler's command line by which sources are compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compilation {
    /// What is made of them.
    pub stage: Stage,
    /// The sources, with their positions among the arguments.
    pub sources: Vec<(usize, PathBuf)>,
    /// The value of `-o`.
    output: Option<PathBuf>,
    arguments: Vec<OsString>,
    /// What each argument is.
    roles: Vec<Role>,
    /// Whether `-MD` or `-MMD` asks for a file of dependencies.
    dependencies: bool,
    /// Whether its name, and that of what depends, is given.
    names: [bool; 2],
}

/// What an argument is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// An option that says how code is made, or one that nothing is known of.
    Option,
    /// A source, or something else that is linked.
    Input,
    /// `-c`, `-S`, or `-o` with its value.
    Output,
    /// An option on files of dependencies.
    Dependencies,
}

/// What to do with a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Plan {
    /// Give it to the compiler as it is; the reason.
    Pass(&'static str),
    /// Compile its sources.
    Compile(Compilation),
}

impl Plan {
    /// Reads the arguments of a compiler.
    pub fn of(arguments: &[OsString]) -> Self {
        let (mut stage, mut output, mut sources) = (Stage::Linked, None, Vec::new());
        let (mut dependencies, mut names) = (false, [false; 2]);
        let (mut optimizes, mut roles) = (false, Vec::new());
        let mut at = 0;
        while let Some(argument) = arguments.get(at) {
            let Some(text) = argument.to_str() else { return Self::Pass("an argument is no text") };
            let has_value = WITH_VALUE.contains(&text);
            let value = arguments.get(at + 1).filter(|_| has_value);
            let role = match text {
                "-" => return Self::Pass("the source is standard input"),
                _ if text.starts_with('@') => return Self::Pass("arguments are in a file"),
                _ if !text.starts_with('-') => {
                    let path = PathBuf::from(text);
                    if is_source(&path) {
                        sources.push((at, path));
                    }
                    Role::Input
                }
                "-c" | "-S" => {
                    stage = if text == "-c" { Stage::Object } else { Stage::Assembly };
                    Role::Output
                }
                "-o" => {
                    output = value.map(PathBuf::from);
                    Role::Output
                }
                "-MD" | "-MMD" | "-MP" | "-MG" | "-MV" => {
                    dependencies |= text.ends_with("MD");
                    Role::Dependencies
                }
                _ if text.starts_with("-Wp,-MD,") || text.starts_with("-Wp,-MMD,") => {
                    (dependencies, names[0]) = (true, true);
                    Role::Dependencies
                }
                "-MF" | "-MT" | "-MQ" | "-MJ" => {
                    names[usize::from(text != "-MF")] |= text != "-MJ";
                    Role::Dependencies
                }
                _ if asks_for_other(text) => return Self::Pass("something else than code is asked for"),
                _ if text.starts_with("-o") && !text.starts_with("-obj") => {
                    output = Some(PathBuf::from(&text[2..]));
                    Role::Output
                }
                _ if text.starts_with("-MF") || text.starts_with("-MT") || text.starts_with("-MQ") => {
                    names[usize::from(!text.starts_with("-MF"))] = true;
                    Role::Dependencies
                }
                _ => {
                    if let Some(level) = text.strip_prefix("-O") {
                        optimizes = level != "0";
                    }
                    Role::Option
                }
            };
            roles.push(role);
            if value.is_some() {
                roles.push(role);
            }
            at += 1 + usize::from(value.is_some());
        }
        match () {
            () if sources.is_empty() => Self::Pass("there are no sources in C or C++"),
            () if !optimizes => Self::Pass("no optimization is asked for"),
            () if output.as_ref().is_some_and(|path| path == Path::new("-")) => {
                Self::Pass("the result goes to standard output")
            }
            () if stage != Stage::Linked && output.is_some() && sources.len() > 1 => {
                Self::Pass("several sources have one output")
            }
            () if dependencies && stage == Stage::Linked => {
                Self::Pass("a program's dependencies are asked for")
            }
            () => Self::Compile(Compilation {
                stage,
                sources,
                output,
                arguments: arguments.to_vec(),
                roles,
                dependencies,
                names,
            }),
        }
    }
}

fn is_source(path: &Path) -> bool {
    path.extension().and_then(OsStr::to_str).is_some_and(|ending| SOURCES.contains(&ending))
}

fn asks_for_other(text: &str) -> bool {
    OTHER_TASKS.iter().any(|task| match WHOLE.contains(task) {
        true => text == *task,
        false => text.starts_with(task),
    })
}

impl Compilation {
    /// Where the compiler would put what it makes of a source.
    pub fn output(&self, source: &Path) -> PathBuf {
        let ending = if self.stage == Stage::Assembly { "s" } else { "o" };
        let beside = || PathBuf::from(source.file_name().unwrap_or_default()).with_extension(ending);
        self.output.clone().unwrap_or_else(beside)
    }

    fn kept(&self, roles: &[Role]) -> Vec<OsString> {
        let kept = self.arguments.iter().zip(&self.roles).filter(|(_, role)| roles.contains(role));
        kept.map(|(argument, _)| argument.clone()).collect()
    }

    /// The arguments by which a source becomes LLVM assembly. Files of dependencies say what they would say.
    pub fn to_assembly(&self, source: &Path, module: &Path) -> Vec<OsString> {
        let mut arguments = self.kept(&[Role::Option, Role::Dependencies]);
        let output = self.output(source);
        if self.dependencies {
            let [file, target] = self.names;
            if !file {
                arguments.extend(["-MF".into(), output.with_extension("d").into_os_string()]);
            }
            if !target {
                arguments.extend(["-MQ".into(), output.into_os_string()]);
            }
        }
        // What only the linker needs is not used here.
        arguments.extend(["-Wno-unused-command-line-argument", "-S", "-emit-llvm", "-o"].map(OsString::from));
        arguments.extend([module.into(), source.into()]);
        arguments
    }

    /// The arguments by which LLVM assembly becomes what was asked for. LLVM's passes ran before.
    pub fn to_code(&self, module: &Path, output: &Path) -> Vec<OsString> {
        let mut arguments = self.kept(&[Role::Option]);
        let last = if self.stage == Stage::Assembly { "-S" } else { "-c" };
        let own = ["-Wno-unused-command-line-argument", "-Xclang", "-disable-llvm-passes", last, "-o"];
        arguments.extend(own.map(OsString::from));
        arguments.extend([output.into(), module.into()]);
        arguments
    }

    /// The arguments with objects in the place of the sources, in order.
    pub fn to_program(&self, objects: &[PathBuf]) -> Vec<OsString> {
        let mut arguments = self.arguments.clone();
        for ((at, _), object) in self.sources.iter().zip(objects) {
            arguments[*at] = object.into();
        }
        arguments
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(line: &str) -> Plan {
        Plan::of(&line.split_whitespace().map(OsString::from).collect::<Vec<_>>())
    }

    fn joined(arguments: &[OsString]) -> String {
        arguments.iter().map(|argument| argument.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_is_no_compilation_is_passed_on() {
        for line in [
            "",
            "--version",
            "-###  -O2 -c a.c",
            "-O2 a.o b.o -o program -lm",
            "-O2 -E a.c",
            "-O2 -M a.c",
            "-O2 -c a.s",
            "-O2 -S -emit-llvm a.c",
            "-O2 -flto -c a.c",
            "-O2 -x c -c a",
            "-O2 -fsyntax-only a.c",
            "-O2 -c -",
            "-O2 @arguments",
            "-c a.c",
            "-O2 -O0 -c a.c",
            "-O2 -S a.c -o -",
            "-O2 -c a.c b.c -o c.o",
            "-O2 -I a.c -c",
            "-O2 -MMD a.c -o a",
        ] {
            assert!(matches!(plan(line), Plan::Pass(_)), "{line}");
        }
    }

    #[test]
    fn compilations_have_sources_and_outputs() {
        let of = |line| match plan(line) {
            Plan::Compile(own) => own,
            Plan::Pass(why) => panic!("{line}: {why}"),
        };
        let own = of("-O3 -march=haswell -MMD -MP -Iinclude -D A.c -c x/a.c -lm -o out/a.o b.o");
        assert_eq!((own.stage, own.output(Path::new("x/a.c"))), (Stage::Object, PathBuf::from("out/a.o")));
        assert_eq!(own.sources, [(8, PathBuf::from("x/a.c"))]);
        assert_eq!(
            joined(&own.to_assembly(Path::new("x/a.c"), Path::new("t.ll"))),
            "-O3 -march=haswell -MMD -MP -Iinclude -D A.c -lm -MF out/a.d -MQ out/a.o \
             -Wno-unused-command-line-argument -S -emit-llvm -o t.ll x/a.c"
        );
        assert_eq!(
            joined(&own.to_code(Path::new("t.opt.ll"), Path::new("out/a.o"))),
            "-O3 -march=haswell -Iinclude -D A.c -lm -Wno-unused-command-line-argument -Xclang \
             -disable-llvm-passes -c -o out/a.o t.opt.ll"
        );
        // Names that are given stay.
        let own = of("-Os -MD -MFdeps -MT name -S a.cpp");
        assert_eq!((own.stage, own.output(Path::new("a.cpp"))), (Stage::Assembly, PathBuf::from("a.s")));
        let line = joined(&own.to_assembly(Path::new("a.cpp"), Path::new("t.ll")));
        assert!(line.starts_with("-Os -MD -MFdeps -MT name -Wno-"), "{line}");
        let own = of("-O2 -Wp,-MMD,.a.d -c -o a.o a.c");
        let line = joined(&own.to_assembly(Path::new("a.c"), Path::new("t.ll")));
        assert!(line.starts_with("-O2 -Wp,-MMD,.a.d -MQ a.o -Wno-"), "{line}");
        // Several sources, and a program at once.
        let own = of("-O1 -c a.c x/b.c");
        assert_eq!(own.output(Path::new("x/b.c")), PathBuf::from("b.o"));
        let own = of("-O2 -oprogram a.c y.o b.c -lm");
        assert_eq!(own.stage, Stage::Linked);
        let objects = ["1.o", "2.o"].map(PathBuf::from);
        assert_eq!(joined(&own.to_program(&objects)), "-O2 -oprogram 1.o y.o 2.o -lm");
    }
}
