//! The templates, compiled into the library.

use serde::Serialize;
use tera::{Context, Tera};

use crate::{GenerateError, GeneratedFile};

/// The command that every generated file names in its first line.
const COMMAND: &str = "cargo xtask generate-ir";

/// Every template by the path of the file that it makes, or of the folder where it makes several.
const TEMPLATES: &[(&str, &str)] = &[
    ("README.md", include_str!("../../templates/README.md.tera")),
    ("c/autollvm.h", include_str!("../../templates/c/autollvm.h.tera")),
    ("c/autollvm.ll", include_str!("../../templates/c/autollvm.ll.tera")),
    ("dictionary.json", include_str!("../../templates/dictionary.json.tera")),
    ("evaluators/autollvm.h", include_str!("../../templates/autollvm.h.tera")),
    ("evaluators/autollvm.rs", include_str!("../../templates/autollvm.rs.tera")),
    ("evaluators/memory.h", include_str!("../../templates/memory.h.tera")),
    ("evaluators/memory.rs", include_str!("../../templates/memory.rs.tera")),
    ("evaluators/words.h", include_str!("../../templates/words.h.tera")),
    ("evaluators/words.rs", include_str!("../../templates/words.rs.tera")),
    ("evaluators/smt", include_str!("../../templates/operation.smt2.tera")),
    ("llvm/AutoLLVMLowering.td", include_str!("../../templates/AutoLLVMLowering.td.tera")),
    ("llvm/IntrinsicsAutoLLVM.td", include_str!("../../templates/IntrinsicsAutoLLVM.td.tera")),
    ("llvm/lowering.json", include_str!("../../templates/lowering.json.tera")),
    ("llvm/lowering/missing.json", include_str!("../../templates/missing.json.tera")),
    ("llvm/lowering/retired.json", include_str!("../../templates/retired.json.tera")),
    ("llvm/lowering", include_str!("../../templates/lowering.ll.tera")),
    ("llvm/plugin/AutoLLVM.cpp", include_str!("../../templates/AutoLLVMPlugin.cpp.tera")),
    ("llvm/plugin/CMakeLists.txt", include_str!("../../templates/AutoLLVMPlugin.cmake.tera")),
    ("llvm/portable.ll", include_str!("../../templates/portable.ll.tera")),
    ("mlir/AutoLLVMDialect.cpp", include_str!("../../templates/mlir/AutoLLVMDialect.cpp.tera")),
    ("mlir/AutoLLVMDialect.h", include_str!("../../templates/mlir/AutoLLVMDialect.h.tera")),
    ("mlir/AutoLLVMInterfaces.td", include_str!("../../templates/mlir/AutoLLVMInterfaces.td.tera")),
    ("mlir/AutoLLVMLegalize.cpp", include_str!("../../templates/mlir/AutoLLVMLegalize.cpp.tera")),
    ("mlir/AutoLLVMOps.td", include_str!("../../templates/mlir/AutoLLVMOps.td.tera")),
    ("mlir/AutoLLVMPlugin.cpp", include_str!("../../templates/mlir/AutoLLVMPlugin.cpp.tera")),
    ("mlir/AutoLLVMTargets.cpp", include_str!("../../templates/mlir/AutoLLVMTargets.cpp.tera")),
    ("mlir/AutoLLVMTargets.h", include_str!("../../templates/mlir/AutoLLVMTargets.h.tera")),
    ("mlir/AutoLLVMToLLVM.cpp", include_str!("../../templates/mlir/AutoLLVMToLLVM.cpp.tera")),
    ("mlir/CMakeLists.txt", include_str!("../../templates/mlir/CMakeLists.txt.tera")),
    ("mlir/autollvm.functions.mlir", include_str!("../../templates/mlir/autollvm.functions.mlir.tera")),
    ("mlir/autollvm.irdl.mlir", include_str!("../../templates/mlir/autollvm.irdl.mlir.tera")),
    ("mlir/autollvm.patterns.mlir", include_str!("../../templates/mlir/autollvm.patterns.mlir.tera")),
    ("mlir/instances.mlir", include_str!("../../templates/mlir/instances.mlir.tera")),
    ("mlir/lower.sh", include_str!("../../templates/mlir/lower.sh.tera")),
    ("mlir/lowering", include_str!("../../templates/mlir/lowering.mlir.tera")),
    ("mlir/test/canonicalize.mlir", include_str!("../../templates/mlir/test/canonicalize.mlir.tera")),
    ("mlir/test/invalid-irdl.mlir", include_str!("../../templates/mlir/test/invalid-irdl.mlir.tera")),
    ("mlir/test/invalid.mlir", include_str!("../../templates/mlir/test/invalid.mlir.tera")),
    ("mlir/test/irdl.mlir", include_str!("../../templates/mlir/test/irdl.mlir.tera")),
    ("mlir/test/legalize.mlir", include_str!("../../templates/mlir/test/legalize.mlir.tera")),
    ("mlir/test/lit.cfg.py", include_str!("../../templates/mlir/test/lit.cfg.py.tera")),
    ("mlir/test/lowering.mlir", include_str!("../../templates/mlir/test/lowering.mlir.tera")),
    ("mlir/test/memory.mlir", include_str!("../../templates/mlir/test/memory.mlir.tera")),
    ("mlir/test/roundtrip.mlir", include_str!("../../templates/mlir/test/roundtrip.mlir.tera")),
    ("mlir/test/stock.mlir", include_str!("../../templates/mlir/test/stock.mlir.tera")),
    ("models/Cargo.toml", include_str!("../../templates/models/Cargo.toml.tera")),
    ("models/check/Cargo.toml", include_str!("../../templates/models/check/Cargo.toml.tera")),
    ("models/check/build.rs", include_str!("../../templates/models/check/build.rs.tera")),
    ("models/check/core_arch.txt", include_str!("../../templates/models/check/core_arch.txt.tera")),
    ("models/check/src/cases.rs", include_str!("../../templates/models/check/cases.rs.tera")),
    ("models/check/src/main.rs", include_str!("../../templates/models/check/main.rs.tera")),
    ("models/src/bits.rs", include_str!("../../templates/models/bits.rs.tera")),
    ("models/src/float.rs", include_str!("../../templates/models/float.rs.tera")),
    ("models/src/isa.rs", include_str!("../../templates/models/isa.rs.tera")),
    ("models/src/lib.rs", include_str!("../../templates/models/lib.rs.tera")),
    ("models/src/module.rs", include_str!("../../templates/models/module.rs.tera")),
];

