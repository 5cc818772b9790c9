//! The Arm oracle: Neon intrinsics compiled by clang for A64 and run by QEMU's user mode.
//!
//! A tuple such as `int8x8x2_t` is one argument, and one result for each of its parts.

mod lowering;

use std::path::Path;

use parsers::Instruction;

use crate::error::OracleError;
use crate::oracle::Oracle;
use crate::prepare::{Emulated, EmulatorOptions};
use crate::target::Target;
use crate::wrapper::{Dialect, Several};

/// The C of the instruction set.
pub const DIALECT: Dialect = Dialect {
    preamble: &["#include <arm_neon.h>", "#include <arm_fp16.h>", "#include <arm_acle.h>"],
    comment: "//",
    types: &[],
    functions: &[],
    inline: None,
    slot_bytes: 64,
    several: Several::Tuple,
    mask: None,
};

/// The machine.
pub const MACHINE: Emulated = Emulated {
    isa: parsers::arm::ISA,
    dialect: &DIALECT,
    options: &[
        "--target=aarch64-linux-gnu",
        "-march=armv8.6-a+sha3+sm4+aes+sha2+fp16fml+bf16+i8mm+dotprod+fp16+rdma+crc",
        "-ffreestanding",
    ],
    emulator: "qemu-aarch64",
    emulator_args: &["-cpu", "max"],
};

/// AArch64 with Neon, on QEMU.
pub const TARGET: Target = Target {
    isa: parsers::arm::ISA,
    prepare: |instructions, wrappers, work| {
        let options = EmulatorOptions { wrappers, ..EmulatorOptions::default() };
        ArmOracle::prepare(instructions.iter().copied(), work, &options)
    },
    emulator: Some(&MACHINE),
    lowering: Some(lowering::CONVENTIONS),
};

/// Builds [`Oracle`]s for Arm.
#[derive(Clone, Copy, Debug)]
pub struct ArmOracle;

impl ArmOracle {
    /// Compiles a runner with a wrapper for each instruction. If an id occurs twice, the first instruction is
    /// used.
    ///
    /// Immediates, refusals and `work_dir` are those of [`crate::X86Oracle::prepare`].
    pub fn prepare<'a>(
        instructions: impl IntoIterator<Item = &'a Instruction>,
        work_dir: &Path,
        options: &EmulatorOptions,
    ) -> Result<Oracle, OracleError> {
        MACHINE.prepare(instructions, work_dir, options, |_| None)
    }
}
