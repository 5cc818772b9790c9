//! Whole kernels: loops in C with synthesized bodies beside what clang makes of them as they are written.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::process::{output, run};
use crate::{root, text};

const CLANG: &str = "clang-19";

/// What kernels are compiled for.
struct Target {
    name: &'static str,
    /// The machine whose costs the synthesizer counts, if it has a table of them.
    cpu: Option<&'static str>,
    options: &'static [&'static str],
    /// Further options with which the loops as they are written are compiled too; the faster ones count.
    other: &'static [&'static str],
    /// What runs the programs; they are timed where they run on this machine, and else their instructions are counted.
    emulator: Option<&'static str>,
}

const TARGETS: &[Target] = &[
    Target {
        name: "avx2",
        cpu: Some("znver4"),
        options: &["--target=x86_64-linux-gnu", "-march=haswell", "-mtune=znver4"],
        other: &[],
        emulator: None,
    },
    Target {
        name: "avx512",
        cpu: Some("znver4"),
        options: &["--target=x86_64-linux-gnu", "-march=skylake-avx512", "-mtune=znver4"],
        other: &["-mprefer-vector-width=512"],
        emulator: None,
    },
    Target {
        name: "neon",
        cpu: None,
        options: &["--target=aarch64-linux-gnu", "-mcpu=neoverse-n1", "-static", "-fuse-ld=lld"],
        other: &[],
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
    println!("| kernel | target | written | synthesized | quotient |");
    println!("|---|---|---:|---:|---:|");
    let mut summary = Vec::new();
    for target in TARGETS {
        if !targets.is_empty() && !targets.iter().any(|asked| asked == target.name) {
            continue;
        }
        let answers = answers(binary, specs, target, &files)?;
        let (mut quotients, mut short) = (Vec::new(), Vec::new());
        for file in &files {
            let name = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            let kernel = Kernel { name: &name, file: &file.with_extension("c"), target };
            let lanes = lanes(file, target)?;
            match answers.get(&name).map(|answer| kernel.measured(answer, lanes)).transpose()? {
                Some(Some([written, own, quotient])) => {
                    println!("| {name} | {} | {written} | {own} | {quotient:.2} |", target.name);
                    quotients.push(quotient);
                }
                Some(None) => short.push(format!("{name} differs")),
                None => short.push(format!("{name} has no answer")),
            }
        }
        let mean = (quotients.iter().map(|quotient| quotient.ln()).sum::<f64>()
            / quotients.len().max(1) as f64)
            .exp();
        let what = if target.emulator.is_some() { "instructions" } else { "nanoseconds" };
        let least = quotients.iter().copied().fold(f64::INFINITY, f64::min);
        summary.push(format!(
            "{}: {what} a row; {} kernels, geometric mean {mean:.2}, least {least:.2}{}",
            target.name,
            quotients.len(),
            short.iter().map(|short| format!("; {short}")).collect::<String>()
        ));
        code = code.max(i32::from(!short.is_empty()));
    }
    println!();
    summary.iter().for_each(|line| println!("{line}"));
    Ok(code)
}

/// The lanes of a kernel's window for a target.
fn lanes(file: &Path, target: &Target) -> Result<u32> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let windows: Vec<Window> =
        text.lines().map(serde_json::from_str).collect::<Result<_, _>>().context("a line is no window")?;
    let own = windows.iter().find(|window| window.target == target.name);
    let own = own.with_context(|| format!("{} has no window for {}", file.display(), target.name))?;
    ensure!(file.file_stem().is_some_and(|stem| *own.name == *stem), "{} has another window", file.display());
    Ok(own.lanes)
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

struct Kernel<'a> {
    name: &'a str,
    file: &'a Path,
    target: &'a Target,
}

impl Kernel<'_> {
    /// What both loops take for a row, and the quotient; `None` where they differ.
    fn measured(&self, answer: &str, lanes: u32) -> Result<Option<[f64; 3]>> {
        let folder = root().join("target/bench-kernels");
        fs::create_dir_all(&folder)?;
        let named = |ending: &str| folder.join(format!("{}.{}{ending}", self.name, self.target.name));
        let header = named(".h");
        fs::write(&header, answer).with_context(|| format!("cannot write {}", header.display()))?;
        let (main, own) = (named(".main.o"), named(".synthesized.o"));
        self.compile(&[], &main)?;
        let window = format!("-DSYNTHESIZED=window_{}", self.name);
        self.compile(&["-include", &text(&header), &window, &format!("-DLANES={lanes}")], &own)?;
        let mut best: Option<[f64; 3]> = None;
        let others: &[&[&str]] =
            if self.target.other.is_empty() { &[&[]] } else { &[&[], self.target.other] };
        for (number, other) in others.iter().enumerate() {
            let original = named(&format!(".original{number}.o"));
            self.compile(&[&["-DORIGINAL"], *other].concat(), &original)?;
            let program = named(&format!(".{number}"));
            let linked = [&main, &own, &original];
            run(Command::new(CLANG).args(self.target.options).args(linked).arg("-o").arg(&program))?;
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
                    [written, own, written / own]
                }
            };
            if best.is_none_or(|best| found[0] < best[0]) {
                best = Some(found);
            }
        }
        Ok(best)
    }

    fn compile(&self, options: &[&str], out: &Path) -> Result<()> {
        run(Command::new(CLANG)
            .args(self.target.options)
            .args(["-O3", "-Wno-unused-command-line-argument", "-c"])
            .args(options)
            .arg(self.file)
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
fn timed(printed: &str) -> Result<[f64; 3]> {
    let numbers: Vec<f64> =
        printed.split_whitespace().map(str::parse).collect::<Result<_, _>>().context("no numbers")?;
    numbers.try_into().ok().context("three numbers are printed")
}