/// Fills templates.
pub(crate) struct Renderer {
    tera: Tera,
}

impl Renderer {
    pub(crate) fn new() -> Result<Self, GenerateError> {
        let mut tera = Tera::default();
        tera.autoescape_on(Vec::<&str>::new());
        tera.add_raw_templates(TEMPLATES.iter().copied())?;
        Ok(Self { tera })
    }

    /// The file at `path` from its template and a context.
    pub(crate) fn render(
        &self,
        path: &str,
        context: &impl Serialize,
    ) -> Result<GeneratedFile, GenerateError> {
        let mut context = Context::from_serialize(context)?;
        context.insert("command", COMMAND);
        Ok(GeneratedFile { path: path.to_owned(), contents: self.tera.render(path, &context)? })
    }

    /// The file at `path` from the template of that name.
    pub(crate) fn render_as(
        &self,
        template: &str,
        path: String,
        context: &impl Serialize,
    ) -> Result<GeneratedFile, GenerateError> {
        Ok(GeneratedFile { path, ..self.render(template, context)? })
    }

    /// The file of that name in a folder whose files share a template.
    pub(crate) fn render_in(
        &self,
        folder: &str,
        name: &str,
        context: &impl Serialize,
    ) -> Result<GeneratedFile, GenerateError> {
        Ok(GeneratedFile { path: format!("{folder}/{name}"), ..self.render(folder, context)? })
    }
}
