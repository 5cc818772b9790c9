//! The sources that are the same for every dialect: CMake, the dialect's C++ and the conversion to LLVM.

use serde::Serialize;

use crate::render::Renderer;
use crate::{GenerateError, GeneratedFile, Options};

/// Files whose templates need nothing but the release.
const SOURCES: &[&str] = &[
    "mlir/AutoLLVMDialect.cpp",
    "mlir/AutoLLVMDialect.h",
    "mlir/AutoLLVMInterfaces.td",
    "mlir/AutoLLVMLegalize.cpp",
    "mlir/AutoLLVMPlugin.cpp",
    "mlir/AutoLLVMTargets.h",
    "mlir/AutoLLVMToLLVM.cpp",
    "mlir/CMakeLists.txt",
    "mlir/lower.sh",
    "mlir/test/lit.cfg.py",
];

#[derive(Serialize)]
struct Release {
    llvm: u32,
}

pub(crate) fn sources(renderer: &Renderer, options: &Options) -> Result<Vec<GeneratedFile>, GenerateError> {
    let release = Release { llvm: options.llvm.number() };
    SOURCES.iter().map(|path| renderer.render(path, &release)).collect()
}
