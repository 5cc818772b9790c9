//! Why an oracle could not be built or used as a whole; what is wrong with a single instruction is
//! an [`crate::Outcome`].

use std::io;
use std::path::{Path, PathBuf};

/// An oracle that could not be built or used.
#[derive(Debug, thiserror::Error)]
pub enum OracleError {
    /// The machine cannot run the instruction set.
    #[error("this machine cannot run {isa} instructions")]
    Host {
        /// The instruction set.
        isa: &'static str,
    },
    /// There is no known way to run the instruction set.
    #[error("no machine, emulator or compiler is known for {isa}")]
    NoTarget {
        /// The instruction set.
        isa: &'static str,
    },
    /// LLVM has no backend for the instruction set.
    #[error("no backend of LLVM is known for {isa}")]
    NoBackend {
        /// The instruction set.
        isa: &'static str,
    },
    /// The target differs from the one that the documents were read for.
    #[error("{message}")]
    Unlike {
        /// What is different.
        message: String,
    },
    /// The C compiler could not be started.
    #[error("cannot start the compiler {}", program.display())]
    Compiler {
        /// The program as configured.
        program: PathBuf,
        /// The system's message.
        source: io::Error,
    },
    /// The emulator could not be started.
    #[error("cannot start the emulator {}", program.display())]
    Emulator {
        /// The program as configured.
        program: PathBuf,
        /// The system's message.
        source: io::Error,
    },
    /// The compiler exists, but it or its linker does not support the machine.
    #[error("cannot build anything for {isa}: {message}")]
    Toolchain {
        /// The instruction set.
        isa: &'static str,
        /// The compiler's message.
        message: String,
    },
    /// The runner could not be compiled or linked, independently of the instructions.
    #[error("cannot build the runner: {message}")]
    Build {
        /// The compiler's message.
        message: String,
    },
    /// The file of intrinsics that are the same function as others cannot be read.
    #[error("specs/equals: {message}")]
    Equals {
        /// What is wrong.
        message: String,
    },
    /// A file or folder could not be read or written.
    #[error("cannot use {}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// The system's message.
        source: io::Error,
    },
    /// A runner process could not be started.
    #[error("cannot start the runner {}", program.display())]
    Runner {
        /// The program.
        program: PathBuf,
        /// The system's message.
        source: io::Error,
    },
}

impl OracleError {
    /// Whether the machine or a tool is missing, so that the request itself is not at fault.
    pub fn is_missing(&self) -> bool {
        matches!(
            self,
            Self::Host { .. }
                | Self::NoTarget { .. }
                | Self::Unlike { .. }
                | Self::Compiler { .. }
                | Self::Emulator { .. }
                | Self::Toolchain { .. }
        )
    }

    /// Attaches a path to an input or output error.
    pub(crate) fn file(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| Self::File { path, source }
    }
}
