//! The templates, compiled into the library.

use serde::Serialize;
use tera::{Context, Tera};

use crate::{GenerateError, GeneratedFile};

/// The command that every generated file names in its first line.
pub(crate) const COMMAND: &str = "cargo xtask generate-ir";

/// Every template by the path of the file that it makes.
const TEMPLATES: &[(&str, &str)] = &[
    ("llvm/AutoLLVMLowering.td", include_str!("../../templates/AutoLLVMLowering.td.tera")),
    ("llvm/IntrinsicsAutoLLVM.td", include_str!("../../templates/IntrinsicsAutoLLVM.td.tera")),
    ("mlir/AutoLLVMOps.td", include_str!("../../templates/AutoLLVMOps.td.tera")),
    ("mlir/autollvm.irdl.mlir", include_str!("../../templates/autollvm.irdl.mlir.tera")),
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
}
