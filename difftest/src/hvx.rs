//! The HVX oracle: Hexagon intrinsics compiled by clang and run by QEMU's user mode, with vectors of
//! 128 bytes.
//!
//! A predicate is a value of 128 bits, one for each byte of a vector; C has it as a vector of bytes that are
//! all ones or zero, and the intrinsics convert that (`vandvrt`, `vandqrt`). An argument that is also a
//! result (`Qx` of a carry) is one variable whose address is passed to the intrinsic.

mod lowering;
mod memory;

use std::path::Path;

use parsers::{Instruction, Signature};

use crate::error::OracleError;
use crate::oracle::Oracle;
use crate::prepare::{Emulated, EmulatorOptions};
use crate::report::Outcome;
use crate::target::Target;
use crate::wrapper::{Dialect, Several};

/// The newest architecture version to compile for: QEMU 7.2 loads no programs for newer ones.
const VERSION: u32 = 67;

/// Bits of the emulator's vectors.
const VECTOR_BITS: u32 = 1024;

/// The C of the instruction set.
pub const DIALECT: Dialect = Dialect {
    preamble: &[
        "typedef int HVX_Vector __attribute__((vector_size(128), aligned(128)));",
        "typedef int HVX_VectorPair __attribute__((vector_size(256), aligned(128)));",
        // The intrinsics take and return vectors; only the name says what they contain.
        "typedef HVX_Vector HVX_VectorPred;",
        "#include <hexagon_protos.h>",
        "#include <hvx_hexagon_protos.h>",
        "static void hydride_get_mask(HVX_VectorPred *mask, const unsigned char *bytes) {",
        "for (int i = 0; i < 128; i++) ((unsigned char *)mask)[i] = bytes[i / 8] >> i % 8 & 1 ? 255 : 0; }",
        "static void hydride_put_mask(unsigned char *bytes, const HVX_VectorPred *mask) {",
        "for (int i = 0; i < 128; i++) if (((const unsigned char *)mask)[i]) bytes[i / 8] |= 1 << i % 8; }",
        // Instructions for which the compiler has no intrinsic.
        "static inline __attribute__((always_inline)) HVX_Vector hydride_vshuff(HVX_Vector y, HVX_Vector *x, int r) {",
        "__asm__(\"vshuff(%0,%1,%2)\" : \"+v\"(y), \"+v\"(*x) : \"r\"(r)); return y; }",
        "static inline __attribute__((always_inline)) HVX_Vector hydride_vdeal(HVX_Vector y, HVX_Vector *x, int r) {",
        "__asm__(\"vdeal(%0,%1,%2)\" : \"+v\"(y), \"+v\"(*x) : \"r\"(r)); return y; }",
        "#define hydride_vaddcarryo __builtin_HEXAGON_V6_vaddcarryo_128B",
        "#define hydride_vsubcarryo __builtin_HEXAGON_V6_vsubcarryo_128B",
    ],
    comment: "//",
    types: &[("Word32", "int"), ("Word64", "long long")],
    functions: &[
        ("V6_vshuff", "hydride_vshuff"),
        ("V6_vdeal", "hydride_vdeal"),
        ("V6_vaddcarryo", "hydride_vaddcarryo"),
        ("V6_vsubcarryo", "hydride_vsubcarryo"),
    ],
    inline: Some(|instruction| memory::definition(instruction).map(|_| memory::name(instruction))),
    slot_bytes: 256,
    several: Several::BehindPointers,
    mask: Some("HVX_VectorPred"),
};

/// The machine.
pub const MACHINE: Emulated = Emulated {
    isa: parsers::hexagon::ISA,
    dialect: &DIALECT,
    options: &[
        "--target=hexagon-unknown-linux-musl",
        "-mv67",
        "-mhvx",
        "-mhvx-length=128B",
        "-ffreestanding",
    ],
    emulator: "qemu-hexagon",
    emulator_args: &[],
};

/// The compiler's options for extracting intrinsics: the newest version that it supports.
const READ_OPTIONS: &[&str] =
    &["--target=hexagon-unknown-linux-musl", "-mv73", "-mhvx", "-mhvx-length=128B", "-ffreestanding"];

/// HVX, on QEMU.
pub const TARGET: Target = Target {
    isa: parsers::hexagon::ISA,
    prepare: |instructions, wrappers, work| {
        if !instructions.iter().all(|instruction| has_machine_vectors(&instruction.signature)) {
            return Err(OracleError::Unlike { message: "QEMU's vectors have 128 bytes".to_owned() });
        }
        let options = EmulatorOptions { wrappers, ..EmulatorOptions::default() };
        HvxOracle::prepare(instructions.iter().copied(), work, &options)
    },
    emulator: Some(&MACHINE),
    lowering: Some(lowering::CONVENTIONS),
};

/// Builds [`Oracle`]s for HVX.
#[derive(Clone, Copy, Debug)]
pub struct HvxOracle;

impl HvxOracle {
    /// Compiles a runner with a wrapper for each instruction that the emulator's architecture version has. If
    /// an id occurs twice, the first instruction is used.
    ///
    /// Immediates, refusals and `work_dir` are those of [`crate::X86Oracle::prepare`].
    pub fn prepare<'a>(
        instructions: impl IntoIterator<Item = &'a Instruction>,
        work_dir: &Path,
        options: &EmulatorOptions,
    ) -> Result<Oracle, OracleError> {
        let instructions: Vec<&Instruction> = instructions.into_iter().collect();
        let mut options = options.clone();
        options.wrappers.definitions.extend(instructions.iter().copied().filter_map(memory::definition));
        MACHINE.prepare(instructions, work_dir, &options, |instruction| {
            let missing = missing(instruction);
            (!missing.is_empty()).then_some(Outcome::NotRunnable { missing })
        })
    }
}

/// Whether an instruction's vectors, pairs and predicates are as wide as the emulator's.
fn has_machine_vectors(signature: &Signature) -> bool {
    signature.args.iter().chain(&signature.results).all(|arg| match arg.c_type.as_str() {
        "HVX_Vector" => arg.width == VECTOR_BITS,
        "HVX_VectorPair" => arg.width == 2 * VECTOR_BITS,
        // One bit for each byte.
        "HVX_VectorPred" => arg.width == VECTOR_BITS / 8,
        _ => true,
    })
}

/// The architecture versions that an instruction needs and the emulator lacks.
fn missing(instruction: &Instruction) -> Vec<String> {
    let newer = |extension: &&String| {
        let version = extension.strip_prefix("hvxv").and_then(|version| version.parse::<u32>().ok());
        version.is_some_and(|version| version > VERSION)
    };
    instruction.extensions.iter().filter(newer).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use parsers::{Argument, Kind};

    #[test]
    fn every_kind_of_vector_is_as_wide_as_the_machines() {
        let of = |c_type: &str, width: u32| {
            let result = Argument {
                name: "Vd".into(),
                c_type: c_type.into(),
                width,
                kind: Kind::Vector,
                element: None,
            };
            has_machine_vectors(&Signature { args: Vec::new(), results: vec![result] })
        };
        for (c_type, width) in [("HVX_Vector", 1024), ("HVX_VectorPair", 2048), ("HVX_VectorPred", 128)] {
            assert!(of(c_type, width) && !of(c_type, width / 2), "{c_type}");
        }
        assert!(of("Word32", 32));
    }
}
