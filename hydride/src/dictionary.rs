//! The dictionary of operations as `explain` and `query` see it: the generated files, from an output folder
//! or fresh from a run over documents.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use clap::Args;
use codegen_gen::LlvmVersion;
use hydride_ir::Function;
use serde::{Deserialize, Serialize};

use crate::classified::ClassifyArgs;
use crate::generate::files;
use crate::outputs::{Files, OUTPUTS, is_ours};
use crate::usage;

/// Where the dictionary comes from.
#[derive(Args)]
pub struct DictionaryArgs {
    #[command(flatten)]
    classify: ClassifyArgs,
    /// Read this folder, which `generate-ir` wrote; without --out and --specs `out` where it is one.
    #[arg(long, value_name = "DIR", conflicts_with = "specs")]
    out: Option<PathBuf>,
}

impl DictionaryArgs {
    /// Reads the dictionary, or makes it from documents.
    pub fn read(&self) -> Result<Dictionary> {
        let standard = Path::new("out");
        let folder = match &self.out {
            Some(folder) if !is_ours(folder, &OUTPUTS) => {
                return Err(anyhow!("{} holds no outputs of generate-ir", folder.display()));
            }
            Some(folder) => Some(folder.as_path()),
            None => (self.classify.specs.specs.is_none() && is_ours(standard, &OUTPUTS)).then_some(standard),
        };
        let source = match folder {
            Some(folder) => {
                tracing::info!("the outputs in {} are read", folder.display());
                Source::Folder(folder.to_path_buf())
            }
            None => {
                let all = crate::documents::all_isas();
                let (_, pipeline) = self.classify.run(&all)?;
                Source::Files(files(&pipeline, LlvmVersion::default(), None)?)
            }
        };
        Dictionary::new(source)
    }
}

enum Source {
    Folder(PathBuf),
    Files(Files),
}

impl Source {
    fn text(&self, path: &str) -> Result<String> {
        match self {
            Source::Folder(folder) => {
                let path = folder.join(path);
                std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
            }
            Source::Files(files) => {
                files.get(path).cloned().with_context(|| format!("there is no {path} among the outputs"))
            }
        }
    }
}

/// All operations with their members.
pub struct Dictionary {
    /// Sorted by name.
    pub classes: Vec<Class>,
    source: Source,
}

/// An operation, as `classes.json` has it.
#[derive(Deserialize)]
pub struct Class {
    /// The operation's name.
    pub name: String,
    /// Number of arguments.
    pub arity: usize,
    /// Names of the parameters.
    pub params: Vec<String>,
    /// For which parameter values the function is legal.
    #[serde(default)]
    pub constraints: Vec<String>,
    /// The instructions, by instruction set and id.
    pub members: Vec<Member>,
}

/// A member, as `classes.json` has it, with what the lowering table adds.
#[derive(Deserialize)]
pub struct Member {
    /// The instruction set.
    pub isa: String,
    /// The instruction's id.
    pub id: String,
    /// Parameter values by name.
    pub params: BTreeMap<String, i64>,
    /// For each argument of the class where it comes from.
    pub args: Vec<Origin>,
    /// `none`, `merge` or `zero`.
    pub masking: String,
    /// How the mask is laid over the result.
    #[serde(default)]
    pub mask_layout: Option<MaskLayout>,
    /// The part of the result that the operation writes, where that is not the whole.
    #[serde(default)]
    pub part: Option<Part>,
    /// How the membership is shown.
    pub proof: String,
    /// How far the semantics can be trusted.
    #[serde(default)]
    pub trust: Option<String>,
    /// What the lowering table says of it.
    #[serde(skip)]
    pub lowering: Lowering,
}

/// Where an argument of the class comes from.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(untagged)]
pub enum Origin {
    /// The instruction's own argument at this position.
    Position(u32),
    /// A value that the instruction fixes, in hexadecimal digits.
    Constant {
        /// The digits.
        constant: String,
    },
    /// A slice of one of the instruction's arguments in every element.
    Broadcast {
        /// Position of the argument.
        broadcast: u32,
        /// Position of the immediate that chooses the slice.
        #[serde(skip_serializing_if = "Option::is_none")]
        lane: Option<u32>,
        /// Lowest bit of the slice, before the lane is counted.
        low: u32,
        /// Its width in bits.
        width: u32,
        /// Distance of its copies in bits.
        stride: u32,
    },
}

/// How the bits of a mask are laid over a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct MaskLayout {
    /// Distance of the mask bits that are used.
    pub stride: u32,
    /// Bits of the result that each governs.
    pub lane: u32,
    /// Whether a bit that is 0 selects.
    pub negated: bool,
}

/// The part of a result that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Part {
    /// Its lowest bit.
    pub low: u32,
    /// Its width in bits.
    pub width: u32,
    /// Position of the argument that has the other bits.
    pub pass_through: u32,
}

impl Member {
    /// Whether another member of its class uses the operation in the same way: the same parameter values, the
    /// same arguments, and the same done with the result.
    pub fn is_alike(&self, other: &Member) -> bool {
        self.params == other.params
            && self.args == other.args
            && self.masking == other.masking
            && self.lowering.masking == other.lowering.masking
            && self.mask_layout == other.mask_layout
            && self.part == other.part
    }
}

/// A row of `llvm/lowering.json`, as far as it is of use here.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Lowering {
    isa: String,
    id: String,
    /// Assembly mnemonics.
    pub mnemonics: Vec<String>,
    /// Extensions needed.
    pub extensions: Vec<String>,
    /// The C signature.
    pub signature: Signature,
    masking: Masking,
}

