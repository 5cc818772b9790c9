//! Programs in C for an instruction set: how they are built, and what runs them.

/// The start of a program whose exit code is that of its function `int check(void)`.
pub const START: &str = include_str!("../guide/start.c");

/// How clang builds such programs for an instruction set.
pub struct Target {
    pub isa: &'static str,
    /// Options of clang.
    pub clang: &'static [&'static str],
    /// The emulator with its options; empty for this machine's own instructions.
    pub emulator: &'static [&'static str],
}

/// What builds and runs programs for all of them.
pub const TOOLS: [&str; 4] = ["clang-19", "qemu-aarch64", "aarch64-linux-gnu-gcc", "qemu-hexagon"];

/// What links and optimizes modules.
pub const MODULE_TOOLS: [&str; 3] = ["llvm-link-19", "opt-19", "llc-19"];

pub const TARGETS: [Target; 3] = [
    Target { isa: "x86", clang: &[], emulator: &[] },
    Target {
        isa: "arm",
        clang: &["--target=aarch64-linux-gnu", "-ffreestanding", "-static", "-fuse-ld=lld"],
        emulator: &["qemu-aarch64", "-cpu", "max"],
    },
    Target {
        isa: "hvx",
        clang: &[
            "--target=hexagon-unknown-linux-musl",
            "-mv67",
            "-mhvx",
            "-mhvx-length=128B",
            "-ffreestanding",
            "-nostdlib",
            "-static",
            "-fuse-ld=lld",
        ],
        emulator: &["qemu-hexagon"],
    },
];

/// The target of an instruction set.
pub fn target(isa: &str) -> &'static Target {
    TARGETS.iter().find(|target| target.isa == isa).expect("an instruction set with programs")
}
