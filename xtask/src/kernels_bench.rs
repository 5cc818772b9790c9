//! Whole kernels: loops in C with synthesized bodies beside what clang makes of them as they are written, and Halide of
//! the same functions.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use crate::process::{output, run};
use crate::{halide, root, text};

const CLANG: &str = "clang-19";

/// What kernels are compiled for.
struct Target {
    name: &'static str,
    /// The machine whose costs the synthesizer counts, if it has a table of them.
    cpu: Option<&'static str>,
    options: &'static [&'static str],
    /// Further options with which the loops as they are written are compiled too; the faster ones count.
    other: &'static [&'static str],
    /// The target for Halide, and the bytes of its vectors.
    halide: (&'static str, u32),
    /// What runs the programs; they are timed where they run on this machine, and else their instructions are counted.
    emulator: Option<&'static str>,
}

const TARGETS: &[Target] = &[
    Target {
        name: "avx2",
        cpu: Some("znver4"),
        options: &["--target=x86_64-linux-gnu", "-march=haswell", "-mtune=znver4"],
        other: &[],
        halide: ("x86-64-linux-sse41-avx-avx2-f16c-fma", 32),
        emulator: None,
    },
    Target {
        name: "avx512",
        cpu: Some("znver4"),
        options: &["--target=x86_64-linux-gnu", "-march=skylake-avx512", "-mtune=znver4"],
        other: &["-mprefer-vector-width=512"],
        halide: ("x86-64-linux-sse41-avx-avx2-f16c-fma-avx512-avx512_skylake", 64),
        emulator: None,
    },
    Target {
        name: "avx512vnni",
        cpu: Some("znver4"),
        options: &["--target=x86_64-linux-gnu", "-march=cascadelake", "-mtune=znver4"],
        other: &["-mprefer-vector-width=512"],
        halide: (
            "x86-64-linux-sse41-avx-avx2-f16c-fma-avx512-avx512_skylake-avx512_cannonlake-avx512_zen4",
            64,
        ),
        emulator: None,
    },
    Target {
        name: "neon",
        cpu: None,
        options: &["--target=aarch64-linux-gnu", "-mcpu=neoverse-n1", "-static", "-fuse-ld=lld"],
        other: &[],
        halide: ("arm-64-linux-armv82a-arm_dot_prod", 16),
        emulator: Some("qemu-aarch64"),
    },
];

/// Pairs of runs.
const PAIRS: &str = "101";

/// Inputs on which both loops are compared.
const INPUTS: &str = "2000";

/// The same on an emulator.
const INPUTS_EMULATED: &str = "200";

#[derive(Deserialize)]
struct Window {
    name: String,
    target: String,
    lanes: u32,
}

/// Prints a table with a row for each kernel and target; exit code 1 when a kernel has no answer or differs.
pub fn bench(binary: &Path, specs: &[String], targets: &[String]) -> Result<i32> {
    let kernels = root().join("specs/kernels");
    let mut files: Vec<PathBuf> = fs::read_dir(&kernels)?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<PathBuf>>>()?
        .into_iter()
        .filter(|path| path.extension().is_some_and(|ending| ending == "jsonl"))
        .collect();
    files.sort();
    let mut code = 0;
    let is_halide_there =
        halide::provide().inspect_err(|error| eprintln!("without Halide: {error:#}")).is_ok();
    println!(
        "| kernel | target | clang | Halide | synthesized | clang / synthesized | Halide / synthesized |"
    );
    println!("|---|---|---:|---:|---:|---:|---:|");
    let mut summary = Vec::new();
    for target in TARGETS {
        if !targets.is_empty() && !targets.iter().any(|asked| asked == target.name) {
            continue;
        }
        let answers = answers(binary, specs, target, &files)?;
        let others = match is_halide_there {
            true => {
                halide::compile(target.halide.0, target.halide.1, &folder().join("halide").join(target.name))?
            }
            false => Vec::new(),
        };
        let (mut beside_clang, mut beside_halide, mut short) = (Vec::new(), Vec::new(), Vec::new());
        for file in &files {
            let name = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            let Some(lanes) = lanes(file, target)? else { continue };
            let kernel = Kernel { name: &name, file: &file.with_extension("c"), target };
            match answers.get(&name).map(|answer| kernel.measured(answer, lanes, &others)).transpose()? {
                Some(Some(Measured { clang, halide })) => {
                    let (time, quotient) = halide.map_or_else(
                        || ("-".to_owned(), "-".to_owned()),
                        |halide| (halide.other.to_string(), format!("{:.2}", halide.quotient)),
                    );
                    println!(
                        "| {name} | {} | {} | {time} | {} | {:.2} | {quotient} |",
                        target.name, clang.other, clang.own, clang.quotient,
                    );
                    beside_clang.push(clang.quotient);
                    beside_halide.extend(halide.map(|own| own.quotient));
                }
                Some(None) => short.push(format!("{name} differs")),
                None => short.push(format!("{name} has no answer")),
            }
        }
        let what = if target.emulator.is_some() { "instructions" } else { "nanoseconds" };
        summary.push(format!(
            "{}: {what} a row; {} kernels; beside clang {}; beside Halide {}{}",
            target.name,
            beside_clang.len(),
            means(&beside_clang),
            means(&beside_halide),
            short.iter().map(|short| format!("; {short}")).collect::<String>()
        ));
        code = code.max(i32::from(!short.is_empty()));
    }
    println!();
    summary.iter().for_each(|line| println!("{line}"));
    Ok(code)
}

