//! `cargo xtask`: what developers and users do with this repository beyond `cargo build`.
//!
//! It depends on no crate of the workspace, so that it builds and sets things up before they can be
//! built; `hydride` is started as a process. Exit codes: 0 done; 1 findings; 2 wrong usage; 3 when the
//! work could not be done at all.

#![forbid(unsafe_code)]

mod bench;
mod costs;
mod fetch;
mod fuzz;
mod halide;
mod hydride;
mod kernels_bench;
mod mutants;
mod newer_llvm;
mod optimize_bench;
mod package;
mod packages;
mod process;
mod python;
mod rules_bench;
mod search_bench;
mod setup;
mod simplex_bench;
mod specs;
mod synth_bench;
mod synth_functions;
mod synth_operations;
mod test;
mod wheel;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Parser, Subcommand, ValueEnum};

#[derive(Parser)]
#[command(
    name = "cargo xtask",
    bin_name = "cargo xtask",
    about = "Tasks for users and developers of Hydride"
)]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Turn vendor documents into IR and generated code below `out/`
    GenerateIr(GenerateIr),
    /// Say what differs in meaning between two documents, folders of documents or outputs
    DiffIr {
        /// The older one
        old: PathBuf,
        /// The newer one
        new: PathBuf,
        /// Further flags of `hydride diff`
        #[arg(last = true)]
        flags: Vec<String>,
    },
    /// Bring the vendor documents that Debian packages hold into `specs/vendor/`
    FetchSpecs,
    /// Check formatting, lints and all tests
    Test {
        /// Further folder of vendor documents, beside the fetched ones; can be given several times
        #[arg(long, value_name = "DIR")]
        specs: Vec<PathBuf>,
        /// Install and fetch nothing and leave out the slow tests
        #[arg(long, conflicts_with = "full")]
        quick: bool,
        /// The whole validation: 1,000 inputs for each instruction, every instance of each operation
        #[arg(long)]
        full: bool,
    },
    /// Time the phases of `generate-ir` from cold starts, or what is named
    Bench {
        /// What to time instead
        what: Option<Benchmark>,
        /// Number of runs
        #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
        runs: u32,
        /// Random problems whose answers are compared with isl's; only for `simplex`
        #[arg(long, value_name = "N", default_value_t = 100_000)]
        problems: u64,
        /// The windows, one a line, instead of those in `specs/windows`; only for `synth` and `rules`
        #[arg(long, value_name = "FILE")]
        windows: Option<PathBuf>,
        /// Inputs that each answer is run on; only for `synth` and `synth-operations`
        #[arg(long, value_name = "N", default_value_t = 10_000)]
        inputs: u32,
        /// Only this target (may be repeated); only for `synth-functions`, `synth-operations`, `kernels`, `rules` and
        /// `optimize`
        #[arg(long, value_name = "NAME")]
        target: Vec<String>,
        #[command(flatten)]
        selection: Selection,
    },
    /// Measure the costs of instructions in `specs/costs` again
    Costs {
        /// Folder of vendor documents
        #[arg(long, value_name = "DIR")]
        specs: Option<PathBuf>,
        /// Write nothing; exit with 1 when the tables there differ
        #[arg(long)]
        check: bool,
    },
    /// Give the readers of documents arbitrary bytes; exit with 1 when one panics, hangs or needs too much memory
    Fuzz {
        /// Minutes for each target
        #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=10_000))]
        minutes: u32,
        /// Only this target (may be repeated)
        #[arg(long, value_name = "NAME", value_parser = fuzz::TARGETS.to_vec())]
        target: Vec<String>,
    },
    /// Change the code of crates here and there and run their tests; exit with 1 when these notice less than 90 %
    Mutants {
        /// Number of changes
        #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
        sample: u32,
        /// Where the random choice of changes starts
        #[arg(long, value_name = "S", default_value_t = 1)]
        seed: u64,
        /// Only this crate (may be repeated)
        #[arg(long = "crate", value_name = "NAME", value_parser = mutants::CRATES.to_vec())]
        crates: Vec<String>,
        /// Only files whose path contains this
        #[arg(long, value_name = "TEXT")]
        file: Option<String>,
    },
    /// Bring a clang of LLVM 22 and an `mlir-opt` of MLIR 24 into `target/`
    NewerLlvm,
    /// Make an archive and a Debian package of `hydride`, and a wheel for Python, in `target/package`
    Package {
        /// Install each of them apart from everything else and run it there; needs root
        #[arg(long)]
        check: bool,
    },
    /// Put the pinned Z3 in place, so that plain cargo commands work
    Setup,
}

