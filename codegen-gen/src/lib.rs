//! Code generation from an AutoLLVM dialect: LLVM intrinsics, portable bodies and lowering tables, functions for
//! C, an MLIR dialect, evaluators in C, Rust and SMT-LIB, and a JSON dictionary. [`models`] makes a Rust function of each
//! instruction.
//!
//! The last step of the path. Everything is decided here and passed to the templates of `/templates`, which
//! only lay out text.
//!
//! ```
//! use autoir::{Dialect, Dictionary, Reviews};
//! use codegen_gen::{LlvmVersion, Options, generate};
//!
//! let (dialect, _) = Dialect::build(Vec::new(), Dictionary::default(), &Reviews::default())?;
//! let options = Options { llvm: LlvmVersion::Llvm19, ..Options::default() };
//! let files = generate(&dialect, &options, &memo::Memo::default())?;
//! assert!(files.iter().any(|file| file.path == "llvm/AutoLLVMLowering.td"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Invariant: this crate knows no vendor and no solver, and does not touch the file system.

#![forbid(unsafe_code)]

mod agreement;
mod bounds;
mod c;
mod check;
mod definitions;
mod dictionary;
mod evaluators;
mod features;
mod float;
mod fuse;
mod identifier;
mod identities;
mod identity;
mod instance;
mod llvm;
mod lowering;
mod memory;
mod mlir;
mod models;
mod operation;
mod plugin;
mod portable;
mod readme;
mod render;
mod scheme;
mod space;
mod split;

pub use check::CheckError;
pub use definitions::{Case, Column, Variant, VendorFunction, VendorIr};
pub use evaluators::{MemoryInstruction, c_body, c_support, memory_evaluators};
pub use features::Features;
pub use models::{Modelled, integers, models};
pub use operation::InstanceError;
pub use readme::{Documents, readme};
pub use scheme::{Attribute, Relation, Scheme, Slot};

use std::collections::BTreeSet;

use autoir::Dialect;
use memo::Memo;
use operation::Operation;
use rayon::prelude::*;

/// What to generate for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The LLVM release that will read the files.
    pub llvm: LlvmVersion,
    /// For each instruction set what its intrinsics are, in each release for which that is known.
    pub vendors: Vec<VendorIr>,
    /// The CPU features that instructions need.
    pub features: Features,
    /// The files to make.
    pub parts: BTreeSet<Part>,
}

impl Default for Options {
    /// All files, for the default release and without instruction sets.
    fn default() -> Self {
        Self {
            llvm: LlvmVersion::default(),
            vendors: Vec::new(),
            features: Features::default(),
            parts: Part::ALL.into_iter().collect(),
        }
    }
}

impl Options {
    /// What the instruction sets' intrinsics are in the release.
    fn of_release(&self) -> impl Iterator<Item = &VendorIr> {
        self.vendors.iter().filter(|vendor| vendor.llvm == self.llvm.number())
    }

    /// The same for one instruction set.
    fn vendor(&self, isa: &str) -> Option<&VendorIr> {
        self.of_release().find(|vendor| vendor.isa == isa)
    }
}

/// Files that can be made without the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// `dictionary.json`.
    Dictionary,
    /// `llvm/lowering.json`.
    Table,
    /// The rest of `llvm/`.
    Llvm,
    /// `mlir/`.
    Mlir,
    /// `evaluators/`.
    Evaluators,
    /// `c/`.
    C,
}

impl Part {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Dictionary, Self::Table, Self::Llvm, Self::Mlir, Self::Evaluators, Self::C];

    /// Whether it has to know the definitions for stock LLVM.
    fn needs_definitions(self) -> bool {
        match self {
            Self::Dictionary | Self::Table | Self::Llvm | Self::Mlir | Self::C => true,
            Self::Evaluators => false,
        }
    }
}

/// A supported LLVM release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum LlvmVersion {
    /// LLVM 19.
    #[default]
    Llvm19,
    /// LLVM 21: half of a vector's elements is written `LLVMOneNthElementsVectorType`, and IRDL names operands.
    Llvm21,
    /// LLVM 22.
    Llvm22,
}

impl LlvmVersion {
    /// All of them, the oldest first.
    pub const ALL: [Self; 3] = [Self::Llvm19, Self::Llvm21, Self::Llvm22];

    /// The release number.
    pub fn number(self) -> u32 {
        match self {
            Self::Llvm19 => 19,
            Self::Llvm21 => 21,
            Self::Llvm22 => 22,
        }
    }