/// What is said of some quotients.
fn means(quotients: &[f64]) -> String {
    if quotients.is_empty() {
        return "not compared".to_owned();
    }
    let sum: f64 = quotients.iter().map(|quotient| quotient.ln()).sum();
    let mean = (sum / quotients.len() as f64).exp();
    let least = quotients.iter().copied().fold(f64::INFINITY, f64::min);
    format!("{mean:.2} in the geometric mean, {least:.2} at least")
}

/// Where everything is compiled.
fn folder() -> PathBuf {
    root().join("target/bench-kernels")
}

/// The lanes of a kernel's window for a target, if it has one.
fn lanes(file: &Path, target: &Target) -> Result<Option<u32>> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let windows: Vec<Window> =
        text.lines().map(serde_json::from_str).collect::<Result<_, _>>().context("a line is no window")?;
    let own = windows.iter().find(|window| window.target == target.name);
    let Some(own) = own else { return Ok(None) };
    ensure!(file.file_stem().is_some_and(|stem| *own.name == *stem), "{} has another window", file.display());
    Ok(Some(own.lanes))
}

/// The functions in C of all windows for a target that have an answer, by name.
fn answers(
    binary: &Path,
    specs: &[String],
    target: &Target,
    files: &[PathBuf],
) -> Result<BTreeMap<String, String>> {
    let output = Command::new(binary)
        .args(["synth", "--emit", "c", "--matching", "--jobs", "2", "--isa", target.name])
        .args(target.cpu.iter().flat_map(|cpu| ["--cpu", cpu]))
        .args(specs)
        .args(files)
        .output()
        .with_context(|| format!("cannot start {}", binary.display()))?;
    ensure!(output.status.code().unwrap_or(3) <= 1, "{}", String::from_utf8_lossy(&output.stderr));
    let all = String::from_utf8_lossy(&output.stdout);
    let mut answers = BTreeMap::new();
    for own in all.split("#include <stdint.h>\n") {
        if let Some((_, rest)) = own.split_once("void window_")
            && let Some((name, _)) = rest.split_once('(')
        {
            // What does not change from iteration to iteration leaves the loop where the function is part of it.
            let inlined =
                own.replacen("void window_", "static inline __attribute__((always_inline)) void window_", 1);
            answers.insert(name.to_owned(), format!("#include <stdint.h>\n{inlined}"));
        }
    }
    Ok(answers)
}

/// What another compiler's loop and the synthesized one take for a row, and the quotient.
#[derive(Clone, Copy)]
struct Times {
    other: f64,
    own: f64,
    quotient: f64,
}

/// The times beside each compiler.
struct Measured {
    clang: Times,
    halide: Option<Times>,
}

struct Kernel<'a> {
    name: &'a str,
    file: &'a Path,
    target: &'a Target,
}