/// A benchmark beside that of the program.
#[derive(Clone, Copy, ValueEnum)]
enum Benchmark {
    /// The simplex library beside isl and MLIR's Presburger library
    Simplex,
    /// Code for windows, each run, beside what their file says of another compiler
    Synth,
    /// Code for each instruction of a target (`--target`) as a function of the IR, and for random compositions of them
    SynthFunctions,
    /// Rules found on other kernels, beside full synthesis
    Rules,
    /// Code for each operation of windows with each type of elements, each run
    SynthOperations,
    /// The loops of `specs/kernels` with synthesized bodies, beside what clang and Halide make of them
    Kernels,
    /// What is cheaper than clang's code for the loops of `specs/benchmarks` and `specs/kernels`
    Optimize,
}

/// What to read and with how many threads.
#[derive(Args)]
struct Selection {
    /// Folder of vendor documents
    #[arg(long, value_name = "DIR")]
    specs: Option<PathBuf>,
    /// Instruction sets, as x86,arm
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    isa: Vec<String>,
    /// Number of threads
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    jobs: Option<u32>,
}

#[derive(Args)]
struct GenerateIr {
    #[command(flatten)]
    selection: Selection,
    /// Folder to write to
    #[arg(long, value_name = "DIR", default_value = "out")]
    out: PathBuf,
    /// Groups of outputs, as llvm,mlir; all when not given
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    emit: Vec<String>,
    /// Write nothing; exit with 1 when the files there differ
    #[arg(long)]
    check: bool,
    /// Prove everything again
    #[arg(long)]
    no_cache: bool,
    /// File with the families of operations, read and written; else the built-in ones
    #[arg(long, value_name = "FILE")]
    dictionary: Option<PathBuf>,
}

impl Selection {
    /// The flag for `hydride` that names the documents found.
    fn specs(&self) -> Result<Vec<String>> {
        Ok(self.flags()?.into_iter().take(2).collect())
    }

    /// The flags for `hydride`, with the documents found.
    fn flags(&self) -> Result<Vec<String>> {
        let specs = hydride::documents(self.specs.as_deref())?;
        println!("specs: {specs}");
        let mut flags = vec!["--specs".to_owned(), text(&specs.folder)];
        if !self.isa.is_empty() {
            flags.extend(["--isa".to_owned(), self.isa.join(",")]);
        }
        if let Some(jobs) = self.jobs {
            flags.extend(["--jobs".to_owned(), jobs.to_string()]);
        }
        Ok(flags)
    }
}