    /// The release of that number, if it is supported.
    pub fn from_number(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|version| version.number() == number)
    }
}

/// A generated file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GeneratedFile {
    /// Path below the output folder, with `/`.
    pub path: String,
    /// The text; it begins with the line that names the command that makes it.
    pub contents: String,
}

/// A dialect from which no files can be made.
#[derive(Debug, thiserror::Error)]
pub enum GenerateError {
    /// A definition that LLVM or MLIR would misunderstand.
    #[error(transparent)]
    Check(#[from] CheckError),
    /// A member's parameter values for which its operation is meaningless.
    #[error(transparent)]
    Instance(#[from] InstanceError),
    /// A template that does not fit its context.
    #[error("template: {0}")]
    Template(#[from] tera::Error),
    /// A value that cannot be written as JSON.
    #[error("JSON: {0}")]
    Json(#[from] serde_json::Error),
}

/// Files that are generated separately from the others.
type Section<'a> = dyn Fn() -> Result<Vec<GeneratedFile>, GenerateError> + Sync + 'a;

/// The files for a dialect, sorted by path: those of the chosen parts, and the schemas. They depend only on the dialect
/// and the options: `memo` has what earlier runs made of operations that are still the same.
pub fn generate(
    dialect: &Dialect,
    options: &Options,
    memo: &Memo,
) -> Result<Vec<GeneratedFile>, GenerateError> {
    let operations: Vec<Operation<'_>> = dialect.ops().iter().map(|op| Operation::new(op, memo)).collect();
    let (expressible, beyond): (Vec<_>, Vec<_>) = operations
        .iter()
        .map(|operation| (operation, operation.definition()))
        .partition(|(_, definition)| check::beyond_limits(definition).is_ok());
    let left_out: Vec<String> = beyond
        .iter()
        .filter_map(|(_, definition)| Some(check::beyond_limits(definition).err()?.to_string()))
        .collect();
    let (for_llvm, definitions): (Vec<_>, Vec<_>) = expressible.into_iter().unzip();
    check::check(&definitions)?;
    let renderer = render::Renderer::new()?;
    let own: [(Part, &Section<'_>); 5] = [
        (Part::Evaluators, &|| evaluators::files(&renderer, &operations)),
        (Part::Llvm, &|| Ok(vec![portable::file(&renderer, &operations)?])),
        (Part::Llvm, &|| Ok(vec![lowering::tables(&renderer, &for_llvm)?])),
        (Part::Llvm, &|| Ok(vec![llvm::intrinsics(&renderer, &for_llvm, &left_out, options)?])),
        (Part::Llvm, &|| plugin::plugin(&renderer, options)),
    ];
    let with_definitions = || -> Result<_, GenerateError> {
        if !options.parts.iter().any(|part| part.needs_definitions()) {
            return Ok(Vec::new());
        }
        let mut definitions = definitions::definitions(&renderer, &operations, options, memo)?;
        let modules = std::mem::take(&mut definitions.files);
        let sections: [(Part, &Section<'_>); 4] = [
            (Part::C, &|| c::files(&renderer, &operations, &definitions, options)),
            (Part::Mlir, &|| mlir::generate(&renderer, &operations, &definitions, options)),
            (Part::Dictionary, &|| {
                Ok(vec![dictionary::file(&renderer, &operations, &definitions, options)?])
            }),
            (Part::Table, &|| Ok(vec![lowering::json(&renderer, &operations, &definitions, options)?])),
        ];
        let mut files = made(&sections, options)?;
        files.extend(modules.into_iter().filter(|_| options.parts.contains(&Part::Llvm)));
        Ok(files)
    };
    let (own, with_definitions) = rayon::join(|| made(&own, options), with_definitions);
    let mut files = own?;
    files.extend(with_definitions?);
    files.extend(dictionary::schemas());
    files.sort();
    agreement::check(&files)?;
    Ok(files)
}

/// The files of those sections whose part is to be made.
fn made(sections: &[(Part, &Section<'_>)], options: &Options) -> Result<Vec<GeneratedFile>, GenerateError> {
    let sections = sections.par_iter().filter(|(part, _)| options.parts.contains(part));
    let made: Vec<Vec<GeneratedFile>> = sections.map(|(_, section)| section()).collect::<Result<_, _>>()?;
    Ok(made.into_iter().flatten().collect())
}
