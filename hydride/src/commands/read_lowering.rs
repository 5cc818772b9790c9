//! `hydride read-lowering`: what each intrinsic is in LLVM, extracted from a compiler and kept as data.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use codegen_gen::{Case, LlvmVersion, VendorFunction, VendorIr};
use difftest::lowering::{ReadAll, Tools};

use smt::Memo;

use crate::commands::check_lowering::require_release;
use crate::commands::generate::lowering_data::vendors;
use crate::console::Phases;
use crate::{Session, SpecArgs};

/// Arguments of `hydride read-lowering`.
#[derive(Args)]
pub struct ReadLoweringArgs {
    #[command(flatten)]
    specs: SpecArgs,
    /// Instruction sets to read; all when not given.
    #[arg(long, value_delimiter = ',', value_name = "LIST")]
    isa: Vec<String>,
    /// LLVM release that the data is for.
    #[arg(long, value_name = "N", default_value_t = LlvmVersion::default().number())]
    llvm: u32,
    /// A clang of that release, which then does without LLVM's other tools; clang-N and opt-N when not given.
    #[arg(long, value_name = "PROGRAM")]
    compiler: Option<PathBuf>,
    /// Folder for the data; specs/lowering/llvm-N when not given.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Folder for the compiler's files.
    #[arg(long, value_name = "DIR", default_value = "target/read-lowering")]
    work: PathBuf,
}

/// Reads and writes the data.
pub fn run(session: &Session, args: &ReadLoweringArgs) -> Result<u8> {
    let isas = session.all_asked(&args.isa)?;
    let release = args.llvm;
    let tools = match &args.compiler {
        Some(clang) => {
            require_release(clang, release)?;
            Tools { compiler: clang.clone(), optimizer: None }
        }
        None => {
            let named = |tool: &str| PathBuf::from(format!("{tool}-{release}"));
            Tools { compiler: named("clang"), optimizer: Some(named("opt")) }
        }
    };
    let data = args.data.clone().unwrap_or_else(|| format!("specs/lowering/llvm-{release}").into());
    let mut phases = Phases::default();
    let documents = session.read(args.specs.specs.as_deref(), &isas)?;
    std::fs::create_dir_all(&data).with_context(|| format!("cannot make {}", data.display()))?;
    for isa in isas {
        let name = isa.name();
        let phase = phases.start(&format!("parse {name}"), 0);
        let parsed =
            session.parse(isa, &documents, &Memo::default(), &|done, total| phase.set(done, total))?;
        phases.end(phase, &format!("{} instructions", parsed.instructions.len()));
        let phase = phases.start(&format!("read {name}"), 0);
        let all =
            difftest::lowering::read(session.set(isa).target()?, &parsed.instructions, &tools, &args.work)?;
        phases.end(phase, &format!("{} of {}", all.read.len(), all.read.len() + all.refused.len()));
        let mut ir = vendor_ir(name, release, all);
        for earlier in vendors(session, &[name])?.iter().filter(|earlier| earlier.llvm < release) {
            let gone = gone(earlier, &ir)?;
            ir.retired.extend(difftest::lowering::refused(
                session.set(isa).target()?,
                &gone,
                &tools,
                &args.work,
            )?);
        }
        let path = data.join(format!("{name}.json"));
        let text = text(&ir)?;
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(0)
}

/// The data: identical functions once, in the order of the first instruction of each.
fn vendor_ir(isa: &str, llvm: u32, all: ReadAll) -> VendorIr {
    let mut positions: BTreeMap<VendorFunction, usize> = BTreeMap::new();
    let mut ir = VendorIr {
        isa: isa.to_owned(),
        llvm,
        compiler: all.compiler,
        options: all.options,
        triple: all.triple,
        layout: all.layout,
        refused: all.refused.into_iter().collect(),
        ..VendorIr::default()
    };
    for read in all.read {
        let Some((_, first)) = read.cases.first() else { continue };
        let (result, params) = (first.result.clone(), first.params.clone());
        let cases: Vec<Case> =
            read.cases.into_iter().map(|(values, body)| Case { values, lines: body.lines }).collect();
        let function = VendorFunction::new(result, params, &cases);
        let position = *positions.entry(function).or_insert_with_key(|function| {
            ir.functions.push(function.clone());
            ir.functions.len() - 1
        });
        ir.members.insert(read.id, position);
    }
    ir
}

/// For each intrinsic that functions of an earlier release call and those of `ir` for the same instructions do not, one of
/// these functions in LLVM assembly.
fn gone(earlier: &VendorIr, ir: &VendorIr) -> Result<BTreeMap<String, String>> {
    let known = ir.intrinsics();
    let mut gone = BTreeMap::new();
    let same = earlier.members.iter().filter(|(id, _)| ir.members.contains_key(*id));
    for function in same.filter_map(|(_, position)| earlier.functions.get(*position)) {
        for intrinsic in function.intrinsics().into_iter().filter(|intrinsic| !known.contains(intrinsic)) {
            let cases = function.cases().with_context(|| format!("specs/lowering: {}", earlier.isa))?;
            let Some(case) = cases.first() else { continue };
            let parameters = function.params.iter().enumerate().map(|(at, ty)| format!("{ty} %a{at}"));
            let parameters = parameters.collect::<Vec<_>>().join(", ");
            let (result, lines) = (&function.result, case.lines.join("\n"));
            let text = format!("define {result} @f({parameters}) {{\n{lines}\n}}\n");
            gone.entry(intrinsic.to_owned()).or_insert(text);
        }
    }
    Ok(gone)
}

/// The data as JSON with one function a line.
fn text(ir: &VendorIr) -> Result<String> {
    let lines = |rows: Vec<String>| rows.join(",\n");
    let functions: Vec<String> = ir.functions.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
    let pairs = |rows: Vec<(String, String)>| {
        lines(rows.into_iter().map(|(key, value)| format!("{key}:{value}")).collect())
    };
    let members = ir.members.iter().map(|(id, at)| Ok((serde_json::to_string(id)?, at.to_string())));
    let messages = |of: &BTreeMap<String, String>| -> Result<String> {
        let row =
            |(of, why): (&String, &String)| Ok((serde_json::to_string(of)?, serde_json::to_string(why)?));
        Ok(pairs(of.iter().map(row).collect::<Result<_>>()?))
    };
    Ok(format!(
        "{{\"isa\":{},\n\"llvm\":{},\n\"compiler\":{},\n\"options\":{},\n\"triple\":{},\n\"layout\":{},\n\
         \"functions\":[\n{}\n],\n\"members\":{{\n{}\n}},\n\"refused\":{{\n{}\n}},\n\"retired\":{{\n{}\n}}}}\n",
        serde_json::to_string(&ir.isa)?,
        ir.llvm,
        serde_json::to_string(&ir.compiler)?,
        serde_json::to_string(&ir.options)?,
        serde_json::to_string(&ir.triple)?,
        serde_json::to_string(&ir.layout)?,
        lines(functions),
        pairs(members.collect::<Result<_>>()?),
        messages(&ir.refused)?,
        messages(&ir.retired)?,
    ))
}