impl Kernel<'_> {
    /// The times beside clang and beside Halide; `None` where a loop differs.
    fn measured(&self, answer: &str, lanes: u32, others: &[PathBuf]) -> Result<Option<Measured>> {
        fs::create_dir_all(folder())?;
        let header = self.named(".h");
        fs::write(&header, answer).with_context(|| format!("cannot write {}", header.display()))?;
        let (main, own) = (self.named(".main.o"), self.named(".synthesized.o"));
        self.compile(&[], self.file, &main)?;
        let window = format!("-DSYNTHESIZED=window_{}", self.name);
        let options = ["-include", &text(&header), &window, &format!("-DLANES={lanes}")];
        self.compile(&options, self.file, &own)?;
        let mut by_clang = Vec::new();
        for options in
            [Some(&[][..]), Some(self.target.other).filter(|own| !own.is_empty())].into_iter().flatten()
        {
            let original = self.named(&format!(".original{}.o", by_clang.len()));
            self.compile(&[&["-DORIGINAL"], options].concat(), self.file, &original)?;
            by_clang.push(vec![original]);
        }
        let mut by_halide = Vec::new();
        for folder in others {
            let caller = folder.join(format!("{}.caller.o", self.name));
            let source = folder.join(format!("{}.c", self.name));
            self.compile(&["-I", &text(&halide::headers())], &source, &caller)?;
            by_halide.push(vec![caller, folder.join(format!("{}.o", self.name))]);
        }
        let (Some(clang), halide) =
            (self.fastest(&[&main, &own], &by_clang)?, self.fastest(&[&main, &own], &by_halide)?)
        else {
            return Ok(None);
        };
        ensure!(
            halide.is_some() || others.is_empty(),
            "Halide's `{}` for {} differs",
            self.name,
            self.target.name
        );
        Ok(Some(Measured { clang, halide }))
    }

    /// The times beside the fastest of some other loops; `None` where one differs, or there is none.
    fn fastest(&self, own: &[&PathBuf], all: &[Vec<PathBuf>]) -> Result<Option<Times>> {
        let mut best: Option<Times> = None;
        for original in all {
            let program = self.named(".program");
            run(Command::new(CLANG)
                .args(self.target.options)
                .args(own)
                .args(original)
                .arg("-o")
                .arg(&program))?;
            let inputs = if self.target.emulator.is_some() { INPUTS_EMULATED } else { INPUTS };
            if !self.start(&program, &[]).args(["check", inputs]).status()?.success() {
                return Ok(None);
            }
            let found = match self.target.emulator {
                None => timed(&output(self.start(&program, &[]).args(["time", PAIRS]))?)?,
                Some(_) => {
                    let nothing = self.counted(&program, "nothing")?;
                    let written = self.counted(&program, "original")? - nothing;
                    let own = self.counted(&program, "synthesized")? - nothing;
                    Times { other: written, own, quotient: written / own }
                }
            };
            if best.is_none_or(|best| found.other < best.other) {
                best = Some(found);
            }
        }
        Ok(best)
    }

    /// A file of this kernel and target.
    fn named(&self, ending: &str) -> PathBuf {
        folder().join(format!("{}.{}{ending}", self.name, self.target.name))
    }

    fn compile(&self, options: &[&str], source: &Path, out: &Path) -> Result<()> {
        run(Command::new(CLANG)
            .args(self.target.options)
            .args(["-O3", "-Wno-unused-command-line-argument", "-c"])
            .args(options)
            .arg(source)
            .arg("-o")
            .arg(out))
    }

    fn start(&self, program: &Path, options: &[&str]) -> Command {
        match self.target.emulator {
            None => Command::new(program),
            Some(emulator) => {
                let mut command = Command::new(emulator);
                command.args(options).arg(program);
                command
            }
        }
    }

    /// The instructions of one run, as the emulator traces them.
    fn counted(&self, program: &Path, which: &str) -> Result<f64> {
        let trace = program.with_extension("trace");
        run(self
            .start(program, &["-singlestep", "-d", "exec,nochain", "-D", &text(&trace)])
            .args(["once", which]))?;
        let lines = fs::read(&trace)?.iter().filter(|byte| **byte == b'\n').count();
        fs::remove_file(&trace)?;
        Ok(lines as f64)
    }
}

/// The program's three numbers.
fn timed(printed: &str) -> Result<Times> {
    let numbers: Vec<f64> =
        printed.split_whitespace().map(str::parse).collect::<Result<_, _>>().context("no numbers")?;
    let [other, own, quotient] = numbers[..] else { bail!("three numbers are printed") };
    Ok(Times { other, own, quotient })
}
