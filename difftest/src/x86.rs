//! The x86 oracle: C intrinsics compiled by clang and run on this machine.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use parsers::Instruction;

use crate::compiler::Compiler;
use crate::error::OracleError;
use crate::oracle::Oracle;
use crate::prepare::on_this_machine;
use crate::report::Outcome;
use crate::target::Target;
use crate::wrapper::{Dialect, Several, WrapperOptions};

mod division;
mod features;
mod lowering;
mod stand_in;

pub use features::CpuFeatures;
use features::{all_options, has_masks, target_features};
pub(crate) use stand_in::StandIn;

/// The C of the instruction set.
pub const DIALECT: Dialect = Dialect {
    // The second has bit scans, byte swaps and rotates of general registers.
    preamble: &["#include <immintrin.h>", "#include <x86intrin.h>"],
    comment: "#",
    types: &[
        ("__int64", "long long"),
        ("__int32", "int"),
        ("__int16", "short"),
        ("__int8", "char"),
        ("__bfloat16", "__bf16"),
        ("_MM_CMPINT_ENUM", "int"),
    ],
    functions: &[],
    inline: None,
    slot_bytes: 64,
    several: Several::Pointers,
    mask: None,
};

/// x86, on this machine.
pub const TARGET: Target = Target {
    isa: parsers::intel::ISA,
    prepare: |instructions, wrappers, work| {
        let options = Options { wrappers, ..Options::default() };
        X86Oracle::prepare(instructions.iter().copied(), work, &options)
    },
    emulator: None,
    lowering: Some(lowering::CONVENTIONS),
};

/// How an x86 oracle is built.
#[derive(Clone, Debug)]
pub struct Options {
    /// The compiler, a clang.
    pub compiler: PathBuf,
    /// What the CPU has; this machine is asked where it is `None`.
    pub features: Option<CpuFeatures>,
    /// What the wrappers are made of.
    pub wrappers: WrapperOptions,
}

impl Default for Options {
    fn default() -> Self {
        Self { compiler: "clang-19".into(), features: None, wrappers: WrapperOptions::default() }
    }
}

/// Builds [`Oracle`]s for x86.
#[derive(Clone, Copy, Debug)]
pub struct X86Oracle;

impl X86Oracle {
    /// Compiles a runner with a wrapper for each instruction whose features the CPU has. If an id occurs
    /// twice, the first instruction is used.
    ///
    /// Immediates are compiled in for every documented value, up to [`WrapperOptions::immediates`]. What the
    /// compiler rejects is removed and reported by [`Oracle::validate`]. Object files are kept in `work_dir`, which is
    /// created where needed, under hashes of their content. Results whose C type is a pointer are passed as pointers
    /// after the arguments. Where an instruction is the same function as another one, or as an operator of C, and
    /// cannot be called itself, that runs in its place.
    pub fn prepare<'a>(
        instructions: impl IntoIterator<Item = &'a Instruction>,
        work_dir: &Path,
        options: &Options,
    ) -> Result<Oracle, OracleError> {
        if std::env::consts::ARCH != "x86_64" || std::env::consts::OS != "linux" {
            return Err(OracleError::Host { isa: TARGET.isa });
        }
        let features = match &options.features {
            Some(features) => features.clone(),
            None => CpuFeatures::of_this_machine()?,
        };
        let mut compiler_options = vec!["-march=x86-64"];
        compiler_options.extend(features.compiler_options());
        let equals = stand_in::Equals::built_in()?;
        let mut wrappers = options.wrappers.clone();
        let mut stand_ins: BTreeMap<String, StandIn> = BTreeMap::new();
        let mut called = |instruction: &'a Instruction| match StandIn::of(
            instruction,
            &equals,
            &features,
            &mut wrappers.definitions,
        ) {
            Some((stand_in, called)) => {
                stand_ins.entry(instruction.id.clone()).or_insert(stand_in);
                Cow::Owned(called)
            }
            None => Cow::Borrowed(instruction),
        };
        let instructions: Vec<Cow<'_, Instruction>> = instructions.into_iter().map(&mut called).collect();
        let compiler =
            Compiler::new(&options.compiler, &DIALECT, compiler_options, &[], &wrappers, work_dir)?;
        let unavailable = |instruction: &Instruction| {
            let missing = features.missing(&instruction.extensions);
            (!missing.is_empty()).then_some(Outcome::NotRunnable { missing })
        };
        let own = instructions.iter().map(Cow::as_ref);
        let oracle = on_this_machine(TARGET.isa, &compiler, own, unavailable)?;
        Ok(oracle.with_stand_ins(stand_ins))
    }
}
