//! `llvm/plugin/`: the source of a pass that lowers AutoLLVM operations in stock `opt` or clang.

use serde::Serialize;

use crate::render::Renderer;
use crate::{GenerateError, GeneratedFile, Options};

#[derive(Serialize)]
struct Plugin {
    llvm: u32,
}

/// The source and its build file. Neither depends on the operations: the definitions' names are the table.
pub(crate) fn plugin(renderer: &Renderer, options: &Options) -> Result<Vec<GeneratedFile>, GenerateError> {
    let context = Plugin { llvm: options.llvm.number() };
    let paths = ["llvm/plugin/AutoLLVM.cpp", "llvm/plugin/CMakeLists.txt"];
    paths.into_iter().map(|path| renderer.render(path, &context)).collect()
}