/// A C signature.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Signature {
    /// The results.
    pub results: Vec<Operand>,
    /// The arguments.
    pub args: Vec<Operand>,
}

/// One operand of a C signature.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Operand {
    /// The C type.
    #[serde(rename = "type")]
    pub c_type: String,
    /// Width in bits.
    pub width: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
struct Masking {
    mask: Option<u32>,
    pass_through: Option<u32>,
}

impl Lowering {
    /// Position of the mask among the instruction's arguments.
    pub fn mask(&self) -> Option<u32> {
        self.masking.mask
    }

    /// Position of the argument whose elements are kept where the mask leaves some out.
    pub fn pass_through(&self) -> Option<u32> {
        self.masking.pass_through
    }
}

#[derive(Deserialize)]
struct Lowerings {
    lowerings: Vec<Lowering>,
}

/// A line of the ledger.
#[derive(Deserialize)]
pub struct LedgerLine {
    /// The instruction set.
    pub isa: String,
    /// The entry's id.
    pub id: String,
    /// `modelled`, `excluded` or `failed`.
    pub status: String,
    /// Why, unless modelled.
    #[serde(default)]
    pub reason: Option<String>,
    /// The same in words.
    #[serde(default)]
    pub message: Option<String>,
    /// What it was run on.
    #[serde(default)]
    pub trust: Option<serde_json::Value>,
}

impl Dictionary {
    fn new(source: Source) -> Result<Self> {
        let text = source.text("classes.json")?;
        let mut classes: Vec<Class> = serde_json::from_str(&text).context("classes.json")?;
        let text = source.text("llvm/lowering.json")?;
        let rows: Lowerings = serde_json::from_str(&text).context("llvm/lowering.json")?;
        let mut rows: BTreeMap<(String, String), Lowering> =
            rows.lowerings.into_iter().map(|row| ((row.isa.clone(), row.id.clone()), row)).collect();
        for member in classes.iter_mut().flat_map(|class| &mut class.members) {
            if let Some(row) = rows.remove(&(member.isa.clone(), member.id.clone())) {
                member.lowering = row;
            }
        }
        Ok(Self { classes, source })
    }

    /// The instructions that a name means: an id, or `isa:id`.
    pub fn instructions(&self, name: &str) -> Vec<(&Class, &Member)> {
        let (isa, id) = match name.split_once(':') {
            Some((isa, id)) => (Some(isa), id),
            None => (None, name),
        };
        let all =
            self.classes.iter().flat_map(|class| class.members.iter().map(move |member| (class, member)));
        all.filter(|(_, member)| member.id == id && isa.is_none_or(|isa| member.isa == isa)).collect()
    }

    /// The ledger's lines of an id.
    pub fn ledger(&self, name: &str) -> Result<Vec<LedgerLine>> {
        let id = name.split_once(':').map_or(name, |(_, id)| id);
        // Lines are picked before they are read: there are thousands.
        let quoted = serde_json::to_string(id)?;
        let text = self.source.text("ledger.jsonl")?;
        let lines = text.lines().filter(|line| line.contains(&quoted));
        let mut found: Vec<LedgerLine> = lines.map(serde_json::from_str).collect::<Result<_, _>>()?;
        found.retain(|line| line.id == id);
        Ok(found)
    }

    /// An instruction's function as parsed.
    pub fn parsed(&self, member: &Member) -> Result<Function> {
        let found = self.function(&format!("ir/{}.hir", member.isa), &member.id)?;
        found.with_context(|| format!("ir/{}.hir has no {}", member.isa, member.id))
    }

    /// An instruction's canonical function, where it has one.
    pub fn canonical(&self, member: &Member) -> Result<Option<Function>> {
        self.function(&format!("ir/{}.canonical.hir", member.isa), &member.id)
    }

    /// The text of an operation's function.
    pub fn formula(&self, class: &Class) -> Result<String> {
        let text = self.source.text("autollvm/autollvm.hir")?;
        let found = function_text(&text, &class.name).map(str::to_owned);
        found.with_context(|| format!("autollvm/autollvm.hir has no {}", class.name))
    }

    fn function(&self, path: &str, name: &str) -> Result<Option<Function>> {
        let text = self.source.text(path)?;
        let Some(found) = function_text(&text, name) else { return Ok(None) };
        Function::parse(found).map(Some).map_err(|error| anyhow!("{path}: @{name}: {error}"))
    }

    /// Names that somebody may have meant.
    pub fn alike(&self, name: &str) -> Vec<&str> {
        let wanted = name.trim_start_matches('_').to_ascii_lowercase();
        let ids = self.classes.iter().flat_map(|class| {
            std::iter::once(class.name.as_str()).chain(class.members.iter().map(|member| member.id.as_str()))
        });
        let mut found: Vec<&str> = ids.filter(|id| id.to_ascii_lowercase().contains(&wanted)).collect();
        found.sort_by_key(|id| (id.len(), *id));
        found.truncate(5);
        found
    }

    /// An error for a name that means nothing.
    pub fn unknown(&self, name: &str) -> anyhow::Error {
        match self.alike(name).as_slice() {
            [] => usage(format!("there is no instruction or operation {name}")),
            alike => usage(format!(
                "there is no instruction or operation {name}; did you mean {}?",
                alike.join(", ")
            )),
        }
    }
}

/// The text of one function of a file of IR: from its first line to the closing brace.
fn function_text<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let heads = [format!("\nfunc @{name}("), format!("\nfunc @{name}["), format!("\nfunc @\"{name}\"(")];
    let start = heads.iter().find_map(|head| text.find(head))?;
    let end = text[start..].find("\n}\n")?;
    Some(&text[start + 1..start + end + 3])
}