/// The repository's folder.
fn root() -> PathBuf {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR");
    let xtask = manifest.map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    xtask.parent().map_or(xtask.clone(), Path::to_path_buf)
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn perform(task: Task) -> Result<i32> {
    match task {
        Task::GenerateIr(options) => {
            let mut arguments = vec!["generate-ir".to_owned()];
            arguments.extend(options.selection.flags()?);
            arguments.extend(["--out".to_owned(), text(&options.out)]);
            if !options.emit.is_empty() {
                arguments.extend(["--emit".to_owned(), options.emit.join(",")]);
            }
            arguments.extend(options.check.then(|| "--check".to_owned()));
            arguments.extend(options.no_cache.then(|| "--no-cache".to_owned()));
            arguments
                .extend(options.dictionary.iter().flat_map(|file| ["--dictionary".to_owned(), text(file)]));
            hydride::start(&hydride::build()?, &arguments)
        }
        Task::DiffIr { old, new, flags } => {
            let mut arguments = vec!["diff".to_owned(), text(&old), text(&new)];
            arguments.extend(flags);
            hydride::start(&hydride::build()?, &arguments)
        }
        Task::FetchSpecs => {
            let fetched = fetch::fetch()?;
            if fetch::needs_join() {
                let vendor = text(&specs::vendor_folder());
                hydride::start(&hydride::build()?, &["join-arm".to_owned(), "--specs".to_owned(), vendor])?;
            }
            Ok(if fetched.missing > 0 { 3 } else { 0 })
        }
        Task::Test { specs, quick, full } => {
            let extent = match (quick, full) {
                (true, _) => test::Extent::Quick,
                (_, true) => test::Extent::Full,
                _ => test::Extent::Usual,
            };
            test::test(&specs, extent)
        }
        Task::Bench { what: Some(Benchmark::Simplex), problems, .. } => simplex_bench::bench(problems),
        Task::Bench { what: Some(Benchmark::Synth), windows, inputs, selection, .. } => {
            let specs = selection.specs()?;
            synth_bench::bench(&hydride::build_release()?, &specs, windows.as_deref(), inputs)
        }
        Task::Bench { what: Some(Benchmark::Rules), windows, target, selection, .. } => {
            let specs = selection.specs()?;
            let jobs = selection.jobs.unwrap_or(2);
            rules_bench::bench(&hydride::build_release()?, &specs, windows.as_deref(), &target, jobs)
        }
        Task::Bench { what: Some(Benchmark::SynthFunctions), target, selection, .. } => {
            let specs = selection.specs()?;
            synth_functions::bench(&hydride::build_release()?, &specs, &target)
        }
        Task::Bench { what: Some(Benchmark::SynthOperations), target, inputs, selection, .. } => {
            let specs = selection.specs()?;
            synth_operations::bench(&hydride::build_release()?, &specs, &target, inputs)
        }
        Task::Bench { what: Some(Benchmark::Kernels), target, selection, .. } => {
            let specs = selection.specs()?;
            kernels_bench::bench(&hydride::build_release()?, &specs, &target)
        }
        Task::Bench { what: Some(Benchmark::Optimize), target, selection, .. } => {
            let specs = selection.specs()?;
            optimize_bench::bench(&hydride::build_release()?, &specs, &target, selection.jobs.unwrap_or(2))
        }
        Task::Bench { what: None, runs, selection, .. } => {
            let flags = selection.flags()?;
            let binary = hydride::build_release()?;
            let code = bench::bench(&binary, &flags, runs)?;
            if code == 0 && flags.first().is_some_and(|flag| flag == "--specs") {
                search_bench::bench(&binary, &flags[..2])?;
            }
            Ok(code)
        }
        Task::Costs { specs, check } => {
            let found = hydride::documents(specs.as_deref())?;
            println!("specs: {found}");
            costs::costs(&found.folder, check)
        }
        Task::Fuzz { minutes, target } => fuzz::fuzz(minutes, &target),
        Task::Mutants { sample, seed, crates, file } => {
            setup::run_setup()?;
            let sample =
                mutants::Sample { count: sample as usize, seed, crates: &crates, file: file.as_deref() };
            mutants::mutants(&sample)
        }
        Task::NewerLlvm => {
            let missing = newer_llvm::provide();
            missing.iter().for_each(|missing| println!("skipped {missing}"));
            Ok(i32::from(!missing.is_empty()) * 3)
        }
        Task::Package { check } => {
            package::package(check)?;
            Ok(0)
        }
        Task::Setup => {
            setup::run_setup()?;
            println!("setup: Z3 is in {}", setup::folder().display());
            Ok(0)
        }
    }
}

fn main() -> ExitCode {
    process::end_when_output_fails();
    match perform(Cli::parse().task) {
        Ok(code) => ExitCode::from(u8::try_from(code).unwrap_or(1)),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(3)
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_list_of_instruction_sets_is_taken_apart() {
        let parsed =
            Cli::try_parse_from(["xtask", "generate-ir", "--isa", "x86,hvx", "--jobs", "2"]).unwrap();
        let Task::GenerateIr(options) = parsed.task else { panic!("another task") };
        assert_eq!(options.selection.isa, ["x86", "hvx"]);
        assert_eq!(options.out, Path::new("out"));
    }

    #[test]
    fn the_root_is_the_workspace() {
        assert!(root().join("xtask/Cargo.toml").is_file());
    }
}
