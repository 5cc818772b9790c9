//! The targets that code is synthesized for, from `specs/targets/synth.toml`.

use std::path::Path;

use ::search::{Operand, Syntax};
use ::synth::synthesize::{self, CostOf};
use ::synth::table::Table;
use anyhow::{Context, Result};
use clap::Args;
use hydride_ir::Op;
use memo::{Key, key_of};
use serde::Deserialize;

use crate::cache::CacheArgs;
use crate::commands::search::{convert, known, targets};
use crate::console::Phases;
use crate::costs::Costs;
use crate::isa::{InstructionSet, Target};
use crate::{Session, SpecArgs, usage};

/// A target by name.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// The instruction set.
    pub isa: String,
    /// The machine whose costs count.
    pub cpu: String,
    /// The compiler's options for it.
    pub options: Vec<String>,
    /// What C includes for its intrinsics.
    pub headers: Vec<String>,
    /// Extensions that instructions may need.
    pub extensions: Vec<String>,
    /// LLVM's features of code that is for it.
    pub features: Vec<String>,
    /// Widths of vector registers in bits, least first.
    pub widths: Vec<u32>,
    /// What a register with constants costs in a function by itself, in thousandths of a cycle.
    #[serde(default)]
    constant: u64,
}

#[derive(Deserialize)]
struct File {
    target: Vec<Named>,
}

impl Named {
    /// All of them.
    pub fn all() -> Result<Vec<Self>> {
        let file: File = toml::from_str(include_str!("../../../../specs/targets/synth.toml"))
            .context("specs/targets/synth.toml")?;
        Ok(file.target)
    }

    /// The target of that name, or the first of an instruction set.
    pub fn find(name: &str) -> Result<Self> {
        let all = Self::all()?;
        let names: Vec<String> = all.iter().map(|target| target.name.clone()).collect();
        let found = all.iter().find(|target| target.name == name);
        let found = found.or_else(|| all.iter().find(|target| target.isa == name));
        found
            .cloned()
            .ok_or_else(|| usage(format!("there is no target {name}; there are {}", names.join(", "))))
    }
}

/// Arguments of commands that search sequences for a target.
#[derive(Args)]
pub struct GroundArgs {
    #[command(flatten)]
    pub specs: SpecArgs,
    #[command(flatten)]
    pub cache: CacheArgs,
    /// The machine whose costs are counted; else the target's.
    #[arg(long)]
    cpu: Option<String>,
    /// CPU features that sequences may need, and what these bring with them; else the target's.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    extensions: Vec<String>,
    /// Searches at a time; 0 for one a processor.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub jobs: usize,
    /// End a search after so many seconds; 0 for no end.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub max_seconds: u64,
}

impl GroundArgs {
    /// Reads the documents of a target.
    pub fn read(&self, session: &Session, named: Named) -> Result<Ground> {
        let specs = self.specs.specs.as_deref();
        Ground::read(session, specs, named, self.cpu.as_deref(), &self.extensions, &self.cache)
    }
}

/// A target, ready to be used.
pub struct Ground {
    /// What it is.
    pub named: Named,
    /// Its instruction set.
    pub set: &'static InstructionSet,
    /// Its instructions.
    pub table: Table,
    /// How they are written.
    pub syntax: Box<dyn Syntax>,
    /// What its instructions cost.
    pub costs: Costs,
    /// A hash of the instructions with their costs and of the registers' widths.
    pub key: Key,
    /// What a register with constants costs, in thousandths of a cycle.
    constant: u64,
}

impl Ground {
    /// The instruction of that name.
    pub fn own(&self, id: &str) -> Option<&::search::Instruction> {
        self.table.instructions.iter().find(|instruction| instruction.id == id)
    }

    /// Reads the documents of a target.
    pub fn read(
        session: &Session,
        specs: Option<&Path>,
        named: Named,
        cpu: Option<&str>,
        extensions: &[String],
        cache: &CacheArgs,
    ) -> Result<Self> {
        Self::with(session, specs, named, cpu, extensions, cache, &|_| true)
    }

    /// The same with some of the instructions alone, which takes less time: of those that are left out nothing is known.
    pub fn read_only(
        session: &Session,
        specs: Option<&Path>,
        named: Named,
        cache: &CacheArgs,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Self> {
        Self::with(session, specs, named, None, &[], cache, wanted)
    }

    fn with(
        session: &Session,
        specs: Option<&Path>,
        mut named: Named,
        cpu: Option<&str>,
        extensions: &[String],
        cache: &CacheArgs,
        wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Self> {
        if !extensions.is_empty() {
            named.extensions = extensions.to_vec();
        }
        let isa = session.asked(&named.isa)?;
        let set = session.set(isa);
        let target = targets::choose(set, &named.extensions)?;
        named.widths.retain(|width| *width <= target.width);
        let documents = session.read(specs, &[isa])?;
        let known = known::known(session, cache, &documents, isa, &target, &mut Phases::silent())?;
        targets::check(set, extensions, &known.extensions)?;
        let costs = match cpu {
            Some(cpu) => {
                named.cpu = cpu.to_owned();
                Costs::of_cpu(session, cpu, set.name)?
            }
            None => Costs::of_cpu(session, &named.cpu, set.name).unwrap_or_else(|_| Costs::length()),
        };
        let filter = convert::Filter::new(&[], &[], &target, true, true)?;
        let mut chosen =
            convert::instructions(&known.instructions, set.searched()?, &target, &filter, &costs);
        chosen.instructions.extend(with_constants(&known.instructions, set, &target, &costs)?);
        chosen.instructions.retain(|instruction| wanted(&instruction.id));
        Ok(Self {
            key: key_of(&(&chosen.instructions, &named.widths)),
            table: Table::new(chosen.instructions),
            syntax: (set.searched()?.syntax)(&target),
            costs,
            named,
            set,
            constant: 0,
        })
    }

    /// The same for functions by themselves, which make their constants each time; in a loop's body they are there.
    pub fn of_functions(self) -> Self {
        Self { constant: self.named.constant, ..self }
    }
}

impl Ground {
    /// What a search needs to know besides the instructions.
    pub fn target<'a>(&self, cost: &'a CostOf<'a>) -> synthesize::Target<'a> {
        let (widths, constant) = (self.named.widths.clone(), self.constant);
        synthesize::Target { widths, cost, constant, most: None, key: self.key }
    }
}

/// Instructions that move elements by a number in a general register, with that number as a constant: a power of two.
fn with_constants(
    parsed: &[parsers::Instruction],
    set: &InstructionSet,
    target: &Target,
    costs: &Costs,
) -> Result<Vec<::search::Instruction>> {
    let powers: Vec<i64> = target
        .scalar_constants
        .iter()
        .copied()
        .filter(|value| *value > 1 && value & (value - 1) == 0)
        .collect();
    if powers.is_empty() {
        return Ok(Vec::new());
    }
    let constants = Target { scalar_constants: powers, ..target.clone() };
    let filter = convert::Filter::new(&[], &[], &constants, false, false)?;
    let chosen = convert::instructions(parsed, set.searched()?, &constants, &filter, costs);
    let by_number = |instruction: &::search::Instruction| {
        let chooses = |operand: &Operand| matches!(operand, Operand::Choice { values, .. } if *values == constants.scalar_constants);
        let reads_at = |op: &Op| matches!(op, Op::ExtractAt { .. });
        instruction.operands.iter().any(chooses)
            && instruction.function.exprs().iter().any(|expr| reads_at(&expr.op))
    };
    Ok(chosen.instructions.into_iter().filter(by_number).collect())
}
